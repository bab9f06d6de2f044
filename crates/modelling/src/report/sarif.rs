//! SARIF 2.1.0 (OASIS), which code hosts show beside the lines of a change.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Found;
use super::json::pretty;
use crate::check;
use crate::finding::{Finding, Severity};
use crate::run::RULES;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn findings(found: &Found<'_>) -> String {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in found.findings {
        rules.insert(finding.rule, 0);
    }
    for (at, index) in rules.values_mut().enumerate() {
        *index = at;
    }
    let described: Vec<Value> = rules.keys().map(|id| rule(id)).collect();
    let results: Vec<Value> = found.findings.iter().map(|one| result(one, found, &rules)).collect();
    pretty(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "hashrange model",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": described,
            }},
            "results": results,
        }],
    }))
}

fn rule(id: &str) -> Value {
    let about = RULES.iter().find(|rule| rule.id == id).map(|rule| (rule.about.to_owned(), rule.severity));
    let declared = || check::rule(id).map(|rule| (rule.summary.to_owned(), rule.severity));
    let (about, severity) = about.or_else(declared).unwrap_or_else(|| (id.replace('-', " "), Severity::Warn));
    json!({
        "id": id,
        "shortDescription": {"text": about},
        "defaultConfiguration": {"level": level(severity)},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Note => "note",
    }
}

fn result(finding: &Finding, found: &Found<'_>, rules: &BTreeMap<&str, usize>) -> Value {
    let (file, line) = (found.place)(finding);
    let mut text = format!("{}: {}", finding.subject, finding.message);
    if !finding.advice.is_empty() {
        text = format!("{text}. {}", finding.advice);
    }
    let mut location = json!({"artifactLocation": {"uri": file.replace('\\', "/")}});
    if let Some(line) = line {
        location["region"] = json!({"startLine": line});
    }
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rules.get(finding.rule),
        "level": level(finding.severity),
        "message": {"text": text},
        "locations": [{
            "physicalLocation": location,
            "logicalLocations": [{"fullyQualifiedName": finding.subject.to_string()}],
        }],
        // The same finding on another line is the same finding.
        "partialFingerprints": {"subject/v1": format!("{} {}", finding.rule, finding.subject)},
    });
    if let Some(reason) = &finding.waived {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}
