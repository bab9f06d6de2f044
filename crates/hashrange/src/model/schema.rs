//! `hashrange model schema`: the JSON Schema of a catalogue.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use hashrange_modelling::write::SCHEMA;

const HELP: &str = "\
Examples:
  hashrange model schema > catalogue.schema.json
      Then start a catalogue with the line
      # yaml-language-server: $schema=catalogue.schema.json
      and an editor with the YAML language server completes and checks it

Exit codes: 0 the schema was printed.";

/// The command line of `schema`.
pub(crate) fn command() -> Command {
    Command::new("schema").about("Print the JSON Schema of a catalogue, for editors").after_help(HELP)
}

/// Prints the schema.
pub(crate) fn run(_flags: &ArgMatches) -> ExitCode {
    print!("{SCHEMA}");
    ExitCode::SUCCESS
}
