//! Strategies that make arbitrary numbers, values and items for the property tests of this crate.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use crate::{AttributeValue, Attributes, BinarySet, Item, Number, NumberSet, StringSet};

/// Parts of a number: sign, coefficient below `10^38`, power of ten of the last digit; in range.
pub(crate) fn parts() -> impl Strategy<Value = (bool, u128, i32)> {
    // Lengths are drawn first, so that short and long coefficients are equally likely.
    (any::<bool>(), 1_u32..=38, any::<u128>(), -130_i32..=125, any::<bool>()).prop_map(
        |(negative, digits, seed, magnitude, small)| {
            let least = 10_u128.pow(digits - 1);
            let coefficient = least + seed % (9 * least);
            let magnitude = if small { magnitude % 8 } else { magnitude };
            (negative, coefficient, magnitude - digits.cast_signed() + 1)
        },
    )
}

/// Any number; zero and neighbours of equal magnitude are not rare.
pub(crate) fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        8 => parts().prop_map(|(negative, coefficient, exponent)| {
            let sign = if negative { "-" } else { "" };
            Number::parse(&format!("{sign}{coefficient}e{exponent}")).unwrap()
        }),
        2 => (-20_i64..20).prop_map(Number::from_i64),
        1 => Just(Number::ZERO),
    ]
}

/// Strings in which zeros, quotes, control characters and characters of one to four bytes are not rare.
pub(crate) fn string() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,4}", "[\\x00\\x01\\x1f\"\\\\\u{7f}aé€😀\u{10ffff}]{0,12}", any::<String>(),]
}

/// Byte strings in which the bytes that the key codec treats specially are not rare.
pub(crate) fn binary() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(prop::sample::select(vec![0_u8, 1, 2, 0xfe, 0xff]), 0..8), vec(any::<u8>(), 0..20),]
}

pub(crate) fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        string().prop_map(AttributeValue::S),
        number().prop_map(AttributeValue::N),
        binary().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        btree_set(string(), 1..4)
            .prop_map(|set| AttributeValue::Ss(StringSet::new(set.into_iter().collect()).unwrap())),
        btree_set(number(), 1..4)
            .prop_map(|set| AttributeValue::Ns(NumberSet::new(set.into_iter().collect()).unwrap())),
        btree_set(binary(), 1..4)
            .prop_map(|set| AttributeValue::Bs(BinarySet::new(set.into_iter().collect()).unwrap())),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(AttributeValue::L),
            attributes(inner).prop_map(AttributeValue::M),
        ]
    })
}

fn attributes(value: impl Strategy<Value = AttributeValue>) -> impl Strategy<Value = Attributes> {
    vec((string(), value), 0..5).prop_map(Attributes::from_pairs)
}

pub(crate) fn item() -> impl Strategy<Value = Item> {
    vec((string(), value()), 0..8).prop_map(Attributes::from_pairs)
}
