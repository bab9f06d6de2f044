//! PartiQL: statements, their literals, their keys, and many of them in one request.
//!
//! Source: answers of AWS recorded by public conformance tests between July and October 2026, unless a text says otherwise.

/// A statement that cannot be read; `detail` may be empty.
pub fn malformed(detail: &str) -> String {
    format!("Statement wasn't well formed, can't be processed: {detail}")
}

/// No statement begins so. Inside [`malformed`], as the following nine.
pub fn expected_data_manipulation() -> &'static str {
    "Expected data manipulation"
}

/// Something follows a statement that was over.
pub fn token_after_expression() -> &'static str {
    "Unexpected token after expression"
}

/// Nothing where a condition or a value should begin.
pub fn unexpected_term() -> &'static str {
    "Unexpected term"
}

/// A keyword where a condition or a value should begin.
pub fn unexpected_keyword() -> &'static str {
    "Unexpected keyword"
}

/// An operator where a condition or a value should begin.
pub fn unexpected_operator() -> &'static str {
    "Unexpected operator"
}

/// Nothing after an operator.
pub fn missing_right_hand_side() -> &'static str {
    "Missing right-hand side expression of infix operator"
}

/// `IS` without the name of a type.
pub fn expected_type_name() -> &'static str {
    "Expected type name"
}

/// A statement without its table.
pub fn expected_identifier() -> &'static str {
    "Expected identifier for simple path"
}

/// A keyword after the dot of a path.
pub fn invalid_path_dot() -> &'static str {
    "Invalid path dot component"
}

/// A second name for a table.
pub fn aliasing() -> String {
    "Aliasing is not supported".to_owned()
}

/// A type test that stands alone.
pub fn type_test_alone() -> String {
    "Unsupported operation: IsType".to_owned()
}

/// More than a table and an index in FROM.
pub fn long_table_path() -> String {
    "A path may contain at most 2 components in the FROM clause".to_owned()
}

/// A table or index named `""`.
pub fn empty_table_name() -> String {
    "Path component cannot be an empty string".to_owned()
}

/// An INSERT into an index.
pub fn insert_into_index() -> String {
    "FROM clause may only contain a single table name".to_owned()
}

/// An UPDATE or DELETE of an index.
pub fn write_to_index() -> String {
    "This operation is not supported on an index".to_owned()
}

/// A column that is no path; `place` is line, column and length: `1:8:5`.
pub fn column_not_a_path(place: &str) -> String {
    format!("Unexpected path component at {place}")
}

/// A list index that is negative or beyond 31 bits.
pub fn list_index(index: &str, place: &str) -> String {
    format!("List index is not within the allowable range; index: [{index}] at {place}")
}

/// A function that does not exist, or not there; `name` in lower case.
pub fn unknown_function(name: &str, place: &str) -> String {
    format!("Unrecognized function: {name} at {place}")
}

/// Something inside a literal that is no literal; `under` is `root`, `root.x`, `root[0]`.
pub fn not_a_literal(what: &str, under: &str, place: &str) -> String {
    format!("Unsupported data type: {what} under key {under} at {place}")
}

/// A text about a literal, with its place inside the value.
pub fn under(text: &str, under: &str) -> String {
    format!("{text} under {under}")
}

/// `<<>>`
pub fn empty_set() -> String {
    "Empty bags are not supported".to_owned()
}

/// A set of anything but strings or numbers.
pub fn mixed_set() -> String {
    "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags".to_owned()
}

/// A set of numbers with a repeated member, as written.
pub fn duplicate_numbers(members: &[&str], under: &str) -> String {
    super::invalid(&format!("Input collection {} contains duplicates! under {under}", super::list(members)))
}

/// A literal with a key twice. That it is refused is likely, the text is not on record.
pub fn duplicate_key(key: &str) -> String {
    malformed(&format!("Duplicate key in tuple: {key}"))
}

/// A literal, or the result of an UPDATE, of more than 32 levels.
pub fn too_deep() -> String {
    "Nesting Levels have exceeded supported limits".to_owned()
}

/// `SET a = set_add(b, …)`; `function` is `SET_ADD` or `SET_DELETE`.
pub fn set_target(function: &str, place: &str) -> String {
    format!("The first argument to {function} must equal the assignment value at {place}")
}

/// `set_add(a, 'x')`
pub fn set_operand(function: &str, place: &str) -> String {
    format!("The second argument to {function} must be a value with type SET at {place}")
}

/// `set_add(a)`
pub fn set_arguments(function: &str, place: &str) -> String {
    format!("{function} must have exactly two arguments at {place}")
}

/// A DELETE that returns something else than the old item; `clause` is `ALL NEW *`.
pub fn returning_of_delete(clause: &str) -> String {
    format!(
        "Invalid returning clause: RETURNING {clause}. Only RETURNING ALL OLD * is allowed in DELETE statements."
    )
}

/// Fewer parameters than `?`. Source: DynamoDB local.
pub fn too_few_parameters() -> String {
    "Number of parameters in request and statement don't match.".to_owned()
}

/// `attribute_type(a, 'X')`: the set is printed in another order than in an expression.
pub fn unknown_attribute_type(name: &str) -> String {
    format!("Invalid attribute type name found; type: {name}, valid types: {{N,BS,L,B,NULL,M,S,SS,NS,BOOL}}")
}

/// A write that does not name one item.
pub fn missing_key_equality() -> String {
    "Where clause does not contain a mandatory equality on all key attributes".to_owned()
}

/// A write that names two values for one key attribute.
pub fn several_keys(attribute: &str) -> String {
    format!(
        "Multiple conditions on same key {attribute}. Only single item Update/Insert/Delete are supported"
    )
}

/// A key attribute compared with a value of another type.
pub fn key_type(attribute: &str) -> String {
    format!("Key attribute's data type should match its data type in table's schema: Key {attribute}")
}

/// Alternatives of a SELECT that read the same items.
pub fn overlapping() -> String {
    "Overlapping conditions with range keys are not supported in where clause".to_owned()
}

/// A SELECT of more than 50 reads.
pub fn too_many_reads() -> String {
    "Too many decomposed read operations for a given query.".to_owned()
}

/// A SELECT from an index that does not exist.
pub fn index_not_found() -> String {
    "The table does not have the specified index".to_owned()
}

/// `ConsistentRead` on a global index.
pub fn consistent_on_global_index() -> String {
    "Strongly consistent read is not supported on Global Secondary Indexes".to_owned()
}

/// A SELECT from an index with several partition-key or sort-key attributes.
pub fn multi_attribute_index() -> String {
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
        .to_owned()
}

/// ORDER BY without WHERE.
pub fn order_without_where() -> String {
    "Must have WHERE clause in the statement when using ORDER BY clause.".to_owned()
}

/// ORDER BY without an equality of the partition key.
pub fn order_without_key() -> String {
    "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        .to_owned()
}

/// ORDER BY of an attribute that is no key.
pub fn order_not_a_key(attribute: &str) -> String {
    format!("Attribute {attribute} in ORDER BY clause must be part of the primary key")
}

/// ORDER BY of several partitions that does not name the partition key.
pub fn order_of_several_keys() -> String {
    "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
        .to_owned()
}

/// An INSERT of an item that is there already.
pub fn duplicate_item() -> String {
    "Duplicate primary key exists in table".to_owned()
}

/// A `NextToken` that no statement gave.
pub fn invalid_token() -> String {
    "Invalid NextToken".to_owned()
}

/// The `NextToken` of another statement, or of other parameters.
pub fn token_of_another() -> String {
    "NextToken does not match request".to_owned()
}

/// Reads and writes in one batch.
pub fn mixed_batch() -> String {
    "Read and write requests together in the same batch is not supported.".to_owned()
}

/// A SELECT of a batch or transaction that does not read one item by its whole key; `operation` is its name.
pub fn select_without_key(operation: &str) -> String {
    format!("Select statements within {operation} must specify the primary key in the where clause.")
}

/// EXISTS outside of a transaction.
pub fn exists_outside_transaction() -> String {
    "EXISTS can only be used in ExecuteTransaction write requests.".to_owned()
}

/// Reads and writes in one transaction.
pub fn mixed_transaction() -> String {
    "ExecuteTransaction API does not support both read and write operations in the same request.".to_owned()
}

/// A text about one statement of a transaction.
pub fn in_transaction(position: usize, text: &str) -> String {
    format!("Validation failed in TransactStatements[{position}]: {text}")
}

/// RETURNING in a transaction.
pub fn returning_in_transaction() -> String {
    "RETURNING clause is not supported in ExecuteTransaction.".to_owned()
}

/// A SELECT from an index in a transaction.
pub fn index_in_transaction() -> String {
    "Reads on indices are not supported within transactions.".to_owned()
}

/// EXISTS of an index. Source: DynamoDB local.
pub fn exists_of_index() -> String {
    "Operations on indices are not supported in transactions".to_owned()
}

/// EXISTS that is not of one item, or says nothing beside its key.
pub fn exists_without_condition() -> String {
    "EXISTS() must contain a single item read with additional condition".to_owned()
}
