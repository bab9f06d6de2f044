//! A day's load, and capacity that follows it as Application Auto Scaling does.

/// Minutes of a day.
pub(super) const DAY: usize = 1440;

/// Units per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// On average.
    pub average: f64,
    /// At the worst time.
    pub peak: f64,
}

impl Load {
    pub(super) fn add(&mut self, units: f64, average: f64, peak: f64) {
        self.average += units * average;
        self.peak += units * peak;
    }

    /// Average over peak: 1 is steady.
    pub fn steadiness(self) -> Option<f64> {
        (self.peak > 0.0).then(|| self.average / self.peak)
    }

    /// Units per second in each minute of a day: a sine between night and peak where the average is at least half the peak, and a
    /// narrower hump of the same average and peak where it is less.
    pub(super) fn day(self) -> Vec<f64> {
        let Some(ratio) = self.steadiness() else { return vec![0.0; DAY] };
        let wave = (0..DAY).map(|minute| {
            #[expect(clippy::cast_precision_loss, reason = "minutes of a day")]
            let angle = std::f64::consts::TAU * minute as f64 / DAY as f64;
            f64::midpoint(1.0, -angle.cos())
        });
        if ratio >= 0.5 {
            let low = 2.0 * self.average - self.peak;
            return wave.map(|wave| low + (self.peak - low) * wave).collect();
        }
        let wave: Vec<f64> = wave.collect();
        let power = power_for(&wave, ratio);
        wave.into_iter().map(|wave| self.peak * wave.powf(power)).collect()
    }
}

/// The power to which the wave is raised so that its mean is `ratio`.
fn power_for(wave: &[f64], ratio: f64) -> f64 {
    let (mut low, mut high) = (1.0_f64, 1e6_f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if mean(wave.iter().map(|wave| wave.powf(middle))) > ratio {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The mean of a day's minutes.
#[expect(clippy::cast_precision_loss, reason = "minutes of a day")]
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / DAY as f64
}

/// A target-tracking policy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    pub(super) min: f64,
    pub(super) max: f64,
    /// Utilisation aimed at, 0 to 1.
    pub(super) target: f64,
    /// Capacity shrinks below `target - margin`.
    pub(super) margin: f64,
    pub(super) scale_in: bool,
}

/// What auto scaling makes of a day.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Followed {
    /// Provisioned units in each minute.
    pub(super) capacity: Vec<f64>,
    /// Minutes in which the load exceeded what was provisioned, before burst capacity.
    pub(super) short: usize,
}

/// Minutes above the target before capacity grows.
const OUT_AFTER: u32 = 2;
/// Minutes below the target less the margin before capacity shrinks.
const IN_AFTER: u32 = 15;
/// Decreases of a day that need no pause; each further one needs an hour without a decrease.
const FREE_DECREASES: u32 = 4;

/// Follows a day that repeats; the second of two days counts, so that the start does not.
pub(super) fn follow(day: &[f64], policy: Policy) -> Followed {
    let clamp = |units: f64| units.ceil().max(policy.min).min(policy.max);
    let mut provisioned = clamp(day.first().copied().unwrap_or(0.0) / policy.target);
    let (mut above, mut below, mut decreases, mut last) = (0, 0, 0, 0);
    let mut followed = Followed { capacity: Vec::with_capacity(DAY), short: 0 };
    for minute in 0..2 * DAY {
        let load = day.get(minute % DAY).copied().unwrap_or(0.0);
        if minute % DAY == 0 {
            decreases = 0;
        }
        if minute >= DAY {
            followed.capacity.push(provisioned);
            followed.short += usize::from(load > provisioned);
        }
        // What is refused is consumed by nobody, so CloudWatch never shows more than what is provisioned.
        let consumed = load.min(provisioned);
        let used = consumed / provisioned;
        above = if used > policy.target { above + 1 } else { 0 };
        below = if used < policy.target - policy.margin { below + 1 } else { 0 };
        let allowed = decreases < FREE_DECREASES || minute - last >= 60;
        if above >= OUT_AFTER {
            provisioned = clamp(consumed / policy.target).max(provisioned);
            above = 0;
        } else if policy.scale_in && below >= IN_AFTER && allowed {
            let less = clamp(consumed / policy.target);
            if less < provisioned {
                (provisioned, decreases, last) = (less, decreases + 1, minute);
            }
            below = 0;
        }
    }
    followed
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Policy = Policy { min: 1.0, max: 40_000.0, target: 0.7, margin: 0.2, scale_in: true };

    #[test]
    fn a_day_has_the_declared_average_and_peak() {
        for (average, peak) in [(80.0, 80.0), (400.0, 2000.0), (50.0, 100.0), (90.0, 100.0), (1.0, 300.0)] {
            let day = Load { average, peak }.day();
            let highest = day.iter().copied().fold(0.0, f64::max);
            assert!((mean(day.iter().copied()) - average).abs() < average * 1e-3, "{average} of {peak}");
            assert!((highest - peak).abs() < peak * 1e-3 && day.iter().all(|units| *units >= 0.0));
        }
        assert!(Load::default().day().iter().all(|units| *units == 0.0));
    }

    #[test]
    fn steady_load_is_provisioned_at_the_target() {
        let followed = follow(&Load { average: 70.0, peak: 70.0 }.day(), POLICY);
        assert_eq!(followed.capacity, vec![100.0; DAY]);
        assert_eq!(followed.short, 0);
    }

    #[test]
    fn a_follower_costs_more_than_an_ideal_one_and_less_than_the_peak() {
        let load = Load { average: 400.0, peak: 1000.0 };
        let followed = follow(&load.day(), POLICY);
        let provisioned = mean(followed.capacity.iter().copied());
        assert!(provisioned > 400.0 / 0.7 && provisioned < 1000.0 / 0.7, "{provisioned}");
    }

    #[test]
    fn capacity_shrinks_at_most_four_times_and_then_hourly() {
        let followed = follow(&Load { average: 300.0, peak: 1000.0 }.day(), POLICY);
        let falls = followed.capacity.windows(2).filter(|two| two[1] < two[0]).count();
        assert!((1..=27).contains(&falls), "{falls}");
        let stuck =
            follow(&Load { average: 300.0, peak: 1000.0 }.day(), Policy { scale_in: false, ..POLICY });
        assert!(stuck.capacity.windows(2).all(|two| two[1] >= two[0]));
    }

    #[test]
    fn a_ceiling_leaves_minutes_short() {
        let followed = follow(&Load { average: 300.0, peak: 1000.0 }.day(), Policy { max: 500.0, ..POLICY });
        assert!(followed.short > 0 && followed.capacity.iter().all(|units| *units <= 500.0));
    }
}
