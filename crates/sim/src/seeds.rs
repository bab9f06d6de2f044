//! Many seeds on all processors.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashrange_env::Env;
use parking_lot::Mutex;

use crate::run::{Options, Report, Scenario};

/// What many runs came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Runs that were made.
    pub runs: u64,
    /// Their calls.
    pub calls: usize,
    /// Their crashes.
    pub crashes: usize,
    /// Histories that were too tangled.
    pub undecided: usize,
    /// Transactions that were carried out.
    pub transactions: usize,
    /// Calls that met a transaction.
    pub conflicts: usize,
    /// What was played.
    pub scenario: Scenario,
    /// Runs that failed, the smallest seed first.
    pub failures: Vec<Report>,
}

/// Failures after which no further seed is tried.
const FAILURES_MAX: usize = 5;

/// Runs these seeds, and calls `progress` after each thousand with what there is so far.
pub fn run_all(seeds: Range<u64>, options: Options, progress: fn(&Summary)) -> Summary {
    let next = Arc::new(AtomicU64::new(seeds.start));
    let summary = Arc::new(Mutex::new(Summary { scenario: options.scenario, ..Summary::default() }));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            let (next, summary, end) = (Arc::clone(&next), Arc::clone(&summary), seeds.end);
            let work = move || work(&next, end, options, &summary, progress);
            Env::thread("simulation", work).expect("the system can start a few threads")
        })
        .collect();
    for worker in workers {
        worker.join().expect("a run catches its panics");
    }
    let mut summary = summary.lock().clone();
    summary.failures.sort_by_key(|report| report.seed);
    summary
}

fn work(next: &AtomicU64, end: u64, options: Options, summary: &Mutex<Summary>, progress: fn(&Summary)) {
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end || summary.lock().failures.len() >= FAILURES_MAX {
            return;
        }
        let report = options.scenario.play(seed, options);
        let mut summary = summary.lock();
        summary.runs += 1;
        summary.calls += report.calls;
        summary.crashes += report.crashes;
        summary.undecided += report.undecided;
        summary.transactions += report.transactions;
        summary.conflicts += report.conflicts;
        if report.failure.is_some() {
            summary.failures.push(report);
        }
        if summary.runs.is_multiple_of(1000) {
            progress(&summary);
        }
    }
}

impl Summary {
    /// Each failure and the command that plays it again.
    pub fn failures_text(&self) -> String {
        let scenario = self.scenario.name();
        let text = |report: &Report| {
            let failure = report.failure.as_deref().unwrap_or_default();
            format!(
                "seed {seed} failed: {failure}\nreplay: cargo xtask sim --scenario {scenario} --seed {seed}\n",
                seed = report.seed
            )
        };
        self.failures.iter().map(text).collect()
    }
}
