//! What a check found.

use std::fmt;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Advice.
    Note,
    /// Shown and counted.
    Warn,
    /// Fails the build.
    Error,
}

impl Severity {
    /// `note`, `warn`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warn => "warn",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a finding rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// Declared schema and patterns.
    Declared,
    /// Samples.
    Samples,
    /// A run on an engine.
    Run,
    /// Recorded traffic.
    Traffic,
}

impl Evidence {
    /// `E0` to `E3`.
    pub fn code(self) -> &'static str {
        match self {
            Evidence::Declared => "E0",
            Evidence::Samples => "E1",
            Evidence::Run => "E2",
            Evidence::Traffic => "E3",
        }
    }
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The whole model.
    Model,
    /// A table, by name.
    Table(String),
    /// An index: table, index.
    Index(String, String),
    /// An entity, by name.
    Entity(String),
    /// A pattern, by id.
    Pattern(String),
    /// A flow, by name.
    Flow(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Model => f.write_str("model"),
            Subject::Table(name) => write!(f, "table {name}"),
            Subject::Index(table, name) => write!(f, "index {table}.{name}"),
            Subject::Entity(name) => write!(f, "entity {name}"),
            Subject::Pattern(id) => write!(f, "pattern {id}"),
            Subject::Flow(name) => write!(f, "flow {name}"),
        }
    }
}

/// One fault, or one piece of advice.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's id, such as `scan-on-request-path`.
    pub rule: &'static str,
    /// How grave it is here.
    pub severity: Severity,
    /// What it rests on.
    pub evidence: Evidence,
    /// What it is about.
    pub subject: Subject,
    /// What is wrong, with the figures that show it.
    pub message: String,
    /// The change that would cure it.
    pub advice: String,
    /// Why it is allowed, where a waiver allows it; it is then shown, but counts as a note.
    pub waived: Option<String>,
}
