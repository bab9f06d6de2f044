//! How collections are cut: identifiers alone as keys, children beside or apart from their parents, collections that local indexes bound.

use hashrange_api::Operation;

use super::BASE;
use crate::catalogue::{Entity, IndexKind, Pattern, Table};
use crate::check::context::{is_request, number};
use crate::check::statistics::{Column, declared_template};
use crate::check::{Context, Example, Judge, Kind, Need, Rule, Said, Threshold};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::{PlanClass, shards, sizes};
use crate::recognise::Look;
use crate::template::Template;

pub(in crate::check) const RULES: &[Rule] = &[UUID_ONLY, IDENTIFYING, UNBOUNDED_LOCAL, SHARDS];

const SHARDS: Rule = Rule {
    id: "shards-without-key",
    severity: Severity::Error,
    summary: "The pattern declares `shards: n`, the number of keys over which one is spread. A query reads all of them, n requests; a write picks \
              one, and a read by key knows its own: all need a gap of the partition key that takes n values. A scan and a search read \
              everything, and have no use for shards.",
    not_a_fault_when: "the format states no request, so that the key is not known",
    advice: shards::ADVICE,
    teach: Example {
        before: "- {id: P4, operation: UpdateItem, key: {PK: \"VIDEO#{videoId}\", SK: LIKES}, update: \"ADD n :one\", shards: 10}",
        after: "- {id: P4, operation: UpdateItem, key: {PK: \"VIDEO#{videoId}#{shard}\", SK: LIKES}, update: \"ADD n :one\", shards: 10}",
    },
    judge: Judge::Pattern(|context, pattern, _| {
        Some(Said::error(shards::shards(context.catalogue, pattern)?.err()?))
    }),
    ..BASE
};

const UUID_ONLY: Rule = Rule {
    id: "uuid-only-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "The only key is an identifier, and a pattern wants a list, an order or a range of these items that no index serves.",
    not_a_fault_when: "items are only got by their identifier; an index serves the list",
    advice: "Make the parent's identifier the partition key and an identifier that rises with time the sort key; or add an index with these \
             keys",
    teach: Example {
        before: "Orders: {key: {hash: orderId}}                # list a customer's orders: a scan",
        after: "Orders: {key: {hash: customerId, range: orderId}}   # orderId: ulid",
    },
    judge: Judge::Any(uuid_only),
    ..BASE
};

const IDENTIFYING: Rule = Rule {
    id: "identifying-relationship",
    severity: Severity::Note,
    summary: "A child has a key of its own and an index on its parent, though every request for it knows the parent too: the index could go.",
    not_a_fault_when: "the child's identifier travels alone, in a link or an event",
    advice: "Make the parent the partition key and the child the sort key of the table: one index, and one write of each change, less",
    teach: Example {
        before: "Line: {key: {PK: \"LINE#{lineId}\", GSI1PK: \"ORDER#{orderId}\"}}",
        after: "Line: {key: {PK: \"ORDER#{orderId}\", SK: \"LINE#{lineId}\"}}",
    },
    judge: Judge::Any(identifying),
    ..BASE
};

const LOCAL_WARN: Threshold =
    Threshold::new("unbounded-collection-lsi.warn", 8.0, "GB of one collection: 0.8 of the limit; chosen");
const LOCAL_ERROR: Threshold = Threshold::new(
    "unbounded-collection-lsi.error",
    10.0,
    "GB of one collection of a table with local indexes, items and entries; AWS developer guide",
);

const UNBOUNDED_LOCAL: Rule = Rule {
    id: "unbounded-collection-lsi",
    severity: Severity::Error,
    thresholds: &[LOCAL_WARN, LOCAL_ERROR],
    summary: "A table with a local index refuses writes to a collection that reaches 10 GB, index entries included.",
    not_a_fault_when: "the table has no local index: then a collection has no limit",
    advice: "Use a global index; or cut collections by adding a period or a shard to the partition key",
    teach: Example {
        before: "Events: {key: {hash: deviceId, range: time}, indexes: {ByKind: {kind: local, ..}}}",
        after: "Events: {key: {hash: deviceId, range: time}, indexes: {ByKind: {kind: global, ..}}}",
    },
    needs: &[Need::LocalIndexes],
    judge: Judge::Any(unbounded_local),
    ..BASE
};

fn uuid_only(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in context.catalogue.tables.iter().filter(|table| table.keys.range.is_empty()) {
        let [hash] = table.keys.hash.as_slice() else { continue };
        let columns: Vec<&Column> =
            context.samples.of_table(&table.name).filter_map(|kind| context.column(kind, hash)).collect();
        let random = |column: &&Column| column.parts.len() == 1 && column.parts[0].looks(Look::is_identifier);
        if columns.is_empty() || !columns.iter().all(random) {
            continue;
        }
        let unmet: Vec<&str> = context
            .patterns()
            .filter(|(pattern, plan)| {
                is_request(pattern) && plan.table == table.name && is_list(pattern, plan.class)
            })
            .map(|(pattern, _)| pattern.id.as_str())
            .collect();
        if !unmet.is_empty() {
            let (look, evidence) = columns[0].parts[0].look.unwrap_or((Look::Token, Evidence::Declared));
            let message = format!(
                "the only key, {hash}, is an identifier ({}), and {} wants a list",
                look.name(),
                unmet.join(", ")
            );
            findings.push(
                UUID_ONLY
                    .found(Severity::Error, Subject::Table(table.name.clone()), message)
                    .rests_on(evidence),
            );
        }
    }
}

/// Whether a pattern wants several items and has to scan for them, or cannot have them.
fn is_list(pattern: &Pattern, class: PlanClass) -> bool {
    let get = matches!(pattern.operation, Some(Operation::GetItem | Operation::BatchGetItem));
    matches!(class, PlanClass::Scan | PlanClass::Unservable) && !get
}

fn identifying(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in &context.catalogue.entities {
        let Some(table) = context.catalogue.table(&entity.table) else { continue };
        let Some(parent) = parent_of(table, entity) else { continue };
        let gets: Vec<&Pattern> = context
            .patterns()
            .filter(|(pattern, plan)| {
                plan.class == PlanClass::Get
                    && context.touched(pattern).any(|(kind, _)| kind.name == entity.name)
            })
            .map(|(pattern, _)| pattern)
            .collect();
        if !gets.is_empty() && gets.iter().all(|pattern| pattern.parameters.contains_key(&parent.1)) {
            let message = format!(
                "{} has a key of its own and index {} on {}, which all of its gets know",
                entity.name, parent.0, parent.1
            );
            findings.push(IDENTIFYING.found(Severity::Note, Subject::Entity(entity.name.clone()), message));
        }
    }
}

/// The index by whose partition key a child that is keyed by itself is found under its parent, and the parent's identifier.
fn parent_of(table: &Table, entity: &Entity) -> Option<(String, String)> {
    let own = declared_template(Some(entity), table.keys.hash.first()?)?;
    let own_gaps: Vec<&str> = own.gaps().collect();
    let identifier = entity.name.to_lowercase();
    if own_gaps.len() != 1 || !own_gaps[0].to_lowercase().starts_with(&identifier) {
        return None;
    }
    table.indexes.iter().filter(|index| index.kind == IndexKind::Global).find_map(|index| {
        let key: Template = declared_template(Some(entity), index.keys.hash.first()?)?;
        let gaps: Vec<&str> = key.gaps().collect();
        let refers = |gap: &str| gap != own_gaps[0] && gap.to_lowercase().ends_with("id");
        (gaps.len() == 1 && refers(gaps[0])).then(|| (index.name.clone(), gaps[0].to_owned()))
    })
}

fn unbounded_local(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        if !table.indexes.iter().any(|index| index.kind == IndexKind::Local) {
            continue;
        }
        let bytes: Option<f64> = collections(context, table).into_iter().reduce(f64::max);
        let [warn, error] = [&LOCAL_WARN, &LOCAL_ERROR].map(|limit| context.threshold(limit) * 1e9);
        let text = |bytes: f64| {
            format!(
                "its largest collection reaches {} GB with index entries, of {} that are allowed",
                number(bytes / 1e9),
                number(error / 1e9)
            )
        };
        let (severity, message) = match bytes {
            Some(bytes) if bytes >= error => (Severity::Error, text(bytes)),
            Some(bytes) if bytes >= warn => (Severity::Warn, text(bytes)),
            None if grows(context, table) => {
                let text = "its collections grow with time, and nothing says how far (max_per_collection); 10 GB are allowed";
                (Severity::Note, text.to_owned())
            }
            _ => continue,
        };
        findings.push(UNBOUNDED_LOCAL.found(severity, Subject::Table(table.name.clone()), message));
    }
}

/// Bytes of the largest collection of each kind of partition key, where it is stated.
fn collections(context: &Context<'_>, table: &Table) -> Vec<f64> {
    let entities: Vec<&Entity> = context.catalogue.entities_of(&table.name).collect();
    let Some(hash) = table.keys.hash.first() else { return Vec::new() };
    let mut sums: std::collections::BTreeMap<String, f64> = std::collections::BTreeMap::new();
    for entity in entities {
        let key = declared_template(Some(entity), hash).map(|template| template.to_string());
        if let (Some(key), Some(bytes)) = (key, collection_bytes(context, table, entity)) {
            *sums.entry(key).or_default() += bytes;
        }
    }
    sums.into_values().collect()
}

fn collection_bytes(context: &Context<'_>, table: &Table, entity: &Entity) -> Option<f64> {
    let most = entity.max_per_collection.or(entity.per_collection)?;
    let entries: f64 = table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Local)
        .filter_map(|index| {
            let bytes = sizes::entry_bytes(context.catalogue, table, index, entity)?;
            Some((bytes + sizes::STORAGE_OVERHEAD) * sizes::entry_share(index, entity))
        })
        .sum();
    Some(most * (context.bytes(entity)? + sizes::STORAGE_OVERHEAD + entries))
}

/// Whether the sort key of some kind of item rises with time, and nothing removes old ones.
fn grows(context: &Context<'_>, table: &Table) -> bool {
    let Some(range) = table.keys.range.first() else { return false };
    let timed = |kind: &Kind<'_>| {
        let kept = kind
            .entity
            .is_none_or(|entity| entity.retention_days.is_none() && entity.max_per_collection.is_none());
        let column = context.column(kind, range);
        kept && column
            .is_some_and(|column| column.parts.first().is_some_and(|part| part.looks(Look::is_time_ordered)))
    };
    context.samples.of_table(&table.name).any(timed)
}
