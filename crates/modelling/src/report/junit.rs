//! JUnit XML, as build servers read it.

use std::fmt::Write as _;

use super::{Found, plan, units};
use crate::finding::{Finding, Severity};
use crate::run::{Report, Tested};

pub(super) fn findings(found: &Found<'_>) -> String {
    let errors = found.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let skipped = |one: &Finding| (one.rule == "not-run").then(|| one.message.clone());
    let count = found.findings.iter().filter_map(skipped).count();
    let mut text = opened(found.model, found.findings.len(), errors, count);
    for one in found.findings {
        let name = format!("{}: {}", one.rule, one.subject);
        case(&mut text, found.model, &name, &[one], skipped(one).as_deref(), "");
    }
    closed(text)
}

pub(super) fn run(report: &Report) -> String {
    let (_, failed, skipped) = report.counts();
    let failures = failed + report.problems.len();
    let mut text = opened(&report.model, report.patterns.len() + report.problems.len(), failures, skipped);
    for tested in &report.patterns {
        let name = format!("{} {}", tested.id, tested.name);
        let findings: Vec<&Finding> = tested.findings.iter().collect();
        let skipped = tested.skipped.as_ref().map(|_| tested.outcome());
        case(&mut text, &report.model, name.trim(), &findings, skipped.as_deref(), &output(tested));
    }
    for problem in &report.problems {
        _ = writeln!(
            text,
            "    <testcase classname=\"{}\" name=\"tables and samples\">",
            escaped(&report.model)
        );
        _ = writeln!(
            text,
            "      <failure message=\"{}\" type=\"problem\"/>\n    </testcase>",
            escaped(problem)
        );
    }
    closed(text)
}

fn output(tested: &Tested) -> String {
    let lines = tested.runs.iter().map(|run| {
        format!(
            "{}x: {}, {} items, {} pages, {}",
            run.scale,
            plan(tested),
            run.returned,
            run.pages,
            units(run)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn opened(model: &str, tests: usize, failures: usize, skipped: usize) -> String {
    let model = escaped(model);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{model}\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n"
    )
}

fn closed(mut text: String) -> String {
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn case(
    text: &mut String,
    class: &str,
    name: &str,
    findings: &[&Finding],
    skipped: Option<&str>,
    output: &str,
) {
    _ = writeln!(text, "    <testcase classname=\"{}\" name=\"{}\">", escaped(class), escaped(name));
    let (errors, rest): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.severity == Severity::Error);
    for finding in &errors {
        let (message, advice) = (escaped(&finding.message), escaped(&finding.advice));
        _ = writeln!(
            text,
            "      <failure message=\"{message}\" type=\"{}\">{advice}</failure>",
            finding.rule
        );
    }
    if let (Some(reason), true) = (skipped, errors.is_empty()) {
        _ = writeln!(text, "      <skipped message=\"{}\"/>", escaped(reason));
    }
    let rest = rest.iter().map(|one| format!("{} {}: {}", one.severity, one.rule, one.message));
    let lines: Vec<String> =
        std::iter::once(output.to_owned()).chain(rest).filter(|line| !line.is_empty()).collect();
    if !lines.is_empty() {
        _ = writeln!(text, "      <system-out>{}</system-out>", escaped(&lines.join("\n")));
    }
    text.push_str("    </testcase>\n");
}

/// A text in XML 1.0, which has no form for most control characters: they become U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped_or_replaced() {
        assert_eq!(escaped("a<b>&\"c\"\u{1}\n"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}\n");
    }
}
