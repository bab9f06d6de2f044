//! The input of the cost tool: sizes and rates alone. What the catalogue leaves to its plans and entities is computed for it.

use serde_json::{Map, Value, json};

use super::Told;
use super::words::{of_kind, whole};
use crate::catalogue::{Catalogue, IndexKind, Pattern, Table};
use crate::plan::{self, PatternPlan, sizes};

/// Bytes of an item where nothing tells them; the tool demands some.
const BYTES: f64 = 1024.0;

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let patterns: Vec<Value> = catalogue
        .patterns
        .iter()
        .zip(plan::plans(catalogue))
        .filter_map(|(one, plan)| pattern(one, &plan, catalogue, assumed))
        .collect();
    let tables: Vec<Value> = catalogue.tables.iter().map(|one| table(one, catalogue, assumed)).collect();
    json!({"access_pattern_list": patterns, "table_list": tables})
}

fn table(table: &Table, catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let count = table.item_count.or_else(|| sizes::table_count(catalogue, table));
    let mean = || Some(sizes::table_bytes(catalogue, table)? / count.filter(|count| *count > 0.0)?);
    let bytes = table.item_bytes.or_else(mean);
    let mut out = sized(&table.name, count, bytes, assumed);
    let indexes = of_kind(table, IndexKind::Global).map(|index| {
        let count = index.entry_count.or_else(|| sizes::entry_count(catalogue, table, index)).or(count);
        let of_all =
            || Some(sizes::index_bytes(catalogue, table, index)? / count.filter(|count| *count > 0.0)?);
        let bytes = index.entry_bytes.or_else(of_all).or(bytes);
        Value::Object(sized(&index.name, count, bytes, assumed))
    });
    let indexes: Vec<Value> = indexes.collect();
    out.insert("gsi_list".to_owned(), json!(indexes));
    Value::Object(out)
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
    let operation = pattern.operation?;
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
    if let Some(strong) = pattern.strong {
        out["strongly_consistent"] = json!(strong);
    }
    if let Some(index) = &pattern.index {
        out["gsi"] = json!(index);
    }
    if plan::is_write(pattern) {
        let indexes: Vec<&String> = plan.arms.iter().filter_map(|arm| arm.index.as_ref()).collect();
        out["gsi_list"] = json!(indexes);
    }
    Some(out)
}
