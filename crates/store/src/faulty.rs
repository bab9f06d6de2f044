//! An engine with injected faults.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_channel::oneshot;
use hashrange_env::Env;
use parking_lot::Mutex;

use crate::{
    Address, Answer, Capabilities, CommitId, Found, Freshness, LeaseRequest, LogPosition, LogRecord,
    LwwWrite, Outcome, Part, RangePage, RangeRead, Resolution, Space, Store, StoreError, SweepPage,
    SweepRead,
};

/// How many lost commits are remembered for [`Store::resolve`].
const LOST_MAX: usize = 4096;

/// What goes wrong with one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call fails and does nothing.
    Error,
    /// A commit is lost on the way: it answers [`Outcome::Unknown`] and never applies. Other calls fail.
    LostCall,
    /// A commit is done but answers [`Outcome::Unknown`]. Other calls are done and fail.
    LostAnswer,
    /// The answer comes late.
    Delay(Duration),
}

/// How often which fault befalls a call, in thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chances {
    /// Of [`Fault::Error`].
    pub error: u16,
    /// Of [`Fault::LostCall`], on writes.
    pub lost_call: u16,
    /// Of [`Fault::LostAnswer`], on writes.
    pub lost_answer: u16,
    /// Of [`Fault::Delay`].
    pub delay: u16,
    /// The longest delay; drawn evenly up to it.
    pub delay_max: Duration,
}

/// Wraps an engine and lets calls fail or wait: by a script where there is one, else by chance from `env`'s
/// randomness, so that a seed repeats it.
#[derive(Debug)]
pub struct Faulty {
    inner: Arc<dyn Store>,
    env: Env,
    chances: Mutex<Chances>,
    script: Mutex<VecDeque<Option<Fault>>>,
    lost: Mutex<VecDeque<CommitId>>,
    hold: Mutex<Option<Hold>>,
}

/// A commit that is held up; see [`Faulty::hold`]. Dropped, it lets the commit go too.
#[derive(Debug)]
pub struct Held {
    arrived: oneshot::Receiver<()>,
    release: oneshot::Sender<()>,
}

impl Held {
    /// Waits until the commit is done and held.
    pub async fn arrived(&mut self) {
        // No news means that another hold took the place of this one; there is nothing to wait for then.
        let _ = (&mut self.arrived).await;
    }

    /// Lets the commit be answered.
    pub fn release(self) {
        // Where the commit never came, nobody waits.
        let _ = self.release.send(());
    }
}

/// The other side of a [`Held`].
#[derive(Debug)]
struct Hold {
    arrived: oneshot::Sender<()>,
    release: oneshot::Receiver<()>,
}

impl Hold {
    async fn over(self) {
        // Whoever holds the commit may have stopped waiting for it, or have dropped it.
        let _ = self.arrived.send(());
        let _ = self.release.await;
    }
}

impl Faulty {
    /// Wraps `inner`.
    pub fn new(inner: Arc<dyn Store>, env: Env, chances: Chances) -> Faulty {
        Faulty {
            inner,
            env,
            chances: Mutex::new(chances),
            script: Mutex::default(),
            lost: Mutex::default(),
            hold: Mutex::default(),
        }
    }

    /// Holds up the next commit: it is done, and answered only once it is released.
    pub fn hold(&self) -> Held {
        let (arrived, reached) = oneshot::channel();
        let (release, released) = oneshot::channel();
        *self.hold.lock() = Some(Hold { arrived, release: released });
        Held { arrived: reached, release }
    }

    /// Changes how often faults befall calls from now on.
    pub fn set_chances(&self, chances: Chances) {
        *self.chances.lock() = chances;
    }

    /// Appends to the script: the fault of each of the next writes, `None` for a write that goes well.
    /// Writes are commits, blind writes, trims and ends of spaces; reads follow chance only.
    pub fn script(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.script.lock().extend(faults);
    }

    fn write_fault(&self) -> Option<Fault> {
        if let Some(scripted) = self.script.lock().pop_front() {
            return scripted;
        }
        let chances = *self.chances.lock();
        self.draw(
            chances,
            &[
                (chances.error, Fault::Error),
                (chances.lost_call, Fault::LostCall),
                (chances.lost_answer, Fault::LostAnswer),
            ],
        )
    }

    fn read_fault(&self) -> Option<Fault> {
        let chances = *self.chances.lock();
        self.draw(chances, &[(chances.error, Fault::Error)])
    }

    fn draw(&self, chances: Chances, faults: &[(u16, Fault)]) -> Option<Fault> {
        let mut drawn = self.env.random.next_u64() % 1000;
        for (chance, fault) in faults {
            match drawn.checked_sub(u64::from(*chance)) {
                Some(rest) => drawn = rest,
                None => return Some(*fault),
            }
        }
        (drawn < u64::from(chances.delay)).then(|| Fault::Delay(self.draw_delay(chances.delay_max)))
    }

    fn draw_delay(&self, delay_max: Duration) -> Duration {
        let most = u64::try_from(delay_max.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.env.random.next_u64() % most.max(1))
    }

    fn late<'a, T: Send + Unpin + 'a>(&'a self, by: Duration, answer: Answer<'a, T>) -> Answer<'a, T> {
        Answer::later(async move {
            let result = answer.await;
            self.env.tasks.sleep(by).await;
            result
        })
    }

    fn read<'a, T: Send + Unpin + 'a>(
        &'a self,
        call: impl FnOnce(&'a dyn Store) -> Answer<'a, T>,
    ) -> Answer<'a, T> {
        match self.read_fault() {
            None => call(&*self.inner),
            Some(Fault::Delay(by)) => self.late(by, call(&*self.inner)),
            Some(_) => Answer::ready(Err(injected())),
        }
    }

    fn write<'a>(&'a self, call: impl FnOnce(&'a dyn Store) -> Answer<'a, ()>) -> Answer<'a, ()> {
        match self.write_fault() {
            None => call(&*self.inner),
            Some(Fault::Delay(by)) => self.late(by, call(&*self.inner)),
            Some(Fault::Error | Fault::LostCall) => Answer::ready(Err(injected())),
            Some(Fault::LostAnswer) => {
                let done = call(&*self.inner);
                Answer::later(async move { done.await.and(Err(injected())) })
            }
        }
    }

    /// A commit with the fault that befalls it.
    fn commit_or_fail(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        match self.write_fault() {
            None => self.inner.commit(id, parts),
            Some(Fault::Delay(by)) => self.late(by, self.inner.commit(id, parts)),
            Some(Fault::Error) => Answer::ready(Err(injected())),
            Some(Fault::LostCall) => {
                self.lose(id);
                Answer::ready(Ok(Outcome::Unknown))
            }
            Some(Fault::LostAnswer) => {
                let done = self.inner.commit(id, parts);
                Answer::later(async move { done.await.map(|_| Outcome::Unknown) })
            }
        }
    }

    fn lose(&self, id: CommitId) {
        let mut lost = self.lost.lock();
        lost.push_back(id);
        if lost.len() > LOST_MAX {
            lost.pop_front();
        }
    }
}

fn injected() -> StoreError {
    StoreError::Failed("a fault was injected".into())
}

impl Store for Faulty {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        self.read(|store| store.get(at, freshness))
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        self.read(|store| store.get_many(at, freshness))
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        self.read(|store| store.range(range))
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        self.read(|store| store.sweep(sweep))
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        let hold = self.hold.lock().take();
        let done = self.commit_or_fail(id, parts);
        let Some(hold) = hold else { return done };
        Answer::later(async move {
            let outcome = done.await;
            hold.over().await;
            outcome
        })
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        if self.lost.lock().contains(&id) {
            return Answer::ready(Ok(Resolution::NotApplied));
        }
        self.inner.resolve(id)
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        self.write(|store| store.put_lww(writes))
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        self.read(|store| store.log_read(space, after, limit))
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        self.write(|store| store.log_trim(space, through))
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        self.read(|store| store.lease(request))
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        self.write(|store| store.forget(space))
    }
}
