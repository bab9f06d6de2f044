//! Several files as one catalogue: tables by name, then by the name that a template gives them; entities by name; patterns by id.
//!
//! What is stated first counts; what is stated otherwise later is told, as is what only one side has.

use std::collections::BTreeSet;

use super::shape_m::key_text;
use crate::catalogue::{Catalogue, Entity, Index, Kept, Note, Pattern, States, Table, Units};

/// What one file, or a group of files that refer to each other, says.
#[derive(Debug)]
pub struct Part {
    /// What notes call it.
    pub path: String,
    /// What it says.
    pub catalogue: Catalogue,
}

/// Puts together what several files say.
pub fn merge(parts: Vec<Part>) -> Catalogue {
    let mut notes = missing(&parts);
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Catalogue::default() };
    let mut whole = first.catalogue;
    for part in parts {
        let mut merger = Merger { path: part.path, notes: Vec::new() };
        merger.take(&mut whole, part.catalogue);
        notes.append(&mut merger.notes);
    }
    whole.notes.append(&mut notes);
    place_entities(&mut whole);
    whole
}

/// Entities without a table belong to the only one; names that a template gives become the tables' own.
fn place_entities(whole: &mut Catalogue) {
    let only = match whole.tables.as_slice() {
        [table] => Some(table.name.clone()),
        _ => None,
    };
    for entity in &mut whole.entities {
        if entity.table.is_empty() {
            entity.table = only.clone().unwrap_or_default();
        }
        let called = whole.tables.iter().find(|table| table.logical_id.as_ref() == Some(&entity.table));
        if let Some(table) = called.filter(|_| !whole.tables.iter().any(|table| table.name == entity.table)) {
            entity.table.clone_from(&table.name);
        }
    }
}

/// Tables and patterns that only some of the files have that have tables or patterns at all.
fn missing(parts: &[Part]) -> Vec<Note> {
    let ids = |part: &Part| part.catalogue.patterns.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    let mut notes = told(parts, "pattern", &ids, &|part, id| part.catalogue.pattern(id).is_some());
    let names = |part: &Part| part.catalogue.tables.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    notes.extend(told(parts, "table", &names, &|part, name| {
        let called = |table: &Table| table.name == name || table.logical_id.as_deref() == Some(name);
        part.catalogue.tables.iter().any(called)
            || parts
                .iter()
                .flat_map(|part| &part.catalogue.tables)
                .any(|one| one.name == name && part.catalogue.tables.iter().any(|table| same(table, one)))
    }));
    notes
}

fn told(
    parts: &[Part],
    what: &str,
    names: &dyn Fn(&Part) -> Vec<String>,
    has: &dyn Fn(&Part, &str) -> bool,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let stated: Vec<&Part> = parts.iter().filter(|part| !names(part).is_empty()).collect();
    for other in &stated {
        for part in stated.iter().filter(|part| part.path != other.path) {
            let absent: Vec<String> = names(part).into_iter().filter(|name| !has(other, name)).collect();
            if !absent.is_empty() {
                let plural = if absent.len() == 1 { "" } else { "s" };
                let message = format!("{what}{plural} {} of {} are not here", absent.join(", "), part.path);
                let message = if absent.len() == 1 {
                    message.replace(" are not here", " is not here")
                } else {
                    message
                };
                notes.push(Note { place: other.path.clone(), message });
            }
        }
    }
    notes
}

/// Whether two files mean one table.
fn same(a: &Table, b: &Table) -> bool {
    a.name == b.name
        || a.logical_id.as_ref() == Some(&b.name)
        || b.logical_id.as_ref() == Some(&a.name)
        || (a.logical_id.is_some() && a.logical_id == b.logical_id)
}

struct Merger {
    path: String,
    notes: Vec<Note>,
}

impl Merger {
    fn note(&mut self, message: String) {
        self.notes.push(Note { place: self.path.clone(), message });
    }

    fn take(&mut self, whole: &mut Catalogue, part: Catalogue) {
        if whole.name.is_empty() {
            whole.name = part.name;
        }
        whole.states = either(whole, part.states, !part.tables.is_empty(), !part.patterns.is_empty());
        fill(&mut whole.description, part.description);
        fill(&mut whole.tenant, part.tenant);
        for table in part.tables {
            self.table(whole, table);
        }
        for entity in part.entities {
            match whole.entities.iter_mut().find(|have| have.name == entity.name) {
                Some(have) => fill_entity(have, entity),
                None => whole.entities.push(entity),
            }
        }
        for one in part.patterns {
            match whole.patterns.iter_mut().find(|have| have.id == one.id) {
                Some(have) => fill_pattern(have, one),
                None => whole.patterns.push(one),
            }
        }
        whole.flows.extend(part.flows);
        whole.waivers.extend(part.waivers);
        for (rule, severity) in part.severities {
            whole.severities.entry(rule).or_insert(severity);
        }
        for (name, value) in part.thresholds {
            whole.thresholds.entry(name).or_insert(value);
        }
        whole.notes.extend(part.notes);
        for one in part.kept {
            if !whole.kept.iter().any(|have| have.format == one.format && have.path == one.path) {
                whole.kept.push(one);
            }
        }
    }

    fn table(&mut self, whole: &mut Catalogue, table: Table) {
        let by_name = whole.tables.iter().position(|have| have.name == table.name);
        let at = by_name.or_else(|| whole.tables.iter().position(|have| same(have, &table)));
        let Some(at) = at else { return whole.tables.push(table) };
        // Patterns know the table by the name that their file gives it.
        if whole.tables[at].name != table.name {
            rename(whole, at, &table.name);
        }
        self.fill_table(&mut whole.tables[at], table);
    }

    fn fill_table(&mut self, have: &mut Table, more: Table) {
        let name = have.name.clone();
        if have.keys.hash.is_empty() {
            have.keys = more.keys;
        } else if !more.keys.hash.is_empty() && more.keys != have.keys {
            self.note(format!(
                "table {name} has another key here, ({}); the first that was read counts",
                keys(&more)
            ));
        }
        fill(&mut have.logical_id, more.logical_id);
        fill(&mut have.resource, more.resource);
        for (attribute, kind) in more.definitions {
            let known = *have.definitions.entry(attribute.clone()).or_insert(kind);
            if known != kind {
                self.note(format!(
                    "attribute {attribute} of table {name} is {kind:?} here, and {known:?} before"
                ));
            }
        }
        for index in more.indexes {
            if let Some(one) = have.indexes.iter_mut().find(|one| one.name == index.name) {
                self.fill_index(&name, one, index);
            } else {
                self.note(format!("index {} of table {name} is only here", index.name));
                have.indexes.push(index);
            }
        }
        fill(&mut have.billing, more.billing);
        let [read, write] = more.scaling;
        fill(&mut have.scaling[0], read);
        fill(&mut have.scaling[1], write);
        fill_units(&mut have.warm, more.warm);
        fill_units(&mut have.on_demand_max, more.on_demand_max);
        fill(&mut have.kinesis, more.kinesis);
        fill(&mut have.encryption, more.encryption);
        fill(&mut have.insights, more.insights);
        fill(&mut have.policy, more.policy);
        fill(&mut have.usage, more.usage);
        fill(&mut have.infrequent_access, more.infrequent_access);
        fill(&mut have.ttl, more.ttl);
        fill(&mut have.stream, more.stream);
        fill(&mut have.stream_consumers, more.stream_consumers);
        fill(&mut have.recovery, more.recovery);
        fill(&mut have.protection, more.protection);
        fill(&mut have.production, more.production);
        fill_list(&mut have.replicas, more.replicas);
        fill(&mut have.replica_consistency, more.replica_consistency);
        fill(&mut have.item_count, more.item_count);
        fill(&mut have.item_bytes, more.item_bytes);
        let mut seen: BTreeSet<Vec<u8>> = have.samples.iter().map(|item| key_text(item, have)).collect();
        for item in more.samples {
            if seen.insert(key_text(&item, have)) {
                have.samples.push(item);
            }
        }
    }

    fn fill_index(&mut self, table: &str, have: &mut Index, more: Index) {
        if have.keys.hash.is_empty() {
            have.keys = more.keys;
        } else if !more.keys.hash.is_empty() && more.keys != have.keys {
            self.note(format!("index {} of table {table} has another key here; the first counts", have.name));
        }
        fill(&mut have.capacity, more.capacity);
        let [read, write] = more.scaling;
        fill(&mut have.scaling[0], read);
        fill(&mut have.scaling[1], write);
        fill(&mut have.vector, more.vector);
        fill_units(&mut have.warm, more.warm);
        fill_units(&mut have.on_demand_max, more.on_demand_max);
        fill(&mut have.insights, more.insights);
        fill(&mut have.usage, more.usage);
        fill(&mut have.used_for, more.used_for);
        fill(&mut have.entry_bytes, more.entry_bytes);
        fill(&mut have.entry_count, more.entry_count);
    }
}

fn keys(table: &Table) -> String {
    table.keys.attributes().collect::<Vec<_>>().join(", ")
}

/// Gives a table the name that another file has for it.
fn rename(whole: &mut Catalogue, at: usize, name: &str) {
    let old = std::mem::replace(&mut whole.tables[at].name, name.to_owned());
    for entity in whole.entities.iter_mut().filter(|entity| entity.table == old) {
        name.clone_into(&mut entity.table);
    }
    // The table is the second step on the way to what is in one.
    let of_table = |kept: &&mut Kept| kept.path.get(1) == Some(&old) && kept.path.len() > 2;
    for kept in whole.kept.iter_mut().filter(of_table) {
        name.clone_into(&mut kept.path[1]);
    }
}

fn fill<T>(have: &mut Option<T>, more: Option<T>) {
    if have.is_none() {
        *have = more;
    }
}

fn fill_units(have: &mut Units, more: Units) {
    fill(&mut have.read, more.read);
    fill(&mut have.write, more.write);
}

fn fill_list<T>(have: &mut Vec<T>, more: Vec<T>) {
    if have.is_empty() {
        *have = more;
    }
}

fn fill_entity(have: &mut Entity, more: Entity) {
    if have.table.is_empty() {
        have.table = more.table;
    }
    for (attribute, template) in more.keys {
        have.keys.entry(attribute).or_insert(template);
    }
    for attribute in more.attributes {
        match have.attributes.iter_mut().find(|one| one.name == attribute.name) {
            Some(one) => {
                fill(&mut one.kind, attribute.kind);
                fill(&mut one.format, attribute.format);
                fill(&mut one.bytes, attribute.bytes);
                fill(&mut one.share, attribute.share);
                fill_list(&mut one.values, attribute.values);
                one.pii |= attribute.pii;
            }
            None => have.attributes.push(attribute),
        }
    }
    fill(&mut have.count, more.count);
    fill(&mut have.bytes, more.bytes);
    fill(&mut have.p99_bytes, more.p99_bytes);
    fill(&mut have.max_per_collection, more.max_per_collection);
    fill(&mut have.per_collection, more.per_collection);
    fill(&mut have.retention_days, more.retention_days);
    have.reference |= more.reference;
    have.shared |= more.shared;
}

/// Puts a pattern of our own form over what other files say of it.
pub fn pattern(whole: &mut Catalogue, pattern: Pattern) {
    match whole.patterns.iter_mut().find(|have| have.id == pattern.id) {
        Some(have) => {
            let before = std::mem::replace(have, pattern);
            fill_pattern(have, before);
        }
        None => whole.patterns.push(pattern),
    }
}

/// Adds what another file says where the pattern is silent.
fn fill_pattern(have: &mut Pattern, more: Pattern) {
    fill(&mut have.who, more.who);
    fill(&mut have.description, more.description);
    fill(&mut have.external, more.external);
    fill(&mut have.table, more.table);
    fill(&mut have.index, more.index);
    fill(&mut have.operation, more.operation);
    if have.request.is_none() && have.operation == more.operation {
        have.request = more.request;
        for (name, parameter) in more.parameters {
            have.parameters.entry(name).or_insert(parameter);
        }
    }
    fill_list(&mut have.need_equal, more.need_equal);
    fill(&mut have.need_range, more.need_range);
    if have.expect == crate::catalogue::Expect::default() {
        have.expect = more.expect;
    }
    fill(&mut have.budget.rcu, more.budget.rcu);
    fill(&mut have.budget.wcu, more.budget.wcu);
    if have.declared == crate::catalogue::Declared::default() {
        have.declared = more.declared;
    }
    if have.purpose == crate::catalogue::Purpose::default() {
        have.purpose = more.purpose;
    }
    fill_numbers(
        have,
        more.strong,
        [more.peak_rps, more.avg_rps, more.items, more.p99_items, more.item_bytes],
    );
    fill_list(&mut have.item_sizes, more.item_sizes);
    fill(&mut have.previous_item_bytes, more.previous_item_bytes);
    fill(&mut have.attributes_written, more.attributes_written);
    fill_list(&mut have.entities, more.entities);
    fill(&mut have.conditional_fail_rate, more.conditional_fail_rate);
    fill(&mut have.non_existent_rate, more.non_existent_rate);
    fill(&mut have.create_share, more.create_share);
    fill(&mut have.retention_days, more.retention_days);
    fill(&mut have.skew, more.skew);
    fill(&mut have.client_max_items, more.client_max_items);
    fill(&mut have.shards, more.shards);
}

fn fill_numbers(have: &mut Pattern, strong: Option<bool>, more: [Option<f64>; 5]) {
    // A request says whether it reads strongly, by saying nothing too.
    if have.request.is_none() || have.strong.is_none() {
        fill(&mut have.strong, strong);
    }
    let [peak, avg, items, p99, bytes] = more;
    fill(&mut have.peak_rps, peak);
    fill(&mut have.avg_rps, avg);
    fill(&mut have.items, items);
    fill(&mut have.p99_items, p99);
    fill(&mut have.item_bytes, bytes);
}

/// What one of two sides can state; of tables and of patterns only a side that has some.
fn either(whole: &Catalogue, part: States, tables: bool, patterns: bool) -> States {
    let have = whole.states;
    let (had_tables, had_patterns) = (!whole.tables.is_empty(), !whole.patterns.is_empty());
    let of_tables = |a: bool, b: bool| (a && had_tables) || (b && tables);
    let of_patterns = |a: bool, b: bool| (a && had_patterns) || (b && patterns);
    States {
        requests: of_patterns(have.requests, part.requests),
        local_indexes: of_tables(have.local_indexes, part.local_indexes),
        ttl: of_tables(have.ttl, part.ttl),
        settings: of_tables(have.settings, part.settings),
        rates: of_patterns(have.rates, part.rates),
        declarations: have.declarations || part.declarations,
    }
}
