//! AWS JSON 1.0: bodies straight into typed requests, responses straight from stored rows.
//!
//! The order of errors is AWS's: a body that is no JSON or has a value of the wrong type
//! (`SerializationException`), then the modelled constraints, then values that are no attribute values.

mod bad_value;
mod decoder;
mod encoder;
mod fault;
mod generated;
mod parser;
#[cfg(test)]
mod tests;
mod value;

pub use hashrange_api::constraint::Step;
use hashrange_api::message::layer;
use hashrange_api::{Error, Missing, Operation, Request, Valid};
use hashrange_item::ValueError;

pub use encoder::{encode_error, encode_response};

use decoder::Decoder;
use fault::Fault;

/// A body of the right shape, and what a typed request cannot show of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The request, with stand-ins where `missing` or `bad_value` say so.
    pub request: Request,
    /// Required members that were absent, and strings outside their closed set.
    pub missing: Missing,
    /// The first value that is no attribute value.
    pub bad_value: Option<BadValue>,
}

/// A value of a request that is no attribute value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadValue {
    /// What is wrong with it.
    pub error: ValueError,
    /// The way from the request to the member that holds it.
    pub place: Vec<Step>,
}

/// The request in `body`.
///
/// # Errors
/// `SerializationException` for a body that is not JSON of the operation's shape, then `ValidationException` for
/// violated constraints, then for values that are no attribute values.
pub fn decode(operation: Operation, body: &[u8]) -> Result<Valid, Error> {
    let Decoded { request, missing, bad_value } = decode_shape(operation, body)?;
    let valid = request.validate(&missing)?;
    match bad_value {
        None => Ok(valid),
        Some(bad) => Err(bad_value::error(operation, &bad)),
    }
}

/// The request in `body` before its constraints are checked.
///
/// # Errors
/// `SerializationException` for a body that is not JSON of the operation's shape.
pub fn decode_shape(operation: Operation, body: &[u8]) -> Result<Decoded, Error> {
    shape(operation, body).map_err(Fault::into_error)
}

/// Whether `body` is JSON at all, of whatever shape.
pub fn is_json(body: &[u8]) -> bool {
    let parsed = parser::Parser::new(body).and_then(|mut parser| {
        parser.skip()?;
        parser.end()
    });
    parsed.is_ok()
}

fn shape(operation: Operation, body: &[u8]) -> Result<Decoded, Fault> {
    let mut decoder = Decoder::new(body, layer(operation))?;
    let request = generated::decoders::request(operation, &mut decoder)?;
    decoder.parser.end()?;
    let Decoder { missing, bad, .. } = decoder;
    Ok(Decoded { request, missing, bad_value: bad_value::first(bad) })
}
