//! How many bytes a value counts: for the 400 KB limit, for capacity, for the sizes that tables report.
//!
//! Source: DynamoDB developer guide, "Item sizes and formats"; the number rule was found byte by byte at the
//! 400 KB limit of AWS (see [`Number::size`](crate::Number::size)).
//!
//! | type | bytes |
//! |---|---|
//! | S | length in UTF-8 |
//! | B | length of the raw bytes |
//! | BOOL, NULL | 1 |
//! | N | `1 + ceil(i / 2) + ceil(f / 2)`, 1 more if negative |
//! | SS, NS, BS | the members |
//! | L, M | 3, and 1 for each element, and the elements (in a map: and the names in UTF-8) |
//!
//! An item counts its names in UTF-8 and its values.

use crate::{AttributeValue, Attributes, Number};

/// What a list or a map counts before its elements, in bytes.
const CONTAINER: usize = 3;
/// What each element of a list or map counts beside itself, in bytes.
const ELEMENT: usize = 1;

/// The size of an item, in bytes.
pub fn item(item: &Attributes) -> usize {
    item.iter().map(|(name, value)| attribute(name, value)).sum()
}

/// The size of one attribute with its name, in bytes.
pub fn attribute(name: &str, value: &AttributeValue) -> usize {
    name.len() + self::value(value)
}

/// The size of a value, in bytes.
pub fn value(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.size(),
        AttributeValue::B(bytes) => bytes.len(),
        AttributeValue::Bool(_) | AttributeValue::Null => 1,
        AttributeValue::Ss(set) => set.iter().map(String::len).sum(),
        AttributeValue::Ns(set) => set.iter().map(Number::size).sum(),
        AttributeValue::Bs(set) => set.iter().map(Vec::len).sum(),
        AttributeValue::L(list) => container(list.len()) + list.iter().map(self::value).sum::<usize>(),
        AttributeValue::M(map) => container(map.len()) + item(map),
    }
}

/// What a list or map of `count` elements counts beside them, in bytes.
pub(crate) fn container(count: usize) -> usize {
    CONTAINER + ELEMENT * count
}

#[cfg(test)]
mod tests;
