//! The server as a child process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use hashrange_env::Env;
use serde_json::{Value as Json, json};

use crate::http::{Connection, PATIENCE};

pub(crate) struct Server {
    child: Child,
    addr: SocketAddr,
}

impl Server {
    pub(crate) fn start(data: &Path) -> Server {
        Server::spawn(Server::command(data))
    }

    /// The program with its arguments, for those who add to it.
    pub(crate) fn command(data: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hashrange"));
        command.args(["serve", "--addr", "127.0.0.1:0", "--data"]).arg(data);
        command
    }

    pub(crate) fn spawn(mut command: Command) -> Server {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let (lines, said) = channel();
        follow(child.stdout.take().expect("piped"), lines.clone());
        follow(child.stderr.take().expect("piped"), lines);
        // Made before the address is known, so that the child ends with the test whatever happens.
        let mut server = Server { child, addr: SocketAddr::from(([127, 0, 0, 1], 0)) };
        server.addr = address(&said);
        server
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Calls an operation that must succeed.
    pub(crate) fn call(&self, operation: &str, body: &Json) -> Json {
        let mut connection = Connection::open(self.addr).expect("the server accepts a connection");
        let answer = connection.call(operation, body).expect("the server answers");
        assert_eq!(answer.status, 200, "{operation}: {}", answer.body);
        answer.body
    }

    pub(crate) fn describe(&self, table: &str) -> Json {
        self.call("DescribeTable", &json!({ "TableName": table }))["Table"].take()
    }

    /// SIGKILL: the process ends at this instant.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the child is ours");
        self.child.wait().expect("the child is ours");
    }

    /// SIGTERM: the process finishes what it has and ends with exit code 0.
    pub(crate) fn stop(mut self) {
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status().expect("kill can be run");
        assert!(asked.success(), "kill -TERM {pid}");
        let status = self.child.wait().expect("the child is ours");
        assert!(status.success(), "the server ended with {status}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Most often it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a child's output to its end, so that it never blocks on a full pipe.
fn follow(output: impl Read + Send + 'static, lines: Sender<String>) {
    let reading = Env::thread("server-output", move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // After the address nobody listens any more.
            let _ = lines.send(line);
        }
    });
    reading.expect("a thread starts");
}

/// The first address with a port in what the server prints.
fn address(said: &Receiver<String>) -> SocketAddr {
    let mut heard = Vec::new();
    while let Ok(line) = said.recv_timeout(PATIENCE) {
        if let Some(addr) = address_in(&line) {
            return addr;
        }
        heard.push(line);
    }
    panic!("the server named no address; it said:\n{}", heard.join("\n"));
}

fn address_in(line: &str) -> Option<SocketAddr> {
    line.match_indices("127.0.0.1:").find_map(|(at, host)| {
        let port: String = line[at + host.len()..].chars().take_while(char::is_ascii_digit).collect();
        format!("{host}{port}").parse().ok().filter(|addr: &SocketAddr| addr.port() != 0)
    })
}
