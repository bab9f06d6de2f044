//! The patterns of a model at their declared rates, with the skew of their keys, on a database.
//!
//! # How requests are timed
//!
//! The schedule is made before and without the database: requests of each pattern come at random (a Poisson process) at
//! its rate, whatever the database does. A latency is counted from the moment a request should have begun, so a database
//! that falls behind shows it. Only a lag below [`TIMER_SLACK`] is the timer's and is not counted.
//!
//! # How keys are chosen
//!
//! Samples give a pattern its keys; the skew says how often each is used. Where the model declares more keys than there
//! are samples, ranks beyond them share the samples' items and are counted apart: a key is as hot as the model says.
//! A put that must not find an item makes a new key each time. Of the samples, a pattern takes those for which its conditions and
//! filters hold ([`crate::samples::for_load`] sees to it that there are some), and what is refused all the same is counted as refused.

mod drive;
mod fresh;
mod hot;
mod keys;
mod lane;
mod measure;
mod print;
mod schedule;
mod units;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hashrange_env::Env;

use crate::catalogue::Catalogue;
use crate::samples::Samples;
use crate::skew::{ScatterRead, Skew};
use crate::target::Target;

pub use print::{json, markdown, table};
pub use schedule::{Arrival, Schedule};

/// A lag of the schedule that is the timer's fault.
pub const TIMER_SLACK: Duration = Duration::from_millis(2);
/// Requests that are under way at the same time; further ones are counted as not sent.
const IN_FLIGHT_MAX: usize = 10_000;

/// Which of the declared rates is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rate {
    /// The rate at the worst time, or the average where only that is declared.
    #[default]
    Peak,
    /// The average, or the rate at the worst time where only that is declared.
    Average,
}

/// How to load.
#[derive(Clone)]
pub struct Options {
    /// Makes the schedule and the choice of keys.
    pub seed: u64,
    /// How long requests come.
    pub duration: Duration,
    /// The share of the declared rates that is asked for. What one partition serves is scaled with it.
    pub speed: f64,
    /// Which rate.
    pub rate: Rate,
    /// The skew of patterns that declare none.
    pub skew: Option<Skew>,
    /// Only these patterns; empty is all.
    pub patterns: Vec<String>,
    /// How long answers are waited for after the last request.
    pub patience: Duration,
    /// Is told, about once a second, how far it is.
    pub progress: Arc<dyn Fn(&Progress) + Send + Sync>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 1,
            duration: Duration::from_secs(30),
            speed: 1.0,
            rate: Rate::Peak,
            skew: None,
            patterns: Vec::new(),
            patience: Duration::from_secs(30),
            progress: Arc::new(|_| ()),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Options");
        debug.field("seed", &self.seed).field("duration", &self.duration).field("speed", &self.speed);
        debug.field("rate", &self.rate).field("skew", &self.skew).finish_non_exhaustive()
    }
}

/// How far a load is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Since the first request could come.
    pub elapsed: Duration,
    /// How long requests come.
    pub duration: Duration,
    /// Requests that were sent.
    pub sent: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Requests that are under way.
    pub in_flight: usize,
}

/// What came of a load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The model's name.
    pub model: String,
    /// What made the schedule.
    pub seed: u64,
    /// How long requests came, in seconds.
    pub seconds: f64,
    /// The share of the declared rates.
    pub speed: f64,
    /// Patterns, in the order of the model.
    pub patterns: Vec<Loaded>,
    /// Patterns that were not run, and why.
    pub skipped: Vec<(String, String)>,
    /// Keys with more traffic than one partition serves, hottest first.
    pub hot_keys: Vec<HotKey>,
    /// Requests that one partition would have throttled, by table: an estimate.
    pub throttled: BTreeMap<String, u64>,
    /// How late the schedule was at most, in milliseconds.
    pub lag_max_ms: f64,
    /// Requests that got no answer in time.
    pub unanswered: u64,
}

/// What came of one pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The skew of its keys, and how many there are.
    pub skew: String,
    /// Keys that it could use; 0 where each request makes a new one.
    pub keys: u64,
    /// Requests per second that were asked for.
    pub asked: f64,
    /// Requests per second that were answered without an error.
    pub achieved: f64,
    /// Requests that were sent.
    pub sent: u64,
    /// Requests that were answered without an error.
    pub answered: u64,
    /// Errors by name. A condition that does not hold is none.
    pub errors: BTreeMap<String, u64>,
    /// Requests whose condition did not hold, or that ended with the error that the model expects.
    pub refused: u64,
    /// The share of requests that the model expects to be refused.
    pub refusals_expected: f64,
    /// The condition or filter that no sample is like, in words: requests are refused or find nothing.
    pub unmet: Option<String>,
    /// Requests that were not sent, because too many were under way.
    pub unsent: u64,
    /// Latency at 50, 90, 99, 99.9 per cent and the longest, in milliseconds.
    pub latency_ms: [f64; 5],
    /// Latency at 99 per cent of requests for the most used keys (the first hundredth), in milliseconds.
    pub hot_p99_ms: Option<f64>,
    /// And of all others.
    pub cold_p99_ms: Option<f64>,
    /// Read units of one answer, on average.
    pub read_units: f64,
    /// Write units of one answer, on average.
    pub write_units: f64,
}

/// A key with more traffic than one partition serves. Rates are those of the model: the speed of the load is taken out.
#[derive(Clone, Debug, PartialEq)]
pub struct HotKey {
    /// The table.
    pub table: String,
    /// The global index whose key it is; `None` is the table's.
    pub index: Option<String>,
    /// The key, as people read it.
    pub key: String,
    /// Read units per second.
    pub read: f64,
    /// Write units per second.
    pub write: f64,
    /// The share of the traffic of its table or index.
    pub share: f64,
    /// Keys over which it must be spread.
    pub shards: u64,
    /// What it costs then to read the collection.
    pub scatter: ScatterRead,
    /// The patterns that use it, by id.
    pub patterns: Vec<String>,
}

impl Report {
    /// Whether patterns were run, every one of them reached its rate (95 % of it) without errors, and no key is too hot.
    pub fn passed(&self) -> bool {
        let fine = |loaded: &Loaded| loaded.errors.is_empty() && loaded.unsent == 0 && loaded.reached();
        let is_run = !self.patterns.is_empty();
        is_run && self.hot_keys.is_empty() && self.unanswered == 0 && self.patterns.iter().all(fine)
    }
}

impl Loaded {
    /// Whether at least 95 % of the requests that were to come were answered or refused, and not all refused where the model expects some answers.
    pub fn reached(&self) -> bool {
        let wanted = self.sent + self.unsent;
        let is_measured = self.answered > 0 || self.refused == 0 || self.refusals_expected > 0.0;
        is_measured && (self.answered + self.refused) * 100 >= wanted * 95
    }
}

/// Runs the patterns of a model at their rates. Tables and samples, best those of [`crate::samples::for_load`], must be there: see
/// [`crate::run::prepare`].
pub async fn load(
    catalogue: Arc<Catalogue>,
    samples: Arc<Samples>,
    target: Arc<dyn Target>,
    env: &Env,
    options: &Options,
) -> Report {
    let catalogue = Arc::new(fresh::with_new_keys(&catalogue));
    let (lanes, skipped) = lane::lanes(&catalogue, &samples, options);
    let measures = drive::drive(&lanes, &target, env, options).await;
    let mut report = measure::report(&catalogue, &lanes, &measures, options);
    report.skipped = skipped;
    report
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "what is compared is exact")]
mod tests;
