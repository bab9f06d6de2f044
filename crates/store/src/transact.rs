//! Commits over several partitions, on engines that commit one partition at a time.
//!
//! [`Transactional`] wraps such an engine. A commit that concerns one partition is handed on as it is. One that concerns
//! several takes the way of "Distributed Transactions at Scale in Amazon DynamoDB" (USENIX ATC 2023):
//!
//! 1. *Begin*: a row in [`Space::LEDGER`] says that the transaction is pending, and names its partitions.
//! 2. *Prepare*: in each partition, one commit checks what the transaction expects there and puts a *lock row* with what it
//!    is going to write. A partition has one lock at a time, and no other commit is let in while it is there.
//! 3. *Decide*: the ledger's row changes from pending to committed. This is the instant at which the transaction happens.
//! 4. *Apply*: in each partition, one commit writes what the lock row holds and takes it away. Then the ledger's row goes.
//!
//! A coordinator may die between any two steps. Whoever meets a lock asks the ledger: a committed transaction is finished,
//! an aborted one undone. A pending one is waited for a little and then aborted, which its coordinator finds out when it
//! tries to decide. So nothing blocks for ever, and no clock has to be right.
//!
//! # Why readers are right
//!
//! A reader reads a partition's lock no later than its rows. Under a lock whose transaction is pending after that, the old
//! rows are the truth; under one that is committed, the reader finishes the transaction and reads again. While a lock is
//! there, nothing else changes in its partition, so rows that are read after a lock was absent show a state of the
//! partition from before any transaction that came between was decided, or from after it was applied.
//!
//! [`Store::sweep`] does not look at locks: while a transaction is being applied, it may show some of its partitions and
//! not yet others. Blind writes ([`Store::put_lww`]) pass by the locks; a row is written by these or by commits, not both.

mod codec;
mod finish;
mod ledger;
mod lock;
mod several;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashrange_env::Env;
use parking_lot::Mutex;

use crate::{
    Address, Answer, Bound, Capabilities, CommitId, Found, Freshness, LeaseRequest, LogPosition, LogRecord,
    LwwWrite, Outcome, Part, RangePage, RangeRead, Resolution, RowKey, Space, Stamp, Store, StoreResult,
    SweepPage, SweepRead,
};

pub use finish::Tidied;
use ledger::TransactionId;
use several::{Patience, group};

/// How many ends of commits are remembered for [`Store::resolve`].
const REMEMBERED_COMMITS: usize = 4096;

/// An engine with commits over several partitions, on one without.
#[derive(Debug)]
pub struct Transactional {
    inner: Arc<dyn Store>,
    env: Env,
    ended: Mutex<Ended>,
    last_stamp: AtomicU64,
}

/// How commits over several partitions ended.
#[derive(Debug, Default)]
struct Ended {
    known: HashMap<CommitId, End>,
    order: VecDeque<CommitId>,
}

#[derive(Clone, Copy, Debug)]
enum End {
    Known(Resolution),
    /// The ledger knows.
    Undecided(TransactionId),
}

impl Ended {
    fn remember(&mut self, id: CommitId, end: End) {
        self.known.insert(id, end);
        self.order.push_back(id);
        if self.order.len() > REMEMBERED_COMMITS
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

impl Transactional {
    /// Wraps an engine, whether or not it has commits over several partitions itself.
    pub fn new(inner: Arc<dyn Store>, env: Env) -> Transactional {
        Transactional { inner, env, ended: Mutex::default(), last_stamp: AtomicU64::new(0) }
    }

    /// A name for a commit of the engine below.
    fn commit_id(&self) -> CommitId {
        let high = u128::from(self.env.random.next_u64());
        CommitId((high << 64) | u128::from(self.env.random.next_u64()))
    }

    /// A stamp for a lock or a ledger row. It tells one lock of a partition from the next, also where coordinators on
    /// several machines share a millisecond: its low half is random.
    fn stamp(&self) -> Stamp {
        let now = (self.env.clock.now().0 << 16) + (self.env.random.next_u64() >> 32);
        let last = self.last_stamp.fetch_max(now, Ordering::Relaxed);
        if now > last {
            return Stamp(now);
        }
        Stamp(self.last_stamp.fetch_add(4, Ordering::Relaxed) + 4)
    }

    async fn read_one(&self, at: &Address, freshness: Freshness) -> StoreResult<Found> {
        let mut found = self.read_many(std::slice::from_ref(at), freshness).await?;
        Ok(found.pop().expect("as many rows are answered as were asked for"))
    }

    /// Reads rows and the locks of their partitions at one instant, until no lock hides a committed transaction.
    async fn read_many(&self, at: &[Address], freshness: Freshness) -> StoreResult<Vec<Found>> {
        let mut all = at.to_vec();
        for address in at.iter().filter(|address| address.space != Space::TALLIES) {
            let lock = lock::address(address.space, &address.partition);
            if !all[at.len()..].contains(&lock) {
                all.push(lock);
            }
        }
        loop {
            let mut found = self.inner.get_many(&all, freshness).await?;
            let mut truth = true;
            for (address, lock) in all[at.len()..].iter().zip(&found[at.len()..]) {
                truth &= self.shows_the_truth(address, lock).await?;
            }
            if truth {
                found.truncate(at.len());
                return Ok(found);
            }
        }
    }

    async fn read_range(&self, mut read: RangeRead) -> StoreResult<RangePage> {
        let lock = lock::address(read.space, &read.partition);
        read.upper = below_locks(read.upper);
        loop {
            let found = self.inner.get(&lock, read.freshness).await?;
            if self.shows_the_truth(&lock, &found).await? {
                return self.inner.range(read).await;
            }
        }
    }

    /// What became of a commit within one partition, which the engine below has got already.
    async fn end_single(
        &self,
        id: CommitId,
        parts: Vec<Part>,
        mut answer: Answer<'_, Outcome>,
    ) -> StoreResult<Outcome> {
        let mut patience = Patience::default();
        loop {
            match answer.await? {
                Outcome::Refused { row, current } if lock::is_lock(&row) => {
                    self.make_way(&row, &current, &mut patience).await?;
                    answer = self.inner.commit(id, lock::guarded(parts.clone()));
                }
                outcome => return Ok(outcome),
            }
        }
    }

    async fn resolved(&self, id: CommitId) -> StoreResult<Resolution> {
        let end = self.ended.lock().known.get(&id).copied();
        match end {
            None => self.inner.resolve(id).await,
            Some(End::Known(resolution)) => Ok(resolution),
            Some(End::Undecided(transaction)) => {
                let resolution = self.settle(transaction).await?;
                self.ended.lock().known.insert(id, End::Known(resolution));
                Ok(resolution)
            }
        }
    }
}

/// A range's upper bound, without the rows of locks.
fn below_locks(upper: Bound) -> Bound {
    let first = RowKey { kind: lock::FIRST_KIND, sort: bytes::Bytes::new() };
    match upper {
        Bound::Included(row) | Bound::Excluded(row) if row >= first => Bound::Excluded(first),
        Bound::Unbounded => Bound::Excluded(first),
        bound => bound,
    }
}

impl Store for Transactional {
    fn capabilities(&self) -> Capabilities {
        Capabilities { multi_part_commits: true, ..self.inner.capabilities() }
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        match freshness {
            Freshness::Any => self.inner.get(at, freshness),
            Freshness::Strong | Freshness::Newest => Answer::later(self.read_one(at, freshness)),
        }
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        match freshness {
            Freshness::Any => self.inner.get_many(at, freshness),
            Freshness::Strong | Freshness::Newest => Answer::later(self.read_many(at, freshness)),
        }
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        match range.freshness {
            Freshness::Any => {
                self.inner.range(RangeRead { upper: below_locks(range.upper.clone()), ..range })
            }
            Freshness::Strong | Freshness::Newest => Answer::later(self.read_range(range)),
        }
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        self.inner.sweep(sweep)
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        let groups = group(parts);
        match <[_; 1]>::try_from(groups) {
            // Handed on before the answer is awaited: the order of calls is the order of the queue.
            Ok([one]) => {
                let answer = self.inner.commit(id, lock::guarded(one.parts.clone()));
                Answer::later(self.end_single(id, one.parts, answer))
            }
            Err(groups) if groups.is_empty() => self.inner.commit(id, Vec::new()),
            Err(groups) => Answer::later(self.commit_several(id, groups)),
        }
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        Answer::later(self.resolved(id))
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        self.inner.put_lww(writes)
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        self.inner.log_read(space, after, limit)
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        self.inner.log_trim(space, through)
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        self.inner.lease(request)
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        self.inner.forget(space)
    }
}
