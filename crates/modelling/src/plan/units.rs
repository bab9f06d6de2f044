//! From bytes to units. (Source: AWS developer guide, capacity unit consumption.)

use hashrange_item::limits::{READ_UNIT_BYTES, WRITE_UNIT_BYTES};

use super::float;

/// How a read is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Half a unit for 4 KB.
    Eventual,
    /// A unit.
    Strong,
    /// Two.
    Transaction,
}

impl Reading {
    /// How this plan reads.
    pub fn of(strong: bool, transaction: bool) -> Reading {
        match (strong, transaction) {
            (_, true) => Reading::Transaction,
            (true, false) => Reading::Strong,
            (false, false) => Reading::Eventual,
        }
    }

    /// Units for one step of 4 KB.
    pub fn step(self) -> f64 {
        match self {
            Reading::Eventual => 0.5,
            Reading::Strong => 1.0,
            Reading::Transaction => 2.0,
        }
    }

    /// Read units for so many bytes looked at together; a read of nothing is one step.
    pub fn units(self, bytes: f64) -> f64 {
        steps(bytes, float(READ_UNIT_BYTES)) * self.step()
    }
}

/// Write units for an item or entry of so many bytes.
pub fn write(bytes: f64) -> f64 {
    steps(bytes, float(WRITE_UNIT_BYTES))
}

fn steps(bytes: f64, step: f64) -> f64 {
    (bytes / step).ceil().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_rounded_up_to_steps() {
        for (bytes, eventual, write_units) in [(0.0, 0.5, 1.0), (1024.0, 0.5, 1.0), (4097.0, 1.0, 5.0)] {
            assert!((Reading::Eventual.units(bytes) - eventual).abs() < 1e-9, "{bytes}");
            assert!((write(bytes) - write_units).abs() < 1e-9, "{bytes}");
        }
        assert!((Reading::Strong.units(28_000.0) - 7.0).abs() < 1e-9);
        assert!((Reading::Transaction.units(1.0) - 2.0).abs() < 1e-9);
    }
}
