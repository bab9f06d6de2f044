//! The plan of a write: which indexes it touches, and what each costs.

use std::collections::BTreeMap;

use hashrange_language::ChangeKind;

use super::request::{Action, Request, Verb};
use super::{Arm, PatternPlan, PlanClass, SortBound, collections, reads, sizes, units};
use crate::catalogue::{Catalogue, Entity, Index, IndexKind, Pattern, Projection, Table};

/// Shares of an item that an entry has where no entity tells: those of AWS's cost calculator.
const KEYS_ONLY_SHARE: f64 = 0.1;
const INCLUDE_SHARE: f64 = 0.3;

/// What one part of a write does to one item.
#[derive(Clone, Debug)]
struct Effect<'a> {
    verb: Verb,
    table: &'a Table,
    entity: Option<&'a Entity>,
    /// The attributes of a put's item, where it lists them.
    item: Option<Vec<String>>,
    /// The attributes that change; `None` is unknown or all.
    changed: Option<Vec<(String, ChangeKind)>>,
    /// How often.
    times: f64,
    /// Bytes of the larger of old and new item.
    bytes: Option<f64>,
    /// The share of these writes that make a new item.
    creates: f64,
}

/// Units on a table or an index; `None` where bytes are unknown.
type Touched = BTreeMap<(String, Option<String>), Option<f64>>;

/// Plans a write.
pub(super) fn plan(
    catalogue: &Catalogue,
    pattern: &Pattern,
    request: Option<&Request>,
    plan: &mut PatternPlan,
) {
    let effects = match request {
        Some(request) => {
            describe(catalogue, request, plan);
            request.actions.iter().filter_map(|action| effect(catalogue, pattern, action)).collect()
        }
        None => unstated(catalogue, pattern, plan),
    };
    if effects.is_empty() {
        let names = catalogue.tables.iter().map(|table| table.name.as_str());
        plan.remedy =
            Some(format!("there is no table \"{}\"{}", plan.table, reads::near(&plan.table, names)));
        return;
    }
    let mut touched = Touched::new();
    for effect in &effects {
        charge(catalogue, effect, plan.transaction, &mut touched);
    }
    if pattern.expect.error.is_some() {
        // What is refused is paid for on the table and reaches no index.
        touched.retain(|(_, index), _| index.is_none());
    }
    plan.class = PlanClass::Write(u32::try_from(touched.len()).unwrap_or(u32::MAX));
    plan.items = Some(effects.iter().map(|effect| effect.times).sum());
    let bytes: Option<f64> = effects.iter().map(|effect| Some(effect.bytes? * effect.times)).sum();
    plan.item_bytes = bytes.zip(plan.items).map(|(bytes, items)| bytes / items.max(f64::MIN_POSITIVE));
    plan.arms = arms(touched).unwrap_or_default();
}

fn arms(touched: Touched) -> Option<Vec<Arm>> {
    let arm = |((table, index), units): ((String, Option<String>), Option<f64>)| {
        Some(Arm { table, index, read: 0.0, write: units? })
    };
    touched.into_iter().map(arm).collect()
}

fn describe(catalogue: &Catalogue, request: &Request, plan: &mut PatternPlan) {
    plan.transaction = request.transaction;
    let Some(first) = request.actions.iter().find(|action| action.verb.writes()).or(request.actions.first())
    else {
        return;
    };
    plan.table.clone_from(&first.table);
    let Some(table) = catalogue.table(&first.table) else { return };
    for part in collections::key_of(table, first) {
        if table.keys.hash.contains(&part.attribute) {
            plan.hash.push((part.attribute, part.text));
        } else if table.keys.range.contains(&part.attribute) {
            plan.sort.push(SortBound { attribute: part.attribute, operator: "=", operands: vec![part.text] });
        }
    }
}

fn effect<'a>(catalogue: &'a Catalogue, pattern: &Pattern, action: &Action) -> Option<Effect<'a>> {
    let table = catalogue.table(&action.table)?;
    let entity = collections::one(catalogue, pattern, action);
    let changed = action
        .update
        .as_ref()
        .map(|update| update.changes().map(|(path, kind)| (path.top().to_owned(), kind)).collect());
    let item = action.item.as_ref().map(|item| item.keys().cloned().collect());
    // Where an entity says how big its items are, one action of many does not say it for all.
    Some(Effect {
        verb: action.verb,
        table,
        entity,
        item,
        changed,
        times: 1.0,
        bytes: bytes(catalogue, pattern, entity, table),
        creates: creates(pattern, table, action),
    })
}

fn bytes(catalogue: &Catalogue, pattern: &Pattern, entity: Option<&Entity>, table: &Table) -> Option<f64> {
    let of_entity = || entity.and_then(|entity| sizes::entity_bytes(catalogue, entity)).or(table.item_bytes);
    let new = pattern.item_bytes.or_else(of_entity);
    match (new, pattern.previous_item_bytes) {
        (Some(new), Some(old)) => Some(new.max(old)),
        (new, old) => new.or(old),
    }
}

/// The share of writes that make a new item: as declared; all puts; updates that demand that there is none.
fn creates(pattern: &Pattern, table: &Table, action: &Action) -> f64 {
    let demands_none = || {
        let tests = action.condition.iter().flat_map(hashrange_language::Condition::outline);
        let mut absent = tests.filter(|test| test.operator == "attribute_not_exists" && test.is_required);
        absent.any(|test| table.keys.attributes().any(|key| key == test.attribute))
    };
    let all = action.verb == Verb::Put || demands_none();
    pattern.create_share.unwrap_or(f64::from(u8::from(all)))
}

/// What a write does whose request is not known.
fn unstated<'a>(catalogue: &'a Catalogue, pattern: &Pattern, plan: &mut PatternPlan) -> Vec<Effect<'a>> {
    let name = pattern.operation.map(hashrange_api::Operation::name).unwrap_or_default();
    plan.transaction = name.starts_with("Transact") || name == "ExecuteTransaction";
    let verb = match name {
        "UpdateItem" => Verb::Update,
        "DeleteItem" => Verb::Delete,
        _ if pattern.create_share == Some(0.0) => Verb::Update,
        _ => Verb::Put,
    };
    let table = pattern.table.as_deref().or_else(|| Some(catalogue.tables.first()?.name.as_str()));
    table.unwrap_or_default().clone_into(&mut plan.table);
    let written = pattern.attributes_written.as_ref();
    let changed: Option<Vec<(String, ChangeKind)>> = written
        .filter(|_| verb == Verb::Update)
        .map(|names| names.iter().map(|name| (name.clone(), ChangeKind::Set)).collect());
    let one = |entity: Option<&'a Entity>, table: &'a Table, times: f64| Effect {
        verb,
        table,
        entity,
        item: None,
        changed: changed.clone(),
        times,
        bytes: bytes(catalogue, pattern, entity, table),
        creates: pattern.create_share.unwrap_or(f64::from(u8::from(verb == Verb::Put))),
    };
    let mut effects = Vec::new();
    for (name, times) in &pattern.entities {
        let entity = catalogue.entity(name);
        let table = entity.and_then(|entity| catalogue.table(&entity.table));
        effects.extend(entity.zip(table).map(|(entity, table)| one(Some(entity), table, *times)));
    }
    let Some(table) = catalogue.table(&plan.table).filter(|_| effects.is_empty()) else { return effects };
    let mut entities = catalogue.entities_of(&table.name);
    let only = entities.next().filter(|_| entities.next().is_none());
    if pattern.item_sizes.is_empty() {
        effects.push(one(only, table, pattern.items.unwrap_or(1.0)));
    }
    let sized = pattern.item_sizes.iter().map(|size| Effect { bytes: Some(*size), ..one(only, table, 1.0) });
    effects.extend(sized);
    effects
}

fn charge(catalogue: &Catalogue, effect: &Effect<'_>, transaction: bool, touched: &mut Touched) {
    let double = if transaction { 2.0 } else { 1.0 };
    let base = effect.bytes.map(|bytes| units::write(bytes) * effect.times * double);
    add(touched, &effect.table.name, None, base);
    if effect.verb == Verb::Check {
        return;
    }
    for index in effect.table.indexes.iter().filter(|index| index.kind != IndexKind::Vector) {
        let entries = entries(effect, index);
        if entries > 0.0 {
            let bytes = entry_bytes(catalogue, effect, index);
            let units = bytes.map(|bytes| units::write(bytes) * entries * effect.times);
            add(touched, &effect.table.name, Some(&index.name), units);
        }
    }
}

fn add(touched: &mut Touched, table: &str, index: Option<&str>, units: Option<f64>) {
    let so_far = touched.entry((table.to_owned(), index.map(str::to_owned))).or_insert(Some(0.0));
    *so_far = so_far.zip(units).map(|(a, b)| a + b);
}

/// How many entries of an index one write of an item writes or removes: 0, 1 or 2, between them where only some items are in it.
fn entries(effect: &Effect<'_>, index: &Index) -> f64 {
    let keys: Vec<&str> = index.keys.attributes().collect();
    match (effect.verb, &effect.item, &effect.changed) {
        (Verb::Put, Some(item), _) => {
            let has_all = keys.iter().all(|key| item.iter().any(|name| name == key));
            f64::from(u8::from(has_all))
        }
        (Verb::Update, _, Some(changed)) => of_update(effect, index, &keys, changed),
        // What is written is not known: every index is charged, as AWS's calculator does.
        _ => effect.entity.map_or(1.0, |entity| sizes::entry_share(index, entity)),
    }
}

fn of_update(effect: &Effect<'_>, index: &Index, keys: &[&str], changed: &[(String, ChangeKind)]) -> f64 {
    let share = effect.entity.map_or(1.0, |entity| sizes::entry_share(index, entity));
    let of_keys: Vec<ChangeKind> =
        changed.iter().filter(|(name, _)| keys.contains(&name.as_str())).map(|(_, kind)| *kind).collect();
    if of_keys.contains(&ChangeKind::Remove) {
        return 1.0;
    }
    let moves = of_keys.iter().any(|kind| !matches!(kind, ChangeKind::SetIfAbsent));
    if moves {
        // An attribute that few items have is added more often than it is changed.
        let is_marker = effect.entity.is_some_and(|_| share < 0.5);
        let old = if is_marker { 0.0 } else { 1.0 - effect.creates };
        return 1.0 + old;
    }
    if !of_keys.is_empty() {
        return effect.creates;
    }
    let shows = changed.iter().any(|(name, _)| reads::holds(effect.table, index, name));
    if shows { share } else { 0.0 }
}

fn entry_bytes(catalogue: &Catalogue, effect: &Effect<'_>, index: &Index) -> Option<f64> {
    if let Some(entity) = effect.entity
        && let Some(bytes) = sizes::entry_bytes(catalogue, effect.table, index, entity)
    {
        return Some(bytes);
    }
    let share = match index.projection {
        Projection::All => 1.0,
        Projection::KeysOnly => KEYS_ONLY_SHARE,
        Projection::Include(_) => INCLUDE_SHARE,
    };
    index.entry_bytes.or_else(|| Some(effect.bytes? * share))
}

/// The entities that a pattern writes, by its request or by declaration.
pub fn written<'a>(catalogue: &'a Catalogue, pattern: &Pattern) -> Vec<&'a Entity> {
    let mut found: Vec<&Entity> = match super::request(catalogue, pattern) {
        Some(request) => {
            request.writes().filter_map(|action| collections::one(catalogue, pattern, action)).collect()
        }
        None if super::is_write(pattern) => {
            pattern.entities.iter().filter_map(|(name, _)| catalogue.entity(name)).collect()
        }
        None => Vec::new(),
    };
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.name == b.name);
    found
}
