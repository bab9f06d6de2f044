//! The store contract: what Hashrange asks of the engine below it.
//!
//! The unit is one *partition*: all rows of one space under one encoded partition-key value. A [`Store`]
//! reads rows, commits conditional writes to partitions, and keeps a change log. Everything else that
//! DynamoDB does lives above, written once.
//!
//! [`Memory`] is the reference engine: small, in memory, obviously correct.

mod contract;
mod memory;
mod page;
mod totals;

pub use contract::*;
pub use memory::Memory;
pub use page::PageBudget;
pub use totals::Totals;
