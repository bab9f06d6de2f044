//! NoSQL Workbench: tables with their rows, and a facet for each kind of item.

use std::collections::BTreeMap;

use hashrange_item::Kind;
use serde_json::{Map, Value, json};

use super::Told;
use super::words::{self, key_type, of_kind, whole};
use crate::catalogue::{Attribute, Billing, Catalogue, Entity, IndexKind, Keys, Scaling, Table};

/// The version of the form: the last of which files are known.
const VERSION: &str = "3.0";

pub(super) fn write(catalogue: &Catalogue, today: &str, assumed: &mut Told) -> Value {
    let date = format!("{}, 12:00 AM", english(today));
    let metadata = json!({
        "Author": "", "DateCreated": date, "DateLastModified": date,
        "Description": catalogue.description.clone().unwrap_or_default(),
        "AWSService": "Amazon DynamoDB", "Version": VERSION,
    });
    let tables: Vec<Value> = catalogue.tables.iter().map(|one| table(one, catalogue, assumed)).collect();
    json!({"ModelName": catalogue.name, "ModelMetadata": metadata, "DataModel": tables})
}

/// `2026-11-02` as `Nov 02, 2026`; anything else as it is.
fn english(date: &str) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = date.splitn(3, '-');
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return date.to_owned();
    };
    let month = month.parse::<usize>().ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
    month.map_or_else(|| date.to_owned(), |month| format!("{month} {day}, {year}"))
}

fn table(table: &Table, catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let entities: Vec<&Entity> = catalogue.entities_of(&table.name).collect();
    let mut out = Map::new();
    let mut put = |member: &str, value: Value| out.insert(member.to_owned(), value);
    put("TableName", json!(table.name));
    put("KeyAttributes", key_attributes(&table.keys, table));
    put("NonKeyAttributes", non_key_attributes(table, &entities, assumed));
    put("TableFacets", entities.iter().map(|entity| facet(entity, table)).collect());
    put("GlobalSecondaryIndexes", of_kind(table, IndexKind::Global).map(|index| {
        json!({"IndexName": index.name, "KeyAttributes": key_attributes(&index.keys, table), "Projection": words::projection(&index.projection)})
    }).collect());
    put("TableData", table.samples.iter().map(words::item).collect());
    let formats = formats(&entities);
    if !formats.is_empty() {
        put("SampleDataFormats", Value::Object(formats));
    }
    put("DataAccess", json!({"MySql": {}}));
    billing(table, &mut out);
    Value::Object(out)
}

fn key_attributes(keys: &Keys, table: &Table) -> Value {
    let one = |name: &String| json!({"AttributeName": name, "AttributeType": key_type(table, name)});
    let mut out = Map::new();
    out.extend(keys.hash.first().map(|name| ("PartitionKey".to_owned(), one(name))));
    out.extend(keys.range.first().map(|name| ("SortKey".to_owned(), one(name))));
    Value::Object(out)
}

/// Every attribute that is no key of the table, with its type: of a key of an index as defined, else as declared, else as a row has it.
fn non_key_attributes(table: &Table, entities: &[&Entity], assumed: &mut Told) -> Value {
    let mut types: BTreeMap<&str, Option<Kind>> = BTreeMap::new();
    for (name, value) in table.samples.iter().flat_map(hashrange_item::Attributes::iter) {
        types.entry(name).or_insert(Some(value.kind()));
    }
    for attribute in entities.iter().flat_map(|entity| &entity.attributes) {
        let known = types.entry(&attribute.name).or_insert(None);
        *known = attribute.kind.or(*known);
    }
    for name in words::key_attributes(table) {
        types.insert(name, Kind::from_name(key_type(table, name)));
    }
    let is_key = |name: &str| table.keys.attributes().any(|key| key == name);
    let rest = types.into_iter().filter(|(name, _)| !is_key(name));
    let one = |(name, kind): (&str, Option<Kind>)| {
        if kind.is_none() {
            assumed.add("types of attributes are not stated, and are written as S", name);
        }
        json!({"AttributeName": name, "AttributeType": kind.map_or("S", Kind::name)})
    };
    rest.map(one).collect()
}

/// A view of one kind of item; its rows are among those of the table.
fn facet(entity: &Entity, table: &Table) -> Value {
    let alias = |names: &[String]| {
        let name = names.first()?;
        Some(entity.keys.get(name).map_or_else(|| name.clone(), ToString::to_string))
    };
    let mut aliases = Map::new();
    aliases.extend(alias(&table.keys.hash).map(|text| ("PartitionKeyAlias".to_owned(), json!(text))));
    aliases.extend(alias(&table.keys.range).map(|text| ("SortKeyAlias".to_owned(), json!(text))));
    let is_key = |one: &&Attribute| table.keys.attributes().any(|key| key == one.name);
    let names: Vec<&str> =
        entity.attributes.iter().filter(|one| !is_key(one)).map(|one| one.name.as_str()).collect();
    json!({"FacetName": entity.name, "KeyAttributeAlias": aliases, "NonKeyAttributes": names, "TableData": [], "DataAccess": {"MySql": {}}})
}

/// The generator of random data, where it has what an attribute looks like.
fn formats(entities: &[&Entity]) -> Map<String, Value> {
    let known = |format: &str| match format {
        "uuid" => Some(["identifiers", "UUID"]),
        "email" => Some(["identity", "Email"]),
        "phone" => Some(["identity", "Phone"]),
        "name" => Some(["dict", "Last name"]),
        "iso-date" => Some(["date", "ISO 8601 date"]),
        "iso-time" => Some(["date", "ISO 8601 date and time"]),
        _ => None,
    };
    let attributes = entities.iter().flat_map(|entity| &entity.attributes);
    let formats =
        attributes.filter_map(|one| Some((one.name.clone(), json!(known(one.format.as_deref()?)?))));
    formats.collect()
}

fn billing(table: &Table, out: &mut Map<String, Value>) {
    let mode = match table.billing {
        None => return,
        Some(Billing::OnDemand) => "PAY_PER_REQUEST",
        Some(Billing::Provisioned(_)) => "PROVISIONED",
    };
    out.insert("BillingMode".to_owned(), json!(mode));
    let mut settings = Map::new();
    if let Some(Billing::Provisioned(Some(capacity))) = table.billing {
        settings.insert("ProvisionedThroughput".to_owned(), words::throughput(capacity));
    }
    for (member, scaling) in ["AutoScalingRead", "AutoScalingWrite"].into_iter().zip(table.scaling) {
        settings.extend(scaling.map(|scaling| (member.to_owned(), policy(scaling))));
    }
    if !settings.is_empty() {
        out.insert("ProvisionedCapacitySettings".to_owned(), Value::Object(settings));
    }
}

fn policy(scaling: Scaling) -> Value {
    json!({
        "ScalableTargetRequest": {"MinCapacity": whole(scaling.min), "MaxCapacity": whole(scaling.max)},
        "ScalingPolicyConfiguration": {"TargetValue": whole(scaling.target)},
    })
}
