//! Time to live.

use super::*;

fn set(attribute_name: &str, enabled: bool) -> UpdateTimeToLiveInput {
    UpdateTimeToLiveInput {
        table_name: "orders".to_owned(),
        time_to_live_specification: TimeToLiveSpecification {
            attribute_name: attribute_name.to_owned(),
            enabled,
        },
    }
}

fn describe() -> DescribeTimeToLiveInput {
    DescribeTimeToLiveInput { table_name: "orders".to_owned() }
}

fn described(world: &World) -> (TimeToLiveStatus, Option<String>) {
    let description = world.call(describe()).unwrap().time_to_live_description.unwrap();
    (description.time_to_live_status.unwrap(), description.attribute_name)
}

fn world() -> World {
    let world = World::new();
    world.create(table("orders"));
    world
}

#[test]
fn it_is_off_until_it_is_turned_on() {
    let world = world();
    assert_eq!(described(&world), (TimeToLiveStatus::Disabled, None));
    let answer = world.call(set("ttl", true)).unwrap().time_to_live_specification.unwrap();
    assert_eq!((answer.attribute_name.as_str(), answer.enabled), ("ttl", true));
    assert_eq!(described(&world), (TimeToLiveStatus::Enabled, Some("ttl".to_owned())));
    let table = world.catalog.active(&world.scope, "orders").unwrap();
    assert_eq!(table.expiry_attribute(), Some("ttl"));
}

#[test]
fn a_change_has_to_be_one() {
    let world = world();
    assert_eq!(world.refusal(set("ttl", false)), "ValidationException: TimeToLive is already disabled");
    world.call(set("ttl", true)).unwrap();
    assert_eq!(world.refusal(set("ttl", true)), "ValidationException: TimeToLive is already enabled");
    for enabled in [true, false] {
        assert_eq!(
            world.refusal(set("other", enabled)),
            "ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is ttl"
        );
    }
}

#[test]
fn changes_keep_a_distance() {
    let world = world();
    world.call(set("ttl", true)).unwrap();
    let lately = "ValidationException: Time to live has been modified multiple times within a fixed interval";
    world.advance(Duration::from_mins(29));
    assert_eq!(world.refusal(set("ttl", false)), lately);
    world.advance(Duration::from_mins(1));
    world.call(set("ttl", false)).unwrap();
    assert_eq!(described(&world), (TimeToLiveStatus::Disabled, None));
    assert_eq!(world.refusal(set("ttl", true)), lately);
    let table = world.catalog.active(&world.scope, "orders").unwrap();
    assert_eq!(table.expiry_attribute(), None);
}

#[test]
fn a_change_takes_its_time() {
    let world = World::with_delay(Duration::from_secs(10));
    world.create(table("orders"));
    assert_eq!(
        world.refusal(set("ttl", true)),
        "ResourceNotFoundException: Requested resource not found: Table: orders not found"
    );
    assert_eq!(
        world.refusal(describe()),
        "ValidationException: Cannot describe time to live while table is in CREATING state: Current table state is \
         CREATING"
    );
    world.advance(Duration::from_secs(10));
    world.call(set("ttl", true)).unwrap();
    assert_eq!(described(&world), (TimeToLiveStatus::Enabling, Some("ttl".to_owned())));
    world.advance(Duration::from_secs(10));
    assert_eq!(described(&world), (TimeToLiveStatus::Enabled, Some("ttl".to_owned())));
    world.call(delete("orders")).unwrap();
    assert_eq!(
        world.refusal(describe()),
        "ValidationException: Cannot describe time to live while table is in DELETING state: Current table state is \
         DELETING"
    );
}

#[test]
fn a_table_that_is_not_there_is_told_by_name() {
    let world = World::new();
    let not_found = "ResourceNotFoundException: Requested resource not found: Table: orders not found";
    assert_eq!(world.refusal(set("ttl", true)), not_found);
    assert_eq!(world.refusal(describe()), not_found);
}
