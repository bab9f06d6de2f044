//! What one catalogue states and another, read from what was written of it, does not.

use serde_json::{Map, Value};

use super::{Told, words};
use crate::catalogue::{
    Attribute, Billing, Catalogue, Entity, Flow, Index, KeyType, Parameter, Pattern, Projection, Table,
};

/// What can be lost, and a text that is equal where it is not; the text of a default says that it was never stated.
type Facet<T> = (&'static str, fn(&T) -> String);

/// Everything that `before` states and `after` does not, or otherwise.
pub(super) fn lost(before: &Catalogue, after: &Catalogue) -> Told {
    let mut told = Told::default();
    compare(CATALOGUE, before, after, "", &mut told);
    for table in &before.tables {
        let Some(other) = after.table(&table.name) else {
            told.add("tables", &table.name);
            continue;
        };
        compare(TABLE, table, other, &table.name, &mut told);
        for index in &table.indexes {
            let name = format!("{}.{}", table.name, index.name);
            match other.index(&index.name) {
                Some(other) => compare(INDEX, index, other, &name, &mut told),
                None => told.add("indexes", &name),
            }
        }
    }
    for entity in &before.entities {
        match after.entity(&entity.name) {
            Some(other) => compare(ENTITY, entity, other, &entity.name, &mut told),
            None => told.add("entities", &entity.name),
        }
    }
    for pattern in &before.patterns {
        match after.pattern(&pattern.id) {
            Some(other) => compare(PATTERN, pattern, other, &pattern.id, &mut told),
            None => told.add("patterns", &pattern.id),
        }
    }
    told
}

fn compare<T: Default>(facets: &[Facet<T>], before: &T, after: &T, name: &str, told: &mut Told) {
    let nothing = T::default();
    for (what, text) in facets {
        let stated = text(before);
        if stated != text(&nothing) && stated != text(after) {
            told.add(what, if name.is_empty() { &stated } else { name });
        }
    }
}

fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

const CATALOGUE: &[Facet<Catalogue>] = &[
    ("the name of the model", |one| one.name.clone()),
    ("the description of the model", |one| one.description.clone().unwrap_or_default()),
    ("the attribute of the tenant", |one| one.tenant.clone().unwrap_or_default()),
    ("flows", |one| names(one.flows.iter().map(|flow: &Flow| flow.name.as_str()))),
    ("waivers", |one| names(one.waivers.iter().map(|waiver| waiver.rule.as_str()))),
    ("severities of rules", |one| names(one.severities.keys().map(String::as_str))),
    ("thresholds of rules", |one| names(one.thresholds.keys().map(String::as_str))),
];

/// Types of attributes that are keys, or of those that are none.
fn types(table: &Table, of_keys: bool) -> String {
    let keys: Vec<&str> = words::key_attributes(table);
    let kinds = table.definitions.iter().filter(|(name, kind)| {
        let is_key = keys.contains(&name.as_str());
        is_key == of_keys && (**kind != KeyType::S || !is_key)
    });
    format!("{:?}", kinds.collect::<Vec<_>>())
}

fn units(table: &Table) -> String {
    match table.billing {
        Some(Billing::Provisioned(Some(capacity))) => format!("{capacity:?}"),
        _ => String::new(),
    }
}

const TABLE: &[Facet<Table>] = &[
    ("names in templates", |one| one.logical_id.clone().unwrap_or_default()),
    ("types of resources", |one| format!("{:?}", one.resource)),
    ("keys", |one| format!("{:?}", one.keys)),
    ("types of keys", |one| types(one, true)),
    ("types of attributes that are no keys", |one| types(one, false)),
    ("how tables are paid", |one| format!("{:?}", one.billing.map(|billing| billing == Billing::OnDemand))),
    ("capacity", units),
    ("auto scaling of reads", |one| format!("{:?}", one.scaling[0])),
    ("auto scaling of writes", |one| format!("{:?}", one.scaling[1])),
    ("warm throughput", |one| format!("{:?}", one.warm)),
    ("most throughput on demand", |one| format!("{:?}", one.on_demand_max)),
    ("table classes", |one| format!("{:?}", one.infrequent_access)),
    ("time to live", |one| format!("{:?}", one.ttl)),
    ("streams", |one| format!("{:?}", one.stream)),
    ("numbers of consumers of streams", |one| format!("{:?}", one.stream_consumers)),
    ("Kinesis streams", |one| format!("{:?}", one.kinesis)),
    ("encryption", |one| format!("{:?}", one.encryption)),
    ("contributor insights", |one| format!("{:?}", one.insights)),
    ("resource policies", |one| canonical(one.policy.as_ref().unwrap_or(&Value::Null))),
    ("point-in-time recovery", |one| format!("{:?}", one.recovery)),
    ("deletion protection", |one| format!("{:?}", one.protection)),
    ("whether tables are for production", |one| format!("{:?}", one.production)),
    ("replicas", |one| format!("{:?}", one.replicas)),
    ("consistency of replicas", |one| format!("{:?}", one.replica_consistency)),
    ("sample items", |one| format!("{:?}", one.samples)),
    ("counts and sizes of tables", |one| format!("{:?}", (one.item_count, one.item_bytes))),
    ("measured reads", |one| format!("{:?}", one.usage)),
];

fn sorted(projection: &Projection) -> Projection {
    let mut projection = projection.clone();
    if let Projection::Include(names) = &mut projection {
        names.sort();
    }
    projection
}

const INDEX: &[Facet<Index>] = &[
    ("kinds of indexes", |one| format!("{:?}", one.kind)),
    ("keys of indexes", |one| format!("{:?}", one.keys)),
    ("projections", |one| format!("{:?}", sorted(&one.projection))),
    ("capacity", |one| format!("{:?}", one.capacity)),
    ("auto scaling of reads", |one| format!("{:?}", one.scaling[0])),
    ("auto scaling of writes", |one| format!("{:?}", one.scaling[1])),
    ("warm throughput", |one| format!("{:?}", one.warm)),
    ("most throughput on demand", |one| format!("{:?}", one.on_demand_max)),
    ("contributor insights", |one| format!("{:?}", one.insights)),
    ("settings of vector indexes", vector),
    ("what indexes are used for", |one| one.used_for.clone().unwrap_or_default()),
    ("numbers of entries", |one| format!("{:?}", one.entry_count)),
    ("sizes of entries", |one| format!("{:?}", one.entry_bytes)),
    ("measured reads", |one| format!("{:?}", one.usage)),
];

/// What only a vector index has; its name and projection are facets of their own.
fn vector(index: &Index) -> String {
    let mut map = index.vector.clone().unwrap_or_default();
    map.retain(|name, _| !matches!(name.as_str(), "IndexName" | "Projection"));
    canonical(&Value::Object(map))
}

/// A key attribute that is made of itself alone needs no template.
fn templates(entity: &Entity) -> String {
    let texts = entity.keys.iter().map(|(name, template)| (name, template.to_string()));
    format!("{:?}", texts.filter(|(name, text)| *text != format!("{{{name}}}")).collect::<Vec<_>>())
}

fn attributes(entity: &Entity, text: impl Fn(&Attribute) -> String) -> String {
    let nothing = text(&Attribute::named(""));
    let stated = entity.attributes.iter().map(|one| (one.name.as_str(), text(one)));
    let mut stated: Vec<(&str, String)> = stated.filter(|(_, text)| *text != nothing).collect();
    stated.sort();
    if stated.is_empty() { String::new() } else { format!("{stated:?}") }
}

const ENTITY: &[Facet<Entity>] = &[
    ("tables of entities", |one| one.table.clone()),
    ("key templates", templates),
    ("attributes", |one| attributes(one, |one| one.name.clone())),
    ("types of attributes", |one| attributes(one, |one| format!("{:?}", one.kind))),
    ("formats of attributes", |one| attributes(one, |one| format!("{:?}", one.format))),
    ("values of attributes", |one| attributes(one, |one| format!("{:?}", (&one.values, &one.weights)))),
    ("sizes and shares of attributes", |one| attributes(one, |one| format!("{:?}", (one.bytes, one.share)))),
    ("personal data", |one| attributes(one, |one| format!("{:?}", one.pii))),
    ("what never changes, and what is copied", |one| {
        attributes(one, |one| format!("{:?}", (one.immutable, &one.copy_of)))
    }),
    ("numbers of items", |one| format!("{:?}", one.count)),
    ("sizes of items", |one| format!("{:?}", (one.bytes, one.p99_bytes))),
    ("items in a collection", |one| format!("{:?}", (one.per_collection, one.max_per_collection))),
    ("days that items are kept", |one| format!("{:?}", one.retention_days)),
    ("what is reference data, or shared", |one| format!("{:?}", (one.reference, one.shared))),
];

const PATTERN: &[Facet<Pattern>] = &[
    ("names of patterns", |one| one.name.clone()),
    ("who needs patterns", |one| one.who.clone().unwrap_or_default()),
    ("descriptions of patterns", |one| one.description.clone().unwrap_or_default()),
    ("purposes", |one| format!("{:?}", one.purpose)),
    ("why other systems serve patterns", |one| one.external.clone().unwrap_or_default()),
    ("tables of patterns", |one| one.table.clone().unwrap_or_default()),
    ("indexes of patterns", |one| one.index.clone().unwrap_or_default()),
    ("operations", |one| one.operation.map(|one| one.name().to_owned()).unwrap_or_default()),
    ("requests", |one| one.request.as_ref().map(|map| request(map, one)).unwrap_or_default()),
    ("needs", |one| format!("{:?}", (&one.need_equal, &one.need_range))),
    ("where parameters come from", |one| {
        let open = one.parameters.iter().filter(|(_, one)| !matches!(one, Parameter::Value(_)));
        format!("{:?}", open.collect::<Vec<_>>())
    }),
    ("expected results", |one| format!("{:?}", one.expect)),
    ("strong reads", |one| format!("{:?}", one.strong.filter(|strong| *strong))),
    ("peak rates", |one| format!("{:?}", one.peak_rps)),
    ("average rates", |one| format!("{:?}", one.avg_rps)),
    ("budgets", |one| format!("{:?}", one.budget)),
    ("numbers of items in a run", |one| format!("{:?}", (one.items, one.p99_items))),
    ("sizes of items in a run", |one| {
        format!("{:?}", (one.item_bytes, &one.item_sizes, one.previous_item_bytes))
    }),
    ("attributes that are written", |one| format!("{:?}", one.attributes_written)),
    ("entities of patterns", |one| format!("{:?}", one.entities)),
    ("shares that fail, miss or create", |one| {
        format!("{:?}", (one.conditional_fail_rate, one.non_existent_rate, one.create_share))
    }),
    ("days that patterns' items are kept", |one| format!("{:?}", one.retention_days)),
    ("skews", |one| one.skew.clone().unwrap_or_default()),
    ("items that clients take", |one| format!("{:?}", one.client_max_items)),
    ("shards", |one| format!("{:?}", one.shards)),
    ("declarations", |one| format!("{:?}", one.declared)),
];

/// A request with its constants filled in, its braces single and its members in order: what was meant, whatever was written.
fn request(request: &Map<String, Value>, pattern: &Pattern) -> String {
    let filled = words::filled(&Value::Object(request.clone()), pattern);
    canonical(&filled).replace("{{", "{").replace("}}", "}")
}

/// JSON with members in order.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut members: Vec<String> =
                map.iter().map(|(name, value)| format!("{name:?}: {}", canonical(value))).collect();
            members.sort();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(", "))
        }
        // Some forms write 5 and some 5.0.
        Value::Number(number) => format!("{:?}", number.as_f64()),
        other => other.to_string(),
    }
}
