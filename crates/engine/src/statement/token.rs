//! `NextToken`: where a statement stopped, tied to its text and parameters.

use std::fmt::Write as _;

use bytes::Bytes;
use hashrange_api::Error;
use hashrange_api::message::statement as text;
use hashrange_item::{AttributeValue, Attributes, Row};
use hashrange_store::partition_hash;

use crate::check::{CheckedStatement, StatementSource};

/// Where a statement goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// Which of the statement's reads.
    pub(crate) read: usize,
    /// The key after which it goes on; `None` is its beginning.
    pub(crate) start: Option<Attributes>,
}

/// Bytes of the statement's fingerprint and of the number of the read.
const HEAD: usize = 8 + 2;

impl Position {
    /// The position that the statement's token names.
    pub(crate) fn of(checked: &CheckedStatement) -> Result<Option<Position>, Error> {
        let Some(token) = &checked.token else { return Ok(None) };
        let invalid = || Error::validation(text::invalid_token());
        let bytes = from_hex(token).filter(|bytes| bytes.len() >= HEAD).ok_or_else(invalid)?;
        if bytes[..8] != fingerprint(&checked.source) {
            return Err(Error::validation(text::token_of_another()));
        }
        let read = usize::from(u16::from_be_bytes([bytes[8], bytes[9]]));
        let row = &bytes[HEAD..];
        let start = if row.is_empty() { None } else { Some(key(row).ok_or_else(invalid)?) };
        Ok(Some(Position { read, start }))
    }

    /// The token of this position in that statement.
    pub(crate) fn token(&self, source: &StatementSource) -> String {
        let read = u16::try_from(self.read).expect("a statement makes at most 50 reads");
        let mut bytes = fingerprint(source).to_vec();
        bytes.extend(read.to_be_bytes());
        if let Some(start) = &self.start {
            bytes.extend_from_slice(Row::encode(start).as_bytes());
        }
        to_hex(&bytes)
    }
}

/// The key that a token carries. Anyone can write a token, so nothing in it is trusted.
fn key(row: &[u8]) -> Option<Attributes> {
    let row = Row::from_bytes(Bytes::copy_from_slice(row)).ok()?;
    row.verify().ok()?;
    row.decode().ok()
}

fn fingerprint(source: &StatementSource) -> [u8; 8] {
    let parameters = AttributeValue::L(source.parameters.clone());
    let parameters = Row::encode(&Attributes::from([("", parameters)]));
    let mut bytes = source.text.clone().into_bytes();
    bytes.push(0);
    bytes.extend_from_slice(parameters.as_bytes());
    partition_hash(&bytes).to_be_bytes()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair.first()?)? * 16 + digit(pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, token: Option<String>) -> CheckedStatement {
        let bound =
            hashrange_language::partiql::Statement::parse("SELECT * FROM t").unwrap().bind(&[]).unwrap();
        let source = StatementSource { text: text.to_owned(), parameters: vec!["a".into()] };
        CheckedStatement {
            bound,
            source,
            token,
            limit: None,
            consistent: false,
            return_on_failure: None,
            consumed: None,
        }
    }

    #[test]
    fn a_token_brings_its_position_back_to_its_own_statement_only() {
        let key = Attributes::from([("pk", "k".into())]);
        for position in [Position { read: 3, start: Some(key) }, Position { read: 1, start: None }] {
            let token = position.token(&checked("SELECT 1", None).source);
            assert_eq!(Position::of(&checked("SELECT 1", Some(token.clone()))).unwrap(), Some(position));
            let error = Position::of(&checked("SELECT 2", Some(token))).unwrap_err();
            assert_eq!(error, Error::validation(text::token_of_another()));
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for token in ["", "x", "abc", "0123", "\u{e9}\u{e9}"] {
            let error = Position::of(&checked("SELECT 1", Some(token.to_owned()))).unwrap_err();
            assert_eq!(error, Error::validation(text::invalid_token()), "{token:?}");
        }
        let mut token = Position { read: 0, start: None }.token(&checked("SELECT 1", None).source);
        token.push_str("ff00ff");
        let error = Position::of(&checked("SELECT 1", Some(token))).unwrap_err();
        assert_eq!(error, Error::validation(text::invalid_token()));
    }
}
