//! `CreateTable`.

use hashrange_api::message::tables as text;
use hashrange_api::{
    BillingMode, CreateTableInput, CreateTableOutput, Error, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    LocalSecondaryIndex, OnDemandThroughput, ProjectionType, ProvisionedThroughput, TableStatus, Tag,
    WarmThroughput,
};
use hashrange_item::limits;
use hashrange_store::partition_hash;

use super::ledger::Replaced;
use super::quota::ON_DEMAND_INITIAL;
use super::row::{
    AttributeRow, BillingRow, ClassRow, EncryptionRow, GlobalRow, IndexState, LocalRow, OnDemandRow,
    StreamRow, TableRow, TagRow, ThroughputRow, Units, WarmRow,
};
use super::table::{Projection, Scope};
use super::update::quota;
use super::validate::{self, Encryption};
use super::{Catalog, calendar, describe, names};
use crate::check::internal;

/// Kind of a table's first local index; see `layout`.
const FIRST_LOCAL_KIND: u8 = 16;

impl Catalog {
    pub(super) async fn create(
        &self,
        scope: &Scope,
        input: CreateTableInput,
    ) -> Result<CreateTableOutput, Error> {
        let name = names::resolve(scope, &input.table_name)?.to_owned();
        self.check_free(scope, &name)?;
        quota::new_table(&self.reserved(scope, None), &input, &scope.region)?;
        let moment = self.moment();
        let warm_is_given =
            input.warm_throughput.as_ref().is_some_and(|warm| *warm != WarmThroughput::default());
        let indexes = input.global_secondary_indexes.as_ref().map_or(0, Vec::len);
        let spaces = 1 + u64::try_from(indexes).map_err(internal)?;
        let first = self.ledger.allocate(spaces).await.map_err(internal)?;
        let row = row(scope, input, self.env.uuid(), first, moment.now_ms)?;
        match self.ledger.replace(scope, &name, None, Some(&row), &[]).await.map_err(internal)? {
            Replaced::Done(stamp) => {
                let table = self.publish(scope, &name, row, stamp);
                let description = describe::describe_new(&table, moment, warm_is_given);
                Ok(CreateTableOutput { table_description: Some(description) })
            }
            Replaced::Lost(_) => Err(Error::resource_in_use(text::table_exists(&name))),
        }
    }

    /// The name is not taken, and there is room for another table.
    fn check_free(&self, scope: &Scope, name: &str) -> Result<(), Error> {
        if let Some(table) = self.get(scope, name) {
            return Err(Error::resource_in_use(match table.row.status(self.moment()) {
                TableStatus::Creating => text::being_created(name),
                _ => text::table_exists(name),
            }));
        }
        let count = self.tables.read().get(scope).map_or(0, std::collections::BTreeMap::len);
        if count >= limits::TABLES_MAX {
            return Err(Error::limit_exceeded(text::too_many_tables(limits::TABLES_MAX)));
        }
        Ok(())
    }

    /// Provisioned throughput of the account's tables and their indexes, without the table `except`.
    pub(super) fn reserved(&self, scope: &Scope, except: Option<&str>) -> Units {
        let mut sum = Units::default();
        for (name, table) in self.tables.read().get(scope).into_iter().flatten() {
            if except != Some(name) {
                let reserved = table.row.reserved();
                sum = Units { read: sum.read + reserved.read, write: sum.write + reserved.write };
            }
        }
        sum
    }
}

impl TableRow {
    /// Provisioned throughput of the table and its indexes.
    pub(super) fn reserved(&self) -> Units {
        let indexes = self.globals.iter().map(|index| index.throughput.units);
        indexes.fold(self.throughput.units, |sum, units| Units {
            read: sum.read + units.read,
            write: sum.write + units.write,
        })
    }
}

/// The row of a new table; its global indexes get the spaces after `space`.
fn row(
    scope: &Scope,
    input: CreateTableInput,
    id: String,
    space: u64,
    now_ms: u64,
) -> Result<TableRow, Error> {
    let mode = input.billing_mode.unwrap_or(BillingMode::Provisioned);
    let units = provisioned(input.provisioned_throughput.as_ref());
    let key = attribute_names(input.key_schema.as_deref().unwrap_or_default());
    let stream = stream(&input, now_ms);
    Ok(TableRow {
        id,
        space,
        created_ms: now_ms,
        attributes: attributes(&input),
        key,
        locals: local_rows(input.local_secondary_indexes.unwrap_or_default()),
        globals: (space + 1..).zip(input.global_secondary_indexes.iter().flatten()).map(global_row).collect(),
        billing: billing(mode, now_ms),
        throughput: ThroughputRow { units, ..ThroughputRow::default() },
        on_demand: maxima(input.on_demand_throughput.as_ref()),
        warm: warm(units, input.warm_throughput.as_ref()),
        class: input.table_class.map(|class| ClassRow { class, changes_ms: Vec::new(), changed_ms: None }),
        encryption: EncryptionRow {
            key_arn: match validate::encryption(input.sse_specification.as_ref())? {
                Some(Encryption::Key(key)) => Some(key_arn(scope, key)),
                Some(Encryption::Default) | None => None,
            },
            ..EncryptionRow::default()
        },
        stream_label: stream.as_ref().map(|stream| stream.label.clone()),
        stream,
        protected: input.deletion_protection_enabled.unwrap_or(false),
        expiry: None,
        tags: tags(input.tags.unwrap_or_default()),
        updating: None,
        deleting_ms: None,
        policy: input.resource_policy,
    })
}

/// Definitions are kept by name.
fn attributes(input: &CreateTableInput) -> Vec<AttributeRow> {
    let definitions = input.attribute_definitions.iter().flatten();
    let mut attributes: Vec<AttributeRow> = definitions
        .map(|definition| AttributeRow {
            name: definition.attribute_name.clone(),
            kind: definition.attribute_type,
        })
        .collect();
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    attributes
}

fn attribute_names(key: &[KeySchemaElement]) -> Vec<String> {
    key.iter().map(|element| element.attribute_name.clone()).collect()
}

fn local_rows(indexes: Vec<LocalSecondaryIndex>) -> Vec<LocalRow> {
    let row = |(row_kind, index): (u8, LocalSecondaryIndex)| LocalRow {
        name: index.index_name,
        range: index.key_schema.into_iter().nth(1).map(|element| element.attribute_name).unwrap_or_default(),
        projection: projection(&index.projection),
        row_kind,
    };
    (FIRST_LOCAL_KIND..).zip(indexes).map(row).collect()
}

fn global_row((space, index): (u64, &GlobalSecondaryIndex)) -> GlobalRow {
    let units = provisioned(index.provisioned_throughput.as_ref());
    let (hash, range) = key_parts(&index.key_schema);
    GlobalRow {
        name: index.index_name.clone(),
        space,
        hash,
        range,
        projection: projection(&index.projection),
        throughput: ThroughputRow { units, ..ThroughputRow::default() },
        on_demand: maxima(index.on_demand_throughput.as_ref()),
        warm: warm(units, index.warm_throughput.as_ref()),
        state: IndexState::WithTable,
        updated_ms: None,
    }
}

/// Names of the partition key attributes, and of the sort key attributes.
pub(super) fn key_parts(key: &[KeySchemaElement]) -> (Vec<String>, Vec<String>) {
    let (hash, range): (Vec<_>, Vec<_>) = key.iter().partition(|element| element.key_type == KeyType::Hash);
    let names = |elements: Vec<&KeySchemaElement>| {
        elements.into_iter().map(|element| element.attribute_name.clone()).collect()
    };
    (names(hash), names(range))
}

/// Attributes that are projected by name are kept by name.
pub(super) fn projection(projection: &hashrange_api::Projection) -> Projection {
    match projection.projection_type {
        Some(ProjectionType::KeysOnly) => Projection::KeysOnly,
        Some(ProjectionType::Include) => {
            let mut names = projection.non_key_attributes.clone().unwrap_or_default();
            names.sort();
            Projection::Include(names)
        }
        Some(ProjectionType::All) | None => Projection::All,
    }
}

/// Provisioned units, or none at all.
pub(super) fn provisioned(throughput: Option<&ProvisionedThroughput>) -> Units {
    throughput.map_or(Units::default(), |throughput| Units {
        read: unsigned(throughput.read_capacity_units),
        write: unsigned(throughput.write_capacity_units),
    })
}

/// Maxima that were checked to be positive.
pub(super) fn maxima(maxima: Option<&OnDemandThroughput>) -> OnDemandRow {
    let positive = |value: Option<i64>| value.filter(|value| *value > 0).map(unsigned);
    maxima.map_or(OnDemandRow::default(), |maxima| OnDemandRow {
        read: positive(maxima.max_read_request_units),
        write: positive(maxima.max_write_request_units),
    })
}

/// Warm throughput as asked for, else what is provisioned, else what on-demand tables start with.
pub(super) fn warm(provisioned: Units, asked: Option<&WarmThroughput>) -> WarmRow {
    let initial = Units { read: ON_DEMAND_INITIAL.0, write: ON_DEMAND_INITIAL.1 };
    let floor = if provisioned == Units::default() { initial } else { provisioned };
    let units = Units {
        read: asked.and_then(|warm| warm.read_units_per_second).map_or(floor.read, unsigned),
        write: asked.and_then(|warm| warm.write_units_per_second).map_or(floor.write, unsigned),
    };
    WarmRow { units, before: None, changed_ms: None }
}

fn billing(mode: BillingMode, now_ms: u64) -> BillingRow {
    let on_demand = mode == BillingMode::PayPerRequest;
    BillingRow { mode, on_demand_ms: on_demand.then_some(now_ms), switches_ms: Vec::new() }
}

fn stream(input: &CreateTableInput, now_ms: u64) -> Option<StreamRow> {
    let specification = input.stream_specification.as_ref().filter(|stream| stream.stream_enabled)?;
    Some(StreamRow { view: specification.stream_view_type?, label: calendar::label(now_ms) })
}

fn tags(tags: Vec<Tag>) -> Vec<TagRow> {
    tags.into_iter().map(|tag| TagRow { key: tag.key, value: tag.value }).collect()
}

/// The ARN of a KMS key. There is no KMS here: the account's managed key and aliases stand for keys whose ids follow
/// from their names.
pub(super) fn key_arn(scope: &Scope, key: Option<&str>) -> String {
    let key = key.unwrap_or("alias/aws/dynamodb");
    let alias =
        key.rsplit_once(":alias/").map_or_else(|| key.strip_prefix("alias/"), |(_, alias)| Some(alias));
    let id = match alias {
        Some(alias) => alias_id(scope, alias),
        None if key.starts_with("arn:") => return key.to_owned(),
        None => key.to_owned(),
    };
    format!("arn:aws:kms:{}:{}:key/{id}", scope.region, scope.account)
}

/// A UUID that is always the same for an alias in a scope.
fn alias_id(scope: &Scope, alias: &str) -> String {
    let name = format!("{}|{}|{alias}", scope.account, scope.region);
    let (high, low) = (partition_hash(name.as_bytes()), partition_hash(format!("{name}|").as_bytes()));
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0xfff,
        low & 0xffff_ffff_ffff
    )
}

/// A value that the model's constraints keep from being negative.
pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
