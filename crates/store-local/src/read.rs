//! Reads of more than one row, and of the log, at the published instant.

use std::ops::ControlFlow;
use std::time::Duration;

use hashrange_store::{
    Bound, Direction, LeaseRequest, LogPosition, LogRecord, PageBudget, PageLimit, RangePage, RangeRead,
    RowKey, Space, StoreError, StoreResult, SweepPage, SweepRead, segment_start,
};

use crate::gaps::Gaps;
use crate::keys::{self, Stretch};
use crate::shared::{Published, Shared, decode_stored};
use crate::tree::{Detours, Op, Table};

/// Rows of a range, and of a sweep, for which room is made at once.
const ROOM: usize = 64;
const SWEEP_ROOM: usize = 256;

impl Shared {
    /// What scans at this published instant need not walk over.
    pub(crate) fn detours<'a>(&'a self, gaps: &'a Gaps) -> Detours<'a> {
        Detours { hot: &self.hot, gaps }
    }

    /// Reads rows of one partition in order.
    pub(crate) fn range(&self, read: &RangeRead) -> StoreResult<RangePage> {
        let published = self.published();
        if published.hides(read.space, &read.partition) {
            return Ok(RangePage::default());
        }
        let prefix = keys::partition_prefix(read.space, &read.partition);
        let mut stretch = range_stretch(&prefix, read);
        let wanted = match self.pages.find(read, &stretch) {
            Ok(page) => return Ok(page),
            Err(wanted) => wanted,
        };
        let start = self.env.clock.monotonic();
        let page = self.fill_page(&published, &prefix, &stretch, read.limit)?;
        let took = self.env.clock.monotonic().saturating_sub(start);
        if self.was_slow(took, page.rows.len()) {
            if page.more
                && let Some((last, _)) = page.rows.last()
            {
                end_after(&mut stretch, &prefix, last);
            }
            self.claim_slow_steps(&published, &stretch);
        }
        if let Some(wanted) = wanted {
            self.pages.keep(wanted, &page, published.sequence);
        }
        Ok(page)
    }

    fn fill_page(
        &self,
        published: &Published,
        prefix: &[u8],
        stretch: &Stretch,
        limit: PageLimit,
    ) -> StoreResult<RangePage> {
        let (mut rows, mut more) = (Vec::with_capacity(limit.rows.min(ROOM)), false);
        let mut budget = PageBudget::new(limit);
        self.look_for_sources(published);
        let detours = self.detours(&published.gaps);
        self.tree.scan(&published.instant, Table::Rows, stretch.clone(), &detours, &mut |key, value| {
            let row = keys::into_row(key, prefix.len()).ok_or_else(bad_key)?;
            let stored = decode_stored(value)?;
            more = budget.ends_after(stored.value.len());
            rows.push((row, stored));
            Ok(if more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(RangePage { rows: rows.into(), more })
    }

    /// Reads rows of a whole space in hash order.
    pub(crate) fn sweep(&self, read: &SweepRead) -> StoreResult<SweepPage> {
        let published = self.published();
        let Some(stretch) = sweep_stretch(read) else { return Ok(SweepPage::default()) };
        let mut page = SweepPage { rows: Vec::with_capacity(read.limit.rows.min(SWEEP_ROOM)), more: false };
        if published.hides(read.space, &[]) {
            return Ok(page);
        }
        self.look_for_sources(&published);
        let mut budget = PageBudget::new(read.limit);
        let detours = self.detours(&published.gaps);
        self.tree.scan(&published.instant, Table::Rows, stretch, &detours, &mut |key, value| {
            let (partition, rest) = keys::split(&key).ok_or_else(bad_key)?;
            if rest.first() != Some(&read.kind) || published.hides(read.space, partition) {
                return Ok(ControlFlow::Continue(()));
            }
            let (partition, row) = keys::into_place(key).ok_or_else(bad_key)?;
            let stored = decode_stored(value)?;
            page.more = budget.ends_after(stored.value.len());
            page.rows.push((partition, row, stored));
            Ok(if page.more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(page)
    }

    /// Reads records of a log after a position.
    pub(crate) fn log_read(
        &self,
        space: Space,
        after: Option<LogPosition>,
        limit: usize,
    ) -> StoreResult<Vec<LogRecord>> {
        let mut records = Vec::new();
        let published = self.published();
        if limit == 0 || published.hides(space, &[]) {
            return Ok(records);
        }
        let stretch = self.log_stretch(space, after, LogPosition(u64::MAX));
        self.tree.scan(
            &published.instant,
            Table::Log,
            stretch,
            &self.detours(&Gaps::default()),
            &mut |key, value| {
                let position = keys::decode_log(&key).ok_or_else(bad_key)?;
                records.push(LogRecord { position, payload: value.into() });
                Ok(if records.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            },
        )?;
        Ok(records)
    }

    /// Removals of the first records of a log, up to and including a position.
    pub(crate) fn log_keys(&self, space: Space, through: LogPosition, limit: usize) -> StoreResult<Vec<Op>> {
        let mut ops = Vec::new();
        let stretch = self.log_stretch(space, None, through);
        let published = self.published();
        self.tree.scan(
            &published.instant,
            Table::Log,
            stretch,
            &self.detours(&Gaps::default()),
            &mut |key, _| {
                ops.push(Op { table: Table::Log, key, value: None });
                Ok(if ops.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            },
        )?;
        Ok(ops)
    }

    fn log_stretch(&self, space: Space, after: Option<LogPosition>, through: LogPosition) -> Stretch {
        let trimmed = self.trimmed.lock().get(&space).copied().map(LogPosition);
        let lower = match after.max(trimmed) {
            Some(position) => keys::next(&keys::log(space, position)),
            None => keys::log(space, LogPosition(0)),
        };
        let upper = keys::next(&keys::log(space, through));
        Stretch { lower, upper, direction: Direction::Forward }
    }

    /// Gives, renews or takes back a lease.
    pub(crate) fn lease(&self, request: LeaseRequest) -> bool {
        let now = self.env.clock.monotonic();
        let mut leases = self.leases.lock();
        let held_by_other = leases
            .get(&request.name)
            .is_some_and(|(holder, until)| *holder != request.holder && *until > now);
        if held_by_other {
            return false;
        }
        if request.duration == Duration::ZERO {
            leases.remove(&request.name);
            return false;
        }
        leases.insert(request.name, (request.holder, now.saturating_add(request.duration)));
        true
    }
}

fn bad_key() -> StoreError {
    StoreError::Corrupt("a key cannot be decoded".into())
}

fn range_stretch(prefix: &[u8], read: &RangeRead) -> Stretch {
    let (lower, upper) = (keys::lower(prefix, &read.lower), keys::upper(prefix, &read.upper));
    Stretch { lower, upper, direction: read.direction }
}

/// Shortens a stretch to what was walked when its last row was found.
fn end_after(stretch: &mut Stretch, prefix: &[u8], last: &RowKey) {
    let edge = Bound::Included(last.clone());
    match stretch.direction {
        Direction::Forward => stretch.upper = keys::upper(prefix, &edge),
        Direction::Backward => stretch.lower = keys::lower(prefix, &edge),
    }
}

/// The stretch of a sweep that is left; `None` where there is no such segment.
fn sweep_stretch(read: &SweepRead) -> Option<Stretch> {
    let first = u64::try_from(segment_start(read.segment, read.segments)).ok()?;
    let lower = match &read.after {
        Some((partition, row)) => keys::next(&keys::row(read.space, partition, row)),
        None => keys::sweep_from(read.space, first),
    };
    let upper = match u64::try_from(segment_start(read.segment.saturating_add(1), read.segments)) {
        Ok(hash) => keys::sweep_from(read.space, hash),
        Err(_) => keys::successor(keys::space_prefix(read.space)),
    };
    Some(Stretch { lower, upper, direction: Direction::Forward })
}
