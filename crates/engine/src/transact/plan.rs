//! Plans of transactions: every table is there, no item is named twice, every key fits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use hashrange_api::{
    Error, Operation, ReturnConsumedCapacity, ReturnItemCollectionMetrics,
    ReturnValuesOnConditionCheckFailure, message,
};
use hashrange_item::Lookup;
use hashrange_language::{Condition, Projection};

use super::cancel;
use super::check::{ActionKind, CheckedAction, CheckedTransactGet, CheckedTransactWrite, empty_key};
use super::claims::digest;
use super::token::ClientToken;
use crate::budget::Limit;
use crate::catalog::{Scope, Table};
use crate::check::WriteKind;
use crate::core::Core;
use crate::index::{self, Origin};
use crate::key::{ItemKey, has_declared_kind};
use crate::plan::{self, Image};
use crate::write::{Action, Mutation, UpdateGate};

/// A transaction of writes.
#[derive(Debug)]
pub(crate) struct TransactWritePlan {
    pub(crate) operation: Operation,
    pub(crate) actions: Vec<PlannedAction>,
    pub(crate) token: Option<ClientToken>,
    /// What all of it may cost.
    pub(crate) limit: Option<Box<Limit>>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
    pub(crate) collection_metrics: Option<ReturnItemCollectionMetrics>,
}

/// One action. All actions on one table hold the same snapshot of it.
#[derive(Debug)]
pub(crate) struct PlannedAction {
    /// As the request spells it.
    pub(crate) table_name: String,
    pub(crate) table: Arc<Table>,
    pub(crate) key: ItemKey,
    /// What is left of the item; `None` where it is only looked at.
    pub(crate) image: Option<Image>,
    pub(crate) condition: Option<Condition>,
    pub(crate) return_on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

/// A transaction of reads.
#[derive(Debug)]
pub(crate) struct TransactGetPlan {
    pub(crate) gets: Vec<PlannedGet>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// One look-up.
#[derive(Debug)]
pub(crate) struct PlannedGet {
    /// As the request spells it.
    pub(crate) table_name: String,
    pub(crate) table: Arc<Table>,
    pub(crate) key: ItemKey,
    pub(crate) projection: Option<Projection>,
}

impl PlannedAction {
    /// The change of the item.
    pub(crate) fn mutation(&self) -> Mutation<'_> {
        let action = match &self.image {
            None => Action::Check,
            Some(Image::Put(row)) => Action::Put(row),
            Some(Image::Update(update)) => Action::Update(update, UpdateGate::Item),
            Some(Image::Delete) => Action::Delete,
        };
        Mutation {
            table: &self.table,
            key: &self.key,
            condition: self.condition.as_ref(),
            action,
            limit: None,
        }
    }
}

/// Tables by the names that a request gives them, one snapshot of each.
struct Tables<'c> {
    core: &'c Core,
    scope: &'c Scope,
    by_name: BTreeMap<String, Arc<Table>>,
}

impl<'c> Tables<'c> {
    fn new(core: &'c Core, scope: &'c Scope) -> Tables<'c> {
        Tables { core, scope, by_name: BTreeMap::new() }
    }

    fn get(&mut self, name: &str) -> Result<Arc<Table>, Error> {
        if let Some(table) = self.by_name.get(name) {
            return Ok(Arc::clone(table));
        }
        let found = self.core.catalog.active(self.scope, name)?;
        // A name and an ARN may mean one table.
        let known = self.by_name.values().find(|table| table.id == found.id).cloned();
        let table = known.unwrap_or(found);
        self.by_name.insert(name.to_owned(), Arc::clone(&table));
        Ok(table)
    }
}

/// Plans a transaction of writes: empty keys are told first, then missing tables, then every other fault.
pub(crate) fn write(
    core: &Core,
    scope: &Scope,
    checked: CheckedTransactWrite,
) -> Result<TransactWritePlan, Error> {
    let mut tables = Tables::new(core, scope);
    let names = checked.actions.iter().map(|action| action.table_name.as_str());
    let tables: Vec<_> = names.map(|name| tables.get(name)).collect();
    for (action, table) in checked.actions.iter().zip(&tables) {
        table.as_ref().map_or(Ok(()), |table| refuse_empty_key(table, &action.kind))?;
    }
    let tables: Vec<_> = tables.into_iter().collect::<Result<_, _>>()?;
    let keys: Vec<_> =
        checked.actions.iter().zip(&tables).map(|(action, table)| key(table, &action.kind)).collect();
    refuse_duplicates(&keys)?;
    let count = checked.actions.len();
    let mut actions = Vec::with_capacity(count);
    for (at, ((action, table), key)) in checked.actions.into_iter().zip(tables).zip(keys).enumerate() {
        let planned = key.and_then(|key| planned(action, table, key));
        actions.push(planned.map_err(|error| cancel::cancelled_by(count, at, error))?);
    }
    Ok(TransactWritePlan {
        operation: checked.operation,
        actions,
        token: checked.token,
        limit: None,
        consumed: checked.consumed,
        collection_metrics: checked.collection_metrics,
    })
}

/// An empty key of a put is a fault of the request, unlike the other faults of keys.
fn refuse_empty_key(table: &Table, kind: &ActionKind) -> Result<(), Error> {
    let ActionKind::Write(WriteKind::Put(item)) = kind else { return Ok(()) };
    for attribute in table.schema.key.attributes() {
        let value = item.attribute(&attribute.name).filter(|value| has_declared_kind(value, attribute));
        if let Some(error) = value.and_then(|value| empty_key(&attribute.name, &value)) {
            return Err(error);
        }
    }
    Ok(())
}

fn key(table: &Table, kind: &ActionKind) -> Result<ItemKey, Error> {
    match kind {
        ActionKind::Write(WriteKind::Put(item)) => ItemKey::of_item(table, item),
        ActionKind::Write(WriteKind::Update(key, _) | WriteKind::Delete(key)) | ActionKind::Check(key) => {
            ItemKey::of_lookup(table, key)
        }
    }
}

fn refuse_duplicates(keys: &[Result<ItemKey, Error>]) -> Result<(), Error> {
    // Different digests are different items; only where two are the same, the items themselves are compared.
    let digests = keys.iter().flatten().map(|key| digest(&key.address, 0));
    let mut digests: Vec<_> = digests.collect();
    digests.sort_unstable();
    if digests.is_sorted_by(|one, other| one < other) {
        return Ok(());
    }
    let mut seen = BTreeSet::new();
    if keys.iter().flatten().all(|key| seen.insert(&key.address)) {
        return Ok(());
    }
    Err(Error::validation(message::transaction::duplicates()))
}

fn planned(action: CheckedAction, table: Arc<Table>, key: ItemKey) -> Result<PlannedAction, Error> {
    let image = match action.kind {
        ActionKind::Write(kind) => Some(image(&table, &key, kind)?),
        ActionKind::Check(_) => None,
    };
    plan::check_write_paths(&table, action.condition.as_ref(), image.as_ref())?;
    Ok(PlannedAction {
        table_name: action.table_name,
        table,
        key,
        image,
        condition: action.condition,
        return_on_failure: action.return_on_failure,
    })
}

fn image(table: &Table, key: &ItemKey, kind: WriteKind) -> Result<Image, Error> {
    match kind {
        WriteKind::Put(row) => {
            index::check_keys(table, &row, Origin::Put)?;
            index::check_local_size(table, key, &row)?;
            Ok(Image::Put(row))
        }
        WriteKind::Update(_, update) => {
            plan::check_targets(table, &update)?;
            Ok(Image::Update(update))
        }
        WriteKind::Delete(_) => Ok(Image::Delete),
    }
}

/// The same plan on the tables as they are now.
pub(crate) fn again(core: &Core, plan: &mut TransactWritePlan) -> Result<(), Error> {
    let count = plan.actions.len();
    let mut tables: BTreeMap<String, Arc<Table>> = BTreeMap::new();
    for (at, action) in plan.actions.iter_mut().enumerate() {
        let now = match tables.get(&action.table.id) {
            Some(table) => Arc::clone(table),
            None => plan::same_table(core, &action.table)?,
        };
        if let Some(Image::Put(row)) = &action.image {
            let checked = index::check_keys(&now, row, Origin::Put);
            checked.map_err(|error| cancel::cancelled_by(count, at, error))?;
        }
        tables.insert(now.id.clone(), Arc::clone(&now));
        action.table = now;
    }
    Ok(())
}

/// Plans a transaction of reads.
pub(crate) fn get(core: &Core, scope: &Scope, checked: CheckedTransactGet) -> Result<TransactGetPlan, Error> {
    let mut tables = Tables::new(core, scope);
    let names = checked.gets.iter().map(|get| get.table_name.as_str());
    let tables: Vec<_> = names.map(|name| tables.get(name)).collect::<Result<_, _>>()?;
    let keys: Vec<_> =
        checked.gets.iter().zip(&tables).map(|(get, table)| ItemKey::of_lookup(table, &get.key)).collect();
    refuse_duplicates(&keys)?;
    let count = checked.gets.len();
    let mut gets = Vec::with_capacity(count);
    for (at, ((get, table), key)) in checked.gets.into_iter().zip(tables).zip(keys).enumerate() {
        let key = key.map_err(|error| cancel::cancelled_by(count, at, error))?;
        let checked = plan::check_projection(&table, get.projection.as_ref());
        checked.map_err(|error| cancel::cancelled_by(count, at, error))?;
        gets.push(PlannedGet { table_name: get.table_name, table, key, projection: get.projection });
    }
    Ok(TransactGetPlan { gets, consumed: checked.consumed })
}

impl fmt::Display for TransactWritePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TransactWrite: ")?;
        for (at, action) in self.actions.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            action.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for PlannedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = self.image.as_ref().map_or("check", Image::verb);
        write!(f, "{verb} on {}", self.table.name)?;
        if let Some(condition) = &self.condition {
            write!(f, " if {condition}")?;
        }
        let indexes: Vec<_> = index::all(&self.table).map(index::Index::name).collect();
        if self.image.is_none() || indexes.is_empty() {
            Ok(())
        } else {
            write!(f, ", keeps {}", indexes.join(", "))
        }
    }
}

impl fmt::Display for TransactGetPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for get in &self.gets {
            *counts.entry(&get.table.name).or_default() += 1;
        }
        let tables = counts.iter().map(|(table, count)| format!("{count} on {table}"));
        write!(f, "TransactGet: {}", tables.collect::<Vec<_>>().join(", "))
    }
}
