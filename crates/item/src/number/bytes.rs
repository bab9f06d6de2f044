//! The two byte forms of a number. Order bytes are part of the key codec and documented byte by byte in
//! [`crate::key`]; compact bytes are part of the row codec and documented in [`crate::row`].
//!
//! Both are self-delimiting, and each number has exactly one form of either kind: readers refuse every other.

use super::text::Digits;
use super::{COEFFICIENT_END, Number};
use crate::limits::{NUMBER_MAGNITUDE_MAX, NUMBER_MAGNITUDE_MIN};

const CLASS_NEGATIVE: u8 = 0x01;
const CLASS_ZERO: u8 = 0x02;
const CLASS_POSITIVE: u8 = 0x03;
/// Longest run of digit pairs: 38 digits.
const PAIRS_MAX: usize = 19;

const NEGATIVE_FLAG: u8 = 0x80;
const EXPONENT_FLAG: u8 = 0x40;
const LENGTH_BITS: u8 = 0x1f;

const _: () = assert!(
    NUMBER_MAGNITUDE_MAX - NUMBER_MAGNITUDE_MIN == 255,
    "the first digit's power of ten fills one byte"
);

impl Number {
    /// Appends the order bytes.
    pub(crate) fn write_order_bytes(&self, out: &mut Vec<u8>) {
        let (class, complement) = match (self.is_zero(), self.negative) {
            (true, _) => return out.push(CLASS_ZERO),
            (false, true) => (CLASS_NEGATIVE, 0xff),
            (false, false) => (CLASS_POSITIVE, 0x00),
        };
        let magnitude =
            u8::try_from(self.magnitude() - NUMBER_MAGNITUDE_MIN).expect("magnitudes fill one byte");
        out.extend_from_slice(&[class, magnitude ^ complement]);
        let digits = Digits::of(self.coefficient());
        let pairs = digits.as_bytes().chunks(2);
        out.extend(pairs.map(|pair| (2 * pair_value(pair) + 1) ^ complement));
        if let Some(last) = out.last_mut() {
            *last ^= 1;
        }
    }

    /// Takes order bytes off the front of `input`; `None` if they are no number's.
    pub(crate) fn read_order_bytes(input: &mut &[u8]) -> Option<Self> {
        let (class, rest) = input.split_first()?;
        let complement = match *class {
            CLASS_ZERO => {
                *input = rest;
                return Some(Self::ZERO);
            }
            CLASS_NEGATIVE => 0xff,
            CLASS_POSITIVE => 0x00,
            _ => return None,
        };
        let (magnitude, rest) = rest.split_first()?;
        let magnitude = i32::from(magnitude ^ complement) + NUMBER_MAGNITUDE_MIN;
        let (coefficient, digits, rest) = read_pairs(rest, complement)?;
        *input = rest;
        let exponent = i16::try_from(magnitude - digits + 1).ok()?;
        Some(Self::from_parts(complement != 0, coefficient, exponent))
    }

    /// Appends the compact bytes.
    pub(crate) fn write_compact(&self, out: &mut Vec<u8>) {
        let bytes = self.coefficient().to_le_bytes();
        let length = self.coefficient_length();
        let negative = if self.negative { NEGATIVE_FLAG } else { 0 };
        let exponent = if self.exponent == 0 { 0 } else { EXPONENT_FLAG };
        out.push(negative | exponent | u8::try_from(length).expect("at most 16"));
        if self.exponent != 0 {
            out.extend_from_slice(&self.exponent.to_le_bytes());
        }
        out.extend_from_slice(&bytes[..length]);
    }

    /// How many compact bytes the number has.
    pub(crate) fn compact_length(&self) -> usize {
        1 + if self.exponent == 0 { 0 } else { 2 } + self.coefficient_length()
    }

    /// Takes compact bytes off the front of `input`; `None` if they are no number's.
    pub(crate) fn read_compact(input: &mut &[u8]) -> Option<Self> {
        let (&first, rest) = input.split_first()?;
        let (exponent, rest) = if first & EXPONENT_FLAG == 0 {
            (0, rest)
        } else {
            let (bytes, rest) = rest.split_first_chunk::<2>()?;
            (Some(i16::from_le_bytes(*bytes)).filter(|exponent| *exponent != 0)?, rest)
        };
        let length = usize::from(first & LENGTH_BITS);
        let (bytes, rest) = rest.split_at_checked(length)?;
        let coefficient = little_endian(bytes)?;
        let number = Self::canonical(first & NEGATIVE_FLAG != 0, coefficient, exponent)?;
        let unused = first & !(NEGATIVE_FLAG | EXPONENT_FLAG | LENGTH_BITS);
        *input = rest;
        (unused == 0).then_some(number)
    }

    fn coefficient_length(&self) -> usize {
        if self.high == 0 {
            8 - self.low.leading_zeros() as usize / 8
        } else {
            16 - self.high.leading_zeros() as usize / 8
        }
    }

    /// The number of these parts, if they are canonical and in range.
    fn canonical(negative: bool, coefficient: u128, exponent: i16) -> Option<Self> {
        if coefficient == 0 {
            return (exponent == 0 && !negative).then_some(Self::ZERO);
        }
        let short = u64::try_from(coefficient).ok();
        let trailing_zero =
            short.map_or_else(|| coefficient.is_multiple_of(10), |short| short.is_multiple_of(10));
        if trailing_zero || coefficient >= COEFFICIENT_END {
            return None;
        }
        Self::checked(negative, coefficient, exponent).ok()
    }
}

/// The value of one or two ASCII digits, of which a missing second is `0`.
fn pair_value(pair: &[u8]) -> u8 {
    let second = pair.get(1).map_or(0, |digit| digit - b'0');
    10 * (pair[0] - b'0') + second
}

/// Reads digit pairs up to the last one: coefficient without trailing zero, its digits, and what follows.
fn read_pairs(bytes: &[u8], complement: u8) -> Option<(u128, i32, &[u8])> {
    let mut coefficient = 0_u128;
    for (index, byte) in bytes.iter().enumerate().take(PAIRS_MAX) {
        let byte = byte ^ complement;
        let pair = byte / 2;
        let first_is_zero = index == 0 && pair < 10;
        if pair > 99 || first_is_zero {
            return None;
        }
        coefficient = coefficient * 100 + u128::from(pair);
        if byte.is_multiple_of(2) {
            let digits = 2 * i32::try_from(index + 1).ok()?;
            return trim_pair(coefficient, digits, pair)
                .map(|(coefficient, digits)| (coefficient, digits, &bytes[index + 1..]));
        }
    }
    None
}

/// Takes the filling zero off the last pair; a last pair of two zeros is refused.
fn trim_pair(coefficient: u128, digits: i32, last: u8) -> Option<(u128, i32)> {
    match last {
        0 => None,
        pair if pair % 10 == 0 => Some((coefficient / 10, digits - 1)),
        _ => Some((coefficient, digits)),
    }
}

/// The integer of at most 16 little-endian bytes, of which the last is not zero.
fn little_endian(bytes: &[u8]) -> Option<u128> {
    if bytes.len() > 16 || bytes.last() == Some(&0) {
        return None;
    }
    let mut whole = [0; 16];
    whole[..bytes.len()].copy_from_slice(bytes);
    Some(u128::from_le_bytes(whole))
}
