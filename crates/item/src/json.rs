//! DynamoDB JSON, written from trees or copied from stored rows by appending to a byte vector.
//!
//! The text of an item is also its stored form (see [`crate::row`]): a change here changes the format of rows.
//!
//! Writing only: requests are parsed where the protocol lives. Numbers are written as strings in canonical
//! text, binaries in standard base64 with padding. Strings escape `"`, `\` and the control characters below
//! U+0020, nothing else; the output is UTF-8.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{AttributeValue, Attributes, Image, Number, Row, RowError};

/// Writes `text` as a JSON string with its quotes.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    if !write_short(text.as_bytes(), out) {
        write_quoted(text.as_bytes(), out);
    }
}

/// Writes `text` as a JSON string if that is quickly done: it is short, with nothing to escape, and `out` has some room.
/// Otherwise it writes nothing.
///
/// Names and most values are short, and copying a fixed number of bytes takes a few instructions where copying
/// `text.len()` bytes takes a call; what was copied too much is cut off again.
#[inline]
fn write_short(text: &[u8], out: &mut Vec<u8>) -> bool {
    let length = text.len();
    if length > SHORT_MAX || out.capacity() - out.len() < size_of::<u128>() {
        return false;
    }
    let word = load(text);
    // A space needs no escape.
    let padded = word | u128::from_le_bytes([b' '; 16]) << (8 * length);
    if escape_in(low_half(padded)).is_some() || escape_in(low_half(padded >> 64)).is_some() {
        return false;
    }
    let quote = u128::from(b'"');
    let quoted = quote | word << 8 | quote << (8 * (length + 1));
    let end = out.len() + length + 2;
    out.extend_from_slice(&quoted.to_le_bytes());
    out.truncate(end);
    true
}

/// Longest text that [`write_short`] writes; with its quotes it fills a `u128`.
const SHORT_MAX: usize = 14;

/// The bytes of `text`, at most 16, as a little-endian integer.
#[inline]
fn load(text: &[u8]) -> u128 {
    if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        // The two may overlap; they agree where they do.
        let [first, last] = [first, last].map(|half| u128::from(u64::from_le_bytes(*half)));
        return first | last << (8 * (text.len() - 8));
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        return u128::from(first | last << (8 * (text.len() - 4)));
    }
    text.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))
}

#[expect(clippy::cast_possible_truncation, reason = "half of it is what is asked for")]
fn low_half(word: u128) -> u64 {
    word as u64
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
pub(crate) fn find_escape(bytes: &[u8]) -> Option<usize> {
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
    // Each arm has its own copy of a fixed number of bytes, which takes no call.
    match value {
        AttributeValue::S(text) => write_string_value(text, out),
        AttributeValue::N(number) => write_typed(br#"{"N":"#, number, out, write_number),
        AttributeValue::B(bytes) => {
            write_typed(br#"{"B":"#, bytes, out, |bytes, out| write_binary(bytes, out));
        }
        AttributeValue::Bool(true) => out.extend_from_slice(br#"{"BOOL":true}"#),
        AttributeValue::Bool(false) => out.extend_from_slice(br#"{"BOOL":false}"#),
        AttributeValue::Null => out.extend_from_slice(br#"{"NULL":true}"#),
        AttributeValue::Ss(set) => write_typed(br#"{"SS":"#, set, out, |set, out| {
            write_list(set, out, |member, out| write_string(member, out));
        }),
        AttributeValue::Ns(set) => {
            write_typed(br#"{"NS":"#, set, out, |set, out| write_list(set, out, write_number));
        }
        AttributeValue::Bs(set) => write_typed(br#"{"BS":"#, set, out, |set, out| {
            write_list(set, out, |member, out| write_binary(member, out));
        }),
        AttributeValue::L(list) => {
            write_typed(br#"{"L":"#, list, out, |list, out| write_list(list, out, write_value));
        }
        AttributeValue::M(map) => write_typed(br#"{"M":"#, map, out, write_attributes),
    }
}

/// Writes a value of type S.
#[inline]
pub(crate) fn write_string_value(text: &str, out: &mut Vec<u8>) {
    write_typed(br#"{"S":"#, text, out, write_string);
}

/// Writes a value of type SS; the members are sorted.
pub(crate) fn write_string_set(members: &[Cow<'_, str>], out: &mut Vec<u8>) {
    write_typed(br#"{"SS":"#, members, out, |members, out| {
        write_list(members, out, |member, out| write_string(member, out));
    });
}

/// What stands around the elements of a list and the entries of a map, with their types.
pub(crate) const LIST_OPENING: &[u8] = br#"{"L":["#;
pub(crate) const LIST_CLOSING: &[u8] = b"]}";
pub(crate) const MAP_OPENING: &[u8] = br#"{"M":{"#;
pub(crate) const MAP_CLOSING: &[u8] = b"}}";

/// Writes a value between the name of its type and the closing brace.
#[inline]
fn write_typed<T: ?Sized, const N: usize>(
    opening: &[u8; N],
    content: &T,
    out: &mut Vec<u8>,
    write: impl FnOnce(&T, &mut Vec<u8>),
) {
    out.extend_from_slice(opening);
    write(content, out);
    out.push(b'}');
}

/// Writes an item, or the entries of a map: `{"name":{"S":"text"}}`.
pub fn write_attributes(attributes: &Attributes, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (name, value)) in attributes.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_member(name, value, out);
    }
    out.push(b'}');
}

/// Writes one attribute: `"name":{"S":"text"}`.
pub(crate) fn write_member(name: &str, value: &AttributeValue, out: &mut Vec<u8>) {
    write_string(name, out);
    out.push(b':');
    write_value(value, out);
}

/// The bytes that [`write_attributes`] writes between the braces, if nothing has to be escaped.
pub(crate) fn members_length(attributes: &Attributes) -> usize {
    let members = attributes.iter().map(|(name, value)| quoted_length(name.len()) + 1 + value_length(value));
    joined_length(attributes.len(), members)
}

/// The bytes that [`write_value`] writes, if nothing has to be escaped.
fn value_length(value: &AttributeValue) -> usize {
    let content = match value {
        AttributeValue::S(text) => quoted_length(text.len()),
        AttributeValue::N(number) => quoted_length(number.text_length()),
        AttributeValue::B(bytes) => binary_length(bytes),
        AttributeValue::Bool(true) | AttributeValue::Null => 4,
        AttributeValue::Bool(false) => 5,
        AttributeValue::Ss(set) => {
            2 + joined_length(set.len(), set.iter().map(|text| quoted_length(text.len())))
        }
        AttributeValue::Ns(set) => {
            2 + joined_length(set.len(), set.iter().map(|number| quoted_length(number.text_length())))
        }
        AttributeValue::Bs(set) => 2 + joined_length(set.len(), set.iter().map(|bytes| binary_length(bytes))),
        AttributeValue::L(list) => 2 + joined_length(list.len(), list.iter().map(value_length)),
        AttributeValue::M(map) => 2 + members_length(map),
    };
    // Braces, quotes and colon.
    5 + value.kind().name().len() + content
}

fn joined_length(count: usize, elements: impl Iterator<Item = usize>) -> usize {
    count.saturating_sub(1) + elements.sum::<usize>()
}

fn quoted_length(length: usize) -> usize {
    length + 2
}

fn binary_length(bytes: &[u8]) -> usize {
    quoted_length(bytes.len().div_ceil(3) * 4)
}

/// Copies the item that `row` encodes. The bytes are trusted to be a row: only what costs nothing is checked, and
/// [`Row::verify`] is for bytes that may be anything. If the check fails, `out` is left as it was.
pub fn write_row(row: &Row, out: &mut Vec<u8>) -> Result<(), RowError> {
    let members = row.json_members()?;
    out.reserve(members.len() + 2);
    out.push(b'{');
    out.extend_from_slice(members);
    out.push(b'}');
    Ok(())
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

#[cfg(test)]
pub(crate) mod tests;
