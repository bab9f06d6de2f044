//! Reads, taken apart into what each says of each item.
//!
//! A Query or Scan is no snapshot: each item that it returns, and each that it could have returned and did not, is one
//! read of that item, at some moment of the call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashrange_api::{
    BatchGetItemInput, GetItemInput, KeysAndAttributes, QueryInput, QueryOutput, Request, Response, ScanInput,
};
use hashrange_item::Attributes;

use super::{Client, Stage};
use crate::history::{CallId, Touch};
use crate::item::{Step, View};
use crate::oracle::expression::{Comparison, Condition, Operand, Path, Placeholders};
use crate::oracle::generate;
use crate::oracle::schema::{Attr, IndexSpec};
use crate::oracle::value::{from_attributes, to_attributes};
use crate::oracle::write::{item_of, names_of, values_of};
use crate::oracle::{Item, Key, Rng, Value};

/// A touch by a read.
fn seen(table: usize, key: Key, view: &Arc<View>, seen: Option<Item>, consistent: bool) -> Touch {
    Touch { table, key, step: Step::Read(Arc::clone(view), seen), stale: !consistent }
}

impl Client {
    pub(super) async fn get(&mut self, at: usize) {
        let key = self.pick_key(at);
        let consistent = self.rng.percent(70);
        let names = generate::all_names(self.stage(at).spec());
        let projection = self.rng.percent(40).then(|| generate::disjoint_paths(&mut self.rng, &names, 5));
        let mut placeholders = Placeholders::default();
        let request = GetItemInput {
            table_name: self.stage(at).spec().name.clone(),
            key: to_attributes(&key),
            consistent_read: Some(consistent),
            projection_expression: projection.as_ref().map(|paths| placeholders.projection(paths)),
            expression_attribute_names: names_of(&placeholders),
            ..GetItemInput::default()
        };
        let Some((id, answer)) = self.world.call(self.number, request.into(), Vec::new()).await else {
            return;
        };
        let Ok(Response::GetItem(output)) = answer else {
            return self.violate(format!("GetItem was answered {answer:?}"));
        };
        let view = Arc::new(View { projection, ..View::default() });
        let item = output.item.as_ref().map(item_of);
        let touch = seen(at, self.stage(at).key_of(&key), &view, item.clone(), consistent);
        self.world.history.answer(id, vec![touch], || format!("{item:?}"));
    }

    pub(super) async fn batch_get(&mut self) {
        let scene = Arc::clone(&self.world.scene);
        let consistent = self.rng.percent(70);
        let mut wanted: BTreeMap<usize, Vec<Item>> = BTreeMap::new();
        for (at, stage) in scene.stages.iter().enumerate() {
            let keys = self.rng.some(&stage.keys, 60);
            if !keys.is_empty() {
                wanted.insert(at, keys);
            }
        }
        if wanted.is_empty() {
            return;
        }
        let of_table = |(at, keys): (&usize, &Vec<Item>)| {
            let keys = keys.iter().map(to_attributes).collect();
            let keys = KeysAndAttributes { keys, consistent_read: Some(consistent), ..Default::default() };
            (scene.stages[*at].spec().name.clone(), keys)
        };
        let request_items = wanted.iter().map(of_table).collect();
        let request: Request = BatchGetItemInput { request_items, ..BatchGetItemInput::default() }.into();
        let Some((id, answer)) = self.world.call(self.number, request, Vec::new()).await else { return };
        let Ok(Response::BatchGetItem(output)) = answer else {
            return self.violate(format!("BatchGetItem was answered {answer:?}"));
        };
        let mut responses = output.responses.unwrap_or_default();
        let mut touches = Vec::new();
        for (at, keys) in wanted {
            let stage = &scene.stages[at];
            let images = responses.remove(&stage.spec().name).unwrap_or_default();
            let found = stage.by_key(images.iter().map(item_of));
            touches.extend(whole_reads(at, stage, &keys, found, consistent));
        }
        self.world.history.answer(id, touches, || "items".to_owned());
    }

    pub(super) async fn query(&mut self, at: usize) {
        let scene = Arc::clone(&self.world.scene);
        let query = Asked::random(&mut self.rng, &scene.stages[at], at);
        let mut start = None;
        loop {
            let request = query.request(start.as_ref()).into();
            let Some((id, answer)) = self.world.call(self.number, request, Vec::new()).await else { return };
            let Ok(Response::Query(output)) = answer else {
                return self.violate(format!("Query was answered {answer:?}"));
            };
            let last = output.last_evaluated_key.as_ref().map(from_attributes);
            match query.touches(start.as_ref(), &output) {
                Ok(touches) => self.world.history.answer(id, touches, || format!("{output:?}")),
                Err(what) => {
                    return self.violate(format!("{what}: {query:?} after {start:?} gave {output:?}"));
                }
            }
            start = last;
            if start.is_none() {
                return;
            }
        }
    }

    /// A Scan of the table, in segments, is recorded as one call: it says of each key whether its item was there.
    pub(super) async fn scan(&mut self, at: usize) {
        let scene = Arc::clone(&self.world.scene);
        let (consistent, segments) = (self.rng.percent(70), 1 + self.rng.below(3));
        let limit = self.rng.percent(50).then(|| i32::try_from(1 + self.rng.below(4)).expect("few"));
        let id =
            self.world.history.call(self.number, Vec::new(), || format!("Scan in {segments}, {limit:?}"));
        let input = ScanInput {
            table_name: scene.stages[at].spec().name.clone(),
            consistent_read: Some(consistent),
            limit,
            ..ScanInput::default()
        };
        let Some(items) = self.scan_segments(id, &input, segments).await else { return };
        let stage = &scene.stages[at];
        let count = items.len();
        let found = stage.by_key(items.into_iter());
        let known: BTreeSet<Key> = stage.keys.iter().map(|key| stage.key_of(key)).collect();
        if found.len() < count || found.keys().any(|key| !known.contains(key)) {
            return self
                .violate(format!("a Scan returned an item twice, or one that nobody wrote: {found:?}"));
        }
        let touches = whole_reads(at, stage, &stage.keys, found, consistent);
        self.world.history.answer(id, touches, || format!("{count} items"));
    }

    async fn scan_segments(&self, id: CallId, input: &ScanInput, segments: usize) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        for segment in 0..segments {
            let mut input = input.clone();
            if segments > 1 {
                input.segment = i32::try_from(segment).ok();
                input.total_segments = i32::try_from(segments).ok();
            }
            loop {
                let output = match self.world.ask(input.clone()).await {
                    Ok(Response::Scan(output)) => output,
                    Err(error) if self.world.is_excused(&error) => {
                        self.world.history.fail(id, || format!("{error:?}"));
                        return None;
                    }
                    answer => {
                        self.violate(format!("Scan was answered {answer:?}"));
                        return None;
                    }
                };
                items.extend(output.items.iter().flatten().map(item_of));
                input.exclusive_start_key = output.last_evaluated_key;
                if input.exclusive_start_key.is_none() {
                    break;
                }
            }
        }
        Some(items)
    }
}

impl Stage {
    /// Items by their keys. An item that comes twice is there once.
    fn by_key(&self, items: impl Iterator<Item = Item>) -> BTreeMap<Key, Item> {
        items.map(|item| (self.key_of(&item), item)).collect()
    }
}

/// What a read of whole items says of these keys.
pub(crate) fn whole_reads(
    table: usize,
    stage: &Stage,
    keys: &[Item],
    mut found: BTreeMap<Key, Item>,
    consistent: bool,
) -> Vec<Touch> {
    let view = Arc::new(View::default());
    let touch = |key: &Item| {
        let key = stage.key_of(key);
        let item = found.remove(&key);
        seen(table, key, &view, item, consistent)
    };
    keys.iter().map(touch).collect()
}

/// A Query of a table or an index.
#[derive(Debug)]
struct Asked<'a> {
    stage: &'a Stage,
    table: usize,
    index: Option<IndexSpec>,
    /// Key conditions first, then the filter if there is one.
    view: Arc<View>,
    keys: Vec<Condition>,
    filter: Option<Condition>,
    forward: bool,
    limit: Option<i32>,
    consistent: bool,
}

fn equal(attr: &Attr, value: Value) -> Condition {
    Condition::Compare(Operand::Path(Path::top(&attr.name)), Comparison::Equal, Operand::Value(value))
}

impl<'a> Asked<'a> {
    fn random(rng: &mut Rng, stage: &'a Stage, table: usize) -> Asked<'a> {
        let spec = stage.spec();
        let index = (!spec.indexes.is_empty() && rng.percent(50)).then(|| rng.pick(&spec.indexes).clone());
        let keys = key_conditions(rng, stage, index.as_ref());
        let carried = index.as_ref().and_then(|index| spec.carried(index));
        let mut names = carried.unwrap_or_else(|| generate::all_names(spec));
        let own = |name: &str| match &index {
            Some(index) => index.keys().any(|attr| attr.name == name),
            None => spec.is_key(name),
        };
        names.retain(|name| !own(name));
        let filter = (!names.is_empty() && rng.percent(25)).then(|| generate::condition(rng, &names, 1));
        let local = index.as_ref().is_none_or(|index| index.local);
        let conditions = keys.iter().chain(&filter).cloned().collect();
        let view = Arc::new(View { index: index.clone(), conditions, projection: None });
        let limit = rng.percent(40).then(|| i32::try_from(1 + rng.below(3)).expect("few"));
        let (forward, consistent) = (rng.percent(60), local && rng.percent(70));
        Asked { stage, table, index, view, keys, filter, forward, limit, consistent }
    }

    fn request(&self, start: Option<&Item>) -> QueryInput {
        let mut placeholders = Placeholders::default();
        let keys: Vec<_> = self.keys.iter().map(|condition| placeholders.condition(condition)).collect();
        QueryInput {
            table_name: self.stage.spec().name.clone(),
            index_name: self.index.as_ref().map(|index| index.name.clone()),
            key_condition_expression: Some(keys.join(" AND ")),
            filter_expression: self.filter.as_ref().map(|filter| placeholders.condition(filter)),
            expression_attribute_names: names_of(&placeholders),
            expression_attribute_values: values_of(&placeholders),
            limit: self.limit,
            scan_index_forward: Some(self.forward),
            consistent_read: Some(self.consistent),
            exclusive_start_key: start.map(to_attributes),
            ..QueryInput::default()
        }
    }

    /// What stands in the order of the table or index, for an item that has an entry.
    fn order(&self, item: &Item) -> Option<Vec<Value>> {
        match &self.index {
            Some(index) => self.stage.table.entry(index, item).map(|entry| entry.order),
            None => Some(self.stage.key_of(item).1.into_iter().collect()),
        }
    }

    /// What a page says of each item, and whether it is a page that this query can have.
    fn touches(&self, start: Option<&Item>, output: &QueryOutput) -> Result<Vec<Touch>, String> {
        let items: Vec<Item> = output.items.iter().flatten().map(item_of).collect();
        let last = output.last_evaluated_key.as_ref().map(|key: &Attributes| from_attributes(key));
        let between = |order: &Vec<Value>| {
            let after =
                start.and_then(|start| self.order(start)).is_none_or(|start| self.before(&start, order));
            after
                && last
                    .as_ref()
                    .and_then(|last| self.order(last))
                    .is_none_or(|last| !self.before(&last, order))
        };
        let orders: Option<Vec<Vec<Value>>> = items.iter().map(|item| self.order(item)).collect();
        let orders = orders.ok_or("an item without the index's key")?;
        if !orders.iter().all(between) || !orders.is_sorted_by(|one, two| self.before(one, two)) {
            return Err("items out of order".to_owned());
        }
        let mut found = self.stage.by_key(items.into_iter());
        let mut touches = Vec::new();
        for key in &self.stage.keys {
            let id = self.stage.key_of(key);
            let item = found.remove(&id);
            if item.is_some() || self.says_absent(key, &between) {
                touches.push(seen(self.table, id, &self.view, item, self.consistent));
            }
        }
        if found.is_empty() { Ok(touches) } else { Err(format!("items that nobody wrote: {found:?}")) }
    }

    fn before(&self, one: &Vec<Value>, two: &Vec<Value>) -> bool {
        if self.forward { one < two } else { one > two }
    }

    /// Whether an item that a page does not have was not there. In a table its place is known. In an index it may have
    /// moved from behind the page to before it; a page that is the whole answer is one instant of an item collection, of
    /// which a global index, being eventually consistent, says nothing.
    fn says_absent(&self, key: &Item, between: &impl Fn(&Vec<Value>) -> bool) -> bool {
        match &self.index {
            None => self.order(key).as_ref().is_some_and(between),
            Some(index) => index.local && self.limit.is_none(),
        }
    }
}

/// Equality of all partition-key attributes, with values that items have; sometimes a bound on the first sort-key
/// attribute.
fn key_conditions(rng: &mut Rng, stage: &Stage, index: Option<&IndexSpec>) -> Vec<Condition> {
    let spec = stage.spec();
    let (hash, range) = match index {
        Some(index) => (index.hash.clone(), index.range.first().cloned()),
        None => (vec![spec.hash.clone()], spec.range.clone()),
    };
    let mut conditions: Vec<Condition> = Vec::new();
    for attr in &hash {
        let known = rng.pick(&stage.keys).get(&attr.name).cloned();
        conditions.push(equal(attr, known.unwrap_or_else(|| generate::key_value(rng, attr.kind, 4))));
    }
    if let Some(attr) = range.filter(|_| rng.percent(30)) {
        let comparison =
            *rng.pick(&[Comparison::Less, Comparison::LessOrEqual, Comparison::Greater, Comparison::Equal]);
        let value = Operand::Value(generate::key_value(rng, attr.kind, 6));
        conditions.push(Condition::Compare(Operand::Path(Path::top(&attr.name)), comparison, value));
    }
    conditions
}
