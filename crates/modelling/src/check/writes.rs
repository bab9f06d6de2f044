//! How patterns write: creation, updates, counters, copies, keys that move.

use std::collections::BTreeSet;

use hashrange_item::Attributes;
use hashrange_language::{ChangeKind, Condition};

use super::context::{is_request, number, of, rate, says};
use super::rule::PLAIN;
use super::{Context, Example, Group, Judge, Need, Rule, Threshold};
use crate::catalogue::{Entity, IndexKind, Pattern, Purpose, Table};
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::request::{Action, Request, Verb};
use crate::plan::{PlanClass, collections, sizes};
use crate::template::Template;

pub(super) const RULES: &[Rule] = &[
    CREATE,
    PUT_AS_UPDATE,
    PHANTOM,
    COUNTER,
    COPY,
    CONDITION_COST,
    AMPLIFICATION,
    MUTABLE_PRIMARY,
    MUTABLE_INDEX,
];

const WRITE: Rule = Rule { group: Group::Writes, needs: &[Need::Requests], ..PLAIN };

const CREATE_WORDS: &[&str] = &[
    "create",
    "register",
    "registration",
    "place",
    "insert",
    "sign up",
    "signup",
    "sign-up",
    "add a",
    "add new",
    "open a",
    "new ",
    "book a",
    "reserve",
];
const UPDATE_WORDS: &[&str] =
    &["update", "change", "edit", "rename", "modify", "mark", "set ", "save", "ship", "cancel", "deactivate"];

/// Whether a pattern makes something new, by its words or its declared share.
fn is_creation(pattern: &Pattern) -> bool {
    match pattern.create_share {
        Some(share) => share > 0.5,
        None => says(pattern, CREATE_WORDS),
    }
}

/// Whether a condition demands that there is no item yet.
fn demands_none(condition: Option<&Condition>) -> bool {
    let tests = condition.map(Condition::outline).unwrap_or_default();
    tests.iter().any(|test| test.operator == "attribute_not_exists" && test.is_required)
}

const CREATE: Rule = Rule {
    id: "create-without-condition",
    summary: "A put that is meant to create replaces what is already there without a word: a retry, or a clash of ids, overwrites.",
    not_a_fault_when: "the write may replace (declares: upsert, full_replace); it loads in bulk; the events of a log have a unique sort key; a \
                       transaction has a token",
    advice: "Add the condition attribute_not_exists on the partition key, with an id that the client makes",
    teach: Example {
        before: "- {id: P1, name: Register a user, operation: PutItem, item: {entity: User}}",
        after: "- {id: P1, name: Register a user, operation: PutItem, item: {entity: User}, condition: attribute_not_exists(PK)}",
    },
    judge: Judge::Any(creates),
    ..WRITE
};

fn creates(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        let declared = &pattern.declared;
        let allowed =
            declared.upsert || declared.full_replace || request.token || pattern.purpose != Purpose::Request;
        if allowed || request.batch || !is_creation(pattern) {
            continue;
        }
        let bare = request.writes().find(|action| {
            action.verb == Verb::Put
                && !demands_none(action.condition.as_ref())
                && !is_unique_event(context, pattern, action)
        });
        if bare.is_some() {
            let text = "creates an item, but would replace one that is there".to_owned();
            let hash = context.plan(&pattern.id).and_then(|plan| Some(plan.hash.first()?.0.clone()));
            let finding = CREATE.found(Severity::Warn, of(pattern), text);
            findings.push(match hash {
                Some(hash) => finding.advise(format!(
                    "condition: attribute_not_exists({hash}), with an id that the client makes"
                )),
                None => finding,
            });
        }
    }
}

/// Whether a put is of an event whose sort key no other event has.
fn is_unique_event(context: &Context<'_>, pattern: &Pattern, action: &Action) -> bool {
    let words = ["event", "log", "audit", "reading", "measurement", "message", "history", "sample", "metric"];
    let entity = collections::one(context.catalogue, pattern, action);
    let named =
        entity.is_some_and(|entity| words.iter().any(|word| entity.name.to_lowercase().contains(word)));
    let Some(table) = context.catalogue.table(&action.table).filter(|_| named || says(pattern, &words))
    else {
        return false;
    };
    let gaps = collections::key_of(table, action)
        .into_iter()
        .filter(|part| table.keys.range.contains(&part.attribute))
        .flat_map(|part| Template::parse(&part.text).map(|t| t.gaps().map(str::to_owned).collect::<Vec<_>>()))
        .flatten();
    gaps.into_iter().any(|gap| {
        let format = entity.and_then(|entity| collections::attribute(entity, &gap)?.format.clone());
        let fresh = match pattern.parameters.get(&gap) {
            Some(crate::catalogue::Parameter::New(format)) => Some(format.clone()),
            _ => format,
        };
        fresh.is_some_and(|format| ["uuid", "ulid", "ksuid", "nanoid", "seq"].contains(&format.as_str()))
    })
}

const PUT_AS_UPDATE: Rule = Rule {
    id: "put-as-update",
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "A put replaces the whole item: attributes that it does not carry are gone.",
    not_a_fault_when: "the item is replaced on purpose (declares: full_replace)",
    advice: "Use UpdateItem, which leaves the other attributes",
    teach: Example {
        before: "- {id: P2, name: Change the name, operation: PutItem, item: {PK: \"USER#{userId}\", SK: PROFILE, name: \"{name}\"}}",
        after: "- {id: P2, name: Change the name, operation: UpdateItem, key: {PK: \"USER#{userId}\", SK: PROFILE}, update: \"SET #n = :name\"}",
    },
    judge: Judge::Any(puts_as_updates),
    ..WRITE
};

fn puts_as_updates(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        let updates = match pattern.create_share {
            Some(share) => share < 0.5,
            None => says(pattern, UPDATE_WORDS) && !says(pattern, CREATE_WORDS),
        };
        if !updates || pattern.declared.full_replace || pattern.declared.upsert {
            continue;
        }
        for action in request.writes().filter(|action| !demands_none(action.condition.as_ref())) {
            let Some(item) = &action.item else { continue };
            let Some(entity) = collections::one(context.catalogue, pattern, action) else { continue };
            let samples = context.samples.of_entity(&entity.name).map(|kind| kind.items.as_slice());
            let lost = lost(entity, samples.unwrap_or_default(), |name| item.contains_key(name));
            if !lost.is_empty() {
                let text = format!("replaces an item of {} and drops {}", entity.name, lost.join(", "));
                findings.push(PUT_AS_UPDATE.found(Severity::Warn, of(pattern), text));
            }
        }
    }
}

/// Attributes of an entity that a put does not carry.
fn lost(entity: &Entity, samples: &[&Attributes], has: impl Fn(&str) -> bool) -> Vec<String> {
    let declared = sizes::attribute_names(entity).into_iter().map(str::to_owned);
    let sampled = samples.iter().flat_map(|item| item.names().map(str::to_owned));
    let all: BTreeSet<String> = declared.chain(sampled).collect();
    all.into_iter().filter(|name| !has(name)).collect()
}

const PHANTOM: Rule = Rule {
    id: "upsert-phantom",
    summary: "UpdateItem creates what is not there: a wrong key makes a stub that has only the attributes of the update.",
    not_a_fault_when: "it counts; it may create (declares: upsert)",
    advice: "Add the condition attribute_exists on the partition key",
    teach: Example {
        before: "- {id: P3, name: Ship an order, operation: UpdateItem, key: {..}, update: \"SET orderStatus = :s\"}",
        after: "- {id: P3, name: Ship an order, operation: UpdateItem, key: {..}, update: \"SET orderStatus = :s\", condition: attribute_exists(PK)}",
    },
    judge: Judge::Any(phantoms),
    ..WRITE
};

fn phantoms(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        let may_create = pattern.declared.upsert
            || pattern.create_share.is_some_and(|share| share > 0.0)
            || says(pattern, &["upsert", "or create", "create or"]);
        let stub = |action: &&Action| {
            let Some(update) = &action.update else { return false };
            let counts = update.changes().any(|(_, kind)| {
                matches!(kind, ChangeKind::Increment | ChangeKind::SetIfAbsent | ChangeKind::Grow)
            });
            !counts && !fails_on_nothing(action.condition.as_ref())
        };
        if !may_create && request.writes().any(|action| stub(&action)) {
            let text = "updates an item without asking whether it exists".to_owned();
            findings.push(PHANTOM.found(Severity::Warn, of(pattern), text));
        }
    }
}

/// Whether a condition fails where there is no item.
fn fails_on_nothing(condition: Option<&Condition>) -> bool {
    condition.is_some_and(|condition| !condition.evaluate(None))
}

const COUNTER: Rule = Rule {
    id: "counter-non-idempotent",
    summary: "An SDK that gets no answer sends the request again: a sum of money or stock is then changed twice.",
    not_a_fault_when: "drift is fine (declares: approximate)",
    advice: "Make it conditional on the last event's id or a version, or put a row for the event in a transaction with a token",
    teach: Example {
        before: "- {id: P4, operation: UpdateItem, key: {..}, update: \"SET balance = balance - :n\"}",
        after: "- {id: P4, operation: UpdateItem, key: {..}, update: \"SET balance = balance - :n, version = :next\", condition: \"version = :read\"}",
    },
    judge: Judge::Any(counters),
    ..WRITE
};

const VALUABLES: &[&str] = &[
    "balance",
    "stock",
    "quantity",
    "qty",
    "credit",
    "amount",
    "money",
    "quota",
    "inventory",
    "seats",
    "tickets",
    "wallet",
    "available",
    "reserved",
    "onhand",
    "remaining",
    "left",
    "budget",
];

fn counters(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        if pattern.declared.approximate || request.token || has_marker(request) {
            continue;
        }
        for action in request.writes() {
            let changes = action.update.iter().flat_map(hashrange_language::Update::changes);
            let counted =
                changes.filter(|(_, kind)| *kind == ChangeKind::Increment).map(|(path, _)| path.top());
            let names: Vec<&str> = counted.collect();
            let valuable = names.iter().find(|name| {
                let name = name.to_lowercase();
                VALUABLES.iter().any(|word| name.contains(word))
            });
            if let Some(name) = valuable.filter(|_| !compares_other(action, &names)) {
                let text = format!("changes {name} by an amount: a request sent twice changes it twice");
                findings.push(COUNTER.found(Severity::Warn, of(pattern), text));
            }
        }
    }
}

/// Whether a transaction also writes a row that can be written only once.
fn has_marker(request: &Request) -> bool {
    request.transaction
        && request.writes().any(|action| action.verb == Verb::Put && demands_none(action.condition.as_ref()))
}

/// Whether a condition compares something that is not what is counted: a version, the last event.
fn compares_other(action: &Action, counted: &[&str]) -> bool {
    let tests = action.condition.iter().flat_map(Condition::outline);
    tests
        .filter(|test| !counted.contains(&test.attribute))
        .any(|test| matches!(test.operator, "=" | "<>" | "<" | "<=" | "attribute_not_exists" | "contains"))
}

const COPY: Rule = Rule {
    id: "copy-not-atomic",
    summary: "An attribute lies in two places, and the pattern changes one: a copy in another item, or the index key that is made from it.",
    not_a_fault_when: "it never changes (immutable); a stream repairs the copies, and says so",
    advice: "Change both in one transaction, or let a stream carry the change, and say which one is the truth",
    teach: Example {
        before: "Order: {attributes: {customerName: {copy_of: User.name}}}\n# P5 updates User.name alone",
        after: "Order: {attributes: {customerName: {copy_of: User.name, immutable: true}}}   # the name at the time of the order",
    },
    judge: Judge::Any(copies),
    ..WRITE
};

fn copies(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        let touched: Vec<&Entity> = request
            .writes()
            .filter_map(|action| collections::one(context.catalogue, pattern, action))
            .collect();
        for action in request.writes().filter(|action| action.update.is_some()) {
            let Some(entity) = collections::one(context.catalogue, pattern, action) else { continue };
            let changed = changed(action);
            if let Some(text) = copied(context, pattern, entity, &changed, &touched) {
                findings.push(COPY.found(Severity::Warn, of(pattern), text));
            }
            if let Some(text) = stale_key(context, entity, &changed) {
                findings.push(COPY.found(Severity::Warn, of(pattern), text));
            }
        }
    }
}

fn changed(action: &Action) -> BTreeSet<&str> {
    action.update.iter().flat_map(hashrange_language::Update::changed_attributes).collect()
}

/// The copy that stays behind in another entity.
fn copied(
    context: &Context<'_>,
    pattern: &Pattern,
    entity: &Entity,
    changed: &BTreeSet<&str>,
    touched: &[&Entity],
) -> Option<String> {
    if says(pattern, &["stream", "fan-out", "fan out"]) {
        return None;
    }
    let is_fixed =
        |name: &str| collections::attribute(entity, name).is_some_and(|attribute| attribute.immutable);
    context.catalogue.entities.iter().find_map(|other| {
        let copy = other.attributes.iter().find(|attribute| {
            let of_this = |(origin, name): &(String, String)| {
                *origin == entity.name && changed.contains(name.as_str()) && !is_fixed(name)
            };
            !attribute.immutable && attribute.copy_of.as_ref().is_some_and(of_this)
        })?;
        let (_, origin) = copy.copy_of.as_ref()?;
        let repaired = context
            .catalogue
            .table(&other.table)
            .is_some_and(|table| table.stream_consumers.is_some_and(|n| n > 0));
        let together = touched.iter().any(|entity| entity.name == other.name);
        (!together && !repaired).then(|| {
            format!("changes {}.{origin}, but not its copy {}.{}", entity.name, other.name, copy.name)
        })
    })
}

/// The index key that is made from a changed attribute and is not changed with it.
fn stale_key(context: &Context<'_>, entity: &Entity, changed: &BTreeSet<&str>) -> Option<String> {
    let table = context.catalogue.table(&entity.table)?;
    let of_indexes = table.indexes.iter().flat_map(|index| index.keys.attributes());
    of_indexes.filter(|key| !changed.contains(key) && !is_base_key(table, key)).find_map(|key| {
        let gap = entity.keys.get(key)?.gaps().find(|gap| changed.contains(gap))?;
        Some(format!("changes {gap}, but not the index key {key} that is made from it"))
    })
}

fn is_base_key(table: &Table, name: &str) -> bool {
    table.keys.attributes().any(|key| key == name)
}

const FAIL_RATE: Threshold =
    Threshold::new("condition-failure-cost.rate", 0.2, "share of writes refused; chosen");
const FAIL_COST: Threshold = Threshold::new("condition-failure-cost.cost", 0.05, "share of all cost; chosen");

const CONDITION_COST: Rule = Rule {
    id: "condition-failure-cost",
    severity: Severity::Note,
    thresholds: &[FAIL_RATE, FAIL_COST],
    summary: "Many writes are refused by their condition, and a refused write is paid for as one that succeeds.",
    not_a_fault_when: "it is a lock, which is refused by design",
    advice: "Look in a cache first, or split the contended item into shards",
    teach: Example {
        before: "- {id: P6, name: Claim a seat, fail_rate: 0.6, ..}",
        after: "- {id: P6, name: Claim a seat, fail_rate: 0.05, ..}   # free seats come from a cache",
    },
    needs: &[],
    judge: Judge::Any(condition_costs),
    ..WRITE
};

fn condition_costs(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _) in context.patterns() {
        let failing = pattern.conditional_fail_rate.filter(|share| *share > context.threshold(&FAIL_RATE));
        let Some((failing, share)) = failing.zip(context.cost_share(pattern)) else { continue };
        if share > context.threshold(&FAIL_COST) && !says(pattern, &["lock", "lease"]) {
            let text = format!(
                "{} % of its writes are refused and paid for, {} % of all cost is this pattern",
                number(failing * 100.0),
                number(share * 100.0)
            );
            findings.push(CONDITION_COST.found(Severity::Note, of(pattern), text));
        }
    }
}

const AMPLIFY_SHARE: Threshold =
    Threshold::new("update-amplification.share", 0.1, "share of the item's bytes that change; chosen");
const AMPLIFY_BYTES: Threshold =
    Threshold::new("update-amplification.bytes", 4096.0, "bytes of the item; chosen");
const AMPLIFY_RATE: Threshold =
    Threshold::new("update-amplification.rate", 1.0, "updates per second; chosen");

const AMPLIFICATION: Rule = Rule {
    id: "update-amplification",
    evidence: &[Evidence::Declared, Evidence::Run],
    thresholds: &[AMPLIFY_SHARE, AMPLIFY_BYTES, AMPLIFY_RATE],
    summary: "An update pays for the whole item, however little of it changes.",
    advice: "Move what changes often (counters, states, times) into a small item beside it",
    teach: Example {
        before: "Product: {bytes: 20000}   # P7 counts views in it, 50 times per second: 20 write units each",
        after: "ProductCounters: {key: {PK: \"PRODUCT#{id}\", SK: COUNTERS}, bytes: 120}   # 1 write unit each",
    },
    judge: Judge::Any(amplifies),
    ..WRITE
};

fn amplifies(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let [action] = request.actions.as_slice() else { continue };
        let bytes = plan.item_bytes.filter(|bytes| *bytes > context.threshold(&AMPLIFY_BYTES));
        let (Some(bytes), true) = (bytes, action.update.is_some()) else { continue };
        let limit = context.threshold(&AMPLIFY_RATE);
        if rate(pattern).is_some_and(|rate| rate <= limit) {
            continue;
        }
        let entity = collections::one(context.catalogue, pattern, action);
        let planned = entity.map(|entity| {
            let names = changed(action);
            names.iter().map(|name| sizes::attribute_bytes(context.catalogue, entity, name)).sum::<f64>()
                / bytes
        });
        let seen = context.observed(&pattern.id).and_then(|seen| Some((seen.changed_share?, seen.evidence)));
        let Some((share, evidence)) = seen.or(planned.map(|share| (share, Evidence::Declared))) else {
            continue;
        };
        if share > context.threshold(&AMPLIFY_SHARE) {
            continue;
        }
        let text = format!("changes {} % of an item of {} bytes", number(share * 100.0), number(bytes));
        let finding = if let Some(rate) = rate(pattern) {
            let text = format!("{text}, {} times per second", number(rate));
            AMPLIFICATION.found(Severity::Warn, of(pattern), text)
        } else {
            let text =
                format!("{text}; no rate is stated, above {} per second it is a warning", number(limit));
            AMPLIFICATION.found(Severity::Note, of(pattern), text)
        };
        findings.push(finding.rests_on(evidence));
    }
}

const MUTABLE_PRIMARY: Rule = Rule {
    id: "mutable-primary-key",
    severity: Severity::Error,
    summary: "A pattern changes what the table's key is made of: keys cannot change, so it needs a delete and a put, and everything that \
              points there breaks.",
    not_a_fault_when: "it is a rare job of administration; the item is a claim that only says whose a value is (all its attributes copies or references)",
    advice: "Key the item by an id that never changes, and put what changes into a global index's key",
    teach: Example {
        before: "Order: {key: {PK: \"USER#{userId}\", SK: \"ORDER#{status}#{orderId}\"}}   # P8 changes status",
        after: "Order: {key: {PK: \"USER#{userId}\", SK: \"ORDER#{orderId}\", GSI1PK: \"USER#{userId}#{status}\"}}",
    },
    covers: &["copy-not-atomic"],
    judge: Judge::Any(mutable_primary),
    ..WRITE
};

fn mutable_primary(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested().filter(|(pattern, _, _)| is_request(pattern)) {
        for action in request.writes().filter(|action| action.update.is_some()) {
            let Some(table) = context.catalogue.table(&action.table) else { continue };
            let entity = collections::one(context.catalogue, pattern, action);
            let changed = changed(action);
            let made_of = |key: &str| {
                let gaps = entity.and_then(|entity| entity.keys.get(key)).map(Template::gaps);
                gaps.into_iter().flatten().any(|gap| changed.contains(gap) && !is_kept(pattern, action, gap))
            };
            let keys = table.keys.attributes();
            if let Some(key) = keys.into_iter().find(|key| changed.contains(key) || made_of(key)) {
                let text = format!("changes what the key attribute {key} is made of");
                findings.push(MUTABLE_PRIMARY.found(Severity::Error, of(pattern), text));
            }
        }
        if let Some(name) = moved(context, pattern, request) {
            let text = format!("deletes an item of {name} and puts it under another key");
            findings.push(MUTABLE_PRIMARY.found(Severity::Error, of(pattern), text));
        }
    }
}

/// The entity of which a transaction deletes an item and puts one under another key of the same shape.
/// Whether an update sets an attribute to what the key already says of it, as one does that may create its item.
fn is_kept(pattern: &Pattern, action: &Action, name: &str) -> bool {
    let gap = format!("{{{name}}}");
    let in_key = action.key.iter().any(|part| part.text.contains(&gap));
    in_key
        && pattern.request.as_ref().is_some_and(|request| request.values().any(|value| has_text(value, &gap)))
}

fn has_text(value: &serde_json::Value, text: &str) -> bool {
    match value {
        serde_json::Value::String(own) => own == text,
        serde_json::Value::Array(items) => items.iter().any(|item| has_text(item, text)),
        serde_json::Value::Object(map) => map.values().any(|item| has_text(item, text)),
        _ => false,
    }
}

/// Whether items of an entity only say whose a value is, as those do that make an e-mail address unique: they move by design.
fn is_claim(entity: &Entity) -> bool {
    let points = |attribute: &crate::catalogue::Attribute| {
        let format = attribute.format.as_deref().unwrap_or_default();
        attribute.copy_of.is_some() || format.starts_with("ref(")
    };
    !entity.attributes.is_empty() && entity.attributes.iter().all(points)
}

fn moved(context: &Context<'_>, pattern: &Pattern, request: &Request) -> Option<String> {
    let of = |verb: Verb| {
        let actions = request.actions.iter().filter(move |action| action.verb == verb);
        actions.filter_map(|action| collections::one(context.catalogue, pattern, action))
    };
    let puts: Vec<&Entity> = of(Verb::Put).collect();
    of(Verb::Delete)
        .find(|gone| !is_claim(gone) && puts.iter().any(|put| put.name == gone.name))
        .map(|entity| entity.name.clone())
}

const INDEX_COST: Threshold =
    Threshold::new("mutable-gsi-key.cost", 0.2, "share of all cost; AWS's modelling skill");
const INDEX_RATE: Threshold = Threshold::new("mutable-gsi-key.rate", 1.0, "updates per second; chosen");

const MUTABLE_INDEX: Rule = Rule {
    id: "mutable-gsi-key",
    evidence: &[Evidence::Declared, Evidence::Run],
    thresholds: &[INDEX_COST, INDEX_RATE],
    summary: "An update moves an entry of an index: the old one is removed and a new one written, two writes in the index for one in the table.",
    not_a_fault_when: "a sparse index whose key is removed when the work is done (one write); it runs less than once a second",
    advice: "Keep what changes often (updatedAt) out of index keys unless it is sorted by, and use a marker that is only set and removed",
    teach: Example {
        before: "ByUpdated: {key: {hash: team, range: updatedAt}}   # every update moves the entry",
        after: "OpenByTeam: {key: {hash: openOf, range: createdAt}}   # openOf is removed when the ticket closes",
    },
    judge: Judge::Any(mutable_index),
    ..WRITE
};

fn mutable_index(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        if !matches!(plan.class, PlanClass::Write(_))
            || rate(pattern).is_some_and(|rate| rate < context.threshold(&INDEX_RATE))
        {
            continue;
        }
        for action in request.writes().filter(|action| action.update.is_some()) {
            let Some(table) = context.catalogue.table(&action.table) else { continue };
            let moving =
                table.indexes.iter().filter(|index| index.kind != IndexKind::Vector).find_map(|index| {
                    let set = action.update.iter().flat_map(hashrange_language::Update::changes);
                    let sets: Vec<_> = set
                        .filter(|(path, _)| index.keys.attributes().any(|key| key == path.top()))
                        .collect();
                    let removed = sets
                        .iter()
                        .any(|(_, kind)| matches!(kind, ChangeKind::Remove | ChangeKind::SetIfAbsent));
                    let key = sets.first().map(|(path, _)| path.top().to_owned())?;
                    (!removed && arm(plan, &index.name) != Some(1.0)).then_some((index.name.clone(), key))
                });
            let Some((index, key)) = moving else { continue };
            let share = context.cost_share(pattern).filter(|share| *share > context.threshold(&INDEX_COST));
            let (severity, cost) = match share {
                Some(share) => {
                    (Severity::Warn, format!(", and the pattern is {} % of all cost", number(share * 100.0)))
                }
                None => (Severity::Note, String::new()),
            };
            let text = format!("sets {key}, which moves its entry in {index}: two writes there{cost}");
            findings.push(MUTABLE_INDEX.found(severity, of(pattern), text));
        }
    }
}

/// The write units of a plan on an index.
fn arm(plan: &crate::PatternPlan, index: &str) -> Option<f64> {
    plan.arms.iter().find(|arm| arm.index.as_deref() == Some(index)).map(|arm| arm.write)
}
