//! Global indexes that lag behind their table on purpose, so that tests can meet eventual consistency.
//!
//! Entries are stored with their items as always. With a lag, the engine remembers for that long what each changed entry
//! was before, and readers of the index are shown that. The memory is lost with the process: after a restart, indexes are
//! up to date.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use hashrange_env::Env;
use hashrange_store::{Address, RowKey, Space, Stored, partition_hash};
use parking_lot::Mutex;

/// A place in the order in which an index is swept.
type Place = (u64, usize, Bytes, RowKey);

/// A row as the store answers a sweep.
pub(crate) type Swept = (Bytes, RowKey, Stored);

/// What readers of global indexes are not shown yet.
#[derive(Debug)]
pub(crate) struct Lag {
    delay: Duration,
    hidden: Mutex<BTreeMap<Space, BTreeMap<Place, VecDeque<Hidden>>>>,
}

/// A change of an entry that is not shown before its time.
#[derive(Debug)]
struct Hidden {
    until: Duration,
    old: Option<Stored>,
}

fn place(partition: &Bytes, row: &RowKey) -> Place {
    (partition_hash(partition), partition.len(), partition.clone(), row.clone())
}

impl Lag {
    /// Indexes that lag by `delay`; `None` for no lag, which costs nothing.
    pub(crate) fn new(delay: Duration) -> Option<Lag> {
        (!delay.is_zero()).then(|| Lag { delay, hidden: Mutex::default() })
    }

    /// Hides a change of an entry for the time of the lag; `old` is what readers are shown meanwhile.
    pub(crate) fn hide(&self, env: &Env, address: &Address, old: Option<Stored>) {
        let now = env.clock.monotonic();
        let mut hidden = self.hidden.lock();
        let changes = hidden.entry(address.space).or_default();
        changes.retain(|_, changes| {
            changes.retain(|change| change.until > now);
            !changes.is_empty()
        });
        let at = place(&address.partition, &address.row);
        changes.entry(at).or_default().push_back(Hidden { until: now + self.delay, old });
    }

    /// Rows of an index as readers are shown them: `rows` are what is stored, in the order of the sweep, and `within` tells
    /// whether a place belongs to the part of the index that they are all stored rows of.
    pub(crate) fn show(
        &self,
        env: &Env,
        space: Space,
        rows: Vec<Swept>,
        within: impl Fn(&Bytes, &RowKey) -> bool,
    ) -> Vec<Swept> {
        let now = env.clock.monotonic();
        let hidden = self.hidden.lock();
        let Some(changes) = hidden.get(&space) else { return rows };
        let mut shown: BTreeMap<Place, Stored> =
            rows.into_iter().map(|(partition, row, stored)| (place(&partition, &row), stored)).collect();
        for (at, changes) in changes {
            let Some(change) = changes.iter().find(|change| change.until > now) else { continue };
            if !within(&at.2, &at.3) {
                continue;
            }
            match &change.old {
                Some(old) => shown.insert(at.clone(), old.clone()),
                None => shown.remove(at),
            };
        }
        shown.into_iter().map(|((_, _, partition, row), stored)| (partition, row, stored)).collect()
    }
}

#[cfg(test)]
mod tests {
    use hashrange_env::Simulation;
    use hashrange_store::Stamp;

    use super::*;

    fn stored(text: &'static str) -> Stored {
        Stored { stamp: Stamp(1), value: Bytes::from_static(text.as_bytes()) }
    }

    fn address(sort: &'static str) -> Address {
        let row = RowKey { kind: 0, sort: Bytes::from_static(sort.as_bytes()) };
        Address { space: Space(2000), partition: Bytes::from_static(b"p"), row }
    }

    fn shown(lag: &Lag, env: &Env, rows: &[(&'static str, &'static str)]) -> Vec<String> {
        let rows = rows.iter().map(|(sort, value)| {
            let address = address(sort);
            (address.partition, address.row, stored(value))
        });
        let shown = lag.show(env, Space(2000), rows.collect(), |_, _| true);
        shown.iter().map(|(_, _, stored)| String::from_utf8_lossy(&stored.value).into_owned()).collect()
    }

    #[test]
    fn readers_are_shown_the_old_entry_until_the_lag_is_over() {
        let (env, simulation) = Simulation::new(1);
        let lag = Lag::new(Duration::from_secs(2)).expect("a lag of two seconds is one");
        lag.hide(&env, &address("new"), None);
        lag.hide(&env, &address("gone"), Some(stored("was")));
        assert_eq!(shown(&lag, &env, &[("kept", "kept"), ("new", "new")]), ["was", "kept"]);
        simulation.advance(Duration::from_secs(2));
        assert_eq!(shown(&lag, &env, &[("kept", "kept"), ("new", "new")]), ["kept", "new"]);
    }

    #[test]
    fn no_lag_is_no_lag() {
        assert!(Lag::new(Duration::ZERO).is_none());
    }
}
