//! Methods, content types, targets, and the order in which they are looked at.

use crate::support::{
    AMZ_JSON, AUTHORIZATION, DATE, LIST_TABLES, Running, headers_of, list_tables, post, wish,
};

const UNKNOWN_OPERATION: &str = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
const NOT_JSON: &str = r#"{"__type":"com.amazon.coral.service#SerializationException"}"#;
const MISSING_TOKEN: &str = r#"{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException","message":"Request is missing Authentication Token"}"#;
const UNKNOWN_PAGE: &str = "<UnknownOperationException/>\n";

#[tokio::test]
async fn a_good_request_is_answered() {
    let server = Running::start().await;
    let answer = server.ask(list_tables("{}")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some(AMZ_JSON));
    let id = answer.header("x-amzn-requestid").unwrap();
    let expected = format!(r#"{{"TableNames":["000000000000","eu-west-2","AKID","{id}"]}}"#);
    assert_eq!(answer.text(), expected);
}

#[tokio::test]
async fn the_path_does_not_matter() {
    let server = Running::start().await;
    let request = String::from_utf8(list_tables("{}")).unwrap().replace("POST / ", "POST /any/path?x=1 ");
    assert_eq!(server.ask(request).await.status, 200);
}

#[tokio::test]
async fn an_unknown_target_has_one_answer_signed_or_not() {
    let server = Running::start().await;
    let targets = [
        "DynamoDB_20120810.ListTable",
        "DynamoDB_20111205.ListTables",
        "DynamoDBStreams_20120810.ListTables",
        "DynamoDB_20120810.GetRecords",
        "DynamoDB_20120810.listtables",
        "DynamoDB_20120810",
        "whatever",
        "",
    ];
    for target in targets {
        for body in ["{}", ""] {
            let unsigned = [("Content-Type", AMZ_JSON), ("X-Amz-Target", target)];
            let signed = headers_of(target);
            for headers in [&unsigned[..], &signed[..]] {
                let answer = server.ask(post(headers, body)).await;
                assert_eq!(answer.seen(), (400, UNKNOWN_OPERATION), "{target}");
                assert_eq!(answer.header("x-amz-crc32"), Some("1368724161"));
                assert_eq!(answer.header("content-type"), Some(AMZ_JSON));
            }
        }
    }
}

#[tokio::test]
async fn no_target_has_the_same_answer_in_the_default_type() {
    let server = Running::start().await;
    let answer = server.ask(post(&[], "")).await;
    assert_eq!(answer.seen(), (400, UNKNOWN_OPERATION));
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn the_answer_has_the_media_type_of_the_request() {
    let server = Running::start().await;
    let cases = [
        ("application/json", "application/json"),
        ("application/x-amz-json-1.0", AMZ_JSON),
        ("application/x-amz-json-1.0; charset=UTF-8", AMZ_JSON),
        (" application/json ;charset=utf-8", "application/json"),
        ("Application/JSON", "application/json"),
    ];
    for (sent, expected) in cases {
        let mut headers = headers_of(LIST_TABLES);
        headers[0].1 = sent;
        let answer = server.ask(post(&headers, "{}")).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(expected)), "{sent}");
    }
}

#[tokio::test]
async fn a_body_of_another_type_is_an_unknown_page() {
    let server = Running::start().await;
    let target = ("X-Amz-Target", LIST_TABLES);
    for media in ["application/x-amz-json-1.1", "whatever", "text/plain", "", "application/jsonx"] {
        let answer = server.ask(post(&[("Content-Type", media), target], "{}")).await;
        assert_eq!(answer.seen(), (404, UNKNOWN_PAGE), "{media}");
        assert_eq!(answer.header("x-amz-crc32"), Some("3552371480"));
    }
    assert_eq!(server.ask(post(&[target], "{}")).await.seen(), (404, UNKNOWN_PAGE));
}

#[tokio::test]
async fn without_a_body_the_type_does_not_matter() {
    let server = Running::start().await;
    for media in ["application/x-amz-json-1.1", "whatever"] {
        let mut headers = headers_of(LIST_TABLES);
        headers[0].1 = media;
        let answer = server.ask(post(&headers, "")).await;
        assert_eq!(answer.seen(), (400, NOT_JSON));
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn other_methods_are_unknown_pages() {
    let server = Running::start().await;
    for line in ["PUT /", "DELETE /", "PATCH /", "OPTIONS /", "GET /abc", "GET /-", "GET /health"] {
        let answer = server.ask(format!("{line} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
        assert_eq!(answer.seen(), (404, UNKNOWN_PAGE), "{line}");
        assert_eq!(answer.header("content-length"), Some("29"));
    }
}

#[tokio::test]
async fn the_health_page_names_the_host() {
    let server = Running::start().await;
    let answer = server.ask("GET / HTTP/1.1\r\nHost: dynamodb.eu-west-2.amazonaws.com\r\n\r\n").await;
    assert_eq!(answer.seen(), (200, "healthy: dynamodb.eu-west-2.amazonaws.com "));
    let answer = server.ask("GET /?x HTTP/1.1\r\nHost: localhost:8000\r\n\r\n").await;
    assert_eq!(answer.seen(), (200, "healthy: localhost:8000 "));
    let answer = server.ask("GET / HTTP/1.0\r\n\r\n").await;
    assert_eq!(answer.seen(), (200, "healthy: dynamodb.us-east-1.amazonaws.com "));
}

#[tokio::test]
async fn bad_json_is_reported_before_a_bad_target_and_a_missing_signature() {
    let server = Running::start().await;
    for media in [AMZ_JSON, "application/json"] {
        for target in ["whatever", LIST_TABLES] {
            let headers = [("Content-Type", media), ("X-Amz-Target", target)];
            let answer = server.ask(post(&headers, "hi")).await;
            assert_eq!(answer.seen(), (400, NOT_JSON), "{target}");
            assert_eq!(answer.header("x-amz-crc32"), Some("3948637019"));
            assert_eq!(answer.header("content-type"), Some(media));
        }
    }
    assert_eq!(server.ask(list_tables("hi")).await.seen(), (400, NOT_JSON));
}

#[tokio::test]
async fn a_missing_signature_is_reported_before_an_empty_body_and_wrong_types() {
    let server = Running::start().await;
    let headers = [("Content-Type", AMZ_JSON), ("X-Amz-Target", LIST_TABLES)];
    for body in ["", "{}", r#"{"ExclusiveStartTableName":1}"#] {
        let answer = server.ask(post(&headers, body)).await;
        assert_eq!(answer.seen(), (400, MISSING_TOKEN), "{body}");
        assert_eq!(answer.header("x-amz-crc32"), Some("2088342776"));
    }
    assert_eq!(server.ask(list_tables("")).await.seen(), (400, NOT_JSON));
}

#[tokio::test]
async fn bad_syntax_is_reported_before_a_wrong_type_that_stands_earlier() {
    let server = Running::start().await;
    let wrong_type = server.ask(list_tables(r#"{"ExclusiveStartTableName":1}"#)).await;
    assert_eq!(wrong_type.status, 400);
    let text = r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"NUMBER_VALUE cannot be converted to String"}"#;
    assert_eq!(wrong_type.text(), text);
    let both = server.ask(list_tables(r#"{"ExclusiveStartTableName":1,}"#)).await;
    assert_eq!(both.seen(), (400, NOT_JSON));
}

#[tokio::test]
async fn errors_of_operations_come_in_their_envelope() {
    let server = Running::start().await;
    let answer = server.ask(wish("missing")).await;
    let text = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}"#;
    assert_eq!(answer.seen(), (400, text));
    assert_eq!(answer.header("content-type"), Some(AMZ_JSON));
}

#[tokio::test]
async fn an_operation_that_is_not_built_is_unknown() {
    let server = Running::start().await;
    let answer = server.ask(post(&headers_of("DynamoDB_20120810.DescribeLimits"), "{}")).await;
    assert_eq!(answer.seen(), (400, UNKNOWN_OPERATION));
}

#[tokio::test]
async fn a_streams_target_is_known() {
    let server = Running::start().await;
    let headers = [
        ("Content-Type", AMZ_JSON),
        ("X-Amz-Target", "DynamoDBStreams_20120810.ListStreams"),
        ("Authorization", AUTHORIZATION),
        ("X-Amz-Date", DATE),
    ];
    assert_eq!(server.ask(post(&headers, "")).await.seen(), (400, NOT_JSON));
}
