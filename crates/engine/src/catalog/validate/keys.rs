//! Key schemas and the definitions of their attributes.

use hashrange_api::message::tables as text;
use hashrange_api::{AttributeDefinition, Error, KeySchemaElement, KeyType};
use hashrange_item::limits;

use super::refuse;

/// Checks the key of a table.
pub(super) fn table(key: &[KeySchemaElement], definitions: &[AttributeDefinition]) -> Result<(), Error> {
    distinct(definitions)?;
    if key.len() > definitions.len() {
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
pub(super) fn defined(key: &[KeySchemaElement], definitions: &[AttributeDefinition]) -> Result<(), Error> {
    let has = |element: &KeySchemaElement| {
        definitions.iter().any(|definition| definition.attribute_name == element.attribute_name)
    };
    if key.iter().all(has) {
        return Ok(());
    }
    let keys: Vec<&str> = key.iter().map(|element| element.attribute_name.as_str()).collect();
    refuse(text::keys_not_defined(&keys, &names(definitions)))
}

/// Every definition is used by a key of the table or of an index.
pub(super) fn used(
    key: &[KeySchemaElement],
    indexes: &[&[KeySchemaElement]],
    definitions: &[AttributeDefinition],
) -> Result<(), Error> {
    let mut keys: Vec<&str> = Vec::new();
    for element in key.iter().chain(indexes.iter().copied().flatten()) {
        if !keys.contains(&element.attribute_name.as_str()) {
            keys.push(&element.attribute_name);
        }
    }
    if definitions.iter().all(|definition| keys.contains(&definition.attribute_name.as_str())) {
        return Ok(());
    }
    if indexes.is_empty() {
        return refuse(text::definitions_do_not_match());
    }
    refuse(text::definitions_not_used(&names(definitions), &keys))
}

/// No attribute is defined twice.
pub(super) fn distinct(definitions: &[AttributeDefinition]) -> Result<(), Error> {
    let twice = |(at, definition): &(usize, &AttributeDefinition)| {
        definitions[..*at].iter().any(|earlier| earlier.attribute_name == definition.attribute_name)
    };
    match definitions.iter().enumerate().find(twice) {
        Some((_, definition)) => refuse(text::definition_is_duplicated(&definition.attribute_name)),
        None => Ok(()),
    }
}

fn names(definitions: &[AttributeDefinition]) -> Vec<&str> {
    definitions.iter().map(|definition| definition.attribute_name.as_str()).collect()
}
