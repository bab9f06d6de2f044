//! OneTable's schema: indexes, models whose fields have `value` templates, and in newer files queries.

use hashrange_api::Operation;
use hashrange_item::Kind;

use super::create_table::empty;
use super::fields;
use super::log::Log;
use super::node::Node;
use super::own::lower::{escaped, is_identifier};
use crate::catalogue::{
    Attribute, Catalogue, Entity, Index, IndexKind, KeyType, Keys, Pattern, Projection, States, Table,
};
use crate::template::Template;

/// Keys and templates; queries name their operation and index.
const STATES: States = States {
    requests: false,
    local_indexes: true,
    ttl: true,
    settings: false,
    rates: false,
    declarations: false,
};

/// Attributes of models that are of the library, not of the model.
const TYPE_FIELD: &str = "_type";

/// Reads a file.
pub fn read(root: &Node, log: &mut Log) -> Catalogue {
    let mut catalogue = Catalogue { states: STATES, ..Catalogue::default() };
    let name =
        root.at(&["params", "name"]).or_else(|| root.get("table")).and_then(Node::as_str).unwrap_or("Table");
    let mut table = Table { name: name.to_owned(), ..Table::default() };
    indexes(&mut table, root, log);
    for (name, model) in root.get("models").map_or(&[][..], Node::entries) {
        catalogue.entities.extend(entity(name, model, &mut table, log));
    }
    let type_field =
        root.at(&["params", "typeField"]).and_then(Node::as_str).unwrap_or(TYPE_FIELD).to_owned();
    for entity in &mut catalogue.entities {
        let format = Some(format!("const({})", entity.name));
        entity.attributes.push(Attribute { kind: Some(Kind::S), format, ..Attribute::named(&type_field) });
    }
    for node in root.get("queries").map_or(&[][..], Node::entries) {
        catalogue.patterns.extend(query(&node.0, &node.1, &table, log));
    }
    catalogue.tables.push(table);
    catalogue
}

/// The index `primary` is the table's key.
fn indexes(table: &mut Table, root: &Node, log: &mut Log) {
    let entries = root.get("indexes").map_or(&[][..], Node::entries);
    if root.at(&["indexes", "primary"]).is_none() {
        log.error(root.mark, "\"indexes\" needs \"primary\", the key of the table");
    }
    for (name, node) in entries {
        let text = |key: &str| {
            node.get(key).filter(|node| !node.is_null()).and_then(Node::as_str).map(str::to_owned)
        };
        let keys =
            Keys { hash: text("hash").into_iter().collect(), range: text("sort").into_iter().collect() };
        for attribute in keys.attributes() {
            table.definitions.entry(attribute.to_owned()).or_insert(KeyType::S);
        }
        match name.as_str() {
            Some("primary") => table.keys = keys,
            Some(name) => table.indexes.push(index(name, node, keys, table, log)),
            None => log.expected(name, "the name of an index"),
        }
    }
}

fn index(name: &str, node: &Node, mut keys: Keys, table: &Table, log: &mut Log) -> Index {
    let local = node.get("type").and_then(Node::as_str) == Some("local");
    if local && keys.hash.is_empty() {
        keys.hash.clone_from(&table.keys.hash);
    }
    let projection = match node.get("project") {
        Some(project) if project.as_str() == Some("keys") => Projection::KeysOnly,
        Some(project) if project.as_str().is_none() => {
            fields::texts(project, log).map_or(Projection::All, Projection::Include)
        }
        _ => Projection::All,
    };
    empty(name.to_owned(), if local { IndexKind::Local } else { IndexKind::Global }, keys, projection)
}

fn entity(name: &Node, model: &Node, table: &mut Table, log: &mut Log) -> Option<Entity> {
    let mut entity =
        Entity { name: fields::text(name, log)?, table: table.name.clone(), ..Entity::default() };
    let keys: Vec<String> = table
        .indexes
        .iter()
        .map(|index| &index.keys)
        .chain([&table.keys])
        .flat_map(Keys::attributes)
        .map(str::to_owned)
        .collect();
    for (name, field) in model.entries() {
        let Some(name) = fields::text(name, log) else { continue };
        let value = field.get("value").and_then(Node::as_str);
        if let (Some(value), true) = (value, keys.contains(&name)) {
            entity.keys.extend(template(value, field, log).map(|template| (name.clone(), template)));
            continue;
        }
        if field.get("ttl").and_then(Node::as_bool) == Some(true) {
            table.ttl = Some(name.clone());
        }
        entity.attributes.push(attribute(&name, field, log));
    }
    Some(entity)
}

/// `book#${id}`, also with a width: `${seq:8:0}`.
fn template(value: &str, node: &Node, log: &mut Log) -> Option<Template> {
    let mut text = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        text.push_str(&escaped(before, |_| false));
        let (gap, tail) = after.split_once('}').unwrap_or((after, ""));
        let mut words = gap.split(':');
        text.extend(["{", words.next().unwrap_or("")]);
        if let (Some(width), Some("0")) = (words.next(), words.next()) {
            text.extend([":0", width]);
        }
        text.push('}');
        rest = tail;
    }
    text.push_str(&escaped(rest, |_| false));
    let template = Template::parse(&text);
    if let Err(error) = &template {
        log.error(node.mark, format!("\"{value}\" is no template that is understood: {error}"));
    }
    template.ok()
}

fn attribute(name: &str, field: &Node, log: &mut Log) -> Attribute {
    let mut attribute = Attribute::named(name);
    let kind = if field.as_str().is_some() { Some(field) } else { field.get("type") };
    (attribute.kind, attribute.format) =
        match kind.and_then(Node::as_str).unwrap_or("").to_lowercase().as_str() {
            "string" => (Some(Kind::S), None),
            "number" => (Some(Kind::N), None),
            "boolean" => (Some(Kind::Bool), None),
            "date" => (None, Some("iso-time".to_owned())),
            "array" => (Some(Kind::L), None),
            "object" => (Some(Kind::M), None),
            "buffer" | "arraybuffer" | "binary" => (Some(Kind::B), None),
            "set" => (Some(Kind::Ss), None),
            _ => (None, None),
        };
    let generated = field.get("generate").or_else(|| field.get("uuid")).and_then(Node::as_str);
    if let Some(format @ ("ulid" | "uuid")) = generated {
        attribute.format = Some(format.to_owned());
    }
    if attribute.kind.is_none() {
        attribute.kind = attribute.format.as_deref().and_then(super::own::entity::kind_of_format);
    }
    if let Some(values) = field.get("enum") {
        attribute.values = fields::texts(values, log).unwrap_or_default();
    }
    attribute
}

/// `{index, hash, operation, limit, filters}` by name.
fn query(name: &Node, node: &Node, table: &Table, log: &mut Log) -> Option<Pattern> {
    let name = fields::text(name, log)?;
    let text = |key: &str| node.get(key).filter(|node| !node.is_null()).and_then(Node::as_str);
    let operation = match text("operation") {
        Some("get") => Some(Operation::GetItem),
        Some("scan") => Some(Operation::Scan),
        Some("create" | "put" | "upsert") => Some(Operation::PutItem),
        Some("update") => Some(Operation::UpdateItem),
        Some("remove" | "delete") => Some(Operation::DeleteItem),
        Some("query" | "find") | None => Some(Operation::Query),
        Some(other) => {
            log.note(node.mark, format!("\"{other}\" is no operation that is known, and is ignored"));
            None
        }
    };
    let index = text("index").filter(|index| *index != "primary").map(str::to_owned);
    let hash = text("hash").map(|hash| escaped(&hash.replace("${", "{"), is_identifier));
    let gaps = hash.and_then(|hash| Template::parse(&hash).ok());
    let description = gaps.map(|hash| format!("partition key {hash}"));
    Some(Pattern {
        id: name.clone(),
        name,
        description,
        operation,
        table: Some(table.name.clone()),
        index,
        items: node.get("limit").and_then(Node::as_f64),
        ..Pattern::default()
    })
}
