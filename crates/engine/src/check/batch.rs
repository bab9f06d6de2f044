//! BatchGetItem and BatchWriteItem, checked by themselves.

use std::collections::HashSet;

use hashrange_api::{
    BatchGetItemInput, BatchWriteItemInput, Error, KeysAndAttributes, Operation, ReturnConsumedCapacity,
    ReturnItemCollectionMetrics, WriteRequest, message,
};
use hashrange_item::{Attributes, NewItem, Row, limits};
use hashrange_language::Projection;

use super::WriteKind;
use super::parameters::Parameters;
use crate::write::new_row;

/// A checked BatchGetItem.
#[derive(Debug)]
pub struct CheckedBatchGet {
    pub(crate) tables: Vec<BatchGetTable>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// The keys that a batch reads from one table.
#[derive(Debug)]
pub(crate) struct BatchGetTable {
    pub(crate) table_name: String,
    pub(crate) projection: Option<Projection>,
    /// As sent, for what remains unprocessed.
    pub(crate) request: KeysAndAttributes,
}

/// A checked BatchWriteItem.
#[derive(Debug)]
pub struct CheckedBatchWrite {
    pub(crate) tables: Vec<(String, Vec<WriteKind>)>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
    pub(crate) collection_metrics: Option<ReturnItemCollectionMetrics>,
}

/// Checks a BatchGetItem.
pub(crate) fn get(input: BatchGetItemInput) -> Result<CheckedBatchGet, Error> {
    let operation = Operation::BatchGetItem;
    if input.request_items.is_empty() {
        return Err(Error::validation(message::item::batch_get_empty()));
    }
    let keys: usize = input.request_items.values().map(|request| request.keys.len()).sum();
    if keys > limits::BATCH_GET_KEYS_MAX {
        return Err(Error::validation(message::item::batch_too_long(operation.name())));
    }
    check_mix(&input)?;
    let tables = input.request_items.into_iter().map(|(name, request)| table(name, request));
    Ok(CheckedBatchGet {
        tables: tables.collect::<Result<_, _>>()?,
        consumed: input.return_consumed_capacity,
    })
}

/// Expressions and legacy parameters exclude each other over all tables of the batch.
fn check_mix(input: &BatchGetItemInput) -> Result<(), Error> {
    let mut parameters = Parameters::new(Operation::BatchGetItem);
    let requests = || input.request_items.values();
    parameters.legacy("AttributesToGet", requests().any(|request| request.attributes_to_get.is_some()));
    parameters.expression(
        "ProjectionExpression",
        requests().any(|request| request.projection_expression.is_some()),
    );
    parameters.check(None, None)
}

fn table(table_name: String, request: KeysAndAttributes) -> Result<BatchGetTable, Error> {
    let mut parameters = Parameters::new(Operation::BatchGetItem);
    parameters.expression("ProjectionExpression", request.projection_expression.is_some());
    let names = request.expression_attribute_names.as_ref();
    parameters.check(names, None)?;
    let mut binder = parameters.binder(names, None)?;
    let (text, list) = (request.projection_expression.as_deref(), request.attributes_to_get.as_deref());
    let projection = parameters.projection(&mut binder, text, list)?;
    parameters.finish(binder)?;
    refuse_duplicates(&request.keys)?;
    Ok(BatchGetTable { table_name, projection, request })
}

/// A key that is given twice is refused whether or not there is such a table. (Source: recorded on AWS.)
fn refuse_duplicates(keys: &[Attributes]) -> Result<(), Error> {
    let mut seen = HashSet::with_capacity(keys.len());
    if keys.iter().all(|key| seen.insert(Row::encode(key).into_bytes())) {
        return Ok(());
    }
    Err(Error::validation(message::item::batch_duplicates()))
}

/// Checks a BatchWriteItem.
pub(crate) fn write(input: BatchWriteItemInput) -> Result<CheckedBatchWrite, Error> {
    let operation = Operation::BatchWriteItem;
    if input.request_items.is_empty() {
        return Err(Error::validation(message::item::batch_write_empty()));
    }
    let writes: usize = input.request_items.values().map(Vec::len).sum();
    if writes > limits::BATCH_WRITE_REQUESTS_MAX {
        return Err(Error::validation(message::item::batch_too_long(operation.name())));
    }
    let mut tables = Vec::with_capacity(input.request_items.len());
    for (name, requests) in input.request_items {
        let writes = requests.into_iter().map(write_kind).collect::<Result<_, _>>()?;
        tables.push((name, writes));
    }
    Ok(CheckedBatchWrite {
        tables,
        consumed: input.return_consumed_capacity,
        collection_metrics: input.return_item_collection_metrics,
    })
}

fn write_kind(request: WriteRequest) -> Result<WriteKind, Error> {
    match (request.put_request, request.delete_request) {
        (Some(put), None) => put_kind(put.item),
        (None, Some(delete)) => Ok(WriteKind::Delete(delete.key)),
        (None, None) => Err(Error::validation(message::value::empty())),
        (Some(_), Some(_)) => Err(Error::validation(message::value::several_types())),
    }
}

fn put_kind(item: NewItem) -> Result<WriteKind, Error> {
    new_row(Operation::BatchWriteItem, item).map(WriteKind::Put)
}
