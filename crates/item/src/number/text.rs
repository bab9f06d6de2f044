//! From number to canonical text: plain decimal, never scientific, no superfluous zeros.

use std::fmt;

use super::Number;

/// Longest run of zeros that a canonical text has: `1E-130` has 129 after the point, `1E125` has 125 at its end.
const ZEROS: [u8; 130] = [b'0'; 130];

/// The digits of a coefficient in ASCII, at the end of the array.
pub(super) struct Digits {
    ascii: [u8; Self::MAX],
    start: usize,
}

impl Digits {
    /// Digits of the largest 128-bit integer, rounded up to an even number.
    const MAX: usize = 40;
    /// Largest power of ten that fits 64 bits, and its digits.
    const CHUNK: u128 = 10_u128.pow(19);
    const CHUNK_DIGITS: usize = 19;

    pub(super) fn of(coefficient: u128) -> Self {
        let mut digits = Self { ascii: [b'0'; Self::MAX], start: Self::MAX };
        let mut left = coefficient;
        let mut end = Self::MAX;
        while left >= Self::CHUNK {
            digits.put(u64::try_from(left % Self::CHUNK).expect("below 10^19"), end);
            left /= Self::CHUNK;
            end -= Self::CHUNK_DIGITS;
        }
        digits.put(u64::try_from(left).expect("below 10^19"), end);
        digits
    }

    /// Writes `value` so that it ends before `end`; what lies between it and an earlier chunk is zeros already.
    fn put(&mut self, mut value: u64, end: usize) {
        self.start = end;
        while value >= 10 {
            let pair = PAIRS[usize::try_from(value % 100).expect("two digits")];
            self.start -= 2;
            self.ascii[self.start..self.start + 2].copy_from_slice(&pair);
            value /= 100;
        }
        if value > 0 || self.start == Self::MAX {
            self.start -= 1;
            self.ascii[self.start] = b'0' + u8::try_from(value).expect("one digit");
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.ascii[self.start..]
    }
}

/// The digits of 00 to 99.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut value = 0;
    while value < 100_u8 {
        pairs[value as usize] = [b'0' + value / 10, b'0' + value % 10];
        value += 1;
    }
    pairs
};

impl Number {
    /// Gives the pieces of the canonical text to `put`, in order.
    fn pieces<E>(&self, mut put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let digits = Digits::of(self.coefficient());
        let digits = digits.as_bytes();
        if self.negative {
            put(b"-")?;
        }
        let exponent = usize::from(self.exponent.unsigned_abs());
        if self.exponent >= 0 {
            put(digits)?;
            return if exponent == 0 { Ok(()) } else { put(&ZEROS[..exponent]) };
        }
        if exponent >= digits.len() {
            put(b"0.")?;
            put(&ZEROS[..exponent - digits.len()])?;
            return put(digits);
        }
        let (whole, fraction) = digits.split_at(digits.len() - exponent);
        put(whole)?;
        put(b".")?;
        put(fraction)
    }

    /// How many bytes the canonical text has.
    pub(crate) fn text_length(&self) -> usize {
        let digits = self.digit_count() as usize;
        let exponent = usize::from(self.exponent.unsigned_abs());
        let unsigned = match self.exponent {
            0.. => digits + exponent,
            _ if exponent >= digits => 2 + exponent,
            _ => digits + 1,
        };
        usize::from(self.negative) + unsigned
    }

    /// Appends the canonical text to `out`.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let Ok(()) = self.pieces(|piece| {
            out.extend_from_slice(piece);
            Ok::<_, std::convert::Infallible>(())
        });
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces(|piece| f.write_str(str::from_utf8(piece).expect("only ASCII")))
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
