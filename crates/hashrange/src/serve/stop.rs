//! Signals that end the server: the first when its requests are answered, the second at once.

use std::io;

use hashrange_env::Env;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

/// What shells report of a process that a signal ended is this and the signal's number.
const ENDED_BY_SIGNAL: i32 = 128;

/// Completes when the process is told to stop. Told again, at whatever moment, it ends without waiting for anything:
/// what was answered is on disk.
pub(super) fn signals(env: &Env) -> io::Result<impl Future<Output = ()> + use<>> {
    let mut signals =
        Signals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? };
    let (stop, stopped) = oneshot::channel::<()>();
    let watch = async move {
        let (name, _) = signals.next().await;
        tracing::info!(signal = name, "stopping: requests that have begun are answered first");
        // Nobody listens where the server ends for another reason.
        let _ = stop.send(());
        let (name, kind) = signals.next().await;
        tracing::warn!(signal = name, "ending at once: requests that have begun get no answer");
        std::process::exit(ENDED_BY_SIGNAL + kind.as_raw_value());
    };
    env.tasks.spawn("signals", Box::pin(watch));
    Ok(async {
        // The sender goes only after it has sent.
        let _ = stopped.await;
    })
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    async fn next(&mut self) -> (&'static str, SignalKind) {
        tokio::select! {
            _ = self.terminate.recv() => ("SIGTERM", SignalKind::terminate()),
            _ = self.interrupt.recv() => ("SIGINT", SignalKind::interrupt()),
        }
    }
}
