//! `dynamodb_data_model.json` with sizes and rates.

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::Lost;
use crate::catalogue::{Billing, Catalogue, Entity, Index, IndexKind, KeyType, Pattern, Projection, Table};

pub(super) fn write(catalogue: &Catalogue) -> (Value, Lost) {
    let mut lost = Lost::default();
    let tables: Vec<Value> = catalogue.tables.iter().map(|one| table(one, catalogue, &mut lost)).collect();
    let patterns: Vec<Value> =
        catalogue.patterns.iter().filter_map(|one| pattern(one, catalogue, &mut lost)).collect();
    of_catalogue(catalogue, &mut lost);
    (json!({"tables": tables, "access_patterns": patterns}), lost)
}

fn of_catalogue(catalogue: &Catalogue, lost: &mut Lost) {
    let patterns = || catalogue.patterns.iter();
    let ids = |has: fn(&Pattern) -> bool| patterns().filter(move |one| has(one)).map(|one| one.id.as_str());
    lost.all("requests", ids(|one| one.request.is_some()));
    lost.all("budgets", ids(|one| one.budget.rcu.is_some() || one.budget.wcu.is_some()));
    lost.all("expected results", ids(|one| one.expect != crate::catalogue::Expect::default()));
    lost.all("declarations", ids(|one| one.declared != crate::catalogue::Declared::default()));
    lost.all("flows", catalogue.flows.iter().map(|flow| flow.name.as_str()));
    lost.all("waivers", catalogue.waivers.iter().map(|waiver| waiver.rule.as_str()));
    let keyed = catalogue.entities.iter().filter(|entity| !entity.keys.is_empty());
    lost.all("key templates", keyed.map(|entity| entity.name.as_str()));
}

fn table(table: &Table, catalogue: &Catalogue, lost: &mut Lost) -> Value {
    let mut out = Map::new();
    let mut put = |member: &str, value: Value| out.insert(member.to_owned(), value);
    put("table_name", json!(table.name));
    put("key_schema", key_schema("partition_key", "sort_key", &table.keys.hash, &table.keys.range));
    let definitions = table.definitions.iter().map(|(name, kind)| {
        let kind = match kind {
            KeyType::S => "S",
            KeyType::N => "N",
            KeyType::B => "B",
        };
        json!({"attribute_name": name, "attribute_type": kind})
    });
    put("attribute_definitions", definitions.collect());
    put("entities", catalogue.entities_of(&table.name).map(entity).collect());
    let of_kind = |kind: IndexKind| table.indexes.iter().filter(move |index| index.kind == kind);
    put("gsis", of_kind(IndexKind::Global).map(|index| gsi(index, table, lost)).collect());
    let vectors: Vec<Value> = of_kind(IndexKind::Vector).map(vector).collect();
    if !vectors.is_empty() {
        put("vector_indexes", json!(vectors));
    }
    if table.infrequent_access == Some(true) {
        put("table_class", json!("STANDARD_INFREQUENT_ACCESS"));
    }
    if !table.replicas.is_empty() {
        put("global_tables", json!(true));
    }
    if let Some(Billing::Provisioned(Some(capacity))) = table.billing {
        put("provisioned_capacity", json!({"read": capacity.read, "write": capacity.write}));
    }
    if let Some(view) = &table.stream {
        put("streams", json!({"enabled": true, "view_type": view}));
    }
    lost.all("local indexes", of_kind(IndexKind::Local).map(|index| index.name.as_str()));
    let name = [table.name.as_str()];
    lost.all("time to live", name.into_iter().filter(|_| table.ttl.is_some()));
    lost.all("sample items", name.into_iter().filter(|_| !table.samples.is_empty()));
    lost.all(
        "recovery, protection and scaling",
        name.into_iter().filter(|_| {
            table.recovery.is_some()
                || table.protection.is_some()
                || table.scaling.iter().any(Option::is_some)
        }),
    );
    Value::Object(out)
}

fn key_schema(hash: &str, range: &str, hashes: &[String], ranges: &[String]) -> Value {
    let mut out = Map::new();
    out.extend(hashes.first().map(|name| (hash.to_owned(), json!(name))));
    out.extend(ranges.first().map(|name| (range.to_owned(), json!(name))));
    Value::Object(out)
}

fn entity(entity: &Entity) -> Value {
    let mut out = json!({"entity_name": entity.name});
    if let Some(bytes) = entity.bytes {
        out["estimated_item_size_bytes"] = whole(bytes);
    }
    if let Some(count) = entity.count {
        out["estimated_item_count"] = whole(count);
    }
    let attributes = entity.attributes.iter().map(|attribute| match attribute.kind {
        Some(kind) => json!({"name": attribute.name, "type": kind.name()}),
        None => json!({"name": attribute.name}),
    });
    out["attributes"] = attributes.collect();
    out
}

/// A number without a fraction as a whole one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked: it is whole, not negative and small"
)]
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && (0.0..1e15).contains(&number) { json!(number as u64) } else { json!(number) }
}

fn projection(projection: &Projection) -> Value {
    match projection {
        Projection::All => json!({"type": "ALL"}),
        Projection::KeysOnly => json!({"type": "KEYS_ONLY"}),
        Projection::Include(names) => json!({"type": "INCLUDE", "attributes": names}),
    }
}

fn gsi(index: &Index, table: &Table, lost: &mut Lost) -> Value {
    let mut out = json!({"index_name": index.name});
    let key = key_schema("partition_key", "sort_key", &index.keys.hash, &index.keys.range);
    if let (Some(out), Value::Object(key)) = (out.as_object_mut(), key) {
        out.extend(key);
    }
    out["projection"] = projection(&index.projection);
    let several = index.keys.hash.len() > 1 || index.keys.range.len() > 1;
    let name = format!("{}.{}", table.name, index.name);
    lost.all("keys of several attributes", [name.as_str()].into_iter().filter(|_| several));
    out
}

fn vector(index: &Index) -> Value {
    let told = |path: &str| {
        index.vector.as_ref().map(|map| Value::Object(map.clone())).and_then(|map| map.pointer(path).cloned())
    };
    let mut out = json!({"index_name": index.name, "projection": projection(&index.projection)});
    for (member, path) in [
        ("vector_attribute", "/VectorAttribute/AttributeName"),
        ("dimensions", "/Dimensions"),
        ("distance_function", "/DistanceFunction"),
    ] {
        if let Some(value) = told(path) {
            out[member] = value;
        }
    }
    let schema = told("/SearchSchema");
    let filters = schema.iter().filter_map(Value::as_array).flatten();
    let filters: Vec<&Value> = filters
        .filter(|element| element["SearchSchemaElementType"] == "INLINE_FILTER")
        .map(|element| &element["AttributeName"])
        .collect();
    if schema.is_some() {
        out["search_schema"] = json!({"inline_filters": filters});
        if let Some(hash) = index.keys.hash.first() {
            out["search_schema"]["partition_key"] = json!(hash);
        }
    }
    if let Some(count) = index.entry_count {
        out["estimated_indexed_items"] = whole(count);
    }
    out
}

fn pattern(pattern: &Pattern, catalogue: &Catalogue, lost: &mut Lost) -> Option<Value> {
    let table = crate::read::own::lower::table_of(catalogue, pattern);
    let (Some(operation), Some(table)) = (pattern.operation, table) else {
        lost.all("patterns without an operation or a table", [pattern.id.as_str()]);
        return None;
    };
    let mut out = json!({
        "pattern_id": pattern.id, "description": pattern.name, "operation": operation.name(), "table": table, "index": pattern.index,
    });
    if pattern.peak_rps.is_none() {
        lost.all("a peak rate, which the shape demands and the catalogue has not", [pattern.id.as_str()]);
    }
    for (member, number) in [
        ("peak_rps", pattern.peak_rps),
        ("avg_rps", pattern.avg_rps),
        ("estimated_item_size_bytes", pattern.item_bytes),
        ("items_per_request", pattern.items),
        ("previous_item_size_bytes", pattern.previous_item_bytes),
        ("conditional_fail_rate", pattern.conditional_fail_rate),
        ("non_existent_rate", pattern.non_existent_rate),
        ("retention_days", pattern.retention_days),
    ] {
        if let Some(number) = number {
            out[member] = whole(number);
        }
    }
    let transactional = matches!(operation, Operation::TransactGetItems | Operation::TransactWriteItems);
    out["consistency"] = json!(match pattern.strong {
        _ if transactional => "transactional",
        Some(true) => "strong",
        _ => "eventual",
    });
    if let Some(names) = &pattern.attributes_written {
        out["attributes_written"] = json!(names);
    }
    if !pattern.entities.is_empty() && pattern.create_share.is_some() || is_write(operation) {
        let written =
            pattern.entities.iter().map(|(entity, count)| json!({"entity": entity, "count": whole(*count)}));
        out["entities_written"] = written.collect();
    }
    if !pattern.item_sizes.is_empty() {
        out["item_sizes"] = pattern.item_sizes.iter().map(|size| whole(*size)).collect();
    }
    let action = pattern.create_share.map(|share| match share {
        share if share >= 1.0 => "create",
        share if share > 0.0 => "mixed",
        _ if operation == Operation::DeleteItem => "delete",
        _ => "update",
    });
    if let Some(action) = action {
        out["write_action"] = json!(action);
    }
    Some(out)
}

fn is_write(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::PutItem
            | Operation::UpdateItem
            | Operation::DeleteItem
            | Operation::BatchWriteItem
            | Operation::TransactWriteItems
    )
}
