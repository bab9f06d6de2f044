//! What a request would touch and cost, told beside its answer.

use std::fmt;

use hashrange_api::{ConsumedCapacity, Error, Missing, Request, Response, ReturnConsumedCapacity, Valid};
use hashrange_engine::{Budget, Engine, Plan, Scope};

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

impl Explanation {
    /// What a plan says of itself.
    pub(crate) fn of(plan: &Plan) -> Explanation {
        Explanation { plan: plan.to_string(), expected: plan.expected(), actual: None }
    }
}

/// Plans a request, and refuses a plan that is dearer than its budget.
///
/// # Errors
/// What AWS answers where it cannot be planned; `BudgetExceededException`.
pub fn plan_within(
    engine: &Engine,
    scope: &Scope,
    request: Valid,
    budget: Option<&Budget>,
) -> Result<Plan, Error> {
    let mut plan = engine.plan(scope, Engine::check(request)?)?;
    if let Some(budget) = budget {
        plan.hold_to(budget)?;
    }
    Ok(plan)
}

/// Answers one request on an engine, held to its budget where it has one, and tells what it touched and cost. An operation
/// that is not built must not come here.
///
/// # Errors
/// What AWS answers; `BudgetExceededException` where the request breaks its budget.
pub async fn run_within(
    engine: &Engine,
    scope: &Scope,
    request: Valid,
    budget: Option<&Budget>,
) -> Result<(Response, Explanation), Error> {
    measured(engine, scope, request, budget, |plan| engine.run(scope, plan)).await
}

/// As [`run_within`], with whoever runs the plan.
pub(crate) async fn measured<Running: Future<Output = Result<Response, Error>>>(
    engine: &Engine,
    scope: &Scope,
    request: Valid,
    budget: Option<&Budget>,
    run: impl FnOnce(Plan) -> Running,
) -> Result<(Response, Explanation), Error> {
    let (mut request, refused) = request.into_parts();
    let wanted = ask_for_capacity(&mut request);
    let request = request.validate(&Missing::none())?.refusing(refused);
    let plan = plan_within(engine, scope, request, budget)?;
    let mut explanation = Explanation::of(&plan);
    let writes = plan.writes();
    let mut response = run(plan).await?;
    let read = units_read(&response, writes);
    explanation.actual = take_capacity(&mut response, wanted);
    if let (Some(budget), Some(cost)) = (budget, &explanation.actual) {
        budget.check_read(read, cost, &explanation.plan)?;
    }
    Ok((response, explanation))
}

/// The read units that an answer reports: of a write there are some only where a transaction was done before.
fn units_read(response: &Response, writes: bool) -> f64 {
    let of = |report: &ConsumedCapacity| {
        let units = if writes { report.read_capacity_units } else { report.capacity_units };
        units.unwrap_or_default()
    };
    reports(response).iter().map(of).sum()
}

/// What an answer reports of each table.
fn reports(response: &Response) -> &[ConsumedCapacity] {
    fn one(report: Option<&ConsumedCapacity>) -> &[ConsumedCapacity] {
        report.map_or(&[], std::slice::from_ref)
    }
    match response {
        Response::GetItem(output) => one(output.consumed_capacity.as_ref()),
        Response::Query(output) => one(output.consumed_capacity.as_ref()),
        Response::Scan(output) => one(output.consumed_capacity.as_ref()),
        Response::ExecuteStatement(output) => one(output.consumed_capacity.as_ref()),
        Response::BatchExecuteStatement(output) => output.consumed_capacity.as_deref().unwrap_or_default(),
        Response::ExecuteTransaction(output) => output.consumed_capacity.as_deref().unwrap_or_default(),
        Response::BatchGetItem(output) => output.consumed_capacity.as_deref().unwrap_or_default(),
        Response::TransactGetItems(output) => output.consumed_capacity.as_deref().unwrap_or_default(),
        Response::TransactWriteItems(output) => output.consumed_capacity.as_deref().unwrap_or_default(),
        _ => &[],
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
