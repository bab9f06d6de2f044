//! The texts of `message::serialization`, word for word.

use super::check;
use crate::message::serialization;

#[test]
fn texts_are_those_of_aws() {
    check(serialization::not_convertible("token", "target"), "token cannot be converted to target");
    check(serialization::unrecognized_collection("target"), "Unrecognized collection type target");
    check(serialization::unexpected_structure(), "Start of structure or map found where not expected");
    check(serialization::unexpected_field(), "Unexpected field type");
    check(serialization::unexpected_value(), "Unexpected value type in payload");
    check(serialization::unexpected_token(), "Unexpected token received from parser");
    check(serialization::not_base64_string(), "only base-64-encoded strings are convertible to bytes");
    check(
        serialization::base64_length(7),
        "Base64 encoded length is expected a multiple of 4 bytes but found: 7",
    );
    check(serialization::base64_character(), "Invalid last non-pad Base64 character dectected");
}
