//! `UpdateTimeToLive`, `DescribeTimeToLive`: the setting. Who deletes expired items is not told here.

use hashrange_api::message::tables as text;
use hashrange_api::{
    DescribeTimeToLiveInput, DescribeTimeToLiveOutput, Error, TableStatus, TimeToLiveDescription,
    TimeToLiveSpecification, TimeToLiveStatus, UpdateTimeToLiveInput, UpdateTimeToLiveOutput,
};

use super::quota::EXPIRY_INTERVAL_MS;
use super::row::{ExpiryRow, TableRow};
use super::state::Moment;
use super::table::Scope;
use super::{Catalog, Change};

impl Catalog {
    pub(super) async fn update_expiry(
        &self,
        scope: &Scope,
        input: UpdateTimeToLiveInput,
    ) -> Result<UpdateTimeToLiveOutput, Error> {
        let table = self.find(scope, &input.table_name)?;
        let moment = self.moment();
        if matches!(table.row.status(moment), TableStatus::Creating | TableStatus::Deleting) {
            return Err(Error::resource_not_found(text::table_not_found(&table.name)));
        }
        let asked = input.time_to_live_specification;
        self.change(&table, |row| {
            check(row, &asked, moment)?;
            let mut row = row.clone();
            row.expiry = Some(ExpiryRow {
                attribute: asked.attribute_name.clone(),
                enabled: asked.enabled,
                changed_ms: moment.now_ms,
            });
            Ok(Change::Replace(Box::new(row), ()))
        })
        .await?;
        Ok(UpdateTimeToLiveOutput { time_to_live_specification: Some(asked) })
    }

    pub(super) fn describe_expiry(
        &self,
        scope: &Scope,
        input: &DescribeTimeToLiveInput,
    ) -> Result<DescribeTimeToLiveOutput, Error> {
        let table = self.find(scope, &input.table_name)?;
        let moment = self.moment();
        let status = table.row.status(moment);
        if matches!(status, TableStatus::Creating | TableStatus::Deleting) {
            return Err(Error::validation(text::expiry_not_described(status.as_str())));
        }
        let description = describe(table.row.expiry.as_ref(), moment);
        Ok(DescribeTimeToLiveOutput { time_to_live_description: Some(description) })
    }
}

fn check(row: &TableRow, asked: &TimeToLiveSpecification, moment: Moment) -> Result<(), Error> {
    let current = row.expiry.as_ref();
    let on = current.filter(|current| current.enabled);
    let refusal = match on {
        Some(on) if on.attribute != asked.attribute_name => {
            Some(text::expiry_on_other_attribute(&on.attribute))
        }
        Some(_) if asked.enabled => Some(text::expiry_is_on()),
        None if !asked.enabled => Some(text::expiry_is_off()),
        _ if current.is_some_and(|current| is_recent(current, moment)) => Some(text::expiry_changed_lately()),
        _ => None,
    };
    refusal.map_or(Ok(()), |text| Err(Error::validation(text)))
}

fn is_recent(current: &ExpiryRow, moment: Moment) -> bool {
    moment.now_ms.saturating_sub(current.changed_ms) < EXPIRY_INTERVAL_MS
}

/// The attribute is told as long as it has a say.
fn describe(expiry: Option<&ExpiryRow>, moment: Moment) -> TimeToLiveDescription {
    let Some(expiry) = expiry else {
        return TimeToLiveDescription {
            attribute_name: None,
            time_to_live_status: Some(TimeToLiveStatus::Disabled),
        };
    };
    let status = match (expiry.enabled, moment.lasting(expiry.changed_ms)) {
        (true, true) => TimeToLiveStatus::Enabling,
        (true, false) => TimeToLiveStatus::Enabled,
        (false, true) => TimeToLiveStatus::Disabling,
        (false, false) => TimeToLiveStatus::Disabled,
    };
    let told = status != TimeToLiveStatus::Disabled;
    TimeToLiveDescription {
        attribute_name: told.then(|| expiry.attribute.clone()),
        time_to_live_status: Some(status),
    }
}
