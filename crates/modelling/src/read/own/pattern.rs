//! Patterns of our own form.

mod infer;

use hashrange_api::Operation;
use serde_json::Value;

use super::lower::{self, Scope};
use super::{entity, required};
use crate::catalogue::{Budget, Catalogue, Declared, Expect, Parameter, Pattern, Purpose};
use crate::read::fields::{self, Fields, Shape};
use crate::read::log::Log;
use crate::read::node::{Data, Node};
use crate::read::value;

/// The fields of a pattern.
pub const PATTERN: Shape = Shape {
    name: "pattern",
    keys: &[
        "id",
        "name",
        "who",
        "description",
        "purpose",
        "operation",
        "table",
        "index",
        "key",
        "keys",
        "item",
        "items",
        "actions",
        "update",
        "values",
        "names",
        "condition",
        "filter",
        "project",
        "select",
        "limit",
        "order",
        "consistent",
        "statement",
        "parameters_list",
        "segments",
        "token",
        "request",
        "need",
        "external",
        "parameters",
        "expect",
        "budget",
        "rate",
        "p99_items",
        "max_items",
        "item_bytes",
        "item_sizes",
        "previous_item_bytes",
        "writes",
        "entities",
        "fail_rate",
        "miss_rate",
        "create_share",
        "retention_days",
        "skew",
        "shards",
        "declares",
    ],
};

/// The short forms that `request` takes the place of.
pub const SHORT: [&str; 18] = [
    "key",
    "keys",
    "item",
    "actions",
    "update",
    "values",
    "names",
    "condition",
    "filter",
    "project",
    "select",
    "limit",
    "order",
    "consistent",
    "statement",
    "parameters_list",
    "segments",
    "token",
];

/// `request: none` says that the operation is known and its request is not, as in files with only sizes and rates.
pub const NOT_STATED: &str = "none";

/// The fields of an action of a transaction, or of a write of a batch.
pub const ACTION: Shape = Shape {
    name: "write",
    keys: &["put", "update", "delete", "check", "condition", "table", "values", "names"],
};

/// The fields of an update.
pub const UPDATE: Shape =
    Shape { name: "update", keys: &["key", "set", "add", "delete", "remove", "expression"] };

/// The fields of a need.
pub const NEED: Shape = Shape { name: "need", keys: &["equal", "range"] };

/// The fields of a parameter that is no attribute of an entity.
pub const PARAMETER: Shape = Shape { name: "parameter", keys: &["value", "new", "from"] };

/// The fields of what is expected.
pub const EXPECT: Shape = Shape {
    name: "expectation",
    keys: &["items", "count", "min", "max", "empty", "order", "error", "plan", "pages"],
};

/// The fields of a budget.
pub const BUDGET: Shape = Shape { name: "budget", keys: &["rcu", "wcu"] };

/// The fields of a rate.
pub const RATE: Shape = Shape { name: "rate", keys: &["peak", "avg"] };

/// What may be declared of a pattern.
pub const DECLARES: Shape = Shape {
    name: "declaration",
    keys: &[
        "strong_reason",
        "stale_ok",
        "upsert",
        "full_replace",
        "last_writer_wins",
        "approximate",
        "single_writer",
        "loops",
        "all_types",
        "cached",
        "transaction_reason",
    ],
};

/// The operations that a pattern may have.
pub const OPERATIONS: [(&str, Operation); 12] = [
    ("GetItem", Operation::GetItem),
    ("PutItem", Operation::PutItem),
    ("UpdateItem", Operation::UpdateItem),
    ("DeleteItem", Operation::DeleteItem),
    ("Query", Operation::Query),
    ("Scan", Operation::Scan),
    ("BatchGetItem", Operation::BatchGetItem),
    ("BatchWriteItem", Operation::BatchWriteItem),
    ("TransactGetItems", Operation::TransactGetItems),
    ("TransactWriteItems", Operation::TransactWriteItems),
    ("ExecuteStatement", Operation::ExecuteStatement),
    ("SearchVectors", Operation::SearchVectors),
];

const PURPOSES: [(&str, Purpose); 4] = [
    ("request", Purpose::Request),
    ("batch", Purpose::Batch),
    ("export", Purpose::Export),
    ("admin", Purpose::Admin),
];

/// Reads a pattern. What another file says of the pattern with the same id counts where this one is silent.
pub fn read(node: &Node, whole: &Catalogue, log: &mut Log) -> Option<Pattern> {
    let fields = Fields::open(node, &PATTERN, log)?;
    let id = required(&fields, "id", &PATTERN, log)?;
    let known = whole.pattern(&id);
    let mut pattern = Pattern { id, ..Pattern::default() };
    pattern.name = match known {
        Some(known) => fields.text("name", log).unwrap_or_else(|| known.name.clone()),
        None => required(&fields, "name", &PATTERN, log).unwrap_or_default(),
    };
    pattern.who = fields.text("who", log);
    pattern.description = fields.text("description", log);
    pattern.purpose = fields.choice("purpose", &PURPOSES, log).unwrap_or_default();
    pattern.external = fields.text("external", log);
    for (name, node) in fields.map("parameters", log) {
        pattern.parameters.extend(fields::text(name, log).zip(parameter(node, whole, log)));
    }
    numbers(&mut pattern, &fields, log);
    pattern.expect = fields.get("expect").and_then(|node| expect(node, log)).unwrap_or_default();
    pattern.declared = fields.get("declares").map(|node| declares(node, log)).unwrap_or_default();
    place(&mut pattern, &fields, whole, log);
    request(&mut pattern, &fields, known, whole, log);
    Some(pattern)
}

fn numbers(pattern: &mut Pattern, fields: &Fields<'_>, log: &mut Log) {
    if let Some(node) = fields.get("budget")
        && let Some(budget) = Fields::open(node, &BUDGET, log)
    {
        pattern.budget = Budget { rcu: budget.number("rcu", log), wcu: budget.number("wcu", log) };
    }
    match fields.get("rate") {
        // A number alone is the peak.
        Some(node) if node.as_str().is_some() => pattern.peak_rps = fields::number(node, log),
        Some(node) => {
            if let Some(rate) = Fields::open(node, &RATE, log) {
                pattern.peak_rps = rate.number("peak", log);
                pattern.avg_rps = rate.number("avg", log);
            }
        }
        None => {}
    }
    // A list under `items` is what a batch writes.
    if fields.get("items").is_some_and(|node| node.as_str().is_some()) {
        pattern.items = fields.number("items", log);
    }
    pattern.p99_items = fields.number("p99_items", log);
    pattern.client_max_items = fields.whole("max_items", log);
    pattern.item_bytes = fields.number("item_bytes", log);
    pattern.item_sizes = fields.numbers("item_sizes", log).unwrap_or_default();
    pattern.previous_item_bytes = fields.number("previous_item_bytes", log);
    pattern.attributes_written = fields.texts("writes", log);
    pattern.entities = entities(fields, log);
    pattern.conditional_fail_rate = fields.number_in("fail_rate", 0.0, 1.0, log);
    pattern.non_existent_rate = fields.number_in("miss_rate", 0.0, 1.0, log);
    pattern.create_share = fields.number_in("create_share", 0.0, 1.0, log);
    pattern.retention_days = fields.number("retention_days", log);
    pattern.skew = fields.get("skew").and_then(|node| skew(node, log));
    pattern.shards = fields.whole("shards", log);
}

/// `{Order: 1, OrderItem: 5}`, or names alone.
fn entities(fields: &Fields<'_>, log: &mut Log) -> Vec<(String, f64)> {
    let Some(node) = fields.get("entities") else { return Vec::new() };
    match &node.data {
        Data::Map(entries) => entries
            .iter()
            .filter_map(|(name, count)| fields::text(name, log).zip(fields::number(count, log)))
            .collect(),
        _ => fields::texts(node, log).unwrap_or_default().into_iter().map(|name| (name, 1.0)).collect(),
    }
}

fn skew(node: &Node, log: &mut Log) -> Option<String> {
    let text = fields::text(node, log)?;
    let mut words = text.split(':');
    let name = words.next().unwrap_or("");
    let numbers: Vec<Option<f64>> = words.map(|word| word.parse().ok()).collect();
    let wanted = match name {
        "uniform" | "today" => 0..=0,
        "zipf" | "latest" | "celebrity" => 1..=1,
        "hot" => 2..=2,
        _ => 9..=9,
    };
    if wanted.contains(&numbers.len()) && numbers.iter().all(|number| number.is_some_and(f64::is_finite)) {
        return Some(text);
    }
    log.expected(node, "uniform, zipf:0.99, hot:0.2:0.8 (share of keys, share of traffic), latest:0.99, celebrity:0.05 or today");
    None
}

fn parameter(node: &Node, whole: &Catalogue, log: &mut Log) -> Option<Parameter> {
    if node.as_str().is_some() {
        return from(node, whole, log);
    }
    let fields = Fields::open(node, &PARAMETER, log)?;
    match (fields.get("value"), fields.get("new"), fields.get("from")) {
        (Some(node), None, None) => Some(Parameter::Value(lower::json(node))),
        (None, Some(node), None) => entity::format(node, log).map(Parameter::New),
        (None, None, Some(node)) => from(node, whole, log),
        _ => {
            log.error(node.mark, "a parameter is Entity.attribute, {value: ..} or {new: format}");
            None
        }
    }
}

fn from(node: &Node, whole: &Catalogue, log: &mut Log) -> Option<Parameter> {
    let (entity, attribute) = entity::pair(node, log)?;
    if whole.entity(&entity).is_none() {
        let names: Vec<&str> = whole.entities.iter().map(|entity| entity.name.as_str()).collect();
        unknown("entity", &entity, &names, node, log);
    }
    Some(Parameter::From { entity, attribute })
}

/// Tells a name that nothing has.
pub fn unknown(kind: &str, name: &str, names: &[&str], node: &Node, log: &mut Log) {
    let known = match fields::nearest(name, names) {
        Some(near) => format!("; did you mean {near}?"),
        None if names.is_empty() => String::new(),
        None => format!("; there are {}", names.join(", ")),
    };
    log.error(node.mark, format!("there is no {kind} \"{}\"{known}", crate::read::node::shortened(name)));
}

fn expect(node: &Node, log: &mut Log) -> Option<Expect> {
    let fields = Fields::open(node, &EXPECT, log)?;
    let items = fields.get("items").map(|_| fields.list("items", log));
    let items =
        items.map(|items| items.iter().filter_map(|node| value::plain_item(node, &|_| None, log)).collect());
    let mut expect = Expect {
        items,
        min: fields.whole("min", log),
        max: fields.whole("max", log),
        order: fields.get("order").and_then(|node| order(node, log)),
        error: fields.text("error", log),
        plan: fields.text("plan", log),
        pages: fields.whole("pages", log),
    };
    if let Some(count) = fields.whole("count", log) {
        (expect.min, expect.max) = (Some(count), Some(count));
    }
    if fields.flag("empty", log) == Some(true) {
        expect.max = Some(0);
    }
    Some(expect)
}

/// `createdAt desc`.
fn order(node: &Node, log: &mut Log) -> Option<(String, bool)> {
    let text = fields::text(node, log)?;
    let mut words = text.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(attribute), None | Some("asc"), None) => Some((attribute.to_owned(), true)),
        (Some(attribute), Some("desc"), None) => Some((attribute.to_owned(), false)),
        _ => {
            log.expected(node, "an attribute and asc or desc, as in createdAt desc");
            None
        }
    }
}

/// A map, or a list of words.
fn declares(node: &Node, log: &mut Log) -> Declared {
    let mut declared = Declared::default();
    match &node.data {
        Data::List(items) => {
            for item in items {
                match item.as_str() {
                    Some(word) => declare(&mut declared, word, None, item, log),
                    None => declare_all(&mut declared, item, log),
                }
            }
        }
        Data::Scalar { text, .. } => declare(&mut declared, text, None, node, log),
        Data::Map(_) => declare_all(&mut declared, node, log),
    }
    declared
}

fn declare_all(declared: &mut Declared, node: &Node, log: &mut Log) {
    if Fields::open(node, &DECLARES, log).is_none() {
        return;
    }
    for (word, content) in node.entries() {
        let word = word.as_str().unwrap_or("");
        if DECLARES.keys.contains(&word) && !content.is_null() {
            declare(declared, word, Some(content), content, log);
        }
    }
}

fn declare(declared: &mut Declared, word: &str, content: Option<&Node>, node: &Node, log: &mut Log) {
    if let "strong_reason" | "transaction_reason" = word {
        let reason = content.and_then(Node::as_str).map(str::to_owned);
        if reason.is_none() {
            log.error(node.mark, format!("\"{word}\" needs a text: {word}: why"));
        }
        let place = match word {
            "strong_reason" => &mut declared.strong_reason,
            _ => &mut declared.transaction_reason,
        };
        *place = reason;
        return;
    }
    let flag = match word {
        "stale_ok" => &mut declared.stale_ok,
        "upsert" => &mut declared.upsert,
        "full_replace" => &mut declared.full_replace,
        "last_writer_wins" => &mut declared.last_writer_wins,
        "approximate" => &mut declared.approximate,
        "single_writer" => &mut declared.single_writer,
        "loops" => &mut declared.loops,
        "all_types" => &mut declared.all_types,
        "cached" => &mut declared.cached,
        _ => return unknown("declaration", word, DECLARES.keys, node, log),
    };
    match content.map(Node::as_bool) {
        None => *flag = true,
        Some(Some(given)) => *flag = given,
        Some(None) => log.expected(node, "true or false"),
    }
}

/// The name of a table, where a template's name for it may be meant.
fn called(whole: &Catalogue, name: String) -> String {
    let by_id = whole.tables.iter().find(|table| table.logical_id.as_ref() == Some(&name));
    match by_id {
        Some(table) if whole.table(&name).is_none() => table.name.clone(),
        _ => name,
    }
}

/// The table and the index.
fn place(pattern: &mut Pattern, fields: &Fields<'_>, whole: &Catalogue, log: &mut Log) {
    pattern.table = fields.text("table", log).map(|name| called(whole, name));
    pattern.index = fields.text("index", log);
    if let (Some(name), Some(node)) = (&pattern.table, fields.get("table"))
        && whole.table(name).is_none()
    {
        let names: Vec<&str> = whole.tables.iter().map(|table| table.name.as_str()).collect();
        unknown("table", name, &names, node, log);
    }
    let table = lower::table_of(whole, pattern).and_then(|name| whole.table(&name));
    if let (Some(name), Some(node), Some(table)) = (&pattern.index, fields.get("index"), table)
        && table.index(name).is_none()
    {
        let names: Vec<&str> = table.indexes.iter().map(|index| index.name.as_str()).collect();
        unknown(&format!("index of table {}", table.name), name, &names, node, log);
    }
}

fn request(
    pattern: &mut Pattern,
    fields: &Fields<'_>,
    known: Option<&Pattern>,
    whole: &Catalogue,
    log: &mut Log,
) {
    need(pattern, fields, log);
    let operation = fields.choice("operation", &OPERATIONS, log);
    let statement = fields.get("statement").map(|_| Operation::ExecuteStatement);
    pattern.operation = operation.or(statement);
    pattern.strong = fields.flag("consistent", log);
    let shorts = SHORT.iter().chain(&["request"]).filter(|key| **key != "consistent");
    let short = shorts.copied().find_map(|key| Some((key, fields.get(key)?)));
    if fields.get("request").and_then(Node::as_str) == Some(NOT_STATED) {
        return;
    }
    let Some(operation) = pattern.operation.or(known.and_then(|known| known.operation)) else {
        if let Some((key, node)) = short {
            log.error(node.mark, format!("\"{key}\" needs an \"operation\", such as GetItem or Query"));
        }
        return;
    };
    if short.is_none() && fields.get("items").is_none_or(|node| node.as_str().is_some()) {
        // Only the name of the operation is stated, or another file states the request.
        if operation != Operation::Scan || known.is_some_and(|known| known.request.is_some()) {
            return;
        }
    }
    let table = lower::table_of(whole, pattern).or_else(|| known.and_then(|known| known.table.clone()));
    let mut scope = Scope {
        catalogue: whole,
        table: table.clone().unwrap_or_default(),
        parameters: pattern.parameters.clone(),
    };
    if table.is_none() && needs_table(operation) && fields.get("request").is_none() {
        log.error(
            fields.mark(),
            format!("pattern {} needs \"table\": the catalogue has several", pattern.id),
        );
    }
    pattern.operation = Some(operation);
    pattern.request = lower::lower(operation, fields, &scope, log);
    agree(pattern, fields, log);
    if let Some(table) = &pattern.table {
        scope.table.clone_from(table);
    }
    infer::entities(pattern, fields);
    infer::parameters(pattern, fields, &scope);
}

fn needs_table(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::GetItem
            | Operation::PutItem
            | Operation::UpdateItem
            | Operation::DeleteItem
            | Operation::Query
            | Operation::Scan
    )
}

fn need(pattern: &mut Pattern, fields: &Fields<'_>, log: &mut Log) {
    if let Some(node) = fields.get("need")
        && let Some(need) = Fields::open(node, &NEED, log)
    {
        pattern.need_equal = need.texts("equal", log).unwrap_or_default();
        pattern.need_range = need.text("range", log);
    }
}

/// Takes table, index and strength from the request, and tells where the pattern says otherwise.
fn agree(pattern: &mut Pattern, fields: &Fields<'_>, log: &mut Log) {
    let Some(request) = &pattern.request else { return };
    let text = |member: &str| request.get(member).and_then(Value::as_str).map(str::to_owned);
    let mark = fields.mark();
    for (place, member) in [(&mut pattern.table, "TableName"), (&mut pattern.index, "IndexName")] {
        match (place.as_deref(), text(member)) {
            (Some(said), Some(requested)) if said != requested => {
                log.error(mark, format!("the pattern names {said}, its request has {member} {requested}"));
            }
            (None, Some(requested)) => *place = Some(requested),
            _ => {}
        }
    }
    pattern.strong = request.get("ConsistentRead").and_then(Value::as_bool).or(pattern.strong);
}
