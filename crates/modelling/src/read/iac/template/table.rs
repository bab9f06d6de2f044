//! `AWS::DynamoDB::Table`.

use super::Reading;
use crate::catalogue::Table;
use crate::read::fields::nearest;
use crate::read::iac::aws;
use crate::read::iac::context::Context;
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

/// Recovery, class and protection, which are off where they are not written.
pub(super) fn settings(context: &mut Context<'_>, node: &Tree, table: &mut Table) {
    let recovery = match node.get("PointInTimeRecoverySpecification") {
        Some(unknown) if unknown.why_unknown().is_some() => Some(unknown),
        specification => specification.and_then(|node| node.get("PointInTimeRecoveryEnabled")),
    };
    table.recovery = aws::off_unless(context, recovery, "PointInTimeRecoveryEnabled");
    table.infrequent_access = aws::infrequent(context, node.get("TableClass"));
    table.protection =
        aws::off_unless(context, node.get("DeletionProtectionEnabled"), "DeletionProtectionEnabled");
}

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
