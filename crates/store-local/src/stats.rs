//! What the store tells about itself. The writer counts; nothing on the way of a read or a commit does.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use hashrange_store::{Distribution, Histogram};

use crate::shared::{Phase, Request, Shared};

const US: u64 = 1000;
const MS: u64 = 1000 * US;
/// Upper bounds of times, in nanoseconds: from a write into a disk's memory to a disk that fails.
const SYNC_BOUNDS: [u64; 12] = [
    50 * US,
    100 * US,
    250 * US,
    500 * US,
    MS,
    2 * MS,
    5 * MS,
    10 * MS,
    25 * MS,
    100 * MS,
    1000 * MS,
    10_000 * MS,
];
/// Upper bounds of group sizes.
const GROUP_BOUNDS: [u64; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// The writer's counts.
#[derive(Debug)]
pub(crate) struct Measures {
    commits: AtomicU64,
    groups: Histogram<10>,
    syncs: Histogram<12>,
}

impl Default for Measures {
    fn default() -> Measures {
        Measures {
            commits: AtomicU64::new(0),
            groups: Histogram::new(&GROUP_BOUNDS),
            syncs: Histogram::new(&SYNC_BOUNDS),
        }
    }
}

impl Measures {
    /// A group is durable.
    pub(crate) fn group(&self, group: &[Request]) {
        let commits = group.iter().filter(|request| request.id.is_some()).count();
        self.commits.fetch_add(commits as u64, Relaxed);
        self.groups.record(group.len() as u64);
    }

    /// A batch was written to the journal and synced in that time.
    pub(crate) fn synced(&self, took: Duration) {
        self.syncs.record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }
}

/// What a store has done since it was opened, and what it holds now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Whether writes are taken: not after a failed write or sync, nor after the store was closed.
    pub writable: bool,
    /// Commits that are durable.
    pub commits: u64,
    /// Sizes of the groups of changes that were synced together.
    pub group_sizes: Distribution,
    /// Nanoseconds that writing and syncing the journal took, for each group.
    pub sync_ns: Distribution,
    /// Changes that wait for the writer.
    pub queued: u64,
    /// Bytes of blocks and pages in the cache.
    pub cache_bytes: u64,
    /// Bytes that the cache may have.
    pub cache_bytes_max: u64,
    /// Bytes of rows in memory that no table file holds yet; the journals hold them.
    pub memtable_bytes: u64,
    /// Bytes of all table files.
    pub table_bytes: u64,
    /// Merges of table files that have ended.
    pub compactions: u64,
    /// The time that they took.
    pub compaction_time: Duration,
}

impl Shared {
    /// Commits that are durable.
    pub(crate) fn commits(&self) -> u64 {
        self.measures.commits.load(Relaxed)
    }

    pub(crate) fn stats(&self) -> Stats {
        let (writable, queued) = {
            let queue = self.queue.lock();
            (matches!(queue.phase, Phase::Open), queue.waiting.len() as u64)
        };
        let (compactions, compaction_time) = self.tree.compactions();
        Stats {
            writable,
            commits: self.commits(),
            group_sizes: self.measures.groups.read(),
            sync_ns: self.measures.syncs.read(),
            queued,
            cache_bytes: self.tree.cache_bytes() + self.pages.bytes(),
            cache_bytes_max: self.tree.cache_bytes_max() + self.pages.bytes_max(),
            memtable_bytes: self.tree.memtable_bytes(),
            table_bytes: self.tree.table_bytes(),
            compactions,
            compaction_time,
        }
    }
}
