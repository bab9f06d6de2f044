//! Stores that are wrong on purpose. A simulation that does not find them is blind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashrange_env::Env;
use hashrange_store::{
    Address, Answer, Capabilities, CommitId, Found, Freshness, LeaseRequest, LogPosition, LogRecord,
    LwwWrite, Outcome, Part, RangePage, RangeRead, ReadMark, Resolution, RowKey, Space, Store, SweepPage,
    SweepRead, Write,
};
use parking_lot::Mutex;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Now and then a commit is answered as applied and is not.
    LostWrite,
    /// Now and then a strong read answers what the row was before.
    StaleRead,
    /// Strong reads see what is still on its way to the disk.
    DirtyRead,
    /// Now and then a commit leaves an index as it was.
    IndexRowForgotten,
    /// The parts of a commit are committed one after the other.
    PartialCommit,
    /// A new version of a row has the stamp of the version it replaces.
    StampReused,
    /// Now and then a commit leaves the running totals as they were.
    TotalForgotten,
    /// Commits are answered before they are on the disk.
    EarlyAnswer,
    /// A commit that only asks whether several rows are as they were read is told that they are.
    TornRead,
    /// A commit over several partitions does not look again at what was read for it.
    Unchecked,
    /// Clients' tokens that a process has not written itself are not found.
    TokenForgotten,
    /// A commit that comes too late is applied all the same.
    BothWin,
    /// Below the wrapper: commits do not look at locks.
    SkippedLock,
    /// Below the wrapper: now and then the ledger loses a decision.
    DecisionLost,
}

impl Bug {
    /// Those that the scenario of tables finds.
    pub const OF_TABLES: [Bug; 8] = [
        Bug::LostWrite,
        Bug::StaleRead,
        Bug::DirtyRead,
        Bug::IndexRowForgotten,
        Bug::PartialCommit,
        Bug::StampReused,
        Bug::TotalForgotten,
        Bug::EarlyAnswer,
    ];

    /// Those that the scenario of the bank finds.
    pub const OF_TRANSACTIONS: [Bug; 11] = [
        Bug::LostWrite,
        Bug::StaleRead,
        Bug::DirtyRead,
        Bug::PartialCommit,
        Bug::EarlyAnswer,
        Bug::TornRead,
        Bug::Unchecked,
        Bug::TokenForgotten,
        Bug::BothWin,
        Bug::SkippedLock,
        Bug::DecisionLost,
    ];

    /// The bug of this name, as its `Debug` writes it.
    pub fn named(name: &str) -> Option<Bug> {
        let mut all = Bug::OF_TABLES.into_iter().chain(Bug::OF_TRANSACTIONS);
        all.find(|bug| format!("{bug:?}") == name)
    }

    /// Whether it sits between the wrapper that adds commits over several partitions and the store below.
    pub fn is_below_the_wrapper(self) -> bool {
        matches!(self, Bug::SkippedLock | Bug::DecisionLost)
    }
}

/// A row that was read, and where.
type Row = (Space, bytes::Bytes, RowKey);

/// Wraps a store and plants a bug in it. [`Bug::EarlyAnswer`] is the disk's own; see [`crate::disk::Delays`].
#[derive(Debug)]
pub struct Planted {
    inner: Arc<dyn Store>,
    env: Env,
    bug: Bug,
    /// What rows were when they were first read, for stale reads.
    before: Mutex<BTreeMap<Row, Found>>,
    /// Clients' tokens that were written through this.
    tokens: Mutex<BTreeSet<bytes::Bytes>>,
}

impl Planted {
    /// Plants `bug` into `inner`.
    pub fn new(inner: Arc<dyn Store>, env: Env, bug: Bug) -> Planted {
        Planted { inner, env, bug, before: Mutex::default(), tokens: Mutex::default() }
    }

    fn one_in(&self, chance: u64) -> bool {
        self.env.random.next_u64().is_multiple_of(chance)
    }

    /// An older state of the row, sometimes, where one is known.
    fn stale(&self, at: &Address, found: Found) -> Found {
        let row = (at.space, at.partition.clone(), at.row.clone());
        let mut before = self.before.lock();
        let known = before.entry(row).or_insert_with(|| found.clone());
        let answer = if self.one_in(4) { known.clone() } else { found.clone() };
        *known = found;
        answer
    }

    /// The parts of a commit as the bug lets them through.
    fn tamper(&self, parts: &mut [Part]) {
        match self.bug {
            Bug::LostWrite if self.one_in(30) => parts.iter_mut().for_each(lose),
            Bug::IndexRowForgotten if self.one_in(10) => forget_index_rows(parts),
            Bug::TotalForgotten if self.one_in(20) => {
                for part in parts {
                    part.tallies.clear();
                }
            }
            Bug::StampReused => parts.iter_mut().for_each(reuse_stamps),
            Bug::SkippedLock => parts.iter_mut().for_each(skip_lock),
            Bug::TokenForgotten => parts.iter_mut().for_each(|part| self.forget_before(part)),
            Bug::DecisionLost if self.one_in(4) => parts.iter_mut().for_each(lose_decision),
            _ => {}
        }
    }

    /// Writes a token over one of an earlier process, and notes that it is of this one.
    fn forget_before(&self, part: &mut Part) {
        if part.space == Space::TOKENS && !part.writes.is_empty() {
            part.expects.clear();
            self.tokens.lock().insert(part.partition.clone());
        }
    }

    fn commit_anyway(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        let first = self.inner.commit(id, parts.clone());
        Answer::later(async move {
            match first.await? {
                Outcome::Refused { .. } if parts.iter().any(|part| !part.writes.is_empty()) => {
                    let unchecked = |part| Part { expects: Vec::new(), ..part };
                    let parts = parts.into_iter().map(unchecked).collect();
                    self.inner.commit(CommitId(id.0 ^ 1), parts).await
                }
                outcome => Ok(outcome),
            }
        })
    }

    fn commit_part_by_part(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return self.inner.commit(id, Vec::new()) };
        let first = self.inner.commit(id, vec![first]);
        Answer::later(async move {
            let mut outcome = first.await?;
            for (part, at) in parts.zip(1..) {
                if outcome != Outcome::Applied {
                    break;
                }
                outcome = self.inner.commit(CommitId(id.0 ^ at), vec![part]).await?;
            }
            Ok(outcome)
        })
    }
}

/// The bugs are about items and transactions; a broken catalogue would show at once.
fn is_of_items(parts: &[Part]) -> bool {
    let is_of_transactions = |space| space == Space::TOKENS || space == Space::LEDGER;
    parts.iter().all(|part| part.space >= Space::FIRST_USER || is_of_transactions(part.space))
}

/// Whether a commit only asks whether several rows are as they were read.
fn is_question(parts: &[Part]) -> bool {
    parts.len() > 1 && parts.iter().all(|part| part.writes.is_empty())
}

fn lose(part: &mut Part) {
    part.writes.clear();
    part.tallies.clear();
}

/// The kind of the wrapper's locks.
const LOCK_KIND: u8 = 255;

fn skip_lock(part: &mut Part) {
    part.expects.retain(|expect| expect.row.kind != LOCK_KIND || expect.stamp.is_some());
}

/// A decision replaces a row of the ledger.
fn lose_decision(part: &mut Part) {
    if part.space == Space::LEDGER && part.expects.iter().any(|expect| expect.stamp.is_some()) {
        lose(part);
    }
}

/// Kinds of rows from here on are entries of local indexes.
const LOCAL_KINDS: u8 = 16;

fn forget_index_rows(parts: &mut [Part]) {
    for (at, part) in parts.iter_mut().enumerate() {
        part.writes.retain(|write| {
            let (Write::Put { row, .. } | Write::Delete { row }) = write;
            at == 0 && row.kind < LOCAL_KINDS
        });
    }
}

fn reuse_stamps(part: &mut Part) {
    for write in &mut part.writes {
        let Write::Put { row, stored } = write else { continue };
        let expected = part.expects.iter().find(|expect| expect.row == *row);
        if let Some(stamp) = expected.and_then(|expect| expect.stamp) {
            stored.stamp = stamp;
        }
    }
}

impl Store for Planted {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        let strong = freshness == Freshness::Strong && at.space >= Space::FIRST_USER;
        match self.bug {
            Bug::TokenForgotten
                if at.space == Space::TOKENS && !self.tokens.lock().contains(&at.partition) =>
            {
                Answer::ready(Ok(Found { row: None, mark: ReadMark::NONE, durable: true }))
            }
            Bug::StaleRead if strong => Answer::later(async move {
                let found = self.inner.get(at, freshness).await?;
                Ok(self.stale(at, found))
            }),
            Bug::DirtyRead if strong => self.inner.get(at, Freshness::Newest),
            _ => self.inner.get(at, freshness),
        }
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        self.inner.get_many(at, freshness)
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        self.inner.range(range)
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        self.inner.sweep(sweep)
    }

    fn commit(&self, id: CommitId, mut parts: Vec<Part>) -> Answer<'_, Outcome> {
        if !is_of_items(&parts) {
            return self.inner.commit(id, parts);
        }
        match self.bug {
            Bug::PartialCommit => return self.commit_part_by_part(id, parts),
            Bug::BothWin => return self.commit_anyway(id, parts),
            Bug::TornRead if is_question(&parts) => return Answer::ready(Ok(Outcome::Applied)),
            Bug::Unchecked if parts.len() > 1 && !is_question(&parts) => {
                for part in &mut parts {
                    part.expects.clear();
                }
            }
            _ => self.tamper(&mut parts),
        }
        self.inner.commit(id, parts)
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        self.inner.resolve(id)
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
