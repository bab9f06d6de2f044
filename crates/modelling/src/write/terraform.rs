//! Terraform's language in JSON, as `main.tf.json` holds it.
//!
//! Sample items are not written, though Terraform has a resource for items: they would be put into the tables of production.

use serde_json::{Map, Value, json};

use super::Told;
use super::words::{self, projection_words, whole};
use crate::catalogue::{
    Catalogue, Consistency, Encryption, Index, IndexKind, Keys, Projection, Scaling, Table,
};

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let wanted = catalogue.tables.iter().map(|one| one.logical_id.as_deref().unwrap_or(&one.name));
    let labels = words::distinct(wanted, label);
    let mut out = Resources::default();
    for (table, label) in catalogue.tables.iter().zip(&labels) {
        out.put("aws_dynamodb_table", label, arguments(table, assumed));
        beside(table, label, &mut out);
    }
    json!({"resource": out.0})
}

/// Resources by type, then by label.
#[derive(Default)]
struct Resources(Map<String, Value>);

impl Resources {
    fn put(&mut self, kind: &str, label: &str, arguments: Map<String, Value>) {
        let of_kind = self.0.entry(kind).or_insert_with(|| json!({}));
        of_kind[label] = Value::Object(arguments);
    }
}

/// Arguments, left out where they are not stated.
#[derive(Default)]
struct Arguments(Map<String, Value>);

impl Arguments {
    fn put(&mut self, name: &str, value: Option<Value>) {
        self.0.extend(value.map(|value| (name.to_owned(), value)));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.put(name, Some(literal(text)));
    }
}

/// A label: letters, digits, `_` and `-`, not a digit first.
fn label(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let label: String = name.chars().map(allowed).collect();
    if label.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        label
    } else {
        format!("t{label}")
    }
}

/// A text that is no template.
fn literal(text: &str) -> Value {
    Value::String(text.replace("${", "$${").replace("%{", "%%{"))
}

fn arguments(table: &Table, assumed: &mut Told) -> Map<String, Value> {
    let capacity = words::paid(table, assumed);
    let mut out = Arguments::default();
    out.text("name", &table.name);
    out.text("billing_mode", if capacity.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" });
    out.put("read_capacity", capacity.map(|units| whole(units.read)));
    out.put("write_capacity", capacity.map(|units| whole(units.write)));
    keys(&table.keys, &mut out);
    let inline = table.indexes.iter().filter(|index| index.kind != IndexKind::Vector);
    let inline = Table { indexes: inline.cloned().collect(), ..table.clone() };
    let attributes = words::key_attributes(&inline).into_iter();
    let attributes =
        attributes.map(|name| json!({"name": literal(name), "type": words::key_type(table, name)}));
    out.put("attribute", Some(attributes.collect()));
    for (name, kind) in
        [("global_secondary_index", IndexKind::Global), ("local_secondary_index", IndexKind::Local)]
    {
        let indexes: Vec<Value> = words::of_kind(table, kind).map(index).collect();
        out.put(name, (!indexes.is_empty()).then(|| json!(indexes)));
    }
    settings(table, &mut out, assumed);
    if table.scaling.iter().any(Option::is_some) {
        // Scaling changes both, and Terraform would set them back.
        out.put("lifecycle", Some(json!({"ignore_changes": ["read_capacity", "write_capacity"]})));
    }
    out.0
}

/// `hash_key` and `range_key`, which every version of the provider knows; blocks where there are several.
fn keys(keys: &Keys, out: &mut Arguments) {
    if keys.hash.len() > 1 || keys.range.len() > 1 {
        let of = |names: &[String], kind: &str| {
            names
                .iter()
                .map(|name| json!({"attribute_name": literal(name), "key_type": kind}))
                .collect::<Vec<_>>()
        };
        out.put("key_schema", Some(json!([of(&keys.hash, "HASH"), of(&keys.range, "RANGE")].concat())));
        return;
    }
    out.put("hash_key", keys.hash.first().map(|name| literal(name)));
    out.put("range_key", keys.range.first().map(|name| literal(name)));
}

fn index(index: &Index) -> Value {
    let mut out = Arguments::default();
    out.text("name", &index.name);
    if index.kind == IndexKind::Local {
        out.put("range_key", index.keys.range.first().map(|name| literal(name)));
    } else {
        keys(&index.keys, &mut out);
    }
    projection(&index.projection, &mut out);
    out.put("read_capacity", index.capacity.map(|units| whole(units.read)));
    out.put("write_capacity", index.capacity.map(|units| whole(units.write)));
    throughput(index.warm, index.on_demand_max, &mut out);
    Value::Object(out.0)
}

fn projection(projection: &Projection, out: &mut Arguments) {
    let (kind, names) = projection_words(projection);
    out.text("projection_type", kind);
    out.put("non_key_attributes", names.map(|names| names.iter().map(|name| literal(name)).collect()));
}

fn throughput(warm: crate::catalogue::Units, most: crate::catalogue::Units, out: &mut Arguments) {
    let warm = words::units(warm, ["read_units_per_second", "write_units_per_second"]);
    out.put("warm_throughput", warm);
    out.put(
        "on_demand_throughput",
        words::units(most, ["max_read_request_units", "max_write_request_units"]),
    );
}

fn settings(table: &Table, out: &mut Arguments, assumed: &mut Told) {
    let ttl = table.ttl.as_ref();
    out.put("ttl", ttl.map(|name| json!({"enabled": true, "attribute_name": literal(name)})));
    let mut stream = table.stream.clone();
    if stream.is_none() && !table.replicas.is_empty() {
        assumed.add("replicas need a stream, which is written as NEW_AND_OLD_IMAGES", &table.name);
        stream = Some("NEW_AND_OLD_IMAGES".to_owned());
    }
    out.put("stream_enabled", stream.as_ref().map(|_| json!(true)));
    out.put("stream_view_type", stream.map(|view| json!(view)));
    let on = |flag: Option<bool>| flag.filter(|on| *on);
    out.put("point_in_time_recovery", on(table.recovery).map(|on| json!({"enabled": on})));
    let key = match &table.encryption {
        None | Some(Encryption::Owned) => None,
        Some(Encryption::Managed | Encryption::Key(None)) => Some(json!({"enabled": true})),
        Some(Encryption::Key(Some(key))) => Some(json!({"enabled": true, "kms_key_arn": literal(key)})),
    };
    out.put("server_side_encryption", key);
    let infrequent = on(table.infrequent_access);
    out.put("table_class", infrequent.map(|_| json!("STANDARD_INFREQUENT_ACCESS")));
    out.put("deletion_protection_enabled", on(table.protection).map(|on| json!(on)));
    throughput(table.warm, table.on_demand_max, out);
    let strong = table.replica_consistency == Some(Consistency::Strong);
    let replica = |region: &String| {
        let mut out = Arguments::default();
        out.text("region_name", region);
        out.put("consistency_mode", strong.then(|| json!("STRONG")));
        Value::Object(out.0)
    };
    let replicas: Vec<Value> = table.replicas.iter().map(replica).collect();
    out.put("replica", (!replicas.is_empty()).then(|| json!(replicas)));
}

/// What Terraform keeps in resources of its own: vector indexes, scaling, insights, Kinesis streams, policies.
fn beside(table: &Table, label: &str, out: &mut Resources) {
    let name = json!(format!("${{aws_dynamodb_table.{label}.name}}"));
    for index in words::of_kind(table, IndexKind::Vector) {
        out.put("aws_dynamodb_vector_index", &of_index(label, index), vector(index, table, &name));
    }
    scaling(&table.scaling, label, label, None, out);
    insights(table.insights, label, &name, None, out);
    for index in words::of_kind(table, IndexKind::Global) {
        let place = of_index(label, index);
        scaling(&index.scaling, &place, label, Some(&index.name), out);
        insights(index.insights, &place, &name, Some(&index.name), out);
    }
    if let Some(stream) = table.kinesis.as_ref().and_then(|kinesis| kinesis.stream.as_ref()) {
        let mut arguments = Arguments::default();
        arguments.put("table_name", Some(name.clone()));
        arguments.text("stream_arn", stream);
        let precision = table.kinesis.as_ref().and_then(|kinesis| kinesis.precision.as_ref());
        arguments.put("approximate_creation_date_time_precision", precision.map(|text| json!(text)));
        out.put("aws_dynamodb_kinesis_streaming_destination", label, arguments.0);
    }
    if let Some(policy) = &table.policy {
        let mut arguments = Arguments::default();
        arguments.put("resource_arn", Some(json!(format!("${{aws_dynamodb_table.{label}.arn}}"))));
        arguments.text("policy", &policy.to_string());
        out.put("aws_dynamodb_resource_policy", label, arguments.0);
    }
}

fn of_index(table: &str, index: &Index) -> String {
    format!("{table}_{}", index.name.replace('.', "_"))
}

fn insights(
    insights: Option<crate::catalogue::Insights>,
    label: &str,
    table: &Value,
    index: Option<&str>,
    out: &mut Resources,
) {
    let Some(mode) = words::insights_mode(insights) else { return };
    let mut arguments = Arguments::default();
    arguments.put("table_name", Some(table.clone()));
    arguments.put("index_name", index.map(literal));
    arguments.text("mode", mode);
    out.put("aws_dynamodb_contributor_insights", label, arguments.0);
}

fn vector(index: &Index, table: &Table, name: &Value) -> Map<String, Value> {
    let told = |member: &str| index.vector.as_ref().and_then(|map| map.get(member)).cloned();
    let mut out = Arguments::default();
    out.put("table_name", Some(name.clone()));
    out.text("index_name", &index.name);
    out.put("dimensions", told("Dimensions"));
    out.put("distance_function", told("DistanceFunction"));
    let attribute =
        told("VectorAttribute").and_then(|map| Some(literal(map.get("AttributeName")?.as_str()?)));
    out.put("vector_attribute", attribute.map(|name| json!({"attribute_name": name})));
    let mut inner = Arguments::default();
    projection(&index.projection, &mut inner);
    out.put("projection", Some(Value::Object(inner.0)));
    let element = |element: &Value| {
        let name = element["AttributeName"].as_str().unwrap_or_default();
        json!({"attribute_name": literal(name), "attribute_type": words::key_type(table, name), "type": element["SearchSchemaElementType"]})
    };
    let schema: Vec<Value> = words::search_schema(index).iter().map(element).collect();
    out.put("search_schema", (!schema.is_empty()).then(|| json!(schema)));
    out.0
}

/// A target and a policy for each side that scales.
fn scaling(
    scaling: &[Option<Scaling>; 2],
    place: &str,
    table: &str,
    index: Option<&str>,
    out: &mut Resources,
) {
    for (side, scaling) in ["Read", "Write"].into_iter().zip(scaling) {
        let Some(scaling) = scaling else { continue };
        let label = format!("{place}_{}", side.to_lowercase());
        let tail = index.map_or_else(String::new, |index| format!("/index/{index}"));
        let what = if index.is_some() { "index" } else { "table" };
        let mut target = Arguments::default();
        target.text("service_namespace", "dynamodb");
        target.put("resource_id", Some(json!(format!("table/${{aws_dynamodb_table.{table}.name}}{tail}"))));
        target.text("scalable_dimension", &format!("dynamodb:{what}:{side}CapacityUnits"));
        target.put("min_capacity", Some(whole(scaling.min)));
        target.put("max_capacity", Some(whole(scaling.max)));
        out.put("aws_appautoscaling_target", &label, target.0);
        let mut tracking = Arguments::default();
        let metric = format!("DynamoDB{side}CapacityUtilization");
        tracking.put("predefined_metric_specification", Some(json!({"predefined_metric_type": metric})));
        tracking.put("target_value", Some(whole(scaling.target)));
        tracking.put("disable_scale_in", scaling.disable_scale_in.then(|| json!(true)));
        let mut policy = Arguments::default();
        policy.text("name", &label);
        policy.text("policy_type", "TargetTrackingScaling");
        for argument in ["service_namespace", "resource_id", "scalable_dimension"] {
            let of_target = format!("${{aws_appautoscaling_target.{label}.{argument}}}");
            policy.put(argument, Some(json!(of_target)));
        }
        policy.put("target_tracking_scaling_policy_configuration", Some(Value::Object(tracking.0)));
        out.put("aws_appautoscaling_policy", &label, policy.0);
    }
}
