//! Ranges see whole commits while memtables are written out and files merged under them.

use std::sync::atomic::AtomicBool;

use hashrange_store::Direction;

use super::gaps::{apply, delete_row, folder, open_with, put_row, whole};
use super::pages::SetOnDrop;
use super::*;

const COMMITS: u64 = 3_000;
/// Rows of which every commit writes all; of two more, every other commit writes them, and the next one deletes them.
const ROWS: u64 = 10;

/// Nothing is kept between two reads, and nothing is learnt.
const RULES: Rules = Rules {
    look_every: 16,
    worth: u32::MAX,
    slow_scan: std::time::Duration::MAX,
    slow_row: std::time::Duration::MAX,
    slow_step: std::time::Duration::MAX,
    page_rows: usize::MAX,
};

fn commit(store: &LocalStore, stamp: u64) {
    let mut writes: Vec<_> = (0..ROWS).map(|number| put_row(number, stamp)).collect();
    let more = [ROWS, ROWS + 1];
    writes.extend(
        more.map(|number| if stamp.is_multiple_of(2) { delete_row(number) } else { put_row(number, stamp) }),
    );
    apply(store, 1, writes);
}

/// The stamp of the commit that all rows are of.
fn stamp(store: &LocalStore, direction: Direction) -> u64 {
    let page = block_on(store.range(RangeRead { direction, ..whole(1) })).unwrap();
    let stamps: Vec<u64> = page.rows.iter().map(|(_, stored)| stored.stamp.0).collect();
    let first = stamps[0];
    assert!(stamps.iter().all(|stamp| *stamp == first), "one commit wrote them: {stamps:?}");
    let rows = ROWS + 2 * (first % 2);
    assert_eq!(stamps.len() as u64, rows, "at commit {first}");
    let ordered = page.rows.is_sorted_by_key(|(row, _)| row.sort.clone());
    assert_eq!(ordered, direction == Direction::Forward);
    first
}

#[test]
fn ranges_see_whole_commits_while_files_change_under_them() {
    let folder = folder();
    let store = open_with(&folder, RULES);
    // Neighbours, so that files hold more than the partition that is read.
    for partition in [0, 2] {
        apply(&store, partition, (0..200).map(|number| put_row(number, 0)).collect());
    }
    commit(&store, 1);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // The others end even where an assertion fails.
        let _ends = SetOnDrop(&ended);
        scope.spawn(|| {
            let tree = &store.shared.tree;
            for round in 0_u64.. {
                if ended.load(Ordering::Acquire) {
                    break;
                }
                tree.let_go_of_merged().unwrap();
                if round.is_multiple_of(64) {
                    tree.merge_all().unwrap();
                }
            }
        });
        for direction in [Direction::Forward, Direction::Backward] {
            let (store, ended) = (&store, &ended);
            scope.spawn(move || {
                let mut last = 0;
                while !ended.load(Ordering::Acquire) {
                    let seen = stamp(store, direction);
                    assert!(seen >= last, "{seen} after {last}");
                    last = seen;
                }
            });
        }
        for number in 2..=COMMITS {
            commit(&store, number);
            assert_eq!(stamp(&store, Direction::Forward), number, "an answered commit is seen");
        }
    });
}
