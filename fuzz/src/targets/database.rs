//! Requests, one after the other, against a database in memory: a line is an operation and its body.

use std::sync::Arc;

use hashrange_api::{Error, Operation, State, state};
use hashrange_engine::{Engine, Options, Scope};
use hashrange_env::Simulation;
use hashrange_store::Memory;
use hashrange_wire::json;

use super::{MEGABYTE, Run, Target, requests};
use crate::corpus::Golden;

/// Lines of `Operation {…}`.
pub const TARGET: Target =
    Target { name: "database", words: requests::WORDS, length: 8192, memory: 32 * MEGABYTE, seeds, make };

/// Requests of one input.
const LINES: usize = 40;

fn seeds(golden: &Golden) -> Vec<Vec<u8>> {
    let line = |(operation, body): &(String, String)| format!("{operation} {}\n", body.replace('\n', " "));
    golden.scripts.iter().map(|script| script.iter().map(line).collect::<String>().into_bytes()).collect()
}

fn make() -> Run {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    Box::new(move |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        runtime.block_on(run(text));
    })
}

async fn run(text: &str) {
    let (env, _simulation) = Simulation::new(1);
    let engine = Engine::open(Arc::new(Memory::new()), env, Options::default()).await;
    let engine = engine.expect("a database in memory opens");
    let scope = Scope { account: "000000000000".to_owned(), region: "us-east-1".to_owned() };
    for line in text.lines().take(LINES) {
        let Some((name, body)) = line.split_once(' ') else { continue };
        let known = Operation::ALL.into_iter().find(|known| known.name() == name);
        let Some(operation) = known.filter(|operation| state(*operation) == State::Built) else { continue };
        if let Err(error) = ask(&engine, &scope, operation, body.as_bytes()).await {
            assert!(error.code.status() < 500, "{operation:?}: {error}");
        }
    }
}

async fn ask(engine: &Engine, scope: &Scope, operation: Operation, body: &[u8]) -> Result<(), Error> {
    let plan = engine.plan(scope, Engine::check(json::decode(operation, body)?)?)?;
    assert!(!plan.to_string().is_empty());
    let response = engine.run(scope, plan).await?;
    let mut answer = Vec::new();
    json::encode_response(&response, &mut answer).expect("rows in memory are not damaged");
    let is_json = answer.is_empty() || serde_json::from_slice::<serde_json::Value>(&answer).is_ok();
    assert!(is_json, "an answer is JSON: {}", String::from_utf8_lossy(&answer));
    Ok(())
}
