//! A token bucket: pure, on times that it is given.

use super::Units;

/// Parts of a half unit: what a rate of one half unit a second gives in a millisecond.
const PARTS: i64 = 1000;

/// How fast a bucket fills and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Capacity units a second.
    pub(crate) units_per_s: u64,
    /// Seconds of it that are kept while they are not used.
    pub(crate) burst_s: u64,
    /// Since when it is in force, in milliseconds since the epoch.
    pub(crate) since_ms: u64,
}

impl Rate {
    /// The same, in force not before that time.
    pub(crate) fn not_before(self, since_ms: u64) -> Rate {
        Rate { since_ms: self.since_ms.max(since_ms), ..self }
    }

    /// What it gives in that time.
    fn parts(self, elapsed_ms: u64) -> i64 {
        let halves = self.units_per_s.saturating_mul(2);
        i64::try_from(halves.saturating_mul(elapsed_ms)).unwrap_or(i64::MAX)
    }

    fn most(self) -> i64 {
        self.parts(self.burst_s.saturating_mul(1000))
    }
}

/// Capacity that is left. A request is let in while there is any, and may take more than there is: those after it wait
/// until the debt is made up for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// In [`PARTS`] of half units; below zero after a request that took more than there was.
    level: i64,
    /// When that was.
    at_ms: u64,
    rate: Rate,
}

impl Bucket {
    /// A bucket that nobody took anything from since its rate is in force. It began with one second's worth.
    pub(crate) fn new(rate: Rate) -> Bucket {
        Bucket { level: rate.parts(1000), at_ms: rate.since_ms, rate }
    }

    /// Adds what came until `now_ms`. Another rate fills the bucket from when it is in force, and no more than that.
    pub(crate) fn refill(&mut self, rate: Rate, now_ms: u64) {
        if rate != self.rate {
            self.gain(rate.since_ms.min(now_ms));
            self.rate = rate;
        }
        self.gain(now_ms);
    }

    fn gain(&mut self, until_ms: u64) {
        let gained = self.rate.parts(until_ms.saturating_sub(self.at_ms));
        self.level = self.level.saturating_add(gained).min(self.rate.most());
        // A clock that is set back gives nothing twice.
        self.at_ms = self.at_ms.max(until_ms);
    }

    /// Whether anything is left besides `pending`.
    pub(crate) fn has_more_than(&self, pending: Units) -> bool {
        self.level > parts(pending)
    }

    /// Takes units, whether or not they are there.
    pub(crate) fn take(&mut self, units: Units) {
        self.level = self.level.saturating_sub(parts(units));
    }
}

fn parts(units: Units) -> i64 {
    i64::try_from(units.halves).unwrap_or(i64::MAX).saturating_mul(PARTS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: u64 = 1_000_000;

    fn rate(units_per_s: u64) -> Rate {
        Rate { units_per_s, burst_s: 300, since_ms: START }
    }

    /// Whole units that can be taken at that time before nothing is left.
    fn left(bucket: &Bucket, rate: Rate, now_ms: u64) -> u64 {
        let mut bucket = bucket.clone();
        bucket.refill(rate, now_ms);
        (0..4000).find(|units| !bucket.has_more_than(Units::whole(*units))).expect("a bucket holds little")
    }

    #[test]
    fn a_bucket_begins_with_a_second_and_keeps_three_hundred() {
        let bucket = Bucket::new(rate(10));
        let at = |seconds: u64| left(&bucket, rate(10), START + 1000 * seconds);
        assert_eq!(
            [at(0), at(1), at(29), at(298), at(299), at(300), at(1_000_000)],
            [10, 20, 300, 2990, 3000, 3000, 3000]
        );
        assert_eq!(left(&bucket, rate(10), 0), 10, "a clock behind the beginning gives nothing");
    }

    #[test]
    fn a_request_may_take_more_than_there_is_and_the_next_waits_for_all_of_it() {
        let mut bucket = Bucket::new(rate(1));
        bucket.refill(rate(1), START);
        assert!(bucket.has_more_than(Units::ZERO));
        bucket.take(Units::whole(400));
        bucket.refill(rate(1), START + 399_000);
        assert!(!bucket.has_more_than(Units::ZERO), "nothing is left and nothing is owed");
        bucket.refill(rate(1), START + 399_001);
        assert!(bucket.has_more_than(Units::ZERO));
    }

    #[test]
    fn half_units_and_milliseconds_are_exact() {
        let mut bucket = Bucket::new(rate(3));
        for millisecond in 0..2000 {
            bucket.refill(rate(3), START + millisecond);
        }
        bucket.take(Units::read(0, false));
        let mut at_once = Bucket::new(rate(3));
        at_once.take(Units::read(0, false));
        at_once.refill(rate(3), START + 1999);
        assert_eq!(bucket, at_once);
        assert_eq!(bucket.level, 2 * 3 * (1000 + 1999) - PARTS);
    }

    #[test]
    fn another_rate_counts_from_when_it_is_in_force() {
        let faster = Rate { since_ms: START + 100_000, ..rate(1000) };
        let mut bucket = Bucket::new(rate(1));
        bucket.take(Units::whole(201));
        bucket.refill(faster, START + 100_000);
        assert_eq!(bucket.level, -100 * 2 * PARTS, "a hundred seconds at the slower rate");
        bucket.refill(faster, START + 100_100);
        assert_eq!(bucket.level, 0);
        let slower = Rate { since_ms: START + 200_000, ..rate(1) };
        bucket.refill(slower, START + 200_000);
        assert_eq!(bucket.level, 300 * 2 * PARTS, "a smaller bucket holds less");
    }

    #[test]
    fn pending_units_of_the_same_request_count_as_taken() {
        let bucket = Bucket::new(rate(2));
        let least = Units::whole(1);
        assert!(bucket.has_more_than(Units::ZERO) && bucket.has_more_than(least));
        assert!(!bucket.has_more_than(least + least));
    }

    #[test]
    fn extreme_rates_and_charges_do_not_overflow() {
        let rate = Rate { units_per_s: u64::MAX, burst_s: u64::MAX, since_ms: 0 };
        let mut bucket = Bucket::new(rate);
        bucket.refill(rate, u64::MAX);
        bucket.take(Units { halves: u64::MAX });
        bucket.take(Units { halves: u64::MAX });
        bucket.refill(rate, u64::MAX);
        assert!(!bucket.has_more_than(Units { halves: u64::MAX }));
    }

    proptest! {
        #[test]
        fn a_bucket_is_as_if_it_were_filled_every_millisecond(
            first in 1_u64..50,
            steps in prop::collection::vec((0_u64..2000, 0_u64..300, prop::option::weighted(0.3, 1_u64..50)), 1..30),
        ) {
            let rate = |units_per_s, since_ms| Rate { units_per_s, burst_s: 3, since_ms };
            let (mut now, mut in_force) = (START, rate(first, START));
            let mut bucket = Bucket::new(in_force);
            let mut level = in_force.parts(1000);
            for (passed_ms, halves, changed) in steps {
                if let Some(units) = changed {
                    in_force = rate(units, now);
                    level = level.min(in_force.most());
                }
                for _ in 0..passed_ms {
                    level = (level + in_force.parts(1)).min(in_force.most());
                }
                now += passed_ms;
                bucket.refill(in_force, now);
                prop_assert_eq!(bucket.level, level);
                bucket.take(Units { halves });
                level -= i64::try_from(halves).unwrap() * PARTS;
            }
        }
    }
}
