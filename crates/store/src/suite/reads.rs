//! Ranges and sweeps.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{ALL, Bench, at, block_on, key, part, stored, whole_partition, whole_space};
use crate::{
    Bound, Direction, Freshness, PageLimit, RangePage, RangeRead, RowKey, SweepRead, partition_hash,
    segment_of,
};

/// The sort keys of a page.
fn sorts(page: &RangePage) -> String {
    page.rows.iter().map(|(row, _)| String::from_utf8(row.sort.to_vec()).unwrap()).collect()
}

pub(super) fn bounds(bench: &mut Bench) {
    bench.applied(vec![part("p").put("b", 1, "").put("d", 1, "").put("f", 1, "")]);
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let mut edges = vec![None];
    edges.extend(names.iter().flat_map(|name| [Some((*name, true)), Some((*name, false))]));
    for lower in &edges {
        for upper in &edges {
            let kept: String = ["b", "d", "f"]
                .into_iter()
                .filter(|sort| {
                    lower.is_none_or(|(edge, included)| *sort > edge || (included && *sort == edge))
                })
                .filter(|sort| {
                    upper.is_none_or(|(edge, included)| *sort < edge || (included && *sort == edge))
                })
                .collect();
            let read = RangeRead { lower: bound(*lower), upper: bound(*upper), ..whole_partition("p") };
            assert_eq!(sorts(&bench.range(read.clone())), kept, "{lower:?} {upper:?}");
            let page = bench.range(RangeRead { direction: Direction::Backward, ..read });
            assert_eq!(sorts(&page), kept.chars().rev().collect::<String>(), "backward {lower:?} {upper:?}");
            assert!(!page.more);
        }
    }
}

fn bound(edge: Option<(&str, bool)>) -> Bound {
    match edge {
        None => Bound::Unbounded,
        Some((sort, true)) => Bound::Included(key(0, sort)),
        Some((sort, false)) => Bound::Excluded(key(0, sort)),
    }
}

pub(super) fn range_limits(bench: &mut Bench) {
    let mut write = part("p");
    for sort in ["a", "b", "c", "d"] {
        write = write.put(sort, 1, "0123456789");
    }
    bench.applied(vec![write]);
    let page = |rows, bytes, direction| {
        let limit = PageLimit { rows, bytes };
        let page = bench.range(RangeRead { direction, limit, ..whole_partition("p") });
        (sorts(&page), page.more)
    };
    assert_eq!(page(2, usize::MAX, Direction::Forward), ("ab".into(), true));
    assert_eq!(page(2, usize::MAX, Direction::Backward), ("dc".into(), true));
    // The page ends at its limit even if nothing follows: only the next read can tell.
    assert_eq!(page(4, usize::MAX, Direction::Forward), ("abcd".into(), true));
    assert_eq!(page(5, usize::MAX, Direction::Forward), ("abcd".into(), false));
    // The row that crosses the limit of bytes is included.
    assert_eq!(page(9, 1, Direction::Forward), ("a".into(), true));
    assert_eq!(page(9, 10, Direction::Forward), ("a".into(), true));
    assert_eq!(page(9, 11, Direction::Forward), ("ab".into(), true));
    assert_eq!(page(9, 40, Direction::Backward), ("dcba".into(), true));
    assert_eq!(page(9, 41, Direction::Backward), ("dcba".into(), false));
}

pub(super) fn range_stays_in_its_partition(bench: &mut Bench) {
    // Partitions that are prefixes of one another, and bytes at the ends of their range.
    let partitions = ["", "p", "pp", "p\0", "\u{7f}", "pq"];
    for partition in partitions {
        bench.applied(vec![part(partition).put(partition, 1, "x").put("\u{7f}\u{7f}", 1, "x")]);
    }
    bench.applied(vec![part("p").within(super::OTHER_SPACE).put("elsewhere", 1, "x")]);
    for partition in partitions {
        for direction in [Direction::Forward, Direction::Backward] {
            let page = bench.range(RangeRead { direction, ..whole_partition(partition) });
            let expected = if partition == "\u{7f}\u{7f}" { 1 } else { 2 };
            assert_eq!(page.rows.len(), expected, "partition {partition:?}");
            assert!(page.rows.iter().any(|(row, _)| row.sort == partition.as_bytes()));
        }
    }
}

pub(super) fn row_order(bench: &mut Bench) {
    let rows: Vec<RowKey> =
        [(0, ""), (0, "\0"), (0, "a"), (0, "a\0"), (0, "aa"), (0, "b"), (1, ""), (1, "a"), (253, "z")]
            .into_iter()
            .map(|(kind, sort)| key(kind, sort))
            .collect();
    for row in rows.iter().rev() {
        bench.applied(vec![part("p").put_key(row.clone(), 1)]);
    }
    let read = whole_partition("p");
    let forward: Vec<_> = bench.range(read.clone()).rows.iter().map(|(row, _)| row.clone()).collect();
    assert_eq!(forward, rows);
    let read = RangeRead { lower: Bound::Included(key(0, "b")), upper: Bound::Excluded(key(1, "a")), ..read };
    let part_of_it: Vec<_> = bench.range(read).rows.iter().map(|(row, _)| row.clone()).collect();
    assert_eq!(part_of_it, rows[5..7]);
}

pub(super) fn get_many(bench: &mut Bench) {
    bench.applied(vec![part("p").put("a", 1, "x").put("b", 2, "y"), part("q").put("a", 3, "z")]);
    let asked = [at("q", "a"), at("p", "none"), at("p", "b"), at("p", "a"), at("p", "b")];
    for freshness in [Freshness::Strong, Freshness::Any, Freshness::Newest] {
        let found = block_on(bench.store().get_many(&asked, freshness)).unwrap();
        let stamps: Vec<_> = found.iter().map(|one| one.row.as_ref().map(|row| row.stamp.0)).collect();
        assert_eq!(stamps, [Some(3), None, Some(2), Some(1), Some(2)]);
    }
    assert_eq!(block_on(bench.store().get_many(&[], Freshness::Strong)).unwrap(), vec![]);
}

/// 100 partitions of 2 rows each.
fn fill(bench: &Bench) {
    for number in 0..100 {
        bench.applied(vec![part(&format!("p{number}")).put("a", 1, "x").put("b", 1, "x")]);
    }
}

pub(super) fn segments(bench: &mut Bench) {
    fill(bench);
    let whole = bench.sweep(whole_space());
    assert_eq!((whole.rows.len(), whole.more), (200, false));
    let order: Vec<_> =
        whole.rows.iter().map(|(partition, row, _)| (partition_hash(partition), row.clone())).collect();
    assert!(order.is_sorted());
    for segments in [1, 2, 3, 7, 1000, 1_000_000] {
        let mut together = Vec::new();
        let asked: BTreeSet<u32> = if segments <= 1000 {
            (0..segments).collect()
        } else {
            whole.rows.iter().map(|(partition, ..)| segment_of(partition_hash(partition), segments)).collect()
        };
        for segment in asked {
            let page = bench.sweep(SweepRead { segment, segments, ..whole_space() });
            for (partition, ..) in &page.rows {
                assert_eq!(segment_of(partition_hash(partition), segments), segment);
            }
            together.extend(page.rows);
        }
        assert_eq!(together, whole.rows, "{segments} segments");
    }
    assert_eq!(bench.sweep(SweepRead { segment: 3, segments: 3, ..whole_space() }).rows, vec![]);
}

pub(super) fn sweep_pages(bench: &mut Bench) {
    fill(bench);
    let whole = bench.sweep(whole_space()).rows;
    for limit in [PageLimit { rows: 1, ..ALL }, PageLimit { rows: 7, ..ALL }, PageLimit { bytes: 3, ..ALL }] {
        let mut together = Vec::new();
        let mut after = None;
        loop {
            let page = bench.sweep(SweepRead { after, limit, ..whole_space() });
            after = page.rows.last().map(|(partition, row, _)| (partition.clone(), row.clone()));
            together.extend(page.rows);
            if !page.more {
                break;
            }
        }
        assert_eq!(together, whole);
    }
}

pub(super) fn sweep_while_rows_change(bench: &mut Bench) {
    fill(bench);
    let stay: BTreeSet<Bytes> = (0..50).map(|number| Bytes::from(format!("p{number}"))).collect();
    let mut seen = Vec::new();
    let mut after = None;
    let mut round = 0;
    loop {
        let page = bench.sweep(SweepRead { after, limit: PageLimit { rows: 3, ..ALL }, ..whole_space() });
        let Some((partition, row, _)) = page.rows.last() else { break };
        after = Some((partition.clone(), row.clone()));
        let name = String::from_utf8(partition.to_vec()).unwrap();
        if !stay.contains(partition) {
            // The very row that the sweep goes on after disappears.
            bench.applied(vec![part(&name).delete("a").delete("b")]);
        }
        bench.applied(vec![part(&format!("new{round}")).put("a", 1, "x")]);
        round += 1;
        seen.extend(page.rows.into_iter().map(|(partition, row, _)| (partition, row)));
    }
    let distinct: BTreeSet<_> = seen.iter().cloned().collect();
    assert_eq!(distinct.len(), seen.len(), "no row comes twice");
    for partition in stay {
        for sort in ["a", "b"] {
            assert!(distinct.contains(&(partition.clone(), key(0, sort))), "{partition:?} was passed over");
        }
    }
}

pub(super) fn sweep_by_kind(bench: &mut Bench) {
    for number in 0..20 {
        let write = part(&format!("p{number}"))
            .put_key(key(0, "i"), 1)
            .put_key(key(1, "x"), 2)
            .put_key(key(2, "s"), 3);
        bench.applied(vec![write]);
    }
    for kind in 0..4 {
        let page = bench.sweep(SweepRead { kind, limit: PageLimit { rows: 20, ..ALL }, ..whole_space() });
        assert_eq!(page.rows.len(), if kind < 3 { 20 } else { 0 });
        assert!(
            page.rows
                .iter()
                .all(|(_, row, stored)| row.kind == kind && stored.stamp.0 == u64::from(kind) + 1)
        );
    }
}

pub(super) fn busy_row(bench: &mut Bench) {
    bench.applied(vec![part("p").put("a", 1, "x").put("c", 1, "x").put("e", 1, "x")]);
    let mut waiting = Vec::new();
    for stamp in 1..=300 {
        let write = part("p").put("b", stamp, "busy").put("d", stamp, "busy");
        waiting.push(bench.store().commit(bench.id(), vec![write]));
        if stamp % 2 == 0 {
            block_on(waiting.pop().expect("it was pushed just now")).unwrap();
        }
    }
    for answer in waiting {
        assert_eq!(block_on(answer).unwrap(), crate::Outcome::Applied);
    }
    let all = |direction| sorts(&bench.range(RangeRead { direction, ..whole_partition("p") }));
    assert_eq!(all(Direction::Forward), "abcde");
    assert_eq!(all(Direction::Backward), "edcba");
    let from_busy = RangeRead {
        lower: Bound::Included(key(0, "b")),
        upper: Bound::Excluded(key(0, "d")),
        ..whole_partition("p")
    };
    assert_eq!(sorts(&bench.range(from_busy.clone())), "bc");
    let after_busy =
        RangeRead { lower: Bound::Excluded(key(0, "b")), upper: Bound::Included(key(0, "d")), ..from_busy };
    assert_eq!(sorts(&bench.range(RangeRead { direction: Direction::Backward, ..after_busy })), "dc");
    let limited = RangeRead { limit: PageLimit { rows: 2, ..ALL }, ..whole_partition("p") };
    assert_eq!(sorts(&bench.range(limited)), "ab");
    assert_eq!(bench.sweep(whole_space()).rows.len(), 5);
    bench.applied(vec![part("p").delete("b")]);
    assert_eq!(all(Direction::Forward), "acde");
    assert_eq!(bench.strong(&at("p", "d")), Some(stored(300, "busy")));
}

pub(super) fn value_sizes(bench: &mut Bench) {
    let sizes = [0, 1, 4095, 4096, 65_536, 409_600, 1 << 20, 4 << 20];
    for size in sizes {
        bench.applied(vec![part("p").put(&size.to_string(), 1, &"x".repeat(size))]);
    }
    for size in sizes {
        let row = bench.strong(&at("p", &size.to_string())).expect("it was written");
        assert!(row.value.len() == size && row.value.iter().all(|byte| *byte == b'x'), "{size} bytes");
    }
    let long = "k".repeat(8192);
    bench.applied(vec![part(&long).put(&long, 1, "x")]);
    assert_eq!(bench.range(whole_partition(&long)).rows.len(), 1);
}
