//! The reference engine: everything in ordered maps under one lock. It is meant to be obviously correct;
//! the other engines are compared with it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Bound as Edge;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hashrange_env::{Clock, RealClock};
use parking_lot::Mutex;

use crate::{
    Address, Answer, Bound, Capabilities, CommitId, Direction, Found, Freshness, LeaseRequest, LogPosition,
    LogRecord, LwwWrite, Outcome, PageBudget, Part, RangePage, RangeRead, ReadMark, Resolution, RowKey,
    Space, Stamp, Store, StoreResult, Stored, SweepPage, SweepRead, Totals, Write, partition_hash,
    segment_start,
};

/// How many commits [`Store::resolve`] remembers.
const REMEMBERED_COMMITS: usize = 4096;

/// The reference engine. Nothing survives it.
#[derive(Debug)]
pub struct Memory {
    clock: Arc<dyn Clock>,
    multi_part_commits: bool,
    state: Mutex<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    rows: BTreeMap<Place, Stored>,
    /// Stamps of blind deletes: a blind write with a smaller stamp that arrives later must not bring a row back.
    graves: BTreeMap<Place, Stamp>,
    log: BTreeMap<(Space, LogPosition), Bytes>,
    last_position: u64,
    forgotten: BTreeSet<Space>,
    leases: BTreeMap<String, (String, Duration)>,
    ended: HashMap<CommitId, Resolution>,
    ended_order: VecDeque<CommitId>,
}

/// A row's address in the order of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    space: Space,
    hash: u64,
    /// Before the bytes, as on disk in the embedded engine: partitions of equal hash sort by length first.
    length: usize,
    partition: Bytes,
    row: RowKey,
}

impl Place {
    fn new(space: Space, partition: &Bytes, row: RowKey) -> Place {
        Place {
            space,
            hash: partition_hash(partition),
            length: partition.len(),
            partition: partition.clone(),
            row,
        }
    }

    fn of(at: &Address) -> Place {
        Place::new(at.space, &at.partition, at.row.clone())
    }

    /// A place that sorts before every row of `space` with this hash or a greater one.
    fn before(space: Space, hash: u64) -> Place {
        let row = RowKey { kind: 0, sort: Bytes::new() };
        Place { space, hash, length: 0, partition: Bytes::new(), row }
    }
}

impl Memory {
    /// An empty store whose leases run on the system clock.
    pub fn new() -> Memory {
        Memory::with_clock(Arc::new(RealClock::new()))
    }

    /// An empty store whose leases run on this clock.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Memory {
        Memory { clock, multi_part_commits: true, state: Mutex::new(State::default()) }
    }

    /// An empty store whose commits concern one partition each, as on engines that are spread over machines; for tests of
    /// what stands above those.
    pub fn of_single_partitions(clock: Arc<dyn Clock>) -> Memory {
        Memory { multi_part_commits: false, ..Memory::with_clock(clock) }
    }

    /// Fails where a caller asks for more than the engine has.
    fn assert_possible(&self, parts: &[Part]) {
        let place = |part: &Part| (part.space, part.partition.clone());
        let one = parts.windows(2).all(|two| place(&two[0]) == place(&two[1]));
        assert!(self.multi_part_commits || one, "a commit over several partitions: {parts:?}");
    }

    /// Another store that holds what this one holds now. Bytes are shared, so it costs the number of rows.
    #[must_use]
    pub fn fork(&self) -> Memory {
        let state = Mutex::new(self.state.lock().clone());
        Memory { clock: Arc::clone(&self.clock), multi_part_commits: self.multi_part_commits, state }
    }

    fn answer<T>(&self, work: impl FnOnce(&mut State) -> T) -> Answer<'_, T> {
        let result = work(&mut self.state.lock());
        Answer::ready(StoreResult::Ok(result))
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

impl State {
    fn get(&self, at: &Address) -> Found {
        Found { row: self.rows.get(&Place::of(at)).cloned(), mark: ReadMark::NONE, durable: true }
    }

    fn range(&self, read: &RangeRead) -> RangePage {
        let Some(edges) = range_edges(read) else { return RangePage::default() };
        let found = self.rows.range(edges);
        match read.direction {
            Direction::Forward => fill_range(found, read),
            Direction::Backward => fill_range(found.rev(), read),
        }
    }

    fn sweep(&self, read: &SweepRead) -> SweepPage {
        let mut page = SweepPage::default();
        let mut budget = PageBudget::new(read.limit);
        for (place, stored) in self.rows.range(sweep_start(read)..) {
            if place.space != read.space || u128::from(place.hash) >= sweep_end(read) {
                break;
            }
            if place.row.kind == read.kind {
                page.rows.push((place.partition.clone(), place.row.clone(), stored.clone()));
                if budget.ends_after(stored.value.len()) {
                    page.more = true;
                    break;
                }
            }
        }
        page
    }

    fn commit(&mut self, parts: &[Part]) -> Outcome {
        for part in parts {
            for expect in &part.expects {
                let row =
                    Address { space: part.space, partition: part.partition.clone(), row: expect.row.clone() };
                let current = self.get(&row);
                if current.row.as_ref().map(|stored| stored.stamp) != expect.stamp {
                    return Outcome::Refused { row, current };
                }
            }
        }
        for part in parts {
            self.apply(part);
        }
        Outcome::Applied
    }

    fn apply(&mut self, part: &Part) {
        for tally in &part.tallies {
            if !self.forgotten.contains(&tally.space) {
                self.add(&Address::tally(tally.space, tally.kind), tally.rows, tally.bytes);
            }
        }
        if self.forgotten.contains(&part.space) {
            return;
        }
        for write in &part.writes {
            match write {
                Write::Put { row, stored } => {
                    self.rows.insert(Place::new(part.space, &part.partition, row.clone()), stored.clone());
                }
                Write::Delete { row } => {
                    self.rows.remove(&Place::new(part.space, &part.partition, row.clone()));
                }
            }
        }
        if let Some(payload) = &part.log {
            self.last_position += 1;
            self.log.insert((part.space, LogPosition(self.last_position)), payload.clone());
        }
    }

    fn add(&mut self, at: &Address, rows: i64, bytes: i64) {
        let place = Place::of(at);
        let before =
            self.rows.get(&place).and_then(|stored| Totals::decode(&stored.value)).unwrap_or_default();
        self.rows.insert(place, before.plus(rows, bytes).to_row());
    }

    fn remember(&mut self, id: CommitId, outcome: &Outcome) {
        let resolution = match outcome {
            Outcome::Applied => Resolution::Applied,
            Outcome::Refused { .. } => Resolution::NotApplied,
            Outcome::Unknown => return,
        };
        self.ended.insert(id, resolution);
        self.ended_order.push_back(id);
        if self.ended_order.len() > REMEMBERED_COMMITS
            && let Some(oldest) = self.ended_order.pop_front()
        {
            self.ended.remove(&oldest);
        }
    }

    fn put_lww(&mut self, write: LwwWrite) {
        let place = Place::of(&write.address);
        let row = self.rows.get(&place).map(|stored| stored.stamp);
        let newest = row.max(self.graves.get(&place).copied());
        if newest >= Some(write.stamp) || self.forgotten.contains(&write.address.space) {
            return;
        }
        if let Some(value) = write.value {
            self.graves.remove(&place);
            self.rows.insert(place, Stored { stamp: write.stamp, value });
        } else {
            self.rows.remove(&place);
            self.graves.insert(place, write.stamp);
        }
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Vec<LogRecord> {
        let start = match after {
            Some(position) => Edge::Excluded((space, position)),
            None => Edge::Included((space, LogPosition(0))),
        };
        self.log
            .range((start, Edge::Included((space, LogPosition(u64::MAX)))))
            .take(limit)
            .map(|((_, position), payload)| LogRecord { position: *position, payload: payload.clone() })
            .collect()
    }

    fn forget(&mut self, space: Space) {
        self.forgotten.insert(space);
        self.rows.retain(|place, _| {
            let its_total =
                place.space == Space::TALLIES && place.partition.starts_with(&space.0.to_be_bytes());
            place.space != space && !its_total
        });
        self.graves.retain(|place, _| place.space != space);
        self.log.retain(|(of, _), _| *of != space);
    }

    fn lease(&mut self, request: LeaseRequest, now: Duration) -> bool {
        let held_by_other = self
            .leases
            .get(&request.name)
            .is_some_and(|(holder, until)| *holder != request.holder && *until > now);
        if held_by_other {
            return false;
        }
        if request.duration.is_zero() {
            self.leases.remove(&request.name);
            return false;
        }
        self.leases.insert(request.name, (request.holder, now.saturating_add(request.duration)));
        true
    }
}

/// The ends of a range within its partition, or `None` where the bounds cross.
fn range_edges(read: &RangeRead) -> Option<(Edge<Place>, Edge<Place>)> {
    let place = |row: &RowKey| Place::new(read.space, &read.partition, row.clone());
    let lower = match &read.lower {
        Bound::Included(row) => Edge::Included(place(row)),
        Bound::Excluded(row) => Edge::Excluded(place(row)),
        Bound::Unbounded => Edge::Included(place(&RowKey { kind: 0, sort: Bytes::new() })),
    };
    let upper = match &read.upper {
        Bound::Included(row) => Edge::Included(place(row)),
        Bound::Excluded(row) => Edge::Excluded(place(row)),
        Bound::Unbounded => Edge::Excluded(after_partition(place(&RowKey { kind: 0, sort: Bytes::new() }))),
    };
    let crossed = match (&lower, &upper) {
        (Edge::Included(low), Edge::Included(high)) => low > high,
        (Edge::Included(low) | Edge::Excluded(low), Edge::Excluded(high) | Edge::Included(high)) => {
            low >= high
        }
        (Edge::Unbounded, _) | (_, Edge::Unbounded) => false,
    };
    (!crossed).then_some((lower, upper))
}

/// The first place that is past every row of `place`'s partition: the partition extended by a zero byte has
/// no name between the two in (length, bytes) order, so the length alone can be raised.
fn after_partition(mut place: Place) -> Place {
    let mut longer = place.partition.to_vec();
    longer.push(0);
    place.partition = longer.into();
    place
}

fn fill_range<'a>(found: impl Iterator<Item = (&'a Place, &'a Stored)>, read: &RangeRead) -> RangePage {
    let (mut rows, mut more) = (Vec::new(), false);
    let mut budget = PageBudget::new(read.limit);
    for (place, stored) in found {
        rows.push((place.row.clone(), stored.clone()));
        if budget.ends_after(stored.value.len()) {
            more = true;
            break;
        }
    }
    RangePage { rows: rows.into(), more }
}

fn sweep_start(read: &SweepRead) -> Place {
    match &read.after {
        // No row key lies between one and itself extended by a zero byte.
        Some((partition, row)) => {
            let mut sort = row.sort.to_vec();
            sort.push(0);
            Place::new(read.space, partition, RowKey { kind: row.kind, sort: sort.into() })
        }
        None => match u64::try_from(segment_start(read.segment, read.segments)) {
            Ok(hash) => Place::before(read.space, hash),
            Err(_) => Place::before(Space(read.space.0.saturating_add(1)), 0),
        },
    }
}

fn sweep_end(read: &SweepRead) -> u128 {
    segment_start(read.segment.saturating_add(1), read.segments)
}

impl Store for Memory {
    fn capabilities(&self) -> Capabilities {
        Capabilities { multi_part_commits: self.multi_part_commits, durable: false }
    }

    fn get<'a>(&'a self, at: &'a Address, _: Freshness) -> Answer<'a, Found> {
        self.answer(|state| state.get(at))
    }

    fn get_many<'a>(&'a self, at: &'a [Address], _: Freshness) -> Answer<'a, Vec<Found>> {
        self.answer(|state| at.iter().map(|one| state.get(one)).collect())
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        self.answer(|state| state.range(&range))
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        self.answer(|state| state.sweep(&sweep))
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        self.assert_possible(&parts);
        self.answer(|state| {
            let outcome = state.commit(&parts);
            state.remember(id, &outcome);
            outcome
        })
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        self.answer(|state| state.ended.get(&id).copied().unwrap_or(Resolution::Forgotten))
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        self.answer(|state| writes.into_iter().for_each(|write| state.put_lww(write)))
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        self.answer(|state| state.log_read(space, after, limit))
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        self.answer(|state| state.log.retain(|(of, position), _| *of != space || *position > through))
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        let now = self.clock.monotonic();
        self.answer(|state| state.lease(request, now))
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        self.answer(|state| state.forget(space))
    }
}
