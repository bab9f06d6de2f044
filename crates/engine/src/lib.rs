//! DynamoDB's rules: one request, one commit.
//!
//! # Life of a request
//!
//! 1. The edge decodes bytes into an [`api::Valid`](hashrange_api::Valid) request: its shape and modelled constraints hold.
//! 2. [`Engine::check`] looks at the request alone, no table: expressions are parsed and bound, parameters that exclude
//!    each other are refused. The answer is a [`Checked`] operation.
//! 3. `plan` takes the table from the catalogue, types the keys, encodes the new image and checks its size and index keys.
//! 4. Where the engine throttles, `capacity::admit` refuses what its table has no capacity left for.
//! 5. `read` or `write` runs the plan. A write reads the newest image, evaluates its condition, makes the new image and
//!    hands the store one commit: item, index entries, collection size, running totals. It is answered once that commit is
//!    beyond the reach of a crash.
//! 6. `capacity` charges what was touched, `answer` shapes the response.

pub mod catalog;

mod answer;
mod backfill;
mod batch;
mod budget;
mod capacity;
mod check;
mod core;
mod index;
mod key;
mod lag;
mod layout;
mod plan;
mod range;
mod read;
mod stamp;
mod statement;
mod transact;
mod write;

use std::sync::Arc;

use hashrange_api::{Error, Response, Valid};
use hashrange_env::Env;
use hashrange_store::{Space, Store, StoreError};

pub use crate::backfill::Progress;
pub use crate::budget::{Budget, PlanKind};
pub use crate::catalog::Scope;
pub use crate::check::{Checked, table_of_statement};
pub use crate::core::Options;
pub use crate::plan::{Field, IndexOutline, Plan, PlanOutline, TableOutline};
/// What a plan tells its outline in: see [`PlanOutline`].
pub use hashrange_language::{Group, Outline};

use crate::catalog::{Catalog, GlobalIndex, Table};
use crate::core::Core;
use crate::lag::Lag;
use crate::plan::Planned;
use crate::stamp::StampClock;
use crate::transact::{Claims, TokensInFlight};

/// A global index that was added to a table with items and lacks entries of some.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FillingIndex {
    /// Whose table.
    pub scope: Scope,
    /// The table's name.
    pub table: String,
    /// Which table of that name.
    pub table_id: String,
    /// The index's name.
    pub index: String,
    /// Which index of that name: where its entries are.
    space: Space,
}

/// How far the removal of clients' tokens has come; see [`Engine::forget_tokens`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenSweep {
    /// Whether all tokens were looked at.
    pub done: bool,
    /// How many of them are still of use.
    pub kept: usize,
    next: Option<transact::Place>,
}

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
        let lag = Lag::new(options.index_lag);
        let (stamps, tokens) = (StampClock::new(), TokensInFlight::default());
        let claims = Claims::new(env.random.next_u64());
        Ok(Engine { core: Core { store, env, catalog, options, stamps, lag, claims, tokens } })
    }

    /// Looks at a request alone, without reading a table.
    ///
    /// # Errors
    /// What AWS answers to a request that cannot be right on any table.
    pub fn check(request: Valid) -> Result<Checked, Error> {
        check::check(request)
    }

    /// Plans a checked request on the tables of `scope`: what it will touch, before anything is read or written.
    ///
    /// # Errors
    /// What AWS answers when the tables do not allow it.
    pub fn plan(&self, scope: &Scope, checked: Checked) -> Result<Plan, Error> {
        Plan::new(&self.core, scope, checked)
    }

    /// Carries out a plan.
    ///
    /// # Errors
    /// What AWS answers when the items or the store do not allow it.
    pub async fn run(&self, scope: &Scope, plan: Plan) -> Result<Response, Error> {
        let core = &self.core;
        capacity::admit(core, &plan)?;
        // The longer ones are boxed: the future of every request is as large as the largest that it holds by value.
        match plan.0 {
            Planned::KeyLookup(plan) => Ok(read::get(core, &plan).await?.into()),
            Planned::WriteSet(plan) => answer::run_write(core, *plan).await,
            Planned::RangeRead(plan) => Ok(read::query(core, &plan).await?.into()),
            Planned::SweepSegment(plan) => Ok(Box::pin(read::scan(core, &plan)).await?.into()),
            Planned::KeyLookups(plan) => Ok(Box::pin(batch::get(core, &plan)).await?.into()),
            Planned::WriteSets(plan) => Ok(Box::pin(batch::write(core, &plan)).await?.into()),
            Planned::TransactGet(plan) => Ok(Box::pin(transact::get(core, &plan)).await?.into()),
            Planned::TransactWrite(plan) => Ok(Box::pin(transact::write(core, scope, *plan)).await?.into()),
            Planned::Statement(plan) => Ok(Box::pin(statement::run(core, *plan)).await?.into()),
            Planned::Statements(plan) => Ok(Box::pin(statement::run_batch(core, *plan)).await?.into()),
            Planned::Transaction(plan) => {
                Ok(Box::pin(statement::run_transaction(core, scope, *plan)).await?.into())
            }
            Planned::Tables(operation) => Box::pin(core.catalog.run(scope, operation)).await,
        }
    }

    /// Global indexes that have to be filled: scope, table and index.
    pub fn filling_indexes(&self) -> Vec<FillingIndex> {
        let tables = self.core.catalog.all();
        let filling = tables.iter().flat_map(|table| {
            let indexes = table.schema.globals.iter().filter(|index| index.filling);
            indexes.map(|index| FillingIndex {
                scope: table.scope.clone(),
                table: table.name.clone(),
                table_id: table.id.clone(),
                index: index.name.clone(),
                space: index.space,
            })
        });
        filling.collect()
    }

    /// Fills a global index a little further, from where it stood when `progress` is `None`. `None` is answered once
    /// there is nothing more to do: the index is active, or gone. The caller rests between two steps.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn fill_index(
        &self,
        filling: &FillingIndex,
        progress: Option<Progress>,
    ) -> Result<Option<Progress>, Error> {
        let core = &self.core;
        let Some(table) = self.filling_table(filling) else { return Ok(None) };
        let Some(index) = table.schema.globals.iter().find(|index| index.space == filling.space) else {
            return Ok(None);
        };
        let progress = match progress.filter(|progress| progress.begun) {
            Some(progress) => progress,
            // Writers that do not know of the index are waited for. Where the table is being changed by somebody, that
            // change is known here only when it is through: a step that does nothing, and another try after a rest.
            None if !core.catalog.writers_are_through(&table).await? => return Ok(Some(Progress::default())),
            None => backfill::load(core, index).await?,
        };
        let next = backfill::step(core, &table, index, progress).await?;
        if next.done {
            core.catalog.index_backfilled(&filling.scope, &filling.table, index.space).await?;
            return Ok(None);
        }
        Ok(Some(next))
    }

    /// The table whose index is to be filled, if it still is.
    fn filling_table(&self, filling: &FillingIndex) -> Option<Arc<Table>> {
        let table = self.core.catalog.active(&filling.scope, &filling.table).ok()?;
        let wanted = |index: &GlobalIndex| index.space == filling.space && index.filling;
        let is_it = table.id == filling.table_id && table.schema.globals.iter().any(wanted);
        is_it.then_some(table)
    }

    /// Removes what is remembered of transactions with a client's token past its time, a page at a time: begin with
    /// [`TokenSweep::default`] and go on with the answer until it is done.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn forget_tokens(&self, sweep: TokenSweep) -> Result<TokenSweep, Error> {
        let step = transact::forget_expired(&self.core, sweep.next).await?;
        Ok(TokenSweep { done: step.next.is_none(), next: step.next, kept: sweep.kept + step.kept })
    }

    /// Whether transactions with a client's token were done since this was asked before, so that there is something to
    /// remove in time.
    pub fn has_new_tokens(&self) -> bool {
        self.core.tokens.take_written()
    }

    /// The tables of the database.
    pub fn catalog(&self) -> &Catalog {
        &self.core.catalog
    }
}
