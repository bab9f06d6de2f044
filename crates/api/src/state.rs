//! Which operations are built, and what differs from AWS. COMPAT.md is generated from this table.

use crate::Operation;

/// Whether an operation is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It answers as AWS does, but for what [`differs`] names.
    Built,
    /// It answers `UnknownOperationException`.
    NotYet,
}

/// The operations that are built, each with what differs from AWS ("" where nothing known does).
const BUILT: &[(Operation, &str)] = &[
    (Operation::BatchExecuteStatement, ""),
    (Operation::BatchGetItem, ""),
    (Operation::BatchWriteItem, ""),
    (Operation::CreateTable, "streams, vector indexes and resource policies are not served yet"),
    (Operation::DeleteItem, ""),
    (Operation::DeleteTable, ""),
    (Operation::DescribeEndpoints, "answers AWS's address for the region, not this server's"),
    (Operation::DescribeLimits, "the account quotas are AWS's initial ones"),
    (Operation::DescribeTable, ""),
    (Operation::DescribeTimeToLive, ""),
    (Operation::ExecuteStatement, ""),
    (Operation::ExecuteTransaction, ""),
    (Operation::GetItem, ""),
    (Operation::ListTables, ""),
    (Operation::ListTagsOfResource, ""),
    (Operation::PutItem, ""),
    (Operation::Query, ""),
    (Operation::Scan, ""),
    (Operation::TagResource, ""),
    (Operation::TransactGetItems, ""),
    (Operation::TransactWriteItems, ""),
    (Operation::UntagResource, ""),
    (Operation::UpdateItem, ""),
    (Operation::UpdateTable, "replicas and vector indexes are not served yet"),
    (Operation::UpdateTimeToLive, "the setting is kept; expired items are not deleted yet"),
];

/// Whether the operation is built.
pub fn state(operation: Operation) -> State {
    if BUILT.iter().any(|(built, _)| *built == operation) { State::Built } else { State::NotYet }
}

/// What a built operation does otherwise than AWS; empty where nothing is known, or where it is not built.
pub fn differs(operation: Operation) -> &'static str {
    BUILT.iter().find(|(built, _)| *built == operation).map_or("", |(_, differs)| differs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_built_or_not_yet() {
        assert_eq!(state(Operation::PutItem), State::Built);
        assert_eq!(state(Operation::CreateBackup), State::NotYet);
        assert_eq!(differs(Operation::PutItem), "");
    }
}
