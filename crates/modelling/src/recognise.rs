//! What a text looks like: an identifier, a time, an address, a number.
//!
//! Each recogniser looks at one text; rules that speak of an attribute ask for most of its values. A text that could be several
//! things is taken for the one that is hardest to meet by chance.

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Look {
    /// Nothing at all.
    Empty,
    /// What programs print by mistake: `undefined`, `null`, `NaN`, `[object Object]`.
    Mistake,
    /// A UUID of that version (RFC 9562).
    Uuid(u8),
    /// A ULID.
    Ulid,
    /// A KSUID, or an `ObjectId`: an identifier that begins with its time.
    Ksuid,
    /// A random token: letters and digits mixed, without structure.
    Token,
    /// A hash or keyed hash: 32, 40, 64, 96 or 128 hexadecimal digits, or 43 or 44 of base64.
    Hash,
    /// A date that sorts: `2026-11-30`, `20261130`, `2026-11`, `2026-W48`.
    Date(Period),
    /// A date with a time that sorts among its like.
    Time(TimeForm),
    /// A date or time that does not sort: `30/11/2026`, `Nov 30`, `2026-1-5`.
    Unsorted,
    /// Seconds since 1970, from 2001 to 2100.
    Epoch,
    /// Milliseconds since 1970, of the same time.
    EpochMillis,
    /// An e-mail address.
    Email,
    /// A telephone number in the form of E.164: `+4915112345678`.
    Phone,
    /// A payment card's number, with a right check digit.
    Card,
    /// An IBAN, with right check digits.
    Iban,
    /// A national number: of the social security of the USA, or of the national insurance of the UK.
    National,
    /// Decimal digits, so many.
    Digits(u8),
    /// A number that is not only digits: `-3`, `2.50`.
    Number,
    /// `true`, `false`, `yes`, `no`, `Y`, `N`.
    Boolean,
    /// One word of letters, `_` or `-`.
    Word,
    /// Something else.
    Text,
}

/// What a date leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Period {
    /// `2026-11`.
    Month,
    /// `2026-W48`.
    Week,
    /// `2026-11-30`.
    Day,
    /// `20261130`.
    CompactDay,
    /// `2026-11-30T14`.
    Hour,
}

/// How a time is written: times of one form sort, of several do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeForm {
    /// Digits after the second; `None` where seconds are left out.
    pub fraction: Option<u8>,
    /// The zone.
    pub zone: Zone,
    /// Whether a space stands for `T`.
    pub space: bool,
}

/// The zone of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    /// `Z`.
    Utc,
    /// `+01:00`.
    Offset,
    /// None.
    Local,
}

impl Look {
    /// Whether values rise with the time at which they were made.
    pub fn is_time_ordered(self) -> bool {
        matches!(
            self,
            Look::Uuid(6 | 7)
                | Look::Ulid
                | Look::Ksuid
                | Look::Date(_)
                | Look::Time(_)
                | Look::Epoch
                | Look::EpochMillis
        )
    }

    /// Whether values are identifiers that nobody could list in order.
    pub fn is_random(self) -> bool {
        matches!(self, Look::Uuid(0..=5 | 8..) | Look::Token | Look::Hash)
    }

    /// Whether values are made so that no two are alike.
    pub fn is_identifier(self) -> bool {
        self.is_random() || matches!(self, Look::Uuid(_) | Look::Ulid | Look::Ksuid)
    }

    /// Whether values are dates or times.
    pub fn is_time(self) -> bool {
        matches!(self, Look::Date(_) | Look::Time(_) | Look::Unsorted | Look::Epoch | Look::EpochMillis)
    }

    /// Whether values point at a person.
    pub fn is_personal(self) -> bool {
        matches!(self, Look::Email | Look::Phone | Look::Card | Look::Iban | Look::National)
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Look::Empty => "empty",
            Look::Mistake => "a program's mistake",
            Look::Uuid(1) => "UUID v1",
            Look::Uuid(4) => "UUID v4",
            Look::Uuid(6) => "UUID v6",
            Look::Uuid(7) => "UUID v7",
            Look::Uuid(_) => "UUID",
            Look::Ulid => "ULID",
            Look::Ksuid => "KSUID",
            Look::Token => "random token",
            Look::Hash => "hash",
            Look::Date(_) => "date",
            Look::Time(_) => "ISO time",
            Look::Unsorted => "unsortable date",
            Look::Epoch => "epoch seconds",
            Look::EpochMillis => "epoch milliseconds",
            Look::Email => "e-mail address",
            Look::Phone => "telephone number",
            Look::Card => "card number",
            Look::Iban => "IBAN",
            Look::National => "national number",
            Look::Digits(_) => "digits",
            Look::Number => "number",
            Look::Boolean => "boolean",
            Look::Word => "word",
            Look::Text => "text",
        }
    }
}

/// What the text looks like.
pub fn look(text: &str) -> Look {
    let trials: &[fn(&str) -> Option<Look>] =
        &[mistake, boolean, digits, identifier, time, personal, number, hash_or_token, word];
    trials.iter().find_map(|trial| trial(text)).unwrap_or(Look::Text)
}

fn mistake(text: &str) -> Option<Look> {
    match text {
        "" => Some(Look::Empty),
        "undefined" | "null" | "NaN" | "None" | "nil" | "[object Object]" => Some(Look::Mistake),
        _ => None,
    }
}

fn boolean(text: &str) -> Option<Look> {
    matches!(text, "true" | "false" | "True" | "False" | "TRUE" | "FALSE" | "yes" | "no" | "Y" | "N")
        .then_some(Look::Boolean)
}

fn digits(text: &str) -> Option<Look> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = text.parse::<u64>().unwrap_or(u64::MAX);
    Some(match text.len() {
        10 if EPOCHS.contains(&value) => Look::Epoch,
        13 if EPOCHS.contains(&(value / 1000)) => Look::EpochMillis,
        8 if compact_day(text) => Look::Date(Period::CompactDay),
        14..=19 if card(text) => Look::Card,
        length => Look::Digits(u8::try_from(length).unwrap_or(u8::MAX)),
    })
}

/// Seconds since 1970 that ten digits can be taken for: from September 2001 to the end of 2099.
const EPOCHS: std::ops::Range<u64> = 1_000_000_000..4_102_444_800;

fn compact_day(text: &str) -> bool {
    let part = |from: usize, to: usize| text[from..to].parse::<u32>().unwrap_or(0);
    (1970..2100).contains(&part(0, 4)) && (1..=12).contains(&part(4, 6)) && (1..=31).contains(&part(6, 8))
}

/// Whether digits (14 to 19) are a card's: an issuer's beginning, a length that goes with it, and Luhn's check digit.
pub fn card(digits: &str) -> bool {
    let begins = |wanted: &[&str]| wanted.iter().any(|prefix| digits.starts_with(prefix));
    let known = match digits.len() {
        14 => begins(&["30", "36", "38"]),
        15 => begins(&["34", "37"]),
        16 => begins(&[
            "4", "51", "52", "53", "54", "55", "22", "23", "24", "25", "26", "27", "60", "64", "65", "35",
        ]),
        19 => begins(&["4", "62"]),
        _ => false,
    };
    known && luhn(digits)
}

/// Luhn's check (ISO/IEC 7812-1): every second digit from the right is doubled; the sum of all digits ends in 0.
fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, byte)| {
            let digit = u32::from(byte.wrapping_sub(b'0'));
            let value = if at % 2 == 1 { digit * 2 } else { digit };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

fn identifier(text: &str) -> Option<Look> {
    let bytes = text.as_bytes();
    match bytes.len() {
        36 => uuid(bytes),
        26 if bytes[0] <= b'7' && bytes.iter().all(|byte| crockford(*byte)) => Some(Look::Ulid),
        27 if bytes.iter().all(u8::is_ascii_alphanumeric) && mixed(text) => Some(Look::Ksuid),
        24 if hexadecimal(text) => {
            let seconds = u64::from_str_radix(&text[..8], 16).unwrap_or(0);
            Some(if EPOCHS.contains(&seconds) { Look::Ksuid } else { Look::Hash })
        }
        _ => None,
    }
}

fn uuid(bytes: &[u8]) -> Option<Look> {
    let sound = bytes.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    let version = char::from(bytes[14]).to_digit(16)?;
    sound.then_some(Look::Uuid(u8::try_from(version).unwrap_or(0)))
}

/// A digit of a ULID: base 32 without I, L, O and U.
fn crockford(byte: u8) -> bool {
    byte.is_ascii_digit()
        || (byte.is_ascii_uppercase() && !b"ILOU".contains(&byte))
        || (byte.is_ascii_lowercase() && !b"ilou".contains(&byte))
}

fn hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit()) && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether digits, capitals and small letters all occur.
fn mixed(text: &str) -> bool {
    let any = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    any(u8::is_ascii_digit) && any(u8::is_ascii_uppercase) && any(u8::is_ascii_lowercase)
}

fn time(text: &str) -> Option<Look> {
    sorted_time(text).or_else(|| unsorted_time(text).then_some(Look::Unsorted))
}

fn sorted_time(text: &str) -> Option<Look> {
    let year = text.get(..4)?.parse::<u32>().ok()?;
    let rest = text.get(4..)?.strip_prefix('-')?;
    if !(1900..2200).contains(&year) {
        return None;
    }
    if let Some(week) = rest.strip_prefix('W') {
        return two_digits(week, 1, 53).filter(|rest| rest.is_empty()).map(|_| Look::Date(Period::Week));
    }
    let rest = two_digits(rest, 1, 12)?;
    if rest.is_empty() {
        return Some(Look::Date(Period::Month));
    }
    let rest = two_digits(rest.strip_prefix('-')?, 1, 31)?;
    if rest.is_empty() {
        return Some(Look::Date(Period::Day));
    }
    let space = rest.starts_with(' ');
    clock(rest.strip_prefix(['T', ' '])?, space)
}

/// What follows the day: `14`, `14:05`, `14:05:09.123Z`.
fn clock(text: &str, space: bool) -> Option<Look> {
    let rest = two_digits(text, 0, 23)?;
    if rest.is_empty() {
        return Some(Look::Date(Period::Hour));
    }
    let mut rest = two_digits(rest.strip_prefix(':')?, 0, 59)?;
    let mut fraction = None;
    if let Some(seconds) = rest.strip_prefix(':') {
        rest = two_digits(seconds, 0, 60)?;
        let after = rest.strip_prefix(['.', ',']).unwrap_or(rest);
        let count = if after.len() < rest.len() { leading_digits(after) } else { 0 };
        rest = if count > 0 { &after[count..] } else { rest };
        fraction = Some(u8::try_from(count).unwrap_or(u8::MAX));
    }
    let zone = match rest {
        "" => Zone::Local,
        "Z" | "z" => Zone::Utc,
        offset if offset.starts_with(['+', '-']) && offset.len() <= 6 => Zone::Offset,
        _ => return None,
    };
    Some(Look::Time(TimeForm { fraction, zone, space }))
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The rest of a text after two digits between bounds.
fn two_digits(text: &str, least: u32, most: u32) -> Option<&str> {
    let digits = text.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let value = digits.parse::<u32>().ok()?;
    (least..=most).contains(&value).then(|| &text[2..])
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// `30/11/2026`, `11-30-2026`, `30.11.26`, `2026-1-5`, `2026/11/3`, `Nov 30`, `30 Nov 2026`.
fn unsorted_time(text: &str) -> bool {
    let date = text.split([' ', 'T']).next().unwrap_or_default();
    for separator in ['/', '-', '.'] {
        let numbers: Vec<&str> = date.split(separator).collect();
        if numbers.len() == 3 && numbers.iter().all(|part| matches!(part.len(), 1 | 2 | 4) && is_digits(part))
        {
            return dated(&numbers) && !(separator == '.' && numbers.iter().all(|part| part.len() == 1));
        }
    }
    named_month(text)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether three numbers can be a date in some order: with a year of four digits, or of two at the end.
fn dated(numbers: &[&str]) -> bool {
    let value = |at: usize| numbers[at].parse::<u32>().unwrap_or(0);
    let day_and_month =
        |a: u32, b: u32| (1..=31).contains(&a) && (1..=31).contains(&b) && (a <= 12 || b <= 12);
    if numbers[0].len() == 4 {
        return (1900..2200).contains(&value(0)) && day_and_month(value(1), value(2));
    }
    let year = numbers[2].len() == 4 && (1900..2200).contains(&value(2)) || numbers[2].len() == 2;
    year && day_and_month(value(0), value(1))
}

fn named_month(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    let month =
        |word: &&str| word.len() >= 3 && MONTHS.iter().any(|month| word.to_lowercase().starts_with(month));
    let number = |word: &&str| is_digits(word) && word.len() <= 4;
    (2..=6).contains(&words.len())
        && text.len() <= 40
        && words.iter().take(3).filter(|word| month(word) && word.len() <= 9).count() == 1
        && words.iter().any(number)
        && words.iter().all(|word| month(word) || number(word) || word.contains(':') || word.len() <= 4)
}

fn personal(text: &str) -> Option<Look> {
    if email(text) {
        return Some(Look::Email);
    }
    if let Some(digits) = text.strip_prefix('+') {
        return (is_digits(digits) && (8..=15).contains(&digits.len())).then_some(Look::Phone);
    }
    if iban(text) {
        return Some(Look::Iban);
    }
    if national(text) {
        return Some(Look::National);
    }
    let bare: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    let spaced = bare.len() < text.len() && is_digits(&bare) && (14..=19).contains(&bare.len());
    (spaced && card(&bare)).then_some(Look::Card)
}

fn email(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let sound = |part: &str| !part.is_empty() && !part.contains([' ', '@', '#', ',', '/']);
    let domain = host.rsplit_once('.').is_some_and(|(before, top)| {
        !before.is_empty() && top.len() >= 2 && top.chars().all(char::is_alphabetic)
    });
    sound(name) && sound(host) && domain && text.len() <= 254
}

/// ISO 13616: country, two check digits, up to 30 letters and digits; the whole, turned, is 1 modulo 97.
fn iban(text: &str) -> bool {
    let bare: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let shaped = (15..=34).contains(&bare.len())
        && bare[..2].iter().all(u8::is_ascii_uppercase)
        && bare[2..4].iter().all(u8::is_ascii_digit)
        && bare.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    shaped && remainder_97(bare[4..].iter().chain(&bare[..4])) == 1
}

fn remainder_97<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    bytes.fold(0, |remainder, byte| {
        let value = char::from(*byte).to_digit(36).unwrap_or(0);
        let scale = if value > 9 { 100 } else { 10 };
        (remainder * scale + value) % 97
    })
}

/// `078-05-1120` (USA; never 000, 666 or 9xx) and `AB123456C` (UK).
fn national(text: &str) -> bool {
    let bytes = text.as_bytes();
    let usa = bytes.len() == 11
        && bytes
            .iter()
            .enumerate()
            .all(|(at, b)| if at == 3 || at == 6 { *b == b'-' } else { b.is_ascii_digit() })
        && !matches!(&text[..3], "000" | "666")
        && bytes[0] != b'9';
    let uk = bytes.len() == 9
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..8].iter().all(u8::is_ascii_digit)
        && (b'A'..=b'D').contains(&bytes[8]);
    usa || uk
}

fn number(text: &str) -> Option<Look> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    (is_digits(whole) && is_digits(part)).then_some(Look::Number)
}

fn hash_or_token(text: &str) -> Option<Look> {
    let length = text.len();
    if matches!(length, 32 | 40 | 64 | 96 | 128) && hexadecimal(text) {
        return Some(Look::Hash);
    }
    let bare = text.trim_end_matches('=');
    let url_safe = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_+/".contains(&b));
    if bare.len() == 43 && url_safe(bare) && mixed(bare) {
        return Some(Look::Hash);
    }
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    ((16..=64).contains(&length) && plain && mixed(text) && changes(text) * 3 >= length)
        .then_some(Look::Token)
}

/// How often neighbours are of different classes (digit, capital, small): random text changes often, names with numbers seldom.
fn changes(text: &str) -> usize {
    let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    text.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

fn word(text: &str) -> Option<Look> {
    let letters = text.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-'));
    (letters && text.chars().any(char::is_alphabetic)).then_some(Look::Word)
}

/// What most of some texts look like: the one look (widths and forms aside) that at least that share of them has.
pub fn common<'a>(texts: impl IntoIterator<Item = &'a str>, share: f64) -> Option<Look> {
    let mut counts: std::collections::BTreeMap<Look, u32> = std::collections::BTreeMap::new();
    let mut all = 0_u32;
    for text in texts {
        *counts.entry(kin(look(text))).or_default() += 1;
        all += 1;
    }
    let (look, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (f64::from(count) >= share * f64::from(all)).then_some(look)
}

/// The look without what differs between values that belong together.
fn kin(look: Look) -> Look {
    match look {
        Look::Digits(_) => Look::Digits(0),
        Look::Time(_) => Look::Time(TimeForm { fraction: None, zone: Zone::Utc, space: false }),
        look => look,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fraction: Option<u8>, zone: Zone) -> Look {
        Look::Time(TimeForm { fraction, zone, space: false })
    }

    #[test]
    fn identifiers_are_told_apart() {
        for (text, wanted) in [
            ("f81d4fae-7dec-11d0-a765-00a0c91e6bf6", Look::Uuid(1)),
            ("9b2f4c1e-52a7-4c9b-9d55-0d9a6d1f3a11", Look::Uuid(4)),
            ("01932c07-209d-7c5a-b1a4-8a52c8f6f7e0", Look::Uuid(7)),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", Look::Ulid),
            ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", Look::Ksuid),
            ("65f1c0a2e4b0a1b2c3d4e5f6", Look::Ksuid),
            ("V1StGXR8_Z5jdHi6B-myT", Look::Token),
            ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Look::Hash),
            ("n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg", Look::Hash),
            ("customer-service-Europe1", Look::Text),
            ("PROFILE", Look::Word),
        ] {
            assert_eq!(look(text), wanted, "{text}");
        }
    }

    #[test]
    fn times_are_told_by_form() {
        for (text, wanted) in [
            ("2026-11-30", Look::Date(Period::Day)),
            ("2026-11", Look::Date(Period::Month)),
            ("2026-W48", Look::Date(Period::Week)),
            ("20261130", Look::Date(Period::CompactDay)),
            ("2026-11-30T14", Look::Date(Period::Hour)),
            ("2026-11-30T14:05:09Z", form(Some(0), Zone::Utc)),
            ("2026-11-30T14:05:09.123Z", form(Some(3), Zone::Utc)),
            ("2026-11-30T14:05:09+01:00", form(Some(0), Zone::Offset)),
            ("2026-11-30T14:05", form(None, Zone::Local)),
            ("1764511509", Look::Epoch),
            ("1764511509123", Look::EpochMillis),
            ("02/11/2026", Look::Unsorted),
            ("2026-1-5", Look::Unsorted),
            ("Nov 2", Look::Unsorted),
            ("2 Nov 2026", Look::Unsorted),
            ("1.2.3", Look::Text),
            ("99999999", Look::Digits(8)),
            ("march of progress", Look::Text),
        ] {
            assert_eq!(look(text), wanted, "{text}");
        }
    }

    #[test]
    fn personal_data_needs_its_check_digits() {
        for (text, wanted) in [
            ("ada@example.com", Look::Email),
            ("ada@example", Look::Text),
            ("+4915112345678", Look::Phone),
            ("4111111111111111", Look::Card),
            ("4111 1111 1111 1111", Look::Card),
            ("4111111111111112", Look::Digits(16)),
            ("1764511509123456", Look::Digits(16)),
            ("DE89370400440532013000", Look::Iban),
            ("GB82 WEST 1234 5698 7654 32", Look::Iban),
            ("DE89370400440532013001", Look::Text),
            ("078-05-1120", Look::National),
            ("AB123456C", Look::National),
        ] {
            assert_eq!(look(text), wanted, "{text}");
        }
    }

    #[test]
    fn mistakes_numbers_and_words() {
        for (text, wanted) in [
            ("", Look::Empty),
            ("undefined", Look::Mistake),
            ("[object Object]", Look::Mistake),
            ("false", Look::Boolean),
            ("0042", Look::Digits(4)),
            ("-3", Look::Number),
            ("2.50", Look::Number),
            ("é", Look::Word),
            ("--", Look::Text),
        ] {
            assert_eq!(look(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_common_look_needs_its_share() {
        let texts = ["1", "22", "333", "x"];
        assert_eq!(common(texts, 0.7), Some(Look::Digits(0)));
        assert_eq!(common(texts, 0.9), None);
        assert_eq!(common([], 0.5), None);
    }

    /// Any text has a look: none of the recognisers may fail on bytes it did not expect.
    #[test]
    fn every_text_has_a_look() {
        for text in [
            "ééééééééé",
            "2026-é1",
            "🦀🦀🦀🦀",
            "2026-11-3é",
            "+é",
            "é@é.éé",
            "0000-é",
            "aaaaaaa-bbbb-cccc-dddd-eeeeeeeeeéé",
        ] {
            let _ = look(text);
        }
    }
}
