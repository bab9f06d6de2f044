//! What every run of a comparison shares: its options, its folder, its report.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::procfs::cpu_of_tree;
use crate::report::Report;
use crate::server::Server;
use crate::{Failure, procfs, requests};

/// Options of every comparison.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
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
    /// A look, not a verdict: one round of one second, small tables.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Prints the bars but succeeds whatever they say.
    #[arg(long)]
    pub(crate) report_only: bool,
}

/// One part of a run.
pub(crate) type Measure = fn(&mut Run) -> Result<(), Failure>;

/// What the parts share.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) server: PathBuf,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    /// Items of the large table.
    pub(crate) items: u64,
    pub(crate) report: Report,
    started: Instant,
}

impl Run {
    pub(crate) fn new(options: &Options, items: u64) -> Result<Run, Failure> {
        let beside = std::env::current_exe()?;
        let beside = beside.parent().unwrap_or(Path::new("."));
        let server = options.server.clone().unwrap_or_else(|| beside.join("hashrange"));
        if !server.is_file() {
            return Err(format!("no server at {}; build it with --release", server.display()).into());
        }
        let folder = tempfile::Builder::new()
            .prefix("bench-data-")
            .tempdir_in(options.data.as_deref().unwrap_or(beside))?;
        let (rounds, seconds) =
            if options.quick { (1, 1.0) } else { (options.rounds.max(1), options.seconds) };
        let server = server.canonicalize()?;
        Ok(Run { server, folder, rounds, seconds, items, report: Report::default(), started: Instant::now() })
    }

    /// Runs the parts and prints the report; exit code 1 when a bar does not hold.
    pub(crate) fn complete(
        mut self,
        parts: impl IntoIterator<Item = Measure>,
        report_only: bool,
    ) -> Result<ExitCode, Failure> {
        if procfs::is_in_memory(self.folder.path()) {
            self.report.note(
                "NOTE: the data folder is in memory, so durable writes look faster than they are.".into(),
            );
        }
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        self.report.note(format!("Load averages of the machine when the run began: {}.", load.trim()));
        for measure in parts {
            measure(&mut self)?;
        }
        print!("{}", self.report.render());
        Ok(if self.report.holds() || report_only { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    pub(crate) fn progress(&self, what: &str) {
        eprintln!("[{:6.1} s] {what}", self.started.elapsed().as_secs_f64());
    }

    /// A data folder of this run.
    pub(crate) fn data(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The server under test on a data folder of this run.
    pub(crate) fn hashrange(&self, name: &str) -> Result<Server, Failure> {
        Server::hashrange(&self.server, &self.data(name))
    }

    /// The same with the bench's table in it.
    pub(crate) fn hashrange_with_table(&self, name: &str) -> Result<Server, Failure> {
        let server = self.hashrange(name)?;
        server.connect()?.call("CreateTable", &requests::create_table())?;
        Ok(server)
    }

    /// The same with `items` items in the table.
    pub(crate) fn hashrange_with(&self, name: &str, items: u64) -> Result<Server, Failure> {
        let server = self.hashrange_with_table(name)?;
        server.load("fill", 64, items, self.seconds)?;
        Ok(server)
    }

    /// Waits until background work after a load is done, at most a minute and a half.
    pub(crate) fn settle(&self, server: &Server) -> Result<(), Failure> {
        self.progress("background work after the load");
        let (mut before, mut quiet) = (cpu_of_tree(server.pid())?, 0);
        for _ in 0..90 {
            std::thread::sleep(Duration::from_secs(1));
            let now = cpu_of_tree(server.pid())?;
            // Table files are merged once nobody has written for some seconds.
            quiet = if now.saturating_sub(before) < Duration::from_millis(30) { quiet + 1 } else { 0 };
            if quiet == 6 {
                break;
            }
            before = now;
        }
        Ok(())
    }
}

/// Bytes as megabytes (10^6).
pub(crate) fn megabytes(bytes: u64) -> f64 {
    procfs::as_f64(bytes) / 1e6
}
