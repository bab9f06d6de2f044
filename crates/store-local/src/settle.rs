//! Lets table files come to rest once nobody writes: reads of one sorted run are cheaper than of several.
//!
//! The engine merges as much as it must to keep up with writes, and stops there: after a load, every read goes on looking
//! into several runs, for ever. Once no commit has come for a few seconds, all runs are merged into one, where that is
//! worth the writing. And since readers of a published instant look into the files of that instant, the last state is
//! published once more after every change of files, whoever made it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hashrange_env::Env;
use parking_lot::{Condvar, Mutex};

use crate::shared::{Renewal, Shared};
use crate::tree::{FilesId, Runs};

/// How often it is looked whether somebody writes.
const LOOK: Duration = Duration::from_secs(1);
/// Looks without a commit between them after which nobody writes.
const QUIET_LOOKS: u32 = 3;
/// Most bytes that are merged: a minute or two of work, and as much again on the disk while it is done.
const BYTES_MAX: u64 = 16 << 30;
/// One byte in so many must lie above the lowest level: each byte is then written at most so many times more.
const UPPER_SHARE: u64 = 10;
/// So much of the disk stays free, in bytes for each byte that is merged, while the old files are still there.
const FREE_SHARE: u64 = 2;
/// Old files of so many bytes are worth a write of one row to be rid of them.
const LET_GO_BYTES_MIN: u64 = 64 << 20;

/// The thread that does it.
#[derive(Debug)]
pub(crate) struct Settler {
    shared: Arc<Shared>,
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Stop {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Settler {
    /// Starts watching.
    pub(crate) fn start(shared: Arc<Shared>) -> std::io::Result<Settler> {
        let stop = Arc::new(Stop::default());
        let (watched, watched_stop) = (Arc::clone(&shared), Arc::clone(&stop));
        let thread = Env::thread("store-settler", move || watch(&watched, &watched_stop))?;
        Ok(Settler { shared, stop, thread: Some(thread) })
    }

    /// Ends the thread, and a merge that has begun.
    pub(crate) fn end(&mut self) {
        self.shared.tree.interrupt();
        *self.stop.stopped.lock() = true;
        self.stop.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic in a merge leaves the files as they were.
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, stop: &Stop) {
    let (mut commits, mut quiet, mut settled) = (shared.commits(), 0, None);
    while !is_stopped_after(stop, LOOK) {
        let before = std::mem::replace(&mut commits, shared.commits());
        quiet = if commits == before { quiet + 1 } else { 0 };
        if quiet < QUIET_LOOKS {
            continue;
        }
        let Some(files) = shared.tree.files_at_rest() else { continue };
        if settled != Some(files) {
            settled = settle(shared, files);
        }
    }
}

/// Merges what is worth it, and shows readers the files as they are then; returns what they are.
fn settle(shared: &Shared, files: FilesId) -> Option<FilesId> {
    shared.renew(Renewal::Publish);
    let runs = shared.tree.runs();
    // Where a merge fails, the files are as they were, and whatever is wrong with the disk shows in reads and writes.
    if !is_worth(runs) || !has_room(shared, runs.bytes) || shared.tree.merge_all().is_err() {
        return Some(files);
    }
    shared.renew(if runs.bytes >= LET_GO_BYTES_MIN { Renewal::LetGo } else { Renewal::Publish });
    shared.tree.files_at_rest()
}

/// Whether the disk has room for so many bytes once more, and as much again for others.
fn has_room(shared: &Shared, bytes: u64) -> bool {
    let disk = rustix::fs::statvfs(shared.folder.path());
    disk.is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) / FREE_SHARE >= bytes)
}

fn is_stopped_after(stop: &Stop, time: Duration) -> bool {
    let mut stopped = stop.stopped.lock();
    if !*stopped {
        stop.changed.wait_for(&mut stopped, time);
    }
    *stopped
}

fn is_worth(runs: Runs) -> bool {
    let Runs { count, bytes, upper_bytes } = runs;
    count > 1 && bytes <= BYTES_MAX && upper_bytes.saturating_mul(UPPER_SHARE) >= bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_is_worth_it_where_it_is_small_and_there_is_enough_to_merge() {
        let runs = |count, bytes, upper_bytes| Runs { count, bytes, upper_bytes };
        assert!(is_worth(runs(2, 1000, 100)));
        assert!(!is_worth(runs(1, 1000, 1000)), "one run is at rest");
        assert!(!is_worth(runs(2, 1000, 99)), "too much would be written again");
        assert!(is_worth(runs(5, BYTES_MAX, BYTES_MAX)));
        assert!(!is_worth(runs(5, BYTES_MAX + 1, BYTES_MAX)), "it would take long");
    }
}
