//! `UpdateTable`.

mod busy;
mod indexes;
pub(super) mod quota;
mod settings;
mod throughput;

use hashrange_api::message::tables as text;
use hashrange_api::{
    Error, OnDemandThroughput, SSEDescription, SSEStatus, TableClassSummary, TableDescription, TableStatus,
    UpdateTableInput, UpdateTableOutput,
};

use super::row::{IndexState, TableRow, Units};
use super::state::Moment;
use super::table::{Scope, Table};
use super::{Catalog, Change};
use crate::check::internal;

/// What the decision on a change depends on besides the row.
#[derive(Clone, Copy, Debug)]
struct Site<'a> {
    scope: &'a Scope,
    table: &'a str,
    moment: Moment,
    /// Provisioned throughput of the account's other tables.
    reserved: Units,
    /// Where a new index would live.
    spare: u64,
}

/// What the answer shows that the new row does not.
#[derive(Debug, Default)]
struct Echo {
    /// The answer says UPDATING, though the table may be ACTIVE again by then.
    updating: bool,
    /// Whether the class changes; the answer shows the one before.
    class_changed: bool,
    class_before: Option<TableClassSummary>,
    /// The maxima as merged, with -1 for those that were lifted.
    maxima: Option<OnDemandThroughput>,
    /// Encryption in transition.
    encryption: Option<SSEDescription>,
    /// Name of the index that was added.
    added: Option<String>,
}

impl Catalog {
    pub(super) async fn update(
        &self,
        scope: &Scope,
        input: UpdateTableInput,
    ) -> Result<UpdateTableOutput, Error> {
        let table = self.find(scope, &input.table_name)?;
        let reserved = self.reserved(scope, Some(&table.name));
        let mut site = Site { scope, table: &table.name, moment: self.moment(), reserved, spare: 0 };
        let (_, foreseen) = apply(&input, &table.row, site)?;
        if foreseen.added.is_some() {
            site.spare = self.ledger.allocate(1).await.map_err(internal)?;
        }
        let (changed, echo) = self
            .change(&table, |row| {
                let (row, echo) = apply(&input, row, site)?;
                Ok(Change::Replace(Box::new(row), echo))
            })
            .await?;
        if let Some(index) = &echo.added {
            self.note_if_empty(&changed, index).await?;
        }
        let mut description = self.describe_table(&changed, site.moment.freshly()).await?;
        // What else was changed at this very moment shows no longer.
        description.table_status = Some(changed.row.status(site.moment));
        self.settle().await?;
        Ok(UpdateTableOutput { table_description: Some(answer(description, echo)) })
    }

    /// An index that is added to a table without items has nothing to be filled with. Every write that did not know of
    /// the index was queued before the barrier, so that the count behind it tells whether there was one.
    async fn note_if_empty(&self, table: &Table, index: &str) -> Result<(), Error> {
        let added = table.schema.globals.iter().find(|known| known.name == index);
        let Some(space) = added.map(|index| index.space) else { return Ok(()) };
        if !self.writers_are_through(table).await? || !self.is_empty(table).await? {
            return Ok(());
        }
        self.change_index(&table.scope, &table.name, space, |state| match state {
            IndexState::Added { since_ms, filled_ms: None, .. } => {
                Some(IndexState::Added { since_ms, populated: false, filled_ms: None })
            }
            _ => None,
        })
        .await
    }
}

/// The row after the change, and what the answer shows besides.
fn apply(input: &UpdateTableInput, row: &TableRow, site: Site<'_>) -> Result<(TableRow, Echo), Error> {
    match row.status(site.moment) {
        TableStatus::Creating => return Err(Error::resource_in_use(text::being_created(site.table))),
        TableStatus::Deleting => return Err(Error::resource_in_use(text::being_deleted(site.table))),
        _ => {}
    }
    busy::check(input, row, site)?;
    let (mut row, mut echo) = (row.clone(), Echo::default());
    throughput::apply(input, &mut row, &mut echo, site)?;
    indexes::apply(input, &mut row, &mut echo, site)?;
    settings::apply(input, &mut row, &mut echo, site)?;
    quota::account(&site.reserved, &row, site)?;
    Ok((row, echo))
}

/// The description as the answer shows it.
fn answer(mut description: TableDescription, echo: Echo) -> TableDescription {
    if echo.updating {
        description.table_status = Some(TableStatus::Updating);
    }
    if echo.class_changed {
        description.table_class_summary = echo.class_before;
    }
    if let Some(maxima) = echo.maxima {
        description.on_demand_throughput = Some(maxima);
    }
    if let Some(encryption) = echo.encryption {
        description.sse_description =
            Some(SSEDescription { status: Some(SSEStatus::Updating), ..encryption });
    }
    if echo.updating
        && let Some(billing) = &mut description.billing_mode_summary
    {
        billing.last_update_to_pay_per_request_date_time = None;
    }
    description
}
