//! Two engines run side by side, every answer compared.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::{
    Address, Answer, Capabilities, CommitId, Found, Freshness, LeaseRequest, LogPosition, LogRecord,
    LwwWrite, Outcome, Part, RangePage, RangeRead, ReadMark, Resolution, Space, Store, SweepPage, SweepRead,
};

/// Sends everything to two engines and panics with a description where their answers differ.
///
/// Answers are the tested engine's. Read marks, log positions and [`Found::durable`] are an engine's own and
/// are not compared. Durable reads are compared while no write is under way, because engines may take
/// different time to make one durable; and nothing is compared any more after the tested engine has failed or
/// lost a commit, or after a caller has dropped a commit's answer before it came.
#[derive(Debug)]
pub struct Mirror {
    tested: Arc<dyn Store>,
    reference: Arc<dyn Store>,
    /// Held while a write is handed to both, so that both queue writes in the same order.
    order: Mutex<()>,
    /// Writes whose handing over has begun, that both engines have got, and that both have answered.
    started: AtomicU64,
    handed: AtomicU64,
    ended: AtomicU64,
    diverged: AtomicBool,
    /// Where a record of the tested engine's log stands in the reference's.
    positions: Mutex<BTreeMap<(Space, LogPosition), LogPosition>>,
}

impl Mirror {
    /// Compares `tested` with `reference`; both must be empty or equal.
    pub fn new(tested: Arc<dyn Store>, reference: Arc<dyn Store>) -> Mirror {
        Mirror {
            tested,
            reference,
            order: Mutex::new(()),
            started: AtomicU64::new(0),
            handed: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            diverged: AtomicBool::new(false),
            positions: Mutex::new(BTreeMap::new()),
        }
    }

    /// Hands a write to both engines in one order, and compares the ends.
    fn write<'a, T: fmt::Debug + Send + Unpin + 'a>(
        &'a self,
        what: &'static str,
        calls: impl FnOnce(&'a dyn Store, &'a dyn Store) -> (Answer<'a, T>, Answer<'a, T>),
        same: impl Fn(&T, &T) -> bool + Send + 'a,
        known: impl Fn(&T) -> bool + Send + 'a,
    ) -> Answer<'a, T> {
        let (tested, reference) = {
            let _order = self.order.lock();
            self.started.fetch_add(1, Ordering::SeqCst);
            let both = calls(&*self.tested, &*self.reference);
            self.handed.fetch_add(1, Ordering::SeqCst);
            both
        };
        Answer::later(async move {
            let (one, other) = (tested.await, reference.await);
            self.ended.fetch_add(1, Ordering::SeqCst);
            match (&one, &other) {
                (Ok(one), Ok(other)) if known(one) => self.compare(what, &"", one, other, same),
                _ => self.diverged.store(true, Ordering::SeqCst),
            }
            one
        })
    }

    /// Asks both engines, and compares where nothing came between.
    fn read<'a, T: fmt::Debug + Send + Unpin + 'a>(
        &'a self,
        call: impl Fn(&'a dyn Store) -> Answer<'a, T>,
        freshness: Freshness,
        compare: impl Fn(&T, &T) + Send + 'a,
    ) -> Answer<'a, T> {
        let before = self.started.load(Ordering::SeqCst);
        let settled = if freshness == Freshness::Newest { &self.handed } else { &self.ended };
        let quiet = settled.load(Ordering::SeqCst) == before;
        let (tested, reference) = (call(&*self.tested), call(&*self.reference));
        Answer::later(async move {
            let one = tested.await?;
            let other = reference.await?;
            if quiet && self.started.load(Ordering::SeqCst) == before {
                compare(&one, &other);
            }
            Ok(one)
        })
    }

    fn compare<T: fmt::Debug>(
        &self,
        what: &str,
        asked: &dyn fmt::Debug,
        one: &T,
        other: &T,
        same: impl Fn(&T, &T) -> bool,
    ) {
        if !self.diverged.load(Ordering::SeqCst) {
            let equal = same(one, other);
            assert!(equal, "the engines differ on {what} {asked:?}:\ntested    {one:?}\nreference {other:?}");
        }
    }

    /// The reference's position for one of the tested engine's: exact, or that of the last record before it.
    fn translate(&self, space: Space, position: LogPosition) -> LogPosition {
        if position == LogPosition(u64::MAX) {
            return position;
        }
        let positions = self.positions.lock();
        let upto = positions.range((space, LogPosition(0))..=(space, position));
        upto.last().map_or(LogPosition(0), |(_, reference)| *reference)
    }
}

fn same_row(one: &Found, other: &Found) -> bool {
    one.row == other.row
}

fn same_outcome(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::Refused { row, current }, Outcome::Refused { row: other_row, current: other }) => {
            row == other_row && same_row(current, other)
        }
        (one, other) => one == other,
    }
}

/// The reference must not trust the tested engine's read marks.
fn without_marks(mut parts: Vec<Part>) -> Vec<Part> {
    for expect in parts.iter_mut().flat_map(|part| &mut part.expects) {
        expect.seen = ReadMark::NONE;
    }
    parts
}

impl Store for Mirror {
    /// What both can do.
    fn capabilities(&self) -> Capabilities {
        let (one, other) = (self.tested.capabilities(), self.reference.capabilities());
        Capabilities {
            multi_part_commits: one.multi_part_commits && other.multi_part_commits,
            durable: one.durable && other.durable,
        }
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        let compare = move |one: &Found, other: &Found| self.compare("get", at, one, other, same_row);
        self.read(move |store| store.get(at, freshness), freshness, compare)
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        let compare = move |one: &Vec<Found>, other: &Vec<Found>| {
            let same = |one: &Vec<Found>, other: &Vec<Found>| {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_row(one, other))
            };
            self.compare("get_many", &at, one, other, same);
        };
        self.read(move |store| store.get_many(at, freshness), freshness, compare)
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        let asked = range.clone();
        let compare = move |one: &RangePage, other: &RangePage| {
            self.compare("range", &asked, one, other, PartialEq::eq);
        };
        self.read(move |store| store.range(range.clone()), Freshness::Strong, compare)
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        let asked = sweep.clone();
        let compare = move |one: &SweepPage, other: &SweepPage| {
            self.compare("sweep", &asked, one, other, PartialEq::eq);
        };
        self.read(move |store| store.sweep(sweep.clone()), Freshness::Strong, compare)
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        let copy = without_marks(parts.clone());
        self.write(
            "commit",
            |one, other| (one.commit(id, parts), other.commit(id, copy)),
            same_outcome,
            |outcome| *outcome != Outcome::Unknown,
        )
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        // What an engine still remembers is its own affair.
        self.tested.resolve(id)
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        let copy = writes.clone();
        self.write(
            "put_lww",
            |one, other| (one.put_lww(writes), other.put_lww(copy)),
            |(), ()| true,
            |()| true,
        )
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        let translated = after.map(|position| self.translate(space, position));
        let compare = move |one: &Vec<LogRecord>, other: &Vec<LogRecord>| {
            let same = |one: &Vec<LogRecord>, other: &Vec<LogRecord>| {
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| one.payload == other.payload)
            };
            self.compare("log_read", &(space, after, limit), one, other, same);
            let mut positions = self.positions.lock();
            for (one, other) in one.iter().zip(other) {
                positions.insert((space, one.position), other.position);
            }
        };
        let is_tested = |store: &dyn Store| std::ptr::addr_eq(store, Arc::as_ptr(&self.tested));
        let call = move |store| {
            let after = if is_tested(store) { after } else { translated };
            store.log_read(space, after, limit)
        };
        self.read(call, Freshness::Strong, compare)
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        let translated = self.translate(space, through);
        self.write(
            "log_trim",
            |one, other| (one.log_trim(space, through), other.log_trim(space, translated)),
            |(), ()| true,
            |()| true,
        )
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        let copy = request.clone();
        self.write("lease", |one, other| (one.lease(request), other.lease(copy)), PartialEq::eq, |_| true)
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        self.write("forget", |one, other| (one.forget(space), other.forget(space)), |(), ()| true, |()| true)
    }
}
