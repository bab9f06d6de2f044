//! Reading items.

mod page;

use hashrange_api::{Error, GetItemOutput};
use hashrange_item::{Image, Row};
use hashrange_store::Freshness;

use crate::capacity::{Charge, Traffic, Units};
use crate::check::internal;
use crate::core::Core;
use crate::plan::KeyLookup;
use crate::write::stored_row;

pub(crate) use page::{query, range, scan, sweep};

/// Reads one item by its key.
pub(crate) async fn get(core: &Core, plan: &KeyLookup) -> Result<GetItemOutput, Error> {
    let (item, charge) = look_up(core, plan).await?;
    Ok(GetItemOutput { consumed_capacity: charge.report(&plan.get.table_name, plan.get.consumed), item })
}

/// The item of a key, projected, and what reading it costs.
pub(crate) async fn look_up(core: &Core, plan: &KeyLookup) -> Result<(Option<Image>, Charge), Error> {
    let get = &plan.get;
    let freshness = if get.consistent { Freshness::Strong } else { Freshness::Any };
    let found = core.store.get(&plan.key.address, freshness).await.map_err(internal)?;
    let row = stored_row(&found)?;
    let size = row.as_ref().map_or(0, Row::item_size);
    let charge = Charge::table(Units::read(size, get.consistent));
    core.charge(&plan.table, &charge, Traffic::Read);
    let item = row.map(|row| match &get.projection {
        None => Image::Row(row),
        Some(projection) => Image::Tree(projection.project(&row)),
    });
    Ok((item, charge))
}
