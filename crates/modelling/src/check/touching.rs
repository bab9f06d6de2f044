//! Which kinds of item each pattern reads or writes.

use super::{Context, Kind};
use crate::catalogue::Pattern;
use crate::plan::collections::{one, reached_by_keys};
use crate::plan::{PatternPlan, PlanClass, SortBound, shape};
use crate::template::Template;

/// For each pattern the places of the kinds, with how many items of each.
pub(super) fn all(context: &Context<'_>) -> Vec<Vec<(usize, f64)>> {
    context.patterns().map(|(pattern, plan)| of_pattern(context, pattern, plan)).collect()
}

fn of_pattern(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan) -> Vec<(usize, f64)> {
    let kinds = || context.samples.kinds().iter().enumerate();
    let named =
        |kind: &Kind<'_>| pattern.entities.iter().find(|(name, _)| kind.declared && *name == kind.name);
    let declared: Vec<(usize, f64)> =
        kinds().filter_map(|(place, kind)| Some((place, named(kind)?.1.max(0.001)))).collect();
    if !declared.is_empty() {
        return declared;
    }
    let requested = by_actions(context, pattern);
    if !requested.is_empty() {
        return requested;
    }
    let Some(table) = context.table_of(plan) else { return Vec::new() };
    if matches!(plan.class, PlanClass::External | PlanClass::Unservable) {
        return Vec::new();
    }
    let keys = context.index_of(plan).map_or(&table.keys, |index| &index.keys);
    let mut clauses = plan.sort.clone();
    clauses.extend(plan.hash.iter().map(|(attribute, text)| equal(attribute, text)));
    let reached = reached_by_keys(context.catalogue, table, keys, &clauses);
    let fitting = kinds().filter(|(_, kind)| match kind.entity {
        Some(entity) => reached.iter().any(|other| other.name == entity.name),
        None => kind.table == plan.table && fits(context, kind, plan),
    });
    fitting.map(|(place, _)| (place, 1.0)).collect()
}

fn equal(attribute: &str, text: &str) -> SortBound {
    SortBound { attribute: attribute.to_owned(), operator: "=", operands: vec![text.to_owned()] }
}

/// The kinds whose items the parts of a request name, one by one; none where a part names no declared entity, as a query does.
fn by_actions(context: &Context<'_>, pattern: &Pattern) -> Vec<(usize, f64)> {
    use crate::plan::request::Verb;
    let mut found: Vec<(usize, f64)> = Vec::new();
    let Some(request) = context.request(pattern) else { return found };
    let single = request
        .actions
        .iter()
        .filter(|action| !matches!(action.verb, Verb::Query | Verb::Scan | Verb::Search));
    for action in single {
        let Some(entity) = one(context.catalogue, pattern, action) else { continue };
        let kinds = context.samples.kinds();
        let Some(place) = kinds.iter().position(|kind| kind.declared && kind.name == entity.name) else {
            continue;
        };
        match found.iter_mut().find(|(other, _)| *other == place) {
            Some((_, count)) => *count += 1.0,
            None => found.push((place, 1.0)),
        }
    }
    found
}

/// Whether the keys that a plan names could be those of a kind that only samples show.
fn fits(context: &Context<'_>, kind: &Kind<'_>, plan: &PatternPlan) -> bool {
    let bounds = plan
        .sort
        .iter()
        .filter_map(|bound| Some((&bound.attribute, bound.operator, bound.operands.first()?)));
    let hash = plan.hash.iter().map(|(attribute, text)| (attribute, "=", text));
    hash.chain(bounds).all(|(attribute, operator, text)| {
        let Some(column) = context.column(kind, attribute) else { return false };
        match (&column.template, Template::parse(text), operator) {
            (Some(key), Ok(wanted), "=") => shape::overlap(key, &wanted),
            (Some(key), Ok(wanted), "begins_with") => shape::may_begin_with(key, &wanted),
            _ => true,
        }
    })
}
