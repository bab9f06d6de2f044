//! Random conditions over random items, judged by a naive evaluator that shares nothing with the crate: its own
//! values (small integers for numbers), its own tree, straightforward rules from the developer guide.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{AttributeValue, Attributes, Number, NumberSet, Row, StringSet};
use hashrange_language::{Binder, ExpressionKind};
use proptest::prelude::*;

// -- the model

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    Number(i64),
    Bytes(Vec<u8>),
    Bool(bool),
    Null,
    Texts(BTreeSet<String>),
    Numbers(BTreeSet<i64>),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

#[derive(Clone, Debug)]
enum Operand {
    Path(Vec<Step>),
    Value(Value),
    Size(Vec<Step>),
}

#[derive(Clone, Debug)]
enum Step {
    Name(&'static str),
    Index(usize),
}

#[derive(Clone, Debug)]
enum Condition {
    Compare(&'static str, Operand, Operand),
    Between(Operand, Operand, Operand),
    In(Operand, Vec<Operand>),
    Exists(bool, Vec<Step>),
    Type(Operand, &'static str),
    BeginsWith(Operand, Operand),
    Contains(Operand, Operand),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

type Item = BTreeMap<String, Value>;

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Text(_) => "S",
        Value::Number(_) => "N",
        Value::Bytes(_) => "B",
        Value::Bool(_) => "BOOL",
        Value::Null => "NULL",
        Value::Texts(_) => "SS",
        Value::Numbers(_) => "NS",
        Value::List(_) => "L",
        Value::Map(_) => "M",
    }
}

fn find(item: &Item, path: &[Step]) -> Option<Value> {
    let mut here = Value::Map(item.clone());
    for step in path {
        here = match (here, step) {
            (Value::Map(map), Step::Name(name)) => map.get(*name)?.clone(),
            (Value::List(list), Step::Index(index)) => list.get(*index)?.clone(),
            _ => return None,
        };
    }
    Some(here)
}

fn size(value: &Value) -> Option<i64> {
    let length = match value {
        Value::Text(text) => text.chars().map(char::len_utf16).sum(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Texts(set) => set.len(),
        Value::Numbers(set) => set.len(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        _ => return None,
    };
    Some(i64::try_from(length).unwrap())
}

fn resolve(item: &Item, operand: &Operand) -> Option<Value> {
    match operand {
        Operand::Path(path) => find(item, path),
        Operand::Value(value) => Some(value.clone()),
        Operand::Size(path) => size(&find(item, path)?).map(Value::Number),
    }
}

/// Negative, zero or positive; `None` where there is no order.
fn order(left: &Value, right: &Value) -> Option<i32> {
    let ordering = match (left, right) {
        (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Number(left), Value::Number(right)) => left.cmp(right),
        (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
        _ => return None,
    };
    Some(ordering as i32)
}

fn compare(sign: &str, left: Option<&Value>, right: Option<&Value>) -> bool {
    let both = left.zip(right);
    let ordered = both.and_then(|(left, right)| order(left, right));
    match sign {
        "=" => both.is_some_and(|(left, right)| left == right),
        "<>" => !both.is_some_and(|(left, right)| left == right),
        "<" => ordered.is_some_and(|order| order < 0),
        "<=" => ordered.is_some_and(|order| order <= 0),
        ">" => ordered.is_some_and(|order| order > 0),
        ">=" => ordered.is_some_and(|order| order >= 0),
        _ => unreachable!(),
    }
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Text(whole), Value::Text(part)) => whole.contains(part),
        (Value::Bytes(whole), Value::Bytes(part)) => {
            (0..=whole.len()).any(|start| whole[start..].starts_with(part))
        }
        (Value::Texts(set), Value::Text(member)) => set.contains(member),
        (Value::Numbers(set), Value::Number(member)) => set.contains(member),
        (Value::List(list), element) => list.contains(element),
        _ => false,
    }
}

fn begins_with(whole: &Value, prefix: &Value) -> bool {
    match (whole, prefix) {
        (Value::Text(whole), Value::Text(prefix)) => whole.starts_with(prefix),
        (Value::Bytes(whole), Value::Bytes(prefix)) => whole.starts_with(prefix),
        _ => false,
    }
}

fn holds(item: &Item, condition: &Condition) -> bool {
    let value = |operand| resolve(item, operand);
    let two = |left, right, test: fn(&Value, &Value) -> bool| {
        value(left).zip(value(right)).is_some_and(|(left, right)| test(&left, &right))
    };
    match condition {
        Condition::Compare(sign, left, right) => compare(sign, value(left).as_ref(), value(right).as_ref()),
        Condition::Between(subject, low, high) => {
            let subject = value(subject);
            compare("<=", value(low).as_ref(), subject.as_ref())
                && compare("<=", subject.as_ref(), value(high).as_ref())
        }
        Condition::In(subject, list) => {
            list.iter().any(|operand| compare("=", value(subject).as_ref(), value(operand).as_ref()))
        }
        Condition::Exists(expected, path) => find(item, path).is_some() == *expected,
        Condition::Type(operand, name) => value(operand).is_some_and(|value| type_name(&value) == *name),
        Condition::BeginsWith(left, right) => two(left, right, begins_with),
        Condition::Contains(left, right) => two(left, right, contains),
        Condition::And(left, right) => holds(item, left) && holds(item, right),
        Condition::Or(left, right) => holds(item, left) || holds(item, right),
        Condition::Not(inner) => !holds(item, inner),
    }
}

// -- from the model to the crate

fn convert(value: &Value) -> AttributeValue {
    match value {
        Value::Text(text) => AttributeValue::S(text.clone()),
        Value::Number(number) => AttributeValue::N(Number::from_i64(*number)),
        Value::Bytes(bytes) => AttributeValue::B(bytes.clone()),
        Value::Bool(value) => AttributeValue::Bool(*value),
        Value::Null => AttributeValue::Null,
        Value::Texts(set) => AttributeValue::Ss(StringSet::new(set.iter().rev().cloned().collect()).unwrap()),
        Value::Numbers(set) => AttributeValue::Ns(
            NumberSet::new(set.iter().rev().map(|number| Number::from_i64(*number)).collect()).unwrap(),
        ),
        Value::List(list) => AttributeValue::L(list.iter().map(convert).collect()),
        Value::Map(map) => AttributeValue::M(convert_item(map)),
    }
}

fn convert_item(item: &Item) -> Attributes {
    item.iter().map(|(name, value)| (name.clone(), convert(value))).collect()
}

/// Writes a condition as an expression; every other value of the request gets a placeholder of its own.
#[derive(Default)]
struct Writer {
    values: Vec<(String, AttributeValue)>,
}

impl Writer {
    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.push((placeholder.clone(), value));
        placeholder
    }

    fn operand(&mut self, operand: &Operand) -> String {
        match operand {
            Operand::Path(path) => write_path(path),
            Operand::Value(value) => self.value(convert(value)),
            Operand::Size(path) => format!("size({})", write_path(path)),
        }
    }

    fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(sign, left, right) => {
                format!("{} {sign} {}", self.operand(left), self.operand(right))
            }
            Condition::Between(subject, low, high) => {
                format!("{} BETWEEN {} AND {}", self.operand(subject), self.operand(low), self.operand(high))
            }
            Condition::In(subject, list) => {
                let subject = self.operand(subject);
                let list: Vec<String> = list.iter().map(|operand| self.operand(operand)).collect();
                format!("{subject} IN ({})", list.join(", "))
            }
            Condition::Exists(true, path) => format!("attribute_exists({})", write_path(path)),
            Condition::Exists(false, path) => format!("attribute_not_exists({})", write_path(path)),
            Condition::Type(operand, name) => {
                format!("attribute_type({}, {})", self.operand(operand), self.value((*name).into()))
            }
            Condition::BeginsWith(left, right) => {
                format!("begins_with({}, {})", self.operand(left), self.operand(right))
            }
            Condition::Contains(left, right) => {
                format!("contains({}, {})", self.operand(left), self.operand(right))
            }
            Condition::And(left, right) => {
                format!("{} AND {}", self.side(left, true), self.side(right, true))
            }
            Condition::Or(left, right) => {
                format!("{} OR {}", self.side(left, false), self.side(right, false))
            }
            Condition::Not(inner) => {
                let text = self.condition(inner);
                let is_joined = matches!(**inner, Condition::And(..) | Condition::Or(..));
                if is_joined { format!("NOT ({text})") } else { format!("NOT {text}") }
            }
        }
    }

    /// Parentheses only where precedence asks for them, so that the parser's precedence is tested too. AND
    /// and OR are associative, so their chains need none.
    fn side(&mut self, condition: &Condition, binds_tighter: bool) -> String {
        let text = self.condition(condition);
        match condition {
            Condition::Or(..) if binds_tighter => format!("({text})"),
            _ => text,
        }
    }
}

fn write_path(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Name(name) if text.is_empty() => text.push_str(name),
            Step::Name(name) => text.extend([".", name]),
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    text
}

// -- strategies

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => "[xyé😀]{0,3}".prop_map(Value::Text),
        3 => (-3_i64..4).prop_map(Value::Number),
        1 => prop::collection::vec(0_u8..3, 0..3).prop_map(Value::Bytes),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let flat = prop_oneof![
        6 => scalar(),
        1 => prop::collection::btree_set("[xy]{0,2}", 1..3).prop_map(Value::Texts),
        1 => prop::collection::btree_set(-3_i64..4, 1..3).prop_map(Value::Numbers),
    ];
    flat.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::List),
            prop::collection::btree_map(name().prop_map(str::to_owned), inner, 0..3).prop_map(Value::Map),
        ]
    })
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(NAMES.to_vec())
}

fn item() -> impl Strategy<Value = Item> {
    prop::collection::btree_map(name().prop_map(str::to_owned), value(), 0..5)
}

fn path() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![name().prop_map(Step::Name), (0_usize..2).prop_map(Step::Index)];
    (name(), prop::collection::vec(step, 0..2)).prop_map(|(top, mut rest)| {
        rest.insert(0, Step::Name(top));
        rest
    })
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        5 => path().prop_map(Operand::Path),
        4 => value().prop_map(Operand::Value),
        1 => path().prop_map(Operand::Size),
    ]
}

fn test() -> impl Strategy<Value = Condition> {
    let sign = prop::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]);
    let type_name = prop::sample::select(vec!["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"]);
    prop_oneof![
        4 => (sign, operand(), operand()).prop_map(|(sign, left, right)| Condition::Compare(sign, left, right)),
        2 => (operand(), operand(), operand()).prop_map(|(subject, low, high)| Condition::Between(subject, low, high)),
        1 => (operand(), prop::collection::vec(operand(), 1..4)).prop_map(|(subject, list)| Condition::In(subject, list)),
        1 => (any::<bool>(), path()).prop_map(|(expected, path)| Condition::Exists(expected, path)),
        1 => (operand(), type_name).prop_map(|(operand, name)| Condition::Type(operand, name)),
        2 => (operand(), operand()).prop_map(|(left, right)| Condition::BeginsWith(left, right)),
        2 => (operand(), operand()).prop_map(|(left, right)| Condition::Contains(left, right)),
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    test().prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| Condition::And(Box::new(left), Box::new(right))),
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| Condition::Or(Box::new(left), Box::new(right))),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

/// What AWS refuses without an item: see the golden scripts. The random conditions are not meant to be so.
fn is_refused(condition: &Condition) -> bool {
    let unordered = |operand: &Operand| match operand {
        Operand::Value(value) => order(value, value).is_none(),
        _ => false,
    };
    let unprefixed = |operand: &Operand| match operand {
        Operand::Value(value) => !matches!(value, Value::Text(_) | Value::Bytes(_)),
        Operand::Size(_) => true,
        Operand::Path(_) => false,
    };
    match condition {
        Condition::Compare(sign, left, right) => {
            same_path(left, right) || (!matches!(*sign, "=" | "<>") && (unordered(left) || unordered(right)))
        }
        Condition::Between(subject, low, high) => {
            let bounds_refused = match (low, high) {
                (Operand::Value(low), Operand::Value(high)) => order(low, high).is_none_or(|order| order > 0),
                _ => false,
            };
            same_path(subject, low)
                || same_path(subject, high)
                || bounds_refused
                || [subject, low, high].into_iter().any(unordered)
        }
        Condition::In(subject, list) => list.iter().any(|operand| same_path(subject, operand)),
        Condition::BeginsWith(left, right) => same_path(left, right) || unprefixed(left) || unprefixed(right),
        Condition::Contains(left, right) => same_path(left, right),
        Condition::Exists(..) | Condition::Type(..) => false,
        Condition::And(left, right) | Condition::Or(left, right) => is_refused(left) || is_refused(right),
        Condition::Not(inner) => is_refused(inner),
    }
}

fn same_path(left: &Operand, right: &Operand) -> bool {
    match (left, right) {
        (Operand::Path(left), Operand::Path(right)) => write_path(left) == write_path(right),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn conditions_hold_as_the_naive_evaluator_says(condition in condition(), item in item()) {
        let mut writer = Writer::default();
        let text = writer.condition(&condition);
        let values = Attributes::from_pairs(writer.values);
        let bound = Binder::new(None, Some(&values)).condition(ExpressionKind::Condition, &text);
        prop_assert_eq!(bound.is_err(), is_refused(&condition), "{}: {:?}", text, bound);
        if let Ok(bound) = bound {
            let expected = holds(&item, &condition);
            let item = convert_item(&item);
            prop_assert_eq!(bound.evaluate(Some(&item)), expected, "{} is {}", text, bound);
            prop_assert_eq!(bound.evaluate(Some(&Row::encode(&item))), expected, "{} is {} of a row", text, bound);
        }
    }

    #[test]
    fn a_missing_item_is_like_an_empty_one(condition in condition()) {
        let mut writer = Writer::default();
        let text = writer.condition(&condition);
        let values = Attributes::from_pairs(writer.values);
        if let Ok(bound) = Binder::new(None, Some(&values)).condition(ExpressionKind::Condition, &text) {
            prop_assert_eq!(bound.evaluate(None), holds(&Item::new(), &condition), "{}", text);
        }
    }
}
