//! A process in a scheduling group of its own.
//!
//! On a machine that does other work, the sleeping writer thread waits for whole scheduler ticks behind busy
//! neighbours, and a fast disk looks slow. A session of its own with a better group priority takes most of
//! that away. Without the right to raise the priority the run goes on, only less steadily.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, set_parent_process_death_signal, setsid};

use crate::Failure;

/// Group priority of every process of a run, as `nice` counts.
const GROUP_NICE: &str = "-5";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

/// A command that runs `program` through this binary's `exec`.
pub(crate) fn command(program: &std::path::Path) -> Result<Command, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("exec").arg("--").arg(program);
    Ok(command)
}

/// Replaces this process by the program; returns only when that fails.
pub(crate) fn run(args: &Args) -> Failure {
    // Each of these is a courtesy: the measurement is valid, only noisier, where one is refused.
    let _ = setsid();
    let _ = std::fs::write("/proc/self/autogroup", GROUP_NICE);
    // A session of its own hears no interrupt from the terminal, so it must not outlive who started it.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let failure = Command::new(&args.program[0]).args(&args.program[1..]).exec();
    format!("cannot run {}: {failure}", args.program[0].display()).into()
}
