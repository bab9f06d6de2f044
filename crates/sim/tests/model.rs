//! Random operations on the engine and on a naive oracle written from DynamoDB's rules, every answer compared.
//!
//! `HASHRANGE_MODEL_SEEDS=from..to` runs other seeds than the fixed ones; a failure prints its seed and the operations
//! that led to it.

#[path = "model/database.rs"]
mod database;
#[path = "model/hot_spots.rs"]
mod hot_spots;
#[path = "model/reads.rs"]
mod reads;
#[path = "model/run.rs"]
mod run;
#[path = "model/twins.rs"]
mod twins;
#[path = "model/writes.rs"]
mod writes;

use std::ops::Range;

use database::Database;

fn seeds(fixed: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("HASHRANGE_MODEL_SEEDS") else { return fixed };
    let (from, to) = text.split_once("..").expect("HASHRANGE_MODEL_SEEDS is from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

#[test]
fn the_engine_in_memory_answers_as_the_rules_say() {
    for seed in seeds(0..200) {
        run::run(seed, &Database::in_memory(seed), 60);
    }
}

#[test]
fn the_engine_on_the_mirrored_durable_store_answers_as_the_rules_say() {
    for seed in seeds(1000..1006) {
        run::run(seed, &Database::mirrored(seed), 60);
    }
}

#[test]
fn the_engine_on_a_store_of_single_partitions_answers_as_the_rules_say() {
    for seed in seeds(2000..2040) {
        run::run(seed, &Database::wrapped(seed), 60);
    }
}

#[test]
fn a_statement_answers_and_costs_as_its_twin_among_the_operations() {
    for seed in seeds(0..60) {
        twins::Twins::new(seed).play(60);
    }
}
