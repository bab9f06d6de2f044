//! What a request will touch: the same value is run by the engine and printed by `explain`.

mod batch;
mod outline;
mod reading;
mod statement;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use hashrange_api::{Error, message};
use hashrange_item::{Attributes, Row};
use hashrange_language::{Condition, Projection, Update};

use crate::budget::Limit;
use crate::capacity::Units;
use crate::catalog::{Scope, Table, TableOperation};
use crate::check::{Checked, CheckedGet, CheckedWrite, WriteKind};
use crate::core::Core;
use crate::index::{self, Origin};
use crate::key::ItemKey;
use crate::transact::{self, TransactGetPlan, TransactWritePlan};
use crate::write::{Action, Mutation, UpdateGate};

pub use outline::{Field, IndexOutline, PlanOutline, TableOutline};

pub(crate) use batch::{BatchGetPlan, BatchWritePlan, TableWrites};
pub(crate) use reading::{RangePlan, Source, SweepPlan};
pub(crate) use statement::{StatementPlan, StatementRun, StatementsPlan, TransactionPlan};

/// Where a request goes. Made only by [`Engine::plan`](crate::Engine::plan), from what was checked and on tables that can
/// be used; printed by `explain`.
#[derive(Debug)]
pub struct Plan(pub(crate) Planned);

#[derive(Debug)]
pub(crate) enum Planned {
    /// One item by its primary key.
    KeyLookup(Box<KeyLookup>),
    /// One item and its index entries.
    WriteSet(Box<WriteSet>),
    /// Part of one partition, in order.
    RangeRead(Box<RangePlan>),
    /// One slice of a whole table or index.
    SweepSegment(Box<SweepPlan>),
    /// Many items by their primary keys.
    KeyLookups(Box<BatchGetPlan>),
    /// Many items and their index entries.
    WriteSets(Box<BatchWritePlan>),
    /// Many items at one instant.
    TransactGet(Box<TransactGetPlan>),
    /// Many items and their index entries, in one commit.
    TransactWrite(Box<TransactWritePlan>),
    /// A statement, as the operation that it is.
    Statement(Box<StatementPlan>),
    /// Many statements.
    Statements(Box<StatementsPlan>),
    /// Many statements, as one transaction.
    Transaction(Box<TransactionPlan>),
    /// Tables themselves.
    Tables(TableOperation),
}

impl Plan {
    /// Plans what was checked.
    pub(crate) fn new(core: &Core, scope: &Scope, checked: Checked) -> Result<Plan, Error> {
        Ok(Plan(match checked {
            Checked::Get(checked) => {
                let plan = get(core, scope, *checked)?;
                check_projection(&plan.table, plan.get.projection.as_ref())?;
                Planned::KeyLookup(Box::new(plan))
            }
            Checked::Write(checked) => {
                let plan = write(core, scope, *checked)?;
                check_write_paths(&plan.table, plan.write.condition.as_ref(), Some(&plan.image))?;
                Planned::WriteSet(Box::new(plan))
            }
            Checked::Query(checked) => Planned::RangeRead(Box::new(reading::query(core, scope, *checked)?)),
            Checked::Scan(checked) => Planned::SweepSegment(Box::new(reading::scan(core, scope, *checked)?)),
            Checked::BatchGet(checked) => Planned::KeyLookups(Box::new(batch::get(core, scope, *checked)?)),
            Checked::BatchWrite(checked) => {
                Planned::WriteSets(Box::new(batch::write(core, scope, *checked)?))
            }
            Checked::TransactGet(checked) => {
                Planned::TransactGet(Box::new(transact::plan_get(core, scope, *checked)?))
            }
            Checked::TransactWrite(checked) => {
                Planned::TransactWrite(Box::new(transact::plan_write(core, scope, *checked)?))
            }
            Checked::Statement(checked) => {
                Planned::Statement(Box::new(statement::single(core, scope, *checked)?))
            }
            Checked::Statements(checked) => {
                Planned::Statements(Box::new(statement::batch(core, scope, *checked)?))
            }
            Checked::Transaction(checked) => {
                Planned::Transaction(Box::new(statement::transaction(core, scope, *checked)?))
            }
            Checked::Table(operation) => Planned::Tables(operation),
        }))
    }

    /// How the capacity that the plan consumes follows from what it touches.
    pub fn expected(&self) -> String {
        match &self.0 {
            Planned::KeyLookup(plan) => expected_lookup(plan),
            Planned::KeyLookups(_) => "one read of each item by itself".to_owned(),
            Planned::WriteSet(_) | Planned::WriteSets(_) => expected_write(),
            Planned::TransactGet(_) => expected_transact_get(),
            Planned::TransactWrite(_) => expected_transact_write(),
            Planned::RangeRead(plan) => expected_range(plan),
            Planned::SweepSegment(plan) => expected_sweep(plan),
            Planned::Statement(plan) => plan.expected(),
            Planned::Statements(_) => "one read or write of each item by itself".to_owned(),
            Planned::Transaction(plan) => plan.expected(),
            Planned::Tables(_) => "nothing".to_owned(),
        }
    }
}

fn expected_lookup(plan: &KeyLookup) -> String {
    format!("{} of the item, at least one such", read_unit(plan.get.consistent))
}

fn expected_write() -> String {
    "1 write unit for each KB of the larger image, and the same for each index entry that changes".to_owned()
}

fn expected_transact_get() -> String {
    "2 read units for each 4 KB of each item".to_owned()
}

fn expected_transact_write() -> String {
    "2 write units for each KB of the larger image of each item, and 1 for each KB of an index entry that changes"
        .to_owned()
}

fn expected_range(plan: &RangePlan) -> String {
    page(&plan.source, plan.reading.consistent, "rows in the range")
}

fn expected_sweep(plan: &SweepPlan) -> String {
    page(&plan.source, plan.reading.consistent, "every row: the whole costs more as the table grows")
}

fn read_unit(consistent: bool) -> &'static str {
    if consistent { "1 read unit for each 4 KB" } else { "0.5 read units for each 4 KB" }
}

/// A page examines at most a megabyte.
fn page(source: &Source, consistent: bool, what: &str) -> String {
    let most = if consistent { 256 } else { 128 };
    let fetched = if source.fetch { ", and one read of the table for each entry" } else { "" };
    format!("{} examined ({what}), at most {most} in a page{fetched}", read_unit(consistent))
}

/// The look-up of one item.
#[derive(Debug)]
pub(crate) struct KeyLookup {
    pub(crate) table: Arc<Table>,
    pub(crate) key: ItemKey,
    pub(crate) get: CheckedGet,
}

/// The write of one item.
#[derive(Debug)]
pub(crate) struct WriteSet {
    pub(crate) table: Arc<Table>,
    pub(crate) key: ItemKey,
    pub(crate) image: Image,
    pub(crate) write: CheckedWrite,
    /// What it may cost; boxed, for few writes have one.
    pub(crate) limit: Option<Box<Limit>>,
}

impl WriteSet {
    /// The change of the item.
    pub(crate) fn mutation(&self) -> Mutation<'_> {
        Mutation {
            table: &self.table,
            key: &self.key,
            condition: self.write.condition.as_ref(),
            action: self.image.action(),
            limit: self.limit.as_deref(),
        }
    }
}

/// What a write leaves.
#[derive(Debug)]
pub(crate) enum Image {
    /// This item.
    Put(Row),
    /// The item changed by this update.
    Update(Update),
    /// Nothing.
    Delete,
}

impl Image {
    /// The change that leaves this image.
    pub(crate) fn action(&self) -> Action<'_> {
        match self {
            Image::Put(row) => Action::Put(row),
            Image::Update(update) => Action::Update(update, UpdateGate::Statement),
            Image::Delete => Action::Delete,
        }
    }

    /// What writing it costs at least.
    pub(crate) fn least_units(&self) -> Units {
        match self {
            Image::Put(row) => Units::write(row.item_size()),
            Image::Update(_) | Image::Delete => Units::write(0),
        }
    }

    /// What is done to the item, in one word.
    pub(crate) fn verb(&self) -> &'static str {
        match self {
            Image::Put(_) => "put",
            Image::Update(_) => "update",
            Image::Delete => "delete",
        }
    }
}

/// The table as it is now, unless it is gone.
pub(crate) fn same_table(core: &Core, table: &Table) -> Result<Arc<Table>, Error> {
    let now = core.catalog.active(&table.scope, &table.name)?;
    if now.id != table.id {
        return Err(Error::resource_not_found(message::item::table_not_found()));
    }
    Ok(now)
}

/// The table as it is now, for a write that was planned before it was changed.
pub(crate) fn again(core: &Core, table: &Table, image: &Image) -> Result<Arc<Table>, Error> {
    let now = same_table(core, table)?;
    if let Image::Put(row) = image {
        index::check_keys(&now, row, Origin::Put)?;
    }
    Ok(now)
}

/// Plans the look-up of one item.
fn get(core: &Core, scope: &Scope, get: CheckedGet) -> Result<KeyLookup, Error> {
    let table = core.catalog.active(scope, &get.table_name)?;
    let key = ItemKey::of_lookup(&table, &get.key)?;
    Ok(KeyLookup { table, key, get })
}

/// Plans the write of one item.
fn write(core: &Core, scope: &Scope, mut write: CheckedWrite) -> Result<WriteSet, Error> {
    let table = core.catalog.active(scope, &write.table_name)?;
    let (key, image) = match std::mem::replace(&mut write.kind, WriteKind::Delete(Attributes::new())) {
        WriteKind::Put(row) => {
            let key = ItemKey::of_item(&table, &row)?;
            index::check_keys(&table, &row, Origin::Put)?;
            index::check_local_size(&table, &key, &row)?;
            (key, Image::Put(row))
        }
        WriteKind::Update(key, update) => {
            let key = ItemKey::of_lookup(&table, &key)?;
            check_targets(&table, &update)?;
            (key, Image::Update(update))
        }
        WriteKind::Delete(key) => (ItemKey::of_lookup(&table, &key)?, Image::Delete),
    };
    Ok(WriteSet { table, key, image, write, limit: None })
}

/// Key attributes cannot be updated.
pub(crate) fn check_targets(table: &Table, update: &Update) -> Result<(), Error> {
    let key = &table.schema.key;
    match update.targets().find(|path| key.contains(path.top())) {
        Some(path) => Err(Error::validation(message::item::key_update(path.top()))),
        None => Ok(()),
    }
}

/// Key attributes, the table's and its indexes', are scalars: no expression of a request looks into one. (PartiQL
/// statements are not held to it: what AWS does there is not on record.)
pub(crate) fn check_nested(table: &Table, nested: &BTreeSet<&str>) -> Result<(), Error> {
    if nested.is_empty() {
        return Ok(());
    }
    let mut keys = table.schema.key.attributes();
    if let Some(key) = keys.find(|key| nested.contains(key.name.as_str())) {
        return Err(Error::validation(message::expression::nested_key(&key.name)));
    }
    let mut keys = index::all(table).flat_map(index::Index::key_attributes);
    match keys.find(|key| nested.contains(key.name.as_str())) {
        Some(key) => Err(Error::validation(message::expression::nested_index_key(&key.name))),
        None => Ok(()),
    }
}

/// [`check_nested`] of a projection.
pub(crate) fn check_projection(table: &Table, projection: Option<&Projection>) -> Result<(), Error> {
    projection.map_or(Ok(()), |projection| check_nested(table, &projection.nested_attributes()))
}

/// [`check_nested`] of what a write does and what must hold for it.
pub(crate) fn check_write_paths(
    table: &Table,
    condition: Option<&Condition>,
    image: Option<&Image>,
) -> Result<(), Error> {
    if let Some(Image::Update(update)) = image {
        check_nested(table, &update.nested_attributes())?;
    }
    condition.map_or(Ok(()), |condition| check_nested(table, &condition.nested_attributes()))
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Planned::KeyLookup(plan) => plan.fmt(f),
            Planned::WriteSet(plan) => plan.fmt(f),
            Planned::RangeRead(plan) => plan.fmt(f),
            Planned::SweepSegment(plan) => plan.fmt(f),
            Planned::KeyLookups(plan) => plan.fmt(f),
            Planned::WriteSets(plan) => plan.fmt(f),
            Planned::TransactGet(plan) => plan.fmt(f),
            Planned::TransactWrite(plan) => plan.fmt(f),
            Planned::Statement(plan) => plan.fmt(f),
            Planned::Statements(plan) => plan.fmt(f),
            Planned::Transaction(plan) => plan.fmt(f),
            Planned::Tables(_) => f.write_str("TableOperation"),
        }
    }
}

impl fmt::Display for KeyLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let freshness = if self.get.consistent { "strongly consistent" } else { "eventually consistent" };
        write!(f, "KeyLookup on {} ({freshness})", self.table.name)
    }
}

impl fmt::Display for WriteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WriteSet on {} ({})", self.table.name, self.image.verb())?;
        if let Some(condition) = &self.write.condition {
            write!(f, " if {condition}")?;
        }
        let indexes: Vec<_> = index::all(&self.table).map(index::Index::name).collect();
        if indexes.is_empty() { Ok(()) } else { write!(f, ", keeps {}", indexes.join(", ")) }
    }
}
