//! `record`: what a recording of traffic (`serve --record`) costs the server.

use std::process::ExitCode;

use crate::Failure;
use crate::load::Sample;
use crate::report::{Limit, Line, median};
use crate::run::{Options, Run};
use crate::server::Server;

/// Items to read and to overwrite.
const ITEMS: u64 = 1000;
const CONNECTIONS: usize = 64;
/// A difference of three per cent drowns in the noise of a few rounds: there are so many for each that is asked for.
const TIMES: usize = 7;
/// What a recording may cost, as a share of the server's CPU time for each request.
const COST_MAX: f64 = 1.03;

const ON: &str = "recording";
const OFF: &str = "hashrange";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
}

/// Measures, and prints the report; exit code 1 when a bar does not hold.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    Run::new(&args.options, ITEMS)?.complete([measure as crate::run::Measure], args.options.report_only)
}

/// Two servers, one of which records, in turns; each begins as often as the other.
fn measure(run: &mut Run) -> Result<(), Failure> {
    let off = filled(run, OFF)?;
    let on = filled(run, ON)?;
    let rounds = run.rounds * TIMES;
    for round in 1..=rounds {
        run.progress(&format!("round {round} of {rounds}"));
        for (operation, workload) in [("GetItem", "get"), ("PutItem", "put")] {
            let mut sides = [(OFF, &off), (ON, &on)];
            if round % 2 == 0 {
                sides.reverse();
            }
            for (side, server) in sides {
                let sample = server.load(workload, CONNECTIONS, ITEMS, run.seconds)?;
                run.report.sample(line(operation, side), sample);
            }
        }
    }
    judge(run);
    off.stop()?;
    on.stop()
}

/// A server with the bench's table and its items.
fn filled(run: &Run, name: &str) -> Result<Server, Failure> {
    let file = run.data("recording.json");
    let recording = (name == ON).then_some(file.as_path());
    let server = Server::hashrange_recording(&run.server, &run.data(name), recording)?;
    server.connect()?.call("CreateTable", &crate::requests::create_table())?;
    server.load("fill", CONNECTIONS, ITEMS, run.seconds)?;
    Ok(server)
}

fn judge(run: &mut Run) {
    for operation in ["GetItem", "PutItem"] {
        let cpu = |sample: &Sample| sample.server_cpu_us;
        let ratio = run.report.ratio(&line(operation, ON), &line(operation, OFF), cpu);
        let quarter = |share: f64| spread(run, operation, share);
        let (low, high) = (quarter(0.25), quarter(0.75));
        run.report.note(format!(
            "{operation}: recording costs {:+.2} % of server CPU at the median; half of the rounds lie between {:+.2} and {:+.2} %.",
            (ratio - 1.0) * 100.0,
            (low - 1.0) * 100.0,
            (high - 1.0) * 100.0
        ));
        let what = format!("{operation}, {CONNECTIONS} connections: server CPU recording / not recording");
        run.report.bar(what, ratio, Limit::AtMost(COST_MAX));
    }
}

/// The ratio that this share of the rounds does not exceed.
fn spread(run: &Run, operation: &'static str, share: f64) -> f64 {
    let (on, off) = (run.report.samples(&line(operation, ON)), run.report.samples(&line(operation, OFF)));
    let ratios = on.iter().zip(off).map(|(on, off)| on.server_cpu_us / off.server_cpu_us);
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_by(f64::total_cmp);
    let middle = median(ratios.clone());
    let half: Vec<f64> = ratios.into_iter().filter(|ratio| (*ratio <= middle) == (share < 0.5)).collect();
    median(half)
}

fn line(operation: &'static str, on: &'static str) -> Line {
    Line { operation, on, connections: CONNECTIONS }
}
