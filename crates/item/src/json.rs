//! DynamoDB JSON, written from trees or straight from stored rows by appending to a byte vector.
//!
//! Writing only: requests are parsed where the protocol lives. Numbers are written as strings in canonical
//! text, binaries in standard base64 with padding. Strings escape `"`, `\` and the control characters below
//! U+0020, nothing else; the output is UTF-8.

use std::str::Utf8Error;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{AttributeValue, Attributes, Image, Number, Row, RowError, ValueRef};

/// Writes `text` as a JSON string with its quotes.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    write_quoted(text.as_bytes(), out);
}

/// As [`write_string`], of bytes that may not be UTF-8; writes nothing then.
pub(crate) fn write_utf8(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Utf8Error> {
    if !bytes.is_ascii() {
        str::from_utf8(bytes)?;
    }
    write_quoted(bytes, out);
    Ok(())
}

/// Writes the first `length` bytes of `bytes` as a JSON string if that is quickly done: they are few, all ASCII, with
/// nothing to escape, and enough other bytes follow them. Otherwise it writes nothing.
pub(crate) fn write_short(bytes: &[u8], length: usize, out: &mut Vec<u8>) -> bool {
    if length <= 16 {
        bytes.first_chunk::<16>().is_some_and(|chunk| write_chunk(chunk, length, out))
    } else if length <= SHORT_MAX {
        bytes.first_chunk::<SHORT_MAX>().is_some_and(|chunk| write_chunk(chunk, length, out))
    } else {
        false
    }
}

/// Longest text that [`write_short`] writes.
const SHORT_MAX: usize = 32;

/// Ones, then zeros: what begins `n` bytes before the first zero masks the first `n` bytes of a text.
const MASKS: [u8; 2 * SHORT_MAX] = {
    let mut masks = [0; 2 * SHORT_MAX];
    let mut at = 0;
    while at < SHORT_MAX {
        masks[at] = 0xff;
        at += 1;
    }
    masks
};

/// Copying a fixed number of bytes takes a few instructions where copying `length` bytes takes a call; what was copied
/// too much is cut off again.
#[inline]
fn write_chunk<const N: usize>(chunk: &[u8; N], length: usize, out: &mut Vec<u8>) -> bool {
    let Some(mask) = MASKS[SHORT_MAX - length..].first_chunk::<N>() else { return false };
    // Bytes with bytes and without branches, so that many are compared at once.
    let special =
        |byte: u8| u8::from(byte.cast_signed() < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    let found = chunk.iter().zip(mask).fold(0, |found, (byte, mask)| found | (special(*byte) & mask));
    if found == 0 {
        let end = out.len() + 1 + length;
        out.push(b'"');
        out.extend_from_slice(chunk);
        out.truncate(end);
        out.push(b'"');
    }
    found == 0
}

fn write_quoted(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut rest = bytes;
    while let Some(at) = find_escape(rest) {
        out.extend_from_slice(&rest[..at]);
        write_escape(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Where the first byte that must be escaped is; looks at eight bytes at a time.
fn find_escape(bytes: &[u8]) -> Option<usize> {
    let Some(last) = bytes.last_chunk::<8>() else { return find_escape_in_short(bytes) };
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        if let Some(at) = escape_in(u64::from_le_bytes(*word)) {
            return Some(index * 8 + at);
        }
    }
    // The last word may overlap the one before it, in which there is nothing to escape.
    escape_in(u64::from_le_bytes(*last)).map(|at| bytes.len() - 8 + at)
}

/// As [`find_escape`], of less than eight bytes.
fn find_escape_in_short(bytes: &[u8]) -> Option<usize> {
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
            let at = escape_in(first | last << 32)?;
            Some(if at < 4 { at } else { bytes.len() + at - 8 })
        }
        _ => bytes.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')),
    }
}

/// Where the first byte of `word` is that must be escaped.
///
/// Marks the top bit of each such byte. The lowest mark is true; a mark above it may be false, as subtraction
/// borrows from the next byte only out of a marked one.
fn escape_in(word: u64) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES * 0x80);
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let marks = below(word, 0x20) | equal(b'"') | equal(b'\\');
    (marks != 0).then(|| marks.trailing_zeros() as usize / 8)
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 0xf));
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEX[high], HEX[low]]);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Writes `bytes` as a JSON string of base64.
pub fn write_binary(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let start = out.len();
    let length = bytes.len().div_ceil(3) * 4;
    out.resize(start + length, 0);
    let written = STANDARD.encode_slice(bytes, &mut out[start..]);
    debug_assert_eq!(written, Ok(length), "three bytes make four characters");
    out.push(b'"');
}

/// Writes `number` as a JSON string of its canonical text.
pub fn write_number(number: &Number, out: &mut Vec<u8>) {
    out.push(b'"');
    number.write_to(out);
    out.push(b'"');
}

/// Writes `value` with its type: `{"S":"text"}`.
pub fn write_value(value: &AttributeValue, out: &mut Vec<u8>) {
    open(value.kind(), out);
    match value {
        AttributeValue::S(text) => write_string(text, out),
        AttributeValue::N(number) => write_number(number, out),
        AttributeValue::B(bytes) => write_binary(bytes, out),
        AttributeValue::Bool(value) => write_bool(*value, out),
        AttributeValue::Null => write_bool(true, out),
        AttributeValue::Ss(set) => write_list(set, out, |member, out| write_string(member, out)),
        AttributeValue::Ns(set) => write_list(set, out, write_number),
        AttributeValue::Bs(set) => write_list(set, out, |member, out| write_binary(member, out)),
        AttributeValue::L(list) => write_list(list, out, write_value),
        AttributeValue::M(map) => write_attributes(map, out),
    }
    out.push(b'}');
}

/// Writes an item, or the entries of a map: `{"name":{"S":"text"}}`.
pub fn write_attributes(attributes: &Attributes, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (name, value)) in attributes.iter().enumerate() {
        write_name(index, name, out);
        write_value(value, out);
    }
    out.push(b'}');
}

/// Writes the item that `row` encodes, without decoding it to a tree. If the row is damaged, `out` is left as it was.
pub fn write_row(row: &Row, out: &mut Vec<u8>) -> Result<(), RowError> {
    let start = out.len();
    // Braces, quotes and type names take about as much again as short names and values.
    out.reserve(2 * row.as_bytes().len());
    let written = row.write_json(out);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

/// Writes an item in either form. If it is a damaged row, `out` is left as it was.
pub fn write_image(image: &Image, out: &mut Vec<u8>) -> Result<(), RowError> {
    match image {
        Image::Row(row) => write_row(row, out),
        Image::Tree(item) => {
            write_attributes(item, out);
            Ok(())
        }
    }
}

/// Writes names and encoded values as an item: those of a whole row, or a selection. If one is damaged, what was
/// written before it stays in `out`.
pub fn write_entries<'a>(
    entries: impl Iterator<Item = Result<(&'a str, ValueRef<'a>), RowError>>,
    out: &mut Vec<u8>,
) -> Result<(), RowError> {
    out.push(b'{');
    for (index, entry) in entries.enumerate() {
        let (name, value) = entry?;
        write_name(index, name, out);
        write_value_ref(value, out)?;
    }
    out.push(b'}');
    Ok(())
}

/// Writes an encoded value with its type. If it is damaged, what was written before the damage stays in `out`.
pub fn write_value_ref(value: ValueRef<'_>, out: &mut Vec<u8>) -> Result<(), RowError> {
    open(value.kind(), out);
    match value {
        ValueRef::S(text) => write_string(text, out),
        ValueRef::N(number) => write_number(&number, out),
        ValueRef::B(bytes) => write_binary(bytes, out),
        ValueRef::Bool(value) => write_bool(value, out),
        ValueRef::Null => write_bool(true, out),
        ValueRef::Ss(set) => write_set_ref(set, out, write_string)?,
        ValueRef::Ns(set) => write_set_ref(set, out, |member, out| write_number(&member, out))?,
        ValueRef::Bs(set) => write_set_ref(set, out, write_binary)?,
        ValueRef::L(list) => write_list_ref(list, out, write_value_ref)?,
        ValueRef::M(map) => write_entries(map, out)?,
    }
    out.push(b'}');
    Ok(())
}

/// Opens a value: `{"S":`.
fn open(kind: crate::Kind, out: &mut Vec<u8>) {
    use crate::Kind;
    out.extend_from_slice(match kind {
        Kind::S => br#"{"S":"#,
        Kind::N => br#"{"N":"#,
        Kind::B => br#"{"B":"#,
        Kind::Bool => br#"{"BOOL":"#,
        Kind::Null => br#"{"NULL":"#,
        Kind::Ss => br#"{"SS":"#,
        Kind::Ns => br#"{"NS":"#,
        Kind::Bs => br#"{"BS":"#,
        Kind::L => br#"{"L":"#,
        Kind::M => br#"{"M":"#,
    });
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Writes the name of the entry at `index`, with the comma before it and the colon after it.
fn write_name(index: usize, name: &str, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
    write_string(name, out);
    out.push(b':');
}

fn write_list<'a, T: 'a>(
    elements: impl IntoIterator<Item = &'a T>,
    out: &mut Vec<u8>,
    write: impl Fn(&'a T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (index, element) in elements.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

fn write_set_ref<T>(
    members: impl Iterator<Item = Result<T, RowError>>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) -> Result<(), RowError> {
    write_list_ref(members, out, |member, out| {
        write(member, out);
        Ok(())
    })
}

fn write_list_ref<T>(
    elements: impl Iterator<Item = Result<T, RowError>>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>) -> Result<(), RowError>,
) -> Result<(), RowError> {
    out.push(b'[');
    for (index, element) in elements.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(element?, out)?;
    }
    out.push(b']');
    Ok(())
}

#[cfg(test)]
mod tests;
