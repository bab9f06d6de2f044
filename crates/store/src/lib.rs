//! The store contract: what Hashrange asks of the engine below it.
//!
//! The unit is one *partition*: all rows of one space under one encoded partition-key value. A [`Store`]
//! reads rows, commits conditional writes to partitions, and keeps a change log. Everything else that
//! DynamoDB does lives above, written once.
//!
//! [`Memory`] is the reference engine: small, in memory, obviously correct. [`Mirror`] runs two engines and
//! compares them, [`Faulty`] injects faults, [`Transactional`] adds commits over several partitions to an engine that
//! has none, and `suite` (feature `suite`) is what every engine must pass.

mod contract;
mod faulty;
mod measure;
mod memory;
mod mirror;
mod page;
#[cfg(any(test, feature = "suite"))]
pub mod suite;
mod totals;
mod transact;

pub use contract::*;
pub use faulty::{Chances, Fault, Faulty, Held};
pub use measure::{Distribution, Histogram};
pub use memory::Memory;
pub use mirror::Mirror;
pub use page::PageBudget;
pub use totals::Totals;
pub use transact::{Tidied, Transactional};

#[cfg(test)]
mod tests;
