//! A model drawn: one HTML page that needs no network, and Mermaid for documents.
//!
//! [`html`] shows every table and index as item collections with sample rows, and each pattern on the rows that it reads or writes, with
//! its plan, budget, units, cost and findings. [`mermaid`] gives tables, indexes, entities and patterns as one flowchart.
//!
//! All text of a model is data here: it is escaped, control characters are made visible, and the page's policy allows no script or style
//! but its own two, by their hashes.

mod html;
mod layout;
mod mermaid;
mod reach;

use std::collections::BTreeMap;

use hashrange_item::Attributes;

pub use html::html;
pub use mermaid::mermaid;

use crate::catalogue::Catalogue;
use crate::cost::CostReport;
use crate::finding::Finding;
use crate::plan::PatternPlan;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The model.
    pub catalogue: &'a Catalogue,
    /// The plans of its patterns.
    pub plans: &'a [PatternPlan],
    /// What a check found.
    pub findings: &'a [Finding],
    /// What it costs, where it was priced.
    pub costs: Option<&'a CostReport>,
    /// Rows by table, in place of those of the model: generated ones.
    pub samples: &'a BTreeMap<String, Vec<Attributes>>,
}

#[cfg(test)]
mod tests;
