//! Our own form: a YAML file, or the same in JSON.

pub mod comments;
pub mod entity;
pub mod lower;
pub mod pattern;
pub mod table;

use super::fields::{Fields, Shape};
use super::log::Log;
use super::node::Node;
use crate::catalogue::{Catalogue, Flow, FlowStep, Waiver};
use crate::finding::Severity;

/// The version of the form that this program reads.
pub const VERSION: &str = "1";

/// The fields of a file.
pub const FILE: Shape = Shape {
    name: "catalogue",
    keys: &[
        "hashrange",
        "name",
        "description",
        "tenant",
        "sources",
        "tables",
        "entities",
        "patterns",
        "flows",
        "waivers",
        "rules",
        "thresholds",
    ],
};

/// The fields of a flow.
pub const FLOW: Shape = Shape { name: "flow", keys: &["name", "steps", "stale_ok"] };

/// The fields of a step of a flow.
pub const STEP: Shape = Shape { name: "step", keys: &["pattern", "times", "for_each"] };

/// The fields of a waiver.
pub const WAIVER: Shape = Shape { name: "waiver", keys: &["rule", "on", "reason", "until"] };

/// The kinds of mapping with fixed fields, by their names in the schema.
pub const SHAPES: [(&str, &Shape); 24] = [
    ("catalogue", &FILE),
    ("flow", &FLOW),
    ("step", &STEP),
    ("waiver", &WAIVER),
    ("table", &table::TABLE),
    ("keys", &table::KEYS),
    ("index", &table::INDEX),
    ("capacity", &table::CAPACITY),
    ("scaling", &table::SCALING),
    ("policy", &table::POLICY),
    ("units", &table::UNITS),
    ("kinesis", &table::KINESIS),
    ("usage", &table::USAGE),
    ("entity", &entity::ENTITY),
    ("attribute", &entity::ATTRIBUTE),
    ("pattern", &pattern::PATTERN),
    ("need", &pattern::NEED),
    ("parameter", &pattern::PARAMETER),
    ("action", &pattern::ACTION),
    ("update", &pattern::UPDATE),
    ("expect", &pattern::EXPECT),
    ("budget", &pattern::BUDGET),
    ("rate", &pattern::RATE),
    ("declares", &pattern::DECLARES),
];

/// Everything of a file but its patterns.
pub fn read(root: &Node, log: &mut Log) -> Catalogue {
    let mut catalogue = Catalogue::default();
    let Some(fields) = Fields::open(root, &FILE, log) else { return catalogue };
    version(&fields, log);
    catalogue.name = fields.text("name", log).unwrap_or_default();
    catalogue.description = fields.text("description", log);
    catalogue.tenant = fields.text("tenant", log);
    for (name, node) in fields.map("tables", log) {
        catalogue.tables.extend(table::read(name, node, log));
    }
    for (name, node) in fields.map("entities", log) {
        catalogue.entities.extend(entity::read(name, node, log));
    }
    catalogue.flows = fields.list("flows", log).iter().filter_map(|node| flow(node, log)).collect();
    catalogue.waivers = fields.list("waivers", log).iter().filter_map(|node| waiver(node, log)).collect();
    for (rule, node) in fields.map("rules", log) {
        let severity = super::fields::choice(node, &SEVERITIES, log);
        let rule = super::fields::text(rule, log);
        catalogue.severities.extend(rule.zip(severity));
    }
    for (name, node) in fields.map("thresholds", log) {
        let value = super::fields::number(node, log);
        catalogue.thresholds.extend(super::fields::text(name, log).zip(value));
    }
    catalogue
}

const SEVERITIES: [(&str, Option<Severity>); 5] = [
    ("off", None),
    ("note", Some(Severity::Note)),
    ("warn", Some(Severity::Warn)),
    ("error", Some(Severity::Error)),
    // YAML 1.1 takes `off` for false, and editors that rewrite files may write that.
    ("false", None),
];

/// Reads the patterns of a file, with the tables and entities of all files; they take the place of what other files say of the
/// same patterns.
pub fn patterns(root: &Node, whole: &mut Catalogue, log: &mut Log) {
    let Some(Some(node)) = root.get("patterns").map(|node| (!node.is_null()).then_some(node)) else { return };
    if !matches!(node.data, super::node::Data::List(_)) {
        log.expected(node, "a list of patterns, each with an id");
        return;
    }
    let mut seen = std::collections::BTreeSet::new();
    for node in node.items() {
        let Some(pattern) = pattern::read(node, whole, log) else { continue };
        if seen.insert(pattern.id.clone()) {
            super::merge::pattern(whole, pattern);
        } else {
            log.error(node.mark, format!("pattern {} is here twice", pattern.id));
        }
    }
}

fn version(fields: &Fields<'_>, log: &mut Log) {
    match fields.get("hashrange") {
        Some(node) if node.as_str() == Some(VERSION) => {}
        Some(node) => log.expected(node, &format!("\"hashrange: {VERSION}\", the version of the form")),
        None => {
            log.error(fields.mark(), format!("\"hashrange: {VERSION}\" is missing, the version of the form"));
        }
    }
}

fn flow(node: &Node, log: &mut Log) -> Option<Flow> {
    let fields = Fields::open(node, &FLOW, log)?;
    let name = required(&fields, "name", &FLOW, log)?;
    let steps = fields.list("steps", log).iter().filter_map(|node| step(node, log)).collect();
    Some(Flow { name, steps, stale_ok: fields.flag("stale_ok", log).unwrap_or(false) })
}

/// A step: a pattern's id, or a map with it.
fn step(node: &Node, log: &mut Log) -> Option<FlowStep> {
    if let Some(pattern) = node.as_str() {
        return Some(FlowStep { pattern: pattern.to_owned(), times: 1.0, for_each_previous: false });
    }
    let fields = Fields::open(node, &STEP, log)?;
    Some(FlowStep {
        pattern: required(&fields, "pattern", &STEP, log)?,
        times: fields.number("times", log).unwrap_or(1.0),
        for_each_previous: fields.flag("for_each", log).unwrap_or(false),
    })
}

fn waiver(node: &Node, log: &mut Log) -> Option<Waiver> {
    let fields = Fields::open(node, &WAIVER, log)?;
    let until = required(&fields, "until", &WAIVER, log)?;
    if !is_date(&until) {
        log.error(
            node.mark,
            format!("\"until: {}\" is no date such as 2027-03-31", super::node::shortened(&until)),
        );
    }
    Some(Waiver {
        rule: required(&fields, "rule", &WAIVER, log)?,
        on: fields.text("on", log),
        reason: required(&fields, "reason", &WAIVER, log)?,
        until,
    })
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let within = |part: &str, length: usize, most: u32| {
        part.len() == length && part.parse::<u32>().is_ok_and(|part| (1..=most).contains(&part))
    };
    within(year, 4, 9999) && within(month, 2, 12) && within(day, 2, 31)
}

/// A text that must be there.
pub(super) fn required(fields: &Fields<'_>, key: &str, shape: &Shape, log: &mut Log) -> Option<String> {
    if fields.get(key).is_none() {
        log.error(fields.mark(), format!("{} needs \"{key}\"", shape.with_article()));
    }
    fields.text(key, log)
}
