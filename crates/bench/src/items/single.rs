//! GetItem, PutItem and UpdateItem on one thousand items.

use crate::disk::{self, Grouping};
use crate::load::{COUNTERS_FROM, Sample};
use crate::report::{Figure, Limit, Line, Report, median};
use crate::requests::{FIRST_VISITS, Layout, TABLE, Template};
use crate::run::Run;
use crate::server::Server;
use crate::{Failure, procfs};

/// Items to read and to overwrite.
const ITEMS: u64 = 1000;

/// Items of the counter workloads: ten per connection, so that each has a partition of its own.
const COUNTERS: u64 = 10 * 65;

const CONNECTIONS: [usize; 3] = [1, 16, 64];

/// The disk in groups as large as the server's own, but of no less than a quarter of the connections: a server
/// that does not group must not be held against a disk that does not either.
const DISK: &str = "disk";

/// The disk with clients that cost nothing, so in the largest groups that so many connections allow.
const DISK_CLIENTS: &str = "disk, free clients";

const CPU: Figure = |sample| sample.server_cpu_us;
const P50: Figure = |sample| sample.p50_us;

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    run.progress("one thousand items");
    let bare = Server::bare(0)?;
    let hashrange = run.hashrange_with("single", ITEMS)?;
    check_item_size(run, &hashrange)?;
    hashrange.load("fill-counters", 64, COUNTERS, run.seconds)?;
    let mut added = 0;
    for round in 1..=run.rounds {
        for connections in CONNECTIONS {
            run.progress(&format!("round {round} of {}, {connections} connections", run.rounds));
            compare(run, &bare, &hashrange, connections)?;
        }
        run.progress(&format!("round {round} of {}, counters", run.rounds));
        added += counters(run, &hashrange)?;
    }
    judge(run);
    check_sum(run, &hashrange, added)?;
    hashrange.stop()
}

/// One round of reads and writes on every side.
fn compare(run: &mut Run, bare: &Server, hashrange: &Server, connections: usize) -> Result<(), Failure> {
    for (operation, workload) in [("GetItem", "get"), ("PutItem", "put")] {
        for (on, server) in [("bare", bare), ("hashrange", hashrange)] {
            let flushes = procfs::flushes_of_disk(run.folder.path());
            let mut sample = server.load(workload, connections, ITEMS, run.seconds)?;
            if (on, operation) == ("hashrange", "PutItem") {
                sample.requests_per_flush = per_flush(run, &sample, flushes);
                probe_disk(run, &sample, connections)?;
            }
            run.report.sample(Line { operation, on, connections }, sample);
        }
    }
    Ok(())
}

/// One round of the disk: in the groups that the server just made, and with clients that cost nothing.
fn probe_disk(run: &mut Run, server: &Sample, connections: usize) -> Result<(), Failure> {
    let mut probe = |on, grouping| -> Result<(), Failure> {
        let sample = disk::probe(run.folder.path(), grouping, run.seconds)?;
        run.report.sample(Line { operation: "PutItem", on, connections }, sample);
        Ok(())
    };
    let clients = Grouping::Clients(connections);
    let least = procfs::as_f64(connections as u64) / 4.0;
    probe(DISK, server.requests_per_flush.map_or(clients, |mean| Grouping::Mean(mean.max(least))))?;
    probe(DISK_CLIENTS, clients)
}

/// Requests per flush of the disk since `before`, where the kernel counts flushes.
fn per_flush(run: &Run, sample: &Sample, before: Option<u64>) -> Option<f64> {
    let flushes = procfs::flushes_of_disk(run.folder.path())?.checked_sub(before?)?;
    (flushes > 0).then(|| procfs::as_f64(sample.sent) / procfs::as_f64(flushes))
}

/// One round of the two counter workloads; how many additions the one item got.
fn counters(run: &mut Run, hashrange: &Server) -> Result<u64, Failure> {
    let mut on_one = 0;
    for (operation, workload) in [("ADD, own items", "add-distinct"), ("ADD, one item", "add-one")] {
        let sample = hashrange.load(workload, 64, ITEMS, run.seconds)?;
        on_one = sample.sent;
        run.report.sample(Line { operation, on: "hashrange", connections: 64 }, sample);
    }
    Ok(on_one)
}

fn judge(run: &mut Run) {
    let line = |operation, on, connections| Line { operation, on, connections };
    let report = &mut run.report;
    let against_bare = |operation, connections, figure| {
        move |report: &Report| {
            report.ratio(
                &line(operation, "hashrange", connections),
                &line(operation, "bare", connections),
                figure,
            )
        }
    };
    let measured = against_bare("GetItem", 64, CPU)(report);
    report.bar("GetItem, 64 connections: server CPU / bare", measured, Limit::AtMost(1.9));
    let measured = against_bare("PutItem", 64, CPU)(report);
    report.bar("durable PutItem, 64 connections: server CPU / bare", measured, Limit::AtMost(4.0));
    let measured = against_bare("GetItem", 1, P50)(report);
    report.bar("GetItem, 1 connection: p50 / bare", measured, Limit::AtMost(1.3));
    let measured = against_floor(report, DISK);
    report.bar(
        "durable PutItem, 16 connections: requests/s / min(bare, disk)",
        measured,
        Limit::AtLeast(0.6),
    );
    let stricter = against_floor(report, DISK_CLIENTS);
    report.note(format!("Durable PutItem, 16 connections, beside min(bare, {DISK_CLIENTS}): {stricter:.2}."));
    let (one, own) = (line("ADD, one item", "hashrange", 64), line("ADD, own items", "hashrange", 64));
    let measured = report.ratio(&one, &own, Sample::rate);
    report.bar(
        "UpdateItem ADD, 64 connections: one item / own items, requests/s",
        measured,
        Limit::AtLeast(0.4),
    );
}

/// Durable writes per second at 16 connections beside the lower of the two floors.
fn against_floor(report: &Report, disk: &'static str) -> f64 {
    let samples = |on| report.samples(&Line { operation: "PutItem", on, connections: 16 });
    let rounds = samples("hashrange").iter().zip(samples("bare")).zip(samples(disk));
    median(rounds.map(|((real, bare), disk)| real.rate() / bare.rate().min(disk.rate())).collect())
}

/// The one item must hold what it began with and every addition that was answered; each was.
fn check_sum(run: &mut Run, hashrange: &Server, added: u64) -> Result<(), Failure> {
    let mut template = Template::get(Layout::default());
    let request = std::str::from_utf8(template.fill(COUNTERS_FROM, 0))?;
    let (_, body) = request.split_once("\r\n\r\n").ok_or("a request without a body")?;
    let answer: serde_json::Value = serde_json::from_str(&hashrange.connect()?.call("GetItem", body)?)?;
    let visits = answer["Item"]["visits"]["N"].as_str().ok_or("the counter is gone")?;
    let lost = procfs::as_f64((FIRST_VISITS + added).abs_diff(visits.parse()?));
    run.report.bar(
        format!("UpdateItem ADD: {added} additions, difference of the sum"),
        lost,
        Limit::AtMost(0.0),
    );
    Ok(())
}

/// The workload promises items of 400 bytes by DynamoDB's rules.
fn check_item_size(run: &mut Run, hashrange: &Server) -> Result<(), Failure> {
    let answer = hashrange.connect()?.call("DescribeTable", &format!(r#"{{"TableName":"{TABLE}"}}"#))?;
    let answer: serde_json::Value = serde_json::from_str(&answer)?;
    let size = |field: &str| answer["Table"][field].as_u64().unwrap_or(0);
    let (items, bytes) = (size("ItemCount"), size("TableSizeBytes"));
    if (items, bytes) != (ITEMS, ITEMS * 400) {
        run.report
            .note(format!("NOTE: {ITEMS} items of 400 bytes are described as {items} items, {bytes} bytes."));
    }
    Ok(())
}
