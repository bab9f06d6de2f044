//! `UpdateTable`: what goes together, what it refuses, what it changes.

use super::*;

const DAY: Duration = Duration::from_hours(24);
const HOUR: Duration = Duration::from_hours(1);

fn billing(mode: BillingMode, throughput: Option<ProvisionedThroughput>) -> UpdateTableInput {
    UpdateTableInput { billing_mode: Some(mode), provisioned_throughput: throughput, ..update("orders") }
}

fn throughput(read: i64, write: i64) -> UpdateTableInput {
    UpdateTableInput { provisioned_throughput: Some(units(read, write)), ..update("orders") }
}

fn class(class: TableClass) -> UpdateTableInput {
    UpdateTableInput { table_class: Some(class), ..update("orders") }
}

fn protection(on: bool) -> UpdateTableInput {
    UpdateTableInput { deletion_protection_enabled: Some(on), ..update("orders") }
}

fn stream(stream_enabled: bool, stream_view_type: Option<StreamViewType>) -> UpdateTableInput {
    UpdateTableInput {
        stream_specification: Some(StreamSpecification { stream_enabled, stream_view_type }),
        ..update("orders")
    }
}

fn encryption(enabled: bool, key: Option<&str>) -> UpdateTableInput {
    let specification = SSESpecification {
        enabled: Some(enabled),
        sse_type: key.map(|_| SSEType::Kms),
        kms_master_key_id: key.map(str::to_owned),
    };
    UpdateTableInput { sse_specification: Some(specification), ..update("orders") }
}

fn maxima(read: Option<i64>, write: Option<i64>) -> UpdateTableInput {
    let maxima = OnDemandThroughput { max_read_request_units: read, max_write_request_units: write };
    UpdateTableInput { on_demand_throughput: Some(maxima), ..update("orders") }
}

fn warm(read: Option<i64>, write: Option<i64>) -> UpdateTableInput {
    let warm = WarmThroughput { read_units_per_second: read, write_units_per_second: write };
    UpdateTableInput { warm_throughput: Some(warm), ..update("orders") }
}

/// A world with the table that `input` makes.
fn with(input: CreateTableInput) -> World {
    let world = World::new();
    world.create(input);
    world
}

fn on_demand() -> World {
    with(table("orders"))
}

/// A provisioned table with the index `by-a`, 5 units each.
fn provisioned_with_index() -> World {
    let index =
        GlobalSecondaryIndex { provisioned_throughput: Some(units(5, 5)), ..global("by-a", &["a"], &[]) };
    with(CreateTableInput {
        billing_mode: None,
        provisioned_throughput: Some(units(5, 5)),
        ..indexed("orders", &["a"], vec![index])
    })
}

const NOTHING: &str = "ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, \
    GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, \
    MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required";
const ONE_INDEX: &str = "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted \
    simultaneously per table";

#[test]
fn a_request_changes_something() {
    let world = on_demand();
    assert_eq!(world.refusal(update("orders")), NOTHING);
    let definitions =
        UpdateTableInput { attribute_definitions: Some(definitions(&["pk"])), ..update("orders") };
    assert_eq!(world.refusal(definitions), NOTHING);
    assert_eq!(world.refusal(index_updates("orders", Vec::new())), NOTHING);
    assert_eq!(world.refusal(maxima(None, None)), NOTHING);
    assert_eq!(world.refusal(warm(None, None)), NOTHING);
    assert_eq!(world.refusal(update("missing")), NOTHING);
}

#[test]
fn a_table_that_is_not_there_is_told_by_name() {
    assert_eq!(
        on_demand().refusal(UpdateTableInput { table_name: "missing".to_owned(), ..protection(true) }),
        "ResourceNotFoundException: Requested resource not found: Table: missing not found"
    );
}

#[test]
fn most_changes_go_alone() {
    let world = on_demand();
    let only = |what: &str| invalid(&format!("{what} must be the only operation in the request"));
    let both = |one: UpdateTableInput, other: UpdateTableInput| UpdateTableInput {
        sse_specification: one.sse_specification.or(other.sse_specification),
        table_class: one.table_class.or(other.table_class),
        deletion_protection_enabled: one.deletion_protection_enabled.or(other.deletion_protection_enabled),
        warm_throughput: one.warm_throughput.or(other.warm_throughput),
        on_demand_throughput: one.on_demand_throughput.or(other.on_demand_throughput),
        stream_specification: one.stream_specification.or(other.stream_specification),
        provisioned_throughput: one.provisioned_throughput.or(other.provisioned_throughput),
        billing_mode: one.billing_mode.or(other.billing_mode),
        ..update("orders")
    };
    let infrequent = class(TableClass::StandardInfrequentAccess);
    let view = || stream(true, Some(StreamViewType::NewImage));
    let encrypted = only("Server-Side Encryption modification");
    assert_eq!(world.refusal(both(encryption(true, None), infrequent.clone())), encrypted);
    assert_eq!(world.refusal(both(protection(true), encryption(true, None))), encrypted);
    assert_eq!(world.refusal(both(protection(true), infrequent)), only("TableClass modification"));
    assert_eq!(
        world.refusal(both(warm(Some(13_000), None), protection(true))),
        only("DeletionProtection modification")
    );
    assert_eq!(world.refusal(both(warm(Some(13_000), None), view())), only("WarmThroughput"));
    assert_eq!(
        world.refusal(both(maxima(Some(5), None), view())),
        invalid("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
    );
    assert_eq!(
        world.refusal(both(throughput(1, 1), view())),
        invalid("You cannot modify stream status while updating table IOPS")
    );
}

#[test]
fn adding_an_index_goes_with_few_other_changes() {
    let world = on_demand();
    let with_warm = UpdateTableInput {
        warm_throughput: warm(Some(13_000), None).warm_throughput,
        ..add_index("orders", "by-a", "a")
    };
    assert_eq!(
        world.refusal(with_warm),
        invalid("Create global secondary index cannot be specified when updating WarmThroughput")
    );
    let with_units =
        UpdateTableInput { provisioned_throughput: Some(units(1, 1)), ..add_index("orders", "by-a", "a") };
    assert_eq!(
        world.refusal(with_units),
        invalid("You cannot create or delete index while updating table IOPS")
    );
    let with_stream = UpdateTableInput {
        stream_specification: stream(true, Some(StreamViewType::NewImage)).stream_specification,
        ..add_index("orders", "by-a", "a")
    };
    assert_eq!(
        world.refusal(with_stream),
        invalid("You cannot create or delete index while changing stream status")
    );
}

#[test]
fn a_change_to_on_demand_may_bring_a_stream_or_maxima_along() {
    let world = with(provisioned("orders", 1, 1));
    world.update(UpdateTableInput {
        stream_specification: stream(true, Some(StreamViewType::NewImage)).stream_specification,
        ..billing(BillingMode::PayPerRequest, None)
    });
    let description = world.describe("orders");
    assert!(description.stream_specification.is_some());
    assert_eq!(description.billing_mode_summary.unwrap().billing_mode, Some(BillingMode::PayPerRequest));
    let world = with(provisioned("orders", 1, 1));
    world.update(UpdateTableInput {
        on_demand_throughput: maxima(Some(7), None).on_demand_throughput,
        ..billing(BillingMode::PayPerRequest, None)
    });
    assert_eq!(world.describe("orders").on_demand_throughput.unwrap().max_read_request_units, Some(7));
}

#[test]
fn what_is_not_built_is_refused() {
    let replicas = UpdateTableInput {
        replica_updates: Some(vec![ReplicationGroupUpdate::default()]),
        ..update("orders")
    };
    assert_eq!(on_demand().refusal(replicas), invalid("ReplicaUpdates is not supported"));
    let vectors = UpdateTableInput { vector_index_updates: Some(Vec::new()), ..update("orders") };
    assert_eq!(on_demand().refusal(vectors), invalid("VectorIndexUpdates is not supported"));
}

// -- billing and throughput

#[test]
fn throughput_goes_with_the_billing_mode() {
    let world = on_demand();
    let neither = invalid(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    );
    assert_eq!(world.refusal(throughput(5, 5)), neither);
    assert_eq!(world.refusal(billing(BillingMode::PayPerRequest, Some(units(5, 5)))), neither);
    assert_eq!(
        world.refusal(billing(BillingMode::Provisioned, None)),
        invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    );
}

#[test]
fn throughput_that_stays_as_it_is_is_refused() {
    let world = with(provisioned("orders", 5, 6));
    let unchanged = "ValidationException: The provisioned throughput for the table will not change. The requested value \
                     equals the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested \
                     ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 6. Requested \
                     WriteCapacityUnits: 6. Refer to the Amazon DynamoDB Developer Guide for current limits and how to \
                     request higher limits.";
    assert_eq!(world.refusal(throughput(5, 6)), unchanged);
    assert_eq!(world.refusal(billing(BillingMode::Provisioned, Some(units(5, 6)))), unchanged);
    world.update(throughput(5, 7));
}

#[test]
fn the_answer_shows_the_units_before_the_change() {
    let world = with(provisioned("orders", 5, 5));
    let answer = world.update(throughput(10, 10));
    assert_eq!(answer.table_status, Some(TableStatus::Updating));
    let shown = answer.provisioned_throughput.unwrap();
    assert_eq!((shown.read_capacity_units, shown.write_capacity_units), (Some(5), Some(5)));
    let now = world.describe("orders").provisioned_throughput.unwrap();
    assert_eq!((now.read_capacity_units, now.write_capacity_units), (Some(10), Some(10)));
    assert_eq!(now.last_increase_date_time, Some(Timestamp::from_ms(1_767_225_600_000)));
    assert_eq!(now.last_decrease_date_time, None);
    assert_eq!(now.number_of_decreases_today, Some(0));
}

#[test]
fn throughput_shrinks_four_times_a_day_and_then_once_an_hour() {
    let world = with(provisioned("orders", 10, 10));
    for read in [9, 8, 7, 6] {
        world.update(throughput(read, 10));
        world.advance(Duration::from_secs(1));
    }
    let decreases = |world: &World| {
        world.describe("orders").provisioned_throughput.unwrap().number_of_decreases_today.unwrap()
    };
    assert_eq!(decreases(&world), 4);
    let limited = |today: u32, last: &str, next: &str| {
        format!(
            "LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases are limited within a \
             given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be performed \
             at most once every 3600 seconds. Number of decreases today: {today}. Last decrease at Thursday, January 1, \
             2026 at {last} Coordinated Universal Time. Next decrease can be made at Thursday, January 1, 2026 at {next} \
             Coordinated Universal Time"
        )
    };
    assert_eq!(world.refusal(throughput(5, 10)), limited(4, "12:00:03 AM", "1:00:03 AM"));
    world.update(throughput(6, 11));
    // A decrease of one side is a decrease, whatever the other does.
    assert_eq!(world.refusal(throughput(5, 12)), limited(4, "12:00:03 AM", "1:00:03 AM"));
    world.advance(Duration::from_secs(3598));
    assert!(world.refusal(throughput(5, 11)).starts_with("LimitExceededException"));
    world.advance(Duration::from_secs(1));
    world.update(throughput(5, 11));
    assert_eq!(world.refusal(throughput(4, 11)), limited(5, "1:00:03 AM", "2:00:03 AM"));
    world.advance(Duration::from_hours(22));
    assert_eq!(decreases(&world), 5);
    world.advance(HOUR);
    assert_eq!(decreases(&world), 0);
    world.update(throughput(4, 11));
    assert_eq!(decreases(&world), 1);
}

#[test]
fn a_table_and_its_indexes_shrink_on_separate_accounts() {
    let world = provisioned_with_index();
    for read in [4, 3, 2, 1] {
        world.update(throughput(read, 5));
    }
    let both = UpdateTableInput {
        global_secondary_index_updates: Some(vec![update_index("by-a", Some(units(4, 5)))]),
        ..throughput(1, 4)
    };
    assert!(world.refusal(both).starts_with("LimitExceededException"));
    let of_index = |world: &World| {
        let description = world.describe("orders");
        index(&description, "by-a").unwrap().provisioned_throughput.clone().unwrap()
    };
    assert_eq!(of_index(&world).read_capacity_units, Some(5));
    world.update(index_updates("orders", vec![update_index("by-a", Some(units(4, 5)))]));
    assert_eq!(of_index(&world).number_of_decreases_today, Some(1));
}

#[test]
fn a_table_becomes_provisioned_with_units_for_every_index() {
    let world = with(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    assert_eq!(
        world.refusal(billing(BillingMode::Provisioned, Some(units(5, 5)))),
        invalid("ProvisionedThroughput must be specified for index: by-a")
    );
    let answer = world.update(UpdateTableInput {
        global_secondary_index_updates: Some(vec![update_index("by-a", Some(units(6, 6)))]),
        ..billing(BillingMode::Provisioned, Some(units(5, 5)))
    });
    assert_eq!(answer.provisioned_throughput.unwrap().read_capacity_units, Some(5));
    let description = world.describe("orders");
    let summary = description.billing_mode_summary.as_ref().unwrap();
    assert_eq!(summary.billing_mode, Some(BillingMode::Provisioned));
    assert!(summary.last_update_to_pay_per_request_date_time.is_some());
    let of_index = index(&description, "by-a").unwrap().provisioned_throughput.as_ref().unwrap();
    assert_eq!(of_index.read_capacity_units, Some(6));
}

#[test]
fn a_table_becomes_on_demand_four_times_a_day() {
    let world = on_demand();
    let there = || billing(BillingMode::Provisioned, Some(units(1, 1)));
    for _ in 0..4 {
        world.update(there());
        world.update(billing(BillingMode::PayPerRequest, None));
    }
    world.update(there());
    assert_eq!(
        world.refusal(billing(BillingMode::PayPerRequest, None)),
        "LimitExceededException: Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 \
         day(s). Please try again later."
    );
    world.advance(DAY);
    world.update(billing(BillingMode::PayPerRequest, None));
}

#[test]
fn a_change_of_billing_mode_drops_what_belongs_to_the_other() {
    let world = on_demand();
    world.update(maxima(Some(100), Some(100)));
    world.update(billing(BillingMode::Provisioned, Some(units(5, 5))));
    let description = world.describe("orders");
    assert_eq!(description.on_demand_throughput, None);
    assert_eq!(description.warm_throughput.unwrap().read_units_per_second, Some(12_000));
    assert_eq!(
        world.refusal(maxima(Some(100), None)),
        invalid(
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED"
        )
    );
    world.update(billing(BillingMode::PayPerRequest, None));
    let units = world.describe("orders").provisioned_throughput.unwrap();
    assert_eq!((units.read_capacity_units, units.write_capacity_units), (Some(0), Some(0)));
}

#[test]
fn a_billing_mode_that_is_the_tables_already_changes_nothing() {
    let world = on_demand();
    let answer = world.update(billing(BillingMode::PayPerRequest, None));
    assert_eq!(answer.table_status, Some(TableStatus::Updating));
    assert_eq!(world.describe("orders").table_status, Some(TableStatus::Active));
}

#[test]
fn on_demand_maxima_merge_and_are_lifted_by_minus_one() {
    let world = on_demand();
    world.update(maxima(Some(1000), Some(500)));
    let shown = |maxima: Option<OnDemandThroughput>| {
        maxima.map(|maxima| (maxima.max_read_request_units, maxima.max_write_request_units))
    };
    let answer = world.update(maxima(Some(-1), None));
    assert_eq!(answer.table_status, Some(TableStatus::Active));
    assert_eq!(shown(answer.on_demand_throughput), Some((Some(-1), Some(500))));
    assert_eq!(shown(world.describe("orders").on_demand_throughput), Some((None, Some(500))));
    let answer = world.update(maxima(None, Some(-1)));
    assert_eq!(shown(answer.on_demand_throughput), Some((None, Some(-1))));
    assert_eq!(shown(world.describe("orders").on_demand_throughput), None);
    for value in [0, -2] {
        assert_eq!(
            world.refusal(maxima(Some(value), None)),
            invalid(
                "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"
            )
        );
    }
}

#[test]
fn warm_throughput_only_grows() {
    let world = with(provisioned("orders", 5, 5));
    world.update(throughput(20, 5));
    world.update(throughput(1, 1));
    let shown = |warm: Option<TableWarmThroughputDescription>| {
        let warm = warm.unwrap();
        (warm.read_units_per_second.unwrap(), warm.write_units_per_second.unwrap(), warm.status.unwrap())
    };
    assert_eq!(shown(world.describe("orders").warm_throughput), (20, 5, TableStatus::Active));
    assert_eq!(
        world.refusal(warm(Some(10), None)),
        invalid(
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing \
             WarmThroughput is not supported"
        )
    );
    let answer = world.update(warm(None, Some(50)));
    assert_eq!(answer.table_status, Some(TableStatus::Active));
    assert_eq!(shown(answer.warm_throughput), (20, 5, TableStatus::Updating));
    assert_eq!(shown(world.describe("orders").warm_throughput), (20, 50, TableStatus::Active));
    assert_eq!(
        world.refusal(warm(Some(40_001), None)),
        "LimitExceededException: Subscriber limit exceeded: Requested ReadUnitsPerSecond for WarmThroughput for table \
         exceeds TableMaxReadCapacityUnits of the account in region us-east-1"
    );
}

// -- indexes

#[test]
fn an_index_is_added_with_the_definitions_it_needs() {
    let world = on_demand();
    let answer = world.update(add_index("orders", "by-a", "a"));
    assert_eq!(answer.table_status, Some(TableStatus::Updating));
    let added = index(&answer, "by-a").unwrap();
    assert_eq!((added.index_status, added.backfilling), (Some(IndexStatus::Creating), Some(false)));
    let description = world.describe("orders");
    assert_eq!(names(&description), ["a", "pk"]);
    let active = index(&description, "by-a").unwrap();
    assert_eq!((active.index_status, active.backfilling), (Some(IndexStatus::Active), None));
    assert_eq!(active.key_schema, Some(key(&["a"], &[])));
}

#[test]
fn a_new_index_needs_its_definitions_in_the_request_itself() {
    let world = with(composite("orders", &[]));
    let without = UpdateTableInput { attribute_definitions: None, ..add_index("orders", "by-sk", "sk") };
    assert_eq!(world.refusal(without), invalid("AttributeDefinitions is not specified for index: by-sk"));
    let wrong = UpdateTableInput {
        attribute_definitions: Some(definitions(&["pk"])),
        ..add_index("orders", "by-sk", "sk")
    };
    assert_eq!(
        world.refusal(wrong),
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [sk], AttributeDefinitions: [pk]"
        )
    );
}

#[test]
fn definitions_are_a_delta_that_keeps_types_and_drops_what_is_not_used() {
    let world = with(composite("orders", &[]));
    let mut input = add_index("orders", "by-sk", "sk");
    let mut more = definitions(&["sk", "unused"]);
    more[0].attribute_type = ScalarAttributeType::N;
    input.attribute_definitions = Some(more);
    world.update(input);
    let description = world.describe("orders");
    assert_eq!(names(&description), ["pk", "sk"]);
    let kinds = description.attribute_definitions.unwrap();
    assert!(kinds.iter().all(|definition| definition.attribute_type == ScalarAttributeType::S));
    let ignored =
        UpdateTableInput { attribute_definitions: Some(definitions(&["stale"])), ..protection(true) };
    world.update(ignored);
    assert_eq!(names(&world.describe("orders")), ["pk", "sk"]);
}

#[test]
fn an_index_with_several_key_attributes_can_be_added() {
    let world = on_demand();
    let mut input = add_index("orders", "wide", "a");
    input.attribute_definitions = Some(definitions(&["a", "b", "c", "d"]));
    let updates = input.global_secondary_index_updates.as_mut().unwrap();
    updates[0].create.as_mut().unwrap().key_schema = key(&["a", "b"], &["c", "d"]);
    world.update(input);
    let table = world.catalog.active(&world.scope, "orders").unwrap();
    let of = |attributes: &[hashrange_item::KeyAttribute]| {
        attributes.iter().map(|attribute| attribute.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(&table.schema.globals[0].hash), ["a", "b"]);
    assert_eq!(of(&table.schema.globals[0].range), ["c", "d"]);
}

#[test]
fn elements_have_one_action_each_and_name_an_index_once() {
    let world = with(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    assert_eq!(
        world.refusal(index_updates("orders", vec![GlobalSecondaryIndexUpdate::default()])),
        invalid(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
             GlobalSecondaryIndexUpdate.Delete must not be null"
        )
    );
    let both =
        GlobalSecondaryIndexUpdate { delete: delete_index("by-a").delete, ..update_index("by-a", None) };
    assert_eq!(
        world.refusal(index_updates("orders", vec![both])),
        invalid("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
    );
    assert_eq!(
        world.refusal(index_updates("orders", vec![delete_index("by-a"), update_index("by-a", None)])),
        invalid("Only one global secondary index update per index is allowed simultaneously. Index: by-a")
    );
    let empty = UpdateTableInput {
        global_secondary_index_updates: Some(Vec::new()),
        ..billing(BillingMode::PayPerRequest, None)
    };
    assert_eq!(world.refusal(empty), invalid("List of GlobalSecondaryIndexUpdates is empty"));
}

#[test]
fn one_index_is_added_or_deleted_at_a_time() {
    let world =
        with(indexed("orders", &["a", "b"], vec![global("by-a", &["a"], &[]), global("by-b", &["b"], &[])]));
    let two = index_updates("orders", vec![delete_index("by-a"), delete_index("by-b")]);
    assert_eq!(world.refusal(two), ONE_INDEX);
    world.put_item("orders", 1);
    world.update(add_index("orders", "by-c", "c"));
    // There are items, so that the index is being filled; nothing else comes or goes meanwhile, but it may be given up.
    assert_eq!(world.refusal(add_index("orders", "by-d", "d")), ONE_INDEX);
    assert_eq!(world.refusal(index_updates("orders", vec![delete_index("by-a")])), ONE_INDEX);
    assert_eq!(
        world.refusal(delete("orders")),
        in_use("Cannot delete table while indexes are being created, updated, or deleted.")
    );
    world.update(index_updates("orders", vec![delete_index("by-c")]));
    world.update(add_index("orders", "by-d", "d"));
}

#[test]
fn index_names_are_looked_up() {
    let world = with(CreateTableInput {
        local_secondary_indexes: Some(vec![local("local", "sk")]),
        ..indexed("orders", &["a"], vec![global("by-a", &["a"], &[])])
    });
    for taken in ["by-a", "local"] {
        assert_eq!(
            world.refusal(add_index("orders", taken, "a")),
            "ValidationException: Attempting to create an index which already exists"
        );
    }
    assert_eq!(
        world.refusal(index_updates("orders", vec![delete_index("ghost")])),
        "ResourceNotFoundException: Requested resource not found: Index ghost for table orders"
    );
    assert_eq!(
        world.refusal(index_updates("orders", vec![delete_index("local")])),
        "ValidationException: Cannot delete an index that is not a GlobalSecondaryIndex: local"
    );
    assert_eq!(
        world.refusal(index_updates("orders", vec![update_index("local", None)])),
        "ValidationException: Cannot update an index that is not a GlobalSecondaryIndex: local"
    );
}

#[test]
fn a_table_has_twenty_global_indexes() {
    let globals = (0..20).map(|at| global(&format!("index-{at}"), &["a"], &[])).collect();
    let world = with(indexed("orders", &["a"], globals));
    assert_eq!(
        world.refusal(add_index("orders", "one-more", "a")),
        "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of \
         20"
    );
}

#[test]
fn throughput_of_indexes_goes_with_the_billing_mode() {
    let world = with(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    let on_demand = invalid(
        "The only Updates for index: by-a when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, \
         WarmThroughput",
    );
    for throughput in [None, Some(units(1, 1))] {
        assert_eq!(world.refusal(index_updates("orders", vec![update_index("by-a", throughput)])), on_demand);
    }
    let with_units = |mut input: UpdateTableInput| {
        let updates = input.global_secondary_index_updates.as_mut().unwrap();
        updates[0].create.as_mut().unwrap().provisioned_throughput = Some(units(1, 1));
        input
    };
    assert_eq!(
        world.refusal(with_units(add_index("orders", "by-b", "b"))),
        invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: by-b when BillingMode is \
             PAY_PER_REQUEST"
        )
    );
    let world = provisioned_with_index();
    assert_eq!(
        world.refusal(add_index("orders", "by-b", "b")),
        invalid("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: by-b")
    );
    world.update(with_units(add_index("orders", "by-b", "b")));
}

#[test]
fn the_units_of_an_index_change_while_the_table_stays_active() {
    let world = provisioned_with_index();
    let change = |read, write| index_updates("orders", vec![update_index("by-a", Some(units(read, write)))]);
    assert_eq!(
        world.refusal(change(5, 5)),
        "ValidationException: The provisioned throughput for the index by-a will not change. The requested value equals \
         the current value. Current ReadCapacityUnits provisioned for index by-a: 5. Requested ReadCapacityUnits: 5. \
         Current WriteCapacityUnits provisioned for index by-a: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon \
         DynamoDB Developer Guide for current limits and how to request higher limits."
    );
    let answer = world.update(change(6, 5));
    assert_eq!(answer.table_status, Some(TableStatus::Active));
    let changing = index(&answer, "by-a").unwrap();
    assert_eq!(changing.index_status, Some(IndexStatus::Updating));
    assert_eq!(changing.provisioned_throughput.as_ref().unwrap().read_capacity_units, Some(5));
    let description = world.describe("orders");
    let changed = index(&description, "by-a").unwrap();
    assert_eq!(changed.index_status, Some(IndexStatus::Active));
    assert_eq!(changed.provisioned_throughput.as_ref().unwrap().read_capacity_units, Some(6));
}

#[test]
fn maxima_and_warm_throughput_of_an_index_change() {
    let world = with(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    let change = |maxima: Option<OnDemandThroughput>, warm: Option<WarmThroughput>| {
        let mut element = update_index("by-a", None);
        let action = element.update.as_mut().unwrap();
        action.on_demand_throughput = maxima;
        action.warm_throughput = warm;
        index_updates("orders", vec![element])
    };
    let maxima =
        |read| Some(OnDemandThroughput { max_read_request_units: Some(read), max_write_request_units: None });
    let warm = |read| Some(WarmThroughput { read_units_per_second: read, write_units_per_second: None });
    assert_eq!(
        world.refusal(change(maxima(0), None)),
        invalid(
            "Requested MaxReadRequestUnits for OnDemandThroughput for index : by-a is outside of valid range"
        )
    );
    assert_eq!(
        world.refusal(change(None, warm(None))),
        invalid(
            "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: by-a"
        )
    );
    assert_eq!(
        world.refusal(change(None, warm(Some(1)))),
        invalid(
            "Requested ReadUnitsPerSecond for WarmThroughput for index by-a is lower than current WarmThroughput, \
             decreasing WarmThroughput is not supported"
        )
    );
    world.update(change(maxima(50), warm(Some(13_000))));
    let description = world.describe("orders");
    let changed = index(&description, "by-a").unwrap();
    assert_eq!(changed.on_demand_throughput.as_ref().unwrap().max_read_request_units, Some(50));
    assert_eq!(changed.warm_throughput.as_ref().unwrap().read_units_per_second, Some(13_000));
}

// -- stream, encryption, class, protection

#[test]
fn a_stream_is_turned_on_and_off_and_on_again_under_new_labels() {
    let world = on_demand();
    let on = || stream(true, Some(StreamViewType::NewAndOldImages));
    assert_eq!(
        world.refusal(stream(false, None)),
        "ValidationException: Table has no stream to disable: TableName: orders"
    );
    assert_eq!(
        world.refusal(stream(true, None)),
        invalid("If stream is being enabled then UpdateViewType is required")
    );
    assert_eq!(
        world.refusal(stream(false, Some(StreamViewType::NewImage))),
        invalid("If stream is being disabled, then UpdateViewType must not be specified")
    );
    let answer = world.update(on());
    assert_eq!(answer.table_status, Some(TableStatus::Updating));
    let label = answer.latest_stream_label.unwrap();
    assert_eq!(label, "2026-01-01T00:00:00.000");
    assert_eq!(
        answer.latest_stream_arn.unwrap(),
        "arn:aws:dynamodb:us-east-1:000000000000:table/orders/stream/2026-01-01T00:00:00.000"
    );
    for view in [StreamViewType::NewAndOldImages, StreamViewType::KeysOnly] {
        assert_eq!(
            world.refusal(stream(true, Some(view))),
            "ValidationException: Table already has an enabled stream: TableName: orders"
        );
    }
    world.update(stream(false, None));
    let off = world.describe("orders");
    assert_eq!((off.stream_specification, off.latest_stream_label), (None, Some(label.clone())));
    let again = world.update(on()).latest_stream_label.unwrap();
    assert!(again > label, "{again}");
}

#[test]
fn encryption_changes_keys() {
    let world = on_demand();
    assert_eq!(world.refusal(encryption(false, None)), invalid("Table is already encrypted by default"));
    let answer = world.update(encryption(true, None));
    assert_eq!(answer.table_status, Some(TableStatus::Active));
    let shown = answer.sse_description.unwrap();
    assert_eq!((shown.status, shown.kms_master_key_arn), (Some(SSEStatus::Updating), None));
    let managed = world.describe("orders").sse_description.unwrap();
    assert_eq!((managed.status, managed.sse_type), (Some(SSEStatus::Enabled), Some(SSEType::Kms)));
    let arn = managed.kms_master_key_arn.unwrap();
    assert!(arn.starts_with("arn:aws:kms:us-east-1:000000000000:key/"), "{arn}");
    assert_eq!(
        world.refusal(encryption(true, Some(&arn))),
        invalid(
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change \
             Master Key"
        )
    );
    let answer = world.update(encryption(true, Some("alias/own")));
    assert_eq!(answer.sse_description.unwrap().kms_master_key_arn, Some(arn));
    world.update(encryption(false, None));
    assert_eq!(world.describe("orders").sse_description, None);
}

#[test]
fn encryption_changes_four_times_a_day_and_then_every_six_hours() {
    let world = on_demand();
    for _ in 0..2 {
        world.update(encryption(true, None));
        world.update(encryption(false, None));
    }
    assert_eq!(
        world.refusal(encryption(true, None)),
        "LimitExceededException: Subscriber limit exceeded: Encryption mode changes are limited in the 24h window ending \
         at 2026-01-02T00:00:00.000Z. After the first 4 change, each subsequent change in the same window can be \
         performed at most once every 21600 seconds. Number of updates today: 4. Last change at \
         2026-01-01T00:00:00.000Z. Next changes can be made at 2026-01-01T06:00:00.000Z."
    );
    world.advance(6 * HOUR);
    world.update(encryption(true, None));
}

#[test]
fn the_class_changes_twice_in_thirty_days() {
    let world = on_demand();
    let shown = |description: &TableDescription| {
        description.table_class_summary.as_ref().and_then(|summary| summary.table_class)
    };
    world.update(class(TableClass::Standard));
    assert_eq!(shown(&world.describe("orders")), None);
    let answer = world.update(class(TableClass::StandardInfrequentAccess));
    assert_eq!((answer.table_status, shown(&answer)), (Some(TableStatus::Updating), None));
    assert_eq!(shown(&world.describe("orders")), Some(TableClass::StandardInfrequentAccess));
    let answer = world.update(class(TableClass::Standard));
    assert_eq!(shown(&answer), Some(TableClass::StandardInfrequentAccess));
    for again in [TableClass::Standard, TableClass::StandardInfrequentAccess] {
        assert_eq!(
            world.refusal(class(again)),
            "LimitExceededException: Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 \
             day(s)."
        );
    }
    world.advance(30 * DAY);
    world.update(class(TableClass::StandardInfrequentAccess));
}

#[test]
fn protection_is_turned_on_and_off() {
    let world = on_demand();
    let answer = world.update(protection(true));
    assert_eq!(answer.table_status, Some(TableStatus::Active));
    assert_eq!(answer.deletion_protection_enabled, Some(true));
    world.update(protection(true));
    world.update(protection(false));
    assert_eq!(world.describe("orders").deletion_protection_enabled, Some(false));
}
