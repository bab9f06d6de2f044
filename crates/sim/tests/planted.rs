//! Stores that are wrong on purpose are found, each within so many seeds.

use hashrange_sim::planted::Bug;
use hashrange_sim::run::{Options, run};

/// Seeds within which each bug is found.
const WITHIN: u64 = 50;

#[test]
fn every_planted_bug_is_found() {
    for bug in Bug::ALL {
        let options = Options { bug: Some(bug), trace: false };
        let seed = (0..WITHIN).find(|seed| run(*seed, options).failure.is_some());
        println!("{bug:?} is found by seed {seed:?}");
        assert!(seed.is_some(), "{bug:?} is not found within {WITHIN} seeds");
        // It is the bug that is found: without it, the same seed is well.
        let honest = seed.and_then(|seed| run(seed, Options::default()).failure);
        assert_eq!(honest, None, "{bug:?}");
    }
}
