//! Key schemas and the definitions of their attributes.

use std::collections::BTreeSet;

use hashrange_api::message::tables as text;
use hashrange_api::{AttributeDefinition, Error, KeySchemaElement, KeyType};
use hashrange_item::limits;

use super::refuse;

/// The attribute definitions of a request, each name once. No quota bounds their number before all of them are
/// looked at, so a name is looked up, not searched for.
#[derive(Debug)]
pub(super) struct Definitions<'a> {
    list: &'a [AttributeDefinition],
    names: BTreeSet<&'a str>,
}

impl<'a> Definitions<'a> {
    /// Refuses a name that is defined twice.
    pub(super) fn new(list: &'a [AttributeDefinition]) -> Result<Definitions<'a>, Error> {
        let mut names = BTreeSet::new();
        match list.iter().find(|definition| !names.insert(definition.attribute_name.as_str())) {
            Some(definition) => refuse(text::definition_is_duplicated(&definition.attribute_name)),
            None => Ok(Definitions { list, names }),
        }
    }

    /// As sent.
    fn list(&self) -> Vec<&'a str> {
        self.list.iter().map(|definition| definition.attribute_name.as_str()).collect()
    }
}

/// Checks the key of a table.
pub(super) fn table(key: &[KeySchemaElement], definitions: &Definitions<'_>) -> Result<(), Error> {
    if key.len() > definitions.list.len() {
        return refuse(text::key_without_definition());
    }
    defined(key, definitions)?;
    pair(key)
}

/// Tables and local indexes have one partition key attribute and at most one sort key attribute.
pub(super) fn pair(key: &[KeySchemaElement]) -> Result<(), Error> {
    first_is_hash(key)?;
    if let [first, second, ..] = key {
        if first.attribute_name == second.attribute_name {
            return refuse(text::same_key_twice());
        }
        if second.key_type != KeyType::Range {
            return refuse(text::second_key_not_range());
        }
    }
    Ok(())
}

/// Global indexes have one to four partition key attributes, then none to four sort key attributes.
pub(super) fn several(key: &[KeySchemaElement]) -> Result<(), Error> {
    first_is_hash(key)?;
    for (kind, name) in [(KeyType::Hash, "HASH"), (KeyType::Range, "RANGE")] {
        if key.iter().filter(|element| element.key_type == kind).count() > limits::INDEX_KEY_ATTRIBUTES_MAX {
            return refuse(text::too_many_key_attributes(name));
        }
    }
    if !key.is_sorted_by_key(|element| element.key_type == KeyType::Range) {
        return refuse(text::hash_after_range());
    }
    let twice = |(at, element): (usize, &KeySchemaElement)| {
        key[..at].iter().any(|earlier| earlier.attribute_name == element.attribute_name)
    };
    if key.iter().enumerate().any(twice) { refuse(text::same_index_key_twice()) } else { Ok(()) }
}

fn first_is_hash(key: &[KeySchemaElement]) -> Result<(), Error> {
    match key.first() {
        Some(first) if first.key_type == KeyType::Hash => Ok(()),
        _ => refuse(text::first_key_not_hash()),
    }
}

/// Every attribute of the key has a definition.
pub(super) fn defined(key: &[KeySchemaElement], definitions: &Definitions<'_>) -> Result<(), Error> {
    if key.iter().all(|element| definitions.names.contains(element.attribute_name.as_str())) {
        return Ok(());
    }
    let keys: Vec<&str> = key.iter().map(|element| element.attribute_name.as_str()).collect();
    refuse(text::keys_not_defined(&keys, &definitions.list()))
}

/// Every definition is used by a key of the table or of an index.
pub(super) fn used(
    key: &[KeySchemaElement],
    indexes: &[&[KeySchemaElement]],
    definitions: &Definitions<'_>,
) -> Result<(), Error> {
    let elements = key.iter().chain(indexes.iter().copied().flatten());
    let mut seen = BTreeSet::new();
    let keys: Vec<&str> =
        elements.map(|element| element.attribute_name.as_str()).filter(|name| seen.insert(*name)).collect();
    if definitions.names.is_subset(&seen) {
        return Ok(());
    }
    if indexes.is_empty() {
        return refuse(text::definitions_do_not_match());
    }
    refuse(text::definitions_not_used(&definitions.list(), &keys))
}
