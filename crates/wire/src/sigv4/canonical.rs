//! The canonical request: what of a request is signed, written in one way.

use std::borrow::Cow;

use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, GetAll, HOST, HeaderValue};
use hyper::http::request::Parts;
use memchr::memchr2;

use super::{
    Form, Parsed, X_AMZ_CONTENT_SHA256, X_AMZ_DATE, X_AMZ_SECURITY_TOKEN, X_AMZ_TARGET, pieces, query,
};

/// Room for a usual canonical request, in bytes.
const USUAL_BYTES: usize = 1024;

/// The canonical request, with `payload` as the hash of the body; nothing if a signed header is not there.
pub(super) fn request(head: &Parts, signature: &Parsed<'_>, payload: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    out.extend_from_slice(head.method.as_str().as_bytes());
    out.push(b'\n');
    push_path(&mut out, head.uri.path());
    out.push(b'\n');
    if let Some(query) = head.uri.query() {
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

fn push_headers(out: &mut Vec<u8>, head: &Parts, names: &str) -> Option<()> {
    for name in pieces(names, b';') {
        let mut values = values_of(head, name).into_iter();
        let first = values.next()?;
        out.extend_from_slice(name.as_bytes());
        out.push(b':');
        push_words(out, first.as_bytes());
        for value in values {
            out.push(b',');
            push_words(out, value.as_bytes());
        }
        out.push(b'\n');
    }
    Some(())
}

/// The values of a header. Those that SDKs sign in every request have names at hand, which saves making one.
fn values_of<'a>(head: &'a Parts, name: &str) -> GetAll<'a, HeaderValue> {
    match name {
        "content-length" => head.headers.get_all(CONTENT_LENGTH),
        "content-type" => head.headers.get_all(CONTENT_TYPE),
        "host" => head.headers.get_all(HOST),
        "x-amz-content-sha256" => head.headers.get_all(X_AMZ_CONTENT_SHA256),
        "x-amz-date" => head.headers.get_all(X_AMZ_DATE),
        "x-amz-security-token" => head.headers.get_all(X_AMZ_SECURITY_TOKEN),
        "x-amz-target" => head.headers.get_all(X_AMZ_TARGET),
        other => head.headers.get_all(other),
    }
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
pub(super) fn named_payload(head: &Parts, form: Form) -> Option<Cow<'_, [u8]>> {
    let in_query = || match query::get(head.uri.query()?, "X-Amz-Content-Sha256")? {
        Cow::Borrowed(text) => Some(Cow::Borrowed(text.as_bytes())),
        Cow::Owned(text) => Some(Cow::Owned(text.into_bytes())),
    };
    match head.headers.get(X_AMZ_CONTENT_SHA256) {
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
