//! The texts of `message::expression`, word for word.

use super::check;
use crate::message::expression;

#[test]
fn from_empty_to_operand_type() {
    check(expression::empty("kind"), "Invalid kind: The expression can not be empty;");
    check(
        expression::too_long("kind"),
        "Invalid kind: Expression size has exceeded the maximum allowed size;",
    );
    check(
        expression::too_long_with_size("kind", 7),
        "Invalid kind: Expression size has exceeded the maximum allowed size; expression size: 7",
    );
    check(
        expression::syntax("kind", "token", "near"),
        "Invalid kind: Syntax error; token: \"token\", near: \"near\"",
    );
    check(
        expression::redundant_parentheses("kind"),
        "Invalid kind: The expression has redundant parentheses;",
    );
    check(
        expression::too_many_operators("kind", 7),
        "Invalid kind: The expression contains too many operators; operator count: 7",
    );
    check(
        expression::path_too_deep("kind", 7),
        "Invalid kind: The document path has too many nesting levels; nesting levels: 7",
    );
    check(
        expression::reserved_word("kind", "word"),
        "Invalid kind: Attribute name is a reserved keyword; reserved keyword: word",
    );
    check(
        expression::name_not_defined("kind", "name"),
        "Invalid kind: An expression attribute name used in the document path is not defined; attribute name: name",
    );
    check(
        expression::value_not_defined("kind", "value"),
        "Invalid kind: An expression attribute value used in expression is not defined; attribute value: value",
    );
    check(
        expression::unknown_function("kind", "function"),
        "Invalid kind: Invalid function name; function: function",
    );
    check(
        expression::function_misplaced("kind", "function"),
        "Invalid kind: The function is not allowed to be used this way in an expression; function: function",
    );
    check(
        expression::operand_count("kind", "operator", 7),
        "Invalid kind: Incorrect number of operands for operator or function; operator or function: operator, number of operands: 7",
    );
    check(
        expression::operand_type("kind", "operator", "operand"),
        "Invalid kind: Incorrect operand type for operator or function; operator or function: operator, operand type: operand",
    );
}

#[test]
fn from_action_operand_type_to_values_without() {
    check(
        expression::action_operand_type("kind", "action", "operand"),
        "Invalid kind: Incorrect operand type for operator or function; operator: action, operand type: operand, typeSet: ALLOWED_FOR_action_OPERAND",
    );
    check(
        expression::unknown_attribute_type("kind", "named"),
        "Invalid kind: Invalid attribute type name found; type: named, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
    );
    check(
        expression::path_required("kind", "operator"),
        "Invalid kind: Operator or function requires a document path; operator or function: operator",
    );
    check(
        expression::same_operand("kind", "operator", &["a", "b"]),
        "Invalid kind: The first operand must be distinct from the remaining operands for this operator or function; operator: operator, first operand: [a, b]",
    );
    check(
        expression::between_bounds("kind", "lower", "upper"),
        "Invalid kind: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: lower, upper bound operand: AttributeValue: upper",
    );
    check(
        expression::between_types("kind", "lower", "upper"),
        "Invalid kind: The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: lower, upper bound operand: AttributeValue: upper",
    );
    check(
        expression::paths_overlap("kind", &["a", "b"], &["a", "b"]),
        "Invalid kind: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, b]",
    );
    check(
        expression::paths_conflict("kind", &["a", "b"], &["a", "b"]),
        "Invalid kind: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, b]",
    );
    check(
        expression::clause_twice("clause"),
        "Invalid UpdateExpression: The \"clause\" section can only be used once in an update expression;",
    );
    check(
        expression::unused_names(&["a", "b"]),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {a, b}",
    );
    check(
        expression::unused_values(&["a", "b"]),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {a, b}",
    );
    check(
        expression::names_without_expression(),
        "ExpressionAttributeNames can only be specified when using expressions",
    );
    check(
        expression::values_without_expression(),
        "ExpressionAttributeValues can only be specified when using expressions",
    );
    check(
        expression::values_without("kind"),
        "ExpressionAttributeValues can only be specified when using expressions: kind is null",
    );
}

#[test]
fn from_names_empty_to_list_index() {
    check(expression::names_empty(), "ExpressionAttributeNames must not be empty");
    check(expression::values_empty(), "ExpressionAttributeValues must not be empty");
    check(
        expression::name_key("key"),
        "ExpressionAttributeNames contains invalid key: Syntax error; key: \"key\"",
    );
    check(
        expression::value_key("key"),
        "ExpressionAttributeValues contains invalid key: Syntax error; key: \"key\"",
    );
    check(
        expression::key_too_long("parameter", "size"),
        "parameter contains invalid key: The expression attribute map contains a key that is too long; size of key: size",
    );
    check(
        expression::name_value_empty("key"),
        "ExpressionAttributeNames contains invalid value: Empty attribute name for key key",
    );
    check(
        expression::placeholders_too_large(),
        "The total size of the expression attribute names and values has exceeded the maximum allowed size",
    );
    check(
        expression::key_condition_twice(),
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key",
    );
    check(
        expression::key_condition_nested(),
        "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes",
    );
    check(
        expression::key_condition_operator("operator"),
        "Invalid operator used in KeyConditionExpression: operator",
    );
    check(expression::key_condition_not_supported(), "Query key condition not supported");
    check(
        expression::query_filter_on_key("a"),
        "QueryFilter can only contain non-primary key attributes: Primary key attribute: a",
    );
    check(
        expression::nested_key("a"),
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: a",
    );
    check(
        expression::nested_index_key("a"),
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: a",
    );
    check(
        expression::filter_on_key("attribute"),
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: attribute",
    );
    check(
        expression::list_index("kind", "index"),
        "Invalid kind: List index is not within the allowable range; index: [index]",
    );
}

#[test]
fn from_function_not_allowed_to_key_condition_no_attribute() {
    check(
        expression::function_not_allowed("kind", "function"),
        "Invalid kind: The function is not allowed in a condition expression; function: function",
    );
    check(
        expression::too_many_in_operands("kind", 7),
        "Invalid kind: The IN operator is provided with too many operands; number of operands: 7",
    );
    check(
        expression::key_condition_nested_operation(),
        "KeyConditionExpressions cannot contain nested operations",
    );
    check(
        expression::key_condition_first_operand("operator"),
        "Invalid condition in KeyConditionExpression: operator operator must have the key attribute as its first operand",
    );
    check(
        expression::key_condition_several_attributes(),
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
    );
    check(
        expression::key_condition_no_attribute(),
        "Invalid condition in KeyConditionExpression: No key attribute specified",
    );
}
