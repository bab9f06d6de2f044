//! JSON for programs. Members are only ever added.

use serde_json::{Value, json};

use super::{Found, verdict};
use crate::finding::Finding;
use crate::plan::Arm;
use crate::run::{Report, Run, Tested};

pub(super) fn findings(found: &Found<'_>) -> String {
    let findings: Vec<Value> = found.findings.iter().map(|one| finding(one, found)).collect();
    pretty(&json!({"model": found.model, "findings": findings}))
}

pub(super) fn run(report: &Report, found: &Found<'_>) -> String {
    let (passed, failed, skipped) = report.counts();
    let scales: Vec<Value> =
        report.scales.iter().map(|(scale, items)| json!({"scale": scale, "items": items})).collect();
    let amplification: Vec<Value> = report
        .amplification()
        .into_iter()
        .map(|one| {
            let patterns: Vec<Value> =
                one.patterns.iter().map(|(id, units)| json!({"pattern": id, "write": units})).collect();
            json!({"table": one.table, "index": one.index, "per_table_unit": one.per_table_unit, "patterns": patterns})
        })
        .collect();
    pretty(&json!({
        "model": report.model,
        "seed": report.seed,
        "scales": scales,
        "passed": passed,
        "failed": failed,
        "skipped": skipped,
        "problems": report.problems,
        "patterns": report.patterns.iter().map(|one| tested(one, found)).collect::<Vec<_>>(),
        "indexes": amplification,
        "findings": found.findings.iter().map(|one| finding(one, found)).collect::<Vec<_>>(),
    }))
}

fn tested(tested: &Tested, found: &Found<'_>) -> Value {
    json!({
        "id": tested.id,
        "name": tested.name,
        "operation": tested.operation.map(hashrange_api::Operation::name),
        "result": if tested.skipped.is_some() && !tested.failed() { "skipped" } else { verdict(tested) }.to_lowercase(),
        "outcome": tested.outcome(),
        "skipped": tested.skipped,
        "budget": {"rcu": tested.budget.rcu, "wcu": tested.budget.wcu},
        "declared": {
            "plan": tested.plan.class.to_string(),
            "read": tested.plan.read_units(),
            "write": tested.plan.write_units(),
        },
        "runs": tested.runs.iter().map(run_json).collect::<Vec<_>>(),
        "findings": tested.findings.iter().map(|one| finding(one, found)).collect::<Vec<_>>(),
    })
}

fn run_json(run: &Run) -> Value {
    json!({
        "scale": run.scale,
        "plan": run.class.map(|class| class.to_string()),
        "engine_plan": run.engine_plan,
        "returned": run.returned,
        "examined": run.examined,
        "returned_bytes": run.returned_bytes,
        "pages": run.pages,
        "has_more": run.has_more,
        "read": run.read_units(),
        "write": run.write_units(),
        "arms": run.arms.iter().map(arm).collect::<Vec<_>>(),
        "error": run.error.as_ref().map(|(code, message)| json!({"code": code, "message": message})),
    })
}

fn arm(arm: &Arm) -> Value {
    json!({"table": arm.table, "index": arm.index, "read": arm.read, "write": arm.write})
}

fn finding(finding: &Finding, found: &Found<'_>) -> Value {
    let (file, line) = (found.place)(finding);
    json!({
        "rule": finding.rule,
        "severity": finding.severity.name(),
        "evidence": finding.evidence.code(),
        "subject": finding.subject.to_string(),
        "message": finding.message,
        "advice": finding.advice,
        "waived": finding.waived,
        "file": file,
        "line": line,
    })
}

pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
