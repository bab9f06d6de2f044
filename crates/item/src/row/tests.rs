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
    let entries = [
        r#""b":{"B":"AQI="}"#,
        r#""bs":{"BS":["","CQ=="]}"#,
        r#""f":{"BOOL":false}"#,
        r#""l":{"L":[{"S":"x"},{"NULL":true}]}"#,
        r#""m":{"M":{"k":{"N":"-5"}}}"#,
        r#""n":{"N":"0.25"}"#,
        r#""ns":{"NS":["-1","2"]}"#,
        r#""s":{"S":"é"}"#,
        r#""ss":{"SS":["a","b"]}"#,
        r#""t":{"BOOL":true}"#,
        r#""z":{"NULL":true}"#,
    ]
    .join(",");
    let expected: &[&[u8]] = &[
        &[2, 2],
        &[46, 0, 0, 0],
        &[11, 0, 0, 0],
        &[0, 0, 17, 0, 41, 0, 60, 0, 96, 0, 123, 0, 140, 0, 163, 0, 178, 0, 200, 0, 218, 0],
        entries.as_bytes(),
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
    let type_of_z = bytes.len() - r#"NULL":true}"#.len();
    bytes[type_of_z] = b'?';
    let row = row_of(&bytes).unwrap();
    assert_eq!(row.get("t"), Ok(Some(AttributeValue::Bool(true))));
    assert_eq!(row.get("z"), Err(RowError::Damaged("type")));
    assert_eq!(row.decode(), Err(RowError::Damaged("type")));
    assert_eq!(row.verify(), Err(RowError::Damaged("type")));
}

#[test]
fn names_with_escapes_are_found_where_their_bytes_sort_them() {
    let names = ["\u{0}", "\n", "!", "\"", "\"x", "#", "A", "\\", "a", "a\nb", "é", "😀"];
    let item: Item = names.iter().map(|name| ((*name).to_owned(), s(name))).collect();
    let row = Row::encode(&item);
    for name in names {
        assert_eq!(row.get(name), Ok(Some(s(name))));
    }
    for name in ["", "\t", "u", "\\\\", "\\u0000", "n"] {
        assert_eq!(row.get(name), Ok(None));
    }
    assert_eq!(row.decode(), Ok(item));
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
    assert_eq!(row.as_bytes(), [2, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
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
    assert_eq!(row_of(&[2; 9]), Err(RowError::Damaged("header")));
    assert_eq!(changed(0, 1), Err(RowError::Format(1)));
    assert_eq!(changed(1, 3), Err(RowError::Damaged("table")));
    assert_eq!(changed(9, 0xff), Err(RowError::Damaged("table")));
    assert_eq!(changed(6, 0), Err(RowError::Damaged("table")), "entries, but no position");
    assert_eq!(
        row_of(&[2, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]).map(|_| ()),
        Err(RowError::Damaged("table")),
        "no entry"
    );
}

/// A row of one attribute called `a` with this text as its value and this item size.
fn row_of_value(value: &[u8], size: u8) -> Row {
    let header = [2, 2, size, 0, 0, 0, 1, 0, 0, 0, 0, 0];
    row_of(&[&header, &b"\"a\":"[..], value].concat()).unwrap()
}

#[test]
fn a_row_has_one_form_and_every_other_is_refused() {
    let damaged = |what| Err(RowError::Damaged(what));
    assert_eq!(row_of_value(br#"{"S":"x"}"#, 2).verify(), Ok(()));
    for (value, what) in [
        (&br""[..], "type"),
        (br#"{"X":"x"}"#, "type"),
        (br#"{ "S":"x"}"#, "type"),
        (br#"{"S" :"x"}"#, "type"),
        (br#"{"S":"x"} "#, "end of a value"),
        (br#"{"S":"x"}}"#, "end of a value"),
        (br#"{"S":"x""#, "end of a value"),
        (br#"{"S": "x"}"#, "string"),
        (br#"{"S":"x}"#, "string"),
        (br#"{"S":"x\"}"#, "string"),
        (b"{\"S\":\"\n\"}", "string"),
        (br#"{"S":"\/"}"#, "escape"),
        (br#"{"S":"\u0041"}"#, "escape"),
        (br#"{"S":"\u000a"}"#, "escape"),
        (br#"{"S":"\u001F"}"#, "escape"),
        (br#"{"S":"\u00"}"#, "escape"),
        (b"{\"S\":\"\xff\"}", "UTF-8"),
        (b"{\"S\":\"\\n\xff\"}", "UTF-8"),
        (br#"{"N":"1.0"}"#, "number"),
        (br#"{"N":"1e3"}"#, "number"),
        (br#"{"N":"-0"}"#, "number"),
        (br#"{"N":""}"#, "number"),
        (br#"{"N":1}"#, "string"),
        (br#"{"B":"AQI"}"#, "base64"),
        (br#"{"B":"AQJ="}"#, "base64"),
        (br#"{"B":"A_I="}"#, "base64"),
        (br#"{"BOOL":tru}"#, "boolean"),
        (br#"{"BOOL":"true"}"#, "boolean"),
        (br#"{"NULL":false}"#, "null"),
        (br#"{"SS":[]}"#, "empty set"),
        (br#"{"SS":["b","a"]}"#, "order"),
        (br#"{"SS":["a","a"]}"#, "order"),
        (br#"{"SS":["a",]}"#, "string"),
        (br#"{"SS":["a" ,"b"]}"#, "punctuation"),
        (br#"{"NS":["2","1"]}"#, "order"),
        (br#"{"NS":["1","1"]}"#, "order"),
        (br#"{"BS":["Yg==","YQ=="]}"#, "order"),
        (br#"{"L":[{"S":"x"}}"#, "punctuation"),
        (br#"{"L":[{"S":"x"},]}"#, "type"),
        (br#"{"L":{}}"#, "punctuation"),
        (br#"{"M":{"b":{"S":"x"},"a":{"S":"x"}}}"#, "order"),
        (br#"{"M":{"a":{"S":"x"},"a":{"S":"x"}}}"#, "order"),
        (br#"{"M":{"\n":{"S":"x"},"\u0000":{"S":"x"}}}"#, "order"),
    ] {
        let (row, text) = (row_of_value(value, 2), String::from_utf8_lossy(value));
        assert_eq!(row.verify(), damaged(what), "{text}");
        assert_eq!(row.decode().map(|_| ()), damaged(what), "{text}");
    }
}

#[test]
fn a_header_or_table_that_does_not_fit_its_entries_is_refused() {
    let damaged = |what| Err(RowError::Damaged(what));
    assert_eq!(row_of_value(br#"{"S":"x"}"#, 3).verify(), damaged("size or width of positions"));
    let row = |table: &[u8], entries: &[u8]| {
        row_of(&[&[2, 2, 4, 0, 0, 0, 2, 0, 0, 0], table, entries].concat()).unwrap()
    };
    let two = br#""a":{"S":"x"},"b":{"S":"y"}"#;
    assert_eq!(row(&[0, 0, 14, 0], two).verify(), Ok(()));
    assert_eq!(row(&[0, 0, 14, 0], br#""b":{"S":"x"},"a":{"S":"y"}"#).verify(), damaged("order"));
    assert_eq!(row(&[0, 0, 14, 0], br#""a":{"S":"x"},"a":{"S":"y"}"#).verify(), damaged("order"));
    assert_eq!(row(&[0, 0, 14, 0], br#""a":{"S":"x"};"b":{"S":"y"}"#).verify(), damaged("positions"));
    assert_eq!(row(&[0, 0, 13, 0], two).verify(), damaged("positions"));
    assert_eq!(row(&[0, 0, 99, 0], two).verify(), damaged("positions"));
    assert_eq!(row(&[14, 0, 0, 0], two).verify(), damaged("positions"));
    assert_eq!(row(&[1, 0, 14, 0], two).verify(), damaged("positions"));
    let wide = [&[2, 4, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], &br#""a":{"S":"x"}"#[..]].concat();
    assert_eq!(row_of(&wide).unwrap().verify(), damaged("size or width of positions"));
}

#[test]
fn what_is_not_even_shaped_as_entries_is_not_written() {
    let row = row_of(&[&[2, 2, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0], &b"garbage"[..]].concat()).unwrap();
    let mut out = b"kept".to_vec();
    assert_eq!(crate::json::write_row(&row, &mut out), Err(RowError::Damaged("entries")));
    assert_eq!(out, b"kept");
}

#[test]
fn escapes_can_make_the_positions_wide() {
    for count in [32_700, 32_757, 32_758, 33_000] {
        let item = Attributes::from([("a", s(&"\n".repeat(count))), ("b", s("y"))]);
        let row = Row::encode(&item);
        assert_eq!(row.as_bytes()[1], if count > 32_750 { 4 } else { 2 });
        assert_eq!(row.verify(), Ok(()));
        assert_eq!(row.decode(), Ok(item));
    }
}

#[test]
fn nesting_in_damaged_bytes_is_bounded() {
    let levels = 100_000_usize;
    let value = [r#"{"L":["#.repeat(levels), r#"{"NULL":true}"#.into(), "]}".repeat(levels)].concat();
    let header: &[u8] = &[2, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    let bytes = [header, br#""a":"#, value.as_bytes()].concat();
    let row = row_of(&bytes).unwrap();
    assert_eq!(row.decode(), Err(RowError::Damaged("depth")));
    assert_eq!(row.verify(), Err(RowError::Damaged("depth")));
    let deep = row.get_ref("a").unwrap().unwrap();
    assert_eq!(deep.kind(), crate::Kind::L);
    assert!(deep.step(&Step::Index(0)).is_ok());
}

#[test]
fn the_deepest_allowed_item_reads_back() {
    let deepest = (1..crate::limits::NESTING_MAX).fold(s("x"), |value, _| AttributeValue::L(vec![value]));
    assert_eq!(deepest.depth(), crate::limits::NESTING_MAX);
    let item = Attributes::from([("a", deepest)]);
    assert_eq!(Row::encode(&item).decode(), Ok(item));
}

/// Reads `row` in every way there is; all must agree on what it holds.
fn read_in_every_way(row: &Row) -> Result<(), TestCaseError> {
    let decoded = row.decode();
    let mut json = b"kept".to_vec();
    let written = crate::json::write_row(row, &mut json);
    prop_assert_eq!(written.is_err(), json == b"kept");
    if let Ok(item) = &decoded {
        let mut tree = b"kept".to_vec();
        crate::json::write_attributes(item, &mut tree);
        prop_assert_eq!(json, tree);
        for (name, value) in item.iter() {
            prop_assert_eq!(row.get(name), Ok(Some(value.clone())));
        }
        let same_entries = Row::encode(item);
        prop_assert_eq!(
            row.verify().is_ok(),
            same_entries.as_bytes() == row.as_bytes(),
            "an item has one row"
        );
    } else {
        prop_assert!(row.verify().is_err());
    }
    for name in ["", "a", "b", "\n"] {
        let found = row.get_ref(name).ok().flatten();
        for step in [Step::Index(1), Step::Name("a".into())] {
            _ = found.map(|value| value.step(&step).map(|inner| inner.map(|inner| inner.to_value())));
        }
    }
    let _ = format!("{row:?} {:?}", row.attributes());
    Ok(())
}

/// Every value that lies in `value`, and the path to it.
fn values_below(value: &AttributeValue, path: &Path) -> Vec<(Path, AttributeValue)> {
    let at = |step: Step, inner: &AttributeValue| {
        let mut deeper = path.clone();
        deeper.push(step);
        values_below(inner, &deeper)
    };
    let mut found = vec![(path.clone(), value.clone())];
    match value {
        AttributeValue::L(list) => {
            found.extend(list.iter().enumerate().flat_map(|(index, inner)| at(Step::Index(index), inner)));
        }
        AttributeValue::M(map) => {
            found.extend(map.iter().flat_map(|(name, inner)| at(Step::Name(name.to_owned()), inner)));
        }
        _ => {}
    }
    found
}

#[test]
fn every_cut_and_every_flipped_bit_of_a_row_is_an_error_or_another_item() {
    let whole = Row::encode(&every_type()).as_bytes().to_vec();
    for end in 0..whole.len() {
        assert!(row_of(&whole[..end]).and_then(|row| row.verify()).is_err(), "{end}");
    }
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(row) = row_of(&bytes) {
            read_in_every_way(&row).unwrap();
        }
    }
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
            prop_assert_eq!(row.get_ref(name).unwrap().unwrap().kind(), value.kind());
            prop_assert_eq!(row.get(name), Ok(Some(value.clone())));
            for (path, inner) in values_below(value, &Path::new(name)) {
                let found = row.resolve(&path).unwrap().unwrap();
                prop_assert_eq!(found.kind(), inner.kind());
                prop_assert_eq!(found.to_value(), Ok(inner));
            }
        }
    }

    #[test]
    fn the_entries_are_json_of_the_item(item in samples::item()) {
        let row = Row::encode(&item);
        let width = usize::from(row.as_bytes()[1]);
        let entries = str::from_utf8(&row.as_bytes()[HEADER + width * item.len()..]).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&format!("{{{entries}}}")).unwrap();
        prop_assert_eq!(&parsed, &crate::json::tests::expected_item(&item));
        prop_assert_eq!(format!("{{{entries}}}"), parsed.to_string());
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
        bytes.splice(..bytes.len().min(10), [2, 2, 9, 0, 0, 0, count, 0, 0, 0]);
        if let Ok(row) = row_of(&bytes) {
            read_in_every_way(&row)?;
        }
    }
}

/// Writes a value element by element, entries of maps in a wrong order.
fn piecewise(value: &AttributeValue, out: &mut ValueWriter) -> Written {
    match value {
        AttributeValue::S(text) => out.string(text),
        AttributeValue::Ss(set) => {
            let mut members: Vec<_> = set.iter().rev().map(|member| member.as_str().into()).collect();
            out.string_set(&mut members).unwrap()
        }
        AttributeValue::L(list) => {
            let mut writer = ListWriter::begin(out);
            for element in list {
                writer.add(out, |out| Some(piecewise(element, out))).unwrap();
            }
            assert_eq!(writer.len(), list.len());
            writer.end(out)
        }
        AttributeValue::M(map) => {
            let mut writer = MapWriter::begin(out);
            for (name, value) in map.iter().rev() {
                writer.add(name.into(), out, |out| Some(out.value(&s("replaced")))).unwrap();
                writer.add(name.into(), out, |out| Some(piecewise(value, out))).unwrap();
            }
            assert_eq!(writer.len(), 2 * map.len());
            writer.end(out)
        }
        value => out.value(value),
    }
}

/// The item from its attributes as they come.
fn built(pairs: &[(String, AttributeValue)]) -> NewItem {
    let mut item = ItemBuilder::with_room(0, 0);
    for (name, value) in pairs {
        let before = item.len();
        assert_eq!(item.try_add(name.as_str().into(), |_| None), Err(name.as_str().into()));
        assert_eq!(item.len(), before);
        item.try_add(name.as_str().into(), |out| Some(piecewise(value, out))).unwrap();
    }
    assert_eq!(item.len(), pairs.len());
    item.finish()
}

proptest! {
    #[test]
    fn attributes_one_by_one_make_the_same_row_as_the_whole_item(
        pairs in proptest::collection::vec((samples::string(), samples::value()), 0..12),
    ) {
        prop_assert_eq!(built(&pairs), NewItem::from(Attributes::from_pairs(pairs)));
    }
}

#[test]
fn of_attributes_with_one_name_the_last_is_built() {
    let deep = AttributeValue::L(vec![AttributeValue::L(vec![])]);
    let pairs = [("b", s("1")), ("a", deep), ("b", s("2")), ("a", s("3")), ("b", s("four"))];
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value));
    let item = built(&pairs);
    assert_eq!(item.row().decode().unwrap(), Attributes::from([("a", s("3")), ("b", s("four"))]));
    assert_eq!((item.size(), item.depth()), (7, 1));
}

#[test]
fn an_item_that_its_escapes_make_long_is_built_with_wide_positions() {
    let pairs = [("b".to_owned(), s(&"\n".repeat(40_000))), ("a".to_owned(), s("x"))];
    assert_eq!(built(&pairs), NewItem::from(Attributes::from_pairs(pairs.to_vec())));
}

#[test]
fn an_item_without_attributes_has_a_row() {
    assert_eq!(NewItem::default(), NewItem::from(Attributes::new()));
    assert_eq!(built(&[]), NewItem::default());
}

#[test]
fn a_set_that_is_empty_or_has_two_equal_members_is_not_written() {
    let mut item = ItemBuilder::with_room(0, 0);
    for members in [vec![], vec!["b", "a", "b"]] {
        let mut members: Vec<_> = members.into_iter().map(Into::into).collect();
        assert!(item.try_add("set".into(), |out| out.string_set(&mut members)).is_err());
    }
    assert_eq!(item.finish(), NewItem::default());
}
