//! The data folder read through the store alone, while no server runs: the rows behind the items.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use hashrange_env::Env;
use hashrange_item::{AttributeValue, Row, key};
use hashrange_store::{Freshness, PageLimit, RowKey, Space, Store, Stored, SweepRead};
use hashrange_store_local::{LocalStore, Options};

use crate::item::{Item, Key, Value};
use crate::world::World;

/// The kinds of rows, as the engine's layout numbers them.
const ITEM: u8 = 0;
const COLLECTION: u8 = 1;
const LOCAL_ENTRY: u8 = 16;

/// How many spaces to look through; the test makes one table with one global index.
const SPACES: u64 = 16;

/// Partition, row and value as stored.
type StoredRow = (Bytes, RowKey, Stored);

/// Where a row lies: partition and sort bytes.
type Place = (Vec<u8>, Vec<u8>);

/// Recovers the folder, compares its items with what must be there, and its other rows with its items.
pub(crate) fn check(data: &Path, world: &mut World) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let spaces = runtime.block_on(async {
        let store = LocalStore::open(data, &Options::default(), Env::real()).expect("the folder opens");
        let spaces = read_spaces(&store).await;
        store.close();
        spaces
    });
    let (tables, indexes): (Vec<_>, Vec<_>) = spaces.into_iter().partition(Rows::is_table);
    let [table] = &tables[..] else { panic!("there is one table, found {}", tables.len()) };
    let items: Vec<Item> = table.items.iter().map(decode).collect();
    check_local_entries(table, &items);
    check_collections(table, &items);
    let entries: Vec<StoredRow> = indexes.into_iter().flat_map(|index| index.items).collect();
    check_global_entries(&entries, &items);
    world.settle(&items.into_iter().map(|item| (item.key(), item)).collect::<BTreeMap<Key, Item>>());
}

/// All rows of one space.
struct Rows {
    items: Vec<StoredRow>,
    collections: Vec<StoredRow>,
    locals: Vec<StoredRow>,
}

impl Rows {
    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.collections.is_empty() && self.locals.is_empty()
    }

    /// The rows of a table lie under their own keys, those of an index do not.
    fn is_table(&self) -> bool {
        self.items.iter().all(|row| place_of(row) == item_place(&decode(row)))
    }
}

async fn read_spaces(store: &LocalStore) -> Vec<Rows> {
    let mut spaces = Vec::new();
    for space in (Space::FIRST_USER.0..).take(usize::try_from(SPACES).expect("small")).map(Space) {
        let items = sweep(store, space, ITEM).await;
        let collections = sweep(store, space, COLLECTION).await;
        let locals = sweep(store, space, LOCAL_ENTRY).await;
        let rows = Rows { items, collections, locals };
        if !rows.is_empty() {
            spaces.push(rows);
        }
    }
    spaces
}

async fn sweep(store: &LocalStore, space: Space, kind: u8) -> Vec<StoredRow> {
    let mut rows: Vec<StoredRow> = Vec::new();
    loop {
        let after = rows.last().map(|(partition, row, _)| (partition.clone(), row.clone()));
        let limit = PageLimit { rows: 100, bytes: 1 << 20 };
        let read =
            SweepRead { space, kind, segment: 0, segments: 1, after, limit, freshness: Freshness::Strong };
        let page = store.sweep(read).await.expect("the store reads");
        assert!(!page.rows.is_empty() || !page.more, "a sweep makes progress");
        rows.extend(page.rows);
        if !page.more {
            return rows;
        }
    }
}

fn decode((_, _, stored): &StoredRow) -> Item {
    let row = Row::from_bytes(stored.value.clone()).expect("a whole row");
    row.verify().expect("a whole row");
    let item = row.decode().expect("a whole row");
    let value = |value: &AttributeValue| match value {
        AttributeValue::S(text) => Value::S(text.clone()),
        AttributeValue::N(number) => {
            Value::N(number.to_string().parse().expect("the test writes integers only"))
        }
        other => panic!("the test writes no {other:?}"),
    };
    Item(item.iter().map(|(name, at)| (name.to_owned(), value(at))).collect())
}

fn place_of((partition, row, _): &StoredRow) -> Place {
    (partition.to_vec(), row.sort.to_vec())
}

fn item_place(item: &Item) -> Place {
    (scalar(item, "pk"), scalar(item, "sk"))
}

fn check_local_entries(table: &Rows, items: &[Item]) {
    let expected = items.iter().filter_map(|item| {
        let entry = item.local_entry()?;
        Some(((scalar(item, "pk"), [component(item, "lk"), scalar(item, "sk")].concat()), entry))
    });
    assert_same_entries("local", &table.locals, &expected.collect());
}

fn check_global_entries(entries: &[StoredRow], items: &[Item]) {
    let expected = items.iter().filter_map(|item| {
        let entry = item.global_entry()?;
        let sort = [component(item, "gs"), component(item, "pk"), scalar(item, "sk")].concat();
        Some(((scalar(item, "gk"), sort), entry))
    });
    assert_same_entries("global", entries, &expected.collect());
}

fn assert_same_entries(index: &str, rows: &[StoredRow], expected: &BTreeMap<Place, Item>) {
    let found: BTreeMap<Place, Item> = rows.iter().map(|row| (place_of(row), decode(row))).collect();
    for (place, entry) in expected {
        assert_eq!(found.get(place), Some(entry), "the {index} index lacks an item or has an old one");
    }
    for (place, entry) in &found {
        assert!(expected.contains_key(place), "the {index} index has an entry without its item: {entry:?}");
    }
}

/// A collection's size is that of its items and of their local index entries.
fn check_collections(table: &Rows, items: &[Item]) {
    let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for item in items {
        let entry = item.local_entry().map_or(0, |entry| entry.size());
        *expected.entry(scalar(item, "pk")).or_default() += item.size() + entry;
    }
    for (partition, _, stored) in &table.collections {
        let size = u64::from_be_bytes(stored.value[..].try_into().expect("a collection's size has 8 bytes"));
        let counted = expected.remove(&partition[..]).unwrap_or(0);
        assert_eq!(size, counted, "size of the collection {partition:?}");
    }
    assert!(expected.is_empty(), "collections without a size: {expected:?}");
}

fn scalar(item: &Item, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    key::encode_scalar(&attribute(item, name), &mut bytes).expect("text and numbers are keys");
    bytes
}

fn component(item: &Item, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    key::encode_component(&attribute(item, name), &mut bytes).expect("text and numbers are keys");
    bytes
}

fn attribute(item: &Item, name: &str) -> AttributeValue {
    match item.0.get(name).unwrap_or_else(|| panic!("an entry without {name}: {item:?}")) {
        Value::S(text) => AttributeValue::S(text.clone()),
        Value::N(number) => AttributeValue::N(number.to_string().parse().expect("a number")),
    }
}
