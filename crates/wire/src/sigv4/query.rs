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

/// Appends the canonical form: names and values encoded in one way, sorted, without the parameter `unsigned`.
pub(super) fn canonical(out: &mut Vec<u8>, query: &str, unsigned: Option<&str>) {
    let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
    let pairs = parameters.map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")));
    let signed = pairs.filter(|(name, _)| unsigned.is_none_or(|unsigned| decode(name) != unsigned));
    let mut encoded: Vec<_> = signed.map(|(name, value)| (recode(name), recode(value))).collect();
    encoded.sort_unstable();
    for (index, (name, value)) in encoded.iter().enumerate() {
        if index > 0 {
            out.push(b'&');
        }
        out.extend_from_slice(name);
        out.push(b'=');
        out.extend_from_slice(value);
    }
}

fn recode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    encode(&mut out, &decode_bytes(text), b"");
    out
}

/// Percent-encodes every byte but letters, digits, `-._~` and those in `plain`.
pub(super) fn encode(out: &mut Vec<u8>, bytes: &[u8], plain: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || plain.contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// Undoes percent-encoding. A `%` without two hexadecimal digits stays as it is.
fn decode(text: &str) -> Cow<'_, str> {
    match decode_bytes(text) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn decode_bytes(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('%') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = if first == b'%' { hex_pair(after) } else { None };
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(bytes)
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

    #[test]
    fn the_canonical_form_is_sorted_and_encoded_in_one_way() {
        let canonical = |query: &str| {
            let mut out = Vec::new();
            canonical(&mut out, query, Some("X-Amz-Signature"));
            String::from_utf8(out).unwrap()
        };
        assert_eq!(canonical(""), "");
        assert_eq!(canonical("b=2&a=3&a=1"), "a=1&a=3&b=2");
        assert_eq!(canonical("c&&a=%7e%2f~/&b=%41+"), "a=~%2F~%2F&b=A%2B&c=");
        assert_eq!(canonical("=b&a"), "=b&a=");
        assert_eq!(canonical("a=%zz&b=%ff"), "a=%25zz&b=%FF");
        assert_eq!(canonical("X-Amz-Signature=0&a=1&X%2DAmz-Signature=1"), "a=1");
    }
}
