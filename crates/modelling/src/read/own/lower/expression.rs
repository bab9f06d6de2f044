//! Expressions with their placeholders.

use serde_json::{Map, Value};

use super::{Scope, is_identifier};
use crate::read::log::Log;
use crate::read::node::Node;

/// The placeholders of the expressions of one request.
#[derive(Debug, Default)]
pub struct Expression {
    names: Map<String, Value>,
    values: Map<String, Value>,
}

impl Expression {
    /// An attribute as an expression may name it: as it is, or by a placeholder where it is reserved or no identifier.
    pub fn name(&mut self, attribute: &str) -> String {
        if is_identifier(attribute)
            && !attribute.starts_with('_')
            && !hashrange_language::is_reserved(attribute)
        {
            return attribute.to_owned();
        }
        let known = self.names.iter().find(|(_, name)| name.as_str() == Some(attribute));
        if let Some((placeholder, _)) = known {
            return placeholder.clone();
        }
        let placeholder = free(&self.names, "#", attribute);
        self.names.insert(placeholder.clone(), Value::String(attribute.to_owned()));
        placeholder
    }

    /// A path such as `a.b[0]`; an attribute whose own name has such characters is written with a placeholder in `names`.
    pub fn path(&mut self, path: &str) -> String {
        let words = path.split('.').map(|word| {
            let (name, index) = word.split_at(word.find('[').unwrap_or(word.len()));
            if name.starts_with('#') { word.to_owned() } else { format!("{}{index}", self.name(name)) }
        });
        words.collect::<Vec<_>>().join(".")
    }

    /// A placeholder for a value, named after what it is compared with.
    pub fn value(&mut self, hint: &str, value: Value) -> String {
        let placeholder = free(&self.values, ":", hint);
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// Takes the placeholders that an author gives.
    pub fn given(
        &mut self,
        scope: &Scope<'_>,
        names: &[(Node, Node)],
        values: &[(Node, Node)],
        log: &mut Log,
    ) {
        for (key, node) in names {
            if let (Some(key), Some(name)) = (key.as_str(), crate::read::fields::text(node, log)) {
                self.names.insert(with_sign(key, '#'), Value::String(name));
            }
        }
        for (key, node) in values {
            if let Some(key) = key.as_str() {
                let value = scope.value(&scope.table, Some(key.trim_start_matches(':')), node, log);
                self.values.insert(with_sign(key, ':'), value);
            }
        }
    }

    /// Defines the placeholders of a text that nobody defined: `#status` is the attribute `status`, `:min` the gap `{min}`.
    pub fn complete(&mut self, text: &str, scope: &Scope<'_>, log: &mut Log) {
        for (sign, word) in placeholders(text) {
            let placeholder = format!("{sign}{word}");
            if sign == '#' {
                self.names.entry(placeholder).or_insert_with(|| Value::String(word.to_owned()));
            } else if !self.values.contains_key(&placeholder) {
                let gap = Node::text_at(crate::read::node::Mark::default(), &format!("{{{word}}}"));
                let value = scope.value(&scope.table, Some(word), &gap, log);
                self.values.insert(placeholder, value);
            }
        }
    }

    /// Puts the placeholders into a request.
    pub fn finish(self, request: &mut Map<String, Value>) {
        if !self.names.is_empty() {
            request.insert("ExpressionAttributeNames".to_owned(), Value::Object(self.names));
        }
        if !self.values.is_empty() {
            request.insert("ExpressionAttributeValues".to_owned(), Value::Object(self.values));
        }
    }
}

fn with_sign(key: &str, sign: char) -> String {
    if key.starts_with(sign) { key.to_owned() } else { format!("{sign}{key}") }
}

/// A placeholder that is not taken.
fn free(taken: &Map<String, Value>, sign: &str, hint: &str) -> String {
    let word: String = hint.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let word = format!("{sign}{}", word.trim_start_matches('_'));
    let word = if word.len() == 1 { format!("{sign}x") } else { word };
    let mut names = std::iter::once(word.clone()).chain((2..).map(|n| format!("{word}{n}")));
    names.find(|name| !taken.contains_key(name)).expect("there is always a number that is not taken")
}

/// The placeholders in the text of an expression.
fn placeholders(text: &str) -> Vec<(char, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['#', ':']) {
        let sign = if rest[at..].starts_with('#') { '#' } else { ':' };
        let tail = &rest[at + 1..];
        let end = tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tail.len());
        if end > 0 {
            found.push((sign, &tail[..end]));
        }
        rest = &tail[end..];
    }
    found
}
