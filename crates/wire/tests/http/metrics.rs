//! The counts that a server keeps and shows.

use hashrange_wire::{Audience, Options};

use crate::support::{Running, headers_of, list_tables, post, wish};

const PAGE: &str = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[tokio::test]
async fn answers_errors_and_panics_are_counted_by_operation_and_code() {
    let server = Running::start().await;
    for request in
        [list_tables("{}"), wish("missing"), wish("missing"), wish("panic"), list_tables("not JSON")]
    {
        server.ask(request).await;
    }
    server.ask(post(&headers_of("DynamoDB_20120810.Nonsense"), "{}")).await;
    let answer = server.ask(PAGE).await;
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "hashrange_requests_total{operation=\"ListTables\"} 5",
        "hashrange_requests_total{operation=\"unknown\"} 1",
        "hashrange_request_errors_total{operation=\"ListTables\",code=\"ResourceNotFoundException\"} 2",
        "hashrange_request_errors_total{operation=\"ListTables\",code=\"InternalServerError\"} 1",
        "hashrange_request_errors_total{operation=\"ListTables\",code=\"SerializationException\"} 1",
        "hashrange_request_errors_total{operation=\"unknown\",code=\"UnknownOperationException\"} 1",
        "hashrange_request_duration_seconds_count{operation=\"ListTables\"} 5",
        "hashrange_connections_accepted_total 7",
    ] {
        assert!(answer.text().lines().any(|told| told == line), "{line} in\n{}", answer.text());
    }
}

#[tokio::test]
async fn only_those_who_may_see_the_page() {
    let of = |metrics| Options { metrics, ..Options::default() };
    let from_elsewhere = PAGE.replace("Host", "X-Forwarded-For: 192.0.2.1\r\nHost");
    for (audience, near, far) in
        [(Audience::Local, 200, 404), (Audience::Everybody, 200, 200), (Audience::Nobody, 404, 404)]
    {
        let server = Running::with(of(audience)).await;
        let seen = (server.ask(PAGE).await.status, server.ask(&from_elsewhere).await.status);
        assert_eq!(seen, (near, far), "{audience:?}");
    }
}
