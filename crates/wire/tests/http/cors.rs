//! Scripts of other origins.

use crate::support::{LIST_TABLES, Running, headers_of, post};

const CORS_HEADERS: [&str; 6] = [
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "access-control-expose-headers",
    "access-control-max-age",
    "access-control-allow-methods",
    "access-control-allow-headers",
];

#[tokio::test]
async fn without_an_origin_there_are_no_cors_headers() {
    let server = Running::start().await;
    for method in ["OPTIONS", "GET", "POST"] {
        let answer = server.ask(format!("{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
        assert!(CORS_HEADERS.iter().all(|name| answer.header(name).is_none()), "{answer:?}");
    }
}

#[tokio::test]
async fn every_answer_to_an_origin_allows_it() {
    let server = Running::start().await;
    for method in ["OPTIONS", "GET", "POST", "PUT"] {
        let request =
            format!("{method} / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com/\r\n\r\n");
        let answer = server.ask(request).await;
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("access-control-expose-headers"), Some("x-amzn-requestid, x-amz-crc32"));
        let age = if method == "OPTIONS" { Some("172800") } else { None };
        assert_eq!(answer.header("access-control-max-age"), age);
    }
    let mut headers = headers_of(LIST_TABLES);
    headers.push(("Origin", "null"));
    let answer = server.ask(post(&headers, "{}")).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("*")));
}

#[tokio::test]
async fn only_a_preflight_echoes_what_it_asked_for() {
    let server = Running::start().await;
    for method in ["OPTIONS", "GET", "POST"] {
        let request = format!(
            "{method} / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com/\r\n\
             Access-Control-Request-Method: dog\r\nAccess-Control-Request-Headers: cat, meerkat\r\n\r\n"
        );
        let answer = server.ask(request).await;
        let preflight = method == "OPTIONS";
        assert_eq!(answer.header("access-control-allow-methods"), preflight.then_some("dog"));
        assert_eq!(answer.header("access-control-allow-headers"), preflight.then_some("cat, meerkat"));
        if preflight {
            assert_eq!((answer.seen(), answer.header("content-length")), ((200, ""), Some("0")));
        }
    }
}
