//! Pages of ranges that are read again and again, kept as they were answered.
//!
//! A range of a few dozen rows costs more than all the rest of its request: each row is merged from several places,
//! compared and put together. A page that was read before, and whose partition nobody has written since, is the same
//! page. Writers therefore note the number of each commit in a slot of its partition, when the commit is queued; a
//! page is good as long as that number is not above that of the instant at which the page was read.
//!
//! Pages of few rows are not kept: reading them takes no longer than most of what else a request does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use foldhash::fast::RandomState;
use hashrange_store::{Direction, RangePage, RangeRead, Space};
use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};

use crate::keys::{self, Stretch};

/// Bytes up to which a page is kept.
const BYTES_MAX: usize = 256 << 10;
/// What a row takes besides its bytes.
const ROW_BYTES: usize = 96;
/// Slots of partitions. A collision costs a page, never a wrong answer.
const SLOTS: usize = 1 << 13;
/// What a page takes, roughly.
const PAGE_BYTES: u64 = 16 << 10;
/// Pages of which it is remembered that they were read: the second time, they are kept.
const READ_ONCE: usize = 4096;

/// The pages, and when partitions were written.
#[derive(Debug)]
pub(crate) struct Pages {
    kept: Cache<Key, Arc<Kept>, Weight, RandomState>,
    /// Per slot of partitions: the number of the last queued commit that writes one of them.
    written: Box<[AtomicU64]>,
    /// Digests of pages that were read and not kept.
    read_once: Box<[AtomicU32]>,
    hasher: RandomState,
    /// Pages of fewer are not kept.
    rows_min: usize,
}

/// Which page: its stretch, its direction, its limits.
type Key = Box<[u8]>;

/// A page, and the number of the last commit that it knows of.
#[derive(Debug)]
struct Kept {
    sequence: u64,
    page: RangePage,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Key, Arc<Kept>> for Weight {
    fn weight(&self, key: &Key, kept: &Arc<Kept>) -> u64 {
        (key.len() + kept.bytes) as u64
    }
}

/// A page that was looked for.
#[derive(Debug)]
pub(crate) struct Wanted {
    key: Key,
    slot: usize,
}

impl Pages {
    /// Keeps pages of at least so many rows, and of so many bytes in all.
    pub(crate) fn new(bytes: u64, rows_min: usize) -> Pages {
        let pages = usize::try_from(bytes / PAGE_BYTES).unwrap_or(usize::MAX);
        Pages {
            kept: Cache::with(pages, bytes, Weight, RandomState::default(), DefaultLifecycle::default()),
            written: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
            read_once: (0..READ_ONCE).map(|_| AtomicU32::new(0)).collect(),
            hasher: RandomState::default(),
            rows_min,
        }
    }

    /// A commit with this number is queued that writes the row with this key.
    pub(crate) fn will_write(&self, key: &[u8], sequence: u64) {
        if let Some(slot) = slot_of(key) {
            self.written[slot].store(sequence, Ordering::Release);
        }
    }

    /// The page if it is known; else what to keep it under, if it may be kept. The caller has loaded the published
    /// instant before: a commit in it has left its number already.
    pub(crate) fn find(&self, read: &RangeRead, stretch: &Stretch) -> Result<RangePage, Option<Wanted>> {
        if read.limit.rows < self.rows_min || read.space == Space::TALLIES {
            return Err(None);
        }
        let slot = slot_of(&stretch.lower).ok_or(None)?;
        let key = key_of(read, stretch);
        match self.kept.get(&key) {
            Some(kept) if self.written[slot].load(Ordering::Acquire) <= kept.sequence => {
                Ok(kept.page.clone())
            }
            _ => Err(Some(Wanted { key, slot })),
        }
    }

    /// Keeps a page that was read at the published instant with this number, where it is read often.
    pub(crate) fn keep(&self, wanted: Wanted, page: &RangePage, sequence: u64) {
        let Wanted { key, slot } = wanted;
        if page.rows.len() < self.rows_min || self.written[slot].load(Ordering::Acquire) > sequence {
            return;
        }
        let bytes =
            page.rows.iter().map(|(row, stored)| row.sort.len() + stored.value.len() + ROW_BYTES).sum();
        if bytes <= BYTES_MAX && self.was_read(&key) {
            self.kept.insert(key, Arc::new(Kept { sequence, page: page.clone(), bytes }));
        }
    }

    /// Whether the page was read not long ago; it is from now on.
    fn was_read(&self, key: &[u8]) -> bool {
        let digest = std::hash::BuildHasher::hash_one(&self.hasher, key);
        let [high, low] = [digest >> 32, digest & u64::from(u32::MAX)];
        let (high, low) = (u32::try_from(high), usize::try_from(low));
        let (Ok(high), Ok(low)) = (high, low) else { return false };
        self.read_once[low % READ_ONCE].swap(high, Ordering::Relaxed) == high
    }

    /// Bytes of all pages.
    pub(crate) fn bytes(&self) -> u64 {
        self.kept.weight()
    }

    /// Bytes that they may have.
    pub(crate) fn bytes_max(&self) -> u64 {
        self.kept.capacity()
    }
}

/// The slot of a row's partition.
fn slot_of(key: &[u8]) -> Option<usize> {
    let digest = keys::partition_digest(key)?;
    Some(usize::try_from(digest % SLOTS as u64).expect("a remainder of SLOTS fits"))
}

fn key_of(read: &RangeRead, stretch: &Stretch) -> Key {
    let Stretch { lower, upper, .. } = stretch;
    let mut key = Vec::with_capacity(lower.len() + upper.len() + 32);
    key.extend_from_slice(&lower.len().to_le_bytes());
    key.extend_from_slice(lower);
    key.extend_from_slice(upper);
    key.extend_from_slice(&read.limit.rows.to_le_bytes());
    key.extend_from_slice(&read.limit.bytes.to_le_bytes());
    key.push(u8::from(read.direction == Direction::Backward));
    key.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use hashrange_store::{Bound, Freshness, PageLimit, RowKey, Stamp, Stored};

    use super::*;

    const ROWS_MIN: usize = 24;

    fn read(partition: &'static str, rows: usize) -> (RangeRead, Stretch) {
        let read = RangeRead {
            space: Space(9),
            partition: Bytes::from(partition),
            lower: Bound::Unbounded,
            upper: Bound::Unbounded,
            direction: Direction::Forward,
            limit: PageLimit { rows, bytes: 1 << 20 },
            freshness: Freshness::Any,
        };
        let lower = keys::partition_prefix(read.space, &read.partition);
        let upper = keys::next(&lower);
        (read, Stretch { lower, upper, direction: Direction::Forward })
    }

    fn page(rows: usize) -> RangePage {
        let row = |number: usize| RowKey { kind: 0, sort: Bytes::from(format!("{number:04}")) };
        let stored = Stored { stamp: Stamp(1), value: Bytes::from_static(b"value") };
        RangePage { rows: (0..rows).map(|number| (row(number), stored.clone())).collect(), more: false }
    }

    /// Reads the page, and keeps what is not known.
    fn ask(pages: &Pages, partition: &'static str, limit: usize, answer: &RangePage, sequence: u64) -> bool {
        let (read, stretch) = read(partition, limit);
        match pages.find(&read, &stretch) {
            Ok(found) => {
                assert_eq!(found, *answer);
                true
            }
            Err(wanted) => {
                if let Some(wanted) = wanted {
                    pages.keep(wanted, answer, sequence);
                }
                false
            }
        }
    }

    #[test]
    fn a_page_is_known_from_the_third_time_on_until_its_partition_is_written() {
        let pages = Pages::new(1 << 20, ROWS_MIN);
        let answer = page(50);
        let asked = || ask(&pages, "a", 256, &answer, 7);
        assert_eq!([asked(), asked(), asked(), asked()], [false, false, true, true]);
        let key = keys::row(Space(9), b"a", &RowKey { kind: 3, sort: Bytes::from_static(b"any") });
        pages.will_write(&key, 8);
        assert!(!ask(&pages, "a", 256, &answer, 7), "the commit is queued and not published");
        assert!(!ask(&pages, "a", 256, &answer, 8));
        assert!(ask(&pages, "a", 256, &answer, 8), "it was read often before");
    }

    #[test]
    fn pages_differ_by_partition_and_limit() {
        let pages = Pages::new(1 << 20, ROWS_MIN);
        for (partition, limit, rows) in [("a", 256, 50), ("a", 100, 40), ("b", 256, 30)] {
            let answer = page(rows);
            let asked = || ask(&pages, partition, limit, &answer, 7);
            assert_eq!([asked(), asked(), asked()], [false, false, true]);
        }
    }

    #[test]
    fn short_and_large_pages_are_not_kept() {
        let pages = Pages::new(64 << 20, ROWS_MIN);
        for answer in [page(ROWS_MIN - 1), page(BYTES_MAX / ROW_BYTES)] {
            let asked = || ask(&pages, "a", 4096, &answer, 7);
            assert_eq!([asked(), asked(), asked()], [false; 3]);
        }
        let answer = page(ROWS_MIN - 1);
        assert!(!ask(&pages, "b", ROWS_MIN - 1, &answer, 7));
        assert_eq!(pages.bytes(), 0);
    }

    #[test]
    fn all_pages_together_stay_within_their_bytes() {
        let pages = Pages::new(100_000, ROWS_MIN);
        let names: Vec<&'static str> = (0..100).map(|number| &*format!("p{number}").leak()).collect();
        for name in names {
            let answer = page(30);
            let _ = [ask(&pages, name, 256, &answer, 1), ask(&pages, name, 256, &answer, 1)];
            assert!(pages.bytes() <= 100_000);
        }
        assert!(pages.bytes() > 0);
    }
}
