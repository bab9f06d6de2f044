//! Short forms of patterns, lowered to requests in DynamoDB's JSON.
//!
//! Every string of a request is a [`Template`]: gaps stay as `{name}`, and a brace that is meant is doubled. A number that is a gap
//! is `{"N": "{amount}"}`.

mod expression;
mod request;

use hashrange_item::Kind;
use serde_json::{Map, Value, json};

pub use self::expression::Expression;
pub(super) use self::request::entity_name;
pub use self::request::lower;
use super::entity;
use crate::catalogue::{Catalogue, KeyType, Parameter, Pattern};
use crate::read::fields;
use crate::read::log::Log;
use crate::read::node::{Data, Node};
use crate::read::value::{guess, typed};
use crate::template::{Part, Template};

/// JSON as it is written, with the content of numbers in DynamoDB's JSON as strings, with or without quotes.
pub fn json(node: &Node) -> Value {
    if let Some((kind @ (Kind::S | Kind::N | Kind::B), content)) = typed(node)
        && let Some(text) = content.as_str()
    {
        return json!({ kind.name(): text });
    }
    as_written(node, json)
}

/// JSON as it is written; `inner` makes that of what is in a list or map.
pub(in crate::read) fn as_written(node: &Node, inner: fn(&Node) -> Value) -> Value {
    match &node.data {
        Data::List(items) => Value::Array(items.iter().map(inner).collect()),
        Data::Map(entries) => {
            let entry = |(key, value): &(Node, Node)| (key.as_str().unwrap_or("").to_owned(), inner(value));
            Value::Object(entries.iter().map(entry).collect())
        }
        Data::Scalar { text, .. } => scalar(node, text),
    }
}

/// A text, number, truth value or nothing, as it is written.
fn scalar(node: &Node, text: &str) -> Value {
    if node.is_null() {
        return Value::Null;
    }
    if let Some(truth) = node.as_bool() {
        return Value::Bool(truth);
    }
    let number = node.plain().and_then(|text| serde_json::from_str::<serde_json::Number>(text).ok());
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Braces that are no gaps, doubled: texts of other formats and PartiQL's maps have them.
pub fn escaped(text: &str, is_gap: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let gap = tail.strip_prefix('{').and_then(|tail| tail.split_once('}')).map(|(name, _)| name);
        if let Some(name) = gap.filter(|name| is_gap(name)) {
            out.push_str(&tail[..name.len() + 2]);
            rest = &tail[name.len() + 2..];
        } else {
            out.push_str(if tail.starts_with('{') { "{{" } else { "}}" });
            rest = &tail[1..];
        }
    }
    out.push_str(rest);
    out
}

/// Whether a text can be the name of a gap in PartiQL, where `{'a': 1}` is a map.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What values of a pattern are made of.
#[derive(Debug)]
pub struct Scope<'c> {
    /// All tables and entities.
    pub catalogue: &'c Catalogue,
    /// The table.
    pub table: String,
    /// The parameters that the pattern has.
    pub parameters: std::collections::BTreeMap<String, Parameter>,
}

impl Scope<'_> {
    /// The type of an attribute: of a key as declared, of another as the entities of the table have it.
    pub fn kind_of(&self, table: &str, attribute: &str) -> Option<Kind> {
        let declared = self.catalogue.table(table).and_then(|table| table.definitions.get(attribute));
        match declared {
            Some(KeyType::S) => Some(Kind::S),
            Some(KeyType::N) => Some(Kind::N),
            Some(KeyType::B) => Some(Kind::B),
            None => self.kind_in_entities(table, attribute),
        }
    }

    fn kind_in_entities(&self, table: &str, attribute: &str) -> Option<Kind> {
        let entities = self.catalogue.entities_of(table);
        let attributes = entities.flat_map(|entity| &entity.attributes).filter(|have| have.name == attribute);
        let mut kinds = attributes.filter_map(|attribute| attribute.kind);
        let first = kinds.next()?;
        kinds.all(|kind| kind == first).then_some(first)
    }

    /// The type of what fills a gap.
    fn kind_of_gap(&self, gap: &str) -> Option<Kind> {
        match self.parameters.get(gap) {
            Some(Parameter::Value(Value::Number(_))) => Some(Kind::N),
            Some(Parameter::Value(Value::Bool(_))) => Some(Kind::Bool),
            Some(Parameter::Value(_)) => None,
            Some(Parameter::New(format)) => entity::kind_of_format(format),
            Some(Parameter::From { entity, attribute }) => {
                let entity = self.catalogue.entity(entity)?;
                entity.attributes.iter().find(|have| have.name == *attribute)?.kind
            }
            None => self.kind_in_entities(&self.table, gap),
        }
    }

    /// A value in DynamoDB's JSON, of the type that the attribute has where that is known.
    pub fn value(&self, table: &str, attribute: Option<&str>, node: &Node, log: &mut Log) -> Value {
        if typed(node).is_some() {
            return checked(json(node), node, log);
        }
        match &node.data {
            Data::List(items) if node.tag.as_deref() == Some("!set") => set(items),
            Data::List(items) => {
                json!({ "L": items.iter().map(|item| self.value(table, None, item, log)).collect::<Vec<_>>() })
            }
            Data::Map(entries) => json!({ "M": self.map(table, entries, log) }),
            Data::Scalar { text, .. } => {
                let known = attribute.and_then(|attribute| self.kind_of(table, attribute));
                let kind = self.kind(node, text, known);
                checked(content(kind, node, text), node, log)
            }
        }
    }

    fn map(&self, table: &str, entries: &[(Node, Node)], log: &mut Log) -> Map<String, Value> {
        let entry = |(key, value): &(Node, Node)| {
            (key.as_str().unwrap_or("").to_owned(), self.value(table, None, value, log))
        };
        entries.iter().map(entry).collect()
    }

    fn kind(&self, node: &Node, text: &str, known: Option<Kind>) -> Kind {
        let guessed = guess(node);
        match known {
            Some(kind @ (Kind::S | Kind::N | Kind::B)) if guessed != Kind::Null => kind,
            _ if guessed != Kind::S => guessed,
            known => known.or_else(|| self.kind_of_gap(&lone_gap(text)?)).unwrap_or(Kind::S),
        }
    }

    /// A map of attributes in DynamoDB's JSON.
    pub fn item(&self, table: &str, node: &Node, log: &mut Log) -> Map<String, Value> {
        let Data::Map(entries) = &node.data else {
            log.expected(node, "a map of attributes");
            return Map::new();
        };
        let mut item = Map::new();
        for (key, value) in entries {
            let Some(name) = fields::text(key, log) else { continue };
            let value = self.value(table, Some(&name), value, log);
            item.insert(name, value);
        }
        item
    }
}

fn checked(value: Value, node: &Node, log: &mut Log) -> Value {
    check_templates(&value, node, log);
    value
}

/// Tells strings that are no templates; all of them have the place of the node.
pub fn check_templates(value: &Value, node: &Node, log: &mut Log) {
    match value {
        Value::String(text) => {
            if let Err(error) = Template::parse(text) {
                log.error(node.mark, format!("\"{}\": {error}", crate::read::node::shortened(text)));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check_templates(item, node, log)),
        Value::Object(map) => map.values().for_each(|value| check_templates(value, node, log)),
        _ => {}
    }
}

/// The name of the gap that is all of a text.
fn lone_gap(text: &str) -> Option<String> {
    let template = Template::parse(text).ok()?;
    match template.parts() {
        [Part::Gap { name, .. }] => Some(name.clone()),
        _ => None,
    }
}

fn content(kind: Kind, node: &Node, text: &str) -> Value {
    match kind {
        Kind::Null => json!({ "NULL": true }),
        Kind::Bool => match node.as_bool() {
            Some(truth) => json!({ "BOOL": truth }),
            None => json!({ "BOOL": text }),
        },
        kind => json!({ kind.name(): text }),
    }
}

fn set(items: &[Node]) -> Value {
    let numbers = items.iter().all(|item| guess(item) == Kind::N);
    let members: Vec<&str> = items.iter().filter_map(Node::as_str).collect();
    json!({ if numbers { "NS" } else { "SS" }: members })
}

/// An item of an entity: keys as its templates make them, every other attribute a gap of its name.
pub fn entity_item(scope: &Scope<'_>, entity: &crate::catalogue::Entity) -> Map<String, Value> {
    let mut item = Map::new();
    for (name, template) in &entity.keys {
        let kind = scope.kind_of(&entity.table, name).unwrap_or(Kind::S);
        item.insert(name.clone(), json!({ kind.name(): template.to_string() }));
    }
    for attribute in &entity.attributes {
        if !item.contains_key(&attribute.name) {
            let kind = scope.kind_of(&entity.table, &attribute.name).or(attribute.kind).unwrap_or(Kind::S);
            item.insert(attribute.name.clone(), json!({ kind.name(): format!("{{{}}}", attribute.name) }));
        }
    }
    item
}

/// The names of all gaps in a request, sorted, each once.
pub fn gaps(value: &Value) -> std::collections::BTreeSet<String> {
    let mut found = std::collections::BTreeSet::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::String(text) => {
            if let Ok(template) = Template::parse(text) {
                found.extend(template.gaps().map(str::to_owned));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(map) => map.values().for_each(|value| collect(value, found)),
        _ => {}
    }
}

/// The table of a pattern: as it says, or the only one.
pub fn table_of(catalogue: &Catalogue, pattern: &Pattern) -> Option<String> {
    pattern.table.clone().or_else(|| match catalogue.tables.as_slice() {
        [table] => Some(table.name.clone()),
        _ => None,
    })
}
