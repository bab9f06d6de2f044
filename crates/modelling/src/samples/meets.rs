//! Whether a request finds what it asks for in the samples: its conditions and filters are evaluated as the database does.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashrange_item::{AttributeValue, Attributes, Kind, Number};
use hashrange_language::Condition;

use super::Samples;
use super::build::key_bytes;
use super::fill::{Binding, fill};
use super::mend::{self, Mended};
use crate::catalogue::{Catalogue, Pattern, Table};
use crate::plan::request::{self, Action, KeyPart, Verb};

/// Items that are tried to be changed for one request.
const MENDED_MAX: usize = 50;

/// What the samples say of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It finds what it asks for, or asks for nothing.
    Met,
    /// It does not; the condition or filter in words.
    Unmet(String),
    /// A gap has no value yet.
    Unknown,
}

/// Judges the requests of a pattern.
pub(super) struct Judge<'a> {
    catalogue: &'a Catalogue,
    samples: &'a Samples,
    pattern: &'a Pattern,
    /// Whether the model expects that a condition does not hold.
    must_fail: bool,
}

impl<'a> Judge<'a> {
    /// `None` where a pattern asks for nothing that samples could lack.
    pub(super) fn of(
        catalogue: &'a Catalogue,
        samples: &'a Samples,
        pattern: &'a Pattern,
    ) -> Option<Judge<'a>> {
        let expect = &pattern.expect;
        let must_fail = match expect.error.as_deref() {
            None => false,
            Some("ConditionalCheckFailedException" | "TransactionCanceledException") => true,
            Some(_) => return None,
        };
        let may_be_empty = expect.max == Some(0) || expect.items.as_ref().is_some_and(Vec::is_empty);
        let request = request::request(catalogue, pattern)?;
        let asks = |action: &Action| match action.verb {
            Verb::Query | Verb::Scan => !must_fail && !may_be_empty,
            _ => action.condition.is_some(),
        };
        request.actions.iter().any(asks).then_some(Judge { catalogue, samples, pattern, must_fail })
    }

    /// What the samples say of the request with these values.
    pub(super) fn verdict(&self, binding: &Binding) -> Verdict {
        let Some(body) = &self.pattern.request else { return Verdict::Met };
        let Ok(filled) = fill(body, binding) else { return Verdict::Unknown };
        let Some(request) = request::exact(self.catalogue, self.pattern, &filled) else {
            return Verdict::Met;
        };
        let unmet: Vec<&Action> = request.actions.iter().filter(|action| !self.is_met(action)).collect();
        match (self.must_fail, unmet.first()) {
            (false, Some(action)) => Verdict::Unmet(asked(action)),
            (true, None) => Verdict::Unmet("what the error is expected for".to_owned()),
            _ => Verdict::Met,
        }
    }

    fn is_met(&self, action: &Action) -> bool {
        let Some(table) = self.catalogue.table(&action.table) else { return true };
        match action.verb {
            Verb::Get | Verb::Search => true,
            Verb::Query | Verb::Scan => self.must_fail || self.finds(table, action),
            Verb::Put | Verb::Update | Verb::Delete | Verb::Check => {
                let condition = action.condition.as_ref().filter(|_| self.must_fail || !makes(action));
                condition.is_none_or(|condition| holds(condition, self.target(table, action)))
            }
        }
    }

    /// An item changed so that the request with these values finds what it asks for; only items that may be changed.
    pub(super) fn mended(&self, binding: &Binding, may: &dyn Fn(&str, usize) -> bool) -> Option<Mended> {
        let filled = fill(self.pattern.request.as_ref()?, binding).ok()?;
        let request = request::exact(self.catalogue, self.pattern, &filled)?;
        let wanted: Vec<&Action> = request
            .actions
            .iter()
            .filter(|action| if self.must_fail { action.condition.is_some() } else { !self.is_met(action) })
            .collect();
        // One item is changed, so a transaction of which two conditions do not hold stays as it is.
        let (first, others) = wanted.split_first()?;
        if !others.is_empty() && !self.must_fail {
            return None;
        }
        let table = self.catalogue.table(&first.table)?;
        let (places, condition) = match first.verb {
            Verb::Query | Verb::Scan => {
                (self.collection(table, first), first.selection.clone()?.and(first.filter.clone()))
            }
            _ => (self.place(table, first).into_iter().collect(), first.condition.clone()?),
        };
        let items = self.samples.tables.get(&table.name)?;
        let is_fixed = |name: &str| mend::is_of_key(self.catalogue, table, name);
        places.into_iter().filter(|at| may(&table.name, *at)).take(MENDED_MAX).find_map(|at| {
            let before = items.get(at)?;
            let after = condition.satisfied_by(before, !self.must_fail, &is_fixed)?;
            let item = mend::no_larger(self.catalogue, table, before, after.clone());
            let is_well = condition.evaluate(Some(&item)) != self.must_fail;
            Some(Mended { table: table.name.clone(), at, item: if is_well { item } else { after } })
        })
    }

    /// Where the item is that a part of a request is about.
    fn place(&self, table: &Table, action: &Action) -> Option<usize> {
        let mut key = Attributes::default();
        if let Some(item) = &action.item {
            let parts = request::key(&serde_json::Value::Object(item.clone()));
            let of_table =
                parts.iter().filter(|part| table.keys.attributes().any(|key| key == part.attribute));
            of_table.for_each(|part| _ = key.insert(part.attribute.clone(), value_of(part)));
        } else {
            action.key.iter().for_each(|part| _ = key.insert(part.attribute.clone(), value_of(part)));
        }
        let keys = &self.samples.index(self.catalogue).keys;
        keys.get(&(table.name.clone(), key_bytes(table, &key))).copied()
    }

    fn target(&self, table: &Table, action: &Action) -> Option<&'a Attributes> {
        self.samples.tables.get(&table.name)?.get(self.place(table, action)?)
    }

    /// Whether a read of a collection, or of everything, returns something.
    fn finds(&self, table: &Table, action: &Action) -> bool {
        let index = action.index.as_deref().or(self.pattern.index.as_deref());
        let index = index.and_then(|name| table.index(name));
        let is_in = |item: &Attributes| {
            index.is_none_or(|index| index.keys.attributes().all(|key| item.contains(key)))
        };
        let items = self.samples.tables.get(&table.name).map_or(&[][..], Vec::as_slice);
        self.collection(table, action).into_iter().filter_map(|at| items.get(at)).any(|item| {
            let mut conditions = [&action.selection, &action.filter].into_iter().flatten();
            is_in(item) && conditions.all(|condition| holds(condition, Some(item)))
        })
    }

    /// Where the items are that may be selected: those of the partition key, where that can be looked up.
    fn collection(&self, table: &Table, action: &Action) -> Vec<usize> {
        let known = &self.samples.index(self.catalogue).collections;
        let found = action.clauses.iter().zip(&action.clause_kinds).find_map(|(clause, kind)| {
            let part = KeyPart {
                attribute: clause.attribute.clone(),
                kind: Some(kind.filter(|kind| *kind != Kind::B && clause.operator == "=")?),
                text: clause.operands.first()?.clone(),
            };
            let collections = known.get(&(table.name.clone(), clause.attribute.clone()))?;
            Some(collections.get(&bytes_of(&value_of(&part))).cloned().unwrap_or_default())
        });
        found.unwrap_or_else(|| (0..self.samples.tables.get(&table.name).map_or(0, Vec::len)).collect())
    }
}

/// A put that must not find an item makes one, whatever is there.
fn makes(action: &Action) -> bool {
    let text = action.condition.as_ref().map(ToString::to_string).unwrap_or_default();
    action.verb == Verb::Put && text.contains("attribute_not_exists")
}

fn holds(condition: &Condition, item: Option<&Attributes>) -> bool {
    match item {
        Some(item) => condition.evaluate(Some(item)),
        None => condition.evaluate(None),
    }
}

/// What a part of a request asks for, in words.
fn asked(action: &Action) -> String {
    let conditions = match action.verb {
        // The selection of a statement has its filter in it.
        Verb::Query | Verb::Scan => [&action.selection, &action.filter],
        _ => [&action.condition, &None],
    };
    let texts: Vec<String> = conditions.into_iter().flatten().map(ToString::to_string).collect();
    texts.join(" AND ")
}

fn value_of(part: &KeyPart) -> AttributeValue {
    match part.kind {
        Some(Kind::N) => AttributeValue::N(Number::parse(&part.text).unwrap_or_default()),
        Some(Kind::B) => AttributeValue::B(STANDARD.decode(&part.text).unwrap_or_default()),
        _ => AttributeValue::S(part.text.clone()),
    }
}

fn bytes_of(value: &AttributeValue) -> Vec<u8> {
    let mut bytes = Vec::new();
    hashrange_item::json::write_value(value, &mut bytes);
    bytes
}

/// Where items are, by table.
#[derive(Debug, Default)]
struct Places {
    keys: BTreeMap<(String, Vec<u8>), usize>,
    /// By the attribute of a partition key and its value.
    collections: BTreeMap<(String, String), BTreeMap<Vec<u8>, Vec<usize>>>,
}

/// [`Places`], found when they are first asked for. They follow from the items, so they make no difference between samples.
#[derive(Default)]
pub(super) struct Index(OnceLock<Places>);

impl Clone for Index {
    fn clone(&self) -> Index {
        Index::default()
    }
}

impl PartialEq for Index {
    fn eq(&self, _: &Index) -> bool {
        true
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").finish_non_exhaustive()
    }
}

impl Samples {
    fn index(&self, catalogue: &Catalogue) -> &Places {
        self.index.0.get_or_init(|| {
            let mut places = Places::default();
            for table in &catalogue.tables {
                let items = self.tables.get(&table.name).into_iter().flatten();
                for (at, item) in items.enumerate() {
                    places.add(table, item, at);
                }
            }
            places
        })
    }
}

impl Places {
    fn add(&mut self, table: &Table, item: &Attributes, at: usize) {
        self.keys.insert((table.name.clone(), key_bytes(table, item)), at);
        let of_indexes = table.indexes.iter().flat_map(|index| &index.keys.hash);
        for hash in table.keys.hash.iter().chain(of_indexes) {
            let Some(value) = item.get(hash) else { continue };
            let collection = self.collections.entry((table.name.clone(), hash.clone())).or_default();
            let places = collection.entry(bytes_of(value)).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        }
    }
}
