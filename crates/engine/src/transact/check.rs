//! TransactWriteItems and TransactGetItems, checked by themselves.
//!
//! What the request alone shows is refused at once, the first action with a fault first. Other ways into a transaction
//! (statements) make the same [`CheckedTransactWrite`] and [`CheckedTransactGet`].

use std::collections::BTreeMap;

use hashrange_api::message::{self, Family};
use hashrange_api::{
    ConditionCheck, Delete, Error, Get, Operation, Put, ReturnConsumedCapacity, ReturnItemCollectionMetrics,
    ReturnValuesOnConditionCheckFailure, TransactGetItemsInput, TransactWriteItem, TransactWriteItemsInput,
    Update,
};
use hashrange_item::{AttributeValue, Attributes, NewItem, limits};
use hashrange_language::Condition;

use super::token::{ClientToken, Fingerprint};
use crate::check::{CheckedGet, Parameters, WriteKind, expression_error, refuse};
use crate::write::new_row;

const WRITE: Operation = Operation::TransactWriteItems;

/// A checked transaction of writes.
#[derive(Debug)]
pub struct CheckedTransactWrite {
    /// TransactWriteItems, or ExecuteTransaction: tokens of the two have nothing to do with each other.
    pub(crate) operation: Operation,
    pub(crate) actions: Vec<CheckedAction>,
    pub(crate) token: Option<ClientToken>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
    pub(crate) collection_metrics: Option<ReturnItemCollectionMetrics>,
}

/// One action of a transaction of writes.
#[derive(Debug)]
pub(crate) struct CheckedAction {
    pub(crate) table_name: String,
    pub(crate) kind: ActionKind,
    pub(crate) condition: Option<Condition>,
    pub(crate) return_on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

/// What an action does.
#[derive(Debug)]
pub(crate) enum ActionKind {
    /// Writes the item.
    Write(WriteKind),
    /// Only looks at the item with this key.
    Check(Attributes),
}

/// A checked transaction of reads.
#[derive(Debug)]
pub struct CheckedTransactGet {
    /// What is read from where; all of it at one instant.
    pub(crate) gets: Vec<CheckedGet>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// Checks a TransactWriteItems.
pub(crate) fn write(input: TransactWriteItemsInput) -> Result<CheckedTransactWrite, Error> {
    let mut fingerprint = input.client_request_token.is_some().then(Fingerprint::new);
    let mut drafts = Vec::with_capacity(input.transact_items.len());
    for item in input.transact_items {
        drafts.push(draft(item, fingerprint.as_mut())?);
    }
    if drafts.iter().map(|draft| draft.payload).sum::<usize>() > limits::TRANSACTION_SIZE_MAX {
        return Err(Error::validation(message::transaction::too_large()));
    }
    let mut actions = Vec::with_capacity(drafts.len());
    for draft in drafts {
        actions.push(draft.complete(fingerprint.as_mut())?);
    }
    let token = input.client_request_token.zip(fingerprint);
    Ok(CheckedTransactWrite {
        operation: WRITE,
        actions,
        token: token.map(|(text, fingerprint)| fingerprint.token(text)),
        consumed: input.return_consumed_capacity,
        collection_metrics: input.return_item_collection_metrics,
    })
}

/// An action whose expressions are in order.
struct Draft {
    table_name: String,
    kind: DraftKind,
    condition: Option<Condition>,
    return_on_failure: Option<ReturnValuesOnConditionCheckFailure>,
    /// What the action adds to the size of the request, in bytes.
    payload: usize,
}

enum DraftKind {
    Put(NewItem),
    Update(Attributes, hashrange_language::Update),
    Delete(Attributes),
    Check(Attributes),
}

fn draft(item: TransactWriteItem, fingerprint: Option<&mut Fingerprint>) -> Result<Draft, Error> {
    match item {
        TransactWriteItem { put: Some(put), update: None, delete: None, condition_check: None } => {
            draft_put(put, fingerprint)
        }
        TransactWriteItem { put: None, update: Some(update), delete: None, condition_check: None } => {
            draft_update(update, fingerprint)
        }
        TransactWriteItem { put: None, update: None, delete: Some(delete), condition_check: None } => {
            draft_delete(delete, fingerprint)
        }
        TransactWriteItem { put: None, update: None, delete: None, condition_check: Some(check) } => {
            draft_check(check, fingerprint)
        }
        TransactWriteItem { put: None, update: None, delete: None, condition_check: None } => {
            Err(Error::validation(message::transaction::no_action()))
        }
        _ => Err(Error::validation(message::transaction::several_actions())),
    }
}

/// The texts of an action, as sent.
struct Texts<'a> {
    update: Option<&'a str>,
    condition: Option<&'a str>,
    names: Option<&'a BTreeMap<String, String>>,
    values: Option<&'a Attributes>,
}

/// An action's update and condition.
type Bound = (Option<hashrange_language::Update>, Option<Condition>);

impl Texts<'_> {
    fn bind(&self) -> Result<Bound, Error> {
        let mut parameters = Parameters::new(WRITE);
        parameters.expression("UpdateExpression", self.update.is_some());
        parameters.expression("ConditionExpression", self.condition.is_some());
        parameters.check(self.names, self.values)?;
        let mut binder = parameters.binder(self.names, self.values)?;
        let update = self.update.map(|text| binder.update(text)).transpose();
        let update = update.map_err(|error| expression_error(WRITE, &error))?;
        let condition = parameters.condition(&mut binder, self.condition, None, None)?;
        parameters.finish(binder)?;
        Ok((update, condition))
    }

    fn note(&self, kind: &str, table: &str, key: Option<&Attributes>, fingerprint: Option<&mut Fingerprint>) {
        let Some(fingerprint) = fingerprint else { return };
        for text in [Some(kind), Some(table), self.update, self.condition] {
            fingerprint.text(text);
        }
        fingerprint.attributes(key);
        for (name, stands_for) in self.names.into_iter().flatten() {
            fingerprint.text(Some(name));
            fingerprint.text(Some(stands_for));
        }
        fingerprint.text(None);
        fingerprint.attributes(self.values);
    }

    fn payload(&self) -> usize {
        self.values.map_or(0, Attributes::size)
    }
}

fn draft_put(put: Put, fingerprint: Option<&mut Fingerprint>) -> Result<Draft, Error> {
    let texts = Texts {
        update: None,
        condition: put.condition_expression.as_deref(),
        names: put.expression_attribute_names.as_ref(),
        values: put.expression_attribute_values.as_ref(),
    };
    let (_, condition) = texts.bind()?;
    if put.item.depth() > limits::NESTING_MAX {
        return Err(refuse(WRITE, Family::ItemSize, message::value::too_deep()));
    }
    texts.note("Put", &put.table_name, None, fingerprint);
    Ok(Draft {
        payload: texts.payload() + put.item.size(),
        condition,
        return_on_failure: put.return_values_on_condition_check_failure,
        table_name: put.table_name,
        kind: DraftKind::Put(put.item),
    })
}

fn draft_update(update: Update, fingerprint: Option<&mut Fingerprint>) -> Result<Draft, Error> {
    let texts = Texts {
        update: Some(&update.update_expression),
        condition: update.condition_expression.as_deref(),
        names: update.expression_attribute_names.as_ref(),
        values: update.expression_attribute_values.as_ref(),
    };
    let (changes, condition) = texts.bind()?;
    texts.note("Update", &update.table_name, Some(&update.key), fingerprint);
    Ok(Draft {
        payload: texts.payload() + update.key.size(),
        condition,
        return_on_failure: update.return_values_on_condition_check_failure,
        table_name: update.table_name,
        kind: DraftKind::Update(update.key, changes.expect("an update expression was bound")),
    })
}

fn draft_delete(delete: Delete, fingerprint: Option<&mut Fingerprint>) -> Result<Draft, Error> {
    let texts = Texts {
        update: None,
        condition: delete.condition_expression.as_deref(),
        names: delete.expression_attribute_names.as_ref(),
        values: delete.expression_attribute_values.as_ref(),
    };
    let (_, condition) = texts.bind()?;
    texts.note("Delete", &delete.table_name, Some(&delete.key), fingerprint);
    Ok(Draft {
        payload: texts.payload() + delete.key.size(),
        condition,
        return_on_failure: delete.return_values_on_condition_check_failure,
        table_name: delete.table_name,
        kind: DraftKind::Delete(delete.key),
    })
}

fn draft_check(check: ConditionCheck, fingerprint: Option<&mut Fingerprint>) -> Result<Draft, Error> {
    let texts = Texts {
        update: None,
        condition: Some(&check.condition_expression),
        names: check.expression_attribute_names.as_ref(),
        values: check.expression_attribute_values.as_ref(),
    };
    let (_, condition) = texts.bind()?;
    texts.note("ConditionCheck", &check.table_name, Some(&check.key), fingerprint);
    Ok(Draft {
        payload: texts.payload() + check.key.size(),
        condition,
        return_on_failure: check.return_values_on_condition_check_failure,
        table_name: check.table_name,
        kind: DraftKind::Check(check.key),
    })
}

impl Draft {
    /// What is refused only once every action's expressions are in order: items over 400 KB and empty keys.
    fn complete(self, fingerprint: Option<&mut Fingerprint>) -> Result<CheckedAction, Error> {
        let kind = match self.kind {
            DraftKind::Put(item) => {
                let row = new_row(WRITE, item)?;
                if let Some(fingerprint) = fingerprint {
                    fingerprint.bytes(row.as_bytes());
                }
                ActionKind::Write(WriteKind::Put(row))
            }
            DraftKind::Update(key, update) => {
                refuse_empty_key(&key)?;
                ActionKind::Write(WriteKind::Update(key, update))
            }
            DraftKind::Delete(key) => {
                refuse_empty_key(&key)?;
                ActionKind::Write(WriteKind::Delete(key))
            }
            DraftKind::Check(key) => {
                refuse_empty_key(&key)?;
                ActionKind::Check(key)
            }
        };
        Ok(CheckedAction {
            table_name: self.table_name,
            kind,
            condition: self.condition,
            return_on_failure: self.return_on_failure,
        })
    }
}

/// An empty value in a key is told before the table is known.
fn refuse_empty_key(key: &Attributes) -> Result<(), Error> {
    key.iter().try_for_each(|(name, value)| match empty_key(name, value) {
        Some(error) => Err(error),
        None => Ok(()),
    })
}

/// The error of a key attribute with an empty value.
pub(super) fn empty_key(name: &str, value: &AttributeValue) -> Option<Error> {
    let text = match value {
        AttributeValue::S(text) if text.is_empty() => message::item::empty_key_string(name),
        AttributeValue::B(bytes) if bytes.is_empty() => message::item::empty_key_binary(name),
        _ => return None,
    };
    Some(refuse(WRITE, Family::EmptyKey, text))
}

/// Checks a TransactGetItems.
pub(crate) fn get(input: TransactGetItemsInput) -> Result<CheckedTransactGet, Error> {
    let mut gets = Vec::with_capacity(input.transact_items.len());
    for item in input.transact_items {
        gets.push(one_get(item.get)?);
    }
    gets.iter().try_for_each(|get| refuse_empty_key(&get.key))?;
    Ok(CheckedTransactGet { gets, consumed: input.return_consumed_capacity })
}

fn one_get(get: Get) -> Result<CheckedGet, Error> {
    let mut parameters = Parameters::new(Operation::TransactGetItems);
    parameters.expression("ProjectionExpression", get.projection_expression.is_some());
    let names = get.expression_attribute_names.as_ref();
    parameters.check(names, None)?;
    let mut binder = parameters.binder(names, None)?;
    let projection = parameters.projection(&mut binder, get.projection_expression.as_deref(), None)?;
    parameters.finish(binder)?;
    Ok(CheckedGet { table_name: get.table_name, key: get.key, consistent: true, projection, consumed: None })
}
