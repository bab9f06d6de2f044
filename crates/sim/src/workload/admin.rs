//! Somebody who adds and deletes a global index, or replaces the whole table, while others write.

use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{
    CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction, DeleteTableInput, DescribeTableInput,
    Error, GlobalSecondaryIndexUpdate, Response, ReturnValue, TableDescription, UpdateTableInput,
};
use parking_lot::Mutex;

use super::{Stage, World, touch_of};
use crate::history::Touch;
use crate::oracle::schema::IndexSpec;
use crate::oracle::write::{Change, Guard, Write};
use crate::oracle::{Item, Rng};

/// Whether a table's extra index exists, as far as answers have told.
#[derive(Clone, Debug, Default)]
pub struct Belief(Arc<Mutex<Option<bool>>>);

impl Belief {
    /// It is known to exist or not to.
    pub fn known(exists: bool) -> Belief {
        Belief(Arc::new(Mutex::new(Some(exists))))
    }

    /// What is known.
    pub fn get(&self) -> Option<bool> {
        *self.0.lock()
    }

    /// Learns it, or that it is unknown.
    pub fn set(&self, exists: Option<bool>) {
        *self.0.lock() = exists;
    }
}

/// The admin of one table.
#[derive(Debug)]
pub struct Admin {
    /// Number of the table.
    pub table: usize,
    /// What is known of its extra index.
    pub belief: Belief,
    /// Its own randomness.
    pub rng: Rng,
    /// Where it lives.
    pub world: World,
}

impl Admin {
    /// Changes the index so many times, with pauses.
    pub async fn run(mut self, changes: usize) {
        for _ in 0..changes {
            let pause = u64::try_from(self.rng.below(20_000)).expect("below twenty thousand");
            self.world.env.tasks.sleep(Duration::from_micros(pause)).await;
            if self.world.scene.stages[self.table].drops && self.rng.percent(50) {
                self.replace_table().await;
            } else {
                self.change_index().await;
            }
        }
    }

    /// Deletes the table, and all its items with it, and makes it anew.
    async fn replace_table(&self) {
        let scene = Arc::clone(&self.world.scene);
        let stage = &scene.stages[self.table];
        let before = self.belief.get();
        self.belief.set(None);
        let history = &self.world.history;
        let touches = deletions(self.table, stage, None);
        let id = history.call(self.table, touches, || format!("DeleteTable {}", stage.spec().name));
        let input = DeleteTableInput { table_name: stage.spec().name.clone() };
        match self.world.ask(input).await {
            Ok(_) => {
                let touches = deletions(self.table, stage, Some(&Ok(None)));
                history.answer(id, touches, || "done".to_owned());
            }
            Err(error) if error.code.status() < 500 => {
                self.belief.set(before);
                return history.answer(id, Vec::new(), || format!("{error:?}"));
            }
            Err(error) => history.fail(id, || format!("{error:?}")),
        }
        // Where it goes wrong, the table is made before the next audit.
        for _ in 0..20 {
            if self.world.ask(stage.spec().create()).await.is_ok() {
                return self.belief.set(Some(false));
            }
            self.world.env.tasks.sleep(Duration::from_millis(1)).await;
        }
    }

    async fn change_index(&self) {
        let scene = Arc::clone(&self.world.scene);
        let stage = &scene.stages[self.table];
        let (Some(extra), Some(exists)) = (&stage.extra, self.belief.get()) else { return };
        // Until there is an answer, nobody knows.
        self.belief.set(None);
        let request = if exists { delete_index(stage, extra) } else { create_index(stage, extra) };
        let text = if exists { "deletes" } else { "adds" };
        let history = &self.world.history;
        let id = history.call(self.table, Vec::new(), || format!("UpdateTable that {text} {}", extra.name));
        match self.world.ask(request).await {
            Ok(_) => {
                self.belief.set(Some(!exists));
                history.answer(id, Vec::new(), || "done".to_owned());
            }
            // Still being created, or the like: it is as it was.
            Err(error) if error.code.status() < 500 => {
                self.belief.set(Some(exists));
                history.answer(id, Vec::new(), || format!("{error:?}"));
            }
            Err(error) => history.fail(id, || format!("{error:?}")),
        }
    }
}

/// What the deletion of a table does: each of its items is deleted.
fn deletions(table: usize, stage: &Stage, answer: Option<&Result<Option<Item>, Error>>) -> Vec<Touch> {
    let deletion = |key: &Item| {
        let change = Change::Delete(key.clone());
        let write = Write { change, guard: Guard::default(), wanted: ReturnValue::None };
        touch_of(table, stage, &Arc::new(write), answer.cloned())
    };
    stage.keys.iter().map(deletion).collect()
}

impl World {
    /// The description of a table; `None`, and a violation, where there is none.
    pub async fn describe(&self, stage: &Stage) -> Option<TableDescription> {
        let input = DescribeTableInput { table_name: stage.spec().name.clone() };
        match self.ask(input).await {
            Ok(Response::DescribeTable(output)) => output.table,
            answer => {
                self.history.violate(format!("DescribeTable was answered {answer:?}"));
                None
            }
        }
    }
}

fn update(stage: &Stage, update: GlobalSecondaryIndexUpdate) -> UpdateTableInput {
    UpdateTableInput {
        table_name: stage.spec().name.clone(),
        global_secondary_index_updates: Some(vec![update]),
        ..UpdateTableInput::default()
    }
}

fn create_index(stage: &Stage, extra: &IndexSpec) -> UpdateTableInput {
    // What the request of a table with this index says of it.
    let created = stage.with_extra().spec.create();
    let indexes = created.global_secondary_indexes.unwrap_or_default();
    let index = indexes.into_iter().find(|index| index.index_name == extra.name);
    let index = index.expect("a table with the index is created with it");
    let create = CreateGlobalSecondaryIndexAction {
        index_name: index.index_name,
        key_schema: index.key_schema,
        projection: index.projection,
        ..CreateGlobalSecondaryIndexAction::default()
    };
    let update = update(stage, GlobalSecondaryIndexUpdate { create: Some(create), ..Default::default() });
    UpdateTableInput { attribute_definitions: created.attribute_definitions, ..update }
}

fn delete_index(stage: &Stage, extra: &IndexSpec) -> UpdateTableInput {
    let delete = DeleteGlobalSecondaryIndexAction { index_name: extra.name.clone() };
    update(stage, GlobalSecondaryIndexUpdate { delete: Some(delete), ..Default::default() })
}
