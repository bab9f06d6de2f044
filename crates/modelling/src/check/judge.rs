//! Runs the rules, then lets the model's own severities and waivers speak.

use std::collections::BTreeSet;

use super::{Context, Example, Group, Judge, Need, Observed, Rule, nearest, rule, rules};
use crate::catalogue::{Catalogue, Waiver};
use crate::finding::{Evidence, Finding, Severity, Subject};

/// Judges a model by its declarations and samples. `today` is a date such as `2026-11-30`, by which waivers expire.
///
/// Findings come gravest first, then by rule and subject: the same model gives the same list.
pub fn check(catalogue: &Catalogue, today: &str) -> Vec<Finding> {
    check_observed(catalogue, &[], today)
}

/// As [`check`], with what runs or recordings observed of some patterns; rules that can rest on both prefer what was observed.
pub fn check_observed(catalogue: &Catalogue, observed: &[Observed], today: &str) -> Vec<Finding> {
    let context = Context::new(catalogue, observed, today);
    let mut findings = Vec::new();
    let mut silent = Vec::new();
    for rule in rules() {
        match rule.needs.iter().find(|need| !is_stated(catalogue, **need)) {
            Some(need) => silent.push((*need, rule.id)),
            None => rule.run(&context, &mut findings),
        }
    }
    let mut findings = root_causes(findings);
    findings.extend(not_stated(&silent));
    graded(catalogue, &mut findings);
    waive(catalogue, today, &mut findings);
    findings.sort_by(|a, b| {
        let key =
            |finding: &Finding| (std::cmp::Reverse(finding.severity), finding.rule, finding.subject.clone());
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup();
    findings
}

fn is_stated(catalogue: &Catalogue, need: Need) -> bool {
    let states = catalogue.states;
    match need {
        // Files are merged: a format that states no requests may lie beside one that does.
        Need::Requests => {
            states.requests || catalogue.patterns.iter().any(|pattern| pattern.request.is_some())
        }
        Need::LocalIndexes => states.local_indexes,
        Need::Ttl => states.ttl || catalogue.tables.iter().any(|table| table.ttl.is_some()),
        Need::Settings => states.settings,
        Need::Rates => states.rates,
        Need::Declarations => states.declarations,
    }
}

/// One note for each thing that the files cannot state.
fn not_stated(silent: &[(Need, &'static str)]) -> Vec<Finding> {
    let needs: BTreeSet<Need> = silent.iter().map(|(need, _)| *need).collect();
    let note = |need: Need| {
        let names: Vec<&str> = silent.iter().filter(|(other, _)| *other == need).map(|(_, id)| *id).collect();
        let message =
            format!("not stated in this format: {}; silent for it: {}", need.name(), names.join(", "));
        NOT_STATED.found(Severity::Note, Subject::Model, message)
    };
    needs.into_iter().map(note).collect()
}

/// Drops findings that another finding on the same subject explains.
fn root_causes(findings: Vec<Finding>) -> Vec<Finding> {
    let covered: BTreeSet<(&'static str, Subject)> = findings
        .iter()
        .filter_map(|finding| Some((rule(finding.rule)?, &finding.subject)))
        .flat_map(|(rule, subject)| rule.covers.iter().map(|covered| (*covered, subject.clone())))
        .collect();
    findings
        .into_iter()
        .filter(|finding| !covered.contains(&(finding.rule, finding.subject.clone())))
        .collect()
}

/// Sets the severities that the model gives, and drops what it turns off.
fn graded(catalogue: &Catalogue, findings: &mut Vec<Finding>) {
    findings.retain(|finding| !matches!(catalogue.severities.get(finding.rule), Some(None)));
    for finding in findings.iter_mut() {
        if let Some(Some(severity)) = catalogue.severities.get(finding.rule) {
            finding.severity = *severity;
        }
    }
    let unknown = catalogue.severities.keys().chain(catalogue.thresholds.keys());
    for name in unknown {
        findings.extend(unknown_name(name));
    }
}

/// A finding about a rule or a threshold that does not exist.
fn unknown_name(name: &str) -> Option<Finding> {
    let thresholds = || rules().flat_map(|rule| rule.thresholds).map(|threshold| threshold.name);
    if rule(name).is_some() || is_of_runs(name) || thresholds().any(|known| known == name) {
        return None;
    }
    let message = if name.contains('.') {
        let near = thresholds().map(|known| (strsim::jaro_winkler(known, name), known));
        let near = near.max_by(|a, b| a.0.total_cmp(&b.0)).map_or("", |(_, known)| known);
        format!("there is no threshold {name}; the nearest is {near}")
    } else {
        no_rule(name)
    };
    Some(UNKNOWN.found(Severity::Warn, Subject::Model, message))
}

/// Rules of [`run`](mod@crate::run) speak only where patterns are run.
fn is_of_runs(name: &str) -> bool {
    crate::run::RULES.iter().any(|rule| rule.id == name)
}

fn no_rule(name: &str) -> String {
    match nearest(name) {
        Some(near) => format!("there is no rule {name}; the nearest is {near}"),
        None => format!("there is no rule {name}"),
    }
}

/// Marks what a waiver allows; a waiver that has expired allows nothing, and says so.
fn waive(catalogue: &Catalogue, today: &str, findings: &mut Vec<Finding>) {
    let mut faults = Vec::new();
    for waiver in &catalogue.waivers {
        if rule(&waiver.rule).is_none() && is_of_runs(&waiver.rule) {
            continue;
        }
        if rule(&waiver.rule).is_none() {
            let message = format!("a waiver names what does not exist: {}", no_rule(&waiver.rule));
            faults.push(UNKNOWN.found(Severity::Warn, Subject::Model, message));
            continue;
        }
        if !is_date(&waiver.until) {
            let message =
                format!("the waiver of {} ends on \"{}\", which is no date", waiver.rule, waiver.until);
            faults.push(UNKNOWN.found(Severity::Warn, Subject::Model, message));
            continue;
        }
        let mut used = false;
        for finding in findings.iter_mut().filter(|finding| allows(waiver, finding)) {
            used = true;
            if waiver.until.as_str() >= today {
                finding.waived = Some(waiver.reason.clone());
                finding.severity = Severity::Note;
            } else if finding.waived.is_none() {
                let note = format!("; its waiver ({}) expired on {}", waiver.reason, waiver.until);
                finding.message.push_str(&note);
            }
        }
        faults.extend((!used).then(|| unused(waiver)));
    }
    findings.extend(faults);
}

fn unused(waiver: &Waiver) -> Finding {
    let place = waiver.on.as_ref().map_or_else(String::new, |on| format!(" on {on}"));
    let message = format!("the waiver of {}{place} allows nothing that is found; remove it", waiver.rule);
    UNUSED.found(Severity::Note, Subject::Model, message)
}

fn allows(waiver: &Waiver, finding: &Finding) -> bool {
    if waiver.rule != finding.rule {
        return false;
    }
    let Some(on) = &waiver.on else { return true };
    match &finding.subject {
        Subject::Model => on == "model",
        // A waiver for a table is one for its indexes too.
        Subject::Index(table, index) => *on == format!("{table}.{index}") || on == table || on == index,
        Subject::Table(name) | Subject::Entity(name) | Subject::Pattern(name) | Subject::Flow(name) => {
            on == name
        }
    }
}

/// `2027-03-31`, and not the thirteenth month.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |text: &str, digits: usize, range: std::ops::RangeInclusive<u32>| {
        text.len() == digits && text.parse().is_ok_and(|value| range.contains(&value))
    };
    number(year, 4, 1..=9999) && number(month, 2, 1..=12) && number(day, 2, 1..=31)
}

const NOTHING: fn(&Context<'_>, &mut Vec<Finding>) = |_, _| {};

const NOT_STATED: Rule = Rule {
    id: "not-stated",
    group: Group::Model,
    severity: Severity::Note,
    evidence: &[Evidence::Declared],
    thresholds: &[],
    summary: "The files are of a format that cannot state something which rules look at; these rules are silent, which is no praise.",
    not_a_fault_when: "",
    advice: "State it in a catalogue of Hashrange's own form beside these files",
    teach: Example {
        before: "hashrange model check dynamodb_data_model.json",
        after: "hashrange model check dynamodb_data_model.json overlay.yaml",
    },
    covers: &[],
    needs: &[],
    judge: Judge::Any(NOTHING),
};

const UNKNOWN: Rule = Rule {
    id: "unknown-rule",
    group: Group::Model,
    severity: Severity::Warn,
    evidence: &[Evidence::Declared],
    thresholds: &[],
    summary: "A waiver, a severity or a threshold names a rule that does not exist, or a day that is none: it has no effect.",
    not_a_fault_when: "",
    advice: "Write a name that `hashrange model rules` prints, and a day such as 2027-03-31",
    teach: Example { before: "rules: {index-unusd: off}", after: "rules: {index-unused: off}" },
    covers: &[],
    needs: &[],
    judge: Judge::Any(NOTHING),
};

const UNUSED: Rule = Rule {
    id: "waiver-unused",
    group: Group::Model,
    severity: Severity::Note,
    evidence: &[Evidence::Declared],
    thresholds: &[],
    summary: "A waiver allows something that is not found any more; it would hide the fault if it came back.",
    not_a_fault_when: "",
    advice: "Remove the waiver",
    teach: Example {
        before: "waivers:\n  - {rule: index-unused, on: Shop.Old, reason: leaves in May, until: 2027-06-30}   # Shop.Old is gone",
        after: "waivers: []",
    },
    covers: &[],
    needs: &[],
    judge: Judge::Any(NOTHING),
};

pub(super) const RULES: &[Rule] = &[NOT_STATED, UNKNOWN, UNUSED];
