//! What an answer tells of its request: units, items, sizes.

use hashrange_api::{ConsumedCapacity, Response, ReturnConsumedCapacity};
use hashrange_item::Image;

use super::tally::Tally;
use crate::explain;

/// Takes an answer down; its report of capacity becomes what the client had asked for.
pub(super) fn observe(response: &mut Response, wanted: Option<ReturnConsumedCapacity>, tally: &mut Tally) {
    found(response, tally);
    explain::with_capacity(response, wanted, &mut |reports: &[ConsumedCapacity]| tally.consumed(reports));
}

fn found(response: &Response, tally: &mut Tally) {
    match response {
        Response::GetItem(output) => items(output.item.iter(), 1, tally),
        Response::Query(output) => {
            page(output.items.as_deref(), output.count, output.scanned_count, tally);
        }
        Response::Scan(output) => {
            page(output.items.as_deref(), output.count, output.scanned_count, tally);
        }
        Response::BatchGetItem(output) => {
            let found = output.responses.iter().flat_map(|responses| responses.values().flatten());
            items(found, 0, tally);
        }
        Response::TransactGetItems(output) => {
            let found = output.responses.iter().flatten().filter_map(|response| response.item.as_ref());
            items(found, 0, tally);
        }
        Response::ExecuteStatement(output) => items(output.items.iter().flatten(), 0, tally),
        _ => {}
    }
}

/// Looked-up items; each is read by itself, and one that is not there is read too.
fn items<'a>(found: impl Iterator<Item = &'a Image>, at_least: u64, tally: &mut Tally) {
    let mut returned = 0;
    for item in found {
        returned += 1;
        tally.item(item.size());
    }
    tally.found(returned, returned.max(at_least));
}

fn page(items: Option<&[Image]>, count: Option<i32>, scanned: Option<i32>, tally: &mut Tally) {
    let number = |count: Option<i32>| u64::try_from(count.unwrap_or_default()).unwrap_or_default();
    tally.found(number(count), number(scanned));
    for item in items.unwrap_or_default() {
        tally.item(item.size());
    }
}
