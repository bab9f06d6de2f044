//! `cargo xtask ci`: what CI checks, in the order in which a mistake is cheapest to find.

use crate::process::{self, Outcome, cargo, cargo_command};
use crate::tidy;

/// Runs every check; `--skip-tests` is for CI, which has run the tests before.
pub(crate) fn run(words: &[&str]) -> Outcome {
    let with_tests = match words {
        [] => true,
        ["--skip-tests"] => false,
        _ => return Err("cargo xtask ci [--skip-tests]".to_owned()),
    };
    cargo(["fmt", "--all", "--check"])?;
    println!("$ cargo xtask tidy");
    tidy::run()?;
    cargo(["xtask", "codegen", "--check"])?;
    cargo(["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])?;
    let mut documentation = cargo_command(["doc", "--workspace", "--no-deps"]);
    process::run(documentation.env("RUSTDOCFLAGS", "--deny warnings --deny missing_docs"))?;
    if with_tests { cargo(["test", "--workspace"]) } else { Ok(()) }
}
