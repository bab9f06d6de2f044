//! Item to bytes: the lengths are summed first, then everything is written into one allocation.

use bytes::Bytes;

use super::{
    FORMAT, HEADER, TAG_B, TAG_BS, TAG_FALSE, TAG_L, TAG_M, TAG_N, TAG_NS, TAG_NULL, TAG_S, TAG_SS, TAG_TRUE,
};
use crate::{AttributeValue, Attributes, Item};

/// Bytes of a body's length.
const BODY_LENGTH: usize = 4;

pub(super) fn item(item: &Item) -> Bytes {
    let entries: usize = item.iter().map(|(name, value)| entry_length(name, value)).sum();
    let width = if u16::try_from(entries).is_ok() { 2 } else { 4 };
    let length = HEADER + item.len() * width + entries;
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(&[FORMAT, if width == 2 { 2 } else { 4 }]);
    out.extend_from_slice(&fixed(item.size()));
    out.extend_from_slice(&fixed(item.len()));
    let start = HEADER + item.len() * width;
    out.resize(start, 0);
    for (index, (name, value)) in item.iter().enumerate() {
        let position = fixed(out.len() - start);
        let at = HEADER + index * width;
        out[at..at + width].copy_from_slice(&position[..width]);
        write_entry(name, value, &mut out);
    }
    debug_assert_eq!(out.len(), length, "lengths are summed as they are written");
    Bytes::from(out)
}

fn fixed(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("an item takes 400 KB at most").to_le_bytes()
}

fn entry_length(name: &str, value: &AttributeValue) -> usize {
    text_length(name.len()) + value_length(value)
}

/// A varint length and so many bytes.
fn text_length(bytes: usize) -> usize {
    varint_length(bytes) + bytes
}

fn value_length(value: &AttributeValue) -> usize {
    let content = match value {
        AttributeValue::Null | AttributeValue::Bool(_) => 0,
        AttributeValue::S(text) => text_length(text.len()),
        AttributeValue::N(number) => number.compact_length(),
        AttributeValue::B(bytes) => text_length(bytes.len()),
        AttributeValue::Ss(set) => body_length(set.len(), set.iter().map(|member| text_length(member.len()))),
        AttributeValue::Ns(set) => body_length(set.len(), set.iter().map(crate::Number::compact_length)),
        AttributeValue::Bs(set) => body_length(set.len(), set.iter().map(|member| text_length(member.len()))),
        AttributeValue::L(list) => body_length(list.len(), list.iter().map(value_length)),
        AttributeValue::M(map) => {
            body_length(map.len(), map.iter().map(|(name, value)| entry_length(name, value)))
        }
    };
    1 + content
}

fn body_length(count: usize, elements: impl Iterator<Item = usize>) -> usize {
    BODY_LENGTH + varint_length(count) + elements.sum::<usize>()
}

fn varint_length(value: usize) -> usize {
    match value {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => 5,
    }
}

fn write_varint(mut value: usize, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value));
}

fn low_byte(value: usize) -> u8 {
    value.to_le_bytes()[0]
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_varint(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn write_entry(name: &str, value: &AttributeValue, out: &mut Vec<u8>) {
    write_bytes(name.as_bytes(), out);
    write_value(value, out);
}

fn write_value(value: &AttributeValue, out: &mut Vec<u8>) {
    match value {
        AttributeValue::Null => out.push(TAG_NULL),
        AttributeValue::Bool(false) => out.push(TAG_FALSE),
        AttributeValue::Bool(true) => out.push(TAG_TRUE),
        AttributeValue::S(text) => {
            out.push(TAG_S);
            write_bytes(text.as_bytes(), out);
        }
        AttributeValue::N(number) => {
            out.push(TAG_N);
            number.write_compact(out);
        }
        AttributeValue::B(bytes) => {
            out.push(TAG_B);
            write_bytes(bytes, out);
        }
        AttributeValue::Ss(set) => write_body(TAG_SS, set.len(), out, |out| {
            set.iter().for_each(|member| write_bytes(member.as_bytes(), out));
        }),
        AttributeValue::Ns(set) => write_body(TAG_NS, set.len(), out, |out| {
            set.iter().for_each(|member| member.write_compact(out));
        }),
        AttributeValue::Bs(set) => write_body(TAG_BS, set.len(), out, |out| {
            set.iter().for_each(|member| write_bytes(member, out));
        }),
        AttributeValue::L(list) => write_body(TAG_L, list.len(), out, |out| {
            for element in list {
                write_value(element, out);
            }
        }),
        AttributeValue::M(map) => write_map(map, out),
    }
}

fn write_map(map: &Attributes, out: &mut Vec<u8>) {
    write_body(TAG_M, map.len(), out, |out| {
        map.iter().for_each(|(name, value)| write_entry(name, value, out));
    });
}

/// Writes tag, length, count and elements; the length is filled in once it is known.
fn write_body(tag: u8, count: usize, out: &mut Vec<u8>, elements: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    let at = out.len();
    out.extend_from_slice(&[0; BODY_LENGTH]);
    write_varint(count, out);
    elements(out);
    let length = fixed(out.len() - at - BODY_LENGTH);
    out[at..at + BODY_LENGTH].copy_from_slice(&length);
}
