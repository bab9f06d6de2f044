//! What stands behind the wire.

use hashrange_api::{Error, Response, Valid};
use hashrange_service::{Caller, Service};

/// Answers decoded requests: the [`Service`], or a stand-in for it in tests of the wire.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request. A panic inside becomes `InternalServerError` for this request alone.
    fn call(&self, caller: &Caller, request: Valid) -> impl Future<Output = Result<Response, Error>> + Send;
}

impl Handler for Service {
    fn call(&self, caller: &Caller, request: Valid) -> impl Future<Output = Result<Response, Error>> + Send {
        Service::call(self, caller, request)
    }
}
