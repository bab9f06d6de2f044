//! From what a write did to what the client asked to be told.

use hashrange_api::{
    DeleteItemOutput, Details, Error, ErrorCode, ItemCollectionMetrics, PutItemOutput, Response,
    ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure, UpdateItemOutput, message,
};
use hashrange_item::{Attributes, Image, Row};

use crate::capacity::{Charge, Traffic, Units};
use crate::catalog::Table;
use crate::check::internal;
use crate::core::Core;
use crate::key::ItemKey;
use crate::plan::{self, WriteSet};
use crate::write::{self, Effects, Refusal};

/// A write that failed: what is answered, and what it consumed all the same.
pub(crate) struct Failed {
    pub(crate) error: Error,
    pub(crate) charge: Charge,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed { error, charge: Charge::default() }
    }
}

/// Runs a single write and shapes its answer.
pub(crate) async fn run_write(core: &Core, mut plan: WriteSet) -> Result<Response, Error> {
    let effects = perform(core, &mut plan).await.map_err(|failed| failed.error)?;
    respond(&plan, effects)
}

/// Carries out a single write.
pub(crate) async fn perform(core: &Core, plan: &mut WriteSet) -> Result<Effects, Failed> {
    loop {
        match write::write(core, &plan.mutation()).await? {
            Ok(effects) => return Ok(effects),
            Err(Refusal::Invalid(error) | Refusal::Throttled(error)) => return Err(error.into()),
            Err(Refusal::Conflict) => return Err(Refusal::conflict().into()),
            Err(Refusal::Condition(item)) => {
                let failed = condition_failed(plan, item);
                core.charge(&plan.table, &failed.charge, Traffic::Write);
                return Err(failed);
            }
            Err(Refusal::Stale) => plan.table = plan::again(core, &plan.table, &plan.image)?,
        }
    }
}

/// A condition that fails costs as much as the write would have.
fn condition_failed(plan: &WriteSet, item: Option<Row>) -> Failed {
    let attempted = match &plan.image {
        plan::Image::Put(row) => row.item_size(),
        plan::Image::Update(_) | plan::Image::Delete => 0,
    };
    let size = item.as_ref().map_or(0, Row::item_size).max(attempted);
    Failed { error: condition_error(plan, item), charge: Charge::table(Units::write(size)) }
}

fn condition_error(plan: &WriteSet, item: Option<Row>) -> Error {
    let error = Error::new(ErrorCode::ConditionalCheckFailedException, message::item::condition_failed());
    match (plan.write.return_on_failure, item) {
        (Some(ReturnValuesOnConditionCheckFailure::AllOld), Some(item)) => {
            error.with(Details::Item(Image::Row(item)))
        }
        _ => error,
    }
}

fn respond(plan: &WriteSet, effects: Effects) -> Result<Response, Error> {
    let write = &plan.write;
    let consumed_capacity = effects.charge.report(&write.table_name, write.consumed);
    let item_collection_metrics = metrics(plan, &effects);
    let attributes = returned(plan, effects)?;
    Ok(match plan.image {
        plan::Image::Put(_) => {
            let output = PutItemOutput { attributes, consumed_capacity, item_collection_metrics };
            Response::PutItem(Box::new(output))
        }
        plan::Image::Update(_) => {
            let output = UpdateItemOutput { attributes, consumed_capacity, item_collection_metrics };
            Response::UpdateItem(Box::new(output))
        }
        plan::Image::Delete => {
            let output = DeleteItemOutput { attributes, consumed_capacity, item_collection_metrics };
            Response::DeleteItem(Box::new(output))
        }
    })
}

/// The attributes that `ReturnValues` asks for; nothing where there are none.
fn returned(plan: &WriteSet, effects: Effects) -> Result<Option<Image>, Error> {
    let wanted = plan.write.return_values.unwrap_or(ReturnValue::None);
    match wanted {
        ReturnValue::None => Ok(None),
        ReturnValue::AllOld => Ok(effects.old.map(Image::Row)),
        ReturnValue::AllNew => Ok(effects.new.map(Image::Row)),
        ReturnValue::UpdatedOld => touched_old(plan, effects.old.as_ref()),
        ReturnValue::UpdatedNew => touched_new(plan, effects.new.as_ref()),
    }
}

/// The leaves that an update touched, as they stood before it.
fn touched_old(plan: &WriteSet, old: Option<&Row>) -> Result<Option<Image>, Error> {
    let plan::Image::Update(update) = &plan.image else { return Ok(None) };
    let old = old.map(Row::decode).transpose().map_err(internal)?;
    Ok(fragment(update.touched(old.as_ref())))
}

/// The leaves that an update left, as they stand after it.
fn touched_new(plan: &WriteSet, new: Option<&Row>) -> Result<Option<Image>, Error> {
    let (plan::Image::Update(update), Some(new)) = (&plan.image, new) else { return Ok(None) };
    Ok(fragment(update.touched_new(&new.decode().map_err(internal)?)))
}

fn fragment(attributes: Attributes) -> Option<Image> {
    (!attributes.is_empty()).then_some(Image::Tree(attributes))
}

/// One gigabyte, the step of the size estimate.
const GIGABYTE: u64 = 1 << 30;

fn metrics(plan: &WriteSet, effects: &Effects) -> Option<ItemCollectionMetrics> {
    let wanted = plan.write.collection_metrics == Some(ReturnItemCollectionMetrics::Size);
    let size = effects.collection.filter(|_| wanted)?;
    Some(collection_metrics(&plan.table, &plan.key, size))
}

/// The size of an item collection, as an estimate one gigabyte wide.
pub(crate) fn collection_metrics(table: &Table, key: &ItemKey, size: u64) -> ItemCollectionMetrics {
    let mut collection = Attributes::new();
    collection.insert(table.schema.key.hash.name.clone(), key.hash.clone());
    #[expect(clippy::cast_precision_loss, reason = "whole gigabytes, far below 2^52")]
    let low = (size / GIGABYTE) as f64;
    ItemCollectionMetrics {
        item_collection_key: Some(collection),
        size_estimate_range_gb: Some(vec![low, low + 1.0]),
    }
}
