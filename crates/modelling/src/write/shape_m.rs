//! `dynamodb_data_model.json` with command lines.

use std::collections::BTreeSet;

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::Lost;
use crate::catalogue::{
    Billing, Catalogue, Index, IndexKind, KeyType, Keys, Parameter, Pattern, Projection, Table,
};
use crate::read::command::kebab;
use crate::read::own::lower;
use crate::template::Template;

pub(super) fn write(catalogue: &Catalogue) -> (Value, Lost) {
    let mut lost = Lost::default();
    let tables: Vec<Value> = catalogue.tables.iter().map(|one| table(one, &mut lost)).collect();
    let items: Map<String, Value> =
        catalogue.tables.iter().map(|table| (table.name.clone(), samples(table))).collect();
    let patterns: Vec<Value> = catalogue.patterns.iter().map(|one| pattern(one, &mut lost)).collect();
    of_catalogue(catalogue, &mut lost);
    (json!({"tables": tables, "items": items, "access_patterns": patterns}), lost)
}

fn of_catalogue(catalogue: &Catalogue, lost: &mut Lost) {
    lost.all("entities", catalogue.entities.iter().map(|entity| entity.name.as_str()));
    lost.all("flows", catalogue.flows.iter().map(|flow| flow.name.as_str()));
    lost.all("waivers", catalogue.waivers.iter().map(|waiver| waiver.rule.as_str()));
    lost.all("severities of rules", catalogue.severities.keys().map(String::as_str));
    let patterns = || catalogue.patterns.iter();
    let ids = |has: fn(&Pattern) -> bool| patterns().filter(move |one| has(one)).map(|one| one.id.as_str());
    lost.all("rates", ids(|one| one.peak_rps.is_some() || one.avg_rps.is_some()));
    lost.all("budgets", ids(|one| one.budget.rcu.is_some() || one.budget.wcu.is_some()));
    lost.all("expected results", ids(|one| one.expect != crate::catalogue::Expect::default()));
    lost.all("sizes and numbers of items", ids(|one| one.items.is_some() || one.item_bytes.is_some()));
    lost.all("declarations", ids(|one| one.declared != crate::catalogue::Declared::default()));
}

fn table(table: &Table, lost: &mut Lost) -> Value {
    let mut out = Map::new();
    out.insert("TableName".to_owned(), json!(table.name));
    let used: BTreeSet<&str> = table
        .indexes
        .iter()
        .filter(|index| index.kind != IndexKind::Vector)
        .map(|index| &index.keys)
        .chain([&table.keys])
        .flat_map(Keys::attributes)
        .collect();
    let definitions = used.iter().map(|name| {
        let kind = match table.definitions.get(*name) {
            Some(KeyType::N) => "N",
            Some(KeyType::B) => "B",
            _ => "S",
        };
        json!({"AttributeName": name, "AttributeType": kind})
    });
    out.insert("AttributeDefinitions".to_owned(), definitions.collect());
    out.insert("KeySchema".to_owned(), key_schema(&table.keys));
    for (member, kind) in [
        ("GlobalSecondaryIndexes", IndexKind::Global),
        ("LocalSecondaryIndexes", IndexKind::Local),
        ("VectorIndexes", IndexKind::Vector),
    ] {
        let indexes: Vec<Value> =
            table.indexes.iter().filter(|index| index.kind == kind).map(index).collect();
        if !indexes.is_empty() {
            out.insert(member.to_owned(), json!(indexes));
        }
    }
    settings(table, &mut out, lost);
    Value::Object(out)
}

fn settings(table: &Table, out: &mut Map<String, Value>, lost: &mut Lost) {
    let mut put = |member: &str, value: Value| out.insert(member.to_owned(), value);
    match table.billing {
        Some(Billing::Provisioned(capacity)) => {
            put("BillingMode", json!("PROVISIONED"));
            let (read, write) = capacity.map_or((5.0, 5.0), |capacity| (capacity.read, capacity.write));
            put("ProvisionedThroughput", json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write}));
        }
        _ => {
            put("BillingMode", json!("PAY_PER_REQUEST"));
        }
    }
    if let Some(ttl) = &table.ttl {
        put("TimeToLiveSpecification", json!({"Enabled": true, "AttributeName": ttl}));
    }
    if let Some(view) = &table.stream {
        put("StreamSpecification", json!({"StreamEnabled": true, "StreamViewType": view}));
    }
    if table.infrequent_access == Some(true) {
        put("TableClass", json!("STANDARD_INFREQUENT_ACCESS"));
    }
    if let Some(protection) = table.protection {
        put("DeletionProtectionEnabled", json!(protection));
    }
    let name = [table.name.as_str()];
    lost.all("point-in-time recovery", name.into_iter().filter(|_| table.recovery.is_some()));
    lost.all("replicas", name.into_iter().filter(|_| !table.replicas.is_empty()));
    lost.all("auto scaling", name.into_iter().filter(|_| table.scaling.iter().any(Option::is_some)));
    lost.all(
        "counts and sizes",
        name.into_iter().filter(|_| table.item_count.is_some() || table.item_bytes.is_some()),
    );
}

fn key_schema(keys: &Keys) -> Value {
    let of = |names: &[String], kind: &'static str| {
        names.iter().map(move |name| json!({"AttributeName": name, "KeyType": kind})).collect::<Vec<_>>()
    };
    json!([of(&keys.hash, "HASH"), of(&keys.range, "RANGE")].concat())
}

fn index(index: &Index) -> Value {
    if let (IndexKind::Vector, Some(map)) = (index.kind, &index.vector) {
        let mut map = map.clone();
        map.entry("IndexName").or_insert_with(|| json!(index.name));
        return Value::Object(map);
    }
    let projection = match &index.projection {
        Projection::All => json!({"ProjectionType": "ALL"}),
        Projection::KeysOnly => json!({"ProjectionType": "KEYS_ONLY"}),
        Projection::Include(names) => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names}),
    };
    let mut out =
        json!({"IndexName": index.name, "KeySchema": key_schema(&index.keys), "Projection": projection});
    if let Some(capacity) = index.capacity {
        out["ProvisionedThroughput"] =
            json!({"ReadCapacityUnits": capacity.read, "WriteCapacityUnits": capacity.write});
    }
    out
}

fn samples(table: &Table) -> Value {
    let put = |item: &hashrange_item::Attributes| {
        let mut bytes = Vec::new();
        hashrange_item::json::write_attributes(item, &mut bytes);
        let item: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        json!({"PutRequest": {"Item": item}})
    };
    table.samples.iter().map(put).collect()
}

fn pattern(pattern: &Pattern, lost: &mut Lost) -> Value {
    let mut out = Map::new();
    let mut put = |member: &str, value: Value| out.insert(member.to_owned(), value);
    put("pattern", json!(pattern.id));
    put("description", json!(pattern.name));
    if let Some(reason) = &pattern.external {
        put("reason", json!(reason));
        return Value::Object(out);
    }
    if let Some(table) = &pattern.table {
        put("table", json!(table));
    }
    if let Some(index) = &pattern.index {
        put("index", json!(index));
    }
    let Some(operation) = pattern.operation else {
        lost.all("needs without an operation", [pattern.id.as_str()]);
        return Value::Object(out);
    };
    put("dynamodb_operation", json!(operation.name()));
    match &pattern.request {
        Some(request) => {
            put("implementation", json!(command(operation, request, pattern, lost)));
        }
        None => lost.all("patterns without a request", [pattern.id.as_str()]),
    }
    Value::Object(out)
}

/// A command line of the AWS CLI.
fn command(operation: Operation, request: &Map<String, Value>, pattern: &Pattern, lost: &mut Lost) -> String {
    let mut line = format!("aws dynamodb {}", kebab(operation.name()));
    let open: Vec<String> = lower::gaps(&Value::Object(request.clone()))
        .into_iter()
        .filter(|gap| !matches!(pattern.parameters.get(gap), Some(Parameter::Value(_))))
        .collect();
    lost.all(
        &format!("where {} come from, which stay as they are in the command", braces(&open)),
        [pattern.id.as_str()].into_iter().filter(|_| !open.is_empty()),
    );
    for (member, value) in request {
        let value = filled(value, pattern);
        let option = kebab(member);
        match value {
            Value::Bool(true) => line.extend([" --", &option]),
            Value::Bool(false) => line.extend([" --no-", &option]),
            Value::String(text) => line.extend([" --", &option, " ", &word(&text)]),
            value => line.extend([" --", &option, " ", &word(&value.to_string())]),
        }
    }
    if let Some(most) = pattern.client_max_items {
        line.extend([" --max-items ", &most.to_string()]);
    }
    line
}

fn braces(gaps: &[String]) -> String {
    gaps.iter().map(|gap| format!("{{{gap}}}")).collect::<Vec<_>>().join(", ")
}

/// The value with constants in their gaps; other gaps stay as they are.
fn filled(value: &Value, pattern: &Pattern) -> Value {
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

/// A word of a POSIX shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
