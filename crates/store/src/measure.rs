//! Histograms that cost two atomic additions to record into: what engines and edges tell about themselves.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How values are spread over ranges with fixed upper bounds. Recording takes no lock and no memory.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    bounds: &'static [u64; N],
    counts: [AtomicU64; N],
    /// Values above the last bound.
    above: AtomicU64,
    sum: AtomicU64,
}

/// A histogram at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Upper bounds, each with the number of values up to it.
    pub up_to: Vec<(u64, u64)>,
    /// The number of all values.
    pub count: u64,
    /// Their sum.
    pub sum: u64,
}

impl<const N: usize> Histogram<N> {
    /// An empty histogram with these upper bounds, which rise and belong to their ranges.
    pub fn new(bounds: &'static [u64; N]) -> Histogram<N> {
        debug_assert!(bounds.is_sorted(), "bounds rise");
        let counts = std::array::from_fn(|_| AtomicU64::new(0));
        Histogram { bounds, counts, above: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }

    /// Adds one value.
    pub fn record(&self, value: u64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        self.counts.get(place).unwrap_or(&self.above).fetch_add(1, Relaxed);
        self.sum.fetch_add(value, Relaxed);
    }

    /// The number of values recorded.
    pub fn count(&self) -> u64 {
        self.counts.iter().chain([&self.above]).map(|count| count.load(Relaxed)).sum()
    }

    /// The state now. Values that are being recorded meanwhile may be in one part of it and not in another.
    pub fn read(&self) -> Distribution {
        let mut count = 0;
        let mut up_to = Vec::with_capacity(N);
        for (bound, own) in self.bounds.iter().zip(&self.counts) {
            count += own.load(Relaxed);
            up_to.push((*bound, count));
        }
        count += self.above.load(Relaxed);
        Distribution { up_to, count, sum: self.sum.load(Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_belongs_to_the_first_range_that_reaches_up_to_it() {
        let histogram = Histogram::new(&[1, 10, 100]);
        for value in [0, 1, 2, 10, 11, 100, 101, 5000] {
            histogram.record(value);
        }
        let read = histogram.read();
        assert_eq!(read.up_to, [(1, 2), (10, 4), (100, 6)]);
        assert_eq!((read.count, read.sum), (8, 5225));
        assert_eq!(histogram.count(), 8);
    }
}
