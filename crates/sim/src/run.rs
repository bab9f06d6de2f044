//! One run: a world made from a seed, lives of a process that crash or end well, an audit after each, and the verdict.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hashrange_engine::Options as EngineOptions;
use hashrange_env::{Env, Simulation};
use hashrange_service::Service;
use hashrange_store::{Chances, Faulty, Store};

use crate::audit;
use crate::disk::{Delays, Disk};
use crate::history::History;
use crate::item::Items;
use crate::linear::{self, Verdict};
use crate::oracle::{Item, Rng};
use crate::planted::{Bug, Planted};
use crate::trace::{Trace, shorten};
use crate::workload::{Admin, Belief, Client, Scene, World};

/// Turns that one life may take; far more than it needs.
const TURNS_MAX: usize = 1_000_000;

/// What is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scenario {
    /// Random tables, indexes that come and go, single requests and batches: [`run`].
    #[default]
    Tables,
    /// Transactions: [`bank`](crate::bank).
    Bank,
}

impl Scenario {
    /// Plays a seed.
    pub fn play(self, seed: u64, options: Options) -> Report {
        match self {
            Scenario::Tables => run(seed, options),
            Scenario::Bank => crate::bank::play(seed, options),
        }
    }

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Scenario::Tables => "tables",
            Scenario::Bank => "bank",
        }
    }
}

/// What a run is asked for besides its seed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What is played.
    pub scenario: Scenario,
    /// A bug to plant into the store.
    pub bug: Option<Bug>,
    /// Keep a trace of everything.
    pub trace: bool,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// What is wrong, if anything is.
    pub failure: Option<String>,
    /// Calls that clients and audits made.
    pub calls: usize,
    /// Crashes of the process.
    pub crashes: usize,
    /// Items whose history was too tangled to be decided upon.
    pub undecided: usize,
    /// Transactions that were carried out, where the scenario counts them.
    pub transactions: usize,
    /// Calls that met a transaction.
    pub conflicts: usize,
    /// The trace, where one was kept.
    pub trace: Vec<String>,
}

/// How the world of a seed is.
#[derive(Debug)]
struct Character {
    delays: Delays,
    stale: bool,
    chances: Chances,
    engine: EngineOptions,
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
        let chance = |rng: &mut Rng, most: usize| faults * u16::try_from(rng.below(most)).expect("few");
        let chances = Chances {
            error: chance(rng, 15),
            lost_call: chance(rng, 15),
            lost_answer: chance(rng, 15),
            ..Chances::default()
        };
        let engine = EngineOptions {
            table_delay: micros(if rng.percent(20) { 5000 } else { 0 }),
            index_lag: micros(if rng.percent(10) { 3000 } else { 0 }),
            ..EngineOptions::default()
        };
        let clients = 2 + rng.below(3);
        Character {
            delays,
            stale: rng.percent(30),
            chances,
            engine,
            lives: 1 + rng.below(3),
            clients,
            calls: 4 + rng.below(10),
        }
    }
}

/// Runs a seed.
pub fn run(seed: u64, options: Options) -> Report {
    let (env, simulation) = Simulation::new(seed);
    let trace = Arc::new(Trace::new(Arc::clone(&env.clock), options.trace));
    let history = Arc::new(History::new(Arc::clone(&trace)));
    let mut run = Run::new(seed, env, simulation, options.bug, Arc::clone(&history), Arc::clone(&trace));
    let outcome = catch_unwind(AssertUnwindSafe(|| run.play()));
    let mut undecided = 0;
    let failure = match outcome {
        Err(panic) => Some(format!("panic: {}", text_of(&*panic))),
        Ok(Err(failure)) => Some(failure),
        Ok(Ok(())) => history.violation().or_else(|| judge(&history, &run.scene, &mut undecided)),
    };
    let failure = failure.map(|failure| shorten(&failure));
    Report {
        seed,
        failure,
        calls: history.len(),
        crashes: run.crashes,
        undecided,
        transactions: 0,
        conflicts: 0,
        trace: trace.lines(),
    }
}

pub(crate) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).unwrap_or_default()
}

/// Checks the history of every item.
fn judge(history: &History, scene: &Scene, undecided: &mut usize) -> Option<String> {
    for ((table, key), spans) in history.by_item() {
        let table = &scene.stages[table].table;
        match linear::check(&Items(table), None::<Item>, &spans) {
            Verdict::Linearisable => {}
            Verdict::Undecided => *undecided += 1,
            Verdict::Violated(why) => return Some(format!("{} {key:?}: {why}", table.spec.name)),
        }
    }
    None
}

struct Run {
    rng: Rng,
    env: Env,
    simulation: Simulation,
    character: Character,
    disk: Disk,
    faulty: Arc<Faulty>,
    scene: Arc<Scene>,
    beliefs: Vec<Belief>,
    history: Arc<History>,
    trace: Arc<Trace>,
    crashes: usize,
}

impl Run {
    fn new(
        seed: u64,
        env: Env,
        simulation: Simulation,
        bug: Option<Bug>,
        history: Arc<History>,
        trace: Arc<Trace>,
    ) -> Run {
        let mut rng = Rng::new(seed);
        let character = Character::random(&mut rng, bug);
        let scene = Arc::new(Scene::random(&mut rng));
        trace.note(|| format!("{character:?} {scene:?}"));
        let disk = Disk::new(env.clone(), character.delays, Arc::clone(&trace));
        let mut store: Arc<dyn Store> = Arc::new(disk.clone());
        if let Some(bug) = bug {
            store = Arc::new(Planted::new(store, env.clone(), bug));
        }
        let faulty = Arc::new(Faulty::new(store, env.clone(), Chances::default()));
        let beliefs = scene.stages.iter().map(|_| Belief::known(false)).collect();
        Run { rng, env, simulation, character, disk, faulty, scene, beliefs, history, trace, crashes: 0 }
    }

    fn play(&mut self) -> Result<(), String> {
        let mut world = self.open()?;
        self.simulation.block_on(audit::make_tables(&world, true))?;
        for _ in 0..self.character.lives {
            let crashes = self.rng.percent(70);
            self.live(&world, crashes)?;
            if crashes {
                self.crash(world);
                world = self.open()?;
            } else if self.rng.percent(30) {
                self.close(world)?;
                world = self.open()?;
            }
            let lag = self.character.engine.index_lag;
            self.simulation.block_on(audit::audit(&world, &self.beliefs, lag));
            if let Some(violation) = self.history.violation() {
                return Err(violation);
            }
        }
        Ok(())
    }

    /// Starts the process.
    fn open(&self) -> Result<World, String> {
        let store: Arc<dyn Store> = Arc::<Faulty>::clone(&self.faulty);
        let opening = Service::open(store, self.env.clone(), self.character.engine.clone());
        let service = self.simulation.block_on(opening).map_err(|error| format!("open: {error}"))?;
        Ok(World {
            service: Arc::new(service),
            history: Arc::clone(&self.history),
            scene: Arc::clone(&self.scene),
            env: self.env.clone(),
        })
    }

    /// Lets clients call until they are done, or up to a moment that the seed chooses.
    fn live(&mut self, world: &World, crashes: bool) -> Result<(), String> {
        self.faulty.set_chances(self.character.chances);
        self.disk.let_reads_be_stale(self.character.stale);
        let running = self.spawn_clients(world);
        let calls = self.rng.below(self.character.clients * self.character.calls);
        let crash_after = self.history.len() + calls;
        // From the call on that is the last, so many more things happen.
        let mut rest = self.rng.below(40);
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
        self.disk.let_reads_be_stale(false);
        if !crashes && running.load(Ordering::Relaxed) > 0 {
            return Err("clients do not come to an end".to_owned());
        }
        Ok(())
    }

    /// Clients, and admins of indexes that come and go; the answer is how many are at work.
    fn spawn_clients(&mut self, world: &World) -> Arc<AtomicUsize> {
        let running = Arc::new(AtomicUsize::new(0));
        let spawn = |task: hashrange_env::BoxFuture<'static, ()>| {
            running.fetch_add(1, Ordering::Relaxed);
            let running = Arc::clone(&running);
            let task = async move {
                task.await;
                running.fetch_sub(1, Ordering::Relaxed);
            };
            self.env.tasks.spawn("client", Box::pin(task));
        };
        for number in 0..self.character.clients {
            let client = Client { number, rng: self.rng.fork(), world: world.clone() };
            spawn(Box::pin(client.run(self.character.calls)));
        }
        for (table, stage) in self.scene.stages.iter().enumerate() {
            let changes = self.rng.below(4);
            if (stage.extra.is_some() || stage.drops) && changes > 0 {
                let belief = self.beliefs[table].clone();
                let admin = Admin { table, belief, rng: self.rng.fork(), world: world.clone() };
                spawn(Box::pin(admin.run(changes)));
            }
        }
        running
    }

    /// The process dies, and what its disk had not synced goes with it.
    fn crash(&mut self, world: World) {
        self.simulation.kill();
        drop(world);
        self.crashes += 1;
        self.history.crash();
        self.disk.crash(&mut self.rng);
    }

    /// The process ends its background work and then itself.
    fn close(&mut self, world: World) -> Result<(), String> {
        world.service.close();
        drop(world);
        self.trace.note(|| "close".to_owned());
        for _ in 0..TURNS_MAX {
            if !self.simulation.turn() {
                return Ok(());
            }
        }
        Err("background work does not end when the service is closed".to_owned())
    }
}
