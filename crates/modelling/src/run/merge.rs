//! Answers of several shards as one: what a caller makes of a scatter-gather read.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::judge::compare;
use super::{Run, observe};
use crate::catalogue::{Catalogue, Pattern};
use crate::plan::PlanClass;

/// The class of a read that is made once for each shard.
pub(super) fn class(class: PlanClass, shards: usize) -> PlanClass {
    use PlanClass as P;
    match class {
        P::Range | P::Collection | P::IndexRange | P::IndexCollection => {
            P::Scatter(u32::try_from(shards).unwrap_or(u32::MAX))
        }
        other => other,
    }
}

/// Brings the items of all shards into the order of the sort key, and keeps as many as one shard was asked for: the best ten of
/// ten shards are among the ten best of each. Items without the sort key stay in the order of their shards.
pub(super) fn merge(catalogue: &Catalogue, pattern: &Pattern, first: &Map<String, Value>, run: &mut Run) {
    let forward = first.get("ScanIndexForward").and_then(Value::as_bool).unwrap_or(true);
    for key in sort_keys(catalogue, pattern, first).iter().rev() {
        let order = |one: &Value, other: &Value| match (one.get(key), other.get(key)) {
            (Some(one), Some(other)) if forward => compare(one, other),
            (Some(one), Some(other)) => compare(other, one),
            _ => Ordering::Equal,
        };
        if run.items.iter().all(|item| item.get(key).is_some()) {
            run.items.sort_by(order);
        }
    }
    let limit = first.get("Limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
    if let Some(limit) = limit.filter(|limit| *limit < run.items.len()) {
        run.items.truncate(limit);
        run.returned = limit as u64;
        run.returned_bytes = run.items.iter().map(observe::item_bytes).sum();
        run.has_more = true;
    }
}

fn sort_keys(catalogue: &Catalogue, pattern: &Pattern, first: &Map<String, Value>) -> Vec<String> {
    let name = first.get("TableName").and_then(Value::as_str).or(pattern.table.as_deref());
    let Some(table) = name.and_then(|name| catalogue.table(name)) else { return Vec::new() };
    let index = first.get("IndexName").and_then(Value::as_str).or(pattern.index.as_deref());
    let index = index.and_then(|name| table.index(name));
    index.map_or(&table.keys, |index| &index.keys).range.clone()
}
