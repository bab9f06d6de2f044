//! What a model costs each month, and what would cost less.
//!
//! [`cost`] prices the plans of all patterns at their declared rates, the storage of all items and index entries, and what else is
//! charged. For each table it compares the ways to pay: by request, by capacity that is fixed at the peak or follows the load, with
//! reservations, and in either table class. [`set`] changes a number of the model for a what-if.
//!
//! Nothing is made up: a pattern without a rate or a size is not priced, and a note says so.

mod curve;
mod modes;
mod prices;
pub(crate) mod print;
pub mod set;
mod steps;
mod storage;

use std::collections::BTreeMap;

pub use curve::Load;
pub use modes::{BreakEven, Mode, ModeCost};
pub use prices::{Price, PriceError, Prices, Rate};
pub use print::{compare_json, compare_text};
pub use steps::NextStep;

use crate::catalogue::{Catalogue, IndexKind, Pattern, Table};
use crate::plan::{self, Arm, PatternPlan, PlanClass};

/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// What plans the patterns of a catalogue: [`crate::plan::plans`], or plans that a test states.
pub type Planner<'a> = &'a dyn Fn(&Catalogue) -> Vec<PatternPlan>;

/// An amount of money with what it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is: `writes`, `storage`.
    pub what: String,
    /// How much of it, for people: `30.4 GB`.
    pub quantity: String,
    /// Dollars a month.
    pub dollars: f64,
    /// Whether all prices in it are documented; the others print "list price, unverified".
    pub verified: bool,
}

/// What a pattern costs.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternCost {
    /// Its id.
    pub id: String,
    /// What it does.
    pub name: String,
    /// How it reaches its items.
    pub class: PlanClass,
    /// Runs per second: the declared average, or the peak where there is none.
    pub average: Option<f64>,
    /// Runs per second at the worst time.
    pub peak: Option<f64>,
    /// Read units of one run, on average over found and missed items.
    pub read: f64,
    /// Write units of one run, on average over accepted and refused writes.
    pub write: f64,
    /// Of `write`, what refused conditions consume.
    pub refused: f64,
    /// Dollars a month, as its tables are paid.
    pub dollars: f64,
    /// Dollars a month on each table and index.
    pub arms: Vec<(Arm, f64)>,
    /// Why it has no price.
    pub unpriced: Option<String>,
    /// Why it cannot be run, so that nothing bears out what it is said to cost; it has no price of its own then.
    pub not_run: Option<String>,
}

/// What a table, or one of its indexes, costs.
#[derive(Clone, Debug, PartialEq)]
pub struct PartCost {
    /// The index; `None` is the table itself.
    pub index: Option<String>,
    /// The sort of the index.
    pub kind: Option<IndexKind>,
    /// Read units per second.
    pub read: Load,
    /// Write units per second.
    pub write: Load,
    /// Dollars a month for reads.
    pub read_dollars: f64,
    /// Dollars a month for writes.
    pub write_dollars: f64,
    /// Items or entries; `None` where nothing states them.
    pub entries: Option<f64>,
    /// GB, with what billing adds to each.
    pub gigabytes: f64,
    /// Dollars a month for storage.
    pub storage_dollars: f64,
    /// The patterns that read it.
    pub read_by: Vec<String>,
}

impl PartCost {
    /// All that it costs each month; of an index, what dropping it saves.
    pub fn dollars(&self) -> f64 {
        self.read_dollars + self.write_dollars + self.storage_dollars
    }
}

/// What a table costs.
#[derive(Clone, Debug, PartialEq)]
pub struct TableCost {
    /// Its name.
    pub name: String,
    /// How it is paid, in words.
    pub paid: String,
    /// Whether it is in Standard-IA.
    pub infrequent_access: bool,
    /// The table, then its indexes.
    pub parts: Vec<PartCost>,
    /// What is charged besides throughput and storage.
    pub extras: Vec<Line>,
    /// Dollars a month for all of it.
    pub dollars: f64,
    /// The ways to pay for throughput and storage, the declared one first.
    pub modes: Vec<ModeCost>,
    /// What the comparison says.
    pub verdict: Vec<String>,
}

/// What a model costs.
#[derive(Clone, Debug, PartialEq)]
pub struct CostReport {
    /// The model's name.
    pub model: String,
    /// The region of the prices.
    pub region: String,
    /// The day of the prices.
    pub dated: String,
    /// Hours of a month.
    pub hours: f64,
    /// What the total is made of.
    pub lines: Vec<Line>,
    /// Dollars a month.
    pub total: f64,
    /// The patterns, in the order of the model.
    pub patterns: Vec<PatternCost>,
    /// The tables, in the order of the model.
    pub tables: Vec<TableCost>,
    /// At which use which way to pay wins.
    pub break_even: BreakEven,
    /// Items that a few bytes make dearer, the dearest first.
    pub steps: Vec<NextStep>,
    /// What was assumed, and what could not be priced.
    pub notes: Vec<String>,
}

/// Prices a model, with its plans.
pub fn cost(catalogue: &Catalogue, prices: &Prices) -> CostReport {
    cost_with(catalogue, prices, &crate::plan::plans)
}

/// Prices a model, with plans from elsewhere.
pub fn cost_with(catalogue: &Catalogue, prices: &Prices, planner: Planner<'_>) -> CostReport {
    let plans = planner(catalogue);
    let mut notes = prices.notes.clone();
    let priced: Vec<Priced> = catalogue.patterns.iter().map(|pattern| Priced::new(pattern, &plans)).collect();
    let mut tables: Vec<TableCost> = catalogue
        .tables
        .iter()
        .map(|table| table_cost(catalogue, table, &priced, prices, &mut notes))
        .collect();
    free_storage(&mut tables, prices, &mut notes);
    let patterns: Vec<PatternCost> = priced.iter().map(|priced| priced.cost(&tables)).collect();
    note_unpriced(&patterns, &mut notes);
    let lines = summary(&tables, prices);
    CostReport {
        model: catalogue.name.clone(),
        region: prices.region.clone(),
        dated: prices.dated.clone(),
        hours: prices.hours(),
        total: lines.iter().map(|line| line.dollars).sum(),
        lines,
        patterns,
        tables,
        break_even: BreakEven::of(prices),
        steps: steps::steps(catalogue, prices, planner),
        notes,
    }
}

/// A pattern with its arms as they are on average: some writes are refused, some reads find nothing.
struct Priced<'a> {
    pattern: &'a Pattern,
    class: PlanClass,
    arms: Vec<Arm>,
    refused: f64,
    average: Option<f64>,
    peak: Option<f64>,
    why_not: Option<String>,
}

impl<'a> Priced<'a> {
    fn new(pattern: &'a Pattern, plans: &[PatternPlan]) -> Priced<'a> {
        let plan = plans.iter().find(|plan| plan.pattern == pattern.id);
        let average = pattern.avg_rps.or(pattern.peak_rps);
        let peak = pattern.peak_rps.or(pattern.avg_rps).map(|peak| peak.max(average.unwrap_or(peak)));
        let mut arms = plan.map(|plan| plan.arms.clone()).unwrap_or_default();
        let refused = plan.map_or(0.0, |plan| refuse(pattern, plan, &mut arms));
        if let Some(plan) = plan {
            miss(pattern, plan, &mut arms);
        }
        let class = plan.map_or(PlanClass::Unservable, |plan| plan.class);
        let why_not = match class {
            PlanClass::External => Some("served elsewhere"),
            PlanClass::Unservable => Some("no table or index serves it"),
            PlanClass::Vector => None,
            _ if average.is_none() => Some("no rate is declared"),
            _ if arms.is_empty() => Some("sizes are not known"),
            _ => None,
        };
        Priced { pattern, class, arms, refused, average, peak, why_not: why_not.map(str::to_owned) }
    }

    fn is_priced(&self) -> bool {
        self.why_not.is_none()
    }

    /// The pattern's share of what its tables and indexes cost.
    fn cost(&self, tables: &[TableCost]) -> PatternCost {
        let rate = if self.is_priced() { self.average.unwrap_or(0.0) } else { 0.0 };
        let arms: Vec<(Arm, f64)> =
            self.arms.iter().map(|arm| (arm.clone(), arm_dollars(arm, rate, tables))).collect();
        PatternCost {
            id: self.pattern.id.clone(),
            name: self.pattern.name.clone(),
            class: self.class,
            average: self.average,
            peak: self.peak,
            read: self.arms.iter().fold(0.0, |sum, arm| sum + arm.read),
            write: self.arms.iter().fold(0.0, |sum, arm| sum + arm.write),
            refused: self.refused,
            dollars: arms.iter().fold(0.0, |sum, arm| sum + arm.1),
            arms,
            unpriced: self.why_not.clone(),
            not_run: plan::not_built(self.pattern).map(|reason| format!("not run: {reason}")),
        }
    }
}

fn arm_dollars(arm: &Arm, rate: f64, tables: &[TableCost]) -> f64 {
    let table = tables.iter().find(|table| table.name == arm.table);
    let part = table.and_then(|table| table.parts.iter().find(|part| part.index == arm.index));
    let share = |units: f64, load: Load, dollars: f64| {
        if load.average > 0.0 { dollars * units * rate / load.average } else { 0.0 }
    };
    part.map_or(0.0, |part| {
        share(arm.read, part.read, part.read_dollars) + share(arm.write, part.write, part.write_dollars)
    })
}

/// Takes refused conditions into account: they are charged as a write of the stored item, and change no index. Answers the units of one
/// run that go to refusals.
fn refuse(pattern: &Pattern, plan: &PatternPlan, arms: &mut [Arm]) -> f64 {
    let share = pattern.conditional_fail_rate.unwrap_or(0.0).clamp(0.0, 1.0);
    if share == 0.0 {
        return 0.0;
    }
    let doubled = if plan.transaction { 2.0 } else { 1.0 };
    let single = plan.items.is_none_or(|items| items <= 1.0);
    let stored = pattern.previous_item_bytes.filter(|_| single);
    let mut refused = 0.0;
    for arm in arms.iter_mut() {
        if arm.index.is_some() {
            arm.write *= 1.0 - share;
            continue;
        }
        let alone = stored.map_or(arm.write, |bytes| (doubled * write_steps(bytes)).min(arm.write));
        refused += share * alone;
        arm.write = (1.0 - share) * arm.write + share * alone;
    }
    refused
}

/// Takes look-ups that find nothing into account: they are charged the least that a read can be.
fn miss(pattern: &Pattern, plan: &PatternPlan, arms: &mut [Arm]) {
    let share = pattern.non_existent_rate.unwrap_or(0.0).clamp(0.0, 1.0);
    if share == 0.0 || !matches!(plan.class, PlanClass::Get | PlanClass::BatchGet) {
        return;
    }
    let one = if plan.transaction { 2.0 } else { f64::from(u8::from(plan.strong)).mul_add(0.5, 0.5) };
    let least = one * plan.items.unwrap_or(1.0).max(1.0);
    for arm in arms.iter_mut().filter(|arm| arm.read > least) {
        arm.read = (1.0 - share) * arm.read + share * least;
    }
}

/// Write units of an item of so many bytes.
fn write_steps(bytes: f64) -> f64 {
    (bytes / 1024.0).ceil().max(1.0)
}

fn table_cost(
    catalogue: &Catalogue,
    table: &Table,
    priced: &[Priced<'_>],
    prices: &Prices,
    notes: &mut Vec<String>,
) -> TableCost {
    let mut parts = loads(table, priced);
    storage::fill(catalogue, table, &mut parts, prices, notes);
    let modes = modes::compare(table, &parts, prices);
    modes::spread(table, &mut parts, prices);
    let mut extras = storage::extras(catalogue, table, &parts, prices);
    extras.extend(storage::vectors(catalogue, table, priced, prices));
    note_table(table, prices, notes);
    let parts_dollars: f64 = parts.iter().map(PartCost::dollars).sum();
    TableCost {
        name: table.name.clone(),
        paid: modes::paid(table),
        infrequent_access: table.infrequent_access == Some(true),
        dollars: parts_dollars + extras.iter().map(|line| line.dollars).sum::<f64>(),
        verdict: modes::verdict(table, &parts, &modes, prices),
        parts,
        extras,
        modes,
    }
}

/// The load of a table and its indexes.
fn loads(table: &Table, priced: &[Priced<'_>]) -> Vec<PartCost> {
    let names = std::iter::once((None, None))
        .chain(table.indexes.iter().map(|index| (Some(index.name.clone()), Some(index.kind))));
    let mut parts: Vec<PartCost> = names.map(|(index, kind)| empty_part(index, kind)).collect();
    for pattern in priced.iter().filter(|pattern| pattern.is_priced()) {
        let (Some(average), Some(peak)) = (pattern.average, pattern.peak) else { continue };
        for arm in pattern.arms.iter().filter(|arm| arm.table == table.name) {
            let Some(part) = parts.iter_mut().find(|part| part.index == arm.index) else { continue };
            part.read.add(arm.read, average, peak);
            part.write.add(arm.write, average, peak);
            if arm.read > 0.0 {
                part.read_by.push(pattern.pattern.id.clone());
            }
        }
    }
    parts
}

fn empty_part(index: Option<String>, kind: Option<IndexKind>) -> PartCost {
    PartCost {
        index,
        kind,
        read: Load::default(),
        write: Load::default(),
        read_dollars: 0.0,
        write_dollars: 0.0,
        entries: None,
        gigabytes: 0.0,
        storage_dollars: 0.0,
        read_by: Vec::new(),
    }
}

fn note_table(table: &Table, prices: &Prices, notes: &mut Vec<String>) {
    if table.billing.is_none() && table.scaling == [None, None] {
        notes.push(format!("{}: how it is paid is not stated; by request is assumed", table.name));
    }
    if table.stream.is_some() && prices.assumed("stream_polls") == 0.0 {
        notes.push(format!(
            "{}: its stream is taken to be read by Lambda functions or replicas, which is free; `--set assume.stream_polls=4` prices other \
             readers",
            table.name
        ));
    }
    if !table.replicas.is_empty() {
        notes.push(format!("{}: transfer between regions is not priced", table.name));
    }
}

fn note_unpriced(patterns: &[PatternCost], notes: &mut Vec<String>) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for pattern in patterns {
        if let Some(why) = &pattern.unpriced {
            by_reason.entry(why).or_default().push(&pattern.id);
        }
    }
    for pattern in patterns {
        notes.extend(pattern.not_run.as_ref().map(|why| {
            format!("{}: {why}; its searches are an estimate in the line of its table", pattern.id)
        }));
    }
    notes.extend(
        by_reason.into_iter().map(|(why, ids)| format!("not priced, because {why}: {}", ids.join(", "))),
    );
}

/// Takes off the free gigabytes, from the first tables in Standard.
fn free_storage(tables: &mut [TableCost], prices: &Prices, notes: &mut Vec<String>) {
    let mut free = prices.assumed("free_storage_gb");
    if free > 0.0 {
        notes.push(format!("the first {free} GB of storage are free, as `assume.free_storage_gb` says"));
    }
    for table in tables.iter_mut().filter(|table| !table.infrequent_access) {
        for part in &mut table.parts {
            let taken = free.min(part.gigabytes);
            let less = taken * prices.of(Rate::Storage);
            free -= taken;
            part.storage_dollars -= less;
            table.dollars -= less;
        }
    }
}

/// What the total is made of.
fn summary(tables: &[TableCost], prices: &Prices) -> Vec<Line> {
    let parts = || tables.iter().flat_map(|table| &table.parts);
    let months = prices.hours() * HOUR / 1e6;
    let units = |load: f64, unit: &str| {
        format!("{} {unit}/s, {} M", print::figure(load, 1), print::figure(load * months, 1))
    };
    let verified = |provisioned: [Rate; 2]| {
        tables.iter().all(|table| {
            !(table.infrequent_access && table.paid != modes::BY_REQUEST)
                || provisioned.iter().all(|rate| prices.price(*rate).documented)
        })
    };
    let write: f64 = parts().map(|part| part.write.average).sum();
    let read: f64 = parts().map(|part| part.read.average).sum();
    let gigabytes: f64 = parts().map(|part| part.gigabytes).sum();
    let known = verified([Rate::ProvisionedReadIa, Rate::ProvisionedWriteIa]);
    let line = |what: &str, quantity: String, dollars: f64, verified: bool| Line {
        what: what.to_owned(),
        quantity,
        dollars,
        verified,
    };
    let mut lines = vec![
        line("writes", units(write, "WRU"), parts().map(|part| part.write_dollars).sum(), known),
        line("reads", units(read, "RRU"), parts().map(|part| part.read_dollars).sum(), known),
        line(
            "storage",
            format!("{} GB", print::figure(gigabytes, 1)),
            parts().map(|part| part.storage_dollars).sum(),
            true,
        ),
    ];
    for extra in tables.iter().flat_map(|table| &table.extras) {
        match lines.iter_mut().find(|line| line.what == extra.what) {
            Some(line) => {
                line.dollars += extra.dollars;
                line.verified &= extra.verified;
                line.quantity = format!("{} + {}", line.quantity, extra.quantity);
            }
            None => lines.push(extra.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
