//! Tests of the JSON half of the wire.

mod answers;
mod items;
mod parser;
mod requests;
mod shapes;
