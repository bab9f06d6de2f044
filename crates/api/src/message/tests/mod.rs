//! Every text of the catalogue, word for word, and the table of envelopes.

mod auth;
mod constraint;
mod edge;
mod expression;
mod item;
mod layers;
mod legacy;
mod query;
mod serialization;
mod statement;
mod tables;
mod throughput;
mod transaction;
mod value;

/// Compares a text with AWS's.
fn check(text: impl AsRef<str>, expected: &str) {
    assert_eq!(text.as_ref(), expected);
}
