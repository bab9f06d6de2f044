//! The ledger: one row for each transaction that is under way, or was left behind.
//!
//! ```text
//! partition = transaction u128   kind 0   sort empty   value = fate u8 | began u64 | u32 n | n times: space u64 | u32 length | partition
//! ```
//! The fate is 0 for pending, 1 for committed, 2 for aborted; `began` is in milliseconds since the Unix epoch.

use bytes::Bytes;

use super::Transactional;
use super::codec::Reader;
use super::several::Group;
use crate::{
    Address, Expect, Freshness, Outcome, Part, ReadMark, Resolution, RowKey, Space, Stamp, StoreError,
    StoreResult, Stored, Write,
};

/// How often a commit of the engine below is tried again after it got lost.
const LOST_MAX: u32 = 8;

/// Names a transaction. Drawn anew for each attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransactionId(pub(super) u128);

/// What is to become of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its coordinator may still decide.
    Pending,
    /// It happened; what is not applied yet shall be.
    Committed,
    /// It did not happen and never will.
    Aborted,
}

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) transaction: TransactionId,
    pub(super) fate: Fate,
    pub(super) began_ms: u64,
    pub(super) partitions: Vec<(Space, Bytes)>,
    stamp: Stamp,
}

/// How a commit of the engine below ended, as far as can be found out.
#[derive(Debug)]
pub(super) enum Ending {
    /// It is applied.
    Applied,
    /// It is not.
    Refused(Box<(Address, crate::Found)>),
    /// Nobody knows.
    Unknown,
}

/// The kind of the ledger's rows.
pub(super) const KIND: u8 = 0;

fn address(transaction: TransactionId) -> Address {
    let partition = transaction.0.to_be_bytes().to_vec().into();
    Address { space: Space::LEDGER, partition, row: RowKey { kind: KIND, sort: Bytes::new() } }
}

impl Entry {
    /// A transaction that begins.
    pub(super) fn new(transaction: TransactionId, began_ms: u64, stamp: Stamp, groups: &[Group]) -> Entry {
        let partitions = groups.iter().map(|group| (group.space, group.partition.clone())).collect();
        Entry { transaction, fate: Fate::Pending, began_ms, partitions, stamp }
    }

    /// Reads a row.
    pub(super) fn decode(partition: &Bytes, stored: &Stored) -> StoreResult<Entry> {
        let transaction = TransactionId(u128::from_be_bytes(Reader(partition.clone()).array()?));
        let mut reader = Reader(stored.value.clone());
        let fate = match reader.byte()? {
            0 => Fate::Pending,
            1 => Fate::Committed,
            2 => Fate::Aborted,
            _ => return Err(StoreError::Corrupt("a transaction has an unknown fate".into())),
        };
        let began_ms = reader.number()?;
        let mut partitions = Vec::new();
        for _ in 0..reader.count()? {
            partitions.push((Space(reader.number()?), reader.bytes()?));
        }
        Ok(Entry { transaction, fate, began_ms, partitions, stamp: stored.stamp })
    }

    fn encode(&self) -> Bytes {
        let fate = match self.fate {
            Fate::Pending => 0,
            Fate::Committed => 1,
            Fate::Aborted => 2,
        };
        let length =
            |length: usize| u32::try_from(length).expect("a commit is far below 4 GiB").to_be_bytes();
        let mut value = vec![fate];
        value.extend_from_slice(&self.began_ms.to_be_bytes());
        value.extend_from_slice(&length(self.partitions.len()));
        for (space, partition) in &self.partitions {
            value.extend_from_slice(&space.0.to_be_bytes());
            value.extend_from_slice(&length(partition.len()));
            value.extend_from_slice(partition);
        }
        value.into()
    }

    /// The commit that writes this row in the place of the one with the stamp `before`.
    fn written(&self, before: Option<Stamp>) -> Vec<Part> {
        let mut part = part(self.transaction);
        let row = address(self.transaction).row;
        part.expects.push(Expect { row: row.clone(), stamp: before, seen: ReadMark::NONE });
        part.writes.push(Write::Put { row, stored: Stored { stamp: self.stamp, value: self.encode() } });
        vec![part]
    }
}

fn part(transaction: TransactionId) -> Part {
    let at = address(transaction);
    Part {
        space: at.space,
        partition: at.partition,
        expects: Vec::new(),
        writes: Vec::new(),
        log: None,
        tallies: Vec::new(),
    }
}

impl Transactional {
    /// Has the engine below make a commit within one partition, and finds out how it ended.
    pub(super) async fn make(&self, parts: Vec<Part>) -> StoreResult<Ending> {
        for _ in 0..LOST_MAX {
            let id = self.commit_id();
            match self.inner.commit(id, parts.clone()).await? {
                Outcome::Applied => return Ok(Ending::Applied),
                Outcome::Refused { row, current } => return Ok(Ending::Refused(Box::new((row, current)))),
                Outcome::Unknown => {}
            }
            match self.inner.resolve(id).await? {
                Resolution::Applied => return Ok(Ending::Applied),
                Resolution::NotApplied => {}
                Resolution::Forgotten => return Ok(Ending::Unknown),
            }
        }
        Ok(Ending::Unknown)
    }

    /// What the ledger says of a transaction; `None` where it says nothing any more.
    pub(super) async fn entry(&self, transaction: TransactionId) -> StoreResult<Option<Entry>> {
        let at = address(transaction);
        let found = self.inner.get(&at, Freshness::Strong).await?;
        found.row.map(|stored| Entry::decode(&at.partition, &stored)).transpose()
    }

    /// Notes that a transaction begins.
    pub(super) async fn note(&self, entry: &Entry) -> StoreResult<Ending> {
        self.make(entry.written(None)).await
    }

    /// Decides over a pending transaction: its fate from here on, `None` where it is struck without having happened.
    pub(super) async fn decide(&self, pending: &Entry, fate: Fate) -> StoreResult<Option<Fate>> {
        let mut lost = false;
        let after = if fate == Fate::Committed { 1 } else { 2 };
        let decided = Entry { fate, stamp: Stamp(pending.stamp.0 + after), ..pending.clone() };
        loop {
            match self.make(decided.written(Some(pending.stamp))).await? {
                Ending::Applied => return Ok(Some(fate)),
                // Whoever decided may not have his decision on the disk yet.
                Ending::Refused(_) => self.wait_for_disk(&address(pending.transaction)).await?,
                Ending::Unknown => lost = true,
            }
            match self.entry(pending.transaction).await?.map(|entry| entry.fate) {
                Some(Fate::Pending) => {}
                // It may have been decided as was asked, and then ended and struck by others.
                None if lost => return Err(StoreError::Failed("a decision got lost".into())),
                fate => return Ok(fate),
            }
        }
    }

    /// Forgets a transaction none of whose locks is left.
    pub(super) async fn strike(&self, transaction: TransactionId) -> StoreResult<()> {
        let mut part = part(transaction);
        part.writes.push(Write::Delete { row: address(transaction).row });
        self.make(vec![part]).await.map(|_| ())
    }
}
