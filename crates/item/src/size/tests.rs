use super::*;
use crate::{BinarySet, NumberSet, StringSet};

fn n(text: &str) -> AttributeValue {
    AttributeValue::N(Number::parse(text).unwrap())
}

#[test]
fn scalars_and_sets_count_their_bytes() {
    let numbers = ["100", "-1.5"].map(|text| Number::parse(text).unwrap()).to_vec();
    for (value, size) in [
        (AttributeValue::from(""), 0),
        ("héé€😀".into(), 12),
        (AttributeValue::B(vec![0; 7]), 7),
        (AttributeValue::Bool(false), 1),
        (AttributeValue::Null, 1),
        (n("0"), 1),
        (n("-12345"), 5),
        (AttributeValue::Ss(StringSet::new(vec!["a".into(), "bc".into(), String::new()]).unwrap()), 3),
        (AttributeValue::Ns(NumberSet::new(numbers).unwrap()), 6),
        (AttributeValue::Bs(BinarySet::new(vec![vec![1], vec![1, 2]]).unwrap()), 3),
    ] {
        assert_eq!(value.size(), size, "{value:?}");
    }
}

#[test]
fn lists_and_maps_count_three_and_one_for_each_element() {
    let map = |pairs| AttributeValue::M(Attributes::from_pairs(pairs));
    assert_eq!(AttributeValue::L(vec![]).size(), 3);
    assert_eq!(map(vec![]).size(), 3);
    assert_eq!(AttributeValue::L(vec![n("1"), "ab".into()]).size(), 3 + 2 + 2 + 2);
    assert_eq!(map(vec![("é".to_owned(), n("1"))]).size(), 3 + 1 + 2 + 2);
    let nested = map(vec![("a".to_owned(), AttributeValue::L(vec![map(vec![])]))]);
    assert_eq!(nested.size(), 3 + 1 + 1 + (3 + 1 + 3));
}

#[test]
fn an_item_counts_names_and_values_without_overhead() {
    assert_eq!(Attributes::new().size(), 0);
    assert_eq!(Attributes::from([("pk", "abc".into()), ("é", n("12"))]).size(), 2 + 3 + 2 + 2);
}
