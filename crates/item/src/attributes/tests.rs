use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::Number;

fn n(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(value))
}

#[test]
fn of_pairs_with_one_name_the_last_wins() {
    let pairs = [("b", 1), ("a", 2), ("b", 3), ("a", 4), ("b", 5)];
    let attributes = Attributes::from_pairs(pairs.map(|(name, value)| (name.to_owned(), n(value))).to_vec());
    assert_eq!(attributes, Attributes::from([("a", n(4)), ("b", n(5))]));
}

#[test]
fn values_are_changed_in_place() {
    let mut attributes = Attributes::from([("a", n(1))]);
    *attributes.get_mut("a").unwrap() = n(2);
    assert_eq!(attributes.insert("a".to_owned(), n(3)), Some(n(2)));
    assert_eq!(attributes.insert("0".to_owned(), n(4)), None);
    assert_eq!(attributes.names().collect::<Vec<_>>(), ["0", "a"]);
    assert_eq!(attributes.remove("0"), Some(n(4)));
    assert_eq!(attributes.remove("0"), None);
    assert_eq!(attributes.len(), 1);
}

proptest! {
    #[test]
    fn attributes_behave_as_a_map(pairs in vec(("[a-d]{0,2}", 0_i64..100), 0..12), looked_up in "[a-d]{0,2}") {
        let map: BTreeMap<String, i64> = pairs.iter().cloned().collect();
        let attributes: Attributes = pairs.into_iter().map(|(name, value)| (name, n(value))).collect();
        let listed: Vec<(String, AttributeValue)> = map.iter().map(|(name, value)| (name.clone(), n(*value))).collect();
        prop_assert_eq!(attributes.get(&looked_up).cloned(), map.get(&looked_up).map(|value| n(*value)));
        prop_assert_eq!(attributes.contains(&looked_up), map.contains_key(&looked_up));
        prop_assert_eq!(attributes.into_iter().collect::<Vec<_>>(), listed);
    }
}
