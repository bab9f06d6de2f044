//! Requests that follow one from another: a read, and look-ups of what it returned by the same caller.
//!
//! Of a read that was taken down the hashes of its items' keys and values are kept for a second or so, in memory that is
//! bounded; a look-up whose key is among them is counted once. Two such look-ups after one read are an n-plus-one: one
//! request could have fetched them. A server whose traffic has no such reads pays one load of an integer for a look-up.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use foldhash::fast::FixedState;
use parking_lot::Mutex;

use super::digest::LookUp;

/// Reads that are remembered at the same time.
const READS_MAX: usize = 32;
/// Hashes that are remembered of one read.
pub(super) const HASHES_MAX: usize = 256;
/// How long a look-up may come after its read, or after the one before it.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long after its read at most.
const PATIENCE_MAX: Duration = Duration::from_secs(10);
/// Pairs of forms that are counted.
const PAIRS_MAX: usize = 1_000;
/// Look-ups after one read that are an n-plus-one.
const FOLLOWED_MIN: u64 = 2;
/// Words of the sieve, of 64 bits each.
const WORDS: usize = 1024;

/// What follows what.
#[derive(Debug)]
pub(super) struct Links {
    /// Until when a look-up may follow, in microseconds of the clock.
    open_until: AtomicU64,
    /// Bits of the hashes that are remembered: most look-ups that follow nothing end here, without a lock.
    sieve: Box<[AtomicU64]>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Reads that are remembered, oldest first.
    reads: VecDeque<Read>,
    /// The number of the first of them.
    first: u64,
    /// The newest read of each hash.
    of: HashMap<u64, u64, FixedState>,
    /// Hashes that were marked in the sieve since it was last made.
    marked: usize,
    counts: Counts,
}

#[derive(Debug)]
struct Read {
    form: u64,
    at: Duration,
    until: Duration,
    hashes: Vec<u64>,
    /// Look-ups by form.
    followed: BTreeMap<u64, u64>,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// Reads that were remembered, by form.
    pub(super) reads: BTreeMap<u64, u64>,
    /// By the form of the read and of the look-up.
    pub(super) pairs: BTreeMap<(u64, u64), Pair>,
}

/// Look-ups of one form after reads of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    /// Reads that were followed by two look-ups or more.
    pub(super) followed: u64,
    /// These look-ups.
    pub(super) look_ups: u64,
    /// Most of them after one read.
    pub(super) most: u64,
}

impl Pair {
    pub(super) fn add(&mut self, other: Pair) {
        self.followed += other.followed;
        self.look_ups += other.look_ups;
        self.most = self.most.max(other.most);
    }
}

impl Default for Links {
    fn default() -> Links {
        let sieve = std::iter::repeat_with(AtomicU64::default).take(WORDS).collect();
        Links { open_until: AtomicU64::new(0), sieve, state: Mutex::default() }
    }
}

impl Links {
    /// Whether a look-up at that time may follow a read.
    pub(super) fn is_open(&self, now: Duration) -> bool {
        micros(now) <= self.open_until.load(Relaxed)
    }

    /// A read returned items with these hashes to a caller.
    pub(super) fn read(&self, caller: u64, form: u64, now: Duration, hashes: impl IntoIterator<Item = u64>) {
        let mut state = self.state.lock();
        state.forget(now, READS_MAX - 1);
        let number = state.first + state.reads.len() as u64;
        let hashes: Vec<u64> = hashes.into_iter().take(HASHES_MAX).map(|hash| hash ^ caller).collect();
        state.marked += hashes.len();
        for hash in &hashes {
            state.of.insert(*hash, number);
            self.mark(*hash);
        }
        *state.counts.reads.entry(form).or_default() += 1;
        let until = now + PATIENCE;
        state.reads.push_back(Read { form, at: now, until, hashes, followed: BTreeMap::new() });
        self.open_until.fetch_max(micros(until), Relaxed);
        if state.marked > 2 * READS_MAX * HASHES_MAX {
            self.sieve.iter().for_each(|word| word.store(0, Relaxed));
            state.of.keys().for_each(|hash| self.mark(*hash));
            state.marked = state.of.len();
        }
    }

    /// A look-up came from a caller.
    pub(super) fn look_up(&self, caller: u64, form: u64, now: Duration, look_up: LookUp) {
        let hashes = [look_up.whole, look_up.first, look_up.remainder];
        let hashes = hashes.into_iter().flatten().map(|hash| hash ^ caller);
        if !hashes.clone().any(|hash| self.may_have(hash)) {
            return;
        }
        let mut state = self.state.lock();
        let State { reads, first, of, .. } = &mut *state;
        // All hashes of a key go at once: a second look-up of it is no next item.
        let found = hashes.fold(None, |found: Option<u64>, hash| {
            let read = of.remove(&hash);
            found.or(read)
        });
        let Some(number) = found else { return };
        let at = usize::try_from(number.wrapping_sub(*first)).unwrap_or(usize::MAX);
        let Some(read) = reads.get_mut(at).filter(|read| now <= read.until) else { return };
        *read.followed.entry(form).or_default() += 1;
        read.until = (now + PATIENCE).min(read.at + PATIENCE_MAX);
        self.open_until.fetch_max(micros(read.until), Relaxed);
    }

    /// What was counted until now, with reads that may still be followed.
    pub(super) fn counts(&self) -> Counts {
        let state = self.state.lock();
        let mut counts = state.counts.clone();
        state.reads.iter().for_each(|read| counts.close(read));
        counts
    }

    fn mark(&self, hash: u64) {
        let (word, bit) = place(hash);
        self.sieve[word].fetch_or(bit, Relaxed);
    }

    fn may_have(&self, hash: u64) -> bool {
        let (word, bit) = place(hash);
        self.sieve[word].load(Relaxed) & bit != 0
    }
}

impl State {
    /// Counts reads that nothing follows any more, and the oldest beyond so many.
    fn forget(&mut self, now: Duration, keep: usize) {
        while self.reads.len() > keep || self.reads.front().is_some_and(|read| read.until < now) {
            let Some(read) = self.reads.pop_front() else { return };
            for hash in &read.hashes {
                if self.of.get(hash) == Some(&self.first) {
                    self.of.remove(hash);
                }
            }
            self.first += 1;
            self.counts.close(&read);
        }
    }
}

impl Counts {
    fn close(&mut self, read: &Read) {
        for (form, look_ups) in read.followed.iter().filter(|(_, look_ups)| **look_ups >= FOLLOWED_MIN) {
            let key = (read.form, *form);
            if self.pairs.len() < PAIRS_MAX || self.pairs.contains_key(&key) {
                let pair = Pair { followed: 1, look_ups: *look_ups, most: *look_ups };
                self.pairs.entry(key).or_default().add(pair);
            }
        }
    }
}

fn place(hash: u64) -> (usize, u64) {
    let word = usize::try_from(hash >> 54).expect("ten bits");
    (word, 1 << (hash & 63))
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

const _: () = assert!(WORDS == 1 << 10, "the sieve has a word for each ten bits");

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    }

    fn by(first: u64) -> LookUp {
        LookUp { whole: None, first: Some(spread(first)), remainder: None }
    }

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn pairs(links: &Links) -> Vec<((u64, u64), Pair)> {
        links.counts().pairs.into_iter().collect()
    }

    #[test]
    fn look_ups_of_what_a_read_returned_are_linked_to_it() {
        let links = Links::default();
        assert!(!links.is_open(at(1)));
        links.read(9, 1, at(10), (0..5).map(spread));
        assert!(links.is_open(at(11)));
        (0..4).for_each(|key| links.look_up(9, 2, at(20 + key), by(key)));
        links.look_up(9, 2, at(30), by(0));
        links.look_up(9, 2, at(30), by(77));
        links.look_up(8, 2, at(30), by(4));
        assert_eq!(pairs(&links), [((1, 2), Pair { followed: 1, look_ups: 4, most: 4 })]);
        assert_eq!(links.counts().reads, BTreeMap::from([(1, 1)]));
    }

    #[test]
    fn one_look_up_after_a_read_is_no_link() {
        let links = Links::default();
        links.read(9, 1, at(0), (0..5).map(spread));
        links.look_up(9, 2, at(1), by(3));
        assert_eq!(pairs(&links), []);
    }

    #[test]
    fn look_ups_that_come_too_late_are_not_linked() {
        let links = Links::default();
        links.read(9, 1, at(0), (0..100).map(spread));
        (0..3).for_each(|key| links.look_up(9, 2, at(900 * (key + 1)), by(key)));
        (50..60).for_each(|key| links.look_up(9, 3, at(3_800), by(key)));
        assert_eq!(pairs(&links), [((1, 2), Pair { followed: 1, look_ups: 3, most: 3 })]);
    }

    #[test]
    fn memory_is_bounded_however_many_reads_come() {
        let links = Links::default();
        for read in 0..2_000_u64 {
            links.read(
                read % 3,
                read,
                at(read),
                (0..2 * HASHES_MAX as u64).map(|key| spread(key + read * 1000)),
            );
        }
        let state = links.state.lock();
        assert!(state.reads.len() <= READS_MAX && state.of.len() <= READS_MAX * HASHES_MAX);
        assert!(state.marked <= 3 * READS_MAX * HASHES_MAX);
        drop(state);
        // What was forgotten is not found, what is remembered is.
        (0..2).for_each(|key| links.look_up(0, 7, at(2_000), by(key)));
        (0..2).for_each(|key| links.look_up(1999 % 3, 7, at(2_000), by(1_999_000 + key)));
        assert_eq!(pairs(&links), [((1999, 7), Pair { followed: 1, look_ups: 2, most: 2 })]);
    }
}
