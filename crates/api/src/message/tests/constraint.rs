//! The texts of `message::constraint`, word for word.

use super::check;
use crate::message::constraint;

#[test]
fn from_violation_to_map_keys() {
    check(
        constraint::violation(Some("value"), "path", "constraint"),
        "Value 'value' at 'path' failed to satisfy constraint: constraint",
    );
    check(
        constraint::violation(None, "path", "constraint"),
        "Value null at 'path' failed to satisfy constraint: constraint",
    );
    check(
        constraint::violation_unechoed("path", "constraint"),
        "Value at 'path' failed to satisfy constraint: constraint",
    );
    check(constraint::not_null(), "Member must not be null");
    check(constraint::length_at_least(7), "Member must have length greater than or equal to 7");
    check(constraint::length_at_most(7), "Member must have length less than or equal to 7");
    check(constraint::value_at_least(7), "Member must have value greater than or equal to 7");
    check(constraint::value_at_most(7), "Member must have value less than or equal to 7");
    check(constraint::pattern("pattern"), "Member must satisfy regular expression pattern: pattern");
    check(constraint::choice("set"), "Member must satisfy enum value set: [set]");
    check(
        constraint::choice_unnamed("set"),
        "Failed to satisfy constraint: Member must satisfy enum value set: [set]",
    );
    check(constraint::item_collection_metrics(), "ReturnItemCollectionMetrics can only be SIZE or NONE");
    check(constraint::elements(&["a".to_owned(), "b".to_owned()]), "Member must satisfy constraint: [a, b]");
    check(
        constraint::map_keys(&["a".to_owned(), "b".to_owned()]),
        "Map keys must satisfy constraint: [a, b]",
    );
}

#[test]
fn from_map_values_to_table_name_required() {
    check(
        constraint::map_values(&["a".to_owned(), "b".to_owned()]),
        "Map value must satisfy constraint: [a, b]",
    );
    check(
        constraint::table_name_required(),
        "The parameter 'TableName' is required but was not present in the request",
    );
}
