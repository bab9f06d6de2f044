//! Coordinators on two machines, one of which loses calls and answers, that move money between accounts, some of which die;
//! and auditors who look at all accounts at once. Whatever the order of their steps, the sum stays.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use hashrange_env::{Env, Simulation};
use parking_lot::Mutex;

use super::{SPACE, Turn, at, key};
use crate::{
    Address, Answer, Capabilities, Chances, CommitId, Expect, Faulty, Found, Freshness, LeaseRequest,
    LogPosition, LogRecord, LwwWrite, Memory, Outcome, Part, RangePage, RangeRead, ReadMark, Resolution,
    Space, Stamp, Store, Stored, SweepPage, SweepRead, Tidied, Transactional, Write,
};

const ACCOUNTS: usize = 5;
const START: u64 = 100;
const WORKERS: usize = 6;
const TRANSFERS: usize = 6;
const SEEDS: u64 = 300;

/// An engine every call of which takes two turns: one before it is made and one before it is answered.
#[derive(Debug)]
struct Slow(Arc<dyn Store>);

impl Slow {
    fn slowly<'a, T: Send + Unpin + 'a>(
        &'a self,
        call: impl FnOnce(&'a dyn Store) -> Answer<'a, T> + Send + 'a,
    ) -> Answer<'a, T> {
        Answer::later(async move {
            Turn(false).await;
            let answer = call(&*self.0).await;
            Turn(false).await;
            answer
        })
    }
}

impl Store for Slow {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn get<'a>(&'a self, at: &'a Address, freshness: Freshness) -> Answer<'a, Found> {
        self.slowly(move |store| store.get(at, freshness))
    }

    fn get_many<'a>(&'a self, at: &'a [Address], freshness: Freshness) -> Answer<'a, Vec<Found>> {
        self.slowly(move |store| store.get_many(at, freshness))
    }

    fn range(&self, range: RangeRead) -> Answer<'_, RangePage> {
        self.slowly(move |store| store.range(range))
    }

    fn sweep(&self, sweep: SweepRead) -> Answer<'_, SweepPage> {
        self.slowly(move |store| store.sweep(sweep))
    }

    fn commit(&self, id: CommitId, parts: Vec<Part>) -> Answer<'_, Outcome> {
        self.slowly(move |store| store.commit(id, parts))
    }

    fn resolve(&self, id: CommitId) -> Answer<'_, Resolution> {
        self.slowly(move |store| store.resolve(id))
    }

    fn put_lww(&self, writes: Vec<LwwWrite>) -> Answer<'_, ()> {
        self.slowly(move |store| store.put_lww(writes))
    }

    fn log_read(&self, space: Space, after: Option<LogPosition>, limit: usize) -> Answer<'_, Vec<LogRecord>> {
        self.slowly(move |store| store.log_read(space, after, limit))
    }

    fn log_trim(&self, space: Space, through: LogPosition) -> Answer<'_, ()> {
        self.slowly(move |store| store.log_trim(space, through))
    }

    fn lease(&self, request: LeaseRequest) -> Answer<'_, bool> {
        self.slowly(move |store| store.lease(request))
    }

    fn forget(&self, space: Space) -> Answer<'_, ()> {
        self.slowly(move |store| store.forget(space))
    }
}

/// What was told to callers: transfers that happened, and those that did not.
#[derive(Default)]
struct Told {
    applied: Vec<String>,
    refused: Vec<String>,
    audits: usize,
}

fn account(number: usize) -> Address {
    at(&format!("account {number}"))
}

fn balance(found: &Found) -> u64 {
    let stored = found.row.as_ref().expect("accounts are never closed");
    u64::from_be_bytes(stored.value[..].try_into().expect("eight bytes"))
}

fn expecting(at: &Address, found: &Found) -> Part {
    let stamp = found.row.as_ref().map(|stored| stored.stamp);
    Part {
        space: SPACE,
        partition: at.partition.clone(),
        expects: vec![Expect { row: key("row"), stamp, seen: ReadMark::NONE }],
        writes: Vec::new(),
        log: None,
        tallies: Vec::new(),
    }
}

fn changed(at: &Address, found: &Found, balance: u64, name: &str) -> Part {
    let stamp = Stamp(found.row.as_ref().map_or(0, |stored| stored.stamp.0) + 1);
    let stored = Stored { stamp, value: balance.to_be_bytes().to_vec().into() };
    let writes = vec![Write::Put { row: key("row"), stored }];
    Part { writes, log: Some(Bytes::copy_from_slice(name.as_bytes())), ..expecting(at, found) }
}

fn below(env: &Env, limit: usize) -> usize {
    usize::try_from(env.random.next_u64() % u64::try_from(limit).unwrap()).unwrap()
}

/// Moves money a few times.
async fn work(store: Arc<Transactional>, env: Env, worker: usize, told: Arc<Mutex<Told>>) {
    for turn in 0..TRANSFERS {
        let name = format!("{worker}.{turn}");
        let (from, to) = (below(&env, ACCOUNTS), below(&env, ACCOUNTS));
        if from == to {
            audit(&store, &env, &told).await;
            touch(&store, &env, from).await;
            continue;
        }
        let rows = [account(from), account(to)];
        let found = store.get_many(&rows, Freshness::Newest).await.unwrap();
        let amount = balance(&found[0]).min(7);
        let parts = vec![
            changed(&rows[0], &found[0], balance(&found[0]) - amount, &name),
            changed(&rows[1], &found[1], balance(&found[1]) + amount, &name),
        ];
        let id = CommitId(u128::from(env.random.next_u64()));
        match store.commit(id, parts).await.unwrap() {
            Outcome::Applied => told.lock().applied.push(name),
            Outcome::Refused { .. } => told.lock().refused.push(name),
            Outcome::Unknown => panic!("the engine below loses nothing"),
        }
    }
}

/// Looks at all accounts at one instant: a commit that changes nothing.
async fn audit(store: &Transactional, env: &Env, told: &Mutex<Told>) {
    let rows: Vec<_> = (0..ACCOUNTS).map(account).collect();
    let found = store.get_many(&rows, Freshness::Newest).await.unwrap();
    let parts = rows.iter().zip(&found).map(|(at, found)| expecting(at, found)).collect();
    let id = CommitId(u128::from(env.random.next_u64()));
    if store.commit(id, parts).await.unwrap() == Outcome::Applied {
        told.lock().audits += 1;
        assert_eq!(found.iter().map(balance).sum::<u64>(), START * ACCOUNTS as u64, "an audit");
    }
}

/// Writes one account alone, with the balance that it has.
async fn touch(store: &Transactional, env: &Env, number: usize) {
    let row = account(number);
    let found = store.get(&row, Freshness::Newest).await.unwrap();
    let part = Part { log: None, ..changed(&row, &found, balance(&found), "") };
    let id = CommitId(u128::from(env.random.next_u64()));
    store.commit(id, vec![part]).await.unwrap();
}

type Running = Pin<Box<dyn Future<Output = ()>>>;

/// Polls workers in a random order; lets one of them die now and then.
fn run(env: &Env, simulation: &Simulation, mut workers: Vec<Running>) {
    let mut idle = 0;
    while !workers.is_empty() {
        let chosen = below(env, workers.len());
        let mut context = Context::from_waker(Waker::noop());
        if workers[chosen].as_mut().poll(&mut context) == Poll::Ready(()) || below(env, 400) == 0 {
            drop(workers.swap_remove(chosen));
            idle = 0;
        }
        idle += 1;
        if idle % 20 == 0 {
            simulation.advance(Duration::from_millis(1));
        }
        assert!(idle < 100_000, "nothing blocks for ever");
    }
}

fn transfers(seed: u64) -> usize {
    let (env, simulation) = Simulation::new(seed);
    let inner = Arc::new(Memory::of_single_partitions(env.clock.clone()));
    let absent = Found { row: None, mark: ReadMark::NONE, durable: true };
    for number in 0..ACCOUNTS {
        let parts = vec![changed(&account(number), &absent, START, "open")];
        simulation.block_on(inner.commit(CommitId(1), parts)).unwrap();
    }
    let lossy = Chances { lost_call: 30, lost_answer: 30, ..Chances::default() };
    let machines = [Chances::default(), lossy].map(|chances| {
        let same: Arc<dyn Store> = inner.clone();
        let faulty = Faulty::new(same, env.clone(), chances);
        Arc::new(Transactional::new(Arc::new(Slow(Arc::new(faulty))), env.clone()))
    });
    let told = Arc::new(Mutex::new(Told::default()));
    let worker = |number: usize| -> Running {
        Box::pin(work(machines[number % 2].clone(), env.clone(), number, told.clone()))
    };
    run(&env, &simulation, (0..WORKERS).map(worker).collect());

    let after = Transactional::new(inner.clone(), env);
    simulation.advance(Duration::from_secs(11));
    simulation.block_on(after.tidy(Tidied::default())).unwrap();
    let rows: Vec<_> = (0..ACCOUNTS).map(account).collect();
    let found = simulation.block_on(after.get_many(&rows, Freshness::Strong)).unwrap();
    assert_eq!(found.iter().map(balance).sum::<u64>(), START * ACCOUNTS as u64, "seed {seed}");
    check_log(seed, &simulation, &after, &told.lock());
    told.lock().audits
}

/// A transfer has two records in the log or none, and two if its caller was told that it happened.
fn check_log(seed: u64, simulation: &Simulation, store: &Transactional, told: &Told) {
    let log = simulation.block_on(store.log_read(SPACE, None, 10_000)).unwrap();
    let mut records: BTreeMap<String, usize> = BTreeMap::new();
    for record in log {
        *records.entry(String::from_utf8(record.payload.to_vec()).unwrap()).or_default() += 1;
    }
    records.remove("open");
    assert!(records.values().all(|count| *count == 2), "seed {seed}: {records:?}");
    assert!(told.applied.iter().all(|name| records.contains_key(name)), "seed {seed}");
    assert!(told.refused.iter().all(|name| !records.contains_key(name)), "seed {seed}");
}

#[test]
fn the_sum_of_all_accounts_stays_whoever_dies() {
    let audits: usize = (0..SEEDS).map(transfers).sum();
    assert!(audits > 100, "only {audits} audits came through");
}
