//! GetItem, BatchGetItem, Query and Scan on both sides.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_api::{
    BatchGetItemInput, ConsumedCapacity, GetItemInput, KeysAndAttributes, QueryInput, QueryOutput,
    ReturnConsumedCapacity, ScanInput, ScanOutput, Select,
};
use hashrange_item::{Attributes, Image};

use hashrange_sim::oracle::expression::{Comparison, Condition, Operand, Path, Placeholders, project};
use hashrange_sim::oracle::generate;
use hashrange_sim::oracle::rng::Rng;
use hashrange_sim::oracle::schema::{Attr, IndexSpec};
use hashrange_sim::oracle::table::{Charge, Entry, Refusal, Table, carries, read_charge, read_units};
use hashrange_sim::oracle::value::{Item, Value, from_attributes, item_size, to_attributes};
use hashrange_sim::oracle::write::{check_refusal, item_of, names_of, values_of};

use crate::database::check_consumed;
use crate::run::{Verdict, World};
use crate::writes::check_charges;

/// A page ends once it has examined so many bytes.
const PAGE_BYTES: usize = 1024 * 1024;

/// What Query and Scan have in common.
#[derive(Clone, Debug)]
struct Reading {
    index: Option<IndexSpec>,
    select: Option<Select>,
    projection: Option<Vec<Path>>,
    filter: Option<Condition>,
    limit: Option<usize>,
    consistent: bool,
}

/// A page as it came.
struct Got {
    items: Option<Vec<Image>>,
    count: Option<i32>,
    scanned: Option<i32>,
    last: Option<Attributes>,
    consumed: Option<ConsumedCapacity>,
}

impl From<QueryOutput> for Got {
    fn from(output: QueryOutput) -> Got {
        Got {
            items: output.items,
            count: output.count,
            scanned: output.scanned_count,
            last: output.last_evaluated_key,
            consumed: output.consumed_capacity,
        }
    }
}

impl From<ScanOutput> for Got {
    fn from(output: ScanOutput) -> Got {
        Got {
            items: output.items,
            count: output.count,
            scanned: output.scanned_count,
            last: output.last_evaluated_key,
            consumed: output.consumed_capacity,
        }
    }
}

/// A page as it should be.
#[derive(Debug)]
struct Page {
    items: Option<Vec<Item>>,
    count: usize,
    scanned: usize,
    last: Option<Item>,
    charge: Charge,
}

impl Reading {
    fn plain(index: Option<IndexSpec>, limit: Option<usize>, consistent: bool) -> Reading {
        Reading { index, select: None, projection: None, filter: None, limit, consistent }
    }

    /// Whether entries of a local index send the reader to the table for more.
    fn fetches(&self, table: &Table) -> bool {
        let Some(index) = self.index.as_ref().filter(|index| index.local) else { return false };
        let everything = self.select == Some(Select::AllAttributes) && table.spec.carried(index).is_some();
        let more = self.projection.as_ref().is_some_and(|paths| !carries(&table.spec, index, paths));
        everything || more
    }

    /// Why the read is refused, if it is.
    fn refusal(&self, table: &Table) -> Option<Refusal> {
        let index = self.index.as_ref().filter(|index| !index.local)?;
        let mut texts = Vec::new();
        if self.consistent {
            texts.push("Consistent reads are not supported on global secondary indexes".to_owned());
        }
        if self.select == Some(Select::AllAttributes) && table.spec.carried(index).is_some() {
            texts.push(format!(
                "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global \
                 secondary index {} because its projection type is not ALL",
                index.name
            ));
        }
        let uncarried = self.projection.as_ref().is_some_and(|paths| !carries(&table.spec, index, paths));
        match (texts.is_empty(), uncarried) {
            (true, false) => None,
            (_, true) => Some(Refusal::invalid(Vec::new())),
            (false, false) => Some(Refusal::invalid(texts)),
        }
    }

    /// The page that begins with these entries.
    fn page(&self, table: &Table, entries: &[Entry]) -> Page {
        let (mut bytes, mut fetched, mut full) = (0, 0, false);
        let (mut examined, mut items) = (0, Vec::new());
        for entry in entries {
            examined += 1;
            bytes += item_size(&entry.item);
            let mut item = &entry.item;
            if self.fetches(table) {
                item = &table.items[&entry.key];
                fetched += read_units(item_size(item), self.consistent);
            }
            if self.filter.as_ref().is_none_or(|filter| filter.evaluate(item)) {
                items.push(
                    self.projection.as_ref().map_or_else(|| item.clone(), |paths| project(item, paths)),
                );
            }
            full = bytes >= PAGE_BYTES || self.limit == Some(examined);
            if full {
                break;
            }
        }
        Page {
            count: items.len(),
            items: (self.select != Some(Select::Count)).then_some(items),
            scanned: examined,
            last: full.then(|| self.position(table, &entries[examined - 1].item)),
            charge: read_charge(self.index.as_ref(), bytes, fetched, self.consistent),
        }
    }

    /// The keys of the table and of the index.
    fn position(&self, table: &Table, item: &Item) -> Item {
        let index = self.index.iter().flat_map(IndexSpec::keys);
        let names = table.spec.keys().chain(index).map(|attr| attr.name.clone());
        names.map(|name| (name.clone(), item[&name].clone())).collect()
    }
}

fn check_page(got: &Got, expected: &Page, table: &str) -> Verdict {
    let items: Option<Vec<Item>> = got.items.as_ref().map(|items| items.iter().map(item_of).collect());
    let number = |number: usize| i32::try_from(number).ok();
    let last = got.last.as_ref().map(from_attributes);
    if items != expected.items {
        return Err(format!("items {items:?}, expected {:?}", expected.items));
    }
    if got.count != number(expected.count) || got.scanned != number(expected.scanned) {
        return Err(format!("count {:?} of {:?}, expected {expected:?}", got.count, got.scanned));
    }
    if last != expected.last {
        return Err(format!("LastEvaluatedKey {last:?}, expected {:?}", expected.last));
    }
    check_consumed(got.consumed.as_ref(), table, &expected.charge)
}

impl World<'_> {
    pub(crate) fn get(&mut self, at: usize) -> Verdict {
        let table = &self.tables[at];
        let key = generate::key(&mut self.rng, &table.spec);
        let names = generate::all_names(&table.spec);
        let paths = self.rng.percent(50).then(|| generate::disjoint_paths(&mut self.rng, &names, 5));
        let consistent = self.rng.percent(50);
        let mut placeholders = Placeholders::default();
        let input = GetItemInput {
            table_name: table.spec.name.clone(),
            key: to_attributes(&key),
            consistent_read: Some(consistent),
            projection_expression: paths.as_ref().map(|paths| placeholders.projection(paths)),
            expression_attribute_names: names_of(&placeholders),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..GetItemInput::default()
        };
        self.history.push(format!("{input:?}"));
        let output = self.database.call(input).map_err(|error| format!("{error:?}"))?;
        let stored = table.items.get(&table.key_of(&key));
        let expected = stored.map(|item| paths.map_or_else(|| item.clone(), |paths| project(item, &paths)));
        let got = output.item.as_ref().map(item_of);
        if got != expected {
            return Err(format!("item {got:?}, expected {expected:?}"));
        }
        let units = read_units(stored.map_or(0, item_size), consistent);
        let charge = Charge { table: units, ..Charge::default() };
        check_consumed(output.consumed_capacity.as_ref(), &table.spec.name, &charge)
    }

    pub(crate) fn batch_get(&mut self) -> Verdict {
        let mut requests = BTreeMap::new();
        let mut expected = BTreeMap::new();
        let mut charges = BTreeMap::new();
        let World { rng, tables, .. } = self;
        for (at, table) in tables.iter().enumerate() {
            if at > 0 && rng.percent(40) {
                continue;
            }
            let keys: BTreeSet<Item> = (0..=rng.below(12)).map(|_| generate::key(rng, &table.spec)).collect();
            let names = generate::all_names(&table.spec);
            let paths = rng.percent(50).then(|| generate::disjoint_paths(rng, &names, 4));
            let consistent = rng.percent(50);
            let found = keys.iter().map(|key| table.items.get(&table.key_of(key)));
            let units = found.clone().map(|item| read_units(item.map_or(0, item_size), consistent)).sum();
            let cut = |item: &Item| paths.as_ref().map_or_else(|| item.clone(), |paths| project(item, paths));
            let mut items: Vec<Item> = found.flatten().map(cut).collect();
            items.sort();
            let name = table.spec.name.clone();
            expected.insert(name.clone(), items);
            charges.insert(name.clone(), Charge { table: units, ..Charge::default() });
            requests.insert(name, keys_of(&keys, paths.as_deref(), consistent));
        }
        let input = BatchGetItemInput {
            request_items: requests,
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        };
        self.history.push(format!("{input:?}"));
        let output = self.database.call(input).map_err(|error| format!("{error:?}"))?;
        let got = output.responses.unwrap_or_default().into_iter().map(|(name, images)| {
            let mut items: Vec<Item> = images.iter().map(item_of).collect();
            items.sort();
            (name, items)
        });
        let got: BTreeMap<_, _> = got.collect();
        if got != expected || output.unprocessed_keys != Some(BTreeMap::new()) {
            return Err(format!("responses {got:?}, expected {expected:?}"));
        }
        check_charges(&output.consumed_capacity.unwrap_or_default(), &charges)
    }

    pub(crate) fn query(&mut self, at: usize) -> Verdict {
        let World { rng, tables, database, history } = self;
        let table = &tables[at];
        let reading = reading(rng, table, true);
        let conditions = key_conditions(rng, table, reading.index.as_ref());
        let forward = rng.percent(60);
        let mut start = rng.percent(20).then(|| random_start(rng, table, &reading, &conditions));
        let mut placeholders = Placeholders::default();
        let mut input = query_input(table, &reading, &conditions, &mut placeholders);
        input.scan_index_forward = if forward { None } else { Some(false) };
        let refusal = refusal_of_query(table, &reading, &conditions, start.as_ref());
        let mut entries = table.entries(reading.index.as_ref());
        entries.retain(|entry| conditions.iter().all(|condition| condition.evaluate(&entry.item)));
        entries
            .sort_by(|one, two| if forward { one.order.cmp(&two.order) } else { two.order.cmp(&one.order) });
        loop {
            input.exclusive_start_key = start.as_ref().map(to_attributes);
            history.push(format!("{input:?}"));
            let got = database.call(input.clone()).map(Got::from);
            let got = match (got, &refusal) {
                (Err(error), Some(refusal)) => return check_refusal(&error, refusal),
                (Err(error), None) => return Err(format!("refused with {error:?}")),
                (Ok(_), Some(refusal)) => return Err(format!("answered, expected {refusal:?}")),
                (Ok(got), None) => got,
            };
            if let Some(start) = &start {
                let after = order_of(table, reading.index.as_ref(), start);
                entries.retain(|entry| if forward { entry.order > after } else { entry.order < after });
            }
            check_page(&got, &reading.page(table, &entries), &table.spec.name)?;
            start = got.last.as_ref().map(from_attributes);
            if start.is_none() {
                return Ok(());
            }
        }
    }

    /// A Scan is walked twice: plainly first, which teaches the order of hashes, then with filter and projection.
    pub(crate) fn scan(&mut self, at: usize) -> Verdict {
        let reading = reading(&mut self.rng, &self.tables[at], false);
        let segments = if self.rng.percent(50) { 1 } else { 1 + self.rng.below(4) };
        let table = &self.tables[at];
        if let Some(refusal) = reading.refusal(table) {
            return self.refused_scan(table, &reading, &refusal);
        }
        let mut seen = Vec::new();
        for segment in 0..segments {
            let entries = self.learn(at, &reading, (segment, segments))?;
            self.scan_segment(at, &reading, (segment, segments), &entries)?;
            seen.extend(entries);
        }
        check_whole(&self.tables[at], reading.index.as_ref(), &seen)
    }

    fn refused_scan(&self, table: &Table, reading: &Reading, refusal: &Refusal) -> Verdict {
        let input = scan_input(table, reading, (0, 1), &mut Placeholders::default());
        match self.database.call(input) {
            Ok(_) => Err(format!("scanned {reading:?}, expected {refusal:?}")),
            Err(error) => check_refusal(&error, refusal),
        }
    }

    /// The entries of a segment, in the order of a plain scan.
    fn learn(&mut self, at: usize, reading: &Reading, segment: (usize, usize)) -> Result<Vec<Entry>, String> {
        let plain = Reading::plain(reading.index.clone(), reading.limit, reading.consistent);
        let table = &self.tables[at];
        let all = table.entries(reading.index.as_ref());
        let mut input = scan_input(table, &plain, segment, &mut Placeholders::default());
        let mut learned = Vec::new();
        loop {
            self.history.push(format!("{input:?}"));
            let got = Got::from(self.database.call(input.clone()).map_err(|error| format!("{error:?}"))?);
            let items: Vec<Item> = got.items.iter().flatten().map(item_of).collect();
            let mut page = Vec::new();
            for item in &items {
                let key = table.key_of(item);
                let entry = all.iter().find(|entry| entry.key == key);
                page.push(entry.ok_or_else(|| format!("scanned {item:?}, which is not there"))?.clone());
            }
            check_page(&got, &plain.page(table, &page), &table.spec.name)?;
            learned.extend(page);
            input.exclusive_start_key = got.last;
            if input.exclusive_start_key.is_none() {
                return Ok(learned);
            }
        }
    }

    fn scan_segment(
        &mut self,
        at: usize,
        reading: &Reading,
        segment: (usize, usize),
        entries: &[Entry],
    ) -> Verdict {
        let table = &self.tables[at];
        let mut input = scan_input(table, reading, segment, &mut Placeholders::default());
        let mut left = entries;
        loop {
            self.history.push(format!("{input:?}"));
            let got = Got::from(self.database.call(input.clone()).map_err(|error| format!("{error:?}"))?);
            let page = reading.page(table, left);
            check_page(&got, &page, &table.spec.name)?;
            left = &left[page.scanned..];
            input.exclusive_start_key = got.last;
            if input.exclusive_start_key.is_none() {
                return Ok(());
            }
        }
    }
}

fn keys_of(keys: &BTreeSet<Item>, paths: Option<&[Path]>, consistent: bool) -> KeysAndAttributes {
    let mut placeholders = Placeholders::default();
    KeysAndAttributes {
        keys: keys.iter().map(to_attributes).collect(),
        consistent_read: Some(consistent),
        projection_expression: paths.map(|paths| placeholders.projection(paths)),
        expression_attribute_names: names_of(&placeholders),
        attributes_to_get: None,
    }
}

/// Every entry was seen once; entries of one hash stand together, in the order of their sort keys.
fn check_whole(table: &Table, index: Option<&IndexSpec>, seen: &[Entry]) -> Verdict {
    let mut expected: Vec<_> = table.entries(index).into_iter().map(|entry| entry.key).collect();
    let mut keys: Vec<_> = seen.iter().map(|entry| entry.key.clone()).collect();
    keys.sort();
    expected.sort();
    if keys != expected {
        return Err(format!("scanned {keys:?}, expected {expected:?}"));
    }
    let mut hashes = Vec::new();
    for pair in seen.chunk_by(|one, two| one.hash == two.hash) {
        if hashes.contains(&&pair[0].hash) || !pair.is_sorted_by(|one, two| one.order < two.order) {
            return Err(format!("a collection is not in one piece and order: {pair:?}"));
        }
        hashes.push(&pair[0].hash);
    }
    Ok(())
}

/// What Query and Scan take.
fn reading(rng: &mut Rng, table: &Table, query: bool) -> Reading {
    let spec = &table.spec;
    let index = (!spec.indexes.is_empty() && rng.percent(65)).then(|| rng.pick(&spec.indexes).clone());
    let carried = index.as_ref().and_then(|index| spec.carried(index));
    let mut names = carried.unwrap_or_else(|| generate::all_names(spec));
    let own = |name: &String| match (&index, query) {
        (_, false) => false,
        (None, true) => spec.is_key(name),
        (Some(index), true) => index.keys().any(|attr| attr.name == *name),
    };
    let projected = if rng.percent(80) { names.clone() } else { generate::all_names(spec) };
    names.retain(|name| !own(name));
    let filter = (!names.is_empty() && rng.percent(40)).then(|| generate::condition(rng, &names, 2));
    let local = index.as_ref().is_none_or(|index| index.local);
    let mut reading = Reading {
        select: None,
        projection: None,
        filter,
        limit: rng.percent(50).then(|| 1 + rng.below(4)),
        consistent: if local { rng.percent(50) } else { rng.percent(3) },
        index,
    };
    match rng.below(10) {
        0 | 1 => reading.projection = Some(generate::disjoint_paths(rng, &projected, 4)),
        2 => {
            reading.projection = Some(generate::disjoint_paths(rng, &projected, 4));
            reading.select = Some(Select::SpecificAttributes);
        }
        3 => reading.select = Some(Select::Count),
        4 | 5 => reading.select = Some(Select::AllAttributes),
        6 if reading.index.is_some() => reading.select = Some(Select::AllProjectedAttributes),
        _ => {}
    }
    reading
}

/// Equalities on all partition-key attributes, and on sort-key attributes without a gap; the last may be a range.
fn key_conditions(rng: &mut Rng, table: &Table, index: Option<&IndexSpec>) -> Vec<Condition> {
    let (hash, range) = key_attrs(table, index);
    let mut conditions: Vec<Condition> = hash
        .iter()
        .map(|attr| {
            let pool = if table.spec.is_key(&attr.name) { 3 } else { 4 };
            equal(attr, generate::key_value(rng, attr.kind, pool))
        })
        .collect();
    let count = rng.below(range.len() + 1);
    for (at, attr) in range[..count].iter().enumerate() {
        let value = generate::key_value(rng, attr.kind, 6);
        if at + 1 < count || rng.percent(20) {
            conditions.push(equal(attr, value));
        } else {
            conditions.push(sort_condition(rng, attr, value));
        }
    }
    if rng.percent(50) {
        conditions.reverse();
    }
    conditions
}

fn key_attrs(table: &Table, index: Option<&IndexSpec>) -> (Vec<Attr>, Vec<Attr>) {
    match index {
        Some(index) => (index.hash.clone(), index.range.clone()),
        None => (vec![table.spec.hash.clone()], table.spec.range.iter().cloned().collect()),
    }
}

fn equal(attr: &Attr, value: Value) -> Condition {
    Condition::Compare(Operand::Path(Path::top(&attr.name)), Comparison::Equal, Operand::Value(value))
}

fn sort_condition(rng: &mut Rng, attr: &Attr, value: Value) -> Condition {
    let path = Path::top(&attr.name);
    match rng.below(6) {
        0 if !matches!(value, Value::N(_)) => Condition::BeginsWith(path, value),
        0 | 1 => {
            let mut bounds = [value, generate::key_value(rng, attr.kind, 6)];
            bounds.sort();
            let [low, high] = bounds;
            Condition::Between(Operand::Path(path), low, high)
        }
        at => {
            let comparison =
                [Comparison::Less, Comparison::LessOrEqual, Comparison::Greater, Comparison::GreaterOrEqual]
                    [at - 2];
            Condition::Compare(Operand::Path(path), comparison, Operand::Value(value))
        }
    }
}

/// A start key, most often with the query's partition key; its item need not exist.
fn random_start(rng: &mut Rng, table: &Table, reading: &Reading, conditions: &[Condition]) -> Item {
    let mut start = generate::key(rng, &table.spec);
    for attr in reading.index.iter().flat_map(IndexSpec::keys) {
        if !table.spec.is_key(&attr.name) {
            start.insert(attr.name.clone(), generate::key_value(rng, attr.kind, 4));
        }
    }
    let elsewhere = rng.percent(15);
    for condition in conditions.iter().filter(|_| !elsewhere) {
        if let Condition::Compare(Operand::Path(path), Comparison::Equal, Operand::Value(value)) = condition {
            start.insert(path.top.clone(), value.clone());
        }
    }
    start
}

fn order_of(table: &Table, index: Option<&IndexSpec>, start: &Item) -> Vec<Value> {
    match index {
        Some(index) => table.entry(index, start).expect("a start key has every key").order,
        None => table.spec.range.iter().map(|attr| start[&attr.name].clone()).collect(),
    }
}

fn refusal_of_query(
    table: &Table,
    reading: &Reading,
    conditions: &[Condition],
    start: Option<&Item>,
) -> Option<Refusal> {
    let refusal = reading.refusal(table);
    let outside = start.is_some_and(|start| !conditions.iter().all(|condition| condition.evaluate(start)));
    if !outside {
        return refusal;
    }
    let (_, range) = key_attrs(table, reading.index.as_ref());
    let is_on_sort_key = |condition: &&Condition| match condition {
        Condition::Compare(Operand::Path(path), ..)
        | Condition::Between(Operand::Path(path), ..)
        | Condition::BeginsWith(path, _) => range.iter().any(|attr| attr.name == path.top),
        _ => false,
    };
    let sort: Vec<_> = conditions.iter().filter(is_on_sort_key).collect();
    let start = start.expect("there is one outside");
    let text = if !sort.iter().all(|condition| condition.evaluate(start)) {
        "The provided starting key does not match the range key predicate"
    } else if sort.is_empty() {
        "The provided starting key is outside query boundaries based on provided conditions"
    } else {
        "The query can return at most one row and cannot be restarted"
    };
    let texts = if refusal.is_some() { Vec::new() } else { vec![text.to_owned()] };
    Some(Refusal::invalid(texts))
}

fn query_input(
    table: &Table,
    reading: &Reading,
    conditions: &[Condition],
    placeholders: &mut Placeholders,
) -> QueryInput {
    let conditions: Vec<_> = conditions.iter().map(|condition| placeholders.condition(condition)).collect();
    QueryInput {
        table_name: table.spec.name.clone(),
        index_name: reading.index.as_ref().map(|index| index.name.clone()),
        key_condition_expression: Some(conditions.join(" AND ")),
        filter_expression: reading.filter.as_ref().map(|filter| placeholders.condition(filter)),
        projection_expression: reading.projection.as_ref().map(|paths| placeholders.projection(paths)),
        expression_attribute_names: names_of(placeholders),
        expression_attribute_values: values_of(placeholders),
        select: reading.select,
        limit: reading.limit.and_then(|limit| i32::try_from(limit).ok()),
        consistent_read: Some(reading.consistent),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..QueryInput::default()
    }
}

fn scan_input(
    table: &Table,
    reading: &Reading,
    (segment, segments): (usize, usize),
    placeholders: &mut Placeholders,
) -> ScanInput {
    let part = |number: usize| (segments > 1).then(|| i32::try_from(number).expect("few"));
    ScanInput {
        table_name: table.spec.name.clone(),
        index_name: reading.index.as_ref().map(|index| index.name.clone()),
        filter_expression: reading.filter.as_ref().map(|filter| placeholders.condition(filter)),
        projection_expression: reading.projection.as_ref().map(|paths| placeholders.projection(paths)),
        expression_attribute_names: names_of(placeholders),
        expression_attribute_values: values_of(placeholders),
        select: reading.select,
        limit: reading.limit.and_then(|limit| i32::try_from(limit).ok()),
        consistent_read: Some(reading.consistent),
        segment: part(segment),
        total_segments: part(segments),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..ScanInput::default()
    }
}
