//! What is measured while requests run, and the report of it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::hot::{self, KeyUse};
use super::keys::Touch;
use super::lane::Lane;
use super::units::Consumed;
use super::{Loaded, Options, Report};
use crate::catalogue::{Catalogue, IndexKind};

/// Keys whose use is counted; further ones are counted as one.
const KEYS_MAX: usize = 200_000;

/// Latencies, in microseconds, of requests for the most used keys and of all others.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    hot: Vec<u32>,
    cold: Vec<u32>,
}

/// What was measured of one pattern.
#[derive(Debug, Default)]
pub(super) struct Measure {
    pub(super) sent: u64,
    pub(super) unsent: u64,
    answered: u64,
    refused: u64,
    errors: BTreeMap<String, u64>,
    latencies: Latencies,
    read: f64,
    write: f64,
}

/// What was measured.
#[derive(Debug, Default)]
pub(super) struct Measures {
    pub(super) lanes: Vec<Measure>,
    pub(super) keys: BTreeMap<Touch, KeyUse>,
    pub(super) lag_max: Duration,
    pub(super) in_flight: usize,
    pub(super) throttle: hot::Throttle,
}

/// How a request ended.
#[derive(Debug)]
pub(super) enum Outcome {
    /// With this consumption.
    Answered(Vec<Consumed>),
    /// By a condition that did not hold.
    Refused,
    /// With an error.
    Failed(String),
}

/// A request that ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) lane: usize,
    /// When it should have begun, since the beginning.
    pub(super) at: Duration,
    pub(super) took: Duration,
    pub(super) is_hot: bool,
    pub(super) touches: Vec<Touch>,
    pub(super) outcome: Outcome,
}

impl Measures {
    pub(super) fn new(lanes: usize, speed: f64) -> Measures {
        Measures {
            lanes: std::iter::repeat_with(Measure::default).take(lanes).collect(),
            throttle: hot::Throttle::new(speed),
            ..Measures::default()
        }
    }

    /// A request ended.
    pub(super) fn add(&mut self, lane: &Lane, ended: Ended) {
        let measure = &mut self.lanes[ended.lane];
        let micros = u32::try_from(ended.took.as_micros()).unwrap_or(u32::MAX);
        let Latencies { hot, cold } = &mut measure.latencies;
        let latencies = if ended.is_hot { hot } else { cold };
        latencies.push(micros);
        match ended.outcome {
            Outcome::Answered(consumed) => {
                measure.answered += 1;
                measure.read += consumed.iter().map(|arm| arm.read).sum::<f64>();
                measure.write += consumed.iter().map(|arm| arm.write).sum::<f64>();
                let id = &lane.pattern().id;
                for (touch, read, write) in spread(&lane.catalogue, &ended.touches, &consumed) {
                    self.throttle.charge(&touch, read, write, ended.at);
                    self.charge(lane, touch, id, read, write);
                }
            }
            Outcome::Refused => measure.refused += 1,
            // What cancelled a transaction follows the name of the error.
            Outcome::Failed(error) if lane.pattern().expect.error.as_deref() == error.split(' ').next() => {
                measure.refused += 1;
            }
            Outcome::Failed(error) => *measure.errors.entry(error).or_default() += 1,
        }
    }

    fn charge(&mut self, lane: &Lane, touch: Touch, id: &str, read: f64, write: f64) {
        if lane.pool.always_new {
            return;
        }
        if self.keys.len() >= KEYS_MAX && !self.keys.contains_key(&touch) {
            return;
        }
        self.keys.entry(touch).or_default().add(id, read, write);
    }

    /// Requests that were sent, answered and failed.
    pub(super) fn counts(&self) -> (u64, u64, u64) {
        let sum = |count: fn(&Measure) -> u64| self.lanes.iter().map(count).sum();
        (sum(|one| one.sent), sum(|one| one.answered + one.refused), sum(|one| one.errors.values().sum()))
    }
}

/// The share of requests that the model expects to be refused.
fn refusals_expected(lane: &Lane) -> f64 {
    let pattern = lane.pattern();
    if pattern.expect.error.is_some() { 1.0 } else { pattern.conditional_fail_rate.unwrap_or(0.0) }
}

/// The units of an answer by the partition keys that the request touched, evenly where there are several of one table.
fn spread(catalogue: &Catalogue, touches: &[Touch], consumed: &[Consumed]) -> Vec<(Touch, f64, f64)> {
    let mut spread: Vec<(Touch, f64, f64)> = Vec::new();
    for arm in consumed {
        // Local indexes share the partition of the table.
        let index = arm.index.as_ref().filter(|name| {
            let index = catalogue.table(&arm.table).and_then(|table| table.index(name));
            index.is_none_or(|index| index.kind == IndexKind::Global)
        });
        let of_arm: Vec<&Touch> = touches
            .iter()
            .filter(|touch| touch.table == arm.table && touch.index.as_ref() == index)
            .collect();
        for touch in &of_arm {
            let (read, write) = (arm.read / as_f64(of_arm.len()), arm.write / as_f64(of_arm.len()));
            match spread.iter_mut().find(|(known, ..)| known == *touch) {
                Some((_, reads, writes)) => {
                    *reads += read;
                    *writes += write;
                }
                None => spread.push(((*touch).clone(), read, write)),
            }
        }
    }
    spread
}

/// The report of a load.
pub(super) fn report(
    catalogue: &Catalogue,
    lanes: &[std::sync::Arc<Lane>],
    measures: &Measures,
    options: &Options,
) -> Report {
    let seconds = options.duration.as_secs_f64();
    let patterns = lanes.iter().zip(&measures.lanes).map(|(lane, measure)| loaded(lane, measure, seconds));
    Report {
        model: catalogue.name.clone(),
        seed: options.seed,
        seconds,
        speed: options.speed,
        patterns: patterns.collect(),
        skipped: Vec::new(),
        hot_keys: hot::hot_keys(lanes, &measures.keys, seconds * options.speed),
        throttled: measures.throttle.by_table(),
        lag_max_ms: measures.lag_max.as_secs_f64() * 1000.0,
        unanswered: measures.in_flight as u64,
    }
}

fn loaded(lane: &Lane, measure: &Measure, seconds: f64) -> Loaded {
    let mut all = measure.latencies.hot.clone();
    all.extend(&measure.latencies.cold);
    let answered = count(measure.answered.max(1));
    let is_skewed = !lane.pool.always_new;
    Loaded {
        id: lane.pattern().id.clone(),
        name: lane.pattern().name.clone(),
        skew: lane.skew.to_string(),
        keys: if is_skewed { lane.keys } else { 0 },
        asked: lane.rate,
        achieved: count(measure.answered) / seconds,
        sent: measure.sent,
        answered: measure.answered,
        errors: measure.errors.clone(),
        refused: measure.refused,
        refusals_expected: refusals_expected(lane),
        unmet: lane.pool.unmet.clone(),
        unsent: measure.unsent,
        latency_ms: percentiles(&mut all, [500, 900, 990, 999, 1000]),
        hot_p99_ms: p99(&measure.latencies.hot).filter(|_| is_skewed),
        cold_p99_ms: p99(&measure.latencies.cold).filter(|_| is_skewed),
        read_units: measure.read / answered,
        write_units: measure.write / answered,
    }
}

fn p99(micros: &[u32]) -> Option<f64> {
    let [p99] = percentiles(&mut micros.to_vec(), [990]);
    (!micros.is_empty()).then_some(p99)
}

/// Percentiles in milliseconds, each the smallest value that so many of a thousand do not exceed.
fn percentiles<const N: usize>(micros: &mut [u32], per_mille: [usize; N]) -> [f64; N] {
    micros.sort_unstable();
    per_mille.map(|share| {
        let at = (micros.len() * share).div_ceil(1000).saturating_sub(1);
        micros.get(at).map_or(0.0, |micros| f64::from(*micros) / 1000.0)
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of a load are far below 2^52")]
fn count(count: u64) -> f64 {
    count as f64
}

fn as_f64(length: usize) -> f64 {
    count(length as u64)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "what is compared is exact")]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let mut micros: Vec<u32> = (1..=1000).rev().collect();
        assert_eq!(percentiles(&mut micros, [500, 990, 1000]), [0.5, 0.99, 1.0]);
        assert_eq!(percentiles(&mut [], [500]), [0.0]);
        assert_eq!(percentiles(&mut [7], [500, 999]), [0.007, 0.007]);
    }
}
