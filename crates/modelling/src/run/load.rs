//! Tables and samples on their way into the database.

use std::collections::BTreeSet;

use futures_util::stream::{self, StreamExt as _};
use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use crate::catalogue::{Billing, Capacity, Catalogue, Index, IndexKind, KeyType, Keys, Projection, Table};
use crate::samples::{Samples, attributes_json, key_bytes};
use crate::target::{Call, Reply, Target};

/// Items of one BatchWriteItem: as many as it takes.
const BATCH: usize = 25;
/// Batches under way at once.
const BATCHES: usize = 16;
/// How often what a batch left is sent again.
const TRIES: usize = 20;

/// Tables that were made, and why not all of them were.
pub(super) struct Made {
    pub(super) tables: Vec<String>,
    pub(super) problem: Option<String>,
}

/// Makes the tables of a model.
pub(super) async fn create(catalogue: &Catalogue, target: &dyn Target) -> Made {
    let mut made = Made { tables: Vec::new(), problem: None };
    for table in &catalogue.tables {
        if let Err(problem) = ask(target, Operation::CreateTable, definition(table)).await {
            made.problem = Some(format!("cannot make the table {}: {problem}", table.name));
            return made;
        }
        made.tables.push(table.name.clone());
        let Some(attribute) = &table.ttl else { continue };
        let ttl = json!({"TableName": table.name, "TimeToLiveSpecification": {"Enabled": true, "AttributeName": attribute}});
        if let Err(problem) = ask(target, Operation::UpdateTimeToLive, ttl).await {
            made.problem = Some(format!("cannot set the time to live of {}: {problem}", table.name));
            return made;
        }
    }
    made
}

/// Removes the tables that were made; why it could not.
pub(super) async fn remove(tables: &[String], target: &dyn Target) -> Vec<String> {
    let mut problems = Vec::new();
    for table in tables {
        if let Err(problem) = ask(target, Operation::DeleteTable, json!({ "TableName": table })).await {
            problems.push(format!("cannot remove the table {table}: {problem}"));
        }
    }
    problems
}

/// Sends a request that must succeed.
pub(super) async fn ask(target: &dyn Target, operation: Operation, body: Value) -> Result<Value, String> {
    let reply = target.call(Call { operation, body, explain: false }).await?;
    if reply.is_success() { Ok(reply.body) } else { Err(refusal(&reply)) }
}

/// A refusal in words.
pub(super) fn refusal(reply: &Reply) -> String {
    let code = reply.error_code().unwrap_or("an error without a name");
    let message = ["message", "Message"].into_iter().find_map(|name| reply.body.get(name)?.as_str());
    message.map_or_else(|| code.to_owned(), |message| format!("{code}: {message}"))
}

/// The input of CreateTable.
fn definition(table: &Table) -> Value {
    let mut body = Map::new();
    body.insert("TableName".to_owned(), json!(table.name));
    body.insert("AttributeDefinitions".to_owned(), definitions(table));
    body.insert("KeySchema".to_owned(), key_schema(&table.keys));
    let of = |kind: IndexKind| {
        let indexes = table.indexes.iter().filter(move |index| index.kind == kind);
        let shaped: Vec<Value> = indexes.map(|index| index_json(table, index)).collect();
        (!shaped.is_empty()).then_some(Value::Array(shaped))
    };
    body.extend(of(IndexKind::Global).map(|indexes| ("GlobalSecondaryIndexes".to_owned(), indexes)));
    body.extend(of(IndexKind::Local).map(|indexes| ("LocalSecondaryIndexes".to_owned(), indexes)));
    match table.billing {
        Some(Billing::Provisioned(capacity)) => {
            body.insert("BillingMode".to_owned(), json!("PROVISIONED"));
            body.insert("ProvisionedThroughput".to_owned(), throughput(table, capacity, &table.scaling));
        }
        _ => {
            body.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST"));
        }
    }
    if let Some(view) = &table.stream {
        body.insert("StreamSpecification".to_owned(), json!({"StreamEnabled": true, "StreamViewType": view}));
    }
    Value::Object(body)
}

fn definitions(table: &Table) -> Value {
    let indexes = table.indexes.iter().filter(|index| index.kind != IndexKind::Vector);
    let names: BTreeSet<&str> =
        table.keys.attributes().chain(indexes.flat_map(|index| index.keys.attributes())).collect();
    let kind = |name: &str| match table.definitions.get(name) {
        None | Some(KeyType::S) => "S",
        Some(KeyType::N) => "N",
        Some(KeyType::B) => "B",
    };
    names.iter().map(|name| json!({"AttributeName": name, "AttributeType": kind(name)})).collect()
}

fn key_schema(keys: &Keys) -> Value {
    let of = |names: &[String], kind: &str| {
        names.iter().map(|name| json!({"AttributeName": name, "KeyType": kind})).collect::<Vec<_>>()
    };
    Value::Array([of(&keys.hash, "HASH"), of(&keys.range, "RANGE")].concat())
}

fn index_json(table: &Table, index: &Index) -> Value {
    let projection = match &index.projection {
        Projection::All => json!({"ProjectionType": "ALL"}),
        Projection::KeysOnly => json!({"ProjectionType": "KEYS_ONLY"}),
        Projection::Include(names) => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names}),
    };
    let mut shaped =
        json!({"IndexName": index.name, "KeySchema": key_schema(&index.keys), "Projection": projection});
    if let (IndexKind::Global, Some(Billing::Provisioned(capacity))) = (index.kind, table.billing) {
        let capacity = index.capacity.or(capacity);
        shaped["ProvisionedThroughput"] = throughput(table, capacity, &index.scaling);
    }
    shaped
}

/// Capacity as declared; where only scaling is, what it begins with.
fn throughput(
    table: &Table,
    capacity: Option<Capacity>,
    scaling: &[Option<crate::catalogue::Scaling>; 2],
) -> Value {
    let least = |at: usize| scaling[at].or(table.scaling[at]).map(|scaling| scaling.min);
    let units = |declared: Option<f64>, at: usize| {
        let units = declared.or(least(at)).unwrap_or(5.0);
        units.max(1.0).ceil()
    };
    let (read, write) = (units(capacity.map(|one| one.read), 0), units(capacity.map(|one| one.write), 1));
    #[expect(clippy::cast_possible_truncation, reason = "a saturating cast of units")]
    let whole = |units: f64| units as i64;
    json!({"ReadCapacityUnits": whole(read), "WriteCapacityUnits": whole(write)})
}

/// What is in the tables.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    keys: BTreeSet<(String, Vec<u8>)>,
}

impl Loaded {
    /// Loads what is not there yet.
    ///
    /// # Errors
    /// What the database says of a batch, or that it leaves items again and again.
    pub(super) async fn load(
        &mut self,
        catalogue: &Catalogue,
        samples: &Samples,
        target: &dyn Target,
    ) -> Result<(), String> {
        let mut puts: Vec<(String, Value)> = Vec::new();
        for table in &catalogue.tables {
            for item in samples.tables.get(&table.name).into_iter().flatten() {
                if self.keys.insert((table.name.clone(), key_bytes(table, item))) {
                    puts.push((table.name.clone(), json!({"PutRequest": {"Item": attributes_json(item)}})));
                }
            }
        }
        let batches: Vec<Map<String, Value>> = puts.chunks(BATCH).map(batch).collect();
        let mut writes = stream::iter(batches).map(|batch| write(batch, target)).buffer_unordered(BATCHES);
        while let Some(written) = writes.next().await {
            written.map_err(|problem| format!("cannot load the samples: {problem}"))?;
        }
        Ok(())
    }
}

fn batch(puts: &[(String, Value)]) -> Map<String, Value> {
    let mut batch = Map::new();
    for (table, put) in puts {
        let of_table = batch.entry(table.clone()).or_insert_with(|| json!([]));
        of_table.as_array_mut().expect("each entry begins as a list").push(put.clone());
    }
    batch
}

async fn write(mut batch: Map<String, Value>, target: &dyn Target) -> Result<(), String> {
    for _ in 0..TRIES {
        let mut answer = ask(target, Operation::BatchWriteItem, json!({ "RequestItems": batch })).await?;
        match answer.get_mut("UnprocessedItems").map(Value::take) {
            Some(Value::Object(left)) if !left.is_empty() => batch = left,
            _ => return Ok(()),
        }
    }
    Err(format!("the database leaves items unprocessed, {TRIES} times in a row"))
}
