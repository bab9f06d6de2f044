//! Where a page ends: one rule for every engine.

use crate::PageLimit;

/// Counts the rows and bytes of a page that is being filled.
#[derive(Clone, Copy, Debug)]
pub struct PageBudget {
    rows_left: usize,
    bytes_left: usize,
}

impl PageBudget {
    /// An empty page with this limit; a limit of zero is taken as one.
    pub fn new(limit: PageLimit) -> PageBudget {
        PageBudget { rows_left: limit.rows.max(1), bytes_left: limit.bytes.max(1) }
    }

    /// Counts a row whose value has this many bytes; true if the page ends after it.
    pub fn ends_after(&mut self, value_bytes: usize) -> bool {
        self.rows_left = self.rows_left.saturating_sub(1);
        self.bytes_left = self.bytes_left.saturating_sub(value_bytes);
        self.rows_left == 0 || self.bytes_left == 0
    }
}
