//! `items`: single-item requests, start-up and memory of the server, beside the bare server and the disk.

mod large;
mod single;
mod startup;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::ValueEnum;

use crate::report::Report;
use crate::server::Server;
use crate::{Failure, procfs, requests};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The server to measure, built with --release. By default `hashrange` beside this program.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Folder for data; it must be on the disk that matters. By default beside this program.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Interleaved rounds.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Length of each measurement in seconds.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Items of the large table.
    #[arg(long, default_value_t = 1_000_000)]
    items: u64,
    /// A look, not a verdict: one round of one second, 50,000 items.
    #[arg(long)]
    quick: bool,
    /// Prints the bars but succeeds whatever they say.
    #[arg(long)]
    report_only: bool,
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
    let mut run = Run::new(args)?;
    if procfs::is_in_memory(run.folder.path()) {
        run.report
            .note("NOTE: the data folder is in memory, so durable writes look faster than they are.".into());
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    run.report.note(format!("Load averages of the machine when the run began: {}.", load.trim()));
    let parts: [(Part, Measure); 3] =
        [(Part::Startup, startup::run), (Part::Single, single::run), (Part::Large, large::run)];
    for (part, measure) in parts {
        if args.part.contains(&part) {
            measure(&mut run)?;
        }
    }
    print!("{}", run.report.render());
    Ok(if run.report.holds() || args.report_only { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One part of the run.
type Measure = fn(&mut Run) -> Result<(), Failure>;

/// What the parts share.
#[derive(Debug)]
struct Run {
    server: PathBuf,
    folder: tempfile::TempDir,
    rounds: usize,
    seconds: f64,
    items: u64,
    report: Report,
    started: Instant,
}

impl Run {
    fn new(args: &Args) -> Result<Run, Failure> {
        let beside = std::env::current_exe()?;
        let beside = beside.parent().unwrap_or(Path::new("."));
        let server = args.server.clone().unwrap_or_else(|| beside.join("hashrange"));
        if !server.is_file() {
            return Err(format!("no server at {}; build it with --release", server.display()).into());
        }
        let folder = tempfile::Builder::new()
            .prefix("bench-data-")
            .tempdir_in(args.data.as_deref().unwrap_or(beside))?;
        let (rounds, seconds, items) =
            if args.quick { (1, 1.0, 50_000) } else { (args.rounds.max(1), args.seconds, args.items) };
        let server = server.canonicalize()?;
        Ok(Run { server, folder, rounds, seconds, items, report: Report::default(), started: Instant::now() })
    }

    fn progress(&self, what: &str) {
        eprintln!("[{:6.1} s] {what}", self.started.elapsed().as_secs_f64());
    }

    /// A data folder of this run.
    fn data(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The server under test on a data folder of this run.
    fn hashrange(&self, name: &str) -> Result<Server, Failure> {
        Server::hashrange(&self.server, &self.data(name))
    }

    /// The same with the bench's table and `items` items in it.
    fn hashrange_with(&self, name: &str, items: u64) -> Result<Server, Failure> {
        let server = self.hashrange(name)?;
        server.connect()?.call("CreateTable", &requests::create_table())?;
        server.load("fill", 64, items, self.seconds)?;
        Ok(server)
    }
}

/// Bytes as megabytes (10^6).
fn megabytes(bytes: u64) -> f64 {
    procfs::as_f64(bytes) / 1e6
}
