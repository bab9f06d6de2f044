//! The one thread that writes: it takes what is queued as one group, makes it durable with one sync, and
//! only then publishes and answers it. There is no timer: while one group is synced, the next one fills.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use fjall::{UserKey, UserValue};
use foldhash::fast::RandomState;
use hashrange_store::{Address, Resolution, Space, StoreError, StoreResult, Totals};
use parking_lot::MutexGuard;

use crate::ahead::Ahead;
use crate::cleaning::Cleaning;
use crate::hot::HotCounter;
use crate::keys;
use crate::learn::Learner;
use crate::sequence::{Sealed, Watermark};
use crate::shared::{
    Phase, Published, Queue, Renewal, Request, SLOTS, Shared, decode_stored, encode_stored, slot_of,
};
use crate::tree::{MEMTABLE_BYTES, Op, Table, write_error};

/// A group ends with the request that reaches either limit.
const GROUP_REQUESTS_MAX: usize = 1000;
const GROUP_BYTES_MAX: usize = 4 << 20;
/// Totals kept in memory; beyond, all are dropped and read again when needed.
const TOTALS_MAX: usize = 10_000;
/// Groups between two cleaning steps while the queue never runs empty.
const GROUPS_PER_CLEANING: u32 = 32;

/// How often the writer lets others run before it takes a group smaller than the one before.
const YIELDS_MAX: u32 = 4;

/// The writer thread's own state.
#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    totals: HashMap<UserKey, Totals, RandomState>,
    hot: HotCounter,
    learner: Learner,
    cleaning: Cleaning,
    ahead: Ahead,
    groups_since_cleaning: u32,
    /// Requests in the group before.
    last_group: usize,
    watermark: Watermark,
    /// Number of the last commit of the batch before.
    last_written: u64,
}

/// What the writer does next.
enum Task {
    Group(Vec<Request>),
    Clean,
    Learn,
    Renew(Renewal),
    Stop,
}

impl Writer {
    pub(crate) fn new(shared: Arc<Shared>, cleaning: Cleaning, watermark: Watermark) -> Writer {
        let hot = HotCounter::new(SLOTS, MEMTABLE_BYTES);
        let ahead = Ahead::new(shared.tree.folder());
        let learner = Learner::new(shared.rules);
        let last_written = shared.published().sequence;
        Writer {
            shared,
            totals: HashMap::default(),
            hot,
            learner,
            cleaning,
            ahead,
            groups_since_cleaning: 0,
            last_group: 0,
            watermark,
            last_written,
        }
    }

    /// Works until the store closes or fails.
    pub(crate) fn run(mut self) {
        let _guard = FailOnUnwind(Arc::clone(&self.shared));
        loop {
            let done = match self.next_task() {
                Task::Group(group) => self.write_group(group),
                Task::Clean => self.clean(),
                Task::Learn => {
                    self.learn();
                    Ok(())
                }
                Task::Renew(renewal) => self.renew(renewal),
                Task::Stop => break,
            };
            if let Err(error) = done {
                fail(&self.shared, &error);
                break;
            }
        }
        self.watermark.sync();
    }

    fn next_task(&mut self) -> Task {
        let mut yields = 0;
        let mut queue = self.shared.queue.lock();
        loop {
            let overdue = self.groups_since_cleaning >= GROUPS_PER_CLEANING;
            if self.cleaning.has_work() && (queue.waiting.is_empty() || overdue) {
                return if !matches!(queue.phase, Phase::Open) && queue.waiting.is_empty() {
                    Task::Stop
                } else {
                    Task::Clean
                };
            }
            if !queue.waiting.is_empty() {
                if queue.waiting.len() < self.last_group && yields < YIELDS_MAX {
                    // Those who were answered just now are about to come back: one sync for all of them.
                    yields += 1;
                    MutexGuard::unlocked(&mut queue, std::thread::yield_now);
                    continue;
                }
                let group = take_group(&mut queue);
                self.last_group = group.len();
                return Task::Group(group);
            }
            if !matches!(queue.phase, Phase::Open) {
                return Task::Stop;
            }
            if self.shared.claims.some() {
                return Task::Learn;
            }
            if let Some(renewal) = queue.renewal.take() {
                return Task::Renew(renewal);
            }
            queue.parked = true;
            self.shared.wake.wait(&mut queue);
        }
    }

    /// Makes a group durable, publishes it, and answers everyone in it.
    fn write_group(&mut self, mut group: Vec<Request>) -> StoreResult<()> {
        self.groups_since_cleaning += 1;
        let last = group.last().expect("a group is taken from a queue that is not empty").sequence;
        let (ops, written) = self.merge(&mut group, last)?;
        let removed = self.learner.will_write(last, &ops);
        if !ops.is_empty() {
            let bytes = ops.iter().map(Op::len).sum();
            self.apply(ops)?;
            self.last_written = last;
            self.watermark.reached(last, bytes);
        }
        self.learner.has_removed(removed);
        let forgotten: Vec<Space> = group.iter().filter_map(|request| request.forget).collect();
        self.publish(last, &forgotten);
        self.retire(&group, written, last);
        self.shared.measures.group(&group);
        for request in group {
            // Nobody listens where the caller gave up waiting.
            let _ = request.reply.send(true);
        }
        self.learn();
        Ok(())
    }

    /// One change per key, the last one: within a batch all changes have the same sequence number, so two of
    /// one key would tie. Keys of the two trees differ in length, so one set does for both. Also returns the row
    /// keys written.
    fn merge(&mut self, group: &mut [Request], last: u64) -> StoreResult<(Vec<Op>, Vec<UserKey>)> {
        let mut ops = Vec::with_capacity(group.len() * 2 + 1);
        let mut written = Vec::with_capacity(group.len() * 2);
        let mut seen = HashSet::with_capacity_and_hasher(group.len() * 2, RandomState::default());
        for request in group.iter_mut().rev() {
            for op in request.ops.drain(..).rev() {
                if !seen.insert(op.key.clone()) {
                    continue;
                }
                if op.table == Table::Rows {
                    let bytes = op.key.len() + op.value.as_ref().map_or(0, |value| value.len());
                    self.hot.wrote(&self.shared.hot, slot_of(&op.key), &op.key, bytes);
                    written.push(op.key.clone());
                }
                ops.push(op);
            }
        }
        self.add_totals(group, &mut ops)?;
        if !ops.is_empty() {
            let sealed = Sealed::encode(last, self.last_written);
            let (key, value) = (keys::last_sequence().into(), Some(UserValue::from(sealed)));
            ops.push(Op { table: Table::Rows, key, value });
        }
        Ok((ops, written))
    }

    fn add_totals(&mut self, group: &[Request], ops: &mut Vec<Op>) -> StoreResult<()> {
        if self.totals.len() > TOTALS_MAX {
            self.totals.clear();
        }
        let mut changed = HashSet::<_, RandomState>::default();
        for tally in group.iter().flat_map(|request| &request.tallies) {
            let key = UserKey::from(keys::at(&Address::tally(tally.space, tally.kind)));
            let before = match self.totals.get(&key) {
                Some(totals) => *totals,
                None => self.load_totals(&key)?,
            };
            self.totals.insert(key.clone(), before.plus(tally.rows, tally.bytes));
            changed.insert(key);
        }
        for key in changed {
            let value = Some(encode_stored(&self.totals[&key].to_row()).into());
            ops.push(Op { table: Table::Rows, key, value });
        }
        Ok(())
    }

    fn load_totals(&self, key: &UserKey) -> StoreResult<Totals> {
        let published = self.shared.published();
        let Some(value) = self.shared.tree.get(&published.instant, Table::Rows, key)? else {
            return Ok(Totals::default());
        };
        Totals::decode(&decode_stored(value)?.value)
            .ok_or_else(|| StoreError::Corrupt("a total is not 16 bytes long".into()))
    }

    /// Lets readers see everything up to `sequence`: it is on the disk now.
    fn publish(&mut self, sequence: u64, forgotten: &[Space]) {
        let before = self.shared.published();
        let mut all = Arc::clone(&before.forgotten);
        if !forgotten.is_empty() {
            Arc::make_mut(&mut all).extend(forgotten);
            self.cleaning.add(forgotten);
        }
        for space in forgotten {
            self.learner.forget(*space);
        }
        let instant = self.shared.tree.instant();
        self.show(Published { instant, sequence, forgotten: all, gaps: self.learner.gaps() });
    }

    fn show(&self, published: Published) {
        self.shared.published.store(Arc::new(published));
    }

    /// Publishes the last state once more, with the gaps that were found in it.
    fn learn(&mut self) {
        if self.learner.learn(&self.shared) {
            let last = self.shared.published();
            let (instant, forgotten) = (last.instant.clone(), Arc::clone(&last.forgotten));
            self.show(Published { instant, sequence: last.sequence, forgotten, gaps: self.learner.gaps() });
        }
    }

    /// Tells the queue that the group is published.
    fn retire(&self, group: &[Request], written: Vec<UserKey>, last: u64) {
        let mut queue = self.shared.queue.lock();
        queue.retire(written, last);
        for id in group.iter().filter_map(|request| request.id) {
            queue.remember(id, Resolution::Applied);
        }
    }

    fn clean(&mut self) -> StoreResult<()> {
        self.groups_since_cleaning = 0;
        let published = self.shared.published();
        let ops = self.cleaning.step(&self.shared.tree, &published.instant)?;
        self.apply(ops)?;
        self.publish(published.sequence, &[]);
        Ok(())
    }

    /// Publishes the last state once more, from the table files as they are now.
    fn renew(&mut self, renewal: Renewal) -> StoreResult<()> {
        let sequence = self.shared.published().sequence;
        self.publish(sequence, &[]);
        if renewal > Renewal::Sources {
            // Nobody writes: nobody needs to know what was written last.
            self.shared.queue.lock().keep_recent(0);
        }
        if renewal == Renewal::LetGo {
            let shared = Arc::clone(&self.shared);
            let key = keys::last_sequence();
            // Not in the condition below: the instant would then stay in use, and its files with it.
            let value = shared.tree.get(&shared.published().instant, Table::Rows, &key)?;
            if let Some(value) = value {
                self.apply(vec![Op { table: Table::Rows, key: key.into(), value: Some(value) }])?;
                self.publish(sequence, &[]);
                shared.tree.let_go_of_merged().map_err(|error| write_error(&error))?;
            }
        }
        Ok(())
    }

    /// Makes changes durable, all or none.
    fn apply(&mut self, ops: Vec<Op>) -> StoreResult<()> {
        let (changes, bytes) = (ops.len(), ops.iter().map(Op::len).sum());
        let tree = &self.shared.tree;
        tree.wait_for_room().map_err(|error| write_error(&error))?;
        let mut batch = tree.batch(ops.len());
        for op in ops {
            tree.add(&mut batch, op);
        }
        let clock = &self.shared.env.clock;
        let started = clock.monotonic();
        batch.commit().map_err(|error| write_error(&error))?;
        self.shared.measures.synced(clock.monotonic().saturating_sub(started));
        self.ahead.appended(changes, bytes);
        Ok(())
    }
}

/// The next requests that fit into one group.
pub(crate) fn take_group(queue: &mut Queue) -> Vec<Request> {
    let mut bytes = 0;
    let mut count = 0;
    for request in queue.waiting.iter().take(GROUP_REQUESTS_MAX) {
        count += 1;
        let values = request.ops.iter().filter_map(|op| op.value.as_ref());
        bytes += values.map(|value| value.len()).sum::<usize>();
        if bytes >= GROUP_BYTES_MAX {
            break;
        }
    }
    queue.waiting.drain(..count).collect()
}

/// Stops taking writes for good. Those who wait learn that nobody knows, because their senders are dropped.
pub(crate) fn fail(shared: &Shared, error: &StoreError) {
    let why = match error {
        StoreError::Failed(why) => Arc::clone(why),
        other => other.to_string().into(),
    };
    tracing::error!(folder = %shared.folder.path().display(), "no more writes are taken, reads go on: {why}");
    let mut queue = shared.queue.lock();
    queue.phase = Phase::Failed(why);
    queue.waiting.clear();
}

/// A panic in the writer must not leave callers waiting for ever.
struct FailOnUnwind(Arc<Shared>);

impl Drop for FailOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            fail(
                &self.0,
                &StoreError::Failed("the writer thread ended unexpectedly; restart the server".into()),
            );
        }
    }
}
