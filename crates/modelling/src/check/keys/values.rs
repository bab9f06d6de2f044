//! What stands in keys: mistakes, personal data, the tenant.

use super::{BASE, KeyColumn, key_columns};
use crate::catalogue::{Attribute, Entity, Index, IndexKind, Pattern, Projection, Purpose, Table};
use crate::check::context::{number, of};
use crate::check::samples::{SAMPLES_MIN, key_text, split};
use crate::check::statistics::{KeyPart, attribute_of, declared_template, format_of};
use crate::check::{Context, Example, Judge, Kind, Rule, Threshold};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::{PatternPlan, PlanClass, float};
use crate::recognise::{Look, look};
use crate::template::{Part, Template};

pub(in crate::check) const RULES: &[Rule] = &[DELIMITER, TENANT, PII_KEY, PII_PROJECTION];

const DELIMITER: Rule = Rule {
    id: "delimiter-collision",
    severity: Severity::Error,
    evidence: &[Evidence::Samples],
    summary: "A part of a key is empty, is what a program prints for nothing (undefined, null, NaN), or contains the delimiter: two keys can \
              become one, and prefixes find what they should not.",
    not_a_fault_when: "identifiers are of an alphabet without the delimiter",
    advice: "Refuse such parts before the write, or escape the delimiter",
    teach: Example { before: "PK: \"USER#undefined\"", after: "PK: \"USER#01J9ZC3T8E3X0M5V0Q2B7H4KQF\"" },
    judge: Judge::Any(delimiters),
    ..BASE
};

const TENANT_SHARE: Threshold = Threshold::new(
    "tenant-key-missing.sample-share",
    0.9,
    "share of samples that have an attribute of a tenant's name; chosen",
);

const TENANT: Rule = Rule {
    id: "tenant-key-missing",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[TENANT_SHARE],
    summary: "A request reaches items by a key without the tenant: whoever sends another tenant's identifier reads its rows, and no \
              LeadingKeys policy can prevent it.",
    not_a_fault_when: "the items belong to no tenant (shared: true, reference: true); an administrator asks. A filter or a condition does not \
                       protect a read, and the partition key of a vector index is no boundary",
    advice: "Begin the partition key with the tenant that was verified at sign-in, and bind it with a dynamodb:LeadingKeys policy",
    teach: Example {
        before: "tenant: tenantId\nkey: {PK: \"ORDER#{orderId}\"}",
        after: "tenant: tenantId\nkey: {PK: \"TENANT#{tenantId}\", SK: \"ORDER#{orderId}\"}",
    },
    judge: Judge::Any(tenants),
    ..BASE
};

const PII_SHARE: Threshold =
    Threshold::new("pii-in-key.sample-share", 0.5, "share of the samples' values that look personal; chosen");

const PII_KEY: Rule = Rule {
    id: "pii-in-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    thresholds: &[PII_SHARE],
    summary: "Personal data in a key cannot be encrypted by the client or removed alone: keys show in Contributor Insights, in logs, traces and \
              stream records, and bounds of partitions stand in the table's metadata.",
    not_a_fault_when: "it is a keyed hash (64 hexadecimal digits, 43 of base64url) or a token",
    advice: "Put an HMAC of the value into the key, and the value itself into an attribute that no index projects",
    teach: Example { before: "GSI1PK: \"EMAIL#{email}\"", after: "GSI1PK: \"EMAIL#{emailHmac}\"" },
    judge: Judge::Any(pii_in_key),
    ..BASE
};

const PII_PROJECTION: Rule = Rule {
    id: "pii-in-projection",
    summary: "A global index copies personal or secret data that no pattern reads from it.",
    not_a_fault_when: "a pattern reads it there",
    advice: "Project a list of attributes without it",
    teach: Example {
        before: "ByStatus: {key: {hash: status}, projection: all}          # User has passwordHash",
        after: "ByStatus: {key: {hash: status}, projection: [userId, name]}",
    },
    judge: Judge::Any(pii_in_projection),
    ..BASE
};

fn delimiters(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds() {
        for key in key_columns(context, kind) {
            let fault = key.column.values.iter().find_map(|text| {
                let template = key.column.template.as_ref()?;
                collision(template, text)
            });
            findings.extend(fault.map(|fault| {
                let message = format!("{} of {}: {fault}", key.attribute, kind.name);
                DELIMITER.found(Severity::Error, key.subject(kind), message)
            }));
        }
    }
}

/// What is wrong with the parts of a key.
fn collision(template: &Template, text: &str) -> Option<String> {
    let parts = split(template, text)?;
    let names: Vec<&str> = template.gaps().collect();
    let delimiters: Vec<&str> = template.parts().iter().filter_map(delimiter).collect();
    parts.iter().zip(names).find_map(|(part, name)| match look(part) {
        Look::Empty => Some(format!("\"{text}\" has an empty {name}")),
        Look::Mistake => Some(format!("\"{text}\" has \"{part}\" for {name}")),
        _ => {
            let inside = delimiters.iter().find(|delimiter| part.contains(**delimiter))?;
            Some(format!("\"{text}\" has the delimiter {inside} inside {name}"))
        }
    })
}

/// The delimiter at the end of a literal: `#` of `ORDER#`.
fn delimiter(part: &Part) -> Option<&str> {
    match part {
        Part::Literal(text) => {
            let last = text
                .char_indices()
                .next_back()
                .filter(|(_, c)| !c.is_alphanumeric() && *c != '-' && *c != '_')?;
            text.get(last.0..)
        }
        Part::Gap { .. } => None,
    }
}

/// Names that a tenant's attribute has where none is declared.
const TENANT_NAMES: &[&str] =
    &["tenantid", "tenant", "orgid", "organizationid", "organisationid", "workspaceid", "companyid"];

fn tenants(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let declared = context.catalogue.tenant.clone();
    let Some(tenant) = declared.clone().or_else(|| sampled_tenant(context)) else { return };
    for (pattern, plan) in context.patterns() {
        if pattern.external.is_some() || pattern.purpose != Purpose::Request {
            continue;
        }
        if let Some(fault) = boundary(context, pattern, plan, &tenant) {
            let (severity, evidence) = match declared {
                Some(_) => (Severity::Error, Evidence::Declared),
                None => (Severity::Warn, Evidence::Samples),
            };
            findings.push(TENANT.found(severity, of(pattern), fault).rests_on(evidence));
        }
    }
}

/// The attribute with a tenant's name that most samples have, with at least two values.
fn sampled_tenant(context: &Context<'_>) -> Option<String> {
    let samples: Vec<_> = context.catalogue.tables.iter().flat_map(|table| &table.samples).collect();
    if samples.len() < SAMPLES_MIN {
        return None;
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', '-'], "");
    let names = samples.iter().flat_map(|item| item.names());
    let name = names.into_iter().find(|name| TENANT_NAMES.contains(&plain(name).as_str()))?.to_owned();
    let values: Vec<String> = samples.iter().filter_map(|item| item.get(&name)).map(key_text).collect();
    let several = values.iter().any(|value| *value != values[0]);
    let share = float(values.len()) / float(samples.len());
    (several && share >= context.threshold(&TENANT_SHARE)).then_some(name)
}

/// How a pattern reaches items without the tenant.
fn boundary(context: &Context<'_>, pattern: &Pattern, plan: &PatternPlan, tenant: &str) -> Option<String> {
    let kinds: Vec<&Kind<'_>> = context.touched(pattern).map(|(kind, _)| kind).collect();
    let free = |kind: &&&Kind<'_>| kind.entity.is_some_and(|entity| entity.shared || entity.reference);
    if !kinds.is_empty() && kinds.iter().filter(free).count() == kinds.len() {
        return None;
    }
    if plan.class == PlanClass::Vector {
        return Some("the partition key of a vector index is no boundary between tenants".to_owned());
    }
    let named = |(attribute, text): &(String, String)| names(pattern, attribute, text, tenant);
    // The parts of a transaction have a key each; the attributes of one key need the tenant once.
    let several = plan.hash.iter().skip(1).any(|(attribute, _)| *attribute == plan.hash[0].0);
    if plan.hash.is_empty() || plan.hash.iter().all(named) || (!several && plan.hash.iter().any(named)) {
        return None;
    }
    let keyed = |kind: &&Kind<'_>| {
        plan.hash.iter().any(|(attribute, _)| {
            let template = declared_template(kind.entity, attribute);
            template.is_some_and(|template| template.gaps().any(|gap| gap == tenant))
        })
    };
    if !kinds.is_empty() && kinds.iter().all(keyed) {
        return None;
    }
    let keys: Vec<String> =
        plan.hash.iter().map(|(attribute, text)| format!("{attribute} = {text}")).collect();
    Some(format!("the key {} does not contain {tenant}", keys.join(", ")))
}

/// Whether a part of a key is the tenant: by its name, or because its parameter is.
fn names(pattern: &Pattern, attribute: &str, text: &str, tenant: &str) -> bool {
    let Ok(template) = Template::parse(text) else { return false };
    let from = |gap: &str| match pattern.parameters.get(gap) {
        Some(crate::catalogue::Parameter::From { attribute, .. }) => attribute == tenant,
        _ => false,
    };
    attribute == tenant || template.gaps().any(|gap| gap == tenant || from(gap))
}

fn pii_in_key(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds() {
        for key in key_columns(context, kind) {
            let fault = key.column.parts.iter().find_map(|part| personal(context, kind, part));
            findings.extend(fault.map(|(severity, evidence, text)| {
                let message = format!("{} of {} holds {text}", key.attribute, kind.name);
                PII_KEY.found(severity, pii_subject(&key, kind), message).rests_on(evidence)
            }));
        }
    }
}

fn pii_subject(key: &KeyColumn, kind: &Kind<'_>) -> Subject {
    key.subject(kind)
}

/// Why a part of a key is personal.
fn personal(context: &Context<'_>, kind: &Kind<'_>, part: &KeyPart) -> Option<(Severity, Evidence, String)> {
    if part.pii {
        return Some((
            Severity::Error,
            Evidence::Declared,
            format!("{}, declared as personal data", part.name),
        ));
    }
    let like = |text: &&String| look(text).is_personal();
    let alike = part.values.iter().filter(like).count();
    if alike > 0 && float(alike) >= context.threshold(&PII_SHARE) * float(part.values.len()) {
        let name =
            part.values.iter().map(|text| look(text)).find(|look| look.is_personal()).map_or("", Look::name);
        let text = format!(
            "{} in {} of {} samples ({})",
            kind_of(name),
            number(float(alike)),
            number(float(part.values.len())),
            part.name
        );
        return Some((Severity::Warn, Evidence::Samples, text));
    }
    let attribute = kind.entity.and_then(|entity| attribute_of(context.catalogue, entity, &part.name, 0))?;
    let format = matches!(format_of(attribute).0, "email" | "phone");
    let text = || format!("{}, of the format {}", part.name, format_of(attribute).0);
    format.then(|| (Severity::Warn, Evidence::Declared, text()))
}

fn kind_of(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'I']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// Words in names of attributes that hold secrets.
const SECRET_NAMES: &[&str] =
    &["password", "passwd", "secret", "apikey", "accesstoken", "refreshtoken", "privatekey", "pinhash"];

fn is_secret(attribute: &Attribute) -> bool {
    let name = attribute.name.to_lowercase().replace(['_', '-'], "");
    attribute.pii || name == "token" || SECRET_NAMES.iter().any(|word| name.contains(word))
}

fn pii_in_projection(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        for index in table.indexes.iter().filter(|index| index.kind == IndexKind::Global) {
            let readers: Vec<&PatternPlan> = readers(context, table, index);
            if readers.is_empty() || readers.iter().any(|plan| plan.wanted.is_empty()) {
                continue;
            }
            let mut unread: Vec<String> = context
                .catalogue
                .entities_of(&table.name)
                .flat_map(|entity| unread(table, index, entity, &readers))
                .collect();
            unread.sort();
            unread.dedup();
            if !unread.is_empty() {
                let message = format!("it copies {}, which no pattern reads from it", unread.join(", "));
                let subject = Subject::Index(table.name.clone(), index.name.clone());
                findings.push(PII_PROJECTION.found(Severity::Warn, subject, message));
            }
        }
    }
}

fn readers<'c>(context: &'c Context<'_>, table: &Table, index: &Index) -> Vec<&'c PatternPlan> {
    let reads = |plan: &&PatternPlan| plan.table == table.name && plan.index.as_ref() == Some(&index.name);
    context.plans.iter().filter(reads).collect()
}

fn unread(table: &Table, index: &Index, entity: &Entity, readers: &[&PatternPlan]) -> Vec<String> {
    let keyed = |name: &str| table.keys.attributes().chain(index.keys.attributes()).any(|key| key == name);
    let projected = |name: &str| match &index.projection {
        Projection::All => true,
        Projection::KeysOnly => false,
        Projection::Include(list) => list.iter().any(|other| other == name),
    };
    let read = |name: &str| readers.iter().any(|plan| plan.wanted.iter().any(|wanted| wanted == name));
    if crate::plan::sizes::entry_share(index, entity) <= 0.0 {
        return Vec::new();
    }
    entity
        .attributes
        .iter()
        .filter(|attribute| is_secret(attribute) && projected(&attribute.name))
        .filter(|attribute| !keyed(&attribute.name) && !read(&attribute.name))
        .map(|attribute| format!("{}.{}", entity.name, attribute.name))
        .collect()
}
