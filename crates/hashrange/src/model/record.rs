//! `hashrange model record`: a recording of traffic as a draft catalogue, or against a declared one.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_modelling::Catalogue;
use hashrange_modelling::read::{self, ReadOptions};
use hashrange_modelling::record::{self, Comparison, Hint, Recording, Seen};
use serde_json::{Value, json};

use super::{files, wrong};

const AFTER: &str = "\
Make a recording with: hashrange serve --record FILE

Without --against the draft is printed, or written to --output: patterns with the rates, units and sizes that were observed. Names,
entities and parameters are guesses; look at them before you build on them.

Exit codes: 0 fine, and with --against traffic is as declared; 1 with --against: a pattern that is not declared, or a figure that is
off by more than a tenth; 2 the command line or a file is wrong.";

/// The command line.
pub(super) fn command() -> Command {
    let file = Arg::new("recording").value_name("FILE").required(true);
    let against = Arg::new("against")
        .long("against")
        .value_name("CATALOGUE")
        .action(ArgAction::Append)
        .help("Say how traffic differs from this model: patterns that are not declared, declared ones that were not seen, figures that are off, indexes that nothing reads");
    let output = Arg::new("output")
        .long("output")
        .value_name("CATALOGUE")
        .help("Write the draft to this file; - is standard output");
    let name = Arg::new("name")
        .long("name")
        .value_name("NAME")
        .help("The name of the draft")
        .default_value("recorded");
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["table", "json", "markdown"])
        .default_value("table")
        .help("How differences, or what was seen, are printed");
    Command::new("record")
        .about("Turn recorded traffic into a draft catalogue, or compare it with a declared one")
        .arg(file.help("A recording of hashrange serve --record"))
        .args([against, output, name, format])
        .after_help(AFTER)
}

/// Runs it.
pub(super) fn run(flags: &ArgMatches) -> ExitCode {
    outcome(flags).unwrap_or_else(|problems| wrong(&problems))
}

fn outcome(flags: &ArgMatches) -> Result<ExitCode, Vec<String>> {
    let path = flags.get_one::<String>("recording").expect("clap demands it");
    let bytes = std::fs::read(path).map_err(|error| vec![format!("cannot read {path}: {error}")])?;
    let recording = Recording::from_json(&bytes).map_err(|error| vec![format!("{path}: {error}")])?;
    let format = flags.get_one::<String>("format").map_or("table", String::as_str);
    let against: Vec<String> = flags.get_many("against").into_iter().flatten().cloned().collect();
    let output = flags.get_one::<String>("output").map(String::as_str);
    let hints = record::hints(&recording);
    if let Some(output) = output.filter(|output| *output != "-") {
        std::fs::write(output, draft(&recording, flags))
            .map_err(|error| vec![format!("cannot write {output}: {error}")])?;
    }
    if against.is_empty() {
        print(&match (format, output) {
            (_, Some("-")) => draft(&recording, flags),
            ("json", _) => pretty(&seen_json(&recording)),
            ("markdown", _) => seen_markdown(&recording) + &hint_lines(&hints, "- ", "`"),
            (_, Some(_)) => seen_table(&recording) + &hint_lines(&hints, "  ", ""),
            (_, None) => draft(&recording, flags),
        });
        // A draft on standard output must stay a catalogue.
        if output == Some("-") || (output.is_none() && format == "table") {
            eprint!("{}", hint_lines(&hints, "  ", ""));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let comparison = record::compare(&recording, &declared(&against)?);
    print(&match format {
        "json" => pretty(&comparison_json(&comparison, &hints)),
        "markdown" => lines(&comparison, "- ", "`") + &hint_lines(&hints, "- ", "`"),
        _ => lines(&comparison, "  ", "") + &hint_lines(&hints, "  ", ""),
    });
    Ok(if comparison.is_as_declared() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn draft(recording: &Recording, flags: &ArgMatches) -> String {
    let name = flags.get_one::<String>("name").map_or("recorded", String::as_str);
    hashrange_modelling::write::yaml(&record::draft(recording, name))
}

fn declared(paths: &[String]) -> Result<Catalogue, Vec<String>> {
    let files::Loaded { files, notes } = files::load(paths)?;
    for note in notes {
        eprintln!("note: {note}");
    }
    let mut options = ReadOptions::default();
    files::include(&files, &mut options);
    read::read(&files, &options).map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

/// A reader that has gone away does not change the outcome.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The forms that were seen, most frequent first.
fn by_count(recording: &Recording) -> Vec<&Seen> {
    let mut seen: Vec<&Seen> = recording.patterns.iter().collect();
    seen.sort_by(|one, other| other.count.cmp(&one.count).then(one.shape.cmp(&other.shape)));
    seen
}

fn seen_table(recording: &Recording) -> String {
    let mut text = format!(
        "{:>10}  {:>8}  {:>8}  {:>9}  {:>8}  {:>9}  pattern\n",
        "requests", "avg/s", "peak/s", "peak/min", "units", "p99 ms"
    );
    for seen in by_count(recording) {
        let p99 = seen.latency_us.get(2).copied().unwrap_or_default();
        let _ = writeln!(
            text,
            "{:>10}  {:>8.2}  {:>8}  {:>9}  {:>8.2}  {:>5}.{:03}  {}",
            seen.count,
            recording.rate(seen.count),
            seen.peak,
            seen.peak_minute,
            seen.units_mean(),
            p99 / 1000,
            p99 % 1000,
            record::name(&seen.shape)
        );
    }
    text
}

fn seen_markdown(recording: &Recording) -> String {
    let mut text =
        "| requests | avg/s | peak/s | peak/min | units | pattern |\n|--:|--:|--:|--:|--:|---|\n".to_owned();
    for seen in by_count(recording) {
        let name = record::name(&seen.shape);
        let (average, units) = (recording.rate(seen.count), seen.units_mean());
        let _ = writeln!(
            text,
            "| {} | {average:.2} | {} | {} | {units:.2} | {name} |",
            seen.count, seen.peak, seen.peak_minute
        );
    }
    text
}

fn seen_json(recording: &Recording) -> Value {
    let patterns = by_count(recording).into_iter().map(|seen| {
        json!({
            "name": record::name(&seen.shape),
            "fingerprint": seen.fingerprint,
            "requests": seen.count,
            "average_per_second": recording.rate(seen.count),
            "peak_per_second": seen.peak,
            "peak_per_minute": seen.peak_minute,
            "last_minutes": seen.minutes,
            "units": seen.units_mean(),
            "units_max": seen.units_max,
            "latency_us": seen.latency_us,
            "distinct_keys": seen.distinct_keys,
        })
    });
    let hints = hints_json(&record::hints(recording));
    json!({ "seconds": recording.seconds, "patterns": patterns.collect::<Vec<_>>(), "hints": hints })
}

/// What requests say of each other; nothing where they say nothing.
fn hint_lines(hints: &[Hint], bullet: &str, quote: &str) -> String {
    let mut text = if hints.is_empty() { String::new() } else { "\nHints:\n".to_owned() };
    for Hint { rule, message, advice } in hints {
        let _ = writeln!(text, "{bullet}{quote}{rule}{quote}: {message}; {advice}");
    }
    text
}

fn hints_json(hints: &[Hint]) -> Vec<Value> {
    let hint =
        |Hint { rule, message, advice }: &Hint| json!({"rule": rule, "message": message, "advice": advice});
    hints.iter().map(hint).collect()
}

fn lines(comparison: &Comparison, bullet: &str, quote: &str) -> String {
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    let undeclared = comparison.undeclared.iter().map(|one| {
        format!(
            "{} ({} requests, {} a second at most, {} units at most; form {quote}{}{quote})",
            one.name, one.count, one.peak, one.units_max, one.fingerprint
        )
    });
    sections.push(("Seen and not declared".to_owned(), undeclared.collect()));
    let drift = comparison.drift.iter().map(|drift| {
        let (pattern, figure) = (&drift.pattern, drift.figure);
        format!(
            "{quote}{pattern}{quote}: {figure}: {:.3} observed, {:.3} declared",
            drift.observed, drift.declared
        )
    });
    sections.push(("Off by more than a tenth".to_owned(), drift.collect()));
    let unseen = comparison.unseen.iter().map(|unseen| {
        let reason = unseen.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        format!("{quote}{}{quote} {}{reason}", unseen.id, unseen.name)
    });
    sections.push(("Declared and not seen".to_owned(), unseen.collect()));
    let unread = comparison.unread.iter().map(|(table, index)| format!("{quote}{table}.{index}{quote}"));
    sections.push(("Indexes that nothing read".to_owned(), unread.collect()));
    let mut text = format!("{} declared patterns were seen.\n", comparison.seen);
    for (title, lines) in sections.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        let _ = write!(text, "\n{title}:\n");
        for line in lines {
            let _ = writeln!(text, "{bullet}{line}");
        }
    }
    text
}

fn comparison_json(comparison: &Comparison, hints: &[Hint]) -> Value {
    json!({
        "as_declared": comparison.is_as_declared(),
        "seen": comparison.seen,
        "undeclared": comparison.undeclared.iter().map(|one| json!({
            "name": one.name,
            "fingerprint": one.fingerprint,
            "requests": one.count,
            "peak_per_second": one.peak,
            "units_max": one.units_max,
        })).collect::<Vec<_>>(),
        "drift": comparison.drift.iter().map(|drift| json!({
            "pattern": drift.pattern,
            "figure": drift.figure,
            "declared": drift.declared,
            "observed": drift.observed,
        })).collect::<Vec<_>>(),
        "unseen": comparison.unseen.iter().map(|unseen| json!({
            "id": unseen.id,
            "name": unseen.name,
            "reason": unseen.reason,
        })).collect::<Vec<_>>(),
        "hints": hints_json(hints),
        "unread_indexes": comparison.unread.iter().map(|(table, index)| json!({"table": table, "index": index})).collect::<Vec<_>>(),
    })
}
