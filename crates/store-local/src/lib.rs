//! The embedded durable engine: fjall's trees behind one writer thread with group commit.
//!
//! The life of a commit:
//! 1. the caller's thread encodes it and checks what it expects, against the *overlay* of rows on their way
//!    to the disk and the last *published* durable instant (`admit.rs`), and puts it into the queue;
//! 2. the writer thread takes all that is queued as one group, writes it as one batch, and syncs (`writer.rs`);
//! 3. it publishes the new instant, and answers. Rows stay in the overlay for a while, for whoever writes them again.
//!
//! Reads run on the caller's thread (`read.rs`). `Strong` and `Any` reads use the published instant only,
//! so they never show what a crash could take back. A range merges the places where rows of the instant lie (`merge.rs`,
//! `blocks.rs`). Scans take detours: around rows with many versions (`hot.rs`)
//! and over stretches of removed rows (`gaps.rs`, `learn.rs`). Once nobody writes, table files come to rest (`settle.rs`).

mod admit;
mod ahead;
mod blocks;
mod check;
mod cleaning;
mod files;
mod folder;
mod gaps;
mod hot;
mod inspect;
mod instant;
mod interrupt;
mod keys;
mod learn;
mod merge;
mod pages;
mod read;
mod sequence;
mod settle;
mod shared;
mod stats;
mod tree;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use arc_swap::ArcSwap;
use hashrange_env::Env;
use hashrange_store::{
    Address, Answer, Capabilities, CommitId, Found, Freshness, LeaseRequest, LogPosition, LogRecord,
    LwwWrite, Outcome, Part, RangePage, RangeRead, Resolution, Space, Store, StoreError, StoreResult,
    SweepPage, SweepRead,
};
use parking_lot::{Condvar, Mutex};

use admit::{Admitted, Prepared};
pub use check::{Observer, Salvaged, Summary, check, salvage};
pub use files::Damage;
use folder::Folder;
pub use folder::{OpenError, is_database, look};
use hot::HotRows;
use inspect::inspect;
use learn::{Claims, Rules};
use pages::Pages;
use sequence::{NONE_YET, Sealed, Watermark};
use settle::Settler;
use shared::{Phase, Published, Queue, RowAt, SLOTS, Shared};
use stats::Measures;
pub use stats::Stats;
use tree::{Table, Tree};
use writer::Writer;

/// Log records removed in one step of a trim.
const TRIM_STEP: usize = 1000;
/// One byte in so many of the cache is for pages of ranges.
const PAGES_SHARE: u64 = 4;

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory for blocks of table files and for pages of ranges, in bytes. More makes reads of data larger than it
    /// faster.
    pub cache_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { cache_bytes: 64 << 20 }
    }
}

/// A data folder, open.
#[derive(Debug)]
pub struct LocalStore {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
    settler: Mutex<Settler>,
}

impl LocalStore {
    /// Opens the folder, making it where it does not exist, and recovers what was acknowledged.
    ///
    /// # Errors
    /// When the folder is not ours, is too new, is open elsewhere, is damaged or cannot be used; see [`OpenError`].
    pub fn open(path: &Path, options: &Options, env: Env) -> Result<LocalStore, OpenError> {
        LocalStore::open_with(path, options, env, Rules::default())
    }

    fn open_with(path: &Path, options: &Options, env: Env, rules: Rules) -> Result<LocalStore, OpenError> {
        let folder = Folder::open(path)?;
        let failed = |why: String| OpenError::Failed { path: path.into(), why };
        let unwritable =
            |error: std::io::Error| OpenError::Unwritable { path: path.into(), why: error.to_string() };
        let expected = verify(&folder)?;
        let pages = Pages::new(options.cache_bytes / PAGES_SHARE, rules.page_rows);
        let blocks_bytes = options.cache_bytes - options.cache_bytes / PAGES_SHARE;
        let tree = Tree::open(&folder.tree(), blocks_bytes).map_err(|error| match error {
            fjall::Error::Io(error) if is_permission(&error) => unwritable(error),
            error => failed(error.to_string()),
        })?;
        let sequence = last_sequence(&tree).map_err(|error| failed(error.to_string()))?;
        if sequence != expected {
            return Err(failed(format!("its last commit is {expected}, and the engine found {sequence}")));
        }
        let watermark = Watermark::open(path, sequence).map_err(unwritable)?;
        folder.finish()?;
        let (forgotten, cleaning) = cleaning::recover(&tree).map_err(|error| failed(error.to_string()))?;
        let shared = Arc::new(share(folder, tree, pages, forgotten, sequence, (env, rules)));
        let writer = Writer::new(Arc::clone(&shared), cleaning, watermark);
        let thread =
            Env::thread("store-writer", move || writer.run()).map_err(|error| failed(error.to_string()))?;
        let settler = Settler::start(Arc::clone(&shared)).map_err(|error| failed(error.to_string()))?;
        Ok(LocalStore { shared, writer: Mutex::new(Some(thread)), settler: Mutex::new(settler) })
    }

    /// Finishes what is queued, refuses further writes, and writes memory out so that the next start is fast.
    /// Blocks. Does nothing the second time. The folder stays locked until the store is dropped.
    pub fn close(&self) {
        {
            let mut queue = self.shared.queue.lock();
            if matches!(queue.phase, Phase::Open) {
                queue.phase = Phase::Closing;
            }
            queue.parked = false;
        }
        self.shared.wake.notify_one();
        if let Some(thread) = self.writer.lock().take() {
            // A panic of the writer has made the store fail already.
            let _ = thread.join();
        }
        self.settler.lock().end();
        let failed = matches!(self.shared.queue.lock().phase, Phase::Failed(_));
        if !failed && !self.shared.closed.swap(true, Ordering::AcqRel) {
            // Where it fails, the journals stay and the next start replays them.
            let _ = self.shared.tree.flush();
        }
    }

    /// The data folder.
    pub fn path(&self) -> &Path {
        self.shared.folder.path()
    }

    /// What the store has done and holds now. Takes no time worth counting, and never waits for the disk.
    pub fn stats(&self) -> Stats {
        self.shared.stats()
    }

    fn admitted(&self, prepared: StoreResult<Prepared>) -> StoreResult<Option<Admitted>> {
        match self.shared.admit(prepared?, None)? {
            Admitted::Refused(_) => Ok(None),
            admitted => Ok(Some(admitted)),
        }
    }

    /// Queues a change of the engine's own records.
    fn queue_plain(&self, prepared: Prepared) -> Answer<'_, ()> {
        self.wait_for(self.admitted(Ok(prepared)))
    }

    fn wait_for(&self, admitted: StoreResult<Option<Admitted>>) -> Answer<'_, ()> {
        match admitted {
            Ok(Some(Admitted::Queued(answer))) => {
                Answer::later(
                    async move { if answer.await == Ok(true) { Ok(()) } else { Err(self.failure()) } },
                )
            }
            Ok(_) => Answer::ready(Ok(())),
            Err(error) => Answer::ready(Err(error)),
        }
    }

    fn failure(&self) -> StoreError {
        self.shared.queue.lock().refusal().unwrap_or(StoreError::Closed)
    }

    async fn trim(&self, space: Space, through: LogPosition) -> StoreResult<()> {
        loop {
            let ops = self.shared.log_keys(space, through, TRIM_STEP)?;
            if ops.is_empty() {
                return Ok(());
            }
            let last = ops.last().and_then(|op| keys::decode_log(&op.key));
            self.queue_plain(Prepared::plain(ops)).await?;
            if let Some(position) = last {
                let mut trimmed = self.shared.trimmed.lock();
                let reached = trimmed.entry(space).or_default();
                *reached = position.0.max(*reached);
            }
        }
    }
}

impl Drop for LocalStore {
    fn drop(&mut self) {
        self.close();
    }
}

fn is_permission(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem)
}

fn share(
    folder: Folder,
    tree: Tree,
    pages: Pages,
    forgotten: BTreeSet<Space>,
    sequence: u64,
    (env, rules): (Env, Rules),
) -> Shared {
    let published = Published {
        instant: tree.instant(),
        sequence,
        forgotten: Arc::new(forgotten.clone()),
        gaps: Arc::default(),
    };
    Shared {
        tree,
        pages,
        queue: Mutex::new(Queue::after(sequence, forgotten)),
        wake: Condvar::new(),
        published: ArcSwap::from_pointee(published),
        touched: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
        hot: HotRows::default(),
        rules,
        claims: Claims::default(),
        leases: Mutex::new(BTreeMap::new()),
        trimmed: Mutex::new(HashMap::new()),
        closed: AtomicBool::new(false),
        measures: Measures::default(),
        env,
        folder,
    }
}

/// Verifies a folder before the engine touches it; returns the number of its last commit.
fn verify(folder: &Folder) -> Result<u64, OpenError> {
    if folder.is_new() {
        return Ok(NONE_YET);
    }
    let inspected = inspect(folder.path(), &folder.tree(), folder.has_sequence())?;
    inspected.harden().map_err(|error| OpenError::Unwritable {
        path: folder.path().into(),
        why: format!("writing to the journal: {error}"),
    })?;
    Ok(inspected.sequence)
}

/// The sequence number of the last durable commit; at least 1, because 0 is no read mark.
fn last_sequence(tree: &Tree) -> StoreResult<u64> {
    let Some(value) = tree.get(&tree.instant(), Table::Rows, &keys::last_sequence())? else {
        return Ok(NONE_YET);
    };
    let sealed = Sealed::decode(&value);
    let sealed =
        sealed.ok_or_else(|| StoreError::Corrupt("the last sequence number has another length".into()))?;
    Ok(sealed.last)
}

impl Store for LocalStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { multi_part_commits: true, durable: true }
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        let key = keys::at(at);
        Answer::ready(self.shared.read(&RowAt::new(at, &key), freshness))
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        Answer::ready(self.shared.read_many(at, freshness))
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        Answer::ready(self.shared.range(&range))
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        Answer::ready(self.shared.sweep(&sweep))
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        match self.shared.admit(Prepared::new(parts), Some(id)) {
            Ok(Admitted::Queued(answer)) => Answer::later(async move {
                Ok(if answer.await == Ok(true) { Outcome::Applied } else { Outcome::Unknown })
            }),
            Ok(Admitted::Done) => Answer::ready(Ok(Outcome::Applied)),
            Ok(Admitted::Refused(refusal)) => Answer::ready(refusal.into_outcome()),
            Err(error) => Answer::ready(Err(error)),
        }
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        Answer::ready(Ok(self.shared.queue.lock().ended(id)))
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        loop {
            // A refusal means that a row changed since it was read; what is stored then is compared again.
            match self.admitted(Prepared::last_writer_wins(&self.shared, writes.clone())) {
                Ok(None) => {}
                admitted => return self.wait_for(admitted),
            }
        }
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        Answer::ready(self.shared.log_read(space, after, limit))
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        Answer::later(self.trim(space, through))
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        // In memory only: this process is the only one that can have the folder open, so its end is the end
        // of every lease.
        Answer::ready(Ok(self.shared.lease(request)))
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        keys::assert_writable(space);
        self.queue_plain(Prepared::forget(space))
    }
}

#[cfg(test)]
mod tests;
