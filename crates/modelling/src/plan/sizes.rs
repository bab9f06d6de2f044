//! Bytes and numbers of items and index entries, from declarations, samples and formats.
//!
//! Bytes are those that capacity is counted by: names and values. The 100 bytes of overhead of each stored item and entry are not in them;
//! see [`STORAGE_OVERHEAD`]. (Source: AWS developer guide, item sizes and formats.)

use hashrange_item::{AttributeValue, size};

use super::{float, shape};
use crate::catalogue::{Attribute, AttributeType, Catalogue, Entity, Index, KeyType, Projection, Table};
use crate::template::{Part, Template};

/// Bytes that storage adds to each item and index entry; capacity does not count them. (Source: AWS developer guide.)
pub const STORAGE_OVERHEAD: f64 = 100.0;

/// Bytes of a text of which nothing is stated.
const TEXT_USUAL: f64 = 20.0;

/// Mean bytes of an item: as declared, else by its keys and attributes, else by its samples.
pub fn entity_bytes(catalogue: &Catalogue, entity: &Entity) -> Option<f64> {
    if entity.bytes.is_some() {
        return entity.bytes;
    }
    if !entity.attributes.is_empty() {
        let names = attribute_names(entity);
        return Some(names.iter().map(|name| attribute_bytes(catalogue, entity, name)).sum());
    }
    sample_bytes(catalogue, entity).or_else(|| catalogue.table(&entity.table)?.item_bytes)
}

/// Mean bytes of an entity's entry in an index; `None` where nothing tells, or its items are not in the index.
pub fn entry_bytes(catalogue: &Catalogue, table: &Table, index: &Index, entity: &Entity) -> Option<f64> {
    if entry_share(index, entity) <= 0.0 {
        return None;
    }
    if index.entry_bytes.is_some() {
        return index.entry_bytes;
    }
    let whole = entity_bytes(catalogue, entity);
    let listed: &[String] = match &index.projection {
        Projection::All => return whole,
        Projection::KeysOnly => &[],
        Projection::Include(names) => names,
    };
    let mut names: Vec<&str> = table.keys.attributes().chain(index.keys.attributes()).collect();
    names.extend(listed.iter().map(String::as_str).filter(|name| has(entity, name)));
    names.sort_unstable();
    names.dedup();
    let sum = names.iter().map(|name| attribute_bytes(catalogue, entity, name)).sum::<f64>();
    Some(whole.map_or(sum, |whole| sum.min(whole)))
}

/// The share of an entity's items that are in an index: those that have all of its keys.
pub fn entry_share(index: &Index, entity: &Entity) -> f64 {
    let share = |name: &str| {
        if entity.keys.contains_key(name) {
            return entity.attributes.iter().find(|a| a.name == name).and_then(|a| a.share).unwrap_or(1.0);
        }
        entity.attributes.iter().find(|a| a.name == name).map_or(0.0, |a| a.share.unwrap_or(1.0))
    };
    index.keys.attributes().map(share).fold(1.0, f64::min)
}

/// How many items of an entity there are: as declared, else so many for each item of the entity that has a collection of the same key.
pub fn entity_count(catalogue: &Catalogue, entity: &Entity) -> Option<f64> {
    if entity.count.is_some() {
        return entity.count;
    }
    let each = entity.per_collection?;
    let hash = catalogue.table(&entity.table)?.keys.hash.first()?;
    let key = entity.keys.get(hash)?;
    let parents = catalogue.entities_of(&entity.table).filter(|other| other.keys.get(hash) == Some(key));
    parents.filter_map(|parent| parent.count).reduce(f64::max).map(|count| count * each)
}

/// Items in a table: as declared, else the sum over its entities.
pub fn table_count(catalogue: &Catalogue, table: &Table) -> Option<f64> {
    table.item_count.or_else(|| {
        let counts = catalogue.entities_of(&table.name).map(|entity| entity_count(catalogue, entity));
        counts.sum::<Option<f64>>().filter(|count| *count > 0.0)
    })
}

/// Bytes in a table, without the overhead of storage.
pub fn table_bytes(catalogue: &Catalogue, table: &Table) -> Option<f64> {
    if let (Some(count), Some(bytes)) = (table.item_count, table.item_bytes) {
        return Some(count * bytes);
    }
    let each = catalogue
        .entities_of(&table.name)
        .map(|entity| Some(entity_count(catalogue, entity)? * entity_bytes(catalogue, entity)?));
    each.sum::<Option<f64>>().filter(|bytes| *bytes > 0.0)
}

/// Entries in an index.
pub fn entry_count(catalogue: &Catalogue, table: &Table, index: &Index) -> Option<f64> {
    index.entry_count.or_else(|| {
        let each = catalogue.entities_of(&table.name).filter(|entity| entry_share(index, entity) > 0.0);
        let counts = each.map(|entity| Some(entity_count(catalogue, entity)? * entry_share(index, entity)));
        counts.sum::<Option<f64>>().filter(|count| *count > 0.0)
    })
}

/// Bytes in an index, without the overhead of storage.
pub fn index_bytes(catalogue: &Catalogue, table: &Table, index: &Index) -> Option<f64> {
    if let (Some(count), Some(bytes)) = (index.entry_count, index.entry_bytes) {
        return Some(count * bytes);
    }
    let each = catalogue.entities_of(&table.name).filter(|entity| entry_share(index, entity) > 0.0);
    let bytes = each.map(|entity| {
        let count = entity_count(catalogue, entity)? * entry_share(index, entity);
        Some(count * entry_bytes(catalogue, table, index, entity)?)
    });
    bytes.sum::<Option<f64>>().filter(|bytes| *bytes > 0.0)
}

/// Whether items of an entity can have an attribute, as far as it is declared.
pub fn has(entity: &Entity, attribute: &str) -> bool {
    entity.keys.contains_key(attribute) || entity.attributes.iter().any(|other| other.name == attribute)
}

/// The names of all attributes of an entity, each once.
pub fn attribute_names(entity: &Entity) -> Vec<&str> {
    let mut names: Vec<&str> = entity.keys.keys().map(String::as_str).collect();
    names.extend(entity.attributes.iter().map(|a| a.name.as_str()).filter(|n| !entity.keys.contains_key(*n)));
    names
}

/// Mean bytes of an attribute with its name, over all items of the entity: one that half of them have counts half.
pub fn attribute_bytes(catalogue: &Catalogue, entity: &Entity, name: &str) -> f64 {
    let declared = entity.attributes.iter().find(|attribute| attribute.name == name);
    let share = declared.and_then(|attribute| attribute.share).unwrap_or(1.0);
    let value = match (declared.and_then(|attribute| attribute.bytes), entity.keys.get(name)) {
        (Some(bytes), _) => bytes,
        (None, Some(template)) => template_bytes(catalogue, entity, name, template),
        (None, None) => declared.map_or(TEXT_USUAL, |attribute| value_bytes(catalogue, attribute, 0)),
    };
    (bytes_of(name) + value) * share
}

/// Mean bytes of a value of an attribute without its name.
fn value_bytes(catalogue: &Catalogue, attribute: &Attribute, depth: u8) -> f64 {
    if let Some(bytes) = attribute.bytes {
        return bytes;
    }
    let is_number = attribute.kind == Some(AttributeType::N);
    if !attribute.values.is_empty() {
        return weighted(
            attribute,
            |text| if is_number { number_bytes(digits(text)) } else { bytes_of(text) },
        );
    }
    if let Some((entity, other)) = &attribute.copy_of
        && attribute.format.is_none()
        && depth < 4
        && let Some(origin) = attribute_of(catalogue, entity, other)
    {
        return value_bytes(catalogue, origin, depth + 1);
    }
    match &attribute.format {
        Some(format) => format_bytes(catalogue, format, attribute.kind, depth),
        None => kind_bytes(attribute.kind),
    }
}

fn attribute_of<'a>(catalogue: &'a Catalogue, entity: &str, attribute: &str) -> Option<&'a Attribute> {
    catalogue.entity(entity)?.attributes.iter().find(|other| other.name == attribute)
}

fn weighted(attribute: &Attribute, bytes: impl Fn(&str) -> f64) -> f64 {
    let weight = |at: usize| attribute.weights.get(at).copied().unwrap_or(1.0);
    let all: f64 = (0..attribute.values.len()).map(weight).sum();
    let sum: f64 = attribute.values.iter().enumerate().map(|(at, text)| bytes(text) * weight(at)).sum();
    if all > 0.0 { sum / all } else { 0.0 }
}

fn kind_bytes(kind: Option<AttributeType>) -> f64 {
    match kind {
        Some(AttributeType::N) => 4.0,
        Some(AttributeType::Bool | AttributeType::Null) => 1.0,
        Some(AttributeType::L | AttributeType::M) => 3.0 + 5.0 * (TEXT_USUAL + 1.0),
        Some(AttributeType::Ss | AttributeType::Bs) => 5.0 * TEXT_USUAL,
        Some(AttributeType::Ns) => 5.0 * 4.0,
        _ => TEXT_USUAL,
    }
}

/// Typical bytes of a format: `uuid`, `int(1,100)`, `list(text(10),3)`.
fn format_bytes(catalogue: &Catalogue, format: &str, kind: Option<AttributeType>, depth: u8) -> f64 {
    let (name, inside) = split_call(format);
    if name == "ref" || name == "list" {
        return nested_bytes(catalogue, name, inside, depth);
    }
    match textual_length(name, inside) {
        Some((length, true)) if kind != Some(AttributeType::S) => number_bytes(length),
        Some((length, _)) => length,
        None => kind_bytes(kind),
    }
}

fn nested_bytes(catalogue: &Catalogue, name: &str, inside: &str, depth: u8) -> f64 {
    if depth >= 4 {
        return TEXT_USUAL;
    }
    if name == "ref" {
        let origin =
            inside.split_once('.').and_then(|(entity, other)| attribute_of(catalogue, entity, other));
        return origin.map_or(TEXT_USUAL, |attribute| value_bytes(catalogue, attribute, depth + 1));
    }
    let (element, number) = inside.rsplit_once(',').unwrap_or((inside, "3"));
    let number: f64 = number.trim().parse().unwrap_or(3.0);
    3.0 + number * (1.0 + format_bytes(catalogue, element.trim(), None, depth + 1))
}

/// The characters of a value of a format, and whether it is a number.
fn textual_length(name: &str, inside: &str) -> Option<(f64, bool)> {
    let mut numbers = inside.split(',').map(|text| text.trim().parse::<f64>().ok());
    let (first, second) = (numbers.next().flatten(), numbers.next().flatten());
    let places = numbers.next().flatten().unwrap_or(0.0);
    let widest = |low: Option<f64>, high: Option<f64>| {
        let most = high.or(low).unwrap_or(1000.0).abs().max(1.0);
        (most / 2.0).max(1.0).log10().floor() + 1.0
    };
    Some(match name {
        "uuid" => (36.0, false),
        "ulid" => (26.0, false),
        "ksuid" => (27.0, false),
        "name" => (14.0, false),
        "word" => (7.0, false),
        "email" | "iso-time" => (24.0, false),
        "phone" => (13.0, false),
        "iso-date" => (10.0, false),
        "epoch" => (10.0, true),
        "epoch-ms" => (13.0, true),
        "seq" => (6.0, true),
        "bool" => (1.0, false),
        "int" => (widest(first, second), true),
        "decimal" => (widest(first, second) + places, true),
        "text" | "binary" => (first.unwrap_or(TEXT_USUAL), false),
        "const" => (bytes_of(inside), false),
        "map" => (3.0, false),
        _ => return None,
    })
}

/// `int(1,2)` into `int` and `1,2`.
fn split_call(format: &str) -> (&str, &str) {
    match format.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix(')').unwrap_or(rest)),
        None => (format.trim(), ""),
    }
}

fn template_bytes(catalogue: &Catalogue, entity: &Entity, name: &str, template: &Template) -> f64 {
    let length = template_length(catalogue, entity, template);
    let kind = catalogue.table(&entity.table).and_then(|table| table.definitions.get(name));
    if kind == Some(&KeyType::N) { number_bytes(length) } else { length }
}

/// Mean characters of a key made from a template.
pub fn template_length(catalogue: &Catalogue, entity: &Entity, template: &Template) -> f64 {
    let length = |part: &Part| match part {
        Part::Literal(text) => bytes_of(text),
        Part::Gap { width: Some(width), .. } => float(*width),
        Part::Gap { name, width: None } => gap_length(catalogue, entity, name),
    };
    template.parts().iter().map(length).sum()
}

fn gap_length(catalogue: &Catalogue, entity: &Entity, name: &str) -> f64 {
    let own = entity.attributes.iter().find(|attribute| attribute.name == name);
    let others = catalogue.entities.iter().flat_map(|other| &other.attributes);
    let found = own.or_else(|| others.into_iter().find(|attribute| attribute.name == name));
    let Some(attribute) = found else { return TEXT_USUAL };
    if !attribute.values.is_empty() {
        return weighted(attribute, bytes_of);
    }
    let (format, inside) = attribute.format.as_deref().map_or(("", ""), split_call);
    match textual_length(format, inside) {
        Some((length, _)) => length,
        None => value_bytes(catalogue, attribute, 0),
    }
}

fn sample_bytes(catalogue: &Catalogue, entity: &Entity) -> Option<f64> {
    let table = catalogue.table(&entity.table)?;
    let fits = |item: &&hashrange_item::Attributes| {
        table.keys.attributes().all(|key| match (entity.keys.get(key), item.get(key).and_then(shape::text)) {
            (Some(template), Some(text)) => shape::matches(template, &text),
            _ => false,
        })
    };
    let bytes: Vec<usize> = table.samples.iter().filter(fits).map(size::item).collect();
    (!bytes.is_empty()).then(|| float(bytes.iter().sum()) / float(bytes.len()))
}

fn digits(text: &str) -> f64 {
    let number = text.parse::<hashrange_item::Number>().map(AttributeValue::N);
    number.map_or_else(|_| bytes_of(text), |value| (float(size::value(&value)) - 1.0) * 2.0)
}

/// Bytes of a number of so many digits: one for two digits, and one. (Source: AWS developer guide.)
fn number_bytes(digits: f64) -> f64 {
    1.0 + (digits / 2.0).ceil()
}

fn bytes_of(text: &str) -> f64 {
    float(text.len())
}
