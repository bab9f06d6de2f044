//! What a request would touch and cost, told beside its answer.

use std::fmt;

use hashrange_api::{ConsumedCapacity, Request, Response, ReturnConsumedCapacity};

/// The plan of a request, what it is expected to consume, and what it did consume where it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The engine's plan: key look-up, range read with its bounds, sweep; the index; what is filtered after reading.
    pub plan: String,
    /// How consumption follows from what is touched.
    pub expected: String,
    /// Units consumed, on the table and on each index; `None` where the request was not run, or failed.
    pub actual: Option<String>,
}

impl Explanation {
    /// What stands between plan and expectation in the text.
    pub const EXPECTED: &str = "; expected: ";
    /// What stands between expectation and consumption in the text.
    pub const ACTUAL: &str = "; actual: ";
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.plan, Explanation::EXPECTED, self.expected)?;
        match &self.actual {
            Some(actual) => write!(f, "{}{actual}", Explanation::ACTUAL),
            None => Ok(()),
        }
    }
}

/// Makes the request report capacity by table and index; tells what the client had asked for.
pub(crate) fn ask_for_capacity(request: &mut Request) -> Option<ReturnConsumedCapacity> {
    let wanted = match request {
        Request::GetItem(input) => &mut input.return_consumed_capacity,
        Request::PutItem(input) => &mut input.return_consumed_capacity,
        Request::UpdateItem(input) => &mut input.return_consumed_capacity,
        Request::DeleteItem(input) => &mut input.return_consumed_capacity,
        Request::Query(input) => &mut input.return_consumed_capacity,
        Request::Scan(input) => &mut input.return_consumed_capacity,
        Request::ExecuteStatement(input) => &mut input.return_consumed_capacity,
        Request::BatchExecuteStatement(input) => &mut input.return_consumed_capacity,
        Request::ExecuteTransaction(input) => &mut input.return_consumed_capacity,
        Request::BatchGetItem(input) => &mut input.return_consumed_capacity,
        Request::BatchWriteItem(input) => &mut input.return_consumed_capacity,
        Request::TransactGetItems(input) => &mut input.return_consumed_capacity,
        Request::TransactWriteItems(input) => &mut input.return_consumed_capacity,
        _ => return None,
    };
    wanted.replace(ReturnConsumedCapacity::Indexes)
}

/// Takes the report out of the answer, or back to what the client had asked for; tells it as a text.
pub(crate) fn take_capacity(
    response: &mut Response,
    wanted: Option<ReturnConsumedCapacity>,
) -> Option<String> {
    let mut text = None;
    with_capacity(response, wanted, &mut |reports| {
        let units: Vec<_> = reports.iter().map(units).collect();
        text = Some(units.join(", "));
    });
    text
}

/// Shows the report, where there is one, and takes it out of the answer, or back to what the client had asked for.
pub(crate) fn with_capacity(
    response: &mut Response,
    wanted: Option<ReturnConsumedCapacity>,
    show: &mut dyn FnMut(&[ConsumedCapacity]),
) {
    match response {
        Response::GetItem(output) => one(&mut output.consumed_capacity, wanted, show),
        Response::PutItem(output) => one(&mut output.consumed_capacity, wanted, show),
        Response::UpdateItem(output) => one(&mut output.consumed_capacity, wanted, show),
        Response::DeleteItem(output) => one(&mut output.consumed_capacity, wanted, show),
        Response::Query(output) => one(&mut output.consumed_capacity, wanted, show),
        Response::Scan(output) => one(&mut output.consumed_capacity, wanted, show),
        Response::ExecuteStatement(output) => one(&mut output.consumed_capacity, wanted, show),
        Response::BatchExecuteStatement(output) => many(&mut output.consumed_capacity, wanted, show),
        Response::ExecuteTransaction(output) => many(&mut output.consumed_capacity, wanted, show),
        Response::BatchGetItem(output) => many(&mut output.consumed_capacity, wanted, show),
        Response::BatchWriteItem(output) => many(&mut output.consumed_capacity, wanted, show),
        Response::TransactGetItems(output) => many(&mut output.consumed_capacity, wanted, show),
        Response::TransactWriteItems(output) => many(&mut output.consumed_capacity, wanted, show),
        _ => {}
    }
}

fn one(
    report: &mut Option<ConsumedCapacity>,
    wanted: Option<ReturnConsumedCapacity>,
    show: &mut dyn FnMut(&[ConsumedCapacity]),
) {
    if report.is_some() {
        show(report.as_slice());
        *report = report.take().and_then(|report| reduced(report, wanted));
    }
}

fn many(
    reports: &mut Option<Vec<ConsumedCapacity>>,
    wanted: Option<ReturnConsumedCapacity>,
    show: &mut dyn FnMut(&[ConsumedCapacity]),
) {
    let Some(told) = reports.take() else { return };
    show(&told);
    let reduced: Vec<_> = told.into_iter().filter_map(|report| reduced(report, wanted)).collect();
    *reports = Some(reduced).filter(|reports| !reports.is_empty());
}

/// The report as the client asked for it.
fn reduced(report: ConsumedCapacity, wanted: Option<ReturnConsumedCapacity>) -> Option<ConsumedCapacity> {
    match wanted {
        None | Some(ReturnConsumedCapacity::None) => None,
        Some(ReturnConsumedCapacity::Indexes) => Some(report),
        Some(ReturnConsumedCapacity::Total) => Some(ConsumedCapacity {
            table: None,
            local_secondary_indexes: None,
            global_secondary_indexes: None,
            ..report
        }),
    }
}

/// `3 units: table 1, index GSI1 2`.
fn units(report: &ConsumedCapacity) -> String {
    let table = report.table.iter().filter_map(|table| table.capacity_units);
    let table = table.filter(|units| *units > 0.0).map(|units| format!("table {units}"));
    let indexes = [&report.local_secondary_indexes, &report.global_secondary_indexes];
    let indexes = indexes.into_iter().flatten().flatten();
    let indexes = indexes.filter_map(|(name, index)| Some(format!("index {name} {}", index.capacity_units?)));
    let arms: Vec<_> = table.chain(indexes).collect();
    let total = report.capacity_units.unwrap_or_default();
    format!("{total} unit{}: {}", if total > 1.0 { "s" } else { "" }, arms.join(", "))
}
