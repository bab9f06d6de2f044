//! Lets table files come to rest once nobody writes: reads of one sorted run are cheaper than of several.
//!
//! The engine merges as much as it must to keep up with writes, and stops there: after a load, every read goes on looking
//! into several runs, for ever. Once no commit has come for a few seconds, all runs are merged into one, where that is
//! worth the writing and soon done.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hashrange_env::Env;
use parking_lot::{Condvar, Mutex};

use crate::shared::Shared;
use crate::tree::Runs;

/// How often it is looked whether somebody writes.
const LOOK: Duration = Duration::from_secs(1);
/// Looks without a commit between them after which nobody writes.
const QUIET_LOOKS: u32 = 3;
/// Most bytes that are merged. A merge is not interrupted: closing waits for it, seconds at worst.
const BYTES_MAX: u64 = 1 << 30;
/// One byte in so many must lie above the lowest level: each byte is then written at most so many times more.
const UPPER_SHARE: u64 = 10;

/// The thread that does it.
#[derive(Debug)]
pub(crate) struct Settler {
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
        let watched = Arc::clone(&stop);
        let thread = Env::thread("store-settler", move || watch(&shared, &watched))?;
        Ok(Settler { stop, thread: Some(thread) })
    }

    /// Ends the thread, and waits for a merge that has begun.
    pub(crate) fn end(&mut self) {
        *self.stop.stopped.lock() = true;
        self.stop.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic in a merge leaves the files as they were.
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, stop: &Stop) {
    let (mut commits, mut quiet) = (shared.commits(), 0);
    while !is_stopped_after(stop, LOOK) {
        let before = std::mem::replace(&mut commits, shared.commits());
        quiet = if commits == before { quiet + 1 } else { 0 };
        if quiet == QUIET_LOOKS && is_worth(shared.tree.runs()) {
            // Where it fails, the files are as they were, and whatever is wrong with the disk shows in reads and writes.
            let _ = shared.tree.merge_all();
        }
    }
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
