//! PutItem, UpdateItem and DeleteItem, checked by themselves.

use std::collections::BTreeMap;

use hashrange_api::message::{self, Family};
use hashrange_api::{
    AttributeAction, AttributeValueUpdate, DeleteItemInput, Error, Operation, PutItemInput,
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
    UpdateItemInput,
};
use hashrange_item::{Attributes, Row};
use hashrange_language::{Binder, Condition, Update, legacy};

use super::parameters::{self, Parameters};
use super::refusal::{self, refuse};
use crate::write::new_row;

/// A checked write of one item.
#[derive(Debug)]
pub struct CheckedWrite {
    pub(crate) table_name: String,
    pub(crate) kind: WriteKind,
    pub(crate) condition: Option<Condition>,
    pub(crate) return_values: Option<ReturnValue>,
    pub(crate) return_on_failure: Option<ReturnValuesOnConditionCheckFailure>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
    pub(crate) collection_metrics: Option<ReturnItemCollectionMetrics>,
}

/// What is written.
#[derive(Debug)]
pub(crate) enum WriteKind {
    /// A whole item.
    Put(Row),
    /// A change of the item with this key.
    Update(Attributes, Update),
    /// The removal of the item with this key.
    Delete(Attributes),
}

/// Checks a PutItem.
pub(crate) fn put(input: PutItemInput) -> Result<CheckedWrite, Error> {
    let mut parameters = Parameters::new(Operation::PutItem);
    parameters.legacy("Expected", input.expected.is_some());
    parameters.legacy("ConditionalOperator", input.conditional_operator.is_some());
    parameters.expression("ConditionExpression", input.condition_expression.is_some());
    let (names, values) =
        (input.expression_attribute_names.as_ref(), input.expression_attribute_values.as_ref());
    parameters.check(names, values)?;
    check_return_values(Operation::PutItem, input.return_values)?;
    let row = new_row(Operation::PutItem, input.item)?;
    let mut binder = parameters.binder(names, values)?;
    let text = input.condition_expression.as_deref();
    let condition = parameters.condition(&mut binder, text, input.expected, input.conditional_operator)?;
    parameters.finish(binder)?;
    Ok(CheckedWrite {
        table_name: input.table_name,
        kind: WriteKind::Put(row),
        condition,
        return_values: input.return_values,
        return_on_failure: input.return_values_on_condition_check_failure,
        consumed: input.return_consumed_capacity,
        collection_metrics: input.return_item_collection_metrics,
    })
}

/// Checks a DeleteItem.
pub(crate) fn delete(input: DeleteItemInput) -> Result<CheckedWrite, Error> {
    let mut parameters = Parameters::new(Operation::DeleteItem);
    parameters.legacy("Expected", input.expected.is_some());
    parameters.legacy("ConditionalOperator", input.conditional_operator.is_some());
    parameters.expression("ConditionExpression", input.condition_expression.is_some());
    let (names, values) =
        (input.expression_attribute_names.as_ref(), input.expression_attribute_values.as_ref());
    parameters.check(names, values)?;
    check_return_values(Operation::DeleteItem, input.return_values)?;
    let mut binder = parameters.binder(names, values)?;
    let text = input.condition_expression.as_deref();
    let condition = parameters.condition(&mut binder, text, input.expected, input.conditional_operator)?;
    parameters.finish(binder)?;
    Ok(CheckedWrite {
        table_name: input.table_name,
        kind: WriteKind::Delete(input.key),
        condition,
        return_values: input.return_values,
        return_on_failure: input.return_values_on_condition_check_failure,
        consumed: input.return_consumed_capacity,
        collection_metrics: input.return_item_collection_metrics,
    })
}

/// Checks an UpdateItem.
pub(crate) fn update(input: UpdateItemInput) -> Result<CheckedWrite, Error> {
    let mut parameters = Parameters::new(Operation::UpdateItem);
    parameters.legacy("AttributeUpdates", input.attribute_updates.is_some());
    parameters.legacy("Expected", input.expected.is_some());
    parameters.legacy("ConditionalOperator", input.conditional_operator.is_some());
    parameters.expression("UpdateExpression", input.update_expression.is_some());
    parameters.expression("ConditionExpression", input.condition_expression.is_some());
    let (names, values) =
        (input.expression_attribute_names.as_ref(), input.expression_attribute_values.as_ref());
    parameters.check(names, values)?;
    let mut binder = parameters.binder(names, values)?;
    let update = changes(&mut binder, input.update_expression.as_deref(), input.attribute_updates)?;
    let text = input.condition_expression.as_deref();
    let condition = parameters.condition(&mut binder, text, input.expected, input.conditional_operator)?;
    parameters.finish(binder)?;
    Ok(CheckedWrite {
        table_name: input.table_name,
        kind: WriteKind::Update(input.key, update),
        condition,
        return_values: input.return_values,
        return_on_failure: input.return_values_on_condition_check_failure,
        consumed: input.return_consumed_capacity,
        collection_metrics: input.return_item_collection_metrics,
    })
}

/// The update in either form; none of them is an update that changes nothing.
fn changes(
    binder: &mut Binder<'_>,
    text: Option<&str>,
    updates: Option<BTreeMap<String, AttributeValueUpdate>>,
) -> Result<Update, Error> {
    let operation = Operation::UpdateItem;
    if let Some(text) = text {
        return binder.update(text).map_err(|error| refusal::expression(operation, &error));
    }
    let updates = updates.unwrap_or_default();
    updates.keys().try_for_each(|name| parameters::check_name(operation, name))?;
    let updates = updates.into_iter().map(|(name, update)| {
        (name, legacy::AttributeUpdate { value: update.value, action: update.action.map(update_action) })
    });
    legacy::attribute_updates(&updates.collect()).map_err(|error| refusal::legacy(operation, &error))
}

fn update_action(action: AttributeAction) -> legacy::UpdateAction {
    match action {
        AttributeAction::Put => legacy::UpdateAction::Put,
        AttributeAction::Add => legacy::UpdateAction::Add,
        AttributeAction::Delete => legacy::UpdateAction::Delete,
    }
}

fn check_return_values(operation: Operation, wanted: Option<ReturnValue>) -> Result<(), Error> {
    match wanted {
        None | Some(ReturnValue::None | ReturnValue::AllOld) => Ok(()),
        Some(_) => Err(refuse(operation, Family::ReturnValues, message::item::return_values())),
    }
}
