//! Transactions: many items in one commit, or a look at many items at one instant.
//!
//! # How they are isolated
//!
//! A TransactWriteItems reads every item that it writes or checks, decides, and hands the store one commit that expects all
//! of them as they were read (see [`write_all`](crate::write::write_all)). Together with single writes, which do the same
//! with their one item, that makes every write serialisable: what was decided upon is what is there when the commit is
//! queued. A TransactGetItems reads its items and then asks the store, by a commit without writes, whether all of them still
//! are as they were read.
//!
//! DynamoDB tells clients that they met a transaction, so [`Claims`] says which items are in the hands of one, from before
//! its reads until its commit is durable. Claims decide only who gets which error: a write that slips past them still finds
//! other stamps at its commit.
//!
//! # How they are idempotent
//!
//! The token of a client is a row in [`Space::TOKENS`](hashrange_store::Space::TOKENS), written in the transaction's own
//! commit (see [`token`]): it is there if and only if the transaction is.

mod cancel;
pub(crate) mod check;
mod claims;
mod plan;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod token;
mod write;

pub(crate) use cancel::{Reason, cancelled};
pub(crate) use check::{CheckedTransactGet, CheckedTransactWrite, get as check_get, write as check_write};
pub(crate) use claims::Claims;
pub(crate) use plan::{
    PlannedAction, PlannedGet, TransactGetPlan, TransactWritePlan, get as plan_get, write as plan_write,
};
pub(crate) use read::get;
pub(crate) use token::{ClientToken, Fingerprint, Place, TokensInFlight, forget_expired};
pub(crate) use write::write;
