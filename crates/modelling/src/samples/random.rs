//! Random numbers that follow from names: the same seed and names give the same numbers, whatever is drawn elsewhere.

/// A stream of random numbers (SplitMix64: Steele, Lea and Flood, 2014), not for secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The stream of that name under this one's seed; drawing from this one does not change it.
    #[must_use]
    pub fn named(&self, name: &str) -> Random {
        // FNV-1a over the name; the stream's own steps mix the result.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut random = Random { state: self.state ^ hash.rotate_left(17) };
        Random { state: random.draw() }
    }

    /// The stream of that number under this one's seed.
    #[must_use]
    pub fn numbered(&self, number: usize) -> Random {
        let mut random = Random { state: self.state ^ (number as u64).wrapping_mul(0xd6e8_feb8_6659_fd93) };
        Random { state: random.draw() }
    }

    /// 64 random bits.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: u64) -> u64 {
        assert!(end > 0, "there is no number below zero");
        // The bias for ranges far below 2^64 is beyond notice.
        self.draw() % end
    }

    /// A number from 0 up to, not including, 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn share(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of these, as often as its weight says; evenly where weights are missing or no use.
    pub fn pick<'t, T>(&mut self, of: &'t [T], weights: &[f64]) -> Option<&'t T> {
        let sum: f64 = weights.iter().filter(|weight| **weight > 0.0).sum();
        if of.is_empty() || weights.len() != of.len() || !(sum > 0.0 && sum.is_finite()) {
            let end = of.len().max(1) as u64;
            return usize::try_from(self.below(end)).ok().and_then(|at| of.get(at));
        }
        let mut left = self.share() * sum;
        for (value, weight) in of.iter().zip(weights) {
            left -= weight.max(0.0);
            if left < 0.0 {
                return Some(value);
            }
        }
        of.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_tell_streams_apart() {
        let seed = Random::new(7);
        let mut first =
            [seed.named("a"), seed.named("b"), seed.numbered(0), seed.numbered(1)].map(|mut one| one.draw());
        first.sort_unstable();
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{first:?}");
        assert_eq!(seed.named("a"), Random::new(7).named("a"));
    }

    #[test]
    fn picks_follow_their_weights() {
        let mut random = Random::new(1);
        let picks = (0..1000).filter(|_| random.pick(&["rare", "often"], &[1.0, 9.0]) == Some(&"often"));
        let often = picks.count();
        assert!((850..950).contains(&often), "{often}");
        assert_eq!(random.pick::<u8>(&[], &[]), None);
    }
}
