use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::{BigDecimal, Signed, Zero};
use proptest::prelude::*;

use super::{Number, NumberError};
use crate::samples;

fn number(text: &str) -> Number {
    Number::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn canonical(text: &str) -> String {
    number(text).to_string()
}

// -- grammar and range

#[test]
fn every_accepted_form_is_normalised() {
    for (text, expected) in [
        ("0", "0"),
        ("-0", "0"),
        ("+0", "0"),
        ("00", "0"),
        ("0.0", "0"),
        ("-0.00", "0"),
        (".0", "0"),
        ("0.", "0"),
        ("1", "1"),
        ("+5", "5"),
        ("-5", "-5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1.e5", "100000"),
        ("-.5", "-0.5"),
        ("0042", "42"),
        ("1.50", "1.5"),
        ("1000", "1000"),
        ("1e3", "1000"),
        ("1000.0", "1000"),
        ("1E2", "100"),
        ("1E+2", "100"),
        ("1e-2", "0.01"),
        ("1e002", "100"),
        ("123.456", "123.456"),
        ("-123.456e1", "-1234.56"),
        ("0.1e126", &format!("1{}", "0".repeat(125))),
        ("1e125", &format!("1{}", "0".repeat(125))),
        ("1e-130", &format!("0.{}1", "0".repeat(129))),
        ("12345678901234567890", "12345678901234567890"),
        ("0.0000000000000000000000000000000000001", "0.0000000000000000000000000000000000001"),
        ("18446744073709551616", "18446744073709551616"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_of_the_grammar_is_not_numeric_and_shown_as_sent() {
    for text in [
        "",
        " ",
        " 1",
        "1 ",
        "abc",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e",
        "1e+",
        "e5",
        ".",
        "-",
        "+",
        "--5",
        "++5",
        "+-5",
        "1.2.3",
        "1..2",
        "1,5",
        "0x10",
        "1_000",
        "1e5.0",
        "1e 5",
        "١",
        "1\n",
        "5-",
        ".e1",
        "1ee5",
        "-.e1",
    ] {
        assert_eq!(Number::parse(text), Err(NumberError::NotNumeric(text.to_owned())));
        assert_eq!(Number::parse_older(text), Err(NumberError::NotNumeric(text.to_owned())));
    }
}

#[test]
fn magnitudes_out_of_range_overflow_or_underflow() {
    let nines = "9".repeat(38);
    assert_eq!(canonical(&format!("{nines}e88")), format!("{nines}{}", "0".repeat(88)));
    for text in ["1e126", "-1e126", "10e125", "0.1e127", "99e125", "1e2147483647", "1e9223372036854775807"] {
        assert_eq!(Number::parse(text), Err(NumberError::Overflow), "{text}");
    }
    for text in ["1e-131", "-1e-131", "0.1e-130", "9.9e-131", "1e-2147483648", "1e-9223372036854775808"] {
        assert_eq!(Number::parse(text), Err(NumberError::Underflow), "{text}");
    }
    for text in ["1e-130", "0.01e-128", "1.5e-130", "9e125", "0.01e127"] {
        assert!(Number::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn zero_is_range_checked_by_the_exponent_it_is_written_with() {
    for text in ["0e125", "0.0e126", "0e-130", "-0e125", "000e125"] {
        assert_eq!(Number::parse(text), Ok(Number::ZERO), "{text}");
    }
    for text in ["0e126", "0e1000", "-0e126", "0.0e127", "0e9223372036854775807"] {
        assert_eq!(Number::parse(text), Err(NumberError::Overflow), "{text}");
    }
    for text in ["0e-131", "0.0e-130", "0e-1000"] {
        assert_eq!(Number::parse(text), Err(NumberError::Underflow), "{text}");
    }
}

#[test]
fn an_exponent_beyond_64_bits_is_not_numeric() {
    for text in [
        "1e9223372036854775808",
        "1e-9223372036854775809",
        "0e99999999999999999999",
        "1e+18446744073709551616",
    ] {
        assert_eq!(Number::parse(text), Err(NumberError::NotNumeric(text.to_owned())));
    }
}

#[test]
fn the_older_layer_counts_exponents_in_32_bits() {
    for text in ["1e2147483648", "1e-2147483649", "1e9223372036854775807", "0.1e-2147483648"] {
        assert_eq!(Number::parse_older(text), Err(NumberError::NotNumeric(text.to_owned())));
    }
    assert_eq!(Number::parse_older("1e2147483647"), Err(NumberError::Underflow), "precision - scale wraps");
    assert_eq!(Number::parse_older("1e2147483646"), Err(NumberError::Overflow));
    assert_eq!(Number::parse_older("1e-2147483647"), Err(NumberError::Underflow));
    assert_eq!(Number::parse_older("0e126"), Err(NumberError::Overflow));
    assert_eq!(Number::parse_older("1e125"), Ok(number("1e125")));
}

#[test]
fn zeros_at_both_ends_do_not_count_as_digits() {
    let digits = "1234567890".repeat(4)[..38].to_owned();
    for text in
        [digits.clone(), format!("000{digits}000"), format!("0.000{digits}000"), format!("{digits}.000")]
    {
        assert!(Number::parse(&text).is_ok(), "{text}");
    }
    for text in [
        format!("{digits}1"),
        format!("1{digits}"),
        format!("1.{digits}"),
        "1".repeat(1000)[..100].to_owned(),
    ] {
        assert_eq!(Number::parse(&text), Err(NumberError::TooManyDigits), "{text}");
    }
    assert_eq!(
        Number::parse(&format!("{digits}1e100")),
        Err(NumberError::Overflow),
        "range comes before digits"
    );
}

#[test]
fn a_long_text_costs_time_in_proportion_and_does_not_overflow() {
    let zeros = "0".repeat(1_000_000);
    assert_eq!(Number::parse(&format!("{zeros}1.5{zeros}")), Ok(number("1.5")));
    assert_eq!(Number::parse(&format!("0.{zeros}1e1000001")), Ok(number("1")));
    assert_eq!(Number::parse(&format!("1{zeros}e-1000000")), Ok(number("1")));
    assert_eq!(Number::parse(&"7".repeat(1_000_000)), Err(NumberError::Overflow));
}

// -- size

#[test]
fn size_is_as_measured_on_aws() {
    for (text, size) in [
        ("0", 1),
        ("-0", 1),
        ("1", 2),
        ("12", 2),
        ("123", 3),
        ("1234", 3),
        ("12345", 4),
        ("123456", 4),
        ("123456789", 6),
        ("1234567890123456789", 11),
        ("12345678901234567890123456789012345678", 20),
        ("0042", 2),
        ("100", 2),
        ("1010", 3),
        ("0.0000001", 2),
        ("1E125", 2),
        ("1E-100", 2),
        ("1.5", 3),
        ("1.234", 4),
        ("3.14159", 5),
        ("100.5", 4),
        ("0.15", 2),
        ("-42", 3),
        ("-12345", 5),
        ("-0.15", 3),
    ] {
        assert_eq!(number(text).size(), size, "{text}");
    }
}

// -- arithmetic

#[test]
fn sums_are_exact_or_overflow() {
    let sum = |left: &str, right: &str| number(left).add(&number(right)).map(|sum| sum.to_string());
    assert_eq!(sum("0.1", "0.2"), Ok("0.3".to_owned()));
    assert_eq!(sum("5", "-5"), Ok("0".to_owned()));
    assert_eq!(sum("1e50", "1"), Err(NumberError::Overflow));
    assert_eq!(sum("1e38", "1"), Err(NumberError::Overflow));
    assert_eq!(sum("1e37", "1"), Ok(format!("1{}1", "0".repeat(36))));
    assert_eq!(
        sum(&"9".repeat(38), "1"),
        Ok(format!("1{}", "0".repeat(38))),
        "39 digits, of which one is significant"
    );
    assert_eq!(sum(&"9".repeat(38), &"9".repeat(38)), Err(NumberError::Overflow));
    assert_eq!(sum("9e125", "1e125"), Err(NumberError::Overflow));
    assert_eq!(sum("1.5e-130", "-1e-130"), Err(NumberError::Underflow));
    assert_eq!(sum("1e125", "-1e-130"), Err(NumberError::Overflow));
    assert_eq!(sum("1e125", "0"), Ok(format!("1{}", "0".repeat(125))));
    assert_eq!(number("3").subtract(&number("10")), Ok(number("-7")));
    assert_eq!(number("0").subtract(&number("2.5")), Ok(number("-2.5")));
    assert_eq!(number("2").subtract(&number("0")), Ok(number("2")));
}

#[test]
fn integers_come_and_go() {
    for value in [0, 1, -1, 10, 1_000_000, i64::MAX, i64::MIN, 900] {
        assert_eq!(Number::from_i64(value).to_i64(), Some(value));
        assert_eq!(Number::from_i64(value).to_string(), value.to_string());
    }
    for text in ["0.5", "1e19", "-9223372036854775809", "9223372036854775808", "1e125", "1e-130"] {
        assert_eq!(number(text).to_i64(), None, "{text}");
    }
}

#[test]
fn a_number_takes_24_bytes_of_memory() {
    assert_eq!(size_of::<Number>(), 24);
}

// -- against an independent decimal library

/// What the rules say of `sign digits * 10^exponent`, computed with big integers.
fn expected(negative: bool, digits: &str, fraction: usize, exponent: i64) -> Result<BigDecimal, NumberError> {
    let integer = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap();
    let last = exponent - i64::try_from(fraction).unwrap();
    let length = if integer.is_zero() { 1 } else { i64::try_from(integer.to_string().len()).unwrap() };
    match last + length - 1 {
        126.. => return Err(NumberError::Overflow),
        ..-130 => return Err(NumberError::Underflow),
        _ => {}
    }
    if integer.to_string().trim_end_matches('0').len() > 38 {
        return Err(NumberError::TooManyDigits);
    }
    let value = BigDecimal::new(integer, -last);
    Ok(if negative { -value } else { value })
}

fn oracle(number: &Number) -> BigDecimal {
    number.to_string().parse().unwrap()
}

/// The rules for a result, applied to an exact result of the decimal library.
fn limited(exact: &BigDecimal) -> Result<BigDecimal, NumberError> {
    let (integer, scale) = exact.normalized().into_bigint_and_exponent();
    let digits = integer.abs().to_string().len();
    let magnitude = i64::try_from(digits).unwrap() - 1 - scale;
    match (integer.sign() == Sign::NoSign, digits > 38 || magnitude > 125, magnitude < -130) {
        (false, true, _) => Err(NumberError::Overflow),
        (false, _, true) => Err(NumberError::Underflow),
        _ => Ok(exact.clone()),
    }
}

/// A text of the grammar, in the pieces that it is made of.
fn text() -> impl Strategy<Value = (String, bool, String, usize, i64)> {
    let digits = prop_oneof!["[0-9]{1,6}", "0{0,5}[0-9]{1,38}0{0,5}", "[0-9]{36,42}", "0{1,4}"];
    let exponent = prop_oneof![-3_i64..4, -180_i64..180];
    (any::<bool>(), digits, 0_usize..60, exponent, 0_u8..6).prop_map(
        |(negative, digits, point, exponent, style)| {
            let point = point % (digits.len() + 1);
            let (whole, fraction) = digits.split_at(point);
            let sign = if negative {
                "-"
            } else if style == 0 {
                "+"
            } else {
                ""
            };
            let dot = if fraction.is_empty() && style < 4 { "" } else { "." };
            let (exponent, suffix) = match style {
                1 => (0, String::new()),
                2 => (exponent, format!("E{exponent:+}")),
                _ => (exponent, format!("e{exponent}")),
            };
            (
                format!("{sign}{whole}{dot}{fraction}{suffix}"),
                negative,
                digits.clone(),
                fraction.len(),
                exponent,
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn parsing_agrees_with_big_integers((text, negative, digits, fraction, exponent) in text()) {
        let parsed = Number::parse(&text);
        prop_assert_eq!(&Number::parse_older(&text), &parsed);
        prop_assert_eq!(parsed.map(|number| oracle(&number)), expected(negative, &digits, fraction, exponent));
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "\\PC{0,12}|[-+.e0-9]{0,12}") {
        let parsed = Number::parse(&text);
        let grammar = text.trim_start_matches(['+', '-']).bytes().any(|byte| byte.is_ascii_digit());
        prop_assert!(parsed.is_err() || grammar);
    }

    #[test]
    fn canonical_text_is_plain_and_reads_back((negative, coefficient, exponent) in samples::parts()) {
        let sign = if negative { "-" } else { "" };
        let number = Number::parse(&format!("{sign}{coefficient}e{exponent}")).unwrap();
        let text = number.to_string();
        prop_assert_eq!(Number::parse(&text), Ok(number));
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "1"));
        let whole = whole.trim_start_matches('-');
        prop_assert!(whole == "0" || !whole.starts_with('0'), "{text}");
        prop_assert!(!fraction.is_empty() && !fraction.ends_with('0'), "{text}");
        prop_assert!(text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'.'), "{text}");
        let mut bytes = Vec::new();
        number.write_to(&mut bytes);
        prop_assert_eq!(bytes, text.into_bytes());
    }

    #[test]
    fn order_is_by_value(left in samples::number(), right in samples::number()) {
        prop_assert_eq!(left.cmp(&right), oracle(&left).cmp(&oracle(&right)));
        prop_assert_eq!(left == right, oracle(&left) == oracle(&right));
    }

    #[test]
    fn sums_and_differences_agree_with_the_oracle(left in samples::number(), right in samples::number()) {
        prop_assert_eq!(left.add(&right).map(|sum| oracle(&sum)), limited(&(oracle(&left) + oracle(&right))));
        prop_assert_eq!(left.subtract(&right).map(|sum| oracle(&sum)), limited(&(oracle(&left) - oracle(&right))));
    }

    #[test]
    fn sums_of_near_numbers_agree_with_the_oracle(
        (negative, left, exponent) in samples::parts(), right in any::<u128>(), shift in 0_i32..40, digits in 1_u32..=38,
    ) {
        let sign = if negative { "-" } else { "" };
        let left = Number::parse(&format!("{sign}{left}e{exponent}")).unwrap();
        let Ok(right) = Number::parse(&format!("{}e{}", right % 10_u128.pow(digits), exponent - shift)) else { return Ok(()) };
        prop_assert_eq!(left.add(&right).map(|sum| oracle(&sum)), limited(&(oracle(&left) + oracle(&right))));
    }

    #[test]
    fn order_bytes_order_as_values_and_read_back(left in samples::number(), right in samples::number()) {
        let bytes = |number: &Number| { let mut out = Vec::new(); number.write_order_bytes(&mut out); out };
        prop_assert_eq!(bytes(&left).cmp(&bytes(&right)), oracle(&left).cmp(&oracle(&right)));
        let mut encoded = bytes(&left);
        prop_assert!(encoded.len() <= 21);
        encoded.extend([7, 8]);
        let mut rest = encoded.as_slice();
        prop_assert_eq!(Number::read_order_bytes(&mut rest), Some(left));
        prop_assert_eq!(rest, &[7, 8]);
    }

    #[test]
    fn the_canonical_text_reads_back_alone(number in samples::number(), text in "-?[0-9.]{0,22}") {
        let canonical = number.to_string();
        prop_assert_eq!(canonical.len(), number.text_length());
        prop_assert_eq!(Number::from_canonical(canonical.as_bytes()), Some(number));
        let expected = Number::parse(&text).ok().filter(|number| number.to_string() == text);
        prop_assert_eq!(Number::from_canonical(text.as_bytes()), expected);
    }

    #[test]
    fn each_number_has_one_form_of_bytes(bytes in prop::collection::vec(any::<u8>(), 0..24), class in 0_u8..5) {
        let mut bytes = bytes;
        bytes.insert(0, class);
        let mut rest = bytes.as_slice();
        if let Some(number) = Number::read_order_bytes(&mut rest) {
            let mut again = Vec::new();
            number.write_order_bytes(&mut again);
            prop_assert_eq!(&again[..], &bytes[..bytes.len() - rest.len()]);
        }
    }
}

#[test]
fn order_bytes_are_as_documented() {
    for (text, bytes) in [
        ("0", &[0x02][..]),
        ("12.3", &[0x03, 0x83, 0x19, 0x3c]),
        ("-12.3", &[0x01, 0x7c, 0xe6, 0xc3]),
        ("5", &[0x03, 0x82, 0x64]),
        ("1e-130", &[0x03, 0x00, 0x14]),
        ("9e125", &[0x03, 0xff, 0xb4]),
    ] {
        let mut out = Vec::new();
        number(text).write_order_bytes(&mut out);
        assert_eq!(out, bytes, "{text}");
    }
}

#[test]
fn only_canonical_texts_are_read_as_such() {
    for text in ["0", "-1", "10", "0.5", "-0.05", "12.34", "18446744073709551616", "1000000000000000000000"] {
        assert_eq!(Number::from_canonical(text.as_bytes()), Some(number(text)), "{text}");
    }
    for text in [
        "",
        "-",
        "-0",
        "00",
        "01",
        "-01",
        ".5",
        "5.",
        "0.0",
        "1.50",
        "1e5",
        "+1",
        "1 ",
        "1.2.3",
        "1234567890123456789012.0",
    ] {
        assert_eq!(Number::from_canonical(text.as_bytes()), None, "{text}");
    }
    let too_many_digits = "1".repeat(39);
    let too_large = format!("1{}", "0".repeat(126));
    for text in [too_many_digits, too_large] {
        assert_eq!(Number::from_canonical(text.as_bytes()), None, "{text}");
    }
}
