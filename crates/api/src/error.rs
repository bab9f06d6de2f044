//! Errors as clients see them.

use std::fmt;

use hashrange_item::Image;

use crate::images::Same;
use crate::{CancellationReason, ErrorCode, ThrottlingReason};

/// An error answer: its code, AWS's text, and what some codes carry besides.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// The code; it fixes the HTTP status and the name space.
    pub code: ErrorCode,
    /// The text, from [`crate::message`]; a few errors have none.
    pub message: Option<String>,
    /// Members beside the text.
    pub details: Details,
}

/// What an error body carries beside its text.
#[derive(Clone, Debug, Default)]
pub enum Details {
    /// Nothing.
    #[default]
    None,
    /// `Item` of `ConditionalCheckFailedException`: the item as it was, where the request asked for it.
    Item(Image),
    /// `CancellationReasons` of `TransactionCanceledException`, one for each action, in request order.
    CancellationReasons(Vec<CancellationReason>),
    /// `ThrottlingReasons` of the throttling errors.
    ThrottlingReasons(Vec<ThrottlingReason>),
}

impl PartialEq for Details {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Item(one), Self::Item(two)) => one.same(two),
            (Self::CancellationReasons(one), Self::CancellationReasons(two)) => one == two,
            (Self::ThrottlingReasons(one), Self::ThrottlingReasons(two)) => one == two,
            _ => false,
        }
    }
}

impl Error {
    /// An error with a text and nothing else.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: Some(message.into()), details: Details::None }
    }

    /// An error without a message member.
    pub fn bare(code: ErrorCode) -> Self {
        Self { code, message: None, details: Details::None }
    }

    /// The same error with details.
    #[must_use]
    pub fn with(mut self, details: Details) -> Self {
        self.details = details;
        self
    }

    /// `ValidationException` with that text.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ValidationException, message)
    }

    /// `ResourceNotFoundException` with that text.
    pub fn resource_not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ResourceNotFoundException, message)
    }

    /// `ResourceInUseException` with that text.
    pub fn resource_in_use(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ResourceInUseException, message)
    }

    /// `LimitExceededException` with that text.
    pub fn limit_exceeded(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::LimitExceededException, message)
    }

    /// `AccessDeniedException` with that text.
    pub fn access_denied(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::AccessDeniedException, message)
    }

    /// `SerializationException` with that text.
    pub fn serialization(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::SerializationException, message)
    }

    /// `UnknownOperationException`, which has no message: no such target, or an operation that is not built.
    pub fn unknown_operation() -> Self {
        Self::bare(ErrorCode::UnknownOperationException)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.name())?;
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_know_their_name_space_status_and_spelling() {
        let row = |code: ErrorCode| (code.namespace(), code.status(), code.message_member());
        assert_eq!(row(ErrorCode::ValidationException), ("com.amazon.coral.validate", 400, "message"));
        assert_eq!(row(ErrorCode::SerializationException), ("com.amazon.coral.service", 400, "Message"));
        assert_eq!(
            row(ErrorCode::ResourceNotFoundException),
            ("com.amazonaws.dynamodb.v20120810", 400, "message")
        );
        assert_eq!(
            row(ErrorCode::TransactionCanceledException),
            ("com.amazonaws.dynamodb.v20120810", 400, "Message")
        );
        assert_eq!(row(ErrorCode::InternalServerError), ("com.amazonaws.dynamodb.v20120810", 500, "message"));
        assert_eq!(ErrorCode::ValidationException.name(), "ValidationException");
    }

    #[test]
    fn errors_read_as_code_and_text() {
        assert_eq!(Error::validation("x").to_string(), "ValidationException: x");
        assert_eq!(Error::unknown_operation().to_string(), "UnknownOperationException");
    }

    #[test]
    fn operations_are_known_by_their_target() {
        use crate::Operation;
        assert_eq!(Operation::from_target("DynamoDB_20120810.PutItem"), Some(Operation::PutItem));
        assert_eq!(Operation::from_target("DynamoDBStreams_20120810.PutItem"), None);
        assert_eq!(Operation::ALL.len(), 66);
        for operation in Operation::ALL {
            let target = format!("{}.{}", operation.target_prefix(), operation.name());
            assert_eq!(Operation::from_target(&target), Some(operation));
        }
    }
}
