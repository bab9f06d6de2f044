mod cases;
mod framework;

use std::collections::BTreeSet;

use super::*;

#[test]
fn rules_have_distinct_ids_and_thresholds_bear_their_names() {
    let ids: Vec<&str> = rules().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len());
    for rule in rules() {
        for threshold in rule.thresholds {
            let name = threshold.name.strip_prefix(rule.id).and_then(|rest| rest.strip_prefix('.'));
            assert!(name.is_some(), "{} of {}", threshold.name, rule.id);
        }
        assert!(
            !rule.summary.is_empty() && !rule.advice.is_empty() && !rule.evidence.is_empty(),
            "{}",
            rule.id
        );
        assert!(!rule.teach.before.is_empty() && !rule.teach.after.is_empty(), "{}", rule.id);
    }
}

#[test]
fn a_misspelt_rule_has_a_nearest_one() {
    assert_eq!(nearest("scan-on-request-pth"), Some("scan-on-request-path"));
    assert_eq!(nearest("zzzz"), None);
}
