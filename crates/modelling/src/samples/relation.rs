//! Which entities belong to which: a gap of a key that names another entity's attribute takes that entity's values.

use std::collections::BTreeMap;

use crate::catalogue::{Attribute, Catalogue, Entity, Table};
use crate::template::Template;

/// An entity with what it takes from others.
#[derive(Debug)]
pub(super) struct Related<'c> {
    pub(super) entity: &'c Entity,
    pub(super) table: &'c Table,
    /// Names of gaps and attributes, each with the entity and the attribute of it that they take their value from. Entities
    /// that depend on others come first, so that the closest parent is chosen before its own parents.
    pub(super) foreign: Vec<Foreign>,
    /// The names of all gaps of its keys.
    pub(super) gaps: Vec<&'c str>,
}

/// A value that comes from another entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    /// The gap or attribute.
    pub(super) name: String,
    /// Whose value it is.
    pub(super) entity: String,
    /// Which value of it.
    pub(super) attribute: String,
}

/// The entities that have a table, each after all that it takes values from, as far as that is possible.
pub(super) fn related(catalogue: &Catalogue) -> Vec<Related<'_>> {
    let mut waiting: Vec<Related<'_>> = catalogue
        .entities
        .iter()
        .filter_map(|entity| {
            let table = catalogue.table(&entity.table)?;
            let gaps = gaps(entity);
            Some(Related { entity, table, foreign: foreign(catalogue, entity, &gaps), gaps })
        })
        .collect();
    let mut ordered: Vec<Related<'_>> = Vec::with_capacity(waiting.len());
    let mut depths: BTreeMap<String, usize> = BTreeMap::new();
    while !waiting.is_empty() {
        let is_ready =
            |one: &Related<'_>| one.foreign.iter().all(|foreign| depths.contains_key(&foreign.entity));
        // Where entities name each other in a ring, the first of the file goes without.
        let at = waiting.iter().position(is_ready).unwrap_or(0);
        let mut next = waiting.remove(at);
        next.foreign.retain(|foreign| depths.contains_key(&foreign.entity));
        let depth = |foreign: &Foreign| depths.get(&foreign.entity).copied().unwrap_or(0);
        next.foreign.sort_by_key(|foreign| std::cmp::Reverse(depth(foreign)));
        let own = next.foreign.iter().map(depth).max().map_or(0, |deepest| deepest + 1);
        depths.insert(next.entity.name.clone(), own);
        ordered.push(next);
    }
    ordered
}

/// The gaps of all key templates, each once.
pub(super) fn gaps(entity: &Entity) -> Vec<&str> {
    let mut gaps: Vec<&str> = Vec::new();
    for name in entity.keys.values().flat_map(Template::gaps) {
        if !gaps.contains(&name) {
            gaps.push(name);
        }
    }
    gaps
}

fn foreign(catalogue: &Catalogue, entity: &Entity, gaps: &[&str]) -> Vec<Foreign> {
    let mut found: Vec<Foreign> = Vec::new();
    let attributes = entity.attributes.iter().map(|attribute| attribute.name.as_str());
    for name in gaps.iter().copied().chain(attributes) {
        if found.iter().any(|foreign| foreign.name == name) {
            continue;
        }
        let declared = declared(entity, name);
        let source = declared.and_then(reference).or_else(|| {
            let is_open = declared.is_none_or(is_open);
            is_open
                .then(|| owner(catalogue, name))
                .flatten()
                .map(|owner| (owner.name.clone(), name.to_owned()))
        });
        let Some((owner, attribute)) = source.filter(|(owner, _)| *owner != entity.name) else { continue };
        if catalogue.entity(&owner).is_some() {
            found.push(Foreign { name: name.to_owned(), entity: owner, attribute });
        }
    }
    found
}

fn declared<'e>(entity: &'e Entity, name: &str) -> Option<&'e Attribute> {
    entity.attributes.iter().find(|attribute| attribute.name == name)
}

/// `copy_of`, `ref(Entity.attribute)`.
fn reference(attribute: &Attribute) -> Option<(String, String)> {
    if let Some(source) = &attribute.copy_of {
        return Some(source.clone());
    }
    let inner = attribute.format.as_deref()?.strip_prefix("ref(")?.strip_suffix(')')?;
    let (entity, attribute) = inner.split_once('.')?;
    Some((entity.trim().to_owned(), attribute.trim().to_owned()))
}

/// Whether an attribute may be another entity's key: identifiers may, times and fixed values are an item's own.
fn is_open(attribute: &Attribute) -> bool {
    let format = attribute.format.as_deref().unwrap_or("uuid");
    let format = format.split('(').next().unwrap_or("");
    attribute.values.is_empty()
        && matches!(format, "uuid" | "ulid" | "ksuid" | "seq" | "int" | "word" | "email")
}

/// The entity whose items a name tells apart. Of several, the one that is called like it (`orderId`: Order), then the one
/// that declares it, then the one with the fewest gaps in its key, then the first.
fn owner<'c>(catalogue: &'c Catalogue, name: &str) -> Option<&'c Entity> {
    let candidates = catalogue.entities.iter().enumerate().filter_map(|(at, entity)| {
        let own = primary_gaps(catalogue, entity);
        let declared = declared(entity, name);
        let is_own = declared.is_none_or(|attribute| reference(attribute).is_none() && is_open(attribute));
        if !own.contains(&name) || !is_own {
            return None;
        }
        let called = name.to_lowercase().starts_with(&entity.name.to_lowercase());
        Some(((!called, declared.is_none(), own.len(), at), entity))
    });
    candidates.min_by_key(|(rank, _)| *rank).map(|(_, entity)| entity)
}

/// The gaps of the table's own key.
fn primary_gaps<'c>(catalogue: &'c Catalogue, entity: &'c Entity) -> Vec<&'c str> {
    let table = catalogue.table(&entity.table);
    let keys = table.into_iter().flat_map(|table| table.keys.attributes());
    let mut gaps: Vec<&str> = keys.filter_map(|key| entity.keys.get(key)).flat_map(Template::gaps).collect();
    gaps.sort_unstable();
    gaps.dedup();
    gaps
}
