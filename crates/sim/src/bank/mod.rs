//! Transactions under test: a bank, whose accounts are items and whose money neither comes nor goes.
//!
//! Clients transfer money between accounts (TransactWriteItems with conditions and ConditionChecks), look at many accounts
//! at once (TransactGetItems), and write and read single accounts between. What they asked and were told is judged in three
//! ways:
//!
//! - All money, in every TransactGetItems of all accounts, is what it was at the beginning.
//! - The whole history is *strictly serialisable*: there is one order of all transactions and single operations that agrees
//!   with real time and explains every answer. The bank is one object to the checker of linearisability ([`linear`]), a
//!   transaction one step on it; so the items by themselves are linearisable too. Histories are kept so short that the
//!   search ends; one that does not is counted as undecided.
//! - A conflict was told only to one who could have met somebody.
//!
//! A token that was used is a part of the bank's state: to repeat its transaction changes nothing.
//!
//! [`Clerk`] draws what a client asks and is the same in the simulation ([`play`]) and over the real server, whose test
//! (`crates/hashrange/tests/isolation`) speaks HTTP.
//!
//! [`linear`]: crate::linear

mod clerk;
mod judge;
mod model;
mod play;
mod request;

pub use clerk::{Clerk, Recent};
pub use judge::{Judgement, judge};
pub use model::{Account, Action, Ask, Bank, Change, Condition, Move, Step, Told, steps};
pub use play::play;
pub use request::{Layout, token_text, told};

/// What each account holds in the beginning.
pub const FUNDS: i64 = 100;
