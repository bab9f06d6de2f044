//! What an answer tells of its request: units, items, sizes.

use std::collections::BTreeSet;

use hashrange_api::{ConsumedCapacity, Response, ReturnConsumedCapacity};
use hashrange_engine::TableOutline;
use hashrange_item::{AttributeValue, Image, Kind};

use super::digest::{self, Seed};
use super::links::HASHES_MAX;
use super::tally::Tally;
use super::token;
use crate::explain;

/// Items of an answer whose hashes are remembered.
const ITEMS_MAX: usize = 64;
/// Attributes of one of them.
const ATTRIBUTES_MAX: usize = 16;

/// The key attributes of a table.
#[derive(Debug)]
pub(super) struct Keys {
    hash: String,
    range: Option<String>,
}

impl Keys {
    pub(super) fn of(table: &TableOutline) -> Keys {
        let first = |at: usize| table.keys[at].first().map(|attribute| attribute.name.clone());
        Keys { hash: first(0).unwrap_or_default(), range: first(1) }
    }
}

/// By what look-ups of the items of an answer can be known: whole keys first, then the values that keys may be made of. Empty where
/// there are not several items.
pub(super) fn hashes(response: &Response, keys: &Keys, seed: Seed) -> Vec<u64> {
    let items = match response {
        Response::Query(output) => output.items.as_deref(),
        Response::Scan(output) => output.items.as_deref(),
        Response::ExecuteStatement(output) => output.items.as_deref(),
        _ => None,
    };
    let Some(items @ [_, _, ..]) = items else { return Vec::new() };
    let (mut whole, mut values) = (BTreeSet::new(), BTreeSet::new());
    for item in items.iter().take(ITEMS_MAX) {
        let (mut hash, mut range) = (None, None);
        for (name, value) in scalars(item) {
            let hashed = digest::value_hash(&value, seed);
            if name == keys.hash {
                hash = Some(hashed);
            } else if keys.range.as_ref() == Some(&name) {
                range = Some(hashed);
            }
            values.insert(hashed);
            values.extend(digest::remainder_hash(&value, token::of(&value), seed));
        }
        if let (Some(hash), Some(range)) = (hash, range) {
            whole.insert(digest::pair(hash, range));
        }
    }
    whole.into_iter().chain(values).take(HASHES_MAX).collect()
}

/// Attributes that a key could be made of.
fn scalars(item: &Image) -> Vec<(String, AttributeValue)> {
    let is_scalar = |kind: Kind| matches!(kind, Kind::S | Kind::N | Kind::B);
    match item {
        Image::Row(row) => {
            let read = row.attributes().filter_map(Result::ok).filter(|(_, value)| is_scalar(value.kind()));
            let read = read.take(ATTRIBUTES_MAX);
            read.filter_map(|(name, value)| Some((name.into_owned(), value.to_value().ok()?))).collect()
        }
        Image::Tree(item) => {
            let own = item.iter().filter(|(_, value)| is_scalar(value.kind())).take(ATTRIBUTES_MAX);
            own.map(|(name, value)| (name.to_owned(), value.clone())).collect()
        }
    }
}

/// Takes an answer down; its report of capacity becomes what the client had asked for.
pub(super) fn observe(response: &mut Response, wanted: Option<ReturnConsumedCapacity>, tally: &mut Tally) {
    found(response, tally);
    explain::with_capacity(response, wanted, &mut |reports: &[ConsumedCapacity]| tally.consumed(reports));
}

fn found(response: &Response, tally: &mut Tally) {
    match response {
        Response::GetItem(output) => items(output.item.iter(), 1, tally),
        Response::Query(output) => {
            page(output.items.as_deref(), output.count, output.scanned_count, tally);
        }
        Response::Scan(output) => {
            page(output.items.as_deref(), output.count, output.scanned_count, tally);
        }
        Response::BatchGetItem(output) => {
            let found = output.responses.iter().flat_map(|responses| responses.values().flatten());
            items(found, 0, tally);
        }
        Response::TransactGetItems(output) => {
            let found = output.responses.iter().flatten().filter_map(|response| response.item.as_ref());
            items(found, 0, tally);
        }
        Response::ExecuteStatement(output) => items(output.items.iter().flatten(), 0, tally),
        _ => {}
    }
}

/// Looked-up items; each is read by itself, and one that is not there is read too.
fn items<'a>(found: impl Iterator<Item = &'a Image>, at_least: u64, tally: &mut Tally) {
    let mut returned = 0;
    for item in found {
        returned += 1;
        tally.item(item.size());
    }
    tally.found(returned, returned.max(at_least));
}

fn page(items: Option<&[Image]>, count: Option<i32>, scanned: Option<i32>, tally: &mut Tally) {
    let number = |count: Option<i32>| u64::try_from(count.unwrap_or_default()).unwrap_or_default();
    tally.found(number(count), number(scanned));
    for item in items.unwrap_or_default() {
        tally.item(item.size());
    }
}
