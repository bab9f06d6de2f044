//! The modelled constraints of a request, and the texts of their violations in today's two generations.
//!
//! AWS checks constraints in one of two layers. The older one collects every violation, names members in lower camel
//! case and echoes values; the newer one, which the single-item operations, BatchGetItem and Query run, names members
//! as the API does, echoes nothing and mostly stops early. A request with a missing member falls back to the older
//! layer on every operation. (Recorded in us-east-1 and eu-west-2, June to October 2026.)

mod pattern;
mod report;
#[cfg(test)]
mod tests;
mod walk;

pub use pattern::Pattern;
pub use walk::{Constrained, Element, Range, Text, Walk};

use std::collections::BTreeMap;

use crate::generated::constraints::check;
use crate::{Error, KeySchemaElement, Operation, Request};

/// A key element as AWS echoes it.
pub(crate) fn key_schema_element(element: &KeySchemaElement) -> String {
    format!("KeySchemaElement(attributeName={}, keyType={})", element.attribute_name, element.key_type)
}

/// One step of the way from a request to a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of a structure, by its name on the wire.
    Member(&'static str),
    /// An element of a list, counted from 0.
    Element(usize),
    /// A value of a map, by its key.
    Entry(String),
}

/// What a typed request cannot show about the request as it was sent: required members that were absent, and strings
/// that name no value of their closed set. The decoder collects it; a request built in Rust has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    gaps: Vec<Gap>,
}

/// One member that the typed request holds a stand-in for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The way from the request to the member, the member included.
    pub path: Vec<Step>,
    /// Why the member has a stand-in.
    pub kind: GapKind,
}

/// Why a typed request holds a stand-in for a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GapKind {
    /// A required member was absent or null.
    Absent,
    /// The string names no value of the member's closed set.
    Unknown(String),
}

impl Missing {
    /// Nothing is missing.
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Notes a gap.
    pub fn add(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }

    /// The number of gaps.
    pub fn len(&self) -> usize {
        self.gaps.len()
    }

    /// Puts a step in front of the gaps noted since there were `count`: they were found inside that member.
    pub fn prefix(&mut self, count: usize, step: &Step) {
        for gap in &mut self.gaps[count..] {
            gap.path.insert(0, step.clone());
        }
    }

    /// Forgets the gaps inside `step` that were noted since there were `count`: the member came again.
    pub fn forget(&mut self, count: usize, step: &Step) {
        let later = self.gaps.split_off(count);
        self.gaps.extend(later.into_iter().filter(|gap| gap.path.first() != Some(step)));
    }
}

/// A violated constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The way from the request to the member.
    pub path: Vec<Step>,
    /// The member's value as AWS echoes it; `None` where it is null.
    pub value: Option<String>,
    /// The violated constraint's text.
    pub constraint: String,
}

/// A request whose modelled constraints hold. Only [`Request::validate`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Valid {
    request: Request,
    refused: BTreeMap<usize, Error>,
}

impl Valid {
    /// The operation.
    pub fn operation(&self) -> Operation {
        self.request.operation()
    }

    /// The request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The same request of many statements, of which those at these positions are answered with an error by themselves: a
    /// parameter is no attribute value.
    #[must_use]
    pub fn refusing(self, refused: BTreeMap<usize, Error>) -> Valid {
        Valid { refused, ..self }
    }

    /// Gives the request away, and what [`refusing`](Self::refusing) said of it.
    pub fn into_parts(self) -> (Request, BTreeMap<usize, Error>) {
        (self.request, self.refused)
    }
}

impl Request {
    /// Checks the modelled constraints. `missing` is what the decoder found; a request built in Rust passes
    /// [`Missing::none`]. The error is the `ValidationException` that AWS gives, with every violation it lists.
    pub fn validate(self, missing: &Missing) -> Result<Valid, Error> {
        let mut walk = Walk::new(missing);
        check(&self, &mut walk);
        let violations = walk.into_violations();
        if violations.is_empty() {
            return Ok(Valid { request: self, refused: BTreeMap::new() });
        }
        Err(Error::validation(report::text(self.operation(), &violations)))
    }
}
