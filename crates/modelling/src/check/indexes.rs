//! Indexes: unused, doubled, too many, too wide, never filled.

use super::context::{number, of, peak, rate};
use super::money;
use super::rule::PLAIN;
use super::statistics::counts;
use super::{Context, Example, Group, Judge, Need, Rule, Said, Threshold};
use crate::catalogue::{Billing, Entity, Index, IndexKind, KeyType, Pattern, Projection, Table, Usage};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::{PatternPlan, PlanClass, float, sizes};
use crate::recognise::Look;

pub(super) const RULES: &[Rule] = &[
    UNUSED,
    UNREAD,
    DUPLICATES_BASE,
    DUPLICATES_INDEX,
    OVER_INDEXING,
    AMPLIFICATION,
    WIDE,
    EMPTY,
    NOT_SPARSE,
    OPPORTUNITY,
    THROUGHPUT,
    LOCAL,
];

const BASE: Rule = Rule { group: Group::Indexes, ..PLAIN };

const UNUSED: Rule = Rule {
    id: "index-unused",
    summary: "No pattern reads the index, yet every write of its items pays for it, and it is stored.",
    not_a_fault_when: "it is declared for a stream, operations or a replica (used_for)",
    advice: "Remove the index, or say what reads it: used_for",
    teach: Example {
        before: "indexes:\n  ByEmail: {key: {hash: email}}            # no pattern names it",
        after: "indexes:\n  ByEmail: {key: {hash: email}, used_for: support tool}",
    },
    covers: &["index-duplicates-base", "index-duplicates-index", "projection-all-wide"],
    judge: Judge::Index(unused),
    ..BASE
};

const UNREAD_DAYS: Threshold =
    Threshold::new("unread.days", 30.0, "days without a read; AWS developer guide");

const UNREAD: Rule = Rule {
    id: "unread",
    evidence: &[Evidence::Traffic],
    thresholds: &[UNREAD_DAYS],
    summary: "Metrics say that nothing has read the table or the index for a month, yet it is stored, and each write pays for the index. \
              Metrics are stated with usage: {days: 45, read_units: 0}, the sum of CloudWatch's ConsumedReadCapacityUnits.",
    not_a_fault_when: "it is declared for a stream, operations or a replica (used_for); the table is written for its stream; fewer days were \
                       measured, as of what is new",
    advice: "Remove it, with a backup of a table; or say what it is for: used_for",
    teach: Example {
        before: "indexes:\n  ByPhone: {key: {hash: phone}, usage: {days: 45, read_units: 0}}",
        after: "indexes: {}",
    },
    covers: &[
        "index-unused",
        "index-duplicates-base",
        "index-duplicates-index",
        "projection-all-wide",
        "lsi-without-strong-read",
        "table-unused",
    ],
    judge: Judge::Any(unread),
    ..BASE
};

const DUPLICATES_BASE: Rule = Rule {
    id: "index-duplicates-base",
    summary: "The index has the table's own keys, or its partition key alone: the table answers the same.",
    not_a_fault_when: "it projects little of large items, lists a few items by a scan, or is there for throughput of its own (then a note)",
    advice: "Remove the index and read the table",
    teach: Example {
        before: "key: {hash: userId, range: orderId}\nindexes:\n  ByUser: {key: {hash: userId}}",
        after: "key: {hash: userId, range: orderId}     # Query userId",
    },
    judge: Judge::Index(duplicates_base),
    ..BASE
};

const DUPLICATES_INDEX: Rule = Rule {
    id: "index-duplicates-index",
    summary: "Two indexes have the same keys, or the keys of one begin those of the other, which projects as much: one of them is enough.",
    not_a_fault_when: "different items have the attributes of their keys",
    advice: "Keep the wider one",
    teach: Example {
        before: "ByCity: {key: {hash: country, range: [city]}}\nByStreet: {key: {hash: country, range: [city, street]}}",
        after: "ByStreet: {key: {hash: country, range: [city, street]}}   # serves city too",
    },
    judge: Judge::Index(duplicates_index),
    ..BASE
};

const GLOBAL_MAX: Threshold = Threshold::new(
    "over-indexing.global",
    20.0,
    "global indexes of a table; AWS's quota, which can be raised",
);
const LOCAL_MAX: Threshold =
    Threshold::new("over-indexing.local", 5.0, "local indexes of a table; AWS's quota");
const AMPLIFIED: Threshold = Threshold::new(
    "over-indexing.amplification",
    3.0,
    "write units of table and indexes for each of the table's; chosen",
);
const RETHINK: Threshold =
    Threshold::new("over-indexing.rethink", 4.0, "global indexes from which on one thinks again");

const OVER_INDEXING: Rule = Rule {
    id: "over-indexing",
    severity: Severity::Error,
    thresholds: &[GLOBAL_MAX, LOCAL_MAX, AMPLIFIED, RETHINK],
    summary: "Every index multiplies writes. Past AWS's quotas the table cannot be made.",
    not_a_fault_when: "reads cost more than writes",
    advice: "Overload one index with several kinds of item, make indexes sparse, merge those that share a beginning",
    teach: Example {
        before: "indexes: {ByEmail: .., ByPhone: .., ByCity: .., ByStatus: .., ByDate: ..}",
        after: "indexes: {GSI1: ..}      # GSI1PK: \"EMAIL#{email}\" of users, \"STATUS#{status}\" of open orders",
    },
    judge: Judge::Table(over_indexing),
    ..BASE
};

const ABOVE: Threshold = Threshold::new(
    "gsi-amplification-high.ratio",
    1.15,
    "observed units of an index for each that was expected; AWS's design skill",
);

const AMPLIFICATION: Rule = Rule {
    id: "gsi-amplification-high",
    evidence: &[Evidence::Run, Evidence::Traffic],
    thresholds: &[ABOVE],
    summary: "Writes to an index cost more than its declaration says: entries are larger, or a key changes and each change is two writes.",
    not_a_fault_when: "",
    advice: "Declare the entries' true size, project less, or keep changing attributes out of the index's key",
    teach: Example {
        before: "ByStatus: {.., entry_bytes: 300}      # observed: 2 units for each write",
        after: "ByStatus: {.., entry_bytes: 1400}",
    },
    judge: Judge::Any(amplification),
    ..BASE
};

const WIDE_READ: Threshold = Threshold::new(
    "projection-all-wide.read-share",
    0.5,
    "share of an entry's bytes that patterns read; chosen",
);
const WIDE_DOLLARS: Threshold = Threshold::new(
    "projection-all-wide.dollars",
    5.0,
    "USD per month that a narrower projection saves; chosen",
);

const WIDE: Rule = Rule {
    id: "projection-all-wide",
    thresholds: &[WIDE_READ, WIDE_DOLLARS],
    summary: "The index holds whole items, of which its patterns read the lesser part; a list would cost less for each write.",
    not_a_fault_when: "entries are at most 1 KB: more attributes are then free but for storage",
    advice: "Project the attributes that are read",
    teach: Example {
        before: "ByStatus: {.., projection: all}                  # 3 KB, read: orderId, total",
        after: "ByStatus: {.., projection: [orderId, total]}",
    },
    judge: Judge::Index(wide),
    ..BASE
};

const EMPTY: Rule = Rule {
    id: "index-empty",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "A pattern reads an index that no item enters: an item without one of the key attributes, or with one of another type, is silently \
              not indexed.",
    not_a_fault_when: "",
    advice: "Write all key attributes of the index, with the types that the table declares",
    teach: Example {
        before: "Order: {key: {PK: .., SK: .., GSI1PK: \"STATUS#{status}\"}}       # index key: GSI1PK, GSI1SK",
        after: "Order: {key: {PK: .., SK: .., GSI1PK: \"STATUS#{status}\", GSI1SK: \"{createdAt}\"}}",
    },
    judge: Judge::Index(empty),
    ..BASE
};

const SPARSE_SHARE: Threshold = Threshold::new(
    "sparse-not-sparse.share",
    0.5,
    "share of items in the index, above which it is not sparse; AWS's design skill",
);

const NOT_SPARSE: Rule = Rule {
    id: "sparse-not-sparse",
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[SPARSE_SHARE],
    summary: "Patterns want few of an index's items, yet most items are in it, or enter it with a placeholder such as NONE.",
    not_a_fault_when: "all rows are wanted",
    advice: "Set the key attribute on the wanted items only, and remove it when they are done",
    teach: Example {
        before: "flag: {values: [NONE, OPEN], weights: [99, 1]}     # hash of ByFlag; patterns read OPEN",
        after: "flag: {values: [OPEN], share: 0.01}",
    },
    judge: Judge::Index(not_sparse),
    ..BASE
};

const KEPT: Threshold =
    Threshold::new("sparse-opportunity.kept", 0.1, "share of items that a filter keeps; AWS's MCP server");

const OPPORTUNITY: Rule = Rule {
    id: "sparse-opportunity",
    severity: Severity::Note,
    evidence: &[Evidence::Declared, Evidence::Run],
    thresholds: &[KEPT],
    summary: "A filter keeps few of the items that are read, by a flag or a status: an index that holds only these would be read alone.",
    not_a_fault_when: "",
    advice: "Add a sparse index: a key attribute that only the wanted items have",
    teach: Example {
        before: "filter: \"status = :open\"             # 1 in 50",
        after: "index: Open, key: {openOf: \"{customerId}\"}     # openOf is on open orders only",
    },
    judge: Judge::Pattern(opportunity),
    ..BASE
};

const THROUGHPUT: Rule = Rule {
    id: "gsi-throughput-below-base",
    severity: Severity::Error,
    summary: "The index is provisioned for fewer writes than the table sends it: when it is throttled, the table's writes are too.",
    not_a_fault_when: "the index is sparse",
    advice: "Raise the index's write capacity to what its arm of the writes needs",
    teach: Example {
        before: "capacity: {write: 100}, indexes: {ByStatus: {.., capacity: {write: 10}}}",
        after: "capacity: {write: 100}, indexes: {ByStatus: {.., capacity: {write: 100}}}",
    },
    needs: &[Need::Settings],
    judge: Judge::Index(throughput),
    ..BASE
};

const LOCAL: Rule = Rule {
    id: "lsi-without-strong-read",
    severity: Severity::Note,
    summary: "A local index is read, and never strongly, which is all that it can do and a global one cannot. It caps collections at 10 GB and \
              keeps hot collections from being split.",
    not_a_fault_when: "a pattern reads it strongly",
    advice: "Use a global index with the same keys",
    teach: Example { before: "ByDate: {kind: local, ..}", after: "ByDate: {kind: global, ..}" },
    needs: &[Need::LocalIndexes],
    judge: Judge::Index(local),
    ..BASE
};

/// The patterns that read an index, with their plans.
fn readers<'c, 'a>(
    context: &'c Context<'a>,
    table: &Table,
    index: &Index,
) -> Vec<(&'a Pattern, &'c PatternPlan)> {
    let reads = |plan: &PatternPlan| plan.table == table.name && plan.index.as_ref() == Some(&index.name);
    let named = |pattern: &Pattern| {
        pattern.index.as_ref() == Some(&index.name) && pattern.table.as_ref() == Some(&table.name)
    };
    context.patterns().filter(|(pattern, plan)| reads(plan) || named(pattern)).collect()
}

fn ids(patterns: &[(&Pattern, &PatternPlan)]) -> String {
    patterns.iter().map(|(pattern, _)| pattern.id.as_str()).collect::<Vec<_>>().join(", ")
}

/// Write units per second that an index takes at the worst time; `None` where no pattern tells.
fn written(
    context: &Context<'_>,
    table: &Table,
    index: &Index,
    of: fn(&Pattern) -> Option<f64>,
) -> Option<f64> {
    let arms = context.patterns().flat_map(|(pattern, plan)| {
        let arms =
            plan.arms.iter().filter(|arm| arm.table == table.name && arm.index.as_ref() == Some(&index.name));
        arms.filter_map(move |arm| Some(arm.write * of(pattern)?))
    });
    Some(arms.sum::<f64>()).filter(|units| *units > 0.0)
}

fn unused(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let read = index.used_for.is_some() || !readers(context, table, index).is_empty();
    if read || context.catalogue.patterns.is_empty() {
        return None;
    }
    let mut message = "no pattern reads it".to_owned();
    if let Some(units) = written(context, table, index, rate) {
        message = format!(
            "{message}; it takes {} write units per second, {} USD per month on demand",
            number(units),
            number(money::writes(units))
        );
    }
    if let Some(usage) = index.usage.filter(|usage| usage.read_units > 0.0) {
        message = format!(
            "{message}, but metrics say that something does: {} read units in {} days",
            number(usage.read_units),
            number(usage.days)
        );
    }
    if let Some(bytes) = sizes::index_bytes(context.catalogue, table, index) {
        message = format!("{message}; it stores {} GB", number(bytes / 1e9));
    }
    Some(Said::warn(message))
}

/// A table that nothing reads stands for its indexes.
fn unread(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let least = context.threshold(&UNREAD_DAYS);
    let is_unread =
        |usage: Option<Usage>| usage.filter(|usage| usage.read_units <= 0.0 && usage.days >= least);
    let mut tell = |subject: Subject, usage: Usage, more: String| {
        let message = format!("nothing has read it for {} days{more}", number(usage.days));
        findings.push(UNREAD.found(Severity::Warn, subject, message));
    };
    for table in &context.catalogue.tables {
        let streams = table.stream.is_some() || table.kinesis.is_some();
        if let Some(usage) = is_unread(table.usage) {
            if !streams {
                tell(Subject::Table(table.name.clone()), usage, String::new());
            }
            continue;
        }
        for index in table.indexes.iter().filter(|index| index.used_for.is_none()) {
            let Some(usage) = is_unread(index.usage) else { continue };
            let readers = readers(context, table, index);
            let more =
                if readers.is_empty() { String::new() } else { format!(", though {} would", ids(&readers)) };
            tell(Subject::Index(table.name.clone(), index.name.clone()), usage, more);
        }
    }
}

fn duplicates_base(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let equal = index.keys == table.keys;
    let alone =
        index.keys.hash == table.keys.hash && index.keys.range.is_empty() && !table.keys.range.is_empty();
    if index.kind == IndexKind::Vector || !(equal || alone) {
        return None;
    }
    let what = if equal { "has the table's own keys" } else { "has the table's partition key alone" };
    let thin = index.projection != Projection::All;
    let scanned = readers(context, table, index).iter().any(|(_, plan)| plan.class == PlanClass::IndexScan);
    Some(match (thin || scanned, index.used_for.as_ref()) {
        (_, Some(reason)) => Said::note(format!("it {what}; it is declared for: {reason}")),
        (true, None) => {
            Said::note(format!("it {what}; it is thinner than the items, which may be what it is for"))
        }
        (false, None) => Said::warn(format!("it {what}")),
    })
}

fn duplicates_index(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let other = table.indexes.iter().find(|other| makes_needless(context, table, index, other))?;
    Some(Said::warn(format!("{} has keys that begin with its own, and projects as much", other.name)))
}

/// Whether `other` serves all that `index` does. Of two that are equal, the first is kept.
fn makes_needless(context: &Context<'_>, table: &Table, index: &Index, other: &Index) -> bool {
    let begins = other.keys.hash == index.keys.hash && other.keys.range.starts_with(&index.keys.range);
    if index.name == other.name || index.kind != other.kind || index.kind == IndexKind::Vector || !begins {
        return false;
    }
    let as_many = context
        .catalogue
        .entities_of(&table.name)
        .all(|entity| (sizes::entry_share(index, entity) - sizes::entry_share(other, entity)).abs() < 1e-9);
    let place = |wanted: &Index| table.indexes.iter().position(|index| index.name == wanted.name);
    let same = index.keys == other.keys && within(&other.projection, &index.projection);
    within(&index.projection, &other.projection) && as_many && (!same || place(other) < place(index))
}

/// Whether one projection holds no more than another.
fn within(inner: &Projection, outer: &Projection) -> bool {
    match (inner, outer) {
        (_, Projection::All) | (Projection::KeysOnly, _) => true,
        (Projection::All, _) => false,
        (Projection::Include(inner), Projection::KeysOnly) => inner.is_empty(),
        (Projection::Include(inner), Projection::Include(outer)) => {
            inner.iter().all(|name| outer.contains(name))
        }
    }
}

fn over_indexing(context: &Context<'_>, table: &Table) -> Option<Said> {
    let of_kind = |kind: IndexKind| float(table.indexes.iter().filter(|index| index.kind == kind).count());
    let (global, local) = (of_kind(IndexKind::Global), of_kind(IndexKind::Local));
    let most = [context.threshold(&GLOBAL_MAX), context.threshold(&LOCAL_MAX)];
    if global > most[0] || local > most[1] {
        return Some(Said::error(format!(
            "{} global and {} local indexes, where {} and {} are allowed",
            number(global),
            number(local),
            number(most[0]),
            number(most[1])
        )));
    }
    if let Some(ratio) = amplified(context, table).filter(|ratio| *ratio > context.threshold(&AMPLIFIED)) {
        return Some(Said::warn(format!(
            "a write costs {} times what the table alone would, over {} indexes",
            number(ratio),
            number(global + local)
        )));
    }
    let many = global >= context.threshold(&RETHINK);
    many.then(|| Said::note(format!("{} global indexes; most models need fewer", number(global))))
}

/// Units of all arms for each unit of the table, over writes by their rates; `None` where reads cost more, or nothing tells.
fn amplified(context: &Context<'_>, table: &Table) -> Option<f64> {
    let mut base = 0.0;
    let mut all = 0.0;
    let mut reads = 0.0;
    for (pattern, plan) in context.patterns() {
        let rate = rate(pattern).unwrap_or(1.0);
        for arm in plan.arms.iter().filter(|arm| arm.table == table.name) {
            all += arm.write * rate;
            reads += arm.read * rate;
            base += if arm.index.is_none() { arm.write * rate } else { 0.0 };
        }
    }
    (base > 0.0 && money::writes(all) >= money::reads(reads)).then(|| all / base)
}

fn amplification(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns().filter(|(_, plan)| matches!(plan.class, PlanClass::Write(_))) {
        let Some(seen) = context.observed(&pattern.id) else { continue };
        for arm in plan.arms.iter().filter(|arm| arm.index.is_some() && arm.write > 0.0) {
            let same = seen.arms.iter().find(|other| other.table == arm.table && other.index == arm.index);
            let Some(observed) = same.map(|arm| arm.write) else { continue };
            if observed > arm.write * context.threshold(&ABOVE) {
                let message = format!(
                    "index {} took {} write units each time, where {} were expected",
                    arm.index.as_deref().unwrap_or_default(),
                    number(observed),
                    number(arm.write)
                );
                findings
                    .push(AMPLIFICATION.found(Severity::Warn, of(pattern), message).rests_on(seen.evidence));
            }
        }
    }
}

fn wide(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let readers = readers(context, table, index);
    if index.projection != Projection::All
        || index.kind == IndexKind::Vector
        || readers.is_empty()
        || readers.iter().any(|(_, plan)| plan.wanted.is_empty())
    {
        return None;
    }
    let keys: Vec<&str> = table.keys.attributes().chain(index.keys.attributes()).collect();
    let mut wanted: Vec<String> = readers.iter().flat_map(|(_, plan)| plan.wanted.iter().cloned()).collect();
    wanted.retain(|name| !keys.contains(&name.as_str()));
    wanted.sort();
    wanted.dedup();
    let narrow =
        Index { projection: Projection::Include(wanted.clone()), entry_bytes: None, ..index.clone() };
    let message = saving(context, table, index, &narrow)?;
    Some(Said::warn(message).advise(format!("Project [{}]", wanted.join(", "))))
}

/// What a narrower index would save, where it is worth it.
fn saving(context: &Context<'_>, table: &Table, index: &Index, narrow: &Index) -> Option<String> {
    let mut best: Option<String> = None;
    let mut stored = 0.0;
    for entity in context.catalogue.entities_of(&table.name) {
        let Some(entry) = sizes::entry_bytes(context.catalogue, table, index, entity) else { continue };
        let Some(less) = sizes::entry_bytes(context.catalogue, table, narrow, entity) else { continue };
        let narrower = less < context.threshold(&WIDE_READ) * entry && entry > 1024.0;
        if !narrower {
            continue;
        }
        let steps = |bytes: f64| (bytes / 1024.0).ceil().max(1.0);
        let text = format!(
            "{}'s entry of {} bytes would have {}: {} write units instead of {}",
            entity.name,
            number(entry),
            number(less),
            number(steps(less)),
            number(steps(entry))
        );
        if steps(less) < steps(entry) {
            return Some(text);
        }
        let count =
            sizes::entity_count(context.catalogue, entity).unwrap_or(0.0) * sizes::entry_share(index, entity);
        stored += money::storage(count * (entry - less));
        best = Some(format!("{text}; {} USD per month less for storage", number(stored)));
    }
    best.filter(|_| stored > context.threshold(&WIDE_DOLLARS))
}

fn empty(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let readers = readers(context, table, index);
    if readers.is_empty() || index.kind == IndexKind::Vector {
        return None;
    }
    let (evidence, fault) = never_filled(context, table, index)?;
    Some(Said::error(format!("{fault}, and {} reads it", ids(&readers))).rests_on(evidence))
}

/// Why an index stays empty.
fn never_filled(context: &Context<'_>, table: &Table, index: &Index) -> Option<(Evidence, String)> {
    let mut entities = context.catalogue.entities_of(&table.name).peekable();
    let declared = entities.peek().is_some();
    // An entity without attributes says nothing of what its items have.
    let may = |entity: &Entity| {
        (entity.keys.is_empty() && entity.attributes.is_empty()) || sizes::entry_share(index, entity) > 0.0
    };
    let entering: Vec<&Entity> = entities.filter(|entity| may(entity)).collect();
    let keys: Vec<&str> = index.keys.attributes().collect();
    if declared && entering.is_empty() {
        return Some((
            Evidence::Declared,
            format!("no entity has all of its key attributes ({})", keys.join(", ")),
        ));
    }
    let samples: Vec<_> = if declared {
        entering
            .iter()
            .filter_map(|entity| context.samples.of_entity(&entity.name))
            .flat_map(|kind| kind.items.iter().copied())
            .collect()
    } else {
        table.samples.iter().collect()
    };
    let right = |name: &str, item: &hashrange_item::Attributes| {
        item.get(name).is_some_and(|value| is_type(table, name, value))
    };
    if samples.is_empty() || samples.iter().any(|item| keys.iter().all(|name| right(name, item))) {
        return None;
    }
    let wrong = samples.iter().any(|item| keys.iter().all(|name| item.contains(name)));
    let why = if wrong { "with the declared type" } else { "all of them" };
    Some((
        Evidence::Samples,
        format!("none of {} samples has its key attributes ({}) {why}", samples.len(), keys.join(", ")),
    ))
}

/// Whether a value has the declared type of a key attribute.
fn is_type(table: &Table, name: &str, value: &hashrange_item::AttributeValue) -> bool {
    use hashrange_item::Kind;
    let kind = value.kind();
    match table.definitions.get(name) {
        Some(KeyType::S) => kind == Kind::S,
        Some(KeyType::N) => kind == Kind::N,
        Some(KeyType::B) => kind == Kind::B,
        None => matches!(kind, Kind::S | Kind::N | Kind::B),
    }
}

/// Values that stand for nothing.
const PLACEHOLDERS: &[&str] =
    &["NONE", "None", "none", "N/A", "n/a", "NA", "-", "null", "NULL", "false", "FALSE", "UNSET", "0"];

fn not_sparse(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    if index.kind != IndexKind::Global {
        return None;
    }
    let fault = placeholder(context, table, index).or_else(|| unwanted(context, table, index));
    fault.map(|(evidence, message)| Said::warn(message).rests_on(evidence))
}

/// A placeholder in the index's partition key, in samples or declared values.
fn placeholder(context: &Context<'_>, table: &Table, index: &Index) -> Option<(Evidence, String)> {
    context.samples.of_table(&table.name).find_map(|kind| {
        index.keys.attributes().find_map(|attribute| {
            let column = context.column(kind, attribute)?;
            let sampled =
                column.parts.iter().flat_map(|part| &part.values).find(|text| stands_for_nothing(text));
            let declared = kind.entity.and_then(|entity| {
                let gaps: Vec<&str> = column.parts.iter().map(|part| part.name.as_str()).collect();
                let values = entity
                    .attributes
                    .iter()
                    .filter(|a| gaps.contains(&a.name.as_str()))
                    .flat_map(|a| &a.values);
                values.into_iter().find(|text| stands_for_nothing(text))
            });
            let evidence = if sampled.is_some() { Evidence::Samples } else { Evidence::Declared };
            let text = sampled.cloned().or_else(|| declared.cloned())?;
            Some((
                evidence,
                format!("items of {} that nobody wants enter it as \"{text}\" in {attribute}", kind.name),
            ))
        })
    })
}

fn stands_for_nothing(text: &str) -> bool {
    PLACEHOLDERS.contains(&text) && text != "0"
}

/// Readers that want one value of few, where most items are in the index.
fn unwanted(context: &Context<'_>, table: &Table, index: &Index) -> Option<(Evidence, String)> {
    let readers = readers(context, table, index);
    let mut wanted: Vec<&str> = Vec::new();
    for (_, plan) in &readers {
        let [(_, text)] = plan.hash.as_slice() else { return None };
        if crate::template::Template::parse(text).map_or(true, |template| !template.is_constant()) {
            return None;
        }
        wanted.push(text);
    }
    let entities = context.catalogue.entities_of(&table.name);
    let entity = entities.into_iter().find(|entity| sizes::entry_share(index, entity) > 0.0)?;
    let share = sizes::entry_count(context.catalogue, table, index)
        .zip(context.table_count(table))
        .map(|(entries, all)| entries / all)?;
    let kind = context.samples.of_entity(&entity.name)?;
    let column = context.column(kind, index.keys.hash.first()?)?;
    let [part] = column.parts.as_slice() else { return None };
    let attribute = entity.attributes.iter().find(|attribute| attribute.name == part.name)?;
    let kept: f64 = attribute
        .values
        .iter()
        .enumerate()
        .filter(|(_, value)| wanted.iter().any(|text| text.ends_with(value.as_str())))
        .map(|(at, _)| weight(attribute, at))
        .sum();
    let sparse = share <= context.threshold(&SPARSE_SHARE)
        || kept >= context.threshold(&SPARSE_SHARE)
        || kept <= 0.0
        || wanted.is_empty();
    (!sparse).then(|| {
        let text = format!(
            "{} % of the items are in it, of which patterns want {} %",
            number(share * 100.0),
            number(kept * 100.0)
        );
        (Evidence::Declared, text)
    })
}

/// The share of items that have the value at that place.
fn weight(attribute: &crate::catalogue::Attribute, at: usize) -> f64 {
    let all: f64 = attribute.weights.iter().sum();
    match attribute.weights.get(at) {
        Some(weight) if all > 0.0 => weight / all,
        _ => 1.0 / float(attribute.values.len()),
    }
}

fn opportunity(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan) -> Option<Said> {
    let scan = matches!(plan.class, PlanClass::Scan | PlanClass::IndexScan);
    // A scan that somebody waits for has a finding of its own, which names the index to add.
    if plan.filter.is_empty() || (scan && super::context::is_request(pattern)) {
        return None;
    }
    let (kept, evidence, name) = kept(context, pattern, plan)?;
    (kept < context.threshold(&KEPT)).then(|| {
        let message = format!("its filter on {name} keeps {} % of what is read", number(kept * 100.0));
        Said::note(message).rests_on(evidence)
    })
}

/// The share of items that a filter on a flag or status keeps: as observed, else by declared weights, else by samples.
fn kept(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan) -> Option<(f64, Evidence, String)> {
    let body = pattern.request.as_ref()?;
    let values: Vec<&str> = body
        .get("ExpressionAttributeValues")?
        .as_object()?
        .values()
        .filter_map(|value| value.as_object()?.values().next()?.as_str())
        .collect();
    for name in &plan.filter {
        let declared = context
            .catalogue
            .entities_of(&plan.table)
            .flat_map(|entity| &entity.attributes)
            .find(|attribute| attribute.name == *name && !attribute.values.is_empty());
        let by_weight = declared.and_then(|attribute| {
            let at = attribute.values.iter().position(|value| values.contains(&value.as_str()))?;
            Some((weight(attribute, at), Evidence::Declared))
        });
        let by_run = || {
            let seen = context.observed(&pattern.id).filter(|seen| seen.examined >= 10.0)?;
            declared.map(|_| (seen.returned / seen.examined, seen.evidence))
        };
        if let Some((share, evidence)) =
            by_run().or(by_weight).or_else(|| sampled(context, plan, name, &values))
        {
            return Some((share, evidence, name.clone()));
        }
    }
    None
}

/// The share of samples that have one of the values, where the attribute is an enumeration.
fn sampled(
    context: &Context<'_>,
    plan: &PatternPlan,
    name: &str,
    values: &[&str],
) -> Option<(f64, Evidence)> {
    let kind = context
        .samples
        .of_table(&plan.table)
        .find(|kind| kind.is_enough() && !kind.values(name).is_empty())?;
    let texts: Vec<String> = kind.values(name).into_iter().map(super::samples::key_text).collect();
    let counts = counts(&texts);
    let few = counts.len() <= 10
        && texts.iter().all(|text| matches!(crate::recognise::look(text), Look::Word | Look::Boolean));
    let wanted = values.iter().filter_map(|value| counts.get(value)).max()?;
    few.then(|| (float(*wanted) / float(kind.items.len()), Evidence::Samples))
}

fn throughput(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let Some(Billing::Provisioned(base)) = &table.billing else { return None };
    let scaled = index.scaling[1].map(|scaling| scaling.max);
    let own = scaled.or(index.capacity.map(|capacity| capacity.write));
    let own = own.filter(|_| index.kind == IndexKind::Global)?;
    let base = table.scaling[1].map(|scaling| scaling.max).or(base.map(|capacity| capacity.write));
    let full = index.projection == Projection::All && is_full(context, table, index);
    match (written(context, table, index, peak), base) {
        (Some(expected), _) if own < expected => Some(Said::error(format!(
            "it can write {} units per second, and patterns send it {}",
            number(own),
            number(expected)
        ))),
        (None, Some(base)) if own < base && full => Some(Said::warn(format!(
            "it can write {} units per second, the table {}, and every item is in it",
            number(own),
            number(base)
        ))),
        _ => None,
    }
}

/// Whether all items of a table are in an index, by declaration.
fn is_full(context: &Context<'_>, table: &Table, index: &Index) -> bool {
    let mut entities = context.catalogue.entities_of(&table.name).peekable();
    entities.peek().is_none() || entities.all(|entity| sizes::entry_share(index, entity) >= 1.0)
}

fn local(context: &Context<'_>, table: &Table, index: &Index) -> Option<Said> {
    let readers = readers(context, table, index);
    let needless = !readers.is_empty() && !readers.iter().any(|(_, plan)| plan.strong);
    (needless && index.kind == IndexKind::Local)
        .then(|| Said::note(format!("{} read it, none strongly", ids(&readers))))
}

#[cfg(test)]
mod tests;
