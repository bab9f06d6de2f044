//! Splits the text of a statement into tokens.

use hashrange_item::{Number, NumberError};

use super::error::{Detail, StatementError};
use super::syntax::Place;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A word without quotes, as written.
    Word(String),
    /// `"…"`, without the quotes.
    Quoted(String),
    /// `'…'`, without the quotes.
    Text(String),
    /// Digits, as written, without a sign.
    Number(String),
    /// `?`
    Parameter,
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// Longest first, so that `<<` is not read as two `<`.
const SYMBOLS: [&str; 22] = [
    "<<", ">>", "<=", ">=", "<>", "!=", "=", "<", ">", "(", ")", "[", "]", "{", "}", ",", ".", ":", "*", "+",
    "-", ";",
];

const UNREADABLE: StatementError = StatementError::Malformed(Detail::Nothing);

/// The tokens of `text`, the last of which is [`Token::End`].
pub(super) fn split(text: &str) -> Result<Vec<(Token, Place)>, StatementError> {
    let mut scan = Scan { rest: text, line: 1, column: 1 };
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        scan.skip_space()?;
        let (line, column, before) = (scan.line, scan.column, scan.rest);
        let token = scan.token()?;
        let length = before[..before.len() - scan.rest.len()].chars().count();
        let is_end = token == Token::End;
        tokens.push((token, Place { line, column, length }));
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Scan<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
}

impl<'t> Scan<'t> {
    /// Takes that many bytes, which end at a character.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for character in taken.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let bytes = self.rest.find(|character| !wanted(character)).unwrap_or(self.rest.len());
        self.take(bytes)
    }

    /// White space and comments.
    fn skip_space(&mut self) -> Result<(), StatementError> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest.starts_with("--") {
                self.take_while(|character| character != '\n');
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").ok_or(UNREADABLE)?;
                self.take(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, StatementError> {
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        let second_is_digit = self.rest[first.len_utf8()..].starts_with(|next: char| next.is_ascii_digit());
        match first {
            '\'' => self.quoted('\'').map(Token::Text),
            '"' => self.quoted('"').map(Token::Quoted),
            '?' => {
                self.take(1);
                Ok(Token::Parameter)
            }
            '0'..='9' => self.number(),
            '.' if second_is_digit => self.number(),
            'a'..='z' | 'A'..='Z' | '_' | '$' => Ok(Token::Word(self.take_while(is_word).to_owned())),
            _ => self.symbol(),
        }
    }

    /// A text up to the closing quote; two quotes stand for one.
    fn quoted(&mut self, quote: char) -> Result<String, StatementError> {
        self.take(1);
        let mut text = String::new();
        loop {
            text += self.take_while(|character| character != quote);
            if self.rest.is_empty() {
                return Err(UNREADABLE);
            }
            self.take(1);
            if !self.rest.starts_with(quote) {
                return Ok(text);
            }
            self.take(1);
            text.push(quote);
        }
    }

    fn number(&mut self) -> Result<Token, StatementError> {
        let before = self.rest;
        self.take_while(|character| character.is_ascii_digit());
        if self.rest.starts_with('.') {
            self.take(1);
            self.take_while(|character| character.is_ascii_digit());
        }
        let exponent = self.rest.strip_prefix(['e', 'E']);
        let digits = exponent.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        if digits.is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit())) {
            self.take(1);
            if self.rest.starts_with(['+', '-']) {
                self.take(1);
            }
            self.take_while(|character| character.is_ascii_digit());
        }
        let text = &before[..before.len() - self.rest.len()];
        // An exponent, or a scale, beyond 32 bits cannot be read at all.
        if let Err(NumberError::NotNumeric(_)) = Number::parse_older(text) {
            return Err(UNREADABLE);
        }
        Ok(Token::Number(text.to_owned()))
    }

    fn symbol(&mut self) -> Result<Token, StatementError> {
        let symbol = SYMBOLS.into_iter().find(|symbol| self.rest.starts_with(symbol)).ok_or(UNREADABLE)?;
        self.take(symbol.len());
        Ok(Token::Symbol(symbol))
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '$'
}
