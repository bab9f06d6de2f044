//! Allowances of tables that are no sizes: how often what may change. Sizes and counts are in `hashrange_item::limits`.

use super::calendar::{DAY_MS, HOUR_MS};

/// What an on-demand table serves from the start: reads, then writes per second. Guide, "On-demand capacity mode".
pub(super) const ON_DEMAND_INITIAL: (u64, u64) = (12_000, 4_000);

/// Shortest time between decreases of throughput once the free ones of a day are used. Measured: exactly an hour.
pub(super) const DECREASE_INTERVAL_MS: u64 = HOUR_MS;

/// Window in which changes to on-demand are counted. Guide, "Considerations when switching capacity modes".
pub(super) const SWITCH_WINDOW_MS: u64 = DAY_MS;

/// Changes of the table class in [`CLASS_WINDOW_MS`]. Guide; measured.
pub(super) const CLASS_CHANGES_MAX: usize = 2;
/// Window in which changes of the table class are counted: 30 days.
pub(super) const CLASS_WINDOW_MS: u64 = 30 * DAY_MS;

/// Changes of encryption in [`ENCRYPTION_WINDOW_MS`] that need no pause between them. Measured.
pub(super) const ENCRYPTION_CHANGES_MAX: usize = 4;
/// Window in which changes of encryption are counted.
pub(super) const ENCRYPTION_WINDOW_MS: u64 = DAY_MS;
/// Shortest time between changes of encryption once the free ones are used.
pub(super) const ENCRYPTION_INTERVAL_MS: u64 = 6 * HOUR_MS;

/// Shortest time between changes of time to live. Measured: refused 30 minutes after, accepted after 31; the guide says
/// up to an hour.
pub(super) const EXPIRY_INTERVAL_MS: u64 = HOUR_MS / 2;
