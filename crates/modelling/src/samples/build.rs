//! Items of entities, block by block.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{AttributeValue, Attributes, Kind, Number};

use super::relation::{self, Foreign, Related};
use super::{COLLECTION_ITEMS_MAX, ITEMS, Instance, Options, Random, format};
use crate::catalogue::{Attribute, Catalogue, Entity, KeyType, Table};
use crate::template::Template;

/// The attribute that brings an item to its declared size, where none of its own can.
const FILLER: &str = "filler";
/// How often a key that is taken is drawn anew.
const TRIES: usize = 20;

type Values = BTreeMap<String, AttributeValue>;
/// Instances of each entity in the block that is being made, and in the first for reference data.
type Block = BTreeMap<String, Vec<Instance>>;

/// The items of all entities.
pub(super) fn entities(catalogue: &Catalogue, options: Options) -> BTreeMap<String, Vec<Instance>> {
    let related = relation::related(catalogue);
    let seed = Random::new(options.seed);
    let mut all: BTreeMap<String, Vec<Instance>> = BTreeMap::new();
    let mut taken: BTreeSet<(String, Vec<u8>)> = BTreeSet::new();
    let mut first = Block::new();
    for number in 0..options.scale.max(1) {
        let mut block = Block::new();
        for one in &related {
            if one.entity.reference && number > 0 {
                let same = first.get(&one.entity.name).cloned().unwrap_or_default();
                block.insert(one.entity.name.clone(), same);
                continue;
            }
            let random = seed.named(&one.entity.name).numbered(number);
            let made = Maker { one, block: &block, random, number }.all(&mut taken);
            all.entry(one.entity.name.clone()).or_default().extend(made.iter().cloned());
            block.insert(one.entity.name.clone(), made);
        }
        if number == 0 {
            first = block;
        }
    }
    all
}

/// How the items of an entity spread over its parent's.
#[derive(Clone, Copy, Debug)]
struct Spread {
    /// Items in the block.
    items: usize,
    /// Items of each parent.
    each: usize,
}

struct Maker<'a> {
    one: &'a Related<'a>,
    block: &'a Block,
    random: Random,
    number: usize,
}

impl Maker<'_> {
    fn all(&self, taken: &mut BTreeSet<(String, Vec<u8>)>) -> Vec<Instance> {
        let spread = self.spread();
        let mut made = Vec::with_capacity(spread.items);
        for ordinal in 0..spread.items {
            let fresh = (0..TRIES).find_map(|attempt| {
                let instance = self.instance(ordinal, spread.each, attempt);
                let key = (self.one.table.name.clone(), key_bytes(self.one.table, &instance.item));
                taken.insert(key).then_some(instance)
            });
            made.extend(fresh);
        }
        made
    }

    /// As many as declared, within limits; collections are as large as declared.
    fn spread(&self) -> Spread {
        let entity = self.one.entity;
        let each = entity.per_collection.map(|each| whole(each.round()).clamp(1, COLLECTION_ITEMS_MAX));
        let declared = entity.count.map_or(ITEMS, |count| whole(count).clamp(1, ITEMS));
        match (each, self.parents()) {
            (Some(each), Some(parents)) => {
                Spread { items: (declared.max(each) / each).clamp(1, parents) * each, each }
            }
            (Some(each), None) => Spread { items: declared.max(each), each },
            (None, Some(parents)) => Spread { items: declared, each: declared.div_ceil(parents.max(1)) },
            (None, None) => Spread { items: declared, each: 1 },
        }
    }

    /// How many items the closest parent has.
    fn parents(&self) -> Option<usize> {
        let parent = self.parent()?;
        self.block.get(&parent.entity).map(Vec::len).filter(|count| *count > 0)
    }

    /// The parent whose items own collections of this entity: one that the partition key of the table names, else any.
    fn parent(&self) -> Option<&Foreign> {
        let hash = self.one.table.keys.hash.first().and_then(|hash| self.one.entity.keys.get(hash));
        let named = |foreign: &&Foreign| hash.is_some_and(|hash| hash.gaps().any(|gap| gap == foreign.name));
        self.one.foreign.iter().find(named).or_else(|| self.one.foreign.first())
    }

    fn instance(&self, ordinal: usize, each: usize, attempt: usize) -> Instance {
        let random = self.random.numbered(ordinal).numbered(attempt);
        let mut values = self.inherited(ordinal, each, &random);
        let counted = self.number * 1_000_000 + ordinal;
        for attribute in &self.one.entity.attributes {
            if !values.contains_key(&attribute.name) {
                let share = share_of_way(ordinal % each.max(1), each, &random);
                let value = self.own(attribute, &random, counted, share);
                values.insert(attribute.name.clone(), value);
            }
        }
        for gap in &self.one.gaps {
            if !values.contains_key(*gap) {
                let value = format::value(format::guessed(gap, None), &mut random.named(gap), counted);
                values.insert((*gap).to_owned(), value);
            }
        }
        let item = self.item(&mut values, ordinal, &random);
        Instance { values, item }
    }

    /// What comes from other entities: from the closest parent first, and from the parent's parents what it says of them.
    fn inherited(&self, ordinal: usize, each: usize, random: &Random) -> Values {
        let mut values = Values::new();
        let chosen = self.parent().map(|foreign| foreign.entity.clone());
        let mut entities: Vec<&str> =
            self.one.foreign.iter().map(|foreign| foreign.entity.as_str()).collect();
        entities.dedup();
        entities.sort_by_key(|entity| Some(*entity) != chosen.as_deref());
        for entity in entities {
            let of = || self.one.foreign.iter().filter(|foreign| foreign.entity == entity);
            if of().all(|foreign| values.contains_key(&foreign.name)) {
                continue;
            }
            let Some(instances) = self.block.get(entity) else { continue };
            let at = if Some(entity) == chosen.as_deref() { ordinal / each.max(1) } else { ordinal };
            let Some(parent) = agreeing(instances, &values, at, &mut random.named(entity)) else { continue };
            for foreign in of() {
                if let Some(value) = parent.values.get(&foreign.attribute) {
                    values.entry(foreign.name.clone()).or_insert_with(|| value.clone());
                }
            }
            for foreign in &self.one.foreign {
                if let Some(value) = parent.values.get(&foreign.name) {
                    values.entry(foreign.name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
        values
    }

    /// A value of the item's own. `share` is how far on in its collection the item is: times follow from it.
    fn own(
        &self,
        attribute: &Attribute,
        random: &Random,
        counted: usize,
        share: Option<f64>,
    ) -> AttributeValue {
        let mut random = random.named(&attribute.name);
        let kind = attribute.kind.or_else(|| key_kind(self.one.table, &attribute.name));
        if self.one.table.ttl.as_deref() == Some(attribute.name.as_str())
            && let Some(value) = format::expiry(kind, &mut random)
        {
            return value;
        }
        if let Some(value) = random.pick(&attribute.values, &attribute.weights) {
            return typed(kind, value);
        }
        let stated = attribute.format.as_deref().filter(|format| !format.starts_with("ref("));
        let value = match (stated, attribute.bytes) {
            (None, Some(bytes)) if matches!(kind, None | Some(Kind::S)) => {
                AttributeValue::S(format::words(whole(bytes), &mut random))
            }
            (None, Some(bytes)) if kind == Some(Kind::B) => {
                format::value(&format!("binary({})", whole(bytes)), &mut random, counted)
            }
            (stated, _) => {
                let format = stated.unwrap_or_else(|| format::guessed(&attribute.name, kind));
                let timed = share.and_then(|share| format::timed(format, share, &mut random));
                timed.unwrap_or_else(|| format::value(format, &mut random, counted))
            }
        };
        of_kind(kind, value)
    }

    fn item(&self, values: &mut Values, ordinal: usize, random: &Random) -> Attributes {
        let entity = self.one.entity;
        let mut item = Attributes::default();
        for attribute in &entity.attributes {
            let share = attribute.share.unwrap_or(1.0);
            let is_here = ordinal == 0 || random.named(&attribute.name).numbered(1).share() < share;
            if let Some(value) = values.get(&attribute.name).filter(|_| is_here) {
                item.insert(attribute.name.clone(), value.clone());
            }
        }
        for (name, template) in &entity.keys {
            // An index key is only there where what it is made from is there.
            let of_table = self.one.table.keys.attributes().any(|key| key == name);
            let declared = |gap: &str| entity.attributes.iter().any(|attribute| attribute.name == gap);
            let is_here = of_table || template.gaps().all(|gap| !declared(gap) || item.contains(gap));
            if let Some(value) = is_here.then(|| key_value(self.one.table, name, template, values)).flatten()
            {
                item.insert(name.clone(), value);
            }
        }
        for key in self.one.table.keys.attributes() {
            if !item.contains(key) {
                let drawn = format::value("uuid", &mut random.named(key), ordinal);
                item.insert(key.to_owned(), values.get(key).cloned().unwrap_or(drawn));
            }
        }
        self.grow(&mut item, values, ordinal, random);
        item
    }

    /// Brings the item to its declared size: one in a hundred to the 99th percentile, the others to around the mean.
    fn grow(&self, item: &mut Attributes, values: &mut Values, ordinal: usize, random: &Random) {
        let entity = self.one.entity;
        let Some(mean) = entity.bytes else { return };
        let target = match entity.p99_bytes {
            Some(large) if ordinal % 100 == 99 => large,
            // Neighbours differ by as much, one above and one below, so that collections keep the mean.
            _ if ordinal == 0 => mean,
            _ => {
                let apart = self.random.numbered(ordinal.div_ceil(2)).named("size").share() * 0.2;
                mean * if ordinal.is_multiple_of(2) { 1.0 + apart } else { 1.0 - apart }
            }
        };
        let missing = whole(target).saturating_sub(item.size());
        let can_grow = |attribute: &&Attribute| is_text(entity, attribute) && item.contains(&attribute.name);
        let grown = entity.attributes.iter().find(can_grow).map(|attribute| attribute.name.clone());
        let name = grown.unwrap_or_else(|| FILLER.to_owned());
        let had = match item.get(&name) {
            Some(AttributeValue::S(text)) => text.clone(),
            _ if missing > name.len() => String::new(),
            _ => return,
        };
        let more = if item.contains(&name) { missing } else { missing - name.len() };
        if more > 0 {
            let text = had + &format::words(more, &mut random.named("filler"));
            item.insert(name.clone(), AttributeValue::S(text.clone()));
            values.insert(name, AttributeValue::S(text));
        }
    }
}

/// How far on in its collection an item is, from 0 to 1; items of a collection are evenly apart, give or take.
#[expect(clippy::cast_precision_loss, reason = "collections are small")]
fn share_of_way(at: usize, each: usize, random: &Random) -> Option<f64> {
    (each > 1).then(|| (at as f64 + random.named("time").share()) / each as f64)
}

/// Whether an attribute is plain text that no key is made of.
fn is_text(entity: &Entity, attribute: &Attribute) -> bool {
    let is_free = match attribute.format.as_deref() {
        None => attribute.kind == Some(Kind::S) && attribute.bytes.is_none(),
        Some(format) => format == "text" || format.starts_with("text("),
    };
    let in_key = entity.keys.values().any(|template| template.gaps().any(|gap| gap == attribute.name));
    is_free
        && !in_key
        && !entity.keys.contains_key(&attribute.name)
        && attribute.values.is_empty()
        && attribute.copy_of.is_none()
}

/// The instance at that place, or another one that agrees with what is known; any where none does.
fn agreeing<'i>(
    instances: &'i [Instance],
    known: &Values,
    at: usize,
    random: &mut Random,
) -> Option<&'i Instance> {
    let agrees = |instance: &&Instance| {
        known.iter().all(|(name, value)| instance.values.get(name).is_none_or(|other| other == value))
    };
    let shares = instances.first()?.values.keys().any(|name| known.contains_key(name));
    if shares && let Some(found) = instances.iter().find(agrees) {
        return Some(found);
    }
    instances.get(at % instances.len()).or_else(|| random.pick(instances, &[]))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a saturating cast of a count")]
fn whole(number: f64) -> usize {
    number.max(0.0) as usize
}

/// The type that a table gives to a key attribute.
pub(super) fn key_kind(table: &Table, name: &str) -> Option<Kind> {
    let is_key =
        table.keys.attributes().chain(table.indexes.iter().flat_map(|index| index.keys.attributes()));
    let mut is_key = is_key;
    let kind = match table.definitions.get(name)? {
        KeyType::S => Kind::S,
        KeyType::N => Kind::N,
        KeyType::B => Kind::B,
    };
    is_key.any(|key| key == name).then_some(kind)
}

fn key_value(table: &Table, name: &str, template: &Template, values: &Values) -> Option<AttributeValue> {
    let text = template.render(|gap| values.get(gap).map(|value| Cow::Owned(text_of(value))))?;
    // One gap and nothing else: the value as it is, where its type is the key's.
    Some(typed(key_kind(table, name), &text))
}

/// A text as a value of that type, as far as it is one.
fn typed(kind: Option<Kind>, text: &str) -> AttributeValue {
    match kind {
        Some(Kind::N) => {
            Number::parse(text).map_or_else(|_| AttributeValue::N(Number::from_i64(0)), AttributeValue::N)
        }
        Some(Kind::B) => AttributeValue::B(text.as_bytes().to_vec()),
        Some(Kind::Bool) => AttributeValue::Bool(text == "true"),
        _ => AttributeValue::S(text.to_owned()),
    }
}

/// A value in the declared type, where it can be one.
fn of_kind(kind: Option<Kind>, value: AttributeValue) -> AttributeValue {
    use hashrange_item::Set;
    match (kind, value) {
        (Some(Kind::S), value @ AttributeValue::N(_)) => AttributeValue::S(text_of(&value)),
        (Some(Kind::N), AttributeValue::S(text)) => {
            Number::parse(&text).map_or_else(|_| AttributeValue::N(Number::from_i64(0)), AttributeValue::N)
        }
        (Some(Kind::B), AttributeValue::S(text)) => AttributeValue::B(text.into_bytes()),
        (Some(Kind::Ss), AttributeValue::L(items)) => {
            let mut texts: Vec<String> = items.iter().map(text_of).collect();
            texts.sort();
            texts.dedup();
            Set::new(texts).map_or(AttributeValue::L(items), AttributeValue::Ss)
        }
        (Some(Kind::Ns), AttributeValue::L(items)) => {
            let numbers = (0..items.len()).map(|at| Number::from_i64(i64::try_from(at).unwrap_or(0)));
            Set::new(numbers.collect()).map_or(AttributeValue::L(items), AttributeValue::Ns)
        }
        (_, value) => value,
    }
}

/// A scalar as a key template shows it.
pub(super) fn text_of(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => text.clone(),
        AttributeValue::N(number) => number.to_string(),
        AttributeValue::B(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        AttributeValue::Bool(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

/// What tells items of a table apart.
pub(crate) fn key_bytes(table: &Table, item: &Attributes) -> Vec<u8> {
    let mut bytes = Vec::new();
    for key in table.keys.attributes() {
        match item.get(key) {
            Some(value) => hashrange_item::json::write_value(value, &mut bytes),
            None => bytes.push(b'-'),
        }
    }
    bytes
}
