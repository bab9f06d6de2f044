//! Start-up and memory with an empty folder.

use std::time::Duration;

use crate::Failure;
use crate::procfs::resident;
use crate::report::{Limit, median};
use crate::run::{Run, megabytes};
use crate::server::Server;

/// Starts per measurement; one start varies by half, the median of five by a tenth.
const STARTS: usize = 5;

pub(super) fn run(run: &mut Run) -> Result<(), Failure> {
    run.progress("start on an empty folder");
    let server = Server::hashrange_timed(&run.server, &run.data("idle"))?;
    // Long enough for what a server does once after its start.
    std::thread::sleep(Duration::from_secs(2));
    let idle = resident(server.pid())?;
    server.stop()?;
    run.report.bar("idle resident memory, empty folder, MB", megabytes(idle.now), Limit::AtMost(20.0));
    Ok(())
}

/// Median seconds until the first healthy answer on folders that do not exist yet.
pub(super) fn on_empty_folders(run: &Run) -> Result<f64, Failure> {
    starts(run, |start| format!("empty-{start}"))
}

/// Median seconds until the first healthy answer on one folder that was closed cleanly each time.
pub(super) fn after_clean_stops(run: &Run, name: &str) -> Result<f64, Failure> {
    starts(run, |_| name.to_owned())
}

fn starts(run: &Run, folder: impl Fn(usize) -> String) -> Result<f64, Failure> {
    let mut seconds = Vec::new();
    for start in 0..STARTS {
        let server = Server::hashrange_timed(&run.server, &run.data(&folder(start)))?;
        seconds.push(server.ready_after().as_secs_f64());
        server.stop()?;
    }
    Ok(median(seconds))
}
