//! Smaller checks of patterns: streams, loads, caches.

use super::context::{number, of, peak, rate, says};
use super::rule::PLAIN;
use super::{Context, Example, Group, Judge, Need, Rule, Said, Threshold};
use crate::catalogue::Purpose;
use crate::finding::{Finding, Severity, Subject};
use crate::plan::{self, PlanClass, collections, written};

pub(super) const RULES: &[Rule] = &[CONSUMER, KEY_ORDER, CACHE, NOT_RUN];

const MINOR: Rule = Rule { group: Group::Minor, severity: Severity::Note, ..PLAIN };

const CONSUMER: Rule = Rule {
    id: "stream-consumer",
    summary: "A stream delivers records at least once, and retries a batch that fails: its consumer must bear repetition and have a place for \
              records that it cannot take.",
    not_a_fault_when: "a description says so (idempotent)",
    advice: "Make the consumer idempotent, give it a failure destination, and say so in a description",
    teach: Example {
        before: "Shop: {stream: NEW_AND_OLD_IMAGES, stream_consumers: 1}",
        after: "description: the consumer is idempotent by eventID, failures go to a queue",
    },
    needs: &[Need::Declarations],
    judge: Judge::Any(consumers),
    ..MINOR
};

fn consumers(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let of_model = context.catalogue.description.as_deref().unwrap_or_default().to_lowercase();
    let said =
        of_model.contains("idempot") || context.catalogue.patterns.iter().any(|p| says(p, &["idempot"]));
    for table in context.catalogue.tables.iter().filter(|table| table.stream_consumers.is_some_and(|n| n > 0))
    {
        if !said {
            let text = "nothing says that the consumers of its stream bear repetition".to_owned();
            findings.push(CONSUMER.found(Severity::Note, Subject::Table(table.name.clone()), text));
        }
    }
}

const NOT_RUN: Rule = Rule {
    id: "not-run",
    summary: "The operation of the pattern is not built in this database yet: its declarations are judged here and its plan is drawn, but \
              no command runs it, and none counts it as passed.",
    not_a_fault_when: "",
    advice: "Test it against DynamoDB; it runs here once the operation is built",
    teach: Example {
        before: "- {id: P9, operation: SearchVectors, index: Like, request: none}",
        after: "- {id: P9, external: vector search, tested against DynamoDB}",
    },
    judge: Judge::Pattern(|_, pattern, _| {
        Some(Said::note(format!("not run: {}", plan::not_built(pattern)?)))
    }),
    ..MINOR
};

const LOAD_RATE: Threshold = Threshold::new(
    "bulk-load-in-key-order.rate",
    1000.0,
    "write units per second: what one partition takes, AWS developer guide",
);

const KEY_ORDER: Rule = Rule {
    id: "bulk-load-in-key-order",
    severity: Severity::Warn,
    thresholds: &[LOAD_RATE],
    summary: "A load that is sorted by partition key fills one partition after the other, while the rest stand idle.",
    advice: "Shuffle the input, or let several workers take different parts of the keys",
    teach: Example {
        before: "- {id: P1, name: Load the export sorted by user, operation: BatchWriteItem, purpose: batch}",
        after: "- {id: P1, name: Load the export shuffled, operation: BatchWriteItem, purpose: batch}",
    },
    judge: Judge::Any(key_order),
    ..MINOR
};

fn key_order(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan) in context.patterns().filter(|(pattern, _)| pattern.purpose == Purpose::Batch) {
        let sorted = says(pattern, &["sorted", "in key order", "in order of", "key by key"]);
        if !sorted || !matches!(plan.class, PlanClass::Write(_)) {
            continue;
        }
        let units = peak(pattern).map(|peak| peak * plan.write_units());
        let fast = units.is_some_and(|units| units > context.threshold(&LOAD_RATE));
        let severity = if fast { Severity::Warn } else { Severity::Note };
        let text = match units {
            Some(units) => format!("loads in the order of keys, {} write units per second", number(units)),
            None => "loads in the order of keys".to_owned(),
        };
        findings.push(KEY_ORDER.found(severity, of(pattern), text));
    }
}

const CACHE: Rule = Rule {
    id: "cache-misuse",
    summary: "A cache does not help here: strong reads pass through it, and items that are written as often as read are never fresh in it.",
    advice: "Read eventually, or leave the cache out",
    teach: Example {
        before: "- {id: P2, operation: GetItem, consistent: true, declares: [cached]}",
        after: "- {id: P2, operation: GetItem, declares: [cached]}",
    },
    needs: &[Need::Declarations],
    judge: Judge::Any(caches),
    ..MINOR
};

fn caches(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (at, (pattern, plan)) in context.patterns().enumerate().filter(|(_, (p, _))| p.declared.cached) {
        if plan.strong && !matches!(plan.class, PlanClass::Write(_)) {
            let text = "reads strongly, past the cache that it declares".to_owned();
            findings.push(CACHE.found(Severity::Note, of(pattern), text));
            continue;
        }
        let action = context.requests[at].as_ref().and_then(|request| request.actions.first());
        let entity = action.and_then(|action| collections::one(context.catalogue, pattern, action));
        let Some((entity, reads)) = entity.zip(rate(pattern)) else { continue };
        let writers = context.catalogue.patterns.iter().filter(|other| {
            written(context.catalogue, other).iter().any(|written| written.name == entity.name)
        });
        let writes: f64 = writers.filter_map(rate).sum();
        if writes >= reads {
            let text = format!(
                "declares a cache for {}, which is written {} times per second and read {}",
                entity.name,
                number(writes),
                number(reads)
            );
            findings.push(CACHE.found(Severity::Note, of(pattern), text));
        }
    }
}
