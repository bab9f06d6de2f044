//! Attribute values: DynamoDB's JSON, and plain YAML.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashrange_item::{AttributeValue, Attributes, Kind, Number, Set};

use super::log::Log;
use super::node::{Data, Node, shortened};

/// The kind and content of a node that is a value in DynamoDB's JSON: `{"S": "text"}`.
pub fn typed(node: &Node) -> Option<(Kind, &Node)> {
    let [(key, content)] = node.entries() else { return None };
    Some((Kind::from_name(key.as_str()?)?, content))
}

/// An item, each value in DynamoDB's JSON.
pub fn dynamo_item(node: &Node, log: &mut Log) -> Option<Attributes> {
    item(node, log, dynamo)
}

/// An item, each value plain or in DynamoDB's JSON. Values of attributes that `kind_of` knows take that kind.
pub fn plain_item(node: &Node, kind_of: &dyn Fn(&str) -> Option<Kind>, log: &mut Log) -> Option<Attributes> {
    let Data::Map(entries) = &node.data else {
        log.expected(node, "an item: a map of attributes");
        return None;
    };
    let mut pairs = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let name = super::fields::text(key, log)?;
        let value = plain(value, kind_of(&name), log)?;
        pairs.push((name, value));
    }
    Some(Attributes::from_pairs(pairs))
}

fn item(
    node: &Node,
    log: &mut Log,
    value: fn(&Node, &mut Log) -> Option<AttributeValue>,
) -> Option<Attributes> {
    let Data::Map(entries) = &node.data else {
        log.expected(node, "an item: a map of attributes");
        return None;
    };
    let mut pairs = Vec::with_capacity(entries.len());
    for (key, content) in entries {
        pairs.push((super::fields::text(key, log)?, value(content, log)?));
    }
    Some(Attributes::from_pairs(pairs))
}

/// A value in DynamoDB's JSON.
pub fn dynamo(node: &Node, log: &mut Log) -> Option<AttributeValue> {
    let Some((kind, content)) = typed(node) else {
        log.expected(node, "a value with its type, such as {\"S\": \"text\"} or {\"N\": \"1\"}");
        return None;
    };
    of_kind(kind, content, log, dynamo)
}

/// A value in DynamoDB's JSON or plain; a scalar takes `wanted`, if that is a kind of scalar.
pub fn plain(node: &Node, wanted: Option<Kind>, log: &mut Log) -> Option<AttributeValue> {
    if let Some((kind, content)) = typed(node)
        && fits(kind, content)
    {
        return of_kind(kind, content, log, |node, log| plain(node, None, log));
    }
    match &node.data {
        Data::List(items) if node.tag.as_deref() == Some("!set") => set(items, node, log),
        Data::List(_) => of_kind(Kind::L, node, log, |node, log| plain(node, None, log)),
        Data::Map(_) if node.tag.as_deref() == Some("!!set") => {
            let members: Vec<Node> = node.entries().iter().map(|(key, _)| key.clone()).collect();
            set(&members, node, log)
        }
        Data::Map(_) => of_kind(Kind::M, node, log, |node, log| plain(node, None, log)),
        Data::Scalar { text, .. } => scalar(node, text, wanted, log),
    }
}

/// Whether the content can be of that kind, so that a plain map with one key `S` is not taken for a typed value.
fn fits(kind: Kind, content: &Node) -> bool {
    match kind {
        Kind::L | Kind::Ss | Kind::Ns | Kind::Bs => matches!(content.data, Data::List(_)),
        Kind::M => matches!(content.data, Data::Map(_)),
        _ => content.as_str().is_some(),
    }
}

fn scalar(node: &Node, text: &str, wanted: Option<Kind>, log: &mut Log) -> Option<AttributeValue> {
    let guessed = guess(node);
    let kind = match wanted {
        Some(kind @ (Kind::S | Kind::N | Kind::B)) if guessed != Kind::Null => kind,
        _ => guessed,
    };
    match kind {
        Kind::S => Some(AttributeValue::S(text.to_owned())),
        kind => of_kind(kind, node, log, dynamo),
    }
}

/// The kind of a plain scalar.
pub fn guess(node: &Node) -> Kind {
    if node.tag.as_deref() == Some("!!binary") {
        return Kind::B;
    }
    if node.is_null() {
        return Kind::Null;
    }
    if node.as_bool().is_some() {
        return Kind::Bool;
    }
    match node.plain() {
        Some(text) if is_number(text) => Kind::N,
        _ => Kind::S,
    }
}

/// Whether a text without quotes is a number.
pub fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'))
        && Number::parse(text).is_ok()
}

fn set(items: &[Node], node: &Node, log: &mut Log) -> Option<AttributeValue> {
    let numbers = !items.is_empty() && items.iter().all(|item| guess(item) == Kind::N);
    let list = Node { mark: node.mark, tag: None, data: Data::List(items.to_vec()) };
    of_kind(if numbers { Kind::Ns } else { Kind::Ss }, &list, log, dynamo)
}

/// The value of a kind whose content is given.
fn of_kind(
    kind: Kind,
    content: &Node,
    log: &mut Log,
    nested: fn(&Node, &mut Log) -> Option<AttributeValue>,
) -> Option<AttributeValue> {
    match kind {
        Kind::S => super::fields::text(content, log).map(AttributeValue::S),
        Kind::N => number(content, log).map(AttributeValue::N),
        Kind::B => binary(content, log).map(AttributeValue::B),
        Kind::Bool => truth(content, log).map(AttributeValue::Bool),
        Kind::Null => Some(AttributeValue::Null),
        Kind::Ss => {
            let members = members(content, log, super::fields::text)?;
            unique(Set::new(members).ok(), content, log).map(AttributeValue::Ss)
        }
        Kind::Ns => {
            let members = members(content, log, number)?;
            unique(Set::new(members).ok(), content, log).map(AttributeValue::Ns)
        }
        Kind::Bs => {
            let members = members(content, log, binary)?;
            unique(Set::new(members).ok(), content, log).map(AttributeValue::Bs)
        }
        Kind::L => {
            let Data::List(items) = &content.data else {
                log.expected(content, "a list");
                return None;
            };
            items.iter().map(|item| nested(item, log)).collect::<Option<Vec<_>>>().map(AttributeValue::L)
        }
        Kind::M => item(content, log, nested).map(AttributeValue::M),
    }
}

fn members<T>(
    content: &Node,
    log: &mut Log,
    member: impl Fn(&Node, &mut Log) -> Option<T>,
) -> Option<Vec<T>> {
    let Data::List(items) = &content.data else {
        log.expected(content, "a list of the set's members");
        return None;
    };
    items.iter().map(|item| member(item, log)).collect()
}

fn unique<T>(set: Option<T>, content: &Node, log: &mut Log) -> Option<T> {
    if set.is_none() {
        log.error(content.mark, "a set has at least one member, and each only once");
    }
    set
}

fn number(node: &Node, log: &mut Log) -> Option<Number> {
    let number = node.as_str().and_then(|text| Number::parse(text).ok());
    if number.is_none() {
        log.expected(node, "a number of at most 38 digits");
    }
    number
}

fn binary(node: &Node, log: &mut Log) -> Option<Vec<u8>> {
    let text = node.as_str().map(|text| text.split_whitespace().collect::<String>());
    let bytes = text.and_then(|text| STANDARD.decode(text).ok());
    if bytes.is_none() {
        log.expected(node, "base64");
    }
    bytes
}

/// Python's `True` and `False` are tolerated: guides to data models ask for them.
fn truth(node: &Node, log: &mut Log) -> Option<bool> {
    let text = node.as_str()?;
    match text {
        "true" => Some(true),
        "false" => Some(false),
        "True" | "False" => {
            log.note(node.mark, format!("{text} is Python, not JSON; taken as {}", text.to_lowercase()));
            Some(text == "True")
        }
        _ => {
            log.error(node.mark, format!("expected true or false, found \"{}\"", shortened(text)));
            None
        }
    }
}
