//! Waiting with a deadline, at little cost where the deadline is nearly always moved before it comes.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hashrange_env::{BoxFuture, Env};

/// One timer for one connection. It is not moved with the deadline: when it rings too early, it is set again.
pub(super) struct Watch {
    env: Env,
    timer: Option<Timer>,
}

struct Timer {
    /// When it rings, on the monotonic clock.
    rings: Duration,
    future: BoxFuture<'static, ()>,
    /// Whom it wakes.
    wakes: Option<Waker>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("rings", &self.timer.as_ref().map(|timer| timer.rings))
            .finish_non_exhaustive()
    }
}

impl Watch {
    pub(super) fn new(env: Env) -> Watch {
        Watch { env, timer: None }
    }

    /// Whether `limit` is over since `since`, which is now if it was not known. Otherwise the task is woken in time.
    pub(super) fn is_over(
        &mut self,
        cx: &mut Context<'_>,
        since: &mut Option<Duration>,
        limit: Duration,
    ) -> bool {
        let mut now = self.env.clock.monotonic();
        let deadline = *since.get_or_insert(now) + limit;
        while now < deadline {
            // A timer that rings later than needed is of no use.
            let timer = match self.timer.take() {
                Some(timer) if timer.rings <= deadline => timer,
                _ => {
                    let future = self.env.tasks.sleep(deadline.saturating_sub(now));
                    Timer { rings: deadline, future, wakes: None }
                }
            };
            let timer = self.timer.insert(timer);
            if now < timer.rings && timer.wakes.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                return false;
            }
            if Pin::new(&mut timer.future).poll(cx) == Poll::Pending {
                timer.wakes = Some(cx.waker().clone());
                return false;
            }
            let rings = timer.rings;
            self.timer = None;
            // A timer may ring a little before the clock says so.
            now = self.env.clock.monotonic().max(rings);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_env::Simulation;
    use std::task::Waker;

    const LIMIT: Duration = Duration::from_secs(10);

    #[test]
    fn a_deadline_that_moves_is_kept_to() {
        let (env, simulation) = Simulation::new(1);
        let mut watch = Watch::new(env);
        let mut cx = Context::from_waker(Waker::noop());
        let mut since = None;
        assert!(!watch.is_over(&mut cx, &mut since, LIMIT));
        simulation.advance(Duration::from_secs(9));
        assert!(!watch.is_over(&mut cx, &mut since, LIMIT));
        // Something came: the deadline is a later one, and the timer is still the first.
        since = None;
        assert!(!watch.is_over(&mut cx, &mut since, LIMIT));
        simulation.advance(Duration::from_secs(9));
        assert!(!watch.is_over(&mut cx, &mut since, LIMIT));
        simulation.advance(Duration::from_secs(1));
        assert!(watch.is_over(&mut cx, &mut since, LIMIT));
    }

    #[test]
    fn a_nearer_deadline_than_the_timer_is_kept_to() {
        let (env, simulation) = Simulation::new(1);
        let mut watch = Watch::new(env);
        let mut cx = Context::from_waker(Waker::noop());
        assert!(!watch.is_over(&mut cx, &mut None, LIMIT * 6));
        let mut since = None;
        assert!(!watch.is_over(&mut cx, &mut since, LIMIT));
        simulation.advance(LIMIT);
        assert!(watch.is_over(&mut cx, &mut since, LIMIT));
    }
}
