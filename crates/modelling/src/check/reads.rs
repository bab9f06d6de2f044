//! How patterns read.

use super::context::{is_request, number, of, rate};
use super::{Context, Example, Group, Rule, Threshold};
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::PlanClass;

pub(super) const RULES: &[Rule] = &[SCAN];

const SCAN_ERROR: Threshold = Threshold::new(
    "scan-on-request-path.error",
    128.0,
    "read units of one run: a page of 1 MB, AWS developer guide",
);
const SCAN_BATCH: Threshold =
    Threshold::new("scan-on-request-path.batch-rate", 1.0, "runs per hour of a job; chosen");
const SCAN_SMALL: Threshold =
    Threshold::new("scan-on-request-path.small", 1_048_576.0, "bytes: one page, AWS developer guide");

const SCAN: Rule = Rule {
    id: "scan-on-request-path",
    group: Group::Reads,
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Run],
    thresholds: &[SCAN_ERROR, SCAN_BATCH, SCAN_SMALL],
    summary: "A caller waits for a read of the whole table or index: it costs and takes more with every item that is added.",
    not_a_fault_when: "it is a job of at most one run per hour (purpose batch, export or admin); the whole table is at most 1 MB (a note); \
                       the index is sparse and holds at most 1 % of the items, or 1 MB",
    advice: "Serve it by a key or a sparse index; send reports to an export or a stream",
    teach: Example {
        before: "- {id: P1, name: Pending orders, operation: Scan, filter: \"status = :pending\"}",
        after: "- {id: P1, name: Pending orders, operation: Query, index: ByStatus, key: {GSI1PK: \"STATUS#pending#{shard}\"}}",
    },
    covers: &[
        "filter-discards-reads",
        "filter-could-be-key",
        "limit-with-filter",
        "count-by-reading",
        "unbounded-query",
    ],
    needs: &[],
    judge: scans,
};

fn scans(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let hourly = context.threshold(&SCAN_BATCH) / 3600.0;
    for (pattern, plan) in context.patterns() {
        if !matches!(plan.class, PlanClass::Scan | PlanClass::IndexScan) {
            continue;
        }
        if !is_request(pattern) && rate(pattern).is_none_or(|rate| rate <= hourly) {
            continue;
        }
        let bytes = plan.items.zip(plan.item_bytes).map(|(items, bytes)| items * bytes);
        let units = bytes.map(|bytes| (bytes / 4096.0).ceil() / 2.0);
        let severity = match (bytes, units) {
            (Some(bytes), _) if bytes <= context.threshold(&SCAN_SMALL) => Severity::Note,
            (_, Some(units)) if units > context.threshold(&SCAN_ERROR) => Severity::Error,
            _ => Severity::Warn,
        };
        let what = plan.index.as_ref().map_or_else(|| "table".to_owned(), |index| format!("index {index}"));
        let cost = units.map_or_else(
            || "the number and bytes of its items are not stated".to_owned(),
            |units| format!("{} read units each time", number(units)),
        );
        let finding = SCAN.found(severity, of(pattern), format!("reads the whole {what}: {cost}"));
        findings.push(match &plan.remedy {
            Some(remedy) => finding.advise(remedy.clone()),
            None => finding,
        });
    }
}
