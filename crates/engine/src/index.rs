//! Secondary indexes: which entries an item has, and what changes in them when the item does.

use std::borrow::Cow;

use hashrange_api::message::item::EmptyKind;
use hashrange_api::{Error, message};
use hashrange_item::{AttributeValue, Attributes, KeyAttribute, Lookup, Row};
use hashrange_store::{Address, Space, Tally, Write};

use crate::capacity::{self, Units};
use crate::catalog::{GlobalIndex, LocalIndex, Projection, Table};
use crate::key::{ItemKey, check_index_lengths, has_declared_kind};
use crate::layout;
use crate::write::is_too_large;

/// One entry of an index: where it lies and what it carries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) address: Address,
    pub(crate) row: Row,
}

/// An index of either kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index<'a> {
    /// A local index.
    Local(&'a LocalIndex),
    /// A global index.
    Global(&'a GlobalIndex),
}

/// All indexes of a table, local ones first.
pub(crate) fn all(table: &Table) -> impl Iterator<Item = Index<'_>> {
    let locals = table.schema.locals.iter().map(Index::Local);
    locals.chain(table.schema.globals.iter().map(Index::Global))
}

impl<'a> Index<'a> {
    /// The index's name.
    pub(crate) fn name(self) -> &'a str {
        match self {
            Index::Local(index) => &index.name,
            Index::Global(index) => &index.name,
        }
    }

    /// What its entries carry.
    pub(crate) fn projection(self) -> &'a Projection {
        match self {
            Index::Local(index) => &index.projection,
            Index::Global(index) => &index.projection,
        }
    }

    /// The key attributes that the index adds to the table's, partition key first.
    pub(crate) fn key_attributes(self) -> Vec<&'a KeyAttribute> {
        match self {
            Index::Local(index) => vec![&index.range],
            Index::Global(index) => index.key_attributes().collect(),
        }
    }

    /// Where its entries lie and of which kind they are; its running totals have the same name.
    pub(crate) fn total(self, table: &Table) -> (Space, u8) {
        match self {
            Index::Local(index) => (table.space, index.row_kind),
            Index::Global(index) => (index.space, layout::ITEM),
        }
    }

    /// The item's entry in this index, or none: an index is sparse, an item that lacks a key attribute is not in it.
    pub(crate) fn entry(self, table: &Table, key: &ItemKey, item: &Row) -> Option<Entry> {
        let mut values = Vec::with_capacity(2);
        for attribute in self.key_attributes() {
            let value = item.attribute(&attribute.name)?.into_owned();
            if !is_indexable(&value, attribute) {
                return None;
            }
            values.push(value);
        }
        self.check_lengths(&values).ok()?;
        Some(Entry { address: self.address(table, key, &values), row: self.project(table, item) })
    }

    /// The index's own key values are not too long: each partition-key attribute, and all sort-key attributes together.
    fn check_lengths(self, values: &[AttributeValue]) -> Result<(), Error> {
        let hashes = match self {
            Index::Local(_) => 0,
            Index::Global(index) => index.hash.len(),
        };
        let (hash, range) = values.split_at(hashes);
        check_index_lengths(hash, range)
    }

    /// Whether entries of older items may still be missing.
    pub(crate) fn is_filling(self) -> bool {
        matches!(self, Index::Global(index) if index.filling)
    }

    fn address(self, table: &Table, key: &ItemKey, values: &[AttributeValue]) -> Address {
        match self {
            Index::Local(index) => {
                let row = layout::local_row(index.row_kind, &values[0], key.row());
                layout::address(table.space, key.address.partition.clone(), row)
            }
            Index::Global(index) => {
                let (hash, range) = values.split_at(index.hash.len());
                let row = layout::global_row(range, &key.hash, key.row());
                layout::address(index.space, layout::global_partition(hash), row)
            }
        }
    }

    /// What the entry carries of the item. An index on everything shares the item's own bytes.
    fn project(self, table: &Table, item: &Row) -> Row {
        let included: &[String] = match self.projection() {
            Projection::All => return item.clone(),
            Projection::KeysOnly => &[],
            Projection::Include(names) => names,
        };
        let keys = table.schema.key.attributes().chain(self.key_attributes());
        let names = keys.map(|attribute| &attribute.name).chain(included);
        let mut entry = Attributes::new();
        for name in names {
            if let Some(value) = item.attribute(name) {
                entry.insert(name.clone(), value.into_owned());
            }
        }
        Row::encode(&entry)
    }
}

/// A value that the key attribute of an index can have. Writes refuse others; items older than the index may have them
/// and are then not in it.
fn is_indexable(value: &AttributeValue, attribute: &KeyAttribute) -> bool {
    let empty = match value {
        AttributeValue::S(text) => text.is_empty(),
        AttributeValue::B(bytes) => bytes.is_empty(),
        _ => false,
    };
    !empty && has_declared_kind(value, attribute)
}

/// How an index's entry changes with its item.
#[derive(Debug)]
pub(crate) struct EntryChange<'a> {
    pub(crate) index: Index<'a>,
    pub(crate) old: Option<Entry>,
    pub(crate) new: Option<Entry>,
}

/// The changes of every index of the table that this write touches.
pub(crate) fn changes<'a>(
    table: &'a Table,
    key: &ItemKey,
    old: Option<&Row>,
    new: Option<&Row>,
) -> Vec<EntryChange<'a>> {
    let entries = all(table).map(|index| EntryChange {
        index,
        old: old.and_then(|item| index.entry(table, key, item)),
        new: new.and_then(|item| index.entry(table, key, item)),
    });
    entries.filter(|change| change.old != change.new).collect()
}

impl EntryChange<'_> {
    fn moved(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => old.address != new.address,
            _ => false,
        }
    }

    /// Write units that this change consumes.
    pub(crate) fn units(&self) -> Units {
        let size = |entry: &Option<Entry>| entry.as_ref().map(|entry| entry.row.item_size());
        capacity::index_write(size(&self.old), size(&self.new), self.moved(), true)
    }

    /// Change of the index's running total.
    pub(crate) fn tally(&self, table: &Table) -> Tally {
        let (space, kind) = self.index.total(table);
        let (old_rows, old_bytes) = weight(self.old.as_ref());
        let (new_rows, new_bytes) = weight(self.new.as_ref());
        Tally { space, kind, rows: new_rows - old_rows, bytes: new_bytes - old_bytes }
    }

    /// The address that loses its entry, where there is one.
    pub(crate) fn removed(&self) -> Option<&Address> {
        let old = self.old.as_ref()?;
        (self.new.is_none() || self.moved()).then_some(&old.address)
    }
}

fn weight(entry: Option<&Entry>) -> (i64, i64) {
    match entry {
        None => (0, 0),
        Some(entry) => (1, i64::try_from(entry.row.item_size()).expect("an item is at most 400 KB")),
    }
}

/// A store write that deletes a row.
pub(crate) fn delete(address: &Address) -> Write {
    Write::Delete { row: address.row.clone() }
}

/// An item and its entries in local indexes are at most 400 KB together.
pub(crate) fn check_local_size(table: &Table, key: &ItemKey, item: &Row) -> Result<(), Error> {
    let locals = table.schema.locals.iter().map(Index::Local);
    let entries: usize =
        locals.filter_map(|index| index.entry(table, key, item)).map(|entry| entry.row.item_size()).sum();
    if entries > 0 && is_too_large(item.item_size() + entries) {
        return Err(Error::validation(message::item::too_large_with_entries()));
    }
    Ok(())
}

/// From which request an index key comes; the texts of its faults differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A whole item was put.
    Put,
    /// An update changed the item.
    Update,
}

/// Index keys in the new image have their declared type, are not empty and not too long. Indexes are looked at by name.
pub(crate) fn check_keys(table: &Table, item: &dyn Lookup, origin: Origin) -> Result<(), Error> {
    let mut indexes: Vec<_> = all(table).collect();
    indexes.sort_by_key(|index| index.name());
    for index in indexes {
        for attribute in index.key_attributes() {
            if let Some(value) = item.attribute(&attribute.name) {
                check_key(index.name(), attribute, &value, origin)?;
            }
        }
        let values = index.key_attributes().into_iter().map(|attribute| item.attribute(&attribute.name));
        let values: Option<Vec<_>> = values.map(|value| value.map(Cow::into_owned)).collect();
        if let Some(values) = values {
            index.check_lengths(&values)?;
        }
    }
    Ok(())
}

fn check_key(
    index: &str,
    attribute: &KeyAttribute,
    value: &AttributeValue,
    origin: Origin,
) -> Result<(), Error> {
    if !has_declared_kind(value, attribute) {
        let (expected, actual) = (attribute.kind.to_string(), value.kind().to_string());
        let text = message::item::index_key_type(&attribute.name, &expected, &actual, index);
        return Err(Error::validation(text));
    }
    let what = match value {
        AttributeValue::S(text) if text.is_empty() => EmptyKind::String,
        AttributeValue::B(bytes) if bytes.is_empty() => EmptyKind::Binary,
        _ => return Ok(()),
    };
    Err(Error::validation(match origin {
        Origin::Put => message::item::empty_index_key(what, index, &attribute.name),
        Origin::Update => message::item::empty_index_key_update(what),
    }))
}
