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
        throughput::index_exceeded(),
        "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API",
    );
    check(
        throughput::maximum_exceeded(),
        "Throughput exceeds the maximum OnDemandThroughput configured on table or index",
    );
    check(
        throughput::internal(),
        "The request processing has failed because of an unknown error, exception or failure.",
    );
}
