//! A server is killed at random moments under concurrent writers, again and again on one folder. Each time it
//! must come back with every write that it answered, with none of the others half done, with totals and index
//! entries that agree with the items, and with everything that a reader has seen.
//!
//! `HASHRANGE_CRASH_ROUNDS` sets the number of rounds, `HASHRANGE_CRASH_SEED` repeats a run's choices (the
//! moments of the kernel's scheduler it cannot repeat).

mod folder;
mod http;
mod item;
mod server;
#[path = "../../../store-local/tests/shim/mod.rs"]
mod shim;
mod world;

use std::str::FromStr;

use hashrange_env::{Random, RealRandom};

use server::Server;
use shim::Shim;
use world::World;

/// Rounds of an ordinary test run.
const ROUNDS: u64 = 20;
/// Rounds with a power cut. The store below has fifty of its own.
const POWER_CUTS: u64 = 10;

fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

#[test]
fn a_killed_server_comes_back_with_every_answered_write_and_no_partial_one() {
    let rounds = variable("HASHRANGE_CRASH_ROUNDS").unwrap_or(ROUNDS);
    let seed = variable("HASHRANGE_CRASH_SEED").unwrap_or_else(|| RealRandom.next_u64());
    println!("{rounds} rounds; repeat with HASHRANGE_CRASH_SEED={seed}");
    let data = tempfile::tempdir().expect("a folder for data");
    let mut world = World::new(seed);
    let server = Server::start(data.path());
    World::begin(&server);
    world.run_until_killed(server);
    for round in 1..rounds {
        // The folder is recovered in turn by a server and by the store alone, whose rows show the indexes.
        if round % 2 == 0 {
            folder::check(data.path(), &mut world);
        }
        let server = Server::start(data.path());
        world.check(&server);
        println!("round {round}: {world}");
        world.run_until_killed(server);
    }
    let server = Server::start(data.path());
    world.check(&server);
    server.stop();
    folder::check(data.path(), &mut world);
    println!("after {rounds} rounds: {world}");
}

#[test]
fn a_power_cut_takes_back_no_answered_write_and_nothing_that_was_seen() {
    let rounds = variable("HASHRANGE_CRASH_ROUNDS").unwrap_or(POWER_CUTS);
    let seed = variable("HASHRANGE_CRASH_SEED").unwrap_or_else(|| RealRandom.next_u64());
    println!("{rounds} rounds; repeat with HASHRANGE_CRASH_SEED={seed}");
    let base = tempfile::tempdir().expect("a folder for data");
    let shim = Shim::new(base.path());
    let start = || {
        let mut command = Server::command(shim.root());
        shim.record(&mut command);
        Server::spawn(command)
    };
    let mut world = World::new(seed);
    let server = start();
    World::begin(&server);
    world.run_until_killed(server);
    let mut undone = shim.cut_power();
    for round in 1..rounds {
        if round % 2 == 0 {
            folder::check(shim.root(), &mut world);
        }
        let server = start();
        world.check(&server);
        world.run_until_killed(server);
        undone += shim.cut_power();
        println!("round {round}: {world}, {undone} changes taken back");
    }
    folder::check(shim.root(), &mut world);
    assert!(undone > 0, "no power cut took anything back: the layer does not work");
}
