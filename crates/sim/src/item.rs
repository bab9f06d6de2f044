//! One item as the checkers see it: the steps that requests take on it, judged by the oracle.

use std::fmt;
use std::sync::Arc;

use hashrange_api::Error;

use crate::linear::{Effect, Model};
use crate::oracle::Item;
use crate::oracle::expression::{Condition, Path, project};
use crate::oracle::schema::IndexSpec;
use crate::oracle::table::Table;
use crate::oracle::write::{Write, check_refusal};

/// A step on one item, with its answer.
#[derive(Clone)]
pub enum Step {
    /// A write, and the attributes or the refusal that it was answered with; `None` where it was not answered.
    Write(Arc<Write>, Option<Result<Option<Item>, Error>>),
    /// A read, and what it was shown.
    Read(Arc<View>, Option<Item>),
}

/// The part of an item that a read is shown.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The index whose entry it is shown.
    pub index: Option<IndexSpec>,
    /// What must hold on what it is shown: key conditions and filters.
    pub conditions: Vec<Condition>,
    /// The paths that it is shown.
    pub projection: Option<Vec<Path>>,
}

impl View {
    /// What the view shows of an item; nothing where a condition does not hold or the index has no entry.
    pub fn show(&self, table: &Table, item: &Item) -> Option<Item> {
        let shown = match &self.index {
            Some(index) => table.entry(index, item)?.item,
            None => item.clone(),
        };
        if !self.conditions.iter().all(|condition| condition.evaluate(&shown)) {
            return None;
        }
        Some(self.projection.as_ref().map_or_else(|| shown.clone(), |paths| project(&shown, paths)))
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Write(write, answer) => write!(f, "{write:?} -> {answer:?}"),
            Step::Read(view, seen) => write!(f, "{view:?} -> {seen:?}"),
        }
    }
}

/// The items of one table. The table's own items are not looked at.
#[derive(Debug)]
pub struct Items<'a>(pub &'a Table);

impl Model for Items<'_> {
    type State = Option<Item>;
    type Step = Step;

    fn apply(&self, state: &Option<Item>, step: &Step) -> Effect<Option<Item>> {
        match step {
            Step::Read(view, seen) => {
                let shown = state.as_ref().and_then(|item| view.show(self.0, item));
                if shown == *seen { Effect::Same } else { Effect::Impossible }
            }
            Step::Write(write, answer) => match (write.expect(self.0, state.as_ref()), answer) {
                (Ok(expected), Some(Ok(told))) if !expected.attributes.fits(told.as_ref()) => {
                    Effect::Impossible
                }
                (Ok(_), Some(Err(_))) | (Err(_), Some(Ok(_))) => Effect::Impossible,
                (Ok(expected), _) if expected.new == *state => Effect::Same,
                (Ok(expected), _) => Effect::Becomes(expected.new),
                (Err(refusal), Some(Err(error))) if check_refusal(error, &refusal).is_err() => {
                    Effect::Impossible
                }
                (Err(_), _) => Effect::Same,
            },
        }
    }

    fn observes(&self, step: &Step) -> bool {
        matches!(step, Step::Read(..) | Step::Write(_, Some(Err(_))))
    }
}
