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

    /// Lets the highest resident memory begin anew.
    fn reset_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5").expect("it runs");
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

/// A body of the largest size: `begin`, one `piece` after the other, `end`. In a piece `@@@@` is a number of its own.
fn body(begin: &str, piece: &str, end: &str) -> Vec<u8> {
    let mut body = begin.as_bytes().to_vec();
    for number in 0.. {
        if body.len() + piece.len() + end.len() > BODY_BYTES {
            break;
        }
        body.extend_from_slice(piece.replace("@@@@", &format!("{:04x}", number % 0x10000)).as_bytes());
    }
    body.extend_from_slice(end.as_bytes());
    body
}

/// Items that become much larger in memory than they are as JSON, in a batch: each as large as may be decoded.
fn batch(value: &str, piece: &str) -> Vec<u8> {
    let (begin, end) = value.split_once("..").expect("a place for pieces");
    let mut body = br#"{"RequestItems":{"none":["#.to_vec();
    while body.len() + 4_000_000 < BODY_BYTES {
        body.extend_from_slice(format!(r#"{{"PutRequest":{{"Item":{{"a":{begin}"#).as_bytes());
        let start = body.len();
        for number in 0..400_000 {
            body.extend_from_slice(piece.replace("@@@@", &format!("{:04x}", number % 0x10000)).as_bytes());
            if body.len() - start > 3_900_000 {
                break;
            }
        }
        body.pop();
        body.extend_from_slice(format!("{end}}}}}}},").as_bytes());
    }
    body.pop();
    body.extend_from_slice(b"]}}");
    body
}

/// The shapes that take up most memory, each with the operation that it is sent to.
fn shapes() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let item = r#"{"TableName":"none","Item":{"a":"#;
    let one =
        |begin: &str, piece: &str, end: &str| body(&format!("{item}{begin}"), piece, &format!("{end}}}}}"));
    vec![
        ("list", "PutItem", one(r#"{"L":["#, r#"{"L":[]},"#, r#"{"NULL":true}]}"#)),
        ("map", "PutItem", one(r#"{"M":{"#, r#""@@@@":{"L":[]},"#, r#""z":{"NULL":true}}}"#)),
        ("texts", "PutItem", one(r#"{"SS":["#, r#""@@@@","#, r#""z"]}"#)),
        ("numbers", "PutItem", one(r#"{"NS":["#, r#""1","#, r#""2"]}"#)),
        ("lists", "BatchWriteItem", batch(r#"{"L":[..]}"#, r#"{"L":[]},"#)),
        ("maps", "BatchWriteItem", batch(r#"{"M":{..}}"#, r#""@@@@":{"L":[]},"#)),
        ("sets of texts", "BatchWriteItem", batch(r#"{"SS":[..]}"#, r#""@@@@","#)),
        ("sets of numbers", "BatchWriteItem", batch(r#"{"NS":[..]}"#, r#""1","#)),
        (
            "names",
            "GetItem",
            body(r#"{"TableName":"none","Key":{},"AttributesToGet":["#, r#""a","#, r#""b"]}"#),
        ),
        ("actions", "TransactWriteItems", body(r#"{"TransactItems":["#, "{},", "{}]}")),
        ("reads", "TransactGetItems", body(r#"{"TransactItems":["#, r#"{"Get":{}},"#, "{}]}")),
        ("keys", "BatchGetItem", body(r#"{"RequestItems":{"none":{"Keys":["#, "{},", "{}]}}}")),
        ("tables", "BatchGetItem", body(r#"{"RequestItems":{"#, r#""@@@@":{},"#, r#""z":{}}}"#)),
        ("conditions", "Scan", body(r#"{"TableName":"none","ScanFilter":{"#, r#""@@@@":{},"#, r#""z":{}}}"#)),
        (
            "placeholders",
            "Scan",
            body(
                r#"{"TableName":"none","ExpressionAttributeValues":{"#,
                r#"":@@@@":{"L":[]},"#,
                r#"":z":{"L":[]}}}"#,
            ),
        ),
    ]
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
    let body = shapes().swap_remove(0).2;
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
    println!("all: {peak} KiB, understood: {understood}, refused: {refused}");
    assert_eq!(
        understood + refused,
        CONNECTIONS,
        "{:?}",
        answers.iter().map(|answer| status(answer)).collect::<Vec<_>>()
    );
    assert!(understood >= 1 && refused >= 1, "understood {understood}, refused {refused}");
    let why = answers.iter().find(|answer| status(answer) == "503").expect("one was refused");
    assert!(why.contains("com.amazon.coral.service#ServiceUnavailable"), "{why}");
    assert!(peak <= BUDGET_KIB + BESIDE_KIB, "{peak} KiB");
    assert_eq!(status(&ask(addr, "ListTables", b"{}").expect("an answer")), "200");
}

#[test]
fn no_body_costs_more_than_it_is_charged_for() {
    let charged = 10 * BODY_BYTES as u64 / 1024;
    for (name, operation, body) in shapes() {
        let server = Server::start();
        assert_eq!(status(&ask(&server.addr, "ListTables", b"{}").expect("an answer")), "200");
        server.reset_peak();
        let before = server.kib("VmRSS");
        let answer = ask(&server.addr, operation, &body).expect("an answer");
        let grown = server.kib("VmHWM").saturating_sub(before);
        println!("{name}: {} KiB sent, {grown} KiB held", body.len() / 1024);
        assert_eq!(status(&answer), "400", "{name}: {}", answer.get(..600).unwrap_or(&answer));
        assert!(grown <= charged + BESIDE_KIB / 4, "{name}: {grown} KiB");
    }
}
