//! Stream, encryption, class, protection, on-demand maxima, warm throughput.

use hashrange_api::message::tables as text;
use hashrange_api::message::tables::Owner;
use hashrange_api::{
    BillingMode, Error, OnDemandThroughput, SSEDescription, SSESpecification, SSEType, StreamSpecification,
    TableClass, UpdateTableInput, WarmThroughput,
};

use super::{Echo, Site, quota};
use crate::catalog::create::{key_arn, unsigned};
use crate::catalog::quota::{
    CLASS_CHANGES_MAX, CLASS_WINDOW_MS, ENCRYPTION_CHANGES_MAX, ENCRYPTION_INTERVAL_MS, ENCRYPTION_WINDOW_MS,
};
use crate::catalog::row::{
    ClassRow, EncryptionRow, OnDemandRow, StreamRow, TableRow, Units, Updating, UpdatingRow, WarmRow,
};
use crate::catalog::validate::{self, Encryption};
use crate::catalog::{calendar, describe};

pub(super) fn apply(
    input: &UpdateTableInput,
    row: &mut TableRow,
    echo: &mut Echo,
    site: Site<'_>,
) -> Result<(), Error> {
    if let Some(specification) = &input.stream_specification {
        stream(specification, row, site)?;
        echo.updating = true;
    }
    if let Some(class) = input.table_class {
        change_class(class, row, echo, site)?;
    }
    if let Some(protected) = input.deletion_protection_enabled {
        row.protected = protected;
    }
    if let Some(asked) = &input.on_demand_throughput {
        change_maxima(asked, row, echo, site)?;
    }
    if let Some(asked) = &input.warm_throughput {
        quota::warm(Owner::Table, Some(asked), &site.scope.region)?;
        warm_up(Owner::Table, &mut row.warm, asked, site.moment.now_ms)?;
    }
    match &input.sse_specification {
        Some(specification) => encrypt(specification, &mut row.encryption, echo, site),
        None => Ok(()),
    }
}

fn stream(specification: &StreamSpecification, row: &mut TableRow, site: Site<'_>) -> Result<(), Error> {
    let since_ms = site.moment.now_ms;
    match (specification.stream_view_type.filter(|_| specification.stream_enabled), &row.stream) {
        (Some(_), Some(_)) => return Err(Error::validation(text::stream_is_on(site.table))),
        (None, None) => return Err(Error::validation(text::stream_is_off(site.table))),
        (Some(view), None) => {
            let label = new_label(since_ms, row.stream_label.as_deref());
            row.stream_label = Some(label.clone());
            row.stream = Some(StreamRow { view, label });
            row.updating = Some(UpdatingRow { what: Updating::StreamEnable, since_ms });
        }
        (None, Some(_)) => {
            row.stream = None;
            row.updating = Some(UpdatingRow { what: Updating::StreamDisable, since_ms });
        }
    }
    Ok(())
}

/// Labels of a table's streams are times, each later than the one before.
fn new_label(now_ms: u64, last: Option<&str>) -> String {
    let later = |label: &String| last.is_none_or(|last| label.as_str() > last);
    let mut labels = (now_ms..now_ms + 1000).map(calendar::label);
    labels.find(later).unwrap_or_else(|| calendar::label(now_ms))
}

/// STANDARD on a table that never had another class says nothing.
fn change_class(class: TableClass, row: &mut TableRow, echo: &mut Echo, site: Site<'_>) -> Result<(), Error> {
    echo.updating = true;
    let now_ms = site.moment.now_ms;
    let before = row.class.clone();
    if before.is_none() && class == TableClass::Standard {
        return Ok(());
    }
    let mut changes = before.as_ref().map_or(Vec::new(), |class| class.changes_ms.clone());
    changes.retain(|at| now_ms.saturating_sub(*at) < CLASS_WINDOW_MS);
    if changes.len() >= CLASS_CHANGES_MAX {
        return Err(Error::limit_exceeded(text::too_many_class_changes()));
    }
    if before.as_ref().is_some_and(|before| before.class == class) {
        return Ok(());
    }
    changes.push(now_ms);
    echo.class_changed = true;
    echo.class_before = describe::class(before.as_ref());
    row.class = Some(ClassRow { class, changes_ms: changes, changed_ms: Some(now_ms) });
    row.updating = Some(UpdatingRow { what: Updating::Class, since_ms: now_ms });
    Ok(())
}

fn change_maxima(
    asked: &OnDemandThroughput,
    row: &mut TableRow,
    echo: &mut Echo,
    site: Site<'_>,
) -> Result<(), Error> {
    check_maxima_mode(Owner::Table, Some(asked), row.billing.mode)?;
    quota::maxima(Owner::Table, Some(asked), &site.scope.region)?;
    let signed = |units: u64| i64::try_from(units).unwrap_or(i64::MAX);
    let merged = OnDemandThroughput {
        max_read_request_units: asked.max_read_request_units.or(row.on_demand.read.map(signed)),
        max_write_request_units: asked.max_write_request_units.or(row.on_demand.write.map(signed)),
    };
    merge_maxima(&mut row.on_demand, asked);
    echo.maxima = (merged != OnDemandThroughput::default()).then_some(merged);
    Ok(())
}

/// Maxima go with on-demand tables only.
pub(super) fn check_maxima_mode(
    owner: Owner<'_>,
    asked: Option<&OnDemandThroughput>,
    mode: BillingMode,
) -> Result<(), Error> {
    let Some(asked) = asked.filter(|_| mode == BillingMode::Provisioned) else { return Ok(()) };
    let units = match (asked.max_read_request_units, asked.max_write_request_units) {
        (Some(_), _) => "MaxReadRequestUnits",
        (None, Some(_)) => "MaxWriteRequestUnits",
        (None, None) => return Ok(()),
    };
    Err(Error::validation(text::maximum_on_provisioned_update(owner, units)))
}

/// A maximum that is not named stays; -1 lifts it.
pub(super) fn merge_maxima(maxima: &mut OnDemandRow, asked: &OnDemandThroughput) {
    let merge = |now: &mut Option<u64>, asked: Option<i64>| {
        if let Some(asked) = asked {
            *now = u64::try_from(asked).ok();
        }
    };
    merge(&mut maxima.read, asked.max_read_request_units);
    merge(&mut maxima.write, asked.max_write_request_units);
}

/// Warm throughput only grows.
pub(super) fn warm_up(
    owner: Owner<'_>,
    warm: &mut WarmRow,
    asked: &WarmThroughput,
    now_ms: u64,
) -> Result<(), Error> {
    let now = warm.units;
    let units = Units {
        read: asked.read_units_per_second.map_or(now.read, unsigned),
        write: asked.write_units_per_second.map_or(now.write, unsigned),
    };
    for (name, asked, now) in
        [("ReadUnitsPerSecond", units.read, now.read), ("WriteUnitsPerSecond", units.write, now.write)]
    {
        if asked < now {
            return Err(Error::validation(text::warm_decreases(owner, name)));
        }
    }
    if *asked != WarmThroughput::default() {
        *warm = WarmRow { units, before: Some(now), changed_ms: Some(now_ms) };
    }
    Ok(())
}

fn encrypt(
    specification: &SSESpecification,
    row: &mut EncryptionRow,
    echo: &mut Echo,
    site: Site<'_>,
) -> Result<(), Error> {
    let asked = match validate::encryption(Some(specification))? {
        Some(Encryption::Key(key)) => Some(key),
        Some(Encryption::Default) | None => None,
    };
    if asked.is_none() && row.key_arn.is_none() {
        return Err(Error::validation(text::encryption_is_default()));
    }
    let now_ms = site.moment.now_ms;
    row.changes_ms.retain(|at| now_ms.saturating_sub(*at) < ENCRYPTION_WINDOW_MS);
    check_encryption_changes(&row.changes_ms, now_ms)?;
    if row.key_arn.is_some() && asked.flatten() == row.key_arn.as_deref() {
        return Err(Error::validation(text::encryption_key_unchanged()));
    }
    echo.encryption = Some(SSEDescription {
        sse_type: row.key_arn.as_ref().map(|_| SSEType::Kms),
        kms_master_key_arn: row.key_arn.clone(),
        ..SSEDescription::default()
    });
    row.key_arn = asked.map(|key| key_arn(site.scope, key));
    row.changed_ms = Some(now_ms);
    row.changes_ms.push(now_ms);
    Ok(())
}

fn check_encryption_changes(changes_ms: &[u64], now_ms: u64) -> Result<(), Error> {
    let (Some(first), Some(last)) = (changes_ms.first(), changes_ms.last()) else { return Ok(()) };
    let next = last + ENCRYPTION_INTERVAL_MS;
    if changes_ms.len() < ENCRYPTION_CHANGES_MAX || now_ms >= next {
        return Ok(());
    }
    let date = |ms: u64| format!("{}Z", calendar::label(ms));
    let end = date(first + ENCRYPTION_WINDOW_MS);
    let text = text::too_many_encryption_changes(&end, changes_ms.len(), &date(*last), &date(next));
    Err(Error::limit_exceeded(text))
}
