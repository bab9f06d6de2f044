//! Bodies that are no JSON, or whose values have other types than the model gives.

/// A scalar of the wrong type: `token` is `TRUE_VALUE`, `NUMBER_VALUE`, …, `target` `String`, `Integer`, `Long`, ….
pub fn not_convertible(token: &str, target: &str) -> String {
    format!("{token} cannot be converted to {target}")
}

/// An array where something else belongs; `target` is the Java type, `class java.lang.String`.
pub fn unrecognized_collection(target: &str) -> String {
    format!("Unrecognized collection type {target}")
}

/// An object where a scalar or a list belongs.
pub fn unexpected_structure() -> String {
    "Start of structure or map found where not expected".to_owned()
}

/// A scalar where a member of a structure is a list, map or structure.
pub fn unexpected_field() -> String {
    "Unexpected field type".to_owned()
}

/// A scalar where an element of a list or map is a structure.
pub fn unexpected_value() -> String {
    "Unexpected value type in payload".to_owned()
}

/// A string that names no boolean.
pub fn unexpected_token() -> String {
    "Unexpected token received from parser".to_owned()
}

/// Something other than a string where bytes belong.
pub fn not_base64_string() -> String {
    "only base-64-encoded strings are convertible to bytes".to_owned()
}

/// Base64 whose length is no multiple of 4.
pub fn base64_length(length: usize) -> String {
    format!("Base64 encoded length is expected a multiple of 4 bytes but found: {length}")
}

/// Base64 that does not decode. The spelling is AWS's.
pub fn base64_character() -> String {
    "Invalid last non-pad Base64 character dectected".to_owned()
}
