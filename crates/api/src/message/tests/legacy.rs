//! The texts of `message::legacy`, word for word.

use super::check;
use crate::message::legacy;

#[test]
fn from_mixed_to_conditional_operator_without_expected() {
    check(
        legacy::mixed(&["a", "b"], &["a", "b"]),
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {a, b} Expression parameters: {a, b}",
    );
    check(
        legacy::value_required(Some(true), "attribute"),
        "One or more parameter values were invalid: Value must be provided when Exists is true for Attribute: attribute",
    );
    check(
        legacy::value_required(None, "attribute"),
        "One or more parameter values were invalid: Value must be provided when Exists is null for Attribute: attribute",
    );
    check(
        legacy::value_forbidden("attribute"),
        "One or more parameter values were invalid: Value cannot be used when Exists is false for Attribute: attribute",
    );
    check(
        legacy::value_and_list("attribute"),
        "One or more parameter values were invalid: Value and AttributeValueList cannot be used together for Attribute: attribute",
    );
    check(
        legacy::exists_and_comparison("attribute"),
        "One or more parameter values were invalid: Exists and ComparisonOperator cannot be used together for Attribute: attribute",
    );
    check(
        legacy::too_many_operands(1366),
        "One or more parameter values were invalid: The conditions contain too many operands; operand count: 1366",
    );
    check(
        legacy::list_without_comparison("attribute"),
        "One or more parameter values were invalid: AttributeValueList can only be used with a ComparisonOperator for Attribute: attribute",
    );
    check(
        legacy::comparison_without_value("operator", "attribute"),
        "One or more parameter values were invalid: Value or AttributeValueList must be used with ComparisonOperator: operator for Attribute: attribute",
    );
    check(
        legacy::argument_count("operator"),
        "One or more parameter values were invalid: Invalid number of argument(s) for the operator ComparisonOperator",
    );
    check(
        legacy::comparison_type("operator", "kind"),
        "One or more parameter values were invalid: ComparisonOperator operator is not valid for kind AttributeValue type",
    );
    check(
        legacy::comparison_types_differ(),
        "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of same type",
    );
    check(
        legacy::conditional_operator_alone(),
        "ConditionalOperator can only be used when Filter or Expected has two or more elements",
    );
    check(
        legacy::conditional_operator_without_expected(),
        "ConditionalOperator cannot be used without Filter or Expected",
    );
}

#[test]
fn from_update_without_value_to_not_indexable() {
    check(
        legacy::update_without_value(),
        "One or more parameter values were invalid: Only DELETE action is allowed when no attribute value is specified",
    );
    check(
        legacy::update_type("action", "kind"),
        "One or more parameter values were invalid: action action is not supported for the type kind",
    );
    check(
        legacy::attributes_to_get_twice("attribute"),
        "One or more parameter values were invalid: Duplicate value in attribute name: attribute",
    );
    check(
        legacy::bounds_reversed(),
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
    );
    check(legacy::not_indexable(), "Attempted conditional constraint is not an indexable operation");
}
