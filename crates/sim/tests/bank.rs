//! Transactions in the simulation, as CI runs it: half of the worlds on a store with commits over several partitions, half
//! on one without, under the wrapper that adds them.

use std::ops::Range;

use hashrange_sim::run::{Options, Scenario};
use hashrange_sim::seeds::run_all;

const SEEDS: Range<u64> = 0..10_000;

fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("HASHRANGE_SIM_SEEDS") else { return usual };
    let (from, to) = text.split_once("..").expect("HASHRANGE_SIM_SEEDS is from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

const OPTIONS: Options = Options { scenario: Scenario::Bank, bug: None, trace: false };

#[test]
fn every_seed_is_strictly_serialisable_and_keeps_all_money() {
    let summary = run_all(seeds(SEEDS), OPTIONS, |_| {});
    println!("{} calls, {} crashes", summary.calls, summary.crashes);
    println!("{} transactions done, {} conflicts", summary.transactions, summary.conflicts);
    assert!(summary.failures.is_empty(), "{}", summary.failures_text());
    assert!(summary.undecided == 0, "{} histories were given up", summary.undecided);
    assert!(summary.crashes > 0, "a simulation without crashes shows little");
    assert!(summary.transactions * 10 > summary.calls, "few transactions: {}", summary.transactions);
    assert!(summary.conflicts > 0, "clients never met");
}

#[test]
fn a_seed_replays_identically() {
    let options = Options { trace: true, ..OPTIONS };
    let mut lines = 0;
    for seed in 0..20 {
        let (one, two) = (Scenario::Bank.play(seed, options), Scenario::Bank.play(seed, options));
        assert_eq!(one.trace, two.trace, "seed {seed}");
        lines += one.trace.len();
    }
    assert!(lines > 1000, "20 seeds do little: {lines} lines");
}
