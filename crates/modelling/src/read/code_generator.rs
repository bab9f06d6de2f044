//! `schema.json` of the code generator: tables with entities, key templates and structured patterns; and its companion
//! `usage_data.json` with sample values for each entity.
//!
//! Patterns are put into the short forms of our own form, which lowers them.

use std::borrow::Cow;

use hashrange_item::{AttributeValue, Kind};
use serde_json::{Map, Value, json};

use super::create_table::{empty, member};
use super::fields;
use super::log::Log;
use super::node::Node;
use super::own;
use super::value;
use crate::catalogue::{
    Attribute, Catalogue, Entity, Index, IndexKind, KeyType, Keys, Pattern, Projection, States, Table,
};

const STATES: States = States {
    requests: true,
    local_indexes: false,
    ttl: false,
    settings: false,
    rates: false,
    declarations: false,
};

/// Reads a schema.
pub fn read(root: &Node, log: &mut Log) -> Catalogue {
    let mut catalogue = Catalogue { states: STATES, ..Catalogue::default() };
    let tables = root.get("tables").map_or(&[][..], Node::items);
    for node in tables {
        let Some((table, entities)) = table(node, log) else { continue };
        catalogue.tables.push(table);
        catalogue.entities.extend(entities);
    }
    for (name, entity) in tables.iter().flat_map(|node| node.get("entities").map_or(&[][..], Node::entries)) {
        let Some(entity_name) = name.as_str() else { continue };
        for node in entity.get("access_patterns").map_or(&[][..], Node::items) {
            let pattern = pattern(node, entity_name, &catalogue, log);
            catalogue.patterns.extend(pattern);
        }
    }
    for node in root.get("cross_table_access_patterns").map_or(&[][..], Node::items) {
        let pattern = transaction(node, &catalogue, log);
        catalogue.patterns.extend(pattern);
    }
    catalogue
}

fn table(node: &Node, log: &mut Log) -> Option<(Table, Vec<Entity>)> {
    let config = node.get("table_config")?;
    let mut table = Table { name: member(config, "table_name", log)?, ..Table::default() };
    table.keys = keys(config, log);
    if table.keys.hash.is_empty() {
        log.error(config.mark, format!("table {} needs \"partition_key\"", table.name));
    }
    for node in node.get("gsi_list").map_or(&[][..], Node::items) {
        table.indexes.extend(index(node, log));
    }
    let mut entities = Vec::new();
    for (name, node) in node.get("entities").map_or(&[][..], Node::entries) {
        entities.extend(entity(name, node, &table, log));
    }
    definitions(&mut table, &entities);
    Some((table, entities))
}

/// One attribute, or a list of them.
fn keys(node: &Node, log: &mut Log) -> Keys {
    let mut names = |key: &str| {
        node.get(key)
            .filter(|node| !node.is_null())
            .and_then(|node| fields::texts(node, log))
            .unwrap_or_default()
    };
    Keys { hash: names("partition_key"), range: names("sort_key") }
}

fn index(node: &Node, log: &mut Log) -> Option<Index> {
    let name = member(node, "name", log)?;
    let projection = match node.get("projection").and_then(Node::as_str) {
        Some("KEYS_ONLY") => Projection::KeysOnly,
        Some("INCLUDE") => {
            let names = node.get("included_attributes").and_then(|names| fields::texts(names, log));
            Projection::Include(names.unwrap_or_default())
        }
        _ => Projection::All,
    };
    Some(empty(name, IndexKind::Global, keys(node, log), projection))
}

fn entity(name: &Node, node: &Node, table: &Table, log: &mut Log) -> Option<Entity> {
    let mut entity =
        Entity { name: fields::text(name, log)?, table: table.name.clone(), ..Entity::default() };
    templates(&mut entity, node, &table.keys, log);
    for mapping in node.get("gsi_mappings").map_or(&[][..], Node::items) {
        let index = mapping.get("name").and_then(Node::as_str).and_then(|name| table.index(name));
        match index {
            Some(index) => templates(&mut entity, mapping, &index.keys, log),
            None => log.note(mapping.mark, "a mapping of an index that is not in \"gsi_list\", passed over"),
        }
    }
    for field in node.get("fields").map_or(&[][..], Node::items) {
        let Some(name) = member(field, "name", log) else { continue };
        let format = match field.get("type").and_then(Node::as_str).unwrap_or("") {
            "integer" => Some("int(0,1000000)".to_owned()),
            "uuid" => Some("uuid".to_owned()),
            _ => None,
        };
        let kind = kind_of(field.get("type").and_then(Node::as_str).unwrap_or(""));
        let share = (field.get("required").and_then(Node::as_bool) == Some(false)).then_some(0.5);
        entity.attributes.push(Attribute { kind, format, share, ..Attribute::named(&name) });
    }
    Some(entity)
}

fn kind_of(name: &str) -> Option<Kind> {
    match name {
        "string" | "uuid" => Some(Kind::S),
        "integer" | "decimal" | "number" | "float" => Some(Kind::N),
        "boolean" => Some(Kind::Bool),
        "array" => Some(Kind::L),
        "object" | "dict" => Some(Kind::M),
        _ => None,
    }
}

/// `pk_template` and `sk_template`, each a text or a list of them.
fn templates(entity: &mut Entity, node: &Node, keys: &Keys, log: &mut Log) {
    for (member, names) in [("pk_template", &keys.hash), ("sk_template", &keys.range)] {
        let Some(given) = node.get(member).filter(|node| !node.is_null()) else { continue };
        let parts = if given.as_str().is_some() { std::slice::from_ref(given) } else { given.items() };
        for (name, part) in names.iter().zip(parts) {
            let template = own::entity::template(part, log);
            // A key that is the attribute of its name needs no template.
            let plain =
                template.as_ref().is_some_and(|template| template.to_string() == format!("{{{name}}}"));
            entity.keys.extend(template.filter(|_| !plain).map(|template| (name.clone(), template)));
        }
    }
}

/// A key that is a field has the type of the field, if its template is the field alone.
fn definitions(table: &mut Table, entities: &[Entity]) {
    let keys = table.indexes.iter().map(|index| &index.keys).chain([&table.keys]);
    for name in keys.flat_map(Keys::attributes).map(str::to_owned).collect::<Vec<_>>() {
        let fields = entities.iter().flat_map(|entity| &entity.attributes);
        let kind = fields.filter(|attribute| attribute.name == name).find_map(|attribute| attribute.kind);
        let kind = if kind == Some(Kind::N) { KeyType::N } else { KeyType::S };
        table.definitions.entry(name).or_insert(kind);
    }
}

/// What an entity's item has under a key attribute.
pub fn text_of(entity: &Entity, name: &str) -> String {
    entity.keys.get(name).map_or_else(|| format!("{{{name}}}"), ToString::to_string)
}

fn key(entity: &Entity, keys: &Keys) -> Value {
    Value::Object(keys.attributes().map(|name| (name.to_owned(), json!(text_of(entity, name)))).collect())
}

/// The names of the parameters of a pattern.
fn parameters(node: &Node) -> Vec<String> {
    let list = node.get("parameters").map_or(&[][..], Node::items);
    list.iter().filter_map(|one| one.get("name")?.as_str().map(str::to_owned)).collect()
}

/// Reads a pattern that stands below an entity.
pub fn pattern(node: &Node, entity: &str, catalogue: &Catalogue, log: &mut Log) -> Option<Pattern> {
    let id = member(node, "pattern_id", log)?;
    let text = |key: &str| node.get(key).filter(|node| !node.is_null()).and_then(Node::as_str);
    let entity = catalogue.entity(entity)?;
    let table = catalogue.table(&entity.table)?;
    let name = text("description").or_else(|| text("name")).unwrap_or(&id);
    let operation = text("operation").unwrap_or("");
    let mut own = json!({"id": id, "name": name, "operation": operation, "table": table.name});
    let index = text("index_name").and_then(|name| table.index(name));
    if let Some(index) = index {
        own["index"] = json!(index.name);
    }
    match operation {
        "GetItem" | "DeleteItem" => own["key"] = key(entity, &table.keys),
        "PutItem" => own["item"] = json!({"entity": entity.name}),
        "UpdateItem" => update(&mut own, node, entity, table),
        "Query" => own["key"] = query(node, entity, index.map_or(&table.keys, |index| &index.keys)),
        _ => {}
    }
    if text("consistent_read") == Some("true") {
        own["consistent"] = json!(true);
    }
    if let Some(filter) = node.get("filter_expression").and_then(filter) {
        own["filter"] = json!(filter);
    }
    lowered(&own, node, catalogue, log)
}

fn update(own: &mut Value, node: &Node, entity: &Entity, table: &Table) {
    own["key"] = key(entity, &table.keys);
    let gaps = super::own::lower::gaps(&own["key"]);
    let is_attribute = |name: &str| entity.attributes.iter().any(|attribute| attribute.name == name);
    let set = parameters(node).into_iter().filter(|name| !gaps.contains(name) && is_attribute(name));
    let set: Map<String, Value> = set.map(|name| (name.clone(), json!(format!("{{{name}}}")))).collect();
    if set.is_empty() {
        // Nothing says what changes: the pattern keeps its operation alone.
        if let Some(own) = own.as_object_mut() {
            own.remove("key");
        }
    } else {
        own["update"] = json!({ "set": set });
    }
}

/// The partition key, and the bound that `range_condition` names, whose values are the parameters that the key has not.
fn query(node: &Node, entity: &Entity, keys: &Keys) -> Value {
    let mut key: Map<String, Value> =
        keys.hash.iter().map(|name| (name.clone(), json!(text_of(entity, name)))).collect();
    let gaps = super::own::lower::gaps(&Value::Object(key.clone()));
    let rest: Vec<String> = parameters(node).into_iter().filter(|name| !gaps.contains(name)).collect();
    let gap = |at: usize| rest.get(at).map(|name| json!(format!("{{{name}}}")));
    let condition = node.get("range_condition").and_then(Node::as_str);
    if let (Some(condition), Some(name), Some(low)) = (condition, keys.range.last(), gap(0)) {
        let bound = match (condition, gap(1)) {
            ("between", Some(high)) => json!({"between": [low, high]}),
            ("=" | "<" | "<=" | ">" | ">=" | "begins_with", _) => json!({condition: low}),
            _ => return Value::Object(key),
        };
        key.insert(name.clone(), bound);
    }
    Value::Object(key)
}

/// `{conditions: [{field, operator, param}], logical_operator}` as a text.
fn filter(node: &Node) -> Option<String> {
    let parts = node.get("conditions")?.items().iter().map(|condition| {
        let text = |key: &str| condition.get(key).and_then(Node::as_str);
        let field = format!("#{}", text("field")?);
        let param = |key: &str| text(key).map(|name| format!(":{name}"));
        let operand = param("param");
        match (text("function"), text("operator")) {
            (Some(function @ ("attribute_exists" | "attribute_not_exists")), _) => {
                Some(format!("{function}({field})"))
            }
            (Some("size"), Some(operator)) => Some(format!("size({field}) {operator} {}", operand?)),
            (Some(function @ ("contains" | "begins_with")), _) => {
                Some(format!("{function}({field}, {})", operand?))
            }
            (None, Some("between")) => Some(format!("{field} BETWEEN {} AND {}", operand?, param("param2")?)),
            (None, Some(operator)) if operator != "in" => Some(format!("{field} {operator} {}", operand?)),
            _ => None,
        }
    });
    let parts: Vec<String> = parts.collect::<Option<Vec<String>>>()?;
    let word = node.get("logical_operator").and_then(Node::as_str).unwrap_or("AND");
    Some(parts.join(&format!(" {} ", word.to_uppercase())))
}

fn transaction(node: &Node, catalogue: &Catalogue, log: &mut Log) -> Option<Pattern> {
    let id = member(node, "pattern_id", log)?;
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let name = text(node, "description").or_else(|| text(node, "name")).unwrap_or_else(|| id.clone());
    let reads = text(node, "operation").as_deref() == Some("TransactGet");
    let mut actions = Vec::new();
    let mut whole = true;
    for involved in node.get("entities_involved").map_or(&[][..], Node::items) {
        let entity = text(involved, "entity").and_then(|name| catalogue.entity(&name))?;
        let table = catalogue.table(&entity.table)?;
        let key = key(entity, &table.keys);
        let mut action = match text(involved, "action").as_deref() {
            Some("Put") => json!({"put": {"entity": entity.name}}),
            Some("Delete") => json!({"delete": key}),
            Some("ConditionCheck") => json!({"check": key}),
            Some("Get") => json!({"key": key}),
            // What an update changes is not in the file.
            _ => {
                whole = false;
                continue;
            }
        };
        action["table"] = json!(table.name);
        if let Some(condition) = text(involved, "condition") {
            action["condition"] = json!(condition);
        }
        actions.push(action);
    }
    let mut own = json!({"id": id, "name": name, "operation": if reads { "TransactGetItems" } else { "TransactWriteItems" }});
    if whole && !actions.is_empty() {
        own[if reads { "keys" } else { "actions" }] = json!(actions);
    }
    lowered(&own, node, catalogue, log)
}

/// Reads the pattern in our own form; what that refuses becomes a problem at the place of the original.
fn lowered(own: &Value, node: &Node, catalogue: &Catalogue, log: &mut Log) -> Option<Pattern> {
    let text = Node::parse(&own.to_string()).ok()?;
    let mut inner = Log::default();
    let pattern = own::pattern::read(&text, catalogue, &mut inner);
    for problem in inner.problems {
        log.error(node.mark, problem.message);
    }
    pattern
}

/// Adds the sample values of `usage_data.json` to the tables of the entities.
pub fn usage(root: &Node, whole: &mut Catalogue, log: &mut Log) {
    for (name, node) in root.get("entities").map_or(&[][..], Node::entries) {
        let Some(entity) = name.as_str().and_then(|name| whole.entity(name)).cloned() else {
            log.note(name.mark, "there is no such entity in the other files; its values are passed over");
            continue;
        };
        let Some(sample) = node.get("sample_data") else { continue };
        let kind_of =
            |name: &str| entity.attributes.iter().find(|one| one.name == name).and_then(|one| one.kind);
        let Some(mut item) = value::plain_item(sample, &kind_of, log) else { continue };
        for (name, template) in &entity.keys {
            let text = |gap: &str| match item.get(gap)? {
                AttributeValue::S(text) => Some(Cow::Owned(text.clone())),
                AttributeValue::N(number) => Some(Cow::Owned(number.to_string())),
                _ => None,
            };
            if let Some(text) = template.render(text) {
                item.insert(name.clone(), AttributeValue::S(text));
            }
        }
        let Some(table) = whole.tables.iter_mut().find(|table| table.name == entity.table) else { continue };
        match table.keys.attributes().find(|name| !item.contains(name)) {
            Some(absent) => log.note(
                sample.mark,
                format!("the values of {} make no {absent}, and are passed over", entity.name),
            ),
            None => table.samples.push(item),
        }
    }
}
