use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use hashrange_env::{Random, RealRandom, Simulation};
use hashrange_store::suite::block_on;
use hashrange_store::{
    CommitId, Freshness, Outcome, PageLimit, Part, RowKey, Stamp, Store, StoreResult, SweepRead, Tally, Write,
};

use super::*;
use crate::{LocalStore, Options};

const SPACE: Space = Space(3000);
const ROWS_WRITTEN: u64 = 300;
const GENERATIONS: u64 = 4;
/// Random damages that are checked, and how many of them are opened and salvaged too.
const CASES: u64 = 400;
const OPENED_EACH: u64 = 5;

/// Remembers what it is told.
#[derive(Default)]
struct Told(Vec<Damage>);

impl Observer for Told {
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

/// In memory where the system has such a folder: this is about bytes, not about the disk.
fn temporary() -> tempfile::TempDir {
    let in_memory = Path::new("/dev/shm");
    let made = if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    made.unwrap()
}

fn open(folder: &Path) -> Result<LocalStore, OpenError> {
    LocalStore::open(folder, &Options::default(), Simulation::new(1).0)
}

fn row_key() -> RowKey {
    RowKey { kind: 0, sort: Bytes::from_static(b"sort") }
}

fn value(number: u64, generation: u64) -> Bytes {
    Bytes::from(format!("{number}/{generation} {}", "x".repeat(usize::try_from(number % 150).unwrap())))
}

fn length(number: u64, generation: u64) -> i64 {
    i64::try_from(value(number, generation).len()).unwrap()
}

fn write(store: &LocalStore, generation: u64) {
    for number in 0..ROWS_WRITTEN {
        let before = if generation == 0 { 0 } else { length(number, generation - 1) };
        let part = Part {
            space: SPACE,
            partition: Bytes::from(format!("p{number}")),
            expects: Vec::new(),
            writes: vec![Write::Put {
                row: row_key(),
                stored: Stored { stamp: Stamp(generation), value: value(number, generation) },
            }],
            log: Some(value(number, generation)),
            tallies: vec![Tally {
                space: SPACE,
                kind: 0,
                rows: i64::from(generation == 0),
                bytes: length(number, generation) - before,
            }],
        };
        let outcome = block_on(store.commit(CommitId(number.into()), vec![part]));
        assert_eq!(outcome, Ok(Outcome::Applied));
    }
}

/// A folder with several table files and a journal, as a killed server leaves it.
fn killed(to: &Path) {
    let base = temporary();
    for generation in 0..GENERATIONS - 1 {
        let store = open(base.path()).unwrap();
        write(&store, generation);
    }
    let store = open(base.path()).unwrap();
    write(&store, GENERATIONS - 1);
    copy(base.path(), to);
}

/// Copies a folder without the zeros at the end of journals.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let copied = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &copied);
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "jnl") {
            let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            bytes.truncate((used + 1000).min(bytes.len()));
        }
        fs::write(copied, bytes).unwrap();
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Keyspace, key and value of everything.
type Keys = BTreeSet<(u64, Vec<u8>, Vec<u8>)>;

/// Everything in a folder, as a check sees it.
fn seen(folder: &Path) -> (Summary, Vec<Damage>, Keys) {
    let mut told = Told::default();
    let mut seen = BTreeSet::new();
    let mut check = Check::new(folder, &mut told).unwrap();
    check.files();
    let visited = check.contents(&mut |id, key, value| {
        seen.insert((id, key.to_vec(), value.to_vec()));
        Ok(())
    });
    visited.unwrap();
    let summary = check.summary;
    (summary, told.0, seen)
}

type Rows = Vec<(Bytes, Bytes)>;

/// All rows and log records as a server would read them.
fn served(store: &LocalStore) -> StoreResult<(Rows, Vec<Bytes>)> {
    let limit = PageLimit { rows: usize::MAX, bytes: usize::MAX };
    let (kind, segment, segments, after, freshness) = (0, 0, 1, None, Freshness::Strong);
    let sweep = SweepRead { space: SPACE, kind, segment, segments, after, limit, freshness };
    let page = block_on(store.sweep(sweep))?;
    for (partition, row, stored) in &page.rows {
        let at = Address { space: SPACE, partition: partition.clone(), row: row.clone() };
        assert_eq!(block_on(store.get(&at, Freshness::Strong))?.row.as_ref(), Some(stored));
    }
    let rows = page.rows.into_iter().map(|(partition, _, stored)| (partition, stored.value)).collect();
    let log = block_on(store.log_read(SPACE, None, usize::MAX))?;
    Ok((rows, log.into_iter().map(|record| record.payload).collect()))
}

#[test]
fn a_whole_folder_is_found_whole_and_nothing_is_changed() {
    let base = temporary();
    killed(base.path());
    let before: Vec<_> = files(base.path()).iter().map(|path| fs::read(path).unwrap()).collect();
    let mut told = Told::default();
    let summary = check(base.path(), &mut told).unwrap();
    assert_eq!(told.0, []);
    assert_eq!((summary.rows, summary.log_records), (ROWS_WRITTEN, ROWS_WRITTEN * GENERATIONS));
    assert_eq!((summary.format, summary.damages, summary.torn), (3, 0, false));
    assert_eq!(summary.sequence, summary.answered);
    assert_eq!((summary.batches, summary.journals), (ROWS_WRITTEN, 1));
    let after: Vec<_> = files(base.path()).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(before == after);
}

#[test]
fn an_open_folder_and_one_without_a_database_are_refused() {
    let base = temporary();
    let absent = check(base.path(), &mut Told::default()).unwrap_err();
    assert_eq!(absent, OpenError::Absent(base.path().into()));
    let _store = open(base.path()).unwrap();
    let in_use = check(base.path(), &mut Told::default()).unwrap_err();
    assert_eq!(in_use, OpenError::InUse(base.path().into()));
}

/// Any damage of any file is named, or changes nothing; and whatever the server answers is right or an error.
#[test]
fn random_damage_is_named_or_harmless_and_never_served() {
    let base = temporary();
    let whole = base.path().join("whole");
    killed(&whole);
    let (_, _, contents) = seen(&whole);
    let good = {
        let copied = base.path().join("good");
        copy(&whole, &copied);
        served(&open(&copied).unwrap()).unwrap()
    };
    let files = files(&whole);
    let mut draws = Draws(RealRandom.next_u64());
    println!("seed {}", draws.0);
    let (mut named, mut harmless) = (0, 0);
    for case in 0..CASES {
        let file = &files[draws.below(files.len())];
        let before = fs::read(file).unwrap();
        let what = damage(file, &before, &mut draws);
        let context = format!("case {case}: {} {what}", file.strip_prefix(&whole).unwrap().display());
        let (summary, damages, found) = seen(&whole);
        assert_eq!(summary.damages, damages.len() as u64);
        if damages.is_empty() {
            assert!(found == contents, "{context}: the check finds nothing wrong, but other contents");
            harmless += 1;
        } else {
            named += 1;
        }
        if case % OPENED_EACH == 0 {
            let copied = base.path().join(format!("case{case}"));
            copy(&whole, &copied);
            serve(&copied, &good, damages.is_empty(), &context);
            fs::remove_dir_all(&copied).unwrap();
            save(&whole, &base.path().join(format!("saved{case}")), &context);
        }
        fs::write(file, before).unwrap();
    }
    println!("{named} named, {harmless} harmless");
    assert!(named > CASES / 4 && harmless > 0, "{named} named, {harmless} harmless");
}

/// Flips a bit or cuts the file off.
fn damage(file: &Path, before: &[u8], draws: &mut Draws) -> String {
    let at = draws.below(before.len().max(1));
    if draws.below(3) == 0 || before.is_empty() {
        fs::write(file, &before[..at.min(before.len())]).unwrap();
        return format!("cut to {at} of {} bytes", before.len());
    }
    let mut bytes = before.to_vec();
    let bit = draws.below(8);
    bytes[at] ^= 1 << bit;
    fs::write(file, bytes).unwrap();
    format!("bit {bit} flipped at {at} of {} bytes", before.len())
}

fn serve(folder: &Path, good: &(Rows, Vec<Bytes>), harmless: bool, context: &str) {
    let answer = catch_unwind(AssertUnwindSafe(|| match open(folder) {
        Ok(store) => Some(served(&store)),
        Err(error) => {
            assert!(!harmless, "{context}: the check finds nothing wrong, but a server refuses: {error}");
            None
        }
    }));
    let answer = answer.unwrap_or_else(|_| panic!("{context}: the server panics"));
    match answer {
        Some(Ok(answer)) => assert!(answer == *good, "{context}: damaged data is served as good"),
        Some(Err(error)) => {
            assert!(!harmless, "{context}: the check finds nothing wrong, but reads fail: {error}");
        }
        None => {}
    }
}

/// What is salvaged can be served, and consists of values that were written.
fn save(folder: &Path, to: &Path, context: &str) {
    let mut told = Told::default();
    salvage(folder, to, &mut told).unwrap_or_else(|error| panic!("{context}: {error}"));
    let store =
        open(to).unwrap_or_else(|error| panic!("{context}: what was salvaged cannot be opened: {error}"));
    let (rows, _) = served(&store).unwrap();
    for (partition, found) in &rows {
        let number = std::str::from_utf8(&partition[1..]).unwrap().parse().unwrap();
        let newest = value(number, GENERATIONS - 1);
        let known = if told.0.is_empty() {
            *found == newest
        } else {
            (0..GENERATIONS).any(|made| value(number, made) == *found)
        };
        assert!(known, "{context}: a value that was never written is salvaged");
    }
    if told.0.is_empty() {
        assert_eq!(rows.len() as u64, ROWS_WRITTEN, "{context}");
    }
    drop(store);
    let mut told = Told::default();
    let summary = check(to, &mut told).unwrap();
    assert_eq!(told.0, [], "{context}: what was salvaged is not whole: {summary}");
    fs::remove_dir_all(to).unwrap();
}

#[test]
fn a_missing_file_is_named_and_the_folder_is_refused_unchanged() {
    let base = temporary();
    let whole = base.path().join("whole");
    killed(&whole);
    let named =
        ["tree/version", "tree/keyspaces/0/current", "tree/keyspaces/1/current", "hashrange.sequence"];
    for name in named {
        let copied = base.path().join("copied");
        copy(&whole, &copied);
        fs::remove_file(copied.join(name)).unwrap();
        let left = files(&copied);
        let refused = open(&copied).unwrap_err().to_string();
        assert!(refused.contains(name) && refused.contains("it is missing"), "{refused}");
        assert!(refused.contains("--salvage"), "{refused}");
        assert_eq!(files(&copied), left);
        let mut told = Told::default();
        check(&copied, &mut told).unwrap();
        assert!(told.0.iter().any(|damage| damage.file == Path::new(name)), "{:?}", told.0);
        fs::remove_dir_all(&copied).unwrap();
    }
}

#[test]
fn a_damaged_file_of_the_engine_is_refused_with_what_to_do() {
    let base = temporary();
    let whole = base.path().join("whole");
    killed(&whole);
    let mut refused = 0;
    for file in files(&whole).iter().filter(|file| file.components().any(|part| part.as_os_str() == "0")) {
        let before = fs::read(file).unwrap();
        for at in [0, before.len() / 2, before.len() - 1] {
            let mut bytes = before.clone();
            bytes[at] ^= 1;
            fs::write(file, bytes).unwrap();
            if let Err(error) = open(&whole) {
                refused += 1;
                let text = error.to_string();
                assert!(text.contains("`hashrange check "), "{text}");
                assert!(text.contains("--salvage NEW-FOLDER"), "{text}");
            }
            fs::write(file, &before).unwrap();
        }
    }
    assert!(refused > 0, "no file of the catalogue of trees was damaged");
}

#[test]
fn a_missing_folder_of_trees_is_no_empty_database() {
    let base = temporary();
    killed(base.path());
    fs::remove_dir_all(base.path().join("tree")).unwrap();
    let refused = open(base.path()).unwrap_err().to_string();
    assert!(refused.contains("tree/version: it is missing (affects all data)"), "{refused}");
    assert!(!base.path().join("tree").exists());
}

#[test]
fn a_lost_end_of_the_journal_is_noticed() {
    let base = temporary();
    killed(base.path());
    let journal = journal::list(&base.path().join("tree")).unwrap().pop().unwrap().1;
    let mut ends = Vec::new();
    Journal::read(&journal).unwrap().batches(true, &mut |batch| ends.push(batch.to));
    // Ten whole batches are gone, and no byte says so.
    let cut = ends[ends.len() - 11];
    fs::OpenOptions::new().write(true).open(&journal).unwrap().set_len(cut as u64).unwrap();
    let answered = inspect::marks(base.path()).unwrap().sequence;
    let found = answered - 10;
    assert_eq!(open(base.path()).unwrap_err(), OpenError::Lost { path: base.path().into(), found, answered });
    let said = open(base.path()).unwrap_err().to_string();
    assert!(said.starts_with("the last 10 or more commits in "), "{said}");
}

#[test]
fn a_lost_journal_between_others_is_noticed() {
    let base = temporary();
    killed(base.path());
    let tree = base.path().join("tree");
    let (number, path) = journal::list(&tree).unwrap().pop().unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut ends = Vec::new();
    Journal::read(&path).unwrap().batches(true, &mut |batch| ends.push(batch.to));
    // As if the batches between had been in a journal of their own that is not there.
    fs::write(&path, &bytes[..ends[99]]).unwrap();
    fs::write(tree.join(format!("{}.jnl", number + 1)), &bytes[ends[199]..]).unwrap();
    let refused = open(base.path()).unwrap_err().to_string();
    assert!(refused.contains(&format!("tree/{}.jnl at byte 0", number + 1)), "{refused}");
    assert!(refused.contains("should be before it and is not"), "{refused}");
}

#[test]
fn damage_within_a_journal_is_told_from_a_torn_end() {
    let base = temporary();
    killed(base.path());
    let (_, path) = journal::list(&base.path().join("tree")).unwrap().pop().unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut starts = Vec::new();
    Journal::read(&path).unwrap().batches(true, &mut |batch| starts.push(batch.from));
    let mut torn = bytes.clone();
    let last = *starts.last().unwrap();
    torn[last + 30..].fill(0);
    fs::write(&path, torn).unwrap();
    // The last batch was answered, so that it is gone is noticed all the same.
    assert!(matches!(open(base.path()).unwrap_err(), OpenError::Lost { .. }));
    let mut damaged = bytes.clone();
    damaged[starts[50] + 30] ^= 4;
    fs::write(&path, damaged).unwrap();
    let refused = open(base.path()).unwrap_err().to_string();
    assert!(refused.contains(&format!(".jnl at byte {}", starts[50])), "{refused}");
}

#[test]
fn a_folder_of_format_2_is_read_and_becomes_one_of_format_3() {
    let base = temporary();
    killed(base.path());
    let format = base.path().join(folder::FORMAT_FILE);
    fs::write(&format, "hashrange data folder\nformat 2\ncreated-by hashrange 0.1.0\n").unwrap();
    fs::remove_file(base.path().join(sequence::FILE)).unwrap();
    let store = open(base.path()).unwrap();
    assert_eq!(served(&store).unwrap().0.len() as u64, ROWS_WRITTEN);
    drop(store);
    assert!(fs::read_to_string(&format).unwrap().contains("format 3\n"));
    assert!(base.path().join(sequence::FILE).exists());
    open(base.path()).unwrap();
}

/// Numbers from a seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }
}
