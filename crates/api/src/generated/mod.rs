//! Code generated from the service model in `crates/api/model` by `cargo xtask codegen`.

pub(crate) mod codes;
#[expect(
    clippy::unreadable_literal,
    clippy::match_same_arms,
    reason = "generated code has one arm for each operation, and numbers as in the model"
)]
pub(crate) mod constraints;
pub(crate) mod enums;
pub(crate) mod operations;
pub(crate) mod structures;
