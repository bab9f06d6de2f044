//! Spellings of numbers, where they matter: in the keys of a BatchGetItem.
//!
//! AWS refuses a BatchGetItem that names an item twice, and compares its keys as they were sent. A number in two spellings,
//! `1` and `1.0`, is one key all the same: the item is returned once. (Source: recorded on AWS. BatchWriteItem compares by
//! value.) A typed request knows no spellings, so keys that say again what another one says are left out of it here.

use hashrange_api::message::Layer;
use hashrange_api::{BatchGetItemInput, KeysAndAttributes, Operation, Request};
use hashrange_item::Attributes;
use hashrange_item::limits::BATCH_GET_KEYS_MAX;

use super::decoder::Decoder;
use super::fault::Fault;
use super::generated;

/// Whether nobody can write the number of this text otherwise and have as plain a text: digits without a zero in front.
pub(super) fn is_the_only_one(text: &str) -> bool {
    !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Leaves out the keys of a BatchGetItem that an earlier key has in another spelling. A key that was sent twice in one
/// spelling stays, for it is refused; so do all keys where there are too many.
pub(super) fn drop_other_spellings(request: &mut Request, body: &[u8]) -> Result<(), Fault> {
    let Request::BatchGetItem(input) = request else { return Ok(()) };
    let count: usize = input.request_items.values().map(|table| table.keys.len()).sum();
    if count > BATCH_GET_KEYS_MAX || !input.request_items.values().any(has_equals) {
        return Ok(());
    }
    let spelt = spelt(body)?;
    for (table, spelt) in input.request_items.values_mut().zip(spelt.request_items.values()) {
        drop_from(&mut table.keys, &spelt.keys);
    }
    Ok(())
}

fn has_equals(table: &KeysAndAttributes) -> bool {
    let mut keys = table.keys.iter().enumerate();
    keys.any(|(at, key)| table.keys[..at].contains(key))
}

fn drop_from(keys: &mut Vec<Attributes>, spelt: &[Attributes]) {
    let all = std::mem::take(keys);
    for (at, key) in all.iter().enumerate() {
        let is_other_spelling = all[..at].contains(key) && !spelt[..at].contains(&spelt[at]);
        if !is_other_spelling {
            keys.push(key.clone());
        }
    }
}

/// The request once more, with the texts of its numbers in their places.
fn spelt(body: &[u8]) -> Result<BatchGetItemInput, Fault> {
    let mut decoder = Decoder::new(body, Layer::Newer)?;
    decoder.as_spelt = true;
    match generated::decoders::request(Operation::BatchGetItem, &mut decoder)? {
        Request::BatchGetItem(input) => Ok(*input),
        _ => unreachable!("an operation has its own input"),
    }
}

#[cfg(test)]
mod tests {
    use hashrange_api::Operation;

    use super::*;
    use crate::json::decode_shape;

    /// How many keys are left of these, each the value of an attribute.
    fn left(keys: &[&str]) -> usize {
        let keys: Vec<_> = keys.iter().map(|key| format!("{{\"pk\":{key}}}")).collect();
        let body = format!("{{\"RequestItems\":{{\"t\":{{\"Keys\":[{}]}}}}}}", keys.join(","));
        match decode_shape(Operation::BatchGetItem, body.as_bytes()).unwrap().request {
            Request::BatchGetItem(input) => input.request_items["t"].keys.len(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn another_spelling_of_a_number_is_left_out_and_the_same_one_is_kept() {
        assert_eq!(left(&[r#"{"N":"1"}"#, r#"{"N":"1.0"}"#, r#"{"N":"+1"}"#, r#"{"N":"2"}"#]), 2);
        assert_eq!(left(&[r#"{"N":"1"}"#, r#"{"N":"1"}"#]), 2);
        assert_eq!(left(&[r#"{"N":"1"}"#, r#"{"N":"1.0"}"#, r#"{"N":"1"}"#]), 2);
        assert_eq!(left(&[r#"{"N":"1.0"}"#, r#"{"N":"1.0"}"#, r#"{"N":"1"}"#]), 2);
        assert_eq!(left(&[r#"{"N":"0"}"#, r#"{"N":"-0"}"#, r#"{"S":"0"}"#, r#"{"B":"MA=="}"#]), 3);
    }

    #[test]
    fn too_many_keys_are_left_for_the_constraints() {
        let key = r#"{"N":"1.0"}"#;
        assert_eq!(left(&[key; 101]), 101);
        let mut keys = vec![r#"{"N":"1"}"#];
        keys.resize(101, key);
        assert_eq!(left(&keys), 101);
    }
}
