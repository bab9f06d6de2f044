//! `dynamodb_data_model.json` with command lines.

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::{Told, words};
use crate::catalogue::{Catalogue, Encryption, Parameter, Pattern, Table};
use crate::read::command::kebab;
use crate::read::own::lower;

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let tables: Vec<Value> = catalogue.tables.iter().map(|one| table(one, assumed)).collect();
    let items: Map<String, Value> =
        catalogue.tables.iter().map(|table| (table.name.clone(), samples(table))).collect();
    let patterns: Vec<Value> = catalogue.patterns.iter().map(|one| pattern(one, assumed)).collect();
    json!({"tables": tables, "items": items, "access_patterns": patterns})
}

/// The parameters of CreateTable.
fn table(table: &Table, assumed: &mut Told) -> Value {
    let mut out = Map::new();
    out.insert("TableName".to_owned(), json!(table.name));
    out.insert("AttributeDefinitions".to_owned(), words::definitions(table));
    out.insert("KeySchema".to_owned(), words::key_schema(&table.keys));
    for (member, kind) in words::INDEXES {
        let indexes: Vec<Value> = words::of_kind(table, kind).map(index).collect();
        if !indexes.is_empty() {
            out.insert(member.to_owned(), json!(indexes));
        }
    }
    settings(table, &mut out, assumed);
    Value::Object(out)
}

fn index(index: &crate::catalogue::Index) -> Value {
    let mut out = words::index(index);
    let mut put =
        |member: &str, value: Option<Value>| out.extend(value.map(|value| (member.to_owned(), value)));
    put("ProvisionedThroughput", index.capacity.map(words::throughput));
    put("WarmThroughput", words::warm(index.warm));
    put("OnDemandThroughput", words::on_demand(index.on_demand_max));
    Value::Object(out)
}

fn settings(table: &Table, out: &mut Map<String, Value>, assumed: &mut Told) {
    let capacity = words::paid(table, assumed);
    let mut put =
        |member: &str, value: Option<Value>| out.extend(value.map(|value| (member.to_owned(), value)));
    let mode = if capacity.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" };
    put("BillingMode", Some(json!(mode)));
    put("ProvisionedThroughput", capacity.map(words::throughput));
    put("WarmThroughput", words::warm(table.warm));
    put("OnDemandThroughput", words::on_demand(table.on_demand_max));
    let ttl = table.ttl.as_ref();
    put("TimeToLiveSpecification", ttl.map(|ttl| json!({"Enabled": true, "AttributeName": ttl})));
    let stream = table.stream.as_ref();
    put("StreamSpecification", stream.map(|view| json!({"StreamEnabled": true, "StreamViewType": view})));
    put("SSESpecification", table.encryption.as_ref().map(encryption));
    let infrequent = table.infrequent_access == Some(true);
    put("TableClass", infrequent.then(|| json!("STANDARD_INFREQUENT_ACCESS")));
    put("DeletionProtectionEnabled", table.protection.map(|protection| json!(protection)));
    put("ResourcePolicy", table.policy.as_ref().map(|policy| json!(policy.to_string())));
}

fn encryption(encryption: &Encryption) -> Value {
    match encryption {
        Encryption::Owned => json!({"Enabled": false}),
        Encryption::Managed | Encryption::Key(None) => json!({"Enabled": true, "SSEType": "KMS"}),
        Encryption::Key(Some(key)) => json!({"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": key}),
    }
}

fn samples(table: &Table) -> Value {
    table.samples.iter().map(|item| json!({"PutRequest": {"Item": words::item(item)}})).collect()
}

fn pattern(pattern: &Pattern, assumed: &mut Told) -> Value {
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
    let Some(operation) = pattern.operation else { return Value::Object(out) };
    put("dynamodb_operation", json!(operation.name()));
    if let Some(request) = &pattern.request {
        put("implementation", json!(command(operation, request, pattern, assumed)));
    }
    Value::Object(out)
}

/// A command line of the AWS CLI.
fn command(
    operation: Operation,
    request: &Map<String, Value>,
    pattern: &Pattern,
    assumed: &mut Told,
) -> String {
    let mut line = format!("aws dynamodb {}", kebab(operation.name()));
    let open: Vec<String> = lower::gaps(&Value::Object(request.clone()))
        .into_iter()
        .filter(|gap| !matches!(pattern.parameters.get(gap), Some(Parameter::Value(_))))
        .collect();
    if !open.is_empty() {
        let what = format!("{} have no values here, and stay as they are in the command", braces(&open));
        assumed.add(&what, &pattern.id);
    }
    for (member, value) in request {
        let value = words::filled(value, pattern);
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

/// A word of a POSIX shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
