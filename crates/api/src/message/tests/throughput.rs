//! The texts of `message::throughput`, word for word.

use super::check;
use crate::message::throughput;

#[test]
fn texts_are_those_of_aws() {
    check(
        throughput::exceeded(),
        "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
    );
    check(
        throughput::on_demand_exceeded(),
        "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html",
    );
    check(
        throughput::account_exceeded(),
        "Throughput exceeds the current throughput limit for your account. Please contact AWS Support at https://aws.amazon.com/support request a limit increase",
    );
    check(
        throughput::internal(),
        "The request processing has failed because of an unknown error, exception or failure.",
    );
}
