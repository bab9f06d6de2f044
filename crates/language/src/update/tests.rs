use hashrange_item::{AttributeValue, Attributes, Number};
use proptest::prelude::*;

use super::UpdateError;
use crate::{Binder, Update};

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(value))
}

fn bind(text: &str, values: &Attributes) -> Update {
    Binder::new(None, Some(values)).update(text).unwrap()
}

/// A value with `levels` lists around a number.
fn nested(levels: usize) -> AttributeValue {
    (0..levels).fold(number(1), |value, _| AttributeValue::L(vec![value]))
}

#[test]
fn nesting_counts_the_levels_of_the_path() {
    let values = Attributes::from([(":deep", nested(31)), (":deeper", nested(32))]);
    let old = Attributes::from([("m", AttributeValue::M(Attributes::new()))]);
    assert!(bind("SET a = :deep", &values).apply(Some(&old), &Attributes::new()).is_ok());
    for text in ["SET a = :deeper", "SET m.a = :deep"] {
        let result = bind(text, &values).apply(Some(&old), &Attributes::new());
        assert_eq!(result, Err(UpdateError::TooDeep), "{text}");
    }
}

#[test]
fn copies_of_a_big_value_stop_before_they_fill_the_memory() {
    let values = Attributes::from([(":big", AttributeValue::S("x".repeat(300_000)))]);
    let targets: Vec<String> = (0..300).map(|at| format!("a{at}=:big")).collect();
    let update = bind(&format!("SET {}", targets.join(",")), &values);
    assert_eq!(update.apply(None, &Attributes::new()), Err(UpdateError::TooLarge));
}

#[test]
fn attributes_are_told_apart_by_what_happens_to_them() {
    let values = Attributes::from([
        (":v", number(1)),
        (":s", AttributeValue::Ss(hashrange_item::StringSet::new(vec!["x".to_owned()]).unwrap())),
    ]);
    let update = bind("SET a.b = if_not_exists(c, d) REMOVE e ADD f :v DELETE g :s", &values);
    let list = |names: std::collections::BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(list(update.top_level_attributes()), "a c d e f g");
    assert_eq!(list(update.changed_attributes()), "a e f g");
    assert_eq!(list(update.written_attributes()), "a f");
    assert_eq!(list(update.nested_attributes()), "a");
    assert_eq!(update.targets().map(ToString::to_string).collect::<Vec<_>>(), ["a.b", "e", "f", "g"]);
}

/// Costs that were measured at AWS's 400 KB limit, less the 3 of any update.
#[test]
fn costs_are_those_that_were_measured() {
    let values = Attributes::from([(":v", number(1)), (":l", AttributeValue::L(vec![]))]);
    for (text, cost) in [
        ("SET a = :v", 19),
        ("SET a = :v, b = :v", 38),
        ("SET a.b = :v", 19),
        ("SET a[0] = :v", 20),
        ("SET a = if_not_exists(a, :v)", 39),
        ("SET a = a + :v", 34),
        ("SET a = a - :v", 37),
        ("SET a = list_append(a, :l)", 37),
        ("SET a = :v REMOVE b", 21),
        ("ADD a :v", 19),
    ] {
        assert_eq!(bind(text, &values).cost(), 3 + cost, "{text}");
    }
}

#[derive(Clone, Copy, Debug)]
enum Element {
    Set,
    Remove,
}

proptest! {
    /// One list, changed at some indexes: what happens is told by the old positions alone.
    #[test]
    fn list_indexes_mean_old_positions(
        length in 0_usize..6,
        changes in prop::collection::btree_map(0_usize..10, prop_oneof![Just(Element::Set), Just(Element::Remove)], 1..8),
        seed in any::<u64>(),
    ) {
        let old: Vec<i64> = (0..6).take(length).collect();
        let mut expected: Vec<i64> = Vec::new();
        for (position, value) in old.iter().enumerate() {
            match changes.get(&position) {
                None => expected.push(*value),
                Some(Element::Set) => expected.push(100),
                Some(Element::Remove) => {}
            }
        }
        let beyond = changes.iter().filter(|(index, change)| **index >= length && matches!(change, Element::Set));
        expected.extend(beyond.map(|_| 100));

        let mut order: Vec<(usize, Element)> = changes.into_iter().collect();
        let shift = usize::try_from(seed % 8).unwrap() % order.len();
        order.rotate_left(shift);
        let clause = |word: &str, wanted: fn(&Element) -> bool, value: &str| {
            let actions: Vec<String> = order.iter().filter(|(_, change)| wanted(change)).map(|(index, _)| format!("l[{index}]{value}")).collect();
            if actions.is_empty() { String::new() } else { format!("{word} {} ", actions.join(", ")) }
        };
        let text = clause("REMOVE", |change| matches!(change, Element::Remove), "")
            + &clause("SET", |change| matches!(change, Element::Set), " = :v");

        let list = |values: &[i64]| AttributeValue::L(values.iter().copied().map(number).collect());
        let item = Attributes::from([("l", list(&old))]);
        let values = Attributes::from([(":v", number(100))]);
        let new = bind(&text, &values).apply(Some(&item), &Attributes::new()).unwrap();
        prop_assert_eq!(new.get("l"), Some(&list(&expected)), "{}", text);
    }
}

#[test]
fn changes_tell_what_happens_at_each_path() {
    use crate::ChangeKind::{Copy, Grow, Increment, Remove, Set, SetIfAbsent, Shrink};

    let values = Attributes::from([
        (":n", number(1)),
        (":l", AttributeValue::L(vec![number(1)])),
        (":s", AttributeValue::Ss(hashrange_item::StringSet::new(vec!["a".to_owned()]).unwrap())),
    ]);
    let text = "SET a = :n, b = b + :n, c = list_append(c, :l), d = if_not_exists(d, :n), e = a REMOVE f ADD g :n, h :s DELETE i :s";
    let update = bind(text, &values);
    let kinds: Vec<_> = update.changes().map(|(path, kind)| (path.top().to_owned(), kind)).collect();
    let expected = [Set, Increment, Grow, SetIfAbsent, Copy, Remove, Increment, Grow, Shrink];
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    assert_eq!(kinds, names.iter().map(|n| (*n).to_owned()).zip(expected).collect::<Vec<_>>());
}
