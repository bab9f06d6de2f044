//! Order bytes of a number, which are part of the key codec and documented byte by byte in [`crate::key`].
//!
//! They are self-delimiting, and each number has exactly one form: readers refuse every other.

use super::Number;
use super::text::Digits;
use crate::limits::{NUMBER_MAGNITUDE_MAX, NUMBER_MAGNITUDE_MIN};

const CLASS_NEGATIVE: u8 = 0x01;
const CLASS_ZERO: u8 = 0x02;
const CLASS_POSITIVE: u8 = 0x03;
/// Longest run of digit pairs: 38 digits.
const PAIRS_MAX: usize = 19;

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
