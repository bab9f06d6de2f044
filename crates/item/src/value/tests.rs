use std::cmp::Ordering;

use super::*;

fn n(text: &str) -> AttributeValue {
    AttributeValue::N(Number::parse(text).unwrap())
}

fn ss(members: &[&str]) -> AttributeValue {
    AttributeValue::Ss(StringSet::new(members.iter().map(|member| (*member).to_owned()).collect()).unwrap())
}

#[test]
fn equality_is_by_value_and_without_the_order_of_sets() {
    assert_eq!(n("1000"), n("1e3"));
    assert_eq!(n("0"), n("-0.0"));
    assert_eq!(ss(&["a", "b"]), ss(&["b", "a"]));
    assert_ne!(ss(&["a"]), ss(&["a", "b"]));
    assert_ne!(AttributeValue::L(vec![n("1"), n("2")]), AttributeValue::L(vec![n("2"), n("1")]));
    assert_ne!(AttributeValue::from("1"), n("1"));
}

#[test]
fn only_strings_numbers_and_binaries_of_one_type_are_ordered() {
    let b = |bytes: &[u8]| AttributeValue::B(bytes.to_vec());
    assert_eq!(n("-2").compare(&n("1")), Some(Ordering::Less));
    assert_eq!(n("1.0").compare(&n("1")), Some(Ordering::Equal));
    assert_eq!(
        AttributeValue::from("Z").compare(&"a".into()),
        Some(Ordering::Less),
        "by bytes, not by language"
    );
    assert_eq!(
        AttributeValue::from("\u{ffff}").compare(&"😀".into()),
        Some(Ordering::Less),
        "UTF-8, not UTF-16"
    );
    assert_eq!(b(&[0x80]).compare(&b(&[0x7f, 0])), Some(Ordering::Greater), "unsigned");
    assert_eq!(n("1").compare(&"1".into()), None);
    assert_eq!(AttributeValue::Bool(true).compare(&AttributeValue::Bool(true)), None);
}

#[test]
fn depth_counts_the_value_itself() {
    let wrap = |value| AttributeValue::M(Attributes::from([("m", value)]));
    assert_eq!(n("1").depth(), 1);
    assert_eq!(ss(&["a"]).depth(), 1);
    assert_eq!(AttributeValue::L(vec![]).depth(), 1);
    assert_eq!(AttributeValue::L(vec![n("1"), wrap(n("1"))]).depth(), 3);
    assert_eq!((0..31).fold(n("1"), |value, _| wrap(value)).depth(), crate::limits::NESTING_MAX);
    assert_eq!(Attributes::new().depth(), 0);
}

#[test]
fn kinds_have_the_names_of_the_wire_and_of_the_texts() {
    let names: Vec<String> = Kind::ALL.iter().map(|kind| format!("{kind}={}", kind.long_name())).collect();
    assert_eq!(
        names.join(" "),
        "S=STRING N=NUMBER B=BINARY SS=STRING_SET NS=NUMBER_SET BS=BINARY_SET M=MAP L=LIST NULL=NULL BOOL=BOOLEAN"
    );
    for kind in Kind::ALL {
        assert_eq!(Kind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(Kind::from_name("bool"), None);
}

#[test]
fn a_value_takes_32_bytes_of_memory() {
    assert_eq!(size_of::<AttributeValue>(), 32);
}
