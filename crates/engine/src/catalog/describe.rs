//! `DescribeTable`, and the description that answers to changes carry.

use hashrange_api::{
    AttributeDefinition, BillingModeSummary, DescribeTableInput, DescribeTableOutput, Error,
    GlobalSecondaryIndexDescription, GlobalSecondaryIndexWarmThroughputDescription, IndexStatus,
    KeySchemaElement, KeyType, LocalSecondaryIndexDescription, OnDemandThroughput, ProjectionType,
    ProvisionedThroughputDescription, SSEDescription, SSEStatus, SSEType, StreamSpecification,
    TableClassSummary, TableDescription, TableStatus, TableWarmThroughputDescription, Timestamp,
};
use hashrange_store::{Address, Found, Freshness, Space, Totals};

use super::Catalog;
use super::calendar::DAY_MS;
use super::row::{
    ClassRow, EncryptionRow, GlobalRow, LocalRow, OnDemandRow, TableRow, ThroughputRow, Units, WarmRow,
};
use super::state::Moment;
use super::table::{Projection, Scope, Table};
use crate::check::internal;
use crate::layout;

/// Counts and bytes of a table, in the order of its row; nothing where nothing was read.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    items: Totals,
    locals: Vec<Totals>,
    globals: Vec<Totals>,
}

impl Catalog {
    pub(super) async fn describe(
        &self,
        scope: &Scope,
        input: &DescribeTableInput,
    ) -> Result<DescribeTableOutput, Error> {
        let table = self.find(scope, &input.table_name)?;
        let description = self.describe_table(&table, self.moment()).await?;
        Ok(DescribeTableOutput { table: Some(description) })
    }

    /// The description of a table, with true counts and sizes.
    pub(super) async fn describe_table(
        &self,
        table: &Table,
        moment: Moment,
    ) -> Result<TableDescription, Error> {
        Ok(describe(table, moment, &self.sizes(table).await?))
    }

    async fn sizes(&self, table: &Table) -> Result<Sizes, Error> {
        let row = &table.row;
        let items = std::iter::once(Address::tally(table.space, layout::ITEM));
        let locals = row.locals.iter().map(|index| Address::tally(table.space, index.row_kind));
        let globals = row.globals.iter().map(|index| Address::tally(Space(index.space), layout::ITEM));
        let addresses: Vec<Address> = items.chain(locals).chain(globals).collect();
        let mut totals = self.read_totals(&addresses).await?.into_iter();
        Ok(Sizes {
            items: totals.next().unwrap_or_default(),
            locals: totals.by_ref().take(row.locals.len()).collect(),
            globals: totals.collect(),
        })
    }

    /// Whether the table has no items, beyond the reach of a crash.
    pub(super) async fn is_empty(&self, table: &Table) -> Result<bool, Error> {
        let items = self.read_totals(&[Address::tally(table.space, layout::ITEM)]).await?;
        Ok(items.iter().all(|items| items.rows == 0))
    }

    async fn read_totals(&self, addresses: &[Address]) -> Result<Vec<Totals>, Error> {
        let found = self.ledger.store().get_many(addresses, Freshness::Strong).await.map_err(internal)?;
        let total = |found: Found| match found.row {
            Some(stored) => {
                Totals::decode(&stored.value).ok_or_else(|| internal("a running total is damaged"))
            }
            None => Ok(Totals::default()),
        };
        found.into_iter().map(total).collect()
    }
}

/// The description of a table with these sizes.
pub(super) fn describe(table: &Table, moment: Moment, sizes: &Sizes) -> TableDescription {
    let row = &table.row;
    TableDescription {
        attribute_definitions: Some(definitions(row)),
        billing_mode_summary: billing(row),
        creation_date_time: Some(timestamp(row.created_ms)),
        deletion_protection_enabled: Some(row.protected),
        global_secondary_indexes: globals(table, moment, sizes),
        item_count: Some(sizes.items.rows),
        key_schema: Some(key_schema(&row.key[..1], &row.key[1..])),
        latest_stream_arn: row.stream_label.as_ref().map(|label| table.stream_arn(label)),
        latest_stream_label: row.stream_label.clone(),
        local_secondary_indexes: locals(table, sizes),
        on_demand_throughput: on_demand(row.on_demand),
        provisioned_throughput: Some(throughput(&row.throughput, moment)),
        sse_description: encryption(&row.encryption, moment),
        stream_specification: row
            .stream
            .as_ref()
            .map(|stream| StreamSpecification { stream_enabled: true, stream_view_type: Some(stream.view) }),
        table_arn: Some(table.arn()),
        table_class_summary: class(row.class.as_ref()),
        table_id: Some(row.id.clone()),
        table_name: Some(table.name.clone()),
        table_size_bytes: Some(sizes.items.bytes),
        table_status: Some(row.status(moment)),
        warm_throughput: Some(warm(&row.warm, moment)),
        ..TableDescription::default()
    }
}

/// The description that `CreateTable` answers: everything in creation, and what comes later left out.
pub(super) fn describe_new(table: &Table, moment: Moment, warm_is_given: bool) -> TableDescription {
    let mut description = describe(table, moment, &Sizes::default());
    description.table_status = Some(TableStatus::Creating);
    for index in description.global_secondary_indexes.iter_mut().flatten() {
        index.index_status = Some(IndexStatus::Creating);
        index.warm_throughput = None;
    }
    if let Some(billing) = &mut description.billing_mode_summary {
        billing.last_update_to_pay_per_request_date_time = None;
    }
    if let Some(warm) = description.warm_throughput.as_mut().filter(|_| warm_is_given) {
        warm.status = Some(TableStatus::Updating);
    }
    description
}

fn definitions(row: &TableRow) -> Vec<AttributeDefinition> {
    let definition = |attribute: &super::row::AttributeRow| AttributeDefinition {
        attribute_name: attribute.name.clone(),
        attribute_type: attribute.kind,
    };
    row.attributes.iter().map(definition).collect()
}

fn key_schema(hash: &[String], range: &[String]) -> Vec<KeySchemaElement> {
    let element = |key_type| move |name: &String| KeySchemaElement { attribute_name: name.clone(), key_type };
    hash.iter().map(element(KeyType::Hash)).chain(range.iter().map(element(KeyType::Range))).collect()
}

/// A table that was never on-demand tells nothing of its billing mode.
fn billing(row: &TableRow) -> Option<BillingModeSummary> {
    let on_demand_ms = row.billing.on_demand_ms?;
    Some(BillingModeSummary {
        billing_mode: Some(row.billing.mode),
        last_update_to_pay_per_request_date_time: Some(timestamp(on_demand_ms)),
    })
}

/// A table whose class was never named tells nothing of it.
pub(super) fn class(class: Option<&ClassRow>) -> Option<TableClassSummary> {
    class.map(|class| TableClassSummary {
        last_update_date_time: class.changed_ms.map(timestamp),
        table_class: Some(class.class),
    })
}

fn on_demand(maxima: OnDemandRow) -> Option<OnDemandThroughput> {
    let maxima = OnDemandThroughput {
        max_read_request_units: maxima.read.map(signed),
        max_write_request_units: maxima.write.map(signed),
    };
    (maxima != OnDemandThroughput::default()).then_some(maxima)
}

/// Until a change is over, the units before it are told; its date is told at once.
fn throughput(throughput: &ThroughputRow, moment: Moment) -> ProvisionedThroughputDescription {
    let units = in_effect(throughput.units, throughput.before, throughput.changed_ms, moment);
    let decreases = throughput.decreases_on(moment.now_ms);
    ProvisionedThroughputDescription {
        last_decrease_date_time: throughput.decreased_ms.map(timestamp),
        last_increase_date_time: throughput.increased_ms.map(timestamp),
        number_of_decreases_today: Some(i64::from(decreases)),
        read_capacity_units: Some(signed(units.read)),
        write_capacity_units: Some(signed(units.write)),
    }
}

impl ThroughputRow {
    /// Decreases on the day (UTC) of `now_ms`.
    pub(super) fn decreases_on(&self, now_ms: u64) -> u32 {
        let today = self.decreased_ms.is_some_and(|at| at / DAY_MS == now_ms / DAY_MS);
        if today { self.decreases } else { 0 }
    }
}

/// Values in effect: those before the last change as long as that is going on.
fn in_effect(now: Units, before: Option<Units>, changed_ms: Option<u64>, moment: Moment) -> Units {
    before.filter(|_| is_changing(changed_ms, moment)).unwrap_or(now)
}

fn is_changing(changed_ms: Option<u64>, moment: Moment) -> bool {
    changed_ms.is_some_and(|at| moment.within(at))
}

fn warm(warm: &WarmRow, moment: Moment) -> TableWarmThroughputDescription {
    let units = in_effect(warm.units, warm.before, warm.changed_ms, moment);
    let changing = is_changing(warm.changed_ms, moment);
    TableWarmThroughputDescription {
        read_units_per_second: Some(signed(units.read)),
        status: Some(if changing { TableStatus::Updating } else { TableStatus::Active }),
        write_units_per_second: Some(signed(units.write)),
    }
}

fn warm_of_index(row: &WarmRow, moment: Moment) -> GlobalSecondaryIndexWarmThroughputDescription {
    let units = in_effect(row.units, row.before, row.changed_ms, moment);
    let changing = is_changing(row.changed_ms, moment);
    GlobalSecondaryIndexWarmThroughputDescription {
        read_units_per_second: Some(signed(units.read)),
        status: Some(if changing { IndexStatus::Updating } else { IndexStatus::Active }),
        write_units_per_second: Some(signed(units.write)),
    }
}

/// Nothing is told of the default, a key that AWS owns.
fn encryption(encryption: &EncryptionRow, moment: Moment) -> Option<SSEDescription> {
    let changing = is_changing(encryption.changed_ms, moment);
    let key_arn = encryption.key_arn.clone();
    if key_arn.is_none() && !changing {
        return None;
    }
    Some(SSEDescription {
        inaccessible_encryption_date_time: None,
        sse_type: key_arn.as_ref().map(|_| SSEType::Kms),
        kms_master_key_arn: key_arn,
        status: Some(if changing { SSEStatus::Updating } else { SSEStatus::Enabled }),
    })
}

fn projection(projection: &Projection) -> hashrange_api::Projection {
    let (kind, names) = match projection {
        Projection::All => (ProjectionType::All, None),
        Projection::KeysOnly => (ProjectionType::KeysOnly, None),
        Projection::Include(names) => (ProjectionType::Include, Some(names.clone())),
    };
    hashrange_api::Projection { non_key_attributes: names, projection_type: Some(kind) }
}

fn locals(table: &Table, sizes: &Sizes) -> Option<Vec<LocalSecondaryIndexDescription>> {
    let describe = |(position, index): (usize, &LocalRow)| {
        let entries = sizes.locals.get(position).copied().unwrap_or_default();
        LocalSecondaryIndexDescription {
            index_arn: Some(table.index_arn(&index.name)),
            index_name: Some(index.name.clone()),
            index_size_bytes: Some(entries.bytes),
            item_count: Some(entries.rows),
            key_schema: Some(key_schema(&table.row.key[..1], std::slice::from_ref(&index.range))),
            projection: Some(projection(&index.projection)),
        }
    };
    let described: Vec<_> = table.row.locals.iter().enumerate().map(describe).collect();
    (!described.is_empty()).then_some(described)
}

fn globals(table: &Table, moment: Moment, sizes: &Sizes) -> Option<Vec<GlobalSecondaryIndexDescription>> {
    let described: Vec<_> = table
        .row
        .phases(moment)
        .map(|(index, phase)| {
            let entries = table
                .row
                .globals
                .iter()
                .position(|known| known.space == index.space)
                .and_then(|position| sizes.globals.get(position).copied())
                .unwrap_or_default();
            GlobalSecondaryIndexDescription {
                backfilling: phase.backfilling(),
                index_size_bytes: Some(entries.bytes),
                index_status: Some(phase.status()),
                item_count: Some(entries.rows),
                ..global(table, index, moment)
            }
        })
        .collect();
    (!described.is_empty()).then_some(described)
}

fn global(table: &Table, index: &GlobalRow, moment: Moment) -> GlobalSecondaryIndexDescription {
    GlobalSecondaryIndexDescription {
        index_arn: Some(table.index_arn(&index.name)),
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.hash, &index.range)),
        on_demand_throughput: on_demand(index.on_demand),
        projection: Some(projection(&index.projection)),
        provisioned_throughput: Some(throughput(&index.throughput, moment)),
        warm_throughput: Some(warm_of_index(&index.warm, moment)),
        ..GlobalSecondaryIndexDescription::default()
    }
}

fn timestamp(ms: u64) -> Timestamp {
    Timestamp::from_ms(signed(ms))
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
