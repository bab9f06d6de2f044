//! What the API refuses, found without asking it.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::{AttributeValue, Kind, limits, size};
use serde_json::{Map, Value};

use super::context::{number, of};
use super::rule::PLAIN;
use super::{Context, Example, Group, Judge, Need, Rule, Threshold};
use crate::catalogue::{Billing, Index, IndexKind, KeyType, Pattern, Projection, Resource, Table};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::request::{Action, Fault, Verb};
use crate::plan::{PlanClass, collections, float, sizes};

pub(super) const RULES: &[Rule] = &[
    FILTER_ON_KEY,
    STRONG_ON_INDEX,
    TRANSACTION_SIZE,
    KEY_TYPE,
    KEY_SIZE,
    DEFINITIONS,
    INCLUDE,
    VECTOR,
    RESERVED,
    EXPRESSION,
];

const REFUSED: Rule = Rule { group: Group::Refused, severity: Severity::Error, ..PLAIN };

const FILTER_ON_KEY: Rule = Rule {
    id: "filter-on-key",
    summary: "The filter of a query names a key attribute of what is queried: it is refused. (Keys of the table in a query of a global \
              index are allowed.)",
    advice: "Put it into the key condition",
    teach: Example {
        before: "- {id: P1, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"begins_with(SK, :o)\"}",
        after: "- {id: P1, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}}",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(filters_on_keys),
    ..REFUSED
};

fn filters_on_keys(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let query = pattern.operation == Some(hashrange_api::Operation::Query);
        let Some(table) = context.table_of(plan).filter(|_| query) else { continue };
        let keys = context.index_of(plan).map_or(&table.keys, |index| &index.keys);
        let filters = request.actions.iter().filter_map(|action| action.filter.as_ref());
        let mut names = filters.flat_map(|filter| filter.attributes_in_order());
        if let Some(name) = names.find(|name| keys.attributes().any(|key| key == *name)) {
            let text = format!("the filter names {name}, a key of what is queried");
            findings.push(FILTER_ON_KEY.found(Severity::Error, of(pattern), text));
        }
    }
}

const STRONG_ON_INDEX: Rule = Rule {
    id: "strong-read-on-gsi",
    summary: "A global or vector index has no strong reads: ConsistentRead on it is refused.",
    advice: "Read the table by its key, or a local index, where the answer must be fresh",
    teach: Example {
        before: "- {id: P2, operation: Query, index: ByEmail, key: {GSI1PK: \"EMAIL#{email}\"}, consistent: true}",
        after: "- {id: P2, operation: Query, index: ByEmail, key: {GSI1PK: \"EMAIL#{email}\"}}",
    },
    covers: &["strong-read-unneeded"],
    judge: Judge::Any(strong_on_indexes),
    ..REFUSED
};

fn strong_on_indexes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns().filter(|(_, plan)| plan.strong) {
        if let Some(index) = context.index_of(plan).filter(|index| index.kind != IndexKind::Local) {
            let text = format!("reads {} strongly", index.name);
            findings.push(STRONG_ON_INDEX.found(Severity::Error, of(pattern), text));
        }
    }
}

const TRANSACTION_SIZE: Rule = Rule {
    id: "transaction-too-large",
    summary: "A transaction has at most 100 actions and 4 MB.",
    advice: "Split it, and make each part repeatable",
    teach: Example {
        before: "- {id: P3, operation: TransactWriteItems, items: 150}",
        after: "- {id: P3, operation: TransactWriteItems, items: 100}",
    },
    judge: Judge::Any(transaction_sizes),
    ..REFUSED
};

fn transaction_sizes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (at, (pattern, plan)) in context.patterns().enumerate().filter(|(_, (_, plan))| plan.transaction) {
        let stated = context.requests[at].as_ref().map(|request| float(request.actions.len()));
        let count =
            stated.unwrap_or(0.0).max(pattern.p99_items.or(pattern.items).or(plan.items).unwrap_or(0.0));
        let bytes = plan.item_bytes.map_or(0.0, |bytes| bytes * count);
        let text = if count > float(limits::TRANSACTION_ACTIONS_MAX) {
            format!("{} actions in one transaction", number(count))
        } else if bytes > float(limits::TRANSACTION_SIZE_MAX) {
            format!("{} bytes in one transaction", number(bytes))
        } else {
            continue;
        };
        findings.push(TRANSACTION_SIZE.found(Severity::Error, of(pattern), text));
    }
}

const KEY_TYPE: Rule = Rule {
    id: "key-type-mismatch",
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "A key has another type than the table defines: the request, or the item, is refused.",
    advice: "Give it the defined type, or change the definition",
    teach: Example {
        before: "types: {createdAt: S}   # samples have createdAt: {N: \"1764500000\"}",
        after: "types: {createdAt: N}",
    },
    judge: Judge::Any(key_types),
    ..REFUSED
};

fn kind_of(table: &Table, name: &str) -> Option<Kind> {
    Some(match table.definitions.get(name)? {
        KeyType::S => Kind::S,
        KeyType::N => Kind::N,
        KeyType::B => Kind::B,
    })
}

fn key_types(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let wrong = all_keys(table).into_iter().find_map(|key| {
            let defined = kind_of(table, key)?;
            let values = table.samples.iter().filter_map(|item| item.get(key));
            let kind = values.map(AttributeValue::kind).find(|kind| *kind != defined)?;
            Some(format!("{key} is defined as {defined}, and a sample has it as {kind}"))
        });
        let sampled = wrong.map(|text| (text, Evidence::Samples));
        let declared = || declared_otherwise(context, table).map(|text| (text, Evidence::Declared));
        if let Some((text, evidence)) = sampled.or_else(declared) {
            let finding = KEY_TYPE.found(Severity::Error, Subject::Table(table.name.clone()), text);
            findings.push(finding.rests_on(evidence));
        }
    }
    for (pattern, _, request) in context.requested() {
        let wrong = request.actions.iter().find_map(|action| wrong_key(context, action));
        if let Some(text) = wrong {
            findings.push(KEY_TYPE.found(Severity::Error, of(pattern), text));
        }
    }
}

/// A key attribute that an entity declares with another type.
fn declared_otherwise(context: &Context<'_>, table: &Table) -> Option<String> {
    let entities: Vec<_> = context.catalogue.entities_of(&table.name).collect();
    all_keys(table).into_iter().find_map(|key| {
        let defined = kind_of(table, key)?;
        entities.iter().filter(|entity| !entity.keys.contains_key(key)).find_map(|entity| {
            let kind = collections::attribute(entity, key)?.kind.filter(|kind| *kind != defined)?;
            Some(format!("{key} is defined as {defined}, and {} has it as {kind}", entity.name))
        })
    })
}

fn all_keys(table: &Table) -> BTreeSet<&str> {
    let of_indexes = table.indexes.iter().filter(|index| index.kind != IndexKind::Vector);
    table.keys.attributes().chain(of_indexes.flat_map(|index| index.keys.attributes())).collect()
}

fn wrong_key(context: &Context<'_>, action: &Action) -> Option<String> {
    let table = context.catalogue.table(&action.table)?;
    let parts = collections::key_of(table, action);
    let of_key = parts.into_iter().map(|part| (part.attribute, part.kind));
    let of_clauses =
        action.clauses.iter().zip(&action.clause_kinds).map(|(c, kind)| (c.attribute.clone(), *kind));
    of_key.chain(of_clauses).find_map(|(name, kind)| {
        let (kind, defined) = (kind?, kind_of(table, &name)?);
        (kind != defined).then(|| format!("gives {name} as {kind}, and it is defined as {defined}"))
    })
}

const KEY_SIZE_NOTE: Threshold = Threshold::new(
    "key-size.note",
    256.0,
    "bytes of a key, which every index repeats; AWS's modelling skill",
);

const KEY_SIZE: Rule = Rule {
    id: "key-size",
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[KEY_SIZE_NOTE],
    summary: "A partition key has at most 2,048 bytes, a sort key 1,024. Long keys are repeated in every index.",
    advice: "Shorten it: an id or a hash in place of a text",
    teach: Example {
        before: "key: {PK: \"URL#{url}\"}   # up to 4,000 bytes",
        after: "key: {PK: \"URL#{sha256}\"}",
    },
    judge: Judge::Any(key_sizes),
    ..REFUSED
};

fn key_sizes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let mut keys: Vec<(&str, usize)> = Vec::new();
        let all = std::iter::once(&table.keys).chain(table.indexes.iter().map(|index| &index.keys));
        for of in all {
            keys.extend(of.hash.iter().map(|key| (key.as_str(), limits::PARTITION_KEY_MAX)));
            keys.extend(of.range.iter().map(|key| (key.as_str(), limits::SORT_KEY_MAX)));
        }
        keys.sort_unstable();
        keys.dedup_by_key(|(key, _)| *key);
        for (key, most) in keys {
            let (bytes, evidence) = longest(context, table, key);
            let severity = match bytes {
                _ if bytes > float(most) => Severity::Error,
                _ if bytes >= context.threshold(&KEY_SIZE_NOTE) => Severity::Note,
                _ => continue,
            };
            let text = format!("{key} has {} bytes, of {} allowed", number(bytes), number(float(most)));
            findings
                .push(KEY_SIZE.found(severity, Subject::Table(table.name.clone()), text).rests_on(evidence));
        }
    }
}

/// The most bytes of a key, in samples or by templates.
fn longest(context: &Context<'_>, table: &Table, key: &str) -> (f64, Evidence) {
    let sampled = table.samples.iter().filter_map(|item| item.get(key)).map(size::value).max().map(float);
    let planned = context
        .catalogue
        .entities_of(&table.name)
        .filter_map(|entity| Some(sizes::template_length(context.catalogue, entity, entity.keys.get(key)?)))
        .reduce(f64::max);
    match (sampled, planned) {
        (Some(sampled), planned) if sampled >= planned.unwrap_or(0.0) => (sampled, Evidence::Samples),
        (_, planned) => (planned.unwrap_or(0.0), Evidence::Declared),
    }
}

const DEFINITIONS: Rule = Rule {
    id: "definitions-mismatch",
    summary: "AttributeDefinitions must name exactly the key attributes of the table and its indexes; Terraform shows an endless difference \
              where it names more.",
    advice: "Define the keys, and nothing else",
    teach: Example {
        before: "AttributeDefinitions: [PK, SK, total]",
        after: "AttributeDefinitions: [PK, SK]",
    },
    judge: Judge::Any(definitions),
    ..REFUSED
};

fn definitions(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in context.catalogue.tables.iter().filter(|table| !table.definitions.is_empty()) {
        let mut keys = all_keys(table);
        let undefined = keys.iter().find(|key| !table.definitions.contains_key(**key)).copied();
        keys.extend(table.indexes.iter().flat_map(|index| search_schema(index).map(|(name, _)| name)));
        let surplus = table.definitions.keys().find(|name| !keys.contains(name.as_str()));
        let text = match (undefined, surplus) {
            (Some(key), _) => format!("the key attribute {key} is not defined"),
            (None, Some(name)) => format!("{name} is defined and is no key"),
            (None, None) => continue,
        };
        findings.push(DEFINITIONS.found(Severity::Error, Subject::Table(table.name.clone()), text));
    }
}

const GLOBAL_LIST: Threshold = Threshold::new(
    "include-limits.global-table",
    20.0,
    "attributes in one list of AWS::DynamoDB::GlobalTable; CloudFormation's schema of the resource",
);

const INCLUDE: Rule = Rule {
    id: "include-limits",
    thresholds: &[GLOBAL_LIST],
    summary: "INCLUDE needs a list, and all lists of a table together name at most 100 attributes; in the resource \
              AWS::DynamoDB::GlobalTable of CloudFormation each list at most 20.",
    advice: "Shorten the lists, or project all",
    teach: Example {
        before: "ByDate: {key: {hash: GSI1PK}, projection: []}",
        after: "ByDate: {key: {hash: GSI1PK}, projection: [total]}",
    },
    judge: Judge::Any(includes),
    ..REFUSED
};

fn includes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let lists = || {
            table.indexes.iter().filter_map(|index| match &index.projection {
                Projection::Include(names) => Some((index, names)),
                _ => None,
            })
        };
        for (index, _) in lists().filter(|(_, names)| names.is_empty()) {
            let subject = Subject::Index(table.name.clone(), index.name.clone());
            findings.push(INCLUDE.found(
                Severity::Error,
                subject,
                "projects a list that is empty".to_owned(),
            ));
        }
        // The service takes longer lists; the resource type of the template does not.
        let most = context.threshold(&GLOBAL_LIST);
        let global = table.resource == Some(Resource::GlobalTable);
        for (index, names) in lists().filter(|(_, names)| global && float(names.len()) > most) {
            let text = format!(
                "projects a list of {} attributes, of which {} takes {}",
                names.len(),
                Resource::GlobalTable.name(),
                number(most)
            );
            let subject = Subject::Index(table.name.clone(), index.name.clone());
            findings.push(INCLUDE.found(Severity::Error, subject, text));
        }
        let total: usize = lists().map(|(_, names)| names.len()).sum();
        if total > limits::PROJECTED_ATTRIBUTES_MAX {
            let text = format!("{total} projected attributes over all indexes");
            findings.push(INCLUDE.found(Severity::Error, Subject::Table(table.name.clone()), text));
        }
    }
}

const VECTOR: Rule = Rule {
    id: "vector-rules",
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "Vector indexes: at most 5 on an on-demand table, 18 filters each, equal Dimensions on one attribute, TopK up to 100, filters by \
              = alone. And silently: an item without the HASH attribute is stored and never found.",
    advice: "Keep to the limits; give every item the HASH attribute",
    teach: Example {
        before: "- {id: P4, operation: SearchVectors, request: {IndexName: ByMeaning, TopK: 500}}",
        after: "- {id: P4, operation: SearchVectors, request: {IndexName: ByMeaning, TopK: 100}}",
    },
    judge: Judge::Any(vectors),
    ..REFUSED
};

fn vectors(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        let indexes: Vec<&Index> =
            table.indexes.iter().filter(|index| index.kind == IndexKind::Vector).collect();
        if let Some(text) = wrong_vectors(table, &indexes) {
            findings.push(VECTOR.found(Severity::Error, Subject::Table(table.name.clone()), text));
        }
        for index in &indexes {
            let subject = || Subject::Index(table.name.clone(), index.name.clone());
            let filters = search_schema(index).filter(|(_, kind)| *kind == "INLINE_FILTER").count();
            if filters > limits::VECTOR_FILTERS_MAX {
                findings.push(VECTOR.found(Severity::Error, subject(), format!("{filters} filters")));
            }
            if let Some(hash) = unfindable(table, index) {
                let text = format!("a sample has the vector but not {hash}: it is stored and never found");
                findings.push(VECTOR.found(Severity::Error, subject(), text).rests_on(Evidence::Samples));
            }
        }
    }
    let searches = context.requested().filter(|(_, plan, _)| plan.class == PlanClass::Vector);
    for (pattern, _, request) in searches {
        if let Some(text) = wrong_search(pattern, &request.actions) {
            findings.push(VECTOR.found(Severity::Error, of(pattern), text));
        }
    }
}

fn wrong_vectors(table: &Table, indexes: &[&Index]) -> Option<String> {
    if indexes.len() > limits::VECTOR_INDEXES_MAX {
        return Some(format!("{} vector indexes", indexes.len()));
    }
    if !indexes.is_empty() && matches!(table.billing, Some(Billing::Provisioned(_))) {
        return Some("a provisioned table has a vector index; it must be on demand".to_owned());
    }
    let mut dimensions: BTreeMap<String, u64> = BTreeMap::new();
    for index in indexes {
        let Some(map) = &index.vector else { continue };
        let Some((name, size)) = vector_attribute(map).zip(map.get("Dimensions").and_then(Value::as_u64))
        else {
            continue;
        };
        let before = *dimensions.entry(name.to_owned()).or_insert(size);
        if before != size {
            return Some(format!("{name} has {before} dimensions in one index and {size} in another"));
        }
    }
    None
}

fn vector_attribute(map: &Map<String, Value>) -> Option<&str> {
    let attribute = map.get("VectorAttribute")?;
    attribute.get("AttributeName").and_then(Value::as_str).or(attribute.as_str())
}

/// The attributes of an index's search schema, each with its sort.
fn search_schema(index: &Index) -> impl Iterator<Item = (&str, &str)> {
    let list = index.vector.as_ref().and_then(|map| map.get("SearchSchema")?.as_array());
    list.into_iter().flatten().filter_map(|element| {
        Some((element.get("AttributeName")?.as_str()?, element.get("SearchSchemaElementType")?.as_str()?))
    })
}

/// The HASH attribute that a sample with a vector lacks.
fn unfindable<'i>(table: &Table, index: &'i Index) -> Option<&'i str> {
    let vector = index.vector.as_ref().and_then(vector_attribute)?;
    let hash = search_schema(index).find(|(_, kind)| *kind == "HASH").map(|(name, _)| name)?;
    table.samples.iter().any(|item| item.contains(vector) && !item.contains(hash)).then_some(hash)
}

fn wrong_search(pattern: &Pattern, actions: &[Action]) -> Option<String> {
    let top =
        actions.iter().find_map(|action| action.top_k).filter(|top| *top > float(limits::VECTOR_TOP_K_MAX));
    if let Some(top) = top {
        return Some(format!("TopK {}", number(top)));
    }
    let condition = pattern.request.as_ref()?.get("SearchConditionExpression")?.as_str()?;
    let other = ["<", ">", " IN ", " in ", "begins_with", "BETWEEN", "between", " OR ", " or "];
    other
        .iter()
        .any(|word| condition.contains(word))
        .then(|| format!("the condition {condition} is no equality"))
}

const RESERVED: Rule = Rule {
    id: "reserved-word",
    summary: "A reserved word stands bare in an expression: the request is refused.",
    advice: "Write #name in the expression and name it in ExpressionAttributeNames",
    teach: Example {
        before: "update: \"SET status = :s\"",
        after: "update: \"SET #s = :s\"\nnames: {\"#s\": status}",
    },
    covers: &["invalid-expression"],
    needs: &[Need::Requests],
    judge: Judge::Any(reserved),
    ..REFUSED
};

fn reserved(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        for fault in &request.faults {
            if let Fault::ReservedWord { expression, word } = fault {
                let text = format!("{word} is a reserved word, bare in {expression}");
                findings.push(RESERVED.found(Severity::Error, of(pattern), text));
            }
        }
    }
}

const EXPRESSION: Rule = Rule {
    id: "invalid-expression",
    summary: "An expression or a statement cannot be read: the request is refused.",
    advice: "Correct the expression",
    teach: Example { before: "update: \"SET total + :n\"", after: "update: \"SET total = total + :n\"" },
    covers: &["unservable"],
    needs: &[Need::Requests],
    judge: Judge::Any(expressions),
    ..REFUSED
};

fn expressions(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        for fault in &request.faults {
            if let Fault::Expression(text) = fault {
                findings.push(EXPRESSION.found(Severity::Error, of(pattern), text.clone()));
            }
        }
        // A put's item must have the whole key.
        let partial = request.actions.iter().find_map(|action| lacking_key(context, action));
        if let Some(text) = partial {
            findings.push(EXPRESSION.found(Severity::Error, of(pattern), text));
        }
    }
}

fn lacking_key(context: &Context<'_>, action: &Action) -> Option<String> {
    let table = context.catalogue.table(&action.table)?;
    let single = matches!(action.verb, Verb::Put | Verb::Update | Verb::Delete | Verb::Check);
    let parts = collections::key_of(table, action);
    let lacking = table.keys.attributes().find(|key| parts.iter().all(|part| part.attribute != *key));
    lacking.filter(|_| single && !parts.is_empty()).map(|key| format!("the key lacks {key}"))
}
