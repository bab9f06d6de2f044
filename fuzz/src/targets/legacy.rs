//! The legacy parameters, lowered to conditions and updates.

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes, Number, Row};
use hashrange_language::legacy::{
    self, AttributeUpdate, Comparison, ComparisonOperator, ConditionalOperator, Expectation, UpdateAction,
};

use super::structured::Source;
use super::{MEGABYTE, Run, Target};

/// The input is bytes from which parameters are made.
pub const TARGET: Target = Target {
    name: "legacy",
    words: &["a", "b", "\0", "\x01", "\x02", "\x03", "\x04", "\x05"],
    length: 1024,
    memory: 4 * MEGABYTE,
    seeds: |_| {
        vec![vec![0; 40], (0..=255).collect(), b"\x03\x01a\x01\x01\x05\x02\x00\x01x\x00\x01y\x00".to_vec()]
    },
    make: || -> Run { Box::new(run) },
};

const OPERATORS: [&str; 13] = [
    "EQ",
    "NE",
    "IN",
    "LE",
    "LT",
    "GE",
    "GT",
    "BETWEEN",
    "NOT_NULL",
    "NULL",
    "CONTAINS",
    "NOT_CONTAINS",
    "BEGINS_WITH",
];

fn run(input: &[u8]) {
    let mut source = Source::new(input);
    let item = Attributes::from([("a", AttributeValue::N(Number::from_i64(1))), ("b", "text".into())]);
    let row = Row::encode(&item);
    let joined = if source.byte() & 1 == 0 { ConditionalOperator::And } else { ConditionalOperator::Or };
    let which = source.byte() % 5;
    match which {
        0 | 1 => {
            let condition = if which == 0 {
                legacy::expected(&entries(&mut source, expectation), joined)
            } else {
                legacy::query_filter(&entries(&mut source, comparison), joined)
            };
            if let Ok(condition) = condition {
                assert_eq!(condition.evaluate(Some(&item)), condition.evaluate(Some(&row)));
                condition.evaluate(None);
                assert!(!condition.to_string().is_empty());
            }
        }
        2 => drop(legacy::key_conditions(&entries(&mut source, comparison))),
        3 => {
            if let Ok(update) = legacy::attribute_updates(&entries(&mut source, update)) {
                for old in [None, Some(&item)] {
                    if let Ok(new) = update.apply(old, &Attributes::new()) {
                        assert_eq!(Row::encode(&new).decode().as_ref(), Ok(&new));
                    }
                }
            }
        }
        _ => {
            let names: Vec<String> = (0..source.byte() % 8).map(|_| source.text()).collect();
            if let Ok(projection) = legacy::attributes_to_get(&names) {
                assert_eq!(projection.project(&item), projection.project(&row));
            }
        }
    }
}

fn entries<T>(source: &mut Source<'_>, one: fn(&mut Source<'_>) -> T) -> BTreeMap<String, T> {
    let count = 1 + source.byte() % 4;
    (0..count).map(|at| (if at == 0 { "a".to_owned() } else { source.text() }, one(source))).collect()
}

fn operator(source: &mut Source<'_>) -> ComparisonOperator {
    let name = OPERATORS[usize::from(source.byte()) % OPERATORS.len()];
    ComparisonOperator::from_name(name).expect("the name of an operator")
}

fn values(source: &mut Source<'_>) -> Vec<AttributeValue> {
    (0..source.byte() % 4).map(|_| source.value(2)).collect()
}

fn comparison(source: &mut Source<'_>) -> Comparison {
    Comparison { operator: operator(source), values: values(source) }
}

fn expectation(source: &mut Source<'_>) -> Expectation {
    let given = source.byte();
    let is_given = |bit: u8| given & (1 << bit) != 0;
    Expectation {
        value: is_given(0).then(|| source.value(2)),
        exists: is_given(1).then(|| is_given(2)),
        comparison_operator: is_given(3).then(|| operator(source)),
        attribute_value_list: is_given(4).then(|| values(source)),
    }
}

fn update(source: &mut Source<'_>) -> AttributeUpdate {
    let given = source.byte();
    let action = match given >> 1 & 3 {
        0 => None,
        1 => Some(UpdateAction::Put),
        2 => Some(UpdateAction::Add),
        _ => Some(UpdateAction::Delete),
    };
    AttributeUpdate { value: (given & 1 == 1).then(|| source.value(2)), action }
}
