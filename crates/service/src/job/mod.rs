//! Work that goes on in the background, each a client of the engine like any request.

pub(crate) mod backfill;
pub(crate) mod tokens;
