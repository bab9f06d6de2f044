//! Which entities a key reaches, and how many of each lie in one collection.

use super::request::{Action, KeyPart};
use super::{SortBound, shape, sizes};
use crate::catalogue::{Attribute, Catalogue, Entity, Index, Keys, Pattern, Table};
use crate::template::Template;

/// The entities whose keys could meet these clauses; those that the pattern names, where it names some.
pub fn reached<'a>(
    catalogue: &'a Catalogue,
    pattern: &Pattern,
    table: &'a Table,
    keys: &Keys,
    clauses: &[SortBound],
) -> Vec<&'a Entity> {
    if !pattern.entities.is_empty() {
        let named = pattern.entities.iter().filter_map(|(name, _)| catalogue.entity(name));
        return named.filter(|entity| entity.table == table.name).collect();
    }
    reached_by_keys(catalogue, table, keys, clauses)
}

/// As [`reached`], by the keys alone.
pub fn reached_by_keys<'a>(
    catalogue: &'a Catalogue,
    table: &'a Table,
    keys: &Keys,
    clauses: &[SortBound],
) -> Vec<&'a Entity> {
    let has_keys = |entity: &&Entity| keys.attributes().all(|key| sizes::has(entity, key));
    let meets = |entity: &&Entity| clauses.iter().all(|clause| may_meet(entity, clause));
    catalogue.entities_of(&table.name).filter(has_keys).filter(meets).collect()
}

fn may_meet(entity: &Entity, clause: &SortBound) -> bool {
    let Some(template) = entity.keys.get(&clause.attribute) else { return true };
    let operands: Vec<Template> =
        clause.operands.iter().filter_map(|text| Template::parse(text).ok()).collect();
    match (clause.operator, operands.as_slice()) {
        ("=", [value]) => shape::overlap(template, value),
        ("begins_with", [prefix]) => shape::may_begin_with(template, prefix),
        ("between", [low, high]) => {
            let from = template.prefix();
            (from >= low.prefix() || low.prefix().starts_with(from) && !template.is_constant())
                && (from <= high.prefix() || from.starts_with(high.prefix()))
        }
        (">" | ">=", [low]) => {
            template.prefix() >= low.prefix()
                || low.prefix().starts_with(template.prefix()) && !template.is_constant()
        }
        ("<" | "<=", [high]) => {
            template.prefix() <= high.prefix() || template.prefix().starts_with(high.prefix())
        }
        _ => true,
    }
}

/// The entity that a part of a request reads or writes one item of: the one whose key has the most text in common.
pub fn one<'a>(catalogue: &'a Catalogue, pattern: &Pattern, action: &Action) -> Option<&'a Entity> {
    let table = catalogue.table(&action.table)?;
    let named: Vec<&Entity> =
        pattern.entities.iter().filter_map(|(name, _)| catalogue.entity(name)).collect();
    let parts = key_of(table, action);
    let clauses: Vec<SortBound> = parts
        .into_iter()
        .map(|part| SortBound { attribute: part.attribute, operator: "=", operands: vec![part.text] })
        .collect();
    let found = reached_by_keys(catalogue, table, &table.keys, &clauses);
    let is_named = |entity: &&Entity| named.iter().any(|other| other.name == entity.name);
    let fits = found.iter().any(is_named);
    // A pattern may name the entity of one action; another action whose key cannot be that entity's is of another one.
    if let [only] = named.as_slice()
        && (fits || found.is_empty())
    {
        return Some(only);
    }
    found.into_iter().filter(|entity| !fits || is_named(entity)).max_by_key(|entity| {
        table
            .keys
            .attributes()
            .map(|key| entity.keys.get(key).map_or(0, shape::literal_length))
            .sum::<usize>()
    })
}

/// The key of the item of a part: its `Key`, or the key attributes of its `Item`.
pub fn key_of(table: &Table, action: &Action) -> Vec<KeyPart> {
    if let Some(item) = &action.item {
        let keys: Vec<&str> = table.keys.attributes().collect();
        let of_key = item.iter().filter(|(name, _)| keys.contains(&name.as_str()));
        let json: serde_json::Map<String, serde_json::Value> =
            of_key.map(|(name, value)| (name.clone(), value.clone())).collect();
        return super::request::key(&serde_json::Value::Object(json));
    }
    action.key.clone()
}

/// How many items of an entity one collection of a table or an index holds, where that can be known.
pub fn size(catalogue: &Catalogue, table: &Table, index: Option<&Index>, entity: &Entity) -> Option<f64> {
    let keys = index.map_or(&table.keys, |index| &index.keys);
    if index.is_none() {
        if entity.per_collection.is_some() {
            return entity.per_collection;
        }
        let is_single = keys.range.is_empty()
            || keys.range.iter().all(|key| entity.keys.get(key).is_some_and(Template::is_constant));
        if is_single {
            return Some(1.0);
        }
    }
    let base_hash = |key: &String| Some(entity.keys.get(key)?.to_string());
    if index.is_some()
        && let ([own], [base]) = (keys.hash.as_slice(), table.keys.hash.as_slice())
        && (own == base || base_hash(own).is_some() && base_hash(own) == base_hash(base))
        && let Some(each) = entity.per_collection
    {
        return Some(each);
    }
    let share = index.map_or(1.0, |index| sizes::entry_share(index, entity));
    let all = sizes::entity_count(catalogue, entity)? * share;
    let mut distinct = 1.0;
    for key in &keys.hash {
        distinct *= key_values(catalogue, entity, key, all)?;
    }
    Some(all / distinct.clamp(1.0, all.max(1.0)))
}

/// How many different values a key attribute takes over `all` items of an entity, where that can be known.
pub fn key_values(catalogue: &Catalogue, entity: &Entity, key: &str, all: f64) -> Option<f64> {
    let Some(template) = entity.keys.get(key) else { return attribute_values(catalogue, entity, key, all) };
    let mut product = 1.0;
    for gap in template.gaps() {
        product *= attribute_values(catalogue, entity, gap, all)?;
    }
    Some(product)
}

/// How many different values an attribute takes over `all` items of an entity, where that can be known.
pub fn attribute_values(catalogue: &Catalogue, entity: &Entity, name: &str, all: f64) -> Option<f64> {
    let own = entity.attributes.iter().find(|attribute| attribute.name == name);
    if let Some(values) = own.filter(|attribute| !attribute.values.is_empty()) {
        return Some(super::float(values.values.len()));
    }
    let format = own.and_then(|attribute| attribute.format.as_deref()).unwrap_or_default();
    if let Some(origin) = format.strip_prefix("ref(").and_then(|rest| rest.split_once('.')) {
        return sizes::entity_count(catalogue, catalogue.entity(origin.0)?);
    }
    if format == "bool" {
        return Some(2.0);
    }
    if format.starts_with("const(") {
        return Some(1.0);
    }
    if let Some(parent) = parent(catalogue, entity, name) {
        return sizes::entity_count(catalogue, parent);
    }
    let unique = ["uuid", "ulid", "ksuid", "email", "phone", "seq", "nanoid"].contains(&format);
    (unique && own.is_some_and(|attribute| attribute.copy_of.is_none())).then_some(all)
}

/// The entity that an attribute is the id of: another one whose partition key has this gap and whose sort key has none beyond it.
fn parent<'a>(catalogue: &'a Catalogue, entity: &Entity, name: &str) -> Option<&'a Entity> {
    let is_id = |other: &&Entity| {
        let Some(table) = catalogue.table(&other.table) else { return false };
        let gaps = |keys: &[String]| {
            let templates = keys.iter().filter_map(|key| other.keys.get(key));
            templates.flat_map(Template::gaps).map(str::to_owned).collect::<Vec<_>>()
        };
        let plain = other.keys.is_empty() && table.keys.hash.first().is_some_and(|hash| hash == name);
        plain || gaps(&table.keys.hash) == [name] && gaps(&table.keys.range).iter().all(|gap| gap == name)
    };
    let others = catalogue.entities.iter().filter(|other| other.name != entity.name);
    others.filter(is_id).max_by_key(|other| other.table == entity.table)
}

/// The attribute of an entity of that name.
pub fn attribute<'a>(entity: &'a Entity, name: &str) -> Option<&'a Attribute> {
    entity.attributes.iter().find(|attribute| attribute.name == name)
}
