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

use hashrange_api::{Error, Operation, Response, State, Valid};
use hashrange_engine::{Engine, Options, Plan};
use hashrange_env::Env;
use hashrange_store::{Store, StoreError};

pub use explain::{Explanation, plan_within, run_within};
pub use hashrange_engine::{Budget, Scope, table_of_statement};
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
        let plan = self.plan(caller, request);
        self.run(caller, operation, plan).await
    }

    /// Runs a plan, and takes the request down where there is a recorder.
    async fn run(
        &self,
        caller: &Caller,
        operation: Operation,
        plan: Result<Plan, Error>,
    ) -> Result<Response, Error> {
        let recorder = self.recorder.get();
        if let (Some(recorder), Err(error)) = (recorder, &plan) {
            recorder.refused(operation, error.code);
        }
        let mut plan = plan?;
        let ticket = recorder.and_then(|recorder| Some((recorder, recorder.begin(&mut plan, caller)?)));
        let mut answer = self.engine.run(&caller.scope, plan).await;
        if let Some((recorder, ticket)) = ticket {
            recorder.end(&ticket, caller, &mut answer);
        }
        self.answered(caller, operation, answer.as_ref().err());
        answer
    }

    /// Wakes the jobs that have something to do now, and logs a failure of our own.
    fn answered(&self, caller: &Caller, operation: Operation, error: Option<&Error>) {
        match operation {
            Operation::UpdateTable => self.backfill.look(),
            Operation::TransactWriteItems | Operation::ExecuteTransaction => self.tokens.look(),
            _ => {}
        }
        if let Some(error) = error.filter(|error| error.code.status() >= 500) {
            self.tell(caller, operation, error);
        }
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

    /// What a request would touch and cost, without running it. Of a budget, only the kind of the plan is looked at.
    ///
    /// # Errors
    /// As [`Service::call`], where the request cannot be planned; `BudgetExceededException`.
    pub fn explain(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> Result<Explanation, Error> {
        check_built(caller, request.operation())?;
        let plan = plan_within(&self.engine, &caller.scope, request, budget)?;
        Ok(Explanation::of(&plan))
    }

    /// Answers one request, held to its budget where it has one, and tells what it touched and cost.
    ///
    /// # Errors
    /// As [`Service::call`]; `BudgetExceededException` where it breaks its budget: a write was not applied then, and the
    /// answer of a read is withheld.
    pub async fn call_explained(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> Result<(Response, Explanation), Error> {
        let operation = request.operation();
        check_built(caller, operation)?;
        let run = |plan| self.run(caller, operation, Ok(plan));
        explain::measured(&self.engine, &caller.scope, request, budget, run).await
    }

    fn plan(&self, caller: &Caller, request: Valid) -> Result<Plan, Error> {
        check_built(caller, request.operation())?;
        self.engine.plan(&caller.scope, Engine::check(request)?)
    }
}

/// Only some operations are built.
fn check_built(caller: &Caller, operation: Operation) -> Result<(), Error> {
    if hashrange_api::state(operation) == State::NotYet {
        tracing::warn!(
            operation = operation.name(),
            request_id = &*caller.request_id,
            "operation is not built yet"
        );
        return Err(Error::unknown_operation());
    }
    Ok(())
}
