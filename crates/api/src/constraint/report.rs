//! From violations to the text of the answer.

use super::{Step, Violation};
use crate::Operation;
use crate::message::constraint as text;
use crate::message::{Layer, detected, layer};

/// Violations that one answer lists at most.
const LISTED_MAX: usize = 10;

/// The answer's text for at least one violation.
pub(super) fn text(operation: Operation, violations: &[Violation]) -> String {
    let null = violations.iter().any(|v| v.value.is_none());
    if takes_only_a_table_name(operation) && is_null_table_name(violations) {
        return text::table_name_required();
    }
    if !null && let Some(name) = violations.iter().find(|v| is_table_name(v)) {
        return table_name(operation, name);
    }
    match layer(operation) {
        Layer::Newer if !null => newer(operation, violations),
        _ => aggregate(violations.iter().map(older)),
    }
}

/// Table operations report a missing table name in words of their own.
fn takes_only_a_table_name(operation: Operation) -> bool {
    use Operation as O;
    let table = matches!(operation, O::CreateTable | O::DescribeTable | O::UpdateTable | O::DeleteTable);
    table || matches!(operation, O::DescribeTimeToLive | O::UpdateTimeToLive)
}

fn is_null_table_name(violations: &[Violation]) -> bool {
    violations.iter().any(|v| v.value.is_none() && is_table_name(v))
}

fn is_table_name(violation: &Violation) -> bool {
    violation.path == [Step::Member("TableName")]
}

/// A bad table name is reported alone. The newer layer has words of its own only for an empty one.
fn table_name(operation: Operation, violation: &Violation) -> String {
    let empty = violation.value.as_deref() == Some("");
    if empty && layer(operation) == Layer::Newer {
        return detected(1, &newer_member(violation));
    }
    detected(1, &older(violation))
}

fn aggregate(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.take(LISTED_MAX).collect();
    detected(texts.len(), &texts.join("; "))
}

/// `Value 'x' at 'keySchema.1.member.keyType' failed to satisfy constraint: ...`
fn older(violation: &Violation) -> String {
    text::violation(violation.value.as_deref(), &camel_path(&violation.path), &violation.constraint)
}

/// `Value at 'TableName' failed to satisfy constraint: ...`
fn newer_member(violation: &Violation) -> String {
    text::violation_unechoed(&pascal_path(&violation.path), &violation.constraint)
}

/// The newer layer: UpdateItem, GetItem and Query stop at the first violation, the others list all.
fn newer(operation: Operation, violations: &[Violation]) -> String {
    let mut sorted: Vec<&Violation> = violations.iter().collect();
    sorted.sort_by_key(|v| rank(operation, v));
    let texts = sorted.into_iter().map(newer_text);
    match operation {
        Operation::UpdateItem | Operation::GetItem | Operation::Query => first(operation, texts),
        _ => aggregate(texts),
    }
}

fn first(operation: Operation, mut texts: impl Iterator<Item = String>) -> String {
    let text = texts.next().unwrap_or_default();
    // Query gives its closed-set text without the envelope.
    let bare = operation == Operation::Query && text == text::choice_unnamed(text::CONDITIONAL_OPERATORS);
    if bare { text } else { detected(1, &text) }
}

/// The newer layer's order: UpdateItem looks at ReturnValues first, the other writes at ReturnConsumedCapacity.
fn rank(operation: Operation, violation: &Violation) -> usize {
    let order: [&str; 4] = match operation {
        Operation::UpdateItem => {
            ["ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics", "ConditionalOperator"]
        }
        Operation::Query => ["Limit", "ConditionalOperator", "Select", "ReturnConsumedCapacity"],
        _ => ["ReturnConsumedCapacity", "ReturnValues", "ReturnItemCollectionMetrics", "ConditionalOperator"],
    };
    order.iter().position(|member| violation.path == [Step::Member(member)]).unwrap_or(order.len())
}

fn newer_text(violation: &Violation) -> String {
    match violation.path.as_slice() {
        [Step::Member("ReturnValues")] => text::choice_unnamed(text::RETURN_VALUES),
        [Step::Member("ReturnItemCollectionMetrics")] => text::item_collection_metrics(),
        [Step::Member("ConditionalOperator")] => text::choice_unnamed(text::CONDITIONAL_OPERATORS),
        _ if text::is_choice(&violation.constraint) => older(violation),
        _ => newer_member(violation),
    }
}

fn camel_path(path: &[Step]) -> String {
    path_text(path, |name| {
        let mut letters = name.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
    })
}

fn pascal_path(path: &[Step]) -> String {
    path_text(path, str::to_owned)
}

/// Elements count from 1, and both elements and map values add `.member`.
fn path_text(path: &[Step], member: impl Fn(&str) -> String) -> String {
    let mut parts = Vec::new();
    for step in path {
        match step {
            Step::Member(name) => parts.push(member(name)),
            Step::Element(index) => parts.extend([(index + 1).to_string(), "member".to_owned()]),
            Step::Entry(key) => parts.extend([key.clone(), "member".to_owned()]),
        }
    }
    parts.join(".")
}
