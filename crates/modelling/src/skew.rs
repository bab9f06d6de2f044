//! How unevenly keys are used, and what that means for the one partition that serves a key.
//!
//! A *skew* says which share of all requests goes to the most used key, the second, and so on. Exponents and hot sets are those of
//! the usual benchmarks (YCSB: zipf 0.99 and 20 % of keys with 80 % of requests); the ceilings of one key are DynamoDB's.

use std::fmt;

/// What one partition, and so one key, serves: write units per second. Amazon DynamoDB Developer Guide, "Partitions and data distribution".
pub const KEY_WRITE_UNITS_MAX: f64 = 1_000.0;
/// What one partition, and so one key, serves: read units per second. Same source.
pub const KEY_READ_UNITS_MAX: f64 = 3_000.0;
/// The share of a ceiling that a shard is planned for; the rest is room for bursts.
pub const SHARD_FILL: f64 = 0.7;
/// The exponent that is meant where only `zipf`, `latest` or `celebrity` is written: YCSB's.
pub const ZIPF_USUAL: f64 = 0.99;
/// Ranks whose sums are kept; beyond, sums are integrals with corrections.
const SUMMED: u64 = 4096;

/// How unevenly the keys of a pattern are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Skew {
    /// All keys alike.
    Uniform,
    /// The key of rank r in proportion to `r^-s`.
    Zipf(f64),
    /// A share of the keys gets a share of the requests.
    Hot {
        /// The share of the keys.
        keys: f64,
        /// The share of the requests.
        share: f64,
    },
    /// As `Zipf`, where rank is age: the newest is used most.
    Latest(f64),
    /// One key has a fixed share; the others are used as `Zipf`.
    Celebrity {
        /// The share of the one key.
        share: f64,
        /// The exponent of the others.
        exponent: f64,
    },
    /// All writes go to the newest key; reads of a key halve with each newer one.
    Today,
}

/// Whether requests read or write: only [`Skew::Today`] tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Skew {
    /// Reads `uniform`, `zipf:1.1`, `hot:0.2:0.8`, `latest:0.99`, `celebrity:0.05`, `celebrity:0.05:1.1`, `today`; numbers may be left out.
    ///
    /// # Errors
    /// A text that says which forms there are, or which number is out of its range.
    pub fn parse(text: &str) -> Result<Skew, String> {
        let mut words = text.trim().split(':');
        let name = words.next().unwrap_or_default();
        let numbers = words
            .map(|word| {
                word.trim().parse::<f64>().map_err(|_| format!("`{word}` in skew `{text}` is no number"))
            })
            .collect::<Result<Vec<f64>, String>>()?;
        let skew = Skew::from_words(name, &numbers).ok_or_else(|| {
            format!("`{text}` is no skew; write uniform, zipf:0.99, hot:0.2:0.8, latest:0.99, celebrity:0.05 or today")
        })?;
        if skew.is_sound() {
            return Ok(skew);
        }
        Err(format!(
            "a number of skew `{text}` is out of range: exponents lie between 0 and 5, shares between 0 and 1"
        ))
    }

    fn from_words(name: &str, numbers: &[f64]) -> Option<Skew> {
        Some(match (name, numbers) {
            ("uniform", []) => Skew::Uniform,
            ("zipf", []) => Skew::Zipf(ZIPF_USUAL),
            ("zipf", [exponent]) => Skew::Zipf(*exponent),
            ("hot", []) => Skew::Hot { keys: 0.2, share: 0.8 },
            ("hot", [keys, share]) => Skew::Hot { keys: *keys, share: *share },
            ("latest", []) => Skew::Latest(ZIPF_USUAL),
            ("latest", [exponent]) => Skew::Latest(*exponent),
            ("celebrity", [share]) => Skew::Celebrity { share: *share, exponent: ZIPF_USUAL },
            ("celebrity", [share, exponent]) => Skew::Celebrity { share: *share, exponent: *exponent },
            ("today", []) => Skew::Today,
            _ => return None,
        })
    }

    fn is_sound(self) -> bool {
        let exponent = |value: f64| (0.0..=5.0).contains(&value);
        let share = |value: f64| value > 0.0 && value <= 1.0;
        match self {
            Skew::Uniform | Skew::Today => true,
            Skew::Zipf(s) | Skew::Latest(s) => exponent(s),
            Skew::Hot { keys, share: requests } => share(keys) && share(requests),
            Skew::Celebrity { share: one, exponent: others } => share(one) && exponent(others),
        }
    }

    /// The share of requests that go to the most used of `keys` keys.
    pub fn top_share(self, keys: u64, access: Access) -> f64 {
        let shape = Shape::new(self, keys, access);
        match self {
            // The celebrity is the first rank, yet another key may be used more.
            Skew::Celebrity { .. } => shape.share(1).max(shape.share(2)),
            _ => shape.share(1),
        }
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skew::Uniform => f.write_str("uniform"),
            Skew::Zipf(exponent) => write!(f, "zipf:{exponent}"),
            Skew::Hot { keys, share } => write!(f, "hot:{keys}:{share}"),
            Skew::Latest(exponent) => write!(f, "latest:{exponent}"),
            Skew::Celebrity { share, exponent } if (exponent - ZIPF_USUAL).abs() < 1e-9 => {
                write!(f, "celebrity:{share}")
            }
            Skew::Celebrity { share, exponent } => write!(f, "celebrity:{share}:{exponent}"),
            Skew::Today => f.write_str("today"),
        }
    }
}

/// A skew over a number of keys, ready to be asked often. Ranks start at 1, the most used key (the celebrity is rank 1 always).
#[derive(Clone, Debug)]
pub struct Shape {
    skew: Skew,
    keys: u64,
    access: Access,
    /// Sums of `r^-s` over the first ranks; empty where no exponent is involved.
    sums: Vec<f64>,
}

impl Shape {
    /// The skew over so many keys (at least one).
    pub fn new(skew: Skew, keys: u64, access: Access) -> Shape {
        let keys = keys.max(1);
        let sums = match skew {
            Skew::Zipf(s) | Skew::Latest(s) => sums(keys, s),
            Skew::Celebrity { exponent, .. } => sums(keys - 1, exponent),
            Skew::Uniform | Skew::Hot { .. } | Skew::Today => Vec::new(),
        };
        Shape { skew, keys, access, sums }
    }

    /// The number of keys.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// The share of requests for the key of that rank; 0 for a rank that does not exist.
    pub fn share(&self, rank: u64) -> f64 {
        if rank == 0 || rank > self.keys {
            return 0.0;
        }
        self.cumulative(rank) - self.cumulative(rank - 1)
    }

    /// The share of requests for the keys of ranks up to and including that one.
    pub fn cumulative(&self, rank: u64) -> f64 {
        if rank >= self.keys {
            return 1.0;
        }
        if rank == 0 {
            return 0.0;
        }
        match self.skew {
            Skew::Uniform => real(rank) / real(self.keys),
            Skew::Zipf(s) | Skew::Latest(s) => self.harmonic(rank, s) / self.harmonic(self.keys, s),
            Skew::Hot { keys, share } => self.hot(rank, keys, share),
            Skew::Celebrity { share, exponent } => {
                share
                    + (1.0 - share) * self.harmonic(rank - 1, exponent)
                        / self.harmonic(self.keys - 1, exponent)
            }
            Skew::Today if self.access == Access::Write => 1.0,
            Skew::Today => halves(rank) / halves(self.keys),
        }
    }

    fn hot(&self, rank: u64, keys: f64, share: f64) -> f64 {
        let hot = (real(self.keys) * keys).round().max(1.0);
        let cold = real(self.keys) - hot;
        if cold <= 0.0 {
            return real(rank) / real(self.keys);
        }
        let rank = real(rank);
        share * rank.min(hot) / hot + (1.0 - share) * (rank - hot).max(0.0) / cold
    }

    /// The rank that a uniform number from 0 (included) to 1 falls on.
    pub fn rank_at(&self, uniform: f64) -> u64 {
        let (mut low, mut high) = (1, self.keys);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.cumulative(middle) > uniform {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// The sum of `r^-s` for r from 1 to `rank`.
    fn harmonic(&self, rank: u64, s: f64) -> f64 {
        if rank == 0 {
            return 0.0;
        }
        if let Some(sum) = usize::try_from(rank - 1).ok().and_then(|at| self.sums.get(at)) {
            return *sum;
        }
        let (from, to) = (real(SUMMED), real(rank));
        let integral = if (s - 1.0).abs() < 1e-9 {
            (to / from).ln()
        } else {
            (to.powf(1.0 - s) - from.powf(1.0 - s)) / (1.0 - s)
        };
        let ends = (to.powf(-s) - from.powf(-s)) / 2.0;
        let slope = s / 12.0 * (from.powf(-s - 1.0) - to.powf(-s - 1.0));
        self.sums.last().copied().unwrap_or(0.0) + integral + ends + slope
    }
}

fn sums(keys: u64, s: f64) -> Vec<f64> {
    let mut sum = 0.0;
    (1..=keys.min(SUMMED))
        .map(|rank| {
            sum += real(rank).powf(-s);
            sum
        })
        .collect()
}

/// 1/2 + 1/4 + ... of so many terms.
fn halves(terms: u64) -> f64 {
    1.0 - 0.5_f64.powf(real(terms))
}

#[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^53, and shares are estimates")]
fn real(count: u64) -> f64 {
    count as f64
}

/// A count that was computed as a real number; 0 where it is negative or no number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and callers pass counts"
)]
pub fn whole(count: f64) -> u64 {
    count.ceil() as u64
}

/// Over how many keys one logical key must be spread for so many units per second at the worst time, with head-room: 1 needs no spreading.
pub fn write_shards(write_units: f64, read_units: f64) -> u64 {
    let writes = whole(write_units / (KEY_WRITE_UNITS_MAX * SHARD_FILL));
    let reads = whole(read_units / (KEY_READ_UNITS_MAX * SHARD_FILL));
    writes.max(reads).max(1)
}

/// What it costs to read one logical collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatterRead {
    /// Requests, side by side; the slowest decides how long the whole takes.
    pub requests: u64,
    /// Read units of all of them.
    pub units: f64,
    /// Read units if the collection were not spread.
    pub units_unspread: f64,
}

/// What reading `bytes` costs when they are spread evenly over so many shards: each shard costs a step of 4 KB even when it is empty.
pub fn scatter_read(shards: u64, bytes: f64, strong: bool) -> ScatterRead {
    let shards = shards.max(1);
    let step = if strong { 1.0 } else { 0.5 };
    let steps = |bytes: f64| (bytes / 4096.0).ceil().max(1.0);
    ScatterRead {
        requests: shards,
        units: real(shards) * steps(bytes / real(shards)) * step,
        units_unspread: steps(bytes) * step,
    }
}

/// How many of so many shards the fullest partition holds on average, where keys fall on partitions at random.
///
/// Exact for up to 1,000 shards and partitions, beyond which it answers for 1,000.
pub fn heaviest_partition(shards: u32, partitions: u32) -> f64 {
    let (shards, partitions) = (shards.clamp(1, 1000), partitions.clamp(1, 1000));
    let mut mean = 0.0;
    for most in 0..shards {
        let within = all_within(shards, partitions, most);
        mean += 1.0 - within;
        if within > 1.0 - 1e-6 {
            break;
        }
    }
    mean
}

/// The probability that none of so many partitions gets more than `most` of the shards.
fn all_within(shards: u32, partitions: u32, most: u32) -> f64 {
    if u64::from(most) * u64::from(partitions) < u64::from(shards) {
        return 0.0;
    }
    // `within[k]`: k shards over the partitions seen so far, none above `most`.
    let mut within: Vec<f64> = (0..=shards).map(|k| if k <= most { 1.0 } else { 0.0 }).collect();
    for seen in 2..=partitions {
        let here = 1.0 / f64::from(seen);
        within = (0..=shards).map(|k| one_more(&within, k, most, here)).collect();
    }
    within.last().copied().unwrap_or(1.0)
}

/// `k` shards, of which each falls on one further partition with probability `here`.
fn one_more(within: &[f64], k: u32, most: u32, here: f64) -> f64 {
    let mut probability = (1.0 - here).powf(f64::from(k));
    let mut sum = 0.0;
    for j in 0..=most.min(k) {
        sum += probability * within.get(k.abs_diff(j) as usize).copied().unwrap_or(0.0);
        probability *= f64::from(k - j) / f64::from(j + 1) * here / (1.0 - here);
    }
    sum
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "what is compared is rounded, or exact")]
mod tests {
    use super::*;

    fn percent(share: f64) -> f64 {
        (share * 1000.0).round() / 10.0
    }

    /// Top key, ten top keys, top 1 %, top 20 % for three sizes, as computed independently by summing every term.
    #[test]
    fn zipf_shares_are_those_of_the_sums() {
        let sizes = [1_000, 10_000, 1_000_000];
        for (s, tops) in [
            (0.8, [6.5, 3.7, 1.3]),
            (0.99, [12.9, 9.8, 6.5]),
            (1.1, [17.9, 15.1, 12.4]),
            (1.5, [39.2, 38.6, 38.3]),
        ] {
            for (keys, top) in sizes.into_iter().zip(tops) {
                assert_eq!(percent(Skew::Zipf(s).top_share(keys, Access::Read)), top, "{s} {keys}");
            }
        }
        let shape = Shape::new(Skew::Zipf(0.99), 1_000_000, Access::Read);
        let direct: f64 = (1..=1_000_000).map(|rank| real(rank).powf(-0.99)).sum();
        assert!((1.0 / direct - shape.share(1)).abs() < 1e-9);
        assert_eq!(percent(shape.cumulative(10)).round(), 19.0);
        assert_eq!(percent(shape.cumulative(10_000)).round(), 66.0);
        assert_eq!(percent(shape.cumulative(200_000)).round(), 88.0);
        assert_eq!(percent(Skew::Zipf(1.1).top_share(50, Access::Read)).round(), 26.0);
    }

    #[test]
    fn shares_of_every_skew_add_up_to_one() {
        let skews = [
            "uniform",
            "zipf:1",
            "zipf:1.1",
            "hot:0.2:0.8",
            "hot:1:0.5",
            "latest",
            "celebrity:0.05",
            "today",
        ];
        for skew in skews.map(|text| Skew::parse(text).unwrap()) {
            for keys in [1, 2, 7, 5_000] {
                for access in [Access::Read, Access::Write] {
                    let shape = Shape::new(skew, keys, access);
                    let sum: f64 = (1..=keys).map(|rank| shape.share(rank)).sum();
                    assert!((sum - 1.0).abs() < 1e-9, "{skew} {keys} {sum}");
                    assert_eq!(shape.share(keys + 1), 0.0);
                }
            }
        }
    }

    #[test]
    fn a_uniform_number_falls_on_ranks_by_their_shares() {
        for skew in
            ["zipf:0.99", "hot:0.2:0.8", "celebrity:0.1", "uniform"].map(|text| Skew::parse(text).unwrap())
        {
            let shape = Shape::new(skew, 10_000, Access::Read);
            let draws = 20_000;
            let first = (0..draws).filter(|at| shape.rank_at(f64::from(*at) / f64::from(draws)) == 1).count();
            let share = real(first as u64) / f64::from(draws);
            assert!((share - shape.share(1)).abs() < 1e-4, "{skew}");
            assert_eq!(shape.rank_at(0.0), 1);
            assert_eq!(shape.rank_at(1.0), 10_000);
        }
    }

    #[test]
    fn tops_of_the_other_skews() {
        let top = |text: &str, access| percent(Skew::parse(text).unwrap().top_share(1_000, access));
        assert_eq!(top("uniform", Access::Write), 0.1);
        assert_eq!(top("hot:0.2:0.8", Access::Write), 0.4);
        assert_eq!(top("celebrity:0.3", Access::Write), 30.0);
        // Zipf's own top key is used more than a celebrity of one per cent.
        assert_eq!(top("celebrity:0.01", Access::Write), 12.8);
        assert_eq!(top("today", Access::Write), 100.0);
        assert_eq!(top("today", Access::Read), 50.0);
    }

    #[test]
    fn skews_print_as_they_are_written() {
        for text in [
            "uniform",
            "zipf:1.1",
            "hot:0.2:0.8",
            "latest:0.99",
            "celebrity:0.05",
            "celebrity:0.05:1.2",
            "today",
        ] {
            assert_eq!(Skew::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Skew::parse("zipf").unwrap(), Skew::Zipf(0.99));
        for wrong in
            ["", "zipf:x", "zipf:9", "hot:0.2", "hot:0:1", "celebrity", "celebrity:2", "today:1", "skewed"]
        {
            assert!(Skew::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shards_leave_head_room() {
        for (writes, shards) in
            [(10.0, 1), (700.0, 1), (2_000.0, 3), (3_500.0, 5), (5_000.0, 8), (20_000.0, 29)]
        {
            assert_eq!(write_shards(writes, 0.0), shards, "{writes}");
        }
        assert_eq!(write_shards(0.0, 6_300.0), 3);
        assert_eq!(write_shards(0.0, 0.0), 1);
    }

    #[test]
    fn scattered_reads_pay_a_step_for_each_shard() {
        let read = scatter_read(10, 6_000.0, false);
        assert_eq!((read.requests, read.units, read.units_unspread), (10, 5.0, 1.0));
        assert_eq!(scatter_read(1, 0.0, true).units, 1.0);
    }

    #[test]
    fn shards_collide_on_partitions() {
        let tenth = |value: f64| (value * 10.0).round() / 10.0;
        for (shards, mean) in [(3, 1.3), (10, 2.7), (20, 4.4), (50, 8.7)] {
            assert_eq!(tenth(heaviest_partition(shards, 10)), mean, "{shards}");
        }
        assert_eq!(heaviest_partition(1, 10), 1.0);
        assert_eq!(heaviest_partition(7, 1), 7.0);
    }
}
