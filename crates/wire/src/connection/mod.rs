//! The life of a connection: who is let in, how long it may wait, and what it may hold.

mod framing;
mod guard;
pub(crate) mod memory;
mod refusal;
mod turns;
mod watch;

pub(crate) use guard::{Busy, Guard};
pub(crate) use refusal::{Refusal, Refusals};
pub(crate) use turns::Turns;
