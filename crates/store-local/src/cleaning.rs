//! Drops what forgotten spaces leave behind, in small steps and only as the writer finds time.
//!
//! The mark of a forgotten space says `0` while there is something to drop and `1` afterwards. A mark that
//! says `1` is itself dropped at the next start: until then a late write to the space must still come to
//! nothing.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use fjall::UserValue;
use hashrange_store::{Address, Direction, Space, StoreError, StoreResult};

use crate::gaps::Gaps;
use crate::hot::HotRows;
use crate::instant::Instant;
use crate::keys::{self, Stretch};
use crate::tree::{Detours, Op, Table, Tree};

/// Keys dropped in one step.
const STEP_KEYS: usize = 256;
const PENDING: [u8; 1] = [0];
const CLEANED: [u8; 1] = [1];

/// What is left to drop.
#[derive(Debug, Default)]
pub(crate) struct Cleaning {
    spaces: VecDeque<Leftover>,
}

#[derive(Debug)]
struct Leftover {
    space: Space,
    table: Table,
    /// Keys of this stretch of the table are left.
    lower: Vec<u8>,
    upper: Vec<u8>,
    /// Stretches to do after this one.
    next: Vec<(Table, Vec<u8>)>,
}

impl Leftover {
    fn new(space: Space) -> Leftover {
        let prefix = keys::space_prefix(space);
        let graves = keys::grave(&prefix);
        Leftover {
            space,
            table: Table::Rows,
            upper: keys::successor(prefix.clone()),
            next: vec![(Table::Rows, graves), (Table::Log, prefix.clone())],
            lower: prefix,
        }
    }
}

impl Leftover {
    /// Goes on with the next stretch; false where there is none.
    fn turn_to_next(&mut self) -> bool {
        let Some((table, prefix)) = self.next.pop() else { return false };
        self.table = table;
        self.upper = keys::successor(prefix.clone());
        self.lower = prefix;
        true
    }
}

/// Sets the mark that a space is forgotten.
pub(crate) fn mark(space: Space) -> Op {
    Op { table: Table::Rows, key: keys::forgotten(space).into(), value: Some(UserValue::from(PENDING)) }
}

/// The forgotten spaces found at start, and the work that is left from the last time.
pub(crate) fn recover(tree: &Tree) -> StoreResult<(BTreeSet<Space>, Cleaning)> {
    let prefix = keys::forgotten_prefix();
    let stretch =
        Stretch { upper: keys::successor(prefix.clone()), lower: prefix, direction: Direction::Forward };
    let (mut forgotten, mut obsolete) = (BTreeSet::new(), Vec::new());
    let detours = Detours { hot: &HotRows::default(), gaps: &Gaps::default() };
    tree.scan(&tree.instant(), Table::Rows, stretch, &detours, &mut |key, value| {
        let space = keys::decode_forgotten(&key)
            .ok_or_else(|| StoreError::Corrupt("the mark of a forgotten space cannot be decoded".into()))?;
        if value[..] == CLEANED {
            obsolete.push(Op { table: Table::Rows, key, value: None });
        } else {
            forgotten.insert(space);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let mut batch = tree.batch(obsolete.len());
    for op in obsolete {
        tree.add(&mut batch, op);
    }
    batch.commit().map_err(|error| StoreError::Failed(error.to_string().into()))?;
    let mut cleaning = Cleaning::default();
    cleaning.add(&forgotten.iter().copied().collect::<Vec<_>>());
    Ok((forgotten, cleaning))
}

impl Cleaning {
    pub(crate) fn has_work(&self) -> bool {
        !self.spaces.is_empty()
    }

    pub(crate) fn add(&mut self, spaces: &[Space]) {
        self.spaces.extend(spaces.iter().copied().map(Leftover::new));
    }

    /// The next few removals. They need not be seen by anyone: all reads of the space answer empty already.
    pub(crate) fn step(&mut self, tree: &Tree, instant: &Instant) -> StoreResult<Vec<Op>> {
        let Some(leftover) = self.spaces.front_mut() else { return Ok(Vec::new()) };
        let mut ops = Vec::new();
        let (table, upper) = (leftover.table, leftover.upper.clone());
        let stretch = Stretch { lower: leftover.lower.clone(), upper, direction: Direction::Forward };
        let detours = Detours { hot: &HotRows::default(), gaps: &Gaps::default() };
        tree.scan(instant, table, stretch, &detours, &mut |key, _| {
            ops.push(Op { table, key, value: None });
            Ok(if ops.len() < STEP_KEYS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        match ops.last() {
            Some(last) if ops.len() == STEP_KEYS => leftover.lower = keys::next(&last.key),
            _ if leftover.turn_to_next() => {}
            _ => {
                finish(leftover.space, &mut ops);
                self.spaces.pop_front();
            }
        }
        Ok(ops)
    }
}

/// Drops the space's totals and marks it as cleaned.
fn finish(space: Space, ops: &mut Vec<Op>) {
    for kind in 0..=u8::MAX {
        let key = keys::at(&Address::tally(space, kind)).into();
        ops.push(Op { table: Table::Rows, key, value: None });
    }
    ops.push(Op {
        table: Table::Rows,
        key: keys::forgotten(space).into(),
        value: Some(UserValue::from(CLEANED)),
    });
}
