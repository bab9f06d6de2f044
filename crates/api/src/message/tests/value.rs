//! The texts of `message::value`, word for word.

use super::check;
use crate::message::Layer;
use crate::message::value;

#[test]
fn from_empty_to_duplicate_binaries() {
    check(
        value::empty(),
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    );
    check(
        value::several_types(),
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
    );
    check(
        value::null_false(),
        "One or more parameter values were invalid: Null attribute value types must have the value of true",
    );
    check(
        value::not_numeric(Layer::Newer, "sent"),
        "The parameter cannot be converted to a numeric value: sent",
    );
    check(
        value::not_numeric(Layer::Older, "sent"),
        "The parameter cannot be converted to a numeric value: sent",
    );
    check(
        value::number_overflow(),
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    );
    check(
        value::number_underflow(),
        "Number underflow. Attempting to store a number with magnitude smaller than supported range",
    );
    check(value::number_too_long(), "Attempting to store more than 38 significant digits in a Number");
    check(
        value::empty_string_set(),
        "One or more parameter values were invalid: An string set  may not be empty",
    );
    check(
        value::empty_number_set(),
        "One or more parameter values were invalid: An number set  may not be empty",
    );
    check(
        value::empty_binary_set(),
        "One or more parameter values were invalid: Binary sets should not be empty",
    );
    check(
        value::duplicate_strings(Layer::Newer, &["a", "b"]),
        "One or more parameter values were invalid: Input collection [\"a\", \"b\"] contains duplicates.",
    );
    check(
        value::duplicate_strings(Layer::Older, &["a", "b"]),
        "One or more parameter values were invalid: Input collection [a, b] contains duplicates.",
    );
    check(
        value::duplicate_binaries(Layer::Newer, &[(&[255], "/w=="), (&[0], "AA=="), (&[0], "AA==")]),
        "One or more parameter values were invalid: Input collection [\"AA==\",\"/w==\",\"AA==\"]of type BS contains duplicates.",
    );
}

#[test]
fn from_duplicate_binaries_to_in_expression_values() {
    check(
        value::duplicate_binaries(Layer::Older, &[(&[255], "/w=="), (&[0], "AA=="), (&[0], "AA==")]),
        "One or more parameter values were invalid: Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
    );
    check(
        value::duplicate_numbers(Layer::Newer),
        "One or more parameter values were invalid: Input collection contains duplicates.",
    );
    check(value::duplicate_numbers(Layer::Older), "Input collection contains duplicates");
    check(
        value::too_deep(),
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit",
    );
    check(value::empty_attribute_name(), "Empty attribute name");
    check(value::long_attribute_name(), "Attribute name is too large, must be less than 65536 bytes");
    check(
        value::in_expression_values("text", "placeholder"),
        "ExpressionAttributeValues contains invalid value: text for key placeholder",
    );
}
