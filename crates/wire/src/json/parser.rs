//! A pull parser for strict JSON (RFC 8259) over a body that is UTF-8.
//!
//! Nothing is allocated where a string can be borrowed. A number keeps its text. Nesting is capped, and what is
//! skipped is still checked.

use std::borrow::Cow;

use super::fault::Fault;

/// Nested arrays and objects that a body may have; deeper bodies are refused.
const DEPTH_MAX: usize = 1000;

/// What a value begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// Where an object or array stands in its list of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    First,
    Later,
}

/// The parser: a position in the text, and the depth there.
#[derive(Clone, Debug)]
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// A parser at the beginning of `body`, which must be UTF-8.
    pub(crate) fn new(body: &'a [u8]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(body).map_err(|_| Fault::Syntax)?;
        Ok(Self { text, at: 0, depth: 0 })
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_space(&mut self) -> Option<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other,
            }
        }
    }

    /// Takes `byte` after white space, if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let next = self.skip_space() == Some(byte);
        self.at += usize::from(next);
        next
    }

    fn need(&mut self, byte: u8) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(Fault::Syntax) }
    }

    /// What the next value begins with; takes nothing but white space.
    pub(crate) fn peek(&mut self) -> Result<Token, Fault> {
        match self.skip_space() {
            Some(b'{') => Ok(Token::Object),
            Some(b'[') => Ok(Token::Array),
            Some(b'"') => Ok(Token::String),
            Some(b'-' | b'0'..=b'9') => Ok(Token::Number),
            Some(b't') => Ok(Token::True),
            Some(b'f') => Ok(Token::False),
            Some(b'n') => Ok(Token::Null),
            _ => Err(Fault::Syntax),
        }
    }

    /// Takes the opening brace of an object.
    pub(crate) fn open_object(&mut self) -> Result<(), Fault> {
        self.need(b'{')?;
        self.deeper()
    }

    /// Takes the opening bracket of an array.
    pub(crate) fn open_array(&mut self) -> Result<(), Fault> {
        self.need(b'[')?;
        self.deeper()
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(Fault::Syntax) } else { Ok(()) }
    }

    /// The name of the object's next member, with its colon taken; `None` at the object's end.
    pub(crate) fn next_name(&mut self, turn: &mut Turn) -> Result<Option<Cow<'a, str>>, Fault> {
        if !self.next_member(turn, b'}')? {
            return Ok(None);
        }
        let name = self.string()?;
        self.need(b':')?;
        Ok(Some(name))
    }

    /// Takes the end of an object that has had members, if it is next.
    pub(crate) fn closes_object(&mut self) -> bool {
        let closes = self.take(b'}');
        self.depth -= usize::from(closes);
        closes
    }

    /// Whether the array has another element; takes its end if not.
    pub(crate) fn next_element(&mut self, turn: &mut Turn) -> Result<bool, Fault> {
        self.next_member(turn, b']')
    }

    fn next_member(&mut self, turn: &mut Turn, end: u8) -> Result<bool, Fault> {
        let was = std::mem::replace(turn, Turn::Later);
        if self.take(end) {
            self.depth -= 1;
            return Ok(false);
        }
        if was == Turn::Later {
            self.need(b',')?;
        }
        Ok(true)
    }

    /// Takes `null`, if it is next.
    pub(crate) fn null(&mut self) -> Result<bool, Fault> {
        if self.skip_space() != Some(b'n') {
            return Ok(false);
        }
        self.word("null")?;
        Ok(true)
    }

    /// Takes `true` or `false`.
    pub(crate) fn boolean(&mut self) -> Result<bool, Fault> {
        let value = self.peek()? == Token::True;
        self.word(if value { "true" } else { "false" })?;
        Ok(value)
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(Fault::Syntax);
        }
        self.at += word.len();
        Ok(())
    }

    /// Takes a number and gives its text.
    pub(crate) fn number(&mut self) -> Result<&'a str, Fault> {
        self.skip_space();
        let start = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        let leading_zero = self.byte() == Some(b'0');
        if self.digits()? > 1 && leading_zero {
            return Err(Fault::Syntax);
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// Takes at least one digit; the number of digits.
    fn digits(&mut self) -> Result<usize, Fault> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(Fault::Syntax) } else { Ok(count) }
    }

    /// Takes a string; borrowed unless it has escapes.
    pub(crate) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.need(b'"')?;
        let start = self.at;
        self.at += find_special(self.rest()).ok_or(Fault::Syntax)?;
        if self.byte() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        self.escaped_string(start).map(Cow::Owned)
    }

    /// The rest of a string whose first special byte is no quote.
    fn escaped_string(&mut self, start: usize) -> Result<String, Fault> {
        let mut out = self.text[start..self.at].to_owned();
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                _ => return Err(Fault::Syntax), // a control character, or the end
            }
            let from = self.at;
            self.at += find_special(self.rest()).ok_or(Fault::Syntax)?;
            out.push_str(&self.text[from..self.at]);
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let byte = self.byte().ok_or(Fault::Syntax)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(Fault::Syntax),
        })
    }

    /// The character of a `\u` escape; a high surrogate must be followed by an escaped low one.
    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or(Fault::Syntax);
        }
        self.word("\\u")?;
        let second = self.hex4()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(Fault::Syntax);
        }
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(Fault::Syntax)
    }

    fn hex4(&mut self) -> Result<u32, Fault> {
        let digits = self.rest().get(..4).ok_or(Fault::Syntax)?;
        let mut value = 0;
        for digit in digits {
            value = value * 16 + char::from(*digit).to_digit(16).ok_or(Fault::Syntax)?;
        }
        self.at += 4;
        Ok(value)
    }

    /// Takes any value, checking its syntax. Uses no stack for nested values.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        let mut open: Vec<(Token, Turn)> = Vec::new();
        self.skip_one(&mut open)?;
        while let Some((token, mut turn)) = open.pop() {
            let more = match token {
                Token::Object => self.next_name(&mut turn)?.is_some(),
                _ => self.next_element(&mut turn)?,
            };
            if more {
                open.push((token, turn));
                self.skip_one(&mut open)?;
            }
        }
        Ok(())
    }

    /// Takes a scalar, or opens a collection.
    fn skip_one(&mut self, open: &mut Vec<(Token, Turn)>) -> Result<(), Fault> {
        let token = self.peek()?;
        match token {
            Token::Object => self.open_object()?,
            Token::Array => self.open_array()?,
            Token::String => drop(self.string()?),
            Token::Number => drop(self.number()?),
            Token::True | Token::False => drop(self.boolean()?),
            Token::Null => drop(self.null()?),
        }
        if matches!(token, Token::Object | Token::Array) {
            open.push((token, Turn::First));
        }
        Ok(())
    }

    /// Nothing but white space is left.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        if self.skip_space().is_none() { Ok(()) } else { Err(Fault::Syntax) }
    }
}

/// Where the first quote, backslash or control character is; looks at eight bytes at a time.
fn find_special(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let hits = specials_in(u64::from_le_bytes(*word));
        if hits != 0 {
            return Some(index * 8 + hits.trailing_zeros() as usize / 8);
        }
    }
    let at = tail.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'))?;
    Some(words.len() * 8 + at)
}

/// Marks the top bit of each special byte; the lowest mark is true, one above it may be false, as subtraction borrows
/// only out of a marked byte.
fn specials_in(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES * 0x80);
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | equal(b'"') | equal(b'\\')
}
