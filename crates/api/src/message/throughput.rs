//! Throttling, and faults of the server's own.

/// A table that is out of provisioned throughput.
pub fn exceeded() -> String {
    "The level of configured provisioned throughput for the table was exceeded. \
     Consider increasing your provisioning level with the UpdateTable API."
        .to_owned()
}

/// A global index that is out of provisioned throughput. Unlike the reason of a cancelled transaction, it does not end in a
/// full stop (source: answers in public reports).
pub fn index_exceeded() -> String {
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. \
     Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API"
        .to_owned()
}

/// An on-demand table or index that has a maximum and reached it (source: guide, "On-demand maximum throughput exceeded").
pub fn maximum_exceeded() -> String {
    "Throughput exceeds the maximum OnDemandThroughput configured on table or index".to_owned()
}

/// A fault of the server's own.
pub fn internal() -> String {
    "The request processing has failed because of an unknown error, exception or failure.".to_owned()
}
