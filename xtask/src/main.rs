//! Automation of the workspace: `cargo xtask <command>`.

mod codegen;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lives in the workspace");
    let well = match arguments.first().map(String::as_str) {
        Some("codegen") => codegen::run(root, &arguments[1..]),
        _ => {
            eprintln!("usage: cargo xtask codegen [--check]");
            false
        }
    };
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
