//! Pages that are kept are never out of date.

use std::sync::atomic::AtomicBool;

use hashrange_store::{Direction, Memory, Mirror};

use super::gaps::{apply, delete_row, folder, open_with, put_row, whole};
use super::*;

const ALL: Rules = Rules { page_rows: 0, ..RULES };
/// Gaps as they are by default, without their sense of time.
const RULES: Rules = Rules {
    look_every: 16,
    worth: 16,
    slow_scan: std::time::Duration::MAX,
    slow_row: std::time::Duration::MAX,
    slow_step: std::time::Duration::MAX,
    page_rows: 24,
};

fn read(store: &dyn Store, read: RangeRead) -> RangePage {
    block_on(store.range(read)).unwrap()
}

fn value(number: u64, stamp: u64) -> Write {
    let stored = Stored { stamp: Stamp(stamp), value: Bytes::from(stamp.to_string()) };
    Write::Put { row: super::gaps::row(number), stored }
}

#[test]
fn pages_that_are_read_often_answer_like_the_reference_engine() {
    let folder = folder();
    let tested = Arc::new(open_with(&folder, ALL));
    let shared = Arc::clone(&tested.shared);
    let store = Mirror::new(tested, Arc::new(Memory::new()));
    for seed in 0..20 {
        let random = Simulation::new(seed).0.random;
        for step in 0..200 {
            let (partition, number) = (random.next_u64() % 3, random.next_u64() % 40);
            match random.next_u64() % 8 {
                0 => apply(&store, partition, vec![put_row(number, step)]),
                1 => apply(&store, partition, vec![delete_row(number)]),
                2 => apply(&store, partition, vec![put_row(number, step), delete_row((number + 1) % 40)]),
                choice => {
                    let direction = if choice % 2 == 0 { Direction::Forward } else { Direction::Backward };
                    // The mirror compares.
                    read(&store, RangeRead { direction, ..whole(partition) });
                }
            }
        }
    }
    assert!(shared.pages.bytes() > 0, "pages were kept");
}

pub(super) struct SetOnDrop<'a>(pub(super) &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn a_reader_sees_every_answered_write_while_others_read_the_same_page() {
    const ROWS: u64 = 30;
    let folder = folder();
    let store = open_with(&folder, RULES);
    apply(&store, 1, (0..ROWS).map(|number| value(number, 0)).collect());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // The readers end even where an assertion fails.
        let _ends = SetOnDrop(&ended);
        for _ in 0..2 {
            scope.spawn(|| {
                while !ended.load(Ordering::Acquire) {
                    let stamps: Vec<u64> =
                        read(&store, whole(1)).rows.iter().map(|(_, stored)| stored.stamp.0).collect();
                    assert!(
                        stamps.iter().all(|stamp| *stamp == stamps[0]),
                        "one commit wrote them: {stamps:?}"
                    );
                }
            });
        }
        for stamp in 1..=300 {
            apply(&store, 1, (0..ROWS).map(|number| value(number, stamp)).collect());
            // The first time it is read from the tree, then from what was kept.
            for _ in 0..3 {
                let page = read(&store, whole(1));
                assert!(page.rows.iter().all(|(_, stored)| stored.stamp == Stamp(stamp)));
            }
        }
    });
    assert!(store.shared.pages.bytes() > 0, "pages were kept");
}

#[test]
fn a_forgotten_space_has_no_pages() {
    let folder = folder();
    let store = open_with(&folder, ALL);
    apply(&store, 1, (0..30).map(|number| value(number, 0)).collect());
    for _ in 0..3 {
        assert_eq!(read(&store, whole(1)).rows.len(), 30);
    }
    block_on(store.forget(SPACE)).unwrap();
    assert_eq!(read(&store, whole(1)).rows.len(), 0);
}
