//! Verifies a folder that nobody has open, without the tree engine and without changing anything; and copies what
//! is readable into a new folder.
//!
//! The files are verified by their own checksums, block by block where a whole file does not match. Then all keys are
//! visited in order, merged from table files and journals: keys must have the form of `docs/format.md`, the totals must
//! equal a recount, and the order of commits must have no gap.

mod contents;
mod merge;
mod salvage;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hashrange_store::{Address, Space, Stored};

use crate::files::journal::{self, End, Journal};
use crate::files::manifest::{self, TableFile};
use crate::files::table::{self, Piece, Reader};
use crate::files::{Damage, KEYSPACES, LOG, ROWS, keyspace, name_of};
use crate::folder::{self, OpenError};
use crate::inspect::{self, Chain};
use crate::keys;
use crate::sequence::{self, NONE_YET};

use contents::Contents;
use merge::{Journaled, Merge};
pub use salvage::Salvaged;

/// What a check tells while it works, and what it asks.
pub trait Observer {
    /// Something was found.
    fn damaged(&mut self, damage: &Damage);
    /// So many bytes more are verified.
    fn progress(&mut self, bytes: u64);
    /// Whether a row of a table or index is whole; what is wrong if not. Called for every row that callers may write.
    fn row(&mut self, at: &Address, stored: &Stored) -> Result<(), String>;
    /// The bytes that a row counts in its total; `None` where that cannot be told.
    fn weight(&mut self, at: &Address, stored: &Stored) -> Option<u64>;
}

/// What a folder holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Format version of the folder.
    pub format: u32,
    /// Bytes of table files and journals.
    pub bytes: u64,
    /// Table files.
    pub tables: u64,
    /// Journals.
    pub journals: u64,
    /// Batches in the journals.
    pub batches: u64,
    /// Rows of tables and indexes.
    pub rows: u64,
    /// Records of change logs.
    pub log_records: u64,
    /// Number of the last commit that is there.
    pub sequence: u64,
    /// Number of the last commit that is known to have been answered; 0 where that is not known.
    pub answered: u64,
    /// Bytes of a batch that was being written when the server ended; nothing that was answered.
    pub torn: bool,
    /// Places found damaged.
    pub damages: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "format {}, {} bytes in {} table files and {} journals",
            self.format, self.bytes, self.tables, self.journals
        )?;
        write!(
            f,
            "{} rows, {} log records, {} batches to replay, last commit {}",
            self.rows, self.log_records, self.batches, self.sequence
        )?;
        if self.torn {
            write!(f, "; the last batch is torn: a crash while it was written, before it was answered")?;
        }
        Ok(())
    }
}

/// Verifies a folder that no process has open.
///
/// # Errors
/// Where the folder is not ours, is newer, is open elsewhere or cannot be read at all. Damage is no error: it is told to
/// the observer and counted.
pub fn check(path: &Path, observer: &mut dyn Observer) -> Result<Summary, OpenError> {
    let _lock = begin(path)?;
    let mut check = Check::new(path, observer)?;
    check.files();
    check.contents(&mut |_, _, _| Ok(())).map_err(|error| unreadable(path, &error))?;
    Ok(check.summary)
}

/// Verifies a folder and copies what is readable into the new folder `to`.
///
/// # Errors
/// As [`check`], and where the new folder cannot be made or written.
pub fn salvage(
    path: &Path,
    to: &Path,
    observer: &mut dyn Observer,
) -> Result<(Summary, Salvaged), OpenError> {
    let _lock = begin(path)?;
    let mut check = Check::new(path, observer)?;
    check.files();
    salvage::copy(check, to)
}

fn begin(path: &Path) -> Result<fs::File, OpenError> {
    if !folder::is_database(path) && !path.join(folder::TREE_FOLDER).is_dir() {
        return Err(OpenError::Absent(path.into()));
    }
    folder::lock(path)
}

fn unreadable(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Unwritable { path: path.into(), why: error.to_string() }
}

/// A check under way.
struct Check<'a> {
    path: PathBuf,
    tree: PathBuf,
    observer: &'a mut dyn Observer,
    summary: Summary,
    /// The readable table files of each keyspace.
    tables: BTreeMap<u64, Vec<PathBuf>>,
    /// Changes in the journals.
    journaled: Journaled,
    chain: Chain,
}

impl<'a> Check<'a> {
    fn new(path: &Path, observer: &'a mut dyn Observer) -> Result<Check<'a>, OpenError> {
        let mut check = Check {
            path: path.into(),
            tree: path.join(folder::TREE_FOLDER),
            observer,
            summary: Summary::default(),
            tables: BTreeMap::new(),
            journaled: Journaled::default(),
            chain: Chain::default(),
        };
        match folder::version(path) {
            Ok(found) => check.summary.format = found.unwrap_or(folder::FORMAT_VERSION),
            Err(OpenError::Damaged { what, .. }) => {
                let file = path.join(folder::FORMAT_FILE);
                check.found(Damage::new(&file, Some(0), what, "nothing else, but the folder is not opened"));
            }
            Err(OpenError::Foreign(_)) => {
                let file = path.join(folder::FORMAT_FILE);
                let damage =
                    Damage::new(&file, None, "it is missing", "nothing else, but the folder is not opened");
                check.found(damage);
            }
            Err(error) => return Err(error),
        }
        Ok(check)
    }

    fn found(&mut self, damage: Damage) {
        self.summary.damages += 1;
        let file = damage.file.strip_prefix(&self.path).map(Path::to_path_buf).unwrap_or(damage.file);
        self.observer.damaged(&Damage { file, ..damage });
    }

    /// Verifies every file by its own checksums.
    fn files(&mut self) {
        if let Err(damage) = inspect::verify_engine(&self.tree) {
            self.found(damage);
        }
        if self.summary.format >= folder::FIRST_WITH_SEQUENCE {
            self.marks();
        }
        for id in KEYSPACES {
            self.keyspace(id);
        }
        self.journals();
    }

    fn marks(&mut self) {
        match inspect::marks(&self.path) {
            Ok(marks) => {
                self.summary.answered = marks.sequence;
                if let Some(offset) = marks.damaged {
                    let file = self.path.join(sequence::FILE);
                    let affects = "nothing: the other number in it is whole";
                    self.found(Damage::new(&file, Some(offset), "a number in it is damaged", affects));
                }
            }
            Err(damage) => self.found(damage),
        }
    }

    fn keyspace(&mut self, id: u64) {
        let tables = match manifest::tables(&self.tree, id) {
            Ok(tables) => tables,
            Err(damage) => {
                self.found(damage);
                self.tables.insert(id, unlisted(&self.tree, id));
                return;
            }
        };
        let mut readable = Vec::new();
        for table in tables {
            if self.table(id, &table) {
                readable.push(table.path);
            }
        }
        self.tables.insert(id, readable);
    }

    /// Verifies one table file; false where it cannot be read at all.
    fn table(&mut self, id: u64, table: &TableFile) -> bool {
        self.summary.tables += 1;
        let (observer, summary) = (&mut self.observer, &mut self.summary);
        let checksum = table::checksum(&table.path, &mut |bytes| {
            summary.bytes += bytes as u64;
            observer.progress(bytes as u64);
        });
        match checksum {
            Ok(checksum) if checksum == table.checksum => true,
            Ok(_) => {
                self.damaged_table(id, &table.path);
                true
            }
            Err(error) => {
                self.found(Damage::unreadable(&table.path, &error, name_of(id)));
                false
            }
        }
    }

    /// Names the damaged places of a file whose checksum does not match.
    fn damaged_table(&mut self, id: u64, path: &Path) {
        let before = self.summary.damages;
        let (mut last, mut open) = (None, None);
        let read = Reader::open(path).and_then(|mut reader| {
            while let Some(piece) = reader.next()? {
                match piece {
                    Piece::Entries(entries) => {
                        if let (Some((offset, what)), Some(first)) = (open.take(), entries.first()) {
                            self.damaged_block(id, path, (offset, what), (last.take(), Some(&first.key)));
                        }
                        last = entries.last().map(|entry| entry.key.clone());
                    }
                    Piece::Damaged { offset, what } => {
                        if let Some(place) = open.replace((offset, what)) {
                            self.damaged_block(id, path, place, (last.clone(), None));
                        }
                    }
                }
            }
            Ok(())
        });
        if let Some(place) = open {
            self.damaged_block(id, path, place, (last, None));
        }
        if let Err(error) = read {
            self.found(Damage::unreadable(path, &error, name_of(id)));
        } else if self.summary.damages == before {
            let what = "its checksum does not match, but all blocks with data are whole: the index, filter or description is damaged";
            self.found(Damage::new(path, None, what, format!("reading of {}", name_of(id))));
        }
    }

    fn damaged_block(
        &mut self,
        id: u64,
        path: &Path,
        (offset, what): (u64, &str),
        (from, to): (Option<Vec<u8>>, Option<&Vec<u8>>),
    ) {
        let place =
            |key: Option<&Vec<u8>>, none: &str| key.map_or_else(|| none.to_owned(), |key| describe(id, key));
        // The catalogue's keys are the first of all.
        let catalogue = from.as_ref().is_none_or(|key| keys::space_of(key) == Some(Space::CATALOG));
        let affects = format!(
            "{} after {} and before {}: they may be missing, or older ones may show",
            match id {
                LOG => "log records",
                _ if catalogue => "the catalogue of tables, if it is in this file, and rows",
                _ => "rows",
            },
            place(from.as_ref(), "the beginning"),
            place(to, "the end of the file")
        );
        self.found(Damage::new(path, Some(offset), what, affects));
    }

    fn journals(&mut self) {
        let journals = match journal::list(&self.tree) {
            Ok(journals) => journals,
            Err(error) => return self.found(Damage::unreadable(&self.tree, &error, "the last commits")),
        };
        let newest = journals.last().map(|(number, _)| *number);
        for (number, path) in journals {
            match Journal::read(&path) {
                Ok(journal) => self.journal(&journal, Some(number) == newest),
                Err(error) => self.found(Damage::unreadable(&path, &error, "the last commits")),
            }
        }
    }

    fn journal(&mut self, journal: &Journal, newest: bool) {
        self.summary.journals += 1;
        self.summary.bytes += journal.len() as u64;
        self.observer.progress(journal.len() as u64);
        let (summary, chain, journaled) = (&mut self.summary, &mut self.chain, &mut self.journaled);
        let mut follow = |batch: &journal::Batch<'_>| {
            summary.batches += 1;
            chain.follow(journal, batch);
            journaled.add(batch);
        };
        match journal.batches(newest, &mut follow) {
            End::Whole => {}
            End::Torn => self.summary.torn = true,
            End::Damaged(damage) => {
                journal.batches_after(damage.offset.unwrap_or(0), &mut follow);
                self.found(damage);
            }
        }
    }

    /// Visits all whole keys in order, and compares what they say with one another.
    fn contents(&mut self, visit: &mut merge::Visit<'_>) -> io::Result<Contents> {
        let mut contents = Contents::default();
        for id in [ROWS, LOG] {
            let tables = self.tables.get(&id).cloned().unwrap_or_default();
            let observer = &mut *self.observer;
            let mut damages = Vec::new();
            Merge::new(&tables, self.journaled.take(id))?.run(&mut |key, value| match contents
                .take(id, key, value, observer)
            {
                Ok(()) => visit(id, key, value),
                Err(what) => {
                    damages.push((describe(id, key), what));
                    Ok(())
                }
            })?;
            let folder = keyspace(&self.tree, id);
            for (at, what) in damages {
                self.found(Damage::new(&folder, None, what, at));
            }
        }
        self.summary.rows = contents.rows;
        self.summary.log_records = contents.log_records;
        for (what, affects) in contents.contradictions() {
            let folder = keyspace(&self.tree, ROWS);
            self.found(Damage::new(&folder, None, what, affects));
        }
        let tables = self.tables.get(&ROWS).map_or(NONE_YET, |files| inspect::last_readable(files));
        self.order_of_commits(tables, contents.sequence);
        Ok(contents)
    }

    fn order_of_commits(&mut self, tables: u64, sequence: u64) {
        self.summary.sequence = sequence.max(NONE_YET);
        if let Err(damage) = std::mem::take(&mut self.chain).end(tables) {
            self.found(damage);
        }
        if self.summary.answered > self.summary.sequence {
            let what = format!(
                "commit {} was answered, and the last that is there is {}",
                self.summary.answered, self.summary.sequence
            );
            self.found(Damage::new(&self.tree.clone(), None, what, "the commits after that one"));
        }
    }
}

/// All files in the folder of tables, where no manifest says which of them count.
fn unlisted(tree: &Path, id: u64) -> Vec<PathBuf> {
    let entries = fs::read_dir(keyspace(tree, id).join("tables"));
    let mut files: Vec<_> = entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// A key for people: its space, and the beginning of what follows; never more of it.
fn describe(id: u64, key: &[u8]) -> String {
    let Some(space) = keys::space_of(key) else { return "a key of ours".to_owned() };
    match keys::decode_log(key) {
        _ if id == ROWS && space == Space::CATALOG => "the catalogue of tables".to_owned(),
        Some(position) if id == LOG => format!("position {} of space {}", position.0, space.0),
        _ if id == LOG => format!("space {}", space.0),
        _ => {
            let hash = key.get(8..16).and_then(|hash| hash.try_into().ok()).map_or(0, u64::from_be_bytes);
            format!("hash {hash:016x} of space {}", space.0)
        }
    }
}

#[cfg(test)]
mod tests;
