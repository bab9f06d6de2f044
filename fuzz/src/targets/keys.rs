//! The key codec: what is encoded decodes to the same value, and bytes are ordered as values are.

use std::cmp::Ordering;

use hashrange_item::key::{
    decode_component, decode_scalar, encode_component, encode_component_prefix, encode_scalar, prefix_end,
};
use hashrange_item::{AttributeValue, KeyKind};

use super::structured::Source;
use super::{MEGABYTE, Run, Target};

/// The first byte chooses between values made from the bytes and the bytes as a key.
pub const TARGET: Target = Target {
    name: "keys",
    words: &["\0", "\x01", "\u{7f}", "a", "ab", "\u{ffff}"],
    length: 256,
    memory: MEGABYTE,
    seeds: |_| {
        vec![b"\x00\x00\x02ab\x00\x03abc".to_vec(), b"\x00\x01\x80\x01\x05\x01\x02\x03".to_vec(), vec![1; 20]]
    },
    make: || -> Run { Box::new(run) },
};

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    if first & 1 == 1 {
        return arbitrary(rest);
    }
    let mut source = Source::new(rest);
    let (one, two) = (source.scalar(), source.scalar());
    for value in [&one, &two] {
        round_trip(value);
    }
    if one.kind() == two.kind() {
        ordered(&one, &two);
    }
}

fn kind(value: &AttributeValue) -> KeyKind {
    match value {
        AttributeValue::S(_) => KeyKind::S,
        AttributeValue::N(_) => KeyKind::N,
        _ => KeyKind::B,
    }
}

fn encoded(value: &AttributeValue) -> (Vec<u8>, Vec<u8>) {
    let (mut scalar, mut component) = (Vec::new(), Vec::new());
    encode_scalar(value, &mut scalar).expect("a scalar is a key");
    encode_component(value, &mut component).expect("a scalar is a key");
    (scalar, component)
}

fn round_trip(value: &AttributeValue) {
    let (scalar, mut component) = encoded(value);
    assert_eq!(decode_scalar(kind(value), &scalar).as_ref(), Ok(value));
    component.extend_from_slice(b"rest");
    let mut left = component.as_slice();
    assert_eq!(decode_component(kind(value), &mut left).as_ref(), Ok(value));
    assert_eq!(left, b"rest", "a component ends where it ends");
}

fn ordered(one: &AttributeValue, two: &AttributeValue) {
    let order = match (one, two) {
        (AttributeValue::S(one), AttributeValue::S(two)) => one.as_bytes().cmp(two.as_bytes()),
        (AttributeValue::B(one), AttributeValue::B(two)) => one.cmp(two),
        (AttributeValue::N(one), AttributeValue::N(two)) => one.cmp(two),
        _ => return,
    };
    let ((scalar, component), (other_scalar, other_component)) = (encoded(one), encoded(two));
    assert_eq!(scalar.cmp(&other_scalar), order, "scalars");
    assert_eq!(component.cmp(&other_component), order, "components");
    if !matches!(one, AttributeValue::N(_)) {
        begins(one, two, &scalar, &other_scalar);
    }
}

/// A prefix bounds exactly what begins with it, in both forms.
fn begins(one: &AttributeValue, two: &AttributeValue, scalar: &[u8], other: &[u8]) {
    let mut prefix = Vec::new();
    encode_component_prefix(one, &mut prefix).expect("a string or binary has prefixes");
    let (_, component) = encoded(two);
    let truth = other.starts_with(scalar);
    assert_eq!(component.starts_with(&prefix), truth);
    for (prefix, bytes) in [(scalar, other), (&prefix, &component)] {
        let below = prefix_end(prefix).is_none_or(|end| bytes.cmp(&end) == Ordering::Less);
        assert_eq!(bytes >= prefix && below, truth);
    }
}

/// Bytes that are read as a key are written as they were.
fn arbitrary(bytes: &[u8]) {
    for kind in [KeyKind::S, KeyKind::N, KeyKind::B] {
        if let Ok(value) = decode_scalar(kind, bytes) {
            assert_eq!(encoded(&value).0, bytes);
        }
        let mut rest = bytes;
        if let Ok(value) = decode_component(kind, &mut rest) {
            assert_eq!(encoded(&value).1, bytes[..bytes.len() - rest.len()]);
        } else {
            assert_eq!(rest, bytes, "a failed read takes nothing");
        }
    }
}
