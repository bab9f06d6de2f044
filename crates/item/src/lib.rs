//! What a DynamoDB value is: how it is represented, ordered, sized and encoded.
//!
//! This crate is pure: no files, no network, no clock, no threads, no asynchronous code. Everything above it
//! (expressions, requests, the write path) speaks in these types; everything below it (the store) sees only
//! the bytes that [`key`] and [`Row`] make.
//!
//! - [`Number`]: exact decimal of at most 38 digits, never a float.
//! - [`AttributeValue`], [`Attributes`] (an item or a map), the three sets, [`ValueError`].
//! - [`size`]: the one definition of how many bytes a value counts.
//! - [`key`]: the order-preserving codec of key attributes.
//! - [`Row`]: the stored form of an item, of which one attribute can be read without decoding the others.
//! - [`json`]: DynamoDB JSON written from trees or copied from rows.
//! - [`Path`]: a document path such as `a.b[0]`.
//! - [`limits`]: every limit of DynamoDB in one table.

mod attributes;
mod error;
pub mod json;
pub mod key;
pub mod limits;
mod lookup;
pub mod number;
mod path;
pub mod row;
mod set;
pub mod size;
mod value;

#[cfg(test)]
mod samples;

pub use attributes::{Attributes, Item};
pub use error::{Duplicates, SetError, ValueError};
pub use key::{KeyAttribute, KeyError, KeyKind};
pub use lookup::{Image, Lookup};
pub use number::{Number, NumberError};
pub use path::{Path, Step};
pub use row::{NewItem, Row, RowError, ValueRef};
pub use set::{BinarySet, NumberSet, Set, StringSet};
pub use value::{AttributeValue, Kind};
