//! DynamoDB's rules: one request, one commit.
//!
//! # Life of a request
//!
//! 1. The edge decodes bytes into an [`api::Valid`](hashrange_api::Valid) request: its shape and modelled constraints hold.
//! 2. [`Engine::check`] looks at the request alone, no table: expressions are parsed and bound, parameters that exclude
//!    each other are refused. The answer is a [`Checked`] operation.
//! 3. `plan` takes the table from the catalogue, types the keys, encodes the new image and checks its size and index keys.
//! 4. `read` or `write` runs the plan. A write reads the newest image, evaluates its condition, makes the new image and
//!    hands the store one commit: item, index entries, collection size, running totals. It is answered once that commit is
//!    beyond the reach of a crash.
//! 5. `capacity` charges what was touched, `answer` shapes the response.

pub mod catalog;

mod answer;
mod batch;
mod capacity;
mod check;
mod core;
mod index;
mod key;
mod layout;
mod plan;
mod range;
mod read;
mod stamp;
mod write;

use std::sync::Arc;

use hashrange_api::{Error, Response, Valid};
use hashrange_env::Env;
use hashrange_store::{Store, StoreError};

pub use crate::catalog::Scope;
pub use crate::check::Checked;
pub use crate::core::Options;

use crate::catalog::Catalog;
use crate::core::Core;
use crate::stamp::StampClock;

/// The rules of DynamoDB over a store.
#[derive(Debug)]
pub struct Engine {
    core: Core,
}

impl Engine {
    /// Opens the database that the store holds. Reads the catalogue of tables, never their data.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn open(store: Arc<dyn Store>, env: Env, options: Options) -> Result<Engine, StoreError> {
        let catalog = Catalog::open(Arc::clone(&store), env.clone(), options.clone()).await?;
        Ok(Engine { core: Core { store, env, catalog, options, stamps: StampClock::new() } })
    }

    /// Looks at a request alone, without reading a table.
    ///
    /// # Errors
    /// What AWS answers to a request that cannot be right on any table.
    pub fn check(request: Valid) -> Result<Checked, Error> {
        check::check(request)
    }

    /// Carries out a checked request on the tables of `scope`.
    ///
    /// # Errors
    /// What AWS answers when the tables, the items or the store do not allow it.
    pub async fn run(&self, scope: &Scope, checked: Checked) -> Result<Response, Error> {
        match checked {
            Checked::Get(get) => {
                let plan = plan::get(&self.core, scope, *get)?;
                read::get(&self.core, &plan).await.map(|output| Response::GetItem(Box::new(output)))
            }
            Checked::Write(write) => {
                let plan = plan::write(&self.core, scope, *write)?;
                answer::run_write(&self.core, plan).await
            }
            Checked::Query(query) => {
                let plan = plan::query(&self.core, scope, *query)?;
                read::query(&self.core, &plan).await.map(|output| Response::Query(Box::new(output)))
            }
            Checked::Scan(scan) => {
                let plan = plan::scan(&self.core, scope, *scan)?;
                read::scan(&self.core, &plan).await.map(|output| Response::Scan(Box::new(output)))
            }
            Checked::BatchGet(get) => {
                let plan = plan::batch_get(&self.core, scope, *get)?;
                batch::get(&self.core, &plan).await.map(|output| Response::BatchGetItem(Box::new(output)))
            }
            Checked::BatchWrite(write) => {
                let plan = plan::batch_write(&self.core, scope, *write)?;
                batch::write(&self.core, &plan).await.map(|output| Response::BatchWriteItem(Box::new(output)))
            }
            Checked::Table(operation) => self.core.catalog.run(scope, operation).await,
        }
    }

    /// The tables of the database.
    pub fn catalog(&self) -> &Catalog {
        &self.core.catalog
    }
}
