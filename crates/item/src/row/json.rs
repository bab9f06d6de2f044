//! Bytes to DynamoDB JSON in one pass, with neither a tree nor views.
//!
//! Checks all that the output depends on: lengths, UTF-8, numbers, tags, depth. The order of names and members is
//! not looked at here.

use super::read::{Table, take_body, take_bytes, take_number};
use super::{
    RowError, TAG_B, TAG_BS, TAG_FALSE, TAG_L, TAG_M, TAG_N, TAG_NS, TAG_NULL, TAG_S, TAG_SS, TAG_TRUE,
};
use crate::json::{write_binary, write_number, write_utf8};

/// Takes one element off the front of the input, whose level is given, and writes it.
type Write = fn(&mut &[u8], usize, &mut Vec<u8>) -> Result<(), RowError>;

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
    write: Write,
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
    let (opening, write): (&[u8], Write) = match tag {
        TAG_S => (br#"{"S":"#, write_text),
        TAG_N => (br#"{"N":"#, write_decimal),
        TAG_B => (br#"{"B":"#, write_base64),
        TAG_SS => (br#"{"SS":"#, |rest, depth, out| write_set(rest, depth, out, write_text)),
        TAG_NS => (br#"{"NS":"#, |rest, depth, out| write_set(rest, depth, out, write_decimal)),
        TAG_BS => (br#"{"BS":"#, |rest, depth, out| write_set(rest, depth, out, write_base64)),
        TAG_L => (br#"{"L":"#, write_list),
        TAG_M => (br#"{"M":"#, write_map),
        _ => return Err(RowError::Damaged("tag")),
    };
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
    write_utf8(take_bytes(rest)?, out).map_err(|_| RowError::Damaged("UTF-8"))
}

fn write_decimal(rest: &mut &[u8], _: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    write_number(&take_number(rest)?, out);
    Ok(())
}

fn write_base64(rest: &mut &[u8], _: usize, out: &mut Vec<u8>) -> Result<(), RowError> {
    write_binary(take_bytes(rest)?, out);
    Ok(())
}

fn write_set(rest: &mut &[u8], depth: usize, out: &mut Vec<u8>, write: Write) -> Result<(), RowError> {
    let (mut members, count) = take_body(rest, depth)?;
    if count == 0 {
        return Err(RowError::Damaged("empty set"));
    }
    out.push(b'[');
    write_elements(&mut members, count, depth, out, write)?;
    out.push(b']');
    Ok(())
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
