//! `dynamodb_data_model.json` with sizes and rates.

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::words::{key_type, of_kind, projection_words, whole};
use super::{Told, words};
use crate::catalogue::{Billing, Catalogue, Entity, Index, IndexKind, Pattern, Projection, Table};

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let tables: Vec<Value> = catalogue.tables.iter().map(|one| table(one, catalogue)).collect();
    let patterns: Vec<Value> =
        catalogue.patterns.iter().filter_map(|one| pattern(one, catalogue, assumed)).collect();
    json!({"tables": tables, "access_patterns": patterns})
}

fn table(table: &Table, catalogue: &Catalogue) -> Value {
    let mut out = Map::new();
    let mut put = |member: &str, value: Value| out.insert(member.to_owned(), value);
    put("table_name", json!(table.name));
    put("key_schema", key_schema("partition_key", "sort_key", &table.keys.hash, &table.keys.range));
    let mut names = words::key_attributes(table);
    names.extend(table.definitions.keys().map(String::as_str));
    names.sort_unstable();
    names.dedup();
    let definitions =
        names.iter().map(|name| json!({"attribute_name": name, "attribute_type": key_type(table, name)}));
    put("attribute_definitions", definitions.collect());
    put("entities", catalogue.entities_of(&table.name).map(entity).collect());
    put("gsis", of_kind(table, IndexKind::Global).map(gsi).collect());
    let vectors: Vec<Value> = of_kind(table, IndexKind::Vector).map(vector).collect();
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
        put("provisioned_capacity", json!({"read": whole(capacity.read), "write": whole(capacity.write)}));
    }
    if let Some(view) = &table.stream {
        put("streams", json!({"enabled": true, "view_type": view}));
    }
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

fn projection(projection: &Projection) -> Value {
    match projection_words(projection) {
        (kind, Some(names)) => json!({"type": kind, "attributes": names}),
        (kind, None) => json!({"type": kind}),
    }
}

fn gsi(index: &Index) -> Value {
    let mut out = json!({"index_name": index.name});
    let key = key_schema("partition_key", "sort_key", &index.keys.hash, &index.keys.range);
    if let (Some(out), Value::Object(key)) = (out.as_object_mut(), key) {
        out.extend(key);
    }
    out["projection"] = projection(&index.projection);
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

fn pattern(pattern: &Pattern, catalogue: &Catalogue, assumed: &mut Told) -> Option<Value> {
    let table = crate::read::own::lower::table_of(catalogue, pattern)?;
    let operation = pattern.operation?;
    // Local indexes are not in the shape, and a pattern may not name what is not there.
    let known = |name: &String| {
        let index = catalogue.table(&table).and_then(|table| table.index(name));
        index.is_some_and(|index| index.kind != IndexKind::Local)
    };
    if pattern.index.as_ref().is_some_and(|name| !known(name)) {
        return None;
    }
    let mut out = json!({
        "pattern_id": pattern.id, "description": pattern.name, "operation": operation.name(), "table": table, "index": pattern.index,
    });
    if pattern.peak_rps.is_none() {
        assumed.add("the shape demands a peak rate, which is not stated, and is left out", &pattern.id);
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
    let consistency = match pattern.strong {
        _ if transactional => Some("transactional"),
        Some(true) => Some("strong"),
        Some(false) => Some("eventual"),
        None => None,
    };
    if let Some(consistency) = consistency {
        out["consistency"] = json!(consistency);
    }
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
