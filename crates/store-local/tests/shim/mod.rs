//! The layer `shim.c` between a child process and its files: compiled with `cc`, told which calls fail, and its log
//! played back as a power cut.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(unreachable_pub, reason = "included into several tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub const OPEN: u32 = 1;
pub const WRITE: u32 = 2;
pub const SYNC: u32 = 4;
pub const TRUNCATE: u32 = 8;
pub const RENAME: u32 = 16;
pub const UNLINK: u32 = 32;
pub const READ: u32 = 64;
pub const MKDIR: u32 = 128;

pub const EIO: i32 = 5;
pub const ENOMEM: i32 = 12;
pub const ENOSPC: i32 = 28;

const ROOT: &str = "HASHRANGE_SHIM_ROOT";
const CONTROL: &str = "HASHRANGE_SHIM_CONTROL";
const LOG: &str = "HASHRANGE_SHIM_LOG";
const GRAVES: &str = "HASHRANGE_SHIM_GRAVES";

/// Bytes of `struct control`, and where some of its fields are.
const CONTROL_BYTES: usize = SITES_AT + SITES * 16;
const SEEN_AT: u64 = 28;
const HIT_AT: u64 = 32;
const DENY_SYNC_AT: u64 = 36;
const PART_AT: usize = 40;
const SITE_AT: usize = 128;
const COLLECT_AT: usize = 136;
const SITES_FOUND_AT: u64 = 140;
const SITES_AT: usize = 144;
const SITES: usize = 2048;

const RECORD_BYTES: usize = 56;
const MAGIC: u32 = 0x4852_5348;

/// Which calls fail, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fault {
    pub calls: u32,
    pub error: i32,
    /// So many matching calls go well first.
    pub skip: u32,
    /// So many fail.
    pub count: u32,
    /// The first write that fails writes half of its bytes instead.
    pub shorten: bool,
    /// They do not fail, but take longer.
    pub delay_us: u32,
    /// Only calls on paths with this in them.
    pub part: &'static str,
    /// Only calls from there; 0 for anywhere.
    pub site: u64,
}

/// A place in the program, with all that led to it, from which calls came.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// As in [`Fault`].
    pub site: u64,
    /// How many.
    pub calls: u32,
}

/// The file through which a running child is told.
#[derive(Clone, Debug)]
pub struct Control(PathBuf);

impl Control {
    /// The one of this process, where it is a child with the layer.
    pub fn of_this_process() -> Option<Control> {
        std::env::var_os(CONTROL).map(|path| Control(path.into()))
    }

    pub fn arm(&self, fault: Fault) {
        let mut bytes = vec![0; CONTROL_BYTES];
        let words = [
            0,
            fault.calls,
            u32::try_from(fault.error).expect("errors are positive"),
            fault.skip,
            fault.count,
            u32::from(fault.shorten),
            fault.delay_us,
        ];
        for (at, word) in words.iter().enumerate() {
            bytes[at * 4..at * 4 + 4].copy_from_slice(&word.to_ne_bytes());
        }
        bytes[PART_AT..PART_AT + fault.part.len()].copy_from_slice(fault.part.as_bytes());
        bytes[SITE_AT..SITE_AT + 8].copy_from_slice(&fault.site.to_ne_bytes());
        self.write(0, &bytes);
        self.write(0, &1_u32.to_ne_bytes());
    }

    /// Notes from now on where such calls come from; none fails.
    pub fn collect(&self, calls: u32) {
        self.arm(Fault { calls, ..Fault::default() });
        self.write(COLLECT_AT as u64, &1_u32.to_ne_bytes());
    }

    /// The places found since then.
    pub fn sites(&self) -> Vec<Site> {
        let bytes = fs::read(&self.0).expect("the control file is there");
        let found = usize::try_from(self.word(SITES_FOUND_AT)).expect("they fit in memory");
        assert!(found < SITES, "there is no room for all places");
        let places = bytes[SITES_AT..].chunks_exact(16).take(found);
        let long = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        let count = |bytes: &[u8]| u32::try_from(long(bytes)).expect("few calls");
        places.map(|place| Site { site: long(&place[..8]), calls: count(&place[8..]) }).collect()
    }

    /// Ends the fault.
    pub fn disarm(&self) {
        self.write(0, &0_u32.to_ne_bytes());
    }

    /// From now on the disk lies about syncs.
    pub fn deny_sync(&self) {
        self.write(DENY_SYNC_AT, &1_u32.to_ne_bytes());
    }

    /// Calls that matched since it was armed.
    pub fn seen(&self) -> u32 {
        self.word(SEEN_AT)
    }

    /// Calls that failed or were delayed.
    pub fn hit(&self) -> u32 {
        self.word(HIT_AT)
    }

    fn word(&self, at: u64) -> u32 {
        let mut word = [0; 4];
        let file = fs::File::open(&self.0).expect("the control file is there");
        file.read_exact_at(&mut word, at).expect("it has its whole length");
        u32::from_ne_bytes(word)
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        let file = OpenOptions::new().write(true).open(&self.0).expect("the control file is there");
        file.write_all_at(bytes, at).expect("the control file can be written");
    }
}

/// The layer for one data folder.
#[derive(Debug)]
pub struct Shim {
    root: PathBuf,
    /// Beside the data folder: control file, log, removed files.
    aside: PathBuf,
}

impl Shim {
    /// For the folder `data` in `base`.
    pub fn new(base: &Path) -> Shim {
        let aside = base.join("shim");
        fs::create_dir_all(aside.join("graves")).expect("a folder beside the data");
        fs::write(aside.join("control"), vec![0; CONTROL_BYTES]).expect("a control file");
        Shim { root: base.join("data"), aside }
    }

    /// The data folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn control(&self) -> Control {
        Control(self.aside.join("control"))
    }

    /// Lets calls of this program fail when told so.
    pub fn load<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("LD_PRELOAD", library()).env(ROOT, &self.root).env(CONTROL, self.aside.join("control"))
    }

    /// Records what a power cut would take back.
    pub fn record<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        self.load(command).env(LOG, self.aside.join("log")).env(GRAVES, self.aside.join("graves"))
    }

    /// Takes back, after the child's end, every change that no completed sync has covered. Returns how many.
    pub fn cut_power(&self) -> usize {
        let log = self.aside.join("log");
        let records = parse(&fs::read(&log).unwrap_or_default());
        let settled = settled(&records);
        let open = records.iter().enumerate().filter(|(at, _)| !settled.contains(at));
        let changes: Vec<_> =
            open.map(|(_, record)| record).filter(|record| record.kind.is_change()).collect();
        for record in changes.iter().rev() {
            self.undo(record);
        }
        fs::write(&log, []).expect("the log is ours");
        fs::remove_dir_all(self.aside.join("graves")).expect("the graves are ours");
        fs::create_dir(self.aside.join("graves")).expect("the graves are ours");
        changes.len()
    }

    fn undo(&self, record: &Record) {
        match record.kind {
            Kind::Create => {
                // Not where it was renamed meanwhile, and that is settled.
                if inode(&record.first) == Some(record.offset) {
                    remove(&record.first);
                }
            }
            Kind::Unlink => {
                if !record.first.exists() && record.second.exists() {
                    fs::rename(&record.second, &record.first).expect("a removed file comes back");
                }
            }
            Kind::Rename => {
                if record.second.exists() && !record.first.exists() {
                    fs::rename(&record.second, &record.first).expect("a renamed file goes back");
                }
            }
            Kind::Write | Kind::Truncate => {
                for path in self.find(record.inode) {
                    restore(&path, record).expect("the file can be written");
                }
            }
            // With all that is in it, whether that was synced or not.
            Kind::MakeFolder => {
                if record.first.exists() {
                    fs::remove_dir_all(&record.first).expect("an unsynced folder can be removed");
                }
            }
            Kind::RemoveFolder => fs::create_dir_all(&record.first).expect("a removed folder comes back"),
            Kind::SyncBegun | Kind::SyncDone => {}
        }
    }

    /// The file with this inode, wherever it is now.
    fn find(&self, wanted: u64) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.clone(), self.aside.join("graves")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if inode(&path) == Some(wanted) {
                    found.push(path);
                }
            }
        }
        found.truncate(1);
        found
    }
}

fn restore(path: &Path, record: &Record) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    let kept = record.data.len() as u64;
    let end = if record.kind == Kind::Write { record.offset + record.length } else { record.old_size };
    file.set_len(record.old_size)?;
    file.write_all_at(&record.data, record.offset)?;
    let zeros = end.min(record.old_size).saturating_sub(record.offset + kept);
    if record.kind == Kind::Write && zeros > 0 {
        let zeros = vec![0; usize::try_from(zeros).expect("a write is small")];
        file.write_all_at(&zeros, record.offset + kept)?;
    }
    Ok(())
}

fn inode(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|found| found.ino())
}

fn remove(path: &Path) {
    fs::remove_file(path).expect("an unsynced file can be removed");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Write,
    Truncate,
    SyncBegun,
    SyncDone,
    Create,
    Unlink,
    Rename,
    MakeFolder,
    RemoveFolder,
}

impl Kind {
    fn is_change(self) -> bool {
        !matches!(self, Kind::SyncBegun | Kind::SyncDone)
    }
}

#[derive(Debug)]
struct Record {
    kind: Kind,
    inode: u64,
    offset: u64,
    length: u64,
    old_size: u64,
    first: PathBuf,
    second: PathBuf,
    data: Vec<u8>,
}

/// All whole records; the child may have died while it wrote the last one.
fn parse(mut log: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    while let Some((record, rest)) = parse_one(log) {
        records.push(record);
        log = rest;
    }
    records
}

fn parse_one(log: &[u8]) -> Option<(Record, &[u8])> {
    let (head, rest) = log.split_at_checked(RECORD_BYTES)?;
    let word = |at: usize| u32::from_ne_bytes(head[at..at + 4].try_into().expect("four bytes"));
    let long = |at: usize| u64::from_ne_bytes(head[at..at + 8].try_into().expect("eight bytes"));
    assert_eq!(word(0), MAGIC, "a record of the log begins there");
    let kind = match word(4) {
        1 => Kind::Write,
        2 => Kind::Truncate,
        3 => Kind::SyncBegun,
        4 => Kind::SyncDone,
        5 => Kind::Create,
        6 => Kind::Unlink,
        7 => Kind::Rename,
        8 => Kind::MakeFolder,
        9 => Kind::RemoveFolder,
        other => panic!("there is no record of kind {other}"),
    };
    let size = |bytes: u64| usize::try_from(bytes).expect("it fits in memory");
    let (first, rest) = rest.split_at_checked(size(word(48).into()))?;
    let (second, rest) = rest.split_at_checked(size(word(52).into()))?;
    let (data, rest) = rest.split_at_checked(size(long(40)))?;
    let path = |bytes: &[u8]| PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
    let (first, second, data) = (path(first), path(second), data.to_vec());
    let (inode, offset, length, old_size) = (long(8), long(16), long(24), long(32));
    Some((Record { kind, inode, offset, length, old_size, first, second, data }, rest))
}

/// Which records a completed sync has covered: those of its file or folder from before it began.
fn settled(records: &[Record]) -> BTreeSet<usize> {
    let mut settled = BTreeSet::new();
    let mut begun: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        match record.kind {
            Kind::SyncBegun => {
                begun.insert((record.inode, record.offset), at);
            }
            Kind::SyncDone => {
                let Some(begin) = begun.remove(&(record.inode, record.offset)) else { continue };
                let changes = open.entry(record.inode).or_default();
                settled.extend(changes.iter().copied().filter(|change| *change < begin));
                changes.retain(|change| *change >= begin);
            }
            Kind::Create | Kind::MakeFolder => {
                // The number of a removed file may be used again.
                open.insert(record.offset, Vec::new());
                open.entry(record.inode).or_default().push(at);
            }
            Kind::Write | Kind::Truncate | Kind::Unlink | Kind::Rename | Kind::RemoveFolder => {
                open.entry(record.inode).or_default().push(at);
            }
        }
    }
    settled
}

/// The compiled layer; made once for each test program.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store-local/tests/shim/shim.c");
        let made = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shim-{}.so", std::process::id()));
        let done = Command::new("cc").args(["-O2", "-shared", "-fPIC", "-o"]).arg(&made).arg(source).status();
        assert!(done.expect("a C compiler is installed").success(), "shim.c compiles");
        made
    })
}
