//! Our own commit numbers, by which a start notices that commits are missing.
//!
//! - Each batch of the journal holds the number of its last commit and that of the batch before ([`Sealed`]): so the
//!   journals and the table files together are a chain, and a missing link shows.
//! - After each sync the number is also written to a file of its own ([`Watermark`]), where it does not share
//!   the fate of the journal. It is synced only now and then: after a power cut it may be older than the
//!   journal, never newer. So whatever is older than it has lost commits that were answered.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

/// The file's name in the data folder.
pub(crate) const FILE: &str = "hashrange.sequence";
/// The number of a folder without commits.
pub(crate) const NONE_YET: u64 = 1;
/// The numbers are written to two places in turn, each in a sector of its own, so that one write cannot spoil both.
const PLACES: u64 = 2;
const SECTOR: u64 = 512;
/// Bytes of a place in use: the number and its XXH3-64, both big-endian.
const PLACE: usize = 16;
/// Bytes of batches after which the file is synced.
const SYNC_EVERY: usize = 16 << 20;

/// What a batch says of its place in the order of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sealed {
    /// The number of its last commit.
    pub(crate) last: u64,
    /// The number of the last commit before it; not there in folders of format 2.
    pub(crate) before: Option<u64>,
}

impl Sealed {
    /// The record's value: `last u64 | before u64`, big-endian.
    pub(crate) fn encode(last: u64, before: u64) -> [u8; 16] {
        let mut value = [0; 16];
        value[..8].copy_from_slice(&last.to_be_bytes());
        value[8..].copy_from_slice(&before.to_be_bytes());
        value
    }

    /// Reads a value of this format or of format 2.
    pub(crate) fn decode(value: &[u8]) -> Option<Sealed> {
        let (last, before) = value.split_first_chunk::<8>()?;
        let before = match before.len() {
            0 => None,
            _ => Some(u64::from_be_bytes(before.try_into().ok()?)),
        };
        Some(Sealed { last: u64::from_be_bytes(*last), before })
    }
}

/// The file with the number of the last durable commit.
#[derive(Debug)]
pub(crate) struct Watermark {
    /// Not there after an error: what it protects is safe without it.
    file: Option<File>,
    next_place: u64,
    unsynced: usize,
}

/// What the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// The greatest number of a whole place.
    pub(crate) sequence: u64,
    /// Where a place is damaged.
    pub(crate) damaged: Option<u64>,
}

impl Watermark {
    /// Opens the file in the data folder, making it where it is not there, and writes the number durably.
    pub(crate) fn open(folder: &Path, sequence: u64) -> io::Result<Watermark> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(FILE))?;
        for place in 0..PLACES {
            write(&file, place, sequence)?;
        }
        file.sync_all()?;
        Ok(Watermark { file: Some(file), next_place: 0, unsynced: 0 })
    }

    /// Takes note of a durable commit, and of the length of its batch.
    pub(crate) fn reached(&mut self, sequence: u64, bytes: usize) {
        let Some(file) = &self.file else { return };
        let mut written = write(file, self.next_place, sequence);
        self.next_place = (self.next_place + 1) % PLACES;
        self.unsynced += bytes;
        if written.is_ok() && self.unsynced >= SYNC_EVERY {
            self.unsynced = 0;
            written = file.sync_data();
        }
        self.give_up_after(written);
    }

    /// Makes the last number durable.
    pub(crate) fn sync(&mut self) {
        if let Some(file) = &self.file {
            let synced = file.sync_data();
            self.give_up_after(synced);
        }
    }

    /// The commits are safe in the journal; without a second place, only the loss of its end would pass unnoticed.
    fn give_up_after(&mut self, done: io::Result<()>) {
        if let Err(error) = done {
            self.file = None;
            tracing::warn!(%error, "cannot write {FILE}: check the disk; writes go on, but a lost end of the journal would not be noticed");
        }
    }
}

fn write(file: &File, place: u64, sequence: u64) -> io::Result<()> {
    let mut bytes = [0; PLACE];
    bytes[..8].copy_from_slice(&sequence.to_be_bytes());
    bytes[8..].copy_from_slice(&xxh3_64(&sequence.to_be_bytes()).to_be_bytes());
    file.write_all_at(&bytes, place * SECTOR)
}

/// Reads the file; `None` where no place of it is whole.
pub(crate) fn read(folder: &Path) -> io::Result<Option<Marks>> {
    let mut bytes = Vec::new();
    File::open(folder.join(FILE))?.take(PLACES * SECTOR).read_to_end(&mut bytes)?;
    let place = |place: u64| {
        let at = usize::try_from(place * SECTOR).ok()?;
        let (number, checksum) = bytes.get(at..at + PLACE)?.split_first_chunk::<8>()?;
        (xxh3_64(number).to_be_bytes() == checksum).then(|| u64::from_be_bytes(*number))
    };
    let damaged = (0..PLACES).find(|number| place(*number).is_none()).map(|number| number * SECTOR);
    let sequence = (0..PLACES).filter_map(place).max();
    Ok(sequence.map(|sequence| Marks { sequence, damaged }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(folder: &Path) -> Option<u64> {
        read(folder).unwrap().map(|marks| marks.sequence)
    }

    #[test]
    fn the_last_number_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut watermark = Watermark::open(folder.path(), 1).unwrap();
        for number in 2..5 {
            watermark.reached(number, 100);
            assert_eq!(sequence(folder.path()), Some(number));
        }
        drop(watermark);
        Watermark::open(folder.path(), 9).unwrap().sync();
        assert_eq!(sequence(folder.path()), Some(9));
    }

    #[test]
    fn one_damaged_place_costs_one_number_and_two_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let mut watermark = Watermark::open(folder.path(), 7).unwrap();
        watermark.reached(8, 100);
        let path = folder.path().join(FILE);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[3] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(Marks { sequence: 7, damaged: Some(0) }));
        std::fs::write(&path, &bytes[..520]).unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
    }

    #[test]
    fn both_formats_of_the_record_are_read() {
        let value = Sealed::encode(9, 7);
        assert_eq!(Sealed::decode(&value), Some(Sealed { last: 9, before: Some(7) }));
        assert_eq!(Sealed::decode(&value[..8]), Some(Sealed { last: 9, before: None }));
        assert_eq!(Sealed::decode(&value[..12]), None);
    }
}
