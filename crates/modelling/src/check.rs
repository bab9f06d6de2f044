//! Judges a catalogue by its plans, its samples and what runs of it observed.
//!
//! A rule is one entry of a table: what it looks at, its thresholds, when it is no fault, what to do, an example; and the function that
//! judges. Each file of rules exports such a table as `RULES`, and [`rules`] is all of them. To write a rule:
//!
//! 1. Thresholds are constants, `const WARN: Threshold = Threshold::new("hot-key.warn", 0.7, "source")`, named `rule-id.what`; the rule lists
//!    them, and reads them through [`Context::threshold`], so that a model can pin its own.
//! 2. The function reads the [`Context`] and says what is wrong with one table, index, kind of item or pattern ([`Judge`], [`Said`]); one that
//!    looks at more than one thing pushes [`Rule::found`]. What a format cannot state is `None` there, and never a fault.
//! 3. Where a rate decides, [`Context::by_rate`] grades it, caps it where the rate is unknown and says which rate would be an error.
//! 4. A rule that explains the findings of others on the same subject names them in [`Rule::covers`]: one root cause, one finding.
//!
//! Severities that the model sets, waivers and what they do to findings are the framework's, in `judge`.

mod context;
mod filters;
mod flows;
mod hygiene;
mod indexes;
mod items;
mod judge;
mod keys;
mod loads;
mod minor;
mod model;
mod money;
mod observed;
mod overview;
mod reads;
mod refused;
mod rule;
mod samples;
mod statistics;
mod touching;
mod transactions;
mod writes;

pub use context::{Context, Step};
pub use judge::{check, check_observed};
pub use observed::{HotKey, Observed};
pub use overview::{Line, overview};
pub use rule::{Example, Group, Judge, Need, Rule, Said, Threshold};
pub use samples::{Kind, Samples};

/// Every rule, by group in the order of [`Group`].
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let tables = [
        reads::RULES,
        filters::RULES,
        flows::RULES,
        writes::RULES,
        keys::heat::RULES,
        keys::structure::RULES,
        keys::order::RULES,
        keys::values::RULES,
        transactions::RULES,
        indexes::RULES,
        items::RULES,
        model::RULES,
        refused::RULES,
        minor::RULES,
        hygiene::RULES,
        judge::RULES,
    ];
    tables.into_iter().flatten()
}

/// The rule of that id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

/// The rule whose id is nearest to a misspelt one.
pub fn nearest(id: &str) -> Option<&'static str> {
    let near = rules().map(|rule| (strsim::jaro_winkler(rule.id, id), rule.id));
    let best = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.7).then_some(best.1)
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
