//! Plans of statements: each becomes the checked operation that its API twin would be, and is planned as that.

mod select;
mod transaction;

use std::collections::BTreeSet;
use std::fmt;

use hashrange_api::message::statement as text;
use hashrange_api::{Error, Operation, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure, message};
use hashrange_item::Attributes;
use hashrange_language::Condition;
use hashrange_language::partiql::{Bound, Returning, item_key};
use hashrange_store::Address;

use super::{KeyLookup, RangePlan, SweepPlan, WriteSet};
use crate::budget::Limit;
use crate::catalog::Scope;
use crate::check::{
    CheckedStatement, CheckedStatements, CheckedWrite, StatementSource, WriteKind, key_problem,
};
use crate::core::Core;
use crate::write::new_row;

pub(crate) use transaction::{TransactionPlan, plan as transaction};

/// A statement as the operation that it is.
#[derive(Debug)]
pub(crate) struct StatementPlan {
    /// As the statement spells it.
    pub(crate) table_name: String,
    pub(crate) run: StatementRun,
    pub(crate) returning: Option<Returning>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
    pub(crate) source: StatementSource,
}

/// The operation.
#[derive(Debug)]
pub(crate) enum StatementRun {
    /// A GetItem.
    Lookup(Box<KeyLookup>),
    /// A PutItem, UpdateItem or DeleteItem with its condition.
    Write(Box<WriteSet>),
    /// Queries, one after the other, from that position on.
    Ranges { first: usize, ranges: Vec<RangePlan> },
    /// A Scan.
    Sweep(Box<SweepPlan>),
}

/// Statements of a batch, each with its plan or with what is wrong with it.
#[derive(Debug)]
pub(crate) struct StatementsPlan {
    pub(crate) members: Vec<Result<StatementPlan, Error>>,
    /// What all of its writes may cost.
    pub(crate) limit: Option<Box<Limit>>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// Plans an ExecuteStatement.
pub(crate) fn single(
    core: &Core,
    scope: &Scope,
    mut checked: CheckedStatement,
) -> Result<StatementPlan, Error> {
    let consumed = checked.consumed;
    let (table_name, run, returning) = match take(&mut checked) {
        Bound::Select(select) => {
            let table_name = select.table.clone();
            (table_name, select::plan(core, scope, select, &checked)?, None)
        }
        bound => written(core, scope, bound, checked.return_on_failure)?,
    };
    Ok(StatementPlan { table_name, run, returning, consumed, source: checked.source })
}

fn take(checked: &mut CheckedStatement) -> Bound {
    let nothing = Bound::Insert { table: String::new(), item: Attributes::new() };
    std::mem::replace(&mut checked.bound, nothing)
}

/// Plans a BatchExecuteStatement. No item may be named twice.
pub(crate) fn batch(core: &Core, scope: &Scope, checked: CheckedStatements) -> Result<StatementsPlan, Error> {
    let members = checked.members.into_iter();
    let members: Vec<_> = members.map(|member| member.and_then(|member| one(core, scope, member))).collect();
    let mut seen: BTreeSet<&Address> = BTreeSet::new();
    for plan in members.iter().flatten() {
        let key = match &plan.run {
            StatementRun::Lookup(plan) => &plan.key,
            StatementRun::Write(plan) => &plan.key,
            StatementRun::Ranges { .. } | StatementRun::Sweep(_) => continue,
        };
        if !seen.insert(&key.address) {
            return Err(Error::validation(message::item::batch_duplicates()));
        }
    }
    Ok(StatementsPlan { members, limit: None, consumed: checked.consumed })
}

/// A SELECT of a batch reads one item by its key.
fn one(core: &Core, scope: &Scope, checked: CheckedStatement) -> Result<StatementPlan, Error> {
    let plan = single(core, scope, checked)?;
    match plan.run {
        StatementRun::Lookup(_) | StatementRun::Write(_) => Ok(plan),
        StatementRun::Ranges { .. } | StatementRun::Sweep(_) => {
            let operation = Operation::BatchExecuteStatement.name();
            Err(Error::validation(text::select_without_key(operation)))
        }
    }
}

/// The table as the statement spells it, the write, and what it answers.
type Written = (String, StatementRun, Option<Returning>);

fn written(
    core: &Core,
    scope: &Scope,
    bound: Bound,
    return_on_failure: Option<ReturnValuesOnConditionCheckFailure>,
) -> Result<Written, Error> {
    let (mut write, returning) = write_of(core, scope, bound)?;
    write.return_on_failure = return_on_failure;
    let table_name = write.table_name.clone();
    let plan = super::write(core, scope, write)?;
    Ok((table_name, StatementRun::Write(Box::new(plan)), returning))
}

/// The write that a statement is: of one item, with a condition.
///
/// An INSERT writes an item only where there is none, an UPDATE only where there is one; a DELETE of an item that is not
/// there does nothing, whatever else its WHERE clause asks. (Source: recorded on AWS.)
pub(crate) fn write_of(
    core: &Core,
    scope: &Scope,
    bound: Bound,
) -> Result<(CheckedWrite, Option<Returning>), Error> {
    match bound {
        Bound::Insert { table, item } => {
            let row = new_row(Operation::ExecuteStatement, item.into())?;
            let hash = &core.catalog.active(scope, &table)?.schema.key.hash;
            let condition = Condition::attribute_not_exists(&hash.name);
            Ok((checked(table, WriteKind::Put(row), Some(condition)), None))
        }
        Bound::Update { table, update, condition, returning } => {
            let (key, hash, rest) = target(core, scope, &table, condition)?;
            let condition = Condition::attribute_exists(&hash).and(rest);
            Ok((checked(table, WriteKind::Update(key, update), Some(condition)), returning))
        }
        Bound::Delete { table, condition, returning } => {
            let (key, hash, rest) = target(core, scope, &table, condition)?;
            let condition = rest.map(|rest| Condition::attribute_not_exists(&hash).or(rest));
            Ok((checked(table, WriteKind::Delete(key), condition), returning))
        }
        Bound::Select(_) | Bound::Exists(_) => {
            unreachable!("a SELECT is planned as a read, and EXISTS as a check of a transaction")
        }
    }
}

/// The key that a WHERE clause names, the partition key's name, and what else must hold.
fn target(
    core: &Core,
    scope: &Scope,
    table: &str,
    condition: Option<Condition>,
) -> Result<(Attributes, String, Option<Condition>), Error> {
    let table = core.catalog.active(scope, table)?;
    let keys: Vec<_> = table.schema.key.attributes().collect();
    let (key, rest) = item_key(condition, &keys).map_err(|problem| key_problem(&problem))?;
    Ok((key, table.schema.key.hash.name.clone(), rest))
}

fn checked(table_name: String, kind: WriteKind, condition: Option<Condition>) -> CheckedWrite {
    CheckedWrite {
        table_name,
        kind,
        condition,
        return_values: None,
        return_on_failure: None,
        consumed: None,
        collection_metrics: None,
    }
}

impl StatementPlan {
    /// As [`Plan::expected`](super::Plan::expected).
    pub(super) fn expected(&self) -> String {
        match &self.run {
            StatementRun::Lookup(plan) => super::expected_lookup(plan),
            StatementRun::Write(_) => super::expected_write(),
            StatementRun::Ranges { ranges, .. } => {
                let one = ranges.first().map(super::expected_range).unwrap_or_default();
                if ranges.len() > 1 { format!("for each read {one}") } else { one }
            }
            StatementRun::Sweep(plan) => super::expected_sweep(plan),
        }
    }
}

impl fmt::Display for StatementPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.run {
            StatementRun::Lookup(plan) => plan.fmt(f),
            StatementRun::Write(plan) => plan.fmt(f),
            StatementRun::Sweep(plan) => plan.fmt(f),
            StatementRun::Ranges { ranges, .. } => {
                let ranges: Vec<_> = ranges.iter().map(ToString::to_string).collect();
                f.write_str(&ranges.join(" + "))
            }
        }
    }
}

impl fmt::Display for StatementsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = self.members.iter().map(|member| match member {
            Ok(plan) => plan.to_string(),
            Err(error) => error.to_string(),
        });
        write!(f, "Statements: {}", members.collect::<Vec<_>>().join(" + "))
    }
}
