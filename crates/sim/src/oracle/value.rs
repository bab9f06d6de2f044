//! The oracle's own values: what they weigh, how they are ordered, how they are sent.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{AttributeValue, Attributes, BinarySet, Number, NumberSet, StringSet};

/// A value as the oracle sees it. Numbers are thousandths, so that their arithmetic is exact and plain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    S(String),
    N(i64),
    B(Vec<u8>),
    Bool(bool),
    Null,
    Ss(BTreeSet<String>),
    Ns(BTreeSet<i64>),
    Bs(BTreeSet<Vec<u8>>),
    L(Vec<Value>),
    M(BTreeMap<String, Value>),
}

/// An item, or some attributes of one.
pub type Item = BTreeMap<String, Value>;

/// The types of key attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    S,
    N,
    B,
}

impl Value {
    /// The type as requests name it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::S(_) => "S",
            Value::N(_) => "N",
            Value::B(_) => "B",
            Value::Bool(_) => "BOOL",
            Value::Null => "NULL",
            Value::Ss(_) => "SS",
            Value::Ns(_) => "NS",
            Value::Bs(_) => "BS",
            Value::L(_) => "L",
            Value::M(_) => "M",
        }
    }

    pub fn is_of(&self, kind: Kind) -> bool {
        matches!((self, kind), (Value::S(_), Kind::S) | (Value::N(_), Kind::N) | (Value::B(_), Kind::B))
    }

    pub fn is_empty_key(&self) -> bool {
        match self {
            Value::S(text) => text.is_empty(),
            Value::B(bytes) => bytes.is_empty(),
            _ => false,
        }
    }

    /// Bytes that the value counts.
    pub fn size(&self) -> usize {
        match self {
            Value::S(text) => text.len(),
            Value::N(number) => number_size(*number),
            Value::B(bytes) => bytes.len(),
            Value::Bool(_) | Value::Null => 1,
            Value::Ss(set) => set.iter().map(String::len).sum(),
            Value::Ns(set) => set.iter().map(|number| number_size(*number)).sum(),
            Value::Bs(set) => set.iter().map(Vec::len).sum(),
            Value::L(list) => 3 + list.iter().map(|value| 1 + value.size()).sum::<usize>(),
            Value::M(map) => 3 + map.iter().map(|(name, value)| 1 + name.len() + value.size()).sum::<usize>(),
        }
    }

    pub fn to_api(&self) -> AttributeValue {
        const DISTINCT: &str = "the members of a set differ";
        match self {
            Value::S(text) => AttributeValue::S(text.clone()),
            Value::N(number) => AttributeValue::N(to_number(*number)),
            Value::B(bytes) => AttributeValue::B(bytes.clone()),
            Value::Bool(truth) => AttributeValue::Bool(*truth),
            Value::Null => AttributeValue::Null,
            Value::Ss(set) => {
                AttributeValue::Ss(StringSet::new(set.iter().cloned().collect()).expect(DISTINCT))
            }
            Value::Ns(set) => AttributeValue::Ns(
                NumberSet::new(set.iter().map(|n| to_number(*n)).collect()).expect(DISTINCT),
            ),
            Value::Bs(set) => {
                AttributeValue::Bs(BinarySet::new(set.iter().cloned().collect()).expect(DISTINCT))
            }
            Value::L(list) => AttributeValue::L(list.iter().map(Value::to_api).collect()),
            Value::M(map) => AttributeValue::M(to_attributes(map)),
        }
    }

    pub fn from_api(value: &AttributeValue) -> Value {
        match value {
            AttributeValue::S(text) => Value::S(text.clone()),
            AttributeValue::N(number) => Value::N(from_number(number)),
            AttributeValue::B(bytes) => Value::B(bytes.clone()),
            AttributeValue::Bool(truth) => Value::Bool(*truth),
            AttributeValue::Null => Value::Null,
            AttributeValue::Ss(set) => Value::Ss(set.iter().cloned().collect()),
            AttributeValue::Ns(set) => Value::Ns(set.iter().map(from_number).collect()),
            AttributeValue::Bs(set) => Value::Bs(set.iter().cloned().collect()),
            AttributeValue::L(list) => Value::L(list.iter().map(Value::from_api).collect()),
            AttributeValue::M(map) => Value::M(from_attributes(map)),
        }
    }
}

pub fn to_attributes(item: &Item) -> Attributes {
    item.iter().map(|(name, value)| (name.clone(), value.to_api())).collect()
}

pub fn from_attributes(attributes: &Attributes) -> Item {
    attributes.iter().map(|(name, value)| (name.to_owned(), Value::from_api(value))).collect()
}

/// Bytes that an item, or an index's entry, counts.
pub fn item_size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value.size()).sum()
}

/// Integer and fraction digits, without zeros at the far ends of either.
fn digits(thousandths: i64) -> (String, String) {
    let magnitude = thousandths.unsigned_abs();
    let whole = (magnitude / 1000).to_string();
    let fraction = format!("{:03}", magnitude % 1000).trim_end_matches('0').to_owned();
    (if whole == "0" { String::new() } else { whole }, fraction)
}

fn number_text(thousandths: i64) -> String {
    let (whole, fraction) = digits(thousandths);
    let sign = if thousandths < 0 { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { &whole };
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// 1 byte, 1 for every two digits on each side of the point, 1 for a minus.
fn number_size(thousandths: i64) -> usize {
    let (whole, fraction) = digits(thousandths);
    let whole = if fraction.is_empty() { whole.trim_end_matches('0') } else { &whole };
    let fraction = if whole.is_empty() { fraction.trim_start_matches('0') } else { &fraction };
    1 + whole.len().div_ceil(2) + fraction.len().div_ceil(2) + usize::from(thousandths < 0)
}

fn to_number(thousandths: i64) -> Number {
    Number::parse(&number_text(thousandths)).expect("a plain decimal")
}

fn from_number(number: &Number) -> i64 {
    let text = number.to_string();
    let (sign, text) = text.strip_prefix('-').map_or((1, text.as_str()), |rest| (-1, rest));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= 3, "the model's numbers are thousandths: {number}");
    let whole: i64 = whole.parse().expect("digits");
    let fraction: i64 = format!("{fraction:0<3}").parse().expect("digits");
    sign * (whole * 1000 + fraction)
}

#[test]
fn number_sizes_are_those_measured_on_aws() {
    for (thousandths, size) in [
        (0, 1),
        (1000, 2),
        (12_000, 2),
        (123_000, 3),
        (1_234_000, 3),
        (12_345_000, 4),
        (100_000, 2),
        (1_010_000, 3),
        (1500, 3),
        (1234, 4),
        (100_500, 4),
        (150, 2),
        (-42_000, 3),
        (-150, 3),
    ] {
        assert_eq!(number_size(thousandths), size, "{}", number_text(thousandths));
    }
}
