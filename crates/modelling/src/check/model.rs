//! The model as a whole: tables that mirror relations, what is not stated, budgets, capacity, replicas.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_item::Attributes;
use hashrange_language::{ChangeKind, Update};

use super::context::{is_request, number, of};
use super::rule::PLAIN;
use super::statistics::declared_template;
use super::{Context, Example, Group, Judge, Kind, Need, Observed, Rule, Said, Threshold};
use crate::catalogue::{Billing, Catalogue, Consistency, Flow, IndexKind, Pattern, Scaling, Table};
use crate::cost::TableCost;
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::{Arm, PatternPlan, PlanClass, float};

pub(super) const RULES: &[Rule] = &[
    MIRROR,
    TOGETHER,
    EVERYTHING,
    RATE_MISSING,
    SIZE_MISSING,
    BUDGET_MISSING,
    BUDGET_EXCEEDED,
    DECLARED_OBSERVED,
    DOMINANT,
    CAPACITY_MODE,
    AUTOSCALING,
    TABLE_CLASS,
    GLOBAL_CONFLICT,
    STRONG_REPLICAS,
    FAN_OUT,
];

const BASE: Rule = Rule { group: Group::Model, ..PLAIN };

const MIRROR_TABLES: Threshold = Threshold::new(
    "relational-mirror.tables",
    3.0,
    "tables with one identifier as key, read one after another; chosen",
);

const MIRROR: Rule = Rule {
    id: "relational-mirror",
    thresholds: &[MIRROR_TABLES],
    summary: "Each kind of thing has a table with its identifier as the only key, and callers join them by hand, one read after another.",
    not_a_fault_when: "the tables belong to services, owners, lifetimes or permissions of their own",
    advice: "Put what is read together into one item collection; keep copies of names that never change; use an adjacency list with an \
             inverted index for many-to-many",
    teach: Example {
        before: "Users: {key: {hash: userId}}\nOrders: {key: {hash: orderId}}\nLines: {key: {hash: lineId}}",
        after: "Shop: {key: {hash: PK, range: SK}}      # USER#1: PROFILE, ORDER#.., LINE#..",
    },
    needs: &[Need::Declarations],
    judge: Judge::Any(mirror),
    ..BASE
};

const TOGETHER_SHARE: Threshold = Threshold::new(
    "tables-read-together.share",
    0.7,
    "share of a flow's reads that go to two tables by one key; AWS's MCP server",
);

const TOGETHER: Rule = Rule {
    id: "tables-read-together",
    severity: Severity::Note,
    thresholds: &[TOGETHER_SHARE],
    summary: "Most reads of a flow go to two tables by the same identifier: in one collection they would be one request.",
    not_a_fault_when: "the tables differ in backup, class or who may read them; less than a third of the reads",
    advice: "Keep both in one item collection",
    teach: Example {
        before: "flow: get Cart by userId, query CartLines by userId",
        after: "flow: query PK = USER#{userId}, SK begins_with CART",
    },
    needs: &[Need::Declarations],
    judge: Judge::Any(together),
    ..BASE
};

const EVERYTHING: Rule = Rule {
    id: "everything-table",
    severity: Severity::Note,
    summary: "Groups of entities share a table, yet no pattern, transaction or collection, and differ in what expires.",
    not_a_fault_when: "the team keeps one table by convention: by itself it costs nothing",
    advice: "Give each lifetime a table of its own: expiry, class, backups and streams are set by table",
    teach: Example {
        before: "App: {ttl: expiresAt}      # sessions that expire, invoices that never may",
        after: "Sessions: {ttl: expiresAt}\nInvoices: {recovery: true}",
    },
    judge: Judge::Table(everything),
    ..BASE
};

const RATE_MISSING: Rule = Rule {
    id: "rate-missing",
    summary: "No rate is stated: what depends on it (hot keys, cost, capacity) cannot be judged.",
    not_a_fault_when: "",
    advice: "Give an estimate: rate: {peak: 50, avg: 10}",
    teach: Example {
        before: "- {id: P1, operation: GetItem, ..}",
        after: "- {id: P1, operation: GetItem, .., rate: {peak: 50, avg: 10}}",
    },
    needs: &[Need::Rates],
    judge: Judge::Any(rate_missing),
    ..BASE
};

const SIZE_MISSING: Rule = Rule {
    id: "size-missing",
    summary: "Neither bytes nor numbers of items are stated: units cannot be computed.",
    not_a_fault_when: "",
    advice: "Declare the entity's bytes and count, or the pattern's items and item_bytes",
    teach: Example { before: "Order: {key: {..}}", after: "Order: {key: {..}, bytes: 900, count: 2000000}" },
    judge: Judge::Any(size_missing),
    ..BASE
};

const BUDGET_MISSING: Rule = Rule {
    id: "budget-missing",
    severity: Severity::Note,
    summary: "Callers wait for the pattern, and nothing says what it may cost: it may grow with the table unnoticed.",
    not_a_fault_when: "",
    advice: "Give it a budget, for a start what its plan says: budget: {rcu: 0.5}",
    teach: Example { before: "- {id: P1, ..}", after: "- {id: P1, .., budget: {rcu: 0.5}}" },
    needs: &[Need::Declarations],
    judge: Judge::Any(budget_missing),
    ..BASE
};

const BUDGET_EXCEEDED: Rule = Rule {
    id: "budget-exceeded",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Run, Evidence::Traffic],
    summary: "A run costs more than the pattern's budget allows: a warning where only the plan says so, an error where it was observed.",
    not_a_fault_when: "",
    advice: "Make items smaller, project less, bound the read; or raise the budget on purpose",
    teach: Example {
        before: "budget: {rcu: 0.5}     # items: 20 of 1,400 bytes: 3.5",
        after: "budget: {rcu: 3.5}",
    },
    judge: Judge::Any(budget_exceeded),
    ..BASE
};

const DIFFERENCE: Threshold = Threshold::new(
    "declared-vs-observed.share",
    0.1,
    "difference of observed and declared units; AWS's design skill",
);

const DECLARED_OBSERVED: Rule = Rule {
    id: "declared-vs-observed",
    evidence: &[Evidence::Run, Evidence::Traffic],
    thresholds: &[DIFFERENCE],
    summary: "A run consumes other units than the declarations give: costs and limits are computed from wrong sizes.",
    not_a_fault_when: "the difference is one step of rounding",
    advice: "Correct the declared items, bytes or projection",
    teach: Example { before: "item_bytes: 400      # observed: 1,300", after: "item_bytes: 1300" },
    judge: Judge::Any(declared_observed),
    ..BASE
};

const DOMINANT_NOTE: Threshold =
    Threshold::new("dominant-cost.note", 0.2, "share of the patterns' cost; AWS's design skill");
const DOMINANT_WARN: Threshold =
    Threshold::new("dominant-cost.warn", 0.4, "share of the patterns' cost; AWS's design skill");
const DOMINANT_COUNT: Threshold = Threshold::new(
    "dominant-cost.patterns",
    5.0,
    "patterns with a cost, below which one of them must be large; chosen",
);

const DOMINANT: Rule = Rule {
    id: "dominant-cost",
    thresholds: &[DOMINANT_NOTE, DOMINANT_WARN, DOMINANT_COUNT],
    summary: "One pattern makes most of the bill: what is saved there counts.",
    not_a_fault_when: "the model serves one purpose",
    advice: "Look here first: smaller items, fewer indexes, fewer reads",
    teach: Example {
        before: "P7: 61 % of 2,400 USD per month",
        after: "P7: 34 % of 1,400 USD, after its items fell below 1 KB",
    },
    needs: &[Need::Rates],
    judge: Judge::Any(dominant),
    ..BASE
};

const MODE_SAVING: Threshold = Threshold::new(
    "capacity-mode.saving",
    0.2,
    "share of a table's cost that another way to pay saves; chosen",
);
const MODE_DOLLARS: Threshold =
    Threshold::new("capacity-mode.dollars", 5.0, "USD per month that it saves; chosen");

const MODE_STEADY: Threshold = Threshold::new(
    "capacity-mode.steady",
    0.41,
    "mean by peak load, from which on capacity at a target of 70 % is cheaper; computed from list prices",
);

const CAPACITY_MODE: Rule = Rule {
    id: "capacity-mode",
    severity: Severity::Note,
    thresholds: &[MODE_SAVING, MODE_DOLLARS, MODE_STEADY],
    summary: "Another way to pay for the table's throughput is cheaper at the declared rates: capacity for steady load, requests for spikes.",
    not_a_fault_when: "the load is not known yet: then paying by request is right",
    advice: "Compare with hashrange model cost, and change the mode once the load is known",
    teach: Example {
        before: "billing: on-demand      # avg 800, peak 1,000 writes/s",
        after: "billing: provisioned\nscaling: {write: {min: 400, max: 1500, target: 70}}",
    },
    needs: &[Need::Rates, Need::Settings],
    judge: Judge::Table(capacity_mode),
    ..BASE
};

const TARGET_LOW: Threshold =
    Threshold::new("autoscaling.target-low", 50.0, "per cent of use aimed at; AWS developer guide");
const TARGET_HIGH: Threshold =
    Threshold::new("autoscaling.target-high", 90.0, "per cent of use aimed at; AWS developer guide");
const STEADY: Threshold =
    Threshold::new("autoscaling.steady", 0.8, "mean by peak load, above which it is static; chosen");

const AUTOSCALING: Rule = Rule {
    id: "autoscaling",
    thresholds: &[TARGET_LOW, TARGET_HIGH, STEADY],
    summary: "Provisioned capacity does not follow the load as it should: no policy, a target that is too low or too high, a ceiling below the \
              peak, or capacity that never falls.",
    not_a_fault_when: "the load is static",
    advice: "Give table and indexes a policy with a target of 70 %, a maximum above the peak, and scale-in",
    teach: Example {
        before: "billing: provisioned, capacity: {read: 100, write: 50}",
        after: "billing: provisioned, scaling: {read: {min: 20, max: 400, target: 70}, write: {min: 10, max: 200, target: 70}}",
    },
    needs: &[Need::Settings],
    judge: Judge::Table(autoscaling),
    ..BASE
};

const CLASS_DOLLARS: Threshold =
    Threshold::new("table-class.dollars", 5.0, "USD per month that the other class saves; chosen");

const TABLE_CLASS: Rule = Rule {
    id: "table-class",
    severity: Severity::Note,
    thresholds: &[CLASS_DOLLARS],
    summary: "Storage is most of the table's cost, for which Standard-IA is made; or the least of it, for which it is not.",
    not_a_fault_when: "reserved capacity is held, which Standard-IA cannot use",
    advice: "Change the table class; twice in 30 days is allowed",
    teach: Example { before: "class: standard      # 900 GB, 3 writes/s", after: "class: infrequent-access" },
    needs: &[Need::Settings],
    judge: Judge::Table(table_class),
    ..BASE
};

const GLOBAL_CONFLICT: Rule = Rule {
    id: "global-conflict",
    summary: "A counter or a stock is changed in several regions of a global table, where the last writer wins: changes are lost.",
    not_a_fault_when: "each key has a home region (declares: [single_writer]); drift is fine (declares: [approximate])",
    advice: "Write each key in one region, or use replicas of strong consistency",
    teach: Example {
        before: "replicas: [eu-west-1]\nupdate: \"ADD stock :delta\"",
        after: "replicas: [eu-west-1, eu-central-1], replica_consistency: strong",
    },
    judge: Judge::Pattern(global_conflict),
    ..BASE
};

const STRONG_REPLICAS: Rule = Rule {
    id: "mrsc-incompatible",
    severity: Severity::Error,
    summary: "Replicas of strong consistency have neither time to live, local indexes nor transactions, and are three in number.",
    not_a_fault_when: "",
    advice: "Do without these, or use replicas of eventual consistency",
    teach: Example {
        before: "replica_consistency: strong, ttl: expiresAt",
        after: "replica_consistency: strong      # a job deletes what has expired",
    },
    judge: Judge::Table(strong_replicas),
    ..BASE
};

const CONSUMERS: Threshold =
    Threshold::new("stream-fan-out.consumers", 2.0, "readers of one shard; AWS developer guide");
const CONSUMERS_GLOBAL: Threshold = Threshold::new(
    "stream-fan-out.consumers-global",
    1.0,
    "readers of one shard of a global table; AWS developer guide",
);

const FAN_OUT: Rule = Rule {
    id: "stream-fan-out",
    thresholds: &[CONSUMERS, CONSUMERS_GLOBAL],
    summary: "More readers share a shard of the stream than it serves: they are throttled and fall behind.",
    not_a_fault_when: "consumers stand behind EventBridge or Kinesis",
    advice: "Let one consumer pass changes on (EventBridge, SNS, Kinesis)",
    teach: Example {
        before: "stream_consumers: 4",
        after: "stream_consumers: 1      # an EventBridge pipe feeds four",
    },
    judge: Judge::Table(fan_out),
    ..BASE
};

/// The steps of a flow that read, with their plans.
fn reads<'c>(context: &'c Context<'_>, flow: &Flow) -> Vec<&'c PatternPlan> {
    let plans = flow.steps.iter().filter_map(|step| context.plan(&step.pattern));
    plans
        .filter(|plan| {
            !matches!(plan.class, PlanClass::Write(_) | PlanClass::External | PlanClass::Unservable)
        })
        .collect()
}

fn mirror(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mirrored: BTreeSet<&str> = context
        .catalogue
        .tables
        .iter()
        .filter(|table| table.keys.hash.len() == 1 && table.keys.range.is_empty())
        .map(|table| table.name.as_str())
        .collect();
    let least = context.threshold(&MIRROR_TABLES);
    if float(mirrored.len()) < least {
        return;
    }
    for flow in &context.catalogue.flows {
        let read: BTreeSet<&str> = reads(context, flow)
            .into_iter()
            .map(|plan| plan.table.as_str())
            .filter(|name| mirrored.contains(name))
            .collect();
        if float(read.len()) >= least && is_joined(context.catalogue, &read) {
            let names: Vec<&str> = read.into_iter().collect();
            let message = format!(
                "it reads {} tables one after another, each by its identifier: {}",
                names.len(),
                names.join(", ")
            );
            findings.push(MIRROR.found(Severity::Warn, Subject::Flow(flow.name.clone()), message));
        }
    }
}

/// Whether items of some of the tables name items of others.
fn is_joined(catalogue: &Catalogue, tables: &BTreeSet<&str>) -> bool {
    let hash = |name: &str| catalogue.table(name).and_then(|table| table.keys.hash.first());
    let keys: Vec<(&str, &String)> = tables.iter().filter_map(|name| Some((*name, hash(name)?))).collect();
    let foreign = |table: &str, attribute: &str, format: Option<&str>| {
        let other = keys.iter().any(|(name, key)| *name != table && key.as_str() == attribute);
        other || format.is_some_and(|format| format.starts_with("ref("))
    };
    let declared = catalogue.entities.iter().filter(|entity| tables.contains(entity.table.as_str()));
    let mut declared =
        declared.flat_map(|entity| entity.attributes.iter().map(|a| (entity.table.as_str(), a)));
    let sampled = tables.iter().filter_map(|name| catalogue.table(name)).any(|table| {
        table.samples.iter().flat_map(Attributes::names).any(|name| foreign(&table.name, name, None))
    });
    sampled || declared.any(|(table, attribute)| foreign(table, &attribute.name, attribute.format.as_deref()))
}

fn together(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for flow in &context.catalogue.flows {
        let reads = reads(context, flow);
        let mut by_key: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for plan in &reads {
            if let [(_, text)] = plan.hash.as_slice() {
                by_key.entry(gap_of(text)).or_default().push(&plan.table);
            }
        }
        for (key, tables) in by_key.into_iter().filter(|(key, _)| !key.is_empty()) {
            let distinct: BTreeSet<&str> = tables.iter().copied().collect();
            let share = float(tables.len()) / float(reads.len());
            if distinct.len() == 2 && share > context.threshold(&TOGETHER_SHARE) {
                let names: Vec<&str> = distinct.into_iter().collect();
                let message = format!(
                    "{} of {} reads go to {} by {key}",
                    tables.len(),
                    reads.len(),
                    names.join(" and ")
                );
                findings.push(TOGETHER.found(Severity::Note, Subject::Flow(flow.name.clone()), message));
            }
        }
    }
}

/// The one gap of a key as written, else nothing.
fn gap_of(text: &str) -> String {
    let template = crate::template::Template::parse(text).ok();
    let gaps: Vec<String> = template.iter().flat_map(|template| template.gaps().map(str::to_owned)).collect();
    if let [gap] = gaps.as_slice() { gap.clone() } else { String::new() }
}

fn everything(context: &Context<'_>, table: &Table) -> Option<Said> {
    let ttl = table.ttl.as_ref()?;
    let groups = groups(context, table);
    let expires = |kind: &Kind<'_>| {
        let declared = kind.entity.is_some_and(|entity| entity.attributes.iter().any(|a| a.name == *ttl));
        declared || kind.items.iter().any(|item| item.contains(ttl))
    };
    let (mortal, lasting): (Vec<_>, Vec<_>) =
        groups.iter().partition(|group| group.iter().all(|kind| expires(kind)));
    let one = mortal.first()?;
    let other = lasting.iter().find(|group| !group.iter().any(|kind| expires(kind)))?;
    let (one, other) = (names(one), names(other));
    Some(Said::note(format!("{one} expire and {other} stay, and nothing reads or writes both")))
}

fn names(kinds: &[&Kind<'_>]) -> String {
    kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The declared kinds of a table, those together that share a pattern or a partition key.
fn groups<'c, 'a>(context: &'c Context<'a>, table: &Table) -> Vec<Vec<&'c Kind<'a>>> {
    let kinds: Vec<&Kind<'a>> =
        context.samples.kinds().iter().filter(|kind| kind.table == table.name && kind.declared).collect();
    let kinds: Vec<&Kind<'a>> = kinds
        .into_iter()
        .filter(|kind| kind.entity.is_some_and(|entity| !entity.reference && !entity.shared))
        .collect();
    let mut groups: Vec<Vec<&Kind<'a>>> = Vec::new();
    for kind in kinds {
        let (joined, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.iter().any(|other| belong(context, table, kind, other)));
        let mut group: Vec<&Kind<'a>> = joined.into_iter().flatten().collect();
        group.push(kind);
        groups = apart;
        groups.push(group);
    }
    groups
}

fn belong(context: &Context<'_>, table: &Table, kind: &Kind<'_>, other: &Kind<'_>) -> bool {
    let key = |kind: &Kind<'_>| declared_template(kind.entity, table.keys.hash.first()?);
    let mut patterns = context.catalogue.patterns.iter();
    key(kind) == key(other)
        || patterns.any(|pattern| context.touches(pattern, kind) && context.touches(pattern, other))
}

/// Findings for patterns that lack something: one for the model where most lack it, else one each.
fn lacking(rule: &Rule, severity: Severity, all: usize, lacking: &[&Pattern], what: &str) -> Vec<Finding> {
    if lacking.len() > 3 && lacking.len() * 2 > all {
        let ids: Vec<&str> = lacking.iter().map(|pattern| pattern.id.as_str()).collect();
        let message = format!("{} of {all} patterns have {what}: {}", lacking.len(), ids.join(", "));
        return vec![rule.found(severity, Subject::Model, message)];
    }
    lacking.iter().map(|pattern| rule.found(severity, of(pattern), format!("it has {what}"))).collect()
}

/// Patterns with a request or a need that this database serves.
fn served<'a>(context: &Context<'a>) -> Vec<&'a Pattern> {
    context.catalogue.patterns.iter().filter(|pattern| pattern.external.is_none()).collect()
}

fn rate_missing(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let served = served(context);
    let without: Vec<&Pattern> = served
        .iter()
        .copied()
        .filter(|pattern| pattern.peak_rps.is_none() && pattern.avg_rps.is_none())
        .collect();
    findings.extend(lacking(&RATE_MISSING, Severity::Warn, served.len(), &without, "no rate"));
}

fn size_missing(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let served = served(context);
    let unknown = |pattern: &Pattern| {
        let plan = context.plan(&pattern.id);
        plan.is_some_and(|plan| {
            plan.arms.is_empty() && plan.class != PlanClass::Unservable && plan.class != PlanClass::Vector
        })
    };
    let without: Vec<&Pattern> = served.iter().copied().filter(|pattern| unknown(pattern)).collect();
    findings.extend(lacking(
        &SIZE_MISSING,
        Severity::Warn,
        served.len(),
        &without,
        "neither bytes nor numbers of items",
    ));
}

fn budget_missing(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let requests: Vec<&Pattern> = served(context).into_iter().filter(|pattern| is_request(pattern)).collect();
    let without: Vec<&Pattern> = requests
        .iter()
        .copied()
        .filter(|pattern| pattern.budget.rcu.is_none() && pattern.budget.wcu.is_none())
        .collect();
    findings.extend(lacking(&BUDGET_MISSING, Severity::Note, requests.len(), &without, "no budget"));
}

fn budget_exceeded(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns() {
        let (units, arms, severity, evidence) = match context.observed(&pattern.id) {
            Some(seen) => (units_of(seen), &seen.arms, Severity::Error, seen.evidence),
            None => ([plan.read_units(), plan.write_units()], &plan.arms, Severity::Warn, Evidence::Declared),
        };
        let budgets = [pattern.budget.rcu, pattern.budget.wcu];
        for ((units, budget), what) in units.into_iter().zip(budgets).zip(["read", "write"]) {
            let Some(budget) = budget.filter(|budget| units > budget + 1e-9) else { continue };
            let size = plan.items.zip(plan.item_bytes);
            let size = size.map_or_else(String::new, |(items, bytes)| {
                format!("; {} items of {} bytes", number(items), number(bytes))
            });
            let message = format!(
                "{} {what} units of {} allowed: {}{size}",
                number(units),
                number(budget),
                arms_text(arms)
            );
            findings.push(BUDGET_EXCEEDED.found(severity, of(pattern), message).rests_on(evidence));
        }
    }
}

fn units_of(seen: &Observed) -> [f64; 2] {
    [seen.read_units(), seen.write_units()]
}

fn arms_text(arms: &[Arm]) -> String {
    let text = |arm: &Arm| {
        let place =
            arm.index.as_ref().map_or_else(|| arm.table.clone(), |index| format!("{}.{index}", arm.table));
        format!("{place} {}", number(arm.read + arm.write))
    };
    arms.iter().map(text).collect::<Vec<_>>().join(" + ")
}

fn declared_observed(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns().filter(|(_, plan)| !plan.arms.is_empty()) {
        let Some(seen) = context.observed(&pattern.id) else { continue };
        let planned = [plan.read_units(), plan.write_units()];
        let steps = [if plan.strong { 1.0 } else { 0.5 }, 1.0];
        for at in 0..2 {
            let (planned, observed) = (planned[at], units_of(seen)[at]);
            let difference = (planned - observed).abs();
            if difference > steps[at] + 1e-9 && difference > context.threshold(&DIFFERENCE) * planned {
                let what = ["read", "write"][at];
                let message = format!(
                    "{} {what} units are declared and {} were observed",
                    number(planned),
                    number(observed)
                );
                findings.push(
                    DECLARED_OBSERVED.found(Severity::Warn, of(pattern), message).rests_on(seen.evidence),
                );
            }
        }
    }
}

fn dominant(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let report = context.bill();
    let all: f64 = report.patterns.iter().map(|pattern| pattern.dollars).sum();
    let paid = report.patterns.iter().filter(|pattern| pattern.dollars > 0.0).count();
    if all <= 0.0 || float(paid) < context.threshold(&DOMINANT_COUNT) {
        return;
    }
    for pattern in &report.patterns {
        let share = pattern.dollars / all;
        let severity = match share {
            share if share > context.threshold(&DOMINANT_WARN) => Severity::Warn,
            share if share > context.threshold(&DOMINANT_NOTE) => Severity::Note,
            _ => continue,
        };
        let message = format!(
            "{} % of what the patterns cost: {} of {} USD per month",
            number(share * 100.0),
            number(pattern.dollars),
            number(all)
        );
        findings.push(DOMINANT.found(severity, Subject::Pattern(pattern.id.clone()), message));
    }
}

fn capacity_mode(context: &Context<'_>, table: &Table) -> Option<Said> {
    let priced = context.bill().tables.iter().find(|priced| priced.name == table.name)?;
    let (declared, best) = cheapest(priced, |mode| mode.infrequent_access == priced.infrequent_access)?;
    let saved = declared.1 - best.1;
    let spiky = steadiness(context, table, None).is_none_or(|share| share < context.threshold(&MODE_STEADY));
    if table.billing.is_none() || (table.billing == Some(Billing::OnDemand) && spiky) {
        return None;
    }
    let worth =
        saved > context.threshold(&MODE_DOLLARS) && saved > context.threshold(&MODE_SAVING) * declared.1;
    worth.then(|| {
        Said::note(format!(
            "{} costs {} USD per month, {} would cost {}",
            declared.0,
            number(declared.1),
            best.0,
            number(best.1)
        ))
    })
}

/// The declared way to pay and the cheapest of others, each with its dollars; what needs a contract or foresight is left out.
fn cheapest(
    table: &TableCost,
    wanted: impl Fn(&crate::cost::ModeCost) -> bool,
) -> Option<((String, f64), (String, f64))> {
    use crate::cost::Mode;
    let declared = table.modes.iter().find(|mode| mode.declared)?;
    let possible = |mode: &&crate::cost::ModeCost| {
        !mode.declared
            && wanted(mode)
            && matches!(mode.mode, Mode::Declared | Mode::OnDemand | Mode::Fixed | Mode::Scaled)
            && mode.short == 0
    };
    let best = table.modes.iter().filter(possible).min_by(|a, b| a.dollars().total_cmp(&b.dollars()))?;
    Some(((declared.title(), declared.dollars()), (best.title(), best.dollars())))
}

fn table_class(context: &Context<'_>, table: &Table) -> Option<Said> {
    let priced = context.bill().tables.iter().find(|priced| priced.name == table.name)?;
    let declared = priced.modes.iter().find(|mode| mode.declared);
    let declared = declared.filter(|_| table.infrequent_access.is_some() || table.billing.is_some())?;
    let mut others = priced.modes.iter();
    let other = others
        .find(|mode| mode.mode == declared.mode && mode.infrequent_access != declared.infrequent_access)?;
    let saved = declared.dollars() - other.dollars();
    let share = declared.storage / declared.dollars().max(f64::MIN_POSITIVE);
    (saved > context.threshold(&CLASS_DOLLARS)).then(|| {
        Said::note(format!(
            "storage is {} % of its {} USD per month; the other class would cost {}",
            number(share * 100.0),
            number(declared.dollars()),
            number(other.dollars())
        ))
    })
}

fn autoscaling(context: &Context<'_>, table: &Table) -> Option<Said> {
    let Some(Billing::Provisioned(_)) = table.billing else { return None };
    let faults = scaling_faults(context, table);
    (!faults.is_empty()).then(|| Said::warn(faults.join("; ")))
}

/// What is wrong with the policies of a table and its indexes.
fn scaling_faults(context: &Context<'_>, table: &Table) -> Vec<String> {
    let mut faults = Vec::new();
    let indexes = table.indexes.iter().filter(|index| index.kind == IndexKind::Global);
    let parts = std::iter::once((None, &table.scaling))
        .chain(indexes.map(|index| (Some(&index.name), &index.scaling)));
    let any = table.scaling.iter().any(Option::is_some);
    for (index, scaling) in parts {
        let place = index.map_or("the table", String::as_str);
        let steady = is_steady(context, table, index);
        for (at, (policy, what)) in scaling.iter().zip(["reads", "writes"]).enumerate() {
            match policy {
                None if index.is_none() && !steady => {
                    faults.push(format!("{place} has no policy for {what}"));
                }
                None if index.is_some() && any => {
                    faults.push(format!("{place} has no policy for {what}, the table has"));
                }
                None => {}
                Some(policy) => faults.extend(policy_fault(
                    context,
                    policy,
                    (place, what),
                    needed(context, table, index, at),
                )),
            }
        }
    }
    faults
}

fn policy_fault(
    context: &Context<'_>,
    policy: &Scaling,
    (place, what): (&str, &str),
    needed: f64,
) -> Option<String> {
    let (low, high) = (context.threshold(&TARGET_LOW), context.threshold(&TARGET_HIGH));
    if policy.target < low || policy.target >= high {
        return Some(format!(
            "{place} aims at {} % for {what}, which is outside {} to {}",
            number(policy.target),
            number(low),
            number(high)
        ));
    }
    if policy.max < needed {
        return Some(format!(
            "{place} may grow to {} for {what}, and patterns need {}",
            number(policy.max),
            number(needed)
        ));
    }
    policy.disable_scale_in.then(|| format!("{place} never falls again for {what}"))
}

/// Units per second at the peak.
fn needed(context: &Context<'_>, table: &Table, index: Option<&String>, write: usize) -> f64 {
    load(context, table, index, super::context::peak)[write]
}

fn load(
    context: &Context<'_>,
    table: &Table,
    index: Option<&String>,
    rate: fn(&Pattern) -> Option<f64>,
) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for (pattern, plan) in context.patterns() {
        let rate = rate(pattern).unwrap_or(0.0);
        for arm in plan.arms.iter().filter(|arm| arm.table == table.name && arm.index.as_ref() == index) {
            sum[0] += arm.read * rate;
            sum[1] += arm.write * rate;
        }
    }
    sum
}

/// Whether the load of a part is nearly the same all day.
fn is_steady(context: &Context<'_>, table: &Table, index: Option<&String>) -> bool {
    steadiness(context, table, index).is_some_and(|share| share > context.threshold(&STEADY))
}

/// Mean by peak load of a part; patterns that do not state both count as spikes.
fn steadiness(context: &Context<'_>, table: &Table, index: Option<&String>) -> Option<f64> {
    let stated = |pattern: &Pattern| pattern.avg_rps.filter(|_| pattern.peak_rps.is_some());
    let (mean, peak) =
        (load(context, table, index, stated), load(context, table, index, super::context::peak));
    let (mean, peak) = (mean[0] + mean[1], peak[0] + peak[1]);
    (peak > 0.0).then(|| mean / peak)
}

fn global_conflict(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan) -> Option<Said> {
    let table = context.table_of(plan)?;
    let eventual = !table.replicas.is_empty() && table.replica_consistency != Some(Consistency::Strong);
    if !eventual || pattern.declared.single_writer || pattern.declared.approximate {
        return None;
    }
    let (name, regions) = (counted(context, pattern)?, table.replicas.join(", "));
    let message =
        format!("it adds to {name}, and the table is written in {regions} too: the last writer wins");
    Some(Said::warn(message))
}

/// The attribute that a pattern adds to.
fn counted(context: &Context<'_>, pattern: &Pattern) -> Option<String> {
    let request = context.request(pattern)?;
    let mut changes = request.writes().filter_map(|action| action.update.as_ref()).flat_map(Update::changes);
    changes.find(|(_, change)| *change == ChangeKind::Increment).map(|(path, _)| path.top().to_owned())
}

fn strong_replicas(context: &Context<'_>, table: &Table) -> Option<Said> {
    let mut faults = Vec::new();
    faults.extend(table.ttl.as_ref().map(|ttl| format!("time to live ({ttl})")));
    let local = table.indexes.iter().find(|index| index.kind == IndexKind::Local);
    faults.extend(local.map(|index| format!("local index {}", index.name)));
    let transactions: Vec<&str> = context
        .patterns()
        .filter(|(_, plan)| plan.transaction && plan.table == table.name)
        .map(|(pattern, _)| pattern.id.as_str())
        .collect();
    if !transactions.is_empty() {
        faults.push(format!("transactions ({})", transactions.join(", ")));
    }
    let strong = table.replica_consistency == Some(Consistency::Strong);
    let faults = faults.join(", ");
    (strong && !faults.is_empty()).then(|| {
        Said::error(format!("its replicas are of strong consistency, which does not go with {faults}"))
    })
}

fn fan_out(context: &Context<'_>, table: &Table) -> Option<Said> {
    let threshold = if table.replicas.is_empty() { &CONSUMERS } else { &CONSUMERS_GLOBAL };
    let most = context.threshold(threshold);
    let consumers = table.stream_consumers.filter(|consumers| f64::from(*consumers) > most)?;
    Some(Said::warn(format!("{consumers} consumers read its stream, where a shard serves {}", number(most))))
}

#[cfg(test)]
mod tests;
