//! What is fuzzed. A target is a function of bytes that must not panic, hang, abort or hold much memory; where there is an
//! oracle, it also asserts that both agree.
//!
//! To add one: a module here with a `pub const TARGET`, and a line in [`ALL`].

mod config;
mod database;
mod expressions;
mod http;
mod json;
mod keys;
mod legacy;
mod numbers;
mod requests;
mod rows;
mod signatures;
mod statements;
mod structured;

use crate::corpus::Golden;

/// A run of one input.
pub type Run = Box<dyn FnMut(&[u8])>;

/// Something that reads bytes from outside.
pub struct Target {
    /// How it is called on the command line.
    pub name: &'static str,
    /// Words of its language.
    pub words: &'static [&'static str],
    /// The longest input.
    pub length: usize,
    /// Bytes of memory that a run may hold, besides 64 for each byte of input.
    pub memory: usize,
    /// First inputs.
    pub seeds: fn(&Golden) -> Vec<Vec<u8>>,
    /// What is kept from run to run, and the run.
    pub make: fn() -> Run,
}

/// Every target.
pub const ALL: &[Target] = &[
    requests::TARGET,
    json::TARGET,
    expressions::TARGET,
    legacy::TARGET,
    statements::TARGET,
    database::TARGET,
    keys::TARGET,
    rows::TARGET,
    numbers::TARGET,
    http::TARGET,
    signatures::TARGET,
    config::TARGET,
];

const MEGABYTE: usize = 1024 * 1024;
