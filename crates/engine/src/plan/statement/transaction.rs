//! ExecuteTransaction: its statements as the reads or the writes of one transaction.
//!
//! A statement that no table could make right, such as one with RETURNING, refuses the request. What is wrong between a
//! statement and its table cancels the transaction; unlike in TransactWriteItems, every such statement gives its reason.
//! A statement whose table does not exist is not looked at any further. (Source: recorded on AWS.)

use std::fmt;

use hashrange_api::message::{item, statement as text};
use hashrange_api::{Error, Operation};
use hashrange_item::{Attributes, KeyAttribute};
use hashrange_language::partiql::{Access, Bound, KeyProblem, Select, check_key, item_key, reads};

use super::select::Direction;
use super::write_of;
use crate::catalog::{Scope, Table};
use crate::check::{CheckedGet, CheckedMember, CheckedTransaction, WriteKind, key_problem};
use crate::core::Core;
use crate::key::ItemKey;
use crate::statement::in_own_words;
use crate::transact::check::{ActionKind, CheckedAction};
use crate::transact::{
    self, CheckedTransactGet, CheckedTransactWrite, Reason, TransactGetPlan, TransactWritePlan,
};

/// The transaction that the statements are.
#[derive(Debug)]
pub(crate) enum TransactionPlan {
    /// A TransactGetItems.
    Reads(TransactGetPlan),
    /// A TransactWriteItems.
    Writes(TransactWritePlan),
}

/// Plans an ExecuteTransaction.
pub(crate) fn plan(
    core: &Core,
    scope: &Scope,
    checked: CheckedTransaction,
) -> Result<TransactionPlan, Error> {
    let consumed = checked.consumed;
    if checked.reads {
        let gets = each(checked.members, |member| read(core, scope, member))?;
        let plan = transact::plan_get(core, scope, CheckedTransactGet { gets, consumed })?;
        return Ok(TransactionPlan::Reads(plan));
    }
    let writes = CheckedTransactWrite {
        operation: Operation::ExecuteTransaction,
        actions: each(checked.members, |member| action(core, scope, member))?,
        token: checked.token,
        consumed,
        collection_metrics: None,
    };
    Ok(TransactionPlan::Writes(transact::plan_write(core, scope, writes)?))
}

/// What is wrong with a statement of a transaction.
enum Fault {
    /// It refuses the request.
    Request(String),
    /// It is a reason to cancel the transaction.
    Reason(Error),
}

/// What each statement is. The first that refuses the request counts, then all reasons to cancel it.
fn each<T>(
    members: Vec<CheckedMember>,
    lower: impl Fn(CheckedMember) -> Result<T, Fault>,
) -> Result<Vec<T>, Error> {
    let count = members.len();
    let (mut lowered, mut reasons) = (Vec::with_capacity(count), Vec::new());
    for (at, member) in members.into_iter().enumerate() {
        match lower(member) {
            Ok(member) => lowered.push(member),
            Err(Fault::Request(fault)) => {
                return Err(Error::validation(text::in_transaction(at, &fault)));
            }
            Err(Fault::Reason(error)) => reasons.push((at, Reason::of_statement(in_own_words(error))?)),
        }
    }
    if reasons.is_empty() { Ok(lowered) } else { Err(transact::cancelled(count, reasons)) }
}

fn request(error: Error) -> Fault {
    Fault::Request(error.message.unwrap_or_default())
}

fn mismatch() -> Fault {
    Fault::Reason(Error::validation(item::key_mismatch()))
}

/// The look-up of one item that a SELECT is.
fn read(core: &Core, scope: &Scope, member: CheckedMember) -> Result<CheckedGet, Fault> {
    let Bound::Select(select) = member.bound else { unreachable!("all statements read, or none does") };
    let table = core.catalog.active(scope, &select.table).map_err(Fault::Reason)?;
    if select.index.is_some() {
        return Err(Fault::Request(text::index_in_transaction()));
    }
    let key = whole_key(&table, &select)?;
    ItemKey::of_lookup(&table, &key).map_err(Fault::Reason)?;
    Ok(CheckedGet {
        table_name: select.table,
        key,
        consistent: true,
        projection: select.projection,
        consumed: None,
    })
}

/// The key that a WHERE clause names, where it says nothing else.
fn whole_key(table: &Table, select: &Select) -> Result<Attributes, Fault> {
    let without_key = || Fault::Request(text::select_without_key(Operation::ExecuteTransaction.name()));
    let (hash, range) = (&table.schema.key.hash, table.schema.key.range.as_ref());
    let access = match reads(select.condition.clone(), hash, range) {
        Ok(access) => access,
        Err(KeyProblem::Type { .. }) => {
            let only_key = item_key(select.condition.clone(), &keys(table));
            return Err(if matches!(only_key, Ok((_, None))) { mismatch() } else { without_key() });
        }
        Err(problem) => return Err(request(key_problem(&problem))),
    };
    Direction::of(&select.order, select.condition.is_some(), &access, hash, range).map_err(request)?;
    match access {
        Access::Reads(found) if found.len() == 1 && found[0].filter.is_none() => {
            found[0].item(keys(table).len()).ok_or_else(without_key)
        }
        Access::Reads(_) | Access::Scan(_) => Err(without_key()),
    }
}

fn keys(table: &Table) -> Vec<&KeyAttribute> {
    table.schema.key.attributes().collect()
}

/// The write or the check that a statement is.
fn action(core: &Core, scope: &Scope, member: CheckedMember) -> Result<CheckedAction, Fault> {
    let CheckedMember { bound, return_on_failure } = member;
    let table_name = bound.table().to_owned();
    let table = core.catalog.active(scope, &table_name).map_err(Fault::Reason)?;
    if bound.returning().is_some() {
        return Err(Fault::Request(text::returning_in_transaction()));
    }
    let (kind, condition) = match bound {
        Bound::Exists(select) => exists(&table, select)?,
        bound => {
            let is_insert = matches!(bound, Bound::Insert { .. });
            // Whatever is wrong with the key of an UPDATE or a DELETE is told in the words of TransactWriteItems.
            let fault = |error| if is_insert { Fault::Reason(error) } else { mismatch() };
            let (write, _) = write_of(core, scope, bound).map_err(fault)?;
            (ActionKind::Write(write.kind), write.condition)
        }
    };
    check_key_of(&table, &kind).map_err(Fault::Reason)?;
    Ok(CheckedAction { table_name, kind, condition, return_on_failure })
}

/// The check of one item that an EXISTS is.
fn exists(
    table: &Table,
    select: Select,
) -> Result<(ActionKind, Option<hashrange_language::Condition>), Fault> {
    if select.index.is_some() {
        return Err(Fault::Request(text::exists_of_index()));
    }
    let target = check_key(select.condition, &keys(table));
    let (key, condition) = target.ok_or_else(|| Fault::Request(text::exists_without_condition()))?;
    Ok((ActionKind::Check(key), Some(condition)))
}

fn check_key_of(table: &Table, kind: &ActionKind) -> Result<(), Error> {
    let key = match kind {
        ActionKind::Write(WriteKind::Put(row)) => ItemKey::of_item(table, row),
        ActionKind::Write(WriteKind::Update(key, _) | WriteKind::Delete(key)) | ActionKind::Check(key) => {
            ItemKey::of_lookup(table, key)
        }
    };
    key.map(|_| ())
}

impl TransactionPlan {
    /// As [`Plan::expected`](crate::plan::Plan::expected).
    pub(in crate::plan) fn expected(&self) -> String {
        match self {
            TransactionPlan::Reads(_) => crate::plan::expected_transact_get(),
            TransactionPlan::Writes(_) => crate::plan::expected_transact_write(),
        }
    }
}

impl fmt::Display for TransactionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransactionPlan::Reads(plan) => plan.fmt(f),
            TransactionPlan::Writes(plan) => plan.fmt(f),
        }
    }
}
