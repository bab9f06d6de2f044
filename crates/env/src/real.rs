//! The real world: system clock, a per-thread generator seeded by the system, tokio timers and tasks.

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::{Clock, Random, WallMs};

/// The system's clocks.
#[derive(Debug)]
pub struct RealClock {
    start: Instant,
}

impl RealClock {
    /// A clock whose monotonic time starts now.
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the system clock")]
    pub fn new() -> RealClock {
        RealClock { start: Instant::now() }
    }
}

impl Default for RealClock {
    fn default() -> Self {
        RealClock::new()
    }
}

impl Clock for RealClock {
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the system clock")]
    fn now(&self) -> WallMs {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        WallMs(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

/// A fast generator per thread (splitmix64), seeded from the standard library's random hash keys.
///
/// It makes request ids, table ids and shard suffixes; it must never make secrets.
#[derive(Debug)]
pub struct RealRandom;

thread_local! {
    static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish());
}

impl Random for RealRandom {
    fn next_u64(&self) -> u64 {
        STATE.with(|state| {
            let (value, next) = splitmix64(state.get());
            state.set(next);
            value
        })
    }

    fn secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .expect("every system that we run on gives random bytes once it has started");
        secret
    }
}

/// One step of the splitmix64 generator: the value and the next state.
pub(crate) fn splitmix64(state: u64) -> (u64, u64) {
    let next = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = next;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31), next)
}

#[cfg(feature = "tokio")]
pub use on_tokio::TokioTasks;

#[cfg(feature = "tokio")]
mod on_tokio {
    use std::time::Duration;

    use crate::{BoxFuture, Tasks};

    /// Timers and tasks of a tokio runtime.
    #[derive(Debug)]
    pub struct TokioTasks {
        runtime: tokio::runtime::Handle,
    }

    impl TokioTasks {
        /// The runtime that the caller is in.
        pub fn current() -> TokioTasks {
            TokioTasks { runtime: tokio::runtime::Handle::current() }
        }
    }

    impl Tasks for TokioTasks {
        #[allow(clippy::disallowed_methods, reason = "the one place that waits")]
        fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
            Box::pin(tokio::time::sleep(duration))
        }

        fn spawn(&self, _name: &'static str, task: BoxFuture<'static, ()>) {
            self.runtime.spawn(task);
        }
    }
}
