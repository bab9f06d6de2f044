//! The table files of a tree: an archive (see `manifest.rs`) of blocks, those with data first. Little-endian.
//!
//! ```text
//! block     "LSM" 3 | type u8 | XXH3-128 of the payload u128 | stored length u32 | length u32 |
//!           low 32 bits of the XXH3-128 of the header so far | payload
//! payload   entries, ascending by key, of one key the newest first | 255 | an index | trailer of 31 bytes, which
//!           begins with the restart interval u8 and ends with the number of entries u32
//! entry     type u8 | number v | (key length v | key, on a restart; else shared length v | rest length v | rest) |
//!           (value length v | value, unless removed)                                              v = varint
//! ```

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::bytes::Cursor;

pub(crate) const HEADER: usize = 4 + 1 + 16 + 4 + 4 + 4;
const MAGIC: &[u8] = b"LSM\x03";
const DATA: u8 = 0;
const TRAILER: usize = 31;
/// Blocks are a few KB, or one row: at most 1 MiB and its key.
const BLOCK_MAX: usize = 64 << 20;

/// One version of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: Vec<u8>,
    pub(crate) number: u64,
    /// `None` where it was removed.
    pub(crate) value: Option<Vec<u8>>,
}

/// The head of a block.
#[derive(Clone, Copy, Debug)]
struct Header {
    kind: u8,
    checksum: u128,
    stored: usize,
    length: usize,
}

impl Header {
    fn parse(bytes: &[u8]) -> Option<Header> {
        let bytes = bytes.get(..HEADER)?;
        let mut cursor = Cursor::new(bytes);
        if cursor.take(4)? != MAGIC {
            return None;
        }
        let header = Header {
            kind: cursor.u8()?,
            checksum: cursor.u128()?,
            stored: cursor.length()?,
            length: cursor.length()?,
        };
        let low = u128::from(u32::MAX) & xxh3_128(&bytes[..HEADER - 4]);
        let whole = u128::from(cursor.u32()?) == low && header.stored.max(header.length) <= BLOCK_MAX;
        whole.then_some(header)
    }
}

/// What is read from a table file.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The entries of one block.
    Entries(Vec<Entry>),
    /// A place that cannot be read; reading goes on after it.
    Damaged { offset: u64, what: &'static str },
}

/// Reads the blocks with data of one file in order.
#[derive(Debug)]
pub(crate) struct Reader {
    file: BufReader<File>,
    at: u64,
    length: u64,
    done: bool,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> io::Result<Reader> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Reader { file: BufReader::with_capacity(64 << 10, file), at: 0, length, done: false })
    }

    /// The next piece; `None` at the end of the data.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece>> {
        if self.done || self.at >= self.length {
            return Ok(None);
        }
        let mut head = [0; HEADER];
        let whole = read_up_to(&mut self.file, &mut head)? == HEADER;
        let Some(header) = Header::parse(&head).filter(|_| whole) else {
            return self.skip("the head of a block is damaged").map(Some);
        };
        if header.kind != DATA {
            self.done = true;
            return Ok(None);
        }
        let mut payload = vec![0; header.stored];
        if read_up_to(&mut self.file, &mut payload)? < header.stored {
            self.done = true;
            return Ok(Some(Piece::Damaged { offset: self.at, what: "the file ends within a block" }));
        }
        let offset = self.at;
        self.at += (HEADER + header.stored) as u64;
        if xxh3_128(&payload) != header.checksum {
            return Ok(Some(Piece::Damaged { offset, what: "the checksum of a block does not match" }));
        }
        let entries = unpack(&payload, header).and_then(|payload| entries(&payload));
        Ok(Some(
            entries
                .map_or(Piece::Damaged { offset, what: "a block has not the form of one" }, Piece::Entries),
        ))
    }

    /// Goes on at the next place where a block begins.
    fn skip(&mut self, what: &'static str) -> io::Result<Piece> {
        let offset = self.at;
        self.file.seek(SeekFrom::Start(offset + 1))?;
        let mut rest = Vec::new();
        self.file.read_to_end(&mut rest)?;
        let next = (0..rest.len())
            .find(|at| rest[*at..].starts_with(MAGIC) && Header::parse(&rest[*at..]).is_some());
        match next {
            Some(at) => {
                self.at = offset + 1 + at as u64;
                self.file.seek(SeekFrom::Start(self.at))?;
            }
            None => self.done = true,
        }
        Ok(Piece::Damaged { offset, what })
    }
}

/// The checksum of a whole file, as the manifest has it.
pub(crate) fn checksum(path: &Path, progress: &mut dyn FnMut(usize)) -> io::Result<u128> {
    let mut file = File::open(path)?;
    let (mut hasher, mut chunk) = (Xxh3Default::new(), vec![0; 1 << 20]);
    loop {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return Ok(hasher.digest128());
        }
        progress(length);
        hasher.update(&chunk[..length]);
    }
}

/// The block with data that ends at `end`: where it begins, and its entries. `None` where there is no whole one.
pub(crate) fn block_before(file: &mut File, end: u64) -> io::Result<Option<(u64, Vec<Entry>)>> {
    let mut length = 16 << 10;
    loop {
        let from = end.saturating_sub(length);
        let mut bytes = vec![0; usize::try_from(end - from).unwrap_or(0)];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        if let Some((at, header)) = last_header(&bytes) {
            let payload = &bytes[at + HEADER..];
            let whole = header.kind == DATA && xxh3_128(payload) == header.checksum;
            let unpacked = if whole { unpack(payload, header) } else { None };
            let entries = unpacked.and_then(|payload| entries(&payload));
            return Ok(entries.map(|entries| (from + at as u64, entries)));
        }
        if from == 0 {
            return Ok(None);
        }
        length *= 8;
    }
}

/// The head of a block that ends where the bytes end.
fn last_header(bytes: &[u8]) -> Option<(usize, Header)> {
    let starts = (0..bytes.len()).rev().filter(|at| bytes[*at..].starts_with(MAGIC));
    let mut headers = starts.filter_map(|at| Some((at, Header::parse(&bytes[at..])?)));
    headers.find(|(at, header)| at + HEADER + header.stored == bytes.len())
}

fn unpack(payload: &[u8], header: Header) -> Option<Vec<u8>> {
    if header.stored == header.length { Some(payload.to_vec()) } else { decompress(payload, header.length) }
}

/// Undoes LZ4 of a known length.
pub(crate) fn decompress(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    if length > BLOCK_MAX {
        return None;
    }
    lz4_flex::block::decompress(bytes, length).ok().filter(|bytes| bytes.len() == length)
}

fn entries(payload: &[u8]) -> Option<Vec<Entry>> {
    let trailer = payload.get(payload.len().checked_sub(TRAILER)?..)?;
    let interval = usize::from(*trailer.first()?).max(1);
    let count = u32::from_le_bytes(trailer.get(TRAILER - 4..)?.try_into().ok()?);
    let mut cursor = Cursor::new(payload);
    let (mut entries, mut base) = (Vec::new(), Vec::new());
    for index in 0..usize::try_from(count).ok()? {
        let kind = cursor.u8()?;
        let number = cursor.varint()?;
        let shared = if index.is_multiple_of(interval) { 0 } else { cursor.varint_length()? };
        let rest = cursor.varint_length()?;
        let key = [base.get(..shared)?, cursor.take(rest)?].concat();
        if index.is_multiple_of(interval) {
            base.clone_from(&key);
        }
        let value = match kind {
            0 => {
                let length = cursor.varint_length()?;
                Some(cursor.take(length)?.to_vec())
            }
            1 | 2 => None,
            _ => return None,
        };
        entries.push(Entry { key, number, value });
    }
    Some(entries)
}

/// Fills the buffer as far as the file goes.
fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}
