//! Sizes and framing.

use hashrange_wire::Options;

use crate::support::{LIST_TABLES, Running, headers_of, in_time, list_tables, post};

const LIMIT: usize = 16 * 1024 * 1024;

/// The head of a good request with `framing` in place of the content length.
fn head(framing: &str) -> String {
    let request = String::from_utf8(list_tables("")).unwrap();
    request.replace("Content-Length: 0\r\n", &format!("{framing}\r\n"))
}

fn padded(bytes: usize) -> Vec<u8> {
    [b"{".to_vec(), vec![b' '; bytes - 2], b"}".to_vec()].concat()
}

#[tokio::test]
async fn a_body_of_the_largest_size_is_read() {
    let server = Running::start().await;
    assert_eq!(server.ask(list_tables(padded(LIMIT))).await.status, 200);
}

#[tokio::test]
async fn one_byte_more_is_refused_without_json_and_the_client_can_read_it() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    client.send(list_tables(padded(LIMIT + 1))).await;
    let answer = client.receive().await;
    assert_eq!(answer.seen(), (413, ""));
    assert_eq!(answer.header("content-type"), None);
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn a_chunked_body_has_the_same_limit() {
    let server = Running::start().await;
    for (bytes, status) in [(LIMIT, 200), (LIMIT + 1, 413)] {
        let mut request = head("Transfer-Encoding: chunked").into_bytes();
        for chunk in padded(bytes).chunks(1_000_000) {
            request.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            request.extend_from_slice(chunk);
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"0\r\n\r\n");
        assert_eq!(server.ask(request).await.status, status);
    }
}

#[tokio::test]
async fn a_client_that_waits_for_leave_is_refused_before_it_sends() {
    let server = Running::start().await;
    let framing = format!("Content-Length: {}\r\nExpect: 100-continue", LIMIT + 1);
    assert_eq!(server.ask(head(&framing)).await.status, 413);
}

#[tokio::test]
async fn a_client_that_waits_for_leave_gets_it() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    client.send(head("Content-Length: 2\r\nExpect: 100-continue")).await;
    let mut leave = [0; 25];
    in_time(tokio::io::AsyncReadExt::read_exact(&mut client.stream, &mut leave)).await.unwrap();
    assert_eq!(&leave, b"HTTP/1.1 100 Continue\r\n\r\n");
    client.send("{}").await;
    assert_eq!(client.receive().await.status, 200);
}

#[tokio::test]
async fn small_chunks_are_joined() {
    let server = Running::start().await;
    let request = head("Transfer-Encoding: chunked")
        + "1\r\n{\r\n3;x=y\r\n\"a\"\r\n3\r\n:1}\r\n0\r\nTrailer: x\r\n\r\n";
    assert_eq!(server.ask(request).await.status, 200);
}

#[tokio::test]
async fn a_request_may_come_byte_by_byte() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    client.stream.set_nodelay(true).unwrap();
    for byte in list_tables("{}") {
        client.send([byte]).await;
    }
    assert_eq!(client.receive().await.status, 200);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_waited_for_no_longer_than_allowed() {
    let timeout = std::time::Duration::from_millis(50);
    let server = Running::with(Options { body_timeout: timeout, ..Options::default() }).await;
    let mut client = server.connect().await;
    client.send(head("Content-Length: 10")).await;
    assert_eq!(client.receive().await.seen(), (408, ""));
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn a_header_block_beyond_16_kb_is_a_plain_400() {
    let server = Running::start().await;
    for (bytes, status) in [(15_000, 200), (17_000, 400), (40_000, 400)] {
        let long = "x".repeat(bytes);
        let mut headers = headers_of(LIST_TABLES);
        headers.push(("X-Long", &long));
        let answer = server.ask(post(&headers, "{}")).await;
        assert_eq!(answer.status, status, "{bytes}");
        assert!(status == 200 || answer.body.is_empty());
    }
}

#[tokio::test]
async fn many_small_headers_are_a_large_header_block() {
    let server = Running::start().await;
    let mut headers = headers_of(LIST_TABLES);
    let value = "x".repeat(300);
    headers.extend(std::iter::repeat_n(("X-Again", value.as_str()), 60));
    assert_eq!(server.ask(post(&headers, "{}")).await.seen(), (400, ""));
}

#[tokio::test]
async fn a_request_line_beyond_16_kb_is_a_plain_400() {
    let server = Running::start().await;
    for (bytes, status) in [(16_000, 200), (16_400, 400), (50_000, 400)] {
        let line = format!("POST /{} ", "x".repeat(bytes));
        let request = String::from_utf8(list_tables("{}")).unwrap().replace("POST / ", &line);
        assert_eq!(server.ask(request).await.status, status, "{bytes}");
    }
}
