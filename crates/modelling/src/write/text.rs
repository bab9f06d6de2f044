//! YAML as text: short things on one line, texts in quotes only where they must be.

use std::fmt::Write as _;

/// Longest line that a list or map is put on.
const WIDTH: usize = 110;

/// A value that is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Y {
    /// As it is: a number, `true`, a tag with its value.
    Plain(String),
    /// A text.
    Text(String),
    /// A sequence.
    List(Vec<Y>),
    /// A sequence with the tag `!set`.
    Set(Vec<Y>),
    /// A mapping, on one line where it is short.
    Map(Vec<(String, Y)>),
    /// A mapping that has a line for each of its entries.
    Tall(Vec<(String, Y)>),
}

impl Y {
    /// A text.
    pub(super) fn text(text: impl Into<String>) -> Y {
        Y::Text(text.into())
    }

    /// A number, without a fraction where it has none.
    pub(super) fn number(number: f64) -> Y {
        Y::Plain(format!("{number}"))
    }

    /// JSON as YAML.
    pub(super) fn json(value: &serde_json::Value) -> Y {
        use serde_json::Value;
        match value {
            Value::String(text) => Y::text(text.clone()),
            Value::Array(items) => Y::List(items.iter().map(Y::json).collect()),
            Value::Object(map) => {
                Y::Map(map.iter().map(|(key, value)| (key.clone(), Y::json(value))).collect())
            }
            other => Y::Plain(other.to_string()),
        }
    }
}

/// A document.
pub(super) fn document(entries: &[(String, Y)]) -> String {
    let mut out = String::new();
    block_map(entries, 0, &mut out);
    out
}

/// On one line.
fn flow(value: &Y, out: &mut String) {
    match value {
        Y::Plain(text) => out.push_str(text),
        Y::Text(text) => out.push_str(&quoted(text)),
        Y::Set(items) => {
            out.push_str("!set ");
            flow_list(items, out);
        }
        Y::List(items) => flow_list(items, out),
        Y::Map(entries) | Y::Tall(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                let _ = write!(out, "{}: ", quoted(key));
                flow(value, out);
            }
            out.push('}');
        }
    }
}

fn flow_list(items: &[Y], out: &mut String) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        flow(item, out);
    }
    out.push(']');
}

/// The value on one line, if it may be and fits behind `used` characters.
fn short(value: &Y, used: usize) -> Option<String> {
    let tall = matches!(value, Y::Tall(entries) if !entries.is_empty());
    let nested = matches!(value, Y::List(items) if items.iter().any(|item| matches!(item, Y::Map(_) | Y::Tall(_))) && items.len() > 1);
    if tall || nested {
        return None;
    }
    let mut line = String::new();
    flow(value, &mut line);
    let is_scalar = matches!(value, Y::Plain(_) | Y::Text(_) | Y::Set(_));
    (is_scalar || used + line.chars().count() <= WIDTH).then_some(line)
}

fn block_map(entries: &[(String, Y)], indent: usize, out: &mut String) {
    for (at, (key, value)) in entries.iter().enumerate() {
        if at > 0 || !out.ends_with("- ") {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        let key = quoted(key);
        let _ = write!(out, "{key}:");
        block(value, indent, indent + key.chars().count() + 2, out);
    }
}

/// The value of a key, on the same line or below it.
fn block(value: &Y, indent: usize, used: usize, out: &mut String) {
    if let Some(line) = short(value, used) {
        let _ = writeln!(out, " {line}");
        return;
    }
    out.push('\n');
    match value {
        Y::Map(entries) | Y::Tall(entries) => block_map(entries, indent + 2, out),
        Y::List(items) => block_list(items, indent + 2, out),
        Y::Plain(_) | Y::Text(_) | Y::Set(_) => unreachable!("scalars are always on one line"),
    }
}

fn block_list(items: &[Y], indent: usize, out: &mut String) {
    for item in items {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str("- ");
        match (short(item, indent + 2), item) {
            (Some(line), _) => {
                let _ = writeln!(out, "{line}");
            }
            (None, Y::Map(entries) | Y::Tall(entries)) => block_map(entries, indent + 2, out),
            (None, item) => {
                flow(item, out);
                out.push('\n');
            }
        }
    }
}

/// A text, in quotes where it could be taken for something else, in any version of YAML.
pub(super) fn quoted(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { in_quotes(text) }
}

fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 10] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf"];
    let first = text.chars().next();
    first.is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && !text.ends_with(' ')
        && !text.contains("  ")
        && text.chars().all(|c| c.is_alphanumeric() || " _-./@+()*".contains(c))
        && !WORDS.contains(&text.to_lowercase().as_str())
}

fn in_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
