//! `UpdateTable`: one change at a time, with few exceptions.

use std::collections::BTreeSet;

use hashrange_api::message::tables as text;
use hashrange_api::message::tables::Owner;
use hashrange_api::{
    BillingMode, CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction, Error,
    GlobalSecondaryIndexUpdate, OnDemandThroughput, UpdateGlobalSecondaryIndexAction, UpdateTableInput,
    WarmThroughput,
};

use super::{indexes, keys, refuse, settings, throughput};
use crate::catalog::names;

/// Checks an `UpdateTable`.
pub(in crate::catalog) fn update(input: &UpdateTableInput) -> Result<(), Error> {
    names::check(&input.table_name)?;
    unsupported(input)?;
    let changes = Changes::of(input);
    if changes.is_empty() {
        return refuse(text::nothing_to_update());
    }
    index_updates(input)?;
    changes.go_together()?;
    billing(input)?;
    settings::stream(input.stream_specification.as_ref())?;
    settings::encryption(input.sse_specification.as_ref())?;
    maxima(Owner::Table, input.on_demand_throughput.as_ref())?;
    new_indexes(input)
}

/// What is not built is refused, rather than taken and ignored.
fn unsupported(input: &UpdateTableInput) -> Result<(), Error> {
    refuse_members(&[
        ("ReplicaUpdates", input.replica_updates.is_some()),
        ("GlobalTableWitnessUpdates", input.global_table_witness_updates.is_some()),
        ("MultiRegionConsistency", input.multi_region_consistency.is_some()),
        ("GlobalTableSettingsReplicationMode", input.global_table_settings_replication_mode.is_some()),
        ("DisassociationProtectionEnabled", input.disassociation_protection_enabled.is_some()),
        ("VectorIndexUpdates", input.vector_index_updates.is_some()),
    ])
}

/// Refuses the first member that is given.
pub(super) fn refuse_members(members: &[(&str, bool)]) -> Result<(), Error> {
    match members.iter().find(|(_, given)| *given) {
        Some((member, _)) => refuse(text::not_supported(member)),
        None => Ok(()),
    }
}

/// Which changes a request asks for. Maxima and warm throughput without members say nothing.
#[expect(
    clippy::struct_excessive_bools,
    reason = "one flag for each sort of change, looked at in combination"
)]
struct Changes {
    encryption: bool,
    class: bool,
    protection: bool,
    warm: bool,
    maxima: bool,
    stream: bool,
    throughput: bool,
    billing: Option<BillingMode>,
    index_added: bool,
    index_deleted: bool,
    index_updated: bool,
}

impl Changes {
    fn of(input: &UpdateTableInput) -> Changes {
        let indexes = input.global_secondary_index_updates.as_deref().unwrap_or_default();
        Changes {
            encryption: input.sse_specification.is_some(),
            class: input.table_class.is_some(),
            protection: input.deletion_protection_enabled.is_some(),
            warm: input.warm_throughput.as_ref().is_some_and(|warm| *warm != WarmThroughput::default()),
            maxima: input
                .on_demand_throughput
                .as_ref()
                .is_some_and(|maxima| *maxima != OnDemandThroughput::default()),
            stream: input.stream_specification.is_some(),
            throughput: input.provisioned_throughput.is_some(),
            billing: input.billing_mode,
            index_added: indexes.iter().any(|update| update.create.is_some()),
            index_deleted: indexes.iter().any(|update| update.delete.is_some()),
            index_updated: !indexes.is_empty(),
        }
    }

    fn count(&self) -> usize {
        let all = [
            self.encryption,
            self.class,
            self.protection,
            self.warm,
            self.maxima,
            self.stream,
            self.throughput,
            self.billing.is_some(),
            self.index_updated,
        ];
        all.into_iter().filter(|change| *change).count()
    }

    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Most changes go alone. The order decides which text comes where several rules are broken.
    fn go_together(&self) -> Result<(), Error> {
        let alone = [
            (self.encryption, "Server-Side Encryption modification"),
            (self.class, "TableClass modification"),
            (self.protection, "DeletionProtection modification"),
        ];
        if self.count() < 2 {
            return Ok(());
        }
        if let Some((_, what)) = alone.into_iter().find(|(given, _)| *given) {
            return refuse(text::only_operation(what));
        }
        if self.warm {
            return refuse(if self.index_added {
                text::index_with_warm()
            } else {
                text::only_operation("WarmThroughput")
            });
        }
        if self.maxima && (self.stream || self.throughput || self.index_updated) {
            return refuse(text::on_demand_with_others());
        }
        self.with_throughput()
    }

    fn with_throughput(&self) -> Result<(), Error> {
        let index = self.index_added || self.index_deleted;
        let units = self.throughput || self.billing == Some(BillingMode::Provisioned);
        if self.stream && units {
            return refuse(text::stream_with_throughput());
        }
        if index && units {
            return refuse(text::index_with_throughput());
        }
        if index && self.stream {
            return refuse(text::index_with_stream());
        }
        Ok(())
    }
}

fn billing(input: &UpdateTableInput) -> Result<(), Error> {
    match (input.billing_mode, &input.provisioned_throughput) {
        (Some(BillingMode::PayPerRequest), Some(_)) => refuse(text::throughput_on_demand()),
        (Some(BillingMode::Provisioned), None) => refuse(text::throughput_missing_in_update()),
        _ => Ok(()),
    }
}

/// New maxima are at least 1, or -1 to lift one.
fn maxima(owner: Owner<'_>, maxima: Option<&OnDemandThroughput>) -> Result<(), Error> {
    match throughput::named_maxima(maxima).find(|(_, value)| *value < 1 && *value != -1) {
        Some((name, _)) => refuse(text::maximum_out_of_range(owner, name)),
        None => Ok(()),
    }
}

/// What one element of `GlobalSecondaryIndexUpdates` asks for.
#[derive(Clone, Copy, Debug)]
pub(in crate::catalog) enum IndexAction<'a> {
    Create(&'a CreateGlobalSecondaryIndexAction),
    Update(&'a UpdateGlobalSecondaryIndexAction),
    Delete(&'a DeleteGlobalSecondaryIndexAction),
}

impl<'a> IndexAction<'a> {
    /// The index's name.
    pub(in crate::catalog) fn index(self) -> &'a str {
        match self {
            IndexAction::Create(action) => &action.index_name,
            IndexAction::Update(action) => &action.index_name,
            IndexAction::Delete(action) => &action.index_name,
        }
    }
}

/// The one action of an element.
pub(in crate::catalog) fn action(update: &GlobalSecondaryIndexUpdate) -> Result<IndexAction<'_>, Error> {
    match (&update.create, &update.update, &update.delete) {
        (Some(action), None, None) => Ok(IndexAction::Create(action)),
        (None, Some(action), None) => Ok(IndexAction::Update(action)),
        (None, None, Some(action)) => Ok(IndexAction::Delete(action)),
        (None, None, None) => refuse(text::index_update_is_empty()),
        _ => refuse(text::index_update_does_several()),
    }
}

fn index_updates(input: &UpdateTableInput) -> Result<(), Error> {
    let Some(updates) = &input.global_secondary_index_updates else { return Ok(()) };
    if updates.is_empty() {
        return refuse(text::list_is_empty("GlobalSecondaryIndexUpdates"));
    }
    let mut seen = BTreeSet::new();
    for update in updates {
        let action = action(update)?;
        if !seen.insert(action.index()) {
            return refuse(text::index_updated_twice(action.index()));
        }
        if let IndexAction::Update(update) = action {
            maxima(Owner::Index(&update.index_name), update.on_demand_throughput.as_ref())?;
            if update.warm_throughput.as_ref().is_some_and(|warm| *warm == WarmThroughput::default()) {
                return refuse(text::warm_is_empty(&update.index_name));
            }
        }
    }
    Ok(())
}

/// The keys of a new index must be defined in the request itself, even where the table knows them.
fn new_indexes(input: &UpdateTableInput) -> Result<(), Error> {
    let updates = input.global_secondary_index_updates.as_deref().unwrap_or_default();
    let mut creates = updates.iter().filter_map(|update| update.create.as_ref()).peekable();
    let Some(first) = creates.peek() else { return Ok(()) };
    let definitions = input.attribute_definitions.as_deref().unwrap_or_default();
    if definitions.is_empty() {
        return refuse(text::definitions_missing_for_index(&first.index_name));
    }
    let definitions = keys::Definitions::new(definitions)?;
    creates.try_for_each(|create| {
        keys::defined(&create.key_schema, &definitions)?;
        indexes::global(&create.key_schema, &create.projection)?;
        maxima(Owner::Index(&create.index_name), create.on_demand_throughput.as_ref())
    })
}
