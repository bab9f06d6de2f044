//! What is kept of a request for the counts and for its line in the log: never what items hold.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{ErrorCode, Operation, Request, TransactWriteItem};
use hashrange_env::Clock;
use hashrange_service::{Caller, Metrics, table_of_statement};
use hyper::Method;

/// Longest name or ARN of a table.
const RESOURCE_NAME_MAX: usize = 1024;

/// One request. Names and ids are only kept where a line is going to be logged.
#[derive(Debug)]
pub(super) struct Record {
    /// The operation that its head names.
    pub(super) operation: Option<Operation>,
    /// When its body had arrived.
    pub(super) begun: Option<Duration>,
    /// How the operation ended; nothing where it was refused before, or asked for a page.
    pub(super) outcome: Option<Result<(), ErrorCode>>,
    /// The text of an error, where it may be logged.
    pub(super) text: Option<String>,
    is_logged: bool,
    table: Option<String>,
    access_key: Option<Arc<str>>,
}

impl Record {
    pub(super) fn new() -> Record {
        Record {
            operation: None,
            begun: None,
            outcome: None,
            text: None,
            is_logged: tracing::enabled!(tracing::Level::DEBUG),
            table: None,
            access_key: None,
        }
    }

    /// Who it came from is known.
    pub(super) fn caller(&mut self, caller: &Caller) {
        if self.is_logged {
            self.access_key.clone_from(&caller.access_key);
        }
    }

    /// What it asks for is known.
    pub(super) fn request(&mut self, request: &Request) {
        if self.is_logged {
            self.table = tables(request);
        }
    }

    /// It was answered with that status.
    pub(super) fn end(
        self,
        metrics: &Metrics,
        clock: &dyn Clock,
        status: u16,
        (method, request_id): (&Method, &str),
    ) {
        let took = self.begun.map_or(Duration::ZERO, |begun| clock.monotonic().saturating_sub(begun));
        match self.outcome {
            Some(outcome) => metrics.answered(self.operation, outcome, took),
            None if status >= 400 => metrics.refused(status),
            None => {}
        }
        if self.is_logged {
            let code = self.outcome.and_then(Result::err).map(ErrorCode::name);
            tracing::debug!(
                request_id,
                %method,
                operation = self.operation.map(Operation::name),
                table = self.table,
                status,
                code,
                text = self.text,
                duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
                access_key = self.access_key.as_deref(),
                "answered"
            );
        }
    }
}

/// The names of the tables that a request names, with commas between them.
fn tables(request: &Request) -> Option<String> {
    let names: BTreeSet<Cow<'_, str>> = match request {
        Request::BatchGetItem(input) => input.request_items.keys().map(Cow::from).collect(),
        Request::BatchWriteItem(input) => input.request_items.keys().map(Cow::from).collect(),
        Request::TransactGetItems(input) => {
            input.transact_items.iter().map(|item| Cow::from(&item.get.table_name)).collect()
        }
        Request::TransactWriteItems(input) => {
            input.transact_items.iter().filter_map(written).map(Cow::from).collect()
        }
        Request::ExecuteStatement(input) => stated(&input.statement).into_iter().collect(),
        Request::BatchExecuteStatement(input) => {
            input.statements.iter().filter_map(|member| stated(&member.statement)).collect()
        }
        Request::ExecuteTransaction(input) => {
            input.transact_statements.iter().filter_map(|member| stated(&member.statement)).collect()
        }
        other => return other.table_name().map(str::to_owned),
    };
    (!names.is_empty()).then(|| Vec::from_iter(names).join(","))
}

/// The table that a statement names. What cannot be a table's name or ARN is not logged: it may be anything.
fn stated(statement: &str) -> Option<Cow<'_, str>> {
    let name = table_of_statement(statement)?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-:/".contains(&byte);
    (name.len() <= RESOURCE_NAME_MAX && name.bytes().all(is_name)).then_some(Cow::from(name))
}

fn written(item: &TransactWriteItem) -> Option<&str> {
    let put = item.put.as_ref().map(|put| put.table_name.as_str());
    let update = item.update.as_ref().map(|update| update.table_name.as_str());
    let delete = item.delete.as_ref().map(|delete| delete.table_name.as_str());
    let check = item.condition_check.as_ref().map(|check| check.table_name.as_str());
    put.or(update).or(delete).or(check)
}
