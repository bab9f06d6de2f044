//! Scans that jump over gaps answer like scans that do not. All with gaps looked for at every occasion.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hashrange_env::Random;
use hashrange_store::{Bound, Direction, Memory, Mirror, PageLimit, suite};
use tempfile::TempDir;

use super::*;

/// Every removal is followed by a look around, every scan claims all its steps, and every gap and page is kept.
const EAGER: Rules = Rules {
    look_every: 1,
    worth: 0,
    slow_scan: Duration::ZERO,
    slow_row: Duration::ZERO,
    slow_step: Duration::ZERO,
    page_rows: 0,
};

/// In memory where the system has such a folder: this is not about the disk.
pub(super) fn folder() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    let made = if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    made.unwrap()
}

pub(super) fn open_with(folder: &TempDir, rules: Rules) -> LocalStore {
    let (path, env) = (folder.path().join("data"), Simulation::new(1).0);
    LocalStore::open_with(&path, &Options::default(), env, rules).unwrap()
}

#[test]
fn with_gaps_everywhere_the_engine_keeps_the_contract() {
    suite::run(|| {
        let folder = folder();
        move || Arc::new(open_with(&folder, EAGER)) as Arc<dyn Store>
    });
}

#[test]
fn with_gaps_everywhere_the_engine_answers_like_the_reference_engine() {
    suite::run(|| {
        let folder = folder();
        move || {
            Arc::new(Mirror::new(Arc::new(open_with(&folder, EAGER)), Arc::new(Memory::new())))
                as Arc<dyn Store>
        }
    });
}

pub(super) fn row(number: u64) -> RowKey {
    RowKey { kind: 0, sort: Bytes::copy_from_slice(&number.to_be_bytes()) }
}

pub(super) fn write(partition: u64, writes: Vec<Write>) -> Vec<Part> {
    let partition = Bytes::copy_from_slice(&partition.to_be_bytes());
    vec![Part { space: SPACE, partition, expects: Vec::new(), writes, log: None, tallies: Vec::new() }]
}

pub(super) fn put_row(number: u64, stamp: u64) -> Write {
    let stored = Stored { stamp: Stamp(stamp), value: Bytes::from_static(b"0123456789") };
    Write::Put { row: row(number), stored }
}

pub(super) fn delete_row(number: u64) -> Write {
    Write::Delete { row: row(number) }
}

pub(super) fn whole(partition: u64) -> RangeRead {
    RangeRead {
        space: SPACE,
        partition: Bytes::copy_from_slice(&partition.to_be_bytes()),
        lower: Bound::Unbounded,
        upper: Bound::Unbounded,
        direction: Direction::Forward,
        limit: PageLimit { rows: usize::MAX, bytes: usize::MAX },
        freshness: Freshness::Strong,
    }
}

fn numbers(store: &dyn Store, read: RangeRead) -> Vec<u64> {
    let page = block_on(store.range(read)).unwrap();
    page.rows.iter().map(|(row, _)| u64::from_be_bytes(row.sort[..].try_into().unwrap())).collect()
}

pub(super) fn apply(store: &dyn Store, partition: u64, writes: Vec<Write>) {
    assert_eq!(block_on(store.commit(CommitId(0), write(partition, writes))).unwrap(), Outcome::Applied);
}

/// After this, what the writer has to learn from before is published.
fn settle(store: &dyn Store) {
    for _ in 0..3 {
        apply(store, u64::MAX, vec![put_row(0, 1)]);
    }
}

fn random_bound(random: &dyn Random) -> Bound {
    let row = row(random.next_u64() % 40);
    match random.next_u64() % 3 {
        0 => Bound::Included(row),
        1 => Bound::Excluded(row),
        _ => Bound::Unbounded,
    }
}

fn random_read(random: &dyn Random, partition: u64) -> RangeRead {
    let backward = random.next_u64().is_multiple_of(2);
    let rows = if random.next_u64().is_multiple_of(2) { 3 } else { 100 };
    RangeRead {
        lower: random_bound(random),
        upper: random_bound(random),
        direction: if backward { Direction::Backward } else { Direction::Forward },
        limit: PageLimit { rows, bytes: usize::MAX },
        ..whole(partition)
    }
}

fn random_sweep(random: &dyn Random) -> SweepRead {
    let after = (Bytes::copy_from_slice(&(random.next_u64() % 5).to_be_bytes()), row(random.next_u64() % 40));
    SweepRead {
        space: SPACE,
        kind: 0,
        segment: 0,
        segments: 1,
        after: random.next_u64().is_multiple_of(2).then_some(after),
        limit: PageLimit { rows: 50, bytes: usize::MAX },
        freshness: Freshness::Strong,
    }
}

/// Writes and reads at random, mostly in runs, so that stretches without rows come and go.
fn wander(store: &dyn Store, random: &dyn Random, partition: u64, steps: u64) {
    for step in 1..=steps {
        let first = random.next_u64() % 40;
        let run = first..first + random.next_u64() % 8;
        match random.next_u64() % 4 {
            0 => apply(store, partition, vec![put_row(first, step)]),
            1 => apply(store, partition, run.map(delete_row).collect()),
            2 if step % 7 == 0 => apply(store, partition, run.map(|number| put_row(number, step)).collect()),
            2 => {
                block_on(store.sweep(random_sweep(random))).unwrap();
            }
            _ => {
                block_on(store.range(random_read(random, partition))).unwrap();
            }
        }
    }
}

#[test]
fn random_writes_and_scans_answer_like_the_reference_engine() {
    let folder = folder();
    let tested = Arc::new(open_with(&folder, EAGER));
    let shared = Arc::clone(&tested.shared);
    let store = Mirror::new(tested, Arc::new(Memory::new()));
    for seed in 0..40 {
        let env = Simulation::new(seed).0;
        wander(&store, &*env.random, seed % 5, 200);
    }
    // The test means nothing without gaps.
    let published = shared.published();
    let (lower, upper) = (keys::space_prefix(SPACE), keys::space_prefix(OTHER));
    assert!(published.gaps.first_in(&lower, &upper, false).is_some());
}

/// Each thread has a partition of its own, and knows what must be in it.
fn wander_alone(store: &LocalStore, seed: u64) {
    let env = Simulation::new(seed).0;
    let mut model = BTreeSet::new();
    for step in 0..400 {
        let first = env.random.next_u64() % 40;
        let run = first..first + env.random.next_u64() % 8;
        if env.random.next_u64().is_multiple_of(3) {
            apply(store, seed, vec![put_row(first, step)]);
            model.insert(first);
        } else {
            apply(store, seed, run.clone().map(delete_row).collect());
            model.retain(|number| !run.contains(number));
        }
        let backward = RangeRead { direction: Direction::Backward, ..whole(seed) };
        assert!(numbers(store, whole(seed)).iter().eq(model.iter()), "seed {seed}, step {step}");
        assert!(numbers(store, backward).iter().eq(model.iter().rev()), "seed {seed}, step {step}");
    }
}

#[test]
fn threads_with_partitions_of_their_own_do_not_disturb_each_other() {
    let folder = folder();
    let store = open_with(&folder, EAGER);
    std::thread::scope(|scope| {
        for seed in 0..6 {
            let store = &store;
            scope.spawn(move || wander_alone(store, seed));
        }
    });
}

/// Rows come at the tail and go at the head while others read, so each scan is one unbroken run of numbers
/// which holds every row that was durable before and not removed.
#[test]
fn scans_of_a_live_queue_miss_no_row() {
    for rules in [EAGER, Rules::default()] {
        let folder = folder();
        let store = open_with(&folder, rules);
        let (put, taken, end) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for backward in [false, true] {
                let (store, put, taken, end) = (&store, &put, &taken, &end);
                scope.spawn(move || {
                    while !end.load(Ordering::SeqCst) {
                        check_queue(store, put, taken, backward);
                    }
                });
            }
            for number in 0..3000 {
                apply(&store, 1, vec![put_row(number, 1)]);
                put.store(number + 1, Ordering::SeqCst);
                if number >= 20 {
                    taken.store(number - 19, Ordering::SeqCst);
                    apply(&store, 1, vec![delete_row(number - 20)]);
                }
            }
            end.store(true, Ordering::SeqCst);
        });
    }
}

fn check_queue(store: &LocalStore, put: &AtomicU64, taken: &AtomicU64, backward: bool) {
    let durable = put.load(Ordering::SeqCst);
    let direction = if backward { Direction::Backward } else { Direction::Forward };
    let mut found = numbers(store, RangeRead { direction, ..whole(1) });
    let gone = taken.load(Ordering::SeqCst);
    if backward {
        found.reverse();
    }
    assert!(found.windows(2).all(|pair| pair[0] + 1 == pair[1]), "a hole: {found:?}");
    let missing: Vec<u64> = (gone..durable).filter(|number| !found.contains(number)).collect();
    assert!(missing.is_empty(), "{missing:?} are missing in {found:?}");
}

/// Each commit moves one row, so every scan of one instant counts as many as there are.
#[test]
fn a_scan_sees_one_instant_while_rows_move() {
    const ROWS: usize = 30;
    let folder = folder();
    let store = open_with(&folder, EAGER);
    apply(&store, 1, (0..ROWS as u64).map(|number| put_row(number * 30, 1)).collect());
    let (random, end) = (Simulation::new(7).0.random, AtomicBool::new(false));
    std::thread::scope(|scope| {
        for backward in [false, true] {
            let (store, end) = (&store, &end);
            scope.spawn(move || {
                let direction = if backward { Direction::Backward } else { Direction::Forward };
                while !end.load(Ordering::SeqCst) {
                    assert_eq!(numbers(store, RangeRead { direction, ..whole(1) }).len(), ROWS);
                }
            });
        }
        let mut at: Vec<u64> = (0..ROWS as u64).map(|number| number * 30).collect();
        for step in 0..2000 {
            let (which, to) = (step % ROWS, random.next_u64() % 900);
            if !at.contains(&to) {
                apply(&store, 1, vec![delete_row(at[which]), put_row(to, 1)]);
                at[which] = to;
            }
        }
        end.store(true, Ordering::SeqCst);
    });
}

fn in_gap(store: &LocalStore, number: u64) -> bool {
    let at = Address { space: SPACE, partition: whole(1).partition, row: row(number) };
    store.shared.published().gaps.contains(&keys::at(&at))
}

#[test]
fn the_removed_head_of_a_queue_becomes_one_gap() {
    let folder = folder();
    let store = open_with(&folder, Rules::default());
    apply(&store, 1, (0..1000).map(|number| put_row(number, 1)).collect());
    for number in 0..500 {
        apply(&store, 1, vec![delete_row(number)]);
    }
    settle(&store);
    assert!((0..490).all(|number| in_gap(&store, number)));
    assert!((500..1000).all(|number| !in_gap(&store, number)));
    let (start, end) = (keys::partition_prefix(SPACE, &whole(1).partition), keys::space_prefix(OTHER));
    let published = store.shared.published();
    let (_, first) = published.gaps.first_in(&start, &end, false).unwrap();
    assert!(published.gaps.first_in(first, &end, false).is_none(), "there is more than one gap");
    // A queue that goes on at its tail leaves the gap whole; a row put back into it does not.
    apply(&store, 1, vec![put_row(1000, 1), put_row(250, 1)]);
    assert!(!in_gap(&store, 250) && in_gap(&store, 249) && in_gap(&store, 251));
    assert_eq!(numbers(&store, whole(1))[..2], [250, 500]);
    block_on(store.forget(SPACE)).unwrap();
    assert!((0..1000).all(|number| !in_gap(&store, number)));
}

#[test]
fn rows_removed_at_random_are_no_gap() {
    let folder = folder();
    let store = open_with(&folder, Rules::default());
    apply(&store, 1, (0..2000).map(|number| put_row(number, 1)).collect());
    for number in (0..1000).map(|number| number * 7919 % 2000) {
        apply(&store, 1, vec![delete_row(number / 2 * 2)]);
    }
    settle(&store);
    assert!((0..2000).all(|number| !in_gap(&store, number)));
}

#[test]
fn after_a_restart_a_slow_scan_is_learned_from() {
    let folder = folder();
    let store = open_with(&folder, Rules::default());
    apply(&store, 1, (0..1000).map(|number| put_row(number, 1)).collect());
    apply(&store, 1, (5..995).map(delete_row).collect());
    drop(store);
    let store = open_with(&folder, EAGER);
    assert!(!in_gap(&store, 500));
    assert_eq!(numbers(&store, whole(1)).len(), 10);
    settle(&store);
    assert!((5..995).all(|number| in_gap(&store, number)));
    assert_eq!(numbers(&store, whole(1)).len(), 10);
}

#[test]
fn a_claim_is_refused_once_a_row_was_written_into_it() {
    let folder = folder();
    let store = open_with(&folder, Rules::default());
    apply(&store, 1, vec![put_row(0, 1), put_row(9, 1)]);
    let published = store.shared.published();
    let at = |number| keys::at(&Address { space: SPACE, partition: whole(1).partition, row: row(number) });
    let claim = |from, to| learn::Claim {
        sequence: published.sequence,
        from: at(from),
        to: at(to),
        row: None,
        took: Duration::from_secs(1),
    };
    apply(&store, 1, vec![put_row(5, 1)]);
    store.shared.claims.put(vec![claim(1, 5), claim(5, 6), claim(6, 9)]);
    settle(&store);
    let held: Vec<u64> = (0..10).filter(|number| in_gap(&store, *number)).collect();
    assert_eq!(held, [1, 2, 3, 4, 6, 7, 8]);
}

#[test]
fn a_row_that_stays_slow_beyond_a_gap_is_read_by_itself() {
    let folder = folder();
    let store = open_with(&folder, EAGER);
    apply(&store, 1, vec![put_row(5, 1)]);
    let (start, end) = keys::partition_edges(&keys::partition_prefix(SPACE, &whole(1).partition)).unwrap();
    let hot = || store.shared.hot.first_in(&start, &end, false);
    assert_eq!(numbers(&store, whole(1)), [5]);
    settle(&store);
    assert_eq!(hot(), None);
    assert_eq!(numbers(&store, whole(1)), [5]);
    assert_eq!(hot().unwrap()[..], keys::row(SPACE, &whole(1).partition, &row(5))[..]);
    assert_eq!(numbers(&store, whole(1)), [5]);
}
