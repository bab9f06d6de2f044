//! Stretches without rows that scans jump over.
//!
//! A removed row stays in the trees as a tombstone until compaction gets to it, and a scan walks over all
//! tombstones in its way one by one: the query at the head of a queue that 100,000 rows went through costs a
//! thousand times as much as on fresh data. So the writer keeps a small set of *gaps*, stretches that were
//! found to hold no row (`learn.rs`), and a scan jumps over them.
//!
//! Why a scan misses no row: a set of gaps is published together with the snapshot it is true for, neither
//! ever changes, and a scan uses the two of one [`Published`](crate::shared::Published). Only the writer
//! thread makes the next set from the last one, and it takes the key of every row that a batch writes out of
//! its set before it publishes the state after the batch. Gaps say what readers see, not how it is stored, so
//! flushes and compactions do not matter to them. They are in memory only.

use std::sync::Arc;

use fjall::UserKey;
use hashrange_store::Space;

use crate::keys;

/// Gaps are kept in this many shards, so that a change copies one small shard only.
const SHARDS: usize = 256;
/// Gaps kept per shard; beyond, the lightest is dropped.
const SHARD_GAPS_MAX: usize = 256;
/// A key's shard is its byte at this place, the first of the partition's hash: so the shards of a space are in key order.
const SHARD_AT: usize = 8;

/// No row has a key in `from..to`.
#[derive(Clone, Debug)]
struct Gap {
    from: UserKey,
    to: UserKey,
    /// Removed rows that it is thought to hold: how much it saves.
    weight: u32,
}

/// A set of gaps that neither overlap nor touch. Each lies within one shard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    /// None, or one of each; sorted.
    shards: Vec<Arc<Vec<Gap>>>,
    count: usize,
}

fn shard_of(key: &[u8]) -> usize {
    key.get(SHARD_AT).copied().unwrap_or(0).into()
}

impl Gaps {
    /// The first gap that a scan of `lower..upper`, within one space, meets.
    pub(crate) fn first_in(
        &self,
        lower: &[u8],
        upper: &[u8],
        backward: bool,
    ) -> Option<(&UserKey, &UserKey)> {
        if self.count == 0 || lower >= upper {
            return None;
        }
        let same_space = lower.get(..SHARD_AT) == upper.get(..SHARD_AT);
        let last = if same_space { shard_of(upper) } else { SHARDS - 1 };
        let shards = self.shards.get(shard_of(lower)..=last)?;
        let hit = if backward {
            shards.iter().rev().find_map(|shard| last_in(shard, lower, upper))
        } else {
            shards.iter().find_map(|shard| first_in(shard, lower, upper))
        };
        hit.map(|gap| (&gap.from, &gap.to))
    }

    /// Whether a key lies in a gap.
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        let shard = self.shards.get(shard_of(key));
        shard.is_some_and(|shard| shard.get(place(shard, key)).is_some_and(|gap| gap.from[..] <= *key))
    }

    /// Whether a gap covers all of `from..to`.
    pub(crate) fn covers(&self, from: &[u8], to: &[u8]) -> bool {
        from >= to || self.first_in(from, to, false).is_some_and(|gap| gap.0[..] <= *from && *to <= gap.1[..])
    }

    /// Takes a key out, because a row is about to be written there. What is left on its two sides is kept
    /// where it still weighs `worth`.
    pub(crate) fn cut(&mut self, key: &[u8], worth: u32) {
        if !self.contains(key) {
            return;
        }
        self.change(key, |shard| {
            let at = place(shard, key);
            let Gap { from, to, weight } = shard.remove(at);
            let after = UserKey::from(keys::next(key));
            // Nobody knows on which side the removed rows are.
            let weight = if from[..] == *key || after == to { weight } else { weight / 2 };
            let sides = [(from, UserKey::from(key)), (after, to)];
            let kept = sides.into_iter().filter(|(from, to)| from < to && weight >= worth);
            shard.splice(at..at, kept.map(|(from, to)| Gap { from, to, weight }));
        });
    }

    /// Whether a key, with its own place added, would join a gap.
    pub(crate) fn touches(&self, key: &[u8]) -> bool {
        let Some(shard) = self.shards.get(shard_of(key)) else { return false };
        let at = shard.partition_point(|gap| gap.to[..] < *key);
        shard.get(at).is_some_and(|gap| gap.from[..] <= keys::next(key)[..])
    }

    /// Adds a gap, joined with those that it overlaps or touches.
    pub(crate) fn add(&mut self, from: &[u8], to: &[u8], weight: u32) {
        // All keys between two that share space and shard share them, so that `cut` finds this gap.
        let one_shard = from.len() > SHARD_AT && to.len() > SHARD_AT && from[..=SHARD_AT] == to[..=SHARD_AT];
        if from >= to || !one_shard {
            return;
        }
        self.change(from, |shard| {
            let start = shard.partition_point(|gap| gap.to[..] < *from);
            let end = shard.partition_point(|gap| gap.from[..] <= *to);
            let mut gap = Gap { from: from.into(), to: to.into(), weight };
            for old in shard.drain(start..end) {
                gap.weight = gap.weight.saturating_add(old.weight);
                gap.from = gap.from.min(old.from);
                gap.to = gap.to.max(old.to);
            }
            shard.insert(start, gap);
        });
    }

    /// Drops the gaps of a space.
    pub(crate) fn forget(&mut self, space: Space) {
        for shard in &mut self.shards {
            let of_space = |gap: &Gap| keys::space_of(&gap.from) == Some(space);
            if shard.iter().any(of_space) {
                let shard = Arc::make_mut(shard);
                shard.retain(|gap| !of_space(gap));
            }
        }
        self.count = self.shards.iter().map(|shard| shard.len()).sum();
    }

    fn change(&mut self, key: &[u8], change: impl FnOnce(&mut Vec<Gap>)) {
        if self.shards.is_empty() {
            self.shards.resize(SHARDS, Arc::default());
        }
        let shard = Arc::make_mut(&mut self.shards[shard_of(key)]);
        self.count -= shard.len();
        change(shard);
        if shard.len() > SHARD_GAPS_MAX {
            drop_lightest(shard);
        }
        self.count += shard.len();
    }
}

/// The place of the first gap that ends after `key`.
fn place(shard: &[Gap], key: &[u8]) -> usize {
    shard.partition_point(|gap| gap.to[..] <= *key)
}

fn first_in<'a>(shard: &'a [Gap], lower: &[u8], upper: &[u8]) -> Option<&'a Gap> {
    shard.get(place(shard, lower)).filter(|gap| gap.from[..] < *upper)
}

fn last_in<'a>(shard: &'a [Gap], lower: &[u8], upper: &[u8]) -> Option<&'a Gap> {
    let end = shard.partition_point(|gap| gap.from[..] < *upper);
    shard[..end].last().filter(|gap| gap.to[..] > *lower)
}

fn drop_lightest(shard: &mut Vec<Gap>) {
    let lightest = shard.iter().enumerate().min_by_key(|(_, gap)| gap.weight);
    if let Some((at, _)) = lightest {
        shard.remove(at);
    }
}

#[cfg(test)]
mod tests;
