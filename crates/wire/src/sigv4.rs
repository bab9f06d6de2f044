//! Signature Version 4 as it stands in a request: in the `Authorization` header or in the query string.
//!
//! [`parse`] checks the form and the credential scope, in AWS's order and words. It needs no secret: whether the
//! signature is right, in time and made with a known key is for whoever holds the keys to decide from [`Parsed`].

mod query;

use std::borrow::Cow;

use hashrange_api::{Error, ErrorCode};
use hyper::header::{AUTHORIZATION, DATE, HeaderMap};
use hyper::http::request::Parts;

/// The only algorithm that DynamoDB takes.
pub const ALGORITHM: &str = "AWS4-HMAC-SHA256";
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
    /// The access key id.
    pub access_key: Cow<'a, str>,
    /// The date of the scope, `YYYYMMDD`; not yet compared with `timestamp`.
    pub date: Cow<'a, str>,
    /// The region of the scope.
    pub region: Cow<'a, str>,
    /// The service of the scope, [`SERVICE`].
    pub service: Cow<'a, str>,
    /// Names of the signed headers, lower case, joined with `;`.
    pub signed_headers: Cow<'a, str>,
    /// The signature, in hexadecimal digits.
    pub signature: Cow<'a, str>,
    /// When it was signed: `X-Amz-Date` (`YYYYMMDDTHHMMSSZ`), else the `Date` header.
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

/// Reads the signature of a request.
///
/// # Errors
/// In this order: `MissingAuthenticationTokenException`, `InvalidSignatureException` for both forms at once,
/// `IncompleteSignatureException` for missing parts, algorithm and credential, `InvalidSignatureException` for the scope.
pub fn parse(head: &Parts) -> Result<Parsed<'_>, Error> {
    let authorization = head.headers.get(AUTHORIZATION).map(|value| text_of(value.as_bytes()));
    let query = head.uri.query().filter(|query| query::has(query, "X-Amz-Algorithm"));
    match (authorization, query) {
        (Some(_), Some(_)) => Err(both_forms()),
        (None, Some(query)) => from_query(query),
        (Some(header), None) if header.trim_start().starts_with("AWS4-") => from_header(header, &head.headers),
        _ => Err(missing_token()),
    }
}

/// The header form: `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, with commas, spaces or both between.
fn from_header<'a>(authorization: Cow<'a, str>, headers: &'a HeaderMap) -> Result<Parsed<'a>, Error> {
    let found = match &authorization {
        Cow::Borrowed(text) => header_parts(text, headers),
        // Not UTF-8; the parts outlive this text only as copies.
        Cow::Owned(text) => header_parts(text, headers).into_owned(),
    };
    let missing = missing_in_header(&found);
    if !missing.is_empty() {
        return Err(incomplete(format!("{missing}Authorization={authorization}")));
    }
    complete(Form::Header, found)
}

fn header_parts<'a>(authorization: &'a str, headers: &'a HeaderMap) -> Found<'a> {
    let mut words = authorization.trim_start().split([' ', ',', '\t']).filter(|word| !word.is_empty());
    let mut found = Found { algorithm: words.next().map(Cow::Borrowed), ..Found::default() };
    for (name, value) in words.filter_map(|word| word.split_once('=')) {
        let part = match name {
            "Credential" => &mut found.credential,
            "Signature" => &mut found.signature,
            "SignedHeaders" => &mut found.signed_headers,
            _ => continue,
        };
        *part = Some(Cow::Borrowed(value));
    }
    let timestamp = headers.get("x-amz-date").or_else(|| headers.get(DATE));
    found.timestamp = timestamp.map(|value| text_of(value.as_bytes()));
    found.session_token = headers.get("x-amz-security-token").map(|value| text_of(value.as_bytes()));
    found
}

/// AWS's sentences for each part that the header form lacks, one after the other.
fn missing_in_header(found: &Found<'_>) -> String {
    let parts = [
        ("Credential", &found.credential),
        ("Signature", &found.signature),
        ("SignedHeaders", &found.signed_headers),
    ];
    let mut text = String::new();
    for (name, _) in parts.iter().filter(|(_, part)| is_missing(part.as_ref())) {
        text += &format!("Authorization header requires '{name}' parameter. ");
    }
    if is_missing(found.timestamp.as_ref()) {
        text += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
    }
    text
}

/// The query form: `?X-Amz-Algorithm=…&X-Amz-Credential=…&…`.
fn from_query(query: &str) -> Result<Parsed<'_>, Error> {
    let found = Found {
        algorithm: query::get(query, "X-Amz-Algorithm"),
        credential: query::get(query, "X-Amz-Credential"),
        signature: query::get(query, "X-Amz-Signature"),
        signed_headers: query::get(query, "X-Amz-SignedHeaders"),
        timestamp: query::get(query, "X-Amz-Date"),
        session_token: query::get(query, "X-Amz-Security-Token"),
    };
    let missing = missing_in_query(&found);
    if !missing.is_empty() {
        return Err(incomplete(format!("{missing}Re-examine the query-string parameters.")));
    }
    complete(Form::Query, found)
}

fn missing_in_query(found: &Found<'_>) -> String {
    let parts = [
        ("X-Amz-Algorithm", &found.algorithm),
        ("X-Amz-Credential", &found.credential),
        ("X-Amz-Signature", &found.signature),
        ("X-Amz-SignedHeaders", &found.signed_headers),
        ("X-Amz-Date", &found.timestamp),
    ];
    let mut text = String::new();
    for (name, _) in parts.iter().filter(|(_, part)| is_missing(part.as_ref())) {
        text += &format!("AWS query-string parameters must include '{name}'. ");
    }
    text
}

fn is_missing(part: Option<&Cow<'_, str>>) -> bool {
    part.is_none_or(|text| text.is_empty())
}

/// Checks what both forms share: the algorithm, the five parts of the credential, the scope.
fn complete(form: Form, found: Found<'_>) -> Result<Parsed<'_>, Error> {
    let algorithm = found.algorithm.unwrap_or_default();
    if algorithm != ALGORITHM {
        return Err(incomplete(format!(
            "Unsupported AWS 'algorithm': '{algorithm}' (only {ALGORITHM} for now). "
        )));
    }
    let [access_key, date, region, service, terminator] = five_parts(found.credential.unwrap_or_default())?;
    let wrong = wrong_scope(&region, &service, &terminator);
    if !wrong.is_empty() {
        return Err(Error::new(ErrorCode::InvalidSignatureException, wrong));
    }
    Ok(Parsed {
        form,
        access_key,
        date,
        region,
        service,
        signed_headers: found.signed_headers.unwrap_or_default(),
        signature: found.signature.unwrap_or_default(),
        timestamp: found.timestamp.unwrap_or_default(),
        session_token: found.session_token,
    })
}

/// Key id, date, region, service and terminator of a credential; slashes at its end do not count.
fn five_parts(credential: Cow<'_, str>) -> Result<[Cow<'_, str>; 5], Error> {
    let parts = match &credential {
        Cow::Borrowed(text) => split_five(text).map(|parts| parts.map(Cow::Borrowed)),
        Cow::Owned(text) => split_five(text).map(|parts| parts.map(|part| Cow::Owned(part.to_owned()))),
    };
    parts.ok_or_else(|| {
        incomplete(format!(
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got \
             '{credential}'"
        ))
    })
}

fn split_five(credential: &str) -> Option<[&str; 5]> {
    let mut parts = credential.trim_end_matches('/').split('/');
    let five = [parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(five)
}

/// AWS's sentences for each wrong part of the scope, one after the other.
fn wrong_scope(region: &str, service: &str, terminator: &str) -> String {
    let mut text = String::new();
    if !is_region(region) {
        text += &format!("Credential should be scoped to a valid region, not '{region}'. ");
    }
    if service != SERVICE {
        text += &format!("Credential should be scoped to correct service: '{SERVICE}'. ");
    }
    if terminator != TERMINATOR {
        text += &format!("Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'. ");
    }
    text
}

/// Any plausible name is a region of its own (`local` as well as `eu-west-2`), so that a test suite can have one.
fn is_region(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=REGION_BYTES_MAX).contains(&name.len()) && name.bytes().all(plain)
}

impl Found<'_> {
    fn into_owned(self) -> Found<'static> {
        let own = |part: Option<Cow<'_, str>>| part.map(|text| Cow::Owned(text.into_owned()));
        Found {
            algorithm: own(self.algorithm),
            credential: own(self.credential),
            signature: own(self.signature),
            signed_headers: own(self.signed_headers),
            timestamp: own(self.timestamp),
            session_token: own(self.session_token),
        }
    }
}

/// A header value as text; bytes that are not UTF-8 become replacement characters.
fn text_of(value: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(value)
}

fn missing_token() -> Error {
    Error::new(ErrorCode::MissingAuthenticationTokenException, "Request is missing Authentication Token")
}

fn both_forms() -> Error {
    Error::new(
        ErrorCode::InvalidSignatureException,
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    )
}

fn incomplete(text: String) -> Error {
    Error::new(ErrorCode::IncompleteSignatureException, text)
}

#[cfg(test)]
mod tests;
