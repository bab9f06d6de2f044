//! `hashrange model draw`: the model as one page, or as Mermaid.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use hashrange_modelling::cost::{self, Prices};
use hashrange_modelling::draw::{self, Drawing};
use hashrange_modelling::{Catalogue, check, plan, samples};

const EXAMPLES: &str = "\
Examples:
  hashrange model draw catalogue.yaml --output model.html
      One page that needs no network: item collections, and each pattern on the rows that it reads or writes
  hashrange model draw catalogue.yaml --format mermaid
      A flowchart for documents

Exit codes: 0 it was drawn; 2 the command line or a file is wrong.";

/// The command line of `draw`.
pub(crate) fn command() -> Command {
    let output = Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FILE")
        .help("Where to write it [default: standard output]");
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["html", "mermaid"])
        .default_value("html")
        .help("html or mermaid");
    let command =
        Command::new("draw").about("Draw tables, indexes and patterns as one HTML page, or as Mermaid");
    super::with_files(command).args([output, format]).after_help(EXAMPLES)
}

/// Draws the model.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    drawn(flags).unwrap_or_else(|exit| exit)
}

fn drawn(flags: &ArgMatches) -> Result<ExitCode, ExitCode> {
    let catalogue = super::read_catalogue(flags)?;
    let text = match flags.get_one::<String>("format").map(String::as_str) {
        Some("mermaid") => draw::mermaid(&catalogue, &plan::plans(&catalogue)),
        _ => page(&catalogue),
    };
    match flags.get_one::<String>("output") {
        None => print!("{text}"),
        Some(path) => {
            std::fs::write(path, text).map_err(|error| super::wrong(&[format!("{path}: {error}")]))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn page(catalogue: &Catalogue) -> String {
    let findings = check::check(catalogue, &hashrange::model::today());
    let costs = cost::cost(catalogue, &Prices::built_in());
    let generated = samples::generate(catalogue, samples::Options::default()).excerpt(catalogue);
    draw::html(&Drawing {
        catalogue,
        plans: &plan::plans(catalogue),
        findings: &findings,
        costs: Some(&costs),
        samples: &generated,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Folder, SHOP};
    use super::*;

    #[test]
    fn a_page_and_a_flowchart_are_written() {
        let folder = Folder::with(&[("catalogue.yaml", SHOP)]);
        let written = |format: &str| {
            let (file, output) = (folder.path("catalogue.yaml"), folder.path("out"));
            let words = ["draw", &file, "--format", format, "--output", &output];
            drawn(&command().try_get_matches_from(words).expect("the command line is right"))
                .expect("it is drawn");
            std::fs::read_to_string(output).expect("it is written")
        };
        let page = written("html");
        assert!(
            page.starts_with("<!doctype html>") && page.contains("USER#u1") && page.contains("A user"),
            "{page}"
        );
        assert!(written("mermaid").starts_with("flowchart LR\n"));
    }
}
