//! The same Query on a small and on the large table.

use std::time::Instant;

use crate::Failure;
use crate::load::Sample;
use crate::procfs::{read_from_disk, resident};
use crate::report::{Limit, Line};
use crate::run::{Run, megabytes};

/// Items of the small table.
const FEW: u64 = 10_000;

const ON_FEW: &str = "Query 10 of 10 thousand";
const ON_MANY: &str = "Query 10 of many";

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    run.progress(&format!("load of {} items through BatchWriteItem", run.items));
    let many = run.hashrange_with_table("many")?;
    let started = Instant::now();
    many.load("batch-fill", 64, run.items, run.seconds)?;
    let peak = megabytes(resident(many.pid())?.peak);
    run.report.note(format!(
        "{} items loaded through BatchWriteItem in {:.1} s; peak {peak:.0} MB.",
        run.items,
        started.elapsed().as_secs_f64()
    ));
    run.settle(&many)?;
    let few = run.hashrange_with_table("few")?;
    few.load("batch-fill", 64, FEW, run.seconds)?;
    // The first reads of a freshly loaded table fill the cache; they are not what is compared.
    many.load("query", 64, run.items, run.seconds)?;
    let read_before = read_from_disk(many.pid())?;
    for round in 1..=run.rounds {
        run.progress(&format!("round {round} of {}, Query of few and of many", run.rounds));
        for connections in [1, 64] {
            for (operation, server, keys) in [(ON_FEW, &few, FEW), (ON_MANY, &many, run.items)] {
                let sample = server.load("query", connections, keys, run.seconds)?;
                run.report.sample(Line { operation, on: "hashrange", connections }, sample);
            }
        }
    }
    // Where the operating system has let go of the large table's files, latencies are those of the disk.
    let read = megabytes(read_from_disk(many.pid())? - read_before);
    run.report.note(format!("Read from the disk meanwhile, for Query on {} items: {read:.1} MB.", run.items));
    let ratio = |connections, field: fn(&Sample) -> f64| {
        let line = |operation| Line { operation, on: "hashrange", connections };
        run.report.ratio(&line(ON_MANY), &line(ON_FEW), field)
    };
    let alone = ratio(1, |sample| sample.p50_us);
    let [p50, cpu] = [ratio(64, |sample| sample.p50_us), ratio(64, |sample| sample.server_cpu_us)];
    run.report.note(format!(
        "Query of 10 items with 64 connections on {} items / 10,000: p50 {p50:.2}, server CPU {cpu:.2}.",
        run.items
    ));
    run.report.bar(
        format!("Query of 10 items: p50 on {} items / 10,000", run.items),
        alone,
        Limit::AtMost(1.3),
    );
    few.stop()?;
    many.stop()
}
