//! What a request will touch: the same value is run by the engine and printed by `explain`.

mod batch;
mod reading;

use std::fmt;
use std::sync::Arc;

use hashrange_api::Error;
use hashrange_item::{Attributes, Row};
use hashrange_language::Update;

use crate::catalog::{Scope, Table};
use crate::check::{CheckedGet, CheckedWrite, WriteKind};
use crate::core::Core;
use crate::index::{self, Origin};
use crate::key::ItemKey;
use crate::write::Action;

pub(crate) use batch::{BatchGetPlan, BatchWritePlan, get as batch_get, write as batch_write};
pub(crate) use reading::{RangePlan, Source, SweepPlan, query, scan};

/// Where a request goes. Made only from what was checked, on a table that can be used.
#[derive(Debug)]
pub(crate) enum Plan {
    /// One item by its primary key.
    KeyLookup(KeyLookup),
    /// One item and its index entries.
    WriteSet(WriteSet),
    /// Part of one partition, in order.
    RangeRead(RangePlan),
    /// One slice of a whole table or index.
    SweepSegment(SweepPlan),
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
            Image::Update(update) => Action::Update(update),
            Image::Delete => Action::Delete,
        }
    }
}

/// The table as it is now, for a write that was planned before it was changed.
pub(crate) fn again(core: &Core, table: &Table, image: &Image) -> Result<Arc<Table>, Error> {
    let now = core.catalog.active(&table.scope, &table.name)?;
    if now.id != table.id {
        return Err(Error::resource_not_found(hashrange_api::message::item::table_not_found()));
    }
    if let Image::Put(row) = image {
        index::check_keys(&now, row, Origin::Put)?;
    }
    Ok(now)
}

/// Plans the look-up of one item.
pub(crate) fn get(core: &Core, scope: &Scope, get: CheckedGet) -> Result<KeyLookup, Error> {
    let table = core.catalog.active(scope, &get.table_name)?;
    let key = ItemKey::of_lookup(&table, &get.key)?;
    Ok(KeyLookup { table, key, get })
}

/// Plans the write of one item.
pub(crate) fn write(core: &Core, scope: &Scope, mut write: CheckedWrite) -> Result<WriteSet, Error> {
    let table = core.catalog.active(scope, &write.table_name)?;
    let (key, image) = match std::mem::replace(&mut write.kind, WriteKind::Delete(Attributes::new())) {
        WriteKind::Put(item, row) => {
            let key = ItemKey::of_item(&table, &item)?;
            index::check_keys(&table, &item, Origin::Put)?;
            (key, Image::Put(row))
        }
        WriteKind::Update(key, update) => {
            let key = ItemKey::of_lookup(&table, &key)?;
            check_targets(&table, &update)?;
            (key, Image::Update(update))
        }
        WriteKind::Delete(key) => (ItemKey::of_lookup(&table, &key)?, Image::Delete),
    };
    Ok(WriteSet { table, key, image, write })
}

/// Key attributes cannot be updated.
fn check_targets(table: &Table, update: &Update) -> Result<(), Error> {
    let key = &table.schema.key;
    match update.targets().find(|path| key.contains(path.top())) {
        Some(path) => Err(Error::validation(hashrange_api::message::item::key_update(path.top()))),
        None => Ok(()),
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plan::KeyLookup(plan) => plan.fmt(f),
            Plan::WriteSet(plan) => plan.fmt(f),
            Plan::RangeRead(plan) => plan.fmt(f),
            Plan::SweepSegment(plan) => plan.fmt(f),
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
        let verb = match self.image {
            Image::Put(_) => "put",
            Image::Update(_) => "update",
            Image::Delete => "delete",
        };
        write!(f, "WriteSet on {} ({verb})", self.table.name)?;
        if let Some(condition) = &self.write.condition {
            write!(f, " if {condition}")?;
        }
        let indexes: Vec<_> = index::all(&self.table).map(index::Index::name).collect();
        if indexes.is_empty() { Ok(()) } else { write!(f, ", keeps {}", indexes.join(", ")) }
    }
}
