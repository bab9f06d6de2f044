//! `Fn::ForEach`: entries of a map that are written once and meant many times.

use super::Evaluator;
use crate::read::iac::tree::{Tree, Value};

/// How the names of loops start.
pub(super) const LOOP: &str = "Fn::ForEach::";

impl Evaluator<'_> {
    /// The entries of a map with its loops written out.
    pub(super) fn entries(&self, entries: &[(String, Tree)]) -> Vec<(String, Tree)> {
        let mut out = Vec::with_capacity(entries.len());
        for (name, node) in entries {
            if !name.starts_with(LOOP) {
                out.push((name.clone(), node.clone()));
                continue;
            }
            if let Err(why) = self.repeat(node, &mut out) {
                let message = format!("{name} is left out: {why}");
                self.assumed.borrow_mut().push((node.mark, message));
            }
        }
        out
    }

    /// `[identifier, collection, {key: value}]`.
    fn repeat(&self, node: &Tree, out: &mut Vec<(String, Tree)>) -> Result<(), String> {
        if !self.has_loops {
            return Err("it needs the transform AWS::LanguageExtensions".to_owned());
        }
        let [identifier, collection, fragment] = node.elements() else {
            return Err("a loop takes an identifier, a collection and a map".to_owned());
        };
        let identifier = identifier.as_text().ok_or("the identifier must be a string")?;
        self.enter(1)?;
        let result = self.list(collection).and_then(|values| {
            values.iter().try_for_each(|value| self.round(identifier, value, fragment, out))
        });
        self.depth.set(self.depth.get() - 1);
        result
    }

    fn round(
        &self,
        identifier: &str,
        value: &Tree,
        fragment: &Tree,
        out: &mut Vec<(String, Tree)>,
    ) -> Result<(), String> {
        let value = value.scalar().ok_or("a value of the collection is not known")?;
        // What is written is at most the fragment times the value, and is paid before it is made.
        self.spend(fragment.weight() * (1 + value.len() / 4))?;
        let written = replaced(fragment, identifier, &value);
        let Value::Map(entries) = written.value else { return Err("the fragment must be a map".to_owned()) };
        out.extend(self.entries(&entries));
        Ok(())
    }
}

/// A copy in which the identifier of a loop stands for a value: in texts and keys as `${id}` or `&{id}` (letters and digits alone), and as
/// `{Ref: id}`.
fn replaced(node: &Tree, identifier: &str, value: &str) -> Tree {
    let text = |text: &str| {
        let plain: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
        text.replace(&format!("${{{identifier}}}"), value).replace(&format!("&{{{identifier}}}"), &plain)
    };
    let copy = match &node.value {
        Value::Text(content) => Value::Text(text(content)),
        Value::List(elements) => {
            Value::List(elements.iter().map(|element| replaced(element, identifier, value)).collect())
        }
        Value::Map(entries) => match entries.as_slice() {
            [(name, target)] if name == "Ref" && target.as_text() == Some(identifier) => {
                Value::Text(value.to_owned())
            }
            entries => Value::Map(
                entries.iter().map(|(name, node)| (text(name), replaced(node, identifier, value))).collect(),
            ),
        },
        other => other.clone(),
    };
    Tree::new(node.mark, copy)
}
