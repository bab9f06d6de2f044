//! Requests whose end two readers could see in different places ("request smuggling"): refused, and nothing behind them
//! is answered.

use crate::support::{Running, list_tables};

/// Stands behind every bad request: it must never be taken for one.
const SMUGGLED: &str = "GET / HTTP/1.1\r\nHost: smuggled\r\n\r\n";

/// The head of a good request with `lines` in place of the content length.
fn head(lines: &str) -> String {
    let request = String::from_utf8(list_tables("")).unwrap();
    request.replace("Content-Length: 0\r\n", &lines.replace('|', "\r\n"))
}

/// What the server says to `request` and all that follows it, until it closes.
async fn said(server: &Running, request: &str) -> String {
    let mut client = server.connect().await;
    client.send(format!("{request}{SMUGGLED}{SMUGGLED}")).await;
    client.rest().await
}

async fn refused(server: &Running, request: &str) {
    let said = said(server, request).await;
    assert!(said.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{request:?}: {said}");
    assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "{request:?}: {said}");
    assert!(!said.contains("healthy"), "{request:?}: {said}");
}

#[tokio::test]
async fn heads_with_two_readings_are_refused() {
    let server = Running::start().await;
    for lines in [
        "Content-Length: 2|Transfer-Encoding: chunked|",
        "Transfer-Encoding: chunked|Content-Length: 2|",
        "Content-Length: 2|Content-Length: 2|",
        "Content-Length: 2|Content-Length: 3|",
        "Content-Length: 2, 2|",
        "Content-Length: +2|",
        "Content-Length: -2|",
        "Content-Length: 0x2|",
        "Content-Length:|",
        "Content-Length: 99999999999999999999|",
        "Content-Length : 2|",
        "Transfer-Encoding: identity|",
        "Transfer-Encoding: gzip, chunked|",
        "Transfer-Encoding: chunked, chunked|",
        "Transfer-Encoding: chunked|Transfer-Encoding: chunked|",
        "Transfer-Encoding: xchunked|",
        "Transfer-Encoding: \u{b}chunked|",
        "Transfer-Encoding : chunked|",
        "X: a\nContent-Length: 2|",
        "X: a|  Content-Length: 2|",
        "X: a|\tb|",
        "X: a\rContent-Length: 2|",
        "X: a\0b|",
        "X a|",
        " X: a|",
    ] {
        refused(&server, &head(lines)).await;
    }
    refused(&server, &head("Content-Length: 2|").replace("\r\n\r\n", "\r\n\n")).await;
    refused(&server, &head("Content-Length: 0|").replacen("\r\n", "\n", 1)).await;
    let old = head("Transfer-Encoding: chunked|").replace("HTTP/1.1", "HTTP/1.0");
    assert!(!said(&server, &old).await.contains("healthy"));
    assert_eq!(server.ask(list_tables("{}")).await.status, 200);
}

#[tokio::test]
async fn a_bad_head_is_refused_behind_good_requests_and_in_pieces() {
    let server = Running::start().await;
    let good = String::from_utf8(list_tables("{}")).unwrap();
    let bad = head("Content-Length: 2|Transfer-Encoding: chunked|");
    let both = said(&server, &format!("{good}{bad}")).await;
    assert!(both.starts_with("HTTP/1.1 200 OK\r\n"), "{both}");
    assert_eq!(both.matches("HTTP/1.1 400 Bad Request\r\n").count(), 1, "{both}");
    assert!(!both.contains("healthy"), "{both}");

    let mut client = server.connect().await;
    client.stream.set_nodelay(true).unwrap();
    for byte in format!("{bad}{{}}").into_bytes() {
        // The server may have closed before the last bytes.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut client.stream, &[byte]).await;
    }
    let said = client.rest().await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 400 "), "{said}");
}

#[tokio::test]
async fn bad_chunking_is_refused() {
    let server = Running::start().await;
    for body in [
        "xyz\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
        "+2\r\n{}\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n",
        "\r\n",
        "2\n{}\r\n0\r\n\r\n",
        "2\r\n{}\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n",
        "2\r\n{}x\r\n0\r\n\r\n",
        "2;a\nb\r\n{}\r\n0\r\n\r\n",
        "2 2\r\n{}\r\n0\r\n\r\n",
    ] {
        refused(&server, &(head("Transfer-Encoding: chunked|") + body)).await;
    }
}

#[tokio::test]
async fn a_chunked_request_is_the_last_of_its_connection() {
    let server = Running::start().await;
    let said = said(&server, &(head("Transfer-Encoding: chunked|") + "2\r\n{}\r\n0\r\n\r\n")).await;
    assert!(said.starts_with("HTTP/1.1 200 OK\r\n") && said.contains("connection: close\r\n"), "{said}");
    assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "{said}");
}

#[tokio::test]
async fn a_body_that_ends_too_soon_is_no_request() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    client.send(head("Content-Length: 10|") + "{}").await;
    tokio::io::AsyncWriteExt::shutdown(&mut client.stream).await.unwrap();
    let said = client.rest().await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 400 "), "{said}");
}

#[tokio::test]
async fn a_hundred_headers_are_taken_and_more_are_not() {
    let server = Running::start().await;
    for (count, status) in [(90, "200"), (200, "431")] {
        let lines = (0..count).map(|n| format!("X-{n}: y|")).collect::<Vec<_>>().concat();
        let said = said(&server, &(head(&(lines + "Content-Length: 2|Connection: close|")) + "{}")).await;
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{said}");
    }
}

#[tokio::test]
async fn a_head_without_end_is_not_read_without_end() {
    let server = Running::start().await;
    let mut client = server.connect().await;
    let line = "X: ".to_owned() + &"y".repeat(100_000);
    // The server closes before it has read all of it.
    let _ = tokio::io::AsyncWriteExt::write_all(&mut client.stream, (head("") + &line).as_bytes()).await;
    let said = client.rest().await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
}

#[tokio::test]
async fn http_2_is_not_spoken() {
    let server = Running::start().await;
    let said = said(&server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert!(!said.contains("200 OK"), "{said}");
}
