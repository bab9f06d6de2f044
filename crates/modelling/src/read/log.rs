//! What a reader has to say about a file.

use std::fmt;

use super::node::{Mark, Node};
use crate::catalogue::Note;

/// Most problems of one file that are told.
const PROBLEMS_MAX: usize = 50;

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, with line and column where they are known: `model.yaml:12:3`.
    pub place: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Problem {}

/// Problems and notes of one file, as they are found.
#[derive(Debug, Default)]
pub struct Log {
    path: String,
    /// What makes the file unusable.
    pub problems: Vec<Problem>,
    /// What a reader could go on from.
    pub notes: Vec<Note>,
}

impl Log {
    /// Of the file with this path.
    pub fn new(path: &str) -> Log {
        Log { path: path.to_owned(), ..Log::default() }
    }

    /// The path of the file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// `model.yaml:12:3`.
    pub fn place(&self, mark: Mark) -> String {
        match mark.line {
            0 => self.path.clone(),
            line => format!("{}:{line}:{}", self.path, mark.column),
        }
    }

    /// Something makes the file unusable.
    pub fn error(&mut self, mark: Mark, message: impl Into<String>) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem { place: self.place(mark), message: message.into() });
        }
    }

    /// A node is not what it must be.
    pub fn expected(&mut self, node: &Node, what: &str) {
        self.error(node.mark, format!("expected {what}, found {}", node.describe()));
    }

    /// Something is worth saying.
    pub fn note(&mut self, mark: Mark, message: impl Into<String>) {
        self.notes.push(Note { place: self.place(mark), message: message.into() });
    }

    /// Takes what another one says.
    pub fn append(&mut self, other: &mut Log) {
        self.problems.append(&mut other.problems);
        self.notes.append(&mut other.notes);
    }
}
