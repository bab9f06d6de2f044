//! One run of the bank: a world made from a seed, as [`run`](crate::run) makes one, on a store with commits over several
//! partitions or on one without, under the wrapper that adds them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hashrange_api::{DescribeTableInput, Error, Missing, Request, Response, TableStatus};
use hashrange_engine::Options as EngineOptions;
use hashrange_env::{Env, Simulation};
use hashrange_service::Service;
use hashrange_store::{Chances, Faulty, Store, Transactional};
use parking_lot::Mutex;

use super::clerk::{Clerk, Recent};
use super::judge::{Judgement, judge};
use super::model::{Ask, Bank, Move, Told};
use super::request::{Layout, told};
use crate::disk::{Delays, Disk};
use crate::history::{AUDITOR, History};
use crate::oracle::Rng;
use crate::planted::{Bug, Planted};
use crate::run::{Options, Report, text_of};
use crate::trace::{Trace, shorten};
use crate::workload::caller;

/// Turns that one life may take; far more than it needs.
const TURNS_MAX: usize = 1_000_000;
/// How often something is tried that must be possible when nobody is in the way.
const PATIENCE: usize = 100;
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// Time that a process is given to end.
const CLOSING: Duration = Duration::from_secs(5);
/// The number of the clerk that audits; clients have smaller ones.
const AUDITING_CLERK: usize = 63;

/// How the world of a seed is.
#[derive(Debug)]
struct Character {
    /// The store has no commits over several partitions, and the wrapper adds them.
    wrapped: bool,
    delays: Delays,
    chances: Chances,
    layout: Layout,
    lives: usize,
    clients: usize,
    calls: usize,
}

impl Character {
    fn random(rng: &mut Rng, bug: Option<Bug>) -> Character {
        let micros = Duration::from_micros;
        let delays = Delays {
            call: micros(*rng.pick(&[0, 50, 500, 5000])),
            sync: micros(*rng.pick(&[0, 200, 2000, 10_000])),
            early: bug == Some(Bug::EarlyAnswer),
        };
        let faults = u16::from(rng.percent(25));
        let chance = |rng: &mut Rng| faults * u16::try_from(rng.below(15)).expect("few");
        let chances = Chances {
            error: chance(rng),
            lost_call: chance(rng),
            lost_answer: chance(rng),
            ..Chances::default()
        };
        let layout = Layout {
            accounts: 2 + rng.below(4),
            tables: 1 + rng.below(2),
            partitions: 1 + rng.below(4),
            indexes: rng.percent(20),
        };
        let either = rng.percent(50);
        let wrapped = match bug {
            // The wrapper waits for what is on its way to the disk, and on a disk that lies it would wait for ever.
            Some(Bug::EarlyAnswer) => false,
            Some(bug) if bug.is_below_the_wrapper() => true,
            _ => either,
        };
        let (lives, clients, calls) = (1 + rng.below(3), 2 + rng.below(3), 4 + rng.below(9));
        Character { wrapped, delays, chances, layout, lives, clients, calls }
    }
}

/// Plays a seed.
pub fn play(seed: u64, options: Options) -> Report {
    let (env, simulation) = Simulation::new(seed);
    let trace = Arc::new(Trace::new(Arc::clone(&env.clock), options.trace));
    let mut game = Game::new(seed, env, simulation, options.bug, &trace);
    let outcome = catch_unwind(AssertUnwindSafe(|| game.play()));
    let history = Arc::clone(&game.history);
    let mut judgement = Judgement::default();
    let failure = match outcome {
        Err(panic) => Some(format!("panic: {}", text_of(&*panic))),
        Ok(Err(failure)) => Some(failure),
        Ok(Ok(())) => history.violation().or_else(|| {
            judgement = judge(&Bank::closed(game.character.layout.accounts), &history.calls());
            judgement.failure.clone()
        }),
    };
    Report {
        seed,
        failure: failure.map(|failure| shorten(&failure)),
        calls: history.len(),
        crashes: game.crashes,
        undecided: usize::from(judgement.undecided),
        transactions: judgement.done,
        conflicts: judgement.conflicts,
        trace: trace.lines(),
    }
}

/// The database of one life, and what it is asked.
#[derive(Clone)]
struct Desk {
    service: Arc<Service>,
    history: Arc<History<Move>>,
    layout: Layout,
    env: Env,
}

impl Desk {
    async fn call(&self, request: impl Into<Request>) -> Result<Response, Error> {
        let request = request.into().validate(&Missing::none())?;
        self.service.call(&caller(), request).await
    }

    /// Asks for a clerk, records it, and lets the clerk hear the answer.
    async fn ask(&self, client: usize, clerk: &Mutex<Clerk>, ask: Ask) -> Option<Told> {
        let ask = Arc::new(ask);
        let moved = |told| Move { ask: Arc::clone(&ask), told };
        let id = self.history.call(client, moved(None), || format!("{ask:?}"));
        let answer = self.call(self.layout.request(&ask)).await;
        let text = || format!("{answer:?}");
        match told(answer.clone()) {
            Ok(Some(told)) => {
                self.history.answer(id, moved(Some(told.clone())), text);
                if let Err(what) = clerk.lock().hear(&ask, &told) {
                    self.history.violate(what);
                }
                Some(told)
            }
            Ok(None) => {
                self.history.fail(id, text);
                None
            }
            Err(what) => {
                self.history.violate(format!("{ask:?} was {what}"));
                None
            }
        }
    }

    async fn make_tables(&self) -> Result<(), String> {
        for number in 0..self.layout.tables {
            let made = self.call(self.layout.create(number)).await;
            made.map_err(|error| format!("CreateTable: {error:?}"))?;
            self.wait_for_table(number).await?;
        }
        Ok(())
    }

    async fn wait_for_table(&self, number: usize) -> Result<(), String> {
        let table_name = self.layout.table(number);
        for _ in 0..PATIENCE {
            match self.call(DescribeTableInput { table_name: table_name.clone() }).await {
                Ok(Response::DescribeTable(output)) => {
                    let status = output.table.and_then(|table| table.table_status);
                    if status == Some(TableStatus::Active) {
                        return Ok(());
                    }
                }
                answer => return Err(format!("DescribeTable was answered {answer:?}")),
            }
            self.env.tasks.sleep(PAUSE).await;
        }
        Err("a table does not become ACTIVE".to_owned())
    }

    /// Asks until it is done.
    async fn insist(
        &self,
        clerk: &Mutex<Clerk>,
        mut ask: impl FnMut(&mut Clerk) -> Ask,
    ) -> Result<(), String> {
        for _ in 0..PATIENCE {
            let next = ask(&mut clerk.lock());
            if matches!(self.ask(AUDITOR, clerk, next).await, Some(Told::Done(_) | Told::Saw(_))) {
                return Ok(());
            }
            self.env.tasks.sleep(PAUSE).await;
        }
        Err("accounts stay locked when nobody is at work".to_owned())
    }

    /// With nobody in the way, all accounts can be seen and written.
    async fn audit(&self, clerk: &Mutex<Clerk>) -> Result<(), String> {
        for _ in 0..PATIENCE {
            self.insist(clerk, |clerk| clerk.everything()).await?;
            let touching = clerk.lock().touching_all();
            if let Some(Told::Done(_)) = self.ask(AUDITOR, clerk, touching).await {
                return self.insist(clerk, |clerk| clerk.everything()).await;
            }
            self.env.tasks.sleep(PAUSE).await;
        }
        Err("accounts cannot be written when nobody is at work".to_owned())
    }
}

/// One client in one life.
async fn work(desk: Desk, clerk: Arc<Mutex<Clerk>>, calls: usize) {
    for _ in 0..calls {
        let (number, pause, ask) = {
            let mut clerk = clerk.lock();
            let pause = if clerk.rng().percent(30) { clerk.rng().below(2000) } else { 0 };
            (clerk.number, pause, clerk.draw())
        };
        if pause > 0 {
            let pause = u64::try_from(pause).expect("below two thousand");
            desk.env.tasks.sleep(Duration::from_micros(pause)).await;
        }
        desk.ask(number, &clerk, ask).await;
    }
}

struct Game {
    rng: Rng,
    env: Env,
    simulation: Simulation,
    bug: Option<Bug>,
    character: Character,
    disk: Disk,
    faulty: Arc<Faulty>,
    clerks: Vec<Arc<Mutex<Clerk>>>,
    auditor: Mutex<Clerk>,
    history: Arc<History<Move>>,
    trace: Arc<Trace>,
    crashes: usize,
}

impl Game {
    fn new(seed: u64, env: Env, simulation: Simulation, bug: Option<Bug>, trace: &Arc<Trace>) -> Game {
        let mut rng = Rng::new(seed);
        let character = Character::random(&mut rng, bug);
        trace.note(|| format!("{character:?}"));
        let mut disk = Disk::new(env.clone(), character.delays, Arc::clone(trace));
        if character.wrapped {
            disk = disk.without_multi_part_commits();
        }
        let mut store: Arc<dyn Store> = Arc::new(disk.clone());
        if let Some(bug) = bug.filter(|bug| bug.is_below_the_wrapper()) {
            store = Arc::new(Planted::new(store, env.clone(), bug));
        }
        let faulty = Arc::new(Faulty::new(store, env.clone(), Chances::default()));
        let recent = Recent::default();
        let accounts = character.layout.accounts;
        let mut clerk = |number| Clerk::new(number, accounts, rng.fork(), Arc::clone(&recent));
        let clerks = (0..character.clients).map(|number| Arc::new(Mutex::new(clerk(number)))).collect();
        let auditor = Mutex::new(clerk(AUDITING_CLERK));
        let history = Arc::new(History::new(Arc::clone(trace)));
        let trace = Arc::clone(trace);
        Game {
            rng,
            env,
            simulation,
            bug,
            character,
            disk,
            faulty,
            clerks,
            auditor,
            history,
            trace,
            crashes: 0,
        }
    }

    fn play(&mut self) -> Result<(), String> {
        let mut desk = self.open()?;
        self.simulation.block_on(desk.make_tables())?;
        self.simulation.block_on(desk.insist(&self.auditor, Clerk::opening))?;
        for _ in 0..self.character.lives {
            let crashes = self.rng.percent(70);
            self.live(&desk, crashes)?;
            if crashes {
                self.crash(desk);
                desk = self.open()?;
            } else if self.rng.percent(30) {
                self.close(desk);
                desk = self.open()?;
            }
            if self.rng.percent(60) {
                self.simulation.block_on(desk.audit(&self.auditor))?;
            }
        }
        self.ask_again(&desk)?;
        self.simulation.block_on(desk.audit(&self.auditor))
    }

    /// Starts the process.
    fn open(&self) -> Result<Desk, String> {
        let mut store: Arc<dyn Store> = Arc::<Faulty>::clone(&self.faulty);
        if self.character.wrapped {
            store = Arc::new(Transactional::new(store, self.env.clone()));
        }
        if let Some(bug) = self.bug.filter(|bug| !bug.is_below_the_wrapper()) {
            store = Arc::new(Planted::new(store, self.env.clone(), bug));
        }
        let engine = EngineOptions { table_delay: Duration::ZERO, ..EngineOptions::default() };
        let opening = Service::open(store, self.env.clone(), engine);
        let service = self.simulation.block_on(opening).map_err(|error| format!("open: {error}"))?;
        Ok(Desk {
            service: Arc::new(service),
            history: Arc::clone(&self.history),
            layout: self.character.layout.clone(),
            env: self.env.clone(),
        })
    }

    /// Lets clients call until they are done, or up to a moment that the seed chooses.
    fn live(&mut self, desk: &Desk, crashes: bool) -> Result<(), String> {
        self.faulty.set_chances(self.character.chances);
        let running = self.spawn_clients(desk);
        let calls = self.rng.below(self.character.clients * self.character.calls);
        let crash_after = self.history.len() + calls;
        // From the call on that is the last, so many more things happen: a coordinator may be between any two steps.
        let mut rest = self.rng.below(if self.character.wrapped { 120 } else { 40 });
        for _ in 0..TURNS_MAX {
            if running.load(Ordering::Relaxed) == 0 {
                break;
            }
            if crashes && self.history.len() >= crash_after {
                let Some(left) = rest.checked_sub(1) else { break };
                rest = left;
            }
            if !self.simulation.turn() {
                return Err("clients wait for something that never comes".to_owned());
            }
        }
        self.faulty.set_chances(Chances::default());
        if !crashes && running.load(Ordering::Relaxed) > 0 {
            return Err("clients do not come to an end".to_owned());
        }
        Ok(())
    }

    /// Clients; the answer is how many are at work.
    fn spawn_clients(&self, desk: &Desk) -> Arc<AtomicUsize> {
        let running = Arc::new(AtomicUsize::new(self.clerks.len()));
        for clerk in &self.clerks {
            let running = Arc::clone(&running);
            let client = work(desk.clone(), Arc::clone(clerk), self.character.calls);
            let task = async move {
                client.await;
                running.fetch_sub(1, Ordering::Relaxed);
            };
            self.env.tasks.spawn("client", Box::pin(task));
        }
        running
    }

    /// Transactions of which nobody has heard are sent again: their tokens say whether they happened.
    fn ask_again(&self, desk: &Desk) -> Result<(), String> {
        for clerk in &self.clerks {
            let Some(ask) = clerk.lock().unheard() else { continue };
            let refused = |told: &Option<Told>| match told {
                None | Some(Told::InProgress) => true,
                Some(Told::Refused { conflicts, .. }) => !conflicts.is_empty(),
                Some(_) => false,
            };
            let mut told = None;
            for _ in 0..PATIENCE {
                told = self.simulation.block_on(desk.ask(AUDITOR, clerk, ask.clone()));
                if !refused(&told) {
                    break;
                }
                self.simulation.block_on(self.env.tasks.sleep(PAUSE));
            }
            if refused(&told) {
                return Err(format!("{ask:?} finds no end: {told:?}"));
            }
        }
        Ok(())
    }

    /// The process dies, and what its disk had not synced goes with it.
    fn crash(&mut self, desk: Desk) {
        self.simulation.kill();
        drop(desk);
        self.crashes += 1;
        self.history.crash();
        self.disk.crash(&mut self.rng);
    }

    /// The process ends its background work and then itself. The clock goes on for a little only: tokens live ten minutes.
    fn close(&mut self, desk: Desk) {
        desk.service.close();
        drop(desk);
        self.trace.note(|| "close".to_owned());
        self.simulation.advance(CLOSING);
        self.simulation.kill();
    }
}
