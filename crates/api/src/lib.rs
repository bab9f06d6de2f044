//! The shape of every call, generated from the service model, and the catalogue of error texts.
//!
//! Structs carry the names of the model's shapes, fields the snake-case names of their members. A required member is a
//! plain `T`, an optional one an `Option<T>`. A request becomes [`Valid`] when its modelled constraints hold; nothing
//! past the edge takes a request that is not.

pub mod constraint;
mod error;
mod generated;
mod images;
pub mod message;
mod state;
mod timestamp;

pub use constraint::{Missing, Valid};
pub use error::{Details, Error};
pub use generated::codes::ErrorCode;
pub use generated::enums::*;
pub use generated::operations::{Operation, Request, Response};
pub use generated::structures::*;
pub use state::{State, differs, state};
pub use timestamp::Timestamp;

/// An input whose type tells its operation and the type of the answer.
pub trait Call: Into<Request> {
    /// What a successful call answers.
    type Output: Into<Response>;
    /// The operation that takes this input.
    const OPERATION: Operation;

    /// The output inside a response; `None` if the response is another operation's.
    fn output(response: Response) -> Option<Self::Output>;
}
