//! Tables and indexes as item collections with sorted rows.

use std::cmp::Ordering;
use std::fmt::Write as _;

use hashrange_item::{AttributeValue, Attributes};

use super::Drawing;
use crate::catalogue::{Catalogue, Entity, Index, Keys, Projection, Table};
use crate::plan::shape;

/// Bytes of a value that are shown; the rest is cut.
const VALUE_MAX: usize = 160;

/// A table or an index.
pub(super) struct View<'a> {
    pub(super) table: &'a Table,
    pub(super) index: Option<&'a Index>,
    pub(super) keys: &'a Keys,
    pub(super) collections: Vec<Collection>,
}

/// The rows under one partition key.
pub(super) struct Collection {
    /// Key attributes with their values.
    pub(super) key: Vec<(String, String)>,
    pub(super) rows: Vec<Row>,
    /// Patterns that read here, also where they find nothing.
    pub(super) read: Vec<usize>,
}

/// One item or index entry.
pub(super) struct Row {
    /// Which item of the table it is.
    pub(super) item: usize,
    /// Sort key attributes with their values.
    pub(super) sort: Vec<(String, String)>,
    /// The other attributes.
    pub(super) attributes: Vec<(String, String)>,
    /// The entity, by its place in the model.
    pub(super) entity: Option<usize>,
    /// Patterns that read it, by their place in the model.
    pub(super) read: Vec<usize>,
    /// Patterns that write it.
    pub(super) written: Vec<usize>,
}

impl View<'_> {
    /// The anchor of the view in the page.
    pub(super) fn anchor(&self, catalogue: &Catalogue) -> String {
        let table = catalogue.tables.iter().position(|table| table.name == self.table.name).unwrap_or(0);
        let index =
            self.index.and_then(|index| self.table.indexes.iter().position(|other| other.name == index.name));
        match index {
            Some(index) => format!("view-{table}-{index}"),
            None => format!("view-{table}"),
        }
    }
}

/// The views of a drawing: each table, then its indexes.
pub(super) fn views<'a>(drawing: &Drawing<'a>) -> Vec<View<'a>> {
    let catalogue = drawing.catalogue;
    let mut views = Vec::new();
    for table in &catalogue.tables {
        let given =
            drawing.samples.get(&table.name).filter(|items| !items.is_empty()).unwrap_or(&table.samples);
        let patterns = if given.is_empty() { of_templates(catalogue, table) } else { Vec::new() };
        let items = if given.is_empty() { &patterns } else { given };
        let indexes = table.indexes.iter().map(|index| (Some(index), &index.keys));
        for (index, keys) in std::iter::once((None, &table.keys)).chain(indexes) {
            let collections = collections(catalogue, table, index, keys, items);
            views.push(View { table, index, keys, collections });
        }
    }
    views
}

/// Where there are no samples: an item of each entity, with its key templates as keys.
fn of_templates(catalogue: &Catalogue, table: &Table) -> Vec<Attributes> {
    let item = |entity: &Entity| {
        let attributes = entity.attributes.iter().map(|attribute| {
            let values = (!attribute.values.is_empty()).then(|| attribute.values.join(" | "));
            let shown = values.or_else(|| attribute.format.clone()).unwrap_or_else(|| "...".to_owned());
            (attribute.name.clone(), shown)
        });
        let keys = entity.keys.iter().map(|(name, template)| (name.clone(), template.to_string()));
        let pairs = attributes.chain(keys).map(|(name, text)| (name, AttributeValue::S(text)));
        Attributes::from_pairs(pairs.collect())
    };
    catalogue.entities_of(&table.name).map(item).collect()
}

fn collections(
    catalogue: &Catalogue,
    table: &Table,
    index: Option<&Index>,
    keys: &Keys,
    items: &[Attributes],
) -> Vec<Collection> {
    // An item is in an index only if it has all of its keys; a table's item that lacks one is a mistake that a check names.
    let mut held: Vec<(usize, &Attributes)> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| keys.attributes().all(|name| item.contains(name)))
        .collect();
    held.sort_by(|a, b| by_keys(keys, a.1, b.1));
    let mut collections: Vec<Collection> = Vec::new();
    for (at, item) in held {
        let key = named(&keys.hash, item);
        let row = Row {
            item: at,
            sort: named(&keys.range, item),
            attributes: others(table, index, keys, item),
            entity: entity_of(catalogue, table, item),
            read: Vec::new(),
            written: Vec::new(),
        };
        match collections.last_mut().filter(|last| last.key == key) {
            Some(collection) => collection.rows.push(row),
            None => collections.push(Collection { key, rows: vec![row], read: Vec::new() }),
        }
    }
    collections
}

fn by_keys(keys: &Keys, a: &Attributes, b: &Attributes) -> Ordering {
    let compare = |name: &str| match (a.get(name), b.get(name)) {
        (Some(a), Some(b)) => a.compare(b).unwrap_or_else(|| text(a).cmp(&text(b))),
        (a, b) => a.is_some().cmp(&b.is_some()),
    };
    keys.attributes().map(compare).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn named(names: &[String], item: &Attributes) -> Vec<(String, String)> {
    names.iter().map(|name| (name.clone(), item.get(name).map(text).unwrap_or_default())).collect()
}

/// What a row has besides its keys, as far as the index holds it.
fn others(table: &Table, index: Option<&Index>, keys: &Keys, item: &Attributes) -> Vec<(String, String)> {
    let is_key = |name: &str| keys.attributes().any(|key| key == name);
    let held = |name: &str| match index.map(|index| &index.projection) {
        None | Some(Projection::All) => true,
        Some(Projection::KeysOnly) => table.keys.attributes().any(|key| key == name),
        Some(Projection::Include(names)) => {
            table.keys.attributes().any(|key| key == name) || names.iter().any(|other| other == name)
        }
    };
    item.iter()
        .filter(|(name, _)| !is_key(name) && held(name))
        .map(|(name, value)| (name.to_owned(), text(value)))
        .collect()
}

/// The entity whose key templates an item fits, the most particular where several do.
fn entity_of(catalogue: &Catalogue, table: &Table, item: &Attributes) -> Option<usize> {
    let fits = |entity: &Entity| {
        let mut literals = 0;
        for name in table.keys.attributes() {
            let value = item.get(name).and_then(shape::text)?;
            let template = entity.keys.get(name)?;
            if !shape::matches(template, &value) {
                return None;
            }
            literals += shape::literal_length(template);
        }
        Some(literals)
    };
    let of_table = catalogue.entities.iter().enumerate().filter(|(_, entity)| entity.table == table.name);
    of_table
        .filter_map(|(at, entity)| Some((fits(entity)?, at)))
        .max_by_key(|(literals, at)| (*literals, std::cmp::Reverse(*at)))
        .map(|(_, at)| at)
}

/// A value as people write it, cut where it is long.
pub(super) fn text(value: &AttributeValue) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    if out.len() > VALUE_MAX {
        let end = (0..=VALUE_MAX).rev().find(|at| out.is_char_boundary(*at)).unwrap_or(0);
        out.truncate(end);
        out.push('…');
    }
    out
}

fn write_value(value: &AttributeValue, out: &mut String) {
    // Whatever is longer is cut anyway.
    if out.len() > VALUE_MAX {
        return;
    }
    let _ = match value {
        AttributeValue::S(text) => {
            out.push_str(text);
            Ok(())
        }
        AttributeValue::N(number) => write!(out, "{number}"),
        AttributeValue::B(bytes) => write!(out, "{} bytes", bytes.len()),
        AttributeValue::Bool(value) => write!(out, "{value}"),
        AttributeValue::Null => write!(out, "null"),
        AttributeValue::Ss(set) => write!(out, "{{{}}}", set.iter().cloned().collect::<Vec<_>>().join(", ")),
        AttributeValue::Ns(set) => {
            write!(out, "{{{}}}", set.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        AttributeValue::Bs(set) => write!(out, "{} binaries", set.len()),
        AttributeValue::L(list) => {
            out.push('[');
            for (at, value) in list.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_value(value, out);
            }
            out.push(']');
            Ok(())
        }
        AttributeValue::M(map) => {
            out.push('{');
            for (at, (name, value)) in map.iter().enumerate() {
                let _ = write!(out, "{}{name}: ", if at > 0 { ", " } else { "" });
                write_value(value, out);
            }
            out.push('}');
            Ok(())
        }
    };
}
