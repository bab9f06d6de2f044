//! Samples changed so that requests find what they ask for.
//!
//! Items are made from entities, which say nothing of conditions: `attempts < :most` may hold for none of them. Where no item
//! serves a pattern, one is changed, as little as is easily done, in attributes that no key is made of.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{AttributeValue, Attributes};

use super::Samples;
use super::fill::{Binding, bind, bind_within, turns};
use super::meets::Judge;
use crate::catalogue::{Catalogue, Pattern, Table};

/// Items that are looked at for one pattern.
const TURNS: usize = 100;
/// Runs of one pattern in a load for which items are changed; further runs share those.
const LOAD_TURNS: usize = 2_000;

/// An item that takes the place of another one.
pub(super) struct Mended {
    pub(super) table: String,
    /// Its place among the items of the table.
    pub(super) at: usize,
    pub(super) item: Attributes,
}

/// An item before and after it was changed.
pub(super) struct Change {
    table: String,
    before: Attributes,
    after: Attributes,
}

/// Changes items for the patterns that none serves; each item for one pattern alone.
pub(super) fn mend(catalogue: &Catalogue, samples: &mut Samples, seed: u64) -> Vec<Change> {
    let mut taken: BTreeSet<(String, usize)> = BTreeSet::new();
    let mut changes = Vec::new();
    for pattern in &catalogue.patterns {
        let Some(mended) = mended(catalogue, samples, pattern, seed, &taken) else { continue };
        let Some(change) = samples.changed_by(&mended) else { continue };
        samples.change(&change);
        changes.push(change);
        taken.insert((mended.table, mended.at));
    }
    changes
}

/// Changes further items for a load, which takes many items for each pattern: for every run of a pattern that finds none near its
/// turn. Patterns that take items of one entity share them evenly, whether they need changes or not, so that none spoils the
/// samples of another.
pub(super) fn spread(catalogue: &Catalogue, samples: &mut Samples, changes: &[Change], seed: u64) {
    let mut taken: BTreeSet<(String, usize)> =
        changes.iter().filter_map(|one| samples.place_of(one)).collect();
    let mut sharing: BTreeMap<String, Vec<&Pattern>> = BTreeMap::new();
    for pattern in &catalogue.patterns {
        if Judge::of(catalogue, samples, pattern).is_some() {
            let binding = bind(catalogue, samples, pattern, seed, 1);
            let source = binding.sources.first().map(|(entity, _)| entity.clone());
            sharing.entry(source.unwrap_or_default()).or_default().push(pattern);
        }
    }
    for patterns in sharing.values() {
        for (own, pattern) in patterns.iter().enumerate() {
            let turns = turns(catalogue, samples, pattern, seed).items.min(LOAD_TURNS);
            let shares = patterns.len();
            for turn in (own..turns).step_by(shares) {
                let binding = bind_within(catalogue, samples, pattern, seed, turn, shares);
                let Some(mended) = mended_for(catalogue, samples, pattern, &binding, &taken) else {
                    continue;
                };
                let Some(change) = samples.changed_by(&mended) else { continue };
                samples.change(&change);
                taken.insert((mended.table, mended.at));
            }
        }
    }
}

/// An item changed for one run, where it finds none that serves it.
fn mended_for(
    catalogue: &Catalogue,
    samples: &Samples,
    pattern: &Pattern,
    binding: &Binding,
    taken: &BTreeSet<(String, usize)>,
) -> Option<Mended> {
    binding.unmet.as_ref()?;
    Judge::of(catalogue, samples, pattern)?.mended(binding, &|table, at| may(samples, taken, table, at))
}

/// Whether an item may be changed: what the files give is what their author wants, and each serves one pattern.
fn may(samples: &Samples, taken: &BTreeSet<(String, usize)>, table: &str, at: usize) -> bool {
    let item = samples.tables.get(table).and_then(|items| items.get(at));
    !taken.contains(&(table.to_owned(), at)) && item.is_some_and(|item| is_made(samples, item))
}

fn mended(
    catalogue: &Catalogue,
    samples: &Samples,
    pattern: &Pattern,
    seed: u64,
    taken: &BTreeSet<(String, usize)>,
) -> Option<Mended> {
    let judge = Judge::of(catalogue, samples, pattern)?;
    bind(catalogue, samples, pattern, seed, 0).unmet?;
    let may = |table: &str, at: usize| may(samples, taken, table, at);
    (0..TURNS).find_map(|turn| judge.mended(&bind(catalogue, samples, pattern, seed, turn), &may))
}

fn is_made(samples: &Samples, item: &Attributes) -> bool {
    samples.entities.values().flatten().any(|instance| instance.item == *item)
}

impl Samples {
    fn changed_by(&self, mended: &Mended) -> Option<Change> {
        let before = self.tables.get(&mended.table)?.get(mended.at)?.clone();
        Some(Change { table: mended.table.clone(), before, after: mended.item.clone() })
    }

    /// Where the item is that was changed, by table and place.
    fn place_of(&self, Change { table, after, .. }: &Change) -> Option<(String, usize)> {
        Some((table.clone(), self.tables.get(table)?.iter().position(|item| item == after)?))
    }

    /// Puts one item in the place of another. Its keys are the same, so that items are found where they were.
    pub(super) fn change(&mut self, Change { table, before, after }: &Change) {
        let items = self.tables.get_mut(table).into_iter().flatten();
        items.filter(|item| *item == before).for_each(|item| item.clone_from(after));
        let made = self.entities.values_mut().flatten().filter(|instance| instance.item == *before);
        for instance in made {
            for (name, value) in after.iter() {
                if before.get(name) != Some(value) {
                    instance.values.insert(name.to_owned(), value.clone());
                }
            }
            instance.item.clone_from(after);
        }
    }
}

/// Whether a key of the table or of an index is the attribute, or is made of it.
pub(super) fn is_of_key(catalogue: &Catalogue, table: &Table, name: &str) -> bool {
    let of_indexes = table.indexes.iter().flat_map(|index| index.keys.attributes());
    let made_of = |entity: &crate::catalogue::Entity| {
        entity.keys.values().any(|template| template.gaps().any(|gap| gap == name))
    };
    table.keys.attributes().chain(of_indexes).any(|key| key == name)
        || catalogue.entities_of(&table.name).any(made_of)
}

/// The changed item, shortened in a text of its own so that it is no larger than before: sizes decide what it costs.
pub(super) fn no_larger(
    catalogue: &Catalogue,
    table: &Table,
    before: &Attributes,
    after: Attributes,
) -> Attributes {
    let grown = after.size().saturating_sub(before.size());
    let is_free = |name: &str| before.get(name) == after.get(name) && !is_of_key(catalogue, table, name);
    let texts = after.iter().filter_map(|(name, value)| match value {
        AttributeValue::S(text) if is_free(name) && text.is_ascii() && text.len() > grown => {
            Some((text.len(), name.to_owned(), text[..text.len() - grown].to_owned()))
        }
        _ => None,
    });
    match texts.max().filter(|_| grown > 0) {
        Some((_, name, text)) => {
            let mut shorter = after;
            shorter.insert(name, AttributeValue::S(text));
            shorter
        }
        None => after,
    }
}
