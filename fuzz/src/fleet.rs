//! Several targets, some at a time, each in a process of its own.

use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use crate::targets::{self, Target};
use crate::{Options, session};

/// Runs the targets; the message of a failure names each target that failed.
pub fn run(options: &Options) -> Result<(), String> {
    let is_wanted = |target: &&Target| {
        options.targets.is_empty() || options.targets.iter().any(|name| name == target.name)
    };
    let mut waiting: Vec<_> = targets::ALL.iter().filter(is_wanted).collect();
    waiting.reverse();
    let mut running: Vec<(&Target, Child)> = Vec::new();
    let mut failed = Vec::new();
    while !waiting.is_empty() || !running.is_empty() {
        while running.len() < options.jobs
            && let Some(target) = waiting.pop()
        {
            running.push((target, start(options, target)?));
        }
        let mut still = Vec::new();
        for (target, mut child) in running {
            match child.try_wait().map_err(|error| format!("cannot wait for {}: {error}", target.name))? {
                None => still.push((target, child)),
                Some(status) => failed.extend(judge(options, target, status)),
            }
        }
        running = still;
        std::thread::sleep(Duration::from_millis(100));
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

fn start(options: &Options, target: &Target) -> Result<Child, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg("--child").args(["--target", target.name]);
    command.args(["--seconds", &options.time.as_secs().to_string(), "--seed", &options.seed.to_string()]);
    command.arg("--root").arg(&options.root).arg("--corpus").arg(&options.corpus);
    command.arg("--crashes").arg(&options.crashes);
    command.spawn().map_err(|error| format!("{} did not start: {error}", target.name))
}

/// The name of a target that failed. A child that could not tell itself has left the input that it was at.
fn judge(options: &Options, target: &Target, status: ExitStatus) -> Option<&'static str> {
    if status.success() {
        return None;
    }
    if status.code() != Some(i32::from(session::FAILED)) {
        session::report_abort(options, target, &status.to_string());
    }
    Some(target.name)
}
