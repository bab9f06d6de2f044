//! The naive database: DynamoDB's rules written down as plainly as they can be, sharing nothing with the engine but the
//! shapes of requests. A sorted map of items per table; everything else is worked out anew each time it is asked for.
//!
//! [`generate`] makes random tables, items, conditions and updates; [`mod@write`] makes requests of them and says what must
//! come back.

pub mod counts;
pub mod expression;
pub mod generate;
pub mod rng;
pub mod schema;
pub mod table;
pub mod value;
pub mod write;

pub use rng::Rng;
pub use table::{Key, Table};
pub use value::{Item, Value};
