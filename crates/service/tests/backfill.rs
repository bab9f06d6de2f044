//! Global indexes that are added to tables with items: filled in the background, beside writers, across restarts.

#![expect(clippy::unwrap_used, reason = "a world that cannot be set up fails its test")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{
    AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction, CreateTableInput, DeleteItemInput,
    DescribeTableInput, GlobalSecondaryIndexDescription, GlobalSecondaryIndexUpdate, IndexStatus,
    KeySchemaElement, KeyType, Missing, Projection, ProjectionType, PutItemInput, QueryInput, Request,
    Response, ScalarAttributeType, ScanInput, UpdateTableInput,
};
use hashrange_engine::Options;
use hashrange_env::{Env, Simulation};
use hashrange_item::{AttributeValue, Attributes, Number};
use hashrange_service::{Caller, Scope, Service};
use hashrange_store::{Memory, Store};

/// Items are spread over this many values of the index key.
const GROUPS: i64 = 7;

struct World {
    env: Env,
    simulation: Simulation,
    store: Arc<dyn Store>,
    service: Service,
    /// What the table holds: item number to group.
    items: BTreeMap<i64, i64>,
}

impl World {
    fn with_items(count: i64) -> World {
        let (env, simulation) = Simulation::new(11);
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let opened = Service::open(Arc::clone(&store), env.clone(), Options::default());
        let service = simulation.block_on(opened).unwrap();
        let mut world = World { env, simulation, store, service, items: BTreeMap::new() };
        world.call(CreateTableInput {
            table_name: "items".to_owned(),
            attribute_definitions: Some(vec![definition("id", ScalarAttributeType::N)]),
            key_schema: Some(vec![key("id", KeyType::Hash)]),
            billing_mode: Some(BillingMode::PayPerRequest),
            ..Default::default()
        });
        for id in 0..count {
            world.put(id, id % GROUPS);
        }
        world
    }

    fn call(&self, request: impl Into<Request>) -> Response {
        let caller = Caller {
            scope: Arc::new(Scope { account: "000000000000".to_owned(), region: "us-east-1".to_owned() }),
            access_key: None,
            request_id: "test".into(),
        };
        let request = request.into().validate(&Missing::none()).unwrap();
        // Polled by hand: the background work of the world goes on only where a test says so.
        let mut answer = std::pin::pin!(self.service.call(&caller, request));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        loop {
            if let std::task::Poll::Ready(answer) = answer.as_mut().poll(&mut context) {
                return answer.unwrap();
            }
        }
    }

    fn put(&mut self, id: i64, group: i64) {
        let item = Attributes::from([("id", number(id)), ("group", number(group))]);
        self.call(PutItemInput { table_name: "items".to_owned(), item: item.into(), ..Default::default() });
        self.items.insert(id, group);
    }

    fn delete(&mut self, id: i64) {
        let key = Attributes::from([("id", number(id))]);
        self.call(DeleteItemInput { table_name: "items".to_owned(), key, ..Default::default() });
        self.items.remove(&id);
    }

    fn add_index(&self) {
        let create = CreateGlobalSecondaryIndexAction {
            index_name: "by-group".to_owned(),
            key_schema: vec![key("group", KeyType::Hash), key("id", KeyType::Range)],
            projection: Projection { projection_type: Some(ProjectionType::KeysOnly), ..Default::default() },
            ..Default::default()
        };
        self.call(UpdateTableInput {
            table_name: "items".to_owned(),
            attribute_definitions: Some(vec![
                definition("id", ScalarAttributeType::N),
                definition("group", ScalarAttributeType::N),
            ]),
            global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
                create: Some(create),
                ..Default::default()
            }]),
            ..Default::default()
        });
    }

    fn index(&self) -> GlobalSecondaryIndexDescription {
        let Response::DescribeTable(output) =
            self.call(DescribeTableInput { table_name: "items".to_owned() })
        else {
            panic!("another answer");
        };
        output.table.unwrap().global_secondary_indexes.unwrap().remove(0)
    }

    fn is_active(&self) -> bool {
        self.index().index_status == Some(IndexStatus::Active)
    }

    /// Lets background work go on until the index is active.
    fn fill(&self) {
        for _ in 0..10_000 {
            if self.is_active() {
                return;
            }
            self.simulation.advance(Duration::from_millis(1));
        }
        panic!("the index does not become active");
    }

    fn restart(&mut self) {
        self.service.close();
        let opened = Service::open(Arc::clone(&self.store), self.env.clone(), Options::default());
        self.service = self.simulation.block_on(opened).unwrap();
    }

    /// The index holds exactly the items that have a group, in order, and its count is theirs.
    fn check_index(&self) {
        for group in 0..GROUPS {
            let wanted: Vec<i64> =
                self.items.iter().filter(|(_, of)| **of == group).map(|(id, _)| *id).collect();
            assert_eq!(self.query(group), wanted, "group {group}");
        }
        assert_eq!(self.index().item_count, Some(i64::try_from(self.items.len()).unwrap()));
    }

    fn query(&self, group: i64) -> Vec<i64> {
        let Response::Query(output) = self.call(QueryInput {
            table_name: "items".to_owned(),
            index_name: Some("by-group".to_owned()),
            key_condition_expression: Some("#g = :g".to_owned()),
            expression_attribute_names: Some(BTreeMap::from([("#g".to_owned(), "group".to_owned())])),
            expression_attribute_values: Some(Attributes::from([(":g", number(group))])),
            ..Default::default()
        }) else {
            panic!("another answer");
        };
        ids(output.items)
    }
}

fn ids(items: Option<Vec<hashrange_item::Image>>) -> Vec<i64> {
    let id = |image: hashrange_item::Image| match image.to_item().unwrap().get("id") {
        Some(AttributeValue::N(id)) => id.to_string().parse().unwrap(),
        other => panic!("no id: {other:?}"),
    };
    items.unwrap_or_default().into_iter().map(id).collect()
}

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(value))
}

fn definition(name: &str, kind: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition { attribute_name: name.to_owned(), attribute_type: kind }
}

fn key(name: &str, kind: KeyType) -> KeySchemaElement {
    KeySchemaElement { attribute_name: name.to_owned(), key_type: kind }
}

#[test]
fn an_index_added_to_a_table_with_items_is_filled_and_then_active() {
    let world = World::with_items(700);
    world.add_index();
    assert_eq!(world.index().index_status, Some(IndexStatus::Creating));
    assert_eq!(world.index().backfilling, Some(true));
    world.fill();
    assert_eq!(world.index().backfilling, None);
    world.check_index();
}

#[test]
fn writes_beside_the_filling_are_neither_lost_nor_counted_twice() {
    let mut world = World::with_items(600);
    world.add_index();
    let mut round = 0;
    while !world.is_active() {
        let at = (round * 37) % 600;
        world.put(at, (at + round) % GROUPS);
        world.delete((round * 53 + 1) % 600);
        world.put(1000 + round, round % GROUPS);
        world.simulation.advance(Duration::from_millis(1));
        round += 1;
    }
    assert!(round > 2, "the filling took no time, so this test met nothing");
    world.check_index();
}

#[test]
fn filling_goes_on_after_a_restart() {
    let mut world = World::with_items(900);
    world.add_index();
    world.simulation.advance(Duration::from_millis(2));
    assert!(!world.is_active());
    let before = world.index().item_count;
    assert!(before > Some(0), "{before:?}");
    world.restart();
    world.fill();
    world.check_index();
}

#[test]
fn items_whose_key_the_index_cannot_have_are_left_out() {
    let mut world = World::with_items(10);
    for (id, group) in [(100, AttributeValue::S("text".to_owned())), (101, AttributeValue::Null)] {
        let item = Attributes::from([("id", number(id)), ("group", group)]);
        world.call(PutItemInput { table_name: "items".to_owned(), item: item.into(), ..Default::default() });
    }
    world.add_index();
    world.fill();
    world.check_index();
    world.delete(100);
    world.check_index();
    let Response::Scan(output) =
        world.call(ScanInput { table_name: "items".to_owned(), ..Default::default() })
    else {
        panic!("another answer");
    };
    assert_eq!(ids(output.items).len(), 11);
}
