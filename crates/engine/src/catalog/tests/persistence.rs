//! What outlives the process.

use hashrange_store::{Address, Freshness};

use super::*;

fn rows(world: &World, space: Space) -> usize {
    let read = hashrange_store::SweepRead {
        space,
        kind: 0,
        segment: 0,
        segments: 1,
        after: None,
        limit: hashrange_store::PageLimit { rows: 1000, bytes: 1 << 20 },
        freshness: Freshness::Strong,
    };
    world.simulation.block_on(world.store.sweep(read)).unwrap().rows.len()
}

/// A row of the catalogue that is no table.
fn catalogue_row(world: &World, kind: u8, sort: &[u8]) -> bool {
    let at = Address {
        space: Space::CATALOG,
        partition: b"000000000000|us-east-1".to_vec().into(),
        row: RowKey { kind, sort: sort.to_vec().into() },
    };
    world.simulation.block_on(world.store.get(&at, Freshness::Strong)).unwrap().row.is_some()
}

fn with_everything() -> CreateTableInput {
    let mut input = indexed("orders", &["a", "b"], vec![global("by-a", &["a"], &["b"])]);
    input.local_secondary_indexes = Some(vec![LocalSecondaryIndex {
        projection: projection(ProjectionType::Include, Some(&["x"])),
        ..local("local", "a")
    }]);
    input.on_demand_throughput =
        Some(OnDemandThroughput { max_read_request_units: Some(5), max_write_request_units: None });
    input.table_class = Some(TableClass::StandardInfrequentAccess);
    input.sse_specification = Some(SSESpecification { enabled: Some(true), ..SSESpecification::default() });
    input.stream_specification = Some(StreamSpecification {
        stream_enabled: true,
        stream_view_type: Some(StreamViewType::NewAndOldImages),
    });
    input.deletion_protection_enabled = Some(true);
    input.tags = Some(vec![Tag { key: "env".to_owned(), value: "test".to_owned() }]);
    input
}

#[test]
fn everything_is_there_again_after_a_restart() {
    let mut world = World::new();
    world.create(with_everything());
    let ttl = TimeToLiveSpecification { attribute_name: "ttl".to_owned(), enabled: true };
    world
        .call(UpdateTimeToLiveInput { table_name: "orders".to_owned(), time_to_live_specification: ttl })
        .unwrap();
    let before = (world.describe("orders"), world.catalog.get(&world.scope, "orders").unwrap());
    world.reopen();
    let after = (world.describe("orders"), world.catalog.get(&world.scope, "orders").unwrap());
    assert_eq!(before.0, after.0);
    assert_eq!(before.1.row, after.1.row);
    assert_eq!((&before.1.schema, before.1.space), (&after.1.schema, after.1.space));
}

#[test]
fn states_go_on_over_a_restart() {
    let mut world = World::with_delay(Duration::from_secs(10));
    world.create(table("orders"));
    world.advance(Duration::from_secs(5));
    world.reopen();
    assert_eq!(world.describe("orders").table_status, Some(TableStatus::Creating));
    world.advance(Duration::from_secs(5));
    assert_eq!(world.describe("orders").table_status, Some(TableStatus::Active));
}

#[test]
fn spaces_are_never_handed_out_twice() {
    let mut world = World::new();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..3 {
        world.create(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
        let table = world.catalog.get(&world.scope, "orders").unwrap();
        assert!(table.space >= Space::FIRST_USER);
        assert!(seen.insert(table.space));
        assert!(seen.insert(table.schema.globals[0].space));
        world.call(delete("orders")).unwrap();
        world.reopen();
    }
}

#[test]
fn spaces_that_may_hold_rows_of_lost_tables_are_passed_over() {
    let mut world = World::new();
    for (last, first_new) in [(2000, 2001), (1500, 2002)] {
        let (store, env) = (Arc::clone(&world.store), world.env.clone());
        world.simulation.block_on(Catalog::skip_spaces(store, env, Space(last))).unwrap();
        world.reopen();
        let name = format!("after-{last}");
        world.create(table(&name));
        assert_eq!(world.catalog.get(&world.scope, &name).unwrap().space, Space(first_new));
    }
}

#[test]
fn a_deleted_table_and_its_indexes_leave_nothing_behind() {
    let world = World::new();
    world.create(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    let table = world.catalog.get(&world.scope, "orders").unwrap();
    let index = table.schema.globals[0].space;
    world.put_row(table.space, 0, 1);
    world.put_row(index, 0, 1);
    world.call(delete("orders")).unwrap();
    assert_eq!((rows(&world, table.space), rows(&world, index)), (0, 0));
    assert!(!catalogue_row(&world, 0, b"orders"));
    assert!(!catalogue_row(&world, 1, &table.space.0.to_be_bytes()));
}

#[test]
fn a_deleted_index_leaves_nothing_behind() {
    let world = World::new();
    world.create(indexed("orders", &["a"], vec![global("by-a", &["a"], &[])]));
    let index = world.catalog.get(&world.scope, "orders").unwrap().schema.globals[0].space;
    world.put_row(index, 0, 1);
    world.update(index_updates("orders", vec![delete_index("by-a")]));
    assert_eq!(rows(&world, index), 0);
    assert!(!catalogue_row(&world, 1, &index.0.to_be_bytes()));
}

#[test]
fn a_deletion_whose_time_is_over_is_finished_at_the_start() {
    let mut world = World::with_delay(Duration::from_secs(10));
    world.create(table("orders"));
    world.put_item("orders", 1);
    let space = world.catalog.get(&world.scope, "orders").unwrap().space;
    world.advance(Duration::from_secs(10));
    world.call(delete("orders")).unwrap();
    assert_eq!(rows(&world, space), 1);
    world.advance(Duration::from_secs(10));
    world.reopen();
    assert_eq!(rows(&world, space), 0);
    assert!(!catalogue_row(&world, 0, b"orders"));
}

#[test]
fn a_deletion_that_a_crash_interrupted_is_finished_at_the_start() {
    let mut world = World::new();
    world.create(table("orders"));
    world.put_item("orders", 1);
    let table = world.catalog.get(&world.scope, "orders").unwrap();
    // As if the process had died between the commit that takes the row out and the clearing of its space.
    let spaces = [table.space.0];
    let replaced = world.catalog.ledger.replace(&world.scope, "orders", Some(table.stamp), None, &spaces);
    world.simulation.block_on(replaced).unwrap();
    assert!(catalogue_row(&world, 1, &table.space.0.to_be_bytes()));
    assert_eq!(rows(&world, table.space), 1);
    world.reopen();
    assert_eq!(rows(&world, table.space), 0);
    assert!(!catalogue_row(&world, 1, &table.space.0.to_be_bytes()));
}

#[test]
fn a_change_that_another_node_made_is_built_upon() {
    let world = World::new();
    world.create(table("orders"));
    let other = open(&world.simulation, &world.store, &world.env, Duration::ZERO);
    let add = |key: &str| TagResourceInput {
        resource_arn: "arn:aws:dynamodb:us-east-1:000000000000:table/orders".to_owned(),
        tags: vec![Tag { key: key.to_owned(), value: String::new() }],
    };
    let operation = TableOperation::check(add("theirs").into()).unwrap();
    world.simulation.block_on(other.run(&world.scope, operation)).unwrap();
    world.call(add("ours")).unwrap();
    let table = world.catalog.get(&world.scope, "orders").unwrap();
    assert_eq!(table.tags().map(|(key, _)| key).collect::<Vec<_>>(), ["theirs", "ours"]);
    let operation = TableOperation::check(table_input("orders")).unwrap();
    let refusal = world.simulation.block_on(other.run(&world.scope, operation)).unwrap_err();
    assert_eq!(refusal.to_string(), "ResourceInUseException: Table already exists: orders");
}

fn table_input(name: &str) -> Request {
    table(name).into()
}

#[test]
fn a_damaged_row_keeps_the_catalogue_from_opening() {
    let world = World::new();
    world.create(table("orders"));
    let part = Part {
        space: Space::CATALOG,
        partition: b"000000000000|us-east-1".to_vec().into(),
        expects: Vec::new(),
        writes: vec![Write::Put {
            row: RowKey { kind: 0, sort: b"orders".to_vec().into() },
            stored: Stored { stamp: Stamp(u64::MAX), value: vec![0xff, 1, 2].into() },
        }],
        log: None,
        tallies: Vec::new(),
    };
    world.simulation.block_on(world.store.commit(CommitId(7), vec![part])).unwrap();
    let store: Arc<dyn Store> = Arc::<Memory>::clone(&world.store);
    let opened = world.simulation.block_on(Catalog::open(store, world.env.clone(), Options::default()));
    assert!(matches!(opened, Err(hashrange_store::StoreError::Corrupt(_))));
}
