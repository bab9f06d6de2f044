//! The store contract: what Hashrange asks of the engine below it.
//!
//! The unit is one *partition*: all rows of one space under one encoded partition-key value. A [`Store`]
//! reads rows, commits conditional writes to partitions, and keeps a change log. Everything else that
//! DynamoDB does lives above, written once.

mod contract;

pub use contract::*;
