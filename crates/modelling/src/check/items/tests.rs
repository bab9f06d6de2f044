//! Each rule about items and expiry: the fault, and the sights that are none.

use crate::check::cases::{expect, samples};

fn document(fields: &str) -> String {
    format!(
        "tables: {{T: {{key: {{hash: PK}}}}}}\nentities: {{Doc: {{key: {{PK: \"DOC#{{id}}\"}}, attributes: {{id: uuid}}{fields}}}}}\n"
    )
}

#[test]
fn items_have_a_largest_size() {
    let rule = "item-too-large";
    expect(rule, &document(", bytes: 420000"), &["error entity Doc"]);
    expect(rule, &document(", bytes: 150000"), &["warn entity Doc"]);
    expect(rule, &document(", bytes: 5000, p99_bytes: 350000"), &["warn entity Doc"]);
    expect(rule, &document(", bytes: 5000, p99_bytes: 200000"), &[]);
    let sample = |bytes: usize| {
        format!("tables: {{T: {{key: {{hash: PK}}, items: [{{PK: a, text: \"{}\"}}]}}}}\n", "x".repeat(bytes))
    };
    expect(rule, &sample(410_000), &["error table T"]);
    expect(rule, &sample(1_000), &[]);
}

#[test]
fn large_attributes_are_paid_for_by_every_read() {
    let rule = "large-attribute";
    let product = |bytes: usize, project: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK}}}}}}
entities: {{Product: {{key: {{PK: \"P#{{id}}\"}}, attributes: {{id: uuid, name: name, manual: {{type: S, bytes: {bytes}}}}}, bytes: {}}}}}
patterns:
  - {{id: P1, name: Product, operation: GetItem, key: {{PK: \"P#{{id}}\"}}{project}}}
",
            bytes + 12_000
        )
    };
    expect(rule, &product(80_000, ""), &["warn entity Product"]);
    expect(rule, &product(80_000, ", project: [manual]"), &[]);
    expect(rule, &product(8_000, ", project: [name]"), &["warn entity Product"]);
    expect(rule, &product(8_000, ""), &[]);
    let sample =
        |text: &str| format!("tables: {{T: {{key: {{hash: PK}}, items: [{{PK: a, b: '{text}'}}]}}}}\n");
    expect(rule, &sample(&format!("iVBORw0KGgo{}", "A".repeat(2_000))), &["warn table T"]);
    expect(rule, &sample(&format!("{{\"a\": \"{}\"}}", "x".repeat(2_000))), &["warn table T"]);
    expect(rule, &sample("{\"a\": 1}"), &[]);
}

fn update(expression: &str, more: &str) -> String {
    format!(
        "tables: {{T: {{key: {{hash: PK}}}}}}
patterns:
  - {{id: P1, name: Add, operation: UpdateItem, key: {{PK: x}}, update: \"{expression}\"{more}}}
"
    )
}

#[test]
fn lists_that_grow_need_a_bound() {
    let rule = "unbounded-list";
    let value = ", values: {\":c\": [a]}";
    let append = "SET comments = list_append(comments, :c)";
    expect(rule, &update(append, value), &["warn pattern P1"]);
    expect(rule, &update("SET n = n + :c", ", values: {\":c\": 1}"), &[]);
    let bounded = ", condition: \"size(comments) < :m\", values: {\":c\": [a], \":m\": 10}";
    expect(rule, &update(append, bounded), &[]);
}

#[test]
fn numbers_as_text_are_noted_where_they_are_compared() {
    let rule = "number-as-string";
    let table = |name: &str, filter: &str| {
        let items = samples(24, |at| format!("PK: \"a{at}\", {name}: \"{at}\""));
        format!(
            "tables:
  T:
    key: {{hash: PK}}
    items:
{items}patterns:
  - {{id: P1, name: All, operation: Scan, purpose: batch{filter}}}
"
        )
    };
    let filter = |name: &str| format!(", filter: \"{name} > :v\", values: {{\":v\": \"3\"}}");
    expect(rule, &table("price", &filter("price")), &["note table T"]);
    expect(rule, &table("price", ""), &[]);
    expect(rule, &table("zip", &filter("zip")), &[]);
}

#[test]
fn time_to_live_is_seconds_under_the_right_name() {
    let rule = "ttl-type";
    let sample = |item: &str| {
        format!("tables: {{T: {{key: {{hash: PK}}, ttl: expiresAt, items: [{{PK: a, {item}}}]}}}}\n")
    };
    expect(rule, &sample("expiresAt: 1798761600"), &[]);
    expect(rule, &sample("expiresAt: 1798761600000"), &["error table T"]);
    expect(rule, &sample("expiresAt: \"2027-01-01\""), &["error table T"]);
    expect(rule, &sample("expiresAt: 1400000000"), &["error table T"]);
    expect(rule, &sample("expireAt: 1798761600"), &["error table T"]);
    // One item without it may be one that stays.
    expect(rule, &sample("name: x"), &[]);
    let items = samples(20, |at| format!("PK: \"a{at}\""));
    let never = format!("tables:\n  T:\n    key: {{hash: PK}}\n    ttl: expiresAt\n    items:\n{items}");
    expect(rule, &never, &["error table T"]);
    let declared = |format: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK}}, ttl: expiresAt}}}}\nentities: {{E: {{key: {{PK: \"{{id}}\"}}, attributes: {{id: uuid, expiresAt: {format}}}}}}}\n"
        )
    };
    expect(rule, &declared("epoch"), &[]);
    expect(rule, &declared("epoch-ms"), &["error table T"]);
    expect(rule, &declared("iso-time"), &["error table T"]);
}

fn sessions(ttl: &str, patterns: &str) -> String {
    format!(
        "tables: {{T: {{key: {{hash: PK, range: SK}}{ttl}}}}}
entities: {{Session: {{key: {{PK: \"USER#{{u}}\", SK: \"SESSION#{{s}}\"}}, attributes: {{u: uuid, s: ulid, expiresAt: epoch}}}}}}
patterns:
  - {{id: P1, name: Log in, operation: PutItem, item: {{entity: Session}}}}
{patterns}"
    )
}

#[test]
fn expired_items_are_still_read() {
    let rule = "ttl-as-timer";
    let query = |more: &str| {
        format!(
            "  - {{id: P2, name: Sessions, operation: Query, key: {{PK: \"USER#{{u}}\", SK: {{begins_with: \"SESSION#\"}}}}{more}}}\n"
        )
    };
    let ttl = ", ttl: expiresAt";
    expect(rule, &sessions(ttl, &query("")), &["warn pattern P2"]);
    expect(rule, &sessions(ttl, &query(", filter: \"expiresAt > :now\", values: {\":now\": 1}")), &[]);
    expect(rule, &sessions("", &query("")), &[]);
    // Readings that are kept for a while do no harm when they stay a day longer.
    let readings = sessions(ttl, &query("")).replace("Session", "Reading");
    expect(rule, &readings, &[]);
}

#[test]
fn what_passes_needs_an_end() {
    let rule = "no-expiry";
    expect(rule, &sessions("", ""), &["note entity Session"]);
    expect(rule, &sessions(", ttl: expiresAt", ""), &[]);
    let deletes =
        "  - {id: P2, name: Log out, operation: DeleteItem, key: {PK: \"USER#{u}\", SK: \"SESSION#{s}\"}}\n";
    expect(rule, &sessions("", deletes), &[]);
    expect(rule, &sessions("", "").replace("Session", "Order"), &[]);
}
