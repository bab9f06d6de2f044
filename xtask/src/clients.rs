//! `cargo xtask clients`: every SDK, and libraries on top of them, walk a real server (see
//! clients/README.md and clients/libraries/README.md).

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::process::{self, Outcome};

/// One SDK's or library's walk.
struct Walk {
    /// The folder below `clients/` that holds it.
    name: &'static str,
    /// Programs without which the walk is skipped.
    needs: &'static [&'static str],
    /// Installs the SDK below the folder, and gives the command that walks.
    prepare: fn(sources: &Path, folder: &Path) -> Outcome<Command>,
}

const WALKS: [Walk; 9] = [
    Walk { name: "python", needs: &["python3"], prepare: python },
    Walk { name: "cli", needs: &["python3"], prepare: python },
    Walk { name: "javascript", needs: &["node", "npm"], prepare: javascript },
    Walk { name: "java", needs: &["javac", "mvn"], prepare: java },
    Walk { name: "go", needs: &["go"], prepare: go },
    Walk { name: "libraries/electrodb", needs: &["node", "npm"], prepare: javascript },
    Walk { name: "libraries/onetable", needs: &["node", "npm"], prepare: javascript },
    Walk { name: "libraries/pynamodb", needs: &["python3"], prepare: python },
    Walk { name: "libraries/enhanced-client", needs: &["javac", "mvn"], prepare: java },
];

/// A walk takes seconds; compiling and loading its SDK take the rest.
const WALK_TIME_MAX: Duration = Duration::from_mins(5);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Skipped,
}

/// Runs the walks of these names, or all of them.
pub(crate) fn run(names: &[&str]) -> Outcome {
    if let Some(unknown) = names.iter().find(|name| !WALKS.iter().any(|walk| walk.name == **name)) {
        let known: Vec<_> = WALKS.iter().map(|walk| walk.name).collect();
        return Err(format!("no walk is named {unknown}; there are {}", known.join(", ")));
    }
    let folder = process::target_folder()?.join("clients");
    let server = Server::start(&folder)?;
    let chosen = WALKS.iter().filter(|walk| names.is_empty() || names.contains(&walk.name));
    let verdicts: Vec<Verdict> = chosen.map(|walk| judge(walk, &folder, &server.endpoint)).collect();
    server.stop()?;

    let count = |verdict| verdicts.iter().filter(|found| **found == verdict).count();
    let failed = count(Verdict::Failed);
    println!(
        "clients: {} passed, {failed} failed, {} skipped",
        count(Verdict::Passed),
        count(Verdict::Skipped)
    );
    if failed == 0 { Ok(()) } else { Err(format!("{failed} client walks failed")) }
}

fn judge(walk: &Walk, folder: &Path, endpoint: &str) -> Verdict {
    let name = walk.name;
    if let Some(missing) = walk.needs.iter().find(|program| !is_installed(program)) {
        println!("{name}: SKIPPED (no {missing})");
        return Verdict::Skipped;
    }
    match walk_once(walk, folder, endpoint) {
        Ok(()) => {
            println!("{name}: passed");
            Verdict::Passed
        }
        Err(message) => {
            println!("{name}: FAILED\n{message}");
            Verdict::Failed
        }
    }
}

fn walk_once(walk: &Walk, folder: &Path, endpoint: &str) -> Outcome {
    let sources = process::root().join("clients").join(walk.name);
    let folder = folder.join(walk.name);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = (walk.prepare)(&sources, &folder)?;
    for name in ["AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"] {
        command.env_remove(name);
    }
    command.envs([
        ("HASHRANGE_ENDPOINT", endpoint),
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_SECRET_ACCESS_KEY", "local"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
        ("AWS_CONFIG_FILE", "/dev/null"),
        ("AWS_SHARED_CREDENTIALS_FILE", "/dev/null"),
        ("NO_PROXY", "127.0.0.1,localhost"),
        ("no_proxy", "127.0.0.1,localhost"),
    ]);
    finish_within(&mut command, WALK_TIME_MAX)
}

/// A virtual environment with the pinned SDK; made anew when the pins change.
fn python(sources: &Path, folder: &Path) -> Outcome<Command> {
    let (pins, marker) = (sources.join("requirements.txt"), folder.join("installed.txt"));
    let python = folder.join("bin/python");
    if !is_installed_from(&pins, &marker) {
        process::output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(&pins);
        process::output(&mut pip)?;
        copy(&pins, &marker)?;
    }
    let mut walk = Command::new(python);
    walk.arg(sources.join("walk.py"));
    Ok(walk)
}

/// A folder with the pinned packages; no lock file, which would name the host of the registry.
fn javascript(sources: &Path, folder: &Path) -> Outcome<Command> {
    let (pins, marker) = (sources.join("package.json"), folder.join("installed.json"));
    copy_modules(sources, folder)?;
    if !is_installed_from(&pins, &marker) {
        copy(&pins, &folder.join("package.json"))?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]).current_dir(folder);
        process::output(&mut npm)?;
        copy(&pins, &marker)?;
    }
    let mut walk = Command::new("node");
    walk.args(["--no-warnings", "walk.mjs"]).current_dir(folder);
    Ok(walk)
}

/// Copies the walk beside its packages, which is where Node.js looks for them.
fn copy_modules(sources: &Path, folder: &Path) -> Outcome {
    let names = std::fs::read_dir(sources).map_err(|error| format!("{}: {error}", sources.display()))?;
    for name in names {
        let name = name.map_err(|error| error.to_string())?.path();
        if name.extension().is_some_and(|extension| extension == "mjs") {
            copy(&name, &folder.join(name.file_name().expect("a file in a folder has a name")))?;
        }
    }
    Ok(())
}

fn java(sources: &Path, folder: &Path) -> Outcome<Command> {
    let maven = || {
        let mut maven = Command::new("mvn");
        maven.args(["--batch-mode", "--quiet", "--file"]).arg(sources.join("pom.xml"));
        maven.arg(format!("-Dwalk.target={}", folder.display()));
        maven
    };
    process::output(maven().arg("compile"))?;
    let mut walk = maven();
    walk.arg("exec:java");
    Ok(walk)
}

fn go(sources: &Path, folder: &Path) -> Outcome<Command> {
    let program = folder.join("walk");
    let mut build = Command::new("go");
    build.arg("build").arg("-o").arg(&program).arg(".").current_dir(sources);
    process::output(&mut build)?;
    Ok(Command::new(program))
}

fn is_installed_from(pins: &Path, marker: &Path) -> bool {
    let read = |path| std::fs::read_to_string(path).ok();
    read(marker).is_some_and(|installed| Some(installed) == read(pins))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::copy(from, to).map(drop).map_err(|error| format!("{}: {error}", to.display()))
}

/// Whether a program of this name stands in one of the folders of `PATH`.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Runs the command to its end; what it printed is the message of a failure.
fn finish_within(command: &mut Command, time: Duration) -> Outcome {
    let (reader, writer) = std::io::pipe().map_err(|error| error.to_string())?;
    let again = writer.try_clone().map_err(|error| error.to_string())?;
    let child = command.stdin(Stdio::null()).stdout(writer).stderr(again).spawn();
    let mut child = child.map_err(|error| format!("did not start: {error}"))?;
    // The command still holds the pipe's ends for writing; reading would not end before they are closed.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let printed = read_in_background(reader);
    let status = wait_within(&mut child, time)?;
    let printed = printed.join().unwrap_or_default();
    if status { Ok(()) } else { Err(printed) }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a tool that reads the output of a child while it waits for its end"
)]
fn read_in_background(reader: std::io::PipeReader) -> std::thread::JoinHandle<String> {
    std::thread::spawn(|| std::io::read_to_string(reader).unwrap_or_default())
}

/// Whether the child succeeded. One that takes too long is ended.
#[expect(clippy::disallowed_methods, reason = "a tool that watches another process in real time")]
fn wait_within(child: &mut Child, time: Duration) -> Outcome<bool> {
    let step = Duration::from_millis(20);
    for _ in 0..time.as_millis() / step.as_millis() {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status.success());
        }
        std::thread::sleep(step);
    }
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map_err(|error| error.to_string())?;
    Err(format!("took longer than {} s and was ended", time.as_secs()))
}

/// A server of this build on a free port, with a folder of its own.
struct Server {
    child: Child,
    endpoint: String,
    data: PathBuf,
}

impl Server {
    fn start(folder: &Path) -> Outcome<Server> {
        process::cargo(["build", "--package", "hashrange"])?;
        let data = folder.join(format!("data-{}", std::process::id()));
        let mut command = Command::new(process::target_folder()?.join("debug/hashrange"));
        command.args(["serve", "--addr", "127.0.0.1:0", "--log-level", "warn", "--data"]).arg(&data);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("the server did not start: {error}"))?;
        let printed = BufReader::new(child.stdout.take().expect("the output is piped"));
        match printed.lines().map_while(Result::ok).find_map(|line| endpoint_in(&line)) {
            Some(endpoint) => Ok(Server { child, endpoint, data }),
            None => Err("the server ended without naming its address".to_owned()),
        }
    }

    /// Ends the server as a person would, and checks that it says goodbye with success.
    fn stop(mut self) -> Outcome {
        process::output(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))?;
        if wait_within(&mut self.child, Duration::from_secs(30))? {
            Ok(())
        } else {
            Err("the server did not exit with success on SIGTERM".to_owned())
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // After `stop` both have nothing left to do; a failure on the way out changes nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}

/// The address that the start-up message names.
fn endpoint_in(line: &str) -> Option<String> {
    let start = line.find("http://")?;
    line[start..].split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_the_start_up_message() {
        let line = "Hashrange 0.1.0 listens on http://127.0.0.1:40001";
        assert_eq!(endpoint_in(line).as_deref(), Some("http://127.0.0.1:40001"));
        assert_eq!(endpoint_in("Data: in memory"), None);
    }

    #[test]
    fn a_program_that_no_machine_has_is_not_installed() {
        assert!(is_installed("cargo"));
        assert!(!is_installed("no-such-program-of-any-machine"));
    }
}
