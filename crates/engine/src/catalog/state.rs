//! Where a table and its indexes stand. Nothing runs in the background: states follow from when a change was made and
//! from how long changes take.

use hashrange_api::{IndexStatus, TableStatus};

use super::row::{GlobalRow, IndexState, TableRow, Updating};

/// A point in time at which states are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Now, in milliseconds since the epoch.
    pub(super) now_ms: u64,
    /// How long changes take.
    pub(super) delay_ms: u64,
    /// Whether changes of this very moment still show as going on: an answer to `UpdateTable` tells of them even where
    /// they take no time.
    pub(super) fresh: bool,
}

impl Moment {
    /// This moment as the answer to a change shows it.
    pub(super) fn freshly(self) -> Moment {
        Moment { fresh: true, ..self }
    }

    /// Whether a change made at `since_ms` is still going on.
    pub(super) fn within(self, since_ms: u64) -> bool {
        (self.fresh && since_ms == self.now_ms) || self.lasting(since_ms)
    }

    /// The same, whether or not the change is fresh.
    pub(super) fn lasting(self, since_ms: u64) -> bool {
        self.now_ms.saturating_sub(since_ms) < self.delay_ms
    }
}

/// Where a global index stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexPhase {
    /// Being created together with its table.
    CreatingWithTable,
    /// Added, and getting its resources: the table is UPDATING.
    Allocating,
    /// Being filled from the table's items.
    Backfilling,
    Active,
    Updating,
    Deleting,
    /// Deleted for good.
    Gone,
}

impl IndexPhase {
    pub(super) fn status(self) -> IndexStatus {
        match self {
            IndexPhase::CreatingWithTable | IndexPhase::Allocating | IndexPhase::Backfilling => {
                IndexStatus::Creating
            }
            IndexPhase::Active => IndexStatus::Active,
            IndexPhase::Updating => IndexStatus::Updating,
            IndexPhase::Deleting | IndexPhase::Gone => IndexStatus::Deleting,
        }
    }

    /// `Backfilling` of a description: told of indexes that were added to a table, until they are active.
    pub(super) fn backfilling(self) -> Option<bool> {
        match self {
            IndexPhase::Allocating => Some(false),
            IndexPhase::Backfilling => Some(true),
            _ => None,
        }
    }
}

impl GlobalRow {
    /// Where the index of a table created at `created_ms` stands.
    pub(super) fn phase(&self, created_ms: u64, moment: Moment) -> IndexPhase {
        match self.state {
            IndexState::WithTable if moment.lasting(created_ms) => IndexPhase::CreatingWithTable,
            IndexState::Added { since_ms, .. } if moment.within(since_ms) => IndexPhase::Allocating,
            IndexState::Added { populated: true, filled_ms: None, .. } => IndexPhase::Backfilling,
            IndexState::Deleting { since_ms } if moment.within(since_ms) => IndexPhase::Deleting,
            IndexState::Deleting { .. } => IndexPhase::Gone,
            _ if self.updated_ms.is_some_and(|at| moment.within(at)) => IndexPhase::Updating,
            IndexState::WithTable | IndexState::Added { .. } => IndexPhase::Active,
        }
    }
}

impl TableRow {
    /// Whether the table is deleted for good, though its row may still be there.
    pub(super) fn is_gone(&self, moment: Moment) -> bool {
        self.deleting_ms.is_some_and(|since| !moment.lasting(since))
    }

    /// The table's status.
    pub(super) fn status(&self, moment: Moment) -> TableStatus {
        if self.deleting_ms.is_some() {
            TableStatus::Deleting
        } else if moment.lasting(self.created_ms) {
            TableStatus::Creating
        } else if self.change(moment).is_some() || self.index_in_transit(moment).is_some() {
            TableStatus::Updating
        } else {
            TableStatus::Active
        }
    }

    /// The change of the table itself that is going on.
    pub(super) fn change(&self, moment: Moment) -> Option<Updating> {
        self.updating.filter(|updating| moment.within(updating.since_ms)).map(|updating| updating.what)
    }

    /// An index whose creation or deletion keeps the table in UPDATING.
    pub(super) fn index_in_transit(&self, moment: Moment) -> Option<(&GlobalRow, IndexPhase)> {
        self.phases(moment).find(|(_, phase)| matches!(phase, IndexPhase::Allocating | IndexPhase::Deleting))
    }

    /// The global indexes and where they stand; those that are gone are left out.
    pub(super) fn phases(&self, moment: Moment) -> impl Iterator<Item = (&GlobalRow, IndexPhase)> {
        self.globals
            .iter()
            .map(move |index| (index, index.phase(self.created_ms, moment)))
            .filter(|(_, phase)| *phase != IndexPhase::Gone)
    }

    /// Whether some of the row's content has to be swept out at some time.
    pub(super) fn is_leaving(&self) -> bool {
        self.deleting_ms.is_some()
            || self.globals.iter().any(|index| matches!(index.state, IndexState::Deleting { .. }))
    }

    /// Takes out the indexes that are gone, and the attribute definitions that only they used; gives their spaces.
    pub(super) fn sweep(&mut self, moment: Moment) -> Vec<u64> {
        let created_ms = self.created_ms;
        let gone = |index: &GlobalRow| index.phase(created_ms, moment) == IndexPhase::Gone;
        let spaces = self.globals.iter().filter(|index| gone(index)).map(|index| index.space).collect();
        self.globals.retain(|index| !gone(index));
        self.prune_attributes();
        spaces
    }

    /// Drops the attribute definitions that no key uses.
    pub(super) fn prune_attributes(&mut self) {
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.retain(|attribute| self.is_key_attribute(&attribute.name));
        self.attributes = attributes;
    }

    fn is_key_attribute(&self, name: &str) -> bool {
        self.key.iter().any(|key| key == name)
            || self.locals.iter().any(|index| index.range == name)
            || self.globals.iter().any(|index| index.hash.iter().chain(&index.range).any(|key| key == name))
    }
}
