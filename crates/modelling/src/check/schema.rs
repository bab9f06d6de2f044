//! Schemas and samples that the API refuses.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{Attributes, Kind as Type, limits};
use serde_json::{Map, Value};

use super::context::{number, of};
use super::samples::key_text;
use super::statistics::declared_template;
use super::{Context, Example, Group, Rule, Threshold};
use crate::catalogue::{Attribute, Billing, Index, IndexKind, KeyType, Projection, Table};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::request::Verb;
use crate::plan::{float, sizes};

pub(super) const RULES: &[Rule] = &[KEY_TYPE, KEY_SIZE, DEFINITIONS, INCLUDE, VECTORS];

const BASE: Rule = Rule {
    id: "",
    group: Group::Refused,
    severity: Severity::Error,
    evidence: &[Evidence::Declared],
    thresholds: &[],
    summary: "",
    not_a_fault_when: "",
    advice: "",
    teach: Example { before: "", after: "" },
    covers: &[],
    needs: &[],
    judge: |_, _| {},
};

const KEY_TYPE: Rule = Rule {
    id: "key-type-mismatch",
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "A key has another type than the table declares: the write or read is refused; an index key of another type too.",
    not_a_fault_when: "",
    advice: "Give the key the declared type, or declare its own",
    teach: Example {
        before: "types: {orderId: N}\nitems: [{orderId: \"17\"}]",
        after: "types: {orderId: N}\nitems: [{orderId: 17}]",
    },
    covers: &["index-empty"],
    judge: key_type,
    ..BASE
};

const HASH_MAX: Threshold = Threshold::new("key-size.hash", 2_048.0, "bytes of a partition key; AWS's limit");
const RANGE_MAX: Threshold = Threshold::new("key-size.range", 1_024.0, "bytes of a sort key; AWS's limit");
const KEY_LONG: Threshold =
    Threshold::new("key-size.long", 256.0, "bytes of a key, from which on it is long; chosen");

const KEY_SIZE: Rule = Rule {
    id: "key-size",
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[HASH_MAX, RANGE_MAX, KEY_LONG],
    summary: "A key is longer than the API takes; a long one is repeated in every index (a note).",
    not_a_fault_when: "",
    advice: "Keep keys to identifiers; put a hash of a long text in its place",
    teach: Example {
        before: "PK: \"URL#{url}\"        # up to 3,000 bytes",
        after: "PK: \"URL#{urlSha256}\"",
    },
    judge: key_size,
    ..BASE
};

const DEFINITIONS: Rule = Rule {
    id: "definitions-mismatch",
    summary: "AttributeDefinitions must name the key attributes of the table and its indexes, and no others: the API refuses the rest, and \
              Terraform shows a change for ever.",
    not_a_fault_when: "",
    advice: "Declare exactly the key attributes",
    teach: Example {
        before: "types: {PK: S, SK: S, email: S}        # email is no key",
        after: "types: {PK: S, SK: S}",
    },
    judge: definitions,
    ..BASE
};

const INCLUDED_MAX: Threshold = Threshold::new(
    "include-limits.attributes",
    100.0,
    "attributes listed over all indexes of a table; AWS's limit",
);

const INCLUDE: Rule = Rule {
    id: "include-limits",
    thresholds: &[INCLUDED_MAX],
    summary: "The lists of projected attributes have 100 names at most over all indexes of a table; a list must name something.",
    not_a_fault_when: "",
    advice: "Project all, or keys only, where lists grow long",
    teach: Example { before: "projection: []", after: "projection: keys" },
    judge: include,
    ..BASE
};

const VECTOR_INDEXES: Threshold =
    Threshold::new("vector-rules.indexes", 5.0, "vector indexes of a table; AWS's limit");
const VECTOR_FILTERS: Threshold =
    Threshold::new("vector-rules.filters", 18.0, "filter attributes of a vector index; AWS's limit");
const VECTOR_TOP: Threshold =
    Threshold::new("vector-rules.top", 100.0, "neighbours that a search asks for; AWS's limit");

const VECTORS: Rule = Rule {
    id: "vector-rules",
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[VECTOR_INDEXES, VECTOR_FILTERS, VECTOR_TOP],
    summary: "What vector indexes do not allow: more than 5 in a table, a provisioned table, two sizes of one attribute, more than 18 filters, \
              more than 100 neighbours, other tests than equality. And what happens silently: an item without the HASH attribute is stored \
              and never found.",
    not_a_fault_when: "",
    advice: "Follow the limits of vector indexes; give every item the HASH attribute",
    teach: Example { before: "TopK: 500", after: "TopK: 100" },
    judge: vectors,
    ..BASE
};

fn of_table(table: &Table) -> Subject {
    Subject::Table(table.name.clone())
}

fn of_index(table: &Table, index: &Index) -> Subject {
    Subject::Index(table.name.clone(), index.name.clone())
}

/// The key attributes of a table and of its global and local indexes.
fn key_attributes(table: &Table) -> BTreeSet<&str> {
    let of_indexes = table.indexes.iter().flat_map(|index| index.keys.attributes());
    table.keys.attributes().chain(of_indexes).collect()
}

fn type_name(kind: KeyType) -> Type {
    match kind {
        KeyType::S => Type::S,
        KeyType::N => Type::N,
        KeyType::B => Type::B,
    }
}

fn key_type(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        for (name, kind) in &table.definitions {
            if !key_attributes(table).contains(name.as_str()) {
                continue;
            }
            let wanted = type_name(*kind);
            let fault = sampled_type(table, name, wanted)
                .map(|text| (Evidence::Samples, text))
                .or_else(|| Some((Evidence::Declared, declared_type(context, table, name, wanted)?)));
            findings.extend(fault.map(|(evidence, text)| {
                let message = format!("{name} is declared as {wanted}, and {text}");
                KEY_TYPE.found(Severity::Error, of_table(table), message).rests_on(evidence)
            }));
        }
    }
    requested_types(context, findings);
}

fn sampled_type(table: &Table, name: &str, wanted: Type) -> Option<String> {
    let mut values = table.samples.iter().filter_map(|item| item.get(name));
    let wrong = values.find(|value| value.kind() != wanted)?;
    Some(format!("a sample has {} \"{}\"", wrong.kind(), shortened(&key_text(wrong))))
}

fn shortened(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}

fn declared_type(context: &Context<'_>, table: &Table, name: &str, wanted: Type) -> Option<String> {
    let plain =
        |attribute: &&Attribute| attribute.name == *name && attribute.kind.is_some_and(|kind| kind != wanted);
    context.catalogue.entities_of(&table.name).find_map(|entity| {
        let attribute = entity.attributes.iter().find(plain).filter(|_| !entity.keys.contains_key(name))?;
        Some(format!("{} has it as {}", entity.name, attribute.kind?))
    })
}

/// Keys of requests with another type than declared.
fn requested_types(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _) in context.patterns() {
        let Some(request) = context.request(pattern) else { continue };
        let wrong = request.actions.iter().find_map(|action| {
            let table = context.catalogue.table(&action.table)?;
            let clauses = action
                .clauses
                .iter()
                .zip(&action.clause_kinds)
                .map(|(clause, kind)| (&clause.attribute, *kind));
            let keys = action.key.iter().map(|part| (&part.attribute, part.kind));
            keys.chain(clauses).find_map(|(name, kind)| {
                let wanted = type_name(*table.definitions.get(name)?);
                (kind? != wanted).then(|| {
                    format!("{name} is declared as {wanted}, and its request has {}", kind.unwrap_or(wanted))
                })
            })
        });
        findings.extend(wrong.map(|message| KEY_TYPE.found(Severity::Error, of(pattern), message)));
    }
}

fn key_size(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let indexes = table.indexes.iter().map(|index| (of_index(table, index), &index.keys));
        let mut seen: BTreeSet<Vec<&str>> = BTreeSet::new();
        for (subject, keys) in std::iter::once((of_table(table), &table.keys)).chain(indexes) {
            for (attributes, limit, what) in
                [(&keys.hash, &HASH_MAX, "partition"), (&keys.range, &RANGE_MAX, "sort")]
            {
                let names: Vec<&str> = attributes.iter().map(String::as_str).collect();
                let Some((bytes, evidence)) =
                    longest(context, table, &names).filter(|_| seen.insert(names.clone()))
                else {
                    continue;
                };
                let severity = if bytes > context.threshold(limit) {
                    Severity::Error
                } else if bytes > context.threshold(&KEY_LONG) {
                    Severity::Note
                } else {
                    continue;
                };
                let message = format!(
                    "{what} key {} has {} bytes of {} that are allowed",
                    names.join(", "),
                    number(bytes),
                    number(context.threshold(limit))
                );
                findings.push(KEY_SIZE.found(severity, subject.clone(), message).rests_on(evidence));
            }
        }
    }
}

/// Bytes of the longest key of these attributes in samples, else of the longest that templates give on average.
fn longest(context: &Context<'_>, table: &Table, names: &[&str]) -> Option<(f64, Evidence)> {
    if names.is_empty() {
        return None;
    }
    let bytes = |item: &Attributes| -> Option<f64> {
        names.iter().map(|name| Some(float(item.get(name)?.size()))).sum()
    };
    let sampled =
        table.samples.iter().filter_map(bytes).reduce(f64::max).map(|bytes| (bytes, Evidence::Samples));
    let declared = context.catalogue.entities_of(&table.name).filter_map(|entity| {
        let lengths = names.iter().map(|name| {
            let template = declared_template(Some(entity), name)?;
            Some(sizes::template_length(context.catalogue, entity, &template))
        });
        lengths.sum::<Option<f64>>()
    });
    let declared = declared.reduce(f64::max).map(|bytes| (bytes, Evidence::Declared));
    [sampled, declared].into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0))
}

fn definitions(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in context.catalogue.tables.iter().filter(|table| !table.definitions.is_empty()) {
        let keys = key_attributes(table);
        let missing: Vec<&str> =
            keys.iter().copied().filter(|name| !table.definitions.contains_key(*name)).collect();
        let filters = searched(table);
        let surplus: Vec<&str> = table
            .definitions
            .keys()
            .map(String::as_str)
            .filter(|name| !keys.contains(name) && !filters.contains(*name))
            .collect();
        let mut faults = Vec::new();
        if !missing.is_empty() {
            faults.push(format!("{} {} no type", missing.join(", "), have(missing.len())));
        }
        if !surplus.is_empty() {
            faults.push(format!("{} {} a type and no key", surplus.join(", "), have(surplus.len())));
        }
        if !faults.is_empty() {
            findings.push(DEFINITIONS.found(Severity::Error, of_table(table), faults.join("; ")));
        }
    }
}

fn have(count: usize) -> &'static str {
    if count == 1 { "has" } else { "have" }
}

/// The attributes of the search schemas of vector indexes, which need a type too.
fn searched(table: &Table) -> BTreeSet<String> {
    table
        .indexes
        .iter()
        .filter_map(|index| index.vector.as_ref())
        .flat_map(|vector| schema(vector, None))
        .collect()
}

/// The attributes of a search schema, of one sort (`HASH`, `INLINE_FILTER`) or of all.
fn schema(vector: &Map<String, Value>, wanted: Option<&str>) -> Vec<String> {
    let elements = vector.get("SearchSchema").and_then(Value::as_array);
    elements
        .into_iter()
        .flatten()
        .filter(|element| {
            wanted.is_none() || element.get("SearchSchemaElementType").and_then(Value::as_str) == wanted
        })
        .filter_map(|element| Some(element.get("AttributeName")?.as_str()?.to_owned()))
        .collect()
}

fn include(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let lists = table.indexes.iter().filter_map(|index| match &index.projection {
            Projection::Include(names) => Some((index, names)),
            _ => None,
        });
        let mut all = 0.0;
        for (index, names) in lists {
            all += float(names.len());
            if names.is_empty() {
                let message = "it projects a list that names nothing".to_owned();
                findings.push(INCLUDE.found(Severity::Error, of_index(table, index), message));
            }
        }
        if all > context.threshold(&INCLUDED_MAX) {
            let message = format!(
                "its indexes list {} attributes, where {} are allowed",
                number(all),
                number(context.threshold(&INCLUDED_MAX))
            );
            findings.push(INCLUDE.found(Severity::Error, of_table(table), message));
        }
    }
}

fn vectors(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let indexes: Vec<&Index> =
            table.indexes.iter().filter(|index| index.kind == IndexKind::Vector).collect();
        if indexes.is_empty() {
            continue;
        }
        if let Some(message) = vector_table(context, table, &indexes) {
            findings.push(VECTORS.found(Severity::Error, of_table(table), message));
        }
        for index in indexes {
            if let Some((evidence, message)) = vector_index(context, table, index) {
                findings
                    .push(VECTORS.found(Severity::Error, of_index(table, index), message).rests_on(evidence));
            }
        }
    }
    searches(context, findings);
}

fn vector_table(context: &Context<'_>, table: &Table, indexes: &[&Index]) -> Option<String> {
    let most = context.threshold(&VECTOR_INDEXES);
    if float(indexes.len()) > most {
        return Some(format!("{} vector indexes, where {} are allowed", indexes.len(), number(most)));
    }
    if matches!(table.billing, Some(Billing::Provisioned(_))) {
        return Some(
            "it is provisioned, and has vector indexes, which need a table that is paid by request"
                .to_owned(),
        );
    }
    let mut sizes: BTreeMap<String, (u64, &str)> = BTreeMap::new();
    for index in indexes {
        let Some(vector) = &index.vector else { continue };
        let Some((attribute, dimensions)) = dimensions(vector) else { continue };
        let (first, name) = *sizes.entry(attribute.clone()).or_insert((dimensions, &index.name));
        if first != dimensions {
            return Some(format!(
                "{attribute} has {first} dimensions in {name} and {dimensions} in {}",
                index.name
            ));
        }
    }
    None
}

/// The attribute of the vectors, and how many numbers each has.
fn dimensions(vector: &Map<String, Value>) -> Option<(String, u64)> {
    let attribute = vector.get("VectorAttribute")?.get("AttributeName")?.as_str()?;
    Some((attribute.to_owned(), vector.get("Dimensions")?.as_u64()?))
}

fn vector_index(context: &Context<'_>, table: &Table, index: &Index) -> Option<(Evidence, String)> {
    let vector = index.vector.as_ref()?;
    let filters = float(schema(vector, Some("INLINE_FILTER")).len());
    if filters > context.threshold(&VECTOR_FILTERS) {
        let most = number(context.threshold(&VECTOR_FILTERS));
        return Some((
            Evidence::Declared,
            format!("{} filter attributes, where {most} are allowed", number(filters)),
        ));
    }
    if let Some((_, dimensions)) = dimensions(vector)
        && dimensions > u64::try_from(limits::VECTOR_DIMENSIONS_MAX).unwrap_or(u64::MAX)
    {
        return Some((
            Evidence::Declared,
            format!("{dimensions} dimensions, where {} are allowed", limits::VECTOR_DIMENSIONS_MAX),
        ));
    }
    let (attribute, _) = dimensions(vector)?;
    let hash =
        schema(vector, Some("HASH")).into_iter().next().or_else(|| index.keys.hash.first().cloned())?;
    let lost = table.samples.iter().filter(|item| item.contains(&attribute) && !item.contains(&hash)).count();
    (lost > 0).then(|| {
        (
            Evidence::Samples,
            format!("{lost} samples have {attribute} and not {hash}: they are stored and never found"),
        )
    })
}

/// Searches that ask for too many neighbours, or for other tests than equality.
fn searches(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _) in context.patterns() {
        let Some(request) = context.request(pattern) else { continue };
        for action in request.actions.iter().filter(|action| action.verb == Verb::Search) {
            let most = context.threshold(&VECTOR_TOP);
            let many = action.top_k.filter(|top| *top > most || *top < 1.0);
            let body = pattern.request.as_ref();
            let tests = body.and_then(|body| body.get("SearchConditionExpression")?.as_str());
            let unequal = tests.is_some_and(|text| {
                let upper = text.to_uppercase();
                text.contains(['<', '>', '('])
                    || [" IN ", " BETWEEN ", " OR ", "NOT "].iter().any(|word| upper.contains(word))
            });
            let message = match (many, unequal) {
                (Some(top), _) => {
                    format!("it asks for {} neighbours, where 1 to {} are allowed", number(top), number(most))
                }
                (None, true) => "its condition tests other than by =, joined with AND".to_owned(),
                (None, false) => continue,
            };
            findings.push(VECTORS.found(Severity::Error, of(pattern), message));
        }
    }
}

#[cfg(test)]
mod tests;
