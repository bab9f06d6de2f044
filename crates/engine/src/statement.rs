//! Statements are run as the operations that they are, and answered in their own shape.

mod token;

use std::collections::BTreeMap;

use futures_util::future::join_all;
use hashrange_api::message::statement as text;
use hashrange_api::{
    BatchExecuteStatementOutput, BatchStatementError, BatchStatementErrorCodeEnum as Code,
    BatchStatementResponse, Details, Error, ErrorCode, ExecuteStatementOutput, ExecuteTransactionOutput,
    message,
};
use hashrange_item::{Attributes, Image, Row, limits};
use hashrange_language::partiql::Returning;

use crate::answer::{self, Failed};
use crate::budget;
use crate::capacity::{Charge, Gate};
use crate::catalog::Scope;
use crate::check::internal;
use crate::core::Core;
use crate::plan::{self, RangePlan, StatementPlan, StatementRun, StatementsPlan, TransactionPlan, WriteSet};
use crate::read;
use crate::transact;
use crate::write::Effects;

pub(crate) use token::Position;

/// What a statement did.
#[derive(Default)]
struct Done {
    items: Vec<Image>,
    charge: Charge,
    /// Where it stopped before its end, and the key of the last item there.
    stop: Option<Position>,
    last: Option<Attributes>,
}

/// Runs an ExecuteStatement.
pub(crate) async fn run(core: &Core, plan: StatementPlan) -> Result<ExecuteStatementOutput, Error> {
    let done = perform(core, plan.run, plan.returning).await.map_err(|failed| failed.error)?;
    Ok(ExecuteStatementOutput {
        consumed_capacity: done.charge.report(&plan.table_name, plan.consumed),
        items: Some(done.items),
        last_evaluated_key: done.last,
        next_token: done.stop.map(|stop| stop.token(&plan.source)),
    })
}

/// Runs a BatchExecuteStatement: each statement by itself.
pub(crate) async fn run_batch(
    core: &Core,
    mut plan: StatementsPlan,
) -> Result<BatchExecuteStatementOutput, Error> {
    budget::weigh_statements(core, &mut plan).await?;
    let mut charges: BTreeMap<String, Charge> = BTreeMap::new();
    let mut responses = Vec::with_capacity(plan.members.len());
    let mut gate = Gate::new(core);
    let members = plan.members.into_iter().map(|member| {
        let admitted = member.as_ref().map_or(Ok(()), |member| gate.admit_run(&member.run));
        answer(core, member, admitted)
    });
    for (response, charge) in join_all(members.collect::<Vec<_>>()).await {
        if let (Some(table), Some(charge)) = (&response.table_name, charge) {
            charges.entry(table.clone()).or_default().add(&charge);
        }
        responses.push(response);
    }
    let consumed: Vec<_> =
        charges.iter().filter_map(|(table, charge)| charge.report(table, plan.consumed)).collect();
    Ok(BatchExecuteStatementOutput {
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
        responses: Some(responses),
    })
}

/// Runs an ExecuteTransaction. Writes answer nothing (as DynamoDB local).
pub(crate) async fn run_transaction(
    core: &Core,
    scope: &Scope,
    plan: TransactionPlan,
) -> Result<ExecuteTransactionOutput, Error> {
    Ok(match plan {
        TransactionPlan::Reads(plan) => {
            let done = transact::get(core, &plan).await?;
            let (consumed_capacity, responses) = (done.consumed_capacity, done.responses);
            ExecuteTransactionOutput { consumed_capacity, responses }
        }
        TransactionPlan::Writes(plan) => {
            let consumed_capacity = transact::write(core, scope, plan).await?.consumed_capacity;
            ExecuteTransactionOutput { consumed_capacity, responses: Some(Vec::new()) }
        }
    })
}

/// The answer to one statement of a batch, and what it consumed if it was run.
async fn answer(
    core: &Core,
    member: Result<StatementPlan, Error>,
    admitted: Result<(), Error>,
) -> (BatchStatementResponse, Option<Charge>) {
    let mut response = BatchStatementResponse::default();
    let plan = match member {
        Ok(plan) => plan,
        Err(error) => {
            response.error = Some(in_batch(error));
            return (response, None);
        }
    };
    response.table_name = Some(plan.table_name);
    if let Err(error) = admitted {
        response.error = Some(in_batch(error));
        return (response, None);
    }
    let charge = match perform(core, plan.run, plan.returning).await {
        Ok(done) => {
            response.item = done.items.into_iter().next();
            done.charge
        }
        Err(failed) => {
            response.error = Some(in_batch(failed.error));
            failed.charge
        }
    };
    (response, Some(charge))
}

/// An error as a batch tells it of one statement.
fn in_batch(error: Error) -> BatchStatementError {
    let code = match error.code {
        ErrorCode::ConditionalCheckFailedException => Code::ConditionalCheckFailed,
        ErrorCode::ItemCollectionSizeLimitExceededException => Code::ItemCollectionSizeLimitExceeded,
        ErrorCode::RequestLimitExceeded => Code::RequestLimitExceeded,
        ErrorCode::ProvisionedThroughputExceededException => Code::ProvisionedThroughputExceeded,
        ErrorCode::TransactionConflictException => Code::TransactionConflict,
        ErrorCode::ThrottlingException => Code::ThrottlingError,
        ErrorCode::InternalServerError => Code::InternalServerError,
        ErrorCode::ResourceNotFoundException => Code::ResourceNotFound,
        ErrorCode::AccessDeniedException => Code::AccessDenied,
        ErrorCode::DuplicateItemException => Code::DuplicateItem,
        _ => Code::ValidationError,
    };
    let item = match error.details {
        Details::Item(item) => Some(item),
        _ => None,
    };
    BatchStatementError { code: Some(code), item, message: error.message }
}

async fn perform(core: &Core, run: StatementRun, returning: Option<Returning>) -> Result<Done, Failed> {
    match run {
        StatementRun::Lookup(plan) => {
            let (item, charge) = read::look_up(core, &plan).await?;
            Ok(Done { items: item.into_iter().collect(), charge, ..Done::default() })
        }
        StatementRun::Write(plan) => write(core, *plan, returning).await,
        StatementRun::Ranges { first, ranges } => read_ranges(core, first, ranges).await,
        StatementRun::Sweep(plan) => {
            let page = read::sweep(core, &plan).await?;
            let stop = page.last.clone().map(|start| Position { read: 0, start: Some(start) });
            Ok(Done { items: page.items, charge: page.charge, stop, last: page.last })
        }
    }
}

/// Reads one range after the other, until the limit, a megabyte or the end.
async fn read_ranges(core: &Core, first: usize, mut ranges: Vec<RangePlan>) -> Result<Done, Failed> {
    let mut done = Done::default();
    let mut bytes = 0;
    let mut left = ranges.first().and_then(|range| range.reading.limit);
    let count = ranges.len();
    for (at, range) in ranges.iter_mut().enumerate().skip(first) {
        range.reading.limit = left;
        let page = read::range(core, range).await?;
        done.items.extend(page.items);
        done.charge.add(&page.charge);
        bytes += page.bytes;
        left = left.map(|left| left.saturating_sub(page.scanned));
        if page.last.is_some() {
            done.stop = Some(Position { read: at, start: page.last.clone() });
            done.last = page.last;
            break;
        }
        if bytes >= limits::PAGE_SIZE_MAX && at + 1 < count {
            done.stop = Some(Position { read: at + 1, start: None });
            break;
        }
    }
    Ok(done)
}

async fn write(core: &Core, mut plan: WriteSet, returning: Option<Returning>) -> Result<Done, Failed> {
    let effects = answer::perform(core, &mut plan).await.map_err(|failed| failure(&plan, failed))?;
    let charge = effects.charge.clone();
    let item = returned(&plan, effects, returning)?;
    Ok(Done { items: item.into_iter().collect(), charge, ..Done::default() })
}

/// What RETURNING asks for. MODIFIED looks at the targets in the image that it names, wherever they came to lie.
fn returned(plan: &WriteSet, effects: Effects, returning: Option<Returning>) -> Result<Option<Image>, Error> {
    let (image, whole) = match returning {
        None => return Ok(None),
        Some(Returning::AllOld) => (effects.old, true),
        Some(Returning::AllNew) => (effects.new, true),
        Some(Returning::ModifiedOld) => (effects.old, false),
        Some(Returning::ModifiedNew) => (effects.new, false),
    };
    let (plan::Image::Update(update), false) = (&plan.image, whole) else { return Ok(image.map(Image::Row)) };
    let image = image.as_ref().map(Row::decode).transpose().map_err(internal)?;
    let part = update.touched(image.as_ref());
    Ok((!part.is_empty()).then_some(Image::Tree(part)))
}

/// The failure of a write as statements tell it.
fn failure(plan: &WriteSet, failed: Failed) -> Failed {
    let is_insert = matches!(plan.image, plan::Image::Put(_));
    let error = match failed.error.code {
        ErrorCode::ConditionalCheckFailedException if is_insert => {
            Error::new(ErrorCode::DuplicateItemException, text::duplicate_item())
        }
        _ => in_own_words(failed.error),
    };
    Failed { error, ..failed }
}

/// An error of an operation in the words that statements have for it.
pub(crate) fn in_own_words(error: Error) -> Error {
    if error.message.as_deref() == Some(message::value::too_deep().as_str()) {
        return Error::validation(text::too_deep());
    }
    error
}
