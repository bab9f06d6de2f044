//! What the values of key attributes are: their parts, how those look, how many there are and which share the commonest has.
//!
//! A part is what fills one gap of a key template; where no entity is declared, what stands between the delimiters of the samples and
//! differs from one to another. Samples tell where there are enough of them; else what is declared of the attribute.

use std::collections::{BTreeMap, BTreeSet};

use super::Kind;
use super::samples::{SAMPLES_MIN, delimiter, key_text, split};
use crate::catalogue::{Attribute, Catalogue, Entity};
use crate::finding::Evidence;
use crate::plan::{float, sizes};
use crate::recognise::{self, Look};
use crate::template::{Part, Template};

/// The share of values that must look alike for the attribute to look so.
pub(crate) const ALIKE: f64 = 0.9;
/// How far references from attribute to attribute are followed.
const DEPTH_MAX: u8 = 4;

/// The values of one key attribute of one kind of item.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The values of the samples that have it, as text.
    pub values: Vec<String>,
    /// What varies in it, in order. Empty where all values are one constant.
    pub parts: Vec<KeyPart>,
    /// The template: declared, or inferred from samples with its parts named `part1`, `part2`.
    pub template: Option<Template>,
}

/// What fills one gap of a key.
#[derive(Clone, Debug)]
pub(crate) struct KeyPart {
    /// The gap's name.
    pub name: String,
    /// Digits are padded to this width.
    pub width: Option<usize>,
    /// The values of the samples, as many as fit the template.
    pub values: Vec<String>,
    /// How it looks, where samples or declarations tell, and which do.
    pub look: Option<(Look, Evidence)>,
    /// How many different values there are, by declaration.
    pub distinct: Option<f64>,
    /// The share of items that have the commonest value, by samples, else declared weights, else evenly over `distinct`.
    pub top: Option<(f64, Evidence)>,
    /// Whether it is declared as personal or secret.
    pub pii: bool,
}

impl KeyPart {
    /// Whether it looks so.
    pub(crate) fn looks(&self, is: impl Fn(Look) -> bool) -> bool {
        self.look.is_some_and(|(look, _)| is(look))
    }
}

impl Column {
    /// What each key attribute of the table and its indexes holds in items of this kind.
    pub(super) fn all(catalogue: &Catalogue, kind: &Kind<'_>) -> BTreeMap<String, Column> {
        let of_indexes = kind.schema.indexes.iter().flat_map(|index| index.keys.attributes());
        let attributes: BTreeSet<&str> = kind.schema.keys.attributes().chain(of_indexes).collect();
        let columns = attributes
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), Column::of(catalogue, kind, name)?)));
        columns.collect()
    }

    /// What `attribute` holds in items of this kind; `None` where they do not have it.
    fn of(catalogue: &Catalogue, kind: &Kind<'_>, attribute: &str) -> Option<Column> {
        let values: Vec<String> = kind.values(attribute).into_iter().map(key_text).collect();
        let template = declared_template(kind.entity, attribute).or_else(|| inferred(attribute, &values))?;
        let filled: Vec<Vec<&str>> = values.iter().filter_map(|text| split(&template, text)).collect();
        let gaps = template.parts().iter().filter_map(|part| match part {
            Part::Gap { name, width } => Some((name.as_str(), *width)),
            Part::Literal(_) => None,
        });
        let parts = gaps
            .enumerate()
            .map(|(at, (name, width))| {
                let values =
                    filled.iter().filter_map(|gaps| gaps.get(at)).map(|text| (*text).to_owned()).collect();
                part(catalogue, kind.entity, name, width, values)
            })
            .collect();
        Some(Column { parts, template: Some(template), values })
    }

    /// Whether all values are one.
    pub(crate) fn is_constant(&self) -> bool {
        self.parts.is_empty()
    }

    /// How many different values there are at most, by declaration: `None` where one of the parts does not tell.
    pub(crate) fn distinct(&self) -> Option<f64> {
        self.parts.iter().map(|part| part.distinct).product()
    }
}

/// Each text with how often it occurs.
pub(crate) fn counts(texts: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for text in texts {
        *counts.entry(text.as_str()).or_insert(0) += 1;
    }
    counts
}

/// The template of a key attribute; a plain attribute is one gap.
pub(crate) fn declared_template(entity: Option<&Entity>, attribute: &str) -> Option<Template> {
    let entity = entity?;
    let plain = || {
        let declared = entity.attributes.iter().any(|other| other.name == attribute);
        declared.then(|| Template::parse(&format!("{{{attribute}}}")).ok())?
    };
    entity.keys.get(attribute).cloned().or_else(plain)
}

/// The template that all values could come from: what is equal between their delimiters is literal, the rest are gaps.
fn inferred(attribute: &str, values: &[String]) -> Option<Template> {
    let first = values.first()?;
    let Some(delimiter) = delimiter(values.iter().map(String::as_str)) else {
        return Template::parse(&whole(first, values, attribute)).ok();
    };
    let rows: Vec<Vec<&str>> = values.iter().map(|text| text.split(delimiter).collect()).collect();
    let even = rows.iter().all(|row| row.len() == rows[0].len());
    let columns = if even { rows[0].len() } else { shared(&rows) + 1 };
    let piece = |at: usize| {
        let constant = rows.iter().all(|row| row.get(at) == rows[0].get(at)) && (even || at + 1 < columns);
        if constant && looks_literal(rows[0][at]) {
            escaped(rows[0][at])
        } else {
            format!("{{part{}}}", at + 1)
        }
    };
    let pieces: Vec<String> = (0..columns).map(piece).collect();
    Template::parse(&pieces.join(&delimiter.to_string())).ok()
}

/// A key without delimiters: a constant where all values are one word, else one gap.
fn whole(first: &str, values: &[String], attribute: &str) -> String {
    let constant = values.iter().all(|text| text == first);
    if constant && looks_literal(first) {
        return escaped(first);
    }
    let name: String = attribute.chars().filter(|c| !matches!(c, '{' | '}' | ' ' | ':')).collect();
    format!("{{{}}}", if name.is_empty() { "part1" } else { &name })
}

/// Whether a text that all samples share is a word of the model (`PROFILE`), not by chance one value.
fn looks_literal(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && matches!(recognise::look(text), Look::Word)
}

/// How many of their first pieces all rows share.
fn shared(rows: &[Vec<&str>]) -> usize {
    let same = |at: &usize| rows.iter().all(|row| row.get(*at).is_some() && row.get(*at) == rows[0].get(*at));
    (0..rows[0].len()).take_while(same).count()
}

fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

fn part(
    catalogue: &Catalogue,
    entity: Option<&Entity>,
    name: &str,
    width: Option<usize>,
    values: Vec<String>,
) -> KeyPart {
    let attribute = entity.and_then(|entity| attribute_of(catalogue, entity, name, 0));
    let distinct = entity.and_then(|entity| distinct(catalogue, entity, name));
    let look = sampled_look(&values).map(|look| (look, Evidence::Samples));
    let look = look.or_else(|| Some((declared_look(attribute?)?, Evidence::Declared)));
    let top = sampled_top(&values, distinct, look).map(|share| (share, Evidence::Samples));
    let top = top.or_else(|| Some((declared_top(attribute, distinct)?, Evidence::Declared)));
    let pii = attribute.is_some_and(|attribute| attribute.pii);
    KeyPart { name: name.to_owned(), width, values, look, distinct, top, pii }
}

fn sampled_look(values: &[String]) -> Option<Look> {
    if values.len() < SAMPLES_MIN {
        return None;
    }
    recognise::common(values.iter().map(String::as_str), ALIKE)
}

/// The commonest value's share in the samples, where these show most of the values there are.
fn sampled_top(values: &[String], distinct: Option<f64>, look: Option<(Look, Evidence)>) -> Option<f64> {
    let counts = counts(values);
    let identifiers = look.is_some_and(|(look, _)| look.is_identifier());
    let few = float(counts.len()) < 0.5 * float(values.len());
    let most = distinct.is_none_or(|distinct| distinct <= 2.0 * float(counts.len()));
    if values.len() < SAMPLES_MIN || identifiers || !few || !most {
        return None;
    }
    let top = counts.values().copied().max()?;
    Some(float(top) / float(values.len()))
}

fn declared_top(attribute: Option<&Attribute>, distinct: Option<f64>) -> Option<f64> {
    let weights = attribute.map_or(&[] as &[f64], |attribute| &attribute.weights);
    let all: f64 = weights.iter().sum();
    if all > 0.0 {
        return Some(weights.iter().copied().fold(0.0, f64::max) / all);
    }
    distinct.filter(|distinct| *distinct >= 1.0).map(f64::recip)
}

/// The declaration of an attribute: its own, that which it copies or refers to, or another entity's of that name.
pub(crate) fn attribute_of<'a>(
    catalogue: &'a Catalogue,
    entity: &'a Entity,
    name: &str,
    depth: u8,
) -> Option<&'a Attribute> {
    let own = entity.attributes.iter().find(|attribute| attribute.name == name);
    let Some(attribute) = own else {
        let others = catalogue.entities.iter().flat_map(|other| &other.attributes);
        return others.into_iter().find(|attribute| attribute.name == name && reference(attribute).is_none());
    };
    match reference(attribute) {
        Some((other, origin)) if depth < DEPTH_MAX => catalogue
            .entity(other)
            .and_then(|other| attribute_of(catalogue, other, origin, depth + 1))
            .or(Some(attribute)),
        _ => Some(attribute),
    }
}

/// The entity and attribute that an attribute takes its values from.
fn reference(attribute: &Attribute) -> Option<(&str, &str)> {
    if let Some((entity, other)) = &attribute.copy_of {
        return Some((entity, other));
    }
    let inside = attribute.format.as_deref()?.strip_prefix("ref(")?.strip_suffix(')')?;
    inside.split_once('.')
}

/// How many different values an attribute of an entity takes, by declaration.
pub(crate) fn distinct(catalogue: &Catalogue, entity: &Entity, name: &str) -> Option<f64> {
    let owner = owner(catalogue, entity, name, 0);
    let attribute = owner.attributes.iter().find(|attribute| attribute.name == name);
    let count = sizes::entity_count(catalogue, owner);
    let attribute = attribute?;
    if !attribute.values.is_empty() {
        return Some(float(attribute.values.len()));
    }
    let (format, inside) = format_of(attribute);
    match format {
        "const" => Some(1.0),
        "bool" => Some(2.0),
        "int" => int_range(inside),
        "iso-date" => owner.retention_days.map(|days| days.max(1.0)).or(Some(365.0)),
        "uuid" | "ulid" | "ksuid" | "seq" | "email" | "phone" | "iso-time" | "epoch" | "epoch-ms" => count,
        _ if attribute.immutable => count,
        _ => None,
    }
}

/// The entity that gives an attribute its values: the entity itself, or the one that it refers to, or the only other that declares it.
fn owner<'a>(catalogue: &'a Catalogue, entity: &'a Entity, name: &str, depth: u8) -> &'a Entity {
    let own = entity.attributes.iter().find(|attribute| attribute.name == name);
    let next = match own.map(reference) {
        Some(None) => None,
        Some(Some((other, _))) => catalogue.entity(other),
        None => catalogue.entities.iter().find(|other| other.attributes.iter().any(|a| a.name == name)),
    };
    match next {
        Some(next) if depth < DEPTH_MAX && next.name != entity.name => {
            owner(catalogue, next, name, depth + 1)
        }
        _ => entity,
    }
}

fn int_range(inside: &str) -> Option<f64> {
    let (low, high) = inside.split_once(',')?;
    let (low, high): (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    (high >= low).then_some(high - low + 1.0)
}

/// `int(1,5)` into `int` and `1,5`; an empty name where no format is stated.
pub(crate) fn format_of(attribute: &Attribute) -> (&str, &str) {
    let format = attribute.format.as_deref().unwrap_or_default();
    match format.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix(')').unwrap_or(rest)),
        None => (format.trim(), ""),
    }
}

/// How values of a declared format look.
fn declared_look(attribute: &Attribute) -> Option<Look> {
    if !attribute.values.is_empty() {
        return recognise::common(attribute.values.iter().map(String::as_str), ALIKE);
    }
    Some(match format_of(attribute).0 {
        "uuid" => Look::Uuid(4),
        "ulid" => Look::Ulid,
        "ksuid" => Look::Ksuid,
        "email" => Look::Email,
        "phone" => Look::Phone,
        "iso-date" => Look::Date(recognise::Period::Day),
        "iso-time" => {
            Look::Time(recognise::TimeForm { fraction: None, zone: recognise::Zone::Utc, space: false })
        }
        "epoch" => Look::Epoch,
        "epoch-ms" => Look::EpochMillis,
        "bool" => Look::Boolean,
        "seq" | "int" => Look::Digits(0),
        "decimal" => Look::Number,
        "name" | "word" => Look::Word,
        "text" => Look::Text,
        _ => return None,
    })
}
