//! `AWS::DynamoDB::GlobalTable`: writes are set for all replicas, reads and settings for each.

use serde_json::{Map, Value, json};

use super::{Members, common, encryption, insights, settings, stream, tracking, ttl};
use crate::catalogue::{Consistency, Encryption, Index, IndexKind, Scaling, Table};
use crate::write::Told;
use crate::write::words::{self, whole};

/// Utilisation in per cent that is aimed at where the catalogue has no policy, as AWS's console proposes.
const TARGET: f64 = 70.0;

pub(super) fn properties(table: &Table, id: &str, assumed: &mut Told) -> Value {
    let capacity = words::paid(table, assumed);
    let mut out = common(table, id);
    for (member, kind) in words::INDEXES {
        let indexes = words::of_kind(table, kind).map(|one| index(one, table, assumed));
        let indexes: Vec<Value> = indexes.collect();
        out.put(member, (!indexes.is_empty()).then(|| json!(indexes)));
    }
    out.put("BillingMode", Some(json!(if capacity.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" })));
    let writes = capacity.and_then(|units| writes(Some(units.write), table.scaling[1], &table.name, assumed));
    out.put("WriteProvisionedThroughputSettings", writes);
    let most = table.on_demand_max.write;
    out.put(
        "WriteOnDemandThroughputSettings",
        most.map(|units| json!({"MaxWriteRequestUnits": whole(units)})),
    );
    out.put("WarmThroughput", words::warm(table.warm));
    out.put("TimeToLiveSpecification", ttl(table));
    out.put("StreamSpecification", streamed(table, assumed));
    let of_all = table.encryption.as_ref().filter(|one| **one != Encryption::Owned);
    out.put("SSESpecification", of_all.map(|_| json!({"SSEEnabled": true, "SSEType": "KMS"})));
    let strong = table.replica_consistency == Some(Consistency::Strong);
    out.put("MultiRegionConsistency", strong.then(|| json!("STRONG")));
    let reads = capacity.and_then(|units| side(Some(units.read), table.scaling[0], "Read"));
    out.put("Replicas", Some(replicas(table, reads.as_ref())));
    Value::Object(out.0)
}

/// Replicas get their changes by a stream, which the template must have.
fn streamed(table: &Table, assumed: &mut Told) -> Option<Value> {
    if table.stream.is_none() && !table.replicas.is_empty() {
        assumed.add("replicas need a stream, which is written as NEW_AND_OLD_IMAGES", &table.name);
        return Some(json!({"StreamViewType": "NEW_AND_OLD_IMAGES"}));
    }
    stream(table.stream.as_ref())
}

fn index(index: &Index, table: &Table, assumed: &mut Told) -> Value {
    let mut out = Members(words::index(index));
    let name = format!("{}.{}", table.name, index.name);
    let units = index.capacity.map(|units| units.write);
    let writes = writes(units, index.scaling[1], &name, assumed);
    out.put("WriteProvisionedThroughputSettings", writes);
    let most = index.on_demand_max.write;
    out.put(
        "WriteOnDemandThroughputSettings",
        most.map(|units| json!({"MaxWriteRequestUnits": whole(units)})),
    );
    out.put("WarmThroughput", words::warm(index.warm));
    Value::Object(out.0)
}

/// Writes of a global table scale in any case; where no policy is stated, between the same bounds.
fn writes(units: Option<f64>, scaling: Option<Scaling>, name: &str, assumed: &mut Told) -> Option<Value> {
    let assume = |units: f64| {
        let what = "writes of a global table have a policy of scaling, which is written with the capacity as both bounds";
        assumed.add(what, name);
        Scaling { min: units, max: units, target: TARGET, disable_scale_in: false }
    };
    let scaling = scaling.or_else(|| units.map(assume))?;
    side(units, Some(scaling), "Write")
}

/// A policy, which starts at the capacity; or the capacity alone.
fn side(units: Option<f64>, scaling: Option<Scaling>, word: &str) -> Option<Value> {
    let Some(scaling) = scaling else {
        return Some(json!({ format!("{word}CapacityUnits"): whole(units?) }));
    };
    let mut out = Members(Map::new());
    out.put("MinCapacity", Some(whole(scaling.min)));
    out.put("MaxCapacity", Some(whole(scaling.max)));
    let seed = units.filter(|units| (units - scaling.min).abs() > f64::EPSILON);
    out.put("SeedCapacity", seed.map(whole));
    out.put("TargetTrackingScalingPolicyConfiguration", Some(Value::Object(tracking(&scaling))));
    Some(json!({ format!("{word}CapacityAutoScalingSettings"): out.0 }))
}

/// The stack's own region with all settings, and the others with those that are not bound to a region.
fn replicas(table: &Table, reads: Option<&Value>) -> Value {
    let replica = |region: Value, table: &Table| {
        let mut out = Members(Map::new());
        out.put("Region", Some(region));
        out.put("ReadProvisionedThroughputSettings", reads.cloned());
        let most = table.on_demand_max.read;
        out.put(
            "ReadOnDemandThroughputSettings",
            most.map(|units| json!({"MaxReadRequestUnits": whole(units)})),
        );
        let indexes: Vec<Value> =
            words::of_kind(table, IndexKind::Global).filter_map(index_of_replica).collect();
        out.put("GlobalSecondaryIndexes", (!indexes.is_empty()).then(|| json!(indexes)));
        let key = table.encryption.as_ref().and_then(encryption);
        let key = key.and_then(|written| written.get("KMSMasterKeyId").cloned());
        out.put("SSESpecification", key.map(|key| json!({"KMSMasterKeyId": key})));
        settings(&mut out, table);
        Value::Object(out.0)
    };
    let elsewhere = Table { encryption: None, kinesis: None, policy: None, ..table.clone() };
    let others = table.replicas.iter().map(|region| replica(json!(region), &elsewhere));
    std::iter::once(replica(json!({"Ref": "AWS::Region"}), table)).chain(others).collect()
}

fn index_of_replica(index: &Index) -> Option<Value> {
    let mut out = Members(Map::new());
    out.put("IndexName", Some(json!(index.name)));
    let reads = side(index.capacity.map(|units| units.read), index.scaling[0], "Read");
    out.put("ReadProvisionedThroughputSettings", reads);
    let most = index.on_demand_max.read;
    out.put("ReadOnDemandThroughputSettings", most.map(|units| json!({"MaxReadRequestUnits": whole(units)})));
    out.put("ContributorInsightsSpecification", insights(index.insights));
    (out.0.len() > 1).then_some(Value::Object(out.0))
}
