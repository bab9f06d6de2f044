//! Many large requests at once: the server stays within its memory, tells the rest to come back, and lives.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Connections that send at the same time.
const CONNECTIONS: usize = 200;
/// The largest body.
const BODY_BYTES: usize = 16 << 20;
/// `--request-memory`, in KiB: the default.
const BUDGET_KIB: u64 = 256 << 10;
/// What is not in the budget, in KiB: read buffers of the connections, stacks, what the allocator keeps for itself.
const BESIDE_KIB: u64 = 64 << 10;

struct Server {
    child: Child,
    addr: String,
}

impl Server {
    fn start() -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hashrange"))
            .args(["serve", "--in-memory", "--addr", "127.0.0.1:0", "--log-level", "error"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let first = lines.next().expect("a line").expect("text");
        let addr = first.rsplit_once("http://").expect("an address").1.to_owned();
        Server { child, addr }
    }

    /// A figure of the process in KiB, such as its resident memory.
    fn kib(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find(|line| line.starts_with(name)).expect("a known name");
        line.split_whitespace().nth(1).expect("a figure").parse().expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Most often it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn head(operation: &str, length: usize) -> String {
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Type: \
         application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential=local/20261130/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n\
         X-Amz-Date: 20261130T120000Z\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// Sends one request and reads its answer to the end.
fn ask(addr: &str, operation: &str, body: &[u8]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(addr)?;
    stream.write_all(head(operation, body.len()).as_bytes())?;
    stream.write_all(body)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// A body that becomes as large in memory as JSON can: a list of the shortest values.
fn body() -> Vec<u8> {
    let begin = br#"{"TableName":"none","Item":{"a":{"L":["#;
    let end = br#"{"NULL":true}]}}}"#;
    let mut body = begin.to_vec();
    let value = br#"{"L":[]},"#;
    while body.len() + value.len() + end.len() <= BODY_BYTES {
        body.extend_from_slice(value);
    }
    body.extend_from_slice(end);
    body
}

/// The status of an answer.
fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[test]
fn two_hundred_of_the_largest_bodies_at_once_stay_within_the_memory_for_requests() {
    let server = Server::start();
    assert_eq!(status(&ask(&server.addr, "ListTables", b"{}").expect("an answer")), "200");
    let before = server.kib("VmHWM");
    let body = body();
    let alone = ask(&server.addr, "PutItem", &body).expect("an answer");
    assert_eq!(status(&alone), "400", "{alone}");
    let one = server.kib("VmHWM") - before;

    let (addr, body) = (server.addr.as_str(), body.as_slice());
    let answers: Vec<String> = std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..CONNECTIONS).map(|_| scope.spawn(move || ask(addr, "PutItem", body))).collect();
        let answers = senders.into_iter().map(|sender| sender.join().expect("no panic"));
        answers.map(|answer| answer.expect("every client reads its answer")).collect()
    });
    let count = |wanted: &str| answers.iter().filter(|answer| status(answer) == wanted).count();
    let (understood, refused) = (count("400"), count("503"));
    let peak = server.kib("VmHWM") - before;
    println!("one body: {one} KiB, all: {peak} KiB, understood: {understood}, refused: {refused}");
    assert_eq!(
        understood + refused,
        CONNECTIONS,
        "{:?}",
        answers.iter().map(|answer| status(answer)).collect::<Vec<_>>()
    );
    assert!(understood >= 1 && refused >= 1, "understood {understood}, refused {refused}");
    let why = answers.iter().find(|answer| status(answer) == "503").expect("one was refused");
    assert!(why.contains("com.amazon.coral.service#ServiceUnavailable"), "{why}");
    assert!(peak <= BUDGET_KIB + BESIDE_KIB, "{peak} KiB, one body alone {one} KiB");
    assert_eq!(status(&ask(addr, "ListTables", b"{}").expect("an answer")), "200");
}
