//! Models run on the real engine: what passes, and what each fault is told as.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;

use hashrange::model::{Model, Outcome, Severity};

const SHOP: &str = r#"
hashrange: 1
name: shop
tables:
  Shop:
    key: {hash: PK, range: SK}
    indexes:
      ByStatus: {key: {hash: GSI1PK, range: GSI1SK}}
entities:
  User:
    key: {PK: "USER#{userId}", SK: PROFILE}
    attributes: {userId: uuid, name: name, visits: "int(1,9)"}
    bytes: 400
  Order:
    key: {PK: "USER#{userId}", SK: "ORDER#{placed}#{orderId}", GSI1PK: "STATUS#{status}", GSI1SK: "{placed}"}
    attributes: {orderId: ulid, placed: iso-time, status: {values: [OPEN, DONE]}, total: "decimal(1,500,2)", note: {type: S}}
    per_collection: 10
    bytes: 700
patterns:
"#;

async fn tested(patterns: &str) -> Outcome {
    Model::from_text(&format!("{SHOP}{patterns}")).unwrap().test().await
}

/// The rules of the errors of each pattern.
fn errors(outcome: &Outcome) -> BTreeMap<&str, Vec<&str>> {
    assert!(outcome.report.problems.is_empty(), "{outcome}");
    let rules = |tested: &hashrange::model::Tested| {
        let grave = tested.findings.iter().filter(|finding| finding.severity == Severity::Error);
        grave.map(|finding| finding.rule).collect::<Vec<_>>()
    };
    let mut errors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tested in &outcome.report.patterns {
        let mut rules = rules(tested);
        rules.dedup();
        if !rules.is_empty() {
            errors.insert(&tested.id, rules);
        }
    }
    errors
}

#[tokio::test]
async fn patterns_that_do_what_they_declare_pass() {
    let outcome = tested(
        r#"
  - {id: get, name: pattern get, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}, expect: {count: 1, plan: get}, budget: {rcu: 0.5}}
  - {id: newest, name: pattern newest, operation: Query, key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}, order: desc, limit: 5, expect: {count: 5, plan: range, order: placed desc, pages: 1}, budget: {rcu: 1}}
  - {id: all, name: pattern all, operation: Query, key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}, expect: {count: 10}, budget: {rcu: 1}}
  - {id: place, name: pattern place, operation: PutItem, item: {entity: Order}, condition: "attribute_not_exists(PK)", budget: {wcu: 2}}
  - {id: visit, name: pattern visit, operation: UpdateItem, key: {PK: "USER#{userId}", SK: PROFILE}, update: "ADD visits :one", values: {":one": 1}, budget: {wcu: 1}}
  - {id: refused, name: pattern refused, operation: PutItem, item: {PK: "USER#{userId}", SK: PROFILE}, condition: "attribute_not_exists(PK)", create_share: 0, parameters: {userId: User.userId}, expect: {error: ConditionalCheckFailedException}}
  - {id: remove, name: pattern remove, operation: DeleteItem, key: {PK: "USER#{userId}", SK: PROFILE}, budget: {wcu: 1}}
  - {id: again, name: pattern again, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}, expect: {count: 1}}
  - {id: statement, name: pattern statement, operation: ExecuteStatement, statement: 'DELETE FROM "Shop" WHERE PK = ? AND SK = ?', parameters_list: ["USER#{userId}", PROFILE], budget: {wcu: 1}}
  - {id: last, name: pattern last, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}, expect: {count: 1}}
  - {id: nobody, name: pattern nobody, operation: GetItem, key: {PK: "USER#nobody", SK: PROFILE}, expect: {empty: true}}
"#,
    )
    .await;
    assert_eq!(errors(&outcome), BTreeMap::new(), "{outcome}");
    assert_eq!(outcome.report.counts(), (11, 0, 0), "{outcome}");
    let runs = outcome.report.patterns.iter().map(|tested| tested.runs.len());
    assert!(runs.into_iter().all(|runs| runs == 2), "each is run at 1x and 10x");
    outcome.assert();
}

#[tokio::test]
async fn each_fault_is_told_by_its_rule() {
    let outcome = tested(
        r#"
  - {id: dear, name: pattern dear, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}, consistent: true, budget: {rcu: 0.5}}
  - {id: grows, name: pattern grows, operation: Query, index: ByStatus, key: {GSI1PK: "STATUS#OPEN"}}
  - {id: scan, name: pattern scan, operation: Scan}
  - {id: empty, name: pattern empty, operation: GetItem, key: {PK: "USER#nobody", SK: PROFILE}}
  - {id: plan, name: pattern plan, operation: Query, key: {PK: "USER#{userId}"}, expect: {plan: range}}
  - {id: order, name: pattern order, operation: Query, key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}, order: desc, expect: {order: placed asc}}
  - {id: few, name: pattern few, operation: Query, key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}, expect: {count: 3}}
  - {id: index, name: pattern index, operation: PutItem, item: {entity: Order}, budget: {wcu: 1}}
  - {id: error, name: pattern error, operation: UpdateItem, key: {PK: "USER#{userId}", SK: PROFILE}, update: "SET name = :n", values: {":n": x}}
  - {id: gap, name: pattern gap, operation: GetItem, key: {PK: "PLACE#{place}", SK: PROFILE}}
"#,
    )
    .await;
    let expected: BTreeMap<&str, Vec<&str>> = [
        ("dear", vec!["budget-exceeded"]),
        ("grows", vec!["grows-with-table"]),
        ("scan", vec!["grows-with-table"]),
        ("empty", vec!["empty-read"]),
        ("plan", vec!["unexpected-plan"]),
        ("order", vec!["unexpected-order"]),
        ("few", vec!["unexpected-items"]),
        ("index", vec!["budget-exceeded"]),
        ("error", vec!["unexpected-error"]),
        ("gap", vec!["unfilled-parameter"]),
    ]
    .into();
    assert_eq!(errors(&outcome), expected, "{outcome}");
}

#[tokio::test]
async fn with_shared_state_writes_stay_for_the_patterns_after_them() {
    let patterns = r#"
  - {id: remove, name: pattern remove, operation: DeleteItem, key: {PK: "USER#{userId}", SK: PROFILE}}
  - {id: get, name: pattern get, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}}
"#;
    let model = Model::from_text(&format!("{SHOP}{patterns}")).unwrap();
    assert!(model.test().await.passed());
    let shared = model.test().scales(&[1]).shared_state().await;
    assert_eq!(errors(&shared), [("get", vec!["empty-read"])].into(), "{shared}");
}

#[tokio::test]
async fn the_write_amplification_of_indexes_is_shown() {
    let outcome = tested("  - {id: place, name: pattern place, operation: PutItem, item: {entity: Order}, condition: \"attribute_not_exists(PK)\"}\n").await;
    let amplification = outcome.report.amplification();
    assert_eq!(amplification.len(), 1, "{outcome}");
    assert_eq!((amplification[0].index.as_str(), amplification[0].per_table_unit), ("ByStatus", 1.0));
}
