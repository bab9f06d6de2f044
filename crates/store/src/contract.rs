//! The types and the trait of the contract.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;

/// A table, an index or a system keyspace. Ids are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(pub u64);

impl Space {
    /// The catalogue of tables.
    pub const CATALOG: Space = Space(0);
    /// Running totals, kept by the engine itself from the [`Tally`]s of commits; see [`Address::tally`].
    pub const TALLIES: Space = Space(1);
    /// What is remembered of transactions that came with a client's token.
    pub const TOKENS: Space = Space(2);
    /// Transactions over several partitions on engines that commit one at a time; see
    /// [`Transactional`](crate::Transactional).
    pub const LEDGER: Space = Space(3);
    /// The first id that the catalogue may hand out.
    pub const FIRST_USER: Space = Space(1024);
}

/// One row's place within its partition: rows of a partition are ordered by `(kind, sort)`, bytewise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey {
    /// What sort of row it is (item, local index entry, collection size, ...); the engine above numbers them. Kinds from
    /// 254 on belong to [`Transactional`](crate::Transactional).
    pub kind: u8,
    /// Order-preserving bytes of the sort key; empty where there is none. At most 8,192 bytes.
    pub sort: Bytes,
}

/// One row's full address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The table, index or system keyspace.
    pub space: Space,
    /// Encoded partition-key value. At most 8,192 bytes.
    pub partition: Bytes,
    /// The row within the partition.
    pub row: RowKey,
}

impl Address {
    /// Where the running total of `space` and `kind` is read with [`Store::get`]. Its value is 16 bytes:
    /// rows (signed, big-endian, 8 bytes), then bytes (the same).
    pub fn tally(space: Space, kind: u8) -> Address {
        let mut partition = space.0.to_be_bytes().to_vec();
        partition.push(kind);
        Address {
            space: Space::TALLIES,
            partition: partition.into(),
            row: RowKey { kind: 0, sort: Bytes::new() },
        }
    }
}

/// A hybrid logical clock value: 48 bits of milliseconds, then 16 bits of counter. It is at once the
/// version of a row, the last-writer-wins key and the stream sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(pub u64);

/// A row as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Version of the row.
    pub stamp: Stamp,
    /// Its bytes, opaque to the store. At most 4 MiB: an item of 400 KB as JSON, at its worst, takes three.
    pub value: Bytes,
}

/// How far a commit's expectation may trust an earlier read: an opaque position in the engine's commit
/// order. `ReadMark::NONE` trusts nothing: the engine then compares stamps itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadMark(pub u64);

impl ReadMark {
    /// Knows nothing of any read.
    pub const NONE: ReadMark = ReadMark(0);
}

/// The answer to reading one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The row, where it exists.
    pub row: Option<Stored>,
    /// When it was read, to be handed back in [`Expect::seen`].
    pub mark: ReadMark,
    /// False where the state read is still on its way to the disk ([`Freshness::Newest`] only): nothing may be
    /// told to a client from it before a commit that expects it has been applied.
    pub durable: bool,
}

/// What a read may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The last state that a crash cannot take back.
    Strong,
    /// Any recent durable state.
    Any,
    /// For writers only: the newest queued state, which may not be on disk yet (see [`Found::durable`]).
    /// Ranges, sweeps and running totals are answered as if `Strong` were asked.
    Newest,
}

/// A row's expected version at commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// Which row of the part's partition.
    pub row: RowKey,
    /// Its stamp, or `None`: there must be no such row.
    pub stamp: Option<Stamp>,
    /// The mark of the read that this expectation comes from.
    pub seen: ReadMark,
}

/// One change of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Write the row with this stamp, whatever was there.
    Put {
        /// Which row of the part's partition.
        row: RowKey,
        /// Its new version and bytes.
        stored: Stored,
    },
    /// Remove the row; removing a row that is not there is no error.
    Delete {
        /// Which row of the part's partition.
        row: RowKey,
    },
}

/// A change of a running total, applied exactly if its commit is: `ItemCount` and `TableSizeBytes` are such
/// totals. Adding is commutative, so totals are no bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Whose total.
    pub space: Space,
    /// Which of its totals.
    pub kind: u8,
    /// Change of the number of rows.
    pub rows: i64,
    /// Change of the number of bytes.
    pub bytes: i64,
}

/// The part of a commit that concerns one partition of one space. All of it applies or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The table, index or system keyspace.
    pub space: Space,
    /// Encoded partition-key value.
    pub partition: Bytes,
    /// Rows that must have these versions.
    pub expects: Vec<Expect>,
    /// Rows to write and delete.
    pub writes: Vec<Write>,
    /// A record for the space's change log; it exists if and only if the commit applied.
    pub log: Option<Bytes>,
    /// Changes of running totals.
    pub tallies: Vec<Tally>,
}

/// Names a commit, so that an unknown outcome can be settled. Drawn at random by the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommitId(pub u128);

/// How a commit ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every part is applied and durable.
    Applied,
    /// Nothing is applied, because this row was not as expected.
    Refused {
        /// The first row that was not as expected.
        row: Address,
        /// What it is now: the newest state, perhaps not durable yet.
        current: Found,
    },
    /// The engine cannot tell; [`Store::resolve`] will.
    Unknown,
}

/// What became of a commit whose outcome was unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It applied.
    Applied,
    /// It did not apply and never will.
    NotApplied,
    /// The engine no longer knows.
    Forgotten,
}

/// A bound of a range of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// From or to this row, itself included.
    Included(RowKey),
    /// From or to this row, itself excluded.
    Excluded(RowKey),
    /// To the end of the partition.
    Unbounded,
}

/// In which order a range is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ascending row keys.
    Forward,
    /// Descending row keys.
    Backward,
}

/// How much one read may return: it ends after the row that reaches either limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimit {
    /// Number of rows, at least 1.
    pub rows: usize,
    /// Number of value bytes, at least 1; the row that crosses the limit is included.
    pub bytes: usize,
}

/// A range read within one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeRead {
    /// The table, index or system keyspace.
    pub space: Space,
    /// Encoded partition-key value.
    pub partition: Bytes,
    /// Lower bound, whatever the direction.
    pub lower: Bound,
    /// Upper bound, whatever the direction.
    pub upper: Bound,
    /// Order of the answer.
    pub direction: Direction,
    /// How much to return.
    pub limit: PageLimit,
    /// What it may see.
    pub freshness: Freshness,
}

/// Rows of a range, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangePage {
    /// The rows.
    pub rows: Rows,
    /// Whether the page ended at its limit, so that more rows may follow.
    pub more: bool,
}

/// Rows of one partition, which an engine may go on holding: a copy of them all takes no time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows(Arc<Vec<(RowKey, Stored)>>);

impl Rows {
    /// The rows without their keys. None is copied where nobody else holds them.
    pub fn into_stored(self) -> IntoStored {
        match Arc::try_unwrap(self.0) {
            Ok(rows) => IntoStored::Owned(rows.into_iter()),
            Err(rows) => IntoStored::Shared(rows, 0),
        }
    }
}

impl From<Vec<(RowKey, Stored)>> for Rows {
    fn from(rows: Vec<(RowKey, Stored)>) -> Rows {
        Rows(Arc::new(rows))
    }
}

impl FromIterator<(RowKey, Stored)> for Rows {
    fn from_iter<I: IntoIterator<Item = (RowKey, Stored)>>(rows: I) -> Rows {
        Rows::from(Vec::from_iter(rows))
    }
}

impl Deref for Rows {
    type Target = [(RowKey, Stored)];

    fn deref(&self) -> &[(RowKey, Stored)] {
        &self.0
    }
}

/// Rows without their keys, in order; see [`Rows::into_stored`].
#[derive(Debug)]
pub enum IntoStored {
    /// Nobody else holds them.
    Owned(std::vec::IntoIter<(RowKey, Stored)>),
    /// Somebody does; and which one comes next.
    Shared(Arc<Vec<(RowKey, Stored)>>, usize),
}

impl Iterator for IntoStored {
    type Item = Stored;

    fn next(&mut self) -> Option<Stored> {
        match self {
            IntoStored::Owned(rows) => rows.next().map(|(_, stored)| stored),
            IntoStored::Shared(rows, at) => {
                let (_, stored) = rows.get(*at)?;
                *at += 1;
                Some(stored.clone())
            }
        }
    }
}

/// A read of a whole space in hash order of its partitions: segment `segment` of `segments` equal slices of
/// the hash ring, rows of one kind only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepRead {
    /// The table, index or system keyspace.
    pub space: Space,
    /// The kind of row wanted; others are passed over.
    pub kind: u8,
    /// Which slice, from 0.
    pub segment: u32,
    /// How many slices, at least 1.
    pub segments: u32,
    /// Continue after this row (partition and row of the last row of the page before); it need not exist any more.
    pub after: Option<(Bytes, RowKey)>,
    /// How much to return.
    pub limit: PageLimit,
    /// What it may see.
    pub freshness: Freshness,
}

/// Rows of a sweep: ascending by (partition hash, partition length, partition, row key).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepPage {
    /// Partition, row key and row.
    pub rows: Vec<(Bytes, RowKey, Stored)>,
    /// Whether the page ended at its limit, so that more rows may follow.
    pub more: bool,
}

/// The place of a partition on the hash ring; it orders a sweep. The function never changes (it is on disk).
pub fn partition_hash(partition: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(partition)
}

/// Which of `segments` equal slices of the hash ring holds `hash`.
pub fn segment_of(hash: u64, segments: u32) -> u32 {
    let slice = (u128::from(hash) * u128::from(segments)) >> 64;
    u32::try_from(slice).expect("a hash below 2^64 times segments, shifted down by 64, is below segments")
}

/// The smallest hash of slice `segment` of `segments`; 2^64 for the slice after the last.
pub fn segment_start(segment: u32, segments: u32) -> u128 {
    (u128::from(segment) << 64).div_ceil(u128::from(segments.max(1)))
}

/// A blind write by last-writer-wins: applied only where the stored stamp is smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LwwWrite {
    /// The row.
    pub address: Address,
    /// Its version.
    pub stamp: Stamp,
    /// Its bytes, or `None` to delete it.
    pub value: Option<Bytes>,
}

/// A position in a space's change log; ascending, with gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogPosition(pub u64);

/// One record of a change log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Where it stands.
    pub position: LogPosition,
    /// What the commit's part carried.
    pub payload: Bytes,
}

/// A request for a lease: a named right that one holder has until it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseRequest {
    /// What is leased.
    pub name: String,
    /// Who asks.
    pub holder: String,
    /// How long it holds if granted; zero gives it back.
    pub duration: Duration,
}

/// What an engine can do beyond the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Several parts of one commit apply all or none.
    pub multi_part_commits: bool,
    /// An applied commit survives the death of the process and of the machine.
    pub durable: bool,
}

/// Why the engine below failed. None of these is a client's mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The disk or the engine failed; the store takes no more writes until it is reopened.
    Failed(Arc<str>),
    /// Stored bytes are damaged.
    Corrupt(Arc<str>),
    /// The store is closing.
    Closed,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Failed(why) => write!(f, "the storage engine failed: {why}"),
            StoreError::Corrupt(what) => write!(f, "stored data is damaged: {what}"),
            StoreError::Closed => f.write_str("the store is closing"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The result of a store call.
pub type StoreResult<T> = Result<T, StoreError>;

/// The answer of a store: ready at once where the engine is embedded (no allocation), or later.
pub enum Answer<'a, T> {
    /// Known already. Polled once.
    Ready(Option<StoreResult<T>>),
    /// To be awaited.
    Later(Pin<Box<dyn Future<Output = StoreResult<T>> + Send + 'a>>),
}

impl<'a, T> Answer<'a, T> {
    /// An answer that is known already.
    pub fn ready(result: StoreResult<T>) -> Answer<'a, T> {
        Answer::Ready(Some(result))
    }

    /// An answer that comes later.
    pub fn later(future: impl Future<Output = StoreResult<T>> + Send + 'a) -> Answer<'a, T> {
        Answer::Later(Box::pin(future))
    }
}

impl<T> fmt::Debug for Answer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Ready(_) => "Answer::Ready",
            Answer::Later(_) => "Answer::Later",
        })
    }
}

impl<T: Unpin> Future for Answer<'_, T> {
    type Output = StoreResult<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Answer::Ready(result) => Poll::Ready(result.take().expect("an answer is polled once")),
            Answer::Later(future) => future.as_mut().poll(context),
        }
    }
}

/// The engine below.
///
/// Guarantees every engine gives, checked by the contract suite:
/// - a commit is linearisable with every other read and write of its rows;
/// - `Applied` is told only when a crash cannot take the commit back (see [`Capabilities::durable`]);
/// - `Strong` and `Any` reads, ranges, sweeps and the log never show what a crash could take back;
/// - a writer may read the `Newest` queued row and expect its stamp while that commit is still on its way to
///   the disk: such commits are applied in queue order, so one hot row is not limited to one write per fsync;
/// - a commit without writes is a barrier: it is `Applied` once everything that it expects is durable.
pub trait Store: Send + Sync + fmt::Debug {
    /// What this engine can do.
    fn capabilities(&self) -> Capabilities;

    /// Reads one row.
    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found>;

    /// Reads several rows, answered in the order asked; each by itself (no common snapshot), except that rows of one
    /// partition are read at one instant.
    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>>;

    /// Reads rows of one partition in order.
    fn range(&self, range: RangeRead) -> Answer<'_, RangePage>;

    /// Reads rows of a whole space in hash order.
    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage>;

    /// Applies all parts or none (see [`Capabilities::multi_part_commits`]). The order in which commits are
    /// queued is the order in which this function is called, whether or not the answer is awaited.
    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome>;

    /// Settles a commit whose outcome was [`Outcome::Unknown`].
    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution>;

    /// Blind, idempotent, commutative writes by stamp.
    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()>;

    /// Records of a space's change log after a position (from the start: `None`), ascending, at most `limit`.
    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>>;

    /// Drops the records of a space's change log up to and including a position.
    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()>;

    /// Asks for, renews or gives back a lease; true if the asker holds it now.
    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool>;

    /// Drops a space for good: rows, log and totals. Durable when answered; the room is freed in the background.
    /// Later writes to the space are accepted and come to nothing.
    fn forget(&self, space: Space) -> Answer<'_, ()>;
}
