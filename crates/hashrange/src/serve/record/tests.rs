//! A scripted session on the real service in a simulated world, and what a recording says of it.

use std::sync::Arc;
use std::time::Duration;

use expect_test::expect_file;
use hashrange_api::{Operation, Response};
use hashrange_env::{Env, Simulation};
use hashrange_modelling::record::{Recording, Seen, draft, hints, name};
use hashrange_service::{Caller, Recorder, Service};
use hashrange_store::Memory;
use hashrange_wire::json;

use super::convert;

/// A service that records.
struct Session {
    simulation: Simulation,
    env: Env,
    service: Service,
    recorder: Arc<Recorder>,
}

impl Session {
    fn new(seed: u64) -> Session {
        Session::with_sample(seed, 1)
    }

    fn with_sample(seed: u64, sample: u64) -> Session {
        let (env, simulation) = Simulation::new(seed);
        let opening =
            Service::open(Arc::new(Memory::new()), env.clone(), hashrange_engine::Options::default());
        let service = simulation.block_on(opening).expect("an empty store opens");
        let recorder = Arc::new(Recorder::new(&env, sample));
        service.record(Arc::clone(&recorder));
        Session { simulation, env, service, recorder }
    }

    fn caller(&self, access_key: Option<&str>) -> Caller {
        Caller {
            scope: Arc::new(hashrange_service::Scope {
                account: "000000000000".to_owned(),
                region: "us-east-1".to_owned(),
            }),
            access_key: access_key.map(Into::into),
            request_id: self.env.uuid().into(),
        }
    }

    fn call(&self, operation: &str, body: &str) -> Result<Response, hashrange_api::Error> {
        self.call_as(None, operation, body)
    }

    fn call_as(
        &self,
        access_key: Option<&str>,
        operation: &str,
        body: &str,
    ) -> Result<Response, hashrange_api::Error> {
        let operation =
            Operation::ALL.into_iter().find(|known| known.name() == operation).expect("an operation");
        let request = json::decode(operation, body.as_bytes())?;
        self.simulation.block_on(self.service.call(&self.caller(access_key), request))
    }

    fn recording(&self) -> Recording {
        convert::recording(&self.recorder.recording())
    }

    fn shop(&self) {
        self.call(
            "CreateTable",
            r#"{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST",
                "AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},
                    {"AttributeName":"GSI1PK","AttributeType":"S"}],
                "KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
                "GlobalSecondaryIndexes":[{"IndexName":"ByEmail","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"}],
                    "Projection":{"ProjectionType":"KEYS_ONLY"}}]}"#,
        )
        .expect("a new table");
    }

    fn put_orders(&self) {
        for number in 0..30 {
            let user = number % 25;
            let body = format!(
                r#"{{"TableName":"Shop","Item":{{"PK":{{"S":"USER#u{user}"}},"SK":{{"S":"ORDER#o{number}"}},
                    "status":{{"S":"NEW"}},"GSI1PK":{{"S":"EMAIL#e{user}"}}}},
                    "ConditionExpression":"attribute_not_exists(PK)"}}"#
            );
            self.call("PutItem", &body).expect("a new order");
            self.simulation.advance(Duration::from_millis(100));
        }
    }
}

/// The names of the forms with their counts, in order.
fn forms(recording: &Recording) -> Vec<(String, u64)> {
    recording.patterns.iter().map(|seen| (name(&seen.shape), seen.count)).collect()
}

#[test]
fn order_names_and_literals_make_no_other_form() {
    let session = Session::new(1);
    session.shop();
    let texts = [
        r#""FilterExpression":"a = :a AND b = :b","ExpressionAttributeValues":{":a":{"S":"1"},":b":{"N":"2"}}"#,
        r##""FilterExpression":":y = #x AND (a = :z)","ExpressionAttributeNames":{"#x":"b"},
            "ExpressionAttributeValues":{":y":{"N":"5"},":z":{"S":"other"}}"##,
        r#""ScanFilter":{"a":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"x"}]},
            "b":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"7"}]}},"ReturnConsumedCapacity":"TOTAL""#,
    ];
    for text in texts {
        session.call("Scan", &format!(r#"{{"TableName":"Shop",{text}}}"#)).expect("a scan");
    }
    session
        .call("ExecuteStatement", r#"{"Statement":"SELECT * FROM Shop WHERE b = 9 AND a = 'y'"}"#)
        .expect("a scan by statement");
    assert_eq!(forms(&session.recording()), [("scan Shop, filtered by a, b".to_owned(), 4)]);
}

#[test]
fn lists_are_of_size_classes() {
    let session = Session::new(2);
    session.shop();
    for count in [2, 5, 10, 11] {
        let names: Vec<_> = (0..count).map(|at| format!(":v{at}")).collect();
        let values: Vec<_> = (0..count).map(|at| format!(r#"":v{at}":{{"N":"{at}"}}"#)).collect();
        let body = format!(
            r#"{{"TableName":"Shop","FilterExpression":"a IN ({})","ExpressionAttributeValues":{{{}}}}}"#,
            names.join(","),
            values.join(",")
        );
        session.call("Scan", &body).expect("a scan");
    }
    let filters: Vec<_> = session
        .recording()
        .patterns
        .into_iter()
        .map(|seen| (seen.shape.fields["filter"].clone(), seen.count))
        .collect();
    assert_eq!(filters, [("`a` IN (11-25 of ?N)".to_owned(), 1), ("`a` IN (2-10 of ?N)".to_owned(), 3)]);
}

#[test]
fn type_prefixes_tell_forms_apart_once_they_are_seen_before_many_remainders() {
    let session = Session::new(3);
    session.shop();
    let get = |pk: &str| {
        let body = format!(r#"{{"TableName":"Shop","Key":{{"PK":{{"S":"{pk}"}},"SK":{{"S":"x"}}}}}}"#);
        session.call("GetItem", &body).expect("a look-up");
    };
    (0..20).for_each(|number| get(&format!("USER#{number}")));
    (0..25).for_each(|number| get(&format!("TEAM#{number}")));
    (0..25).for_each(|_| get("ALICE#inbox"));
    (0..19).for_each(|number| get(&format!("BOB#{number}")));
    assert_eq!(
        forms(&session.recording()),
        [
            ("get Shop PK = ? and SK = ?".to_owned(), 44),
            ("get Shop PK = TEAM#? and SK = ?".to_owned(), 25),
            ("get Shop PK = USER#? and SK = ?".to_owned(), 20)
        ]
    );
}

#[test]
fn no_value_is_in_a_recording() {
    for seed in 0..8_u64 {
        let session = Session::new(seed);
        session.shop();
        let mut values = Vec::new();
        let mut secret = |session: &Session| {
            let value = format!("Zq{:016x}", session.env.random.next_u64());
            values.push(value.clone());
            value
        };
        for _ in 0..25 {
            let (pk, sk, status, nested) =
                (secret(&session), secret(&session), secret(&session), secret(&session));
            let shout = pk.to_uppercase();
            for pk in [&pk, &format!("{shout}#1"), &format!("USER#{pk}")] {
                let key = format!(r#""PK":{{"S":"{pk}"}},"SK":{{"S":"{sk}"}}"#);
                let put = format!(
                    r#"{{"TableName":"Shop","Item":{{{key},"m":{{"M":{{}}}},"status":{{"S":"{status}"}}}}}}"#
                );
                session.call("PutItem", &put).expect("a put");
                let update = format!(
                    r##"{{"TableName":"Shop","Key":{{{key}}},"UpdateExpression":"SET m.#n = :v","ConditionExpression":"#s = :v",
                        "ExpressionAttributeNames":{{"#n":"{nested}","#s":"status"}},"ExpressionAttributeValues":{{":v":{{"S":"{status}"}}}}}}"##
                );
                session.call("UpdateItem", &update).expect("an update");
                let query = format!(
                    r#"{{"TableName":"Shop","KeyConditionExpression":"PK = :p AND SK BETWEEN :s AND :s","FilterExpression":"contains(a, :s)",
                        "ExpressionAttributeValues":{{":p":{{"S":"{pk}"}},":s":{{"S":"{sk}"}}}}}}"#
                );
                session.call("Query", &query).expect("a query");
                let statement = format!(
                    r#"{{"Statement":"SELECT * FROM Shop WHERE PK = '{pk}' AND \"status\" = '{status}'"}}"#
                );
                session.call("ExecuteStatement", &statement).expect("a statement");
            }
        }
        let text = String::from_utf8(session.recording().to_json()).expect("JSON is text");
        assert!(text.contains("USER#") && text.contains("contains("), "{text}");
        for value in values {
            let found = text.to_lowercase().contains(&value.to_lowercase());
            assert!(!found, "{value} is in the recording of seed {seed}");
        }
    }
}

#[test]
fn what_a_client_is_told_of_capacity_is_what_it_asked_for() {
    let session = Session::new(4);
    session.shop();
    let item = r#""Item":{"PK":{"S":"a"},"SK":{"S":"b"},"GSI1PK":{"S":"c"}}"#;
    let capacity = |more: &str| {
        let body = format!(r#"{{"TableName":"Shop",{item}{more}}}"#);
        match session.call("PutItem", &body).expect("a put") {
            Response::PutItem(output) => output.consumed_capacity,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(capacity(""), None);
    let total = capacity(r#","ReturnConsumedCapacity":"TOTAL""#).expect("a report");
    assert_eq!((total.capacity_units, total.table), (Some(1.0), None));
    let indexes = capacity(r#","ReturnConsumedCapacity":"INDEXES""#).expect("a report");
    assert_eq!(indexes.table.and_then(|table| table.capacity_units), Some(1.0));
}

/// A query of the orders of a user, and then a look-up of each.
fn query_and_look_ups(session: &Session, caller: &str, user: usize, orders: impl Iterator<Item = usize>) {
    let query = format!(
        r#"{{"TableName":"Shop","KeyConditionExpression":"PK = :u","ExpressionAttributeValues":{{":u":{{"S":"USER#u{user}"}}}}}}"#
    );
    session.call_as(Some("one"), "Query", &query).expect("a query");
    for order in orders {
        session.simulation.advance(Duration::from_millis(3));
        let get = format!(
            r#"{{"TableName":"Shop","Key":{{"PK":{{"S":"USER#u{user}"}},"SK":{{"S":"ORDER#o{order}"}}}}}}"#
        );
        session.call_as(Some(caller), "GetItem", &get).expect("a look-up");
    }
}

#[test]
fn look_ups_of_what_a_query_returned_are_told_as_n_plus_one() {
    let session = Session::new(6);
    session.shop();
    session.put_orders();
    // Users 0 to 4 have two orders each: number n and n + 25.
    (0..5).for_each(|user| query_and_look_ups(&session, "one", user, [user, user + 25].into_iter()));
    // One look-up is none; look-ups of something else are none; those of another caller are none.
    query_and_look_ups(&session, "one", 4, [4].into_iter());
    query_and_look_ups(&session, "one", 3, 10..14);
    query_and_look_ups(&session, "other", 2, [2, 27].into_iter());
    let recording = session.recording();
    let [link] = recording.links.as_slice() else { panic!("{:?}", recording.links) };
    assert_eq!((link.reads, link.followed, link.look_ups, link.most), (8, 5, 10, 2));
    let [hint] = &hints(&recording)[..] else { panic!("one hint") };
    assert_eq!(hint.rule, "n-plus-one");
    let text = r#"5 of 8 times, "query Shop PK = USER#?""#;
    assert!(hint.message.starts_with(text) && hint.advice.contains("BatchGetItem"), "{hint:?}");
    let draft = draft(&recording, "session");
    assert_eq!(draft.flows.len(), 1);
    assert!(draft.flows[0].steps[1].for_each_previous);
}

#[test]
fn values_that_a_query_returned_are_keys_of_look_ups_with_or_without_a_type_prefix() {
    let session = Session::new(7);
    session.shop();
    for number in 0..3 {
        let put = |pk: &str, sk: &str| {
            let body = format!(
                r#"{{"TableName":"Shop","Item":{{"PK":{{"S":"{pk}"}},"SK":{{"S":"{sk}"}},"sku":{{"S":"s{number}"}}}}}}"#
            );
            session.call("PutItem", &body).expect("a put");
        };
        put("CART#1", &format!("LINE#{number}"));
        put(&format!("PRODUCT#s{number}"), "PRODUCT");
    }
    session
        .call("Query", r#"{"TableName":"Shop","KeyConditionExpression":"PK = :c","ExpressionAttributeValues":{":c":{"S":"CART#1"}}}"#)
        .expect("a query");
    for number in 0..3 {
        let body = format!(
            r#"{{"TableName":"Shop","KeyConditionExpression":"PK = :p","Limit":1,"ExpressionAttributeValues":{{":p":{{"S":"PRODUCT#s{number}"}}}}}}"#
        );
        session.call("Query", &body).expect("a query");
    }
    let recording = session.recording();
    let [link] = recording.links.as_slice() else { panic!("{:?}", recording.links) };
    assert_eq!((link.followed, link.look_ups, link.most), (1, 3, 3));
    assert!(hints(&recording)[0].advice.starts_with("keep what is read one by one"));
}

#[test]
fn beyond_the_first_thousand_of_a_form_one_request_in_so_many_is_taken_down() {
    let session = Session::with_sample(8, 10);
    session.shop();
    let put = r#"{"TableName":"Shop","Item":{"PK":{"S":"a"},"SK":{"S":"b"}}}"#;
    for second in 0..150 {
        (0..10).for_each(|_| _ = session.call("PutItem", put).expect("a put"));
        if second < 149 {
            session.simulation.advance(Duration::from_secs(1));
        }
    }
    session.simulation.advance(Duration::from_millis(900));
    let failing = r#"{"TableName":"Shop","Item":{"PK":{"S":"a"},"SK":{"S":"b"}},"ConditionExpression":"attribute_not_exists(PK)"}"#;
    (0..1001).for_each(|_| _ = session.call("PutItem", failing).expect_err("it is there"));
    let recording = session.recording();
    let find = |conditional: bool| {
        let is = |seen: &&Seen| seen.shape.field("condition").is_some() == conditional;
        recording.patterns.iter().find(is).expect("a form")
    };
    let put = find(false);
    assert_eq!((put.count, put.sampled, put.answered), (1500, 1050, 1050));
    assert_eq!((put.peak, put.peak_minute, put.minutes.as_slice()), (10, 600, &[600, 600, 300][..]));
    assert_eq!(put.arms[0].units.to_string(), "1050");
    let failing = find(true);
    assert_eq!(failing.failed, [("ConditionalCheckFailedException".to_owned(), 1001)]);
}

#[test]
fn a_session_becomes_a_catalogue() {
    let session = Session::new(5);
    session.shop();
    session.put_orders();
    for user in 0..22 {
        let query = format!(
            r#"{{"TableName":"Shop","KeyConditionExpression":"begins_with(SK, :o) AND PK = :u","ScanIndexForward":false,"Limit":10,
                "ExpressionAttributeValues":{{":u":{{"S":"USER#u{user}"}},":o":{{"S":"ORDER#"}}}}}}"#
        );
        session.call("Query", &query).expect("a query");
        let by_email = format!(
            r#"{{"TableName":"Shop","IndexName":"ByEmail","KeyConditionExpression":"GSI1PK = :e",
                "ExpressionAttributeValues":{{":e":{{"S":"EMAIL#e{user}"}}}}}}"#
        );
        session.call("Query", &by_email).expect("a query of the index");
    }
    let ship = r##"{"TransactItems":[
        {"Update":{"TableName":"Shop","Key":{"PK":{"S":"USER#u1"},"SK":{"S":"ORDER#o1"}},"UpdateExpression":"SET #s = :s REMOVE GSI1PK",
            "ConditionExpression":"#s = :n","ExpressionAttributeNames":{"#s":"status"},
            "ExpressionAttributeValues":{":s":{"S":"SHIPPED"},":n":{"S":"NEW"}}}},
        {"Put":{"TableName":"Shop","Item":{"PK":{"S":"LOG#1"},"SK":{"S":"x"}}}}]}"##;
    session.call("TransactWriteItems", ship).expect("a transaction");
    session.call("TransactWriteItems", ship).expect_err("its condition fails now");
    session.call("Query", r#"{"TableName":"Nowhere","KeyConditionExpression":"a = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}"#)
        .expect_err("there is no such table");
    let again = r#"{"TableName":"Shop","Item":{"PK":{"S":"USER#u1"},"SK":{"S":"ORDER#o1"}},"ConditionExpression":"attribute_not_exists(PK)"}"#;
    session.call("PutItem", again).expect_err("it is there");

    let mut recording = session.recording();
    assert_eq!(recording.refused, [("Query".to_owned(), "ResourceNotFoundException".to_owned(), 1)]);
    let text = String::from_utf8(recording.to_json()).expect("JSON is text");
    expect_file!["testdata/session.json"].assert_eq(&without_digests(&text));
    recording.patterns.iter_mut().for_each(|seen| seen.top_keys.clear());
    let catalogue = draft(&recording, "session");
    expect_file!["testdata/session.yaml"].assert_eq(&hashrange_modelling::write::yaml(&catalogue));
}

/// Digests of keys are of this recording alone.
fn without_digests(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let word = line.trim().trim_matches(['"', ',']);
        let is_digest = word.len() == 16 && word.chars().all(|c| c.is_ascii_hexdigit());
        if is_digest { line.replace(word, "digest") } else { line.to_owned() }
    });
    lines.map(|line| line + "\n").collect()
}
