//! The checker of linearisability, after Wing and Gong ("Testing and Verifying Concurrent Objects", 1993): is there an
//! order of all steps that agrees with real time and in which each step's answer is what a [`Model`] says?
//!
//! It knows nothing of items. A history is checked for each item by itself (linearisability is local), so that the
//! histories stay small; within one, states that were met before are not searched again (Lowe, "Testing for
//! linearizability", 2017), and steps that only observe are taken as soon as they fit, where that loses no order.

use std::collections::BTreeSet;
use std::fmt;

/// An object as one thread would see it.
pub trait Model {
    /// What the object is.
    type State: Clone + PartialEq + fmt::Debug;
    /// A step with its answer, if that is known.
    type Step: fmt::Debug;

    /// What the step does to the object, given its answer.
    fn apply(&self, state: &Self::State, step: &Self::Step) -> Effect<Self::State>;

    /// Whether the step, with its answer, changes no object whatever: then it only observes.
    fn observes(&self, step: &Self::Step) -> bool;
}

/// What a step does.
#[derive(Debug)]
pub enum Effect<State> {
    /// In this state, the answer would have been another one.
    Impossible,
    /// The object stays as it is.
    Same,
    /// The object becomes this.
    Becomes(State),
}

/// A step and when it happened: between these moments, or perhaps not at all.
#[derive(Clone, Debug)]
pub struct Span<Step> {
    /// The moment before which it did not happen.
    pub from: u64,
    /// The moment after which it did not happen; `u64::MAX` where there is none.
    pub until: u64,
    /// Whether it did happen. A step that nobody answered may not have.
    pub certain: bool,
    /// What it was.
    pub step: Step,
}

/// What the checker found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is such an order.
    Linearisable,
    /// There is none; where the longest attempt came to its end.
    Violated(String),
    /// The search was given up after [`SEARCH_MAX`] states.
    Undecided,
}

/// States that one search looks at.
pub const SEARCH_MAX: usize = 200_000;

/// Checks one object's history.
pub fn check<M: Model>(model: &M, initial: M::State, spans: &[Span<M::Step>]) -> Verdict {
    let mut search = Search { model, spans, states: vec![initial], met: BTreeSet::new() };
    let mut stack = vec![Frame { state: 0, done: vec![0; spans.len().div_ceil(64)] }];
    let mut longest = Frame { state: 0, done: stack[0].done.clone() };
    while let Some(mut frame) = stack.pop() {
        search.observe(&mut frame);
        if search.is_complete(&frame) {
            return Verdict::Linearisable;
        }
        if frame.count() > longest.count() {
            longest = frame.clone();
        }
        if search.met.len() >= SEARCH_MAX {
            return Verdict::Undecided;
        }
        if search.met.insert(frame.clone()) {
            stack.extend(search.successors(&frame));
        }
    }
    Verdict::Violated(search.explain(&longest))
}

/// What was taken, and the state that it led to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    /// Number of the state.
    state: usize,
    /// One bit for each span.
    done: Vec<u64>,
}

impl Frame {
    fn has(&self, at: usize) -> bool {
        self.done[at / 64] >> (at % 64) & 1 == 1
    }

    fn take(&mut self, at: usize) {
        self.done[at / 64] |= 1 << (at % 64);
    }

    fn count(&self) -> u32 {
        self.done.iter().map(|word| word.count_ones()).sum()
    }
}

struct Search<'a, M: Model> {
    model: &'a M,
    spans: &'a [Span<M::Step>],
    /// States by number: the same state always has the same.
    states: Vec<M::State>,
    met: BTreeSet<Frame>,
}

impl<M: Model> Search<'_, M> {
    /// The end of the first step that must still be taken: what begins later cannot go before it.
    fn horizon(&self, frame: &Frame) -> u64 {
        let open = self.spans.iter().enumerate().filter(|(at, span)| span.certain && !frame.has(*at));
        open.map(|(_, span)| span.until).min().unwrap_or(u64::MAX)
    }

    /// The latest beginning of a step that was taken: what ended before it cannot go after it.
    fn reached(&self, frame: &Frame) -> u64 {
        let taken = self.spans.iter().enumerate().filter(|(at, _)| frame.has(*at));
        taken.map(|(_, span)| span.from).max().unwrap_or(0)
    }

    /// The steps that may be taken next.
    fn candidates(&self, frame: &Frame) -> Vec<usize> {
        let (horizon, reached) = (self.horizon(frame), self.reached(frame));
        let may = |at: &usize| {
            let span = &self.spans[*at];
            !frame.has(*at) && span.from < horizon && span.until > reached
        };
        (0..self.spans.len()).filter(may).collect()
    }

    /// The end of the first step that may still be taken but need not: to take what begins later is to do without it.
    fn chance(&self, frame: &Frame) -> u64 {
        let reached = self.reached(frame);
        let open = |(at, span): &(usize, &Span<M::Step>)| {
            !span.certain && span.until > reached && !frame.has(*at) && !self.model.observes(&span.step)
        };
        self.spans.iter().enumerate().filter(open).map(|(_, span)| span.until).min().unwrap_or(u64::MAX)
    }

    /// Takes every step that only observes and fits the state, and does not end another one's chance: no order is lost by
    /// taking it now.
    fn observe(&self, frame: &mut Frame) {
        loop {
            let (candidates, chance) = (self.candidates(frame), self.chance(frame));
            let fits = |at: &usize| {
                let step = &self.spans[*at].step;
                self.spans[*at].from < chance
                    && self.model.observes(step)
                    && matches!(self.model.apply(&self.states[frame.state], step), Effect::Same)
            };
            let fitting: Vec<usize> = candidates.into_iter().filter(fits).collect();
            if fitting.is_empty() {
                return;
            }
            for at in fitting {
                frame.take(at);
            }
        }
    }

    fn is_complete(&self, frame: &Frame) -> bool {
        self.spans.iter().enumerate().all(|(at, span)| !span.certain || frame.has(at))
    }

    /// The frames after one more step that changes something. A step that may not have happened is not taken in vain.
    fn successors(&mut self, frame: &Frame) -> Vec<Frame> {
        let mut frames = Vec::new();
        for at in self.candidates(frame) {
            let span = &self.spans[at];
            let state = match self.model.apply(&self.states[frame.state], &span.step) {
                Effect::Impossible => continue,
                Effect::Same if !span.certain => continue,
                Effect::Same => frame.state,
                Effect::Becomes(state) => self.number(state),
            };
            let mut next = Frame { state, done: frame.done.clone() };
            next.take(at);
            frames.push(next);
        }
        // The stack gives the last first: try the steps in the order in which they ended.
        frames.reverse();
        frames
    }

    fn number(&mut self, state: M::State) -> usize {
        self.states.iter().position(|known| *known == state).unwrap_or_else(|| {
            self.states.push(state);
            self.states.len() - 1
        })
    }

    fn explain(&self, frame: &Frame) -> String {
        let horizon = self.horizon(frame);
        let open = |(at, span): &(usize, &Span<M::Step>)| !frame.has(*at) && span.from < horizon;
        let line = |(_, span): (usize, &Span<M::Step>)| {
            let certainty = if span.certain { "" } else { " perhaps" };
            format!("\n    {}..{}{certainty} {:?}", span.from, span.until, span.step)
        };
        let open: String = self.spans.iter().enumerate().filter(open).map(line).collect();
        let (taken, state) = (frame.count(), &self.states[frame.state]);
        format!(
            "no order of the steps explains their answers. After {taken} of them, the state was {state:?}, and none of \
             these could follow:{open}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A register of one number.
    struct Register;

    #[derive(Clone, Debug)]
    enum Step {
        Write(u32),
        Read(u32),
    }

    impl Model for Register {
        type State = u32;
        type Step = Step;

        fn apply(&self, state: &u32, step: &Step) -> Effect<u32> {
            match step {
                Step::Write(value) if value == state => Effect::Same,
                Step::Write(value) => Effect::Becomes(*value),
                Step::Read(value) if value == state => Effect::Same,
                Step::Read(_) => Effect::Impossible,
            }
        }

        fn observes(&self, step: &Step) -> bool {
            matches!(step, Step::Read(_))
        }
    }

    fn span(from: u64, until: u64, step: Step) -> Span<Step> {
        Span { from, until, certain: true, step }
    }

    fn maybe(from: u64, until: u64, step: Step) -> Span<Step> {
        Span { certain: false, ..span(from, until, step) }
    }

    fn holds(spans: &[Span<Step>]) -> bool {
        match check(&Register, 0, spans) {
            Verdict::Linearisable => true,
            Verdict::Violated(_) => false,
            Verdict::Undecided => panic!("undecided"),
        }
    }

    use Step::{Read, Write};

    #[test]
    fn steps_at_one_time_may_go_in_either_order() {
        assert!(holds(&[span(1, 4, Write(1)), span(2, 3, Read(0))]));
        assert!(holds(&[span(1, 4, Write(1)), span(2, 3, Read(1))]));
        assert!(holds(&[
            span(1, 9, Write(1)),
            span(2, 3, Write(2)),
            span(4, 5, Read(2)),
            span(6, 7, Read(1))
        ]));
    }

    #[test]
    fn a_read_after_a_write_sees_it() {
        assert!(!holds(&[span(1, 2, Write(1)), span(3, 4, Read(0))]));
    }

    #[test]
    fn what_was_seen_once_does_not_go_away() {
        assert!(!holds(&[span(1, 9, Write(1)), span(2, 3, Read(1)), span(4, 5, Read(0))]));
        assert!(!holds(&[span(1, 2, Write(1)), span(3, 4, Write(2)), span(5, 6, Read(1))]));
    }

    #[test]
    fn a_step_that_nobody_answered_may_have_happened_or_not_but_in_its_time() {
        let crash = 5;
        assert!(holds(&[maybe(1, crash, Write(1)), span(6, 7, Read(1))]));
        assert!(holds(&[maybe(1, crash, Write(1)), span(6, 7, Read(0))]));
        assert!(!holds(&[maybe(1, crash, Write(1)), span(2, 3, Read(1)), span(6, 7, Read(0))]));
        // It came to nothing, or came before the crash: it cannot come after a read that was asked for later.
        assert!(!holds(&[maybe(1, crash, Write(1)), span(6, 7, Read(0)), span(8, 9, Read(1))]));
        assert!(holds(&[maybe(1, u64::MAX, Write(1)), span(6, 7, Read(0)), span(8, 9, Read(1))]));
    }

    #[test]
    fn a_step_that_fits_by_chance_does_not_end_the_chance_of_one_that_nobody_answered() {
        // The read at 6 fits 0 as well as what comes of writing 1 and 0 before the crash at 5.
        let (one, zero) = (maybe(1, 5, Write(1)), maybe(2, 5, Write(0)));
        assert!(holds(&[one.clone(), zero.clone(), span(6, 7, Read(0)), span(3, 4, Read(1))]));
        assert!(holds(&[one.clone(), span(6, 9, Read(0)), span(3, 8, Read(1)), span(6, 10, Write(0))]));
        assert!(!holds(&[one, zero, span(6, 7, Read(0)), span(8, 9, Read(1))]));
    }

    #[test]
    fn a_write_of_the_same_value_is_not_taken_too_early() {
        // 1 twice, the second time after 2.
        assert!(holds(&[
            span(1, 2, Write(1)),
            span(3, 9, Write(1)),
            span(4, 8, Write(2)),
            span(5, 6, Read(2)),
            span(10, 11, Read(1)),
        ]));
    }
}
