//! A store with a disk that takes its time, and that a crash can cut off: the double under every simulated database.
//!
//! Commits are decided upon when they are handed over, queued, and made durable in groups, as the embedded engine does
//! it. Answers come after delays that the seed draws, so in another order than they were asked for. [`Disk::crash`] takes
//! back what was not synced, except for a prefix of the queue that may have reached the disk without anybody knowing.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_channel::oneshot;
use hashrange_env::Env;
use hashrange_store::{
    Address, Answer, Capabilities, CommitId, Found, Freshness, LeaseRequest, LogPosition, LogRecord,
    LwwWrite, Memory, Outcome, Part, RangePage, RangeRead, ReadMark, Resolution, Space, Store, StoreResult,
    SweepPage, SweepRead, Write,
};
use parking_lot::Mutex;

use crate::oracle::Rng;
use crate::trace::Trace;

/// How long the disk and the way to it take, at most; each call draws its own delays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delays {
    /// Before a read looks, and again before its answer arrives; before the answer of a commit arrives.
    pub call: Duration,
    /// One sync of the disk.
    pub sync: Duration,
    /// Commits are answered before they are synced: a disk that lies, to see that it is found out.
    pub early: bool,
}

/// The store. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Disk {
    env: Env,
    delays: Delays,
    several: bool,
    trace: Arc<Trace>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// What a crash leaves.
    durable: Arc<Memory>,
    /// What was durable a while ago.
    past: Arc<Memory>,
    /// What is durable, with everything that is queued.
    newest: Arc<Memory>,
    queue: VecDeque<Queued>,
    syncing: bool,
    /// Whether reads that may be stale sometimes are.
    stale: bool,
}

#[derive(Debug)]
struct Queued {
    change: Change,
    synced: oneshot::Sender<()>,
}

/// Something that is written.
#[derive(Clone, Debug)]
enum Change {
    Commit(CommitId, Vec<Part>),
    Blind(Vec<LwwWrite>),
    Trim(Space, LogPosition),
    Forget(Space),
    /// Nothing, but answered when all before it is durable.
    Barrier,
}

impl Change {
    /// Whether a row is written, so that its newest state is not durable yet.
    fn touches(&self, at: &Address) -> bool {
        match self {
            Change::Commit(_, parts) => parts.iter().any(|part| part_touches(part, at)),
            Change::Blind(writes) => writes.iter().any(|write| write.address == *at),
            Change::Forget(space) => *space == at.space,
            Change::Trim(..) | Change::Barrier => false,
        }
    }

    fn apply(self, to: &Memory) {
        match self {
            Change::Commit(id, parts) => {
                let outcome = now(to.commit(id, parts));
                assert_eq!(outcome, Outcome::Applied, "a commit is decided upon once, when it is queued");
            }
            Change::Blind(writes) => now(to.put_lww(writes)),
            Change::Trim(space, through) => now(to.log_trim(space, through)),
            Change::Forget(space) => now(to.forget(space)),
            Change::Barrier => {}
        }
    }
}

fn part_touches(part: &Part, at: &Address) -> bool {
    part.space == at.space
        && part.partition == at.partition
        && part.writes.iter().any(|write| match write {
            Write::Put { row, .. } | Write::Delete { row } => *row == at.row,
        })
}

fn is_within_one_partition(parts: &[Part]) -> bool {
    parts.windows(2).all(|two| two[0].space == two[1].space && two[0].partition == two[1].partition)
}

/// What a store in memory answers at once.
fn now<T>(answer: Answer<'_, T>) -> T {
    match answer {
        Answer::Ready(Some(Ok(answer))) => answer,
        _ => unreachable!("a store in memory answers at once and does not fail"),
    }
}

impl Disk {
    /// An empty disk.
    pub fn new(env: Env, delays: Delays, trace: Arc<Trace>) -> Disk {
        let durable = Memory::with_clock(Arc::clone(&env.clock));
        let (past, newest) = (Arc::new(durable.fork()), Arc::new(durable.fork()));
        let state = State {
            durable: Arc::new(durable),
            past,
            newest,
            queue: VecDeque::new(),
            syncing: false,
            stale: false,
        };
        Disk { env, delays, several: true, trace, state: Arc::new(Mutex::new(state)) }
    }

    /// The same disk, which takes commits within one partition only.
    #[must_use]
    pub fn without_multi_part_commits(self) -> Disk {
        Disk { several: false, ..self }
    }

    /// The power fails: what was queued is lost, but for a prefix as long as `rng` says. The tasks that use the disk must
    /// have ended before.
    pub fn crash(&self, rng: &mut Rng) {
        let mut state = self.state.lock();
        let survive = rng.below(state.queue.len() + 1);
        let queue = std::mem::take(&mut state.queue);
        self.trace.note(|| format!("disk: {survive} of {} queued changes survive", queue.len()));
        for queued in queue.into_iter().take(survive) {
            queued.change.apply(&state.durable);
        }
        state.newest = Arc::new(state.durable.fork());
        state.syncing = false;
    }

    /// Whether reads that may be stale ([`Freshness::Any`]) sometimes are from now on: they see what was durable a while
    /// ago.
    pub fn let_reads_be_stale(&self, may: bool) {
        let mut state = self.state.lock();
        state.past = Arc::new(state.durable.fork());
        state.stale = may;
    }

    /// A delay of up to `most`; often none, and then the caller goes on at once.
    async fn pause(&self, most: Duration) {
        let drawn = self.env.random.next_u64();
        let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
        if most == 0 || drawn.is_multiple_of(3) {
            return;
        }
        self.env.tasks.sleep(Duration::from_micros(drawn / 3 % most)).await;
    }

    /// A read at some moment between question and answer.
    fn read<'a, T: Send + Unpin + 'a>(&'a self, look: impl FnOnce(&State) -> T + Send + 'a) -> Answer<'a, T> {
        Answer::later(async move {
            self.pause(self.delays.call).await;
            let found = look(&self.state.lock());
            self.pause(self.delays.call).await;
            Ok(found)
        })
    }

    /// Queues a change that was decided upon; the answer comes when it is durable.
    fn queue(&self, state: &mut State, change: Change) -> oneshot::Receiver<()> {
        let (synced, answer) = oneshot::channel();
        self.trace.note(|| format!("disk: queued {change:?}"));
        state.queue.push_back(Queued { change, synced });
        if !state.syncing {
            state.syncing = true;
            let disk = self.clone();
            self.env.tasks.spawn("sync", Box::pin(async move { disk.sync().await }));
        }
        answer
    }

    /// Makes what is queued durable, group by group, until nothing is.
    async fn sync(&self) {
        loop {
            self.pause(self.delays.sync).await;
            let group = {
                let state = self.state.lock();
                let longest = usize::try_from(self.env.random.next_u64() % 8).unwrap_or(0) + 1;
                state.queue.len().min(longest)
            };
            // A sync takes its time, and a crash in it takes back what it was about.
            self.pause(self.delays.sync).await;
            let mut state = self.state.lock();
            let group: Vec<Queued> = state.queue.drain(..group).collect();
            self.trace.note(|| format!("disk: synced {} changes", group.len()));
            if state.stale && self.env.random.next_u64().is_multiple_of(3) {
                state.past = Arc::new(state.durable.fork());
            }
            for queued in group {
                queued.change.apply(&state.durable);
                // Nobody may be waiting any more.
                let _ = queued.synced.send(());
            }
            if state.queue.is_empty() {
                state.syncing = false;
                return;
            }
        }
    }

    /// The answer to a change: late, and later than the sync.
    fn when_synced<'a, T: Send + Unpin + 'a>(
        &'a self,
        synced: oneshot::Receiver<()>,
        answer: T,
    ) -> Answer<'a, T> {
        Answer::later(async move {
            if !self.delays.early && synced.await.is_err() {
                // The disk was cut off: nobody is told anything.
                std::future::pending::<()>().await;
            }
            self.pause(self.delays.call).await;
            Ok(answer)
        })
    }

    fn change(&self, change: Change) -> Answer<'_, ()> {
        let synced = {
            let mut state = self.state.lock();
            change.clone().apply(&state.newest);
            self.queue(&mut state, change)
        };
        self.when_synced(synced, ())
    }

    /// The durable state that a read sees.
    fn seen<'s>(&self, state: &'s State, freshness: Freshness) -> &'s Memory {
        let may_be_stale = state.stale && freshness == Freshness::Any;
        if may_be_stale && self.env.random.next_u64().is_multiple_of(2) {
            &state.past
        } else {
            &state.durable
        }
    }

    fn row(&self, state: &State, at: &Address, freshness: Freshness) -> Found {
        match freshness {
            Freshness::Newest if at.space != Space::TALLIES => Disk::newest(state, at),
            _ => now(self.seen(state, freshness).get(at, freshness)),
        }
    }

    /// Reads those of the rows that are in the same partition as the `first`.
    fn look_at_partition(
        &self,
        at: &[Address],
        first: usize,
        freshness: Freshness,
        found: &mut [Option<Found>],
    ) {
        let state = self.state.lock();
        let seen = self.seen(&state, freshness);
        for (address, found) in at.iter().zip(found).skip(first) {
            if address.space == at[first].space && address.partition == at[first].partition {
                *found = Some(match freshness {
                    Freshness::Newest => self.row(&state, address, freshness),
                    Freshness::Strong | Freshness::Any => now(seen.get(address, freshness)),
                });
            }
        }
    }

    /// The newest state of a row, and whether it is durable.
    fn newest(state: &State, at: &Address) -> Found {
        let mut found = now(state.newest.get(at, Freshness::Newest));
        found.durable = !state.queue.iter().any(|queued| queued.change.touches(at));
        found.mark = ReadMark::NONE;
        found
    }
}

impl Store for Disk {
    fn capabilities(&self) -> Capabilities {
        Capabilities { multi_part_commits: self.several, durable: true }
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        self.read(move |state| self.row(state, at, freshness))
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        Answer::later(async move {
            let mut found = vec![None; at.len()];
            for first in 0..at.len() {
                // The rows of one partition at one instant, those of the next at another one.
                if found[first].is_none() {
                    self.pause(self.delays.call).await;
                    self.look_at_partition(at, first, freshness, &mut found);
                }
            }
            self.pause(self.delays.call).await;
            Ok(found.into_iter().flatten().collect())
        })
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        self.read(|state| now(self.seen(state, range.freshness).range(range)))
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        self.read(|state| now(self.seen(state, sweep.freshness).sweep(sweep)))
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        assert!(self.several || is_within_one_partition(&parts), "a commit over several partitions");
        let mut state = self.state.lock();
        match now(state.newest.commit(id, parts.clone())) {
            Outcome::Applied => {
                let synced = self.queue(&mut state, Change::Commit(id, parts));
                self.when_synced(synced, Outcome::Applied)
            }
            Outcome::Refused { row, .. } => {
                let current = Disk::newest(&state, &row);
                Answer::later(async move {
                    self.pause(self.delays.call).await;
                    Ok(Outcome::Refused { row, current })
                })
            }
            Outcome::Unknown => unreachable!("a store in memory knows"),
        }
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        let mut state = self.state.lock();
        let resolution = now(state.newest.resolve(id));
        let synced = self.queue(&mut state, Change::Barrier);
        self.when_synced(synced, resolution)
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        self.change(Change::Blind(writes))
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        self.read(move |state| now(state.durable.log_read(space, after, limit)))
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        self.change(Change::Trim(space, through))
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        let held = now(self.state.lock().newest.lease(request));
        Answer::ready(StoreResult::Ok(held))
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        self.change(Change::Forget(space))
    }
}
