//! Expressions that YAML cuts short: a `#` after a space starts a comment, and `#status` is a name in an expression.

use crate::read::log::Log;
use crate::read::node::{Data, Node};

/// Fields of patterns that hold expressions, keys and values.
const FIELDS: [&str; 18] = [
    "condition",
    "filter",
    "update",
    "expression",
    "statement",
    "key",
    "keys",
    "item",
    "items",
    "set",
    "add",
    "remove",
    "put",
    "delete",
    "check",
    "actions",
    "values",
    "names",
];

/// Notes each expression or key of a file, without quotes, that ends before a comment which looks like the rest of it.
pub fn check(text: &str, root: &Node, log: &mut Log) {
    let lines: Vec<&str> = text.lines().collect();
    let finder = Finder { lines: &lines };
    for pattern in root.get("patterns").map_or(&[][..], Node::items) {
        finder.fields(pattern, log);
    }
    for (_, entity) in root.get("entities").map_or(&[][..], Node::entries) {
        entity.get("key").into_iter().for_each(|key| finder.below(key, "the key", log));
    }
}

struct Finder<'t> {
    lines: &'t [&'t str],
}

impl Finder<'_> {
    fn fields(&self, node: &Node, log: &mut Log) {
        for (name, value) in node.entries() {
            let name = name.as_str().unwrap_or_default();
            if FIELDS.contains(&name) {
                self.below(value, &format!("\"{name}\""), log);
            }
        }
    }

    /// A tree is no deeper than its reader allows.
    fn below(&self, node: &Node, what: &str, log: &mut Log) {
        match &node.data {
            Data::Map(entries) => entries.iter().for_each(|(_, value)| self.below(value, what, log)),
            Data::List(items) => items.iter().for_each(|item| self.below(item, what, log)),
            // A number is whole, whatever stands behind it.
            Data::Scalar { text, plain: true } if node.as_f64().is_none() => {
                if let Some(rest) = self.rest(node, text).filter(|rest| goes_on(rest)) {
                    let ends =
                        if text.is_empty() { "is empty".to_owned() } else { format!("ends with \"{text}\"") };
                    log.note(
                        node.mark,
                        format!("{what} {ends}, because YAML takes \"{rest}\" for a comment; put quotes around the whole"),
                    );
                }
            }
            Data::Scalar { .. } => {}
        }
    }

    /// What follows a scalar without quotes on its last line.
    fn rest(&self, node: &Node, text: &str) -> Option<&str> {
        let mut at = node.mark.line.checked_sub(1)?;
        let column = node.mark.column.checked_sub(1)?;
        let mut line = from_column(self.lines.get(at)?, column)?;
        // A scalar goes on over lines, and each break is a space in it.
        for word in text.split_whitespace() {
            while line.trim_start().is_empty() {
                at += 1;
                line = self.lines.get(at)?;
            }
            line = line.trim_start().strip_prefix(word)?;
        }
        Some(line.trim())
    }
}

/// A line from a column on, in characters.
fn from_column(line: &str, column: usize) -> Option<&str> {
    let start = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(column)?;
    line.get(start..)
}

/// Whether a comment looks like a part of an expression or a key: `#status`, `#{id}`; most comments have a space after the `#`.
fn goes_on(rest: &str) -> bool {
    let after = rest.strip_prefix('#').and_then(|rest| rest.chars().next());
    after.is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, '_' | '{'))
}
