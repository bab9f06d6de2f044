//! Conditions: what ConditionExpression, FilterExpression, Expected, QueryFilter and ScanFilter become.

pub(crate) mod bind;
mod display;
mod evaluate;
mod outline;
mod satisfy;
mod search;

use std::collections::BTreeSet;
use std::sync::Arc;

use hashrange_item::{AttributeValue, Kind, Lookup, Path};

pub(crate) use crate::syntax::Comparator;
pub(crate) use bind::bind;
pub use outline::AttributeTest;

/// A condition on one item, with all names and values in place.
///
/// `Display` prints a canonical text: names as they are, values in a JSON-like form, parentheses only
/// where they are needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub(crate) test: Test,
}

/// A node of a condition. AND and OR take any number of sides, so that a long chain is not a deep tree:
/// its depth is bounded by the operator limit of expressions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// All hold; true if there are none.
    All(Vec<Test>),
    /// Any holds.
    Any(Vec<Test>),
    Not(Box<Test>),
    Compare(Comparator, Operand, Operand),
    /// Subject, lower and upper bound.
    Between(Operand, Operand, Operand),
    In(Operand, Vec<Operand>),
    Exists(Path),
    NotExists(Path),
    IsOfType(Operand, Kind),
    BeginsWith(Operand, Operand),
    Contains(Operand, Operand),
}

/// Something with a value, if the item has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Path(Path),
    Value(Arc<AttributeValue>),
    /// `size(…)` of a path or value.
    Size(Box<Operand>),
    /// What a condition gives, as a boolean: only PartiQL can say so.
    Truth(Box<Test>),
}

impl Condition {
    /// Whether the condition holds for `item`; `None` is an item that does not exist, which has no attributes.
    pub fn evaluate(&self, item: Option<&dyn Lookup>) -> bool {
        self.test.holds(item)
    }

    /// The names of the top-level attributes that the condition reads.
    pub fn top_level_attributes(&self) -> BTreeSet<&str> {
        self.paths().into_iter().map(Path::top).collect()
    }

    /// As [`top_level_attributes`](Self::top_level_attributes), each once, in the order in which they are written.
    pub fn attributes_in_order(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for path in self.paths() {
            if !names.contains(&path.top()) {
                names.push(path.top());
            }
        }
        names
    }

    /// The names of the top-level attributes that the condition looks into, by a path of several steps:
    /// AWS refuses them where the attribute is a key.
    pub fn nested_attributes(&self) -> BTreeSet<&str> {
        self.paths().into_iter().filter(|path| !path.is_top_level()).map(Path::top).collect()
    }

    /// That the item has the top-level attribute called `name`.
    pub fn attribute_exists(name: &str) -> Self {
        Self { test: Test::Exists(Path::new(name)) }
    }

    /// That the item lacks the top-level attribute called `name`.
    pub fn attribute_not_exists(name: &str) -> Self {
        Self { test: Test::NotExists(Path::new(name)) }
    }

    /// That both hold; without `other`, this one.
    #[must_use]
    pub fn and(self, other: Option<Self>) -> Self {
        match other {
            None => self,
            Some(other) => Self { test: Test::All(vec![self.test, other.test]) },
        }
    }

    /// That either holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { test: Test::Any(vec![self.test, other.test]) }
    }

    fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        self.test.collect_paths(&mut paths);
        paths
    }

    /// The names of the top-level attributes that a part of a condition reads.
    pub(crate) fn names_of(test: &Test) -> BTreeSet<&str> {
        let mut paths = Vec::new();
        test.collect_paths(&mut paths);
        paths.into_iter().map(Path::top).collect()
    }
}

impl Test {
    fn collect_paths<'a>(&'a self, paths: &mut Vec<&'a Path>) {
        match self {
            Self::All(tests) | Self::Any(tests) => tests.iter().for_each(|test| test.collect_paths(paths)),
            Self::Not(test) => test.collect_paths(paths),
            Self::Exists(path) | Self::NotExists(path) => paths.push(path),
            Self::IsOfType(operand, _) => operand.collect_paths(paths),
            Self::Compare(_, left, right) | Self::BeginsWith(left, right) | Self::Contains(left, right) => {
                left.collect_paths(paths);
                right.collect_paths(paths);
            }
            Self::Between(subject, low, high) => {
                for operand in [subject, low, high] {
                    operand.collect_paths(paths);
                }
            }
            Self::In(subject, list) => {
                subject.collect_paths(paths);
                for operand in list {
                    operand.collect_paths(paths);
                }
            }
        }
    }
}

impl Operand {
    fn collect_paths<'a>(&'a self, paths: &mut Vec<&'a Path>) {
        match self {
            Self::Path(path) => paths.push(path),
            Self::Value(_) => {}
            Self::Size(inner) => inner.collect_paths(paths),
            Self::Truth(test) => test.collect_paths(paths),
        }
    }

    /// The type, where the request alone tells it.
    pub(crate) fn known_kind(&self) -> Option<Kind> {
        match self {
            Self::Path(_) => None,
            Self::Value(value) => Some(value.kind()),
            Self::Size(_) => Some(Kind::N),
            Self::Truth(_) => Some(Kind::Bool),
        }
    }
}

#[cfg(test)]
mod tests;
