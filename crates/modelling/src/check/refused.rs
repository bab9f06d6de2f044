//! What the API refuses, found without asking it.

use hashrange_item::limits;

use super::context::{number, of};
use super::rule::PLAIN;
use super::{Context, Example, Group, Need, Rule};
use crate::catalogue::IndexKind;
use crate::finding::{Finding, Severity};
use crate::plan::request::{Action, Fault, Verb};
use crate::plan::{collections, float};

pub(super) const RULES: &[Rule] = &[FILTER_ON_KEY, STRONG_ON_INDEX, TRANSACTION_SIZE, RESERVED, EXPRESSION];

const REFUSED: Rule = Rule { group: Group::Refused, severity: Severity::Error, ..PLAIN };

const FILTER_ON_KEY: Rule = Rule {
    id: "filter-on-key",
    summary: "The filter of a query names a key attribute of what is queried: it is refused. (Keys of the table in a query of a global \
              index are allowed.)",
    advice: "Put it into the key condition",
    teach: Example {
        before: "- {id: P1, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"begins_with(SK, :o)\"}",
        after: "- {id: P1, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}}",
    },
    needs: &[Need::Requests],
    judge: filters_on_keys,
    ..REFUSED
};

fn filters_on_keys(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, request) in context.requested() {
        let query = pattern.operation == Some(hashrange_api::Operation::Query);
        let Some(table) = context.table_of(plan).filter(|_| query) else { continue };
        let keys = context.index_of(plan).map_or(&table.keys, |index| &index.keys);
        let filters = request.actions.iter().filter_map(|action| action.filter.as_ref());
        let mut names = filters.flat_map(|filter| filter.attributes_in_order());
        if let Some(name) = names.find(|name| keys.attributes().any(|key| key == *name)) {
            let text = format!("the filter names {name}, a key of what is queried");
            findings.push(FILTER_ON_KEY.found(Severity::Error, of(pattern), text));
        }
    }
}

const STRONG_ON_INDEX: Rule = Rule {
    id: "strong-read-on-gsi",
    summary: "A global or vector index has no strong reads: ConsistentRead on it is refused.",
    advice: "Read the table by its key, or a local index, where the answer must be fresh",
    teach: Example {
        before: "- {id: P2, operation: Query, index: ByEmail, key: {GSI1PK: \"EMAIL#{email}\"}, consistent: true}",
        after: "- {id: P2, operation: Query, index: ByEmail, key: {GSI1PK: \"EMAIL#{email}\"}}",
    },
    covers: &["strong-read-unneeded"],
    judge: strong_on_indexes,
    ..REFUSED
};

fn strong_on_indexes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns().filter(|(_, plan)| plan.strong) {
        if let Some(index) = context.index_of(plan).filter(|index| index.kind != IndexKind::Local) {
            let text = format!("reads {} strongly", index.name);
            findings.push(STRONG_ON_INDEX.found(Severity::Error, of(pattern), text));
        }
    }
}

const TRANSACTION_SIZE: Rule = Rule {
    id: "transaction-too-large",
    summary: "A transaction has at most 100 actions and 4 MB.",
    advice: "Split it, and make each part repeatable",
    teach: Example {
        before: "- {id: P3, operation: TransactWriteItems, items: 150}",
        after: "- {id: P3, operation: TransactWriteItems, items: 100}",
    },
    judge: transaction_sizes,
    ..REFUSED
};

fn transaction_sizes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (at, (pattern, plan)) in context.patterns().enumerate().filter(|(_, (_, plan))| plan.transaction) {
        let stated = context.requests[at].as_ref().map(|request| float(request.actions.len()));
        let count =
            stated.unwrap_or(0.0).max(pattern.p99_items.or(pattern.items).or(plan.items).unwrap_or(0.0));
        let bytes = plan.item_bytes.map_or(0.0, |bytes| bytes * count);
        let text = if count > float(limits::TRANSACTION_ACTIONS_MAX) {
            format!("{} actions in one transaction", number(count))
        } else if bytes > float(limits::TRANSACTION_SIZE_MAX) {
            format!("{} bytes in one transaction", number(bytes))
        } else {
            continue;
        };
        findings.push(TRANSACTION_SIZE.found(Severity::Error, of(pattern), text));
    }
}

const RESERVED: Rule = Rule {
    id: "reserved-word",
    summary: "A reserved word stands bare in an expression: the request is refused.",
    advice: "Write #name in the expression and name it in ExpressionAttributeNames",
    teach: Example {
        before: "update: \"SET status = :s\"",
        after: "update: \"SET #s = :s\"\nnames: {\"#s\": status}",
    },
    covers: &["invalid-expression"],
    needs: &[Need::Requests],
    judge: reserved,
    ..REFUSED
};

fn reserved(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        for fault in &request.faults {
            if let Fault::ReservedWord { expression, word } = fault {
                let text = format!("{word} is a reserved word, bare in {expression}");
                findings.push(RESERVED.found(Severity::Error, of(pattern), text));
            }
        }
    }
}

const EXPRESSION: Rule = Rule {
    id: "invalid-expression",
    summary: "An expression or a statement cannot be read: the request is refused.",
    advice: "Correct the expression",
    teach: Example { before: "update: \"SET total + :n\"", after: "update: \"SET total = total + :n\"" },
    covers: &["unservable"],
    needs: &[Need::Requests],
    judge: expressions,
    ..REFUSED
};

fn expressions(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, _, request) in context.requested() {
        for fault in &request.faults {
            if let Fault::Expression(text) = fault {
                findings.push(EXPRESSION.found(Severity::Error, of(pattern), text.clone()));
            }
        }
        // A put's item must have the whole key.
        let partial = request.actions.iter().find_map(|action| lacking_key(context, action));
        if let Some(text) = partial {
            findings.push(EXPRESSION.found(Severity::Error, of(pattern), text));
        }
    }
}

fn lacking_key(context: &Context<'_>, action: &Action) -> Option<String> {
    let table = context.catalogue.table(&action.table)?;
    let single = matches!(action.verb, Verb::Put | Verb::Update | Verb::Delete | Verb::Check);
    let parts = collections::key_of(table, action);
    let lacking = table.keys.attributes().find(|key| parts.iter().all(|part| part.attribute != *key));
    lacking.filter(|_| single && !parts.is_empty()).map(|key| format!("the key lacks {key}"))
}
