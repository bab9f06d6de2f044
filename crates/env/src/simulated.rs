//! A world made from one seed: a clock that moves only when told to, seeded randomness, and tasks that run on the
//! caller's thread, in an order that the seed chooses, when it says so.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use parking_lot::Mutex;

use crate::real::splitmix64;
use crate::{BoxFuture, Clock, Env, Random, Tasks, WallMs};

/// Wall-clock time at which every simulation starts: 2026-01-01T00:00:00Z.
const START: WallMs = WallMs(1_767_225_600_000);

/// Tells the order of tasks from what the world's own randomness gives: the same seed, another sequence.
const SCHEDULE: u64 = 0x5851_f42d_4c95_7f2d;

/// The handle that moves a simulated world: advance its clock, run its tasks.
#[derive(Clone, Debug)]
pub struct Simulation {
    world: Arc<World>,
}

#[derive(Debug)]
struct World {
    state: Mutex<State>,
    /// Tasks that were woken and not polled since.
    ready: Arc<Ready>,
}

#[derive(Debug, Default)]
struct Ready(Mutex<BTreeSet<u64>>);

struct State {
    elapsed: Duration,
    random: u64,
    /// Randomness of the order of tasks: apart, so that an id that is drawn does not change who runs next.
    schedule: u64,
    timer_next: u64,
    timers: BTreeMap<(Duration, u64), Waker>,
    task_next: u64,
    /// A task that is being polled is not here.
    tasks: BTreeMap<u64, BoxFuture<'static, ()>>,
}

/// Makes its task ready.
struct TaskWaker {
    task: u64,
    ready: Arc<Ready>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.ready.0.lock().insert(self.task);
    }
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
            schedule: seed ^ SCHEDULE,
            timer_next: 0,
            timers: BTreeMap::new(),
            task_next: 0,
            tasks: BTreeMap::new(),
        };
        let world = Arc::new(World { state: Mutex::new(state), ready: Arc::default() });
        let env = Env { clock: world.clone(), random: world.clone(), tasks: Arc::new(Arc::clone(&world)) };
        (env, Simulation { world })
    }

    /// Moves the clock forward, firing timers in order and running the tasks that they wake.
    pub fn advance(&self, by: Duration) {
        let target = self.world.state.lock().elapsed + by;
        self.run_ready();
        while self.fire(target) {
            self.run_ready();
        }
        self.world.state.lock().elapsed = target;
        self.run_ready();
    }

    /// Runs tasks until none of them is ready: each waits for time or for another thread.
    pub fn run_ready(&self) {
        while self.poll_one() {}
    }

    /// Lets one thing happen: a ready task, chosen by the seed, runs up to where it waits next; where none is ready, the
    /// clock jumps to the next timer. False where there is neither: nothing will happen any more by itself.
    pub fn turn(&self) -> bool {
        self.poll_one() || self.fire(Duration::MAX)
    }

    /// Ends all tasks where they stand, as the death of their process does.
    pub fn kill(&self) {
        // Dropped without the lock: what a task holds may have timers of its own.
        let tasks = std::mem::take(&mut self.world.state.lock().tasks);
        drop(tasks);
        self.world.ready.0.lock().clear();
    }

    /// Polls one of the ready tasks, if there is one.
    fn poll_one(&self) -> bool {
        let Some(task) = self.world.choose() else { return false };
        let Some(mut future) = self.world.state.lock().tasks.remove(&task) else { return true };
        let waker = Waker::from(Arc::new(TaskWaker { task, ready: Arc::clone(&self.world.ready) }));
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            self.world.state.lock().tasks.insert(task, future);
        }
        true
    }

    /// Fires the next timer, if it is due by `until`, and moves the clock there.
    fn fire(&self, until: Duration) -> bool {
        let mut state = self.world.state.lock();
        let Some((&key, _)) = state.timers.first_key_value().filter(|((at, _), _)| *at <= until) else {
            return false;
        };
        state.elapsed = state.elapsed.max(key.0);
        let waker = state.timers.remove(&key);
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
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
            // The clock jumps only where nothing else can happen: a task may just have woken the future.
            if !self.turn() {
                idle_rounds += 1;
            }
            assert!(idle_rounds < 1000, "the simulated world is deadlocked: nothing can wake the future");
        }
    }
}

impl World {
    /// A task that is ready, which it then no longer is.
    fn choose(&self) -> Option<u64> {
        let mut ready = self.ready.0.lock();
        let count = u64::try_from(ready.len()).ok().filter(|count| *count > 0)?;
        let chosen = if count == 1 { 0 } else { self.next_choice() % count };
        let task = ready.iter().copied().nth(usize::try_from(chosen).ok()?)?;
        ready.remove(&task);
        Some(task)
    }

    fn next_choice(&self) -> u64 {
        let mut state = self.state.lock();
        let (value, next) = splitmix64(state.schedule);
        state.schedule = next;
        value
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
        let mut state = self.state.lock();
        let id = state.task_next;
        state.task_next += 1;
        state.tasks.insert(id, task);
        drop(state);
        self.ready.0.lock().insert(id);
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
    /// The order in which ten tasks that give way once have their second turns.
    fn order(seed: u64) -> Vec<u32> {
        let (env, simulation) = Simulation::new(seed);
        let order = Arc::new(Mutex::new(Vec::new()));
        for number in 0..10 {
            let (order, inner) = (order.clone(), env.clone());
            let task = async move {
                inner.tasks.sleep(Duration::from_millis(1)).await;
                order.lock().push(number);
            };
            env.tasks.spawn("numbered", Box::pin(task));
        }
        while simulation.turn() {}
        std::mem::take(&mut *order.lock())
    }

    #[test]
    fn the_seed_chooses_the_order_of_tasks() {
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut all = order(3);
        all.sort_unstable();
        assert!(all.into_iter().eq(0..10));
    }

    #[test]
    fn a_killed_task_goes_no_further_and_leaves_no_timer() {
        let (env, simulation) = Simulation::new(1);
        let done = Arc::new(Mutex::new(false));
        let (seen, inner) = (done.clone(), env.clone());
        let task = async move {
            inner.tasks.sleep(Duration::from_secs(1)).await;
            *seen.lock() = true;
        };
        env.tasks.spawn("killed", Box::pin(task));
        assert!(simulation.turn());
        simulation.kill();
        assert!(!simulation.turn());
        assert!(!*done.lock());
    }
}
