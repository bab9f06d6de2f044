//! Keys that are spread over shards: a query reads all of them, one request for each value that the shard in the partition key takes; whatever
//! names its item by its key is about one of them.

use hashrange_api::Operation;
use serde_json::Value;

use super::request::{Action, Request, Verb, request};
use crate::catalogue::{Attribute, Catalogue, Entity, Parameter, Pattern, Table};
use crate::template::Template;

/// Requests of one read at most: a read that is wider is a mistake, and is found as one.
const SHARDS_MAX: u32 = 10_000;
/// Parts of names by which a gap is known to be the shard.
const WORDS: [&str; 3] = ["shard", "bucket", "suffix"];

/// What to do where shards are declared and have no place.
pub const ADVICE: &str = "Give each shard a partition key of its own, or leave shards out";

/// The shard in the partition key of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    /// The gap that it fills.
    pub gap: String,
    /// Its values.
    pub values: Vec<Value>,
    /// Whether each run asks all of them, as a query does, or one: a write picks one, and a read of one item knows its own.
    pub all: bool,
}

/// The shards of a pattern that declares more than one; `None` where it declares none, or states no request that would tell.
///
/// # Errors
/// One line: that the operation has no use for shards, that no gap of the partition key is the shard, or that it takes another number of values.
pub fn shards(catalogue: &Catalogue, pattern: &Pattern) -> Option<Result<Shards, String>> {
    let count = pattern.shards.filter(|count| *count > 1)?;
    if let Some(why) = useless(pattern) {
        return Some(Err(format!("shards: {count}, but {why}")));
    }
    let request = request(catalogue, pattern)?;
    let (all, gaps) = match partition_gaps(catalogue, pattern, &request) {
        Ok(found) => found,
        Err(why) => return Some(Err(format!("shards: {count}, but {why}"))),
    };
    if count > SHARDS_MAX {
        return Some(Err(format!("shards: {count}, and a read has at most {SHARDS_MAX}")));
    }
    let takes = |gap: &&String| declared(catalogue, pattern, gap).is_some_and(|values| fits(&values, count));
    let Some(gap) = gaps.iter().find(|gap| is_shard(gap)).or_else(|| gaps.iter().find(takes)) else {
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
    Some(Ok(Shards { gap: gap.clone(), values, all }))
}

/// Whether a gap is the shard, by its name.
pub fn is_shard(gap: &str) -> bool {
    let gap = gap.to_lowercase();
    WORDS.iter().any(|word| gap.contains(word))
}

const SCANS: &str = "a scan reads every collection whatever its shard: leave shards out";

/// Why an operation has no use for shards, where its request need not be looked at.
fn useless(pattern: &Pattern) -> Option<String> {
    if pattern.external.is_some() {
        return Some("another system serves the pattern: leave shards out".to_owned());
    }
    match pattern.operation {
        None => Some("the pattern states a need: shards are of a query, a read by key or a write".to_owned()),
        Some(Operation::Scan) => Some(SCANS.to_owned()),
        Some(Operation::SearchVectors) => {
            Some("a search finds items of every shard: leave shards out".to_owned())
        }
        Some(_) => None,
    }
}

fn fits(values: &[Value], count: u32) -> bool {
    u32::try_from(values.len()) == Ok(count)
}

/// Whether a run asks all shards, and the gaps in what its request gives for partition keys.
fn partition_gaps(
    catalogue: &Catalogue,
    pattern: &Pattern,
    request: &Request,
) -> Result<(bool, Vec<String>), &'static str> {
    let table_of = |action: &Action| catalogue.table(&action.table);
    if let Some(action) =
        request.actions.iter().find(|action| matches!(action.verb, Verb::Scan | Verb::Query))
    {
        return match (action.verb, table_of(action)) {
            (Verb::Scan, _) => Err(SCANS),
            _ if action.reads > 1 || request.actions.len() > 1 => {
                Err("its statement names the collections that it reads: leave shards out")
            }
            (_, Some(table)) => Ok((true, queried(table, action, pattern))),
            (_, None) => Ok((true, Vec::new())),
        };
    }
    let keys = request.actions.iter().filter_map(|action| Some((table_of(action)?, action)));
    let mut gaps: Vec<String> = keys.flat_map(|(table, action)| named(table, action)).collect();
    if request.writes().any(|action| action.verb == Verb::Update) {
        // An update may move its item to another shard of an index.
        let values = pattern.request.as_ref().and_then(|request| request.get("ExpressionAttributeValues"));
        let values = values.and_then(Value::as_object).into_iter().flat_map(|values| values.values());
        gaps.extend(values.flat_map(gaps_in).filter(|gap| is_shard(gap)));
    }
    Ok((false, gaps))
}

/// The gaps in what a query gives for the partition key of what it reads.
fn queried(table: &Table, action: &Action, pattern: &Pattern) -> Vec<String> {
    let index = action.index.as_deref().or(pattern.index.as_deref()).and_then(|name| table.index(name));
    let keys = index.map_or(&table.keys, |index| &index.keys);
    let of_hash = action.clauses.iter().filter(|clause| keys.hash.contains(&clause.attribute));
    of_hash.flat_map(|clause| &clause.operands).flat_map(|text| gaps_of(text)).collect()
}

/// The gaps in the partition key of an item, and in those of its entries in indexes where the whole item is given.
fn named(table: &Table, action: &Action) -> Vec<String> {
    let Some(item) = &action.item else {
        let of_hash = action.key.iter().filter(|part| table.keys.hash.contains(&part.attribute));
        return of_hash.flat_map(|part| gaps_of(&part.text)).collect();
    };
    let of_indexes = table.indexes.iter().flat_map(|index| &index.keys.hash);
    let hash = table.keys.hash.iter().chain(of_indexes);
    hash.filter_map(|name| item.get(name)).flat_map(gaps_in).collect()
}

/// The gaps in an attribute value.
fn gaps_in(value: &Value) -> Vec<String> {
    let content = value.as_object().and_then(|map| map.values().next()).and_then(Value::as_str);
    content.map(gaps_of).unwrap_or_default()
}

fn gaps_of(text: &str) -> Vec<String> {
    let template = Template::parse(text).ok();
    template.map(|template| template.gaps().map(str::to_owned).collect()).unwrap_or_default()
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
