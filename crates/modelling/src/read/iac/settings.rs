//! Settings that stand beside keys and billing: warm and greatest throughput, encryption, contributor insights, Kinesis, policy.

use serde_json::Value as Json;

use crate::catalogue::{Encryption, Insights, Kinesis, Units};

use super::context::Context;
use super::tree::{Tree, Value};

/// What a format calls the read and the write side of a pair of units.
pub(super) type Sides = [&'static str; 2];

/// `WarmThroughput` of CloudFormation and DescribeTable.
pub(super) const WARM: Sides = ["ReadUnitsPerSecond", "WriteUnitsPerSecond"];

/// `OnDemandThroughput` of both.
pub(super) const ON_DEMAND: Sides = ["MaxReadRequestUnits", "MaxWriteRequestUnits"];

/// Units of reads and writes, each where it is written.
pub(super) fn units(context: &mut Context<'_>, node: Option<&Tree>, sides: Sides) -> Units {
    let Some(node) = node else { return Units::default() };
    if let Value::Unknown(why) = &node.value {
        context.note(node.mark, format!("throughput is not known: {why}"));
        return Units::default();
    }
    let [read, write] = sides.map(|side| one(context, node, side));
    Units { read, write }
}

/// One side; -1 says that there is no limit.
pub(super) fn one(context: &mut Context<'_>, node: &Tree, side: &str) -> Option<f64> {
    let stated = node.get(side).filter(|units| units.scalar().as_deref() != Some("-1"));
    context.number(stated, side)
}

/// `SSESpecification`, or the block of Terraform: whether a key of the account is used, and which.
pub(super) fn encryption(
    context: &mut Context<'_>,
    node: Option<&Tree>,
    [enabled, key]: [&str; 2],
) -> Option<Encryption> {
    let Some(node) = node else { return Some(Encryption::Owned) };
    if let Value::Unknown(why) = &node.value {
        context.note(node.mark, format!("the encryption is not known: {why}"));
        return None;
    }
    if !super::aws::off_unless(context, node.get(enabled), enabled)? {
        return Some(Encryption::Owned);
    }
    let Some(key_node) = node.get(key).filter(|node| node.as_text() != Some("")) else {
        return Some(Encryption::Managed);
    };
    Some(Encryption::Key(context.text(Some(key_node), key)))
}

/// `ContributorInsightsSpecification`, which is off where it is not written.
pub(super) fn insights(context: &mut Context<'_>, node: Option<&Tree>) -> Option<Insights> {
    let Some(node) = node else { return Some(Insights::Off) };
    if let Value::Unknown(why) = &node.value {
        context.note(node.mark, format!("contributor insights are not known: {why}"));
        return None;
    }
    let on = super::aws::off_unless(context, node.get("Enabled"), "Enabled")?;
    if on { mode(context, node.get("Mode")) } else { Some(Insights::Off) }
}

/// The mode of contributor insights that are on.
pub(super) fn mode(context: &mut Context<'_>, node: Option<&Tree>) -> Option<Insights> {
    let Some(node) = node else { return Some(Insights::All) };
    match context.text(Some(node), "Mode")?.as_str() {
        "ACCESSED_AND_THROTTLED_KEYS" => Some(Insights::All),
        "THROTTLED_KEYS" => Some(Insights::Throttled),
        _ => {
            let words =
                "the mode of contributor insights must be ACCESSED_AND_THROTTLED_KEYS or THROTTLED_KEYS";
            context.problem(node.mark, words);
            None
        }
    }
}

/// `KinesisStreamSpecification`, or the resource of Terraform.
pub(super) fn kinesis(context: &mut Context<'_>, node: &Tree, [stream, precision]: [&str; 2]) -> Kinesis {
    Kinesis {
        stream: context.text(node.get(stream), stream),
        precision: context.text(node.get(precision), precision),
    }
}

/// A policy, as a map or as JSON in a text. Parts that only the deployment knows are null in it.
pub(super) fn policy(context: &mut Context<'_>, node: Option<&Tree>) -> Option<Json> {
    let node = node?;
    match &node.value {
        Value::Unknown(why) => {
            context.note(node.mark, format!("the resource policy is not known: {why}"));
            None
        }
        Value::Text(text) => {
            let parsed = serde_json::from_str(text).ok().filter(Json::is_object);
            if parsed.is_none() {
                context.problem(node.mark, "the resource policy is no JSON object");
            }
            parsed
        }
        _ => {
            if let Some(why) = open(node) {
                context.note(
                    node.mark,
                    format!("a part of the resource policy is not known, and is null: {why}"),
                );
            }
            Some(node.to_json())
        }
    }
}

/// Why a part of a value is not known.
fn open(node: &Tree) -> Option<&str> {
    match &node.value {
        Value::Unknown(why) => Some(why),
        Value::List(elements) => elements.iter().find_map(open),
        Value::Map(entries) => entries.iter().find_map(|(_, node)| open(node)),
        _ => None,
    }
}
