//! The whole database as a value: one entry for every operation, from any edge.
//!
//! A [`Service`] takes a [`Caller`] and a valid request and answers it. HTTP, the embedded library and background jobs
//! all come through [`Service::call`].

mod explain;
mod failures;
mod job;
mod metrics;
pub mod record;

use std::sync::{Arc, OnceLock};

use hashrange_api::{Error, Missing, Operation, Response, State, Valid};
use hashrange_engine::{Engine, Options, Plan};
use hashrange_env::Env;
use hashrange_store::{Store, StoreError};

pub use explain::Explanation;
pub use hashrange_engine::Scope;
pub use metrics::{Connected, Family, Kind, Metrics, Page, Source};
pub use record::Recorder;

use failures::Failures;
use job::backfill::Backfill;
use job::tokens::Tokens;

/// Who asks, as the edge found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Whose tables: the account, and the region of the request's credential scope.
    pub scope: Arc<Scope>,
    /// The access key of the signature, where there was one.
    pub access_key: Option<Arc<str>>,
    /// The id that the answer carries, for the log.
    pub request_id: Arc<str>,
}

/// The database.
#[derive(Debug)]
pub struct Service {
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    backfill: Arc<Backfill>,
    tokens: Arc<Tokens>,
    failures: Failures,
    recorder: OnceLock<Arc<Recorder>>,
}

impl Service {
    /// Opens the database that the store holds.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn open(store: Arc<dyn Store>, env: Env, options: Options) -> Result<Service, StoreError> {
        let engine = Arc::new(Engine::open(Arc::clone(&store), env.clone(), options).await?);
        let backfill = Backfill::new(Arc::clone(&engine), env.clone());
        backfill.look();
        let tokens = Tokens::new(Arc::clone(&engine), env);
        tokens.start();
        Ok(Service {
            engine,
            store,
            backfill,
            tokens,
            failures: Failures::default(),
            recorder: OnceLock::new(),
        })
    }

    /// Ends background work. Requests that are under way are still answered.
    pub fn close(&self) {
        self.backfill.close();
        self.tokens.close();
    }

    /// Whether an answered write survives the death of the process and of the machine.
    pub fn is_durable(&self) -> bool {
        self.store.capabilities().durable
    }

    /// Takes the form of every request down from now on. The first recorder stays.
    pub fn record(&self, recorder: Arc<Recorder>) {
        // A second one would take nothing down; nobody has two.
        let _ = self.recorder.set(recorder);
    }

    /// Answers one request. The one place that all edges come through.
    ///
    /// # Errors
    /// What AWS answers; an operation that is not built is unknown, as AWS answers to names it does not know.
    pub async fn call(&self, caller: &Caller, request: Valid) -> Result<Response, Error> {
        let operation = request.operation();
        let recorder = self.recorder.get();
        let plan = self.plan(caller, request);
        if let (Some(recorder), Err(error)) = (recorder, &plan) {
            recorder.refused(operation, error.code);
        }
        let mut plan = plan?;
        let ticket = recorder.and_then(|recorder| Some((recorder, recorder.begin(&mut plan)?)));
        let mut answer = self.engine.run(&caller.scope, plan).await;
        if let Some((recorder, ticket)) = ticket {
            recorder.end(&ticket, &mut answer);
        }
        match operation {
            Operation::UpdateTable => self.backfill.look(),
            Operation::TransactWriteItems | Operation::ExecuteTransaction => self.tokens.look(),
            _ => {}
        }
        if let Err(error) = &answer
            && error.code.status() >= 500
        {
            self.tell(caller, operation, error);
        }
        answer
    }

    /// Logs a failure of our own: each cause once, and again only for those who look closely. What failed below has been
    /// logged there as an error.
    fn tell(&self, caller: &Caller, operation: Operation, error: &Error) {
        let (operation, request_id) = (operation.name(), &*caller.request_id);
        if self.failures.is_news(&error.to_string()) {
            tracing::warn!(operation, request_id, %error, "request failed; others may for the same cause");
        } else {
            tracing::debug!(operation, request_id, %error, "request failed");
        }
    }

    /// What a request would touch and cost, without running it.
    ///
    /// # Errors
    /// As [`Service::call`], where the request cannot be planned.
    pub fn explain(&self, caller: &Caller, request: Valid) -> Result<Explanation, Error> {
        let plan = self.plan(caller, request)?;
        Ok(Explanation { plan: plan.to_string(), expected: plan.expected(), actual: None })
    }

    /// Answers one request and tells what it touched and cost.
    ///
    /// # Errors
    /// As [`Service::call`].
    pub async fn call_explained(
        &self,
        caller: &Caller,
        request: Valid,
    ) -> Result<(Response, Explanation), Error> {
        let mut explanation = self.explain(caller, request.clone())?;
        let (mut request, refused) = request.into_parts();
        let wanted = explain::ask_for_capacity(&mut request);
        let request = request.validate(&Missing::none())?.refusing(refused);
        let mut response = self.call(caller, request).await?;
        explanation.actual = explain::take_capacity(&mut response, wanted);
        Ok((response, explanation))
    }

    fn plan(&self, caller: &Caller, request: Valid) -> Result<Plan, Error> {
        let operation = request.operation();
        if hashrange_api::state(operation) == State::NotYet {
            tracing::warn!(
                operation = operation.name(),
                request_id = &*caller.request_id,
                "operation is not built yet"
            );
            return Err(Error::unknown_operation());
        }
        self.engine.plan(&caller.scope, Engine::check(request)?)
    }
}
