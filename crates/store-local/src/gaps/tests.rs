use std::collections::BTreeSet;

use hashrange_env::{Env, Simulation};

use super::*;

/// A key of a space and shard: enough of a row's key for this set.
fn key(space: u8, shard: u8, place: u8) -> Vec<u8> {
    vec![0, 0, 0, 0, 0, 0, 0, space, shard, place]
}

fn gaps_in(gaps: &Gaps, lower: &[u8], upper: &[u8], backward: bool) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (mut lower, mut upper, mut all) = (lower.to_vec(), upper.to_vec(), Vec::new());
    while let Some((from, to)) = gaps.first_in(&lower, &upper, backward) {
        all.push((from.to_vec(), to.to_vec()));
        if backward {
            upper = from.to_vec();
        } else {
            lower = to.to_vec();
        }
    }
    all
}

fn one_space(gaps: &Gaps, space: u8) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (lower, upper) = (key(space, 0, 0)[..8].to_vec(), key(space + 1, 0, 0)[..8].to_vec());
    let forward = gaps_in(gaps, &lower, &upper, false);
    let mut backward = gaps_in(gaps, &lower, &upper, true);
    backward.reverse();
    assert_eq!(forward, backward);
    forward
}

#[test]
fn gaps_that_overlap_or_touch_become_one() {
    let mut gaps = Gaps::default();
    gaps.add(&key(1, 5, 10), &key(1, 5, 20), 3);
    gaps.add(&key(1, 5, 30), &key(1, 5, 40), 3);
    gaps.add(&key(1, 6, 10), &key(1, 6, 20), 3);
    assert_eq!(one_space(&gaps, 1).len(), 3);
    gaps.add(&key(1, 5, 20), &key(1, 5, 31), 3);
    assert_eq!(one_space(&gaps, 1)[0], (key(1, 5, 10), key(1, 5, 40)));
    assert_eq!(one_space(&gaps, 1).len(), 2);
}

#[test]
fn a_written_row_cuts_a_gap_and_its_removal_mends_it() {
    let mut gaps = Gaps::default();
    gaps.add(&key(1, 5, 10), &key(1, 5, 20), 100);
    let written = key(1, 5, 15);
    gaps.cut(&written, 10);
    assert!(!gaps.contains(&written));
    let sides = vec![(key(1, 5, 10), written.clone()), (keys::next(&written), key(1, 5, 20))];
    assert_eq!(one_space(&gaps, 1), sides);
    assert!(gaps.touches(&written));
    gaps.add(&written, &keys::next(&written), 1);
    assert_eq!(one_space(&gaps, 1), vec![(key(1, 5, 10), key(1, 5, 20))]);
}

#[test]
fn what_a_cut_leaves_is_dropped_where_it_is_not_worth_a_jump() {
    let mut gaps = Gaps::default();
    gaps.add(&key(1, 5, 10), &key(1, 5, 20), 100);
    for place in [15, 13, 11] {
        gaps.cut(&key(1, 5, place), 20);
    }
    assert!(!gaps.contains(&key(1, 5, 12)) && gaps.contains(&key(1, 5, 17)));
}

#[test]
fn a_gap_never_reaches_into_another_shard_or_space() {
    let mut gaps = Gaps::default();
    gaps.add(&key(1, 5, 10), &key(1, 6, 10), 9);
    gaps.add(&key(1, 5, 10), &key(2, 5, 10), 9);
    gaps.add(&key(1, 5, 10)[..8], &key(1, 5, 10), 9);
    gaps.add(&key(1, 5, 10), &key(1, 5, 10), 9);
    assert_eq!(one_space(&gaps, 1), Vec::new());
}

#[test]
fn a_full_shard_drops_its_lightest_gap() {
    let mut gaps = Gaps::default();
    let at = |number: u16| [&key(1, 5, 0)[..], &number.to_be_bytes()].concat();
    for number in 0..1000 {
        gaps.add(&at(2 * number), &at(2 * number + 1), u32::from(number));
    }
    assert_eq!(one_space(&gaps, 1).len(), SHARD_GAPS_MAX);
    assert!(gaps.contains(&at(1998)) && !gaps.contains(&at(0)));
}

#[test]
fn a_forgotten_space_takes_its_gaps_along() {
    let mut gaps = Gaps::default();
    gaps.add(&key(1, 5, 10), &key(1, 5, 20), 9);
    gaps.add(&key(2, 5, 10), &key(2, 5, 20), 9);
    gaps.forget(Space(1));
    assert_eq!((one_space(&gaps, 1).len(), one_space(&gaps, 2).len()), (0, 1));
    gaps.forget(Space(2));
    assert_eq!(gaps.count, 0);
}

/// Against a plain set of places without rows: 8 shards of 32 places, keys of one byte after the shard.
#[test]
fn a_set_of_gaps_holds_exactly_the_places_put_into_it() {
    let env: Env = Simulation::new(5).0;
    let draw = |below: u64| u8::try_from(env.random.next_u64() % below).unwrap();
    let (mut gaps, mut empty) = (Gaps::default(), BTreeSet::new());
    for round in 0..20_000 {
        let (shard, from, to) = (draw(8), draw(32), draw(32));
        if round % 3 == 0 {
            gaps.add(&key(1, shard, from), &key(1, shard, to), 0);
            empty.extend((from..to).map(|place| key(1, shard, place)));
        } else {
            gaps.cut(&key(1, shard, from), 0);
            empty.remove(&key(1, shard, from));
        }
        let place = key(1, draw(8), draw(32));
        assert_eq!(gaps.contains(&place), empty.contains(&place), "{place:?} after {round} rounds");
        if round % 100 == 0 {
            check_all(&gaps, &empty);
        }
    }
}

fn check_all(gaps: &Gaps, empty: &BTreeSet<Vec<u8>>) {
    let all = one_space(gaps, 1);
    assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].0), "gaps touch: {all:?}");
    assert_eq!(gaps.count, all.len());
    let places = (0..8).flat_map(|shard| (0..32).map(move |place| key(1, shard, place)));
    let inside = |place: &Vec<u8>| all.iter().any(|(from, to)| from <= place && place < to);
    assert!(places.filter(inside).eq(empty.iter().cloned()));
}
