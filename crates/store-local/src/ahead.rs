//! Writes zeros into a journal before the rows: see `docs/adr/0016-zeros-before-rows.md`.
//!
//! Only the writer thread may do this, between two batches: nobody else appends to a journal.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::SeekFrom;

use crate::files::journal;

/// How many zeros are written at first, and at most, when those before are used up: few where few rows are written.
const STEP_FIRST: u64 = 64 << 10;
const STEP_MAX: u64 = 1 << 20;
const CHUNK: usize = 64 << 10;
static ZEROS: [u8; CHUNK] = [0; CHUNK];
/// More than what the engine adds to each change and each batch.
const OVERHEAD_BYTES: u64 = 64;

/// How long the zeros of the newest journal last.
#[derive(Debug)]
pub(crate) struct Ahead {
    folder: PathBuf,
    step: u64,
    /// Bytes of zeros that are left, or fewer.
    left: u64,
}

impl Ahead {
    pub(crate) fn new(folder: &Path) -> Ahead {
        Ahead { folder: folder.into(), step: STEP_FIRST, left: 0 }
    }

    /// A batch of so many changes, with so many bytes of keys and values, was appended.
    pub(crate) fn appended(&mut self, changes: usize, bytes: usize) {
        let appended = bytes as u64 + (changes as u64 + 1) * OVERHEAD_BYTES;
        self.left = self.left.saturating_sub(appended);
        if self.left == 0 {
            self.left = self.step;
            // Where it fails, syncs take longer. What is wrong with the disk, they will tell.
            let _ = self.extend();
            self.step = STEP_MAX.min(self.step * 2);
        }
    }

    fn extend(&self) -> io::Result<()> {
        let Some((_, newest)) = journal::list(&self.folder)?.pop() else { return Ok(()) };
        // Not kept open: the engine removes journals, and an open file keeps its place on the disk.
        let file = OpenOptions::new().read(true).write(true).open(newest)?;
        let end = file.metadata()?.len();
        // Where a file system knows no holes, this is the end.
        let from = rustix::fs::seek(&file, SeekFrom::Hole(0))?;
        write_zeros(&file, from, end.min(from.saturating_add(self.step)))
    }
}

/// Writes zeros where zeros are read, up to the first byte that is none: a file system that is wrong about its holes must
/// not cost a row.
fn write_zeros(file: &File, from: u64, to: u64) -> io::Result<()> {
    let (mut at, mut found) = (from, vec![0; CHUNK]);
    while at < to {
        let count = usize::try_from(to - at).map_or(CHUNK, |left| left.min(CHUNK));
        file.read_exact_at(&mut found[..count], at)?;
        if found[..count] != ZEROS[..count] {
            break;
        }
        file.write_all_at(&ZEROS[..count], at)?;
        at += count as u64;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    const LENGTH: u64 = 8 << 20;

    /// A journal as the engine makes it: long, with nothing on the disk.
    fn journal_in(folder: &Path, name: &str) -> File {
        let path = folder.join(name);
        let file = OpenOptions::new().create_new(true).read(true).write(true).open(path).unwrap();
        file.set_len(LENGTH).unwrap();
        file
    }

    /// Whether the file system tells holes of the size of a page; where it does not, there are no zeros to look for.
    pub(crate) fn knows_holes(folder: &Path) -> bool {
        let file = journal_in(folder, "probe");
        file.write_all_at(&[1], 0).unwrap();
        let hole = rustix::fs::seek(&file, SeekFrom::Hole(0)).unwrap_or(LENGTH);
        if hole >= STEP_FIRST {
            println!("skipped: this file system tells no holes");
        }
        hole < STEP_FIRST
    }

    fn content(file: &File) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(file.metadata().unwrap().len()).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        bytes
    }

    fn on_disk(file: &File) -> u64 {
        file.sync_all().unwrap();
        file.metadata().unwrap().blocks() * 512
    }

    #[test]
    fn zeros_stay_ahead_of_what_is_appended_and_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let holes = knows_holes(folder.path());
        let file = journal_in(folder.path(), "0.jnl");
        let (mut ahead, mut at) = (Ahead::new(folder.path()), 0);
        let mut expected = vec![0; usize::try_from(LENGTH).unwrap()];
        for batch in 1..200_u8 {
            let bytes = vec![batch; 97 * usize::from(batch)];
            file.write_all_at(&bytes, at).unwrap();
            let from = usize::try_from(at).unwrap();
            expected[from..from + bytes.len()].copy_from_slice(&bytes);
            at += bytes.len() as u64;
            ahead.appended(1, bytes.len());
            let zeros = rustix::fs::seek(&file, SeekFrom::Hole(0)).unwrap() - at;
            assert!(
                !holes || (1..STEP_MAX * 5 / 4).contains(&zeros),
                "{zeros} bytes of zeros follow byte {at}"
            );
        }
        assert!(content(&file) == expected, "zeros were written over what was appended");
        assert_eq!(file.metadata().unwrap().len(), LENGTH);
    }

    #[test]
    fn few_rows_take_few_zeros() {
        let folder = tempfile::tempdir().unwrap();
        if !knows_holes(folder.path()) {
            return;
        }
        let file = journal_in(folder.path(), "0.jnl");
        let mut ahead = Ahead::new(folder.path());
        for _ in 0..10 {
            ahead.appended(2, 500);
        }
        assert!((1..=2 * STEP_FIRST).contains(&on_disk(&file)), "{} bytes", on_disk(&file));
    }

    #[test]
    fn the_newest_journal_gets_the_zeros_and_ends_where_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        if !knows_holes(folder.path()) {
            return;
        }
        let old = journal_in(folder.path(), "9.jnl");
        let mut ahead = Ahead::new(folder.path());
        ahead.appended(1, 1);
        assert!(on_disk(&old) > 0);
        let new = journal_in(folder.path(), "10.jnl");
        for _ in 0..20 {
            ahead.appended(1, 1 << 20);
        }
        assert!(on_disk(&old) < LENGTH);
        assert_eq!(new.metadata().unwrap().len(), LENGTH);
        assert!(content(&new).iter().all(|byte| *byte == 0));
        assert!(on_disk(&new) >= LENGTH);
    }

    #[test]
    fn a_journal_without_room_ahead_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = journal_in(folder.path(), "0.jnl");
        file.set_len(0).unwrap();
        file.write_all_at(b"appended", 0).unwrap();
        let mut ahead = Ahead::new(folder.path());
        ahead.appended(1, 8);
        assert_eq!(content(&file), b"appended");
        Ahead::new(&folder.path().join("missing")).appended(1, 8);
    }

    #[test]
    fn where_a_file_system_is_wrong_about_a_hole_nothing_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = journal_in(folder.path(), "0.jnl");
        file.write_all_at(&vec![7; 3 * CHUNK], 0).unwrap();
        file.write_all_at(&[7], 6 * CHUNK as u64 - 1).unwrap();
        let before = content(&file);
        for from in [0, CHUNK as u64 + 1, 3 * CHUNK as u64, 4 * CHUNK as u64 + 5] {
            write_zeros(&file, from, LENGTH).unwrap();
            assert!(content(&file) == before, "from {from}");
        }
    }
}
