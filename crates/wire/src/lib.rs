//! Bytes to typed requests and back: HTTP/1.1, TLS, AWS JSON, Signature Version 4, error envelopes.
//!
//! A [`Server`] accepts connections and serves each with hyper's HTTP/1.1 connection, without a framework; `connection`
//! guards them: ambiguous framing, time, memory. With [`Tls`] they are encrypted. The way of one request is in `http`:
//! limits, content type, target, signature (verified against a [`Keyring`], if there is one), decoding ([`json`]), the
//! [`Handler`], encoding, headers.

mod codec;
mod connection;
mod credentials;
mod handler;
mod http;
pub mod json;
mod seen;
mod server;
pub mod sigv4;
mod tls;

pub use credentials::{Keyring, signer};
pub use handler::Handler;
pub use hashrange_service::{Budget, Caller, Explanation, Scope};
pub use seen::Seen;
pub use server::{Audience, Options, Server};
pub use tls::{ClientTls, Source, Tls};
