//! What clients asked and were answered, and when: the input of every checker.
//!
//! A call carries what it did, as its checker wants it: a [`Touch`] for each item that it reads or writes, where calls of
//! several items are as many single steps; or one [`Move`](crate::bank::Move), which is one step of many items.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::item::Step;
use crate::linear::Span;
use crate::oracle::Key;
use crate::trace::Trace;

/// Names a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(usize);

/// What a call does to one item.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Number of the table.
    pub table: usize,
    /// Key of the item.
    pub key: Key,
    /// What happens to it.
    pub step: Step,
    /// The read may be answered from any earlier state: it is eventually consistent.
    pub stale: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It has not.
    Open,
    /// Answered at this moment.
    Answered(u64),
    /// It failed with an error of the server, or its process died: what it did, if anything, it did before this moment.
    Unknown(u64),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call<T = Vec<Touch>> {
    /// Who called.
    pub client: usize,
    /// The moment of the call.
    pub from: u64,
    /// How it ended.
    pub end: End,
    /// What it did, with the answers where there are any.
    pub touches: T,
}

/// The client number of audits.
pub const AUDITOR: usize = usize::MAX;

/// For people.
fn who(client: usize) -> String {
    if client == AUDITOR { "the auditor".to_owned() } else { format!("client {client}") }
}

/// The recorder. Moments are counted: each call, answer and crash is one.
#[derive(Debug)]
pub struct History<T = Vec<Touch>> {
    trace: Arc<Trace>,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    moment: u64,
    calls: Vec<Call<T>>,
    /// Moments of crashes.
    crashes: Vec<u64>,
    violation: Option<String>,
}

impl<T> State<T> {
    fn next(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }
}

impl<T: Clone> History<T> {
    /// An empty history that tells `trace`.
    pub fn new(trace: Arc<Trace>) -> History<T> {
        let state = State { moment: 0, calls: Vec::new(), crashes: Vec::new(), violation: None };
        History { trace, state: Mutex::new(state) }
    }

    /// A call begins. `touches` are what it may do if nobody hears of it again.
    pub fn call(&self, client: usize, touches: T, text: impl FnOnce() -> String) -> CallId {
        let mut state = self.state.lock();
        let from = state.next();
        let id = CallId(state.calls.len());
        state.calls.push(Call { client, from, end: End::Open, touches });
        self.trace.note(|| format!("{from} {} calls {}", who(client), text()));
        id
    }

    /// A call is answered: `touches` are what it did and saw.
    pub fn answer(&self, id: CallId, touches: T, text: impl FnOnce() -> String) {
        let mut state = self.state.lock();
        let moment = state.next();
        let call = &mut state.calls[id.0];
        call.end = End::Answered(moment);
        call.touches = touches;
        self.trace.note(|| format!("{moment} {} is answered {}", who(call.client), text()));
    }

    /// A call fails, and nobody knows what it did or will have done.
    pub fn fail(&self, id: CallId, text: impl FnOnce() -> String) {
        let mut state = self.state.lock();
        let moment = state.next();
        let call = &mut state.calls[id.0];
        call.end = End::Unknown(u64::MAX);
        self.trace.note(|| format!("{moment} {} meets a failure: {}", who(call.client), text()));
    }

    /// The process dies. What was called and not answered is over.
    pub fn crash(&self) {
        let mut state = self.state.lock();
        let moment = state.next();
        for call in &mut state.calls {
            if matches!(call.end, End::Open | End::Unknown(u64::MAX)) {
                call.end = End::Unknown(moment);
            }
        }
        state.crashes.push(moment);
        self.trace.note(|| format!("{moment} crash"));
    }

    /// Something happened that no rule allows. The first is kept.
    pub fn violate(&self, what: String) {
        self.trace.note(|| format!("violation: {what}"));
        self.state.lock().violation.get_or_insert(what);
    }

    /// The first violation.
    pub fn violation(&self) -> Option<String> {
        self.state.lock().violation.clone()
    }

    /// How many calls there were.
    pub fn len(&self) -> usize {
        self.state.lock().calls.len()
    }

    /// Whether there was no call yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All calls.
    pub fn calls(&self) -> Vec<Call<T>> {
        self.state.lock().calls.clone()
    }
}

impl<T> Call<T> {
    /// The moment after which nothing of it happened, and whether it was answered.
    pub fn until(&self) -> (u64, bool) {
        match self.end {
            End::Answered(moment) => (moment, true),
            End::Unknown(moment) => (moment, false),
            End::Open => (u64::MAX, false),
        }
    }
}

impl History {
    /// The steps on each item of each table, by the moment they began.
    pub fn by_item(&self) -> BTreeMap<(usize, Key), Vec<Span<Step>>> {
        let state = self.state.lock();
        let mut items: BTreeMap<(usize, Key), Vec<Span<Step>>> = BTreeMap::new();
        for call in &state.calls {
            let (until, certain) = call.until();
            for touch in &call.touches {
                if !certain && matches!(touch.step, Step::Read(..)) {
                    continue;
                }
                let from = if touch.stale { 0 } else { call.from };
                let span = Span { from, until, certain, step: touch.step.clone() };
                items.entry((touch.table, touch.key.clone())).or_default().push(span);
            }
        }
        items
    }
}
