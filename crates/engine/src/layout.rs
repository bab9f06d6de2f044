//! Where rows of a table and of its indexes lie in the store.
//!
//! ```text
//! item          space = table   partition = scalar(partition key)          kind 0    sort = scalar(sort key) or empty
//! collection    space = table   partition = scalar(partition key)          kind 1    sort empty: bytes of the item collection
//! local entry   space = table   partition = scalar(partition key)          kind 16.. sort = component(index sort key) scalar(table sort key)
//! global entry  space = index   partition = scalar(one hash attribute)     kind 0    sort = component(each range attribute)
//!                               or component(each of several)                               component(table partition key) scalar(table sort key)
//! progress      space = index   partition empty                            kind 2    sort empty: how far its filling has come
//! ```
//! `scalar` and `component` are the order-preserving encodings of `hashrange_item::key`. An item's rows and its local index
//! entries share a partition, so that an item collection is one contiguous range.

use bytes::Bytes;
use hashrange_item::{AttributeValue, key};
use hashrange_store::{Address, RowKey, Space};

/// Kind of an item's row, and of a global index's entries in their own space.
pub(crate) const ITEM: u8 = 0;
/// Kind of the row that tells how far the filling of a global index has come.
pub(crate) const PROGRESS: u8 = 2;
/// Kind of the row that holds an item collection's size, on tables with local indexes.
pub(crate) const COLLECTION: u8 = 1;

/// The row of an item with this sort key.
pub(crate) fn item_row(range: Option<&AttributeValue>) -> RowKey {
    let mut sort = Vec::new();
    if let Some(range) = range {
        scalar(range, &mut sort);
    }
    RowKey { kind: ITEM, sort: sort.into() }
}

/// The row that holds the size of a partition's item collection.
pub(crate) fn collection_row() -> RowKey {
    RowKey { kind: COLLECTION, sort: Bytes::new() }
}

/// The partition of a table under this partition key.
pub(crate) fn partition(hash: &AttributeValue) -> Bytes {
    let mut partition = Vec::new();
    scalar(hash, &mut partition);
    partition.into()
}

/// The row of a local index entry: its sort key, then the table's.
pub(crate) fn local_row(kind: u8, range: &AttributeValue, table_row: &RowKey) -> RowKey {
    let mut sort = Vec::new();
    component(range, &mut sort);
    sort.extend_from_slice(&table_row.sort);
    RowKey { kind, sort: sort.into() }
}

/// The partition of a global index under these partition-key values.
pub(crate) fn global_partition(hash: &[AttributeValue]) -> Bytes {
    if let [only] = hash {
        return partition(only);
    }
    let mut partition = Vec::new();
    for value in hash {
        component(value, &mut partition);
    }
    partition.into()
}

/// The row of a global index entry: its sort-key values, then the table's key.
pub(crate) fn global_row(
    range: &[AttributeValue],
    table_hash: &AttributeValue,
    table_row: &RowKey,
) -> RowKey {
    let mut sort = Vec::new();
    for value in range {
        component(value, &mut sort);
    }
    component(table_hash, &mut sort);
    sort.extend_from_slice(&table_row.sort);
    RowKey { kind: ITEM, sort: sort.into() }
}

/// A full address.
pub(crate) fn address(space: Space, partition: Bytes, row: RowKey) -> Address {
    Address { space, partition, row }
}

fn scalar(value: &AttributeValue, out: &mut Vec<u8>) {
    key::encode_scalar(value, out).expect("key values were typed S, N or B before they got here");
}

fn component(value: &AttributeValue, out: &mut Vec<u8>) {
    key::encode_component(value, out).expect("key values were typed S, N or B before they got here");
}
