//! Puts that must create: the samples are there before a load, so each of its requests needs a key of its own.

use crate::catalogue::{Attribute, AttributeType, Catalogue, Parameter, Pattern};
use crate::plan::request::{Action, Verb, request};
use crate::template::Template;

/// Formats whose values are new each time.
const UNIQUE: [&str; 5] = ["uuid", "ulid", "ksuid", "seq", "email"];

/// The model with new values in the keys of puts that only succeed where no item is; other patterns are as they were.
pub(super) fn with_new_keys(catalogue: &Catalogue) -> Catalogue {
    let mut renewed = catalogue.clone();
    for pattern in &mut renewed.patterns {
        let new: Vec<(String, Parameter)> = new_gaps(catalogue, pattern);
        pattern.parameters.extend(new);
    }
    renewed
}

fn new_gaps(catalogue: &Catalogue, pattern: &Pattern) -> Vec<(String, Parameter)> {
    let is_refused = pattern.expect.error.is_some() || pattern.create_share == Some(0.0);
    let Some(request) = request(catalogue, pattern).filter(|_| !is_refused) else { return Vec::new() };
    let (creating, others): (Vec<&Action>, Vec<&Action>) =
        request.actions.iter().partition(|action| creates(action));
    // What another part of the request must find cannot be new.
    let texts =
        others.iter().flat_map(|action| &action.key).filter_map(|part| Template::parse(&part.text).ok());
    let found: Vec<String> =
        texts.flat_map(|template| template.gaps().map(str::to_owned).collect::<Vec<_>>()).collect();
    let new = creating.into_iter().flat_map(|action| new_gaps_of(catalogue, pattern, action));
    new.filter(|(gap, _)| !found.contains(gap)).collect()
}

fn creates(action: &Action) -> bool {
    let condition = action.condition.as_ref().map(ToString::to_string);
    action.verb == Verb::Put && condition.is_some_and(|condition| condition.contains("attribute_not_exists("))
}

/// The gaps of one key that become new: of its sort key, or where that has none, of its partition key.
fn new_gaps_of(catalogue: &Catalogue, pattern: &Pattern, action: &Action) -> Vec<(String, Parameter)> {
    let Some(table) = catalogue.table(&action.table) else { return Vec::new() };
    let gaps = |names: &[String]| names.iter().flat_map(|name| gaps_of(action, name)).collect::<Vec<_>>();
    let (range, hash) = (gaps(&table.keys.range), gaps(&table.keys.hash));
    let is_new = |gap: &String| matches!(pattern.parameters.get(gap), Some(Parameter::New(_)));
    if range.iter().chain(&hash).any(is_new) {
        return Vec::new();
    }
    let renew = |gaps: Vec<String>| {
        let new = gaps.into_iter().filter_map(|gap| {
            let format = format(catalogue, pattern, &action.table, &gap)?;
            Some((gap, Parameter::New(format)))
        });
        new.collect::<Vec<_>>()
    };
    let new = renew(range);
    if new.is_empty() { renew(hash) } else { new }
}

/// The gaps in the value that a put gives a key attribute.
fn gaps_of(action: &Action, name: &str) -> Vec<String> {
    let value = action.item.as_ref().and_then(|item| item.get(name)?.as_object()?.values().next()?.as_str());
    let template = value.and_then(|text| Template::parse(text).ok());
    template.map(|template| template.gaps().map(str::to_owned).collect()).unwrap_or_default()
}

/// The format that gives a gap a new value; `None` where it has few values, or one.
fn format(catalogue: &Catalogue, pattern: &Pattern, table: &str, gap: &str) -> Option<String> {
    let of = |entity: &str, name: &str| {
        catalogue.entity(entity)?.attributes.iter().find(|attribute| attribute.name == name)
    };
    let attribute = match pattern.parameters.get(gap) {
        Some(Parameter::From { entity, attribute }) => of(entity, attribute),
        Some(_) => return None,
        None => catalogue.entities_of(table).find_map(|entity| of(&entity.name, gap)),
    };
    attribute.map_or_else(|| Some("uuid".to_owned()), new_format)
}

fn new_format(attribute: &Attribute) -> Option<String> {
    let is_text = matches!(attribute.kind, None | Some(AttributeType::S));
    match &attribute.format {
        Some(format) if UNIQUE.contains(&format.as_str()) => Some(format.clone()),
        Some(format) if format.starts_with("text") && is_text => Some("uuid".to_owned()),
        None if is_text && attribute.values.is_empty() => Some("uuid".to_owned()),
        _ => None,
    }
}
