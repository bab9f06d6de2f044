//! Clients' tokens: a transaction that is sent again with the same token is answered, not done again.
//!
//! ```text
//! token   partition = ACCOUNT|REGION|OPERATION|TOKEN   kind 0   sort empty   value = fingerprint u128 | end u64 | size u32 for each action
//! ```
//! Numbers are big-endian. The end is when the token is forgotten, in milliseconds since the Unix epoch; a size is that of the
//! larger image of an action's item, which is what an answer to a repetition is billed by. Rows past their end count as
//! absent and are removed by [`forget_expired`].

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use hashrange_api::{Error, ErrorCode, Operation, message};
use hashrange_item::{Attributes, Row, limits};
use hashrange_store::{
    Address, Expect, Found, Freshness, Outcome, PageLimit, Part, RowKey, Space, Stored, SweepRead, Write,
};
use parking_lot::Mutex;
use xxhash_rust::xxh3::Xxh3;

use crate::catalog::Scope;
use crate::check::internal;
use crate::core::Core;
use crate::write::{Effects, expecting};

/// How many tokens one step of the removal looks at.
const PAGE: PageLimit = PageLimit { rows: 500, bytes: 1 << 20 };

/// A client's token and what came with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientToken {
    text: String,
    fingerprint: u128,
}

/// Tells requests apart by their contents. It is kept for ten minutes, also over a restart.
#[derive(Clone)]
pub(crate) struct Fingerprint(Xxh3);

impl Fingerprint {
    pub(crate) fn new() -> Fingerprint {
        Fingerprint(Xxh3::new())
    }

    /// Adds a text, or its absence.
    pub(crate) fn text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.bytes(text.as_bytes()),
            None => self.0.update(&u64::MAX.to_be_bytes()),
        }
    }

    /// Adds attributes, or their absence.
    pub(crate) fn attributes(&mut self, attributes: Option<&Attributes>) {
        match attributes {
            Some(attributes) => self.bytes(Row::encode(attributes).as_bytes()),
            None => self.0.update(&u64::MAX.to_be_bytes()),
        }
    }

    /// Adds bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    /// The token that came with all this.
    pub(crate) fn token(self, text: String) -> ClientToken {
        ClientToken { text, fingerprint: self.0.digest128() }
    }
}

/// Tokens of transactions that are under way in this process.
#[derive(Debug, Default)]
pub(crate) struct TokensInFlight {
    fingerprints: Mutex<HashMap<Bytes, u128>>,
    /// Whether tokens were written that may have to be removed one day.
    written: AtomicBool,
}

/// A token that is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct InFlight<'t> {
    tokens: &'t TokensInFlight,
    fingerprint: u128,
    address: Address,
}

impl TokensInFlight {
    /// Notes that a transaction with this token begins.
    pub(crate) fn begin(
        &self,
        scope: &Scope,
        operation: Operation,
        token: &ClientToken,
    ) -> Result<InFlight<'_>, Error> {
        let address = address(scope, operation, &token.text);
        let mut tokens = self.fingerprints.lock();
        if let Some(known) = tokens.get(&address.partition) {
            if *known != token.fingerprint {
                return Err(mismatch());
            }
            let text = message::transaction::in_progress();
            return Err(Error::new(ErrorCode::TransactionInProgressException, text));
        }
        tokens.insert(address.partition.clone(), token.fingerprint);
        drop(tokens);
        Ok(InFlight { tokens: self, fingerprint: token.fingerprint, address })
    }

    /// Whether tokens were written since this was asked before.
    pub(crate) fn take_written(&self) -> bool {
        self.written.load(Ordering::Relaxed) && self.written.swap(false, Ordering::Relaxed)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.tokens.fingerprints.lock().remove(&self.address.partition);
    }
}

fn mismatch() -> Error {
    let text = message::transaction::token_mismatch();
    Error::new(ErrorCode::IdempotentParameterMismatchException, text)
}

fn address(scope: &Scope, operation: Operation, token: &str) -> Address {
    let partition = format!("{}|{}|{}|{token}", scope.account, scope.region, operation.name());
    Address { space: Space::TOKENS, partition: partition.into(), row: row() }
}

fn row() -> RowKey {
    RowKey { kind: 0, sort: Bytes::new() }
}

/// What the store knows of a token.
#[derive(Debug)]
pub(crate) enum Known {
    /// It was used: the sizes that its transaction noted, in request order.
    Used(Vec<usize>),
    /// It may be used; the row that is in its place.
    Free(Found),
}

impl InFlight<'_> {
    /// Looks whether the token was used before.
    pub(crate) async fn look(&self, core: &Core) -> Result<Known, Error> {
        loop {
            let found = core.store.get(&self.address, Freshness::Newest).await.map_err(internal)?;
            let now_ms = core.env.clock.now().0;
            let Some(record) = found.row.as_ref().and_then(|row| Record::decode(&row.value)) else {
                return Ok(Known::Free(found));
            };
            if record.end_ms <= now_ms {
                return Ok(Known::Free(found));
            }
            if !self.is_durable(core, &found).await? {
                continue;
            }
            if record.fingerprint != self.fingerprint {
                return Err(mismatch());
            }
            return Ok(Known::Used(record.sizes));
        }
    }

    /// Waits until a row that was found is beyond the reach of a crash; false where it has changed.
    async fn is_durable(&self, core: &Core, found: &Found) -> Result<bool, Error> {
        if found.durable {
            return Ok(true);
        }
        let barrier = vec![expecting(&self.address, found)];
        let outcome = core.store.commit(core.commit_id(), barrier).await.map_err(internal)?;
        Ok(outcome == Outcome::Applied)
    }

    /// The part of a transaction's commit that remembers the token; `before` is what was in its place.
    pub(crate) fn part(&self, core: &Core, before: &Found, effects: &[Effects]) -> Part {
        self.tokens.written.store(true, Ordering::Relaxed);
        let record = Record {
            fingerprint: self.fingerprint,
            end_ms: core.env.clock.now().0.saturating_add(limits::CLIENT_TOKEN_LIFE_MS),
            sizes: effects.iter().map(Effects::size).collect(),
        };
        let stamp = core.next_stamp(before.row.as_ref().map(|stored| stored.stamp));
        let mut part = expecting(&self.address, before);
        part.writes.push(Write::Put { row: row(), stored: Stored { stamp, value: record.encode() } });
        part
    }
}

/// The value of a token's row.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    fingerprint: u128,
    end_ms: u64,
    sizes: Vec<usize>,
}

impl Record {
    fn encode(&self) -> Bytes {
        let mut value = Vec::with_capacity(24 + 4 * self.sizes.len());
        value.extend_from_slice(&self.fingerprint.to_be_bytes());
        value.extend_from_slice(&self.end_ms.to_be_bytes());
        for size in &self.sizes {
            let size = u32::try_from(*size).expect("an item is at most 400 KB");
            value.extend_from_slice(&size.to_be_bytes());
        }
        value.into()
    }

    fn decode(value: &[u8]) -> Option<Record> {
        let (fingerprint, rest) = value.split_first_chunk()?;
        let (end, sizes) = rest.split_first_chunk()?;
        let (sizes, rest) = sizes.as_chunks::<4>();
        let sizes = sizes.iter().map(|size| usize::try_from(u32::from_be_bytes(*size)).ok());
        let record = Record {
            fingerprint: u128::from_be_bytes(*fingerprint),
            end_ms: u64::from_be_bytes(*end),
            sizes: sizes.collect::<Option<_>>()?,
        };
        rest.is_empty().then_some(record)
    }
}

/// A place in the walk over all tokens.
pub(crate) type Place = (Bytes, RowKey);

/// How far a step of [`forget_expired`] came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forgotten {
    /// Where the next step begins; `None` after the last one.
    pub(crate) next: Option<Place>,
    /// How many tokens are still of use.
    pub(crate) kept: usize,
}

/// Removes tokens past their end, a page at a time.
pub(crate) async fn forget_expired(core: &Core, after: Option<Place>) -> Result<Forgotten, Error> {
    let sweep = SweepRead {
        space: Space::TOKENS,
        kind: 0,
        segment: 0,
        segments: 1,
        after,
        limit: PAGE,
        freshness: Freshness::Strong,
    };
    let page = core.store.sweep(sweep).await.map_err(internal)?;
    let now_ms = core.env.clock.now().0;
    let next =
        page.rows.last().filter(|_| page.more).map(|(partition, row, _)| (partition.clone(), row.clone()));
    let swept = page.rows.len();
    let expired = page
        .rows
        .into_iter()
        .filter(|(_, _, stored)| Record::decode(&stored.value).is_none_or(|record| record.end_ms <= now_ms));
    let parts: Vec<_> = expired.map(|(partition, row, stored)| removal(partition, row, &stored)).collect();
    let kept = swept - parts.len();
    if !parts.is_empty() {
        // One of them may have been used again meanwhile; then the page waits for the next round.
        core.store.commit(core.commit_id(), parts).await.map_err(internal)?;
    }
    Ok(Forgotten { next, kept })
}

fn removal(partition: Bytes, row: RowKey, stored: &Stored) -> Part {
    let expect =
        Expect { row: row.clone(), stamp: Some(stored.stamp), seen: hashrange_store::ReadMark::NONE };
    Part {
        space: Space::TOKENS,
        partition,
        expects: vec![expect],
        writes: vec![Write::Delete { row }],
        log: None,
        tallies: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was_written_and_other_bytes_are_none() {
        let record = Record { fingerprint: 1 << 100, end_ms: 77, sizes: vec![0, 409_600] };
        let value = record.encode();
        assert_eq!(Record::decode(&value), Some(record));
        for length in [0, 23, value.len() - 1] {
            assert_eq!(Record::decode(&value[..length]), None, "{length}");
        }
    }

    #[test]
    fn a_fingerprint_tells_absence_from_emptiness_and_where_texts_end() {
        let of = |texts: &[Option<&str>]| {
            let mut fingerprint = Fingerprint::new();
            for text in texts {
                fingerprint.text(*text);
            }
            fingerprint.token(String::new()).fingerprint
        };
        let all = [of(&[None]), of(&[Some("")]), of(&[Some("ab"), Some("c")]), of(&[Some("a"), Some("bc")])];
        for (at, one) in all.iter().enumerate() {
            assert!(all[at + 1..].iter().all(|other| other != one), "{at}");
        }
    }
}
