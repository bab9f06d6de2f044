//! Where patterns are run.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use hashrange_api::Operation;
use serde_json::Value;

/// One request to a database.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The operation.
    pub operation: Operation,
    /// The request in DynamoDB's JSON.
    pub body: Value,
    /// Whether the reply is to tell the plan: [`Reply::plan`].
    pub explain: bool,
}

/// What a database answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The HTTP status; 200 is success.
    pub status: u16,
    /// The answer or the error, in DynamoDB's JSON.
    pub body: Value,
    /// The engine's plan in its own words, where it was asked for and the database can tell.
    pub plan: Option<String>,
}

impl Reply {
    /// Whether the operation succeeded.
    pub fn is_success(&self) -> bool {
        self.status == 200
    }

    /// The error's short name, such as `ConditionalCheckFailedException`, where there is one.
    pub fn error_code(&self) -> Option<&str> {
        let code = self.body.get("__type")?.as_str()?;
        code.rsplit('#').next()
    }
}

/// A future on the heap: what a [`Target`] answers with.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>>;

/// A database that patterns can be run on: the engine in this process, or any endpoint.
pub trait Target: fmt::Debug + Send + Sync {
    /// Sends one request.
    ///
    /// # Errors
    /// One line for people, where the database could not be asked at all. A refusal of the database is a [`Reply`].
    fn call(&self, call: Call) -> Answer<'_>;
}
