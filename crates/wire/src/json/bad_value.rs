//! Texts for values that are no attribute values, in the layer of the operation.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashrange_api::constraint::Step;
use hashrange_api::message::{
    Family, Layer, layer, layered, layered_value, query::start_key_value, value as text,
};
use hashrange_api::{Error, Operation};
use hashrange_item::{Duplicates, NumberError, ValueError};

use super::{BadValue, decoder};

/// The one that is reported: items and keys are looked at before legacy parameters, and these before the values of
/// expressions; within one member the first in the body.
pub(super) fn first(found: Vec<decoder::BadValue>) -> Option<BadValue> {
    let first = found.into_iter().min_by_key(|bad| rank(&bad.path));
    first.map(|bad| BadValue { error: bad.error, place: bad.path })
}

/// The first of each statement, and those outside of statements.
pub(super) fn of_statements(
    found: Vec<decoder::BadValue>,
) -> (BTreeMap<usize, BadValue>, Vec<decoder::BadValue>) {
    let (mut statements, mut others) = (BTreeMap::new(), Vec::new());
    for bad in found {
        if let [Step::Member("Statements"), Step::Element(at), ..] = bad.path[..] {
            statements.entry(at).or_insert(BadValue { error: bad.error, place: bad.path });
        } else {
            others.push(bad);
        }
    }
    (statements, others)
}

fn rank(path: &[Step]) -> usize {
    match path.first() {
        Some(Step::Member("AttributeUpdates")) => 1,
        Some(Step::Member("Expected" | "KeyConditions" | "QueryFilter" | "ScanFilter")) => 2,
        Some(Step::Member("ExpressionAttributeValues")) => 3,
        _ => 0,
    }
}

/// The answer to a request with that value.
pub(super) fn error(operation: Operation, bad: &BadValue) -> Error {
    let layer = layer(operation);
    let placeholder = placeholder(&bad.place);
    let family = family(&bad.error, placeholder.is_some());
    let text = message(layer, &bad.error);
    if in_start_key(&bad.place) && layer == Layer::Older && is_told_as_start_key(&bad.error) {
        return Error::validation(start_key_value(&text));
    }
    Error::validation(match placeholder {
        Some(placeholder) => layered_value(operation, family, &text, placeholder),
        None => layered(operation, family, &text),
    })
}

fn in_start_key(path: &[Step]) -> bool {
    matches!(path.first(), Some(Step::Member("ExclusiveStartKey")))
}

/// Numbers and repeated members are told as they are anywhere else.
fn is_told_as_start_key(error: &ValueError) -> bool {
    matches!(
        error,
        ValueError::EmptyValue
            | ValueError::SeveralTypes
            | ValueError::NullNotTrue
            | ValueError::EmptyStringSet
            | ValueError::EmptyBinarySet
    )
}

/// The placeholder of a value in `ExpressionAttributeValues`, at any depth of the request.
fn placeholder(path: &[Step]) -> Option<&str> {
    path.windows(2).find_map(|steps| match steps {
        [Step::Member("ExpressionAttributeValues"), Step::Entry(name)] => Some(name.as_str()),
        _ => None,
    })
}

fn family(error: &ValueError, in_expression_values: bool) -> Family {
    match error {
        ValueError::Number(_) => Family::Number,
        ValueError::NullNotTrue => Family::NullFalse,
        ValueError::EmptyValue
        | ValueError::SeveralTypes
        | ValueError::EmptyAttributeName
        | ValueError::LongAttributeName => Family::ValueShape,
        ValueError::TooDeep if in_expression_values => Family::ExpressionValueDepth,
        ValueError::TooDeep => Family::ItemSize,
        _ => Family::Set,
    }
}

fn message(layer: Layer, error: &ValueError) -> String {
    match error {
        ValueError::Number(error) => number(layer, error),
        ValueError::EmptyStringSet => text::empty_string_set(),
        ValueError::EmptyNumberSet => text::empty_number_set(),
        ValueError::EmptyBinarySet => text::empty_binary_set(),
        ValueError::Duplicates(sent) => duplicates(layer, sent),
        ValueError::NullNotTrue => text::null_false(),
        ValueError::EmptyValue => text::empty(),
        ValueError::SeveralTypes => text::several_types(),
        ValueError::TooDeep => text::too_deep(),
        ValueError::EmptyAttributeName => text::empty_attribute_name(),
        ValueError::LongAttributeName => text::long_attribute_name(),
    }
}

fn number(layer: Layer, error: &NumberError) -> String {
    match error {
        NumberError::NotNumeric(sent) => text::not_numeric(layer, sent),
        NumberError::Overflow => text::number_overflow(),
        NumberError::Underflow => text::number_underflow(),
        NumberError::TooManyDigits => text::number_too_long(),
    }
}

fn duplicates(layer: Layer, sent: &Duplicates) -> String {
    match sent {
        Duplicates::Strings(sent) => {
            let sent: Vec<&str> = sent.iter().map(String::as_str).collect();
            text::duplicate_strings(layer, &sent)
        }
        Duplicates::Numbers(_) => text::duplicate_numbers(layer),
        Duplicates::Binaries(sent) => {
            let base64: Vec<String> = sent.iter().map(|bytes| STANDARD.encode(bytes)).collect();
            let sent: Vec<(&[u8], &str)> =
                sent.iter().map(Vec::as_slice).zip(base64.iter().map(String::as_str)).collect();
            text::duplicate_binaries(layer, &sent)
        }
    }
}
