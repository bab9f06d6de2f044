//! `hashrange-bench`: what the server costs, beside what nobody can avoid.
//!
//! `items`, `query` and `transact` start the server under test, a [bare] server on the same HTTP library, a [disk] probe
//! and a load [generator](load), each as a process of its own, run them in turn on one machine, and print a
//! table with the bars of the project. Absolute figures belong to the machine; ratios are what the bars judge.

#![expect(
    clippy::disallowed_methods,
    reason = "a load generator measures real time on real threads; it is never simulated"
)]

mod apart;
mod bare;
mod client;
mod disk;
mod group;
mod histogram;
mod items;
mod load;
mod procfs;
mod query;
mod raw;
mod record;
mod report;
mod requests;
mod run;
mod scan;
mod server;
mod sign;
mod transact;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What went wrong, in words for the person who started the run.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Measures the server beside a bare HTTP server and the raw disk.
#[derive(Debug, Parser)]
#[command(name = "hashrange-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the whole comparison for single-item requests and prints the table and the bars.
    Items(items::Args),
    /// The same for Query, Scan, batches and indexes.
    Query(query::Args),
    /// What a recording of traffic costs: CPU of GetItem and PutItem with and without.
    Record(record::Args),
    /// Verifies signatures, in this process.
    Sign(sign::Args),
    /// The same for transactions and statements.
    Transact(transact::Args),
    /// Serves fixed answers on the same HTTP library: the floor for CPU and latency.
    Bare(bare::Args),
    /// Appends and flushes as a group-commit writer would: the floor for durable writes.
    Disk(disk::Args),
    /// Sends requests in a closed loop and prints one line of JSON.
    Load(load::Args),
    /// Scans a table from its beginning to its end, each segment on a connection of its own; counts items.
    Scan(scan::Args),
    /// Iterates over the rows of a stopped server's folder with the storage engine alone; counts rows.
    Raw(raw::Args),
    /// Runs a program in a scheduling group of its own.
    #[command(hide = true)]
    Exec(group::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Items(args) => items::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Record(args) => record::run(&args),
        Command::Sign(args) => sign::run(&args),
        Command::Transact(args) => transact::run(&args),
        Command::Scan(args) => scan::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Raw(args) => raw::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Bare(args) => bare::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Disk(args) => disk::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Load(args) => load::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Exec(args) => Err(group::run(&args)),
    };
    outcome.unwrap_or_else(|failure| {
        eprintln!("hashrange-bench: {failure}");
        ExitCode::from(2)
    })
}
