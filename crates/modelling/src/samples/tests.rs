//! Samples of small models.

use super::*;
use crate::read::{ReadOptions, SourceFile, read};

const SHOP: &str = r#"
hashrange: 1
name: shop
tables:
  Shop:
    key: {hash: PK, range: SK}
    indexes:
      ByEmail: {key: {hash: GSI1PK}}
entities:
  OrderItem:
    key: {PK: "ORDER#{orderId}", SK: "ITEM#{line:03}"}
    attributes: {line: seq, sku: word}
    per_collection: 3
  Order:
    key: {PK: "USER#{userId}", SK: "ORDER#{placed}#{orderId}"}
    attributes: {orderId: ulid, placed: iso-time, status: {values: [OPEN, DONE], weights: [1, 3]}, note: {type: S, share: 0.5}}
    per_collection: 20
    count: 100000
    bytes: 700
  User:
    key: {PK: "USER#{userId}", SK: PROFILE, GSI1PK: "EMAIL#{email}"}
    attributes: {userId: uuid, email: email}
    bytes: 400
patterns:
  - {id: P1, name: pattern, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}}
  - {id: P2, name: pattern, operation: Query, key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}}
  - {id: P3, name: pattern, operation: Query, index: ByEmail, key: {GSI1PK: "EMAIL#{email}"}}
"#;

fn catalogue(text: &str) -> Catalogue {
    let file = SourceFile { path: "model.yaml".to_owned(), bytes: text.as_bytes().to_vec() };
    read(&[file], &ReadOptions::default()).unwrap()
}

fn text<'a>(instance: &'a Instance, name: &str) -> &'a str {
    match &instance.values[name] {
        AttributeValue::S(text) => text,
        other => panic!("{other:?} is no text"),
    }
}

#[test]
fn the_same_seed_gives_the_same_data_and_another_seed_others() {
    let shop = catalogue(SHOP);
    let of = |seed| generate(&shop, Options { seed, scale: 2 });
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn items_of_one_entity_name_items_of_another() {
    let samples = generate(&catalogue(SHOP), Options::default());
    let users: Vec<&str> = samples.entities["User"].iter().map(|user| text(user, "userId")).collect();
    let orders = &samples.entities["Order"];
    assert!(orders.iter().all(|order| users.contains(&text(order, "userId"))));
    let ids: Vec<&str> = orders.iter().map(|order| text(order, "orderId")).collect();
    assert!(samples.entities["OrderItem"].iter().all(|item| ids.contains(&text(item, "orderId"))));
}

#[test]
fn collections_have_the_declared_number_of_items_at_any_scale() {
    let shop = catalogue(SHOP);
    let mut users = Vec::new();
    for scale in [1, 10] {
        let samples = generate(&shop, Options { seed: 1, scale });
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for order in &samples.entities["Order"] {
            *sizes.entry(text(order, "userId")).or_default() += 1;
        }
        assert!(sizes.values().all(|size| *size == 20), "{sizes:?}");
        users.push(sizes.len());
    }
    assert_eq!(users[1], 10 * users[0]);
}

#[test]
fn what_is_there_at_scale_1_is_there_at_scale_10_unchanged() {
    let shop = catalogue(SHOP);
    let [small, large] = [1, 10].map(|scale| generate(&shop, Options { seed: 1, scale }));
    for (entity, instances) in &small.entities {
        assert_eq!(instances[..], large.entities[entity][..instances.len()]);
    }
    assert_eq!(large.len(), 10 * small.len());
}

#[test]
fn items_have_the_declared_size() {
    let samples = generate(&catalogue(SHOP), Options::default());
    assert_eq!(samples.entities["User"][0].item.size(), 400);
    let orders = &samples.entities["Order"];
    let mean = orders.iter().map(|order| order.item.size()).sum::<usize>() / orders.len();
    assert!((680..=720).contains(&mean), "{mean}");
}

#[test]
fn parameters_of_one_entity_come_from_one_item() {
    let shop = catalogue(SHOP);
    let samples = generate(&shop, Options::default());
    for pattern in &shop.patterns {
        let binding = bind(&shop, &samples, pattern, 1, 0);
        let filled = fill(pattern.request.as_ref().unwrap(), &binding).unwrap();
        assert!(!serde_json::to_string(&filled).unwrap().contains("{userId}"), "{filled:?}");
        assert_eq!(binding.sources.len(), 1, "{}: {binding:?}", pattern.id);
    }
}

#[test]
fn a_gap_that_nothing_fills_is_named() {
    let request = serde_json::from_str(r#"{"Key": {"PK": {"S": "USER#{who}"}}}"#).unwrap();
    assert_eq!(fill(&request, &Binding::default()), Err(Unfilled::Gap("who".to_owned())));
}

#[test]
fn given_items_of_a_table_without_entities_are_copied_with_keys_of_their_own() {
    let model = catalogue(
        r"
hashrange: 1
name: given
tables:
  T:
    key: {hash: PK}
    indexes: {ByStatus: {key: {hash: status}}, ByEmail: {key: {hash: email}}}
    items:
      - {PK: a, status: OPEN, email: a@x}
      - {PK: b, status: OPEN, email: b@x}
",
    );
    let items = &generate(&model, Options { seed: 1, scale: 3 }).tables["T"];
    assert_eq!(items.len(), 6);
    let distinct = |name: &str| {
        let values = items.iter().filter_map(|item| item.get(name)).map(|value| format!("{value:?}"));
        values.collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!([distinct("PK"), distinct("status"), distinct("email")], [6, 1, 6]);
}

#[test]
fn an_excerpt_has_a_few_rows_of_each_kind() {
    let catalogue = catalogue(SHOP);
    let samples = generate(&catalogue, Options::default());
    let excerpt = samples.excerpt(&catalogue);
    let rows = &excerpt["Shop"];
    let kind = |prefix: &str| {
        let begins = |item: &&Attributes| format!("{:?}", item.get("SK").unwrap()).contains(prefix);
        rows.iter().filter(begins).count()
    };
    assert!((1..=4).contains(&kind("PROFILE")), "{rows:?}");
    assert!((1..=12).contains(&kind("ORDER#")) && kind("ORDER#") < samples.tables["Shop"].len(), "{rows:?}");
}

#[test]
fn samples_for_a_load_serve_a_condition_at_every_turn_and_leave_other_patterns_theirs() {
    let patterns = r##"
  - {id: U1, name: unlock, operation: UpdateItem, key: {PK: "USER#{userId}", SK: PROFILE}, update: "SET seen = :now", condition: "#state = :locked", parameters: {now: {value: 1}, locked: {value: LOCKED}, userId: User.userId}}
  - {id: U2, name: wake, operation: UpdateItem, key: {PK: "USER#{userId}", SK: PROFILE}, update: "SET seen = :now", condition: "attribute_not_exists(#state)", parameters: {now: {value: 1}, userId: User.userId}}
  - {id: Q, name: gone, operation: Query, key: {PK: "USER#{userId}", SK: PROFILE}, filter: "#state = :gone", parameters: {gone: {value: GONE}, userId: User.userId}}
"##;
    let shop = catalogue(&format!("{SHOP}{patterns}"));
    let samples = for_load(&shop, Options::default());
    let turns = samples.entities["User"].len();
    // One run sees an item at each turn, and the items are many.
    let served = |id: &str| {
        let pattern = shop.pattern(id).unwrap();
        let bindings: Vec<Binding> =
            (turns..2 * turns).map(|turn| bind(&shop, &samples, pattern, 1, turn)).collect();
        let unmet = |one: &&Binding| one.unmet.is_some();
        assert_eq!(bindings.iter().find(unmet), None, "{id}");
        bindings.into_iter().map(|one| one.sources).collect::<std::collections::BTreeSet<_>>().len()
    };
    for id in ["U1", "U2", "Q"] {
        assert!(served(id) >= turns / 5, "{id}: {} of {turns}", served(id));
    }
    // Samples of a run are changed no more than before: one item for each pattern that none served.
    let of_run = generate(&shop, Options::default());
    let changed = |samples: &Samples| {
        samples.entities["User"].iter().filter(|user| user.item.contains("state")).count()
    };
    assert_eq!(changed(&of_run), 2);
    assert!(changed(&samples) >= 2 * turns / 5, "{} of {turns}", changed(&samples));
}
