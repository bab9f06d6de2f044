//! A commit over several partitions, as its coordinator sees it.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;

use super::ledger::{Ending, Entry, Fate, TransactionId};
use super::lock::{self, Lock};
use super::{End, Transactional};
use crate::{Address, CommitId, Found, Outcome, Part, Resolution, Space, StoreResult};

/// How long a pending transaction may be in the way of another before it is aborted.
const PATIENCE: Duration = Duration::from_millis(200);
/// Shortest and longest pause before another look at it.
const PAUSE_MIN: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(32);

/// The parts of a commit in one partition.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) space: Space,
    pub(super) partition: Bytes,
    pub(super) parts: Vec<Part>,
}

/// Sorts parts by partition, in the order in which these are first named.
pub(super) fn group(parts: Vec<Part>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for part in parts {
        let same = |group: &&mut Group| group.space == part.space && group.partition == part.partition;
        if let Some(group) = groups.iter_mut().find(same) {
            group.parts.push(part);
        } else {
            let partition = part.partition.clone();
            groups.push(Group { space: part.space, partition, parts: vec![part] });
        }
    }
    groups
}

/// How long one commit has been held up, and by whom.
#[derive(Debug, Default)]
pub(super) struct Patience {
    by: Option<(TransactionId, Duration)>,
    pauses: u32,
}

impl Patience {
    /// Whether this transaction has been in the way for too long.
    pub(super) fn is_over(&mut self, transaction: TransactionId, now: Duration) -> bool {
        match self.by {
            Some((by, since)) if by == transaction => now.saturating_sub(since) >= PATIENCE,
            _ => {
                self.by = Some((transaction, now));
                false
            }
        }
    }
}

/// How one attempt at a commit ended.
enum Attempt {
    /// The commit happened.
    Applied,
    /// A row was not as expected.
    Refused(Box<(Address, Found)>),
    /// A partition was locked: by this lock.
    Met(Address, Found),
    /// Someone aborted the transaction.
    Aborted,
    /// The ledger knows.
    Undecided(TransactionId),
}

/// How the preparation of one partition ended.
enum Prepared {
    Locked(Lock),
    /// Perhaps locked, perhaps not.
    Unknown(Lock),
    Refused(Box<(Address, Found)>),
}

impl Transactional {
    /// Commits parts in several partitions, all or none.
    pub(super) async fn commit_several(&self, id: CommitId, groups: Vec<Group>) -> StoreResult<Outcome> {
        let mut patience = Patience::default();
        loop {
            let outcome = match self.attempt(&groups).await? {
                Attempt::Applied => Outcome::Applied,
                Attempt::Refused(refused) => {
                    let (row, current) = *refused;
                    Outcome::Refused { row, current }
                }
                Attempt::Undecided(transaction) => {
                    self.ended.lock().remember(id, End::Undecided(transaction));
                    return Ok(Outcome::Unknown);
                }
                Attempt::Met(at, lock) => {
                    self.make_way(&at, &lock, &mut patience).await?;
                    continue;
                }
                Attempt::Aborted => {
                    self.pause(&mut patience).await;
                    continue;
                }
            };
            let applied = outcome == Outcome::Applied;
            let resolution = if applied { Resolution::Applied } else { Resolution::NotApplied };
            self.ended.lock().remember(id, End::Known(resolution));
            return Ok(outcome);
        }
    }

    async fn attempt(&self, groups: &[Group]) -> StoreResult<Attempt> {
        let transaction = TransactionId(self.commit_id().0);
        let entry = Entry::new(transaction, self.env.clock.now().0, self.stamp(), groups);
        if !matches!(self.note(&entry).await?, Ending::Applied) {
            return Ok(Attempt::Aborted);
        }
        let prepared = join_all(groups.iter().map(|group| self.prepare(group, transaction))).await;
        let mut locks = Vec::with_capacity(groups.len());
        let mut hindrance = None;
        for one in prepared {
            match one {
                Ok(Prepared::Locked(lock)) => locks.push(lock),
                Ok(Prepared::Unknown(lock)) => {
                    locks.push(lock);
                    hindrance.get_or_insert(Ok(Attempt::Aborted));
                }
                Ok(Prepared::Refused(refused)) => hinder(&mut hindrance, *refused),
                Err(error) => hindrance = Some(Err(error)),
            }
        }
        if let Some(hindrance) = hindrance {
            self.give_up(&entry, &locks).await?;
            return hindrance;
        }
        match self.decide(&entry, Fate::Committed).await {
            Ok(Some(Fate::Committed)) => {
                // It happened. What goes wrong from here on is put right by whoever meets what is left.
                let _ = self.apply(transaction, groups, &locks).await;
                Ok(Attempt::Applied)
            }
            Ok(_) => {
                self.give_up(&entry, &locks).await?;
                Ok(Attempt::Aborted)
            }
            Err(_) => Ok(Attempt::Undecided(transaction)),
        }
    }

    /// Puts a lock into a partition, if everything is as expected there.
    async fn prepare(&self, group: &Group, transaction: TransactionId) -> StoreResult<Prepared> {
        let (lock, parts) = Lock::taken(group, transaction, self.stamp());
        Ok(match self.make(parts).await? {
            Ending::Applied => Prepared::Locked(lock),
            Ending::Refused(refused) => Prepared::Refused(refused),
            Ending::Unknown => Prepared::Unknown(lock),
        })
    }

    /// Writes what was prepared, partition after partition.
    async fn apply(&self, transaction: TransactionId, groups: &[Group], locks: &[Lock]) -> StoreResult<()> {
        let mut all = true;
        for (group, lock) in groups.iter().zip(locks) {
            all &= !matches!(self.make(lock.application(&group.parts)).await?, Ending::Unknown);
        }
        if all { self.strike(transaction).await } else { Ok(()) }
    }

    /// Aborts a transaction of this coordinator and takes its locks away.
    async fn give_up(&self, entry: &Entry, locks: &[Lock]) -> StoreResult<()> {
        self.decide(entry, Fate::Aborted).await?;
        let mut all = true;
        for lock in locks {
            all &= !matches!(self.make(lock.undoing()).await?, Ending::Unknown);
        }
        if all { self.strike(entry.transaction).await } else { Ok(()) }
    }

    /// Waits a little, for longer each time.
    pub(super) async fn pause(&self, patience: &mut Patience) {
        let most = PAUSE_MIN.saturating_mul(1 << patience.pauses.min(16)).min(PAUSE_MAX);
        patience.pauses += 1;
        let micros = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
        let jitter = Duration::from_micros(self.env.random.next_u64() % micros.max(1));
        self.env.tasks.sleep(PAUSE_MIN + jitter).await;
    }
}

/// Notes why a transaction cannot go on. A row that is not as expected tells the caller more than a lock.
fn hinder(hindrance: &mut Option<StoreResult<Attempt>>, refused: (Address, Found)) {
    let is_lock = lock::is_lock(&refused.0);
    match hindrance {
        Some(Err(_) | Ok(Attempt::Refused(_))) => {}
        Some(Ok(_)) if is_lock => {}
        _ if is_lock => *hindrance = Some(Ok(Attempt::Met(refused.0, refused.1))),
        _ => *hindrance = Some(Ok(Attempt::Refused(Box::new(refused)))),
    }
}
