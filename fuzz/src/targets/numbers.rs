//! Numbers against a decimal library: what is a number, its text, order, bytes, size, sums and differences.

use std::cmp::Ordering;
use std::str::FromStr;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, Signed, Zero};
use hashrange_item::key::{decode_scalar, encode_scalar};
use hashrange_item::{AttributeValue, KeyKind, Number, NumberError};

use super::{MEGABYTE, Run, Target};
use crate::corpus::Golden;

/// Two texts with a space between them.
pub const TARGET: Target = Target {
    name: "numbers",
    words: &[
        "0",
        "1",
        "9",
        "-",
        "+",
        ".",
        "e",
        "E",
        " ",
        "e125",
        "e-130",
        "99999999999999999999999999999999999999",
    ],
    length: 400,
    memory: MEGABYTE,
    seeds,
    make: || -> Run { Box::new(run) },
};

fn seeds(golden: &Golden) -> Vec<Vec<u8>> {
    let texts = golden.texts(&["N"]);
    texts.iter().zip(texts.iter().rev()).map(|(one, two)| format!("{one} {two}").into_bytes()).collect()
}

fn run(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let (one, two) = text.split_once(' ').unwrap_or((text, "1"));
    let numbers = (parsed(one), parsed(two));
    if let ((Some(one), Some(exact_one)), (Some(two), Some(exact_two))) = numbers {
        ordered(one, &exact_one, two, &exact_two);
        calculated(one.add(&two), &(&exact_one + &exact_two));
        calculated(one.subtract(&two), &(&exact_one - &exact_two));
    }
}

/// The number that we read of a text, and what the oracle makes of it.
fn parsed(text: &str) -> (Option<Number>, Option<BigDecimal>) {
    let ours = Number::parse(text);
    assert_eq!(ours.is_ok(), Number::parse_older(text).is_ok(), "both layers accept the same texts");
    let expected = expected(text);
    match (&ours, &expected) {
        (Ok(number), Ok(exact)) => check(*number, exact),
        (Err(error), Err(faults)) => {
            assert!(faults.contains(&name(error)), "{text:?}: {error:?}, but the oracle sees {faults:?}");
        }
        (ours, expected) => panic!("{text:?}: {ours:?}, but the oracle says {expected:?}"),
    }
    (ours.ok(), expected.ok())
}

fn name(error: &NumberError) -> &'static str {
    match error {
        NumberError::NotNumeric(_) => "not numeric",
        NumberError::Overflow => "overflow",
        NumberError::Underflow => "underflow",
        NumberError::TooManyDigits => "too many digits",
    }
}

/// The grammar and the ranges, written from their description: the value, or everything that is wrong.
fn expected(text: &str) -> Result<BigDecimal, Vec<&'static str>> {
    let not_numeric = || vec!["not numeric"];
    let (negative, unsigned) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(not_numeric());
            }
            (mantissa, i64::from_str(exponent).map_err(|_| not_numeric())?)
        }
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_numeric());
    }
    in_range(negative, &digits, exponent.saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX)))
}

/// `digits` times ten to the power of `exponent`, if that is a number of DynamoDB's.
fn in_range(negative: bool, digits: &str, exponent: i64) -> Result<BigDecimal, Vec<&'static str>> {
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    let trailing = digits.trim_start_matches('0').len() - digits.trim_matches('0').len();
    let mut faults = Vec::new();
    // The power of ten of the first significant digit; zero counts as one digit where it is written.
    let magnitude = if significant.is_empty() {
        exponent
    } else {
        let length = i64::try_from(significant.len() + trailing).unwrap_or(i64::MAX);
        exponent.saturating_add(length - 1)
    };
    if significant.len() > 38 {
        faults.push("too many digits");
    }
    if magnitude > 125 {
        faults.push("overflow");
    }
    if magnitude < -130 {
        faults.push("underflow");
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let unsigned = BigInt::from_str(digits).expect("digits are an integer");
    Ok(BigDecimal::new(if negative { -unsigned } else { unsigned }, -exponent))
}

fn exact(number: Number) -> BigDecimal {
    BigDecimal::from_str(&number.to_string()).expect("the text of a number is plain")
}

fn check(number: Number, expected: &BigDecimal) {
    let text = number.to_string();
    assert_eq!(&exact(number), expected);
    assert_eq!(Number::parse(&text), Ok(number), "the text of a number is the number");
    assert!(!text.contains(['e', 'E', '+']) && !text.ends_with('.'), "{text}");
    assert_eq!(number.is_zero(), expected.is_zero());
    assert_eq!(number.is_negative(), expected.is_negative());
    assert_eq!(number.size(), size(&text));
    assert_eq!(number.negated().negated(), number);
    let whole = i64::from_str(&text).ok();
    assert_eq!(number.to_i64(), whole);
    let mut bytes = Vec::new();
    encode_scalar(&AttributeValue::N(number), &mut bytes).expect("numbers are keys");
    assert_eq!(decode_scalar(KeyKind::N, &bytes), Ok(AttributeValue::N(number)));
}

/// `1 + ceil(i / 2) + ceil(f / 2)`, one more if negative, of the plain text.
fn size(text: &str) -> usize {
    let unsigned = text.trim_start_matches('-');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole_digits = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
    let fraction_digits = if whole.is_empty() { fraction.trim_start_matches('0') } else { fraction };
    let bytes = 1 + whole_digits.len().div_ceil(2) + fraction_digits.len().div_ceil(2);
    bytes + usize::from(text.starts_with('-'))
}

fn ordered(one: Number, exact_one: &BigDecimal, two: Number, exact_two: &BigDecimal) {
    let order = exact_one.cmp(exact_two);
    assert_eq!(one.cmp(&two), order);
    assert_eq!(one == two, order == Ordering::Equal);
    let bytes = |number: Number| {
        let mut bytes = Vec::new();
        encode_scalar(&AttributeValue::N(number), &mut bytes).expect("numbers are keys");
        bytes
    };
    assert_eq!(bytes(one).cmp(&bytes(two)), order, "bytes are ordered as numbers are");
}

/// A result is exact; one that needs more than 38 digits or is out of range is none.
fn calculated(ours: Result<Number, NumberError>, expected: &BigDecimal) {
    let (digits, scale) = expected.normalized().as_bigint_and_exponent();
    let text = digits.abs().to_string();
    match (ours, in_range(digits.is_negative(), &text, -scale)) {
        (Ok(number), Ok(_)) => assert_eq!(&exact(number), expected),
        (Err(_), Err(_)) => {}
        (ours, range) => panic!("{expected}: {ours:?}, but the oracle says {range:?}"),
    }
}
