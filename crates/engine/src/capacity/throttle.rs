//! Throttling: requests are let in while their tables and indexes have capacity left, and take what they consumed afterwards.
//!
//! A table and each of its global indexes has a bucket for reads and one for writes; local indexes draw on their table.
//! With provisioned capacity a bucket fills at the provisioned rate and keeps five minutes of it; with on-demand capacity
//! only maxima hold requests, with a second's worth. A request is let in while anything is left, whatever it will take: its
//! size is known when it is done. So one large request is never refused for ever, and those after it pay for it by waiting.
//!
//! Writes are let in by their table before anything is read. Which global indexes they touch is known once the new image
//! is: there the write path asks again, and a write whose index has nothing left is refused. (Source: guide, "Burst
//! capacity", "GSI write throttling and back pressure".)
//!
//! Buckets are kept in memory, with their table: a restart forgets debts, and takes what was never used since as unused.
//! Partitions have no buckets of their own.

use std::collections::BTreeMap;

use hashrange_api::{Details, Error, ErrorCode, ThrottlingReason, message};
use hashrange_store::Space;
use parking_lot::Mutex;

use super::bucket::{Bucket, Rate};
use super::{Charge, Traffic, Units};
use crate::catalog::{GlobalIndex, Table};
use crate::core::Core;
use crate::index::Index;
use crate::plan::{Plan, Planned, Source, StatementRun};

/// The buckets of a table and its global indexes, made as they are needed.
#[derive(Debug, Default)]
pub(crate) struct Meters(Mutex<BTreeMap<(Space, Traffic), Bucket>>);

/// What sets a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ceiling {
    /// Provisioned throughput.
    Provisioned,
    /// The maximum of an on-demand table or index.
    OnDemandMaximum,
}

/// What a request draws on: a table, or one of its global indexes.
#[derive(Clone, Copy, Debug)]
struct Arm<'t> {
    table: &'t Table,
    index: Option<&'t GlobalIndex>,
    traffic: Traffic,
}

impl Arm<'_> {
    fn place(&self) -> (Space, Traffic) {
        (self.index.map_or(self.table.space, |index| index.space), self.traffic)
    }

    /// Whether anything is left besides `pending`; the error that says otherwise.
    fn admit(&self, core: &Core, pending: Units) -> Result<(), Error> {
        let rate = self.table.rate(self.index, self.traffic, core);
        match rate {
            Some((ceiling, rate)) if !self.bucket(core, rate, |bucket| bucket.has_more_than(pending)) => {
                Err(self.exceeded(ceiling))
            }
            _ => Ok(()),
        }
    }

    fn take(&self, core: &Core, units: Units) {
        if let Some((_, rate)) = self.table.rate(self.index, self.traffic, core) {
            self.bucket(core, rate, |bucket| bucket.take(units));
        }
    }

    /// Does something with the bucket as it is now.
    fn bucket<T>(&self, core: &Core, rate: Rate, work: impl FnOnce(&mut Bucket) -> T) -> T {
        let now_ms = core.now_ms();
        let mut buckets = self.table.meters.0.lock();
        let bucket = buckets.entry(self.place()).or_insert_with(|| Bucket::new(rate));
        bucket.refill(rate, now_ms);
        work(bucket)
    }

    fn exceeded(&self, ceiling: Ceiling) -> Error {
        let (code, text, limit) = match (ceiling, self.index) {
            (Ceiling::Provisioned, None) => (
                ErrorCode::ProvisionedThroughputExceededException,
                message::throughput::exceeded(),
                "ProvisionedThroughputExceeded",
            ),
            (Ceiling::Provisioned, Some(_)) => (
                ErrorCode::ProvisionedThroughputExceededException,
                message::throughput::index_exceeded(),
                "ProvisionedThroughputExceeded",
            ),
            (Ceiling::OnDemandMaximum, _) => (
                ErrorCode::ThrottlingException,
                message::throughput::maximum_exceeded(),
                "MaxOnDemandThroughputExceeded",
            ),
        };
        let (kind, resource) = match self.index {
            None => ("Table", self.table.arn()),
            Some(index) => ("Index", self.table.index_arn(&index.name)),
        };
        let traffic = match self.traffic {
            Traffic::Read => "Read",
            Traffic::Write => "Write",
        };
        let reason = format!("{kind}{traffic}{limit}");
        let reason = ThrottlingReason { reason: Some(reason), resource: Some(resource) };
        Error::new(code, text).with(Details::ThrottlingReasons(vec![reason]))
    }
}

/// Whether it says so of an index.
pub(crate) fn is_of_index(error: &Error) -> bool {
    let Details::ThrottlingReasons(reasons) = &error.details else { return false };
    reasons.iter().filter_map(|reason| reason.reason.as_deref()).any(|reason| reason.starts_with("Index"))
}

/// Lets a request in, or answers that it has to wait. The entries of batches and the actions of transactions are let in
/// where they are run.
pub(crate) fn admit(core: &Core, plan: &Plan) -> Result<(), Error> {
    if !core.options.throttle {
        return Ok(());
    }
    match &plan.0 {
        Planned::KeyLookup(plan) => core.admit(&plan.table, Traffic::Read),
        Planned::WriteSet(plan) => core.admit(&plan.table, Traffic::Write),
        Planned::RangeRead(plan) => admit_reading(core, &plan.source),
        Planned::SweepSegment(plan) => admit_reading(core, &plan.source),
        Planned::Statement(plan) => admit_run(core, &plan.run),
        Planned::KeyLookups(_)
        | Planned::WriteSets(_)
        | Planned::TransactGet(_)
        | Planned::TransactWrite(_)
        | Planned::Statements(_)
        | Planned::Transaction(_)
        | Planned::Tables(_) => Ok(()),
    }
}

fn admit_run(core: &Core, run: &StatementRun) -> Result<(), Error> {
    match run {
        StatementRun::Lookup(plan) => core.admit(&plan.table, Traffic::Read),
        StatementRun::Write(plan) => core.admit(&plan.table, Traffic::Write),
        StatementRun::Ranges { ranges, .. } => {
            ranges.first().map_or(Ok(()), |plan| admit_reading(core, &plan.source))
        }
        StatementRun::Sweep(plan) => admit_reading(core, &plan.source),
    }
}

fn admit_reading(core: &Core, source: &Source) -> Result<(), Error> {
    let index = match source.index() {
        Some(Index::Global(index)) => Some(index),
        Some(Index::Local(_)) | None => None,
    };
    Arm { table: &source.table, index, traffic: Traffic::Read }.admit(core, Units::ZERO)
}

impl Core {
    /// Whether the table has capacity left.
    pub(crate) fn admit(&self, table: &Table, traffic: Traffic) -> Result<(), Error> {
        if !self.options.throttle {
            return Ok(());
        }
        Arm { table, index: None, traffic }.admit(self, Units::ZERO)
    }

    /// Whether the global indexes that a write of this charge touches have capacity left.
    pub(crate) fn admit_indexes(&self, table: &Table, charge: &Charge) -> Result<(), Error> {
        if !self.options.throttle {
            return Ok(());
        }
        let traffic = Traffic::Write;
        touched(table, charge)
            .try_for_each(|(index, _)| Arm { table, index: Some(index), traffic }.admit(self, Units::ZERO))
    }

    /// Takes what was consumed.
    pub(crate) fn charge(&self, table: &Table, charge: &Charge, traffic: Traffic) {
        if !self.options.throttle {
            return;
        }
        let own = charge.locals.values().fold(charge.table, |sum, units| sum + *units);
        if own > Units::ZERO {
            Arm { table, index: None, traffic }.take(self, own);
        }
        for (index, units) in touched(table, charge) {
            Arm { table, index: Some(index), traffic }.take(self, units);
        }
    }
}

/// The global indexes that were charged.
fn touched<'t>(table: &'t Table, charge: &'t Charge) -> impl Iterator<Item = (&'t GlobalIndex, Units)> {
    let indexes = table.schema.globals.iter();
    let charged = |index: &'t GlobalIndex| Some((index, *charge.globals.get(&index.name)?));
    indexes.filter_map(charged).filter(|(_, units)| *units > Units::ZERO)
}

/// Lets the entries of one batch in, one after the other: each counts what those before it will consume at least.
#[derive(Debug)]
pub(crate) struct Gate<'c> {
    core: &'c Core,
    pending: BTreeMap<(Space, Traffic), Units>,
}

impl<'c> Gate<'c> {
    /// Where nothing was let in yet.
    pub(crate) fn new(core: &'c Core) -> Gate<'c> {
        Gate { core, pending: BTreeMap::new() }
    }

    /// Lets an entry in that consumes `least` or more on its table.
    pub(crate) fn admit(&mut self, table: &Table, traffic: Traffic, least: Units) -> Result<(), Error> {
        if !self.core.options.throttle {
            return Ok(());
        }
        let arm = Arm { table, index: None, traffic };
        let pending = self.pending.entry(arm.place()).or_default();
        arm.admit(self.core, *pending)?;
        *pending += least;
        Ok(())
    }

    /// Lets a statement in that is a read of one item or a write.
    pub(crate) fn admit_run(&mut self, run: &StatementRun) -> Result<(), Error> {
        match run {
            StatementRun::Lookup(plan) => {
                self.admit(&plan.table, Traffic::Read, Units::read(0, plan.get.consistent))
            }
            StatementRun::Write(plan) => self.admit(&plan.table, Traffic::Write, plan.image.least_units()),
            StatementRun::Ranges { .. } | StatementRun::Sweep(_) => admit_run(self.core, run),
        }
    }
}

impl Meters {
    /// Forgets the buckets of spaces that are not in use any more.
    pub(crate) fn keep_only(&self, is_in_use: impl Fn(Space) -> bool) {
        self.0.lock().retain(|(space, _), _| is_in_use(*space));
    }
}
