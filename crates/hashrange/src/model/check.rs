//! `hashrange model check`: judges a model without running it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use hashrange_env::{Clock as _, RealClock};
use hashrange_modelling::check::{self, Line};
use hashrange_modelling::{Catalogue, Finding, Severity};
use serde_json::{Value, json};

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

Each finding names its rule: `hashrange model explain RULE` teaches it, `hashrange model rules` lists all with thresholds.
A model allows a finding with a reason and an end:
  waivers: [{rule: hot-counter, on: P7, reason: sharded in May, until: 2027-06-30}]

Exit codes: 0 nothing is denied; 1 there are findings of the severity of --deny or graver; 2 the command line or a file is wrong.";

/// The command line of `check`.
pub(crate) fn command() -> Command {
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["table", "json"])
        .default_value("table")
        .help("What is printed: table or json");
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
    super::with_files(command).args([format, deny, today]).after_help(EXAMPLES)
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
    let today = flags.get_one::<String>("today").cloned().unwrap_or_else(today);
    let findings = check::check(&catalogue, &today);
    if flags.get_one::<String>("format").map(String::as_str) == Some("json") {
        say(&format!("{:#}", as_json(&catalogue, &findings)));
    } else {
        say(&as_table(&catalogue, &findings));
    }
    let denied = match flags.get_one::<String>("deny").map(String::as_str) {
        Some("note") => Severity::Note,
        Some("warn") => Severity::Warn,
        _ => Severity::Error,
    };
    let fails = findings.iter().any(|finding| finding.waived.is_none() && finding.severity >= denied);
    if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The clock's day, in UTC.
pub(crate) fn today() -> String {
    let days = RealClock::new().now().seconds() / 86_400;
    day(days)
}

/// The date of a day counted from 1970-01-01. (Howard Hinnant's algorithm, days to civil.)
fn day(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
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
    fn days_become_dates() {
        for (days, date) in
            [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_787, "2026-11-30")]
        {
            assert_eq!(day(days), date);
        }
    }

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
