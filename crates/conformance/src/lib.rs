//! Development only: what tests with real clients need to run the server binary as its users do.
//!
//! Nothing here knows any other crate of the project, so that these tests judge the product from outside.

mod binary;
mod server;

pub use server::Server;
