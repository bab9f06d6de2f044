//! The real engine, and its answers in the oracle's terms.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use hashrange_api::{
    Call, Capacity, ConsumedCapacity, Error, ItemCollectionMetrics, Missing, Request, Response,
};
use hashrange_engine::{Engine, Options, Scope};
use hashrange_env::{Env, Simulation};
use hashrange_sim::oracle::table::Charge;
use hashrange_sim::oracle::value::{Item, from_attributes};
use hashrange_store::{Memory, Mirror, Store, Transactional};
use hashrange_store_local::LocalStore;

/// An engine over one or two stores.
pub(crate) struct Database {
    engine: Engine,
    simulation: Simulation,
    scope: Scope,
    /// The folder of the durable store, which lives as long as the engine.
    folder: Option<tempfile::TempDir>,
}

impl Database {
    pub(crate) fn in_memory(seed: u64) -> Database {
        let (env, simulation) = Simulation::new(seed);
        Database::over(Arc::new(Memory::new()), env, simulation, None)
    }

    /// A store that commits one partition at a time, under the wrapper that adds the others.
    pub(crate) fn wrapped(seed: u64) -> Database {
        let (env, simulation) = Simulation::new(seed);
        let single = Memory::of_single_partitions(env.clock.clone());
        let wrapped = Transactional::new(Arc::new(single), env.clone());
        Database::over(Arc::new(wrapped), env, simulation, None)
    }

    /// The durable store, with every answer compared to the one in memory.
    pub(crate) fn mirrored(seed: u64) -> Database {
        let (env, simulation) = Simulation::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = hashrange_store_local::Options::default();
        let local = LocalStore::open(folder.path(), &options, env.clone()).expect("the folder opens");
        let mirror = Mirror::new(Arc::new(local), Arc::new(Memory::new()));
        Database::over(Arc::new(mirror), env, simulation, Some(folder))
    }

    fn over(
        store: Arc<dyn Store>,
        env: Env,
        simulation: Simulation,
        folder: Option<tempfile::TempDir>,
    ) -> Database {
        let scope = Scope { account: "000000000000".to_owned(), region: "us-east-1".to_owned() };
        let engine = block_on(Engine::open(store, env, Options::default())).expect("the engine opens");
        Database { engine, simulation, scope, folder }
    }

    /// Takes a request through all stages.
    pub(crate) fn request(&self, request: Request) -> Result<Response, Error> {
        let valid = request.validate(&Missing::none())?;
        let plan = self.engine.plan(&self.scope, Engine::check(valid)?)?;
        assert!(!plan.to_string().is_empty());
        let running = self.engine.run(&self.scope, plan);
        if self.folder.is_some() { block_on(running) } else { self.simulation.block_on(running) }
    }

    /// The same for a request whose operation is known.
    pub(crate) fn call<C: Call>(&self, input: C) -> Result<C::Output, Error> {
        let response = self.request(input.into())?;
        Ok(C::output(response).expect("an operation answers its own output"))
    }
}

/// Waits on this thread for what another one finishes.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "few half units")]
fn halves(units: Option<f64>) -> u64 {
    let halves = units.expect("capacity units") * 2.0;
    assert!(halves >= 0.0 && halves.fract() == 0.0, "{halves} half units");
    halves as u64
}

fn arms(arms: Option<&BTreeMap<String, Capacity>>) -> BTreeMap<String, u64> {
    let arms = arms.into_iter().flatten();
    arms.map(|(name, capacity)| (name.clone(), halves(capacity.capacity_units))).collect()
}

/// What an answer says of capacity with INDEXES is this charge.
pub(crate) fn check_consumed(
    got: Option<&ConsumedCapacity>,
    table: &str,
    expected: &Charge,
) -> Result<(), String> {
    let Some(got) = got else { return Err("no ConsumedCapacity".to_owned()) };
    let detail = got.table.as_ref().ok_or("no Table arm")?;
    let charge = Charge {
        table: halves(detail.capacity_units),
        locals: arms(got.local_secondary_indexes.as_ref()),
        globals: arms(got.global_secondary_indexes.as_ref()),
    };
    let split = got.read_capacity_units.is_some() || got.write_capacity_units.is_some();
    let named = got.table_name.as_deref() == Some(table);
    let empty_arms = [&got.local_secondary_indexes, &got.global_secondary_indexes];
    let no_empty_arms = empty_arms.iter().all(|arms| arms.as_ref().is_none_or(|arms| !arms.is_empty()));
    if charge == *expected
        && halves(got.capacity_units) == expected.total()
        && named
        && !split
        && no_empty_arms
    {
        return Ok(());
    }
    Err(format!("capacity {got:?}, expected half units {expected:?} on {table}"))
}

/// The metrics are those of a collection far below a gigabyte.
pub(crate) fn check_metrics(got: &ItemCollectionMetrics, key: &Item) -> Result<(), String> {
    let collection = got.item_collection_key.as_ref().map(from_attributes);
    if collection.as_ref() == Some(key) && got.size_estimate_range_gb.as_deref() == Some(&[0.0, 1.0]) {
        return Ok(());
    }
    Err(format!("metrics {got:?}, expected {key:?} and 0 to 1 GB"))
}
