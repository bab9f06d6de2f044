//! The text of names and values: a strict parser of the one JSON text that [`crate::json`] writes for a value.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{DEPTH_MAX, RowError};
use crate::json::find_escape;
use crate::set::{Member, Set};
use crate::{AttributeValue, Attributes, Kind, Number, Step};

/// The text of one value, not parsed beyond its type.
#[derive(Clone, Copy)]
pub struct ValueRef<'a> {
    kind: Kind,
    /// What lies between `{"S":` and the closing brace.
    content: &'a [u8],
}

impl<'a> ValueRef<'a> {
    /// The value whose text takes all of `text`.
    pub(super) fn of(text: &'a [u8]) -> Result<Self, RowError> {
        let mut rest = text;
        let kind = take_opening(&mut rest)?;
        let content = rest.strip_suffix(b"}").ok_or(RowError::Damaged("end of a value"))?;
        Ok(Self { kind, content })
    }

    /// The data type.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The value as a tree.
    pub fn to_value(&self) -> Result<AttributeValue, RowError> {
        let mut rest = self.content;
        let value = take_content(self.kind, &mut rest, 1)?;
        if rest.is_empty() { Ok(value) } else { Err(RowError::Damaged("end of a value")) }
    }

    /// The value one step deeper, if this is a map with that name or a list with that index. What lies before it is
    /// skipped without being parsed.
    pub fn step(&self, step: &Step) -> Result<Option<Self>, RowError> {
        match (self.kind, step) {
            (Kind::M, Step::Name(name)) => self.member(name),
            (Kind::L, Step::Index(index)) => self.element(*index),
            _ => Ok(None),
        }
    }

    fn member(&self, name: &str) -> Result<Option<Self>, RowError> {
        let mut rest = self.content;
        expect(&mut rest, b'{')?;
        while !take_if(&mut rest, b'}') {
            let order = take_name(&mut rest)?.compare(name)?;
            let value = skip_value(&mut rest)?;
            match order {
                Ordering::Less => _ = take_if(&mut rest, b','),
                Ordering::Equal => return Self::of(value).map(Some),
                Ordering::Greater => return Ok(None),
            }
        }
        Ok(None)
    }

    fn element(&self, index: usize) -> Result<Option<Self>, RowError> {
        let mut rest = self.content;
        expect(&mut rest, b'[')?;
        let mut left = index;
        while !take_if(&mut rest, b']') {
            let value = skip_value(&mut rest)?;
            if left == 0 {
                return Self::of(value).map(Some);
            }
            left -= 1;
            take_if(&mut rest, b',');
        }
        Ok(None)
    }
}

impl fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, String::from_utf8_lossy(self.content))
    }
}

/// What lies between the quotes of a string.
#[derive(Clone, Copy)]
pub(super) struct Raw<'a> {
    bytes: &'a [u8],
    /// How many bytes are escaped. (A flag would make this a struct with padding, which is slower to hand on.)
    escapes: usize,
}

impl<'a> Raw<'a> {
    pub(super) fn to_text(self) -> Result<Cow<'a, str>, RowError> {
        let text = if self.escapes > 0 {
            String::from_utf8(unescape(self.bytes)?).ok().map(Cow::Owned)
        } else {
            str::from_utf8(self.bytes).ok().map(Cow::Borrowed)
        };
        text.ok_or(RowError::Damaged("UTF-8"))
    }

    /// Order of this string and `other`, by UTF-8 bytes.
    pub(super) fn compare(&self, other: &str) -> Result<Ordering, RowError> {
        if self.escapes > 0 {
            return Ok(unescape(self.bytes)?.as_slice().cmp(other.as_bytes()));
        }
        Ok(self.bytes.cmp(other.as_bytes()))
    }
}

/// Takes a name and the colon after it.
pub(super) fn take_name<'a>(input: &mut &'a [u8]) -> Result<Raw<'a>, RowError> {
    let name = take_raw(input)?;
    expect(input, b':')?;
    Ok(name)
}

/// Takes a string with its quotes.
fn take_raw<'a>(input: &mut &'a [u8]) -> Result<Raw<'a>, RowError> {
    const DAMAGED: RowError = RowError::Damaged("string");
    let text = input.strip_prefix(b"\"").ok_or(DAMAGED)?;
    let (mut end, mut escapes) = (0, 0);
    loop {
        end += text.get(end..).and_then(find_escape).ok_or(DAMAGED)?;
        match text[end] {
            b'"' => break,
            b'\\' => (end, escapes) = (end + 2, escapes + 1),
            _ => return Err(DAMAGED),
        }
    }
    *input = &text[end + 1..];
    Ok(Raw { bytes: &text[..end], escapes })
}

fn unescape(raw: &[u8]) -> Result<Vec<u8>, RowError> {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = find_escape(rest) {
        out.extend_from_slice(&rest[..at]);
        let (byte, after) = escaped_byte(&rest[at + 1..]).ok_or(RowError::Damaged("escape"))?;
        out.push(byte);
        rest = after;
    }
    out.extend_from_slice(rest);
    Ok(out)
}

/// The byte that is written as a backslash and the beginning of `rest`, and what follows. `None` if it is not written so.
fn escaped_byte(rest: &[u8]) -> Option<(u8, &[u8])> {
    let (&letter, rest) = rest.split_first()?;
    let byte = match letter {
        b'"' | b'\\' => letter,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'f' => 0x0c,
        b'u' => {
            let (digits, rest) = rest.split_first_chunk::<4>()?;
            return control(*digits).map(|byte| (byte, rest));
        }
        _ => return None,
    };
    Some((byte, rest))
}

/// The control character with these hexadecimal digits, if it has no shorter escape.
fn control(digits: [u8; 4]) -> Option<u8> {
    let [b'0', b'0', high @ (b'0' | b'1'), low] = digits else { return None };
    let low = match low {
        b'0'..=b'9' => low - b'0',
        b'a'..=b'f' => low - b'a' + 10,
        _ => return None,
    };
    let byte = (high - b'0') << 4 | low;
    (!matches!(byte, 0x08 | b'\t' | b'\n' | 0x0c | b'\r')).then_some(byte)
}

/// Takes `byte`, if it is next.
fn take_if(input: &mut &[u8], byte: u8) -> bool {
    let found = input.first() == Some(&byte);
    if found {
        *input = &input[1..];
    }
    found
}

fn expect(input: &mut &[u8], byte: u8) -> Result<(), RowError> {
    if take_if(input, byte) { Ok(()) } else { Err(RowError::Damaged("punctuation")) }
}

/// Takes `text`, if it is next.
fn take_word(input: &mut &[u8], text: &[u8]) -> bool {
    let rest = input.strip_prefix(text);
    *input = rest.unwrap_or(input);
    rest.is_some()
}

/// Takes the text of a value without parsing it: up to the brace or bracket that closes what is opened first.
fn skip_value<'a>(input: &mut &'a [u8]) -> Result<&'a [u8], RowError> {
    let whole = *input;
    let mut open = 0_usize;
    loop {
        match input.first().ok_or(RowError::Damaged("value"))? {
            b'"' => {
                take_raw(input)?;
                continue;
            }
            b'{' | b'[' => open += 1,
            b'}' | b']' if open > 0 => open -= 1,
            b'}' | b']' => return Err(RowError::Damaged("punctuation")),
            _ => {}
        }
        *input = &input[1..];
        if open == 0 {
            return Ok(&whole[..whole.len() - input.len()]);
        }
    }
}

/// Takes what opens a value: `{"S":`.
fn take_opening(input: &mut &[u8]) -> Result<Kind, RowError> {
    let rest = input.strip_prefix(b"{\"").unwrap_or_default();
    let (kind, rest) = match rest {
        [b'S', b'"', b':', rest @ ..] => (Kind::S, rest),
        [b'N', b'"', b':', rest @ ..] => (Kind::N, rest),
        [b'B', b'"', b':', rest @ ..] => (Kind::B, rest),
        [b'L', b'"', b':', rest @ ..] => (Kind::L, rest),
        [b'M', b'"', b':', rest @ ..] => (Kind::M, rest),
        [b'S', b'S', b'"', b':', rest @ ..] => (Kind::Ss, rest),
        [b'N', b'S', b'"', b':', rest @ ..] => (Kind::Ns, rest),
        [b'B', b'S', b'"', b':', rest @ ..] => (Kind::Bs, rest),
        [b'B', b'O', b'O', b'L', b'"', b':', rest @ ..] => (Kind::Bool, rest),
        [b'N', b'U', b'L', b'L', b'"', b':', rest @ ..] => (Kind::Null, rest),
        _ => return Err(RowError::Damaged("type")),
    };
    *input = rest;
    Ok(kind)
}

/// Takes a value; `depth` is its level.
fn take_value(input: &mut &[u8], depth: usize) -> Result<AttributeValue, RowError> {
    let kind = take_opening(input)?;
    let value = take_content(kind, input, depth)?;
    expect(input, b'}')?;
    Ok(value)
}

/// Takes what lies between the opening and the closing brace of a value.
fn take_content(kind: Kind, input: &mut &[u8], depth: usize) -> Result<AttributeValue, RowError> {
    Ok(match kind {
        Kind::S => AttributeValue::S(take_text(input)?),
        Kind::N => AttributeValue::N(take_number(input)?),
        Kind::B => AttributeValue::B(take_binary(input)?),
        Kind::Bool => AttributeValue::Bool(take_bool(input)?),
        Kind::Null if take_word(input, b"true") => AttributeValue::Null,
        Kind::Null => return Err(RowError::Damaged("null")),
        Kind::Ss => AttributeValue::Ss(take_set(input, take_text)?),
        Kind::Ns => AttributeValue::Ns(take_set(input, take_number)?),
        Kind::Bs => AttributeValue::Bs(take_set(input, take_binary)?),
        Kind::L | Kind::M if depth > DEPTH_MAX => return Err(RowError::Damaged("depth")),
        Kind::L => {
            AttributeValue::L(take_elements(input, b'[', b']', |input, _| take_value(input, depth + 1))?)
        }
        Kind::M => AttributeValue::M(take_map(input, depth)?),
    })
}

fn take_text(input: &mut &[u8]) -> Result<String, RowError> {
    take_raw(input)?.to_text().map(Cow::into_owned)
}

fn take_number(input: &mut &[u8]) -> Result<Number, RowError> {
    Number::from_canonical(take_raw(input)?.bytes).ok_or(RowError::Damaged("number"))
}

fn take_binary(input: &mut &[u8]) -> Result<Vec<u8>, RowError> {
    // Refuses padding and last bits that no encoder writes.
    STANDARD.decode(take_raw(input)?.bytes).map_err(|_| RowError::Damaged("base64"))
}

fn take_bool(input: &mut &[u8]) -> Result<bool, RowError> {
    let value = take_word(input, b"true");
    if value || take_word(input, b"false") { Ok(value) } else { Err(RowError::Damaged("boolean")) }
}

fn take_set<T: Member>(
    input: &mut &[u8],
    take: impl Fn(&mut &[u8]) -> Result<T, RowError>,
) -> Result<Set<T>, RowError> {
    let members = take_elements(input, b'[', b']', |input, previous: Option<&T>| {
        take(input).and_then(|member| ascending(previous, member, T::cmp))
    })?;
    if members.is_empty() { Err(RowError::Damaged("empty set")) } else { Ok(Set::from_sorted(members)) }
}

fn take_map(input: &mut &[u8], depth: usize) -> Result<Attributes, RowError> {
    let entries = take_elements(input, b'{', b'}', |input, previous: Option<&(String, AttributeValue)>| {
        let name = take_name(input)?.to_text()?.into_owned();
        let entry = (name, take_value(input, depth + 1)?);
        ascending(previous, entry, |left, right| left.0.cmp(&right.0))
    })?;
    Ok(Attributes::from_sorted(entries))
}

/// Takes what `take` takes, as often as there are commas, between `open` and `close`. `take` is given the one before.
fn take_elements<T>(
    input: &mut &[u8],
    open: u8,
    close: u8,
    take: impl Fn(&mut &[u8], Option<&T>) -> Result<T, RowError>,
) -> Result<Vec<T>, RowError> {
    expect(input, open)?;
    let mut elements = Vec::new();
    if take_if(input, close) {
        return Ok(elements);
    }
    loop {
        elements.push(take(input, elements.last())?);
        if !take_if(input, b',') {
            return expect(input, close).map(|()| elements);
        }
    }
}

/// Checks that `next` is greater than the one before it.
fn ascending<T>(previous: Option<&T>, next: T, order: impl Fn(&T, &T) -> Ordering) -> Result<T, RowError> {
    match previous {
        Some(previous) if order(previous, &next) != Ordering::Less => Err(RowError::Damaged("order")),
        _ => Ok(next),
    }
}
