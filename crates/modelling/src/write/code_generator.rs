//! `schema.json` of the code generator: tables with entities, and below each entity the patterns that are about it; and `usage_data.json`.

mod pattern;

use std::collections::BTreeSet;

use hashrange_item::{AttributeValue, Attributes, Kind};
use serde_json::{Map, Value, json};

use super::words::{of_kind, projection_words};
use super::{Told, words};
use crate::catalogue::{Attribute, Catalogue, Entity, Index, IndexKind, Keys, Table};
use crate::check::Samples;
use crate::plan::sizes;
use crate::read::code_generator::text_of;
use crate::read::own::lower;
use crate::template::{Part, Template};

/// The catalogue with whole numbers as ids of patterns: those that they end with, else the next that is free.
pub(super) fn numbered(catalogue: &Catalogue) -> Catalogue {
    let digits = |id: &str| id[id.trim_end_matches(|c: char| c.is_ascii_digit()).len()..].parse::<u64>().ok();
    let mut taken: BTreeSet<u64> = BTreeSet::new();
    let own = catalogue.patterns.iter().map(|one| digits(&one.id).filter(|number| taken.insert(*number)));
    let own: Vec<Option<u64>> = own.collect();
    let mut numbered = catalogue.clone();
    let mut next = 1;
    for (pattern, own) in numbered.patterns.iter_mut().zip(own) {
        let number = own.unwrap_or_else(|| {
            while !taken.insert(next) {
                next += 1;
            }
            next
        });
        pattern.id = number.to_string();
    }
    numbered
}

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let written = pattern::all(catalogue, assumed);
    for table in &catalogue.tables {
        if catalogue.entities_of(&table.name).next().is_none() {
            assumed.add("the generator demands entities of every table, which are not stated", &table.name);
        }
    }
    let tables: Vec<Value> = catalogue.tables.iter().map(|one| table(one, catalogue, &written)).collect();
    let mut out = json!({"tables": tables});
    if !written.across.is_empty() {
        out["cross_table_access_patterns"] = json!(written.across);
    }
    out
}

fn table(table: &Table, catalogue: &Catalogue, written: &pattern::Written) -> Value {
    let mut config = Map::new();
    config.insert("table_name".to_owned(), json!(table.name));
    keys(&table.keys, &mut config);
    let indexes: Vec<Value> = of_kind(table, IndexKind::Global).map(index).collect();
    let entities = catalogue.entities_of(&table.name);
    let entities: Map<String, Value> =
        entities.map(|one| (one.name.clone(), entity(one, table, written))).collect();
    let mut out = json!({"table_config": config});
    if !indexes.is_empty() {
        out["gsi_list"] = json!(indexes);
    }
    out["entities"] = Value::Object(entities);
    out
}

/// One attribute as a text, several as a list.
fn keys(keys: &Keys, out: &mut Map<String, Value>) {
    for (member, names) in [("partition_key", &keys.hash), ("sort_key", &keys.range)] {
        out.extend(one_or_list(names.clone()).map(|value| (member.to_owned(), value)));
    }
}

fn one_or_list(mut texts: Vec<String>) -> Option<Value> {
    match texts.len() {
        0 => None,
        1 => Some(json!(texts.remove(0))),
        _ => Some(json!(texts)),
    }
}

fn index(index: &Index) -> Value {
    let mut out = Map::new();
    out.insert("name".to_owned(), json!(index.name));
    keys(&index.keys, &mut out);
    let (kind, names) = projection_words(&index.projection);
    out.insert("projection".to_owned(), json!(kind));
    out.extend(names.map(|names| ("included_attributes".to_owned(), json!(names))));
    Value::Object(out)
}

fn entity(entity: &Entity, table: &Table, written: &pattern::Written) -> Value {
    let mut out = Map::new();
    out.insert("entity_type".to_owned(), json!(entity.name.to_uppercase()));
    templates(entity, &table.keys, &mut out);
    let indexed = of_kind(table, IndexKind::Global)
        .filter(|index| index.keys.attributes().all(|name| sizes::has(entity, name)));
    let mappings = indexed.map(|index| {
        let mut out = Map::new();
        out.insert("name".to_owned(), json!(index.name));
        templates(entity, &index.keys, &mut out);
        Value::Object(out)
    });
    let mappings: Vec<Value> = mappings.collect();
    if !mappings.is_empty() {
        out.insert("gsi_mappings".to_owned(), json!(mappings));
    }
    out.insert("fields".to_owned(), json!(fields(entity, table)));
    let patterns = written.of_entities.get(&entity.name).cloned().unwrap_or_default();
    out.insert("access_patterns".to_owned(), json!(patterns));
    Value::Object(out)
}

/// The attributes, then what the keys are made of and no attribute has.
fn fields(entity: &Entity, table: &Table) -> Vec<Value> {
    let field = |one: &Attribute| {
        let required = one.share.is_none_or(|share| share >= 1.0);
        let mut out = json!({"name": one.name, "type": type_of(one), "required": required});
        if type_of(one) == "array" {
            out["item_type"] = json!(if one.kind == Some(Kind::Ns) { "decimal" } else { "string" });
        }
        out
    };
    let texts = table.keys.attributes().map(|name| json!(text_of(entity, name)));
    let parts: BTreeSet<String> = texts.flat_map(|text| lower::gaps(&text)).collect();
    let is_known = |name: &String| entity.attributes.iter().any(|one| one.name == *name);
    let more = parts.iter().filter(|name| !is_known(name)).map(|name| {
        let kind = if words::key_type(table, name) == "N" { "decimal" } else { "string" };
        json!({"name": name, "type": kind, "required": true})
    });
    entity.attributes.iter().map(field).chain(more).collect()
}

fn templates(entity: &Entity, keys: &Keys, out: &mut Map<String, Value>) {
    for (member, names) in [("pk_template", &keys.hash), ("sk_template", &keys.range)] {
        let texts = names.iter().map(|name| without_widths(&text_of(entity, name))).collect();
        out.extend(one_or_list(texts).map(|value| (member.to_owned(), value)));
    }
}

/// A template without the widths of its gaps, which the generator does not know.
fn without_widths(text: &str) -> String {
    let Ok(template) = Template::parse(text) else { return text.to_owned() };
    let parts = template.parts().iter().map(|part| match part {
        Part::Literal(text) => text.replace('{', "{{").replace('}', "}}"),
        Part::Gap { name, .. } => format!("{{{name}}}"),
    });
    parts.collect()
}

/// What the generator calls a type.
fn type_of(attribute: &Attribute) -> &'static str {
    let format = attribute.format.as_deref().unwrap_or_default();
    match attribute.kind {
        _ if format == "uuid" => "uuid",
        Some(Kind::N) if format.starts_with("int(") || format.starts_with("epoch") => "integer",
        Some(Kind::N) => "decimal",
        Some(Kind::Bool) => "boolean",
        Some(Kind::L | Kind::Ss | Kind::Ns | Kind::Bs) => "array",
        Some(Kind::M) => "object",
        _ => "string",
    }
}

/// `usage_data.json`: the first sample of each entity, and the values of the second, else of the same, for patterns and updates.
pub(super) fn usage(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let samples = Samples::of(catalogue);
    let mut entities = Map::new();
    for entity in &catalogue.entities {
        let kind = samples.of_entity(&entity.name);
        let items = kind.map_or(&[][..], |kind| kind.items.as_slice());
        let Some(first) = items.first() else {
            assumed.add("the generator demands samples of every entity, which are not given", &entity.name);
            continue;
        };
        let table = catalogue.table(&entity.table);
        let fields = table.map(|table| fields(entity, table)).unwrap_or_default();
        let sample = sample(first, &fields);
        let second = items.get(1).map_or_else(|| sample.clone(), |item| self::sample(item, &fields));
        let data = json!({"sample_data": sample, "access_pattern_data": second, "update_data": second});
        entities.insert(entity.name.clone(), data);
    }
    json!({ "entities": entities })
}

/// The fields that an item has; the generator refuses others.
fn sample(item: &Attributes, fields: &[Value]) -> Value {
    let own = item.iter().filter(|(name, _)| fields.iter().any(|field| field["name"] == **name));
    Value::Object(own.map(|(name, value)| (name.to_owned(), plain(value))).collect())
}

/// A value as plain JSON.
fn plain(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => json!(text),
        AttributeValue::N(number) => {
            let text = number.to_string();
            serde_json::from_str::<serde_json::Number>(&text).map_or(json!(text), Value::Number)
        }
        AttributeValue::Bool(truth) => json!(truth),
        AttributeValue::Null => Value::Null,
        AttributeValue::L(items) => items.iter().map(plain).collect(),
        AttributeValue::M(map) => {
            Value::Object(map.iter().map(|(name, value)| (name.to_owned(), plain(value))).collect())
        }
        // Sets and bytes have no plain form: the content of their typed one.
        other => {
            let mut item = Attributes::new();
            item.insert("v".to_owned(), other.clone());
            let typed = words::item(&item)["v"].as_object().and_then(|map| map.values().next().cloned());
            typed.unwrap_or_default()
        }
    }
}
