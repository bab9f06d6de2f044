//! `dynamodb_data_model.json` with command lines: tables as CreateTable takes them, items as BatchWriteItem does.

use std::collections::BTreeSet;

use hashrange_item::{AttributeValue, Attributes};
use serde_json::Value;

use super::command;
use super::create_table;
use super::fields::{self, Fields, Shape};
use super::log::Log;
use super::node::{Data, Node};
use super::own::pattern::{OPERATIONS, unknown};
use super::value;
use crate::catalogue::{Catalogue, Pattern, States, Table};

const FILE: Shape = Shape { name: "data model", keys: &["tables", "items", "access_patterns"] };

const PATTERN: Shape = Shape {
    name: "access pattern",
    keys: &["pattern", "description", "table", "index", "dynamodb_operation", "implementation", "reason"],
};

/// Reads a file.
pub fn read(root: &Node, log: &mut Log) -> Catalogue {
    let mut catalogue = Catalogue { states: STATES, ..Catalogue::default() };
    let Some(fields) = Fields::open(root, &FILE, log) else { return catalogue };
    for key in FILE.keys {
        if root.get(key).is_none() {
            log.note(
                root.mark,
                format!("\"{key}\" is missing; AWS's validator demands all of {}", FILE.keys.join(", ")),
            );
        }
    }
    for node in fields.list("tables", log) {
        catalogue.tables.extend(create_table::table(node, log));
    }
    for (name, node) in fields.map("items", log) {
        samples(&mut catalogue.tables, name, node, log);
    }
    for node in fields.list("access_patterns", log) {
        let pattern = pattern(node, &catalogue, log);
        catalogue.patterns.extend(pattern);
    }
    catalogue
}

/// Requests are all there, and what CreateTable takes; no rates, and none of what is set after a table is made.
const STATES: States = States {
    requests: true,
    local_indexes: true,
    ttl: true,
    settings: false,
    rates: false,
    declarations: false,
};

fn samples(tables: &mut [Table], name: &Node, node: &Node, log: &mut Log) {
    let Some(text) = name.as_str() else { return };
    let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
    let Some(table) = tables.iter_mut().find(|table| table.name == text) else {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return unknown("table", text, &names, name, log);
    };
    let Data::List(requests) = &node.data else {
        return log.expected(node, "a list of {PutRequest: {Item: ..}}");
    };
    let mut seen = BTreeSet::new();
    for request in requests {
        if request.get("DeleteRequest").is_some() {
            log.note(request.mark, "a DeleteRequest is no sample, and is passed over");
            continue;
        }
        let Some(item) = request.at(&["PutRequest", "Item"]) else {
            log.expected(request, "{PutRequest: {Item: ..}}");
            continue;
        };
        let Some(attributes) = value::dynamo_item(item, log) else { continue };
        if !seen.insert(key_text(&attributes, table)) {
            log.note(
                item.mark,
                format!("table {text} has an item with this key already; a batch with both is refused"),
            );
        }
        table.samples.push(attributes);
    }
}

/// The values of the primary key, as text.
pub fn key_text(item: &Attributes, table: &Table) -> Vec<u8> {
    let mut out = Vec::new();
    for name in table.keys.attributes() {
        let value = item.get(name).cloned().unwrap_or(AttributeValue::Null);
        hashrange_item::json::write_value(&value, &mut out);
    }
    out
}

fn pattern(node: &Node, catalogue: &Catalogue, log: &mut Log) -> Option<Pattern> {
    let fields = Fields::open(node, &PATTERN, log)?;
    let id = super::own::required(&fields, "pattern", &PATTERN, log)?;
    let description = fields.text("description", log);
    let mut pattern = Pattern { name: description.unwrap_or_else(|| id.clone()), id, ..Pattern::default() };
    pattern.table = fields.text("table", log).filter(|text| is_given(text));
    pattern.index = fields.text("index", log).filter(|text| is_given(text));
    pattern.operation =
        fields.get("dynamodb_operation").and_then(|node| fields::choice(node, &OPERATIONS, log));
    match (fields.get("implementation"), fields.text("reason", log)) {
        (Some(node), _) => implementation(&mut pattern, node, catalogue, log),
        (None, Some(reason)) => pattern.external = Some(reason),
        (None, None) => log
            .note(node.mark, format!("pattern {} has neither \"implementation\" nor \"reason\"", pattern.id)),
    }
    Some(pattern)
}

/// Generators write words where there is no index.
fn is_given(text: &str) -> bool {
    !matches!(text.trim().to_lowercase().as_str(), "" | "-" | "null" | "none" | "n/a")
}

fn implementation(pattern: &mut Pattern, node: &Node, catalogue: &Catalogue, log: &mut Log) {
    let Some(line) = fields::text(node, log) else { return };
    let sent = match command::parse(&line) {
        Ok(sent) => sent,
        Err(message) => {
            return log.error(node.mark, format!("the command of pattern {}: {message}", pattern.id));
        }
    };
    for note in sent.notes {
        log.note(node.mark, format!("pattern {}: {note}", pattern.id));
    }
    if pattern.operation.is_some_and(|operation| operation != sent.operation) {
        let said = pattern.operation.map_or("", hashrange_api::Operation::name);
        log.error(
            node.mark,
            format!("pattern {} says {said}, its command sends {}", pattern.id, sent.operation.name()),
        );
    }
    pattern.operation = Some(sent.operation);
    pattern.client_max_items = sent.max_items;
    pattern.request = sent.request;
    agree(pattern, node, catalogue, log);
}

/// The table and the index of the command are those that the pattern names, and exist.
fn agree(pattern: &mut Pattern, node: &Node, catalogue: &Catalogue, log: &mut Log) {
    let Some(request) = &pattern.request else { return };
    let text = |member: &str| request.get(member).and_then(Value::as_str).map(str::to_owned);
    let (table, index) = (text("TableName"), text("IndexName"));
    for (said, sent, what) in [(&pattern.table, &table, "table"), (&pattern.index, &index, "index")] {
        let single = table.is_some();
        if let Some(said) = said
            && single
            && sent.as_ref() != Some(said)
        {
            let sent = sent.as_deref().unwrap_or("none");
            log.error(node.mark, format!("pattern {} names {what} {said}, its command {sent}", pattern.id));
        }
    }
    pattern.strong = request.get("ConsistentRead").and_then(Value::as_bool).or(pattern.strong);
    let Some(name) = table else { return };
    let names: Vec<&str> = catalogue.tables.iter().map(|table| table.name.as_str()).collect();
    match catalogue.table(&name) {
        None if !names.is_empty() => unknown("table", &name, &names, node, log),
        Some(table) => {
            if let Some(index) = index.as_deref().filter(|index| table.index(index).is_none()) {
                let names: Vec<&str> = table.indexes.iter().map(|index| index.name.as_str()).collect();
                unknown(&format!("index of table {name}"), index, &names, node, log);
            }
        }
        None => {}
    }
    pattern.table = Some(name);
    pattern.index = index;
}
