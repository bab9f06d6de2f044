//! Command lines of the AWS CLI, read as the requests that they send.

mod shorthand;
mod words;

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::fields::nearest;
use super::node::{Node, shortened};
use super::own::lower;
use super::own::pattern::OPERATIONS;

/// What a command line sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The operation.
    pub operation: Operation,
    /// The request, in which every string is a template without gaps. `None` where it is in another file.
    pub request: Option<Map<String, Value>>,
    /// What the client cuts off after the server has read it: `--max-items`.
    pub max_items: Option<u64>,
    /// What is worth saying.
    pub notes: Vec<String>,
}

/// What the values of an option are.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Whole,
    Flag,
    Tree,
}

/// The options of all operations that patterns have, by the members that they set.
const MEMBERS: [(&str, Kind); 31] = [
    ("TableName", Kind::Text),
    ("IndexName", Kind::Text),
    ("Key", Kind::Tree),
    ("Item", Kind::Tree),
    ("KeyConditionExpression", Kind::Text),
    ("FilterExpression", Kind::Text),
    ("ProjectionExpression", Kind::Text),
    ("UpdateExpression", Kind::Text),
    ("ConditionExpression", Kind::Text),
    ("ExpressionAttributeNames", Kind::Tree),
    ("ExpressionAttributeValues", Kind::Tree),
    ("ExclusiveStartKey", Kind::Tree),
    ("Select", Kind::Text),
    ("Limit", Kind::Whole),
    ("ConsistentRead", Kind::Flag),
    ("ScanIndexForward", Kind::Flag),
    ("Segment", Kind::Whole),
    ("TotalSegments", Kind::Whole),
    ("ReturnValues", Kind::Text),
    ("ReturnConsumedCapacity", Kind::Text),
    ("ReturnItemCollectionMetrics", Kind::Text),
    ("ReturnValuesOnConditionCheckFailure", Kind::Text),
    ("RequestItems", Kind::Tree),
    ("TransactItems", Kind::Tree),
    ("ClientRequestToken", Kind::Text),
    ("Statement", Kind::Text),
    ("Parameters", Kind::Tree),
    ("NextToken", Kind::Text),
    ("QueryVector", Kind::Tree),
    ("TopK", Kind::Whole),
    ("SearchFilter", Kind::Tree),
];

/// Options of the client, that no request has: with a value, and without.
const GLOBAL_VALUES: [&str; 15] = [
    "region",
    "profile",
    "endpoint-url",
    "output",
    "query",
    "color",
    "ca-bundle",
    "cli-read-timeout",
    "cli-connect-timeout",
    "cli-binary-format",
    "cli-error-format",
    "max-items",
    "page-size",
    "starting-token",
    "generate-cli-skeleton",
];
const GLOBAL_FLAGS: [&str; 8] = [
    "no-cli-pager",
    "no-paginate",
    "no-verify-ssl",
    "no-sign-request",
    "debug",
    "no-cli-auto-prompt",
    "cli-auto-prompt",
    "v2-debug",
];

/// Reads a command line.
///
/// # Errors
/// What is wrong with it, and where in it.
pub fn parse(line: &str) -> Result<Sent, String> {
    let (words, operator) = words::split(line)?;
    let mut words = words.into_iter().peekable();
    let mut sent =
        Sent { operation: Operation::Scan, request: Some(Map::new()), max_items: None, notes: Vec::new() };
    if words.next().as_deref() != Some("aws") {
        return Err("the command must start with \"aws dynamodb\"".to_owned());
    }
    let mut verb = None;
    let mut service = false;
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--") else {
            match word.as_str() {
                "dynamodb" if !service => service = true,
                word if service && verb.is_none() => verb = Some(operation(word)?),
                word => {
                    return Err(format!(
                        "\"{}\" is no option; quote values that have spaces",
                        shortened(word)
                    ));
                }
            }
            continue;
        };
        let mut value = || words.next().ok_or_else(|| format!("--{option} has no value"));
        take(option, &mut value, &mut sent)?;
    }
    sent.operation = verb.ok_or("the command must start with \"aws dynamodb\" and name an operation")?;
    if let Some(operator) = operator {
        sent.notes.push(format!(
            "the command has \"{operator}\", so it is more than one call; its request is not read"
        ));
        sent.request = None;
    }
    Ok(sent)
}

/// The operation of a word such as `get-item`.
fn operation(word: &str) -> Result<Operation, String> {
    let names: Vec<String> = OPERATIONS.iter().map(|(name, _)| kebab(name)).collect();
    let at = names.iter().position(|name| name == word);
    at.map(|at| OPERATIONS[at].1).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let near = nearest(word, &names).map_or(String::new(), |near| format!("; did you mean {near}?"));
        format!("\"{}\" is no operation on items{near}", shortened(word))
    })
}

/// `get-item` of `GetItem`.
pub fn kebab(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

type Next<'w> = &'w mut dyn FnMut() -> Result<String, String>;

fn take(option: &str, value: Next<'_>, sent: &mut Sent) -> Result<(), String> {
    let (option, inline) = match option.split_once('=') {
        Some((option, inline)) => (option, Some(inline.to_owned())),
        None => (option, None),
    };
    let mut value = || inline.clone().map_or_else(&mut *value, Ok);
    if option == "cli-input-json" || option == "cli-input-yaml" {
        let value = value()?;
        return input(&value, sent);
    }
    if GLOBAL_FLAGS.contains(&option) {
        return Ok(());
    }
    if GLOBAL_VALUES.contains(&option) {
        let value = value()?;
        return global(option, &value, sent);
    }
    let (name, no) = match option.strip_prefix("no-") {
        Some(name) => (name, true),
        None => (option, false),
    };
    let member = MEMBERS.iter().find(|(member, kind)| kebab(member) == name && (!no || *kind == Kind::Flag));
    let Some((member, kind)) = member else {
        let names: Vec<String> = MEMBERS.iter().map(|(member, _)| kebab(member)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let near = nearest(option, &names).map_or(String::new(), |near| format!("; did you mean --{near}?"));
        return Err(format!("--{option} is no option that is known{near}"));
    };
    let read = match kind {
        Kind::Flag => json!(!no),
        Kind::Text => json!(lower::escaped(&file(option, value()?, sent), |_| false)),
        Kind::Whole => {
            let text = value()?;
            json!(
                text.parse::<u64>()
                    .map_err(|_| format!("--{option} {} is no whole number", shortened(&text)))?
            )
        }
        Kind::Tree => tree(option, &file(option, value()?, sent), sent)?,
    };
    if let Some(request) = &mut sent.request {
        request.insert((*member).to_owned(), read);
    }
    Ok(())
}

/// A value that is in another file cannot be read here.
fn file(option: &str, value: String, sent: &mut Sent) -> String {
    if value.starts_with("file://") || value.starts_with("fileb://") {
        sent.notes.push(format!("--{option} {value} is another file, so the request is not read"));
        sent.request = None;
        return "{}".to_owned();
    }
    value
}

fn global(option: &str, value: &str, sent: &mut Sent) -> Result<(), String> {
    if option == "max-items" {
        let most =
            value.parse().map_err(|_| format!("--max-items {} is no whole number", shortened(value)))?;
        sent.max_items = Some(most);
        sent.notes.push(format!("--max-items {value} cuts off at the client: the server still reads a full page; --limit bounds what is read"));
    }
    Ok(())
}

/// `--cli-input-json`: options on the line win.
fn input(value: &str, sent: &mut Sent) -> Result<(), String> {
    let value = file("cli-input-json", value.to_owned(), sent);
    let Value::Object(map) = tree("cli-input-json", &value, sent)? else {
        return Err("--cli-input-json takes an object".to_owned());
    };
    if let Some(request) = &mut sent.request {
        for (member, value) in map {
            request.entry(member).or_insert(value);
        }
    }
    Ok(())
}

/// JSON, or the CLI's shorthand.
fn tree(option: &str, text: &str, sent: &mut Sent) -> Result<Value, String> {
    let trimmed = text.trim_start();
    let mut value = if trimmed.starts_with(['{', '[']) {
        let node = Node::parse(text)
            .map_err(|fault| format!("--{option}: {} at character {}", fault.message, fault.mark.column))?;
        if text.contains("True") || text.contains("False") {
            let python = serde_json::from_str::<Value>(text).is_err();
            sent.notes.extend(python.then(|| {
                format!("--{option} is Python, not JSON; True and False are taken as true and false")
            }));
        }
        lower::json(&node)
    } else {
        shorthand::parse(text).map_err(|message| format!("--{option}: {message}"))?
    };
    escape_all(&mut value);
    Ok(value)
}

/// Texts of other formats have no gaps: a brace is a brace.
pub fn escape_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = lower::escaped(text, |_| false),
        Value::Array(items) => items.iter_mut().for_each(escape_all),
        Value::Object(map) => map.values_mut().for_each(escape_all),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
