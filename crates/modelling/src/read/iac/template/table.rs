//! `AWS::DynamoDB::Table`.

use super::Reading;
use crate::catalogue::{IndexKind, Table};
use crate::read::fields::nearest;
use crate::read::iac::aws;
use crate::read::iac::context::Context;
use crate::read::iac::settings::{ON_DEMAND, WARM, encryption, insights, kinesis, policy, units};
use crate::read::iac::tree::Tree;

/// Every property of the resource type.
const PROPERTIES: [&str; 20] = [
    "TableName",
    "KeySchema",
    "AttributeDefinitions",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "VectorIndexes",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
    "TimeToLiveSpecification",
    "StreamSpecification",
    "KinesisStreamSpecification",
    "PointInTimeRecoverySpecification",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
    "ContributorInsightsSpecification",
    "ResourcePolicy",
    "ImportSourceSpecification",
];

impl Reading<'_, '_> {
    /// A table of one region.
    pub(super) fn plain(&mut self, properties: &Tree) -> Table {
        let context = &mut *self.context;
        misspelt(context, properties, &PROPERTIES);
        let mut table = Table::default();
        aws::schema(context, properties, &mut table);
        let capacity = properties.get("ProvisionedThroughput");
        let capacity = aws::capacity(context, capacity, "ReadCapacityUnits", "WriteCapacityUnits");
        table.billing = aws::billing(context, properties.get("BillingMode"), capacity);
        settings(context, properties, &mut table);
        table.warm = units(context, properties.get("WarmThroughput"), WARM);
        table.on_demand_max = units(context, properties.get("OnDemandThroughput"), ON_DEMAND);
        insights_of_indexes(context, properties, &mut table);
        expiry_and_stream(context, properties, &mut table);
        table
    }
}

/// Notes a property that the type does not have.
pub(super) fn misspelt(context: &mut Context<'_>, properties: &Tree, known: &[&str]) {
    for (name, node) in properties.entries() {
        if known.contains(&name.as_str()) || name == "Tags" {
            continue;
        }
        let advice = nearest(name, known).map_or_else(String::new, |near| format!("; did you mean {near}?"));
        context.note(node.mark, format!("property {name} is not known{advice}"));
    }
}

/// Contributor insights of the global indexes that a table or a replica lists.
pub(super) fn insights_of_indexes(context: &mut Context<'_>, node: &Tree, table: &mut Table) {
    let listed = node.get("GlobalSecondaryIndexes").map_or(&[][..], Tree::elements);
    for index in table.indexes.iter_mut().filter(|index| index.kind == IndexKind::Global) {
        let named = |entry: &&Tree| entry.get("IndexName").and_then(Tree::scalar) == Some(index.name.clone());
        let entry = listed.iter().find(named);
        let written = entry.and_then(|entry| entry.get("ContributorInsightsSpecification"));
        index.insights = insights(context, written);
    }
}

/// Recovery, class, protection and the like, which are off where they are not written.
pub(super) fn settings(context: &mut Context<'_>, node: &Tree, table: &mut Table) {
    let recovery = match node.get("PointInTimeRecoverySpecification") {
        Some(unknown) if unknown.why_unknown().is_some() => Some(unknown),
        specification => specification.and_then(|node| node.get("PointInTimeRecoveryEnabled")),
    };
    table.recovery = aws::off_unless(context, recovery, "PointInTimeRecoveryEnabled");
    table.infrequent_access = aws::infrequent(context, node.get("TableClass"));
    table.protection =
        aws::off_unless(context, node.get("DeletionProtectionEnabled"), "DeletionProtectionEnabled");
    table.encryption = encryption(context, node.get("SSESpecification"), SSE);
    table.insights = insights(context, node.get("ContributorInsightsSpecification"));
    table.kinesis = node
        .get("KinesisStreamSpecification")
        .map(|node| kinesis(context, node, ["StreamArn", "ApproximateCreationDateTimePrecision"]));
    table.policy =
        policy(context, node.get("ResourcePolicy").map(|node| node.get("PolicyDocument").unwrap_or(node)));
}

/// What `SSESpecification` calls its parts.
pub(super) const SSE: [&str; 2] = ["SSEEnabled", "KMSMasterKeyId"];

/// Time to live and the stream. A specification of a stream is a stream: there is no flag beside it.
pub(super) fn expiry_and_stream(context: &mut Context<'_>, properties: &Tree, table: &mut Table) {
    if let Some(expiry) = properties.get("TimeToLiveSpecification") {
        let enabled = context.flag(expiry.get("Enabled"), "Enabled").unwrap_or(true);
        let attribute = context.text(expiry.get("AttributeName"), "AttributeName of TimeToLiveSpecification");
        table.ttl = attribute.filter(|_| enabled);
    }
    if let Some(stream) = properties.get("StreamSpecification") {
        table.stream = context.text(stream.get("StreamViewType"), "StreamViewType");
    }
}
