//! `cargo xtask sim`: many seeds with progress, or one with its trace.

use std::ops::Range;
use std::process::ExitCode;

use hashrange_sim::planted::Bug;
use hashrange_sim::run::{Options, run};
use hashrange_sim::seeds::{Summary, run_all};

const USAGE: &str = "\
hashrange-sim --seeds N          the seeds below N
hashrange-sim --seeds FROM..TO   these seeds
hashrange-sim --seed N           one seed, with the trace of all that happened
  --bug NAME                     with this bug planted into the store";

enum Task {
    Many(Range<u64>),
    One(u64),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((task, bug)) = parse(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let good = match task {
        Task::Many(seeds) => many(seeds, bug),
        Task::One(seed) => one(seed, bug),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse(words: &[String]) -> Option<(Task, Option<Bug>)> {
    let (mut task, mut bug) = (None, None);
    for pair in words.chunks(2) {
        match pair {
            [flag, value] if flag == "--seeds" => task = Some(Task::Many(range(value)?)),
            [flag, value] if flag == "--seed" => task = Some(Task::One(value.parse().ok()?)),
            [flag, value] if flag == "--bug" => bug = Some(Bug::named(value)?),
            _ => return None,
        }
    }
    Some((task?, bug))
}

fn range(text: &str) -> Option<Range<u64>> {
    match text.split_once("..") {
        Some((from, to)) => Some(from.parse().ok()?..to.parse().ok()?),
        None => Some(0..text.parse().ok()?),
    }
}

fn many(seeds: Range<u64>, bug: Option<Bug>) -> bool {
    let summary = run_all(seeds, Options { bug, trace: false }, tell);
    tell(&summary);
    eprint!("{}", summary.failures_text());
    summary.failures.is_empty()
}

fn tell(summary: &Summary) {
    let Summary { runs, calls, crashes, undecided, failures } = summary;
    let failures = failures.len();
    println!("{runs} seeds, {calls} calls, {crashes} crashes, {undecided} undecided, {failures} failures");
}

fn one(seed: u64, bug: Option<Bug>) -> bool {
    let report = run(seed, Options { bug, trace: true });
    report.trace.iter().for_each(|line| println!("{line}"));
    match &report.failure {
        None => println!("seed {seed} is well: {} calls, {} crashes", report.calls, report.crashes),
        Some(failure) => println!("seed {seed} failed: {failure}"),
    }
    report.failure.is_none()
}
