//! Several items in one commit.
//!
//! [`write_together`] saves the commits of a batch, whose writes have nothing to do with each other; [`write_all`] writes
//! the items of a transaction, all or none.

use std::collections::HashMap;

use bytes::Bytes;
use hashrange_api::Error;
use hashrange_store::{Address, Answer, Found, Freshness, Outcome, Part, Space, Tally};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    Action, Decided, Effects, Mutation, Refusal, Seen, collection_address, decide, expect, intend,
    look_at_filling, look_at_item, queue,
};
use crate::budget::Limit;
use crate::capacity::{Charge, Traffic};
use crate::catalog::Table;
use crate::check::internal;
use crate::core::Core;

/// Most rows that one commit of several items may write, entries of indexes included.
const TOGETHER_ROWS_MAX: usize = 200;
/// Most bytes of new items in such a commit; so no other writer waits long for it.
const TOGETHER_BYTES_MAX: usize = 1 << 20;
/// How often the items of a transaction may change under its hands before it gives up. It holds claims on them, so only
/// writes that began before it can be in its way.
const LOST_RACES_MAX: u32 = 32;

/// Carries out unconditional mutations of different items of one table in one commit, which costs less than a commit for
/// each. `None`, and nothing is done, where they do not go together or another writer was faster: then each is to be
/// written by itself.
pub(crate) async fn write_together(
    core: &Core,
    mutations: &[Mutation<'_>],
) -> Result<Option<Vec<Effects>>, Error> {
    let Some(first) = mutations.first() else { return Ok(Some(Vec::new())) };
    if !go_together(core, mutations) {
        return Ok(None);
    }
    let mut parts = Parts::default();
    let mut effects = Vec::with_capacity(mutations.len());
    for mutation in mutations {
        let seen = look_at_item(core, mutation).await?;
        let Ok(decided) = decide(core, mutation, &seen) else { return Ok(None) };
        parts.join(decided.parts);
        effects.push(decided.effects);
    }
    let Some(commit) = queue(core, first, parts.all) else { return Ok(None) };
    match commit.await.map_err(internal)? {
        Outcome::Applied => {
            for done in &effects {
                core.charge(first.table, &done.charge, Traffic::Write);
            }
            Ok(Some(effects))
        }
        Outcome::Refused { .. } => Ok(None),
        Outcome::Unknown => Err(internal("the outcome of a commit is unknown")),
    }
}

/// Whether the mutations depend on nothing but their own items, and are few and small enough.
fn go_together(core: &Core, mutations: &[Mutation<'_>]) -> bool {
    let bytes = |mutation: &Mutation<'_>| match mutation.action {
        Action::Put(row) => row.item_size(),
        Action::Update(..) | Action::Delete | Action::Check => 0,
    };
    // Items of one collection share the row of its size, and an index that is being filled has rows to look at.
    let alone = |mutation: &Mutation<'_>| {
        let schema = &mutation.table.schema;
        mutation.condition.is_none()
            && schema.locals.is_empty()
            && !schema.globals.iter().any(|index| index.filling)
            && !core.claims.holds(&mutation.key.address)
    };
    let rows = |mutation: &Mutation<'_>| 1 + 2 * mutation.table.schema.globals.len();
    core.lag.is_none()
        && core.store.capabilities().multi_part_commits
        && mutations.iter().all(alone)
        && mutations.iter().map(rows).sum::<usize>() <= TOGETHER_ROWS_MAX
        && mutations.iter().map(bytes).sum::<usize>() <= TOGETHER_BYTES_MAX
}

/// Why the items of a transaction were not written. None of them was.
#[derive(Debug)]
pub(crate) enum Lost {
    /// Some mutations were refused, by position. What they saw is beyond the reach of a crash.
    Refused(Vec<(usize, Refusal)>),
    /// A table was changed since the plan was made: plan again.
    Stale,
    /// A row that was added to the commit was not as expected.
    Other,
    /// Other writers were faster again and again, at last on the item in this position.
    Conflict(usize),
}

/// Carries out mutations of different items, all in one commit or none. `more` adds a part to that commit, made from what
/// is about to be done. `limit` is for all of them, as a transaction costs. Whoever calls this holds claims on the items.
pub(crate) async fn write_all(
    core: &Core,
    mutations: &[Mutation<'_>],
    limit: Option<&Limit>,
    more: impl Fn(&[Effects]) -> Option<Part>,
) -> Result<Result<Vec<Effects>, Lost>, Error> {
    let mut lost = 0;
    loop {
        let seen = look_at_all(core, mutations).await?;
        let barrier = barrier(mutations, &seen);
        let (parts, effects) = match decide_all(core, mutations, seen, limit) {
            Ok(decided) => decided,
            Err(refusals) if settled(core, barrier).await? => return Ok(Err(Lost::Refused(refusals))),
            Err(_) => continue,
        };
        let parts = parts.into_iter().chain(more(&effects)).collect();
        let Some(commit) = queue_all(core, mutations, parts) else { return Ok(Err(Lost::Stale)) };
        let row = match commit.await.map_err(internal)? {
            Outcome::Applied => return Ok(Ok(effects)),
            Outcome::Refused { row, .. } => row,
            Outcome::Unknown => return Err(internal("the outcome of a commit is unknown")),
        };
        if row.space == Space::TOKENS {
            return Ok(Err(Lost::Other));
        }
        lost += 1;
        if lost == LOST_RACES_MAX {
            return Ok(Err(Lost::Conflict(position(mutations, &row))));
        }
    }
}

/// Which mutation a row belongs to: its item, or one of its collection; else the first.
fn position(mutations: &[Mutation<'_>], row: &Address) -> usize {
    let at =
        |same: &dyn Fn(&Address) -> bool| mutations.iter().position(|mutation| same(&mutation.key.address));
    let collection = |item: &Address| item.space == row.space && item.partition == row.partition;
    at(&|item| item == row).or_else(|| at(&collection)).unwrap_or(0)
}

async fn look_at_all(core: &Core, mutations: &[Mutation<'_>]) -> Result<Vec<Seen>, Error> {
    let mut addresses = Vec::with_capacity(mutations.len());
    for Mutation { table, key, .. } in mutations {
        addresses.push(key.address.clone());
        if !table.schema.locals.is_empty() {
            addresses.push(collection_address(&key.address));
        }
    }
    let found = core.store.get_many(&addresses, Freshness::Newest).await.map_err(internal)?;
    let mut found = found.into_iter();
    let mut next = || found.next().ok_or_else(|| internal("the store answered too few rows"));
    let mut all = Vec::with_capacity(mutations.len());
    for mutation in mutations {
        let item = next()?;
        let has_collection = !mutation.table.schema.locals.is_empty();
        all.push(Seen::new(item, if has_collection { Some(next()?) } else { None }));
    }
    for (mutation, seen) in mutations.iter().zip(&mut all) {
        look_at_filling(core, mutation, seen).await?;
    }
    Ok(all)
}

/// The parts of a commit of several items, and what it will have done to each.
type Decision = (Vec<Part>, Vec<Effects>);

/// Decides all mutations. Items of one collection add to its size one after the other.
fn decide_all(
    core: &Core,
    mutations: &[Mutation<'_>],
    seen: Vec<Seen>,
    limit: Option<&Limit>,
) -> Result<Decision, Vec<(usize, Refusal)>> {
    let mut sizes: HashMap<(Space, Bytes), u64> = HashMap::new();
    let mut parts = Parts::default();
    let mut effects = Vec::with_capacity(mutations.len());
    let mut refusals = Vec::new();
    for (at, (mutation, mut seen)) in mutations.iter().zip(seen).enumerate() {
        let address = &mutation.key.address;
        let has_collection = !mutation.table.schema.locals.is_empty();
        let collection = has_collection.then(|| (address.space, address.partition.clone()));
        if let Some(size) = collection.as_ref().and_then(|collection| sizes.get(collection)) {
            seen.collection_bytes = *size;
        }
        match decide(core, mutation, &seen) {
            Ok(Decided { parts: more, effects: done }) => {
                if let Some((collection, size)) = collection.zip(done.collection) {
                    sizes.insert(collection, size);
                }
                parts.join(more);
                effects.push(done);
            }
            Err(refusal) => refusals.push((at, refusal)),
        }
    }
    if let (Some(limit), true) = (limit, refusals.is_empty())
        && let Err(error) = check_all(limit, &effects)
    {
        refusals.push((0, Refusal::Invalid(error)));
    }
    if refusals.is_empty() { Ok((parts.all, effects)) } else { Err(refusals) }
}

fn check_all(limit: &Limit, effects: &[Effects]) -> Result<(), Error> {
    let mut sum = Charge::default();
    for effects in effects {
        sum.add(&effects.charge.in_transaction());
    }
    limit.check(&sum)
}

/// What mutations of different items would cost as their items lie now, each by itself, in their order. A mutation that would be
/// refused costs nothing.
pub(crate) async fn estimate(core: &Core, mutations: &[Mutation<'_>]) -> Result<Vec<Charge>, Error> {
    let seen = look_at_all(core, mutations).await?;
    let charge = |(mutation, seen)| intend(core, mutation, seen).map(|intent| intent.effects.charge);
    Ok(mutations.iter().zip(&seen).map(|pair| charge(pair).unwrap_or_default()).collect())
}

/// A commit that changes nothing and is applied once every item that was seen is durable.
fn barrier(mutations: &[Mutation<'_>], seen: &[Seen]) -> Vec<Part> {
    let mut parts = Parts::default();
    for (mutation, seen) in mutations.iter().zip(seen).filter(|(_, seen)| !seen.item.durable) {
        parts.join(vec![expecting(&mutation.key.address, &seen.item)]);
    }
    parts.all
}

/// A part that expects a row as it was found.
pub(crate) fn expecting(address: &Address, found: &Found) -> Part {
    let expected = expect(address.row.clone(), found);
    Part {
        space: address.space,
        partition: address.partition.clone(),
        expects: vec![expected],
        writes: Vec::new(),
        log: None,
        tallies: Vec::new(),
    }
}

/// A refusal tells the client what it saw, so what it saw must be beyond the reach of a crash first; false where it has
/// changed meanwhile.
async fn settled(core: &Core, barrier: Vec<Part>) -> Result<bool, Error> {
    if barrier.is_empty() {
        return Ok(true);
    }
    match core.store.commit(core.commit_id(), barrier).await.map_err(internal)? {
        Outcome::Applied => Ok(true),
        Outcome::Refused { .. } => Ok(false),
        Outcome::Unknown => Err(internal("the outcome of a commit is unknown")),
    }
}

/// Hands the store a commit, unless one of the tables was changed since the writes were planned.
fn queue_all<'c>(
    core: &'c Core,
    mutations: &[Mutation<'_>],
    parts: Vec<Part>,
) -> Option<Answer<'c, Outcome>> {
    let mut tables: Vec<&Table> = mutations.iter().map(|mutation| mutation.table).collect();
    // The plan holds one snapshot of each table, and no table may be admitted to twice.
    tables.sort_by_key(|table| table.space);
    tables.dedup_by_key(|table| table.space);
    let _admissions = tables.into_iter().map(Table::admit).collect::<Option<Vec<_>>>()?;
    Some(core.store.commit(core.commit_id(), parts))
}

/// The parts of a commit: one for each partition, one change for each total.
#[derive(Default)]
struct Parts {
    all: Vec<Part>,
    /// Where the first part of a partition is, by a digest of both its names.
    places: HashMap<u64, usize>,
}

impl Parts {
    /// Adds another commit's parts.
    fn join(&mut self, parts: Vec<Part>) {
        for mut part in parts {
            if let Some(first) = self.all.first_mut() {
                part.tallies.retain(|tally| !add_tally(&mut first.tallies, tally));
            }
            let digest = xxh3_64_with_seed(&part.partition, part.space.0);
            let place = self.places.entry(digest).or_insert(self.all.len());
            match self.all.get_mut(*place) {
                // A part carries one log record; a second one in the partition takes a part of its own.
                Some(known)
                    if same_partition(known, &part) && (known.log.is_none() || part.log.is_none()) =>
                {
                    known.expects.append(&mut part.expects);
                    known.writes.append(&mut part.writes);
                    known.tallies.append(&mut part.tallies);
                    known.log = known.log.take().or(part.log);
                }
                _ => self.all.push(part),
            }
        }
    }
}

fn same_partition(one: &Part, other: &Part) -> bool {
    one.space == other.space && one.partition == other.partition
}

/// Adds a change of a total to a change of the same one, if there is one.
fn add_tally(tallies: &mut [Tally], more: &Tally) -> bool {
    let known = tallies.iter_mut().find(|known| known.space == more.space && known.kind == more.kind);
    known.is_some_and(|known| {
        known.rows += more.rows;
        known.bytes += more.bytes;
        true
    })
}
