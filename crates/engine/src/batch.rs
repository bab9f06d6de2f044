//! Batches: many single look-ups or writes in one request, each by itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use hashrange_api::{
    BatchGetItemOutput, BatchWriteItemOutput, ConsumedCapacity, DeleteRequest, Error, ErrorCode,
    ItemCollectionMetrics, KeysAndAttributes, PutRequest, ReturnItemCollectionMetrics, WriteRequest,
};
use hashrange_item::{Image, Row, limits};
use hashrange_store::{Address, Freshness};

use crate::answer::collection_metrics;
use crate::budget::{self, Limit};
use crate::capacity::{Charge, Gate, Traffic, Units};
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
    let (mut is_any_read, mut throttled) = (false, None);
    for (wanted, (table, keys)) in plan.get.tables.iter().zip(&plan.tables) {
        let read = read_table(core, wanted, table, keys, &mut room).await?;
        is_any_read |= read.charge.table > Units::ZERO;
        throttled = throttled.or(read.throttled);
        consumed.extend(read.charge.report(&wanted.table_name, plan.get.consumed));
        output.responses.get_or_insert_default().insert(wanted.table_name.clone(), read.items);
        if let Some(rest) = read.unprocessed {
            output.unprocessed_keys.get_or_insert_default().insert(wanted.table_name.clone(), rest);
        }
    }
    output.consumed_capacity = listed(consumed);
    throttled.filter(|_| !is_any_read).map_or(Ok(output), Err)
}

/// What a batch read from one table.
struct TableRead {
    items: Vec<Image>,
    charge: Charge,
    unprocessed: Option<KeysAndAttributes>,
    /// Why, where the table has no capacity left.
    throttled: Option<Error>,
}

/// Reads keys until the answer is full or the table has no capacity left; the rest is left for the client to ask again, and
/// so is what is too much of one partition.
async fn read_table(
    core: &Core,
    wanted: &BatchGetTable,
    table: &Table,
    keys: &[ItemKey],
    room: &mut usize,
) -> Result<TableRead, Error> {
    let consistent = wanted.request.consistent_read.unwrap_or(false);
    let freshness = if consistent { Freshness::Strong } else { Freshness::Any };
    let addresses: Vec<Address> = keys.iter().map(|key| key.address.clone()).collect();
    let mut read =
        TableRead { items: Vec::new(), charge: Charge::default(), unprocessed: None, throttled: None };
    let (mut portions, mut left) = (Portions::default(), Vec::new());
    for (at, address) in addresses.iter().enumerate() {
        if let Err(error) = core.admit(table, Traffic::Read) {
            read.throttled = Some(error);
            left.extend(at..keys.len());
            break;
        }
        let found = core.store.get(address, freshness).await.map_err(internal)?;
        let row = stored_row(&found)?;
        let size = row.as_ref().map_or(0, Row::item_size);
        if size > *room {
            *room = 0;
            left.extend(at..keys.len());
            break;
        }
        if !portions.take(address, size) {
            left.push(at);
            continue;
        }
        *room -= size;
        let charge = Charge::table(Units::read(size, consistent));
        core.charge(table, &charge, Traffic::Read);
        read.charge.add(&charge);
        read.items.extend(row.map(|row| match &wanted.projection {
            None => Image::Row(row),
            Some(projection) => Image::Tree(projection.project(&row)),
        }));
    }
    if !left.is_empty() {
        read.unprocessed = Some(rest(wanted, &left));
    }
    Ok(read)
}

/// What a batch has read from each partition of a table.
#[derive(Default)]
struct Portions<'a> {
    read: Vec<(&'a Address, usize)>,
    bytes: usize,
}

impl<'a> Portions<'a> {
    /// Whether an item may be read, too; if so it counts.
    fn take(&mut self, address: &'a Address, size: usize) -> bool {
        // Partitions are told apart only where together they hold more than one may.
        if self.bytes + size > limits::BATCH_GET_PARTITION_SIZE_MAX {
            let same = self.read.iter().filter(|(other, _)| other.partition == address.partition);
            let before: usize = same.map(|(_, size)| size).sum();
            if before + size > limits::BATCH_GET_PARTITION_SIZE_MAX {
                return false;
            }
        }
        self.read.push((address, size));
        self.bytes += size;
        true
    }
}

fn rest(wanted: &BatchGetTable, left: &[usize]) -> KeysAndAttributes {
    let request = &wanted.request;
    KeysAndAttributes { keys: left.iter().map(|&at| request.keys[at].clone()).collect(), ..request.clone() }
}

/// Runs a BatchWriteItem.
pub(crate) async fn write(core: &Core, plan: &BatchWritePlan) -> Result<BatchWriteItemOutput, Error> {
    let limits = budget::weigh_batch(core, plan).await?;
    let mut left = limits.as_deref().unwrap_or_default();
    let mut consumed = Vec::new();
    let mut metrics: BTreeMap<String, Vec<ItemCollectionMetrics>> = BTreeMap::new();
    let wants_metrics = plan.write.collection_metrics == Some(ReturnItemCollectionMetrics::Size);
    let mut unprocessed: BTreeMap<String, Vec<WriteRequest>> = BTreeMap::new();
    let mut gate = Gate::new(core);
    let tables = plan.tables.iter().map(|writes| {
        let own;
        (own, left) = left.split_at(left.len().min(writes.1.len()));
        write_table(core, barred(core, &mut gate, writes), own, writes)
    });
    let effects = try_join_all(tables.collect::<Vec<_>>()).await?;
    if let Some(error) = all_throttled(&effects) {
        return Err(error);
    }
    for (((name, _), (table, writes)), effects) in plan.write.tables.iter().zip(&plan.tables).zip(&effects) {
        let mut charge = Charge::default();
        for ((key, image), effects) in writes.iter().zip(effects) {
            let Ok(effects) = effects else {
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
            let item = row.decode().map_err(internal)?.into();
            Ok(WriteRequest { put_request: Some(PutRequest { item }), delete_request: None })
        }
        plan::Image::Delete | plan::Image::Update(_) => {
            let key = key.attributes(&table.schema.key);
            Ok(WriteRequest { put_request: None, delete_request: Some(DeleteRequest { key }) })
        }
    }
}

/// What came of one write of a batch: what it did, or why it is left for the client to send again.
type Written = Result<Effects, Left>;

/// Why a write is left unprocessed.
enum Left {
    /// It met a transaction, or another writer made it dearer than it weighed under the budget of the batch.
    Conflict,
    /// Its table, or an index, has no capacity left.
    Throttled(Error),
}

/// Which writes their table has no capacity left for; nothing where it has for all.
fn barred(core: &Core, gate: &mut Gate<'_>, (table, writes): &TableWrites) -> Vec<Option<Error>> {
    if !core.options.throttle {
        return Vec::new();
    }
    let barred = writes.iter().map(|(_, image)| gate.admit(table, Traffic::Write, image.least_units()).err());
    let barred: Vec<_> = barred.collect();
    if barred.iter().all(Option::is_none) { Vec::new() } else { barred }
}

/// The error of a batch of which nothing was written for want of capacity.
fn all_throttled(tables: &[Vec<Written>]) -> Option<Error> {
    let mut throttled = None;
    for written in tables.iter().flatten() {
        match written {
            Ok(_) => return None,
            Err(Left::Throttled(error)) => throttled = throttled.or(Some(error)),
            Err(Left::Conflict) => {}
        }
    }
    throttled.cloned()
}

/// The writes to one table, without those that are barred.
async fn write_table(
    core: &Core,
    barred: Vec<Option<Error>>,
    limits: &[Limit],
    (table, writes): &TableWrites,
) -> Result<Vec<Written>, Error> {
    let limits = limits.iter().map(Some).chain(std::iter::repeat(None));
    let entries = writes.iter().zip(limits);
    if barred.is_empty() {
        return write_entries(core, table, &entries.collect::<Vec<_>>()).await;
    }
    let open = entries.zip(&barred).filter(|(_, barred)| barred.is_none());
    let open: Vec<_> = open.map(|(entry, _)| entry).collect();
    let mut written = write_entries(core, table, &open).await?.into_iter();
    let of = |barred: Option<Error>| match barred {
        Some(error) => Err(Left::Throttled(error)),
        None => written.next().expect("every write that is not barred was done or left"),
    };
    Ok(barred.into_iter().map(of).collect())
}

/// One write, with what it is held to.
type Entry<'a> = (&'a (ItemKey, plan::Image), Option<&'a Limit>);

/// All in one commit, or each in its own and beside each other; in its own where each is held to a limit.
async fn write_entries(
    core: &Core,
    table: &Arc<Table>,
    entries: &[Entry<'_>],
) -> Result<Vec<Written>, Error> {
    if entries.iter().all(|(_, limit)| limit.is_none()) {
        let mut mutations = Vec::with_capacity(entries.len());
        for ((key, image), _) in entries {
            mutations.push(Mutation { table, key, condition: None, action: image.action(), limit: None });
        }
        if let Some(effects) = write::write_together(core, &mutations).await? {
            return Ok(effects.into_iter().map(Ok).collect());
        }
    }
    try_join_all(entries.iter().map(|entry| one(core, Arc::clone(table), *entry))).await
}

async fn one(core: &Core, mut table: Arc<Table>, ((key, image), limit): Entry<'_>) -> Result<Written, Error> {
    loop {
        let mutation = Mutation { table: &table, key, condition: None, action: image.action(), limit };
        match write::write(core, &mutation).await? {
            Ok(effects) => return Ok(Ok(effects)),
            Err(Refusal::Conflict) => return Ok(Err(Left::Conflict)),
            Err(Refusal::Throttled(error)) => return Ok(Err(Left::Throttled(error))),
            Err(Refusal::Invalid(error)) if error.code == ErrorCode::BudgetExceededException => {
                return Ok(Err(Left::Conflict));
            }
            Err(Refusal::Invalid(error)) => return Err(error),
            Err(Refusal::Condition(_)) => return Err(internal("a write without a condition failed it")),
            Err(Refusal::Stale) => table = plan::again(core, &table, image)?,
        }
    }
}

fn listed(consumed: Vec<ConsumedCapacity>) -> Option<Vec<ConsumedCapacity>> {
    (!consumed.is_empty()).then_some(consumed)
}
