//! Query of a collection with a past: one of its items, or all, overwritten very often, or used as a queue.
//!
//! A storage engine that keeps old versions and marks of deletion walks over them; what the client sees is the
//! same ten items. All collections are on one server, so that everything but their past is equal.

use crate::Failure;
use crate::load::Sample;
use crate::report::{Figure, Limit, Line};
use crate::run::Run;
use crate::server::Server;

/// Overwrites of one item, and inserts at the head of the queue (as many deletes), in each round.
const CHANGES: u64 = 100_000;

/// Places of one partition: more than any queue here gets through.
const PER_PARTITION: u64 = 1_000_000_000;

/// The place of the first item that stays: all of the queue passes before it.
const STAYS_AT: u64 = 900_000_000;

const CONNECTIONS: usize = 16;

/// Collections of ten items, each in a partition of its own.
#[derive(Clone, Copy, Debug)]
struct Collection {
    operation: &'static str,
    partition: u64,
}

const FRESH: Collection = Collection { operation: "Query 10, fresh", partition: 1 };
const OVERWRITTEN: Collection = Collection { operation: "Query 10, overwritten", partition: 2 };
const QUEUE: Collection = Collection { operation: "Query 10, queue", partition: 3 };
const ALL_OVERWRITTEN: Collection = Collection { operation: "Query 10, all overwritten", partition: 4 };

impl Collection {
    fn line(self) -> Line {
        Line { operation: self.operation, on: "hashrange", connections: CONNECTIONS }
    }

    fn load(self, run: &Run, server: &Server, workload: Workload) -> Result<Sample, Failure> {
        let Workload { name, connections, place, keys, requests } = workload;
        let first = (self.partition * PER_PARTITION + place).to_string();
        let (per_partition, requests) =
            (PER_PARTITION.to_string(), requests.map(|requests| requests.to_string()));
        let mut more = vec!["--first", &first, "--per-partition", &per_partition];
        more.extend(requests.iter().flat_map(|requests| ["--requests", requests]));
        server.load_more(name, connections, keys, run.seconds, &more)
    }
}

#[derive(Clone, Copy, Debug)]
struct Workload {
    name: &'static str,
    connections: usize,
    place: u64,
    keys: u64,
    requests: Option<u64>,
}

const FILL: Workload = Workload { name: "fill", connections: 1, place: STAYS_AT, keys: 10, requests: None };
const QUERY: Workload = Workload { name: "query", connections: CONNECTIONS, ..FILL };
const OVERWRITE: Workload =
    Workload { name: "put", connections: 64, place: STAYS_AT + 4, keys: 1, requests: Some(CHANGES) };
const OVERWRITE_ALL: Workload = Workload { place: STAYS_AT, keys: 10, ..OVERWRITE };
const PASS_THROUGH: Workload =
    Workload { name: "queue", connections: 64, place: 0, keys: 1, requests: Some(2 * CHANGES) };

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    run.progress("collections with a past");
    let server = run.hashrange_with_table("history")?;
    for collection in [FRESH, OVERWRITTEN, ALL_OVERWRITTEN, QUEUE] {
        collection.load(run, &server, FILL)?;
    }
    for round in 1..=run.rounds {
        let pasts = [(OVERWRITTEN, OVERWRITE), (ALL_OVERWRITTEN, OVERWRITE_ALL), (QUEUE, PASS_THROUGH)];
        for (collection, past) in pasts {
            run.progress(&format!("round {round} of {}, {}", run.rounds, collection.operation));
            collection.load(run, &server, past)?;
            let sample = collection.load(run, &server, QUERY)?;
            run.report.sample(collection.line(), sample);
        }
        let sample = FRESH.load(run, &server, QUERY)?;
        run.report.sample(FRESH.line(), sample);
    }
    judge(run);
    server.stop()
}

fn judge(run: &mut Run) {
    let figures: [(&str, Figure); 2] =
        [("server CPU", |sample| sample.server_cpu_us), ("p50", |sample| sample.p50_us)];
    for (collection, past) in [
        (OVERWRITTEN, "after 100 thousand overwrites of one item"),
        (ALL_OVERWRITTEN, "after 100 thousand overwrites of its items"),
        (QUEUE, "after 100 thousand inserts and deletes at the head"),
    ] {
        for (name, figure) in figures {
            let measured = run.report.ratio(&collection.line(), &FRESH.line(), figure);
            run.report.bar(format!("Query {past}: {name} / fresh"), measured, Limit::AtMost(3.0));
        }
    }
}
