//! A server with credentials: who gets in, and what each kind of bad signature is told.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hashrange_env::{Clock, Env, WallMs};
use hashrange_wire::{Keyring, Options};
use tempfile::TempDir;

use crate::support::{Answer, Running};

/// 2026-01-01T00:00:00Z, when the recorded requests were signed.
const NOW: WallMs = WallMs(1_767_225_600_000);
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const TOKEN: &str = "FwoGZXIvYXdzEBYaDH+token/with==signs";
const MISMATCH: &str = "The request signature we calculated does not match the signature you provided. Check your AWS \
                        Secret Access Key and signing method. Consult the service documentation for details.";
const UNKNOWN: &str = "The security token included in the request is invalid.";

#[derive(Debug)]
struct Fixed(WallMs);

impl Clock for Fixed {
    fn now(&self) -> WallMs {
        self.0
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

/// A server that knows AKIDEXAMPLE, and its credentials file.
struct Guarded {
    server: Running,
    keyring: Arc<Keyring>,
    file: PathBuf,
    _folder: TempDir,
}

impl Guarded {
    async fn start(secret: &str, more: &str, now: WallMs) -> Guarded {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials.toml");
        fs::write(&file, credential(secret, more)).unwrap();
        let keyring = Arc::new(Keyring::open(&file).unwrap());
        let env = Env { clock: Arc::new(Fixed(now)), ..Env::real() };
        let server = Running::guarded(Options::default(), env, Arc::clone(&keyring)).await;
        Guarded { server, keyring, file, _folder: folder }
    }

    async fn outcome(&self, request: impl AsRef<[u8]>) -> (u16, String) {
        let answer = self.server.ask(request).await;
        (answer.status, message_of(&answer))
    }
}

fn credential(secret: &str, more: &str) -> String {
    format!("[[credential]]\naccess-key = \"AKIDEXAMPLE\"\nsecret-key = \"{secret}\"\n{more}\n")
}

fn message_of(answer: &Answer) -> String {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let error = body["__type"].as_str().and_then(|name| name.strip_prefix("com.amazon.coral.service#"));
    match error {
        Some(name) => format!("{name}: {}", body["message"].as_str().unwrap_or_default()),
        None => answer.text().to_owned(),
    }
}

/// The recorded request of that name as bytes, and its secret.
fn recorded(name: &str) -> (Vec<u8>, String) {
    let text = include_str!("../../src/sigv4/vectors/requests.txt");
    let start = text.find(&format!("case {name}\n")).unwrap();
    let block = text[start..].split("\n\n").next().unwrap();
    let (mut head, mut body, mut secret) = (String::new(), Vec::new(), String::new());
    for (word, rest) in block.lines().filter_map(|line| line.split_once(' ')) {
        match word {
            "secret" => rest.clone_into(&mut secret),
            "line" | "header" => head.extend([rest, "\r\n"]),
            "body" => {
                let pairs = rest.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
                body = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
            }
            _ => {}
        }
    }
    let mut request = format!("{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    request.extend(body);
    (request, secret)
}

fn good() -> String {
    String::from_utf8(recorded("a plain request").0).unwrap()
}

/// The good request with one text in place of another.
fn with(old: &str, new: &str) -> String {
    let request = good();
    assert!(request.contains(old), "{old}");
    request.replacen(old, new, 1)
}

#[tokio::test]
async fn signatures_of_other_programs_get_in() {
    let names = include_str!("../../src/sigv4/vectors/requests.txt").lines();
    for name in names.filter_map(|line| line.strip_prefix("case ")) {
        let (request, secret) = recorded(name);
        let token = if name.contains("session token") {
            format!("session-token = \"{TOKEN}\"")
        } else {
            String::new()
        };
        let guarded = Guarded::start(&secret, &token, NOW).await;
        let (status, text) = guarded.outcome(request).await;
        // What is no JSON, or nothing, is let in and then not understood.
        let is_json =
            !matches!(name, "an empty body" | "a binary body" | "a presigned request without a body");
        assert_eq!(status == 200, is_json, "{name}: {text}");
        let region = if name == "another region" { "eu-west-2" } else { "us-east-1" };
        let expected = if is_json {
            format!("\"000000000000\",\"{region}\",\"AKIDEXAMPLE\"")
        } else {
            "Serialization".to_owned()
        };
        assert!(text.contains(&expected), "{name}: {text}");
    }
}

#[tokio::test]
async fn the_account_comes_from_the_file() {
    let guarded = Guarded::start(SECRET, "account = \"111122223333\"", NOW).await;
    let (_, text) = guarded.outcome(good()).await;
    assert!(text.starts_with(r#"{"TableNames":["111122223333","us-east-1","AKIDEXAMPLE","#), "{text}");
}

/// A change of the good request, and what it is told.
type Case = ((&'static str, &'static str), &'static str, &'static str);

const MALFORMED: [Case; 10] = [
    (
        ("Authorization", "X-Auth"),
        "MissingAuthenticationTokenException",
        "Request is missing Authentication Token",
    ),
    (
        ("POST / ", "POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256 "),
        "InvalidSignatureException",
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    ),
    (
        ("X-Amz-Date:20260101T000000Z", "X-Amz-Date:2026-01-01T00:00:00Z"),
        "IncompleteSignatureException",
        "Date must be in ISO-8601 'basic format'. Got '2026-01-01T00:00:00Z'. See http://en.wikipedia.org/wiki/ISO_8601",
    ),
    (
        ("X-Amz-Date:20260101T000000Z", "X-Amz-Date:20251231T234459Z"),
        "InvalidSignatureException",
        "Signature expired: 20251231T234459Z is now earlier than 20251231T234500Z (20260101T000000Z - 15 min.)",
    ),
    (
        ("X-Amz-Date:20260101T000000Z", "X-Amz-Date:20260101T001501Z"),
        "InvalidSignatureException",
        "Signature not yet current: 20260101T001501Z is still later than 20260101T001500Z (20260101T000000Z + 15 min.)",
    ),
    (
        (";host;", ";"),
        "InvalidSignatureException",
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
    ),
    (
        ("AWS4-HMAC-SHA256 ", "AWS4-ECDSA-P256-SHA256 "),
        "IncompleteSignatureException",
        "Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256' (only AWS4-HMAC-SHA256 for now). ",
    ),
    (
        ("us-east-1/dynamodb", "dynamodb"),
        "IncompleteSignatureException",
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got \
         'AKIDEXAMPLE/20260101/dynamodb/aws4_request'",
    ),
    (
        ("/dynamodb/", "/s3/"),
        "InvalidSignatureException",
        "Credential should be scoped to correct service: 'dynamodb'. ",
    ),
    (
        ("20260101/us-east-1/dynamodb/aws4_request", "20251231/us.east/s3/aws5"),
        "InvalidSignatureException",
        "Credential should be scoped to a valid region, not 'us.east'. Credential should be scoped to correct service: \
         'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5'. Date in Credential \
         scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20251231' != '20260101', from \
         '20260101T000000Z'.",
    ),
];

const WRONG: [Case; 12] = [
    (("AKIDEXAMPLE", "AKIDEXAMPLF"), "UnrecognizedClientException", UNKNOWN),
    (("Host:", "X-Amz-Security-Token:token\r\nHost:"), "UnrecognizedClientException", UNKNOWN),
    (("Signature=9", "Signature=8"), "InvalidSignatureException", MISMATCH),
    (("Signature=9", "Signature=99"), "InvalidSignatureException", MISMATCH),
    (("us-east-1", "us-east-2"), "InvalidSignatureException", MISMATCH),
    (("orders", "others"), "InvalidSignatureException", MISMATCH),
    (("localhost:8000", "localhost:8001"), "InvalidSignatureException", MISMATCH),
    (("ListTables", "DescribeLimits"), "InvalidSignatureException", MISMATCH),
    (("X-Amz-Date:20260101T000000Z", "X-Amz-Date:20260101T000001Z"), "InvalidSignatureException", MISMATCH),
    (("Host:", "X-Amz-Content-Sha256:UNSIGNED-PAYLOAD\r\nHost:"), "InvalidSignatureException", MISMATCH),
    (("SignedHeaders=content-type;", "SignedHeaders=x-none;"), "InvalidSignatureException", MISMATCH),
    (("Host:", "X-Amz-Target:x\r\nHost:"), "UnknownOperationException", ""),
];

#[tokio::test]
async fn each_kind_of_bad_signature_has_its_words() {
    let guarded = Guarded::start(SECRET, "", NOW).await;
    for ((old, new), name, text) in MALFORMED.into_iter().chain(WRONG) {
        let answer = guarded.outcome(with(old, new)).await;
        assert_eq!(answer, (400, format!("{name}: {text}")), "{old} -> {new}");
    }
}

#[tokio::test]
async fn the_first_fault_in_the_order_of_aws_is_told() {
    let guarded = Guarded::start(SECRET, "", NOW).await;
    let all = good()
        .replace("X-Amz-Date:20260101T000000Z", "X-Amz-Date:20250101T000000Z")
        .replace("AWS4-HMAC-SHA256 ", "AWS4-X ")
        .replace("AKIDEXAMPLE/20260101/us-east-1/dynamodb", "NOBODY/20250102/?/x/y");
    let steps = [
        (("Signature=", "Signature=,X="), "requires 'Signature' parameter"),
        (("x", "x"), "Signature expired"),
        (("X-Amz-Date:2025", "X-Amz-Date:2026"), "Unsupported AWS 'algorithm'"),
        (("AWS4-X", "AWS4-HMAC-SHA256"), "exactly 5"),
        (
            ("/x/y", "/x"),
            "valid region, not '?'. Credential should be scoped to correct service: 'dynamodb'. Date in",
        ),
        (("20250102/?/x", "20260101/us-east-1/dynamodb"), UNKNOWN),
        (("NOBODY", "AKIDEXAMPLE"), "TableNames"),
    ];
    let mut request = all;
    for ((old, new), expected) in steps {
        // The first step only adds a fault.
        let changed = request.replacen(old, new, 1);
        let (_, text) = guarded.outcome(&changed).await;
        assert!(text.contains(expected), "{expected}: {text}");
        if old != "Signature=" {
            request = changed;
        }
    }
}

#[tokio::test]
async fn a_temporary_key_needs_its_token_and_its_time() {
    let more = |token: &str, end: &str| format!("session-token = \"{token}\"\nexpires = {end}");
    let (later, now) = ("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z");
    let request = recorded("a session token").0;
    let presigned = recorded("a presigned request with a session token").0;
    let unknown = (400, format!("UnrecognizedClientException: {UNKNOWN}"));
    let expired =
        (400, "ExpiredTokenException: The security token included in the request is expired".to_owned());

    let guarded = Guarded::start(SECRET, &more(TOKEN, later), NOW).await;
    assert_eq!(guarded.outcome(&request).await.0, 200);
    assert_eq!(guarded.outcome(&presigned).await.0, 200);
    assert_eq!(guarded.outcome(good()).await, unknown);
    let guarded = Guarded::start(SECRET, &more(TOKEN, now), NOW).await;
    assert_eq!(guarded.outcome(&request).await, expired);
    assert_eq!(guarded.outcome(&presigned).await, expired);
    let guarded = Guarded::start(SECRET, &more("another", later), NOW).await;
    assert_eq!(guarded.outcome(&request).await, unknown);
    assert_eq!(guarded.outcome(&presigned).await, unknown);
}

#[tokio::test]
async fn a_presigned_request_ends_after_fifteen_minutes() {
    let request = recorded("a presigned request").0;
    let at = |minutes: u64| WallMs(NOW.0 + minutes * 60_000);
    assert_eq!(Guarded::start(SECRET, "", at(15)).await.outcome(&request).await.0, 200);
    let (status, text) = Guarded::start(SECRET, "", at(16)).await.outcome(&request).await;
    assert_eq!(status, 400);
    assert!(text.starts_with("InvalidSignatureException: Signature expired: 20260101T000000Z"), "{text}");
}

#[tokio::test]
async fn what_is_signed_is_the_body_as_sent_and_not_what_it_expands_to() {
    let guarded = Guarded::start(SECRET, "", NOW).await;
    let request = with("Host:", "Content-Encoding:gzip\r\nHost:");
    // Not gzip: refused as AWS refuses it, before the signature is looked at.
    assert_eq!(guarded.outcome(&request).await.0, 500);
    assert_eq!(guarded.outcome(recorded("a compressed body").0).await.0, 200);
}

#[tokio::test]
async fn what_is_no_json_is_told_so_whoever_sends_it() {
    let guarded = Guarded::start(SECRET, "", NOW).await;
    let request = good().replace("\"orders\"", "orders__");
    assert_eq!(guarded.outcome(&request).await, (400, "SerializationException: ".to_owned()));
}

#[tokio::test]
async fn a_file_read_again_takes_effect_for_open_connections() {
    let guarded = Guarded::start(SECRET, "", NOW).await;
    let mut client = guarded.server.connect().await;
    client.send(good()).await;
    assert_eq!(client.receive().await.status, 200);

    fs::write(&guarded.file, "[[credential").unwrap();
    guarded.keyring.reload().unwrap_err();
    client.send(good()).await;
    assert_eq!(client.receive().await.status, 200);

    fs::write(&guarded.file, credential("another", "")).unwrap();
    guarded.keyring.reload().unwrap();
    client.send(good()).await;
    assert_eq!(message_of(&client.receive().await), format!("InvalidSignatureException: {MISMATCH}"));
}

#[tokio::test]
async fn without_credentials_bodies_in_chunks_are_understood_too() {
    let server = Running::start().await;
    for name in ["chunks that are not signed", "chunks that are signed"] {
        let (request, _) = recorded(name);
        assert_eq!(server.ask(&request).await.status, 200, "{name}");
    }
    let (request, _) = recorded("chunks that are not signed");
    let broken = String::from_utf8(request).unwrap().replace("\r\n\r\n1\r\n", "\r\n\r\n2\r\n");
    assert_eq!(server.ask(&broken).await.status, 500);
}

#[tokio::test]
async fn without_credentials_asymmetric_signatures_are_refused_clearly() {
    let server = Running::start().await;
    let request = good()
        .replace("AWS4-HMAC-SHA256 ", "AWS4-ECDSA-P256-SHA256 ")
        .replace("20260101/us-east-1/dynamodb", "20260101/dynamodb");
    let expected = "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256' (only \
                    AWS4-HMAC-SHA256 for now). ";
    assert_eq!(message_of(&server.ask(request).await), expected);
}
