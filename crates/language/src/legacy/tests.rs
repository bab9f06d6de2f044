use hashrange_item::{Attributes, Number, StringSet};

use super::*;
use crate::UpdateError;

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(value))
}

fn strings(members: &[&str]) -> AttributeValue {
    AttributeValue::Ss(StringSet::new(members.iter().map(|text| (*text).to_owned()).collect()).unwrap())
}

fn comparison(operator: ComparisonOperator, values: Vec<AttributeValue>) -> Expectation {
    Expectation {
        comparison_operator: Some(operator),
        attribute_value_list: Some(values),
        ..Expectation::default()
    }
}

fn item() -> Attributes {
    let list = AttributeValue::L(vec![number(1)]);
    Attributes::from([("n", number(5)), ("s", "abc".into()), ("l", list), ("ss", strings(&["x", "y"]))])
}

fn holds(name: &str, expectation: Expectation) -> bool {
    let map = BTreeMap::from([(name.to_owned(), expectation)]);
    expected(&map, ConditionalOperator::And).unwrap().evaluate(Some(&item()))
}

fn refusal(expectation: Expectation) -> LegacyError {
    let map = BTreeMap::from([("a".to_owned(), expectation)]);
    expected(&map, ConditionalOperator::And).unwrap_err()
}

#[test]
fn each_comparison_operator_tests_the_item() {
    use ComparisonOperator as Op;
    for (name, operator, values, expected) in [
        ("n", Op::Eq, vec![number(5)], true),
        ("n", Op::Ne, vec![number(5)], false),
        ("gone", Op::Eq, vec![number(5)], false),
        ("gone", Op::Ne, vec![number(5)], true),
        ("n", Op::Le, vec![number(5)], true),
        ("n", Op::Lt, vec![number(5)], false),
        ("n", Op::Ge, vec![number(5)], true),
        ("n", Op::Gt, vec![number(4)], true),
        ("n", Op::In, vec![number(1), number(5)], true),
        ("n", Op::Between, vec![number(1), number(5)], true),
        ("n", Op::NotNull, vec![], true),
        ("gone", Op::NotNull, vec![], false),
        ("gone", Op::Null, vec![], true),
        ("s", Op::Contains, vec!["bc".into()], true),
        ("ss", Op::Contains, vec!["x".into()], true),
        ("ss", Op::NotContains, vec!["z".into()], true),
        ("gone", Op::NotContains, vec!["z".into()], false),
        ("s", Op::BeginsWith, vec!["ab".into()], true),
        ("l", Op::Eq, vec![AttributeValue::L(vec![number(1)])], true),
    ] {
        assert_eq!(holds(name, comparison(operator, values)), expected, "{name} {operator}");
    }
}

#[test]
fn value_and_exists_are_a_short_form() {
    let value = |value| Expectation { value: Some(value), ..Expectation::default() };
    assert!(holds("n", value(number(5))));
    assert!(holds("n", Expectation { exists: Some(true), ..value(number(5)) }));
    assert!(holds("gone", Expectation { exists: Some(false), ..Expectation::default() }));
    assert!(!holds("n", Expectation { exists: Some(false), ..Expectation::default() }));
    assert!(holds(
        "n",
        Expectation { comparison_operator: Some(ComparisonOperator::Ge), ..value(number(5)) }
    ));
}

#[test]
fn conditions_are_joined_by_the_conditional_operator() {
    let map = BTreeMap::from([
        ("n".to_owned(), comparison(ComparisonOperator::Eq, vec![number(5)])),
        ("s".to_owned(), comparison(ComparisonOperator::Eq, vec!["other".into()])),
    ]);
    assert!(!expected(&map, ConditionalOperator::And).unwrap().evaluate(Some(&item())));
    assert!(expected(&map, ConditionalOperator::Or).unwrap().evaluate(Some(&item())));
    for operator in [ConditionalOperator::And, ConditionalOperator::Or] {
        assert!(expected(&BTreeMap::new(), operator).unwrap().evaluate(None), "no condition always holds");
    }
}

#[test]
fn malformed_expectations_are_refused() {
    let attribute = || "a".to_owned();
    let value = Expectation { value: Some(number(1)), ..Expectation::default() };
    let operator = ComparisonOperator::Eq;
    let list = comparison(operator, vec![number(1)]);
    let both = Expectation { value: Some(number(1)), ..list.clone() };
    assert_eq!(refusal(both), LegacyError::ValueAndList { attribute: attribute() });
    let exists = Expectation { exists: Some(true), ..list.clone() };
    assert_eq!(refusal(exists), LegacyError::ExistsAndOperator { attribute: attribute() });
    let bare = Expectation { attribute_value_list: None, ..list.clone() };
    assert_eq!(refusal(bare), LegacyError::OperatorWithoutValue { operator, attribute: attribute() });
    let no_operator = Expectation { comparison_operator: None, ..list };
    assert_eq!(refusal(no_operator), LegacyError::ListWithoutOperator { attribute: attribute() });
    assert_eq!(
        refusal(Expectation::default()),
        LegacyError::ValueMissing { exists: None, attribute: attribute() }
    );
    let absent = Expectation { exists: Some(false), ..value };
    assert_eq!(refusal(absent), LegacyError::ValueWithoutExistence { attribute: attribute() });
}

#[test]
fn arguments_are_checked_by_count_then_type_then_bounds() {
    use ComparisonOperator as Op;
    let refused = |operator, values| refusal(comparison(operator, values));
    assert_eq!(refused(Op::Between, vec![number(1)]), LegacyError::ArgumentCount { operator: Op::Between });
    assert_eq!(refused(Op::Null, vec![number(1)]), LegacyError::ArgumentCount { operator: Op::Null });
    assert_eq!(refused(Op::In, vec![]), LegacyError::ArgumentCount { operator: Op::In });
    assert_eq!(refused(Op::In, vec![number(1), "x".into()]), LegacyError::MixedTypes);
    let kind = Kind::Ss;
    assert_eq!(refused(Op::Lt, vec![strings(&["x"])]), LegacyError::ArgumentType { operator: Op::Lt, kind });
    let kind = Kind::N;
    assert_eq!(
        refused(Op::BeginsWith, vec![number(1)]),
        LegacyError::ArgumentType { operator: Op::BeginsWith, kind }
    );
    assert_eq!(refused(Op::Between, vec![number(2), number(1)]), LegacyError::BoundsReversed);
}

#[test]
fn key_conditions_know_seven_operators() {
    use ComparisonOperator as Op;
    let map = BTreeMap::from([
        ("pk".to_owned(), Comparison { operator: Op::Eq, values: vec!["p".into()] }),
        ("sk".to_owned(), Comparison { operator: Op::Between, values: vec![number(1), number(2)] }),
    ]);
    assert_eq!(key_conditions(&map).unwrap().to_string(), "pk = \"p\" AND sk BETWEEN 1 AND 2");
    for operator in [Op::Ne, Op::Contains, Op::NotContains, Op::In] {
        let map = BTreeMap::from([("pk".to_owned(), Comparison { operator, values: vec!["p".into()] })]);
        assert_eq!(key_conditions(&map), Err(LegacyError::NotIndexable), "{operator}");
    }
}

#[test]
fn filters_are_conditions() {
    let map = BTreeMap::from([(
        "n".to_owned(),
        Comparison { operator: ComparisonOperator::Gt, values: vec![number(4)] },
    )]);
    let filter = query_filter(&map, ConditionalOperator::And).unwrap();
    assert_eq!(filter.to_string(), "n > 4");
    assert!(filter.evaluate(Some(&item())));
}

fn updated(
    name: &str,
    action: UpdateAction,
    value: Option<AttributeValue>,
) -> Result<Attributes, UpdateError> {
    let map = BTreeMap::from([(name.to_owned(), AttributeUpdate { value, action: Some(action) })]);
    attribute_updates(&map).unwrap().apply(Some(&item()), &Attributes::new())
}

#[test]
fn attribute_updates_put_add_and_delete() {
    let put = updated("n", UpdateAction::Put, Some("text".into())).unwrap();
    assert_eq!(put.get("n"), Some(&"text".into()));
    let added = updated("n", UpdateAction::Add, Some(number(2))).unwrap();
    assert_eq!(added.get("n"), Some(&number(7)));
    let appended = updated("l", UpdateAction::Add, Some(AttributeValue::L(vec![number(2)]))).unwrap();
    assert_eq!(appended.get("l"), Some(&AttributeValue::L(vec![number(1), number(2)])));
    let removed = updated("ss", UpdateAction::Delete, Some(strings(&["x"]))).unwrap();
    assert_eq!(removed.get("ss"), Some(&strings(&["y"])));
    assert_eq!(updated("ss", UpdateAction::Delete, None).unwrap().get("ss"), None);
    let mismatch = updated("s", UpdateAction::Add, Some(number(1)));
    assert_eq!(mismatch, Err(UpdateError::TypeMismatch));
}

#[test]
fn attribute_updates_without_entries_create_the_item_with_its_key() {
    let key = Attributes::from([("pk", "k".into())]);
    assert_eq!(attribute_updates(&BTreeMap::new()).unwrap().apply(None, &key), Ok(key.clone()));
}

#[test]
fn senseless_attribute_updates_are_refused() {
    let refused = |action, value| {
        let map = BTreeMap::from([("a".to_owned(), AttributeUpdate { value, action })]);
        attribute_updates(&map).unwrap_err()
    };
    assert_eq!(refused(None, None), LegacyError::UpdateWithoutValue);
    assert_eq!(refused(Some(UpdateAction::Add), None), LegacyError::UpdateWithoutValue);
    assert_eq!(refused(Some(UpdateAction::Add), Some("x".into())), LegacyError::AddType(Kind::S));
    assert_eq!(refused(Some(UpdateAction::Delete), Some(number(1))), LegacyError::DeleteType(Kind::N));
}

#[test]
fn attributes_to_get_are_names_as_they_are() {
    let projection = attributes_to_get(&["n".to_owned(), "a.b".to_owned()]).unwrap();
    assert_eq!(projection.whole_top_level(), Some(["a.b".to_owned(), "n".to_owned()].as_slice()));
    assert_eq!(projection.project(&item()), Attributes::from([("n", number(5))]));
    let twice = attributes_to_get(&["n".to_owned(), "n".to_owned()]);
    assert_eq!(twice, Err(LegacyError::DuplicateName { attribute: "n".to_owned() }));
}

#[test]
fn operators_are_found_by_name() {
    for operator in ComparisonOperator::ALL {
        assert_eq!(ComparisonOperator::from_name(operator.name()), Some(operator));
    }
    assert_eq!(ComparisonOperator::from_name("eq"), None);
}

#[test]
fn conditions_cost_no_more_than_those_of_an_expression_could() {
    let list =
        |count: usize| (0..count).map(|n| number(i64::try_from(n).expect("small"))).collect::<Vec<_>>();
    let filter = |count: usize| {
        let comparison = Comparison { operator: ComparisonOperator::In, values: list(count) };
        query_filter(&BTreeMap::from([("a".to_owned(), comparison)]), ConditionalOperator::And).map(|_| ())
    };
    assert_eq!(filter(1364), Ok(()));
    assert_eq!(filter(1365), Err(LegacyError::TooManyOperands { count: 1366 }));
    let absent = Expectation { exists: Some(false), ..Expectation::default() };
    let expectations = |count: usize| {
        let map = (0..count).map(|n| (format!("a{n}"), absent.clone())).collect();
        expected(&map, ConditionalOperator::Or).map(|_| ())
    };
    assert_eq!(expectations(682), Ok(()));
    assert_eq!(expectations(683), Err(LegacyError::TooManyOperands { count: 1366 }));
}
