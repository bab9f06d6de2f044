//! Signature Version 4: its form in a request, its canonical request, and whether it is right.
//!
//! [`parse`] checks the form and the credential scope, in AWS's order and words. It needs no secret, and is all that
//! a server without credentials does. A server with credentials calls [`parse_at`], which also checks the time, the
//! algorithm and the date of the scope, and then [`verify`] with the [`SigningKey`] of the access key. Both are pure
//! functions of the request, the time and the key.

mod canonical;
mod key;
mod payload;
mod query;
mod sign;
mod time;
mod verify;

use std::borrow::Cow;

use hashrange_api::{Error, ErrorCode, message};
use hashrange_env::WallMs;
use memchr::memchr3;

use crate::seen::Seen;

pub use key::SigningKey;
pub(crate) use key::is_same;
pub(crate) use payload::{BadChunks, inner_coding, unchunk};
pub use sign::Signer;
use time::SignedAt;
pub(crate) use time::{civil_from_days, days_from_civil};
pub use verify::verify;

/// The one algorithm that DynamoDB takes.
pub const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// How the names of asymmetric signatures (SigV4a) begin.
const ASYMMETRIC: &str = "AWS4-ECDSA-";
/// The service that a credential must be scoped to.
pub const SERVICE: &str = "dynamodb";
/// The last part of every credential scope.
pub const TERMINATOR: &str = "aws4_request";
/// Longest region name that is taken, in bytes; AWS's own are at most 16.
pub const REGION_BYTES_MAX: usize = 64;

/// Where the signature stands in the request. It decides what the canonical request holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In the `Authorization` header.
    Header,
    /// In the query string (a presigned request).
    Query,
}

/// A well-formed signature whose scope fits this service. Nothing in it is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// Where it stood.
    pub form: Form,
    /// The algorithm as named: [`ALGORITHM`] after [`parse_at`], anything symmetric after [`parse`].
    pub algorithm: Cow<'a, str>,
    /// The access key id.
    pub access_key: Cow<'a, str>,
    /// The date of the scope, `YYYYMMDD`; that of `timestamp` after [`parse_at`].
    pub date: Cow<'a, str>,
    /// The region of the scope.
    pub region: Cow<'a, str>,
    /// The service of the scope, [`SERVICE`].
    pub service: Cow<'a, str>,
    /// Names of the signed headers, lower case, joined with `;`.
    pub signed_headers: Cow<'a, str>,
    /// The signature, in hexadecimal digits.
    pub signature: Cow<'a, str>,
    /// When it was signed: `X-Amz-Date`, else the `Date` header. As sent after [`parse`]; in the basic form of
    /// ISO 8601 (`YYYYMMDDTHHMMSSZ`) after [`parse_at`].
    pub timestamp: Cow<'a, str>,
    /// The session token of a temporary key.
    pub session_token: Option<Cow<'a, str>>,
}

/// The signature's parts as found, each possibly missing.
#[derive(Debug, Default)]
struct Found<'a> {
    algorithm: Option<Cow<'a, str>>,
    credential: Option<Cow<'a, str>>,
    signature: Option<Cow<'a, str>>,
    signed_headers: Option<Cow<'a, str>>,
    timestamp: Option<Cow<'a, str>>,
    session_token: Option<Cow<'a, str>>,
}

/// A signature with all its parts; its credential and its time are still as sent.
#[derive(Debug)]
struct Sent<'a> {
    form: Form,
    algorithm: Cow<'a, str>,
    credential: Cow<'a, str>,
    signature: Cow<'a, str>,
    signed_headers: Cow<'a, str>,
    timestamp: Cow<'a, str>,
    session_token: Option<Cow<'a, str>>,
}

/// Reads the signature of a request that will not be verified.
///
/// # Errors
/// In this order: `MissingAuthenticationTokenException`, `InvalidSignatureException` for both forms at once,
/// `IncompleteSignatureException` for missing parts, asymmetric algorithms and the credential,
/// `InvalidSignatureException` for the scope.
pub fn parse<'a>(head: &Seen<'a>) -> Result<Parsed<'a>, Error> {
    let sent = read(head)?;
    if sent.algorithm.starts_with(ASYMMETRIC) {
        return Err(incomplete(message::auth::unsupported_algorithm(&sent.algorithm)));
    }
    sent.scoped(None)
}

/// Reads the signature of a request that will be verified: everything that can be checked without a key.
///
/// # Errors
/// In this order: `MissingAuthenticationTokenException`, `InvalidSignatureException` for both forms at once,
/// `IncompleteSignatureException` for missing parts and unreadable times, `InvalidSignatureException` for times more
/// than 15 minutes from `now` and for an unsigned host, `IncompleteSignatureException` for other algorithms than
/// [`ALGORITHM`] and for the credential, `InvalidSignatureException` for the scope and its date.
pub fn parse_at<'a>(head: &Seen<'a>, now: WallMs) -> Result<Parsed<'a>, Error> {
    let sent = read(head)?;
    let signed_at = time::check(&sent.timestamp, now)?;
    if !pieces(&sent.signed_headers, b';').any(|name| name.eq_ignore_ascii_case("host")) {
        return Err(invalid(message::auth::unsigned_host()));
    }
    if sent.algorithm != ALGORITHM {
        return Err(incomplete(message::auth::unsupported_algorithm(&sent.algorithm)));
    }
    sent.scoped(Some(signed_at))
}

/// Finds the signature and sees that none of its parts is missing.
fn read<'a>(head: &Seen<'a>) -> Result<Sent<'a>, Error> {
    let authorization = head.authorization;
    let query = head.parts.uri.query().filter(|query| query::has(query, "X-Amz-Algorithm"));
    match (authorization, query) {
        (Some(_), Some(_)) => Err(invalid(message::auth::both_forms())),
        (None, Some(query)) => from_query(query),
        (Some(header), None) if header.as_bytes().trim_ascii_start().starts_with(b"AWS4-") => {
            let text = str::from_utf8(header.as_bytes());
            from_header(text.map_err(|_| not_text(header.as_bytes()))?, head)
        }
        _ => Err(Error::new(ErrorCode::MissingAuthenticationTokenException, message::auth::missing())),
    }
}

/// A header that is not UTF-8 names no credential that could be found.
fn not_text(header: &[u8]) -> Error {
    let all = ["Credential", "Signature", "SignedHeaders"];
    incomplete(message::auth::incomplete(&all, false, &String::from_utf8_lossy(header)))
}

/// The header form: `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, with commas, spaces or both between.
fn from_header<'a>(authorization: &'a str, head: &Seen<'a>) -> Result<Sent<'a>, Error> {
    let found = header_parts(authorization, head);
    let missing = missing_of(&[
        ("Credential", &found.credential),
        ("Signature", &found.signature),
        ("SignedHeaders", &found.signed_headers),
    ]);
    let undated = is_missing(found.timestamp.as_ref());
    if undated || !missing.is_empty() {
        return Err(incomplete(message::auth::incomplete(&missing, undated, authorization)));
    }
    Ok(found.complete(Form::Header))
}

fn header_parts<'a>(authorization: &'a str, head: &Seen<'a>) -> Found<'a> {
    let mut words = words(authorization);
    let mut found = Found { algorithm: words.next().map(Cow::Borrowed), ..Found::default() };
    for (name, value) in words.filter_map(at_equals_sign) {
        let part = match name {
            "Credential" => &mut found.credential,
            "Signature" => &mut found.signature,
            "SignedHeaders" => &mut found.signed_headers,
            _ => continue,
        };
        *part = Some(Cow::Borrowed(value));
    }
    let timestamp = head.x_amz_date.or(head.date);
    found.timestamp = timestamp.map(|value| text_of(value.as_bytes()));
    found.session_token = head.x_amz_security_token.map(|value| text_of(value.as_bytes()));
    found
}

/// Name and value.
fn at_equals_sign(word: &str) -> Option<(&str, &str)> {
    let at = word.bytes().position(|byte| byte == b'=')?;
    Some((&word[..at], &word[at + 1..]))
}

/// What stands between commas, spaces and tabs. All three are single bytes, and are looked for many bytes at a time:
/// this is on the way of every request.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = rest.trim_start_matches([' ', ',', '\t']);
        if word.is_empty() {
            return None;
        }
        let end = memchr3(b' ', b',', b'\t', word.as_bytes()).unwrap_or(word.len());
        rest = &word[end..];
        Some(&word[..end])
    })
}

/// The pieces of `text` between two `separator`s, an ASCII byte. They are short, so looking at byte after byte is fastest.
fn pieces(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| byte == separator);
        rest = end.map(|end| &text[end + 1..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

/// The query form: `?X-Amz-Algorithm=…&X-Amz-Credential=…&…`.
fn from_query(query: &str) -> Result<Sent<'_>, Error> {
    let found = Found {
        algorithm: query::get(query, "X-Amz-Algorithm"),
        credential: query::get(query, "X-Amz-Credential"),
        signature: query::get(query, "X-Amz-Signature"),
        signed_headers: query::get(query, "X-Amz-SignedHeaders"),
        timestamp: query::get(query, "X-Amz-Date"),
        session_token: query::get(query, "X-Amz-Security-Token"),
    };
    let missing = missing_of(&[
        ("X-Amz-Algorithm", &found.algorithm),
        ("X-Amz-Credential", &found.credential),
        ("X-Amz-Signature", &found.signature),
        ("X-Amz-SignedHeaders", &found.signed_headers),
        ("X-Amz-Date", &found.timestamp),
    ]);
    if !missing.is_empty() {
        return Err(incomplete(message::auth::incomplete_query(&missing)));
    }
    Ok(found.complete(Form::Query))
}

/// The names of the parts that are absent or empty, in order.
fn missing_of(parts: &[(&'static str, &Option<Cow<'_, str>>)]) -> Vec<&'static str> {
    parts.iter().filter(|(_, part)| is_missing(part.as_ref())).map(|(name, _)| *name).collect()
}

fn is_missing(part: Option<&Cow<'_, str>>) -> bool {
    part.is_none_or(|text| text.is_empty())
}

impl<'a> Found<'a> {
    /// To be called once nothing is missing.
    fn complete(self, form: Form) -> Sent<'a> {
        Sent {
            form,
            algorithm: self.algorithm.unwrap_or_default(),
            credential: self.credential.unwrap_or_default(),
            signature: self.signature.unwrap_or_default(),
            signed_headers: self.signed_headers.unwrap_or_default(),
            timestamp: self.timestamp.unwrap_or_default(),
            session_token: self.session_token,
        }
    }
}

impl<'a> Sent<'a> {
    /// Takes the credential apart and checks its scope, with the date if `signed_at` is known.
    fn scoped(self, signed_at: Option<SignedAt<'_>>) -> Result<Parsed<'a>, Error> {
        let [access_key, date, region, service, terminator] = five_parts(&self.credential)?;
        let mut wrong = wrong_scope(&region, &service, &terminator);
        if let Some(at) = signed_at.as_ref().filter(|at| date != at.day()) {
            wrong += &message::auth::wrong_date(&date, at.day(), at.text());
        }
        if !wrong.is_empty() {
            return Err(invalid(wrong));
        }
        // A time in the basic form is borrowed from the request, as nearly every time is.
        let timestamp = match signed_at {
            Some(at) if at.text() != self.timestamp => Cow::Owned(at.text().to_owned()),
            _ => self.timestamp,
        };
        Ok(Parsed {
            form: self.form,
            algorithm: self.algorithm,
            access_key,
            date,
            region,
            service,
            signed_headers: self.signed_headers,
            signature: self.signature,
            timestamp,
            session_token: self.session_token,
        })
    }
}

/// Key id, date, region, service and terminator of a credential; slashes at its end do not count.
fn five_parts<'a>(credential: &Cow<'a, str>) -> Result<[Cow<'a, str>; 5], Error> {
    let parts = match credential {
        Cow::Borrowed(text) => split_five(text).map(|parts| parts.map(Cow::Borrowed)),
        Cow::Owned(text) => split_five(text).map(|parts| parts.map(|part| Cow::Owned(part.to_owned()))),
    };
    parts.ok_or_else(|| incomplete(message::auth::credential_parts(credential)))
}

fn split_five(credential: &str) -> Option<[&str; 5]> {
    let mut parts = pieces(credential.trim_end_matches('/'), b'/');
    let five = [parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(five)
}

/// AWS's sentences for each wrong part of the scope, one after the other.
fn wrong_scope(region: &str, service: &str, terminator: &str) -> String {
    let mut text = String::new();
    if !is_region(region) {
        text += &message::auth::wrong_region(region);
    }
    if service != SERVICE {
        text += &message::auth::wrong_service();
    }
    if terminator != TERMINATOR {
        text += &message::auth::wrong_terminator(terminator);
    }
    text
}

/// Any plausible name is a region of its own (`local` as well as `eu-west-2`), so that a test suite can have one.
fn is_region(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=REGION_BYTES_MAX).contains(&name.len()) && name.bytes().all(plain)
}

/// A header value as text; bytes that are not UTF-8 become replacement characters.
fn text_of(value: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(value)
}

fn incomplete(text: String) -> Error {
    Error::new(ErrorCode::IncompleteSignatureException, text)
}

fn invalid(text: String) -> Error {
    Error::new(ErrorCode::InvalidSignatureException, text)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
