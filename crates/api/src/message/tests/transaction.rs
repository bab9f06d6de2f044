//! The texts of `message::transaction`, word for word.

use super::check;
use crate::message::transaction;

#[test]
fn from_no_action_to_token_mismatch() {
    check(
        transaction::no_action(),
        "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
    );
    check(
        transaction::several_actions(),
        "TransactItems can only contain one of Check, Put, Update or Delete",
    );
    check(transaction::duplicates(), "Transaction request cannot include multiple operations on one item");
    check(
        transaction::too_large(),
        "The aggregate size of the items in a transaction: size cannot exceed 4 MB",
    );
    check(
        transaction::cancelled(&["ConditionalCheckFailed", "None"]),
        "Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]",
    );
    check(transaction::conflict_reason(), "Transaction is ongoing for the item.");
    check(
        transaction::index_exceeded_reason(),
        "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API.",
    );
    check(transaction::in_progress(), "The transaction with the given request token is already in progress.");
    check(
        transaction::token_mismatch(),
        "DynamoDB rejected the request because you retried a request with a different payload but with an idempotent token that was already used.",
    );
}
