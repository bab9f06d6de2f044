//! Keys of items: taken from a request, typed against the table's schema, addressed in the store.

use hashrange_api::{Error, message};
use hashrange_item::{AttributeValue, Attributes, KeyAttribute, Kind, Lookup, limits};
use hashrange_store::{Address, RowKey};

use crate::catalog::{PrimaryKey, Table};
use crate::layout;

/// The primary key of one item of one table.
#[derive(Clone, Debug)]
pub(crate) struct ItemKey {
    /// The partition-key value.
    pub(crate) hash: AttributeValue,
    /// The sort-key value, on tables that have one.
    pub(crate) range: Option<AttributeValue>,
    /// Where the item lies.
    pub(crate) address: Address,
}

impl ItemKey {
    /// The key of a look-up: exactly the key attributes, each of its declared type.
    pub(crate) fn of_lookup(table: &Table, key: &Attributes) -> Result<ItemKey, Error> {
        let schema = &table.schema.key;
        if key.len() != schema.attributes().count() {
            return Err(mismatch());
        }
        let hash = lookup_value(key, &schema.hash)?;
        let range = schema.range.as_ref().map(|range| lookup_value(key, range)).transpose()?;
        check_contents(schema, &hash, range.as_ref())?;
        Ok(ItemKey::addressed(table, hash, range))
    }

    /// The key of a whole item.
    pub(crate) fn of_item(table: &Table, item: &dyn Lookup) -> Result<ItemKey, Error> {
        let schema = &table.schema.key;
        let hash = item_value(item, &schema.hash)?;
        let range = schema.range.as_ref().map(|range| item_value(item, range)).transpose()?;
        check_contents(schema, &hash, range.as_ref())?;
        Ok(ItemKey::addressed(table, hash, range))
    }

    fn addressed(table: &Table, hash: AttributeValue, range: Option<AttributeValue>) -> ItemKey {
        let row = layout::item_row(range.as_ref());
        let address = layout::address(table.space, layout::partition(&hash), row);
        ItemKey { hash, range, address }
    }

    /// The key as attributes.
    pub(crate) fn attributes(&self, schema: &PrimaryKey) -> Attributes {
        let mut attributes = Attributes::new();
        attributes.insert(schema.hash.name.clone(), self.hash.clone());
        if let (Some(attribute), Some(value)) = (&schema.range, &self.range) {
            attributes.insert(attribute.name.clone(), value.clone());
        }
        attributes
    }

    /// The item's row within its partition.
    pub(crate) fn row(&self) -> &RowKey {
        &self.address.row
    }
}

/// The value's kind is the one that the key attribute declares.
pub(crate) fn has_declared_kind(value: &AttributeValue, attribute: &KeyAttribute) -> bool {
    value.kind() == Kind::from(attribute.kind)
}

fn mismatch() -> Error {
    Error::validation(message::item::key_mismatch())
}

fn lookup_value(key: &Attributes, attribute: &KeyAttribute) -> Result<AttributeValue, Error> {
    match key.get(&attribute.name) {
        Some(value) if has_declared_kind(value, attribute) => Ok(value.clone()),
        _ => Err(mismatch()),
    }
}

fn item_value(item: &dyn Lookup, attribute: &KeyAttribute) -> Result<AttributeValue, Error> {
    let Some(value) = item.attribute(&attribute.name) else {
        return Err(Error::validation(message::item::missing_key(&attribute.name)));
    };
    if has_declared_kind(&value, attribute) {
        return Ok(value.into_owned());
    }
    let (expected, actual) = (attribute.kind.to_string(), value.kind().to_string());
    Err(Error::validation(message::item::key_type(&attribute.name, &expected, &actual)))
}

/// Keys are not empty and not too long.
fn check_contents(
    schema: &PrimaryKey,
    hash: &AttributeValue,
    range: Option<&AttributeValue>,
) -> Result<(), Error> {
    for (attribute, value) in schema.attributes().zip(std::iter::once(hash).chain(range)) {
        match value {
            AttributeValue::S(text) if text.is_empty() => {
                return Err(Error::validation(message::item::empty_key_string(&attribute.name)));
            }
            AttributeValue::B(bytes) if bytes.is_empty() => {
                return Err(Error::validation(message::item::empty_key_binary(&attribute.name)));
            }
            _ => {}
        }
    }
    check_length(hash, range)
}

/// Lengths of an index's key: each partition-key attribute by itself, the sort-key attributes together.
pub(crate) fn check_index_lengths(hash: &[AttributeValue], range: &[AttributeValue]) -> Result<(), Error> {
    if hash.iter().any(|value| value.size() > limits::PARTITION_KEY_MAX) {
        return Err(Error::validation(message::item::partition_key_too_long()));
    }
    if range.iter().map(AttributeValue::size).sum::<usize>() > limits::SORT_KEY_MAX {
        return Err(Error::validation(message::item::sort_key_too_long()));
    }
    Ok(())
}

/// Lengths of a table's partition key and sort key.
fn check_length(hash: &AttributeValue, range: Option<&AttributeValue>) -> Result<(), Error> {
    if hash.size() > limits::PARTITION_KEY_MAX {
        return Err(Error::validation(message::item::partition_key_too_long()));
    }
    if range.is_some_and(|range| range.size() > limits::SORT_KEY_MAX) {
        return Err(Error::validation(message::item::sort_key_too_long()));
    }
    Ok(())
}
