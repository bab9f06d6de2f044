//! The servers under test, as child processes.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::client::{Connection, PATIENCE};
use crate::load::Sample;
use crate::{Failure, group};

/// A running server; ended when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    addr: SocketAddr,
    ready_after: Duration,
}

impl Server {
    /// The server under test on `data`, in a scheduling group of its own.
    pub(crate) fn hashrange(program: &Path, data: &Path) -> Result<Server, Failure> {
        Server::hashrange_recording(program, data, None)
    }

    /// The same, which records its traffic to a file where one is named.
    pub(crate) fn hashrange_recording(
        program: &Path,
        data: &Path,
        recording: Option<&Path>,
    ) -> Result<Server, Failure> {
        let mut command = group::command(program)?;
        command.args(["serve", "--addr", "127.0.0.1:0", "--data"]).arg(data);
        if let Some(file) = recording {
            command.arg("--record").arg(file);
        }
        let server = Server::start(command)?;
        server.connect()?.healthy()?;
        Ok(server)
    }

    /// The server under test as a person starts it, for its start-up time until the first healthy answer.
    pub(crate) fn hashrange_timed(program: &Path, data: &Path) -> Result<Server, Failure> {
        let mut command = Command::new(program);
        command.args(["serve", "--addr", "127.0.0.1:0", "--data"]).arg(data);
        let started = Instant::now();
        let mut server = Server::start(command)?;
        if !server.connect()?.healthy()? {
            return Err("GET / was not answered 200".into());
        }
        server.ready_after = started.elapsed();
        Ok(server)
    }

    /// The bare server, whose answer to a Query has so many items.
    pub(crate) fn bare(query_items: usize) -> Result<Server, Failure> {
        let mut command = group::command(&std::env::current_exe()?)?;
        command.args(["bare", "--query-items", &query_items.to_string()]);
        Server::start(command)
    }

    fn start(mut command: Command) -> Result<Server, Failure> {
        let started = Instant::now();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (lines, said) = channel();
        follow(child.stdout.take(), lines.clone())?;
        follow(child.stderr.take(), lines)?;
        match first_address(&said) {
            Ok(addr) => Ok(Server { child, addr, ready_after: started.elapsed() }),
            Err(failure) => {
                // Already gone or of no use: either way the failure to tell is the first one.
                let _ = child.kill();
                let _ = child.wait();
                Err(failure)
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// From the start of the process to its first healthy answer.
    pub(crate) fn ready_after(&self) -> Duration {
        self.ready_after
    }

    pub(crate) fn connect(&self) -> Result<Connection, Failure> {
        Connection::open(self.addr)
    }

    /// Asks for a clean stop and waits for it; anything but exit code 0 is a failure.
    pub(crate) fn stop(mut self) -> Result<(), Failure> {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM)?;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return if status.success() {
                    Ok(())
                } else {
                    Err(format!("the server ended with {status}").into())
                };
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(format!("the server did not stop within {} s", PATIENCE.as_secs()).into())
    }

    /// Ends the process at once, as a crash would.
    pub(crate) fn kill(mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Runs one of this program's clients against this server, with arguments of its own.
    pub(crate) fn run(&self, client: &str, arguments: &[&str]) -> Result<Sample, Failure> {
        let mut command = group::command(&std::env::current_exe()?)?;
        command.args([client, "--addr", &self.addr.to_string(), "--cpu-of", &self.pid().to_string()]);
        read_sample(command.args(arguments).stdout(Stdio::piped()).spawn()?)
    }

    /// Runs the load generator against this server.
    pub(crate) fn load(
        &self,
        workload: &str,
        connections: usize,
        keys: u64,
        seconds: f64,
    ) -> Result<Sample, Failure> {
        self.load_more(workload, connections, keys, seconds, &[])
    }

    /// The same with more of the generator's arguments.
    pub(crate) fn load_more(
        &self,
        workload: &str,
        connections: usize,
        keys: u64,
        seconds: f64,
        more: &[&str],
    ) -> Result<Sample, Failure> {
        let mut command = self.load_command(workload, connections, keys, seconds)?;
        read_sample(command.args(more).stdout(Stdio::piped()).spawn()?)
    }

    /// Starts writers that run until the server dies under them, and lets them die quietly.
    pub(crate) fn spawn_writers(&self, connections: usize, keys: u64) -> Result<Child, Failure> {
        let mut command = self.load_command("put", connections, keys, 600.0)?;
        Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
    }

    fn load_command(
        &self,
        workload: &str,
        connections: usize,
        keys: u64,
        seconds: f64,
    ) -> Result<Command, Failure> {
        let mut command = group::command(&std::env::current_exe()?)?;
        command.args(["load", "--addr", &self.addr.to_string(), "--workload", workload]);
        command.args(["--connections", &connections.to_string(), "--keys", &keys.to_string()]);
        command.args(["--seconds", &seconds.to_string(), "--cpu-of", &self.pid().to_string()]);
        Ok(command)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A child that is gone already needs no second end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a child that prints one [`Sample`].
pub(crate) fn read_sample(child: Child) -> Result<Sample, Failure> {
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err("a part of the run failed; its own message is above".into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Reads a child's output to its end, so that it never blocks on a full pipe.
fn follow(output: Option<impl Read + Send + 'static>, lines: Sender<String>) -> Result<(), Failure> {
    let output = output.ok_or("the child has no output")?;
    std::thread::Builder::new().name("child-output".into()).spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // After the first address nobody listens any more.
            let _ = lines.send(line);
        }
    })?;
    Ok(())
}

/// The first address with a port in what a server prints.
fn first_address(said: &Receiver<String>) -> Result<SocketAddr, Failure> {
    let deadline = Instant::now() + PATIENCE;
    let mut heard = Vec::new();
    loop {
        match said.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => match address_in(&line) {
                Some(addr) => return Ok(addr),
                None => heard.push(line),
            },
            Err(RecvTimeoutError::Timeout) => return Err("the server printed no address in time".into()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(
                    format!("the server ended without an address; it said:\n{}", heard.join("\n")).into()
                );
            }
        }
    }
}

fn address_in(line: &str) -> Option<SocketAddr> {
    line.match_indices("127.0.0.1:").find_map(|(at, host)| {
        let port: String = line[at + host.len()..].chars().take_while(char::is_ascii_digit).collect();
        // Port 0 is what was asked for, not what was given.
        format!("{host}{port}").parse().ok().filter(|addr: &SocketAddr| addr.port() != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_inside_a_sentence() {
        let line = "asked for 127.0.0.1:0, listening on http://127.0.0.1:8123/ (durable)";
        assert_eq!(address_in(line), Some(SocketAddr::from(([127, 0, 0, 1], 8123))));
        assert_eq!(address_in("127.0.0.1: nothing"), None);
    }
}
