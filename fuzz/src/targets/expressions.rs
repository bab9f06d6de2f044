//! Every kind of expression: parsed, bound, evaluated, applied.

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes, Number, NumberSet, Row, StringSet};
use hashrange_language::{Binder, ExpressionKind};

use super::{MEGABYTE, Run, Target};
use crate::corpus::Golden;

/// The input is the text.
pub const TARGET: Target = Target {
    name: "expressions",
    words: &[
        "a",
        "b",
        "c.d",
        "#n",
        "#m",
        "#gone",
        ":n",
        ":s",
        ":b",
        ":l",
        ":m",
        ":ss",
        ":ns",
        ":t",
        ":gone",
        "[0]",
        "[1]",
        "[99999999999]",
        ".",
        ",",
        "(",
        ")",
        "((",
        "))",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        " AND ",
        " OR ",
        " NOT ",
        " BETWEEN ",
        " IN (",
        "SET ",
        " REMOVE ",
        " ADD ",
        " DELETE ",
        " + ",
        " - ",
        "attribute_exists(",
        "attribute_not_exists(",
        "attribute_type(",
        "begins_with(",
        "contains(",
        "size(",
        "if_not_exists(",
        "list_append(",
        "status",
        "é",
        "_",
        " ",
        "\t",
    ],
    length: 4200,
    memory: 8 * MEGABYTE,
    seeds,
    make,
};

fn seeds(golden: &Golden) -> Vec<Vec<u8>> {
    let names = [
        "ConditionExpression",
        "FilterExpression",
        "KeyConditionExpression",
        "ProjectionExpression",
        "UpdateExpression",
    ];
    golden.texts(&names).into_iter().map(String::into_bytes).collect()
}

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(value))
}

fn make() -> Run {
    let names = BTreeMap::from([("#n".to_owned(), "n".to_owned()), ("#m".to_owned(), "a.b".to_owned())]);
    let set = |text: &str| AttributeValue::Ss(StringSet::new(vec![text.to_owned()]).expect("one member"));
    let numbers = AttributeValue::Ns(NumberSet::new(vec![Number::from_i64(1)]).expect("one member"));
    let map =
        AttributeValue::M(Attributes::from([("d", number(1)), ("b", AttributeValue::L(vec![number(2)]))]));
    let values = Attributes::from([
        (":n", number(1)),
        (":s", "a".into()),
        (":b", AttributeValue::B(vec![0, 255])),
        (":l", AttributeValue::L(vec![number(1), "x".into()])),
        (":m", map.clone()),
        (":ss", set("a")),
        (":ns", numbers.clone()),
        (":t", "S".into()),
    ]);
    let item = Attributes::from([
        ("a", map),
        ("b", AttributeValue::L(vec![number(1), "x".into()])),
        ("c", set("x")),
        ("d", numbers),
        ("e", AttributeValue::Null),
        ("n", number(5)),
        ("s", "text".into()),
    ]);
    let row = Row::encode(&item);
    Box::new(move |input| {
        if let Ok(text) = str::from_utf8(input) {
            run(text, &names, &values, &item, &row);
        }
    })
}

fn run(text: &str, names: &BTreeMap<String, String>, values: &Attributes, item: &Attributes, row: &Row) {
    let mut binder = Binder::new(Some(names), Some(values));
    for kind in [ExpressionKind::Condition, ExpressionKind::Filter] {
        if let Ok(condition) = binder.condition(kind, text) {
            assert_eq!(
                condition.evaluate(Some(item)),
                condition.evaluate(Some(row)),
                "a tree and a row differ"
            );
            condition.evaluate(None);
            assert!(!condition.to_string().is_empty());
            assert!(condition.top_level_attributes().len() + condition.nested_attributes().len() < 5000);
        }
    }
    if let Ok(update) = binder.update(text) {
        for old in [None, Some(item)] {
            update.touched(old);
            if let Ok(new) = update.apply(old, &Attributes::from([("k", "key".into())])) {
                update.touched_new(&new);
                let stored = Row::encode(&new);
                assert_eq!(stored.decode().as_ref(), Ok(&new), "an updated item is stored as it is");
            }
        }
        assert!(update.cost() > 0 && update.targets().count() > 0);
    }
    if let Ok(projection) = binder.projection(text) {
        assert_eq!(projection.project(item), projection.project(row), "a tree and a row differ");
        projection.whole_top_level();
    }
    if let Ok(condition) = binder.key_condition(text) {
        assert!(!condition.clauses().is_empty());
        for clause in condition.clauses() {
            clause.operator.is_equality();
        }
    }
    let _ = binder.finish();
}
