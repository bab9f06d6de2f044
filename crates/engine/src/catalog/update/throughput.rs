//! Billing mode and provisioned throughput of the table.

use hashrange_api::message::tables as text;
use hashrange_api::message::tables::Owner;
use hashrange_api::{BillingMode, Error, UpdateTableInput};
use hashrange_item::limits;

use super::{Echo, Site, quota};
use crate::catalog::create::provisioned;
use crate::catalog::quota::{ON_DEMAND_INITIAL, SWITCH_WINDOW_MS};
use crate::catalog::row::{OnDemandRow, TableRow, ThroughputRow, Units, Updating, UpdatingRow, WarmRow};
use crate::catalog::state::IndexPhase;

pub(super) fn apply(
    input: &UpdateTableInput,
    row: &mut TableRow,
    echo: &mut Echo,
    site: Site<'_>,
) -> Result<(), Error> {
    let asked = input.provisioned_throughput.as_ref();
    let units = provisioned(asked);
    quota::per_table(Owner::Table, units, &site.scope.region)?;
    let going_on = match (row.billing.mode, input.billing_mode, asked) {
        (BillingMode::PayPerRequest, None, Some(_)) => {
            return Err(Error::validation(text::throughput_on_demand()));
        }
        (BillingMode::PayPerRequest, Some(BillingMode::Provisioned), _) => {
            to_provisioned(input, row, units, site)?;
            Some(Updating::Billing)
        }
        (BillingMode::Provisioned, Some(BillingMode::PayPerRequest), _) => {
            to_on_demand(row, site.moment.now_ms)?;
            Some(Updating::Billing)
        }
        (BillingMode::Provisioned, _, Some(_)) => {
            change(row, units, site)?;
            Some(Updating::Throughput)
        }
        _ => None,
    };
    if let Some(what) = going_on {
        row.updating = Some(UpdatingRow { what, since_ms: site.moment.now_ms });
    }
    // A mode that is already the table's changes nothing, but the answer says UPDATING all the same.
    echo.updating |= going_on.is_some() || input.billing_mode.is_some();
    Ok(())
}

fn change(row: &mut TableRow, units: Units, site: Site<'_>) -> Result<(), Error> {
    let now = row.throughput.units;
    if units == now {
        let text = text::throughput_unchanged(Owner::Table, (now.read, now.write));
        return Err(Error::validation(text));
    }
    quota::change(&mut row.throughput, units, site.moment.now_ms)?;
    raise(&mut row.warm, units);
    Ok(())
}

/// Every index needs throughput of its own in the same request; on-demand maxima are dropped.
fn to_provisioned(
    input: &UpdateTableInput,
    row: &mut TableRow,
    units: Units,
    site: Site<'_>,
) -> Result<(), Error> {
    let updates = input.global_secondary_index_updates.as_deref().unwrap_or_default();
    let given = |index: &str| {
        updates
            .iter()
            .filter_map(|update| update.update.as_ref())
            .any(|update| update.index_name == index && update.provisioned_throughput.is_some())
    };
    let stays = |(_, phase): &(_, IndexPhase)| *phase != IndexPhase::Deleting;
    if let Some((index, _)) = row.phases(site.moment).filter(stays).find(|(index, _)| !given(&index.name)) {
        return Err(Error::validation(text::throughput_missing_for_index(&index.name)));
    }
    row.billing.mode = BillingMode::Provisioned;
    start(&mut row.throughput, units);
    raise(&mut row.warm, units);
    row.on_demand = OnDemandRow::default();
    row.globals.iter_mut().for_each(|index| index.on_demand = OnDemandRow::default());
    Ok(())
}

/// Up to four times a day; provisioned throughput is dropped.
fn to_on_demand(row: &mut TableRow, now_ms: u64) -> Result<(), Error> {
    let switches = &mut row.billing.switches_ms;
    switches.retain(|at| now_ms.saturating_sub(*at) < SWITCH_WINDOW_MS);
    let most = limits::SWITCHES_TO_ON_DEMAND_PER_DAY_MAX;
    if u32::try_from(switches.len()).is_ok_and(|count| count >= most) {
        return Err(Error::limit_exceeded(text::too_many_switches(most)));
    }
    switches.push(now_ms);
    row.billing.mode = BillingMode::PayPerRequest;
    row.billing.on_demand_ms = Some(now_ms);
    let initial = Units { read: ON_DEMAND_INITIAL.0, write: ON_DEMAND_INITIAL.1 };
    start(&mut row.throughput, Units::default());
    raise(&mut row.warm, initial);
    for index in &mut row.globals {
        start(&mut index.throughput, Units::default());
        raise(&mut index.warm, initial);
    }
    Ok(())
}

/// Units of a new billing mode: they show at once, and are neither an increase nor a decrease.
pub(super) fn start(throughput: &mut ThroughputRow, units: Units) {
    throughput.units = units;
    throughput.before = None;
}

/// Warm throughput follows what is provisioned, upwards only.
pub(super) fn raise(warm: &mut WarmRow, units: Units) {
    warm.units.read = warm.units.read.max(units.read);
    warm.units.write = warm.units.write.max(units.write);
}
