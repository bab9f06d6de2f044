//! What item size costs: the bytes between an item and the next lower step of billing, and what taking them off would save.

use super::{HOUR, Planner, Priced, Prices, Rate};
use crate::catalogue::{Catalogue, Pattern};
use crate::plan::{PatternPlan, sizes};

/// Bytes of a write unit.
const WRITE_STEP: f64 = 1024.0;
/// Bytes of a read unit.
const READ_STEP: f64 = 4096.0;
/// Savings below this many dollars a month are not worth a line.
const LEAST: f64 = 0.01;

/// Bytes that could go, and what that saves.
#[derive(Clone, Debug, PartialEq)]
pub struct NextStep {
    /// What would shrink: `entity Order`, `index Shop.ByDate`, `pattern P3`.
    pub subject: String,
    /// Bytes of one now.
    pub from: f64,
    /// Bytes at the lower step.
    pub to: f64,
    /// Dollars a month for the writes of the whole model, before and after.
    pub writes: [f64; 2],
    /// Dollars a month for the reads of the whole model, before and after.
    pub reads: [f64; 2],
}

impl NextStep {
    /// Dollars a month that it saves.
    pub fn saving(&self) -> f64 {
        self.writes[0] - self.writes[1] + self.reads[0] - self.reads[1]
    }
}

/// All steps that save something, the dearest first. Throughput counts at the price of requests in every mode, as what a unit costs with
/// capacity depends on how well that is used.
pub(super) fn steps(catalogue: &Catalogue, prices: &Prices, planner: Planner<'_>) -> Vec<NextStep> {
    let before = throughput(catalogue, &planner(catalogue), prices);
    let mut found = Vec::new();
    for (subject, from, shrink) in candidates(catalogue) {
        let best = [lower(from, WRITE_STEP), lower(from, READ_STEP)]
            .into_iter()
            .flatten()
            .map(|to| {
                let mut smaller = catalogue.clone();
                shrink(&mut smaller, to);
                let after = throughput(&smaller, &planner(&smaller), prices);
                NextStep {
                    subject: subject.clone(),
                    from,
                    to,
                    writes: [before.0, after.0],
                    reads: [before.1, after.1],
                }
            })
            .filter(|step| step.saving() > LEAST)
            // The step that saves most for each byte.
            .max_by(|a, b| per_byte(a).total_cmp(&per_byte(b)));
        found.extend(best);
    }
    found.sort_by(|a, b| b.saving().total_cmp(&a.saving()).then_with(|| a.subject.cmp(&b.subject)));
    found
}

fn per_byte(step: &NextStep) -> f64 {
    step.saving() / (step.from - step.to)
}

/// The next lower multiple of a step, where there is one.
fn lower(bytes: f64, step: f64) -> Option<f64> {
    let lower = ((bytes / step).ceil() - 1.0) * step;
    (lower > 0.0 && lower < bytes).then_some(lower)
}

/// A change of a catalogue that makes something so many bytes large.
type Shrink = Box<dyn Fn(&mut Catalogue, f64)>;

fn candidates(catalogue: &Catalogue) -> Vec<(String, f64, Shrink)> {
    let mut found: Vec<(String, f64, Shrink)> = Vec::new();
    for entity in &catalogue.entities {
        let Some(bytes) = sizes::entity_bytes(catalogue, entity) else { continue };
        let name = entity.name.clone();
        let shrink = move |smaller: &mut Catalogue, to: f64| {
            for entity in smaller.entities.iter_mut().filter(|entity| entity.name == name) {
                entity.bytes = Some(to);
            }
            for pattern in &mut smaller.patterns {
                if pattern.entities.is_empty() || pattern.entities.iter().any(|(other, _)| *other == name) {
                    resize(pattern, bytes, to);
                }
            }
        };
        found.push((format!("entity {}", entity.name), bytes, Box::new(shrink)));
    }
    for table in &catalogue.tables {
        for index in &table.indexes {
            let Some(bytes) = index.entry_bytes else { continue };
            let (owner, name) = (table.name.clone(), index.name.clone());
            let shrink = move |smaller: &mut Catalogue, to: f64| {
                let tables = smaller.tables.iter_mut().filter(|table| table.name == owner);
                let indexes = tables.flat_map(|table| &mut table.indexes).filter(|index| index.name == name);
                indexes.for_each(|index| index.entry_bytes = Some(to));
            };
            found.push((format!("index {}.{}", table.name, index.name), bytes, Box::new(shrink)));
        }
    }
    for pattern in &catalogue.patterns {
        let Some(bytes) = pattern.item_bytes else { continue };
        if catalogue.entities.iter().any(|entity| sizes::entity_bytes(catalogue, entity) == Some(bytes)) {
            continue;
        }
        let id = pattern.id.clone();
        let shrink = move |smaller: &mut Catalogue, to: f64| {
            smaller
                .patterns
                .iter_mut()
                .filter(|pattern| pattern.id == id)
                .for_each(|pattern| resize(pattern, bytes, to));
        };
        found.push((format!("items of pattern {}", pattern.id), bytes, Box::new(shrink)));
    }
    found
}

/// Sizes that a pattern states for the same items change with them.
fn resize(pattern: &mut Pattern, from: f64, to: f64) {
    let stated =
        pattern.item_bytes.iter_mut().chain(&mut pattern.previous_item_bytes).chain(&mut pattern.item_sizes);
    #[expect(clippy::float_cmp, reason = "the same number, as it was declared twice")]
    stated.filter(|bytes| **bytes == from).for_each(|bytes| *bytes = to);
}

/// Dollars a month for writes and for reads, by request.
fn throughput(catalogue: &Catalogue, plans: &[PatternPlan], prices: &Prices) -> (f64, f64) {
    let month = HOUR * prices.hours();
    let mut dollars = (0.0, 0.0);
    for pattern in &catalogue.patterns {
        let priced = Priced::new(pattern, plans);
        let Some(rate) = priced.average.filter(|_| priced.is_priced()) else { continue };
        for arm in &priced.arms {
            let cheap =
                catalogue.table(&arm.table).is_some_and(|table| table.infrequent_access == Some(true));
            let (write, read) = if cheap {
                (Rate::OnDemandWriteIa, Rate::OnDemandReadIa)
            } else {
                (Rate::OnDemandWrite, Rate::OnDemandRead)
            };
            dollars.0 += rate * arm.write * month * prices.of(write);
            dollars.1 += rate * arm.read * month * prices.of(read);
        }
    }
    dollars
}
