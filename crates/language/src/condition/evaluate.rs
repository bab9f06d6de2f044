//! Whether a condition holds for an item.
//!
//! An operand that the item lacks makes every test false, except `<>`, which it makes true. So do operands
//! of types that the test does not know. Values are borrowed where the item holds them as a tree.

use std::borrow::Cow;
use std::cmp::Ordering;

use hashrange_item::{AttributeValue, Lookup, Number};

use super::{Comparator, Operand, Test, search};

impl Test {
    pub(crate) fn holds(&self, item: Option<&dyn Lookup>) -> bool {
        match self {
            Self::All(tests) => tests.iter().all(|test| test.holds(item)),
            Self::Any(tests) => tests.iter().any(|test| test.holds(item)),
            Self::Not(test) => !test.holds(item),
            Self::Compare(comparator, left, right) => {
                compare(*comparator, left.value(item).as_deref(), right.value(item).as_deref())
            }
            Self::Between(subject, low, high) => between(subject, low, high, item),
            Self::In(subject, list) => is_in(subject, list, item),
            Self::Exists(path) => item.is_some_and(|item| path.resolve_in(item).is_some()),
            Self::NotExists(path) => item.is_none_or(|item| path.resolve_in(item).is_none()),
            Self::IsOfType(operand, kind) => operand.value(item).is_some_and(|value| value.kind() == *kind),
            Self::BeginsWith(left, right) => both(left, right, item, begins_with),
            Self::Contains(left, right) => both(left, right, item, contains),
        }
    }
}

impl Operand {
    /// The operand's value for `item`.
    pub(crate) fn value<'a>(&'a self, item: Option<&'a dyn Lookup>) -> Option<Cow<'a, AttributeValue>> {
        match self {
            Self::Path(path) => path.resolve_in(item?),
            Self::Value(value) => Some(Cow::Borrowed(value)),
            Self::Size(inner) => {
                let length = length(inner.value(item)?.as_ref())?;
                let length = i64::try_from(length).expect("lengths are below 2^63");
                Some(Cow::Owned(AttributeValue::N(Number::from_i64(length))))
            }
            Self::Truth(test) => Some(Cow::Owned(AttributeValue::Bool(test.holds(item)))),
        }
    }
}

/// What `size` counts: UTF-16 units of a string (as AWS does, in Java), bytes of a binary, members or
/// elements of the rest; other types have no size.
fn length(value: &AttributeValue) -> Option<usize> {
    match value {
        AttributeValue::S(text) => Some(text.encode_utf16().count()),
        AttributeValue::B(bytes) => Some(bytes.len()),
        AttributeValue::Ss(set) => Some(set.len()),
        AttributeValue::Ns(set) => Some(set.len()),
        AttributeValue::Bs(set) => Some(set.len()),
        AttributeValue::L(list) => Some(list.len()),
        AttributeValue::M(map) => Some(map.len()),
        AttributeValue::N(_) | AttributeValue::Bool(_) | AttributeValue::Null => None,
    }
}

fn compare(comparator: Comparator, left: Option<&AttributeValue>, right: Option<&AttributeValue>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        return comparator == Comparator::NotEqual;
    };
    match comparator {
        Comparator::Equal => left == right,
        Comparator::NotEqual => left != right,
        _ => left.compare(right).is_some_and(|order| satisfies(comparator, order)),
    }
}

fn satisfies(comparator: Comparator, order: Ordering) -> bool {
    match comparator {
        Comparator::Equal => order.is_eq(),
        Comparator::NotEqual => order.is_ne(),
        Comparator::Less => order.is_lt(),
        Comparator::LessOrEqual => order.is_le(),
        Comparator::Greater => order.is_gt(),
        Comparator::GreaterOrEqual => order.is_ge(),
    }
}

fn between(subject: &Operand, low: &Operand, high: &Operand, item: Option<&dyn Lookup>) -> bool {
    let Some(subject) = subject.value(item) else { return false };
    compare(Comparator::LessOrEqual, low.value(item).as_deref(), Some(&subject))
        && compare(Comparator::LessOrEqual, Some(&subject), high.value(item).as_deref())
}

fn is_in(subject: &Operand, list: &[Operand], item: Option<&dyn Lookup>) -> bool {
    let Some(subject) = subject.value(item) else { return false };
    list.iter().any(|operand| operand.value(item).is_some_and(|value| value == subject))
}

fn both(
    left: &Operand,
    right: &Operand,
    item: Option<&dyn Lookup>,
    test: fn(&AttributeValue, &AttributeValue) -> bool,
) -> bool {
    match (left.value(item), right.value(item)) {
        (Some(left), Some(right)) => test(&left, &right),
        _ => false,
    }
}

fn begins_with(value: &AttributeValue, prefix: &AttributeValue) -> bool {
    match (value, prefix) {
        (AttributeValue::S(text), AttributeValue::S(prefix)) => text.starts_with(prefix.as_str()),
        (AttributeValue::B(bytes), AttributeValue::B(prefix)) => bytes.starts_with(prefix),
        _ => false,
    }
}

/// A part of a string or binary, a member of a set, an element of a list.
fn contains(whole: &AttributeValue, part: &AttributeValue) -> bool {
    match (whole, part) {
        (AttributeValue::S(text), AttributeValue::S(part)) => text.contains(part.as_str()),
        (AttributeValue::B(bytes), AttributeValue::B(part)) => search::contains_bytes(bytes, part),
        (AttributeValue::Ss(set), AttributeValue::S(member)) => set.contains(member),
        (AttributeValue::Ns(set), AttributeValue::N(member)) => set.contains(member),
        (AttributeValue::Bs(set), AttributeValue::B(member)) => set.contains(member),
        (AttributeValue::L(list), element) => list.contains(element),
        _ => false,
    }
}
