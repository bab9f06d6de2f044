//! Fuzzing: random changes of known inputs, kept where they reach code that no other input reached.
//!
//! Started by `cargo xtask fuzz`, which builds this program with coverage counters. The loop is libFuzzer's, in a few
//! hundred lines of Rust: libFuzzer itself needs a C++ compiler or a nightly toolchain, and a person who builds Hashrange
//! need have neither (docs/adr/0008-fuzzing-without-libfuzzer.md). Without the counters the driver works too, blindly.
//!
//! - [`targets`] has one function for each thing that reads bytes from outside, with an oracle where there is one.
//! - [`session`] runs one target in this process; [`fleet`] runs several, two at a time, in child processes, so that an
//!   abort or a stack overflow costs one target and is reported like a panic.
//! - [`corpus`] finds the first inputs in the golden scripts.

mod corpus;
mod counters;
mod fleet;
mod memory;
mod mutate;
mod random;
mod session;
mod targets;

/// The program's own module, so that configuration files are read by the very code of the program.
#[path = "../../crates/hashrange/src/config/mod.rs"]
#[allow(dead_code, unused_imports, clippy::pedantic, reason = "only the reader of files is used here")]
mod config;

/// What the command line of [`config`] refers to.
mod check {
    pub(crate) fn command() -> clap::Command {
        clap::Command::new("check")
    }
}

/// The same.
mod explain {
    pub(crate) fn command() -> clap::Command {
        clap::Command::new("explain")
    }
}

/// The same.
mod model {
    pub(crate) fn command() -> clap::Command {
        clap::Command::new("model")
    }
}

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// What the command line says.
#[derive(Debug, Default)]
pub struct Options {
    /// How long each target runs.
    pub time: Duration,
    /// The targets that run; all without one.
    pub targets: Vec<String>,
    /// Run this input once, and nothing else.
    pub input: Option<PathBuf>,
    /// The seed of all random choices.
    pub seed: u64,
    /// How many targets run at once.
    pub jobs: usize,
    /// This process is a child that runs one target.
    pub child: bool,
    /// The root of the repository.
    pub root: PathBuf,
    /// Where inputs that were found stay for the next run.
    pub corpus: PathBuf,
    /// Where inputs that failed are kept.
    pub crashes: PathBuf,
}

const USAGE: &str = "hashrange-fuzz --root DIR --corpus DIR --crashes DIR [--seconds N] [--target T].. [--input FILE] \
                     [--seed N] [--jobs N]";

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = match &options.input {
        Some(input) => session::replay(&options, input),
        None if options.child => session::run(&options),
        None => fleet::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(session::FAILED)
        }
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { time: Duration::from_mins(1), jobs: 2, seed: 1, ..Options::default() };
    while let Some(word) = words.next() {
        if word == "--child" {
            options.child = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} {value}: write a whole number"));
        match word.as_str() {
            "--seconds" => options.time = Duration::from_secs(number()?),
            "--target" => options.targets.push(value),
            "--input" => options.input = Some(value.into()),
            "--seed" => options.seed = number()?,
            "--jobs" => options.jobs = usize::try_from(number()?).unwrap_or(1).max(1),
            "--root" => options.root = value.into(),
            "--corpus" => options.corpus = value.into(),
            "--crashes" => options.crashes = value.into(),
            _ => return Err(format!("{word} is no flag")),
        }
    }
    let known: Vec<_> = targets::ALL.iter().map(|target| target.name).collect();
    match options.targets.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!("there is no target {name}; there are {}", known.join(", "))),
        None => Ok(options),
    }
}
