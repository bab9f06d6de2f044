//! Who calls, and what a request that does not say so properly is told.

use crate::support::{AMZ_JSON, AUTHORIZATION, Answer, DATE, LIST_TABLES, Running, headers_of, post};

async fn with_authorization(server: &Running, authorization: &str) -> Answer {
    let mut headers = headers_of(LIST_TABLES);
    headers[2].1 = authorization;
    server.ask(post(&headers, "{}")).await
}

fn error(name: &str, message: &str) -> String {
    format!(r#"{{"__type":"com.amazon.coral.service#{name}","message":"{message}"}}"#)
}

#[tokio::test]
async fn the_region_is_that_of_the_credential_and_twelve_digits_are_the_account() {
    let server = Running::start().await;
    let header = AUTHORIZATION.replace("AKID", "123456789012").replace("eu-west-2", "local");
    let answer = with_authorization(&server, &header).await;
    assert!(
        answer.text().starts_with(r#"{"TableNames":["123456789012","local","123456789012","#),
        "{answer:?}"
    );
}

#[tokio::test]
async fn the_query_form_is_accepted() {
    let server = Running::start().await;
    let line = "POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host\
                &X-Amz-Credential=AKID%2F20260101%2Feu-west-1%2Fdynamodb%2Faws4_request&X-Amz-Signature=00 HTTP/1.1";
    let request = post(&[("Content-Type", AMZ_JSON), ("X-Amz-Target", LIST_TABLES)], "{}");
    let request = String::from_utf8(request).unwrap().replace("POST / HTTP/1.1", line);
    let answer = server.ask(&request).await;
    assert!(answer.text().starts_with(r#"{"TableNames":["000000000000","eu-west-1","AKID","#), "{answer:?}");

    let both = request.replace("Host:", &format!("Authorization: {AUTHORIZATION}\r\nHost:"));
    let text = "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.";
    assert_eq!(server.ask(both).await.seen(), (400, error("InvalidSignatureException", text).as_str()));
}

#[tokio::test]
async fn a_signature_with_nothing_in_it_is_told_all_that_is_missing() {
    let server = Running::start().await;
    let headers =
        [("Content-Type", "application/json"), ("X-Amz-Target", LIST_TABLES), ("Authorization", "AWS4-")];
    let answer = server.ask(post(&headers, "")).await;
    let text = "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' \
                parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires \
                existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-";
    assert_eq!(answer.seen(), (400, error("IncompleteSignatureException", text).as_str()));
    assert_eq!(answer.header("x-amz-crc32"), Some("1828866742"));
}

#[tokio::test]
async fn each_slip_in_a_signature_has_its_words() {
    let server = Running::start().await;
    let parts =
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got";
    let cases = [
        (
            "Basic abc",
            "MissingAuthenticationTokenException",
            "Request is missing Authentication Token".to_owned(),
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/b/us-east-1/dynamodb, SignedHeaders=host, Signature=0",
            "IncompleteSignatureException",
            format!("{parts} 'a/b/us-east-1/dynamodb'"),
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/b/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0",
            "InvalidSignatureException",
            "Credential should be scoped to correct service: 'dynamodb'. ".to_owned(),
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/b/us..east/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
            "InvalidSignatureException",
            "Credential should be scoped to a valid region, not 'us..east'. ".to_owned(),
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/b/us-east-1/dynamodb/x, SignedHeaders=host, Signature=0",
            "InvalidSignatureException",
            "Credential should be scoped with a valid terminator: 'aws4_request', not 'x'. ".to_owned(),
        ),
    ];
    for (authorization, name, text) in cases {
        let answer = with_authorization(&server, authorization).await;
        assert_eq!(answer.seen(), (400, error(name, &text).as_str()), "{authorization}");
    }
}

#[tokio::test]
async fn an_error_that_quotes_the_header_is_still_json() {
    let server = Running::start().await;
    let answer = with_authorization(&server, "AWS4-\"\\\t\u{e9}").await;
    let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert!(body["message"].as_str().unwrap().ends_with("Authorization=AWS4-\"\\\t\u{e9}"), "{body}");
}

#[tokio::test]
async fn the_date_header_is_enough() {
    let server = Running::start().await;
    let headers = [
        ("Content-Type", AMZ_JSON),
        ("X-Amz-Target", LIST_TABLES),
        ("Authorization", AUTHORIZATION),
        ("Date", DATE),
    ];
    assert_eq!(server.ask(post(&headers, "{}")).await.status, 200);
}
