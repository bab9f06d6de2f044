//! The plan of a read, from its request.

use hashrange_api::Operation;

use super::request::{Action, Request, Verb};
use super::units::Reading;
use super::{Arm, PatternPlan, PlanClass, SortBound, collections, need, shards, sizes};
use crate::catalogue::{Catalogue, Entity, Index, IndexKind, Keys, Pattern, Projection, Table};

/// Where a read looks.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    catalogue: &'a Catalogue,
    pattern: &'a Pattern,
    table: &'a Table,
    index: Option<&'a Index>,
}

impl<'a> Place<'a> {
    fn keys(&self) -> &'a Keys {
        self.index.map_or(&self.table.keys, |index| &index.keys)
    }

    fn item_bytes(&self, entity: &Entity) -> Option<f64> {
        match self.index {
            Some(index) => sizes::entry_bytes(self.catalogue, self.table, index, entity),
            None => sizes::entity_bytes(self.catalogue, entity),
        }
    }
}

/// Plans a read whose request is known.
pub(super) fn plan(catalogue: &Catalogue, pattern: &Pattern, request: &Request, plan: &mut PatternPlan) {
    let Some(action) = request.actions.first() else { return };
    plan.table.clone_from(&action.table);
    plan.transaction = request.transaction;
    let index_name = action.index.clone().or_else(|| pattern.index.clone());
    let place = match place(catalogue, pattern, &action.table, index_name.as_deref()) {
        Ok(place) => place,
        Err(remedy) => return unservable(plan, remedy),
    };
    plan.index = index_name;
    describe(action, plan);
    if let Err(remedy) = bind_keys(&place, action, plan) {
        return unservable(plan, remedy);
    }
    plan.class = class(&place, action, request, pattern, plan);
    if matches!(plan.class, PlanClass::Scan | PlanClass::IndexScan) {
        plan.remedy = need::for_filter(catalogue, pattern, place.table, action.filter.as_ref());
    }
    if request.actions.len() > 1 || action.verb == Verb::Get {
        keyed(&place, request, plan);
    } else {
        swept(&place, action, plan);
    }
}

/// Plans a read of which only the operation is known.
pub(super) fn unstated(
    catalogue: &Catalogue,
    pattern: &Pattern,
    operation: Operation,
    plan: &mut PatternPlan,
) {
    let table = pattern.table.clone().or_else(|| Some(catalogue.tables.first()?.name.clone()));
    plan.table = table.unwrap_or_default();
    let verb = match operation {
        Operation::Query | Operation::ExecuteStatement => Verb::Query,
        Operation::Scan => Verb::Scan,
        Operation::GetItem | Operation::BatchGetItem | Operation::TransactGetItems => Verb::Get,
        _ => Verb::Search,
    };
    plan.transaction = operation == Operation::TransactGetItems;
    let place = match place(catalogue, pattern, &plan.table, pattern.index.as_deref()) {
        Ok(place) => place,
        Err(remedy) => return unservable(plan, remedy),
    };
    let action = Action { verb, table: plan.table.clone(), reads: 1, ..Action::default() };
    let request = Request { batch: operation == Operation::BatchGetItem, ..Request::default() };
    plan.class = class(&place, &action, &request, pattern, plan);
    if verb == Verb::Get {
        let items = pattern.items.unwrap_or(1.0);
        sized_gets(&place, &[], items, plan);
    } else {
        swept(&place, &action, plan);
    }
}

fn unservable(plan: &mut PatternPlan, remedy: String) {
    plan.class = PlanClass::Unservable;
    plan.remedy = Some(remedy);
}

fn place<'a>(
    catalogue: &'a Catalogue,
    pattern: &'a Pattern,
    table: &str,
    index: Option<&str>,
) -> Result<Place<'a>, String> {
    let Some(found) = catalogue.table(table) else {
        let names = catalogue.tables.iter().map(|table| table.name.as_str());
        return Err(format!("there is no table \"{table}\"{}", near(table, names)));
    };
    let index = match index {
        None => None,
        Some(name) => Some(found.index(name).ok_or_else(|| {
            let names = found.indexes.iter().map(|index| index.name.as_str());
            format!("table {table} has no index \"{name}\"{}", near(name, names))
        })?),
    };
    Ok(Place { catalogue, pattern, table: found, index })
}

/// `; the nearest is X`, where one is near.
pub(super) fn near<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> String {
    let best =
        names.map(|known| (strsim::jaro_winkler(known, name), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(String::new, |(_, known)| format!("; the nearest is {known}"))
}

/// What is seen in the part itself.
fn describe(action: &Action, plan: &mut PatternPlan) {
    let filter = action.filter.as_ref();
    plan.filter = filter
        .map(|filter| filter.attributes_in_order().into_iter().map(str::to_owned).collect())
        .unwrap_or_default();
    plan.wanted = action.wanted.clone().unwrap_or_default();
    if let Some(strong) = action.strong {
        plan.strong = strong;
    }
    if action.verb == Verb::Query {
        plan.forward = Some(action.forward.unwrap_or(true));
    }
}

/// Sorts the clauses of a key condition, or the attributes of a key, into partition key and sort key.
fn bind_keys(place: &Place<'_>, action: &Action, plan: &mut PatternPlan) -> Result<(), String> {
    let keys = place.keys();
    match action.verb {
        Verb::Get => {
            for part in &action.key {
                if keys.hash.contains(&part.attribute) {
                    plan.hash.push((part.attribute.clone(), part.text.clone()));
                } else {
                    plan.sort.push(SortBound {
                        attribute: part.attribute.clone(),
                        operator: "=",
                        operands: vec![part.text.clone()],
                    });
                }
            }
            whole_key(place.table, action)
        }
        Verb::Query => bind_clauses(keys, &action.clauses, plan),
        _ => Ok(()),
    }
}

fn whole_key(table: &Table, action: &Action) -> Result<(), String> {
    let missing = table.keys.attributes().find(|key| action.key.iter().all(|part| part.attribute != *key));
    match missing {
        Some(key) => Err(format!(
            "the key lacks {key}: give the whole key of {}, or read the collection with Query",
            table.name
        )),
        None => Ok(()),
    }
}

fn bind_clauses(keys: &Keys, clauses: &[SortBound], plan: &mut PatternPlan) -> Result<(), String> {
    for attribute in &keys.hash {
        let clause = clauses.iter().find(|clause| clause.attribute == *attribute && clause.operator == "=");
        let clause = clause.ok_or_else(|| {
            format!("the key condition must give {attribute} with =: it is a partition key attribute of what is read")
        })?;
        plan.hash.push((attribute.clone(), clause.operands.first().cloned().unwrap_or_default()));
    }
    let rest = clauses.iter().filter(|clause| !keys.hash.contains(&clause.attribute));
    let mut expected = keys.range.iter();
    let mut sorted: Vec<&SortBound> = rest.collect();
    sorted.sort_by_key(|clause| keys.range.iter().position(|key| *key == clause.attribute));
    for clause in sorted {
        if expected.next() != Some(&clause.attribute) {
            return Err(format!(
                "the key condition names {}, which is not the next sort key attribute of what is read: use an index \
                 that has it as key",
                clause.attribute
            ));
        }
        plan.sort.push(clause.clone());
    }
    Ok(())
}

fn class(
    place: &Place<'_>,
    action: &Action,
    request: &Request,
    pattern: &Pattern,
    plan: &PatternPlan,
) -> PlanClass {
    let by_key = place.index.is_none()
        && pattern.operation == Some(Operation::ExecuteStatement)
        && place.keys().attributes().count() == plan.hash.len() + plan.sort.len()
        && plan.sort.iter().all(|bound| bound.operator == "=");
    let shards = pattern.shards.filter(|shards| *shards > 1);
    match (action.verb, place.index) {
        (Verb::Get, _) if request.actions.len() > 1 || request.batch => PlanClass::BatchGet,
        (Verb::Get, _) => PlanClass::Get,
        (Verb::Query, _) if by_key && action.reads > 1 => PlanClass::BatchGet,
        (Verb::Query, _) if by_key => PlanClass::Get,
        (Verb::Query, _) if action.reads > 1 => {
            PlanClass::Scatter(u32::try_from(action.reads).unwrap_or(u32::MAX))
        }
        (Verb::Query, _) if shards.is_some() => PlanClass::Scatter(shards.unwrap_or(1)),
        (Verb::Query, Some(_)) if plan.sort.is_empty() => PlanClass::IndexCollection,
        (Verb::Query, Some(_)) => PlanClass::IndexRange,
        (Verb::Query, None) if plan.sort.is_empty() => PlanClass::Collection,
        (Verb::Query, None) => PlanClass::Range,
        (Verb::Scan, Some(_)) => PlanClass::IndexScan,
        (Verb::Scan, None) => PlanClass::Scan,
        _ => PlanClass::Vector,
    }
}

/// Reads of single items.
fn keyed(place: &Place<'_>, request: &Request, plan: &mut PatternPlan) {
    let count = super::float(request.actions.len());
    let items = if request.actions.len() > 1 { count } else { place.pattern.items.unwrap_or(1.0) };
    sized_gets(place, &request.actions, items, plan);
}

fn sized_gets(place: &Place<'_>, actions: &[Action], items: f64, plan: &mut PatternPlan) {
    let reading = Reading::of(plan.strong, plan.transaction);
    plan.items = Some(items);
    let mut found: Vec<(String, f64)> = Vec::new();
    let bytes_of = |action: &Action| {
        place.pattern.item_bytes.or_else(|| {
            let entity = collections::one(place.catalogue, place.pattern, action);
            entity
                .and_then(|entity| sizes::entity_bytes(place.catalogue, entity))
                .or_else(|| place.catalogue.table(&action.table)?.item_bytes)
        })
    };
    for action in actions {
        found.extend(bytes_of(action).map(|bytes| (action.table.clone(), bytes)));
    }
    let whole = !actions.is_empty() && found.len() == actions.len();
    let scale = if whole { items / super::float(actions.len()) } else { items };
    if !whole {
        let named: Vec<&Entity> =
            collections::reached(place.catalogue, place.pattern, place.table, &Keys::default(), &[]);
        let bytes = place.pattern.item_bytes.or_else(|| mean(place, &named)).or(place.table.item_bytes);
        found = bytes.map(|bytes| (place.table.name.clone(), bytes)).into_iter().collect();
    }
    if found.is_empty() {
        return;
    }
    plan.item_bytes = Some(found.iter().map(|(_, bytes)| bytes).sum::<f64>() / super::float(found.len()));
    for (table, bytes) in found {
        super::add(&mut plan.arms, &table, None, reading.units(bytes) * scale, 0.0);
    }
}

fn mean(place: &Place<'_>, entities: &[&Entity]) -> Option<f64> {
    let bytes: Option<Vec<f64>> = entities.iter().map(|entity| place.item_bytes(entity)).collect();
    let bytes = bytes.filter(|bytes| !bytes.is_empty())?;
    Some(bytes.iter().sum::<f64>() / super::float(bytes.len()))
}

/// Reads of collections and of everything.
fn swept(place: &Place<'_>, action: &Action, plan: &mut PatternPlan) {
    if plan.class == PlanClass::Vector {
        plan.items = place.pattern.items.or(action.top_k);
        return;
    }
    let (items, bytes) = expected(place, action, plan);
    plan.items = items;
    plan.item_bytes = bytes;
    let (Some(items), Some(bytes)) = (items, bytes) else { return };
    let reading = Reading::of(plan.strong, plan.transaction);
    let shards = match plan.class {
        PlanClass::Scatter(shards) => f64::from(shards),
        _ => 1.0,
    };
    let units = match plan.class {
        PlanClass::BatchGet => reading.units(bytes) * items,
        _ => reading.units(items * bytes / shards) * shards,
    };
    let index = place.index.map(|index| index.name.as_str());
    super::add(&mut plan.arms, &place.table.name, index, units, 0.0);
    if let Some(fetched) = fetched_bytes(place, action) {
        super::add(&mut plan.arms, &place.table.name, None, reading.units(fetched) * items, 0.0);
        plan.arms.sort_by(|a, b| (&a.table, &a.index).cmp(&(&b.table, &b.index)));
    }
}

/// Bytes of each whole item that a local index must fetch from the table, where it lacks what is asked for.
fn fetched_bytes(place: &Place<'_>, action: &Action) -> Option<f64> {
    let index = place.index.filter(|index| index.kind == IndexKind::Local)?;
    let lacks = missing(place.table, index, action);
    let all = action.select.as_deref() == Some("ALL_ATTRIBUTES") && index.projection != Projection::All;
    if lacks.is_empty() && !all {
        return None;
    }
    let entities =
        collections::reached(place.catalogue, place.pattern, place.table, &index.keys, &action.clauses);
    let bytes: Vec<f64> =
        entities.iter().filter_map(|entity| sizes::entity_bytes(place.catalogue, entity)).collect();
    if bytes.is_empty() {
        return place.pattern.item_bytes.or(place.table.item_bytes);
    }
    Some(bytes.iter().sum::<f64>() / super::float(bytes.len()))
}

/// What a part names that an index does not hold.
pub fn missing(table: &Table, index: &Index, action: &Action) -> Vec<String> {
    let named = action.wanted.iter().flatten().cloned();
    let filtered = action.filter.iter().flat_map(|filter| filter.attributes_in_order()).map(str::to_owned);
    let mut lacking: Vec<String> = named.chain(filtered).filter(|name| !holds(table, index, name)).collect();
    lacking.sort_unstable();
    lacking.dedup();
    lacking
}

/// Whether an index holds an attribute of the items in it.
pub fn holds(table: &Table, index: &Index, name: &str) -> bool {
    let is_key = table.keys.attributes().chain(index.keys.attributes()).any(|key| key == name);
    is_key
        || match &index.projection {
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.iter().any(|other| other == name),
        }
}

/// How many items a read looks at, and the mean bytes of one.
fn expected(place: &Place<'_>, action: &Action, plan: &PatternPlan) -> (Option<f64>, Option<f64>) {
    let pattern = place.pattern;
    let is_scan = matches!(plan.class, PlanClass::Scan | PlanClass::IndexScan);
    let (estimate, bytes) = if is_scan { swept_all(place) } else { swept_collection(place, action, plan) };
    let bytes = pattern.item_bytes.or(bytes);
    let promised = pattern.expect.max.map(|most| super::float(usize::try_from(most).unwrap_or(usize::MAX)));
    let limited = match (estimate, action.limit) {
        (Some(estimate), Some(limit)) => Some(estimate.min(limit)),
        (estimate, limit) => estimate.or(limit),
    };
    // A request for each shard's key reads one shard's items, each up to the limit.
    let shards = matches!(shards::shards(place.catalogue, pattern), Some(Ok(_)));
    let limited = match plan.class {
        PlanClass::Scatter(count) if shards => limited.map(|items| items * f64::from(count)),
        _ => limited,
    };
    (pattern.items.or(limited).or(promised), bytes)
}

fn swept_all(place: &Place<'_>) -> (Option<f64>, Option<f64>) {
    let (count, bytes) = match place.index {
        Some(index) => (
            sizes::entry_count(place.catalogue, place.table, index),
            sizes::index_bytes(place.catalogue, place.table, index),
        ),
        None => (
            sizes::table_count(place.catalogue, place.table),
            sizes::table_bytes(place.catalogue, place.table),
        ),
    };
    let each = count.zip(bytes).map(|(count, bytes)| bytes / count.max(1.0));
    (count, each.or(place.table.item_bytes))
}

fn swept_collection(place: &Place<'_>, action: &Action, plan: &PatternPlan) -> (Option<f64>, Option<f64>) {
    let keys = place.keys();
    let entities = collections::reached(place.catalogue, place.pattern, place.table, keys, &action.clauses);
    let is_one = place.index.is_none()
        && plan.hash.len() + plan.sort.len() == keys.attributes().count()
        && plan.sort.iter().all(|bound| bound.operator == "=");
    let sizes: Vec<Option<f64>> = entities
        .iter()
        .map(|entity| {
            let named = place.pattern.entities.iter().find(|(name, _)| *name == entity.name);
            let size = || collections::size(place.catalogue, place.table, place.index, entity);
            named.map(|(_, number)| *number).filter(|number| *number > 1.0).or_else(size)
        })
        .collect();
    let total = sizes.iter().copied().sum::<Option<f64>>().filter(|total| *total > 0.0);
    let bytes: Option<Vec<f64>> = entities.iter().map(|entity| place.item_bytes(entity)).collect();
    let bytes = bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| {
        let weights: Vec<f64> = sizes.iter().map(|size| size.unwrap_or(1.0)).collect();
        let sum: f64 = bytes.iter().zip(&weights).map(|(bytes, weight)| bytes * weight).sum();
        sum / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE)
    });
    let bytes = bytes.or_else(|| place.index.map_or(place.table.item_bytes, |index| index.entry_bytes));
    (if is_one { Some(1.0) } else { total }, bytes)
}

/// Where units fall, for those who want it by name.
impl Arm {
    /// `Shop`, `Shop.ByEmail`.
    pub fn name(&self) -> String {
        match &self.index {
            Some(index) => format!("{}.{index}", self.table),
            None => self.table.clone(),
        }
    }
}
