//! Consumed capacity: what DynamoDB would bill for the work that was done.
//!
//! Reads count 4 KB units, halved where eventually consistent; writes count 1 KB units of the larger of the old and
//! the new image, on the table and on every index whose entry changed. (Sources: the developer guide's capacity
//! arithmetic; index arms as measured on AWS.) Where a server throttles, [`admit`] lets requests in and
//! [`Core::charge`](crate::core::Core::charge) takes what they consumed.

mod bucket;
mod throttle;

use std::collections::BTreeMap;

use hashrange_api::{Capacity, ConsumedCapacity, ReturnConsumedCapacity};
use hashrange_item::limits;

pub(crate) use bucket::Rate;
pub(crate) use throttle::{Ceiling, Gate, Meters, admit, is_of_index};

/// Capacity in half units, so that eventually consistent reads stay exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Units {
    halves: u64,
}

impl Units {
    /// Nothing.
    pub(crate) const ZERO: Units = Units { halves: 0 };

    /// Whole units.
    pub(crate) fn whole(units: u64) -> Units {
        Units { halves: units * 2 }
    }

    /// Units for reading `bytes` in one rounding; at least one unit, or half of one where eventually consistent.
    pub(crate) fn read(bytes: usize, consistent: bool) -> Units {
        let units = blocks(bytes, limits::READ_UNIT_BYTES);
        Units { halves: if consistent { units * 2 } else { units } }
    }

    /// Units for writing `bytes`; at least one.
    pub(crate) fn write(bytes: usize) -> Units {
        Units::whole(blocks(bytes, limits::WRITE_UNIT_BYTES))
    }

    /// What the same costs in a transaction: it is prepared, then done.
    fn in_transaction(self) -> Units {
        Units { halves: self.halves * 2 }
    }

    /// As DynamoDB prints it.
    #[expect(clippy::cast_precision_loss, reason = "capacity stays far below 2^52 half units")]
    pub(crate) fn as_f64(self) -> f64 {
        self.halves as f64 / 2.0
    }
}

impl std::ops::Add for Units {
    type Output = Units;

    fn add(self, other: Units) -> Units {
        Units { halves: self.halves + other.halves }
    }
}

impl std::ops::AddAssign for Units {
    fn add_assign(&mut self, other: Units) {
        self.halves += other.halves;
    }
}

fn blocks(bytes: usize, block: usize) -> u64 {
    bytes.div_ceil(block).max(1) as u64
}

/// Which units were consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Traffic {
    /// Read units.
    Read,
    /// Write units.
    Write,
}

/// What one request consumed on one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charge {
    /// On the table itself.
    pub(crate) table: Units,
    /// On local indexes, by name; only those that were touched.
    pub(crate) locals: BTreeMap<String, Units>,
    /// On global indexes, by name; only those that were touched.
    pub(crate) globals: BTreeMap<String, Units>,
}

impl Charge {
    /// A charge on the table alone.
    pub(crate) fn table(units: Units) -> Charge {
        Charge { table: units, ..Charge::default() }
    }

    /// Everything together.
    pub(crate) fn total(&self) -> Units {
        let indexes = self.locals.values().chain(self.globals.values());
        indexes.fold(self.table, |sum, units| sum + *units)
    }

    /// Adds another charge on the same table.
    pub(crate) fn add(&mut self, other: &Charge) {
        self.table += other.table;
        merge(&mut self.locals, &other.locals);
        merge(&mut self.globals, &other.globals);
    }

    /// What the same costs in a transaction: twice as much on the table, and no more on its indexes.
    pub(crate) fn in_transaction(&self) -> Charge {
        Charge { table: self.table.in_transaction(), ..self.clone() }
    }

    /// [`report`](Self::report) of a transaction, which says whether it read or wrote.
    pub(crate) fn report_as(
        &self,
        table_name: &str,
        wanted: Option<ReturnConsumedCapacity>,
        traffic: Traffic,
    ) -> Option<ConsumedCapacity> {
        let mut report = self.report(table_name, wanted)?;
        let set = |units: Option<f64>, read: &mut Option<f64>, write: &mut Option<f64>| match traffic {
            Traffic::Read => *read = units,
            Traffic::Write => *write = units,
        };
        set(report.capacity_units, &mut report.read_capacity_units, &mut report.write_capacity_units);
        if let Some(table) = &mut report.table {
            set(table.capacity_units, &mut table.read_capacity_units, &mut table.write_capacity_units);
        }
        Some(report)
    }

    /// The answer's `ConsumedCapacity`, where the request asked for one. `table_name` is echoed as the request spelt it.
    pub(crate) fn report(
        &self,
        table_name: &str,
        wanted: Option<ReturnConsumedCapacity>,
    ) -> Option<ConsumedCapacity> {
        let detailed = match wanted {
            None | Some(ReturnConsumedCapacity::None) => return None,
            Some(ReturnConsumedCapacity::Total) => false,
            Some(ReturnConsumedCapacity::Indexes) => true,
        };
        let mut report = ConsumedCapacity {
            table_name: Some(table_name.to_owned()),
            capacity_units: Some(self.total().as_f64()),
            ..ConsumedCapacity::default()
        };
        if detailed {
            report.table = Some(capacity(self.table));
            report.local_secondary_indexes = arms(&self.locals);
            report.global_secondary_indexes = arms(&self.globals);
        }
        Some(report)
    }
}

fn merge(into: &mut BTreeMap<String, Units>, from: &BTreeMap<String, Units>) {
    for (name, units) in from {
        *into.entry(name.clone()).or_default() += *units;
    }
}

fn capacity(units: Units) -> Capacity {
    Capacity { capacity_units: Some(units.as_f64()), ..Capacity::default() }
}

fn arms(units: &BTreeMap<String, Units>) -> Option<BTreeMap<String, Capacity>> {
    let arms: BTreeMap<_, _> = units.iter().map(|(name, units)| (name.clone(), capacity(*units))).collect();
    (!arms.is_empty()).then_some(arms)
}

/// Units of an index for one write: `old` and `new` are the sizes of its entry before and after, `moved` says that the
/// entry's key changed, `changed` that anything in it did.
pub(crate) fn index_write(old: Option<usize>, new: Option<usize>, moved: bool, changed: bool) -> Units {
    match (old, new) {
        (None, Some(size)) | (Some(size), None) => Units::write(size),
        (Some(old), Some(new)) if moved => Units::write(old) + Units::write(new),
        (Some(old), Some(new)) if changed => Units::write(old.max(new)),
        (None, None) | (Some(_), Some(_)) => Units::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_counts_four_kilobyte_blocks_and_halves_them_when_eventually_consistent() {
        assert_eq!(Units::read(0, true).halves, 2);
        assert_eq!(Units::read(0, false).halves, 1);
        assert_eq!(Units::read(4096, true).halves, 2);
        assert_eq!(Units::read(4097, true).halves, 4);
        assert_eq!(Units::read(9000, false).halves, 3);
    }

    #[test]
    fn a_write_counts_one_kilobyte_blocks_and_at_least_one() {
        assert_eq!(Units::write(0).halves, 2);
        assert_eq!(Units::write(1024).halves, 2);
        assert_eq!(Units::write(1025).halves, 4);
    }

    #[test]
    fn an_index_is_charged_for_both_entries_when_the_key_moves_and_not_at_all_when_nothing_changes() {
        assert_eq!(index_write(Some(1500), Some(10), true, true).halves, 6);
        assert_eq!(index_write(Some(1500), Some(10), false, true).halves, 4);
        assert_eq!(index_write(Some(1500), Some(1500), false, false).halves, 0);
        assert_eq!(index_write(None, None, false, false).halves, 0);
    }
}
