//! What was acknowledged survives the death of the process, whole.
//!
//! The test starts its own binary again as a child, which writes and tells on its standard output what was
//! acknowledged; the child is killed at a random moment, and the folder is opened and checked. In rounds with a power
//! cut, whatever no completed sync has covered is taken back before that.

#![expect(clippy::unwrap_used, reason = "test code")]

mod shim;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use hashrange_env::{Random, RealRandom, Simulation};
use hashrange_store::{
    Address, CommitId, Freshness, Outcome, PageLimit, Part, RowKey, Space, Stamp, Store, Stored, SweepRead,
    Tally, Totals, Write, suite::block_on,
};
use hashrange_store_local::{LocalStore, Options};

use shim::Shim;

const FOLDER: &str = "HASHRANGE_TEST_CRASH_FOLDER";
const ROUND: &str = "HASHRANGE_TEST_CRASH_ROUND";
const SPACE: Space = Space(3000);
const ROUNDS: u64 = 4;
const WRITERS: u64 = 4;
/// Folders, and power cuts for each: 50 in all.
const CUT_FOLDERS: u64 = 5;
const CUTS: u64 = 10;

fn open(folder: &Path) -> LocalStore {
    LocalStore::open(folder, &Options::default(), Simulation::new(1).0).unwrap()
}

fn row(sort: &str) -> RowKey {
    RowKey { kind: 0, sort: Bytes::copy_from_slice(sort.as_bytes()) }
}

fn partition(round: u64, writer: u64, number: u64) -> Bytes {
    Bytes::from(format!("{round}-{writer}-{number}"))
}

/// Two rows, a log record and a change of the total: all of it or nothing.
fn part(round: u64, writer: u64, number: u64) -> Part {
    // Now and then a large one, so that memtables fill up and are written out.
    let length = if number.is_multiple_of(32) { 60_000 } else { 1 + number % 3000 };
    let value = Bytes::from(vec![b'x'; usize::try_from(length).unwrap()]);
    let put =
        |sort| Write::Put { row: row(sort), stored: Stored { stamp: Stamp(number), value: value.clone() } };
    Part {
        space: SPACE,
        partition: partition(round, writer, number),
        expects: Vec::new(),
        writes: vec![put("first"), put("second")],
        log: Some(partition(round, writer, number)),
        tallies: vec![Tally {
            space: SPACE,
            kind: 0,
            rows: 2,
            bytes: 2 * i64::try_from(value.len()).unwrap(),
        }],
    }
}

/// The child: writes from several threads until it is killed.
#[test]
fn child_writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let round: u64 = std::env::var(ROUND).unwrap().parse().unwrap();
    let store = open(Path::new(&folder));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                for number in 1.. {
                    let id = CommitId(u128::from(number));
                    let outcome = block_on(store.commit(id, vec![part(round, writer, number)])).unwrap();
                    assert_eq!(outcome, Outcome::Applied);
                    println!("acknowledged {writer} {number}");
                }
            });
        }
    });
}

fn child(folder: &Path, round: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["child_writes_until_it_is_killed", "--exact", "--nocapture", "--test-threads", "1"])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped());
    command
}

/// Runs the child for a random number of acknowledgements, kills it, and returns the last one of each writer.
fn run_and_kill(mut child: Child) -> Vec<u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let enough = 100 + RealRandom.next_u64() % 1000;
    let mut last = vec![0; usize::try_from(WRITERS).unwrap()];
    let mut seen = 0;
    // What the child has told before its death is still in the pipe, so reading goes on to the end.
    for line in lines {
        let line = line.unwrap();
        let Some((_, rest)) = line.split_once("acknowledged ") else { continue };
        let mut words = rest.split(' ');
        let (Some(writer), Some(Ok(number))) = (words.next(), words.next().map(str::parse)) else { continue };
        last[writer.parse::<usize>().unwrap()] = number;
        seen += 1;
        if seen == enough {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(seen >= enough, "the child ended by itself");
    last
}

#[test]
fn acknowledged_commits_survive_a_kill_whole() {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().join("data");
    let mut acknowledged = Vec::new();
    for round in 0..ROUNDS {
        acknowledged.push(run_and_kill(child(&folder, round).spawn().unwrap()));
        let store = open(&folder);
        check_all(&store, &acknowledged);
        if round % 2 == 0 {
            store.close();
        }
    }
}

#[test]
fn acknowledged_commits_survive_power_cuts_whole() {
    for _ in 0..CUT_FOLDERS {
        let base = tempfile::tempdir().unwrap();
        let shim = Shim::new(base.path());
        let mut acknowledged = Vec::new();
        for round in 0..CUTS {
            let mut command = child(shim.root(), round);
            acknowledged.push(run_and_kill(shim.record(&mut command).spawn().unwrap()));
            let undone = shim.cut_power();
            let store = open(shim.root());
            check_all(&store, &acknowledged);
            if round % 4 == 3 {
                store.close();
            }
            println!("round {round}: {undone} changes taken back, {:?} acknowledged", acknowledged.last());
        }
    }
}

/// A test that cannot fail shows nothing: on a disk that lies about syncs, commits must be seen to be lost.
#[test]
fn without_syncs_a_power_cut_loses_commits_and_that_is_seen() {
    let base = tempfile::tempdir().unwrap();
    let shim = Shim::new(base.path());
    // The folder itself is made on an honest disk.
    let mut command = child(shim.root(), 0);
    let first = run_and_kill(shim.record(&mut command).spawn().unwrap());
    shim.cut_power();
    shim.control().deny_sync();
    let mut command = child(shim.root(), 1);
    let second = run_and_kill(shim.record(&mut command).spawn().unwrap());
    shim.cut_power();
    let store = open(shim.root());
    check_acknowledged(&store, 0, &first);
    let lost =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_acknowledged(&store, 1, &second)));
    assert!(lost.is_err(), "commits that were never synced survived a power cut: the layer does not work");
}

fn check_all(store: &LocalStore, acknowledged: &[Vec<u64>]) {
    for (round, last) in (0u64..).zip(acknowledged) {
        check_acknowledged(store, round, last);
    }
    check_whole(store);
}

fn check_acknowledged(store: &LocalStore, round: u64, last: &[u64]) {
    for (writer, last) in (0u64..).zip(last) {
        for number in 1..=*last {
            for sort in ["first", "second"] {
                let at =
                    Address { space: SPACE, partition: partition(round, writer, number), row: row(sort) };
                let found = block_on(store.get(&at, Freshness::Strong)).unwrap();
                let stamp = found.row.map(|row| row.stamp);
                assert_eq!(stamp, Some(Stamp(number)), "round {round}, writer {writer} lost {number} {sort}");
            }
        }
    }
}

/// Rows in pairs, a log record for each pair, and totals that equal a recount.
fn check_whole(store: &LocalStore) {
    let limit = PageLimit { rows: usize::MAX, bytes: usize::MAX };
    let (kind, segment, segments, after, freshness) = (0, 0, 1, None, Freshness::Strong);
    let read = SweepRead { space: SPACE, kind, segment, segments, after, limit, freshness };
    let rows = block_on(store.sweep(read)).unwrap().rows;
    let mut partitions = Vec::new();
    for pair in rows.chunks(2) {
        assert!(
            pair.len() == 2 && pair[0].0 == pair[1].0 && pair[0].2 == pair[1].2,
            "half a commit: {pair:?}"
        );
        partitions.push(pair[0].0.clone());
    }
    let recount = Totals {
        rows: i64::try_from(rows.len()).unwrap(),
        bytes: rows.iter().map(|(.., stored)| i64::try_from(stored.value.len()).unwrap()).sum(),
    };
    let total = block_on(store.get(&Address::tally(SPACE, 0), Freshness::Strong)).unwrap().row.unwrap();
    assert_eq!(Totals::decode(&total.value), Some(recount));
    let log = block_on(store.log_read(SPACE, None, usize::MAX)).unwrap();
    let mut logged: Vec<_> = log.into_iter().map(|record| record.payload).collect();
    logged.sort();
    partitions.sort();
    assert!(logged == partitions, "{} log records for {} commits", logged.len(), partitions.len());
}

#[test]
fn a_reader_sees_only_what_is_durable() {
    // A row that a strong reader has seen must survive a kill, even if its writer was never answered; here
    // the kill is played by looking at what is published before the writer is told.
    let base = tempfile::tempdir().unwrap();
    let store = Arc::new(open(base.path()));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=300 {
                let mut part = part(0, 0, number);
                part.partition = Bytes::from_static(b"p");
                block_on(store.commit(CommitId(u128::from(number)), vec![part])).unwrap();
            }
            stop.store(true, Ordering::Release);
        });
        let at = Address { space: SPACE, partition: Bytes::from_static(b"p"), row: row("first") };
        let mut newest = None;
        while !stop.load(Ordering::Acquire) {
            let strong = block_on(store.get(&at, Freshness::Strong)).unwrap();
            assert!(strong.durable);
            let stamp = strong.row.map(|row| row.stamp);
            assert!(stamp >= newest, "strong reads never go back");
            newest = stamp;
        }
    });
}

#[test]
fn a_closed_store_refuses_writes_and_still_reads() {
    let base = tempfile::tempdir().unwrap();
    let store = open(base.path());
    block_on(store.commit(CommitId(1), vec![part(0, 0, 1)])).unwrap();
    store.close();
    store.close();
    let refused = block_on(store.commit(CommitId(2), vec![part(0, 0, 2)]));
    assert_eq!(refused, Err(hashrange_store::StoreError::Closed));
    let at = Address { space: SPACE, partition: partition(0, 0, 1), row: row("first") };
    assert!(block_on(store.get(&at, Freshness::Strong)).unwrap().row.is_some());
    assert!(store.path().join("hashrange.format").exists());
}
