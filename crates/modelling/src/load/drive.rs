//! Sends requests when the schedule says so, and takes down what comes of them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hashrange_env::{Clock, Env};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::lane::Lane;
use super::measure::{Ended, Measures, Outcome};
use super::schedule::{Arrival, Schedule};
use super::units::consumed;
use super::{IN_FLIGHT_MAX, Options, Progress, TIMER_SLACK};
use crate::target::{Call, Reply, Target};

/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// How often it is looked whether the last answers are there.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What all requests share.
#[derive(Debug)]
struct Shared {
    lanes: Vec<Arc<Lane>>,
    target: Arc<dyn Target>,
    clock: Arc<dyn Clock>,
    begun: Duration,
    measures: Mutex<Measures>,
}

impl Shared {
    fn elapsed(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.begun)
    }
}

/// Sends the requests of the patterns until the end, and waits for the answers.
pub(super) async fn drive(
    lanes: &[Arc<Lane>],
    target: &Arc<dyn Target>,
    env: &Env,
    options: &Options,
) -> Measures {
    let shared = Arc::new(Shared {
        lanes: lanes.to_vec(),
        target: Arc::clone(target),
        clock: Arc::clone(&env.clock),
        begun: env.clock.monotonic(),
        measures: Mutex::new(Measures::new(lanes.len(), options.speed)),
    });
    let mut told = Duration::ZERO;
    for arrival in schedule(lanes, options) {
        // Long pauses are cut, so that progress is told.
        while let Some(pause) = arrival.at.checked_sub(shared.elapsed()).filter(|pause| !pause.is_zero()) {
            env.tasks.sleep(pause.min(PROGRESS_EVERY)).await;
            tell(&shared, options, &mut told);
        }
        send(&shared, env, arrival);
        tell(&shared, options, &mut told);
    }
    wait(&shared, env, options, &mut told).await;
    let mut measures = shared.measures.lock();
    let lanes = measures.lanes.len();
    std::mem::replace(&mut measures, Measures::new(lanes, options.speed))
}

/// The schedule of the patterns.
pub(super) fn schedule(lanes: &[Arc<Lane>], options: &Options) -> Schedule {
    let patterns = lanes.iter().map(|lane| (lane.pattern().id.clone(), lane.rate, lane.shape()));
    Schedule::new(patterns.collect(), options.seed, options.duration)
}

fn tell(shared: &Shared, options: &Options, told: &mut Duration) {
    let elapsed = shared.elapsed();
    if elapsed.saturating_sub(*told) < PROGRESS_EVERY {
        return;
    }
    *told = elapsed;
    let measures = shared.measures.lock();
    let (sent, answered, failed) = measures.counts();
    let in_flight = measures.in_flight;
    drop(measures);
    (options.progress)(&Progress { elapsed, duration: options.duration, sent, answered, failed, in_flight });
}

/// Begins a request, unless too many are under way.
fn send(shared: &Arc<Shared>, env: &Env, arrival: Arrival) {
    let lag = shared.elapsed().saturating_sub(arrival.at);
    let mut measures = shared.measures.lock();
    measures.lag_max = measures.lag_max.max(lag);
    if measures.in_flight >= IN_FLIGHT_MAX {
        measures.lanes[arrival.lane].unsent += 1;
        return;
    }
    measures.lanes[arrival.lane].sent += 1;
    measures.in_flight += 1;
    drop(measures);
    // A timer that wakes a little late is no fault of the database.
    let due = if lag <= TIMER_SLACK { arrival.at + lag } else { arrival.at };
    let shared = Arc::clone(shared);
    env.tasks.spawn("load", Box::pin(async move { request(&shared, arrival, due).await }));
}

async fn request(shared: &Shared, arrival: Arrival, due: Duration) {
    let lane = &shared.lanes[arrival.lane];
    let (outcome, touches) = match lane.requests(arrival.rank, arrival.number, arrival.pick) {
        // The shards of a read are asked side by side: it takes as long as the slowest of them.
        Ok((bodies, touches)) => {
            let asked = bodies.into_iter().map(|body| ask(shared, lane, body));
            (together(join_all(asked).await), touches)
        }
        Err(problem) => (Outcome::Failed(problem), Vec::new()),
    };
    let took = shared.elapsed().saturating_sub(due);
    let is_hot = lane.is_hot(arrival.rank);
    let mut measures = shared.measures.lock();
    measures.in_flight = measures.in_flight.saturating_sub(1);
    measures.add(lane, Ended { lane: arrival.lane, at: arrival.at, took, is_hot, touches, outcome });
}

async fn ask(shared: &Shared, lane: &Lane, mut body: Map<String, Value>) -> Outcome {
    body.insert("ReturnConsumedCapacity".to_owned(), json!("INDEXES"));
    let body = Value::Object(body);
    match shared.target.call(Call { operation: lane.operation, body, explain: false }).await {
        Ok(reply) if reply.is_success() => Outcome::Answered(consumed(&reply.body, lane.writes)),
        Ok(reply) => failed(&reply),
        Err(problem) => Outcome::Failed(problem),
    }
}

/// The outcomes of all shards as one: the first that is no answer, or what all consumed.
fn together(outcomes: Vec<Outcome>) -> Outcome {
    let mut all = Vec::new();
    for outcome in outcomes {
        match outcome {
            Outcome::Answered(consumed) => all.extend(consumed),
            other => return other,
        }
    }
    Outcome::Answered(all)
}

/// A condition that does not hold is told from everything else that ends a request or a transaction.
fn failed(reply: &Reply) -> Outcome {
    let error = reply.error_code().unwrap_or("an error without a name");
    let reasons = reply.body.get("CancellationReasons").and_then(Value::as_array);
    let codes = reasons.into_iter().flatten().filter_map(|reason| reason.get("Code")?.as_str());
    let mut codes: Vec<&str> = codes.filter(|code| *code != "None").collect();
    codes.sort_unstable();
    codes.dedup();
    match (error, codes.as_slice()) {
        ("ConditionalCheckFailedException", _)
        | ("TransactionCanceledException", ["ConditionalCheckFailed"]) => Outcome::Refused,
        (_, []) => Outcome::Failed(error.to_owned()),
        (_, codes) => Outcome::Failed(format!("{error} ({})", codes.join(", "))),
    }
}

/// Waits for the answers that are still to come, as long as patience lasts.
async fn wait(shared: &Shared, env: &Env, options: &Options, told: &mut Duration) {
    let end = options.duration + options.patience;
    while shared.measures.lock().in_flight > 0 && shared.elapsed() < end {
        env.tasks.sleep(LOOK_EVERY).await;
        tell(shared, options, told);
    }
}
