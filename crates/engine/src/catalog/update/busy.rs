//! Which changes have to wait for which.

use hashrange_api::message::tables as text;
use hashrange_api::{Error, UpdateTableInput};

use super::Site;
use crate::catalog::row::{TableRow, Updating};
use crate::catalog::state::IndexPhase;

/// A change of the table that may be in the way of another or be blocked by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Throughput,
    Stream,
    Class,
    Index,
    Maxima,
}

impl Asked {
    /// What the request asks for of these.
    fn of(input: &UpdateTableInput) -> impl Iterator<Item = Asked> {
        let updates = input.global_secondary_index_updates.iter().flatten();
        let mut updates = updates.filter(|update| update.create.is_some() || update.delete.is_some());
        [
            (Asked::Throughput, input.provisioned_throughput.is_some() || input.billing_mode.is_some()),
            (Asked::Stream, input.stream_specification.is_some()),
            (Asked::Class, input.table_class.is_some()),
            (Asked::Index, updates.next().is_some()),
            (Asked::Maxima, input.on_demand_throughput.is_some()),
        ]
        .into_iter()
        .filter_map(|(asked, given)| given.then_some(asked))
    }

    /// What cannot be done now, in AWS's words.
    fn verb(self) -> &'static str {
        match self {
            Asked::Throughput => "change table IOPS",
            Asked::Stream => "enable or disable stream",
            Asked::Class => "update table class",
            Asked::Index => "create or delete an index",
            Asked::Maxima => "change OnDemandThroughput",
        }
    }
}

/// Refuses a change that has to wait for one that is going on.
pub(super) fn check(input: &UpdateTableInput, row: &TableRow, site: Site<'_>) -> Result<(), Error> {
    let refusal = Asked::of(input).find_map(|asked| {
        let by_table = row.change(site.moment).map(|going_on| blocked(asked, going_on, row, site));
        by_table.or_else(|| blocked_by_index(asked, row, site))
    });
    match refusal {
        Some(text) => Err(Error::resource_in_use(text)),
        None if encryption_is_changing(input, row, site) => {
            Err(Error::resource_in_use(text::encryption_is_changing()))
        }
        None => Ok(()),
    }
}

fn encryption_is_changing(input: &UpdateTableInput, row: &TableRow, site: Site<'_>) -> bool {
    input.sse_specification.is_some() && row.encryption.changed_ms.is_some_and(|at| site.moment.within(at))
}

fn blocked(asked: Asked, going_on: Updating, row: &TableRow, site: Site<'_>) -> String {
    match going_on {
        Updating::Throughput | Updating::Billing => blocked_by_throughput(asked, going_on, site),
        Updating::StreamEnable => blocked_by_stream(asked, row, site, "ENABLE"),
        Updating::StreamDisable => blocked_by_stream(asked, row, site, "DISABLE"),
        Updating::Class => blocked_by_class(asked, row, site),
    }
}

fn blocked_by_throughput(asked: Asked, going_on: Updating, site: Site<'_>) -> String {
    match asked {
        Asked::Maxima if going_on == Updating::Billing => text::on_demand_blocked("BillingMode update"),
        Asked::Throughput | Asked::Maxima => text::throughput_is_changing(site.table),
        Asked::Index => text::blocked_by_throughput("create or delete indexes", site.table),
        Asked::Stream | Asked::Class => text::blocked_by_throughput(asked.verb(), site.table),
    }
}

fn blocked_by_stream(asked: Asked, row: &TableRow, site: Site<'_>, operation: &str) -> String {
    let label = row.stream_label.as_deref().unwrap_or_default();
    match asked {
        Asked::Stream => text::stream_is_changing(site.table, label, operation),
        Asked::Maxima => text::on_demand_blocked("stream status update"),
        _ => text::blocked_by_stream(asked.verb(), site.table, label, operation),
    }
}

fn blocked_by_class(asked: Asked, row: &TableRow, site: Site<'_>) -> String {
    let class = row.class.as_ref().map_or("STANDARD", |class| class.class.as_str());
    match asked {
        Asked::Maxima => text::on_demand_blocked("TableClass update"),
        _ => text::blocked_by_class(asked.verb(), site.table, class),
    }
}

/// An index that is coming or going keeps throughput and stream from changing; other indexes are looked at elsewhere.
fn blocked_by_index(asked: Asked, row: &TableRow, site: Site<'_>) -> Option<String> {
    let (index, phase) = row.index_in_transit(site.moment)?;
    let (done, doing) = match phase {
        IndexPhase::Deleting => ("deleted", "deletion"),
        _ => ("created", "creation"),
    };
    match asked {
        Asked::Throughput => Some(text::blocked_by_index(asked.verb(), done, site.table, &index.name)),
        Asked::Stream => Some(text::blocked_by_index("change stream status", done, site.table, &index.name)),
        Asked::Maxima => Some(text::on_demand_blocked_by_index(doing, &index.name)),
        Asked::Class | Asked::Index => None,
    }
}
