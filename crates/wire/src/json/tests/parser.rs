//! The parser against serde_json: same bodies accepted, same values read.

use proptest::prelude::*;
use serde_json::Value;

use crate::json::fault::Fault;
use crate::json::parser::{Parser, Token, Turn};

/// Reads a whole value through the pull parser.
fn read(parser: &mut Parser<'_>) -> Result<Value, Fault> {
    Ok(match parser.peek()? {
        Token::Object => {
            parser.open_object()?;
            let (mut map, mut turn) = (serde_json::Map::new(), Turn::First);
            while let Some(name) = parser.next_name(&mut turn)? {
                map.insert(name.into_owned(), read(parser)?);
            }
            Value::Object(map)
        }
        Token::Array => {
            parser.open_array()?;
            let (mut list, mut turn) = (Vec::new(), Turn::First);
            while parser.next_element(&mut turn)? {
                list.push(read(parser)?);
            }
            Value::Array(list)
        }
        Token::String => Value::String(parser.string()?.into_owned()),
        Token::Number => serde_json::from_str(parser.number()?).unwrap_or(Value::Null),
        Token::True | Token::False => Value::Bool(parser.boolean()?),
        Token::Null => {
            parser.null()?;
            Value::Null
        }
    })
}

fn ours(body: &[u8]) -> Result<Value, Fault> {
    let mut parser = Parser::new(body)?;
    let value = read(&mut parser)?;
    parser.end()?;
    Ok(value)
}

fn skipped(body: &[u8]) -> Result<(), Fault> {
    let mut parser = Parser::new(body)?;
    parser.skip()?;
    parser.end()
}

fn agrees(body: &[u8]) {
    let shown = String::from_utf8_lossy(body).into_owned();
    assert_eq!(skipped(body).is_ok(), ours(body).is_ok(), "skipping and reading agree on {shown}");
    match (ours(body), serde_json::from_slice::<Value>(body)) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{shown}"),
        // A float takes no number of that size; the parser keeps its text.
        (_, Err(error)) if error.to_string().starts_with("number out of range") => {}
        (ours, theirs) => assert!(ours.is_err() && theirs.is_err(), "{shown}: {ours:?}, {theirs:?}"),
    }
}

#[test]
fn edge_cases_agree_with_serde_json() {
    let cases: [&[u8]; 58] = [
        b"",
        b" ",
        b"null",
        b"nul",
        b"nulll",
        b"true",
        b"false",
        b"tru",
        b"{}",
        b"[]",
        b"{",
        b"[",
        b"}",
        b"]",
        b"[1,]",
        b"[,1]",
        b"[1 2]",
        b"[1,2]",
        b"{\"a\":1,}",
        b"{\"a\" 1}",
        b"{\"a\":1}",
        b"{a:1}",
        b"{1:1}",
        b"{\"a\"}",
        b"{\"a\":1 \"b\":2}",
        b"0",
        b"00",
        b"01",
        b"-0",
        b"-",
        b"+1",
        b"1.",
        b".5",
        b"1.5",
        b"1e5",
        b"1e",
        b"1e+",
        b"1E-3",
        b"-1.25e-3",
        b"1e5.5",
        b"\"\"",
        b"\"",
        b"\"a",
        b"\"a\nb\"",
        b"\"\\n\"",
        b"\"\\x\"",
        b"\"\\u00e9\"",
        b"\"\\u00e\"",
        b"\"\\ud83d\\ude00\"",
        b"\"\\ud83d\"",
        b"\"\\ude00\"",
        b"\"\\ud83dx\"",
        b"\"\xff\"",
        b"\"\xc3\xa9\"",
        b"{\"a\":1}x",
        b"\xef\xbb\xbf{}",
        b"[\t1 ,\r\n2 ]",
        b"{\"a\":1,\"a\":2}",
    ];
    for case in cases {
        agrees(case);
    }
}

#[test]
fn strings_without_escapes_are_borrowed() {
    for (body, borrowed) in [("\"plain text, long enough for words\"", true), ("\"a\\tb\"", false)] {
        let mut parser = Parser::new(body.as_bytes()).unwrap();
        let text = parser.string().unwrap();
        assert_eq!(matches!(text, std::borrow::Cow::Borrowed(_)), borrowed, "{body}");
    }
}

#[test]
fn a_thousand_levels_are_read_and_one_more_is_refused() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert_eq!(skipped(nested(1000).as_bytes()), Ok(()));
    assert_eq!(skipped(nested(1001).as_bytes()), Err(Fault::Syntax));
    let huge = "[".repeat(16 << 20);
    assert_eq!(skipped(huge.as_bytes()), Err(Fault::Syntax));
    assert_eq!(skipped("{\"a\":".repeat(3 << 20).as_bytes()), Err(Fault::Syntax));
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Eighths, as serde_json reads other fractions only nearly as they were written.
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        "\\PC*".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map("[a-z\\\\\"\u{1}é]{0,6}", inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn values_are_read_as_serde_json_wrote_them(value in json(), pretty in any::<bool>()) {
        let body = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) };
        prop_assert_eq!(ours(&body.unwrap()), Ok(value));
    }

    #[test]
    fn damaged_bodies_agree_with_serde_json(value in json(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut body = serde_json::to_vec(&value).unwrap();
        let at = at.index(body.len());
        if cut { body.truncate(at) } else { body[at] = byte }
        agrees(&body);
    }

    #[test]
    fn text_of_json_letters_agrees_with_serde_json(body in "[\\[\\]{}:,\"\\\\ute0-9.+\\-aflsrn ]{0,24}") {
        agrees(body.as_bytes());
    }

    #[test]
    fn random_bytes_agree_with_serde_json(body in prop::collection::vec(any::<u8>(), 0..64)) {
        agrees(&body);
    }
}
