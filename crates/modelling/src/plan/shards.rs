//! Reads that are spread over shards: one request for each value that the shard in the partition key takes.

use serde_json::Value;

use super::request::{Verb, request};
use crate::catalogue::{Attribute, Catalogue, Entity, Parameter, Pattern};
use crate::template::Template;

/// Requests of one read at most: a read that is wider is a mistake, and is found as one.
const SHARDS_MAX: u32 = 10_000;
/// Parts of names by which a gap is known to be the shard.
const WORDS: [&str; 3] = ["shard", "bucket", "suffix"];

/// The shard in the partition key of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    /// The gap that it fills.
    pub gap: String,
    /// Its values, one for each request.
    pub values: Vec<Value>,
}

/// The shards of a pattern that declares more than one; `None` where it reads one collection.
///
/// # Errors
/// One line: that no gap of the partition key is the shard, or that it takes another number of values.
pub fn shards(catalogue: &Catalogue, pattern: &Pattern) -> Option<Result<Shards, String>> {
    let count = pattern.shards.filter(|count| *count > 1)?;
    let gaps = partition_gaps(catalogue, pattern)?;
    if count > SHARDS_MAX {
        return Some(Err(format!("shards: {count}, and a read has at most {SHARDS_MAX}")));
    }
    let named = |gap: &&String| WORDS.iter().any(|word| gap.to_lowercase().contains(word));
    let takes = |gap: &&String| declared(catalogue, pattern, gap).is_some_and(|values| fits(&values, count));
    let Some(gap) = gaps.iter().find(named).or_else(|| gaps.iter().find(takes)) else {
        return Some(Err(format!(
            "shards: {count}, but the partition key that its request gives has no gap for the shard: write {{shard}} where \
             the shard's number stands"
        )));
    };
    let values = declared(catalogue, pattern, gap)
        .unwrap_or_else(|| (0..count).map(|shard| Value::String(shard.to_string())).collect());
    if !fits(&values, count) {
        let found = values.len();
        return Some(Err(format!("shards: {count}, but {{{gap}}} takes {found} values: make them agree")));
    }
    Some(Ok(Shards { gap: gap.clone(), values }))
}

fn fits(values: &[Value], count: u32) -> bool {
    u32::try_from(values.len()) == Ok(count)
}

/// The gaps in what a query gives for the partition key of what it reads; `None` where it is no query.
fn partition_gaps(catalogue: &Catalogue, pattern: &Pattern) -> Option<Vec<String>> {
    let request = request(catalogue, pattern)?;
    let [action] = request.actions.as_slice() else { return None };
    let table = catalogue.table(&action.table).filter(|_| action.verb == Verb::Query && action.reads < 2)?;
    let index = action.index.as_deref().or(pattern.index.as_deref()).and_then(|name| table.index(name));
    let keys = index.map_or(&table.keys, |index| &index.keys);
    let of_hash = action.clauses.iter().filter(|clause| keys.hash.contains(&clause.attribute));
    let templates = of_hash.flat_map(|clause| &clause.operands).filter_map(|text| Template::parse(text).ok());
    Some(templates.flat_map(|template| template.gaps().map(str::to_owned).collect::<Vec<_>>()).collect())
}

/// The values that a gap takes, where the model says so: a list of them, or the values of the attribute that it comes from.
fn declared(catalogue: &Catalogue, pattern: &Pattern, gap: &str) -> Option<Vec<Value>> {
    let (entity, name) = match pattern.parameters.get(gap) {
        Some(Parameter::Value(Value::Array(values))) => return Some(values.clone()),
        Some(Parameter::From { entity, attribute }) => (catalogue.entity(entity)?, attribute.as_str()),
        Some(_) => return None,
        None => {
            let of_table =
                |entity: &&Entity| pattern.table.as_ref().is_none_or(|table| entity.table == *table);
            let has = |entity: &&Entity| super::collections::attribute(entity, gap).is_some();
            (catalogue.entities.iter().filter(of_table).find(has)?, gap)
        }
    };
    values(catalogue, super::collections::attribute(entity, name)?, 0)
}

/// The values of an attribute, or of the one that it is a copy of.
fn values(catalogue: &Catalogue, attribute: &Attribute, depth: usize) -> Option<Vec<Value>> {
    if !attribute.values.is_empty() {
        return Some(attribute.values.iter().map(|value| Value::String(value.clone())).collect());
    }
    let format = attribute.format.as_deref().unwrap_or_default();
    let inside = |name: &str| format.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    if let Some((low, high)) = inside("int").and_then(|bounds| bounds.split_once(',')) {
        let (low, high): (i64, i64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        let count = high.checked_sub(low).filter(|count| (0..i64::from(SHARDS_MAX)).contains(count))?;
        return Some((low..=low + count).map(|value| Value::String(value.to_string())).collect());
    }
    let of_ref = || inside("ref").and_then(|origin| origin.split_once('.'));
    let of_copy = attribute.copy_of.as_ref().map(|(entity, name)| (entity.as_str(), name.as_str()));
    let (entity, name) = of_copy.or_else(of_ref).filter(|_| depth < 8)?;
    values(catalogue, super::collections::attribute(catalogue.entity(entity)?, name)?, depth + 1)
}
