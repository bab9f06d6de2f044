//! What callers and the writer thread share: the queue, the overlay of rows on their way to the disk, and
//! the last published instant.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use bytes::{Buf, Bytes};
use fjall::{UserKey, UserValue};
use foldhash::fast::RandomState;
use futures_channel::oneshot;
use hashrange_env::Env;
use hashrange_store::{
    Address, CommitId, Found, Freshness, ReadMark, Resolution, Space, Stamp, StoreError, StoreResult, Stored,
    Tally,
};
use parking_lot::{Condvar, Mutex};
use xxhash_rust::xxh3::xxh3_64;

use crate::folder::Folder;
use crate::gaps::Gaps;
use crate::hot::HotRows;
use crate::instant::Instant;
use crate::keys;
use crate::learn::{Claims, Rules};
use crate::pages::Pages;
use crate::stats::Measures;
use crate::tree::{Op, Table, Tree};

/// Slots of the table of last touches. A collision costs a comparison, never a wrong answer.
pub(crate) const SLOTS: usize = 1 << 16;
/// How many ended commits [`hashrange_store::Store::resolve`] remembers.
const REMEMBERED_COMMITS: usize = 4096;
/// Bytes of keys and values of published rows that stay in the overlay: whoever writes a row again soon, reads it there.
const RECENT_BYTES_MAX: usize = 4 << 20;
/// What a row there takes besides.
const RECENT_BYTES_EACH: usize = 128;

/// Shared by the store's face and its writer thread.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) tree: Tree,
    pub(crate) pages: Pages,
    pub(crate) queue: Mutex<Queue>,
    /// Wakes the writer.
    pub(crate) wake: Condvar,
    pub(crate) published: ArcSwap<Published>,
    /// Per slot of row addresses: the sequence number of the last queued commit that writes one of them.
    pub(crate) touched: Box<[AtomicU64]>,
    pub(crate) hot: HotRows,
    pub(crate) rules: Rules,
    pub(crate) claims: Claims,
    pub(crate) leases: Mutex<BTreeMap<String, (String, Duration)>>,
    /// Per space, up to where its log was trimmed since the start: where the removed records need not be walked over.
    pub(crate) trimmed: Mutex<HashMap<Space, u64>>,
    pub(crate) closed: AtomicBool,
    pub(crate) measures: Measures,
    pub(crate) env: Env,
    /// Last, so that the folder is unlocked after the trees are closed.
    pub(crate) folder: Folder,
}

/// A durable instant: what `Strong` and `Any` reads see.
pub(crate) struct Published {
    pub(crate) instant: Instant,
    /// Sequence number of the last commit in it.
    pub(crate) sequence: u64,
    pub(crate) forgotten: Arc<BTreeSet<Space>>,
    /// True for this snapshot.
    pub(crate) gaps: Arc<Gaps>,
}

impl std::fmt::Debug for Published {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Published").field("sequence", &self.sequence).finish_non_exhaustive()
    }
}

/// Commits on their way to the disk.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub(crate) waiting: VecDeque<Request>,
    /// Sequence number of the last commit that was queued.
    pub(crate) last_sequence: u64,
    /// The newest state of each row that a queued commit writes, and of those that were written last.
    overlay: HashMap<Box<[u8]>, Pending, RandomState>,
    /// The published rows in the overlay in the order of their commits, each with its number and bytes. Where a row was
    /// written again since, the number in the overlay is greater.
    recent: VecDeque<(UserKey, u64, usize)>,
    recent_bytes: usize,
    /// Spaces that are forgotten or about to be: writes to them come to nothing.
    pub(crate) forgotten: BTreeSet<Space>,
    pub(crate) phase: Phase,
    /// The writer sleeps and must be woken.
    pub(crate) parked: bool,
    /// What the writer is asked to do once it has nothing to write.
    pub(crate) renewal: Option<Renewal>,
    ended: HashMap<CommitId, Resolution, RandomState>,
    ended_order: VecDeque<CommitId>,
}

/// Whether commits are taken.
#[derive(Clone, Debug, Default)]
pub(crate) enum Phase {
    #[default]
    Open,
    Closing,
    Failed(Arc<str>),
}

/// Work of the writer after the engine has changed its table files by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Renewal {
    /// The last state is published once more: where its rows lay could not be told the first time.
    Sources,
    /// The same, because readers of the old instant look into the old files; and nobody writes.
    Publish,
    /// Besides, the old files are let go of.
    LetGo,
}

/// The newest state of a row.
#[derive(Debug)]
struct Pending {
    sequence: u64,
    row: Option<Stored>,
}

impl Pending {
    fn bytes(&self, key: &UserKey) -> usize {
        key.len() + self.row.as_ref().map_or(0, |row| row.value.len()) + RECENT_BYTES_EACH
    }
}

/// What the overlay knows of a row.
#[derive(Clone, Debug)]
enum Overlaid {
    /// Its newest state, of the commit with this number.
    Here(Option<Stored>, u64),
    /// Its newest state is the durable one.
    Elsewhere,
}

/// One queued commit.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) sequence: u64,
    pub(crate) id: Option<CommitId>,
    pub(crate) ops: Vec<Op>,
    pub(crate) tallies: Vec<Tally>,
    pub(crate) forget: Option<Space>,
    /// Told true when all of it is durable, false when nobody knows.
    pub(crate) reply: oneshot::Sender<bool>,
}

/// A row to read: its key, and what decides whether it is hidden.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowAt<'a> {
    pub(crate) space: Space,
    pub(crate) partition: &'a [u8],
    pub(crate) key: &'a [u8],
}

impl<'a> RowAt<'a> {
    /// The row at an address whose key is known.
    pub(crate) fn new(at: &'a Address, key: &'a [u8]) -> RowAt<'a> {
        RowAt { space: at.space, partition: &at.partition, key }
    }
}

/// The slot of a row key in the table of last touches.
pub(crate) fn slot_of(key: &[u8]) -> usize {
    usize::try_from(xxh3_64(key) % SLOTS as u64).expect("a remainder of SLOTS fits")
}

/// Bytes of the stamp before a row's bytes.
pub(crate) const STAMP_BYTES: usize = 8;

/// Puts a row's stored form together.
pub(crate) fn encode_stored(stored: &Stored) -> Vec<u8> {
    let mut value = Vec::with_capacity(stored_length(stored) + keys::SHARED);
    append_stored(&mut value, stored);
    value
}

/// Appends a row's stored form: `stamp u64 | bytes`.
pub(crate) fn append_stored(out: &mut Vec<u8>, stored: &Stored) {
    out.extend_from_slice(&stored.stamp.0.to_be_bytes());
    out.extend_from_slice(&stored.value);
}

/// How many bytes a row's stored form takes.
pub(crate) fn stored_length(stored: &Stored) -> usize {
    STAMP_BYTES + stored.value.len()
}

/// Takes a row's stored form apart. The bytes are shared with the engine's memtable or cache block, which they keep
/// alive: readers let go of them with their answer.
pub(crate) fn decode_stored(value: UserValue) -> StoreResult<Stored> {
    let mut value = Bytes::from(value);
    let stamp =
        value.try_get_u64().map_err(|_| StoreError::Corrupt("a row is shorter than its stamp".into()))?;
    Ok(Stored { stamp: Stamp(stamp), value })
}

impl Published {
    /// Whether a row of this space and partition is hidden because its space was forgotten.
    pub(crate) fn hides(&self, space: Space, partition: &[u8]) -> bool {
        hides(&self.forgotten, space, partition)
    }
}

fn hides(forgotten: &BTreeSet<Space>, space: Space, partition: &[u8]) -> bool {
    if forgotten.is_empty() {
        return false;
    }
    let owner = if space == Space::TALLIES { keys::tallied_space(partition) } else { Some(space) };
    owner.is_some_and(|owner| forgotten.contains(&owner))
}

impl Queue {
    /// An empty queue that goes on after this sequence number.
    pub(crate) fn after(last_sequence: u64, forgotten: BTreeSet<Space>) -> Queue {
        Queue { last_sequence, forgotten, ..Queue::default() }
    }

    /// Why no commit is taken now, if so.
    pub(crate) fn refusal(&self) -> Option<StoreError> {
        match &self.phase {
            Phase::Open => None,
            Phase::Closing => Some(StoreError::Closed),
            Phase::Failed(why) => Some(StoreError::Failed(Arc::clone(why))),
        }
    }

    /// The overlay's word on a row.
    fn newest(&self, at: &RowAt<'_>) -> Overlaid {
        if hides(&self.forgotten, at.space, at.partition) {
            return Overlaid::Here(None, self.last_sequence);
        }
        let here = |pending: &Pending| Overlaid::Here(pending.row.clone(), pending.sequence);
        self.overlay.get(at.key).map_or(Overlaid::Elsewhere, here)
    }

    /// The number of the commit that has written the row last, if the overlay knows it.
    pub(crate) fn written_by(&self, key: &[u8]) -> Option<u64> {
        self.overlay.get(key).map(|pending| pending.sequence)
    }

    /// Shows the state that a queued commit gives a row.
    pub(crate) fn overlay(&mut self, key: &[u8], sequence: u64, row: Option<Stored>) {
        let pending = Pending { sequence, row };
        if let Some(before) = self.overlay.get_mut(key) {
            *before = pending;
        } else {
            // A copy: the key itself would keep the row in memory that it was first written with.
            self.overlay.insert(key.into(), pending);
        }
    }

    /// Rows that were written up to a commit are published: those that were written long ago leave the overlay.
    pub(crate) fn retire(&mut self, written: Vec<UserKey>, last: u64) {
        for key in written {
            if let Some(pending) = self.overlay.get(&key[..])
                && pending.sequence <= last
            {
                let bytes = pending.bytes(&key);
                self.recent_bytes += bytes;
                self.recent.push_back((key, pending.sequence, bytes));
            }
        }
        self.keep_recent(RECENT_BYTES_MAX);
    }

    /// Drops published rows from the overlay, the oldest first, until they take no more than so many bytes.
    pub(crate) fn keep_recent(&mut self, bytes_max: usize) {
        while self.recent_bytes > bytes_max
            && let Some((key, sequence, bytes)) = self.recent.pop_front()
        {
            self.recent_bytes -= bytes;
            if self.written_by(&key) == Some(sequence) {
                self.overlay.remove(&key[..]);
            }
        }
    }

    /// Keeps a commit's end for a while.
    pub(crate) fn remember(&mut self, id: CommitId, resolution: Resolution) {
        self.ended.insert(id, resolution);
        self.ended_order.push_back(id);
        if self.ended_order.len() > REMEMBERED_COMMITS
            && let Some(oldest) = self.ended_order.pop_front()
        {
            self.ended.remove(&oldest);
        }
    }

    /// How a commit ended, if that is still known.
    pub(crate) fn ended(&self, id: CommitId) -> Resolution {
        self.ended.get(&id).copied().unwrap_or(Resolution::Forgotten)
    }
}

impl Shared {
    /// Asks the writer for a renewal.
    pub(crate) fn renew(&self, renewal: Renewal) {
        let mut queue = self.queue.lock();
        // The greater one does what the other would do.
        queue.renewal = queue.renewal.max(Some(renewal));
        if std::mem::take(&mut queue.parked) {
            self.wake.notify_one();
        }
    }

    /// Has the instant published once more that was published while a memtable was being written out, if it is now:
    /// ranges of our own are cheaper than the engine's.
    pub(crate) fn look_for_sources(&self, published: &Published) {
        if published.instant.sources.is_none() && self.tree.is_written_out() {
            self.renew(Renewal::Sources);
        }
    }

    /// The last durable instant.
    pub(crate) fn published(&self) -> Guard<Arc<Published>> {
        self.published.load()
    }

    /// Whether the row in this slot may have been written after the read with this mark.
    pub(crate) fn touched_since(&self, slot: usize, seen: ReadMark) -> bool {
        seen == ReadMark::NONE || self.touched[slot].load(Ordering::Acquire) > seen.0
    }

    /// Reads one row.
    pub(crate) fn read(&self, at: &RowAt<'_>, freshness: Freshness) -> StoreResult<Found> {
        if freshness == Freshness::Newest {
            let (pending, mark, published) = {
                let queue = self.queue.lock();
                (queue.newest(at), ReadMark(queue.last_sequence), self.published())
            };
            return self.complete(pending, mark, &published, at);
        }
        let published = self.published();
        self.complete(Overlaid::Elsewhere, ReadMark(published.sequence), &published, at)
    }

    /// Reads the newest state for a caller who has the queue locked.
    pub(crate) fn read_locked(&self, queue: &Queue, at: &RowAt<'_>) -> StoreResult<Found> {
        self.complete(queue.newest(at), ReadMark(queue.last_sequence), &self.published(), at)
    }

    /// Reads several rows at one instant.
    pub(crate) fn read_many(&self, at: &[Address], freshness: Freshness) -> StoreResult<Vec<Found>> {
        let keys: Vec<_> = at.iter().map(keys::at).collect();
        let rows: Vec<_> = at.iter().zip(&keys).map(|(at, key)| RowAt::new(at, key)).collect();
        let (pending, mark, published) = if freshness == Freshness::Newest {
            // Queue and published instant together are the newest state only while the queue is locked.
            let queue = self.queue.lock();
            let pending = rows.iter().map(|at| queue.newest(at)).collect();
            (pending, ReadMark(queue.last_sequence), self.published())
        } else {
            let published = self.published();
            (vec![Overlaid::Elsewhere; rows.len()], ReadMark(published.sequence), published)
        };
        let found = rows.iter().zip(pending);
        found.map(|(at, pending)| self.complete(pending, mark, &published, at)).collect()
    }

    /// The answer from the overlay's entry, or else from the durable instant.
    fn complete(
        &self,
        pending: Overlaid,
        mark: ReadMark,
        published: &Published,
        at: &RowAt<'_>,
    ) -> StoreResult<Found> {
        if let Overlaid::Here(row, sequence) = pending {
            return Ok(Found { row, mark, durable: sequence <= published.sequence });
        }
        if published.hides(at.space, at.partition) {
            return Ok(Found { row: None, mark, durable: true });
        }
        let value = self.tree.get(&published.instant, Table::Rows, at.key)?;
        let row = value.map(decode_stored).transpose()?;
        Ok(Found { row, mark, durable: true })
    }
}
