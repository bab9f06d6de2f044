//! An item is read straight into its stored form. What it says must be what the tree of the same text says.

use hashrange_api::message::Layer;
use hashrange_item::{Attributes, NewItem};
use proptest::prelude::*;

use crate::json::decoder::{BadValue, Decode, Decoder, Place};
use crate::json::fault::Fault;

/// What a text is, and what is wrong with its values.
type Read<T> = Result<(T, Vec<BadValue>), Fault>;

fn read<T: Decode>(text: &str) -> Read<T> {
    let mut decoder = Decoder::new(text.as_bytes(), Layer::Newer)?;
    let read = T::decode(&mut decoder, Place::Member)?;
    decoder.parser.end()?;
    Ok((read, decoder.bad))
}

fn check(text: &str) {
    let tree = read::<Attributes>(text).map(|(tree, bad)| (NewItem::from(tree), bad));
    assert_eq!(read::<NewItem>(text), tree, "{text}");
}

/// Values as they may be sent, right and wrong.
const VALUES: [&str; 49] = [
    r#"{"S":"a"}"#,
    r#"{ "S" : "long enough that it is not written as a word" }"#,
    r#"{"S":""}"#,
    r#"{"S":"\u00e9\"\\\n\u0001"}"#,
    r#"{"\u0053":"x"}"#,
    r#"{"S":null}"#,
    r#"{"S":null,"S":"a"}"#,
    r#"{"S":"a","S":"b"}"#,
    r#"{"S":"a","S":null}"#,
    r#"{"S":"a","N":"1"}"#,
    r#"{"N":"1","S":"a"}"#,
    r#"{"S":"a","X":[1,{}]}"#,
    r#"{"X":{},"S":"a"}"#,
    r#"{"S":1}"#,
    r#"{"S":{}}"#,
    r#"{"S":"a"x}"#,
    r#"{"S":"a",}"#,
    r#"{"S":"a""#,
    "{}",
    "null",
    "[]",
    "1",
    r#"{"N":"1.50"}"#,
    r#"{"N":"00"}"#,
    r#"{"N":"x"}"#,
    r#"{"N":7}"#,
    r#"{"B":"AQI="}"#,
    r#"{"B":"?"}"#,
    r#"{"BOOL":"yes"}"#,
    r#"{"NULL":false}"#,
    r#"{"SS":["b","a"]}"#,
    r#"{"SS":["a","a"]}"#,
    r#"{"NS":["2","1.0"]}"#,
    r#"{"BS":[]}"#,
    r#"{"L":[{"S":"a"},null,{"M":{"":{"S":"b"}}}]}"#,
    r#"{"L":[{"S":"a"},{"N":"-1.50"},{"L":[]},{"M":{}},{"SS":["b","a"]},{"BOOL":false},{"NULL":true}]}"#,
    r#"{"L":[{"S":"a"},{"NS":["1"]}]}"#,
    r#"{"L":[{"S":"a"},]}"#,
    r#"{"L":[{"S":"a"} {"S":"b"}]}"#,
    r#"{"M":{"z":{"S":"a"},"a":{"L":[]}}}"#,
    r#"{"M":{"z":{"S":"a"},"a":{"S":"b"},"z":{"M":{"y":{"S":""},"x":{"N":"1"}}},"abcdefgh":{"S":"1"},"abcdefg":{"S":"2"}}}"#,
    r#"{"M":{"a":{"S":"a"},"a\u0000":{"S":"b"}}}"#,
    r#"{"M":{"a":{}}}"#,
    r#"{"M":{"":{"S":"a"}}}"#,
    r#"{"M":{"a":null}}"#,
    r#"{"M":{"a":{"S":"a"}"#,
    r#"{"SS":["a",null]}"#,
    r#"{"SS":[]}"#,
    r#"{"BOOL":true,"BOOL":false}"#,
];

const NAMES: [&str; 7] =
    [r#""b""#, r#""a""#, r#""""#, r#""\u0061""#, r#""a name of some length""#, r#""\"""#, "3"];

#[test]
fn every_value_alone_is_as_in_the_tree() {
    for value in VALUES {
        check(&format!(r#"{{"a":{value}}}"#));
    }
    for length in [65_535, 65_536] {
        let name = "n".repeat(length);
        check(&format!(r#"{{"{name}":{{"S":"a"}}}}"#));
        check(&format!(r#"{{"a":{{"M":{{"{name}":{{"S":"a"}}}}}}}}"#));
    }
    let deep = format!(r#"{{"a":{}{{"NULL":true}}{}}}"#, r#"{"L":["#.repeat(33), "]}".repeat(33));
    check(&deep);
    for text in ["", "{", "null", "[]", "{}", r#"{"a"}"#, r#"{"a":{"S":"b"}"#, r#"{"a":{"S":"b"}}}"#] {
        check(text);
    }
}

proptest! {
    #[test]
    fn items_are_as_in_the_tree(
        attributes in prop::collection::vec(
            (prop::sample::select(NAMES.as_slice()), prop::sample::select(VALUES.as_slice())),
            0..6,
        ),
        space in prop::sample::select(["", " ", "\n\t"].as_slice()),
    ) {
        let members: Vec<_> = attributes.iter().map(|(name, value)| format!("{name}{space}:{space}{value}")).collect();
        check(&format!("{space}{{{space}{}{space}}}{space}", members.join(&format!("{space},{space}"))));
    }
}
