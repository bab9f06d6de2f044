//! Rows that were overwritten so often that a scan of the engine must step around them.
//!
//! A memtable keeps every version of a row, and the engine's scan walks over all of them one by one: after 100,000
//! overwrites of one row, a query of its partition costs a hundred times as much. Point reads do not suffer, because
//! they seek; nor do our own ranges (`merge.rs`), but while a memtable is being written out, ranges are the engine's. So the writer counts overwrites, and a scan reads the rows named here by
//! point reads and scans the stretches between them.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use fjall::UserKey;
use parking_lot::RwLock;

/// Versions in memory from which on stepping around a row is cheaper than walking over it.
const HOT_VERSIONS: u8 = 64;
/// At most this many rows are kept.
const HOT_ROWS_MAX: usize = 4096;
/// A row's versions are in memory for at most this many memtables: the active one and four waiting for their flush.
const MEMTABLES_KEPT: u64 = 5;

/// Hot rows, as readers see them.
#[derive(Debug, Default)]
pub(crate) struct HotRows {
    /// The rows, each with the memtable in which it was last found hot.
    rows: RwLock<BTreeMap<UserKey, u64>>,
    count: AtomicUsize,
    /// The active one.
    memtable: AtomicU64,
}

impl HotRows {
    /// The hot row that a scan of `lower..upper` meets first.
    pub(crate) fn first_in(&self, lower: &[u8], upper: &[u8], backward: bool) -> Option<UserKey> {
        if self.count.load(Ordering::Acquire) == 0 || lower >= upper {
            return None;
        }
        let rows = self.rows.read();
        let mut found = rows.range::<[u8], _>((Bound::Included(lower), Bound::Excluded(upper)));
        let hit = if backward { found.next_back() } else { found.next() };
        hit.map(|(key, _)| key.clone())
    }

    /// A reader found that a scan is slow at this row: its versions may be from before the start.
    pub(crate) fn notice(&self, key: &[u8]) {
        self.mark(&UserKey::from(key), self.memtable.load(Ordering::Acquire));
    }

    fn mark(&self, key: &UserKey, memtable: u64) {
        if self.rows.read().get(key) == Some(&memtable) {
            return;
        }
        let mut rows = self.rows.write();
        if rows.len() < HOT_ROWS_MAX || rows.contains_key(key) {
            // Not the key itself, which would keep its whole row in memory.
            rows.insert(UserKey::from(&key[..]), memtable);
        }
        self.count.store(rows.len(), Ordering::Release);
    }

    fn retire(&self, memtable: u64) {
        self.memtable.store(memtable, Ordering::Release);
        let mut rows = self.rows.write();
        rows.retain(|_, last| *last + MEMTABLES_KEPT > memtable);
        self.count.store(rows.len(), Ordering::Release);
    }
}

/// The writer's side: counts overwrites per slot of a small table.
#[derive(Debug)]
pub(crate) struct HotCounter {
    counts: Box<[u8]>,
    memtable: u64,
    bytes_left: u64,
    memtable_bytes: u64,
}

impl HotCounter {
    /// Counts over memtables of this size, in `slots` slots.
    pub(crate) fn new(slots: usize, memtable_bytes: u64) -> HotCounter {
        let counts = vec![0; slots].into_boxed_slice();
        HotCounter { counts, memtable: 0, bytes_left: memtable_bytes, memtable_bytes }
    }

    /// Counts one write of a row.
    pub(crate) fn wrote(&mut self, rows: &HotRows, slot: usize, key: &UserKey, bytes: usize) {
        let count = &mut self.counts[slot];
        *count = count.saturating_add(1);
        if *count >= HOT_VERSIONS {
            rows.mark(key, self.memtable);
        }
        self.bytes_left = self.bytes_left.saturating_sub(bytes as u64);
        if self.bytes_left == 0 {
            self.next_memtable(rows);
        }
    }

    fn next_memtable(&mut self, rows: &HotRows) {
        self.counts.fill(0);
        self.memtable += 1;
        self.bytes_left = self.memtable_bytes;
        rows.retire(self.memtable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> UserKey {
        UserKey::from(name)
    }

    #[test]
    fn a_row_that_a_reader_found_slow_is_hot_for_as_long() {
        let rows = HotRows::default();
        let mut counter = HotCounter::new(4, 1000);
        counter.wrote(&rows, 2, &key("b"), 1000);
        rows.notice(b"a");
        for _ in 1..MEMTABLES_KEPT {
            counter.wrote(&rows, 2, &key("b"), 1000);
        }
        assert_eq!(rows.first_in(b"", b"z", false), Some(key("a")));
        counter.wrote(&rows, 2, &key("b"), 1000);
        assert_eq!(rows.first_in(b"", b"z", false), None);
    }

    #[test]
    fn a_row_is_hot_after_many_overwrites_and_cools_down_with_the_memtables() {
        let rows = HotRows::default();
        let mut counter = HotCounter::new(4, 1000);
        for _ in 1..HOT_VERSIONS {
            counter.wrote(&rows, 1, &key("a"), 1);
        }
        assert_eq!(rows.first_in(b"", b"z", false), None);
        counter.wrote(&rows, 1, &key("a"), 1);
        assert_eq!(rows.first_in(b"", b"z", false), Some(key("a")));
        for _ in 0..MEMTABLES_KEPT {
            counter.wrote(&rows, 2, &key("b"), 1000);
        }
        assert_eq!(rows.first_in(b"", b"z", true), None);
    }
}
