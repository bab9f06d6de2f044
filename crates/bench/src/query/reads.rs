//! Query of 10 and of 50 items beside a bare server that returns the same bytes.

use crate::load::Sample;
use crate::report::{Limit, Line};
use crate::run::Run;
use crate::server::Server;
use crate::{Failure, procfs};

/// Items of the table, for each size of partition.
const ITEMS: u64 = 1000;

/// How many items a Query finds, and with how many connections it is sent.
const CASES: [Case; 3] = [
    Case { operation: "Query 10", items: 10, first: 0, connections: 64 },
    Case { operation: "Query 10", items: 10, first: 0, connections: 16 },
    Case { operation: "Query 50", items: 50, first: 50_000_000, connections: 16 },
];

#[derive(Clone, Copy, Debug)]
struct Case {
    operation: &'static str,
    items: usize,
    /// Number of the first item, so that partitions of both sizes are apart.
    first: u64,
    connections: usize,
}

impl Case {
    fn line(self, on: &'static str) -> Line {
        Line { operation: self.operation, on, connections: self.connections }
    }

    fn load(
        self,
        server: &Server,
        workload: &str,
        connections: usize,
        seconds: f64,
    ) -> Result<Sample, Failure> {
        let (first, items) = (self.first.to_string(), self.items.to_string());
        server.load_more(
            workload,
            connections,
            ITEMS,
            seconds,
            &["--first", &first, "--per-partition", &items],
        )
    }
}

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    run.progress("collections of 10 and of 50 items");
    let hashrange = run.hashrange_with_table("reads")?;
    let bare = [(10, Server::bare(10)?), (50, Server::bare(50)?)];
    for case in [CASES[0], CASES[2]] {
        case.load(&hashrange, "fill", 64, run.seconds)?;
    }
    for round in 1..=run.rounds {
        run.progress(&format!("round {round} of {}, Query", run.rounds));
        for case in CASES {
            let (_, bare) =
                bare.iter().find(|(items, _)| *items == case.items).ok_or("no such bare server")?;
            for (on, server) in [("bare", bare), ("hashrange", &hashrange)] {
                let sample = case.load(server, "query", case.connections, run.seconds)?;
                run.report.sample(case.line(on), sample);
            }
        }
    }
    judge(run);
    hashrange.stop()
}

fn judge(run: &mut Run) {
    let [many, _, fifty] = CASES;
    for case in CASES {
        compare_bytes(run, case);
    }
    let measured =
        run.report.ratio(&many.line("hashrange"), &many.line("bare"), |sample| sample.server_cpu_us);
    run.report.bar("Query of 10 items, 64 connections: server CPU / bare", measured, Limit::AtMost(3.0));
    let measured = run.report.ratio(&fifty.line("hashrange"), &fifty.line("bare"), Sample::rate);
    run.report.bar("Query of 50 items, 16 connections: requests/s / bare", measured, Limit::AtLeast(0.5));
}

/// The two servers must send the same, or the comparison says nothing.
fn compare_bytes(run: &mut Run, case: Case) {
    let bytes = |on| run.report.samples(&case.line(on)).first().map_or(0, |sample| sample.answer_bytes);
    let (bare, real) = (bytes("bare"), bytes("hashrange"));
    if bare != real {
        run.report.note(format!(
            "NOTE: {} is answered with {real} bytes, by the bare server with {bare} ({:+.1} %).",
            case.operation,
            (procfs::as_f64(real) / procfs::as_f64(bare) - 1.0) * 100.0
        ));
    }
}
