//! `hashrange tour`: an online shop in one table, each access pattern run against a database in memory and shown
//! with its request, its result and what it consumed.
//!
//! The patterns are the table in [`patterns`]. One whose operation is not built yet is listed at the end, and
//! joins the walk by itself when it is.

mod patterns;
mod print;

use std::fmt::Write as _;
use std::io::Write as _;

use hashrange::Database;
use hashrange_api::{Error, Operation, State, state};
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
    let (now, later): (Vec<_>, Vec<_>) = PATTERNS.iter().partition(|pattern| is_built(pattern.operation));
    let mut text = patterns::INTRODUCTION.to_owned();
    for (index, pattern) in now.iter().enumerate() {
        let answer = perform(&database, pattern).await;
        text.push_str(&print::step(index + 1, pattern, &answer));
    }
    if !later.is_empty() {
        text.push_str("\n## Joining later, with the operation that they need\n\n");
        for pattern in later {
            writeln!(text, "- {} ({})", pattern.name, pattern.operation.name())
                .expect("a String takes any text");
        }
    }
    database.close().await;
    Ok(text)
}

fn is_built(operation: Operation) -> bool {
    state(operation) == State::Built
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
