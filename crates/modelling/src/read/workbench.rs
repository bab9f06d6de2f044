//! NoSQL Workbench: tables with facets and sample rows, and since 3.20 access patterns whose names in the file no public file shows.

pub mod kept;

use std::collections::BTreeMap;

use hashrange_item::{Attributes, Kind};

use super::create_table::{self, empty, member};
use super::fields;
use super::log::Log;
use super::node::{Data, Node};
use super::shape_m::key_text;
use super::value;
use crate::catalogue::{
    Attribute, Billing, Capacity, Catalogue, Entity, IndexKind, KeptAs, KeyType, Keys, Scaling, States, Table,
};

/// Keys, global indexes and rows; local indexes, time to live and patterns are not in the format.
const STATES: States = States {
    requests: false,
    local_indexes: false,
    ttl: false,
    settings: false,
    rates: false,
    declarations: false,
};

/// The old tool's default, which nobody chose.
const DEFAULT_UNITS: f64 = 5.0;

/// Reads a file.
pub fn read(root: &Node, log: &mut Log) -> Catalogue {
    let mut catalogue = Catalogue { states: STATES, ..Catalogue::default() };
    let text = |path: &[&str]| root.at(path).and_then(Node::as_str).map(str::to_owned);
    catalogue.name = text(&["ModelName"]).unwrap_or_default();
    catalogue.description = text(&["ModelMetadata", "Description"]).filter(|text| !text.is_empty());
    version(root, log);
    catalogue.kept = kept::of_file(root);
    for node in root.get("DataModel").map_or(&[][..], Node::items) {
        let Some((table, entities)) = table(node, log) else { continue };
        let of_facets = entities.iter().flat_map(|entity: &Entity| &entity.attributes);
        let of_facets: Vec<String> = of_facets.map(|attribute| attribute.name.clone()).collect();
        catalogue.kept.extend(kept::of_table(node, &table, &of_facets));
        catalogue.tables.push(table);
        catalogue.entities.extend(entities);
    }
    // Members have no order that means something, and the same ones are the same model.
    catalogue.kept.sort_by(|one, other| one.path.cmp(&other.path));
    let unknown = catalogue.kept.iter().filter(|one| one.kept_as == KeptAs::Unknown);
    let unknown: Vec<String> = unknown.map(kept::place).collect();
    if !unknown.is_empty() {
        let what =
            "members that are not known; they mean nothing here, and go back into a file of this format";
        log.note(root.mark, format!("{what}: {}", unknown.join(", ")));
    }
    catalogue
}

fn version(root: &Node, log: &mut Log) {
    let version = root.at(&["ModelMetadata", "Version"]);
    let major = version.and_then(Node::as_str).and_then(|text| text.split('.').next()?.parse::<u32>().ok());
    if let Some(version) = version
        && !major.is_some_and(|major| (1..=3).contains(&major))
    {
        log.note(
            version.mark,
            format!("version {} is newer than what is known (1 to 3)", version.describe()),
        );
    }
}

fn key_attributes(node: &Node, table: &mut Table, log: &mut Log) -> Keys {
    let mut keys = Keys::default();
    for (part, names) in [("PartitionKey", &mut keys.hash), ("SortKey", &mut keys.range)] {
        let Some(attribute) = node.at(&["KeyAttributes", part]).filter(|node| !node.is_null()) else {
            continue;
        };
        let Some(name) = member(attribute, "AttributeName", log) else { continue };
        let kinds = [("S", KeyType::S), ("N", KeyType::N), ("B", KeyType::B)];
        let kind = attribute.get("AttributeType").and_then(|node| fields::choice(node, &kinds, log));
        table.definitions.entry(name.clone()).or_insert(kind.unwrap_or(KeyType::S));
        names.push(name);
    }
    if keys.hash.is_empty() {
        log.error(node.mark, "\"KeyAttributes\" needs \"PartitionKey\"");
    }
    keys
}

fn table(node: &Node, log: &mut Log) -> Option<(Table, Vec<Entity>)> {
    let mut table = Table { name: member(node, "TableName", log)?, ..Table::default() };
    table.keys = key_attributes(node, &mut table, log);
    for index in node.get("GlobalSecondaryIndexes").map_or(&[][..], Node::items) {
        let Some(name) = member(index, "IndexName", log) else { continue };
        let keys = key_attributes(index, &mut table, log);
        let projection = index.get("Projection").map(|node| create_table::projection(node, log));
        table.indexes.push(empty(name, IndexKind::Global, keys, projection.unwrap_or_default()));
    }
    billing(&mut table, node, log);
    let mut rows = Rows::default();
    rows.take(node, &table, log);
    let mut entities = Vec::new();
    let facets = node.get("TableFacets").map_or(&[][..], Node::items);
    for facet in facets {
        rows.take(facet, &table, log);
        entities.extend(entity(facet, node, &table, log));
    }
    table.samples = rows.items.into_iter().map(|(_, item)| item).collect();
    types(node, &table, log);
    Some((table, entities))
}

fn billing(table: &mut Table, node: &Node, log: &mut Log) {
    let settings = node.get("ProvisionedCapacitySettings");
    let number = |path: &[&str]| settings.and_then(|settings| settings.at(path)).and_then(Node::as_f64);
    let units = |member: &str| number(&["ProvisionedThroughput", member]);
    match node.get("BillingMode").and_then(Node::as_str) {
        Some("PAY_PER_REQUEST") => table.billing = Some(Billing::OnDemand),
        Some("PROVISIONED") => {
            let capacity = units("ReadCapacityUnits").zip(units("WriteCapacityUnits"));
            let capacity = capacity.map(|(read, write)| Capacity { read, write });
            let usual = capacity == Some(Capacity { read: DEFAULT_UNITS, write: DEFAULT_UNITS });
            if usual {
                log.note(node.mark, format!("table {}: 5 units each way are the tool's default, and no intention; how it is paid is taken as not stated", table.name));
            } else {
                table.billing = Some(Billing::Provisioned(capacity));
            }
        }
        _ => {}
    }
    table.scaling = ["AutoScalingRead", "AutoScalingWrite"].map(|policy| {
        let of = |path: [&str; 2]| number(&[policy, path[0], path[1]]);
        Some(Scaling {
            min: of(["ScalableTargetRequest", "MinCapacity"])?,
            max: of(["ScalableTargetRequest", "MaxCapacity"])?,
            target: of(["ScalingPolicyConfiguration", "TargetValue"]).unwrap_or(70.0),
            disable_scale_in: false,
        })
    });
    // What is left of another mode scales nothing.
    if !matches!(table.billing, Some(Billing::Provisioned(_))) {
        table.scaling = [None, None];
    }
}

/// The rows of a table and of its facets, which hold the same ones again: each primary key once.
#[derive(Default)]
struct Rows {
    items: Vec<(Vec<u8>, Attributes)>,
    places: BTreeMap<Vec<u8>, usize>,
}

impl Rows {
    fn take(&mut self, node: &Node, table: &Table, log: &mut Log) {
        for row in node.get("TableData").map_or(&[][..], Node::items) {
            let Some(item) = loose_item(row, log) else { continue };
            if let Some(absent) = table.keys.attributes().find(|name| !item.contains(name)) {
                log.note(
                    row.mark,
                    format!("a row of table {} has no {absent}, and is passed over", table.name),
                );
                continue;
            }
            self.add(item, row, table, log);
        }
    }

    fn add(&mut self, item: Attributes, row: &Node, table: &Table, log: &mut Log) {
        let key = key_text(&item, table);
        let Some(at) = self.places.get(&key).copied() else {
            self.places.insert(key.clone(), self.items.len());
            self.items.push((key, item));
            return;
        };
        let have = &mut self.items[at].1;
        let differ = item.iter().any(|(name, value)| have.get(name).is_some_and(|other| other != value));
        if differ {
            log.note(
                row.mark,
                format!("another row of table {} with this key says otherwise; the first counts", table.name),
            );
        }
        // A facet shows some attributes of the row.
        for (name, value) in item {
            if !have.contains(&name) {
                have.insert(name, value);
            }
        }
    }
}

/// A row, in which the values of an `M` may be plain JSON.
fn loose_item(row: &Node, log: &mut Log) -> Option<Attributes> {
    let Data::Map(entries) = &row.data else {
        log.expected(row, "a row: a map of attributes");
        return None;
    };
    let mut item = Attributes::new();
    for (name, node) in entries {
        let name = fields::text(name, log)?;
        let Some((kind, content)) = value::typed(node) else {
            log.note(node.mark, format!("{name} has no type, and is taken as plain JSON"));
            item.insert(name, value::plain(node, None, log)?);
            continue;
        };
        let untyped = matches!(kind, Kind::M | Kind::L) && has_untyped(content);
        if untyped {
            log.note(node.mark, format!("{name} holds plain JSON inside {kind}"));
        }
        let value = if untyped { value::plain(node, None, log) } else { value::dynamo(node, log) };
        item.insert(name, value?);
    }
    Some(item)
}

/// Whether a list or map holds a value without its type.
fn has_untyped(content: &Node) -> bool {
    let untyped = |node: &Node| match value::typed(node) {
        Some((Kind::M | Kind::L, content)) => has_untyped(content),
        Some(_) => false,
        None => true,
    };
    content.items().iter().any(untyped) || content.entries().iter().any(|(_, node)| untyped(node))
}

/// A facet is a view of one kind of item.
fn entity(facet: &Node, table_node: &Node, table: &Table, log: &mut Log) -> Option<Entity> {
    let name = member(facet, "FacetName", log)?;
    let declared = |name: &str| {
        let all = table_node.get("NonKeyAttributes").map_or(&[][..], Node::items).iter();
        let mut own = all.filter(|node| node.get("AttributeName").and_then(Node::as_str) == Some(name));
        Kind::from_name(own.next()?.get("AttributeType")?.as_str()?)
    };
    let rows: Vec<Attributes> = facet
        .get("TableData")
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(|row| loose_item(row, &mut Log::default()))
        .collect();
    let attribute = |name: String| {
        // What the rows hold wins over what is declared.
        let seen = rows.iter().find_map(|row| row.get(&name)).map(hashrange_item::AttributeValue::kind);
        let format =
            format_of(table_node, &name).filter(|_| seen.or_else(|| declared(&name)) == Some(Kind::S));
        Attribute { kind: seen.or_else(|| declared(&name)), format, ..Attribute::named(&name) }
    };
    let names = facet.get("NonKeyAttributes").and_then(|node| fields::texts(node, log)).unwrap_or_default();
    let attributes = names.into_iter().map(attribute).collect();
    Some(Entity { name, table: table.name.clone(), attributes, ..Entity::default() })
}

/// The tool's generator of random data says what values look like: `[group, format]`.
fn format_of(table: &Node, attribute: &str) -> Option<String> {
    let format = table.at(&["SampleDataFormats", attribute])?;
    let words: Vec<String> = format.items().iter().filter_map(Node::as_str).map(str::to_lowercase).collect();
    let known = [
        ("uuid", "uuid"),
        ("email", "email"),
        ("e-mail", "email"),
        ("phone", "phone"),
        ("datetime", "iso-time"),
        ("date", "iso-date"),
        ("name", "name"),
    ];
    let found = known.iter().find(|(word, _)| words.iter().any(|have| have.contains(word)));
    found.map(|(_, format)| (*format).to_owned())
}

/// Tells where rows hold other types than those that are declared: the rows count.
fn types(node: &Node, table: &Table, log: &mut Log) {
    for declared in node.get("NonKeyAttributes").map_or(&[][..], Node::items) {
        let text = |key: &str| declared.get(key).and_then(Node::as_str);
        let (Some(name), Some(kind)) = (text("AttributeName"), text("AttributeType")) else { continue };
        let kind = Kind::from_name(kind);
        let other =
            table.samples.iter().filter_map(|item| item.get(name)).map(hashrange_item::AttributeValue::kind);
        if let Some(other) = other.into_iter().find(|other| Some(*other) != kind && *other != Kind::Null) {
            log.note(
                declared.mark,
                format!(
                    "attribute {name} is declared as {}, and rows hold {other}; the rows count",
                    text("AttributeType").unwrap_or("")
                ),
            );
        }
    }
}
