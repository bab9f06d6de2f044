//! A coordinator that dies after every call of the engine below, and who meets what it left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hashrange_env::{Env, Simulation};

use super::{SPACE, at, put, whole};
use crate::{
    Address, Answer, Capabilities, CommitId, Found, Freshness, LeaseRequest, LogPosition, LogRecord,
    LwwWrite, Memory, Outcome, Part, RangePage, RangeRead, Resolution, Space, Stamp, Store, SweepPage,
    SweepRead, Tidied, Totals, Transactional,
};

/// An engine that answers so many calls and no more: the process that uses it is dead by then.
#[derive(Debug)]
struct Mortal {
    inner: Arc<Memory>,
    left: AtomicUsize,
    /// Whether the last call is made, though its answer gets lost.
    last_is_made: bool,
}

impl Mortal {
    fn call<'a, T: Send + Unpin + 'a>(
        &'a self,
        call: impl FnOnce(&'a Memory) -> Answer<'a, T>,
    ) -> Answer<'a, T> {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        if left > 1 {
            return call(&self.inner);
        }
        if left == 1 && self.last_is_made {
            drop(call(&self.inner));
        }
        Answer::later(std::future::pending())
    }
}

impl Store for Mortal {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        self.call(|store| store.get(at, freshness))
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        self.call(|store| store.get_many(at, freshness))
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        self.call(|store| store.range(range))
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        self.call(|store| store.sweep(sweep))
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        self.call(|store| store.commit(id, parts))
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        self.call(|store| store.resolve(id))
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        self.call(|store| store.put_lww(writes))
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        self.call(|store| store.log_read(space, after, limit))
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        self.call(|store| store.log_trim(space, through))
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        self.call(|store| store.lease(request))
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        self.call(|store| store.forget(space))
    }
}

/// Who comes across what a dead coordinator left.
#[derive(Clone, Copy, Debug)]
enum Finder {
    /// Reads of all rows at once.
    Reader,
    /// A range in one of the partitions, the last one.
    RangeReader,
    /// A write to one partition, the second.
    Writer,
    /// A commit over two of the partitions, and one more.
    Committer,
    /// Nobody but the tidying.
    Nobody,
}

/// What a simulated database is after a coordinator's death.
struct Scene {
    inner: Arc<Memory>,
    env: Env,
    simulation: Simulation,
    finder: Transactional,
}

const PARTITIONS: [&str; 3] = ["p", "q", "r"];

impl Scene {
    /// Three rows; then a coordinator that overwrites them all dies after so many calls. `None` where it lived long enough.
    fn after(calls: usize, last_is_made: bool) -> Option<Scene> {
        let (env, simulation) = Simulation::new(u64::try_from(calls).expect("few"));
        let inner = Arc::new(Memory::of_single_partitions(env.clock.clone()));
        for partition in PARTITIONS {
            let parts = vec![put(partition, None, 1, "old")];
            simulation.block_on(inner.commit(CommitId(1), parts)).unwrap();
        }
        let mortal = Mortal { inner: inner.clone(), left: AtomicUsize::new(calls), last_is_made };
        let coordinator = Transactional::new(Arc::new(mortal), env.clone());
        let parts = PARTITIONS.map(|partition| put(partition, Some(1), 2, "new")).to_vec();
        let mut commit = coordinator.commit(CommitId(2), parts);
        let polled = std::pin::Pin::new(&mut commit).poll(&mut Context::from_waker(Waker::noop()));
        if let Poll::Ready(outcome) = polled {
            assert_eq!(outcome.unwrap(), Outcome::Applied);
            return None;
        }
        let finder = Transactional::new(inner.clone(), env.clone());
        Some(Scene { inner, env, simulation, finder })
    }

    /// The stamps of the three rows, as readers see them.
    fn stamps(&self) -> Vec<u64> {
        let rows = PARTITIONS.map(at);
        let found = self.simulation.block_on(self.finder.get_many(&rows, Freshness::Strong)).unwrap();
        found.iter().map(|found| found.row.as_ref().unwrap().stamp.0).collect()
    }

    fn commit(&self, parts: Vec<Part>) -> Outcome {
        self.simulation.block_on(self.finder.commit(CommitId(9), parts)).unwrap()
    }

    /// Overwrites the row of a partition, whichever version it has.
    fn overwrite(&self, partitions: &[&str]) {
        let started = self.env.clock.monotonic();
        for _ in 0..3 {
            let rows: Vec<_> = partitions.iter().map(|partition| at(partition)).collect();
            let found = self.simulation.block_on(self.finder.get_many(&rows, Freshness::Newest)).unwrap();
            let stamp = |found: &Found| found.row.as_ref().map(|stored| stored.stamp.0);
            let parts = partitions.iter().zip(&found).map(|(at, found)| put(at, stamp(found), 10, "mine"));
            if self.commit(parts.collect()) == Outcome::Applied {
                let waited = self.env.clock.monotonic().saturating_sub(started);
                assert!(waited < Duration::from_secs(2), "nobody waits long: {waited:?}");
                return;
            }
        }
        panic!("the row cannot be written");
    }

    fn meet(&self, finder: Finder) {
        match finder {
            Finder::Reader => drop(self.stamps()),
            Finder::RangeReader => {
                let page = self.simulation.block_on(self.finder.range(whole("r"))).unwrap();
                let stamp = page.rows[0].1.stamp;
                assert_eq!(page.rows.len(), 1, "locks are not shown");
                assert!(self.stamps().iter().all(|known| Stamp(*known) == stamp), "all rows are of one age");
            }
            Finder::Writer => self.overwrite(&["q"]),
            Finder::Committer => self.overwrite(&["s", "r", "q"]),
            Finder::Nobody => {}
        }
    }

    /// Whether the dead coordinator's commit happened; all rows that nobody wrote since agree on it.
    fn happened(&self, finder: Finder) -> bool {
        let written: &[usize] = match finder {
            Finder::Writer => &[1],
            Finder::Committer => &[1, 2],
            _ => &[],
        };
        let stamps = self.stamps();
        for at in 0..3 {
            let expected = if written.contains(&at) { 10 } else { stamps[0] };
            assert_eq!(stamps[at], expected, "{finder:?} finds {stamps:?}");
        }
        stamps[0] == 2
    }

    /// After the tidying nothing is left but rows, and log and totals agree with them.
    fn check_the_rest(&self, finder: Finder, happened: bool) {
        for pause_s in [0, 11, 700] {
            self.simulation.advance(Duration::from_secs(pause_s));
            let tidied = self.simulation.block_on(self.finder.tidy(Tidied::default())).unwrap();
            assert!(tidied.done);
        }
        for partition in PARTITIONS {
            assert_eq!(self.simulation.block_on(self.inner.range(whole(partition))).unwrap().rows.len(), 1);
        }
        let ledger = SweepRead {
            space: Space::LEDGER,
            kind: 0,
            segment: 0,
            segments: 1,
            after: None,
            limit: whole("p").limit,
            freshness: Freshness::Strong,
        };
        assert!(self.simulation.block_on(self.inner.sweep(ledger)).unwrap().rows.is_empty());
        let log = self.simulation.block_on(self.finder.log_read(SPACE, None, 100)).unwrap();
        let news = log.iter().filter(|record| record.payload == "new").count();
        assert_eq!(news, if happened { 3 } else { 0 }, "{finder:?}");
        let total = Address::tally(SPACE, 0);
        let total =
            self.simulation.block_on(self.finder.get(&total, Freshness::Strong)).unwrap().row.unwrap();
        let bytes = Totals::decode(&total.value).unwrap().bytes;
        assert_eq!(usize::try_from(bytes).unwrap(), log.len(), "a record and a byte for each write");
    }
}

#[test]
fn what_a_dead_coordinator_leaves_is_finished_or_undone_by_whoever_meets_it() {
    let finders = [Finder::Reader, Finder::RangeReader, Finder::Writer, Finder::Committer, Finder::Nobody];
    let mut ends = [0, 0];
    for finder in finders {
        for last_is_made in [false, true] {
            for calls in 1.. {
                let Some(scene) = Scene::after(calls, last_is_made) else { break };
                scene.meet(finder);
                if matches!(finder, Finder::Nobody) {
                    scene.simulation.advance(Duration::from_secs(11));
                    scene.simulation.block_on(scene.finder.tidy(Tidied::default())).unwrap();
                }
                let happened = scene.happened(finder);
                ends[usize::from(happened)] += 1;
                scene.check_the_rest(finder, happened);
            }
        }
    }
    assert!(ends[0] >= 30 && ends[1] >= 30, "both ends occur: {ends:?}");
}

#[test]
fn a_coordinator_that_is_only_slow_finds_that_it_was_aborted_and_tries_again() {
    let (env, simulation) = Simulation::new(3);
    let inner = Arc::new(Memory::of_single_partitions(env.clock.clone()));
    // Beginning and both preparations are answered; the decision is made late.
    let mortal = Mortal { inner: inner.clone(), left: AtomicUsize::new(4), last_is_made: false };
    let slow = Transactional::new(Arc::new(mortal), env.clone());
    let parts = vec![put("p", None, 2, "slow"), put("q", None, 2, "slow")];
    let mut commit = slow.commit(CommitId(2), parts);
    assert!(std::pin::Pin::new(&mut commit).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let fast = Transactional::new(inner, env);
    let parts = vec![put("q", None, 5, "fast"), put("r", None, 5, "fast")];
    assert_eq!(simulation.block_on(fast.commit(CommitId(3), parts)).unwrap(), Outcome::Applied);
    let rows = ["p", "q", "r"].map(at);
    let found = simulation.block_on(fast.get_many(&rows, Freshness::Strong)).unwrap();
    let stamps: Vec<_> = found.iter().map(|found| found.row.as_ref().map(|row| row.stamp.0)).collect();
    assert_eq!(stamps, [None, Some(5), Some(5)]);
}
