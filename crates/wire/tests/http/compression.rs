//! Compressed requests and answers.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::support::{Answer, LIST_TABLES, Running, headers_of, list_tables, post};

const INTERNAL: &str = r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The request processing has failed because of an unknown error, exception or failure."}"#;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

async fn send(server: &Running, coding: &str, body: Vec<u8>) -> Answer {
    let mut headers = headers_of(LIST_TABLES);
    headers.push(("Content-Encoding", coding));
    server.ask(post(&headers, body)).await
}

async fn large(server: &Running, accept: &str, bytes: usize) -> Answer {
    let mut headers = headers_of(LIST_TABLES);
    headers.push(("Accept-Encoding", accept));
    server.ask(post(&headers, format!(r#"{{"ExclusiveStartTableName":"large.{bytes}"}}"#))).await
}

#[tokio::test]
async fn compressed_requests_are_understood() {
    let server = Running::start().await;
    let body = br#"{"ExclusiveStartTableName":"missing"}"#;
    for (coding, sent) in [
        ("gzip", gzip(body)),
        ("deflate", zlib(body)),
        ("gzip", [gzip(&body[..10]), gzip(&body[10..])].concat()),
        ("identity", body.to_vec()),
    ] {
        let answer = send(&server, coding, sent).await;
        assert!(answer.text().contains("#ResourceNotFoundException"), "{coding}: {answer:?}");
    }
}

#[tokio::test]
async fn requests_that_cannot_be_expanded_are_internal_errors() {
    let server = Running::start().await;
    let good = gzip(b"{}");
    let cut = good[..good.len() - 1].to_vec();
    for (coding, sent) in
        [("garbage", b"{}".to_vec()), ("gzip", b"{}".to_vec()), ("gzip", cut), ("gzip", Vec::new())]
    {
        assert_eq!(send(&server, coding, sent).await.seen(), (500, INTERNAL), "{coding}");
    }
    assert_eq!(send(&server, "gzip", good).await.status, 200);
}

#[tokio::test]
async fn a_small_request_cannot_grow_beyond_the_limit() {
    let server = Running::start().await;
    let padded = |spaces: usize| gzip(&[b"{}".to_vec(), vec![b' '; spaces]].concat());
    assert_eq!(send(&server, "gzip", padded(16 * 1024 * 1024 - 2)).await.status, 200);
    assert_eq!(send(&server, "gzip", padded(16 * 1024 * 1024 - 1)).await.seen(), (500, INTERNAL));
}

#[tokio::test]
async fn large_answers_are_compressed_when_asked() {
    let server = Running::start().await;
    let expected = format!(r#"{{"TableNames":["{}"]}}"#, "x".repeat(5000));
    let plain = server.ask(list_tables(r#"{"ExclusiveStartTableName":"large.5000"}"#)).await;
    assert_eq!((plain.header("content-encoding"), plain.text()), (None, expected.as_str()));

    let mut text = String::new();
    let answer = large(&server, "gzip", 5000).await;
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    GzDecoder::new(&answer.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, expected);

    text.clear();
    let answer = large(&server, "deflate, gzip;q=0.5", 5000).await;
    assert_eq!(answer.header("content-encoding"), Some("deflate"));
    ZlibDecoder::new(&answer.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, expected);
    assert!(answer.body.len() * 30 < expected.len());
}

#[tokio::test]
async fn an_answer_is_compressed_above_4096_bytes() {
    let server = Running::start().await;
    let around = r#"{"TableNames":[""]}"#.len();
    let at = large(&server, "gzip", 4096 - around).await;
    assert_eq!((at.header("content-encoding"), at.body.len()), (None, 4096));
    assert_eq!(large(&server, "gzip", 4097 - around).await.header("content-encoding"), Some("gzip"));
    assert_eq!(large(&server, "br", 5000).await.header("content-encoding"), None);
}

#[tokio::test]
async fn only_the_first_accept_encoding_line_counts() {
    let server = Running::start().await;
    let body = r#"{"ExclusiveStartTableName":"large.5000"}"#;
    for (first, second, expected) in [("identity", "gzip", None), ("gzip", "identity", Some("gzip"))] {
        let mut headers = headers_of(LIST_TABLES);
        headers.extend([("Accept-Encoding", first), ("Accept-Encoding", second)]);
        assert_eq!(server.ask(post(&headers, body)).await.header("content-encoding"), expected);
    }
}
