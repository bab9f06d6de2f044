//! Which sample is of which kind, and what the values of a kind look like.

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes};

use crate::catalogue::{Catalogue, Table};
use crate::plan::shape;

/// Fewer samples of a kind than this say nothing of its statistics.
pub(crate) const SAMPLES_MIN: usize = 20;

/// The samples of one kind of item.
#[derive(Clone, Debug)]
pub struct Kind<'a> {
    /// The table.
    pub table: &'a str,
    /// The entity whose key templates fit; or, where none is declared, the text before the first `#` of the sort key (else of the partition
    /// key).
    pub name: String,
    /// Whether `name` is a declared entity.
    pub declared: bool,
    /// The items.
    pub items: Vec<&'a Attributes>,
}

impl<'a> Kind<'a> {
    /// The values of an attribute, in the order of the items; items without it are left out.
    pub fn values(&self, attribute: &str) -> Vec<&'a AttributeValue> {
        self.items.iter().filter_map(|item| item.get(attribute)).collect()
    }

    /// Whether there are enough of them for statistics.
    pub fn is_enough(&self) -> bool {
        self.items.len() >= SAMPLES_MIN
    }
}

/// The samples of a catalogue, by kind.
#[derive(Clone, Debug, Default)]
pub struct Samples<'a> {
    kinds: Vec<Kind<'a>>,
}

impl<'a> Samples<'a> {
    /// Sorts the samples of all tables.
    pub fn of(catalogue: &'a Catalogue) -> Samples<'a> {
        let mut kinds = Vec::new();
        for table in &catalogue.tables {
            let mut groups: BTreeMap<(String, bool), Vec<&Attributes>> = BTreeMap::new();
            for item in &table.samples {
                groups.entry(kind_of(catalogue, table, item)).or_default().push(item);
            }
            let sorted = groups.into_iter();
            kinds.extend(sorted.map(|((name, declared), items)| Kind {
                table: &table.name,
                name,
                declared,
                items,
            }));
        }
        Samples { kinds }
    }

    /// Every kind, by table and name.
    pub fn kinds(&self) -> &[Kind<'a>] {
        &self.kinds
    }

    /// The kinds of a table.
    pub fn of_table<'s>(&'s self, table: &'s str) -> impl Iterator<Item = &'s Kind<'a>> {
        self.kinds.iter().filter(move |kind| kind.table == table)
    }

    /// The samples of an entity.
    pub fn of_entity(&self, entity: &str) -> Option<&Kind<'a>> {
        self.kinds.iter().find(|kind| kind.declared && kind.name == entity)
    }
}

fn kind_of(catalogue: &Catalogue, table: &Table, item: &Attributes) -> (String, bool) {
    let fits = |entity: &&crate::catalogue::Entity| {
        table.keys.attributes().all(|key| match (entity.keys.get(key), item.get(key).and_then(shape::text)) {
            (Some(template), Some(text)) => shape::matches(template, &text),
            (None, value) => {
                value.is_some() && entity.attributes.iter().any(|attribute| attribute.name == key)
            }
            (Some(_), None) => false,
        })
    };
    // The entity with the most literal text wins: PROFILE before {anything}.
    let found = catalogue.entities_of(&table.name).filter(fits).max_by_key(|entity| {
        let literal = |key| entity.keys.get(key).map_or(0, shape::literal_length);
        table.keys.attributes().map(literal).sum::<usize>()
    });
    if let Some(entity) = found {
        return (entity.name.clone(), true);
    }
    let keys = table.keys.range.iter().chain(&table.keys.hash);
    let prefix = keys.filter_map(|key| shape::text(item.get(key)?)).find_map(|text| {
        let (prefix, _) = text.split_once('#')?;
        Some(prefix.to_owned())
    });
    (prefix.unwrap_or_default(), false)
}
