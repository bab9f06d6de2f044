//! Tables: definitions, states, settings, tags. Recorded in us-east-1 and us-west-2, October 2026, unless a doc says otherwise.

/// What the texts about wrong parameters start with.
fn invalid(what: impl std::fmt::Display) -> String {
    format!("One or more parameter values were invalid: {what}")
}

/// What the texts about resources in transition start with.
fn in_use(what: impl std::fmt::Display) -> String {
    format!("Attempt to change a resource which is still in use: {what}")
}

/// What the texts about used-up allowances start with.
fn subscriber_limit(what: impl std::fmt::Display) -> String {
    format!("Subscriber limit exceeded: {what}")
}

const GUIDE: &str =
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.";

// -- constraints that the model does not carry

/// One broken constraint on a value that is shown.
pub fn value_fails(value: &str, member: &str, constraint: &str) -> String {
    format!("Value '{value}' at '{member}' failed to satisfy constraint: {constraint}")
}

/// A member that has to be there.
pub fn value_is_null(member: &str) -> String {
    format!("Value null at '{member}' failed to satisfy constraint: Member must not be null")
}

/// Several broken constraints in one text.
pub fn constraints(broken: &[String]) -> String {
    let plural = if broken.len() == 1 { "" } else { "s" };
    format!("{} validation error{plural} detected: {}", broken.len(), broken.join("; "))
}

// -- names and ARNs

/// An ARN in the place of a name that is no table's.
pub fn arn_format() -> String {
    "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where \
     Resource name must have length less than or equal to 255, Resource name must have length greater than or equal to 3, \
     Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        .to_owned()
}

/// An ARN in the place of a name, of another sort of resource.
pub fn arn_resource_type() -> String {
    "Invalid resource type".to_owned()
}

/// An ARN in the place of a name, with too short a name.
pub fn arn_name_too_short() -> String {
    "Table name of ARN must have length greater than or equal to 3".to_owned()
}

/// An ARN in the place of a name, of another region.
pub fn arn_region(arn: &str) -> String {
    format!("1 validation error detected: Invalid AWS region in '{arn}'")
}

/// An ARN of another account.
pub fn access_denied() -> String {
    "Access is denied".to_owned()
}

/// A resource that is no ARN at all.
pub fn resource_no_arn(resource: &str) -> String {
    format!("Invalid TableArn: Invalid ResourceArn provided as input {resource}")
}

/// An ARN of another service.
pub fn resource_not_dynamodb(arn: &str) -> String {
    invalid(format_args!("Provided Arn is not a DynamoDB resource arn: {arn}"))
}

/// An ARN of an index or of something else without tags.
pub fn resource_not_a_table(arn: &str) -> String {
    invalid(format_args!(
        "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
    ))
}

/// A resource in another region.
pub fn resource_region(arn: &str) -> String {
    format!("Invalid TableArn: Invalid ResourceArn provided as input {arn}")
}

/// Tags are asked for of a table that does not exist.
pub fn not_authorized_to_list_tags(account: &str, arn: &str) -> String {
    format!(
        "User: arn:aws:iam::{account}:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: {arn}"
    )
}

// -- existence and states

/// An item operation on a table that is not there.
pub fn not_found() -> String {
    "Requested resource not found".to_owned()
}

/// A table operation on a table that is not there.
pub fn table_not_found(table: &str) -> String {
    format!("Requested resource not found: Table: {table} not found")
}

/// A tag operation on a table that is not there.
pub fn resource_not_found(arn: &str) -> String {
    format!("Requested resource not found: ResourceArn: {arn} not found")
}

/// A change of an index that is not there.
pub fn index_not_found(table: &str, index: &str) -> String {
    format!("Requested resource not found: Index {index} for table {table}")
}

/// `CreateTable` of a name that is taken.
pub fn table_exists(table: &str) -> String {
    format!("Table already exists: {table}")
}

/// A change of a table in creation.
pub fn being_created(table: &str) -> String {
    in_use(format_args!("Table is being created: {table}"))
}

/// A change of a table on its way out.
pub fn being_deleted(table: &str) -> String {
    in_use(format_args!("Table is being deleted: {table}"))
}

/// `DeleteTable` of a table that is changing.
pub fn being_updated(table: &str) -> String {
    in_use(format_args!("Table: {table} is in the process of being updated."))
}

/// `DeleteTable` of a table whose stream is changing.
pub fn stream_blocks_deletion() -> String {
    in_use("Cannot delete table while stream is being enabled/disabled.")
}

/// `DeleteTable` of a table with an index in transition.
pub fn index_blocks_deletion() -> String {
    in_use("Cannot delete table while indexes are being created, updated, or deleted.")
}

/// `DeleteTable` of a protected table.
pub fn protected() -> String {
    "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
        .to_owned()
}

/// Throughput or billing change while one is going on.
pub fn throughput_is_changing(table: &str) -> String {
    in_use(format_args!("Table IOPS are currently being updated. Table: {table}"))
}

/// Another change while throughput or billing changes.
pub fn blocked_by_throughput(what: &str, table: &str) -> String {
    in_use(format_args!("Can't {what} while table IOPS are being updated. Table: {table}"))
}

/// A stream change while one is going on.
pub fn stream_is_changing(table: &str, label: &str, operation: &str) -> String {
    in_use(format_args!(
        "A stream status change is currently in progress. Table: {table} Stream: {label} Operation: {operation}"
    ))
}

/// Another change while the stream changes.
pub fn blocked_by_stream(what: &str, table: &str, label: &str, operation: &str) -> String {
    in_use(format_args!(
        "Can't {what} when stream status is being updated. Table: {table} Stream: {label} Operation: {operation}"
    ))
}

/// A change while the table class changes.
pub fn blocked_by_class(what: &str, table: &str, class: &str) -> String {
    in_use(format_args!(
        "Can't {what} when a table class update is in progress. Table: {table} TableClassUpdateInProgress: {class}"
    ))
}

/// A change while an index is added or deleted; `how` is `created` or `deleted`.
pub fn blocked_by_index(what: &str, how: &str, table: &str, index: &str) -> String {
    in_use(format_args!("Can't {what} when an index is being {how}. Table: {table} Indexes: [{index}]"))
}

/// New on-demand maxima while `what` is going on.
pub fn on_demand_blocked(what: &str) -> String {
    in_use(format_args!("OnDemandThroughput cannot be updated while {what} is in progress"))
}

/// New on-demand maxima while an index comes or goes; `how` is `creation` or `deletion`.
pub fn on_demand_blocked_by_index(how: &str, index: &str) -> String {
    in_use(format_args!(
        "OnDemandThroughput cannot be updated while index {how} is in progress for indexes: [{index}]"
    ))
}

/// A change of encryption while one is going on.
pub fn encryption_is_changing() -> String {
    in_use("Server-Side Encryption is still being updated")
}

/// Deletion of an index that is getting its resources.
pub fn index_is_allocating(table: &str, index: &str) -> String {
    in_use(format_args!(
        "Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is \
         active. Table: {table} Index: {index}"
    ))
}

/// Update of an index that is getting its resources; two spaces.
pub fn index_not_backfilling(table: &str, index: &str) -> String {
    in_use(format_args!("Index is being created but is not backfilling yet.  Table: {table} Index: {index}"))
}

/// A change of an index that is on its way out (`deleted`) or changing (`updated`).
pub fn index_is_busy(how: &str, table: &str, index: &str) -> String {
    in_use(format_args!("Index is being {how}. Table: {table} Index: {index}"))
}

// -- keys and attribute definitions

/// A key attribute without definition: fewer definitions than key attributes.
pub fn key_without_definition() -> String {
    "Invalid KeySchema: Some index key attribute have no definition".to_owned()
}

/// Key attributes without definition.
pub fn keys_not_defined(keys: &[&str], definitions: &[&str]) -> String {
    invalid(format_args!(
        "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]",
        keys.join(", "),
        definitions.join(", ")
    ))
}

/// Definitions that no key uses, in a table without indexes.
pub fn definitions_do_not_match() -> String {
    invalid(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
    )
}

/// Definitions that no key uses, in a table with indexes.
pub fn definitions_not_used(definitions: &[&str], keys: &[&str]) -> String {
    invalid(format_args!(
        "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
        definitions.join(", "),
        keys.join(", ")
    ))
}

/// Two definitions of one attribute.
pub fn definition_is_duplicated(name: &str) -> String {
    format!("Attribute Name is duplicated: {name}")
}

/// An index is added without definitions.
pub fn definitions_missing_for_index(index: &str) -> String {
    invalid(format_args!("AttributeDefinitions is not specified for index: {index}"))
}

/// A key that does not start with its partition key.
pub fn first_key_not_hash() -> String {
    "Invalid KeySchema: The first KeySchemaElement is not a HASH key type".to_owned()
}

/// A key with two partition keys.
pub fn second_key_not_range() -> String {
    "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type".to_owned()
}

/// A table's key that uses an attribute twice.
pub fn same_key_twice() -> String {
    "Both the Hash Key and the Range Key element in the KeySchema have the same name".to_owned()
}

/// A global index's key that uses an attribute twice.
pub fn same_index_key_twice() -> String {
    "The KeySchema contains multiple key attributes with the same name".to_owned()
}

/// A global index's key with sort keys among its partition keys.
pub fn hash_after_range() -> String {
    invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema")
}

/// More than four attributes of one sort; `sort` is `HASH` or `RANGE`.
pub fn too_many_key_attributes(sort: &str) -> String {
    invalid(format_args!("The KeySchema exceeds the maximum allowed number of {sort} key attributes"))
}

// -- indexes

/// An empty list; `list` is its member's name.
pub fn list_is_empty(list: &str) -> String {
    invalid(format_args!("List of {list} is empty"))
}

/// A local index on a table without sort key.
pub fn table_without_range() -> String {
    invalid(
        "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    )
}

/// A local index without sort key.
pub fn index_without_range(index: &str) -> String {
    invalid(format_args!("Index KeySchema does not have a range key for index: {index}"))
}

/// A local index on another partition key than the table's.
pub fn index_on_other_hash(index: &str, hash: &str, table_hash: &str) -> String {
    invalid(format_args!(
        "Index KeySchema does not have the same leading hash key as table KeySchema for index: {index}. index hash key: \
         {hash}, table hash key: {table_hash}"
    ))
}

/// Two indexes of one name.
pub fn duplicate_index(index: &str) -> String {
    invalid(format_args!("Duplicate index name: {index}"))
}

/// Too many local indexes.
pub fn too_many_locals(most: usize) -> String {
    invalid(format_args!("Number of LocalSecondaryIndexes exceeds per-table limit of {most}"))
}

/// Too many global indexes in `CreateTable`.
pub fn too_many_globals(most: usize) -> String {
    invalid(format_args!("GlobalSecondaryIndex count exceeds the per-table limit of {most}"))
}

/// One global index more than a table takes, in `UpdateTable`.
pub fn no_room_for_index(most: usize) -> String {
    subscriber_limit(format_args!("Number of global secondary indexes exceeds per-table limit of {most}"))
}

/// More than 100 attributes projected by name. AWS's text has no record.
pub fn too_many_projected(most: usize) -> String {
    invalid(format_args!(
        "The total number of NonKeyAttributes projected into all secondary indexes exceeds the limit of {most}"
    ))
}

/// A projection without type.
pub fn projection_without_type() -> String {
    invalid("Unknown ProjectionType: null")
}

/// A projection of `ALL` or `KEYS_ONLY` that names attributes.
pub fn projection_with_names(projection: &str) -> String {
    invalid(format_args!("ProjectionType is {projection}, but NonKeyAttributes is specified"))
}

/// A projection of `INCLUDE` that names none.
pub fn projection_without_names() -> String {
    invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
}

/// A projection that names an attribute twice.
pub fn projection_names_twice(name: &str) -> String {
    invalid(format_args!("Duplicate element in NonKeyAttributes: {name}"))
}

/// A global index is added under a name that is taken.
pub fn index_exists() -> String {
    "Attempting to create an index which already exists".to_owned()
}

/// A local index is to be deleted (`delete`) or updated (`update`).
pub fn index_is_not_global(verb: &str, index: &str) -> String {
    format!("Cannot {verb} an index that is not a GlobalSecondaryIndex: {index}")
}

/// More than one index is added or deleted.
pub fn one_online_index() -> String {
    subscriber_limit("Only 1 online index can be created or deleted simultaneously per table")
}

/// An index update without action.
pub fn index_update_is_empty() -> String {
    invalid(
        "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
         GlobalSecondaryIndexUpdate.Delete must not be null",
    )
}

/// An index update with several actions.
pub fn index_update_does_several() -> String {
    invalid("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
}

/// Two updates of one index.
pub fn index_updated_twice(index: &str) -> String {
    invalid(format_args!(
        "Only one global secondary index update per index is allowed simultaneously. Index: {index}"
    ))
}

// -- billing and throughput

/// Provisioned throughput on an on-demand table.
pub fn throughput_on_demand() -> String {
    invalid(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    )
}

/// `CreateTable` without throughput.
pub fn throughput_missing() -> String {
    invalid("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
}

/// `UpdateTable` to PROVISIONED without throughput.
pub fn throughput_missing_in_update() -> String {
    invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
}

/// `UpdateTable` to PROVISIONED without throughput of an index.
pub fn throughput_missing_for_index(index: &str) -> String {
    invalid(format_args!("ProvisionedThroughput must be specified for index: {index}"))
}

/// `CreateTable` without throughput of an index.
pub fn throughput_not_specified(index: &str) -> String {
    invalid(format_args!("ProvisionedThroughput is not specified for index: {index}"))
}

/// `CreateTable` of an on-demand table with throughput of an index.
pub fn throughput_of_index_on_demand(index: &str) -> String {
    invalid(format_args!(
        "ProvisionedThroughput should not be specified for index: {index} when BillingMode is PAY_PER_REQUEST"
    ))
}

/// An index with throughput is added to an on-demand table.
pub fn units_of_index_on_demand(index: &str) -> String {
    invalid(format_args!(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {index} when BillingMode is \
         PAY_PER_REQUEST"
    ))
}

/// An index without throughput is added to a provisioned table.
pub fn units_missing_for_index(index: &str) -> String {
    invalid(format_args!(
        "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {index}"
    ))
}

/// An index of an on-demand table is updated in another respect than its maxima.
pub fn index_update_on_demand(index: &str) -> String {
    invalid(format_args!(
        "The only Updates for index: {index} when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, \
         WarmThroughput"
    ))
}

/// What is changed, in texts on throughput: the table, or an index.
#[derive(Clone, Copy, Debug)]
pub enum Owner<'a> {
    /// The table.
    Table,
    /// The index of that name.
    Index(&'a str),
}

/// Throughput that stays as it is.
pub fn throughput_unchanged(owner: Owner<'_>, now: (u64, u64)) -> String {
    let (of, provisioned) = match owner {
        Owner::Table => ("the table".to_owned(), "the table".to_owned()),
        Owner::Index(index) => (format!("the index {index}"), format!("index {index}")),
    };
    let (read, write) = now;
    format!(
        "The provisioned throughput for {of} will not change. The requested value equals the current value. Current \
         ReadCapacityUnits provisioned for {provisioned}: {read}. Requested ReadCapacityUnits: {read}. Current \
         WriteCapacityUnits provisioned for {provisioned}: {write}. Requested WriteCapacityUnits: {write}. {GUIDE}"
    )
}

/// More throughput than a table or index may have; `units` is `ReadCapacityUnits` or `WriteCapacityUnits`.
pub fn throughput_above_maximum(
    owner: Owner<'_>,
    units: &str,
    value: u64,
    region: &str,
    most: u64,
) -> String {
    let (of, what) = match owner {
        Owner::Table => (String::new(), "table"),
        Owner::Index(index) => (format!(" for index {index}"), "index"),
    };
    format!(
        "The requested {units}{of}, {value}, is above the per {what} maximum for the account in {region}. Per table \
         maximum: {most}. {GUIDE}"
    )
}

/// More throughput than is left for the account.
pub fn account_throughput_exceeded(
    units: &str,
    region: &str,
    reserved: u64,
    most: u64,
    value: u64,
) -> String {
    format!(
        "This request would have caused the {units} limit to be exceeded for the account in {region}. Current {units} \
         reserved by the account: {reserved}. Limit: {most}. Requested: {value}. {GUIDE}"
    )
}

/// One decrease of throughput too many; the dates are printed as `Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time`.
pub fn too_many_decreases(today: u32, last: &str, next: &str) -> String {
    subscriber_limit(format_args!(
        "Provisioned throughput decreases are limited within a given UTC day. After the first 4 decreases, each \
         subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number of decreases \
         today: {today}. Last decrease at {last}. Next decrease can be made at {next}"
    ))
}

/// One change to on-demand too many. AWS's text under today's rule has no record.
pub fn too_many_switches(most: u32) -> String {
    subscriber_limit(format_args!(
        "Update to PayPerRequest mode are limited to {most} times in 1 day(s). Please try again later."
    ))
}

/// On-demand maxima on a provisioned table, in `CreateTable`; `units` is `MaxReadRequestUnits` or `MaxWriteRequestUnits`.
pub fn maximum_on_provisioned(owner: Owner<'_>, units: &str) -> String {
    let of = match owner {
        Owner::Table => String::new(),
        Owner::Index(index) => format!(" for index: {index}"),
    };
    invalid(format_args!(
        "{units} for OnDemandThroughput{of} cannot be specified when table BillingMode is PROVISIONED."
    ))
}

/// The same, in `UpdateTable`.
pub fn maximum_on_provisioned_update(owner: Owner<'_>, units: &str) -> String {
    let of = match owner {
        Owner::Table => String::new(),
        Owner::Index(index) => format!(" for index : {index}"),
    };
    invalid(format_args!(
        "{units} for OnDemandThroughput{of} cannot be specified when the table BillingMode is PROVISIONED"
    ))
}

/// An on-demand maximum of nothing or less.
pub fn maximum_out_of_range(owner: Owner<'_>, units: &str) -> String {
    invalid(format_args!(
        "Requested {units} for OnDemandThroughput for {} is outside of valid range",
        spaced(owner)
    ))
}

/// An on-demand maximum above what a table may have; `quota` is `TableMaxReadCapacityUnits` or its counterpart.
pub fn maximum_above_quota(owner: Owner<'_>, units: &str, quota: &str, region: &str) -> String {
    subscriber_limit(format_args!(
        "Requested {units} for OnDemandThroughput for {} exceeds {quota} of the account in region {region}",
        spaced(owner)
    ))
}

/// How texts on maxima name their owner.
fn spaced(owner: Owner<'_>) -> String {
    match owner {
        Owner::Table => "table".to_owned(),
        Owner::Index(index) => format!("index : {index}"),
    }
}

/// How texts on warm throughput name their owner.
fn plain(owner: Owner<'_>) -> String {
    match owner {
        Owner::Table => "table".to_owned(),
        Owner::Index(index) => format!("index {index}"),
    }
}

/// Warm throughput below what an on-demand table starts with; `units` is `ReadUnitsPerSecond` or `WriteUnitsPerSecond`.
pub fn warm_below_initial(owner: Owner<'_>, units: &str) -> String {
    invalid(format_args!(
        "Requested {units} for WarmThroughput for {} is lower than initial throughput for OnDemand. See: \
         https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html\
         #on-demand-capacity-mode-initial",
        plain(owner)
    ))
}

/// Warm throughput below what is provisioned; `provisioned` is `ReadCapacityUnits` or `WriteCapacityUnits`.
pub fn warm_below_provisioned(owner: Owner<'_>, units: &str, provisioned: &str) -> String {
    invalid(format_args!(
        "Requested {units} for WarmThroughput for {} is lower than {provisioned} of ProvisionedThroughput",
        plain(owner)
    ))
}

/// Warm throughput below what it is.
pub fn warm_decreases(owner: Owner<'_>, units: &str) -> String {
    invalid(format_args!(
        "Requested {units} for WarmThroughput for {} is lower than current WarmThroughput, decreasing WarmThroughput is \
         not supported",
        plain(owner)
    ))
}

/// Warm throughput above what a table may have.
pub fn warm_above_quota(owner: Owner<'_>, units: &str, quota: &str, region: &str) -> String {
    subscriber_limit(format_args!(
        "Requested {units} for WarmThroughput for {} exceeds {quota} of the account in region {region}",
        plain(owner)
    ))
}

/// Warm throughput of an index that says nothing.
pub fn warm_is_empty(index: &str) -> String {
    invalid(format_args!(
        "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: {index}"
    ))
}

// -- what goes together in UpdateTable

/// `UpdateTable` that changes nothing.
pub fn nothing_to_update() -> String {
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, \
     SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, \
     DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
        .to_owned()
}

/// A change that goes with no other; `what` is `Server-Side Encryption modification` or the like.
pub fn only_operation(what: &str) -> String {
    invalid(format_args!("{what} must be the only operation in the request"))
}

/// On-demand maxima with another change than the billing mode's.
pub fn on_demand_with_others() -> String {
    invalid("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
}

/// A stream change together with a throughput change.
pub fn stream_with_throughput() -> String {
    invalid("You cannot modify stream status while updating table IOPS")
}

/// An index that comes or goes together with a throughput change.
pub fn index_with_throughput() -> String {
    invalid("You cannot create or delete index while updating table IOPS")
}

/// An index that comes or goes together with a stream change.
pub fn index_with_stream() -> String {
    invalid("You cannot create or delete index while changing stream status")
}

/// An index that is added together with a change of warm throughput.
pub fn index_with_warm() -> String {
    invalid("Create global secondary index cannot be specified when updating WarmThroughput")
}

// -- streams, encryption, class

/// A stream with a table, without view type.
pub fn new_stream_without_view() -> String {
    invalid("Table is being created with a stream enabled, UpdateViewType is required")
}

/// No stream with a table, but a view type.
pub fn new_stream_off_with_view() -> String {
    invalid("Table is being created with a stream disabled, UpdateViewType should not be specified")
}

/// A stream is enabled without view type.
pub fn stream_without_view() -> String {
    invalid("If stream is being enabled then UpdateViewType is required")
}

/// A stream is disabled with a view type.
pub fn stream_off_with_view() -> String {
    invalid("If stream is being disabled, then UpdateViewType must not be specified")
}

/// A stream is enabled where there is one.
pub fn stream_is_on(table: &str) -> String {
    format!("Table already has an enabled stream: TableName: {table}")
}

/// A stream is disabled where there is none.
pub fn stream_is_off(table: &str) -> String {
    format!("Table has no stream to disable: TableName: {table}")
}

/// Encryption is turned off and described at once; `member` is `SSEType` or `KMSMasterKeyId`.
pub fn encryption_off_with(member: &str) -> String {
    invalid(format_args!("{member} can not be specified if Enabled is false"))
}

/// A key without the type that takes keys.
pub fn encryption_key_without_type() -> String {
    invalid("SSEType KMS is required if KMSMasterKeyId is specified")
}

/// Encryption by S3's type.
pub fn encryption_type_unsupported() -> String {
    invalid("SSEType AES256 is not supported")
}

/// Encryption is turned off where it is off.
pub fn encryption_is_default() -> String {
    invalid("Table is already encrypted by default")
}

/// Encryption by the key that is in use.
pub fn encryption_key_unchanged() -> String {
    invalid(
        "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key",
    )
}

/// One change of encryption too many; dates in ISO 8601.
pub fn too_many_encryption_changes(window_end: &str, today: usize, last: &str, next: &str) -> String {
    subscriber_limit(format_args!(
        "Encryption mode changes are limited in the 24h window ending at {window_end}. After the first 4 change, each \
         subsequent change in the same window can be performed at most once every 21600 seconds. Number of updates \
         today: {today}. Last change at {last}. Next changes can be made at {next}."
    ))
}

/// One change of the table class too many.
pub fn too_many_class_changes() -> String {
    subscriber_limit("Updates to TableClass are limited to 2 times in 30 day(s).")
}

// -- tags

/// No tags to add.
pub fn no_tags() -> String {
    "Atleast one Tag needs to be provided as Input.".to_owned()
}

/// No tags to remove.
pub fn no_tag_keys() -> String {
    "Atleast one Tag Key needs to be provided as Input.".to_owned()
}

/// A tag key that is too long, empty, or of other characters than allowed.
pub fn tag_key_invalid(key: &str) -> String {
    format!("The Tag Key provided is invalid, Key: {key}")
}

/// A tag value that is too long or of other characters than allowed.
pub fn tag_value_invalid(value: &str) -> String {
    format!("The Tag Value provided is invalid, Value: {value}")
}

/// A tag key that AWS keeps for itself.
pub fn tag_key_reserved(key: &str) -> String {
    format!("Tag Key cannot be prefixed with aws:, Key: {key}")
}

/// Two tags of one key.
pub fn tag_key_twice(key: &str) -> String {
    format!("Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
}

/// More than 50 tags.
pub fn too_many_tags() -> String {
    "Number of Tags exceed the current limit for the provided ResourceArn".to_owned()
}

/// A token that did not come from here. AWS's text has no record.
pub fn next_token_invalid() -> String {
    "Invalid NextToken".to_owned()
}

// -- time to live

/// Expiry is enabled where it is.
pub fn expiry_is_on() -> String {
    "TimeToLive is already enabled".to_owned()
}

/// Expiry is disabled where it is.
pub fn expiry_is_off() -> String {
    "TimeToLive is already disabled".to_owned()
}

/// Expiry goes by another attribute.
pub fn expiry_on_other_attribute(current: &str) -> String {
    format!("TimeToLive is active on a different AttributeName: current AttributeName is {current}")
}

/// Expiry was changed a short while ago.
pub fn expiry_changed_lately() -> String {
    "Time to live has been modified multiple times within a fixed interval".to_owned()
}

/// Expiry of a table that is not usable; `state` is `CREATING` or `DELETING`.
pub fn expiry_not_described(state: &str) -> String {
    format!("Cannot describe time to live while table is in {state} state: Current table state is {state}")
}

// -- the account

/// One table too many. AWS's text under today's limit has no record; its older form named 256.
pub fn too_many_tables(most: usize) -> String {
    subscriber_limit(format_args!("There is a limit of {most} tables per subscriber"))
}

/// A resource policy that is too long.
pub fn policy_too_long(most: usize) -> String {
    invalid(format_args!("Maximum policy size of {most} bytes exceeded"))
}

// -- what is not built: these texts are ours

/// A member that is understood but not built yet.
pub fn not_supported(member: &str) -> String {
    invalid(format_args!("{member} is not supported"))
}
