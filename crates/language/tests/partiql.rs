//! PartiQL statements against independent judges: printing and reading again changes nothing, no text makes the parser
//! fail otherwise than with an error, and the reads of a SELECT find exactly the items that its condition holds for.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::cmp::Ordering;

use hashrange_item::{AttributeValue, Attributes, KeyAttribute, KeyKind, Lookup, Number};
use hashrange_language::partiql::{
    Access, Bound, KeyProblem, Read, Select, Statement, check_key, item_key, reads,
};
use hashrange_language::{Condition, KeyOperator};
use proptest::prelude::*;

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(value))
}

fn key(name: &str) -> KeyAttribute {
    KeyAttribute { name: name.to_owned(), kind: KeyKind::N }
}

fn select(text: &str, parameters: &[AttributeValue]) -> Select {
    match Statement::parse(text).unwrap().bind(parameters).unwrap() {
        Bound::Select(select) => select,
        other => panic!("{text} is {other:?}"),
    }
}

// -- texts

fn attribute() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]",
        Just("\"select\"".to_owned()),
        Just("\"q\"\"q\"".to_owned()),
        Just("m.k[3].\"x\"".to_owned())
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        "(- ){0,3}[0-9]{1,3}",
        "'[a-z ?\"]{0,4}'",
        Just("'it''s'".to_owned()),
        Just("?".to_owned()),
        Just("TRUE".to_owned()),
        Just("null".to_owned()),
        Just(".5e-3".to_owned()),
    ]
}

fn literal() -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof!["[0-9]{1,3}", "'[a-z]{0,3}'", Just("<<1, 2>>".to_owned()), Just("<<'a'>>".to_owned())];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|list| format!("[{}]", list.join(", "))),
            (inner.clone(), inner).prop_map(|(one, two)| format!("{{'a': {one}, 'b''c': {two}}}")),
        ]
    })
}

fn operand() -> impl Strategy<Value = String> {
    prop_oneof![attribute(), scalar(), literal(), attribute().prop_map(|name| format!("size({name})"))]
}

fn condition() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (operand(), prop::sample::select(vec!["=", "<>", "!=", "<", ">="]), operand())
            .prop_map(|(left, comparator, right)| format!("{left} {comparator} {right}")),
        (attribute(), scalar()).prop_map(|(name, value)| format!("{name} NOT BETWEEN 1 AND {value}")),
        (attribute(), scalar()).prop_map(|(name, value)| format!("{name} in ({value}, 'x')")),
        (attribute(), prop::sample::select(vec!["MISSING", "NULL", "double precision", "bag"]))
            .prop_map(|(name, kind)| format!("{name} IS NOT {kind}")),
        attribute().prop_map(|name| format!("Attribute_Exists({name}) = true")),
        attribute().prop_map(|name| format!("begins_with({name}, 'x')")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("{one} and {two}")),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}) OR {two}")),
            inner.prop_map(|one| format!("NOT ({one})")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        operand(),
        (attribute(), scalar()).prop_map(|(name, value)| format!("{name} - {value} + 1")),
        literal().prop_map(|list| format!("list_append(l, {list})")),
    ];
    prop_oneof![
        (attribute(), condition()).prop_map(|(column, condition)| format!(
            "SELECT {column}, \"z\" FROM \"t\".i WHERE {condition} ORDER BY a DESC, b;"
        )),
        condition().prop_map(|condition| format!("select * from \"t\"\"t\" where {condition} -- end")),
        (literal(), scalar()).prop_map(|(one, two)| format!("INSERT INTO t VALUE {{'a': {one}, 'b': {two}}}")),
        (value, condition()).prop_map(|(value, condition)| format!(
            "UPDATE t SET a = {value} REMOVE b[0] SET c = set_add(c, <<'x'>>) WHERE {condition} RETURNING MODIFIED NEW *"
        )),
        condition().prop_map(|condition| format!("FROM t WHERE {condition} SET a.b = 1")),
        condition().prop_map(|condition| format!("DELETE FROM t WHERE {condition} RETURNING ALL OLD *")),
    ]
}

/// A text put into up to three kinds of others again and again: many such statements are as deep as can be read, and
/// many deeper.
fn nested(
    leaf: &'static str,
    around: &'static [(&'static str, &'static str)],
) -> impl Strategy<Value = String> + Clone {
    let kinds = prop::sample::subsequence(around, 1..=3);
    (kinds, prop::array::uniform3(1..20_u32), 10..90_usize).prop_flat_map(move |(kinds, weights, times)| {
        let layer = prop::sample::select(
            kinds
                .iter()
                .zip(weights)
                .flat_map(|(kind, weight)| vec![*kind; weight as usize])
                .collect::<Vec<_>>(),
        );
        prop::collection::vec(layer, times).prop_map(move |layers| {
            layers.iter().fold(leaf.to_owned(), |inner, (before, after)| format!("{before}{inner}{after}"))
        })
    })
}

fn deep_statement() -> impl Strategy<Value = String> {
    let value = nested(
        "a",
        &[
            ("", " - 1"),
            ("", "+1"),
            ("(", ")"),
            ("(", ")-1"),
            ("1 - (", ")"),
            ("f(", ")"),
            ("f(b, ", " - 1)"),
            ("", "+(b-2)"),
        ],
    );
    let condition = nested(
        "a = 1",
        &[
            ("NOT ", ""),
            ("(", ")"),
            ("NOT (", ")"),
            ("", " AND b = 1"),
            ("b = 1 OR ", ""),
            ("(", ") AND (c = 1 OR d = 2)"),
            ("(", ") = 1"),
            ("f((", ")) = (g)"),
            ("NOT (", ") IN [1, ((2))]"),
            ("a NOT BETWEEN (1) AND (", ")"),
            ("(", ") IS NOT NULL"),
        ],
    );
    let literal = nested("1", &[("[", "]"), ("{'a': ", "}"), ("[[], ", "]"), ("[(", ")]"), ("(", ")")]);
    prop_oneof![
        value.prop_map(|value| format!("UPDATE t SET n = {value} WHERE pk = 'a'")),
        condition.prop_map(|condition| format!("SELECT * FROM t WHERE {condition}")),
        literal.clone().prop_map(|value| format!("INSERT INTO t VALUE {{'a': {value}}}")),
        literal.prop_map(|value| format!("DELETE FROM t WHERE a = {value}")),
    ]
}

fn parameters() -> Vec<AttributeValue> {
    (0..40).map(number).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_printed_statement_is_the_same_statement(text in statement()) {
        let Ok(statement) = Statement::parse(&text) else { return Ok(()) };
        let printed = statement.to_string();
        let again = Statement::parse(&printed);
        prop_assert!(again.is_ok(), "{} printed as {} is {:?}", text, printed, again);
        let again = again.unwrap();
        prop_assert_eq!(&again.to_string(), &printed);
        prop_assert_eq!(without_places(again.bind(&parameters())), without_places(statement.bind(&parameters())));
    }

    #[test]
    fn a_printed_statement_is_as_readable_as_the_one_that_was_written(text in deep_statement()) {
        let Ok(statement) = Statement::parse(&text) else { return Ok(()) };
        let printed = statement.to_string();
        let again = Statement::parse(&printed);
        prop_assert!(again.is_ok(), "{} printed as {} is {:?}", text, printed, again);
        prop_assert_eq!(&again.unwrap().to_string(), &printed);
    }

    #[test]
    fn most_generated_statements_are_statements(text in condition()) {
        let text = format!("SELECT * FROM t WHERE {text}");
        prop_assert!(Statement::parse(&text).is_ok(), "{} is {:?}", text, Statement::parse(&text));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _ = Statement::parse(&text);
        let _ = Statement::parse(&format!("SELECT * FROM t WHERE {text}"));
        let _ = Statement::parse(&format!("UPDATE t SET a = {text} WHERE b = 1"));
    }

    #[test]
    fn no_change_of_a_statement_makes_the_parser_panic(
        text in statement(),
        cut in any::<prop::sample::Index>(),
        insert in prop::sample::select(vec!["", "(", "'", "\"", "[", "<<", ">>", "-", "?", ".", "/*", "--", "1e", "NOT ", "é", ";"]),
        drop in 0_usize..4,
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        let at = cut.index(characters.len());
        characters.splice(at..(at + drop).min(characters.len()), insert.chars());
        let changed: String = characters.into_iter().collect();
        if let Ok(statement) = Statement::parse(&changed) {
            let _ = statement.bind(&parameters());
            let _ = statement.bind(&[]);
        }
    }
}

/// The outcome of binding, for comparison: a refusal may say where it was, which printing changes.
fn without_places<T: PartialEq + std::fmt::Debug, E: std::fmt::Debug>(
    outcome: Result<T, E>,
) -> Result<T, String> {
    outcome.map_err(|error| format!("{error:?}").split("place").next().unwrap_or_default().to_owned())
}

// -- keys

fn key_test() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => (0..3).prop_map(|value| format!("h = {value}")),
        1 => prop::collection::vec(0..3, 1..3).prop_map(|values| format!("h IN {values:?}")),
        2 => (prop::sample::select(vec!["=", "<", "<=", ">", ">=", "<>"]), 0..4).prop_map(|(comparator, value)| format!("s {comparator} {value}")),
        1 => (0..4, 0..3).prop_map(|(low, more)| format!("s BETWEEN {low} AND {}", low + more)),
        1 => prop::collection::vec(0..4, 1..3).prop_map(|values| format!("s IN {values:?}")),
        2 => (0..2).prop_map(|value| format!("f = {value}")),
        1 => Just("f IS MISSING".to_owned()),
        1 => (0..4).prop_map(|value| format!("{value} > s")),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            3 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one} AND {two})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one} OR {two})")),
            1 => inner.prop_map(|one| format!("NOT {one}")),
        ]
    })
}

fn every_item() -> Vec<Attributes> {
    let mut items = Vec::new();
    for hash in 0..3 {
        for sort in 0..5 {
            for filter in [None, Some(0), Some(1)] {
                let mut item = Attributes::from([("h", number(hash)), ("s", number(sort))]);
                if let Some(filter) = filter {
                    item.insert("f".to_owned(), number(filter));
                }
                items.push(item);
            }
        }
    }
    items
}

fn holds(condition: Option<&Condition>, item: &Attributes) -> bool {
    condition.is_none_or(|condition| condition.evaluate(Some(item as &dyn Lookup)))
}

/// Whether a read comes across the item: judged value by value, without any of the code that ranges are made by.
fn reaches(read: &Read, item: &Attributes) -> bool {
    let within = |name: &str, operator: &KeyOperator| {
        let value = item.get(name).unwrap();
        let order = |other: &AttributeValue| value.compare(other).unwrap();
        match operator {
            KeyOperator::Equal(other) => order(other) == Ordering::Equal,
            KeyOperator::Less(other) => order(other) == Ordering::Less,
            KeyOperator::LessOrEqual(other) => order(other) != Ordering::Greater,
            KeyOperator::Greater(other) => order(other) == Ordering::Greater,
            KeyOperator::GreaterOrEqual(other) => order(other) != Ordering::Less,
            KeyOperator::Between(low, high) => {
                order(low) != Ordering::Less && order(high) != Ordering::Greater
            }
            KeyOperator::BeginsWith(_) => panic!("numbers have no beginning"),
        }
    };
    read.key.clauses().iter().all(|clause| within(&clause.attribute, &clause.operator))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn reads_find_each_item_of_the_condition_once(text in key_test()) {
        let condition = select(&format!("SELECT * FROM t WHERE {text}"), &[]).condition.unwrap();
        match reads(Some(condition.clone()), &key("h"), Some(&key("s"))) {
            Err(problem) => prop_assert!(matches!(problem, KeyProblem::Overlap | KeyProblem::TooManyReads)),
            Ok(Access::Scan(filter)) => prop_assert_eq!(filter, Some(condition)),
            Ok(Access::Reads(found)) => {
                for item in every_item() {
                    let times = found.iter().filter(|read| reaches(read, &item) && holds(read.filter.as_ref(), &item)).count();
                    prop_assert_eq!(times, usize::from(holds(Some(&condition), &item)), "{} of {:?}", text, item);
                }
            }
        }
    }

    #[test]
    fn a_check_of_one_item_asks_all_that_its_key_does_not_say(text in key_test(), hash in 0..3, sort in 0..4) {
        let text = format!("SELECT * FROM t WHERE {text} AND h = {hash} AND s = {sort}");
        let condition = select(&text, &[]).condition.unwrap();
        if let Some((found, rest)) = check_key(Some(condition.clone()), &[&key("h"), &key("s")]) {
            for item in every_item() {
                let is_it = found.iter().all(|(name, value)| item.get(name) == Some(value));
                let holds_all = is_it && holds(Some(&rest), &item);
                prop_assert_eq!(holds_all, holds(Some(&condition), &item), "{} of {:?}", text, item);
            }
        }
    }

    #[test]
    fn a_write_reaches_its_item_and_keeps_the_rest_as_a_condition(text in key_test(), hash in 0..3, sort in 0..4) {
        let text = format!("SELECT * FROM t WHERE {text} AND h = {hash} AND s = {sort}");
        let condition = select(&text, &[]).condition.unwrap();
        match item_key(Some(condition.clone()), &[&key("h"), &key("s")]) {
            Err(problem) => {
                let several = matches!(problem, KeyProblem::Several { .. });
                prop_assert!(several, "{problem:?}");
            }
            Ok((found, rest)) => {
                for item in every_item() {
                    let is_it = found.iter().all(|(name, value)| item.get(name) == Some(value));
                    if is_it {
                        prop_assert_eq!(holds(rest.as_ref(), &item), holds(Some(&condition), &item), "{} of {:?}", text, item);
                    }
                }
            }
        }
    }
}
