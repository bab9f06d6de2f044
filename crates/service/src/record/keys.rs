//! How many partition keys are used, and which most: in bounded memory.

/// Registers of the count of different keys are 2 to this power: a standard error of 1.04 / 32, about 3 %.
const REGISTER_BITS: u32 = 10;
const REGISTERS: usize = 1 << REGISTER_BITS;
/// Keys whose use is counted.
const TOP: usize = 100;

/// Counts different keys (HyperLogLog) and the most used ones (space-saving), by the hashes of keys.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    registers: Box<[u8; REGISTERS]>,
    hashes: Vec<u64>,
    counts: Vec<u64>,
    /// How much of each count may be another key's.
    errors: Vec<u64>,
    total: u64,
}

/// A key that is used much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TopKey {
    pub(super) hash: u64,
    pub(super) count: u64,
    pub(super) error: u64,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys {
            registers: Box::new([0; REGISTERS]),
            hashes: Vec::new(),
            counts: Vec::new(),
            errors: Vec::new(),
            total: 0,
        }
    }
}

impl Keys {
    /// A key was used.
    pub(super) fn add(&mut self, hash: u64) {
        self.total += 1;
        let spread = spread(hash);
        let register = (spread >> (64 - REGISTER_BITS)) as usize;
        let zeros = (spread << REGISTER_BITS | 1 << (REGISTER_BITS - 1)).leading_zeros() + 1;
        let zeros = u8::try_from(zeros).expect("at most 64 zeros in 64 bits");
        self.registers[register] = self.registers[register].max(zeros);
        self.count(hash, 1, 0);
    }

    fn count(&mut self, hash: u64, count: u64, error: u64) {
        if let Some(at) = self.hashes.iter().position(|known| *known == hash) {
            self.counts[at] += count;
            self.errors[at] += error;
        } else if self.hashes.len() < TOP {
            self.hashes.push(hash);
            self.counts.push(count);
            self.errors.push(error);
        } else {
            let least = self.counts.iter().enumerate().min_by_key(|(_, count)| **count);
            let (at, least) = least.map(|(at, count)| (at, *count)).expect("there are a hundred");
            self.hashes[at] = hash;
            self.counts[at] = least + count;
            self.errors[at] = least + error;
        }
    }

    /// Adds what another has counted.
    pub(super) fn merge(&mut self, other: &Keys) {
        for (mine, theirs) in self.registers.iter_mut().zip(other.registers.iter()) {
            *mine = (*mine).max(*theirs);
        }
        self.total += other.total;
        for top in other.top() {
            self.count(top.hash, top.count, top.error);
        }
    }

    /// Uses of keys.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// About how many different keys.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "an estimate of few digits, never negative"
    )]
    pub(super) fn distinct(&self) -> u64 {
        if self.hashes.len() < TOP {
            return self.hashes.len() as u64;
        }
        let m = REGISTERS as f64;
        let sum: f64 = self.registers.iter().map(|zeros| (-f64::from(*zeros)).exp2()).sum();
        let estimate = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let empty: usize = self.registers.iter().map(|zeros| usize::from(*zeros == 0)).sum();
        if estimate <= 2.5 * m && empty > 0 {
            return (m * (m / empty as f64).ln()).round() as u64;
        }
        estimate.round() as u64
    }

    /// The most used keys, most used first.
    pub(super) fn top(&self) -> Vec<TopKey> {
        let keys = self.hashes.iter().zip(&self.counts).zip(&self.errors);
        let mut keys: Vec<TopKey> =
            keys.map(|((hash, count), error)| TopKey { hash: *hash, count: *count, error: *error }).collect();
        keys.sort_by_key(|key| (std::cmp::Reverse(key.count - key.error), key.hash));
        keys
    }
}

/// The finaliser of splitmix64: registers need bits that are all alike random.
fn spread(hash: u64) -> u64 {
    let mut z = hash.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_keys_are_counted_within_a_tenth() {
        for distinct in [1_u64, 50, 99, 500, 2_000, 20_000, 300_000] {
            let mut keys = Keys::default();
            (0..distinct).for_each(|key| keys.add(spread(key)));
            (0..distinct.min(1000)).for_each(|key| keys.add(spread(key)));
            let found = keys.distinct();
            assert!(found.abs_diff(distinct) * 10 <= distinct, "{found} of {distinct}");
        }
    }

    #[test]
    fn keys_that_are_used_much_are_found_among_many_others() {
        let mut keys = Keys::default();
        for round in 0..10_000_u64 {
            keys.add(spread(1_000_000 + round));
            if round % 4 == 0 {
                keys.add(7);
            }
        }
        let top = keys.top()[0];
        assert_eq!(top.hash, 7);
        assert!(top.count >= 2500 && top.count - top.error <= 2500, "{top:?}");
        assert_eq!(keys.total(), 12_500);
    }

    #[test]
    fn two_counts_become_one() {
        let (mut one, mut other) = (Keys::default(), Keys::default());
        (0..3000).for_each(|key| one.add(spread(key)));
        (2000..6000).for_each(|key| other.add(spread(key)));
        one.merge(&other);
        assert!(one.distinct().abs_diff(6000) < 600, "{}", one.distinct());
    }
}
