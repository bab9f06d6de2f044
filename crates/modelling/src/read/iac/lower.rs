//! From a tree of YAML or JSON to the tree of templates: short tags become functions by their long names.

use super::tree::{Tree, Value};
use crate::read::node::{Data, Node};

/// The template tree of a file. The file's tree is bounded in depth and size, and so is this one.
pub(super) fn lower(node: &Node) -> Tree {
    let value = match &node.data {
        Data::List(items) => Value::List(items.iter().map(lower).collect()),
        Data::Map(entries) => Value::Map(
            entries
                .iter()
                .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), lower(value))))
                .collect(),
        ),
        Data::Scalar { text, .. } => scalar(node, text),
    };
    let tree = Tree::new(node.mark, value);
    match function(node) {
        Some(name) => Tree::new(node.mark, Value::Map(vec![(name, tree)])),
        None => tree,
    }
}

fn scalar(node: &Node, text: &str) -> Value {
    if node.tag.is_some() || node.plain().is_none() {
        return Value::Text(text.to_owned());
    }
    if node.is_null() {
        return Value::Null;
    }
    match (node.as_bool(), node.as_f64()) {
        (Some(flag), _) => Value::Bool(flag),
        (None, Some(_)) => Value::Number(text.to_owned()),
        (None, None) => Value::Text(text.to_owned()),
    }
}

/// The long name of a short tag: `!Ref` and `!Condition` as they are, all others with `Fn::`.
fn function(node: &Node) -> Option<String> {
    let name = node.tag.as_deref()?.strip_prefix('!')?;
    match name {
        "Ref" | "Condition" => Some(name.to_owned()),
        name if name.is_empty() || name.starts_with('!') => None,
        name => Some(format!("Fn::{name}")),
    }
}
