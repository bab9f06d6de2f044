use expect_test::expect;

use super::yaml;
use crate::catalogue::Catalogue;
use crate::read::{ReadOptions, SourceFile, read};

fn parse(text: &str) -> Catalogue {
    let file = SourceFile { path: "m.yaml".to_owned(), bytes: text.as_bytes().to_vec() };
    read(&[file], &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

const E_COMMERCE: &str = include_str!("../../../../examples/models/e-commerce/catalogue.yaml");

const SHOP: &str = include_str!("../../tests/data/shop.yaml");

#[test]
fn what_is_written_reads_back_as_it_was() {
    let catalogue = parse(SHOP);
    let written = yaml(&catalogue);
    let again = parse(&written);
    assert_eq!(again, catalogue, "{written}");
    assert_eq!(yaml(&again), written);
}

#[test]
fn short_forms_are_kept() {
    expect![[r##"
        hashrange: 1
        name: shop
        description: "A shop: orders, stock"
        tenant: tenantId
        tables:
          Shop:
            key: {hash: PK, range: SK}
            types: {GSI1SK: "N", amount: "N", other: S}
            indexes:
              ByEmail: {key: {hash: GSI1PK, range: GSI1SK}, entry_bytes: 100, entry_count: 5000}
              ByDate: {kind: local, key: {hash: PK, range: createdAt}, projection: [total, a b]}
              ByAmount:
                key: {hash: [status, kind], range: amount}
                projection: keys
                capacity: {read: 1, write: 2}
                used_for: "nightly report: reads it"
              Near: {kind: vector, vector: {VectorAttribute: {AttributeName: v}, Dimensions: 3}}
            billing: provisioned
            capacity: {read: 100, write: 50}
            scaling: {read: {min: 5, max: 500, target: 60, scale_in: false}, write: {min: 1, max: 9, target: 70}}
            class: infrequent-access
            ttl: expiresAt
            stream: NEW_AND_OLD_IMAGES
            stream_consumers: 2
            recovery: true
            protection: false
            production: true
            replicas: [eu-west-1, us-west-2]
            replica_consistency: strong
            count: 1000000
            bytes: 412.5
            items:
              - PK: "USER#1"
                SK: PROFILE
                age: 36
                name: Ada
                nums: !set [1, 2]
                pi: 3.14
                tags: !set ["1", a]
                "yes": "yes"
              - PK: "1"
                SK: "0001"
                b: {B: "aGk="}
                bs: {BS: ["aGk="]}
                l:
                  - 1
                  - [x]
                  - {}
                m: {M: {S: {}}}
                nothing: null
                "on": true
                one: {M: {"N": 1}}
          Log:
            logical_id: LogTable
            key: {hash: id}
            types: {id: B}
            billing: on-demand
          Bare: {}
        entities:
          User:
            table: Shop
            key: {GSI1PK: "EMAIL#{email}", PK: "USER#{userId}", SK: PROFILE}
            attributes:
              userId: uuid
              email: {format: email, pii: true}
              note: {type: S, bytes: 300, share: 0.2}
              meta: M
              any: {}
              flags: {values: [a, b], weights: [1, 3]}
            count: 100000
            bytes: 400
            p99_bytes: 4000
            shared: true
          Order:
            table: Shop
            key: {PK: "USER#{userId}", SK: "ORDER#{placed}#{seq:08}"}
            attributes:
              userId: uuid
              placed: iso-time
              seq: seq
              total: "decimal(1,500,2)"
              status: {values: [OPEN, SENT]}
              name: {immutable: true, copy_of: User.name}
            per_collection: 12
            max_per_collection: 5000
            retention_days: 30
            reference: true
        patterns:
          - id: "1"
            name: one user
            who: app
            description: text
            operation: GetItem
            table: Shop
            key: {PK: "USER#{userId}", SK: PROFILE}
            project: [name, "meta.a[0]"]
            consistent: true
            budget: {rcu: 0.5}
            rate: {peak: 30}
          - id: P2
            name: orders
            operation: Query
            table: Shop
            key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}
            limit: 20
            order: desc
            items: 20
            expect: {min: 1, max: 20, order: placed desc}
            rate: {peak: 300, avg: 60}
            p99_items: 100
          - id: P3
            name: by amount
            operation: Query
            table: Shop
            index: ByAmount
            key: {status: OPEN, kind: "{kind}", amount: {between: [1, {"N": "{high}"}]}}
            filter: "#total > :min"
            select: COUNT
            parameters: {high: {value: 9}, kind: {value: a}, min: {value: 5}}
          - id: P4
            name: all
            purpose: export
            operation: Scan
            table: Shop
            segments: 4
            max_items: 10
          - id: P5
            name: many
            operation: BatchGetItem
            table: Shop
            keys:
              - {PK: "USER#{userId}", SK: PROFILE}
              - {table: Log, key: {id: {B: "aGk="}}}
          - id: P6
            name: insert
            statement: "INSERT INTO \"Shop\" VALUE {'PK': ?, 'SK': 'USER#{userId}'}"
            parameters_list: [a]
          - id: P7
            name: sign up
            operation: PutItem
            table: Shop
            item: {entity: User}
            condition: attribute_not_exists(PK)
            expect: {error: ConditionalCheckFailedException}
            entities: {User: 1}
            create_share: 1
          - id: P8
            name: ship
            operation: UpdateItem
            table: Shop
            key: {PK: "USER#{userId}", SK: "ORDER#{placed}#{seq:08}"}
            update: "SET #s = :s REMOVE GSI1PK"
            condition: "#s = :old"
            values: {":s": SENT}
            names: {"#s": status}
            parameters: {old: {value: OPEN}, placed: Order.placed, seq: Order.seq, userId: Order.userId}
            previous_item_bytes: 300
            writes: [status, GSI1PK]
            fail_rate: 0.01
          - id: P9
            name: pay
            operation: UpdateItem
            table: Shop
            key: {PK: "USER#{userId}", SK: PROFILE}
            update: "ADD visits :visits"
            values: {":visits": 1}
            declares: [upsert, approximate]
          - id: P10
            name: go
            operation: DeleteItem
            table: Shop
            key: {PK: "USER#{userId}", SK: PROFILE}
            miss_rate: 0.1
          - id: P11
            name: checkout
            operation: TransactWriteItems
            table: Shop
            actions:
              - {put: {entity: Order}, condition: attribute_not_exists(PK)}
              - update: {key: {PK: "USER#{userId}", SK: PROFILE}, expression: "ADD orders :orders"}
                values: {":orders": 1}
              - {check: {PK: "USER#{userId}", SK: PROFILE}, condition: attribute_exists(PK)}
              - {delete: {id: {B: "aGk="}}, table: Log}
            token: "{token}"
            parameters:
              name: Order.name
              placed: {new: iso-time}
              seq: {new: seq}
              status: Order.status
              token: {new: uuid}
              total: Order.total
              userId: Order.userId
            item_sizes: [100, 200]
            entities: {Order: 1}
            declares: {cached: true, transaction_reason: order and counter agree}
          - id: P12
            name: load
            operation: BatchWriteItem
            table: Shop
            items:
              - {put: {PK: a, SK: b, total: 5}}
              - {delete: {PK: a, SK: c}}
            retention_days: 9
            skew: "zipf:0.99"
            shards: 10
          - id: P13
            name: read two
            operation: TransactGetItems
            table: Shop
            keys:
              - {PK: a, SK: b}
              - {PK: a, SK: c}
            declares: {strong_reason: lock}
          - id: P14
            name: search
            external: belongs to a search service
          - id: P15
            name: wanted
            need: {equal: [email], range: createdAt}
            item_bytes: 1400
            entities: {Order: 5}
          - id: P16
            name: raw
            operation: Query
            table: Shop
            request:
              TableName: Shop
              KeyConditionExpression: "PK = :p"
              ExpressionAttributeValues: {":p": {S: "USER#{userId}"}}
              Limit: 5
            parameters: {userId: User.userId}
            expect: {items: [{PK: a}], plan: range, pages: 1}
          - id: P17
            name: near
            operation: SearchVectors
            table: Shop
            index: Near
            request: {TableName: Shop, IndexName: Near, TopK: 3}
            expect: {empty: true}
          - id: P18
            name: only named
            operation: Query
            table: Shop
            items: 3
            expect: {count: 3}
        flows: [{name: checkout, steps: [P2, {pattern: P8, times: 3, for_each: true}], stale_ok: true}]
        waivers:
          - rule: low-cardinality-partition-key
            "on": Shop.ByAmount
            reason: "two: 10 writes/s"
            until: "2027-06-30"
        rules:
          hot-key: note
          index-unused: "off"
          long-names: error
        thresholds:
          hot-key.warn: 0.8
    "##]].assert_eq(&yaml(&parse(SHOP)));
}

#[test]
fn the_schema_and_the_reader_know_the_same_fields() {
    let schema: serde_json::Value = serde_json::from_str(super::SCHEMA).unwrap();
    for (name, shape) in crate::read::own::SHAPES {
        let place = if name == "catalogue" { &schema } else { &schema["$defs"][name] };
        let object = match place["anyOf"].as_array() {
            Some(ways) => ways.iter().find(|way| way.get("properties").is_some()).unwrap(),
            None => place,
        };
        let mut known: Vec<&str> =
            object["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut read: Vec<&str> = shape.keys.to_vec();
        known.sort_unstable();
        read.sort_unstable();
        assert_eq!(known, read, "the fields of {name}: the schema's, then the reader's");
    }
}

#[test]
fn the_other_shapes_read_back_what_they_can_say() {
    let catalogue = parse(E_COMMERCE);
    for (write, format) in
        [(super::shape_m as fn(&Catalogue) -> (String, Vec<String>), "m"), (super::shape_s, "s")]
    {
        let (text, lost) = write(&catalogue);
        assert!(!lost.is_empty(), "the catalogue says more than the shape {format}");
        // What is read has the shape's defaults; from then on nothing changes.
        let again = |text: String| {
            let file = SourceFile { path: format.to_owned(), bytes: text.into_bytes() };
            read(&[file], &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}"))
        };
        let once = again(text);
        assert_eq!(again(write(&once).0), once, "shape {format}");
        let ids =
            |catalogue: &Catalogue| catalogue.patterns.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&once)[..11], ids(&catalogue)[..11], "shape {format}");
    }
}

#[test]
fn what_a_shape_cannot_say_is_listed() {
    let list = |lost: Vec<String>| lost.join("\n");
    expect![[r#"
        auto scaling: Shop
        budgets: 1
        counts and sizes: Shop
        declarations: P9, P11, P13
        entities: User, Order
        expected results: P2, P7, P16, P17, P18
        flows: checkout
        needs without an operation: P15
        patterns without a request: P18
        point-in-time recovery: Shop
        rates: 1, P2
        replicas: Shop
        severities of rules: hot-key, index-unused, long-names
        sizes and numbers of items: P2, P15, P18
        waivers: low-cardinality-partition-key
        where {any}, {email}, {flags}, {meta}, {note}, {userId} come from, which stay as they are in the command: P7
        where {name}, {placed}, {seq}, {status}, {token}, {total}, {userId} come from, which stay as they are in the command: P11
        where {placed}, {seq}, {userId} come from, which stay as they are in the command: P8
        where {userId} come from, which stay as they are in the command: 1, P2, P5, P6, P9, P10, P16"#]].assert_eq(&list(super::shape_m(&parse(SHOP)).1));
    expect![[r#"
        a peak rate, which the shape demands and the catalogue has not: P3, P4, P5, P7, P8, P9, P10, P11, P12, P13, P16, P17, P18
        budgets: 1
        declarations: P9, P11, P13
        expected results: P2, P7, P16, P17, P18
        flows: checkout
        key templates: User, Order
        keys of several attributes: Shop.ByAmount
        local indexes: ByDate
        patterns without an operation or a table: P6, P14, P15
        recovery, protection and scaling: Shop
        requests: 1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P16, P17
        sample items: Shop
        time to live: Shop
        waivers: low-cardinality-partition-key"#]].assert_eq(&list(super::shape_s(&parse(SHOP)).1));
}

#[test]
fn the_shop_that_init_starts_with_is_read_without_a_note() {
    let catalogue = parse(E_COMMERCE);
    assert_eq!(catalogue.notes, []);
    assert_eq!(parse(&yaml(&catalogue)), catalogue);
}
