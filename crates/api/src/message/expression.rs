//! Expressions: what a parser or binder says of them.
//!
//! `kind` is the parameter: `ConditionExpression`, `FilterExpression`, `KeyConditionExpression`,
//! `ProjectionExpression`, `UpdateExpression`.

use super::list;

/// The text about an expression of that kind; bare where there is no kind, in a PartiQL statement.
fn bad(kind: &str, text: &str) -> String {
    if kind.is_empty() { text.to_owned() } else { format!("Invalid {kind}: {text}") }
}

/// An expression without anything in it.
pub fn empty(kind: &str) -> String {
    bad(kind, "The expression can not be empty;")
}

/// An expression over 4,096 bytes.
pub fn too_long(kind: &str) -> String {
    bad(kind, "Expression size has exceeded the maximum allowed size;")
}

/// An expression over 4,096 bytes, where Scan and TransactWriteItems add its size.
pub fn too_long_with_size(kind: &str, bytes: usize) -> String {
    bad(kind, &format!("Expression size has exceeded the maximum allowed size; expression size: {bytes}"))
}

/// A token that the grammar does not allow; `near` is the token with its neighbours.
pub fn syntax(kind: &str, token: &str, near: &str) -> String {
    bad(kind, &format!("Syntax error; token: \"{token}\", near: \"{near}\""))
}

/// Two pairs of parentheses around one thing.
pub fn redundant_parentheses(kind: &str) -> String {
    bad(kind, "The expression has redundant parentheses;")
}

/// More than 300 operators.
pub fn too_many_operators(kind: &str, count: usize) -> String {
    bad(kind, &format!("The expression contains too many operators; operator count: {count}"))
}

/// A document path with more than 32 levels.
pub fn path_too_deep(kind: &str, levels: usize) -> String {
    bad(kind, &format!("The document path has too many nesting levels; nesting levels: {levels}"))
}

/// A reserved word as an attribute name.
pub fn reserved_word(kind: &str, word: &str) -> String {
    bad(kind, &format!("Attribute name is a reserved keyword; reserved keyword: {word}"))
}

/// A `#name` that `ExpressionAttributeNames` does not define.
pub fn name_not_defined(kind: &str, name: &str) -> String {
    bad(
        kind,
        &format!(
            "An expression attribute name used in the document path is not defined; attribute name: {name}"
        ),
    )
}

/// A `:value` that `ExpressionAttributeValues` does not define.
pub fn value_not_defined(kind: &str, value: &str) -> String {
    bad(
        kind,
        &format!("An expression attribute value used in expression is not defined; attribute value: {value}"),
    )
}

/// A function that does not exist.
pub fn unknown_function(kind: &str, function: &str) -> String {
    bad(kind, &format!("Invalid function name; function: {function}"))
}

/// A function where only a condition, or only an operand, may stand.
pub fn function_misplaced(kind: &str, function: &str) -> String {
    bad(
        kind,
        &format!("The function is not allowed to be used this way in an expression; function: {function}"),
    )
}

/// A function or operator with too few or too many operands.
pub fn operand_count(kind: &str, operator: &str, count: usize) -> String {
    bad(
        kind,
        &format!(
            "Incorrect number of operands for operator or function; operator or function: {operator}, \
             number of operands: {count}"
        ),
    )
}

/// A literal operand of a type that the operator or function never takes; `operand` is `S`, `N`, `BOOL`, ….
pub fn operand_type(kind: &str, operator: &str, operand: &str) -> String {
    bad(
        kind,
        &format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {operand}"
        ),
    )
}

/// An update action with a literal of a type it never takes; `operand` is `STRING`, `NUMBER`, `MAP`, ….
pub fn action_operand_type(kind: &str, action: &str, operand: &str) -> String {
    bad(
        kind,
        &format!(
            "Incorrect operand type for operator or function; operator: {action}, operand type: {operand}, \
             typeSet: ALLOWED_FOR_{action}_OPERAND"
        ),
    )
}

/// `attribute_type` with a second operand that names no type.
pub fn unknown_attribute_type(kind: &str, named: &str) -> String {
    bad(
        kind,
        &format!(
            "Invalid attribute type name found; type: {named}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
        ),
    )
}

/// A function that takes a document path and got something else.
pub fn path_required(kind: &str, operator: &str) -> String {
    bad(kind, &format!("Operator or function requires a document path; operator or function: {operator}"))
}

/// A comparison or `contains` of a path with itself; `operand` are the path's parts.
pub fn same_operand(kind: &str, operator: &str, operand: &[&str]) -> String {
    let operand = list(operand);
    bad(
        kind,
        &format!(
            "The first operand must be distinct from the remaining operands for this operator or function; \
             operator: {operator}, first operand: {operand}"
        ),
    )
}

/// `BETWEEN` with literals in the wrong order; bounds are shown as `{N:2}`.
pub fn between_bounds(kind: &str, lower: &str, upper: &str) -> String {
    bad(
        kind,
        &format!(
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
             lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}"
        ),
    )
}

/// `BETWEEN` with literals of two types.
pub fn between_types(kind: &str, lower: &str, upper: &str) -> String {
    bad(
        kind,
        &format!(
            "The BETWEEN operator requires same data type for lower and upper bounds; \
             lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}"
        ),
    )
}

/// Two paths of which one contains the other.
pub fn paths_overlap(kind: &str, one: &[&str], two: &[&str]) -> String {
    let (one, two) = (list(one), list(two));
    bad(
        kind,
        &format!(
            "Two document paths overlap with each other; must remove or rewrite one of these paths; \
             path one: {one}, path two: {two}"
        ),
    )
}

/// Two paths that treat one attribute as a map and as a list.
pub fn paths_conflict(kind: &str, one: &[&str], two: &[&str]) -> String {
    let (one, two) = (list(one), list(two));
    bad(
        kind,
        &format!(
            "Two document paths conflict with each other; must remove or rewrite one of these paths; \
             path one: {one}, path two: {two}"
        ),
    )
}

/// An update expression with a clause twice.
pub fn clause_twice(clause: &str) -> String {
    bad(
        "UpdateExpression",
        &format!("The \"{clause}\" section can only be used once in an update expression;"),
    )
}

/// Names that no expression uses, in the order in which they are shown.
pub fn unused_names(names: &[&str]) -> String {
    format!(
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {{{}}}",
        names.join(", ")
    )
}

/// Values that no expression uses, in the order in which they are shown.
pub fn unused_values(values: &[&str]) -> String {
    format!(
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {{{}}}",
        values.join(", ")
    )
}

/// `ExpressionAttributeNames` without an expression.
pub fn names_without_expression() -> String {
    "ExpressionAttributeNames can only be specified when using expressions".to_owned()
}

/// `ExpressionAttributeValues` without an expression.
pub fn values_without_expression() -> String {
    "ExpressionAttributeValues can only be specified when using expressions".to_owned()
}

/// `ExpressionAttributeValues` without an expression in the older layer, which names the parameter it misses.
pub fn values_without(kind: &str) -> String {
    format!("ExpressionAttributeValues can only be specified when using expressions: {kind} is null")
}

/// `"ExpressionAttributeNames": {}`.
pub fn names_empty() -> String {
    "ExpressionAttributeNames must not be empty".to_owned()
}

/// `"ExpressionAttributeValues": {}`.
pub fn values_empty() -> String {
    "ExpressionAttributeValues must not be empty".to_owned()
}

/// A placeholder in `ExpressionAttributeNames` that is not `#` and letters, digits or underscores.
pub fn name_key(key: &str) -> String {
    format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{key}\"")
}

/// A placeholder in `ExpressionAttributeValues` that is not `:` and letters, digits or underscores.
pub fn value_key(key: &str) -> String {
    format!("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{key}\"")
}

/// A placeholder over 255 bytes; `parameter` is `ExpressionAttributeNames` or `ExpressionAttributeValues`, `size` the
/// number of bytes. The words after the semicolon are likely, not recorded.
pub fn key_too_long(parameter: &str, size: &str) -> String {
    format!(
        "{parameter} contains invalid key: The expression attribute map contains a key that is too long; \
         size of key: {size}"
    )
}

/// An attribute name in `ExpressionAttributeNames` that is empty.
pub fn name_value_empty(key: &str) -> String {
    format!("ExpressionAttributeNames contains invalid value: Empty attribute name for key {key}")
}

/// Names and values over 2 MB together.
pub fn placeholders_too_large() -> String {
    "The total size of the expression attribute names and values has exceeded the maximum allowed size"
        .to_owned()
}

/// A key condition with two conditions on one key attribute.
pub fn key_condition_twice() -> String {
    bad("KeyConditionExpression", "KeyConditionExpressions must only contain one condition per key")
}

/// A key condition on part of an attribute.
pub fn key_condition_nested() -> String {
    bad("KeyConditionExpression", "KeyConditionExpressions cannot have conditions on nested attributes")
}

/// `OR`, `NOT`, `IN`, `<>` or a function other than `begins_with` in a key condition.
pub fn key_condition_operator(operator: &str) -> String {
    format!("Invalid operator used in KeyConditionExpression: {operator}")
}

/// Another operator than `=` on the partition key.
pub fn key_condition_not_supported() -> String {
    "Query key condition not supported".to_owned()
}

/// A filter on a key attribute.
pub fn filter_on_key(attribute: &str) -> String {
    format!(
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: {attribute}"
    )
}

/// A legacy `QueryFilter` on a key attribute.
pub fn query_filter_on_key(attribute: &str) -> String {
    format!("QueryFilter can only contain non-primary key attributes: Primary key attribute: {attribute}")
}

/// A path into a key attribute of the table.
pub fn nested_key(attribute: &str) -> String {
    format!("{NESTED_KEY}Key: {attribute}")
}

/// A path into a key attribute of an index, whatever is read or written.
pub fn nested_index_key(attribute: &str) -> String {
    format!("{NESTED_KEY}IndexKey: {attribute}")
}

const NESTED_KEY: &str =
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ";

/// A list index that no list can have.
pub fn list_index(kind: &str, index: &str) -> String {
    bad(kind, &format!("List index is not within the allowable range; index: [{index}]"))
}

/// A function of conditions in an update, or of updates in a condition.
pub fn function_not_allowed(kind: &str, function: &str) -> String {
    let place = if kind == "UpdateExpression" { "an update" } else { "a condition" };
    bad(kind, &format!("The function is not allowed in {place} expression; function: {function}"))
}

/// `IN` with more than 100 operands.
pub fn too_many_in_operands(kind: &str, count: usize) -> String {
    bad(kind, &format!("The IN operator is provided with too many operands; number of operands: {count}"))
}

/// `size` in a key condition.
pub fn key_condition_nested_operation() -> String {
    "KeyConditionExpressions cannot contain nested operations".to_owned()
}

/// `BETWEEN` or `begins_with` in a key condition whose first operand is not the key.
pub fn key_condition_first_operand(operator: &str) -> String {
    format!(
        "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute as its first operand"
    )
}

/// A comparison of two attributes in a key condition.
pub fn key_condition_several_attributes() -> String {
    "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition".to_owned()
}

/// A comparison of two values in a key condition.
pub fn key_condition_no_attribute() -> String {
    "Invalid condition in KeyConditionExpression: No key attribute specified".to_owned()
}
