//! One HTTP request and its answer.
//!
//! The order of checks is AWS's: size, content coding, content type, JSON syntax, target, signature, empty body, member
//! types, constraints. Syntax is checked apart only when a later check fails, so a good request is parsed once.

mod body;
mod coding;
mod exchange;
mod record;
mod reply;
mod request_id;
mod session;

pub(crate) use exchange::Front;
pub(crate) use session::Session;
