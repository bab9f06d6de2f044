//! The wrapper keeps the contract, and keeps commits whole when their coordinators die.

mod crashes;
mod transfers;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hashrange_env::Simulation;

use super::lock;
use crate::suite;
use crate::{
    Address, Direction, Expect, Memory, PageLimit, Part, RangeRead, ReadMark, RowKey, Space, Stamp, Store,
    Stored, Tally, Transactional, Write,
};

const SPACE: Space = Space(2000);

fn key(sort: &str) -> RowKey {
    RowKey { kind: 0, sort: Bytes::copy_from_slice(sort.as_bytes()) }
}

fn at(partition: &str) -> Address {
    Address { space: SPACE, partition: Bytes::copy_from_slice(partition.as_bytes()), row: key("row") }
}

/// A part that replaces the row of a partition, with a log record and a change of the total.
fn put(partition: &str, before: Option<u64>, after: u64, value: &str) -> Part {
    let value = Bytes::copy_from_slice(value.as_bytes());
    Part {
        space: SPACE,
        partition: at(partition).partition,
        expects: vec![Expect { row: key("row"), stamp: before.map(Stamp), seen: ReadMark::NONE }],
        writes: vec![Write::Put {
            row: key("row"),
            stored: Stored { stamp: Stamp(after), value: value.clone() },
        }],
        log: Some(value),
        tallies: vec![Tally { space: SPACE, kind: 0, rows: i64::from(before.is_none()), bytes: 1 }],
    }
}

/// Every row of a partition, those of locks included where the engine below is asked.
fn whole(partition: &str) -> RangeRead {
    RangeRead {
        space: SPACE,
        partition: at(partition).partition,
        lower: crate::Bound::Unbounded,
        upper: crate::Bound::Unbounded,
        direction: Direction::Forward,
        limit: PageLimit { rows: usize::MAX, bytes: usize::MAX },
        freshness: crate::Freshness::Strong,
    }
}

/// Waits for one turn of whoever polls.
struct Turn(bool);

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[test]
fn an_engine_of_single_partitions_keeps_the_contract_under_the_wrapper() {
    suite::run(|| {
        || {
            let (env, _) = Simulation::new(1);
            let inner = Arc::new(Memory::of_single_partitions(env.clock.clone()));
            Arc::new(Transactional::new(inner, env)) as Arc<dyn Store>
        }
    });
}

#[test]
fn large_commits_are_held_in_several_chunks() {
    let (env, simulation) = Simulation::new(1);
    let inner = Arc::new(Memory::of_single_partitions(env.clock.clone()));
    let store = Transactional::new(inner.clone(), env);
    let large = "x".repeat(1 << 20);
    let parts = vec![put("p", None, 1, &large), put("q", None, 1, &large)];
    let outcome = simulation.block_on(store.commit(crate::CommitId(1), parts)).unwrap();
    assert_eq!(outcome, crate::Outcome::Applied);
    for partition in ["p", "q"] {
        let rows = simulation.block_on(inner.range(whole(partition))).unwrap().rows;
        assert_eq!(rows.len(), 1, "nothing is left of the lock");
        assert_eq!(rows[0].1.value.len(), large.len());
    }
}

#[test]
fn a_lock_that_came_after_its_transaction_was_forgotten_is_taken_away() {
    let (env, simulation) = Simulation::new(1);
    let inner = Arc::new(Memory::of_single_partitions(env.clock.clone()));
    let groups = super::several::group(vec![put("p", None, 1, "late")]);
    let (_, parts) = lock::Lock::taken(&groups[0], super::ledger::TransactionId(7), Stamp(3));
    simulation.block_on(inner.commit(crate::CommitId(1), parts)).unwrap();
    let store = Transactional::new(inner.clone(), env);
    assert_eq!(simulation.block_on(store.get(&at("p"), crate::Freshness::Strong)).unwrap().row, None);
    assert!(simulation.block_on(inner.range(whole("p"))).unwrap().rows.is_empty());
}
