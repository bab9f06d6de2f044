//! The server on a real socket: bytes in, bytes out, with a stand-in behind it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod authentication;
mod bodies;
mod compression;
mod connections;
mod cors;
mod explain;
mod framing;
mod memory;
mod metrics;
mod routing;
mod signatures;
mod support;
mod tls;
