//! Signatures: the header and the query form, read, canonicalised and verified.

use hashrange_env::WallMs;
use hashrange_wire::Seen;
use hashrange_wire::sigv4::{self, SigningKey};
use hyper::Request;

use super::{MEGABYTE, Run, Target};

/// The input is a request.
pub const TARGET: Target = Target {
    name: "signatures",
    words: &[
        "AWS4-HMAC-SHA256 ",
        "AWS4-ECDSA-P256-SHA256",
        "Credential=",
        "SignedHeaders=",
        "Signature=",
        ", ",
        "/",
        ";",
        "host",
        "x-amz-date",
        "aws4_request",
        "dynamodb",
        "us-east-1",
        "20260101",
        "20260101T000000Z",
        "X-Amz-Algorithm=",
        "X-Amz-Credential=",
        "X-Amz-Date=",
        "X-Amz-SignedHeaders=",
        "X-Amz-Signature=",
        "X-Amz-Security-Token=",
        "X-Amz-Expires=",
        "&",
        "=",
        "%2F",
        "%",
        "%zz",
        "%C3%A9",
        "+",
        "?",
        "Thu, 01 Jan 2026 00:00:00 GMT",
        "X-Amz-Content-Sha256: ",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        "UNSIGNED-PAYLOAD",
        "Content-Encoding: aws-chunked\r\n",
        ";chunk-signature=",
        "X-Amz-Trailer: x\r\n",
        "0\r\n",
        "\r\n",
        "\r\n\r\n",
    ],
    length: 4096,
    memory: 2 * MEGABYTE,
    seeds: |_| SEEDS.iter().map(|seed| seed.replace('\n', "\r\n").into_bytes()).collect(),
    make: || {
        let key = SigningKey::derive("secret", "20260101", "us-east-1", "dynamodb");
        let run: Run = Box::new(move |input| run(input, &key));
        run
    },
};

/// 2026-01-01T00:00:00Z.
const NOW: WallMs = WallMs(1_767_225_600_000);

const SEEDS: [&str; 3] = [
    "POST / HTTP/1.1\nHost: localhost\nX-Amz-Date: 20260101T000000Z\nAuthorization: AWS4-HMAC-SHA256 \
     Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=00\n\n{}",
    "POST /a%20b?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2F20260101%2Fus-east-1%2Fdynamodb%2Faws4_request&\
     X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Expires=60&X-Amz-Signature=00&b=2&a=1&a=%C3%A9 \
     HTTP/1.1\nHost: localhost\n\n{}",
    "POST / HTTP/1.1\nHost: localhost\nX-Amz-Date: 20260101T000000Z\nContent-Encoding: aws-chunked\nX-Amz-Content-Sha256: \
     STREAMING-AWS4-HMAC-SHA256-PAYLOAD\nX-Amz-Decoded-Content-Length: 2\nAuthorization: AWS4-HMAC-SHA256 \
     Credential=a/20260101/us-east-1/dynamodb/aws4_request,SignedHeaders=host;x-amz-content-sha256;x-amz-date,\
     Signature=00\n\n2;chunk-signature=00\n{}\n0;chunk-signature=00\n\n",
];

fn run(input: &[u8], key: &SigningKey) {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    let Ok(httparse::Status::Complete(end)) = parsed.parse(input) else { return };
    let mut request =
        Request::builder().method(parsed.method.unwrap_or("POST")).uri(parsed.path.unwrap_or("/"));
    for header in parsed.headers.iter() {
        request = request.header(header.name, header.value);
    }
    let Ok(request) = request.body(()) else { return };
    let (head, ()) = request.into_parts();
    let body = &input[end..];
    let seen = Seen::of(&head);
    match sigv4::parse(&seen) {
        Ok(signature) => assert!(signature.service == "dynamodb"),
        Err(error) => assert_eq!(error.code.status(), 400),
    }
    if let Ok(signature) = sigv4::parse_at(&seen, NOW) {
        assert!(signature.timestamp.len() == 16, "{}", signature.timestamp);
        let verified = sigv4::verify(&seen, body, &signature, key);
        assert!(verified.is_err(), "nobody signed this");
    }
}
