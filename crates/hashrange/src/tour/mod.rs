//! `hashrange tour`: an online shop in one table, each access pattern run against a database in memory and shown
//! with its request, its result and what it consumed.
//!
//! The patterns are the table in [`patterns`].

mod patterns;
mod print;

use std::io::Write as _;

use hashrange::Database;
use hashrange_api::{Error, Operation};
use hashrange_wire::json;
use serde_json::Value;

use patterns::{PATTERNS, Pattern};

/// Prints the walk.
///
/// # Errors
/// One line, when the database or the terminal fails.
pub(crate) fn run() -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the system gives no timer: {error}"))?;
    let text = runtime.block_on(walk())?;
    match std::io::stdout().write_all(text.as_bytes()) {
        // `hashrange tour | head` has seen enough.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot print: {error}")),
        _ => Ok(()),
    }
}

/// The whole text.
async fn walk() -> Result<String, String> {
    let database = Database::in_memory().await.map_err(|error| error.to_string())?;
    let mut text = patterns::INTRODUCTION.to_owned();
    for (index, pattern) in PATTERNS.iter().enumerate() {
        let plan = plan(&database, pattern);
        let answer = perform(&database, pattern).await;
        text.push_str(&print::step(index + 1, pattern, plan.as_deref(), &answer));
    }
    database.close().await;
    Ok(text)
}

/// The plan of a request on the table as it is now; nothing where the request is about tables themselves.
fn plan(database: &Database, pattern: &Pattern) -> Option<String> {
    if matches!(pattern.operation, Operation::CreateTable | Operation::DescribeTable) {
        return None;
    }
    let request = json::decode(pattern.operation, pattern.request.as_bytes()).ok()?;
    database.explain(request).ok().map(|explanation| explanation.plan)
}

/// Runs one request as it would come over the wire; the answer is the body that a client would get.
async fn perform(database: &Database, pattern: &Pattern) -> Value {
    let answer = answer(database, pattern).await;
    let body = answer.unwrap_or_else(|error| json::encode_error(&error));
    serde_json::from_slice(&body).expect("answers are JSON")
}

async fn answer(database: &Database, pattern: &Pattern) -> Result<Vec<u8>, Error> {
    let request = json::decode(pattern.operation, pattern.request.as_bytes())?;
    let response = database.run(request).await?;
    let mut body = Vec::new();
    json::encode_response(&response, &mut body).expect("rows in memory are not damaged");
    Ok(body)
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    use super::*;

    #[test]
    fn the_tour_shows_every_pattern_with_its_result_and_capacity() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let text = runtime.block_on(walk()).expect("the tour runs");
        expect_file!["../../testdata/tour.txt"].assert_eq(&text);
    }

    #[test]
    fn only_the_second_registration_is_refused() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let text = runtime.block_on(walk()).expect("the tour runs");
        assert_eq!(text.matches("Refused:").count(), 1);
        assert!(text.contains("ConditionalCheckFailedException"));
    }
}
