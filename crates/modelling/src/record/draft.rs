//! A draft catalogue of recorded traffic.

use std::collections::BTreeMap;

use hashrange_api::Operation;

use super::request::{Draft, gap};
use super::{Recording, Seen, SeenIndex, SeenTable, Shape, links, name, text};
use crate::catalogue::{
    Attribute, AttributeType, Budget, Catalogue, Entity, Index, IndexKind, KeyType, Keys, Parameter, Pattern,
    Projection, Table,
};
use crate::template::Template;

/// The draft: patterns by how often they came, with what was observed of each.
pub fn draft(recording: &Recording, catalogue_name: &str) -> Catalogue {
    let entities = entities(recording);
    let mut seen: Vec<&Seen> = recording.patterns.iter().collect();
    seen.sort_by(|one, other| other.count.cmp(&one.count).then(one.shape.cmp(&other.shape)));
    let patterns = seen.iter().enumerate().map(|(at, seen)| pattern(recording, seen, at + 1, &entities));
    let patterns: Vec<Pattern> = patterns.collect();
    Catalogue {
        name: catalogue_name.to_owned(),
        description: Some(format!(
            "Drafted from {} requests recorded in {} seconds. Names, entities and parameters are guesses: look at them.",
            recording.patterns.iter().map(|seen| seen.count).sum::<u64>() + recording.other,
            rounded(recording.seconds)
        )),
        tables: recording.tables.iter().map(table).collect(),
        flows: links::flows(recording, &seen, &patterns),
        patterns,
        entities,
        ..Catalogue::default()
    }
}

fn table(seen: &SeenTable) -> Table {
    let own = seen.hash.iter().chain(&seen.range);
    let of_indexes = seen.indexes.iter().flat_map(|index| index.hash.iter().chain(&index.range));
    Table {
        name: seen.name.clone(),
        keys: keys(&seen.hash, &seen.range),
        definitions: own.chain(of_indexes).map(|(name, kind)| (name.clone(), key_type(kind))).collect(),
        indexes: seen.indexes.iter().map(index).collect(),
        ttl: seen.ttl.clone(),
        ..Table::default()
    }
}

fn keys(hash: &[(String, String)], range: &[(String, String)]) -> Keys {
    let names = |attributes: &[(String, String)]| attributes.iter().map(|(name, _)| name.clone()).collect();
    Keys { hash: names(hash), range: names(range) }
}

fn key_type(kind: &str) -> KeyType {
    match kind {
        "N" => KeyType::N,
        "B" => KeyType::B,
        _ => KeyType::S,
    }
}

fn index(seen: &SeenIndex) -> Index {
    Index {
        name: seen.name.clone(),
        kind: if seen.local { IndexKind::Local } else { IndexKind::Global },
        keys: keys(&seen.hash, &seen.range),
        projection: match &seen.included {
            None => Projection::All,
            Some(names) if names.is_empty() => Projection::KeysOnly,
            Some(names) => Projection::Include(names.clone()),
        },
        ..Index::default()
    }
}

/// A table, and the prefixes of a key in it.
type Place = (String, Vec<Option<String>>);

/// A kind of item for each pair of prefixes that whole keys have.
fn entities(recording: &Recording) -> Vec<Entity> {
    let mut found: BTreeMap<Place, Entity> = BTreeMap::new();
    for seen in &recording.patterns {
        let requests = seen.shape.requests.iter().map(|part| &part.shape);
        for shape in std::iter::once(&seen.shape).chain(requests) {
            let Some((key, mut entity)) = entity(shape) else { continue };
            entity.bytes =
                seen.item_bytes.map(|(mean, _)| rounded(mean)).filter(|_| seen.shape.requests.is_empty());
            let known = found.entry(key).or_insert_with(|| entity.clone());
            known.bytes = known.bytes.or(entity.bytes);
        }
    }
    let mut entities: Vec<Entity> = found.into_values().collect();
    for at in 1..entities.len() {
        let (before, rest) = entities.split_at_mut(at);
        let entity = &mut rest[0];
        while before.iter().any(|other| other.name == entity.name) {
            entity.name.push('2');
        }
    }
    entities
}

/// The kind of item that a whole key belongs to.
fn entity(shape: &Shape) -> Option<(Place, Entity)> {
    if !matches!(shape.operation(), "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem") {
        return None;
    }
    let table = shape.table()?;
    let clauses = text::clauses(shape.field("key")?);
    let mut entity = Entity { table: table.clone(), ..Entity::default() };
    let mut prefixes = Vec::new();
    for clause in &clauses {
        let (kind, prefix) = clause.values.first().copied()?;
        let gap = gap(&clause.attribute, prefix);
        entity.keys.insert(clause.attribute.clone(), Template::parse(&gap.template).ok()?);
        if entity.attributes.iter().all(|known| known.name != gap.name) {
            entity.attributes.push(attribute(gap.name, kind));
        }
        prefixes.push(prefix.map(str::to_owned));
    }
    let last = prefixes.iter().rev().flatten().next();
    entity.name = last.map_or_else(|| capitalised(&table), |prefix| capitalised(prefix));
    Some(((table, prefixes), entity))
}

fn attribute(name: String, kind: &str) -> Attribute {
    Attribute {
        name,
        kind: AttributeType::from_name(kind),
        format: Some(if kind == "N" { "seq" } else { "uuid" }.to_owned()),
        values: Vec::new(),
        weights: Vec::new(),
        bytes: None,
        share: None,
        pii: false,
        immutable: false,
        copy_of: None,
    }
}

/// `ORDER_ITEM#` as `OrderItem`.
fn capitalised(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_loud = !text.chars().any(|c| c.is_ascii_lowercase());
    let words = words.map(|word| {
        let (first, rest) = word.split_at(1);
        let rest = if is_loud { rest.to_ascii_lowercase() } else { rest.to_owned() };
        first.to_ascii_uppercase() + &rest
    });
    let name: String = words.collect();
    if name.is_empty() { "Item".to_owned() } else { name }
}

fn pattern(recording: &Recording, seen: &Seen, number: usize, entities: &[Entity]) -> Pattern {
    let shape = &seen.shape;
    let draft = Draft::of(shape);
    let read = !shape.writes();
    let written: Vec<String> = shape.field("update").map(text::written).unwrap_or_default();
    let mut parameters = draft.parameters;
    for (name, parameter) in &mut parameters {
        let parts =
            shape.requests.iter().map(|part| &part.shape).filter(|part| part.operation() != "PutItem");
        let mut shapes = std::iter::once(shape).chain(parts);
        if let Some(entity) = shapes.find_map(|shape| entity_of(shape, name, entities)) {
            *parameter = Parameter::From { entity, attribute: name.clone() };
        }
    }
    if shape.operation() == "PutItem" {
        // What is put is new.
        for parameter in parameters.values_mut() {
            *parameter = Parameter::New("uuid".to_owned());
        }
    }
    let refused = seen.failure_share("ConditionalCheckFailedException");
    Pattern {
        id: format!("P{number}"),
        name: name(shape),
        description: Some(observed(seen)),
        table: shape.table(),
        index: shape.index(),
        operation: operation(shape.operation()),
        request: Some(draft.request).filter(|_| operation(shape.operation()).is_some()),
        parameters,
        strong: read.then(|| shape.field("consistent").is_some()),
        peak_rps: Some(rounded(count(seen.peak))),
        avg_rps: Some(rounded(recording.rate(seen.count))),
        budget: budget(seen, read),
        items: (read && seen.examined > 0).then(|| rounded(seen.examined_mean())),
        p99_items: None,
        item_bytes: seen.item_bytes.map(|(mean, _)| rounded(mean)),
        attributes_written: (!written.is_empty()).then_some(written),
        conditional_fail_rate: shape.field("condition").map(|_| rounded(refused)),
        non_existent_rate: (read && seen.answered > 0).then(|| rounded(seen.empty_share())),
        ..Pattern::default()
    }
}

/// The entity whose key has this gap, where it is one alone, and the key is of that entity.
fn entity_of(shape: &Shape, gap_name: &str, entities: &[Entity]) -> Option<String> {
    let clauses = text::clauses(shape.field("key")?);
    let table = shape.table()?;
    let fits = |entity: &&Entity| {
        entity.table == table
            && shape.index().is_none()
            && clauses.iter().all(|clause| {
                let prefix = clause.values.first().and_then(|(_, prefix)| *prefix);
                entity
                    .keys
                    .get(&clause.attribute)
                    .is_some_and(|template| prefix.is_none_or(|prefix| template.prefix() == prefix))
            })
            && entity.keys.values().any(|template| template.gaps().any(|gap| gap == gap_name))
    };
    entities.iter().find(fits).map(|entity| entity.name.clone())
}

fn operation(name: &str) -> Option<Operation> {
    Operation::ALL.into_iter().find(|operation| operation.name() == name)
}

/// The most that was observed, rounded up to the next step: half a unit for reads, one for writes.
fn budget(seen: &Seen, read: bool) -> Budget {
    if seen.answered == 0 {
        return Budget::default();
    }
    if read {
        Budget { rcu: Some((seen.units_max * 2.0).ceil() / 2.0), wcu: None }
    } else {
        Budget { rcu: None, wcu: Some(seen.units_max.ceil()) }
    }
}

/// What was observed, in a sentence.
fn observed(seen: &Seen) -> String {
    let ms = |at: usize| rounded(count(seen.latency_us.get(at).copied().unwrap_or_default()) / 1000.0);
    let mut told = vec![
        format!("Recorded {} times (form {})", seen.count, seen.fingerprint),
        format!("{} units on average, {} at most", rounded(seen.units_mean()), seen.units_max),
        format!("{} ms at the median, {} ms at 99 %", ms(0), ms(2)),
    ];
    if seen.distinct_keys > 0 {
        let busiest = rounded(seen.top_share() * 100.0);
        told.push(format!(
            "about {} different partition keys, the busiest with {busiest} % of uses",
            seen.distinct_keys
        ));
    }
    for (error, times) in &seen.failed {
        told.push(format!("{error} {times} times"));
    }
    if seen.peak_minute > 0 {
        told.insert(1, format!("{} in the busiest minute", seen.peak_minute));
    }
    if seen.sampled < seen.count {
        told.push(format!("units, keys and times are of {} of them", seen.sampled));
    }
    told.join("; ")
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn count(count: u64) -> f64 {
    count as f64
}

/// Three digits that count.
pub(super) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let text = format!("{value:.2e}");
    text.parse().unwrap_or(value)
}
