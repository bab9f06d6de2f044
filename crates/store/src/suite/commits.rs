//! Commits: conditions, pipelining, marks, blind writes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{Bench, at, block_on, part, stored, whole_partition};
use crate::{CommitId, Freshness, LwwWrite, Outcome, Resolution, Stamp};

pub(super) fn absent(bench: &mut Bench) {
    for freshness in [Freshness::Strong, Freshness::Any, Freshness::Newest] {
        let found = bench.get(&at("p", "a"), freshness);
        assert_eq!((found.row, found.durable), (None, true));
    }
}

pub(super) fn put_is_read_back(bench: &mut Bench) {
    bench.applied(vec![part("p").put("a", 7, "hello")]);
    for freshness in [Freshness::Strong, Freshness::Any, Freshness::Newest] {
        let found = bench.get(&at("p", "a"), freshness);
        assert_eq!((found.row, found.durable), (Some(stored(7, "hello")), true), "{freshness:?}");
    }
    assert_eq!(bench.strong(&at("q", "a")), None);
    assert_eq!(bench.strong(&at("p", "b")), None);
}

pub(super) fn delete(bench: &mut Bench) {
    bench.applied(vec![part("p").put("a", 1, "x")]);
    for _ in 0..2 {
        bench.applied(vec![part("p").delete("a")]);
        assert_eq!(bench.strong(&at("p", "a")), None);
    }
}

pub(super) fn last_write_of_a_row_wins(bench: &mut Bench) {
    bench.applied(vec![
        part("p").put("a", 1, "one").delete("a").put("a", 2, "two"),
        part("p").put("b", 1, "x"),
    ]);
    assert_eq!(bench.strong(&at("p", "a")), Some(stored(2, "two")));
    bench.applied(vec![part("p").put("a", 3, "three"), part("p").delete("a")]);
    assert_eq!(bench.strong(&at("p", "a")), None);
}

pub(super) fn refusal_tells_the_current_row(bench: &mut Bench) {
    bench.applied(vec![part("p").put("a", 5, "five").put("b", 6, "six")]);
    let outcome = bench.commit(vec![part("p").expect("a", Some(5)).expect("b", Some(5)).put("a", 7, "x")]);
    let Outcome::Refused { row, current } = outcome else { panic!("refused: {outcome:?}") };
    assert_eq!(row, at("p", "b"));
    assert_eq!((current.row, current.durable), (Some(stored(6, "six")), true));
}

pub(super) fn refusal_changes_nothing(bench: &mut Bench) {
    let parts = vec![
        part("p").put("a", 1, "x").log("record").tally(1, 10),
        part("q").expect("a", Some(9)).put("a", 1, "x"),
    ];
    assert!(matches!(bench.commit(parts), Outcome::Refused { .. }));
    assert_eq!(bench.strong(&at("p", "a")), None);
    assert_eq!(bench.totals(super::SPACE, 0), None);
    assert_eq!(block_on(bench.store().log_read(super::SPACE, None, 10)).unwrap(), vec![]);
}

pub(super) fn expected_absence(bench: &mut Bench) {
    bench.applied(vec![part("p").expect("a", None).put("a", 1, "x")]);
    let outcome = bench.commit(vec![part("p").expect("a", None).put("a", 2, "y")]);
    assert!(matches!(outcome, Outcome::Refused { .. }), "{outcome:?}");
    bench.applied(vec![part("p").expect("a", Some(1)).delete("a")]);
    bench.applied(vec![part("p").expect("a", None).put("a", 3, "z")]);
    assert_eq!(bench.strong(&at("p", "a")), Some(stored(3, "z")));
}

pub(super) fn several_parts(bench: &mut Bench) {
    if !bench.store().capabilities().multi_part_commits {
        return;
    }
    bench.applied(vec![part("p").put("a", 1, "x"), part("q").put("a", 2, "y"), part("p").put("b", 3, "z")]);
    assert_eq!(bench.strong(&at("p", "a")), Some(stored(1, "x")));
    assert_eq!(bench.strong(&at("q", "a")), Some(stored(2, "y")));
    assert_eq!(bench.strong(&at("p", "b")), Some(stored(3, "z")));
}

pub(super) fn pipelining(bench: &mut Bench) {
    let first = bench.store().commit(bench.id(), vec![part("p").put("a", 1, "one")]);
    // Not awaited: the second commit builds on the first while that is perhaps still on its way.
    let newest = bench.get(&at("p", "a"), Freshness::Newest);
    assert_eq!(newest.row, Some(stored(1, "one")));
    let second = bench
        .store()
        .commit(bench.id(), vec![part("p").expect_seen("a", Some(1), newest.mark).put("a", 2, "two")]);
    let third = bench.store().commit(bench.id(), vec![part("p").expect("a", Some(1)).put("a", 3, "three")]);
    let fourth = bench.store().commit(bench.id(), vec![part("p").expect("a", Some(2)).delete("a")]);
    let gone = bench.get(&at("p", "a"), Freshness::Newest);
    assert_eq!(gone.row, None);
    let Outcome::Refused { current, .. } = block_on(third).unwrap() else {
        panic!("the third builds on the wrong row")
    };
    assert_eq!(current.row, Some(stored(2, "two")));
    assert_eq!(block_on(fourth).unwrap(), Outcome::Applied);
    // Answers come in queue order, so these are known; awaiting them late changes nothing.
    assert_eq!(block_on(second).unwrap(), Outcome::Applied);
    assert_eq!(block_on(first).unwrap(), Outcome::Applied);
    assert_eq!(bench.strong(&at("p", "a")), None);
}

pub(super) fn pipeline_order(bench: &mut Bench) {
    let mut waiting = Vec::new();
    for stamp in 1..=200 {
        let before = (stamp > 1).then_some(stamp - 1);
        let parts =
            vec![part("p").expect("a", before).put("a", stamp, &stamp.to_string()).log(&stamp.to_string())];
        waiting.push(bench.store().commit(bench.id(), parts));
    }
    for answer in waiting {
        assert_eq!(block_on(answer).unwrap(), Outcome::Applied);
    }
    assert_eq!(bench.strong(&at("p", "a")), Some(stored(200, "200")));
    let log = block_on(bench.store().log_read(super::SPACE, None, 1000)).unwrap();
    let order: Vec<_> =
        log.iter().map(|record| String::from_utf8(record.payload.to_vec()).unwrap()).collect();
    assert_eq!(order, (1..=200).map(|stamp| stamp.to_string()).collect::<Vec<_>>());
}

pub(super) fn barrier(bench: &mut Bench) {
    let write = bench.store().commit(bench.id(), vec![part("p").put("a", 1, "x")]);
    let barrier = bench.store().commit(bench.id(), vec![part("p").expect("a", Some(1))]);
    assert_eq!(block_on(barrier).unwrap(), Outcome::Applied);
    // Durable now, although the write itself was not awaited.
    assert_eq!(bench.strong(&at("p", "a")), Some(stored(1, "x")));
    assert_eq!(block_on(write).unwrap(), Outcome::Applied);
    bench.applied(vec![part("p").expect("a", Some(1)), part("q").expect("a", None)]);
    let refused = bench.commit(vec![part("p").expect("a", Some(2))]);
    assert!(matches!(refused, Outcome::Refused { .. }));
    bench.applied(Vec::new());
}

pub(super) fn stale_mark(bench: &mut Bench) {
    bench.applied(vec![part("p").put("a", 1, "x")]);
    for freshness in [Freshness::Strong, Freshness::Newest] {
        let seen = bench.get(&at("p", "a"), freshness);
        let stamp = seen.row.as_ref().map(|row| row.stamp.0);
        let newer = stamp.unwrap_or(0) + 1;
        bench.applied(vec![part("p").put("a", newer, "y")]);
        let outcome =
            bench.commit(vec![part("p").expect_seen("a", stamp, seen.mark).put("a", newer + 1, "z")]);
        assert!(matches!(outcome, Outcome::Refused { .. }), "{freshness:?}: {outcome:?}");
    }
}

pub(super) fn fresh_mark(bench: &mut Bench) {
    let absent = bench.get(&at("p", "a"), Freshness::Newest);
    bench.applied(vec![part("p").expect_seen("a", None, absent.mark).put("a", 1, "x")]);
    bench.applied(vec![part("q").put("unrelated", 1, "x")]);
    let there = bench.get(&at("p", "a"), Freshness::Strong);
    bench.applied(vec![part("q").put("unrelated", 2, "x")]);
    bench.applied(vec![part("p").expect_seen("a", Some(1), there.mark).put("a", 2, "y")]);
    // A mark older than the last write trusts nothing, but the stamp is right.
    bench.applied(vec![part("p").expect_seen("a", Some(2), absent.mark).put("a", 3, "z")]);
}

pub(super) fn no_lost_updates(bench: &mut Bench) {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 50;
    let store = bench.shared();
    let ids = AtomicU64::new(1 << 32);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    count_up(&*store, &ids);
                }
            });
        }
    });
    let row = bench.strong(&at("p", "counter")).expect("it was written");
    assert_eq!(row, stored(THREADS * ROUNDS, &(THREADS * ROUNDS).to_string()));
}

/// Adds one to a row, however often others come first.
fn count_up(store: &dyn crate::Store, ids: &AtomicU64) {
    loop {
        let seen = block_on(store.get(&at("p", "counter"), Freshness::Newest)).unwrap();
        let stamp = seen.row.as_ref().map(|row| row.stamp.0);
        let next = stamp.unwrap_or(0) + 1;
        let parts =
            vec![part("p").expect_seen("counter", stamp, seen.mark).put("counter", next, &next.to_string())];
        let id = CommitId(u128::from(ids.fetch_add(1, Ordering::Relaxed)));
        match block_on(store.commit(id, parts)).unwrap() {
            Outcome::Applied => return,
            Outcome::Refused { .. } => {}
            Outcome::Unknown => panic!("no fault was injected"),
        }
    }
}

pub(super) fn resolve(bench: &mut Bench) {
    let resolve = |id| block_on(bench.store().resolve(id)).unwrap();
    let (applied, refused) = (bench.id(), bench.id());
    block_on(bench.store().commit(applied, vec![part("p").put("a", 1, "x")])).unwrap();
    block_on(bench.store().commit(refused, vec![part("p").expect("a", None).put("a", 2, "x")])).unwrap();
    assert_eq!(resolve(applied), Resolution::Applied);
    assert_eq!(resolve(refused), Resolution::NotApplied);
    assert_eq!(resolve(bench.id()), Resolution::Forgotten);
}

fn blind(sort: &str, stamp: u64, value: Option<&str>) -> LwwWrite {
    let value = value.map(|value| bytes::Bytes::copy_from_slice(value.as_bytes()));
    LwwWrite { address: at("p", sort), stamp: Stamp(stamp), value }
}

pub(super) fn last_writer_wins(bench: &mut Bench) {
    let lww = |writes| block_on(bench.store().put_lww(writes)).unwrap();
    lww(vec![blind("a", 5, Some("five")), blind("b", 1, Some("one")), blind("a", 4, Some("four"))]);
    lww(vec![blind("a", 3, Some("three")), blind("b", 2, Some("two"))]);
    lww(vec![blind("a", 5, Some("five again"))]);
    assert_eq!(bench.strong(&at("p", "a")), Some(stored(5, "five")));
    assert_eq!(bench.strong(&at("p", "b")), Some(stored(2, "two")));
}

pub(super) fn blind_delete(bench: &mut Bench) {
    let mut orders =
        vec![vec![1_u64, 2, 3], vec![1, 3, 2], vec![2, 1, 3], vec![2, 3, 1], vec![3, 1, 2], vec![3, 2, 1]];
    orders.push(vec![2, 2, 1, 3, 1]);
    for (number, order) in orders.iter().enumerate() {
        for deleted in 1..=3 {
            let sort = format!("{number}-{deleted}");
            for stamp in order {
                let value = (*stamp != deleted).then_some("v");
                block_on(bench.store().put_lww(vec![blind(&sort, *stamp, value)])).unwrap();
            }
            let expected = (deleted != 3).then(|| stored(3, "v"));
            assert_eq!(bench.strong(&at("p", &sort)), expected, "{order:?}, delete at {deleted}");
        }
    }
}

pub(super) fn no_torn_reads(bench: &mut Bench) {
    let store = bench.shared();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for stamp in 1..=150 {
                let parts = vec![part("p").put("a", stamp, "x").put("z", stamp, "x")];
                let id = CommitId(u128::from(stamp) | 1 << 70);
                assert_eq!(block_on(store.commit(id, parts)).unwrap(), Outcome::Applied);
            }
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            for freshness in [Freshness::Strong, Freshness::Newest] {
                let pair = block_on(store.get_many(&[at("p", "a"), at("p", "z")], freshness)).unwrap();
                assert_eq!(pair[0].row, pair[1].row, "{freshness:?}");
            }
            let rows = block_on(store.range(whole_partition("p"))).unwrap().rows;
            assert!(rows.iter().all(|(_, row)| row == &rows[0].1) && rows.len() != 1, "{rows:?}");
        }
    });
}
