//! The program as a person runs it: what it says, how it ends, and what it refuses.

mod check_config;
mod ending;
mod log;
mod metrics;
#[path = "../program/mod.rs"]
mod program;
mod record;
mod schema;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use expect_test::{Expect, expect};
use program::hashrange;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

struct Server {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    greeting: Vec<String>,
}

impl Server {
    /// Starts on a free port and reads the three lines of the start-up message.
    fn start(flags: &[&str]) -> Server {
        Server::logging(flags, Stdio::null())
    }

    /// The same with standard error where the test wants it.
    fn logging(flags: &[&str], log: Stdio) -> Server {
        Server::at("127.0.0.1:0", flags, log)
    }

    /// The same on an address that the test chooses.
    fn at(addr: &str, flags: &[&str], log: Stdio) -> Server {
        let mut child = hashrange(&["serve", "--addr", addr])
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let greeting = lines.by_ref().take(3).map(|line| line.expect("text")).collect();
        Server { child, lines, greeting }
    }

    fn addr(&self) -> String {
        let (_, addr) = self.greeting[0].split_once("://").expect("the first line names the address");
        addr.to_owned()
    }

    /// The status line of the answer to a `ListTables`.
    fn list_tables(&self) -> String {
        Server::list_tables_on(TcpStream::connect(self.addr()).expect("the server accepts"))
    }

    /// The same over TLS, for a client that trusts that authority.
    fn list_tables_encrypted(&self, authority: &Path) -> String {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(authority).expect("a certificate")).expect("an authority");
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from("127.0.0.1").expect("a name");
        let connection = ClientConnection::new(Arc::new(config), name).expect("a client");
        let stream = TcpStream::connect(self.addr()).expect("the server accepts");
        Server::list_tables_on(StreamOwned::new(connection, stream))
    }

    fn list_tables_on(mut stream: impl Read + Write) -> String {
        let request = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n\
             Content-Type: application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=local/20261130/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n\
             X-Amz-Date: 20261130T120000Z\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// Status and body of the answer to an operation.
    fn call(&self, operation: &str, body: &str) -> (u16, String) {
        let target = format!("X-Amz-Target: DynamoDB_20120810.{operation}\r\n");
        self.ask("POST /", &format!("{target}{SIGNED}"), body)
    }

    /// Status and body of the answer to any request.
    fn ask(&self, line: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.addr()).expect("the server accepts");
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nHost: localhost\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status line has a status"), body.to_owned())
    }

    fn send(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().expect("kill can be run");
        assert!(sent.success());
    }

    /// Sends the signal and gives the exit code.
    fn stop(mut self, signal: &str) -> Option<i32> {
        self.send(signal);
        assert!(self.lines.next().is_none(), "nothing is printed after the start-up message");
        self.child.wait().expect("the child is ours").code()
    }
}

/// Headers of every request of an SDK.
const SIGNED: &str = "Content-Type: application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 \
     Credential=local/20261130/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n\
     X-Amz-Date: 20261130T120000Z\r\n";

/// A table `shop` with the partition key `k`, a text.
const TABLE: &str = r#"{"TableName":"shop","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
     "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;

impl Drop for Server {
    fn drop(&mut self) {
        // Most often it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(words: &[&str]) -> Output {
    hashrange(words).output().expect("the program runs")
}

/// Checks exit code and the one line on standard error, without the random folder.
fn refuses(words: &[&str], code: i32, folder: &Path, message: &Expect) {
    let output = run(words);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(said.lines().count(), 1, "{said}");
    message.assert_eq(said.trim_end().replace(&folder.display().to_string(), "FOLDER").as_str());
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

#[test]
fn the_start_up_message_says_where_the_data_is_and_what_to_try() {
    let folder = temporary();
    let server = Server::start(&["--data", text(folder.path())]);
    let addr = server.addr();
    let said = server.greeting.join("\n").replace(&addr, "ADDR").replace(text(folder.path()), "FOLDER");
    expect![[r"
        Hashrange 0.1.0 listens on http://ADDR
        Data: FOLDER (durable: a write is on disk before it is answered)
        Try:  AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local aws dynamodb list-tables --region us-east-1 --endpoint-url http://ADDR"]]
    .assert_eq(&said);
    assert_eq!(server.list_tables(), "HTTP/1.1 200 OK");
}

#[test]
fn a_server_in_memory_says_that_it_is_not_durable_and_writes_nothing() {
    let folder = temporary();
    let data = folder.path().join("data");
    let server = Server::start(&["--in-memory", "--data", text(&data)]);
    assert_eq!(server.greeting[1], "Data: in memory, NOT durable: everything is gone when this server ends");
    assert_eq!(server.list_tables(), "HTTP/1.1 200 OK");
    assert!(!data.exists());
}

#[test]
fn both_signals_end_the_server_with_success() {
    for signal in ["-TERM", "-INT"] {
        let folder = temporary();
        let server = Server::start(&["--data", text(folder.path())]);
        assert_eq!(server.list_tables(), "HTTP/1.1 200 OK");
        assert_eq!(server.stop(signal), Some(0), "{signal}");
    }
}

#[test]
fn credentials_are_verified_and_read_again_on_a_hangup() {
    let folder = temporary();
    let file = folder.path().join("keys.toml");
    let write = |keys: &[&str]| {
        let key = |key: &&str| format!("[[credential]]\naccess-key = \"{key}\"\nsecret-key = \"x\"\n");
        std::fs::write(&file, keys.iter().map(key).collect::<String>()).expect("a writable folder");
    };
    write(&["a"]);
    let mut server = Server::logging(&["--in-memory", "--credentials", text(&file)], Stdio::piped());
    let mut log = BufReader::new(server.child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    assert!(server.greeting[2].starts_with("Try:  aws dynamodb list-tables"), "{:?}", server.greeting);
    assert_eq!(server.list_tables(), "HTTP/1.1 400 Bad Request");

    write(&["a", ""]);
    server.send("-HUP");
    let stays = log.find(|line| line.contains("the credentials in force stay")).expect("a line about it");
    assert!(stays.contains("keys.toml, line 5: access-key is empty"), "{stays}");
    write(&["a", "b"]);
    server.send("-HUP");
    let again = log.find(|line| line.contains("the credentials were read again")).expect("a line about it");
    assert!(again.contains("access_keys=2"), "{again}");
    assert_eq!(server.list_tables(), "HTTP/1.1 400 Bad Request");
    assert_eq!(server.stop("-TERM"), Some(0));
}

#[test]
fn credentials_that_cannot_be_used_are_refused_with_the_fix() {
    let folder = temporary();
    let file = folder.path().join("keys.toml");
    std::fs::write(&file, "\n[[credential]]\naccess-key = \"a\"\n").expect("a writable folder");
    refuses(
        &["serve", "--in-memory", "--addr", "127.0.0.1:0", "--credentials", text(&file)],
        1,
        folder.path(),
        &expect!["error: FOLDER/keys.toml, line 2: secret-key is missing: add a line `secret-key = …`"],
    );
}

#[test]
fn other_machines_are_not_served_without_credentials() {
    let folder = temporary();
    let data = folder.path().join("data");
    let output = run(&["serve", "--addr", "0.0.0.0:0", "--data", text(&data)]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("text");
    let port = said.rsplit_once("--addr 127.0.0.1:").expect("the fix").1.split(',').next().expect("a port");
    expect!["error: other machines can reach 0.0.0.0:PORT, and without credentials everyone there may read and write everything; give --credentials FILE, or listen on this machine only with --addr 127.0.0.1:PORT, or add --insecure"]
        .assert_eq(&said.trim_end().replace(port, "PORT"));
    assert!(!data.exists());
}

#[test]
fn a_self_signed_server_says_how_to_trust_it_and_stays_trusted() {
    let folder = temporary();
    let data = folder.path().join("data");
    let authority = folder.path().join("data-tls/ca.pem");
    let flags = ["--tls-self-signed", "--data", text(&data)];
    let mut server = Server::start(&flags);
    let trust: Vec<String> = server.lines.by_ref().take(7).map(|line| line.expect("text")).collect();
    let said = [server.greeting.clone(), trust].concat().join("\n");
    let said = said.replace(&server.addr(), "ADDR").replace(text(folder.path()), "FOLDER");
    expect![[r"
        Hashrange 0.1.0 listens on https://ADDR
        Data: FOLDER/data (durable: a write is on disk before it is answered)
        Try:  AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_CA_BUNDLE=FOLDER/data-tls/ca.pem aws dynamodb list-tables --region us-east-1 --endpoint-url https://ADDR
        Trust: FOLDER/data-tls/ca.pem is this server's authority; tell each client of it once:
               AWS CLI, Python  export AWS_CA_BUNDLE=FOLDER/data-tls/ca.pem
               Node.js          export NODE_EXTRA_CA_CERTS=FOLDER/data-tls/ca.pem
               Go, Rust         export SSL_CERT_FILE=FOLDER/data-tls/ca.pem
               Java             keytool -importcert -noprompt -alias hashrange -file FOLDER/data-tls/ca.pem -keystore trust.p12 -storepass changeit
                                java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit ..
               curl             curl --cacert FOLDER/data-tls/ca.pem .."]]
    .assert_eq(&said);
    assert_eq!(server.list_tables_encrypted(&authority), "HTTP/1.1 200 OK");
    assert_eq!(server.list_tables(), "HTTP/1.1 400 Bad Request");
    assert_eq!(server.stop("-TERM"), Some(0));

    let made = std::fs::read(&authority).expect("a certificate");
    let again = Server::start(&flags);
    assert_eq!(std::fs::read(&authority).expect("a certificate"), made);
    assert_eq!(again.list_tables_encrypted(&authority), "HTTP/1.1 200 OK");
}

#[test]
fn certificates_are_read_again_on_a_hangup_and_bad_ones_change_nothing() {
    let folder = temporary();
    let data = folder.path().join("data");
    let (authority, key) = (folder.path().join("data-tls/ca.pem"), folder.path().join("data-tls/ca-key.pem"));
    let mut server =
        Server::logging(&["--tls-self-signed", "--in-memory", "--data", text(&data)], Stdio::piped());
    let mut log = BufReader::new(server.child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    let good = std::fs::read(&key).expect("a key");
    std::fs::write(&key, "damaged").expect("a writable folder");
    server.send("-HUP");
    let stays = log.find(|line| line.contains("the certificates in force stay")).expect("a line about it");
    assert!(stays.contains("ca-key.pem: it is damaged"), "{stays}");
    assert_eq!(server.list_tables_encrypted(&authority), "HTTP/1.1 200 OK");
    std::fs::write(&key, good).expect("a writable folder");
    server.send("-HUP");
    assert!(log.any(|line| line.contains("the certificates were read again")));
    assert_eq!(server.list_tables_encrypted(&authority), "HTTP/1.1 200 OK");
}

#[test]
fn certificates_that_cannot_be_used_are_refused_with_the_fix() {
    let folder = temporary();
    let nowhere = folder.path().join("cert.pem");
    refuses(
        &[
            "serve",
            "--in-memory",
            "--addr",
            "127.0.0.1:0",
            "--tls-cert",
            text(&nowhere),
            "--tls-key",
            text(&nowhere),
        ],
        1,
        folder.path(),
        &expect![
            "error: FOLDER/cert.pem: No such file or directory (os error 2): check the path and who may read it"
        ],
    );
    refuses(
        &["serve", "--tls-cert", "cert.pem"],
        2,
        folder.path(),
        &expect!["error: tls-cert has no key: give tls-key as well"],
    );
}

#[test]
fn a_busy_port_is_refused_and_no_folder_is_made() {
    let folder = temporary();
    let data = folder.path().join("data");
    let other = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addr = other.local_addr().expect("an address").to_string();
    let output = run(&["serve", "--addr", &addr, "--data", text(&data)]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).expect("text");
    let start = format!(
        "error: {addr} is in use by another program; stop that one, or choose another port, for example"
    );
    assert!(said.starts_with(&start), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!data.exists());
}

#[test]
fn a_folder_that_cannot_be_used_is_refused_with_the_fix() {
    let folder = temporary();
    let file = folder.path().join("file");
    std::fs::write(&file, "something else").expect("a writable folder");
    let below_a_file = file.join("data");
    refuses(
        &["serve", "--addr", "127.0.0.1:0", "--data", text(&below_a_file)],
        1,
        folder.path(),
        &expect![
            "error: the folder FOLDER/file/data cannot be used (Not a directory (os error 20)); give this user write permission, or choose another folder"
        ],
    );
    refuses(
        &["serve", "--addr", "127.0.0.1:0", "--data", text(folder.path())],
        1,
        folder.path(),
        &expect![
            "error: the folder FOLDER holds files that are not Hashrange's; choose an empty or a new folder"
        ],
    );
}

#[test]
fn a_folder_that_another_process_has_open_is_refused() {
    let folder = temporary();
    let _first = Server::start(&["--data", text(folder.path())]);
    refuses(
        &["serve", "--addr", "127.0.0.1:0", "--data", text(folder.path())],
        1,
        folder.path(),
        &expect![
            "error: the folder FOLDER is open in another process; stop that one, or choose another folder"
        ],
    );
}

#[test]
fn a_folder_of_a_later_release_is_refused() {
    let folder = temporary();
    let format = folder.path().join("hashrange.format");
    assert_eq!(Server::start(&["--data", text(folder.path())]).stop("-TERM"), Some(0));
    std::fs::write(&format, "hashrange data folder\nformat 4\nmade of what is to come\n")
        .expect("a writable folder");
    refuses(
        &["serve", "--addr", "127.0.0.1:0", "--data", text(folder.path())],
        1,
        folder.path(),
        &expect![
            "error: the folder FOLDER has format 4 and this release reads up to 3; run the newer Hashrange that wrote it, or choose another folder"
        ],
    );
}

#[test]
fn a_mistake_in_the_settings_is_a_usage_error() {
    let folder = temporary();
    let config = folder.path().join("h.toml");
    std::fs::write(&config, "tabel-delay = \"1s\"\n").expect("a writable folder");
    refuses(
        &["serve", "--config", text(&config)],
        2,
        folder.path(),
        &expect![[r#"error: FOLDER/h.toml: "tabel-delay" is not a setting: did you mean "table-delay"?"#]],
    );
    refuses(
        &["serve", "--table-delay", "soon"],
        2,
        folder.path(),
        &expect![[
            r#"error: --table-delay: "soon" is not a duration: write a whole number and ms, s, m or h, for example 250ms or 2s"#
        ]],
    );
    let unknown = run(&["serve", "--tabel-delay", "1s"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("--table-delay"), "{unknown:?}");
}

#[test]
fn a_setting_reaches_the_server_through_a_variable_too() {
    let mut command = hashrange(&["serve", "--addr", "127.0.0.1:0"]);
    let output = command.env("HASHRANGE_LOG_LEVEL", "loud").output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("error: HASHRANGE_LOG_LEVEL: \"loud\" is not one of"), "{said}");
}

#[test]
fn help_has_examples() {
    let help = run(&["serve", "--help"]);
    assert!(help.status.success());
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.contains("Examples:") && help.contains("hashrange serve --in-memory"), "{help}");
}
