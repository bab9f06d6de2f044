//! Stores that are wrong on purpose are found, each within so many seeds.

use hashrange_sim::planted::Bug;
use hashrange_sim::run::{Options, Scenario};

/// Finds each bug within so many seeds.
fn assert_found(bugs: &[Bug], scenario: Scenario, within: u64) {
    for &bug in bugs {
        let options = Options { scenario, bug: Some(bug), trace: false };
        let failing = (0..within).map(|seed| scenario.play(seed, options)).find(|run| run.failure.is_some());
        let Some(failing) = failing else { panic!("{bug:?} is not found within {within} seeds") };
        println!("{bug:?} is found by seed {}: {}", failing.seed, failing.failure.unwrap_or_default());
        // It is the bug that is found: without it, the same seed is well.
        let honest = scenario.play(failing.seed, Options { scenario, ..Options::default() });
        assert_eq!(honest.failure, None, "{bug:?}");
    }
}

#[test]
fn every_bug_of_tables_is_found() {
    assert_found(&Bug::OF_TABLES, Scenario::Tables, 50);
}

#[test]
fn every_bug_of_transactions_is_found() {
    assert_found(&Bug::OF_TRANSACTIONS, Scenario::Bank, 2000);
}
