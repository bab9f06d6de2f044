//! The program `hashrange`: `serve` runs the server, `explain` shows the plan of a request, `check` verifies a folder, `tour` walks through a
//! single-table design.

mod check;
mod client;
mod config;
mod explain;
mod model;
mod serve;
mod tour;

use std::process::ExitCode;

/// Requests make many small pieces that do not live long.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A mistake on the command line, in a variable or in the file; clap exits with the same code.
const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let matches = config::command().get_matches();
    let outcome = match matches.subcommand() {
        Some(("serve", flags)) => return serve(flags),
        Some(("check", flags)) => return check::run(flags),
        Some(("explain", flags)) => explain::run(flags),
        Some(("model", flags)) => return model::run(flags),
        Some(("tour", _)) => tour::run(),
        _ => unreachable!("clap demands one of the subcommands"),
    };
    exit_code(outcome)
}

/// Serves, or only checks with what.
fn serve(flags: &clap::ArgMatches) -> ExitCode {
    match config::resolve(&config::given_flags(flags), &config::given_variables()) {
        Ok(resolved) if flags.get_flag(config::CHECK_CONFIG) => serve::check_config(&resolved),
        Ok(resolved) => {
            for warning in &resolved.warnings {
                eprintln!("warning: {warning}");
            }
            exit_code(serve::run(&resolved.settings))
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(USAGE_ERROR)
        }
    }
}

/// A failure is one line that says what to do.
fn exit_code(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {}", message.replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}
