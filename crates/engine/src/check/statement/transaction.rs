//! ExecuteTransaction, checked by itself: its statements are parsed and bound, and either all read or all write.

use std::sync::Arc;

use hashrange_api::message::{self, statement as text};
use hashrange_api::{
    Error, ExecuteTransactionInput, ParameterizedStatement, ReturnConsumedCapacity,
    ReturnValuesOnConditionCheckFailure,
};
use hashrange_item::{AttributeValue, Attributes, limits};
use hashrange_language::partiql::{Bound, Statement, StatementError, Verb};

use super::{cache, statement_error};
use crate::transact::{ClientToken, Fingerprint};

/// A checked ExecuteTransaction.
#[derive(Debug)]
pub struct CheckedTransaction {
    pub(crate) members: Vec<CheckedMember>,
    /// Whether it reads; else it writes and checks.
    pub(crate) reads: bool,
    /// That of a transaction that writes: reads are done again.
    pub(crate) token: Option<ClientToken>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// A statement of a transaction.
#[derive(Debug)]
pub(crate) struct CheckedMember {
    pub(crate) bound: Bound,
    pub(crate) return_on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

/// Checks an ExecuteTransaction. What is wrong with a statement by itself refuses the whole.
pub(crate) fn transaction(input: ExecuteTransactionInput) -> Result<CheckedTransaction, Error> {
    let statements = input.transact_statements;
    let mut parsed = Vec::with_capacity(statements.len());
    for (at, statement) in statements.iter().enumerate() {
        parsed.push(cache::parsed(&statement.statement).map_err(|error| fault(at, &error))?);
    }
    let reads = all_read(&parsed)?;
    let token = input.client_request_token.filter(|_| !reads);
    let token = token.map(|token| fingerprint(&statements).token(token));
    if statements.iter().map(payload).sum::<usize>() > limits::TRANSACTION_SIZE_MAX {
        return Err(Error::validation(message::transaction::too_large()));
    }
    let mut members = Vec::with_capacity(statements.len());
    for (at, (statement, parsed)) in statements.into_iter().zip(parsed).enumerate() {
        let parameters = statement.parameters.unwrap_or_default();
        members.push(CheckedMember {
            bound: parsed.bind(&parameters).map_err(|error| fault(at, &error))?,
            return_on_failure: statement.return_values_on_condition_check_failure,
        });
    }
    Ok(CheckedTransaction { members, reads, token, consumed: input.return_consumed_capacity })
}

/// Whether all statements read; none does where they write. EXISTS stands among writes.
fn all_read(statements: &[Arc<Statement>]) -> Result<bool, Error> {
    let reads = statements.iter().filter(|statement| statement.verb() == Verb::Select).count();
    if reads > 0 && reads < statements.len() {
        return Err(Error::validation(text::mixed_transaction()));
    }
    Ok(reads > 0)
}

fn fault(at: usize, error: &StatementError) -> Error {
    let text = statement_error(error).message.unwrap_or_default();
    Error::validation(text::in_transaction(at, &text))
}

/// What a repetition must have in common with the first request.
fn fingerprint(statements: &[ParameterizedStatement]) -> Fingerprint {
    let mut fingerprint = Fingerprint::new();
    for statement in statements {
        fingerprint.text(Some(&statement.statement));
        let parameters = AttributeValue::L(statement.parameters.clone().unwrap_or_default());
        fingerprint.attributes(Some(&Attributes::from([("", parameters)])));
    }
    fingerprint
}

/// What a statement adds to the size of the request, in bytes.
fn payload(statement: &ParameterizedStatement) -> usize {
    statement.parameters.iter().flatten().map(AttributeValue::size).sum()
}
