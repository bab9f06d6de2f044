//! Items in the hands of ongoing transactions.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashrange_store::Address;
use parking_lot::Mutex;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Which items ongoing transactions of this process hold.
#[derive(Debug)]
pub(crate) struct Claims {
    /// Makes digests that no client can foresee.
    seed: u64,
    /// How many items are held, so that writers need no lock while there are none.
    count: AtomicUsize,
    /// By their digests. Two items with one digest would be in each other's way, as a conflict that a client tries again:
    /// with 64 bits nobody will see it.
    held: Mutex<HashSet<u64>>,
}

/// The hold of one transaction on its items. Dropped, it lets go of them.
#[derive(Debug)]
pub(crate) struct Claim<'c> {
    claims: &'c Claims,
    items: Vec<u64>,
}

impl Claims {
    /// Nothing is held.
    pub(crate) fn new(seed: u64) -> Claims {
        Claims { seed, count: AtomicUsize::new(0), held: Mutex::default() }
    }

    /// Whether a transaction holds the item.
    pub(crate) fn holds(&self, item: &Address) -> bool {
        self.count.load(Ordering::Acquire) > 0 && self.held.lock().contains(&self.digest(item))
    }

    /// Takes hold of all items, or of none where others hold some: the positions of those.
    pub(crate) fn claim<'a>(
        &self,
        items: impl Iterator<Item = &'a Address>,
    ) -> Result<Claim<'_>, Vec<usize>> {
        let items: Vec<_> = items.map(|item| self.digest(item)).collect();
        let mut held = self.held.lock();
        let taken: Vec<_> = (0..items.len()).filter(|at| held.contains(&items[*at])).collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        held.extend(&items);
        self.count.store(held.len(), Ordering::Release);
        drop(held);
        Ok(Claim { claims: self, items })
    }

    fn digest(&self, item: &Address) -> u64 {
        digest(item, self.seed)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut held = self.claims.held.lock();
        for item in &self.items {
            held.remove(item);
        }
        self.claims.count.store(held.len(), Ordering::Release);
    }
}

/// Eight bytes for an item; other items have others, but for a chance of one in 2^64.
pub(super) fn digest(item: &Address, seed: u64) -> u64 {
    let partition = xxh3_64_with_seed(&item.partition, seed ^ item.space.0);
    xxh3_64_with_seed(&item.row.sort, partition ^ u64::from(item.row.kind))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use hashrange_store::{RowKey, Space};

    use super::*;

    fn item(name: &'static str) -> Address {
        let row = RowKey { kind: 0, sort: Bytes::from_static(name.as_bytes()) };
        Address { space: Space(2000), partition: Bytes::from_static(b"p"), row }
    }

    #[test]
    fn an_item_has_one_holder_until_it_lets_go() {
        let claims = Claims::new(7);
        assert!(!claims.holds(&item("a")));
        let first = claims.claim([item("a"), item("b")].iter()).unwrap();
        assert!(claims.holds(&item("a")));
        assert!(!claims.holds(&item("c")));
        assert_eq!(claims.claim([item("c"), item("b"), item("a")].iter()).unwrap_err(), [1, 2]);
        assert!(!claims.holds(&item("c")), "a claim that fails holds nothing");
        drop(first);
        assert!(claims.claim([item("c"), item("b"), item("a")].iter()).is_ok());
        assert_eq!(claims.count.load(Ordering::Acquire), 0);
    }

    #[test]
    fn every_part_of_an_address_tells_items_apart() {
        let other = |change: fn(&mut Address)| {
            let mut item = item("a");
            change(&mut item);
            item
        };
        let items = [
            item("a"),
            other(|item| item.space = Space(2001)),
            other(|item| item.partition = Bytes::from_static(b"q")),
            other(|item| item.row.kind = 1),
            other(|item| item.row.sort = Bytes::new()),
        ];
        let digests: HashSet<_> = items.iter().map(|item| digest(item, 7)).collect();
        assert_eq!(digests.len(), items.len());
        assert_ne!(digest(&items[0], 7), digest(&items[0], 8));
    }
}
