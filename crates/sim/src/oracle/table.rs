//! The naive database: a sorted map of items per table, everything else worked out anew each time it is asked for.

use std::collections::BTreeMap;

use super::expression::{self, Action, Assigned, Path, Step};
use super::schema::{Attr, IndexSpec, Projection, TableSpec};
use super::value::{Item, Value, item_size};

/// A primary key, in the order of its table.
pub type Key = (Value, Option<Value>);

/// A table and its items.
#[derive(Clone, Debug)]
pub struct Table {
    pub spec: TableSpec,
    pub items: BTreeMap<Key, Item>,
}

/// Capacity in half units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    pub table: u64,
    pub locals: BTreeMap<String, u64>,
    pub globals: BTreeMap<String, u64>,
}

impl Charge {
    pub fn total(&self) -> u64 {
        self.table + self.locals.values().chain(self.globals.values()).sum::<u64>()
    }

    fn arms(&mut self, index: &IndexSpec) -> &mut BTreeMap<String, u64> {
        if index.local { &mut self.locals } else { &mut self.globals }
    }

    pub fn add(&mut self, other: &Charge) {
        self.table += other.table;
        for (into, from) in [(&mut self.locals, &other.locals), (&mut self.globals, &other.globals)] {
            for (name, units) in from {
                *into.entry(name.clone()).or_default() += units;
            }
        }
    }
}

fn blocks(bytes: usize, block: usize) -> u64 {
    u64::try_from(bytes.div_ceil(block).max(1)).expect("small")
}

fn write_units(bytes: usize) -> u64 {
    2 * blocks(bytes, 1024)
}

/// Half units of reading so many bytes in one rounding.
pub fn read_units(bytes: usize, consistent: bool) -> u64 {
    blocks(bytes, 4096) * if consistent { 2 } else { 1 }
}

/// Why a request is refused: its code, and the texts that may be given.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub code: &'static str,
    pub texts: Vec<String>,
    pub item: Option<Item>,
}

impl Refusal {
    pub fn invalid(texts: Vec<String>) -> Refusal {
        Refusal { code: "ValidationException", texts, item: None }
    }
}

/// An entry of an index: what orders it, and what it carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub hash: Vec<Value>,
    /// Sort-key values of the index, then the table's key.
    pub order: Vec<Value>,
    pub key: Key,
    pub item: Item,
}

fn values(item: &Item, attrs: &[Attr]) -> Option<Vec<Value>> {
    attrs.iter().map(|attr| item.get(&attr.name).filter(|value| value.is_of(attr.kind)).cloned()).collect()
}

impl Table {
    pub fn new(spec: TableSpec) -> Table {
        Table { spec, items: BTreeMap::new() }
    }

    pub fn key_of(&self, item: &Item) -> Key {
        let range = self.spec.range.as_ref().map(|range| item[&range.name].clone());
        (item[&self.spec.hash.name].clone(), range)
    }

    /// The item's entry in an index, if it has all the index's keys.
    pub fn entry(&self, index: &IndexSpec, item: &Item) -> Option<Entry> {
        let hash = values(item, &index.hash)?;
        let mut order = values(item, &index.range)?;
        let key = self.key_of(item);
        order.push(key.0.clone());
        order.extend(key.1.clone());
        let mut carried = item.clone();
        if let Some(names) = self.spec.carried(index) {
            carried.retain(|name, _| names.contains(name));
        }
        Some(Entry { hash, order, key, item: carried })
    }

    /// All entries of the index, or of the table itself.
    pub fn entries(&self, index: Option<&IndexSpec>) -> Vec<Entry> {
        match index {
            Some(index) => self.items.values().filter_map(|item| self.entry(index, item)).collect(),
            None => self.items.iter().map(|(key, item)| own_entry(key, item)).collect(),
        }
    }

    /// What a write of the table consumes.
    pub fn write_charge(&self, old: Option<&Item>, new: Option<&Item>) -> Charge {
        let size = |item: Option<&Item>| item.map_or(0, item_size);
        let mut charge = Charge { table: write_units(size(old).max(size(new))), ..Charge::default() };
        for index in &self.spec.indexes {
            let entry = |item: Option<&Item>| item.and_then(|item| self.entry(index, item));
            let units = match (entry(old), entry(new)) {
                (None, None) => 0,
                (Some(entry), None) | (None, Some(entry)) => write_units(item_size(&entry.item)),
                (Some(old), Some(new)) if old == new => 0,
                (Some(old), Some(new)) => {
                    let (before, after) =
                        (write_units(item_size(&old.item)), write_units(item_size(&new.item)));
                    let same_key = old.hash == new.hash && old.order == new.order;
                    if same_key { before.max(after) } else { before + after }
                }
            };
            if units > 0 {
                charge.arms(index).insert(index.name.clone(), units);
            }
        }
        charge
    }

    /// Faults of index keys in a new image. In each index the first in the order of its keys; indexes by name.
    pub fn index_faults(&self, item: &Item, put: bool) -> Vec<String> {
        let mut indexes: Vec<_> = self.spec.indexes.iter().collect();
        indexes.sort_by_key(|index| &index.name);
        let faults = |index: &&IndexSpec| -> Vec<String> {
            let own = if index.local { &index.hash[..0] } else { &index.hash[..] };
            let present =
                own.iter().chain(&index.range).filter_map(|attr| Some((attr, item.get(&attr.name)?)));
            let faults: Vec<_> =
                present.filter_map(|(attr, value)| index_fault(index, attr, value, put)).collect();
            if faults.is_empty() { too_long(index, item) } else { faults }
        };
        let found = indexes.iter().map(faults).find(|faults| !faults.is_empty());
        found.unwrap_or_else(|| self.too_large_with_entries(item))
    }

    /// An item and its entries in local indexes share the 400 KB.
    fn too_large_with_entries(&self, item: &Item) -> Vec<String> {
        if self.spec.keys().into_iter().any(|attr| !item.contains_key(&attr.name)) {
            return Vec::new();
        }
        let locals = self.spec.indexes.iter().filter(|index| index.local);
        let entries = locals.filter_map(|index| self.entry(index, item)).map(|entry| item_size(&entry.item));
        let together = item_size(item) + entries.sum::<usize>();
        let fault = "Item size has exceeded the maximum allowed size, counting its entries in local secondary indexes";
        if together > ITEM_BYTES && together > item_size(item) { vec![fault.to_owned()] } else { Vec::new() }
    }

    /// What is wrong with an item that is to be put: with its own key, else with those of indexes.
    pub fn put_faults(&self, item: &Item) -> Vec<String> {
        let faults = self.key_fault(item, false);
        if faults.is_empty() { self.index_faults(item, true) } else { faults }
    }

    /// The fault of an item's own key, if it has one.
    pub fn key_fault(&self, item: &Item, batch: bool) -> Vec<String> {
        let mut faults = Vec::new();
        for attr in self.spec.keys() {
            let name = &attr.name;
            let one = "One or more parameter values were invalid:";
            match item.get(name) {
                None if batch => faults.push("The provided key element does not match the schema".to_owned()),
                None => faults.push(format!("{one} Missing the key {name} in the item")),
                Some(value) if !value.is_of(attr.kind) && batch => {
                    faults.push("The provided key element does not match the schema".to_owned());
                }
                Some(value) if !value.is_of(attr.kind) => {
                    let (expected, actual) = (format!("{:?}", attr.kind), value.type_name());
                    faults.push(format!(
                        "{one} Type mismatch for key {name} expected: {expected} actual: {actual}"
                    ));
                }
                Some(value) if value.is_empty_key() => faults.push(empty_key(name, value)),
                Some(_) => {}
            }
        }
        faults
    }
}

/// The charge of a read that examined so many bytes of entries, and fetched so many half units' worth of items besides.
pub fn read_charge(index: Option<&IndexSpec>, bytes: usize, fetched: u64, consistent: bool) -> Charge {
    let units = read_units(bytes, consistent);
    let mut charge = Charge::default();
    match index {
        None => charge.table = units,
        Some(index) => {
            charge.table = fetched;
            charge.arms(index).insert(index.name.clone(), units);
        }
    }
    charge
}

fn own_entry((hash, range): &Key, item: &Item) -> Entry {
    Entry {
        hash: vec![hash.clone()],
        order: range.iter().cloned().collect(),
        key: (hash.clone(), range.clone()),
        item: item.clone(),
    }
}

fn kind_of_empty(value: &Value) -> &'static str {
    if matches!(value, Value::B(_)) { "binary" } else { "string" }
}

fn empty_key(name: &str, value: &Value) -> String {
    let kind = kind_of_empty(value);
    format!(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty \
         {kind} value. Key: {name}"
    )
}

fn index_fault(index: &IndexSpec, attr: &Attr, value: &Value, put: bool) -> Option<String> {
    let (name, index) = (&attr.name, &index.name);
    if !value.is_of(attr.kind) {
        let (expected, actual) = (format!("{:?}", attr.kind), value.type_name());
        return Some(format!(
            "One or more parameter values were invalid: Type mismatch for Index Key {name} Expected: {expected} \
             Actual: {actual} IndexName: {index}"
        ));
    }
    let kind = kind_of_empty(value);
    let start = "One or more parameter values are not valid.";
    let end = format!("The AttributeValue for a key attribute cannot contain an empty {kind} value.");
    value.is_empty_key().then(|| {
        if put {
            let what = "A value specified for a secondary index key is not supported.";
            format!("{start} {what} {end} IndexName: {index}, IndexKey: {name}")
        } else {
            let what = "The update expression attempted to update a secondary index key to a value that is not supported.";
            format!("{start} {what} {end}")
        }
    })
}

/// Keys of an entry that are too long. Of an item that is not in the index the rules do not speak.
fn too_long(index: &IndexSpec, item: &Item) -> Vec<String> {
    let (Some(hash), Some(range)) = (values(item, &index.hash), values(item, &index.range)) else {
        return Vec::new();
    };
    let start = "One or more parameter values were invalid:";
    let mut faults = Vec::new();
    if hash.iter().any(|value| value.size() > 2048) {
        faults.push(format!("{start} Size of hashkey has exceeded the maximum size limit of2048 bytes"));
    }
    if range.iter().map(Value::size).sum::<usize>() > 1024 {
        faults.push(format!(
            "{start} Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
        ));
    }
    faults
}

/// The most bytes that an item has.
pub const ITEM_BYTES: usize = 409_600;
const BAD_PATH: &str = "The document path provided in the update expression is invalid for update";
const MISSING: &str = "The provided expression refers to an attribute that does not exist in the item";
const BAD_TYPE: &str = "An operand in the update expression has an incorrect data type";

/// What an action does to its target.
enum Change {
    Set(Value),
    Remove,
    Nothing,
}

/// The item that an update leaves; `None` if there is none. All faults that it has, in no order.
pub fn update(old: Option<&Item>, key: &Item, actions: &[Action]) -> Result<Option<Item>, Vec<String>> {
    let empty = Item::new();
    let before = old.unwrap_or(&empty);
    let mut faults = Vec::new();
    let mut changes = Vec::new();
    for action in actions {
        match change(action, before) {
            Ok(change) => changes.push((action.path(), change)),
            Err(fault) => faults.push(fault.to_owned()),
        }
        let clears = matches!(action, Action::Remove(_) | Action::Delete(..));
        if !(parent_fits(action.path(), before) || old.is_none() && clears) {
            faults.push(BAD_PATH.to_owned());
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    // An update that only clears does not make an item.
    let writes = actions.iter().any(|action| matches!(action, Action::Set(..) | Action::Add(..)));
    if old.is_none() && !writes {
        return Ok(None);
    }
    let mut image = old.unwrap_or(key).clone();
    carry_out(&mut image, changes);
    Ok(Some(image))
}

/// Whether the place that holds the path's last step is there, of the type that the step needs.
fn parent_fits(path: &Path, item: &Item) -> bool {
    let Some((last, rest)) = path.rest.split_last() else { return true };
    let parent = Path { top: path.top.clone(), rest: rest.to_vec() };
    matches!(
        (last, parent.resolve(item)),
        (Step::Name(_), Some(Value::M(_))) | (Step::Index(_), Some(Value::L(_)))
    )
}

fn change(action: &Action, old: &Item) -> Result<Change, &'static str> {
    let current = action.path().resolve(old);
    match action {
        Action::Set(_, assigned) => assign(assigned, old).map(Change::Set),
        Action::Remove(_) => Ok(Change::Remove),
        Action::Add(_, value) => added(current, value).map(Change::Set),
        Action::Delete(_, value) => deleted(current, value),
    }
}

fn assign(assigned: &Assigned, old: &Item) -> Result<Value, &'static str> {
    match assigned {
        Assigned::Path(path) => path.resolve(old).cloned().ok_or(MISSING),
        Assigned::Value(value) => Ok(value.clone()),
        Assigned::IfNotExists(path, default) => {
            path.resolve(old).map_or_else(|| assign(default, old), |value| Ok(value.clone()))
        }
        Assigned::ListAppend(left, right) => match (assign(left, old), assign(right, old)) {
            (Ok(Value::L(left)), Ok(Value::L(right))) => Ok(Value::L([left, right].concat())),
            (left, right) => Err(blame(&left, &right, |value| matches!(value, Value::L(_)))),
        },
        Assigned::Plus(left, right) => calculate(assign(left, old), assign(right, old), 1),
        Assigned::Minus(left, right) => calculate(assign(left, old), assign(right, old), -1),
    }
}

fn calculate(
    left: Result<Value, &'static str>,
    right: Result<Value, &'static str>,
    sign: i64,
) -> Result<Value, &'static str> {
    match (left, right) {
        (Ok(Value::N(left)), Ok(Value::N(right))) => Ok(Value::N(left + sign * right)),
        (left, right) => Err(blame(&left, &right, |value| matches!(value, Value::N(_)))),
    }
}

/// A wrong type goes before something missing.
fn blame(
    left: &Result<Value, &'static str>,
    right: &Result<Value, &'static str>,
    fits: fn(&Value) -> bool,
) -> &'static str {
    let wrong = |side: &Result<Value, &'static str>| side.as_ref().is_ok_and(|value| !fits(value));
    if wrong(left) || wrong(right) { BAD_TYPE } else { MISSING }
}

fn added(current: Option<&Value>, value: &Value) -> Result<Value, &'static str> {
    Ok(match (current, value) {
        (None, value) => value.clone(),
        (Some(Value::N(current)), Value::N(value)) => Value::N(current + value),
        (Some(Value::Ss(current)), Value::Ss(value)) => Value::Ss(current | value),
        (Some(Value::Ns(current)), Value::Ns(value)) => Value::Ns(current | value),
        (Some(Value::Bs(current)), Value::Bs(value)) => Value::Bs(current | value),
        _ => return Err(BAD_TYPE),
    })
}

fn deleted(current: Option<&Value>, value: &Value) -> Result<Change, &'static str> {
    let (left, empty) = match (current, value) {
        (None, _) => return Ok(Change::Nothing),
        (Some(Value::Ss(current)), Value::Ss(value)) => {
            (Value::Ss(current - value), current.is_subset(value))
        }
        (Some(Value::Ns(current)), Value::Ns(value)) => {
            (Value::Ns(current - value), current.is_subset(value))
        }
        (Some(Value::Bs(current)), Value::Bs(value)) => {
            (Value::Bs(current - value), current.is_subset(value))
        }
        _ => return Err(BAD_TYPE),
    };
    Ok(if empty { Change::Remove } else { Change::Set(left) })
}

/// First everything that is set in place, then what is appended by ascending index, then removals from the back: so
/// every index means a position of the old list.
fn carry_out(image: &mut Item, changes: Vec<(&Path, Change)>) {
    let (mut appends, mut removals) = (Vec::new(), Vec::new());
    for (path, change) in changes {
        match change {
            Change::Set(value) if is_append(path, image) => appends.push((path, value)),
            Change::Set(value) => set(image, path, value),
            Change::Remove if path.resolve(image).is_none() => {}
            Change::Remove => removals.push(path),
            Change::Nothing => {}
        }
    }
    appends.sort_by(|(one, _), (two, _)| one.rest.cmp(&two.rest));
    for (path, value) in appends {
        let (_, rest) = path.rest.split_last().expect("an element");
        if let Some(Value::L(list)) = place(image, &path.top, rest) {
            list.push(value);
        }
    }
    removals.sort_by(|one, two| two.rest.cmp(&one.rest));
    for path in removals {
        remove(image, path);
    }
}

fn is_append(path: &Path, image: &Item) -> bool {
    matches!(path.rest.last(), Some(Step::Index(_))) && path.resolve(image).is_none()
}

fn place<'a>(image: &'a mut Item, top: &str, rest: &[Step]) -> Option<&'a mut Value> {
    let mut at = image.get_mut(top)?;
    for step in rest {
        at = match (step, at) {
            (Step::Name(name), Value::M(map)) => map.get_mut(name)?,
            (Step::Index(index), Value::L(list)) => list.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(at)
}

fn set(image: &mut Item, path: &Path, value: Value) {
    let Some((last, rest)) = path.rest.split_last() else {
        image.insert(path.top.clone(), value);
        return;
    };
    match (last, place(image, &path.top, rest)) {
        (Step::Name(name), Some(Value::M(map))) => drop(map.insert(name.clone(), value)),
        (Step::Index(index), Some(Value::L(list))) => list[*index] = value,
        _ => unreachable!("paths were checked"),
    }
}

fn remove(image: &mut Item, path: &Path) {
    let Some((last, rest)) = path.rest.split_last() else {
        image.remove(&path.top);
        return;
    };
    match (last, place(image, &path.top, rest)) {
        (Step::Name(name), Some(Value::M(map))) => drop(map.remove(name)),
        (Step::Index(index), Some(Value::L(list))) if *index < list.len() => drop(list.remove(*index)),
        _ => {}
    }
}

/// Whether the rules say what UPDATED_NEW returns: not where elements were appended, or moved by a removal.
pub fn tells_updated_new(old: Option<&Item>, actions: &[Action]) -> bool {
    let in_list = |path: &Path| path.rest.iter().any(|step| matches!(step, Step::Index(_)));
    let set_in: Vec<_> = actions
        .iter()
        .filter(|action| !matches!(action, Action::Remove(_)) && in_list(action.path()))
        .map(Action::path)
        .collect();
    let appended = set_in.iter().any(|path| old.is_none_or(|old| path.resolve(old).is_none()));
    let removed = actions.iter().any(|action| {
        matches!(action, Action::Remove(path) if in_list(path) && set_in.iter().any(|set| set.top == path.top))
    });
    !appended && !removed
}

/// What UPDATED_OLD and UPDATED_NEW return of an image.
pub fn touched(image: Option<&Item>, actions: &[Action], new: bool) -> Option<Item> {
    let counts = |action: &&Action| !(new && matches!(action, Action::Remove(_)));
    let paths: Vec<Path> = actions.iter().filter(counts).map(|action| action.path().clone()).collect();
    let part = expression::project(image?, &paths);
    (!part.is_empty()).then_some(part)
}

/// Entries and bytes of an index or the table.
pub fn totals(entries: &[Entry]) -> (i64, i64) {
    let bytes: usize = entries.iter().map(|entry| item_size(&entry.item)).sum();
    (i64::try_from(entries.len()).expect("few"), i64::try_from(bytes).expect("few"))
}

/// Whether an index carries every attribute that the paths begin with.
pub fn carries(table: &TableSpec, index: &IndexSpec, paths: &[Path]) -> bool {
    match (&index.projection, table.carried(index)) {
        (Projection::All, _) | (_, None) => true,
        (_, Some(names)) => paths.iter().all(|path| names.contains(&path.top)),
    }
}
