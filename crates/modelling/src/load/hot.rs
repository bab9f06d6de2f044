//! Keys with more traffic than one partition serves, and an estimate of what it would throttle.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use super::HotKey;
use super::keys::Touch;
use super::lane::Lane;
use crate::skew::{KEY_READ_UNITS_MAX, KEY_WRITE_UNITS_MAX, scatter_read, write_shards};

/// Partitions of a new on-demand table.
const PARTITIONS: u64 = 4;
/// Keys whose buckets are kept.
const BUCKETS_MAX: usize = 200_000;
/// Bytes of an item that nothing states.
const ITEM_BYTES: f64 = 400.0;

/// The use of one key.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyUse {
    read: f64,
    write: f64,
    patterns: Vec<String>,
}

impl KeyUse {
    pub(super) fn add(&mut self, pattern: &str, read: f64, write: f64) {
        self.read += read;
        self.write += write;
        if !self.patterns.iter().any(|known| known == pattern) {
            self.patterns.push(pattern.to_owned());
        }
    }
}

/// Keys beyond what one partition serves; `seconds` is how long the load would have taken at the declared rates.
pub(super) fn hot_keys(lanes: &[Arc<Lane>], keys: &BTreeMap<Touch, KeyUse>, seconds: f64) -> Vec<HotKey> {
    let mut totals: BTreeMap<(&str, Option<&str>), f64> = BTreeMap::new();
    for (touch, used) in keys {
        *totals.entry((&touch.table, touch.index.as_deref())).or_default() += used.read + used.write;
    }
    let mut hot: Vec<HotKey> = keys
        .iter()
        .filter_map(|(touch, used)| {
            let (read, write) = (used.read / seconds, used.write / seconds);
            if read <= KEY_READ_UNITS_MAX && write <= KEY_WRITE_UNITS_MAX {
                return None;
            }
            let total = totals.get(&(touch.table.as_str(), touch.index.as_deref())).copied().unwrap_or(1.0);
            let shards = write_shards(write, read);
            let (bytes, strong) = collection(lanes, touch, used);
            Some(HotKey {
                table: touch.table.clone(),
                index: touch.index.clone(),
                key: touch.key.clone(),
                read,
                write,
                share: (used.read + used.write) / total,
                shards,
                scatter: scatter_read(shards, bytes, strong),
                patterns: used.patterns.clone(),
            })
        })
        .collect();
    let heat = |key: &HotKey| (key.write / KEY_WRITE_UNITS_MAX).max(key.read / KEY_READ_UNITS_MAX);
    hot.sort_by(|one, other| heat(other).total_cmp(&heat(one)));
    hot
}

/// The bytes that one read of the collection examines, and whether it is strong: of the largest read that uses it.
fn collection(lanes: &[Arc<Lane>], touch: &Touch, used: &KeyUse) -> (f64, bool) {
    let reads = lanes
        .iter()
        .filter(|lane| !lane.writes && lane.plan.table == touch.table && lane.plan.index == touch.index);
    let (own, others): (Vec<_>, Vec<_>) = reads.partition(|lane| used.patterns.contains(&lane.pattern().id));
    let read = if own.is_empty() { others } else { own };
    let bytes =
        |lane: &&Arc<Lane>| lane.plan.items.unwrap_or(1.0) * lane.plan.item_bytes.unwrap_or(ITEM_BYTES);
    let largest = read.into_iter().max_by(|one, other| bytes(one).total_cmp(&bytes(other)));
    largest.map_or((ITEM_BYTES, false), |lane| (bytes(&lane), lane.plan.strong))
}

/// Token buckets of keys and of partitions, as DynamoDB has them for tables on demand: a second's worth, no burst.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    speed: f64,
    buckets: BTreeMap<(Touch, bool), Bucket>,
    throttled: BTreeMap<String, u64>,
}

/// What is left of a second's worth of units.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    read: f64,
    write: f64,
    at: Duration,
}

impl Throttle {
    pub(super) fn new(speed: f64) -> Throttle {
        Throttle { speed, ..Throttle::default() }
    }

    /// A request consumed that of a key, at that time.
    pub(super) fn charge(&mut self, touch: &Touch, read: f64, write: f64, at: Duration) {
        let partition = Touch { key: partition(&touch.key).to_string(), ..touch.clone() };
        let by_key = self.take((touch.clone(), false), read, write, at);
        let by_partition = self.take((partition, true), read, write, at);
        if !(by_key && by_partition) {
            *self.throttled.entry(touch.table.clone()).or_default() += 1;
        }
    }

    /// Whether the bucket still had something; a request that finds an empty one takes nothing.
    fn take(&mut self, of: (Touch, bool), read: f64, write: f64, at: Duration) -> bool {
        if self.buckets.len() >= BUCKETS_MAX && !self.buckets.contains_key(&of) {
            return true;
        }
        let (reads, writes) = (KEY_READ_UNITS_MAX * self.speed, KEY_WRITE_UNITS_MAX * self.speed);
        let bucket = self.buckets.entry(of).or_insert(Bucket { read: reads, write: writes, at });
        // Answers come in another order than requests.
        let passed = at.saturating_sub(bucket.at).as_secs_f64();
        bucket.at = bucket.at.max(at);
        bucket.read = (bucket.read + passed * reads).min(reads);
        bucket.write = (bucket.write + passed * writes).min(writes);
        let has = (read == 0.0 || bucket.read > 0.0) && (write == 0.0 || bucket.write > 0.0);
        if has {
            bucket.read -= read;
            bucket.write -= write;
        }
        has
    }

    /// Requests that would have been throttled, by table.
    pub(super) fn by_table(&self) -> BTreeMap<String, u64> {
        self.throttled.clone()
    }
}

/// Where a key lies: keys are hashed over partitions.
fn partition(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish() % PARTITIONS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(key: &str) -> Touch {
        Touch { table: "t".to_owned(), index: None, key: key.to_owned() }
    }

    #[test]
    fn a_key_is_throttled_beyond_a_thousand_writes_a_second() {
        let mut throttle = Throttle::new(1.0);
        for request in 0..4000_u64 {
            throttle.charge(&touch("a"), 0.0, 1.0, Duration::from_micros(request * 500));
        }
        // 2,000 a second for two seconds: a thousand at first, then a thousand a second.
        let throttled = throttle.by_table()["t"];
        assert!((950..=1050).contains(&throttled), "{throttled}");
    }

    #[test]
    fn ceilings_are_scaled_with_the_speed() {
        let mut throttle = Throttle::new(0.1);
        for request in 0..190_u64 {
            throttle.charge(&touch("a"), 0.0, 1.0, Duration::from_millis(request * 10));
        }
        assert_eq!(throttle.by_table(), BTreeMap::new());
    }
}
