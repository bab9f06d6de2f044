//! Every error of the form, in AWS's words and order.

use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;

use super::*;
use hyper::Request;

const GOOD: &str = "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-2/dynamodb/aws4_request, \
                    SignedHeaders=host;x-amz-date, Signature=0a1b";

fn head(uri: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::builder().method("POST").uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn error_of(uri: &str, headers: &[(&str, &str)]) -> String {
    parse(&Seen::of(&head(uri, headers))).unwrap_err().to_string()
}

fn with_credential(credential: &str) -> String {
    let header = format!("AWS4-HMAC-SHA256 Credential={credential},SignedHeaders=host,Signature=0");
    error_of("/", &[("authorization", &header), ("x-amz-date", "20260101T000000Z")])
}

#[test]
fn the_header_form_gives_its_parts() {
    let token = ("x-amz-security-token", "token");
    let head = head("/", &[("authorization", GOOD), ("x-amz-date", "20260101T000000Z"), token]);
    let parsed = parse(&Seen::of(&head)).unwrap();
    let expected = Parsed {
        form: Form::Header,
        algorithm: "AWS4-HMAC-SHA256".into(),
        access_key: "AKID".into(),
        date: "20260101".into(),
        region: "eu-west-2".into(),
        service: "dynamodb".into(),
        signed_headers: "host;x-amz-date".into(),
        signature: "0a1b".into(),
        timestamp: "20260101T000000Z".into(),
        session_token: Some("token".into()),
    };
    assert_eq!(parsed, expected);
}

#[test]
fn commas_or_spaces_or_both_separate_the_parts_of_the_header() {
    let dated = ("x-amz-date", "20260101T000000Z");
    for header in
        [GOOD.replace(", ", ","), GOOD.replace(", ", " "), GOOD.replace(", ", " ,  "), format!("  {GOOD}")]
    {
        let head = head("/", &[("authorization", &header), dated]);
        assert_eq!(parse(&Seen::of(&head)).unwrap().signature, "0a1b", "{header}");
    }
}

#[test]
fn the_date_header_stands_in_for_x_amz_date() {
    let date = "Thu, 01 Jan 2026 00:00:00 GMT";
    let head = head("/", &[("authorization", GOOD), ("date", date)]);
    assert_eq!(parse(&Seen::of(&head)).unwrap().timestamp, date);
}

#[test]
fn the_query_form_gives_its_parts_decoded() {
    let uri = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256\
               &X-Amz-Credential=123456789012%2F20260101%2Flocal%2Fdynamodb%2Faws4_request\
               &X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host%3Bx-amz-date&X-Amz-Signature=00ff";
    let head = head(uri, &[]);
    let parsed = parse(&Seen::of(&head)).unwrap();
    assert_eq!((parsed.form, &*parsed.access_key, &*parsed.region), (Form::Query, "123456789012", "local"));
    assert_eq!((&*parsed.signed_headers, &*parsed.signature), ("host;x-amz-date", "00ff"));
    assert_eq!(parsed.session_token, None);
}

#[test]
fn no_token_is_missing() {
    let missing = "MissingAuthenticationTokenException: Request is missing Authentication Token";
    assert_eq!(error_of("/", &[]), missing);
    assert_eq!(error_of("/", &[("authorization", "AWS4")]), missing);
    assert_eq!(error_of("/", &[("authorization", "")]), missing);
    assert_eq!(error_of("/?x=1", &[("authorization", "Bearer abc")]), missing);
}

#[test]
fn both_forms_are_refused_before_either_is_read() {
    let both = "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as \
                HTTP header.";
    assert_eq!(error_of("/?X-Amz-Algorithm", &[("authorization", GOOD)]), both);
    assert_eq!(error_of("/?X-Amz-Algorithm=x", &[("authorization", "AWS4-")]), both);
}

#[test]
fn the_missing_parts_of_the_header_form_are_named_one_after_the_other() {
    let cases = [
        (
            "AWS4-",
            None,
            "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. \
             Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either \
             a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-",
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a, Signature=",
            Some("20260101T000000Z"),
            "Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' \
             parameter. Authorization=AWS4-HMAC-SHA256 Credential=a, Signature=",
        ),
        (
            "AWS4-x Credential=a,Signature=b,SignedHeaders=c",
            None,
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. \
             Authorization=AWS4-x Credential=a,Signature=b,SignedHeaders=c",
        ),
    ];
    for (header, date, expected) in cases {
        let mut headers = vec![("authorization", header)];
        headers.extend(date.map(|date| ("x-amz-date", date)));
        assert_eq!(error_of("/", &headers), format!("IncompleteSignatureException: {expected}"));
    }
}

#[test]
fn the_missing_parts_of_the_query_form_are_named_one_after_the_other() {
    let all = "IncompleteSignatureException: AWS query-string parameters must include 'X-Amz-Algorithm'. AWS \
               query-string parameters must include 'X-Amz-Credential'. AWS query-string parameters must include \
               'X-Amz-Signature'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. AWS query-string \
               parameters must include 'X-Amz-Date'. Re-examine the query-string parameters.";
    assert_eq!(error_of("/?X-Amz-Algorithm", &[]), all);
    let one = "IncompleteSignatureException: AWS query-string parameters must include 'X-Amz-SignedHeaders'. \
               Re-examine the query-string parameters.";
    let uri = "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d";
    assert_eq!(error_of(uri, &[]), one);
}

#[test]
fn a_credential_has_five_parts() {
    for credential in ["a/b/c/d", "a", "a/b/us-east-1/dynamodb/aws4_request/x"] {
        let expected = format!(
            "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, e.g. \
             keyid/date/region/service/term, got '{credential}'"
        );
        assert_eq!(with_credential(credential), expected);
    }
    let header = GOOD.replace("aws4_request", "aws4_request/");
    assert!(parse(&Seen::of(&head("/", &[("authorization", &header), ("date", "x")]))).is_ok());
}

#[test]
fn the_wrong_parts_of_the_scope_are_named_one_after_the_other() {
    let cases = [
        ("a/b/us-east-1/s3/aws4_request", "Credential should be scoped to correct service: 'dynamodb'. "),
        ("a/b/eu east/dynamodb/aws4_request", "Credential must have"),
        (
            "a/b/eu.west/dynamodb/aws4_request",
            "Credential should be scoped to a valid region, not 'eu.west'. ",
        ),
        ("a/b//dynamodb/aws4_request", "Credential should be scoped to a valid region, not ''. "),
        (
            "a/b/us-east-1/dynamodb/x",
            "Credential should be scoped with a valid terminator: 'aws4_request', not 'x'. ",
        ),
        (
            "a/b/c!/d/e",
            "Credential should be scoped to a valid region, not 'c!'. Credential should be scoped to correct service: \
             'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. ",
        ),
    ];
    for (credential, expected) in cases {
        let error = with_credential(credential);
        let (_, text) = error.split_once(": ").unwrap();
        assert!(text.starts_with(expected), "{error}");
    }
}

#[test]
fn a_header_that_is_not_text_is_incomplete() {
    let mut head = head("/", &[("x-amz-date", "20260101T000000Z")]);
    let header = [GOOD.as_bytes(), b", Extra=\xff\xfe"].concat();
    head.headers.insert(AUTHORIZATION, header.as_slice().try_into().unwrap());
    let error = parse(&Seen::of(&head)).unwrap_err();
    assert_eq!(error.code, ErrorCode::IncompleteSignatureException);
    assert!(error.message.unwrap().ends_with("Extra=\u{fffd}\u{fffd}"));
}
