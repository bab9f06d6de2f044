//! Values of items from the request straight into their stored form.
//!
//! Only values as clients send them: one type each, right, no nulls. Whatever else there is, and types that are rare, make
//! [`copy`] give up; the value is then read once more by those who know what is wrong with it.

use hashrange_api::message::Layer;
use hashrange_item::limits::{ATTRIBUTE_NAME_MAX, ITEM_SIZE_MAX, NESTING_MAX};
use hashrange_item::row::{ListWriter, MapWriter, ValueWriter, Written};
use hashrange_item::{AttributeValue, Kind};

use super::decoder::attribute_number;
use super::parser::{Parser, Token, Turn};
use super::value::kind;

/// Copies the value that is next; it is at `level`. Where it gives up, the parser and the writer stand anywhere.
pub(super) fn copy(
    parser: &mut Parser<'_>,
    layer: Layer,
    level: usize,
    out: &mut ValueWriter,
) -> Option<Written> {
    if level > NESTING_MAX || parser.peek().ok()? != Token::Object {
        return None;
    }
    parser.open_object().ok()?;
    let kind = kind(&parser.next_name(&mut Turn::First).ok()??)?;
    let token = parser.peek().ok()?;
    let written = match (kind, token) {
        (Kind::S, Token::String) => out.string(&parser.string().ok()?),
        (Kind::N, Token::String) => {
            let number = attribute_number(layer, &parser.string().ok()?).ok()?;
            out.value(&AttributeValue::N(number))
        }
        (Kind::Bool, Token::True | Token::False) => out.value(&AttributeValue::Bool(parser.boolean().ok()?)),
        (Kind::Null, Token::True) => {
            parser.boolean().ok()?;
            out.value(&AttributeValue::Null)
        }
        (Kind::Ss, Token::Array) => string_set(parser, out)?,
        (Kind::L, Token::Array) => list(parser, layer, level, out)?,
        (Kind::M, Token::Object) => map(parser, layer, level, out)?,
        _ => return None,
    };
    parser.closes_object().then_some(written)
}

fn string_set(parser: &mut Parser<'_>, out: &mut ValueWriter) -> Option<Written> {
    parser.open_array().ok()?;
    let (mut members, mut turn) = (Vec::new(), Turn::First);
    while parser.next_element(&mut turn).ok()? {
        if members.len() >= ITEM_SIZE_MAX || parser.peek().ok()? != Token::String {
            return None;
        }
        members.push(parser.string().ok()?);
    }
    out.string_set(&mut members)
}

fn list(parser: &mut Parser<'_>, layer: Layer, level: usize, out: &mut ValueWriter) -> Option<Written> {
    parser.open_array().ok()?;
    let (mut list, mut turn) = (ListWriter::begin(out), Turn::First);
    while parser.next_element(&mut turn).ok()? {
        if list.len() >= ITEM_SIZE_MAX {
            return None;
        }
        list.add(out, |out| copy(parser, layer, level + 1, out))?;
    }
    Some(list.end(out))
}

fn map(parser: &mut Parser<'_>, layer: Layer, level: usize, out: &mut ValueWriter) -> Option<Written> {
    parser.open_object().ok()?;
    let (mut map, mut turn) = (MapWriter::begin(out), Turn::First);
    while let Some(name) = parser.next_name(&mut turn).ok()? {
        if map.len() >= ITEM_SIZE_MAX || !(1..=ATTRIBUTE_NAME_MAX).contains(&name.len()) {
            return None;
        }
        map.add(name, out, |out| copy(parser, layer, level + 1, out))?;
    }
    Some(map.end(out))
}
