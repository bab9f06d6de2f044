//! The walk over a request that finds every violated constraint.

use std::collections::BTreeMap;

use super::pattern::Pattern;
use super::{Gap, GapKind, Missing, Step, Violation};
use crate::message::constraint as text;

/// A structure that knows the modelled constraints of its members.
pub trait Constrained {
    /// Reports each violated constraint to the walk.
    fn check<'a>(&'a self, walk: &mut Walk<'a>);

    /// The structure as AWS echoes it in a message.
    fn shown(&self) -> String {
        let name = std::any::type_name::<Self>();
        let name = name.rsplit("::").next().unwrap_or(name);
        format!("com.amazonaws.dynamodb.v20120810.{name}@0")
    }
}

/// What the model demands of a string. Lengths are in UTF-16 code units, as Java counts.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub(crate) min: Option<usize>,
    pub(crate) max: Option<usize>,
    pub(crate) pattern: Option<Pattern>,
    /// An ARN may stand in the name's place; then only the ARN's own cap applies.
    pub(crate) arn: bool,
}

/// What the model demands of a number or of the length of a collection; both ends belong to it.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub(crate) min: Option<i64>,
    pub(crate) max: Option<i64>,
}

impl Range {
    fn breach_by_value(self, value: i64) -> Option<String> {
        if let Some(min) = self.min.filter(|min| value < *min) {
            return Some(text::value_at_least(min));
        }
        self.max.filter(|max| value > *max).map(text::value_at_most)
    }

    fn breach_by_length(self, length: usize) -> Option<String> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        if let Some(min) = self.min.filter(|min| length < *min) {
            return Some(text::length_at_least(min));
        }
        self.max.filter(|max| length > *max).map(text::length_at_most)
    }

    fn all(self) -> Vec<String> {
        self.max.map(text::length_at_most).into_iter().chain(self.min.map(text::length_at_least)).collect()
    }
}

/// The cap of an ARN where a table name may be one.
const ARN_MAX: usize = 1024;

impl Text {
    fn breach(&self, value: &str) -> Option<String> {
        if self.arn && value.starts_with("arn:") {
            return (value.len() > ARN_MAX).then(|| text::length_at_most(1024));
        }
        if let Some(min) = self.min.filter(|min| is_shorter(value, *min)) {
            return Some(text::length_at_least(signed(min)));
        }
        if let Some(max) = self.max.filter(|max| is_longer(value, *max)) {
            return Some(text::length_at_most(signed(max)));
        }
        self.pattern.filter(|pattern| !pattern.matches(value)).map(|pattern| text::pattern(pattern.as_str()))
    }

    /// Every rule of the string, as AWS lists them for elements and keys.
    fn all(&self) -> Vec<String> {
        let range = Range { min: self.min.map(signed), max: self.max.map(signed) };
        let pattern = self.pattern.map(|pattern| text::pattern(pattern.as_str()));
        range.all().into_iter().chain(pattern).collect()
    }
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// A string has at most as many code units as bytes, so most strings need no counting.
fn is_longer(value: &str, max: usize) -> bool {
    value.len() > max && value.encode_utf16().count() > max
}

fn is_shorter(value: &str, min: usize) -> bool {
    value.len() < min || (!value.is_ascii() && value.encode_utf16().take(min).count() < min)
}

/// Collects violations; the path leads from the request to the structure being checked.
#[derive(Debug)]
pub struct Walk<'a> {
    missing: &'a Missing,
    path: Vec<Step>,
    found: Vec<Violation>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(missing: &'a Missing) -> Self {
        Self { missing, path: Vec::new(), found: Vec::new() }
    }

    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.found
    }

    fn add(&mut self, member: &'static str, value: Option<String>, constraint: String) {
        let mut path = self.path.clone();
        path.push(Step::Member(member));
        self.found.push(Violation { path, value, constraint });
    }

    fn gap(&self, member: &'static str) -> Option<&'a Gap> {
        self.missing.gaps.iter().find(|gap| {
            gap.path
                .split_last()
                .is_some_and(|(last, before)| *last == Step::Member(member) && before == self.path)
        })
    }

    /// A required member; whether it is there.
    pub(crate) fn required(&mut self, member: &'static str) -> bool {
        if self.missing.gaps.is_empty() {
            return true;
        }
        let absent = self.gap(member).is_some_and(|gap| gap.kind == GapKind::Absent);
        if absent {
            self.add(member, None, text::not_null());
        }
        !absent
    }

    /// A member with a closed set of values; `set` is the set as AWS prints it.
    pub(crate) fn choice(&mut self, member: &'static str, set: &str) {
        if self.missing.gaps.is_empty() {
            return;
        }
        if let Some(Gap { kind: GapKind::Unknown(value), .. }) = self.gap(member) {
            self.add(member, Some(value.clone()), text::choice(set));
        }
    }

    pub(crate) fn text(&mut self, member: &'static str, value: &str, rule: &Text) {
        if let Some(constraint) = rule.breach(value) {
            self.add(member, Some(value.to_owned()), constraint);
        }
    }

    /// Strings in a list: one violation for the list.
    pub(crate) fn texts(&mut self, member: &'static str, values: &[String], rule: &Text) {
        if values.iter().any(|value| rule.breach(value).is_some()) {
            self.add(member, Some(format!("[{}]", values.join(", "))), text::elements(&rule.all()));
        }
    }

    pub(crate) fn number(&mut self, member: &'static str, value: i64, range: Range) {
        if let Some(constraint) = range.breach_by_value(value) {
            self.add(member, Some(value.to_string()), constraint);
        }
    }

    pub(crate) fn length<T: Element>(&mut self, member: &'static str, values: &[T], range: Range) {
        if let Some(constraint) = range.breach_by_length(values.len()) {
            self.add(member, Some(shown_list(values)), constraint);
        }
    }

    pub(crate) fn size<V>(&mut self, member: &'static str, values: &BTreeMap<String, V>, range: Range) {
        if let Some(constraint) = range.breach_by_length(values.len()) {
            self.add(member, Some(shown_map(values, |_| "...".to_owned())), constraint);
        }
    }

    pub(crate) fn keys<V>(&mut self, member: &'static str, values: &BTreeMap<String, V>, rule: &Text) {
        if values.keys().any(|key| rule.breach(key).is_some()) {
            self.add(member, Some(shown_map(values, |_| "...".to_owned())), text::map_keys(&rule.all()));
        }
    }

    pub(crate) fn values(&mut self, member: &'static str, values: &BTreeMap<String, String>, rule: &Text) {
        if values.values().any(|value| rule.breach(value).is_some()) {
            self.add(member, Some(shown_map(values, String::clone)), text::map_values(&rule.all()));
        }
    }

    pub(crate) fn inside<T: Constrained>(&mut self, member: &'static str, value: &'a T) {
        self.path.push(Step::Member(member));
        value.check(self);
        self.path.pop();
    }

    pub(crate) fn each<T: Constrained>(&mut self, member: &'static str, values: &'a [T]) {
        self.path.push(Step::Member(member));
        self.elements(values);
        self.path.pop();
    }

    fn elements<T: Constrained>(&mut self, values: &'a [T]) {
        for (index, value) in values.iter().enumerate() {
            self.path.push(Step::Element(index));
            value.check(self);
            self.path.pop();
        }
    }

    pub(crate) fn entries<T: Constrained>(&mut self, member: &'static str, values: &'a BTreeMap<String, T>) {
        self.path.push(Step::Member(member));
        for (key, value) in values {
            self.path.push(Step::Entry(key.clone()));
            value.check(self);
            self.path.pop();
        }
        self.path.pop();
    }

    /// Lists in a map: one violation for the map if a length is out of range, then the elements.
    pub(crate) fn lists<T: Constrained>(
        &mut self,
        member: &'static str,
        values: &'a BTreeMap<String, Vec<T>>,
        range: Range,
    ) {
        if values.values().any(|list| range.breach_by_length(list.len()).is_some()) {
            self.add(
                member,
                Some(shown_map(values, |list| shown_structures(list))),
                text::map_values(&range.all()),
            );
        }
        self.path.push(Step::Member(member));
        for (key, list) in values {
            self.path.push(Step::Entry(key.clone()));
            self.elements(list);
            self.path.pop();
        }
        self.path.pop();
    }
}

/// Something a list can hold, as AWS echoes it.
pub trait Element {
    /// The element's text.
    fn echo(&self) -> String;
}

impl<T: Constrained> Element for T {
    fn echo(&self) -> String {
        self.shown()
    }
}

impl Element for String {
    fn echo(&self) -> String {
        self.clone()
    }
}

impl Element for hashrange_item::AttributeValue {
    fn echo(&self) -> String {
        "com.amazonaws.dynamodb.v20120810.AttributeValue@0".to_owned()
    }
}

impl Element for hashrange_item::Attributes {
    fn echo(&self) -> String {
        "{...}".to_owned()
    }
}

fn shown_list<T: Element>(values: &[T]) -> String {
    let shown: Vec<String> = values.iter().map(Element::echo).collect();
    format!("[{}]", shown.join(", "))
}

fn shown_structures<T: Constrained>(values: &[T]) -> String {
    let shown: Vec<String> = values.iter().map(Constrained::shown).collect();
    format!("[{}]", shown.join(", "))
}

fn shown_map<V>(values: &BTreeMap<String, V>, of: impl Fn(&V) -> String) -> String {
    let shown: Vec<String> = values.iter().map(|(key, value)| format!("{key}={}", of(value))).collect();
    format!("{{{}}}", shown.join(", "))
}
