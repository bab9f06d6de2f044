//! Catalogues in YAML for the tests of rules.

use super::{Observed, check_observed, rule};
use crate::catalogue::Catalogue;
use crate::finding::Finding;
use crate::read::{ReadOptions, SourceFile, read};

/// Reads a catalogue; a header is put before it.
pub(crate) fn catalogue(yaml: &str) -> Catalogue {
    let text = format!("hashrange: 1\nname: test\n{yaml}");
    let file = SourceFile { path: "case.yaml".to_owned(), bytes: text.into_bytes() };
    let read = read(&[file], &ReadOptions::default());
    let catalogue = read.unwrap_or_else(|problems| panic!("{problems:?} in\n{yaml}"));
    assert!(catalogue.notes.is_empty(), "{:?} in\n{yaml}", catalogue.notes);
    catalogue
}

/// The findings of one rule.
pub(crate) fn findings(yaml: &str, id: &str) -> Vec<Finding> {
    seen(yaml, &[], id)
}

/// The findings of one rule, with what was observed.
pub(crate) fn seen(yaml: &str, observed: &[Observed], id: &str) -> Vec<Finding> {
    assert!(rule(id).is_some(), "there is no rule {id}");
    let catalogue = catalogue(yaml);
    check_observed(&catalogue, observed, "2026-11-30")
        .into_iter()
        .filter(|finding| finding.rule == id)
        .collect()
}

/// Asserts what one rule finds: each as `error pattern P1`, in order.
#[track_caller]
pub(crate) fn expect(id: &str, yaml: &str, wanted: &[&str]) {
    let findings = findings(yaml, id);
    let found: Vec<String> =
        findings.iter().map(|finding| format!("{} {}", finding.severity, finding.subject)).collect();
    let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(found, wanted, "{id} says {messages:?} of\n{yaml}");
    for finding in &findings {
        assert!(!finding.message.is_empty() && !finding.advice.is_empty(), "{finding:?}");
    }
}

/// Samples in YAML: so many items, each made from its number.
pub(crate) fn samples(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| format!("      - {{{}}}\n", item(at))).collect::<Vec<String>>().concat()
}
