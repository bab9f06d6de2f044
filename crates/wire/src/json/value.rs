//! Attribute values.
//!
//! A value whose JSON has the right types but that is no attribute value (a bad number, an empty set) is noted, and
//! decoding goes on with a stand-in: AWS looks at the whole request's shape first.

use std::borrow::Cow;

use hashrange_api::constraint::Step;
use hashrange_item::limits::{ATTRIBUTE_NAME_MAX, ITEM_SIZE_MAX, NESTING_MAX};
use hashrange_item::row::ItemBuilder;
use hashrange_item::{
    AttributeValue, Attributes, BinarySet, Kind, NewItem, NumberSet, StringSet, ValueError,
};

use super::decoder::{Decode, Decoder, Place, check_room, open_list, open_map, unexpected};
use super::fault::Fault;
use super::parser::{Token, Turn};
use super::{spelling, straight};

const JAVA: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";

impl Decode for AttributeValue {
    fn decode(decoder: &mut Decoder<'_>, place: Place) -> Result<Self, Fault> {
        value(decoder, place, 1)
    }

    fn java() -> Cow<'static, str> {
        JAVA.into()
    }
}

impl Decode for Attributes {
    fn decode(decoder: &mut Decoder<'_>, place: Place) -> Result<Self, Fault> {
        attributes(decoder, place, 1)
    }

    fn java() -> Cow<'static, str> {
        java_of_attributes()
    }
}

impl Decode for NewItem {
    fn decode(decoder: &mut Decoder<'_>, place: Place) -> Result<Self, Fault> {
        item(decoder, place)
    }

    fn java() -> Cow<'static, str> {
        java_of_attributes()
    }
}

fn java_of_attributes() -> Cow<'static, str> {
    format!("java.util.Map<java.lang.String, {JAVA}>").into()
}

/// A value at `level`; the attribute's own value is at level 1.
fn value(decoder: &mut Decoder<'_>, place: Place, level: usize) -> Result<AttributeValue, Fault> {
    match decoder.parser.peek()? {
        Token::Object => {}
        Token::Array => return Err(Fault::collection(&format!("class {JAVA}"))),
        _ => return Err(unexpected(place)),
    }
    if level > NESTING_MAX {
        decoder.note_bad(ValueError::TooDeep);
        decoder.parser.skip()?;
        return Ok(AttributeValue::Null);
    }
    decoder.parser.open_object()?;
    let mut found: Option<(Kind, AttributeValue)> = None;
    let (mut turn, mut several) = (Turn::First, false);
    while let Some(name) = decoder.parser.next_name(&mut turn)? {
        let Some(kind) = kind(&name) else {
            decoder.parser.skip()?;
            continue;
        };
        if decoder.parser.null()? {
            continue;
        }
        let value = content(decoder, kind, level)?;
        several |= found.as_ref().is_some_and(|(before, _)| *before != kind);
        found = Some((kind, value));
    }
    if several {
        decoder.note_bad(ValueError::SeveralTypes);
    }
    Ok(found.map_or_else(|| bad(decoder, ValueError::EmptyValue), |(_, value)| value))
}

/// The type that a member of a value names.
pub(super) fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "S" => Kind::S,
        "N" => Kind::N,
        "B" => Kind::B,
        "BOOL" => Kind::Bool,
        "NULL" => Kind::Null,
        "SS" => Kind::Ss,
        "NS" => Kind::Ns,
        "BS" => Kind::Bs,
        "L" => Kind::L,
        "M" => Kind::M,
        _ => return None,
    })
}

/// Notes the error and gives the stand-in.
fn bad(decoder: &mut Decoder<'_>, error: ValueError) -> AttributeValue {
    decoder.note_bad(error);
    AttributeValue::Null
}

/// What follows the type name.
fn content(decoder: &mut Decoder<'_>, kind: Kind, level: usize) -> Result<AttributeValue, Fault> {
    Ok(match kind {
        Kind::S => AttributeValue::S(String::decode(decoder, Place::Member)?),
        Kind::N => {
            let text = decoder.string("String")?;
            decoder.has_spellings |= !spelling::is_the_only_one(&text);
            if decoder.as_spelt {
                return Ok(AttributeValue::B(text.as_bytes().to_vec()));
            }
            let number = decoder.attribute_number(&text);
            number.map_or_else(|error| bad(decoder, error.into()), AttributeValue::N)
        }
        Kind::B => AttributeValue::B(Vec::<u8>::decode(decoder, Place::Member)?),
        Kind::Bool => AttributeValue::Bool(bool::decode(decoder, Place::Member)?),
        Kind::Null => {
            if !bool::decode(decoder, Place::Member)? {
                decoder.note_bad(ValueError::NullNotTrue);
            }
            AttributeValue::Null
        }
        Kind::Ss => {
            let set = StringSet::new(Vec::<String>::decode(decoder, Place::Member)?);
            set.map_or_else(|error| bad(decoder, error.into()), AttributeValue::Ss)
        }
        Kind::Ns => number_set(decoder)?,
        Kind::Bs => {
            let set = BinarySet::new(Vec::<Vec<u8>>::decode(decoder, Place::Member)?);
            set.map_or_else(|error| bad(decoder, error.into()), AttributeValue::Bs)
        }
        Kind::L => AttributeValue::L(list(decoder, level)?),
        Kind::M => AttributeValue::M(attributes(decoder, Place::Member, level + 1)?),
    })
}

/// A number set: its first bad number counts, then its emptiness, then its duplicates.
fn number_set(decoder: &mut Decoder<'_>) -> Result<AttributeValue, Fault> {
    open_list(decoder, Place::Member)?;
    let (mut numbers, mut error, mut turn) = (Vec::new(), None, Turn::First);
    while decoder.parser.next_element(&mut turn)? {
        check_room(numbers.len())?;
        if decoder.parser.null()? {
            continue;
        }
        let text = decoder.string("String")?;
        match decoder.attribute_number(&text) {
            Ok(number) => numbers.push(number),
            Err(found) => error = error.or(Some(ValueError::from(found))),
        }
    }
    if let Some(error) = error {
        return Ok(bad(decoder, error));
    }
    let set = NumberSet::new(numbers);
    Ok(set.map_or_else(|error| bad(decoder, error.into()), AttributeValue::Ns))
}

/// The elements of a list value at `level`.
fn list(decoder: &mut Decoder<'_>, level: usize) -> Result<Vec<AttributeValue>, Fault> {
    open_list(decoder, Place::Member)?;
    let (mut list, mut turn) = (Vec::new(), Turn::First);
    while decoder.parser.next_element(&mut turn)? {
        // With so many elements the value is too large for any item already; what follows cannot change that.
        if list.len() >= ITEM_SIZE_MAX {
            decoder.parser.skip()?;
            continue;
        }
        let element = if decoder.parser.null()? {
            bad(decoder, ValueError::EmptyValue)
        } else {
            value(decoder, Place::Element, level + 1)?
        };
        list.push(element);
    }
    Ok(list)
}

/// Attributes for which room is made at once: as many as most items have.
const ROOM: usize = 16;

/// Names and values, the values at `level`. A null value is an empty one.
fn attributes(decoder: &mut Decoder<'_>, place: Place, level: usize) -> Result<Attributes, Fault> {
    open_map(decoder, place, JAVA)?;
    let room = if level == 1 { ROOM } else { 0 };
    let (mut pairs, mut turn) = (Vec::with_capacity(room), Turn::First);
    while let Some(name) = decoder.parser.next_name(&mut turn)? {
        check_room(pairs.len())?;
        note_name(decoder, &name);
        let value = if decoder.parser.null()? {
            bad(decoder, ValueError::EmptyValue)
        } else {
            value(decoder, Place::Element, level)?
        };
        pairs.push((name.into_owned(), value));
    }
    Ok(Attributes::from_pairs(pairs))
}

fn note_name(decoder: &mut Decoder<'_>, name: &str) {
    match name.len() {
        0 => decoder.note_bad(ValueError::EmptyAttributeName),
        1..=ATTRIBUTE_NAME_MAX => {}
        _ => decoder.note_bad(ValueError::LongAttributeName),
    }
}

/// Bytes of JSON for which room is made at once.
const ROOM_BYTES: usize = 1024;

/// An item, as [`attributes`] reads it, in its stored form.
fn item(decoder: &mut Decoder<'_>, place: Place) -> Result<NewItem, Fault> {
    open_map(decoder, place, JAVA)?;
    let (mut item, mut turn) = (ItemBuilder::with_room(ROOM, ROOM_BYTES), Turn::First);
    while let Some(name) = decoder.parser.next_name(&mut turn)? {
        check_room(item.len())?;
        note_name(decoder, &name);
        let mut ahead = decoder.parser.clone();
        match item.try_add(name, |out| straight::copy(&mut ahead, decoder.layer, 1, out)) {
            Ok(()) => decoder.parser = ahead,
            Err(name) => {
                let value = if decoder.parser.null()? {
                    bad(decoder, ValueError::EmptyValue)
                } else {
                    value(decoder, Place::Element, 1)?
                };
                item.add(name, &value);
            }
        }
    }
    Ok(item.finish())
}

/// `ExpressionAttributeValues`: names are placeholders, and an error is told with its placeholder.
pub(super) fn placeholders(decoder: &mut Decoder<'_>) -> Result<Attributes, Fault> {
    open_map(decoder, Place::Member, JAVA)?;
    let (mut pairs, mut turn) = (Vec::new(), Turn::First);
    while let Some(name) = decoder.parser.next_name(&mut turn)? {
        check_room(pairs.len())?;
        let step = Step::Entry(name.into_owned());
        let value = decoder.inside(&step, |decoder| value(decoder, Place::Element, 1))?;
        if value.is_none() {
            decoder.note_bad_at(&step, ValueError::EmptyValue);
        }
        if let Step::Entry(name) = step {
            pairs.push((name, value.unwrap_or(AttributeValue::Null)));
        }
    }
    Ok(Attributes::from_pairs(pairs))
}
