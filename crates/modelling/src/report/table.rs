//! Tables for people.

use std::fmt::Write as _;

use super::{Found, budget, counted, plan, summary, units, verdict};
use crate::finding::Finding;
use crate::run::{Report, Tested};

/// Widest cell, in characters; longer ones end with an ellipsis.
const CELL_MAX: usize = 48;

/// Lines of cells below a head, each column as wide as its widest cell; `right` says which columns are numbers.
pub fn grid(head: &[&str], rows: &[Vec<String>], right: &[bool]) -> String {
    let cut = |cell: &str| {
        if cell.chars().count() <= CELL_MAX {
            return cell.to_owned();
        }
        cell.chars().take(CELL_MAX - 1).chain(['…']).collect()
    };
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| cut(cell)).collect()).collect();
    let width = |at: usize| {
        let cells = std::iter::once(&head).chain(&rows).filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(&head).chain(&rows) {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            if right.get(at).copied().unwrap_or(false) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A finding on a few lines: what is wrong, then what to do.
fn finding(text: &mut String, finding: &Finding) {
    let code = finding.evidence.code();
    _ = writeln!(text, "{:<5} {} [{}, {code}]", finding.severity, finding.subject, finding.rule);
    _ = writeln!(text, "      {}", finding.message);
    match &finding.waived {
        Some(reason) => _ = writeln!(text, "      allowed: {reason}"),
        None if finding.advice.is_empty() => {}
        None => _ = writeln!(text, "      -> {}", finding.advice),
    }
}

pub(super) fn findings(found: &Found<'_>) -> String {
    let mut text = String::new();
    for one in found.findings {
        finding(&mut text, one);
    }
    _ = writeln!(text, "{}: {}", found.model, counted(found.findings));
    text
}

pub(super) fn run(report: &Report, found: &Found<'_>) -> String {
    let mut text = patterns(report);
    amplification(&mut text, report);
    let all = || report.findings().chain(found.findings);
    if all().next().is_some() {
        text.push('\n');
    }
    for one in all() {
        finding(&mut text, one);
    }
    text.push('\n');
    for tested in &report.patterns {
        if let Some(reason) = &tested.skipped {
            _ = writeln!(text, "{}: not run: {reason}", tested.id);
        }
    }
    for problem in &report.problems {
        _ = writeln!(text, "problem: {problem}");
    }
    let scales: Vec<String> =
        report.scales.iter().map(|(scale, items)| format!("{scale}x ({items} items)")).collect();
    _ = writeln!(
        text,
        "{}: {}; seed {}, scales {}",
        report.model,
        summary(report),
        report.seed,
        scales.join(", ")
    );
    text
}

fn patterns(report: &Report) -> String {
    let scales: Vec<String> = report.scales.iter().map(|(scale, _)| format!("units {scale}x")).collect();
    let mut head = vec!["", "pattern", "name", "plan", "items", "pages", "budget"];
    head.extend(scales.iter().map(String::as_str));
    let rows: Vec<Vec<String>> = report.patterns.iter().map(|tested| row(tested, scales.len())).collect();
    let right: Vec<bool> = (0..head.len()).map(|at| at >= 4).collect();
    grid(&head, &rows, &right)
}

fn row(tested: &Tested, scales: usize) -> Vec<String> {
    let mut row = vec![verdict(tested).to_owned(), tested.id.clone(), tested.name.clone(), plan(tested)];
    match tested.runs.first() {
        Some(run) => row.extend([run.returned.to_string(), run.pages.to_string()]),
        None => row.extend([String::new(), String::new()]),
    }
    row.push(budget(tested));
    let units = tested.runs.iter().map(units).chain(std::iter::repeat(String::new()));
    row.extend(units.take(scales));
    row
}

/// What each index adds to writes.
fn amplification(text: &mut String, report: &Report) {
    let rows: Vec<Vec<String>> = report
        .amplification()
        .into_iter()
        .map(|one| {
            let patterns = one.patterns.iter().map(|(id, units)| format!("{id} {units}"));
            let patterns = patterns.collect::<Vec<_>>().join(", ");
            vec![format!("{}.{}", one.table, one.index), format!("{:.2}", one.per_table_unit), patterns]
        })
        .collect();
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&grid(
            &["index", "per unit on its table", "write units by pattern"],
            &rows,
            &[false, true],
        ));
    }
}
