//! `transact`: transactions beside the single requests that do the same without one, and statements beside their twins.

use std::process::ExitCode;

use clap::ValueEnum;

use crate::load::Sample;
use crate::report::{Limit, Line};
use crate::requests::MANY;
use crate::run::{Measure, Options, Run};
use crate::{Failure, procfs};

/// Items in the table: as many as 64 connections need for large transactions on items of their own.
const ITEMS: u64 = 64 * MANY;

const PUT: Line = line("PutItem");
const PUT_TWO: Line = line("TransactWriteItems 2");
const PUT_MANY: Line = line("TransactWriteItems 100");
const GET: Line = line("GetItem");
const GET_TWO: Line = line("TransactGetItems 2");
const SELECT: Line = line("ExecuteStatement");

const fn line(operation: &'static str) -> Line {
    Line { operation, on: "hashrange", connections: 64 }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Runs only these parts.
    #[arg(long, value_delimiter = ',', default_value = "writes,reads,statements")]
    part: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// TransactWriteItems of 2 and of 100 items beside PutItem.
    Writes,
    /// TransactGetItems of 2 items beside GetItem.
    Reads,
    /// A look-up by a statement beside GetItem.
    Statements,
}

/// Runs the parts and prints the report; exit code 1 when a bar does not hold.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let parts: [(Part, Measure); 3] =
        [(Part::Writes, writes), (Part::Reads, reads), (Part::Statements, statements)];
    let chosen = parts.iter().filter(|(part, _)| args.part.contains(part)).map(|(_, measure)| *measure);
    Run::new(&args.options, ITEMS)?.complete(chosen, args.options.report_only)
}

/// Runs workloads in turn on a table of its own.
fn compare(run: &mut Run, name: &'static str, workloads: &[(Line, &str)]) -> Result<(), Failure> {
    run.progress(&format!("a table for {name}"));
    let server = run.hashrange_with(name, ITEMS)?;
    for round in 1..=run.rounds {
        run.progress(&format!("round {round} of {}, {name}", run.rounds));
        for (line, workload) in workloads {
            let sample = server.load(workload, 64, ITEMS, run.seconds)?;
            run.report.sample(line.clone(), sample);
        }
    }
    server.stop()
}

fn writes(run: &mut Run) -> Result<(), Failure> {
    let workloads = [(PUT, "put"), (PUT_TWO, "transact-put"), (PUT_MANY, "transact-put-many")];
    compare(run, "transactions", &workloads)?;
    let measured = run.report.ratio(&PUT_TWO, &PUT, Sample::rate);
    run.report.bar(
        "durable TransactWriteItems of 2, 64 connections: requests/s / PutItem",
        measured,
        Limit::AtLeast(0.6),
    );
    let measured = run.report.ratio(&PUT_MANY, &PUT, |sample| sample.server_cpu_us) / procfs::as_f64(MANY);
    run.report.bar(
        "TransactWriteItems of 100, 64 connections: server CPU per item / PutItem",
        measured,
        Limit::AtMost(0.4),
    );
    Ok(())
}

fn reads(run: &mut Run) -> Result<(), Failure> {
    compare(run, "transactional reads", &[(GET, "get"), (GET_TWO, "transact-get")])?;
    let measured = run.report.ratio(&GET_TWO, &GET, Sample::rate);
    run.report.bar(
        "TransactGetItems of 2, 64 connections: requests/s / GetItem",
        measured,
        Limit::AtLeast(0.6),
    );
    Ok(())
}

fn statements(run: &mut Run) -> Result<(), Failure> {
    compare(run, "statements", &[(GET, "get"), (SELECT, "select")])?;
    let measured = run.report.ratio(&SELECT, &GET, Sample::rate);
    run.report.bar(
        "ExecuteStatement of a key, 64 connections: requests/s / GetItem",
        measured,
        Limit::AtLeast(0.7),
    );
    Ok(())
}
