//! The report of a load: a table for people, Markdown, JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{HotKey, Loaded, Report};
use crate::skew::{KEY_READ_UNITS_MAX, KEY_WRITE_UNITS_MAX};

/// Columns of patterns.
const COLUMNS: [&str; 14] = [
    "pattern", "asked/s", "done/s", "p50 ms", "p90", "p99", "p99.9", "max", "hot p99", "cold p99", "RCU",
    "WCU", "refused", "errors",
];
/// Hot keys that are shown; JSON has all.
const KEYS_SHOWN: usize = 20;

/// A table for people.
pub fn table(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report.patterns.iter().map(|loaded| row(loaded, "")).collect();
    let mut text = format!("{}\n\n", headline(report));
    let header: Vec<String> = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&header).chain(&rows).collect();
    let width = |at: usize| all.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    for row in &all {
        let cells = row.iter().enumerate().map(|(at, cell)| {
            let width = widths[at];
            if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push('\n');
    for line in remarks(report) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Markdown, for pull requests.
pub fn markdown(report: &Report) -> String {
    let mut text = format!("## Load of {}\n\n{}\n\n", report.model, headline(report));
    let _ = writeln!(text, "| {} |", COLUMNS.join(" | "));
    let _ = writeln!(text, "|---|{}", "--:|".repeat(COLUMNS.len() - 1));
    for loaded in &report.patterns {
        let _ = writeln!(text, "| {} |", row(loaded, "`").join(" | ").replace('\n', " "));
    }
    text.push('\n');
    for line in remarks(report) {
        let _ = writeln!(text, "- {line}");
    }
    text
}

fn headline(report: &Report) -> String {
    let verdict = match (report.passed(), report.patterns.is_empty()) {
        (_, true) => "NOT RUN",
        (true, false) => "passed",
        (false, false) => "FAILED",
    };
    let not_run = match report.skipped.len() {
        0 => String::new(),
        count => format!(", {count} not run"),
    };
    format!(
        "{}: {verdict}{not_run}; {} s at {} of the declared rates, seed {}",
        report.model,
        number(report.seconds),
        percent(report.speed),
        report.seed
    )
}

fn row(loaded: &Loaded, quote: &str) -> Vec<String> {
    let mut row = vec![
        format!("{quote}{}{quote} {}", loaded.id, loaded.name),
        number(loaded.asked),
        number(loaded.achieved),
    ];
    row.extend(loaded.latency_ms.iter().map(|ms| number(*ms)));
    let maybe = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), number);
    row.extend([maybe(loaded.hot_p99_ms), maybe(loaded.cold_p99_ms)]);
    row.extend([number(loaded.read_units), number(loaded.write_units)]);
    row.push(loaded.refused.to_string());
    row.push((loaded.errors.values().sum::<u64>() + loaded.unsent).to_string());
    row
}

fn remarks(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for loaded in &report.patterns {
        lines.extend(remarks_of(loaded));
    }
    for (id, reason) in &report.skipped {
        lines.push(format!("{id}: not run: {reason}"));
    }
    for key in report.hot_keys.iter().take(KEYS_SHOWN) {
        lines.push(hot(key));
    }
    if report.hot_keys.len() > KEYS_SHOWN {
        lines.push(format!("{} more keys are too hot", report.hot_keys.len() - KEYS_SHOWN));
    }
    for (table, count) in &report.throttled {
        lines.push(format!(
            "estimate: on DynamoDB {count} requests on {table} would have been throttled (a new on-demand table, {} writes and {} \
             reads a second for each of four partitions)",
            number(KEY_WRITE_UNITS_MAX),
            number(KEY_READ_UNITS_MAX)
        ));
    }
    if report.unanswered > 0 {
        lines.push(format!("{} requests got no answer in time", report.unanswered));
    }
    if report.lag_max_ms > 50.0 {
        lines.push(format!(
            "the load itself was up to {} ms late: this machine is too slow for these rates, and latencies say so; lower --speed",
            number(report.lag_max_ms)
        ));
    }
    lines
}

fn remarks_of(loaded: &Loaded) -> Vec<String> {
    let mut lines = Vec::new();
    for (error, count) in &loaded.errors {
        lines.push(format!("{}: {error} {count} times", loaded.id));
    }
    if loaded.refused > 0 {
        lines.push(refused(loaded));
    }
    if let Some(condition) = &loaded.unmet {
        lines.push(format!(
            "{}: no sample item was found for {condition}: its requests are refused or find nothing",
            loaded.id
        ));
    }
    if loaded.unsent > 0 {
        lines.push(format!(
            "{}: {} requests were not sent, because too many were under way",
            loaded.id, loaded.unsent
        ));
    }
    if !loaded.reached() {
        let rates = (number(loaded.achieved), number(loaded.asked));
        lines.push(format!("{}: {} a second were answered, {} were asked for", loaded.id, rates.0, rates.1));
    }
    lines
}

#[expect(clippy::cast_precision_loss, reason = "counts of a load are far below 2^52")]
fn refused(loaded: &Loaded) -> String {
    let share = loaded.refused as f64 / (loaded.answered + loaded.refused).max(1) as f64;
    let (id, count, expected) = (&loaded.id, loaded.refused, loaded.refusals_expected);
    let line = format!("{id}: refused {count} times ({})", percent(share));
    if expected >= 1.0 {
        return format!("{line}, as the model expects");
    }
    let line = format!("{line}, the model expects {}", percent(expected));
    if share > expected + 0.05 && loaded.unmet.is_none() {
        return format!(
            "{line}: a condition that holds once for an item fails when its turn comes again; --scale makes more samples"
        );
    }
    line
}

fn hot(key: &HotKey) -> String {
    let place = match &key.index {
        Some(index) => format!("{}.{index}", key.table),
        None => key.table.clone(),
    };
    let (units, most, what) = if key.write / KEY_WRITE_UNITS_MAX >= key.read / KEY_READ_UNITS_MAX {
        (key.write, KEY_WRITE_UNITS_MAX, "write")
    } else {
        (key.read, KEY_READ_UNITS_MAX, "read")
    };
    format!(
        "too hot: key {} of {place} gets {} {what} units a second ({} of all), and one partition serves {}; spread it over {} keys, \
         and a read of the collection takes {} requests and {} units instead of {} (patterns {})",
        key.key,
        number(units),
        percent(key.share),
        number(most),
        key.shards,
        key.scatter.requests,
        number(key.scatter.units),
        number(key.scatter.units_unspread),
        key.patterns.join(", ")
    )
}

fn percent(share: f64) -> String {
    format!("{} %", number(share * 100.0))
}

/// Three digits that count.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Everything, for programs.
pub fn json(report: &Report) -> Value {
    json!({
        "model": report.model,
        "passed": report.passed(),
        "seed": report.seed,
        "seconds": report.seconds,
        "speed": report.speed,
        "patterns": report.patterns.iter().map(pattern_json).collect::<Vec<_>>(),
        "skipped": report.skipped.iter().map(|(id, reason)| json!({"id": id, "reason": reason, "outcome": format!("not run: {reason}")})).collect::<Vec<_>>(),
        "hot_keys": report.hot_keys.iter().map(key_json).collect::<Vec<_>>(),
        "throttled_estimate": report.throttled,
        "lag_max_ms": report.lag_max_ms,
        "unanswered": report.unanswered,
    })
}

fn pattern_json(loaded: &Loaded) -> Value {
    let [p50, p90, p99, p999, max] = loaded.latency_ms;
    json!({
        "id": loaded.id,
        "name": loaded.name,
        "skew": loaded.skew,
        "keys": loaded.keys,
        "asked_per_second": loaded.asked,
        "achieved_per_second": loaded.achieved,
        "sent": loaded.sent,
        "answered": loaded.answered,
        "refused": loaded.refused,
        "refused_share_expected": loaded.refusals_expected,
        "unmet": loaded.unmet,
        "unsent": loaded.unsent,
        "errors": loaded.errors,
        "latency_ms": {"p50": p50, "p90": p90, "p99": p99, "p99.9": p999, "max": max},
        "hot_p99_ms": loaded.hot_p99_ms,
        "cold_p99_ms": loaded.cold_p99_ms,
        "read_units": loaded.read_units,
        "write_units": loaded.write_units,
    })
}

fn key_json(key: &HotKey) -> Value {
    json!({
        "table": key.table,
        "index": key.index,
        "key": key.key,
        "read_units_per_second": key.read,
        "write_units_per_second": key.write,
        "share": key.share,
        "shards": key.shards,
        "scatter_read": {
            "requests": key.scatter.requests,
            "units": key.scatter.units,
            "units_unspread": key.scatter.units_unspread,
        },
        "patterns": key.patterns,
    })
}
