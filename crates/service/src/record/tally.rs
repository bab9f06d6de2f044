//! What was observed of one form of request.

use std::collections::BTreeMap;

use hashrange_api::{ConsumedCapacity, ErrorCode};

use super::keys::Keys;

/// Latency buckets: four for each doubling, from a microsecond to 16 seconds.
const BUCKETS: usize = 96;
/// Tables and indexes whose units are counted apart for one form; a transaction touches a few.
const ARMS_MAX: usize = 64;

/// Counts of one form of request.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) failed: BTreeMap<ErrorCode, u64>,
    pub(super) empty: u64,
    /// Requests of which what follows was taken down.
    pub(super) sampled: u64,
    /// Of those, the ones that were answered: capacity is theirs.
    pub(super) answered: u64,
    latency: [u32; BUCKETS],
    pub(super) latency_max_us: u64,
    pub(super) arms: Vec<Arm>,
    pub(super) units_max: f64,
    pub(super) returned: u64,
    pub(super) examined: u64,
    pub(super) examined_max: u64,
    pub(super) items: u64,
    pub(super) item_bytes: u64,
    pub(super) item_bytes_max: u64,
    pub(super) keys: Keys,
}

/// Units on a table or an index.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The table.
    pub table: String,
    /// The index; `None` is the table itself.
    pub index: Option<String>,
    /// Units of all requests that were taken down.
    pub units: f64,
    /// Most units of one request.
    pub units_max: f64,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            failed: BTreeMap::new(),
            empty: 0,
            sampled: 0,
            answered: 0,
            latency: [0; BUCKETS],
            latency_max_us: 0,
            arms: Vec::new(),
            units_max: 0.0,
            returned: 0,
            examined: 0,
            examined_max: 0,
            items: 0,
            item_bytes: 0,
            item_bytes_max: 0,
            keys: Keys::default(),
        }
    }
}

impl Tally {
    /// A request took that long.
    pub(super) fn took(&mut self, micros: u64) {
        let bucket = &mut self.latency[bucket(micros)];
        *bucket = bucket.saturating_add(1);
        self.latency_max_us = self.latency_max_us.max(micros);
    }

    /// A request consumed that.
    pub(super) fn consumed(&mut self, reports: &[ConsumedCapacity]) {
        let mut total = 0.0;
        for report in reports {
            let Some(table) = &report.table_name else { continue };
            total += report.capacity_units.unwrap_or_default();
            let units = report.table.as_ref().and_then(|table| table.capacity_units).unwrap_or_default();
            self.charge(table, None, units);
            let indexes = [&report.local_secondary_indexes, &report.global_secondary_indexes];
            for (index, capacity) in indexes.into_iter().flatten().flatten() {
                self.charge(table, Some(index), capacity.capacity_units.unwrap_or_default());
            }
        }
        self.units_max = self.units_max.max(total);
    }

    fn arm(&mut self, arm: &Arm) {
        let known = self.arms.iter_mut().find(|known| known.table == arm.table && known.index == arm.index);
        if let Some(known) = known {
            known.units += arm.units;
            known.units_max = known.units_max.max(arm.units_max);
        } else if self.arms.len() < ARMS_MAX {
            self.arms.push(arm.clone());
        }
    }

    /// One request on one table or index: nothing is copied where it is known.
    fn charge(&mut self, table: &str, index: Option<&str>, units: f64) {
        if units == 0.0 {
            return;
        }
        let known = self.arms.iter_mut().find(|arm| arm.table == table && arm.index.as_deref() == index);
        if let Some(arm) = known {
            arm.units += units;
            arm.units_max = arm.units_max.max(units);
        } else {
            let (table, index) = (table.to_owned(), index.map(str::to_owned));
            self.arm(&Arm { table, index, units, units_max: units });
        }
    }

    /// So many items were returned, of so many that were read.
    pub(super) fn found(&mut self, returned: u64, examined: u64) {
        self.returned += returned;
        self.examined += examined;
        self.examined_max = self.examined_max.max(examined);
        self.empty += u64::from(returned == 0);
    }

    /// An item of that many bytes went by.
    pub(super) fn item(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        self.items += 1;
        self.item_bytes += bytes;
        self.item_bytes_max = self.item_bytes_max.max(bytes);
    }

    /// The latency that this share of requests did not exceed, in microseconds; 0 where there was none.
    pub(super) fn latency_us(&self, per_mille: u64) -> u64 {
        let total: u64 = self.latency.iter().map(|count| u64::from(*count)).sum();
        let wanted = (total * per_mille).div_ceil(1000).max(1);
        let mut seen = 0;
        for (at, count) in self.latency.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted {
                return upper(at).min(self.latency_max_us);
            }
        }
        0
    }

    /// Adds what was counted of another form.
    pub(super) fn merge(&mut self, other: &Tally) {
        for (code, count) in &other.failed {
            *self.failed.entry(*code).or_default() += count;
        }
        self.empty += other.empty;
        self.sampled += other.sampled;
        self.answered += other.answered;
        for (mine, theirs) in self.latency.iter_mut().zip(other.latency) {
            *mine = mine.saturating_add(theirs);
        }
        self.latency_max_us = self.latency_max_us.max(other.latency_max_us);
        other.arms.iter().for_each(|arm| self.arm(arm));
        self.units_max = self.units_max.max(other.units_max);
        self.returned += other.returned;
        self.examined += other.examined;
        self.examined_max = self.examined_max.max(other.examined_max);
        self.items += other.items;
        self.item_bytes += other.item_bytes;
        self.item_bytes_max = self.item_bytes_max.max(other.item_bytes_max);
        self.keys.merge(&other.keys);
    }
}

/// Four buckets for each doubling.
fn bucket(micros: u64) -> usize {
    let micros = micros.max(1);
    let power = micros.ilog2();
    let quarter = if power < 2 { 0 } else { (micros >> (power - 2)) & 3 };
    let bucket = u64::from(power) * 4 + quarter;
    usize::try_from(bucket).unwrap_or(BUCKETS).min(BUCKETS - 1)
}

/// The first number of microseconds that is beyond the bucket.
fn upper(bucket: usize) -> u64 {
    let (power, quarter) = (bucket as u64 / 4, bucket as u64 % 4);
    ((1 << power) * (5 + quarter)).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_lies_in_its_bucket() {
        for micros in [1_u64, 2, 3, 4, 5, 7, 8, 100, 999, 1000, 65_535, 1_000_000, 15_000_000] {
            let upper = upper(bucket(micros));
            assert!(upper >= micros && upper <= micros * 2, "{micros}: {upper}");
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_within_a_quarter() {
        let mut tally = Tally::default();
        (1..=1000).for_each(|micros| tally.took(micros));
        assert!((500..=640).contains(&tally.latency_us(500)), "{}", tally.latency_us(500));
        assert!((990..=1000).contains(&tally.latency_us(990)), "{}", tally.latency_us(990));
    }
}
