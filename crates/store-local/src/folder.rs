//! The data folder: whose it is, which version, and who has it open.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::files::{Damage, keyspaces};
use crate::sequence;

/// Version of the on-disk format that this build reads and writes; `docs/format.md` tells the versions apart.
pub(crate) const FORMAT_VERSION: u32 = 3;
/// The oldest version that is read. Such a folder becomes one of this version when it is opened.
const OLDEST_VERSION: u32 = 2;
/// The first version whose folders have a file with the number of the last commit, and batches that name the one before.
pub(crate) const FIRST_WITH_SEQUENCE: u32 = 3;
/// First line of the format file.
const MAGIC: &str = "hashrange data folder";
/// Begins the line with the checksum of the lines before it. Folders of earlier builds have none.
const SEAL: &str = "checksum ";
pub(crate) const FORMAT_FILE: &str = "hashrange.format";
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
    /// Data is damaged or missing. Nothing was changed.
    Broken {
        /// The folder.
        path: PathBuf,
        /// What was found first.
        damage: Damage,
    },
    /// The data ends before the last answered commit. Nothing was changed.
    Lost {
        /// The folder.
        path: PathBuf,
        /// Number of the last commit that is there.
        found: u64,
        /// Number of the last commit that is known to have been answered.
        answered: u64,
    },
    /// There is no database in it.
    Absent(PathBuf),
    /// There is a database in it where none may be.
    Occupied(PathBuf),
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

/// Looks at a folder without opening or locking it, and changes nothing: the format version of a database of ours that
/// this release reads, or nothing where the folder is empty or not there.
///
/// # Errors
/// When [`LocalStore::open`](crate::LocalStore::open) would refuse the folder for what it is or holds. What only shows when its data is read
/// is for [`check`](crate::check).
pub fn look(path: &Path) -> Result<Option<u32>, OpenError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(OpenError::Unwritable { path: path.into(), why: error.to_string() }),
        Ok(_) => version(path),
    }
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
                "the folder {} has format {found} and this release reads {OLDEST_VERSION} to {FORMAT_VERSION}; \
                 run the older Hashrange that wrote it, or choose another folder",
                path.display()
            ),
            OpenError::Damaged { path, what } => write!(
                f,
                "the file {}/{FORMAT_FILE} is damaged ({what}); restore it from a backup of this folder",
                path.display()
            ),
            OpenError::Broken { path, damage } => {
                let path = path.display();
                write!(
                    f,
                    "the data in {path} is damaged: {damage}; nothing was changed: restore the folder from a backup, or copy \
                     what is readable with `hashrange check {path} --salvage NEW-FOLDER`"
                )
            }
            OpenError::Lost { path, found, answered } => {
                let (path, count) = (path.display(), answered.saturating_sub(*found));
                write!(
                    f,
                    "the last {count} or more commits in {path} are missing (it ends with commit {found}, and commit {answered} \
                     was answered); nothing was changed: restore the folder from a backup, or go on without them in a copy made \
                     with `hashrange check {path} --salvage NEW-FOLDER`"
                )
            }
            OpenError::Absent(path) => {
                write!(f, "{} holds no database; give the --data of the server", path.display())
            }
            OpenError::Occupied(path) => {
                write!(f, "{} holds a database already; choose an empty or a new folder", path.display())
            }
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
            OpenError::Failed { path, why } => {
                let path = path.display();
                write!(
                    f,
                    "the data in {path} could not be opened ({why}): `hashrange check {path}` says whether it is damaged, and \
                     copies what is readable with `--salvage NEW-FOLDER`; or restore the folder from a backup"
                )
            }
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
    /// The version found; none in a new folder.
    found: Option<u32>,
}

impl Folder {
    /// Takes possession of `path`, making it where it does not exist.
    pub(crate) fn open(path: &Path) -> Result<Folder, OpenError> {
        let unwritable =
            |error: io::Error| OpenError::Unwritable { path: path.into(), why: error.to_string() };
        let made = make(path).map_err(unwritable)?;
        // Before the lock: a foreign folder must not be touched at all.
        let found = version(path)?;
        let handle = lock(path)?;
        if found.is_none() {
            sync_entries(&made).and_then(|()| start_anew(path)).map_err(unwritable)?;
        }
        Ok(Folder { path: path.into(), handle, found })
    }

    /// Whether there was no database in it.
    pub(crate) fn is_new(&self) -> bool {
        self.found.is_none()
    }

    /// Whether it has a file with the number of the last commit.
    pub(crate) fn has_sequence(&self) -> bool {
        self.found.is_some_and(|found| found >= FIRST_WITH_SEQUENCE)
    }

    /// Makes a new folder ours for good, and an older one of this version. Called when all files are made: a crash
    /// before leaves a draft, and the next start begins again.
    pub(crate) fn finish(&self) -> Result<(), OpenError> {
        let drafted = match self.found {
            Some(FORMAT_VERSION) => return Ok(()),
            Some(_) => write_draft(&self.path),
            // The engine syncs what is in its folders, and not that they are there.
            None => sync_folder(&keyspaces(&self.tree())).and_then(|()| sync_folder(&self.tree())),
        };
        drafted
            .and_then(|()| fs::rename(self.path.join(FORMAT_FILE_DRAFT), self.path.join(FORMAT_FILE)))
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

/// Makes the folder where it is not there. Returns it and the folders above it that were made.
fn make(path: &Path) -> io::Result<Vec<PathBuf>> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let above = path.ancestors().skip(1).take_while(missing);
    let made = std::iter::once(path).chain(above).map(Path::to_owned).collect();
    fs::create_dir_all(path)?;
    Ok(made)
}

/// Makes it durable that these folders are there.
fn sync_entries(folders: &[PathBuf]) -> io::Result<()> {
    for folder in folders {
        let Some(above) = folder.parent() else { continue };
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        match sync_folder(above) {
            // What this user may not read it cannot sync either, and it may well be somebody else's.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            done => done?,
        }
    }
    Ok(())
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Locks the folder itself.
pub(crate) fn lock(path: &Path) -> Result<File, OpenError> {
    let unwritable = |error: io::Error| OpenError::Unwritable { path: path.into(), why: error.to_string() };
    let handle = File::open(path).map_err(unwritable)?;
    handle.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => OpenError::InUse(path.into()),
        TryLockError::Error(error) => unwritable(error),
    })?;
    Ok(handle)
}

/// Nothing for an empty folder, the format version of one of ours, and an error otherwise.
pub(crate) fn version(path: &Path) -> Result<Option<u32>, OpenError> {
    match fs::read_to_string(path.join(FORMAT_FILE)) {
        Ok(text) => check_format(path, &text).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if holds_foreign_files(path)? {
                return Err(OpenError::Foreign(path.into()));
            }
            Ok(None)
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
        let made = [FORMAT_FILE_DRAFT, TREE_FOLDER, sequence::FILE];
        let ours = unfinished && made.into_iter().any(|made| name == made);
        if !ours && name != "lost+found" {
            return Ok(true);
        }
    }
    Ok(false)
}

fn check_format(path: &Path, text: &str) -> Result<u32, OpenError> {
    let damaged = |what: &str| OpenError::Damaged { path: path.into(), what: what.into() };
    let mut lines = text.lines();
    if lines.next() != Some(MAGIC) {
        return Err(damaged("its first line is not ours"));
    }
    // Before the version is looked at: a damaged number must not pass for the folder of a later release.
    if let Some(sealed) = text.find(&format!("\n{SEAL}"))
        && text[sealed + 1..].trim_end() != seal(&text[..=sealed])
    {
        return Err(damaged("its checksum does not agree"));
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
        OLDEST_VERSION..=FORMAT_VERSION => Ok(found),
        _ => Err(OpenError::Older { path: path.into(), found }),
    }
}

fn write_draft(path: &Path) -> io::Result<()> {
    let mut file = File::create(path.join(FORMAT_FILE_DRAFT))?;
    let release = env!("CARGO_PKG_VERSION");
    let text = format!("{MAGIC}\nformat {FORMAT_VERSION}\ncreated-by hashrange {release}\n");
    writeln!(file, "{text}{}", seal(&text))?;
    file.sync_all()
}

/// The line that closes a format file of these lines.
fn seal(lines: &str) -> String {
    format!("{SEAL}{:016x}", xxh3_64(lines.as_bytes()))
}

/// Writes the draft of the format file, and drops what a start that did not finish has left.
fn start_anew(path: &Path) -> io::Result<()> {
    write_draft(path)?;
    match fs::remove_dir_all(path.join(TREE_FOLDER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
