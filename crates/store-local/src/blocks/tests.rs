use std::ops::ControlFlow;
use std::path::Path;

use hashrange_store::{RowKey, Space, StoreError, StoreResult};

use super::*;
use crate::gaps::Gaps;
use crate::hot::HotRows;
use crate::instant::Instant;
use crate::keys;
use crate::tree::{Detours, Op, Table, Tree};

/// Partitions with the number of their rows, and the bytes of each.
const PARTITIONS: [(&str, u64, usize); 4] =
    [("large", 2, 40_000), ("long", 200, 400), ("short", 10, 400), ("wide", WIDE, 2000)];
const WIDE: u64 = 8;

fn key(partition: &str, number: u64) -> Vec<u8> {
    keys::row(
        Space(4000),
        partition.as_bytes(),
        &RowKey { kind: 0, sort: number.to_be_bytes().to_vec().into() },
    )
}

fn partition(name: &str) -> Stretch {
    let (lower, upper) = keys::partition_edges(&key(name, 0)).unwrap();
    Stretch { lower, upper, direction: Direction::Forward }
}

/// A tree whose rows are all in one table file.
fn tree(folder: &Path) -> Tree {
    let tree = Tree::open(folder, 1 << 20).unwrap();
    let mut batch = tree.batch(1);
    for (partition, rows, bytes) in PARTITIONS {
        for number in 0..rows {
            let value = Some(vec![7; bytes].into());
            tree.add(&mut batch, Op { table: Table::Rows, key: key(partition, number).into(), value });
        }
    }
    batch.commit().unwrap();
    tree.let_go_of_merged().unwrap();
    while tree.files_at_rest().is_none() {
        std::thread::yield_now();
    }
    tree
}

fn only_file(instant: &Instant) -> &TableFile {
    let runs = &instant.sources.as_ref().unwrap().files.runs;
    assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [1]);
    &runs[0][0]
}

fn count(file: &TableFile, stretch: &Stretch, seen: &Seen) -> Option<usize> {
    Some(file.short_range(stretch, seen)?.entries(stretch).count())
}

#[test]
fn partitions_in_few_blocks_are_short() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(folder.path());
    let (instant, seen) = (tree.instant(), Seen::new(1 << 20, 1 << 13));
    let file = only_file(&instant);
    assert_eq!(count(file, &partition("short"), &seen), Some(10));
    assert_eq!(count(file, &partition("nothing"), &seen), Some(0));
    assert_eq!(count(file, &partition("long"), &seen), None, "many blocks are for the engine");
    assert_eq!(count(file, &partition("large"), &seen), None, "and so are large ones");
    let several = Stretch { lower: partition("a").lower, ..partition("short") };
    assert_eq!(count(file, &several, &seen), None, "stretches of several partitions are for the engine");
}

#[test]
fn blocks_stay_in_the_cache_from_the_second_time_on() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(folder.path());
    let (instant, seen) = (tree.instant(), Seen::new(1 << 20, 1 << 13));
    let file = only_file(&instant);
    let before = tree.cache_bytes();
    count(file, &partition("short"), &seen);
    assert_eq!(tree.cache_bytes(), before, "once is not often");
    count(file, &partition("short"), &seen);
    let kept = tree.cache_bytes() - before;
    assert!((4_000..40_000).contains(&kept), "{kept} bytes are kept");
    count(file, &partition("short"), &seen);
    assert_eq!(tree.cache_bytes() - before, kept, "they are there now");
}

/// Reads the rows of a partition from `first` on through the whole tree.
fn scan(tree: &Tree, instant: &Instant, name: &str, first: u64) -> StoreResult<usize> {
    let stretch = Stretch { lower: key(name, first), ..partition(name) };
    let (hot, gaps, mut rows) = (HotRows::default(), Gaps::default(), 0);
    let detours = Detours { hot: &hot, gaps: &gaps };
    let count = tree.scan(instant, Table::Rows, stretch, &detours, &mut |_, _| {
        rows += 1;
        Ok(ControlFlow::Continue(()))
    });
    count.map(|()| rows)
}

#[test]
fn damage_is_an_error_for_those_who_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(folder.path());
    let (instant, seen) = (tree.instant(), Seen::new(1 << 20, 1 << 13));
    let file = only_file(&instant);
    let whole = std::fs::read(&**file.table.path).unwrap();
    let places = |name: &[u8]| -> Vec<usize> {
        (0..whole.len()).filter(|at| whole[*at..].starts_with(name)).collect()
    };
    let (first, last) = (places(b"wide")[0], *places(b"wide").last().unwrap());
    let blocks = file.short_range(&partition("wide"), &seen).unwrap().blocks.len();
    assert!(blocks > 1, "in one block, no row is healthy");
    assert!(last - first > 8 << 10);
    let mut bytes = whole.clone();
    bytes[first + 100] ^= 1;
    std::fs::write(&**file.table.path, bytes).unwrap();
    assert!(file.short_range(&partition("wide"), &seen).is_none());
    let damaged = scan(&tree, &instant, "wide", 0);
    assert!(matches!(damaged, Err(StoreError::Corrupt(_))), "{damaged:?}");
    assert_eq!(scan(&tree, &instant, "wide", WIDE - 1).unwrap(), 1, "its block is whole");
    std::fs::write(&**file.table.path, &whole[..first]).unwrap();
    let cut_off = scan(&tree, &instant, "wide", 0);
    assert!(matches!(cut_off, Err(StoreError::Failed(_))), "{cut_off:?}");
}

#[test]
fn places_do_not_change_the_order_of_keys() {
    let keys: [&[u8]; 6] = [b"", b"\0", b"a", b"abcdefghijklmnop", b"abcdefghijklmnopq", b"b"];
    let places = keys.map(place_of);
    assert!(places.is_sorted());
    assert_eq!(places[3], places[4]);
}
