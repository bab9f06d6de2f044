//! Tables and indexes of our own form.

use hashrange_item::Kind;
use serde_json::{Map, Value};

use crate::catalogue::{
    Billing, Capacity, Consistency, Encryption, Index, IndexKind, Insights, KeyType, Keys, Kinesis,
    Projection, Resource, Scaling, Table, Units, Usage,
};
use crate::read::fields::{self, Fields, Shape};
use crate::read::log::Log;
use crate::read::node::{Data, Node};
use crate::read::value;

/// The fields of a table.
pub const TABLE: Shape = Shape {
    name: "table",
    keys: &[
        "logical_id",
        "resource",
        "key",
        "types",
        "indexes",
        "billing",
        "capacity",
        "scaling",
        "warm",
        "on_demand_max",
        "class",
        "ttl",
        "stream",
        "stream_consumers",
        "kinesis",
        "encryption",
        "insights",
        "policy",
        "recovery",
        "protection",
        "production",
        "replicas",
        "replica_consistency",
        "count",
        "bytes",
        "usage",
        "items",
    ],
};

/// The fields of a key.
pub const KEYS: Shape = Shape { name: "key", keys: &["hash", "range"] };

/// The fields of an index.
pub const INDEX: Shape = Shape {
    name: "index",
    keys: &[
        "kind",
        "key",
        "projection",
        "capacity",
        "scaling",
        "warm",
        "on_demand_max",
        "insights",
        "used_for",
        "entry_bytes",
        "entry_count",
        "usage",
        "vector",
    ],
};

/// The fields of provisioned capacity.
pub const CAPACITY: Shape = Shape { name: "capacity", keys: &["read", "write"] };

/// The fields of auto scaling.
pub const SCALING: Shape = Shape { name: "scaling", keys: &["read", "write"] };

/// The fields of one policy of auto scaling.
pub const POLICY: Shape = Shape { name: "scaling policy", keys: &["min", "max", "target", "scale_in"] };

/// The fields of units of which each may be left out.
pub const UNITS: Shape = Shape { name: "units", keys: &["read", "write"] };

/// The fields of a Kinesis data stream.
pub const KINESIS: Shape = Shape { name: "Kinesis stream", keys: &["stream", "precision"] };

/// The fields of what metrics say.
pub const USAGE: Shape = Shape { name: "usage", keys: &["days", "read_units"] };

/// What the own form calls a key that is the account's and known to the deployment alone.
pub const OPEN_KEY: &str = "customer-managed";

const INSIGHTS: [(&str, Insights); 3] =
    [("off", Insights::Off), ("all", Insights::All), ("throttled", Insights::Throttled)];

const KEY_TYPES: [(&str, KeyType); 3] = [("S", KeyType::S), ("N", KeyType::N), ("B", KeyType::B)];

const KINDS: [(&str, IndexKind); 3] =
    [("global", IndexKind::Global), ("local", IndexKind::Local), ("vector", IndexKind::Vector)];

const VIEWS: [(&str, &str); 4] = [
    ("NEW_AND_OLD_IMAGES", "NEW_AND_OLD_IMAGES"),
    ("NEW_IMAGE", "NEW_IMAGE"),
    ("OLD_IMAGE", "OLD_IMAGE"),
    ("KEYS_ONLY", "KEYS_ONLY"),
];

/// Reads a table.
pub fn read(name: &Node, node: &Node, log: &mut Log) -> Option<Table> {
    let mut table = Table { name: fields::text(name, log)?, ..Table::default() };
    if node.is_null() {
        return Some(table);
    }
    let fields = Fields::open(node, &TABLE, log)?;
    table.logical_id = fields.text("logical_id", log);
    let resources = Resource::ALL.map(|one| (one.name(), one));
    table.resource = fields.choice("resource", &resources, log);
    table.keys = fields.get("key").and_then(|node| keys(node, log)).unwrap_or_default();
    for (name, node) in fields.map("indexes", log) {
        table.indexes.extend(index(name, node, &table.keys, log));
    }
    definitions(&mut table, &fields, log);
    table.billing = billing(&fields, log);
    table.scaling = scaling(&fields, log);
    settings(&mut table, &fields, log);
    table.item_count = fields.number("count", log);
    table.item_bytes = fields.number("bytes", log);
    table.usage = usage(&fields, log);
    samples(&mut table, &fields, log);
    Some(table)
}

fn settings(table: &mut Table, fields: &Fields<'_>, log: &mut Log) {
    let classes = [("standard", false), ("infrequent-access", true)];
    table.infrequent_access = fields.choice("class", &classes, log);
    table.ttl = fields.text("ttl", log);
    table.stream = fields.choice("stream", &VIEWS, log).map(str::to_owned);
    table.stream_consumers = fields.whole("stream_consumers", log);
    table.kinesis = fields.get("kinesis").and_then(|node| kinesis(node, log));
    table.encryption = fields.text("encryption", log).map(encryption);
    table.insights = insights(fields, log);
    table.policy = fields.get("policy").map(super::lower::json);
    table.warm = units("warm", fields, log);
    table.on_demand_max = units("on_demand_max", fields, log);
    table.recovery = fields.flag("recovery", log);
    table.protection = fields.flag("protection", log);
    table.production = fields.flag("production", log);
    table.replicas = fields.texts("replicas", log).unwrap_or_default();
    let consistencies = [("eventual", Consistency::Eventual), ("strong", Consistency::Strong)];
    table.replica_consistency = fields.choice("replica_consistency", &consistencies, log);
}

/// Declared types; key attributes without one are strings.
fn definitions(table: &mut Table, fields: &Fields<'_>, log: &mut Log) {
    for (name, node) in fields.map("types", log) {
        let kind = fields::choice(node, &KEY_TYPES, log);
        table.definitions.extend(fields::text(name, log).zip(kind));
    }
    let keys = table.indexes.iter().map(|index| &index.keys).chain([&table.keys]);
    for name in keys.flat_map(Keys::attributes).map(str::to_owned).collect::<Vec<_>>() {
        table.definitions.entry(name).or_insert(KeyType::S);
    }
}

fn keys(node: &Node, log: &mut Log) -> Option<Keys> {
    // `key: id` is a partition key alone.
    if let Some(hash) = node.as_str() {
        return Some(Keys { hash: vec![hash.to_owned()], range: Vec::new() });
    }
    let fields = Fields::open(node, &KEYS, log)?;
    if fields.get("hash").is_none() {
        log.error(node.mark, "a key needs \"hash\", its partition key attribute");
    }
    let hash = fields.texts("hash", log)?;
    Some(Keys { hash, range: fields.texts("range", log).unwrap_or_default() })
}

fn index(name: &Node, node: &Node, table: &Keys, log: &mut Log) -> Option<Index> {
    let name = fields::text(name, log)?;
    let fields = Fields::open(node, &INDEX, log)?;
    let kind = fields.choice("kind", &KINDS, log).unwrap_or(IndexKind::Global);
    let keys = match fields.get("key") {
        Some(node) => index_keys(node, kind, table, log)?,
        None if kind == IndexKind::Vector => Keys::default(),
        None => {
            log.note(node.mark, format!("index {name} has no \"key\", so no pattern can be planned on it"));
            Keys::default()
        }
    };
    Some(Index {
        name,
        kind,
        keys,
        projection: fields.get("projection").and_then(|node| projection(node, log)).unwrap_or_default(),
        capacity: fields.get("capacity").and_then(|node| capacity(node, log)),
        scaling: scaling(&fields, log),
        vector: fields.get("vector").and_then(|node| vector(node, log)),
        warm: units("warm", &fields, log),
        on_demand_max: units("on_demand_max", &fields, log),
        insights: insights(&fields, log),
        used_for: fields.text("used_for", log),
        entry_bytes: fields.number("entry_bytes", log),
        entry_count: fields.number("entry_count", log),
        usage: usage(&fields, log),
    })
}

/// `{read, write}`, of which each may be left out.
fn units(field: &str, fields: &Fields<'_>, log: &mut Log) -> Units {
    let given = fields.get(field).and_then(|node| Fields::open(node, &UNITS, log));
    let Some(given) = given else { return Units::default() };
    Units { read: given.number("read", log), write: given.number("write", log) }
}

/// `aws-owned`, `aws-managed`, `customer-managed`, or the key itself.
fn encryption(text: String) -> Encryption {
    match text.as_str() {
        "aws-owned" => Encryption::Owned,
        "aws-managed" => Encryption::Managed,
        OPEN_KEY => Encryption::Key(None),
        _ => Encryption::Key(Some(text)),
    }
}

fn insights(fields: &Fields<'_>, log: &mut Log) -> Option<Insights> {
    let node = fields.get("insights")?;
    // YAML 1.1 takes `off` for a truth value, and so do some of its writers.
    if node.as_bool() == Some(false) { Some(Insights::Off) } else { fields::choice(node, &INSIGHTS, log) }
}

/// The ARN alone, or with the precision of times.
fn kinesis(node: &Node, log: &mut Log) -> Option<Kinesis> {
    if let Some(stream) = node.as_str() {
        return Some(Kinesis { stream: Some(stream.to_owned()), precision: None });
    }
    let fields = Fields::open(node, &KINESIS, log)?;
    let precisions = [("MILLISECOND", "MILLISECOND"), ("MICROSECOND", "MICROSECOND")];
    let precision = fields.choice("precision", &precisions, log).map(str::to_owned);
    Some(Kinesis { stream: fields.text("stream", log), precision })
}

/// `{days: 45, read_units: 0}`.
fn usage(fields: &Fields<'_>, log: &mut Log) -> Option<Usage> {
    let given = fields.get("usage").and_then(|node| Fields::open(node, &USAGE, log))?;
    let (days, read_units) = (given.number("days", log), given.number("read_units", log));
    if days.is_none() || read_units.is_none() {
        log.error(
            given.mark(),
            "usage needs \"days\", how many were measured, and \"read_units\", their sum",
        );
    }
    Some(Usage { days: days?, read_units: read_units? })
}

/// The partition key of a local index is the table's, and may be left out.
fn index_keys(node: &Node, kind: IndexKind, table: &Keys, log: &mut Log) -> Option<Keys> {
    if kind == IndexKind::Local && node.get("hash").is_none() && node.get("range").is_some() {
        let range = Fields::open(node, &KEYS, log)?.texts("range", log)?;
        return Some(Keys { hash: table.hash.clone(), range });
    }
    let keys = keys(node, log)?;
    if kind == IndexKind::Local && keys.hash != table.hash {
        log.error(
            node.mark,
            format!("a local index has the partition key of its table, {}", table.hash.join(", ")),
        );
    }
    Some(keys)
}

fn projection(node: &Node, log: &mut Log) -> Option<Projection> {
    if let Data::List(_) = &node.data {
        return fields::texts(node, log).map(Projection::Include);
    }
    let all = fields::choice(node, &[("all", true), ("keys", false)], log)?;
    Some(if all { Projection::All } else { Projection::KeysOnly })
}

fn vector(node: &Node, log: &mut Log) -> Option<Map<String, Value>> {
    if let Value::Object(map) = super::lower::json(node) {
        return Some(map);
    }
    log.expected(node, "a map: the index in the words of CreateTable's VectorIndexes");
    None
}

fn billing(fields: &Fields<'_>, log: &mut Log) -> Option<Billing> {
    let capacity = fields.get("capacity").and_then(|node| capacity(node, log));
    let provisioned = fields.choice("billing", &[("on-demand", false), ("provisioned", true)], log);
    if provisioned == Some(false) && capacity.is_some() {
        log.error(fields.mark(), "a table that is paid on demand has no capacity; leave out one of the two");
    }
    match (provisioned, capacity) {
        (Some(false), _) => Some(Billing::OnDemand),
        (Some(true), capacity) => Some(Billing::Provisioned(capacity)),
        (None, Some(capacity)) => Some(Billing::Provisioned(Some(capacity))),
        (None, None) => None,
    }
}

fn capacity(node: &Node, log: &mut Log) -> Option<Capacity> {
    let fields = Fields::open(node, &CAPACITY, log)?;
    let (read, write) = (fields.number("read", log), fields.number("write", log));
    if read.is_none() || write.is_none() {
        log.error(node.mark, "capacity needs \"read\" and \"write\", both in units per second");
    }
    Some(Capacity { read: read?, write: write? })
}

fn scaling(fields: &Fields<'_>, log: &mut Log) -> [Option<Scaling>; 2] {
    let Some(node) = fields.get("scaling") else { return [None, None] };
    let Some(fields) = Fields::open(node, &SCALING, log) else { return [None, None] };
    ["read", "write"].map(|key| fields.get(key).and_then(|node| policy(node, log)))
}

fn policy(node: &Node, log: &mut Log) -> Option<Scaling> {
    let fields = Fields::open(node, &POLICY, log)?;
    let (min, max) = (fields.number("min", log), fields.number("max", log));
    if min.is_none() || max.is_none() {
        log.error(node.mark, "scaling needs \"min\" and \"max\", both in units per second");
    }
    Some(Scaling {
        min: min?,
        max: max?,
        target: fields.number_in("target", 20.0, 90.0, log).unwrap_or(70.0),
        disable_scale_in: !fields.flag("scale_in", log).unwrap_or(true),
    })
}

fn samples(table: &mut Table, fields: &Fields<'_>, log: &mut Log) {
    let definitions = table.definitions.clone();
    let kind_of = |name: &str| {
        definitions.get(name).map(|kind| match kind {
            KeyType::S => Kind::S,
            KeyType::N => Kind::N,
            KeyType::B => Kind::B,
        })
    };
    for node in fields.list("items", log) {
        table.samples.extend(value::plain_item(node, &kind_of, log));
    }
}
