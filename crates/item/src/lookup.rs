//! Reading an attribute of an item without caring whether the item is a tree or a stored row.

use std::borrow::Cow;

use crate::{AttributeValue, Attributes, Item, Row, RowError};

/// Something whose attributes can be looked up by name: what conditions, filters and projections read.
pub trait Lookup {
    /// The value of the top-level attribute called `name`.
    fn attribute(&self, name: &str) -> Option<Cow<'_, AttributeValue>>;
}

impl Lookup for Attributes {
    fn attribute(&self, name: &str) -> Option<Cow<'_, AttributeValue>> {
        self.get(name).map(Cow::Borrowed)
    }
}

/// Decodes only the attribute asked for. A damaged attribute reads as absent here, so check a row that comes
/// from outside with [`Row::verify`] before a decision depends on it.
impl Lookup for Row {
    fn attribute(&self, name: &str) -> Option<Cow<'_, AttributeValue>> {
        let found = self.get(name);
        debug_assert!(found.is_ok(), "a row is verified before it is evaluated: {found:?}");
        found.ok().flatten().map(Cow::Owned)
    }
}

impl Lookup for Image {
    fn attribute(&self, name: &str) -> Option<Cow<'_, AttributeValue>> {
        match self {
            Self::Row(row) => row.attribute(name),
            Self::Tree(item) => item.attribute(name),
        }
    }
}

impl<T: Lookup + ?Sized> Lookup for &T {
    fn attribute(&self, name: &str) -> Option<Cow<'_, AttributeValue>> {
        (**self).attribute(name)
    }
}

/// An item in an answer: as it is stored, or as a tree that was built for the answer.
#[derive(Clone, Debug)]
pub enum Image {
    /// As stored.
    Row(Row),
    /// Built or changed for the answer, as a projection is.
    Tree(Item),
}

impl Image {
    /// The item as a tree; fails if the row is damaged.
    pub fn to_item(&self) -> Result<Item, RowError> {
        match self {
            Self::Row(row) => row.decode(),
            Self::Tree(item) => Ok(item.clone()),
        }
    }

    /// The item as a tree, without a copy where it is one; fails if the row is damaged.
    pub fn into_item(self) -> Result<Item, RowError> {
        match self {
            Self::Row(row) => row.decode(),
            Self::Tree(item) => Ok(item),
        }
    }

    /// The item's size in bytes: see [`crate::size::item`].
    pub fn size(&self) -> usize {
        match self {
            Self::Row(row) => row.item_size(),
            Self::Tree(item) => item.size(),
        }
    }
}

impl From<Row> for Image {
    fn from(row: Row) -> Self {
        Self::Row(row)
    }
}

impl From<Item> for Image {
    fn from(item: Item) -> Self {
        Self::Tree(item)
    }
}

#[cfg(test)]
mod tests;
