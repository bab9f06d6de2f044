//! Batches: many single look-ups or writes in one request, each by itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use hashrange_api::{
    BatchGetItemOutput, BatchWriteItemOutput, ConsumedCapacity, DeleteRequest, Error, ItemCollectionMetrics,
    KeysAndAttributes, PutRequest, ReturnItemCollectionMetrics, WriteRequest,
};
use hashrange_item::{Image, Row, limits};
use hashrange_store::{Address, Freshness};

use crate::answer::collection_metrics;
use crate::budget;
use crate::capacity::{Charge, Units};
use crate::catalog::Table;
use crate::check::{BatchGetTable, internal};
use crate::core::Core;
use crate::key::ItemKey;
use crate::plan::{self, BatchGetPlan, BatchWritePlan, TableWrites};
use crate::write::{self, Effects, Mutation, Refusal, stored_row};

/// Runs a BatchGetItem.
pub(crate) async fn get(core: &Core, plan: &BatchGetPlan) -> Result<BatchGetItemOutput, Error> {
    let mut output = BatchGetItemOutput {
        responses: Some(BTreeMap::new()),
        unprocessed_keys: Some(BTreeMap::new()),
        consumed_capacity: None,
    };
    let mut consumed = Vec::new();
    let mut room = limits::BATCH_GET_SIZE_MAX;
    for (wanted, (_, keys)) in plan.get.tables.iter().zip(&plan.tables) {
        let read = read_table(core, wanted, keys, &mut room).await?;
        consumed.extend(read.charge.report(&wanted.table_name, plan.get.consumed));
        output.responses.get_or_insert_default().insert(wanted.table_name.clone(), read.items);
        if let Some(rest) = read.unprocessed {
            output.unprocessed_keys.get_or_insert_default().insert(wanted.table_name.clone(), rest);
        }
    }
    output.consumed_capacity = listed(consumed);
    Ok(output)
}

/// What a batch read from one table.
struct TableRead {
    items: Vec<Image>,
    charge: Charge,
    unprocessed: Option<KeysAndAttributes>,
}

/// Reads keys until the answer is full; the rest is left for the client to ask again.
async fn read_table(
    core: &Core,
    wanted: &BatchGetTable,
    keys: &[ItemKey],
    room: &mut usize,
) -> Result<TableRead, Error> {
    let consistent = wanted.request.consistent_read.unwrap_or(false);
    let freshness = if consistent { Freshness::Strong } else { Freshness::Any };
    let addresses: Vec<Address> = keys.iter().map(|key| key.address.clone()).collect();
    let mut read = TableRead { items: Vec::new(), charge: Charge::default(), unprocessed: None };
    for (at, address) in addresses.iter().enumerate() {
        let found = core.store.get(address, freshness).await.map_err(internal)?;
        let row = stored_row(&found)?;
        let size = row.as_ref().map_or(0, Row::item_size);
        if size > *room {
            *room = 0;
            read.unprocessed = Some(rest(wanted, at));
            break;
        }
        *room -= size;
        read.charge.table += Units::read(size, consistent);
        read.items.extend(row.map(|row| match &wanted.projection {
            None => Image::Row(row),
            Some(projection) => Image::Tree(projection.project(&row)),
        }));
    }
    Ok(read)
}

fn rest(wanted: &BatchGetTable, from: usize) -> KeysAndAttributes {
    let request = &wanted.request;
    KeysAndAttributes { keys: request.keys[from..].to_vec(), ..request.clone() }
}

/// Runs a BatchWriteItem.
pub(crate) async fn write(core: &Core, plan: &BatchWritePlan) -> Result<BatchWriteItemOutput, Error> {
    budget::weigh_batch(core, plan).await?;
    let mut consumed = Vec::new();
    let mut metrics: BTreeMap<String, Vec<ItemCollectionMetrics>> = BTreeMap::new();
    let wants_metrics = plan.write.collection_metrics == Some(ReturnItemCollectionMetrics::Size);
    let mut unprocessed: BTreeMap<String, Vec<WriteRequest>> = BTreeMap::new();
    let effects = try_join_all(plan.tables.iter().map(|writes| write_table(core, writes))).await?;
    for (((name, _), (table, writes)), effects) in plan.write.tables.iter().zip(&plan.tables).zip(&effects) {
        let mut charge = Charge::default();
        for ((key, image), effects) in writes.iter().zip(effects) {
            let Some(effects) = effects else {
                let request = request(table, key, image)?;
                unprocessed.entry(name.clone()).or_default().push(request);
                continue;
            };
            charge.add(&effects.charge);
            let size = effects.collection.filter(|_| wants_metrics);
            let metric = size.map(|size| collection_metrics(table, key, size));
            if let Some(metric) = metric {
                metrics.entry(name.clone()).or_default().push(metric);
            }
        }
        consumed.extend(charge.report(name, plan.write.consumed));
    }
    Ok(BatchWriteItemOutput {
        consumed_capacity: listed(consumed),
        item_collection_metrics: wants_metrics.then_some(metrics).filter(|metrics| !metrics.is_empty()),
        unprocessed_items: Some(unprocessed),
    })
}

/// The write as it was asked for, for the client to send again.
fn request(table: &Table, key: &ItemKey, image: &plan::Image) -> Result<WriteRequest, Error> {
    match image {
        plan::Image::Put(row) => {
            let item = row.decode().map_err(internal)?;
            Ok(WriteRequest { put_request: Some(PutRequest { item }), delete_request: None })
        }
        plan::Image::Delete | plan::Image::Update(_) => {
            let key = key.attributes(&table.schema.key);
            Ok(WriteRequest { put_request: None, delete_request: Some(DeleteRequest { key }) })
        }
    }
}

/// The writes to one table: all in one commit, or each in its own and beside each other. `None` for those that met a
/// transaction.
async fn write_table(core: &Core, (table, writes): &TableWrites) -> Result<Vec<Option<Effects>>, Error> {
    let mut mutations = Vec::with_capacity(writes.len());
    for (key, image) in writes {
        mutations.push(Mutation { table, key, condition: None, action: image.action(), limit: None });
    }
    if let Some(effects) = write::write_together(core, &mutations).await? {
        return Ok(effects.into_iter().map(Some).collect());
    }
    try_join_all(writes.iter().map(|(key, image)| one(core, Arc::clone(table), key, image))).await
}

async fn one(
    core: &Core,
    mut table: Arc<Table>,
    key: &ItemKey,
    image: &plan::Image,
) -> Result<Option<Effects>, Error> {
    loop {
        let mutation = Mutation { table: &table, key, condition: None, action: image.action(), limit: None };
        match write::write(core, &mutation).await? {
            Ok(effects) => return Ok(Some(effects)),
            Err(Refusal::Conflict) => return Ok(None),
            Err(Refusal::Invalid(error)) => return Err(error),
            Err(Refusal::Condition(_)) => return Err(internal("a write without a condition failed it")),
            Err(Refusal::Stale) => table = plan::again(core, &table, image)?,
        }
    }
}

fn listed(consumed: Vec<ConsumedCapacity>) -> Option<Vec<ConsumedCapacity>> {
    (!consumed.is_empty()).then_some(consumed)
}
