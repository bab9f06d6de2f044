//! How the writer learns of gaps, stretches without rows that scans jump over (`gaps.rs`), and keeps them true.
//!
//! - The key of a removed row that touches a gap joins it: that is how rows that come and go within a gap
//!   leave it whole.
//! - After every few other removals in a partition the writer looks for the nearest rows on both sides of the
//!   last one. If many of the removed rows that it remembers, or a gap, lie between them, that is a gap.
//! - What was removed before the start is not known to it. A scan that was slow walks its way again, and
//!   claims the stretches without rows in which it lost its time. Where such a stretch is a gap already, it was
//!   lost on versions of the row at its end, which is hot then (`hot.rs`).
//!
//! All of this decides only how fast scans are. That gaps are true rests on `will_write`, on `look_around`
//! searching the very snapshot that its result is published with, and on the checks in `accept`.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fjall::UserKey;
use hashrange_store::{Direction, Space};
use parking_lot::Mutex;

use crate::gaps::Gaps;
use crate::keys::{self, Stretch};
use crate::shared::{Published, Shared};
use crate::tree::{Op, Table};

/// Slots of the counters of removals per partition. A collision costs a look around too many.
const PARTITION_SLOTS: usize = 4096;
/// Removed keys that are remembered; beyond, all are forgotten.
const REMOVED_MAX: usize = 8192;
/// Written keys that are remembered: so many writes may come between a claim and its acceptance.
const WRITTEN_MAX: usize = 8192;
/// Claims that wait for the writer.
const CLAIMS_MAX: usize = 64;
/// What a scan needs to walk over one removed row, about: it makes a weight of time.
const STEP_OVER: Duration = Duration::from_nanos(250);

/// When gaps are looked for, and which pages are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Removals in a partition from one look around to the next.
    pub(crate) look_every: u8,
    /// Removed rows from which on jumping over them is cheaper than walking: a jump costs a seek.
    pub(crate) worth: u32,
    /// A scan is slow that takes this long,
    pub(crate) slow_scan: Duration,
    /// and this long per row.
    pub(crate) slow_row: Duration,
    /// Such a scan has lost its time in steps that take this long.
    pub(crate) slow_step: Duration,
    /// Rows from which on a page is kept: one of fewer takes no longer to read than most of what a request does besides.
    pub(crate) page_rows: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            look_every: 16,
            worth: 16,
            slow_scan: Duration::from_micros(200),
            slow_row: Duration::from_micros(20),
            slow_step: Duration::from_micros(50),
            page_rows: 24,
        }
    }
}

/// A reader's word that it saw no row with a key in `from..to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The published instant at which that was so.
    pub(crate) sequence: u64,
    pub(crate) from: Vec<u8>,
    pub(crate) to: Vec<u8>,
    /// The row where it ends, in the direction of the scan.
    pub(crate) row: Option<Vec<u8>>,
    /// What walking over it, and to that row, took.
    pub(crate) took: Duration,
}

/// Claims on their way from readers to the writer.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    waiting: Mutex<Vec<Claim>>,
    some: AtomicBool,
    /// Held by the one reader that looks for its slow steps: they cost a slow scan twice its time again.
    looking: Mutex<()>,
}

impl Claims {
    /// Whether there are any.
    pub(crate) fn some(&self) -> bool {
        self.some.load(Ordering::Acquire)
    }

    pub(crate) fn put(&self, claims: Vec<Claim>) {
        let mut waiting = self.waiting.lock();
        let room = CLAIMS_MAX.saturating_sub(waiting.len());
        waiting.extend(claims.into_iter().take(room));
        self.some.store(true, Ordering::Release);
    }

    fn take(&self) -> Vec<Claim> {
        if !self.some() {
            return Vec::new();
        }
        let mut waiting = self.waiting.lock();
        self.some.store(false, Ordering::Release);
        std::mem::take(&mut waiting)
    }
}

/// The writer's side.
#[derive(Debug)]
pub(crate) struct Learner {
    rules: Rules,
    gaps: Arc<Gaps>,
    /// Removed rows that are in no gap.
    removed: BTreeSet<UserKey>,
    /// Removals since the last look around.
    counts: Box<[u8]>,
    /// Removed rows to look around.
    due: Vec<UserKey>,
    /// The last rows written, each with the instant from which on it is seen.
    written: VecDeque<(u64, Vec<u8>)>,
    /// Rows written up to this instant are no longer all remembered.
    written_forgotten: u64,
}

impl Learner {
    pub(crate) fn new(rules: Rules) -> Learner {
        Learner {
            rules,
            gaps: Arc::default(),
            removed: BTreeSet::new(),
            counts: vec![0; PARTITION_SLOTS].into(),
            due: Vec::new(),
            written: VecDeque::new(),
            written_forgotten: 0,
        }
    }

    /// The gaps to publish next.
    pub(crate) fn gaps(&self) -> Arc<Gaps> {
        Arc::clone(&self.gaps)
    }

    /// Takes the rows that a batch writes out of the gaps. Must be told of every batch that writes rows, before
    /// the state after it is published as `sequence`. Returns the keys of the rows that the batch removes.
    pub(crate) fn will_write(&mut self, sequence: u64, ops: &[Op]) -> Vec<UserKey> {
        let mut removed = Vec::new();
        for op in ops.iter().filter(|op| op.table == Table::Rows) {
            if op.value.is_none() {
                removed.push(op.key.clone());
                continue;
            }
            if self.gaps.contains(&op.key) {
                Arc::make_mut(&mut self.gaps).cut(&op.key, self.rules.worth);
            }
            self.remember_written(sequence, &op.key);
        }
        removed
    }

    fn remember_written(&mut self, sequence: u64, key: &UserKey) {
        let mut copy = Vec::new();
        if self.written.len() == WRITTEN_MAX
            && let Some((oldest, bytes)) = self.written.pop_front()
        {
            self.written_forgotten = oldest;
            copy = bytes;
        }
        // Not the key itself, which would keep its whole row in memory.
        copy.clear();
        copy.extend_from_slice(key);
        self.written.push_back((sequence, copy));
    }

    /// Hears of rows that a batch has removed, before the state after it is published.
    pub(crate) fn has_removed(&mut self, removed: Vec<UserKey>) {
        for key in removed {
            let Some((space, partition)) = keys::partition_of(&key) else { continue };
            if !keys::is_writable(space) {
                continue;
            }
            if self.gaps.touches(&key) {
                Arc::make_mut(&mut self.gaps).add(&key, &keys::next(&key), 1);
                continue;
            }
            if self.removed.len() >= REMOVED_MAX {
                self.removed.clear();
            }
            self.removed.insert(key.clone());
            let count = &mut self.counts[crate::shared::slot_of(partition) % PARTITION_SLOTS];
            *count += 1;
            if *count >= self.rules.look_every {
                *count = 0;
                self.due.push(key);
            }
        }
    }

    /// Drops what it knows of a space.
    pub(crate) fn forget(&mut self, space: Space) {
        Arc::make_mut(&mut self.gaps).forget(space);
        let prefix = keys::space_prefix(space);
        self.removed.retain(|key| !key.starts_with(&prefix));
    }

    /// Learns what it has to, once all batches are published; true where the gaps have changed.
    pub(crate) fn learn(&mut self, shared: &Shared) -> bool {
        let (before, published) = (Arc::clone(&self.gaps), shared.published());
        for key in std::mem::take(&mut self.due) {
            if !self.gaps.contains(&key) {
                self.look_around(shared, &published, &key);
            }
        }
        for claim in shared.claims.take() {
            self.accept(&claim);
        }
        !Arc::ptr_eq(&before, &self.gaps)
    }

    /// Looks for the nearest rows before and after a removed one in the last published state.
    fn look_around(&mut self, shared: &Shared, published: &Published, key: &UserKey) {
        let Some((start, end)) = keys::partition_edges(key) else { return };
        let nearest = |lower: &[u8], upper: &[u8], direction| {
            let stretch = Stretch { lower: lower.into(), upper: upper.into(), direction };
            shared.first_key(published, &self.gaps, stretch)
        };
        // A row that cannot be read is for those to hear of who ask for it.
        let Ok(row_before) = nearest(&start, key, Direction::Backward) else { return };
        let Ok(row_after) = nearest(key, &end, Direction::Forward) else { return };
        let from = row_before.map_or(start, |row| keys::next(&row));
        let to = row_after.unwrap_or(end);
        self.found_none(&from, &to);
    }

    /// There is no row in `from..to`: a gap from the first to the last removed row in it, where that pays. Not wider,
    /// because the next rows may well be written outside: before the first in a stack, after the last in a queue.
    fn found_none(&mut self, from: &[u8], to: &[u8]) {
        if from >= to {
            return;
        }
        let range = (std::ops::Bound::Included(from), std::ops::Bound::Excluded(to));
        let removed: Vec<UserKey> = self.removed.range::<[u8], _>(range).cloned().collect();
        let weight = u32::try_from(removed.len()).unwrap_or(u32::MAX);
        let (first, last) = (self.gaps.first_in(from, to, false), self.gaps.first_in(from, to, true));
        if weight < self.rules.worth && first.is_none() {
            return;
        }
        let low = removed.first().into_iter().chain(first.map(|(from, _)| from)).min().cloned();
        let high = removed.last().map(|key| UserKey::from(keys::next(key)));
        let high = high.into_iter().chain(last.map(|(_, to)| to.clone())).max();
        if let (Some(low), Some(high)) = (low, high) {
            Arc::make_mut(&mut self.gaps).add(&low, &high, weight);
        }
        for key in removed {
            self.removed.remove(&key);
        }
    }

    /// Takes over a claim if it still holds: it held at its instant, the rows written since then are all
    /// remembered, and none of them lies in it. So none is there in the last published state either.
    fn accept(&mut self, claim: &Claim) {
        let inside = |key: &[u8]| &claim.from[..] <= key && key < &claim.to[..];
        let since = self.written.iter().rev().take_while(|(sequence, _)| *sequence > claim.sequence);
        if claim.sequence < self.written_forgotten || since.into_iter().any(|(_, key)| inside(key)) {
            return;
        }
        let weight = claim.took.as_nanos() / STEP_OVER.as_nanos();
        let weight = u32::try_from(weight).unwrap_or(u32::MAX).max(self.rules.worth);
        Arc::make_mut(&mut self.gaps).add(&claim.from, &claim.to, weight);
    }
}

impl Shared {
    /// The first key that a scan finds.
    fn first_key(
        &self,
        published: &Published,
        gaps: &Gaps,
        stretch: Stretch,
    ) -> hashrange_store::StoreResult<Option<Vec<u8>>> {
        let mut first = None;
        let detours = self.detours(gaps);
        self.tree.scan(&published.instant, Table::Rows, stretch, &detours, &mut |key, _| {
            first = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(first)
    }

    /// Whether a scan that found so many rows lost its time somewhere.
    pub(crate) fn was_slow(&self, took: Duration, rows: usize) -> bool {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        took >= self.rules.slow_scan && took >= self.rules.slow_row.saturating_mul(rows)
    }

    /// Walks a slow scan's way within one partition twice more, and claims the stretches in which both took long:
    /// a disk is slow only once, and another thread gets in the way of the same step only seldom.
    pub(crate) fn claim_slow_steps(&self, published: &Published, stretch: &Stretch) {
        let Some(_looking) = self.claims.looking.try_lock() else { return };
        let mut steps = self.slow_steps(published, stretch);
        if !steps.is_empty() {
            let again = self.slow_steps(published, stretch);
            steps.retain(|step| again.iter().any(|other| (&other.from, &other.to) == (&step.from, &step.to)));
        }
        let (known, new): (Vec<Claim>, Vec<Claim>) =
            steps.into_iter().partition(|step| published.gaps.covers(&step.from, &step.to));
        for row in known.iter().filter_map(|step| step.row.as_ref()) {
            self.hot.notice(row);
        }
        if new.is_empty() {
            return;
        }
        self.claims.put(new);
        if std::mem::take(&mut self.queue.lock().parked) {
            self.wake.notify_one();
        }
    }

    fn slow_steps(&self, published: &Published, stretch: &Stretch) -> Vec<Claim> {
        let clock = &self.env.clock;
        let (mut left, mut steps) = (stretch.clone(), Vec::new());
        let mut last = clock.monotonic();
        let mut step = |from: &[u8], to: &[u8], row: Option<&[u8]>| {
            let now = clock.monotonic();
            let took = now.saturating_sub(std::mem::replace(&mut last, now));
            if took >= self.rules.slow_step && steps.len() < CLAIMS_MAX {
                let (from, to, row) = (from.to_vec(), to.to_vec(), row.map(<[u8]>::to_vec));
                steps.push(Claim { sequence: published.sequence, from, to, row, took });
            }
        };
        let detours = self.detours(&published.gaps);
        let walked =
            self.tree.scan(&published.instant, Table::Rows, stretch.clone(), &detours, &mut |key, _| {
                if stretch.direction == Direction::Forward {
                    step(&left.lower, &key, Some(&key));
                    left.lower = keys::next(&key);
                } else {
                    step(&keys::next(&key), &left.upper, Some(&key));
                    left.upper = key.to_vec();
                }
                Ok(ControlFlow::Continue(()))
            });
        step(&left.lower, &left.upper, None);
        // Only a walk to the end has seen that there is nothing.
        if walked.is_ok() { steps } else { Vec::new() }
    }
}
