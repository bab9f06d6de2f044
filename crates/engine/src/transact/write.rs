//! TransactWriteItems: one commit, or none and the reasons why.

use std::collections::BTreeMap;

use hashrange_api::{
    ConsumedCapacity, Error, ItemCollectionMetrics, Operation, ReturnItemCollectionMetrics,
    ReturnValuesOnConditionCheckFailure, TransactWriteItemsOutput,
};

use super::cancel::{self, Reason};
use super::plan::{self, PlannedAction, TransactWritePlan};
use super::token::Known;
use crate::answer::collection_metrics;
use crate::capacity::{Charge, Traffic, Units};
use crate::catalog::Scope;
use crate::core::Core;
use crate::plan::Image;
use crate::statement::in_own_words;
use crate::write::{Effects, Lost, Mutation, Refusal, write_all};

/// Runs a transaction of writes.
pub(crate) async fn write(
    core: &Core,
    scope: &Scope,
    mut plan: TransactWritePlan,
) -> Result<TransactWriteItemsOutput, Error> {
    let operation = plan.operation;
    let in_flight =
        plan.token.as_ref().map(|token| core.tokens.begin(scope, operation, token)).transpose()?;
    loop {
        let known = match &in_flight {
            Some(token) => Some((token, token.look(core).await?)),
            None => None,
        };
        let free = match known {
            Some((_, Known::Used(sizes))) => return Ok(repeated(core, &plan, &sizes)),
            Some((token, Known::Free(before))) => Some((token, before)),
            None => None,
        };
        cancel::if_throttled(core, plan.actions.iter().map(|action| &*action.table), Traffic::Write)?;
        let items = plan.actions.iter().map(|action| &action.key.address);
        let claim = core.claims.claim(items).map_err(|taken| conflict(&plan, taken))?;
        let mutations: Vec<Mutation<'_>> = plan.actions.iter().map(PlannedAction::mutation).collect();
        let more =
            |effects: &[Effects]| free.as_ref().map(|(token, before)| token.part(core, before, effects));
        let outcome = write_all(core, &mutations, plan.limit.as_deref(), more).await?;
        drop(claim);
        match outcome {
            Ok(effects) => return Ok(done(core, &plan, &effects)),
            Err(Lost::Refused(refusals)) => {
                if !refusals.iter().any(|(_, refusal)| matches!(refusal, Refusal::Throttled(_))) {
                    charge_preparation(core, &plan);
                }
                return Err(refused(&plan, refusals));
            }
            Err(Lost::Conflict(at)) => return Err(conflict(&plan, vec![at])),
            Err(Lost::Stale) => plan::again(core, &mut plan)?,
            Err(Lost::Other) => {}
        }
    }
}

fn conflict(plan: &TransactWritePlan, taken: Vec<usize>) -> Error {
    let reasons = taken.into_iter().map(|at| (at, Reason::conflict()));
    cancel::cancelled(plan.actions.len(), reasons.collect())
}

/// A transaction that is cancelled has been prepared, which is half of what it costs. (Source: guide.)
fn charge_preparation(core: &Core, plan: &TransactWritePlan) {
    for action in &plan.actions {
        let least = action.image.as_ref().map_or(Units::write(0), Image::least_units);
        core.charge(&action.table, &Charge::table(least), Traffic::Write);
    }
}

fn refused(plan: &TransactWritePlan, refusals: Vec<(usize, Refusal)>) -> Error {
    let mut reasons = Vec::with_capacity(refusals.len());
    let is_statement = plan.operation == Operation::ExecuteTransaction;
    for (at, refusal) in refusals {
        match reason(&plan.actions[at], refusal, is_statement) {
            Ok(reason) => reasons.push((at, reason)),
            Err(error) => return error,
        }
    }
    cancel::cancelled(plan.actions.len(), reasons)
}

fn reason(action: &PlannedAction, refusal: Refusal, is_statement: bool) -> Result<Reason, Error> {
    let all_old = action.return_on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld);
    let is_insert = is_statement && matches!(action.image, Some(Image::Put(_)));
    Ok(match refusal {
        Refusal::Condition(_) if is_insert => Reason::duplicate(),
        Refusal::Condition(item) => Reason::condition(item.filter(|_| all_old)),
        Refusal::Invalid(error) if is_statement => Reason::of_error(in_own_words(error))?,
        Refusal::Invalid(error) | Refusal::Throttled(error) => Reason::of_error(error)?,
        Refusal::Stale | Refusal::Conflict => Reason::conflict(),
    })
}

fn done(core: &Core, plan: &TransactWritePlan, effects: &[Effects]) -> TransactWriteItemsOutput {
    let mut charges: BTreeMap<&str, Charge> = BTreeMap::new();
    for (action, effects) in plan.actions.iter().zip(effects) {
        let charge = effects.charge.in_transaction();
        core.charge(&action.table, &charge, Traffic::Write);
        charges.entry(&action.table_name).or_default().add(&charge);
    }
    TransactWriteItemsOutput {
        consumed_capacity: consumed(plan, &charges, Traffic::Write),
        item_collection_metrics: metrics(plan, effects),
    }
}

/// The answer to a transaction that was done before: it reads the items as they were then.
fn repeated(core: &Core, plan: &TransactWritePlan, sizes: &[usize]) -> TransactWriteItemsOutput {
    let mut charges: BTreeMap<&str, Charge> = BTreeMap::new();
    for (action, size) in plan.actions.iter().zip(sizes) {
        let charge = Charge::table(Units::read(*size, true)).in_transaction();
        core.charge(&action.table, &charge, Traffic::Read);
        charges.entry(&action.table_name).or_default().add(&charge);
    }
    TransactWriteItemsOutput {
        consumed_capacity: consumed(plan, &charges, Traffic::Read),
        item_collection_metrics: None,
    }
}

fn consumed(
    plan: &TransactWritePlan,
    charges: &BTreeMap<&str, Charge>,
    traffic: Traffic,
) -> Option<Vec<ConsumedCapacity>> {
    let reports = charges.iter().filter_map(|(name, charge)| charge.report_as(name, plan.consumed, traffic));
    let reports: Vec<_> = reports.collect();
    (!reports.is_empty()).then_some(reports)
}

/// The sizes of the collections that were written to, by table; each once.
fn metrics(
    plan: &TransactWritePlan,
    effects: &[Effects],
) -> Option<BTreeMap<String, Vec<ItemCollectionMetrics>>> {
    if plan.collection_metrics != Some(ReturnItemCollectionMetrics::Size) {
        return None;
    }
    let mut metrics: BTreeMap<String, BTreeMap<_, ItemCollectionMetrics>> = BTreeMap::new();
    for (action, effects) in plan.actions.iter().zip(effects) {
        let Some(size) = effects.collection else { continue };
        let metric = collection_metrics(&action.table, &action.key, size);
        let collections = metrics.entry(action.table_name.clone()).or_default();
        collections.insert(action.key.address.partition.clone(), metric);
    }
    let metrics = metrics.into_iter().map(|(table, metrics)| (table, metrics.into_values().collect()));
    let metrics: BTreeMap<_, _> = metrics.collect();
    (!metrics.is_empty()).then_some(metrics)
}
