//! What indexes cost a write, and what a batch saves.

use crate::load::Sample;
use crate::report::{Limit, Line};
use crate::requests::{self, BATCH, INDEXED_TABLE};
use crate::run::Run;
use crate::{Failure, procfs};

/// Items to overwrite in each table.
const ITEMS: u64 = 1000;

const PLAIN: Line = line("PutItem");
const INDEXED: Line = line("PutItem, 5 indexes");
const BATCHED: Line = line("BatchWriteItem 25");

const fn line(operation: &'static str) -> Line {
    Line { operation, on: "hashrange", connections: 64 }
}

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    run.progress("a table without and one with five indexes");
    let server = run.hashrange_with("writes", ITEMS)?;
    server.connect()?.call("CreateTable", &requests::create_indexed_table())?;
    let indexed = ["--table", INDEXED_TABLE];
    server.load_more("fill", 64, ITEMS, run.seconds, &indexed)?;
    for round in 1..=run.rounds {
        run.progress(&format!("round {round} of {}, writes", run.rounds));
        for (line, workload, more) in
            [(PLAIN, "put", &[][..]), (INDEXED, "put", &indexed[..]), (BATCHED, "batch", &[][..])]
        {
            let sample = server.load_more(workload, 64, ITEMS, run.seconds, more)?;
            run.report.sample(line, sample);
        }
    }
    let measured = run.report.ratio(&INDEXED, &PLAIN, Sample::rate);
    run.report.bar(
        "PutItem, 64 connections: requests/s with 5 indexes / none",
        measured,
        Limit::AtLeast(0.25),
    );
    let measured = run.report.ratio(&BATCHED, &PLAIN, |sample| sample.server_cpu_us) / procfs::as_f64(BATCH);
    run.report.bar(
        "BatchWriteItem of 25, 64 connections: server CPU per item / PutItem",
        measured,
        Limit::AtMost(0.35),
    );
    server.stop()
}
