//! `hashrange model check`: judges a model without running it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_modelling::check::{self, Line};
use hashrange_modelling::report::{self, Form, Found};
use hashrange_modelling::{Catalogue, Finding, Severity};
use serde_json::{Value, json};

use super::place::Places;

const EXAMPLES: &str = "\
Examples:
  hashrange model check shop.yaml
      What each pattern does, and what is wrong with it
  hashrange model check template.yaml dynamodb_data_model.json overlay.yaml
      The tables of a template, the patterns of a file of AWS's tools, and what only our own form can say
  hashrange model check shop.yaml --deny warn
      Fail a build at warnings too
  hashrange model check shop.yaml --today 2027-04-01
      As if it were that day: which waivers will have expired?
  hashrange model check shop.yaml --output sarif=check.sarif --output markdown=check.md
      Findings for a code host and for a pull request

Each finding names its rule: `hashrange model explain RULE` teaches it, `hashrange model rules` lists all with thresholds.
A model allows a finding with a reason and an end:
  waivers: [{rule: hot-counter, on: P7, reason: sharded in May, until: 2027-06-30}]

Exit codes: 0 nothing is denied; 1 there are findings of the severity of --deny or graver; 2 the command line or a file is wrong.";

/// The command line of `check`.
pub(crate) fn command() -> Command {
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(Form::ALL.map(Form::name))
        .default_value("table")
        .help("What is printed");
    let output = Arg::new("output")
        .long("output")
        .value_name("FORMAT=PATH")
        .action(ArgAction::Append)
        .value_parser(super::test::output)
        .help("A file to write besides, in one of the formats; may be repeated");
    let deny = Arg::new("deny")
        .long("deny")
        .value_name("SEVERITY")
        .value_parser(["error", "warn", "note"])
        .default_value("error")
        .help("Exit with 1 from this severity on");
    let today = Arg::new("today")
        .long("today")
        .value_name("DATE")
        .value_parser(date)
        .help("The day by which waivers expire, as 2027-03-31 [default: the clock's]");
    let command =
        Command::new("check").about("Judge a model by its declarations and samples, without running it");
    super::with_files(command).args([format, output, deny, today]).after_help(EXAMPLES)
}

/// `2027-03-31`
fn date(text: &str) -> Result<String, String> {
    let shape: Vec<usize> = text.split('-').map(str::len).collect();
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if digits && shape == [4, 2, 2] {
        Ok(text.to_owned())
    } else {
        Err("write a date as 2027-03-31".to_owned())
    }
}

/// Judges a model.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let catalogue = match super::read_catalogue(flags) {
        Ok(catalogue) => catalogue,
        Err(code) => return code,
    };
    let today = flags.get_one::<String>("today").cloned().unwrap_or_else(hashrange::model::today);
    let findings = check::check(&catalogue, &today);
    if let Err(problem) = tell(flags, &catalogue, &findings) {
        return super::wrong(&[problem]);
    }
    let denied = match flags.get_one::<String>("deny").map(String::as_str) {
        Some("note") => Severity::Note,
        Some("warn") => Severity::Warn,
        _ => Severity::Error,
    };
    let fails = findings.iter().any(|finding| finding.waived.is_none() && finding.severity >= denied);
    if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Prints what was found, and writes the files that were asked for.
fn tell(flags: &ArgMatches, catalogue: &Catalogue, findings: &[Finding]) -> Result<(), String> {
    let files: Vec<String> = flags.get_many::<String>("file").into_iter().flatten().cloned().collect();
    let places = Places::of(&files);
    let place = |finding: &Finding| places.of_finding(finding);
    let found = Found { model: &catalogue.name, findings, place: &place };
    let text = |form| match form {
        Form::Table => as_table(catalogue, findings) + "\n",
        Form::Json => format!("{:#}\n", as_json(catalogue, findings)),
        other => report::findings(&found, other),
    };
    let form = flags.get_one::<String>("format").and_then(|name| Form::from_name(name));
    say(text(form.unwrap_or(Form::Table)).trim_end_matches('\n'));
    for (form, path) in flags.get_many::<(Form, PathBuf)>("output").into_iter().flatten() {
        std::fs::write(path, text(*form))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

fn as_table(catalogue: &Catalogue, findings: &[Finding]) -> String {
    let lines = check::overview(catalogue);
    let rows: Vec<Vec<String>> = lines
        .into_iter()
        .map(|Line { pattern, name, plan, order, filter_loss, consistency, arms }| {
            vec![pattern, name, plan, order, filter_loss, consistency, arms]
        })
        .collect();
    let head = ["pattern", "name", "plan", "order", "filter loss", "consistency", "units"];
    let mut text = if rows.is_empty() { String::new() } else { grid(&head, &rows) + "\n\n" };
    for finding in findings {
        let waived =
            finding.waived.as_ref().map_or_else(String::new, |reason| format!(" (allowed: {reason})"));
        let _ = writeln!(
            text,
            "{:<5} {} [{}, {}]{waived}\n      {}\n      -> {}",
            finding.severity,
            finding.subject,
            finding.rule,
            finding.evidence.code(),
            finding.message,
            finding.advice
        );
    }
    text + &summary(catalogue, findings)
}

fn summary(catalogue: &Catalogue, findings: &[Finding]) -> String {
    let count = |severity: Severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!(
        "{}: {}, {}, {} over {}",
        catalogue.name,
        plural(count(Severity::Error), "error"),
        plural(count(Severity::Warn), "warning"),
        plural(count(Severity::Note), "note"),
        plural(catalogue.patterns.len(), "pattern")
    )
}

fn as_json(catalogue: &Catalogue, findings: &[Finding]) -> Value {
    let patterns: Vec<Value> = check::overview(catalogue)
        .into_iter()
        .map(|line| {
            json!({
                "id": line.pattern, "name": line.name, "plan": line.plan, "order": line.order,
                "filterLoss": line.filter_loss, "consistency": line.consistency, "units": line.arms,
            })
        })
        .collect();
    let findings: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule, "severity": finding.severity.name(), "evidence": finding.evidence.code(),
                "subject": finding.subject.to_string(), "message": finding.message, "advice": finding.advice,
                "waived": finding.waived,
            })
        })
        .collect();
    json!({"model": catalogue.name, "patterns": patterns, "findings": findings})
}

/// Columns as wide as their widest cell.
pub(super) fn grid(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let all = || std::iter::once(&head).chain(rows);
    let widths: Vec<usize> = (0..head.len())
        .map(|at| all().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

/// A reader that has gone away is no fault.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_has_ten_characters() {
        assert_eq!(date("2027-03-31").as_deref(), Ok("2027-03-31"));
        for wrong in ["31.3.2027", "2027-3-31", "tomorrow", "2027-03-3x"] {
            assert!(date(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = vec![vec!["P1".to_owned(), "get".to_owned()], vec!["P10".to_owned(), String::new()]];
        assert_eq!(grid(&["id", "plan"], &rows), "id   plan\nP1   get\nP10");
    }
}
