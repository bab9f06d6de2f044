//! Totals, logs, leases, and the end of a space.

use std::time::Duration;

use super::{Bench, OTHER_SPACE, SPACE, at, block_on, part, stored, whole_partition, whole_space};
use crate::{Freshness, LeaseRequest, LogPosition, Outcome, Totals};

pub(super) fn totals(bench: &mut Bench) {
    assert_eq!(bench.totals(SPACE, 0), None);
    let mut waiting = Vec::new();
    for number in 0..50 {
        let write = part("p").put(&number.to_string(), 1, "x").tally(1, 100);
        waiting.push(bench.store().commit(bench.id(), vec![write]));
    }
    for answer in waiting {
        assert_eq!(block_on(answer).unwrap(), Outcome::Applied);
    }
    assert_eq!(bench.totals(SPACE, 0), Some(Totals { rows: 50, bytes: 5000 }));
    bench.applied(vec![part("p").delete("1").tally(-1, -100), part("q").tally(2, 7).tally(-1, -6)]);
    assert!(matches!(
        bench.commit(vec![part("p").expect("1", Some(1)).tally(5, 5)]),
        Outcome::Refused { .. }
    ));
    assert_eq!(bench.totals(SPACE, 0), Some(Totals { rows: 50, bytes: 4901 }));
    assert_eq!(bench.totals(SPACE, 1), None);
    assert_eq!(bench.totals(OTHER_SPACE, 0), None);
}

fn payloads(bench: &Bench, after: Option<LogPosition>, limit: usize) -> (String, Option<LogPosition>) {
    let records = block_on(bench.store().log_read(SPACE, after, limit)).unwrap();
    assert!(records.is_sorted_by(|one, next| one.position < next.position));
    let text = records.iter().map(|record| String::from_utf8(record.payload.to_vec()).unwrap()).collect();
    (text, records.last().map(|record| record.position))
}

pub(super) fn log(bench: &mut Bench) {
    assert_eq!(payloads(bench, None, 10).0, "");
    bench.applied(vec![part("p").put("a", 1, "x").log("a")]);
    assert!(matches!(
        bench.commit(vec![part("p").expect("a", None).put("a", 2, "x").log("b")]),
        Outcome::Refused { .. }
    ));
    bench.applied(vec![part("p").log("c"), part("q").put("a", 1, "x"), part("q").log("d")]);
    bench.applied(vec![part("p").within(OTHER_SPACE).log("elsewhere")]);
    bench.applied(vec![part("p").delete("a").log("e")]);
    assert_eq!(payloads(bench, None, 10).0, "acde");
}

pub(super) fn log_pages_and_trim(bench: &mut Bench) {
    for letter in ["a", "b", "c", "d", "e"] {
        bench.applied(vec![part("p").log(letter)]);
    }
    let (first, position) = payloads(bench, None, 2);
    assert_eq!(first, "ab");
    assert_eq!(payloads(bench, position, 2).0, "cd");
    assert_eq!(payloads(bench, None, 0).0, "");
    let trim = |through| block_on(bench.store().log_trim(SPACE, through)).unwrap();
    trim(position.expect("two records were read"));
    assert_eq!(payloads(bench, None, 9).0, "cde");
    assert_eq!(payloads(bench, position, 9).0, "cde");
    trim(position.expect("two records were read"));
    trim(LogPosition(u64::MAX));
    assert_eq!(payloads(bench, None, 9).0, "");
    bench.applied(vec![part("p").log("f")]);
    assert_eq!(payloads(bench, None, 9).0, "f");
    assert_eq!(payloads(bench, position, 9).0, "f");
}

pub(super) fn lease(bench: &mut Bench) {
    let ask = |name: &str, holder: &str, duration| {
        let request = LeaseRequest { name: name.into(), holder: holder.into(), duration };
        block_on(bench.store().lease(request)).unwrap()
    };
    let long = Duration::from_hours(1);
    assert!(ask("job", "me", long));
    assert!(ask("job", "me", long), "renewed");
    assert!(!ask("job", "you", long));
    assert!(ask("another job", "you", long));
    assert!(!ask("job", "you", Duration::ZERO), "only the holder gives it back");
    assert!(!ask("job", "you", long));
    assert!(!ask("job", "me", Duration::ZERO));
    assert!(ask("job", "you", long));
}

/// Rows, totals and log in both spaces.
fn fill_two(bench: &Bench) {
    for space in [SPACE, OTHER_SPACE] {
        for number in 0..600 {
            let write = part(&format!("p{number}")).within(space).put("a", 1, "x").tally(1, 1).log("x");
            drop(bench.store().commit(bench.id(), vec![write]));
        }
        bench.applied(vec![part("last").within(space).put("a", 1, "x").tally(1, 1).log("x")]);
    }
}

fn assert_empty(bench: &Bench) {
    for freshness in [Freshness::Strong, Freshness::Newest] {
        assert_eq!(bench.get(&at("last", "a"), freshness).row, None);
    }
    assert_eq!(block_on(bench.store().get_many(&[at("p1", "a")], Freshness::Strong)).unwrap()[0].row, None);
    assert!(bench.range(whole_partition("last")).rows.is_empty());
    assert_eq!(bench.sweep(whole_space()).rows, vec![]);
    assert_eq!(bench.totals(SPACE, 0), None);
    assert_eq!(payloads(bench, None, 9).0, "");
}

pub(super) fn forget(bench: &mut Bench) {
    fill_two(bench);
    // Not awaited: it is ordered before the end of the space.
    drop(bench.store().commit(bench.id(), vec![part("last").put("a", 2, "y").log("y").tally(1, 1)]));
    block_on(bench.store().forget(SPACE)).unwrap();
    assert_empty(bench);
    // A late writer does no harm and gets no error.
    bench.applied(vec![part("last").put("a", 3, "z").log("z").tally(1, 1)]);
    assert_empty(bench);
    block_on(bench.store().forget(SPACE)).unwrap();
}

pub(super) fn forget_one_of_two(bench: &mut Bench) {
    fill_two(bench);
    block_on(bench.store().forget(OTHER_SPACE)).unwrap();
    assert_eq!(bench.strong(&at("last", "a")), Some(stored(1, "x")));
    assert_eq!(bench.sweep(whole_space()).rows.len(), 601);
    assert_eq!(bench.totals(SPACE, 0), Some(Totals { rows: 601, bytes: 601 }));
    assert_eq!(payloads(bench, None, 1000).0.len(), 601);
    assert_eq!(bench.totals(OTHER_SPACE, 0), None);
}

pub(super) fn reopen(bench: &mut Bench) {
    fill_two(bench);
    bench.applied(vec![part("p1").delete("a").tally(-1, -1)]);
    let log = payloads(bench, None, 1000);
    let rows = bench.sweep(whole_space()).rows;
    for _ in 0..2 {
        if !bench.reopen() {
            return;
        }
        assert_eq!(bench.sweep(whole_space()).rows, rows);
        assert_eq!(bench.strong(&at("p1", "a")), None);
        assert_eq!(bench.totals(SPACE, 0), Some(Totals { rows: 600, bytes: 600 }));
        assert_eq!(payloads(bench, None, 1000), log);
    }
    // Positions and totals go on where they were.
    bench.applied(vec![part("p1").put("a", 9, "x").tally(1, 1).log("new")]);
    assert_eq!(payloads(bench, log.1, 10).0, "new");
    assert_eq!(bench.totals(SPACE, 0), Some(Totals { rows: 601, bytes: 601 }));
}

pub(super) fn reopen_after_forget(bench: &mut Bench) {
    fill_two(bench);
    block_on(bench.store().forget(SPACE)).unwrap();
    for _ in 0..3 {
        if !bench.reopen() {
            return;
        }
        assert_empty(bench);
        bench.applied(vec![part("p").within(OTHER_SPACE).put("more", 1, "x")]);
    }
}
