//! Attributes to bytes, one after the other, in the order in which a request names them.

use std::borrow::Cow;

use bytes::Bytes;

use super::{FORMAT, HEADER, Row, encode};
use crate::{AttributeValue, Attributes, Item, json, size};

/// An item that is to be written: its stored form, and what is checked of it.
///
/// It is made of [`Attributes`], or by an [`ItemBuilder`] without them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewItem {
    row: Row,
    depth: usize,
}

impl NewItem {
    /// The item as it will be stored.
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// The item as it will be stored.
    pub fn into_row(self) -> Row {
        self.row
    }

    /// Levels of nesting: see [`Attributes::depth`].
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The item's size in bytes: see [`crate::size::item`].
    pub fn size(&self) -> usize {
        self.row.item_size()
    }
}

impl Default for NewItem {
    fn default() -> Self {
        Self { row: Row(Bytes::from_static(&EMPTY)), depth: 0 }
    }
}

/// The stored form of an item without attributes.
const EMPTY: [u8; HEADER] = [FORMAT, 2, 0, 0, 0, 0, 0, 0, 0, 0];

impl From<Item> for NewItem {
    /// # Panics
    /// If the item takes 4 GiB or more.
    fn from(item: Item) -> Self {
        Self::from(&item)
    }
}

impl From<&Attributes> for NewItem {
    /// # Panics
    /// If the item takes 4 GiB or more.
    fn from(item: &Item) -> Self {
        Self { row: Row::encode(item), depth: item.depth() }
    }
}

/// Encodes an item from its attributes in any order. Of attributes with one name the last counts.
#[derive(Debug)]
pub struct ItemBuilder<'a> {
    /// The entries in the order in which they came.
    text: Vec<u8>,
    entries: Vec<Entry<'a>>,
}

/// One attribute: its bytes in the text, and what it counts.
#[derive(Debug)]
struct Entry<'a> {
    name: Cow<'a, str>,
    from: usize,
    to: usize,
    size: usize,
    depth: usize,
}

impl<'a> ItemBuilder<'a> {
    /// No attributes yet, and room for so many, which take so many bytes as JSON.
    pub fn with_room(attributes: usize, bytes: usize) -> Self {
        Self { text: Vec::with_capacity(bytes), entries: Vec::with_capacity(attributes) }
    }

    /// How many attributes it was given.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it was given none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an attribute of type S.
    pub fn string(&mut self, name: Cow<'a, str>, text: &str) {
        self.add(name, text.len(), 1, |out| json::write_string_value(text, out));
    }

    /// Adds an attribute of any type.
    pub fn value(&mut self, name: Cow<'a, str>, value: &AttributeValue) {
        self.add(name, size::value(value), value.depth(), |out| json::write_value(value, out));
    }

    fn add(&mut self, name: Cow<'a, str>, size: usize, depth: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let from = self.text.len();
        json::write_string(&name, &mut self.text);
        self.text.push(b':');
        write(&mut self.text);
        let size = name.len() + size;
        self.entries.push(Entry { name, from, to: self.text.len(), size, depth });
    }

    /// The item.
    ///
    /// # Panics
    /// If it takes 4 GiB or more.
    pub fn finish(self) -> NewItem {
        let Self { text, mut entries } = self;
        if entries.is_empty() {
            return NewItem::default();
        }
        if !entries.is_sorted_by(|one, next| one.name < next.name) {
            entries.sort_by(|one, other| one.name.cmp(&other.name).then(other.from.cmp(&one.from)));
            // Of one name, the one that came last is the first now.
            entries.dedup_by(|later, kept| later.name == kept.name);
        }
        let size = entries.iter().map(|entry| entry.size).sum();
        let length = entries.iter().map(|entry| entry.to - entry.from + 1).sum::<usize>() - 1;
        let mut row = encode::Entries::new(entries.len(), size, length, length);
        for entry in &entries {
            row.next().extend_from_slice(&text[entry.from..entry.to]);
        }
        let depth = entries.iter().map(|entry| entry.depth).max().unwrap_or(0);
        NewItem { row: Row(row.finish()), depth }
    }
}
