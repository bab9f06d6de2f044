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
mod spelling;
mod straight;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;

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
    /// The first such value of each statement of a BatchExecuteStatement, which refuses only that statement.
    pub bad_statements: BTreeMap<usize, BadValue>,
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
    let Decoded { request, missing, bad_value, bad_statements } = decode_shape(operation, body)?;
    let valid = request.validate(&missing)?;
    if let Some(bad) = bad_value {
        return Err(bad_value::error(operation, &bad));
    }
    let refused = bad_statements.iter().map(|(at, bad)| (*at, bad_value::error(operation, bad)));
    Ok(valid.refusing(refused.collect()))
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
    let mut request = generated::decoders::request(operation, &mut decoder)?;
    decoder.parser.end()?;
    if decoder.has_spellings && decoder.bad.is_empty() {
        spelling::drop_other_spellings(&mut request, body)?;
    }
    // Where not every bad value was noted, none may be taken for that of one statement.
    let by_statement = operation == Operation::BatchExecuteStatement && !decoder.is_full_of_bad_values();
    let Decoder { missing, bad, .. } = decoder;
    let (bad_statements, bad) =
        if by_statement { bad_value::of_statements(bad) } else { (BTreeMap::new(), bad) };
    Ok(Decoded { request, missing, bad_value: bad_value::first(bad), bad_statements })
}
