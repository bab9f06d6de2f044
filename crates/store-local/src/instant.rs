//! An instant of the trees: the engine's snapshot of it, and where the rows of that instant lie.

use std::collections::HashMap;
use std::sync::Arc;

use fjall::{AbstractTree, Keyspace};
use foldhash::fast::RandomState;
use lsm_tree::{Memtable, SeqNo, TableId};
use parking_lot::Mutex;

use crate::blocks::TableFile;

/// What a read sees.
#[derive(Clone)]
pub(crate) struct Instant {
    pub(crate) snapshot: fjall::Snapshot,
    /// `None` where the engine was about to write a memtable out: only it knows where rows are then.
    pub(crate) sources: Option<Sources>,
}

/// All places where rows of an instant lie.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) memtable: Arc<Memtable>,
    pub(crate) files: Arc<Files>,
    /// Entries of the memtable with this number and greater ones came after the instant. Files have none of them.
    pub(crate) seqno: SeqNo,
}

/// Table files that exist together, by sorted run; of one key, the newest entry may be in any of them.
#[derive(Default)]
pub(crate) struct Files {
    /// The engine's number of this state.
    version: Option<u64>,
    pub(crate) runs: Vec<Vec<Arc<TableFile>>>,
}

/// The files of the last instant: most next ones have the same.
#[derive(Default)]
pub(crate) struct LastFiles(Mutex<Arc<Files>>);

impl LastFiles {
    /// Where rows lie now. Nobody may be writing.
    pub(crate) fn sources(&self, keyspace: &Keyspace, seqno: SeqNo) -> Option<Sources> {
        let tree = &keyspace.tree;
        // Memtables become sealed ones, and those table files. Once none is sealed, files have all that is not in the
        // memtable; where it was itself written out meanwhile, they have its rows as well.
        let memtable = tree.active_memtable();
        let written_out = tree.sealed_memtable_count() == 0;
        // Also where they are of no use now: files that were merged are let go of.
        let files = self.files(keyspace);
        written_out.then_some(Sources { memtable, files, seqno })
    }

    fn files(&self, keyspace: &Keyspace) -> Arc<Files> {
        let version = keyspace.tree.current_version();
        let mut last = self.0.lock();
        if last.version == Some(version.id()) {
            return Arc::clone(&last);
        }
        let known: HashMap<TableId, &Arc<TableFile>, RandomState> =
            last.runs.iter().flatten().map(|file| (file.table.id(), file)).collect();
        let tree_id = keyspace.tree.id();
        let file = |table: &lsm_tree::Table| {
            let known = known.get(&table.id());
            known.map_or_else(|| Arc::new(TableFile::new(table.clone(), tree_id)), |file| Arc::clone(file))
        };
        let runs = version.iter_levels().flat_map(|level| level.iter());
        let runs = runs.map(|run| run.iter().map(file).collect()).collect();
        let files = Arc::new(Files { version: Some(version.id()), runs });
        let before = std::mem::replace(&mut *last, Arc::clone(&files));
        drop(last);
        drop(before);
        files
    }
}
