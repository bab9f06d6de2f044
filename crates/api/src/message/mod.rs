//! Every AWS error text that a client can see: one function per text, grouped by concept.
//!
//! Words are AWS's, slips included. A text comes bare or inside the envelope `1 validation error detected: `; which of
//! the two depends on the operation and on the family the text belongs to ([`layered`]). The table is us-east-1's of
//! October 2026; regions differ while AWS rolls the newer layer out.

pub mod auth;
pub mod budget;
pub mod constraint;
pub mod edge;
pub mod expression;
pub mod item;
pub mod legacy;
pub mod query;
pub mod serialization;
pub mod statement;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod throughput;
pub mod transaction;
pub mod value;

use crate::Operation;

/// The generation of request validation that an operation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Single-item operations, BatchGetItem and Query.
    Newer,
    /// Everything else.
    Older,
}

/// The generation of request validation that an operation runs in us-east-1.
pub fn layer(operation: Operation) -> Layer {
    use Operation as O;
    match operation {
        O::PutItem | O::UpdateItem | O::DeleteItem | O::GetItem | O::BatchGetItem | O::Query => Layer::Newer,
        _ => Layer::Older,
    }
}

/// What a text is about; the families in which AWS envelopes texts are told apart by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Empty sets and sets with duplicates.
    Set,
    /// Numbers that are no numbers, too large, too small, too long.
    Number,
    /// `{"NULL": false}`.
    NullFalse,
    /// A value in `ExpressionAttributeValues` with more than 32 levels.
    ExpressionValueDepth,
    /// Everything a parser or binder says of an expression: syntax, size, operands, placeholders, unused names.
    Expression,
    /// `ExpressionAttributeNames` or `ExpressionAttributeValues` that are empty or without an expression.
    Placeholders,
    /// Expressions mixed with the legacy parameters.
    Mixed,
    /// `ReturnValues` that the operation does not take.
    ReturnValues,
    /// A malformed condition in `Expected`, or a malformed action in `AttributeUpdates`.
    Legacy,
    /// `Select` together with parameters it excludes.
    Select,
    /// A key attribute, or an index key attribute, of the wrong type or missing.
    Key,
    /// An update of a key attribute.
    KeyUpdate,
    /// A document path that the item does not have, or has otherwise.
    DocumentPath,
    /// An operand of an update that the item does not have, or has with another type.
    Operand,
    /// An empty string or binary value in a key.
    EmptyKey,
    /// An `AttributeValue` with no type or with several.
    ValueShape,
    /// An item over 400 KB, or one with more than 32 levels.
    ItemSize,
    /// The result of an arithmetic update that is no storable number.
    Arithmetic,
}

/// Whether AWS envelopes texts of the family on the operation.
pub fn is_enveloped(operation: Operation, family: Family) -> bool {
    use Family as F;
    match operation {
        Operation::PutItem | Operation::UpdateItem | Operation::DeleteItem => !matches!(
            family,
            F::Key
                | F::KeyUpdate
                | F::DocumentPath
                | F::Operand
                | F::EmptyKey
                | F::ValueShape
                | F::ItemSize
                | F::Arithmetic
        ),
        Operation::Query => family == F::Select,
        _ => false,
    }
}

/// The text as the operation gives it: enveloped or bare.
pub fn layered(operation: Operation, family: Family, text: &str) -> String {
    if is_enveloped(operation, family) { detected(1, text) } else { text.to_owned() }
}

/// A text about a value of `ExpressionAttributeValues`. The older layer names the placeholder; the newer does not.
pub fn layered_value(operation: Operation, family: Family, text: &str, placeholder: &str) -> String {
    match layer(operation) {
        Layer::Newer => layered(operation, family, text),
        Layer::Older => value::in_expression_values(text, placeholder),
    }
}

/// The envelope: `1 validation error detected: ...`, `3 validation errors detected: ...`.
pub fn detected(count: usize, text: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} validation error{plural} detected: {text}")
}

/// `One or more parameter values were invalid: ...`, with which many texts begin.
pub(crate) fn invalid(text: &str) -> String {
    format!("One or more parameter values were invalid: {text}")
}

/// `[a, b]`, as Java prints a list.
pub(crate) fn list(items: &[&str]) -> String {
    format!("[{}]", items.join(", "))
}
