//! `AWS::DynamoDB::GlobalTable`: what holds everywhere, and what each replica has of its own.

use super::Reading;
use super::table::{SSE, expiry_and_stream, insights_of_indexes, misspelt, settings};
use crate::catalogue::{Billing, Capacity, Consistency, Encryption, Scaling, Table, Units};
use crate::read::iac::aws;
use crate::read::iac::context::Context;
use crate::read::iac::settings::{ON_DEMAND, WARM, encryption, one, units};
use crate::read::iac::tree::Tree;

const PROPERTIES: [&str; 19] = [
    "TableName",
    "KeySchema",
    "AttributeDefinitions",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "VectorIndexes",
    "BillingMode",
    "WriteProvisionedThroughputSettings",
    "WriteOnDemandThroughputSettings",
    "ReadOnDemandThroughputSettings",
    "ReadProvisionedThroughputSettings",
    "WarmThroughput",
    "TimeToLiveSpecification",
    "StreamSpecification",
    "SSESpecification",
    "MultiRegionConsistency",
    "GlobalTableWitnesses",
    "GlobalTableSourceArn",
    "Replicas",
];

impl Reading<'_, '_> {
    /// A table of several regions, as its stack's region sees it.
    pub(super) fn global(&mut self, id: &str, properties: &Tree) -> Table {
        misspelt(self.context, properties, &PROPERTIES);
        let mut table = Table::default();
        aws::schema(self.context, properties, &mut table);
        let own = self.own_replica(id, properties, &mut table);
        table.replica_consistency = self.consistency(properties, &table);
        expiry_and_stream(self.context, properties, &mut table);
        if let Some(own) = own {
            settings(self.context, own, &mut table);
            insights_of_indexes(self.context, own, &mut table);
        }
        table.encryption = self.encryption(properties, own);
        table.warm = units(self.context, properties.get("WarmThroughput"), WARM);
        self.limits(properties, own, &mut table);
        self.throughput(properties, own, &mut table);
        table
    }

    /// Whether a key of the account is used holds everywhere; which one, by replica.
    fn encryption(&mut self, properties: &Tree, own: Option<&Tree>) -> Option<Encryption> {
        let of_all = encryption(self.context, properties.get("SSESpecification"), SSE)?;
        let key = own.and_then(|own| own.at(&["SSESpecification", "KMSMasterKeyId"]));
        match (of_all, key) {
            (Encryption::Managed, Some(key)) => {
                Some(Encryption::Key(self.context.text(Some(key), "KMSMasterKeyId")))
            }
            (of_all, _) => Some(of_all),
        }
    }

    /// Most units on demand: of writes for all replicas, of reads by replica or for all.
    fn limits(&mut self, properties: &Tree, own: Option<&Tree>, table: &mut Table) {
        table.on_demand_max = limits(self.context, properties, own);
        let listed = |node: Option<&'_ Tree>, name: &str| {
            let entries = node.and_then(|node| node.get("GlobalSecondaryIndexes"));
            let mut entries = entries.map_or(&[][..], Tree::elements).iter();
            entries
                .find(|entry| entry.get("IndexName").and_then(Tree::scalar).as_deref() == Some(name))
                .cloned()
        };
        for index in &mut table.indexes {
            let Some(declared) = listed(Some(properties), &index.name) else { continue };
            let here = listed(own, &index.name);
            index.on_demand_max = limits(self.context, &declared, here.as_ref());
        }
    }

    /// The replica of the stack's region; the others' regions go into the table.
    fn own_replica<'t>(&mut self, id: &str, properties: &'t Tree, table: &mut Table) -> Option<&'t Tree> {
        let here = match self.evaluator.evaluate(&super::super::evaluate::region()) {
            Some(region) => region.scalar(),
            None => None,
        };
        let mut replicas = Vec::new();
        for replica in self.context.list(properties.get("Replicas"), "Replicas") {
            let region = self.context.text(replica.get("Region"), "Region of a replica");
            replicas.push((region, replica));
        }
        let own = replicas.iter().position(|(region, _)| region.is_some() && *region == here);
        if own.is_none() && replicas.len() > 1 {
            let message = format!(
                "no replica of {id} is in the stack's region, so the first is taken as its own; give --parameter AWS::Region=REGION"
            );
            self.context.note(properties.mark, message);
        }
        let own = own.unwrap_or(0);
        for (at, (region, _)) in replicas.iter().enumerate() {
            if at != own {
                table.replicas.extend(region.clone());
            }
        }
        replicas.get(own).map(|(_, replica)| *replica)
    }

    fn consistency(&mut self, properties: &Tree, table: &Table) -> Option<Consistency> {
        let mode = self.context.text(properties.get("MultiRegionConsistency"), "MultiRegionConsistency");
        match mode.as_deref() {
            Some("STRONG") => Some(Consistency::Strong),
            _ => (!table.replicas.is_empty()).then_some(Consistency::Eventual),
        }
    }

    /// Reads are paid by replica, writes for all of them.
    fn throughput(&mut self, properties: &Tree, own: Option<&Tree>, table: &mut Table) {
        let context = &mut *self.context;
        let read = own.and_then(|own| own.get("ReadProvisionedThroughputSettings"));
        let read = read.or_else(|| properties.get("ReadProvisionedThroughputSettings"));
        let (read, read_scaling) = side(context, read, "Read");
        let write = properties.get("WriteProvisionedThroughputSettings");
        let (write, write_scaling) = side(context, write, "Write");
        table.billing = aws::billing(context, properties.get("BillingMode"), both(read, write));
        if !matches!(table.billing, Some(Billing::Provisioned(_))) {
            return;
        }
        table.scaling = [read_scaling, write_scaling];
        for declared in properties.get("GlobalSecondaryIndexes").map_or(&[][..], Tree::elements) {
            let name = declared.get("IndexName").and_then(Tree::scalar);
            let Some(index) = table.indexes.iter_mut().find(|index| Some(&index.name) == name.as_ref())
            else {
                continue;
            };
            let here = own.and_then(|own| own.get("GlobalSecondaryIndexes")).map_or(&[][..], Tree::elements);
            let here = here.iter().find(|entry| entry.get("IndexName").and_then(Tree::scalar) == name);
            let read = here.and_then(|entry| entry.get("ReadProvisionedThroughputSettings"));
            let read = read.or_else(|| declared.get("ReadProvisionedThroughputSettings"));
            let (read, read_scaling) = side(context, read, "Read");
            let (write, write_scaling) =
                side(context, declared.get("WriteProvisionedThroughputSettings"), "Write");
            index.capacity = both(read, write);
            index.scaling = [read_scaling, write_scaling];
        }
    }
}

/// `WriteOnDemandThroughputSettings`, and `ReadOnDemandThroughputSettings` of the replica, else of all.
fn limits(context: &mut Context<'_>, of_all: &Tree, here: Option<&Tree>) -> Units {
    let [read, write] = ON_DEMAND;
    let reads = here.and_then(|here| here.get("ReadOnDemandThroughputSettings"));
    let reads = reads.or_else(|| of_all.get("ReadOnDemandThroughputSettings"));
    Units {
        read: reads.and_then(|node| one(context, node, read)),
        write: of_all.get("WriteOnDemandThroughputSettings").and_then(|node| one(context, node, write)),
    }
}

fn both(read: Option<f64>, write: Option<f64>) -> Option<Capacity> {
    Some(Capacity { read: read?, write: write? })
}

/// Units and scaling of reads or writes. Scaled capacity starts at its seed, else at its minimum.
fn side(context: &mut Context<'_>, node: Option<&Tree>, word: &str) -> (Option<f64>, Option<Scaling>) {
    let Some(node) = node else { return (None, None) };
    if node.why_unknown().is_some() {
        return (context.number(Some(node), "capacity"), None);
    }
    let fixed = context.number(node.get(&format!("{word}CapacityUnits")), "capacity");
    let Some(auto) = node.get(&format!("{word}CapacityAutoScalingSettings")) else { return (fixed, None) };
    let min = context.number(auto.get("MinCapacity"), "MinCapacity");
    let max = context.number(auto.get("MaxCapacity"), "MaxCapacity");
    let seed = context.number(auto.get("SeedCapacity"), "SeedCapacity");
    let tracking = auto.get("TargetTrackingScalingPolicyConfiguration");
    let target = context.number(tracking.and_then(|node| node.get("TargetValue")), "TargetValue");
    let disable = context.flag(tracking.and_then(|node| node.get("DisableScaleIn")), "DisableScaleIn");
    let scaling = match (min, max, target) {
        (Some(min), Some(max), Some(target)) => {
            Some(Scaling { min, max, target, disable_scale_in: disable.unwrap_or(false) })
        }
        _ => None,
    };
    (fixed.or(seed).or(min), scaling)
}
