//! The table of a row: from a name or an index to the text of an attribute.

use std::cmp::Ordering;
use std::fmt;

use super::text::{self, Raw, ValueRef};
use super::{FORMAT, HEADER, ROOM_MAX, RowError};
use crate::Attributes;
use std::borrow::Cow;

/// Checks what [`Table::of`] and [`item_size`] rely on.
pub(super) fn check_header(row: &[u8]) -> Result<(), RowError> {
    let Some(header) = row.first_chunk::<HEADER>() else { return Err(RowError::Damaged("header")) };
    if header[0] != FORMAT {
        return Err(RowError::Format(header[0]));
    }
    let table = u64::from(word(header, 6)) * u64::from(header[1]);
    let rest = (row.len() - HEADER) as u64;
    let empty = table == 0 && rest == 0;
    if !matches!(header[1], 2 | 4) || !(empty || (1..rest).contains(&table)) {
        return Err(RowError::Damaged("table"));
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..].first_chunk().expect("a header has 10 bytes");
    u32::from_le_bytes(*bytes)
}

/// The item size that the header of a checked row says.
pub(super) fn item_size(row: &[u8]) -> usize {
    word(row, 2) as usize
}

/// The positions and entries of a row whose header was checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    positions: &'a [u8],
    width: usize,
    pub(super) count: usize,
    pub(super) entries: &'a [u8],
}

impl<'a> Table<'a> {
    pub(super) fn of(row: &'a [u8]) -> Self {
        let width = usize::from(row[1]);
        let count = word(row, 6) as usize;
        let (positions, entries) = row[HEADER..].split_at(count * width);
        Self { positions, width, count, entries }
    }

    /// Where entry `index` begins; for `count`, where the entries end.
    fn position(&self, index: usize) -> usize {
        let at = index * self.width;
        match *self.positions.get(at..).unwrap_or_default() {
            [] => self.entries.len(),
            [low, high, ..] if self.width == 2 => usize::from(u16::from_le_bytes([low, high])),
            ref bytes => word(bytes, 0) as usize,
        }
    }

    /// Entry `index`: its name, and the text of its value.
    fn entry(&self, index: usize) -> Result<(Raw<'a>, &'a [u8]), RowError> {
        let bytes = self.entries.get(self.position(index)..self.position(index + 1));
        // Where another entry follows, the comma before it is the last byte.
        let entry =
            if index + 1 < self.count { bytes.and_then(|bytes| bytes.strip_suffix(b",")) } else { bytes };
        let mut rest = entry.ok_or(RowError::Damaged("positions"))?;
        let name = text::take_name(&mut rest)?;
        Ok((name, rest))
    }

    pub(super) fn find(&self, name: &str) -> Result<Option<ValueRef<'a>>, RowError> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            let (found, value) = self.entry(middle)?;
            match found.compare(name)? {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return ValueRef::of(value).map(Some),
            }
        }
        Ok(None)
    }

    /// All entries as they lie in the row.
    pub(super) fn members(&self) -> Result<&'a [u8], RowError> {
        match self.entries {
            [] | [b'"', .., b'}'] => Ok(self.entries),
            _ => Err(RowError::Damaged("entries")),
        }
    }
}

/// The attributes of a row in order of their names; see [`Row::attributes`](super::Row::attributes).
#[derive(Clone)]
pub struct AttributesRef<'a> {
    table: Table<'a>,
    next: usize,
    previous: Option<Raw<'a>>,
}

impl<'a> AttributesRef<'a> {
    pub(super) fn of(row: &'a [u8]) -> Self {
        Self { table: Table::of(row), next: 0, previous: None }
    }

    fn read(&mut self) -> Result<(Cow<'a, str>, ValueRef<'a>), RowError> {
        if self.next == 0 && self.table.position(0) != 0 {
            return Err(RowError::Damaged("positions"));
        }
        let (raw, value) = self.table.entry(self.next)?;
        let name = raw.to_text()?;
        if let Some(previous) = self.previous.replace(raw)
            && previous.compare(&name)? != Ordering::Less
        {
            return Err(RowError::Damaged("order"));
        }
        Ok((name, ValueRef::of(value)?))
    }
}

impl<'a> Iterator for AttributesRef<'a> {
    type Item = Result<(Cow<'a, str>, ValueRef<'a>), RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.table.count {
            return None;
        }
        let attribute = self.read();
        self.next = if attribute.is_ok() { self.next + 1 } else { self.table.count };
        Some(attribute)
    }
}

impl fmt::Debug for AttributesRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

pub(super) fn to_item(attributes: AttributesRef<'_>) -> Result<Attributes, RowError> {
    let mut pairs = Vec::with_capacity(attributes.table.count.min(ROOM_MAX));
    for attribute in attributes {
        let (name, value) = attribute?;
        pairs.push((name.into_owned(), value.to_value()?));
    }
    Ok(Attributes::from_sorted(pairs))
}
