//! Findings and runs in the forms that people and their tools read: a table, JSON, JUnit XML, SARIF, Markdown.

mod json;
mod junit;
mod markdown;
mod sarif;
mod table;

use std::fmt::Write as _;

use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::run::{Report, Run, Tested};

pub use table::grid;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A table for people.
    Table,
    /// JSON for programs.
    Json,
    /// JUnit XML for build servers.
    Junit,
    /// SARIF 2.1.0 for code hosts.
    Sarif,
    /// Markdown for pull requests.
    Markdown,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 5] = [Form::Table, Form::Json, Form::Junit, Form::Sarif, Form::Markdown];

    /// `table`, `json`, `junit`, `sarif`, `markdown`.
    pub fn name(self) -> &'static str {
        match self {
            Form::Table => "table",
            Form::Json => "json",
            Form::Junit => "junit",
            Form::Sarif => "sarif",
            Form::Markdown => "markdown",
        }
    }

    /// The form of that name.
    pub fn from_name(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }
}

/// Where in the files a subject is: a path as given, and a line from 1 where it is known.
pub type Place<'a> = &'a dyn Fn(&Finding) -> (String, Option<usize>);

/// A report of findings alone, as `check` gives.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    /// The model's name.
    pub model: &'a str,
    /// What was found.
    pub findings: &'a [Finding],
    /// Where in the files the subject of a finding is.
    pub place: Place<'a>,
}

impl std::fmt::Debug for Found<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Found")
            .field("model", &self.model)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

/// Findings in a form.
pub fn findings(found: &Found<'_>, form: Form) -> String {
    match form {
        Form::Table => table::findings(found),
        Form::Json => json::findings(found),
        Form::Junit => junit::findings(found),
        Form::Sarif => sarif::findings(found),
        Form::Markdown => markdown::findings(found),
    }
}

/// A run in a form. `found` has what rules say besides, and where subjects are.
pub fn run(report: &Report, found: &Found<'_>, form: Form) -> String {
    match form {
        Form::Table => table::run(report, found),
        Form::Json => json::run(report, found),
        Form::Junit => junit::run(report),
        Form::Sarif => {
            let not_run = report.patterns.iter().filter_map(not_run);
            let all: Vec<Finding> = report.findings().chain(found.findings).cloned().chain(not_run).collect();
            sarif::findings(&Found { findings: &all, ..*found })
        }
        Form::Markdown => markdown::run(report, found),
    }
}

/// How many findings are errors, warnings and notes.
fn counts(findings: &[Finding]) -> [(Severity, usize); 3] {
    [Severity::Error, Severity::Warn, Severity::Note]
        .map(|severity| (severity, findings.iter().filter(|finding| finding.severity == severity).count()))
}

/// `2 errors, 1 warning, 0 notes`.
fn counted(findings: &[Finding]) -> String {
    let one = |(severity, count): (Severity, usize)| {
        let name = match severity {
            Severity::Error => "error",
            Severity::Warn => "warning",
            Severity::Note => "note",
        };
        format!("{count} {name}{}", if count == 1 { "" } else { "s" })
    };
    counts(findings).map(one).join(", ")
}

/// `passed`, `FAILED`, `not run`.
fn verdict(tested: &Tested) -> &'static str {
    match (tested.failed(), &tested.skipped) {
        (true, _) => "FAILED",
        (false, Some(_)) => "not run",
        (false, None) => "passed",
    }
}

/// The plan of the first run, or else what is declared.
fn plan(tested: &Tested) -> String {
    let seen = tested.runs.first().and_then(|run| run.class);
    seen.unwrap_or(tested.plan.class).to_string()
}

/// Units of a run: `0.5 R`, `3 W`, `6 W + 1 R`; `-` for none.
fn units(run: &Run) -> String {
    let mut text = String::new();
    for (units, name) in [(run.write_units(), "W"), (run.read_units(), "R")] {
        if units > 0.0 {
            let plus = if text.is_empty() { "" } else { " + " };
            write!(text, "{plus}{units} {name}").expect("a text takes all that is written to it");
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// A budget: `0.5 R`, `1 W`; `-` for none.
fn budget(tested: &Tested) -> String {
    let parts = [(tested.budget.wcu, "W"), (tested.budget.rcu, "R")];
    let parts: Vec<String> =
        parts.into_iter().filter_map(|(most, name)| most.map(|most| format!("{most} {name}"))).collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(" + ") }
}

/// A note that a pattern was not run, for forms that know nothing but findings.
fn not_run(tested: &Tested) -> Option<Finding> {
    tested.skipped.as_ref().filter(|_| !tested.failed())?;
    Some(Finding {
        rule: "not-run",
        severity: Severity::Note,
        evidence: Evidence::Run,
        subject: Subject::Pattern(tested.id.clone()),
        message: tested.outcome(),
        advice: String::new(),
        waived: None,
    })
}

/// The last line of a run: `12 patterns: 10 passed, 1 failed, 1 not run`.
fn summary(report: &Report) -> String {
    let (passed, failed, skipped) = report.counts();
    format!("{} patterns: {passed} passed, {failed} failed, {skipped} not run", report.patterns.len())
}

#[cfg(test)]
mod tests;
