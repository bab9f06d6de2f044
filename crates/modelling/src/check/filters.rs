//! What is tested after reading, and pages that mix kinds of items.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{is_request, number, of, rate, says};
use super::rule::PLAIN;
use super::{Context, Example, Group, Judge, Need, Observed, Rule, Threshold};
use crate::catalogue::{Entity, Pattern};
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::request::{Action, Request, Verb};
use crate::plan::{PatternPlan, PlanClass, SortBound, collections, shape};
use crate::template::Template;

pub(super) const RULES: &[Rule] = &[DISCARDS, COULD_BE_KEY, LIMIT, MIXED, SEARCH];

const READ: Rule = Rule { group: Group::Reads, ..PLAIN };

const DISCARDS_WARN: Threshold = Threshold::new(
    "filter-discards-reads.warn",
    0.5,
    "share of the items examined that a filter drops; chosen",
);
const DISCARDS_ERROR: Threshold = Threshold::new(
    "filter-discards-reads.error",
    0.9,
    "share of the items examined that a filter drops; chosen",
);
const DISCARDS_EXAMINED: Threshold =
    Threshold::new("filter-discards-reads.examined", 10.0, "items examined in one run; chosen");

const DISCARDS: Rule = Rule {
    id: "filter-discards-reads",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Run, Evidence::Traffic],
    thresholds: &[DISCARDS_WARN, DISCARDS_ERROR, DISCARDS_EXAMINED],
    summary: "A filter drops most of what was read: items are paid for when they are examined, not when they are returned.",
    not_a_fault_when: "all examined bytes fit one step; it runs less than once a minute; the filter hides only expired or deleted rows",
    advice: "Move the test into the sort key or an index; a sparse index holds only what is wanted",
    teach: Example {
        before: "- {id: P1, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"total > :min\", items: 500, expect: {max: 20}}",
        after: "- {id: P1, operation: Query, index: Large, key: {PK: \"USER#{userId}\", total: {\">\": \"{min}\"}}}",
    },
    judge: Judge::Any(discards),
    ..READ
};

fn discards(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns() {
        if plan.filter.is_empty() || rate(pattern).is_some_and(|rate| rate < 1.0 / 60.0) {
            continue;
        }
        let Some(seen) = seen(context, pattern, plan) else { continue };
        let dropped = (seen.examined - seen.returned) / seen.examined;
        let step = if plan.strong { 1.0 } else { 0.5 };
        let wasted = seen.units * dropped;
        if seen.examined < context.threshold(&DISCARDS_EXAMINED)
            || dropped <= context.threshold(&DISCARDS_WARN)
            || wasted < step
            || seen.units <= step
        {
            continue;
        }
        let error = dropped > context.threshold(&DISCARDS_ERROR);
        let severity = if error { Severity::Error } else { Severity::Warn };
        let text = format!(
            "the filter on {} drops {} % of {} items examined, {} of {} read units",
            plan.filter.join(", "),
            number(dropped * 100.0),
            number(seen.examined),
            number(wasted),
            number(seen.units)
        );
        findings.push(DISCARDS.found(severity, of(pattern), text).rests_on(seen.evidence));
    }
}

/// What one run examines and returns.
struct Seen {
    examined: f64,
    returned: f64,
    units: f64,
    evidence: Evidence,
}

/// As observed; else as declared by the items examined and the most that are expected.
fn seen(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan) -> Option<Seen> {
    let of_run = |seen: &Observed| Seen {
        examined: seen.examined,
        returned: seen.returned,
        units: seen.read_units(),
        evidence: seen.evidence,
    };
    if let Some(observed) = context.observed(&pattern.id) {
        return Some(of_run(observed));
    }
    let returned = u32::try_from(pattern.expect.max?).ok().map(f64::from)?;
    let examined = pattern.items?;
    let units = plan.read_units();
    (units > 0.0).then_some(Seen { examined, returned, units, evidence: Evidence::Declared })
}

const COULD_BE_KEY: Rule = Rule {
    id: "filter-could-be-key",
    summary: "The filter tests what a key could: an index has the attribute as its next key, or the sort key begins with it.",
    advice: "Use that key",
    teach: Example {
        before: "- {id: P2, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"placedAt > :since\"}   # SK: ORDER#{placedAt}#{orderId}",
        after: "- {id: P2, operation: Query, key: {PK: \"USER#{userId}\", SK: {between: [\"ORDER#{since}\", \"ORDER#~\"]}}}",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(could_be_keys),
    ..READ
};

fn could_be_keys(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let Some(action) = request.actions.first().filter(|action| action.verb == Verb::Query) else {
            continue;
        };
        if let Some((attribute, place)) = better_key(context, pattern, plan, action) {
            let text = format!("the filter on {attribute} could be a key condition: {place}");
            findings.push(
                COULD_BE_KEY.found(Severity::Warn, of(pattern), text).advise(format!("read by {place}")),
            );
        }
    }
    let of_needs = context.patterns().filter(|(pattern, _)| pattern.operation.is_none());
    for (pattern, plan) in of_needs.filter(|(_, plan)| !plan.filter.is_empty()) {
        let text = format!("{} must be tested after reading", plan.filter.join(", "));
        let finding = COULD_BE_KEY.found(Severity::Warn, of(pattern), text);
        findings.push(match &plan.remedy {
            Some(remedy) => finding.advise(remedy.clone()),
            None => finding,
        });
    }
}

/// The attribute that a filter tests and the key that could test it instead.
fn better_key(
    context: &Context<'_>,
    pattern: &Pattern,
    plan: &PatternPlan,
    action: &Action,
) -> Option<(String, String)> {
    let tests = action.filter.as_ref()?.outline();
    let ranged = ["<", "<=", ">", ">=", "between", "begins_with"];
    let gaps = |text: &String| Template::parse(text).map(|t| t.gaps().map(str::to_owned).collect::<Vec<_>>());
    let mut known: Vec<String> = plan.hash.iter().map(|(name, _)| name.clone()).collect();
    known.extend(plan.hash.iter().filter_map(|(_, text)| gaps(text).ok()).flatten());
    for test in tests.iter().filter(|test| test.is_required) {
        let is_range = ranged.contains(&test.operator);
        if !is_range && test.operator != "=" {
            continue;
        }
        let mut need = Pattern {
            need_equal: known.clone(),
            table: Some(plan.table.clone()),
            entities: pattern.entities.clone(),
            ..Pattern::default()
        };
        if is_range {
            need.need_range = Some(test.attribute.to_owned());
        } else {
            need.need_equal.push(test.attribute.to_owned());
        }
        let best = crate::plan::plan(context.catalogue, &need);
        // Names of gaps and of attributes both stand for what is known: what is left over of them is no filter.
        let served = !best.filter.iter().any(|name| *name == test.attribute);
        if best.class != PlanClass::Unservable && served && best.index != plan.index
            || best.class == PlanClass::Range && served && plan.sort.iter().all(is_prefix)
        {
            let place = match &best.index {
                Some(index) => format!("index {index}"),
                None => format!("the sort key of {}", plan.table),
            };
            return Some((test.attribute.to_owned(), place));
        }
    }
    None
}

fn is_prefix(bound: &SortBound) -> bool {
    bound.operator == "begins_with"
}

const LIMIT: Rule = Rule {
    id: "limit-with-filter",
    summary: "Limit counts the items examined, before the filter: pages come short, or empty while there is more.",
    not_a_fault_when: "the caller asks for further pages until it has enough (declares: loops)",
    advice: "Make the filter a key condition, or ask on until LastEvaluatedKey is gone",
    teach: Example {
        before: "- {id: P3, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"open = :yes\", limit: 20}",
        after: "- {id: P3, operation: Query, index: OpenOrders, key: {openOf: \"{userId}\"}, limit: 20}",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(limits),
    ..READ
};

fn limits(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        let both = request.actions.iter().find(|action| action.limit.is_some() && action.filter.is_some());
        if let Some(action) = both.filter(|_| !pattern.declared.loops && is_request(pattern)) {
            let limit = number(action.limit.unwrap_or_default());
            let text =
                format!("Limit {limit} counts items before the filter: a page may have fewer, or none");
            findings.push(LIMIT.found(Severity::Warn, of(pattern), text));
        }
    }
}

const MIXED: Rule = Rule {
    id: "mixed-collection-page",
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "A page of a collection holds another kind of item than is asked for: the profile among the orders. And the other way round: \
              begins_with on the prefix of the children does not return the parent.",
    not_a_fault_when: "all kinds of items are wanted (declares: all_types)",
    advice: "Add begins_with on the prefix of the kind; read the parent by its own key, or give it a sort key inside the range",
    teach: Example {
        before: "- {id: P4, name: Last orders, operation: Query, key: {PK: \"USER#{userId}\"}, order: desc, limit: 10}",
        after: "- {id: P4, name: Last orders, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}, order: desc, limit: 10}",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(mixed),
    ..READ
};

fn mixed(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let Some(action) = request.actions.first().filter(|action| action.verb == Verb::Query) else {
            continue;
        };
        let Some(table) = context.table_of(plan) else { continue };
        let keys = context.index_of(plan).map_or(&table.keys, |index| &index.keys);
        let reached = collections::reached_by_keys(context.catalogue, table, keys, &action.clauses);
        let named: Vec<&str> = pattern.entities.iter().map(|(name, _)| name.as_str()).collect();
        let is_here = |name: &&&str| context.catalogue.entity(name).is_some_and(|e| e.table == table.name);
        let missed =
            named.iter().filter(is_here).find(|name| reached.iter().all(|entity| entity.name != **name));
        if let Some(missed) = missed.filter(|_| !reached.is_empty()) {
            let bounds: Vec<String> = plan.sort.iter().map(bound_text).collect();
            let text = format!("{missed} is wanted, but its key does not meet {}", bounds.join(" and "));
            findings.push(MIXED.found(Severity::Warn, of(pattern), text));
            continue;
        }
        let first_page = action.limit.is_some() || action.forward == Some(false);
        let wanted = |name: &str| named.len() > 1 && named.contains(&name);
        if !plan.sort.is_empty() || !first_page || pattern.declared.all_types {
            continue;
        }
        let kinds = match reached.len() {
            0 => sampled_kinds(context, plan),
            _ => in_order(&reached, keys.range.first(), action.forward != Some(false)),
        };
        if kinds.len() > 1 && !kinds.iter().all(|kind| wanted(kind)) {
            let text = format!(
                "one collection holds {}, and a page takes them in this order",
                kinds.join(", then ")
            );
            findings.push(MIXED.found(Severity::Warn, of(pattern), text));
        }
    }
}

fn bound_text(bound: &SortBound) -> String {
    format!("{} {} {}", bound.attribute, bound.operator, bound.operands.join(" and "))
}

/// The entities of a collection in the order in which a page takes them.
fn in_order(reached: &[&Entity], range: Option<&String>, forward: bool) -> Vec<String> {
    let prefix = |entity: &Entity| {
        let template = range.and_then(|key| entity.keys.get(key));
        template.map(|template| template.prefix().to_owned()).unwrap_or_default()
    };
    let mut sorted: Vec<&&Entity> = reached.iter().collect();
    sorted.sort_by_key(|entity| prefix(entity));
    if !forward {
        sorted.reverse();
    }
    sorted.into_iter().map(|entity| entity.name.clone()).collect()
}

/// The kinds of samples that share a collection, where no entity is declared.
fn sampled_kinds(context: &Context<'_>, plan: &PatternPlan) -> Vec<String> {
    let [(hash, text)] = plan.hash.as_slice() else { return Vec::new() };
    let Ok(template) = Template::parse(text) else { return Vec::new() };
    let mut by_value: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for kind in context.samples.of_table(&plan.table) {
        for value in kind.values(hash).into_iter().filter_map(shape::text) {
            if shape::matches(&template, &value) {
                by_value.entry(value.into_owned()).or_default().insert(kind.name.clone());
            }
        }
    }
    let most = by_value.into_values().max_by_key(BTreeSet::len).unwrap_or_default();
    most.into_iter().collect()
}

const SEARCH_SMALL: Threshold =
    Threshold::new("search-in-key-store.small", 16_384.0, "bytes of the collection that is searched; chosen");

const SEARCH: Rule = Rule {
    id: "search-in-key-store",
    thresholds: &[SEARCH_SMALL],
    summary: "A search inside texts has no key: every candidate is read and tested.",
    not_a_fault_when: "the collection that is searched is short",
    advice: "Feed a search service from the stream; for beginnings of words keep a copy in lower case as sort key",
    teach: Example {
        before: "- {id: P5, operation: Query, key: {PK: PRODUCTS}, filter: \"contains(title, :word)\"}",
        after: "- {id: P5, external: a search service fed by the stream}",
    },
    judge: Judge::Any(searches),
    ..READ
};

fn searches(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (at, (pattern, plan)) in context.patterns().enumerate() {
        let outside = matches!(plan.class, PlanClass::External | PlanClass::Vector | PlanClass::Write(_));
        let bytes = plan.items.zip(plan.item_bytes).map(|(items, bytes)| items * bytes);
        let short = bytes.is_some_and(|bytes| bytes <= context.threshold(&SEARCH_SMALL));
        if outside || short || !is_request(pattern) {
            continue;
        }
        let tested = context.requests[at].as_ref().and_then(contained);
        if let Some(attribute) = tested {
            let text = format!("looks for a part of {attribute} in everything that it reads");
            findings.push(SEARCH.found(Severity::Warn, of(pattern), text));
        } else if says(
            pattern,
            &["full-text", "full text", "fuzzy", "regex", "wildcard", "radius", "nearby", "case-insensitive"],
        ) {
            // A word alone is no proof.
            let text = "its name speaks of a search that no key serves".to_owned();
            findings.push(SEARCH.found(Severity::Note, of(pattern), text));
        }
    }
}

fn contained(request: &Request) -> Option<String> {
    let filters = request.actions.iter().filter_map(|action| action.filter.as_ref());
    let mut tests = filters.flat_map(hashrange_language::Condition::outline);
    tests.find(|test| test.operator == "contains").map(|test| test.attribute.to_owned())
}
