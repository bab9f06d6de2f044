//! Transactions: what is wrong with their actions, and why they are cancelled.

use super::list;

/// An entry of TransactItems with none of the four actions.
pub fn no_action() -> String {
    "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request".to_owned()
}

/// An entry of TransactItems with several actions.
pub fn several_actions() -> String {
    "TransactItems can only contain one of Check, Put, Update or Delete".to_owned()
}

/// Two actions on one item.
pub fn duplicates() -> String {
    "Transaction request cannot include multiple operations on one item".to_owned()
}

/// More than 4 MB in one transaction. The words are not on record; that they hold `size cannot exceed` and `4 MB` is.
pub fn too_large() -> String {
    "The aggregate size of the items in a transaction: size cannot exceed 4 MB".to_owned()
}

/// A transaction that was not done; `codes` are those of its reasons, in the order of its actions.
pub fn cancelled(codes: &[&str]) -> String {
    format!("Transaction cancelled, please refer cancellation reasons for specific reasons {}", list(codes))
}

/// The reason of an action on an item that another transaction holds. Unlike the error of a single write, it ends in a full
/// stop (source: the model).
pub fn conflict_reason() -> String {
    "Transaction is ongoing for the item.".to_owned()
}

/// The reason of an action that touches a global index which is out of provisioned throughput. Unlike the error of a single
/// write, it ends in a full stop (source: the model).
pub fn index_exceeded_reason() -> String {
    super::throughput::index_exceeded() + "."
}

/// A token whose transaction is under way (words of the API reference; the text is not on record).
pub fn in_progress() -> String {
    "The transaction with the given request token is already in progress.".to_owned()
}

/// A token that came with another request within ten minutes (words of the API reference; the text is not on record).
pub fn token_mismatch() -> String {
    "DynamoDB rejected the request because you retried a request with a different payload but with an idempotent token \
     that was already used."
        .to_owned()
}
