//! The write path: the only code that changes items.
//!
//! One write = read the newest image, decide (condition, new image, limits), then one store commit that carries the item,
//! its index entries, its collection's size and the running totals. The commit expects what was read; where another
//! writer was faster, the store refuses and the write decides again on the newer image. [`together`] does the same with
//! several items at once.

mod together;

use hashrange_api::message::{self, Family};
use hashrange_api::{Error, ErrorCode, Operation};
use hashrange_item::{Attributes, NewItem, Row, limits};
use hashrange_language::{Condition, Update};
use hashrange_store::{
    Address, Answer, CommitId, Expect, Found, Freshness, Outcome, Part, Stamp, Stored, Tally, Write,
};

use crate::budget::Limit;
use crate::capacity::{Charge, Traffic, Units};
use crate::catalog::Table;
use crate::check::{internal, refuse};
use crate::core::Core;
use crate::index::{self, EntryChange, Origin};
use crate::key::ItemKey;
use crate::layout;

pub(crate) use together::{Lost, estimate, expecting, write_all, write_together};

/// What to do to one item.
#[derive(Debug)]
pub(crate) struct Mutation<'a> {
    pub(crate) table: &'a Table,
    pub(crate) key: &'a ItemKey,
    pub(crate) condition: Option<&'a Condition>,
    pub(crate) action: Action<'a>,
    /// What it may cost by itself; a transaction has one limit for all its items.
    pub(crate) limit: Option<&'a Limit>,
}

/// The change itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// Replace the item by this one, whose index keys were checked.
    Put(&'a Row),
    /// Change attributes of the item, or make it.
    Update(&'a Update, UpdateGate),
    /// Remove the item.
    Delete,
    /// Leave the item as it is: only its condition counts.
    Check,
}

/// What an update is measured by against the 400 KB limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateGate {
    /// A standalone UpdateItem: the finished item, and what the statement writes and costs.
    Statement,
    /// In a transaction and in PartiQL: the finished item.
    Item,
}

/// What a write did: the images before and after, and what it consumed.
#[derive(Debug)]
pub(crate) struct Effects {
    pub(crate) old: Option<Row>,
    pub(crate) new: Option<Row>,
    pub(crate) charge: Charge,
    /// Size of the item collection after the write, in bytes; on tables with local indexes.
    pub(crate) collection: Option<u64>,
}

impl Effects {
    /// Size of the larger image, in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of(self.old.as_ref()).max(size_of(self.new.as_ref()))
    }
}

/// Why a write did not happen.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The condition was false; the item as it was.
    Condition(Option<Row>),
    /// The request cannot be carried out on this item.
    Invalid(Error),
    /// The table was changed since the write was planned: plan it again.
    Stale,
    /// A transaction holds the item.
    Conflict,
    /// An index that it touches has no capacity left.
    Throttled(Error),
}

impl Refusal {
    /// The error of a write that met an ongoing transaction.
    pub(crate) fn conflict() -> Error {
        Error::new(ErrorCode::TransactionConflictException, message::item::transaction_conflict())
    }
}

/// Carries out one mutation.
pub(crate) async fn write(core: &Core, mutation: &Mutation<'_>) -> Result<Result<Effects, Refusal>, Error> {
    if core.claims.holds(&mutation.key.address) {
        return Ok(Err(Refusal::Conflict));
    }
    let mut seen = look(core, mutation).await?;
    loop {
        let decided = match decide(core, mutation, &seen) {
            Ok(decided) => decided,
            Err(refusal) => match settle(core, mutation, &seen).await? {
                Settled::Durable => return Ok(Err(refusal)),
                Settled::Changed(newer) => {
                    seen = newer;
                    continue;
                }
            },
        };
        let Some(commit) = queue(core, mutation, decided.parts) else { return Ok(Err(Refusal::Stale)) };
        match commit.await.map_err(internal)? {
            Outcome::Applied => {
                core.charge(mutation.table, &decided.effects.charge, Traffic::Write);
                return Ok(Ok(decided.effects));
            }
            Outcome::Refused { .. } if core.claims.holds(&mutation.key.address) => {
                return Ok(Err(Refusal::Conflict));
            }
            Outcome::Refused { row, current } => seen = newer(core, mutation, seen, row, current).await?,
            Outcome::Unknown => return Err(internal("the outcome of a commit is unknown")),
        }
    }
}

/// Hands the store a commit, unless the table was changed since the write was planned.
fn queue<'c>(core: &'c Core, mutation: &Mutation<'_>, parts: Vec<Part>) -> Option<Answer<'c, Outcome>> {
    let _admission = mutation.table.admit()?;
    Some(core.store.commit(core.commit_id(), parts))
}

/// The rows that a write depends on, as last seen.
#[derive(Debug)]
struct Seen {
    item: Found,
    /// The row of the collection's size, on tables with local indexes.
    collection: Option<Found>,
    /// The size itself.
    collection_bytes: u64,
    /// Entries of the old image in indexes that are being filled: they may not be there yet.
    filling: Vec<(Address, Found)>,
}

impl Seen {
    fn new(item: Found, collection: Option<Found>) -> Seen {
        let row = collection.as_ref().and_then(|found| found.row.as_ref());
        let collection_bytes = row.map_or(0, |stored| decode_size(&stored.value));
        Seen { item, collection, collection_bytes, filling: Vec::new() }
    }
}

async fn look(core: &Core, mutation: &Mutation<'_>) -> Result<Seen, Error> {
    let mut seen = look_at_item(core, mutation).await?;
    look_at_filling(core, mutation, &mut seen).await?;
    Ok(seen)
}

/// Looks for the entries of the old image in indexes that are being filled.
async fn look_at_filling(core: &Core, mutation: &Mutation<'_>, seen: &mut Seen) -> Result<(), Error> {
    let globals = &mutation.table.schema.globals;
    if !globals.iter().any(|index| index.filling) {
        return Ok(());
    }
    let Some(old) = stored_row(&seen.item)? else { return Ok(()) };
    for index in globals {
        if !index.filling {
            continue;
        }
        let Some(entry) = index::Index::Global(index).entry(mutation.table, mutation.key, &old) else {
            continue;
        };
        let found = core.store.get(&entry.address, Freshness::Newest).await.map_err(internal)?;
        seen.filling.push((entry.address, found));
    }
    Ok(())
}

/// The row of the size of the item's collection.
fn collection_address(item: &Address) -> Address {
    layout::address(item.space, item.partition.clone(), layout::collection_row())
}

async fn look_at_item(core: &Core, mutation: &Mutation<'_>) -> Result<Seen, Error> {
    let item = &mutation.key.address;
    if mutation.table.schema.locals.is_empty() {
        let item = core.store.get(item, Freshness::Newest).await.map_err(internal)?;
        return Ok(Seen::new(item, None));
    }
    let addresses = [item.clone(), collection_address(item)];
    let mut found = core.store.get_many(&addresses, Freshness::Newest).await.map_err(internal)?;
    let collection = found.pop();
    let item = found.pop().ok_or_else(|| internal("the store answered fewer rows than were asked for"))?;
    Ok(Seen::new(item, collection))
}

/// What another writer left, after a refusal. Most often the refusal itself says it.
async fn newer(
    core: &Core,
    mutation: &Mutation<'_>,
    seen: Seen,
    row: Address,
    current: Found,
) -> Result<Seen, Error> {
    if seen.collection.is_none() && seen.filling.is_empty() && row == mutation.key.address {
        return Ok(Seen::new(current, None));
    }
    look(core, mutation).await
}

enum Settled {
    Durable,
    Changed(Seen),
}

/// A refusal tells the client what it saw, so what it saw must be beyond the reach of a crash first.
async fn settle(core: &Core, mutation: &Mutation<'_>, seen: &Seen) -> Result<Settled, Error> {
    if seen.item.durable {
        return Ok(Settled::Durable);
    }
    let mut barrier = empty_part(mutation);
    barrier.expects.push(expect(mutation.key.row().clone(), &seen.item));
    match core.store.commit(core.commit_id(), vec![barrier]).await.map_err(internal)? {
        Outcome::Applied => Ok(Settled::Durable),
        Outcome::Refused { .. } => Ok(Settled::Changed(look(core, mutation).await?)),
        Outcome::Unknown => Err(internal("the outcome of a commit is unknown")),
    }
}

/// A write that was decided upon: the commit that makes it so, and what it will have done.
struct Decided {
    parts: Vec<Part>,
    effects: Effects,
}

fn decide(core: &Core, mutation: &Mutation<'_>, seen: &Seen) -> Result<Decided, Refusal> {
    let Intent { effects, changes } = intend(core, mutation, seen)?;
    if let Some(limit) = mutation.limit {
        limit.check(&effects.charge).map_err(Refusal::Invalid)?;
    }
    if matches!(mutation.action, Action::Check) {
        return Ok(checked(mutation, seen, effects));
    }
    core.admit_indexes(mutation.table, &effects.charge).map_err(Refusal::Throttled)?;
    hide(core, &changes);
    let parts = parts(core, mutation, seen, &effects, &changes);
    Ok(Decided { parts, effects })
}

/// What a mutation would do.
struct Intent<'m> {
    effects: Effects,
    changes: Vec<EntryChange<'m>>,
}

/// What a mutation would do to what was seen. Nothing is changed.
fn intend<'m>(core: &Core, mutation: &Mutation<'m>, seen: &Seen) -> Result<Intent<'m>, Refusal> {
    let old = stored_row(&seen.item).map_err(Refusal::Invalid)?;
    if let Some(condition) = mutation.condition {
        let item = old.as_ref().map(|row| row as &dyn hashrange_item::Lookup);
        if !condition.evaluate(item) {
            return Err(Refusal::Condition(old));
        }
    }
    if matches!(mutation.action, Action::Check) {
        let charge = charge(old.as_ref(), None, &[]);
        let effects = Effects { old: old.clone(), new: old, charge, collection: None };
        return Ok(Intent { effects, changes: Vec::new() });
    }
    let new = new_image(mutation, old.as_ref()).map_err(Refusal::Invalid)?;
    let mut changes = index::changes(mutation.table, mutation.key, old.as_ref(), new.as_ref());
    forget_missing(&mut changes, &seen.filling);
    let collection = collection_size(mutation, seen, old.as_ref(), new.as_ref(), &changes);
    if let Some(size) = collection {
        core.check_collection(size, size_of(new.as_ref()) > size_of(old.as_ref()))
            .map_err(Refusal::Invalid)?;
    }
    let charge = charge(old.as_ref(), new.as_ref(), &changes);
    let effects = Effects { old, new, charge, collection };
    Ok(Intent { effects, changes })
}

/// A condition that holds: the commit expects that the item stays as it is.
fn checked(mutation: &Mutation<'_>, seen: &Seen, effects: Effects) -> Decided {
    let mut own = empty_part(mutation);
    own.expects.push(expect(mutation.key.row().clone(), &seen.item));
    Decided { parts: vec![own], effects }
}

/// In an index that is being filled, an entry that is not there yet is no old entry.
fn forget_missing(changes: &mut [EntryChange<'_>], filling: &[(Address, Found)]) {
    for change in changes.iter_mut().filter(|change| change.index.is_filling()) {
        let missing = |entry: &index::Entry| {
            filling.iter().any(|(address, found)| *address == entry.address && found.row.is_none())
        };
        if change.old.as_ref().is_some_and(missing) {
            change.old = None;
        }
    }
}

/// Where global indexes lag on purpose, readers are shown the old entries for a while.
fn hide(core: &Core, changes: &[EntryChange<'_>]) {
    let Some(lag) = &core.lag else { return };
    for change in changes.iter().filter(|change| matches!(change.index, index::Index::Global(_))) {
        let stored = |entry: &index::Entry| Stored { stamp: Stamp(0), value: entry.row.clone().into_bytes() };
        if let Some(old) = &change.old {
            lag.hide(&core.env, &old.address, Some(stored(old)));
        }
        if let Some(new) = change.new.as_ref().filter(|_| change.removed().is_some() || change.old.is_none())
        {
            lag.hide(&core.env, &new.address, None);
        }
    }
}

pub(crate) fn stored_row(found: &Found) -> Result<Option<Row>, Error> {
    let Some(stored) = &found.row else { return Ok(None) };
    Row::from_bytes(stored.value.clone()).map(Some).map_err(internal)
}

fn new_image(mutation: &Mutation<'_>, old: Option<&Row>) -> Result<Option<Row>, Error> {
    match mutation.action {
        Action::Put(row) => Ok(Some(row.clone())),
        Action::Delete => Ok(None),
        Action::Update(update, gate) => updated(mutation, update, gate, old),
        Action::Check => Ok(old.cloned()),
    }
}

/// The updated item. An update that only clears (REMOVE, DELETE) makes no item where there was none; one that does
/// nothing at all does.
fn updated(
    mutation: &Mutation<'_>,
    update: &Update,
    gate: UpdateGate,
    old: Option<&Row>,
) -> Result<Option<Row>, Error> {
    let schema = &mutation.table.schema.key;
    let old = old.map(Row::decode).transpose().map_err(internal)?;
    let key = mutation.key.attributes(schema);
    let new = update.apply(old.as_ref(), &key).map_err(|error| crate::check::update_error(&error))?;
    let clears = update.targets().next().is_some() && update.written_attributes().is_empty();
    if old.is_none() && clears {
        return Ok(None);
    }
    check_updated_size(&new, update, gate)?;
    index::check_keys(mutation.table, &new, Origin::Update)?;
    let row = Row::encode(&new);
    index::check_local_size(mutation.table, mutation.key, &row)?;
    Ok(Some(row))
}

/// The 400 KB limit of an updated item.
fn check_updated_size(new: &Attributes, update: &Update, gate: UpdateGate) -> Result<(), Error> {
    let attribute = |name: &&str| new.get(name).map_or(0, |value| name.len() + value.size());
    let statement = match gate {
        UpdateGate::Statement => {
            update.written_attributes().iter().map(attribute).sum::<usize>() + update.cost()
        }
        UpdateGate::Item => 0,
    };
    if is_too_large(new.size().max(statement)) {
        return Err(Error::validation(message::item::update_too_large()));
    }
    Ok(())
}

/// The one 400 KB limit; what is counted differs from gate to gate.
pub(crate) fn is_too_large(bytes: usize) -> bool {
    bytes > limits::ITEM_SIZE_MAX
}

/// A whole item as stored, if it is neither over 400 KB nor nested too deeply.
pub(crate) fn new_row(operation: Operation, item: NewItem) -> Result<Row, Error> {
    if item.depth() > limits::NESTING_MAX {
        return Err(refuse(operation, Family::ItemSize, message::value::too_deep()));
    }
    if is_too_large(item.size()) {
        return Err(refuse(operation, Family::ItemSize, message::item::too_large()));
    }
    Ok(item.into_row())
}

fn size_of(row: Option<&Row>) -> usize {
    row.map_or(0, Row::item_size)
}

/// Write units of a write: the larger image on the table, and each index whose entry changed.
fn charge(old: Option<&Row>, new: Option<&Row>, changes: &[EntryChange<'_>]) -> Charge {
    let mut charge = Charge::table(Units::write(size_of(old).max(size_of(new))));
    for change in changes {
        let arms = match change.index {
            index::Index::Local(_) => &mut charge.locals,
            index::Index::Global(_) => &mut charge.globals,
        };
        arms.insert(change.index.name().to_owned(), change.units());
    }
    charge
}

/// What the collection weighs after the write: its items and their local index entries.
fn collection_size(
    mutation: &Mutation<'_>,
    seen: &Seen,
    old: Option<&Row>,
    new: Option<&Row>,
    changes: &[EntryChange<'_>],
) -> Option<u64> {
    seen.collection.as_ref()?;
    let locals = changes.iter().filter(|change| matches!(change.index, index::Index::Local(_)));
    let entries: i64 = locals.map(|change| change.tally(mutation.table).bytes).sum();
    Some(seen.collection_bytes.saturating_add_signed(entries + item_tally(mutation, old, new).bytes))
}

fn decode_size(value: &[u8]) -> u64 {
    value.try_into().map_or(0, u64::from_be_bytes)
}

fn item_tally(mutation: &Mutation<'_>, old: Option<&Row>, new: Option<&Row>) -> Tally {
    let weight = |row: Option<&Row>| i64::try_from(size_of(row)).expect("an item is at most 400 KB");
    Tally {
        space: mutation.table.space,
        kind: layout::ITEM,
        rows: i64::from(new.is_some()) - i64::from(old.is_some()),
        bytes: weight(new) - weight(old),
    }
}

fn empty_part(mutation: &Mutation<'_>) -> Part {
    let address = &mutation.key.address;
    Part {
        space: address.space,
        partition: address.partition.clone(),
        expects: Vec::with_capacity(1),
        writes: Vec::with_capacity(1),
        log: None,
        tallies: Vec::with_capacity(1),
    }
}

fn expect(row: hashrange_store::RowKey, found: &Found) -> Expect {
    Expect { row, stamp: found.row.as_ref().map(|stored| stored.stamp), seen: found.mark }
}

/// The commit: first the item's own partition, then one part for each partition of a global index that changes.
fn parts(
    core: &Core,
    mutation: &Mutation<'_>,
    seen: &Seen,
    effects: &Effects,
    changes: &[EntryChange<'_>],
) -> Vec<Part> {
    let stamp = core.next_stamp(seen.item.row.as_ref().map(|stored| stored.stamp));
    let mut own = empty_part(mutation);
    own.expects.push(expect(mutation.key.row().clone(), &seen.item));
    own.writes.push(row_write(mutation.key.row().clone(), effects.new.as_ref(), stamp));
    own.tallies.push(item_tally(mutation, effects.old.as_ref(), effects.new.as_ref()));
    if let (Some(found), Some(size)) = (&seen.collection, effects.collection) {
        let row = layout::collection_row();
        own.expects.push(expect(row.clone(), found));
        let stamp = core.next_stamp(found.row.as_ref().map(|stored| stored.stamp));
        let value = size.to_be_bytes().to_vec().into();
        own.writes.push(Write::Put { row, stored: Stored { stamp, value } });
    }
    let mut parts = vec![own];
    for (address, found) in &seen.filling {
        part_of(&mut parts, address).expects.push(expect(address.row.clone(), found));
    }
    for change in changes {
        add_change(&mut parts, mutation.table, change, stamp);
    }
    parts
}

fn row_write(row: hashrange_store::RowKey, image: Option<&Row>, stamp: Stamp) -> Write {
    match image {
        Some(image) => Write::Put { row, stored: Stored { stamp, value: image.clone().into_bytes() } },
        None => Write::Delete { row },
    }
}

fn add_change(parts: &mut Vec<Part>, table: &Table, change: &EntryChange<'_>, stamp: Stamp) {
    parts[0].tallies.push(change.tally(table));
    if let Some(address) = change.removed() {
        part_of(parts, address).writes.push(index::delete(address));
    }
    if let Some(entry) = &change.new {
        let write = row_write(entry.address.row.clone(), Some(&entry.row), stamp);
        part_of(parts, &entry.address).writes.push(write);
    }
}

/// The commit's part for the partition of `address`.
fn part_of<'p>(parts: &'p mut Vec<Part>, address: &Address) -> &'p mut Part {
    let same = |part: &Part| part.space == address.space && part.partition == address.partition;
    let at = parts.iter().position(same).unwrap_or_else(|| {
        parts.push(Part {
            space: address.space,
            partition: address.partition.clone(),
            expects: Vec::new(),
            writes: Vec::new(),
            log: None,
            tallies: Vec::new(),
        });
        parts.len() - 1
    });
    &mut parts[at]
}

impl Core {
    /// A name for a commit.
    pub(crate) fn commit_id(&self) -> CommitId {
        let high = u128::from(self.env.random.next_u64());
        CommitId((high << 64) | u128::from(self.env.random.next_u64()))
    }
}
