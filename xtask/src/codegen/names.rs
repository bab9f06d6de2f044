//! Names: from the model's to Rust's.

use super::model::{Model, ShapeKind, is_attributes, is_image, is_new_item, is_value};

/// `TableName` -> `table_name`, `SSESpecification` -> `sse_specification`, `eventID` -> `event_id`.
pub(crate) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        if at > 0 && starts_word(&letters, at) {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    if is_keyword(&out) { out + "_" } else { out }
}

/// A capital starts a word after a small letter or digit, and before a small letter inside an acronym.
fn starts_word(letters: &[char], at: usize) -> bool {
    if !letters[at].is_ascii_uppercase() {
        return false;
    }
    let before = letters[at - 1];
    let after_small = before.is_ascii_lowercase() || before.is_ascii_digit();
    let before_small = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
    after_small || (before.is_ascii_uppercase() && before_small)
}

/// `ALL_OLD` -> `AllOld`; a value that is already in camel case stays.
pub(crate) fn variant(value: &str) -> String {
    if value.chars().any(|c| c.is_ascii_lowercase()) {
        return value.to_owned();
    }
    value.split('_').map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_owned() + &rest.to_ascii_lowercase()
}

fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 5] = ["type", "match", "move", "ref", "in"];
    KEYWORDS.contains(&name)
}

/// `{A, B}`: the names of an import, each once, in order.
pub(crate) fn braced<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: std::collections::BTreeSet<&str> = names.collect();
    format!("{{{}}}", names.into_iter().collect::<Vec<_>>().join(", "))
}

/// The Rust type of a shape, as seen from inside the `api` crate.
pub(crate) fn rust_type(model: &Model, shape: &str) -> String {
    if is_value(shape) {
        return "AttributeValue".to_owned();
    }
    if is_image(shape) {
        return "Image".to_owned();
    }
    if is_new_item(shape) {
        return "NewItem".to_owned();
    }
    if is_attributes(shape) {
        return "Attributes".to_owned();
    }
    match &model.shape(shape).kind {
        ShapeKind::List(element) => format!("Vec<{}>", rust_type(model, element)),
        ShapeKind::Map { value, .. } => format!("BTreeMap<String, {}>", rust_type(model, value)),
        ShapeKind::String if model.shape(shape).values.is_empty() => "String".to_owned(),
        ShapeKind::Structure(_) | ShapeKind::String => shape.to_owned(),
        ShapeKind::Boolean => "bool".to_owned(),
        ShapeKind::Integer => "i32".to_owned(),
        ShapeKind::Long => "i64".to_owned(),
        ShapeKind::Double => "f64".to_owned(),
        ShapeKind::Blob => "Vec<u8>".to_owned(),
        ShapeKind::Timestamp => "Timestamp".to_owned(),
    }
}
