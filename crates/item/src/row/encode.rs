//! Item to bytes: the lengths are summed first, so that one allocation is enough.

use bytes::Bytes;

use super::{FORMAT, HEADER};
use crate::Item;
use crate::json;

/// Most bytes of entries for which positions take two bytes.
const NARROW_MAX: usize = u16::MAX as usize;

pub(super) fn item(item: &Item) -> Bytes {
    let entries = json::members_length(item);
    let (mut row, written) = write(item, if entries > NARROW_MAX { 4 } else { 2 }, entries);
    if entries <= NARROW_MAX && written > NARROW_MAX {
        // Escapes, which are not summed, made the entries longer than that.
        (row, _) = write(item, 4, written);
    }
    // A row is stored and cached: it keeps no room to grow.
    row.shrink_to_fit();
    Bytes::from(row)
}

/// The row with positions of `width` bytes, and how many bytes its entries take; `expected` of them are made room for.
fn write(item: &Item, width: u8, expected: usize) -> (Vec<u8>, usize) {
    let table = item.len() * usize::from(width);
    let mut out = Vec::with_capacity(HEADER + table + expected);
    out.extend_from_slice(&[FORMAT, width]);
    out.extend_from_slice(&fixed(item.size()));
    out.extend_from_slice(&fixed(item.len()));
    let start = HEADER + table;
    out.resize(start, 0);
    let mut at = HEADER;
    for (index, (name, value)) in item.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let position = fixed(out.len() - start);
        if width == 2 {
            out[at..at + 2].copy_from_slice(&position[..2]);
        } else {
            out[at..at + 4].copy_from_slice(&position);
        }
        at += usize::from(width);
        json::write_member(name, value, &mut out);
    }
    let written = out.len() - start;
    (out, written)
}

fn fixed(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("an item takes 400 KB at most").to_le_bytes()
}
