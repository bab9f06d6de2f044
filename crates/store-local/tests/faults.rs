//! Every call to the disk fails, in every way that disks fail: nothing that was answered is lost, nothing wrong is
//! read, nothing hangs.
//!
//! The test starts itself as children with the layer `shim` below them, one for each sort of call. A child runs through
//! some work of a store and lets the layer note from where the calls come: a place is a call with the stack above
//! it. Then it repeats the work for each place, each time with calls from there that fail: the first of them, one in the
//! midst, and all of them.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "test code")]

mod shim;

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hashrange_env::{Env, Simulation};
use hashrange_store::{
    Address, CommitId, Freshness, Outcome, Part, RowKey, Space, Stamp, Store, StoreError, Stored, Write,
    suite::block_on,
};
use hashrange_store_local::{
    Damage, LocalStore, Observer, OpenError, Options, check as store_check, is_database, salvage,
};

use shim::{Control, EIO, ENOMEM, ENOSPC, Fault, Shim, Site};

const FOLDER: &str = "HASHRANGE_TEST_FAULTS_FOLDER";
/// Which sort of call is the child's.
const SORT: &str = "HASHRANGE_TEST_FAULTS_SORT";
/// Set: not one call in the midst, but each one.
const EACH: &str = "HASHRANGE_FAULTS_EACH";
const SPACE: Space = Space(3000);
const COMMITS: u64 = 4;
/// Lives of a store: enough for the engine to merge what they leave.
const LIVES: u64 = 6;
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

/// Opens, writes, reads and closes, several times. Returns what was answered.
fn live(folder: &Path) -> Vec<u64> {
    let mut answered = Vec::new();
    for life in 0..LIVES {
        // Now and then as a process that is killed, so that the journal is replayed.
        live_once(folder, life * COMMITS..(life + 1) * COMMITS, life % 3 != 1, &mut answered);
    }
    answered
}

fn live_once(folder: &Path, numbers: Range<u64>, ends_well: bool, answered: &mut Vec<u64>) {
    let store = match open(folder) {
        Ok(store) => store,
        Err(error) => {
            assert!(error.to_string().len() > 20, "{error}");
            return;
        }
    };
    let mut failed = false;
    for number in numbers {
        match put(&store, number) {
            Ok(Outcome::Applied) => {
                assert!(!failed, "a store that failed takes writes again");
                answered.push(number);
            }
            Ok(Outcome::Unknown) | Err(StoreError::Failed(_)) => failed = true,
            other => panic!("a fault is answered with {other:?}"),
        }
    }
    for number in &*answered {
        if let Ok(found) = get(&store, *number) {
            assert_eq!(found, Some(value(*number)), "an answered write is gone before any restart");
        }
    }
    if ends_well {
        store.close();
    }
}

/// After the fault: everything is there, and the store works.
fn check(folder: &Path, answered: &[u64], what: &str) {
    let store = open(folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    for number in answered {
        assert_eq!(get(&store, *number).unwrap(), Some(value(*number)), "{what}: {number} is lost");
    }
    for number in 0..LIVES * COMMITS {
        if let Some(found) = get(&store, number).unwrap() {
            assert_eq!(found, value(number), "{what}: something else than what was written");
        }
    }
    assert_eq!(put(&store, 1000), Ok(Outcome::Applied), "{what}");
}

/// What a store does, and what must hold afterwards.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// A new folder, through several lives.
    Live,
    /// The first start on a folder of the oldest format that is read, after a kill.
    Upgrade,
    /// A folder is verified, and copied.
    Salvage,
}

impl Work {
    const ALL: [Work; 3] = [Work::Live, Work::Upgrade, Work::Salvage];

    /// The folder as it is before.
    fn prepare(self, folder: &Path) {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).unwrap();
        let data = folder.join("data");
        match self {
            Work::Live => {}
            Work::Upgrade => {
                live_once(&data, 0..COMMITS, false, &mut Vec::new());
                let format = "hashrange data folder\nformat 2\ncreated-by hashrange 0.1.0\n";
                fs::write(data.join("hashrange.format"), format).unwrap();
                fs::remove_file(data.join("hashrange.sequence")).unwrap();
            }
            Work::Salvage => {
                live_once(&data, 0..COMMITS, true, &mut Vec::new());
                live_once(&data, COMMITS..2 * COMMITS, false, &mut Vec::new());
            }
        }
    }

    /// Does it, with calls that fail. Returns what must be there afterwards.
    fn run(self, folder: &Path) -> Vec<u64> {
        let data = folder.join("data");
        match self {
            Work::Live => live(&data),
            Work::Upgrade => {
                let mut answered = (0..COMMITS).collect();
                live_once(&data, COMMITS..2 * COMMITS, true, &mut answered);
                answered
            }
            Work::Salvage => {
                save(folder);
                (0..2 * COMMITS).collect()
            }
        }
    }

    fn verify(self, folder: &Path, answered: &[u64], what: &str) {
        let data = folder.join("data");
        if let Work::Salvage = self {
            let mut found = Found::default();
            let checked = store_check(&data, &mut found).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(checked.rows, answered.len() as u64, "{what}: the original has changed");
            assert!(found.0.is_empty(), "{what}: {:?}", found.0);
            // The copy is finished, or is made again without complaint.
            if !is_database(&folder.join("copy")) {
                let whole = save(folder);
                assert!(whole, "{what}");
            }
            check(&folder.join("copy"), answered, what);
        }
        check(&data, answered, what);
    }
}

/// Salvages `data` to `copy`. Whether the copy is told to be whole.
fn save(folder: &Path) -> bool {
    let mut found = Found::default();
    let copy = folder.join("copy");
    let saved = salvage(&folder.join("data"), &copy, &mut found);
    let whole = saved.is_ok() && found.0.is_empty();
    // A copy for which a file could not be read is told to be one of a damaged folder, and is good for nothing here.
    if saved.is_ok() && !whole {
        fs::remove_dir_all(copy).unwrap();
    }
    whole
}

/// Damage that a check has told.
#[derive(Default)]
struct Found(Vec<Damage>);

impl Observer for Found {
    fn damaged(&mut self, damage: &Damage) {
        self.0.push(damage.clone());
    }

    fn progress(&mut self, _bytes: u64) {}

    fn row(&mut self, _at: &Address, _stored: &Stored) -> Result<(), String> {
        Ok(())
    }

    fn weight(&mut self, _at: &Address, stored: &Stored) -> Option<u64> {
        Some(stored.value.len() as u64)
    }
}

#[test]
fn child_works_with_faults() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let sort: usize = std::env::var(SORT).unwrap().parse().unwrap();
    let (calls, errors) = SORTS[sort];
    let folder = Path::new(&folder);
    let control = Control::of_this_process().unwrap();
    let clock = watch();
    let (mut cases, mut all) = (0, 0);
    for work in Work::ALL {
        // The first run only looks; all runs begin at one line, since places are told by the stack.
        let mut faults = vec![None];
        while let Some(fault) = faults.pop() {
            clock.store(0, Ordering::SeqCst);
            work.prepare(folder);
            match fault {
                None => control.collect(calls),
                Some(fault) => control.arm(fault),
            }
            let answered = work.run(folder);
            control.disarm();
            if let Some(fault) = fault {
                work.verify(folder, &answered, &format!("{work:?}: {fault:?}"));
                // Where threads meet otherwise than before, a place may not be reached.
                cases += u64::from(control.hit() > 0);
            } else {
                let sites = control.sites();
                all += sites.len();
                faults.extend(sites.iter().flat_map(|site| faults_at(*site, calls, errors)).map(Some));
            }
        }
    }
    println!("{all} places, {cases} faults survived");
}

/// How calls from a place fail: the first one in every way, one in the midst, and all of them.
fn faults_at(site: Site, calls: u32, errors: &[(i32, bool)]) -> Vec<Fault> {
    let fault = |&(error, shorten): &(i32, bool), skip, count| Fault {
        calls,
        error,
        shorten,
        skip,
        count,
        site: site.site,
        ..Fault::default()
    };
    let mut faults: Vec<_> = errors.iter().map(|error| fault(error, 0, 1)).collect();
    if std::env::var_os(EACH).is_some() {
        faults.extend((1..site.calls).flat_map(|skip| errors.iter().map(move |error| fault(error, skip, 1))));
    }
    if let ([first, .., last] | [first @ last], 2..) = (errors, site.calls) {
        faults.extend([fault(last, site.calls / 2, 1), fault(first, 0, u32::MAX)]);
    }
    faults
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

/// Sorts of calls, and how they fail; with a write, whether half of it is written.
const SORTS: [(u32, &[(i32, bool)]); 8] = [
    (shim::OPEN, &[(EIO, false), (ENOSPC, false)]),
    (shim::WRITE, &[(EIO, false), (ENOSPC, false), (ENOSPC, true)]),
    (shim::READ, &[(EIO, false), (ENOMEM, false)]),
    (shim::SYNC, &[(EIO, false)]),
    (shim::TRUNCATE, &[(ENOSPC, false)]),
    (shim::RENAME, &[(EIO, false)]),
    (shim::UNLINK, &[(EIO, false)]),
    (shim::MKDIR, &[(ENOSPC, false)]),
];

/// Runs a child. Returns its places and faults.
fn child(sort: usize) -> (u64, u64) {
    // In memory where the system has such a folder: the faults are played, the disk does not matter.
    let in_memory = Path::new("/dev/shm");
    let base = if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    let base = base.unwrap();
    let shim = Shim::new(base.path());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child_works_with_faults", "--exact", "--nocapture", "--test-threads", "1"]);
    command.env(FOLDER, shim.root()).env(SORT, sort.to_string());
    let output = shim.load(&mut command).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{complained}");
    let numbers = said.lines().find_map(|line| {
        let (places, faults) = line.strip_suffix(" faults survived")?.split_once(" places, ")?;
        Some((places.rsplit(' ').next()?.parse().ok()?, faults.parse().ok()?))
    });
    numbers.unwrap_or_else(|| panic!("the child tells no numbers: {said}"))
}

#[test]
fn no_fault_of_the_disk_loses_an_answered_write() {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let sort = next.fetch_add(1, Ordering::SeqCst);
            let Some((calls, _)) = SORTS.get(sort) else { return done };
            let (places, faults) = child(sort);
            println!("calls {calls}: {places} places, {faults} faults");
            assert!(places > 0 && faults >= places, "{places} places and only {faults} faults");
            done.push(places);
        }
    };
    let places: u64 = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mine: u64 = work().iter().sum();
        mine + other.join().unwrap().iter().sum::<u64>()
    });
    assert!(places > 100, "only {places} places were found");
}
