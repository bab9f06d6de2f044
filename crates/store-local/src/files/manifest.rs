//! Which table files a tree consists of. All numbers are little-endian.
//!
//! ```text
//! current     number of the version u64 | XXH3-128 of the file of that version u128 | 0 u8
//! v<number>   an archive; its section "tables": levels u8, each: runs u8, each: tables u32, each:
//!             number u64 | 0 u8 | XXH3-128 of the whole file u128 | u64
//! archive     sections | "TOC!" | count u32 | count times: position u64, length u64, name length u16, name |
//!             "SFA!" | 1 u8 | 0 u8 | XXH3-128 of the table of contents u128 | its position u64 | its length u64
//! ```

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::bytes::Cursor;
use super::{Damage, keyspace, name_of};

const TRAILER: u64 = 4 + 1 + 1 + 16 + 8 + 8;
/// A table of contents has about ten entries.
const CONTENTS_MAX: u64 = 1 << 20;

/// A table file as the manifest names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFile {
    pub(crate) path: PathBuf,
    pub(crate) checksum: u128,
}

/// A section of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: Vec<u8>,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// The table files of a keyspace, newest first.
///
/// # Errors
/// Where the manifest is damaged or missing, or names a file that is not there.
pub(crate) fn tables(tree: &Path, id: u64) -> Result<Vec<TableFile>, Damage> {
    let folder = keyspace(tree, id);
    let (path, version) = current(&folder, name_of(id))?;
    let damaged = |what: &str| Damage::new(&path, None, what, name_of(id));
    let bytes = fs::read(&path).map_err(|error| Damage::unreadable(&path, &error, name_of(id)))?;
    if xxh3_128(&bytes) != version {
        return Err(damaged("its checksum does not match that in the file `current`"));
    }
    let listed = sections(&bytes).and_then(|sections| listed(&bytes, &sections));
    let tables = listed.ok_or_else(|| damaged("it has not the form of a manifest"))?;
    let tables = tables.into_iter().map(|(number, checksum)| TableFile {
        path: folder.join("tables").join(number.to_string()),
        checksum,
    });
    Ok(tables.collect())
}

/// The file of the current version and its checksum.
fn current(folder: &Path, affects: &str) -> Result<(PathBuf, u128), Damage> {
    let path = folder.join("current");
    let bytes = fs::read(&path).map_err(|error| Damage::unreadable(&path, &error, affects))?;
    let mut cursor = Cursor::new(&bytes);
    let parts = (cursor.u64(), cursor.u128(), cursor.u8());
    match parts {
        (Some(number), Some(checksum), Some(0)) if cursor.position() == bytes.len() => {
            Ok((folder.join(format!("v{number}")), checksum))
        }
        _ => Err(Damage::new(&path, None, "it is not 25 bytes that name a version", affects)),
    }
}

fn listed(bytes: &[u8], sections: &[Section]) -> Option<Vec<(u64, u128)>> {
    let section = sections.iter().find(|section| section.name == b"tables")?;
    let mut cursor = Cursor::new(bytes.get(section.from..section.to)?);
    let mut tables = Vec::new();
    for _ in 0..cursor.u8()? {
        for _ in 0..cursor.u8()? {
            for _ in 0..cursor.u32()? {
                let number = cursor.u64()?;
                cursor.u8()?;
                tables.push((number, cursor.u128()?));
                cursor.u64()?;
            }
        }
    }
    Some(tables)
}

/// The sections of an archive; `None` where its table of contents is damaged.
pub(crate) fn sections(bytes: &[u8]) -> Option<Vec<Section>> {
    sections_of(&mut io::Cursor::new(bytes)).ok().flatten()
}

/// The same of a file, of which only the end is read.
pub(crate) fn sections_of(file: &mut (impl Read + Seek)) -> io::Result<Option<Vec<Section>>> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(trailer_at) = length.checked_sub(TRAILER) else { return Ok(None) };
    let Some((from, checksum)) = trailer(&read_at(file, trailer_at, TRAILER)?) else { return Ok(None) };
    let contents = trailer_at.checked_sub(from).filter(|length| *length <= CONTENTS_MAX);
    let Some(contents) = contents else { return Ok(None) };
    let contents = read_at(file, from, contents)?;
    Ok(if xxh3_128(&contents) == checksum { contents_of(&contents) } else { None })
}

fn read_at(file: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Where the table of contents begins, and its checksum.
fn trailer(bytes: &[u8]) -> Option<(u64, u128)> {
    let mut cursor = Cursor::new(bytes);
    if cursor.take(4)? != b"SFA!" || cursor.u8()? != 1 || cursor.u8()? != 0 {
        return None;
    }
    let checksum = cursor.u128()?;
    Some((cursor.u64()?, checksum))
}

fn contents_of(bytes: &[u8]) -> Option<Vec<Section>> {
    let mut cursor = Cursor::new(bytes);
    if cursor.take(4)? != b"TOC!" {
        return None;
    }
    let count = cursor.length()?;
    (0..count).map(|_| section(&mut cursor)).collect()
}

fn section(cursor: &mut Cursor<'_>) -> Option<Section> {
    let from = usize::try_from(cursor.u64()?).ok()?;
    let length = usize::try_from(cursor.u64()?).ok()?;
    let name = usize::from(cursor.u16()?);
    Some(Section { name: cursor.take(name)?.to_vec(), from, to: from.checked_add(length)? })
}
