//! Signatures and credentials: `com.amazon.coral.service` errors, HTTP 400.

/// No `Authorization`, or one that does not begin with `AWS4-`: `MissingAuthenticationTokenException`.
pub fn missing() -> String {
    "Request is missing Authentication Token".to_owned()
}

/// Header and query form at once: `InvalidSignatureException`.
pub fn both_forms() -> String {
    "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.".to_owned()
}

/// A header without some of its parts: `IncompleteSignatureException`. `missing` are those of `Credential`,
/// `Signature`, `SignedHeaders` that are absent; `date` tells that neither date header is there.
pub fn incomplete(missing: &[&str], date: bool, header: &str) -> String {
    let parts = missing.iter().map(|part| format!("Authorization header requires '{part}' parameter. "));
    let mut text: String = parts.collect();
    if date {
        text += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
    }
    text + "Authorization=" + header
}

/// A query string without some of its parts: `IncompleteSignatureException`.
pub fn incomplete_query(missing: &[&str]) -> String {
    let parts: Vec<String> =
        missing.iter().map(|part| format!("AWS query-string parameters must include '{part}'. ")).collect();
    parts.concat() + "Re-examine the query-string parameters."
}

/// A time in no known form: `IncompleteSignatureException`.
pub fn unreadable_date(sent: &str) -> String {
    format!(
        "Date must be in ISO-8601 'basic format'. Got '{sent}'. See http://en.wikipedia.org/wiki/ISO_8601"
    )
}

/// `host` is not among the signed headers: `InvalidSignatureException`.
pub fn unsigned_host() -> String {
    "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.".to_owned()
}

/// Another algorithm, also SigV4a's `AWS4-ECDSA-P256-SHA256`: `IncompleteSignatureException`. The trailing space is AWS's.
pub fn unsupported_algorithm(sent: &str) -> String {
    format!("Unsupported AWS 'algorithm': '{sent}' (only AWS4-HMAC-SHA256 for now). ")
}

/// A `Credential` without five parts: `IncompleteSignatureException`.
pub fn credential_parts(sent: &str) -> String {
    format!(
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{sent}'"
    )
}

/// A signature that is not the request's: `InvalidSignatureException`.
pub fn wrong_signature() -> String {
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key \
     and signing method. Consult the service documentation for details."
        .to_owned()
}

/// A request too old: `InvalidSignatureException`. Times are in ISO 8601's basic form; `edge` is `now` less 15 minutes.
pub fn expired(sent: &str, edge: &str, now: &str) -> String {
    format!("Signature expired: {sent} is now earlier than {edge} ({now} - 15 min.)")
}

/// A request from the future: `InvalidSignatureException`; `edge` is `now` plus 15 minutes.
pub fn not_yet(sent: &str, edge: &str, now: &str) -> String {
    format!("Signature not yet current: {sent} is still later than {edge} ({now} + 15 min.)")
}

/// A scope of another service: `InvalidSignatureException`. The trailing space is AWS's.
pub fn wrong_service() -> String {
    "Credential should be scoped to correct service: 'dynamodb'. ".to_owned()
}

/// A scope of no region: `InvalidSignatureException`.
pub fn wrong_region(sent: &str) -> String {
    format!("Credential should be scoped to a valid region, not '{sent}'. ")
}

/// A scope that does not end in `aws4_request`: `InvalidSignatureException`.
pub fn wrong_terminator(sent: &str) -> String {
    format!("Credential should be scoped with a valid terminator: 'aws4_request', not '{sent}'. ")
}

/// A scope of another day than the request: `InvalidSignatureException`.
pub fn wrong_date(scope: &str, day: &str, time: &str) -> String {
    format!(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: \
         '{scope}' != '{day}', from '{time}'."
    )
}

/// An unknown access key, or a temporary one without its token: `UnrecognizedClientException`.
pub fn unknown_key() -> String {
    "The security token included in the request is invalid.".to_owned()
}

/// A temporary key whose time is over: `ExpiredTokenException`.
pub fn expired_token() -> String {
    "The security token included in the request is expired".to_owned()
}
