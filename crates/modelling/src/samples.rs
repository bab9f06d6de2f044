//! Sample data: items of a model's entities, and values for the parameters of its patterns.
//!
//! The same model and seed give the same data. Data are made of *blocks* that look alike and share nothing but reference
//! data: scale 10 is ten blocks, so it has ten times as many item collections, each as large as before, and what a pattern
//! reads at scale 1 is there unchanged. What costs more at scale 10 grows with the table.

mod build;
mod copies;
mod fill;
mod format;
mod meets;
mod mend;
mod random;
mod relation;

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{AttributeValue, Attributes};

use crate::catalogue::{Catalogue, Entity, Table};

pub(crate) use build::key_bytes;
pub(crate) use fill::attributes_json;
pub(crate) use fill::turns;
pub use fill::{Binding, Requests, Unfilled, bind, fill, requests};
pub use format::value as format_value;
pub use random::Random;

/// Items of an entity in a block, where it declares more or nothing.
pub const ITEMS: usize = 100;
/// Most items of one collection; a declared collection that is larger is cut here.
pub const COLLECTION_ITEMS_MAX: usize = 1000;

/// What to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Tells data apart.
    pub seed: u64,
    /// How many blocks.
    pub scale: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { seed: 1, scale: 1 }
    }
}

/// One item of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// What the gaps of its key templates and its attributes are, those included that this item does not have.
    pub values: BTreeMap<String, AttributeValue>,
    /// The item.
    pub item: Attributes,
}

/// Generated and given items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Items by table, given ones first; no key twice.
    pub tables: BTreeMap<String, Vec<Attributes>>,
    /// Generated items by entity. Of each block, the first has every attribute and the declared size.
    pub entities: BTreeMap<String, Vec<Instance>>,
    index: meets::Index,
}

impl Samples {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.tables.values().map(Vec::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The given items, a few collections of each kind of item, and a few rows of each kind in them: enough to look at.
    pub fn excerpt(&self, catalogue: &Catalogue) -> BTreeMap<String, Vec<Attributes>> {
        let excerpt_of = |table: &Table| (table.name.clone(), self.excerpt_of(table));
        catalogue.tables.iter().map(excerpt_of).collect()
    }

    fn excerpt_of(&self, table: &Table) -> Vec<Attributes> {
        let (hash, range) = (table.keys.hash.first(), table.keys.range.first());
        let text = |item: &Attributes, name: Option<&String>| {
            name.and_then(|name| item.get(name)).map_or_else(String::new, |value| format!("{value:?}"))
        };
        let first = self.entities.values().flat_map(|made| made.iter().take(EXCERPT_COLLECTIONS));
        let shown: BTreeSet<String> = first.map(|instance| text(&instance.item, hash)).collect();
        let mut rows: BTreeMap<(String, String), usize> = BTreeMap::new();
        let items = self.tables.get(&table.name).into_iter().flatten();
        let fits = |item: &&Attributes| {
            let (partition, sort) = (text(item, hash), text(item, range));
            let kind = sort.split('#').next().unwrap_or_default().to_owned();
            let is_shown = self.entities.is_empty() || shown.contains(&partition);
            let count = rows.entry((partition, kind)).or_default();
            *count += 1;
            table.samples.contains(item) || (is_shown && *count <= EXCERPT_ROWS)
        };
        items.filter(fits).cloned().collect()
    }
}

/// The date of an instant, in seconds since the Unix epoch: `2026-11-30`.
pub fn day(seconds: u64) -> String {
    format::date(seconds)
}

/// Collections of each kind of item in an excerpt, and rows of each kind in one of them.
const EXCERPT_COLLECTIONS: usize = 2;
const EXCERPT_ROWS: usize = 3;

/// Makes sample data for a model. Where no item is as a pattern's condition or filter asks, one is changed so that it is.
pub fn generate(catalogue: &Catalogue, options: Options) -> Samples {
    generated(catalogue, options).0
}

/// The same for a load, which takes many items for each pattern: further items are changed, so that requests find what they ask for
/// whichever turn it is.
pub fn for_load(catalogue: &Catalogue, options: Options) -> Samples {
    let (mut samples, changes) = generated(catalogue, options);
    mend::spread(catalogue, &mut samples, &changes, options.seed);
    samples
}

fn generated(catalogue: &Catalogue, options: Options) -> (Samples, Vec<mend::Change>) {
    // What is changed is of the first block, whatever the scale: a larger one has the items of a smaller one as they are there.
    let mut first = made(catalogue, Options { scale: 1, ..options });
    let changes = mend::mend(catalogue, &mut first, options.seed);
    if options.scale <= 1 {
        return (first, changes);
    }
    let mut samples = made(catalogue, options);
    for change in &changes {
        samples.change(change);
    }
    (samples, changes)
}

/// Items as entities declare them.
fn made(catalogue: &Catalogue, options: Options) -> Samples {
    let mut samples = Samples { entities: build::entities(catalogue, options), ..Samples::default() };
    for table in &catalogue.tables {
        let mut items = copies::given(catalogue, table, options.scale);
        let entities = catalogue.entities_of(&table.name);
        let made = entities.filter_map(|entity: &Entity| samples.entities.get(&entity.name)).flatten();
        items.extend(made.map(|instance| instance.item.clone()));
        copies::drop_repeated(table, &mut items);
        samples.tables.insert(table.name.clone(), items);
    }
    samples
}

#[cfg(test)]
mod tests;
