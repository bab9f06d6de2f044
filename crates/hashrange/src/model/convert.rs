//! `hashrange model convert`: a model in another format.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_modelling::Catalogue;
use hashrange_modelling::write;

const HELP: &str = "\
Examples:
  hashrange model convert dynamodb_data_model.json > catalogue.yaml
      A model of AWS's tools in our own form
  hashrange model convert template.yaml dynamodb_data_model.json rates.yaml --output catalogue.yaml
      Tables of a template, patterns of a model and rates of an overlay, in one file
  hashrange model convert catalogue.yaml --to m --output dynamodb_data_model.json
      Back, with command lines of the AWS CLI; what that shape cannot say is listed

Formats that are written: yaml (our own), m (dynamodb_data_model.json with command lines), s (the same name, with sizes and rates).

Exit codes: 0 the model was written; 2 the command line or a file is wrong.";

/// The command line of `convert`.
pub(crate) fn command() -> Command {
    let to = Arg::new("to")
        .long("to")
        .value_name("FORMAT")
        .value_parser(["yaml", "m", "s"])
        .default_value("yaml")
        .help("The format to write");
    let output = Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FILE")
        .help("Where to write [default: standard output]");
    let force =
        Arg::new("force").long("force").action(ArgAction::SetTrue).help("Write over a file that is there");
    let command = Command::new("convert").about("Write a model in another format").after_help(HELP);
    super::with_files(command).args([to, output, force])
}

/// Converts.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let catalogue = match super::read_catalogue(flags) {
        Ok(catalogue) => catalogue,
        Err(code) => return code,
    };
    let to = flags.get_one::<String>("to").map_or("yaml", String::as_str);
    let (text, lost) = written(&catalogue, to);
    for what in lost {
        eprintln!("note: format {to} cannot say {what}");
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

fn written(catalogue: &Catalogue, to: &str) -> (String, Vec<String>) {
    match to {
        "m" => write::shape_m(catalogue),
        "s" => write::shape_s(catalogue),
        _ => (write::yaml(catalogue), Vec::new()),
    }
}
