//! The embedded engine keeps the store contract.

use std::sync::Arc;

use hashrange_env::Simulation;
use hashrange_store::{Store, suite};
use hashrange_store_local::{LocalStore, Options};

#[test]
fn the_embedded_engine_keeps_the_contract() {
    suite::run(|| {
        let folder = tempfile::tempdir().unwrap();
        move || {
            let (env, _) = Simulation::new(1);
            let store = LocalStore::open(&folder.path().join("data"), &Options::default(), env).unwrap();
            Arc::new(store) as Arc<dyn Store>
        }
    });
}
