//! From number to canonical text: plain decimal, never scientific, no superfluous zeros.

use std::fmt;

use super::Number;

/// Longest run of zeros that a canonical text has: `1E-130` has 129 after the point, `1E125` has 125 at its end.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000\
                     0000000000000000000000000000000000000000000000000000000000000000\
                     0000000000";

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
        loop {
            self.start -= 1;
            self.ascii[self.start] = b'0' + u8::try_from(value % 10).expect("one digit");
            value /= 10;
            if value == 0 {
                return;
            }
        }
    }

    pub(super) fn as_str(&self) -> &str {
        str::from_utf8(&self.ascii[self.start..]).expect("only ASCII digits")
    }
}

impl Number {
    /// Gives the pieces of the canonical text to `put`, in order.
    fn pieces<E>(&self, mut put: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let digits = Digits::of(self.coefficient());
        let digits = digits.as_str();
        if self.negative {
            put("-")?;
        }
        let exponent = usize::from(self.exponent.unsigned_abs());
        if self.exponent >= 0 {
            put(digits)?;
            return put(&ZEROS[..exponent]);
        }
        if exponent >= digits.len() {
            put("0.")?;
            put(&ZEROS[..exponent - digits.len()])?;
            return put(digits);
        }
        let (whole, fraction) = digits.split_at(digits.len() - exponent);
        put(whole)?;
        put(".")?;
        put(fraction)
    }

    /// Appends the canonical text to `out`.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let Ok(()) = self.pieces(|piece| {
            out.extend_from_slice(piece.as_bytes());
            Ok::<_, std::convert::Infallible>(())
        });
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces(|piece| f.write_str(piece))
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
