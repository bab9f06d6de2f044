//! The plan of a request in a header of its answer.

use crate::support::{LIST_TABLES, Running, headers_of, post};

async fn explained(how: &str) -> (Option<String>, String) {
    let server = Running::start().await;
    let mut headers = headers_of(LIST_TABLES);
    headers.push(("x-hashrange-explain", how));
    let answer = server.ask(post(&headers, "{}")).await;
    (answer.header("x-hashrange-explain").map(str::to_owned), answer.text().to_owned())
}

#[tokio::test]
async fn an_explained_request_is_run_and_tells_its_plan_and_capacity() {
    let (explanation, body) = explained("true").await;
    assert_eq!(explanation.as_deref(), Some("plan of ListTables; expected: 1 unit; actual: 1 unit"));
    assert!(body.contains("TableNames"), "{body}");
}

#[tokio::test]
async fn a_request_that_is_only_planned_is_not_run() {
    let (explanation, body) = explained("plan").await;
    assert_eq!(explanation.as_deref(), Some("plan of ListTables; expected: 1 unit"));
    assert_eq!(body, "{}");
}

#[tokio::test]
async fn an_answer_to_a_request_that_does_not_ask_has_no_such_header() {
    let server = Running::start().await;
    let answer = server.ask(post(&headers_of(LIST_TABLES), "{}")).await;
    assert_eq!(answer.header("x-hashrange-explain"), None);
}
