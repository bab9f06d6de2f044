//! Severities, waivers and root causes; and what the articles that the rules come from say.

use super::super::*;
use super::cases::TODAY;
use crate::finding::{Finding, Severity, Subject};
use crate::testing::yaml;

const SCANNING: &str = r"
hashrange: 1
name: scanning
tables:
  T: {key: {hash: PK}}
patterns:
  - {id: P1, name: all, operation: Scan}
";

fn scan(rest: &str, today: &str) -> Vec<Finding> {
    check(&yaml(&format!("{SCANNING}{rest}")), today)
}

fn of<'f>(findings: &'f [Finding], rule: &str) -> Option<&'f Finding> {
    findings.iter().find(|finding| finding.rule == rule)
}

#[test]
fn a_waiver_holds_until_its_last_day() {
    let waiver =
        "waivers:\n  - {rule: scan-on-request-path, on: P1, reason: gone in May, until: 2027-05-31}\n";
    let found = scan(waiver, "2027-05-31");
    let finding = of(&found, "scan-on-request-path").unwrap();
    assert_eq!((finding.severity, finding.waived.as_deref()), (Severity::Note, Some("gone in May")));
    let found = scan(waiver, "2027-06-01");
    let finding = of(&found, "scan-on-request-path").unwrap();
    assert_eq!((finding.severity, finding.waived.as_deref()), (Severity::Error, None));
    assert!(finding.message.contains("expired on 2027-05-31"), "{}", finding.message);
}

#[test]
fn a_waiver_of_something_else_allows_nothing() {
    let found =
        scan("waivers:\n  - {rule: scan-on-request-path, on: P2, reason: x, until: 2027-05-31}\n", TODAY);
    assert_eq!(of(&found, "scan-on-request-path").unwrap().severity, Severity::Error);
    assert!(of(&found, "waiver-unused").is_some());
}

#[test]
fn unknown_names_are_told_with_the_nearest() {
    let rest = "waivers:\n  - {rule: scan-on-request-pth, reason: x, until: 2027-05-31}\nrules: {index-unusd: off}\nthresholds: {hot-key.wrn: 0.8}\n";
    let found = scan(rest, TODAY);
    let messages: Vec<&str> = found
        .iter()
        .filter(|finding| finding.rule == "unknown-rule")
        .map(|finding| finding.message.as_str())
        .collect();
    for near in ["scan-on-request-path", "index-unused", "hot-key.write-warn"] {
        assert!(messages.iter().any(|message| message.contains(near)), "{near}: {messages:?}");
    }
}

#[test]
fn a_model_turns_rules_off_and_sets_their_severity_and_thresholds() {
    assert!(of(&scan("rules: {scan-on-request-path: off}\n", TODAY), "scan-on-request-path").is_none());
    let found = scan("rules: {scan-on-request-path: note}\n", TODAY);
    assert_eq!(of(&found, "scan-on-request-path").unwrap().severity, Severity::Note);
    let sized = SCANNING.replace("operation: Scan", "operation: Scan, items: 10000, item_bytes: 200");
    let found = check(&yaml(&format!("{sized}thresholds: {{scan-on-request-path.small: 100}}\n")), TODAY);
    assert_eq!(of(&found, "scan-on-request-path").unwrap().severity, Severity::Error);
}

#[test]
fn what_a_format_cannot_state_gives_one_note_and_no_fault() {
    let mut catalogue = yaml(SCANNING);
    catalogue.patterns[0].request = None;
    catalogue.states.requests = false;
    let found = check(&catalogue, TODAY);
    let notes: Vec<&Finding> = found.iter().filter(|finding| finding.rule == "not-stated").collect();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].message.contains("create-without-condition"), "{}", notes[0].message);
    assert_eq!(notes[0].subject, Subject::Model);
}

#[test]
fn the_same_model_gives_the_same_findings_gravest_first() {
    let found = scan("", TODAY);
    assert_eq!(found, scan("", TODAY));
    assert!(found.is_sorted_by(|a, b| a.severity >= b.severity));
}

/// `STATUS#pending` as the articles have it: fine at ten writes per second, hot at two thousand.
fn pending(rate: u32) -> Vec<Finding> {
    let text = format!(
        r#"
hashrange: 1
name: pending
tables:
  Shop:
    key: {{hash: PK, range: SK}}
    indexes:
      ByStatus: {{key: {{hash: GSI1PK, range: GSI1SK}}, projection: all}}
entities:
  Order:
    key: {{PK: "USER#{{userId}}", SK: "ORDER#{{placedAt}}#{{orderId}}", GSI1PK: "STATUS#pending", GSI1SK: "{{placedAt}}"}}
    attributes: {{userId: uuid, orderId: uuid, placedAt: iso-time}}
    bytes: 400
    count: 50000
    per_collection: 20
patterns:
  - {{id: P1, name: Place an order, operation: PutItem, item: {{entity: Order}}, condition: "attribute_not_exists(PK)", rate: {{peak: {rate}}}}}
  - {{id: P2, name: Pending orders, operation: Query, index: ByStatus, key: {{GSI1PK: "STATUS#pending"}}, limit: 20, rate: {{peak: 5}}}}
"#
    );
    check(&yaml(&text), TODAY)
}

#[test]
fn a_status_index_is_judged_by_its_rate() {
    let is_hot = |finding: &&Finding| {
        let about_heat = ["low-cardinality-partition-key", "gsi-hot-partition", "hot-key"];
        about_heat.contains(&finding.rule) && finding.severity >= Severity::Warn
    };
    assert_eq!(pending(10).iter().find(is_hot), None);
    assert_eq!(pending(2000).iter().find(is_hot).map(|finding| finding.severity), Some(Severity::Error));
}

fn newest_first(sort_key: &str) -> Vec<Finding> {
    let text = format!(
        r#"
hashrange: 1
name: newest
tables:
  Shop: {{key: {{hash: PK, range: SK}}}}
entities:
  Order:
    key: {{PK: "USER#{{userId}}", SK: "{sort_key}"}}
    attributes: {{userId: uuid, orderId: uuid, placedAt: iso-time}}
    per_collection: 20
    count: 1000
patterns:
  - id: P1
    name: Orders of a user by date, newest first
    operation: Query
    key: {{PK: "USER#{{userId}}", SK: {{begins_with: "ORDER#"}}}}
    order: desc
    expect: {{order: placedAt desc}}
"#
    );
    check(&yaml(&text), TODAY)
}

#[test]
fn orders_by_date_need_the_date_in_the_sort_key() {
    assert!(of(&newest_first("ORDER#{orderId}"), "random-sort-key").is_some());
    assert!(of(&newest_first("ORDER#{placedAt}#{orderId}"), "random-sort-key").is_none());
}

#[test]
fn the_overview_has_the_five_columns_of_each_pattern() {
    let text = r#"
hashrange: 1
name: overview
tables:
  Shop: {key: {hash: PK, range: SK}}
entities:
  Order: {key: {PK: "USER#{userId}", SK: "ORDER#{placedAt}"}, attributes: {userId: uuid, placedAt: iso-time}, bytes: 400, per_collection: 20}
patterns:
  - {id: P1, name: newest, operation: Query, key: {PK: "USER#{userId}"}, order: desc, filter: "price > :p", values: {":p": 1}, items: 20, expect: {max: 5}}
  - {id: P2, name: place, operation: PutItem, item: {entity: Order}}
"#;
    let lines: Vec<String> = overview(&yaml(text))
        .into_iter()
        .map(|l| [l.pattern, l.plan, l.order, l.filter_loss, l.consistency, l.arms].join(" | "))
        .collect();
    assert_eq!(
        lines,
        [
            "P1 | collection Shop | SK descending | 75 % | eventual | Shop 1 R",
            "P2 | write(1 arm) Shop | - | - | - | Shop 1 W",
        ]
    );
}
