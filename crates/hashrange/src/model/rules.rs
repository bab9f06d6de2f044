//! `hashrange model rules` and `hashrange model explain`: what is judged, by which thresholds, and why.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use hashrange_modelling::check::{self, Rule};
use serde_json::{Value, json};

use super::check::{grid, say};

const RULES_EXAMPLES: &str = "\
Examples:
  hashrange model rules
      Every rule with its gravest severity, what its findings rest on, and its thresholds
  hashrange model rules --group keys
      Those about keys
  hashrange model rules --format json

Evidence: E0 declarations, E1 samples, E2 a run, E3 recorded traffic. A model sets severities and thresholds of its own:
  rules: {index-unused: off, long-names: error}
  thresholds: {hot-key.warn: 0.8}

Exit codes: 0 the rules were shown; 2 the command line is wrong.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  hashrange model explain mixed-collection-page
      What the fault is, when it is none, what to do, and an example

Exit codes: 0 the rule was shown; 2 there is no such rule.";

/// The command line of `rules`.
pub(crate) fn command() -> Command {
    let groups: Vec<&str> = groups();
    let group =
        Arg::new("group").long("group").value_name("GROUP").value_parser(groups).help("Only these rules");
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["table", "json"])
        .default_value("table")
        .help("table or json");
    Command::new("rules")
        .about("Show every rule of `check` with its thresholds")
        .args([group, format])
        .after_help(RULES_EXAMPLES)
}

fn groups() -> Vec<&'static str> {
    let mut names: Vec<&str> = check::rules().map(|rule| rule.group.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Prints the rules.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let group = flags.get_one::<String>("group");
    let rules: Vec<&Rule> =
        check::rules().filter(|rule| group.is_none_or(|group| rule.group.name() == group)).collect();
    if flags.get_one::<String>("format").map(String::as_str) == Some("json") {
        let all: Vec<Value> = rules.into_iter().map(as_json).collect();
        say(&format!("{:#}", Value::Array(all)));
    } else {
        say(&table(&rules));
    }
    ExitCode::SUCCESS
}

fn table(rules: &[&Rule]) -> String {
    let rows = rules.iter().map(|rule| {
        let thresholds: Vec<String> = rule
            .thresholds
            .iter()
            .map(|threshold| {
                let name = threshold.name.strip_prefix(rule.id).unwrap_or(threshold.name);
                format!("{} {}", name.trim_start_matches('.'), threshold.value)
            })
            .collect();
        let thresholds = if thresholds.is_empty() { "-".to_owned() } else { thresholds.join(", ") };
        vec![
            rule.group.name().to_owned(),
            rule.id.to_owned(),
            rule.severity.name().to_owned(),
            evidence(rule),
            thresholds,
        ]
    });
    grid(&["group", "rule", "at most", "evidence", "thresholds"], &rows.collect::<Vec<_>>())
}

fn evidence(rule: &Rule) -> String {
    rule.evidence.iter().map(|evidence| evidence.code()).collect::<Vec<_>>().join(" ")
}

fn as_json(rule: &Rule) -> Value {
    let thresholds: Vec<Value> = rule
        .thresholds
        .iter()
        .map(|one| json!({"name": one.name, "value": one.value, "source": one.source}))
        .collect();
    json!({
        "id": rule.id,
        "group": rule.group.name(),
        "severity": rule.severity.name(),
        "evidence": rule.evidence.iter().map(|evidence| evidence.code()).collect::<Vec<_>>(),
        "thresholds": thresholds,
        "summary": rule.summary,
        "notAFaultWhen": rule.not_a_fault_when,
        "advice": rule.advice,
        "before": rule.teach.before,
        "after": rule.teach.after,
    })
}

/// The command line of `explain`.
pub(crate) fn explain_command() -> Command {
    let rule = Arg::new("rule").value_name("RULE").required(true).help("The rule's id, as `check` prints it");
    Command::new("explain")
        .about("Teach one rule with a small example")
        .arg(rule)
        .after_help(EXPLAIN_EXAMPLES)
}

/// Prints one rule.
pub(crate) fn explain(flags: &ArgMatches) -> ExitCode {
    let id = flags.get_one::<String>("rule").map(String::as_str).unwrap_or_default();
    let Some(rule) = check::rule(id) else {
        let near = check::nearest(id).map_or_else(
            || "`hashrange model rules` lists them".to_owned(),
            |near| format!("did you mean {near}?"),
        );
        return super::wrong(&[format!("there is no rule {id}; {near}")]);
    };
    say(&lesson(rule));
    ExitCode::SUCCESS
}

fn lesson(rule: &Rule) -> String {
    let mut text = format!(
        "{} ({}, at most {}, rests on {})\n\n{}\n",
        rule.id,
        rule.group.name(),
        rule.severity,
        evidence(rule),
        folded(rule.summary)
    );
    if !rule.not_a_fault_when.is_empty() {
        text.push_str(&folded(&format!("Not a fault when {}.", rule.not_a_fault_when)));
        text.push('\n');
    }
    text.push_str(&folded(&format!("What to do: {}.", rule.advice)));
    text.push('\n');
    for threshold in rule.thresholds {
        text.push_str(&folded(&format!(
            "Threshold {} = {} ({}).",
            threshold.name, threshold.value, threshold.source
        )));
        text.push('\n');
    }
    let indented =
        |lines: &str| lines.lines().map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat();
    text + "\nBefore:\n" + &indented(rule.teach.before) + "\nAfter:\n" + indented(rule.teach.after).trim_end()
}

/// Lines of at most 100 characters.
fn folded(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + word.chars().count() >= 100 {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_be_taught() {
        for rule in check::rules() {
            let text = lesson(rule);
            assert!(text.contains(rule.id) && text.contains("Before:") && text.contains("After:"), "{text}");
        }
    }

    #[test]
    fn the_table_has_a_line_for_each_rule_with_its_thresholds() {
        let all: Vec<&Rule> = check::rules().collect();
        let text = table(&all);
        assert_eq!(text.lines().count(), all.len() + 1);
        let scan =
            text.lines().find(|line| line.contains("scan-on-request-path")).expect("a line of the rule");
        assert!(scan.contains("error 128"), "{scan}");
    }
}
