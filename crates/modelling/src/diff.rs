//! What changed between two states of a model, and what each change asks of the data that exists.

mod print;
mod tables;

use std::fmt;

use crate::catalogue::{Attribute, Catalogue, Entity, Pattern};
use crate::cost::{CostReport, Planner, Prices, Rate, cost_with};
use crate::finding::Subject;
use crate::plan::{PatternPlan, sizes};
use crate::template::Template;

/// What a change asks of a table that has items. The order is from light to grave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Nothing: only what is said changes.
    Free,
    /// A setting changes while the table serves.
    Update,
    /// Something is deleted, and cannot be brought back.
    Drop,
    /// An index is filled from the table, in the background.
    Backfill,
    /// Items must be written anew.
    Rewrite,
    /// A table must be made, and the items copied to it.
    NewTable,
}

impl Effect {
    /// `free`, `update`, `drop`, `backfill`, `rewrite`, `new-table`.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Free => "free",
            Effect::Update => "update",
            Effect::Drop => "drop",
            Effect::Backfill => "backfill",
            Effect::Rewrite => "rewrite",
            Effect::NewTable => "new-table",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What changed.
    pub subject: Subject,
    /// Which part of it: `partition key`, `projection`, `budget.rcu`.
    pub part: String,
    /// What it was; empty where it is new.
    pub before: String,
    /// What it is; empty where it is gone.
    pub after: String,
    /// What it asks of the data.
    pub effect: Effect,
    /// What to do, where something is to do.
    pub advice: String,
}

/// How a pattern's plan and units changed.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanChange {
    /// The pattern's id.
    pub pattern: String,
    /// Its plan class, before and after; empty where it did not or does not exist.
    pub class: [String; 2],
    /// Read units of one run.
    pub read: [f64; 2],
    /// Write units of one run.
    pub write: [f64; 2],
}

/// Two states of a model compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Diff {
    /// The names of both.
    pub names: [String; 2],
    /// What changed, the gravest first.
    pub changes: Vec<Difference>,
    /// Plans that changed, in the order of the patterns.
    pub plans: Vec<PlanChange>,
    /// What both cost.
    pub costs: [CostReport; 2],
}

impl Diff {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.plans.is_empty()
    }

    /// The gravest effect.
    pub fn gravest(&self) -> Effect {
        self.changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Free)
    }
}

/// Compares two states of a model at the built-in prices.
pub fn diff(before: &Catalogue, after: &Catalogue) -> Diff {
    diff_with([before, after], &Prices::built_in(), &crate::plan::plans)
}

/// Compares two states of a model.
pub fn diff_with(states: [&Catalogue; 2], prices: &Prices, planner: Planner<'_>) -> Diff {
    let [before, after] = states;
    let mut changes = Changes { before, prices, list: Vec::new() };
    changes.of_model(after);
    tables::compare(&mut changes, before, after);
    changes.of_entities(after);
    changes.of_patterns(after);
    let mut list = changes.list;
    list.sort_by_key(|change| std::cmp::Reverse(change.effect));
    Diff {
        names: states.map(|state| state.name.clone()),
        changes: list,
        plans: plan_changes(&planner(before), &planner(after)),
        costs: states.map(|state| cost_with(state, prices, planner)),
    }
}

/// The changes that were found, with what tells how much work they are.
struct Changes<'a> {
    before: &'a Catalogue,
    prices: &'a Prices,
    list: Vec<Difference>,
}

/// A part of something, with what reads it.
type Field<T, V> = (&'static str, fn(&T) -> V);

/// What to do about a change.
struct Ask {
    effect: Effect,
    advice: String,
}

impl Ask {
    const FREE: Ask = Ask { effect: Effect::Free, advice: String::new() };

    fn update(advice: &str) -> Ask {
        Ask { effect: Effect::Update, advice: advice.to_owned() }
    }
}

impl Changes<'_> {
    fn push(&mut self, subject: &Subject, part: &str, before: String, after: String, ask: Ask) {
        let (subject, part) = (subject.clone(), part.to_owned());
        self.list.push(Difference { subject, part, before, after, effect: ask.effect, advice: ask.advice });
    }

    /// A change where both texts differ.
    fn text(&mut self, subject: &Subject, part: &str, texts: [String; 2], ask: impl FnOnce() -> Ask) {
        let [before, after] = texts;
        if before != after {
            self.push(subject, part, before, after, ask());
        }
    }

    fn number(&mut self, subject: &Subject, part: &str, numbers: [Option<f64>; 2]) {
        self.text(subject, part, numbers.map(number), || Ask::FREE);
    }

    /// How many writes a change of so many items is, and what they cost by request.
    fn effort(&self, what: &str, items: Option<f64>, bytes: Option<f64>, writes: f64) -> String {
        let (Some(items), Some(bytes)) = (items, bytes) else { return String::new() };
        let units = items * writes * (bytes / 1024.0).ceil().max(1.0);
        let dollars = units * self.prices.of(Rate::OnDemandWrite);
        format!(
            ": {} {what}, {} M WRU, ${}",
            crate::cost::print::figure(items, 0),
            crate::cost::print::figure(units / 1e6, 2),
            crate::cost::print::money(dollars)
        )
    }

    fn of_model(&mut self, after: &Catalogue) {
        let before = self.before;
        self.text(
            &Subject::Model,
            "tenant",
            [&before.tenant, &after.tenant].map(|name| name.clone().unwrap_or_default()),
            || Ask::FREE,
        );
        let flows = |state: &Catalogue| -> Vec<(String, String)> {
            let steps = |flow: &crate::catalogue::Flow| {
                let steps: Vec<&str> = flow.steps.iter().map(|step| step.pattern.as_str()).collect();
                steps.join(" ")
            };
            state.flows.iter().map(|flow| (flow.name.clone(), steps(flow))).collect()
        };
        for (name, before, after) in paired(&flows(before), &flows(after)) {
            let texts = [before, after].map(Option::unwrap_or_default);
            self.text(&Subject::Flow(name), "steps", texts, || Ask::FREE);
        }
        let waivers = |state: &Catalogue| -> Vec<(String, String)> {
            let name = |waiver: &crate::catalogue::Waiver| {
                format!("waiver of {} on {}", waiver.rule, waiver.on.as_deref().unwrap_or("everything"))
            };
            let text =
                |waiver: &crate::catalogue::Waiver| format!("until {}: {}", waiver.until, waiver.reason);
            state.waivers.iter().map(|waiver| (name(waiver), text(waiver))).collect()
        };
        for (name, before, after) in paired(&waivers(before), &waivers(after)) {
            let texts = [before, after].map(Option::unwrap_or_default);
            self.text(&Subject::Model, &name, texts, || Ask::FREE);
        }
    }

    fn of_entities(&mut self, after: &Catalogue) {
        let before = self.before;
        for name in
            names(before.entities.iter().map(|one| &one.name), after.entities.iter().map(|one| &one.name))
        {
            let subject = Subject::Entity(name.clone());
            match (before.entity(&name), after.entity(&name)) {
                (Some(old), Some(new)) => self.entity(&subject, old, new),
                (None, Some(_)) => self.push(&subject, "", String::new(), "added".to_owned(), Ask::FREE),
                _ => {
                    let advice = "its items stay in the table until something deletes them".to_owned();
                    self.push(
                        &subject,
                        "",
                        "removed".to_owned(),
                        String::new(),
                        Ask { effect: Effect::Free, advice },
                    );
                }
            }
        }
    }

    fn entity(&mut self, subject: &Subject, old: &Entity, new: &Entity) {
        let (items, bytes) = (sizes::entity_count(self.before, old), sizes::entity_bytes(self.before, old));
        let rewrite = |changes: &Self, what: &str, writes: f64| Ask {
            effect: Effect::Rewrite,
            advice: format!("{what}{}", changes.effort("items", items, bytes, writes)),
        };
        if old.table != new.table {
            let ask = rewrite(self, "copy the items, then delete them", 2.0);
            self.push(subject, "table", old.table.clone(), new.table.clone(), ask);
        }
        let base: Vec<&str> =
            self.before.table(&old.table).map(|table| table.keys.attributes().collect()).unwrap_or_default();
        let keys = |entity: &Entity| -> Vec<(String, String)> {
            entity.keys.iter().map(|(name, template)| (name.clone(), Template::to_string(template))).collect()
        };
        for (name, before, after) in paired(&keys(old), &keys(new)) {
            let ask = match (base.contains(&name.as_str()), &after) {
                (true, _) => rewrite(self, "write each item under its new key and delete the old one", 2.0),
                (false, Some(_)) => rewrite(self, "update each item; the index follows", 1.0),
                (false, None) => rewrite(
                    self,
                    "remove the attribute from each item; it stays in the index until then",
                    1.0,
                ),
            };
            let texts = [before, after].map(Option::unwrap_or_default);
            self.text(subject, &format!("key {name}"), texts, || ask);
        }
        self.attributes(subject, old, new, &rewrite(self, "write each item anew", 1.0).advice);
        self.numbers_of_entity(subject, old, new);
    }

    fn attributes(&mut self, subject: &Subject, old: &Entity, new: &Entity, effort: &str) {
        let of = |entity: &Entity| -> Vec<(String, String)> {
            entity.attributes.iter().map(|attribute| (attribute.name.clone(), describe(attribute))).collect()
        };
        for (name, before, after) in paired(&of(old), &of(new)) {
            let kind = |entity: &Entity| {
                entity.attributes.iter().find(|one| one.name == name).and_then(|one| one.kind)
            };
            let retyped = matches!((kind(old), kind(new)), (Some(old), Some(new)) if old != new);
            let ask = match (&before, &after) {
                (None, _) => Ask { effect: Effect::Free, advice: "old items do not have it".to_owned() },
                (_, None) => Ask {
                    effect: Effect::Free,
                    advice: "old items keep it until they are written".to_owned(),
                },
                _ if retyped => Ask { effect: Effect::Rewrite, advice: effort.to_owned() },
                _ => Ask::FREE,
            };
            self.text(
                subject,
                &format!("attribute {name}"),
                [before, after].map(Option::unwrap_or_default),
                || ask,
            );
        }
    }

    fn numbers_of_entity(&mut self, subject: &Subject, old: &Entity, new: &Entity) {
        let fields: [Field<Entity, Option<f64>>; 6] = [
            ("count", |entity| entity.count),
            ("bytes", |entity| entity.bytes),
            ("p99_bytes", |entity| entity.p99_bytes),
            ("per_collection", |entity| entity.per_collection),
            ("max_per_collection", |entity| entity.max_per_collection),
            ("retention_days", |entity| entity.retention_days),
        ];
        for (part, of) in fields {
            self.number(subject, part, [of(old), of(new)]);
        }
    }

    fn of_patterns(&mut self, after: &Catalogue) {
        let before = self.before;
        for id in names(before.patterns.iter().map(|one| &one.id), after.patterns.iter().map(|one| &one.id)) {
            let subject = Subject::Pattern(id.clone());
            match (before.pattern(&id), after.pattern(&id)) {
                (Some(old), Some(new)) => self.pattern(&subject, old, new),
                (None, Some(new)) => {
                    self.push(&subject, "", String::new(), format!("added: {}", new.name), Ask::FREE);
                }
                (Some(old), None) => {
                    self.push(&subject, "", format!("removed: {}", old.name), String::new(), Ask::FREE);
                }
                (None, None) => {}
            }
        }
    }

    fn pattern(&mut self, subject: &Subject, old: &Pattern, new: &Pattern) {
        let texts: [Field<Pattern, String>; 7] = [
            ("name", |pattern| pattern.name.clone()),
            ("operation", |pattern| {
                pattern.operation.map(|operation| operation.name().to_owned()).unwrap_or_default()
            }),
            ("table", |pattern| pattern.table.clone().unwrap_or_default()),
            ("index", |pattern| pattern.index.clone().unwrap_or_default()),
            ("consistent", |pattern| pattern.strong.map(|strong| strong.to_string()).unwrap_or_default()),
            ("external", |pattern| pattern.external.clone().unwrap_or_default()),
            ("skew", |pattern| pattern.skew.clone().unwrap_or_default()),
        ];
        for (part, of) in texts {
            self.text(subject, part, [of(old), of(new)], || Ask::FREE);
        }
        let empty = serde_json::Map::new();
        let [first, second] = [old, new].map(|pattern| pattern.request.as_ref().unwrap_or(&empty));
        for field in names(first.keys(), second.keys()) {
            let text = |request: &serde_json::Map<String, serde_json::Value>| {
                request.get(&field).map(ToString::to_string).unwrap_or_default()
            };
            self.text(subject, &format!("request {field}"), [text(first), text(second)], || Ask::FREE);
        }
        if old.expect != new.expect {
            self.push(subject, "expect", "as it was".to_owned(), "changed".to_owned(), Ask::FREE);
        }
        let numbers: [Field<Pattern, Option<f64>>; 10] = [
            ("rate.avg", |pattern| pattern.avg_rps),
            ("rate.peak", |pattern| pattern.peak_rps),
            ("budget.rcu", |pattern| pattern.budget.rcu),
            ("budget.wcu", |pattern| pattern.budget.wcu),
            ("items", |pattern| pattern.items),
            ("p99_items", |pattern| pattern.p99_items),
            ("item_bytes", |pattern| pattern.item_bytes),
            ("fail_rate", |pattern| pattern.conditional_fail_rate),
            ("create_share", |pattern| pattern.create_share),
            ("retention_days", |pattern| pattern.retention_days),
        ];
        for (part, of) in numbers {
            self.number(subject, part, [of(old), of(new)]);
        }
    }
}

fn number(value: Option<f64>) -> String {
    value.map(|value| crate::cost::print::figure(value, 6)).unwrap_or_default()
}

fn describe(attribute: &Attribute) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(attribute.kind.map(|kind| kind.name().to_owned()));
    parts.extend(attribute.format.clone());
    if !attribute.values.is_empty() {
        parts.push(attribute.values.join("|"));
    }
    parts.extend(attribute.bytes.map(|bytes| format!("{bytes} bytes")));
    parts.extend(attribute.share.map(|share| format!("on {}", crate::cost::print::percent(share))));
    parts.extend(attribute.pii.then(|| "personal".to_owned()));
    parts.extend(attribute.immutable.then(|| "immutable".to_owned()));
    parts.extend(attribute.copy_of.as_ref().map(|(entity, name)| format!("copy of {entity}.{name}")));
    if parts.is_empty() { "any".to_owned() } else { parts.join(", ") }
}

use crate::cost::print::names;

/// Members of two lists by name: those of the first in its order, then new ones.
fn paired(
    before: &[(String, String)],
    after: &[(String, String)],
) -> Vec<(String, Option<String>, Option<String>)> {
    let find = |list: &[(String, String)], name: &str| {
        list.iter().find(|(other, _)| other == name).map(|(_, text)| text.clone())
    };
    names(before.iter().map(|one| &one.0), after.iter().map(|one| &one.0))
        .into_iter()
        .map(|name| {
            let both = (find(before, &name), find(after, &name));
            (name, both.0, both.1)
        })
        .collect()
}

fn plan_changes(before: &[PatternPlan], after: &[PatternPlan]) -> Vec<PlanChange> {
    let ids = names(before.iter().map(|plan| &plan.pattern), after.iter().map(|plan| &plan.pattern));
    ids.into_iter()
        .filter_map(|pattern| {
            let both = [before, after].map(|plans| plans.iter().find(|plan| plan.pattern == pattern));
            let change = PlanChange {
                class: both.map(|plan| plan.map(|plan| plan.class.to_string()).unwrap_or_default()),
                read: both.map(|plan| plan.map_or(0.0, PatternPlan::read_units)),
                write: both.map(|plan| plan.map_or(0.0, PatternPlan::write_units)),
                pattern,
            };
            let differs = |units: [f64; 2]| (units[0] - units[1]).abs() > 1e-9;
            let changed = change.class[0] != change.class[1] || differs(change.read) || differs(change.write);
            (changed && both.iter().all(Option::is_some)).then_some(change)
        })
        .collect()
}

#[cfg(test)]
mod tests;
