//! Scan in one and in two segments, beside an iteration with the storage engine alone.
//!
//! The scans have a filter that decodes an attribute of every item and lets none through, so that items are
//! examined and the client has next to nothing to do.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::thread::available_parallelism;

use crate::load::Sample;
use crate::report::{Limit, Line};
use crate::run::Run;
use crate::server::{Server, read_sample};
use crate::{Failure, group};

/// A fifth of the large table, within these.
const ITEMS_MIN: u64 = 100_000;
const ITEMS_MAX: u64 = 1_000_000;

const ONE: Line = line("Scan, items examined", "hashrange", 1);
const TWO: Line = line("Scan, items examined", "hashrange", 2);
const RAW: Line = line("rows iterated", "engine", 1);
const RETURNED: Line = line("Scan, items returned", "hashrange", 1);

const fn line(operation: &'static str, on: &'static str, connections: usize) -> Line {
    Line { operation, on, connections }
}

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    let items = (run.items / 5).clamp(ITEMS_MIN, ITEMS_MAX);
    run.progress(&format!("a table of {items} items to scan"));
    let server = run.hashrange_with_table("scans")?;
    server.load("batch-fill", 64, items, run.seconds)?;
    run.settle(&server)?;
    server.stop()?;
    let copy = run.data("scans-copy");
    copy_folder(&run.data("scans"), &copy)?;
    let server = run.hashrange("scans")?;
    // The first scan fills the caches; it is not what is compared.
    scan(&server, 1, true)?;
    for round in 1..=run.rounds {
        run.progress(&format!("round {round} of {}, Scan", run.rounds));
        for (line, segments, filtered) in [(ONE, 1, true), (TWO, 2, true), (RETURNED, 1, false)] {
            let sample = scan(&server, segments, filtered)?;
            check_count(sample.requests, items)?;
            run.report.sample(line, sample);
        }
        run.report.sample(RAW, iterate(&copy)?);
    }
    judge(run);
    server.stop()
}

fn judge(run: &mut Run) {
    let measured = run.report.ratio(&TWO, &ONE, Sample::rate);
    run.report.bar("Scan: items/s in 2 segments / in 1", measured, Limit::AtLeast(1.6));
    let measured = run.report.ratio(&ONE, &RAW, Sample::rate);
    run.report.bar("Scan: items/s examined / rows/s of the engine alone", measured, Limit::AtLeast(0.4));
    let cores = available_parallelism().map_or(1, usize::from);
    run.report.note(format!(
        "Scans: k req/s are thousands of items, latencies are of pages. Two segments need two free cores; this machine has {cores}."
    ));
}

fn scan(server: &Server, segments: usize, filtered: bool) -> Result<Sample, Failure> {
    let segments = segments.to_string();
    let mut arguments = vec!["--segments", segments.as_str()];
    arguments.extend(filtered.then_some("--filtered"));
    server.run("scan", &arguments)
}

fn check_count(found: u64, loaded: u64) -> Result<(), Failure> {
    // The last batch of a load may go past what was asked for.
    if (loaded..loaded + crate::requests::BATCH).contains(&found) {
        return Ok(());
    }
    Err(format!("a scan found {found} items of {loaded}").into())
}

/// One iteration in a process of its own.
fn iterate(folder: &Path) -> Result<Sample, Failure> {
    let mut command = group::command(&std::env::current_exe()?)?;
    read_sample(command.arg("raw").arg("--data").arg(folder).stdout(Stdio::piped()).spawn()?)
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
