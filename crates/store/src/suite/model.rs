//! Random operations, compared with a plain map after each step.

use std::collections::BTreeMap;

use bytes::Bytes;
use hashrange_env::{Env, Simulation};

use super::{ALL, Bench, SPACE, block_on, key, stored};
use crate::{
    Address, Bound, Direction, Expect, Freshness, Outcome, PageLimit, Part, RangeRead, ReadMark, RowKey,
    Stamp, Stored, SweepRead, Tally, Totals, Write, partition_hash,
};

const STEPS: u64 = 1000;
const SEEDS: u64 = 3;

type Rows = BTreeMap<(String, RowKey), Stored>;

struct Model {
    env: Env,
    rows: Rows,
    totals: Totals,
    log: Vec<Bytes>,
    stamp: u64,
}

pub(super) fn random_operations(bench: &mut Bench) {
    for seed in 0..SEEDS {
        let (env, _) = Simulation::new(seed);
        // Spaces are not shared between seeds: the partitions differ.
        let mut model =
            Model { env, rows: Rows::new(), totals: Totals::default(), log: Vec::new(), stamp: 0 };
        let space = crate::Space(SPACE.0 + 100 + seed);
        for step in 0..STEPS {
            model.step(bench, space, step);
        }
    }
}

impl Model {
    fn below(&self, limit: u64) -> u64 {
        self.env.random.next_u64() % limit
    }

    fn partition(&self) -> String {
        format!("p{}", self.below(5))
    }

    fn row(&self) -> RowKey {
        let letters = ["", "a", "ab", "b", "\u{7f}"];
        let kind = u8::try_from(self.below(3)).expect("below 3");
        key(kind, letters[usize::try_from(self.below(5)).expect("below 5")])
    }

    fn step(&mut self, bench: &mut Bench, space: crate::Space, step: u64) {
        match self.below(10) {
            0..=4 => self.commit(bench, space),
            5 => self.get(bench, space),
            6 | 7 => self.range(bench, space),
            8 => self.sweep(bench, space),
            _ => self.side_state(bench, space),
        }
        if step % 400 == 399 {
            bench.reopen();
        }
    }

    fn commit(&mut self, bench: &Bench, space: crate::Space) {
        let mut parts = Vec::new();
        let mut next = self.rows.clone();
        let mut refused = None;
        let mut log = Vec::new();
        let mut totals = self.totals;
        for _ in 0..=self.below(2) {
            let partition = self.partition();
            let mut part = Part { space, ..super::part(&partition) };
            for _ in 0..self.below(3) {
                self.expect(&mut part, &partition, &mut refused);
            }
            for _ in 0..self.below(4) {
                self.write(&mut part, &partition, &mut next);
            }
            if self.below(2) == 0 {
                part.log = Some(Bytes::from(self.below(1000).to_string()));
                log.extend(part.log.clone());
            }
            let (rows, bytes) = (i64::try_from(self.below(9)).expect("below 9") - 4, 1);
            part.tallies.push(Tally { space, kind: 0, rows, bytes });
            totals = totals.plus(rows, bytes);
            parts.push(part);
        }
        match (bench.commit(parts), refused) {
            (Outcome::Applied, None) => {
                self.rows = next;
                self.totals = totals;
                self.log.extend(log);
            }
            (Outcome::Refused { row, current }, Some((expected, stored))) => {
                assert_eq!((row.partition, row.row), expected);
                assert_eq!(current.row, stored);
            }
            (outcome, expected) => panic!("{outcome:?}, but the map says {expected:?}"),
        }
    }

    fn expect(
        &self,
        part: &mut Part,
        partition: &str,
        refused: &mut Option<((Bytes, RowKey), Option<Stored>)>,
    ) {
        let row = self.row();
        let now = self.rows.get(&(partition.to_owned(), row.clone()));
        let right = now.map(|stored| stored.stamp);
        let stamp = if self.below(8) == 0 { Some(Stamp(self.below(self.stamp + 1))) } else { right };
        if stamp != right && refused.is_none() {
            *refused = Some(((part.partition.clone(), row.clone()), now.cloned()));
        }
        part.expects.push(Expect { row, stamp, seen: ReadMark::NONE });
    }

    fn write(&mut self, part: &mut Part, partition: &str, next: &mut Rows) {
        let row = self.row();
        let place = (partition.to_owned(), row.clone());
        if self.below(3) == 0 {
            next.remove(&place);
            part.writes.push(Write::Delete { row });
        } else {
            self.stamp += 1;
            let stored = stored(self.stamp, &"x".repeat(usize::try_from(self.below(30)).expect("below 30")));
            next.insert(place, stored.clone());
            part.writes.push(Write::Put { row, stored });
        }
    }

    fn get(&self, bench: &Bench, space: crate::Space) {
        let (partition, row) = (self.partition(), self.row());
        let address = Address { space, partition: Bytes::from(partition.clone()), row: row.clone() };
        let freshness = [Freshness::Strong, Freshness::Any, Freshness::Newest]
            [usize::try_from(self.below(3)).expect("below 3")];
        assert_eq!(bench.get(&address, freshness).row, self.rows.get(&(partition, row)).cloned());
    }

    fn bound(&self) -> Bound {
        match self.below(3) {
            0 => Bound::Unbounded,
            1 => Bound::Included(self.row()),
            _ => Bound::Excluded(self.row()),
        }
    }

    fn limit(&self) -> PageLimit {
        let some = |value| usize::try_from(value).expect("small");
        match self.below(3) {
            0 => ALL,
            1 => PageLimit { rows: some(self.below(5) + 1), ..ALL },
            _ => PageLimit { bytes: some(self.below(60) + 1), ..ALL },
        }
    }

    fn range(&self, bench: &Bench, space: crate::Space) {
        let partition = self.partition();
        let direction = if self.below(2) == 0 { Direction::Forward } else { Direction::Backward };
        let (lower, upper, limit) = (self.bound(), self.bound(), self.limit());
        let read = RangeRead {
            space,
            partition: Bytes::from(partition.clone()),
            lower: lower.clone(),
            upper: upper.clone(),
            direction,
            limit,
            freshness: Freshness::Strong,
        };
        let mut rows: Vec<_> = self
            .rows
            .iter()
            .filter(|((of, row), _)| *of == partition && above(&lower, row) && below(&upper, row))
            .map(|((_, row), stored)| (row.clone(), stored.clone()))
            .collect();
        if direction == Direction::Backward {
            rows.reverse();
        }
        let more = cut(&mut rows, limit, |(_, stored)| stored.value.len());
        let page = bench.range(read.clone());
        assert_eq!((&page.rows[..], page.more), (&rows[..], more), "{read:?}");
    }

    fn sweep(&self, bench: &Bench, space: crate::Space) {
        let limit = self.limit();
        let kind = u8::try_from(self.below(3)).expect("below 3");
        let (partition, row) = (self.partition(), self.row());
        let after = (self.below(2) == 0).then(|| (Bytes::from(partition.clone()), row.clone()));
        let mut rows: Vec<_> = self
            .rows
            .iter()
            .filter(|((_, row), _)| row.kind == kind)
            .map(|((of, row), stored)| (Bytes::from(of.clone()), row.clone(), stored.clone()))
            .collect();
        let place =
            |partition: &Bytes, row: &RowKey| (partition_hash(partition), partition.clone(), row.clone());
        rows.sort_by_key(|(partition, row, _)| place(partition, row));
        if let Some((partition, row)) = &after {
            rows.retain(|(of, one, _)| place(of, one) > place(partition, row));
        }
        let more = cut(&mut rows, limit, |(.., stored)| stored.value.len());
        let read =
            SweepRead { space, kind, segment: 0, segments: 1, after, limit, freshness: Freshness::Any };
        let page = bench.sweep(read.clone());
        assert_eq!((&page.rows[..], page.more), (&rows[..], more), "{read:?}");
    }

    fn side_state(&self, bench: &Bench, space: crate::Space) {
        assert_eq!(bench.totals(space, 0).unwrap_or_default(), self.totals);
        let records = block_on(bench.store().log_read(space, None, usize::MAX)).unwrap();
        let payloads: Vec<_> = records.into_iter().map(|record| record.payload).collect();
        assert_eq!(payloads, self.log);
    }
}

fn above(lower: &Bound, row: &RowKey) -> bool {
    match lower {
        Bound::Unbounded => true,
        Bound::Included(edge) => row >= edge,
        Bound::Excluded(edge) => row > edge,
    }
}

fn below(upper: &Bound, row: &RowKey) -> bool {
    match upper {
        Bound::Unbounded => true,
        Bound::Included(edge) => row <= edge,
        Bound::Excluded(edge) => row < edge,
    }
}

/// Cuts a page at its limit, said in other words than the engines do.
fn cut<T>(rows: &mut Vec<T>, limit: PageLimit, size: impl Fn(&T) -> usize) -> bool {
    let mut bytes = 0;
    for index in 0..rows.len() {
        bytes += size(&rows[index]);
        if index + 1 >= limit.rows || bytes >= limit.bytes {
            rows.truncate(index + 1);
            return true;
        }
    }
    false
}
