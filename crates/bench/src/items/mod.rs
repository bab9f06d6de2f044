//! `items`: single-item requests, start-up and memory of the server, beside the bare server and the disk.

mod large;
mod single;
mod startup;

use std::process::ExitCode;

use clap::ValueEnum;

use crate::Failure;
use crate::run::{Measure, Options, Run};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Items of the large table; 50,000 with --quick.
    #[arg(long, default_value_t = 1_000_000)]
    items: u64,
    /// Runs only these parts.
    #[arg(long, value_delimiter = ',', default_value = "startup,single,large")]
    part: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Start-up and memory with an empty folder.
    Startup,
    /// GetItem, PutItem and UpdateItem on one thousand items.
    Single,
    /// Load, memory, reads, restart and recovery with the large table.
    Large,
}

/// Runs the parts and prints the report; exit code 1 when a bar does not hold.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let parts: [(Part, Measure); 3] =
        [(Part::Startup, startup::run), (Part::Single, single::run), (Part::Large, large::run)];
    let chosen = parts.iter().filter(|(part, _)| args.part.contains(part)).map(|(_, measure)| *measure);
    Run::new(&args.options, if args.options.quick { 50_000 } else { args.items })?
        .complete(chosen, args.options.report_only)
}
