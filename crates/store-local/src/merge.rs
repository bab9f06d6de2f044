//! The rows of a stretch, merged from all places where an instant has some.
//!
//! The engine's own ranges do the same for any number of places and any bounds. Most ranges here are of a few rows that
//! lie in one or two places, and there its general way costs more than the rows: it looks for both ends of the range in
//! every block, and passes each row through five layers.

use std::ops::Bound::{Excluded, Included};
use std::sync::Arc;

use fjall::UserKey;
use hashrange_store::Direction;
use lsm_tree::{InternalValue, Result, SeqNo, ValueType};

use crate::blocks::{Blocks, Seen, TableFile};
use crate::instant::Sources;
use crate::keys::Stretch;

/// Versions of a row in a memtable that are walked over.
const VERSIONS_MAX: usize = 4;

/// Entries of one place in the order of the scan; of one key, the newest first if the scan goes forward, else last.
type Entries<'a> = Box<dyn Iterator<Item = Result<InternalValue>> + 'a>;

/// A place where an instant has rows of a stretch.
enum Place<'a> {
    Memtable(&'a Sources),
    /// Blocks of a file that hold all it has of the stretch.
    Blocks(Blocks<'a>),
    /// Files that follow each other.
    Files(&'a [Arc<TableFile>]),
}

/// All of them.
pub(crate) struct Places<'a> {
    found: Vec<Place<'a>>,
    stretch: &'a Stretch,
}

impl<'a> Places<'a> {
    /// Finds them, and reads what is short. The lower key of the stretch is below its upper one.
    pub(crate) fn find(sources: &'a Sources, stretch: &'a Stretch, seen: &Seen) -> Places<'a> {
        let mut found = Vec::with_capacity(1 + sources.files.runs.len());
        if sources.seqno > 0 && !sources.memtable.is_empty() {
            found.push(Place::Memtable(sources));
        }
        for run in &sources.files.runs {
            let files = &run[run.partition_point(|file| file.last_key()[..] < stretch.lower[..])..];
            let files = &files[..files.partition_point(|file| file.first_key()[..] < stretch.upper[..])];
            let blocks = match files {
                [] => continue,
                [file] => file.short_range(stretch, seen),
                _ => None,
            };
            found.push(blocks.map_or(Place::Files(files), Place::Blocks));
        }
        Places { found, stretch }
    }

    /// The rows, from one end of the stretch to the other.
    pub(crate) fn rows(&self) -> Result<Merged<'_>> {
        let mut merged = Merged {
            heads: Vec::with_capacity(self.found.len()),
            backward: self.stretch.direction == Direction::Backward,
        };
        for place in &self.found {
            let mut rest = match place {
                Place::Memtable(sources) => {
                    Box::new(memtable_entries(sources, self.stretch).map(Ok)) as Entries<'_>
                }
                Place::Blocks(blocks) => Box::new(blocks.entries(self.stretch).map(Ok)),
                Place::Files(files) => file_entries(files, self.stretch),
            };
            if let Some(entry) = rest.next().transpose()? {
                merged.heads.push(Head { entry, rest });
            }
        }
        Ok(merged)
    }
}

/// The rows of a stretch in order.
pub(crate) struct Merged<'a> {
    heads: Vec<Head<'a>>,
    backward: bool,
}

/// The next entry of a place, and those after it.
struct Head<'a> {
    entry: InternalValue,
    rest: Entries<'a>,
}

impl Merged<'_> {
    /// The next row.
    pub(crate) fn next(&mut self) -> Result<Option<InternalValue>> {
        while let Some(mut newest) = self.next_entry()? {
            let mut at = 0;
            while let Some(head) = self.heads.get(at) {
                if head.entry.key.user_key != newest.key.user_key {
                    at += 1;
                    continue;
                }
                // The same place again, or another one that takes this one's position.
                let other = self.take(at)?;
                if other.key.seqno > newest.key.seqno {
                    newest = other;
                }
            }
            if !newest.is_tombstone() {
                return Ok(Some(newest));
            }
        }
        Ok(None)
    }

    /// An entry with the next key.
    fn next_entry(&mut self) -> Result<Option<InternalValue>> {
        let key = |at: &usize| &self.heads[*at].entry.key.user_key;
        let heads = 0..self.heads.len();
        let first = if self.backward { heads.max_by_key(key) } else { heads.min_by_key(key) };
        first.map(|at| self.take(at)).transpose()
    }

    /// Takes the next entry of a place, which is gone when it has no more.
    fn take(&mut self, at: usize) -> Result<InternalValue> {
        let head = &mut self.heads[at];
        Ok(match head.rest.next().transpose()? {
            Some(next) => std::mem::replace(&mut head.entry, next),
            None => self.heads.swap_remove(at).entry,
        })
    }
}

/// The newest entry of each key.
fn memtable_entries<'a>(
    sources: &'a Sources,
    stretch: &'a Stretch,
) -> impl Iterator<Item = InternalValue> + 'a {
    let (items, seqno) = (&sources.memtable.items, sources.seqno);
    let backward = stretch.direction == Direction::Backward;
    let before = move |key: &[u8]| items.upper_bound(Excluded(&position(key, SeqNo::MAX).key));
    let mut next = match stretch.direction {
        Direction::Forward => items.lower_bound(Included(&position(&stretch.lower, SeqNo::MAX).key)),
        Direction::Backward => before(&stretch.upper),
    };
    std::iter::from_fn(move || {
        loop {
            let key = next.as_ref()?.key().user_key.clone();
            let ended = if backward { key[..] < stretch.lower[..] } else { key[..] >= stretch.upper[..] };
            if ended {
                return None;
            }
            let newest = newest_version(
                &mut next,
                seqno,
                |entry| (entry.key().user_key == key).then(|| entry.key().seqno),
                |entry| if backward { entry.prev() } else { entry.next() },
                || items.lower_bound(Included(&position(&key, seqno - 1).key)),
                || if backward { before(&key) } else { items.lower_bound(Excluded(&position(&key, 0).key)) },
            );
            if let Some(newest) = newest {
                return Some(InternalValue { key: newest.key().clone(), value: newest.value().clone() });
            }
        }
    })
}

/// Where an entry of a key with this number is in a memtable: of one key, those with greater numbers are before it.
fn position(key: &[u8], seqno: SeqNo) -> InternalValue {
    InternalValue::from_components(key, [], seqno, ValueType::Value)
}

/// The newest entry of a key whose number is below `seqno`, where `next` is one with that key; afterwards, it is one with
/// another key. A memtable keeps all versions of a row: they are walked over while they are few, else both are looked for.
fn newest_version<E>(
    next: &mut Option<E>,
    seqno: SeqNo,
    number: impl Fn(&E) -> Option<SeqNo>,
    step: impl Fn(&E) -> Option<E>,
    find: impl FnOnce() -> Option<E>,
    find_next: impl FnOnce() -> Option<E>,
) -> Option<E> {
    let mut newest = None;
    for _ in 0..VERSIONS_MAX {
        let Some(entry) = next.take() else { return newest };
        let Some(version) = number(&entry) else {
            *next = Some(entry);
            return newest;
        };
        *next = step(&entry);
        if version < seqno && newest.as_ref().and_then(&number).is_none_or(|newest| newest < version) {
            newest = Some(entry);
        }
    }
    if next.as_ref().and_then(&number).is_some() {
        newest = find().filter(|entry| number(entry).is_some());
        *next = find_next();
    }
    newest
}

/// The engine is told of the end at which the scan begins only: it need not look for the other one, in every block.
fn file_entries<'a>(files: &'a [Arc<TableFile>], stretch: &'a Stretch) -> Entries<'a> {
    let begin = |key: &[u8]| UserKey::from(key);
    match stretch.direction {
        Direction::Forward => {
            let from = begin(&stretch.lower);
            let entries = files.iter().flat_map(move |file| file.table.range(from.clone()..));
            Box::new(entries.take_while(|entry| is_before_upper(entry, stretch)))
        }
        Direction::Backward => {
            let to = begin(&stretch.upper);
            let entries = files.iter().rev().flat_map(move |file| file.table.range(..to.clone()).rev());
            Box::new(entries.take_while(|entry| is_after_lower(entry, stretch)))
        }
    }
}

/// Errors are passed on.
fn is_before_upper(entry: &Result<InternalValue>, stretch: &Stretch) -> bool {
    entry.as_ref().map_or(true, |entry| entry.key.user_key[..] < stretch.upper[..])
}

fn is_after_lower(entry: &Result<InternalValue>, stretch: &Stretch) -> bool {
    entry.as_ref().map_or(true, |entry| entry.key.user_key[..] >= stretch.lower[..])
}

#[cfg(test)]
mod tests;
