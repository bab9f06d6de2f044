//! `cargo xtask tidy`: the rules of this workspace that no compiler and no linter knows.
//!
//! Each rule is a function from the whole [`Project`] to what it finds, so that its test is a project of
//! two or three lines. A finding says where, what, and what to do instead.

mod code;
mod documents;
mod edges;
mod manifests;
mod messages;
mod project;
mod provoked;
mod size;
mod words;

use std::fmt;

use crate::process::Outcome;
use project::Project;

/// A broken rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// `path:line`, or the path alone.
    place: String,
    /// What is wrong, and what to do instead.
    message: String,
}

impl Finding {
    fn new(path: &str, message: impl Into<String>) -> Finding {
        Finding { place: path.to_owned(), message: message.into() }
    }

    fn at(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { place: format!("{path}:{line}"), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

type Rule = fn(&Project) -> Vec<Finding>;

const RULES: &[Rule] = &[
    edges::crate_edges,
    edges::the_engine_knows_no_protocol,
    manifests::inherited,
    manifests::dependencies_have_reasons,
    code::banned_calls,
    code::leftovers,
    code::exceptions_have_reasons,
    code::one_reader_of_the_item_limit,
    code::narrow_store_trait,
    messages::one_catalogue,
    provoked::every_text_is_provoked,
    size::function_length,
    size::file_length,
    documents::one_title,
    documents::invariants_are_checked,
    documents::every_crate_has_a_section,
    words::banned_words,
];

/// Applies every rule to the working tree.
pub(crate) fn run() -> Outcome {
    let project = Project::load()?;
    let findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&project)).collect();
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => Err(format!("tidy found {count} things to mend")),
    }
}
