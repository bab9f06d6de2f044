use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use hashrange_env::Simulation;

use super::suite::block_on;
use super::*;

fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

fn put(stamp: u64) -> Vec<Part> {
    let stored = Stored { stamp: Stamp(stamp), value: Bytes::from_static(b"value") };
    let writes = vec![Write::Put { row: at().row, stored }];
    let (space, partition) = (at().space, at().partition);
    vec![Part { space, partition, expects: Vec::new(), writes, log: None, tallies: Vec::new() }]
}

fn at() -> Address {
    let row = RowKey { kind: 0, sort: Bytes::from_static(b"row") };
    Address { space: Space::FIRST_USER, partition: Bytes::from_static(b"partition"), row }
}

#[test]
fn the_reference_engine_keeps_the_contract() {
    suite::run(|| memory);
}

#[test]
fn a_mirror_of_two_equal_engines_keeps_the_contract() {
    suite::run(|| || Arc::new(Mirror::new(memory(), memory())) as Arc<dyn Store>);
}

#[test]
#[should_panic(expected = "the engines differ on get")]
fn a_mirror_tells_where_its_engines_differ() {
    let reference = memory();
    block_on(reference.commit(CommitId(1), put(1))).unwrap();
    let mirror = Mirror::new(memory(), reference);
    drop(block_on(mirror.get(&at(), Freshness::Strong)));
}

#[test]
#[should_panic(expected = "the engines differ on commit")]
fn a_mirror_compares_how_commits_end() {
    let reference = memory();
    block_on(reference.commit(CommitId(1), put(1))).unwrap();
    let mirror = Mirror::new(memory(), reference);
    let mut parts = put(2);
    parts[0].expects.push(Expect { row: at().row, stamp: None, seen: ReadMark::NONE });
    drop(block_on(mirror.commit(CommitId(2), parts)));
}

#[test]
fn an_engine_without_faults_keeps_the_contract() {
    suite::run(|| {
        || {
            let (env, _) = Simulation::new(1);
            Arc::new(Faulty::new(memory(), env, Chances::default())) as Arc<dyn Store>
        }
    });
}

#[test]
fn scripted_faults_befall_the_writes_in_order() {
    let (env, simulation) = Simulation::new(1);
    let store = Faulty::new(memory(), env.clone(), Chances::default());
    let delay = Duration::from_secs(2);
    let faults = [Fault::Error, Fault::LostCall, Fault::LostAnswer, Fault::Delay(delay)];
    store.script([None].into_iter().chain(faults.map(Some)));
    let commit = |number: u64| simulation.block_on(store.commit(CommitId(number.into()), put(number)));
    let stamp = || block_on(store.get(&at(), Freshness::Strong)).unwrap().row.map(|row| row.stamp.0);
    let resolve = |number: u128| block_on(store.resolve(CommitId(number))).unwrap();
    assert_eq!(commit(1), Ok(Outcome::Applied));
    assert!(commit(2).is_err());
    assert_eq!(commit(3), Ok(Outcome::Unknown));
    assert_eq!((stamp(), resolve(3)), (Some(1), Resolution::NotApplied));
    assert_eq!(commit(4), Ok(Outcome::Unknown));
    assert_eq!((stamp(), resolve(4)), (Some(4), Resolution::Applied));
    let before = env.clock.monotonic();
    assert_eq!(commit(5), Ok(Outcome::Applied));
    assert_eq!(env.clock.monotonic(), before + delay);
    assert_eq!(commit(6), Ok(Outcome::Applied));
}

#[test]
fn a_held_commit_is_done_and_is_answered_once_it_is_released() {
    let (env, _) = Simulation::new(1);
    let store = Faulty::new(memory(), env, Chances::default());
    let stamp = || block_on(store.get(&at(), Freshness::Strong)).unwrap().row.map(|row| row.stamp.0);
    let mut held = store.hold();
    let mut first = store.commit(CommitId(1), put(1));
    assert!(pin!(&mut first).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    block_on(held.arrived());
    assert_eq!(block_on(store.commit(CommitId(2), put(2))), Ok(Outcome::Applied), "only one is held");
    assert_eq!(stamp(), Some(2));
    assert!(pin!(&mut first).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    held.release();
    assert_eq!(block_on(first), Ok(Outcome::Applied));
    drop(store.hold());
    assert_eq!(block_on(store.commit(CommitId(3), put(3))), Ok(Outcome::Applied), "nobody holds it");
}

#[test]
fn chances_are_thousandths_and_repeat_with_the_seed() {
    let run = |seed| {
        let (env, _) = Simulation::new(seed);
        let chances = Chances { error: 200, ..Chances::default() };
        let store = Faulty::new(memory(), env, chances);
        (0..1000).map(|_| block_on(store.get(&at(), Freshness::Any)).is_err()).collect::<Vec<_>>()
    };
    let failed = run(7).iter().filter(|failed| **failed).count();
    assert!((150..250).contains(&failed), "{failed} of 1000 reads failed");
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

#[test]
fn segments_start_where_the_hash_changes_its_segment() {
    for segments in [1, 2, 3, 7, 1_000_000] {
        for segment in [0, 1, segments / 2, segments - 1] {
            let start = segment_start(segment, segments);
            let Ok(hash) = u64::try_from(start) else { continue };
            assert_eq!(segment_of(hash, segments), segment);
            if hash > 0 {
                assert_eq!(segment_of(hash - 1, segments), segment - 1);
            }
        }
        assert_eq!(segment_start(segments, segments), 1 << 64);
    }
}
