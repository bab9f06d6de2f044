//! Locks: rows in a partition that hold what a transaction is going to do there.
//!
//! ```text
//! lock    kind 255   sort empty                           value = transaction u128 | chunks u32
//! chunk   kind 254   sort = transaction u128 | chunk u32  value = a piece of the writes, see `codec`
//! ```

use bytes::Bytes;

use super::Transactional;
use super::codec::{self, Reader};
use super::ledger::TransactionId;
use super::several::Group;
use crate::{
    Address, Expect, Found, Freshness, Part, ReadMark, RowKey, Space, Stamp, StoreResult, Stored, Write,
};

const LOCK: u8 = 255;
const CHUNK: u8 = 254;
/// The first of the kinds of rows that belong to locks.
pub(super) const FIRST_KIND: u8 = CHUNK;
/// Bytes of a chunk; rows are limited to a megabyte.
const CHUNK_BYTES: usize = 512 * 1024;

/// A lock as found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lock {
    pub(super) space: Space,
    pub(super) partition: Bytes,
    pub(super) transaction: TransactionId,
    stamp: Stamp,
    chunks: u32,
}

/// Where the lock of a partition is.
pub(super) fn address(space: Space, partition: &Bytes) -> Address {
    Address { space, partition: partition.clone(), row: row() }
}

/// Whether this is where a lock is.
pub(super) fn is_lock(at: &Address) -> bool {
    at.row == row()
}

fn row() -> RowKey {
    RowKey { kind: LOCK, sort: Bytes::new() }
}

fn chunk_row(transaction: TransactionId, chunk: u32) -> RowKey {
    let sort = [&transaction.0.to_be_bytes()[..], &chunk.to_be_bytes()[..]].concat();
    RowKey { kind: CHUNK, sort: sort.into() }
}

/// The parts of one partition, which shall find no lock there.
pub(super) fn guarded(mut parts: Vec<Part>) -> Vec<Part> {
    if let Some(first) = parts.first_mut() {
        first.expects.insert(0, Expect { row: row(), stamp: None, seen: ReadMark::NONE });
    }
    parts
}

impl Lock {
    /// The lock in a row that was found.
    pub(super) fn read(at: &Address, found: &Found) -> StoreResult<Option<Lock>> {
        let Some(stored) = &found.row else { return Ok(None) };
        let mut reader = Reader(stored.value.clone());
        let transaction = TransactionId(u128::from_be_bytes(reader.array()?));
        let chunks = u32::from_be_bytes(reader.array()?);
        let (space, partition) = (at.space, at.partition.clone());
        Ok(Some(Lock { space, partition, transaction, stamp: stored.stamp, chunks }))
    }

    /// A lock on the group's partition, and the commit that puts it there if all is as the group expects.
    pub(super) fn taken(group: &Group, transaction: TransactionId, stamp: Stamp) -> (Lock, Vec<Part>) {
        let mut part = empty(group.space, group.partition.clone());
        part.expects = group.parts.iter().flat_map(|part| part.expects.iter().cloned()).collect();
        let held = Bytes::from(codec::encode(&group.parts));
        let mut chunks = 0;
        for from in (0..held.len()).step_by(CHUNK_BYTES) {
            let value = held.slice(from..held.len().min(from + CHUNK_BYTES));
            let row = chunk_row(transaction, chunks);
            part.writes.push(Write::Put { row, stored: Stored { stamp, value } });
            chunks += 1;
        }
        let value = [&transaction.0.to_be_bytes()[..], &chunks.to_be_bytes()[..]].concat().into();
        part.writes.push(Write::Put { row: row(), stored: Stored { stamp, value } });
        let (space, partition) = (group.space, group.partition.clone());
        (Lock { space, partition, transaction, stamp, chunks }, guarded(vec![part]))
    }

    /// A part that takes this lock away, if it is still there.
    fn removal(&self) -> Part {
        let mut part = empty(self.space, self.partition.clone());
        part.expects.push(Expect { row: row(), stamp: Some(self.stamp), seen: ReadMark::NONE });
        part.writes.push(Write::Delete { row: row() });
        let chunks = (0..self.chunks).map(|chunk| Write::Delete { row: chunk_row(self.transaction, chunk) });
        part.writes.extend(chunks);
        part
    }

    /// The commit that does what the lock holds and takes it away.
    pub(super) fn application(&self, parts: &[Part]) -> Vec<Part> {
        let without = |part: &Part| Part { expects: Vec::new(), ..part.clone() };
        std::iter::once(self.removal()).chain(parts.iter().map(without)).collect()
    }

    /// The commit that takes the lock away and does nothing.
    pub(super) fn undoing(&self) -> Vec<Part> {
        vec![self.removal()]
    }
}

/// A part that does nothing yet.
pub(super) fn empty(space: Space, partition: Bytes) -> Part {
    Part { space, partition, expects: Vec::new(), writes: Vec::new(), log: None, tallies: Vec::new() }
}

impl Transactional {
    /// What a lock holds; `None` where it is gone.
    pub(super) async fn held(&self, lock: &Lock) -> StoreResult<Option<Vec<Part>>> {
        let mut held = Vec::new();
        for chunk in 0..lock.chunks {
            let row = chunk_row(lock.transaction, chunk);
            let at = Address { space: lock.space, partition: lock.partition.clone(), row };
            let Some(stored) = self.inner.get(&at, Freshness::Strong).await?.row else { return Ok(None) };
            held.extend_from_slice(&stored.value);
        }
        codec::decode(lock.space, &lock.partition, held.into()).map(Some)
    }
}
