use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::{Attributes, BinarySet, Number, NumberSet, Step, StringSet, samples};

fn number(text: &str) -> Number {
    Number::parse(text).unwrap()
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// An item with every type.
fn every_type() -> Item {
    Attributes::from([
        ("b", AttributeValue::B(vec![1, 2])),
        ("bs", AttributeValue::Bs(BinarySet::new(vec![vec![9], vec![]]).unwrap())),
        ("f", AttributeValue::Bool(false)),
        ("l", AttributeValue::L(vec![s("x"), AttributeValue::Null])),
        ("m", AttributeValue::M(Attributes::from([("k", AttributeValue::N(number("-5")))]))),
        ("n", AttributeValue::N(number("0.25"))),
        ("ns", AttributeValue::Ns(NumberSet::new(vec![number("2"), number("-1")]).unwrap())),
        ("s", s("é")),
        ("ss", AttributeValue::Ss(StringSet::new(vec!["b".into(), "a".into()]).unwrap())),
        ("t", AttributeValue::Bool(true)),
        ("z", AttributeValue::Null),
    ])
}

fn row_of(bytes: &[u8]) -> Result<Row, RowError> {
    Row::from_bytes(Bytes::copy_from_slice(bytes))
}

#[test]
fn a_row_is_as_documented() {
    let expected: &[&[u8]] = &[
        &[1, 2],
        &[46, 0, 0, 0],
        &[11, 0, 0, 0],
        &[0, 0, 6, 0, 18, 0, 21, 0, 33, 0, 46, 0, 53, 0, 66, 0, 72, 0, 85, 0, 88, 0],
        b"\x01b\x05\x02\x01\x02",
        b"\x02bs\x08\x04\0\0\0\x02\0\x01\x09",
        b"\x01f\x01",
        b"\x01l\x09\x05\0\0\0\x02\x03\x01x\0",
        b"\x01m\x0a\x06\0\0\0\x01\x01k\x04\x81\x05",
        b"\x01n\x04\x41\xfe\xff\x19",
        b"\x02ns\x07\x05\0\0\0\x02\x81\x01\x01\x02",
        b"\x01s\x03\x02\xc3\xa9",
        b"\x02ss\x06\x05\0\0\0\x02\x01a\x01b",
        b"\x01t\x02",
        b"\x01z\0",
    ];
    assert_eq!(Row::encode(&every_type()).as_bytes(), expected.concat());
}

#[test]
fn an_attribute_is_read_alone() {
    let item = every_type();
    let row = Row::encode(&item);
    for (name, value) in item.iter() {
        assert_eq!(row.get(name), Ok(Some(value.clone())));
    }
    for name in ["", "a", "bb", "zz", "S"] {
        assert_eq!(row.get(name), Ok(None));
    }
    assert_eq!(row.len(), 11);
}

#[test]
fn damage_beside_an_attribute_does_not_hinder_reading_it() {
    let mut bytes = Row::encode(&every_type()).as_bytes().to_vec();
    let tag_of_z = bytes.len() - 1;
    bytes[tag_of_z] = 99;
    let row = row_of(&bytes).unwrap();
    assert_eq!(row.get("t"), Ok(Some(AttributeValue::Bool(true))));
    assert_eq!(row.get("z"), Err(RowError::Damaged("tag")));
    assert_eq!(row.decode(), Err(RowError::Damaged("tag")));
    assert_eq!(row.verify(), Err(RowError::Damaged("tag")));
}

#[test]
fn a_path_is_resolved_without_decoding_what_lies_beside_it() {
    let row = Row::encode(&every_type());
    let resolve = |steps: &[Step]| {
        let path = Path::from_steps(steps.iter().cloned()).unwrap();
        row.resolve(&path).unwrap().map(|value| value.to_value().unwrap())
    };
    let name = |name: &str| Step::Name(name.to_owned());
    assert_eq!(resolve(&[name("m"), name("k")]), Some(AttributeValue::N(number("-5"))));
    assert_eq!(resolve(&[name("l"), Step::Index(1)]), Some(AttributeValue::Null));
    assert_eq!(resolve(&[name("l"), Step::Index(2)]), None);
    assert_eq!(resolve(&[name("m"), name("j")]), None);
    assert_eq!(resolve(&[name("m"), Step::Index(0)]), None);
    assert_eq!(resolve(&[name("q"), name("k")]), None);
}

#[test]
fn a_large_item_has_wide_positions() {
    let item = Attributes::from([("a", s(&"x".repeat(70_000))), ("b", s("y"))]);
    let row = Row::encode(&item);
    assert_eq!(row.as_bytes()[1], 4);
    assert_eq!(row.get("b"), Ok(Some(s("y"))));
    assert_eq!(row.decode(), Ok(item));
    assert_eq!(row.verify(), Ok(()));
}

#[test]
fn an_empty_item_has_a_row() {
    let row = Row::encode(&Attributes::new());
    assert_eq!(row.as_bytes(), [1, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(row.decode(), Ok(Attributes::new()));
    assert_eq!(row.get("a"), Ok(None));
    assert!(row.is_empty());
}

#[test]
fn foreign_headers_are_refused() {
    let row = Row::encode(&every_type());
    let changed = |at: usize, byte: u8| {
        let mut bytes = row.as_bytes().to_vec();
        bytes[at] = byte;
        row_of(&bytes).map(|_| ())
    };
    assert_eq!(row_of(b""), Err(RowError::Damaged("header")));
    assert_eq!(row_of(&[1; 9]), Err(RowError::Damaged("header")));
    assert_eq!(changed(0, 2), Err(RowError::Format(2)));
    assert_eq!(changed(1, 3), Err(RowError::Damaged("table")));
    assert_eq!(changed(9, 0xff), Err(RowError::Damaged("table")));
    assert_eq!(changed(6, 0), Err(RowError::Damaged("table")), "entries, but no position");
    assert_eq!(
        row_of(&[1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]).map(|_| ()),
        Err(RowError::Damaged("table")),
        "no entry"
    );
}

/// A row of one attribute called `a` with these bytes as its value and this item size.
fn row_of_value(value: &[u8], size: u8) -> Row {
    let header = [1, 2, size, 0, 0, 0, 1, 0, 0, 0, 0, 0];
    row_of(&[&header, &b"\x01a"[..], value].concat()).unwrap()
}

#[test]
fn a_row_has_one_form_and_every_other_is_refused() {
    let damaged = |what| Err(RowError::Damaged(what));
    assert_eq!(row_of_value(b"\x03\x01x", 2).verify(), Ok(()));
    for (value, what) in [
        (&b""[..], "value"),
        (b"\x0b", "tag"),
        (b"\0\0", "entry longer than its value"),
        (b"\x03\x81\0x", "varint"),
        (b"\x03\xff\xff\xff\xff\x10", "varint"),
        (b"\x03\x80\x80\x80\x80\x80\0", "varint"),
        (b"\x03\x02x", "length"),
        (b"\x03\x01\xff", "UTF-8"),
        (b"\x04\x01\x0a", "number"),
        (b"\x04\x02\x05\0", "number"),
        (b"\x04\x41\0\0\x05", "number"),
        (b"\x04\x41\x7e\0\x05", "number"),
        (b"\x04\x80", "number"),
        (b"\x04\x21\x05", "number"),
        (b"\x06\x01\0\0\0\0", "empty set"),
        (b"\x06\x05\0\0\0\x02\x01b\x01a", "order"),
        (b"\x06\x05\0\0\0\x02\x01a\x01a", "order"),
        (b"\x07\x05\0\0\0\x02\x01\x02\x01\x01", "order"),
        (b"\x08\x05\0\0\0\x02\x01b\x01a", "order"),
        (b"\x09\x02\0\0\0\x01\0\0", "entry longer than its value"),
        (b"\x09\x03\0\0\0\x01\0\0", "body longer than its elements"),
        (b"\x09\x02\0\0\0\x02\0", "count or depth"),
        (b"\x09\xff\0\0\0\0", "body length"),
        (b"\x0a\x07\0\0\0\x02\x01b\0\x01a\0", "order"),
    ] {
        let row = row_of_value(value, 2);
        assert_eq!(row.verify(), damaged(what), "{value:x?}");
        assert_eq!(row.decode().map(|_| ()), damaged(what), "{value:x?}");
    }
    assert_eq!(row_of_value(b"\x03\x01x", 3).verify(), damaged("item size"));
    let row = |table: &[u8], entries: &[u8]| {
        row_of(&[&[1, 2, 4, 0, 0, 0, 2, 0, 0, 0], table, entries].concat()).unwrap()
    };
    assert_eq!(row(&[0, 0, 3, 0], b"\x01a\0\x01b\0").verify(), Ok(()));
    assert_eq!(row(&[0, 0, 3, 0], b"\x01b\0\x01a\0").verify(), damaged("order"));
    assert_eq!(row(&[0, 0, 3, 0], b"\x01a\0\x01a\0").verify(), damaged("order"));
    assert_eq!(row(&[1, 0, 4, 0], b"\0\x01a\0\x01b\0").verify(), damaged("positions"));
    assert_eq!(row(&[0, 0, 9, 0], b"\x01a\0\x01b\0").verify(), damaged("positions"));
    assert_eq!(row(&[3, 0, 0, 0], b"\x01a\0\x01b\0").verify(), damaged("positions"));
    let wide = [&[1, 4, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], &b"\x01a\0"[..]].concat();
    assert_eq!(row_of(&wide).unwrap().verify(), damaged("width of positions"));
}

#[test]
fn nesting_in_damaged_bytes_is_bounded() {
    let levels = 100_000_usize;
    let mut value = vec![TAG_NULL];
    let mut bodies = Vec::new();
    for level in (0..levels).rev() {
        let length = 1 + 6 * (levels - 1 - level) + 1;
        bodies.push(u32::try_from(length).unwrap());
    }
    let mut bytes = vec![1, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, b'a'];
    for length in bodies.iter().rev() {
        bytes.push(TAG_L);
        bytes.extend(length.to_le_bytes());
        bytes.push(1);
    }
    bytes.append(&mut value);
    let row = row_of(&bytes).unwrap();
    assert_eq!(row.decode(), Err(RowError::Damaged("count or depth")));
    assert_eq!(row.verify(), Err(RowError::Damaged("count or depth")));
}

#[test]
fn the_deepest_allowed_item_reads_back() {
    let deepest = (1..crate::limits::NESTING_MAX).fold(s("x"), |value, _| AttributeValue::L(vec![value]));
    assert_eq!(deepest.depth(), crate::limits::NESTING_MAX);
    let item = Attributes::from([("a", deepest)]);
    assert_eq!(Row::encode(&item).decode(), Ok(item));
}

/// Reads `row` in every way there is; all must agree on whether it is damaged and on what it holds.
fn read_in_every_way(row: &Row) -> Result<(), TestCaseError> {
    let decoded = row.decode();
    let mut json = b"kept".to_vec();
    let written = crate::json::write_row(row, &mut json);
    prop_assert_eq!(written.is_err(), json == b"kept");
    if let Ok(item) = &decoded {
        let mut tree = b"kept".to_vec();
        crate::json::write_attributes(item, &mut tree);
        prop_assert_eq!(json, tree);
    }
    if row.verify().is_ok() {
        let item = decoded.expect("a verified row can be read");
        prop_assert_eq!(item.size(), row.item_size());
        let again = Row::encode(&item);
        prop_assert_eq!(again.as_bytes(), row.as_bytes(), "an item has one row");
        for (name, value) in item.iter() {
            prop_assert_eq!(row.get(name), Ok(Some(value.clone())));
        }
    }
    let _ = row.get("a");
    let _ = format!("{row:?}");
    Ok(())
}

proptest! {
    #[test]
    fn items_read_back(item in samples::item()) {
        let row = row_of(Row::encode(&item).as_bytes()).unwrap();
        prop_assert_eq!(row.verify(), Ok(()));
        prop_assert_eq!(row.decode(), Ok(item.clone()));
        prop_assert_eq!(row.item_size(), item.size());
        prop_assert_eq!(row.len(), item.len());
        for (name, value) in item.iter() {
            let view = row.get_ref(name).unwrap().unwrap();
            prop_assert_eq!(view.kind(), value.kind());
            prop_assert_eq!(view.size(), Ok(value.size()));
            prop_assert_eq!(row.get(name), Ok(Some(value.clone())));
        }
    }

    #[test]
    fn a_changed_byte_never_panics(item in samples::item(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = Row::encode(&item).as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(row) = row_of(&bytes) {
            read_in_every_way(&row)?;
        }
    }

    #[test]
    fn a_cut_or_longer_row_is_refused(item in samples::item(), at in any::<prop::sample::Index>(), tail in 1_usize..9) {
        let bytes = Row::encode(&item).as_bytes().to_vec();
        let cut = row_of(&bytes[..at.index(bytes.len())]).and_then(|row| row.verify());
        prop_assert!(cut.is_err());
        let longer = row_of(&[bytes, vec![0; tail]].concat()).and_then(|row| row.verify());
        prop_assert!(longer.is_err());
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), count in 0_u8..4) {
        let _ = row_of(&bytes).map(|row| read_in_every_way(&row));
        let mut bytes = bytes;
        bytes.splice(..bytes.len().min(10), [1, 2, 9, 0, 0, 0, count, 0, 0, 0]);
        if let Ok(row) = row_of(&bytes) {
            read_in_every_way(&row)?;
        }
    }
}
