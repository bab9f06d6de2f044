//! Writes the zeros of a journal before the rows.
//!
//! The engine makes a journal of 64 MB of which the disk holds nothing yet. Each sync then has to find a place for what
//! was appended and to make that known to the file system, by a second write. Where zeros are on the disk already, a
//! sync writes the rows and nothing else. Only the writer thread may call this, between two batches: nobody else
//! appends to a journal.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::SeekFrom;

use crate::files::journal;

/// Bytes of zeros that are written at once.
const AHEAD_BYTES: usize = 1 << 20;
/// What the engine adds to each change, at most.
const OVERHEAD_BYTES: usize = 64;

/// The newest journal, and how far zeros are ahead in it.
#[derive(Debug)]
pub(crate) struct Ahead {
    folder: PathBuf,
    journal: Option<(PathBuf, File)>,
    /// Bytes that may be appended before more zeros are due.
    left: usize,
    zeros: Vec<u8>,
}

impl Ahead {
    pub(crate) fn new(folder: &Path) -> Ahead {
        Ahead { folder: folder.into(), journal: None, left: 0, zeros: Vec::new() }
    }

    /// So many changes with so many bytes were appended.
    pub(crate) fn appended(&mut self, changes: usize, bytes: usize) {
        self.left = self.left.saturating_sub(bytes + changes * OVERHEAD_BYTES);
        if self.left == 0 {
            self.left = AHEAD_BYTES / 2;
            // Where it fails, syncs take longer; what is wrong with the disk, they will tell.
            let _ = self.extend();
        }
    }

    fn extend(&mut self) -> io::Result<()> {
        let Some((_, path)) = journal::list(&self.folder)?.pop() else { return Ok(()) };
        if self.journal.as_ref().is_none_or(|(known, _)| *known != path) {
            let file = OpenOptions::new().read(true).write(true).open(&path)?;
            self.journal = Some((path, file));
        }
        let Some((_, file)) = &self.journal else { return Ok(()) };
        let end = file.metadata()?.len();
        let from = rustix::fs::seek(file, SeekFrom::Hole(0))?;
        let count =
            usize::try_from(end.saturating_sub(from)).map_or(AHEAD_BYTES, |left| left.min(AHEAD_BYTES));
        self.zeros.resize(count, 0);
        file.read_exact_at(&mut self.zeros, from)?;
        // A file system may be wrong about its holes: zeros go where zeros are.
        if self.zeros.iter().any(|byte| *byte != 0) {
            return Ok(());
        }
        file.write_all_at(&self.zeros, from)
    }
}
