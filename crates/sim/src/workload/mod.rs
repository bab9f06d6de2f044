//! What clients do: each is a task that draws requests from the seed, records them, and looks at each answer for what no
//! rule allows at any time. What depends on the order of requests is left to the checkers.

mod admin;
pub(crate) mod reads;
mod writes;

use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{Error, ErrorCode, Missing, Request, Response};
use hashrange_env::Env;
use hashrange_service::{Caller, Scope, Service};

use crate::history::{CallId, History, Touch};
use crate::item::Step;
use crate::oracle::generate;
use crate::oracle::schema::{IndexSpec, TableSpec};
use crate::oracle::table::Table;
use crate::oracle::write::{Change, Write};
use crate::oracle::{Item, Key, Rng};

pub use admin::{Admin, Belief};

/// The tables of a run, which do not change, and what is done to them.
#[derive(Debug)]
pub struct Scene {
    /// The tables.
    pub stages: Vec<Stage>,
}

/// A table and the items that clients meet in.
#[derive(Debug)]
pub struct Stage {
    /// Its definition; it holds no items.
    pub table: Table,
    /// The keys that clients use.
    pub keys: Vec<Item>,
    /// A global index that comes and goes while clients write.
    pub extra: Option<IndexSpec>,
    /// Whether the table is deleted and made anew while clients write.
    pub drops: bool,
}

/// The account and region of everything in the simulation.
pub fn caller() -> Caller {
    Caller {
        scope: Arc::new(Scope { account: "000000000000".to_owned(), region: "us-east-1".to_owned() }),
        access_key: None,
        request_id: "simulated".into(),
    }
}

impl Scene {
    /// Tables drawn from the seed: with few keys, so that clients meet.
    pub fn random(rng: &mut Rng) -> Scene {
        let count = 1 + rng.below(2);
        Scene { stages: (0..count).map(|at| Stage::random(rng, at)).collect() }
    }
}

impl Stage {
    fn random(rng: &mut Rng, number: usize) -> Stage {
        let mut spec = generate::table(rng, &format!("table-{number}"));
        spec.heavy = false;
        let mut keys: Vec<Item> = Vec::new();
        for _ in 0..=rng.below(6) {
            let key = generate::key(rng, &spec);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let extra = rng.percent(60).then(|| generate::extra_index(rng, &spec));
        Stage { table: Table::new(spec), keys, extra, drops: rng.percent(20) }
    }

    /// The table's definition.
    pub fn spec(&self) -> &TableSpec {
        &self.table.spec
    }

    /// The table as it is while its extra index exists.
    pub fn with_extra(&self) -> Table {
        let mut table = self.table.clone();
        table.spec.indexes.extend(self.extra.clone());
        table
    }

    fn key_of(&self, item: &Item) -> Key {
        self.table.key_of(item)
    }
}

/// What clients of one life of the process share.
#[derive(Clone, Debug)]
pub struct World {
    /// The database.
    pub service: Arc<Service>,
    /// What was recorded.
    pub history: Arc<History>,
    /// The tables.
    pub scene: Arc<Scene>,
    /// Time.
    pub env: Env,
}

impl World {
    /// Calls the database without a record.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn ask(&self, request: impl Into<Request>) -> Result<Response, Error> {
        let request = request.into().validate(&Missing::none())?;
        self.service.call(&caller(), request).await
    }

    /// Whether an error may be met at any time: a failure of the store, or no table while it is being replaced.
    fn is_excused(&self, error: &Error) -> bool {
        error.code.status() >= 500 || self.is_between_tables(error)
    }

    fn is_between_tables(&self, error: &Error) -> bool {
        error.code == ErrorCode::ResourceNotFoundException
            && self.scene.stages.iter().any(|stage| stage.drops)
    }

    /// Records a call and its failure; an answer is for the caller to record. `None` where the error may be met at any
    /// time.
    async fn call(
        &self,
        client: usize,
        request: Request,
        touches: Vec<Touch>,
    ) -> Option<(CallId, Result<Response, Error>)> {
        let id = self.history.call(client, touches, || format!("{request:?}"));
        let is_batch = matches!(request, Request::BatchWriteItem(_));
        match self.ask(request).await {
            // Some of a batch may have been written to the table that was there.
            Err(error) if error.code.status() >= 500 || is_batch && self.is_between_tables(&error) => {
                self.history.fail(id, || format!("{error:?}"));
                None
            }
            Err(error) if self.is_between_tables(&error) => {
                self.history.answer(id, Vec::new(), || format!("{error:?}"));
                None
            }
            answer => Some((id, answer)),
        }
    }
}

/// One client.
#[derive(Debug)]
pub struct Client {
    /// Its number in the history.
    pub number: usize,
    /// Its own randomness, so that it asks the same whatever the others do.
    pub rng: Rng,
    /// Where it lives.
    pub world: World,
}

impl Client {
    /// Makes so many calls, with pauses.
    pub async fn run(mut self, calls: usize) {
        for _ in 0..calls {
            if self.rng.percent(30) {
                let pause = self.rng.below(2000);
                let pause = Duration::from_micros(u64::try_from(pause).expect("below two thousand"));
                self.world.env.tasks.sleep(pause).await;
            }
            self.step().await;
        }
    }

    async fn step(&mut self) {
        let at = self.rng.below(self.world.scene.stages.len());
        match self.rng.below(100) {
            0..48 => self.write(at).await,
            48..56 => self.batch_write().await,
            56..72 => self.get(at).await,
            72..79 => self.batch_get().await,
            79..94 => self.query(at).await,
            _ => self.scan(at).await,
        }
    }

    fn stage(&self, at: usize) -> &Stage {
        &self.world.scene.stages[at]
    }

    fn violate(&self, what: String) {
        self.world.history.violate(what);
    }

    fn pick_key(&mut self, at: usize) -> Item {
        let count = self.stage(at).keys.len();
        let key = self.rng.below(count);
        self.stage(at).keys[key].clone()
    }

    /// A write of a key that other clients write too.
    fn draw_write(&mut self, at: usize) -> Write {
        let key = self.pick_key(at);
        let scene = Arc::clone(&self.world.scene);
        let spec = scene.stages[at].spec();
        let mut write = match self.rng.below(100) {
            0..45 => Write::put(&mut self.rng, spec),
            45..80 => Write::update(&mut self.rng, spec),
            _ => Write::delete(&mut self.rng, spec),
        };
        match &mut write.change {
            Change::Put(item) => item.extend(key),
            Change::Update(old, _) | Change::Delete(old) => *old = key,
        }
        if let Some(extra) = &scene.stages[at].extra {
            generate::suit(&mut write.change, extra);
        }
        write
    }
}

/// A write's touch, with its answer if there is one.
fn touch_of(
    table: usize,
    stage: &Stage,
    write: &Arc<Write>,
    answer: Option<Result<Option<Item>, Error>>,
) -> Touch {
    let key = stage.key_of(write.item());
    Touch { table, key, step: Step::Write(Arc::clone(write), answer), stale: false }
}
