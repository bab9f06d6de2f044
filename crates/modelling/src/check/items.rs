//! Items, their attributes, their expiry.

use std::collections::BTreeMap;

use hashrange_api::Operation;
use hashrange_item::{AttributeValue, Attributes, Kind as Type, size};
use hashrange_language::ChangeKind;

use super::context::{is_request, number, of, rate};
use super::rule::PLAIN;
use super::samples::key_text;
use super::statistics::format_of;
use super::{Context, Example, Group, Judge, Kind, Need, Rule, Said, Threshold};
use crate::catalogue::{Attribute, Entity, Pattern, Purpose, Table};
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::{PatternPlan, PlanClass, float};
use crate::recognise::{Look, look};

pub(super) const RULES: &[Rule] =
    &[TOO_LARGE, LARGE_ATTRIBUTE, UNBOUNDED_LIST, NUMBER_AS_STRING, TTL_TYPE, TTL_AS_TIMER, NO_EXPIRY];

const BASE: Rule = Rule { group: Group::Items, ..PLAIN };

const ITEM_MAX: Threshold =
    Threshold::new("item-too-large.error", 409_600.0, "bytes of an item; AWS's limit, 400 KB");
const ITEM_LARGE: Threshold =
    Threshold::new("item-too-large.warn", 102_400.0, "bytes of an item; AWS's MCP server, 100 KB");
const ITEM_P99: Threshold = Threshold::new(
    "item-too-large.p99",
    307_200.0,
    "bytes of an item at the 99th percentile, 300 KB; chosen",
);

const TOO_LARGE: Rule = Rule {
    id: "item-too-large",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[ITEM_MAX, ITEM_LARGE, ITEM_P99],
    summary: "An item may have 400 KB; a larger one is refused. Cost grows with each KB that is written and each 4 KB that are read.",
    not_a_fault_when: "the item is one document by design, and seldom written",
    advice: "Keep the large part in S3 and its address here, compress it to type B, or split the item by sort key",
    teach: Example {
        before: "Document: {bytes: 350000}",
        after: "Document: {bytes: 900}      # text in S3\nChapter: {key: {PK: \"DOC#{docId}\", SK: \"CHAPTER#{n:04}\"}, bytes: 12000}",
    },
    judge: Judge::Kind(too_large),
    ..BASE
};

const ATTRIBUTE_LARGE: Threshold =
    Threshold::new("large-attribute.bytes", 65_536.0, "bytes of an attribute, 64 KB; chosen");
const ATTRIBUTE_SHARE: Threshold =
    Threshold::new("large-attribute.share", 0.25, "share of an item of at least 16 KB; chosen");
const ATTRIBUTE_ITEM: Threshold =
    Threshold::new("large-attribute.item", 16_384.0, "bytes of an item from which on shares count; chosen");
const ATTRIBUTE_READ: Threshold =
    Threshold::new("large-attribute.read", 0.1, "share of reads that want the attribute; chosen");
const ATTRIBUTE_TEXT: Threshold =
    Threshold::new("large-attribute.text", 1_024.0, "bytes of an image or of JSON in one string; chosen");

const LARGE_ATTRIBUTE: Rule = Rule {
    id: "large-attribute",
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[ATTRIBUTE_LARGE, ATTRIBUTE_SHARE, ATTRIBUTE_ITEM, ATTRIBUTE_READ, ATTRIBUTE_TEXT],
    summary: "A large attribute is paid for by every read and write of the item, wanted or not: images, documents, JSON as text.",
    not_a_fault_when: "patterns name it in their projection: it is read whole every time",
    advice: "Put it into an item of its own beside this one, or into S3",
    teach: Example {
        before: "Product: {attributes: {productId: uuid, manual: {type: S, bytes: 80000}}}",
        after: "Product: {..}\nManual: {key: {PK: \"PRODUCT#{productId}\", SK: MANUAL}, bytes: 80000}",
    },
    judge: Judge::Any(large_attribute),
    ..BASE
};

const UNBOUNDED_LIST: Rule = Rule {
    id: "unbounded-list",
    summary: "A list or set grows with every run: each write pays for the whole item, which ends at 400 KB.",
    not_a_fault_when: "its length is bounded by a condition on size(), or the same update removes elements",
    advice: "Make each element an item of the collection",
    teach: Example {
        before: "update: \"SET comments = list_append(comments, :c)\"",
        after: "Comment: {key: {PK: \"POST#{postId}\", SK: \"COMMENT#{time}#{id}\"}}",
    },
    needs: &[Need::Requests],
    judge: Judge::Pattern(unbounded_list),
    ..BASE
};

const NUMERIC: Threshold =
    Threshold::new("number-as-string.share", 0.9, "share of samples that are numbers; chosen");

const NUMBER_AS_STRING: Rule = Rule {
    id: "number-as-string",
    severity: Severity::Note,
    evidence: &[Evidence::Samples],
    thresholds: &[NUMERIC],
    summary: "Numbers are kept as text and compared or added to: text compares by letters, and nothing can be added to it.",
    not_a_fault_when: "they are identifiers, telephone numbers, postal codes",
    advice: "Store them as type N",
    teach: Example {
        before: "total: \"100\"      # filter: total > \"99\" finds nothing",
        after: "total: 100",
    },
    judge: Judge::Any(number_as_string),
    ..BASE
};

const TTL_MILLIS: Threshold = Threshold::new(
    "ttl-type.milliseconds",
    1e11,
    "a time to live above this is in milliseconds, the year 5138; chosen",
);
const TTL_PAST: Threshold = Threshold::new(
    "ttl-type.past-years",
    5.0,
    "years past, from which on nothing is deleted; AWS developer guide",
);

const TTL_TYPE: Rule = Rule {
    id: "ttl-type",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[TTL_MILLIS, TTL_PAST],
    summary: "Items expire by a number of seconds since 1970 in the table's TTL attribute. Text, milliseconds, another name: nothing expires, \
              and nothing says so.",
    not_a_fault_when: "items that stay for ever do not have the attribute",
    advice: "Write the time as type N, in seconds since 1970, under the name that the table declares",
    teach: Example {
        before: "ttl: expiresAt      # expiresAt: 1767225600000",
        after: "ttl: expiresAt      # expiresAt: 1767225600",
    },
    needs: &[Need::Ttl],
    judge: Judge::Table(ttl_type),
    ..BASE
};

const TTL_AS_TIMER: Rule = Rule {
    id: "ttl-as-timer",
    summary: "Expired items stay for up to days, and are read until then: a session that has run out is still found.",
    not_a_fault_when: "reads filter what has expired; an export; a few late items do no harm",
    advice: "Filter with expiresAt > :now, or use a scheduler where the moment counts",
    teach: Example {
        before: "- {name: Open sessions, operation: Query, key: {PK: \"USER#{userId}\"}}",
        after: "- {name: Open sessions, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"expiresAt > :now\"}",
    },
    needs: &[Need::Requests, Need::Ttl],
    judge: Judge::Any(ttl_as_timer),
    ..BASE
};

const NO_EXPIRY: Rule = Rule {
    id: "no-expiry",
    severity: Severity::Note,
    summary: "Items of a passing kind are written, and nothing removes them: baskets, tokens, sessions, locks, logs.",
    not_a_fault_when: "the law wants them kept",
    advice: "Give them a time to live",
    teach: Example {
        before: "Session: {key: {PK: \"SESSION#{token}\"}}",
        after: "Shop: {ttl: expiresAt}\nSession: {key: {..}, attributes: {expiresAt: epoch}}",
    },
    needs: &[Need::Ttl],
    judge: Judge::Kind(no_expiry),
    ..BASE
};

fn too_large<'a>(context: &Context<'a>, kind: &Kind<'a>) -> Option<Said> {
    let largest = kind.items.iter().map(|item| float(size::item(item))).reduce(f64::max);
    let declared = kind.entity.and_then(|entity| context.bytes(entity));
    let p99 = kind.entity.and_then(|entity| entity.p99_bytes);
    let candidates = [
        largest.map(|bytes| (bytes, Evidence::Samples, "the largest sample")),
        p99.map(|bytes| (bytes, Evidence::Declared, "the 99th percentile")),
        declared.map(|bytes| (bytes, Evidence::Declared, "the mean")),
    ];
    let worst = candidates.into_iter().flatten().filter_map(|one| Some((too_large_by(context, one)?, one)));
    let (severity, (bytes, evidence, what)) = worst.max_by_key(|(severity, _)| *severity)?;
    let message =
        format!("{what} of {} has {} bytes of the 409,600 that are allowed", kind.name, number(bytes));
    Some(Said::new(severity, message).rests_on(evidence))
}

fn too_large_by(context: &Context<'_>, (bytes, _, what): (f64, Evidence, &str)) -> Option<Severity> {
    let warn = if what == "the 99th percentile" { &ITEM_P99 } else { &ITEM_LARGE };
    if bytes > context.threshold(&ITEM_MAX) {
        return Some(Severity::Error);
    }
    (bytes > context.threshold(warn) || (warn.name == ITEM_P99.name && bytes >= context.threshold(warn)))
        .then_some(Severity::Warn)
}

fn large_attribute(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds() {
        let mut names: BTreeMap<String, (f64, Evidence, String)> = BTreeMap::new();
        for (name, bytes, item, evidence, text) in attributes(context, kind) {
            if let Some(why) = large(context, kind, (&name, bytes, item), text) {
                names.entry(name).or_insert((bytes, evidence, why));
            }
        }
        for (name, (bytes, evidence, why)) in names {
            let message = format!("{name} of {} has {} bytes{why}", kind.name, number(bytes));
            findings.push(LARGE_ATTRIBUTE.found(Severity::Warn, kind.subject(), message).rests_on(evidence));
        }
    }
}

/// An attribute: name, bytes, bytes of the item, evidence, and the text where it is one.
type Sized<'a> = (String, f64, Option<f64>, Evidence, Option<&'a str>);

/// Attributes of samples and declarations that are large enough to speak of.
fn attributes<'a>(context: &Context<'_>, kind: &Kind<'a>) -> Vec<Sized<'a>> {
    let mut found = Vec::new();
    for item in &kind.items {
        let whole = float(size::item(item));
        for (name, value) in item.iter() {
            let text = match value {
                AttributeValue::S(text) => Some(text.as_str()),
                _ => None,
            };
            let bytes = float(size::attribute(name, value));
            if bytes > 512.0 {
                found.push((name.to_owned(), bytes, Some(whole), Evidence::Samples, text));
            }
        }
    }
    if let Some(entity) = kind.entity {
        let whole = context.bytes(entity);
        let sized = entity.attributes.iter().filter_map(|attribute| Some((attribute, attribute.bytes?)));
        found.extend(
            sized.map(|(attribute, bytes)| (attribute.name.clone(), bytes, whole, Evidence::Declared, None)),
        );
    }
    found
}

/// Why an attribute is too large for its place.
fn large(
    context: &Context<'_>,
    kind: &Kind<'_>,
    (name, bytes, item): (&str, f64, Option<f64>),
    text: Option<&str>,
) -> Option<String> {
    let form = text.filter(|text| float(text.len()) >= context.threshold(&ATTRIBUTE_TEXT)).and_then(form);
    if let Some(form) = form {
        return Some(format!(": it is {form} in one string"));
    }
    let wanted = wanted_share(context, kind, name);
    if bytes > context.threshold(&ATTRIBUTE_LARGE) && wanted.is_none_or(|share| share < 0.5) {
        return Some(String::new());
    }
    let share = bytes / item.filter(|item| *item >= context.threshold(&ATTRIBUTE_ITEM))?;
    let wanted = wanted.filter(|wanted| *wanted < context.threshold(&ATTRIBUTE_READ))?;
    (share > context.threshold(&ATTRIBUTE_SHARE)).then(|| {
        format!(
            ", {} % of its item, and {} % of reads want it",
            number(share * 100.0),
            number(wanted * 100.0)
        )
    })
}

fn form(text: &str) -> Option<&'static str> {
    let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if begins(&["data:image/", "iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"]) {
        return Some("an image");
    }
    let braces =
        (text.starts_with("{\"") && text.ends_with('}')) || (text.starts_with("[{\"") && text.ends_with(']'));
    braces.then_some("JSON")
}

/// The share of reads, by rate, that name the attribute; `None` where a reader names no attributes, so that nobody knows.
fn wanted_share(context: &Context<'_>, kind: &Kind<'_>, name: &str) -> Option<f64> {
    let (mut all, mut wanting) = (0.0, 0.0);
    for (pattern, plan) in readers(context, kind) {
        let rate = rate(pattern).unwrap_or(1.0);
        if plan.wanted.is_empty() {
            return None;
        }
        all += rate;
        wanting += if plan.wanted.iter().any(|wanted| wanted == name) { rate } else { 0.0 };
    }
    (all > 0.0).then(|| wanting / all)
}

/// The patterns that read items of a kind.
pub(super) fn readers<'c, 'a>(
    context: &'c Context<'a>,
    kind: &Kind<'a>,
) -> impl Iterator<Item = (&'a Pattern, &'c PatternPlan)> {
    of_kind(context, kind).filter(|(_, plan)| !matches!(plan.class, PlanClass::Write(_)))
}

/// The patterns that write items of a kind.
pub(super) fn writers<'c, 'a>(
    context: &'c Context<'a>,
    kind: &Kind<'a>,
) -> impl Iterator<Item = (&'a Pattern, &'c PatternPlan)> {
    of_kind(context, kind).filter(|(_, plan)| matches!(plan.class, PlanClass::Write(_)))
}

fn of_kind<'c, 'a>(
    context: &'c Context<'a>,
    kind: &Kind<'a>,
) -> impl Iterator<Item = (&'a Pattern, &'c PatternPlan)> {
    let kind = kind.clone();
    context.patterns().filter(move |(pattern, _)| context.touches(pattern, &kind))
}

fn unbounded_list(context: &Context<'_>, pattern: &Pattern, _: &PatternPlan) -> Option<Said> {
    let grown = context.request(pattern)?.writes().find_map(|action| {
        let update = action.update.as_ref()?;
        let (path, _) = update.changes().find(|(_, change)| *change == ChangeKind::Grow)?;
        let name = path.top().to_owned();
        let shrinks = update.changes().any(|(other, change)| {
            other.top() == name && matches!(change, ChangeKind::Remove | ChangeKind::Shrink)
        });
        Some(name).filter(|_| !shrinks)
    })?;
    let body = pattern.request.as_ref().and_then(|body| serde_json::to_string(body).ok());
    let bounded = body.is_some_and(|text| text.contains("size(") || text.contains("size ("));
    (!bounded).then(|| Said::warn(format!("every run adds to {grown}, and nothing bounds it")))
}

/// Words in names of attributes whose digits are no numbers.
const CODES: &[&str] = &[
    "id", "phone", "tel", "mobile", "isbn", "ean", "zip", "postal", "postcode", "code", "sku", "iban",
    "card", "account", "number", "version",
];

fn number_as_string(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds().iter().filter(|kind| kind.is_enough()) {
        let mut names: Vec<&str> = kind.items.iter().flat_map(|item| item.names()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names.into_iter().filter(|name| is_number_text(context, kind, name)) {
            if let Some(pattern) = compared(context, kind, name) {
                let message = format!(
                    "{name} of {} is numbers as text, and {pattern} compares it or adds to it",
                    kind.name
                );
                findings.push(NUMBER_AS_STRING.found(Severity::Note, kind.subject(), message));
            }
        }
    }
}

fn is_number_text(context: &Context<'_>, kind: &Kind<'_>, name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_key = |table: &Table| {
        let of_indexes = table.indexes.iter().flat_map(|index| index.keys.attributes());
        table.keys.attributes().chain(of_indexes).any(|key| key == name)
    };
    if is_key(kind.schema) || CODES.iter().any(|word| lower.ends_with(word)) {
        return false;
    }
    let values = kind.values(name);
    let numeric = values.iter().filter(|value| match value {
        AttributeValue::S(text) => matches!(look(text), Look::Digits(_) | Look::Number),
        _ => false,
    });
    values.len() >= super::samples::SAMPLES_MIN
        && float(numeric.count()) >= context.threshold(&NUMERIC) * float(values.len())
}

/// A pattern that compares an attribute or adds to it.
fn compared(context: &Context<'_>, kind: &Kind<'_>, name: &str) -> Option<String> {
    let filters = readers(context, kind).find(|(_, plan)| plan.filter.iter().any(|filter| filter == name));
    let adds = || {
        writers(context, kind).find(|(pattern, _)| {
            let request = context.request(pattern);
            request.is_some_and(|request| {
                request.writes().filter_map(|action| action.update.as_ref()).any(|update| {
                    update
                        .changes()
                        .any(|(path, change)| path.top() == name && change == ChangeKind::Increment)
                })
            })
        })
    };
    filters.or_else(adds).map(|(pattern, _)| pattern.id.clone())
}

fn ttl_type(context: &Context<'_>, table: &Table) -> Option<Said> {
    let ttl = table.ttl.as_ref()?;
    let sampled = sampled_ttl(context, table, ttl).map(|text| Said::error(text).rests_on(Evidence::Samples));
    let declared = || Some(Said::error(declared_ttl(context, table, ttl)?).rests_on(Evidence::Declared));
    sampled.or_else(declared)
}

/// What is wrong with the values of a TTL attribute in samples.
fn sampled_ttl(context: &Context<'_>, table: &Table, ttl: &str) -> Option<String> {
    let mut values = table.samples.iter().filter_map(|item| item.get(ttl));
    let wrong = values.find_map(|value| wrong_time(context, value));
    if let Some(fault) = wrong {
        return Some(format!("{ttl} {fault}"));
    }
    if table.samples.is_empty() || table.samples.iter().any(|item| item.contains(ttl)) {
        return None;
    }
    let near = table.samples.iter().flat_map(Attributes::names).find(|name| is_near(name, ttl));
    match near {
        Some(near) => Some(format!("no sample has {ttl}, but {near}: one of the two is misspelt")),
        None if table.samples.len() >= super::samples::SAMPLES_MIN => {
            Some(format!("none of {} samples has {ttl}", table.samples.len()))
        }
        None => None,
    }
}

fn wrong_time(context: &Context<'_>, value: &AttributeValue) -> Option<String> {
    let AttributeValue::N(number) = value else {
        return Some(format!("is of type {} (\"{}\"), not N", value.kind(), key_text(value)));
    };
    let text = number.to_string();
    let seconds: f64 = text.parse().ok()?;
    if seconds > context.threshold(&TTL_MILLIS) {
        return Some(format!("is {text}, which is milliseconds"));
    }
    let oldest = context.today_s()? - context.threshold(&TTL_PAST) * 365.25 * 86_400.0;
    (seconds < oldest).then(|| format!("is {text}, more than five years past: such items are never deleted"))
}

/// Whether a name differs from another by at most two letters, apart from case and underscores.
fn is_near(name: &str, other: &str) -> bool {
    name != other && other.len() >= 3 && strsim::levenshtein(name, other) <= 2
}

/// What is wrong with a TTL attribute by declaration.
fn declared_ttl(context: &Context<'_>, table: &Table, ttl: &str) -> Option<String> {
    let entities: Vec<&Entity> = context.catalogue.entities_of(&table.name).collect();
    let attributes = || entities.iter().flat_map(|entity| &entity.attributes);
    let own = attributes().find(|attribute| attribute.name == ttl);
    if let Some(attribute) = own {
        return misdeclared(attribute);
    }
    let complete = !entities.is_empty() && entities.iter().all(|entity| !entity.attributes.is_empty());
    let near = attributes().map(|attribute| attribute.name.as_str()).find(|name| is_near(name, ttl));
    match near {
        Some(near) => Some(format!("no entity has {ttl}, but {near}: one of the two is misspelt")),
        None if complete && table.samples.is_empty() => Some(format!("no entity has {ttl}")),
        None => None,
    }
}

fn misdeclared(attribute: &Attribute) -> Option<String> {
    let format = format_of(attribute).0;
    if format == "epoch-ms" {
        return Some(format!("{} is declared in milliseconds", attribute.name));
    }
    let textual = matches!(format, "iso-date" | "iso-time" | "text" | "word");
    let typed = attribute.kind.is_some_and(|kind| kind != Type::N);
    (textual || typed).then(|| {
        let what = attribute.kind.map_or_else(|| format.to_owned(), |kind| format!("type {kind}"));
        format!("{} is declared as {what}, not as a number of seconds", attribute.name)
    })
}

/// Kinds of item that pass, by words in their names.
const EPHEMERAL: &[&str] = &[
    "basket",
    "cart",
    "token",
    "cache",
    "otp",
    "lock",
    "session",
    "log",
    "hold",
    "nonce",
    "idempotency",
    "presence",
    "heartbeat",
];

fn is_ephemeral(name: &str) -> bool {
    let mut words: Vec<String> = vec![String::new()];
    for letter in name.chars() {
        if letter.is_uppercase() || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase().filter(|c| c.is_alphanumeric()));
        }
    }
    let whole = name.to_lowercase();
    words.iter().any(|word| EPHEMERAL.contains(&word.trim_end_matches('s')))
        || EPHEMERAL.contains(&whole.trim_end_matches('s'))
}

fn ttl_as_timer(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds().iter().filter(|kind| is_ephemeral(&kind.name)) {
        let Some(ttl) = &kind.schema.ttl else { continue };
        let expires = kind.entity.is_some_and(|entity| entity.attributes.iter().any(|a| a.name == *ttl))
            || kind.items.iter().any(|item| item.contains(ttl));
        for (pattern, plan) in readers(context, kind).filter(|_| expires) {
            // A get has no filter: whoever calls looks at the time.
            let lists = is_request(pattern)
                && !matches!(
                    plan.class,
                    PlanClass::Get | PlanClass::BatchGet | PlanClass::Unservable | PlanClass::External
                );
            let asks = plan.filter.iter().any(|name| name == ttl)
                || plan.sort.iter().any(|bound| bound.attribute == *ttl);
            // An export takes what is there.
            if lists && !asks && pattern.purpose != Purpose::Export {
                let message = format!("it reads {} and does not ask whether {ttl} is past", kind.name);
                findings.push(TTL_AS_TIMER.found(Severity::Warn, of(pattern), message));
            }
        }
    }
    for (pattern, _) in context.patterns() {
        let text =
            format!("{} {}", pattern.name, pattern.description.as_deref().unwrap_or_default()).to_lowercase();
        let expires = text.contains("expir") || text.contains("ttl");
        let exact = ["exactly", "immediately", "on time", "as soon as", "at the moment"]
            .iter()
            .any(|word| text.contains(word));
        if expires && exact {
            let message = "its text counts on the moment of expiry, which may be days late".to_owned();
            findings.push(TTL_AS_TIMER.found(Severity::Warn, of(pattern), message));
        }
    }
}

fn no_expiry<'a>(context: &Context<'a>, kind: &Kind<'a>) -> Option<Said> {
    let entity = kind.entity.filter(|_| is_ephemeral(&kind.name))?;
    let expires = entity.retention_days.is_some()
        || kind.schema.ttl.as_ref().is_some_and(|ttl| entity.attributes.iter().any(|a| a.name == *ttl));
    let writes: Vec<&Pattern> = writers(context, kind).map(|(pattern, _)| pattern).collect();
    if expires || writes.is_empty() || writes.iter().any(|pattern| deletes(context, pattern)) {
        return None;
    }
    Some(Said::note(format!("{} is written by {} and nothing removes it", entity.name, ids(&writes))))
}

/// Whether a pattern deletes items.
pub(super) fn deletes(context: &Context<'_>, pattern: &Pattern) -> bool {
    use crate::plan::request::Verb;
    let verb = || {
        let request = context.request(pattern);
        request.is_some_and(|request| request.actions.iter().any(|action| action.verb == Verb::Delete))
    };
    pattern.operation == Some(Operation::DeleteItem) || verb()
}

fn ids(patterns: &[&Pattern]) -> String {
    patterns.iter().map(|pattern| pattern.id.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
