//! What the simulation once found, each by itself.

#![expect(clippy::unwrap_used, reason = "a world that cannot be set up fails its test")]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hashrange_api::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, Missing, PutItemInput, Request,
    TimeToLiveSpecification, UpdateTableInput, UpdateTimeToLiveInput,
};
use hashrange_engine::{Engine, Options, Scope};
use hashrange_env::Simulation;
use hashrange_sim::disk::{Delays, Disk};
use hashrange_sim::oracle::schema::{Attr, IndexSpec, Projection, TableSpec};
use hashrange_sim::oracle::value::{Item, Kind, Value, to_attributes};
use hashrange_sim::trace::Trace;
use hashrange_store::{
    Address, CommitId, Freshness, Outcome, Part, RowKey, Space, Stamp, Store, Stored, Transactional, Write,
};

fn attr(name: &str) -> Attr {
    Attr { name: name.to_owned(), kind: Kind::S }
}

fn table(indexes: Vec<IndexSpec>) -> TableSpec {
    TableSpec { name: "table".to_owned(), hash: attr("pk"), range: None, indexes, heavy: false }
}

/// The request that adds an index to the table.
fn add_index() -> UpdateTableInput {
    let index = IndexSpec {
        name: "index".to_owned(),
        local: false,
        hash: vec![attr("other")],
        range: Vec::new(),
        projection: Projection::All,
    };
    let created = table(vec![index]).create();
    let index = created.global_secondary_indexes.unwrap().remove(0);
    let create = CreateGlobalSecondaryIndexAction {
        index_name: index.index_name,
        key_schema: index.key_schema,
        projection: index.projection,
        ..Default::default()
    };
    let update = GlobalSecondaryIndexUpdate { create: Some(create), ..Default::default() };
    UpdateTableInput {
        table_name: "table".to_owned(),
        attribute_definitions: created.attribute_definitions,
        global_secondary_index_updates: Some(vec![update]),
        ..Default::default()
    }
}

/// Polled on one thread, a job that asks again and again without giving way would never let the change come through.
#[test]
fn the_filling_of_an_index_gives_way_to_a_change_of_its_table() {
    let (env, simulation) = Simulation::new(1);
    let delays = Delays { sync: Duration::from_millis(2), ..Delays::default() };
    let disk = Disk::new(env.clone(), delays, Arc::new(Trace::new(Arc::clone(&env.clock), false)));
    let engine = simulation.block_on(Engine::open(Arc::new(disk), env, Options::default())).unwrap();
    let scope = Scope { account: "000000000000".to_owned(), region: "us-east-1".to_owned() };
    let call = |request: Request| {
        let checked = Engine::check(request.validate(&Missing::none()).unwrap()).unwrap();
        let plan = engine.plan(&scope, checked).unwrap();
        engine.run(&scope, plan)
    };
    simulation.block_on(call(table(Vec::new()).create().into())).unwrap();
    let item = Item::from([("pk".to_owned(), Value::S("a".to_owned()))]);
    let put = PutItemInput {
        table_name: "table".to_owned(),
        item: to_attributes(&item).into(),
        ..Default::default()
    };
    simulation.block_on(call(put.into())).unwrap();
    simulation.block_on(call(add_index().into())).unwrap();
    let filling = engine.filling_indexes().remove(0);

    let time_to_live_specification =
        TimeToLiveSpecification { attribute_name: "expires".to_owned(), enabled: true };
    let change = UpdateTimeToLiveInput { table_name: "table".to_owned(), time_to_live_specification };
    let mut change = pin!(call(change.into()));
    let mut context = Context::from_waker(Waker::noop());
    assert!(change.as_mut().poll(&mut context).is_pending(), "its commit is queued");
    let step = pin!(engine.fill_index(&filling, None)).poll(&mut context);
    let Poll::Ready(Ok(Some(progress))) = step else { panic!("{step:?}") };
    assert_eq!((progress.items, progress.done), (0, false));
    simulation.block_on(change).unwrap();
    assert_eq!(simulation.block_on(engine.fill_index(&filling, Some(progress))).unwrap(), None);
}

fn item(partition: &'static str) -> Address {
    let row = RowKey { kind: 0, sort: bytes::Bytes::new() };
    Address { space: Space(2000), partition: partition.into(), row }
}

fn put(partition: &'static str) -> Part {
    let Address { space, partition, row } = item(partition);
    let write = Write::Put { row, stored: Stored { stamp: Stamp(1), value: "value".into() } };
    Part { space, partition, expects: Vec::new(), writes: vec![write], log: None, tallies: Vec::new() }
}

/// A lock that someone else has taken away is still there for readers of what is durable, until that is on the disk. Readers
/// that tried to end it again and again never gave way, and the disk never came to its sync.
#[test]
fn a_reader_waits_for_the_disk_where_a_lock_is_on_its_way_out() {
    let (env, simulation) = Simulation::new(1);
    let delays = Delays { sync: Duration::from_millis(2), ..Delays::default() };
    let disk = Disk::new(env.clone(), delays, Arc::new(Trace::new(Arc::clone(&env.clock), false)));
    let store = Transactional::new(Arc::new(disk.without_multi_part_commits()), env.clone());
    let mut commit = pin!(store.commit(CommitId(1), vec![put("a"), put("b")]));
    let mut context = Context::from_waker(Waker::noop());
    let (a, b) = (item("a"), item("b"));
    let mut readers = Vec::new();
    let outcome = loop {
        if let Poll::Ready(outcome) = commit.as_mut().poll(&mut context) {
            break outcome.unwrap();
        }
        for at in [&a, &b] {
            let mut reader = Box::pin(store.get(at, Freshness::Strong));
            if reader.as_mut().poll(&mut context).is_pending() {
                readers.push(reader);
            }
        }
        assert!(simulation.turn(), "the commit waits for something that never comes");
    };
    assert_eq!(outcome, Outcome::Applied);
    assert!(!readers.is_empty(), "no reader met the lock");
    for reader in readers {
        assert!(simulation.block_on(reader).unwrap().row.is_some(), "whoever waits sees what was decided");
    }
}
