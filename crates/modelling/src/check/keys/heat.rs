//! Keys that more traffic meets than one partition serves.

use hashrange_language::{ChangeKind, Update};

use super::BASE;
use crate::catalogue::{IndexKind, Pattern};
use crate::check::context::{number, of, peak};
use crate::check::loads::{KeyLoad, loads};
use crate::check::samples::SAMPLES_MIN;
use crate::check::statistics::KeyPart;
use crate::check::{Context, Example, HotKey, Judge, Kind, Rule, Threshold};
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::request::Verb;
use crate::plan::{float, sizes};
use crate::recognise::Look;
use crate::skew::{scatter_read, write_shards};
use crate::template::Template;

pub(in crate::check) const RULES: &[Rule] =
    &[DATE_KEY, LOW_CARDINALITY, HOT_KEY, HOT_COUNTER, HOT_SORT_KEY, HOT_INDEX];

const CEILING: &str = "units per second of one key: AWS developer guide's ceiling of a partition";
const HALF: &str = "units per second of one key: half of the ceiling; chosen";
const SEVEN_TENTHS: &str = "units per second of one key: 0.7 of the ceiling; AWS's design skill";

/// Thresholds of one rule: write units per second for a warning and an error, then read units.
type Limits = [&'static Threshold; 4];

const DATE_WRITE_WARN: Threshold = Threshold::new("date-partition-key.write-warn", 500.0, HALF);
const DATE_WRITE_ERROR: Threshold = Threshold::new("date-partition-key.write-error", 1_000.0, CEILING);
const DATE_READ_WARN: Threshold = Threshold::new("date-partition-key.read-warn", 1_500.0, HALF);
const DATE_READ_ERROR: Threshold = Threshold::new("date-partition-key.read-error", 3_000.0, CEILING);
const DATE_MANY: Threshold = Threshold::new(
    "date-partition-key.many",
    100.0,
    "values of the key's other parts, from which on a bucket is no hot spot; AWS's MCP server",
);
const DATE_LIMITS: Limits = [&DATE_WRITE_WARN, &DATE_WRITE_ERROR, &DATE_READ_WARN, &DATE_READ_ERROR];

const DATE_KEY: Rule = Rule {
    id: "date-partition-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[DATE_WRITE_WARN, DATE_WRITE_ERROR, DATE_READ_WARN, DATE_READ_ERROR, DATE_MANY],
    summary: "The partition key is a day, an hour or a month: all writes go to the current one, which one partition serves, and yesterday's rest.",
    not_a_fault_when: "the rate is low (a note); the bucket stands beside a part of many values, as in DEVICE#d7#2026-11",
    advice: "Make the entity's identifier the partition key and the time the sort key; or spread each bucket over write shards",
    teach: Example {
        before: "key: {PK: \"DAY#{day}\", SK: \"{time}\"}        # 2,000 writes/s, all to today",
        after: "key: {PK: \"DEVICE#{deviceId}#{month}\", SK: \"{time}\"}",
    },
    judge: Judge::Any(date_keys),
    ..BASE
};

const LOW_WRITE_WARN: Threshold = Threshold::new("low-cardinality-partition-key.write-warn", 500.0, HALF);
const LOW_WRITE_ERROR: Threshold =
    Threshold::new("low-cardinality-partition-key.write-error", 1_000.0, CEILING);
const LOW_READ_WARN: Threshold = Threshold::new("low-cardinality-partition-key.read-warn", 1_500.0, HALF);
const LOW_READ_ERROR: Threshold =
    Threshold::new("low-cardinality-partition-key.read-error", 3_000.0, CEILING);
const LOW_VALUES: Threshold = Threshold::new(
    "low-cardinality-partition-key.values",
    100.0,
    "different values, below which they are few; AWS's MCP server",
);
const LOW_ITEMS: Threshold = Threshold::new(
    "low-cardinality-partition-key.items",
    100_000.0,
    "items from which on few values are a fault; chosen",
);
const LOW_SMALL: Threshold = Threshold::new(
    "low-cardinality-partition-key.small",
    1_000.0,
    "items up to which any key serves; chosen",
);
const LOW_RATIO: Threshold = Threshold::new(
    "low-cardinality-partition-key.sample-share",
    0.05,
    "different values for each sample, below which samples show an enumeration; chosen",
);
const LOW_LIMITS: Limits = [&LOW_WRITE_WARN, &LOW_WRITE_ERROR, &LOW_READ_WARN, &LOW_READ_ERROR];

const LOW_CARDINALITY: Rule = Rule {
    id: "low-cardinality-partition-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[
        LOW_WRITE_WARN,
        LOW_WRITE_ERROR,
        LOW_READ_WARN,
        LOW_READ_ERROR,
        LOW_VALUES,
        LOW_ITEMS,
        LOW_SMALL,
        LOW_RATIO,
    ],
    summary: "The partition key takes few values, so that the commonest meets most of the traffic, and one partition serves a value.",
    not_a_fault_when: "the table is small, or holds reference data; a sparse index holds the few items that are pending, at a modest rate: \
                       STATUS#pending is right at 10 writes per second and wrong at 2,000",
    advice: "Add a part of many values to the key: tenant, day or shard; or give the key only to the items that are wanted",
    teach: Example {
        before: "GSI1PK: \"STATUS#{status}\"                # 2,000 orders/s become PENDING",
        after: "GSI1PK: \"STATUS#{status}#{shard}\"        # shard: int(0,5)",
    },
    judge: Judge::Any(low_cardinality),
    ..BASE
};

const HOT_WRITE_WARN: Threshold = Threshold::new("hot-key.write-warn", 700.0, SEVEN_TENTHS);
const HOT_WRITE_ERROR: Threshold = Threshold::new("hot-key.write-error", 1_000.0, CEILING);
const HOT_READ_WARN: Threshold = Threshold::new("hot-key.read-warn", 2_100.0, SEVEN_TENTHS);
const HOT_READ_ERROR: Threshold = Threshold::new("hot-key.read-error", 3_000.0, CEILING);
const HOT_LIMITS: Limits = [&HOT_WRITE_WARN, &HOT_WRITE_ERROR, &HOT_READ_WARN, &HOT_READ_ERROR];

const HOT_KEY: Rule = Rule {
    id: "hot-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples, Evidence::Run, Evidence::Traffic],
    thresholds: &[HOT_WRITE_WARN, HOT_WRITE_ERROR, HOT_READ_WARN, HOT_READ_ERROR],
    summary: "The busiest key of the table meets more units per second than one partition serves, whatever the table's capacity is.",
    not_a_fault_when: "reads go through a cache, by declaration. Adaptive capacity lifts one item to 3,000 reads and 1,000 writes, no further",
    advice: "Spread writes over shards of the key; serve reads from a cache or from copies",
    teach: Example {
        before: "skew: celebrity:0.3       # 10,000 likes/s on VIDEO#{videoId}",
        after: "key: {PK: \"VIDEO#{videoId}#{shard}\", SK: LIKES}   # shard: int(0,9); the reader adds ten counters",
    },
    judge: Judge::Any(hot_keys),
    ..BASE
};

const INDEX_WRITE_WARN: Threshold = Threshold::new("gsi-hot-partition.write-warn", 700.0, SEVEN_TENTHS);
const INDEX_WRITE_ERROR: Threshold = Threshold::new("gsi-hot-partition.write-error", 1_000.0, CEILING);
const INDEX_READ_WARN: Threshold = Threshold::new("gsi-hot-partition.read-warn", 2_100.0, SEVEN_TENTHS);
const INDEX_READ_ERROR: Threshold = Threshold::new("gsi-hot-partition.read-error", 3_000.0, CEILING);
const INDEX_LIMITS: Limits = [&INDEX_WRITE_WARN, &INDEX_WRITE_ERROR, &INDEX_READ_WARN, &INDEX_READ_ERROR];

const HOT_INDEX: Rule = Rule {
    id: "gsi-hot-partition",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples, Evidence::Run, Evidence::Traffic],
    thresholds: &[INDEX_WRITE_WARN, INDEX_WRITE_ERROR, INDEX_READ_WARN, INDEX_READ_ERROR],
    summary: "The busiest key of a global index meets more units per second than one partition serves; a throttled index throttles the \
              table's writes.",
    not_a_fault_when: "the index is sparse, so that few writes reach it. Keys of few values, and dates, are judged by their own rules",
    advice: "Add a shard to the index's partition key, and read the shards side by side",
    teach: Example {
        before: "GSI1PK: \"SELLER#{sellerId}\"            # skew: zipf:1.5 at 5,000 writes/s",
        after: "GSI1PK: \"SELLER#{sellerId}#{shard}\"    # shard: int(0,7)",
    },
    judge: Judge::Any(hot_indexes),
    ..BASE
};

const SORT_ERROR: Threshold = Threshold::new("hot-monotonic-sort-key.error", 1_000.0, CEILING);

const HOT_SORT_KEY: Rule = Rule {
    id: "hot-monotonic-sort-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[SORT_ERROR],
    summary: "Writes of one collection always go to its end, because the sort key rises with time: a partition that is split for heat stays as \
              hot. Collections of tables with local indexes are never split.",
    not_a_fault_when: "the collection takes fewer writes than one partition serves",
    advice: "Spread the collection over shards of its partition key",
    teach: Example {
        before: "key: {PK: \"STREAM#{streamId}\", SK: \"{time}#{id}\"}        # 3,000 writes/s in one stream",
        after: "key: {PK: \"STREAM#{streamId}#{shard}\", SK: \"{time}#{id}\"}",
    },
    judge: Judge::Any(hot_sort_keys),
    ..BASE
};

const COUNTER_WARN: Threshold =
    Threshold::new("hot-counter.warn", 100.0, "updates per second of one item; chosen");
const COUNTER_ERROR: Threshold = Threshold::new("hot-counter.error", 1_000.0, CEILING);

const HOT_COUNTER: Rule = Rule {
    id: "hot-counter",
    severity: Severity::Error,
    thresholds: &[COUNTER_WARN, COUNTER_ERROR],
    summary: "One item with a fixed key is updated by every run: a counter of everything, or a sequence that numbers things.",
    not_a_fault_when: "it is updated seldom. An increasing number as partition key is no fault: keys are hashed",
    advice: "Split the counter over shards and add them up; take numbers in blocks; use a ULID where only order is needed",
    teach: Example {
        before: "key: {PK: COUNTER, SK: ORDERS}, update: \"ADD n :one\"            # 1,500/s",
        after: "key: {PK: \"COUNTER#{shard}\", SK: ORDERS}, update: \"ADD n :one\"   # shard: int(0,9)",
    },
    judge: Judge::Any(hot_counters),
    ..BASE
};

/// Why the busiest key of a key space would be too busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It is the current date.
    Date,
    /// A name alone makes it look like a date.
    DateName,
    /// There are few keys.
    Few,
    /// Some keys are used more than others.
    Skew,
}

fn cause(context: &Context<'_>, load: &KeyLoad) -> Cause {
    let parts = || load.columns.iter().flat_map(|column| &column.parts);
    let dated = |part: &&KeyPart| part.looks(Look::is_time);
    let named = |part: &&KeyPart| part.look.is_none() && is_date_name(&part.name);
    let many = |part: &KeyPart| match part.distinct {
        Some(distinct) => distinct >= context.threshold(&DATE_MANY),
        None => !matches!(part.look, Some((Look::Boolean, _))) && !is_enumerated(context, part),
    };
    let beside = |is_date: &dyn Fn(&&KeyPart) -> bool| parts().filter(|part| !is_date(part)).any(many);
    if parts().any(|part| dated(&part)) {
        return if beside(&dated) { Cause::Skew } else { Cause::Date };
    }
    if parts().any(|part| named(&part)) && !beside(&named) {
        return Cause::DateName;
    }
    if few(context, load).is_some() { Cause::Few } else { Cause::Skew }
}

fn is_date_name(name: &str) -> bool {
    let name = name.to_lowercase();
    matches!(
        name.as_str(),
        "date" | "day" | "week" | "month" | "year" | "hour" | "minute" | "bucket" | "today"
    ) || name.ends_with("date")
        || name.ends_with("day")
        || name.ends_with("month")
}

/// How many keys there are, where they are few, and what tells.
fn few(context: &Context<'_>, load: &KeyLoad) -> Option<(f64, Evidence)> {
    if let Some(distinct) = load.distinct() {
        return (distinct < context.threshold(&LOW_VALUES)).then_some((distinct, Evidence::Declared));
    }
    let mut distinct = 1.0;
    for part in load.columns.iter().flat_map(|column| &column.parts) {
        distinct *= match part.distinct {
            Some(distinct) => distinct,
            None if is_enumerated(context, part) => float(values_of(part)),
            None => return None,
        };
    }
    (distinct < context.threshold(&LOW_VALUES)).then_some((distinct, Evidence::Samples))
}

fn values_of(part: &KeyPart) -> usize {
    crate::check::statistics::counts(&part.values).len()
}

/// Whether samples show an enumeration: few values, each of many items, that are no identifiers.
fn is_enumerated(context: &Context<'_>, part: &KeyPart) -> bool {
    let (values, samples) = (float(values_of(part)), float(part.values.len()));
    part.values.len() >= SAMPLES_MIN
        && values / samples < context.threshold(&LOW_RATIO)
        && part.looks(|look| matches!(look, Look::Word | Look::Boolean | Look::Digits(_) | Look::Text))
}

/// The severity of a load, and the words for it; of a load without rates a warning.
fn graded(context: &Context<'_>, load: &KeyLoad, limits: Limits) -> Option<(Severity, String)> {
    let [write_warn, write_error, read_warn, read_error] = limits.map(|limit| context.threshold(limit));
    let read = if load.cached { 0.0 } else { load.read };
    let writes =
        grade(load.write, write_warn, write_error).map(|grade| (grade, "write", load.write, write_error));
    let reads = grade(read, read_warn, read_error).map(|grade| (grade, "read", read, read_error));
    let worst = [writes, reads].into_iter().flatten().max_by_key(|(grade, ..)| *grade);
    if let Some((grade, what, units, limit)) = worst {
        let text = format!(
            "its busiest key meets {} {what} units per second ({} of {}), where one partition serves {}",
            number(units),
            percent(load.share),
            load.main_patterns(usize::from(what == "write")),
            number(limit),
        );
        return Some((grade, text));
    }
    None
}

fn grade(load: f64, warn: f64, error: f64) -> Option<Severity> {
    match load {
        load if load > error => Some(Severity::Error),
        load if load > warn => Some(Severity::Warn),
        _ => None,
    }
}

pub(super) fn percent(share: f64) -> String {
    format!("{} %", number(share * 100.0))
}

/// Words for a load whose rates are not stated: from which rate on it would be an error.
fn unrated(load: &KeyLoad, write_error: f64, read_error: f64) -> Option<String> {
    let runs = |units: f64, limit: f64| (units > 0.0).then(|| limit / units);
    let [read, write] = load.unrated;
    let limit = [runs(write, write_error), runs(read, read_error)].into_iter().flatten().reduce(f64::min)?;
    let patterns = load.unknown.join(", ");
    Some(format!(
        "no rate is stated for {patterns}; from {} runs per second on it is an error",
        number(limit)
    ))
}

/// The shards that would cure a load, and what reading them costs.
fn cure(context: &Context<'_>, load: &KeyLoad) -> Option<String> {
    let read = if load.cached { 0.0 } else { load.read };
    let shards = write_shards(load.write, read);
    if shards < 2 {
        return None;
    }
    let plans = load.patterns.iter().filter_map(|id| context.plan(id));
    let reads = plans.filter(|plan| plan.index == load.index && plan.read_units() > 0.0);
    let bytes = reads.filter_map(|plan| Some(plan.items? * plan.item_bytes?)).reduce(f64::max);
    let price = bytes.map_or_else(String::new, |bytes| {
        let read = scatter_read(shards, bytes, false);
        format!(
            "; a read of all shards then takes {} requests and {} read units instead of {}",
            read.requests,
            number(read.units),
            number(read.units_unspread)
        )
    });
    Some(format!("{shards} write shards carry it with room to spare ({}#{{shard}}){price}", load.key))
}

fn found(context: &Context<'_>, rule: &Rule, load: &KeyLoad, severity: Severity, message: String) -> Finding {
    let message = match &load.index {
        Some(_) if severity > Severity::Note => {
            format!("{message}; a throttled index throttles the table's writes")
        }
        _ => message,
    };
    let finding = rule.found(severity, load.subject(), message).rests_on(load.evidence);
    match cure(context, load) {
        Some(cure) => finding.advise(format!("{}: {cure}", rule.advice)),
        None => finding,
    }
}

fn date_keys(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for load in loads(context) {
        let cause = cause(context, &load);
        if !matches!(cause, Cause::Date | Cause::DateName) {
            continue;
        }
        let (write, read) = (context.threshold(&DATE_WRITE_ERROR), context.threshold(&DATE_READ_ERROR));
        let what = format!("partition key {} is a date", load.key);
        let (severity, text) = match graded(context, &load, DATE_LIMITS) {
            Some((severity, text)) => (severity, text),
            None => match unrated(&load, write, read) {
                Some(text) => (Severity::Warn, text),
                None if load.patterns.is_empty() => (Severity::Note, "no pattern uses it".to_owned()),
                None => (Severity::Note, rates(&load)),
            },
        };
        // A name alone never gives more than a note.
        let (severity, what) = match cause {
            Cause::DateName => (Severity::Note, format!("partition key {} has the name of a date", load.key)),
            _ => (severity, what),
        };
        findings.push(found(context, &DATE_KEY, &load, severity, format!("{what}: {text}")));
    }
}

fn rates(load: &KeyLoad) -> String {
    format!(
        "{} write and {} read units per second on the current one are low enough",
        number(load.write),
        number(load.read)
    )
}

fn low_cardinality(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for load in loads(context) {
        let Some((distinct, evidence)) = few(context, &load) else { continue };
        let skipped = is_counter_space(context, &load) || is_reference(context, &load);
        if cause(context, &load) != Cause::Few || skipped {
            continue;
        }
        let what = if distinct <= 1.0 {
            format!("partition key {} has one value", load.key)
        } else {
            format!("partition key {} has {} values", load.key, number(distinct))
        };
        if let Some((severity, text)) = few_judged(context, &load, evidence) {
            let finding = found(context, &LOW_CARDINALITY, &load, severity, format!("{what}: {text}"));
            let evidence = finding.evidence.max(evidence);
            findings.push(finding.rests_on(evidence));
        }
    }
}

/// By the load; where it is low or unknown, by the number of items.
fn few_judged(context: &Context<'_>, load: &KeyLoad, evidence: Evidence) -> Option<(Severity, String)> {
    if let Some(judged) = graded(context, load, LOW_LIMITS) {
        return Some(judged);
    }
    let items = items(context, load);
    if items.is_some_and(|items| items <= context.threshold(&LOW_SMALL)) {
        return None;
    }
    let (write, read) = (context.threshold(&LOW_WRITE_ERROR), context.threshold(&LOW_READ_ERROR));
    if let Some(text) = unrated(load, write, read) {
        return Some((Severity::Warn, text));
    }
    let modest = !load.patterns.is_empty() && load.unknown.is_empty();
    match items {
        Some(_) if modest && is_sparse(context, load) => None,
        Some(items) if items > context.threshold(&LOW_ITEMS) => {
            // One literal value in an index marks a state that items pass through: STATUS#pending.
            let marker = modest && load.index.is_some() && load.is_constant();
            let severity = if marker { Severity::Note } else { Severity::Warn };
            Some((severity, format!("{} items share {}", number(items), if marker { "it" } else { "them" })))
        }
        None if evidence == Evidence::Samples => {
            Some((Severity::Note, "the samples show an enumeration".to_owned()))
        }
        _ => None,
    }
}

/// Items of a key space.
fn items(context: &Context<'_>, load: &KeyLoad) -> Option<f64> {
    let table = context.catalogue.table(&load.table)?;
    let index = load.index.as_ref().and_then(|index| table.index(index));
    if let Some(count) = index.and_then(|index| index.entry_count) {
        return Some(count);
    }
    let entities =
        context.catalogue.entities_of(&table.name).filter(|entity| load.kinds.contains(&entity.name));
    let counts = entities.map(|entity| {
        let share = index.map_or(1.0, |index| sizes::entry_share(index, entity));
        // A kind whose whole key is fixed has one item, as settings of everything do.
        let fixed =
            || table.keys.attributes().all(|key| entity.keys.get(key).is_some_and(Template::is_constant));
        let count = sizes::entity_count(context.catalogue, entity).or_else(|| fixed().then_some(1.0));
        Some(count? * share)
    });
    counts.sum::<Option<f64>>().filter(|count| *count > 0.0)
}

/// Whether an index holds the lesser part of its entities' items, or a pattern takes items out of it.
fn is_sparse(context: &Context<'_>, load: &KeyLoad) -> bool {
    let Some(table) = context.catalogue.table(&load.table) else { return false };
    let Some(index) = load.index.as_ref().and_then(|index| table.index(index)) else { return false };
    let whole = context.table_count(table);
    let share = items(context, load).zip(whole).map(|(items, whole)| items / whole);
    let removes = |pattern: &Pattern| {
        let updates = context.request(pattern).into_iter().flat_map(|request| &request.actions);
        let mut changes = updates.filter_map(|action| action.update.as_ref()).flat_map(Update::changes);
        changes.any(|(path, change)| {
            change == ChangeKind::Remove && index.keys.attributes().any(|key| key == path.top())
        })
    };
    share.is_some_and(|share| share < 0.5) || context.catalogue.patterns.iter().any(removes)
}

fn is_reference(context: &Context<'_>, load: &KeyLoad) -> bool {
    let entity = |name: &String| context.catalogue.entity(name);
    !load.kinds.is_empty()
        && load.kinds.iter().all(|name| entity(name).is_some_and(|entity| entity.reference))
}

/// Whether `hot-counter` speaks for the key space: one item that patterns update.
fn is_counter_space(context: &Context<'_>, load: &KeyLoad) -> bool {
    let mut updates = context.patterns().filter(|(pattern, _)| {
        load.patterns.contains(&pattern.id) && load.index.is_none() && counts(context, pattern).is_some()
    });
    updates.next().is_some()
}

fn hot_keys(context: &Context<'_>, findings: &mut Vec<Finding>) {
    skewed(context, &HOT_KEY, HOT_LIMITS, |load| load.index.is_none(), findings);
    observed(context, &HOT_KEY, HOT_LIMITS, findings);
}

fn hot_indexes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let global = |load: &KeyLoad| {
        let table = context.catalogue.table(&load.table);
        let index = load.index.as_ref().and_then(|name| table?.index(name));
        index.is_some_and(|index| index.kind == IndexKind::Global)
    };
    skewed(context, &HOT_INDEX, INDEX_LIMITS, global, findings);
    observed(context, &HOT_INDEX, INDEX_LIMITS, findings);
}

fn skewed(
    context: &Context<'_>,
    rule: &Rule,
    limits: Limits,
    wanted: impl Fn(&KeyLoad) -> bool,
    findings: &mut Vec<Finding>,
) {
    for load in loads(context).into_iter().filter(wanted) {
        if cause(context, &load) != Cause::Skew || rises(context, &load) {
            continue;
        }
        let Some((severity, text)) = graded(context, &load, limits) else { continue };
        // Where equal use would be too much as well, it is no skew but too few keys.
        let even = load.distinct().is_some_and(|distinct| load.share * distinct <= 1.01);
        let why = if even { ", even though all keys are used alike: there are too few of them" } else { "" };
        findings.push(found(
            context,
            rule,
            &load,
            severity,
            format!("partition key {}: {text}{why}", load.key),
        ));
    }
}

/// Hot keys that a run or a recording saw, one finding for each table or index.
fn observed(context: &Context<'_>, rule: &Rule, limits: Limits, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns() {
        let Some(seen) = context.observed(&pattern.id) else { continue };
        let of_index = |key: &&HotKey| key.index.is_some() == (rule.id == HOT_INDEX.id);
        let graded = seen
            .hot_keys
            .iter()
            .filter(of_index)
            .filter_map(|key| Some((grade_seen(context, key, limits)?, key)));
        let Some((severity, key)) = graded.max_by_key(|(severity, _)| *severity) else { continue };
        let message = format!(
            "key {} of {} met {} write and {} read units per second",
            key.key,
            key.index.as_deref().unwrap_or(&plan.table),
            number(key.write),
            number(key.read)
        );
        findings.push(rule.found(severity, of(pattern), message).rests_on(seen.evidence));
    }
}

fn grade_seen(context: &Context<'_>, key: &HotKey, limits: Limits) -> Option<Severity> {
    let [write_warn, write_error, read_warn, read_error] = limits.map(|limit| context.threshold(limit));
    grade(key.write, write_warn, write_error).max(grade(key.read, read_warn, read_error))
}

fn hot_sort_keys(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for load in loads(context) {
        if cause(context, &load) != Cause::Skew || !rises(context, &load) {
            continue;
        }
        let message = format!(
            "the collection of partition key {} takes {} write units per second at its end ({} of {}), where one partition serves {}",
            load.key,
            number(load.write),
            percent(load.share),
            load.main_patterns(1),
            number(context.threshold(&SORT_ERROR)),
        );
        findings.push(found(context, &HOT_SORT_KEY, &load, Severity::Error, message));
    }
}

/// Whether an attribute names an item of another kind: its identifiers rise with the time of that item, not of this one.
fn is_foreign(kind: &Kind<'_>, name: &str) -> bool {
    let attribute = kind.entity.and_then(|entity| entity.attributes.iter().find(|one| one.name == name));
    attribute.is_some_and(|one| {
        one.copy_of.is_some() || one.format.as_deref().is_some_and(|format| format.starts_with("ref("))
    })
}

/// Whether one collection takes too many writes, all at its end, or in a table that is never split within a collection.
fn rises(context: &Context<'_>, load: &KeyLoad) -> bool {
    let Some(table) = context.catalogue.table(&load.table) else { return false };
    if load.write <= context.threshold(&SORT_ERROR) {
        return false;
    }
    let local = table.indexes.iter().any(|index| index.kind == IndexKind::Local);
    let index = load.index.as_ref().and_then(|index| table.index(index));
    let range = index.map_or(&table.keys.range, |index| &index.keys.range);
    let Some(range) = range.first() else { return false };
    let written = context
        .patterns()
        .filter(|(pattern, plan)| load.patterns.contains(&pattern.id) && plan.write_units() > 0.0)
        .flat_map(|(pattern, _)| context.touched(pattern))
        .filter(|(kind, _)| load.kinds.contains(&kind.name));
    let mut written = written;
    let rises = |kind: &Kind<'_>| {
        let first = context.column(kind, range).and_then(|column| column.parts.first());
        first.is_some_and(|part| part.looks(Look::is_time_ordered) && !is_foreign(kind, &part.name))
    };
    local && load.index.is_none() || written.any(|(kind, _)| rises(kind))
}

fn hot_counters(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns() {
        let Some(key) = counts(context, pattern) else { continue };
        // Without a rate one cannot tell a counter of everything from a setting that changes once a year.
        let Some(rate) = peak(pattern) else { continue };
        let step = if plan.transaction { 2.0 } else { 1.0 };
        let (warn, error) = (context.threshold(&COUNTER_WARN), context.threshold(&COUNTER_ERROR));
        let severity = match rate {
            rate if rate * step > error => Severity::Error,
            rate if rate > warn => Severity::Warn,
            _ => continue,
        };
        let message = format!(
            "every run updates the one item {key}: {} times per second, at least {} of the {} write units that one partition serves",
            number(rate),
            number(rate * step),
            number(error)
        );
        findings.push(HOT_COUNTER.found(severity, of(pattern), message));
    }
}

/// The fixed key of the one item that a pattern updates, alone or in a transaction.
fn counts(context: &Context<'_>, pattern: &Pattern) -> Option<String> {
    let request = context.request(pattern)?;
    let updates = request.actions.iter().filter(|action| action.verb == Verb::Update);
    updates.into_iter().find_map(|action| {
        let table = context.catalogue.table(&action.table)?;
        let text = |attribute: &String| {
            let part = action.key.iter().find(|part| part.attribute == *attribute)?;
            Template::parse(&part.text)
                .ok()
                .filter(Template::is_constant)
                .map(|template| template.to_string())
        };
        let texts: Option<Vec<String>> =
            table.keys.attributes().map(str::to_owned).map(|name| text(&name)).collect();
        texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join(", "))
    })
}
