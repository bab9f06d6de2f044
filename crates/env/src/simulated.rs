//! A world made from one seed: a clock that moves only when told to, seeded randomness, and tasks that
//! run on the caller's thread when it says so.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::Mutex;

use crate::real::splitmix64;
use crate::{BoxFuture, Clock, Env, Random, Tasks, WallMs};

/// Wall-clock time at which every simulation starts: 2026-01-01T00:00:00Z.
const START: WallMs = WallMs(1_767_225_600_000);

/// The handle that moves a simulated world: advance its clock, run its tasks.
#[derive(Clone, Debug)]
pub struct Simulation {
    world: Arc<World>,
}

#[derive(Debug)]
struct World {
    state: Mutex<State>,
}

struct State {
    elapsed: Duration,
    random: u64,
    timer_next: u64,
    timers: BTreeMap<(Duration, u64), Waker>,
    tasks: Vec<BoxFuture<'static, ()>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("elapsed", &self.elapsed)
            .field("tasks", &self.tasks.len())
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// A world from `seed`, and the handle that moves it.
    pub fn new(seed: u64) -> (Env, Simulation) {
        let state = State {
            elapsed: Duration::ZERO,
            random: seed,
            timer_next: 0,
            timers: BTreeMap::new(),
            tasks: Vec::new(),
        };
        let world = Arc::new(World { state: Mutex::new(state) });
        let env = Env { clock: world.clone(), random: world.clone(), tasks: Arc::new(Arc::clone(&world)) };
        (env, Simulation { world })
    }

    /// Moves the clock forward, firing timers in order and running the tasks that they wake.
    pub fn advance(&self, by: Duration) {
        let target = self.world.state.lock().elapsed + by;
        self.run_ready();
        loop {
            let due = {
                let mut state = self.world.state.lock();
                let Some((&key, _)) = state.timers.range(..=(target, u64::MAX)).next() else { break };
                state.elapsed = state.elapsed.max(key.0);
                state.timers.remove(&key)
            };
            if let Some(waker) = due {
                waker.wake();
            }
            self.run_ready();
        }
        self.world.state.lock().elapsed = target;
        self.run_ready();
    }

    /// Polls every task once, and again as long as one of them finishes or spawns.
    pub fn run_ready(&self) {
        loop {
            let tasks = std::mem::take(&mut self.world.state.lock().tasks);
            if tasks.is_empty() {
                return;
            }
            let before = tasks.len();
            let mut context = Context::from_waker(Waker::noop());
            let mut waiting = Vec::new();
            for mut task in tasks {
                if task.as_mut().poll(&mut context).is_pending() {
                    waiting.push(task);
                }
            }
            let finished = before - waiting.len();
            let spawned = {
                let mut state = self.world.state.lock();
                let spawned = state.tasks.len();
                waiting.append(&mut state.tasks);
                state.tasks = waiting;
                spawned
            };
            if finished == 0 && spawned == 0 {
                return;
            }
        }
    }

    /// Runs `future` to its end, running tasks and jumping the clock to the next timer whenever it waits.
    ///
    /// # Panics
    /// When the future waits for something that no task and no timer can bring: a deadlock.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        let mut idle_rounds = 0;
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
            self.run_ready();
            let next = self.world.state.lock().timers.keys().next().map(|key| key.0);
            let now = self.world.state.lock().elapsed;
            match next {
                Some(at) => self.advance(at.saturating_sub(now)),
                None => idle_rounds += 1,
            }
            assert!(idle_rounds < 1000, "the simulated world is deadlocked: nothing can wake the future");
        }
    }
}

impl Clock for World {
    fn now(&self) -> WallMs {
        let elapsed = self.state.lock().elapsed.as_millis();
        WallMs(START.0 + u64::try_from(elapsed).unwrap_or(u64::MAX - START.0))
    }

    fn monotonic(&self) -> Duration {
        self.state.lock().elapsed
    }
}

impl Random for World {
    fn next_u64(&self) -> u64 {
        let mut state = self.state.lock();
        let (value, next) = splitmix64(state.random);
        state.random = next;
        value
    }
}

impl Tasks for Arc<World> {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let until = self.state.lock().elapsed + duration;
        Box::pin(Sleep { world: Arc::clone(self), until, timer: None })
    }

    fn spawn(&self, _name: &'static str, task: BoxFuture<'static, ()>) {
        self.state.lock().tasks.push(task);
    }
}

struct Sleep {
    world: Arc<World>,
    until: Duration,
    timer: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let world = Arc::clone(&self.world);
        let mut state = world.state.lock();
        if state.elapsed >= self.until {
            return Poll::Ready(());
        }
        let id = *self.timer.get_or_insert_with(|| {
            state.timer_next += 1;
            state.timer_next
        });
        state.timers.insert((self.until, id), context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(id) = self.timer {
            self.world.state.lock().timers.remove(&(self.until, id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleeping_task_wakes_when_the_clock_reaches_its_time() {
        let (env, simulation) = Simulation::new(1);
        let woke = Arc::new(Mutex::new(None));
        let (seen, inner) = (woke.clone(), env.clone());
        env.tasks.spawn(
            "sleeper",
            Box::pin(async move {
                inner.tasks.sleep(Duration::from_secs(5)).await;
                *seen.lock() = Some(inner.clock.monotonic());
            }),
        );
        simulation.advance(Duration::from_secs(4));
        assert_eq!(*woke.lock(), None);
        simulation.advance(Duration::from_secs(4));
        assert_eq!(*woke.lock(), Some(Duration::from_secs(5)));
    }

    #[test]
    fn block_on_jumps_over_waiting_time() {
        let (env, simulation) = Simulation::new(1);
        simulation.block_on(env.tasks.sleep(Duration::from_hours(1)));
        assert_eq!(env.clock.monotonic(), Duration::from_hours(1));
    }
}
