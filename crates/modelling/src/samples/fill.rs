//! Values for the parameters of patterns, and requests with their gaps filled.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hashrange_item::{AttributeValue, Attributes, Kind};
use serde_json::{Map, Value, json};

use super::build::text_of;
use super::meets::{Judge, Verdict};
use super::{Instance, Random, Samples, format};
use crate::catalogue::{Catalogue, Entity, Parameter, Pattern};
use crate::plan::request::request;
use crate::plan::shards::{Shards, shards};
use crate::template::{Part, Template};

/// Values for the parameters of one run of a pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binding {
    /// By the name of the gap, in DynamoDB's JSON (`{"S": ".."}`), or as the model gives it.
    pub values: BTreeMap<String, Value>,
    /// The items that values were taken from, as entity and place in [`Samples::entities`].
    pub sources: Vec<(String, usize)>,
    /// The condition or filter of the request that no sample was found for, in words.
    pub unmet: Option<String>,
}

/// Why a pattern has no request that can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfilled {
    /// Nothing fills this gap.
    Gap(String),
    /// It is of several shards, and they cannot be told.
    Shards(String),
}

impl fmt::Display for Unfilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfilled::Gap(gap) => write!(f, "nothing fills {{{gap}}}"),
            Unfilled::Shards(problem) => f.write_str(problem),
        }
    }
}

/// What one run of a pattern sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    /// One body, or one for each shard.
    pub bodies: Vec<Map<String, Value>>,
    /// As [`Binding::unmet`].
    pub unmet: Option<String>,
}

/// The requests of one run of a pattern, with its gaps filled as [`bind`] says.
///
/// # Errors
/// The first gap without a value; shards that cannot be told.
pub fn requests(
    catalogue: &Catalogue,
    samples: &Samples,
    pattern: &Pattern,
    seed: u64,
    turn: usize,
) -> Result<Requests, Unfilled> {
    let empty = Map::new();
    let request = pattern.request.as_ref().unwrap_or(&empty);
    let mut binding = bind(catalogue, samples, pattern, seed, turn);
    let unmet = binding.unmet.take();
    let bodies = match shards(catalogue, pattern).transpose().map_err(Unfilled::Shards)? {
        None => vec![fill(request, &binding)?],
        Some(Shards { gap, values, all: false }) => {
            // What comes from an item is the shard of that item.
            if is_free(&binding, &gap) {
                let at = turn / longest(samples, &binding);
                binding.values.extend(values.get(at % values.len()).map(|value| (gap, value.clone())));
            }
            vec![fill(request, &binding)?]
        }
        Some(Shards { gap, values, all: true }) => {
            let of_shard = |value: Value| {
                binding.values.insert(gap.clone(), value);
                fill(request, &binding)
            };
            values.into_iter().map(of_shard).collect::<Result<_, _>>()?
        }
    };
    Ok(Requests { bodies, unmet })
}

/// Items that are tried for a pattern's conditions and filters: all of a block for the first run, where it counts.
const TRIED_FIRST: usize = 2_000;
/// And in the further runs of a load.
const TRIED_LATER: usize = 16;

/// Chooses values for the gaps of a pattern's request. `turn` counts runs: other turns take other items, the first takes
/// those that have all that is asked for. Of several items one is taken for which the conditions and filters of the request
/// hold, or do not where the model expects that they fail.
pub fn bind(catalogue: &Catalogue, samples: &Samples, pattern: &Pattern, seed: u64, turn: usize) -> Binding {
    let tries = if turn == 0 { TRIED_FIRST } else { TRIED_LATER };
    bind_within(catalogue, samples, pattern, seed, turn, tries)
}

/// The same, where conditions and filters are looked at for so many items.
pub(super) fn bind_within(
    catalogue: &Catalogue,
    samples: &Samples,
    pattern: &Pattern,
    seed: u64,
    turn: usize,
    tries: usize,
) -> Binding {
    let mut binding = Binding::default();
    let gaps = request_gaps(pattern);
    let mut wanted: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    let random = Random::new(seed).named("parameters").named(&pattern.id).numbered(turn);
    for gap in &gaps {
        match pattern.parameters.get(gap) {
            Some(Parameter::Value(value)) => {
                binding.values.insert(gap.clone(), value.clone());
            }
            Some(Parameter::New(wanted)) => {
                // Far from what samples count, so that a new `seq` is new.
                let value = format::value(wanted, &mut random.named(gap), 900_000_000 + turn);
                binding.values.insert(gap.clone(), to_json(&value));
            }
            Some(Parameter::From { entity, attribute }) => {
                wanted.entry(entity).or_default().push((gap, attribute));
            }
            None => {
                if let Some(entity) = source(catalogue, pattern, gap, &gaps) {
                    wanted.entry(&entity.name).or_default().push((gap, gap));
                }
            }
        }
    }
    let wish = Wish {
        index: index_keys(catalogue, pattern),
        bounds: bounds(catalogue, pattern),
        judge: Judge::of(catalogue, samples, pattern),
        tries: Cell::new(tries),
        turn,
    };
    for (entity, gaps) in deepest_first(samples, wanted) {
        let Some(instances) = samples.entities.get(entity) else { continue };
        let Some(at) = choose(instances, &gaps, &wish, &binding) else { continue };
        take(&instances[at], &gaps, &mut binding);
        binding.sources.push((entity.to_owned(), at));
    }
    if let Some(Verdict::Unmet(condition)) = wish.judge.as_ref().map(|judge| judge.verdict(&binding)) {
        binding.unmet = Some(condition);
    }
    binding
}

/// Whether no item says which shard a pattern is about.
fn is_free(binding: &Binding, gap: &str) -> bool {
    binding.values.get(gap).is_none_or(Value::is_array)
}

/// How many items the largest of the entities has that values come from.
fn longest(samples: &Samples, binding: &Binding) -> usize {
    let lengths = binding.sources.iter().filter_map(|(entity, _)| samples.entities.get(entity).map(Vec::len));
    lengths.max().unwrap_or(1).max(1)
}

/// The runs that go over the samples of a pattern once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turns {
    /// The items that they take, one after another.
    pub(crate) items: usize,
    /// How often each of them comes: once with every shard that a write picks from.
    pub(crate) shards: usize,
}

/// How many runs go over the samples of a pattern once.
pub(crate) fn turns(catalogue: &Catalogue, samples: &Samples, pattern: &Pattern, seed: u64) -> Turns {
    let binding = bind(catalogue, samples, pattern, seed, 0);
    let shards = match shards(catalogue, pattern) {
        Some(Ok(Shards { gap, values, all: false })) if is_free(&binding, &gap) => values.len(),
        _ => 1,
    };
    Turns { items: longest(samples, &binding), shards }
}

/// Takes the values of gaps from an item.
fn take(instance: &Instance, gaps: &[(&str, &str)], binding: &mut Binding) {
    for (gap, attribute) in gaps {
        let value = instance.values.get(*attribute).or_else(|| instance.item.get(attribute));
        binding.values.extend(value.map(|value| ((*gap).to_owned(), to_json(value))));
    }
}

/// Entities with more gaps and attributes name their parents, so they are chosen first.
fn deepest_first<'w>(
    samples: &Samples,
    wanted: BTreeMap<&'w str, Vec<(&'w str, &'w str)>>,
) -> Vec<(&'w str, Vec<(&'w str, &'w str)>)> {
    let mut wanted: Vec<_> = wanted.into_iter().collect();
    let values = |entity: &str| {
        samples.entities.get(entity).and_then(|instances| instances.first()).map_or(0, |one| one.values.len())
    };
    wanted.sort_by_key(|(entity, gaps)| std::cmp::Reverse((gaps.len(), values(entity))));
    wanted
}

/// The item that values come from: one that has all of them, lies in the index, agrees with what was chosen before, and for which
/// the request finds what it asks for; where there is none, one that lacks as little as can be.
fn choose(
    instances: &[Instance],
    gaps: &[(&str, &str)],
    wish: &Wish<'_>,
    binding: &Binding,
) -> Option<usize> {
    if instances.is_empty() {
        return None;
    }
    let order = (0..instances.len()).map(|at| (at + wish.turn) % instances.len());
    let has_all = |at: usize| wish.has_all(&instances[at], gaps);
    let agrees = |at: usize| {
        let same = |(name, value): (&String, &Value)| {
            instances[at].values.get(name).is_none_or(|own| to_json(own) == *value)
        };
        binding.values.iter().all(same)
    };
    let is_met = |at: usize| wish.is_met(&instances[at], gaps, binding);
    let both = || order.clone().filter(|at| has_all(*at) && agrees(*at));
    let one = || order.clone().filter(|at| agrees(*at));
    both()
        .find(|at| is_met(*at))
        .or_else(|| one().filter(|at| !has_all(*at)).find(|at| is_met(*at)))
        .or_else(|| both().next())
        .or_else(|| one().next())
        .or_else(|| order.clone().find(|at| has_all(*at)))
        .or(Some(wish.turn % instances.len()))
}

/// What an item must be like for a request to find it.
struct Wish<'c> {
    /// The keys of the index that is read.
    index: Vec<&'c str>,
    bounds: Vec<Bound>,
    /// Who says whether conditions and filters hold.
    judge: Option<Judge<'c>>,
    /// How often it may still be asked.
    tries: Cell<usize>,
    turn: usize,
}

impl Wish<'_> {
    fn has_all(&self, instance: &Instance, gaps: &[(&str, &str)]) -> bool {
        let has = |name: &str| instance.item.contains(name) || !instance.values.contains_key(name);
        gaps.iter().all(|(_, attribute)| has(attribute))
            && self.index.iter().all(|key| instance.item.contains(key))
            && self.bounds.iter().all(|bound| bound.allows(instance))
    }

    fn is_met(&self, instance: &Instance, gaps: &[(&str, &str)], binding: &Binding) -> bool {
        let Some(judge) = &self.judge else { return true };
        let Some(left) = self.tries.get().checked_sub(1) else { return false };
        self.tries.set(left);
        let mut tried = binding.clone();
        take(instance, gaps, &mut tried);
        !matches!(judge.verdict(&tried), Verdict::Unmet(_))
    }
}

/// The constant text that a key of a request begins with, or is.
#[derive(Debug)]
struct Bound {
    attribute: String,
    text: String,
    is_whole: bool,
}

impl Bound {
    /// Whether an item can be found by it. An item without the attribute is not judged.
    fn allows(&self, instance: &Instance) -> bool {
        instance.item.get(&self.attribute).is_none_or(|value| {
            let text = text_of(value);
            if self.is_whole { text == self.text } else { text.starts_with(&self.text) }
        })
    }
}

/// The constant parts of the key that a read asks for.
fn bounds(catalogue: &Catalogue, pattern: &Pattern) -> Vec<Bound> {
    let request = request(catalogue, pattern);
    let Some([action]) = request.as_ref().map(|request| request.actions.as_slice()) else {
        return Vec::new();
    };
    let clauses = action.clauses.iter().filter(|clause| matches!(clause.operator, "=" | "begins_with"));
    let clauses = clauses
        .filter_map(|clause| Some((&clause.attribute, clause.operator == "=", clause.operands.first()?)));
    let keys = action.key.iter().map(|part| (&part.attribute, true, &part.text));
    let bound = |(attribute, equal, text): (&String, bool, &String)| {
        let template = Template::parse(text).ok()?;
        let is_whole = equal && template.is_constant();
        Some(Bound { attribute: attribute.clone(), text: template.prefix().to_owned(), is_whole })
    };
    clauses.chain(keys).filter_map(bound).collect()
}

fn index_keys<'c>(catalogue: &'c Catalogue, pattern: &Pattern) -> Vec<&'c str> {
    let table = pattern.table.as_deref().and_then(|table| catalogue.table(table));
    let named = pattern.request.as_ref().and_then(|request| request.get("IndexName")).and_then(Value::as_str);
    let index = named.or(pattern.index.as_deref()).and_then(|name| table?.index(name));
    index.map(|index| index.keys.attributes().collect()).unwrap_or_default()
}

/// The entity that a gap without a parameter is about: one of the pattern's table whose keys have the gap, best one that has
/// the other gaps too.
fn source<'c>(
    catalogue: &'c Catalogue,
    pattern: &Pattern,
    gap: &str,
    gaps: &BTreeSet<String>,
) -> Option<&'c Entity> {
    let has = |entity: &Entity, gap: &str| {
        entity.attributes.iter().any(|attribute| attribute.name == gap)
            || entity.keys.values().any(|template| template.gaps().any(|name| name == gap))
    };
    let fits = |entity: &&Entity| {
        pattern.table.as_ref().is_none_or(|table| entity.table == *table) && has(entity, gap)
    };
    let listed = |entity: &Entity| pattern.entities.iter().any(|(name, _)| *name == entity.name);
    let covers = |entity: &Entity| gaps.iter().filter(|gap| has(entity, gap)).count();
    // The last of the best is taken by `max_by_key`; the first of the file is wanted.
    catalogue.entities.iter().rev().filter(fits).max_by_key(|entity| (listed(entity), covers(entity)))
}

/// The names of all gaps in a pattern's request.
fn request_gaps(pattern: &Pattern) -> BTreeSet<String> {
    let mut gaps = BTreeSet::new();
    for value in pattern.request.iter().flat_map(Map::values) {
        collect(value, &mut gaps);
    }
    gaps
}

fn collect(value: &Value, gaps: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            if let Ok(template) = Template::parse(text) {
                gaps.extend(template.gaps().map(str::to_owned));
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, gaps)),
        Value::Object(map) => map.values().for_each(|value| collect(value, gaps)),
        _ => {}
    }
}

/// The request with its gaps filled.
///
/// # Errors
/// The first gap without a value.
pub fn fill(request: &Map<String, Value>, binding: &Binding) -> Result<Map<String, Value>, Unfilled> {
    request.iter().map(|(name, value)| Ok((name.clone(), filled(value, binding)?))).collect()
}

fn filled(value: &Value, binding: &Binding) -> Result<Value, Unfilled> {
    match value {
        Value::String(text) => text_filled(text, binding),
        Value::Array(values) => values.iter().map(|value| filled(value, binding)).collect(),
        Value::Object(map) => {
            if let Some(value) = typed(map, binding) {
                return Ok(value);
            }
            let pair = |(name, value): (&String, &Value)| Ok((name.clone(), filled(value, binding)?));
            map.iter().map(pair).collect::<Result<Map<_, _>, _>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

/// `{"SS": "{tags}"}`, `{"BOOL": "{flag}"}`: an attribute value that is nothing but a gap takes the value with its own type,
/// where the two are no texts of each other.
fn typed(map: &Map<String, Value>, binding: &Binding) -> Option<Value> {
    let mut members = map.iter();
    let (Some((kind, Value::String(text))), None) = (members.next(), members.next()) else { return None };
    let kind = Kind::from_name(kind)?;
    let template = Template::parse(text).ok()?;
    let [Part::Gap { name, width: None }] = template.parts() else { return None };
    let value = binding.values.get(name)?;
    let own = kind_of(value);
    if own == Some(kind) || (own.is_some() && !matches!(kind, Kind::S | Kind::N)) {
        return Some(value.clone());
    }
    match (kind, value) {
        (Kind::Bool, Value::Bool(_)) => Some(json!({ "BOOL": value })),
        (Kind::L, Value::Array(_)) | (Kind::M, Value::Object(_)) if own.is_none() => {
            Some(json!({ kind.name(): value }))
        }
        _ => None,
    }
}

fn kind_of(value: &Value) -> Option<Kind> {
    let map = value.as_object().filter(|map| map.len() == 1)?;
    Kind::from_name(map.keys().next()?)
}

fn text_filled(text: &str, binding: &Binding) -> Result<Value, Unfilled> {
    // A text that is no template, such as JSON in a statement, is what it is.
    let Ok(template) = Template::parse(text) else { return Ok(Value::String(text.to_owned())) };
    let mut missing = None;
    let filled = template.render(|gap| {
        let value = binding.values.get(gap).map(|value| Cow::Owned(plain(value)));
        if value.is_none() {
            missing = Some(gap.to_owned());
        }
        value
    });
    match (filled, missing) {
        (Some(text), _) => Ok(Value::String(text)),
        (None, gap) => Err(Unfilled::Gap(gap.unwrap_or_default())),
    }
}

/// A value as a text shows it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(map) if map.len() == 1 => match map.values().next() {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        },
        other => other.to_string(),
    }
}

/// An attribute value in DynamoDB's JSON.
fn to_json(value: &AttributeValue) -> Value {
    let mut bytes = Vec::new();
    hashrange_item::json::write_value(value, &mut bytes);
    serde_json::from_slice(&bytes).unwrap_or_else(|_| json!({ "S": text_of(value) }))
}

/// An item in DynamoDB's JSON.
pub(crate) fn attributes_json(item: &Attributes) -> Value {
    let pairs = item.iter().map(|(name, value)| (name.to_owned(), to_json(value)));
    Value::Object(pairs.collect())
}
