//! From JSON to typed requests: what the generated decoders are made of.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashrange_api::Timestamp;
use hashrange_api::constraint::{Gap, GapKind, Missing, Step};
use hashrange_api::message::{Layer, edge, serialization as text};
use hashrange_item::limits::ITEM_SIZE_MAX;
use hashrange_item::{Number, NumberError, ValueError};

use super::fault::Fault;
use super::parser::{Parser, Token, Turn};

/// Values in a request that are no attribute values; more than this many are not noted.
const BAD_VALUES_MAX: usize = 64;

/// Structures in lists and entries of maps that are no items, in one request. Ours, against requests that become many
/// times larger in memory than they are as text, and against long searches among thousands of slips; what DynamoDB
/// takes has some hundreds.
const STRUCTURES_MAX: usize = 4096;

/// Refuses more elements than an item can hold, each being one byte at least.
pub(crate) fn check_room(elements: usize) -> Result<(), Fault> {
    if elements >= ITEM_SIZE_MAX {
        return Err(Fault::Type(edge::too_many_elements()));
    }
    Ok(())
}

/// A value that is no attribute value, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadValue {
    pub(crate) path: Vec<Step>,
    pub(crate) error: ValueError,
}

/// Whether a value belongs to a member of a structure or to a list or map; AWS's words differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Member,
    Element,
}

/// Counts of what was noted before some point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    missing: usize,
    bad: usize,
}

/// The parser, and what was found that is no fault of the syntax.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    pub(crate) parser: Parser<'a>,
    pub(crate) missing: Missing,
    pub(crate) bad: Vec<BadValue>,
    /// Whose texts the request gets: the older layer reads the exponents of numbers otherwise.
    pub(super) layer: Layer,
    /// Elements and entries so far, as [`STRUCTURES_MAX`] counts them.
    structures: usize,
    /// Whether number values stand in the request as their texts; see [`spelling`](super::spelling).
    pub(super) as_spelt: bool,
    /// Whether a number value is not plain digits, so that its text may be another one of the same number.
    pub(super) has_spellings: bool,
}

/// A type that a member of a request can have.
pub(crate) trait Decode: Sized {
    /// Takes the value; it is not null.
    fn decode(decoder: &mut Decoder<'_>, place: Place) -> Result<Self, Fault>;

    /// The Java type, as AWS names it in messages.
    fn java() -> Cow<'static, str>;
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(body: &'a [u8], layer: Layer) -> Result<Self, Fault> {
        Ok(Self {
            parser: Parser::new(body)?,
            missing: Missing::none(),
            bad: Vec::new(),
            layer,
            structures: 0,
            as_spelt: false,
            has_spellings: false,
        })
    }

    fn count_structure(&mut self) -> Result<(), Fault> {
        self.structures += 1;
        if self.structures > STRUCTURES_MAX {
            return Err(Fault::Type(edge::too_many_elements()));
        }
        Ok(())
    }

    /// The number that a text stands for.
    pub(crate) fn attribute_number(&self, text: &str) -> Result<Number, NumberError> {
        attribute_number(self.layer, text)
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { missing: self.missing.len(), bad: self.bad.len() }
    }

    /// What was noted since the mark lies inside `step`.
    fn prefix(&mut self, mark: Mark, step: &Step) {
        if self.missing.len() > mark.missing {
            self.missing.prefix(mark.missing, step);
        }
        for bad in &mut self.bad[mark.bad..] {
            bad.path.insert(0, step.clone());
        }
    }

    /// Takes back what was noted since the mark inside `step`: the member came again, and the last one counts.
    fn forget(&mut self, mark: Mark, step: &Step) {
        if self.missing.len() > mark.missing {
            self.missing.forget(mark.missing, step);
        }
        if self.bad.len() > mark.bad {
            let later = self.bad.split_off(mark.bad);
            self.bad.extend(later.into_iter().filter(|bad| bad.path.first() != Some(step)));
        }
    }

    /// Whether there may be more values that are no attribute values than were noted.
    pub(crate) fn is_full_of_bad_values(&self) -> bool {
        self.bad.len() >= BAD_VALUES_MAX
    }

    pub(crate) fn note_bad(&mut self, error: ValueError) {
        if self.bad.len() < BAD_VALUES_MAX {
            self.bad.push(BadValue { path: Vec::new(), error });
        }
    }

    pub(crate) fn note_bad_at(&mut self, step: &Step, error: ValueError) {
        let before = self.mark();
        self.note_bad(error);
        self.prefix(before, step);
    }

    pub(crate) fn note_unknown(&mut self, value: &str) {
        self.missing.add(Gap { path: Vec::new(), kind: GapKind::Unknown(value.to_owned()) });
    }

    /// Takes the opening brace of a structure.
    pub(crate) fn open_structure(&mut self, place: Place, name: &str) -> Result<Mark, Fault> {
        match self.parser.peek()? {
            Token::Object => self.parser.open_object()?,
            Token::Array => return Err(Fault::collection(&java_class(name))),
            _ => return Err(unexpected(place)),
        }
        Ok(self.mark())
    }

    /// Takes a member's value: `None` where it is null. `mark` is the structure's.
    pub(crate) fn member<T: Decode>(&mut self, name: &'static str, mark: Mark) -> Result<Option<T>, Fault> {
        self.member_with(name, mark, |decoder| T::decode(decoder, Place::Member))
    }

    /// [`Self::member`] with a decoder of its own.
    pub(crate) fn member_with<T>(
        &mut self,
        name: &'static str,
        mark: Mark,
        decode: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let step = Step::Member(name);
        self.forget(mark, &step);
        self.inside(&step, decode)
    }

    /// Takes a value that may be null; what it notes lies inside `step`.
    pub(crate) fn inside<T>(
        &mut self,
        step: &Step,
        decode: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        if self.parser.null()? {
            return Ok(None);
        }
        let before = self.mark();
        let value = decode(self)?;
        self.prefix(before, step);
        Ok(Some(value))
    }

    /// Notes a required member that was absent.
    pub(crate) fn require(&mut self, present: bool, name: &'static str) {
        if !present {
            self.missing.add(Gap { path: vec![Step::Member(name)], kind: GapKind::Absent });
        }
    }

    /// Takes a string, for the Java type `target`.
    pub(crate) fn string(&mut self, target: &str) -> Result<Cow<'a, str>, Fault> {
        match self.parser.peek()? {
            Token::String => self.parser.string(),
            token => Err(self.not_scalar(token, target)),
        }
    }

    fn number(&mut self, target: &str) -> Result<&'a str, Fault> {
        match self.parser.peek()? {
            Token::Number => self.parser.number(),
            token => Err(self.not_scalar(token, target)),
        }
    }

    fn not_scalar(&mut self, token: Token, target: &str) -> Fault {
        let number = if token == Token::Number { self.parser.number() } else { Ok("") };
        number.map_or_else(|fault| fault, |number| Fault::scalar(token, number, target))
    }
}

/// The number that a text stands for.
pub(crate) fn attribute_number(layer: Layer, text: &str) -> Result<Number, NumberError> {
    match layer {
        Layer::Newer => Number::parse(text),
        Layer::Older => Number::parse_older(text),
    }
}

/// `Decode` for closed sets: a string outside the set is noted, and the first value stands in.
macro_rules! choices {
    ($($name:ident),* $(,)?) => {$(
        impl Element for $name {}

        impl Decode for $name {
            fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
                let name = decoder.string("String")?;
                if let Some(value) = Self::from_str(&name) {
                    return Ok(value);
                }
                decoder.note_unknown(&name);
                Ok(Self::default())
            }

            fn java() -> Cow<'static, str> {
                "java.lang.String".into()
            }
        }
    )*};
}
pub(crate) use choices;

/// The Java class of a structure of the model.
pub(crate) fn java_class(name: &str) -> String {
    format!("class com.amazonaws.dynamodb.v20120810.{name}")
}

pub(crate) fn unexpected(place: Place) -> Fault {
    Fault::Type(match place {
        Place::Member => text::unexpected_field(),
        Place::Element => text::unexpected_value(),
    })
}

impl Decode for String {
    fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
        decoder.string("String").map(Cow::into_owned)
    }

    fn java() -> Cow<'static, str> {
        "java.lang.String".into()
    }
}

impl Decode for bool {
    fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
        match decoder.parser.peek()? {
            Token::True | Token::False => decoder.parser.boolean(),
            Token::String => word(&decoder.parser.string()?),
            token => Err(decoder.not_scalar(token, "Boolean")),
        }
    }

    fn java() -> Cow<'static, str> {
        "java.lang.Boolean".into()
    }
}

/// Strings that AWS takes for booleans.
fn word(word: &str) -> Result<bool, Fault> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Ok(true),
        "false" | "0" | "no" => Ok(false),
        _ => Err(Fault::Type(text::unexpected_token())),
    }
}

impl Decode for i32 {
    fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
        let value = whole(decoder.number("Integer")?);
        Ok(Self::try_from(value).unwrap_or(if value < 0 { Self::MIN } else { Self::MAX }))
    }

    fn java() -> Cow<'static, str> {
        "java.lang.Integer".into()
    }
}

impl Decode for i64 {
    fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
        Ok(whole(decoder.number("Long")?))
    }

    fn java() -> Cow<'static, str> {
        "java.lang.Long".into()
    }
}

/// The whole part of a JSON number; what does not fit becomes the largest or smallest that does.
fn whole(number: &str) -> i64 {
    number.parse().unwrap_or_else(|_| saturated(decimal(number)))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast rounds towards zero and saturates, as is meant"
)]
fn saturated(value: f64) -> i64 {
    value as i64
}

/// A JSON number as a float; the grammar of JSON numbers is part of Rust's.
fn decimal(number: &str) -> f64 {
    number.parse().unwrap_or(0.0)
}

impl Decode for f64 {
    fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
        decoder.number("Double").map(decimal)
    }

    fn java() -> Cow<'static, str> {
        "java.lang.Double".into()
    }
}

impl Decode for Timestamp {
    fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
        let seconds = decimal(decoder.number("Date")?);
        Ok(Self::from_ms(saturated((seconds * 1000.0).round())))
    }

    fn java() -> Cow<'static, str> {
        "java.util.Date".into()
    }
}

impl Decode for Vec<u8> {
    fn decode(decoder: &mut Decoder<'_>, _: Place) -> Result<Self, Fault> {
        match decoder.parser.peek()? {
            Token::String => bytes(&decoder.parser.string()?),
            Token::Array => Err(Fault::collection("class java.nio.ByteBuffer")),
            Token::Object => Err(Fault::structure()),
            _ => Err(Fault::Type(text::not_base64_string())),
        }
    }

    fn java() -> Cow<'static, str> {
        "java.nio.ByteBuffer".into()
    }
}

fn bytes(encoded: &str) -> Result<Vec<u8>, Fault> {
    if !encoded.len().is_multiple_of(4) {
        return Err(Fault::Type(text::base64_length(encoded.chars().count())));
    }
    STANDARD.decode(encoded).map_err(|_| Fault::Type(text::base64_character()))
}

/// A list, except one of bytes. Null elements are left out.
impl<T: Decode + Element> Decode for Vec<T> {
    fn decode(decoder: &mut Decoder<'_>, place: Place) -> Result<Self, Fault> {
        open_list(decoder, place)?;
        let (mut list, mut turn) = (Self::new(), Turn::First);
        while decoder.parser.next_element(&mut turn)? {
            check_room(list.len())?;
            if T::IS_STRUCTURE {
                decoder.count_structure()?;
            }
            let step = Step::Element(list.len());
            list.extend(decoder.inside(&step, |decoder| T::decode(decoder, Place::Element))?);
        }
        Ok(list)
    }

    fn java() -> Cow<'static, str> {
        format!("java.util.List<{}>", T::java()).into()
    }
}

/// Takes the opening bracket of a list.
pub(crate) fn open_list(decoder: &mut Decoder<'_>, place: Place) -> Result<(), Fault> {
    match decoder.parser.peek()? {
        Token::Array => decoder.parser.open_array(),
        Token::Object => Err(Fault::structure()),
        _ => Err(unexpected(place)),
    }
}

/// Types that stand in lists; tells a list of numbers of one byte, which is a blob, from other lists.
pub(crate) trait Element {
    /// Whether it counts as a structure; texts and blobs do not, for sets of them can be long.
    const IS_STRUCTURE: bool = true;
}
impl Element for String {
    const IS_STRUCTURE: bool = false;
}
impl Element for Vec<u8> {
    const IS_STRUCTURE: bool = false;
}
impl Element for hashrange_item::AttributeValue {}
impl Element for hashrange_item::Attributes {}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn decode(decoder: &mut Decoder<'_>, place: Place) -> Result<Self, Fault> {
        open_map(decoder, place, &T::java())?;
        let (mut map, mut turn, mark) = (Self::new(), Turn::First, decoder.mark());
        while let Some(name) = decoder.parser.next_name(&mut turn)? {
            decoder.count_structure()?;
            let step = Step::Entry(name.into_owned());
            decoder.forget(mark, &step);
            let value = decoder.inside(&step, |decoder| T::decode(decoder, Place::Element))?;
            if let (Step::Entry(name), Some(value)) = (step, value) {
                map.insert(name, value);
            }
        }
        Ok(map)
    }

    fn java() -> Cow<'static, str> {
        format!("java.util.Map<java.lang.String, {}>", T::java()).into()
    }
}

/// Takes the opening brace of a map whose values have the Java type `value`.
pub(crate) fn open_map(decoder: &mut Decoder<'_>, place: Place, value: &str) -> Result<(), Fault> {
    match decoder.parser.peek()? {
        Token::Object => decoder.parser.open_object(),
        Token::Array => Err(Fault::collection(&format!("java.util.Map<java.lang.String, {value}>"))),
        _ => Err(unexpected(place)),
    }
}
