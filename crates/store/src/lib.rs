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
#[cfg(any(test, feature = "suite"))]
pub mod suite;
mod totals;

pub use contract::*;
pub use memory::Memory;
pub use page::PageBudget;
pub use totals::Totals;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_reference_engine_keeps_the_contract() {
        suite::run(|| || Arc::new(Memory::new()) as Arc<dyn Store>);
    }
}
