//! `query`: Query, Scan, batches and indexes, beside the bare server, the storage engine and single requests.

mod history;
mod reads;
mod scans;
mod sizes;
mod writes;

use std::process::ExitCode;

use clap::ValueEnum;

use crate::Failure;
use crate::run::{Measure, Options, Run};

/// Items of the large table with `--quick`.
const QUICK_ITEMS: u64 = 200_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Items of the large table; 200,000 with --quick. Five million take about 4 GB.
    #[arg(long, default_value_t = 5_000_000)]
    items: u64,
    /// Runs only these parts.
    #[arg(long, value_delimiter = ',', default_value = "reads,writes,history,scans,sizes")]
    part: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Query of 10 and of 50 items beside the bare server.
    Reads,
    /// Writes to a table with five indexes, and in batches.
    Writes,
    /// Query of collections that were overwritten or used as a queue.
    History,
    /// Scan in one and in two segments beside the storage engine alone.
    Scans,
    /// Query of a small and of the large table.
    Sizes,
}

/// Runs the parts and prints the report; exit code 1 when a bar does not hold.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let parts: [(Part, Measure); 5] = [
        (Part::Reads, reads::run),
        (Part::Writes, writes::run),
        (Part::History, history::run),
        (Part::Scans, scans::run),
        (Part::Sizes, sizes::run),
    ];
    let chosen = parts.iter().filter(|(part, _)| args.part.contains(part)).map(|(_, measure)| *measure);
    let items = if args.options.quick { QUICK_ITEMS } else { args.items };
    Run::new(&args.options, items)?.complete(chosen, args.options.report_only)
}
