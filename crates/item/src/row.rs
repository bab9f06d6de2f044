//! Rows: the stored form of an item.
//!
//! The stored bytes of an item are the DynamoDB JSON that answers carry, behind a table of the attributes' positions.
//! So a whole item is answered with one copy of bytes, and one attribute is found by binary search and read without
//! parsing the others. Why: `docs/adr/0005-json-ready-rows.md`.
//!
//! # Layout (format 2)
//!
//! Integers are little endian.
//!
//! | bytes | meaning |
//! |---|---|
//! | 0 | format: `02` |
//! | 1 | width `w` of a position: `02` or `04` |
//! | 2..6 | item size in bytes, as [`crate::size::item`] defines it |
//! | 6..10 | number of attributes, `n` |
//! | 10..10 + n * w | position of each entry, counted from the first, in order of the names |
//! | the rest | the entries in order of the names, a comma between two |
//!
//! `w` is 2 when the entries take at most 65,535 bytes, otherwise 4. Names are compared as UTF-8 bytes and strictly
//! ascending.
//!
//! An *entry* is `"name":value`, and a *value* one of
//! `{"S":"text"}`, `{"N":"1.5"}`, `{"B":"AQI="}`, `{"BOOL":true}`, `{"BOOL":false}`, `{"NULL":true}`,
//! `{"SS":["a","b"]}`, `{"NS":["-1","2"]}`, `{"BS":["AQI="]}`, `{"L":[values]}`, `{"M":{entries}}`;
//! lists and maps may be empty. There are no spaces. The text is the one that [`crate::json`] writes, and each item has
//! exactly one:
//!
//! - strings are UTF-8 and escape the quote (`\"`), the backslash (`\\`) and what lies below U+0020: as `\b`, `\t`, `\n`, `\f`
//!   and `\r`, otherwise as `\u00` and two lower-case hexadecimal digits;
//! - numbers are plain decimals without superfluous zeros, and zero is `0`;
//! - binaries are standard base64 with padding;
//! - sets have at least one member; members and names of maps are strictly ascending: strings by UTF-8 bytes, numbers by
//!   value, binaries by their decoded bytes.
//!
//! Reading is strict: whatever [`Row::encode`] would not have written is a [`RowError`], never a panic. Only
//! [`crate::json::write_row`] trusts the entries; the store's checksums guard them against damage on disk.

mod build;
mod encode;
mod read;
mod text;

use std::fmt;

use bytes::Bytes;

use crate::{AttributeValue, Item, Path};

pub use build::{ItemBuilder, ListWriter, MapWriter, NewItem, ValueWriter, Written};
pub use read::AttributesRef;
pub use text::ValueRef;

/// The format that this code writes, and the only one it reads.
const FORMAT: u8 = 2;
const HEADER: usize = 10;

/// Deepest nesting that is read, so that damaged bytes cannot exhaust the stack; twice what an item may have.
const DEPTH_MAX: usize = 2 * crate::limits::NESTING_MAX;

/// Most elements for which room is made before they are read: their number in damaged bytes may be far too large.
const ROOM_MAX: usize = 1024;

/// Why bytes are not a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowError {
    /// Written by another version of the format.
    Format(u8),
    /// Not what any version writes; says what was being read.
    Damaged(&'static str),
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(found) => write!(f, "row of format {found}, this version reads format {FORMAT}"),
            Self::Damaged(what) => write!(f, "damaged row: {what}"),
        }
    }
}

impl std::error::Error for RowError {}

/// An encoded item. Cloning shares the bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Row(Bytes);

impl Row {
    /// Encodes `item`: one allocation, of the exact length unless texts must be escaped.
    ///
    /// # Panics
    /// If the item takes 4 GiB or more; items are limited to 400 KB before they are encoded.
    pub fn encode(item: &Item) -> Self {
        Self(encode::item(item))
    }

    /// Takes stored bytes for a row. Checks the header and the table's length only, which costs the same for
    /// every row; the rest is checked as it is read, or all at once by [`verify`](Self::verify).
    pub fn from_bytes(bytes: Bytes) -> Result<Self, RowError> {
        read::check_header(&bytes)?;
        Ok(Self(bytes))
    }

    /// The stored bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The stored bytes, without a copy.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// The item's size in bytes, from the header: see [`crate::size::item`].
    pub fn item_size(&self) -> usize {
        read::item_size(&self.0)
    }

    /// How many attributes the item has.
    pub fn len(&self) -> usize {
        read::Table::of(&self.0).count
    }

    /// Whether the item has no attributes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The whole item as a tree.
    pub fn decode(&self) -> Result<Item, RowError> {
        read::to_item(self.attributes())
    }

    /// The value of the attribute called `name`, decoded alone.
    pub fn get(&self, name: &str) -> Result<Option<AttributeValue>, RowError> {
        self.get_ref(name)?.map(|value| value.to_value()).transpose()
    }

    /// A view of the attribute called `name`; its value is not parsed yet.
    pub fn get_ref(&self, name: &str) -> Result<Option<ValueRef<'_>>, RowError> {
        read::Table::of(&self.0).find(name)
    }

    /// A view of the value at `path`; what lies beside the path is skipped or not even looked at.
    pub fn resolve(&self, path: &Path) -> Result<Option<ValueRef<'_>>, RowError> {
        let mut value = self.get_ref(path.top())?;
        for step in path.rest() {
            let Some(outer) = value else { return Ok(None) };
            value = outer.step(step)?;
        }
        Ok(value)
    }

    /// Names and values in order of the names, read one by one. After an error the iterator ends.
    pub fn attributes(&self) -> AttributesRef<'_> {
        AttributesRef::of(&self.0)
    }

    /// The DynamoDB JSON of the attributes, without the braces around them; not checked, save for its two ends.
    pub(crate) fn json_members(&self) -> Result<&[u8], RowError> {
        read::Table::of(&self.0).members()
    }

    /// Reads everything without keeping anything: `Ok` means that this is what [`encode`](Self::encode) makes of the
    /// item, so no later read of this row can fail and the size in the header is true.
    pub fn verify(&self) -> Result<(), RowError> {
        let one_form = Self::encode(&self.decode()?);
        if one_form == *self { Ok(()) } else { Err(RowError::Damaged("size or width of positions")) }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Row({} bytes: ", self.0.len())?;
        match self.decode() {
            Ok(item) => item.fmt(f)?,
            Err(error) => error.fmt(f)?,
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests;
