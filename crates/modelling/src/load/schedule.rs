//! When requests come: made from the seed alone, before and without the database.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::samples::Random;
use crate::skew::Shape;

/// A request that is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When, since the beginning.
    pub at: Duration,
    /// Of which pattern, by its place among those that are run.
    pub lane: usize,
    /// The rank of its key: 1 is the most used.
    pub rank: u64,
    /// How many requests of the pattern came before it.
    pub number: usize,
    /// Chooses among the items of the key.
    pub pick: u64,
}

/// Requests of several patterns, in the order of time.
#[derive(Debug)]
pub struct Schedule {
    lanes: Vec<Stream>,
    next: BinaryHeap<Reverse<(Duration, usize)>>,
    end: Duration,
}

/// Requests of one pattern.
#[derive(Debug)]
struct Stream {
    gap_s: f64,
    shape: Shape,
    times: Random,
    keys: Random,
    number: usize,
}

impl Schedule {
    /// Requests of patterns with these names, rates per second and keys, until the end.
    pub fn new(patterns: Vec<(String, f64, Shape)>, seed: u64, end: Duration) -> Schedule {
        let mut schedule = Schedule { lanes: Vec::new(), next: BinaryHeap::new(), end };
        for (name, rate, shape) in patterns {
            let random = Random::new(seed).named("load").named(&name);
            let (times, keys) = (random.named("times"), random.named("keys"));
            let gap_s = if rate > 0.0 { 1.0 / rate } else { f64::INFINITY };
            let lane = schedule.lanes.len();
            schedule.lanes.push(Stream { gap_s, shape, times, keys, number: 0 });
            schedule.plan_next(lane, Duration::ZERO);
        }
        schedule
    }

    /// Gaps between the requests of a Poisson process are exponential.
    fn plan_next(&mut self, lane: usize, after: Duration) {
        let stream = &mut self.lanes[lane];
        let gap = -(1.0 - stream.times.share()).ln() * stream.gap_s;
        let Ok(gap) = Duration::try_from_secs_f64(gap) else { return };
        if let Some(at) = after.checked_add(gap).filter(|at| *at < self.end) {
            self.next.push(Reverse((at, lane)));
        }
    }
}

impl Iterator for Schedule {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let Reverse((at, lane)) = self.next.pop()?;
        self.plan_next(lane, at);
        let stream = &mut self.lanes[lane];
        let number = stream.number;
        stream.number += 1;
        let rank = stream.shape.rank_at(stream.keys.share());
        Some(Arrival { at, lane, rank, number, pick: stream.keys.draw() })
    }
}
