//! Global indexes: added, changed, deleted.

use hashrange_api::message::tables as text;
use hashrange_api::message::tables::Owner;
use hashrange_api::{
    BillingMode, CreateGlobalSecondaryIndexAction, Error, GlobalSecondaryIndexUpdate,
    UpdateGlobalSecondaryIndexAction, UpdateTableInput,
};
use hashrange_item::limits;

use super::{Echo, Site, quota, settings, throughput};
use crate::catalog::create::{self, provisioned};
use crate::catalog::row::{AttributeRow, GlobalRow, IndexState, TableRow, ThroughputRow};
use crate::catalog::state::IndexPhase;
use crate::catalog::table::Projection;
use crate::catalog::validate::{IndexAction, action};

pub(super) fn apply(
    input: &UpdateTableInput,
    row: &mut TableRow,
    echo: &mut Echo,
    site: Site<'_>,
) -> Result<(), Error> {
    let updates = input.global_secondary_index_updates.as_deref().unwrap_or_default();
    if updates.iter().filter(|update| is_online(update)).count() > limits::ONLINE_INDEX_OPERATIONS_MAX {
        return Err(Error::limit_exceeded(text::one_online_index()));
    }
    // A change of the billing mode gives the indexes new units at once.
    let switched = input.billing_mode == Some(BillingMode::Provisioned) && row.updating_billing(site);
    for element in updates {
        match action(element)? {
            IndexAction::Create(action) => {
                add(input, action, row, site)?;
                echo.added = Some(action.index_name.clone());
                echo.updating = true;
            }
            IndexAction::Update(action) => change(action, row, site, switched)?,
            IndexAction::Delete(action) => {
                delete(&action.index_name, row, site)?;
                echo.updating = true;
            }
        }
    }
    Ok(())
}

/// Whether an element adds or deletes an index.
fn is_online(update: &GlobalSecondaryIndexUpdate) -> bool {
    update.create.is_some() || update.delete.is_some()
}

impl TableRow {
    /// Whether this very change is one of the billing mode.
    fn updating_billing(&self, site: Site<'_>) -> bool {
        use crate::catalog::row::Updating;
        self.updating.is_some_and(|updating| {
            updating.what == Updating::Billing && updating.since_ms == site.moment.now_ms
        })
    }

    fn has_index(&self, name: &str, site: Site<'_>) -> bool {
        self.locals.iter().any(|index| index.name == name)
            || self.phases(site.moment).any(|(index, _)| index.name == name)
    }
}

fn add(
    input: &UpdateTableInput,
    action: &CreateGlobalSecondaryIndexAction,
    row: &mut TableRow,
    site: Site<'_>,
) -> Result<(), Error> {
    let name = &action.index_name;
    if row.has_index(name, site) {
        return Err(Error::validation(text::index_exists()));
    }
    if row.phases(site.moment).any(|(_, phase)| !matches!(phase, IndexPhase::Active | IndexPhase::Updating)) {
        return Err(Error::limit_exceeded(text::one_online_index()));
    }
    if row.phases(site.moment).count() >= limits::GLOBAL_INDEXES_MAX {
        return Err(Error::limit_exceeded(text::no_room_for_index(limits::GLOBAL_INDEXES_MAX)));
    }
    check_new_throughput(action, row.billing.mode, site)?;
    define(input, row);
    let index = new_index(action, site);
    check_projected(row, &index.projection)?;
    row.globals.push(index);
    row.prune_attributes();
    Ok(())
}

fn check_new_throughput(
    action: &CreateGlobalSecondaryIndexAction,
    mode: BillingMode,
    site: Site<'_>,
) -> Result<(), Error> {
    let (owner, region) = (Owner::Index(&action.index_name), &site.scope.region);
    match (mode, &action.provisioned_throughput) {
        (BillingMode::PayPerRequest, Some(_)) => {
            return Err(Error::validation(text::units_of_index_on_demand(&action.index_name)));
        }
        (BillingMode::Provisioned, None) => {
            return Err(Error::validation(text::units_missing_for_index(&action.index_name)));
        }
        _ => {}
    }
    settings::check_maxima_mode(owner, action.on_demand_throughput.as_ref(), mode)?;
    quota::per_table(owner, provisioned(action.provisioned_throughput.as_ref()), region)?;
    quota::maxima(owner, action.on_demand_throughput.as_ref(), region)?;
    quota::warm(owner, action.warm_throughput.as_ref(), region)
}

/// Definitions in the request add to those of the table: an attribute that is defined keeps its type, and what no key
/// uses is dropped again.
fn define(input: &UpdateTableInput, row: &mut TableRow) {
    for definition in input.attribute_definitions.iter().flatten() {
        let name = &definition.attribute_name;
        if let Err(at) = row.attributes.binary_search_by(|known| known.name.cmp(name)) {
            let kind = definition.attribute_type;
            row.attributes.insert(at, AttributeRow { name: name.clone(), kind });
        }
    }
}

fn check_projected(row: &TableRow, new: &Projection) -> Result<(), Error> {
    let locals = row.locals.iter().map(|index| &index.projection);
    let projections = locals.chain(row.globals.iter().map(|index| &index.projection)).chain([new]);
    let projected: usize = projections
        .map(|projection| match projection {
            Projection::Include(names) => names.len(),
            Projection::All | Projection::KeysOnly => 0,
        })
        .sum();
    if projected > limits::PROJECTED_ATTRIBUTES_MAX {
        return Err(Error::validation(text::too_many_projected(limits::PROJECTED_ATTRIBUTES_MAX)));
    }
    Ok(())
}

/// Until the table is known to be empty, the index counts as one that has to be filled.
fn new_index(action: &CreateGlobalSecondaryIndexAction, site: Site<'_>) -> GlobalRow {
    let units = provisioned(action.provisioned_throughput.as_ref());
    let (hash, range) = create::key_parts(&action.key_schema);
    GlobalRow {
        name: action.index_name.clone(),
        space: site.spare,
        hash,
        range,
        projection: create::projection(&action.projection),
        throughput: ThroughputRow { units, ..ThroughputRow::default() },
        on_demand: create::maxima(action.on_demand_throughput.as_ref()),
        warm: create::warm(units, action.warm_throughput.as_ref()),
        state: IndexState::Added { since_ms: site.moment.now_ms, populated: true, filled_ms: None },
        updated_ms: None,
    }
}

/// Where the index of that name is in the row, and where it stands.
fn find(row: &TableRow, name: &str, verb: &str, site: Site<'_>) -> Result<(usize, IndexPhase), Error> {
    if row.locals.iter().any(|index| index.name == name) {
        return Err(Error::validation(text::index_is_not_global(verb, name)));
    }
    let phase = |index: &GlobalRow| index.phase(row.created_ms, site.moment);
    let found = row.globals.iter().position(|index| index.name == name && phase(index) != IndexPhase::Gone);
    match found {
        Some(at) => Ok((at, phase(&row.globals[at]))),
        None => Err(Error::resource_not_found(text::index_not_found(site.table, name))),
    }
}

fn delete(name: &str, row: &mut TableRow, site: Site<'_>) -> Result<(), Error> {
    let (at, phase) = find(row, name, "delete", site)?;
    match phase {
        IndexPhase::Allocating => {
            return Err(Error::resource_in_use(text::index_is_allocating(site.table, name)));
        }
        IndexPhase::Deleting => {
            return Err(Error::resource_in_use(text::index_is_busy("deleted", site.table, name)));
        }
        _ => {}
    }
    let idle = |phase| matches!(phase, IndexPhase::Active | IndexPhase::Updating);
    if row.phases(site.moment).any(|(index, phase)| index.name != name && !idle(phase)) {
        return Err(Error::limit_exceeded(text::one_online_index()));
    }
    row.globals[at].state = IndexState::Deleting { since_ms: site.moment.now_ms };
    Ok(())
}

fn change(
    action: &UpdateGlobalSecondaryIndexAction,
    row: &mut TableRow,
    site: Site<'_>,
    switched: bool,
) -> Result<(), Error> {
    let name = &action.index_name;
    let (at, phase) = find(row, name, "update", site)?;
    let busy = match phase {
        IndexPhase::Deleting => Some(text::index_is_busy("deleted", site.table, name)),
        IndexPhase::Updating => Some(text::index_is_busy("updated", site.table, name)),
        IndexPhase::Allocating => Some(text::index_not_backfilling(site.table, name)),
        _ => None,
    };
    if let Some(text) = busy {
        return Err(Error::resource_in_use(text));
    }
    check_change(action, row.billing.mode)?;
    let index = &mut row.globals[at];
    units(action, index, site, switched)?;
    let owner = Owner::Index(name);
    if let Some(asked) = &action.on_demand_throughput {
        quota::maxima(owner, Some(asked), &site.scope.region)?;
        settings::merge_maxima(&mut index.on_demand, asked);
        index.updated_ms = Some(site.moment.now_ms);
    }
    if let Some(asked) = &action.warm_throughput {
        quota::warm(owner, Some(asked), &site.scope.region)?;
        settings::warm_up(owner, &mut index.warm, asked, site.moment.now_ms)?;
    }
    Ok(())
}

/// What can be changed depends on how the table is paid for.
fn check_change(action: &UpdateGlobalSecondaryIndexAction, mode: BillingMode) -> Result<(), Error> {
    let name = &action.index_name;
    let maxima = action.on_demand_throughput.as_ref();
    settings::check_maxima_mode(Owner::Index(name), maxima, mode)?;
    let has_maxima = maxima.is_some_and(|maxima| *maxima != hashrange_api::OnDemandThroughput::default());
    let nothing = !has_maxima && action.warm_throughput.is_none();
    match mode {
        BillingMode::PayPerRequest if nothing || action.provisioned_throughput.is_some() => {
            Err(Error::validation(text::index_update_on_demand(name)))
        }
        BillingMode::Provisioned if nothing && action.provisioned_throughput.is_none() => {
            Err(Error::validation(text::units_missing_for_index(name)))
        }
        _ => Ok(()),
    }
}

fn units(
    action: &UpdateGlobalSecondaryIndexAction,
    index: &mut GlobalRow,
    site: Site<'_>,
    switched: bool,
) -> Result<(), Error> {
    let Some(asked) = &action.provisioned_throughput else { return Ok(()) };
    let (owner, units, now) =
        (Owner::Index(&action.index_name), provisioned(Some(asked)), index.throughput.units);
    quota::per_table(owner, units, &site.scope.region)?;
    if switched {
        throughput::start(&mut index.throughput, units);
    } else if units == now {
        return Err(Error::validation(text::throughput_unchanged(owner, (now.read, now.write))));
    } else {
        quota::change(&mut index.throughput, units, site.moment.now_ms)?;
    }
    throughput::raise(&mut index.warm, units);
    index.updated_ms = Some(site.moment.now_ms);
    Ok(())
}
