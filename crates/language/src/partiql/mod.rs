//! PartiQL: statements as DynamoDB knows them, parsed, bound to their parameters and lowered to the same conditions,
//! key conditions, projections and updates as the expressions of the other operations. Nothing here runs a statement.
//!
//! 1. [`Statement::parse`] makes a tree of the text. It depends on the text alone, so a parsed statement can be kept and
//!    shared. Depth is bounded: no statement, however it nests, takes more than a fixed part of the stack.
//! 2. [`Statement::bind`] puts the parameters in place of `?` and gives a [`Bound`] statement.
//! 3. Who knows the table's keys asks [`reads`], [`item_key`] or [`check_key`] which part of the WHERE clause says where to look, and
//!    which part is left as a filter or condition.
//!
//! ```
//! use hashrange_language::partiql::{Bound, Statement};
//!
//! let statement = Statement::parse(r#"SELECT title FROM "music" WHERE artist = ? AND year > 1999"#)?;
//! let Bound::Select(select) = statement.bind(&["Nina Simone".into()])? else { unreachable!() };
//! assert_eq!(select.table, "music");
//! assert_eq!(select.condition.unwrap().to_string(), r#"artist = "Nina Simone" AND year > 1999"#);
//! # Ok::<(), hashrange_language::partiql::StatementError>(())
//! ```
//!
//! Sources: the developer guide's PartiQL reference, and answers of AWS recorded by public conformance tests in 2026.

mod bind;
mod change;
mod error;
mod keys;
mod lexer;
mod literal;
mod parser;
mod print;
mod syntax;
#[cfg(test)]
mod tests;
mod words;

use hashrange_item::{AttributeValue, Attributes, Path};

use crate::condition::Condition;
use crate::projection::Projection;
use crate::update::Update;

pub use error::{Detail, StatementError};
pub use keys::{Access, KeyProblem, Read, check_key, item_key, reads};
pub use syntax::{Place, Returning};

use syntax::Body;

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads items.
    Select,
    /// Checks, among the writes of a transaction, that an item meets a condition.
    Exists,
    /// Writes a new item.
    Insert,
    /// Changes an item.
    Update,
    /// Removes an item.
    Delete,
}

/// A parsed statement. `Display` prints it in one canonical form, which parses to the same statement.
#[derive(Clone, Debug)]
pub struct Statement {
    pub(crate) body: Body,
}

/// A statement with its parameters in place.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// Reads items.
    Select(Select),
    /// Checks that an item meets a condition.
    Exists(Select),
    /// Writes a new item.
    Insert {
        /// The table's name or ARN.
        table: String,
        /// The item.
        item: Attributes,
    },
    /// Changes an item.
    Update {
        /// The table's name or ARN.
        table: String,
        /// What changes.
        update: Update,
        /// The WHERE clause: the key, and what else must hold.
        condition: Option<Condition>,
        /// What is answered.
        returning: Option<Returning>,
    },
    /// Removes an item.
    Delete {
        /// The table's name or ARN.
        table: String,
        /// The WHERE clause: the key, and what else must hold.
        condition: Option<Condition>,
        /// What is answered.
        returning: Option<Returning>,
    },
}

/// A SELECT with its parameters in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// The table's name or ARN.
    pub table: String,
    /// The index after the table's name.
    pub index: Option<String>,
    /// The columns; `None` is `*`.
    pub projection: Option<Projection>,
    /// The columns' top-level attributes in the order of the statement; empty for `*`.
    pub columns: Vec<String>,
    /// The WHERE clause.
    pub condition: Option<Condition>,
    /// The ORDER BY clause.
    pub order: Vec<Order>,
}

/// One entry of an ORDER BY clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What is ordered by.
    pub path: Path,
    /// DESC.
    pub descending: bool,
}

impl Statement {
    /// Parses a statement.
    ///
    /// # Errors
    /// What is wrong with the text, whatever its parameters and tables are.
    pub fn parse(text: &str) -> Result<Statement, StatementError> {
        parser::parse(text).map(|body| Statement { body })
    }

    /// What the statement does.
    pub fn verb(&self) -> Verb {
        match &self.body {
            Body::Select(_) => Verb::Select,
            Body::Exists(_) => Verb::Exists,
            Body::Insert { .. } => Verb::Insert,
            Body::Update { .. } => Verb::Update,
            Body::Delete { .. } => Verb::Delete,
        }
    }

    /// The name or ARN of the statement's table.
    pub fn table(&self) -> &str {
        match &self.body {
            Body::Select(select) | Body::Exists(select) => &select.table,
            Body::Insert { table, .. } | Body::Update { table, .. } | Body::Delete { table, .. } => table,
        }
    }

    /// Puts the parameters in place: the first for the first `?` of the text. More parameters than `?` do no harm.
    ///
    /// # Errors
    /// Too few parameters, or operands that no item could make right.
    pub fn bind(&self, parameters: &[AttributeValue]) -> Result<Bound, StatementError> {
        bind::bind(&self.body, parameters)
    }
}

impl Bound {
    /// The name or ARN of the statement's table.
    pub fn table(&self) -> &str {
        match self {
            Bound::Select(select) | Bound::Exists(select) => &select.table,
            Bound::Insert { table, .. } | Bound::Update { table, .. } | Bound::Delete { table, .. } => table,
        }
    }

    /// What a write answers.
    pub fn returning(&self) -> Option<Returning> {
        match self {
            Bound::Update { returning, .. } | Bound::Delete { returning, .. } => *returning,
            Bound::Select(_) | Bound::Exists(_) | Bound::Insert { .. } => None,
        }
    }
}
