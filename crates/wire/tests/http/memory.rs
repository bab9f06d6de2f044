//! The budget for bodies and large answers of all connections.

use hashrange_wire::Options;
use tokio::io::AsyncReadExt;

use crate::support::{Running, in_time, list_tables, wish};

const REFUSED: &str = r#"{"__type":"com.amazon.coral.service#ServiceUnavailable","message":"The requests under way hold as many bytes as --request-memory allows; try again later."}"#;

/// What a byte of body costs.
const FACTOR: usize = 10;

async fn with_memory(bytes: usize) -> Running {
    Running::with(Options { request_memory: bytes, ..Options::default() }).await
}

/// The same request with space behind its body, to `bytes` of body.
fn padded(text: &str, bytes: usize) -> Vec<u8> {
    list_tables(format!("{text}{}", " ".repeat(bytes - text.len())))
}

#[tokio::test]
async fn bodies_beyond_the_budget_are_told_to_come_back() {
    let server = with_memory(FACTOR * 200_000).await;
    let mut first = server.connect().await;
    first.send(padded(r#"{"ExclusiveStartTableName":"wait"}"#, 150_000)).await;
    in_time(server.stand_in.begun.notified()).await;

    let mut second = server.connect().await;
    second.send(padded("{}", 100_000)).await;
    assert_eq!(second.receive().await.seen(), (503, REFUSED));
    // The connection goes on, and what is small enough is answered.
    second.send(padded("{}", 10_000)).await;
    assert_eq!(second.receive().await.status, 200);

    server.stand_in.release.notify_one();
    assert_eq!(first.receive().await.status, 200);
    second.send(padded("{}", 150_000)).await;
    assert_eq!(second.receive().await.status, 200);
}

#[tokio::test]
async fn a_small_body_beyond_the_budget_is_refused_alike() {
    let server = with_memory(FACTOR * 100).await;
    assert_eq!(server.ask(padded("{}", 100)).await.status, 200);
    assert_eq!(server.ask(padded("{}", 101)).await.seen(), (503, REFUSED));
}

#[tokio::test]
async fn what_was_announced_and_has_not_come_costs_little() {
    let server = with_memory(FACTOR * 2_500_000).await;
    let mut waiting = Vec::new();
    for _ in 0..20 {
        let mut client = server.connect().await;
        let request = padded("{}", 1_000_000);
        client.send(&request[..request.len() - 990_000]).await;
        waiting.push((client, request));
    }
    assert_eq!(server.ask(padded("{}", 500_000)).await.status, 200);
    for (mut client, request) in waiting {
        client.send(&request[request.len() - 990_000..]).await;
        assert_eq!(client.receive().await.status, 200);
    }
}

#[tokio::test]
async fn large_answers_count_until_they_are_sent() {
    let server = with_memory(70_000_000).await;
    let mut slow = server.connect().await;
    slow.send(wish("large.24000000")).await;
    let mut first = [0; 1];
    in_time(slow.stream.read_exact(&mut first)).await.unwrap();
    assert_eq!(server.ask(wish("large.24000000")).await.seen(), (503, REFUSED));
    assert_eq!(server.ask(wish("large.10000")).await.status, 200);

    let mut rest = vec![0; 24_000_000];
    in_time(slow.stream.read_exact(&mut rest)).await.unwrap();
    in_time(async { while server.ask(wish("large.24000000")).await.status != 200 {} }).await;
}
