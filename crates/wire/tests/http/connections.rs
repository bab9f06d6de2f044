//! The life of a connection.

use std::time::Duration;

use hashrange_wire::Options;
use tokio::io::AsyncWriteExt;

use crate::support::{Running, in_time, list_tables, wish};

const INTERNAL: &str = r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The request processing has failed because of an unknown error, exception or failure."}"#;

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        client.send(list_tables("{}")).await;
        ids.push(client.receive().await.header("x-amzn-requestid").unwrap().to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    let requests = ["large.10", "missing", "large.20", "panic", "large.30"].map(wish).concat();
    client.send(requests).await;
    let mut answers = Vec::new();
    for _ in 0..5 {
        let answer = client.receive().await;
        answers.push((answer.status, answer.body.len()));
    }
    let names = |bytes: usize| r#"{"TableNames":[""]}"#.len() + bytes;
    let statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [200, 400, 200, 500, 200]);
    assert_eq!([answers[0].1, answers[2].1, answers[4].1], [names(10), names(20), names(30)]);
}

#[tokio::test]
async fn a_panic_is_the_error_of_one_request() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    client.send(wish("panic")).await;
    assert_eq!(client.receive().await.seen(), (500, INTERNAL));
    client.send(list_tables("{}")).await;
    assert_eq!(client.receive().await.status, 200);
}

#[tokio::test]
async fn a_client_that_has_closed_its_side_still_gets_its_answer() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    client.send(wish("wait")).await;
    in_time(client.stream.shutdown()).await.unwrap();
    in_time(server.stand_in.begun.notified()).await;
    server.stand_in.release.notify_one();
    assert_eq!(client.receive().await.status, 200);
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn a_client_that_asks_for_it_is_disconnected_after_its_answer() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    let request =
        String::from_utf8(list_tables("{}")).unwrap().replace("Host:", "Connection: close\r\nHost:");
    client.send(request).await;
    assert_eq!(client.receive().await.status, 200);
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn a_client_that_leaves_mid_request_does_not_disturb_others() {
    let server = Running::start().await;
    let whole = list_tables("{}");
    for length in [1, 30, whole.len() - 1] {
        let mut client = server.connect().await;
        client.send(&whole[..length]).await;
    }
    assert_eq!(server.ask(whole).await.status, 200);
}

#[tokio::test]
async fn bytes_that_are_not_http_end_the_connection() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    client.send("\x16\x03\x01 hello\r\n\r\n").await;
    let seen = client.rest().await;
    assert!(seen.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{seen}");
    assert_eq!(server.ask(list_tables("{}")).await.status, 200);
}

const SHORT: Duration = Duration::from_millis(50);
/// Longer than any test has patience for.
const LONG: Duration = Duration::from_hours(1);

#[tokio::test]
async fn slow_headers_end_with_the_header_timeout_and_idle_connections_do_not() {
    let options = Options { header_timeout: SHORT, idle_timeout: LONG, ..Options::default() };
    let server = Running::with(options).await;
    let mut idle = server.connect().await;
    idle.send(list_tables("{}")).await;
    assert_eq!(idle.receive().await.status, 200);
    let mut silent = server.connect().await;
    let mut slow = server.connect().await;
    slow.send("POST / HTTP/1.1\r\nHost: ").await;
    let mut slow_again = server.connect().await;
    slow_again.send(list_tables("{}")).await;
    assert_eq!(slow_again.receive().await.status, 200);
    slow_again.send("POST / HTTP/1.1\r\n").await;
    for client in [&mut silent, &mut slow, &mut slow_again] {
        assert!(client.is_closed().await);
    }
    idle.send(list_tables("{}")).await;
    assert_eq!(idle.receive().await.status, 200);
}

#[tokio::test]
async fn idle_connections_end_with_the_idle_timeout_and_new_ones_do_not() {
    let options = Options { header_timeout: LONG, idle_timeout: SHORT, ..Options::default() };
    let server = Running::with(options).await;
    let mut silent = server.connect().await;
    let mut idle = server.connect().await;
    idle.send(list_tables("{}")).await;
    assert_eq!(idle.receive().await.status, 200);
    assert!(idle.is_closed().await);
    silent.send(list_tables("{}")).await;
    assert_eq!(silent.receive().await.status, 200);
}

#[tokio::test]
async fn a_client_that_does_not_take_its_answer_is_cut() {
    let options = Options { idle_timeout: SHORT, drain_timeout: LONG, ..Options::default() };
    let mut server = Running::with(options).await;
    let mut client = server.connect().await;
    client.send(wish("large.64000000")).await;
    server.stop();
    // The server ends once its last connection has.
    server.ended().await;
}

#[tokio::test]
async fn connections_beyond_the_limit_are_told_to_come_back() {
    let options = Options { max_connections: 1, ..Options::default() };
    let server = Running::with(options).await;
    let mut first = server.connect().await;
    first.send(list_tables("{}")).await;
    assert_eq!(first.receive().await.status, 200);

    let mut second = server.connect().await;
    second.send(list_tables("{}")).await;
    let text = second.rest().await;
    assert!(text.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{text}");
    let body = r#"{"__type":"com.amazon.coral.service#ServiceUnavailable","message":"The server has as many connections as --max-connections allows; try again later, or use fewer connections."}"#;
    assert!(text.ends_with(body), "{text}");
    assert!(text.contains(&format!("x-amz-crc32: {}\r\n", crc32fast::hash(body.as_bytes()))), "{text}");

    first.send(list_tables("{}")).await;
    assert_eq!(first.receive().await.status, 200);
    drop(first);
    loop {
        let mut next = server.connect().await;
        next.send(list_tables("{}")).await;
        if next.rest_or_answer().await.starts_with("HTTP/1.1 200") {
            break;
        }
    }
}

#[tokio::test]
async fn a_request_may_take_longer_than_the_header_timeout() {
    let options = Options { header_timeout: SHORT, idle_timeout: SHORT, ..Options::default() };
    let server = Running::with(options).await;
    let mut client = server.connect().await;
    let mut silent = server.connect().await;
    client.send(wish("wait")).await;
    in_time(server.stand_in.begun.notified()).await;
    assert!(silent.is_closed().await);
    server.stand_in.release.notify_one();
    assert_eq!(client.receive().await.status, 200);
}

#[tokio::test]
async fn a_shutdown_closes_idle_connections_and_finishes_requests() {
    let mut server = Running::start().await;
    let mut fresh = server.connect().await;
    let mut idle = server.connect().await;
    idle.send(list_tables("{}")).await;
    assert_eq!(idle.receive().await.status, 200);
    let mut busy = server.connect().await;
    busy.send(wish("wait")).await;
    in_time(server.stand_in.begun.notified()).await;

    server.stop();
    assert!(idle.is_closed().await);
    assert!(fresh.is_closed().await);
    server.stand_in.release.notify_one();
    let answer = busy.receive().await;
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert!(busy.is_closed().await);
    let address = server.address;
    server.ended().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_shutdown_cuts_requests_at_the_end_of_the_drain_time() {
    let options = Options { drain_timeout: Duration::from_millis(50), ..Options::default() };
    let mut server = Running::with(options).await;
    let mut stuck = server.connect().await;
    stuck.send(wish("wait")).await;
    in_time(server.stand_in.begun.notified()).await;
    server.stop();
    assert!(stuck.is_closed().await);
    server.ended().await;
}
