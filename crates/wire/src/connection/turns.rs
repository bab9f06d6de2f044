//! Polling a task's future again at once where it woke itself.
//!
//! The HTTP library hands a body from its reader to the service inside one task, through a channel whose ends wake each
//! other, so nearly every request wakes the task that is just running. To the runtime that is a task to be queued, and
//! work that an idle thread must be woken for: a system call, and a thread that finds nothing. Here such a wake-up only
//! means that the future is polled once more before the task rests.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// How often a future is polled before the other tasks have their turn. No more than twice: a long read that gives way
/// to others wakes itself too, and means it.
const POLLS_MAX: usize = 2;

/// Nobody polls; a wake-up is for the task.
const RESTING: u8 = 0;
/// The future is being polled.
const POLLED: u8 = 1;
/// It was woken since that poll began.
const WOKEN: u8 = 2;

/// Polls one future.
#[derive(Debug)]
pub(crate) struct Turns {
    shared: Arc<Shared>,
    waker: Waker,
}

#[derive(Debug)]
struct Shared {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Turns {
    pub(crate) fn new() -> Turns {
        let shared = Arc::new(Shared { state: AtomicU8::new(RESTING), task: AtomicWaker::new() });
        Turns { waker: Waker::from(Arc::clone(&shared)), shared }
    }

    /// Polls `future`, which must always be the same, in the task of `cx`.
    pub(crate) fn poll<F: Future + ?Sized>(
        &self,
        mut future: Pin<&mut F>,
        cx: &Context<'_>,
    ) -> Poll<F::Output> {
        self.shared.task.register(cx.waker());
        for _ in 0..POLLS_MAX {
            self.shared.state.store(POLLED, Ordering::SeqCst);
            let polled = future.as_mut().poll(&mut Context::from_waker(&self.waker));
            // From here on wake-ups go to the task; one that came before is answered here.
            let before = self.shared.state.swap(RESTING, Ordering::SeqCst);
            if polled.is_ready() || before == POLLED {
                return polled;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for Shared {
    fn wake(self: Arc<Shared>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Shared>) {
        let noted = self.state.compare_exchange(POLLED, WOKEN, Ordering::SeqCst, Ordering::SeqCst);
        if noted == Err(RESTING) {
            self.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Counts how often the task is woken.
    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Task>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn woken(task: &Arc<Task>) -> usize {
        task.0.load(Ordering::SeqCst)
    }

    /// Polls once a future that wakes itself the first `times` times; how often it was polled, and its waker.
    fn poll(task: &Arc<Task>, times: usize) -> (Poll<()>, usize, Waker) {
        let (polls, kept) = (Cell::new(0), Cell::new(None));
        let future = pin!(poll_fn(|cx| {
            polls.set(polls.get() + 1);
            kept.set(Some(cx.waker().clone()));
            if polls.get() <= times {
                cx.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        }));
        let waker = Waker::from(Arc::clone(task));
        let polled = Turns::new().poll(future, &Context::from_waker(&waker));
        (polled, polls.get(), kept.take().unwrap())
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_again_and_the_task_is_not_woken() {
        let task = Arc::new(Task::default());
        assert_eq!(poll(&task, 0).1, 1);
        assert_eq!(poll(&task, 1).1, 2);
        assert_eq!(woken(&task), 0);
    }

    #[test]
    fn a_future_that_always_wakes_itself_lets_others_have_their_turn() {
        let task = Arc::new(Task::default());
        let (polled, polls, _) = poll(&task, usize::MAX);
        assert_eq!((polled, polls, woken(&task)), (Poll::Pending, POLLS_MAX, 1));
    }

    #[test]
    fn a_resting_future_wakes_its_task() {
        let task = Arc::new(Task::default());
        let (_, _, waker) = poll(&task, 0);
        waker.wake_by_ref();
        assert_eq!(woken(&task), 1);
        // Whoever woke it once need not be registered again for another one to do so: the next poll does that.
        waker.wake();
        assert_eq!(woken(&task), 1);
    }

    #[test]
    fn a_future_that_ends_is_not_polled_again() {
        let turns = Turns::new();
        let mut polls = 0;
        let ended = {
            let future = pin!(poll_fn(|cx| {
                polls += 1;
                cx.waker().wake_by_ref();
                Poll::Ready(7)
            }));
            turns.poll(future, &Context::from_waker(Waker::noop()))
        };
        assert_eq!((ended, polls), (Poll::Ready(7), 1));
    }

    #[tokio::test]
    async fn no_wake_up_of_another_thread_is_lost() {
        for _ in 0..2000 {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            let send = move || sender.send(1).expect("the receiver is there");
            let sent = hashrange_env::Env::thread("sender", send).unwrap();
            let turns = Turns::new();
            let mut receiver = pin!(receiver);
            let got = poll_fn(|cx| turns.poll(receiver.as_mut(), cx)).await;
            assert_eq!(got, Ok(1));
            sent.join().unwrap();
        }
    }
}
