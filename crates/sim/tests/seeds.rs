//! The simulation as CI runs it.

use std::ops::Range;

use hashrange_sim::run::{Options, run};
use hashrange_sim::seeds::run_all;

fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("HASHRANGE_SIM_SEEDS") else { return usual };
    let (from, to) = text.split_once("..").expect("HASHRANGE_SIM_SEEDS is from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

#[test]
fn every_seed_is_answered_as_the_rules_say() {
    let summary = run_all(seeds(0..10_000), Options::default(), |_| {});
    assert!(summary.failures.is_empty(), "{}", summary.failures_text());
    assert_eq!(summary.undecided, 0, "histories that the checker gave up");
    assert!(summary.crashes > 0, "a simulation without crashes shows little");
}

#[test]
fn a_seed_replays_identically() {
    let options = Options { trace: true, ..Options::default() };
    let mut lines = 0;
    for seed in 0..20 {
        let (one, two) = (run(seed, options), run(seed, options));
        assert_eq!(one.trace, two.trace, "seed {seed}");
        lines += one.trace.len();
    }
    assert!(lines > 1000, "20 seeds do little: {lines} lines");
}

#[test]
fn different_seeds_are_different_worlds() {
    let options = Options { trace: true, ..Options::default() };
    assert_ne!(run(1, options).trace, run(2, options).trace);
}
