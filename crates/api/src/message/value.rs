//! Attribute values: shapes, numbers, sets.

use super::{Layer, invalid};

/// An `AttributeValue` without a type.
pub fn empty() -> String {
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes".to_owned()
}

/// An `AttributeValue` with several types.
pub fn several_types() -> String {
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
        .to_owned()
}

/// `{"NULL": false}`.
pub fn null_false() -> String {
    invalid("Null attribute value types must have the value of true")
}

/// A number that is not numeric; `sent` is its text as sent. The older layer drops the colon after an empty text.
pub fn not_numeric(layer: Layer, sent: &str) -> String {
    if sent.is_empty() && layer == Layer::Older {
        return "The parameter cannot be converted to a numeric value".to_owned();
    }
    format!("The parameter cannot be converted to a numeric value: {sent}")
}

/// A number above 9.99…E+125, also the result of an update that needs more than 38 digits.
pub fn number_overflow() -> String {
    "Number overflow. Attempting to store a number with magnitude larger than supported range".to_owned()
}

/// A number below 1E-130.
pub fn number_underflow() -> String {
    "Number underflow. Attempting to store a number with magnitude smaller than supported range".to_owned()
}

/// A number with more than 38 digits.
pub fn number_too_long() -> String {
    "Attempting to store more than 38 significant digits in a Number".to_owned()
}

/// `{"SS": []}`. The grammar and the two spaces are AWS's.
pub fn empty_string_set() -> String {
    invalid("An string set  may not be empty")
}

/// `{"NS": []}`.
pub fn empty_number_set() -> String {
    invalid("An number set  may not be empty")
}

/// `{"BS": []}`.
pub fn empty_binary_set() -> String {
    invalid("Binary sets should not be empty")
}

/// A string set with a repeated member; `sent` are its members in the order of the request.
pub fn duplicate_strings(layer: Layer, sent: &[&str]) -> String {
    let shown = match layer {
        Layer::Older => sent.join(", "),
        Layer::Newer => quoted(&up_to_repeat(sent)).join(", "),
    };
    invalid(&format!("Input collection [{shown}] contains duplicates."))
}

/// A binary set with a repeated member; `sent` are its members and their base64, in the order of the request.
pub fn duplicate_binaries(layer: Layer, sent: &[(&[u8], &str)]) -> String {
    let base64 =
        |members: &[(&[u8], &'_ str)]| members.iter().map(|(_, text)| (*text).to_owned()).collect::<Vec<_>>();
    let shown = match layer {
        Layer::Older => base64(sent).join(", "),
        Layer::Newer => quoted(&base64(&up_to_repeat(sent))).join(","),
    };
    invalid(&format!("Input collection [{shown}]of type BS contains duplicates."))
}

/// A number set with a repeated member.
pub fn duplicate_numbers(layer: Layer) -> String {
    match layer {
        Layer::Older => "Input collection contains duplicates".to_owned(),
        Layer::Newer => invalid("Input collection contains duplicates."),
    }
}

/// The newer layer lists members in byte order up to the first repeat, then the repeat, then the rest as sent.
fn up_to_repeat<T: Ord + Copy>(sent: &[T]) -> Vec<T> {
    let mut seen = std::collections::BTreeSet::new();
    let repeat = sent.iter().position(|member| !seen.insert(*member)).unwrap_or(sent.len());
    seen.into_iter().chain(sent[repeat..].iter().copied()).collect()
}

fn quoted(members: &[impl std::fmt::Display]) -> Vec<String> {
    members.iter().map(|member| format!("\"{member}\"")).collect()
}

/// A value with more than 32 levels.
pub fn too_deep() -> String {
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
        .to_owned()
}

/// An attribute without a name.
pub fn empty_attribute_name() -> String {
    "Empty attribute name".to_owned()
}

/// An attribute with a name of more than 65,535 bytes.
pub fn long_attribute_name() -> String {
    "Attribute name is too large, must be less than 65536 bytes".to_owned()
}

/// The older layer's wrapper around a text about a value of `ExpressionAttributeValues`.
pub fn in_expression_values(text: &str, placeholder: &str) -> String {
    format!("ExpressionAttributeValues contains invalid value: {text} for key {placeholder}")
}
