//! Which rows of the samples a pattern reads and writes, with values of its parameters that make it reach some.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::layout::{Collection, Row, View};
use crate::catalogue::{Catalogue, KeyType, Pattern, Table};
use crate::plan::{PatternPlan, PlanClass, SortBound, shape};
use crate::template::{Part, Template};

/// Rows that stand for those of a batch.
const BATCH_SHOWN: usize = 4;

/// One way in which a pattern reaches rows.
struct Access {
    table: String,
    index: Option<String>,
    hash: Vec<(String, Template)>,
    sort: Vec<SortBound>,
    /// Rows at most.
    most: usize,
    /// Collections at most.
    collections: usize,
    forward: bool,
    write: bool,
}

/// Values of parameters.
type Bindings = BTreeMap<String, String>;

/// Marks the rows that each pattern reaches.
pub(super) fn mark(catalogue: &Catalogue, plans: &[PatternPlan], views: &mut [View<'_>]) {
    for (at, pattern) in catalogue.patterns.iter().enumerate() {
        let Some(plan) = plans.iter().find(|plan| plan.pattern == pattern.id) else { continue };
        let mut bindings = Bindings::new();
        for access in accesses(catalogue, pattern, plan) {
            let view = views.iter_mut().find(|view| {
                view.table.name == access.table
                    && view.index.map(|index| &index.name) == access.index.as_ref()
            });
            let Some(view) = view else { continue };
            let items = reach(view, &access, at, &mut bindings);
            if access.write {
                mark_entries(plan, &access.table, &items, at, views);
            }
        }
    }
}

/// A write of an item changes its entries in the indexes that the plan names.
fn mark_entries(plan: &PatternPlan, table: &str, items: &[usize], at: usize, views: &mut [View<'_>]) {
    let arms: Vec<&str> =
        plan.arms.iter().filter(|arm| arm.table == table).filter_map(|arm| arm.index.as_deref()).collect();
    for view in views.iter_mut().filter(|view| view.table.name == table) {
        if view.index.is_none_or(|index| !arms.contains(&index.name.as_str())) {
            continue;
        }
        let rows = view.collections.iter_mut().flat_map(|collection| &mut collection.rows);
        rows.filter(|row| items.contains(&row.item)).for_each(|row| add(&mut row.written, at));
    }
}

fn add(patterns: &mut Vec<usize>, at: usize) {
    if patterns.last() != Some(&at) {
        patterns.push(at);
    }
}

fn accesses(catalogue: &Catalogue, pattern: &Pattern, plan: &PatternPlan) -> Vec<Access> {
    let write = matches!(plan.class, PlanClass::Write(_));
    let planned = || Access {
        table: plan.table.clone(),
        index: plan.index.clone(),
        hash: plan.hash.iter().map(|(name, text)| (name.clone(), template(text))).collect(),
        sort: plan.sort.clone(),
        most: most(pattern, plan),
        collections: match plan.class {
            PlanClass::Scatter(count) => usize::try_from(count).unwrap_or(usize::MAX),
            PlanClass::Scan | PlanClass::IndexScan => usize::MAX,
            _ => 1,
        },
        forward: plan.forward.unwrap_or(true),
        write,
    };
    match plan.class {
        PlanClass::External | PlanClass::Unservable | PlanClass::Vector => Vec::new(),
        PlanClass::Write(_) | PlanClass::BatchGet => {
            let keyed = keyed(catalogue, pattern, write);
            match (keyed.is_empty(), plan.hash.is_empty()) {
                (false, _) => keyed,
                (true, false) => vec![planned()],
                (true, true) => of_entities(catalogue, pattern, write),
            }
        }
        PlanClass::Scan | PlanClass::IndexScan => vec![planned()],
        _ if plan.hash.is_empty() => Vec::new(),
        _ => vec![planned()],
    }
}

fn most(pattern: &Pattern, plan: &PatternPlan) -> usize {
    let limit = pattern.request.as_ref().and_then(|request| request.get("Limit")?.as_u64());
    match plan.class {
        PlanClass::Get | PlanClass::Write(_) => 1,
        PlanClass::BatchGet => BATCH_SHOWN,
        _ => limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX),
    }
}

/// A text with gaps; a text that is none is taken as it stands.
fn template(text: &str) -> Template {
    Template::parse(text).unwrap_or_else(|_| {
        let escaped = text.replace('{', "{{").replace('}', "}}");
        Template::parse(&escaped).expect("braces are escaped")
    })
}

/// One key that a request names: of an item that it gets or writes.
struct Named<'r> {
    /// `Get`, `Put`, `Update`, `Delete`, `ConditionCheck`; empty where the operation says it.
    action: &'r str,
    table: Option<&'r str>,
    key: &'r Map<String, Value>,
}

/// All keys that a request names: of one item, of a batch, of a transaction.
fn named(request: &Map<String, Value>) -> Vec<Named<'_>> {
    let mut found: Vec<Named<'_>> = Vec::new();
    let actions = request.get("TransactItems").and_then(Value::as_array).into_iter().flatten();
    let actions = actions.filter_map(Value::as_object).flatten();
    let single = std::iter::once(("", request));
    for (action, fields) in
        single.chain(actions.filter_map(|(kind, fields)| Some((kind.as_str(), fields.as_object()?))))
    {
        let table = fields.get("TableName").and_then(Value::as_str);
        let keys = ["Key", "Item"].into_iter().filter_map(|field| fields.get(field)?.as_object());
        found.extend(keys.map(|key| Named { action, table, key }));
    }
    let tables = request.get("RequestItems").and_then(Value::as_object).into_iter().flatten();
    for (table, asked) in tables {
        found.extend(batch(asked).map(|(action, key)| Named { action, table: Some(table), key }));
    }
    found
}

fn batch(asked: &Value) -> impl Iterator<Item = (&'static str, &Map<String, Value>)> {
    let gets = asked.get("Keys").and_then(Value::as_array).into_iter().flatten();
    let gets = gets.filter_map(|key| Some(("Get", key.as_object()?)));
    let writes = asked.as_array().into_iter().flatten().filter_map(|one| {
        let put = one.get("PutRequest").and_then(|put| Some(("Put", put.get("Item")?.as_object()?)));
        put.or_else(|| Some(("Delete", one.get("DeleteRequest")?.get("Key")?.as_object()?)))
    });
    gets.chain(writes)
}

/// The actions of a batch or a transaction, for people: `Put PK = USER#{userId}, SK = ORDER#{orderId}`.
pub(super) fn actions(catalogue: &Catalogue, pattern: &Pattern) -> Vec<String> {
    let Some(request) = &pattern.request else { return Vec::new() };
    let line = |named: &Named<'_>| {
        let table = catalogue.table(named.table.or(pattern.table.as_deref())?)?;
        let text = |name: &str| Some(format!("{name} = {}", plain(named.key.get(name)?)?));
        let key: Vec<String> = table.keys.attributes().filter_map(text).collect();
        Some(format!("{} {}", named.action, key.join(", ")))
    };
    named(request).iter().filter(|named| !named.action.is_empty()).filter_map(line).collect()
}

fn keyed(catalogue: &Catalogue, pattern: &Pattern, write: bool) -> Vec<Access> {
    let Some(request) = &pattern.request else { return Vec::new() };
    let build = |named: Named<'_>| {
        let write = write && named.action != "ConditionCheck";
        let table = catalogue.table(named.table.or(pattern.table.as_deref())?)?;
        by_key(
            table,
            |name| named.key.get(name).and_then(plain).map(template),
            write,
            if write { 1 } else { BATCH_SHOWN },
        )
    };
    named(request).into_iter().filter_map(build).collect()
}

/// The text of a value in DynamoDB's JSON: `{"S": "USER#{userId}"}`.
fn plain(value: &Value) -> Option<&str> {
    let value = value.as_object()?.values().next()?;
    value.as_str()
}

fn by_key(table: &Table, of: impl Fn(&str) -> Option<Template>, write: bool, most: usize) -> Option<Access> {
    let hash: Option<Vec<(String, Template)>> =
        table.keys.hash.iter().map(|name| Some((name.clone(), of(name)?))).collect();
    let bound = |name: &String| {
        Some(SortBound { attribute: name.clone(), operator: "=", operands: vec![of(name)?.to_string()] })
    };
    Some(Access {
        table: table.name.clone(),
        index: None,
        hash: hash?,
        sort: table.keys.range.iter().filter_map(bound).collect(),
        most,
        collections: if most > 1 { most } else { 1 },
        forward: true,
        write,
    })
}

/// Where a request is not stated: an item of each entity that the pattern names.
fn of_entities(catalogue: &Catalogue, pattern: &Pattern, write: bool) -> Vec<Access> {
    let named = pattern.entities.iter().filter_map(|(name, _)| catalogue.entity(name));
    named
        .filter_map(|entity| {
            let table = catalogue.table(&entity.table)?;
            by_key(table, |name| entity.keys.get(name).cloned(), write, 1)
        })
        .collect()
}

/// Marks what one access reaches; answers the items.
fn reach(view: &mut View<'_>, access: &Access, at: usize, bindings: &mut Bindings) -> Vec<usize> {
    let numeric: Vec<String> = view
        .keys
        .range
        .iter()
        .filter(|name| view.table.definitions.get(*name) == Some(&KeyType::N))
        .cloned()
        .collect();
    let mut candidates: Vec<(usize, Vec<usize>, Bindings)> = Vec::new();
    for (number, collection) in view.collections.iter().enumerate() {
        // Parameters that the pattern's other accesses have set come first; where they reach nothing, any other will do.
        let found = within(collection, access, bindings, &numeric)
            .or_else(|| within(collection, access, &Bindings::new(), &numeric));
        candidates.extend(found.map(|(rows, bound)| (number, rows, bound)));
    }
    let kept = candidates
        .iter()
        .filter(|(_, _, bound)| bindings.iter().all(|(name, value)| bound.get(name) == Some(value)));
    if access.collections == 1 {
        let kept: Vec<_> = kept.cloned().collect();
        let pool = if kept.is_empty() { candidates } else { kept };
        // The fullest shows most; of equal ones the first.
        candidates = pool.into_iter().rev().max_by_key(|(_, rows, _)| rows.len()).into_iter().collect();
    }
    let mut items = Vec::new();
    let mut left = access.most;
    for (number, rows, bound) in candidates.into_iter().take(access.collections) {
        let collection = &mut view.collections[number];
        if !access.write {
            add(&mut collection.read, at);
        }
        for row in rows.into_iter().take(left) {
            left -= 1;
            let row = &mut collection.rows[row];
            items.push(row.item);
            add(if access.write { &mut row.written } else { &mut row.read }, at);
        }
        if access.collections == 1 {
            bindings.extend(bound);
        }
    }
    items
}

/// The rows of a collection that an access reaches, in its order, with the parameters that this takes; `None` where the partition key does
/// not fit.
fn within(
    collection: &Collection,
    access: &Access,
    bindings: &Bindings,
    numeric: &[String],
) -> Option<(Vec<usize>, Bindings)> {
    let mut bound = bindings.clone();
    for (name, template) in &access.hash {
        let (_, value) = collection.key.iter().find(|(key, _)| key == name)?;
        unify(template, value, &mut bound)?;
    }
    let mut rows: Vec<(usize, Bindings)> = collection
        .rows
        .iter()
        .enumerate()
        .filter_map(|(at, row)| Some((at, within_bounds(row, access, &bound, numeric)?)))
        .collect();
    if !access.forward {
        rows.reverse();
    }
    if let (1, Some((_, first))) = (access.most, rows.first()) {
        bound = first.clone();
    }
    Some((rows.into_iter().map(|(at, _)| at).collect(), bound))
}

/// Sets the gaps of a template so that it gives a text.
fn unify(template: &Template, text: &str, bindings: &mut Bindings) -> Option<()> {
    for (name, value) in shape::values(template, text)? {
        match bindings.get(name) {
            Some(set) if set != value => return None,
            Some(_) => {}
            None => _ = bindings.insert(name.to_owned(), value.to_owned()),
        }
    }
    Some(())
}

fn within_bounds(row: &Row, access: &Access, bindings: &Bindings, numeric: &[String]) -> Option<Bindings> {
    let mut bound = bindings.clone();
    for sort in &access.sort {
        let (_, value) = row.sort.iter().find(|(name, _)| *name == sort.attribute)?;
        let operands: Vec<Template> = sort.operands.iter().map(|text| template(text)).collect();
        let number = numeric.contains(&sort.attribute);
        let holds = match (sort.operator, operands.as_slice()) {
            ("=", [operand]) => unify(operand, value, &mut bound).is_some(),
            ("begins_with", [operand]) => value.starts_with(&known(operand, &bound).0),
            ("between", [low, high]) => {
                at_least(value, low, &bound, number) && at_most(value, high, &bound, number)
            }
            (">" | ">=", [low]) => at_least(value, low, &bound, number),
            ("<" | "<=", [high]) => at_most(value, high, &bound, number),
            _ => true,
        };
        if !holds {
            return None;
        }
    }
    Some(bound)
}

/// The text of a template as far as its parameters are known, and whether it is whole.
fn known(template: &Template, bindings: &Bindings) -> (String, bool) {
    let mut text = String::new();
    for part in template.parts() {
        match part {
            Part::Literal(literal) => text.push_str(literal),
            Part::Gap { name, .. } => match bindings.get(name) {
                Some(value) => text.push_str(value),
                None => return (text, false),
            },
        }
    }
    (text, true)
}

/// A bound whose parameter is not known lets pass what begins like it.
fn at_least(value: &str, low: &Template, bindings: &Bindings, number: bool) -> bool {
    match known(low, bindings) {
        (text, true) => compare(value, &text, number).is_ge(),
        (text, false) => value.starts_with(&text) || value > text.as_str(),
    }
}

fn at_most(value: &str, high: &Template, bindings: &Bindings, number: bool) -> bool {
    match known(high, bindings) {
        (text, true) => compare(value, &text, number).is_le(),
        (text, false) => value.starts_with(&text) || value < text.as_str(),
    }
}

fn compare(value: &str, bound: &str, number: bool) -> std::cmp::Ordering {
    match (value.parse::<f64>(), bound.parse::<f64>()) {
        (Ok(value), Ok(bound)) if number => value.total_cmp(&bound),
        _ => value.cmp(bound),
    }
}
