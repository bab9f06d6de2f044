//! Code generated from the service model in `crates/api/model` by `cargo xtask codegen`.

pub(crate) mod codes;
pub(crate) mod enums;
pub(crate) mod operations;
pub(crate) mod structures;
