use expect_test::{Expect, expect};

use serde_json::Value;

use super::*;

pub(super) fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
}

fn lines<T: ToString>(texts: impl IntoIterator<Item = T>) -> String {
    texts.into_iter().fold(String::new(), |all, text| all + &text.to_string() + "\n")
}

fn own(text: &str) -> Catalogue {
    read(&[file("m.yaml", text)], &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn refused(text: &str, expect: Expect) {
    let problems = read(&[file("m.yaml", text)], &ReadOptions::default()).unwrap_err();
    expect.assert_eq(&lines(&problems));
}

const SHOP: &str = r#"
hashrange: 1
name: shop
tables:
  Shop:
    key: {hash: PK, range: SK}
    indexes:
      ByEmail: {key: {hash: GSI1PK, range: GSI1SK}}
      Open: {key: {hash: status, range: placed}, projection: [total]}
    items:
      - {PK: USER#1, SK: PROFILE, name: Ada, age: 36, tags: !set [a, b], zip: {N: "7"}}
entities:
  User:
    key: {PK: "USER#{userId}", SK: PROFILE, GSI1PK: "EMAIL#{email}", GSI1SK: "USER#{userId}"}
    attributes: {userId: uuid, email: {format: email, pii: true}, name: name}
  Order:
    key: {PK: "USER#{userId}", SK: "ORDER#{placed}#{orderId}"}
    attributes: {userId: uuid, orderId: uuid, placed: iso-time, total: "decimal(1,500,2)", status: {values: [OPEN, SENT]}}
patterns:
"#;

fn requests(patterns: &str, expect: Expect) {
    let catalogue = own(&format!("{SHOP}{patterns}"));
    let text = lines(catalogue.patterns.iter().map(|pattern| {
        let request = pattern.request.clone().map(Value::Object).unwrap_or_default();
        let operation = pattern.operation.map_or("none", hashrange_api::Operation::name);
        format!("{} {operation} {request}\n{:?}", pattern.id, pattern.parameters)
    }));
    expect.assert_eq(&text);
}

#[test]
fn short_forms_of_reads_become_requests() {
    requests(
        r#"
  - {id: 1, name: one user, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}, project: [name, email], consistent: true}
  - {id: 2, name: orders, operation: Query, key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}, order: desc, limit: 20}
  - {id: 3, name: by email, operation: Query, index: ByEmail, key: {GSI1PK: "EMAIL#{email}"}}
  - {id: 4, name: open, operation: Query, index: Open, key: {status: OPEN, placed: {between: ["{from}", "{to}"]}}, filter: "total > :min",
     parameters: {from: {value: "2026"}, to: {value: "2027"}, min: {value: 5}}}
  - {id: 5, name: all, operation: Scan, segments: 4}
  - {id: 6, name: many, operation: BatchGetItem, keys: [{PK: "USER#{userId}", SK: PROFILE}]}
  - {id: 7, name: statement, statement: "SELECT * FROM \"Shop\" WHERE PK = 'USER#{userId}' AND x = {'a': 1}"}
"#,
        expect![[r##"
            1 GetItem {"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}},"ConsistentRead":true,"ProjectionExpression":"#name, email","ExpressionAttributeNames":{"#name":"name"}}
            {"userId": From { entity: "User", attribute: "userId" }}
            2 Query {"TableName":"Shop","KeyConditionExpression":"PK = :PK AND begins_with(SK, :SK)","Limit":20,"ScanIndexForward":false,"ExpressionAttributeValues":{":PK":{"S":"USER#{userId}"},":SK":{"S":"ORDER#"}}}
            {"userId": From { entity: "Order", attribute: "userId" }}
            3 Query {"TableName":"Shop","IndexName":"ByEmail","KeyConditionExpression":"GSI1PK = :GSI1PK","ExpressionAttributeValues":{":GSI1PK":{"S":"EMAIL#{email}"}}}
            {"email": From { entity: "User", attribute: "email" }}
            4 Query {"TableName":"Shop","IndexName":"Open","KeyConditionExpression":"#status = :status AND placed BETWEEN :placed_from AND :placed_to","FilterExpression":"total > :min","ExpressionAttributeNames":{"#status":"status"},"ExpressionAttributeValues":{":status":{"S":"OPEN"},":placed_from":{"S":"{from}"},":placed_to":{"S":"{to}"},":min":{"N":"{min}"}}}
            {"from": Value(String("2026")), "min": Value(Number(5)), "to": Value(String("2027"))}
            5 Scan {"TableName":"Shop","Segment":0,"TotalSegments":4}
            {}
            6 BatchGetItem {"RequestItems":{"Shop":{"Keys":[{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}}]}}}
            {"userId": From { entity: "User", attribute: "userId" }}
            7 ExecuteStatement {"Statement":"SELECT * FROM \"Shop\" WHERE PK = 'USER#{userId}' AND x = {{'a': 1}}"}
            {"userId": From { entity: "User", attribute: "userId" }}
        "##]],
    );
}

#[test]
fn short_forms_of_writes_become_requests() {
    requests(
        r##"
  - {id: 1, name: sign up, operation: PutItem, item: {entity: User}, condition: "attribute_not_exists(PK)"}
  - {id: 2, name: order, operation: PutItem, item: {entity: Order}, create_share: 1}
  - {id: 3, name: ship, operation: UpdateItem, key: {PK: "USER#{userId}", SK: "ORDER#{placed}#{orderId}"}, update: "SET #status = :s REMOVE placed", values: {":s": SENT},
     condition: "#status = :old", parameters: {old: {value: OPEN}}}
  - {id: 4, name: pay, operation: UpdateItem, key: {PK: "USER#{userId}", SK: PROFILE}, update: {set: {name: "{name}"}, add: {visits: 1}, remove: [old]}}
  - {id: 5, name: go, operation: DeleteItem, key: {PK: "USER#{userId}", SK: PROFILE}}
  - id: 6
    name: checkout
    operation: TransactWriteItems
    actions:
      - {put: {entity: Order}, condition: "attribute_not_exists(PK)"}
      - {update: {key: {PK: "USER#{userId}", SK: PROFILE}, add: {orders: 1}}}
      - {check: {PK: "USER#{userId}", SK: PROFILE}, condition: "attribute_exists(PK)"}
  - {id: 7, name: load, operation: BatchWriteItem, items: [{put: {PK: a, SK: b, total: 5}}, {delete: {PK: a, SK: c}}]}
"##,
        expect![[r##"
            1 PutItem {"TableName":"Shop","Item":{"GSI1PK":{"S":"EMAIL#{email}"},"GSI1SK":{"S":"USER#{userId}"},"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"},"userId":{"S":"{userId}"},"email":{"S":"{email}"},"name":{"S":"{name}"}},"ConditionExpression":"attribute_not_exists(PK)"}
            {"email": From { entity: "User", attribute: "email" }, "name": From { entity: "User", attribute: "name" }, "userId": New("uuid")}
            2 PutItem {"TableName":"Shop","Item":{"PK":{"S":"USER#{userId}"},"SK":{"S":"ORDER#{placed}#{orderId}"},"userId":{"S":"{userId}"},"orderId":{"S":"{orderId}"},"placed":{"S":"{placed}"},"total":{"N":"{total}"},"status":{"S":"{status}"}}}
            {"orderId": New("uuid"), "placed": New("iso-time"), "status": From { entity: "Order", attribute: "status" }, "total": From { entity: "Order", attribute: "total" }, "userId": From { entity: "Order", attribute: "userId" }}
            3 UpdateItem {"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"ORDER#{placed}#{orderId}"}},"UpdateExpression":"SET #status = :s REMOVE placed","ConditionExpression":"#status = :old","ExpressionAttributeNames":{"#status":"status"},"ExpressionAttributeValues":{":s":{"S":"SENT"},":old":{"S":"{old}"}}}
            {"old": Value(String("OPEN")), "orderId": From { entity: "Order", attribute: "orderId" }, "placed": From { entity: "Order", attribute: "placed" }, "userId": From { entity: "Order", attribute: "userId" }}
            4 UpdateItem {"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}},"UpdateExpression":"SET #name = :name ADD visits :visits REMOVE #old","ExpressionAttributeNames":{"#name":"name","#old":"old"},"ExpressionAttributeValues":{":name":{"S":"{name}"},":visits":{"N":"1"}}}
            {"name": From { entity: "User", attribute: "name" }, "userId": From { entity: "User", attribute: "userId" }}
            5 DeleteItem {"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}}}
            {"userId": From { entity: "User", attribute: "userId" }}
            6 TransactWriteItems {"TransactItems":[{"Put":{"TableName":"Shop","Item":{"PK":{"S":"USER#{userId}"},"SK":{"S":"ORDER#{placed}#{orderId}"},"userId":{"S":"{userId}"},"orderId":{"S":"{orderId}"},"placed":{"S":"{placed}"},"total":{"N":"{total}"},"status":{"S":"{status}"}},"ConditionExpression":"attribute_not_exists(PK)"}},{"Update":{"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}},"UpdateExpression":"ADD orders :orders","ExpressionAttributeValues":{":orders":{"N":"1"}}}},{"ConditionCheck":{"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}},"ConditionExpression":"attribute_exists(PK)"}}]}
            {"orderId": New("uuid"), "placed": New("iso-time"), "status": From { entity: "Order", attribute: "status" }, "total": From { entity: "Order", attribute: "total" }, "userId": From { entity: "Order", attribute: "userId" }}
            7 BatchWriteItem {"RequestItems":{"Shop":[{"PutRequest":{"Item":{"PK":{"S":"a"},"SK":{"S":"b"},"total":{"N":"5"}}}},{"DeleteRequest":{"Key":{"PK":{"S":"a"},"SK":{"S":"c"}}}}]}}
            {}
        "##]],
    );
}

#[test]
fn plain_samples_become_typed_items() {
    let catalogue = own(&format!("{SHOP}  []\n"));
    let mut json = Vec::new();
    hashrange_item::json::write_attributes(&catalogue.tables[0].samples[0], &mut json);
    expect![[r#"{"PK":{"S":"USER#1"},"SK":{"S":"PROFILE"},"age":{"N":"36"},"name":{"S":"Ada"},"tags":{"SS":["a","b"]},"zip":{"N":"7"}}"#]].assert_eq(&String::from_utf8(json).unwrap());
}

#[test]
fn unknown_fields_are_notes_with_the_nearest_name() {
    let catalogue =
        own("hashrange: 1\nname: x\ntables:\n  T:\n    key: id\n    tll: expiresAt\n    zzz: 1\n");
    let notes = lines(catalogue.notes.iter().map(|note| format!("{}: {}", note.place, note.message)));
    expect![[r#"
        m.yaml:6:5: "tll" is no field of a table, and is ignored; did you mean "ttl"?
        m.yaml:7:5: "zzz" is no field of a table, and is ignored; a table has logical_id, key, types, indexes, billing, capacity, scaling, class, ttl, stream, stream_consumers, recovery, protection, production, replicas, replica_consistency, count, bytes, items
    "#]].assert_eq(&notes);
}

#[test]
fn wrong_values_are_told_with_their_places() {
    refused(
        "hashrange: 2
tables:
  T:
    key: {range: b}
    billing: on-demnad
    recovery: perhaps
    count: -1
    items: [{a: {N: x}}]
entities:
  E: {key: {a: '{'}, attributes: {x: uid}}
patterns:
  - {id: P1, name: a, operation: GetItm}
  - {id: P1, name: a, table: Tt, operation: GetItem, key: {a: 1}}
  - {id: P2, operation: Query, index: I}
  - {name: x}
  - {id: P3, name: x, key: {a: 1}}
  - {id: P4, name: x, skew: zip, declares: [stale], parameters: {a: F.x}, expect: {order: a up}}
waivers: [{rule: x, until: soon}]
",
        expect![[r#"
            m.yaml:1:12: expected "hashrange: 1", the version of the form, found "2"
            m.yaml:4:10: a key needs "hash", its partition key attribute
            m.yaml:5:14: expected one of on-demand, provisioned (did you mean on-demand?), found "on-demnad"
            m.yaml:6:15: expected true or false, found "perhaps"
            m.yaml:7:12: expected a number that is not negative, found "-1"
            m.yaml:8:21: expected a number of at most 38 digits, found "x"
            m.yaml:10:16: "{" is no template: a { without its }; write {{ for the brace itself at character 1
            m.yaml:10:38: expected a type (S, N, BOOL ...) or a format: uuid, ulid, ksuid, name, word, email, phone, iso-date, iso-time, epoch, epoch-ms, bool, int, decimal, text, seq, binary, list, map, const (did you mean ulid?), found "uid"
            m.yaml:18:11: "until: soon" is no date such as 2027-03-31
            m.yaml:18:11: a waiver needs "reason"
            m.yaml:12:34: expected one of GetItem, PutItem, UpdateItem, DeleteItem, Query, Scan, BatchGetItem, BatchWriteItem, TransactGetItems, TransactWriteItems, ExecuteStatement, SearchVectors (did you mean GetItem?), found "GetItm"
            m.yaml:13:30: there is no table "Tt"; did you mean T?
            m.yaml:13:5: pattern P1 is here twice
            m.yaml:14:5: a pattern needs "name"
            m.yaml:14:39: there is no index of table T "I"
            m.yaml:15:5: a pattern needs "id"
            m.yaml:16:28: "key" needs an "operation", such as GetItem or Query
            m.yaml:17:69: there is no entity "F"; there are E
            m.yaml:17:29: expected uniform, zipf:0.99, hot:0.2:0.8 (share of keys, share of traffic), latest:0.99, celebrity:0.05 or today, found "zip"
            m.yaml:17:91: expected an attribute and asc or desc, as in createdAt desc, found "a up"
            m.yaml:17:45: there is no declaration "stale"; did you mean stale_ok?
        "#]],
    );
}

#[test]
fn text_that_is_no_yaml_is_told_with_its_place() {
    refused(
        "hashrange: 1\n  name: x\n",
        expect![[r#"
        m.yaml:2:7: this is no YAML: mapping values are not allowed in this context
    "#]],
    );
    refused(
        "a: 1\n",
        expect![[r#"
        m.yaml: no model that is known: it holds a; looked for "hashrange: 1" (our own), DataModel (NoSQL Workbench), format: onetable:..., access_pattern_list (cost tool), Resources (CloudFormation, SAM, CDK, Serverless), format_version (terraform show -json), Table.TableStatus (DescribeTable), tables with table_config, TableName or table_name (dynamodb_data_model.json)
    "#]],
    );
}
