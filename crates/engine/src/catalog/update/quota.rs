//! How much throughput a table, an index, an account may have, and how often it may shrink.

use hashrange_api::message::tables as text;
use hashrange_api::message::tables::Owner;
use hashrange_api::{CreateTableInput, Error, OnDemandThroughput, WarmThroughput};
use hashrange_item::limits;

use super::Site;
use crate::catalog::calendar::{self, DAY_MS};
use crate::catalog::create::{provisioned, unsigned};
use crate::catalog::quota::DECREASE_INTERVAL_MS;
use crate::catalog::row::{TableRow, ThroughputRow, Units};

/// Checks the throughput of a new table and its indexes.
pub(in crate::catalog) fn new_table(
    reserved: &Units,
    input: &CreateTableInput,
    region: &str,
) -> Result<(), Error> {
    let units = provisioned(input.provisioned_throughput.as_ref());
    per_table(Owner::Table, units, region)?;
    maxima(Owner::Table, input.on_demand_throughput.as_ref(), region)?;
    warm(Owner::Table, input.warm_throughput.as_ref(), region)?;
    let mut asked = units;
    for index in input.global_secondary_indexes.iter().flatten() {
        let owner = Owner::Index(&index.index_name);
        let units = provisioned(index.provisioned_throughput.as_ref());
        per_table(owner, units, region)?;
        maxima(owner, index.on_demand_throughput.as_ref(), region)?;
        warm(owner, index.warm_throughput.as_ref(), region)?;
        asked = Units { read: asked.read + units.read, write: asked.write + units.write };
    }
    per_account(*reserved, asked, region)
}

/// Checks the account's throughput with the changed table.
pub(super) fn account(reserved: &Units, row: &TableRow, site: Site<'_>) -> Result<(), Error> {
    per_account(*reserved, row.reserved(), &site.scope.region)
}

fn per_account(reserved: Units, asked: Units, region: &str) -> Result<(), Error> {
    let sides = [
        ("ReadCapacityUnits", reserved.read, asked.read, limits::ACCOUNT_READ_UNITS_MAX),
        ("WriteCapacityUnits", reserved.write, asked.write, limits::ACCOUNT_WRITE_UNITS_MAX),
    ];
    match sides.into_iter().find(|(_, reserved, asked, most)| *asked > 0 && reserved + asked > *most) {
        Some((units, reserved, asked, most)) => {
            let text = text::account_throughput_exceeded(units, region, reserved, most, asked);
            Err(Error::limit_exceeded(text))
        }
        None => Ok(()),
    }
}

/// Checks what one table or index may have.
pub(super) fn per_table(owner: Owner<'_>, units: Units, region: &str) -> Result<(), Error> {
    let sides = [
        ("ReadCapacityUnits", units.read, limits::TABLE_READ_UNITS_MAX),
        ("WriteCapacityUnits", units.write, limits::TABLE_WRITE_UNITS_MAX),
    ];
    match sides.into_iter().find(|(_, value, most)| value > most) {
        Some((units, value, most)) => {
            Err(Error::limit_exceeded(text::throughput_above_maximum(owner, units, value, region, most)))
        }
        None => Ok(()),
    }
}

/// Checks on-demand maxima.
pub(super) fn maxima(
    owner: Owner<'_>,
    asked: Option<&OnDemandThroughput>,
    region: &str,
) -> Result<(), Error> {
    let asked =
        asked.map_or([None; 2], |asked| [asked.max_read_request_units, asked.max_write_request_units]);
    match above_quota(["MaxReadRequestUnits", "MaxWriteRequestUnits"], asked) {
        Some((units, quota)) => {
            Err(Error::limit_exceeded(text::maximum_above_quota(owner, units, quota, region)))
        }
        None => Ok(()),
    }
}

/// Checks warm throughput.
pub(super) fn warm(owner: Owner<'_>, asked: Option<&WarmThroughput>, region: &str) -> Result<(), Error> {
    let asked = asked.map_or([None; 2], |asked| [asked.read_units_per_second, asked.write_units_per_second]);
    match above_quota(["ReadUnitsPerSecond", "WriteUnitsPerSecond"], asked) {
        Some((units, quota)) => {
            Err(Error::limit_exceeded(text::warm_above_quota(owner, units, quota, region)))
        }
        None => Ok(()),
    }
}

/// The first value above what a table may have: its name, and the quota's.
fn above_quota(names: [&'static str; 2], asked: [Option<i64>; 2]) -> Option<(&'static str, &'static str)> {
    let quotas = [
        ("TableMaxReadCapacityUnits", limits::TABLE_READ_UNITS_MAX),
        ("TableMaxWriteCapacityUnits", limits::TABLE_WRITE_UNITS_MAX),
    ];
    let sides = names.into_iter().zip(asked).zip(quotas);
    let above =
        sides.filter_map(|((name, asked), (quota, most))| (unsigned(asked?) > most).then_some((name, quota)));
    { above }.next()
}

/// Takes over new units, and counts and limits decreases: four a day (UTC), then one an hour.
pub(super) fn change(throughput: &mut ThroughputRow, units: Units, now_ms: u64) -> Result<(), Error> {
    let before = throughput.units;
    if units.read < before.read || units.write < before.write {
        let today = throughput.decreases_on(now_ms);
        check_decrease(throughput, today, now_ms)?;
        throughput.decreases = today + 1;
        throughput.decreased_ms = Some(now_ms);
    }
    if units.read > before.read || units.write > before.write {
        throughput.increased_ms = Some(now_ms);
    }
    throughput.units = units;
    throughput.before = Some(before);
    throughput.changed_ms = Some(now_ms);
    Ok(())
}

fn check_decrease(throughput: &ThroughputRow, today: u32, now_ms: u64) -> Result<(), Error> {
    let Some(last) = throughput.decreased_ms.filter(|_| today >= limits::DECREASES_IN_FIRST_HOUR_MAX) else {
        return Ok(());
    };
    let tomorrow = (last / DAY_MS + 1) * DAY_MS;
    let next = tomorrow.min(last + DECREASE_INTERVAL_MS);
    if now_ms >= next {
        return Ok(());
    }
    let text = text::too_many_decreases(today, &calendar::long(last), &calendar::long(next));
    Err(Error::limit_exceeded(text))
}
