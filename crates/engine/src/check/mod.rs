//! What can be said of a request without looking at a table: expressions are parsed and bound, parameters that exclude
//! each other are refused.

mod batch;
mod parameters;
mod reading;
mod refusal;
mod statement;
mod write;

use hashrange_api::{Error, GetItemInput, Operation, Request, ReturnConsumedCapacity, Valid};
use hashrange_item::Attributes;
use hashrange_language::Projection;

pub(crate) use batch::{BatchGetTable, CheckedBatchGet, CheckedBatchWrite};
pub(crate) use parameters::Parameters;
pub(crate) use reading::{CheckedQuery, CheckedReading, CheckedScan};
pub(crate) use refusal::{expression as expression_error, internal, refuse, update_error};
pub use statement::table_of_statement;
pub(crate) use statement::{
    CheckedMember, CheckedStatement, CheckedStatements, CheckedTransaction, StatementSource, key_problem,
};
pub(crate) use write::{CheckedWrite, WriteKind};

use crate::catalog::TableOperation;
use crate::transact::{self, CheckedTransactGet, CheckedTransactWrite};

/// A request that was checked by itself and may now be planned. Only [`Engine::check`](crate::Engine::check) makes one.
#[derive(Debug)]
pub enum Checked {
    /// Look up one item.
    #[non_exhaustive]
    Get(Box<CheckedGet>),
    /// Write one item.
    #[non_exhaustive]
    Write(Box<CheckedWrite>),
    /// Read part of one partition.
    #[non_exhaustive]
    Query(Box<CheckedQuery>),
    /// Read a whole table or index.
    #[non_exhaustive]
    Scan(Box<CheckedScan>),
    /// Look up many items.
    #[non_exhaustive]
    BatchGet(Box<CheckedBatchGet>),
    /// Write many items.
    #[non_exhaustive]
    BatchWrite(Box<CheckedBatchWrite>),
    /// Look up many items at one instant.
    #[non_exhaustive]
    TransactGet(Box<CheckedTransactGet>),
    /// Write many items, all or none.
    #[non_exhaustive]
    TransactWrite(Box<CheckedTransactWrite>),
    /// Run a PartiQL statement.
    #[non_exhaustive]
    Statement(Box<CheckedStatement>),
    /// Run many PartiQL statements.
    #[non_exhaustive]
    Statements(Box<CheckedStatements>),
    /// Run many PartiQL statements, all or none.
    #[non_exhaustive]
    Transaction(Box<CheckedTransaction>),
    /// Work on tables themselves.
    #[non_exhaustive]
    Table(TableOperation),
}

/// A checked GetItem.
#[derive(Debug)]
pub struct CheckedGet {
    pub(crate) table_name: String,
    pub(crate) key: Attributes,
    pub(crate) consistent: bool,
    pub(crate) projection: Option<Projection>,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
}

/// Checks a request of any operation that is built.
pub(crate) fn check(request: Valid) -> Result<Checked, Error> {
    let (request, refused) = request.into_parts();
    match request {
        Request::GetItem(input) => get(*input).map(|get| Checked::Get(Box::new(get))),
        Request::PutItem(input) => write::put(*input).map(|write| Checked::Write(Box::new(write))),
        Request::UpdateItem(input) => write::update(*input).map(|write| Checked::Write(Box::new(write))),
        Request::DeleteItem(input) => write::delete(*input).map(|write| Checked::Write(Box::new(write))),
        Request::Query(input) => reading::query(*input).map(|query| Checked::Query(Box::new(query))),
        Request::Scan(input) => reading::scan(*input).map(|scan| Checked::Scan(Box::new(scan))),
        Request::BatchGetItem(input) => batch::get(*input).map(|get| Checked::BatchGet(Box::new(get))),
        Request::BatchWriteItem(input) => {
            batch::write(*input).map(|write| Checked::BatchWrite(Box::new(write)))
        }
        Request::TransactGetItems(input) => {
            transact::check_get(*input).map(|get| Checked::TransactGet(Box::new(get)))
        }
        Request::TransactWriteItems(input) => {
            transact::check_write(*input).map(|write| Checked::TransactWrite(Box::new(write)))
        }
        Request::ExecuteStatement(input) => {
            statement::single(*input).map(|statement| Checked::Statement(Box::new(statement)))
        }
        Request::BatchExecuteStatement(input) => {
            statement::batch(*input, refused).map(|statements| Checked::Statements(Box::new(statements)))
        }
        Request::ExecuteTransaction(input) => {
            statement::transaction(*input).map(|statements| Checked::Transaction(Box::new(statements)))
        }
        other => TableOperation::check(other).map(Checked::Table),
    }
}

fn get(input: GetItemInput) -> Result<CheckedGet, Error> {
    let mut parameters = Parameters::new(Operation::GetItem);
    parameters.legacy("AttributesToGet", input.attributes_to_get.is_some());
    parameters.expression("ProjectionExpression", input.projection_expression.is_some());
    parameters.check(input.expression_attribute_names.as_ref(), None)?;
    let mut binder = parameters.binder(input.expression_attribute_names.as_ref(), None)?;
    let projection = parameters.projection(
        &mut binder,
        input.projection_expression.as_deref(),
        input.attributes_to_get.as_deref(),
    )?;
    parameters.finish(binder)?;
    Ok(CheckedGet {
        table_name: input.table_name,
        key: input.key,
        consistent: input.consistent_read.unwrap_or(false),
        projection,
        consumed: input.return_consumed_capacity,
    })
}
