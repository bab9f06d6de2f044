//! Every call to the disk fails once, in every way that disks fail: nothing that was answered is lost, nothing wrong is
//! read, nothing hangs.
//!
//! The test starts itself as a child with the layer `shim` below it. The child counts the calls of one run through a
//! store's life, and then repeats it, each time with another call that fails.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "test code")]

mod shim;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hashrange_env::{Env, Simulation};
use hashrange_store::{
    Address, CommitId, Freshness, Outcome, Part, RowKey, Space, Stamp, Store, StoreError, Stored, Write,
    suite::block_on,
};
use hashrange_store_local::{LocalStore, OpenError, Options};

use shim::{Control, EIO, ENOMEM, ENOSPC, Fault, Shim};

const FOLDER: &str = "HASHRANGE_TEST_FAULTS_FOLDER";
const SPACE: Space = Space(3000);
const COMMITS: u64 = 8;
/// Calls of one sort that are made to fail, at most; evenly spread. `HASHRANGE_FAULT_PLACES` sets another number.
const PLACES: u32 = 6;
/// A run that takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(1);

fn open(folder: &Path) -> Result<LocalStore, OpenError> {
    LocalStore::open(folder, &Options::default(), Simulation::new(1).0)
}

fn at(number: u64) -> Address {
    let row = RowKey { kind: 0, sort: Bytes::from_static(b"row") };
    Address { space: SPACE, partition: Bytes::from(number.to_string()), row }
}

fn value(number: u64) -> Bytes {
    Bytes::from(number.to_string().repeat(500))
}

fn put(store: &LocalStore, number: u64) -> Result<Outcome, StoreError> {
    let Address { space, partition, row } = at(number);
    let stored = Stored { stamp: Stamp(1), value: value(number) };
    let writes = vec![Write::Put { row, stored }];
    let (expects, log, tallies) = (Vec::new(), None, Vec::new());
    block_on(
        store.commit(CommitId(number.into()), vec![Part { space, partition, expects, writes, log, tallies }]),
    )
}

fn get(store: &LocalStore, number: u64) -> Result<Option<Bytes>, StoreError> {
    let found = block_on(store.get(&at(number), Freshness::Strong))?;
    Ok(found.row.map(|row| row.value))
}

/// One life: open, write, read, close, three times. Returns what was answered.
fn live(folder: &Path) -> Vec<u64> {
    let mut answered = Vec::new();
    for life in 0..3 {
        let store = match open(folder) {
            Ok(store) => store,
            Err(error) => {
                assert!(error.to_string().len() > 20, "{error}");
                continue;
            }
        };
        let mut failed = false;
        for number in life * COMMITS..(life + 1) * COMMITS {
            match put(&store, number) {
                Ok(Outcome::Applied) => {
                    assert!(!failed, "a store that failed takes writes again");
                    answered.push(number);
                }
                Ok(Outcome::Unknown) | Err(StoreError::Failed(_)) => failed = true,
                other => panic!("a fault is answered with {other:?}"),
            }
        }
        for number in &answered {
            if let Ok(found) = get(&store, *number) {
                assert_eq!(found, Some(value(*number)), "an answered write is gone before any restart");
            }
        }
        // Every other time as a process that is killed, so that the journal is replayed.
        if life % 2 == 0 {
            store.close();
        }
    }
    answered
}

/// After the fault: everything is there, and the store works.
fn check(folder: &Path, answered: &[u64], what: &str) {
    let store = open(folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    for number in answered {
        assert_eq!(get(&store, *number).unwrap(), Some(value(*number)), "{what}: {number} is lost");
    }
    for number in 0..3 * COMMITS {
        if let Some(found) = get(&store, number).unwrap() {
            assert_eq!(found, value(number), "{what}: something else than what was written");
        }
    }
    assert_eq!(put(&store, 1000), Ok(Outcome::Applied), "{what}");
}

#[test]
fn child_lives_with_faults() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let control = Control::of_this_process().unwrap();
    let places = std::env::var("HASHRANGE_FAULT_PLACES").map_or(PLACES, |text| text.parse().unwrap());
    let clock = watch();
    let mut cases = 0;
    for fault in faults() {
        control.arm(Fault { count: 0, ..fault });
        let whole = fresh(Path::new(&folder));
        live(&whole);
        control.disarm();
        let calls = control.seen();
        for skip in (0..calls).step_by(usize::try_from(calls.div_ceil(places).max(1)).unwrap()) {
            let what = format!("call {skip} of {calls}: {fault:?}");
            clock.store(0, Ordering::SeqCst);
            let folder = fresh(Path::new(&folder));
            control.arm(Fault { skip, ..fault });
            let answered = live(&folder);
            control.disarm();
            check(&folder, &answered, &what);
            cases += 1;
        }
    }
    println!("{cases} faults survived");
}

fn fresh(folder: &Path) -> std::path::PathBuf {
    let _ = std::fs::remove_dir_all(folder);
    folder.to_owned()
}

/// Ends this process when a run takes too long.
fn watch() -> Arc<AtomicU64> {
    let ticks = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&ticks);
    Env::thread("watch", move || {
        while clock.fetch_add(1, Ordering::SeqCst) < PATIENCE.as_secs() {
            std::thread::park_timeout(Duration::from_secs(1));
        }
        println!("a run hangs");
        std::process::abort();
    })
    .unwrap();
    ticks
}

fn faults() -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut add = |calls, error, shorten| {
        // Once, and from then on.
        for count in [1, u32::MAX] {
            faults.push(Fault { calls, error, count, shorten, ..Fault::default() });
        }
    };
    add(shim::OPEN, EIO, false);
    add(shim::OPEN, ENOSPC, false);
    add(shim::WRITE, EIO, false);
    add(shim::WRITE, ENOSPC, false);
    add(shim::WRITE, ENOSPC, true);
    add(shim::SYNC, EIO, false);
    add(shim::TRUNCATE, ENOSPC, false);
    add(shim::RENAME, EIO, false);
    add(shim::UNLINK, EIO, false);
    add(shim::MKDIR, ENOSPC, false);
    add(shim::READ, EIO, false);
    add(shim::READ, ENOMEM, false);
    faults
}

#[test]
fn no_fault_of_the_disk_loses_an_answered_write() {
    // In memory where the system has such a folder: the faults are played, the disk does not matter.
    let in_memory = Path::new("/dev/shm");
    let base = if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    let base = base.unwrap();
    let shim = Shim::new(base.path());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child_lives_with_faults", "--exact", "--nocapture", "--test-threads", "1"]);
    let output = shim.load(command.env(FOLDER, shim.root())).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{complained}");
    let cases =
        said.lines().find_map(|line| line.split_once(" faults survived")?.0.rsplit(' ').next()?.parse().ok());
    let cases: u64 = cases.unwrap_or_else(|| panic!("the child tells no number: {said}"));
    assert!(cases > 60, "only {cases} faults were tried");
}
