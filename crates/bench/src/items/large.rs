//! Load, memory, reads, restart and recovery with the large table.

use std::time::{Duration, Instant};

use super::startup;
use crate::Failure;
use crate::load::Sample;
use crate::procfs::resident;
use crate::report::{Limit, Line};
use crate::run::{Run, megabytes};
use crate::server::Server;

/// Items of the table that the large one is compared with.
const FEW: u64 = 1000;

const GET_FEW: &str = "GetItem of 1 thousand";
const GET_MANY: &str = "GetItem of many";

/// Crashes under load whose recovery is timed.
const CRASHES: usize = 3;

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    run.progress(&format!("load of {} items through the API", run.items));
    let started = Instant::now();
    let many = run.hashrange_with("many", run.items)?;
    let loaded_in = started.elapsed().as_secs_f64();
    let peak = megabytes(resident(many.pid())?.peak);
    run.report
        .note(format!("{} items loaded through PutItem in {loaded_in:.1} s; peak {peak:.0} MB.", run.items));
    run.settle(&many)?;
    compare(run, &many)?;
    let peak = megabytes(resident(many.pid())?.peak);
    run.report.bar(
        format!("{} items: peak resident memory, load and reads, MB", run.items),
        peak,
        Limit::AtMost(300.0),
    );
    many.stop()?;
    restarts(run)?;
    recoveries(run)
}

/// Reads of the large table and of a small one, interleaved.
fn compare(run: &mut Run, many: &Server) -> Result<(), Failure> {
    let few = run.hashrange_with("few", FEW)?;
    // The first reads of a freshly loaded table fill the cache; they are not what is compared.
    many.load("get", 64, run.items, run.seconds)?;
    for round in 1..=run.rounds {
        run.progress(&format!("round {round} of {}, reads of few and of many", run.rounds));
        for connections in [1, 64] {
            for (operation, server, keys) in [(GET_FEW, &few, FEW), (GET_MANY, many, run.items)] {
                let sample = server.load("get", connections, keys, run.seconds)?;
                run.report.sample(Line { operation, on: "hashrange", connections }, sample);
            }
        }
    }
    few.stop()?;
    let line = |operation, connections| Line { operation, on: "hashrange", connections };
    let ratio = |connections, field: fn(&Sample) -> f64| {
        run.report.ratio(&line(GET_MANY, connections), &line(GET_FEW, connections), field)
    };
    let alone = ratio(1, |sample| sample.p50_us);
    let [p50, cpu] = [ratio(64, |sample| sample.p50_us), ratio(64, |sample| sample.server_cpu_us)];
    run.report.note(format!(
        "GetItem with 64 connections on {} items / 1,000: p50 {p50:.2}, server CPU {cpu:.2}: what blocks cost that come from \
         the operating system, beside requests that wait for nothing.",
        run.items
    ));
    run.report.bar(format!("GetItem: p50 on {} items / 1,000", run.items), alone, Limit::AtMost(1.3));
    Ok(())
}

/// Start-up after clean stops, beside empty folders.
fn restarts(run: &mut Run) -> Result<(), Failure> {
    run.progress("start-up after a clean stop");
    let empty = startup::on_empty_folders(run)?;
    let full = startup::after_clean_stops(run, "many")?;
    run.report.note(format!(
        "Start-up: {:.0} ms on an empty folder, {:.0} ms after a clean stop.",
        empty * 1e3,
        full * 1e3
    ));
    run.report.bar(
        format!("start-up with {} items / empty folder", run.items),
        full / empty,
        Limit::AtMost(3.0),
    );
    let server = run.hashrange("many")?;
    std::thread::sleep(Duration::from_secs(2));
    let idle = megabytes(resident(server.pid())?.now);
    run.report
        .note(format!("Idle resident memory after a clean start with {} items: {idle:.1} MB.", run.items));
    server.stop()
}

/// The slowest start after the server was ended in the middle of durable writes.
fn recoveries(run: &mut Run) -> Result<(), Failure> {
    let mut slowest = Duration::ZERO;
    for crash in 1..=CRASHES {
        run.progress(&format!("recovery {crash} of {CRASHES}"));
        let server = run.hashrange("many")?;
        let mut writers = server.spawn_writers(64, run.items)?;
        std::thread::sleep(Duration::from_secs_f64(run.seconds));
        if let Some(status) = writers.try_wait()? {
            return Err(format!("the writers ended before the crash: {status}").into());
        }
        server.kill()?;
        // The writers lose their connections; that is what was asked for.
        writers.wait()?;
        let server = Server::hashrange_timed(&run.server, &run.data("many"))?;
        slowest = slowest.max(server.ready_after());
        server.stop()?;
    }
    let what = format!("start-up with {} items after SIGKILL, seconds, slowest of {CRASHES}", run.items);
    run.report.bar(what, slowest.as_secs_f64(), Limit::AtMost(2.0));
    Ok(())
}
