//! Every text a client writes, and the parameters that came before such texts: conditions, filters, key
//! conditions, projections, updates and PartiQL statements, parsed, bound to their placeholders and evaluated.
//!
//! This crate is pure: no files, no network, no clock, no threads. No input makes it panic, recurse without
//! bound or take more than linear time and memory (times a logarithm).
//!
//! The way of an expression:
//!
//! 1. `lexer` and `parser` make a flat syntax tree of the text, whose size was checked first.
//! 2. `check` looks at what the text alone shows: parentheses, the number of operators, reserved words,
//!    list indexes, functions.
//! 3. [`Binder`] looks up `#names` and `:values`; binding makes a [`Condition`], [`Update`], [`Projection`]
//!    or [`KeyCondition`] and checks everything that needs no item: operand types, bounds, overlapping paths.
//! 4. [`Condition::evaluate`], [`Update::apply`] and [`Projection::project`] run it on an item.
//!
//! ```
//! use hashrange_item::{AttributeValue, Attributes, Number};
//! use hashrange_language::{Binder, ExpressionKind};
//!
//! let one = AttributeValue::N(Number::from_i64(1));
//! let values = Attributes::from([(":one", one.clone())]);
//! let mut binder = Binder::new(None, Some(&values));
//! let condition = binder.condition(ExpressionKind::Condition, "attribute_not_exists(hits) OR hits < :one")?;
//! let update = binder.update("ADD hits :one")?;
//! binder.finish()?;
//!
//! let key = Attributes::from([("pk", "k".into())]);
//! assert!(condition.evaluate(None), "the item does not exist yet");
//! let new = update.apply(None, &key).unwrap();
//! assert_eq!(new.get("hits"), Some(&one));
//! # Ok::<(), hashrange_language::Error>(())
//! ```
//!
//! Errors are data ([`Error`], [`UpdateError`], [`legacy::LegacyError`]): each variant documents the text that
//! AWS gives, and the texts themselves live in one catalogue elsewhere.

mod binder;
mod check;
mod condition;
mod error;
mod key_condition;
pub mod legacy;
mod lexer;
mod outline;
mod parser;
pub mod partiql;
mod paths;
mod projection;
mod reserved;
mod syntax;
mod text;
mod update;

pub use binder::{Binder, set_order};
pub use condition::{AttributeTest, Condition};
pub use error::{Error, ExpressionKind, OperandKind, PlaceholderMap, Problem};
pub use key_condition::{KeyClause, KeyCondition, KeyOperator};
pub use outline::{Group, Outline};
pub use projection::Projection;
pub use reserved::is_reserved;
pub use update::{ChangeKind, Update, UpdateError};
