//! Bytes to DynamoDB JSON in one pass, with neither a tree nor views.
//!
//! Checks all that the output depends on: lengths, UTF-8, numbers, tags, depth. The order of names and members is
//! not looked at here.

use super::read::{Table, take_body, take_bytes, take_number, take_varint};
use super::{
    RowError, TAG_B, TAG_BS, TAG_FALSE, TAG_L, TAG_M, TAG_N, TAG_NS, TAG_NULL, TAG_S, TAG_SS, TAG_TRUE,
};
use crate::json::{write_binary, write_number, write_short, write_utf8};

/// What takes one element off the front of the input, whose level is given, and writes it.
trait Write: Fn(&mut &[u8], usize, &mut Vec<u8>) -> Result<(), RowError> {}

impl<F: Fn(&mut &[u8], usize, &mut Vec<u8>) -> Result<(), RowError>> Write for F {}

/// Writes all attributes of a row whose header was checked.
pub(super) fn write(row: &[u8], out: &mut Vec<u8>) -> Result<(), RowError> {
    let table = Table::of(row);
    out.push(b'{');
    let mut rest = table.entries;
    write_elements(&mut rest, table.count, 1, out, write_entry)?;
    out.push(b'}');
    Ok(())
}

fn write_elements(
    rest: &mut &[u8],
    count: usize,
    depth: usize,
    out: &mut Vec<u8>,
    write: impl Write,
) -> Result<(), RowError> {
    for index in 0..count {
        if index > 0 {
            out.push(b',');
        }
        write(rest, depth, out)?;
    }
    if rest.is_empty() { Ok(()) } else { Err(RowError::Damaged("more bytes than elements")) }
}

fn write_entry(rest: &mut &[u8], depth: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    write_text(rest, depth, out)?;
    out.push(b':');
    write_value(rest, depth, out)
}

fn write_value(rest: &mut &[u8], depth: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    let tag = *rest.split_off_first().ok_or(RowError::Damaged("value"))?;
    if let Some(whole) = constant(tag) {
        out.extend_from_slice(whole);
        return Ok(());
    }
    // Each arm has its own call, so that the usual types are written without a jump through a pointer.
    match tag {
        TAG_S => write_typed(br#"{"S":"#, rest, depth, out, write_text),
        TAG_N => write_typed(br#"{"N":"#, rest, depth, out, write_decimal),
        TAG_B => write_typed(br#"{"B":"#, rest, depth, out, write_base64),
        TAG_SS => write_typed(br#"{"SS":"#, rest, depth, out, write_set(write_text)),
        TAG_NS => write_typed(br#"{"NS":"#, rest, depth, out, write_set(write_decimal)),
        TAG_BS => write_typed(br#"{"BS":"#, rest, depth, out, write_set(write_base64)),
        TAG_L => write_typed(br#"{"L":"#, rest, depth, out, write_list),
        TAG_M => write_typed(br#"{"M":"#, rest, depth, out, write_map),
        _ => Err(RowError::Damaged("tag")),
    }
}

/// Writes a value between the name of its type and the closing brace.
fn write_typed<const N: usize>(
    opening: &[u8; N],
    rest: &mut &[u8],
    depth: usize,
    out: &mut Vec<u8>,
    write: impl Write,
) -> Result<(), RowError> {
    out.extend_from_slice(opening);
    write(rest, depth, out)?;
    out.push(b'}');
    Ok(())
}

/// The text of a value that its tag tells whole.
fn constant(tag: u8) -> Option<&'static [u8]> {
    match tag {
        TAG_NULL => Some(br#"{"NULL":true}"#),
        TAG_FALSE => Some(br#"{"BOOL":false}"#),
        TAG_TRUE => Some(br#"{"BOOL":true}"#),
        _ => None,
    }
}

fn write_text(rest: &mut &[u8], _: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    let length = take_varint(rest)?;
    if write_short(rest, length, out) {
        *rest = &rest[length..];
        return Ok(());
    }
    let text = rest.split_off(..length).ok_or(RowError::Damaged("length"))?;
    write_utf8(text, out).map_err(|_| RowError::Damaged("UTF-8"))
}

fn write_decimal(rest: &mut &[u8], _: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    write_number(&take_number(rest)?, out);
    Ok(())
}

fn write_base64(rest: &mut &[u8], _: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    write_binary(take_bytes(rest)?, out);
    Ok(())
}

fn write_set(write: impl Write) -> impl Write {
    move |rest: &mut &[u8], depth: usize, out: &mut Vec<u8>| {
        let (mut members, count) = take_body(rest, depth)?;
        if count == 0 {
            return Err(RowError::Damaged("empty set"));
        }
        out.push(b'[');
        write_elements(&mut members, count, depth, out, &write)?;
        out.push(b']');
        Ok(())
    }
}

fn write_list(rest: &mut &[u8], depth: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    let (mut elements, count) = take_body(rest, depth)?;
    out.push(b'[');
    write_elements(&mut elements, count, depth + 1, out, write_value)?;
    out.push(b']');
    Ok(())
}

fn write_map(rest: &mut &[u8], depth: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    let (mut entries, count) = take_body(rest, depth)?;
    out.push(b'{');
    write_elements(&mut entries, count, depth + 1, out, write_entry)?;
    out.push(b'}');
    Ok(())
}
