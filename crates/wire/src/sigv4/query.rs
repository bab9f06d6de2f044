//! Parameters of a query string.

use std::borrow::Cow;

/// Whether a parameter is there, with or without a value.
pub(super) fn has(query: &str, name: &str) -> bool {
    get(query, name).is_some()
}

/// The value of the first parameter with that name, decoded; empty if it has none.
pub(super) fn get<'a>(query: &'a str, name: &str) -> Option<Cow<'a, str>> {
    query
        .split('&')
        .map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
        .find(|(key, _)| decode(key) == name)
        .map(|(_, value)| decode(value))
}

/// Undoes percent-encoding. A `%` without two hexadecimal digits stays as it is.
fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = if first == b'%' { hex_pair(after) } else { None };
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

fn hex_pair(text: &[u8]) -> Option<u8> {
    let digit = |at: usize| text.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_the_first_of_a_name_counts() {
        let query = "a=1%2F2&b&c=%zz%4&a=3&%61b=%c3%a9";
        assert_eq!(get(query, "a").unwrap(), "1/2");
        assert_eq!(get(query, "b").unwrap(), "");
        assert_eq!(get(query, "c").unwrap(), "%zz%4");
        assert_eq!(get(query, "ab").unwrap(), "é");
        assert_eq!(get(query, "d"), None);
        assert!(has("", "") && !has("", "a"));
    }
}
