//! Query and Scan: key conditions against the schema, Select, start keys, segments, indexes.

use super::{invalid, list};

/// A Query with neither form of key condition.
pub fn no_key_condition() -> String {
    "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        .to_owned()
}

/// A Query with more conditions than its key has attributes, and more than two.
pub fn conditions_exceed_key(conditions: usize, attributes: usize) -> String {
    format!(
        "The number of query conditions ({conditions}) exceeds the number of key attributes defined in the schema ({attributes})"
    )
}

/// A Query that does not say what a partition-key attribute equals, or conditions on attributes that are no keys.
pub fn missed_key_element(attribute: &str) -> String {
    format!("Query condition missed key schema element: {attribute}")
}

/// A key condition with a value of another type than the key attribute.
pub fn condition_type() -> String {
    invalid("Condition parameter type does not match schema type")
}

/// A legacy key condition on more attributes than the key has, or none.
pub fn conditions_too_many() -> String {
    "Conditions can be of length 1 or 2 only".to_owned()
}

/// A gap in the sort attributes of a multi-attribute key.
pub fn range_gap(skipped: &str, given: &str) -> String {
    format!(
        "RANGE key attributes {skipped} must have equality conditions specified in the query because a condition is present on key attribute {given}"
    )
}

/// `Select: SPECIFIC_ATTRIBUTES` without a projection.
pub fn select_specific_without_projection() -> String {
    "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
        .to_owned()
}

/// `Select: ALL_PROJECTED_ATTRIBUTES` without an index.
pub fn select_projected_without_index() -> String {
    "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName".to_owned()
}

/// A projection beside a Select that excludes it; `parameter` is `ProjectionExpression` or `AttributesToGet`.
pub fn select_with_projection(parameter: &str, select: &str) -> String {
    let what = if select == "COUNT" { "only the Count" } else { select };
    format!("Cannot specify the {parameter} when choosing to get {what}")
}

/// `Select: ALL_ATTRIBUTES` on a global index that does not project everything.
pub fn select_all_on_partial_index(index: &str) -> String {
    invalid(&format!(
        "Select type ALL_ATTRIBUTES is not supported for global secondary index {index} because its projection type is not ALL"
    ))
}

/// A projection of attributes that a global index does not carry.
pub fn not_projected(index: &str, attributes: &[&str]) -> String {
    invalid(&format!("Global secondary index {index} does not project {}", list(attributes)))
}

/// A filter on attributes that an index does not carry.
pub fn filter_not_projected(index: &str, attributes: &[&str]) -> String {
    invalid(&format!(
        "Secondary index {index} does not project one or more filter attributes: {}",
        list(attributes)
    ))
}

/// `ConsistentRead` on a global index.
pub fn consistent_on_global_index() -> String {
    "Consistent reads are not supported on global secondary indexes".to_owned()
}

/// A read of a global index that is still being built.
pub fn index_backfilling(index: &str) -> String {
    format!("Cannot read from backfilling global secondary index: {index}")
}

/// A start key of the wrong shape, on a Query, and on a Scan of an index one that lacks or adds attributes.
pub fn start_key_invalid() -> String {
    "The provided starting key is invalid".to_owned()
}

/// A start key of the wrong shape, on a Scan.
pub fn start_key_schema() -> String {
    "The provided starting key is invalid: The provided key element does not match the schema".to_owned()
}

/// A start key with a value that is no value, on a Scan.
pub fn start_key_value(text: &str) -> String {
    format!("The provided starting key is invalid: {text}")
}

/// A start key with a sort key that the key condition does not select.
pub fn start_key_predicate() -> String {
    "The provided starting key does not match the range key predicate".to_owned()
}

/// A start key of another partition, beside a condition on the sort key that it fulfils.
pub fn start_key_one_row() -> String {
    "The query can return at most one row and cannot be restarted".to_owned()
}

/// A start key of another partition, without a condition on the sort key.
pub fn start_key_outside() -> String {
    "The provided starting key is outside query boundaries based on provided conditions".to_owned()
}

/// A start key of another segment.
pub fn start_key_segment(segments: i64, segment: i64) -> String {
    format!(
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {segments} Segment: {segment}"
    )
}

/// `Segment` without `TotalSegments`.
pub fn segment_without_total() -> String {
    "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"
        .to_owned()
}

/// `TotalSegments` without `Segment`.
pub fn total_without_segment() -> String {
    "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"
        .to_owned()
}

/// A segment that is not below the number of segments.
pub fn segment_out_of_range(segment: i64, segments: i64) -> String {
    format!(
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {segment} is not less than TotalSegments: {segments}"
    )
}
