//! How the program ends: what it waits for, and its exit codes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use hashrange_env::Env;

use super::{SIGNED, Server, run};

/// A request whose body has not come yet; the server waits for it.
fn begun(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.addr()).expect("the server accepts");
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n{SIGNED}\
         Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).expect("the server asks for the body");
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

/// A server that has heard the signal, a request that it waits for, and a connection that asked for nothing.
fn stopping(signal: &str) -> (Server, TcpStream, TcpStream) {
    let mut server = Server::logging(&["--in-memory"], Stdio::piped());
    let idle = TcpStream::connect(server.addr()).expect("the server accepts");
    let busy = begun(&server);
    server.send(signal);
    let mut log = BufReader::new(server.child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    assert!(log.any(|line| line.contains("stopping")));
    // The rest is not looked at, and must not stop the server.
    Env::thread("log", move || log.for_each(drop)).expect("a thread");
    (server, busy, idle)
}

#[test]
fn a_request_that_has_begun_is_answered_and_an_idle_connection_closed() {
    let (mut server, mut busy, mut idle) = stopping("-TERM");
    // From the end of the accept loop on, nobody is let in.
    while TcpStream::connect(server.addr()).is_ok() {}
    let mut nothing = String::new();
    idle.read_to_string(&mut nothing).expect("the server closes it");
    assert_eq!(nothing, "");
    busy.write_all(b"{}").expect("the server reads");
    let mut answer = String::new();
    busy.read_to_string(&mut answer).expect("the server answers");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(server.child.wait().expect("the child is ours").code(), Some(0));
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    for (first, second, code) in [("-TERM", "-INT", 130), ("-INT", "-TERM", 143)] {
        let (mut server, mut busy, _idle) = stopping(first);
        server.send(second);
        assert_eq!(server.child.wait().expect("the child is ours").code(), Some(code));
        let mut answer = String::new();
        // A reset is no answer either.
        let _ = busy.read_to_string(&mut answer);
        assert_eq!(answer, "");
    }
}

#[test]
fn help_names_the_exit_codes() {
    for (words, last) in [
        (vec!["serve", "--help"], "130 or 143"),
        (vec!["check", "--help"], "3 something is damaged"),
        (vec!["explain", "--help"], "2 a mistake"),
        (vec!["tour", "--help"], "2 a mistake"),
    ] {
        let help = String::from_utf8(run(&words).stdout).expect("text");
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains("Exit code") && help.contains(last), "{help}");
    }
}
