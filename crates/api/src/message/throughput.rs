//! Throttling and contention.

/// A table or index that is out of provisioned throughput.
pub fn exceeded() -> String {
    "The level of configured provisioned throughput for the table was exceeded. \
     Consider increasing your provisioning level with the UpdateTable API."
        .to_owned()
}

/// An on-demand table that grows faster than it may.
pub fn on_demand_exceeded() -> String {
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or \
     index so please try again shortly. If exceptions persist, check if you have a hot key: \
     https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
        .to_owned()
}

/// An account that sends too many requests.
pub fn account_exceeded() -> String {
    "Throughput exceeds the current throughput limit for your account. \
     Please contact AWS Support at https://aws.amazon.com/support request a limit increase"
        .to_owned()
}

/// A fault of the server's own.
pub fn internal() -> String {
    "The request processing has failed because of an unknown error, exception or failure.".to_owned()
}
