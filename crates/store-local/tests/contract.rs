//! The embedded engine keeps the store contract, alone and compared with the reference engine.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::path::Path;
use std::sync::Arc;

use hashrange_env::Simulation;
use hashrange_store::{Memory, Mirror, Store, suite};
use hashrange_store_local::{LocalStore, Options};
use tempfile::TempDir;

/// A folder in memory where the system has one: this is about the contract, not about the disk.
fn folder() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    let made = if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    made.unwrap()
}

fn open(folder: &TempDir) -> Arc<dyn Store> {
    let (env, _) = Simulation::new(1);
    Arc::new(LocalStore::open(&folder.path().join("data"), &Options::default(), env).unwrap())
}

#[test]
fn the_embedded_engine_keeps_the_contract() {
    suite::run(|| {
        let folder = folder();
        move || open(&folder)
    });
}

#[test]
fn the_embedded_engine_answers_like_the_reference_engine() {
    suite::run(|| {
        let folder = folder();
        // Opened once only: the reference engine would not survive a reopening.
        move || Arc::new(Mirror::new(open(&folder), Arc::new(Memory::new()))) as Arc<dyn Store>
    });
}
