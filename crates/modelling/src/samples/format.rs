//! Values in the formats that attributes declare: `uuid`, `int(1,100)`, `list(word,3)`.

use std::fmt::Write as _;

use hashrange_item::{AttributeValue, Attributes, Kind, Number};

use super::Random;

/// The instant that times lie around: 2026-11-30T00:00:00Z, in seconds since the Unix epoch.
const NOW: u64 = 1_795_996_800;
/// How far back times lie: ninety days, in seconds.
const SPAN: u64 = 90 * DAY;
const DAY: u64 = 86_400;
/// Longest value that a format may ask for, in bytes: nothing larger fits into an item.
const BYTES_MAX: usize = 400 * 1024;
/// Longest list.
const LIST_MAX: usize = 1000;
/// Deepest list of lists.
const DEPTH_MAX: usize = 4;

const WORDS: [&str; 24] = [
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "juniper", "kelp",
    "lagoon", "meadow", "north", "olive", "prairie", "quartz", "river", "summit", "tundra", "umber",
    "valley", "willow", "zephyr",
];
const NAMES: [&str; 12] =
    ["Ada", "Bela", "Chen", "Dara", "Emeka", "Freya", "Goran", "Hana", "Ines", "Jonas", "Kofi", "Lena"];
const FAMILIES: [&str; 10] =
    ["Abel", "Berg", "Costa", "Dahl", "Eze", "Fischer", "Garcia", "Hansen", "Ito", "Jansen"];
const BASE32: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A value in a format. `ordinal` counts the items of an entity, for `seq` and for values that must differ. A format that is
/// not known, or arguments that make no sense, give a word.
pub fn value(format: &str, random: &mut Random, ordinal: usize) -> AttributeValue {
    nested(format, random, ordinal, DEPTH_MAX)
}

fn nested(format: &str, random: &mut Random, ordinal: usize, depth: usize) -> AttributeValue {
    let (name, arguments) = parts(format);
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<f64>().ok());
    match name {
        "int" => int(number(0).unwrap_or(0.0), number(1).unwrap_or(1000.0), 0, random),
        "decimal" => {
            let places = number(2).unwrap_or(2.0).clamp(0.0, 9.0);
            int(number(0).unwrap_or(0.0), number(1).unwrap_or(1000.0), truncated(places), random)
        }
        "epoch" => whole(time(random)),
        "epoch-ms" => whole(time(random) * 1000 + random.below(1000)),
        "seq" => whole(ordinal as u64 + 1),
        "bool" => AttributeValue::Bool(random.below(2) == 0),
        "binary" => {
            let bytes = count(number(0), BYTES_MAX);
            AttributeValue::B((0..bytes).map(|_| random.draw().to_le_bytes()[0]).collect())
        }
        "list" if depth > 0 => {
            let of = arguments.first().copied().unwrap_or("word");
            let items =
                (0..count(number(1).or(Some(3.0)), LIST_MAX)).map(|_| nested(of, random, ordinal, depth - 1));
            AttributeValue::L(items.collect())
        }
        "map" => AttributeValue::M(Attributes::from([
            ("city", AttributeValue::S(word(random).to_owned())),
            ("number", whole(random.below(200) + 1)),
            ("street", AttributeValue::S(format!("{} {}", word(random), word(random)))),
        ])),
        _ => AttributeValue::S(text(name, &arguments, random, ordinal)),
    }
}

/// A value that says a time, at that share of the way from the earliest to now; `None` for other formats.
pub(super) fn timed(format: &str, share: f64, random: &mut Random) -> Option<AttributeValue> {
    let seconds = NOW - SPAN + (truncated(share * 90.0 * 86_400.0) as u64).min(SPAN);
    Some(match parts(format).0 {
        "iso-date" => AttributeValue::S(date(seconds)),
        "iso-time" => AttributeValue::S(iso_time(seconds)),
        "epoch" => whole(seconds),
        "epoch-ms" => whole(seconds * 1000 + random.below(1000)),
        "ulid" => AttributeValue::S(ulid_at(seconds, random)),
        _ => return None,
    })
}

/// `list(word,3)`: the name, and the arguments between commas that stand in no inner parentheses.
fn parts(format: &str) -> (&str, Vec<&str>) {
    let Some((name, rest)) = format.split_once('(') else { return (format.trim(), Vec::new()) };
    let inner = rest.trim_end().strip_suffix(')').unwrap_or(rest);
    let mut arguments = Vec::new();
    let (mut depth, mut from) = (0_u32, 0);
    for (at, character) in inner.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(inner[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    arguments.push(inner[from..].trim());
    (name.trim(), arguments)
}

fn text(name: &str, arguments: &[&str], random: &mut Random, ordinal: usize) -> String {
    match name {
        "uuid" => uuid(random),
        "ulid" => ulid(random),
        "ksuid" => digits(BASE62, 27, random),
        "name" => format!("{} {}", one(&NAMES, random), one(&FAMILIES, random)),
        "email" => format!("{}.{}{ordinal}@example.com", one(&NAMES, random).to_lowercase(), word(random)),
        "phone" => format!("+4930{:08}", random.below(100_000_000)),
        "iso-date" => date(time(random)),
        "iso-time" => iso_time(time(random)),
        "const" => arguments.join(","),
        "text" => words(count(arguments.first().and_then(|text| text.parse().ok()), BYTES_MAX), random),
        _ => word(random).to_owned(),
    }
}

fn count(wanted: Option<f64>, most: usize) -> usize {
    truncated(wanted.unwrap_or(16.0)).min(most)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a saturating cast of a count")]
fn truncated(number: f64) -> usize {
    number.max(0.0) as usize
}

fn whole(number: u64) -> AttributeValue {
    AttributeValue::N(Number::from_i64(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// A number between bounds with so many decimal places.
#[expect(clippy::cast_possible_truncation, reason = "bounds are clamped to what is exact")]
fn int(low: f64, high: f64, places: usize, random: &mut Random) -> AttributeValue {
    const EXACT: f64 = 9.0e15;
    let scale = 10_f64.powi(i32::try_from(places).unwrap_or(0));
    let bound = |number: f64| (number * scale).clamp(-EXACT, EXACT) as i64;
    let (low, high) = (bound(low), bound(high));
    let width = high.saturating_sub(low).max(0).unsigned_abs() + 1;
    let drawn = low + i64::try_from(random.below(width)).unwrap_or(0);
    if places == 0 {
        return AttributeValue::N(Number::from_i64(drawn));
    }
    let text = format!("{drawn}e-{places}");
    AttributeValue::N(Number::parse(&text).unwrap_or_else(|_| Number::from_i64(drawn)))
}

fn one<'t>(of: &[&'t str], random: &mut Random) -> &'t str {
    random.pick(of, &[]).copied().unwrap_or_default()
}

/// A word.
pub(super) fn word(random: &mut Random) -> &'static str {
    one(&WORDS, random)
}

/// Words of so many bytes in all.
pub(super) fn words(bytes: usize, random: &mut Random) -> String {
    let mut text = String::with_capacity(bytes + 8);
    while text.len() < bytes {
        text.push_str(word(random));
        text.push(' ');
    }
    // A space at the end is lost where texts are trimmed.
    text.truncate(bytes);
    if text.ends_with(' ') {
        text.pop();
        text.push('.');
    }
    text
}

fn digits(of: &[u8], length: usize, random: &mut Random) -> String {
    (0..length).map(|_| char::from(*random.pick(of, &[]).unwrap_or(&b'0'))).collect()
}

fn uuid(random: &mut Random) -> String {
    let (high, low) = (random.draw(), random.draw());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | (low >> 50),
        low & 0xffff_ffff_ffff
    )
}

/// Ten digits of time, sixteen of chance.
fn ulid(random: &mut Random) -> String {
    let seconds = time(random);
    ulid_at(seconds, random)
}

fn ulid_at(seconds: u64, random: &mut Random) -> String {
    let mut millis = seconds * 1000 + random.below(1000);
    let mut head = [0_u8; 10];
    for digit in head.iter_mut().rev() {
        *digit = BASE32[(millis % 32) as usize];
        millis /= 32;
    }
    head.iter().map(|digit| char::from(*digit)).chain(digits(BASE32, 16, random).chars()).collect()
}

fn time(random: &mut Random) -> u64 {
    NOW - random.below(SPAN)
}

/// `2026-11-30` of seconds since the Unix epoch.
pub(super) fn date(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / DAY);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-11-30T09:30:00Z` of seconds since the Unix epoch.
pub(super) fn iso_time(seconds: u64) -> String {
    let of_day = seconds % DAY;
    let mut text = date(seconds);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    write!(text, "T{hour:02}:{minute:02}:{second:02}Z").expect("a text takes all that is written to it");
    text
}

/// Year, month and day of days since 1970-01-01, in the Gregorian calendar (Howard Hinnant, `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// An attribute that lies in the future, for time to live: in 2030.
pub(super) fn expiry(kind: Option<Kind>, random: &mut Random) -> Option<AttributeValue> {
    let seconds = 1_893_456_000 + random.below(SPAN);
    matches!(kind, None | Some(Kind::N)).then(|| whole(seconds))
}

/// What an attribute is like whose format nobody states, by its type and name.
pub(super) fn guessed(name: &str, kind: Option<Kind>) -> &'static str {
    let lower = name.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    match kind {
        Some(Kind::N) if ends(&["at", "time", "expires", "ttl"]) => "epoch",
        Some(Kind::N) => "int(1,1000)",
        Some(Kind::Bool) => "bool",
        Some(Kind::B) => "binary(32)",
        Some(Kind::M) => "map",
        Some(Kind::L | Kind::Ss | Kind::Ns | Kind::Bs) => "list(word,3)",
        _ if ends(&["id", "key", "token", "uuid"]) => "uuid",
        _ if ends(&["email"]) => "email",
        _ if ends(&["date", "day"]) => "iso-date",
        _ if ends(&["at", "time", "timestamp"]) => "iso-time",
        _ if ends(&["name"]) => "name",
        _ if ends(&["phone"]) => "phone",
        _ => "word",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(format: &str) -> String {
        match value(format, &mut Random::new(3).named(format), 0) {
            AttributeValue::S(text) => text,
            AttributeValue::N(number) => number.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn formats_look_as_they_say() {
        assert_eq!(text_of("uuid").len(), 36);
        assert_eq!(text_of("ulid").len(), 26);
        assert_eq!(text_of("ksuid").len(), 27);
        assert_eq!(text_of("const(a,b)"), "a,b");
        assert_eq!(text_of("text(40)").len(), 40);
        assert_eq!(text_of("seq"), "1");
        assert!(text_of("email").contains('@'));
        assert!(text_of("iso-time").starts_with("2026-"));
        let AttributeValue::L(items) = value("list(int(1,5),4)", &mut Random::new(1), 0) else {
            panic!("a list")
        };
        assert!(items.len() == 4 && items.iter().all(|item| item.kind() == Kind::N));
    }

    #[test]
    fn decimals_lie_between_their_bounds() {
        for seed in 0..100 {
            let AttributeValue::N(number) = value("decimal(1,2,2)", &mut Random::new(seed), 0) else {
                panic!()
            };
            let number: f64 = number.to_string().parse().unwrap();
            assert!((1.0..=2.0).contains(&number), "{number}");
        }
    }

    #[test]
    fn days_become_dates() {
        assert_eq!(iso_time(NOW), "2026-11-30T00:00:00Z");
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(1_709_164_800), "2024-02-29");
    }
}
