//! Markdown for pull requests.

use std::fmt::Write as _;

use super::{Found, budget, counted, plan, summary, units, verdict};
use crate::finding::Finding;
use crate::run::Report;

pub(super) fn findings(found: &Found<'_>) -> String {
    let mut text = format!("## {}: {}\n", escaped(found.model), counted(found.findings));
    list(&mut text, found.findings.iter());
    text
}

pub(super) fn run(report: &Report, found: &Found<'_>) -> String {
    let mark = match (report.passed(), report.counts()) {
        (false, _) => "failed",
        (true, (0, _, 1..)) => "not run",
        (true, _) => "passed",
    };
    let mut text = format!("## {}: {mark}\n\n{}.\n", escaped(&report.model), summary(report));
    for problem in &report.problems {
        _ = writeln!(text, "\n**{}**", escaped(problem));
    }
    list(&mut text, report.findings().chain(found.findings));
    not_run(&mut text, report);
    patterns(&mut text, report);
    text
}

fn list<'f>(text: &mut String, findings: impl Iterator<Item = &'f Finding>) {
    let mut is_first = true;
    for finding in findings {
        if std::mem::take(&mut is_first) {
            text.push('\n');
        }
        let after = match (&finding.waived, finding.advice.as_str()) {
            (Some(reason), _) => format!(" Allowed: {}.", escaped(reason)),
            (None, "") => String::new(),
            (None, advice) => format!(" *{}*", escaped(advice)),
        };
        let (severity, subject, rule) =
            (finding.severity, escaped(&finding.subject.to_string()), finding.rule);
        _ = writeln!(text, "- **{severity}** {subject} (`{rule}`): {}.{after}", escaped(&finding.message));
    }
}

fn not_run(text: &mut String, report: &Report) {
    let mut before = "\n";
    for tested in &report.patterns {
        if let Some(reason) = &tested.skipped {
            _ = writeln!(text, "{before}- **not run** {}: {}.", escaped(&tested.id), escaped(reason));
            before = "";
        }
    }
}

fn patterns(text: &mut String, report: &Report) {
    let scales: Vec<usize> = report.scales.iter().map(|(scale, _)| *scale).collect();
    text.push_str("\n| | pattern | plan | items | budget |");
    for scale in &scales {
        _ = write!(text, " units {scale}x |");
    }
    text.push_str("\n|---|---|---|---:|---:|");
    text.push_str(&"---:|".repeat(scales.len()));
    text.push('\n');
    for tested in &report.patterns {
        let items = tested.runs.first().map(|run| run.returned.to_string()).unwrap_or_default();
        let name = format!("{} {}", tested.id, tested.name);
        let cells = [verdict(tested).to_owned(), escaped(name.trim()), plan(tested), items, budget(tested)];
        let units = (0..scales.len()).map(|at| tested.runs.get(at).map(units).unwrap_or_default());
        let cells: Vec<String> = cells.into_iter().chain(units).collect();
        _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// A text that Markdown and a cell of its tables leave as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' => out.push(' '),
            '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '\\' => out.extend(['\\', character]),
            other => out.push(other),
        }
    }
    out
}
