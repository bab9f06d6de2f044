//! Words that several forms share: keys, projections and capacity as CreateTable calls them, numbers, samples, names.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::Told;
use crate::catalogue::{
    Billing, Capacity, Catalogue, Index, IndexKind, Insights, KeyType, Keys, Parameter, Pattern, Projection,
    Scaling, Table, Units,
};
use crate::template::Template;

/// `S`, `N` or `B`; S where nothing tells it, as the reader of our own form takes it.
pub(super) fn key_type(table: &Table, name: &str) -> &'static str {
    match table.definitions.get(name) {
        Some(KeyType::N) => "N",
        Some(KeyType::B) => "B",
        _ => "S",
    }
}

/// Attributes of the keys of a table and its indexes, and of what a vector index searches in; each once, by name.
pub(super) fn key_attributes(table: &Table) -> Vec<&str> {
    let keys = table.indexes.iter().map(|index| &index.keys).chain([&table.keys]);
    let searched = table.indexes.iter().flat_map(search_schema);
    let searched = searched.filter_map(|element| element["AttributeName"].as_str());
    keys.flat_map(Keys::attributes).chain(searched).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The elements of the search schema of a vector index.
pub(super) fn search_schema(index: &Index) -> &[Value] {
    let schema = index.vector.as_ref().and_then(|map| map.get("SearchSchema")).and_then(Value::as_array);
    schema.map_or(&[], Vec::as_slice)
}

/// `AttributeDefinitions`.
pub(super) fn definitions(table: &Table) -> Value {
    let names = key_attributes(table).into_iter();
    names.map(|name| json!({"AttributeName": name, "AttributeType": key_type(table, name)})).collect()
}

/// `KeySchema`.
pub(super) fn key_schema(keys: &Keys) -> Value {
    let of = |names: &[String], kind: &'static str| {
        names.iter().map(move |name| json!({"AttributeName": name, "KeyType": kind})).collect::<Vec<_>>()
    };
    json!([of(&keys.hash, "HASH"), of(&keys.range, "RANGE")].concat())
}

/// `ALL`, `KEYS_ONLY` or `INCLUDE`, and the list that goes with it.
pub(super) fn projection_words(projection: &Projection) -> (&'static str, Option<&[String]>) {
    match projection {
        Projection::All => ("ALL", None),
        Projection::KeysOnly => ("KEYS_ONLY", None),
        Projection::Include(names) => ("INCLUDE", Some(names)),
    }
}

/// `Projection`.
pub(super) fn projection(projection: &Projection) -> Value {
    match projection_words(projection) {
        (kind, Some(names)) => json!({"ProjectionType": kind, "NonKeyAttributes": names}),
        (kind, None) => json!({"ProjectionType": kind}),
    }
}

/// An index with what every form of it has.
pub(super) fn index(index: &Index) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("IndexName".to_owned(), json!(index.name));
    if index.kind == IndexKind::Vector {
        out.extend(index.vector.clone().unwrap_or_default());
        out.entry("Projection").or_insert_with(|| projection(&index.projection));
        return out;
    }
    out.insert("KeySchema".to_owned(), key_schema(&index.keys));
    out.insert("Projection".to_owned(), projection(&index.projection));
    out
}

/// Tells vector indexes without all that the API demands of one.
pub(super) fn check_vectors(catalogue: &Catalogue, assumed: &mut Told) {
    const DEMANDED: [&str; 3] = ["VectorAttribute", "Dimensions", "DistanceFunction"];
    for table in &catalogue.tables {
        for index in of_kind(table, IndexKind::Vector) {
            let stated = |member: &&str| index.vector.as_ref().is_some_and(|map| map.contains_key(*member));
            let lacking: Vec<&str> = DEMANDED.into_iter().filter(|member| !stated(member)).collect();
            if !lacking.is_empty() {
                let what = format!(
                    "{} of vector indexes must be added, which are not stated",
                    lacking.join(" and ")
                );
                assumed.add(&what, &format!("{}.{}", table.name, index.name));
            }
        }
    }
}

/// The indexes of a kind.
pub(super) fn of_kind(table: &Table, kind: IndexKind) -> impl Iterator<Item = &Index> {
    table.indexes.iter().filter(move |index| index.kind == kind)
}

/// The three lists of indexes that CreateTable knows.
pub(super) const INDEXES: [(&str, IndexKind); 3] = [
    ("GlobalSecondaryIndexes", IndexKind::Global),
    ("LocalSecondaryIndexes", IndexKind::Local),
    ("VectorIndexes", IndexKind::Vector),
];

/// `ProvisionedThroughput`.
pub(super) fn throughput(capacity: Capacity) -> Value {
    json!({"ReadCapacityUnits": whole(capacity.read), "WriteCapacityUnits": whole(capacity.write)})
}

/// A pair of units, each where it is stated.
pub(super) fn units(units: Units, [read, write]: [&str; 2]) -> Option<Value> {
    let mut out = Map::new();
    out.extend(units.read.map(|units| (read.to_owned(), whole(units))));
    out.extend(units.write.map(|units| (write.to_owned(), whole(units))));
    units.is_stated().then_some(Value::Object(out))
}

/// `WarmThroughput`.
pub(super) fn warm(warm: Units) -> Option<Value> {
    units(warm, ["ReadUnitsPerSecond", "WriteUnitsPerSecond"])
}

/// `OnDemandThroughput`.
pub(super) fn on_demand(most: Units) -> Option<Value> {
    units(most, ["MaxReadRequestUnits", "MaxWriteRequestUnits"])
}

/// The mode of contributor insights that are on.
pub(super) fn insights_mode(insights: Option<Insights>) -> Option<&'static str> {
    match insights? {
        Insights::Off => None,
        Insights::All => Some("ACCESSED_AND_THROTTLED_KEYS"),
        Insights::Throttled => Some("THROTTLED_KEYS"),
    }
}

/// How a form that must say it says that a table is paid: its capacity, or `None` for on demand. What the catalogue leaves open is told.
pub(super) fn paid(table: &Table, assumed: &mut Told) -> Option<Capacity> {
    match table.billing {
        None => {
            assumed.add("how tables are paid is not stated, and is written as on demand", &table.name);
            None
        }
        Some(Billing::OnDemand) => None,
        Some(Billing::Provisioned(Some(capacity))) => Some(capacity),
        Some(Billing::Provisioned(None)) => {
            let least = |scaling: Option<Scaling>| scaling.map_or(5.0, |scaling| scaling.min);
            let capacity = Capacity { read: least(table.scaling[0]), write: least(table.scaling[1]) };
            let what =
                "capacity is not stated, and is written as the least of its scaling, else as 5 each way";
            assumed.add(what, &table.name);
            Some(capacity)
        }
    }
}

/// A number without a fraction as a whole one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked: it is whole, not negative and small"
)]
pub(super) fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && (0.0..1e15).contains(&number) { json!(number as u64) } else { json!(number) }
}

/// An item in DynamoDB's JSON.
pub(super) fn item(item: &hashrange_item::Attributes) -> Value {
    let mut bytes = Vec::new();
    hashrange_item::json::write_attributes(item, &mut bytes);
    serde_json::from_slice(&bytes).expect("the writer of items writes JSON")
}

/// The value with constants in their gaps; other gaps stay as they are.
pub(super) fn filled(value: &Value, pattern: &Pattern) -> Value {
    match value {
        Value::String(text) => Value::String(match Template::parse(text) {
            Ok(template) => template.render(|gap| Some(constant(gap, pattern).into())).unwrap_or_default(),
            Err(_) => text.clone(),
        }),
        Value::Array(items) => items.iter().map(|item| filled(item, pattern)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), filled(value, pattern))).collect())
        }
        other => other.clone(),
    }
}

fn constant(gap: &str, pattern: &Pattern) -> String {
    match pattern.parameters.get(gap) {
        Some(Parameter::Value(Value::String(text))) => text.clone(),
        Some(Parameter::Value(value)) => value.to_string(),
        _ => format!("{{{gap}}}"),
    }
}

/// Names that a form allows, one for each of several things, in their order. `allow` makes one; a second of the same gets a number.
pub(super) fn distinct<'n>(
    names: impl Iterator<Item = &'n str>,
    allow: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        let allowed = allow(name);
        let mut candidate = allowed.clone();
        let mut number = 2;
        while out.contains(&candidate) {
            candidate = format!("{allowed}{number}");
            number += 1;
        }
        out.push(candidate);
    }
    out
}
