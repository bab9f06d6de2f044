//! `DeleteTable`.

use hashrange_api::message::tables as text;
use hashrange_api::{DeleteTableInput, DeleteTableOutput, Error, TableDescription, TableStatus};

use super::row::{TableRow, Updating};
use super::state::{IndexPhase, Moment};
use super::table::Scope;
use super::{Catalog, Change};

impl Catalog {
    /// Marks the table as being deleted; it stops serving at once, and goes when its time is over.
    pub(super) async fn delete(
        &self,
        scope: &Scope,
        input: &DeleteTableInput,
    ) -> Result<DeleteTableOutput, Error> {
        let table = self.find(scope, &input.table_name)?;
        let moment = self.moment();
        let description = self.describe_table(&table, moment).await?;
        self.change(&table, |row| {
            check(row, &table.name, moment)?;
            let mut row = row.clone();
            row.deleting_ms = Some(moment.now_ms);
            Ok(Change::Replace(Box::new(row), ()))
        })
        .await?;
        self.settle().await?;
        Ok(DeleteTableOutput { table_description: Some(farewell(description)) })
    }
}

fn check(row: &TableRow, name: &str, moment: Moment) -> Result<(), Error> {
    let settled = |(_, phase): (_, IndexPhase)| phase == IndexPhase::Active;
    let in_use = match row.status(moment) {
        TableStatus::Creating => Some(text::being_created(name)),
        TableStatus::Deleting => Some(text::being_deleted(name)),
        _ if row.protected => return Err(Error::validation(text::protected())),
        _ if !row.phases(moment).all(settled) => Some(text::index_blocks_deletion()),
        _ => match row.change(moment) {
            Some(Updating::StreamEnable | Updating::StreamDisable) => Some(text::stream_blocks_deletion()),
            Some(_) => Some(text::being_updated(name)),
            None => None,
        },
    };
    in_use.map_or(Ok(()), |text| Err(Error::resource_in_use(text)))
}

/// The answer tells less than a description.
fn farewell(last: TableDescription) -> TableDescription {
    TableDescription {
        billing_mode_summary: last.billing_mode_summary,
        deletion_protection_enabled: last.deletion_protection_enabled,
        item_count: last.item_count,
        provisioned_throughput: last.provisioned_throughput,
        table_arn: last.table_arn,
        table_class_summary: last.table_class_summary,
        table_id: last.table_id,
        table_name: last.table_name,
        table_size_bytes: last.table_size_bytes,
        table_status: Some(TableStatus::Deleting),
        ..TableDescription::default()
    }
}
