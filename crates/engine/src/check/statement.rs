//! ExecuteStatement, BatchExecuteStatement and ExecuteTransaction, checked by themselves: statements are parsed and bound. Which operation a
//! statement is depends on the keys of its table, so that the plan says it.

mod cache;
mod refusal;
mod transaction;

use std::collections::BTreeMap;

use hashrange_api::message::statement as text;
use hashrange_api::{
    BatchExecuteStatementInput, BatchStatementRequest, Error, ExecuteStatementInput, ReturnConsumedCapacity,
    ReturnValuesOnConditionCheckFailure,
};
use hashrange_item::AttributeValue;
use hashrange_language::partiql::{Bound, Verb};

pub(crate) use refusal::{key_problem, statement as statement_error};
pub(crate) use transaction::{CheckedMember, CheckedTransaction, transaction};

/// A checked statement.
#[derive(Debug)]
pub struct CheckedStatement {
    pub(crate) bound: Bound,
    /// As sent: a token belongs to them.
    pub(crate) source: StatementSource,
    pub(crate) token: Option<String>,
    pub(crate) limit: Option<usize>,
    pub(crate) consistent: bool,
    pub(crate) return_on_failure: Option<ReturnValuesOnConditionCheckFailure>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// The text and the parameters of a statement.
#[derive(Debug, Default)]
pub(crate) struct StatementSource {
    pub(crate) text: String,
    pub(crate) parameters: Vec<AttributeValue>,
}

/// A checked BatchExecuteStatement. Each statement fails by itself.
#[derive(Debug)]
pub struct CheckedStatements {
    pub(crate) members: Vec<Result<CheckedStatement, Error>>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// Checks an ExecuteStatement.
pub(crate) fn single(input: ExecuteStatementInput) -> Result<CheckedStatement, Error> {
    let parameters = input.parameters.unwrap_or_default();
    let (_, bound) = bind(&input.statement, &parameters)?;
    Ok(CheckedStatement {
        bound: bound?,
        source: StatementSource { text: input.statement, parameters },
        token: input.next_token,
        limit: input.limit.and_then(|limit| usize::try_from(limit).ok()),
        consistent: input.consistent_read.unwrap_or(false),
        return_on_failure: input.return_values_on_condition_check_failure,
        consumed: input.return_consumed_capacity,
    })
}

/// Checks a BatchExecuteStatement: it reads or it writes. What was refused before, by position, is told of its statement.
pub(crate) fn batch(
    input: BatchExecuteStatementInput,
    mut refused: BTreeMap<usize, Error>,
) -> Result<CheckedStatements, Error> {
    let mut verbs = Vec::with_capacity(input.statements.len());
    let mut members = Vec::with_capacity(input.statements.len());
    for (at, request) in input.statements.into_iter().enumerate() {
        let checked = member(request, &mut verbs);
        members.push(refused.remove(&at).map_or(checked, Err));
    }
    let reads = verbs.iter().filter(|verb| **verb == Verb::Select).count();
    if reads > 0 && reads < verbs.len() {
        return Err(Error::validation(text::mixed_batch()));
    }
    Ok(CheckedStatements { members, consumed: input.return_consumed_capacity })
}

/// Checks a member, and notes what it does where it can be read at all.
fn member(request: BatchStatementRequest, verbs: &mut Vec<Verb>) -> Result<CheckedStatement, Error> {
    let parameters = request.parameters.unwrap_or_default();
    let (verb, bound) = bind(&request.statement, &parameters)?;
    verbs.push(verb);
    Ok(CheckedStatement {
        bound: bound?,
        source: StatementSource::default(),
        token: None,
        limit: None,
        consistent: request.consistent_read.unwrap_or(false),
        return_on_failure: request.return_values_on_condition_check_failure,
        consumed: None,
    })
}

/// The table that a PartiQL statement names, as it spells it. `None` where the text is no statement.
pub fn table_of_statement(statement: &str) -> Option<String> {
    cache::parsed(statement).ok().map(|parsed| parsed.table().to_owned())
}

/// The statement with its parameters in place, and what it does.
fn bind(statement: &str, parameters: &[AttributeValue]) -> Result<(Verb, Result<Bound, Error>), Error> {
    let parsed = cache::parsed(statement).map_err(|error| statement_error(&error))?;
    let bound = parsed.bind(parameters).map_err(|error| statement_error(&error));
    let bound = bound.and_then(|bound| match bound {
        Bound::Exists(_) => Err(Error::validation(text::exists_outside_transaction())),
        bound => Ok(bound),
    });
    Ok((parsed.verb(), bound))
}
