//! Ranges merged by ourselves against a map, and against the engine's own.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use hashrange_env::{Random, Simulation};
use hashrange_store::{Direction, RowKey, Space};

use crate::gaps::Gaps;
use crate::hot::HotRows;
use crate::instant::Instant;
use crate::keys::{self, Stretch};
use crate::tree::{Detours, Op, Table, Tree};

const CACHE_BYTES: u64 = 1 << 20;
/// Partitions, the greater their number the longer their rows: those of the last lie in many blocks.
const PARTITIONS: u64 = 5;
const ROWS: u64 = 60;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn key(random: &dyn Random) -> Vec<u8> {
    let partition = format!("p{}", random.next_u64() % PARTITIONS);
    // Half of all changes are of few rows, so that a memtable has many versions of them.
    let rows = if random.next_u64().is_multiple_of(2) { ROWS } else { 2 };
    let sort = (random.next_u64() % rows).to_be_bytes().to_vec();
    keys::row(Space(4000), partition.as_bytes(), &RowKey { kind: 0, sort: sort.into() })
}

fn value(key: &[u8], step: u64) -> Vec<u8> {
    let (_, partition) = keys::partition_of(key).unwrap();
    let length = usize::from(partition[1] - b'0').pow(4) * 10;
    [&step.to_be_bytes()[..], &vec![0; length]].concat()
}

fn write(tree: &Tree, model: &mut Model, random: &dyn Random, step: u64) {
    let mut changes = Model::new();
    let mut batch = tree.batch(4);
    for _ in 0..=(random.next_u64() % 4) {
        let key = key(random);
        let value = if random.next_u64().is_multiple_of(3) { Vec::new() } else { value(&key, step) };
        changes.insert(key, value);
    }
    for (key, value) in changes {
        let removed = value.is_empty();
        let op = Op {
            table: Table::Rows,
            key: key.clone().into(),
            value: (!removed).then(|| value.clone().into()),
        };
        tree.add(&mut batch, op);
        if removed {
            model.remove(&key)
        } else {
            model.insert(key, value)
        };
    }
    batch.commit().unwrap();
}

fn stretch(random: &dyn Random) -> Stretch {
    let direction =
        if random.next_u64().is_multiple_of(2) { Direction::Forward } else { Direction::Backward };
    let start = key(random);
    let (lower, upper) = match random.next_u64() % 4 {
        0 => (keys::space_prefix(Space(4000)), keys::space_prefix(Space(4001))),
        1 => (start, key(random)),
        _ => {
            let (first, end) = keys::partition_edges(&start).unwrap();
            if random.next_u64().is_multiple_of(2) { (first, end) } else { (start, end) }
        }
    };
    Stretch { lower, upper, direction }
}

fn read(tree: &Tree, instant: &Instant, stretch: &Stretch) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (hot, gaps, mut rows) = (HotRows::default(), Gaps::default(), Vec::new());
    let detours = Detours { hot: &hot, gaps: &gaps };
    tree.scan(instant, Table::Rows, stretch.clone(), &detours, &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    rows
}

fn expected(model: &Model, stretch: &Stretch) -> Vec<(Vec<u8>, Vec<u8>)> {
    if stretch.lower >= stretch.upper {
        return Vec::new();
    }
    let rows = model.range(stretch.lower.clone()..stretch.upper.clone());
    let rows = rows.map(|(key, value)| (key.clone(), value.clone()));
    match stretch.direction {
        Direction::Forward => rows.collect(),
        Direction::Backward => rows.rev().collect(),
    }
}

/// Writes the memtable out.
fn write_out(tree: &Tree) {
    tree.let_go_of_merged().unwrap();
    while tree.files_at_rest().is_none() {
        std::thread::yield_now();
    }
}

fn open(folder: &Path) -> Tree {
    Tree::open(folder, CACHE_BYTES).unwrap()
}

#[test]
fn ranges_at_old_and_new_instants_are_those_of_a_map() {
    let folder = tempfile::tempdir().unwrap();
    let tree = open(folder.path());
    let random = Simulation::new(7).0.random;
    let (mut model, mut instants) = (Model::new(), Vec::<(Instant, Model)>::new());
    let (mut by_ourselves, mut several_runs) = (0, 0);
    for step in 0..3000 {
        write(&tree, &mut model, &*random, step);
        match random.next_u64() % 64 {
            0 => write_out(&tree),
            1 if step % 5 == 0 => tree.merge_all().unwrap(),
            2..6 => {
                instants.push((tree.instant(), model.clone()));
                if instants.len() > 3 {
                    instants.remove(0);
                }
            }
            _ => {}
        }
        if step % 4 == 0 {
            instants.push((tree.instant(), model.clone()));
            for (instant, model) in &instants {
                let stretch = stretch(&*random);
                let rows = expected(model, &stretch);
                assert!(read(&tree, instant, &stretch) == rows, "{stretch:?} at step {step}");
                let by_the_engine = Instant { sources: None, ..instant.clone() };
                assert!(
                    read(&tree, &by_the_engine, &stretch) == rows,
                    "by the engine, {stretch:?} at step {step}"
                );
                by_ourselves += u32::from(instant.sources.is_some());
                several_runs += u32::from(instant.sources.as_ref().is_some_and(|it| it.files.runs.len() > 1));
            }
            instants.pop();
        }
    }
    assert!(
        by_ourselves > 1000 && several_runs > 500,
        "{by_ourselves} by ourselves, {several_runs} of several runs"
    );
}

#[test]
fn all_rows_are_there_while_a_memtable_is_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let tree = open(folder.path());
    let (random, mut model) = (Simulation::new(8).0.random, Model::new());
    for step in 0..200 {
        write(&tree, &mut model, &*random, step);
        // Now and then an instant falls in between, and has no sources.
        tree.let_go_of_merged().unwrap();
        let stretch = Stretch {
            lower: keys::space_prefix(Space(4000)),
            upper: keys::space_prefix(Space(4001)),
            direction: Direction::Forward,
        };
        assert!(read(&tree, &tree.instant(), &stretch) == expected(&model, &stretch), "step {step}");
    }
}

#[test]
fn rows_that_were_written_often_after_an_instant_are_as_they_were_then() {
    let folder = tempfile::tempdir().unwrap();
    let tree = open(folder.path());
    let keys: Vec<Vec<u8>> = (0..3_u64)
        .map(|number| {
            keys::row(Space(4000), b"p", &RowKey { kind: 0, sort: number.to_be_bytes().to_vec().into() })
        })
        .collect();
    let put = |key: &[u8], value: u64| {
        let mut batch = tree.batch(1);
        let value = Some(value.to_be_bytes().to_vec().into());
        tree.add(&mut batch, Op { table: Table::Rows, key: key.into(), value });
        batch.commit().unwrap();
    };
    let nothing = tree.instant();
    put(&keys[0], 1);
    put(&keys[2], 1);
    let two_rows = tree.instant();
    for value in 2..20 {
        for key in &keys {
            put(key, value);
        }
    }
    let numbers = |instant, direction| -> Vec<(usize, u8)> {
        let (lower, upper) = keys::partition_edges(&keys[0]).unwrap();
        let rows = read(&tree, instant, &Stretch { lower, upper, direction });
        let number = |key: &Vec<u8>| keys.iter().position(|other| other == key).unwrap();
        rows.iter().map(|(key, value)| (number(key), value[7])).collect()
    };
    let now = tree.instant();
    for (instant, rows) in
        [(&nothing, vec![]), (&two_rows, vec![(0, 1), (2, 1)]), (&now, vec![(0, 19), (1, 19), (2, 19)])]
    {
        assert!(instant.sources.is_some());
        assert_eq!(numbers(instant, Direction::Forward), rows);
        assert_eq!(numbers(instant, Direction::Backward), rows.into_iter().rev().collect::<Vec<_>>());
    }
}
