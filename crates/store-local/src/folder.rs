//! The data folder: whose it is, which version, and who has it open.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Version of the on-disk format that this build reads and writes; `docs/format.md` tells the versions apart.
pub(crate) const FORMAT_VERSION: u32 = 2;
/// First line of the format file.
const MAGIC: &str = "hashrange data folder";
const FORMAT_FILE: &str = "hashrange.format";
const FORMAT_FILE_DRAFT: &str = "hashrange.format.new";
/// Folder of the tree engine.
pub(crate) const TREE_FOLDER: &str = "tree";

/// Why a data folder was not opened. Each prints as one sentence that names the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// There is something else in the folder.
    Foreign(PathBuf),
    /// Written by a later release.
    Newer {
        /// The folder.
        path: PathBuf,
        /// The format version found.
        found: u32,
    },
    /// Written by an earlier build whose format is not read any more.
    Older {
        /// The folder.
        path: PathBuf,
        /// The format version found.
        found: u32,
    },
    /// The format file is not as we write it.
    Damaged {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Another process has it open.
    InUse(PathBuf),
    /// The folder cannot be made, read or written.
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The engine could not start on it.
    Failed {
        /// The folder.
        path: PathBuf,
        /// What the engine said.
        why: String,
    },
}

/// Whether the folder holds a database of ours, of whatever version.
pub fn is_database(folder: &Path) -> bool {
    folder.join(FORMAT_FILE).is_file()
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Foreign(path) => write!(
                f,
                "the folder {} holds files that are not Hashrange's; choose an empty or a new folder",
                path.display()
            ),
            OpenError::Newer { path, found } => write!(
                f,
                "the folder {} has format {found} and this release reads up to {FORMAT_VERSION}; \
                 run the newer Hashrange that wrote it, or choose another folder",
                path.display()
            ),
            OpenError::Older { path, found } => write!(
                f,
                "the folder {} has format {found} and this release reads only {FORMAT_VERSION}; \
                 run the older Hashrange that wrote it, or choose another folder",
                path.display()
            ),
            OpenError::Damaged { path, what } => write!(
                f,
                "the file {}/{FORMAT_FILE} is damaged ({what}); restore it from a backup of this folder",
                path.display()
            ),
            OpenError::InUse(path) => write!(
                f,
                "the folder {} is open in another process; stop that one, or choose another folder",
                path.display()
            ),
            OpenError::Unwritable { path, why } => write!(
                f,
                "the folder {} cannot be used ({why}); give this user write permission, or choose another folder",
                path.display()
            ),
            OpenError::Failed { path, why } => write!(
                f,
                "the data in {} could not be opened ({why}); restore the folder from a backup, or choose another folder",
                path.display()
            ),
        }
    }
}

impl std::error::Error for OpenError {}

/// A data folder of ours, open in this process only. Unlocked when dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The lock is on the folder itself, so that it leaves no file behind.
    handle: File,
    is_new: bool,
}

impl Folder {
    /// Takes possession of `path`, making it where it does not exist.
    pub(crate) fn open(path: &Path) -> Result<Folder, OpenError> {
        let unwritable =
            |error: io::Error| OpenError::Unwritable { path: path.into(), why: error.to_string() };
        fs::create_dir_all(path).map_err(unwritable)?;
        // Before the lock: a foreign folder must not be touched at all.
        let is_new = is_new(path)?;
        let handle = File::open(path).map_err(unwritable)?;
        handle.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::InUse(path.into()),
            TryLockError::Error(error) => unwritable(error),
        })?;
        if is_new {
            start_anew(path).map_err(unwritable)?;
        }
        Ok(Folder { path: path.into(), handle, is_new })
    }

    /// Makes a new folder ours for good. Called when the engine has made its files: a crash before leaves a
    /// draft, and the next start begins again.
    pub(crate) fn finish(&self) -> Result<(), OpenError> {
        if !self.is_new {
            return Ok(());
        }
        fs::rename(self.path.join(FORMAT_FILE_DRAFT), self.path.join(FORMAT_FILE))
            .and_then(|()| self.handle.sync_all())
            .map_err(|error| OpenError::Unwritable { path: self.path.clone(), why: error.to_string() })
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the tree engine keeps its files.
    pub(crate) fn tree(&self) -> PathBuf {
        self.path.join(TREE_FOLDER)
    }
}

/// True for an empty folder, false for one of ours, and an error otherwise.
fn is_new(path: &Path) -> Result<bool, OpenError> {
    match fs::read_to_string(path.join(FORMAT_FILE)) {
        Ok(text) => check_format(path, &text).map(|()| false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if holds_foreign_files(path)? {
                return Err(OpenError::Foreign(path.into()));
            }
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(OpenError::Damaged { path: path.into(), what: "it is not text".into() })
        }
        Err(error) => Err(OpenError::Unwritable { path: path.into(), why: error.to_string() }),
    }
}

fn holds_foreign_files(path: &Path) -> Result<bool, OpenError> {
    let unwritable = |error: io::Error| OpenError::Unwritable { path: path.into(), why: error.to_string() };
    let unfinished = path.join(FORMAT_FILE_DRAFT).exists();
    for entry in fs::read_dir(path).map_err(unwritable)? {
        let name = entry.map_err(unwritable)?.file_name();
        // A crash during the very first start leaves the draft and perhaps a tree; without the draft, a tree
        // is somebody's data. `lost+found` is in every fresh ext4 volume.
        let ours = unfinished && (name == FORMAT_FILE_DRAFT || name == TREE_FOLDER);
        if !ours && name != "lost+found" {
            return Ok(true);
        }
    }
    Ok(false)
}

fn check_format(path: &Path, text: &str) -> Result<(), OpenError> {
    let damaged = |what: &str| OpenError::Damaged { path: path.into(), what: what.into() };
    let mut lines = text.lines();
    if lines.next() != Some(MAGIC) {
        return Err(damaged("its first line is not ours"));
    }
    let version = lines.next().and_then(|line| line.strip_prefix("format "));
    let found: u32 = version
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| damaged("it names no format version"))?;
    if found > FORMAT_VERSION {
        return Err(OpenError::Newer { path: path.into(), found });
    }
    match found {
        0 => Err(damaged("there is no format 0")),
        FORMAT_VERSION => Ok(()),
        _ => Err(OpenError::Older { path: path.into(), found }),
    }
}

/// Writes the draft of the format file, and drops what a start that did not finish has left.
fn start_anew(path: &Path) -> io::Result<()> {
    let mut file = File::create(path.join(FORMAT_FILE_DRAFT))?;
    write!(file, "{MAGIC}\nformat {FORMAT_VERSION}\ncreated-by hashrange {}\n", env!("CARGO_PKG_VERSION"))?;
    file.sync_all()?;
    match fs::remove_dir_all(path.join(TREE_FOLDER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
