//! Where readers put what they notice, and how they ask a node for a value of a kind.

use crate::read::log::Log;
use crate::read::node::Mark;

use super::tree::{Tree, Value};

/// Asks the nodes of one file, and tells its log.
#[derive(Debug)]
pub(super) struct Context<'l> {
    /// Where notes and problems go.
    pub(super) log: &'l mut Log,
}

impl Context<'_> {
    /// Notes something, once.
    pub(super) fn note(&mut self, mark: Mark, message: impl Into<String>) {
        let (place, message) = (self.log.place(mark), message.into());
        // Repetitions are near each other: the functions of one value are asked more than once.
        if !self.log.notes.iter().rev().take(64).any(|note| note.place == place && note.message == message) {
            self.log.note(mark, message);
        }
    }

    /// Records a problem, once.
    pub(super) fn problem(&mut self, mark: Mark, message: impl Into<String>) {
        let (place, message) = (self.log.place(mark), message.into());
        if !self.log.problems.iter().any(|problem| problem.place == place && problem.message == message) {
            self.log.error(mark, message);
        }
    }

    /// A name that the model cannot do without. What is not known is a problem.
    pub(super) fn name(&mut self, node: Option<&Tree>, at: Mark, what: &str) -> Option<String> {
        let Some(node) = node else {
            self.problem(at, format!("{what} is missing"));
            return None;
        };
        match (&node.value, node.scalar()) {
            (_, Some(text)) if !text.is_empty() => Some(text),
            (Value::Unknown(why), _) => {
                self.problem(node.mark, format!("{what} is not known: {why}"));
                None
            }
            _ => {
                self.problem(node.mark, format!("{what} must be a string"));
                None
            }
        }
    }

    /// A text that checks can do without: what is not known is a note.
    pub(super) fn text(&mut self, node: Option<&Tree>, what: &str) -> Option<String> {
        let node = node?;
        match (&node.value, node.scalar()) {
            (_, Some(text)) => (!text.is_empty()).then_some(text),
            (Value::Unknown(why), _) => {
                self.note(node.mark, format!("{what} is not known: {why}"));
                None
            }
            _ => {
                self.problem(node.mark, format!("{what} must be a string"));
                None
            }
        }
    }

    /// A quantity; strings of digits count, and what is not known is a note.
    pub(super) fn number(&mut self, node: Option<&Tree>, what: &str) -> Option<f64> {
        let node = node?;
        if let Value::Unknown(why) = &node.value {
            self.note(node.mark, format!("{what} is not known: {why}"));
            return None;
        }
        let number = node.scalar().and_then(|text| text.trim().parse::<f64>().ok());
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            self.problem(node.mark, format!("{what} must be a number that is not negative"));
        }
        number
    }

    /// A truth value; `"true"` counts, and what is not known is a note.
    pub(super) fn flag(&mut self, node: Option<&Tree>, what: &str) -> Option<bool> {
        let node = node?;
        if let Value::Unknown(why) = &node.value {
            self.note(node.mark, format!("{what} is not known: {why}"));
            return None;
        }
        match node.scalar().as_deref() {
            Some("true" | "True") => Some(true),
            Some("false" | "False") => Some(false),
            _ => {
                self.problem(node.mark, format!("{what} must be true or false"));
                None
            }
        }
    }

    /// The elements of a list. Anything else is a problem, and so is a list that is not known, as keys and indexes are in it.
    pub(super) fn list<'n>(&mut self, node: Option<&'n Tree>, what: &str) -> &'n [Tree] {
        match node.map(|node| (node.mark, &node.value)) {
            None => &[],
            Some((_, Value::List(elements))) => elements,
            Some((mark, Value::Unknown(why))) => {
                self.problem(mark, format!("{what} are not known: {why}"));
                &[]
            }
            Some((mark, _)) => {
                self.problem(mark, format!("{what} must be a list"));
                &[]
            }
        }
    }
}
