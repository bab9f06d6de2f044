use bytes::Bytes;
use hashrange_env::Simulation;
use hashrange_store::suite::block_on;
use hashrange_store::{RowKey, Stamp, Stored, Tally, Write};

use super::*;
use crate::gaps::Gaps;
use crate::keys::Stretch;
use crate::tree::Detours;

mod gaps;
mod memory;
mod pages;
mod ranges;
mod settle;

const SPACE: Space = Space(4000);
const OTHER: Space = Space(4001);

fn open(folder: &Path) -> LocalStore {
    LocalStore::open(folder, &Options::default(), Simulation::new(1).0).unwrap()
}

fn address(space: Space, number: u64) -> Address {
    let partition = Bytes::from(format!("p{number}"));
    Address { space, partition, row: RowKey { kind: 0, sort: Bytes::new() } }
}

fn put(space: Space, number: u64) -> Vec<Part> {
    let at = address(space, number);
    let stored = Stored { stamp: Stamp(number), value: Bytes::from_static(b"value") };
    vec![Part {
        space,
        partition: at.partition,
        expects: Vec::new(),
        writes: vec![Write::Put { row: at.row, stored }],
        log: Some(Bytes::from_static(b"record")),
        tallies: vec![Tally { space, kind: 3, rows: 1, bytes: 5 }],
    }]
}

fn fill(store: &LocalStore, space: Space, rows: u64) {
    let waiting: Vec<_> = (0..rows).map(|number| store.commit(CommitId(0), put(space, number))).collect();
    for answer in waiting {
        assert_eq!(block_on(answer).unwrap(), Outcome::Applied);
    }
}

#[test]
fn commits_have_zeros_ahead_in_the_journal() {
    let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    if !crate::ahead::tests::knows_holes(beside.path()) {
        return;
    }
    let store = open(folder.path());
    fill(&store, SPACE, 1);
    let (_, newest) = crate::files::journal::list(&folder.path().join("tree")).unwrap().pop().unwrap();
    let hole = rustix::fs::seek(std::fs::File::open(newest).unwrap(), rustix::fs::SeekFrom::Hole(0)).unwrap();
    assert!((64 << 10..1 << 20).contains(&hole), "the first hole is at {hole}");
}

/// Keys on disk that begin with these bytes, whoever may see them.
fn keys_left(store: &LocalStore, table: Table, prefix: Vec<u8>) -> usize {
    let upper = keys::successor(prefix.clone());
    let stretch = Stretch { lower: prefix, upper, direction: hashrange_store::Direction::Forward };
    let (mut count, shared) = (0, &store.shared);
    let instant = &shared.published().instant;
    let mut visit = |_: fjall::UserKey, _: fjall::UserValue| {
        count += 1;
        Ok(std::ops::ControlFlow::Continue(()))
    };
    let detours = Detours { hot: &HotRows::default(), gaps: &Gaps::default() };
    shared.tree.scan(instant, table, stretch, &detours, &mut visit).unwrap();
    count
}

fn leftovers(store: &LocalStore, space: Space) -> usize {
    let total = keys::at(&Address::tally(space, 3));
    [
        keys_left(store, Table::Rows, keys::space_prefix(space)),
        keys_left(store, Table::Rows, keys::grave(&keys::space_prefix(space))),
        keys_left(store, Table::Rows, total),
        keys_left(store, Table::Log, keys::space_prefix(space)),
    ]
    .iter()
    .sum()
}

/// Goes on writing elsewhere until the space has left nothing behind.
fn wait_until_clean(store: &LocalStore, space: Space) {
    for number in 0..100_000 {
        if leftovers(store, space) == 0 {
            return;
        }
        block_on(store.commit(CommitId(0), put(OTHER, number))).unwrap();
    }
    panic!("{} keys are left of a forgotten space", leftovers(store, space));
}

#[test]
fn what_a_forgotten_space_leaves_is_dropped_in_the_background() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    fill(&store, SPACE, 1000);
    let delete = LwwWrite { address: address(SPACE, 7), stamp: Stamp(99), value: None };
    block_on(store.put_lww(vec![delete])).unwrap();
    fill(&store, OTHER, 10);
    assert_eq!(leftovers(&store, SPACE), 999 + 1 + 1 + 1000);
    block_on(store.forget(SPACE)).unwrap();
    wait_until_clean(&store, SPACE);
    assert!(block_on(store.get(&address(OTHER, 3), Freshness::Strong)).unwrap().row.is_some());
}

#[test]
fn dropping_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    fill(&store, SPACE, 2000);
    drop(store.forget(SPACE));
    drop(store);
    let store = open(folder.path());
    assert!(block_on(store.get(&address(SPACE, 3), Freshness::Strong)).unwrap().row.is_none());
    wait_until_clean(&store, SPACE);
    // The mark has done its duty at the start after that.
    drop(store);
    let store = open(folder.path());
    assert_eq!(keys_left(&store, Table::Rows, keys::forgotten_prefix()), 0);
}

#[test]
fn after_a_failed_write_the_store_takes_no_more_and_goes_on_reading() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    fill(&store, SPACE, 3);
    let error = StoreError::Failed("the disk is gone".into());
    writer::fail(&store.shared, &error);
    let failed = || Err(StoreError::Failed("the disk is gone".into()));
    assert_eq!(block_on(store.commit(CommitId(1), put(SPACE, 9))), failed().map(|()| Outcome::Applied));
    assert_eq!(block_on(store.forget(SPACE)), failed());
    assert!(block_on(store.get(&address(SPACE, 2), Freshness::Strong)).unwrap().row.is_some());
    assert!(block_on(store.get(&address(SPACE, 2), Freshness::Newest)).unwrap().row.is_some());
    store.close();
}

#[test]
fn a_group_ends_at_its_limits() {
    let request = |bytes: usize| {
        let value = Some(vec![0; bytes].into());
        let ops = vec![tree::Op { table: Table::Rows, key: "k".into(), value }];
        let (reply, _) = futures_channel::oneshot::channel();
        shared::Request { sequence: 1, id: None, ops, tallies: Vec::new(), forget: None, reply }
    };
    let mut queue = Queue::default();
    queue.waiting.extend((0..1500).map(|_| request(10)));
    assert_eq!(writer::take_group(&mut queue).len(), 1000);
    assert_eq!(writer::take_group(&mut queue).len(), 500);
    queue.waiting.extend((0..10).map(|_| request(1 << 20)));
    assert_eq!(writer::take_group(&mut queue).len(), 4);
}

#[test]
fn the_store_tells_what_it_has_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    assert_eq!((store.stats().commits, store.stats().writable), (0, true));
    fill(&store, SPACE, 100);
    let stats = store.stats();
    assert_eq!((stats.commits, stats.group_sizes.sum, stats.queued), (100, 100, 0));
    assert_eq!(stats.group_sizes.count, stats.sync_ns.count);
    assert_eq!(stats.cache_bytes_max, Options::default().cache_bytes);
    assert!(stats.memtable_bytes > 0);
    writer::fail(&store.shared, &StoreError::Failed("the disk is gone".into()));
    assert!(!store.stats().writable);
}

#[test]
fn merging_all_runs_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let everything = |store: &LocalStore| {
        let read = |number| block_on(store.get(&address(SPACE, number), Freshness::Strong)).unwrap();
        (0..400).map(read).collect::<Vec<_>>()
    };
    // Each close writes a run; the second one overwrites and the third one removes rows of the first.
    for round in 0..3_u64 {
        let store = open(folder.path());
        let number = |n: u64| n + 100 * round;
        for n in 0..200 {
            let mut parts = put(SPACE, number(n));
            if round == 2 && n % 2 == 0 {
                let Write::Put { row, .. } = parts[0].writes.remove(0) else { panic!("it was put") };
                parts[0].writes.push(Write::Delete { row });
            }
            block_on(store.commit(CommitId(0), parts)).unwrap();
        }
        store.close();
    }
    let store = open(folder.path());
    let before = everything(&store);
    assert!(store.shared.tree.runs().count > 1);
    store.shared.tree.merge_all().unwrap();
    let runs = store.shared.tree.runs();
    assert_eq!((runs.count, runs.upper_bytes), (1, 0));
    assert_eq!(everything(&store), before);
    drop(store);
    assert_eq!(everything(&open(folder.path())), before);
}
