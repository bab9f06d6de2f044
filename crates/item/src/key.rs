//! Keys: the order-preserving codec of key attributes.
//!
//! A key attribute is a string, a number or a binary. Its bytes compare (as unsigned bytes) exactly as DynamoDB
//! orders the values: strings by their UTF-8 bytes, binaries by their bytes, numbers by value.
//!
//! # Scalar form
//!
//! For a key of one attribute, and for the last component of a key. Nothing marks its end.
//!
//! | type | bytes |
//! |---|---|
//! | S | the UTF-8 bytes |
//! | B | the bytes |
//! | N | the number's order bytes, below |
//!
//! # Component form
//!
//! For every component of a key of several attributes but the last. It marks its own end, and the concatenation
//! of components orders as the tuple of their values, whatever follows.
//!
//! | type | bytes |
//! |---|---|
//! | S, B | the bytes, each `00` followed by `ff`; then the end mark `00 01` |
//! | N | the number's order bytes, which need no mark |
//!
//! Why it preserves order: where two strings differ, their first differing bytes decide, and an escaped `00` is
//! still the smallest byte there is. Where one is a prefix of the other, the end mark `00 01` meets either a
//! larger byte or an escaped zero `00 ff`; the shorter one is smaller in both cases.
//!
//! # Order bytes of a number (1 to 21 bytes)
//!
//! | byte | meaning |
//! |---|---|
//! | 0 | class: `01` negative, `02` zero (nothing follows), `03` positive |
//! | 1 | power of ten of the first digit, plus 130 (0 to 255) |
//! | 2.. | the digits in pairs from the first on, an odd last digit followed by `0`: `2 * pair + 1`, and for the last pair `2 * pair` |
//!
//! In a negative number all bytes after the class are complemented. `12.3` is `03 83 19 3c`, `-12.3` is
//! `01 7c e6 c3`, `5` is `03 82 64`. No number's bytes are a prefix of another's.
//!
//! # Lengths
//!
//! A component of `n` bytes of which `z` are zero takes `n + z + 2` bytes: a partition key of the longest allowed
//! value takes at most 4,098 bytes.

use std::fmt;

use crate::limits::PARTITION_KEY_MAX;
use crate::{AttributeValue, Kind, Number};

/// Follows a `00` that is part of the value.
const ESCAPED_ZERO: u8 = 0xff;
/// Follows the `00` that ends a component.
const END: u8 = 0x01;

/// Longest encoding of the components of one partition key, in bytes: the longest value, all zeros, in as many
/// components as an index may have.
pub const ENCODED_PARTITION_KEY_MAX: usize =
    2 * PARTITION_KEY_MAX + 2 * crate::limits::INDEX_KEY_ATTRIBUTES_MAX;

const _: () = assert!(ENCODED_PARTITION_KEY_MAX < 8 * 1024, "stores keep partition keys below 8 KiB");

/// The type of a key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

impl KeyKind {
    /// The key type of `kind`; `None` for types that no key can have.
    pub const fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::S => Some(Self::S),
            Kind::N => Some(Self::N),
            Kind::B => Some(Self::B),
            _ => None,
        }
    }

    /// The data type.
    pub const fn kind(self) -> Kind {
        match self {
            Self::S => Kind::S,
            Self::N => Kind::N,
            Self::B => Kind::B,
        }
    }
}

impl From<KeyKind> for Kind {
    fn from(kind: KeyKind) -> Self {
        kind.kind()
    }
}

/// `S`, `N` or `B`.
impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

/// An attribute of a key schema with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyAttribute {
    /// The attribute's name.
    pub name: String,
    /// The only type that its value may have.
    pub kind: KeyKind,
}

/// Why a value has no key bytes, or bytes are no key's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// A value of this type cannot be a key.
    NotAKeyType(Kind),
    /// The bytes are not the encoding of any value of this type; stored keys never give it unless damaged.
    Malformed(KeyKind),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAKeyType(kind) => write!(f, "a value of type {kind} cannot be a key"),
            Self::Malformed(kind) => write!(f, "damaged key bytes of type {kind}"),
        }
    }
}

impl std::error::Error for KeyError {}

/// Appends the scalar form of `value`. Fails with [`KeyError::NotAKeyType`] unless it is a string, number or binary.
pub fn encode_scalar(value: &AttributeValue, out: &mut Vec<u8>) -> Result<(), KeyError> {
    match value {
        AttributeValue::S(text) => out.extend_from_slice(text.as_bytes()),
        AttributeValue::B(bytes) => out.extend_from_slice(bytes),
        AttributeValue::N(number) => number.write_order_bytes(out),
        other => return Err(KeyError::NotAKeyType(other.kind())),
    }
    Ok(())
}

/// Appends the component form of `value`. Fails with [`KeyError::NotAKeyType`] unless it is a string, number or binary.
pub fn encode_component(value: &AttributeValue, out: &mut Vec<u8>) -> Result<(), KeyError> {
    match value {
        AttributeValue::S(text) => escape(text.as_bytes(), out),
        AttributeValue::B(bytes) => escape(bytes, out),
        AttributeValue::N(number) => number.write_order_bytes(out),
        other => return Err(KeyError::NotAKeyType(other.kind())),
    }
    Ok(())
}

/// Appends the component form of `value` without its end mark: the prefix that exactly the components of strings
/// (or binaries) beginning with `value` have, for `begins_with` on a component that is not the last. Fails with
/// [`KeyError::NotAKeyType`] unless it is a string or binary.
pub fn encode_component_prefix(value: &AttributeValue, out: &mut Vec<u8>) -> Result<(), KeyError> {
    match value {
        AttributeValue::S(text) => escape_open(text.as_bytes(), out),
        AttributeValue::B(bytes) => escape_open(bytes, out),
        other => return Err(KeyError::NotAKeyType(other.kind())),
    }
    Ok(())
}

/// The value whose scalar form `bytes` is. Fails with [`KeyError::Malformed`].
pub fn decode_scalar(kind: KeyKind, bytes: &[u8]) -> Result<AttributeValue, KeyError> {
    match kind {
        KeyKind::S => string(bytes.to_vec()),
        KeyKind::B => Ok(AttributeValue::B(bytes.to_vec())),
        KeyKind::N => {
            let mut rest = bytes;
            let number = Number::read_order_bytes(&mut rest).filter(|_| rest.is_empty());
            number.map(AttributeValue::N).ok_or(KeyError::Malformed(kind))
        }
    }
}

/// Takes one component off the front of `input`. Fails with [`KeyError::Malformed`] and leaves `input` as it was.
pub fn decode_component(kind: KeyKind, input: &mut &[u8]) -> Result<AttributeValue, KeyError> {
    let mut rest = *input;
    let value = match kind {
        KeyKind::S => string(unescape(&mut rest).ok_or(KeyError::Malformed(kind))?)?,
        KeyKind::B => AttributeValue::B(unescape(&mut rest).ok_or(KeyError::Malformed(kind))?),
        KeyKind::N => {
            AttributeValue::N(Number::read_order_bytes(&mut rest).ok_or(KeyError::Malformed(kind))?)
        }
    };
    *input = rest;
    Ok(value)
}

/// The smallest byte string that is greater than every string beginning with `prefix`; `None` if there is none,
/// which is so for a prefix of nothing but `ff`.
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

fn string(bytes: Vec<u8>) -> Result<AttributeValue, KeyError> {
    String::from_utf8(bytes).map(AttributeValue::S).map_err(|_| KeyError::Malformed(KeyKind::S))
}

fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    escape_open(bytes, out);
    out.extend_from_slice(&[0, END]);
}

fn escape_open(bytes: &[u8], out: &mut Vec<u8>) {
    let mut pieces = bytes.split(|byte| *byte == 0);
    out.extend_from_slice(pieces.next().unwrap_or_default());
    for piece in pieces {
        out.extend_from_slice(&[0, ESCAPED_ZERO]);
        out.extend_from_slice(piece);
    }
}

/// Takes an escaped byte string with its end mark off the front of `input`.
fn unescape(input: &mut &[u8]) -> Option<Vec<u8>> {
    let mut value = Vec::with_capacity(input.len());
    loop {
        let zero = input.iter().position(|byte| *byte == 0)?;
        value.extend_from_slice(&input[..zero]);
        let mark = *input.get(zero + 1)?;
        *input = &input[zero + 2..];
        match mark {
            ESCAPED_ZERO => value.push(0),
            END => return Some(value),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests;
