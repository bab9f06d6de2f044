//! Rows: the stored form of an item.
//!
//! Attributes lie sorted by name behind a table of their positions, so one of them is found by binary search and
//! read without decoding the others, and DynamoDB JSON is written straight from the bytes.
//!
//! # Layout (format 1)
//!
//! Integers of fixed width are little endian. A *varint* is LEB128: seven bits a byte, least significant first,
//! the top bit set in all bytes but the last; at most five bytes and 32 bits.
//!
//! | bytes | meaning |
//! |---|---|
//! | 0 | format: `01` |
//! | 1 | width `w` of a position: `02` or `04` |
//! | 2..6 | item size in bytes, as [`crate::size::item`] defines it |
//! | 6..10 | number of attributes, `n` |
//! | 10..10 + n * w | position of each entry, counted from the first, in order of the names |
//! | the rest | the entries, without gaps, in order of the names |
//!
//! `w` is 2 when the entries take at most 65,535 bytes, otherwise 4. Names are compared as UTF-8 bytes and strictly
//! ascending.
//!
//! An *entry* is a name (varint length, UTF-8) and a value. A *value* is a tag byte and what the tag asks for:
//!
//! | tag | type | then |
//! |---|---|---|
//! | `00` | NULL | nothing |
//! | `01`, `02` | BOOL: false, true | nothing |
//! | `03` | S | varint length, UTF-8 |
//! | `04` | N | the number's compact bytes (below) |
//! | `05` | B | varint length, bytes |
//! | `06` | SS | *body*: varint length and UTF-8 of each member, strictly ascending |
//! | `07` | NS | *body*: compact bytes of each member, strictly ascending by value |
//! | `08` | BS | *body*: varint length and bytes of each member, strictly ascending |
//! | `09` | L | *body*: each element as a value |
//! | `0a` | M | *body*: each entry, names strictly ascending |
//!
//! A *body* is its length in bytes without these four (4 bytes), a varint count, and so many elements. Sets have
//! at least one.
//!
//! Compact bytes of a number (1 to 19): byte 0 has the sign in bit 7 (1: negative), in bit 6 whether an exponent
//! follows, in bits 0 to 4 the length of the coefficient; then the exponent (2 bytes, signed, not 0) if there is
//! one; then the coefficient, little endian, without leading zero bytes. The value is `coefficient * 10^exponent`
//! and the coefficient no multiple of ten; zero is the byte `00`, `5` is `01 05`, `-0.25` is `c1 fe ff 19`.
//!
//! Reading is strict: whatever [`Row::encode`] would not have written is a [`RowError`], never a panic.

mod encode;
mod json;
mod read;

use std::fmt;

use bytes::Bytes;

use crate::{AttributeValue, Item, Path};

pub use read::{AttributesRef, BinariesRef, ListRef, MapRef, NumbersRef, StringsRef, ValueRef};

/// The format that this code writes, and the only one it reads.
const FORMAT: u8 = 1;
const HEADER: usize = 10;

const TAG_NULL: u8 = 0;
const TAG_FALSE: u8 = 1;
const TAG_TRUE: u8 = 2;
const TAG_S: u8 = 3;
const TAG_N: u8 = 4;
const TAG_B: u8 = 5;
const TAG_SS: u8 = 6;
const TAG_NS: u8 = 7;
const TAG_BS: u8 = 8;
const TAG_L: u8 = 9;
const TAG_M: u8 = 10;

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
    /// Encodes `item`: one allocation of the exact length.
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
        self.attributes().to_attributes()
    }

    /// The value of the attribute called `name`, decoded alone.
    pub fn get(&self, name: &str) -> Result<Option<AttributeValue>, RowError> {
        self.get_ref(name)?.map(|value| value.to_value()).transpose()
    }

    /// A view of the attribute called `name`.
    pub fn get_ref(&self, name: &str) -> Result<Option<ValueRef<'_>>, RowError> {
        read::Table::of(&self.0).find(name)
    }

    /// A view of the value at `path`; nothing beside the path is decoded.
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

    /// Appends the item as DynamoDB JSON; on an error `out` may have been written to.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        json::write(&self.0, out)
    }

    /// Reads everything without keeping anything: `Ok` means that no later read of this row can fail and that
    /// the size in the header is true.
    pub fn verify(&self) -> Result<(), RowError> {
        read::verify(&self.0)
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
