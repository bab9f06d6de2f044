//! Locks of other coordinators, dead or alive: what whoever meets one does about it.

use bytes::Bytes;

use super::Transactional;
use super::ledger::{self, Ending, Entry, Fate, TransactionId};
use super::lock::{self, Lock};
use super::several::Patience;
use crate::{
    Address, Expect, Found, Freshness, PageLimit, Resolution, RowKey, Space, StoreResult, SweepRead,
};

/// How long after its beginning a pending transaction counts as abandoned, in milliseconds.
const ABANDONED_MS: u64 = 10_000;
/// How long the ledger remembers a transaction that was left behind, in milliseconds: as long as its coordinator may ask.
const REMEMBERED_MS: u64 = 10 * 60 * 1000;
/// How much of the ledger one step of tidying looks at.
const PAGE: PageLimit = PageLimit { rows: 200, bytes: 1 << 20 };

/// How far the tidying of the ledger has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Whether every transaction was looked at.
    pub done: bool,
    /// How many of them are left.
    pub left: usize,
    next: Option<(Bytes, RowKey)>,
}

impl Transactional {
    /// Looks at a page of transactions that were left behind by their coordinators, ends them where nobody has met them, and
    /// forgets old ones. Begin with [`Tidied::default`] and go on with the answer until it is done. Nothing depends on it but
    /// the room that they take.
    ///
    /// # Errors
    /// When the engine below fails.
    pub async fn tidy(&self, tidied: Tidied) -> StoreResult<Tidied> {
        let sweep = SweepRead {
            space: Space::LEDGER,
            kind: ledger::KIND,
            segment: 0,
            segments: 1,
            after: tidied.next,
            limit: PAGE,
            freshness: Freshness::Strong,
        };
        let page = self.inner.sweep(sweep).await?;
        let next = page
            .rows
            .last()
            .filter(|_| page.more)
            .map(|(partition, row, _)| (partition.clone(), row.clone()));
        let mut left = tidied.left;
        for (partition, _, stored) in &page.rows {
            left += usize::from(!self.tidy_one(&Entry::decode(partition, stored)?).await?);
        }
        Ok(Tidied { done: next.is_none(), left, next })
    }

    /// Ends one transaction if it is abandoned; true if it is forgotten.
    async fn tidy_one(&self, entry: &Entry) -> StoreResult<bool> {
        let age_ms = self.env.clock.now().0.saturating_sub(entry.began_ms);
        if entry.fate == Fate::Pending && age_ms < ABANDONED_MS {
            return Ok(false);
        }
        self.settle(entry.transaction).await?;
        if age_ms < REMEMBERED_MS {
            return Ok(false);
        }
        self.strike(entry.transaction).await?;
        Ok(true)
    }

    /// Whether rows that were read together with this lock, or after it, are the truth. Where they are not, what is in the
    /// way has been ended, and they are to be read again.
    pub(super) async fn shows_the_truth(&self, at: &Address, found: &Found) -> StoreResult<bool> {
        let Some(lock) = Lock::read(at, found)? else { return Ok(true) };
        match self.entry(lock.transaction).await? {
            Some(entry) if entry.fate == Fate::Pending => Ok(true),
            entry => {
                self.end(&lock, entry.as_ref()).await?;
                self.wait_for_disk(at).await?;
                Ok(false)
            }
        }
    }

    /// Gets a lock out of the way of a commit, or waits for it.
    pub(super) async fn make_way(
        &self,
        at: &Address,
        found: &Found,
        patience: &mut Patience,
    ) -> StoreResult<()> {
        let Some(lock) = Lock::read(at, found)? else { return Ok(()) };
        let entry = self.entry(lock.transaction).await?;
        if let Some(entry) = entry.as_ref().filter(|entry| entry.fate == Fate::Pending) {
            if !patience.is_over(lock.transaction, self.env.clock.monotonic()) {
                self.pause(patience).await;
                return Ok(());
            }
            self.decide(entry, Fate::Aborted).await?;
            return Ok(());
        }
        self.end(&lock, entry.as_ref()).await
    }

    /// Ends a transaction that is decided. One that the ledger has forgotten had no locks left by then: this lock came too
    /// late, after its transaction was aborted.
    async fn end(&self, lock: &Lock, entry: Option<&Entry>) -> StoreResult<()> {
        match entry {
            Some(entry) => self.end_everywhere(entry).await,
            None => self.make(lock.undoing()).await.map(|_| ()),
        }
    }

    /// Finishes or undoes a decided transaction in all its partitions.
    async fn end_everywhere(&self, entry: &Entry) -> StoreResult<()> {
        for (space, partition) in &entry.partitions {
            let at = lock::address(*space, partition);
            // Also a lock that is still on its way to the disk: whoever met it would meet it again.
            let found = self.inner.get(&at, Freshness::Newest).await?;
            let Some(lock) = Lock::read(&at, &found)? else { continue };
            if lock.transaction == entry.transaction {
                self.end_lock(&lock, entry.fate).await?;
            }
        }
        Ok(())
    }

    async fn end_lock(&self, lock: &Lock, fate: Fate) -> StoreResult<()> {
        let parts = match fate {
            Fate::Pending => return Ok(()),
            Fate::Aborted => lock.undoing(),
            Fate::Committed => match self.held(lock).await? {
                Some(parts) => lock.application(&parts),
                None => return Ok(()),
            },
        };
        // Refused where someone else was faster, which is as well.
        let _: Ending = self.make(parts).await?;
        Ok(())
    }

    /// Waits until what is newest of a row is beyond the reach of a crash. Someone else may have ended what a reader found,
    /// and the reader would find it again and again until then.
    pub(super) async fn wait_for_disk(&self, at: &Address) -> StoreResult<()> {
        let newest = self.inner.get(at, Freshness::Newest).await?;
        if newest.durable {
            return Ok(());
        }
        let stamp = newest.row.map(|stored| stored.stamp);
        let mut part = lock::empty(at.space, at.partition.clone());
        part.expects.push(Expect { row: at.row.clone(), stamp, seen: newest.mark });
        self.make(vec![part]).await.map(|_| ())
    }

    /// Decides over a transaction that is still pending, against it, and ends it: what became of it.
    pub(super) async fn settle(&self, transaction: TransactionId) -> StoreResult<Resolution> {
        loop {
            let Some(entry) = self.entry(transaction).await? else { return Ok(Resolution::Forgotten) };
            match entry.fate {
                Fate::Pending => {
                    self.decide(&entry, Fate::Aborted).await?;
                }
                Fate::Committed => {
                    self.end_everywhere(&entry).await?;
                    return Ok(Resolution::Applied);
                }
                Fate::Aborted => {
                    self.end_everywhere(&entry).await?;
                    return Ok(Resolution::NotApplied);
                }
            }
        }
    }
}
