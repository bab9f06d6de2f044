//! Between HTTP and JSON: the one place where the two meet.

use hashrange_api::{Error, ErrorCode, Operation, Response, Valid, message};
use hashrange_item::Image;

use crate::json;

/// First allocation for an answer, in bytes: one item of the usual size fits.
const ANSWER_BYTES_FIRST: usize = 1024;

/// The request in a body.
///
/// # Errors
/// A body that is not JSON gets `SerializationException` without a text, even where a member before the slip has a
/// wrong type: AWS parses the whole body before it looks at types.
pub(crate) fn decode(operation: Operation, body: &[u8]) -> Result<Valid, Error> {
    json::decode(operation, body).map_err(|error| {
        let serialization = error.code == ErrorCode::SerializationException;
        if serialization && error.message.is_some() && !json::is_json(body) { not_json() } else { error }
    })
}

/// The body of a successful answer.
///
/// # Errors
/// `InternalServerError` where a stored row is damaged; the log tells more.
pub(crate) fn encode_response(response: &Response) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(ANSWER_BYTES_FIRST + room_for_items(response));
    match json::encode_response(response, &mut out) {
        Ok(()) => Ok(out),
        Err(error) => {
            tracing::error!(%error, "a stored row cannot be read");
            Err(internal_error())
        }
    }
}

/// About how long the items of a page will be: rows hold their JSON, and that of a tree is half as long again as its size.
fn room_for_items(response: &Response) -> usize {
    let items = match response {
        Response::Query(output) => output.items.as_deref(),
        Response::Scan(output) => output.items.as_deref(),
        _ => None,
    };
    let length = |item: &Image| match item {
        Image::Row(row) => row.as_bytes().len(),
        Image::Tree(attributes) => attributes.size() / 2 * 3,
    };
    items.unwrap_or_default().iter().map(length).sum()
}

/// The body of an error answer. A fault of our own is told in AWS's words: its cause, say a full disk, is for the log.
pub(crate) fn encode_error(error: &Error) -> Vec<u8> {
    match error.code {
        ErrorCode::InternalServerError => json::encode_error(&internal_error()),
        _ => json::encode_error(error),
    }
}

/// The error for a body that is empty or not JSON.
pub(crate) fn not_json() -> Error {
    Error::bare(ErrorCode::SerializationException)
}

/// The error for a request that there is no memory for now. SDKs send it again.
pub(crate) fn no_memory() -> Error {
    Error::new(ErrorCode::ServiceUnavailable, message::edge::no_memory())
}

/// The error for a fault of our own.
pub(crate) fn internal_error() -> Error {
    Error::new(ErrorCode::InternalServerError, message::throughput::internal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_an_internal_error_stays_in_the_log() {
        let full =
            Error::new(ErrorCode::InternalServerError, "the storage engine failed: no space left on device");
        assert_eq!(encode_error(&full), encode_error(&internal_error()));
        let known = Error::validation("The parameter cannot be converted to a numeric value: x");
        assert_eq!(encode_error(&known), json::encode_error(&known));
    }
}
