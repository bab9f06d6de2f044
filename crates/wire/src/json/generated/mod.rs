//! Code generated from the service model in `crates/api/model` by `cargo xtask codegen`.

pub(crate) mod decoders;
#[expect(clippy::match_same_arms, reason = "generated code has one arm for each operation")]
pub(crate) mod encoders;
