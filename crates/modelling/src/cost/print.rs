//! Reports as text for people, Markdown for pull requests, JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::set::Change;
use super::{CostReport, Line, ModeCost, NextStep, PartCost, PatternCost, TableCost};
use crate::catalogue::IndexKind;

/// How a report looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Text,
    Markdown,
}

/// A grid of cells that prints with columns in line, or as a Markdown table.
pub(crate) struct Grid {
    head: Vec<String>,
    /// Whether the column holds numbers, which stand to the right.
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid with these heads; those that begin with `>` stand to the right.
    pub(crate) fn new(heads: &[&str]) -> Grid {
        Grid {
            head: heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect(),
            right: heads.iter().map(|head| head.starts_with('>')).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.head.len(), "a cell for each head");
        self.rows.push(cells);
    }

    pub(crate) fn print(&self, style: Style) -> String {
        match style {
            Style::Text => self.text(),
            Style::Markdown => self.markdown(),
        }
    }

    fn text(&self) -> String {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let width = |at: usize| lines().map(|line| line[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        for line in lines() {
            let mut row = String::new();
            for ((cell, width), right) in line.iter().zip(&widths).zip(&self.right) {
                let width = *width;
                let _ =
                    if *right { write!(row, "  {cell:>width$}") } else { write!(row, "  {cell:<width$}") };
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| markdown_cell(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let marks: Vec<&str> = self.right.iter().map(|right| if *right { "---:" } else { "---" }).collect();
        let mut text = line(&self.head);
        let _ = writeln!(text, "| {} |", marks.join(" | "));
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        text
    }
}

/// A text that cannot end its cell or start HTML.
pub(crate) fn markdown_cell(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Dollars and cents: `1,051.20`.
pub(crate) fn money(dollars: f64) -> String {
    let text = thousands(&format!("{:.2}", dollars.abs()));
    if dollars <= -0.005 { format!("-{text}") } else { text }
}

/// A number with at most so many decimals: `1,051.2`, `7`.
pub(crate) fn figure(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let text = thousands(text);
    if value < 0.0 && text != "0" { format!("-{text}") } else { text }
}

fn thousands(text: &str) -> String {
    let (whole, rest) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(rest) = rest {
        out.push('.');
        out.push_str(rest);
    }
    out
}

/// A share: `28.9 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A change as a share of what was: `-30 %`, `+12.5 %`.
pub(crate) fn change(before: f64, after: f64) -> String {
    if before.abs() < 0.005 {
        return if after.abs() < 0.005 { "0 %".to_owned() } else { "new".to_owned() };
    }
    let share = (after - before) / before;
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{} %", figure(share * 100.0, 1))
}

const UNVERIFIED: &str = "list price, unverified";

impl CostReport {
    /// For people at a terminal.
    pub fn text(&self) -> String {
        self.print(Style::Text)
    }

    /// For pull requests.
    pub fn markdown(&self) -> String {
        self.print(Style::Markdown)
    }

    fn print(&self, style: Style) -> String {
        let title = if self.model.is_empty() { "The model" } else { &self.model };
        let mut text = heading(style, 1, &format!("{title}: ${} a month", money(self.total)));
        let _ = writeln!(
            text,
            "List prices of {}, {}, without free tier and discounts; a month is {} h; load is the declared average.\n",
            self.region,
            self.dated,
            figure(self.hours, 0)
        );
        text.push_str(&self.total_grid().print(style));
        text.push_str(&heading(style, 2, "Patterns"));
        text.push_str(&pattern_grid(&self.patterns, self.total).print(style));
        for table in &self.tables {
            text.push_str(&table_text(table, style));
        }
        text.push_str(&self.steps_text(style));
        text.push_str(&self.break_even_text(style));
        if !self.notes.is_empty() {
            text.push_str(&heading(style, 2, "Notes"));
            self.notes.iter().for_each(|note| text.push_str(&item(style, note)));
        }
        text
    }

    fn total_grid(&self) -> Grid {
        let mut grid = Grid::new(&["", "how much", ">$ a month", ""]);
        for line in &self.lines {
            grid.row(line_cells(line));
        }
        grid.row(vec!["total".to_owned(), String::new(), money(self.total), String::new()]);
        grid
    }

    fn steps_text(&self, style: Style) -> String {
        if self.steps.is_empty() {
            return String::new();
        }
        let mut text = heading(style, 2, "What item size costs: the next step down");
        self.steps.iter().for_each(|step| text.push_str(&item(style, &step_text(step))));
        text
    }

    fn break_even_text(&self, style: Style) -> String {
        let even = self.break_even;
        let mut text = heading(style, 2, "Break-even points of these prices");
        let lines = [
            format!(
                "capacity beats requests above {} mean use of what is provisioned",
                percent(even.provisioned)
            ),
            format!("an ideal follower costs {} of requests", percent(even.scaled)),
            format!(
                "reserved capacity beats requests above {} (1 year) and {} (3 years) use",
                percent(even.reserved_1y),
                percent(even.reserved_3y)
            ),
            format!(
                "Standard-IA wins where storage is above {} of storage and throughput",
                percent(even.infrequent_access)
            ),
        ];
        text.extend(lines.iter().map(|line| item(style, line)));
        text
    }

    /// For programs. Dollars are per month.
    pub fn json(&self) -> Value {
        json!({
            "model": self.model,
            "prices": {"region": self.region, "dated": self.dated, "hours": self.hours},
            "total": cents(self.total),
            "lines": self.lines.iter().map(line_json).collect::<Vec<_>>(),
            "patterns": self.patterns.iter().map(pattern_json).collect::<Vec<_>>(),
            "tables": self.tables.iter().map(table_json).collect::<Vec<_>>(),
            "break_even": {
                "provisioned": self.break_even.provisioned,
                "scaled": self.break_even.scaled,
                "reserved_1y": self.break_even.reserved_1y,
                "reserved_3y": self.break_even.reserved_3y,
                "infrequent_access": self.break_even.infrequent_access,
            },
            "steps": self.steps.iter().map(step_json).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

fn heading(style: Style, level: usize, text: &str) -> String {
    match (style, level) {
        (Style::Text, 1) => format!("{text}\n"),
        (Style::Text, _) => format!("\n{text}\n"),
        (Style::Markdown, 1) => format!("## {}\n\n", markdown_cell(text)),
        (Style::Markdown, _) => format!("\n### {}\n\n", markdown_cell(text)),
    }
}

fn item(style: Style, text: &str) -> String {
    match style {
        Style::Text => format!("  {text}\n"),
        Style::Markdown => format!("- {}\n", markdown_cell(text)),
    }
}

fn line_cells(line: &Line) -> Vec<String> {
    let mark = if line.verified { "" } else { UNVERIFIED };
    vec![line.what.clone(), line.quantity.clone(), money(line.dollars), mark.to_owned()]
}

fn rate(value: Option<f64>) -> String {
    // A job that runs once a day has a rate too.
    let decimals = |value: f64| if value >= 0.1 || value == 0.0 { 2 } else { 6 };
    value.map_or_else(|| "?".to_owned(), |value| figure(value, decimals(value)))
}

fn pattern_grid(patterns: &[PatternCost], total: f64) -> Grid {
    let mut grid = Grid::new(&[
        "id",
        "pattern",
        "plan",
        ">runs/s",
        ">at peak",
        ">RRU",
        ">WRU",
        ">$ a month",
        ">share",
        "on indexes",
    ]);
    for pattern in patterns {
        let share = if total > 0.0 { percent(pattern.dollars / total) } else { String::new() };
        let indexes: Vec<String> = pattern
            .arms
            .iter()
            .filter_map(|(arm, dollars)| Some(format!("{} {}", arm.index.as_ref()?, money(*dollars))))
            .collect();
        let (dollars, share) = match (&pattern.not_run, &pattern.unpriced) {
            (Some(_), _) => ("not run".to_owned(), String::new()),
            (None, Some(_)) => ("not priced".to_owned(), String::new()),
            (None, None) => (money(pattern.dollars), share),
        };
        grid.row(vec![
            pattern.id.clone(),
            pattern.name.clone(),
            pattern.class.to_string(),
            rate(pattern.average),
            rate(pattern.peak),
            figure(pattern.read, 2),
            units_written(pattern),
            dollars,
            share,
            indexes.join(", "),
        ]);
    }
    grid
}

fn units_written(pattern: &PatternCost) -> String {
    match pattern.refused {
        0.0 => figure(pattern.write, 2),
        refused => format!("{} ({} refused)", figure(pattern.write, 2), figure(refused, 2)),
    }
}

fn table_text(table: &TableCost, style: Style) -> String {
    let class = if table.infrequent_access { ", Standard-IA" } else { "" };
    let mut text = heading(
        style,
        2,
        &format!("Table {}: ${} a month, paid {}{class}", table.name, money(table.dollars), table.paid),
    );
    let mut grid = Grid::new(&[
        "part",
        ">WRU/s",
        ">at peak",
        ">RRU/s",
        ">at peak",
        ">items",
        ">GB",
        ">$ writes",
        ">$ reads",
        ">$ storage",
        ">$ a month",
        "read by",
    ]);
    for part in &table.parts {
        grid.row(part_cells(part));
    }
    text.push_str(&grid.print(style));
    for line in &table.extras {
        let mark = if line.verified { String::new() } else { format!(" ({UNVERIFIED})") };
        text.push_str(&item(
            style,
            &format!("{}: {}, ${}{mark}", line.what, line.quantity, money(line.dollars)),
        ));
    }
    if let Some(own) = table.modes.first() {
        text.push('\n');
        text.push_str(&mode_grid(&table.modes, own.dollars()).print(style));
        text.push('\n');
    }
    table.verdict.iter().for_each(|line| text.push_str(&item(style, &format!("{line}."))));
    text
}

fn part_name(part: &PartCost) -> String {
    match (&part.index, part.kind) {
        (Some(name), Some(IndexKind::Local)) => format!("{name} (local)"),
        (Some(name), Some(IndexKind::Vector)) => format!("{name} (vector)"),
        (Some(name), _) => name.clone(),
        (None, _) => "the table".to_owned(),
    }
}

/// Patterns that are named in a cell; the rest is counted.
const READERS_SHOWN: usize = 8;

fn readers(ids: &[String]) -> String {
    match ids.get(..READERS_SHOWN).filter(|_| ids.len() > READERS_SHOWN + 1) {
        Some(first) => format!("{} and {} more", first.join(" "), ids.len() - READERS_SHOWN),
        None => ids.join(" "),
    }
}

fn part_cells(part: &PartCost) -> Vec<String> {
    let known = part.entries.is_some();
    let stored = |text: String| if known { text } else { "?".to_owned() };
    let read_by = match (part.read_by.is_empty(), &part.index) {
        (true, Some(_)) => "nobody".to_owned(),
        _ => readers(&part.read_by),
    };
    vec![
        part_name(part),
        figure(part.write.average, 1),
        figure(part.write.peak, 1),
        figure(part.read.average, 1),
        figure(part.read.peak, 1),
        stored(figure(part.entries.unwrap_or(0.0), 0)),
        stored(figure(part.gigabytes, 2)),
        money(part.write_dollars),
        money(part.read_dollars),
        stored(money(part.storage_dollars)),
        money(part.dollars()),
        read_by,
    ]
}

fn mode_grid(modes: &[ModeCost], own: f64) -> Grid {
    let mut grid = Grid::new(&[
        "way to pay",
        ">$ throughput",
        ">$ storage",
        ">$ a month",
        ">change",
        "capacity on average",
    ]);
    for way in modes {
        let mark = if way.declared { " (now)" } else { "" };
        let note = if way.verified { String::new() } else { format!("; {UNVERIFIED}") };
        grid.row(vec![
            format!("{}{mark}", way.title()),
            money(way.throughput),
            money(way.storage),
            money(way.dollars()),
            if way.declared { String::new() } else { change(own, way.dollars()) },
            format!("{}{note}", way.detail).trim_start_matches("; ").to_owned(),
        ]);
    }
    grid
}

fn step_text(step: &NextStep) -> String {
    let mut parts = Vec::new();
    for (what, [before, after]) in [("writes", step.writes), ("reads", step.reads)] {
        if (before - after).abs() >= 0.005 {
            parts.push(format!("{what} {} -> {} ({})", money(before), money(after), change(before, after)));
        }
    }
    format!(
        "{}: {} B -> {} B, {} B less: ${} a month less; {}",
        step.subject,
        figure(step.from, 0),
        figure(step.to, 0),
        figure(step.from - step.to, 0),
        money(step.saving()),
        parts.join(", ")
    )
}

/// Dollars with cents alone.
fn cents(dollars: f64) -> f64 {
    (dollars * 100.0).round() / 100.0
}

fn line_json(line: &Line) -> Value {
    json!({"what": line.what, "quantity": line.quantity, "dollars": cents(line.dollars), "verified": line.verified})
}

fn pattern_json(pattern: &PatternCost) -> Value {
    let arms: Vec<Value> = pattern
        .arms
        .iter()
        .map(|(arm, dollars)| {
            json!({
                "table": arm.table, "index": arm.index, "read_units": arm.read, "write_units": arm.write,
                "dollars": cents(*dollars),
            })
        })
        .collect();
    json!({
        "id": pattern.id, "name": pattern.name, "plan": pattern.class.to_string(),
        "average_rps": pattern.average, "peak_rps": pattern.peak,
        "read_units": pattern.read, "write_units": pattern.write, "refused_write_units": pattern.refused,
        "dollars": (pattern.unpriced.is_none() && pattern.not_run.is_none()).then(|| cents(pattern.dollars)),
        "unpriced": pattern.unpriced, "not_run": pattern.not_run, "arms": arms,
    })
}

fn part_json(part: &PartCost) -> Value {
    json!({
        "index": part.index,
        "write_units": {"average": part.write.average, "peak": part.write.peak},
        "read_units": {"average": part.read.average, "peak": part.read.peak},
        "write_dollars": cents(part.write_dollars), "read_dollars": cents(part.read_dollars),
        "items": part.entries, "gigabytes": part.entries.map(|_| part.gigabytes),
        "storage_dollars": part.entries.map(|_| cents(part.storage_dollars)),
        "dollars": cents(part.dollars()), "read_by": part.read_by,
    })
}

fn table_json(table: &TableCost) -> Value {
    let mode = |way: &ModeCost| {
        json!({
            "mode": way.title(), "declared": way.declared, "throughput": cents(way.throughput), "storage": cents(way.storage),
            "dollars": cents(way.dollars()), "verified": way.verified, "capacity": way.detail, "short_minutes": way.short,
        })
    };
    json!({
        "name": table.name, "paid": table.paid, "infrequent_access": table.infrequent_access, "dollars": cents(table.dollars),
        "parts": table.parts.iter().map(part_json).collect::<Vec<_>>(),
        "extras": table.extras.iter().map(line_json).collect::<Vec<_>>(),
        "modes": table.modes.iter().map(mode).collect::<Vec<_>>(),
        "verdict": table.verdict,
    })
}

fn step_json(step: &NextStep) -> Value {
    json!({
        "subject": step.subject, "from_bytes": step.from, "to_bytes": step.to, "saving": cents(step.saving()),
        "writes": step.writes.map(cents), "reads": step.reads.map(cents),
    })
}

/// What a what-if changes: settings, lines, patterns and tables before and after.
pub fn compare_text(before: &CostReport, after: &CostReport, changes: &[Change], markdown: bool) -> String {
    let style = if markdown { Style::Markdown } else { Style::Text };
    let mut text = heading(
        style,
        1,
        &format!(
            "What if: ${} -> ${} a month ({})",
            money(before.total),
            money(after.total),
            change(before.total, after.total)
        ),
    );
    for change in changes {
        text.push_str(&item(style, &format!("{}: {} -> {}", change.path, change.before, change.after)));
    }
    text.push('\n');
    text.push_str(&compare_grid(before, after).print(style));
    text.push('\n');
    text
}

/// The same for programs: both reports whole.
pub fn compare_json(before: &CostReport, after: &CostReport, changes: &[Change]) -> Value {
    let changes: Vec<Value> = changes
        .iter()
        .map(|change| json!({"path": change.path, "before": change.before, "after": change.after}))
        .collect();
    json!({"changes": changes, "before": before.json(), "after": after.json()})
}

fn compare_grid(before: &CostReport, after: &CostReport) -> Grid {
    let mut grid = Grid::new(&["", ">$ before", ">$ after", ">change"]);
    let mut row = |what: String, before: f64, after: f64| {
        grid.row(vec![what, money(before), money(after), change(before, after)]);
    };
    for what in names(before.lines.iter().map(|line| &line.what), after.lines.iter().map(|line| &line.what)) {
        let of = |report: &CostReport| {
            report.lines.iter().find(|line| line.what == what).map_or(0.0, |line| line.dollars)
        };
        row(what.clone(), of(before), of(after));
    }
    for table in
        names(before.tables.iter().map(|table| &table.name), after.tables.iter().map(|table| &table.name))
    {
        let of = |report: &CostReport| {
            report.tables.iter().find(|other| other.name == table).map_or(0.0, |table| table.dollars)
        };
        row(format!("table {table}"), of(before), of(after));
    }
    for id in names(before.patterns.iter().map(|one| &one.id), after.patterns.iter().map(|one| &one.id)) {
        let of = |report: &CostReport| {
            report.patterns.iter().find(|other| other.id == id).map_or(0.0, |one| one.dollars)
        };
        let (old, new) = (of(before), of(after));
        if (old - new).abs() >= 0.005 {
            row(format!("pattern {id}"), old, new);
        }
    }
    row("total".to_owned(), before.total, after.total);
    grid
}

/// Names of both, in the order of the first, then of the second.
pub(crate) fn names<'n>(
    before: impl Iterator<Item = &'n String>,
    after: impl Iterator<Item = &'n String>,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in before.chain(after) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}
