//! One pattern, all its pages and segments.

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::merge;
use super::observe::{self, Answer};
use super::{Run, Scene};
use crate::catalogue::Pattern;
use crate::plan::request::request;
use crate::target::{Call, Reply};

/// Most requests of one run.
const PAGES_MAX: u64 = 10_000;

/// Runs a pattern once: one request, or one for each shard.
///
/// # Errors
/// Where the database cannot be asked.
pub(super) async fn execute(
    scene: &Scene<'_>,
    pattern: &Pattern,
    filled: Vec<Map<String, Value>>,
) -> Result<Run, String> {
    let operation = pattern.operation.expect("a pattern without an operation is not run");
    let first = filled.first().cloned().unwrap_or_default();
    let concrete = Pattern { request: Some(first.clone()), ..pattern.clone() };
    let writes = request(scene.catalogue, &concrete).is_some_and(|request| request.writes().next().is_some());
    let mut run = Run {
        scale: scene.scale,
        class: None,
        engine_plan: None,
        returned: 0,
        examined: 0,
        returned_bytes: 0,
        pages: 0,
        has_more: false,
        arms: Vec::new(),
        error: None,
        items: Vec::new(),
        unmet: None,
    };
    let shards = filled.len();
    for body in filled.into_iter().flat_map(|body| segments(operation, body)) {
        if run.error.is_none() {
            pages(scene, operation, body, writes, &mut run).await?;
        }
    }
    run.class = run.engine_plan.as_deref().and_then(|plan| observe::class(plan, &run.arms));
    if shards > 1 {
        run.class = run.class.map(|class| merge::class(class, shards));
        merge::merge(scene.catalogue, &concrete, &first, &mut run);
    }
    Ok(run)
}

/// A parallel scan is all its segments, unless it asks for another one than the first.
fn segments(operation: Operation, body: Map<String, Value>) -> Vec<Map<String, Value>> {
    let total = body.get("TotalSegments").and_then(Value::as_u64).filter(|total| (1..=64).contains(total));
    match total {
        Some(total)
            if operation == Operation::Scan && body.get("Segment").is_none_or(|segment| segment == 0) =>
        {
            (0..total)
                .map(|segment| {
                    let mut body = body.clone();
                    body.insert("Segment".to_owned(), json!(segment));
                    body
                })
                .collect()
        }
        _ => vec![body],
    }
}

async fn pages(
    scene: &Scene<'_>,
    operation: Operation,
    mut body: Map<String, Value>,
    writes: bool,
    run: &mut Run,
) -> Result<(), String> {
    let wants_one = body.contains_key("Limit");
    if reports_capacity(operation) {
        body.insert("ReturnConsumedCapacity".to_owned(), json!("INDEXES"));
    }
    loop {
        let explain = run.engine_plan.is_none();
        let call = Call { operation, body: Value::Object(body.clone()), explain };
        let reply: Reply = scene.target.call(call).await?;
        run.pages += 1;
        if run.engine_plan.is_none() {
            run.engine_plan.clone_from(&reply.plan);
        }
        if !reply.is_success() {
            run.error = Some(observe::error(&reply));
            return Ok(());
        }
        let answer = Answer::of(operation, reply.body, writes);
        let next = answer.next.clone();
        observe::add(run, answer);
        match next {
            Some(next) if !wants_one && run.pages < PAGES_MAX => body.extend(next),
            next => {
                run.has_more |= next.is_some();
                return Ok(());
            }
        }
    }
}

fn reports_capacity(operation: Operation) -> bool {
    use Operation as O;
    matches!(
        operation,
        O::GetItem
            | O::PutItem
            | O::UpdateItem
            | O::DeleteItem
            | O::Query
            | O::Scan
            | O::BatchGetItem
            | O::BatchWriteItem
            | O::TransactGetItems
            | O::TransactWriteItems
            | O::ExecuteStatement
            | O::BatchExecuteStatement
            | O::ExecuteTransaction
    )
}
