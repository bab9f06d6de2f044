//! fjall's journals. All numbers are little-endian.
//!
//! ```text
//! batch   1 u8 | number of items u32 | number of the batch u64 | items | 3 u8 | XXH3-64 of the items u64 | "FJL" 3
//! item    2 u8 | type u8 | compression u8 | keyspace u64 | key length u16 | value length u32 | stored length u32 | key | value
//! ```
//! A journal is preallocated: zeros follow the last batch. Each batch is synced before the next is written, so
//! only the last can be torn by a crash; whatever is wrong before a whole batch is damage.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::bytes::Cursor;
use super::{Damage, ROWS};
use crate::keys;
use crate::sequence::Sealed;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
const TRAILER: &[u8] = b"FJL\x03";
const CHUNK: usize = 1 << 20;
/// fjall marks its own numbers with the highest bit.
const NUMBER_MAX: u64 = 1 << 63;

/// One change as a journal has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'a> {
    pub(crate) keyspace: u64,
    pub(crate) key: &'a [u8],
    /// The stored bytes, or `None` for a removal.
    pub(crate) value: Option<&'a [u8]>,
    /// Length of the value where it is stored compressed.
    pub(crate) compressed_from: Option<usize>,
}

impl Item<'_> {
    /// The value, or `None` for a removal.
    ///
    /// # Errors
    /// Where it does not decompress to its length.
    pub(crate) fn decoded(&self) -> Result<Option<Vec<u8>>, &'static str> {
        let Some(value) = self.value else { return Ok(None) };
        let Some(length) = self.compressed_from else { return Ok(Some(value.to_vec())) };
        super::table::decompress(value, length).map(Some).ok_or("a value does not decompress")
    }
}

/// One whole batch.
#[derive(Debug)]
pub(crate) struct Batch<'a> {
    /// fjall's number; ascending over all journals.
    pub(crate) number: u64,
    /// Where it begins and ends.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) items: Vec<Item<'a>>,
}

impl Batch<'_> {
    /// Our own numbers in it, where it is a group of commits.
    pub(crate) fn sealed(&self) -> Option<Sealed> {
        let key = keys::last_sequence();
        let item = self.items.iter().find(|item| item.keyspace == ROWS && item.key == key)?;
        Sealed::decode(item.value?)
    }
}

/// A journal in memory.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(crate) path: PathBuf,
    /// Without the zeros at the end.
    bytes: Vec<u8>,
}

/// How a journal ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With a whole batch.
    Whole,
    /// With part of a batch: a crash while it was written.
    Torn,
    /// With something that no crash leaves.
    Damaged(Damage),
}

/// The paths of all journals in the folder of the trees, oldest first.
pub(crate) fn list(tree: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut journals = Vec::new();
    for entry in fs::read_dir(tree)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let number = stem.and_then(|stem| stem.parse::<u64>().ok());
        if let Some(number) = number
            && path.extension().is_some_and(|extension| extension == "jnl")
        {
            journals.push((number, path));
        }
    }
    journals.sort();
    Ok(journals)
}

impl Journal {
    pub(crate) fn read(path: &Path) -> io::Result<Journal> {
        Ok(Journal { path: path.into(), bytes: read_without_last_zeros(path)? })
    }

    /// Bytes before the zeros at the end.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes `from..to`.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &[u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    /// Hands out the whole batches in order and says how the journal ends. A newest journal may be torn, another
    /// may not.
    pub(crate) fn batches(&self, newest: bool, visit: &mut dyn FnMut(&Batch<'_>)) -> End {
        let (mut at, mut last) = (0, 0);
        while at < self.bytes.len() {
            match parse(&self.bytes, at) {
                Ok(batch) if batch.number < last || batch.number >= NUMBER_MAX => {
                    return End::Damaged(self.damage(at, "the numbers of its batches do not ascend"));
                }
                Ok(batch) => {
                    visit(&batch);
                    (at, last) = (batch.to, batch.number);
                }
                Err(_) if newest && self.next_whole(at, last).is_none() => return End::Torn,
                Err(what) => return End::Damaged(self.damage(at, what)),
            }
        }
        End::Whole
    }

    /// The whole batches after a damaged place.
    pub(crate) fn batches_after(&self, damaged: u64, visit: &mut dyn FnMut(&Batch<'_>)) {
        let mut from = usize::try_from(damaged).unwrap_or(usize::MAX);
        while let Some(batch) = self.next_whole(from, 0) {
            visit(&batch);
            from = batch.to - 1;
        }
    }

    /// The first whole batch that begins after `damaged`.
    fn next_whole(&self, damaged: usize, last: u64) -> Option<Batch<'_>> {
        let rest = self.bytes.get(damaged.checked_add(1)?..)?;
        let starts = rest.iter().enumerate().filter(|(_, byte)| **byte == START);
        let mut found = starts.filter_map(|(at, _)| parse(&self.bytes, damaged + 1 + at).ok());
        found.find(|batch| !batch.items.is_empty() && (last..NUMBER_MAX).contains(&batch.number))
    }

    fn damage(&self, at: usize, what: &str) -> Damage {
        Damage::new(&self.path, u64::try_from(at).ok(), what, "the commits written there and after")
    }
}

fn parse(bytes: &[u8], at: usize) -> Result<Batch<'_>, &'static str> {
    let mut cursor = Cursor::new(bytes.get(at..).unwrap_or_default());
    let cut = "a batch ends too early";
    if cursor.u8() != Some(START) {
        return Err("no batch begins there");
    }
    let count = cursor.length().ok_or(cut)?;
    let number = cursor.u64().ok_or(cut)?;
    let items_from = at + cursor.position();
    let mut items = Vec::new();
    for _ in 0..count {
        if let Some(item) = parse_item(&mut cursor)? {
            items.push(item);
        }
    }
    let items_to = at + cursor.position();
    if cursor.u8() != Some(END) {
        return Err("a batch does not end where it should");
    }
    let checksum = cursor.u64().ok_or(cut)?;
    if cursor.take(TRAILER.len()) != Some(TRAILER) {
        return Err("a batch has no trailer");
    }
    if xxh3_64(bytes.get(items_from..items_to).unwrap_or_default()) != checksum {
        return Err("the checksum of a batch does not match");
    }
    Ok(Batch { number, from: at, to: at + cursor.position(), items })
}

fn parse_item<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Item<'a>>, &'static str> {
    let cut = "a batch ends too early";
    match cursor.u8() {
        Some(ITEM) => {}
        Some(CLEAR) => return cursor.u64().map(|_| None).ok_or(cut),
        _ => return Err("something else than a change is in a batch"),
    }
    let kind = cursor.u8().ok_or(cut)?;
    let compressed = match cursor.u8() {
        Some(0) => false,
        Some(1) => true,
        _ => return Err("a change has an unknown compression"),
    };
    let keyspace = cursor.u64().ok_or(cut)?;
    let key_length = cursor.u16().ok_or(cut)?;
    let (length, stored) = (cursor.length().ok_or(cut)?, cursor.length().ok_or(cut)?);
    let key = cursor.take(key_length.into()).ok_or(cut)?;
    let value = cursor.take(stored).ok_or(cut)?;
    let value = match kind {
        0 => Some(value),
        1 | 2 => None,
        _ => return Err("a change has an unknown type"),
    };
    Ok(Some(Item { keyspace, key, value, compressed_from: compressed.then_some(length) }))
}

/// Reads a file without the zeros at its end, and without holding them.
fn read_without_last_zeros(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let (mut bytes, mut zeros) = (Vec::new(), 0);
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return Ok(bytes);
        }
        let read = &chunk[..length];
        let used = read.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if used > 0 {
            bytes.resize(bytes.len() + zeros, 0);
            bytes.extend_from_slice(&read[..used]);
            zeros = 0;
        }
        zeros += length - used;
    }
}
