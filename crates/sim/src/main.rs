//! `cargo xtask sim`: many seeds with progress, or one with its trace.

use std::ops::Range;
use std::process::ExitCode;

use hashrange_sim::planted::Bug;
use hashrange_sim::run::{Options, Scenario};
use hashrange_sim::seeds::{Summary, run_all};

const USAGE: &str = "\
hashrange-sim --seeds N          the seeds below N
hashrange-sim --seeds FROM..TO   these seeds
hashrange-sim --seed N           one seed, with the trace of all that happened
  --scenario tables|bank         random tables (as without it), or transactions
  --bug NAME                     with this bug planted into the store";

enum Task {
    Many(Range<u64>),
    One(u64),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((task, options)) = parse(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let good = match task {
        Task::Many(seeds) => many(seeds, options),
        Task::One(seed) => one(seed, options),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse(words: &[String]) -> Option<(Task, Options)> {
    let (mut task, mut options) = (None, Options::default());
    for pair in words.chunks(2) {
        match pair {
            [flag, value] if flag == "--seeds" => task = Some(Task::Many(range(value)?)),
            [flag, value] if flag == "--seed" => task = Some(Task::One(value.parse().ok()?)),
            [flag, value] if flag == "--bug" => options.bug = Some(Bug::named(value)?),
            [flag, value] if flag == "--scenario" => options.scenario = scenario(value)?,
            _ => return None,
        }
    }
    Some((task?, options))
}

fn scenario(name: &str) -> Option<Scenario> {
    [Scenario::Tables, Scenario::Bank].into_iter().find(|scenario| scenario.name() == name)
}

fn range(text: &str) -> Option<Range<u64>> {
    match text.split_once("..") {
        Some((from, to)) => Some(from.parse().ok()?..to.parse().ok()?),
        None => Some(0..text.parse().ok()?),
    }
}

fn many(seeds: Range<u64>, options: Options) -> bool {
    let summary = run_all(seeds, options, tell);
    tell(&summary);
    eprint!("{}", summary.failures_text());
    summary.failures.is_empty()
}

fn tell(summary: &Summary) {
    let Summary { runs, calls, crashes, undecided, transactions, conflicts, failures, .. } = summary;
    let failures = failures.len();
    println!(
        "{runs} seeds, {calls} calls, {crashes} crashes, {transactions} transactions done, {conflicts} conflicts, \
         {undecided} undecided, {failures} failures"
    );
}

fn one(seed: u64, options: Options) -> bool {
    let report = options.scenario.play(seed, Options { trace: true, ..options });
    report.trace.iter().for_each(|line| println!("{line}"));
    match &report.failure {
        None => println!("seed {seed} is well: {} calls, {} crashes", report.calls, report.crashes),
        Some(failure) => println!("seed {seed} failed: {failure}"),
    }
    report.failure.is_none()
}
