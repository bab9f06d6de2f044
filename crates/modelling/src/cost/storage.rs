//! How much is stored, and what is charged besides throughput and storage.

use serde_json::Value;

use super::{HOUR, Line, PartCost, Priced, Prices, Rate, print, write_steps};
use crate::catalogue::{Catalogue, Entity, Index, IndexKind, Pattern, Projection, Table};
use crate::plan::{PlanClass, sizes};

/// Bytes of a GB, as prices count them.
const GIGABYTE: f64 = 1e9;
/// Bytes that a global table adds to each item.
const GLOBAL_OVERHEAD: f64 = 48.0;
/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Items and their bytes, without what billing adds.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    items: f64,
    bytes: f64,
}

/// Fills in entries, gigabytes and dollars of a table and its indexes.
pub(super) fn fill(
    catalogue: &Catalogue,
    table: &Table,
    parts: &mut [PartCost],
    prices: &Prices,
    notes: &mut Vec<String>,
) {
    let global = if table.replicas.is_empty() { 0.0 } else { GLOBAL_OVERHEAD };
    let overhead = sizes::STORAGE_OVERHEAD + global;
    let rate = if table.infrequent_access == Some(true) { Rate::StorageIa } else { Rate::Storage };
    for part in parts {
        let index = part.index.as_deref().and_then(|name| table.index(name));
        let stored = match index {
            Some(index) => entries(catalogue, table, index, prices),
            None => items(catalogue, table, prices),
        };
        let Some(stored) = stored else {
            let what = part
                .index
                .as_deref()
                .map_or_else(|| table.name.clone(), |name| format!("{}.{name}", table.name));
            notes.push(format!("{what}: storage is not priced, because counts or sizes are not known"));
            continue;
        };
        part.entries = Some(stored.items);
        part.gigabytes = (stored.bytes + stored.items * overhead) / GIGABYTE;
        part.storage_dollars = part.gigabytes * prices.of(rate);
    }
}

/// The items of a table: those of its entities; else those that are stated for the table; else what patterns create.
fn items(catalogue: &Catalogue, table: &Table, prices: &Prices) -> Option<Stored> {
    let known: Vec<Stored> = catalogue
        .entities_of(&table.name)
        .filter_map(|entity| of_entity(catalogue, entity, prices))
        .collect();
    if !known.is_empty() {
        return Some(sum(known.into_iter()));
    }
    if let (Some(items), Some(bytes)) = (table.item_count, table.item_bytes) {
        return Some(Stored { items, bytes: items * bytes });
    }
    let created = catalogue.patterns.iter().filter(|pattern| pattern.table.as_deref() == Some(&table.name));
    let created: Vec<Stored> = created.filter_map(|pattern| created_by(pattern, None, prices)).collect();
    (!created.is_empty()).then(|| sum(created.into_iter()))
}

fn sum(stored: impl Iterator<Item = Stored>) -> Stored {
    stored.fold(Stored::default(), |all, one| Stored {
        items: all.items + one.items,
        bytes: all.bytes + one.bytes,
    })
}

/// The items of an entity: as declared, else what patterns create and keep.
fn of_entity(catalogue: &Catalogue, entity: &Entity, prices: &Prices) -> Option<Stored> {
    let bytes = sizes::entity_bytes(catalogue, entity)?;
    let items =
        sizes::entity_count(catalogue, entity).or_else(|| created_items(catalogue, entity, prices))?;
    Some(Stored { items, bytes: items * bytes })
}

fn created_items(catalogue: &Catalogue, entity: &Entity, prices: &Prices) -> Option<f64> {
    let made: Vec<f64> = catalogue
        .patterns
        .iter()
        .filter_map(|pattern| {
            let (_, each) = pattern.entities.iter().find(|(name, _)| *name == entity.name)?;
            let days = pattern.retention_days.or(entity.retention_days);
            created_per_second(pattern).map(|rate| rate * each * kept_seconds(days, prices))
        })
        .collect();
    (!made.is_empty()).then(|| made.into_iter().sum())
}

fn created_by(pattern: &Pattern, days: Option<f64>, prices: &Prices) -> Option<Stored> {
    let items = created_per_second(pattern)?
        * pattern.items.unwrap_or(1.0)
        * kept_seconds(pattern.retention_days.or(days), prices);
    Some(Stored { items, bytes: items * pattern.item_bytes? })
}

fn kept_seconds(days: Option<f64>, prices: &Prices) -> f64 {
    days.unwrap_or_else(|| prices.assumed("retention_days")) * DAY
}

/// Runs per second that make something new: all puts, unless declared otherwise; of other writes only the declared share.
fn created_per_second(pattern: &Pattern) -> Option<f64> {
    use hashrange_api::Operation;
    let share = match pattern.operation? {
        Operation::PutItem => pattern.create_share.unwrap_or(1.0),
        Operation::UpdateItem | Operation::BatchWriteItem | Operation::TransactWriteItems => {
            pattern.create_share?
        }
        _ => return None,
    };
    let accepted = 1.0 - pattern.conditional_fail_rate.unwrap_or(0.0).clamp(0.0, 1.0);
    let rate = pattern.avg_rps.or(pattern.peak_rps)?;
    (share > 0.0).then_some(rate * share * accepted)
}

/// The entries of an index: as declared, else those of the entities that have its keys.
fn entries(catalogue: &Catalogue, table: &Table, index: &Index, prices: &Prices) -> Option<Stored> {
    if let (Some(items), Some(bytes)) = (index.entry_count, index.entry_bytes) {
        return Some(Stored { items, bytes: items * bytes });
    }
    if index.kind == IndexKind::Vector {
        return None;
    }
    let of_entities: Vec<Stored> = catalogue
        .entities_of(&table.name)
        .filter_map(|entity| {
            let items = of_entity(catalogue, entity, prices)?.items * sizes::entry_share(index, entity);
            let bytes = match index.entry_bytes {
                Some(bytes) => bytes,
                None if items == 0.0 => 0.0,
                None => sizes::entry_bytes(catalogue, table, index, entity)?,
            };
            Some(Stored { items, bytes: items * bytes })
        })
        .collect();
    match (of_entities.is_empty(), index.entry_count) {
        (true, _) => None,
        (false, None) => Some(sum(of_entities.into_iter())),
        (false, Some(items)) => {
            let all = sum(of_entities.into_iter());
            let each = if all.items > 0.0 { all.bytes / all.items } else { 0.0 };
            Some(Stored { items, bytes: items * each })
        }
    }
}

/// What else a table is charged for.
pub(super) fn extras(catalogue: &Catalogue, table: &Table, parts: &[PartCost], prices: &Prices) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |what: &str, quantity: String, amount: f64, rate: Rate| {
        if amount > 0.0 {
            let price = prices.price(rate);
            let dollars = amount * price.value;
            lines.push(Line { what: what.to_owned(), quantity, dollars, verified: price.documented });
        }
    };
    let local: f64 = parts.iter().filter(|part| in_backups(part)).map(|part| part.gigabytes).sum();
    let gigabytes = |gb: f64| format!("{} GB", print::figure(gb, 1));
    if table.recovery == Some(true) {
        add("point-in-time recovery", gigabytes(local), local, Rate::Recovery);
    }
    let backups = local * prices.assumed("backups");
    add("on-demand backups", gigabytes(backups), backups, Rate::Backup);
    let exports = local * prices.assumed("exports");
    add("exports", gigabytes(exports), exports, Rate::Export);
    let restores = local * prices.assumed("restores");
    add("restores", gigabytes(restores), restores, Rate::Restore);
    if table.stream.is_some() {
        let calls = stream_calls(table, parts, prices);
        add("stream readers", format!("{} M calls", print::figure(calls / 1e6, 1)), calls, Rate::StreamRead);
    }
    if prices.assumed("kinesis") > 0.0 {
        let changes = parts[0].write.average * HOUR * prices.hours();
        add(
            "changes to Kinesis",
            format!("{} M", print::figure(changes / 1e6, 1)),
            changes,
            Rate::KinesisChange,
        );
    }
    lines.extend(replicas(catalogue, table, parts, prices));
    lines
}

/// Backups hold the table and its local indexes.
fn in_backups(part: &PartCost) -> bool {
    matches!(part.kind, None | Some(IndexKind::Local))
}

/// GetRecords calls a month: each consumer asks each shard, and there is a shard for each partition of 1,000 write units.
fn stream_calls(table: &Table, parts: &[PartCost], prices: &Prices) -> f64 {
    let shards = (parts[0].write.peak / 1000.0).ceil().max(1.0);
    let consumers = f64::from(table.stream_consumers.unwrap_or(1));
    consumers * shards * prices.assumed("stream_polls") * HOUR * prices.hours()
}

/// Every further replica is written and stored as the first; what expires there is charged as a write.
fn replicas(catalogue: &Catalogue, table: &Table, parts: &[PartCost], prices: &Prices) -> Vec<Line> {
    if table.replicas.is_empty() {
        return Vec::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "a few regions")]
    let count = table.replicas.len() as f64;
    let cheap = table.infrequent_access == Some(true);
    let by_request = super::modes::by_request(table);
    let (own, copied) = match (by_request, cheap) {
        (true, false) => (Rate::OnDemandWrite, Rate::ReplicatedWrite),
        (true, true) => (Rate::OnDemandWriteIa, Rate::ReplicatedWriteIa),
        (false, false) => (Rate::ProvisionedWrite, Rate::ReplicatedProvisionedWrite),
        (false, true) => (Rate::ProvisionedWriteIa, Rate::ProvisionedWriteIa),
    };
    let factor = if prices.of(own) > 0.0 { prices.of(copied) / prices.of(own) } else { 0.0 };
    let written: f64 = parts.iter().map(|part| part.write_dollars).sum();
    let stored: f64 = parts.iter().map(|part| part.storage_dollars).sum();
    let units: f64 = parts.iter().map(|part| part.write.average).sum();
    let expired = expired_units(catalogue, table, prices);
    let rate = if cheap { Rate::ReplicatedWriteIa } else { Rate::ReplicatedWrite };
    let mut lines = vec![
        Line {
            what: "replicated writes".to_owned(),
            quantity: format!("{} WRU/s to {}", print::figure(units, 1), table.replicas.join(", ")),
            dollars: count * factor * written,
            verified: prices.price(copied).documented,
        },
        Line {
            what: "storage of replicas".to_owned(),
            quantity: format!(
                "{} GB",
                print::figure(count * parts.iter().map(|part| part.gigabytes).sum::<f64>(), 1)
            ),
            dollars: count * stored,
            verified: true,
        },
    ];
    if table.ttl.is_some() && expired > 0.0 {
        lines.push(Line {
            what: "expiry in replicas".to_owned(),
            quantity: format!("{} WRU/s", print::figure(count * expired, 1)),
            dollars: count * expired * HOUR * prices.hours() * prices.of(rate),
            verified: prices.price(rate).documented,
        });
    }
    lines
}

/// Write units per second of items that expire.
fn expired_units(catalogue: &Catalogue, table: &Table, prices: &Prices) -> f64 {
    let of = |entity: &Entity| {
        let stored = of_entity(catalogue, entity, prices)?;
        let seconds = entity.retention_days.filter(|days| *days > 0.0)? * DAY;
        let each = if stored.items > 0.0 { stored.bytes / stored.items } else { 0.0 };
        Some(stored.items / seconds * write_steps(each))
    };
    catalogue.entities_of(&table.name).filter_map(of).sum()
}

/// Bytes that are charged at the least for a request that searches or writes a vector index.
const VECTOR_LEAST: f64 = 1024.0;
/// Bytes of keys in an entry of a vector index, about.
const VECTOR_KEYS: f64 = 9.0;
/// Bytes that a search examines for each dimension, about.
const SEARCH_DIMENSION: f64 = 31.0;
/// Bytes of a result that has keys alone, about.
const SEARCH_RESULT: f64 = 89.0;

/// What vector indexes are charged for; sizes are estimates from what AWS was seen to report.
pub(super) fn vectors(
    catalogue: &Catalogue,
    table: &Table,
    priced: &[Priced<'_>],
    prices: &Prices,
) -> Vec<Line> {
    let cheap = table.infrequent_access == Some(true);
    let (write, search) = if cheap {
        (Rate::VectorWriteIa, Rate::VectorSearchIa)
    } else {
        (Rate::VectorWrite, Rate::VectorSearch)
    };
    let month = HOUR * prices.hours() / GIGABYTE;
    let vectors = || table.indexes.iter().filter(|index| index.kind == IndexKind::Vector);
    let mut lines = Vec::new();
    let mut add = |what: &str, gigabytes: f64, rate: Rate| {
        if gigabytes > 0.0 {
            let price = prices.price(rate);
            lines.push(Line {
                what: what.to_owned(),
                quantity: format!("about {} GB", print::figure(gigabytes, 1)),
                dollars: gigabytes * price.value,
                verified: price.documented,
            });
        }
    };
    let bytes = |index: &Index| vector_entry(catalogue, table, index);
    let written: f64 =
        vectors().map(|index| bytes(index).max(VECTOR_LEAST) * vector_writes(table, index, priced)).sum();
    add("vector writes", written * month, write);
    let searched: f64 = vectors().map(|index| searched_bytes(table, index, bytes(index), priced)).sum();
    add("vector searches", searched * month, search);
    lines
}

fn dimensions(index: &Index) -> f64 {
    let vector = index.vector.as_ref();
    let found = vector.and_then(|vector| {
        let nested = vector.values().find_map(|value| value.get("Dimensions"));
        vector.get("Dimensions").or(nested).and_then(Value::as_f64)
    });
    found.unwrap_or(0.0)
}

fn vector_entry(catalogue: &Catalogue, table: &Table, index: &Index) -> f64 {
    let vector = dimensions(index) * 4.0 + VECTOR_KEYS;
    let whole = matches!(index.projection, Projection::All);
    let sizes =
        catalogue.entities_of(&table.name).filter_map(|entity| sizes::entity_bytes(catalogue, entity));
    let item = sizes.fold(0.0, f64::max).max(table.item_bytes.unwrap_or(0.0));
    index.entry_bytes.unwrap_or(if whole { vector.max(item) } else { vector })
}

/// Writes per second that change the vector's attribute, or may change it.
fn vector_writes(table: &Table, index: &Index, priced: &[Priced<'_>]) -> f64 {
    let attribute = index.vector.as_ref().and_then(|vector| {
        let name = |value: &Value| value.get("AttributeName").and_then(Value::as_str).map(str::to_owned);
        vector.values().find_map(name).or_else(|| Some(vector.get("AttributeName")?.as_str()?.to_owned()))
    });
    let touches = |pattern: &Pattern| match (&pattern.attributes_written, &attribute) {
        (Some(written), Some(attribute)) => written.contains(attribute),
        _ => true,
    };
    let here = |priced: &&Priced<'_>| {
        matches!(priced.class, PlanClass::Write(_))
            && priced.pattern.table.as_deref() == Some(&table.name)
            && touches(priced.pattern)
    };
    priced
        .iter()
        .filter(here)
        .filter_map(|priced| Some(priced.average? * priced.pattern.items.unwrap_or(1.0)))
        .sum()
}

fn searched_bytes(table: &Table, index: &Index, entry: f64, priced: &[Priced<'_>]) -> f64 {
    let each = if matches!(index.projection, Projection::All) { entry } else { SEARCH_RESULT };
    let here = |priced: &&Priced<'_>| {
        priced.class == PlanClass::Vector
            && priced.pattern.table.as_deref() == Some(&table.name)
            && priced.pattern.index.as_deref() == Some(&index.name)
    };
    let of = |priced: &Priced<'_>| {
        let request = priced.pattern.request.as_ref();
        let top = request.and_then(|request| request.get("TopK")?.as_f64()).unwrap_or(10.0);
        Some(priced.average? * (dimensions(index) * SEARCH_DIMENSION + top * each).max(VECTOR_LEAST))
    };
    priced.iter().filter(here).filter_map(of).sum()
}
