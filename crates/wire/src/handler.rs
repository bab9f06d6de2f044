//! What stands behind the wire.

use hashrange_api::{Error, Response, Valid};
use hashrange_service::{Budget, Caller, Explanation, Service};

/// Answers decoded requests: the [`Service`], or a stand-in for it in tests of the wire.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request. A panic inside becomes `InternalServerError` for this request alone.
    fn call(&self, caller: &Caller, request: Valid) -> impl Future<Output = Result<Response, Error>> + Send;

    /// What a request would touch and cost, without running it; refused where its plan breaks its budget.
    fn explain(&self, caller: &Caller, request: Valid, budget: Option<&Budget>)
    -> Result<Explanation, Error>;

    /// Answers one request, unless it breaks its budget, and tells what it touched and cost.
    fn call_explained(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> impl Future<Output = Result<(Response, Explanation), Error>> + Send;
}

impl Handler for Service {
    fn call(&self, caller: &Caller, request: Valid) -> impl Future<Output = Result<Response, Error>> + Send {
        Service::call(self, caller, request)
    }

    fn explain(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> Result<Explanation, Error> {
        Service::explain(self, caller, request, budget)
    }

    fn call_explained(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> impl Future<Output = Result<(Response, Explanation), Error>> + Send {
        Service::call_explained(self, caller, request, budget)
    }
}
