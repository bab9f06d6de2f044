//! Smaller checks of schemas, samples and entities.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{Attributes, Kind as Type};

use super::context::{number, rate};
use super::items::{deletes, readers, writers};
use super::rule::PLAIN;
use super::samples::key_text;
use super::{Context, Example, Group, Judge, Kind, Need, Rule, Said, Threshold, money};
use crate::catalogue::{Index, Keys, Projection, Table};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::{float, sizes};

pub(super) const RULES: &[Rule] = &[
    ORPHAN,
    MIXED_TYPES,
    CASE_MIXED,
    UNKNOWN_PROJECTION,
    LISTS_KEY,
    LONG_NAMES,
    TTL_REPLICATED,
    PROTECTIONS,
    TABLE_UNUSED,
];

const BASE: Rule = Rule { group: Group::Minor, severity: Severity::Note, ..PLAIN };

const ORPHAN: Rule = Rule {
    id: "orphan-entity",
    severity: Severity::Warn,
    summary: "An entity that no pattern writes, or none reads; or one that is written and never removed.",
    not_a_fault_when: "it is reference data (reference: true), or what it is kept for is declared (retention_days)",
    advice: "Add the pattern that is missing, or remove the entity; say how long items stay",
    teach: Example {
        before: "AuditEntry: {..}        # P4 writes it, nothing reads it",
        after: "- {id: P9, name: Audit of a user, operation: Query, ..}",
    },
    judge: Judge::Kind(orphans),
    ..BASE
};

const MIXED_TYPES: Rule = Rule {
    id: "mixed-types",
    severity: Severity::Warn,
    evidence: &[Evidence::Samples],
    summary: "One attribute has several types in one kind of item: comparisons and indexes skip the others.",
    not_a_fault_when: "the other type is NULL",
    advice: "Write one type",
    teach: Example { before: "{total: 10}, {total: \"10\"}", after: "{total: 10}, {total: 10}" },
    judge: Judge::Any(mixed_types),
    ..BASE
};

const CASE_MIXED: Rule = Rule {
    id: "case-mixed-key",
    severity: Severity::Warn,
    evidence: &[Evidence::Samples],
    summary: "Two keys are equal but for capitals: they are two items.",
    not_a_fault_when: "capitals matter, as in random identifiers",
    advice: "Write keys in one case",
    teach: Example {
        before: "PK: \"EMAIL#Ada@example.com\" and \"EMAIL#ada@example.com\"",
        after: "PK: \"EMAIL#ada@example.com\"",
    },
    judge: Judge::Table(case_mixed),
    ..BASE
};

const UNKNOWN_PROJECTION: Rule = Rule {
    id: "projection-attribute-unknown",
    severity: Severity::Warn,
    summary: "An index projects an attribute that neither an entity nor a sample has: most often it is misspelt.",
    not_a_fault_when: "",
    advice: "Write the name that items have",
    teach: Example { before: "projection: [custmerName]", after: "projection: [customerName]" },
    judge: Judge::Any(unknown_projection),
    ..BASE
};

const LISTS_KEY: Rule = Rule {
    id: "include-lists-key",
    summary: "The list of an index names a key, which is projected anyway; it counts towards the limit of 100.",
    not_a_fault_when: "",
    advice: "Leave keys out of the list",
    teach: Example { before: "projection: [PK, total]", after: "projection: [total]" },
    judge: Judge::Index(lists_key),
    ..BASE
};

const NAMES_SHARE: Threshold =
    Threshold::new("long-names.share", 0.15, "share of an item's bytes in names; chosen");
const NAMES_DOLLARS: Threshold =
    Threshold::new("long-names.dollars", 5.0, "USD per month that names of three letters save; chosen");

const LONG_NAMES: Rule = Rule {
    id: "long-names",
    thresholds: &[NAMES_SHARE, NAMES_DOLLARS],
    summary: "Names of attributes are stored and billed with every item; shorter ones would cross a step of 1 KB or 4 KB.",
    not_a_fault_when: "no step is crossed: then names are all but free",
    advice: "Shorten the names that all items have",
    teach: Example { before: "customerShippingAddressLine1: ..", after: "addr1: .." },
    judge: Judge::Kind(long_names),
    ..BASE
};

const TTL_REPLICATED: Rule = Rule {
    id: "ttl-replicated-cost",
    summary: "Expiry is free where it happens; in each other replica of a global table its deletes are billed as writes.",
    not_a_fault_when: "",
    advice: "Count one write for each expired item and replica",
    teach: Example {
        before: "ttl: expiresAt, replicas: [eu-west-1]",
        after: "ttl: expiresAt      # one region",
    },
    needs: &[Need::Ttl],
    judge: Judge::Table(ttl_replicated),
    ..BASE
};

const PROTECTIONS: Rule = Rule {
    id: "protections",
    summary: "A production table can be deleted by one call, or not be brought back to a moment before a mistake.",
    not_a_fault_when: "the table is not for production",
    advice: "Turn on deletion protection and point-in-time recovery",
    teach: Example {
        before: "production: true",
        after: "production: true, protection: true, recovery: true",
    },
    needs: &[Need::Settings],
    judge: Judge::Table(protections),
    ..BASE
};

const TABLE_UNUSED: Rule = Rule {
    id: "table-unused",
    summary: "No pattern reads or writes the table.",
    not_a_fault_when: "",
    advice: "Write its patterns down, or remove it",
    teach: Example { before: "tables: {Shop: .., OldShop: ..}", after: "tables: {Shop: ..}" },
    judge: Judge::Table(table_unused),
    ..BASE
};

fn of_index(table: &Table, index: &Index) -> Subject {
    Subject::Index(table.name.clone(), index.name.clone())
}

fn orphans<'a>(context: &Context<'a>, kind: &Kind<'a>) -> Option<Said> {
    let entity = kind.entity.filter(|entity| !entity.reference && !context.catalogue.patterns.is_empty())?;
    let read = readers(context, kind).next().is_some();
    let written: Vec<_> = writers(context, kind).map(|(pattern, _)| pattern).collect();
    let expires = entity.retention_days.is_some()
        || entity.max_per_collection.is_some()
        || kind.schema.ttl.as_ref().is_some_and(|ttl| entity.attributes.iter().any(|a| a.name == *ttl));
    let kept = !expires && !written.iter().any(|pattern| deletes(context, pattern));
    let (severity, text) = match (read, written.is_empty()) {
        (false, true) => (Severity::Warn, "no pattern writes or reads it"),
        (true, true) => (Severity::Note, "no pattern writes it"),
        (false, false) => (Severity::Warn, "patterns write it and none reads it"),
        (true, false) if kept && grows(kind) => (
            Severity::Note,
            "it is written again and again, and nothing removes it or says how long it stays",
        ),
        (true, false) => return None,
    };
    Some(Said::new(severity, format!("{}: {text}", entity.name)))
}

/// Whether items of a kind pile up: their keys rise with time.
fn grows(kind: &Kind<'_>) -> bool {
    let range = kind.schema.keys.range.first();
    let template = range.and_then(|range| super::statistics::declared_template(kind.entity, range));
    let Some((template, entity)) = template.zip(kind.entity) else { return false };
    let first = template.gaps().next();
    entity.attributes.iter().filter(|a| Some(a.name.as_str()) == first).any(|attribute| {
        matches!(
            super::statistics::format_of(attribute).0,
            "iso-time" | "iso-date" | "epoch" | "epoch-ms" | "ulid" | "ksuid"
        )
    })
}

fn mixed_types(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds() {
        let mut types: BTreeMap<&str, BTreeMap<Type, usize>> = BTreeMap::new();
        for (name, value) in kind.items.iter().flat_map(|item| item.iter()) {
            *types.entry(name).or_default().entry(value.kind()).or_default() += 1;
        }
        for (name, counts) in types {
            let counts: Vec<String> = counts
                .iter()
                .filter(|(kind, _)| **kind != Type::Null)
                .map(|(kind, count)| format!("{kind} in {count}"))
                .collect();
            // Keys of other types are refused, and said to be so elsewhere.
            if counts.len() > 1 && !kind.schema.definitions.contains_key(name) {
                let message = format!("{name} of {} is {}", kind.name, counts.join(" and "));
                findings.push(MIXED_TYPES.found(Severity::Warn, kind.subject(), message));
            }
        }
    }
}

fn case_mixed(_: &Context<'_>, table: &Table) -> Option<Said> {
    let keys = table.indexes.iter().map(|index| &index.keys).chain([&table.keys]);
    let names: BTreeSet<&str> = keys.flat_map(Keys::attributes).collect();
    let (name, (one, other)) = names.into_iter().find_map(|name| Some((name, case_pair(table, name)?)))?;
    Some(Said::warn(format!("{name} has \"{one}\" and \"{other}\"")))
}

/// Two values of an attribute that differ in capitals alone.
fn case_pair(table: &Table, name: &str) -> Option<(String, String)> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for text in table.samples.iter().filter_map(|item| item.get(name)).map(key_text) {
        match seen.get(&text.to_lowercase()) {
            Some(other) if *other != text => return Some((other.clone(), text)),
            Some(_) => {}
            None => drop(seen.insert(text.to_lowercase(), text)),
        }
    }
    None
}

/// The names of all attributes of a table's entities and samples; `None` where nothing tells them all.
fn known(context: &Context<'_>, table: &Table) -> Option<BTreeSet<String>> {
    let mut names: BTreeSet<String> =
        table.samples.iter().flat_map(Attributes::names).map(str::to_owned).collect();
    for entity in context.catalogue.entities_of(&table.name) {
        if entity.attributes.is_empty()
            && context.samples.of_entity(&entity.name).is_none_or(|kind| kind.items.is_empty())
        {
            return None;
        }
        names.extend(sizes::attribute_names(entity).into_iter().map(str::to_owned));
    }
    (!names.is_empty()).then_some(names)
}

fn unknown_projection(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let Some(known) = known(context, table) else { continue };
        for index in &table.indexes {
            let Projection::Include(names) = &index.projection else { continue };
            let keys: Vec<&str> = table.keys.attributes().chain(index.keys.attributes()).collect();
            for name in names.iter().filter(|name| !known.contains(*name) && !keys.contains(&name.as_str())) {
                let near = known
                    .iter()
                    .map(|other| (strsim::jaro_winkler(other, name), other))
                    .max_by(|a, b| a.0.total_cmp(&b.0));
                let near = near
                    .filter(|(near, _)| *near > 0.8)
                    .map_or_else(String::new, |(_, other)| format!("; the nearest is {other}"));
                let message = format!("it projects {name}, which no item has{near}");
                findings.push(UNKNOWN_PROJECTION.found(Severity::Warn, of_index(table, index), message));
            }
        }
    }
}

fn lists_key(_: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let Projection::Include(names) = &index.projection else { return None };
    let keys: BTreeSet<&str> = table.keys.attributes().chain(index.keys.attributes()).collect();
    let listed: Vec<&str> = names.iter().map(String::as_str).filter(|name| keys.contains(name)).collect();
    (!listed.is_empty())
        .then(|| Said::note(format!("its list names {}, which it has anyway", listed.join(", "))))
}

/// Letters of the shortened names that a saving is computed with.
const SHORT: usize = 3;

fn long_names<'a>(context: &Context<'a>, kind: &Kind<'a>) -> Option<Said> {
    let (bytes, names, short) = name_bytes(context, kind)?;
    if names / bytes <= context.threshold(&NAMES_SHARE) {
        return None;
    }
    let saved = saved(context, kind, bytes, bytes - names + short);
    (saved > context.threshold(&NAMES_DOLLARS)).then(|| {
        Said::note(format!(
            "names are {} of {} bytes of {}; names of {SHORT} letters save {} USD per month",
            number(names),
            number(bytes),
            kind.name,
            number(saved)
        ))
    })
}

/// Bytes of an item, of its names, and of short names in their place.
fn name_bytes(context: &Context<'_>, kind: &Kind<'_>) -> Option<(f64, f64, f64)> {
    let entity = kind.entity?;
    let names = sizes::attribute_names(entity);
    let keys: Vec<&str> = kind.schema.keys.attributes().collect();
    let long = |name: &&str| name.len() > SHORT && !keys.contains(name);
    let bytes = names.iter().filter(|name| long(name)).map(|name| float(name.len())).sum();
    let short = float(SHORT * names.iter().filter(|name| long(name)).count());
    Some((context.bytes(entity)?, bytes, short))
}

/// Dollars a month that smaller items of a kind save: steps of writes and reads of single items, and storage.
fn saved(context: &Context<'_>, kind: &Kind<'_>, before: f64, after: f64) -> f64 {
    let steps = |step: f64| (before / step).ceil() - (after / step).ceil();
    let per_second = |patterns: &mut dyn Iterator<Item = f64>| patterns.sum::<f64>();
    let written = per_second(&mut writers(context, kind).filter_map(|(pattern, _)| rate(pattern)));
    let read = per_second(&mut readers(context, kind).filter_map(|(pattern, _)| rate(pattern)));
    let count = kind.entity.and_then(|entity| sizes::entity_count(context.catalogue, entity)).unwrap_or(0.0);
    money::writes(written * steps(1024.0))
        + money::reads(read * steps(4096.0) * 0.5)
        + money::storage(count * (before - after))
}

fn ttl_replicated(_: &Context<'_>, table: &Table) -> Option<Said> {
    let ttl = table.ttl.as_ref().filter(|_| !table.replicas.is_empty())?;
    let regions = table.replicas.join(", ");
    Some(Said::note(format!("items expire by {ttl}, and each costs a write in {regions}")))
}

fn protections(_: &Context<'_>, table: &Table) -> Option<Said> {
    let settings = [(table.protection, "deletion protection"), (table.recovery, "point-in-time recovery")];
    let lacking = settings.into_iter().filter(|(setting, _)| *setting != Some(true));
    let lacking: Vec<&str> = lacking.map(|(_, name)| name).collect();
    (table.production == Some(true) && !lacking.is_empty())
        .then(|| Said::note(format!("it is for production and has no {}", lacking.join(" and no "))))
}

fn table_unused(context: &Context<'_>, table: &Table) -> Option<Said> {
    let used = context.patterns().any(|(pattern, plan)| {
        plan.table == table.name
            || plan.arms.iter().any(|arm| arm.table == table.name)
            || pattern.table.as_ref() == Some(&table.name)
            || context
                .request(pattern)
                .is_some_and(|request| request.actions.iter().any(|action| action.table == table.name))
    });
    (!used && !context.catalogue.patterns.is_empty()).then(|| Said::note("no pattern reads or writes it"))
}

#[cfg(test)]
mod tests;
