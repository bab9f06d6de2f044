#![expect(clippy::needless_pass_by_value, reason = "an expectation is made where it is given")]

use expect_test::{Expect, expect, expect_file};

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
            3 UpdateItem {"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"ORDER#{placed}#{orderId}"}},"ConditionExpression":"#status = :old","UpdateExpression":"SET #status = :s REMOVE placed","ExpressionAttributeNames":{"#status":"status"},"ExpressionAttributeValues":{":s":{"S":"SENT"},":old":{"S":"{old}"}}}
            {"old": Value(String("OPEN")), "orderId": From { entity: "Order", attribute: "orderId" }, "placed": From { entity: "Order", attribute: "placed" }, "userId": From { entity: "Order", attribute: "userId" }}
            4 UpdateItem {"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}},"UpdateExpression":"SET #name = :name ADD visits :visits REMOVE #old","ExpressionAttributeNames":{"#name":"name","#old":"old"},"ExpressionAttributeValues":{":name":{"S":"{name}"},":visits":{"N":"1"}}}
            {"name": From { entity: "User", attribute: "name" }, "userId": From { entity: "User", attribute: "userId" }}
            5 DeleteItem {"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}}}
            {"userId": From { entity: "User", attribute: "userId" }}
            6 TransactWriteItems {"TransactItems":[{"Put":{"TableName":"Shop","ConditionExpression":"attribute_not_exists(PK)","Item":{"PK":{"S":"USER#{userId}"},"SK":{"S":"ORDER#{placed}#{orderId}"},"userId":{"S":"{userId}"},"orderId":{"S":"{orderId}"},"placed":{"S":"{placed}"},"total":{"N":"{total}"},"status":{"S":"{status}"}}}},{"Update":{"TableName":"Shop","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}},"UpdateExpression":"ADD orders :orders","ExpressionAttributeValues":{":orders":{"N":"1"}}}},{"ConditionCheck":{"TableName":"Shop","ConditionExpression":"attribute_exists(PK)","Key":{"PK":{"S":"USER#{userId}"},"SK":{"S":"PROFILE"}}}}]}
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
        m.yaml:7:5: "zzz" is no field of a table, and is ignored; a table has logical_id, resource, key, types, indexes, billing, capacity, scaling, warm, on_demand_max, class, ttl, stream, stream_consumers, kinesis, encryption, insights, policy, recovery, protection, production, replicas, replica_consistency, count, bytes, usage, items
    "#]].assert_eq(&notes);
}

#[test]
fn expressions_that_yaml_cuts_at_a_comment_are_told() {
    let catalogue = own("hashrange: 1
name: x
tables: {T: {key: {hash: PK, range: SK}, ttl: gone}} #the only one
entities:
  Order:
    key:
      PK: USER #{userId}
      SK: #{orderId}
    attributes: {userId: uuid}
patterns:
  - id: P1
    name: orders #of a user
    operation: Query
    key: {PK: a, SK: {begins_with: b}} # newest first
    filter: total > :min AND #status = :open
    values: {':min': 1, ':open': x}
  - id: P2
    name: pay
    operation: UpdateItem
    key: {PK: a, SK: b}
    update: SET a = :a,
      b = :b, #c = :c
    condition: a = :a # only once
    values:
      :a: 1 #one
      :b: 'x' #two
");
    let notes = lines(catalogue.notes.iter().map(|note| format!("{}: {}", note.place, note.message)));
    expect![[r##"
        m.yaml:15:13: "filter" ends with "total > :min AND", because YAML takes "#status = :open" for a comment; put quotes around the whole
        m.yaml:21:13: "update" ends with "SET a = :a, b = :b,", because YAML takes "#c = :c" for a comment; put quotes around the whole
        m.yaml:7:11: the key ends with "USER", because YAML takes "#{userId}" for a comment; put quotes around the whole
    "##]].assert_eq(&notes);
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
fn values_that_a_comma_cuts_are_told_and_nothing_that_follows_from_it() {
    refused(
        r#"
hashrange: 1
name: x
tables:
  T: {key: {hash: PK}}
entities:
  E: {key: {PK: "E#{id}"}, attributes: {id: uuid, bucket: int(0,7), share: decimal(0, 1, 2)}}
patterns:
  - {id: P1, name: x, operation: Scan, table: T, filter: contains(tags, :tag)}
"#,
        expect![[r#"
            m.yaml:7:59: "int(0" ends at the comma, as every text without quotes does inside { } and [ ]; put quotes around the whole: bucket: "int(0,7)"
            m.yaml:7:76: "decimal(0" ends at the comma, as every text without quotes does inside { } and [ ]; put quotes around the whole: share: "decimal(0, 1, 2)"
            m.yaml:9:58: "contains(tags" ends at the comma, as every text without quotes does inside { } and [ ]; put quotes around the whole: filter: "contains(tags, :tag)"
        "#]],
    );
}

#[test]
fn text_that_is_no_yaml_is_told_with_its_place() {
    refused(
        "hashrange: 1\n  name: x\n",
        expect![[r"
        m.yaml:2:7: this is no YAML: mapping values are not allowed in this context
    "]],
    );
    refused(
        "a: 1\n",
        expect![[r#"
            m.yaml: no model that is known: it holds a; looked for "hashrange: 1" (our own), DataModel (NoSQL Workbench), format: onetable:..., access_pattern_list (cost tool), Resources (CloudFormation, SAM, CDK, Serverless), format_version (terraform show -json), resource (Terraform in JSON), Table.TableStatus (DescribeTable), tables with table_config, TableName or table_name (dynamodb_data_model.json)
        "#]],
    );
}

/// What a file of another format becomes, in our own form, with the notes.
fn becomes(path: &str, text: &str, expect: Expect) {
    expect.assert_eq(&what_becomes(path, text));
}

fn what_becomes(path: &str, text: &str) -> String {
    let catalogue =
        read(&[file(path, text)], &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let notes = lines(catalogue.notes.iter().map(|note| format!("# {}: {}", note.place, note.message)));
    let text = crate::write::yaml(&catalogue);
    let named = text.replacen("name: \"\"", "name: unnamed", 1);
    let mut again = own(&named);
    (again.notes, again.states) = (catalogue.notes.clone(), catalogue.states);
    // What only a file of the other format can hold.
    again.kept.clone_from(&catalogue.kept);
    again.name.clone_from(&catalogue.name);
    assert_eq!(again, catalogue, "our own form says all of it");
    format!("{notes}{text}")
}

#[test]
fn command_lines_become_requests() {
    becomes(
        "m.json",
        include_str!("../../tests/data/shape_m.json"),
        expect![[r#"
        # m.json:5:30: TimeToLiveSpecification is no parameter of CreateTable; taken as UpdateTimeToLive
        # m.json:7:107: True is Python, not JSON; taken as true
        # m.json:8:26: table Library has an item with this key already; a batch with both is refused
        # m.json:14:130: pattern 7: --max-items 10 cuts off at the client: the server still reads a full page; --limit bounds what is read
        hashrange: 1
        name: ""
        tables:
          Library:
            key: {hash: pk, range: sk}
            types: {due: "N"}
            indexes:
              OpenLoans: {key: {hash: openAt, range: due}, projection: [title]}
            billing: on-demand
            ttl: gone
            items:
              - {active: true, name: Ada, pk: "MEMBER#m1", sk: PROFILE}
              - {pk: "MEMBER#m1", sk: PROFILE}
              - {due: 20261202, openAt: LEEDS, pk: "MEMBER#m1", sk: "LOAN#2026-11-02#l1", title: On Numbers}
        patterns:
          - id: "3"
            name: Newest loans of a member
            operation: Query
            table: Library
            request:
              TableName: Library
              KeyConditionExpression: "pk = :p AND begins_with(sk, :o)"
              ExpressionAttributeValues: {":p": {S: "MEMBER#m1"}, ":o": {S: "LOAN#"}}
              ScanIndexForward: false
              Limit: 20
          - id: "5a"
            name: A member
            operation: GetItem
            key: {pk: "MEMBER#m1", sk: PROFILE}
          - id: "7"
            name: Open loans
            operation: Query
            table: Library
            index: OpenLoans
            request:
              TableName: Library
              IndexName: OpenLoans
              KeyConditionExpression: "openAt = :o"
              ExpressionAttributeValues: {":o": {S: LEEDS}}
            max_items: 10
          - id: "9"
            name: Free-text search in titles
            external: belongs to a search service
    "#]],
    );
}

#[test]
fn sizes_and_rates_are_read_with_their_defaults() {
    let text = what_becomes("s.json", include_str!("../../tests/data/shape_s.json"));
    expect_file!["../../tests/data/shape_s_as_ours.yaml"].assert_eq(&text);
}

#[test]
fn files_that_each_know_a_part_are_merged() {
    let overlay = r"
hashrange: 1
name: library
patterns:
  - {id: 3, expect: {min: 1}, budget: {rcu: 3}}
  - {id: 5a, who: desk, expect: {count: 1}}
  - {id: 10, name: by title, table: Library, need: {equal: [title]}}
";
    let files = [
        file("m.json", include_str!("../../tests/data/shape_m.json")),
        file("s.json", include_str!("../../tests/data/shape_s.json")),
        file("over.yaml", overlay),
    ];
    let catalogue = read(&files, &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let of_merging = |note: &&crate::catalogue::Note| !note.place.contains(".json:");
    let notes = catalogue.notes.iter().filter(of_merging);
    let notes = lines(notes.map(|note| format!("# {}: {}", note.place, note.message)));
    let patterns = crate::write::yaml(&catalogue);
    let patterns = patterns.split_once("patterns:").map_or("", |(_, patterns)| patterns);
    expect_file!["../../tests/data/merged.yaml"]
        .assert_eq(&format!("{notes}{:?}\n{patterns}", catalogue.states));
}

#[test]
fn workbench_models_are_read_with_their_quirks() {
    becomes(
        "w.json",
        include_str!("../../tests/data/workbench.json"),
        expect![[r#"
        # w.json:1:135: version "4.0" is newer than what is known (1 to 3)
        # w.json:2:15: table Loans: 5 units each way are the tool's default, and no intention; how it is paid is taken as not stated
        # w.json:8:91: more holds plain JSON inside M
        # w.json:8:120: a row of table Loans has no due, and is passed over
        # w.json:6:19: another row of table Loans with this key says otherwise; the first counts
        # w.json:3:69: attribute pages is declared as S, and rows hold N; the rows count
        # w.json:1:1: members that are not known; they mean nothing here, and go back into a file of this format: Patterns
        hashrange: 1
        name: Library
        tables:
          Loans:
            key: {hash: member, range: due}
            indexes:
              ByBook: {key: {hash: isbn}, projection: keys}
            items:
              - {due: "2026-12-01", isbn: "978-1", mail: a@example.com, member: m1, more: {a: 1, b: x}}
              - {due: "2026-12-02", member: m2, pages: 7}
        entities:
          Loan:
            attributes:
              isbn: S
              pages: "N"
              mail: email
    "#]],
    );
}

#[test]
fn onetable_schemas_are_read() {
    becomes(
        "o.json",
        include_str!("../../tests/data/onetable.json"),
        expect![[r#"
        hashrange: 1
        name: ""
        tables:
          Table:
            key: {hash: pk, range: sk}
            indexes:
              gs1: {key: {hash: gs1pk, range: gs1sk}, projection: [title]}
              ls1: {kind: local, key: {hash: pk, range: due}, projection: keys}
            ttl: gone
        entities:
          Member:
            key: {pk: "member#{id}", sk: "member#"}
            attributes:
              id: ulid
              name: S
              state: {type: S, values: [new, old]}
              kind: const(Member)
          Loan:
            key: {gs1pk: "book#{isbn}", gs1sk: "loan#{number}", pk: "member#{memberId}", sk: "loan#{number:08}"}
            attributes:
              memberId: S
              number: "N"
              isbn: S
              due: iso-time
              gone: iso-time
              kind: const(Loan)
        patterns:
          - id: loansOfBook
            name: loansOfBook
            description: "partition key book#{isbn}"
            operation: Query
            table: Table
            index: gs1
            items: 10
    "#]],
    );
}

#[test]
fn structured_patterns_of_the_code_generator_are_lowered() {
    becomes(
        "schema.json",
        include_str!("../../tests/data/schema.json"),
        expect![[r#"
        hashrange: 1
        name: ""
        tables:
          Library:
            key: {hash: pk, range: sk}
            types: {due: "N"}
            indexes:
              ByBook: {key: {hash: [isbn, branch], range: due}, projection: [title]}
        entities:
          Loan:
            key: {pk: "MEMBER#{member_id}", sk: "LOAN#{due}#{loan_id}"}
            attributes:
              member_id: S
              loan_id: S
              due: "int(0,1000000)"
              isbn: S
              branch: S
              title: {type: S, share: 0.5}
        patterns:
          - id: "1"
            name: A loan
            operation: GetItem
            key: {pk: "MEMBER#{member_id}", sk: "LOAN#{due}#{loan_id}"}
          - id: "2"
            name: Loans of a member
            operation: Query
            key: {pk: "MEMBER#{member_id}", sk: {begins_with: "{prefix}"}}
            filter: "contains(#title, :word)"
          - id: "3"
            name: Loans of a book
            operation: Query
            index: ByBook
            key: {isbn: "{isbn}", branch: "{branch}"}
          - id: "4"
            name: Lend
            operation: PutItem
            item: {entity: Loan}
            entities: {Loan: 1}
          - id: "5"
            name: Change the title
            operation: UpdateItem
            key: {pk: "MEMBER#{member_id}", sk: "LOAN#{due}#{loan_id}"}
            update: "SET title = :title"
          - id: "100"
            name: Give back and lend
            operation: TransactWriteItems
            actions:
              - {put: {entity: Loan}, condition: attribute_not_exists(pk)}
              - {delete: {pk: "MEMBER#{member_id}", sk: "LOAN#{due}#{loan_id}"}}
            entities: {Loan: 1}
    "#]],
    );
}

#[test]
fn sample_values_come_from_usage_data() {
    let usage = r#"{"entities":{"Loan":{"sample_data":{"member_id":"m1","loan_id":"l1","due":5,"isbn":"i","branch":"b"}},"Other":{"sample_data":{}}}}"#;
    let files =
        [file("schema.json", include_str!("../../tests/data/schema.json")), file("usage.json", usage)];
    let catalogue = read(&files, &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut json = Vec::new();
    hashrange_item::json::write_attributes(&catalogue.tables[0].samples[0], &mut json);
    expect![[r#"{"branch":{"S":"b"},"due":{"N":"5"},"isbn":{"S":"i"},"loan_id":{"S":"l1"},"member_id":{"S":"m1"},"pk":{"S":"MEMBER#m1"},"sk":{"S":"LOAN#5#l1"}}"#]].assert_eq(&String::from_utf8(json).unwrap());
}

#[test]
fn the_cost_tools_input_is_read() {
    becomes(
        "c.json",
        include_str!("../../tests/data/cost_tool.json"),
        expect![[r#"
        # c.json:1:86: entries of index ByBook are larger than the items of Library
        hashrange: 1
        name: ""
        tables:
          Library:
            indexes:
              ByBook: {entry_bytes: 500, entry_count: 900}
            count: 1000
            bytes: 400
        patterns:
          - id: loans
            name: Loans of a book
            operation: Query
            table: Library
            index: ByBook
            items: 10
            rate: {peak: 5, avg: 5}
            item_bytes: 400
    "#]],
    );
}

const SAMPLES: [&str; 8] = [
    include_str!("../../tests/data/shop.yaml"),
    include_str!("../../tests/data/shape_m.json"),
    include_str!("../../tests/data/shape_s.json"),
    include_str!("../../tests/data/workbench.json"),
    include_str!("../../tests/data/onetable.json"),
    include_str!("../../tests/data/schema.json"),
    include_str!("../../tests/data/cost_tool.json"),
    include_str!("../../../../examples/models/e-commerce/catalogue.yaml"),
];

/// Files with a piece cut out, doubled, moved or replaced are refused or read, but never bring the reader down.
#[test]
fn damaged_files_never_bring_the_reader_down() {
    const PIECES: [&str; 12] =
        ["{", "}", "[", "]", "\"", ":", "null", "-1", "&a *a", "!set", "\u{0}", "{\"S\": 1}"];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below.max(1)
    };
    let mut refused = 0;
    for round in 0..600 {
        let sample = SAMPLES[round % SAMPLES.len()];
        let chars: Vec<char> = sample.chars().collect();
        let (from, length, to) = (next(chars.len()), next(60), next(chars.len()));
        let piece: String = chars[from..(from + length).min(chars.len())].iter().collect();
        let mut text: Vec<char> = chars.clone();
        match next(3) {
            0 => drop(text.drain(from..(from + length).min(chars.len()))),
            1 => drop(text.splice(to..to, piece.chars())),
            _ => drop(text.splice(from..=from, PIECES[next(PIECES.len())].chars())),
        }
        let text: String = text.into_iter().collect();
        match read(&[file("x", &text)], &ReadOptions::default()) {
            Ok(catalogue) => drop(crate::write::yaml(&catalogue)),
            Err(problems) => refused += usize::from(!problems.is_empty()),
        }
    }
    assert!(refused > 100, "most damage is told: {refused}");
}

#[test]
fn a_condition_means_its_parameter_and_not_what_the_update_sets() {
    let text = "hashrange: 1\nname: m\ntables: {T: {key: id}}\npatterns:\n  - {id: P1, name: move, operation: UpdateItem, key: {id: \"{id}\"}, \
                update: {set: {email: \"{next}\"}}, condition: \"email = :email\"}\n";
    let file = SourceFile { path: "m".to_owned(), bytes: text.as_bytes().to_vec() };
    let catalogue = read(&[file], &ReadOptions::default()).unwrap();
    let request = catalogue.patterns[0].request.clone().unwrap();
    assert_eq!(request["UpdateExpression"], "SET email = :email2");
    let values = serde_json::json!({":email": {"S": "{email}"}, ":email2": {"S": "{next}"}});
    assert_eq!(request["ExpressionAttributeValues"], values);
}
