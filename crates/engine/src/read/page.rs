//! Pages of Query and Scan: rows are examined in order until the limit, a megabyte, or the end.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hashrange_api::{Error, QueryOutput, ScanOutput, Select};
use hashrange_item::{Attributes, Image, Lookup, Row, limits};
use hashrange_store::{
    Direction, Freshness, PageLimit, RangePage, RangeRead, RowKey, Stored, SweepPage, SweepRead,
    partition_hash, segment_of,
};

use crate::capacity::{Charge, Traffic, Units};
use crate::check::{CheckedReading, internal};
use crate::core::Core;
use crate::index::Index;
use crate::key::ItemKey;
use crate::plan::{RangePlan, Source, SweepPlan};

/// Rows that are asked of the store at once. A long read gives way to other requests after each such chunk.
const CHUNK_ROWS: usize = 256;

/// What a page came to.
pub(crate) struct Pages {
    /// None where only a count was asked for.
    pub(crate) items: Vec<Image>,
    pub(crate) count: i32,
    pub(crate) scanned: usize,
    /// Bytes examined.
    pub(crate) bytes: usize,
    /// The key of the last row, if the page ended before the rows did.
    pub(crate) last: Option<Attributes>,
    pub(crate) charge: Charge,
}

/// Runs a Query.
pub(crate) async fn query(core: &Core, plan: &RangePlan) -> Result<QueryOutput, Error> {
    let page = range(core, plan).await?;
    Ok(QueryOutput {
        consumed_capacity: page.charge.report(&plan.reading.table_name, plan.reading.consumed),
        count: Some(page.count),
        items: shown(&plan.reading, page.items),
        last_evaluated_key: page.last,
        scanned_count: Some(number(page.scanned)),
    })
}

/// The items, unless only their count was asked for.
fn shown(reading: &CheckedReading, items: Vec<Image>) -> Option<Vec<Image>> {
    (reading.select != Some(Select::Count)).then_some(items)
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Reads a page of a range.
pub(crate) async fn range(core: &Core, plan: &RangePlan) -> Result<Pages, Error> {
    let mut page = Page::new(core, &plan.source, &plan.reading);
    let mut start = plan.start.clone();
    while let Some(limit) = page.room() {
        let mut chunk = core.store.range(range_read(plan, start.as_ref(), limit)).await.map_err(internal)?;
        // Where all of it is hidden by the lag, the next chunk still begins behind it.
        let end = chunk.rows.last().map(|(row, _)| row.clone());
        show_lagging(core, plan, start.as_ref(), &mut chunk);
        page.expect(chunk.rows.len());
        for stored in chunk.rows.into_stored() {
            if let Some(entry) = page.examine(stored)? {
                page.fetch(&entry).await?;
            }
        }
        start = end;
        page.chunk_done(chunk.more).await;
    }
    Ok(page.finish())
}

fn range_read(plan: &RangePlan, start: Option<&RowKey>, limit: PageLimit) -> RangeRead {
    let (after, before) = if plan.forward { (start, None) } else { (None, start) };
    RangeRead {
        space: plan.source.rows().0,
        partition: plan.partition.clone(),
        lower: plan.range.lower(after),
        upper: plan.range.upper(before),
        direction: if plan.forward { Direction::Forward } else { Direction::Backward },
        limit,
        freshness: freshness(&plan.reading),
    }
}

/// Where global indexes lag on purpose, a chunk is shown as it was.
fn show_lagging(core: &Core, plan: &RangePlan, start: Option<&RowKey>, chunk: &mut RangePage) {
    let Some(lag) = core.lag.as_ref().filter(|_| plan.source.is_global()) else { return };
    let end = chunk.rows.last().map(|(row, _)| row.clone()).filter(|_| chunk.more);
    let before = |a: &RowKey, b: &RowKey| if plan.forward { a < b } else { a > b };
    let within = |partition: &Bytes, row: &RowKey| {
        *partition == plan.partition
            && plan.range.contains(row)
            && start.is_none_or(|start| before(start, row))
            && end.as_ref().is_none_or(|end| !before(end, row))
    };
    let rows = chunk.rows.iter().cloned();
    let rows = rows.map(|(row, stored)| (plan.partition.clone(), row, stored)).collect();
    let shown = lag.show(&core.env, plan.source.rows().0, rows, within).into_iter();
    let shown = shown.map(|(_, row, stored)| (row, stored));
    chunk.rows = if plan.forward { shown.collect() } else { shown.rev().collect() };
}

/// The same for a chunk of a sweep.
fn sweep_lagging(core: &Core, plan: &SweepPlan, start: Option<&(Bytes, RowKey)>, chunk: &mut SweepPage) {
    let Some(lag) = core.lag.as_ref().filter(|_| plan.source.is_global()) else { return };
    let order = |partition: &Bytes, row: &RowKey| {
        (partition_hash(partition), partition.len(), partition.clone(), row.clone())
    };
    let start = start.map(|(partition, row)| order(partition, row));
    let end = chunk.rows.last().map(|(partition, row, _)| order(partition, row)).filter(|_| chunk.more);
    let within = |partition: &Bytes, row: &RowKey| {
        let at = order(partition, row);
        segment_of(at.0, plan.segments) == plan.segment
            && start.as_ref().is_none_or(|start| *start < at)
            && end.as_ref().is_none_or(|end| at <= *end)
    };
    chunk.rows = lag.show(&core.env, plan.source.rows().0, std::mem::take(&mut chunk.rows), within);
}

/// Runs a Scan.
pub(crate) async fn scan(core: &Core, plan: &SweepPlan) -> Result<ScanOutput, Error> {
    let page = sweep(core, plan).await?;
    Ok(ScanOutput {
        consumed_capacity: page.charge.report(&plan.reading.table_name, plan.reading.consumed),
        count: Some(page.count),
        items: shown(&plan.reading, page.items),
        last_evaluated_key: page.last,
        scanned_count: Some(number(page.scanned)),
    })
}

/// Reads a page of a sweep.
pub(crate) async fn sweep(core: &Core, plan: &SweepPlan) -> Result<Pages, Error> {
    let mut page = Page::new(core, &plan.source, &plan.reading);
    let mut start = plan.start.clone();
    while let Some(limit) = page.room() {
        let mut chunk = core.store.sweep(sweep_read(plan, start.clone(), limit)).await.map_err(internal)?;
        let end = chunk.rows.last().map(|(partition, row, _)| (partition.clone(), row.clone()));
        sweep_lagging(core, plan, start.as_ref(), &mut chunk);
        page.expect(chunk.rows.len());
        for (_, _, stored) in chunk.rows {
            if let Some(entry) = page.examine(stored)? {
                page.fetch(&entry).await?;
            }
        }
        start = end;
        page.chunk_done(chunk.more).await;
    }
    Ok(page.finish())
}

fn sweep_read(plan: &SweepPlan, after: Option<(Bytes, RowKey)>, limit: PageLimit) -> SweepRead {
    let (space, kind) = plan.source.rows();
    SweepRead {
        space,
        kind,
        segment: plan.segment,
        segments: plan.segments,
        after,
        limit,
        freshness: freshness(&plan.reading),
    }
}

fn freshness(reading: &CheckedReading) -> Freshness {
    if reading.consistent { Freshness::Strong } else { Freshness::Any }
}

/// A page in the making.
struct Page<'a> {
    core: &'a Core,
    source: &'a Source,
    reading: &'a CheckedReading,
    items: Vec<Image>,
    count: i32,
    scanned: usize,
    /// Bytes examined, before filter and projection.
    bytes: usize,
    /// Units of items that were fetched from the table for entries of a local index.
    fetched: Units,
    /// The key of the last row, once the page is full.
    last: Option<Attributes>,
    ended: bool,
}

impl<'a> Page<'a> {
    fn new(core: &'a Core, source: &'a Source, reading: &'a CheckedReading) -> Page<'a> {
        Page {
            core,
            source,
            reading,
            items: Vec::new(),
            count: 0,
            scanned: 0,
            bytes: 0,
            fetched: Units::ZERO,
            last: None,
            ended: false,
        }
    }

    /// How much more may be examined; `None` once the page is complete.
    fn room(&self) -> Option<PageLimit> {
        if self.ended || self.is_full() {
            return None;
        }
        let rows = self.reading.limit.map_or(CHUNK_ROWS, |limit| CHUNK_ROWS.min(limit - self.scanned));
        Some(PageLimit { rows, bytes: limits::PAGE_SIZE_MAX - self.bytes })
    }

    /// The page ended at its limit, whether or not anything follows.
    fn is_full(&self) -> bool {
        self.bytes >= limits::PAGE_SIZE_MAX || self.reading.limit.is_some_and(|limit| self.scanned >= limit)
    }

    async fn chunk_done(&mut self, more: bool) {
        self.ended = !more;
        if more && !self.is_full() {
            Yield(false).await;
        }
    }

    /// Makes room for as many items, where items may be kept.
    fn expect(&mut self, rows: usize) {
        if self.reading.select != Some(Select::Count) && self.reading.filter.is_none() {
            self.items.reserve(rows);
        }
    }

    /// Counts a row, and keeps its item; the row is given back where its item must be fetched first.
    fn examine(&mut self, stored: Stored) -> Result<Option<Row>, Error> {
        if self.is_full() {
            return Ok(None);
        }
        let entry = Row::from_bytes(stored.value).map_err(internal)?;
        self.scanned += 1;
        self.bytes += entry.item_size();
        if self.is_full() {
            self.last = Some(key_of(self.source, &entry));
        }
        if self.source.fetch {
            return Ok(Some(entry));
        }
        self.keep(entry);
        Ok(None)
    }

    /// Takes an item into the answer, if the filter lets it through.
    fn keep(&mut self, item: Row) {
        if self.reading.filter.as_ref().is_none_or(|filter| filter.evaluate(Some(&item))) {
            self.count += 1;
            if self.reading.select != Some(Select::Count) {
                self.items.push(self.image(item));
            }
        }
    }

    fn image(&self, item: Row) -> Image {
        match &self.reading.projection {
            None => Image::Row(item),
            Some(projection) => Image::Tree(projection.project(&item)),
        }
    }

    /// Examines the item of a local index's entry; each costs its own read of the table.
    async fn fetch(&mut self, entry: &Row) -> Result<(), Error> {
        let table = &self.source.table;
        let key = ItemKey::of_item(table, &key_of(self.source, entry))?;
        let found = self.core.store.get(&key.address, freshness(self.reading)).await.map_err(internal)?;
        let item = crate::write::stored_row(&found)?;
        let size = item.as_ref().map_or(0, Row::item_size);
        self.fetched += Units::read(size, self.reading.consistent);
        if let Some(item) = item {
            self.keep(item);
        }
        Ok(())
    }

    fn finish(self) -> Pages {
        let charge = self.charge();
        self.core.charge(&self.source.table, &charge, Traffic::Read);
        Pages {
            items: self.items,
            count: self.count,
            scanned: self.scanned,
            bytes: self.bytes,
            last: self.last,
            charge,
        }
    }

    fn charge(&self) -> Charge {
        let read = Units::read(self.bytes, self.reading.consistent);
        let mut charge = Charge::table(self.fetched);
        match self.source.index() {
            None => charge.table = read,
            Some(Index::Local(index)) => drop(charge.locals.insert(index.name.clone(), read)),
            Some(Index::Global(index)) => drop(charge.globals.insert(index.name.clone(), read)),
        }
        charge
    }
}

/// The key attributes of an entry: those of the index and those of the table.
fn key_of(source: &Source, entry: &Row) -> Attributes {
    let mut key = Attributes::new();
    for attribute in source.position_attributes() {
        if let Some(value) = entry.attribute(&attribute.name) {
            key.insert(attribute.name.clone(), value.into_owned());
        }
    }
    key
}

/// Gives other tasks a turn: pending once, ready then.
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
