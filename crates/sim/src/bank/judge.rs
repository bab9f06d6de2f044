//! Judges what clients of the bank were told.

use super::model::{Ask, Bank, Move, Rules, Told, steps};
use crate::history::Call;
use crate::linear::{self, Verdict};

/// What came of a judgement.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// What is wrong, if anything is.
    pub failure: Option<String>,
    /// The history was too tangled to be decided upon.
    pub undecided: bool,
    /// Transactions that were carried out.
    pub done: usize,
    /// Transactions that were cancelled because a condition did not hold.
    pub refused: usize,
    /// Calls that met somebody.
    pub conflicts: usize,
}

/// Judges the calls, all of which began after the bank was `initial`.
pub fn judge(initial: &Bank, calls: &[Call<Move>]) -> Judgement {
    let mut judgement = Judgement { failure: unfounded(calls), ..Judgement::default() };
    for call in calls {
        match (&*call.touches.ask, &call.touches.told) {
            (Ask::Transact { .. }, Some(Told::Done(_))) => judgement.done += 1,
            (_, Some(Told::Refused { conflicts, .. })) if !conflicts.is_empty() => judgement.conflicts += 1,
            (Ask::Transact { .. }, Some(Told::Refused { .. })) => judgement.refused += 1,
            _ => {}
        }
    }
    match linear::check(&Rules, initial.clone(), &steps(calls)) {
        Verdict::Linearisable => {}
        Verdict::Undecided => judgement.undecided = true,
        Verdict::Violated(why) => judgement.failure = Some(why),
    }
    judgement
}

/// A call that was told of somebody where nobody was.
fn unfounded(calls: &[Call<Move>]) -> Option<String> {
    let alone = calls.iter().find(|call| !is_founded(call, calls))?;
    Some(format!("client {} was told of somebody else, and there was nobody: {alone:?}", alone.client))
}

fn is_founded(call: &Call<Move>, calls: &[Call<Move>]) -> bool {
    let ask = &call.touches.ask;
    match &call.touches.told {
        Some(Told::InProgress) => {
            calls.iter().any(|other| meet(call, other) && other.touches.ask.token() == ask.token())
        }
        Some(Told::Refused { conflicts, .. }) => {
            let accounts = ask.accounts();
            conflicts.iter().all(|at| calls.iter().any(|other| could_hinder(call, other, accounts[*at])))
        }
        _ => true,
    }
}

/// Whether a call could be in another one's way at this account. One of two that meet in a conflict is a transaction.
fn could_hinder(call: &Call<Move>, other: &Call<Move>, account: usize) -> bool {
    let transacts = |call: &Call<Move>| matches!(*call.touches.ask, Ask::Transact { .. });
    let writes = transacts(other) || matches!(*other.touches.ask, Ask::Write(_));
    let kinds = transacts(other) || (writes && !matches!(*call.touches.ask, Ask::Write(_)));
    kinds && meet(call, other) && other.touches.ask.accounts().contains(&account)
}

/// Whether two calls were under way at one time. One that was never answered may have left something behind.
fn meet(call: &Call<Move>, other: &Call<Move>) -> bool {
    let end = |call: &Call<Move>| {
        let (until, answered) = call.until();
        if answered { until } else { u64::MAX }
    };
    !std::ptr::eq(call, other) && other.from < end(call) && call.from < end(other)
}

#[cfg(test)]
mod tests;
