//! Plans of BatchGetItem and BatchWriteItem: every table is there, every key fits, no item is named twice.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use hashrange_api::{Error, message};
use hashrange_item::{Lookup, Row};
use hashrange_store::Address;

use super::Image;
use crate::budget::Limit;
use crate::catalog::{Scope, Table};
use crate::check::{BatchGetTable, CheckedBatchGet, CheckedBatchWrite, WriteKind};
use crate::core::Core;
use crate::index::{self, Origin};
use crate::key::ItemKey;

/// The look-ups of a batch.
#[derive(Debug)]
pub(crate) struct BatchGetPlan {
    pub(crate) get: CheckedBatchGet,
    /// Table and keys, in the order of `get.tables`.
    pub(crate) tables: Vec<(Arc<Table>, Vec<ItemKey>)>,
}

/// The writes of a batch.
#[derive(Debug)]
pub(crate) struct BatchWritePlan {
    pub(crate) write: CheckedBatchWrite,
    /// Table and writes, in the order of `write.tables`.
    pub(crate) tables: Vec<TableWrites>,
    /// What all of it may cost.
    pub(crate) limit: Option<Box<Limit>>,
}

/// A table and what is written to it.
pub(crate) type TableWrites = (Arc<Table>, Vec<(ItemKey, Image)>);

/// Plans a BatchGetItem.
pub(crate) fn get(core: &Core, scope: &Scope, get: CheckedBatchGet) -> Result<BatchGetPlan, Error> {
    let mut tables = Vec::with_capacity(get.tables.len());
    let mut seen = BTreeSet::new();
    for wanted in &get.tables {
        let table = core.catalog.active(scope, &wanted.table_name)?;
        let keys = keys(&table, wanted)?;
        super::check_projection(&table, wanted.projection.as_ref())?;
        refuse_duplicates(&mut seen, keys.iter())?;
        tables.push((table, keys));
    }
    Ok(BatchGetPlan { get, tables })
}

fn keys(table: &Table, wanted: &BatchGetTable) -> Result<Vec<ItemKey>, Error> {
    wanted.request.keys.iter().map(|key| ItemKey::of_lookup(table, key)).collect()
}

/// Plans a BatchWriteItem. One write that cannot be right refuses them all.
pub(crate) fn write(
    core: &Core,
    scope: &Scope,
    mut write: CheckedBatchWrite,
) -> Result<BatchWritePlan, Error> {
    let mut tables = Vec::with_capacity(write.tables.len());
    let mut seen = BTreeSet::new();
    for (name, kinds) in &mut write.tables {
        let table = core.catalog.active(scope, name)?;
        let writes = std::mem::take(kinds).into_iter().map(|kind| planned(&table, kind));
        let writes: Vec<_> = writes.collect::<Result<_, _>>()?;
        refuse_duplicates(&mut seen, writes.iter().map(|(key, _)| key))?;
        tables.push((table, writes));
    }
    Ok(BatchWritePlan { write, tables, limit: None })
}

fn planned(table: &Table, kind: WriteKind) -> Result<(ItemKey, Image), Error> {
    match kind {
        WriteKind::Put(row) => {
            let key = ItemKey::of_item(table, &row).map_err(|error| batch_key_error(table, &row, error))?;
            index::check_keys(table, &row, Origin::Put)?;
            index::check_local_size(table, &key, &row)?;
            Ok((key, Image::Put(row)))
        }
        WriteKind::Delete(key) => Ok((ItemKey::of_lookup(table, &key)?, Image::Delete)),
        WriteKind::Update(key, update) => Ok((ItemKey::of_lookup(table, &key)?, Image::Update(update))),
    }
}

/// A key of the wrong type, or none, does not match the schema, in a batch; the other faults of a key keep their texts.
fn batch_key_error(table: &Table, item: &Row, error: Error) -> Error {
    let wrong = table.schema.key.attributes().any(|attribute| {
        let value = item.attribute(&attribute.name);
        value.is_none_or(|value| !crate::key::has_declared_kind(&value, attribute))
    });
    if wrong { Error::validation(message::item::key_mismatch()) } else { error }
}

/// `seen` is of the whole batch: one table may stand in it by its name and by its ARN.
fn refuse_duplicates<'a>(
    seen: &mut BTreeSet<Address>,
    keys: impl Iterator<Item = &'a ItemKey>,
) -> Result<(), Error> {
    for key in keys {
        if !seen.insert(key.address.clone()) {
            return Err(Error::validation(message::item::batch_duplicates()));
        }
    }
    Ok(())
}

impl fmt::Display for BatchGetPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables.iter().map(|(table, keys)| format!("{} on {}", keys.len(), table.name));
        write!(f, "KeyLookups: {}", tables.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for BatchWritePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables.iter().map(|(table, writes)| format!("{} on {}", writes.len(), table.name));
        write!(f, "WriteSets: {}", tables.collect::<Vec<_>>().join(", "))
    }
}
