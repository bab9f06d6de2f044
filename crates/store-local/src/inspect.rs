//! What is verified at each start, before the tree engine touches a file: that nothing is missing, that the
//! journals are whole, and that they and the table files reach the last commit that was answered.
//!
//! It reads the journals (they are emptied at a clean end), the manifests and the last block of each table of
//! rows: its cost does not grow with the data.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::files::journal::{self, Batch, End, Journal};
use crate::files::manifest::{self, TableFile};
use crate::files::{Damage, KEYSPACES, ROWS, name_of, table};
use crate::folder::OpenError;
use crate::keys;
use crate::sequence::{self, NONE_YET, Sealed};

/// fjall's own mark of its format.
const VERSION: &[u8] = b"FJL\x03";

/// What was found in a folder without damage.
#[derive(Debug)]
pub(crate) struct Inspected {
    /// The number of the last durable commit.
    pub(crate) sequence: u64,
    /// The last batch of the newest journal.
    last_batch: Option<LastBatch>,
}

#[derive(Debug)]
struct LastBatch {
    journal: PathBuf,
    from: u64,
    bytes: Vec<u8>,
}

/// A batch whose predecessor is not before it in the journals: it must be in table files then.
#[derive(Debug)]
pub(crate) struct Link {
    before: u64,
    at: (PathBuf, u64),
}

/// The order of commits, followed through the journals.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    last: Option<u64>,
    loose: Vec<Link>,
}

impl Chain {
    /// Follows one batch.
    pub(crate) fn follow(&mut self, journal: &Journal, batch: &Batch<'_>) {
        let Some(sealed) = batch.sealed() else { return };
        if let Some(before) = sealed.before
            && self.last != Some(before)
        {
            self.loose.push(Link { before, at: (journal.path.clone(), batch.from as u64) });
        }
        self.last = Some(sealed.last);
    }

    /// The last number, where the table files reach to `tables`.
    ///
    /// # Errors
    /// Where commits are missing between two batches, or between table files and journals.
    pub(crate) fn end(self, tables: u64) -> Result<u64, Damage> {
        if let Some(link) = self.loose.iter().find(|link| link.before > tables) {
            let (file, offset) = &link.at;
            let what =
                format!("the batch that ends with commit {} should be before it and is not", link.before);
            return Err(Damage::new(file, Some(*offset), what, "the commits before that place"));
        }
        Ok(self.last.unwrap_or(tables).max(tables))
    }
}

/// Verifies a data folder whose trees are in `tree`. `marked`: whether it must have a file with the last number.
///
/// # Errors
/// The first damage found, or that answered commits are missing.
pub(crate) fn inspect(folder: &Path, tree: &Path, marked: bool) -> Result<Inspected, OpenError> {
    let broken = |damage: Damage| OpenError::Broken { path: folder.into(), damage };
    verify_engine(tree).map_err(broken)?;
    let marks = if marked { Some(marks(folder).map_err(broken)?) } else { None };
    let mut tables = NONE_YET;
    for id in KEYSPACES {
        let listed = present_tables(tree, id).map_err(broken)?;
        if id == ROWS {
            tables = tables.max(last_in_tables(&listed).map_err(broken)?);
        }
    }
    let (chain, last_batch) = follow_journals(tree).map_err(broken)?;
    let sequence = chain.end(tables).map_err(broken)?;
    match marks {
        Some(marks) if marks.sequence > sequence => {
            Err(OpenError::Lost { path: folder.into(), found: sequence, answered: marks.sequence })
        }
        _ => Ok(Inspected { sequence, last_batch }),
    }
}

impl Inspected {
    /// Writes the last batch again and syncs it. If its sync failed before the restart, the system may hold it in
    /// memory only and believe it to be on the disk; every batch before it was synced.
    pub(crate) fn harden(&self) -> io::Result<()> {
        let Some(last) = &self.last_batch else { return Ok(()) };
        let file = OpenOptions::new().write(true).open(&last.journal)?;
        file.write_all_at(&last.bytes, last.from)?;
        file.sync_data()
    }
}

/// The engine would make a new database where its mark is missing.
pub(crate) fn verify_engine(tree: &Path) -> Result<(), Damage> {
    let path = tree.join("version");
    let bytes = fs::read(&path).map_err(|error| Damage::unreadable(&path, &error, "all data"))?;
    if bytes != VERSION {
        return Err(Damage::new(&path, Some(0), "it does not say FJL 3", "all data"));
    }
    Ok(())
}

/// What the file with the last number says.
pub(crate) fn marks(folder: &Path) -> Result<sequence::Marks, Damage> {
    let (path, affects) = (folder.join(sequence::FILE), "nothing yet: it shows whether commits are missing");
    match sequence::read(folder) {
        Ok(Some(marks)) => Ok(marks),
        Ok(None) => Err(Damage::new(&path, None, "both numbers in it are damaged", affects)),
        Err(error) => Err(Damage::unreadable(&path, &error, affects)),
    }
}

/// The table files of a tree, all of which are there. The engine's own catalogue is small, so it is read whole.
fn present_tables(tree: &Path, id: u64) -> Result<Vec<TableFile>, Damage> {
    let tables = manifest::tables(tree, id)?;
    for table in &tables {
        let affects = name_of(id);
        let unreadable = |error: io::Error| Damage::unreadable(&table.path, &error, affects);
        let length = fs::metadata(&table.path).map_err(unreadable)?.len();
        if length == 0 {
            return Err(Damage::new(&table.path, Some(0), "it is empty", affects));
        }
        if id == 0 && table::checksum(&table.path, &mut |_| ()).map_err(unreadable)? != table.checksum {
            return Err(Damage::new(&table.path, None, "its checksum does not match the manifest", affects));
        }
    }
    Ok(tables)
}

/// The last number in the table files of rows.
fn last_in_tables(tables: &[TableFile]) -> Result<u64, Damage> {
    let mut newest = None;
    for file in tables {
        newest = newest.max(last_in_table(&file.path)?);
    }
    Ok(newest.map_or(NONE_YET, |(_, last)| last))
}

/// The newest version of the number's record in a table file, and the number. The record is the last key of the
/// tree, but its older versions, which are there as long as a reader could need them, may fill many blocks.
fn last_in_table(path: &Path) -> Result<Option<(u64, u64)>, Damage> {
    let unreadable = |error: io::Error| Damage::unreadable(path, &error, "rows");
    let mut file = File::open(path).map_err(unreadable)?;
    let sections = manifest::sections_of(&mut file).map_err(unreadable)?;
    let data = sections.iter().flatten().find(|section| section.name == b"data");
    let Some(data) = data else {
        return Err(Damage::new(path, None, "its table of contents is damaged", "rows"));
    };
    let (key, mut newest, mut end) = (keys::last_sequence(), None, data.to as u64);
    while end > 0 {
        let block = table::block_before(&mut file, end).map_err(unreadable)?;
        let Some((from, entries)) = block else {
            return Err(Damage::new(path, Some(end), "the block that ends there is damaged", "rows"));
        };
        let versions = entries.iter().filter(|entry| entry.key == key);
        newest = newest.max(versions.filter_map(version).max());
        if entries.first().is_none_or(|first| first.key != key) {
            break;
        }
        end = from;
    }
    Ok(newest)
}

/// The last number in those of these table files that can be read.
pub(crate) fn last_readable(tables: &[PathBuf]) -> u64 {
    let found = tables.iter().filter_map(|path| last_in_table(path).ok().flatten());
    found.max().map_or(NONE_YET, |(_, last)| last)
}

fn version(entry: &table::Entry) -> Option<(u64, u64)> {
    Some((entry.number, Sealed::decode(entry.value.as_deref()?)?.last))
}

fn follow_journals(tree: &Path) -> Result<(Chain, Option<LastBatch>), Damage> {
    let unreadable = |path: &Path, error: &io::Error| Damage::unreadable(path, error, "the last commits");
    let journals = journal::list(tree).map_err(|error| unreadable(tree, &error))?;
    let newest = journals.last().map(|(number, _)| *number);
    let (mut chain, mut last_batch, mut last_number) = (Chain::default(), None, 0);
    for (number, path) in journals {
        let journal = Journal::read(&path).map_err(|error| unreadable(&path, &error))?;
        let (mut last, mut out_of_order) = (None, None);
        let end = journal.batches(Some(number) == newest, &mut |batch| {
            chain.follow(&journal, batch);
            if batch.number < last_number {
                out_of_order = out_of_order.or(Some(batch.from));
            }
            last_number = batch.number;
            last = Some((batch.from, batch.to));
        });
        if let End::Damaged(damage) = end {
            return Err(damage);
        }
        if let Some(at) = out_of_order {
            let what = "the numbers of its batches do not ascend";
            return Err(Damage::new(&path, Some(at as u64), what, "the commits written there and after"));
        }
        last_batch = last.map(|(from, to)| LastBatch {
            journal: path,
            from: from as u64,
            bytes: journal.slice(from, to).to_vec(),
        });
    }
    Ok((chain, last_batch))
}
