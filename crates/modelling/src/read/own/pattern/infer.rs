//! What a pattern need not say: where gaps without a parameter come from, and which entities it writes.

use serde_json::Value;

use super::super::lower::{self, Scope};
use crate::catalogue::{Entity, Parameter, Pattern};
use crate::read::fields::Fields;
use crate::read::node::Node;
use crate::template::{Part, Template};

/// The formats whose values are made anew for each item.
const NEW: [&str; 6] = ["uuid", "ulid", "ksuid", "seq", "iso-time", "epoch-ms"];

/// A put of `{entity: Order}` writes that entity.
pub(super) fn entities(pattern: &mut Pattern, fields: &Fields<'_>) {
    if pattern.entities.is_empty() {
        for name in put_entities(fields) {
            match pattern.entities.iter_mut().find(|(have, _)| have == name) {
                Some((_, count)) => *count += 1.0,
                None => pattern.entities.push((name.to_owned(), 1.0)),
            }
        }
    }
}

/// The entities of all `{entity: ..}`.
fn put_entities<'n>(fields: &Fields<'n>) -> Vec<&'n str> {
    let lists = ["items", "actions"].into_iter().filter_map(|key| fields.get(key)).flat_map(Node::items);
    let puts = lists.filter_map(|write| write.get("put")).chain(fields.get("item"));
    puts.filter_map(lower::entity_name).collect()
}

/// Gives each gap without a parameter the attribute of that name of the entity that the request is about.
pub(super) fn parameters(pattern: &mut Pattern, fields: &Fields<'_>, scope: &Scope<'_>) {
    let Some(request) = &pattern.request else { return };
    let request = Value::Object(request.clone());
    let missing: Vec<String> =
        lower::gaps(&request).into_iter().filter(|gap| !pattern.parameters.contains_key(gap)).collect();
    let put: Vec<&Entity> =
        put_entities(fields).iter().filter_map(|name| scope.catalogue.entity(name)).collect();
    let creates = pattern.create_share == Some(1.0) || creates(&request);
    for gap in missing {
        let parameter = match put.iter().find(|entity| has(entity, &gap)) {
            Some(entity) if creates => created(entity, &gap).or_else(|| Some(from(entity, &gap))),
            Some(entity) => Some(from(entity, &gap)),
            None => source(pattern, &request, &gap, scope).map(|entity| from(entity, &gap)),
        };
        pattern.parameters.extend(parameter.map(|parameter| (gap, parameter)));
    }
}

fn from(entity: &Entity, gap: &str) -> Parameter {
    Parameter::From { entity: entity.name.clone(), attribute: gap.to_owned() }
}

/// Whether an entity can give a gap its value: an attribute, or a gap of its keys.
fn has(entity: &Entity, gap: &str) -> bool {
    entity.attributes.iter().any(|attribute| attribute.name == gap)
        || entity.keys.values().any(|template| template.gaps().any(|name| name == gap))
}

/// Whether a write refuses to replace.
fn creates(request: &Value) -> bool {
    match request {
        Value::Object(map) => map.iter().any(|(key, value)| match value {
            Value::String(text) => key == "ConditionExpression" && text.contains("attribute_not_exists"),
            value => creates(value),
        }),
        Value::Array(items) => items.iter().any(creates),
        _ => false,
    }
}

/// A new value for what tells items of the entity apart: gaps of the last key of its table that has some.
fn created(entity: &Entity, gap: &str) -> Option<Parameter> {
    let format = entity.attributes.iter().find(|attribute| attribute.name == gap)?.format.clone()?;
    let name = format.split('(').next().unwrap_or("");
    let keys = entity.keys.values().filter(|template| !template.is_constant());
    // Later keys narrow down earlier ones: who owns the item comes first in all of them.
    let owner = keys.clone().next().and_then(|template| template.gaps().next().map(str::to_owned));
    let several = keys.flat_map(Template::gaps).any(|name| Some(name) != owner.as_deref());
    (NEW.contains(&name) && (!several || owner.as_deref() != Some(gap))).then_some(Parameter::New(format))
}

/// The entity that a gap of a read or an update is about: of those with the gap, the first whose keys are like those that are asked for.
fn source<'c>(pattern: &Pattern, request: &Value, gap: &str, scope: &'c Scope<'_>) -> Option<&'c Entity> {
    let asked = asked(request);
    let listed = |entity: &Entity| pattern.entities.iter().any(|(name, _)| *name == entity.name);
    let all = || scope.catalogue.entities.iter().filter(|entity| has(entity, gap));
    let here = || all().filter(|entity| scope.table.is_empty() || entity.table == scope.table);
    let like = || here().filter(|entity| asked.iter().all(|(key, template)| alike(entity, key, template)));
    like().find(|entity| listed(entity)).or_else(|| like().next()).or_else(|| only(here()))
}

fn only<'c>(mut entities: impl Iterator<Item = &'c Entity>) -> Option<&'c Entity> {
    let first = entities.next()?;
    entities.next().is_none().then_some(first)
}

/// The key attributes that a request bounds, with the texts that they are compared with.
fn asked(request: &Value) -> Vec<(String, Template)> {
    let key = request.get("Key").and_then(Value::as_object).into_iter().flatten();
    let mut asked: Vec<(String, Template)> =
        key.filter_map(|(name, value)| Some((name.clone(), text_of(value)?))).collect();
    let condition = request.get("KeyConditionExpression").and_then(Value::as_str).unwrap_or("");
    let name_of = |word: &str| {
        let names = request.get("ExpressionAttributeNames");
        names.and_then(|names| names.get(word)).and_then(Value::as_str).unwrap_or(word).to_owned()
    };
    let words: Vec<&str> = condition
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
        .filter(|w| !w.is_empty())
        .collect();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.starts_with(':')) {
        let before = words[..at].iter().rev().find(|word| {
            !word.starts_with(':') && !matches!(**word, "=" | "<" | "<=" | ">" | ">=" | "BETWEEN" | "AND")
        });
        let value = request.get("ExpressionAttributeValues").and_then(|values| values.get(*word));
        if let (Some(name), Some(template)) = (before, value.and_then(text_of)) {
            asked.push((name_of(name), template));
        }
    }
    asked
}

fn text_of(value: &Value) -> Option<Template> {
    let (_, content) = value.as_object()?.iter().next()?;
    Template::parse(content.as_str()?).ok()
}

/// Whether keys that an entity makes can be those that are asked for: the literal beginnings agree as far as both go.
fn alike(entity: &Entity, key: &str, asked: &Template) -> bool {
    let Some(made) = entity.keys.get(key) else {
        return entity.attributes.iter().any(|attribute| attribute.name == key);
    };
    let (made_prefix, asked_prefix) = (made.prefix(), asked.prefix());
    let agree = made_prefix.starts_with(asked_prefix) || asked_prefix.starts_with(made_prefix);
    let constants = made.is_constant() && asked.is_constant();
    let whole = !constants || made_prefix.starts_with(asked_prefix);
    let open = matches!(made.parts().first(), Some(Part::Gap { .. }) | None);
    whole && (agree || open)
}
