use super::*;
use crate::catalogue::{Budget, Catalogue, Index, IndexKind, Keys, Parameter, Pattern, Projection, Table};
use hashrange_api::Operation;
use serde_json::{Value, json};

fn shape(fields: &[(&str, &str)]) -> Shape {
    let fields = fields.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Shape { fields: fields.collect(), requests: Vec::new() }
}

fn seen(shape: Shape, count: u64) -> Seen {
    let fingerprint = shape.fingerprint();
    Seen {
        fingerprint,
        shape,
        count,
        sampled: count,
        answered: count,
        peak: count / 10,
        units_max: 0.5,
        ..Seen::default()
    }
}

fn orders_of_user() -> Shape {
    shape(&[
        ("operation", "Query"),
        ("table", "`Shop`"),
        ("key", "`PK` = ?S<USER#> AND `SK` begins_with ?S<ORDER#>"),
        ("descending", "true"),
    ])
}

fn get_user() -> Shape {
    shape(&[("operation", "GetItem"), ("table", "`Shop`"), ("key", "`PK` = ?S<USER#> AND `SK` = ?S")])
}

fn put_order() -> Shape {
    shape(&[
        ("operation", "PutItem"),
        ("table", "`Shop`"),
        ("key", "`PK` = ?S<USER#> AND `SK` = ?S<ORDER#>"),
        ("condition", "attribute_not_exists(`PK`)"),
    ])
}

fn ship_order() -> Shape {
    shape(&[
        ("operation", "UpdateItem"),
        ("table", "`Shop`"),
        ("key", "`PK` = ?S<USER#> AND `SK` = ?S<ORDER#>"),
        ("update", "ADD `version` ?N, REMOVE `GSI2PK`, SET `status` = ?S"),
        ("condition", "(`status` = ?S AND `version` IN (2-10 of ?N))"),
    ])
}

fn recording(patterns: Vec<Seen>) -> Recording {
    let key = |name: &str| vec![(name.to_owned(), "S".to_owned())];
    Recording {
        hashrange_recording: Recording::VERSION,
        seconds: 100.0,
        sample: 1,
        tables: vec![SeenTable {
            name: "Shop".to_owned(),
            hash: key("PK"),
            range: key("SK"),
            indexes: vec![SeenIndex {
                name: "ByEmail".to_owned(),
                hash: key("email"),
                ..SeenIndex::default()
            }],
            ttl: None,
        }],
        patterns,
        ..Recording::default()
    }
}

#[test]
fn a_recording_is_read_as_it_was_written() {
    let recording = recording(vec![seen(orders_of_user(), 10), seen(ship_order(), 3)]);
    assert_eq!(Recording::from_json(&recording.to_json()), Ok(recording));
    assert!(Recording::from_json(b"{}").is_err_and(|error| error.contains("no recording")));
    let newer = br#"{"hashrange_recording":2,"started_ms":0,"seconds":1,"sample":1,"tables":[],"patterns":[],"other":0,"refused":[]}"#;
    assert!(Recording::from_json(newer).is_err_and(|error| error.contains("version 2")));
}

#[test]
fn names_say_what_a_request_does() {
    assert_eq!(name(&orders_of_user()), "query Shop PK = USER#? and SK begins_with ORDER#, newest first");
    assert_eq!(name(&get_user()), "get Shop PK = USER#? and SK = ?");
    assert_eq!(name(&put_order()), "put Shop PK = USER#? and SK = ORDER#?, if PK");
    assert_eq!(
        name(&ship_order()),
        "update Shop PK = USER#? and SK = ORDER#?, changing version, GSI2PK, status, if status, version"
    );
    let both = Shape {
        requests: vec![
            Part { times: "1".to_owned(), shape: put_order() },
            Part { times: "2-10".to_owned(), shape: get_user() },
        ],
        ..shape(&[("operation", "TransactWriteItems")])
    };
    assert_eq!(
        name(&both),
        "write together: put Shop PK = USER#? and SK = ORDER#?, if PK; 2-10 x get Shop PK = USER#? and SK = ?"
    );
}

#[test]
fn fingerprints_tell_forms_apart() {
    assert_ne!(orders_of_user().fingerprint(), get_user().fingerprint());
    assert_eq!(orders_of_user().fingerprint(), orders_of_user().fingerprint());
    assert_eq!(get_user().fingerprint().len(), 12);
}

#[test]
fn a_draft_has_the_requests_of_the_recording() {
    let draft = draft(
        &recording(vec![seen(orders_of_user(), 100), seen(put_order(), 50), seen(ship_order(), 20)]),
        "shop",
    );
    let request = |at: usize| Value::Object(draft.patterns[at].request.clone().expect("a request"));
    assert_eq!(
        request(0),
        json!({
            "TableName": "Shop",
            "KeyConditionExpression": "#n1 = :v1 AND begins_with(#n2, :v2)",
            "ScanIndexForward": false,
            "ExpressionAttributeNames": {"#n1": "PK", "#n2": "SK"},
            "ExpressionAttributeValues": {":v1": {"S": "USER#{user}"}, ":v2": {"S": "ORDER#"}},
        })
    );
    assert_eq!(request(1)["Item"], json!({"PK": {"S": "USER#{user}"}, "SK": {"S": "ORDER#{order}"}}));
    let update = request(2);
    assert_eq!(update["UpdateExpression"], "ADD #n2 :v3 REMOVE #n3 SET #n1 = :v4");
    assert_eq!(update["ConditionExpression"], "(#n1 = :v1 AND #n2 IN (:v2))");
    let order = &draft.entities[0];
    assert_eq!((order.name.as_str(), order.keys["SK"].to_string()), ("Order", "ORDER#{order}".to_owned()));
    assert_eq!(draft.patterns[0].peak_rps, Some(10.0));
    assert_eq!(draft.patterns[0].avg_rps, Some(1.0));
    assert_eq!(draft.patterns[0].budget, Budget { rcu: Some(0.5), wcu: None });
    assert_eq!(draft.patterns[1].budget, Budget { rcu: None, wcu: Some(1.0) });
    assert_eq!(
        draft.patterns[2].parameters["order"],
        Parameter::From { entity: "Order".to_owned(), attribute: "order".to_owned() }
    );
}

fn declared() -> Catalogue {
    let keys = Keys { hash: vec!["PK".to_owned()], range: vec!["SK".to_owned()] };
    let index = |name: &str| Index {
        name: name.to_owned(),
        kind: IndexKind::Global,
        keys: Keys { hash: vec!["email".to_owned()], range: Vec::new() },
        projection: Projection::All,
        ..Index::default()
    };
    let table = Table { name: "Shop".to_owned(), keys, indexes: vec![index("ByEmail")], ..Table::default() };
    let pattern = |id: &str, operation, request: Value| Pattern {
        id: id.to_owned(),
        name: id.to_lowercase(),
        operation: Some(operation),
        table: Some("Shop".to_owned()),
        request: request.as_object().cloned(),
        ..Pattern::default()
    };
    let orders = pattern(
        "ORDERS",
        Operation::Query,
        json!({
            "TableName": "Shop",
            "KeyConditionExpression": "begins_with(SK, :o) AND PK = :u",
            "ExpressionAttributeValues": {":u": {"S": "USER#{userId}"}, ":o": {"S": "ORDER#"}},
            "ScanIndexForward": false,
        }),
    );
    let get = pattern(
        "USER",
        Operation::GetItem,
        json!({"TableName": "Shop", "Key": {"PK": {"S": "USER#{userId}"}, "SK": {"S": "PROFILE"}}}),
    );
    let email = pattern(
        "EMAIL",
        Operation::Query,
        json!({
            "TableName": "Shop",
            "IndexName": "ByEmail",
            "KeyConditionExpression": "email = :e",
            "ExpressionAttributeValues": {":e": {"S": "{email}"}},
        }),
    );
    let ship = pattern(
        "SHIP",
        Operation::UpdateItem,
        json!({
            "TableName": "Shop",
            "Key": {"PK": {"S": "USER#{userId}"}, "SK": {"S": "ORDER#{orderId}"}},
            "UpdateExpression": "SET #s = :s REMOVE GSI2PK ADD version :one",
            "ExpressionAttributeNames": {"#s": "status"},
            "ExpressionAttributeValues": {":s": {"S": "SHIPPED"}, ":one": {"N": "1"}},
        }),
    );
    Catalogue { tables: vec![table], patterns: vec![orders, get, email, ship], ..Catalogue::default() }
}

#[test]
fn traffic_as_declared_has_no_difference() {
    let seen = vec![seen(orders_of_user(), 10), seen(get_user(), 10), seen(ship_order(), 10)];
    let comparison = compare(&recording(seen), &declared());
    assert!(comparison.is_as_declared(), "{comparison:?}");
    assert_eq!(comparison.seen, 3);
    let unseen: Vec<_> = comparison.unseen.iter().map(|unseen| unseen.id.as_str()).collect();
    assert_eq!(unseen, ["EMAIL"]);
    assert_eq!(comparison.unread, [("Shop".to_owned(), "ByEmail".to_owned())]);
}

#[test]
fn what_is_not_declared_is_found() {
    let mut other_update = ship_order();
    other_update.fields.insert("update".to_owned(), "SET `color` = ?S".to_owned());
    let scan = shape(&[("operation", "Scan"), ("table", "`Shop`")]);
    let comparison =
        compare(&recording(vec![seen(scan, 5), seen(other_update, 7), seen(put_order(), 1)]), &declared());
    let names: Vec<_> = comparison.undeclared.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "update Shop PK = USER#? and SK = ORDER#?, changing color, if status, version",
            "scan Shop",
            "put Shop PK = USER#? and SK = ORDER#?, if PK"
        ]
    );
    assert!(!comparison.is_as_declared());
}

#[test]
fn figures_that_are_off_by_more_than_a_tenth_are_found() {
    let mut catalogue = declared();
    catalogue.patterns[0].peak_rps = Some(10.5);
    catalogue.patterns[0].avg_rps = Some(2.0);
    catalogue.patterns[0].budget.rcu = Some(0.5);
    let mut orders = seen(orders_of_user(), 100);
    orders.units_max = 1.5;
    let comparison = compare(&recording(vec![orders]), &catalogue);
    let figures: Vec<_> =
        comparison.drift.iter().map(|drift| (drift.figure, drift.declared, drift.observed)).collect();
    assert_eq!(figures, [("average rate per second", 2.0, 1.0), ("read units, at most", 0.5, 1.5)]);
}

#[test]
fn an_unknown_prefix_fits_every_declared_one_and_another_fits_none() {
    let unknown = shape(&[("operation", "GetItem"), ("table", "`Shop`"), ("key", "`PK` = ?S AND `SK` = ?S")]);
    let other =
        shape(&[("operation", "GetItem"), ("table", "`Shop`"), ("key", "`PK` = ?S<TEAM#> AND `SK` = ?S")]);
    let comparison = compare(&recording(vec![seen(unknown, 1), seen(other, 1)]), &declared());
    assert_eq!(comparison.seen, 1);
    assert_eq!(comparison.undeclared.len(), 1);
    assert_eq!(comparison.undeclared[0].name, "get Shop PK = TEAM#? and SK = ?");
}

#[test]
fn checks_are_told_what_was_observed() {
    let mut orders = seen(orders_of_user(), 100);
    orders.continued = 50;
    orders.arms = vec![SeenArm { table: "Shop".to_owned(), index: None, units: 200.0, units_max: 2.0 }];
    orders.key_uses = 100;
    orders.top_keys = vec![("ab".to_owned(), 50)];
    let comparison = compare(&recording(vec![orders]), &declared());
    let observed = &comparison.observed[0];
    assert_eq!((observed.runs, observed.pages), (50, 2.0));
    assert!((observed.read_units() - 4.0).abs() < f64::EPSILON);
    assert!((observed.hot_keys[0].read - 1.0).abs() < f64::EPSILON);
}
