//! The floor for a Scan: an iteration over all rows with the storage engine (fjall) alone.
//!
//! It uses nothing of the server's crates. The folder must not be in use; it is opened as the engine opens it,
//! so give it a copy.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions};

use crate::Failure;
use crate::histogram::Histogram;
use crate::load::Sample;

/// Block cache, as the server has by default.
const CACHE_BYTES: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The data folder.
    #[arg(long)]
    data: PathBuf,
}

/// Iterates twice and prints a [`Sample`] of the second time, whose requests are rows.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let database = Database::builder(args.data.join("tree")).cache_size(CACHE_BYTES).open()?;
    let rows = database.keyspace("rows", KeyspaceCreateOptions::default)?;
    iterate(&rows)?;
    let (found, elapsed) = iterate(&rows)?;
    let mut sample = Sample::new(&Histogram::new(), elapsed);
    sample.requests = found;
    println!("{}", serde_json::to_string(&sample)?);
    Ok(())
}

/// The number of rows, and how long it took to see each key and value.
fn iterate(rows: &Keyspace) -> Result<(u64, Duration), Failure> {
    let started = Instant::now();
    let (mut found, mut bytes) = (0, 0);
    for row in rows.iter() {
        let (key, value) = row.into_inner()?;
        bytes += key.len() + value.len();
        found += 1;
    }
    let elapsed = started.elapsed();
    // Whoever sees the sum cannot leave the reading out.
    if bytes == 0 {
        return Err("the folder holds no rows".into());
    }
    Ok((found, elapsed))
}
