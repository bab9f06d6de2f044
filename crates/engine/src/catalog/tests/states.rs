//! States over time, where changes take a while.

use super::*;

const DELAY: Duration = Duration::from_secs(10);
const HALF: Duration = Duration::from_secs(5);

fn status(world: &World, name: &str) -> TableStatus {
    world.describe(name).table_status.unwrap()
}

#[test]
fn without_delay_answers_tell_of_changes_that_are_over() {
    let world = World::new();
    assert_eq!(world.create(table("orders")).table_status, Some(TableStatus::Creating));
    assert_eq!(status(&world, "orders"), TableStatus::Active);
    let stream =
        StreamSpecification { stream_enabled: true, stream_view_type: Some(StreamViewType::NewImage) };
    let answer = world.update(UpdateTableInput { stream_specification: Some(stream), ..update("orders") });
    assert_eq!(answer.table_status, Some(TableStatus::Updating));
    assert_eq!(status(&world, "orders"), TableStatus::Active);
    let answer = world.call(delete("orders")).unwrap().table_description.unwrap();
    assert_eq!(answer.table_status, Some(TableStatus::Deleting));
    assert_eq!(
        world.refusal(DescribeTableInput { table_name: "orders".to_owned() }),
        "ResourceNotFoundException: Requested resource not found: Table: orders not found"
    );
}

#[test]
fn a_table_is_in_creation_and_then_active() {
    let world = World::with_delay(DELAY);
    world.create(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    world.advance(HALF);
    let description = world.describe("orders");
    assert_eq!(description.table_status, Some(TableStatus::Creating));
    assert_eq!(index(&description, "by-a").unwrap().index_status, Some(IndexStatus::Creating));
    assert_eq!(index(&description, "by-a").unwrap().backfilling, None);
    world.advance(HALF);
    let description = world.describe("orders");
    assert_eq!(description.table_status, Some(TableStatus::Active));
    assert_eq!(index(&description, "by-a").unwrap().index_status, Some(IndexStatus::Active));
}

#[test]
fn items_are_served_while_the_table_is_active_or_updating() {
    let world = World::with_delay(DELAY);
    let not_found = "ResourceNotFoundException: Requested resource not found";
    let active = |world: &World| world.catalog.active(&world.scope, "orders").map(|table| table.name.clone());
    assert_eq!(active(&world).unwrap_err().to_string(), not_found);
    world.create(provisioned("orders", 1, 1));
    assert_eq!(active(&world).unwrap_err().to_string(), not_found);
    world.advance(DELAY);
    assert_eq!(active(&world).unwrap(), "orders");
    world.update(UpdateTableInput { provisioned_throughput: Some(units(2, 2)), ..update("orders") });
    assert_eq!(status(&world, "orders"), TableStatus::Updating);
    assert_eq!(active(&world).unwrap(), "orders");
    world.advance(DELAY);
    world.call(delete("orders")).unwrap();
    assert_eq!(active(&world).unwrap_err().to_string(), not_found);
}

#[test]
fn a_table_in_creation_or_deletion_takes_no_changes() {
    let world = World::with_delay(DELAY);
    world.create(table("orders"));
    let protect = UpdateTableInput { deletion_protection_enabled: Some(true), ..update("orders") };
    assert_eq!(world.refusal(protect.clone()), in_use("Table is being created: orders"));
    assert_eq!(world.refusal(delete("orders")), in_use("Table is being created: orders"));
    assert_eq!(world.refusal(table("orders")), in_use("Table is being created: orders"));
    world.advance(DELAY);
    world.call(delete("orders")).unwrap();
    assert_eq!(world.refusal(protect), in_use("Table is being deleted: orders"));
    assert_eq!(world.refusal(delete("orders")), in_use("Table is being deleted: orders"));
    assert_eq!(world.refusal(table("orders")), "ResourceInUseException: Table already exists: orders");
    assert_eq!(status(&world, "orders"), TableStatus::Deleting);
    world.advance(DELAY);
    world.create(table("orders"));
}

#[test]
fn an_index_of_an_empty_table_is_allocated_and_then_active() {
    let world = World::with_delay(DELAY);
    world.create(table("orders"));
    world.advance(DELAY);
    let answer = world.update(add_index("orders", "by-a", "a"));
    let check = |description: &TableDescription| {
        assert_eq!(description.table_status, Some(TableStatus::Updating));
        let index = index(description, "by-a").unwrap();
        assert_eq!((index.index_status, index.backfilling), (Some(IndexStatus::Creating), Some(false)));
    };
    check(&answer);
    world.advance(HALF);
    check(&world.describe("orders"));
    world.advance(HALF);
    let description = world.describe("orders");
    assert_eq!(description.table_status, Some(TableStatus::Active));
    let index = index(&description, "by-a").unwrap();
    assert_eq!((index.index_status, index.backfilling), (Some(IndexStatus::Active), None));
}

#[test]
fn an_index_of_a_table_with_items_is_backfilled_until_it_is_told_to_be_full() {
    let world = World::with_delay(DELAY);
    world.create(table("orders"));
    world.put_item("orders", 10);
    world.advance(DELAY);
    world.update(add_index("orders", "by-a", "a"));
    world.advance(100 * DELAY);
    let description = world.describe("orders");
    assert_eq!(description.table_status, Some(TableStatus::Active));
    let building = index(&description, "by-a").unwrap();
    assert_eq!((building.index_status, building.backfilling), (Some(IndexStatus::Creating), Some(true)));
    let readable =
        |world: &World| world.catalog.active(&world.scope, "orders").unwrap().index_is_readable("by-a");
    assert!(!readable(&world));
    let space = world.catalog.active(&world.scope, "orders").unwrap().schema.globals[0].space;
    for _ in 0..2 {
        let told = world.catalog.index_backfilled(&world.scope, "orders", space);
        world.simulation.block_on(told).unwrap();
    }
    let description = world.describe("orders");
    let built = index(&description, "by-a").unwrap();
    assert_eq!((built.index_status, built.backfilling), (Some(IndexStatus::Active), None));
    assert!(readable(&world));
}

#[test]
fn an_index_that_was_deleted_does_not_fill_another_one_of_its_name() {
    let world = World::with_delay(DELAY);
    world.create(table("orders"));
    world.put_item("orders", 10);
    world.advance(DELAY);
    world.update(add_index("orders", "by-a", "a"));
    let space = world.catalog.active(&world.scope, "orders").unwrap().schema.globals[0].space;
    world.advance(DELAY);
    world.update(index_updates("orders", vec![delete_index("by-a")]));
    world.advance(DELAY);
    world.update(add_index("orders", "by-a", "a"));
    world.advance(DELAY);
    let told = world.catalog.index_backfilled(&world.scope, "orders", space);
    world.simulation.block_on(told).unwrap();
    let description = world.describe("orders");
    assert_eq!(index(&description, "by-a").unwrap().backfilling, Some(true));
}

#[test]
fn an_index_is_maintained_from_its_creation_to_its_deletion() {
    let world = World::with_delay(DELAY);
    world.create(table("orders"));
    world.advance(DELAY);
    world.update(add_index("orders", "by-a", "a"));
    let maintained = |world: &World| -> Vec<String> {
        let table = world.catalog.active(&world.scope, "orders").unwrap();
        table.schema.globals.iter().map(|index| index.name.clone()).collect()
    };
    assert_eq!(maintained(&world), ["by-a"]);
    world.advance(DELAY);
    world.update(index_updates("orders", vec![delete_index("by-a")]));
    assert!(maintained(&world).is_empty());
}

#[test]
fn a_deleted_index_shows_until_it_is_gone_and_takes_its_definitions_along() {
    let world = World::with_delay(DELAY);
    world.create(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    world.advance(DELAY);
    let answer = world.update(index_updates("orders", vec![delete_index("by-a")]));
    assert_eq!(answer.table_status, Some(TableStatus::Updating));
    assert_eq!(index(&answer, "by-a").unwrap().index_status, Some(IndexStatus::Deleting));
    assert_eq!(names(&world.describe("orders")), ["a", "pk", "sk"]);
    world.advance(DELAY);
    let description = world.describe("orders");
    assert_eq!(description.table_status, Some(TableStatus::Active));
    assert_eq!(description.global_secondary_indexes, None);
    assert_eq!(names(&description), ["pk", "sk"]);
}

#[test]
fn while_throughput_changes_the_old_units_show_and_other_changes_wait() {
    let world = World::with_delay(DELAY);
    world.create(provisioned("orders", 1, 1));
    world.advance(DELAY);
    let more = |read| UpdateTableInput { provisioned_throughput: Some(units(read, 2)), ..update("orders") };
    let answer = world.update(more(2)).provisioned_throughput.unwrap();
    assert_eq!(answer.read_capacity_units, Some(1));
    assert!(answer.last_increase_date_time.is_some());
    assert_eq!(world.describe("orders").provisioned_throughput.unwrap().read_capacity_units, Some(1));
    assert_eq!(world.refusal(more(3)), in_use("Table IOPS are currently being updated. Table: orders"));
    assert_eq!(
        world.refusal(add_index("orders", "by-a", "a")),
        in_use("Can't create or delete indexes while table IOPS are being updated. Table: orders")
    );
    let stream =
        StreamSpecification { stream_enabled: true, stream_view_type: Some(StreamViewType::KeysOnly) };
    let stream = UpdateTableInput { stream_specification: Some(stream), ..update("orders") };
    assert_eq!(
        world.refusal(stream),
        in_use("Can't enable or disable stream while table IOPS are being updated. Table: orders")
    );
    assert_eq!(world.refusal(delete("orders")), in_use("Table: orders is in the process of being updated."));
    world.update(UpdateTableInput { deletion_protection_enabled: Some(true), ..update("orders") });
    world.advance(DELAY);
    assert_eq!(world.describe("orders").provisioned_throughput.unwrap().read_capacity_units, Some(2));
}

#[test]
fn while_the_stream_changes_other_changes_wait() {
    let world = World::with_delay(DELAY);
    world.create(provisioned("orders", 1, 1));
    world.advance(DELAY);
    let set = |stream_enabled, stream_view_type| UpdateTableInput {
        stream_specification: Some(StreamSpecification { stream_enabled, stream_view_type }),
        ..update("orders")
    };
    let answer = world.update(set(true, Some(StreamViewType::NewImage)));
    let label = answer.latest_stream_label.unwrap();
    let stream = format!("Table: orders Stream: {label} Operation: ENABLE");
    assert_eq!(
        world.refusal(set(false, None)),
        in_use(&format!("A stream status change is currently in progress. {stream}"))
    );
    let more = UpdateTableInput { provisioned_throughput: Some(units(2, 2)), ..update("orders") };
    assert_eq!(
        world.refusal(more),
        in_use(&format!("Can't change table IOPS when stream status is being updated. {stream}"))
    );
    assert_eq!(
        world.refusal(delete("orders")),
        in_use("Cannot delete table while stream is being enabled/disabled.")
    );
}

#[test]
fn while_an_index_comes_or_goes_other_changes_wait() {
    let world = World::with_delay(DELAY);
    world.create(CreateTableInput {
        global_secondary_indexes: Some(vec![GlobalSecondaryIndex {
            provisioned_throughput: Some(units(1, 1)),
            ..global("old", &["pk"], &[])
        }]),
        ..provisioned("orders", 1, 1)
    });
    world.advance(DELAY);
    let mut add = add_index("orders", "new", "a");
    add.global_secondary_index_updates.as_mut().unwrap()[0].create.as_mut().unwrap().provisioned_throughput =
        Some(units(1, 1));
    world.update(add);
    let more = UpdateTableInput { provisioned_throughput: Some(units(2, 2)), ..update("orders") };
    assert_eq!(
        world.refusal(more.clone()),
        in_use("Can't change table IOPS when an index is being created. Table: orders Indexes: [new]")
    );
    assert_eq!(
        world.refusal(index_updates("orders", vec![delete_index("new")])),
        in_use(
            "Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index \
             is active. Table: orders Index: new"
        )
    );
    assert_eq!(
        world.refusal(index_updates("orders", vec![update_index("new", Some(units(2, 2)))])),
        in_use("Index is being created but is not backfilling yet.  Table: orders Index: new")
    );
    assert_eq!(
        world.refusal(index_updates("orders", vec![delete_index("old")])),
        "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously \
         per table"
    );
    assert_eq!(
        world.refusal(delete("orders")),
        in_use("Cannot delete table while indexes are being created, updated, or deleted.")
    );
    world.update(index_updates("orders", vec![update_index("old", Some(units(2, 2)))]));
    assert_eq!(
        world.refusal(index_updates("orders", vec![update_index("old", Some(units(3, 3)))])),
        in_use("Index is being updated. Table: orders Index: old")
    );
    world.advance(DELAY);
    world.update(index_updates("orders", vec![delete_index("old")]));
    assert_eq!(
        world.refusal(more),
        in_use("Can't change table IOPS when an index is being deleted. Table: orders Indexes: [old]")
    );
    assert_eq!(
        world.refusal(index_updates("orders", vec![update_index("old", Some(units(3, 3)))])),
        in_use("Index is being deleted. Table: orders Index: old")
    );
}

#[test]
fn while_the_class_or_encryption_changes_another_such_change_waits() {
    let world = World::with_delay(DELAY);
    world.create(table("orders"));
    world.advance(DELAY);
    let class = |class| UpdateTableInput { table_class: Some(class), ..update("orders") };
    world.update(class(TableClass::StandardInfrequentAccess));
    assert_eq!(
        world.refusal(class(TableClass::Standard)),
        in_use(
            "Can't update table class when a table class update is in progress. Table: orders \
             TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS"
        )
    );
    world.advance(DELAY);
    let encrypt = UpdateTableInput {
        sse_specification: Some(SSESpecification { enabled: Some(true), ..SSESpecification::default() }),
        ..update("orders")
    };
    let answer = world.update(encrypt.clone());
    assert_eq!(answer.table_status, Some(TableStatus::Active));
    assert_eq!(answer.sse_description.unwrap().status, Some(SSEStatus::Updating));
    assert_eq!(world.describe("orders").sse_description.unwrap().status, Some(SSEStatus::Updating));
    assert_eq!(world.refusal(encrypt), in_use("Server-Side Encryption is still being updated"));
    world.advance(DELAY);
    assert_eq!(world.describe("orders").sse_description.unwrap().status, Some(SSEStatus::Enabled));
}

#[test]
fn writers_are_let_in_under_the_newest_version_of_a_table_only() {
    let world = World::new();
    world.create(table("orders"));
    let before = world.catalog.active(&world.scope, "orders").unwrap();
    assert!(before.admit().is_some());
    world.update(add_index("orders", "by-a", "a"));
    assert!(before.admit().is_none());
    let after = world.catalog.active(&world.scope, "orders").unwrap();
    assert!(after.admit().is_some());
    world.call(delete("orders")).unwrap();
    assert!(after.admit().is_none());
    world.create(table("orders"));
    assert!(after.admit().is_none());
    assert!(world.catalog.active(&world.scope, "orders").unwrap().admit().is_some());
}
