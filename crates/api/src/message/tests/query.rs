//! The texts of `message::query`, word for word.

use super::check;
use crate::message::query;

#[test]
fn from_no_key_condition_to_start_key_invalid() {
    check(
        query::no_key_condition(),
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    );
    check(query::missed_key_element("attribute"), "Query condition missed key schema element: attribute");
    check(
        query::condition_type(),
        "One or more parameter values were invalid: Condition parameter type does not match schema type",
    );
    check(query::conditions_too_many(), "Conditions can be of length 1 or 2 only");
    check(
        query::range_gap("skipped", "given"),
        "RANGE key attributes skipped must have equality conditions specified in the query because a condition is present on key attribute given",
    );
    check(
        query::select_specific_without_projection(),
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
    );
    check(
        query::select_projected_without_index(),
        "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
    );
    check(
        query::select_with_projection("parameter", "select"),
        "Cannot specify the parameter when choosing to get select",
    );
    check(
        query::select_all_on_partial_index("index"),
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index index because its projection type is not ALL",
    );
    check(
        query::not_projected("index", &["a", "b"]),
        "One or more parameter values were invalid: Global secondary index index does not project [a, b]",
    );
    check(
        query::filter_not_projected("index", &["a", "b"]),
        "One or more parameter values were invalid: Secondary index index does not project one or more filter attributes: [a, b]",
    );
    check(
        query::consistent_on_global_index(),
        "Consistent reads are not supported on global secondary indexes",
    );
    check(query::index_backfilling("index"), "Cannot read from backfilling global secondary index: index");
    check(query::start_key_invalid(), "The provided starting key is invalid");
    check(
        query::conditions_exceed_key(3, 2),
        "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)",
    );
}

#[test]
fn from_start_key_value_to_start_key_one_row() {
    check(query::start_key_value("text"), "The provided starting key is invalid: text");
    check(query::start_key_predicate(), "The provided starting key does not match the range key predicate");
    check(query::start_key_one_row(), "The query can return at most one row and cannot be restarted");
}

#[test]
fn from_start_key_schema_to_segment_out_of_range() {
    check(
        query::start_key_schema(),
        "The provided starting key is invalid: The provided key element does not match the schema",
    );
    check(
        query::start_key_outside(),
        "The provided starting key is outside query boundaries based on provided conditions",
    );
    check(
        query::start_key_segment(7, 7),
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 7 Segment: 7",
    );
    check(
        query::segment_without_total(),
        "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
    );
    check(
        query::total_without_segment(),
        "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
    );
    check(
        query::segment_out_of_range(7, 7),
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 7 is not less than TotalSegments: 7",
    );
}
