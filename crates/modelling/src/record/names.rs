//! Names of recorded patterns, for people.

use super::text::{self, Clause};
use super::{Part, Shape};

/// `query Shop PK = USER#? and SK begins_with ORDER#, newest first`.
pub fn name(shape: &Shape) -> String {
    if !shape.requests.is_empty() {
        return format!("{}: {}", verb(shape.operation()), parts(&shape.requests));
    }
    let mut name = format!("{} {}", verb(shape.operation()), shape.table().unwrap_or_default());
    if let Some(index) = shape.index() {
        name = name + " by " + &index;
    }
    if let Some(key) = key(shape) {
        name = name + " " + &key;
    }
    for (field, words) in [("update", "changing"), ("filter", "filtered by"), ("condition", "if")] {
        if let Some(names) = shape.field(field).map(|text| of(field, text)) {
            name = name + ", " + words + " " + &names.join(", ");
        }
    }
    for (field, words) in FLAGS {
        if shape.field(field).is_some() {
            name.push_str(words);
        }
    }
    if shape.field("select") == Some("COUNT") {
        name.push_str(", only counted");
    }
    name
}

/// Fields that are there or not, and what a name says of them.
const FLAGS: [(&str, &str); 4] = [
    ("descending", ", newest first"),
    ("consistent", ", strongly consistent"),
    ("segments", ", in segments"),
    ("limit", ", limited"),
];

fn of(field: &str, text: &str) -> Vec<String> {
    if field == "update" { text::written(text) } else { text::names(text) }
}

fn verb(operation: &str) -> &str {
    match operation {
        "GetItem" => "get",
        "PutItem" => "put",
        "UpdateItem" => "update",
        "DeleteItem" => "delete",
        "ConditionCheck" => "check",
        "Query" => "query",
        "Scan" => "scan",
        "BatchGetItem" => "batch get",
        "BatchWriteItem" => "batch write",
        "TransactGetItems" => "get together",
        "TransactWriteItems" => "write together",
        "BatchExecuteStatement" => "batch of statements",
        "ExecuteStatement" => "query several collections",
        other => other,
    }
}

fn parts(parts: &[Part]) -> String {
    let parts = parts.iter().map(|part| {
        let times = if part.times == "1" { String::new() } else { format!("{} x ", part.times) };
        format!("{times}{}", name(&part.shape))
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn key(shape: &Shape) -> Option<String> {
    let clauses = text::clauses(shape.field("key")?);
    Some(clauses.iter().map(clause).collect::<Vec<_>>().join(" and "))
}

fn clause(clause: &Clause<'_>) -> String {
    let open = if clause.operator == "begins_with" { "" } else { "?" };
    let values = clause.values.iter().map(|(_, prefix)| match prefix {
        Some(prefix) => format!("{prefix}{open}"),
        None => "?".to_owned(),
    });
    format!("{} {} {}", clause.attribute, clause.operator, values.collect::<Vec<_>>().join(" and "))
}
