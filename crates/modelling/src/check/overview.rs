//! What each pattern does, in five columns: how it reads, who sorts, what a filter loses, how fresh the answer is, and where units fall.

use super::context::number;
use crate::catalogue::{Catalogue, Pattern};
use crate::plan::{self, PatternPlan, PlanClass};

/// One pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its id.
    pub pattern: String,
    /// Its name.
    pub name: String,
    /// The plan class, with the table or index: `range Shop`, `index-range Shop.ByStatus`.
    pub plan: String,
    /// What sorts the answer: the key attribute and its direction, `none`, or `-` where there is no order.
    pub order: String,
    /// The share of what is examined that a filter drops, as far as it is declared.
    pub filter_loss: String,
    /// `eventual`, `strong`, `transaction`; `-` for a plain write.
    pub consistency: String,
    /// Units of one run by table and index.
    pub arms: String,
}

/// Every pattern, in the order of the catalogue.
pub fn overview(catalogue: &Catalogue) -> Vec<Line> {
    let plans = plan::plans(catalogue);
    catalogue.patterns.iter().zip(&plans).map(|(pattern, plan)| line(catalogue, pattern, plan)).collect()
}

fn line(catalogue: &Catalogue, pattern: &Pattern, plan: &PatternPlan) -> Line {
    let place = match &plan.index {
        Some(index) => format!(" {}.{index}", plan.table),
        None if plan.table.is_empty() => String::new(),
        None => format!(" {}", plan.table),
    };
    Line {
        pattern: pattern.id.clone(),
        name: pattern.name.clone(),
        plan: format!("{}{place}", plan.class),
        order: order(catalogue, pattern, plan),
        filter_loss: filter_loss(pattern, plan),
        consistency: consistency(plan).to_owned(),
        arms: plan::not_built(pattern).map_or_else(|| arms(plan), |reason| format!("not run: {reason}")),
    }
}

fn order(catalogue: &Catalogue, pattern: &Pattern, plan: &PatternPlan) -> String {
    let sorted = match plan.class {
        PlanClass::Range | PlanClass::Collection | PlanClass::IndexRange | PlanClass::IndexCollection => {
            sort_key(catalogue, plan)
        }
        PlanClass::Scatter(_) => return "merged by the caller".to_owned(),
        PlanClass::Vector => return "by nearness".to_owned(),
        PlanClass::Scan | PlanClass::IndexScan | PlanClass::BatchGet => None,
        _ => return "-".to_owned(),
    };
    let wanted = pattern.expect.order.as_ref().filter(|(wanted, _)| !serves(catalogue, plan, wanted));
    if let Some((wanted, _)) = wanted {
        return format!("the caller sorts by {wanted}");
    }
    let direction = if plan.forward == Some(false) { "descending" } else { "ascending" };
    sorted.map_or_else(|| "none".to_owned(), |key| format!("{key} {direction}"))
}

fn sort_key(catalogue: &Catalogue, plan: &PatternPlan) -> Option<String> {
    let table = catalogue.table(&plan.table)?;
    let keys = match plan.index.as_deref() {
        Some(index) => &table.index(index)?.keys,
        None => &table.keys,
    };
    (!keys.range.is_empty()).then(|| keys.range.join(", "))
}

/// Whether the key that a plan reads by is, or begins with, an attribute.
fn serves(catalogue: &Catalogue, plan: &PatternPlan, wanted: &str) -> bool {
    let Some(key) = sort_key(catalogue, plan) else { return false };
    let made_of = |entity: &crate::catalogue::Entity| {
        entity.keys.get(&key).is_some_and(|template| template.gaps().next() == Some(wanted))
    };
    key == wanted || catalogue.entities_of(&plan.table).any(made_of)
}

fn filter_loss(pattern: &Pattern, plan: &PatternPlan) -> String {
    if plan.filter.is_empty() {
        return "-".to_owned();
    }
    let returned = pattern.expect.max.and_then(|most| u32::try_from(most).ok()).map(f64::from);
    match pattern.items.zip(returned) {
        Some((examined, returned)) if examined > 0.0 => {
            format!("{} %", number(((examined - returned) / examined * 100.0).max(0.0)))
        }
        _ => format!("unknown ({})", plan.filter.join(", ")),
    }
}

fn consistency(plan: &PatternPlan) -> &'static str {
    match plan.class {
        PlanClass::External | PlanClass::Unservable => "-",
        _ if plan.transaction => "transaction",
        PlanClass::Write(_) => "-",
        _ if plan.strong => "strong",
        _ => "eventual",
    }
}

fn arms(plan: &PatternPlan) -> String {
    let arm = |arm: &plan::Arm| {
        let parts = [(arm.read, "R"), (arm.write, "W")];
        let units: Vec<String> = parts
            .into_iter()
            .filter(|(units, _)| *units > 0.0)
            .map(|(units, name)| format!("{} {name}", number(units)))
            .collect();
        format!("{} {}", arm.name(), units.join(" + "))
    };
    match plan.arms.as_slice() {
        [] if matches!(plan.class, PlanClass::External | PlanClass::Unservable) => "-".to_owned(),
        [] => "unknown: state bytes".to_owned(),
        arms => arms.iter().map(arm).collect::<Vec<_>>().join(", "),
    }
}
