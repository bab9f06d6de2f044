//! Bytes on a connection: heads, framing, bodies, several requests. The server and the connection are the real ones.

use std::sync::Arc;

use hashrange_engine::Options;
use hashrange_env::Env;
use hashrange_service::Service;
use hashrange_store::Memory;
use hashrange_wire::Server;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{MEGABYTE, Run, Target};

/// The input is what a client sends before it closes its side.
pub const TARGET: Target = Target {
    name: "http",
    words: &[
        "\r\n",
        "\r\n\r\n",
        "\n",
        " ",
        ":",
        "GET ",
        "POST ",
        "PUT ",
        "DELETE ",
        "OPTIONS ",
        "HEAD ",
        "/ ",
        "HTTP/1.1\r\n",
        "HTTP/1.0\r\n",
        "HTTP/2.0\r\n",
        "Host: a\r\n",
        "Content-Length: 2\r\n",
        "Content-Length: 2, 2\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length: -1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "2\r\n{}\r\n0\r\n\r\n",
        "0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "Connection: close\r\n",
        "Connection: keep-alive\r\n",
        "Expect: 100-continue\r\n",
        "Content-Encoding: gzip\r\n",
        "Content-Encoding: aws-chunked\r\n",
        "X-Amz-Target: DynamoDB_20120810.ListTables\r\n",
        "Origin: a\r\n",
        "X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n",
        "X-Amz-Decoded-Content-Length: 2\r\n",
        "Content-Type: application/json\r\n",
        "Accept-Encoding: gzip\r\n",
        "X-Amz-Date: 20260101T000000Z\r\n",
        "Authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, \
         Signature=00\r\n",
        "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=",
        "Upgrade: h2c\r\n",
        "x-hashrange-explain: plan\r\n",
        "{}",
    ],
    length: 4096,
    memory: 24 * MEGABYTE,
    seeds: |_| SEEDS.iter().map(|seed| seed.replace('\n', "\r\n").into_bytes()).collect(),
    make,
};

const SEEDS: [&str; 5] = [
    "GET / HTTP/1.1\nHost: a\n\n",
    "POST / HTTP/1.1\nHost: a\nContent-Type: application/x-amz-json-1.0\nX-Amz-Target: DynamoDB_20120810.ListTables\n\
     X-Amz-Date: 20260101T000000Z\nAuthorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, \
     SignedHeaders=host;x-amz-date, Signature=00\nContent-Length: 2\n\n{}",
    "POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2F20260101%2Fus-east-1%2Fdynamodb%2Faws4_request&\
     X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Signature=00 HTTP/1.1\nHost: a\nContent-Type: \
     application/json\nX-Amz-Target: DynamoDB_20120810.ListTables\nTransfer-Encoding: chunked\n\n2\n{}\n0\n\n",
    "OPTIONS / HTTP/1.1\nHost: a\nOrigin: b\nAccess-Control-Request-Headers: x\nAccess-Control-Request-Method: POST\n\n",
    "PUT /x HTTP/1.0\n\nGET / HTTP/1.1\n\n",
];

fn make() -> Run {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let address = runtime.block_on(async {
        let env = Env::real();
        let service = Service::open(Arc::new(Memory::new()), env.clone(), Options::default()).await;
        let service = Arc::new(service.expect("a database in memory opens"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback interface has a port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let server = Server::new(service, env.clone(), hashrange_wire::Options::default());
        env.tasks.spawn("server", Box::pin(server.serve(listener, std::future::pending())));
        address
    });
    Box::new(move |input| {
        runtime.block_on(async {
            let mut stream = TcpStream::connect(address).await.expect("the server accepts");
            let mut answer = Vec::new();
            // The server may close before it has read everything.
            let _ = stream.write_all(input).await;
            let _ = stream.shutdown().await;
            let _ = stream.read_to_end(&mut answer).await;
            assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.") || answer.starts_with(b"HTTP/2.0"));
        });
    })
}
