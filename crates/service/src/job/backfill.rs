//! Fills global indexes that were added to tables with items.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hashrange_api::Error;
use hashrange_engine::{Engine, FillingIndex};
use hashrange_env::Env;
use parking_lot::Mutex;

/// Shortest rest between two steps.
const REST_MIN: Duration = Duration::from_millis(1);
/// Rest after a failure of the store, before the step is tried again.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);
/// Steps between two log lines.
const STEPS_PER_LOG: u32 = 1000;

/// Starts one task for each index that has to be filled, and ends them when the service closes.
#[derive(Debug)]
pub(crate) struct Backfill {
    engine: Arc<Engine>,
    env: Env,
    running: Mutex<BTreeSet<FillingIndex>>,
    closing: AtomicBool,
}

impl Backfill {
    pub(crate) fn new(engine: Arc<Engine>, env: Env) -> Arc<Backfill> {
        Arc::new(Backfill { engine, env, running: Mutex::default(), closing: AtomicBool::new(false) })
    }

    /// Looks for indexes that have to be filled and are not being filled yet.
    pub(crate) fn look(self: &Arc<Self>) {
        for filling in self.engine.filling_indexes() {
            if self.running.lock().insert(filling.clone()) {
                let backfill = Arc::clone(self);
                self.env.tasks.spawn("backfill", Box::pin(async move { backfill.run(filling).await }));
            }
        }
    }

    /// Ends the tasks at their next step; they go on after a restart.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    async fn run(&self, filling: FillingIndex) {
        tracing::info!(table = filling.table, index = filling.index, "filling a new index");
        let mut progress = None;
        let mut steps = 0_u32;
        while !self.closing.load(Ordering::Relaxed) {
            let started = self.env.clock.monotonic();
            match self.engine.fill_index(&filling, progress.clone()).await {
                Ok(Some(next)) => {
                    steps += 1;
                    if steps.is_multiple_of(STEPS_PER_LOG) {
                        tracing::info!(index = filling.index, items = next.items, "still filling");
                    }
                    progress = Some(next);
                    // Half of the time is left to requests.
                    let worked = self.env.clock.monotonic().saturating_sub(started);
                    self.env.tasks.sleep(worked.max(REST_MIN)).await;
                }
                Ok(None) => break,
                Err(error) => self.rest_after(&filling, &error).await,
            }
        }
        tracing::info!(table = filling.table, index = filling.index, "no longer filling the index");
        self.running.lock().remove(&filling);
    }

    async fn rest_after(&self, filling: &FillingIndex, error: &Error) {
        tracing::warn!(table = filling.table, index = filling.index, %error, "filling an index failed; trying again");
        self.env.tasks.sleep(REST_AFTER_FAILURE).await;
    }
}
