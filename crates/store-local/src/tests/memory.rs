//! A key shares its bytes with its row. What is kept of keys must not keep rows of 400 KB in memory.

use fjall::{UserKey, UserValue};

use super::*;
use crate::hot::HotCounter;
use crate::learn::{Learner, Rules};
use crate::shared::Queue;
use crate::tree::Op;

/// A row's key and value in one piece, and that piece.
fn row() -> (Bytes, Op) {
    let all = Bytes::from([&keys::at(&address(SPACE, 7))[..], b"value"].concat());
    let at = all.len() - 5;
    let (key, value) = (UserKey::from(all.slice(..at)), Some(UserValue::from(all.slice(at..))));
    (all, Op { table: Table::Rows, key, value })
}

#[test]
fn a_row_that_is_counted_as_hot_is_not_kept_by_its_key() {
    let (all, op) = row();
    let (hot, mut counter) = (HotRows::default(), HotCounter::new(1, u64::MAX));
    for _ in 0..1000 {
        counter.wrote(&hot, 0, &op.key, 1);
    }
    assert_eq!(hot.first_in(&op.key, &keys::next(&op.key), false).as_ref(), Some(&op.key));
    drop(op);
    assert!(all.is_unique());
}

#[test]
fn a_row_that_is_remembered_as_written_is_not_kept_by_its_key() {
    let (all, op) = row();
    let mut learner = Learner::new(Rules::default());
    assert_eq!(learner.will_write(1, std::slice::from_ref(&op)), Vec::<UserKey>::new());
    drop(op);
    assert!(all.is_unique());
}

#[test]
fn a_row_that_was_written_again_leaves_the_overlay() {
    let ((first, op), (_, newer)) = (row(), row());
    let stored = |value: Bytes| Some(Stored { stamp: Stamp(1), value });
    let mut queue = Queue::default();
    queue.overlay(&op.key, 1, stored(first.slice(8..)));
    queue.overlay(&newer.key, 2, stored(Bytes::from_static(b"newer")));
    assert_eq!(queue.written_by(&op.key), Some(2));
    drop(op);
    assert!(first.is_unique());
}
