//! `schema.json` of the code generator: tables with entities, and below each entity the patterns that are about it; and `usage_data.json`.

mod pattern;

use hashrange_item::{AttributeValue, Kind};
use serde_json::{Map, Value, json};

use super::words::{of_kind, projection_words};
use super::{Told, words};
use crate::catalogue::{Attribute, Catalogue, Entity, Index, IndexKind, Keys, Table};
use crate::check::Samples;
use crate::plan::sizes;
use crate::read::code_generator::text_of;

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let written = pattern::all(catalogue, assumed);
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
    let fields = entity.attributes.iter().map(|one| {
        let required = one.share.is_none_or(|share| share >= 1.0);
        json!({"name": one.name, "type": type_of(one), "required": required})
    });
    out.insert("fields".to_owned(), fields.collect());
    let patterns = written.of_entities.get(&entity.name).cloned().unwrap_or_default();
    out.insert("access_patterns".to_owned(), json!(patterns));
    Value::Object(out)
}

fn templates(entity: &Entity, keys: &Keys, out: &mut Map<String, Value>) {
    for (member, names) in [("pk_template", &keys.hash), ("sk_template", &keys.range)] {
        let texts = names.iter().map(|name| text_of(entity, name)).collect();
        out.extend(one_or_list(texts).map(|value| (member.to_owned(), value)));
    }
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

/// `usage_data.json`: the first sample of each entity.
pub(super) fn usage(catalogue: &Catalogue) -> Value {
    let samples = Samples::of(catalogue);
    let entities = samples.kinds().iter().filter_map(|kind| {
        let entity = kind.entity?;
        let item = kind.items.first()?;
        let plain: Map<String, Value> = item
            .iter()
            .filter(|(name, _)| !entity.keys.contains_key(*name))
            .map(|(name, value)| (name.to_owned(), plain(value)))
            .collect();
        Some((entity.name.clone(), json!({ "sample_data": plain })))
    });
    json!({ "entities": entities.collect::<Map<_, _>>() })
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
            let mut item = hashrange_item::Attributes::new();
            item.insert("v".to_owned(), other.clone());
            let typed = words::item(&item)["v"].as_object().and_then(|map| map.values().next().cloned());
            typed.unwrap_or_default()
        }
    }
}
