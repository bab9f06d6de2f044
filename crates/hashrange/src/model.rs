//! `hashrange model`: access patterns as a living specification.
//!
//! Each subcommand has a file of its own in `model/`, and a line in [`COMMANDS`].

use std::process::ExitCode;

use clap::{ArgMatches, Command};

/// A subcommand: its command line, and what runs it.
type Subcommand = (fn() -> Command, fn(&ArgMatches) -> ExitCode);

/// The subcommands, in the order of `--help`.
const COMMANDS: &[Subcommand] = &[];

/// The command line of `model`.
pub(crate) fn command() -> Command {
    Command::new("model")
        .about("Plan, check, test, load, price and draw access patterns")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(COMMANDS.iter().map(|(command, _)| command()))
}

/// Runs the subcommand that was given.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let given = flags.subcommand();
    let found = COMMANDS.iter().find_map(|(command, run)| {
        let (name, flags) = given?;
        (command().get_name() == name).then_some((run, flags))
    });
    let (run, flags) = found.expect("clap demands one of the subcommands");
    run(flags)
}
