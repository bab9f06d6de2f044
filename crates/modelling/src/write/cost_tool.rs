//! The input of the cost tool: sizes and rates alone. What the catalogue leaves to its plans and entities is computed for it.

use std::collections::BTreeSet;

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::Told;
use super::words::{of_kind, whole};
use crate::catalogue::{Catalogue, IndexKind, Pattern, Table};
use crate::plan::{self, PatternPlan, sizes};

/// Bytes of an item where nothing tells them; the tool demands some.
const BYTES: f64 = 1024.0;

/// The operations that the tool knows.
const OPERATIONS: [Operation; 10] = [
    Operation::GetItem,
    Operation::Query,
    Operation::Scan,
    Operation::PutItem,
    Operation::UpdateItem,
    Operation::DeleteItem,
    Operation::BatchGetItem,
    Operation::BatchWriteItem,
    Operation::TransactGetItems,
    Operation::TransactWriteItems,
];

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let patterns: Vec<Value> = catalogue
        .patterns
        .iter()
        .zip(plan::plans(catalogue))
        .filter_map(|(one, plan)| pattern(one, &plan, catalogue, assumed))
        .collect();
    if patterns.is_empty() {
        assumed.add("the tool demands a pattern, and there is none that it takes", "access_pattern_list");
    }
    let table = |one| table(one, catalogue, &patterns, assumed);
    let tables: Vec<Value> = catalogue.tables.iter().map(table).collect();
    json!({"access_pattern_list": patterns, "table_list": tables})
}

fn table(table: &Table, catalogue: &Catalogue, patterns: &[Value], assumed: &mut Told) -> Value {
    // The tool takes no item that is larger than the entry that is read, and no entry that is larger than the table's items. Sizes that
    // are stated stay; means over several kinds of item are raised.
    let largest = |index: Option<&str>| {
        let here = patterns.iter().filter(|one| one["table"] == json!(table.name));
        let reads = here.filter(|one| index.is_none() || one["gsi"].as_str() == index);
        reads.filter_map(|one| one["item_size_bytes"].as_f64()).reduce(f64::max)
    };
    let count = table.item_count.or_else(|| sizes::table_count(catalogue, table));
    let mut most = largest(None);
    let mut indexes = Vec::new();
    for index in of_kind(table, IndexKind::Global) {
        let count = index.entry_count.or_else(|| sizes::entry_count(catalogue, table, index)).or(count);
        let mean = mean(sizes::index_bytes(catalogue, table, index), count);
        let bytes = index.entry_bytes.or(larger(mean, largest(Some(&index.name))));
        most = larger(most, bytes);
        indexes.push(Value::Object(sized(&index.name, count, bytes.or(table.item_bytes), assumed)));
    }
    let mean = mean(sizes::table_bytes(catalogue, table), count);
    let raised = larger(mean, most);
    if table.item_bytes.is_none() && mean.is_some() && raised != mean {
        assumed.add("items are written as large as the largest that a pattern or an index has, which the tool demands", &table.name);
    }
    let mut out = sized(&table.name, count, table.item_bytes.or(raised), assumed);
    out.insert("gsi_list".to_owned(), json!(indexes));
    Value::Object(out)
}

fn mean(bytes: Option<f64>, count: Option<f64>) -> Option<f64> {
    Some(bytes? / count.filter(|count| *count > 0.0)?)
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    [one, other].into_iter().flatten().reduce(f64::max)
}

fn sized(name: &str, count: Option<f64>, bytes: Option<f64>, assumed: &mut Told) -> Map<String, Value> {
    if count.is_none() {
        assumed.add("numbers of items are not stated, and are written as 1", name);
    }
    if bytes.is_none() {
        assumed.add("sizes of items are not stated, and are written as 1,024 bytes", name);
    }
    let mut out = Map::new();
    out.insert("name".to_owned(), json!(name));
    out.insert("item_count".to_owned(), whole(count.unwrap_or(1.0).round()));
    out.insert("item_size_bytes".to_owned(), whole(bytes.unwrap_or(BYTES).round()));
    out
}

/// A pattern of one of the tool's operations that has a rate.
fn pattern(
    pattern: &Pattern,
    plan: &PatternPlan,
    catalogue: &Catalogue,
    assumed: &mut Told,
) -> Option<Value> {
    let operation = pattern.operation.filter(|operation| OPERATIONS.contains(operation))?;
    let table = crate::read::own::lower::table_of(catalogue, pattern).filter(|name| !name.is_empty())?;
    let Some(rate) = pattern.avg_rps.or(pattern.peak_rps).filter(|rate| *rate > 0.0) else {
        assumed.add("the tool demands a rate, without which a pattern is left out", &pattern.id);
        return None;
    };
    let bytes = pattern.item_bytes.or(plan.item_bytes);
    if bytes.is_none() {
        assumed.add("sizes of items are not stated, and are written as 1,024 bytes", &pattern.id);
    }
    let mut out = json!({
        "operation": operation.name(), "pattern": pattern.id, "description": pattern.name, "table": table,
        "rps": whole(rate), "item_size_bytes": whole(bytes.unwrap_or(BYTES).round().clamp(1.0, 409_600.0)),
    });
    if let Some(items) = pattern.items.or(plan.items) {
        out["item_count"] = whole(items.round().max(1.0));
    }
    // The tool takes every index for a global one; a read of a local one costs as one of the table.
    let is_global = |name: &&String| {
        let index = catalogue.table(&table).and_then(|table| table.index(name));
        index.is_some_and(|index| index.kind == IndexKind::Global)
    };
    let index = pattern.index.as_ref().filter(is_global);
    if let Some(index) = index {
        out["gsi"] = json!(index);
    }
    // A global index has no strong reads, and the tool says so.
    if let Some(strong) = pattern.strong.filter(|strong| !strong || index.is_none()) {
        out["strongly_consistent"] = json!(strong);
    }
    if plan::is_write(pattern) {
        let arms = plan.arms.iter().filter(|arm| arm.table == table);
        let indexes = arms.filter_map(|arm| arm.index.as_ref()).filter(is_global);
        let indexes: BTreeSet<&String> = indexes.collect();
        out["gsi_list"] = json!(indexes);
    }
    Some(out)
}
