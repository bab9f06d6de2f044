//! Changes of inputs: those of libFuzzer, and words of the target's language.

use crate::random::Random;

/// Changes `input` a little, at most `max` bytes long afterwards.
pub fn mutate(random: &mut Random, input: &mut Vec<u8>, words: &[&str], other: &[u8], max: usize) {
    let changes = 1 + random.below(4).min(random.below(4));
    for _ in 0..changes {
        change(random, input, words, other);
        input.truncate(max);
    }
}

fn change(random: &mut Random, input: &mut Vec<u8>, words: &[&str], other: &[u8]) {
    match random.below(11) {
        0 => flip_bit(random, input),
        1 => insert(random, input, &[0]),
        2 => remove(random, input),
        3 => double(random, input),
        4..=6 if !words.is_empty() => {
            let word = *random.pick(words);
            insert_or_replace(random, input, word.as_bytes());
        }
        7 => splice(random, input, other),
        8 => digits(random, input),
        9 => repeat(random, input),
        _ => set_byte(random, input),
    }
}

fn flip_bit(random: &mut Random, input: &mut [u8]) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn set_byte(random: &mut Random, input: &mut [u8]) {
    const TELLING: &[u8] = b"\0\x01\x7f\x80\xff \"\\{}[](),.:;#@+-_0159eEaZ\r\n%=&/";
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte = *random.pick(TELLING);
    }
}

fn insert(random: &mut Random, input: &mut Vec<u8>, bytes: &[u8]) {
    let at = random.below(input.len() + 1);
    input.splice(at..at, bytes.iter().copied());
}

/// A random range, short more often than long.
fn range(random: &mut Random, length: usize) -> std::ops::Range<usize> {
    let start = random.below(length + 1);
    let most = (length - start).min(1 << random.below(12));
    start..start + random.below(most + 1)
}

fn insert_or_replace(random: &mut Random, input: &mut Vec<u8>, bytes: &[u8]) {
    let at = random.below(input.len() + 1);
    let end = if random.below(2) == 0 { at } else { (at + bytes.len()).min(input.len()) };
    input.splice(at..end, bytes.iter().copied());
}

fn remove(random: &mut Random, input: &mut Vec<u8>) {
    let range = range(random, input.len());
    input.drain(range);
}

fn double(random: &mut Random, input: &mut Vec<u8>) {
    let copy = input[range(random, input.len())].to_vec();
    insert(random, input, &copy);
}

/// A short piece many times over: deep nesting and long lists.
fn repeat(random: &mut Random, input: &mut Vec<u8>) {
    let start = random.below(input.len() + 1);
    let end = (start + 1 + random.below(8)).min(input.len());
    let times = 1 << random.below(11);
    let copy = input[start.min(end)..end].repeat(times);
    input.splice(start..start, copy);
}

fn splice(random: &mut Random, input: &mut Vec<u8>, other: &[u8]) {
    let piece = &other[range(random, other.len())];
    let at = range(random, input.len());
    input.splice(at, piece.iter().copied());
}

/// Another number in the place of one.
fn digits(random: &mut Random, input: &mut Vec<u8>) {
    const TELLING: &[&str] = &[
        "0",
        "-1",
        "1e125",
        "1e126",
        "1e-130",
        "1e-131",
        "255",
        "256",
        "1024",
        "2048",
        "65535",
        "65536",
        "409600",
        "2147483647",
        "2147483648",
        "4294967295",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999999999999999999999",
        "100000000000000000000000000000000000001",
        "1e9223372036854775808",
    ];
    let number = *random.pick(TELLING);
    let from = random.below(input.len() + 1);
    let Some(start) = input[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else {
        return insert(random, input, number.as_bytes());
    };
    let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    input.splice(start..start + length, number.bytes());
}
