//! The contract suite: what every engine must pass. An engine's only test of the contract is one call of
//! [`run`].

#![allow(clippy::unwrap_used, reason = "test code, although other crates' tests compile it as a library")]

mod commits;
mod model;
mod reads;
mod spaces;

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use bytes::Bytes;

use crate::{
    Address, Bound, CommitId, Direction, Expect, Found, Freshness, Outcome, PageLimit, Part, RangeRead,
    ReadMark, RowKey, Space, Stamp, Store, Stored, SweepRead, Totals, Write,
};

/// What to check, in words, and the check.
type Case = (&'static str, fn(&mut Bench));

/// Every case.
const CASES: &[Case] = &[
    ("a row that was never written is absent", commits::absent),
    ("an applied put is read back", commits::put_is_read_back),
    ("a delete removes the row and may be repeated", commits::delete),
    ("the last of several writes of one row wins", commits::last_write_of_a_row_wins),
    ("a commit is refused with what is there", commits::refusal_tells_the_current_row),
    ("a refused commit changes nothing at all", commits::refusal_changes_nothing),
    ("an expectation of absence is checked", commits::expected_absence),
    ("several parts apply together", commits::several_parts),
    ("a writer expects the stamp of a queued commit", commits::pipelining),
    ("pipelined commits end in the order of their calls", commits::pipeline_order),
    ("a barrier is applied once what it expects is durable", commits::barrier),
    ("a read mark does not hide a later write", commits::stale_mark),
    ("a fresh read mark lets a commit through", commits::fresh_mark),
    ("counting up from many threads loses nothing", commits::no_lost_updates),
    ("a commit can be resolved", commits::resolve),
    ("blind writes keep the greatest stamp in any order", commits::last_writer_wins),
    ("blind deletes are not undone by older writes", commits::blind_delete),
    ("readers see both rows of a commit or neither", commits::no_torn_reads),
    ("a range honours every bound in both directions", reads::bounds),
    ("a range ends at its limits", reads::range_limits),
    ("a range stays within its partition", reads::range_stays_in_its_partition),
    ("rows sort by kind and then by bytes", reads::row_order),
    ("many rows are read in the order asked", reads::get_many),
    ("segments share a space without gap or overlap", reads::segments),
    ("a sweep goes on after its last row", reads::sweep_pages),
    ("a sweep goes on while rows come and go", reads::sweep_while_rows_change),
    ("a sweep passes over other kinds", reads::sweep_by_kind),
    ("a busy row does not hide its neighbours", reads::busy_row),
    ("large and empty values come back whole", reads::value_sizes),
    ("totals follow the commits that applied", spaces::totals),
    ("a log record exists if its commit applied", spaces::log),
    ("a log is read in pages and trimmed from the front", spaces::log_pages_and_trim),
    ("a lease has one holder until it is given back", spaces::lease),
    ("a forgotten space is empty for good", spaces::forget),
    ("forgetting a space leaves the others alone", spaces::forget_one_of_two),
    ("what was acknowledged is there after reopening", spaces::reopen),
    ("a forgotten space stays forgotten after reopening", spaces::reopen_after_forget),
    ("random operations agree with a plain map", model::random_operations),
];

/// Runs every case, each on a store of its own: `fresh` makes a new place for data, and the closure that it
/// returns opens it, again and again where the engine is durable.
///
/// # Panics
/// At the first case that fails, naming it.
pub fn run<O>(fresh: impl Fn() -> O)
where
    O: FnMut() -> Arc<dyn Store> + 'static,
{
    for (name, case) in CASES {
        let mut bench = Bench::new(Box::new(fresh()));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case(&mut bench)));
        assert!(outcome.is_ok(), "the engine breaks the contract: {name}");
    }
}

/// Waits for a future on this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::park();
    }
}

/// A store under test, with short ways to say what a case does.
struct Bench {
    /// Dropped before `open`, which may own the folder.
    store: Option<Arc<dyn Store>>,
    open: Box<dyn FnMut() -> Arc<dyn Store>>,
    next: Cell<u64>,
}

const SPACE: Space = Space(2000);
const OTHER_SPACE: Space = Space(2001);
/// No limit that matters.
const ALL: PageLimit = PageLimit { rows: usize::MAX, bytes: usize::MAX };

impl Bench {
    fn new(mut open: Box<dyn FnMut() -> Arc<dyn Store>>) -> Bench {
        let store = Some(open());
        Bench { store, open, next: Cell::new(0) }
    }

    fn store(&self) -> &dyn Store {
        &**self.store.as_ref().expect("open but for an instant in reopen")
    }

    fn shared(&self) -> Arc<dyn Store> {
        Arc::clone(self.store.as_ref().expect("open but for an instant in reopen"))
    }

    /// Closes and opens again; false where nothing survives that.
    fn reopen(&mut self) -> bool {
        if !self.store().capabilities().durable {
            return false;
        }
        self.store = None;
        self.store = Some((self.open)());
        true
    }

    /// A number that was not given out before.
    fn unique(&self) -> u64 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }

    fn id(&self) -> CommitId {
        CommitId(u128::from(self.unique()))
    }

    fn commit(&self, parts: Vec<Part>) -> Outcome {
        block_on(self.store().commit(self.id(), parts)).unwrap()
    }

    fn applied(&self, parts: Vec<Part>) {
        assert_eq!(self.commit(parts), Outcome::Applied);
    }

    fn get(&self, at: &Address, freshness: Freshness) -> Found {
        block_on(self.store().get(at, freshness)).unwrap()
    }

    fn strong(&self, at: &Address) -> Option<Stored> {
        self.get(at, Freshness::Strong).row
    }

    fn range(&self, read: RangeRead) -> crate::RangePage {
        block_on(self.store().range(read)).unwrap()
    }

    fn sweep(&self, read: SweepRead) -> crate::SweepPage {
        block_on(self.store().sweep(read)).unwrap()
    }

    fn totals(&self, space: Space, kind: u8) -> Option<Totals> {
        let row = self.strong(&Address::tally(space, kind))?;
        Some(Totals::decode(&row.value).expect("a total is 16 bytes long"))
    }
}

fn key(kind: u8, sort: &str) -> RowKey {
    RowKey { kind, sort: Bytes::copy_from_slice(sort.as_bytes()) }
}

fn at(partition: &str, sort: &str) -> Address {
    Address { space: SPACE, partition: Bytes::copy_from_slice(partition.as_bytes()), row: key(0, sort) }
}

fn stored(stamp: u64, value: &str) -> Stored {
    Stored { stamp: Stamp(stamp), value: Bytes::copy_from_slice(value.as_bytes()) }
}

/// A part that does nothing yet.
fn part(partition: &str) -> Part {
    Part {
        space: SPACE,
        partition: Bytes::copy_from_slice(partition.as_bytes()),
        expects: Vec::new(),
        writes: Vec::new(),
        log: None,
        tallies: Vec::new(),
    }
}

impl Part {
    fn put(mut self, sort: &str, stamp: u64, value: &str) -> Part {
        self.writes.push(Write::Put { row: key(0, sort), stored: stored(stamp, value) });
        self
    }

    fn put_key(mut self, row: RowKey, stamp: u64) -> Part {
        self.writes.push(Write::Put { row, stored: stored(stamp, "v") });
        self
    }

    fn delete(mut self, sort: &str) -> Part {
        self.writes.push(Write::Delete { row: key(0, sort) });
        self
    }

    fn expect(self, sort: &str, stamp: Option<u64>) -> Part {
        self.expect_seen(sort, stamp, ReadMark::NONE)
    }

    fn expect_seen(mut self, sort: &str, stamp: Option<u64>, seen: ReadMark) -> Part {
        self.expects.push(Expect { row: key(0, sort), stamp: stamp.map(Stamp), seen });
        self
    }

    fn log(mut self, payload: &str) -> Part {
        self.log = Some(Bytes::copy_from_slice(payload.as_bytes()));
        self
    }

    fn tally(mut self, rows: i64, bytes: i64) -> Part {
        let space = self.space;
        self.tallies.push(crate::Tally { space, kind: 0, rows, bytes });
        self
    }

    fn within(mut self, space: Space) -> Part {
        self.space = space;
        self
    }
}

fn whole_partition(partition: &str) -> RangeRead {
    RangeRead {
        space: SPACE,
        partition: Bytes::copy_from_slice(partition.as_bytes()),
        lower: Bound::Unbounded,
        upper: Bound::Unbounded,
        direction: Direction::Forward,
        limit: ALL,
        freshness: Freshness::Strong,
    }
}

fn whole_space() -> SweepRead {
    SweepRead {
        space: SPACE,
        kind: 0,
        segment: 0,
        segments: 1,
        after: None,
        limit: ALL,
        freshness: Freshness::Strong,
    }
}
