//! Models run on the real engine: what passes, and what each fault is told as.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

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

/// A board in four shards: each score lies in the shard of its player.
const BOARD: &str = r#"
hashrange: 1
name: board
tables:
  Game:
    key: {hash: PK, range: SK}
    types: {board: S, score: N}
    indexes:
      Board: {key: {hash: board, range: score}}
entities:
  Score:
    key: {PK: "PLAYER#{playerId}", SK: "SCORE#{week}", board: "BOARD#{week}#{shard}"}
    attributes:
      playerId: ulid
      week: {values: [w1]}
      shard: int(0,3)
      score: int(1,90000)
    count: 80
    bytes: 900
patterns:
"#;

#[tokio::test]
async fn a_read_of_several_shards_is_a_request_for_each_and_one_answer() {
    let text = format!(
        r#"{BOARD}
  - {{id: top, name: best ten, operation: Query, index: Board, key: {{board: "BOARD#{{week}}#{{shard}}"}}, shards: 4, order: desc, limit: 10, expect: {{count: 10, order: score desc, plan: scatter, pages: 1}}, budget: {{rcu: 6}}}}
  - {{id: dear, name: best ten for less, operation: Query, index: Board, key: {{board: "BOARD#{{week}}#{{shard}}"}}, shards: 4, order: desc, limit: 10, budget: {{rcu: 5.5}}}}
  - {{id: all, name: all of them, operation: Query, index: Board, key: {{board: "BOARD#{{week}}#{{shard}}"}}, shards: 4, expect: {{count: 80, order: score asc}}}}
  - {{id: one, name: one shard, operation: Query, index: Board, key: {{board: "BOARD#{{week}}#{{shard}}"}}, order: desc, limit: 10, budget: {{rcu: 1.5}}}}
"#
    );
    let model = Model::from_text(&text).unwrap();
    let outcome = model.test().scales(&[1]).await;
    assert_eq!(errors(&outcome), [("dear", vec!["budget-exceeded"])].into(), "{outcome}");
    let top = &outcome.report.patterns[0];
    // Ten entries of 900 bytes are three steps of 4 KB, at half a unit: so much for each shard.
    let units = format!("{} planned, {} observed", top.plan.read_units(), top.runs[0].read_units());
    assert_eq!(units, "6 planned, 6 observed", "{outcome}");
    assert_eq!((top.runs[0].examined, top.runs[0].returned, top.runs[0].pages), (40, 10, 4));
    // The best ten of all are not those of one shard.
    let score = |item: &serde_json::Value| item["score"]["N"].as_str().unwrap().parse::<u64>().unwrap();
    let mut all: Vec<u64> = outcome.report.patterns[2].runs[0].items.iter().map(score).collect();
    all.reverse();
    assert_eq!(top.runs[0].items.iter().map(score).collect::<Vec<_>>(), all[..10]);
}

#[tokio::test]
async fn shards_without_a_key_of_their_own_are_an_error() {
    let text = format!(
        r#"{BOARD}
  - {{id: none, name: no shard in the key, operation: Query, key: {{PK: "PLAYER#{{playerId}}"}}, shards: 4}}
  - {{id: many, name: too many, operation: Query, index: Board, key: {{board: "BOARD#{{week}}#{{shard}}"}}, shards: 4000000000}}
  - {{id: more, name: more shards than there are, operation: Query, index: Board, key: {{board: "BOARD#{{week}}#{{shard}}"}}, shards: 5}}
"#
    );
    let outcome = Model::from_text(&text).unwrap().test().scales(&[1]).await;
    let wrong = vec!["shards-without-key"];
    let all = ["none", "many", "more"].map(|id| (id, wrong.clone()));
    assert_eq!(errors(&outcome), all.into(), "{outcome}");
    let messages: Vec<&str> = outcome.report.findings().map(|finding| finding.message.as_str()).collect();
    assert!(
        messages[0].contains("write {shard}") && messages[2].contains("{shard} takes 4 values"),
        "{messages:?}"
    );
}

#[tokio::test]
async fn shards_of_what_names_an_item_by_its_key_are_one_request_and_of_a_scan_an_error() {
    let text = format!(
        r#"{BOARD}
  - {{id: clicks, name: count in four shards, operation: UpdateItem, table: Game, key: {{PK: "CLICKS#{{week}}#{{shard}}", SK: N}}, update: {{add: {{n: 1}}}}, parameters: {{week: {{value: w1}}, shard: {{value: [a, b, c, d]}}}}, shards: 4, budget: {{wcu: 1}}}}
  - {{id: put, name: a score, operation: PutItem, item: {{entity: Score}}, shards: 4, budget: {{wcu: 2}}}}
  - {{id: scan, name: everything, operation: Scan, table: Game, purpose: batch, shards: 4}}
"#
    );
    let outcome = Model::from_text(&text).unwrap().test().scales(&[1]).await;
    assert_eq!(errors(&outcome), [("scan", vec!["shards-without-key"])].into(), "{outcome}");
    let runs: Vec<u64> = outcome.report.patterns[..2].iter().map(|tested| tested.runs[0].pages).collect();
    assert_eq!(runs, [1, 1], "a write picks one shard");
}

#[tokio::test]
async fn a_search_is_not_run_and_not_passed() {
    let outcome =
        tested("  - {id: like, name: alike, operation: SearchVectors, table: Shop, request: none}\n").await;
    assert_eq!(outcome.report.counts(), (0, 0, 1), "{outcome}");
    assert_eq!(outcome.report.patterns[0].outcome(), "not run: SearchVectors is not built yet");
    assert!(!outcome.report.patterns[0].passed());
}

#[tokio::test]
async fn nothing_passes_where_tables_cannot_be_made() {
    let text = SHOP.replace("Shop", "S");
    let text = format!("{text}  - {{id: scan, name: all, operation: Scan, table: S, purpose: batch}}\n");
    let outcome = Model::from_text(&text).unwrap().test().await;
    assert!(!outcome.report.problems.is_empty() && !outcome.report.passed(), "{outcome}");
    assert_eq!(outcome.report.counts(), (0, 0, 1), "{outcome}");
}

/// A user with attributes of all sorts, none of which is as a condition asks by chance.
const ACCOUNT: &str = r#"
hashrange: 1
name: account
tables:
  Shop: {key: {hash: PK, range: SK}}
entities:
  Account:
    key: {PK: "USER#{userId}", SK: PROFILE}
    attributes: {userId: uuid, tier: {values: [free, paid]}, visits: "int(1,9)", address: {type: M}, tags: {type: SS}, note: "text(300)", gone: {share: 0.2}}
    bytes: 900
  Event:
    key: {PK: "USER#{userId}", SK: "EVENT#{at}"}
    attributes: {userId: ref(Account.userId), at: iso-time, level: "int(1,3)", body: {type: M}}
    per_collection: 5
    bytes: 300
patterns:
"#;

#[tokio::test]
async fn samples_are_as_conditions_and_filters_ask() {
    let conditions = [
        "visits > :nine",
        "visits BETWEEN :nine AND :more",
        "visits IN (:more, :most)",
        "begins_with(note, :text)",
        "contains(note, :text)",
        "contains(tags, :text)",
        "attribute_exists(address.city)",
        "address.city = :text",
        "address.legs[1].sku <> :text AND size(address.legs) >= :two",
        "attribute_type(address.legs, :list)",
        "size(note) < :nine",
        "NOT (visits < :more OR attribute_exists(gone))",
        "tier = :paid AND attribute_not_exists(gone)",
        "(visits = :more OR address.city = :text) AND NOT contains(tags, :text)",
    ];
    let values =
        r#"{":nine": 9, ":more": 12, ":most": 15, ":text": fit, ":two": 2, ":list": L, ":paid": paid}"#;
    let used = |condition: &str| {
        let all = values.trim_matches(['{', '}']).split(", ");
        let used = all.filter(|pair| condition.contains(pair.split('"').nth(1).unwrap()));
        format!("{{{}}}", used.collect::<Vec<_>>().join(", "))
    };
    let mut text = ACCOUNT.to_owned();
    for (at, condition) in conditions.iter().enumerate() {
        let values = used(condition);
        write!(
            text,
            r#"
  - {{id: U{at}, name: "update {at}", operation: UpdateItem, key: {{PK: "USER#{{userId}}", SK: PROFILE}}, update: "SET seen = :yes", condition: "{condition}", values: {}}}
  - {{id: D{at}, name: "delete {at}", operation: DeleteItem, key: {{PK: "USER#{{userId}}", SK: PROFILE}}, condition: "{condition}", values: {values}}}
  - {{id: F{at}, name: "filter {at}", operation: Query, key: {{PK: "USER#{{userId}}", SK: PROFILE}}, filter: "{condition}", values: {values}, expect: {{count: 1}}}}
  - {{id: R{at}, name: "refused {at}", operation: UpdateItem, key: {{PK: "USER#{{userId}}", SK: PROFILE}}, update: "SET seen = :yes", condition: "NOT ({condition})", values: {}, expect: {{error: ConditionalCheckFailedException}}}}
"#,
            values.replacen('{', "{\":yes\": true, ", 1),
            values.replacen('{', "{\":yes\": true, ", 1),
        )
        .unwrap();
    }
    text += r##"
  - {id: E1, name: "events of a level that is rare", operation: Query, key: {PK: "USER#{userId}", SK: {begins_with: "EVENT#"}}, filter: "#l = :level AND body.kind = :kind", names: {"#l": level}, values: {":level": 7, ":kind": login}, parameters: {userId: Account.userId}, expect: {min: 1}}
  - {id: E2, name: "by statement", statement: 'SELECT * FROM "Shop" WHERE PK = ''USER#{userId}'' AND begins_with(SK, ''EVENT#'') AND body.kind = ''logout''', parameters: {userId: Account.userId}, expect: {min: 1}}
  - {id: E3, name: "changed by statement", statement: 'UPDATE "Shop" SET seen = 1 WHERE PK = ''USER#{userId}'' AND SK = ''PROFILE'' AND visits > 100', parameters: {userId: Account.userId}}
  - {id: E4, name: "the old way", operation: Query, request: {TableName: Shop, KeyConditions: {PK: {ComparisonOperator: EQ, AttributeValueList: [{S: "USER#{userId}"}]}}, QueryFilter: {visits: {ComparisonOperator: GT, AttributeValueList: [{N: "200"}]}}}, parameters: {userId: Account.userId}, expect: {min: 1}}
"##;
    let outcome = Model::from_text(&text).unwrap().test().await;
    assert_eq!(errors(&outcome), BTreeMap::new(), "{outcome}");
    assert_eq!(outcome.report.counts().0, 4 * conditions.len() + 4, "{outcome}");
}

#[tokio::test]
async fn a_condition_that_no_sample_can_satisfy_is_named() {
    let text = format!(
        r#"{ACCOUNT}
  - {{id: never, name: never, operation: DeleteItem, key: {{PK: "USER#{{userId}}", SK: PROFILE}}, condition: "visits > :nine AND visits < :one", values: {{":nine": 9, ":one": 1}}}}
  - {{id: key, name: a key is not changed, operation: Query, key: {{PK: "USER#{{userId}}", SK: PROFILE}}, filter: "begins_with(userId, :x)", values: {{":x": "~~"}}}}
"#
    );
    let outcome = Model::from_text(&text).unwrap().test().scales(&[1]).await;
    let expected = [("never", vec!["unexpected-error"]), ("key", vec!["empty-read"])].into();
    assert_eq!(errors(&outcome), expected, "{outcome}");
    let messages: Vec<&str> = outcome.report.findings().map(|finding| finding.message.as_str()).collect();
    assert!(messages[0].contains("no sample item was found for visits > 9 AND visits < 1"), "{messages:?}");
    assert!(messages[1].contains(r#"begins_with(userId, "~~")"#), "{messages:?}");
}
