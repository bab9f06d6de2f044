//! Code generated from the service model in `crates/api/model` by `cargo xtask codegen`.

#[expect(clippy::wildcard_imports, reason = "generated code names hundreds of shapes")]
pub(crate) mod decoders;
#[expect(
    clippy::wildcard_imports,
    clippy::match_same_arms,
    reason = "generated code names hundreds of shapes, one arm each"
)]
pub(crate) mod encoders;
