//! Recorded traffic against a declared catalogue.

use std::collections::BTreeSet;

use super::form::Form;
use super::{Recording, Seen, name};
use crate::catalogue::{Catalogue, Pattern};
use crate::check::{HotKey, Observed};
use crate::finding::Evidence;
use crate::plan::Arm;

/// How far a figure may be from what is declared.
const TOLERANCE: f64 = 0.10;
/// Keys of a pattern that are told to checks.
const HOT_KEYS: usize = 10;

/// What recorded traffic and a declared catalogue say of each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Forms that no pattern declares, most frequent first.
    pub undeclared: Vec<Undeclared>,
    /// Patterns that were never seen, in the order of the catalogue.
    pub unseen: Vec<Unseen>,
    /// Figures that are off by more than a tenth.
    pub drift: Vec<Drift>,
    /// Indexes that nothing read: table, index.
    pub unread: Vec<(String, String)>,
    /// Patterns that were seen.
    pub seen: usize,
    /// What was observed of each pattern that was seen, for checks.
    pub observed: Vec<Observed>,
}

/// A form of request that is not declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Undeclared {
    /// What people call it.
    pub name: String,
    /// Its fingerprint.
    pub fingerprint: String,
    /// Requests.
    pub count: u64,
    /// Most requests in one second.
    pub peak: u64,
    /// Most units of one request.
    pub units_max: f64,
}

/// A pattern that was not seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Why it cannot be compared, where it cannot.
    pub reason: Option<&'static str>,
}

/// A figure that is off.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// The pattern's id.
    pub pattern: String,
    /// Which figure.
    pub figure: &'static str,
    /// What is declared.
    pub declared: f64,
    /// What was observed.
    pub observed: f64,
}

impl Comparison {
    /// Whether traffic is as declared. Patterns that were not seen may come later, and are no difference.
    pub fn is_as_declared(&self) -> bool {
        self.undeclared.is_empty() && self.drift.is_empty()
    }
}

/// Compares.
pub fn compare(recording: &Recording, catalogue: &Catalogue) -> Comparison {
    let forms: Vec<Option<Form>> =
        catalogue.patterns.iter().map(|pattern| Form::of_pattern(catalogue, pattern)).collect();
    let mut found: Vec<Vec<&Seen>> = vec![Vec::new(); forms.len()];
    let mut comparison = Comparison::default();
    let mut read: BTreeSet<(String, String)> = BTreeSet::new();
    for seen in &recording.patterns {
        let form = Form::of_shape(&seen.shape);
        read.extend(form.read_index().map(|(table, index)| (table.to_owned(), index.to_owned())));
        match best(&form, &forms) {
            Some(at) => found[at].push(seen),
            None => comparison.undeclared.push(undeclared(seen)),
        }
    }
    comparison.undeclared.sort_by(|one, other| other.count.cmp(&one.count).then(one.name.cmp(&other.name)));
    for ((pattern, form), seen) in catalogue.patterns.iter().zip(&forms).zip(&found) {
        if seen.is_empty() {
            comparison.unseen.extend(unseen(pattern, form.is_none()));
        } else {
            comparison.seen += 1;
            let observed = observed(recording, pattern, seen);
            drift(recording, pattern, seen, &observed, &mut comparison.drift);
            comparison.observed.push(observed);
        }
    }
    comparison.unread = unread(catalogue, &read);
    comparison
}

/// The declared form that fits best; of equals the first.
fn best(form: &Form, declared: &[Option<Form>]) -> Option<usize> {
    let fits = declared.iter().enumerate().filter_map(|(at, said)| Some((form.fit(said.as_ref()?)?, at)));
    fits.max_by_key(|(fit, at)| (*fit, std::cmp::Reverse(*at))).map(|(_, at)| at)
}

fn undeclared(seen: &Seen) -> Undeclared {
    Undeclared {
        name: name(&seen.shape),
        fingerprint: seen.fingerprint.clone(),
        count: seen.count,
        peak: seen.peak,
        units_max: seen.units_max,
    }
}

/// Patterns that another system serves, and mere needs, cannot be seen.
fn unseen(pattern: &Pattern, unknown: bool) -> Option<Unseen> {
    if pattern.external.is_some() || pattern.operation.is_none() {
        return None;
    }
    let reason = unknown.then_some("its request is not stated in a form that can be compared");
    Some(Unseen { id: pattern.id.clone(), name: pattern.name.clone(), reason })
}

fn unread(catalogue: &Catalogue, read: &BTreeSet<(String, String)>) -> Vec<(String, String)> {
    let all = catalogue
        .tables
        .iter()
        .flat_map(|table| table.indexes.iter().map(|index| (table.name.clone(), index.name.clone())));
    all.filter(|index| !read.contains(index)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "rates and means, for people")]
fn observed(recording: &Recording, pattern: &Pattern, seen: &[&Seen]) -> Observed {
    let sum = |count: fn(&Seen) -> u64| seen.iter().map(|seen| count(seen)).sum::<u64>();
    let answered = sum(|seen| seen.answered).max(1) as f64;
    let count = sum(|seen| seen.count);
    // Pages of one run are requests of their own.
    let runs = count.saturating_sub(sum(|seen| seen.continued)).max(1);
    let mut observed = Observed::of(&pattern.id, Evidence::Traffic);
    observed.runs = runs;
    observed.pages = count as f64 / runs as f64;
    observed.examined = sum(|seen| seen.examined) as f64 / answered * observed.pages;
    observed.returned = sum(|seen| seen.returned) as f64 / answered * observed.pages;
    observed.rate = Some(recording.rate(runs));
    for one in seen {
        let writes = one.shape.writes();
        for arm in &one.arms {
            let units = arm.units / answered * observed.pages;
            let (read, write) = if writes { (0.0, units) } else { (units, 0.0) };
            add(&mut observed.arms, Arm { table: arm.table.clone(), index: arm.index.clone(), read, write });
        }
        observed.hot_keys.extend(hot_keys(recording, one));
    }
    observed.arms.sort_by(|one, other| (&one.table, &one.index).cmp(&(&other.table, &other.index)));
    observed
}

fn add(arms: &mut Vec<Arm>, arm: Arm) {
    match arms.iter_mut().find(|known| known.table == arm.table && known.index == arm.index) {
        Some(known) => {
            known.read += arm.read;
            known.write += arm.write;
        }
        None => arms.push(arm),
    }
}

/// Units per second of the busiest keys: uses at the mean price.
fn hot_keys<'a>(recording: &'a Recording, seen: &'a Seen) -> impl Iterator<Item = HotKey> + 'a {
    seen.top_keys.iter().take(HOT_KEYS).map(|(digest, uses)| {
        let units = recording.rate(*uses) * seen.units_mean() * as_number(recording.sample);
        let (read, write) = if seen.shape.writes() { (0.0, units) } else { (units, 0.0) };
        HotKey { index: seen.shape.index(), key: format!("key {digest}"), read, write }
    })
}

#[expect(clippy::cast_precision_loss, reason = "a sampling rate is small")]
fn as_number(sample: u64) -> f64 {
    sample as f64
}

#[expect(clippy::cast_precision_loss, reason = "rates and means, for people")]
fn drift(
    recording: &Recording,
    pattern: &Pattern,
    seen: &[&Seen],
    observed: &Observed,
    drift: &mut Vec<Drift>,
) {
    let mut look = |figure, declared: Option<f64>, observed: f64, only_more: bool| {
        let Some(declared) = declared else { return };
        let is_off = if only_more { observed > declared + 1e-9 } else { is_off(declared, observed) };
        if is_off {
            drift.push(Drift { pattern: pattern.id.clone(), figure, declared, observed });
        }
    };
    let peak: u64 = seen.iter().map(|seen| seen.peak).sum();
    // Less than a second of traffic has no rate.
    if recording.seconds >= 1.0 {
        look("average rate per second", pattern.avg_rps, observed.rate.unwrap_or_default(), false);
    }
    look("peak rate per second", pattern.peak_rps, peak as f64, false);
    let most = seen.iter().map(|seen| seen.units_max).fold(0.0, f64::max);
    let writes = seen.iter().any(|seen| seen.shape.writes());
    let (read, write) = if writes { (None, Some(most)) } else { (Some(most), None) };
    look("read units, at most", pattern.budget.rcu.filter(|_| read.is_some()), most, true);
    look("write units, at most", pattern.budget.wcu.filter(|_| write.is_some()), most, true);
    if !writes {
        look("items read", pattern.items, observed.examined, false);
    }
    let answered: u64 = seen.iter().map(|seen| seen.answered).sum();
    let bytes: Vec<_> = seen.iter().filter_map(|seen| seen.item_bytes).collect();
    if answered > 0 && !bytes.is_empty() {
        let mean = bytes.iter().map(|(mean, _)| mean).sum::<f64>() / bytes.len() as f64;
        look("bytes of an item", pattern.item_bytes, mean, false);
    }
    let share = |error| seen.iter().map(|seen| seen.failure_share(error)).sum::<f64>() / seen.len() as f64;
    look(
        "share of refused conditions",
        pattern.conditional_fail_rate,
        share("ConditionalCheckFailedException"),
        false,
    );
}

fn is_off(declared: f64, observed: f64) -> bool {
    (observed - declared).abs() > TOLERANCE * declared.abs() + 1e-9
}
