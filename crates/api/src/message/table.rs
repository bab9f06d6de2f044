//! Table operations.

use super::{invalid, list};

/// A table operation on a table that does not exist.
pub fn not_found(table: &str) -> String {
    format!("Requested resource not found: Table: {table} not found")
}

/// CreateTable with the name of an existing table: `ResourceInUseException`.
pub fn exists(table: &str) -> String {
    format!("Table already exists: {table}")
}

/// An operation on a table that is being created, updated or deleted: `ResourceInUseException`.
pub fn in_use(table: &str) -> String {
    format!("Attempt to change a resource which is still in use: Table is being created: {table}")
}

/// UpdateTable or DeleteTable on a table that is being updated: `ResourceInUseException`.
pub fn being_updated(table: &str) -> String {
    format!("Attempt to change a resource which is still in use: Table is being updated: {table}")
}

/// An operation on a table that is being deleted: `ResourceInUseException`.
pub fn being_deleted(table: &str) -> String {
    format!("Attempt to change a resource which is still in use: Table is being deleted: {table}")
}

/// DeleteTable while an index is being built: `ResourceInUseException`.
pub fn indexes_in_change() -> String {
    "Attempt to change a resource which is still in use: \
     Cannot delete table while indexes are being created, updated, or deleted."
        .to_owned()
}

/// DeleteTable on a protected table.
pub fn protected() -> String {
    "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
        .to_owned()
}

/// More than one index to create or delete: `LimitExceededException`.
pub fn one_online_index() -> String {
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        .to_owned()
}

/// More control-plane operations at once than an account may run: `LimitExceededException`.
pub fn too_many_concurrent() -> String {
    "Subscriber limit exceeded: There is a limit of 500 concurrent control plane operations per subscriber"
        .to_owned()
}

/// More tables than an account may have: `LimitExceededException`.
pub fn too_many_tables(max: usize) -> String {
    format!("Subscriber limit exceeded: There is a limit of {max} tables per subscriber")
}

/// Too many switches to on-demand within a day: `LimitExceededException`.
pub fn too_many_billing_switches() -> String {
    "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 day(s).".to_owned()
}

/// Too many decreases of throughput within a day: `LimitExceededException`.
pub fn too_many_decreases(table: &str) -> String {
    format!(
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. \
         After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every \
         3600 seconds. Table: {table}"
    )
}

/// CreateTable without `KeySchema`.
pub fn key_schema_missing() -> String {
    invalid("KeySchema is required")
}

/// A key schema that names more attributes than there are definitions.
pub fn key_without_definition() -> String {
    "Invalid KeySchema: Some index key attribute have no definition".to_owned()
}

/// A key schema with an attribute that no definition names.
pub fn key_not_defined(keys: &[&str], definitions: &[&str]) -> String {
    invalid(&format!(
        "Some index key attributes are not defined in AttributeDefinitions. Keys: {}, AttributeDefinitions: {}",
        list(keys),
        list(definitions)
    ))
}

/// A definition that no key schema of a table without indexes uses.
pub fn definitions_without_key() -> String {
    invalid(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
    )
}

/// A definition that neither the key schema nor an index uses.
pub fn unused_definitions(keys: &[&str], definitions: &[&str]) -> String {
    invalid(&format!(
        "Some AttributeDefinitions are not used. AttributeDefinitions: {}, keys used: {}",
        list(definitions),
        list(keys)
    ))
}

/// An attribute defined twice.
pub fn duplicate_definition(attribute: &str) -> String {
    invalid(&format!("Duplicate AttributeName in AttributeDefinitions: {attribute}"))
}

/// A key schema whose first element is no partition key.
pub fn first_key_not_hash() -> String {
    "Invalid KeySchema: The first KeySchemaElement is not a HASH key type".to_owned()
}

/// A key schema whose second element is no sort key.
pub fn second_key_not_range() -> String {
    "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type".to_owned()
}

/// A partition key and a sort key of one name.
pub fn same_key_twice() -> String {
    "Both the Hash Key and the Range Key element in the KeySchema have the same name".to_owned()
}

/// A local secondary index on a table without a sort key.
pub fn local_index_needs_sort_key() -> String {
    invalid(
        "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    )
}

/// A local secondary index without a sort key of its own.
pub fn local_index_without_sort_key(index: &str) -> String {
    invalid(&format!("Index KeySchema does not have a range key for index: {index}"))
}

/// A local secondary index with another partition key than its table.
pub fn local_index_hash(index: &str, index_hash: &str, table_hash: &str) -> String {
    invalid(&format!(
        "Index KeySchema does not have the same leading hash key as table KeySchema for index: {index}. \
         index hash key: {index_hash}, table hash key: {table_hash}"
    ))
}

/// `"LocalSecondaryIndexes": []` or `"GlobalSecondaryIndexes": []`; `member` is the member's name.
pub fn empty_index_list(member: &str) -> String {
    invalid(&format!("List of {member} is empty"))
}

/// Two indexes of one name.
pub fn duplicate_index(index: &str) -> String {
    invalid(&format!("Duplicate index name: {index}"))
}

/// More than five local secondary indexes.
pub fn too_many_local_indexes() -> String {
    invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5")
}

/// More than 20 global secondary indexes.
pub fn too_many_global_indexes() -> String {
    invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20")
}

/// More than 100 projected attributes over all indexes.
pub fn too_many_projected() -> String {
    invalid("Number of NonKeyAttributes exceeds limit of 100")
}

/// A projection without a type.
pub fn projection_type_missing() -> String {
    invalid("Unknown ProjectionType: null")
}

/// `INCLUDE` without `NonKeyAttributes`.
pub fn include_without_attributes() -> String {
    invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
}

/// `ALL` or `KEYS_ONLY` with `NonKeyAttributes`.
pub fn attributes_without_include(projection: &str) -> String {
    invalid(&format!("ProjectionType is {projection}, but NonKeyAttributes is specified"))
}

/// `PROVISIONED` without throughput.
pub fn throughput_missing() -> String {
    invalid("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
}

/// An index of a provisioned table without throughput.
pub fn index_throughput_missing(index: &str) -> String {
    invalid(&format!("ProvisionedThroughput must be specified for index: {index}"))
}

/// On-demand with throughput.
pub fn throughput_forbidden() -> String {
    invalid(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    )
}

/// An index of an on-demand table with throughput.
pub fn index_throughput_forbidden(index: &str) -> String {
    invalid(&format!(
        "ProvisionedThroughput should not be specified for index: {index} when BillingMode is PAY_PER_REQUEST"
    ))
}

/// Throughput beyond what can be stored; `member` is `ReadCapacityUnits` or `WriteCapacityUnits`.
pub fn throughput_out_of_bounds(value: i64, member: &str) -> String {
    format!("Given value {value} for {member} is out of bounds")
}

/// More throughput than a table may have.
pub fn table_throughput_limit(member: &str, max: i64) -> String {
    format!("Subscriber limit exceeded: {member} exceeds the per-table limit of {max}")
}

/// On-demand maxima on a provisioned table; `member` is `MaxReadRequestUnits` or `MaxWriteRequestUnits`.
pub fn on_demand_maximum_forbidden(member: &str) -> String {
    invalid(&format!(
        "{member} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."
    ))
}

/// An on-demand maximum below 1 that is not -1.
pub fn on_demand_maximum_too_small(member: &str, value: i64) -> String {
    invalid(&format!("{member} for OnDemandThroughput must be either -1 or at least 1, but was {value}"))
}

/// `"StreamEnabled": false` with a view type.
pub fn view_type_without_stream() -> String {
    invalid("Table is being created with a stream disabled, UpdateViewType should not be specified")
}

/// `"StreamEnabled": true` without a view type.
pub fn stream_without_view_type() -> String {
    invalid("StreamViewType must be specified when StreamEnabled is true")
}

/// UpdateTable enables a stream that is on.
pub fn stream_already_enabled(stream: &str) -> String {
    format!("Table already has an enabled stream: {stream}")
}

/// UpdateTable disables a stream that is off.
pub fn stream_already_disabled() -> String {
    invalid("Table is already has a stream disabled")
}

/// A KMS key without `SSEType`'s `KMS`, or with encryption off.
pub fn kms_key_without_kms() -> String {
    invalid("SSESpecification KMSMasterKeyId can be specified only when SSEType is KMS")
}

/// `SSEType` with `"Enabled": false`.
pub fn sse_type_without_sse() -> String {
    invalid("SSEType cannot be specified when SSE is disabled")
}

/// UpdateTable without anything to change.
pub fn nothing_to_update() -> String {
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or \
     SSESpecification or ReplicaUpdates is required"
        .to_owned()
}

/// UpdateTable with the throughput that the table has.
pub fn throughput_unchanged(read: i64, write: i64) -> String {
    format!(
        "The provisioned throughput for the table will not change. The requested value equals the current value. \
         Current ReadCapacityUnits provisioned for the table: {read}. Requested ReadCapacityUnits: {read}. \
         Current WriteCapacityUnits provisioned for the table: {write}. Requested WriteCapacityUnits: {write}. \
         Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )
}

/// UpdateTable with the throughput that the index has.
pub fn index_throughput_unchanged(index: &str, read: i64, write: i64) -> String {
    format!(
        "The provisioned throughput for the index {index} will not change. The requested value equals the current \
         value. Current ReadCapacityUnits provisioned for the index: {read}. Requested ReadCapacityUnits: {read}. \
         Current WriteCapacityUnits provisioned for the index: {write}. Requested WriteCapacityUnits: {write}. \
         Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )
}

/// An element of `GlobalSecondaryIndexUpdates` without an action.
pub fn index_update_empty() -> String {
    invalid(
        "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
         GlobalSecondaryIndexUpdate.Delete must not be null",
    )
}

/// An element of `GlobalSecondaryIndexUpdates` with several actions.
pub fn index_update_several() -> String {
    invalid(
        "Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
         GlobalSecondaryIndexUpdate.Delete may be specified",
    )
}

/// Two updates of one index in a request.
pub fn index_updated_twice(index: &str) -> String {
    invalid(&format!(
        "Only one global secondary index update per index is allowed simultaneously. Index: {index}"
    ))
}

/// UpdateTable creates an index that exists.
pub fn index_exists(index: &str) -> String {
    format!("Attempting to create an index which already exists: {index}")
}

/// UpdateTable changes or deletes an index that does not exist: `ResourceNotFoundException`.
pub fn index_not_found() -> String {
    "Requested resource not found".to_owned()
}

/// UpdateTable changes or deletes an index that is being built or deleted: `ResourceInUseException`.
pub fn index_in_use(index: &str) -> String {
    format!("Attempt to change a resource which is still in use: Index is being created or deleted: {index}")
}

/// ListTables with a start name that is no table name.
pub fn list_start() -> String {
    "The provided starting key is invalid".to_owned()
}

/// UpdateTimeToLive twice within the hour.
pub fn ttl_changed_too_often() -> String {
    "Time to live has been modified multiple times within a fixed interval".to_owned()
}

/// UpdateTimeToLive enables what is enabled.
pub fn ttl_enabled() -> String {
    "TimeToLive is already enabled".to_owned()
}

/// UpdateTimeToLive disables what is disabled.
pub fn ttl_disabled() -> String {
    "TimeToLive is already disabled".to_owned()
}

/// UpdateTimeToLive with another attribute than the active one.
pub fn ttl_other_attribute(current: &str) -> String {
    format!("TimeToLive is active on a different AttributeName: current AttributeName is {current}")
}
