//! Items that the files give. Where a table has no entities, its given items are what grows with the scale.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{AttributeValue, Attributes};

use super::build::key_bytes;
use crate::catalogue::{Catalogue, Table};

/// The given items of a table; where no entity says how more of them would look, copies of them with other keys for each
/// further block.
pub(super) fn given(catalogue: &Catalogue, table: &Table, scale: usize) -> Vec<Attributes> {
    let mut items = table.samples.clone();
    if catalogue.entities_of(&table.name).next().is_some() {
        return items;
    }
    let unique = unique(table);
    for block in 1..scale {
        items.extend(table.samples.iter().filter_map(|item| copy(item, &unique, block)));
    }
    items
}

/// The attributes that a copy must change: the partition key, and partition keys of indexes that tell items apart. An index
/// key that several items share, such as a status, is shared by their copies too.
fn unique(table: &Table) -> Vec<&str> {
    let mut names: Vec<&str> = table.keys.hash.iter().map(String::as_str).collect();
    for index in &table.indexes {
        for hash in &index.keys.hash {
            if !names.contains(&hash.as_str()) && tells_apart(table, hash) {
                names.push(hash);
            }
        }
    }
    names
}

fn tells_apart(table: &Table, name: &str) -> bool {
    let mut owners: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for item in &table.samples {
        if let Some(value) = item.get(name) {
            let mut bytes = Vec::new();
            hashrange_item::json::write_value(value, &mut bytes);
            let mut owner = Vec::new();
            for value in table.keys.hash.iter().filter_map(|hash| item.get(hash)) {
                hashrange_item::json::write_value(value, &mut owner);
            }
            owners.entry(bytes).or_default().insert(owner);
        }
    }
    owners.values().all(|owners| owners.len() == 1)
}

fn copy(item: &Attributes, unique: &[&str], block: usize) -> Option<Attributes> {
    let mut copy = item.clone();
    for name in unique {
        let Some(value) = item.get(name) else { continue };
        copy.insert((*name).to_owned(), other(value, block)?);
    }
    Some(copy)
}

fn other(value: &AttributeValue, block: usize) -> Option<AttributeValue> {
    match value {
        AttributeValue::S(text) => Some(AttributeValue::S(format!("{text}~{block}"))),
        AttributeValue::N(number) => {
            let apart = hashrange_item::Number::parse(&format!("{block}e12")).ok()?;
            Some(AttributeValue::N(number.add(&apart).ok()?))
        }
        AttributeValue::B(bytes) => {
            let mut bytes = bytes.clone();
            bytes.extend(block.to_be_bytes());
            Some(AttributeValue::B(bytes))
        }
        _ => None,
    }
}

/// Leaves out items whose key is there already.
pub(super) fn drop_repeated(table: &Table, items: &mut Vec<Attributes>) {
    let mut seen = BTreeSet::new();
    items.retain(|item| seen.insert(key_bytes(table, item)));
}
