use proptest::prelude::*;

use super::*;
use crate::samples;

fn scalar(value: &AttributeValue) -> Vec<u8> {
    let mut out = Vec::new();
    encode_scalar(value, &mut out).unwrap();
    out
}

fn tuple(values: &[AttributeValue]) -> Vec<u8> {
    let mut out = Vec::new();
    for value in values {
        encode_component(value, &mut out).unwrap();
    }
    out
}

fn kind(value: &AttributeValue) -> KeyKind {
    KeyKind::of(value.kind()).unwrap()
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

#[test]
fn components_are_as_documented() {
    assert_eq!(tuple(&[s("a")]), b"a\x00\x01");
    assert_eq!(tuple(&[s("")]), b"\x00\x01");
    assert_eq!(tuple(&[s("a\0b")]), b"a\x00\xffb\x00\x01");
    assert_eq!(tuple(&[AttributeValue::B(vec![0, 0, 1])]), b"\x00\xff\x00\xff\x01\x00\x01");
    assert_eq!(tuple(&[AttributeValue::N(Number::from_i64(5))]), [0x03, 0x82, 0x64]);
    assert_eq!(scalar(&s("a\0b")), b"a\0b");
}

#[test]
fn a_longest_partition_key_stays_below_8_kib() {
    let zeros = AttributeValue::B(vec![0; PARTITION_KEY_MAX]);
    assert_eq!(tuple(&[zeros]).len(), 4098);
    let quarter = AttributeValue::B(vec![0; PARTITION_KEY_MAX / 4]);
    assert_eq!(tuple(&vec![quarter; 4]).len(), ENCODED_PARTITION_KEY_MAX);
}

#[test]
fn other_types_have_no_key_bytes() {
    let mut out = Vec::new();
    for value in [AttributeValue::Null, AttributeValue::Bool(true), AttributeValue::L(vec![])] {
        let expected = Err(KeyError::NotAKeyType(value.kind()));
        assert_eq!(encode_scalar(&value, &mut out), expected);
        assert_eq!(encode_component(&value, &mut out), expected);
    }
    let number = AttributeValue::N(Number::ZERO);
    assert_eq!(encode_component_prefix(&number, &mut out), Err(KeyError::NotAKeyType(Kind::N)));
    assert!(out.is_empty());
}

#[test]
fn damaged_bytes_are_refused() {
    for bytes in [&b"a"[..], b"a\0", b"a\0\x02", b"", b"\xff\0\x01"] {
        let mut input = bytes;
        assert_eq!(decode_component(KeyKind::S, &mut input), Err(KeyError::Malformed(KeyKind::S)));
        assert_eq!(input, bytes);
    }
    assert_eq!(decode_scalar(KeyKind::S, b"\xff"), Err(KeyError::Malformed(KeyKind::S)));
    for bytes in
        [&[][..], &[0x02, 0x00], &[0x03], &[0x03, 0x80], &[0x03, 0x80, 0x15], &[0x03, 0x80, 0x00], &[0x04]]
    {
        assert_eq!(decode_scalar(KeyKind::N, bytes), Err(KeyError::Malformed(KeyKind::N)));
    }
}

#[test]
fn the_end_of_a_prefix_is_the_next_string_that_has_it_not() {
    assert_eq!(prefix_end(b"ab"), Some(b"ac".to_vec()));
    assert_eq!(prefix_end(b"a\xff\xff"), Some(b"b".to_vec()));
    assert_eq!(prefix_end(b"\xff\xff"), None);
    assert_eq!(prefix_end(b""), None);
}

fn key_value() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        samples::string().prop_map(AttributeValue::S),
        samples::number().prop_map(AttributeValue::N),
        samples::binary().prop_map(AttributeValue::B),
    ]
}

/// Two tuples of the same length and types.
fn tuples() -> impl Strategy<Value = (Vec<AttributeValue>, Vec<AttributeValue>)> {
    let pair = prop_oneof![
        (samples::string(), samples::string())
            .prop_map(|(left, right)| (AttributeValue::S(left), AttributeValue::S(right))),
        (samples::number(), samples::number())
            .prop_map(|(left, right)| (AttributeValue::N(left), AttributeValue::N(right))),
        (samples::binary(), samples::binary())
            .prop_map(|(left, right)| (AttributeValue::B(left), AttributeValue::B(right))),
        samples::binary().prop_map(|both| (AttributeValue::B(both.clone()), AttributeValue::B(both))),
    ];
    prop::collection::vec(pair, 1..5).prop_map(|pairs| pairs.into_iter().unzip())
}

fn compare(left: &[AttributeValue], right: &[AttributeValue]) -> std::cmp::Ordering {
    let orders = left.iter().zip(right).map(|(left, right)| left.compare(right).unwrap());
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn bytes_of_tuples_order_as_their_values((left, right) in tuples()) {
        prop_assert_eq!(tuple(&left).cmp(&tuple(&right)), compare(&left, &right));
    }

    #[test]
    fn a_scalar_may_end_a_tuple((left, right) in tuples()) {
        let key = |values: &[AttributeValue]| {
            let (last, before) = values.split_last().unwrap();
            let mut out = tuple(before);
            encode_scalar(last, &mut out).unwrap();
            out
        };
        prop_assert_eq!(key(&left).cmp(&key(&right)), compare(&left, &right));
    }

    #[test]
    fn keys_read_back(values in prop::collection::vec(key_value(), 1..5)) {
        let encoded = tuple(&values);
        let mut rest = encoded.as_slice();
        for value in &values {
            let decoded = decode_component(kind(value), &mut rest);
            prop_assert_eq!(decoded.as_ref(), Ok(value));
            let decoded = decode_scalar(kind(value), &scalar(value));
            prop_assert_eq!(decoded.as_ref(), Ok(value));
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn an_open_component_is_a_prefix_of_exactly_those_that_begin_with_it(
        outer in samples::binary(), tail in samples::binary(), other in samples::binary(),
    ) {
        let mut open = Vec::new();
        encode_component_prefix(&AttributeValue::B(outer.clone()), &mut open).unwrap();
        let longer = AttributeValue::B([outer.clone(), tail].concat());
        prop_assert!(tuple(&[longer]).starts_with(&open));
        let begins = other.starts_with(&outer);
        prop_assert_eq!(tuple(&[AttributeValue::B(other)]).starts_with(&open), begins);
    }

    #[test]
    fn a_prefix_end_bounds_exactly_the_strings_with_the_prefix(prefix in samples::binary(), other in samples::binary()) {
        let below_end = prefix_end(&prefix).is_none_or(|end| other < end);
        prop_assert_eq!(other >= prefix && below_end, other.starts_with(&prefix));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in samples::binary()) {
        for kind in [KeyKind::S, KeyKind::N, KeyKind::B] {
            let _ = decode_scalar(kind, &bytes);
            let _ = decode_component(kind, &mut bytes.as_slice());
        }
    }
}
