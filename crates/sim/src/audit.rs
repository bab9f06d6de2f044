//! What must hold when nothing is going on: indexes agree with their tables, counts with both.
//!
//! The items that an audit reads are recorded as reads, so that the checkers find what was lost since they were written.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hashrange_api::{
    DescribeTableInput, ErrorCode, IndexStatus, QueryInput, Response, ScanInput, TableDescription,
    TableStatus,
};

use crate::history::AUDITOR;
use crate::oracle::counts::check_counts;
use crate::oracle::expression::{Path, Placeholders};
use crate::oracle::schema::{Attr, IndexSpec, TableSpec};
use crate::oracle::table::{Entry, Table};
use crate::oracle::write::{item_of, names_of, values_of};
use crate::oracle::{Item, Key};
use crate::workload::{Belief, Stage, World, reads};

/// How often a description is asked for until everything in it is ACTIVE.
const PATIENCE: usize = 2_000;
/// Time between two questions.
const PAUSE: Duration = Duration::from_millis(10);

/// Audits every table. Whatever is wrong is a violation in the history.
pub async fn audit(world: &World, beliefs: &[Belief], index_lag: Duration) {
    world.env.tasks.sleep(index_lag).await;
    if let Err(what) = make_tables(world, false).await {
        return world.history.violate(format!("audit: {what}"));
    }
    for (at, (stage, belief)) in world.scene.stages.iter().zip(beliefs).enumerate() {
        if let Err(what) = audit_table(world, at, stage, belief).await {
            world.history.violate(format!("audit of {}: {what}", stage.spec().name));
        }
    }
}

async fn audit_table(world: &World, at: usize, stage: &Stage, belief: &Belief) -> Result<(), String> {
    let described = wait_until_active(world, stage).await?;
    let names: BTreeSet<_> = described
        .global_secondary_indexes
        .iter()
        .flatten()
        .filter_map(|index| index.index_name.clone())
        .collect();
    let has_extra = stage.extra.as_ref().is_some_and(|extra| names.contains(&extra.name));
    if stage.extra.is_some() && belief.get().is_some_and(|exists| exists != has_extra) {
        return Err(format!("the extra index is there: {has_extra}, and an answer said otherwise"));
    }
    belief.set(Some(has_extra));
    let mut table = if has_extra { stage.with_extra() } else { stage.table.clone() };
    table.items = read_items(world, at, stage).await?;
    for index in &table.spec.indexes {
        check_index(world, &table, index).await?;
    }
    check_counts(&described, &table)
}

async fn wait_until_active(world: &World, stage: &Stage) -> Result<TableDescription, String> {
    for _ in 0..PATIENCE {
        let described = world.describe(stage).await.ok_or("no description")?;
        let mut indexes = described.global_secondary_indexes.iter().flatten();
        let indexes_are = indexes.all(|index| index.index_status == Some(IndexStatus::Active));
        if indexes_are && described.table_status == Some(TableStatus::Active) {
            return Ok(described);
        }
        world.env.tasks.sleep(PAUSE).await;
    }
    Err("the table or an index does not become ACTIVE".to_owned())
}

/// The items of a table, recorded as one read of each.
async fn read_items(world: &World, at: usize, stage: &Stage) -> Result<BTreeMap<Key, Item>, String> {
    let call = world.history.call(AUDITOR, Vec::new(), || format!("Scan of {}", stage.spec().name));
    let items = scan(world, stage.spec(), None).await?;
    let count = items.len();
    let items: BTreeMap<Key, Item> =
        items.into_iter().map(|item| (stage.table.key_of(&item), item)).collect();
    let known: BTreeSet<Key> = stage.keys.iter().map(|key| stage.table.key_of(key)).collect();
    if items.len() < count || items.keys().any(|key| !known.contains(key)) {
        return Err(format!("an item comes twice, or was written by nobody: {items:?}"));
    }
    let touches = reads::whole_reads(at, stage, &stage.keys, items.clone(), true);
    world.history.answer(call, touches, || format!("{items:?}"));
    Ok(items)
}

async fn scan(world: &World, spec: &TableSpec, index: Option<&IndexSpec>) -> Result<Vec<Item>, String> {
    let mut input = ScanInput {
        table_name: spec.name.clone(),
        index_name: index.map(|index| index.name.clone()),
        consistent_read: Some(index.is_none_or(|index| index.local)),
        ..ScanInput::default()
    };
    let mut items = Vec::new();
    loop {
        let Response::Scan(output) = world.ask(input.clone()).await.map_err(|error| format!("{error:?}"))?
        else {
            return Err("Scan got another operation's answer".to_owned());
        };
        items.extend(output.items.iter().flatten().map(item_of));
        input.exclusive_start_key = output.last_evaluated_key;
        if input.exclusive_start_key.is_none() {
            return Ok(items);
        }
    }
}

/// An index holds an entry for each item that has its keys, and no other.
async fn check_index(world: &World, table: &Table, index: &IndexSpec) -> Result<(), String> {
    let entries = table.entries(Some(index));
    let mut got = scan(world, &table.spec, Some(index)).await?;
    let mut expected: Vec<Item> = entries.iter().map(|entry| entry.item.clone()).collect();
    got.sort();
    expected.sort();
    if got != expected {
        return Err(format!("index {} holds {got:?}, the table says {expected:?}", index.name));
    }
    let hashes: BTreeSet<_> = entries.iter().map(|entry| entry.hash.clone()).collect();
    for hash in hashes {
        let mut entries: Vec<&Entry> = entries.iter().filter(|entry| entry.hash == hash).collect();
        entries.sort_by(|one, two| one.order.cmp(&two.order));
        let expected: Vec<&Item> = entries.iter().map(|entry| &entry.item).collect();
        let got = query(world, &table.spec, index, &entries[0].item).await?;
        if got.iter().ne(expected.iter().copied()) {
            return Err(format!("a Query of index {} gives {got:?}, not {expected:?}", index.name));
        }
    }
    Ok(())
}

/// The entries of an index that have the partition key of this one.
async fn query(world: &World, spec: &TableSpec, index: &IndexSpec, of: &Item) -> Result<Vec<Item>, String> {
    let mut placeholders = Placeholders::default();
    let equal = |attr: &Attr| {
        let path = placeholders.path(&Path::top(&attr.name));
        format!("{path} = {}", placeholders.value(&of[&attr.name]))
    };
    let conditions: Vec<String> = index.hash.iter().map(equal).collect();
    let input = QueryInput {
        table_name: spec.name.clone(),
        index_name: Some(index.name.clone()),
        key_condition_expression: Some(conditions.join(" AND ")),
        expression_attribute_names: names_of(&placeholders),
        expression_attribute_values: values_of(&placeholders),
        ..QueryInput::default()
    };
    match world.ask(input).await {
        Ok(Response::Query(output)) => Ok(output.items.iter().flatten().map(item_of).collect()),
        answer => Err(format!("Query was answered {answer:?}")),
    }
}

/// Makes the tables that are not there, and waits until all can be used.
///
/// # Errors
/// What went wrong: without faults, nothing may, and after the `first` time no table may be gone that nobody deletes.
pub async fn make_tables(world: &World, first: bool) -> Result<(), String> {
    for stage in &world.scene.stages {
        make_table(world, stage, first).await?;
        wait_until_active(world, stage).await?;
    }
    Ok(())
}

async fn make_table(world: &World, stage: &Stage, first: bool) -> Result<(), String> {
    let name = &stage.spec().name;
    for _ in 0..PATIENCE {
        match world.ask(DescribeTableInput { table_name: name.clone() }).await {
            Ok(Response::DescribeTable(output)) => {
                let status = output.table.and_then(|table| table.table_status);
                if status != Some(TableStatus::Deleting) {
                    return Ok(());
                }
                world.env.tasks.sleep(PAUSE).await;
            }
            Err(error) if error.code == ErrorCode::ResourceNotFoundException && (first || stage.drops) => {
                world.ask(stage.spec().create()).await.map_err(|error| format!("CreateTable: {error:?}"))?;
            }
            answer => return Err(format!("DescribeTable {name} was answered {answer:?}")),
        }
    }
    Err(format!("{name} stays DELETING"))
}
