//! Nothing a client sends makes the parser or the binder panic: random bytes, and random tokens, which get
//! further.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes, Number};
use hashrange_language::{Binder, ExpressionKind};
use proptest::prelude::*;

const TOKENS: [&str; 58] = [
    "a",
    "b",
    "c",
    "status",
    "#n",
    "#m",
    "#gone",
    ":one",
    ":two",
    ":text",
    ":list",
    ":set",
    ":gone",
    "[0]",
    "[1]",
    "[",
    "]",
    ".",
    ",",
    ",",
    "(",
    "(",
    ")",
    ")",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "AND",
    "OR",
    "NOT",
    "BETWEEN",
    "IN",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "+",
    "-",
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "size",
    "if_not_exists",
    "list_append",
    "foo",
    "0",
    "12",
    "!",
    "#",
    ":",
    "é",
    "\"",
    "_",
];

fn bind_all(text: &str) {
    let names = BTreeMap::from([("#n".to_owned(), "n".to_owned()), ("#m".to_owned(), "a.b".to_owned())]);
    let number = |value| AttributeValue::N(Number::from_i64(value));
    let values = Attributes::from([
        (":one", number(1)),
        (":two", number(2)),
        (":text", "S".into()),
        (":list", AttributeValue::L(vec![number(1)])),
        (":set", AttributeValue::Ns(hashrange_item::NumberSet::new(vec![Number::from_i64(1)]).unwrap())),
    ]);
    let item = Attributes::from([
        ("a", AttributeValue::M(Attributes::from([("b", number(1))]))),
        ("b", AttributeValue::L(vec![number(1), "x".into()])),
        ("n", number(5)),
    ]);
    let mut binder = Binder::new(Some(&names), Some(&values));
    for kind in [ExpressionKind::Condition, ExpressionKind::Filter] {
        if let Ok(condition) = binder.condition(kind, text) {
            condition.evaluate(Some(&item));
            condition.evaluate(None);
            assert!(!condition.to_string().is_empty());
        }
    }
    if let Ok(update) = binder.update(text) {
        for old in [None, Some(&item)] {
            let new = update.apply(old, &Attributes::new());
            update.touched(old);
            if let Ok(new) = new {
                update.touched_new(&new);
            }
        }
        assert!(update.cost() > 0);
    }
    if let Ok(projection) = binder.projection(text) {
        projection.project(&item);
    }
    if let Ok(condition) = binder.key_condition(text) {
        assert!(!condition.clauses().is_empty());
    }
    drop(binder.finish());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn random_text_never_panics(text in any::<String>()) {
        bind_all(&text);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        bind_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_tokens_never_panic(tokens in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..25)) {
        bind_all(&tokens.join(" "));
        bind_all(&tokens.concat());
    }

    /// Clauses that are nearly right get through to the evaluation.
    #[test]
    fn random_operands_never_panic(
        operands in prop::collection::vec(prop::sample::select(vec!["a.b", "b[0]", "#n", "#m", ":one", ":two", ":list", ":set", "size(b)", "c", "if_not_exists(b, :one)", "(a)"]), 3),
        form in prop::sample::select(vec!["X = Y", "X BETWEEN Y AND Z", "X IN (Y, Z)", "NOT contains(X, Y)", "begins_with(X, Y) OR X < Z", "SET X = Y + Z", "SET X = list_append(Y, Z)", "ADD X Y REMOVE Z", "DELETE X Y SET Z = :one", "X, Y, Z"]),
    ) {
        bind_all(&form.replace('X', operands[0]).replace('Y', operands[1]).replace('Z', operands[2]));
    }
}
