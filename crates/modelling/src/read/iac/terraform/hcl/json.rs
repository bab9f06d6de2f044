//! Terraform's language in JSON (`main.tf.json`), put into the usual language, with the place of each line in the file.
//!
//! Strings are templates in both, and objects and lists are written alike, so only blocks need other words.

use std::fmt::Write as _;

use crate::read::node::{Data, Mark, Node};

/// Blocks that may stand more than once: one alone may be a map in JSON.
const REPEATED: [&str; 6] = [
    "attribute",
    "global_secondary_index",
    "local_secondary_index",
    "replica",
    "key_schema",
    "search_schema",
];

/// A text in Terraform's usual language.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    /// The text.
    pub(super) text: String,
    /// Where in the file each of its lines comes from.
    pub(super) marks: Vec<Mark>,
}

/// Puts a file into the usual language. Blocks that say nothing of tables are left out, as are comments (`//`).
pub(super) fn rewritten(root: &Node) -> Rewritten {
    let mut out = Rewritten::default();
    for (name, node) in root.entries() {
        match name.as_str().unwrap_or_default() {
            "resource" | "data" => {
                for (kind, named) in entries(node) {
                    labelled(
                        &format!("{} {}", name.as_str().unwrap_or_default(), quoted(kind)),
                        named,
                        &mut out,
                    );
                }
            }
            word @ ("variable" | "module" | "provider") => labelled(word, node, &mut out),
            "locals" => bodies(node).for_each(|body| block("locals", body, &mut out)),
            _ => {}
        }
    }
    out
}

/// The entries of a map, or of each map of a list.
fn entries(node: &Node) -> impl Iterator<Item = (&str, &Node)> {
    bodies(node)
        .flat_map(Node::entries)
        .filter_map(|(name, node)| Some((name.as_str()?, node)))
        .filter(|(name, _)| *name != "//")
}

/// A map, or the maps of a list.
fn bodies(node: &Node) -> impl Iterator<Item = &Node> {
    let alone = matches!(node.data, Data::Map(_)).then_some(node);
    alone.into_iter().chain(node.items())
}

fn labelled(head: &str, named: &Node, out: &mut Rewritten) {
    for (name, node) in entries(named) {
        for body in bodies(node) {
            block(&format!("{head} {}", quoted(name)), body, out);
        }
    }
}

fn block(head: &str, body: &Node, out: &mut Rewritten) {
    out.line(body.mark, &format!("{head} {{"));
    for (name, node) in entries(body).filter(|(name, _)| is_name(name)) {
        out.start(node.mark);
        let _ = write!(out.text, "{name} = ");
        let single = REPEATED.contains(&name) && matches!(node.data, Data::Map(_));
        out.text.push_str(if single { "[" } else { "" });
        out.expression(node);
        out.text.push_str(if single { "]\n" } else { "\n" });
    }
    out.line(body.mark, "}");
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// A string of JSON is a string of the language.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Rewritten {
    fn line(&mut self, mark: Mark, text: &str) {
        self.start(mark);
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The next line comes from there.
    fn start(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// An expression; each element stands on a line of its own, so that its place is known.
    fn expression(&mut self, node: &Node) {
        match &node.data {
            Data::Scalar { text, .. } if node.plain().is_none() => self.text.push_str(&quoted(text)),
            Data::Scalar { text, .. } => self.text.push_str(if text.is_empty() { "null" } else { text }),
            Data::List(items) => {
                self.text.push_str("[\n");
                for item in items {
                    self.start(item.mark);
                    self.expression(item);
                    self.text.push_str(",\n");
                }
                self.start(node.mark);
                self.text.push(']');
            }
            Data::Map(entries) => {
                self.text.push_str("{\n");
                for (name, value) in entries.iter().filter(|(name, _)| name.as_str() != Some("//")) {
                    self.start(value.mark);
                    let _ = write!(self.text, "{} = ", quoted(name.as_str().unwrap_or_default()));
                    self.expression(value);
                    self.text.push_str(",\n");
                }
                self.start(node.mark);
                self.text.push('}');
            }
        }
    }
}
