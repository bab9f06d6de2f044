//! The parameters of CreateTable, as files of shape M have them.

use serde_json::Value;

use super::fields::{self, Fields, Shape};
use super::log::Log;
use super::node::Node;
use super::own::lower;
use crate::catalogue::{
    Billing, Capacity, Encryption, Index, IndexKind, KeyType, Keys, Projection, Table, Units,
};

const TABLE: Shape = Shape {
    name: "table",
    keys: &[
        "TableName",
        "AttributeDefinitions",
        "KeySchema",
        "GlobalSecondaryIndexes",
        "LocalSecondaryIndexes",
        "VectorIndexes",
        "BillingMode",
        "ProvisionedThroughput",
        "OnDemandThroughput",
        "WarmThroughput",
        "StreamSpecification",
        "SSESpecification",
        "TableClass",
        "DeletionProtectionEnabled",
        "ResourcePolicy",
        "Tags",
        "TimeToLiveSpecification",
        "GlobalTableSourceArn",
        "GlobalTableSettingsReplicationMode",
    ],
};

/// Reads a table.
pub fn table(node: &Node, log: &mut Log) -> Option<Table> {
    let fields = Fields::open(node, &TABLE, log)?;
    let mut table =
        Table { name: super::own::required(&fields, "TableName", &TABLE, log)?, ..Table::default() };
    for definition in fields.list("AttributeDefinitions", log) {
        table.definitions.extend(attribute(definition, log));
    }
    match fields.get("KeySchema") {
        Some(node) => table.keys = key_schema(node, log),
        None => log.error(node.mark, format!("table {} needs \"KeySchema\"", table.name)),
    }
    for (member, kind) in [
        ("GlobalSecondaryIndexes", IndexKind::Global),
        ("LocalSecondaryIndexes", IndexKind::Local),
        ("VectorIndexes", IndexKind::Vector),
    ] {
        let list = fields.list(member, log);
        if list.is_empty()
            && let Some(node) = fields.get(member)
        {
            log.note(node.mark, format!("CreateTable refuses an empty {member}; leave it out"));
        }
        table.indexes.extend(list.iter().filter_map(|node| index(node, kind, log)));
    }
    table.billing = billing(&fields, log);
    settings(&mut table, &fields, log);
    Some(table)
}

fn settings(table: &mut Table, fields: &Fields<'_>, log: &mut Log) {
    table.infrequent_access =
        fields.text("TableClass", log).map(|class| class == "STANDARD_INFREQUENT_ACCESS");
    table.protection = fields.flag("DeletionProtectionEnabled", log);
    table.warm = units(fields.get("WarmThroughput"), WARM, log);
    table.on_demand_max = units(fields.get("OnDemandThroughput"), ON_DEMAND, log);
    table.encryption = fields.get("SSESpecification").map(encryption);
    table.policy = fields.get("ResourcePolicy").and_then(|node| policy(node, log));
    if let Some(stream) = fields.get("StreamSpecification")
        && stream.get("StreamEnabled").and_then(Node::as_bool) != Some(false)
    {
        table.stream = stream.get("StreamViewType").and_then(Node::as_str).map(str::to_owned);
    }
    if let Some(ttl) = fields.get("TimeToLiveSpecification") {
        let attribute = ttl.get("AttributeName").and_then(Node::as_str).map(str::to_owned);
        if ttl.get("Enabled").and_then(Node::as_bool) != Some(false) {
            table.ttl = attribute;
        }
        log.note(
            ttl.mark,
            "TimeToLiveSpecification is no parameter of CreateTable; taken as UpdateTimeToLive",
        );
    }
}

/// What `WarmThroughput` calls its sides.
const WARM: [&str; 2] = ["ReadUnitsPerSecond", "WriteUnitsPerSecond"];

/// What `OnDemandThroughput` calls its sides.
const ON_DEMAND: [&str; 2] = ["MaxReadRequestUnits", "MaxWriteRequestUnits"];

/// Units of reads and writes, each where it is written; -1 says that there is no limit.
fn units(node: Option<&Node>, sides: [&str; 2], log: &mut Log) -> Units {
    let [read, write] = sides.map(|side| {
        let stated = node?.get(side).filter(|units| units.as_f64() != Some(-1.0))?;
        fields::number(stated, log)
    });
    Units { read, write }
}

fn encryption(node: &Node) -> Encryption {
    let key = node.get("KMSMasterKeyId").and_then(Node::as_str).map(str::to_owned);
    match (node.get("Enabled").and_then(Node::as_bool), key) {
        (Some(true), Some(key)) => Encryption::Key(Some(key)),
        (Some(true), None) => Encryption::Managed,
        _ => Encryption::Owned,
    }
}

/// JSON in a text, as the API takes it, or the document itself.
fn policy(node: &Node, log: &mut Log) -> Option<Value> {
    let policy = match node.as_str() {
        Some(text) => serde_json::from_str(text).ok(),
        None => Some(lower::json(node)),
    };
    let policy = policy.filter(Value::is_object);
    if policy.is_none() {
        log.expected(node, "a document of IAM: a JSON object");
    }
    policy
}

fn attribute(node: &Node, log: &mut Log) -> Option<(String, KeyType)> {
    let name = member(node, "AttributeName", log)?;
    let kinds = [("S", KeyType::S), ("N", KeyType::N), ("B", KeyType::B)];
    let kind = node.get("AttributeType");
    if kind.is_none() {
        log.expected(node, "an attribute with \"AttributeName\" and \"AttributeType\"");
    }
    Some((name, fields::choice(kind?, &kinds, log)?))
}

/// A text that must be there.
pub fn member(node: &Node, key: &str, log: &mut Log) -> Option<String> {
    let given = node.get(key).filter(|node| !node.is_null());
    if given.is_none() {
        log.error(node.mark, format!("\"{key}\" is missing"));
    }
    fields::text(given?, log)
}

/// `[{AttributeName, KeyType}]`.
pub fn key_schema(node: &Node, log: &mut Log) -> Keys {
    let mut keys = Keys::default();
    if node.items().is_empty() {
        log.expected(node, "a list of {AttributeName, KeyType}");
    }
    for element in node.items() {
        let Some(name) = member(element, "AttributeName", log) else { continue };
        match element.get("KeyType").and_then(Node::as_str) {
            Some("HASH") => keys.hash.push(name),
            Some("RANGE") => keys.range.push(name),
            _ => log.expected(element, "a \"KeyType\" of HASH or RANGE"),
        }
    }
    if keys.hash.is_empty() {
        log.error(node.mark, "a key needs an attribute of KeyType HASH");
    }
    keys
}

fn index(node: &Node, kind: IndexKind, log: &mut Log) -> Option<Index> {
    let name = member(node, "IndexName", log)?;
    let keys = match (kind, node.get("KeySchema")) {
        (IndexKind::Vector, _) => search_keys(node),
        (_, Some(schema)) => key_schema(schema, log),
        (_, None) => {
            log.error(node.mark, format!("index {name} needs \"KeySchema\""));
            return None;
        }
    };
    let projection = node.get("Projection").map(|node| projection(node, log)).unwrap_or_default();
    let mut index = empty(name, kind, keys, projection);
    index.capacity = node.get("ProvisionedThroughput").and_then(|node| throughput(node, log));
    index.warm = units(node.get("WarmThroughput"), WARM, log);
    index.on_demand_max = units(node.get("OnDemandThroughput"), ON_DEMAND, log);
    if kind == IndexKind::Vector
        && let Value::Object(map) = lower::json(node)
    {
        index.vector = Some(map);
    }
    Some(index)
}

/// An index about which nothing else is known.
pub fn empty(name: String, kind: IndexKind, keys: Keys, projection: Projection) -> Index {
    Index { name, kind, keys, projection, ..Index::default() }
}

/// The HASH elements of a search schema.
fn search_keys(node: &Node) -> Keys {
    let elements = node.get("SearchSchema").map_or(&[][..], Node::items);
    let text = |element: &Node, key: &str| element.get(key).and_then(Node::as_str).map(str::to_owned);
    let hash =
        elements.iter().filter(|element| text(element, "SearchSchemaElementType").as_deref() == Some("HASH"));
    Keys { hash: hash.filter_map(|element| text(element, "AttributeName")).collect(), range: Vec::new() }
}

/// `{ProjectionType, NonKeyAttributes}`.
pub fn projection(node: &Node, log: &mut Log) -> Projection {
    let names = node.get("NonKeyAttributes").filter(|node| !node.is_null());
    let kind = node.get("ProjectionType").and_then(Node::as_str);
    let names_of = |log: &mut Log| names.and_then(|names| fields::texts(names, log)).unwrap_or_default();
    match kind {
        Some("INCLUDE") => Projection::Include(names_of(log)),
        Some("KEYS_ONLY" | "ALL") | None => {
            if names.is_some_and(|names| !names.items().is_empty()) {
                log.note(node.mark, "NonKeyAttributes count only with ProjectionType INCLUDE");
            }
            if kind == Some("KEYS_ONLY") { Projection::KeysOnly } else { Projection::All }
        }
        Some(_) => {
            log.expected(node, "a \"ProjectionType\" of ALL, KEYS_ONLY or INCLUDE");
            Projection::All
        }
    }
}

fn billing(fields: &Fields<'_>, log: &mut Log) -> Option<Billing> {
    let capacity = fields.get("ProvisionedThroughput").and_then(|node| throughput(node, log));
    let modes = [("PAY_PER_REQUEST", true), ("PROVISIONED", false)];
    match fields.choice("BillingMode", &modes, log) {
        Some(true) => Some(Billing::OnDemand),
        Some(false) => Some(Billing::Provisioned(capacity)),
        None => capacity.map(|capacity| Billing::Provisioned(Some(capacity))),
    }
}

fn throughput(node: &Node, log: &mut Log) -> Option<Capacity> {
    let units = |key: &str, log: &mut Log| fields::number(node.get(key)?, log);
    let read = units("ReadCapacityUnits", log)?;
    Some(Capacity { read, write: units("WriteCapacityUnits", log)? })
}
