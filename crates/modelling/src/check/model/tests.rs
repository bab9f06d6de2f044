//! Each rule about the model as a whole: the fault, and the sights that are none.

use crate::check::Observed;
use crate::check::cases::{expect, seen};
use crate::finding::{Evidence, Severity};
use crate::plan::Arm;

fn tables(flow: &str) -> String {
    format!(
        "tables: {{Users: {{key: {{hash: userId}}}}, Orders: {{key: {{hash: orderId}}}}, Lines: {{key: {{hash: lineId}}}}}}
entities:
  User: {{table: Users, attributes: {{userId: uuid}}}}
  Order: {{table: Orders, attributes: {{orderId: uuid, userId: ref(User.userId)}}}}
  Line: {{table: Lines, attributes: {{lineId: uuid, orderId: ref(Order.orderId)}}}}
patterns:
  - {{id: P1, name: User, operation: GetItem, table: Users, key: {{userId: \"{{userId}}\"}}}}
  - {{id: P2, name: Order, operation: GetItem, table: Orders, key: {{orderId: \"{{orderId}}\"}}}}
  - {{id: P3, name: Line, operation: GetItem, table: Lines, key: {{lineId: \"{{lineId}}\"}}}}
flows:
  - {{name: receipt, steps: {flow}}}
"
    )
}

#[test]
fn tables_that_callers_join_mirror_relations() {
    expect("relational-mirror", &tables("[P1, P2, P3]"), &["warn flow receipt"]);
    expect("relational-mirror", &tables("[P1, P2]"), &[]);
}

#[test]
fn two_tables_that_are_read_together_are_noted() {
    let flow = |second: &str| {
        format!(
            "tables: {{Carts: {{key: {{hash: userId}}}}, Lines: {{key: {{hash: {second}, range: line}}}}}}
patterns:
  - {{id: P1, name: Cart, operation: GetItem, table: Carts, key: {{userId: \"{{userId}}\"}}}}
  - {{id: P2, name: Lines, operation: Query, table: Lines, key: {{{second}: \"{{{second}}}\"}}}}
flows: [{{name: open, steps: [P1, P2]}}]
"
        )
    };
    expect("tables-read-together", &flow("userId"), &["note flow open"]);
    expect("tables-read-together", &flow("cartId"), &[]);
}

#[test]
fn groups_of_different_lives_in_one_table_are_noted() {
    let app = |invoice: &str| {
        format!(
            "tables: {{App: {{key: {{hash: PK}}, ttl: expiresAt}}}}
entities:
  Session: {{key: {{PK: \"SESSION#{{s}}\"}}, attributes: {{s: uuid, expiresAt: epoch}}}}
  Invoice: {{key: {{PK: \"{invoice}\"}}, attributes: {{s: uuid, i: uuid}}}}
"
        )
    };
    expect("everything-table", &app("INVOICE#{i}"), &["note table App"]);
    expect("everything-table", &app("SESSION#{s}"), &[]);
}

fn get(more: &str) -> String {
    format!(
        "tables: {{T: {{key: {{hash: a}}}}}}
entities: {{E: {{attributes: {{a: uuid, text: text(6000)}}}}}}
patterns:
  - {{id: P1, name: Get, operation: GetItem, key: {{a: \"{{a}}\"}}{more}}}
"
    )
}

#[test]
fn what_is_not_stated_is_asked_for() {
    expect("rate-missing", &get(""), &["warn pattern P1"]);
    expect("rate-missing", &get(", rate: {avg: 1}"), &[]);
    expect("budget-missing", &get(""), &["note pattern P1"]);
    expect("budget-missing", &get(", budget: {rcu: 1}"), &[]);
    expect("budget-missing", &get(", purpose: batch"), &[]);
    expect("size-missing", &get(""), &[]);
    let bare = "tables: {T: {key: {hash: a}}}\npatterns:\n  - {id: P1, name: Get, operation: GetItem, key: {a: x}}\n";
    expect("size-missing", bare, &["warn pattern P1"]);
}

#[test]
fn one_finding_says_that_most_patterns_lack_a_rate() {
    let patterns: Vec<String> = (0..6)
        .map(|at| format!("  - {{id: P{at}, name: Get, operation: GetItem, key: {{a: x}}}}\n"))
        .collect();
    let yaml = format!("tables: {{T: {{key: {{hash: a}}}}}}\npatterns:\n{}", patterns.concat());
    expect("rate-missing", &yaml, &["warn model"]);
}

#[test]
fn budgets_bind_plans_and_runs() {
    let rule = "budget-exceeded";
    // 6,036 bytes are two steps: one read unit.
    expect(rule, &get(", budget: {rcu: 0.5}"), &["warn pattern P1"]);
    expect(rule, &get(", budget: {rcu: 1}"), &[]);
    let mut one = Observed::of("P1", Evidence::Run);
    one.arms = vec![Arm { table: "T".to_owned(), index: None, read: 2.5, write: 0.0 }];
    let found = seen(&get(", budget: {rcu: 2}"), &[one.clone()], rule);
    assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
    assert!(seen(&get(", budget: {rcu: 2.5}"), &[one.clone()], rule).is_empty());
    assert_eq!(seen(&get(""), &[one.clone()], "declared-vs-observed").len(), 1);
    one.arms[0].read = 1.5;
    assert!(seen(&get(""), &[one], "declared-vs-observed").is_empty());
}

#[test]
fn one_pattern_that_dominates_the_cost_is_noted() {
    let rule = "dominant-cost";
    let rates = |first: u32, count: usize| {
        let patterns: Vec<String> = (0..count)
            .map(|at| format!("  - {{id: P{at}, name: Get, operation: GetItem, key: {{a: \"{{a}}\"}}, rate: {{avg: {}}}}}\n", if at == 0 { first } else { 10 }))
            .collect();
        format!(
            "tables: {{T: {{key: {{hash: a}}}}}}\nentities: {{E: {{attributes: {{a: uuid}}}}}}\npatterns:\n{}",
            patterns.concat()
        )
    };
    expect(rule, &rates(100, 6), &["warn pattern P0"]);
    expect(rule, &rates(20, 6), &["note pattern P0"]);
    expect(rule, &rates(10, 6), &[]);
    expect(rule, &rates(100, 3), &[]);
}

fn rated(table: &str, peak: u32, avg: u32) -> String {
    format!(
        "tables: {{T: {{key: {{hash: a}}, {table}}}}}
entities: {{E: {{attributes: {{a: uuid, text: text(600)}}, count: 1000}}}}
patterns:
  - {{id: P1, name: Put, operation: PutItem, item: {{entity: E}}, rate: {{peak: {peak}, avg: {avg}}}}}
"
    )
}

#[test]
fn steady_load_is_cheaper_with_capacity() {
    let rule = "capacity-mode";
    expect(rule, &rated("billing: on-demand", 1_000, 950), &["note table T"]);
    expect(rule, &rated("billing: on-demand", 1_000, 50), &[]);
    // Not stated is not on-demand.
    expect(rule, &rated("class: standard", 1_000, 950), &[]);
}

#[test]
fn storage_decides_the_class() {
    let rule = "table-class";
    let stored = |class: &str, count: u64, rate: u32| {
        rated(&format!("class: {class}, billing: on-demand"), rate, rate)
            .replace("count: 1000", &format!("count: {count}"))
    };
    expect(rule, &stored("standard", 1_000_000_000, 1), &["note table T"]);
    expect(rule, &stored("infrequent-access", 1_000_000_000, 1), &[]);
    expect(rule, &stored("standard", 1_000, 500), &[]);
    expect(rule, &stored("infrequent-access", 1_000, 500), &["note table T"]);
}

#[test]
fn capacity_follows_the_load() {
    let rule = "autoscaling";
    let policy = |target: u32, max: u32| {
        format!(
            "billing: provisioned, scaling: {{read: {{min: 5, max: {max}, target: {target}}}, write: {{min: 5, max: {max}, target: {target}}}}}"
        )
    };
    expect(rule, &rated(&policy(70, 2_000), 1_000, 300), &[]);
    expect(rule, &rated(&policy(70, 500), 1_000, 300), &["warn table T"]);
    expect(rule, &rated(&policy(45, 2_000), 1_000, 300), &["warn table T"]);
    expect(
        rule,
        &rated("billing: provisioned, capacity: {read: 5, write: 1000}", 1_000, 300),
        &["warn table T"],
    );
    expect(rule, &rated("billing: provisioned, capacity: {read: 5, write: 1000}", 1_000, 950), &[]);
    expect(rule, &rated("billing: on-demand", 1_000, 300), &[]);
}

#[test]
fn replicas_set_limits() {
    let table = |fields: &str, more: &str| {
        format!(
            "tables: {{T: {{key: {{hash: a}}, replicas: [eu-west-1]{fields}}}}}
patterns:
  - {{id: P1, name: Count, operation: UpdateItem, key: {{a: x}}, update: \"ADD n :one\", values: {{\":one\": 1}}{more}}}
"
        )
    };
    expect("global-conflict", &table("", ""), &["warn pattern P1"]);
    expect("global-conflict", &table("", ", declares: [approximate]"), &[]);
    expect("global-conflict", &table("", ", declares: [single_writer]"), &[]);
    expect("global-conflict", &table(", replica_consistency: strong", ""), &[]);
    expect("mrsc-incompatible", &table(", replica_consistency: strong, ttl: e", ""), &["error table T"]);
    expect("mrsc-incompatible", &table(", ttl: e", ""), &[]);
    expect("stream-fan-out", &table(", stream: NEW_IMAGE, stream_consumers: 2", ""), &["warn table T"]);
    expect(
        "stream-fan-out",
        &table(", stream: NEW_IMAGE, stream_consumers: 2", "").replace("replicas: [eu-west-1], ", ""),
        &[],
    );
}
