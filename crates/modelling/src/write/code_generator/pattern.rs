//! Patterns of the code generator: each below the entity with which it reads back as it was.

use std::collections::BTreeMap;

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::type_of;
use crate::catalogue::{Attribute, Catalogue, Entity, IndexKind, Parameter, Pattern, Table};
use crate::read::code_generator::{self, text_of};
use crate::read::log::Log;
use crate::read::node::Node;
use crate::read::own::lower;
use crate::template::{Part, Template};
use crate::write::raise::key_clauses;
use crate::write::text::Y;
use crate::write::{Told, words};

/// What was written of patterns.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// By entity.
    pub(super) of_entities: BTreeMap<String, Vec<Value>>,
    /// Transactions, which may touch several.
    pub(super) across: Vec<Value>,
}

pub(super) fn all(catalogue: &Catalogue, assumed: &mut Told) -> Written {
    let mut out = Written::default();
    let names = words::distinct(catalogue.patterns.iter().map(|one| one.name.as_str()), snake);
    for (pattern, name) in catalogue.patterns.iter().zip(names) {
        let Some(operation) = pattern.operation else { continue };
        if matches!(operation, Operation::TransactGetItems | Operation::TransactWriteItems) {
            out.across.extend(transaction(pattern, &name, catalogue));
        } else if let Some((entity, value)) = of_entity(pattern, operation, &name, catalogue) {
            out.of_entities.entry(entity.to_owned()).or_default().push(value);
            if pattern.request.is_none() {
                assumed.add(
                    "what is asked for is not stated, and is written as the key of an entity",
                    &pattern.id,
                );
            }
        }
    }
    out
}

/// The operations that the generator knows below an entity.
const OPERATIONS: [Operation; 8] = [
    Operation::GetItem,
    Operation::PutItem,
    Operation::DeleteItem,
    Operation::Query,
    Operation::Scan,
    Operation::UpdateItem,
    Operation::BatchGetItem,
    Operation::BatchWriteItem,
];

/// `get_order_of_a_user`.
fn snake(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.map(str::to_lowercase).collect::<Vec<_>>().join("_");
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("pattern_{name}") }
}

fn id(pattern: &Pattern) -> Value {
    pattern.id.parse::<u64>().map_or_else(|_| json!(pattern.id), |number| json!(number))
}

/// The entities that a pattern may be about, the likeliest first: those that it names, then those of its table.
fn candidates<'c>(pattern: &Pattern, table: &str, catalogue: &'c Catalogue) -> Vec<&'c Entity> {
    let from = pattern.parameters.values().filter_map(|one| match one {
        Parameter::From { entity, .. } => Some(entity),
        _ => None,
    });
    let named: Vec<&String> = pattern.entities.iter().map(|(name, _)| name).chain(from).collect();
    let mut all: Vec<&Entity> = catalogue.entities.iter().filter(|entity| entity.table == table).collect();
    all.sort_by_key(|one| named.iter().position(|name| **name == one.name).unwrap_or(usize::MAX));
    all
}

/// The entity and the pattern as it stands below it; `None` where no entity has the key that the request asks for: another key would be
/// another pattern.
fn of_entity<'c>(
    pattern: &Pattern,
    operation: Operation,
    name: &str,
    catalogue: &'c Catalogue,
) -> Option<(&'c str, Value)> {
    let table = lower::table_of(catalogue, pattern)?;
    let table = catalogue.table(&table)?;
    let is_known = |name: &String| table.index(name).is_some_and(|index| index.kind == IndexKind::Global);
    if !OPERATIONS.contains(&operation) || pattern.index.as_ref().is_some_and(|name| !is_known(name)) {
        return None;
    }
    let mut best: Option<(u8, &str, Value)> = None;
    for entity in candidates(pattern, &table.name, catalogue) {
        let value = one(pattern, operation, name, entity, table, catalogue);
        let likeness = likeness(&value, pattern, entity, catalogue);
        if likeness > best.as_ref().map_or(0, |(likeness, ..)| *likeness) {
            best = Some((likeness, entity.name.as_str(), value));
        }
    }
    best.map(|(_, entity, value)| (entity, value))
}

/// Most where it reads back as it was; more than 0 where it asks for the same key at least, the more so where filter and sort key are
/// of the entity; 0 where it would be another pattern.
fn likeness(value: &Value, pattern: &Pattern, entity: &Entity, catalogue: &Catalogue) -> u8 {
    let read = Node::parse(&value.to_string()).ok();
    let read =
        read.and_then(|node| code_generator::pattern(&node, &entity.name, catalogue, &mut Log::new("")));
    let Some(read) = read else { return 0 };
    if read.request == pattern.request && read.index == pattern.index {
        return u8::MAX;
    }
    let (Some(written), Some(meant)) = (&read.request, &pattern.request) else { return 1 };
    let member = |member: &str| written.get(member) == meant.get(member);
    let clauses = |one: &Pattern| key_clauses(one, catalogue).unwrap_or_default();
    let (written, meant) = (clauses(&read), clauses(pattern));
    let asked = read_keys(&read, catalogue);
    let same = |name: &String| {
        let of = |clauses: &[(String, Y)]| {
            clauses.iter().find(|(key, _)| key == name).map(|(_, bound)| bound.clone())
        };
        of(&written) == of(&meant)
    };
    if !(member("Key") && member("Item") && asked.iter().all(same)) {
        return 0;
    }
    let begins = meant
        .iter()
        .filter(|(name, _)| !asked.contains(name))
        .any(|(name, bound)| constant(bound).is_some_and(|text| text_of(entity, name).starts_with(text)));
    1 + u8::from(value.get("filter_expression").is_some()) + 2 * u8::from(begins)
}

/// The constant that a sort key begins with.
fn constant(bound: &Y) -> Option<&str> {
    let Y::Map(entries) = bound else { return None };
    let (_, operand) = entries.first()?;
    let operand = if let Y::List(operands) = operand { operands.first()? } else { operand };
    let Y::Text(text) = operand else { return None };
    text.split('{').next().filter(|text| !text.is_empty())
}

/// The attributes of the partition key that a query asks for.
fn read_keys(pattern: &Pattern, catalogue: &Catalogue) -> Vec<String> {
    let table = lower::table_of(catalogue, pattern).and_then(|name| catalogue.table(&name));
    let Some(table) = table.filter(|_| pattern.operation == Some(Operation::Query)) else {
        return Vec::new();
    };
    let index = pattern.index.as_ref().and_then(|name| table.index(name));
    index.map_or(&table.keys, |index| &index.keys).hash.clone()
}

fn one(
    pattern: &Pattern,
    operation: Operation,
    name: &str,
    entity: &Entity,
    table: &Table,
    catalogue: &Catalogue,
) -> Value {
    let returns = match operation {
        Operation::Query | Operation::Scan => "entity_list",
        Operation::DeleteItem => "success_flag",
        Operation::BatchGetItem | Operation::BatchWriteItem => "mixed_data",
        _ => "single_entity",
    };
    let mut out = json!({"pattern_id": id(pattern), "name": name, "description": pattern.name, "operation": operation.name()});
    let mut parameters = Vec::new();
    if let Some(index) = &pattern.index {
        out["index_name"] = json!(index);
    }
    match operation {
        Operation::PutItem => {
            let name = snake(&entity.name);
            parameters.push(json!({"name": name, "type": "entity", "entity_type": entity.name}));
        }
        Operation::Query => query(pattern, entity, table, catalogue, (&mut out, &mut parameters)),
        _ => parameters = gaps(pattern, entity, table).iter().map(|gap| parameter(gap, entity)).collect(),
    }
    if pattern.strong == Some(true) && pattern.index.is_none() {
        out["consistent_read"] = json!(true);
    }
    // A filter names fields of the entity, or the generator refuses it.
    let is_own = |filter: &Value| {
        let mut conditions = filter["conditions"].as_array().into_iter().flatten();
        conditions.all(|one| entity.attributes.iter().any(|field| one["field"] == json!(field.name)))
    };
    if let Some(filter) = pattern.request.as_ref().and_then(filter).filter(is_own) {
        let gaps = lower::gaps(&json!(filter_gaps(&filter)));
        let known: Vec<&Value> = parameters.iter().map(|one| &one["name"]).collect();
        let more: Vec<Value> = gaps
            .iter()
            .filter(|gap| !known.contains(&&json!(gap)))
            .map(|gap| parameter(gap, entity))
            .collect();
        parameters.extend(more);
        out["filter_expression"] = filter;
    }
    out["parameters"] = json!(parameters);
    out["return_type"] = json!(returns);
    out
}

/// The gaps of the key, then those of the rest of the request.
fn gaps(pattern: &Pattern, entity: &Entity, table: &Table) -> Vec<String> {
    let keys = table.keys.attributes().map(|name| json!(text_of(entity, name)));
    let mut gaps: Vec<String> = keys.flat_map(|text| lower::gaps(&text)).collect();
    let request = pattern.request.clone().map(Value::Object).unwrap_or_default();
    for gap in lower::gaps(&request) {
        if !gaps.contains(&gap) {
            gaps.push(gap);
        }
    }
    gaps
}

fn parameter(name: &str, entity: &Entity) -> Value {
    let kind = entity.attributes.iter().find(|one| one.name == name).map_or("string", type_of);
    json!({"name": name, "type": kind})
}

/// The parameters of the partition key, then those of the bound that the sort key has. A constant bound becomes a parameter.
fn query(
    pattern: &Pattern,
    entity: &Entity,
    table: &Table,
    catalogue: &Catalogue,
    (out, parameters): (&mut Value, &mut Vec<Value>),
) {
    let keys =
        pattern.index.as_ref().and_then(|name| table.index(name)).map_or(&table.keys, |index| &index.keys);
    // The generator counts one parameter for each attribute of the partition key before those of the bound.
    let mut countable = true;
    for name in &keys.hash {
        let gaps = lower::gaps(&json!(text_of(entity, name)));
        countable &= gaps.len() == 1;
        parameters.extend(gaps.iter().map(|gap| parameter(gap, entity)));
    }
    let clauses = key_clauses(pattern, catalogue).unwrap_or_default();
    let bound = keys.range.last().and_then(|name| clauses.iter().find(|(key, _)| key == name));
    let Some((name, bound)) = bound.filter(|_| countable) else { return };
    let (condition, operands) = match bound {
        Y::Map(entries) => match entries.as_slice() {
            [(operator, Y::List(operands))] => (operator.as_str(), operands.clone()),
            [(operator, operand)] => (operator.as_str(), vec![operand.clone()]),
            _ => return,
        },
        // The generator knows no equality here.
        _ => return,
    };
    out["range_condition"] = json!(condition);
    for (operand, tail) in operands.iter().zip(["", "_end"]) {
        let constant =
            || format!("{name}_{}{tail}", if condition == "begins_with" { "prefix" } else { "value" });
        parameters.push(parameter(&lone_gap(operand).unwrap_or_else(constant), entity));
    }
}

/// The gap that a text is.
fn lone_gap(operand: &Y) -> Option<String> {
    let Y::Text(text) = operand else { return None };
    match Template::parse(text).ok()?.parts() {
        [Part::Gap { name, width: None }] => Some(name.clone()),
        _ => None,
    }
}

/// `{conditions, logical_operator}` of a filter of simple conditions on gaps, joined by AND or by OR.
fn filter(request: &Map<String, Value>) -> Option<Value> {
    let text = request.get("FilterExpression")?.as_str()?;
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
        .filter(|word| !word.is_empty())
        .collect();
    let names = request.get("ExpressionAttributeNames");
    let values = request.get("ExpressionAttributeValues");
    let field = |word: &str| {
        names.and_then(|names| names.get(word)).and_then(Value::as_str).unwrap_or(word).to_owned()
    };
    let param = |word: &str| {
        let content = values?.get(word)?.as_object()?.values().next()?.as_str()?;
        lone_gap(&Y::text(content))
    };
    let (mut conditions, mut joint, mut rest) = (Vec::new(), None, words.as_slice());
    while !rest.is_empty() {
        let (condition, tail) = match rest {
            [function @ ("attribute_exists" | "attribute_not_exists"), path, tail @ ..] => {
                (json!({"field": field(path), "function": function}), tail)
            }
            [function @ ("contains" | "begins_with"), path, operand, tail @ ..] => {
                (json!({"field": field(path), "function": function, "param": param(operand)?}), tail)
            }
            ["size", path, operator, operand, tail @ ..] => (
                json!({"field": field(path), "function": "size", "operator": operator, "param": param(operand)?}),
                tail,
            ),
            [path, "BETWEEN", low, "AND", high, tail @ ..] => (
                json!({"field": field(path), "operator": "between", "param": param(low)?, "param2": param(high)?}),
                tail,
            ),
            [path, operator @ ("=" | "<>" | "<" | "<=" | ">" | ">="), operand, tail @ ..] => {
                (json!({"field": field(path), "operator": operator, "param": param(operand)?}), tail)
            }
            _ => return None,
        };
        conditions.push(condition);
        rest = match tail {
            [] => tail,
            [word @ ("AND" | "OR"), tail @ ..] if joint.is_none_or(|joint| joint == *word) => {
                joint = Some(*word);
                tail
            }
            _ => return None,
        };
    }
    Some(json!({"conditions": conditions, "logical_operator": joint.unwrap_or("AND")}))
}

/// The parameters of a filter, as gaps.
fn filter_gaps(filter: &Value) -> Vec<String> {
    let conditions = filter["conditions"].as_array().into_iter().flatten();
    let params = conditions.flat_map(|one| [&one["param"], &one["param2"]]).filter_map(Value::as_str);
    params.map(|name| format!("{{{name}}}")).collect()
}

/// A transaction: what it does to which entity. What an update changes has no place in it.
fn transaction(pattern: &Pattern, name: &str, catalogue: &Catalogue) -> Option<Value> {
    let reads = pattern.operation == Some(Operation::TransactGetItems);
    let actions = pattern.request.as_ref()?.get("TransactItems")?.as_array()?;
    let involved: Option<Vec<Value>> = actions.iter().map(|one| action(one, pattern, catalogue)).collect();
    let request = pattern.request.clone().map(Value::Object).unwrap_or_default();
    let involved = involved?;
    let entities = involved.iter().filter_map(|one| catalogue.entity(one["entity"].as_str()?));
    let fields: Vec<&Attribute> = entities.flat_map(|entity| &entity.attributes).collect();
    let kind = |gap: &String| fields.iter().find(|one| one.name == *gap).map_or("string", |one| type_of(one));
    let parameters: Vec<Value> =
        lower::gaps(&request).iter().map(|gap| json!({"name": gap, "type": kind(gap)})).collect();
    Some(json!({
        "pattern_id": id(pattern), "name": name, "description": pattern.name,
        "operation": if reads { "TransactGet" } else { "TransactWrite" }, "entities_involved": involved,
        "parameters": parameters, "return_type": if reads { "object" } else { "boolean" },
    }))
}

fn action(action: &Value, pattern: &Pattern, catalogue: &Catalogue) -> Option<Value> {
    let (kind, body) = action.as_object()?.iter().next()?;
    let table = body.get("TableName")?.as_str()?;
    let scope = lower::Scope { catalogue, table: table.to_owned(), parameters: pattern.parameters.clone() };
    let key = body.get("Key").and_then(Value::as_object);
    let item = body.get("Item").and_then(Value::as_object);
    let is_it = |entity: &&Entity| {
        let keyed = key.map(|key| key.iter().all(|(name, value)| is_made(entity, name, value)));
        keyed.unwrap_or_else(|| item == Some(&lower::entity_item(&scope, entity)))
    };
    let entity = catalogue.entities_of(table).find(is_it)?;
    let mut out = json!({"table": table, "entity": entity.name, "action": kind});
    if let Some(condition) = body.get("ConditionExpression") {
        out["condition"] = condition.clone();
    }
    Some(out)
}

/// Whether a value of a key is what the entity's template makes.
fn is_made(entity: &Entity, name: &str, value: &Value) -> bool {
    let content = value.as_object().and_then(|map| map.values().next()).and_then(Value::as_str);
    content == Some(text_of(entity, name).as_str())
}
