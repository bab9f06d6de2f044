//! What a plan looks like without its values, for who counts requests by their form.

use hashrange_api::{ReturnConsumedCapacity, Select};
use hashrange_item::{AttributeValue, KeyAttribute};
use hashrange_language::{Condition, Group, KeyCondition, Outline, Projection};

use super::reading::{RangePlan, Source, SweepPlan};
use super::statement::{StatementPlan, StatementRun, TransactionPlan};
use super::{Image, KeyLookup, Plan, Planned, WriteSet};
use crate::catalog::{self, Table};
use crate::check::CheckedReading;
use crate::key::ItemKey;
use crate::transact::{PlannedAction, PlannedGet, TransactGetPlan, TransactWritePlan};

/// A part of the outline of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The operation: what a statement is, where it is one.
    Operation,
    /// The table.
    Table,
    /// The index that is read.
    Index,
    /// The key, or the condition on it: names, operators and key values.
    Key,
    /// What drops items after they were read.
    Filter,
    /// The attributes that are asked for.
    Projection,
    /// `COUNT` and its like.
    Select,
    /// That there is a limit.
    Limit,
    /// That the order is descending.
    Descending,
    /// That the read is strongly consistent.
    Consistent,
    /// That the table is read in segments.
    Segments,
    /// The condition of a write.
    Condition,
    /// What an update does.
    Update,
    /// What a write returns.
    Returns,
    /// That a transaction has a token.
    Token,
    /// The requests of a batch or a transaction.
    Requests,
}

/// Takes the outline of a plan.
pub trait PlanOutline: Outline {
    /// What follows is of this field.
    fn field(&mut self, field: Field);
    /// A value of a key attribute; `hash` says that it is of the partition key.
    fn key(&mut self, hash: bool, value: &AttributeValue);
    /// All values of one partition key were told.
    fn partition(&mut self);
}

/// Keys of a table and its indexes, for who draws up a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableOutline {
    /// The table's name.
    pub name: String,
    /// Partition key, then sort key.
    pub keys: [Vec<KeyAttribute>; 2],
    /// Its indexes.
    pub indexes: Vec<IndexOutline>,
    /// The attribute of time to live.
    pub expiry: Option<String>,
}

/// Keys of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOutline {
    /// The index's name.
    pub name: String,
    /// Whether it is local.
    pub local: bool,
    /// Partition key, then sort key.
    pub keys: [Vec<KeyAttribute>; 2],
    /// What it carries besides keys; `None` is everything.
    pub included: Option<Vec<String>>,
}

impl Plan {
    /// Tells the outline; nothing where the plan is of tables themselves.
    pub fn outline(&self, out: &mut dyn PlanOutline) {
        match &self.0 {
            Planned::KeyLookup(plan) => lookup(plan, out),
            Planned::WriteSet(plan) => write(plan, out),
            Planned::RangeRead(plan) => range(plan, out),
            Planned::SweepSegment(plan) => sweep(plan, out),
            Planned::KeyLookups(plan) => requests("BatchGetItem", out, |out| {
                for ((table, keys), wanted) in plan.tables.iter().zip(&plan.get.tables) {
                    let strong = wanted.request.consistent_read.unwrap_or(false);
                    for key in keys {
                        get_of(table, key, wanted.projection.as_ref(), strong, out);
                        out.member();
                    }
                }
            }),
            Planned::WriteSets(plan) => requests("BatchWriteItem", out, |out| {
                for (table, writes) in &plan.tables {
                    for (key, image) in writes {
                        change(table, key, Some(image), None, out);
                        out.member();
                    }
                }
            }),
            Planned::TransactGet(plan) => transact_get(plan, out),
            Planned::TransactWrite(plan) => transact_write(plan, out),
            Planned::Statement(plan) => statement(plan, out),
            Planned::Statements(plan) => requests("BatchExecuteStatement", out, |out| {
                for member in plan.members.iter().flatten() {
                    statement(member, out);
                    out.member();
                }
            }),
            Planned::Transaction(plan) => match &**plan {
                TransactionPlan::Reads(plan) => transact_get(plan, out),
                TransactionPlan::Writes(plan) => transact_write(plan, out),
            },
            Planned::Tables(_) => {}
        }
    }

    /// Whether it is of items, and not of tables themselves.
    pub fn is_of_items(&self) -> bool {
        !matches!(self.0, Planned::Tables(_))
    }

    /// Whether it goes on where an earlier page ended.
    pub fn is_continued(&self) -> bool {
        match &self.0 {
            Planned::RangeRead(plan) => plan.start.is_some(),
            Planned::SweepSegment(plan) => plan.start.is_some(),
            _ => false,
        }
    }

    /// Bytes of the item that is put, where it is a single one.
    pub fn put_bytes(&self) -> Option<usize> {
        let write = match &self.0 {
            Planned::WriteSet(plan) => plan,
            Planned::Statement(plan) => match &plan.run {
                StatementRun::Write(write) => write,
                _ => return None,
            },
            _ => return None,
        };
        match &write.image {
            Image::Put(row) => Some(row.item_size()),
            Image::Update(_) | Image::Delete => None,
        }
    }

    /// Makes the answer report capacity by table and index; gives back what the client had asked for.
    pub fn report_capacity(&mut self) -> Option<ReturnConsumedCapacity> {
        let wanted = match &mut self.0 {
            Planned::KeyLookup(plan) => &mut plan.get.consumed,
            Planned::WriteSet(plan) => &mut plan.write.consumed,
            Planned::RangeRead(plan) => &mut plan.reading.consumed,
            Planned::SweepSegment(plan) => &mut plan.reading.consumed,
            Planned::KeyLookups(plan) => &mut plan.get.consumed,
            Planned::WriteSets(plan) => &mut plan.write.consumed,
            Planned::TransactGet(plan) => &mut plan.consumed,
            Planned::TransactWrite(plan) => &mut plan.consumed,
            Planned::Statement(plan) => &mut plan.consumed,
            Planned::Statements(plan) => &mut plan.consumed,
            Planned::Transaction(plan) => match &mut **plan {
                TransactionPlan::Reads(plan) => &mut plan.consumed,
                TransactionPlan::Writes(plan) => &mut plan.consumed,
            },
            Planned::Tables(_) => return None,
        };
        wanted.replace(ReturnConsumedCapacity::Indexes)
    }

    /// The tables that it touches, with their keys.
    pub fn tables(&self) -> Vec<TableOutline> {
        let mut found: Vec<&Table> = Vec::new();
        match &self.0 {
            Planned::KeyLookup(plan) => found.push(&plan.table),
            Planned::WriteSet(plan) => found.push(&plan.table),
            Planned::RangeRead(plan) => found.push(&plan.source.table),
            Planned::SweepSegment(plan) => found.push(&plan.source.table),
            Planned::KeyLookups(plan) => found.extend(plan.tables.iter().map(|(table, _)| &**table)),
            Planned::WriteSets(plan) => found.extend(plan.tables.iter().map(|(table, _)| &**table)),
            Planned::TransactGet(plan) => found.extend(plan.gets.iter().map(|get| &*get.table)),
            Planned::TransactWrite(plan) => found.extend(plan.actions.iter().map(|action| &*action.table)),
            Planned::Statement(plan) => found.extend(plan.run.tables()),
            Planned::Statements(plan) => {
                found.extend(plan.members.iter().flatten().filter_map(|member| member.run.tables()));
            }
            Planned::Transaction(plan) => match &**plan {
                TransactionPlan::Reads(plan) => found.extend(plan.gets.iter().map(|get| &*get.table)),
                TransactionPlan::Writes(plan) => {
                    found.extend(plan.actions.iter().map(|action| &*action.table));
                }
            },
            Planned::Tables(_) => {}
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found.dedup_by(|one, other| one.name == other.name);
        found.into_iter().map(table_outline).collect()
    }
}

impl StatementRun {
    fn tables(&self) -> Option<&Table> {
        match self {
            StatementRun::Lookup(plan) => Some(&plan.table),
            StatementRun::Write(plan) => Some(&plan.table),
            StatementRun::Ranges { ranges, .. } => ranges.first().map(|range| &*range.source.table),
            StatementRun::Sweep(plan) => Some(&plan.source.table),
        }
    }
}

fn table_outline(table: &Table) -> TableOutline {
    let schema = &table.schema;
    let locals = schema.locals.iter().map(|index| IndexOutline {
        name: index.name.clone(),
        local: true,
        keys: [vec![schema.key.hash.clone()], vec![index.range.clone()]],
        included: included(&index.projection),
    });
    let globals = schema.globals.iter().map(|index| IndexOutline {
        name: index.name.clone(),
        local: false,
        keys: [index.hash.clone(), index.range.clone()],
        included: included(&index.projection),
    });
    TableOutline {
        name: table.name.clone(),
        keys: [vec![schema.key.hash.clone()], schema.key.range.iter().cloned().collect()],
        indexes: locals.chain(globals).collect(),
        expiry: table.expiry_attribute().map(str::to_owned),
    }
}

fn included(projection: &catalog::Projection) -> Option<Vec<String>> {
    match projection {
        catalog::Projection::All => None,
        catalog::Projection::KeysOnly => Some(Vec::new()),
        catalog::Projection::Include(names) => Some(names.clone()),
    }
}

fn requests(name: &'static str, out: &mut dyn PlanOutline, tell: impl FnOnce(&mut dyn PlanOutline)) {
    head(name, None, None, out);
    out.field(Field::Requests);
    out.open(Group::Requests);
    tell(out);
    out.close();
}

fn head(operation: &'static str, table: Option<&Table>, index: Option<&str>, out: &mut dyn PlanOutline) {
    out.field(Field::Operation);
    out.word(operation);
    if let Some(table) = table {
        out.field(Field::Table);
        out.name(&table.name);
    }
    if let Some(index) = index {
        out.field(Field::Index);
        out.name(index);
    }
}

fn flag(field: Field, set: bool, out: &mut dyn PlanOutline) {
    if set {
        out.field(field);
        out.word("true");
    }
}

fn item_key(table: &Table, key: &ItemKey, out: &mut dyn PlanOutline) {
    out.field(Field::Key);
    let schema = &table.schema.key;
    out.name(&schema.hash.name);
    out.word(" = ");
    out.key(true, &key.hash);
    out.partition();
    if let (Some(attribute), Some(value)) = (&schema.range, &key.range) {
        out.word(" AND ");
        out.name(&attribute.name);
        out.word(" = ");
        out.key(false, value);
    }
}

fn projection(projection: Option<&Projection>, out: &mut dyn PlanOutline) {
    if let Some(projection) = projection {
        out.field(Field::Projection);
        projection.outline_to(out);
    }
}

fn condition(field: Field, condition: Option<&Condition>, out: &mut dyn PlanOutline) {
    if let Some(condition) = condition {
        out.field(field);
        condition.outline_to(out);
    }
}

fn lookup(plan: &KeyLookup, out: &mut dyn PlanOutline) {
    get_of(&plan.table, &plan.key, plan.get.projection.as_ref(), plan.get.consistent, out);
}

fn get_of(
    table: &Table,
    key: &ItemKey,
    wanted: Option<&Projection>,
    consistent: bool,
    out: &mut dyn PlanOutline,
) {
    head("GetItem", Some(table), None, out);
    item_key(table, key, out);
    projection(wanted, out);
    flag(Field::Consistent, consistent, out);
}

fn write(plan: &WriteSet, out: &mut dyn PlanOutline) {
    change(&plan.table, &plan.key, Some(&plan.image), plan.write.condition.as_ref(), out);
    let returns = plan.write.return_values.map(hashrange_api::ReturnValue::as_str);
    if let Some(returns) = returns.filter(|returns| *returns != "NONE") {
        out.field(Field::Returns);
        out.word(returns);
    }
}

/// A write of one item; without an image, a check of it.
fn change(
    table: &Table,
    key: &ItemKey,
    image: Option<&Image>,
    only_if: Option<&Condition>,
    out: &mut dyn PlanOutline,
) {
    let operation = match image {
        Some(Image::Put(_)) => "PutItem",
        Some(Image::Update(_)) => "UpdateItem",
        Some(Image::Delete) => "DeleteItem",
        None => "ConditionCheck",
    };
    head(operation, Some(table), None, out);
    item_key(table, key, out);
    if let Some(Image::Update(update)) = image {
        out.field(Field::Update);
        update.outline_to(out);
    }
    condition(Field::Condition, only_if, out);
}

fn range(plan: &RangePlan, out: &mut dyn PlanOutline) {
    let index = plan.source.index();
    head("Query", Some(&plan.source.table), index.map(crate::index::Index::name), out);
    key_condition(&plan.source, &plan.condition, out);
    reading(&plan.reading, out);
    flag(Field::Descending, !plan.forward, out);
}

/// Clauses stand in the order of the key, whatever the order of the request.
fn key_condition(source: &Source, condition: &KeyCondition, out: &mut dyn PlanOutline) {
    out.field(Field::Key);
    for (at, attribute) in source.hash().iter().enumerate() {
        if at > 0 {
            out.word(" AND ");
        }
        clause(condition, attribute, true, out);
    }
    out.partition();
    for attribute in source.range() {
        if condition.clause(&attribute.name).is_some() {
            out.word(" AND ");
            clause(condition, attribute, false, out);
        }
    }
}

fn clause(condition: &KeyCondition, attribute: &KeyAttribute, hash: bool, out: &mut dyn PlanOutline) {
    let Some(clause) = condition.clause(&attribute.name) else { return };
    out.name(&attribute.name);
    out.word(" ");
    out.word(clause.word());
    for value in clause.operator.values() {
        out.word(" ");
        out.key(hash, value);
    }
}

fn reading(reading: &CheckedReading, out: &mut dyn PlanOutline) {
    condition(Field::Filter, reading.filter.as_ref(), out);
    projection(reading.projection.as_ref(), out);
    if let Some(select) =
        reading.select.filter(|select| matches!(select, Select::Count | Select::AllAttributes))
    {
        out.field(Field::Select);
        out.word(select.as_str());
    }
    flag(Field::Limit, reading.limit.is_some(), out);
    flag(Field::Consistent, reading.consistent, out);
}

fn sweep(plan: &SweepPlan, out: &mut dyn PlanOutline) {
    let index = plan.source.index();
    head("Scan", Some(&plan.source.table), index.map(crate::index::Index::name), out);
    reading(&plan.reading, out);
    flag(Field::Segments, plan.segments > 1, out);
}

fn transact_get(plan: &TransactGetPlan, out: &mut dyn PlanOutline) {
    requests("TransactGetItems", out, |out| {
        for PlannedGet { table, key, projection, .. } in &plan.gets {
            get_of(table, key, projection.as_ref(), false, out);
            out.member();
        }
    });
}

fn transact_write(plan: &TransactWritePlan, out: &mut dyn PlanOutline) {
    requests("TransactWriteItems", out, |out| {
        for PlannedAction { table, key, image, condition, .. } in &plan.actions {
            change(table, key, image.as_ref(), condition.as_ref(), out);
            out.member();
        }
    });
    flag(Field::Token, plan.token.is_some(), out);
}

fn statement(plan: &StatementPlan, out: &mut dyn PlanOutline) {
    match &plan.run {
        StatementRun::Lookup(plan) => lookup(plan, out),
        StatementRun::Write(plan) => write(plan, out),
        StatementRun::Sweep(plan) => sweep(plan, out),
        StatementRun::Ranges { ranges, .. } => match &ranges[..] {
            [one] => range(one, out),
            many => requests("ExecuteStatement", out, |out| {
                for one in many {
                    range(one, out);
                    out.member();
                }
            }),
        },
    }
}
