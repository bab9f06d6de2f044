//! `hashrange model convert`: a model in another format.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_modelling::write::{self, Form, Written};

const HELP: &str = "\
Examples:
  hashrange model convert dynamodb_data_model.json > catalogue.yaml
      A model of AWS's tools in our own form
  hashrange model convert template.yaml dynamodb_data_model.json rates.yaml --output catalogue.yaml
      Tables of a template, patterns of a model and rates of an overlay, in one file
  hashrange model convert catalogue.yaml --to m --output dynamodb_data_model.json
      Back, with command lines of the AWS CLI
  hashrange model convert catalogue.yaml --to cloudformation --output template.yaml
      The tables and indexes as a template, ready to deploy
  hashrange model convert template.yaml --to terraform --output main.tf.json
      The same tables for Terraform
  hashrange model convert catalogue.yaml --to workbench --output model.json
      A model to open in NoSQL Workbench
  hashrange model convert catalogue.yaml --to schema-json --output schema.json
  hashrange model convert catalogue.yaml --to usage-data --output usage_data.json
      The two files of AWS's code generator

Formats that are written (--to):
";

const HELP_END: &str = "
What a format cannot say, and what it demands and the model does not state, is listed on standard error, never dropped silently.

Exit codes: 0 the model was written; 2 the command line or a file is wrong.";

/// The help below the flags: examples, then each format.
fn help() -> String {
    let formats = Form::ALL.map(|form| format!("  {:20} {}\n", form.name(), form.about()));
    format!("{HELP}{}{HELP_END}", formats.concat())
}

/// The command line of `convert`.
pub(crate) fn command() -> Command {
    let to = Arg::new("to")
        .long("to")
        .value_name("FORMAT")
        .value_parser(Form::ALL.map(Form::name))
        .default_value("yaml")
        .hide_possible_values(true)
        .help("The format to write: see the list below");
    let output = Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FILE")
        .help("Where to write [default: standard output]");
    let force =
        Arg::new("force").long("force").action(ArgAction::SetTrue).help("Write over a file that is there");
    let command = Command::new("convert").about("Write a model in another format").after_help(help());
    super::with_files(command).args([to, output, force])
}

/// Converts.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let catalogue = match super::read_catalogue(flags) {
        Ok(catalogue) => catalogue,
        Err(code) => return code,
    };
    let to = flags.get_one::<String>("to").and_then(|name| Form::from_name(name)).unwrap_or(Form::Yaml);
    let Written { text, lost, assumed } = write::write(&catalogue, to, &hashrange::model::today());
    for what in lost {
        eprintln!("note: format {} cannot say {what}", to.name());
    }
    for what in assumed {
        eprintln!("note: {what}");
    }
    let Some(path) = flags.get_one::<String>("output") else {
        print!("{text}");
        return ExitCode::SUCCESS;
    };
    match super::files::write(path, &text, flags.get_flag("force")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => super::wrong(&[problem]),
    }
}
