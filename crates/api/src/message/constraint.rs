//! Modelled constraints.

/// `ReturnValues`' values as the newer layer prints them (the slip is AWS's).
pub const RETURN_VALUES: &str = "ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE";

/// `ConditionalOperator`'s values as the newer layer prints them (the slip is AWS's).
pub const CONDITIONAL_OPERATORS: &str = "ALL, OR";

/// A violation in the older layer; `value` is `None` where the member is null.
pub fn violation(value: Option<&str>, path: &str, constraint: &str) -> String {
    match value {
        Some(value) => format!("Value '{value}' at '{path}' failed to satisfy constraint: {constraint}"),
        None => format!("Value null at '{path}' failed to satisfy constraint: {constraint}"),
    }
}

/// A violation in the newer layer, which does not echo values.
pub fn violation_unechoed(path: &str, constraint: &str) -> String {
    format!("Value at '{path}' failed to satisfy constraint: {constraint}")
}

/// A required member that is absent.
pub fn not_null() -> String {
    "Member must not be null".to_owned()
}

/// A string or collection that is too short.
pub fn length_at_least(min: i64) -> String {
    format!("Member must have length greater than or equal to {min}")
}

/// A string or collection that is too long.
pub fn length_at_most(max: i64) -> String {
    format!("Member must have length less than or equal to {max}")
}

/// A number that is too small.
pub fn value_at_least(min: i64) -> String {
    format!("Member must have value greater than or equal to {min}")
}

/// A number that is too large.
pub fn value_at_most(max: i64) -> String {
    format!("Member must have value less than or equal to {max}")
}

/// A string that does not match its pattern.
pub fn pattern(pattern: &str) -> String {
    format!("Member must satisfy regular expression pattern: {pattern}")
}

const CHOICE: &str = "Member must satisfy enum value set: ";

/// A string outside its closed set.
pub fn choice(set: &str) -> String {
    format!("{CHOICE}[{set}]")
}

/// Whether a constraint's text is [`choice`]'s.
pub(crate) fn is_choice(constraint: &str) -> bool {
    constraint.starts_with(CHOICE)
}

/// A string outside its closed set, in the newer layer's words for `ReturnValues` and `ConditionalOperator`.
pub fn choice_unnamed(set: &str) -> String {
    format!("Failed to satisfy constraint: {CHOICE}[{set}]")
}

/// `ReturnItemCollectionMetrics` outside its closed set, in the newer layer.
pub fn item_collection_metrics() -> String {
    "ReturnItemCollectionMetrics can only be SIZE or NONE".to_owned()
}

/// A list with an element that breaks one of the rules.
pub fn elements(rules: &[String]) -> String {
    format!("Member must satisfy constraint: [{}]", rules.join(", "))
}

/// A map with a key that breaks one of the rules.
pub fn map_keys(rules: &[String]) -> String {
    format!("Map keys must satisfy constraint: [{}]", rules.join(", "))
}

/// A map with a value that breaks one of the rules.
pub fn map_values(rules: &[String]) -> String {
    format!("Map value must satisfy constraint: [{}]", rules.join(", "))
}

/// A table operation without a table name.
pub fn table_name_required() -> String {
    "The parameter 'TableName' is required but was not present in the request".to_owned()
}
