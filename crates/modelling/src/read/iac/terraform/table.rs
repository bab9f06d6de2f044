//! Arguments of `aws_dynamodb_table` and of the indexes that are resources of their own.

use serde_json::{Map, Value as Json, json};

use super::{Resource, argument, block, typed};
use crate::catalogue::{
    Billing, Capacity, Consistency, Index, IndexKind, Insights, Keys, Projection, Table, Units,
};
use crate::read::iac::context::Context;
use crate::read::iac::tree::Tree;
use crate::read::iac::{aws, settings};

/// The table of a resource; `id` is its name where the file does not tell it.
pub(super) fn table(context: &mut Context<'_>, resource: &Resource, id: &str) -> Table {
    let values = &resource.values;
    let mut table =
        Table { name: name(context, values, id), logical_id: Some(id.to_owned()), ..Table::default() };
    table.keys = keys(context, values);
    for attribute in context.list(values.get("attribute"), "attribute blocks") {
        let name = context.name(attribute.get("name"), attribute.mark, "name of an attribute");
        let kind = attribute.get("type");
        let known = context.name(kind, attribute.mark, "type of an attribute");
        if let (Some(name), Some(_), Some(kind)) = (name, known, kind) {
            table.definitions.extend(typed(context, kind, kind.mark).map(|kind| (name, kind)));
        }
    }
    let is_provisioned = argument(values, "billing_mode").and_then(Tree::as_text) != Some("PAY_PER_REQUEST");
    let capacity = is_provisioned.then(|| both(context, values, "read_capacity", "write_capacity")).flatten();
    table.billing = aws::billing(context, argument(values, "billing_mode"), capacity);
    for element in context.list(values.get("global_secondary_index"), "global_secondary_index blocks") {
        table.indexes.extend(global(context, element, is_provisioned));
    }
    for element in context.list(values.get("local_secondary_index"), "local_secondary_index blocks") {
        table.indexes.extend(local(context, element, &table.keys));
    }
    settings(context, values, &mut table);
    replicas(context, values, &mut table);
    table
}

fn name(context: &mut Context<'_>, values: &Tree, id: &str) -> String {
    match argument(values, "name") {
        Some(node) if node.why_unknown().is_none() => {
            context.text(Some(node), "name").unwrap_or_else(|| id.to_owned())
        }
        unknown => {
            let why = unknown.and_then(Tree::why_unknown).unwrap_or("it is made at deployment");
            let mark = unknown.map_or(values.mark, |node| node.mark);
            context.note(mark, format!("the name of table {id} is not known, so it is called {id}: {why}"));
            id.to_owned()
        }
    }
}

/// Keys: `key_schema` blocks, else `hash_key` and `range_key`.
fn keys(context: &mut Context<'_>, values: &Tree) -> Keys {
    let schema = context.list(values.get("key_schema"), "key_schema blocks");
    if !schema.is_empty() {
        return schema_keys(context, schema);
    }
    let hash = context.name(argument(values, "hash_key"), values.mark, "hash_key");
    let range =
        argument(values, "range_key").and_then(|node| context.name(Some(node), node.mark, "range_key"));
    Keys { hash: hash.into_iter().collect(), range: range.into_iter().collect() }
}

fn schema_keys(context: &mut Context<'_>, schema: &[Tree]) -> Keys {
    let mut keys = Keys::default();
    for element in schema {
        let name = context.name(element.get("attribute_name"), element.mark, "attribute_name");
        let kind = context.name(element.get("key_type"), element.mark, "key_type");
        match kind.as_deref() {
            Some("HASH") => keys.hash.extend(name),
            Some("RANGE") => keys.range.extend(name),
            Some(_) => context.problem(element.mark, "key_type must be HASH or RANGE"),
            None => {}
        }
    }
    keys
}

/// Units of reads and writes, where both are known and not 0: a state says 0 for what is on demand.
fn both(context: &mut Context<'_>, values: &Tree, read: &str, write: &str) -> Option<Capacity> {
    let units = |context: &mut Context<'_>, name: &str| {
        context.number(values.get(name), name).filter(|units| *units > 0.0)
    };
    let (read, write) = (units(context, read), units(context, write));
    Some(Capacity { read: read?, write: write? })
}

fn projection(context: &mut Context<'_>, values: &Tree) -> Projection {
    let values = block(values, "projection").unwrap_or(values);
    let node = argument(values, "projection_type");
    let Some(kind) = context.name(node, values.mark, "projection_type") else { return Projection::All };
    let attributes = aws::names(context, values.get("non_key_attributes"), "non_key_attributes");
    aws::projection_of(context, &kind, attributes, node.map_or(values.mark, |node| node.mark))
}

fn global(context: &mut Context<'_>, values: &Tree, is_provisioned: bool) -> Option<Index> {
    let name = context.name(values.get("name"), values.mark, "name of an index")?;
    let keys = keys(context, values);
    let projection = projection(context, values);
    let mut index = aws::bare_index(name, IndexKind::Global, keys, projection);
    if is_provisioned {
        index.capacity = both(context, values, "read_capacity", "write_capacity");
    }
    index.insights = Some(Insights::Off);
    (index.warm, index.on_demand_max) = throughput(context, values);
    Some(index)
}

/// A local index has the table's partition key.
fn local(context: &mut Context<'_>, values: &Tree, table: &Keys) -> Option<Index> {
    let name = context.name(values.get("name"), values.mark, "name of an index")?;
    let range = context.name(argument(values, "range_key"), values.mark, "range_key").into_iter().collect();
    let projection = projection(context, values);
    Some(aws::bare_index(name, IndexKind::Local, Keys { hash: table.hash.clone(), range }, projection))
}

fn settings(context: &mut Context<'_>, values: &Tree, table: &mut Table) {
    if let Some(expiry) = block(values, "ttl") {
        let enabled = context.flag(expiry.get("enabled"), "enabled").unwrap_or(false);
        table.ttl =
            context.text(argument(expiry, "attribute_name"), "attribute_name of ttl").filter(|_| enabled);
    }
    if context.flag(values.get("stream_enabled"), "stream_enabled") == Some(true) {
        table.stream = context.text(argument(values, "stream_view_type"), "stream_view_type");
    }
    let recovery = block(values, "point_in_time_recovery");
    let recovery =
        recovery.and_then(|node| if node.why_unknown().is_some() { Some(node) } else { node.get("enabled") });
    table.recovery = aws::off_unless(context, recovery, "point_in_time_recovery");
    table.infrequent_access = aws::infrequent(context, argument(values, "table_class"));
    table.protection =
        aws::off_unless(context, values.get("deletion_protection_enabled"), "deletion_protection_enabled");
    let key = block(values, "server_side_encryption");
    table.encryption = settings::encryption(context, key, ["enabled", "kms_key_arn"]);
    // A resource of its own turns them on.
    table.insights = Some(Insights::Off);
    (table.warm, table.on_demand_max) = throughput(context, values);
}

/// Throughput that is kept warm, and the most on demand.
fn throughput(context: &mut Context<'_>, values: &Tree) -> (Units, Units) {
    let warm = ["read_units_per_second", "write_units_per_second"];
    let most = ["max_read_request_units", "max_write_request_units"];
    let warm = settings::units(context, block(values, "warm_throughput"), warm);
    (warm, settings::units(context, block(values, "on_demand_throughput"), most))
}

/// `aws_dynamodb_contributor_insights`, of the table or of one of its indexes.
pub(super) fn insights(context: &mut Context<'_>, values: &Tree, table: &mut Table) {
    let mode = settings::mode(context, argument(values, "mode"));
    let Some(index) = argument(values, "index_name") else {
        table.insights = mode;
        return;
    };
    let name = index.as_text();
    match table.indexes.iter_mut().find(|index| Some(index.name.as_str()) == name) {
        Some(index) => index.insights = mode,
        None => context.note(index.mark, "insights of an index that is not in the file, left out"),
    }
}

/// `aws_dynamodb_kinesis_streaming_destination`.
pub(super) fn kinesis(context: &mut Context<'_>, values: &Tree, table: &mut Table) {
    let names = ["stream_arn", "approximate_creation_date_time_precision"];
    let kinesis = settings::kinesis(context, values, names);
    if table.kinesis.is_some() {
        context.note(values.mark, format!("a second Kinesis stream of {}, left out", table.name));
    }
    table.kinesis.get_or_insert(kinesis);
}

fn replicas(context: &mut Context<'_>, values: &Tree, table: &mut Table) {
    // A plan may leave the set of replicas open: then there are none that the file declares.
    let replicas = values.get("replica").map_or(&[][..], Tree::elements);
    let mut is_strong = false;
    for replica in replicas {
        table.replicas.extend(context.text(replica.get("region_name"), "region_name"));
        is_strong |= replica.get("consistency_mode").and_then(Tree::as_text) == Some("STRONG");
    }
    if !table.replicas.is_empty() {
        table.replica_consistency = Some(if is_strong { Consistency::Strong } else { Consistency::Eventual });
    }
}

/// `aws_dynamodb_global_secondary_index`.
pub(super) fn separate_index(context: &mut Context<'_>, values: &Tree, table: &mut Table) {
    let name = values.get("index_name").or_else(|| values.get("name"));
    let Some(name) = context.name(name, values.mark, "index_name") else { return };
    let schema = context.list(values.get("key_schema"), "key_schema blocks");
    let keys = schema_keys(context, schema);
    define(context, schema, table);
    let projection = projection(context, values);
    let mut index = aws::bare_index(name, IndexKind::Global, keys, projection);
    if table.billing != Some(Billing::OnDemand)
        && let Some(units) = block(values, "provisioned_throughput")
    {
        index.capacity = both(context, units, "read_capacity_units", "write_capacity_units");
    }
    index.insights = Some(Insights::Off);
    (index.warm, index.on_demand_max) = throughput(context, values);
    table.indexes.push(index);
}

/// Adds the types that an index gives its own attributes.
fn define(context: &mut Context<'_>, elements: &[Tree], table: &mut Table) {
    for element in elements {
        let name = element.get("attribute_name").and_then(Tree::scalar);
        if let (Some(name), Some(kind)) = (name, element.get("attribute_type"))
            && let Some(kind) = typed(context, kind, kind.mark)
        {
            table.definitions.entry(name).or_insert(kind);
        }
    }
}

/// `aws_dynamodb_vector_index`.
pub(super) fn vector_index(context: &mut Context<'_>, values: &Tree, table: &mut Table) {
    let Some(name) = context.name(values.get("index_name"), values.mark, "index_name") else { return };
    let schema = context.list(values.get("search_schema"), "search_schema blocks");
    let (mut hash, mut elements) = (Vec::new(), Vec::new());
    for element in schema {
        let attribute = context.name(element.get("attribute_name"), element.mark, "attribute_name");
        let kind = context.name(element.get("type"), element.mark, "type of search_schema");
        let (Some(attribute), Some(kind)) = (attribute, kind) else { continue };
        elements.push(json!({ "AttributeName": attribute, "SearchSchemaElementType": kind }));
        if kind == "HASH" {
            hash.push(attribute);
        }
    }
    define(context, schema, table);
    let projection = projection(context, values);
    let mut index = aws::bare_index(name, IndexKind::Vector, Keys { hash, range: Vec::new() }, projection);
    index.vector = Some(vector_words(context, values, elements));
    table.indexes.push(index);
}

fn vector_words(context: &mut Context<'_>, values: &Tree, schema: Vec<Json>) -> Map<String, Json> {
    let mut words = Map::new();
    let attribute = block(values, "vector_attribute").and_then(|node| node.get("attribute_name"));
    if let Some(name) = context.name(attribute, values.mark, "vector_attribute") {
        words.insert("VectorAttribute".to_owned(), json!({ "AttributeName": name }));
    }
    if !schema.is_empty() {
        words.insert("SearchSchema".to_owned(), Json::Array(schema));
    }
    if let Some(function) = context.text(values.get("distance_function"), "distance_function") {
        words.insert("DistanceFunction".to_owned(), Json::String(function));
    }
    if let Some(dimensions) = context.number(values.get("dimensions"), "dimensions") {
        words.insert("Dimensions".to_owned(), aws::whole(dimensions));
    }
    words
}
