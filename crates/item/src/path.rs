//! Document paths: where inside an item a value lies, such as `address.lines[0]`.

use std::borrow::Cow;
use std::fmt;

use crate::{AttributeValue, Attributes, Lookup};

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The attribute, or the entry of a map, with this name.
    Name(String),
    /// The element of a list with this position, counted from 0.
    Index(usize),
}

/// A document path. Its first step is a name: a top-level attribute. `Display` gives `a.b[0]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    top: String,
    rest: Vec<Step>,
}

impl Path {
    /// The path of the top-level attribute called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { top: name.into(), rest: Vec::new() }
    }

    /// The path of these steps; `None` if there are none or the first is not a name.
    pub fn from_steps(steps: impl IntoIterator<Item = Step>) -> Option<Self> {
        let mut steps = steps.into_iter();
        match steps.next() {
            Some(Step::Name(top)) => Some(Self { top, rest: steps.collect() }),
            _ => None,
        }
    }

    /// Goes one step deeper.
    pub fn push(&mut self, step: Step) {
        self.rest.push(step);
    }

    /// The name of the top-level attribute.
    pub fn top(&self) -> &str {
        &self.top
    }

    /// The steps below the top-level attribute.
    pub fn rest(&self) -> &[Step] {
        &self.rest
    }

    /// Steps, the first name included; at least 1.
    pub fn depth(&self) -> usize {
        1 + self.rest.len()
    }

    /// Whether the path is a top-level attribute.
    pub fn is_top_level(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether `other` is this path or lies below it.
    pub fn contains(&self, other: &Self) -> bool {
        self.top == other.top && other.rest.starts_with(&self.rest)
    }

    /// The value at this path of `item`.
    pub fn resolve<'a>(&self, item: &'a Attributes) -> Option<&'a AttributeValue> {
        descend(item.get(&self.top)?, &self.rest)
    }

    /// The value at this path of `item`, which may be a stored row: only the top-level attribute is decoded.
    pub fn resolve_in<'a>(&self, item: &'a dyn Lookup) -> Option<Cow<'a, AttributeValue>> {
        match item.attribute(&self.top)? {
            Cow::Borrowed(value) => descend(value, &self.rest).map(Cow::Borrowed),
            Cow::Owned(value) => take(value, &self.rest).map(Cow::Owned),
        }
    }

    /// The path as a list of its steps, a form that some error texts use: `[a, b]`, `[a, [1]]`.
    pub fn segments_text(&self) -> String {
        let rest = self.rest.iter().map(|step| match step {
            Step::Name(name) => format!(", {name}"),
            Step::Index(index) => format!(", [{index}]"),
        });
        format!("[{}{}]", self.top, rest.collect::<String>())
    }
}

/// The value that lies `steps` below `value`.
fn descend<'a>(value: &'a AttributeValue, steps: &[Step]) -> Option<&'a AttributeValue> {
    steps.iter().try_fold(value, |value, step| match (value, step) {
        (AttributeValue::M(map), Step::Name(name)) => map.get(name),
        (AttributeValue::L(list), Step::Index(index)) => list.get(*index),
        _ => None,
    })
}

/// As [`descend`], of an owned value: moves the inner value out.
fn take(value: AttributeValue, steps: &[Step]) -> Option<AttributeValue> {
    steps.iter().try_fold(value, |value, step| match (value, step) {
        (AttributeValue::M(mut map), Step::Name(name)) => map.remove(name),
        (AttributeValue::L(mut list), Step::Index(index)) => {
            (*index < list.len()).then(|| list.swap_remove(*index))
        }
        _ => None,
    })
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.top)?;
        self.rest.iter().try_for_each(|step| match step {
            Step::Name(name) => write!(f, ".{name}"),
            Step::Index(index) => write!(f, "[{index}]"),
        })
    }
}

#[cfg(test)]
mod tests;
