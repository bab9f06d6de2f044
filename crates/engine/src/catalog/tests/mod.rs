//! Operations on tables, as a client sees them: through the modelled constraints, the checks, and the store.

mod create;
mod delete;
mod describe;
mod expiry;
mod list;
mod names;
mod persistence;
mod states;
mod tags;
mod update;

use std::sync::Arc;
use std::time::Duration;

use hashrange_api::*;
use hashrange_env::{Env, Simulation};
use hashrange_store::{CommitId, Memory, Outcome, Part, RowKey, Space, Stamp, Store, Stored, Tally, Write};

use super::{Catalog, Scope, TableOperation};
use crate::Options;

/// A catalogue over the reference store, in a world whose clock stands still.
struct World {
    env: Env,
    simulation: Simulation,
    store: Arc<Memory>,
    catalog: Catalog,
    scope: Scope,
    delay: Duration,
}

impl World {
    fn new() -> World {
        World::with_delay(Duration::ZERO)
    }

    fn with_delay(delay: Duration) -> World {
        let (env, simulation) = Simulation::new(1);
        let store = Arc::new(Memory::new());
        let catalog = open(&simulation, &store, &env, delay);
        World { env, simulation, store, catalog, scope: scope("000000000000", "us-east-1"), delay }
    }

    /// The same store, opened again.
    fn reopen(&mut self) {
        self.catalog = open(&self.simulation, &self.store, &self.env, self.delay);
    }

    fn call<C: Call>(&self, input: C) -> Result<C::Output, Error> {
        self.call_as(&self.scope, input)
    }

    fn call_as<C: Call>(&self, scope: &Scope, input: C) -> Result<C::Output, Error> {
        let valid = input.into().validate(&Missing::none())?;
        let operation = TableOperation::check(valid.into_parts().0)?;
        let response = self.simulation.block_on(self.catalog.run(scope, operation))?;
        Ok(C::output(response).expect("an operation answers its own output"))
    }

    /// Creates a table and gives the answer's description.
    fn create(&self, input: CreateTableInput) -> TableDescription {
        let output = self.call(input).expect("the table can be created");
        output.table_description.expect("the answer describes the table")
    }

    /// Changes a table and gives the answer's description.
    fn update(&self, input: UpdateTableInput) -> TableDescription {
        let output = self.call(input).expect("the table can be changed");
        output.table_description.expect("the answer describes the table")
    }

    fn describe(&self, name: &str) -> TableDescription {
        let output = self.call(DescribeTableInput { table_name: name.to_owned() });
        output.expect("the table can be described").table.expect("the answer describes the table")
    }

    fn advance(&self, by: Duration) {
        self.simulation.advance(by);
    }

    /// What a refused request answers: its code and text.
    fn refusal<C: Call>(&self, input: C) -> String
    where
        C::Output: std::fmt::Debug,
    {
        self.call(input).expect_err("the request is refused").to_string()
    }

    /// A row in the table's space, as an item would leave it.
    fn put_item(&self, table: &str, bytes: i64) {
        let space = self.catalog.get(&self.scope, table).unwrap().space;
        self.put_row(space, 0, bytes);
    }

    fn put_row(&self, space: Space, kind: u8, bytes: i64) {
        let row = RowKey { kind, sort: vec![kind].into() };
        let stored = Stored { stamp: Stamp(1), value: vec![1].into() };
        let part = Part {
            space,
            partition: vec![1].into(),
            expects: Vec::new(),
            writes: vec![Write::Put { row, stored }],
            log: None,
            tallies: vec![Tally { space, kind, rows: 1, bytes }],
        };
        let id = CommitId(self.env.random.next_u64().into());
        let outcome = self.simulation.block_on(self.store.commit(id, vec![part]));
        assert_eq!(outcome, Ok(Outcome::Applied));
    }
}

fn open(simulation: &Simulation, store: &Arc<Memory>, env: &Env, delay: Duration) -> Catalog {
    let options = Options { table_delay: delay, ..Options::default() };
    let store: Arc<dyn Store> = Arc::<Memory>::clone(store);
    simulation.block_on(Catalog::open(store, env.clone(), options)).expect("the catalogue opens")
}

fn scope(account: &str, region: &str) -> Scope {
    Scope { account: account.to_owned(), region: region.to_owned() }
}

/// An on-demand table with the partition key `pk`.
fn table(name: &str) -> CreateTableInput {
    CreateTableInput {
        table_name: name.to_owned(),
        billing_mode: Some(BillingMode::PayPerRequest),
        attribute_definitions: Some(definitions(&["pk"])),
        key_schema: Some(key(&["pk"], &[])),
        ..CreateTableInput::default()
    }
}

/// The same with the sort key `sk` and further definitions.
fn composite(name: &str, more: &[&str]) -> CreateTableInput {
    let names: Vec<&str> = ["pk", "sk"].iter().chain(more).copied().collect();
    CreateTableInput {
        attribute_definitions: Some(definitions(&names)),
        key_schema: Some(key(&["pk"], &["sk"])),
        ..table(name)
    }
}

/// A provisioned table.
fn provisioned(name: &str, read: i64, write: i64) -> CreateTableInput {
    CreateTableInput { billing_mode: None, provisioned_throughput: Some(units(read, write)), ..table(name) }
}

/// Definitions of type S.
fn definitions(names: &[&str]) -> Vec<AttributeDefinition> {
    let definition = |name: &&str| AttributeDefinition {
        attribute_name: (*name).to_owned(),
        attribute_type: ScalarAttributeType::S,
    };
    names.iter().map(definition).collect()
}

fn key(hash: &[&str], range: &[&str]) -> Vec<KeySchemaElement> {
    let element =
        |key_type| move |name: &&str| KeySchemaElement { attribute_name: (*name).to_owned(), key_type };
    hash.iter().map(element(KeyType::Hash)).chain(range.iter().map(element(KeyType::Range))).collect()
}

fn units(read: i64, write: i64) -> ProvisionedThroughput {
    ProvisionedThroughput { read_capacity_units: read, write_capacity_units: write }
}

fn projection(kind: ProjectionType, names: Option<&[&str]>) -> Projection {
    Projection {
        projection_type: Some(kind),
        non_key_attributes: names.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
    }
}

fn all() -> Projection {
    projection(ProjectionType::All, None)
}

fn global(name: &str, hash: &[&str], range: &[&str]) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: name.to_owned(),
        key_schema: key(hash, range),
        projection: all(),
        ..GlobalSecondaryIndex::default()
    }
}

fn local(name: &str, range: &str) -> LocalSecondaryIndex {
    LocalSecondaryIndex { index_name: name.to_owned(), key_schema: key(&["pk"], &[range]), projection: all() }
}

/// A composite table with global indexes, whose key attributes are `more`.
fn indexed(name: &str, more: &[&str], indexes: Vec<GlobalSecondaryIndex>) -> CreateTableInput {
    CreateTableInput { global_secondary_indexes: Some(indexes), ..composite(name, more) }
}

fn update(name: &str) -> UpdateTableInput {
    UpdateTableInput { table_name: name.to_owned(), ..UpdateTableInput::default() }
}

fn delete(name: &str) -> DeleteTableInput {
    DeleteTableInput { table_name: name.to_owned() }
}

fn index_updates(name: &str, updates: Vec<GlobalSecondaryIndexUpdate>) -> UpdateTableInput {
    UpdateTableInput { global_secondary_index_updates: Some(updates), ..update(name) }
}

/// Adds a global index with the partition key `hash`, which is defined in the request.
fn add_index(table: &str, index: &str, hash: &str) -> UpdateTableInput {
    let create = CreateGlobalSecondaryIndexAction {
        index_name: index.to_owned(),
        key_schema: key(&[hash], &[]),
        projection: all(),
        ..CreateGlobalSecondaryIndexAction::default()
    };
    let element =
        GlobalSecondaryIndexUpdate { create: Some(create), ..GlobalSecondaryIndexUpdate::default() };
    UpdateTableInput {
        attribute_definitions: Some(definitions(&[hash])),
        ..index_updates(table, vec![element])
    }
}

fn delete_index(index: &str) -> GlobalSecondaryIndexUpdate {
    let delete = DeleteGlobalSecondaryIndexAction { index_name: index.to_owned() };
    GlobalSecondaryIndexUpdate { delete: Some(delete), ..GlobalSecondaryIndexUpdate::default() }
}

fn update_index(index: &str, throughput: Option<ProvisionedThroughput>) -> GlobalSecondaryIndexUpdate {
    let action = UpdateGlobalSecondaryIndexAction {
        index_name: index.to_owned(),
        provisioned_throughput: throughput,
        ..UpdateGlobalSecondaryIndexAction::default()
    };
    GlobalSecondaryIndexUpdate { update: Some(action), ..GlobalSecondaryIndexUpdate::default() }
}

/// The description of the global index of that name.
fn index<'a>(description: &'a TableDescription, name: &str) -> Option<&'a GlobalSecondaryIndexDescription> {
    let mut indexes = description.global_secondary_indexes.iter().flatten();
    indexes.find(|index| index.index_name.as_deref() == Some(name))
}

fn names(description: &TableDescription) -> Vec<&str> {
    let definitions = description.attribute_definitions.iter().flatten();
    definitions.map(|definition| definition.attribute_name.as_str()).collect()
}

/// A refusal for wrong parameters.
fn invalid(text: &str) -> String {
    format!("ValidationException: One or more parameter values were invalid: {text}")
}

/// A refusal because of a change that is going on.
fn in_use(text: &str) -> String {
    format!("ResourceInUseException: Attempt to change a resource which is still in use: {text}")
}
