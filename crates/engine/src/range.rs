//! Key conditions as ranges of rows.
//!
//! Every range is half open: from `lower` up to, not including, `upper`. Rows after a value are those after its encoding:
//! for a table's own sort key, which is encoded bare and last, the next byte string; in an index, where the value is
//! followed by more, the end of its prefix.

use bytes::Bytes;
use hashrange_item::{AttributeValue, key};
use hashrange_store::{Bound, RowKey};

/// A condition on the one sort attribute that need not be equal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortCondition {
    Less(AttributeValue),
    LessOrEqual(AttributeValue),
    Greater(AttributeValue),
    GreaterOrEqual(AttributeValue),
    Between(AttributeValue, AttributeValue),
    BeginsWith(AttributeValue),
}

/// How sort keys are encoded in the rows of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// A table's own: one bare value.
    Scalar,
    /// An index's: self-delimiting values, followed by the table's key.
    Components,
}

/// Rows of one kind in one partition, between two keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowRange {
    pub(crate) kind: u8,
    lower: Vec<u8>,
    /// `None`: to the last row of the kind.
    upper: Option<Vec<u8>>,
}

impl RowRange {
    /// Rows whose leading sort attributes equal `equal` and whose next one meets `condition`.
    pub(crate) fn new(
        kind: u8,
        coding: Coding,
        equal: &[AttributeValue],
        condition: Option<&SortCondition>,
    ) -> RowRange {
        let encoder = Encoder { coding, prefix: coding.encode_all(equal) };
        let (lower, upper) = match condition {
            None if equal.is_empty() => (Vec::new(), None),
            None => (encoder.prefix.clone(), coding.after(&encoder.prefix)),
            Some(condition) => encoder.bounds(condition),
        };
        RowRange { kind, lower, upper }
    }

    /// Whether a row lies in the range.
    pub(crate) fn contains(&self, row: &RowKey) -> bool {
        row.kind == self.kind
            && row.sort[..] >= self.lower[..]
            && self.upper.as_ref().is_none_or(|upper| row.sort[..] < upper[..])
    }

    /// The lower bound for the store, or the row itself after which a forward read goes on.
    pub(crate) fn lower(&self, after: Option<&RowKey>) -> Bound {
        match after {
            Some(row) => Bound::Excluded(row.clone()),
            None => Bound::Included(RowKey { kind: self.kind, sort: Bytes::copy_from_slice(&self.lower) }),
        }
    }

    /// The upper bound for the store, or the row itself before which a backward read goes on.
    pub(crate) fn upper(&self, before: Option<&RowKey>) -> Bound {
        let row = match (before, &self.upper) {
            (Some(row), _) => row.clone(),
            (None, Some(upper)) => RowKey { kind: self.kind, sort: Bytes::copy_from_slice(upper) },
            (None, None) => RowKey { kind: self.kind + 1, sort: Bytes::new() },
        };
        Bound::Excluded(row)
    }
}

impl Coding {
    fn encode(self, value: &AttributeValue, out: &mut Vec<u8>) {
        let encoded = match self {
            Coding::Scalar => key::encode_scalar(value, out),
            Coding::Components => key::encode_component(value, out),
        };
        encoded.expect("key conditions are typed S, N or B before they become ranges");
    }

    fn encode_all(self, values: &[AttributeValue]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in values {
            self.encode(value, &mut bytes);
        }
        bytes
    }

    /// The first sort key past every row whose encoding ends (bare) or goes on (in an index) after `bytes`.
    fn after(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Coding::Scalar => Some([bytes, &[0]].concat()),
            Coding::Components => key::prefix_end(bytes),
        }
    }
}

struct Encoder {
    coding: Coding,
    prefix: Vec<u8>,
}

impl Encoder {
    fn at(&self, value: &AttributeValue) -> Vec<u8> {
        let mut bytes = self.prefix.clone();
        self.coding.encode(value, &mut bytes);
        bytes
    }

    fn past(&self, value: &AttributeValue) -> Option<Vec<u8>> {
        self.coding.after(&self.at(value))
    }

    fn end(&self) -> Option<Vec<u8>> {
        if self.prefix.is_empty() { None } else { key::prefix_end(&self.prefix) }
    }

    fn beginning_with(&self, value: &AttributeValue) -> Vec<u8> {
        let mut bytes = self.prefix.clone();
        let encoded = match self.coding {
            Coding::Scalar => key::encode_scalar(value, &mut bytes),
            Coding::Components => key::encode_component_prefix(value, &mut bytes),
        };
        encoded.expect("begins_with takes S or B only, checked before");
        bytes
    }

    fn bounds(&self, condition: &SortCondition) -> (Vec<u8>, Option<Vec<u8>>) {
        match condition {
            SortCondition::Less(value) => (self.prefix.clone(), Some(self.at(value))),
            SortCondition::LessOrEqual(value) => (self.prefix.clone(), self.past(value)),
            SortCondition::Greater(value) => (self.past(value).unwrap_or_default(), self.end()),
            SortCondition::GreaterOrEqual(value) => (self.at(value), self.end()),
            SortCondition::Between(low, high) => (self.at(low), self.past(high)),
            SortCondition::BeginsWith(value) => {
                let start = self.beginning_with(value);
                let end = key::prefix_end(&start);
                (start, end)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> AttributeValue {
        AttributeValue::S(value.to_owned())
    }

    fn row(coding: Coding, values: &[&str]) -> RowKey {
        let values: Vec<_> = values.iter().map(|value| text(value)).collect();
        RowKey { kind: 0, sort: coding.encode_all(&values).into() }
    }

    fn holds(condition: &SortCondition, value: &str) -> [bool; 2] {
        let scalar = RowRange::new(0, Coding::Scalar, &[], Some(condition));
        let tuple = RowRange::new(0, Coding::Components, &[text("eq")], Some(condition));
        [
            scalar.contains(&row(Coding::Scalar, &[value])),
            tuple.contains(&row(Coding::Components, &["eq", value, "table-key"])),
        ]
    }

    #[test]
    fn comparisons_hold_on_a_table_and_inside_an_index_alike() {
        let values = ["", "a", "aa", "ab", "b", "b\u{0}", "ba", "c", "\u{10ffff}"];
        for bound in values {
            for value in values {
                let cases: [(SortCondition, bool); 5] = [
                    (SortCondition::Less(text(bound)), value < bound),
                    (SortCondition::LessOrEqual(text(bound)), value <= bound),
                    (SortCondition::Greater(text(bound)), value > bound),
                    (SortCondition::GreaterOrEqual(text(bound)), value >= bound),
                    (SortCondition::BeginsWith(text(bound)), value.starts_with(bound)),
                ];
                for (condition, expected) in cases {
                    assert_eq!(holds(&condition, value), [expected; 2], "{value:?} {condition:?}");
                }
            }
        }
    }

    #[test]
    fn between_includes_both_bounds() {
        let condition = SortCondition::Between(text("b"), text("c"));
        for (value, expected) in [("a", false), ("b", true), ("bz", true), ("c", true), ("c\u{0}", false)] {
            assert_eq!(holds(&condition, value), [expected; 2], "{value:?}");
        }
    }

    #[test]
    fn a_range_without_conditions_holds_every_row_of_its_kind_only() {
        let range = RowRange::new(16, Coding::Components, &[], None);
        assert!(range.contains(&RowKey { kind: 16, sort: Bytes::from_static(b"\xff\xff\xff") }));
        assert!(!range.contains(&RowKey { kind: 17, sort: Bytes::new() }));
        assert_eq!(range.upper(None), Bound::Excluded(RowKey { kind: 17, sort: Bytes::new() }));
    }
}
