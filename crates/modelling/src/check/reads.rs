//! How patterns read: sweeps, pages, consistency, projections.

use super::context::{is_request, number, of, rate};
use super::rule::PLAIN;
use super::{Context, Example, Group, Judge, Need, Rule, Threshold};
use crate::catalogue::{IndexKind, Pattern, Projection, Purpose};
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::request::Verb;
use crate::plan::{self, PatternPlan, PlanClass, sizes};
use crate::template::Template;

pub(super) const RULES: &[Rule] =
    &[SCAN, UNSERVABLE, UNBOUNDED, OFFSET, COUNT, STRONG, SCATTER, LSI_FETCH, PROJECTION_MISS];

const READ: Rule = Rule { group: Group::Reads, ..PLAIN };

const SCAN_ERROR: Threshold = Threshold::new(
    "scan-on-request-path.error",
    128.0,
    "read units of one run: a page of 1 MB, AWS developer guide",
);
const SCAN_BATCH: Threshold =
    Threshold::new("scan-on-request-path.batch-rate", 1.0, "runs per hour of a job; chosen");
const SCAN_SMALL: Threshold =
    Threshold::new("scan-on-request-path.small", 1_048_576.0, "bytes: one page, AWS developer guide");
const SCAN_SPARSE: Threshold =
    Threshold::new("scan-on-request-path.sparse", 0.01, "entries of the index by items of the table; chosen");

const SCAN: Rule = Rule {
    id: "scan-on-request-path",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Run],
    thresholds: &[SCAN_ERROR, SCAN_BATCH, SCAN_SMALL, SCAN_SPARSE],
    summary: "A caller waits for a read of the whole table or index: it costs and takes more with every item that is added.",
    not_a_fault_when: "it is a job of at most one run per hour (purpose batch, export or admin); the whole table is at most 1 MB, or the \
                       index is sparse and holds at most 1 % of the items or 1 MB (then a note)",
    advice: "Serve it by a key or a sparse index; send reports to an export or a stream",
    teach: Example {
        before: "- {id: P1, name: Pending orders, operation: Scan, filter: \"orderStatus = :s\", values: {\":s\": pending}}",
        after: "- {id: P1, name: Pending orders, operation: Query, index: ByStatus, key: {GSI1PK: \"STATUS#pending\"}}",
    },
    covers: &[
        "filter-discards-reads",
        "filter-could-be-key",
        "limit-with-filter",
        "count-by-reading",
        "unbounded-query",
        "search-in-key-store",
    ],
    judge: Judge::Any(scans),
    ..READ
};

fn scans(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let hourly = context.threshold(&SCAN_BATCH) / 3600.0;
    for (pattern, plan) in context.patterns() {
        let is_scan = matches!(plan.class, PlanClass::Scan | PlanClass::IndexScan);
        let is_job = !is_request(pattern) && rate(pattern).is_none_or(|rate| rate <= hourly);
        if !is_scan || is_job {
            continue;
        }
        let observed = context.observed(&pattern.id);
        let planned = plan.items.zip(plan.item_bytes).map(|(items, bytes)| items * bytes);
        let units = planned.map(|bytes| (bytes / 4096.0).ceil() / 2.0);
        let units = units.or_else(|| observed.map(super::Observed::read_units));
        let small = planned.is_some_and(|bytes| bytes <= context.threshold(&SCAN_SMALL));
        let severity = match units {
            _ if small || is_sparse(context, plan) => Severity::Note,
            Some(units) if units <= context.threshold(&SCAN_ERROR) => Severity::Warn,
            _ => Severity::Error,
        };
        let what = plan.index.as_ref().map_or_else(|| "table".to_owned(), |index| format!("index {index}"));
        let cost = units.map_or_else(
            || "how many items of how many bytes is not stated".to_owned(),
            |units| format!("{} read units each time", number(units)),
        );
        let finding = SCAN.found(severity, of(pattern), format!("reads the whole {what}: {cost}"));
        findings.push(match &plan.remedy {
            Some(remedy) => finding.advise(remedy.clone()),
            None => finding,
        });
    }
}

/// Whether the index that is scanned holds few of the table's items.
fn is_sparse(context: &Context<'_>, plan: &PatternPlan) -> bool {
    let (Some(table), Some(index)) = (context.table_of(plan), context.index_of(plan)) else { return false };
    let entries = sizes::entry_count(context.catalogue, table, index);
    let share = entries.zip(context.table_count(table)).map(|(entries, items)| entries / items);
    share.is_some_and(|share| share <= context.threshold(&SCAN_SPARSE))
}

const UNSERVABLE: Rule = Rule {
    id: "unservable",
    severity: Severity::Error,
    summary: "No key of a table or an index leads to what the pattern needs, so no bounded read can serve it.",
    not_a_fault_when: "another system serves it (external: who)",
    advice: "Add an index whose keys are what the pattern is given",
    teach: Example {
        before: "- {id: P2, name: User by phone, need: {equal: [phone]}}   # no key holds phone",
        after: "indexes:\n  ByPhone: {key: {hash: phone}, projection: keys}",
    },
    judge: Judge::Any(unservable),
    ..READ
};

fn unservable(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns().filter(|(_, plan)| plan.class == PlanClass::Unservable) {
        let given = if pattern.need_equal.is_empty() {
            "no table or index serves it as it is written".to_owned()
        } else {
            let range =
                pattern.need_range.as_ref().map_or_else(String::new, |r| format!(" and ordered by {r}"));
            format!("no table or index is keyed by {}{range}", pattern.need_equal.join(", "))
        };
        let finding = UNSERVABLE.found(Severity::Error, of(pattern), given);
        findings.push(match &plan.remedy {
            Some(remedy) => finding.advise(remedy.clone()),
            None => finding,
        });
    }
}

const UNBOUNDED_BYTES: Threshold = Threshold::new(
    "unbounded-query.bytes",
    829_440.0,
    "bytes of one run: 0.9 of the 900 KB that AWS's modelling skill plans for a page",
);

const UNBOUNDED: Rule = Rule {
    id: "unbounded-query",
    evidence: &[Evidence::Declared, Evidence::Run],
    thresholds: &[UNBOUNDED_BYTES],
    summary: "A query without Limit and without a bound on the sort key reads a collection that fills a page or more, and grows.",
    not_a_fault_when: "it is a job; the collection is capped by a rule of the business (max_per_collection)",
    advice: "Bound the sort key by a time window, or read pages: Limit and LastEvaluatedKey as cursor",
    teach: Example {
        before: "- {id: P3, name: Events of a device, operation: Query, key: {PK: \"DEVICE#{deviceId}\"}, items: 20000}",
        after: "- {id: P3, name: Events of a device today, operation: Query, key: {PK: \"DEVICE#{deviceId}\", SK: {begins_with: \"EVENT#{day}\"}}}",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(unbounded),
    ..READ
};

fn unbounded(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let is_query = request.actions.first().is_some_and(|action| action.verb == Verb::Query);
        let limited = request.actions.iter().any(|action| action.limit.is_some());
        if !is_query
            || limited
            || is_bounded(plan)
            || !is_request(pattern)
            || is_capped(context, pattern, plan)
        {
            continue;
        }
        let items = pattern.p99_items.or(plan.items);
        let bytes = items.zip(plan.item_bytes).map(|(items, bytes)| items * bytes);
        if let Some(bytes) = bytes.filter(|bytes| *bytes >= context.threshold(&UNBOUNDED_BYTES)) {
            let text =
                format!("reads about {} bytes, more than a page, with no Limit and no bound", number(bytes));
            findings.push(UNBOUNDED.found(Severity::Warn, of(pattern), text));
        } else if let Some(seen) =
            context.observed(&pattern.id).filter(|seen| seen.has_more || seen.pages > 1.0)
        {
            let text = format!("took {} pages with no Limit and no bound", number(seen.pages.max(2.0)));
            findings.push(UNBOUNDED.found(Severity::Warn, of(pattern), text).rests_on(seen.evidence));
        }
    }
}

/// Whether the sort key is bounded by more than the prefix of a type.
fn is_bounded(plan: &PatternPlan) -> bool {
    plan.sort.iter().any(|bound| {
        let constant = bound.operands.iter().all(|text| Template::parse(text).is_ok_and(|t| t.is_constant()));
        bound.operator != "begins_with" || !constant
    })
}

fn is_capped(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan) -> bool {
    let Some(table) = context.table_of(plan) else { return false };
    let keys = context.index_of(plan).map_or(&table.keys, |index| &index.keys);
    let reached = plan::collections::reached(context.catalogue, pattern, table, keys, &plan.sort);
    !reached.is_empty() && reached.iter().all(|entity| entity.max_per_collection.is_some())
}

const OFFSET: Rule = Rule {
    id: "offset-pagination",
    summary: "Pages are counted by number or offset: DynamoDB cannot skip, so all rows before the page are read and paid for again.",
    not_a_fault_when: "at most one page is read in all",
    advice: "Take LastEvaluatedKey as an opaque cursor; sign it where the public sees it",
    teach: Example {
        before: "- {id: P4, operation: Query, key: {PK: \"USER#{userId}\"}, parameters: {page: {value: 3}}}",
        after: "- {id: P4, operation: Query, key: {PK: \"USER#{userId}\"}, limit: 20}   # ExclusiveStartKey = the cursor",
    },
    judge: Judge::Any(offsets),
    ..READ
};

const OFFSETS: &[&str] = &[
    "page",
    "pagenumber",
    "page_number",
    "pageno",
    "offset",
    "skip",
    "startindex",
    "start_index",
    "maxitems",
];

fn offsets(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (at, (pattern, plan)) in context.patterns().enumerate() {
        let members = context.requests[at].iter().flat_map(|request| &request.members);
        let mut names = pattern.parameters.keys().chain(members);
        let found = names.find(|name| OFFSETS.contains(&name.to_lowercase().as_str()));
        let single = plan.items.zip(plan.item_bytes).is_some_and(|(items, bytes)| items * bytes <= 4096.0);
        if let Some(name) = found.filter(|_| !single) {
            let text = format!("pages by \"{name}\": every page before it is read again");
            findings.push(OFFSET.found(Severity::Warn, of(pattern), text));
        }
    }
}

const COUNT_BYTES: Threshold =
    Threshold::new("count-by-reading.bytes", 1_048_576.0, "bytes: one page, AWS developer guide");
const COUNT_STEPS: Threshold = Threshold::new("count-by-reading.steps", 100.0, "steps of 4 KB; chosen");

const COUNT: Rule = Rule {
    id: "count-by-reading",
    evidence: &[Evidence::Declared, Evidence::Run],
    thresholds: &[COUNT_BYTES, COUNT_STEPS],
    summary: "A count reads all that it counts: Select COUNT costs the same as returning the items.",
    not_a_fault_when: "it is an audit or another job",
    advice: "Keep a counter item, written by a stream or in the transaction that writes what is counted",
    teach: Example {
        before: "- {id: P5, operation: Query, select: COUNT, key: {PK: \"GROUP#{groupId}\"}, items: 50000}",
        after: "- {id: P5, operation: GetItem, key: {PK: \"GROUP#{groupId}\", SK: COUNTERS}}",
    },
    covers: &["unbounded-query"],
    needs: &[Need::Requests],
    judge: Judge::Any(counts),
    ..READ
};

fn counts(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let counts = request.actions.iter().any(|action| action.select.as_deref() == Some("COUNT"));
        if !counts || !is_request(pattern) {
            continue;
        }
        let bytes = plan.items.zip(plan.item_bytes).map(|(items, bytes)| items * bytes);
        let planned = bytes.filter(|bytes| {
            *bytes > context.threshold(&COUNT_BYTES) || bytes / 4096.0 > context.threshold(&COUNT_STEPS)
        });
        let seen = context.observed(&pattern.id).filter(|seen| seen.pages > 1.0);
        if let Some(bytes) = planned {
            let text = format!("reads about {} bytes to give one number", number(bytes));
            findings.push(COUNT.found(Severity::Warn, of(pattern), text));
        } else if let Some(seen) = seen {
            let text = format!("reads {} pages to give one number", number(seen.pages));
            findings.push(COUNT.found(Severity::Warn, of(pattern), text).rests_on(seen.evidence));
        }
    }
}

const STRONG_SHARE: Threshold = Threshold::new(
    "strong-read-unneeded.share",
    0.1,
    "share of all read units per second; AWS's modelling skill",
);

const STRONG: Rule = Rule {
    id: "strong-read-unneeded",
    severity: Severity::Note,
    thresholds: &[STRONG_SHARE],
    summary: "A strong read costs twice as much as an eventual one, and nothing says why it has to be strong.",
    not_a_fault_when: "a reason is declared (strong_reason: lock, balance, read after write); the table is a global one of strong consistency",
    advice: "Read eventually; to read what was just written, let the write return it: ReturnValues ALL_NEW",
    teach: Example {
        before: "- {id: P6, name: Profile, operation: GetItem, consistent: true}",
        after: "- {id: P6, name: Profile, operation: GetItem}",
    },
    judge: Judge::Any(strong),
    ..READ
};

fn strong(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let units = |pattern: &Pattern, plan: &PatternPlan| plan.read_units() * rate(pattern).unwrap_or(1.0);
    let all: f64 = context.patterns().map(|(pattern, plan)| units(pattern, plan)).sum();
    for (pattern, plan) in context.patterns() {
        let global = context.table_of(plan).is_some_and(|table| table.replica_consistency.is_some());
        let reads = plan.strong && !matches!(plan.class, PlanClass::Write(_));
        if !reads || plan.transaction || pattern.declared.strong_reason.is_some() || global {
            continue;
        }
        let share = if all > 0.0 { units(pattern, plan) / all } else { 0.0 };
        if share > context.threshold(&STRONG_SHARE) {
            let text = format!(
                "reads strongly, {} % of all read units, for no stated reason",
                number(share * 100.0)
            );
            findings.push(STRONG.found(Severity::Note, of(pattern), text));
        }
    }
}

const SCATTER_FACTOR: Threshold = Threshold::new(
    "scatter-too-wide.factor",
    2.0,
    "smallest cost of all shards by the steps of the data; chosen",
);
const SCATTER_KEYS: Threshold = Threshold::new(
    "scatter-too-wide.keys",
    10.0,
    "keys of one request at more than one run per second; chosen",
);

const SCATTER: Rule = Rule {
    id: "scatter-too-wide",
    thresholds: &[SCATTER_FACTOR, SCATTER_KEYS],
    summary: "Every read asks more shards than the data is worth: each costs at least a step, and the slowest decides.",
    not_a_fault_when: "it is a job",
    advice: "Take fewer shards, a suffix calculated from what is known at reading, or a sparse index per shard",
    teach: Example {
        before: "- {id: P7, operation: Query, key: {PK: \"FEED#{shard}\"}, shards: 50, items: 20, item_bytes: 300}",
        after: "- {id: P7, operation: Query, key: {PK: \"FEED#{shard}\"}, shards: 3, items: 20, item_bytes: 300}",
    },
    judge: Judge::Any(scatters),
    ..READ
};

fn scatters(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns() {
        let PlanClass::Scatter(shards) = plan.class else { continue };
        if !is_request(pattern) {
            continue;
        }
        let shards = f64::from(shards);
        let bytes = plan.items.zip(plan.item_bytes).map(|(items, bytes)| items * bytes);
        let steps = bytes.map(|bytes| (bytes / 4096.0).ceil().max(1.0));
        let wide = steps.filter(|steps| shards > context.threshold(&SCATTER_FACTOR) * steps);
        let many = shards > context.threshold(&SCATTER_KEYS) && rate(pattern).is_none_or(|rate| rate > 1.0);
        let text = match (wide, many) {
            (Some(steps), _) => {
                format!("asks {} shards for what {} steps of 4 KB hold", number(shards), number(steps))
            }
            (None, true) => format!("asks {} keys in each run", number(shards)),
            (None, false) => continue,
        };
        findings.push(SCATTER.found(Severity::Warn, of(pattern), text));
    }
}

const LSI_FETCH: Rule = Rule {
    id: "lsi-fetch",
    evidence: &[Evidence::Declared, Evidence::Run],
    summary: "A query of a local index asks for what the index does not hold: each item is fetched from the table, a whole step for each.",
    not_a_fault_when: "it is rare: less than one run per minute",
    advice: "Project what is asked for",
    teach: Example {
        before: "ByDate: {kind: local, key: {hash: PK, range: createdAt}, projection: keys}   # the query asks for total",
        after: "ByDate: {kind: local, key: {hash: PK, range: createdAt}, projection: [total]}",
    },
    needs: &[Need::LocalIndexes],
    judge: Judge::Any(fetches),
    ..READ
};

fn fetches(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns() {
        let Some(index) = context.index_of(plan).filter(|index| index.kind == IndexKind::Local) else {
            continue;
        };
        if rate(pattern).is_some_and(|rate| rate < 1.0 / 60.0) {
            continue;
        }
        let seen = context.observed(&pattern.id);
        let arms = seen.map_or(&plan.arms, |seen| &seen.arms);
        let fetched: f64 = arms.iter().filter(|arm| arm.index.is_none()).map(|arm| arm.read).sum();
        let lacking = stated_lacking(context, pattern, plan);
        if fetched > 0.0 {
            let text = format!(
                "fetches whole items from the table, {} read units, for {}",
                number(fetched),
                if lacking.is_empty() { "what the index lacks".to_owned() } else { lacking.join(", ") }
            );
            let finding = LSI_FETCH.found(Severity::Warn, of(pattern), text);
            let finding = finding.advise(format!("project them into {}", index.name));
            findings.push(seen.map_or(finding.clone(), |seen| finding.rests_on(seen.evidence)));
        }
    }
}

/// What the request of a pattern names that its index lacks.
fn stated_lacking(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan) -> Vec<String> {
    let (Some(table), Some(index)) = (context.table_of(plan), context.index_of(plan)) else {
        return Vec::new();
    };
    let requests = context.requested().filter(|(other, _, _)| other.id == pattern.id);
    let actions = requests.flat_map(|(_, _, request)| &request.actions);
    actions.flat_map(|action| plan::missing(table, index, action)).collect()
}

const PROJECTION_MISS: Rule = Rule {
    id: "gsi-projection-miss",
    severity: Severity::Error,
    summary: "The pattern wants attributes that the global index does not hold: Select ALL_ATTRIBUTES and a projection that names them are \
              refused or empty, a filter on them never holds, and items come without them.",
    advice: "Project the attributes, or read the items from the table by their keys",
    teach: Example {
        before: "ByDate: {key: {hash: GSI1PK}, projection: keys}   # P8 projects total",
        after: "ByDate: {key: {hash: GSI1PK}, projection: [total]}",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(projection_misses),
    ..READ
};

fn projection_misses(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let (Some(table), Some(index)) = (context.table_of(plan), context.index_of(plan)) else { continue };
        if index.kind != IndexKind::Global || pattern.purpose == Purpose::Admin && plan.wanted.is_empty() {
            continue;
        }
        let all = request.actions.iter().any(|action| action.select.as_deref() == Some("ALL_ATTRIBUTES"));
        let mut lacking = stated_lacking(context, pattern, plan);
        let expected = pattern.expect.items.iter().flatten().flat_map(|item| item.names().map(str::to_owned));
        lacking.extend(expected.filter(|name| !plan::holds(table, index, name)));
        lacking.sort_unstable();
        lacking.dedup();
        let text = if !lacking.is_empty() {
            format!("{} does not hold {}", index.name, lacking.join(", "))
        } else if all && index.projection != Projection::All {
            format!("{} does not hold all attributes, and Select ALL_ATTRIBUTES is refused", index.name)
        } else {
            continue;
        };
        findings.push(PROJECTION_MISS.found(Severity::Error, of(pattern), text));
    }
}
