//! `cargo xtask tidy`.

use crate::process::Outcome;

pub(crate) fn run() -> Outcome {
    Ok(())
}
