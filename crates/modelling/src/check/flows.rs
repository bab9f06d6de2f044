//! Patterns that one caller runs one after another.

use super::context::{Step, WRITE_PRICE, number, rate, shape_of};
use super::rule::PLAIN;
use super::{Context, Example, Group, Judge, Need, Rule, Threshold};
use crate::catalogue::{Flow, Index, IndexKind, Projection, Table};
use crate::finding::{Finding, Severity, Subject};
use crate::plan::request::{Action, Verb};
use crate::plan::units::{self, Reading};
use crate::plan::{PlanClass, collections, sizes, written};

pub(super) const RULES: &[Rule] = &[READ_FETCH, N_PLUS_ONE, READ_AFTER_WRITE, CHECK_THEN_WRITE, LOST_UPDATE];

const READ: Rule = Rule { group: Group::Reads, needs: &[Need::Declarations], ..PLAIN };
const WRITE: Rule = Rule { group: Group::Writes, needs: &[Need::Declarations, Need::Requests], ..PLAIN };

fn of(flow: &Flow) -> Subject {
    Subject::Flow(flow.name.clone())
}

/// The first part of a step's request.
fn first<'c>(step: &Step<'c>) -> Option<&'c Action> {
    step.request?.actions.first()
}

const FETCH_FACTOR: Threshold = Threshold::new(
    "read-then-fetch.factor",
    1.2,
    "cost of index and gets by cost of a wider projection; chosen",
);

const READ_FETCH: Rule = Rule {
    id: "read-then-fetch",
    thresholds: &[FETCH_FACTOR],
    summary: "A flow reads an index, then gets each item from the table: the index could hold what is wanted.",
    not_a_fault_when: "writes are many and keys alone are cheaper; the rows are updated anyway",
    advice: "Project the wanted attributes into the index",
    teach: Example {
        before: "flows:\n  - {name: open orders, steps: [QueryByStatus, {pattern: GetOrder, times: 20, for_each: true}]}   # ByStatus projects keys",
        after: "ByStatus: {key: {hash: GSI2PK, range: GSI2SK}, projection: [total, customerName]}",
    },
    covers: &["n-plus-one"],
    judge: Judge::Any(read_then_fetch),
    ..READ
};

fn read_then_fetch(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for flow in &context.catalogue.flows {
        let steps = context.steps(flow);
        for pair in steps.windows(2) {
            let [query, get] = pair else { continue };
            let fetches = matches!(get.plan.class, PlanClass::Get | PlanClass::BatchGet)
                && get.plan.table == query.plan.table
                && (get.step.for_each_previous
                    || get.step.times > 1.0
                    || get.plan.class == PlanClass::BatchGet);
            let updates = steps
                .iter()
                .any(|step| matches!(step.plan.class, PlanClass::Write(_)) && step.step.for_each_previous);
            let (Some(table), Some(index)) = (context.table_of(query.plan), context.index_of(query.plan))
            else {
                continue;
            };
            if !fetches || updates || index.projection == Projection::All {
                continue;
            }
            if let Some((now, wide)) = fetch_costs(context, query, get, table, index)
                && now > context.threshold(&FETCH_FACTOR) * wide
            {
                let text = format!(
                    "{} then {}: {} read units, where {} with all attributes would need {}",
                    query.pattern.id,
                    get.pattern.id,
                    number(now),
                    index.name,
                    number(wide)
                );
                findings.push(READ_FETCH.found(Severity::Warn, of(flow), text));
            }
        }
    }
}

/// Read units of one flow now, and with a projection of everything: with its further write units, in the price of read units.
fn fetch_costs(
    context: &Context<'_>,
    query: &Step<'_>,
    get: &Step<'_>,
    table: &Table,
    index: &Index,
) -> Option<(f64, f64)> {
    let items = query.plan.items?;
    let gets = if get.plan.class == PlanClass::BatchGet {
        get.step.times.max(1.0)
    } else if get.step.times > 1.0 {
        get.step.times
    } else {
        items
    };
    let keys = &index.keys;
    let reached = collections::reached(context.catalogue, query.pattern, table, keys, &query.plan.sort);
    let entity = reached.first().copied();
    let whole = get.pattern.item_bytes.or_else(|| context.bytes(entity?)).or(get.plan.item_bytes)?;
    let reading = Reading::of(query.plan.strong, false);
    let now = query.plan.read_units().max(reading.step())
        + gets * get.plan.read_units().max(Reading::Eventual.step());
    let entry = entity
        .and_then(|entity| sizes::entry_bytes(context.catalogue, table, index, entity))
        .unwrap_or(whole);
    let more = units::write(whole) - units::write(entry);
    let writers = context.catalogue.patterns.iter().filter(|pattern| {
        written(context.catalogue, pattern).iter().any(|other| entity.is_some_and(|e| e.name == other.name))
    });
    let writes: f64 = writers.filter_map(rate).sum();
    let reads = rate(query.pattern).unwrap_or(1.0).max(f64::MIN_POSITIVE);
    let wide = reading.units(items * whole) + more * WRITE_PRICE * writes / reads;
    Some((now, wide))
}

const N_GETS: Threshold = Threshold::new("n-plus-one.gets", 3.0, "single gets of one flow; chosen");

const N_PLUS_ONE: Rule = Rule {
    id: "n-plus-one",
    thresholds: &[N_GETS],
    summary: "A flow gets items one after the other that one query or batch would answer: as many round trips as items.",
    not_a_fault_when: "the items are of different tables, each with a cache of its own",
    advice: "Put them into one collection and query it, or ask for up to 100 keys with BatchGetItem: the same units in one trip",
    teach: Example {
        before: "flows:\n  - {name: basket, steps: [GetBasket, {pattern: GetProduct, times: 12, for_each: true}]}",
        after: "flows:\n  - {name: basket, steps: [GetBasket, BatchGetProducts]}",
    },
    judge: Judge::Any(n_plus_one),
    ..READ
};

fn n_plus_one(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for flow in &context.catalogue.flows {
        let steps = context.steps(flow);
        let mut by_table: std::collections::BTreeMap<&str, f64> = std::collections::BTreeMap::new();
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.plan.class == PlanClass::Get) {
            let before = at.checked_sub(1).and_then(|at| steps[at].plan.items).unwrap_or(1.0);
            let each = if step.step.for_each_previous { before } else { 1.0 };
            *by_table.entry(&step.plan.table).or_default() += step.step.times.max(each);
        }
        for (table, gets) in by_table.into_iter().filter(|(_, gets)| *gets >= context.threshold(&N_GETS)) {
            let text = format!("{} single gets on {table} in one flow", number(gets));
            findings.push(N_PLUS_ONE.found(Severity::Warn, of(flow), text));
        }
    }
}

const READ_AFTER_WRITE: Rule = Rule {
    id: "gsi-read-after-write",
    summary: "A flow writes an item and then expects to find it through a global index, which follows later.",
    not_a_fault_when: "a late answer is fine (stale_ok on the flow or the pattern)",
    advice: "Read it from the table by its key, or use what the write returns",
    teach: Example {
        before: "flows:\n  - {name: sign up, steps: [PutUser, QueryByEmail]}",
        after: "flows:\n  - {name: sign up, steps: [PutUser, GetUser]}",
    },
    judge: Judge::Any(read_after_write),
    ..READ
};

fn read_after_write(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for flow in context.catalogue.flows.iter().filter(|flow| !flow.stale_ok) {
        let steps = context.steps(flow);
        let pair = steps.iter().enumerate().find_map(|(at, write)| {
            if !matches!(write.plan.class, PlanClass::Write(_)) {
                return None;
            }
            let read = steps[at + 1..].iter().find(|read| sees_late(context, write, read))?;
            Some((write, read))
        });
        if let Some((write, read)) = pair {
            let index = read.plan.index.as_deref().unwrap_or_default();
            let text = format!(
                "{} writes what {} reads through {index}, which may not have it yet",
                write.pattern.id, read.pattern.id
            );
            findings.push(READ_AFTER_WRITE.found(Severity::Warn, of(flow), text));
        }
    }
}

fn sees_late(context: &Context<'_>, write: &Step<'_>, read: &Step<'_>) -> bool {
    let Some(index) = context.index_of(read.plan).filter(|index| index.kind == IndexKind::Global) else {
        return false;
    };
    let is_read = !matches!(read.plan.class, PlanClass::Write(_));
    if !is_read || read.pattern.declared.stale_ok || read.plan.table != write.plan.table {
        return false;
    }
    let entities = written(context.catalogue, write.pattern);
    entities.is_empty() || entities.iter().any(|entity| sizes::entry_share(index, entity) > 0.0)
}

const CHECK_THEN_WRITE: Rule = Rule {
    id: "check-then-write",
    severity: Severity::Error,
    summary: "A flow looks first and writes then, without a condition: two callers can look at the same time, and both write.",
    not_a_fault_when: "there is only one writer (declares: single_writer)",
    advice: "Put the test into the write as a condition; for uniqueness write a sentinel item such as EMAIL#{hash} in the same transaction",
    teach: Example {
        before: "flows:\n  - {name: sign up, steps: [QueryByEmail, PutUser]}   # PutUser has no condition",
        after: "- id: PutUser\n  operation: TransactWriteItems\n  actions:\n    - {put: {entity: User}, condition: attribute_not_exists(PK)}\n    - {put: {PK: \"EMAIL#{email}\", SK: EMAIL}, condition: attribute_not_exists(PK)}",
    },
    judge: Judge::Any(check_then_write),
    ..WRITE
};

fn check_then_write(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for flow in &context.catalogue.flows {
        let steps = context.steps(flow);
        for (at, read) in steps.iter().enumerate() {
            let writes = steps[at + 1..].iter().filter(|write| !write.pattern.declared.single_writer);
            for write in writes {
                if is_unique_check(context, read, write) {
                    let text = format!(
                        "{} looks whether there is one, {} writes it: nothing keeps two callers from both writing",
                        read.pattern.id, write.pattern.id
                    );
                    findings.push(CHECK_THEN_WRITE.found(Severity::Error, of(flow), text));
                } else if is_same_item(context, read, write, |action| action.condition.is_none()) {
                    let text = format!(
                        "{} writes what {} read, without a condition",
                        write.pattern.id, read.pattern.id
                    );
                    findings.push(CHECK_THEN_WRITE.found(Severity::Warn, of(flow), text));
                }
            }
        }
    }
}

/// Whether a step reads one item that a later one writes, by a part for which `is_meant` holds.
fn is_same_item(
    context: &Context<'_>,
    read: &Step<'_>,
    write: &Step<'_>,
    is_meant: impl Fn(&Action) -> bool,
) -> bool {
    let Some(got) = first(read).filter(|action| action.verb == Verb::Get) else { return false };
    let Some(table) = context.catalogue.table(&got.table) else { return false };
    let key = |action: &Action| {
        let parts = collections::key_of(table, action);
        let mut parts: Vec<_> =
            parts.into_iter().map(|part| (part.attribute, shape_of(&part.text))).collect();
        parts.sort();
        parts
    };
    let writes = write.request.into_iter().flat_map(crate::plan::request::Request::writes);
    writes
        .filter(|action| action.table == got.table && is_meant(action))
        .any(|action| key(action) == key(got))
}

/// Whether a step asks an index for what must be unique, and a later one puts such an item with nothing that forbids a second.
fn is_unique_check(context: &Context<'_>, read: &Step<'_>, write: &Step<'_>) -> bool {
    let (Some(table), Some(index)) = (context.table_of(read.plan), context.index_of(read.plan)) else {
        return false;
    };
    let Some(request) = write.request else { return false };
    let [(hash, text)] = read.plan.hash.as_slice() else { return false };
    let expects_none = read.pattern.expect.max.is_some_and(|most| most <= 1);
    let puts = request.writes().filter(|action| action.verb == Verb::Put && action.table == table.name);
    let guarded =
        request.transaction && request.actions.iter().filter(|action| action.condition.is_some()).count() > 1;
    puts.into_iter().any(|put| {
        let of_index =
            put.item.as_ref().and_then(|item| item.get(hash)?.as_object()?.values().next()?.as_str());
        let entity = collections::one(context.catalogue, write.pattern, put);
        let is_alone = entity
            .and_then(|entity| collections::size(context.catalogue, table, Some(index), entity))
            .is_some_and(|size| size <= 1.0);
        let same = of_index.is_some_and(|of_index| shape_of(of_index) == shape_of(text));
        let in_key = collections::key_of(table, put).iter().any(|part| part.text == *text);
        same && (expects_none || is_alone) && !guarded && !in_key
    })
}

const LOST_UPDATE: Rule = Rule {
    id: "lost-update",
    summary: "A flow reads an item and puts it back whole: what another caller wrote in between is lost.",
    not_a_fault_when: "the last writer may win (declares: last_writer_wins)",
    advice: "Keep a version in the item and put it under the condition that the version is still the one that was read",
    teach: Example {
        before: "flows:\n  - {name: edit, steps: [GetProfile, PutProfile]}",
        after: "- {id: PutProfile, operation: PutItem, item: {entity: User}, condition: \"version = :read\", values: {\":read\": \"{version}\"}}",
    },
    covers: &["check-then-write"],
    judge: Judge::Any(lost_update),
    ..WRITE
};

fn lost_update(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for flow in &context.catalogue.flows {
        let steps = context.steps(flow);
        for (at, read) in steps.iter().enumerate() {
            let later = steps[at + 1..].iter();
            let blind = |write: &&Step<'_>| {
                let declared = &write.pattern.declared;
                !declared.last_writer_wins
                    && !declared.single_writer
                    && is_same_item(context, read, write, |action| {
                        action.verb == Verb::Put && !compares_version(context, action)
                    })
            };
            if let Some(write) = later.into_iter().find(blind) {
                let text = format!(
                    "{} puts back whole what {} read, with no version compared",
                    write.pattern.id, read.pattern.id
                );
                findings.push(LOST_UPDATE.found(Severity::Warn, of(flow), text));
            }
        }
    }
}

/// Whether a condition compares an attribute that is no key, or demands that there is no item.
fn compares_version(context: &Context<'_>, action: &Action) -> bool {
    let Some(table) = context.catalogue.table(&action.table) else { return false };
    let tests = action.condition.iter().flat_map(hashrange_language::Condition::outline);
    tests.filter(|test| test.is_required).any(|test| {
        let is_key = table.keys.attributes().any(|key| key == test.attribute);
        match test.operator {
            "=" | "<" | "<=" => !is_key,
            "attribute_not_exists" => is_key,
            _ => false,
        }
    })
}
