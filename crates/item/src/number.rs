//! Numbers: exact decimals of at most 38 significant digits. No floating point anywhere.
//!
//! A number is kept as sign, coefficient and power of ten in one canonical form, so that equal values are
//! equal structures: the coefficient has no trailing zero, and zero is `+0 * 10^0`.
//!
//! Sources: DynamoDB developer guide, "Data types" (range, 38 digits); AWS's behaviour recorded by conformance
//! tests (grammar, the range of zeros, canonical text, size).

mod bytes;
mod parse;
mod text;

use std::cmp::Ordering;

use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_MAGNITUDE_MAX, NUMBER_MAGNITUDE_MIN};

/// Smallest coefficient that has too many digits.
const COEFFICIENT_END: u128 = 10_u128.pow(NUMBER_DIGITS_MAX);

/// An exact decimal number of at most 38 significant digits between `1E-130` and `9.99…E+125`, or zero.
///
/// `Ord` is by value. `Display` is AWS's canonical text: plain decimal, never scientific, no superfluous zeros.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Number {
    /// High and low half of the coefficient; as halves, so that a number takes 24 bytes and not 32.
    high: u64,
    low: u64,
    /// Power of ten of the coefficient's last digit.
    exponent: i16,
    negative: bool,
}

/// Why a text is not a number that DynamoDB stores, or a sum is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// Not of the grammar, or an exponent that no integer holds; carries the text as sent.
    NotNumeric(String),
    /// Magnitude above `9.99…E+125`; also a sum that needs more than 38 digits.
    Overflow,
    /// Magnitude below `1E-130`.
    Underflow,
    /// More than 38 significant digits.
    TooManyDigits,
}

/// An internal description; clients are answered from the catalogue of error texts.
impl std::fmt::Display for NumberError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotNumeric(text) => write!(f, "not a number: {text:?}"),
            Self::Overflow => f.write_str("number overflow"),
            Self::Underflow => f.write_str("number underflow"),
            Self::TooManyDigits => f.write_str("more than 38 significant digits in a number"),
        }
    }
}

impl std::error::Error for NumberError {}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self { high: 0, low: 0, exponent: 0, negative: false };

    /// The number that `text` says.
    ///
    /// Grammar: an optional sign, digits with an optional point (`5.` and `.5` pass), an optional exponent.
    /// More than 38 significant digits (zeros at both ends do not count) give [`NumberError::TooManyDigits`];
    /// a magnitude out of range gives `Overflow` or `Underflow`, for zero by the exponent it is written with
    /// (`0e126` overflows); an exponent beyond 64 bits gives `NotNumeric`, as does any other text.
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        parse::parse(text, parse::Layer::Newer)
    }

    /// As [`parse`](Self::parse), with the errors of AWS's older validation layer, which batch writes,
    /// transactions, scans and PartiQL still use: an exponent beyond 32 bits gives `NotNumeric`, and the
    /// magnitude wraps at 32 bits, so that `1e2147483647` underflows. Accepts the same texts.
    pub fn parse_older(text: &str) -> Result<Self, NumberError> {
        parse::parse(text, parse::Layer::Older)
    }

    /// The number whose canonical text is `text`, which `Display` would write; `None` for every other text.
    pub(crate) fn from_canonical(text: &[u8]) -> Option<Self> {
        parse::parse_canonical(text)
    }

    /// The number `value`.
    pub fn from_i64(value: i64) -> Self {
        Self::trimmed(value < 0, u128::from(value.unsigned_abs()), 0)
            .expect("20 digits at most, and the least magnitude is 1")
    }

    /// The sum. Exact, or [`NumberError::Overflow`] if it needs more than 38 digits or is out of range;
    /// `Underflow` if a difference is nearer to zero than `1E-130`.
    pub fn add(&self, other: &Self) -> Result<Self, NumberError> {
        if self.is_zero() || other.is_zero() {
            return Ok(if self.is_zero() { *other } else { *self });
        }
        let (coarse, fine) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = u32::from(coarse.exponent.abs_diff(fine.exponent));
        // The coarse number in units of the fine one. What does not fit 128 bits is above 3.4E38, and a number of
        // 38 digits cannot bring it back below 1E38.
        let aligned = 10_u128.checked_pow(shift).and_then(|power| coarse.coefficient().checked_mul(power));
        let aligned = aligned.ok_or(NumberError::Overflow)?;
        if coarse.negative == fine.negative {
            let sum = aligned.checked_add(fine.coefficient()).ok_or(NumberError::Overflow)?;
            return Self::trimmed(coarse.negative, sum, fine.exponent);
        }
        let negative = if aligned >= fine.coefficient() { coarse.negative } else { fine.negative };
        Self::trimmed(negative, aligned.abs_diff(fine.coefficient()), fine.exponent)
    }

    /// The difference; errors as for [`add`](Self::add).
    pub fn subtract(&self, other: &Self) -> Result<Self, NumberError> {
        self.add(&other.negated())
    }

    /// The number with the other sign; zero has none.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..*self }
    }

    /// The bytes that the number counts: `1 + ceil(i / 2) + ceil(f / 2)`, and 1 more if it is negative, where `i`
    /// and `f` are the significant digits before and after the point once zeros at both ends are trimmed;
    /// zero counts 1.
    ///
    /// Source: measured at the 400 KB limit of AWS; the developer guide only approximates it.
    pub fn size(&self) -> usize {
        if self.is_zero() {
            return 1;
        }
        let digits = self.digit_count();
        let fraction =
            if self.exponent < 0 { digits.min(u32::from(self.exponent.unsigned_abs())) } else { 0 };
        let bytes = 1 + (digits - fraction).div_ceil(2) + fraction.div_ceil(2) + u32::from(self.negative);
        bytes as usize
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.low == 0 && self.high == 0
    }

    /// Whether the number is less than zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number as an integer; `None` if it has a fraction or does not fit.
    pub fn to_i64(&self) -> Option<i64> {
        let power = 10_i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        let magnitude = i128::try_from(self.coefficient()).ok()?.checked_mul(power)?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The digits as an integer: no trailing zero, unless the number is zero.
    fn coefficient(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }

    /// How many digits the coefficient has; 1 for zero.
    fn digit_count(&self) -> u32 {
        let log =
            if self.high == 0 { self.low.checked_ilog10() } else { self.coefficient().checked_ilog10() };
        log.map_or(1, |log| log + 1)
    }

    /// The power of ten of the first digit; of zero, 0.
    fn magnitude(&self) -> i32 {
        i32::from(self.exponent) + self.digit_count().cast_signed() - 1
    }

    /// The number `coefficient * 10^exponent`, brought into canonical form and checked against both limits.
    fn trimmed(negative: bool, mut coefficient: u128, exponent: i16) -> Result<Self, NumberError> {
        let mut exponent = exponent;
        if coefficient == 0 {
            return Ok(Self::ZERO);
        }
        while coefficient > u128::from(u64::MAX) && coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent += 1;
        }
        if let Ok(mut short) = u64::try_from(coefficient) {
            while short.is_multiple_of(10) {
                short /= 10;
                exponent += 1;
            }
            coefficient = u128::from(short);
        }
        Self::checked(negative, coefficient, exponent)
    }

    /// As [`trimmed`](Self::trimmed), of a coefficient that has no trailing zero and is not zero.
    fn checked(negative: bool, coefficient: u128, exponent: i16) -> Result<Self, NumberError> {
        if coefficient >= COEFFICIENT_END {
            return Err(NumberError::Overflow);
        }
        let number = Self::from_parts(negative, coefficient, exponent);
        match number.magnitude() {
            NUMBER_MAGNITUDE_MIN..=NUMBER_MAGNITUDE_MAX => Ok(number),
            ..NUMBER_MAGNITUDE_MIN => Err(NumberError::Underflow),
            _ => Err(NumberError::Overflow),
        }
    }

    /// The number of these parts, which must be canonical.
    fn from_parts(negative: bool, coefficient: u128, exponent: i16) -> Self {
        debug_assert!(coefficient == 0 || !coefficient.is_multiple_of(10), "canonical form");
        let low = u64::try_from(coefficient & u128::from(u64::MAX)).expect("64 bits are left");
        let high = u64::try_from(coefficient >> 64).expect("64 bits are left");
        Self { high, low, exponent, negative }
    }

    /// -1, 0 or 1.
    fn signum(&self) -> i32 {
        if self.is_zero() { 0 } else { 1 - 2 * i32::from(self.negative) }
    }

    /// Order of the absolute values of two numbers other than zero.
    fn compare_magnitude(&self, other: &Self) -> Ordering {
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Equal magnitudes: the exponents differ by at most 37, so the scaled coefficient has at most 38 digits.
            let scale = |number: &Self, from: i16| {
                number.coefficient() * 10_u128.pow(u32::from(from.abs_diff(number.exponent)))
            };
            let finest = self.exponent.min(other.exponent);
            scale(self, finest).cmp(&scale(other, finest))
        })
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.signum().cmp(&other.signum()) {
            Ordering::Equal if self.negative => other.compare_magnitude(self),
            Ordering::Equal if !self.is_zero() => self.compare_magnitude(other),
            order => order,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::from_i64(value)
    }
}

impl std::str::FromStr for Number {
    type Err = NumberError;
    fn from_str(text: &str) -> Result<Self, NumberError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests;
