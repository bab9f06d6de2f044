//! What CloudFormation and DescribeTable write alike: key schemas, definitions, projections, indexes and throughput in DynamoDB's own words.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::catalogue::{Billing, Capacity, Index, IndexKind, KeyType, Keys, Projection, Table};

use super::context::Context;
use super::settings;
use super::tree::{Tree, Value};
use crate::read::node::Mark;

/// An index of which nothing but its name, sort and keys is known.
pub(super) fn bare_index(name: String, kind: IndexKind, keys: Keys, projection: Projection) -> Index {
    Index { name, kind, keys, projection, ..Index::default() }
}

/// Keys, definitions and indexes of a table, where they are called as CreateTable calls them.
pub(super) fn schema(context: &mut Context<'_>, node: &Tree, table: &mut Table) {
    table.keys = keys(context, node.get("KeySchema"), node.mark, "the table", &mut table.definitions);
    table.definitions.extend(definitions(context, node.get("AttributeDefinitions")));
    for (field, kind) in [
        ("GlobalSecondaryIndexes", IndexKind::Global),
        ("LocalSecondaryIndexes", IndexKind::Local),
        ("VectorIndexes", IndexKind::Vector),
    ] {
        for element in context.list(node.get(field), field) {
            let index = if kind == IndexKind::Vector {
                vector(context, element)
            } else {
                index(context, element, kind)
            };
            table.indexes.extend(index);
        }
    }
}

/// A key schema. The object form of very old templates names types too, which go to `definitions`.
fn keys(
    context: &mut Context<'_>,
    node: Option<&Tree>,
    at: Mark,
    owner: &str,
    definitions: &mut BTreeMap<String, KeyType>,
) -> Keys {
    let Some(node) = node else {
        context.problem(at, format!("KeySchema of {owner} is missing"));
        return Keys::default();
    };
    if !node.entries().is_empty() {
        return old_keys(context, node, definitions);
    }
    let mut keys = Keys::default();
    for element in context.list(Some(node), &format!("KeySchema of {owner}")) {
        let name = context.name(element.get("AttributeName"), element.mark, "AttributeName");
        let sort = context.name(element.get("KeyType"), element.mark, "KeyType");
        let (Some(name), Some(sort)) = (name, sort) else { continue };
        match sort.as_str() {
            "HASH" => keys.hash.push(name),
            "RANGE" => keys.range.push(name),
            _ => context.problem(element.mark, "KeyType must be HASH or RANGE"),
        }
    }
    keys
}

/// `{HashKeyElement: {AttributeName, AttributeType}, RangeKeyElement: ..}`.
fn old_keys(context: &mut Context<'_>, node: &Tree, definitions: &mut BTreeMap<String, KeyType>) -> Keys {
    let mut keys = Keys::default();
    for (field, part) in [("HashKeyElement", &mut keys.hash), ("RangeKeyElement", &mut keys.range)] {
        let Some(element) = node.get(field) else { continue };
        if let Some((name, kind)) = definition(context, element) {
            part.push(name.clone());
            definitions.insert(name, kind);
        }
    }
    if keys.hash.is_empty() {
        context.problem(node.mark, "KeySchema must be a list of AttributeName and KeyType");
    }
    keys
}

/// `AttributeDefinitions`.
fn definitions(context: &mut Context<'_>, node: Option<&Tree>) -> BTreeMap<String, KeyType> {
    let elements = context.list(node, "AttributeDefinitions");
    elements.iter().filter_map(|element| definition(context, element)).collect()
}

fn definition(context: &mut Context<'_>, element: &Tree) -> Option<(String, KeyType)> {
    let name = context.name(element.get("AttributeName"), element.mark, "AttributeName")?;
    let node = element.get("AttributeType");
    let kind = context.name(node, element.mark, "AttributeType")?;
    Some((name, key_type(context, &kind, node.map_or(element.mark, |node| node.mark))?))
}

/// `S`, `N` or `B`.
pub(super) fn key_type(context: &mut Context<'_>, name: &str, mark: Mark) -> Option<KeyType> {
    match name {
        "S" => Some(KeyType::S),
        "N" => Some(KeyType::N),
        "B" => Some(KeyType::B),
        _ => {
            context.problem(mark, "the type of a key attribute must be S, N or B");
            None
        }
    }
}

fn index(context: &mut Context<'_>, node: &Tree, kind: IndexKind) -> Option<Index> {
    let name = context.name(node.get("IndexName"), node.mark, "IndexName")?;
    let keys =
        keys(context, node.get("KeySchema"), node.mark, &format!("index {name}"), &mut BTreeMap::new());
    let projection = projection(context, node, node.get("Projection"));
    let mut index = bare_index(name, kind, keys, projection);
    index.capacity =
        capacity(context, node.get("ProvisionedThroughput"), "ReadCapacityUnits", "WriteCapacityUnits");
    index.warm = settings::units(context, node.get("WarmThroughput"), settings::WARM);
    index.on_demand_max = settings::units(context, node.get("OnDemandThroughput"), settings::ON_DEMAND);
    Some(index)
}

/// `Projection`; a global or local index must have one.
fn projection(context: &mut Context<'_>, owner: &Tree, node: Option<&Tree>) -> Projection {
    let Some(node) = node else {
        context.problem(owner.mark, "Projection is missing");
        return Projection::All;
    };
    if node.why_unknown().is_some() {
        context.name(Some(node), node.mark, "Projection");
        return Projection::All;
    }
    let Some(kind) = node.get("ProjectionType") else {
        context.note(node.mark, "ProjectionType is missing; ALL is assumed");
        return Projection::All;
    };
    let attributes = names(context, node.get("NonKeyAttributes"), "NonKeyAttributes");
    context
        .name(Some(kind), node.mark, "ProjectionType")
        .map_or(Projection::All, |name| projection_of(context, &name, attributes, kind.mark))
}

/// The projection that a type and a list of attributes say.
pub(super) fn projection_of(
    context: &mut Context<'_>,
    kind: &str,
    attributes: Vec<String>,
    mark: Mark,
) -> Projection {
    match kind {
        "ALL" => Projection::All,
        "KEYS_ONLY" => Projection::KeysOnly,
        "INCLUDE" => Projection::Include(attributes),
        _ => {
            context.problem(mark, "the projection must be ALL, KEYS_ONLY or INCLUDE");
            Projection::All
        }
    }
}

/// A list of attribute names.
pub(super) fn names(context: &mut Context<'_>, node: Option<&Tree>, what: &str) -> Vec<String> {
    let elements = context.list(node, what);
    elements.iter().filter_map(|element| context.name(Some(element), element.mark, what)).collect()
}

fn vector(context: &mut Context<'_>, node: &Tree) -> Option<Index> {
    let name = context.name(node.get("IndexName"), node.mark, "IndexName")?;
    let projection = match node.get("Projection") {
        Some(projection_node) => projection(context, node, Some(projection_node)),
        None => Projection::KeysOnly,
    };
    let mut hash = Vec::new();
    for element in context.list(node.get("SearchSchema"), "SearchSchema") {
        let attribute = context.name(element.get("AttributeName"), element.mark, "AttributeName");
        let kind =
            context.name(element.get("SearchSchemaElementType"), element.mark, "SearchSchemaElementType");
        if kind.as_deref() == Some("HASH") {
            hash.extend(attribute);
        }
    }
    context.name(node.at(&["VectorAttribute", "AttributeName"]), node.mark, "VectorAttribute");
    let mut index = bare_index(name, IndexKind::Vector, Keys { hash, range: Vec::new() }, projection);
    index.vector = Some(vector_words(context, node));
    Some(index)
}

/// What only a vector index has, in the words of CreateTable.
fn vector_words(context: &mut Context<'_>, node: &Tree) -> Map<String, Json> {
    let mut words = Map::new();
    for field in ["VectorAttribute", "SearchSchema", "DistanceFunction"] {
        if let Some(value) = node.get(field).filter(|value| value.why_unknown().is_none()) {
            words.insert(field.to_owned(), value.to_json());
        }
    }
    if let Some(dimensions) = context.number(node.get("Dimensions"), "Dimensions") {
        words.insert("Dimensions".to_owned(), whole(dimensions));
    }
    words
}

/// A whole number as JSON writes it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and a number of dimensions is small"
)]
pub(super) fn whole(number: f64) -> Json {
    Json::from(number as u64)
}

/// Throughput with a read and a write part; none where either is missing or not known.
pub(super) fn capacity(
    context: &mut Context<'_>,
    node: Option<&Tree>,
    read: &str,
    write: &str,
) -> Option<Capacity> {
    let node = node?;
    if let Value::Unknown(why) = &node.value {
        context.note(node.mark, format!("capacity is not known: {why}"));
        return None;
    }
    let (read, write) = (context.number(node.get(read), read), context.number(node.get(write), write));
    Some(Capacity { read: read?, write: write? })
}

/// How a mode is paid; `None` of a mode that is not known.
pub(super) fn billing(
    context: &mut Context<'_>,
    mode: Option<&Tree>,
    capacity: Option<Capacity>,
) -> Option<Billing> {
    let Some(mode) = mode else { return Some(Billing::Provisioned(capacity)) };
    let name = context.text(Some(mode), "the billing mode")?;
    match name.as_str() {
        "PROVISIONED" => Some(Billing::Provisioned(capacity)),
        "PAY_PER_REQUEST" => Some(Billing::OnDemand),
        _ => {
            context.problem(mode.mark, "the billing mode must be PROVISIONED or PAY_PER_REQUEST");
            None
        }
    }
}

/// Whether a table class is the infrequent one; absent is standard, not known is `None`.
pub(super) fn infrequent(context: &mut Context<'_>, class: Option<&Tree>) -> Option<bool> {
    let Some(class) = class else { return Some(false) };
    let name = context.text(Some(class), "the table class")?;
    match name.as_str() {
        "STANDARD" => Some(false),
        "STANDARD_INFREQUENT_ACCESS" => Some(true),
        _ => {
            context.problem(class.mark, "the table class must be STANDARD or STANDARD_INFREQUENT_ACCESS");
            None
        }
    }
}

/// A flag that is off where it is not written.
pub(super) fn off_unless(context: &mut Context<'_>, node: Option<&Tree>, what: &str) -> Option<bool> {
    node.map_or(Some(false), |_| context.flag(node, what))
}
