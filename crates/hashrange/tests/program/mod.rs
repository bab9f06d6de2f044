//! The program, without settings of whoever runs the tests.

use std::process::{Command, Stdio};

/// `hashrange` with these words. Neither its own variables nor those of the AWS CLI come through, and nobody's credentials are
/// looked for.
pub(crate) fn hashrange(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashrange"));
    command.args(words).stdin(Stdio::null()).env("HOME", "/nowhere");
    for (name, _) in std::env::vars_os() {
        let shown = name.to_string_lossy();
        if shown.starts_with("HASHRANGE_") || shown.starts_with("AWS_") {
            command.env_remove(&name);
        }
    }
    command
}
