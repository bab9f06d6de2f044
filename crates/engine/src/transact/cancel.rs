//! Cancelled transactions: one reason for each action, in request order.

use hashrange_api::{CancellationReason, Details, Error, ErrorCode, message};
use hashrange_item::{Image, Row};

use crate::capacity::{Traffic, is_of_index};
use crate::catalog::Table;
use crate::core::Core;

/// Why one action cancels its transaction.
#[derive(Debug)]
pub(crate) struct Reason {
    code: &'static str,
    message: String,
    item: Option<Row>,
}

impl Reason {
    /// The action's condition does not hold; the item, where the request asked for it.
    pub(crate) fn condition(item: Option<Row>) -> Reason {
        Reason { code: "ConditionalCheckFailed", message: message::item::condition_failed(), item }
    }

    /// Another transaction, or a write, has the item.
    pub(crate) fn conflict() -> Reason {
        let message = message::transaction::conflict_reason();
        Reason { code: "TransactionConflict", message, item: None }
    }

    /// An INSERT of an item that is there already.
    pub(crate) fn duplicate() -> Reason {
        Reason { code: "DuplicateItem", message: message::statement::duplicate_item(), item: None }
    }

    /// As [`of_error`](Reason::of_error), for a statement: there a missing table is a reason too.
    pub(crate) fn of_statement(error: Error) -> Result<Reason, Error> {
        if error.code != ErrorCode::ResourceNotFoundException {
            return Reason::of_error(error);
        }
        let message = error.message.unwrap_or_default();
        Ok(Reason { code: "ResourceNotFound", message, item: None })
    }

    /// Provisioned capacity is used up.
    fn throughput(error: Error) -> Reason {
        let of_index = is_of_index(&error);
        let message = if of_index {
            message::transaction::index_exceeded_reason()
        } else {
            error.message.unwrap_or_default()
        };
        Reason { code: "ProvisionedThroughputExceeded", message, item: None }
    }

    /// What a single request would have been answered, where that becomes a reason.
    pub(crate) fn of_error(error: Error) -> Result<Reason, Error> {
        let code = match error.code {
            ErrorCode::ValidationException => "ValidationError",
            ErrorCode::ItemCollectionSizeLimitExceededException => "ItemCollectionSizeLimitExceeded",
            ErrorCode::ProvisionedThroughputExceededException => return Ok(Reason::throughput(error)),
            ErrorCode::ThrottlingException => "ThrottlingError",
            _ => return Err(error),
        };
        Ok(Reason { code, message: error.message.unwrap_or_default(), item: None })
    }
}

/// The answer to a transaction of `actions` actions of which these are the reason.
pub(crate) fn cancelled(actions: usize, reasons: Vec<(usize, Reason)>) -> Error {
    let none = CancellationReason { code: Some("None".to_owned()), ..CancellationReason::default() };
    let mut all = vec![none; actions];
    for (at, reason) in reasons {
        all[at] = CancellationReason {
            code: Some(reason.code.to_owned()),
            message: Some(reason.message),
            item: reason.item.map(Image::Row),
        };
    }
    let codes: Vec<_> = all.iter().filter_map(|reason| reason.code.as_deref()).collect();
    let text = message::transaction::cancelled(&codes);
    Error::new(ErrorCode::TransactionCanceledException, text).with(Details::CancellationReasons(all))
}

/// The answer to a transaction that one error of the action at this position cancels. Errors that are no reasons, such as a
/// failure of the store, are the answer themselves.
pub(crate) fn cancelled_by(actions: usize, at: usize, error: Error) -> Error {
    match Reason::of_error(error) {
        Ok(reason) => cancelled(actions, vec![(at, reason)]),
        Err(error) => error,
    }
}

/// Cancels a transaction on tables that have no capacity left; `tables` are those of its actions.
pub(crate) fn if_throttled<'t>(
    core: &Core,
    tables: impl ExactSizeIterator<Item = &'t Table>,
    traffic: Traffic,
) -> Result<(), Error> {
    if !core.options.throttle {
        return Ok(());
    }
    let actions = tables.len();
    let mut reasons = Vec::new();
    for (at, table) in tables.enumerate() {
        if let Err(error) = core.admit(table, traffic) {
            reasons.push((at, Reason::of_error(error)?));
        }
    }
    if reasons.is_empty() { Ok(()) } else { Err(cancelled(actions, reasons)) }
}
