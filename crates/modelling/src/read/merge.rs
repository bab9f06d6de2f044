//! Several files as one catalogue.

use crate::catalogue::{Catalogue, Pattern, States};

/// Puts together what several files say.
pub fn merge(parts: Vec<Catalogue>) -> Catalogue {
    let mut parts = parts.into_iter();
    let mut whole = parts.next().unwrap_or_default();
    for part in parts {
        take(&mut whole, part);
    }
    let only = match whole.tables.as_slice() {
        [table] => Some(table.name.clone()),
        _ => None,
    };
    for entity in whole.entities.iter_mut().filter(|entity| entity.table.is_empty()) {
        entity.table = only.clone().unwrap_or_default();
    }
    whole
}

fn take(whole: &mut Catalogue, part: Catalogue) {
    if whole.name.is_empty() {
        whole.name = part.name;
    }
    whole.tables.extend(part.tables);
    whole.entities.extend(part.entities);
    for one in part.patterns {
        pattern(whole, one);
    }
    whole.notes.extend(part.notes);
    whole.states = either(whole.states, part.states);
}

fn either(a: States, b: States) -> States {
    States {
        requests: a.requests || b.requests,
        local_indexes: a.local_indexes || b.local_indexes,
        ttl: a.ttl || b.ttl,
        settings: a.settings || b.settings,
        rates: a.rates || b.rates,
        declarations: a.declarations || b.declarations,
    }
}

/// Adds a pattern.
pub fn pattern(whole: &mut Catalogue, pattern: Pattern) {
    match whole.patterns.iter_mut().find(|have| have.id == pattern.id) {
        Some(have) => *have = pattern,
        None => whole.patterns.push(pattern),
    }
}
