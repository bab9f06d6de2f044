//! The tree of a statement.

use std::fmt;
use std::sync::Arc;

use hashrange_item::{AttributeValue, Kind, Path};

use super::Order;
use crate::projection::Projection;
use crate::syntax::{Comparator, Sign};

/// Where something stands in a statement, in characters; `Display` gives `1:8:5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1.
    pub column: usize,
    /// Characters that it takes.
    pub length: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// What a write answers. `Display` gives `ALL OLD *`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    /// The item before the write.
    AllOld,
    /// The item after the write.
    AllNew,
    /// What was written, as it was before.
    ModifiedOld,
    /// What was written, as it is after.
    ModifiedNew,
}

impl fmt::Display for Returning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AllOld => "ALL OLD *",
            Self::AllNew => "ALL NEW *",
            Self::ModifiedOld => "MODIFIED OLD *",
            Self::ModifiedNew => "MODIFIED NEW *",
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Select(Select),
    Exists(Select),
    Insert { table: String, value: Inserted },
    Update { table: String, assignments: Vec<Assignment>, filter: Option<Term>, returning: Option<Returning> },
    Delete { table: String, filter: Option<Term>, returning: Option<Returning> },
}

#[derive(Clone, Debug)]
pub(crate) struct Select {
    pub(crate) table: String,
    pub(crate) index: Option<String>,
    /// The columns; none is `*`.
    pub(crate) columns: Vec<Path>,
    pub(crate) projection: Option<Projection>,
    pub(crate) filter: Option<Term>,
    pub(crate) order: Vec<Order>,
}

/// The item of an INSERT.
#[derive(Clone, Debug)]
pub(crate) enum Inserted {
    /// Its attributes, each a value or a parameter.
    Attributes(Vec<(String, Term)>),
    /// A parameter that holds it as a map.
    Parameter(usize),
}

/// One SET or REMOVE.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) target: Path,
    /// What is written; `None` is REMOVE.
    pub(crate) value: Option<Term>,
}

/// A node of a condition or a value. The parser bounds how deep it nests.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) place: Place,
    pub(crate) shape: Shape,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Path(Path),
    /// Position among the parameters.
    Parameter(usize),
    /// A literal that was read: all literals are, once the syntax is known to be right.
    Value(Arc<AttributeValue>),
    Text(String),
    Number(String),
    Bool(bool),
    Null,
    List(Vec<Term>),
    Set(Vec<Term>),
    Map(Vec<(String, Term)>),
    Call {
        /// As written.
        name: String,
        arguments: Vec<Term>,
    },
    And(Vec<Term>),
    Or(Vec<Term>),
    Not(Box<Term>),
    Compare(Comparator, Box<Term>, Box<Term>),
    /// Subject, lower and upper bound.
    Between(Box<[Term; 3]>),
    In(Box<Term>, Vec<Term>),
    Is(Box<Term>, TypeTest),
    Arithmetic(Sign, Box<Term>, Box<Term>),
}

/// What IS asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeTest {
    Missing,
    OneOf(&'static [Kind]),
}

impl Term {
    pub(crate) fn new(place: Place, shape: Shape) -> Self {
        Self { place, shape }
    }
}
