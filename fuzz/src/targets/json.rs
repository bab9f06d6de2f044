//! Our JSON against serde_json: what is JSON, what a string says, and what our writer writes.

use hashrange_api::{Operation, Request};
use hashrange_item::json::{write_attributes, write_string};
use hashrange_item::{AttributeValue, Attributes};
use hashrange_wire::json;
use serde_json::Value;

use super::structured::Source;
use super::{MEGABYTE, Run, Target, requests};
use crate::corpus::Golden;

/// The first byte chooses the comparison, the rest is its input.
pub const TARGET: Target = Target {
    name: "json",
    words: requests::WORDS,
    length: 4096,
    memory: 4 * MEGABYTE,
    seeds,
    make: || -> Run { Box::new(run) },
};

/// Deeper texts are refused by serde_json, not because they are no JSON.
const DEPTH: usize = 100;

fn seeds(golden: &Golden) -> Vec<Vec<u8>> {
    let bodies = golden.requests().map(|(_, body)| [b"\0", body.as_bytes()].concat());
    let strings = ["\"\"", "\"\\ud83d\\ude00\"", "\"\\n\\t\\\\\\\"/\"", "\"é\u{10ffff}\"", "\"\\u0000\""];
    let strings = strings.iter().map(|text| [b"\x01", text.as_bytes()].concat());
    let items = golden.requests().filter_map(|(_, body)| {
        let body: Value = serde_json::from_str(body).ok()?;
        body.get("Item").map(|item| [b"\x02", item.to_string().as_bytes()].concat())
    });
    bodies.chain(strings).chain(items).chain([b"\x03\x03\x01a\x09\x02\x01b\x00\x02cd".to_vec()]).collect()
}

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    match first % 4 {
        0 => same_verdict(rest),
        1 => same_string(rest),
        2 => same_item(rest),
        _ => written_is_read(rest),
    }
}

fn same_verdict(text: &[u8]) {
    if depth(text) > DEPTH {
        json::is_json(text);
        return;
    }
    match serde_json::from_slice::<Value>(text) {
        Ok(_) => assert!(json::is_json(text), "serde_json accepts it"),
        // It reads numbers into floats; a body may have any, and they become nothing there.
        Err(error) if error.to_string().starts_with("number out of range") => {}
        Err(error) => assert!(!json::is_json(text), "serde_json: {error}"),
    }
}

fn depth(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count()
}

/// A JSON string inside a request is the string that serde_json reads.
fn same_string(text: &[u8]) {
    let body = [br#"{"TableName":"tab","Item":{"a":{"S":"#, text, b"}}}"].concat();
    let Ok(Value::String(expected)) = serde_json::from_slice(text) else { return };
    let request =
        json::decode(Operation::PutItem, &body).expect("serde_json reads the string").into_parts().0;
    let Request::PutItem(input) = request else { unreachable!("PutItem was decoded") };
    assert_eq!(input.item.row().get("a"), Ok(Some(AttributeValue::S(expected.clone()))));
    let mut written = Vec::new();
    write_string(&expected, &mut written);
    assert_eq!(serde_json::from_slice::<String>(&written).ok(), Some(expected));
}

/// A text says the same as an item, which is read straight into its stored form, and as a key, which is read as a tree.
fn same_item(text: &[u8]) {
    if !json::is_json(text) {
        return;
    }
    let decoded = |operation, member: &str| {
        let body = [format!("{{\"TableName\":\"tab\",\"{member}\":").as_bytes(), text, b"}"].concat();
        json::decode_shape(operation, &body)
            .map(|decoded| (decoded.request, decoded.bad_value.map(|bad| bad.error)))
    };
    match (decoded(Operation::PutItem, "Item"), decoded(Operation::DeleteItem, "Key")) {
        (Ok((Request::PutItem(put), one)), Ok((Request::DeleteItem(delete), other))) => {
            assert_eq!(put.item, delete.key.into());
            assert_eq!(one, other);
        }
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        (one, other) => panic!("an item: {one:?}, a key: {other:?}"),
    }
}

/// What is written of an item is JSON, and decodes to the item.
fn written_is_read(bytes: &[u8]) {
    let item: Attributes = Source::new(bytes).attributes(4);
    let mut body = br#"{"TableName":"tab","Item":"#.to_vec();
    write_attributes(&item, &mut body);
    body.push(b'}');
    serde_json::from_slice::<Value>(&body).expect("our writer writes JSON");
    if item.names().any(str::is_empty) || has_empty_name(&item) {
        return;
    }
    let request = json::decode(Operation::PutItem, &body).expect("a written item is read").into_parts().0;
    let Request::PutItem(input) = request else { unreachable!("PutItem was decoded") };
    assert_eq!(input.item, item.into());
}

fn has_empty_name(item: &Attributes) -> bool {
    item.iter().any(|(name, value)| name.is_empty() || has_empty_name_inside(value))
}

fn has_empty_name_inside(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::M(map) => has_empty_name(map),
        AttributeValue::L(list) => list.iter().any(has_empty_name_inside),
        _ => false,
    }
}
