//! Each rule on small models: what it finds, and the same sight where it is no fault.

use super::super::*;
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::Arm;
use crate::testing::yaml;

pub(super) const TODAY: &str = "2026-11-30";

/// The single table of most cases; patterns and flows follow.
const SHOP: &str = r#"
hashrange: 1
name: shop
tables:
  Shop:
    key: {hash: PK, range: SK}
    indexes:
      ByEmail: {key: {hash: GSI1PK}, projection: all}
      ByStatus: {key: {hash: GSI2PK, range: GSI2SK}, projection: [total]}
entities:
  User:
    key: {PK: "USER#{userId}", SK: PROFILE, GSI1PK: "EMAIL#{email}"}
    attributes: {userId: uuid, email: email, name: name}
    count: 100000
  Order:
    key: {PK: "USER#{userId}", SK: "ORDER#{placedAt}#{orderId}", GSI2PK: "STATUS#{state}", GSI2SK: "{placedAt}"}
    attributes:
      userId: uuid
      orderId: uuid
      placedAt: iso-time
      state: {values: [pending, paid, shipped]}
      total: decimal(1,500,2)
      customerName: {copy_of: User.name}
    per_collection: 20
"#;

/// The finding of a rule on the shop with these patterns and flows.
fn shop(rule: &str, rest: &str) -> Vec<Finding> {
    of_rule(rule, &format!("{SHOP}{rest}"))
}

fn of_rule(rule: &str, text: &str) -> Vec<Finding> {
    check(&yaml(text), TODAY).into_iter().filter(|finding| finding.rule == rule).collect()
}

fn patterns(lines: &[&str]) -> String {
    let mut text = String::from("patterns:\n");
    for line in lines {
        text.extend(["  - {", line, "}\n"]);
    }
    text
}

/// Checks that each faulty line gives the rule's finding of that severity, and that no fine one gives any.
fn judge(rule: &str, severity: Severity, faulty: &[&str], fine: &[&str]) {
    for line in faulty {
        let found = shop(rule, &patterns(&[line]));
        assert_eq!(
            found.iter().map(|f| f.severity).collect::<Vec<_>>(),
            [severity],
            "{rule}: {line}\n{found:#?}"
        );
    }
    for line in fine {
        let found = shop(rule, &patterns(&[line]));
        assert!(found.is_empty(), "{rule}: {line}\n{found:#?}");
    }
}

#[test]
fn scans_for_callers_are_errors_unless_small_or_rare() {
    let faulty = [
        "id: P, name: all, operation: Scan",
        "id: P, name: big, operation: Scan, filter: \"price > :t\", values: {\":t\": 5}",
        "id: P, name: often, operation: Scan, purpose: batch, rate: {avg: 1}",
        "id: P, name: open, operation: ExecuteStatement, statement: \"SELECT * FROM \\\"Shop\\\" WHERE total > 5\"",
    ];
    let fine = [
        "id: P, name: nightly, operation: Scan, purpose: export, rate: {avg: 0.00001}",
        "id: P, name: user, operation: GetItem, key: {PK: \"USER#{userId}\", SK: PROFILE}",
    ];
    judge("scan-on-request-path", Severity::Error, &faulty, &fine);
    let small = "id: P, name: small, operation: Scan, items: 100, item_bytes: 200";
    judge("scan-on-request-path", Severity::Note, &[small], &[]);
}

#[test]
fn a_scan_of_the_pending_orders_of_millions_is_a_note() {
    let text = r"
hashrange: 1
name: pending
tables:
  Users:
    key: {hash: PK}
    count: 10000000
    indexes:
      Pending: {key: {hash: pendingSince}, projection: all, entry_count: 100000, entry_bytes: 300}
patterns:
  - {id: P, name: All pending, operation: Scan, index: Pending}
";
    let found = of_rule("scan-on-request-path", text);
    assert_eq!(found.iter().map(|f| f.severity).collect::<Vec<_>>(), [Severity::Note]);
}

#[test]
fn a_scan_with_a_filter_is_one_finding() {
    let line = "id: P, name: find, operation: Scan, filter: \"contains(customerName, :w)\", values: {\":w\": x}, limit: 10";
    let rules: Vec<&str> =
        check(&yaml(&format!("{SHOP}{}", patterns(&[line]))), TODAY).iter().map(|f| f.rule).collect();
    let reads = rules.iter().filter(|id| rule(id).is_some_and(|rule| rule.group == Group::Reads));
    assert_eq!(reads.collect::<Vec<_>>(), [&"scan-on-request-path"]);
}

#[test]
fn needs_without_a_key_are_unservable() {
    judge(
        "unservable",
        Severity::Error,
        &[
            "id: P, name: by total, need: {equal: [total]}",
            "id: P, name: late, operation: Query, key: {SK: PROFILE}",
        ],
        &[
            "id: P, name: by email, need: {equal: [email]}",
            "id: P, name: orders, need: {equal: [userId], range: placedAt}",
            "id: P, name: by words, need: {equal: [words]}, external: a search service",
        ],
    );
}

#[test]
fn long_collections_are_read_in_pages() {
    judge(
        "unbounded-query",
        Severity::Warn,
        &[
            "id: P, name: all, operation: Query, key: {PK: \"USER#{userId}\"}, items: 5000, item_bytes: 300",
            "id: P, name: all, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}, items: 5000, item_bytes: 300",
        ],
        &[
            "id: P, name: page, operation: Query, key: {PK: \"USER#{userId}\"}, items: 5000, item_bytes: 300, limit: 20",
            "id: P, name: since, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#{day}\"}}, items: 5000, item_bytes: 300",
            "id: P, name: job, operation: Query, key: {PK: \"USER#{userId}\"}, items: 5000, item_bytes: 300, purpose: batch",
            "id: P, name: few, operation: Query, key: {PK: \"USER#{userId}\"}",
        ],
    );
}

#[test]
fn pages_by_number_are_found_by_the_parameter() {
    let line = |parameter: &str| {
        format!(
            "id: P, name: page, operation: Query, key: {{PK: \"USER#{{userId}}\"}}, items: 200, item_bytes: 300, parameters: {{{parameter}: {{value: 3}}}}"
        )
    };
    judge("offset-pagination", Severity::Warn, &[&line("page"), &line("offset")], &[&line("since")]);
}

#[test]
fn counting_by_reading_is_judged_by_what_is_read() {
    let count = "operation: Query, key: {PK: \"USER#{userId}\"}, select: COUNT, item_bytes: 300";
    judge(
        "count-by-reading",
        Severity::Warn,
        &[&format!("id: P, name: c, {count}, items: 5000")],
        &[
            &format!("id: P, name: c, {count}, items: 50"),
            &format!("id: P, name: audit, {count}, items: 5000, purpose: admin"),
        ],
    );
}

#[test]
fn strong_reads_need_a_reason() {
    let get = "id: P, name: g, operation: GetItem, key: {PK: \"USER#{userId}\", SK: PROFILE}";
    judge(
        "strong-read-unneeded",
        Severity::Note,
        &[&format!("{get}, consistent: true")],
        &[get, &format!("{get}, consistent: true, declares: {{strong_reason: lock}}")],
    );
    let line = "id: P, name: g, operation: Query, index: ByEmail, key: {GSI1PK: \"EMAIL#{email}\"}, consistent: true";
    judge("strong-read-on-gsi", Severity::Error, &[line], &[get]);
    assert!(shop("strong-read-unneeded", &patterns(&[line])).is_empty(), "the refusal explains it");
}

#[test]
fn shards_are_judged_by_what_they_hold() {
    let line = |shards: u32| {
        format!(
            "id: P, name: feed, operation: Query, key: {{PK: \"USER#{{userId}}\"}}, shards: {shards}, items: 20, item_bytes: 300"
        )
    };
    judge("scatter-too-wide", Severity::Warn, &[&line(50), &line(10)], &[&line(3)]);
}

#[test]
fn a_global_index_gives_only_what_it_holds() {
    let query = "id: P, name: q, operation: Query, index: ByStatus, key: {GSI2PK: \"STATUS#{state}\"}";
    judge(
        "gsi-projection-miss",
        Severity::Error,
        &[
            &format!("{query}, project: [total, customerName]"),
            &format!("{query}, filter: \"customerName = :c\", values: {{\":c\": x}}"),
            &format!("{query}, select: ALL_ATTRIBUTES"),
        ],
        &[query, &format!("{query}, project: [total, PK, GSI2SK]")],
    );
}

#[test]
fn local_indexes_fetch_what_they_lack() {
    let text = |project: &str| {
        format!(
            r#"
hashrange: 1
name: local
tables:
  Orders:
    key: {{hash: PK, range: SK}}
    indexes:
      ByDate: {{kind: local, key: {{hash: PK, range: placedAt}}, projection: [total]}}
entities:
  Order: {{key: {{PK: "USER#{{userId}}", SK: "ORDER#{{orderId}}"}}, attributes: {{userId: uuid, orderId: uuid, placedAt: iso-time, total: "int(1,9)", note: "text(500)"}}, per_collection: 20, count: 100}}
patterns:
  - {{id: P, name: by date, operation: Query, index: ByDate, key: {{PK: "USER#{{userId}}"}}, project: [{project}]}}
"#
        )
    };
    assert_eq!(of_rule("lsi-fetch", &text("total, note")).len(), 1);
    assert!(of_rule("lsi-fetch", &text("total")).is_empty());
}

#[test]
fn filters_are_judged_by_what_they_drop() {
    let query = "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"price > :t\", values: {\":t\": 5}";
    let fat = "item_bytes: 2000";
    judge(
        "filter-discards-reads",
        Severity::Error,
        &[&format!("{query}, {fat}, items: 500, expect: {{max: 20}}")],
        &[
            &format!("{query}, {fat}, items: 500, expect: {{max: 400}}"),
            &format!("{query}, {fat}, items: 500, expect: {{max: 20}}, rate: {{avg: 0.001}}"),
            &format!("{query}, item_bytes: 20, items: 100, expect: {{max: 2}}"),
            &format!("{query}, {fat}, items: 8, expect: {{max: 1}}"),
            &format!("{query}, {fat}, items: 500"),
        ],
    );
    judge(
        "filter-discards-reads",
        Severity::Warn,
        &[&format!("{query}, {fat}, items: 500, expect: {{max: 200}}")],
        &[],
    );
}

#[test]
fn what_a_run_observes_outweighs_what_is_declared() {
    let line = "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"price > :t\", values: {\":t\": 5}";
    let catalogue = yaml(&format!("{SHOP}{}", patterns(&[line])));
    let arm = |read| Arm { table: "Shop".to_owned(), index: None, read, write: 0.0 };
    let mut seen = Observed::of("P", Evidence::Run);
    (seen.examined, seen.returned, seen.arms) = (200.0, 4.0, vec![arm(40.0)]);
    let found = check_observed(&catalogue, &[seen.clone()], TODAY);
    let finding = found.iter().find(|f| f.rule == "filter-discards-reads").unwrap();
    assert_eq!((finding.severity, finding.evidence), (Severity::Error, Evidence::Run));
    // All that was examined fits one step: nothing could be saved.
    seen.arms = vec![arm(0.5)];
    let found = check_observed(&catalogue, &[seen], TODAY);
    assert!(found.iter().all(|f| f.rule != "filter-discards-reads"));
}

#[test]
fn a_filter_that_a_key_could_test_is_told_which() {
    judge(
        "filter-could-be-key",
        Severity::Warn,
        &[
            "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}, filter: \"placedAt > :t\", values: {\":t\": \"{since}\"}",
        ],
        &[
            "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"price > :t\", values: {\":t\": 5}",
            "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}",
        ],
    );
}

#[test]
fn a_limit_with_a_filter_promises_too_much() {
    let query = "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"price > :t\", values: {\":t\": 5}";
    judge(
        "limit-with-filter",
        Severity::Warn,
        &[&format!("{query}, limit: 20")],
        &[
            query,
            &format!("{query}, limit: 20, declares: [loops]"),
            &format!("{query}, limit: 20, purpose: batch"),
        ],
    );
}

#[test]
fn a_page_of_one_kind_asks_for_its_prefix() {
    let newest = "id: P, name: q, operation: Query, order: desc, limit: 10";
    judge(
        "mixed-collection-page",
        Severity::Warn,
        &[
            &format!("{newest}, key: {{PK: \"USER#{{userId}}\"}}"),
            &format!("{newest}, key: {{PK: \"USER#{{userId}}\"}}, entities: {{Order: 10}}"),
            // One begins_with does not return the user and all orders: PROFILE does not begin with ORDER#.
            "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}, entities: {User: 1, Order: 20}",
        ],
        &[
            &format!("{newest}, key: {{PK: \"USER#{{userId}}\", SK: {{begins_with: \"ORDER#\"}}}}"),
            &format!("{newest}, key: {{PK: \"USER#{{userId}}\"}}, declares: [all_types]"),
            "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\"}, entities: {User: 1, Order: 20}",
        ],
    );
    let found =
        shop("mixed-collection-page", &patterns(&[&format!("{newest}, key: {{PK: \"USER#{{userId}}\"}}")]));
    assert!(
        found[0].message.contains("User, then Order"),
        "PROFILE is last ascending, first descending: {found:?}"
    );
}

#[test]
fn searches_inside_texts_need_another_service() {
    let query = "id: P, name: q, operation: Query, key: {PK: \"USER#{userId}\"}, filter: \"contains(customerName, :w)\", values: {\":w\": x}";
    judge(
        "search-in-key-store",
        Severity::Warn,
        &[&format!("{query}, items: 500, item_bytes: 300")],
        &[&format!("{query}, items: 10, item_bytes: 300")],
    );
    let named = "id: P, name: Shops nearby, operation: Query, key: {PK: \"USER#{userId}\"}, items: 500, item_bytes: 300";
    judge("search-in-key-store", Severity::Note, &[named], &[]);
}

const FLOW_PATTERNS: &[&str] = &[
    "id: GetUser, name: g, operation: GetItem, key: {PK: \"USER#{userId}\", SK: PROFILE}",
    "id: PutUser, name: p, operation: PutItem, item: {entity: User}",
    "id: PutOwn, name: p, operation: PutItem, item: {entity: User}, declares: [last_writer_wins, single_writer]",
    "id: PutVersion, name: p, operation: PutItem, item: {entity: User}, condition: \"version = :v\", values: {\":v\": 1}",
    "id: NewUser, name: p, operation: PutItem, item: {entity: User}, condition: \"attribute_not_exists(PK)\"",
    "id: SetName, name: u, operation: UpdateItem, key: {PK: \"USER#{id}\", SK: PROFILE}, update: \"SET #n = :n\", names: {\"#n\": name}, values: {\":n\": x}",
    "id: SetKnown, name: u, operation: UpdateItem, key: {PK: \"USER#{id}\", SK: PROFILE}, update: \"SET #n = :n\", names: {\"#n\": name}, values: {\":n\": x}, condition: \"attribute_exists(PK)\"",
    "id: ByEmail, name: q, operation: Query, index: ByEmail, key: {GSI1PK: \"EMAIL#{email}\"}",
    "id: ByStatus, name: q, operation: Query, index: ByStatus, key: {GSI2PK: \"STATUS#{state}\"}, limit: 20",
    "id: GetOrder, name: g, operation: GetItem, key: {PK: \"USER#{userId}\", SK: \"ORDER#{placedAt}#{orderId}\"}, item_bytes: 300",
    "id: ShipOrder, name: u, operation: UpdateItem, key: {PK: \"USER#{userId}\", SK: \"ORDER#{placedAt}#{orderId}\"}, update: \"REMOVE GSI2PK\"",
    "id: BatchOrders, name: b, operation: BatchGetItem, keys: [{PK: \"USER#{userId}\", SK: \"ORDER#{placedAt}#{orderId}\"}]",
];

fn flows(rule: &str, severity: Severity, faulty: &[&str], fine: &[&str]) {
    for (lines, expected) in [(faulty, vec![severity]), (fine, Vec::new())] {
        for flow in lines {
            let text = format!("{}flows:\n  - {{name: f, {flow}}}\n", patterns(FLOW_PATTERNS));
            let found = shop(rule, &text);
            assert_eq!(
                found.iter().map(|f| f.severity).collect::<Vec<_>>(),
                expected,
                "{rule}: {flow}\n{found:#?}"
            );
        }
    }
}

#[test]
fn gets_after_a_query_of_an_index_could_be_projected() {
    flows(
        "read-then-fetch",
        Severity::Warn,
        &["steps: [ByStatus, {pattern: GetOrder, times: 20, for_each: true}]"],
        &[
            "steps: [ByEmail, {pattern: GetOrder, times: 20, for_each: true}]",
            "steps: [ByStatus, {pattern: GetOrder, times: 20, for_each: true}, {pattern: ShipOrder, times: 20, for_each: true}]",
        ],
    );
}

#[test]
fn many_gets_of_one_flow_are_one_batch() {
    flows(
        "n-plus-one",
        Severity::Warn,
        &["steps: [GetUser, {pattern: GetOrder, times: 12}]", "steps: [GetUser, GetOrder, GetOrder]"],
        &["steps: [GetUser, GetOrder]", "steps: [GetUser, BatchOrders]"],
    );
}

#[test]
fn an_index_is_late_after_a_write() {
    flows(
        "gsi-read-after-write",
        Severity::Warn,
        &["steps: [NewUser, ByEmail]"],
        &[
            "steps: [NewUser, ByEmail], stale_ok: true",
            "steps: [NewUser, GetUser]",
            "steps: [NewUser, ByStatus]",
            "steps: [ByEmail, NewUser]",
        ],
    );
}

#[test]
fn looking_first_and_writing_then_needs_a_condition() {
    flows(
        "check-then-write",
        Severity::Warn,
        &["steps: [GetUser, SetName]"],
        &[
            "steps: [GetUser, SetKnown]",
            "steps: [GetOrder, SetName]",
            "steps: [GetUser, PutOwn]",
            "steps: [SetName, GetUser]",
        ],
    );
    // The condition on the key does not keep two users from having one address.
    flows(
        "check-then-write",
        Severity::Error,
        &["steps: [ByEmail, NewUser]", "steps: [ByEmail, PutUser]"],
        &[],
    );
}

#[test]
fn putting_back_whole_what_was_read_loses_updates() {
    flows(
        "lost-update",
        Severity::Warn,
        &["steps: [GetUser, PutUser]"],
        &[
            "steps: [GetUser, PutVersion]",
            "steps: [GetUser, PutOwn]",
            "steps: [GetUser, NewUser]",
            "steps: [GetUser, SetName]",
        ],
    );
    flows("check-then-write", Severity::Warn, &[], &["steps: [GetUser, PutUser]"]);
}

#[test]
fn creating_needs_the_condition_that_there_is_none() {
    let put = "operation: PutItem, item: {entity: User}";
    judge(
        "create-without-condition",
        Severity::Warn,
        &[
            &format!("id: P, name: Register a user, {put}"),
            &format!("id: P, name: u, create_share: 1, {put}"),
        ],
        &[
            &format!("id: P, name: Register a user, {put}, condition: \"attribute_not_exists(PK)\""),
            &format!("id: P, name: Register a user, {put}, declares: [upsert]"),
            &format!("id: P, name: Create users, {put}, purpose: batch"),
            &format!("id: P, name: Save a user, {put}"),
            "id: P, name: Place an order event, operation: PutItem, item: {entity: Order}",
        ],
    );
}

#[test]
fn a_put_that_updates_drops_what_it_does_not_carry() {
    let partial = "operation: PutItem, item: {PK: \"USER#{userId}\", SK: PROFILE, name: \"{name}\"}";
    judge(
        "put-as-update",
        Severity::Warn,
        &[&format!("id: P, name: Change the name, {partial}")],
        &[
            &format!("id: P, name: Change the name, {partial}, declares: [full_replace]"),
            &format!("id: P, name: Register, {partial}"),
            "id: P, name: Change the user, operation: PutItem, item: {entity: User}",
        ],
    );
}

#[test]
fn an_update_of_a_wrong_key_makes_a_stub() {
    let update = |text: &str| {
        format!(
            "id: P, name: u, operation: UpdateItem, key: {{PK: \"USER#{{userId}}\", SK: PROFILE}}, {text}"
        )
    };
    judge(
        "upsert-phantom",
        Severity::Warn,
        &[&update("update: \"SET lastSeen = :t\", values: {\":t\": x}")],
        &[
            &update(
                "update: \"SET lastSeen = :t\", values: {\":t\": x}, condition: \"attribute_exists(PK)\"",
            ),
            &update(
                "update: \"SET lastSeen = :t\", values: {\":t\": x, \":v\": 1}, condition: \"version = :v\"",
            ),
            &update("update: \"ADD visits :one\", values: {\":one\": 1}"),
            &update("update: \"SET lastSeen = :t\", values: {\":t\": x}, declares: [upsert]"),
            "id: P, name: u, operation: ExecuteStatement, statement: \"UPDATE \\\"Shop\\\" SET lastSeen = 'x' WHERE PK = 'USER#1' AND SK = 'PROFILE'\"",
        ],
    );
}

#[test]
fn amounts_are_not_added_twice() {
    let update = |text: &str| {
        format!(
            "id: P, name: u, operation: UpdateItem, key: {{PK: \"USER#{{userId}}\", SK: PROFILE}}, {text}"
        )
    };
    judge(
        "counter-non-idempotent",
        Severity::Warn,
        &[
            &update("update: \"ADD balance :n\", values: {\":n\": 5}"),
            &update("update: \"SET stock = stock - :n\", values: {\":n\": 5}, condition: \"stock >= :n\""),
        ],
        &[
            &update("update: \"ADD views :n\", values: {\":n\": 1}"),
            &update("update: \"ADD balance :n\", values: {\":n\": 5}, declares: [approximate]"),
            &update(
                "update: \"SET balance = balance + :n, version = :w\", values: {\":n\": 5, \":w\": 2, \":v\": 1}, condition: \"version = :v\"",
            ),
        ],
    );
}

#[test]
fn copies_and_keys_change_with_their_origin() {
    let update =
        |key: &str, text: &str| format!("id: P, name: u, operation: UpdateItem, key: {{{key}}}, {text}");
    let user = "PK: \"USER#{userId}\", SK: PROFILE";
    let order = "PK: \"USER#{userId}\", SK: \"ORDER#{placedAt}#{orderId}\"";
    judge(
        "copy-not-atomic",
        Severity::Warn,
        &[
            &update(user, "update: \"SET #n = :n\", names: {\"#n\": name}, values: {\":n\": x}"),
            &update(order, "update: \"SET #s = :s\", names: {\"#s\": state}, values: {\":s\": paid}"),
        ],
        &[
            &update(user, "update: \"SET lastSeen = :n\", values: {\":n\": x}"),
            &update(
                user,
                "description: the stream carries it on, update: \"SET #n = :n\", names: {\"#n\": name}, values: {\":n\": x}",
            ),
            &update(
                order,
                "update: \"SET #s = :s, GSI2PK = :k\", names: {\"#s\": state}, values: {\":s\": paid, \":k\": \"STATUS#paid\"}",
            ),
        ],
    );
}

#[test]
fn keys_that_change_are_no_keys() {
    let update = |text: &str| {
        format!(
            "id: P, name: u, operation: UpdateItem, key: {{PK: \"USER#{{userId}}\", SK: \"ORDER#{{placedAt}}#{{orderId}}\"}}, {text}"
        )
    };
    judge(
        "mutable-primary-key",
        Severity::Error,
        &[&update("update: \"SET placedAt = :t\", values: {\":t\": x}")],
        &[
            &update("update: \"SET placedAt = :t\", values: {\":t\": x}, purpose: admin"),
            &update("update: \"SET note = :t\", values: {\":t\": x}"),
        ],
    );
    let moves = "update: \"SET GSI2PK = :k, #s = :s\", names: {\"#s\": state}, values: {\":k\": \"STATUS#paid\", \":s\": paid}";
    judge(
        "mutable-gsi-key",
        Severity::Note,
        &[&update(moves)],
        &[&update("update: \"REMOVE GSI2PK\""), &update(&format!("{moves}, rate: {{avg: 0.1}}"))],
    );
    // Above 20 % of all cost it is a warning.
    judge("mutable-gsi-key", Severity::Warn, &[&update(&format!("{moves}, rate: {{avg: 100}}"))], &[]);
}

#[test]
fn small_changes_of_big_items_are_dear() {
    let update = |text: &str| {
        format!(
            "id: P, name: u, operation: UpdateItem, key: {{PK: \"USER#{{userId}}\", SK: PROFILE}}, update: \"ADD visits :n\", values: {{\":n\": 1}}, {text}"
        )
    };
    judge(
        "update-amplification",
        Severity::Warn,
        &[&update("item_bytes: 20000, rate: {avg: 50}")],
        &[&update("item_bytes: 2000, rate: {avg: 50}"), &update("item_bytes: 20000, rate: {avg: 0.5}")],
    );
    judge("update-amplification", Severity::Note, &[&update("item_bytes: 20000")], &[]);
}

#[test]
fn refused_writes_are_paid_for() {
    let put = "id: P, name: Claim, operation: PutItem, item: {entity: User}, condition: \"attribute_not_exists(PK)\", rate: {avg: 50}";
    judge(
        "condition-failure-cost",
        Severity::Note,
        &[&format!("{put}, fail_rate: 0.5")],
        &[&format!("{put}, fail_rate: 0.1"), &put.replace("Claim", "Take the lock")],
    );
}

#[test]
fn transactions_are_for_several_items() {
    let single = "operation: TransactWriteItems, actions: [{put: {entity: User}, condition: \"attribute_not_exists(PK)\"}]";
    judge(
        "transaction-single-item",
        Severity::Warn,
        &[&format!("id: P, name: t, {single}")],
        &[
            &format!("id: P, name: t, {single}, declares: {{transaction_reason: token}}"),
            "id: P, name: t, operation: TransactWriteItems, actions: [{put: {entity: User}}, {put: {entity: Order}}]",
        ],
    );
}

#[test]
fn transactions_by_default_are_counted_over_all_writes() {
    let double = "operation: TransactWriteItems, actions: [{put: {entity: User}}, {put: {entity: Order}}]";
    let transactions = |number: usize, plain: usize| {
        let lines: Vec<String> = (0..number)
            .map(|at| format!("id: T{at}, name: t, {double}"))
            .chain(
                (0..plain)
                    .map(|at| format!("id: P{at}, name: p, operation: PutItem, item: {{entity: User}}")),
            )
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        shop("transaction-default", &patterns(&lines)).first().map(|finding| finding.severity)
    };
    assert_eq!(transactions(4, 0), Some(Severity::Warn));
    assert_eq!(transactions(3, 1), Some(Severity::Note));
    assert_eq!(transactions(2, 2), None);
    assert_eq!(transactions(3, 0), None);
}

#[test]
fn one_item_in_many_transactions_conflicts() {
    let line = |key: &str, rate: &str| {
        format!(
            "id: P, name: t, operation: TransactWriteItems, actions: [{{put: {{entity: Order}}}}, {{update: {{key: {{PK: {key}, SK: ALL}}, update: \"ADD n :n\", values: {{\":n\": 1}}}}}}]{rate}"
        )
    };
    judge(
        "hot-transaction",
        Severity::Warn,
        &[&line("TOTALS", ", rate: {peak: 200}")],
        &[&line("TOTALS", ", rate: {peak: 5}"), &line("\"USER#{userId}\"", ", rate: {peak: 200}")],
    );
    judge("hot-transaction", Severity::Note, &[&line("TOTALS", "")], &[]);
}

#[test]
fn a_batch_is_not_atomic() {
    let batch = "operation: BatchWriteItem, items: [{put: {entity: User}}, {put: {entity: Order}}]";
    judge(
        "batch-as-atomic",
        Severity::Warn,
        &[&format!("id: P, name: Write user and order together, {batch}")],
        &[
            &format!("id: P, name: Load, {batch}"),
            &format!("id: P, name: Load together, {batch}, purpose: batch"),
        ],
    );
}

#[test]
fn what_the_api_refuses_is_found_offline() {
    let query = "id: P, name: q, operation: Query";
    judge(
        "filter-on-key",
        Severity::Error,
        &[&format!(
            "{query}, key: {{PK: \"USER#{{userId}}\"}}, filter: \"begins_with(SK, :o)\", values: {{\":o\": ORDER}}"
        )],
        &[&format!(
            "{query}, index: ByEmail, key: {{GSI1PK: \"EMAIL#{{email}}\"}}, filter: \"begins_with(SK, :o)\", values: {{\":o\": ORDER}}"
        )],
    );
    let update = |text: &str| {
        format!(
            "id: P, name: u, operation: UpdateItem, key: {{PK: \"USER#{{userId}}\", SK: PROFILE}}, update: \"{text}\", values: {{\":s\": x}}"
        )
    };
    judge("reserved-word", Severity::Error, &[&update("SET status = :s")], &[&update("SET state_ = :s")]);
    judge("invalid-expression", Severity::Error, &[&update("SET a + :s")], &[&update("SET a = :s")]);
    judge(
        "transaction-too-large",
        Severity::Error,
        &[
            "id: P, name: t, operation: TransactWriteItems, items: 150",
            "id: P, name: t, operation: TransactWriteItems, items: 90, item_bytes: 60000",
        ],
        &["id: P, name: t, operation: TransactWriteItems, items: 90"],
    );
}

#[test]
fn loads_in_the_order_of_keys_fill_one_partition() {
    let load = "operation: BatchWriteItem, purpose: batch, items: [{put: {entity: User}}]";
    let rate = |peak: u32| {
        format!("id: P, name: Load the users sorted by id, {load}, item_bytes: 1000, rate: {{peak: {peak}}}")
    };
    judge(
        "bulk-load-in-key-order",
        Severity::Warn,
        &[&rate(5000)],
        &[&format!("id: P, name: Load the users, {load}")],
    );
    judge("bulk-load-in-key-order", Severity::Note, &[&rate(10)], &[]);
}

#[test]
fn a_cache_does_not_help_strong_reads() {
    let get =
        "id: P, name: g, operation: GetItem, key: {PK: \"USER#{userId}\", SK: PROFILE}, declares: [cached]";
    judge("cache-misuse", Severity::Note, &[&format!("{get}, consistent: true")], &[get]);
}

#[test]
fn tables_that_the_api_refuses_are_found_offline() {
    let table = |rest: &str| {
        format!("hashrange: 1\nname: t\ntables:\n  T:\n    key: {{hash: PK, range: SK}}\n{rest}")
    };
    for (rule, text, severity) in [
        (
            "key-type-mismatch",
            "    types: {SK: N}\n    items: [{PK: {S: a}, SK: {S: b}}]\n",
            Some(Severity::Error),
        ),
        ("key-type-mismatch", "    types: {SK: N}\n    items: [{PK: {S: a}, SK: {N: \"1\"}}]\n", None),
        (
            "key-type-mismatch",
            "    indexes: {I: {key: {hash: level}}}\nentities: {E: {table: T, attributes: {level: \"int(1,9)\"}}}\n",
            Some(Severity::Error),
        ),
        (
            "key-type-mismatch",
            "    types: {level: N}\n    indexes: {I: {key: {hash: level}}}\nentities: {E: {table: T, attributes: {level: \"int(1,9)\"}}}\n",
            None,
        ),
        ("include-limits", "    indexes: {I: {key: {hash: g}, projection: []}}\n", Some(Severity::Error)),
        ("include-limits", "    indexes: {I: {key: {hash: g}, projection: [a]}}\n", None),
        // 21 attributes are fine for the service, and too many for one type of resource.
        (
            "include-limits",
            "    indexes: {I: {key: {hash: g}, projection: [a,b,c,d,e,f,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v]}}\n",
            None,
        ),
        (
            "include-limits",
            "    resource: AWS::DynamoDB::Table\n    indexes: {I: {key: {hash: g}, projection: [a,b,c,d,e,f,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v]}}\n",
            None,
        ),
        (
            "include-limits",
            "    resource: AWS::DynamoDB::GlobalTable\n    indexes: {I: {key: {hash: g}, projection: [a,b,c,d,e,f,h,i,j,k,l,m,n,o,p,q,r,s,t,u]}}\n",
            None,
        ),
        (
            "include-limits",
            "    resource: AWS::DynamoDB::GlobalTable\n    indexes: {I: {key: {hash: g}, projection: [a,b,c,d,e,f,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v]}}\n",
            Some(Severity::Error),
        ),
    ] {
        let found = of_rule(rule, &table(text)).first().map(|finding| finding.severity);
        assert_eq!(found, severity, "{rule}: {text}");
    }
    let long = "x".repeat(1100);
    let items = |text: &str| table(&format!("    items: [{{PK: a, SK: {text}}}]\n"));
    assert_eq!(of_rule("key-size", &items(&long))[0].severity, Severity::Error);
    assert_eq!(of_rule("key-size", &items(&long[..300]))[0].severity, Severity::Note);
    assert!(of_rule("key-size", &items("short")).is_empty());
    let mut catalogue = yaml(&table(""));
    catalogue.tables[0].definitions.insert("total".to_owned(), crate::catalogue::KeyType::N);
    assert!(check(&catalogue, TODAY).iter().any(|finding| finding.rule == "definitions-mismatch"));
}

#[test]
fn what_is_not_built_is_named_as_not_run() {
    let search = "id: P, name: s, operation: SearchVectors, table: Shop, request: none, items: 10";
    let get = "id: P, name: g, operation: GetItem, key: {PK: \"USER#{userId}\", SK: PROFILE}";
    judge("not-run", Severity::Note, &[search], &[get, &format!("{search}, external: elsewhere")]);
    let model = yaml(&format!("{SHOP}{}", patterns(&[search])));
    assert_eq!(overview(&model)[0].arms, "not run: SearchVectors is not built yet");
    let said = check(&model, TODAY).into_iter().filter(|finding| finding.rule == "not-run");
    let said: Vec<String> = said.map(|finding| finding.message).collect();
    assert_eq!(said, ["not run: SearchVectors is not built yet"]);
}
