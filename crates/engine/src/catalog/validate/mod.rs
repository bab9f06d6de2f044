//! What can be said against a request on tables without looking at a table, in AWS's order.

mod create;
mod indexes;
mod keys;
mod settings;
mod tags;
mod throughput;
mod update;

pub(super) use create::create;
pub(super) use settings::{Encryption, encryption};
pub(super) use tags::{tag, untag};
pub(super) use update::{IndexAction, action, update};

use hashrange_api::Error;

/// Refuses with a `ValidationException`.
fn refuse<T>(text: String) -> Result<T, Error> {
    Err(Error::validation(text))
}
