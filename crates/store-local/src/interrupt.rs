//! Ends a merge of table files in its middle.
//!
//! The engine has no call for that. It shows every row of a merge to a filter, though, and a filter that fails ends its
//! merge, with all files as they were. So the merges of one thread get a filter that looks whether they are to end;
//! those of the engine's own threads get one that keeps everything.

use std::cell::Cell;
use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fjall::compaction::filter::{
    CompactionFilter, CompactionFilterResult, Context, Factory, ItemAccessor, Verdict,
};

thread_local! {
    /// This thread is inside [`Interrupt::during`].
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether merges are to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    stopped: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on, merges inside [`Self::during`] fail.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Runs a merge on this thread that [`Self::stop`] ends.
    pub(crate) fn during<T>(merge: impl FnOnce() -> T) -> T {
        INSIDE.set(true);
        let done = merge();
        INSIDE.set(false);
        done
    }

    /// What the engine makes its filters with.
    pub(crate) fn filters(&self) -> Arc<dyn Factory> {
        Arc::new(self.clone())
    }
}

impl Factory for Interrupt {
    fn name(&self) -> &'static str {
        "interrupt"
    }

    fn make_filter(&self, _: &Context) -> Box<dyn CompactionFilter> {
        if INSIDE.get() { Box::new(self.clone()) } else { Box::new(KeepAll) }
    }
}

impl CompactionFilter for Interrupt {
    fn filter_item(&mut self, _: ItemAccessor<'_>, _: &Context) -> CompactionFilterResult {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Interrupted, "the store closes").into());
        }
        Ok(Verdict::Keep)
    }
}

struct KeepAll;

impl CompactionFilter for KeepAll {
    fn filter_item(&mut self, _: ItemAccessor<'_>, _: &Context) -> CompactionFilterResult {
        Ok(Verdict::Keep)
    }
}
