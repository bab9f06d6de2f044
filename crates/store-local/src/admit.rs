//! The way into the queue: encode outside the lock, check what the commit expects, take a place.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use fjall::{UserKey, UserValue};
use futures_channel::oneshot;
use hashrange_store::{
    Address, CommitId, Found, Freshness, LogPosition, LwwWrite, Outcome, Part, ReadMark, Resolution, Space,
    Stamp, StoreError, StoreResult, Stored, Tally, Write,
};

use crate::shared::{Queue, Request, RowAt, STAMP_BYTES, Shared, append_stored, slot_of, stored_length};
use crate::tree::{Op, Table};
use crate::{cleaning, keys};

/// Log positions are a commit's sequence number, shifted by this, plus the place within the commit.
const LOG_INDEX_BITS: u32 = 16;
/// Checks are made without the lock this often; then with it, so that a busy row cannot starve a commit.
const UNLOCKED_CHECKS_MAX: u32 = 8;

/// A commit with its keys and values encoded.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    checks: Vec<Check>,
    rows: Vec<RowWrite>,
    logs: Vec<(Space, UserValue)>,
    tallies: Vec<Tally>,
    /// Changes of the engine's own records and removals from the log.
    plain: Vec<Op>,
    forget: Option<Space>,
}

/// A row that must have a certain version.
#[derive(Debug)]
pub(crate) struct Check {
    space: Space,
    key: Vec<u8>,
    slot: usize,
    stamp: Option<Stamp>,
    seen: ReadMark,
}

#[derive(Debug)]
struct RowWrite {
    space: Space,
    key: UserKey,
    slot: usize,
    value: Option<UserValue>,
    row: Option<Stored>,
}

/// What became of a commit at the door.
#[derive(Debug)]
pub(crate) enum Admitted {
    /// It has its place in the queue.
    Queued(oneshot::Receiver<bool>),
    /// There is nothing to write and everything that it expects is durable.
    Done,
    /// A row was not as expected.
    Refused(Refusal),
}

/// The first row that was not as expected, and what it is now.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) key: Vec<u8>,
    pub(crate) current: Found,
}

impl Refusal {
    /// As the contract tells it.
    pub(crate) fn into_outcome(self) -> StoreResult<Outcome> {
        let row = keys::decode(&self.key)
            .ok_or_else(|| StoreError::Corrupt("an expected row's key cannot be decoded".into()))?;
        Ok(Outcome::Refused { row, current: self.current })
    }
}

impl Prepared {
    /// Encodes a commit.
    pub(crate) fn new(parts: Vec<Part>) -> Prepared {
        let mut prepared = Prepared {
            checks: Vec::with_capacity(parts.iter().map(|part| part.expects.len()).sum()),
            rows: Vec::with_capacity(parts.iter().map(|part| part.writes.len()).sum()),
            ..Prepared::default()
        };
        for part in parts {
            keys::assert_writable(part.space);
            for expect in &part.expects {
                let key = keys::row(part.space, &part.partition, &expect.row);
                let slot = slot_of(&key);
                let (space, stamp, seen) = (part.space, expect.stamp, expect.seen);
                prepared.checks.push(Check { space, key, slot, stamp, seen });
            }
            for write in part.writes {
                let (row, stored) = match write {
                    Write::Put { row, stored } => (row, Some(stored)),
                    Write::Delete { row } => (row, None),
                };
                let room = stored.as_ref().map_or(0, stored_length);
                let key = keys::row_with_room(part.space, &part.partition, &row, room);
                prepared.write(part.space, key, stored);
            }
            if let Some(payload) = part.log {
                prepared.logs.push((part.space, UserValue::from(&payload[..])));
            }
            if prepared.tallies.is_empty() {
                prepared.tallies = part.tallies;
            } else {
                prepared.tallies.extend(part.tallies);
            }
        }
        prepared
    }

    /// Changes of keys that carry no version.
    pub(crate) fn plain(ops: Vec<Op>) -> Prepared {
        Prepared { plain: ops, ..Prepared::default() }
    }

    /// Forgets a space.
    pub(crate) fn forget(space: Space) -> Prepared {
        Prepared { plain: vec![cleaning::mark(space)], forget: Some(space), ..Prepared::default() }
    }

    /// Encodes the blind writes that are newer than what is stored.
    pub(crate) fn last_writer_wins(shared: &Shared, writes: Vec<LwwWrite>) -> StoreResult<Prepared> {
        let mut prepared = Prepared::default();
        for write in newest_per_row(writes) {
            let space = write.address.space;
            keys::assert_writable(space);
            let key = keys::at(&write.address);
            let grave = keys::grave(&key);
            // Even a write that comes to nothing waits until what beats it is durable.
            let stored = prepared.expect_as_is(shared, space, &key)?;
            let buried = prepared.expect_as_is(shared, space, &grave)?;
            if stored.max(buried) >= Some(write.stamp) {
                continue;
            }
            let row = |value| Stored { stamp: write.stamp, value };
            if write.value.is_none() {
                prepared.write(space, grave, Some(row(Bytes::new())));
            } else if buried.is_some() {
                prepared.write(space, grave, None);
            }
            prepared.write(space, key, write.value.map(row));
        }
        Ok(prepared)
    }

    /// Reads a row's newest stamp and expects it to stay so.
    fn expect_as_is(&mut self, shared: &Shared, space: Space, key: &[u8]) -> StoreResult<Option<Stamp>> {
        let found = shared.read(&RowAt { space, partition: &[], key }, Freshness::Newest)?;
        let stamp = stamp_of(&found);
        self.checks.push(Check { space, key: key.to_vec(), slot: slot_of(key), stamp, seen: found.mark });
        Ok(stamp)
    }

    /// Key, stored form and what is read from the overlay share their bytes: that is one allocation instead of three,
    /// each of which another thread would free long after.
    fn write(&mut self, space: Space, key: Vec<u8>, row: Option<Stored>) {
        let slot = slot_of(&key);
        let length = key.len();
        let mut all = key;
        if let Some(stored) = &row {
            append_stored(&mut all, stored);
        }
        let all = Bytes::from(all);
        let key = UserKey::from(all.slice(..length));
        let value = row.is_some().then(|| UserValue::from(all.slice(length..)));
        let row = row.map(|row| Stored { value: all.slice(length + STAMP_BYTES..), ..row });
        self.rows.push(RowWrite { space, key, slot, value, row });
    }

    fn writes_nothing(&self) -> bool {
        self.rows.is_empty() && self.logs.is_empty() && self.tallies.is_empty() && self.plain.is_empty()
    }

    fn drop_writes_to_forgotten(&mut self, queue: &Queue) {
        if !queue.forgotten.is_empty() {
            self.rows.retain(|write| !queue.forgotten.contains(&write.space));
            self.logs.retain(|(space, _)| !queue.forgotten.contains(space));
            self.tallies.retain(|tally| !queue.forgotten.contains(&tally.space));
        }
    }
}

fn stamp_of(found: &Found) -> Option<Stamp> {
    found.row.as_ref().map(|stored| stored.stamp)
}

/// One write per row: the one that would win anyway.
fn newest_per_row(writes: Vec<LwwWrite>) -> Vec<LwwWrite> {
    let mut newest = std::collections::BTreeMap::<Address, LwwWrite>::new();
    for write in writes {
        match newest.get(&write.address) {
            Some(other) if other.stamp >= write.stamp => {}
            _ => {
                newest.insert(write.address.clone(), write);
            }
        }
    }
    newest.into_values().collect()
}

impl Shared {
    /// Checks what a commit expects and queues it; the order of calls is the order of the queue.
    pub(crate) fn admit(&self, mut commit: Prepared, id: Option<CommitId>) -> StoreResult<Admitted> {
        for _ in 0..UNLOCKED_CHECKS_MAX {
            if let Some(refused) = self.check(&mut commit.checks, None)? {
                return Ok(self.refuse(id, refused));
            }
            let queue = self.queue.lock();
            if commit.checks.iter().all(|check| !self.touched_since(check.slot, check.seen)) {
                return self.enter(queue, commit, id);
            }
        }
        let queue = self.queue.lock();
        if let Some(refused) = self.check(&mut commit.checks, Some(&queue))? {
            drop(queue);
            return Ok(self.refuse(id, refused));
        }
        self.enter(queue, commit, id)
    }

    /// Compares what is not known to hold with the newest state; remembers when it was read.
    fn check(&self, checks: &mut [Check], queue: Option<&Queue>) -> StoreResult<Option<Refusal>> {
        for check in checks {
            if !self.touched_since(check.slot, check.seen) {
                continue;
            }
            // The partition matters to reads of totals only, which no commit expects.
            let at = RowAt { space: check.space, partition: &[], key: &check.key };
            let current = match queue {
                Some(queue) => self.read_locked(queue, &at)?,
                None => self.read(&at, Freshness::Newest)?,
            };
            if stamp_of(&current) != check.stamp {
                return Ok(Some(Refusal { key: check.key.clone(), current }));
            }
            check.seen = current.mark;
        }
        Ok(None)
    }

    fn refuse(&self, id: Option<CommitId>, refused: Refusal) -> Admitted {
        if let Some(id) = id {
            self.queue.lock().remember(id, Resolution::NotApplied);
        }
        Admitted::Refused(refused)
    }

    fn enter(
        &self,
        mut queue: parking_lot::MutexGuard<'_, Queue>,
        mut commit: Prepared,
        id: Option<CommitId>,
    ) -> StoreResult<Admitted> {
        if let Some(error) = queue.refusal() {
            return Err(error);
        }
        commit.drop_writes_to_forgotten(&queue);
        let waits = !commit.writes_nothing()
            || commit
                .checks
                .iter()
                .any(|check| queue.written_by(&check.key) > Some(self.published().sequence));
        if !waits {
            if let Some(id) = id {
                queue.remember(id, Resolution::Applied);
            }
            return Ok(Admitted::Done);
        }
        let (reply, answer) = oneshot::channel();
        let request = self.take_place(&mut queue, commit, id, reply);
        queue.waiting.push_back(request);
        let wake = std::mem::take(&mut queue.parked);
        drop(queue);
        if wake {
            self.wake.notify_one();
        }
        Ok(Admitted::Queued(answer))
    }

    /// Gives the commit its number and shows its rows to later writers.
    fn take_place(
        &self,
        queue: &mut Queue,
        commit: Prepared,
        id: Option<CommitId>,
        reply: oneshot::Sender<bool>,
    ) -> Request {
        queue.last_sequence += 1;
        let sequence = queue.last_sequence;
        let mut ops = commit.plain;
        ops.reserve_exact(commit.rows.len() + commit.logs.len());
        for op in ops.iter().filter(|op| op.table == Table::Rows) {
            self.pages.will_write(&op.key, sequence);
        }
        for write in commit.rows {
            self.pages.will_write(&write.key, sequence);
            self.touched[write.slot].store(sequence, Ordering::Release);
            queue.overlay(&write.key, sequence, write.row);
            ops.push(Op { table: Table::Rows, key: write.key, value: write.value });
        }
        for (index, (space, payload)) in (0u64..).zip(commit.logs) {
            assert!(index < 1 << LOG_INDEX_BITS, "a commit has fewer than 65,536 log records");
            let position = LogPosition(sequence << LOG_INDEX_BITS | index);
            ops.push(Op { table: Table::Log, key: keys::log(space, position).into(), value: Some(payload) });
        }
        if let Some(space) = commit.forget {
            queue.forgotten.insert(space);
        }
        Request { sequence, id, ops, tallies: commit.tallies, forget: commit.forget, reply }
    }
}
