//! Item to bytes: the lengths are summed first, so that one allocation is enough.

use bytes::Bytes;

use super::{FORMAT, HEADER};
use crate::Item;
use crate::json;

/// Most bytes of entries for which positions take two bytes.
const NARROW_MAX: usize = u16::MAX as usize;

pub(super) fn item(item: &Item) -> Bytes {
    let expected = json::members_length(item);
    let mut row = write(item, expected, expected);
    if expected <= NARROW_MAX && row.written() > NARROW_MAX {
        // Escapes, which are not summed, made the entries longer than that.
        row = write(item, row.written(), row.written());
    }
    row.finish()
}

/// The row, with positions for entries of so many bytes, and room for so many.
fn write(item: &Item, longest: usize, expected: usize) -> Entries {
    let mut row = Entries::new(item.len(), item.size(), longest, expected);
    for (name, value) in item {
        json::write_member(name, value, row.next());
    }
    row
}

/// A row in the making: its header, its table as far as it is known, its entries.
pub(super) struct Entries {
    out: Vec<u8>,
    width: usize,
    /// Where the next position goes.
    at: usize,
    /// Where the entries begin.
    start: usize,
}

impl Entries {
    /// A row of `count` entries that counts `size` bytes, with positions wide enough for `longest` bytes of entries and
    /// room for `expected`.
    pub(super) fn new(count: usize, size: usize, longest: usize, expected: usize) -> Self {
        let width: u8 = if longest > NARROW_MAX { 4 } else { 2 };
        let start = HEADER + count * usize::from(width);
        let mut out = Vec::with_capacity(start + expected);
        out.extend_from_slice(&[FORMAT, width]);
        out.extend_from_slice(&fixed(size));
        out.extend_from_slice(&fixed(count));
        out.resize(start, 0);
        Self { out, width: width.into(), at: HEADER, start }
    }

    /// Where to write the next entry.
    pub(super) fn next(&mut self) -> &mut Vec<u8> {
        if self.out.len() > self.start {
            self.out.push(b',');
        }
        let position = fixed(self.written());
        if self.width == 2 {
            self.out[self.at..self.at + 2].copy_from_slice(&position[..2]);
        } else {
            self.out[self.at..self.at + 4].copy_from_slice(&position);
        }
        self.at += self.width;
        &mut self.out
    }

    fn written(&self) -> usize {
        self.out.len() - self.start
    }

    /// The row. It is stored and cached: it keeps no room to grow.
    pub(super) fn finish(mut self) -> Bytes {
        self.out.shrink_to_fit();
        Bytes::from(self.out)
    }
}

fn fixed(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("an item takes 400 KB at most").to_le_bytes()
}
