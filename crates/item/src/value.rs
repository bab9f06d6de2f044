//! `AttributeValue`: one value of any of the ten data types.

use std::cmp::Ordering;
use std::fmt;

use crate::{Attributes, BinarySet, Number, NumberSet, StringSet};

/// A value of an attribute. Equality is DynamoDB's: numbers compare by value, sets without order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// String.
    S(String),
    /// Number.
    N(Number),
    /// Binary.
    B(Vec<u8>),
    /// Boolean.
    Bool(bool),
    /// Null, which is always sent as `{"NULL": true}`.
    Null,
    /// String set.
    Ss(StringSet),
    /// Number set.
    Ns(NumberSet),
    /// Binary set.
    Bs(BinarySet),
    /// List.
    L(Vec<AttributeValue>),
    /// Map.
    M(Attributes),
}

impl AttributeValue {
    /// The data type.
    pub fn kind(&self) -> Kind {
        match self {
            Self::S(_) => Kind::S,
            Self::N(_) => Kind::N,
            Self::B(_) => Kind::B,
            Self::Bool(_) => Kind::Bool,
            Self::Null => Kind::Null,
            Self::Ss(_) => Kind::Ss,
            Self::Ns(_) => Kind::Ns,
            Self::Bs(_) => Kind::Bs,
            Self::L(_) => Kind::L,
            Self::M(_) => Kind::M,
        }
    }

    /// The bytes that the value counts: see [`crate::size::value`].
    pub fn size(&self) -> usize {
        crate::size::value(self)
    }

    /// Nested levels, this value included: 1 for a scalar, a set or an empty list or map, otherwise one more
    /// than the deepest element. Compare with [`limits::NESTING_MAX`](crate::limits::NESTING_MAX).
    pub fn depth(&self) -> usize {
        match self {
            Self::L(list) => 1 + list.iter().map(Self::depth).max().unwrap_or(0),
            Self::M(map) => 1 + map.depth(),
            _ => 1,
        }
    }

    /// Order of two strings (by UTF-8 bytes), numbers (by value) or binaries (by unsigned bytes); `None` for
    /// other types and for values of different types, which DynamoDB does not order.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::S(left), Self::S(right)) => Some(left.cmp(right)),
            (Self::N(left), Self::N(right)) => Some(left.cmp(right)),
            (Self::B(left), Self::B(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }
}

impl From<Number> for AttributeValue {
    fn from(number: Number) -> Self {
        Self::N(number)
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::S(text.to_owned())
    }
}

/// A data type. `Display` gives the descriptor of the wire: `S`, `BOOL`, `SS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
    /// List.
    L,
    /// Map.
    M,
}

impl Kind {
    /// All kinds, in the order of the API model.
    pub const ALL: [Self; 10] =
        [Self::S, Self::N, Self::B, Self::Ss, Self::Ns, Self::Bs, Self::M, Self::L, Self::Null, Self::Bool];

    /// The descriptor of the wire: `S`, `BOOL`, `SS`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
            Self::Bool => "BOOL",
            Self::Null => "NULL",
            Self::Ss => "SS",
            Self::Ns => "NS",
            Self::Bs => "BS",
            Self::L => "L",
            Self::M => "M",
        }
    }

    /// The long name that some error texts print: `STRING`, `STRING_SET`.
    pub const fn long_name(self) -> &'static str {
        match self {
            Self::S => "STRING",
            Self::N => "NUMBER",
            Self::B => "BINARY",
            Self::Bool => "BOOLEAN",
            Self::Null => "NULL",
            Self::Ss => "STRING_SET",
            Self::Ns => "NUMBER_SET",
            Self::Bs => "BINARY_SET",
            Self::L => "LIST",
            Self::M => "MAP",
        }
    }

    /// The kind with this descriptor of the wire (`"BOOL"`).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests;
