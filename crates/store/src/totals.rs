//! The row that holds a running total.

use bytes::Bytes;

use crate::{Stamp, Stored};

/// A running total as read at [`Address::tally`](crate::Address::tally).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of rows.
    pub rows: i64,
    /// Number of bytes.
    pub bytes: i64,
}

impl Totals {
    /// Reads the value of a tally row; `None` where it is not 16 bytes long.
    pub fn decode(value: &[u8]) -> Option<Totals> {
        let (rows, bytes) = value.split_first_chunk::<8>()?;
        let bytes: [u8; 8] = bytes.try_into().ok()?;
        Some(Totals { rows: i64::from_be_bytes(*rows), bytes: i64::from_be_bytes(bytes) })
    }

    /// The row: its value, and stamp 0, because totals have no versions.
    pub fn to_row(self) -> Stored {
        let value = [self.rows.to_be_bytes(), self.bytes.to_be_bytes()].concat();
        Stored { stamp: Stamp(0), value: Bytes::from(value) }
    }

    /// The total after a change.
    #[must_use]
    pub fn plus(self, rows: i64, bytes: i64) -> Totals {
        Totals { rows: self.rows.wrapping_add(rows), bytes: self.bytes.wrapping_add(bytes) }
    }
}
