//! Which sample is of which kind: by declared entities, else by a type attribute, else by the beginnings of its keys.

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes};

use crate::catalogue::{Catalogue, Entity, Table};
use crate::finding::Subject;
use crate::plan::shape;
use crate::template::{Part, Template};

/// Fewer samples of a kind than this say nothing of its statistics.
pub(crate) const SAMPLES_MIN: usize = 20;

/// Attributes that name the kind of an item, in the order in which they are tried.
const TYPE_ATTRIBUTES: &[&str] = &[
    "entityType",
    "EntityType",
    "entity_type",
    "_type",
    "__typename",
    "type",
    "Type",
    "entity",
    "_et",
    "itemType",
    "recordType",
    "kind",
];
/// More kinds than this in one table are values of another sort.
const KINDS_MAX: usize = 30;

/// Items of one kind: of one declared entity, or alike in their keys.
#[derive(Clone, Debug)]
pub struct Kind<'a> {
    /// Its place in [`Samples::kinds`].
    pub(super) place: usize,
    /// The table.
    pub table: &'a str,
    /// The table's declaration.
    pub schema: &'a Table,
    /// The entity's name; or, where none is declared, the value of a type attribute, or the beginning of the keys (`ORDER`), or the table's
    /// name.
    pub name: String,
    /// The entity, where it is declared.
    pub entity: Option<&'a Entity>,
    /// Whether `name` is a declared entity.
    pub declared: bool,
    /// The samples, in the order of the files. Empty where a declared entity has none.
    pub items: Vec<&'a Attributes>,
}

impl<'a> Kind<'a> {
    /// The entity that it is, else its table.
    pub fn subject(&self) -> Subject {
        match self.entity {
            Some(entity) => Subject::Entity(entity.name.clone()),
            None => Subject::Table(self.table.to_owned()),
        }
    }

    fn new(schema: &'a Table, name: String, entity: Option<&'a Entity>) -> Kind<'a> {
        Kind {
            place: 0,
            table: &schema.name,
            schema,
            name,
            entity,
            declared: entity.is_some(),
            items: Vec::new(),
        }
    }

    /// The values of an attribute, in the order of the items; items without it are left out.
    pub fn values(&self, attribute: &str) -> Vec<&'a AttributeValue> {
        self.items.iter().filter_map(|item| item.get(attribute)).collect()
    }

    /// Whether there are enough of them for statistics.
    pub fn is_enough(&self) -> bool {
        self.items.len() >= SAMPLES_MIN
    }
}

/// The samples of a catalogue, by kind.
#[derive(Clone, Debug, Default)]
pub struct Samples<'a> {
    kinds: Vec<Kind<'a>>,
}

impl<'a> Samples<'a> {
    /// Sorts the samples of all tables: each table's declared entities in the order of the file, then kinds that only samples show, by name.
    pub fn of(catalogue: &'a Catalogue) -> Samples<'a> {
        let kinds = catalogue.tables.iter().flat_map(|table| kinds_of(catalogue, table));
        Samples { kinds: kinds.enumerate().map(|(place, kind)| Kind { place, ..kind }).collect() }
    }

    /// Every kind.
    pub fn kinds(&self) -> &[Kind<'a>] {
        &self.kinds
    }

    /// The kinds of a table.
    pub fn of_table<'s>(&'s self, table: &'s str) -> impl Iterator<Item = &'s Kind<'a>> {
        self.kinds.iter().filter(move |kind| kind.table == table)
    }

    /// The samples of an entity.
    pub fn of_entity(&self, entity: &str) -> Option<&Kind<'a>> {
        self.kinds.iter().find(|kind| kind.declared && kind.name == entity)
    }
}

fn kinds_of<'a>(catalogue: &'a Catalogue, table: &'a Table) -> Vec<Kind<'a>> {
    let entities: Vec<&Entity> = catalogue.entities_of(&table.name).collect();
    let mut kinds: Vec<Kind<'_>> =
        entities.iter().map(|entity| Kind::new(table, entity.name.clone(), Some(entity))).collect();
    let mut others: Vec<&Attributes> = Vec::new();
    for item in &table.samples {
        match entity_at(table, &entities, item) {
            Some(at) => kinds[at].items.push(item),
            None => others.push(item),
        }
    }
    kinds.extend(inferred(table, &others));
    kinds
}

/// The place of the entity whose templates fit the item's keys; of several, the one with the most literal text.
fn entity_at(table: &Table, entities: &[&Entity], item: &Attributes) -> Option<usize> {
    let fitting =
        entities.iter().enumerate().filter_map(|(at, entity)| Some((fit(table, entity, item)?, at)));
    let best = fitting.max_by_key(|(literal, at)| (*literal, usize::MAX - at)).map(|(_, at)| at);
    let typed = || {
        let value = type_of(item, TYPE_ATTRIBUTES.iter().copied())?;
        entities.iter().position(|entity| entity.name.eq_ignore_ascii_case(value))
    };
    match best {
        // Plain keys fit any item: then a type attribute knows better.
        Some(at) if fit(table, entities[at], item) == Some(0) => typed().or(Some(at)),
        Some(at) => Some(at),
        None => typed(),
    }
}

/// Characters of literal text in the templates of the table's keys, if the item's keys fit all of them.
fn fit(table: &Table, entity: &Entity, item: &Attributes) -> Option<usize> {
    let mut literal = 0;
    for attribute in table.keys.attributes() {
        let Some(template) = entity.keys.get(attribute) else { continue };
        let text = key_text(item.get(attribute)?);
        split(template, &text)?;
        literal += shape::literal_length(template);
    }
    Some(literal)
}

/// What fills each gap of a template in a text that was made from it, even by mistake: a gap may be filled with nothing. `None` where the
/// text cannot be.
///
/// A gap reaches to the next literal text, the last one to the end; of two gaps without text between them the first has one character.
pub(crate) fn split<'t>(template: &Template, text: &'t str) -> Option<Vec<&'t str>> {
    let parts = template.parts();
    let mut filled = Vec::new();
    let mut rest = text;
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
            Part::Gap { .. } => {
                let end = gap_end(parts.get(at + 1), parts.len() == at + 2, rest)?;
                filled.push(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    rest.is_empty().then_some(filled)
}

fn gap_end(next: Option<&Part>, next_is_last: bool, rest: &str) -> Option<usize> {
    match next {
        None => Some(rest.len()),
        Some(Part::Literal(literal)) if next_is_last => {
            rest.ends_with(literal.as_str()).then(|| rest.len() - literal.len())
        }
        Some(Part::Literal(literal)) => rest.find(literal.as_str()),
        Some(Part::Gap { .. }) => rest.char_indices().nth(1).map_or(Some(rest.len()), |(at, _)| Some(at)),
    }
}

/// A key value as text: a string as it is, a number in digits, a binary in hexadecimal.
pub(crate) fn key_text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => text.clone(),
        AttributeValue::N(number) => number.to_string(),
        AttributeValue::B(bytes) => {
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<String>>().concat()
        }
        other => format!("{} value", other.kind()),
    }
}

fn type_of(item: &Attributes, names: impl IntoIterator<Item = &'static str>) -> Option<&str> {
    names.into_iter().find_map(|name| match item.get(name)? {
        AttributeValue::S(text) => Some(text.as_str()),
        _ => None,
    })
}

fn inferred<'a>(table: &'a Table, items: &[&'a Attributes]) -> Vec<Kind<'a>> {
    let mut groups: BTreeMap<String, Vec<&'a Attributes>> = BTreeMap::new();
    let attribute = type_attribute(table, items);
    for item in items {
        let name = match attribute {
            Some(attribute) => type_of(item, [attribute]).unwrap_or_default().to_owned(),
            None => key_name(table, item),
        };
        groups.entry(name).or_default().push(item);
    }
    if groups.len() > KINDS_MAX || groups.keys().any(String::is_empty) {
        let all = items.to_vec();
        groups = if all.is_empty() { BTreeMap::new() } else { BTreeMap::from([(table.name.clone(), all)]) };
    }
    groups.into_iter().map(|(name, items)| Kind { items, ..Kind::new(table, name, None) }).collect()
}

/// The attribute that all items have as a string that is no key and takes few values.
fn type_attribute(table: &Table, items: &[&Attributes]) -> Option<&'static str> {
    TYPE_ATTRIBUTES.iter().copied().find(|name| {
        let mut values: Vec<&str> = items.iter().filter_map(|item| type_of(item, [*name])).collect();
        let complete = values.len() == items.len() && !values.is_empty();
        values.sort_unstable();
        values.dedup();
        complete && values.len() <= KINDS_MAX && !table.keys.attributes().any(|key| key == *name)
    })
}

/// The kind by the keys: the beginning of the sort key, else of the partition key; empty where neither has one.
///
/// A whole sort key in capitals (`PROFILE`) is a kind; a whole partition key (`OPEN`) is a value.
fn key_name(table: &Table, item: &Attributes) -> String {
    let text = |attribute: &String| match item.get(attribute)? {
        AttributeValue::S(text) => Some(text),
        _ => None,
    };
    let of_range =
        table.keys.range.iter().filter_map(text).find_map(|text| prefix(text).or_else(|| capitals(text)));
    let of_hash = || table.keys.hash.iter().filter_map(text).find_map(|text| prefix(text));
    of_range.or_else(of_hash).unwrap_or_default().to_owned()
}

/// The word that a key begins with, before a delimiter: `ORDER` of `ORDER#2026`.
fn prefix(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word.len() >= 2 && rest.starts_with(DELIMITERS)).then_some(word)
}

/// The whole, where it is one word in capitals.
fn capitals(text: &str) -> Option<&str> {
    let all = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    (text.len() >= 2 && all).then_some(text)
}

/// What separates the parts of a key.
pub(crate) const DELIMITERS: &[char] = &['#', '|', ':', '~', '/', '$'];

/// The delimiter that most of some keys have after their first word.
pub(crate) fn delimiter<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<char> {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    let mut all = 0;
    for text in texts {
        all += 1;
        let after = prefix(text).and_then(|word| text[word.len()..].chars().next());
        let found = after.or_else(|| text.contains('#').then_some('#'));
        if let Some(found) = found {
            *counts.entry(found).or_default() += 1;
        }
    }
    let (delimiter, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count * 2 >= all).then_some(delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Keys;

    fn table(rows: &[&[(&str, &str)]]) -> Table {
        let samples = rows
            .iter()
            .map(|row| {
                Attributes::from_pairs(
                    row.iter()
                        .map(|(name, text)| ((*name).to_owned(), AttributeValue::from(*text)))
                        .collect(),
                )
            })
            .collect();
        let keys = Keys { hash: vec!["PK".to_owned()], range: vec!["SK".to_owned()] };
        Table { name: "Shop".to_owned(), keys, samples, ..Table::default() }
    }

    fn entity(name: &str, hash: &str, range: &str) -> Entity {
        let keys = [("PK", hash), ("SK", range)]
            .map(|(key, template)| (key.to_owned(), Template::parse(template).unwrap()))
            .into();
        Entity { name: name.to_owned(), table: "Shop".to_owned(), keys, ..Entity::default() }
    }

    fn names(catalogue: &Catalogue) -> Vec<(String, usize)> {
        Samples::of(catalogue).kinds.into_iter().map(|kind| (kind.name, kind.items.len())).collect()
    }

    #[test]
    fn a_template_gives_back_what_filled_it() {
        let split = |template: &str, text: &'static str| split(&Template::parse(template).unwrap(), text);
        assert_eq!(split("ORDER#{date}#{orderId}", "ORDER#2026-11-30#a#b"), Some(vec!["2026-11-30", "a#b"]));
        assert_eq!(split("{a}#META", "x#META#META"), Some(vec!["x#META"]));
        assert_eq!(split("{a}{b}", "éx"), Some(vec!["é", "x"]));
        assert_eq!(split("PROFILE", "PROFILE"), Some(vec![]));
        for text in ["ORDER#", "USER#1#2", ""] {
            assert_eq!(split("ORDER#{date}#{orderId}", text), None, "{text}");
        }
    }

    #[test]
    fn samples_belong_to_the_entity_whose_templates_fit_best() {
        let rows: &[&[(&str, &str)]] = &[
            &[("PK", "USER#1"), ("SK", "PROFILE")],
            &[("PK", "USER#1"), ("SK", "ORDER#7")],
            &[("PK", "x"), ("SK", "y")],
        ];
        let mut catalogue = Catalogue { tables: vec![table(rows)], ..Catalogue::default() };
        catalogue.entities = vec![
            entity("Any", "USER#{u}", "{x}"),
            entity("User", "USER#{u}", "PROFILE"),
            entity("Order", "USER#{u}", "ORDER#{o}"),
        ];
        let found = names(&catalogue);
        assert_eq!(found, [("Any".into(), 0), ("User".into(), 1), ("Order".into(), 1), ("Shop".into(), 1)]);
    }

    #[test]
    fn without_entities_a_type_attribute_or_the_keys_tell() {
        let typed: &[&[(&str, &str)]] =
            &[&[("PK", "1"), ("SK", "1"), ("type", "user")], &[("PK", "1"), ("SK", "2"), ("type", "order")]];
        let keyed: &[&[(&str, &str)]] = &[
            &[("PK", "USER#1"), ("SK", "PROFILE")],
            &[("PK", "USER#1"), ("SK", "ORDER#2")],
            &[("PK", "ITEM#1"), ("SK", "7")],
        ];
        let plain: &[&[(&str, &str)]] = &[&[("PK", "a"), ("SK", "2026")], &[("PK", "b"), ("SK", "2027")]];
        let of = |rows| names(&Catalogue { tables: vec![table(rows)], ..Catalogue::default() });
        assert_eq!(of(typed), [("order".into(), 1), ("user".into(), 1)]);
        assert_eq!(of(keyed), [("ITEM".into(), 1), ("ORDER".into(), 1), ("PROFILE".into(), 1)]);
        assert_eq!(of(plain), [("Shop".into(), 2)]);
    }

    #[test]
    fn the_delimiter_is_what_follows_the_first_word() {
        assert_eq!(delimiter(["ORDER#2026-11-30T14:05", "ORDER#x"]), Some('#'));
        assert_eq!(delimiter(["user|1", "user|2"]), Some('|'));
        assert_eq!(delimiter(["2026-11-30T14:05", "abc"]), None);
    }
}
