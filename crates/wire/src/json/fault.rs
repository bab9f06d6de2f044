//! Why a body is not a request of the operation's shape.

use hashrange_api::message::serialization as text;
use hashrange_api::{Error, ErrorCode};

use super::parser::Token;

/// A `SerializationException` in the making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The body is not JSON, or nested too deeply: no message.
    Syntax,
    /// A value has another type than its member.
    Type(String),
}

impl Fault {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Syntax => Error::bare(ErrorCode::SerializationException),
            Self::Type(message) => Error::serialization(message),
        }
    }

    /// A value beginning with `token` where the Java type `target` belongs, a scalar; `number` is a number's text.
    pub(crate) fn scalar(token: Token, number: &str, target: &str) -> Self {
        let kind = match token {
            Token::Object => return Self::Type(text::unexpected_structure()),
            Token::Array => return Self::collection(&format!("class java.lang.{target}")),
            Token::True => "TRUE_VALUE",
            Token::False => "FALSE_VALUE",
            Token::String => "STRING_VALUE",
            Token::Number if number.contains(['.', 'e', 'E']) => "DECIMAL_VALUE",
            Token::Number => "NUMBER_VALUE",
            Token::Null => "NULL_VALUE",
        };
        Self::Type(text::not_convertible(kind, target))
    }

    /// An array where the Java type `target` belongs.
    pub(crate) fn collection(target: &str) -> Self {
        Self::Type(text::unrecognized_collection(target))
    }

    /// An object where a list or scalar belongs.
    pub(crate) fn structure() -> Self {
        Self::Type(text::unexpected_structure())
    }
}
