//! Short ranges of table files, read by ourselves.
//!
//! Rows of one partition are neighbours, and most partitions are small: they lie in one or two blocks. The engine looks
//! such blocks up in an index with whole keys, takes each from the operating system by itself and puts it into its cache,
//! where it drives out one that was of more use. Here, a small index of partition hashes says which blocks they are, one
//! call reads them all, and they go into the cache the second time only. The files, the blocks and the cache are the
//! engine's.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bytes::Bytes;
use fjall::{CompressionType, UserKey};
use hashrange_store::Direction;
use lsm_tree::coding::Decode;
use lsm_tree::table::block::decoder::ParsedItem;
use lsm_tree::table::block::{BlockType, Header};
use lsm_tree::table::data_block::DataBlockParsedItem;
use lsm_tree::table::{Block, BlockHandle, BlockOffset, DataBlock, GlobalTableId, IndexBlock};
use lsm_tree::{Checksum, InternalValue, Result, Table, TreeId};
use rustix::process::{Resource, getrlimit};
use xxhash_rust::xxh3::xxh3_128;

use crate::keys::Stretch;

/// Blocks that a short range may be spread over, and their bytes: all of them are read, also where the first row is enough.
const BLOCKS_MAX: usize = 4;
const BYTES_MAX: u64 = 64 << 10;
/// Files that are open for short ranges: at most so many, and at most one in so many that the process may open. The
/// engine reads the others.
const OPEN_MAX: u64 = 1024;
const OPEN_SHARE: u64 = 16;
/// Files that are open for short ranges, in the whole process.
static OPEN: AtomicU64 = AtomicU64::new(0);
/// How much of a key decides in which block it is looked for: space and hash of the partition.
const PLACE: usize = 16;

/// A table file.
pub(crate) struct TableFile {
    pub(crate) table: Table,
    id: GlobalTableId,
    /// `None` inside where short ranges of it are left to the engine.
    reader: OnceLock<Option<Reader>>,
}

/// What short ranges of a file are read with.
struct Reader {
    file: File,
    _opened: Opened,
    /// Per block: the place of its last key.
    places: Box<[u128]>,
    /// Per block: where it begins; and where the last one ends.
    offsets: Box<[u64]>,
}

/// Blocks that were read not long ago: the second time, they are kept.
pub(crate) struct Seen(Box<[AtomicU32]>);

impl Seen {
    /// Remembers about as many blocks as a cache of so many bytes holds.
    pub(crate) fn new(cache_bytes: u64, block_bytes: u32) -> Seen {
        let slots = usize::try_from(cache_bytes / u64::from(block_bytes)).unwrap_or(usize::MAX);
        Seen((0..slots.clamp(1, 1 << 20)).map(|_| AtomicU32::new(0)).collect())
    }

    /// Whether the block was read not long ago; it is from now on.
    fn was_read(&self, id: GlobalTableId, offset: u64) -> bool {
        let digest = (id.table_id().rotate_left(40) ^ (offset + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let [.., b4, b5, b6, b7] = digest.to_be_bytes();
        let (slot, tag) = (to_usize(digest >> 32), u32::from_be_bytes([b4, b5, b6, b7]));
        self.0[slot % self.0.len()].swap(tag, Ordering::Relaxed) == tag
    }
}

impl TableFile {
    pub(crate) fn new(table: Table, tree_id: TreeId) -> TableFile {
        let id = (tree_id, table.id()).into();
        TableFile { table, id, reader: OnceLock::new() }
    }

    /// The smallest key in it.
    pub(crate) fn first_key(&self) -> &UserKey {
        self.table.metadata.key_range.min()
    }

    /// The greatest key in it.
    pub(crate) fn last_key(&self) -> &UserKey {
        self.table.metadata.key_range.max()
    }

    /// The blocks that hold all entries of a stretch within one partition; `None` where it is long, or cannot be read in
    /// this way. Where a block is damaged, the engine says so, if what it must read is in it.
    pub(crate) fn short_range(&self, stretch: &Stretch, seen: &Seen) -> Option<Blocks<'_>> {
        let place = place_of(&stretch.lower);
        if place != place_of(&stretch.upper) {
            return None;
        }
        let reader = self.reader()?;
        let (first, last) = reader.blocks_of(place)?;
        let mut blocks = Vec::with_capacity(last + 1 - first);
        for at in first..=last {
            let Some(block) = self.table.cache.get_block(self.id, BlockOffset(reader.offsets[at])) else {
                self.read_blocks(reader, (at, last), seen, &mut blocks).ok()?;
                break;
            };
            blocks.push(DataBlock::new(block));
        }
        Some(Blocks { blocks, file: self })
    }

    /// Opens the file the first time. Where it may not be opened now, it is tried again the next time.
    fn reader(&self) -> Option<&Reader> {
        if self.reader.get().is_none() {
            let reader = if Reader::can_read(&self.table) {
                let opened = Opened::another()?;
                let file = File::open(&**self.table.path).ok()?;
                Reader::read_index(&self.table, file, opened).ok()
            } else {
                None
            };
            // Another thread may have been faster.
            let _ = self.reader.set(reader);
        }
        self.reader.get()?.as_ref()
    }

    fn read_blocks(
        &self,
        reader: &Reader,
        (first, last): (usize, usize),
        seen: &Seen,
        blocks: &mut Vec<DataBlock>,
    ) -> Result<()> {
        let start = reader.offsets[first];
        let bytes = reader.read(start, reader.offsets[last + 1])?;
        for offsets in reader.offsets[first..=last + 1].windows(2) {
            let block = verify(&bytes.slice(to_usize(offsets[0] - start)..to_usize(offsets[1] - start)))?;
            if seen.was_read(self.id, offsets[0]) {
                // In memory of its own: its neighbours may not stay.
                let own = Block { header: block.header, data: (&block.data[..]).into() };
                self.table.cache.insert_block(self.id, BlockOffset(offsets[0]), own);
            }
            blocks.push(DataBlock::new(block));
        }
        Ok(())
    }
}

/// Neighbouring blocks of a file.
pub(crate) struct Blocks<'a> {
    blocks: Vec<DataBlock>,
    file: &'a TableFile,
}

impl Blocks<'_> {
    /// Their entries of the stretch, in its order.
    pub(crate) fn entries<'a>(
        &'a self,
        stretch: &'a Stretch,
    ) -> Box<dyn Iterator<Item = InternalValue> + 'a> {
        let (lower, upper) = (&stretch.lower[..], &stretch.upper[..]);
        match stretch.direction {
            Direction::Forward => Box::new(self.blocks.iter().flat_map(move |block| {
                let mut entries = block.iter();
                entries.seek(lower);
                let inside =
                    move |entry: &DataBlockParsedItem| entry.compare_key(upper, block.as_slice()).is_lt();
                entries.take_while(inside).map(|entry| self.entry(block, &entry))
            })),
            Direction::Backward => Box::new(self.blocks.iter().rev().flat_map(move |block| {
                let mut entries = block.iter();
                entries.seek_upper_exclusive(upper);
                let inside =
                    move |entry: &DataBlockParsedItem| entry.compare_key(lower, block.as_slice()).is_ge();
                entries.rev().take_while(inside).map(|entry| self.entry(block, &entry))
            })),
        }
    }

    fn entry(&self, block: &DataBlock, entry: &DataBlockParsedItem) -> InternalValue {
        let mut entry = entry.materialize(block.as_slice());
        entry.key.seqno += self.file.table.global_seqno();
        entry
    }
}

impl Reader {
    /// Whether a file's blocks and its index are of the kind that is read here.
    fn can_read(table: &Table) -> bool {
        table.metadata.data_block_compression == CompressionType::None && table.regions.index.is_none()
    }

    fn read_index(table: &Table, file: File, opened: Opened) -> Result<Reader> {
        let block = Block::from_file(&file, table.regions.tli, table.metadata.index_block_compression)?;
        let index = IndexBlock::new(block);
        let (mut places, mut offsets, mut end) =
            (Vec::with_capacity(index.len()), Vec::with_capacity(index.len() + 1), 0);
        for entry in index.iter() {
            let handle = entry.materialize(index.as_slice());
            places.push(place_of(handle.end_key()));
            let handle: &BlockHandle = handle.as_ref();
            offsets.push(*handle.offset());
            end = *handle.offset() + u64::from(handle.size());
        }
        offsets.push(end);
        Ok(Reader { file, _opened: opened, places: places.into(), offsets: offsets.into() })
    }

    /// The first and the last block that may have keys of a place; `None` where they are too many or too large.
    fn blocks_of(&self, place: u128) -> Option<(usize, usize)> {
        let first = self.places.partition_point(|last| *last < place);
        let last =
            first + self.places[first..].iter().take(BLOCKS_MAX).take_while(|last| **last == place).count();
        let (many, last) = (last - first >= BLOCKS_MAX, last.min(self.places.len() - 1));
        let large = self.offsets[last + 1] - self.offsets[first] > BYTES_MAX;
        (!many && !large).then_some((first, last))
    }

    fn read(&self, from: u64, to: u64) -> Result<Bytes> {
        let mut bytes = vec![0; to_usize(to - from)];
        self.file.read_exact_at(&mut bytes, from)?;
        Ok(bytes.into())
    }
}

/// A file that counts as open.
struct Opened;

impl Opened {
    /// One more, if that is not too many.
    fn another() -> Option<Opened> {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let most = (limit / OPEN_SHARE).min(OPEN_MAX);
        let one_more = |open| (open < most).then_some(open + 1);
        OPEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| Opened)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A block as it was read, if it is whole.
fn verify(bytes: &Bytes) -> Result<Block> {
    let header = Header::decode_from(&mut &bytes[..])?;
    let data = bytes.slice(Header::serialized_len()..);
    let got = Checksum::from_raw(xxh3_128(&data));
    if got != header.checksum {
        return Err(lsm_tree::Error::ChecksumMismatch { expected: header.checksum, got });
    }
    if header.block_type != BlockType::Data {
        return Err(lsm_tree::Error::InvalidTag(("BlockType", header.block_type.into())));
    }
    Ok(Block { header, data: data.into() })
}

/// The beginning of a key as a number. Of two keys, the greater one never has the smaller place.
fn place_of(key: &[u8]) -> u128 {
    let mut place = [0; PLACE];
    let length = key.len().min(PLACE);
    place[..length].copy_from_slice(&key[..length]);
    u128::from_be_bytes(place)
}

/// Lengths within a file that is in memory in parts.
fn to_usize(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
