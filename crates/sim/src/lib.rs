//! The real database in a simulated world: one thread, one seed, every order of events that the seed can choose.
//!
//! [`run`](run::run) makes a world from a seed and plays it: random tables, a few clients as tasks, requests through
//! [`Service::call`](hashrange_service::Service::call), a [`Disk`](disk::Disk) that answers late and in another order, faults,
//! crashes that take back what was not synced, restarts. Nothing in it reads a real clock or draws real randomness, so
//! that a seed that fails fails again in the same way:
//!
//! ```sh
//! cargo xtask sim --seed 42                                        # with its trace
//! HASHRANGE_SIM_SEEDS=0..100000 cargo test -p hashrange-sim seeds  # more than CI runs
//! cargo xtask sim --scenario bank --seed 42                        # transactions
//! ```
//!
//! # Parts
//!
//! Each can be used, and replaced, without the others:
//!
//! - [`oracle`]: the naive database, written from DynamoDB's rules. It draws tables and requests and says what must come
//!   of each; it shares nothing with the engine.
//! - [`disk`] and [`planted`]: the store below, honest or wrong on purpose. `hashrange_store::Faulty` stands between.
//! - [`workload`]: clients. A client records each call in the [`history`], with a [`Touch`](history::Touch) for each
//!   item that it concerns: what may happen to the item, and, with the answer, what did.
//! - [`history`]: the recorder. It knows calls, answers, failures and crashes by their moments, and gives the steps on
//!   each item as [`Span`](linear::Span)s, or the calls as they are.
//! - [`linear`]: the checker of linearisability, for any [`Model`](linear::Model). [`item`] is the model of one item.
//! - [`bank`]: another workload, of transactions, with its model and its judge.
//! - [`audit`]: what must hold when nothing is going on.
//! - [`run`]: plays a seed. [`seeds`]: plays many, on several threads.
//!
//! A new kind of request is a method of [`Client`](workload::Client) and an arm in its choice; a new way to be wrong is a
//! [`Bug`](planted::Bug), which `tests/planted.rs` then demands to be found.

pub mod audit;
pub mod bank;
pub mod disk;
pub mod history;
pub mod item;
pub mod linear;
#[allow(missing_docs, reason = "variants and fields have DynamoDB's own names")]
pub mod oracle;
pub mod planted;
pub mod run;
pub mod seeds;
pub mod trace;
pub mod workload;
