//! The program on a disk that fails: what it answers, what it logs, what is left after a restart.

#![cfg(target_os = "linux")]

#[path = "../crash/http.rs"]
mod http;
#[path = "../../../store-local/tests/shim/mod.rs"]
mod shim;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value as Json, json};

use http::{Answer, Connection};
use shim::{EIO, ENOMEM, ENOSPC, Fault, Shim};

const TABLE: &str = "faults";

struct Server {
    child: Child,
    addr: SocketAddr,
}

impl Server {
    fn start(shim: &Shim) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hashrange"));
        command.args(["serve", "--addr", "127.0.0.1:0", "--data"]).arg(shim.root());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shim.load(&mut command).spawn().expect("the server starts");
        let mut first = String::new();
        let output = child.stdout.as_mut().expect("piped");
        BufReader::new(output).read_line(&mut first).expect("the server says where it listens");
        let addr = first.trim().rsplit_once("http://").and_then(|(_, addr)| addr.parse().ok());
        let addr = addr.unwrap_or_else(|| panic!("no address in {first:?}"));
        Server { child, addr }
    }

    fn connect(&self) -> Connection {
        Connection::open(self.addr).expect("the server accepts a connection")
    }

    /// What the page of metrics says of taking writes.
    fn writable(&self) -> String {
        let mut stream = TcpStream::connect(self.addr).expect("the server accepts a connection");
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut page = String::new();
        stream.read_to_string(&mut page).expect("it answers");
        let value = page.lines().find_map(|line| line.strip_prefix("hashrange_store_writable "));
        value.unwrap_or_else(|| panic!("no such metric in {page}")).to_owned()
    }

    /// Ends the server and returns what it logged.
    fn stop(mut self) -> Vec<String> {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().expect("kill can be run");
        let mut log = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut log).expect("text");
        assert!(self.child.wait().expect("the child is ours").success(), "{log}");
        log.lines().map(str::to_owned).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Most often it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn create(connection: &mut Connection) {
    let body = json!({
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
    });
    assert_eq!(call(connection, "CreateTable", &body).status, 200);
}

/// A server with so many items in its table.
fn filled(shim: &Shim, items: u64) -> (Server, Connection) {
    let server = Server::start(shim);
    let mut connection = server.connect();
    create(&mut connection);
    for number in 0..items {
        assert_eq!(put(&mut connection, number).status, 200);
    }
    (server, connection)
}

fn call(connection: &mut Connection, operation: &str, body: &Json) -> Answer {
    connection.call(operation, body).expect("the server answers")
}

fn put(connection: &mut Connection, number: u64) -> Answer {
    let item = json!({ "pk": { "S": number.to_string() }, "text": { "S": "x".repeat(3000) } });
    call(connection, "PutItem", &json!({ "TableName": TABLE, "Item": item }))
}

fn get(connection: &mut Connection, number: u64) -> Answer {
    let key = json!({ "pk": { "S": number.to_string() } });
    call(connection, "GetItem", &json!({ "TableName": TABLE, "Key": key, "ConsistentRead": true }))
}

fn is_there(connection: &mut Connection, number: u64) -> bool {
    let answer = get(connection, number);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["Item"]["pk"]["S"].as_str() == Some(&*number.to_string())
}

/// Lets writes fail, and returns the log's lines at error level.
fn fail_writes(fault: Fault, expected: &str) {
    let base = tempfile::tempdir().expect("a temporary folder");
    let shim = Shim::new(base.path());
    let (server, mut connection) = filled(&shim, 20);
    shim.control().arm(fault);
    for number in 20..60 {
        let answer = put(&mut connection, number);
        assert_eq!(answer.status, 500, "{}", answer.body);
        let code = answer.body["__type"].as_str().expect("an error has a type");
        assert!(code.ends_with("#InternalServerError"), "{code}");
    }
    assert_eq!(shim.control().hit(), 1, "the store tries no second time where durability is in doubt");
    for number in 0..20 {
        assert!(is_there(&mut connection, number));
    }
    shim.control().disarm();
    assert_eq!(put(&mut connection, 60).status, 500, "only a restart ends the doubt");
    assert_eq!(server.writable(), "0", "the metric to raise an alarm on");
    let log = server.stop();
    let told: Vec<_> = log.iter().filter(|line| line.contains("no more writes are taken")).collect();
    assert_eq!(told.len(), 1, "{log:#?}");
    assert!(told[0].contains("ERROR") && told[0].contains(expected), "{}", told[0]);
    assert!(told[0].contains("restart the server: every answered write is kept"), "{}", told[0]);
    assert_eq!(log.iter().filter(|line| line.contains("ERROR")).count(), 1, "{log:#?}");
    assert!(log.len() <= 6, "the log is flooded: {log:#?}");

    let server = Server::start(&shim);
    let mut connection = server.connect();
    for number in 0..20 {
        assert!(is_there(&mut connection, number), "{number} is lost");
    }
    assert_eq!(put(&mut connection, 61).status, 200);
    assert_eq!(server.writable(), "1");
    server.stop();
}

#[test]
fn a_failed_sync_is_told_once_and_ends_writing_until_a_restart() {
    let fault = Fault { calls: shim::SYNC, error: EIO, count: 1, part: ".jnl", ..Fault::default() };
    fail_writes(fault, "writing or syncing the journal failed");
}

#[test]
fn a_full_disk_is_told_once_and_ends_writing_until_a_restart() {
    let fault = Fault { calls: shim::WRITE, error: ENOSPC, count: 1, part: ".jnl", ..Fault::default() };
    fail_writes(fault, "the disk is full (No space left on device (os error 28)): free space on it");
}

#[test]
fn a_slow_sync_delays_its_writes_and_no_reads() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let shim = Shim::new(base.path());
    let server = Server::start(&shim);
    let (mut writer, mut reader) = (server.connect(), server.connect());
    create(&mut writer);
    assert_eq!(put(&mut writer, 0).status, 200);
    let fault =
        Fault { calls: shim::SYNC, count: u32::MAX, delay_us: 500_000, part: ".jnl", ..Fault::default() };
    shim.control().arm(fault);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| put(&mut writer, 1).status);
        let mut reads = 0;
        while !writing.is_finished() {
            assert!(is_there(&mut reader, 0));
            reads += 1;
        }
        assert_eq!(writing.join().expect("the writer is answered"), 200);
        assert!(reads > 5, "only {reads} reads were answered during a slow sync");
    });
    shim.control().disarm();
    assert!(is_there(&mut reader, 1));
    assert!(server.stop().iter().all(|line| !line.contains("ERROR")));
}

/// Reads that miss the cache fail; the next ones do not.
#[test]
fn a_failed_read_is_an_error_for_its_request_alone() {
    for error in [EIO, ENOMEM] {
        let base = tempfile::tempdir().expect("a temporary folder");
        let shim = Shim::new(base.path());
        let (server, _) = filled(&shim, 20);
        // A clean end puts everything into table files, so that the next server must read them.
        server.stop();
        let server = Server::start(&shim);
        let mut connection = server.connect();
        let fault = Fault { calls: shim::READ, error, count: 1, part: "/tables/", ..Fault::default() };
        shim.control().arm(fault);
        let failed = (0..20).filter(|number| get(&mut connection, *number).status == 500).count();
        assert_eq!(failed, usize::try_from(shim.control().hit()).expect("small"));
        assert_eq!(failed, 1, "a read of a table file fails");
        assert!((0..20).all(|number| is_there(&mut connection, number)));
        assert_eq!(put(&mut connection, 20).status, 200, "a failed read is no reason to refuse writes");
        server.stop();
    }
}

/// Then the next start replays the journal.
#[test]
fn a_server_that_cannot_write_table_files_at_its_end_loses_nothing() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let shim = Shim::new(base.path());
    let (server, _) = filled(&shim, 20);
    let fault =
        Fault { calls: shim::WRITE, error: ENOSPC, count: u32::MAX, part: "/tables/", ..Fault::default() };
    shim.control().arm(fault);
    let log = server.stop();
    assert!(shim.control().hit() > 0, "nothing was to be written");
    assert!(log.iter().any(|line| line.contains("No space left on device")), "nobody is told: {log:#?}");
    shim.control().disarm();
    let server = Server::start(&shim);
    let mut connection = server.connect();
    assert!((0..20).all(|number| is_there(&mut connection, number)));
    assert_eq!(put(&mut connection, 20).status, 200);
    server.stop();
}

fn check(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hashrange")).arg("check").args(words).output().expect("the program runs")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_damaged_folder_is_refused_checked_and_salvaged() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let shim = Shim::new(base.path());
    let data = text(shim.root());
    let absent = check(&[data]);
    assert_eq!(absent.status.code(), Some(1), "{absent:?}");
    let (server, _) = filled(&shim, 200);
    let busy = check(&[data]);
    assert_eq!(busy.status.code(), Some(1));
    let refusal = String::from_utf8_lossy(&busy.stderr).into_owned();
    assert_eq!(
        refusal.trim_end(),
        format!("error: the folder {data} is open in a running server; stop it first")
    );
    server.stop();
    let whole = check(&[data]);
    assert_eq!(whole.status.code(), Some(0), "{}", said(&whole));
    assert!(said(&whole).ends_with(&format!("{data} is whole\n")), "{}", said(&whole));

    // In the midst of the items; the catalogue of tables comes first.
    let table = flip(shim.root(), |length| length / 2);
    let damaged = check(&[data]);
    assert_eq!(damaged.status.code(), Some(3), "{}", said(&damaged));
    let name = format!("damaged: {} at byte ", table.strip_prefix(shim.root()).expect("below").display());
    assert!(said(&damaged).contains(&name), "{}", said(&damaged));
    assert!(said(&damaged).contains("the checksum of a block does not match"), "{}", said(&damaged));

    let rescued = base.path().join("rescued");
    let salvaged = check(&[data, "--salvage", text(&rescued)]);
    assert_eq!(salvaged.status.code(), Some(3), "{}", said(&salvaged));
    assert_eq!(check(&[text(&rescued)]).status.code(), Some(0), "{}", said(&check(&[text(&rescued)])));
    let again = check(&[data, "--salvage", text(&rescued)]);
    assert_eq!(again.status.code(), Some(1), "a folder with a database is not written over");
    serve_rescued(base.path(), &rescued);
}

/// Changes one bit of the only file of rows.
fn flip(data: &Path, place: impl Fn(usize) -> usize) -> PathBuf {
    let tables = data.join("tree/keyspaces/1/tables");
    let table = std::fs::read_dir(tables).expect("tables").next().expect("one").expect("readable").path();
    let mut bytes = std::fs::read(&table).expect("readable");
    let place = place(bytes.len());
    bytes[place] ^= 1;
    std::fs::write(&table, bytes).expect("writable");
    table
}

#[test]
fn a_table_that_the_catalogue_lost_is_told_and_its_rows_meet_no_new_table() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let shim = Shim::new(base.path());
    let (server, _) = filled(&shim, 200);
    server.stop();
    // In the first block.
    flip(shim.root(), |_| 60);
    let copy = Shim::new(&base.path().join("copy"));
    let salvaged = check(&[text(shim.root()), "--salvage", text(copy.root())]);
    assert_eq!(salvaged.status.code(), Some(3), "{}", said(&salvaged));
    let named = "at byte 0: the checksum of a block does not match (affects the catalogue of tables, if it is in this file, \
                 and rows after the beginning and before ";
    assert!(said(&salvaged).contains(named), "{}", said(&salvaged));

    let server = Server::start(&copy);
    let mut connection = server.connect();
    assert_eq!(get(&mut connection, 7).status, 400, "the table is gone");
    create(&mut connection);
    assert!((0..200).all(|number| !is_there(&mut connection, number)), "a new table has items of a lost one");
    assert_eq!(put(&mut connection, 7).status, 200);
    server.stop();
    assert_eq!(check(&[text(copy.root())]).status.code(), Some(0));
}

/// Most items are there, and the table's count says how many.
fn serve_rescued(base: &Path, rescued: &Path) {
    std::fs::rename(rescued, base.join("again").join("data"))
        .or_else(|_| {
            std::fs::create_dir(base.join("again"))?;
            std::fs::rename(rescued, base.join("again").join("data"))
        })
        .expect("a folder is moved");
    let shim = Shim::new(&base.join("again"));
    let server = Server::start(&shim);
    let mut connection = server.connect();
    let there = (0..200).filter(|number| is_there(&mut connection, *number)).count();
    assert!((100..200).contains(&there), "{there} of 200 items");
    let described = call(&mut connection, "DescribeTable", &json!({ "TableName": TABLE })).body;
    assert_eq!(described["Table"]["ItemCount"], there);
    assert_eq!(put(&mut connection, 500).status, 200);
    server.stop();
}
