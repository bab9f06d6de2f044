//! The catalogue's rows in the store.
//!
//! ```text
//! table    partition = ACCOUNT|REGION   kind 0   sort = table name                value = row (see `row`)
//! debris   partition = ACCOUNT|REGION   kind 1   sort = space id, 8 bytes         value empty: a space that is to be cleared
//! counter  partition = empty            kind 2   sort empty                       value = next space id, 8 bytes
//! ```
//! A table's row and the notes of its debris share a partition: they change in one commit on every engine.

use std::sync::Arc;

use bytes::Bytes;
use hashrange_env::Env;
use hashrange_store::{
    Address, CommitId, Expect, Found, Freshness, Outcome, PageLimit, Part, ReadMark, Resolution, RowKey,
    Space, Stamp, Store, StoreError, StoreResult, Stored, SweepRead, Write,
};

use super::row::{self, TableRow};
use super::table::Scope;
use crate::stamp::StampClock;

const TABLE: u8 = 0;
const DEBRIS: u8 = 1;
const COUNTER: u8 = 2;

/// How much of the catalogue one read takes at start-up.
const PAGE: PageLimit = PageLimit { rows: 1000, bytes: 1 << 20 };

#[derive(Debug)]
pub(super) struct Ledger {
    store: Arc<dyn Store>,
    env: Env,
    stamps: StampClock,
}

/// How the replacement of a row ended.
#[derive(Debug)]
pub(super) enum Replaced {
    /// The row is in its place, with this stamp.
    Done(Stamp),
    /// Another change was faster and left this.
    Lost(Option<Box<(TableRow, Stamp)>>),
}

impl Ledger {
    pub(super) fn new(store: Arc<dyn Store>, env: Env) -> Ledger {
        Ledger { store, env, stamps: StampClock::new() }
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// Every table of the database.
    pub(super) async fn load(&self) -> StoreResult<Vec<(Scope, String, TableRow, Stamp)>> {
        let mut tables = Vec::new();
        for (partition, key, stored) in self.sweep(TABLE).await? {
            let scope = scope(&partition).ok_or_else(|| corrupt("a partition is no scope"))?;
            let name = std::str::from_utf8(&key.sort).map_err(|_| corrupt("a table name is no text"))?;
            tables.push((scope, name.to_owned(), row::decode(&stored.value)?, stored.stamp));
        }
        Ok(tables)
    }

    /// Puts `row` in the place of the one with the stamp `expected` (`None`: there must be none), or takes it out, and
    /// notes spaces that are to be cleared.
    pub(super) async fn replace(
        &self,
        scope: &Scope,
        name: &str,
        expected: Option<Stamp>,
        row: Option<&TableRow>,
        debris: &[u64],
    ) -> StoreResult<Replaced> {
        let stamp = self.stamps.next(&self.env, expected);
        let key = RowKey { kind: TABLE, sort: Bytes::copy_from_slice(name.as_bytes()) };
        let mut part = expecting(partition(scope), key.clone(), expected);
        part.writes.push(match row {
            Some(row) => Write::Put { row: key, stored: Stored { stamp, value: row::encode(row) } },
            None => Write::Delete { row: key },
        });
        for space in debris {
            let stored = Stored { stamp, value: Bytes::new() };
            part.writes.push(Write::Put { row: debris_key(*space), stored });
        }
        match self.commit(part).await? {
            Ok(()) => Ok(Replaced::Done(stamp)),
            Err(current) => {
                let newer =
                    current.row.map(|stored| Ok(Box::new((row::decode(&stored.value)?, stored.stamp))));
                Ok(Replaced::Lost(newer.transpose()?))
            }
        }
    }

    /// Answers once everything that was queued before is durable; false where the row is no longer as `stamp` says, so
    /// that nothing was waited for.
    pub(super) async fn barrier(&self, scope: &Scope, name: &str, stamp: Stamp) -> StoreResult<bool> {
        let key = RowKey { kind: TABLE, sort: Bytes::copy_from_slice(name.as_bytes()) };
        self.commit(expecting(partition(scope), key, Some(stamp))).await.map(|refused| refused.is_ok())
    }

    /// Clears spaces for good and drops their notes.
    pub(super) async fn clear(&self, scope: &Scope, spaces: &[u64]) -> StoreResult<()> {
        self.clear_in(partition(scope), spaces).await
    }

    /// Clears every space that is noted: what an earlier run did not come to.
    pub(super) async fn clear_debris(&self) -> StoreResult<()> {
        for (partition, key, _) in self.sweep(DEBRIS).await? {
            let id: [u8; 8] =
                key.sort[..].try_into().map_err(|_| corrupt("a note of debris has no space"))?;
            self.clear_in(partition, &[u64::from_be_bytes(id)]).await?;
        }
        Ok(())
    }

    async fn clear_in(&self, partition: Bytes, spaces: &[u64]) -> StoreResult<()> {
        for space in spaces {
            self.store.forget(Space(*space)).await?;
        }
        let mut part = empty(partition);
        part.writes = spaces.iter().map(|space| Write::Delete { row: debris_key(*space) }).collect();
        self.commit(part).await.map(|_| ())
    }

    /// The first of `count` space ids that nobody has had.
    pub(super) async fn allocate(&self, count: u64) -> StoreResult<u64> {
        self.advance(|first| first + count).await
    }

    /// Hands out no space up to this one from now on.
    pub(super) async fn skip(&self, last: Space) -> StoreResult<()> {
        self.advance(|first| first.max(last.0 + 1)).await.map(|_| ())
    }

    /// Sets the next space id, and returns the one before.
    async fn advance(&self, next: impl Fn(u64) -> u64) -> StoreResult<u64> {
        let key = RowKey { kind: COUNTER, sort: Bytes::new() };
        let at = Address { space: Space::CATALOG, partition: Bytes::new(), row: key.clone() };
        let mut found = self.store.get(&at, Freshness::Newest).await?;
        loop {
            let first = counter(&found)?;
            let expected = found.row.map(|stored| stored.stamp);
            let stamp = self.stamps.next(&self.env, expected);
            let value = Bytes::copy_from_slice(&next(first).to_be_bytes());
            let mut part = expecting(Bytes::new(), key.clone(), expected);
            part.writes.push(Write::Put { row: key.clone(), stored: Stored { stamp, value } });
            match self.commit(part).await? {
                Ok(()) => return Ok(first),
                Err(current) => found = current,
            }
        }
    }

    /// Commits a part; where it is refused, what stands in the way.
    async fn commit(&self, part: Part) -> StoreResult<Result<(), Found>> {
        let random = &self.env.random;
        let id = CommitId(u128::from(random.next_u64()) << 64 | u128::from(random.next_u64()));
        match self.store.commit(id, vec![part]).await? {
            Outcome::Applied => Ok(Ok(())),
            Outcome::Refused { current, .. } => Ok(Err(current)),
            Outcome::Unknown => match self.store.resolve(id).await? {
                Resolution::Applied => Ok(Ok(())),
                _ => Err(StoreError::Failed("a change of the catalogue did not come through".into())),
            },
        }
    }

    /// All rows of a kind.
    async fn sweep(&self, kind: u8) -> StoreResult<Vec<(Bytes, RowKey, Stored)>> {
        let mut rows: Vec<(Bytes, RowKey, Stored)> = Vec::new();
        loop {
            let after = rows.last().map(|(partition, row, _)| (partition.clone(), row.clone()));
            let page = self
                .store
                .sweep(SweepRead {
                    space: Space::CATALOG,
                    kind,
                    segment: 0,
                    segments: 1,
                    after,
                    limit: PAGE,
                    freshness: Freshness::Strong,
                })
                .await?;
            let ended = page.rows.is_empty() || !page.more;
            rows.extend(page.rows);
            if ended {
                return Ok(rows);
            }
        }
    }
}

fn partition(scope: &Scope) -> Bytes {
    format!("{}|{}", scope.account, scope.region).into()
}

/// An account is digits, so that the first bar ends it.
fn scope(partition: &[u8]) -> Option<Scope> {
    let (account, region) = std::str::from_utf8(partition).ok()?.split_once('|')?;
    Some(Scope { account: account.to_owned(), region: region.to_owned() })
}

fn debris_key(space: u64) -> RowKey {
    RowKey { kind: DEBRIS, sort: Bytes::copy_from_slice(&space.to_be_bytes()) }
}

fn counter(found: &Found) -> StoreResult<u64> {
    let Some(stored) = &found.row else { return Ok(Space::FIRST_USER.0) };
    let value: [u8; 8] =
        stored.value[..].try_into().map_err(|_| corrupt("the counter of spaces is no number"))?;
    Ok(u64::from_be_bytes(value))
}

fn empty(partition: Bytes) -> Part {
    Part {
        space: Space::CATALOG,
        partition,
        expects: Vec::new(),
        writes: Vec::new(),
        log: None,
        tallies: Vec::new(),
    }
}

fn expecting(partition: Bytes, row: RowKey, stamp: Option<Stamp>) -> Part {
    let expects = vec![Expect { row, stamp, seen: ReadMark::NONE }];
    Part { expects, ..empty(partition) }
}

fn corrupt(what: &str) -> StoreError {
    StoreError::Corrupt(format!("catalogue: {what}").into())
}
