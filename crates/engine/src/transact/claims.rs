//! Items in the hands of ongoing transactions.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashrange_store::Address;
use parking_lot::Mutex;

/// Which items ongoing transactions of this process hold.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    /// How many items are held, so that writers need no lock while there are none.
    count: AtomicUsize,
    held: Mutex<HashSet<Address>>,
}

/// The hold of one transaction on its items. Dropped, it lets go of them.
#[derive(Debug)]
pub(crate) struct Claim<'c> {
    claims: &'c Claims,
    items: Vec<Address>,
}

impl Claims {
    /// Whether a transaction holds the item.
    pub(crate) fn holds(&self, item: &Address) -> bool {
        self.count.load(Ordering::Acquire) > 0 && self.held.lock().contains(item)
    }

    /// Takes hold of all items, or of none where others hold some: the positions of those.
    pub(crate) fn claim(&self, items: Vec<Address>) -> Result<Claim<'_>, Vec<usize>> {
        let mut held = self.held.lock();
        let taken: Vec<_> = (0..items.len()).filter(|at| held.contains(&items[*at])).collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        held.extend(items.iter().cloned());
        self.count.store(held.len(), Ordering::Release);
        drop(held);
        Ok(Claim { claims: self, items })
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
        let claims = Claims::default();
        assert!(!claims.holds(&item("a")));
        let first = claims.claim(vec![item("a"), item("b")]).unwrap();
        assert!(claims.holds(&item("a")));
        assert!(!claims.holds(&item("c")));
        assert_eq!(claims.claim(vec![item("c"), item("b"), item("a")]).unwrap_err(), [1, 2]);
        assert!(!claims.holds(&item("c")), "a claim that fails holds nothing");
        drop(first);
        assert!(claims.claim(vec![item("c"), item("b"), item("a")]).is_ok());
        assert_eq!(claims.count.load(Ordering::Acquire), 0);
    }
}
