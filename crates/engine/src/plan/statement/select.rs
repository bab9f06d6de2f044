//! SELECT: a look-up of one item, reads of partitions, or a scan.

use std::sync::Arc;

use hashrange_api::Error;
use hashrange_api::message::{query, statement as text};
use hashrange_item::KeyAttribute;
use hashrange_language::partiql::{Access, Order, Read, Select, reads};
use hashrange_language::set_order;

use super::super::reading::{self, Place, Source};
use super::StatementRun;
use crate::catalog::{Scope, Table};
use crate::check::{CheckedGet, CheckedQuery, CheckedReading, CheckedScan, CheckedStatement, key_problem};
use crate::core::Core;
use crate::index::Index;
use crate::statement::Position;

/// Plans a SELECT.
pub(super) fn plan(
    core: &Core,
    scope: &Scope,
    mut select: Select,
    checked: &CheckedStatement,
) -> Result<StatementRun, Error> {
    let table = core.catalog.active(scope, &select.table)?;
    let place = place_of(&table, select.index.as_deref(), checked.consistent)?;
    let source = Source { table: Arc::clone(&table), place, fetch: false };
    check_columns(&source, &select)?;
    let (hash, range) = keys(&source);
    let position = Position::of(checked)?;
    let condition = select.condition.take();
    let had_condition = condition.is_some();
    let access = reads(condition, hash, range).map_err(|problem| key_problem(&problem))?;
    let order = Direction::of(&select.order, had_condition, &access, hash, range)?;
    let reading = Reading { select, checked, position };
    match access {
        Access::Scan(filter) => {
            let scan = CheckedScan { reading: reading.of(filter), segment: 0, segments: 1 };
            let plan = reading::scan(core, scope, scan).map_err(|error| reading.token_fault(error))?;
            Ok(StatementRun::Sweep(Box::new(plan)))
        }
        Access::Reads(found) => {
            check_filters(&source, &found)?;
            if let Some(get) = reading.whole_key(&source, &found) {
                return Ok(StatementRun::Lookup(Box::new(super::super::get(core, scope, get)?)));
            }
            ranges(core, scope, &reading, order.sorted(found), order.forward)
        }
    }
}

/// What every read of the statement has in common.
struct Reading<'a> {
    select: Select,
    checked: &'a CheckedStatement,
    position: Option<Position>,
}

impl Reading<'_> {
    fn of(&self, filter: Option<hashrange_language::Condition>) -> CheckedReading {
        CheckedReading {
            table_name: self.select.table.clone(),
            index_name: self.select.index.clone(),
            filter,
            legacy_filter: false,
            projection: self.select.projection.clone(),
            select: None,
            limit: self.checked.limit,
            start: self.position.as_ref().and_then(|position| position.start.clone()),
            consistent: self.checked.consistent,
            consumed: None,
            statement: true,
        }
    }

    /// The look-up that the statement is, where it names one item by its key and asks nothing else.
    fn whole_key(&self, source: &Source, found: &[Read]) -> Option<CheckedGet> {
        let [read] = found else { return None };
        if source.place != Place::Table || read.filter.is_some() || self.position.is_some() {
            return None;
        }
        let key = read.item(source.table.schema.key.attributes().count())?;
        Some(CheckedGet {
            table_name: self.select.table.clone(),
            key,
            consistent: self.checked.consistent,
            projection: self.select.projection.clone(),
            consumed: None,
        })
    }

    /// A start that came from a token is the token's fault.
    fn token_fault(&self, error: Error) -> Error {
        let has_start = self.position.as_ref().is_some_and(|position| position.start.is_some());
        if has_start { Error::validation(text::invalid_token()) } else { error }
    }
}

fn ranges(
    core: &Core,
    scope: &Scope,
    reading: &Reading<'_>,
    found: Vec<Read>,
    forward: bool,
) -> Result<StatementRun, Error> {
    let first = reading.position.as_ref().map_or(0, |position| position.read);
    if first >= found.len() {
        return Err(Error::validation(text::invalid_token()));
    }
    let mut ranges = Vec::with_capacity(found.len());
    for (at, read) in found.into_iter().enumerate() {
        let mut checked = reading.of(read.filter);
        checked.start = checked.start.filter(|_| at == first);
        let query = CheckedQuery { reading: checked, condition: read.key, forward };
        ranges.push(reading::query(core, scope, query).map_err(|error| reading.token_fault(error))?);
    }
    Ok(StatementRun::Ranges { first, ranges })
}

/// The table or the index that the statement names.
fn place_of(table: &Table, index: Option<&str>, consistent: bool) -> Result<Place, Error> {
    let Some(name) = index else { return Ok(Place::Table) };
    if let Some(at) = table.schema.locals.iter().position(|index| index.name == name) {
        return Ok(Place::Local(at));
    }
    let Some(at) = table.schema.globals.iter().position(|index| index.name == name) else {
        return Err(Error::validation(text::index_not_found()));
    };
    let global = &table.schema.globals[at];
    if global.hash.len() > 1 || global.range.len() > 1 {
        return Err(Error::validation(text::multi_attribute_index()));
    }
    if consistent {
        return Err(Error::validation(text::consistent_on_global_index()));
    }
    Ok(Place::Global(at))
}

fn keys(source: &Source) -> (&KeyAttribute, Option<&KeyAttribute>) {
    let schema = &source.table.schema;
    match source.place {
        Place::Table => (&schema.key.hash, schema.key.range.as_ref()),
        Place::Local(at) => (&schema.key.hash, Some(&schema.locals[at].range)),
        Place::Global(at) => (&schema.globals[at].hash[0], schema.globals[at].range.first()),
    }
}

/// A global index gives no column that it does not carry. They are named in the order of the statement.
fn check_columns(source: &Source, select: &Select) -> Result<(), Error> {
    let Some(index @ Index::Global(_)) = source.index() else { return Ok(()) };
    let Some(carried) = reading::carried(source, index) else { return Ok(()) };
    let mut missing: Vec<&str> = Vec::new();
    for column in select.columns.iter().map(String::as_str) {
        if !carried.contains(&column) && !missing.contains(&column) {
            missing.push(column);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::validation(query::not_projected(index.name(), &missing)))
}

/// A keyed read of an index drops items by what the index carries; only if every read asks for something else is the
/// statement refused, for what the last of them asks. (Source: recorded on AWS.)
fn check_filters(source: &Source, found: &[Read]) -> Result<(), Error> {
    let Some(index) = source.index() else { return Ok(()) };
    let Some(carried) = reading::carried(source, index) else { return Ok(()) };
    let mut last = Vec::new();
    for read in found {
        let names = read.filter.as_ref().map(|filter| filter.attributes_in_order()).unwrap_or_default();
        let missing: Vec<&str> = names.into_iter().filter(|name| !carried.contains(name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        last = missing;
    }
    set_order(&mut last);
    Err(Error::validation(query::filter_not_projected(index.name(), &last)))
}

/// The order in which a statement reads.
pub(super) struct Direction {
    forward: bool,
    /// Partitions from the largest key to the smallest.
    descending: bool,
}

impl Direction {
    pub(super) fn of(
        order: &[Order],
        has_condition: bool,
        access: &Access,
        hash: &KeyAttribute,
        range: Option<&KeyAttribute>,
    ) -> Result<Direction, Error> {
        if order.is_empty() {
            return Ok(Direction { forward: true, descending: false });
        }
        if !has_condition {
            return Err(Error::validation(text::order_without_where()));
        }
        let is =
            |entry: &Order, key: &KeyAttribute| entry.path.is_top_level() && entry.path.top() == key.name;
        let by_hash = order.iter().find(|entry| is(entry, hash));
        let by_range = range.and_then(|range| order.iter().find(|entry| is(entry, range)));
        let known = |entry: &&Order| is(entry, hash) || range.is_some_and(|range| is(entry, range));
        if let Some(other) = order.iter().find(|entry| !known(entry)) {
            return Err(Error::validation(text::order_not_a_key(&other.path.to_string())));
        }
        let Access::Reads(found) = access else {
            return Err(Error::validation(text::order_without_key()));
        };
        let several = found.iter().any(|read| read.key.clauses()[0] != found[0].key.clauses()[0]);
        if several && by_hash.is_none() {
            return Err(Error::validation(text::order_of_several_keys()));
        }
        // An order that leaves the sort key out reads it backwards. (Source: recorded on AWS.)
        Ok(Direction {
            forward: by_range.is_some_and(|entry| !entry.descending),
            descending: by_hash.is_some_and(|entry| entry.descending),
        })
    }

    /// The reads in this order; they come in the order of their keys.
    fn sorted(&self, found: Vec<Read>) -> Vec<Read> {
        let mut partitions: Vec<Vec<Read>> = Vec::new();
        for read in found {
            match partitions.last_mut() {
                Some(last) if last[0].key.clauses()[0] == read.key.clauses()[0] => last.push(read),
                _ => partitions.push(vec![read]),
            }
        }
        if !self.forward {
            for partition in &mut partitions {
                partition.reverse();
            }
        }
        if self.descending {
            partitions.reverse();
        }
        partitions.into_iter().flatten().collect()
    }
}
