//! Billing modes and the sorts of throughput that go with them.

use hashrange_api::message::tables as text;
use hashrange_api::message::tables::Owner;
use hashrange_api::{
    BillingMode, CreateTableInput, Error, GlobalSecondaryIndex, OnDemandThroughput, ProvisionedThroughput,
    WarmThroughput,
};

use super::refuse;
use crate::catalog::quota::ON_DEMAND_INITIAL;

/// The names of the two on-demand maxima.
pub(super) const MAXIMA: [&str; 2] = ["MaxReadRequestUnits", "MaxWriteRequestUnits"];

/// Checks that billing mode and throughput of a new table go together.
pub(super) fn create(input: &CreateTableInput) -> Result<(), Error> {
    match (mode(input), &input.provisioned_throughput) {
        (BillingMode::PayPerRequest, Some(_)) => refuse(text::throughput_on_demand()),
        (BillingMode::Provisioned, None) => refuse(text::throughput_missing()),
        _ => Ok(()),
    }
}

/// Checks throughput of the indexes, on-demand maxima and warm throughput of a new table.
pub(super) fn create_details(input: &CreateTableInput) -> Result<(), Error> {
    let mode = mode(input);
    let indexes = input.global_secondary_indexes.as_deref().unwrap_or_default();
    indexes.iter().try_for_each(|index| index_of_new_table(index, mode))?;
    maxima_of_new(Owner::Table, input.on_demand_throughput.as_ref(), mode)?;
    for index in indexes {
        let owner = Owner::Index(&index.index_name);
        maxima_of_new(owner, index.on_demand_throughput.as_ref(), mode)?;
        warm_of_new(owner, index.warm_throughput.as_ref(), index.provisioned_throughput.as_ref())?;
    }
    warm_of_new(Owner::Table, input.warm_throughput.as_ref(), input.provisioned_throughput.as_ref())
}

/// Without a word on it, a new table is provisioned.
fn mode(input: &CreateTableInput) -> BillingMode {
    input.billing_mode.unwrap_or(BillingMode::Provisioned)
}

fn index_of_new_table(index: &GlobalSecondaryIndex, mode: BillingMode) -> Result<(), Error> {
    match (mode, &index.provisioned_throughput) {
        (BillingMode::PayPerRequest, Some(_)) => {
            refuse(text::throughput_of_index_on_demand(&index.index_name))
        }
        (BillingMode::Provisioned, None) => refuse(text::throughput_not_specified(&index.index_name)),
        _ => Ok(()),
    }
}

fn maxima_of_new(
    owner: Owner<'_>,
    maxima: Option<&OnDemandThroughput>,
    mode: BillingMode,
) -> Result<(), Error> {
    for (name, value) in named_maxima(maxima) {
        if mode == BillingMode::Provisioned {
            return refuse(text::maximum_on_provisioned(owner, name));
        }
        if value < 1 {
            return refuse(text::maximum_out_of_range(owner, name));
        }
    }
    Ok(())
}

/// The maxima that are given, reads first.
pub(super) fn named_maxima(maxima: Option<&OnDemandThroughput>) -> impl Iterator<Item = (&'static str, i64)> {
    let values =
        maxima.map_or([None; 2], |maxima| [maxima.max_read_request_units, maxima.max_write_request_units]);
    MAXIMA.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?)))
}

/// Warm throughput starts at what is provisioned, or at what on-demand tables start with.
fn warm_of_new(
    owner: Owner<'_>,
    warm: Option<&WarmThroughput>,
    provisioned: Option<&ProvisionedThroughput>,
) -> Result<(), Error> {
    let Some(warm) = warm else { return Ok(()) };
    let initial = (units(ON_DEMAND_INITIAL.0), units(ON_DEMAND_INITIAL.1));
    let floor = provisioned.map_or(initial, |units| (units.read_capacity_units, units.write_capacity_units));
    let sides = [
        ("ReadUnitsPerSecond", "ReadCapacityUnits", warm.read_units_per_second, floor.0),
        ("WriteUnitsPerSecond", "WriteCapacityUnits", warm.write_units_per_second, floor.1),
    ];
    for (name, provisioned_name, value, floor) in sides {
        if value.is_some_and(|value| value < floor) {
            return refuse(if provisioned.is_some() {
                text::warm_below_provisioned(owner, name, provisioned_name)
            } else {
                text::warm_below_initial(owner, name)
            });
        }
    }
    Ok(())
}

fn units(value: u64) -> i64 {
    i64::try_from(value).expect("initial throughput is small")
}
