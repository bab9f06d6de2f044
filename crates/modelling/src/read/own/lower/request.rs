//! One request for each operation.

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::{Expression, Scope, check_templates, entity_item, escaped, is_identifier};
use crate::read::fields::{self, Fields};
use crate::read::log::Log;
use crate::read::node::{Data, Node};
use crate::read::own::pattern::{ACTION, UPDATE};

type Request = Map<String, Value>;

/// The request of a pattern: as it is given, or lowered from the short forms. `None` where neither is there.
pub fn lower(operation: Operation, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<Request> {
    if let Some(node) = fields.get("request") {
        return whole(node, fields, log);
    }
    let mut request = Request::new();
    match operation {
        Operation::GetItem => get(&mut request, fields, scope, log)?,
        Operation::PutItem => put(&mut request, fields, scope, log)?,
        Operation::DeleteItem => delete(&mut request, fields, scope, log)?,
        Operation::UpdateItem => update(&mut request, fields, scope, log)?,
        Operation::Query | Operation::Scan => read(operation, &mut request, fields, scope, log)?,
        Operation::BatchGetItem => batch_get(&mut request, fields, scope, log)?,
        Operation::TransactGetItems => transact_get(&mut request, fields, scope, log)?,
        Operation::BatchWriteItem => batch_write(&mut request, fields, scope, log)?,
        Operation::TransactWriteItems => transact_write(&mut request, fields, scope, log)?,
        Operation::ExecuteStatement => statement(&mut request, fields, scope, log)?,
        _ => return None,
    }
    Some(request)
}

/// The whole request, as DynamoDB takes it.
fn whole(node: &Node, fields: &Fields<'_>, log: &mut Log) -> Option<Request> {
    for short in super::super::pattern::SHORT {
        if let Some(other) = fields.get(short) {
            log.error(
                other.mark,
                format!("\"{short}\" and \"request\" say the same; leave out one of the two"),
            );
        }
    }
    let Value::Object(mut request) = super::json(node) else {
        log.expected(node, "a request in DynamoDB's JSON: a map");
        return None;
    };
    if let Some(Value::String(text)) = request.get_mut("Statement") {
        *text = escaped(text, is_identifier);
    }
    check_templates(&Value::Object(request.clone()), node, log);
    Some(request)
}

/// A field that the operation needs.
fn needed<'n>(fields: &Fields<'n>, key: &str, what: &str, log: &mut Log) -> Option<&'n Node> {
    let node = fields.get(key);
    if node.is_none() {
        log.error(fields.mark(), format!("{what} needs \"{key}\" (or the whole \"request\")"));
    }
    node
}

fn named(request: &mut Request, scope: &Scope<'_>) {
    request.insert("TableName".to_owned(), json!(scope.table));
}

fn get(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    named(request, scope);
    let key = needed(fields, "key", "GetItem", log)?;
    request.insert("Key".to_owned(), Value::Object(scope.item(&scope.table, key, log)));
    let mut expression = Expression::default();
    expression.given(scope, fields.map("names", log), &[], log);
    consistent(request, fields, log);
    project(request, fields, &mut expression, log);
    expression.finish(request);
    Some(())
}

fn consistent(request: &mut Request, fields: &Fields<'_>, log: &mut Log) {
    if let Some(strong) = fields.flag("consistent", log) {
        request.insert("ConsistentRead".to_owned(), json!(strong));
    }
}

fn project(request: &mut Request, fields: &Fields<'_>, expression: &mut Expression, log: &mut Log) {
    if let Some(paths) = fields.texts("project", log) {
        let paths: Vec<String> = paths.iter().map(|path| expression.path(path)).collect();
        request.insert("ProjectionExpression".to_owned(), json!(paths.join(", ")));
    }
}

/// `condition` or `filter`: a text whose placeholders are completed.
fn raw(
    request: &mut Request,
    (key, member): (&str, &str),
    fields: &Fields<'_>,
    expression: &mut Expression,
    scope: &Scope<'_>,
    log: &mut Log,
) {
    if let Some(text) = fields.text(key, log) {
        expression.complete(&text, scope, log);
        request.insert(member.to_owned(), json!(text));
    }
}

fn given(fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Expression {
    let mut expression = Expression::default();
    expression.given(scope, fields.map("names", log), fields.map("values", log), log);
    // `:email` of a condition is the gap {email}, also where an update sets `email` to something else.
    if let Some(text) = fields.get("condition").and_then(crate::read::Node::as_str) {
        expression.complete(text, scope, log);
    }
    expression
}

const CONDITION: (&str, &str) = ("condition", "ConditionExpression");

fn put(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    named(request, scope);
    let node = needed(fields, "item", "PutItem", log)?;
    request.insert("Item".to_owned(), Value::Object(item(node, &scope.table, scope, log)?));
    let mut expression = given(fields, scope, log);
    raw(request, CONDITION, fields, &mut expression, scope, log);
    expression.finish(request);
    Some(())
}

/// An item of an entity (`{entity: Order}`), or a map of attributes.
fn item(node: &Node, table: &str, scope: &Scope<'_>, log: &mut Log) -> Option<Request> {
    let Some(name) = entity_name(node) else { return Some(scope.item(table, node, log)) };
    let entity = scope.catalogue.entity(name);
    if entity.is_none() {
        let names: Vec<&str> = scope.catalogue.entities.iter().map(|entity| entity.name.as_str()).collect();
        super::super::pattern::unknown("entity", name, &names, node, log);
    }
    entity.map(|entity| entity_item(scope, entity))
}

/// The name in `{entity: Order}`.
pub(in crate::read::own) fn entity_name(node: &Node) -> Option<&str> {
    match node.entries() {
        [(key, name)] if key.as_str() == Some("entity") => name.as_str(),
        _ => None,
    }
}

fn delete(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    named(request, scope);
    let key = needed(fields, "key", "DeleteItem", log)?;
    request.insert("Key".to_owned(), Value::Object(scope.item(&scope.table, key, log)));
    let mut expression = given(fields, scope, log);
    raw(request, CONDITION, fields, &mut expression, scope, log);
    expression.finish(request);
    Some(())
}

fn update(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    named(request, scope);
    let key = needed(fields, "key", "UpdateItem", log)?;
    let change = needed(fields, "update", "UpdateItem", log)?;
    request.insert("Key".to_owned(), Value::Object(scope.item(&scope.table, key, log)));
    let mut expression = given(fields, scope, log);
    // What the author calls placeholders in the condition, no clause may call its own.
    raw(request, CONDITION, fields, &mut expression, scope, log);
    let text = if let Some(text) = change.as_str() {
        text.to_owned()
    } else {
        let change = Fields::open(change, &UPDATE, log)?;
        clauses(&change, &scope.table, &mut expression, scope, log)
    };
    expression.complete(&text, scope, log);
    request.insert("UpdateExpression".to_owned(), json!(text));
    expression.finish(request);
    Some(())
}

/// An update expression of `set`, `add`, `delete` and `remove`.
fn clauses(
    change: &Fields<'_>,
    table: &str,
    expression: &mut Expression,
    scope: &Scope<'_>,
    log: &mut Log,
) -> String {
    let mut parts: Vec<String> = change.text("expression", log).into_iter().collect();
    for (key, word, join) in [("set", "SET", " = "), ("add", "ADD", " "), ("delete", "DELETE", " ")] {
        let mut list = Vec::new();
        for (name, node) in change.map(key, log) {
            let Some(name) = fields::text(name, log) else { continue };
            let value = scope.value(table, Some(&name), node, log);
            let (path, value) = (expression.path(&name), expression.value(&name, value));
            list.push(format!("{path}{join}{value}"));
        }
        if !list.is_empty() {
            parts.push(format!("{word} {}", list.join(", ")));
        }
    }
    let removed = change.texts("remove", log).unwrap_or_default();
    let removed: Vec<String> = removed.iter().map(|path| expression.path(path)).collect();
    if !removed.is_empty() {
        parts.push(format!("REMOVE {}", removed.join(", ")));
    }
    parts.join(" ")
}

/// A query or a scan.
fn read(
    operation: Operation,
    request: &mut Request,
    fields: &Fields<'_>,
    scope: &Scope<'_>,
    log: &mut Log,
) -> Option<()> {
    named(request, scope);
    if let Some(index) = fields.text("index", log) {
        request.insert("IndexName".to_owned(), json!(index));
    }
    let mut expression = given(fields, scope, log);
    if operation == Operation::Query {
        let key = needed(fields, "key", "Query", log)?;
        let text = key_condition(key, &mut expression, scope, log)?;
        request.insert("KeyConditionExpression".to_owned(), json!(text));
    }
    raw(request, ("filter", "FilterExpression"), fields, &mut expression, scope, log);
    project(request, fields, &mut expression, log);
    if let Some(select) = fields.text("select", log) {
        request.insert("Select".to_owned(), json!(select));
    }
    if let Some(limit) = fields.whole::<u64>("limit", log) {
        request.insert("Limit".to_owned(), json!(limit));
    }
    if let Some(forward) = fields.choice("order", &[("asc", true), ("desc", false)], log) {
        request.insert("ScanIndexForward".to_owned(), json!(forward));
    }
    if let Some(segments) = fields.whole::<u64>("segments", log) {
        request.insert("Segment".to_owned(), json!(0));
        request.insert("TotalSegments".to_owned(), json!(segments));
    }
    consistent(request, fields, log);
    expression.finish(request);
    Some(())
}

/// `{PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}`.
fn key_condition(
    node: &Node,
    expression: &mut Expression,
    scope: &Scope<'_>,
    log: &mut Log,
) -> Option<String> {
    let Data::Map(entries) = &node.data else {
        log.expected(node, "a map: each key attribute with what it must be");
        return None;
    };
    let mut clauses = Vec::new();
    for (name, bound) in entries {
        let name = fields::text(name, log)?;
        clauses.push(clause(&name, bound, expression, scope, log)?);
    }
    Some(clauses.join(" AND "))
}

fn clause(
    name: &str,
    bound: &Node,
    expression: &mut Expression,
    scope: &Scope<'_>,
    log: &mut Log,
) -> Option<String> {
    let value = |node: &Node, log: &mut Log| scope.value(&scope.table, Some(name), node, log);
    let path = expression.name(name);
    let [(operator, operand)] = bound.entries() else {
        let value = value(bound, log);
        return Some(format!("{path} = {}", expression.value(name, value)));
    };
    match (operator.as_str().unwrap_or(""), operand.items()) {
        ("between", [low, high]) => {
            let (low, high) = (value(low, log), value(high, log));
            let low = expression.value(&format!("{name}_from"), low);
            let high = expression.value(&format!("{name}_to"), high);
            Some(format!("{path} BETWEEN {low} AND {high}"))
        }
        ("begins_with", []) => {
            let prefix = value(operand, log);
            Some(format!("begins_with({path}, {})", expression.value(name, prefix)))
        }
        (operator @ ("=" | "<" | "<=" | ">" | ">="), []) => {
            let value = value(operand, log);
            Some(format!("{path} {operator} {}", expression.value(name, value)))
        }
        (word, []) if hashrange_item::Kind::from_name(word).is_some() => {
            let value = value(bound, log);
            Some(format!("{path} = {}", expression.value(name, value)))
        }
        _ => {
            log.expected(
                operator,
                "a value, or one of = < <= > >= begins_with with a value, or between with a list of two",
            );
            None
        }
    }
}

/// A key with its table: a map of attributes, or `{table: .., key: ..}`.
fn tabled<'n>(node: &'n Node, scope: &Scope<'_>) -> (String, &'n Node) {
    match (node.entries().len(), node.get("table").and_then(Node::as_str), node.get("key")) {
        (2, Some(table), Some(key)) => (table.to_owned(), key),
        _ => (scope.table.clone(), node),
    }
}

fn batch_get(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    needed(fields, "keys", "BatchGetItem", log)?;
    let mut tables = Request::new();
    for node in fields.list("keys", log) {
        let (table, key) = tabled(node, scope);
        let key = Value::Object(scope.item(&table, key, log));
        let entry = tables.entry(table).or_insert_with(|| {
            let mut entry = json!({ "Keys": [] });
            if let Some(entry) = entry.as_object_mut() {
                let mut expression = Expression::default();
                consistent(entry, fields, log);
                project(entry, fields, &mut expression, log);
                expression.finish(entry);
            }
            entry
        });
        if let Some(keys) = entry["Keys"].as_array_mut() {
            keys.push(key);
        }
    }
    request.insert("RequestItems".to_owned(), Value::Object(tables));
    Some(())
}

fn transact_get(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    needed(fields, "keys", "TransactGetItems", log)?;
    let mut gets = Vec::new();
    for node in fields.list("keys", log) {
        let (table, key) = tabled(node, scope);
        let mut get = Request::new();
        get.insert("Key".to_owned(), Value::Object(scope.item(&table, key, log)));
        get.insert("TableName".to_owned(), json!(table));
        let mut expression = Expression::default();
        project(&mut get, fields, &mut expression, log);
        expression.finish(&mut get);
        gets.push(json!({ "Get": get }));
    }
    request.insert("TransactItems".to_owned(), Value::Array(gets));
    Some(())
}

fn batch_write(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    needed(fields, "items", "BatchWriteItem", log)?;
    let mut tables = Request::new();
    for node in fields.list("items", log) {
        let action = Fields::open(node, &ACTION, log)?;
        let table = action.text("table", log).unwrap_or_else(|| scope.table.clone());
        let write = match (action.get("put"), action.get("delete")) {
            (Some(put), None) => json!({ "PutRequest": { "Item": item(put, &table, scope, log)? } }),
            (None, Some(key)) => json!({ "DeleteRequest": { "Key": scope.item(&table, key, log) } }),
            _ => {
                log.error(node.mark, "each of \"items\" has either \"put\" or \"delete\"");
                continue;
            }
        };
        if let Some(writes) = tables.entry(table).or_insert_with(|| json!([])).as_array_mut() {
            writes.push(write);
        }
    }
    request.insert("RequestItems".to_owned(), Value::Object(tables));
    Some(())
}

fn transact_write(
    request: &mut Request,
    fields: &Fields<'_>,
    scope: &Scope<'_>,
    log: &mut Log,
) -> Option<()> {
    needed(fields, "actions", "TransactWriteItems", log)?;
    let mut actions = Vec::new();
    for node in fields.list("actions", log) {
        actions.extend(action(node, scope, log));
    }
    request.insert("TransactItems".to_owned(), Value::Array(actions));
    if let Some(token) = fields.text("token", log) {
        request.insert("ClientRequestToken".to_owned(), json!(token));
    }
    Some(())
}

fn action(node: &Node, scope: &Scope<'_>, log: &mut Log) -> Option<Value> {
    let fields = Fields::open(node, &ACTION, log)?;
    let table = fields.text("table", log).unwrap_or_else(|| scope.table.clone());
    let mut expression = given(&fields, scope, log);
    let mut body = Request::new();
    body.insert("TableName".to_owned(), json!(table));
    raw(&mut body, CONDITION, &fields, &mut expression, scope, log);
    let kinds = ["put", "update", "delete", "check"];
    let mut present = kinds.iter().filter_map(|kind| Some((*kind, fields.get(kind)?)));
    let (Some((kind, content)), None) = (present.next(), present.next()) else {
        log.error(node.mark, "each of \"actions\" has one of \"put\", \"update\", \"delete\" and \"check\"");
        return None;
    };
    let member = match kind {
        "put" => {
            body.insert("Item".to_owned(), Value::Object(item(content, &table, scope, log)?));
            "Put"
        }
        "update" => {
            update_action(&mut body, content, &table, &mut expression, scope, log)?;
            "Update"
        }
        kind => {
            body.insert("Key".to_owned(), Value::Object(scope.item(&table, content, log)));
            if kind == "delete" { "Delete" } else { "ConditionCheck" }
        }
    };
    expression.finish(&mut body);
    Some(json!({ member: body }))
}

fn update_action(
    body: &mut Request,
    node: &Node,
    table: &str,
    expression: &mut Expression,
    scope: &Scope<'_>,
    log: &mut Log,
) -> Option<()> {
    let change = Fields::open(node, &UPDATE, log)?;
    let Some(key) = change.get("key") else {
        log.error(node.mark, "an update of a transaction needs \"key\"");
        return None;
    };
    body.insert("Key".to_owned(), Value::Object(scope.item(table, key, log)));
    let text = clauses(&change, table, expression, scope, log);
    expression.complete(&text, scope, log);
    body.insert("UpdateExpression".to_owned(), json!(text));
    Some(())
}

fn statement(request: &mut Request, fields: &Fields<'_>, scope: &Scope<'_>, log: &mut Log) -> Option<()> {
    let node = needed(fields, "statement", "ExecuteStatement", log)?;
    let text = fields::text(node, log)?;
    request.insert("Statement".to_owned(), json!(escaped(&text, is_identifier)));
    let values: Vec<Value> = fields
        .list("parameters_list", log)
        .iter()
        .map(|node| scope.value(&scope.table, None, node, log))
        .collect();
    if !values.is_empty() {
        request.insert("Parameters".to_owned(), Value::Array(values));
    }
    if let Some(limit) = fields.whole::<u64>("limit", log) {
        request.insert("Limit".to_owned(), json!(limit));
    }
    consistent(request, fields, log);
    Some(())
}
