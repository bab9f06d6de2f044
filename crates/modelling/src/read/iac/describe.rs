//! Answers of DescribeTable: a table as it is, with the sizes that were last counted.
//!
//! An answer may carry beside its table what other operations answer, as whoever asks a running database puts it there:
//! `TimeToLiveDescription`, `ContinuousBackupsDescription`, `KinesisDataStreamDestinations`, `ContributorInsightsStatus` with
//! `ContributorInsightsMode`, and the `Policy` of GetResourcePolicy.

use crate::catalogue::{Consistency, Encryption, IndexKind, Insights, Kinesis, Table};

use super::aws;
use super::context::Context;
use super::settings;
use super::tree::{Tree, Value};

/// The tables of one answer or a list of them.
pub(super) fn tables(root: &Tree, context: &mut Context<'_>) -> Vec<Table> {
    answers(root).iter().filter_map(|answer| table(answer, context)).collect()
}

/// The table of one answer.
pub(super) fn table(answer: &Tree, context: &mut Context<'_>) -> Option<Table> {
    let described = answer.get("Table").or_else(|| answer.get("TableDescription")).unwrap_or(answer);
    let name = context.name(described.get("TableName"), described.mark, "TableName")?;
    let mut table = Table { name, ..Table::default() };
    aws::schema(context, &without_leaving(described), &mut table);
    let provisioned = described.get("ProvisionedThroughput");
    let capacity = aws::capacity(context, provisioned, "ReadCapacityUnits", "WriteCapacityUnits");
    table.billing = aws::billing(context, described.at(&["BillingModeSummary", "BillingMode"]), capacity);
    if table.billing == Some(crate::catalogue::Billing::OnDemand) {
        // On demand, every throughput is told as 0.
        table.indexes.iter_mut().for_each(|index| index.capacity = None);
    }
    table.infrequent_access = aws::infrequent(context, described.at(&["TableClassSummary", "TableClass"]));
    table.protection =
        aws::off_unless(context, described.get("DeletionProtectionEnabled"), "DeletionProtectionEnabled");
    table.warm = settings::units(context, described.get("WarmThroughput"), settings::WARM);
    table.on_demand_max = settings::units(context, described.get("OnDemandThroughput"), settings::ON_DEMAND);
    table.encryption = Some(encryption(described));
    table.kinesis = kinesis(context, answer);
    table.insights = answer.get("ContributorInsightsStatus").and_then(|status| insights(answer, status));
    table.policy = settings::policy(context, answer.get("Policy"));
    stream(context, described, &mut table);
    replicas(described, &mut table);
    sizes(context, described, &mut table);
    table.ttl = answer.get("TimeToLiveDescription").and_then(expiry);
    table.recovery = answer.get("ContinuousBackupsDescription").and_then(recovery);
    Some(table)
}

/// Without a description, AWS owns the key. A key that AWS manages for the account is told by its ARN, as one of the account's own is.
fn encryption(described: &Tree) -> Encryption {
    let description = described.get("SSEDescription");
    let status = description.and_then(|node| node.get("Status")).and_then(Tree::as_text);
    if !matches!(status, Some("ENABLED" | "ENABLING" | "UPDATING")) {
        return Encryption::Owned;
    }
    let key = description.and_then(|node| node.get("KMSMasterKeyArn")).and_then(Tree::scalar);
    key.map_or(Encryption::Managed, |key| Encryption::Key(Some(key)))
}

/// The first destination that is active.
fn kinesis(context: &mut Context<'_>, answer: &Tree) -> Option<Kinesis> {
    let destinations = answer.get("KinesisDataStreamDestinations").map_or(&[][..], Tree::elements);
    let is_on = |node: &&Tree| {
        let status = node.get("DestinationStatus").and_then(Tree::as_text);
        matches!(status, Some("ACTIVE" | "ENABLING" | "UPDATING"))
    };
    let first = destinations.iter().find(is_on)?;
    Some(settings::kinesis(context, first, ["StreamArn", "ApproximateCreationDateTimePrecision"]))
}

fn insights(answer: &Tree, status: &Tree) -> Option<Insights> {
    let mode = answer.get("ContributorInsightsMode").and_then(Tree::as_text);
    match (status.as_text()?, mode) {
        ("ENABLED" | "ENABLING", Some("THROTTLED_KEYS")) => Some(Insights::Throttled),
        ("ENABLED" | "ENABLING", _) => Some(Insights::All),
        _ => Some(Insights::Off),
    }
}

/// Whether every answer tells the time to live.
pub(super) fn tells_expiry(root: &Tree) -> bool {
    answers(root).iter().all(|answer| answer.get("TimeToLiveDescription").is_some())
}

fn answers(root: &Tree) -> &[Tree] {
    if root.elements().is_empty() { std::slice::from_ref(root) } else { root.elements() }
}

fn expiry(description: &Tree) -> Option<String> {
    let status = description.get("TimeToLiveStatus")?.as_text()?;
    let name = description.get("AttributeName")?.as_text()?;
    matches!(status, "ENABLED" | "ENABLING").then(|| name.to_owned())
}

fn recovery(description: &Tree) -> Option<bool> {
    let status = description.at(&["PointInTimeRecoveryDescription", "PointInTimeRecoveryStatus"])?;
    Some(status.as_text()? == "ENABLED")
}

/// The description without indexes that are being removed.
fn without_leaving(described: &Tree) -> Tree {
    let Value::Map(entries) = &described.value else { return described.clone() };
    let entries = entries.iter().map(|(name, node)| (name.clone(), remaining(node))).collect();
    Tree::new(described.mark, Value::Map(entries))
}

fn remaining(node: &Tree) -> Tree {
    let Value::List(elements) = &node.value else { return node.clone() };
    let is_leaving = |element: &&Tree| element.get("IndexStatus").and_then(Tree::as_text) != Some("DELETING");
    Tree::new(node.mark, Value::List(elements.iter().filter(is_leaving).cloned().collect()))
}

fn stream(context: &mut Context<'_>, described: &Tree, table: &mut Table) {
    let Some(specification) = described.get("StreamSpecification") else { return };
    if context.flag(specification.get("StreamEnabled"), "StreamEnabled").unwrap_or(true) {
        table.stream = context.text(specification.get("StreamViewType"), "StreamViewType");
    }
}

/// The other regions: a description may list its own too.
fn replicas(described: &Tree, table: &mut Table) {
    let own = described.get("TableArn").and_then(Tree::as_text).and_then(|arn| arn.split(':').nth(3));
    let replicas = described.get("Replicas").map_or(&[][..], Tree::elements);
    let regions = replicas.iter().filter_map(|replica| replica.get("RegionName").and_then(Tree::as_text));
    table.replicas = regions.filter(|region| Some(*region) != own).map(str::to_owned).collect();
    let strong = described.get("MultiRegionConsistency").and_then(Tree::as_text) == Some("STRONG");
    table.replica_consistency = match (table.replicas.is_empty(), strong) {
        (true, _) => None,
        (false, true) => Some(Consistency::Strong),
        (false, false) => Some(Consistency::Eventual),
    };
}

/// Counts and mean sizes. A count of 0 tells nothing: it is taken every six hours.
fn sizes(context: &mut Context<'_>, described: &Tree, table: &mut Table) {
    (table.item_count, table.item_bytes) = size(context, described, "ItemCount", "TableSizeBytes");
    for (field, kind) in [
        ("GlobalSecondaryIndexes", IndexKind::Global),
        ("LocalSecondaryIndexes", IndexKind::Local),
        ("VectorIndexes", IndexKind::Vector),
    ] {
        for element in described.get(field).map_or(&[][..], Tree::elements) {
            let name = element.get("IndexName").and_then(Tree::as_text);
            let index = table
                .indexes
                .iter_mut()
                .find(|index| Some(index.name.as_str()) == name && index.kind == kind);
            if let Some(index) = index {
                (index.entry_count, index.entry_bytes) =
                    size(context, element, "ItemCount", "IndexSizeBytes");
            }
        }
    }
}

fn size(context: &mut Context<'_>, node: &Tree, count: &str, bytes: &str) -> (Option<f64>, Option<f64>) {
    let count = context.number(node.get(count), count).filter(|count| *count > 0.0);
    let bytes = context.number(node.get(bytes), bytes);
    (count, count.zip(bytes).map(|(count, bytes)| bytes / count).filter(|mean| *mean > 0.0))
}
