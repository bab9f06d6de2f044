//! `dynamodb_data_model.json` with sizes and rates.

use hashrange_api::Operation;
use hashrange_item::Kind;
use serde_json::json;

use super::create_table::empty;
use super::fields::{self, Fields, Shape};
use super::log::Log;
use super::node::{Data, Node};
use super::own::pattern::{OPERATIONS, unknown};
use super::own::required;
use crate::catalogue::{
    Attribute, Billing, Capacity, Catalogue, Entity, Index, IndexKind, KeyType, Keys, Pattern, Projection,
    States, Table,
};

/// What the format takes where it is not stated.
const ITEM_BYTES: f64 = 1024.0;
const ENTITY_COUNT: f64 = 100_000.0;
const RETENTION_DAYS: f64 = 30.0;
const TOP_K: f64 = 10.0;
const MIXED_CREATE_SHARE: f64 = 0.3;

const FILE: Shape = Shape { name: "data model", keys: &["tables", "access_patterns"] };

const TABLE: Shape = Shape {
    name: "table",
    keys: &[
        "table_name",
        "key_schema",
        "table_class",
        "global_tables",
        "attribute_definitions",
        "entities",
        "gsis",
        "vector_indexes",
        "provisioned_capacity",
        "streams",
        "description",
    ],
};

const KEY: Shape = Shape { name: "key schema", keys: &["partition_key", "sort_key"] };

const ENTITY: Shape = Shape {
    name: "entity",
    keys: &["entity_name", "estimated_item_size_bytes", "estimated_item_count", "attributes", "description"],
};

const GSI: Shape = Shape {
    name: "index",
    keys: &["index_name", "partition_key", "sort_key", "hash_key", "range_key", "projection", "description"],
};

const VECTOR: Shape = Shape {
    name: "vector index",
    keys: &[
        "index_name",
        "vector_attribute",
        "dimensions",
        "distance_function",
        "projection",
        "search_schema",
        "estimated_indexed_items",
    ],
};

const PATTERN: Shape = Shape {
    name: "access pattern",
    keys: &[
        "pattern_id",
        "description",
        "operation",
        "table",
        "index",
        "peak_rps",
        "avg_rps",
        "estimated_item_size_bytes",
        "items_per_request",
        "consistency",
        "attributes_written",
        "entities_written",
        "item_sizes",
        "previous_item_size_bytes",
        "projection",
        "filter",
        "top_k",
        "conditional_fail_rate",
        "non_existent_rate",
        "write_action",
        "retention_days",
        "source_requirement",
    ],
};

/// Only operations with sizes and rates: no requests, local indexes, time to live or samples.
const STATES: States = States {
    requests: false,
    local_indexes: false,
    ttl: false,
    settings: false,
    rates: true,
    declarations: false,
};

/// Reads a file.
pub fn read(root: &Node, log: &mut Log) -> Catalogue {
    let mut catalogue = Catalogue { states: STATES, ..Catalogue::default() };
    let Some(fields) = Fields::open(root, &FILE, log) else { return catalogue };
    for node in fields.list("tables", log) {
        let Some((table, entities)) = table(node, log) else { continue };
        catalogue.tables.push(table);
        catalogue.entities.extend(entities);
    }
    for node in fields.list("access_patterns", log) {
        let pattern = pattern(node, &catalogue, log);
        catalogue.patterns.extend(pattern);
    }
    catalogue
}

fn table(node: &Node, log: &mut Log) -> Option<(Table, Vec<Entity>)> {
    let fields = Fields::open(node, &TABLE, log)?;
    let mut table = Table { name: required(&fields, "table_name", &TABLE, log)?, ..Table::default() };
    match fields.get("key_schema").and_then(|node| Fields::open(node, &KEY, log)) {
        Some(key) => table.keys = keys(&key, ["partition_key", "sort_key"], log),
        None => log.note(node.mark, format!("table {} has no \"key_schema\"", table.name)),
    }
    for definition in fields.list("attribute_definitions", log) {
        table.definitions.extend(definition_of(definition, log));
    }
    let entities: Vec<Entity> =
        fields.list("entities", log).iter().filter_map(|node| entity(node, &table.name, log)).collect();
    table.indexes.extend(fields.list("gsis", log).iter().filter_map(|node| gsi(node, log)));
    table.indexes.extend(fields.list("vector_indexes", log).iter().filter_map(|node| vector(node, log)));
    definitions(&mut table, &entities);
    settings(&mut table, &fields, log);
    Some((table, entities))
}

fn settings(table: &mut Table, fields: &Fields<'_>, log: &mut Log) {
    let class = fields.text("table_class", log);
    table.infrequent_access = class.map(|class| {
        let class = class.to_uppercase();
        class.contains("INFREQUENT") || class.split(['_', '-', ' ']).any(|word| word == "IA")
    });
    if let (Some(true), Some(node)) = (fields.flag("global_tables", log), fields.get("global_tables")) {
        log.note(
            node.mark,
            format!("table {} is global, but its regions cannot be stated in this shape", table.name),
        );
    }
    if let Some(node) = fields.get("provisioned_capacity") {
        let units = |key: &str, log: &mut Log| node.get(key).and_then(|node| fields::number(node, log));
        let (read, write) = (units("read", log), units("write", log));
        let capacity = read.zip(write).map(|(read, write)| Capacity { read, write });
        table.billing = Some(Billing::Provisioned(capacity));
    }
    if let Some(node) = fields.get("streams")
        && node.get("enabled").and_then(Node::as_bool) == Some(true)
    {
        let view = node.get("view_type").and_then(Node::as_str).unwrap_or("NEW_AND_OLD_IMAGES");
        table.stream = Some(view.to_owned());
    }
}

fn keys(fields: &Fields<'_>, [hash, range]: [&'static str; 2], log: &mut Log) -> Keys {
    Keys {
        hash: fields.text(hash, log).into_iter().collect(),
        range: fields.text(range, log).into_iter().collect(),
    }
}

/// `{attribute_name, attribute_type}`, or `{name, type}`.
fn definition_of(node: &Node, log: &mut Log) -> Option<(String, KeyType)> {
    let either = |one: &str, other: &str| node.get(one).or_else(|| node.get(other));
    let (Some(name), Some(kind)) = (either("attribute_name", "name"), either("attribute_type", "type"))
    else {
        log.expected(node, "an attribute with \"attribute_name\" and \"attribute_type\"");
        return None;
    };
    let kinds = [("S", KeyType::S), ("N", KeyType::N), ("B", KeyType::B)];
    Some((fields::text(name, log)?, fields::choice(kind, &kinds, log)?))
}

/// Types of keys: as declared, then as entities have them, then strings.
fn definitions(table: &mut Table, entities: &[Entity]) {
    let keys = table.indexes.iter().map(|index| &index.keys).chain([&table.keys]);
    for name in keys.flat_map(Keys::attributes).map(str::to_owned).collect::<Vec<_>>() {
        let kinds =
            entities.iter().flat_map(|entity| &entity.attributes).filter(|attribute| attribute.name == name);
        let kind = kinds.filter_map(|attribute| attribute.kind).find_map(|kind| match kind {
            Kind::S => Some(KeyType::S),
            Kind::N => Some(KeyType::N),
            Kind::B => Some(KeyType::B),
            _ => None,
        });
        table.definitions.entry(name).or_insert(kind.unwrap_or(KeyType::S));
    }
}

fn entity(node: &Node, table: &str, log: &mut Log) -> Option<Entity> {
    let fields = Fields::open(node, &ENTITY, log)?;
    let name = required(&fields, "entity_name", &ENTITY, log)?;
    let attributes = fields.list("attributes", log).iter().filter_map(|node| attribute(node, log)).collect();
    Some(Entity {
        name,
        table: table.to_owned(),
        attributes,
        count: fields.number("estimated_item_count", log).or(Some(ENTITY_COUNT)),
        bytes: fields.number("estimated_item_size_bytes", log).or(Some(ITEM_BYTES)),
        ..Entity::default()
    })
}

fn attribute(node: &Node, log: &mut Log) -> Option<Attribute> {
    let name = super::create_table::member(node, "name", log)?;
    let kind = node.get("type").and_then(|node| fields::choice(node, &super::own::entity::TYPES, log));
    Some(Attribute { kind, ..Attribute::named(&name) })
}

fn gsi(node: &Node, log: &mut Log) -> Option<Index> {
    let fields = Fields::open(node, &GSI, log)?;
    let name = required(&fields, "index_name", &GSI, log)?;
    let mut keys = self::keys(&fields, ["partition_key", "sort_key"], log);
    if keys.hash.is_empty() {
        keys = self::keys(&fields, ["hash_key", "range_key"], log);
    }
    if keys.hash.is_empty() {
        log.error(node.mark, format!("index {name} needs \"partition_key\""));
    }
    let projection = fields.get("projection").map(|node| projection(node, log)).unwrap_or_default();
    Some(empty(name, IndexKind::Global, keys, projection))
}

/// `{type, attributes}`, or the type alone.
fn projection(node: &Node, log: &mut Log) -> Projection {
    let words = [("ALL", 0), ("KEYS_ONLY", 1), ("INCLUDE", 2)];
    let kind = if node.as_str().is_some() { Some(node) } else { node.get("type") };
    let lists = ["attributes", "non_key_attributes", "NonKeyAttributes"];
    let names = lists.iter().find_map(|key| node.get(key)).and_then(|node| fields::texts(node, log));
    match kind.and_then(|kind| fields::choice(kind, &words, log)) {
        Some(1) => Projection::KeysOnly,
        Some(2) => Projection::Include(names.unwrap_or_default()),
        _ => Projection::All,
    }
}

fn vector(node: &Node, log: &mut Log) -> Option<Index> {
    let fields = Fields::open(node, &VECTOR, log)?;
    let name = required(&fields, "index_name", &VECTOR, log)?;
    let projection = fields.get("projection").map(|node| projection(node, log)).unwrap_or_default();
    let search = fields.get("search_schema");
    let text = |key: &str| search?.get(key)?.as_str().map(str::to_owned);
    let hash = text("partition_key");
    let filters = search.and_then(|node| node.get("inline_filters")).map_or(&[][..], Node::items);
    let schema: Vec<_> = hash
        .iter()
        .map(|name| (name.clone(), "HASH"))
        .chain(filters.iter().filter_map(|node| Some((node.as_str()?.to_owned(), "INLINE_FILTER"))))
        .map(|(name, kind)| json!({"AttributeName": name, "SearchSchemaElementType": kind}))
        .collect();
    let mut map = serde_json::Map::new();
    map.insert("IndexName".to_owned(), json!(name));
    if let Some(attribute) = fields.text("vector_attribute", log) {
        map.insert("VectorAttribute".to_owned(), json!({ "AttributeName": attribute }));
    }
    if let Some(dimensions) = fields.whole::<u64>("dimensions", log) {
        map.insert("Dimensions".to_owned(), json!(dimensions));
    }
    if let Some(function) = fields.text("distance_function", log) {
        // The API takes capitals; files have both.
        map.insert("DistanceFunction".to_owned(), json!(function.to_uppercase()));
    }
    if !schema.is_empty() {
        map.insert("SearchSchema".to_owned(), json!(schema));
    }
    let mut index = empty(
        name,
        IndexKind::Vector,
        Keys { hash: hash.into_iter().collect(), range: Vec::new() },
        projection,
    );
    index.vector = Some(map);
    index.entry_count = fields.number("estimated_indexed_items", log);
    Some(index)
}

fn pattern(node: &Node, catalogue: &Catalogue, log: &mut Log) -> Option<Pattern> {
    let fields = Fields::open(node, &PATTERN, log)?;
    let id = required(&fields, "pattern_id", &PATTERN, log)?;
    let name = fields.text("description", log).unwrap_or_else(|| id.clone());
    let mut pattern = Pattern { id, name, ..Pattern::default() };
    if fields.get("operation").is_none() {
        log.error(node.mark, format!("pattern {} needs \"operation\"", pattern.id));
    }
    pattern.operation = fields.choice("operation", &OPERATIONS, log);
    pattern.description = fields.text("source_requirement", log);
    place(&mut pattern, &fields, catalogue, log);
    rates(&mut pattern, &fields, log);
    sizes(&mut pattern, &fields, log);
    writes(&mut pattern, &fields, catalogue, log);
    Some(pattern)
}

fn place(pattern: &mut Pattern, fields: &Fields<'_>, catalogue: &Catalogue, log: &mut Log) {
    pattern.table = fields.text("table", log);
    pattern.index = fields.text("index", log);
    let (Some(name), Some(node)) = (&pattern.table, fields.get("table")) else {
        return log.error(fields.mark(), format!("pattern {} needs \"table\"", pattern.id));
    };
    let Some(table) = catalogue.table(name) else {
        let names: Vec<&str> = catalogue.tables.iter().map(|table| table.name.as_str()).collect();
        return unknown("table", name, &names, node, log);
    };
    if let (Some(index), Some(node)) = (&pattern.index, fields.get("index"))
        && table.index(index).is_none()
    {
        let names: Vec<&str> = table.indexes.iter().map(|index| index.name.as_str()).collect();
        unknown(&format!("index of table {name}"), index, &names, node, log);
    }
}

fn rates(pattern: &mut Pattern, fields: &Fields<'_>, log: &mut Log) {
    pattern.peak_rps = fields.number("peak_rps", log);
    if pattern.peak_rps.is_none() {
        log.note(fields.mark(), format!("pattern {} has no \"peak_rps\"", pattern.id));
    }
    pattern.avg_rps = fields.number("avg_rps", log).or(pattern.peak_rps);
    let consistencies = [("eventual", Some(false)), ("strong", Some(true)), ("transactional", None)];
    pattern.strong = match fields.choice("consistency", &consistencies, log) {
        Some(strong) => strong,
        None if pattern.operation.is_some_and(is_read) => Some(false),
        None => None,
    };
    pattern.conditional_fail_rate = fields.number_in("conditional_fail_rate", 0.0, 1.0, log);
    pattern.non_existent_rate = fields.number_in("non_existent_rate", 0.0, 1.0, log);
}

fn is_read(operation: Operation) -> bool {
    matches!(operation, Operation::GetItem | Operation::BatchGetItem | Operation::Query | Operation::Scan)
}

fn sizes(pattern: &mut Pattern, fields: &Fields<'_>, log: &mut Log) {
    let searches = pattern.operation == Some(Operation::SearchVectors);
    let top_k = fields.number("top_k", log).unwrap_or(TOP_K);
    let usual = if searches { top_k } else { 1.0 };
    pattern.items = fields.number("items_per_request", log).or(Some(usual));
    pattern.item_bytes = fields.number("estimated_item_size_bytes", log).or(Some(ITEM_BYTES));
    pattern.item_sizes = fields.numbers("item_sizes", log).unwrap_or_default();
    pattern.previous_item_bytes = fields.number("previous_item_size_bytes", log);
}

fn writes(pattern: &mut Pattern, fields: &Fields<'_>, catalogue: &Catalogue, log: &mut Log) {
    pattern.attributes_written = fields.texts("attributes_written", log);
    for node in fields.list("entities_written", log) {
        let (name, count) = match &node.data {
            Data::Map(_) => {
                (node.get("entity"), node.get("count").and_then(|node| fields::number(node, log)))
            }
            _ => (Some(node), None),
        };
        let Some(name) = name.and_then(|name| fields::text(name, log)) else { continue };
        if catalogue.entity(&name).is_none() {
            let names: Vec<&str> = catalogue.entities.iter().map(|entity| entity.name.as_str()).collect();
            unknown("entity", &name, &names, node, log);
        }
        pattern.entities.push((name, count.unwrap_or(1.0)));
    }
    let usual = match pattern.operation {
        Some(Operation::PutItem) => Some(1.0),
        Some(Operation::BatchWriteItem | Operation::TransactWriteItems) => Some(MIXED_CREATE_SHARE),
        Some(Operation::UpdateItem | Operation::DeleteItem) => Some(0.0),
        _ => None,
    };
    let actions = [("create", 1.0), ("update", 0.0), ("delete", 0.0), ("mixed", MIXED_CREATE_SHARE)];
    pattern.create_share = fields.choice("write_action", &actions, log).or(usual);
    let creates = pattern.create_share.is_some_and(|share| share > 0.0);
    pattern.retention_days = fields.number("retention_days", log).or(creates.then_some(RETENTION_DAYS));
}
