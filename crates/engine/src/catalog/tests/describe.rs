//! `DescribeTable`: what it tells.

use super::*;

#[test]
fn an_on_demand_table_is_described_whole() {
    let world = World::new();
    let answer = world.create(table("orders"));
    let id = answer.table_id.clone().unwrap();
    let described = world.describe("orders");
    let expected = TableDescription {
        attribute_definitions: Some(definitions(&["pk"])),
        billing_mode_summary: Some(BillingModeSummary {
            billing_mode: Some(BillingMode::PayPerRequest),
            last_update_to_pay_per_request_date_time: Some(Timestamp::from_ms(1_767_225_600_000)),
        }),
        creation_date_time: Some(Timestamp::from_ms(1_767_225_600_000)),
        deletion_protection_enabled: Some(false),
        item_count: Some(0),
        key_schema: Some(key(&["pk"], &[])),
        provisioned_throughput: Some(ProvisionedThroughputDescription {
            number_of_decreases_today: Some(0),
            read_capacity_units: Some(0),
            write_capacity_units: Some(0),
            ..ProvisionedThroughputDescription::default()
        }),
        table_arn: Some("arn:aws:dynamodb:us-east-1:000000000000:table/orders".to_owned()),
        table_id: Some(id),
        table_name: Some("orders".to_owned()),
        table_size_bytes: Some(0),
        table_status: Some(TableStatus::Active),
        warm_throughput: Some(TableWarmThroughputDescription {
            read_units_per_second: Some(12_000),
            status: Some(TableStatus::Active),
            write_units_per_second: Some(4_000),
        }),
        ..TableDescription::default()
    };
    assert_eq!(described, expected);
    let created = TableDescription {
        billing_mode_summary: Some(BillingModeSummary {
            billing_mode: Some(BillingMode::PayPerRequest),
            last_update_to_pay_per_request_date_time: None,
        }),
        table_status: Some(TableStatus::Creating),
        ..expected
    };
    assert_eq!(answer, created);
}

#[test]
fn a_table_that_was_never_on_demand_tells_no_billing_mode() {
    let world = World::new();
    assert_eq!(world.create(provisioned("orders", 5, 6)).billing_mode_summary, None);
    let description = world.describe("orders");
    assert_eq!(description.billing_mode_summary, None);
    assert_eq!(description.warm_throughput.unwrap().read_units_per_second, Some(5));
}

#[test]
fn indexes_are_described_in_the_order_they_were_given() {
    let world = World::new();
    let mut wide = global("z-index", &["b", "a"], &["c"]);
    wide.projection = projection(ProjectionType::Include, Some(&["y", "x"]));
    world.create(CreateTableInput {
        local_secondary_indexes: Some(vec![local("local", "a")]),
        ..indexed("orders", &["c", "b", "a"], vec![wide, global("a-index", &["a"], &[])])
    });
    let description = world.describe("orders");
    assert_eq!(names(&description), ["a", "b", "c", "pk", "sk"]);
    let globals = description.global_secondary_indexes.unwrap();
    let expected = GlobalSecondaryIndexDescription {
        index_arn: Some("arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/z-index".to_owned()),
        index_name: Some("z-index".to_owned()),
        index_size_bytes: Some(0),
        index_status: Some(IndexStatus::Active),
        item_count: Some(0),
        key_schema: Some(key(&["b", "a"], &["c"])),
        projection: Some(projection(ProjectionType::Include, Some(&["x", "y"]))),
        provisioned_throughput: Some(ProvisionedThroughputDescription {
            number_of_decreases_today: Some(0),
            read_capacity_units: Some(0),
            write_capacity_units: Some(0),
            ..ProvisionedThroughputDescription::default()
        }),
        warm_throughput: Some(GlobalSecondaryIndexWarmThroughputDescription {
            read_units_per_second: Some(12_000),
            status: Some(IndexStatus::Active),
            write_units_per_second: Some(4_000),
        }),
        ..GlobalSecondaryIndexDescription::default()
    };
    assert_eq!(globals[0], expected);
    assert_eq!(globals[1].index_name.as_deref(), Some("a-index"));
    let locals = description.local_secondary_indexes.unwrap();
    let expected = LocalSecondaryIndexDescription {
        index_arn: Some("arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/local".to_owned()),
        index_name: Some("local".to_owned()),
        index_size_bytes: Some(0),
        item_count: Some(0),
        key_schema: Some(key(&["pk"], &["a"])),
        projection: Some(all()),
    };
    assert_eq!(locals, [expected]);
}

#[test]
fn counts_and_sizes_come_from_the_running_totals() {
    let world = World::new();
    world.create(CreateTableInput {
        local_secondary_indexes: Some(vec![local("first", "sk"), local("second", "sk")]),
        ..indexed("orders", &["a", "b"], vec![global("by-a", &["a"], &[]), global("by-b", &["b"], &[])])
    });
    let table = world.catalog.get(&world.scope, "orders").unwrap();
    world.put_item("orders", 100);
    let second = table.schema.locals.iter().find(|index| index.name == "second").unwrap();
    world.put_row(table.space, second.row_kind, 20);
    let by_b = table.schema.globals.iter().find(|index| index.name == "by-b").unwrap();
    world.put_row(by_b.space, 0, 3);
    let description = world.describe("orders");
    assert_eq!((description.item_count, description.table_size_bytes), (Some(1), Some(100)));
    let locals: Vec<_> = description
        .local_secondary_indexes
        .iter()
        .flatten()
        .map(|index| (index.item_count.unwrap(), index.index_size_bytes.unwrap()))
        .collect();
    assert_eq!(locals, [(0, 0), (1, 20)]);
    let globals: Vec<_> = description
        .global_secondary_indexes
        .iter()
        .flatten()
        .map(|index| (index.item_count.unwrap(), index.index_size_bytes.unwrap()))
        .collect();
    assert_eq!(globals, [(0, 0), (1, 3)]);
}

#[test]
fn the_schema_lists_indexes_by_name_with_typed_keys() {
    let world = World::new();
    let mut input =
        indexed("orders", &["a", "b"], vec![global("z", &["a"], &["b"]), global("y", &["b"], &[])]);
    input.global_secondary_indexes.as_mut().unwrap()[0].index_name = "zzz".to_owned();
    input.global_secondary_indexes.as_mut().unwrap()[1].index_name = "yyy".to_owned();
    let kinds = [("b", ScalarAttributeType::B), ("sk", ScalarAttributeType::N)];
    for definition in input.attribute_definitions.as_mut().unwrap() {
        if let Some((_, kind)) = kinds.iter().find(|(name, _)| *name == definition.attribute_name) {
            definition.attribute_type = *kind;
        }
    }
    input.local_secondary_indexes = Some(vec![local("second", "b"), local("first", "a")]);
    world.create(input);
    let schema = world.catalog.active(&world.scope, "orders").unwrap().schema.clone();
    let globals: Vec<_> = schema.globals.iter().map(|index| index.name.as_str()).collect();
    assert_eq!(globals, ["yyy", "zzz"]);
    let locals: Vec<_> = schema.locals.iter().map(|index| (index.name.as_str(), index.row_kind)).collect();
    assert_eq!(locals, [("first", 17), ("second", 16)]);
    let kinds: Vec<_> = schema.key.attributes().map(|attribute| attribute.kind).collect();
    assert_eq!(kinds, [hashrange_item::KeyKind::S, hashrange_item::KeyKind::N]);
    assert_eq!(schema.globals[1].range[0].kind, hashrange_item::KeyKind::B);
}
