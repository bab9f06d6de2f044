//! The legacy parameters: `Expected`, `AttributeUpdates`, `AttributesToGet`, `ConditionalOperator`.

use super::invalid;

/// Expressions and legacy parameters in one request; each list in the order in which it is shown.
pub fn mixed(legacy: &[&str], expressions: &[&str]) -> String {
    format!(
        "Can not use both expression and non-expression parameters in the same request: \
         Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
        legacy.join(", "),
        expressions.join(", ")
    )
}

/// `Exists: true`, or neither `Exists` nor a comparison (`exists` is then `None`), without `Value`.
pub fn value_required(exists: Option<bool>, attribute: &str) -> String {
    let exists = exists.map_or_else(|| "null".to_owned(), |exists| exists.to_string());
    invalid(&format!("Value must be provided when Exists is {exists} for Attribute: {attribute}"))
}

/// `Exists: false` with `Value`.
pub fn value_forbidden(attribute: &str) -> String {
    invalid(&format!("Value cannot be used when Exists is false for Attribute: {attribute}"))
}

/// `Value` with `AttributeValueList`.
pub fn value_and_list(attribute: &str) -> String {
    invalid(&format!("Value and AttributeValueList cannot be used together for Attribute: {attribute}"))
}

/// `Exists` with `ComparisonOperator`.
pub fn exists_and_comparison(attribute: &str) -> String {
    invalid(&format!("Exists and ComparisonOperator cannot be used together for Attribute: {attribute}"))
}

/// `AttributeValueList` without `ComparisonOperator`.
pub fn list_without_comparison(attribute: &str) -> String {
    invalid(&format!(
        "AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}"
    ))
}

/// A comparison that needs a value and has none.
pub fn comparison_without_value(operator: &str, attribute: &str) -> String {
    invalid(&format!(
        "Value or AttributeValueList must be used with ComparisonOperator: {operator} for Attribute: {attribute}"
    ))
}

/// Conditions with more operands than an expression could have. Ours: AWS's limit is not known.
pub fn too_many_operands(count: usize) -> String {
    invalid(&format!("The conditions contain too many operands; operand count: {count}"))
}

/// A comparison with too few or too many values.
pub fn argument_count(operator: &str) -> String {
    invalid(&format!("Invalid number of argument(s) for the {operator} ComparisonOperator"))
}

/// A comparison with a value of a type it never takes; `kind` is `S`, `L`, `SS`, ….
pub fn comparison_type(operator: &str, kind: &str) -> String {
    invalid(&format!("ComparisonOperator {operator} is not valid for {kind} AttributeValue type"))
}

/// A comparison with values of several types.
pub fn comparison_types_differ() -> String {
    invalid("AttributeValues inside AttributeValueList must be of same type")
}

/// `ConditionalOperator` with fewer than two conditions.
pub fn conditional_operator_alone() -> String {
    "ConditionalOperator can only be used when Filter or Expected has two or more elements".to_owned()
}

/// `ConditionalOperator` without `Expected`.
pub fn conditional_operator_without_expected() -> String {
    "ConditionalOperator cannot be used without Filter or Expected".to_owned()
}

/// An `AttributeUpdates` action without a value that is not `DELETE`.
pub fn update_without_value() -> String {
    invalid("Only DELETE action is allowed when no attribute value is specified")
}

/// An `AttributeUpdates` action with a value of a type it never takes; `action` is `ADD` or `DELETE`.
pub fn update_type(action: &str, kind: &str) -> String {
    match action {
        "DELETE" => invalid(&format!("DELETE action with value is not supported for the type {kind}")),
        _ => invalid(&format!("{action} action is not supported for the type {kind}")),
    }
}

/// `AttributesToGet` with a name twice.
pub fn attributes_to_get_twice(attribute: &str) -> String {
    invalid(&format!("Duplicate value in attribute name: {attribute}"))
}

/// `BETWEEN` in `KeyConditions`, `QueryFilter` or `Expected` with bounds in the wrong order.
pub fn bounds_reversed() -> String {
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        .to_owned()
}

/// `KeyConditions` with an operator that no key range has.
pub fn not_indexable() -> String {
    "Attempted conditional constraint is not an indexable operation".to_owned()
}
