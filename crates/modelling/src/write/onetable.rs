//! OneTable's schema: one table, its indexes, a model for each kind of item, and queries.

use hashrange_api::Operation;
use hashrange_item::Kind;
use serde_json::{Map, Value, json};

use super::Told;
use super::words::whole;
use crate::catalogue::{Attribute, Catalogue, Entity, Index, IndexKind, Keys, Pattern, Projection, Table};
use crate::plan;
use crate::template::{Part, Template};

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let empty = Table::default();
    let table = catalogue.tables.first().unwrap_or(&empty);
    let type_field = type_field(catalogue, table);
    let mut params = Map::new();
    if !table.name.is_empty() && table.name != "Table" {
        params.insert("name".to_owned(), json!(table.name));
    }
    params.extend(type_field.map(|name| ("typeField".to_owned(), json!(name))));
    let models = catalogue
        .entities_of(&table.name)
        .map(|one| (one.name.clone(), model(one, table, type_field, assumed)));
    let models: Map<String, Value> = models.collect();
    let queries: Map<String, Value> = catalogue
        .patterns
        .iter()
        .filter_map(|one| Some((one.id.clone(), query(one, catalogue, table)?)))
        .collect();
    let mut out = json!({"format": "onetable:1.1.0", "version": "0.0.1", "params": params, "indexes": indexes(table), "models": models});
    if !queries.is_empty() {
        out["queries"] = Value::Object(queries);
    }
    out
}

/// The attribute that names each item's kind, where all entities have one: `const(Order)` of Order.
fn type_field<'c>(catalogue: &'c Catalogue, table: &'c Table) -> Option<&'c str> {
    let first = catalogue.entities_of(&table.name).next()?;
    let names = first.attributes.iter().filter(|one| tells(one, first)).map(|one| one.name.as_str());
    let of_all = |name: &&str| {
        catalogue
            .entities_of(&table.name)
            .all(|entity| entity.attributes.iter().any(|one| one.name == *name && tells(one, entity)))
    };
    names.into_iter().find(of_all)
}

fn tells(attribute: &Attribute, entity: &Entity) -> bool {
    attribute.format.as_deref() == Some(format!("const({})", entity.name).as_str())
}

/// `primary` is the table's key.
fn indexes(table: &Table) -> Value {
    let mut out = Map::new();
    out.insert("primary".to_owned(), Value::Object(keys(&table.keys)));
    for one in table.indexes.iter().filter(|one| one.kind != IndexKind::Vector) {
        out.insert(one.name.clone(), Value::Object(index(one)));
    }
    Value::Object(out)
}

fn keys(keys: &Keys) -> Map<String, Value> {
    let mut out = Map::new();
    out.extend(keys.hash.first().map(|name| ("hash".to_owned(), json!(name))));
    out.extend(keys.range.first().map(|name| ("sort".to_owned(), json!(name))));
    out
}

fn index(index: &Index) -> Map<String, Value> {
    let mut out = keys(&index.keys);
    if index.kind == IndexKind::Local {
        // Its partition key is the table's.
        out.remove("hash");
        out.insert("type".to_owned(), json!("local"));
    }
    let project = match &index.projection {
        Projection::All => json!("all"),
        Projection::KeysOnly => json!("keys"),
        Projection::Include(names) => json!(names),
    };
    out.insert("project".to_owned(), project);
    out
}

fn model(entity: &Entity, table: &Table, type_field: Option<&str>, assumed: &mut Told) -> Value {
    let mut out = Map::new();
    for (name, template) in &entity.keys {
        out.insert(name.clone(), json!({"type": "string", "value": value(template)}));
    }
    for attribute in entity.attributes.iter().filter(|one| Some(one.name.as_str()) != type_field) {
        let mut field = field(attribute, assumed, &entity.name);
        if table.ttl.as_ref() == Some(&attribute.name) {
            field["ttl"] = json!(true);
        }
        out.entry(attribute.name.clone()).or_insert(field);
    }
    Value::Object(out)
}

/// `member#${id}`, with a width as `${seq:8:0}`.
fn value(template: &Template) -> String {
    let part = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Gap { name, width: None } => format!("${{{name}}}"),
        Part::Gap { name, width: Some(width) } => format!("${{{name}:{width}:0}}"),
    };
    template.parts().iter().map(part).collect()
}

fn field(attribute: &Attribute, assumed: &mut Told, entity: &str) -> Value {
    let format = attribute.format.as_deref().unwrap_or_default();
    let kind = match (attribute.kind, format) {
        (_, "iso-time" | "iso-date") => "date",
        (Some(Kind::N), _) => "number",
        (Some(Kind::Bool), _) => "boolean",
        (Some(Kind::L), _) => "array",
        (Some(Kind::M), _) => "object",
        (Some(Kind::B), _) => "binary",
        (Some(Kind::Ss | Kind::Ns | Kind::Bs), _) => "set",
        (Some(Kind::S), _) => "string",
        (Some(Kind::Null) | None, _) => {
            let name = format!("{entity}.{}", attribute.name);
            assumed.add("types of attributes are not stated, and are written as string", &name);
            "string"
        }
    };
    let mut out = json!({"type": kind});
    if matches!(format, "ulid" | "uuid") {
        out["generate"] = json!(format);
    }
    if !attribute.values.is_empty() {
        out["enum"] = json!(attribute.values);
    }
    out
}

/// `{index, hash, operation, limit}`.
fn query(pattern: &Pattern, catalogue: &Catalogue, table: &Table) -> Option<Value> {
    let operation = match pattern.operation? {
        Operation::GetItem => "get",
        Operation::Query => "query",
        Operation::Scan => "scan",
        Operation::PutItem => "create",
        Operation::UpdateItem => "update",
        Operation::DeleteItem => "remove",
        _ => return None,
    };
    if pattern.table.as_ref().is_some_and(|name| *name != table.name) {
        return None;
    }
    let mut out = json!({"index": pattern.index.as_deref().unwrap_or("primary"), "operation": operation});
    if let Some(hash) = hash(pattern, catalogue) {
        out["hash"] = json!(hash);
    }
    if let Some(items) = pattern.items {
        out["limit"] = whole(items);
    }
    Some(out)
}

/// The partition key that is asked for: of the request, else as the reader of this form keeps it in the description.
fn hash(pattern: &Pattern, catalogue: &Catalogue) -> Option<String> {
    let planned = plan::plan(catalogue, pattern).hash;
    let text = match planned.as_slice() {
        [(_, text)] => text.as_str(),
        _ => pattern.description.as_deref()?.strip_prefix("partition key ")?,
    };
    Template::parse(text).ok().as_ref().map(value)
}
