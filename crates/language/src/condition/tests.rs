use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes, Number, Row};

use crate::{Binder, Condition, ExpressionKind};

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(value))
}

fn bind(text: &str, values: &Attributes) -> Condition {
    let names = BTreeMap::from([("#dots".to_owned(), "x.y".to_owned())]);
    Binder::new(Some(&names), Some(values)).condition(ExpressionKind::Condition, text).unwrap()
}

#[test]
fn attributes_are_named_by_their_top_level() {
    let values = Attributes::from([(":v", number(1))]);
    let condition =
        bind("a.b[0] = :v AND (size(c) > :v OR NOT attribute_exists(#dots)) AND d IN (e, :v)", &values);
    let names: Vec<&str> = condition.top_level_attributes().into_iter().collect();
    assert_eq!(names, ["a", "c", "d", "e", "x.y"]);
    assert_eq!(condition.nested_attributes().into_iter().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn stored_rows_and_trees_give_the_same_answer() {
    let values = Attributes::from([(":v", number(2)), (":s", "b".into())]);
    let item = Attributes::from([("n", number(2)), ("l", AttributeValue::L(vec!["a".into(), "b".into()]))]);
    let row = Row::encode(&item);
    for text in ["n = :v", "l[1] = :s", "contains(l, :s)", "size(l) = :v", "l[2] = :s", "n < :v"] {
        let condition = bind(text, &values);
        assert_eq!(condition.evaluate(Some(&item)), condition.evaluate(Some(&row)), "{text}");
    }
}

#[test]
fn a_missing_item_has_no_attributes() {
    let values = Attributes::from([(":v", number(2))]);
    for (text, expected) in [
        ("attribute_not_exists(pk)", true),
        ("attribute_exists(pk)", false),
        ("pk = :v", false),
        ("pk <> :v", true),
        ("NOT pk = :v", true),
        ("size(pk) = :v", false),
        ("pk IN (:v)", false),
        (":v = :v", true),
    ] {
        assert_eq!(bind(text, &values).evaluate(None), expected, "{text}");
    }
}

#[test]
fn numbers_compare_by_value_however_deep() {
    let one = |text: &str| AttributeValue::N(Number::parse(text).unwrap());
    let values = Attributes::from([(":l", AttributeValue::L(vec![one("1.0"), one("1e2")]))]);
    let item = Attributes::from([("l", AttributeValue::L(vec![one("1"), one("100")]))]);
    assert!(bind("l = :l", &values).evaluate(Some(&item)));
}

#[test]
fn an_outline_names_each_test_and_whether_it_must_hold() {
    let values = Attributes::from([(":v", number(2)), (":s", "b".into())]);
    let text = "a.b = :v AND :v < c AND (begins_with(d, :s) OR NOT contains(e, :s)) AND attribute_exists(f) AND size(g) > :v";
    let condition = bind(text, &values);
    let outline: Vec<_> =
        condition.outline().iter().map(|test| (test.attribute, test.operator, test.is_required)).collect();
    let expected = [
        ("a", "=", true),
        ("c", ">", true),
        ("d", "begins_with", false),
        ("e", "contains", false),
        ("f", "attribute_exists", true),
        ("g", "size", true),
    ];
    assert_eq!(outline, expected);
    assert_eq!(condition.outline()[1].values, [&number(2)]);
}
