//! The structured reasons why a value that a client sent is not an attribute value.
//!
//! The texts that a client sees live in the catalogue of error texts; these types carry every datum that any
//! generation of those texts prints.

use std::fmt;

use crate::{Kind, Number, NumberError};

/// Why a value that a client sent is not an [`AttributeValue`](crate::AttributeValue).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// The text of an `N`, or of a member of an `NS`, is not a number that DynamoDB stores.
    Number(NumberError),
    /// `{"SS": []}`
    EmptyStringSet,
    /// `{"NS": []}`
    EmptyNumberSet,
    /// `{"BS": []}`
    EmptyBinarySet,
    /// A set has a member twice.
    Duplicates(Duplicates),
    /// `{"NULL": false}`
    NullNotTrue,
    /// `{}`: no data type at all.
    EmptyValue,
    /// Two or more data types in one value, as in `{"S": "a", "N": "1"}`.
    SeveralTypes,
    /// More nested levels than [`limits::NESTING_MAX`](crate::limits::NESTING_MAX).
    TooDeep,
    /// The name of an attribute, or a key of a map, is the empty string.
    EmptyAttributeName,
    /// The name of an attribute, or a key of a map, has more than
    /// [`limits::ATTRIBUTE_NAME_MAX`](crate::limits::ATTRIBUTE_NAME_MAX) bytes.
    LongAttributeName,
}

impl From<NumberError> for ValueError {
    fn from(error: NumberError) -> Self {
        Self::Number(error)
    }
}

impl From<SetError> for ValueError {
    fn from(error: SetError) -> Self {
        match error {
            SetError::Empty(Kind::Ns) => Self::EmptyNumberSet,
            SetError::Empty(Kind::Bs) => Self::EmptyBinarySet,
            SetError::Empty(_) => Self::EmptyStringSet,
            SetError::Duplicate(duplicates) => Self::Duplicates(duplicates),
        }
    }
}

/// An internal description; clients are answered from the catalogue of error texts.
impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(error) => error.fmt(f),
            Self::EmptyStringSet => f.write_str("a string set may not be empty"),
            Self::EmptyNumberSet => f.write_str("a number set may not be empty"),
            Self::EmptyBinarySet => f.write_str("a binary set may not be empty"),
            Self::Duplicates(duplicates) => {
                write!(f, "a set of type {} has a member twice", duplicates.kind())
            }
            Self::NullNotTrue => f.write_str("a NULL attribute must have the value true"),
            Self::EmptyValue => {
                f.write_str("an attribute value must have exactly one data type, it has none")
            }
            Self::SeveralTypes => {
                f.write_str("an attribute value must have exactly one data type, it has several")
            }
            Self::TooDeep => f.write_str("an attribute is nested too deeply"),
            Self::EmptyAttributeName => f.write_str("an attribute name may not be empty"),
            Self::LongAttributeName => f.write_str("an attribute name is too long"),
        }
    }
}

impl std::error::Error for ValueError {}

/// Why a list of members is not a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// No members; carries the kind of set ([`Kind::Ss`], [`Kind::Ns`] or [`Kind::Bs`]).
    Empty(Kind),
    /// A member occurs twice.
    Duplicate(Duplicates),
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty(kind) => write!(f, "a set of type {kind} may not be empty"),
            Self::Duplicate(duplicates) => {
                write!(f, "a set of type {} has a member twice", duplicates.kind())
            }
        }
    }
}

impl std::error::Error for SetError {}

/// The members of a set with duplicates, in the order in which they were sent.
///
/// The older generation of texts prints the members as sent; the newer one prints strings as
/// [`sorted_to_first_repeat`](Self::sorted_to_first_repeat) gives them, binaries as sent, and no numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// Of a string set.
    Strings(Vec<String>),
    /// Of a number set.
    Numbers(Vec<Number>),
    /// Of a binary set.
    Binaries(Vec<Vec<u8>>),
}

impl Duplicates {
    /// The kind of set that was meant.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Strings(_) => Kind::Ss,
            Self::Numbers(_) => Kind::Ns,
            Self::Binaries(_) => Kind::Bs,
        }
    }

    /// The strings in order, cut after the first repeated one: `b, a, b, c` gives `a, b, b`. Empty for other kinds.
    ///
    /// Source: texts of the newer validation layer, `Input collection ["a", "b", "b"] contains duplicates.`
    pub fn sorted_to_first_repeat(&self) -> Vec<&str> {
        let Self::Strings(sent) = self else { return Vec::new() };
        let mut sorted: Vec<&str> = sent.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        let repeat = sorted.windows(2).position(|pair| pair[0] == pair[1]);
        sorted.truncate(repeat.map_or(sent.len(), |first| first + 2));
        sorted
    }
}

#[cfg(test)]
mod tests;
