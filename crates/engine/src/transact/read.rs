//! TransactGetItems: many items as they were at one instant.

use std::collections::BTreeMap;

use hashrange_api::{Error, ItemResponse, TransactGetItemsOutput, message};
use hashrange_item::{Image, Row, limits};
use hashrange_store::{Address, Found, Freshness, Outcome};

use super::cancel::{self, Reason};
use super::plan::{PlannedGet, TransactGetPlan};
use crate::capacity::{Charge, Traffic, Units};
use crate::check::internal;
use crate::core::Core;
use crate::write::{expecting, stored_row};

/// How often the items may change while they are read before the transaction gives up.
const READINGS_MAX: u32 = 8;

/// Runs a transaction of reads.
pub(crate) async fn get(core: &Core, plan: &TransactGetPlan) -> Result<TransactGetItemsOutput, Error> {
    cancel::if_throttled(core, plan.gets.iter().map(|get| &*get.table), Traffic::Read)?;
    let found = snapshot(core, plan).await?;
    let rows: Vec<_> = found.iter().map(stored_row).collect::<Result<_, _>>()?;
    if rows.iter().flatten().map(Row::item_size).sum::<usize>() > limits::TRANSACTION_SIZE_MAX {
        return Err(Error::validation(message::transaction::too_large()));
    }
    let mut charges: BTreeMap<&str, Charge> = BTreeMap::new();
    for (get, row) in plan.gets.iter().zip(&rows) {
        let size = row.as_ref().map_or(0, Row::item_size);
        let charge = Charge::table(Units::read(size, true)).in_transaction();
        core.charge(&get.table, &charge, Traffic::Read);
        charges.entry(&get.table_name).or_default().add(&charge);
    }
    let reports = charges.iter();
    let reports = reports.filter_map(|(name, charge)| charge.report_as(name, plan.consumed, Traffic::Read));
    let reports: Vec<_> = reports.collect();
    let responses = plan.gets.iter().zip(rows).map(|(get, row)| ItemResponse { item: shown(get, row) });
    Ok(TransactGetItemsOutput {
        consumed_capacity: (!reports.is_empty()).then_some(reports),
        responses: Some(responses.collect()),
    })
}

/// An item as its projection shows it; nothing where that is empty.
fn shown(get: &PlannedGet, row: Option<Row>) -> Option<Image> {
    let row = row?;
    match &get.projection {
        None => Some(Image::Row(row)),
        Some(projection) => {
            let item = projection.project(&row);
            (!item.is_empty()).then_some(Image::Tree(item))
        }
    }
}

/// The items as they all were at one instant: they are read, and then the store is asked, by a commit that expects all of
/// them and changes nothing, whether they still are as they were read and beyond the reach of a crash.
async fn snapshot(core: &Core, plan: &TransactGetPlan) -> Result<Vec<Found>, Error> {
    let addresses: Vec<Address> = plan.gets.iter().map(|get| get.key.address.clone()).collect();
    let mut changed = 0;
    for _ in 0..READINGS_MAX {
        let claimed: Vec<usize> =
            (0..addresses.len()).filter(|at| core.claims.holds(&addresses[*at])).collect();
        if !claimed.is_empty() {
            return Err(conflict(plan, claimed));
        }
        let found = core.store.get_many(&addresses, Freshness::Newest).await.map_err(internal)?;
        if let [one] = &found[..]
            && one.durable
        {
            return Ok(found);
        }
        let expected =
            addresses.iter().zip(&found).map(|(address, found)| expecting(address, found)).collect();
        match core.store.commit(core.commit_id(), expected).await.map_err(internal)? {
            Outcome::Applied => return Ok(found),
            Outcome::Refused { row, .. } => {
                changed = addresses.iter().position(|address| *address == row).unwrap_or(0);
            }
            Outcome::Unknown => return Err(internal("the outcome of a commit is unknown")),
        }
    }
    Err(conflict(plan, vec![changed]))
}

fn conflict(plan: &TransactGetPlan, taken: Vec<usize>) -> Error {
    let reasons = taken.into_iter().map(|at| (at, Reason::conflict())).collect();
    cancel::cancelled(plan.gets.len(), reasons)
}
