//! Items to bytes as they come: each attribute is written when it is named, in whatever order.

use std::borrow::Cow;

use bytes::Bytes;

use super::{FORMAT, HEADER, Row, encode};
use crate::{AttributeValue, Item, json, size};

/// An item that is to be written: its stored form, and what is checked of it.
///
/// It is made of an [`Item`], or by an [`ItemBuilder`] without one.
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

    /// The item as it will be stored, without a copy.
    pub fn into_row(self) -> Row {
        self.row
    }

    /// Levels of nesting: see [`Attributes::depth`](crate::Attributes::depth).
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The item's size in bytes: see [`crate::size::item`].
    pub fn size(&self) -> usize {
        self.row.item_size()
    }
}

/// The stored form of an item without attributes.
const EMPTY: [u8; HEADER] = [FORMAT, 2, 0, 0, 0, 0, 0, 0, 0, 0];

impl Default for NewItem {
    fn default() -> Self {
        Self { row: Row(Bytes::from_static(&EMPTY)), depth: 0 }
    }
}

impl From<Item> for NewItem {
    /// # Panics
    /// If the item takes 4 GiB or more.
    fn from(item: Item) -> Self {
        Self { row: Row::encode(&item), depth: item.depth() }
    }
}

/// What a written value counts: its size in bytes, and its levels of nesting.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    size: usize,
    depth: usize,
}

/// Encodes an item attribute by attribute, in any order. Of attributes with one name the last counts.
#[derive(Debug)]
pub struct ItemBuilder<'a> {
    out: ValueWriter,
    entries: Entries<'a>,
}

impl<'a> ItemBuilder<'a> {
    /// No attributes yet, and room for so many, which take so many bytes as JSON.
    pub fn with_room(attributes: usize, bytes: usize) -> Self {
        let out = ValueWriter(Vec::with_capacity(bytes));
        Self { out, entries: Entries { start: 0, all: Vec::with_capacity(attributes) } }
    }

    /// How many attributes it was given.
    pub fn len(&self) -> usize {
        self.entries.all.len()
    }

    /// Whether it was given none.
    pub fn is_empty(&self) -> bool {
        self.entries.all.is_empty()
    }

    /// Adds an attribute.
    pub fn add(&mut self, name: Cow<'a, str>, value: &AttributeValue) {
        self.entries.begin(name, &mut self.out);
        let written = self.out.value(value);
        self.entries.end(written, &self.out);
    }

    /// Adds an attribute whose value `write` writes. Where that gives up, nothing is added, and the name comes back.
    ///
    /// # Errors
    /// The name.
    pub fn try_add(
        &mut self,
        name: Cow<'a, str>,
        write: impl FnOnce(&mut ValueWriter) -> Option<Written>,
    ) -> Result<(), Cow<'a, str>> {
        let before = self.out.0.len();
        self.entries.begin(name, &mut self.out);
        if let Some(written) = write(&mut self.out) {
            self.entries.end(written, &self.out);
            return Ok(());
        }
        self.out.0.truncate(before);
        Err(self.entries.all.pop().map(|entry| entry.name).unwrap_or_default())
    }

    /// The item.
    ///
    /// # Panics
    /// If it takes 4 GiB or more.
    pub fn finish(mut self) -> NewItem {
        if self.is_empty() {
            return NewItem::default();
        }
        self.entries.sort();
        let all = &self.entries.all;
        let commas = all.len() - 1;
        let length = commas + all.iter().map(|entry| entry.to - entry.from).sum::<usize>();
        let mut row = encode::Entries::new(all.len(), self.entries.size(), length, length);
        for entry in all {
            row.next().extend_from_slice(&self.out.0[entry.from..entry.to]);
        }
        NewItem { row: Row(row.finish()), depth: self.entries.depth() }
    }
}

/// Writes values as they are stored.
#[derive(Debug)]
pub struct ValueWriter(Vec<u8>);

impl ValueWriter {
    /// Writes a value of type S.
    pub fn string(&mut self, text: &str) -> Written {
        json::write_string_value(text, &mut self.0);
        Written { size: text.len(), depth: 1 }
    }

    /// Writes a value of type SS with these members; `None` if there are none or two are the same.
    pub fn string_set(&mut self, members: &mut [Cow<'_, str>]) -> Option<Written> {
        members.sort_unstable();
        if members.is_empty() || !members.is_sorted_by(|one, next| one < next) {
            return None;
        }
        json::write_string_set(members, &mut self.0);
        Some(Written { size: members.iter().map(|member| member.len()).sum(), depth: 1 })
    }

    /// Writes any value.
    pub fn value(&mut self, value: &AttributeValue) -> Written {
        json::write_value(value, &mut self.0);
        Written { size: size::value(value), depth: value.depth() }
    }
}

/// A value of type L in the making.
#[derive(Debug)]
pub struct ListWriter {
    count: usize,
    size: usize,
    depth: usize,
}

impl ListWriter {
    /// Begins the list.
    pub fn begin(out: &mut ValueWriter) -> Self {
        out.0.extend_from_slice(json::LIST_OPENING);
        Self { count: 0, size: 0, depth: 0 }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the element that `write` writes, unless that gives up.
    pub fn add(
        &mut self,
        out: &mut ValueWriter,
        write: impl FnOnce(&mut ValueWriter) -> Option<Written>,
    ) -> Option<()> {
        if self.count > 0 {
            out.0.push(b',');
        }
        let Written { size, depth } = write(out)?;
        self.count += 1;
        self.size += size;
        self.depth = self.depth.max(depth);
        Some(())
    }

    /// Ends the list.
    pub fn end(self, out: &mut ValueWriter) -> Written {
        out.0.extend_from_slice(json::LIST_CLOSING);
        Written { size: size::container(self.count) + self.size, depth: 1 + self.depth }
    }
}

/// A value of type M in the making.
#[derive(Debug)]
pub struct MapWriter<'a>(Entries<'a>);

impl<'a> MapWriter<'a> {
    /// Begins the map.
    pub fn begin(out: &mut ValueWriter) -> Self {
        out.0.extend_from_slice(json::MAP_OPENING);
        Self(Entries { start: out.0.len(), all: Vec::new() })
    }

    /// How many entries it was given.
    pub fn len(&self) -> usize {
        self.0.all.len()
    }

    /// Whether it was given none.
    pub fn is_empty(&self) -> bool {
        self.0.all.is_empty()
    }

    /// Adds the entry whose value `write` writes, unless that gives up.
    pub fn add(
        &mut self,
        name: Cow<'a, str>,
        out: &mut ValueWriter,
        write: impl FnOnce(&mut ValueWriter) -> Option<Written>,
    ) -> Option<()> {
        self.0.begin(name, out);
        let written = write(out)?;
        self.0.end(written, out);
        Some(())
    }

    /// Ends the map.
    pub fn end(mut self, out: &mut ValueWriter) -> Written {
        if self.0.sort() {
            self.0.rewrite(out);
        }
        out.0.extend_from_slice(json::MAP_CLOSING);
        Written { size: size::container(self.len()) + self.0.size(), depth: 1 + self.0.depth() }
    }
}

/// The attributes of an item or the entries of a map as they are written: in any order, a comma between two.
#[derive(Debug)]
struct Entries<'a> {
    /// Where the first one begins.
    start: usize,
    all: Vec<Entry<'a>>,
}

#[derive(Debug)]
struct Entry<'a> {
    /// The first bytes of the name: names that differ there are compared by them.
    first: u64,
    name: Cow<'a, str>,
    from: usize,
    to: usize,
    size: usize,
    depth: usize,
}

impl Entry<'_> {
    fn is_before(&self, other: &Self) -> bool {
        (self.first, &self.name) < (other.first, &other.name)
    }
}

impl<'a> Entries<'a> {
    /// Begins an entry, whose value is written next.
    fn begin(&mut self, name: Cow<'a, str>, out: &mut ValueWriter) {
        let out = &mut out.0;
        if out.len() > self.start {
            out.push(b',');
        }
        let from = out.len();
        json::write_string(&name, out);
        out.push(b':');
        self.all.push(Entry { first: first_bytes(&name), name, from, to: from, size: 0, depth: 0 });
    }

    /// Ends the entry that was begun last.
    fn end(&mut self, written: Written, out: &ValueWriter) {
        if let Some(entry) = self.all.last_mut() {
            entry.to = out.0.len();
            entry.size = entry.name.len() + written.size;
            entry.depth = written.depth;
        }
    }

    /// Sorts the entries by name and leaves only the last one of each; whether that changed anything.
    fn sort(&mut self) -> bool {
        if self.all.is_sorted_by(Entry::is_before) {
            return false;
        }
        // Of one name, the one that came last first: that one is kept.
        self.all.sort_unstable_by(|one, other| {
            one.first
                .cmp(&other.first)
                .then_with(|| one.name.cmp(&other.name))
                .then(other.from.cmp(&one.from))
        });
        self.all.dedup_by(|later, kept| later.name == kept.name);
        true
    }

    /// Writes the entries once more, as they are now.
    fn rewrite(&self, out: &mut ValueWriter) {
        let text = out.0.split_off(self.start);
        for entry in &self.all {
            if out.0.len() > self.start {
                out.0.push(b',');
            }
            out.0.extend_from_slice(&text[entry.from - self.start..entry.to - self.start]);
        }
    }

    fn size(&self) -> usize {
        self.all.iter().map(|entry| entry.size).sum()
    }

    fn depth(&self) -> usize {
        self.all.iter().map(|entry| entry.depth).max().unwrap_or(0)
    }
}

/// The first eight bytes, zeros where there are fewer, as a number that sorts as they do.
fn first_bytes(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let first = bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        padded
    });
    u64::from_be_bytes(first)
}
