//! Stores that are wrong on purpose are found, each within so many seeds.

use hashrange_sim::planted::Bug;
use hashrange_sim::run::{Options, run};

/// The first seed that finds the bug.
fn found(bug: Bug, within: u64) -> Option<u64> {
    let options = Options { bug: Some(bug), trace: false };
    (0..within).find(|seed| run(*seed, options).failure.is_some())
}

#[test]
fn every_planted_bug_is_found() {
    for bug in Bug::ALL {
        let seed = found(bug, 100);
        println!("{bug:?} is found by seed {seed:?}");
        assert!(seed.is_some(), "{bug:?} is not found within 100 seeds");
    }
}
