//! Entities of our own form.

use hashrange_item::Kind;

use crate::catalogue::{Attribute, Entity};
use crate::read::fields::{self, Fields, Shape};
use crate::read::log::Log;
use crate::read::node::{Data, Node};
use crate::template::Template;

/// The fields of an entity.
pub const ENTITY: Shape = Shape {
    name: "entity",
    keys: &[
        "table",
        "key",
        "attributes",
        "count",
        "bytes",
        "p99_bytes",
        "per_collection",
        "max_per_collection",
        "retention_days",
        "reference",
        "shared",
    ],
};

/// The fields of an attribute.
pub const ATTRIBUTE: Shape = Shape {
    name: "attribute",
    keys: &["type", "format", "values", "weights", "bytes", "share", "pii", "immutable", "copy_of"],
};

/// The names of types, as DynamoDB's JSON has them.
pub const TYPES: [(&str, Kind); 10] = [
    ("S", Kind::S),
    ("N", Kind::N),
    ("B", Kind::B),
    ("BOOL", Kind::Bool),
    ("NULL", Kind::Null),
    ("SS", Kind::Ss),
    ("NS", Kind::Ns),
    ("BS", Kind::Bs),
    ("L", Kind::L),
    ("M", Kind::M),
];

/// The names of formats, without what is between their parentheses.
pub const FORMATS: [&str; 20] = [
    "uuid", "ulid", "ksuid", "name", "word", "email", "phone", "iso-date", "iso-time", "epoch", "epoch-ms",
    "bool", "int", "decimal", "text", "seq", "binary", "list", "map", "const",
];

/// Reads an entity.
pub fn read(name: &Node, node: &Node, log: &mut Log) -> Option<Entity> {
    let mut entity = Entity { name: fields::text(name, log)?, ..Entity::default() };
    if node.is_null() {
        return Some(entity);
    }
    let fields = Fields::open(node, &ENTITY, log)?;
    entity.table = fields.text("table", log).unwrap_or_default();
    for (name, node) in fields.map("key", log) {
        entity.keys.extend(fields::text(name, log).zip(template(node, log)));
    }
    for (name, node) in fields.map("attributes", log) {
        entity.attributes.extend(attribute(name, node, log));
    }
    entity.count = fields.number("count", log);
    entity.bytes = fields.number("bytes", log);
    entity.p99_bytes = fields.number("p99_bytes", log);
    entity.per_collection = fields.number("per_collection", log);
    entity.max_per_collection = fields.number("max_per_collection", log);
    entity.retention_days = fields.number("retention_days", log);
    entity.reference = fields.flag("reference", log).unwrap_or(false);
    entity.shared = fields.flag("shared", log).unwrap_or(false);
    Some(entity)
}

/// Reads a template.
pub fn template(node: &Node, log: &mut Log) -> Option<Template> {
    let text = fields::text(node, log)?;
    match Template::parse(&text) {
        Ok(template) => Some(template),
        Err(error) => {
            log.error(node.mark, format!("\"{text}\" is no template: {error}"));
            None
        }
    }
}

fn attribute(name: &Node, node: &Node, log: &mut Log) -> Option<Attribute> {
    let mut attribute = Attribute::named(&fields::text(name, log)?);
    match &node.data {
        _ if node.is_null() => {}
        // The short form is a type or a format.
        Data::Scalar { text, .. } => match Kind::from_name(text) {
            Some(kind) => attribute.kind = Some(kind),
            None => attribute.format = format(node, log),
        },
        _ => long(&mut attribute, node, log)?,
    }
    if attribute.kind.is_none() {
        attribute.kind = attribute.format.as_deref().and_then(kind_of_format);
    }
    Some(attribute)
}

fn long(attribute: &mut Attribute, node: &Node, log: &mut Log) -> Option<()> {
    let fields = Fields::open(node, &ATTRIBUTE, log)?;
    attribute.kind = fields.choice("type", &TYPES, log);
    attribute.format = fields.get("format").and_then(|node| format(node, log));
    attribute.values = fields.texts("values", log).unwrap_or_default();
    attribute.weights = fields.numbers("weights", log).unwrap_or_default();
    if !attribute.weights.is_empty() && attribute.weights.len() != attribute.values.len() {
        log.error(node.mark, format!("attribute {} has as many weights as values", attribute.name));
    }
    attribute.bytes = fields.number("bytes", log);
    attribute.share = fields.number_in("share", 0.0, 1.0, log);
    attribute.pii = fields.flag("pii", log).unwrap_or(false);
    attribute.immutable = fields.flag("immutable", log).unwrap_or(false);
    if let Some(node) = fields.get("copy_of") {
        attribute.copy_of = pair(node, log);
    }
    Some(())
}

/// `Entity.attribute`.
pub fn pair(node: &Node, log: &mut Log) -> Option<(String, String)> {
    let pair = node.as_str().and_then(|text| text.split_once('.'));
    let pair = pair.filter(|(entity, attribute)| !entity.is_empty() && !attribute.is_empty());
    if pair.is_none() {
        log.expected(node, "an entity and its attribute, as in User.name");
    }
    pair.map(|(entity, attribute)| (entity.to_owned(), attribute.to_owned()))
}

/// The name of a known format, with what is between its parentheses as it is.
pub fn format(node: &Node, log: &mut Log) -> Option<String> {
    let text = fields::text(node, log)?;
    let name = text.split('(').next().unwrap_or("");
    let closed = text.contains('(') == text.ends_with(')');
    if closed && (FORMATS.contains(&name) || name == "ref") {
        return Some(text);
    }
    let near =
        fields::nearest(name, &FORMATS).map_or(String::new(), |near| format!(" (did you mean {near}?)"));
    log.expected(node, &format!("a type (S, N, BOOL ...) or a format: {}{near}", FORMATS.join(", ")));
    None
}

/// The type of values of a format.
pub fn kind_of_format(format: &str) -> Option<Kind> {
    let (name, inner) = format.split_once('(').unwrap_or((format, ""));
    match name {
        "uuid" | "ulid" | "ksuid" | "name" | "word" | "email" | "phone" | "iso-date" | "iso-time"
        | "text" => Some(Kind::S),
        "epoch" | "epoch-ms" | "int" | "decimal" | "seq" => Some(Kind::N),
        "bool" => Some(Kind::Bool),
        "binary" => Some(Kind::B),
        "list" => Some(Kind::L),
        "map" => Some(Kind::M),
        "const" => {
            Some(if crate::read::value::is_number(inner.trim_end_matches(')')) { Kind::N } else { Kind::S })
        }
        _ => None,
    }
}
