//! From text to number, in one pass over the bytes.

use super::{Number, NumberError};
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_MAGNITUDE_MAX, NUMBER_MAGNITUDE_MIN};

/// Which of AWS's two validation layers decides about extreme exponents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    Newer,
    Older,
}

/// Longest run of digits that always fits 64 bits.
const SHORT_DIGITS: usize = 19;

pub(super) fn parse(text: &str, layer: Layer) -> Result<Number, NumberError> {
    if let Some(number) = parse_short_integer(text.as_bytes()) {
        return Ok(number);
    }
    let mut scan = Scan { rest: text.as_bytes(), ..Scan::default() };
    let exponent = scan.read().and_then(|()| scan.written_exponent(layer));
    let exponent = exponent.ok_or_else(|| NumberError::NotNumeric(text.to_owned()))?;
    scan.check_magnitude(exponent, layer)?;
    scan.finish(exponent)
}

/// The common case: an optional minus and a few digits.
fn parse_short_integer(text: &[u8]) -> Option<Number> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() || digits.len() > SHORT_DIGITS {
        return None;
    }
    let mut value = 0_u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Number::trimmed(negative, u128::from(value), 0).ok()
}

/// The number whose canonical text is `text`; `None` if it is no number's.
pub(super) fn parse_canonical(text: &[u8]) -> Option<Number> {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let negative = unsigned.len() < text.len();
    let (value, point) = scan_decimal(unsigned)?;
    let whole = point.unwrap_or(unsigned.len());
    if whole == 0 || (whole > 1 && unsigned[0] == b'0') {
        return None;
    }
    if point.is_some() && matches!(unsigned.last(), Some(b'0' | b'.')) || negative && unsigned == b"0" {
        return None;
    }
    if unsigned.len() > SHORT_DIGITS {
        return str::from_utf8(text).ok().and_then(|text| parse(text, Layer::Newer).ok());
    }
    match point {
        // The last digit is not zero, so the value is not either.
        Some(point) => {
            let exponent = -i16::try_from(unsigned.len() - point - 1).ok()?;
            Some(Number::from_parts(negative, u128::from(value), exponent))
        }
        None => Number::trimmed(negative, u128::from(value), 0).ok(),
    }
}

/// The digits of `text` as an integer, meaningless if there are more than 19, and where the point is.
fn scan_decimal(text: &[u8]) -> Option<(u64, Option<usize>)> {
    let (mut value, mut point) = (0_u64, None);
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')),
            b'.' if point.is_none() => point = Some(index),
            _ => return None,
        }
    }
    Some((value, point))
}

/// What was read of a number so far.
#[derive(Default)]
struct Scan<'a> {
    rest: &'a [u8],
    negative: bool,
    /// The digits from the first to the last that is not zero; meaningless once there are more than 38.
    coefficient: u128,
    /// How many digits `coefficient` has (or would have).
    significant: i64,
    /// Zeros since the last digit that is not zero.
    zeros: i64,
    /// Digits after the point.
    fraction: i64,
}

impl Scan<'_> {
    /// Reads sign and digits up to an exponent. `None` if the text is not of the grammar.
    fn read(&mut self) -> Option<()> {
        if let [sign @ (b'+' | b'-'), rest @ ..] = self.rest {
            self.negative = *sign == b'-';
            self.rest = rest;
        }
        let whole = self.read_digits();
        if let [b'.', rest @ ..] = self.rest {
            self.rest = rest;
            self.fraction = self.read_digits();
        }
        (whole + self.fraction > 0).then_some(())
    }

    /// Reads digits; answers how many there were.
    fn read_digits(&mut self) -> i64 {
        let mut count = 0;
        while let [byte @ b'0'..=b'9', rest @ ..] = self.rest {
            self.rest = rest;
            count += 1;
            self.push(byte - b'0');
        }
        count
    }

    fn push(&mut self, digit: u8) {
        if digit == 0 {
            self.zeros += i64::from(self.significant > 0);
            return;
        }
        let added = self.zeros + 1;
        self.zeros = 0;
        self.significant += added;
        if self.significant <= i64::from(NUMBER_DIGITS_MAX) {
            let power = match u32::try_from(added).expect("at most 38") {
                1 => 10,
                added => 10_u128.pow(added),
            };
            self.coefficient = self.coefficient * power + u128::from(digit);
        }
    }

    /// Reads the exponent to the end of the text; answers the power of ten of the last digit as written.
    fn written_exponent(&self, layer: Layer) -> Option<i64> {
        let exponent = match self.rest {
            [] => 0,
            [b'e' | b'E', digits @ ..] => integer(digits)?,
            _ => return None,
        };
        let written = exponent.saturating_sub(self.fraction);
        // The older layer keeps the scale, which is the negated exponent, in 32 bits.
        let fits =
            layer == Layer::Newer || i32::try_from(exponent).and(i32::try_from(-i128::from(written))).is_ok();
        fits.then_some(written)
    }

    /// Checks the power of ten of the first digit. Zero has one digit here, wherever its exponent puts it.
    fn check_magnitude(&self, exponent: i64, layer: Layer) -> Result<(), NumberError> {
        let digits = (self.significant + self.zeros).max(1);
        let magnitude = match layer {
            Layer::Newer => exponent.saturating_add(digits - 1),
            Layer::Older => i64::from(wrapped(exponent.saturating_add(digits))) - 1,
        };
        if magnitude > i64::from(NUMBER_MAGNITUDE_MAX) {
            return Err(NumberError::Overflow);
        }
        if magnitude < i64::from(NUMBER_MAGNITUDE_MIN) {
            return Err(NumberError::Underflow);
        }
        Ok(())
    }

    fn finish(&self, exponent: i64) -> Result<Number, NumberError> {
        if self.significant == 0 {
            return Ok(Number::ZERO);
        }
        if self.significant > i64::from(NUMBER_DIGITS_MAX) {
            return Err(NumberError::TooManyDigits);
        }
        let exponent =
            i16::try_from(exponent + self.zeros).expect("at most 38 digits of a checked magnitude");
        Ok(Number::from_parts(self.negative, self.coefficient, exponent))
    }
}

/// An integer with an optional sign that fits 64 bits.
fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    let negative = text[0] == b'-';
    digits.iter().try_fold(0_i64, |value, byte| {
        let digit = i64::from(byte.checked_sub(b'0').filter(|digit| *digit <= 9)?);
        value.checked_mul(10)?.checked_add(if negative { -digit } else { digit })
    })
}

/// The low 32 bits as a signed integer.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the older layer computes the magnitude in 32 bits and wraps"
)]
fn wrapped(value: i64) -> i32 {
    value as i32
}
