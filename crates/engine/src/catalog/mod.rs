//! Tables: their definitions, states, tags and settings.
//!
//! Every table has one row in [`Space::CATALOG`](hashrange_store::Space::CATALOG). The catalogue keeps all of them in
//! memory, so that a request finds its table without reading the store; starting up costs the number of tables, never
//! their data. A change of a table is one commit that expects the row it was decided upon, and a new [`Table`] in memory.
//!
//! Nothing runs in the background. A table in CREATING or UPDATING becomes ACTIVE because time passes; see `state`. What
//! a deleted table or index leaves behind is swept out by the next operation on tables, or at the next start.

mod account;
mod calendar;
mod create;
mod delete;
mod describe;
mod expiry;
mod ledger;
mod list;
mod names;
mod operation;
mod quota;
mod row;
mod state;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod update;
mod validate;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashrange_api::message::tables as text;
use hashrange_api::{Error, Response};
use hashrange_env::Env;
use hashrange_store::{Space, Stamp, Store, StoreError};
use parking_lot::{Mutex, RwLock};

use crate::Options;
use crate::check::internal;
use ledger::{Ledger, Replaced};
use operation::Work;
use row::{IndexState, TableRow};
use state::Moment;

pub use operation::TableOperation;
pub use table::{Admission, GlobalIndex, LocalIndex, PrimaryKey, Projection, Schema, Scope, Table};

/// All tables of the database.
#[derive(Debug)]
pub struct Catalog {
    ledger: Ledger,
    env: Env,
    delay_ms: u64,
    tables: RwLock<BTreeMap<Scope, BTreeMap<String, Arc<Table>>>>,
    /// Tables that are on their way out, or have an index that is.
    leaving: Mutex<BTreeSet<(Scope, String)>>,
}

/// What to do with a table's row.
enum Change<T> {
    /// Leave it.
    Keep(T),
    /// Put this one in its place.
    Replace(Box<TableRow>, T),
}

impl Catalog {
    /// Opens the catalogue that the store holds.
    ///
    /// # Errors
    /// When the store fails, or holds a row that is damaged.
    pub async fn open(store: Arc<dyn Store>, env: Env, options: Options) -> Result<Catalog, StoreError> {
        let ledger = Ledger::new(store, env.clone());
        let delay_ms = u64::try_from(options.table_delay.as_millis()).unwrap_or(u64::MAX);
        ledger.clear_debris().await?;
        let rows = ledger.load().await?;
        let catalog = Catalog {
            ledger,
            env,
            delay_ms,
            tables: RwLock::new(BTreeMap::new()),
            leaving: Mutex::new(BTreeSet::new()),
        };
        for (scope, name, row, stamp) in rows {
            catalog.publish(&scope, &name, row, stamp);
        }
        catalog.sweep_out().await?;
        Ok(catalog)
    }

    /// Gives no new table or index of this store a space up to `last`: those may hold rows of tables that the catalogue has
    /// lost.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn skip_spaces(store: Arc<dyn Store>, env: Env, last: Space) -> Result<(), StoreError> {
        Ledger::new(store, env).skip(last).await
    }

    /// The table that a request on items names, by name or ARN.
    ///
    /// # Errors
    /// `Requested resource not found` unless the table is ACTIVE or UPDATING; AWS's refusals of ARNs that are no table's,
    /// or of another region or account.
    pub fn active(&self, scope: &Scope, name_or_arn: &str) -> Result<Arc<Table>, Error> {
        let name = names::resolve(scope, name_or_arn)?;
        self.get(scope, name)
            .filter(|table| table.serves(|| self.moment()))
            .ok_or_else(|| Error::resource_not_found(text::not_found()))
    }

    /// Every table of every scope.
    pub(crate) fn all(&self) -> Vec<Arc<Table>> {
        self.tables.read().values().flat_map(BTreeMap::values).cloned().collect()
    }

    /// Whether a global index answers reads: it is neither being created nor being filled.
    pub(crate) fn is_readable(&self, table: &Table, index: &str) -> bool {
        let moment = self.moment();
        let phase = table.row.phases(moment).find(|(known, _)| known.name == index).map(|(_, phase)| phase);
        matches!(phase, Some(state::IndexPhase::Active | state::IndexPhase::Updating))
    }

    /// Carries out an operation on the tables of `scope`.
    ///
    /// # Errors
    /// What AWS answers when the tables do not allow it, and a failure of the store.
    pub async fn run(&self, scope: &Scope, operation: TableOperation) -> Result<Response, Error> {
        self.settle().await?;
        Ok(match operation.0 {
            Work::Create(input) => self.create(scope, *input).await?.into(),
            Work::Describe(input) => self.describe(scope, &input).await?.into(),
            Work::Update(input) => self.update(scope, *input).await?.into(),
            Work::Delete(input) => self.delete(scope, &input).await?.into(),
            Work::List(input) => self.list(scope, &input).into(),
            Work::Tag(input) => self.tag(scope, *input).await?.into(),
            Work::Untag(input) => self.untag(scope, &input).await?.into(),
            Work::ListTags(input) => self.list_tags(scope, &input)?.into(),
            Work::Limits => account::limits().into(),
            Work::Endpoints => account::endpoints(scope).into(),
            Work::UpdateExpiry(input) => self.update_expiry(scope, *input).await?.into(),
            Work::DescribeExpiry(input) => self.describe_expiry(scope, &input)?.into(),
        })
    }

    /// Tells that an index which was added to a table with items now has an entry for each of them: it becomes ACTIVE.
    /// Telling it twice, or of an index that is not there any more, does nothing. The index is told by its space: another
    /// one may have its name by now.
    ///
    /// # Errors
    /// No such table, and a failure of the store.
    pub async fn index_backfilled(&self, scope: &Scope, table: &str, index: Space) -> Result<(), Error> {
        let now_ms = self.moment().now_ms;
        self.change_index(scope, table, index, |state| match state {
            IndexState::Added { since_ms, populated: true, filled_ms: None } => {
                Some(IndexState::Added { since_ms, populated: true, filled_ms: Some(now_ms) })
            }
            _ => None,
        })
        .await
    }

    /// Waits until every commit that was planned under an earlier version of the table is durable, so that a sweep of the
    /// table sees all items whose writers did not know of an index; false where the table has changed again, and another
    /// try with its newest version is due.
    ///
    /// # Errors
    /// A failure of the store.
    pub async fn writers_are_through(&self, table: &Table) -> Result<bool, Error> {
        self.ledger.barrier(&table.scope, &table.name, table.stamp).await.map_err(internal)
    }

    /// Sweeps out what deleted tables and indexes have left behind, where their time is over.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle(&self) -> Result<(), Error> {
        self.sweep_out().await.map_err(internal)
    }

    fn moment(&self) -> Moment {
        Moment { now_ms: self.env.clock.now().0, delay_ms: self.delay_ms, fresh: false }
    }

    fn get(&self, scope: &Scope, name: &str) -> Option<Arc<Table>> {
        self.tables.read().get(scope)?.get(name).cloned()
    }

    /// The table of that name or ARN, for operations on the table itself.
    fn find(&self, scope: &Scope, name_or_arn: &str) -> Result<Arc<Table>, Error> {
        let name = names::resolve(scope, name_or_arn)?;
        let moment = self.moment();
        self.get(scope, name)
            .filter(|table| !table.row.is_gone(moment))
            .ok_or_else(|| Error::resource_not_found(text::table_not_found(name)))
    }

    /// Makes a row known that is in the store. Rows that are older than what is known are passed over.
    fn publish(&self, scope: &Scope, name: &str, row: TableRow, stamp: Stamp) -> Arc<Table> {
        if row.is_leaving() {
            self.leaving.lock().insert((scope.clone(), name.to_owned()));
        }
        let mut tables = self.tables.write();
        let of_scope = tables.entry(scope.clone()).or_default();
        let known = of_scope.get(name);
        let newer = known.is_none_or(|known| known.stamp < stamp);
        let table = Table::new(scope.clone(), name.to_owned(), row, stamp, known.map(AsRef::as_ref));
        let table = Arc::new(table);
        if newer {
            of_scope.insert(name.to_owned(), Arc::clone(&table));
        }
        // Without the lock: taking over waits for the writers that were let in before.
        drop(tables);
        if newer {
            table.take_over();
        }
        table
    }

    /// Forgets a table, unless it is another one by now.
    fn withdraw(&self, gone: &Table) {
        gone.shut();
        let mut tables = self.tables.write();
        if let Some(of_scope) = tables.get_mut(&gone.scope)
            && of_scope.get(&gone.name).is_some_and(|known| known.id == gone.id)
        {
            of_scope.remove(&gone.name);
        }
    }

    /// Decides on a change of a table and makes it, again on the newer row where another change was faster.
    async fn change<T>(
        &self,
        table: &Arc<Table>,
        mut decide: impl FnMut(&TableRow) -> Result<Change<T>, Error>,
    ) -> Result<(Arc<Table>, T), Error> {
        let (scope, name) = (&table.scope, &table.name);
        let (mut row, mut stamp) = (table.row.clone(), table.stamp);
        loop {
            let (changed, answer) = match decide(&row)? {
                Change::Keep(answer) => return Ok((self.publish(scope, name, row, stamp), answer)),
                Change::Replace(changed, answer) => (changed, answer),
            };
            let replaced = self.ledger.replace(scope, name, Some(stamp), Some(&changed), &[]).await;
            match replaced.map_err(internal)? {
                Replaced::Done(stamp) => return Ok((self.publish(scope, name, *changed, stamp), answer)),
                Replaced::Lost(Some(newer)) if newer.0.id == row.id => (row, stamp) = *newer,
                Replaced::Lost(_) => return Err(Error::resource_not_found(text::table_not_found(name))),
            }
        }
    }

    /// Changes the state of an index, where `next` says so.
    async fn change_index(
        &self,
        scope: &Scope,
        table: &str,
        index: Space,
        next: impl Fn(IndexState) -> Option<IndexState>,
    ) -> Result<(), Error> {
        let table = self.find(scope, table)?;
        self.change(&table, |row| {
            let mut row = Box::new(row.clone());
            let found = row.globals.iter_mut().find(|known| known.space == index.0);
            Ok(match found.and_then(|found| Some((next(found.state)?, found))) {
                Some((state, found)) => {
                    found.state = state;
                    Change::Replace(row, ())
                }
                None => Change::Keep(()),
            })
        })
        .await
        .map(|_| ())
    }

    async fn sweep_out(&self) -> Result<(), StoreError> {
        let leaving = self.leaving.lock().clone();
        for (scope, name) in leaving {
            match self.get(&scope, &name).filter(|table| table.row.is_leaving()) {
                Some(table) if table.row.is_gone(self.moment()) => self.remove(&table).await?,
                Some(table) => self.remove_indexes(&table).await?,
                None => {}
            }
            if self.get(&scope, &name).is_none_or(|table| !table.row.is_leaving()) {
                self.leaving.lock().remove(&(scope, name));
            }
        }
        Ok(())
    }

    /// Takes a table out whose deletion is over: first its row, with a note of what is to be cleared, then its spaces.
    async fn remove(&self, table: &Table) -> Result<(), StoreError> {
        let indexes = table.row.globals.iter().map(|index| index.space);
        let spaces: Vec<u64> = std::iter::once(table.row.space).chain(indexes).collect();
        let replaced =
            self.ledger.replace(&table.scope, &table.name, Some(table.stamp), None, &spaces).await?;
        if let Replaced::Done(_) = replaced {
            self.withdraw(table);
            self.ledger.clear(&table.scope, &spaces).await?;
        }
        Ok(())
    }

    /// The same for those of its indexes whose deletion is over.
    async fn remove_indexes(&self, table: &Table) -> Result<(), StoreError> {
        let mut row = table.row.clone();
        let spaces = row.sweep(self.moment());
        if spaces.is_empty() {
            return Ok(());
        }
        let (scope, name) = (&table.scope, &table.name);
        let replaced = self.ledger.replace(scope, name, Some(table.stamp), Some(&row), &spaces).await?;
        if let Replaced::Done(stamp) = replaced {
            self.publish(scope, name, row, stamp);
            self.ledger.clear(scope, &spaces).await?;
        }
        Ok(())
    }
}
