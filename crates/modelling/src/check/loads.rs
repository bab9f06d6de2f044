//! Units per second that the busiest key of each key space must serve at the worst time.
//!
//! A *key space* is the partition keys that one template makes in one table or index: `STATUS#{status}` in `ByStatus`. Its load is the sum
//! over patterns of peak rate x units of the arm x share of the busiest value. Patterns are taken to be busiest on the same value.

use std::collections::BTreeMap;

use super::context::peak;
use super::statistics::Column;
use super::{Context, Kind};
use crate::catalogue::{IndexKind, Keys, Pattern};
use crate::finding::{Evidence, Subject};
use crate::plan::shards::{is_shard, shards};
use crate::plan::{Arm, PatternPlan, PlanClass, float};
use crate::skew::{Access, Skew, whole};
use crate::template::{Part, Template};

/// A key space: table, index, and the key without the names of its gaps.
type Place = (String, Option<String>, String);

/// What the busiest key of one key space serves.
#[derive(Clone, Debug)]
pub(crate) struct KeyLoad {
    /// The table.
    pub table: String,
    /// The index; `None` is the table.
    pub index: Option<String>,
    /// The template of the partition key, as people write it; several attributes with commas.
    pub key: String,
    /// The names of the kinds of item in it.
    pub kinds: Vec<String>,
    /// What varies in the key; the columns of all partition key attributes.
    pub columns: Vec<Column>,
    /// Read units per second of the busiest key.
    pub read: f64,
    /// Write units per second of the busiest key.
    pub write: f64,
    /// Units per second over all keys, read then write.
    pub totals: [f64; 2],
    /// The largest share of the busiest key among its patterns.
    pub share: f64,
    /// The patterns that read or write it.
    pub patterns: Vec<String>,
    /// What each pattern adds to the busiest key, in units per second: reads, then writes.
    pub added: [Vec<(f64, String)>; 2],
    /// Patterns whose share, rate or units are not known.
    pub unknown: Vec<String>,
    /// Units of one run on the busiest key, for patterns of unknown rate: the most of them, read then write.
    pub unrated: [f64; 2],
    /// Whether all reads go through a cache, by declaration.
    pub cached: bool,
    /// What the shares rest on.
    pub evidence: Evidence,
}

impl KeyLoad {
    /// The subject of findings about it.
    pub(crate) fn subject(&self) -> Subject {
        match &self.index {
            Some(index) => Subject::Index(self.table.clone(), index.clone()),
            None => Subject::Table(self.table.clone()),
        }
    }

    /// The patterns that add most reads (0) or writes (1) to the busiest key, at most three.
    pub(crate) fn main_patterns(&self, at: usize) -> String {
        let mut added = self.added[at].clone();
        added.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut ids: Vec<String> = added.into_iter().map(|(_, id)| id).collect();
        ids.dedup();
        let more = if ids.len() > 3 { " and others" } else { "" };
        ids.truncate(3);
        ids.join(", ") + more
    }

    /// How many keys there are, by declaration.
    pub(crate) fn distinct(&self) -> Option<f64> {
        self.columns.iter().map(Column::distinct).product()
    }

    /// Whether it has but one key.
    pub(crate) fn is_constant(&self) -> bool {
        self.columns.iter().all(Column::is_constant)
    }
}

/// The load of each key space, by table, index and key.
pub(crate) fn loads(context: &Context<'_>) -> Vec<KeyLoad> {
    let mut loads: BTreeMap<Place, KeyLoad> = spaces(context);
    for (pattern, plan) in context.patterns() {
        for arm in &plan.arms {
            add_arm(context, pattern, plan, arm, &mut loads);
        }
    }
    loads.into_values().collect()
}

/// Every key space that declared kinds or samples have, without load.
fn spaces(context: &Context<'_>) -> BTreeMap<Place, KeyLoad> {
    let mut loads = BTreeMap::new();
    for kind in context.samples.kinds() {
        // Entries of a local index lie in the partition of their items.
        let global = kind.schema.indexes.iter().filter(|index| index.kind == IndexKind::Global);
        let indexes = global.map(|index| (Some(index.name.clone()), &index.keys));
        for (index, keys) in std::iter::once((None, &kind.schema.keys)).chain(indexes) {
            let Some((key, columns)) = space(context, kind, keys) else { continue };
            let place = (kind.table.to_owned(), index.clone(), normal(&key));
            let load: &mut KeyLoad =
                loads.entry(place).or_insert_with(|| KeyLoad::new(kind, index, key, columns));
            load.kinds.push(kind.name.clone());
        }
    }
    loads
}

impl KeyLoad {
    fn new(kind: &Kind<'_>, index: Option<String>, key: String, columns: Vec<Column>) -> KeyLoad {
        KeyLoad {
            table: kind.table.to_owned(),
            index,
            key,
            kinds: Vec::new(),
            columns,
            read: 0.0,
            write: 0.0,
            totals: [0.0; 2],
            share: 0.0,
            patterns: Vec::new(),
            added: [Vec::new(), Vec::new()],
            unknown: Vec::new(),
            unrated: [0.0; 2],
            cached: true,
            evidence: Evidence::Declared,
        }
    }
}

/// The partition key of a kind in a table or index: as text, and what varies in it. `None` where its items are not there.
fn space(context: &Context<'_>, kind: &Kind<'_>, keys: &Keys) -> Option<(String, Vec<Column>)> {
    let columns: Option<Vec<Column>> =
        keys.hash.iter().map(|attribute| context.column(kind, attribute).cloned()).collect();
    let columns = columns.filter(|columns| !columns.is_empty())?;
    let texts: Vec<String> = columns.iter().filter_map(|c| Some(c.template.as_ref()?.to_string())).collect();
    Some((texts.join(", "), columns))
}

/// The key without the names of its gaps: two entities may call the same thing by two names.
fn normal(key: &str) -> String {
    let Ok(template) = Template::parse(key) else { return key.to_owned() };
    let piece = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Gap { .. } => "{}".to_owned(),
    };
    template.parts().iter().map(piece).collect()
}

fn add_arm(
    context: &Context<'_>,
    pattern: &Pattern,
    plan: &PatternPlan,
    arm: &Arm,
    loads: &mut BTreeMap<Place, KeyLoad>,
) {
    let spread = matches!(plan.class, PlanClass::Scan | PlanClass::IndexScan | PlanClass::Vector);
    let Some(table) = context.catalogue.table(&arm.table).filter(|_| !spread) else { return };
    let index = arm.index.as_ref().and_then(|name| table.index(name));
    let index = index.filter(|index| index.kind != IndexKind::Local);
    let keys = index.map_or(&table.keys, |index| &index.keys);
    let name = index.map(|index| index.name.clone());
    let mut weights: BTreeMap<Place, f64> = BTreeMap::new();
    for (kind, weight) in context.touched(pattern).filter(|(kind, _)| kind.table == table.name) {
        if let Some((key, _)) = space(context, kind, keys) {
            *weights.entry((table.name.clone(), name.clone(), normal(&key))).or_default() += weight;
        }
    }
    let all: f64 = weights.values().sum();
    for (place, weight) in weights {
        if let Some(load) = loads.get_mut(&place) {
            let shares = [Access::Read, Access::Write]
                .map(|access| share(pattern, plan, load, access, sharded(context, pattern, load)));
            load.add(pattern, arm, weight / all, shares);
        }
    }
}

impl KeyLoad {
    fn add(&mut self, pattern: &Pattern, arm: &Arm, weight: f64, shares: [Option<(f64, Evidence)>; 2]) {
        let units = [arm.read * weight, arm.write * weight];
        let mut known = true;
        for (at, (units, share)) in units.into_iter().zip(shares).enumerate() {
            if units <= 0.0 {
                continue;
            }
            match (peak(pattern), share) {
                (Some(rate), Some((share, evidence))) => {
                    self.count(at, [rate, units], share, evidence);
                    self.added[at].push((rate * units * share, pattern.id.clone()));
                }
                (None, Some((share, _))) => {
                    self.unrated[at] = self.unrated[at].max(units * share);
                    known = false;
                }
                (rate, None) => {
                    self.totals[at] += units * rate.unwrap_or(0.0);
                    known = false;
                }
            }
        }
        if units[0] > 0.0 && !pattern.declared.cached {
            self.cached = false;
        }
        if !known && !self.unknown.contains(&pattern.id) {
            self.unknown.push(pattern.id.clone());
        }
        if units.iter().any(|units| *units > 0.0) && !self.patterns.contains(&pattern.id) {
            self.patterns.push(pattern.id.clone());
        }
    }

    fn count(&mut self, at: usize, [rate, units]: [f64; 2], share: f64, evidence: Evidence) {
        let load = rate * units * share;
        if at == 0 {
            self.read += load;
        } else {
            self.write += load;
        }
        self.totals[at] += rate * units;
        self.share = self.share.max(share);
        self.evidence = self.evidence.max(evidence);
    }
}

/// Over how many shards a pattern spreads each key of a key space.
fn sharded(context: &Context<'_>, pattern: &Pattern, load: &KeyLoad) -> Option<f64> {
    let shards = shards(context.catalogue, pattern)?.ok()?;
    let has = load.columns.iter().flat_map(|column| &column.parts).any(|part| is_shard(&part.name));
    has.then(|| float(shards.values.len()))
}

/// The share of a pattern's runs that meet the busiest key, and what tells: its declared skew, else the values of the key. The skew is of
/// keys as their users know them: each is spread evenly over its shards.
fn share(
    pattern: &Pattern,
    plan: &PatternPlan,
    load: &KeyLoad,
    access: Access,
    sharded: Option<f64>,
) -> Option<(f64, Evidence)> {
    let given = |text: &str| Template::parse(text).is_ok_and(|template| template.is_constant());
    let named =
        plan.index == load.index && !plan.hash.is_empty() && plan.hash.iter().all(|(_, text)| given(text));
    if named || load.is_constant() {
        return Some((1.0, Evidence::Declared));
    }
    if let Some(skew) = pattern.skew.as_deref().and_then(|text| Skew::parse(text).ok()) {
        let shards = sharded.unwrap_or(1.0);
        let keys = load.distinct().map_or(KEYS_USUAL, |keys| whole(keys / shards).max(1));
        return Some((skew.top_share(keys, access) / shards, Evidence::Declared));
    }
    let mut share = 1.0;
    let mut evidence = Evidence::Declared;
    for part in load.columns.iter().flat_map(|column| &column.parts) {
        // Writes go to the current hour, day or month, and half of the reads.
        let current = part.looks(crate::recognise::Look::is_time).then_some(match access {
            Access::Write => (1.0, Evidence::Declared),
            Access::Read => (0.5, Evidence::Declared),
        });
        let shard = sharded.filter(|_| is_shard(&part.name)).map(|shards| (1.0 / shards, Evidence::Declared));
        let (top, rests_on) = current.or(part.top).or(shard)?;
        share *= top;
        evidence = evidence.max(rests_on);
    }
    Some((share, evidence))
}

/// The number of keys that a skew is applied to where it is not known.
const KEYS_USUAL: u64 = 1_000_000;
