//! The keys that a pattern can use, from samples, and which partitions a request touches.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::catalogue::{Catalogue, IndexKind, Keys, Pattern, Table};
use crate::plan::request::{Action, Verb, request};
use crate::samples::{self, Random, Requests, Samples};
use crate::skew::Skew;

/// Runs of a pattern that are looked at to find its keys.
const TURNS_MAX: usize = 20_000;

/// A partition key that a request touches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Touch {
    pub(super) table: String,
    /// A global index; local ones share the table's partition.
    pub(super) index: Option<String>,
    pub(super) key: String,
}

/// The keys of a pattern, most used first.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// Runs that use each key.
    keys: Vec<Vec<usize>>,
    /// After so many runs, the samples begin again.
    turns: usize,
    /// Whether each run makes a key that was not there before.
    pub(super) always_new: bool,
    /// The condition or filter that no sample was found for, where there is none for any run.
    pub(super) unmet: Option<String>,
}

impl Pool {
    /// The keys that the samples give a pattern, in the order in which the skew uses them.
    ///
    /// # Errors
    /// The gap that nothing fills.
    pub(super) fn of(
        catalogue: &Catalogue,
        samples: &Samples,
        pattern: &Pattern,
        skew: Skew,
        seed: u64,
    ) -> Result<Pool, String> {
        let once = samples::turns(catalogue, samples, pattern, seed);
        let items = once.items.min(TURNS_MAX);
        let turns = (items * once.shards).min(TURNS_MAX / items * items);
        let key_of =
            |requests: &[Map<String, Value>]| touches(catalogue, pattern, requests).into_iter().next();
        let round = |number: usize| filled(catalogue, samples, pattern, seed, number * turns);
        // The same sample and shard, and yet another key: a gap of the key is new each time.
        let always_new = key_of(&round(1)?.bodies) != key_of(&round(1 + once.shards)?.bodies);
        let mut runs: Vec<(Option<Touch>, usize)> = Vec::with_capacity(turns);
        let mut unmet: Vec<(Option<Touch>, usize)> = Vec::new();
        let mut condition = None;
        for turn in 0..turns {
            // As it is in the first round of a load: see `turn`.
            let requests = filled(catalogue, samples, pattern, seed, turns + turn)?;
            // The shards of a key are one key to those who use it: the skew falls on it, and each run picks a shard.
            let first = once.shards * turns + turn % items;
            let first =
                if once.shards > 1 { &filled(catalogue, samples, pattern, seed, first)? } else { &requests };
            let run = (key_of(&first.bodies), turn);
            if requests.unmet.is_some() {
                unmet.push(run);
            } else {
                runs.push(run);
            }
            condition = condition.or(requests.unmet);
        }
        // Runs whose condition holds for no sample measure nothing but refusals: they come only where there are no others.
        let is_unmet = runs.is_empty();
        if is_unmet {
            runs = unmet;
        }
        let mut by_key: BTreeMap<Option<Touch>, Vec<usize>> = BTreeMap::new();
        let mut order: Vec<Option<Touch>> = Vec::new();
        for (key, turn) in runs {
            let runs = by_key.entry(key.clone()).or_default();
            if runs.is_empty() {
                order.push(key);
            }
            runs.push(turn);
        }
        arrange(&mut order, skew, &pattern.id, seed);
        let keys = order.iter().filter_map(|key| by_key.remove(key)).collect();
        Ok(Pool { keys, turns, always_new, unmet: condition.filter(|_| is_unmet) })
    }

    /// How many keys the samples have.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The run for a key, by its rank; ranks beyond the samples share them.
    pub(super) fn turn(&self, rank: u64, number: usize, pick: u64) -> usize {
        let at = usize::try_from(rank.saturating_sub(1)).unwrap_or(usize::MAX) % self.keys.len().max(1);
        let runs = self.keys.get(at).map_or(&[0][..], |runs| &runs[..]);
        let run = runs[usize::try_from(pick % runs.len() as u64).unwrap_or_default()];
        // What is new in a run differs in each round over the samples.
        run + self.turns * (number + 1)
    }
}

/// The newest are used most where age counts; otherwise ranks are scattered over the keys.
fn arrange(order: &mut [Option<Touch>], skew: Skew, id: &str, seed: u64) {
    if matches!(skew, Skew::Latest(_) | Skew::Today) {
        order.sort_by(|one, other| other.cmp(one));
        return;
    }
    let mut random = Random::new(seed).named("ranks").named(id);
    for at in (1..order.len()).rev() {
        let with = random.below(at as u64 + 1);
        order.swap(at, usize::try_from(with).unwrap_or_default());
    }
}

/// The requests of a run: one, or one for each shard.
///
/// # Errors
/// The gap that nothing fills, or why shards cannot be told.
pub(super) fn filled(
    catalogue: &Catalogue,
    samples: &Samples,
    pattern: &Pattern,
    seed: u64,
    turn: usize,
) -> Result<Requests, String> {
    if pattern.request.is_none() {
        return Err("its format states no request".to_owned());
    }
    samples::requests(catalogue, samples, pattern, seed, turn).map_err(|unfilled| unfilled.to_string())
}

/// The partition keys that requests touch: of tables, and of global indexes that are read or that a put writes.
pub(super) fn touches(
    catalogue: &Catalogue,
    pattern: &Pattern,
    requests: &[Map<String, Value>],
) -> Vec<Touch> {
    let mut touches = Vec::new();
    for filled in requests {
        let concrete = Pattern { request: Some(filled.clone()), ..pattern.clone() };
        let Some(request) = request(catalogue, &concrete) else { continue };
        touches.extend(request.actions.iter().flat_map(|action| touched(catalogue, action)));
    }
    let mut seen = std::collections::BTreeSet::new();
    touches.retain(|touch: &Touch| seen.insert(touch.clone()));
    touches
}

fn touched(catalogue: &Catalogue, action: &Action) -> Vec<Touch> {
    let Some(table) = catalogue.table(&action.table) else { return Vec::new() };
    let index = action.index.as_ref().and_then(|name| table.index(name));
    let is_global = index.is_some_and(|index| index.kind == IndexKind::Global);
    let keys = index.filter(|_| is_global).map_or(&table.keys, |index| &index.keys);
    let own = key_text(action, keys).map(|key| Touch {
        table: table.name.clone(),
        index: action.index.clone().filter(|_| is_global),
        key,
    });
    own.into_iter().chain(index_entries(table, action)).collect()
}

/// The entries of global indexes that a put makes.
fn index_entries(table: &Table, action: &Action) -> Vec<Touch> {
    if action.verb != Verb::Put {
        return Vec::new();
    }
    let globals = table.indexes.iter().filter(|index| index.kind == IndexKind::Global);
    let entries = globals.filter_map(|index| {
        let key = key_text(action, &index.keys)?;
        Some(Touch { table: table.name.clone(), index: Some(index.name.clone()), key })
    });
    entries.collect()
}

/// The partition key of an action as people read it; `None` where it names none, as a scan.
fn key_text(action: &Action, keys: &Keys) -> Option<String> {
    let values = keys.hash.iter().map(|name| value_of(action, name));
    Some(values.collect::<Option<Vec<_>>>()?.join(" / "))
}

fn value_of(action: &Action, name: &str) -> Option<String> {
    if let Some(item) = &action.item {
        let value = item.get(name)?.as_object()?.values().next()?;
        return Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let of_key = action.key.iter().find(|part| part.attribute == name).map(|part| part.text.clone());
    of_key.or_else(|| {
        let clause = action.clauses.iter().find(|clause| clause.attribute == name && clause.operator == "=");
        clause.and_then(|clause| clause.operands.first().cloned())
    })
}
