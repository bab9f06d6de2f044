//! Access patterns as a living specification: a catalogue of patterns is planned, run, budgeted, priced and drawn.
//!
//! # Life of a catalogue
//!
//! 1. [`read`] turns files of several kinds into one [`Catalogue`]; what a format cannot state stays unknown.
//! 2. [`plan`] says for each pattern what it will read or write, and what that costs, from the declarations alone.
//! 3. Checks judge plans and samples, and give [`Finding`]s.
//! 4. A run sends the patterns to a [`Target`], the engine in this process or any endpoint, and compares what it observes with what is declared.
//!
//! The crate knows no socket and no storage: whoever runs it supplies a [`Target`].

pub mod catalogue;
pub mod check;
pub mod cost;
pub mod diff;
pub mod draw;
pub mod finding;
pub mod load;
pub mod plan;
pub mod read;
pub mod recognise;
pub mod record;
pub mod report;
pub mod run;
pub mod samples;
pub mod skew;
pub mod target;
pub mod template;
#[cfg(test)]
mod testing;
pub mod write;

pub use catalogue::Catalogue;
pub use cost::{CostReport, Prices};
pub use finding::{Evidence, Finding, Severity, Subject};
pub use plan::{PatternPlan, PlanClass};
pub use target::{Call, Reply, Target};
pub use template::Template;
