//! Each rule about keys: the fault, and the sights that are none.

use crate::check::cases::{expect, findings, samples, seen};
use crate::check::{HotKey, Observed};
use crate::finding::Evidence;

/// A table with an index on a status, and orders that are put at a rate.
fn status(key: &str, count: u64, attributes: &str, rate: &str) -> String {
    format!(
        "tables:
  Shop:
    key: {{hash: PK, range: SK}}
    types: {{PK: S, SK: S, GSI1PK: S, GSI1SK: S}}
    indexes: {{ByStatus: {{key: {{hash: GSI1PK, range: GSI1SK}}, projection: all}}}}
entities:
  Order:
    key: {{PK: \"USER#{{userId}}\", SK: \"ORDER#{{orderId}}\", GSI1PK: \"{key}\", GSI1SK: \"{{orderId}}\"}}
    attributes: {{userId: uuid, orderId: ulid, {attributes}}}
    count: {count}
    bytes: 400
patterns:
  - {{id: P1, name: Place order, operation: PutItem, item: {{entity: Order}}, {rate}}}
"
    )
}

const PENDING: &str = "GSI1PK: {type: S, share: 0.01}";

#[test]
fn a_sparse_status_index_is_judged_by_its_rate() {
    let rule = "low-cardinality-partition-key";
    let pending = |rate: &str| status("STATUS#pending", 10_000_000, PENDING, rate);
    expect(rule, &pending("rate: {peak: 10}"), &[]);
    expect(rule, &pending("rate: {peak: 600}"), &["warn index Shop.ByStatus"]);
    expect(rule, &pending("rate: {peak: 2000}"), &["error index Shop.ByStatus"]);
    // Without a rate it is at most a warning, which says from which rate on it would be an error.
    expect(rule, &pending("who: shop"), &["warn index Shop.ByStatus"]);
    let unrated = findings(&pending("who: shop"), rule);
    assert!(
        unrated[0].message.contains("from 1,000 runs per second on it is an error"),
        "{}",
        unrated[0].message
    );
    let hot = findings(&pending("rate: {peak: 2000}"), rule);
    assert!(hot[0].advice.contains("3 write shards"), "{}", hot[0].advice);
    assert!(hot[0].message.contains("throttles the table's writes"), "{}", hot[0].message);
}

#[test]
fn few_values_are_a_fault_of_many_items_or_much_traffic() {
    let rule = "low-cardinality-partition-key";
    let values = "status: {values: [A, B, C, D], weights: [7, 1, 1, 1]}";
    expect(
        rule,
        &status("STATUS#{status}", 1_000_000, values, "rate: {peak: 10}"),
        &["warn index Shop.ByStatus"],
    );
    expect(rule, &status("STATUS#{status}", 500, values, "rate: {peak: 10}"), &[]);
    // Seven in ten of 2,000 puts meet one value.
    expect(
        rule,
        &status("STATUS#{status}", 500, values, "rate: {peak: 2000}"),
        &["error index Shop.ByStatus"],
    );
    let sharded = "status: {values: [A, B]}, shard: \"int(0,99)\"";
    expect(rule, &status("STATUS#{status}#{shard}", 1_000_000, sharded, "rate: {peak: 2000}"), &[]);
    expect(rule, &status("USER#{userId}", 1_000_000, "note: word", "rate: {peak: 2000}"), &[]);
}

#[test]
fn one_item_of_settings_is_small() {
    let settings = "tables: {T: {key: {hash: PK, range: SK}}}
entities: {Settings: {key: {PK: SETTINGS, SK: ALL}, attributes: {theme: word}}}
patterns:
  - {id: P1, name: Settings, operation: GetItem, key: {PK: SETTINGS, SK: ALL}}
";
    expect("low-cardinality-partition-key", settings, &[]);
    let rated = settings.replace("SK: ALL}}\n", "SK: ALL}, rate: {peak: 9000}}\n");
    expect("low-cardinality-partition-key", &rated, &["error table T"]);
    let cached = rated.replace("rate:", "declares: [cached], rate:");
    expect("low-cardinality-partition-key", &cached, &[]);
}

#[test]
fn samples_that_show_an_enumeration_are_noted() {
    let rule = "low-cardinality-partition-key";
    let table = |value: &dyn Fn(usize) -> String| {
        let items = samples(80, |at| format!("PK: {}, SK: \"{at:04}\"", value(at)));
        format!("tables:\n  T:\n    key: {{hash: PK, range: SK}}\n    items:\n{items}")
    };
    expect(
        rule,
        &table(&|at| if at % 3 == 0 { "OPEN".to_owned() } else { "SHUT".to_owned() }),
        &["note table T"],
    );
    expect(rule, &table(&|at| format!("U{at}")), &[]);
}

fn dated(key: &str, attributes: &str, rate: &str) -> String {
    format!(
        "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities:
  Reading:
    key: {{PK: \"{key}\", SK: \"{{time}}\"}}
    attributes: {{time: iso-time, {attributes}}}
    count: 1000000
    bytes: 300
patterns:
  - {{id: P1, name: Record, operation: PutItem, item: {{entity: Reading}}, {rate}}}
"
    )
}

#[test]
fn a_date_as_partition_key_is_judged_by_its_rate() {
    let rule = "date-partition-key";
    let day = |rate: &str| dated("DAY#{day}", "day: iso-date", rate);
    expect(rule, &day("rate: {peak: 20}"), &["note table T"]);
    expect(rule, &day("rate: {peak: 700}"), &["warn table T"]);
    expect(rule, &day("rate: {peak: 2000}"), &["error table T"]);
    let beside = dated("DEVICE#{device}#{day}", "device: uuid, day: iso-date", "rate: {peak: 2000}");
    expect(rule, &beside, &[]);
    // Two shards for each day are not many.
    let few = dated("DAY#{day}#{shard}", "day: iso-date, shard: \"int(0,1)\"", "rate: {peak: 2500}");
    expect(rule, &few, &["error table T"]);
    // A name alone is a note at any rate.
    expect(rule, &dated("{bucket}", "note: word", "rate: {peak: 5000}"), &["note table T"]);
}

#[test]
fn declared_skew_makes_keys_hot() {
    let table = |skew: &str, more: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities:
  Like:
    key: {{PK: \"VIDEO#{{videoId}}\", SK: \"LIKE#{{userId}}\"}}
    attributes: {{videoId: ref(Video.videoId), userId: uuid}}
    bytes: 100
  Video:
    key: {{PK: \"VIDEO#{{videoId}}\", SK: META}}
    attributes: {{videoId: uuid, title: word}}
    count: 10000
patterns:
  - {{id: P1, name: Like, operation: PutItem, item: {{entity: Like}}, rate: {{peak: 10200}}, skew: {skew}, {more}}}
"
        )
    };
    let rule = "hot-key";
    // The top key of 10,000 at 0.99 has 9.8 %: 10,200 writes put 1,000 on it.
    expect(rule, &table("\"zipf:0.99\"", "who: app"), &["warn table T"]);
    expect(rule, &table("\"zipf:1.1\"", "who: app"), &["error table T"]);
    expect(rule, &table("uniform", "who: app"), &[]);
    let read = |declares: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK}}}}}}
entities: {{Page: {{key: {{PK: \"PAGE#{{pageId}}\"}}, attributes: {{pageId: uuid}}, count: 1000, bytes: 3000}}}}
patterns:
  - {{id: P1, name: Page, operation: GetItem, key: {{PK: \"PAGE#{{pageId}}\"}}, rate: {{peak: 40000}}, skew: \"celebrity:0.5\", {declares}}}
"
        )
    };
    expect(rule, &read("who: app"), &["error table T"]);
    expect(rule, &read("declares: [cached]"), &[]);
}

#[test]
fn keys_that_a_run_saw_hot_are_found() {
    let yaml = "tables: {T: {key: {hash: PK}}}
patterns:
  - {id: P1, name: Get, operation: GetItem, key: {PK: \"{id}\"}}
";
    let key = HotKey { index: None, key: "a".to_owned(), read: 100.0, write: 800.0 };
    let mut one = Observed::of("P1", Evidence::Run);
    one.hot_keys = vec![key.clone()];
    let found = seen(yaml, &[one.clone()], "hot-key");
    assert_eq!((found.len(), found[0].evidence), (1, Evidence::Run));
    one.hot_keys = vec![HotKey { index: Some("I".to_owned()), write: 2_000.0, ..key }];
    assert!(seen(yaml, &[one.clone()], "hot-key").is_empty());
    assert_eq!(seen(yaml, &[one], "gsi-hot-partition").len(), 1);
}

#[test]
fn the_busiest_key_of_an_index_throttles_the_table() {
    let rule = "gsi-hot-partition";
    let seller = |rate: &str| status("SELLER#{sellerId}", 1_000_000, "sellerId: word", rate);
    expect(rule, &seller("rate: {peak: 10000}, skew: \"celebrity:0.3\""), &[]);
    // With sort keys that rise, the cause is that they rise.
    expect(
        "hot-monotonic-sort-key",
        &seller("rate: {peak: 10000}, skew: \"celebrity:0.3\""),
        &["error table Shop", "error index Shop.ByStatus"],
    );
    let random =
        seller("rate: {peak: 10000}, skew: \"celebrity:0.3\"").replace("orderId: ulid", "orderId: uuid");
    expect(rule, &random, &["error index Shop.ByStatus"]);
    expect(rule, &seller("rate: {peak: 1000}, skew: \"celebrity:0.3\""), &[]);
}

#[test]
fn a_collection_written_at_its_end_is_hot() {
    let rule = "hot-monotonic-sort-key";
    let stream = |time: &str, rate: u32| {
        format!(
            "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities:
  Event: {{key: {{PK: \"STREAM#{{streamId}}\", SK: \"{{at}}\"}}, attributes: {{streamId: uuid, at: {time}}}, bytes: 200, count: 1000}}
patterns:
  - {{id: P1, name: Append, operation: PutItem, item: {{entity: Event}}, rate: {{peak: {rate}}}, skew: \"celebrity:0.9\"}}
"
        )
    };
    expect(rule, &stream("iso-time", 3_000), &["error table T"]);
    expect("hot-key", &stream("iso-time", 3_000), &[]);
    expect(rule, &stream("iso-time", 500), &[]);
    expect(rule, &stream("uuid", 3_000), &[]);
    expect("hot-key", &stream("uuid", 3_000), &["error table T"]);
}

#[test]
fn one_item_that_everything_updates_is_a_hot_counter() {
    let rule = "hot-counter";
    let counter = |key: &str, rate: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK}}}}}}
entities: {{Counter: {{key: {{PK: \"COUNTER#{{name}}\"}}, attributes: {{name: word, n: \"int(0,9)\"}}, bytes: 60, count: 10}}}}
patterns:
  - {{id: P1, name: Count, operation: UpdateItem, key: {{PK: \"{key}\"}}, update: \"ADD n :one\", values: {{\":one\": 1}}, {rate}}}
"
        )
    };
    expect(rule, &counter("COUNTER#all", "rate: {peak: 1500}"), &["error pattern P1"]);
    expect(rule, &counter("COUNTER#all", "rate: {peak: 150}"), &["warn pattern P1"]);
    expect(rule, &counter("COUNTER#all", "rate: {peak: 5}"), &[]);
    expect(rule, &counter("COUNTER#{name}", "rate: {peak: 1500}"), &[]);
    expect("low-cardinality-partition-key", &counter("COUNTER#all", "rate: {peak: 1500}"), &[]);
}

#[test]
fn an_identifier_alone_does_not_list() {
    let rule = "uuid-only-key";
    let orders = |pattern: &str, index: &str| {
        format!(
            "tables: {{Orders: {{key: {{hash: orderId}}{index}}}}}
entities: {{Order: {{attributes: {{orderId: uuid, customerId: uuid}}, count: 100000, bytes: 500}}}}
patterns:
  - {{id: P1, name: Order, operation: GetItem, key: {{orderId: \"{{orderId}}\"}}}}
  - {pattern}
"
        )
    };
    let need = "{id: P2, name: Orders of a customer, table: Orders, need: {equal: [customerId]}}";
    expect(rule, &orders(need, ""), &["error table Orders"]);
    let scan = "{id: P2, name: All orders, operation: Scan, table: Orders}";
    expect(rule, &orders(scan, ""), &["error table Orders"]);
    let index = ", types: {orderId: S, customerId: S}, indexes: {ByCustomer: {key: {hash: customerId}}}";
    expect(rule, &orders(need, index), &[]);
    expect(rule, &orders("{id: P2, name: Put, operation: PutItem, item: {entity: Order}}", ""), &[]);
}

#[test]
fn a_child_that_travels_with_its_parent_needs_no_index() {
    let rule = "identifying-relationship";
    let lines = |parameters: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK}}, types: {{PK: S, GSI1PK: S}}, indexes: {{ByOrder: {{key: {{hash: GSI1PK}}}}}}}}}}
entities: {{Line: {{key: {{PK: \"LINE#{{lineId}}\", GSI1PK: \"ORDER#{{orderId}}\"}}, attributes: {{lineId: uuid, orderId: uuid}}}}}}
patterns:
  - {{id: P1, name: Line, operation: GetItem, key: {{PK: \"LINE#{{lineId}}\"}}, parameters: {parameters}}}
"
        )
    };
    expect(rule, &lines("{lineId: Line.lineId, orderId: Line.orderId}"), &["note entity Line"]);
    expect(rule, &lines("{lineId: Line.lineId}"), &[]);
}

#[test]
fn collections_beside_local_indexes_have_a_limit() {
    let rule = "unbounded-collection-lsi";
    let events = |kind: &str, more: &str| {
        format!(
            "tables:
  T:
    key: {{hash: PK, range: SK}}
    types: {{PK: S, SK: S, kind: S}}
    indexes: {{ByKind: {{kind: {kind}, key: {{hash: PK, range: kind}}, projection: keys}}}}
entities:
  Event: {{key: {{PK: \"DEVICE#{{deviceId}}\", SK: \"{{time}}\"}}, attributes: {{deviceId: uuid, time: iso-time, kind: word}}, bytes: 900{more}}}
"
        )
    };
    expect(rule, &events("local", ", max_per_collection: 10000000"), &["error table T"]);
    expect(rule, &events("local", ", max_per_collection: 7500000"), &["warn table T"]);
    expect(rule, &events("local", ", max_per_collection: 1000"), &[]);
    expect(rule, &events("local", ""), &["note table T"]);
    expect(rule, &events("global", ", max_per_collection: 10000000"), &[]);
}

/// A user's collection of orders with a sort key of that form, and one query of it.
fn orders(sort: &str, attributes: &str, query: &str) -> String {
    format!(
        "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities:
  User: {{key: {{PK: \"USER#{{userId}}\", SK: PROFILE}}, attributes: {{userId: uuid, name: name}}, count: 1000, bytes: 200}}
  Order: {{key: {{PK: \"USER#{{userId}}\", SK: \"{sort}\"}}, attributes: {{userId: ref(User.userId), {attributes}}}, count: 9000, bytes: 300}}
patterns:
  - {{id: P1, name: Orders, operation: Query, {query}}}
"
    )
}

const BY_PREFIX: &str = "key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#\"}}";

#[test]
fn a_random_identifier_gives_no_order_of_time() {
    let rule = "random-sort-key";
    let query = |more: &str| format!("{BY_PREFIX}, {more}");
    let newest = query("order: desc, limit: 10");
    expect(rule, &orders("ORDER#{orderId}", "orderId: uuid", &newest), &["error pattern P1"]);
    expect(rule, &orders("ORDER#{orderId}", "orderId: ulid", &newest), &[]);
    expect(rule, &orders("ORDER#{createdAt}#{orderId}", "orderId: uuid, createdAt: iso-time", &newest), &[]);
    expect(rule, &orders("ORDER#{orderId}", "orderId: uuid", &query("who: app")), &[]);
    let expected = query("expect: {order: createdAt desc}");
    expect(
        rule,
        &orders("ORDER#{orderId}", "orderId: uuid, createdAt: iso-time", &expected),
        &["error pattern P1"],
    );
    expect(rule, &orders("ORDER#{orderId}", "orderId: uuid", &query("expect: {order: orderId asc}")), &[]);
    let named =
        orders("ORDER#{orderId}", "orderId: uuid", BY_PREFIX).replace("name: Orders", "name: Latest orders");
    expect(rule, &named, &["note pattern P1"]);
}

#[test]
fn equality_behind_an_unknown_part_cannot_use_the_key() {
    let rule = "sk-component-order";
    let attributes = "date: iso-date, status: {values: [A, B]}";
    let filtered =
        format!("{BY_PREFIX}, filter: \"#s = :s\", names: {{\"#s\": status}}, values: {{\":s\": A}}");
    expect(rule, &orders("ORDER#{date}#{status}", attributes, &filtered), &["error pattern P1"]);
    expect(rule, &orders("ORDER#{date}#{status}", attributes, BY_PREFIX), &[]);
    let by_status = "key: {PK: \"USER#{userId}\", SK: {begins_with: \"ORDER#{status}#\"}}";
    expect(rule, &orders("ORDER#{status}#{date}", attributes, by_status), &[]);
}

#[test]
fn numbers_as_text_sort_wrongly() {
    let rule = "number-as-string-key";
    let ranged = "key: {PK: \"USER#{userId}\", SK: {between: [\"LINE#{from}\", \"LINE#{to}\"]}}, parameters: {from: {value: 1}, to: {value: 20}}";
    expect(rule, &orders("LINE#{line}", "line: seq", ranged), &["error table T"]);
    expect(rule, &orders("LINE#{line:06}", "line: seq", ranged), &[]);
    let equal = "key: {PK: \"USER#{userId}\", SK: {\"=\": \"LINE#{line}\"}}";
    expect(rule, &orders("LINE#{line}", "line: seq", equal), &[]);
    let sampled = |nine: &str| {
        format!(
            "tables:
  T:
    key: {{hash: PK, range: SK}}
    items: [{{PK: \"U#1\", SK: \"LINE#{nine}\"}}, {{PK: \"U#1\", SK: \"LINE#10\"}}]
patterns:
  - {{id: P1, name: Lines, operation: Query, key: {{PK: \"U#{{u}}\"}}, order: desc, parameters: {{u: {{value: 1}}}}}}
"
        )
    };
    expect(rule, &sampled("9"), &["error table T"]);
    expect(rule, &sampled("09"), &[]);
}

#[test]
fn dates_must_sort() {
    let rule = "date-format-key";
    let table = |one: &str, other: &str, more: &str| {
        format!(
            "tables:
  T:
    key: {{hash: PK, range: SK}}
    items: [{{PK: \"U#1\", SK: \"{one}\"}}, {{PK: \"U#1\", SK: \"{other}\"}}]
patterns:
  - {{id: P1, name: Days, operation: Query, key: {{PK: \"U#{{u}}\"}}, parameters: {{u: {{value: 1}}}}{more}}}
"
        )
    };
    expect(rule, &table("02/11/2026", "03/11/2026", ", order: desc"), &["error table T"]);
    expect(rule, &table("02/11/2026", "03/11/2026", ""), &["warn table T"]);
    expect(
        rule,
        &table("2026-11-02T10:00:00Z", "2026-11-02T10:00:00.500Z", ", order: desc"),
        &["error table T"],
    );
    expect(rule, &table("2026-11-02T10:00:00Z", "2026-11-02T10:00:01+01:00", ""), &["warn table T"]);
    expect(rule, &table("1764511509", "1764511509123", ""), &["warn table T"]);
    expect(rule, &table("2026-11-02T10:00:00Z", "2026-11-03T10:00:00Z", ", order: desc"), &[]);
}

#[test]
fn a_prefix_ends_with_the_delimiter() {
    let rule = "prefix-ambiguity";
    let members = |format: &str, prefix: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities:
  Role: {{key: {{PK: \"ORG#{{org}}\", SK: \"USER#{{userId}}#{{role}}\"}}, attributes: {{org: uuid, userId: {format}, role: word}}}}
patterns:
  - {{id: P1, name: Roles, operation: Query, key: {{PK: \"ORG#{{org}}\", SK: {{begins_with: \"{prefix}\"}}}}}}
"
        )
    };
    expect(rule, &members("seq", "USER#{userId}"), &["warn pattern P1"]);
    expect(rule, &members("seq", "USER#{userId}#"), &[]);
    expect(rule, &members("uuid", "USER#{userId}"), &[]);
    expect(rule, &members("seq", "USER#"), &[]);
    // No key can begin so.
    expect(rule, &members("seq", "MEMBER#"), &["warn pattern P1"]);
}

#[test]
fn one_word_begins_another() {
    let yaml = |prefix: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities:
  Order: {{key: {{PK: \"U#{{u}}\", SK: \"ORDER#{{o}}\"}}, attributes: {{u: uuid, o: uuid}}}}
  Item: {{key: {{PK: \"U#{{u}}\", SK: \"ORDERITEM#{{i}}\"}}, attributes: {{u: uuid, i: uuid}}}}
patterns:
  - {{id: P1, name: Orders, operation: Query, key: {{PK: \"U#{{u}}\", SK: {{begins_with: {prefix}}}}}}}
"
        )
    };
    expect("prefix-ambiguity", &yaml("ORDER"), &["warn pattern P1"]);
    expect("prefix-ambiguity", &yaml("\"ORDER#\""), &[]);
}

#[test]
fn a_range_stays_within_one_kind() {
    let rule = "mixed-entity-range";
    let attributes = "date: iso-date";
    let open = "key: {PK: \"USER#{userId}\", SK: {\">\": \"ORDER#{date}\"}}";
    expect(rule, &orders("ORDER#{date}", attributes, open), &["warn pattern P1"]);
    expect(rule, &orders("ORDER#{date}", attributes, &format!("{open}, declares: [all_types]")), &[]);
    let closed = "key: {PK: \"USER#{userId}\", SK: {between: [\"ORDER#{from}\", \"ORDER#{to}\"]}}, parameters: {from: {new: iso-date}, to: {new: iso-date}}";
    expect(rule, &orders("ORDER#{date}", attributes, closed), &[]);
}

#[test]
fn two_events_at_one_time_are_two_items() {
    let rule = "non-unique-key";
    let put = |sort: &str, more: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities: {{Event: {{key: {{PK: \"USER#{{u}}\", SK: \"{sort}\"}}, attributes: {{u: uuid, at: iso-time, id: uuid}}}}}}
patterns:
  - {{id: P1, name: Log, operation: PutItem, item: {{entity: Event}}{more}}}
"
        )
    };
    expect(rule, &put("EVENT#{at}", ""), &["warn entity Event"]);
    expect(rule, &put("EVENT#{at}#{id}", ""), &[]);
    expect(rule, &put("EVENT#{at}", ", declares: [single_writer]"), &[]);
    expect(rule, &put("EVENT#{at}", ", condition: attribute_not_exists(PK)"), &[]);
    let clash = "tables: {T: {key: {hash: PK}, items: [{PK: a, n: 1}, {PK: b}, {PK: a, n: 2}]}}\n";
    expect(rule, clash, &["error table T"]);
}

#[test]
fn parts_of_keys_are_neither_empty_nor_mistakes() {
    let rule = "delimiter-collision";
    let table = |key: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK, range: SK}}, items: [{{PK: \"USER#1\", SK: \"ORDER#2026#{key}\"}}]}}}}
entities: {{Order: {{key: {{PK: \"USER#{{u}}\", SK: \"ORDER#{{year}}#{{id}}\"}}}}}}
"
        )
    };
    expect(rule, &table("7"), &[]);
    expect(rule, &table(""), &["error table T"]);
    expect(rule, &table("undefined"), &["error table T"]);
    expect(rule, &table("a#b"), &["error table T"]);
    // Without entities the same is seen between the delimiters.
    let bare = "tables: {T: {key: {hash: PK}, items: [{PK: \"USER#1\"}, {PK: \"USER#null\"}]}}\n";
    expect(rule, bare, &["error table T"]);
}

#[test]
fn keys_of_tenants_contain_the_tenant() {
    let rule = "tenant-key-missing";
    let get = |tenant: &str, key: &str, more: &str, entity: &str| {
        format!(
            "{tenant}tables: {{T: {{key: {{hash: PK}}}}}}
entities: {{Order: {{key: {{PK: \"{key}\"}}, attributes: {{tenantId: uuid, orderId: uuid}}{entity}}}}}
patterns:
  - {{id: P1, name: Order, operation: GetItem, key: {{PK: \"{key}\"}}{more}}}
"
        )
    };
    let tenant = "tenant: tenantId\n";
    expect(rule, &get(tenant, "ORDER#{orderId}", "", ""), &["error pattern P1"]);
    expect(rule, &get(tenant, "TENANT#{tenantId}#{orderId}", "", ""), &[]);
    expect(rule, &get(tenant, "ORDER#{orderId}", "", ", shared: true"), &[]);
    expect(rule, &get(tenant, "ORDER#{orderId}", ", purpose: admin", ""), &[]);
    expect(rule, &get("", "ORDER#{orderId}", "", ""), &[]);
    let items = samples(20, |at| format!("PK: \"O{at}\", orgId: \"{}\"", at % 3));
    let sampled = format!(
        "tables:\n  T:\n    key: {{hash: PK}}\n    items:\n{items}patterns:\n  - {{id: P1, name: Get, operation: GetItem, key: {{PK: \"{{id}}\"}}}}\n"
    );
    expect(rule, &sampled, &["warn pattern P1"]);
}

#[test]
fn personal_data_stays_out_of_keys() {
    let rule = "pii-in-key";
    let user = |attribute: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK}}, types: {{PK: S, GSI1PK: S}}, indexes: {{ByContact: {{key: {{hash: GSI1PK}}}}}}}}}}
entities: {{User: {{key: {{PK: \"USER#{{id}}\", GSI1PK: \"C#{{contact}}\"}}, attributes: {{id: uuid, contact: {attribute}}}}}}}
"
        )
    };
    expect(rule, &user("{format: word, pii: true}"), &["error index T.ByContact"]);
    expect(rule, &user("email"), &["warn index T.ByContact"]);
    expect(rule, &user("text(64)"), &[]);
    let sample =
        |value: &str| format!("tables: {{T: {{key: {{hash: PK}}, items: [{{PK: \"{value}\"}}]}}}}\n");
    expect(rule, &sample("ada@example.com"), &["warn table T"]);
    expect(rule, &sample("4111111111111111"), &["warn table T"]);
    expect(rule, &sample("DE89370400440532013000"), &["warn table T"]);
    expect(rule, &sample("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"), &[]);
}

#[test]
fn indexes_do_not_copy_secrets_that_nobody_reads() {
    let rule = "pii-in-projection";
    let users = |projection: &str, project: &str| {
        format!(
            "tables:
  T:
    key: {{hash: PK}}
    types: {{PK: S, city: S}}
    indexes: {{ByCity: {{key: {{hash: city}}, projection: {projection}}}}}
entities: {{User: {{key: {{PK: \"USER#{{id}}\"}}, attributes: {{id: uuid, city: word, name: name, passwordHash: text(60)}}}}}}
patterns:
  - {{id: P1, name: Users of a city, operation: Query, index: ByCity, key: {{city: \"{{city}}\"}}, project: {project}}}
"
        )
    };
    expect(rule, &users("all", "[PK, city]"), &["warn index T.ByCity"]);
    expect(rule, &users("[passwordHash]", "[PK, city]"), &["warn index T.ByCity"]);
    expect(rule, &users("keys", "[PK, city]"), &[]);
    expect(rule, &users("all", "[PK, passwordHash]"), &[]);
}

/// Likes of videos, counted in so many shards.
fn likes(pattern: &str) -> String {
    format!(
        "tables:
  Videos:
    key: {{hash: PK, range: SK}}
entities:
  Likes:
    key: {{PK: \"VIDEO#{{videoId}}#{{shard}}\", SK: LIKES}}
    attributes: {{videoId: uuid, shard: \"int(0,9)\"}}
    count: 1000000
    bytes: 100
patterns:
  - {{id: P1, name: Like, table: Videos, {pattern}}}
"
    )
}

const LIKE: &str = "operation: UpdateItem, key: {PK: \"VIDEO#{videoId}#{shard}\", SK: LIKES}, update: {add: {n: 1}}, rate: {peak: 5000}";

#[test]
fn shards_need_a_gap_in_the_key_and_an_operation_that_has_a_use_for_them() {
    let rule = "shards-without-key";
    let said = |pattern: &str| {
        findings(&likes(pattern), rule).into_iter().map(|one| one.message).collect::<Vec<_>>()
    };
    let get = "operation: GetItem, key: {PK: \"VIDEO#{videoId}#{shard}\", SK: LIKES}, shards: 10";
    let query = "operation: Query, key: {PK: \"VIDEO#{videoId}#{shard}\"}, shards: 10";
    let put = "operation: PutItem, item: {entity: Likes}, shards: 10";
    let write = "operation: BatchWriteItem, items: [{delete: {PK: \"VIDEO#{videoId}#{shard}\", SK: LIKES}}], shards: 10";
    for fine in [get, query, put, write, &format!("{LIKE}, shards: 10"), LIKE, "operation: Scan, shards: 1"] {
        expect(rule, &likes(fine), &[]);
    }
    let wrong = [
        ("operation: Scan, shards: 10", "a scan reads every collection whatever its shard"),
        (
            "operation: ExecuteStatement, statement: \"SELECT * FROM Videos\", shards: 10",
            "a scan reads every",
        ),
        ("operation: SearchVectors, request: none, shards: 10", "a search finds items of every shard"),
        ("need: {equal: [PK]}, shards: 10", "states a need"),
        ("external: search service, shards: 10", "another system serves the pattern"),
        (
            "operation: GetItem, key: {PK: \"VIDEO#{videoId}#0\", SK: LIKES}, shards: 10",
            "no gap for the shard",
        ),
        (
            "operation: DeleteItem, key: {PK: \"VIDEO#{videoId}#{shard}\", SK: LIKES}, shards: 4",
            "{shard} takes 10 values",
        ),
        (
            "operation: ExecuteStatement, statement: \"SELECT * FROM Videos WHERE PK IN ('a', 'b')\", shards: 10",
            "names the collections that it reads",
        ),
    ];
    for (pattern, message) in wrong {
        let said = said(pattern);
        assert!(matches!(said.as_slice(), [one] if one.contains(message)), "{said:?} of {pattern}");
    }
}

#[test]
fn a_skew_falls_on_a_key_and_its_shards_share_it() {
    let rule = "hot-key";
    // Three in ten of 5,000 updates are of one video.
    let celebrity = |shards: &str| likes(&format!("{LIKE}, skew: \"celebrity:0.3\"{shards}"));
    expect(rule, &celebrity(""), &["error table Videos"]);
    expect(rule, &celebrity(", shards: 10"), &[]);
}
