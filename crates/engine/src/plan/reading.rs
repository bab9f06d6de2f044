//! Plans of Query and Scan: which index, which rows, what is returned.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use hashrange_api::message::{self, Family};
use hashrange_api::{Error, Operation, Select};
use hashrange_item::{AttributeValue, Attributes, KeyAttribute, KeyKind, limits};
use hashrange_language::{Condition, KeyCondition, KeyOperator};
use hashrange_store::{RowKey, Space, partition_hash, segment_of};

use super::check_nested;
use crate::catalog::{Projection, Scope, Table};
use crate::check::{CheckedQuery, CheckedReading, CheckedScan, refuse};
use crate::core::Core;
use crate::index::Index;
use crate::key::has_declared_kind;
use crate::layout;
use crate::range::{Coding, RowRange, SortCondition};

/// A bounded read of one partition of a table or an index.
#[derive(Debug)]
pub(crate) struct RangePlan {
    pub(crate) source: Source,
    pub(crate) reading: CheckedReading,
    pub(crate) partition: Bytes,
    pub(crate) range: RowRange,
    pub(crate) forward: bool,
    pub(crate) start: Option<RowKey>,
    /// For people to read: everything that is run is in the fields above.
    pub(super) condition: KeyCondition,
}

impl RangePlan {
    /// Whether its sort keys lie between bounds, or nothing more than one item can be there.
    pub(crate) fn is_bounded(&self) -> bool {
        let has_one_item = self.source.place == Place::Table && self.source.range().is_empty();
        has_one_item || self.condition.clauses().len() > self.source.hash().len()
    }
}

/// A read of one slice of a whole table or index, in hash order.
#[derive(Debug)]
pub(crate) struct SweepPlan {
    pub(crate) source: Source,
    pub(crate) reading: CheckedReading,
    pub(crate) segment: u32,
    pub(crate) segments: u32,
    pub(crate) start: Option<(Bytes, RowKey)>,
}

/// A table or one of its indexes, and what a read takes from it.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) table: Arc<Table>,
    pub(crate) place: Place,
    /// Whether the whole item must be fetched for each entry, since the local index does not carry what is asked for.
    pub(crate) fetch: bool,
}

/// Which of a table's orders is read; indexes by their position in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Table,
    Local(usize),
    Global(usize),
}

impl Source {
    /// The index, unless the table itself is read.
    pub(crate) fn index(&self) -> Option<Index<'_>> {
        match self.place {
            Place::Table => None,
            Place::Local(at) => Some(Index::Local(&self.table.schema.locals[at])),
            Place::Global(at) => Some(Index::Global(&self.table.schema.globals[at])),
        }
    }

    /// Whether a global index is read.
    pub(crate) fn is_global(&self) -> bool {
        matches!(self.place, Place::Global(_))
    }

    /// Where the rows lie, and their kind.
    pub(crate) fn rows(&self) -> (Space, u8) {
        self.index().map_or((self.table.space, layout::ITEM), |index| index.total(&self.table))
    }

    pub(super) fn hash(&self) -> &[KeyAttribute] {
        match self.place {
            Place::Global(at) => &self.table.schema.globals[at].hash,
            _ => std::slice::from_ref(&self.table.schema.key.hash),
        }
    }

    pub(super) fn range(&self) -> &[KeyAttribute] {
        match self.place {
            Place::Table => self.table.schema.key.range.as_slice(),
            Place::Local(at) => std::slice::from_ref(&self.table.schema.locals[at].range),
            Place::Global(at) => &self.table.schema.globals[at].range,
        }
    }

    fn coding(&self) -> Coding {
        if self.place == Place::Table { Coding::Scalar } else { Coding::Components }
    }

    /// The attributes that name a place in this order: index keys and table keys.
    pub(crate) fn position_attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        let table = &self.table.schema.key;
        let own = match self.place {
            Place::Table => [].iter().chain([].iter()),
            _ => self.hash().iter().chain(self.range()),
        };
        own.chain(table.attributes())
    }

    /// Partition and row of the entry with these key attributes; `None` if they are not exactly its key attributes.
    fn position(&self, key: &Attributes) -> Option<(Bytes, RowKey)> {
        let mut names: Vec<&str> =
            self.position_attributes().map(|attribute| attribute.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if key.len() != names.len() {
            return None;
        }
        let value = |attribute: &KeyAttribute| {
            key.get(&attribute.name).filter(|value| has_declared_kind(value, attribute)).cloned()
        };
        let table = &self.table.schema.key;
        let table_hash = value(&table.hash)?;
        let table_range = table.range.as_ref().map(value);
        let item_row = match table_range {
            None => layout::item_row(None),
            Some(range) => layout::item_row(Some(&range?)),
        };
        let range = self.range().iter().map(value).collect::<Option<Vec<_>>>()?;
        match self.place {
            Place::Table => Some((layout::partition(&table_hash), item_row)),
            Place::Local(at) => {
                let kind = self.table.schema.locals[at].row_kind;
                Some((layout::partition(&table_hash), layout::local_row(kind, &range[0], &item_row)))
            }
            Place::Global(_) => {
                let hash = self.hash().iter().map(value).collect::<Option<Vec<_>>>()?;
                Some((layout::global_partition(&hash), layout::global_row(&range, &table_hash, &item_row)))
            }
        }
    }
}

/// Plans a Query.
pub(crate) fn query(core: &Core, scope: &Scope, query: CheckedQuery) -> Result<RangePlan, Error> {
    let CheckedQuery { reading, condition, forward } = query;
    let mut source = source(core, scope, &reading)?;
    check_count(&source, &condition)?;
    check_types(&source, &condition)?;
    let hash = hash_values(&source, &condition)?;
    let (equal, sort) = sort_condition(&source, &condition)?;
    check_clauses_are_keys(&source, &condition)?;
    if !reading.statement {
        check_sort_values(&source, &condition)?;
    }
    let partition = match source.place {
        Place::Global(_) => layout::global_partition(&hash),
        _ => layout::partition(&hash[0]),
    };
    let range = RowRange::new(source.rows().1, source.coding(), &equal, sort.as_ref());
    let has_sort = !equal.is_empty() || sort.is_some();
    let start = query_start(&source, &reading, &partition, &range, has_sort)?;
    check_filter_keys(&source, &reading)?;
    check_paths(&source, &reading)?;
    source.fetch = needs_fetch(&source, &reading)?;
    Ok(RangePlan { source, reading, partition, range, forward, start, condition })
}

/// Plans a Scan.
pub(crate) fn scan(core: &Core, scope: &Scope, scan: CheckedScan) -> Result<SweepPlan, Error> {
    let CheckedScan { reading, segment, segments } = scan;
    let mut source = source(core, scope, &reading)?;
    source.fetch = needs_fetch(&source, &reading)?;
    let start = match &reading.start {
        None => None,
        Some(key) => {
            let position = source.position(key).ok_or_else(|| scan_start_fault(&source, key))?;
            if segment_of(partition_hash(&position.0), segments) != segment {
                let text = message::query::start_key_segment(i64::from(segments), i64::from(segment));
                return Err(Error::validation(text));
            }
            Some(position)
        }
    };
    check_paths(&source, &reading)?;
    Ok(SweepPlan { source, reading, segment, segments, start })
}

/// What is wrong with a Scan's start key of the wrong shape. An index's own keys are looked at first, and have texts of
/// their own.
fn scan_start_fault(source: &Source, key: &Attributes) -> Error {
    let names: BTreeSet<_> = source.position_attributes().map(|attribute| attribute.name.as_str()).collect();
    let index_keys = || source.hash().iter().chain(source.range());
    if source.place == Place::Table {
        return Error::validation(message::query::start_key_schema());
    }
    if key.len() != names.len() || !index_keys().all(|attribute| key.get(&attribute.name).is_some()) {
        return Error::validation(message::query::start_key_invalid());
    }
    let fits = |attribute: &KeyAttribute| {
        key.get(&attribute.name).is_some_and(|value| has_declared_kind(value, attribute))
    };
    if index_keys().all(fits) {
        Error::validation(message::query::start_key_schema())
    } else {
        Error::validation(message::item::key_mismatch())
    }
}

/// The table or index that is read.
fn source(core: &Core, scope: &Scope, reading: &CheckedReading) -> Result<Source, Error> {
    let table = core.catalog.active(scope, &reading.table_name)?;
    let place = match &reading.index_name {
        None => Place::Table,
        Some(name) => place_of(core, &table, name)?,
    };
    if matches!(place, Place::Global(_)) && reading.consistent {
        return Err(Error::validation(message::query::consistent_on_global_index()));
    }
    Ok(Source { table, place, fetch: false })
}

fn place_of(core: &Core, table: &Table, name: &str) -> Result<Place, Error> {
    let local = table.schema.locals.iter().position(|index| index.name == name).map(Place::Local);
    let global = || table.schema.globals.iter().position(|index| index.name == name).map(Place::Global);
    let Some(place) = local.or_else(global) else {
        return Err(Error::validation(message::item::index_not_found(name)));
    };
    if matches!(place, Place::Global(_)) && !core.catalog.is_readable(table, name) {
        return Err(Error::validation(message::query::index_backfilling(name)));
    }
    Ok(place)
}

/// A local index fetches from the table what it does not carry; a global index refuses to.
fn needs_fetch(source: &Source, reading: &CheckedReading) -> Result<bool, Error> {
    let Some(index) = source.index() else { return Ok(false) };
    let Some(carried) = carried(source, index) else { return Ok(false) };
    let fetch = needs_fetch_for_answer(source, reading, index, &carried)?;
    if reading.statement {
        return Ok(fetch);
    }
    let filtered = reading.filter.as_ref().map_or_else(BTreeSet::new, Condition::top_level_attributes);
    let missing = missing(filtered, &carried);
    if !fetch && !missing.is_empty() {
        return Err(Error::validation(message::query::filter_not_projected(index.name(), &missing)));
    }
    Ok(fetch)
}

fn needs_fetch_for_answer(
    source: &Source,
    reading: &CheckedReading,
    index: Index<'_>,
    carried: &[&str],
) -> Result<bool, Error> {
    let wanted = match (&reading.projection, reading.select) {
        (Some(projection), _) => missing(projection.top_level_attributes(), carried),
        (None, Some(Select::AllAttributes)) => return fetch_everything(source, index),
        (None, _) => return Ok(false),
    };
    match index {
        Index::Local(_) => Ok(!wanted.is_empty()),
        Index::Global(_) if wanted.is_empty() => Ok(false),
        Index::Global(_) => Err(Error::validation(message::query::not_projected(index.name(), &wanted))),
    }
}

fn missing<'a>(names: BTreeSet<&'a str>, carried: &[&str]) -> Vec<&'a str> {
    names.into_iter().filter(|name| !carried.contains(name)).collect()
}

fn fetch_everything(source: &Source, index: Index<'_>) -> Result<bool, Error> {
    match source.place {
        Place::Global(_) => Err(Error::validation(message::query::select_all_on_partial_index(index.name()))),
        _ => Ok(true),
    }
}

/// The attributes that the index carries; `None` if it carries all.
pub(super) fn carried<'a>(source: &'a Source, index: Index<'a>) -> Option<Vec<&'a str>> {
    let included: &[String] = match index.projection() {
        Projection::All => return None,
        Projection::KeysOnly => &[],
        Projection::Include(names) => names,
    };
    let keys = source.position_attributes().map(|attribute| attribute.name.as_str());
    Some(keys.chain(included.iter().map(String::as_str)).collect())
}

/// There are no more conditions than key attributes. Two on a key of one attribute have a text of their own, further on.
fn check_count(source: &Source, condition: &KeyCondition) -> Result<(), Error> {
    let (conditions, attributes) = (condition.clauses().len(), source.hash().len() + source.range().len());
    if conditions > attributes.max(2) {
        return Err(Error::validation(message::query::conditions_exceed_key(conditions, attributes)));
    }
    Ok(())
}

/// Values of key conditions have the type of their key attribute.
fn check_types(source: &Source, condition: &KeyCondition) -> Result<(), Error> {
    for attribute in source.hash().iter().chain(source.range()) {
        let Some(clause) = condition.clause(&attribute.name) else { continue };
        let begins_with_number =
            matches!(clause.operator, KeyOperator::BeginsWith(_)) && attribute.kind == KeyKind::N;
        if begins_with_number || !clause.operator.values().all(|value| has_declared_kind(value, attribute)) {
            return Err(Error::validation(message::query::condition_type()));
        }
    }
    Ok(())
}

/// Each partition-key attribute equals one value.
fn hash_values(source: &Source, condition: &KeyCondition) -> Result<Vec<AttributeValue>, Error> {
    let mut values = Vec::with_capacity(1);
    for attribute in source.hash() {
        let Some(clause) = condition.clause(&attribute.name) else {
            return Err(Error::validation(message::query::missed_key_element(&attribute.name)));
        };
        let KeyOperator::Equal(value) = &clause.operator else {
            return Err(Error::validation(message::expression::key_condition_not_supported()));
        };
        check_not_empty(&attribute.name, value)?;
        values.push(AttributeValue::clone(value));
    }
    Ok(values)
}

/// Values of conditions on the sort key could be sort keys.
fn check_sort_values(source: &Source, condition: &KeyCondition) -> Result<(), Error> {
    for attribute in source.range() {
        let values =
            condition.clause(&attribute.name).into_iter().flat_map(|clause| clause.operator.values());
        for value in values {
            check_not_empty(&attribute.name, value)?;
            if value.size() > limits::SORT_KEY_MAX {
                return Err(Error::validation(message::item::sort_key_too_long()));
            }
        }
    }
    Ok(())
}

fn check_not_empty(attribute: &str, value: &AttributeValue) -> Result<(), Error> {
    match value {
        AttributeValue::S(text) if text.is_empty() => {
            Err(Error::validation(message::item::empty_key_string(attribute)))
        }
        AttributeValue::B(bytes) if bytes.is_empty() => {
            Err(Error::validation(message::item::empty_key_binary(attribute)))
        }
        _ => Ok(()),
    }
}

/// Leading sort attributes equal values, the last one named may have any condition, and none is skipped.
fn sort_condition(
    source: &Source,
    condition: &KeyCondition,
) -> Result<(Vec<AttributeValue>, Option<SortCondition>), Error> {
    let mut equal = Vec::new();
    let mut last = None;
    let mut gap: Option<&str> = None;
    for attribute in source.range() {
        match condition.clause(&attribute.name) {
            None => {
                gap = gap.or(Some(&attribute.name));
            }
            Some(_) if gap.is_some() => {
                let text = message::query::range_gap(gap.unwrap_or_default(), &attribute.name);
                return Err(Error::validation(text));
            }
            Some(clause) => match sort_of(&clause.operator) {
                Ok(value) => equal.push(value),
                Err(condition) => {
                    last = Some(condition);
                    gap = Some(&attribute.name);
                }
            },
        }
    }
    Ok((equal, last))
}

/// The value that the attribute equals, or the condition that leaves it a range.
fn sort_of(operator: &KeyOperator) -> Result<AttributeValue, SortCondition> {
    let own = |value: &Arc<AttributeValue>| AttributeValue::clone(value);
    Err(match operator {
        KeyOperator::Equal(value) => return Ok(own(value)),
        KeyOperator::Less(value) => SortCondition::Less(own(value)),
        KeyOperator::LessOrEqual(value) => SortCondition::LessOrEqual(own(value)),
        KeyOperator::Greater(value) => SortCondition::Greater(own(value)),
        KeyOperator::GreaterOrEqual(value) => SortCondition::GreaterOrEqual(own(value)),
        KeyOperator::Between(low, high) => SortCondition::Between(own(low), own(high)),
        KeyOperator::BeginsWith(value) => SortCondition::BeginsWith(own(value)),
    })
}

/// A condition on an attribute that is no key takes the place of one on the sort key, which is then missed.
fn check_clauses_are_keys(source: &Source, condition: &KeyCondition) -> Result<(), Error> {
    let known =
        |name: &str| source.hash().iter().chain(source.range()).any(|attribute| attribute.name == name);
    if condition.clauses().iter().all(|clause| known(&clause.attribute)) {
        return Ok(());
    }
    let missed = source.range().iter().find(|attribute| condition.clause(&attribute.name).is_none());
    let Some(missed) = missed else {
        return Err(Error::validation(message::expression::key_condition_not_supported()));
    };
    Err(Error::validation(message::query::missed_key_element(&missed.name)))
}

/// A Query's filter does not name key attributes of what is read.
fn check_filter_keys(source: &Source, reading: &CheckedReading) -> Result<(), Error> {
    let Some(filter) = reading.filter.as_ref().filter(|_| !reading.statement) else { return Ok(()) };
    let named = filter.top_level_attributes();
    let key =
        source.hash().iter().chain(source.range()).find(|attribute| named.contains(attribute.name.as_str()));
    match key {
        None => Ok(()),
        Some(key) => {
            let text = if reading.legacy_filter {
                message::expression::query_filter_on_key(&key.name)
            } else {
                message::expression::filter_on_key(&key.name)
            };
            Err(refuse(Operation::Query, Family::Key, text))
        }
    }
}

/// Neither projection nor filter looks into a key attribute.
fn check_paths(source: &Source, reading: &CheckedReading) -> Result<(), Error> {
    if reading.statement {
        return Ok(());
    }
    if let Some(projection) = &reading.projection {
        check_nested(&source.table, &projection.nested_attributes())?;
    }
    match &reading.filter {
        Some(filter) => check_nested(&source.table, &filter.nested_attributes()),
        None => Ok(()),
    }
}

fn query_start(
    source: &Source,
    reading: &CheckedReading,
    partition: &Bytes,
    range: &RowRange,
    has_sort: bool,
) -> Result<Option<RowKey>, Error> {
    let Some(key) = &reading.start else { return Ok(None) };
    let Some((at, row)) = source.position(key) else {
        return Err(Error::validation(message::query::start_key_invalid()));
    };
    if !range.contains(&row) {
        return Err(Error::validation(message::query::start_key_predicate()));
    }
    if at != *partition {
        let text =
            if has_sort { message::query::start_key_one_row } else { message::query::start_key_outside };
        return Err(Error::validation(text()));
    }
    Ok(Some(row))
}

fn describe(condition: &KeyCondition) -> String {
    let clauses: Vec<_> = condition.clauses().iter().map(ToString::to_string).collect();
    clauses.join(" AND ")
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table.name)?;
        match self.index() {
            None => Ok(()),
            Some(index @ Index::Local(_)) => write!(f, " by local index {}", index.name()),
            Some(index @ Index::Global(_)) => write!(f, " by global index {}", index.name()),
        }?;
        if self.fetch { f.write_str(", fetching each item from the table") } else { Ok(()) }
    }
}

impl fmt::Display for CheckedReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.consistent { " (strongly consistent)" } else { " (eventually consistent)" })?;
        if let Some(limit) = self.limit {
            write!(f, ", examines at most {limit} items")?;
        }
        if let Some(filter) = &self.filter {
            write!(f, ", drops after reading what fails {filter}")?;
        }
        Ok(())
    }
}

impl fmt::Display for RangePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = if self.forward { "ascending" } else { "descending" };
        let bounds = describe(&self.condition);
        write!(f, "RangeRead on {} where {bounds} {order}{}", self.source, self.reading)
    }
}

impl fmt::Display for SweepPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SweepSegment {} of {} on {}{}", self.segment, self.segments, self.source, self.reading)
    }
}
