//! The whole database as a value: one entry for every operation, from any edge.
//!
//! A [`Service`] takes a [`Caller`] and a valid request and answers it. HTTP, the embedded library and background jobs
//! all come through [`Service::call`].

mod job;

use std::sync::Arc;

use hashrange_api::{Error, Operation, Response, State, Valid};
use hashrange_engine::{Engine, Options, Scope};
use hashrange_env::Env;
use hashrange_store::{Store, StoreError};

use job::backfill::Backfill;

/// Who asks, as the edge found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Twelve digits.
    pub account: String,
    /// Region of the request's credential scope, such as `us-east-1`.
    pub region: String,
    /// The access key of the signature, where there was one.
    pub access_key: Option<String>,
    /// The id that the answer carries, for the log.
    pub request_id: String,
}

/// The database.
#[derive(Debug)]
pub struct Service {
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    backfill: Arc<Backfill>,
}

impl Service {
    /// Opens the database that the store holds.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn open(store: Arc<dyn Store>, env: Env, options: Options) -> Result<Service, StoreError> {
        let engine = Arc::new(Engine::open(Arc::clone(&store), env.clone(), options).await?);
        let backfill = Backfill::new(Arc::clone(&engine), env);
        backfill.look();
        Ok(Service { engine, store, backfill })
    }

    /// Ends background work. Requests that are under way are still answered.
    pub fn close(&self) {
        self.backfill.close();
    }

    /// Whether an answered write survives the death of the process and of the machine.
    pub fn is_durable(&self) -> bool {
        self.store.capabilities().durable
    }

    /// Answers one request. The one place that all edges come through.
    ///
    /// # Errors
    /// What AWS answers; an operation that is not built is unknown, as AWS answers to names it does not know.
    pub async fn call(&self, caller: &Caller, request: Valid) -> Result<Response, Error> {
        let operation = request.operation();
        if hashrange_api::state(operation) == State::NotYet {
            tracing::warn!(
                operation = operation.name(),
                request_id = caller.request_id,
                "operation is not built yet"
            );
            return Err(Error::unknown_operation());
        }
        let checked = Engine::check(request)?;
        let scope = Scope { account: caller.account.clone(), region: caller.region.clone() };
        let plan = self.engine.plan(&scope, checked)?;
        let answer = self.engine.run(&scope, plan).await;
        if operation == Operation::UpdateTable {
            self.backfill.look();
        }
        if let Err(error) = &answer
            && error.code.status() >= 500
        {
            tracing::error!(operation = operation.name(), request_id = caller.request_id, %error, "request failed");
        }
        answer
    }
}
