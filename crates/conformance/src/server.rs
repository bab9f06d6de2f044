//! One server process.

use std::io::{self, BufRead, BufReader, PipeReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::binary;

/// A server process of a test. It is killed, as hard as the system can, when this goes out of scope.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// A server that keeps everything in memory, on a free port.
    pub fn in_memory() -> Server {
        Server::start(&["--in-memory"])
    }

    /// A server that keeps its data in `folder`, on a free port.
    pub fn on_disk(folder: &Path) -> Server {
        let folder = folder.to_str().expect("folders of tests have plain names");
        Server::start(&["--data", folder])
    }

    /// `hashrange serve` on a free port with these flags, once it says where it listens.
    ///
    /// # Panics
    /// When the server does not start; the test's output shows what it said.
    pub fn start(flags: &[&str]) -> Server {
        let (output, input) = io::pipe().expect("a process can open a pipe");
        let mut command = Command::new(binary::path());
        command.args(["serve", "--addr", "127.0.0.1:0"]).args(flags);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("HASHRANGE_")) {
                command.env_remove(name);
            }
        }
        command.stdin(Stdio::null()).stdout(input.try_clone().expect("a pipe can be shared")).stderr(input);
        let child = command.spawn().expect("the server binary can be run");
        // The command holds the writing end, too; without it the pipe ends when the server does.
        drop(command);
        let mut output = BufReader::new(output);
        let address = address_in(&mut output);
        pass_on(output);
        Server { child, address }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, for an SDK.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The process, for signals and `/proc`.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills the process at once, as a power cut would, and waits until it is gone.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// The address in the start-up message.
fn address_in(output: &mut BufReader<PipeReader>) -> SocketAddr {
    let mut said = String::new();
    loop {
        let start = said.len();
        let read = output.read_line(&mut said).expect("the server writes text");
        assert!(read > 0, "the server ended before it listened; it said:\n{said}");
        if let Some(address) = said[start..].split("http://").skip(1).find_map(leading_address) {
            return address;
        }
    }
}

/// The address that a text begins with, if a port of its own was given to it.
fn leading_address(text: &str) -> Option<SocketAddr> {
    let end = text.find(|c: char| !c.is_ascii_hexdigit() && !".:[]".contains(c)).unwrap_or(text.len());
    text[..end].parse().ok().filter(|address: &SocketAddr| address.port() != 0)
}

/// Shows the rest of what the server says, so that its log stands beside the failures of a test and the pipe never fills.
fn pass_on(output: BufReader<PipeReader>) {
    let show = move || {
        for line in output.lines().map_while(Result::ok) {
            eprintln!("server: {line}");
        }
    };
    thread::Builder::new().name("server output".to_owned()).spawn(show).expect("a test can start a thread");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_the_start_up_message() {
        let parsed = |text| leading_address(text).map(|address| address.to_string());
        assert_eq!(parsed("127.0.0.1:8000"), Some("127.0.0.1:8000".to_owned()));
        assert_eq!(parsed("127.0.0.1:8000/ (durable)"), Some("127.0.0.1:8000".to_owned()));
        assert_eq!(parsed("[::1]:80, and"), Some("[::1]:80".to_owned()));
        assert_eq!(parsed("127.0.0.1:0"), None);
        assert_eq!(parsed("example.com/"), None);
    }
}
