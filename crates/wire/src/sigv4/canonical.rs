//! The canonical request: what of a request is signed, written in one way.

use std::borrow::Cow;

use memchr::memchr2;

use super::{Form, Parsed, pieces, query};
use crate::seen::Seen;

/// Room for a usual canonical request, in bytes.
const USUAL_BYTES: usize = 1024;

/// The canonical request, with `payload` as the hash of the body; nothing if a signed header is not there.
pub(super) fn request(head: &Seen<'_>, signature: &Parsed<'_>, payload: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    let parts = head.parts;
    out.extend_from_slice(parts.method.as_str().as_bytes());
    out.push(b'\n');
    push_path(&mut out, parts.uri.path());
    out.push(b'\n');
    if let Some(query) = parts.uri.query() {
        let unsigned = (signature.form == Form::Query).then_some("X-Amz-Signature");
        query::canonical(&mut out, query, unsigned);
    }
    out.push(b'\n');
    push_headers(&mut out, head, &signature.signed_headers)?;
    out.push(b'\n');
    out.extend_from_slice(signature.signed_headers.as_bytes());
    out.push(b'\n');
    out.extend_from_slice(payload);
    Some(out)
}

/// The path without `.`, `..` and doubled slashes, encoded once more than it was sent.
fn push_path(out: &mut Vec<u8>, path: &str) {
    if matches!(path, "/" | "") {
        out.push(b'/');
        return;
    }
    let mut segments = Vec::new();
    for segment in path.split('/').filter(|segment| !matches!(*segment, "" | ".")) {
        if segment == ".." {
            segments.pop();
        } else {
            segments.push(segment);
        }
    }
    out.push(b'/');
    query::encode(out, segments.join("/").as_bytes(), b"/");
    if path.ends_with('/') && !segments.is_empty() {
        out.push(b'/');
    }
}

fn push_headers(out: &mut Vec<u8>, head: &Seen<'_>, names: &str) -> Option<()> {
    for name in pieces(names, b';') {
        out.extend_from_slice(name.as_bytes());
        out.push(b':');
        if let Some(only) = head.only(name) {
            push_words(out, only.as_bytes());
        } else {
            push_values(out, head, name)?;
        }
        out.push(b'\n');
    }
    Some(())
}

/// The values of a header that may be repeated, with commas between them.
fn push_values(out: &mut Vec<u8>, head: &Seen<'_>, name: &str) -> Option<()> {
    let mut values = head.parts.headers.get_all(name).into_iter();
    push_words(out, values.next()?.as_bytes());
    for value in values {
        out.push(b',');
        push_words(out, value.as_bytes());
    }
    Some(())
}

/// The value without space around it, and with one space for each run of white space inside.
fn push_words(out: &mut Vec<u8>, value: &[u8]) {
    if memchr2(b' ', b'\t', value).is_none() {
        out.extend_from_slice(value);
        return;
    }
    let words = value.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    for (index, word) in words.enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(word);
    }
}

/// The hash of the payload as the client names it, if it does.
pub(super) fn named_payload<'a>(head: &Seen<'a>, form: Form) -> Option<Cow<'a, [u8]>> {
    let in_query = || match query::get(head.parts.uri.query()?, "X-Amz-Content-Sha256")? {
        Cow::Borrowed(text) => Some(Cow::Borrowed(text.as_bytes())),
        Cow::Owned(text) => Some(Cow::Owned(text.into_bytes())),
    };
    match head.x_amz_content_sha256 {
        Some(value) => Some(Cow::Borrowed(value.as_bytes().trim_ascii())),
        None if form == Form::Query => in_query(),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_and_encoded_once_more() {
        let canonical = |path: &str| {
            let mut out = Vec::new();
            push_path(&mut out, path);
            String::from_utf8(out).unwrap()
        };
        let cases = [
            ("/", "/"),
            ("", "/"),
            ("//", "/"),
            ("/./a/../b", "/b"),
            ("/../..", "/"),
            ("/a//b/", "/a/b/"),
            ("/a%20b~*", "/a%2520b~%2A"),
        ];
        for (path, expected) in cases {
            assert_eq!(canonical(path), expected, "{path}");
        }
    }

    #[test]
    fn white_space_is_trimmed_and_collapsed() {
        let words = |value: &[u8]| {
            let mut out = Vec::new();
            push_words(&mut out, value);
            out
        };
        assert_eq!(words(b"  a   b \t c "), b"a b c");
        assert_eq!(words(b" \t"), b"");
        assert_eq!(words(b"\"a  b\""), b"\"a b\"");
        assert_eq!(words(b"\xff"), b"\xff");
    }
}
