//! Every source of nondeterminism, behind three small traits: [`Clock`], [`Random`] and [`Tasks`].
//!
//! Nothing else in Hashrange reads the clock, draws randomness, makes ids, waits or spawns, so that a
//! whole database can be run from one seed (see [`Simulation`]). The linter enforces it (`clippy.toml`).

mod real;
mod simulated;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "tokio")]
pub use real::TokioTasks;
pub use real::{RealClock, RealRandom};
pub use simulated::Simulation;

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Wall-clock time in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallMs(pub u64);

impl WallMs {
    /// Whole seconds since the Unix epoch, rounded down.
    pub fn seconds(self) -> u64 {
        self.0 / 1000
    }
}

/// Where time comes from.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Wall-clock time; may jump in either direction.
    fn now(&self) -> WallMs;
    /// Time since an arbitrary start; never goes back.
    fn monotonic(&self) -> Duration;
}

/// Where randomness comes from.
pub trait Random: Send + Sync + fmt::Debug {
    /// A uniformly distributed 64-bit value.
    fn next_u64(&self) -> u64;

    /// A key that nobody can guess, in the real world: [`Random::next_u64`] is not made for that.
    fn secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        for part in secret.chunks_exact_mut(8) {
            part.copy_from_slice(&self.next_u64().to_le_bytes());
        }
        secret
    }
}

/// Where waiting and concurrency come from.
pub trait Tasks: Send + Sync + fmt::Debug {
    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// Runs `task` in the background. `name` is for people (logs, thread names).
    fn spawn(&self, name: &'static str, task: BoxFuture<'static, ()>);
}

/// The outside world as one cheap-to-clone value.
#[derive(Clone, Debug)]
pub struct Env {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Waiting and background work.
    pub tasks: Arc<dyn Tasks>,
}

impl Env {
    /// The real world on the current tokio runtime. Call it inside one.
    #[cfg(feature = "tokio")]
    pub fn real() -> Env {
        Env {
            clock: Arc::new(RealClock::new()),
            random: Arc::new(RealRandom),
            tasks: Arc::new(TokioTasks::current()),
        }
    }

    /// A random (version 4) UUID in its usual text form.
    pub fn uuid(&self) -> String {
        let high = (self.random.next_u64() & !0xf000) | 0x4000;
        let low = (self.random.next_u64() & !(0b11 << 62)) | (0b10 << 62);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }

    /// Runs `work` on a named operating-system thread of its own, for work that blocks.
    ///
    /// # Errors
    /// When the system cannot start another thread.
    #[allow(clippy::disallowed_methods, reason = "the one place that starts threads")]
    pub fn thread(
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<std::thread::JoinHandle<()>> {
        std::thread::Builder::new().name(name.to_owned()).spawn(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_version_four_and_the_standard_variant() {
        let (env, _simulation) = Simulation::new(7);
        let id = env.uuid();
        assert_eq!(id.len(), 36);
        assert_eq!(&id[14..15], "4");
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"));
    }

    #[test]
    fn the_same_seed_gives_the_same_ids() {
        assert_eq!(Simulation::new(1).0.uuid(), Simulation::new(1).0.uuid());
        assert_ne!(Simulation::new(1).0.uuid(), Simulation::new(2).0.uuid());
    }
}
