//! Transactions and batches.

use super::context::{number, of, peak, says};
use super::rule::PLAIN;
use super::{Context, Example, Group, Judge, Need, Rule, Threshold};
use crate::catalogue::Pattern;
use crate::finding::{Finding, Severity, Subject};
use crate::plan::{self, collections};
use crate::template::Template;

pub(super) const RULES: &[Rule] = &[SINGLE, DEFAULT, HOT, BATCH];

const WRITE: Rule = Rule { group: Group::Writes, ..PLAIN };

const SINGLE: Rule = Rule {
    id: "transaction-single-item",
    summary: "A transaction of one action costs twice what the same plain request costs, which is atomic too.",
    not_a_fault_when: "its token is wanted for idempotency (declares: transaction_reason)",
    advice: "Send a plain conditional write, or a strong read",
    teach: Example {
        before: "- {id: P1, operation: TransactWriteItems, actions: [{put: {entity: User}, condition: attribute_not_exists(PK)}]}",
        after: "- {id: P1, operation: PutItem, item: {entity: User}, condition: attribute_not_exists(PK)}",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(singles),
    ..WRITE
};

fn singles(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        let reasoned = request.token || pattern.declared.transaction_reason.is_some();
        if request.transaction && request.actions.len() == 1 && !reasoned {
            let text = "is a transaction of one action, at twice the units".to_owned();
            findings.push(SINGLE.found(Severity::Warn, of(pattern), text));
        }
    }
}

const DEFAULT_SHARE: Threshold = Threshold::new(
    "transaction-default.share",
    0.5,
    "share of the write patterns that are transactions; chosen",
);
const DEFAULT_PATTERNS: Threshold =
    Threshold::new("transaction-default.patterns", 4.0, "write patterns, fewer say nothing; chosen");

const DEFAULT: Rule = Rule {
    id: "transaction-default",
    thresholds: &[DEFAULT_SHARE, DEFAULT_PATTERNS],
    summary: "Most writes are transactions, at twice the units: a single item is atomic without one.",
    not_a_fault_when: "each says why (declares: transaction_reason), as in a ledger",
    advice: "Keep what must change together in one item, and use transactions where items must agree",
    teach: Example {
        before: "# 5 of 5 write patterns are TransactWriteItems",
        after: "# 1 of 5 write patterns is TransactWriteItems: {transaction_reason: order and stock must agree}",
    },
    judge: Judge::Any(by_default),
    ..WRITE
};

fn by_default(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let writes = || context.patterns().filter(|(pattern, plan)| is_write(pattern, plan));
    let all = plan::float(writes().count());
    let unreasoned =
        writes().filter(|(pattern, plan)| plan.transaction && pattern.declared.transaction_reason.is_none());
    let transactions = plan::float(unreasoned.count());
    if all < context.threshold(&DEFAULT_PATTERNS) || transactions <= all * context.threshold(&DEFAULT_SHARE) {
        return;
    }
    let every = (transactions - all).abs() < 0.5;
    let severity = if every { Severity::Warn } else { Severity::Note };
    let text = format!(
        "{} of {} write patterns are transactions without a reason",
        number(transactions),
        number(all)
    );
    findings.push(DEFAULT.found(severity, Subject::Model, text));
}

fn is_write(pattern: &Pattern, plan: &crate::PatternPlan) -> bool {
    plan::is_write(pattern) || matches!(plan.class, crate::PlanClass::Write(_))
}

const HOT_RATE: Threshold =
    Threshold::new("hot-transaction.rate", 10.0, "transactions per second on one item; chosen");

const HOT: Rule = Rule {
    id: "hot-transaction",
    thresholds: &[HOT_RATE],
    summary: "Many transactions touch the same item: they conflict, are cancelled, and are paid for.",
    advice: "Split the item into shards, put a queue before it, or use one conditional update",
    teach: Example {
        before: "actions: [{put: {entity: Order}}, {update: {key: {PK: TOTALS, SK: TODAY}, ..}}]   # 200 per second",
        after: "actions: [{put: {entity: Order}}]   # totals are summed from the stream",
    },
    needs: &[Need::Requests],
    judge: Judge::Any(hot),
    ..WRITE
};

fn hot(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let limit = context.threshold(&HOT_RATE);
    for (pattern, _, request) in context.requested().filter(|(_, _, request)| request.transaction) {
        let fewest =
            request.actions.iter().filter(|action| action.verb != plan::request::Verb::Get).find_map(
                |action| {
                    let values = distinct_keys(context, pattern, action)?;
                    let each = peak(pattern).map(|peak| peak / values);
                    each.is_none_or(|each| each > limit).then_some((key_text(context, action), each))
                },
            );
        let Some((key, each)) = fewest else { continue };
        let finding = if let Some(each) = each {
            let text = format!("{} transactions per second on one item {key}", number(each));
            HOT.found(Severity::Warn, of(pattern), text)
        } else {
            let text = format!(
                "every run touches the item {key}; no rate is stated, above {} per second it is a warning",
                number(limit)
            );
            HOT.found(Severity::Note, of(pattern), text)
        };
        findings.push(finding);
    }
}

/// How many keys an action may meet, where that is known to be few: one where the key has no gap, or as many as its values.
fn distinct_keys(context: &Context<'_>, pattern: &Pattern, action: &plan::request::Action) -> Option<f64> {
    let table = context.catalogue.table(&action.table)?;
    let entity = collections::one(context.catalogue, pattern, action);
    let mut product = 1.0;
    for part in collections::key_of(table, action) {
        let template = Template::parse(&part.text).ok()?;
        for gap in template.gaps() {
            let attribute = collections::attribute(entity?, gap)?;
            let values = Some(attribute.values.len()).filter(|values| *values > 0)?;
            product *= plan::float(values);
        }
    }
    Some(product)
}

fn key_text(context: &Context<'_>, action: &plan::request::Action) -> String {
    let Some(table) = context.catalogue.table(&action.table) else { return String::new() };
    let parts = collections::key_of(table, action);
    parts.into_iter().map(|part| part.text).collect::<Vec<_>>().join(" ")
}

const BATCH: Rule = Rule {
    id: "batch-as-atomic",
    summary: "A batch is not atomic: each write succeeds or fails alone, and some may come back unprocessed.",
    not_a_fault_when: "it loads in bulk",
    advice: "Use a transaction where all or nothing is meant; else send UnprocessedItems again, with writes that may be repeated",
    teach: Example {
        before: "- {id: P2, name: Write order and lines together, operation: BatchWriteItem, ..}",
        after: "- {id: P2, name: Write order and lines together, operation: TransactWriteItems, ..}",
    },
    judge: Judge::Any(batches),
    ..WRITE
};

fn batches(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let words = [
        "together",
        "atomic",
        "all or nothing",
        "all-or-nothing",
        "at once",
        "both",
        "in one go",
        "consistent",
    ];
    for (pattern, _) in context.patterns() {
        let batch = pattern.operation == Some(hashrange_api::Operation::BatchWriteItem);
        let request = pattern.purpose == crate::catalogue::Purpose::Request;
        if batch && request && says(pattern, &words) {
            let text = "is meant to be atomic, and BatchWriteItem is not".to_owned();
            findings.push(BATCH.found(Severity::Warn, of(pattern), text));
        }
    }
}
