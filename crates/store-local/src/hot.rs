//! Rows that were overwritten so often that a scan must step around them.
//!
//! A memtable keeps every version of a row, and a scan walks over all of them one by one: after 100,000
//! overwrites of one row, a query of its partition costs a hundred times as much. Point reads do not
//! suffer, because they seek. So the writer counts overwrites, and a scan reads the rows named here by
//! point reads and scans the stretches between them.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};

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
}

impl HotRows {
    /// The hot row that a scan of this stretch meets first.
    pub(crate) fn first_in(
        &self,
        lower: &Bound<Vec<u8>>,
        upper: &Bound<Vec<u8>>,
        backward: bool,
    ) -> Option<UserKey> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let edges = (lower.as_ref().map(Vec::as_slice), upper.as_ref().map(Vec::as_slice));
        if is_empty(edges) {
            return None;
        }
        let rows = self.rows.read();
        let mut found = rows.range::<[u8], _>(edges);
        let hit = if backward { found.next_back() } else { found.next() };
        hit.map(|(key, _)| key.clone())
    }

    fn mark(&self, key: &UserKey, memtable: u64) {
        if self.rows.read().get(key) == Some(&memtable) {
            return;
        }
        let mut rows = self.rows.write();
        if rows.len() < HOT_ROWS_MAX || rows.contains_key(key) {
            rows.insert(key.clone(), memtable);
        }
        self.count.store(rows.len(), Ordering::Release);
    }

    fn retire(&self, memtable: u64) {
        let mut rows = self.rows.write();
        rows.retain(|_, last| *last + MEMTABLES_KEPT > memtable);
        self.count.store(rows.len(), Ordering::Release);
    }
}

/// True where the two edges leave no room; asking a tree for such a range would panic.
pub(crate) fn is_empty(edges: (Bound<&[u8]>, Bound<&[u8]>)) -> bool {
    match edges {
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
            low >= high
        }
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
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
    fn a_row_is_hot_after_many_overwrites_and_cools_down_with_the_memtables() {
        let rows = HotRows::default();
        let mut counter = HotCounter::new(4, 1000);
        let all = (Bound::Unbounded, Bound::Unbounded);
        for _ in 1..HOT_VERSIONS {
            counter.wrote(&rows, 1, &key("a"), 1);
        }
        assert_eq!(rows.first_in(&all.0, &all.1, false), None);
        counter.wrote(&rows, 1, &key("a"), 1);
        assert_eq!(rows.first_in(&all.0, &all.1, false), Some(key("a")));
        for _ in 0..MEMTABLES_KEPT {
            counter.wrote(&rows, 2, &key("b"), 1000);
        }
        assert_eq!(rows.first_in(&all.0, &all.1, true), None);
    }

    #[test]
    fn crossed_edges_are_an_empty_stretch() {
        assert!(is_empty((Bound::Excluded(b"a"), Bound::Excluded(b"a"))));
        assert!(is_empty((Bound::Included(b"b"), Bound::Included(b"a"))));
        assert!(!is_empty((Bound::Included(b"a"), Bound::Included(b"a"))));
    }
}
