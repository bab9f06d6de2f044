//! Type prefixes of key values, such as `ORDER#`: in a table of many entities they say which entity it is.
//!
//! A prefix could be data all the same (`ALICE#inbox`). So one is told only if it looks like a type and was seen before
//! many different remainders.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hashrange_engine::{Field, Group, Outline, PlanOutline};
use hashrange_item::{AttributeValue, Kind};

/// Different remainders after which a prefix is a type.
const REMAINDERS_MIN: usize = 20;
/// Prefixes that are remembered while it is not known whether they are types.
const TOKENS_MAX: usize = 4096;
/// Bytes of a token without its delimiter.
const BYTES: std::ops::RangeInclusive<usize> = 2..=31;

/// The prefix of a key value that may be a type, with its delimiter: `[A-Z][A-Z0-9_]{1,30}` and one of `# | : /`.
pub(super) fn of(value: &AttributeValue) -> Option<&str> {
    let AttributeValue::S(text) = value else { return None };
    let bytes = text.as_bytes();
    let is_of_token = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    let end = bytes.iter().take(BYTES.end() + 1).take_while(|byte| is_of_token(byte)).count();
    let looks_right = BYTES.contains(&end)
        && bytes[0].is_ascii_uppercase()
        && matches!(bytes.get(end), Some(b'#' | b'|' | b':' | b'/'));
    looks_right.then(|| &text[..=end])
}

/// Which prefixes were seen before which remainders, by table. Remainders are kept as hashes, and only until there are enough.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    seen: BTreeMap<(String, String), Vec<u64>>,
}

impl Tokens {
    /// Whether the prefix may be told.
    pub(super) fn is_type(&self, table: &str, token: &str) -> bool {
        let seen = self.seen.get(&(table.to_owned(), token.to_owned()));
        seen.is_some_and(|remainders| remainders.len() >= REMAINDERS_MIN)
    }

    /// Counts a remainder; tells whether the prefix may be told now.
    fn note(&mut self, table: &str, token: &str, remainder: u64) -> bool {
        let key = (table.to_owned(), token.to_owned());
        if self.seen.len() >= TOKENS_MAX && !self.seen.contains_key(&key) {
            return false;
        }
        let remainders = self.seen.entry(key).or_default();
        if remainders.len() < REMAINDERS_MIN && !remainders.contains(&remainder) {
            remainders.push(remainder);
        }
        remainders.len() >= REMAINDERS_MIN
    }
}

/// Takes an outline and counts the remainders of its key values.
pub(super) struct Remainders<'t> {
    tokens: &'t mut Tokens,
    table: String,
    in_table: bool,
    /// Whether all prefixes so far may be told.
    pub(super) settled: bool,
}

impl Remainders<'_> {
    pub(super) fn new(tokens: &mut Tokens) -> Remainders<'_> {
        Remainders { tokens, table: String::new(), in_table: false, settled: true }
    }
}

impl Outline for Remainders<'_> {
    fn word(&mut self, _: &'static str) {}

    fn name(&mut self, name: &str) {
        if self.in_table {
            name.clone_into(&mut self.table);
        }
    }

    fn literal(&mut self, _: Kind) {}

    fn open(&mut self, _: Group) {}

    fn member(&mut self) {}

    fn close(&mut self) {}
}

impl PlanOutline for Remainders<'_> {
    fn field(&mut self, field: Field) {
        self.in_table = field == Field::Table;
    }

    fn key(&mut self, _: bool, value: &AttributeValue) {
        let (Some(token), AttributeValue::S(text)) = (of(value), value) else { return };
        let mut hasher = DefaultHasher::new();
        text[token.len()..].hash(&mut hasher);
        // A prefix with nothing behind it, as in `begins_with`, says nothing of what is behind it elsewhere.
        let is_bare = text.len() == token.len();
        let known = if is_bare {
            self.tokens.is_type(&self.table, token)
        } else {
            self.tokens.note(&self.table, token, hasher.finish())
        };
        self.settled &= known;
    }

    fn partition(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Option<String> {
        of(&AttributeValue::from(text)).map(str::to_owned)
    }

    #[test]
    fn a_prefix_in_capitals_before_a_delimiter_may_be_a_type() {
        assert_eq!(token("ORDER#2026"), Some("ORDER#".to_owned()));
        assert_eq!(token("T_1|x"), Some("T_1|".to_owned()));
        assert_eq!(token("AB:"), Some("AB:".to_owned()));
        for none in ["order#1", "O#1", "ORDER", "1ORDER#1", "ORDER 1#2", "", "#", "ÄB#1"] {
            assert_eq!(token(none), None, "{none}");
        }
        assert_eq!(token(&format!("{}#1", "A".repeat(31))).map(|token| token.len()), Some(32));
        assert_eq!(token(&format!("{}#1", "A".repeat(32))), None);
    }

    #[test]
    fn a_prefix_is_told_after_twenty_different_remainders() {
        let mut tokens = Tokens::default();
        for remainder in 0..19 {
            assert!(!tokens.note("t", "A#", remainder));
            assert!(!tokens.note("t", "A#", remainder), "the same again");
        }
        assert!(!tokens.is_type("t", "A#"));
        assert!(tokens.note("t", "A#", 19));
        assert!(tokens.is_type("t", "A#"));
        assert!(!tokens.is_type("other", "A#"));
    }
}
