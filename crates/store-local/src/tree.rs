//! The tree engine (fjall) behind one narrow face: open it, write one batch, read at a published instant.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fjall::config::{
    BlockSizePolicy, CompressionPolicy, PartitioningPolicy, PinningPolicy, RestartIntervalPolicy,
};
use fjall::{
    AbstractTree, Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Readable, UserKey,
    UserValue,
};
use hashrange_store::{Direction, StoreError, StoreResult};

use crate::blocks::Seen;
use crate::files::journal;
use crate::gaps::Gaps;
use crate::hot::HotRows;
use crate::instant::{Instant, LastFiles, Sources};
use crate::interrupt::Interrupt;
use crate::keys::{self, Stretch};
use crate::merge::Places;

/// Size at which a tree's memtable is written out. Small on purpose: memtables keep every version of a row.
pub(crate) const MEMTABLE_BYTES: u64 = 16 << 20;
/// Size of all journals from which on idle memtables are written out, so that a restart replays little.
/// The smallest that the engine takes.
const JOURNALS_BYTES_MAX: u64 = 64 << 20;
/// Background threads. With two, the one reserved for flushes spins while the other compacts.
const BACKGROUND_THREADS: usize = 4;
/// Memtables waiting to be written out, and tables waiting to be merged, from which on writes wait. One less than
/// where the engine itself stops them, and more.
const SEALED_MAX: usize = 3;
const RUNS_MAX: usize = 28;
/// Size from which on a block of rows is full: small, because a read takes whole blocks from the operating system, yet
/// large enough that the index of all blocks fits into memory (about 70 bytes for each).
const BLOCK_BYTES: u32 = 8 << 10;
/// Of so many rows of a block, one has its whole key: it is where a search in the block can begin. A range begins and
/// ends with a walk over half as many rows, each of which no processor cache holds. Fewer would cost memory: the index
/// of a table that is being written holds on to the blocks from which whole keys came.
const ROWS_PER_RESTART: u8 = 4;
/// How often it is looked whether background work has come further.
const POLL: Duration = Duration::from_millis(5);

/// Which of the two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// Rows, totals and the engine's own records.
    Rows,
    /// Change logs: apart, because they are written in order and trimmed from the front.
    Log,
}

/// The open trees.
pub(crate) struct Tree {
    /// Present until dropped.
    handles: Option<Handles>,
    folder: PathBuf,
    /// Everything is in table files, so that the journals may be emptied.
    flushed: AtomicBool,
    interrupt: Interrupt,
    /// The table files of rows as they were at the last instant.
    files: LastFiles,
    /// Blocks that short ranges have read.
    seen: Seen,
}

struct Handles {
    database: Database,
    rows: Keyspace,
    log: Keyspace,
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// One change of one key.
#[derive(Debug)]
pub(crate) struct Op {
    pub(crate) table: Table,
    pub(crate) key: UserKey,
    /// Its new value, or `None` to remove it.
    pub(crate) value: Option<UserValue>,
}

impl Op {
    /// Bytes of key and value.
    pub(crate) fn len(&self) -> usize {
        self.key.len() + self.value.as_ref().map_or(0, |value| value.len())
    }
}

/// What a scan does not walk over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detours<'a> {
    pub(crate) hot: &'a HotRows,
    pub(crate) gaps: &'a Gaps,
}

/// One of them: the keys `from..to`.
struct Detour {
    from: UserKey,
    to: UserKey,
    /// A hot row, to be read by itself; else there is nothing.
    row: Option<UserKey>,
}

impl Detours<'_> {
    fn first_in(&self, stretch: &Stretch, around_hot: bool) -> Option<Detour> {
        let (lower, upper) = (&stretch.lower[..], &stretch.upper[..]);
        let backward = stretch.direction == Direction::Backward;
        let hot = around_hot.then(|| self.hot.first_in(lower, upper, backward)).flatten().map(|key| {
            let to = keys::next(&key).into();
            Detour { from: key.clone(), to, row: Some(key) }
        });
        let gap = self.gaps.first_in(lower, upper, backward);
        let gap = gap.map(|(from, to)| Detour { from: from.clone(), to: to.clone(), row: None });
        match (hot, gap) {
            (Some(hot), Some(gap)) => {
                let hot_first = if backward { hot.to > gap.to } else { hot.from < gap.from };
                Some(if hot_first { hot } else { gap })
            }
            (hot, gap) => hot.or(gap),
        }
    }
}

/// Sorted runs of table files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    /// How many there are: a read looks into each that may have its key.
    pub(crate) count: usize,
    /// Bytes of all.
    pub(crate) bytes: u64,
    /// Bytes above the lowest level.
    pub(crate) upper_bytes: u64,
}

/// Which table files there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FilesId {
    rows: u64,
    log: u64,
}

/// What a scan does after a key.
pub(crate) type Step = StoreResult<ControlFlow<()>>;

impl Tree {
    /// Opens the trees in `folder`, making them where they do not exist, with so much memory for blocks.
    pub(crate) fn open(folder: &Path, cache_bytes: u64) -> Result<Tree, fjall::Error> {
        let interrupt = Interrupt::default();
        let filters = interrupt.filters();
        let database = Database::builder(folder)
            .cache_size(cache_bytes)
            .max_journaling_size(JOURNALS_BYTES_MAX)
            .worker_threads(BACKGROUND_THREADS)
            .with_compaction_filter_factories(Arc::new(move |_| Some(Arc::clone(&filters))))
            .open()?;
        let rows = database.keyspace("rows", keyspace_options)?;
        let log = database.keyspace("log", keyspace_options)?;
        let handles = Some(Handles { database, rows, log });
        let (files, seen) = (LastFiles::default(), Seen::new(cache_bytes, BLOCK_BYTES));
        Ok(Tree { handles, folder: folder.into(), flushed: AtomicBool::new(false), interrupt, files, seen })
    }

    /// The folder of its files.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn handles(&self) -> &Handles {
        self.handles.as_ref().expect("taken only when dropped")
    }

    fn keyspace(&self, table: Table) -> &Keyspace {
        match table {
            Table::Rows => &self.handles().rows,
            Table::Log => &self.handles().log,
        }
    }

    /// Starts a batch that is synced to the disk when it is applied.
    pub(crate) fn batch(&self, capacity: usize) -> OwnedWriteBatch {
        OwnedWriteBatch::with_capacity(self.handles().database.clone(), capacity)
            .durability(Some(PersistMode::SyncData))
    }

    /// Adds a change to a batch.
    pub(crate) fn add(&self, batch: &mut OwnedWriteBatch, op: Op) {
        match op.value {
            Some(value) => batch.insert(self.keyspace(op.table), op.key, value),
            None => batch.remove(self.keyspace(op.table), op.key),
        }
    }

    /// The state after the last batch. Only the writer thread may call this, between two batches: fjall's
    /// own notion of what is visible can run ahead of a batch that is still being applied (a finished
    /// flush or compaction takes a later sequence number and publishes it).
    pub(crate) fn instant(&self) -> Instant {
        let snapshot = self.handles().database.snapshot();
        let sources = self.files.sources(self.keyspace(Table::Rows), snapshot.seqno());
        Instant { snapshot, sources }
    }

    /// Reads one key.
    pub(crate) fn get(&self, instant: &Instant, table: Table, key: &[u8]) -> StoreResult<Option<UserValue>> {
        instant.snapshot.get(self.keyspace(table), key).map_err(|error| read_error(&error))
    }

    /// Visits the keys of a stretch in order, with detours.
    pub(crate) fn scan(
        &self,
        instant: &Instant,
        table: Table,
        mut stretch: Stretch,
        detours: &Detours<'_>,
        visit: &mut impl FnMut(UserKey, UserValue) -> Step,
    ) -> StoreResult<()> {
        let backward = stretch.direction == Direction::Backward;
        // Only the engine walks over all versions of a row.
        let around_hot = table != Table::Rows || instant.sources.is_none();
        while let Some(detour) = detours.first_in(&stretch, around_hot) {
            let mut before = stretch.clone();
            if backward {
                before.lower = detour.to.to_vec();
                stretch.upper = detour.from.to_vec();
            } else {
                before.upper = detour.from.to_vec();
                stretch.lower = detour.to.to_vec();
            }
            if self.walk(instant, table, before, visit)?.is_break() {
                return Ok(());
            }
            if let Some(key) = detour.row
                && self.visit_one(instant, table, &key, visit)?.is_break()
            {
                return Ok(());
            }
        }
        self.walk(instant, table, stretch, visit).map(|_| ())
    }

    fn walk(
        &self,
        instant: &Instant,
        table: Table,
        stretch: Stretch,
        visit: &mut impl FnMut(UserKey, UserValue) -> Step,
    ) -> Step {
        // Asking the tree for a range that ends before it begins would panic.
        if stretch.lower >= stretch.upper {
            return Ok(ControlFlow::Continue(()));
        }
        if stretch.upper == keys::next(&stretch.lower) {
            // A row between two gaps: much cheaper than a range.
            return self.visit_one(instant, table, &stretch.lower, visit);
        }
        match (table, &instant.sources) {
            (Table::Rows, Some(sources)) => self.walk_ourselves(sources, &stretch, visit),
            _ => self.walk_with_the_engine(instant, table, stretch, visit),
        }
    }

    fn walk_ourselves(
        &self,
        sources: &Sources,
        stretch: &Stretch,
        visit: &mut impl FnMut(UserKey, UserValue) -> Step,
    ) -> Step {
        let failed = |error: lsm_tree::Error| read_error(&error.into());
        let places = Places::find(sources, stretch, &self.seen);
        let mut found = places.rows().map_err(failed)?;
        while let Some(row) = found.next().map_err(failed)? {
            if visit(row.key.user_key, row.value)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn walk_with_the_engine(
        &self,
        instant: &Instant,
        table: Table,
        stretch: Stretch,
        visit: &mut impl FnMut(UserKey, UserValue) -> Step,
    ) -> Step {
        let mut found = instant.snapshot.range(self.keyspace(table), stretch.lower..stretch.upper);
        loop {
            let next = match stretch.direction {
                Direction::Forward => found.next(),
                Direction::Backward => found.next_back(),
            };
            let Some(guard) = next else { return Ok(ControlFlow::Continue(())) };
            let (key, value) = guard.into_inner().map_err(|error| read_error(&error))?;
            if visit(key, value)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }

    fn visit_one(
        &self,
        instant: &Instant,
        table: Table,
        key: &[u8],
        visit: &mut impl FnMut(UserKey, UserValue) -> Step,
    ) -> Step {
        match self.get(instant, table, key)? {
            Some(value) => visit(key.into(), value),
            None => Ok(ControlFlow::Continue(())),
        }
    }

    /// Bytes of the cache in use.
    pub(crate) fn cache_bytes(&self) -> u64 {
        self.handles().database.cache_size()
    }

    /// Bytes that the cache may have.
    pub(crate) fn cache_bytes_max(&self) -> u64 {
        self.handles().database.cache_capacity()
    }

    /// Bytes of all table files.
    pub(crate) fn table_bytes(&self) -> u64 {
        let handles = self.handles();
        [&handles.rows, &handles.log].into_iter().map(Keyspace::disk_space).sum()
    }

    /// Bytes of rows in memory that no table file holds yet.
    pub(crate) fn memtable_bytes(&self) -> u64 {
        self.handles().database.write_buffer_size()
    }

    /// Merges of table files that have ended since the start, and the time that they took.
    pub(crate) fn compactions(&self) -> (u64, Duration) {
        let database = &self.handles().database;
        (database.compactions_completed() as u64, database.time_compacting())
    }

    /// How the table files of rows lie.
    pub(crate) fn runs(&self) -> Runs {
        let version = self.handles().rows.tree.current_version();
        let levels: Vec<_> = version.iter_levels().map(|level| (level.run_count(), level.size())).collect();
        let bytes = levels.iter().map(|(_, bytes)| bytes).sum();
        let lowest = levels.last().map_or(0, |(_, bytes)| *bytes);
        Runs { count: levels.iter().map(|(runs, _)| runs).sum(), bytes, upper_bytes: bytes - lowest }
    }

    /// Whether no memtable of rows is being written out.
    pub(crate) fn is_written_out(&self) -> bool {
        self.handles().rows.sealed_memtable_count() == 0
    }

    /// Which table files there are: changes with every one that is written or merged. `None` while the engine itself
    /// is about to change them.
    pub(crate) fn files_at_rest(&self) -> Option<FilesId> {
        let Handles { database, rows, log } = self.handles();
        let busy = database.outstanding_flushes() > 0
            || database.active_compactions() > 0
            || [rows, log].into_iter().any(|keyspace| keyspace.sealed_memtable_count() > 0);
        let id = |keyspace: &Keyspace| keyspace.tree.current_version().id();
        (!busy).then(|| FilesId { rows: id(rows), log: id(log) })
    }

    /// Merges the table files of rows into one run. Takes as long as reading and writing them all, unless
    /// [`Self::interrupt`] ends it.
    pub(crate) fn merge_all(&self) -> Result<(), fjall::Error> {
        Interrupt::during(|| self.handles().rows.major_compact())
    }

    /// Ends a merge of all files, without a result, and all later ones.
    pub(crate) fn interrupt(&self) {
        self.interrupt.stop();
    }

    /// Lets go of table files that are merged and that no open snapshot needs. Something must have been written since
    /// the memtable of rows was written out last: the engine lets go of files only when it does that.
    pub(crate) fn let_go_of_merged(&self) -> Result<(), fjall::Error> {
        self.handles().rows.rotate_memtable().map(|_| ())
    }

    /// Waits while the engine is far behind with its background work. It would wait itself, and for ever where its
    /// background threads have ended with an error.
    pub(crate) fn wait_for_room(&self) -> Result<(), fjall::Error> {
        let handles = self.handles();
        let behind = |keyspace: &Keyspace| {
            keyspace.sealed_memtable_count() >= SEALED_MAX || keyspace.tree.l0_run_count() >= RUNS_MAX
        };
        self.wait_while(|| [&handles.rows, &handles.log].into_iter().any(behind))
    }

    /// Waits for background work; an error if the engine has failed meanwhile.
    fn wait_while(&self, busy: impl Fn() -> bool) -> Result<(), fjall::Error> {
        while busy() {
            self.handles().database.persist(PersistMode::Buffer)?;
            std::thread::park_timeout(POLL);
        }
        Ok(())
    }

    /// Writes all memtables out, so that the next start replays nothing. No batch may be applied after it.
    pub(crate) fn flush(&self) -> Result<(), fjall::Error> {
        let handles = self.handles();
        let keyspaces = [&handles.rows, &handles.log];
        for keyspace in keyspaces {
            keyspace.rotate_memtable()?;
        }
        self.wait_while(|| keyspaces.iter().any(|keyspace| keyspace.sealed_memtable_count() > 0))?;
        let left: u64 = keyspaces.iter().map(|keyspace| keyspace.tree.active_memtable().size()).sum();
        self.flushed.store(left == 0, Ordering::Release);
        Ok(())
    }
}

impl Drop for Tree {
    /// Closes the trees, and empties the journals where all they hold is in table files: fjall itself would
    /// replay the last one, up to 64 MB, only to find that out.
    fn drop(&mut self) {
        self.handles = None;
        if *self.flushed.get_mut() {
            // Where it fails, the next start is slower.
            let _ = empty_journals(&self.folder);
        }
    }
}

/// Empties the newest journal, which fjall wants to find, and removes the older ones.
fn empty_journals(folder: &Path) -> io::Result<()> {
    let mut journals = journal::list(folder)?;
    let Some((_, newest)) = journals.pop() else { return Ok(()) };
    for (_, older) in journals {
        fs::remove_file(older)?;
    }
    let file = OpenOptions::new().write(true).open(newest)?;
    file.set_len(0)?;
    file.sync_all()?;
    File::open(folder)?.sync_all()
}

fn keyspace_options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(MEMTABLE_BYTES)
        // A point read that misses the cache then costs one small copy from the page cache.
        .data_block_compression_policy(CompressionPolicy::disabled())
        .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
        .data_block_restart_interval_policy(RestartIntervalPolicy::all(ROWS_PER_RESTART))
        // Whole filters and indexes stay in memory: a read of many rows would else wait for parts of them as well.
        .filter_block_partitioning_policy(PartitioningPolicy::all(false))
        .filter_block_pinning_policy(PinningPolicy::all(true))
        .index_block_partitioning_policy(PartitioningPolicy::all(false))
        .index_block_pinning_policy(PinningPolicy::all(true))
}

/// A failed read: damage where the engine says so.
pub(crate) fn read_error(error: &fjall::Error) -> StoreError {
    match error {
        fjall::Error::Io(_) | fjall::Error::Storage(fjall::LsmError::Io(_)) | fjall::Error::Poisoned => {
            StoreError::Failed(format!("a read failed ({error}); check the disk").into())
        }
        _ => StoreError::Corrupt(
            format!("{error}; stop the server and run `hashrange check` on its folder").into(),
        ),
    }
}

/// A failed write, with what to do.
pub(crate) fn write_error(error: &fjall::Error) -> StoreError {
    const AFTER: &str = "then restart the server: every answered write is kept";
    let why = match error {
        fjall::Error::Io(io) | fjall::Error::Storage(fjall::LsmError::Io(io))
            if io.kind() == io::ErrorKind::StorageFull =>
        {
            format!("the disk is full ({io}): free space on it, {AFTER}")
        }
        fjall::Error::Poisoned => {
            format!("writing table files failed; most often the disk is full or failing: check it, {AFTER}")
        }
        error => format!("writing or syncing the journal failed ({error}): check the disk, {AFTER}"),
    };
    StoreError::Failed(why.into())
}
