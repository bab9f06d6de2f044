//! The hybrid logical clock that stamps every version of every row.

use std::sync::atomic::{AtomicU64, Ordering};

use hashrange_env::Env;
use hashrange_store::Stamp;

/// Gives stamps that only grow, within this process and past the version they replace.
#[derive(Debug)]
pub(crate) struct StampClock {
    last: AtomicU64,
}

impl StampClock {
    pub(crate) fn new() -> StampClock {
        StampClock { last: AtomicU64::new(0) }
    }

    /// The next stamp: near the wall clock, greater than every one given before and than `previous`.
    pub(crate) fn next(&self, env: &Env, previous: Option<Stamp>) -> Stamp {
        let now = env.clock.now().0 << 16;
        let floor = now.max(previous.map_or(0, |stamp| stamp.0 + 1));
        let before = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(floor.max(last + 1)))
            .expect("the update function always gives a value");
        Stamp(floor.max(before + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_env::Simulation;

    #[test]
    fn stamps_grow_while_the_clock_stands_still_and_past_the_version_they_replace() {
        let (env, _simulation) = Simulation::new(1);
        let clock = StampClock::new();
        let first = clock.next(&env, None);
        let second = clock.next(&env, None);
        let third = clock.next(&env, Some(Stamp(second.0 + 1000)));
        assert!(first < second);
        assert_eq!(third, Stamp(second.0 + 1001));
        assert!(clock.next(&env, None) > third);
    }
}
