//! Code generated from the service model in `crates/api/model` by `cargo xtask codegen`.

pub(crate) mod codes;
#[expect(
    clippy::wildcard_imports,
    clippy::unreadable_literal,
    clippy::match_same_arms,
    reason = "generated code names hundreds of shapes, one arm each, with numbers as in the model"
)]
pub(crate) mod constraints;
pub(crate) mod enums;
#[expect(clippy::wildcard_imports, reason = "generated code names hundreds of shapes")]
pub(crate) mod operations;
#[expect(clippy::wildcard_imports, reason = "generated code names hundreds of shapes")]
pub(crate) mod structures;
