//! Each rule about indexes: the fault, and the sights that are none.

use crate::check::Observed;
use crate::check::cases::{expect, findings, samples, seen};
use crate::finding::Evidence;
use crate::plan::Arm;

/// Orders with these indexes, and further patterns.
fn shop(indexes: &str, patterns: &str) -> String {
    format!(
        "tables:
  Shop:
    key: {{hash: userId, range: orderId}}
    types: {{userId: S, orderId: S, status: S, city: S, street: S}}
    indexes: {{{indexes}}}
entities:
  Order:
    attributes: {{userId: uuid, orderId: ulid, status: {{values: [OPEN, DONE], weights: [1, 99]}}, city: word, street: word, total: \"int(1,9)\", text: text(2400)}}
    count: 100000
patterns:
  - {{id: P0, name: Place, operation: PutItem, item: {{entity: Order}}, rate: {{peak: 10, avg: 5}}}}
{patterns}"
    )
}

const BY_STATUS: &str = "ByStatus: {key: {hash: status}}";
const READ: &str = "  - {id: P1, name: Of status, operation: Query, table: Shop, index: ByStatus, key: {status: \"{status}\"}}\n";

#[test]
fn an_index_that_no_pattern_reads_is_unused() {
    let rule = "index-unused";
    expect(rule, &shop(BY_STATUS, ""), &["warn index Shop.ByStatus"]);
    expect(rule, &shop(BY_STATUS, READ), &[]);
    expect(rule, &shop("ByStatus: {key: {hash: status}, used_for: nightly report}", ""), &[]);
    let said = &findings(&shop(BY_STATUS, ""), rule)[0];
    assert!(said.message.contains("USD per month"), "{}", said.message);
    // Where no pattern is stated, nothing is known of their absence.
    let bare = "tables: {T: {key: {hash: a}, types: {a: S, b: S}, indexes: {I: {key: {hash: b}}}}}\n";
    expect(rule, bare, &[]);
}

#[test]
fn what_metrics_say_is_not_read_for_a_month_is_unread() {
    let rule = "unread";
    let index = |more: &str| format!("ByStatus: {{key: {{hash: status}}, {more}}}");
    expect(rule, &shop(&index("usage: {days: 30, read_units: 0}"), ""), &["warn index Shop.ByStatus"]);
    // One root cause, one finding.
    expect("index-unused", &shop(&index("usage: {days: 30, read_units: 0}"), ""), &[]);
    let said = &findings(&shop(&index("usage: {days: 45, read_units: 0}"), READ), rule)[0];
    assert_eq!(said.message, "nothing has read it for 45 days, though P1 would");
    // Not measured is not unread; what is new was not measured for long; a purpose that is declared.
    for fine in [
        "projection: all",
        "usage: {days: 29, read_units: 0}",
        "used_for: audits, usage: {days: 45, read_units: 0}",
    ] {
        expect(rule, &shop(&index(fine), ""), &[]);
    }
    let read = shop(&index("usage: {days: 45, read_units: 12}"), "");
    expect(rule, &read, &[]);
    let said = &findings(&read, "index-unused")[0];
    assert!(
        said.message.contains("metrics say that something does: 12 read units in 45 days"),
        "{}",
        said.message
    );
    expect(
        rule,
        &format!("{}thresholds: {{unread.days: 60}}\n", shop(&index("usage: {days: 45, read_units: 0}"), "")),
        &[],
    );
}

#[test]
fn a_table_that_nothing_reads_stands_for_its_indexes() {
    let rule = "unread";
    let table = |more: &str| {
        format!(
            "tables: {{T: {{key: a, indexes: {{I: {{key: b, usage: {{days: 40, read_units: 0}}}}}}, usage: {{days: 40, read_units: 0}}{more}}}}}\n"
        )
    };
    expect(rule, &table(""), &["warn table T"]);
    expect(rule, &table(", stream: NEW_IMAGE"), &[]);
    expect(rule, &table(", kinesis: \"arn:aws:kinesis:eu-west-1:111122223333:stream/s\""), &[]);
}

#[test]
fn an_index_like_its_table_is_needless() {
    let rule = "index-duplicates-base";
    let read = "  - {id: P1, name: Of user, operation: Query, table: Shop, index: ByUser, key: {userId: \"{userId}\"}}\n";
    expect(rule, &shop("ByUser: {key: {hash: userId}}", read), &["warn index Shop.ByUser"]);
    expect(rule, &shop("ByUser: {key: {hash: userId, range: orderId}}", read), &["warn index Shop.ByUser"]);
    expect(
        rule,
        &shop("ByUser: {key: {hash: userId, range: orderId}, projection: [total]}", read),
        &["note index Shop.ByUser"],
    );
    expect(rule, &shop("ByUser: {key: {hash: userId, range: status}}", read), &[]);
    // Unused is the root cause where it is.
    expect(rule, &shop("ByUser: {key: {hash: userId}}", ""), &[]);
}

#[test]
fn an_index_whose_keys_begin_anothers_is_needless() {
    let rule = "index-duplicates-index";
    let read = |index: &str| {
        format!(
            "  - {{id: P{index}, name: Read, operation: Query, table: Shop, index: {index}, key: {{city: \"{{city}}\"}}}}\n"
        )
    };
    let both = format!("{}{}", read("A"), read("B"));
    let indexes = |a: &str, b: &str| format!("A: {{key: {{hash: city{a}}}, B: {{key: {{hash: city{b}}}");
    expect(
        rule,
        &shop(&indexes(", range: [status]}", ", range: [status, street]}"), &both),
        &["warn index Shop.A"],
    );
    expect(rule, &shop(&indexes("}", "}"), &both), &["warn index Shop.B"]);
    expect(rule, &shop(&indexes(", range: [status]}", ", range: [street]}"), &both), &[]);
    expect(
        rule,
        &shop(&indexes(", range: [status]}", ", range: [status, street]}, projection: keys"), &both),
        &[],
    );
}

#[test]
fn many_indexes_make_writes_dear() {
    let rule = "over-indexing";
    let many = |count: usize| {
        let names: Vec<String> = (0..count)
            .map(|at| format!("I{at}: {{key: {{hash: status, range: orderId}}, projection: keys}}"))
            .collect();
        names.join(", ")
    };
    expect(rule, &shop(&many(21), ""), &["error table Shop"]);
    // Each put costs 3 units in the table and one in each index: 7 of 3 is no fault, but four are many.
    expect(rule, &shop(&many(4), ""), &["note table Shop"]);
    expect(rule, &shop(&many(3), ""), &[]);
    expect(rule, &shop(&many(7), ""), &["warn table Shop"]);
    let reads = "  - {id: P1, name: Get, operation: GetItem, key: {userId: \"{userId}\", orderId: \"{orderId}\"}, rate: {peak: 9000, avg: 9000}}\n";
    expect(rule, &shop(&many(7), reads), &["note table Shop"]);
}

#[test]
fn writes_of_an_index_that_cost_more_than_declared_are_found() {
    let yaml = shop("ByStatus: {key: {hash: status}, projection: keys}", READ);
    let mut one = Observed::of("P0", Evidence::Run);
    let arm =
        |write: f64| Arm { table: "Shop".to_owned(), index: Some("ByStatus".to_owned()), read: 0.0, write };
    one.arms = vec![arm(2.0)];
    assert_eq!(seen(&yaml, &[one.clone()], "gsi-amplification-high").len(), 1);
    one.arms = vec![arm(1.0)];
    assert!(seen(&yaml, &[one], "gsi-amplification-high").is_empty());
}

#[test]
fn a_projection_of_all_is_too_wide_where_little_is_read() {
    let rule = "projection-all-wide";
    let narrow = "  - {id: P1, name: Of status, operation: Query, table: Shop, index: ByStatus, key: {status: \"{status}\"}, project: [total]}\n";
    expect(rule, &shop(BY_STATUS, narrow), &["warn index Shop.ByStatus"]);
    assert!(findings(&shop(BY_STATUS, narrow), rule)[0].advice.contains("[total]"));
    expect(rule, &shop(BY_STATUS, READ), &[]);
    expect(rule, &shop("ByStatus: {key: {hash: status}, projection: [total]}", narrow), &[]);
    let small = shop(BY_STATUS, narrow).replace("text(2400)", "text(400)");
    expect(rule, &small, &[]);
}

#[test]
fn an_index_that_no_item_enters_is_empty() {
    let rule = "index-empty";
    expect(rule, &shop(BY_STATUS, READ), &[]);
    let without = shop(BY_STATUS, READ).replace(" status: {values: [OPEN, DONE], weights: [1, 99]},", "");
    expect(rule, &without, &["error index Shop.ByStatus"]);
    let sampled = |item: &str| {
        format!("tables: {{T: {{key: {{hash: a}}, types: {{a: S, b: S}}, indexes: {{I: {{key: {{hash: b}}}}}}, items: [{item}]}}}}
patterns:
  - {{id: P1, name: Read, operation: Query, index: I, key: {{b: x}}}}
")
    };
    expect(rule, &sampled("{a: x}"), &["error index T.I"]);
    expect(rule, &sampled("{a: x}, {a: y, b: z}"), &[]);
}

#[test]
fn a_sparse_index_holds_few_items() {
    let rule = "sparse-not-sparse";
    let open = READ.replace("{status}", "OPEN");
    expect(rule, &shop(BY_STATUS, &open), &["warn index Shop.ByStatus"]);
    expect(rule, &shop(BY_STATUS, READ), &[]);
    let sparse = shop(BY_STATUS, &open)
        .replace("values: [OPEN, DONE], weights: [1, 99]", "values: [OPEN], share: 0.01");
    expect(rule, &sparse, &[]);
    let placeholder = shop(BY_STATUS, READ).replace("[OPEN, DONE]", "[OPEN, NONE]");
    expect(rule, &placeholder, &["warn index Shop.ByStatus"]);
}

#[test]
fn a_filter_that_keeps_little_wants_a_sparse_index() {
    let rule = "sparse-opportunity";
    let filter = |value: &str| {
        format!(
            "  - {{id: P1, name: Open, operation: Query, table: Shop, key: {{userId: \"{{userId}}\"}}, filter: \"#s = :s\", names: {{\"#s\": status}}, values: {{\":s\": {value}}}}}\n"
        )
    };
    expect(rule, &shop("", &filter("OPEN")), &["note pattern P1"]);
    expect(rule, &shop("", &filter("DONE")), &[]);
    let items =
        samples(40, |at| format!("a: x, b: \"{at}\", status: {}", if at == 7 { "OPEN" } else { "DONE" }));
    let sampled = format!(
        "tables:\n  T:\n    key: {{hash: a, range: b}}\n    items:\n{items}patterns:\n  - {{id: P1, name: Open, operation: Query, key: {{a: x}}, filter: \"#s = :s\", names: {{\"#s\": status}}, values: {{\":s\": OPEN}}}}\n"
    );
    expect(rule, &sampled, &["note pattern P1"]);
}

#[test]
fn an_index_must_carry_the_writes_of_its_table() {
    let rule = "gsi-throughput-below-base";
    let provisioned = |index: u32| {
        shop(&format!("ByStatus: {{key: {{hash: status}}, capacity: {{read: 5, write: {index}}}}}"), READ)
            .replace(
                "    key: {hash: userId",
                "    billing: provisioned\n    capacity: {read: 50, write: 100}\n    key: {hash: userId",
            )
    };
    // Ten puts per second of an entry of three steps.
    expect(rule, &provisioned(10), &["error index Shop.ByStatus"]);
    expect(rule, &provisioned(40), &[]);
    let unrated = provisioned(40).replace(", rate: {peak: 10, avg: 5}", "");
    expect(rule, &unrated, &["warn index Shop.ByStatus"]);
    let sparse = unrated.replace("weights: [1, 99]", "share: 0.01");
    expect(rule, &sparse, &[]);
}

#[test]
fn a_local_index_is_for_strong_reads() {
    let rule = "lsi-without-strong-read";
    let read = |more: &str| {
        format!(
            "  - {{id: P1, name: By status, operation: Query, table: Shop, index: L, key: {{userId: \"{{userId}}\"}}{more}}}\n"
        )
    };
    let local = "L: {kind: local, key: {hash: userId, range: status}}";
    expect(rule, &shop(local, &read("")), &["note index Shop.L"]);
    expect(rule, &shop(local, &read(", consistent: true")), &[]);
    expect(rule, &shop(local, ""), &[]);
}
