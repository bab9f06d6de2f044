//! Removes what is remembered of clients' tokens once their ten minutes are over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hashrange_api::Error;
use hashrange_engine::{Engine, TokenSweep};
use hashrange_env::Env;

/// Time between two rounds: each token is looked at twice, so the work follows the number of transactions.
const ROUND: Duration = Duration::from_mins(10);
/// Rest between two pages of a round.
const REST: Duration = Duration::from_millis(1);

/// Runs one task while there are tokens, and ends it when the service closes.
#[derive(Debug)]
pub(crate) struct Tokens {
    engine: Arc<Engine>,
    env: Env,
    running: AtomicBool,
    closing: AtomicBool,
}

impl Tokens {
    pub(crate) fn new(engine: Arc<Engine>, env: Env) -> Arc<Tokens> {
        Arc::new(Tokens { engine, env, running: AtomicBool::new(false), closing: AtomicBool::new(false) })
    }

    /// Starts the task, unless it is running.
    pub(crate) fn start(self: &Arc<Self>) {
        if !self.running.swap(true, Ordering::Relaxed) {
            let tokens = Arc::clone(self);
            self.env.tasks.spawn("tokens", Box::pin(async move { tokens.run().await }));
        }
    }

    /// Starts the task if transactions have left tokens.
    pub(crate) fn look(self: &Arc<Self>) {
        if self.engine.has_new_tokens() {
            self.start();
        }
    }

    /// Ends the task at its next step.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    async fn run(&self) {
        while !self.closing.load(Ordering::Relaxed) {
            match self.round().await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "removing old tokens failed; trying again"),
            }
            self.env.tasks.sleep(ROUND).await;
        }
        self.running.store(false, Ordering::Relaxed);
    }

    /// Looks at every token once: how many are left.
    async fn round(&self) -> Result<usize, Error> {
        let mut sweep = TokenSweep::default();
        loop {
            sweep = self.engine.forget_tokens(sweep).await?;
            if sweep.done || self.closing.load(Ordering::Relaxed) {
                return Ok(sweep.kept);
            }
            self.env.tasks.sleep(REST).await;
        }
    }
}
