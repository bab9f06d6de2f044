//! The files of the tree engine, read without it: what a folder holds is verified before the engine touches it
//! (it would cut a damaged journal off without a word), `hashrange check` verifies the rest, and salvage copies
//! what is whole. The formats are those of fjall 3.1 and lsm-tree 3.1; `docs/format.md` sums them up.

pub(crate) mod bytes;
pub(crate) mod journal;
pub(crate) mod manifest;
pub(crate) mod table;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The folders of fjall's keyspaces: its own catalogue, then ours in the order in which they are made.
pub(crate) const KEYSPACES: [u64; 3] = [0, ROWS, LOG];
/// fjall's number of the tree `rows`.
pub(crate) const ROWS: u64 = 1;
/// fjall's number of the tree `log`.
pub(crate) const LOG: u64 = 2;

/// A place where a file is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// Where in it, in bytes from its beginning; `None` where the whole file is concerned.
    pub offset: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What of the data is concerned.
    pub affects: String,
}

impl Damage {
    pub(crate) fn new(
        file: &Path,
        offset: Option<u64>,
        what: impl Into<String>,
        affects: impl Into<String>,
    ) -> Damage {
        Damage { file: file.into(), offset, what: what.into(), affects: affects.into() }
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(file: &Path, error: &io::Error, affects: &str) -> Damage {
        let what = match error.kind() {
            io::ErrorKind::NotFound => "it is missing".to_owned(),
            _ => format!("it cannot be read: {error}"),
        };
        Damage::new(file, None, what, affects)
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        write!(f, ": {} (affects {})", self.what, self.affects)
    }
}

/// The folder of fjall's keyspaces, below the folder of the trees.
pub(crate) fn keyspaces(tree: &Path) -> PathBuf {
    tree.join("keyspaces")
}

/// The folder of one of fjall's keyspaces.
pub(crate) fn keyspace(tree: &Path, id: u64) -> PathBuf {
    keyspaces(tree).join(id.to_string())
}

/// What a keyspace holds, for people.
pub(crate) fn name_of(keyspace: u64) -> &'static str {
    match keyspace {
        0 => "the catalogue of trees: all data",
        ROWS => "all rows",
        LOG => "the change logs",
        _ => "a tree that is not ours",
    }
}
