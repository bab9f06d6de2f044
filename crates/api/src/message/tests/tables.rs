//! The texts of `message::tables`, word for word.

use super::check;
use crate::message::tables;
use crate::message::tables::Owner;

#[test]
fn from_value_fails_to_resource_not_a_table() {
    check(
        tables::value_fails("value", "member", "constraint"),
        "Value 'value' at 'member' failed to satisfy constraint: constraint",
    );
    check(
        tables::value_is_null("member"),
        "Value null at 'member' failed to satisfy constraint: Member must not be null",
    );
    check(tables::constraints(&["a".to_owned(), "b".to_owned()]), "2 validation errors detected: a; b");
    check(
        tables::arn_format(),
        "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where Resource name must have length less than or equal to 255, Resource name must have length greater than or equal to 3, Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    );
    check(tables::arn_resource_type(), "Invalid resource type");
    check(tables::arn_name_too_short(), "Table name of ARN must have length greater than or equal to 3");
    check(tables::arn_region("arn"), "1 validation error detected: Invalid AWS region in 'arn'");
    check(tables::access_denied(), "Access is denied");
    check(
        tables::resource_no_arn("resource"),
        "Invalid TableArn: Invalid ResourceArn provided as input resource",
    );
    check(
        tables::resource_not_dynamodb("arn"),
        "One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: arn",
    );
    check(
        tables::resource_not_a_table("arn"),
        "One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. Provided resource arn: arn",
    );
}

#[test]
fn from_resource_region_to_throughput_is_changing() {
    check(tables::resource_region("arn"), "Invalid TableArn: Invalid ResourceArn provided as input arn");
    check(
        tables::not_authorized_to_list_tags("account", "arn"),
        "User: arn:aws:iam::account:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: arn",
    );
    check(tables::not_found(), "Requested resource not found");
    check(tables::table_not_found("table"), "Requested resource not found: Table: table not found");
    check(tables::resource_not_found("arn"), "Requested resource not found: ResourceArn: arn not found");
    check(
        tables::index_not_found("table", "index"),
        "Requested resource not found: Index index for table table",
    );
    check(tables::table_exists("table"), "Table already exists: table");
    check(
        tables::being_created("table"),
        "Attempt to change a resource which is still in use: Table is being created: table",
    );
    check(
        tables::being_deleted("table"),
        "Attempt to change a resource which is still in use: Table is being deleted: table",
    );
    check(
        tables::being_updated("table"),
        "Attempt to change a resource which is still in use: Table: table is in the process of being updated.",
    );
    check(
        tables::stream_blocks_deletion(),
        "Attempt to change a resource which is still in use: Cannot delete table while stream is being enabled/disabled.",
    );
    check(
        tables::index_blocks_deletion(),
        "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted.",
    );
    check(
        tables::protected(),
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
    );
    check(
        tables::throughput_is_changing("table"),
        "Attempt to change a resource which is still in use: Table IOPS are currently being updated. Table: table",
    );
}

#[test]
fn from_blocked_by_throughput_to_definitions_do_not_match() {
    check(
        tables::blocked_by_throughput("what", "table"),
        "Attempt to change a resource which is still in use: Can't what while table IOPS are being updated. Table: table",
    );
    check(
        tables::stream_is_changing("table", "label", "operation"),
        "Attempt to change a resource which is still in use: A stream status change is currently in progress. Table: table Stream: label Operation: operation",
    );
    check(
        tables::blocked_by_stream("what", "table", "label", "operation"),
        "Attempt to change a resource which is still in use: Can't what when stream status is being updated. Table: table Stream: label Operation: operation",
    );
    check(
        tables::blocked_by_class("what", "table", "class"),
        "Attempt to change a resource which is still in use: Can't what when a table class update is in progress. Table: table TableClassUpdateInProgress: class",
    );
    check(
        tables::blocked_by_index("what", "how", "table", "index"),
        "Attempt to change a resource which is still in use: Can't what when an index is being how. Table: table Indexes: [index]",
    );
    check(
        tables::on_demand_blocked("what"),
        "Attempt to change a resource which is still in use: OnDemandThroughput cannot be updated while what is in progress",
    );
    check(
        tables::on_demand_blocked_by_index("how", "index"),
        "Attempt to change a resource which is still in use: OnDemandThroughput cannot be updated while index how is in progress for indexes: [index]",
    );
    check(
        tables::encryption_is_changing(),
        "Attempt to change a resource which is still in use: Server-Side Encryption is still being updated",
    );
    check(
        tables::index_is_allocating("table", "index"),
        "Attempt to change a resource which is still in use: Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is active. Table: table Index: index",
    );
    check(
        tables::index_not_backfilling("table", "index"),
        "Attempt to change a resource which is still in use: Index is being created but is not backfilling yet.  Table: table Index: index",
    );
    check(
        tables::index_is_busy("how", "table", "index"),
        "Attempt to change a resource which is still in use: Index is being how. Table: table Index: index",
    );
    check(tables::key_without_definition(), "Invalid KeySchema: Some index key attribute have no definition");
    check(
        tables::keys_not_defined(&["a", "b"], &["a", "b"]),
        "One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [a, b], AttributeDefinitions: [a, b]",
    );
    check(
        tables::definitions_do_not_match(),
        "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
    );
}

#[test]
fn from_definitions_not_used_to_duplicate_index() {
    check(
        tables::definitions_not_used(&["a", "b"], &["a", "b"]),
        "One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: [a, b], keys used: [a, b]",
    );
    check(tables::definition_is_duplicated("name"), "Attribute Name is duplicated: name");
    check(
        tables::definitions_missing_for_index("index"),
        "One or more parameter values were invalid: AttributeDefinitions is not specified for index: index",
    );
    check(
        tables::first_key_not_hash(),
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    );
    check(
        tables::second_key_not_range(),
        "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
    );
    check(
        tables::same_key_twice(),
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    );
    check(
        tables::same_index_key_twice(),
        "The KeySchema contains multiple key attributes with the same name",
    );
    check(
        tables::hash_after_range(),
        "One or more parameter values were invalid: All HASH key attributes must precede RANGE key attributes in the KeySchema",
    );
    check(
        tables::too_many_key_attributes("sort"),
        "One or more parameter values were invalid: The KeySchema exceeds the maximum allowed number of sort key attributes",
    );
    check(tables::list_is_empty("list"), "One or more parameter values were invalid: List of list is empty");
    check(
        tables::table_without_range(),
        "One or more parameter values were invalid: Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    );
    check(
        tables::index_without_range("index"),
        "One or more parameter values were invalid: Index KeySchema does not have a range key for index: index",
    );
    check(
        tables::index_on_other_hash("index", "hash", "table_hash"),
        "One or more parameter values were invalid: Index KeySchema does not have the same leading hash key as table KeySchema for index: index. index hash key: hash, table hash key: table_hash",
    );
    check(
        tables::duplicate_index("index"),
        "One or more parameter values were invalid: Duplicate index name: index",
    );
}

#[test]
fn from_too_many_locals_to_index_updated_twice() {
    check(
        tables::too_many_locals(7),
        "One or more parameter values were invalid: Number of LocalSecondaryIndexes exceeds per-table limit of 7",
    );
    check(
        tables::too_many_globals(7),
        "One or more parameter values were invalid: GlobalSecondaryIndex count exceeds the per-table limit of 7",
    );
    check(
        tables::no_room_for_index(7),
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 7",
    );
    check(
        tables::too_many_projected(7),
        "One or more parameter values were invalid: The total number of NonKeyAttributes projected into all secondary indexes exceeds the limit of 7",
    );
    check(
        tables::projection_without_type(),
        "One or more parameter values were invalid: Unknown ProjectionType: null",
    );
    check(
        tables::projection_with_names("projection"),
        "One or more parameter values were invalid: ProjectionType is projection, but NonKeyAttributes is specified",
    );
    check(
        tables::projection_without_names(),
        "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    );
    check(
        tables::projection_names_twice("name"),
        "One or more parameter values were invalid: Duplicate element in NonKeyAttributes: name",
    );
    check(tables::index_exists(), "Attempting to create an index which already exists");
    check(
        tables::index_is_not_global("verb", "index"),
        "Cannot verb an index that is not a GlobalSecondaryIndex: index",
    );
    check(
        tables::one_online_index(),
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
    );
    check(
        tables::index_update_is_empty(),
        "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null",
    );
    check(
        tables::index_update_does_several(),
        "One or more parameter values were invalid: Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
    );
    check(
        tables::index_updated_twice("index"),
        "One or more parameter values were invalid: Only one global secondary index update per index is allowed simultaneously. Index: index",
    );
}

#[test]
fn from_throughput_on_demand_to_account_throughput_exceeded() {
    check(
        tables::throughput_on_demand(),
        "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    );
    check(
        tables::throughput_missing(),
        "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
    );
    check(
        tables::throughput_missing_in_update(),
        "One or more parameter values were invalid: ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    );
    check(
        tables::throughput_missing_for_index("index"),
        "One or more parameter values were invalid: ProvisionedThroughput must be specified for index: index",
    );
    check(
        tables::throughput_not_specified("index"),
        "One or more parameter values were invalid: ProvisionedThroughput is not specified for index: index",
    );
    check(
        tables::throughput_of_index_on_demand("index"),
        "One or more parameter values were invalid: ProvisionedThroughput should not be specified for index: index when BillingMode is PAY_PER_REQUEST",
    );
    check(
        tables::units_of_index_on_demand("index"),
        "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: index when BillingMode is PAY_PER_REQUEST",
    );
    check(
        tables::units_missing_for_index("index"),
        "One or more parameter values were invalid: Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: index",
    );
    check(
        tables::index_update_on_demand("index"),
        "One or more parameter values were invalid: The only Updates for index: index when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput",
    );
    check(
        tables::throughput_unchanged(Owner::Table, (5, 7)),
        "The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 7. Requested WriteCapacityUnits: 7. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
    check(
        tables::throughput_unchanged(Owner::Index("index"), (5, 7)),
        "The provisioned throughput for the index index will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for index index: 5. Requested ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for index index: 7. Requested WriteCapacityUnits: 7. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
    check(
        tables::throughput_above_maximum(Owner::Table, "units", 7, "region", 7),
        "The requested units, 7, is above the per table maximum for the account in region. Per table maximum: 7. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
    check(
        tables::throughput_above_maximum(Owner::Index("index"), "units", 7, "region", 7),
        "The requested units for index index, 7, is above the per index maximum for the account in region. Per table maximum: 7. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
    check(
        tables::account_throughput_exceeded("units", "region", 7, 7, 7),
        "This request would have caused the units limit to be exceeded for the account in region. Current units reserved by the account: 7. Limit: 7. Requested: 7. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
}

#[test]
fn from_too_many_decreases_to_warm_below_provisioned() {
    check(
        tables::too_many_decreases(7, "last", "next"),
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number of decreases today: 7. Last decrease at last. Next decrease can be made at next",
    );
    check(
        tables::too_many_switches(7),
        "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 7 times in 1 day(s). Please try again later.",
    );
    check(
        tables::maximum_on_provisioned(Owner::Table, "units"),
        "One or more parameter values were invalid: units for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.",
    );
    check(
        tables::maximum_on_provisioned(Owner::Index("index"), "units"),
        "One or more parameter values were invalid: units for OnDemandThroughput for index: index cannot be specified when table BillingMode is PROVISIONED.",
    );
    check(
        tables::maximum_on_provisioned_update(Owner::Table, "units"),
        "One or more parameter values were invalid: units for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED",
    );
    check(
        tables::maximum_on_provisioned_update(Owner::Index("index"), "units"),
        "One or more parameter values were invalid: units for OnDemandThroughput for index : index cannot be specified when the table BillingMode is PROVISIONED",
    );
    check(
        tables::maximum_out_of_range(Owner::Table, "units"),
        "One or more parameter values were invalid: Requested units for OnDemandThroughput for table is outside of valid range",
    );
    check(
        tables::maximum_out_of_range(Owner::Index("index"), "units"),
        "One or more parameter values were invalid: Requested units for OnDemandThroughput for index : index is outside of valid range",
    );
    check(
        tables::maximum_above_quota(Owner::Table, "units", "quota", "region"),
        "Subscriber limit exceeded: Requested units for OnDemandThroughput for table exceeds quota of the account in region region",
    );
    check(
        tables::maximum_above_quota(Owner::Index("index"), "units", "quota", "region"),
        "Subscriber limit exceeded: Requested units for OnDemandThroughput for index : index exceeds quota of the account in region region",
    );
    check(
        tables::warm_below_initial(Owner::Table, "units"),
        "One or more parameter values were invalid: Requested units for WarmThroughput for table is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial",
    );
    check(
        tables::warm_below_initial(Owner::Index("index"), "units"),
        "One or more parameter values were invalid: Requested units for WarmThroughput for index index is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial",
    );
    check(
        tables::warm_below_provisioned(Owner::Table, "units", "provisioned"),
        "One or more parameter values were invalid: Requested units for WarmThroughput for table is lower than provisioned of ProvisionedThroughput",
    );
    check(
        tables::warm_below_provisioned(Owner::Index("index"), "units", "provisioned"),
        "One or more parameter values were invalid: Requested units for WarmThroughput for index index is lower than provisioned of ProvisionedThroughput",
    );
}

#[test]
fn from_warm_decreases_to_new_stream_off_with_view() {
    check(
        tables::warm_decreases(Owner::Table, "units"),
        "One or more parameter values were invalid: Requested units for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported",
    );
    check(
        tables::warm_decreases(Owner::Index("index"), "units"),
        "One or more parameter values were invalid: Requested units for WarmThroughput for index index is lower than current WarmThroughput, decreasing WarmThroughput is not supported",
    );
    check(
        tables::warm_above_quota(Owner::Table, "units", "quota", "region"),
        "Subscriber limit exceeded: Requested units for WarmThroughput for table exceeds quota of the account in region region",
    );
    check(
        tables::warm_above_quota(Owner::Index("index"), "units", "quota", "region"),
        "Subscriber limit exceeded: Requested units for WarmThroughput for index index exceeds quota of the account in region region",
    );
    check(
        tables::warm_is_empty("index"),
        "One or more parameter values were invalid: WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: index",
    );
    check(
        tables::nothing_to_update(),
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required",
    );
    check(
        tables::only_operation("what"),
        "One or more parameter values were invalid: what must be the only operation in the request",
    );
    check(
        tables::on_demand_with_others(),
        "One or more parameter values were invalid: OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
    );
    check(
        tables::stream_with_throughput(),
        "One or more parameter values were invalid: You cannot modify stream status while updating table IOPS",
    );
    check(
        tables::index_with_throughput(),
        "One or more parameter values were invalid: You cannot create or delete index while updating table IOPS",
    );
    check(
        tables::index_with_stream(),
        "One or more parameter values were invalid: You cannot create or delete index while changing stream status",
    );
    check(
        tables::index_with_warm(),
        "One or more parameter values were invalid: Create global secondary index cannot be specified when updating WarmThroughput",
    );
    check(
        tables::new_stream_without_view(),
        "One or more parameter values were invalid: Table is being created with a stream enabled, UpdateViewType is required",
    );
    check(
        tables::new_stream_off_with_view(),
        "One or more parameter values were invalid: Table is being created with a stream disabled, UpdateViewType should not be specified",
    );
}

#[test]
fn from_stream_without_view_to_tag_key_invalid() {
    check(
        tables::stream_without_view(),
        "One or more parameter values were invalid: If stream is being enabled then UpdateViewType is required",
    );
    check(
        tables::stream_off_with_view(),
        "One or more parameter values were invalid: If stream is being disabled, then UpdateViewType must not be specified",
    );
    check(tables::stream_is_on("table"), "Table already has an enabled stream: TableName: table");
    check(tables::stream_is_off("table"), "Table has no stream to disable: TableName: table");
    check(
        tables::encryption_off_with("member"),
        "One or more parameter values were invalid: member can not be specified if Enabled is false",
    );
    check(
        tables::encryption_key_without_type(),
        "One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is specified",
    );
    check(
        tables::encryption_type_unsupported(),
        "One or more parameter values were invalid: SSEType AES256 is not supported",
    );
    check(
        tables::encryption_is_default(),
        "One or more parameter values were invalid: Table is already encrypted by default",
    );
    check(
        tables::encryption_key_unchanged(),
        "One or more parameter values were invalid: Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key",
    );
    check(
        tables::too_many_encryption_changes("window_end", 7, "last", "next"),
        "Subscriber limit exceeded: Encryption mode changes are limited in the 24h window ending at window_end. After the first 4 change, each subsequent change in the same window can be performed at most once every 21600 seconds. Number of updates today: 7. Last change at last. Next changes can be made at next.",
    );
    check(
        tables::too_many_class_changes(),
        "Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 day(s).",
    );
    check(tables::no_tags(), "Atleast one Tag needs to be provided as Input.");
    check(tables::no_tag_keys(), "Atleast one Tag Key needs to be provided as Input.");
    check(tables::tag_key_invalid("key"), "The Tag Key provided is invalid, Key: key");
}

#[test]
fn from_tag_value_invalid_to_not_supported() {
    check(tables::tag_value_invalid("value"), "The Tag Value provided is invalid, Value: value");
    check(tables::tag_key_reserved("key"), "Tag Key cannot be prefixed with aws:, Key: key");
    check(tables::tag_key_twice("key"), "Duplicate Tag Keys provided as input: Duplicate Tag Key found key");
    check(tables::too_many_tags(), "Number of Tags exceed the current limit for the provided ResourceArn");
    check(tables::next_token_invalid(), "Invalid NextToken");
    check(tables::expiry_is_on(), "TimeToLive is already enabled");
    check(tables::expiry_is_off(), "TimeToLive is already disabled");
    check(
        tables::expiry_on_other_attribute("current"),
        "TimeToLive is active on a different AttributeName: current AttributeName is current",
    );
    check(
        tables::expiry_changed_lately(),
        "Time to live has been modified multiple times within a fixed interval",
    );
    check(
        tables::expiry_not_described("state"),
        "Cannot describe time to live while table is in state state: Current table state is state",
    );
    check(
        tables::too_many_tables(7),
        "Subscriber limit exceeded: There is a limit of 7 tables per subscriber",
    );
    check(
        tables::policy_too_long(7),
        "One or more parameter values were invalid: Maximum policy size of 7 bytes exceeded",
    );
    check(
        tables::not_supported("member"),
        "One or more parameter values were invalid: member is not supported",
    );
}
