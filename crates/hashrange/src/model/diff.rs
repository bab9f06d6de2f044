//! `hashrange model diff`: what changed between two states of a model, and what each change asks of the data.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use hashrange_modelling::diff;

const HELP: &str = "\
What a change asks for:
  free       nothing: rates, budgets, patterns, names of attributes
  update     a setting of the table, while it serves
  drop       something is deleted for good
  backfill   a global index is made and filled from the table
  rewrite    items are written anew, as their keys or types change
  new-table  keys of a table and local indexes cannot be changed: a second table, and a copy

Example:
  git show main:catalogue.yaml | hashrange model diff - catalogue.yaml

Exit codes: 0 nothing changed; 1 something changed; 2 the command line or a file is wrong.";

/// Something changed.
const CHANGED: u8 = 1;

/// The command line of `diff`.
pub(crate) fn command() -> Command {
    let before = Arg::new("before")
        .value_name("A")
        .required(true)
        .help("The model as it was: a file, a folder, - or a running server");
    let after = Arg::new("after").value_name("B").required(true).help("The model as it is to be");
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["table", "json", "markdown"])
        .default_value("table")
        .help("table, json or markdown");
    let about = "What changed in keys, indexes, patterns, budgets and costs, and what needs a backfill or a new table";
    super::with_reading(Command::new("diff").about(about).args([before, after])).arg(format).after_help(HELP)
}

/// Compares two models.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    match compared(flags) {
        Ok((text, changed)) => {
            print!("{text}");
            if changed { ExitCode::from(CHANGED) } else { ExitCode::SUCCESS }
        }
        Err(exit) => exit,
    }
}

/// The report, and whether something changed.
fn compared(flags: &ArgMatches) -> Result<(String, bool), ExitCode> {
    let read = |name: &str| {
        let path = flags.get_one::<String>(name).expect("clap demands it");
        super::read_paths(std::slice::from_ref(path), flags)
    };
    let diff = diff::diff(&read("before")?, &read("after")?);
    let text = match flags.get_one::<String>("format").map_or("table", String::as_str) {
        "json" => format!("{:#}\n", diff.json()),
        "markdown" => diff.markdown(),
        _ => diff.text(),
    };
    Ok((text, !diff.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Folder, SHOP};
    use super::*;

    #[test]
    fn a_change_is_told_and_sameness_too() {
        let changed =
            SHOP.replace("SK: PROFILE}", "SK: USER}").replace("projection: keys", "projection: all");
        let folder = Folder::with(&[("a.yaml", SHOP), ("b.yaml", &changed)]);
        let told = |a: &str, b: &str| {
            let words = ["diff", &folder.path(a), &folder.path(b)].map(str::to_owned);
            let flags = command().try_get_matches_from(words).expect("the command line is right");
            compared(&flags).expect("both are read")
        };
        assert_eq!(told("a.yaml", "a.yaml"), ("Nothing changed.\n".to_owned(), false));
        let (text, changed) = told("a.yaml", "b.yaml");
        assert!(changed && text.contains("backfill  index Shop.ByEmail"), "{text}");
        assert!(text.contains("rewrite   entity User"), "{text}");
    }
}
