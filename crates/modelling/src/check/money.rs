//! What rules say of money: list prices on demand, for a month.

use crate::cost::{Prices, Rate};

/// Dollars a month of so many write units per second.
pub(super) fn writes(units: f64) -> f64 {
    per_month(units, Rate::OnDemandWrite)
}

/// Dollars a month of so many read units per second.
pub(super) fn reads(units: f64) -> f64 {
    per_month(units, Rate::OnDemandRead)
}

/// Dollars a month of so many bytes in storage.
pub(super) fn storage(bytes: f64) -> f64 {
    bytes / 1e9 * Prices::built_in().of(Rate::Storage)
}

fn per_month(units: f64, rate: Rate) -> f64 {
    let prices = Prices::built_in();
    units * prices.hours() * 3600.0 * prices.of(rate)
}
