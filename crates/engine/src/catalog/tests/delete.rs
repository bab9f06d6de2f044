//! `DeleteTable`.

use super::*;

#[test]
fn a_table_that_is_not_there_is_told_by_name() {
    assert_eq!(
        World::new().refusal(delete("missing")),
        "ResourceNotFoundException: Requested resource not found: Table: missing not found"
    );
}

#[test]
fn a_protected_table_stays() {
    let world = World::new();
    world.create(CreateTableInput { deletion_protection_enabled: Some(true), ..table("orders") });
    assert_eq!(
        world.refusal(delete("orders")),
        "ValidationException: Resource cannot be deleted as it is currently protected against deletion. Disable deletion \
         protection first."
    );
    world.update(UpdateTableInput { deletion_protection_enabled: Some(false), ..update("orders") });
    world.call(delete("orders")).unwrap();
}

#[test]
fn the_answer_tells_identity_size_and_throughput() {
    let world = World::new();
    let created = world.create(provisioned("orders", 5, 6));
    world.put_item("orders", 42);
    let answer = world.call(delete("orders")).unwrap().table_description.unwrap();
    let expected = TableDescription {
        deletion_protection_enabled: Some(false),
        item_count: Some(1),
        provisioned_throughput: created.provisioned_throughput,
        table_arn: created.table_arn,
        table_id: created.table_id,
        table_name: Some("orders".to_owned()),
        table_size_bytes: Some(42),
        table_status: Some(TableStatus::Deleting),
        ..TableDescription::default()
    };
    assert_eq!(answer, expected);
}

#[test]
fn a_new_table_of_the_name_is_another_one() {
    let world = World::new();
    let first = world.create(table("orders"));
    let space = world.catalog.get(&world.scope, "orders").unwrap().space;
    world.call(delete("orders")).unwrap();
    let second = world.create(table("orders"));
    assert_eq!(first.table_arn, second.table_arn);
    assert_ne!(first.table_id, second.table_id);
    assert_ne!(world.catalog.get(&world.scope, "orders").unwrap().space, space);
}
