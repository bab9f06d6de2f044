//! A template of CloudFormation: a resource for each table, and for the scaling of each that is no global table.

mod global;

use serde_json::{Map, Value, json};

use super::Told;
use super::words::{self, whole};
use crate::catalogue::{
    Billing, Catalogue, Encryption, Index, IndexKind, KeyType, Kinesis, Resource, Scaling, Table,
};

pub(super) fn write(catalogue: &Catalogue, assumed: &mut Told) -> Value {
    let wanted = catalogue.tables.iter().map(|one| one.logical_id.as_deref().unwrap_or(&one.name));
    let ids = words::distinct(wanted, logical);
    let mut resources = Map::new();
    for (table, id) in catalogue.tables.iter().zip(&ids) {
        let kind = resource(table);
        let properties = match kind {
            Resource::Table => plain(table, id, assumed),
            Resource::GlobalTable => global::properties(table, id, assumed),
            Resource::SimpleTable => simple(table, id),
        };
        resources.insert(id.clone(), json!({"Type": kind.name(), "Properties": properties}));
    }
    for (table, id) in
        catalogue.tables.iter().zip(&ids).filter(|(one, _)| resource(one) != Resource::GlobalTable)
    {
        scaling(table, id, &mut resources);
    }
    let mut out = Map::new();
    out.insert("AWSTemplateFormatVersion".to_owned(), json!("2010-09-09"));
    if catalogue.tables.iter().any(|table| resource(table) == Resource::SimpleTable) {
        out.insert("Transform".to_owned(), json!("AWS::Serverless-2016-10-31"));
    }
    out.insert("Resources".to_owned(), Value::Object(resources));
    Value::Object(out)
}

/// The letters and digits of a name: all that a logical id may have.
fn logical(name: &str) -> String {
    let id: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    if id.is_empty() { "Table".to_owned() } else { id }
}

/// The type that the table was made with, else the one that it needs: only a global table has replicas.
fn resource(table: &Table) -> Resource {
    match table.resource {
        Some(Resource::SimpleTable) if is_simple(table) => Resource::SimpleTable,
        Some(Resource::GlobalTable) => Resource::GlobalTable,
        _ if table.replicas.is_empty() => Resource::Table,
        _ => Resource::GlobalTable,
    }
}

fn is_simple(table: &Table) -> bool {
    table.keys.range.is_empty() && table.indexes.is_empty() && table.replicas.is_empty()
}

/// Members of a map, left out where they are not stated.
struct Members(Map<String, Value>);

impl Members {
    fn put(&mut self, member: &str, value: Option<Value>) {
        self.0.extend(value.map(|value| (member.to_owned(), value)));
    }
}

/// Name, keys and what stands in the properties of every type of table.
fn common(table: &Table, id: &str) -> Members {
    let mut out = Members(Map::new());
    out.put("TableName", (table.name != id).then(|| json!(table.name)));
    out.put("AttributeDefinitions", Some(words::definitions(table)));
    out.put("KeySchema", Some(words::key_schema(&table.keys)));
    out
}

fn plain(table: &Table, id: &str, assumed: &mut Told) -> Value {
    let capacity = words::paid(table, assumed);
    let mut out = common(table, id);
    for (member, kind) in words::INDEXES {
        let indexes: Vec<Value> = words::of_kind(table, kind).map(|one| Value::Object(index(one))).collect();
        out.put(member, (!indexes.is_empty()).then(|| json!(indexes)));
    }
    out.put("BillingMode", Some(json!(if capacity.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" })));
    out.put("ProvisionedThroughput", capacity.map(words::throughput));
    out.put("OnDemandThroughput", words::on_demand(table.on_demand_max));
    out.put("WarmThroughput", words::warm(table.warm));
    out.put("TimeToLiveSpecification", ttl(table));
    out.put("StreamSpecification", stream(table.stream.as_ref()));
    out.put("SSESpecification", table.encryption.as_ref().and_then(encryption));
    settings(&mut out, table);
    Value::Object(out.0)
}

fn index(index: &Index) -> Map<String, Value> {
    let mut out = Members(words::index(index));
    out.put("ProvisionedThroughput", index.capacity.map(words::throughput));
    out.put("OnDemandThroughput", words::on_demand(index.on_demand_max));
    out.put("WarmThroughput", words::warm(index.warm));
    out.put("ContributorInsightsSpecification", insights(index.insights));
    out.0
}

fn simple(table: &Table, id: &str) -> Value {
    let name = table.keys.hash.first().map_or("id", String::as_str);
    let kind = match table.definitions.get(name) {
        Some(KeyType::N) => "Number",
        Some(KeyType::B) => "Binary",
        _ => "String",
    };
    let mut out = Members(Map::new());
    out.put("TableName", (table.name != id).then(|| json!(table.name)));
    out.put("PrimaryKey", Some(json!({"Name": name, "Type": kind})));
    if let Some(Billing::Provisioned(Some(capacity))) = table.billing {
        out.put("ProvisionedThroughput", Some(words::throughput(capacity)));
    }
    out.put("SSESpecification", table.encryption.as_ref().and_then(encryption));
    out.put("PointInTimeRecoverySpecification", recovery(table));
    Value::Object(out.0)
}

fn ttl(table: &Table) -> Option<Value> {
    table.ttl.as_ref().map(|name| json!({"AttributeName": name, "Enabled": true}))
}

fn stream(view: Option<&String>) -> Option<Value> {
    view.map(|view| json!({"StreamViewType": view}))
}

fn recovery(table: &Table) -> Option<Value> {
    table.recovery.filter(|on| *on).map(|on| json!({"PointInTimeRecoveryEnabled": on}))
}

fn insights(insights: Option<crate::catalogue::Insights>) -> Option<Value> {
    words::insights_mode(insights).map(|mode| json!({"Enabled": true, "Mode": mode}))
}

/// A key that AWS owns is the default, and is not written.
fn encryption(encryption: &Encryption) -> Option<Value> {
    match encryption {
        Encryption::Owned => None,
        Encryption::Managed | Encryption::Key(None) => Some(json!({"SSEEnabled": true, "SSEType": "KMS"})),
        Encryption::Key(Some(key)) => {
            Some(json!({"SSEEnabled": true, "SSEType": "KMS", "KMSMasterKeyId": key}))
        }
    }
}

/// What a table has, and of a global table its replica.
fn settings(out: &mut Members, table: &Table) {
    out.put("KinesisStreamSpecification", table.kinesis.as_ref().and_then(kinesis));
    out.put("PointInTimeRecoverySpecification", recovery(table));
    let infrequent = table.infrequent_access == Some(true);
    out.put("TableClass", infrequent.then(|| json!("STANDARD_INFREQUENT_ACCESS")));
    out.put("DeletionProtectionEnabled", table.protection.filter(|on| *on).map(|on| json!(on)));
    out.put("ContributorInsightsSpecification", insights(table.insights));
    out.put("ResourcePolicy", table.policy.as_ref().map(|policy| json!({"PolicyDocument": policy})));
}

fn kinesis(kinesis: &Kinesis) -> Option<Value> {
    let mut out = Members(Map::new());
    out.put("StreamArn", Some(json!(kinesis.stream.as_ref()?)));
    let precision = kinesis.precision.as_ref();
    out.put("ApproximateCreationDateTimePrecision", precision.map(|precision| json!(precision)));
    Some(Value::Object(out.0))
}

/// A target and a policy for each side that scales.
fn scaling(table: &Table, id: &str, resources: &mut Map<String, Value>) {
    one_scaling(&table.scaling, id, id, None, resources);
    for index in words::of_kind(table, IndexKind::Global) {
        one_scaling(
            &index.scaling,
            &format!("{id}{}", logical(&index.name)),
            id,
            Some(&index.name),
            resources,
        );
    }
}

fn one_scaling(
    scaling: &[Option<Scaling>; 2],
    prefix: &str,
    table: &str,
    index: Option<&str>,
    resources: &mut Map<String, Value>,
) {
    for (side, scaling) in ["Read", "Write"].into_iter().zip(scaling) {
        let Some(scaling) = scaling else { continue };
        let tail = index.map_or_else(String::new, |index| format!("/index/{index}"));
        let what = if index.is_some() { "index" } else { "table" };
        let target = format!("{prefix}{side}Target");
        let properties = json!({
            "ServiceNamespace": "dynamodb",
            "ResourceId": {"Fn::Sub": format!("table/${{{table}}}{tail}")},
            "ScalableDimension": format!("dynamodb:{what}:{side}CapacityUnits"),
            "MinCapacity": whole(scaling.min), "MaxCapacity": whole(scaling.max),
        });
        let resource =
            json!({"Type": "AWS::ApplicationAutoScaling::ScalableTarget", "Properties": properties});
        resources.insert(target.clone(), resource);
        let mut tracking = tracking(scaling);
        tracking.insert(
            "PredefinedMetricSpecification".to_owned(),
            json!({"PredefinedMetricType": format!("DynamoDB{side}CapacityUtilization")}),
        );
        let properties = json!({
            "PolicyName": format!("{prefix}{side}"), "PolicyType": "TargetTrackingScaling",
            "ScalingTargetId": {"Ref": target}, "TargetTrackingScalingPolicyConfiguration": tracking,
        });
        let resource =
            json!({"Type": "AWS::ApplicationAutoScaling::ScalingPolicy", "Properties": properties});
        resources.insert(format!("{prefix}{side}Policy"), resource);
    }
}

fn tracking(scaling: &Scaling) -> Map<String, Value> {
    let mut out = Members(Map::new());
    out.put("TargetValue", Some(whole(scaling.target)));
    out.put("DisableScaleIn", scaling.disable_scale_in.then(|| json!(true)));
    out.0
}
