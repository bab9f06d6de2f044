use base64::Engine;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Item, samples};

/// The same value as serde_json builds it.
fn expected(value: &AttributeValue) -> Value {
    let binary = |bytes: &Vec<u8>| STANDARD.encode(bytes);
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(number) => json!({ "N": number.to_string() }),
        AttributeValue::B(bytes) => json!({ "B": binary(bytes) }),
        AttributeValue::Bool(value) => json!({ "BOOL": value }),
        AttributeValue::Null => json!({ "NULL": true }),
        AttributeValue::Ss(set) => json!({ "SS": set.as_slice() }),
        AttributeValue::Ns(set) => json!({ "NS": set.iter().map(ToString::to_string).collect::<Vec<_>>() }),
        AttributeValue::Bs(set) => json!({ "BS": set.iter().map(binary).collect::<Vec<_>>() }),
        AttributeValue::L(list) => json!({ "L": list.iter().map(expected).collect::<Vec<_>>() }),
        AttributeValue::M(map) => json!({ "M": expected_item(map) }),
    }
}

pub(crate) fn expected_item(item: &Item) -> Value {
    item.iter()
        .map(|(name, value)| (name.to_owned(), expected(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

/// As [`written`], into a vector that already has room for all of it.
fn written_with_room(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::with_capacity(1000);
    write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn every_type_is_written_with_its_descriptor() {
    let item = Attributes::from([
        ("b", AttributeValue::B(b"hi!?".to_vec())),
        ("l", AttributeValue::L(vec![AttributeValue::Bool(false), AttributeValue::Null])),
        ("m", AttributeValue::M(Attributes::from([("a\"b", AttributeValue::from("c"))]))),
        ("n", AttributeValue::N(Number::from_i64(-7))),
        ("ss", AttributeValue::Ss(crate::StringSet::new(vec!["y".into(), "x".into()]).unwrap())),
    ]);
    let expected = r#"{"b":{"B":"aGkhPw=="},"l":{"L":[{"BOOL":false},{"NULL":true}]},"m":{"M":{"a\"b":{"S":"c"}}},"n":{"N":"-7"},"ss":{"SS":["x","y"]}}"#;
    assert_eq!(written(|out| write_attributes(&item, out)), expected);
    assert_eq!(written(|out| write_row(&Row::encode(&item), out).unwrap()), expected);
    assert_eq!(written(|out| write_image(&item.into(), out).unwrap()), expected);
}

#[test]
fn strings_are_escaped_where_json_asks_for_it() {
    assert_eq!(written(|out| write_string("a\"b\\c/d", out)), r#""a\"b\\c/d""#);
    assert_eq!(
        written(|out| write_string("\n\r\t\u{8}\u{c}\0\u{1f}\u{7f}", out)),
        "\"\\n\\r\\t\\b\\f\\u0000\\u001f\u{7f}\""
    );
    assert_eq!(written(|out| write_string("é€😀", out)), "\"é€😀\"");
    assert_eq!(written(|out| write_string("", out)), "\"\"");
}

#[test]
fn every_byte_at_every_place_of_a_word_is_escaped_alike() {
    for character in (0..0x80_u32).chain([0xa0, 0xa2, 0xdc, 0xff, 0x2022]).filter_map(char::from_u32) {
        for (before, after) in (0..17).flat_map(|before| [0, 9].map(|after| (before, after))) {
            let text = format!("{}{character}{character}{}", "x".repeat(before), "a".repeat(after));
            let expected = serde_json::to_string(&text).unwrap();
            assert_eq!(written(|out| write_string(&text, out)), expected);
            assert_eq!(written_with_room(|out| write_string(&text, out)), expected);
        }
    }
}

proptest! {
    #[test]
    fn strings_are_written_as_serde_json_does(text in "[\\x00-\\x30\\\\a-dé€😀]{0,40}") {
        prop_assert_eq!(written(|out| write_string(&text, out)), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn items_are_written_as_serde_json_does(item in samples::item()) {
        let tree = written(|out| write_attributes(&item, out));
        prop_assert_eq!(&tree, &expected_item(&item).to_string());
        let row = written(|out| write_row(&Row::encode(&item), out).unwrap());
        prop_assert_eq!(&row, &tree);
    }

    #[test]
    fn lengths_are_summed_as_they_are_written(item in samples::item()) {
        let tree = written(|out| write_attributes(&item, out));
        let parsed: Value = serde_json::from_str(&tree).unwrap();
        prop_assert!(members_length(&item) + 2 <= tree.len());
        if parsed.to_string().contains('\\') {
            prop_assert!(members_length(&item) + 2 < tree.len());
        } else {
            prop_assert_eq!(members_length(&item) + 2, tree.len());
        }
    }
}
