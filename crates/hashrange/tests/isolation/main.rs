//! Clients transfer money between accounts over HTTP, look at many accounts at once, and write and read single ones, while
//! the server is killed and started again. What they were told must be strictly serialisable, and no TransactGetItems of
//! all accounts may find money that came or went: see `hashrange_sim::bank`, which draws the questions and judges the
//! answers. Each round has a history of its own: one life of the server that ends in a kill, and the next one, in which
//! transactions that nobody answered are sent again.
//!
//! `HASHRANGE_CRASH_ROUNDS` sets the number of rounds, `HASHRANGE_CRASH_SEED` repeats a run's choices (the moments of the
//! kernel's scheduler it cannot repeat).

mod desk;
#[path = "../crash/http.rs"]
mod http;
mod json;
#[path = "../crash/server.rs"]
mod server;

use std::str::FromStr;

use hashrange_env::{Random, RealRandom};

use desk::Branch;
use server::Server;

/// Rounds of an ordinary test run.
const ROUNDS: u64 = 50;

fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

#[test]
fn transactions_over_http_are_strictly_serialisable_and_survive_kills() {
    let rounds = variable("HASHRANGE_CRASH_ROUNDS").unwrap_or(ROUNDS);
    let seed = variable("HASHRANGE_CRASH_SEED").unwrap_or_else(|| RealRandom.next_u64());
    println!("{rounds} rounds; repeat with HASHRANGE_CRASH_SEED={seed}");
    let data = tempfile::tempdir().expect("a folder for data");
    let mut branch = Branch::new(seed);
    let mut server = Server::start(data.path());
    branch.make_tables(&server);
    for round in 1..=rounds {
        server = branch.play(server, data.path());
        println!("round {round}: {branch}");
    }
    server.stop();
    branch.assert_busy();
}
