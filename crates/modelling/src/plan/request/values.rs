//! Values with gaps, and stand-ins for them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashrange_item::{AttributeValue, Attributes, Kind, Number, Set};
use serde_json::{Map, Value};

/// Deeper values than this are taken as null: DynamoDB refuses them.
const DEPTH_MAX: usize = 40;

/// A value of DynamoDB's JSON; gaps in strings stay as they are, a number with gaps becomes 0. `None` where it is none.
pub(super) fn value(json: &Value, depth: usize) -> Option<AttributeValue> {
    let (name, inner) = json.as_object()?.iter().next()?;
    if depth > DEPTH_MAX {
        return Some(AttributeValue::Null);
    }
    let texts = || inner.as_array().map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned));
    Some(match Kind::from_name(name)? {
        Kind::S => AttributeValue::S(inner.as_str()?.to_owned()),
        Kind::N => AttributeValue::N(number(inner.as_str()?)),
        Kind::B => AttributeValue::B(inner.as_str()?.as_bytes().to_vec()),
        Kind::Bool => AttributeValue::Bool(inner.as_bool().unwrap_or(false)),
        Kind::Null => AttributeValue::Null,
        Kind::Ss => AttributeValue::Ss(Set::new(texts()?.collect()).ok()?),
        Kind::Ns => AttributeValue::Ns(Set::new(texts()?.map(|text| number(&text)).collect()).ok()?),
        Kind::Bs => AttributeValue::Bs(Set::new(texts()?.map(String::into_bytes).collect()).ok()?),
        Kind::L => {
            let list = inner.as_array()?.iter().map(|item| value(item, depth + 1));
            AttributeValue::L(list.collect::<Option<_>>()?)
        }
        Kind::M => AttributeValue::M(attributes(inner.as_object()?, depth + 1)),
    })
}

/// A map of values; what is none is left out.
pub(super) fn attributes(map: &Map<String, Value>, depth: usize) -> Attributes {
    let pairs = map.iter().filter_map(|(name, json)| Some((name.clone(), value(json, depth)?)));
    Attributes::from_pairs(pairs.collect())
}

/// The value with the bytes that its binaries' base64 stands for; what is no base64 stays as it is.
fn decoded(value: AttributeValue) -> AttributeValue {
    let bytes = |text: Vec<u8>| STANDARD.decode(&text).unwrap_or(text);
    match value {
        AttributeValue::B(text) => AttributeValue::B(bytes(text)),
        AttributeValue::Bs(set) => {
            let members: Vec<Vec<u8>> = set.iter().map(|text| bytes(text.clone())).collect();
            Set::new(members).map_or_else(|_| AttributeValue::Bs(set), AttributeValue::Bs)
        }
        AttributeValue::L(list) => AttributeValue::L(list.into_iter().map(decoded).collect()),
        AttributeValue::M(map) => {
            let members = map.iter().map(|(name, value)| (name.to_owned(), decoded(value.clone())));
            AttributeValue::M(Attributes::from_pairs(members.collect()))
        }
        other => other,
    }
}

fn number(text: &str) -> Number {
    Number::parse(text).unwrap_or_else(|_| Number::from_i64(0))
}

/// The type and the text of a value of DynamoDB's JSON, where it is a string, a number or a binary.
pub(super) fn scalar(json: &Value) -> Option<(Kind, String)> {
    let (name, inner) = json.as_object()?.iter().next()?;
    let kind = Kind::from_name(name).filter(|kind| matches!(kind, Kind::S | Kind::N | Kind::B))?;
    Some((kind, inner.as_str()?.to_owned()))
}

/// Scalars of one request, each replaced by a value that sorts by its place: bounds of BETWEEN stay in order whatever fills their gaps.
///
/// Of a request without gaps the values themselves can be bound instead: what is read then can be evaluated.
#[derive(Debug, Default)]
pub(super) struct StandIns {
    is_exact: bool,
    texts: Vec<(AttributeValue, Option<Kind>, String)>,
}

impl StandIns {
    /// Stand-ins, or the values themselves where there are no gaps.
    pub(super) fn new(is_exact: bool) -> StandIns {
        StandIns { is_exact, ..StandIns::default() }
    }

    /// A value to bind in place of this one.
    pub(super) fn put(&mut self, json: &Value) -> Option<AttributeValue> {
        if self.is_exact {
            return value(json, 0).map(decoded);
        }
        let Some((kind, text)) = scalar(json) else { return value(json, 0) };
        let place = i64::try_from(self.texts.len()).unwrap_or(0) + 7_000_000_000_000;
        let stand_in = match kind {
            Kind::N => AttributeValue::N(Number::from_i64(place)),
            Kind::B => AttributeValue::B(place.to_string().into_bytes()),
            _ => AttributeValue::S(place.to_string()),
        };
        self.texts.push((stand_in.clone(), Some(kind), text));
        Some(stand_in)
    }

    /// The type and the text that a bound value stands for.
    pub(super) fn text(&self, value: &AttributeValue) -> (Option<Kind>, String) {
        let found = self.texts.iter().find(|(stand_in, _, _)| stand_in == value);
        match (found, super::super::shape::text(value)) {
            (Some((_, kind, text)), _) => (*kind, text.clone()),
            (None, Some(text)) => (Some(value.kind()), text.into_owned()),
            (None, None) => (Some(value.kind()), String::new()),
        }
    }
}
